package harness_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/harness"
)

// toolchain makes a directory with a compiler that says what it is told to, and its libraries.
func toolchain(t *testing.T, dir, told string) (rustc string) {
	t.Helper()
	rustc = filepath.Join(dir, "bin", "rustc")
	for name, text := range map[string]string{
		"bin/rustc":                   "#!/bin/sh\ncase $1 in\n--version) echo 'rustc 1.0.0' ;;\n--print=sysroot) echo '" + dir + "' ;;\n-vV) printf '" + told + "' ;;\nesac\n",
		"lib/librustc_driver-1a2b.so": "driver",
		"lib/rustlib/some-host-os/lib/libstd-3c.rlib": "std",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return rustc
}

// TestIdentity: compilers that may not be the same are told apart, and one that may be any is none.
func TestIdentity(t *testing.T) {
	const told = `rustc 1.0.0\nhost: some-host-os\ncommit-hash: 0123abcd\n`
	dir := t.TempDir()
	rustc := toolchain(t, dir, told)
	identity := func() []string {
		t.Helper()
		got, err := harness.Identity(t.Context(), rustc, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := identity()
	if again := identity(); !slices.Equal(first, again) {
		t.Errorf("%q, and then %q", first, again)
	}
	for name, change := range map[string]func(){
		"another commit":     func() { toolchain(t, dir, strings.Replace(told, "abcd", "abce", 1)) },
		"another executable": func() { write(t, rustc, readFile(t, rustc)+"# more\n") },
		"another driver":     func() { write(t, filepath.Join(dir, "lib", "librustc_driver-1a2c.so"), "driver") },
		"another std": func() {
			write(t, filepath.Join(dir, "lib", "rustlib", "some-host-os", "lib", "libstd-3c.rlib"), "another")
		},
	} {
		change()
		if slices.Equal(first, identity()) {
			t.Errorf("%s: the same", name)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		toolchain(t, dir, told)
		if !slices.Equal(first, identity()) {
			t.Errorf("%s, and back: not the same", name)
		}
	}
	for words, want := range map[string]string{
		`rustc 1.0.0\nhost: some-host-os\n`:                           " does not say of which commit it is",
		`rustc 1.0.0\nhost: some-host-os\ncommit-hash: unknown\n`:     " does not say of which commit it is",
		`rustc 1.0.0\nhost: ../../..\ncommit-hash: 0123abcd\n`:        " does not say of which commit it is",
		`rustc 1.0.0\nhost: another-host-os\ncommit-hash: 0123abcd\n`: "read the compiler's libraries: open ",
	} {
		toolchain(t, dir, words)
		if got, err := harness.Identity(t.Context(), rustc, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %q", words, got, err, want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

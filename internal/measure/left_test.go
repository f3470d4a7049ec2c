package measure_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// What code of the change leaves behind says nothing about any function, also if it cannot be removed. The cargo of this test is code of the change that
// had its way.
func TestLeftBehind(t *testing.T) {
	sandboxtest.Isolated(t)
	const text = "use vstd::prelude::*;\nverus! {\npub fn f(x: u8) -> (r: u8)\n    ensures r <= x,\n{\n    helper::half(x)\n}\n}\n"
	for _, k := range []struct {
		name, script string
		left         bool
	}{
		{"no right to a directory", "mkdir -p x/y; chmod 0 x", false},
		{"no right to the target directory", "mkdir x; chmod 0 .", false},
		{"deep directories", "for i in $(seq 300); do mkdir d; cd d; done; chmod 0 .", false},
		{"what cannot be removed", "", true},
	} {
		t.Run(k.name, func(t *testing.T) {
			temp, sysroot := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temp)
			if err := os.Mkdir(filepath.Join(sysroot, "bin"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, script := range map[string]string{
				"rustc": "case $1 in --version) echo rustc 1;; *) echo " + sysroot + ";; esac",
				"cargo": "mkdir -p $CARGO_TARGET_DIR; cd $CARGO_TARGET_DIR\n" + k.script + "\nexit 101",
			} {
				if err := os.WriteFile(filepath.Join(sysroot, "bin", name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if k.left {
				defer measure.SetRemoveAll(func(string) error { return errors.New("it cannot be removed") })()
			}
			c := &measure.Compiled{Rustc: filepath.Join(sysroot, "bin", "rustc"), Crate: func(c *model.Crate) (measure.Crate, error) {
				const manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nhelper = { path = \"helper\" }\n"
				return measure.Crate{Files: map[string][]byte{lib: []byte(text), "Cargo.toml": []byte(manifest)}, Root: lib, Name: c.Name, Manifest: "Cargo.toml"}, nil
			}}
			_, ss := subjects(t, "", text)
			got, err := measure.Measure(t.Context(), measure.Request{Subjects: ss, Options: options, Head: c.Run})
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint("unmeasured: the crate does not compile without its ghost code: the compiler does not say why; left: ", k.left)
			if d := cmp.Diff(want, fmt.Sprint(show(got[0].Strength().Head), "; left: ", c.Left != nil)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			entries, err := os.ReadDir(temp)
			if err != nil || len(entries) > 0 != k.left {
				t.Errorf("%v is left: %v", entries, err)
			}
		})
	}
}

// Directories for temporary files may be named from the current directory, which is not the one that programs are started in.
func TestRelativeTemp(t *testing.T) {
	const text = "use vstd::prelude::*;\nverus! {\npub fn f(x: u8) -> (r: u8)\n    ensures r <= x,\n{\n    x / 2\n}\n}\n"
	_, ss := subjects(t, text, text)
	want := show(run(t, text, text, options, ss)[0].Strength().Head)
	t.Chdir(t.TempDir())
	if err := os.Mkdir("tmp", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "tmp")
	if d := cmp.Diff(want, show(run(t, text, text, options, ss)[0].Strength().Head)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	entries, err := os.ReadDir("tmp")
	if err != nil || len(entries) > 0 {
		t.Errorf("%v is left: %v", entries, err)
	}
}

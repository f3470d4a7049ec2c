package verus

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Cargo's directory is the one that cargo itself takes, but for an empty HOME.
func TestCargoHome(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	account, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	const unset = "-"
	for _, c := range []struct{ cargo, home, want string }{
		{"/the/cargo/../home/", "/u", "/the/home"},
		{"rel/cargo", "/u", filepath.Join(here, "rel/cargo")},
		{"rel/cargo", "", filepath.Join(here, "rel/cargo")},
		{"", "/u", "/u/.cargo"},
		{unset, "/u", "/u/.cargo"},
		{unset, "rel", filepath.Join(here, "rel/.cargo")},
		{unset, "", ""},
		{"", "", ""},
		{unset, unset, filepath.Join(account.HomeDir, ".cargo")},
		{"", unset, filepath.Join(account.HomeDir, ".cargo")},
	} {
		for name, value := range map[string]string{"CARGO_HOME": c.cargo, "RUSTUP_HOME": c.cargo, "HOME": c.home} {
			t.Setenv(name, value)
			if value == unset {
				if err := os.Unsetenv(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := [2]string{c.want, strings.Replace(c.want, ".cargo", ".rustup", 1)}
		if got := [2]string{CargoHome(), RustupHome()}; got != want {
			t.Errorf("CARGO_HOME=%s HOME=%s: %q, want %q", c.cargo, c.home, got, want)
		}
	}
}

// A run gets the directories of cargo and rustup by their absolute paths: where it runs, relative ones would be the change's.
func TestHomesOfRun(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	if err := os.MkdirAll(filepath.Join(here, "home", ".rustup"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(here, "home"))
	t.Setenv("CARGO_HOME", "rel")
	t.Setenv("RUSTUP_HOME", "")
	v := Known("/verus", "", "", Version{}, Sandboxed{})
	for _, c := range []struct {
		name string
		v    *Verifier
		want []string
	}{
		{"as it is", v, []string{"CARGO_HOME=" + filepath.Join(here, "rel")}},
		{"isolated", v.Isolate(Isolation{}), []string{"CARGO_HOME=" + filepath.Join(here, "rel"), "RUSTUP_HOME=" + filepath.Join(here, "home", ".rustup")}},
	} {
		got := slices.DeleteFunc(c.v.environ("", false), func(e string) bool {
			return !strings.HasPrefix(e, "CARGO_HOME=") && !strings.HasPrefix(e, "RUSTUP_HOME=")
		})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

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

// A run looks for programs, libraries and certificates in no directory that depends on where it runs: that is the change's tree.
func TestSearchOfRun(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	list := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	v := Known("/verus", "", "", Version{}, Sandboxed{})
	v.rustup = false
	for _, c := range []struct{ value, want string }{
		{list("/a", "", "rel", ".", "/b"), list("/a", "/b")},
		{list("", "/a"), "/a"},
		{list("/a", ""), "/a"},
		{list("./rel", "..", ""), ""},
		{"", ""},
	} {
		var want []string
		for _, name := range []string{"DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "SSL_CERT_DIR"} {
			t.Setenv(name, c.value)
			if c.want != "" {
				want = append(want, name+"="+c.want)
			}
		}
		for _, name := range []string{"CARGO_HTTP_CAINFO", "SSL_CERT_FILE"} {
			t.Setenv(name, "certs.pem")
			want = append(want, name+"="+filepath.Join(here, "certs.pem"))
		}
		slices.Sort(want)
		got := slices.DeleteFunc(v.environ("", true), func(e string) bool {
			name, _, _ := strings.Cut(e, "=")
			return !strings.HasSuffix(name, "PATH") && !strings.HasPrefix(name, "SSL_") && name != "CARGO_HTTP_CAINFO"
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.value, diff)
		}
	}
}

package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/specgate/specgate/internal/sandbox"
)

// A directory for temporary files has one name, whatever TMPDIR is.
func TestMkdirTemp(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "real", "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, temp := range []string{filepath.Join(dir, "real", "tmp"), filepath.Join(dir, "link", "tmp"), "real/tmp", "./link/tmp", "link/../real/tmp"} {
		for _, parent := range []string{"", temp} {
			t.Setenv("TMPDIR", temp)
			got, err := sandbox.MkdirTemp(parent, "some-")
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Dir(got) != filepath.Join(dir, "real", "tmp") || !strings.HasPrefix(filepath.Base(got), "some-") {
				t.Errorf("TMPDIR=%s, parent %q: %s", temp, parent, got)
			}
		}
	}
	t.Setenv("TMPDIR", "none")
	if got, err := sandbox.MkdirTemp("", "some-"); err == nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Whatever a program leaves in a directory of its own, and however it leaves this itself, it is removed, and nothing else is.
func TestRemoveAll(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "a file", 0o400)
	mkdir := func(t *testing.T, name string) {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	chmod := func(t *testing.T, name string) {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
	}{
		{"no right to a directory", func(t *testing.T, dir string) { mkdir(t, dir+"/x/y"); chmod(t, dir+"/x") }},
		{"no right to any of them", func(t *testing.T, dir string) {
			mkdir(t, dir+"/x/y/z")
			for _, d := range []string{"/x/y/z", "/x/y", "/x", ""} {
				chmod(t, dir+d)
			}
		}},
		{"no right to read or to go through", func(t *testing.T, dir string) {
			for i, mode := range []os.FileMode{0o100, 0o200, 0o300, 0o400, 0o500, 0o600} {
				d := filepath.Join(dir, string(rune('a'+i)))
				mkdir(t, d+"/x")
				if err := os.Chmod(d, mode); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"no right, and deep", func(t *testing.T, dir string) { mkdir(t, dir+strings.Repeat("/a", 900)); chmod(t, dir+"/a/a") }},
		{"deeper than there can be open files", func(t *testing.T, dir string) {
			var limit unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
				t.Fatal(err)
			}
			few := limit
			few.Cur = 100
			if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
					t.Fatal(err)
				}
			})
			mkdir(t, dir+strings.Repeat("/a", 900))
			write(t, dir+strings.Repeat("/a", 900)+"/file", "", 0o400)
			chmod(t, dir+strings.Repeat("/a", 300))
		}},
		{"links", func(t *testing.T, dir string) {
			mkdir(t, dir+"/x/y")
			for name, to := range map[string]string{"file": outside, "above": filepath.Dir(outside), "self": ".", "none": "none"} {
				if err := os.Symlink(to, filepath.Join(dir, "x", name)); err != nil {
					t.Fatal(err)
				}
			}
			chmod(t, dir+"/x")
		}},
		{"a fifo", func(t *testing.T, dir string) {
			mkdir(t, dir+"/x/y")
			if err := unix.Mkfifo(dir+"/x/y/fifo", 0o600); err != nil {
				t.Fatal(err)
			}
			chmod(t, dir+"/x/y")
		}},
		{"nothing", func(t *testing.T, dir string) {
			if err := os.Remove(dir); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dir")
			mkdir(t, dir)
			c.make(t, dir)
			err := sandbox.RemoveAll(dir)
			if _, statErr := os.Lstat(dir); err != nil || !os.IsNotExist(statErr) {
				t.Errorf("got %v; it is there: %v", err, statErr)
			}
			info, err := os.Stat(outside)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(os.FileMode(0o400), info.Mode()); d != "" {
				t.Error(d)
			}
		})
	}
	if err := sandbox.RemoveAll(""); err != nil {
		t.Error(err)
	}
}

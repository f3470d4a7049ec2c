package verus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	. "github.com/specgate/specgate/internal/verus"
)

func TestPlatform(t *testing.T) {
	var got []string
	for _, p := range []string{"linux/amd64", "darwin/arm64", "darwin/amd64", "windows/amd64", "linux/arm64", "freebsd/amd64"} {
		goos, goarch, _ := strings.Cut(p, "/")
		name, err := Platform(goos, goarch)
		got = append(got, fmt.Sprintf("%s: %s, %v", p, name, err))
	}
	want := []string{
		"linux/amd64: x86-linux, <nil>",
		"darwin/arm64: arm64-macos, <nil>",
		"darwin/amd64: x86-macos, <nil>",
		"windows/amd64: x86-win, <nil>",
		"linux/arm64: , there is no release of Verus for Linux on arm64; build Verus from its sources, and set SPECGATE_VERUS to its executable",
		"freebsd/amd64: , there is no release of Verus for freebsd on amd64; there are releases for Linux, macOS and Windows on x86-64, and for macOS on arm64",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDataDir(t *testing.T) {
	for _, c := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": "/home/you"}, "/home/you/.local/share/specgate"},
		{"linux", map[string]string{"HOME": "/home/you", "XDG_DATA_HOME": "/data"}, "/data/specgate"},
		{"linux", map[string]string{"HOME": "/home/you", "XDG_DATA_HOME": "data"}, "/home/you/.local/share/specgate"},
		{"linux", map[string]string{"XDG_DATA_HOME": "data"}, "there is no directory to install into: HOME is not set to an absolute path; name a directory with --dir"},
		{"darwin", map[string]string{"HOME": "/Users/you"}, "/Users/you/Library/Application Support/specgate"},
		{"windows", map[string]string{"HOME": "/home/you"}, "there is no directory to install into: LocalAppData is not set to an absolute path; name a directory with --dir"},
	} {
		got, err := DataDir(c.goos, func(name string) string { return c.env[name] })
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, %v: got %s, want %s", c.goos, c.env, got, c.want)
		}
	}
}

func TestSolverOf(t *testing.T) {
	for release, want := range map[string]string{
		"0.2025.06.23.283b036": "4.12.5",
		"0.2026.07.29.0000000": "4.12.5",
		"0.2026.07.30.0000000": "",
		"0.2026.08.15.7d4628a": "4.16.0",
		"0.2026.09.27.3cf1832": "4.16.0",
		"0.2026.11.01.0000000": "", // after what was read
		"0.2024.01.02.abcdef0": "",
		"1.2026.08.15.7d4628a": "",
		"":                     "",
		"rolling":              "",
	} {
		if got := SolverOf(release); got != want {
			t.Errorf("%s: got %q, want %q", release, got, want)
		}
	}
}

// TestFindInstalled looks for releases where they are installed: it goes before PATH, and only for the release that is asked for.
func TestFindInstalled(t *testing.T) {
	platform, err := Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		sandboxtest.Verus.Lacks(t, err)
	}
	data := t.TempDir()
	const release = "0.2026.08.15.7d4628a"
	installed := program(t, filepath.Join(InstallDir(data, release, platform), "verus"), version2026)
	onPath := program(t, filepath.Join(data, "path", "verus"), "printf 'Verus\\n  Version: 0.2025.06.23.283b036\\n'\n")
	t.Setenv("PATH", filepath.Dir(onPath)+":"+os.Getenv("PATH"))
	xdg := func(name string) string { return map[string]string{"XDG_DATA_HOME": data}[name] }
	if err := os.Symlink(data, filepath.Join(data, "specgate")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		search Search
		want   string
	}{
		{"by release", Search{Data: data, Release: release}, installed + " by setup verus"},
		{"in the default directory", Search{Getenv: xdg, Release: release}, installed + " by setup verus"},
		{"no release", Search{Data: data}, onPath + " by PATH"},
		{"another release", Search{Data: data, Release: "0.2025.06.23.283b036"}, onPath + " by PATH"},
		{"named", Search{Data: data, Path: installed, Release: release}, installed + " by the path given"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.search.Runner = Sandboxed{}
			if c.search.Getenv == nil {
				c.search.Getenv = func(string) string { return "" }
			}
			v, err := Find(context.Background(), c.search)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Path + " by " + v.FoundBy; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestReadVersion(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ file, text, want string }{
		{"", "", "read the verifier's version: there is neither version.json nor version.txt in DIR: file does not exist"},
		{"version.txt", "0.2025.06.23.283b036\n", "0.2025.06.23.283b036 "},
		{"version.json", `{"verus":{"version":"0.2026.08.15.7d4628a","toolchain":"1.97.1-x86_64-unknown-linux-gnu"}}`, "0.2026.08.15.7d4628a 1.97.1-x86_64-unknown-linux-gnu"},
		{"version.json", `{"verus":{}}`, "read the verifier's version: DIR/version.json names no release"},
	} {
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		v, err := ReadVersion(dir)
		got := v.Release + " " + v.Toolchain
		if err != nil {
			got = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

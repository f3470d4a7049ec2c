package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// write puts files into a directory, by their names there; a name that ends in a slash is a directory.
func write(t *testing.T, dir string, mode os.FileMode, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompiler: which rustc is used, whether somebody named it, and where cargo has what it downloaded, whether it is there or not.
func TestCompiler(t *testing.T) {
	if Compiler("rustc", true) != nil {
		t.Error("there is a compiler though nothing is to be run")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, 0o755, map[string]string{"bin/rustc": "", "bin/mine": "", "empty/": "", "home/.cargo/": "", "homeless/": "", "cargo/": ""})
	write(t, dir, 0o644, map[string]string{"bin/text": ""})
	for _, c := range []struct {
		named, path, home, cargo string
		want                     engine.Compiler
		fails                    string
	}{
		{path: "bin", home: "home", want: engine.Compiler{Path: "DIR/bin/rustc", CargoHome: "DIR/home/.cargo"}},
		{path: "bin", home: "home", cargo: "DIR/cargo", want: engine.Compiler{Path: "DIR/bin/rustc", CargoHome: "DIR/cargo"}},
		{path: "bin", home: "home", cargo: "DIR/nowhere", want: engine.Compiler{Path: "DIR/bin/rustc", CargoHome: "DIR/nowhere"}},
		{path: "bin", home: "home", cargo: "cargo", want: engine.Compiler{Path: "DIR/bin/rustc", CargoHome: "DIR/cargo"}},
		{path: "bin", home: "homeless", want: engine.Compiler{Path: "DIR/bin/rustc", CargoHome: "DIR/homeless/.cargo"}},
		{named: "mine", path: "bin", home: "homeless", want: engine.Compiler{Path: "DIR/bin/mine", Named: true, CargoHome: "DIR/homeless/.cargo"}},
		{named: "DIR/bin/mine", path: "empty", home: "homeless", want: engine.Compiler{Path: "DIR/bin/mine", Named: true, CargoHome: "DIR/homeless/.cargo"}},
		{path: "empty", home: "homeless", fails: "there is no rustc on PATH; install Rust, or name the compiler with --rustc"},
		{named: "DIR/bin/text", path: "bin", home: "homeless", want: engine.Compiler{Named: true},
			fails: `there is no compiler DIR/bin/text: look for the program DIR/bin/text: exec: "DIR/bin/text": permission denied`},
		{named: "other", path: "bin", home: "homeless", want: engine.Compiler{Named: true},
			fails: `there is no compiler other: look for the program other: exec: "other": executable file not found in $PATH`},
	} {
		t.Setenv("PATH", filepath.Join(dir, c.path))
		t.Setenv("HOME", filepath.Join(dir, c.home))
		t.Setenv("CARGO_HOME", strings.Replace(c.cargo, "DIR", dir, 1))
		got, err := Compiler(strings.Replace(c.named, "DIR", dir, 1), false)()
		got.Path, got.CargoHome = strings.Replace(got.Path, dir, "DIR", 1), strings.Replace(got.CargoHome, dir, "DIR", 1)
		fails := ""
		if err != nil {
			fails = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		if diff := cmp.Diff([]any{c.want, c.fails}, []any{got, fails}); diff != "" {
			t.Errorf("named %q, PATH %s, HOME %s, CARGO_HOME %q (-want +got):\n%s", c.named, c.path, c.home, c.cargo, diff)
		}
	}
}

// TestVerifier: none is looked for that neither a path nor a policy names, whatever is on PATH.
func TestVerifier(t *testing.T) {
	dir := t.TempDir()
	const release = "0.2025.06.23.283b036"
	write(t, dir, 0o755, map[string]string{"bin/verus": "#!/bin/sh\necho Verus\necho '  Version: " + release + "'\n", "empty/": "", "home/": ""})
	dir, err := filepath.EvalSymlinks(dir) // the verifier's path is a real one
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"SPECGATE_VERUS", "VERUS_ROOT", "VERUS_Z3_PATH", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	for _, c := range []struct{ path, named, release, want, fails string }{
		{path: "bin"},
		{path: "bin", release: release, want: "DIR/bin/verus by PATH"},
		{path: "empty", named: "DIR/bin", want: "DIR/bin/verus by the path given"},
		{path: "empty", named: "DIR/bin/verus", release: release, want: "DIR/bin/verus by the path given"},
		{path: "empty", release: release, fails: "there is no verifier: verus is not on PATH, and neither SPECGATE_VERUS nor VERUS_ROOT is set; install one with: specgate setup verus, or set SPECGATE_VERUS to its executable"},
		{path: "bin", named: "DIR/empty", fails: "there is no verifier at DIR/empty/verus, which the path given names: stat DIR/empty/verus: no such file or directory; name the executable of Verus, or its directory"},
	} {
		// The script needs a shell's echo, and nothing else of the PATH.
		t.Setenv("PATH", filepath.Join(dir, c.path))
		v, err := Verifier(strings.Replace(c.named, "DIR", dir, 1))(t.Context(), c.release)
		got, fails := "", ""
		if v != nil {
			got = strings.Replace(v.Path, dir, "DIR", 1) + " by " + v.FoundBy
		}
		if err != nil {
			fails = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		if diff := cmp.Diff([]string{c.want, c.fails}, []string{got, fails}); diff != "" {
			t.Errorf("named %q, release %q, PATH %s (-want +got):\n%s", c.named, c.release, c.path, diff)
		}
	}
}

func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []checks.Family
		fails string
	}{
		{nil, nil, ""},
		{[]string{"proof", " trust "}, []checks.Family{checks.Proof, checks.Trust}, ""},
		{[]string{"trust", ""}, nil, `there is no family ""; the families are trust, edit, contract, proof, strength`},
		{[]string{"contracts"}, nil, `there is no family "contracts"; did you mean "contract"?; the families are trust, edit, contract, proof, strength`},
	} {
		got, err := Families(c.words)
		if (err == nil) != (c.fails == "") || err != nil && err.Error() != c.fails {
			t.Errorf("%q: %v, want %q", c.words, err, c.fails)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.words, diff)
		}
	}
}

// TestWrite: each format is another one, and none is written as text for want of a case.
func TestWrite(t *testing.T) {
	report := &checks.Report{Schema: checks.Schema, Outcome: checks.OutcomePass}
	seen := map[string]string{}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, format, report, annotate.Options{Rules: engine.Rules()}, false, 0); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if other, ok := seen[b.String()]; ok || b.Len() == 0 {
			t.Errorf("%s is written as %q: %q", format, other, b.String())
		}
		seen[b.String()] = format
	}
}

// TestWriteFile: a file is there whole or as it was, and what is no file stays what it is.
func TestWriteFile(t *testing.T) {
	fill := func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}
	half := func(w io.Writer) error { return errors.Join(fill(w), errors.New("no more")) }
	for _, c := range []struct {
		name  string
		files map[string]string
		fill  func(io.Writer) error
		want  string
		fails string
	}{
		{"out", nil, fill, "out -rw-r--r-- new", ""},
		{"out", map[string]string{"out": "old"}, fill, "out -rw-r--r-- new", ""},
		{"out", map[string]string{"out": "old"}, half, "out -rw------- old", "write DIR/out: no more"},
		{"out", nil, half, "", "write DIR/out: no more"},
		{"out", map[string]string{"out/": ""}, fill, "out drwxr-xr-x", "write DIR/out: open DIR/out: is a directory"},
		{"no/out", nil, fill, "", "write DIR/no/out: open DIR/no/.specgate-RANDOM: no such file or directory"},
	} {
		dir := t.TempDir()
		write(t, dir, 0o600, c.files)
		fails := ""
		if err := WriteFile(filepath.Join(dir, c.name), c.fill); err != nil {
			fails = strings.ReplaceAll(err.Error(), dir, "DIR")
			if before, after, ok := strings.Cut(fails, ".specgate-"); ok {
				_, after, _ = strings.Cut(after, ":")
				fails = before + ".specgate-RANDOM:" + after
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			text, _ := os.ReadFile(filepath.Join(dir, e.Name())) // a directory has none
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %v %s", e.Name(), info.Mode(), text)))
		}
		if diff := cmp.Diff([]string{c.want, c.fails}, []string{strings.Join(got, "\n"), fails}); diff != "" {
			t.Errorf("%s over %v (-want +got):\n%s", c.name, c.files, diff)
		}
	}

	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, err := os.ReadFile(pipe)
		read <- fmt.Sprint(string(text), err)
	}()
	if err := WriteFile(pipe, fill); err != nil {
		t.Error(err)
	}
	if got := <-read; got != "new<nil>" {
		t.Errorf("the pipe had %s", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}

// TestInTime: the result, what ends a run, and how long after its time is over one is waited for.
func TestInTime(t *testing.T) {
	late := &engine.TimeoutError{After: time.Minute}
	for _, c := range []struct {
		name  string
		limit time.Duration
		run   func() (string, error)
		want  string
		fails string
		takes time.Duration
	}{
		{"no limit", 0, func() (string, error) { time.Sleep(time.Hour); return "done", nil }, "done", "", time.Hour},
		{"in time", time.Minute, func() (string, error) { time.Sleep(time.Second); return "done", nil }, "done", "", time.Second},
		{"an error", time.Minute, func() (string, error) { return "half", errors.New("no more") }, "half", "no more", 0},
		{"in the slack", time.Minute, func() (string, error) { time.Sleep(time.Minute + slack - 1); return "half", late }, "half", late.Error(), time.Minute + slack - 1},
		{"too late", time.Minute, func() (string, error) { time.Sleep(time.Hour); return "done", nil }, "", late.Error(), time.Minute + slack},
		{"a panic", time.Minute, func() (string, error) { panic("oh") }, "",
			"internal error of specgate, please report it with the change that brings it about: oh", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			got, err := InTime(c.limit, c.run)
			fails := ""
			if err != nil {
				fails, _, _ = strings.Cut(err.Error(), "\n") // the stack is below
			}
			if diff := cmp.Diff([]any{c.want, c.fails, c.takes}, []any{got, fails, time.Since(start)}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
			time.Sleep(time.Hour) // until all has ended
		})
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		outcome     checks.Outcome
		waved, fail int
	}{
		{checks.OutcomePass, 0, 0},
		{checks.OutcomeFindings, 1, 1},
		{checks.OutcomeInconclusive, 0, 3},
		{checks.OutcomeError, 3, 3},
	} {
		if got := [2]int{ExitCode(c.outcome, false), ExitCode(c.outcome, true)}; got != [2]int{c.waved, c.fail} {
			t.Errorf("%v: %v", c.outcome, got)
		}
	}
}

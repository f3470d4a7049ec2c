package verus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	. "github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// altering is a runner that alters what the verifier prints; calls of cargo itself are left as they are.
type altering struct {
	Runner
	alter func(sandbox.Command, *sandbox.Result) error
	runs  int
}

func (a *altering) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	res, err := a.Runner.Run(ctx, c)
	if c.Name == "cargo" {
		return res, err
	}
	a.runs++
	var exit *sandbox.ExitError
	if a.alter == nil || err != nil && !errors.As(err, &exit) {
		return res, err
	}
	if e := a.alter(c, &res); e != nil {
		return res, e
	}
	return res, err
}

const toolchain = "1.85.0-x86_64-unknown-linux-gnu"

var installedFiles = map[string]string{"verus": "\x7fELF verus", "cargo-verus": "\x7fELF cargo-verus", "rust_verify": "\x7fELF rust_verify", "z3": "\x7fELF z3", "vstd.vir": "vstd", "vstd/vstd.rs": "source"}

// installation is a directory with files like those of a release: what they say comes from recordings.
func installation(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range installedFiles {
		writeFile(t, filepath.Join(dir, name), text, 0o755)
	}
	return dir
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

func known(dir string, version Version, runner Runner) *Verifier {
	return Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), filepath.Join(dir, "z3"), version, runner)
}

// noPrograms keeps rustup and cargo from being found, so that they are not read again and again.
func noPrograms(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
}

func store(t *testing.T) *cache.Store { return storeAt(t, t.TempDir()) }

func storeAt(t *testing.T, dir string) *cache.Store {
	t.Helper()
	s, err := cache.Open(dir, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func answers(t *testing.T, s *cache.Store, v *Verifier) *Answers {
	t.Helper()
	a, err := NewAnswers(s, v)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func treeOf(files map[string]string) *Tree {
	tree := &Tree{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		tree.Add(WorkFile{Path: name, Data: []byte(files[name]), Mode: WorkPlain})
	}
	return tree
}

// found is what is known of a tree, or "nothing".
func found(t *testing.T, a *Answers, files map[string]string, j Job) string {
	t.Helper()
	r, err := a.Find(context.Background(), treeOf(files), j)
	if err != nil {
		t.Fatal(err)
	}
	if r == nil {
		return "nothing"
	}
	return show(r, files, functions(t, files))
}

// keep verifies a tree and has the answer kept. It gives the run, and why it was not kept.
func keep(t *testing.T, a *Answers, files map[string]string, j Job) (run, why string) {
	t.Helper()
	r, note, err := a.Verify(context.Background(), work(t, files), treeOf(files), j, true)
	if err != nil {
		t.Fatal(err)
	}
	var not *NotKept
	if errors.As(note, &not) {
		why = not.Why
	} else if note != nil {
		t.Fatal(note)
	}
	return show(r, files, functions(t, files)), why
}

// sample is one side of a sample change with the runner that plays what the verifier said of it.
func sample(t *testing.T, name string) (map[string]string, *verustest.Replay) {
	t.Helper()
	rec, err := verustest.ReadRecording("testdata/diagnostics/" + name + ".verus.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/diagnostics/" + name + ".rs")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{name + ".rs": string(text)}
	replay := verustest.NewReplay(t)
	replay.Add(rec, files)
	return files, replay
}

var version = Version{Release: recordedBy, Toolchain: toolchain}

// TestAnswers: what is kept is read as the run was, also where the verifier names files by their whole path.
func TestAnswers(t *testing.T) {
	noPrograms(t)
	for _, name := range []string{"arithmetic", "postcondition", "rlimit"} {
		for _, absolute := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", absolute), func(t *testing.T) {
				files, replay := sample(t, name)
				runner := &altering{Runner: replay, alter: func(c sandbox.Command, res *sandbox.Result) error {
					if absolute {
						res.Stderr = bytes.ReplaceAll(res.Stderr, []byte(`"`+name+`.rs"`), []byte(`"`+c.Dir+"/"+name+`.rs"`))
					}
					return nil
				}}
				dir, kept := installation(t), t.TempDir()
				a := answers(t, storeAt(t, kept), known(dir, version, runner))
				j := Job{Roots: []string{name + ".rs"}, Options: options}
				if got := found(t, a, files, j); got != "nothing" {
					t.Errorf("before: %s", got)
				}
				want, why := keep(t, a, files, j)
				if why != "" {
					t.Fatal(why)
				}
				if diff := cmp.Diff(want, found(t, a, files, j)); diff != "" {
					t.Errorf("(-run +kept):\n%s", diff)
				}
				// By another process, with another limit of time.
				j.Options.Timeout += time.Second
				again := answers(t, storeAt(t, kept), known(dir, version, replay))
				if diff := cmp.Diff(want, found(t, again, files, j)); diff != "" {
					t.Errorf("(-run +kept):\n%s", diff)
				}
				files["other.txt"] = "x"
				if got := found(t, a, files, j); got != "nothing" {
					t.Errorf("another tree: %s", got)
				}
				if runner.runs != 1 {
					t.Errorf("%d runs", runner.runs)
				}
			})
		}
	}
}

// TestProtections: a kept answer tells what the run that gave it was kept from, as that did.
func TestProtections(t *testing.T) {
	noPrograms(t)
	files, replay := sample(t, "arithmetic")
	want := []sandbox.Protection{{Name: "network", On: true, Detail: "no network"}, {Name: "processes", Detail: "not here"}}
	runner := &altering{Runner: replay, alter: func(_ sandbox.Command, res *sandbox.Result) error {
		res.Protections = want
		return nil
	}}
	a := answers(t, store(t), known(installation(t), version, runner))
	j := Job{Roots: []string{"arithmetic.rs"}, Options: options}
	if _, why := keep(t, a, files, j); why != "" {
		t.Fatal(why)
	}
	r, err := a.Find(t.Context(), treeOf(files), j)
	if err != nil || r == nil {
		t.Fatal(r, err)
	}
	if diff := cmp.Diff(want, r.Protections); diff != "" {
		t.Errorf("(-run +kept):\n%s", diff)
	}
}

// TestSaid: what was made of an answer is for the same program, about the same tree and words. What the verifier printed is for all.
func TestSaid(t *testing.T) {
	noPrograms(t)
	files, replay := sample(t, "arithmetic")
	s, v := store(t), known(installation(t), version, replay)
	by := func(words ...string) *Answers {
		a, err := NewAnswers(s, v, words...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	j := Job{Roots: []string{"arithmetic.rs"}, Options: options}
	tree := treeOf(files)
	if err := by("1.0.0", "hash").Note(t.Context(), []byte("proved"), tree, j, "a question"); err != nil {
		t.Fatal(err)
	}
	other := Job{Roots: []string{"other.rs"}, Options: options}
	for _, c := range []struct {
		name string
		a    *Answers
		job  Job
		word string
		want bool
	}{
		{"the same", by("1.0.0", "hash"), j, "a question", true},
		{"another store beside", by("1.0.0", "hash").With(store(t), s), j, "a question", true},
		{"another version", by("1.0.1", "hash"), j, "a question", false},
		{"another program of the version", by("1.0.0", "mash"), j, "a question", false},
		{"words that run together", by("1.0.0hash"), j, "a question", false},
		{"no program", by(), j, "a question", false},
		{"another question", by("1.0.0", "hash"), j, "a quest", false},
		{"about something else", by("1.0.0", "hash"), other, "a question", false},
	} {
		data, ok, err := c.a.Said(tree, c.job, c.word)
		if err != nil || ok != c.want || ok && string(data) != "proved" {
			t.Errorf("%s: %q, %t, %v", c.name, data, ok, err)
		}
		if got, want := c.a.Key(tree, c.job) == by("1.0.0", "hash").Key(tree, j), c.job.Roots[0] == j.Roots[0]; got != want {
			t.Errorf("%s: the key of what the verifier printed is the same: %t", c.name, got)
		}
	}
}

// TestKey: all that an answer depends on makes another key, and nothing else does.
func TestKey(t *testing.T) {
	noPrograms(t)
	t.Setenv("CARGO_HOME", t.TempDir())
	type state struct {
		files      map[string]string
		executable bool
		dir        string
		version    Version
		job        Job
		solver     string
	}
	base := func(t *testing.T) state {
		return state{files: map[string]string{"src/lib.rs": "a", "Cargo.toml": "b"}, dir: installation(t), version: version,
			job: Job{Manifest: "Cargo.toml", Options: Options{Args: []string{"--rlimit", "20"}, Packages: []string{"p"}, Timeout: time.Minute}}}
	}
	shared := base(t)
	keyOf := func(t *testing.T, s state) cache.Key {
		t.Helper()
		v := known(s.dir, s.version, nil)
		if s.solver != "" {
			v.Solver = s.solver
		}
		a := answers(t, store(t), v)
		tree := treeOf(s.files)
		if s.executable {
			tree = &Tree{}
			for name, text := range s.files {
				tree.Add(WorkFile{Path: name, Data: []byte(text), Mode: WorkExecutable})
			}
		}
		return a.Key(tree, s.job)
	}
	seen := map[cache.Key]string{keyOf(t, shared): "as it is"}
	for name, change := range map[string]func(t *testing.T, s *state){
		"a file's text":           func(_ *testing.T, s *state) { s.files["src/lib.rs"] = "b" },
		"a file's name":           func(_ *testing.T, s *state) { delete(s.files, "src/lib.rs"); s.files["src/main.rs"] = "a" },
		"one more file":           func(_ *testing.T, s *state) { s.files["README"] = "" },
		"a file less":             func(_ *testing.T, s *state) { delete(s.files, "Cargo.toml") },
		"text in another file":    func(_ *testing.T, s *state) { s.files["src/lib.rs"], s.files["Cargo.toml"] = "b", "a" },
		"a file's mode":           func(_ *testing.T, s *state) { s.executable = true },
		"the manifest":            func(_ *testing.T, s *state) { s.job.Manifest = "x/Cargo.toml" },
		"the roots":               func(_ *testing.T, s *state) { s.job.Roots = []string{"src/lib.rs"} },
		"other roots":             func(_ *testing.T, s *state) { s.job.Roots = []string{"src/main.rs"} },
		"roots in another order":  func(_ *testing.T, s *state) { s.job.Roots = []string{"b.rs", "a.rs"} },
		"roots in an order":       func(_ *testing.T, s *state) { s.job.Roots = []string{"a.rs", "b.rs"} },
		"the arguments":           func(_ *testing.T, s *state) { s.job.Options.Args = []string{"--rlimit", "2", "0"} },
		"no arguments":            func(_ *testing.T, s *state) { s.job.Options.Args = nil },
		"the packages":            func(_ *testing.T, s *state) { s.job.Options.Packages = nil },
		"offline":                 func(_ *testing.T, s *state) { s.job.Options.Offline = true },
		"the release":             func(_ *testing.T, s *state) { s.version.Release = "0.2026.08.15.7d4628a" },
		"the profile":             func(_ *testing.T, s *state) { s.version.Profile = "debug" },
		"the platform":            func(_ *testing.T, s *state) { s.version.Arch = "aarch64" },
		"the toolchain":           func(_ *testing.T, s *state) { s.version.Toolchain = "1.86.0-x86_64-unknown-linux-gnu" },
		"the commit":              func(_ *testing.T, s *state) { s.version.Commit = "1" },
		"another installation":    func(t *testing.T, s *state) { s.dir = installation(t) },
		"another solver":          func(t *testing.T, s *state) { s.solver = filepath.Join(installation(t), "z3") },
		"the search path":         func(t *testing.T, _ *state) { t.Setenv("PATH", os.Getenv("PATH")+":/nowhere") },
		"the home directory":      func(t *testing.T, _ *state) { t.Setenv("HOME", t.TempDir()) },
		"the temporary directory": func(t *testing.T, _ *state) { t.Setenv("TMPDIR", t.TempDir()) },
		"rustup's directory":      func(t *testing.T, _ *state) { t.Setenv("RUSTUP_HOME", t.TempDir()) },
		"cargo's directory":       func(t *testing.T, _ *state) { t.Setenv("CARGO_HOME", t.TempDir()) },
		"a proxy":                 func(t *testing.T, _ *state) { t.Setenv("HTTPS_PROXY", "http://proxy") },
		"cargo's settings":        func(t *testing.T, _ *state) { cargoSetting(t, "config.toml", "x") },
		"cargo's other settings":  func(t *testing.T, _ *state) { cargoSetting(t, "config", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			s := shared
			s.files, s.job.Options.Args = maps.Clone(shared.files), slices.Clone(shared.job.Options.Args)
			change(t, &s)
			k := keyOf(t, s)
			if other, ok := seen[k]; ok {
				t.Errorf("the key is that of %q", other)
			}
			seen[k] = name
		})
	}
	for name := range installedFiles {
		t.Run("the installed "+name, func(t *testing.T) {
			full := filepath.Join(shared.dir, name)
			writeFile(t, full, "\x7fELF another", 0o755)
			k := keyOf(t, shared)
			if other, ok := seen[k]; ok {
				t.Errorf("the key is that of %q", other)
			}
			seen[k] = name
			writeFile(t, full, installedFiles[name], 0o755)
			if k := keyOf(t, shared); seen[k] != "as it is" {
				t.Errorf("once it is as it was, the key is that of %q", seen[k])
			}
		})
	}
	// Neither does the time limit, nor when the files of the installation were written.
	s := shared
	s.job.Options.Timeout = time.Hour
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(shared.dir, "verus"), at, at); err != nil {
		t.Fatal(err)
	}
	if k := keyOf(t, s); seen[k] != "as it is" {
		t.Errorf("the time limit makes the key that of %q", seen[k])
	}
	if len(seen) < 36 {
		t.Errorf("only %d keys", len(seen))
	}
}

func cargoSetting(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(os.Getenv("CARGO_HOME"), name)
	writeFile(t, full, text, 0o600)
	t.Cleanup(func() {
		if err := os.Remove(full); err != nil {
			t.Error(err)
		}
	})
}

// TestProgramsInPath: the programs that start the toolchain are known by their bytes.
func TestProgramsInPath(t *testing.T) {
	dir, bin := installation(t), t.TempDir()
	t.Setenv("PATH", bin)
	seen := map[cache.Key]string{}
	for _, name := range []string{"none", "cargo", "rustup", "rustc"} {
		for _, text := range []string{"\x7fELF one", "\x7fELF two"} {
			if name != "none" {
				writeFile(t, filepath.Join(bin, name), text, 0o755)
			} else if text != "\x7fELF one" {
				continue
			}
			k := answers(t, store(t), known(dir, version, nil)).Key(&Tree{}, Job{Manifest: "Cargo.toml"})
			if other, ok := seen[k]; ok {
				t.Errorf("%s %q has the key of %s", name, text, other)
			}
			seen[k] = name + text
		}
		if err := os.RemoveAll(filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnknownInstallation: of a verifier that is not known whole nothing is kept.
func TestUnknownInstallation(t *testing.T) {
	noPrograms(t)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string, v *Version)
		want   string
	}{
		{"script", func(t *testing.T, dir string, _ *Version) {
			writeFile(t, filepath.Join(dir, "z3"), "#!/bin/sh\n", 0o755)
		},
			"DIR/z3 is a script, or cannot be read, so it is not known what it starts"},
		{"cargo-verus is a script", func(t *testing.T, dir string, _ *Version) {
			writeFile(t, filepath.Join(dir, "cargo-verus"), "#!/bin/sh\n", 0o755)
		},
			"DIR/cargo-verus is a script, or cannot be read, so it is not known what it starts"},
		{"no toolchain", func(_ *testing.T, _ string, v *Version) { v.Toolchain = "" }, `the toolchain "" is not the name of a release of Rust`},
		{"own toolchain", func(_ *testing.T, _ string, v *Version) { v.Toolchain = "mine" }, `the toolchain "mine" is not the name of a release of Rust`},
		{"moving toolchain", func(_ *testing.T, _ string, v *Version) { v.Toolchain = "nightly-x86_64-unknown-linux-gnu" },
			`the toolchain "nightly-x86_64-unknown-linux-gnu" is not the name of a release of Rust`},
		{"link to a directory", func(t *testing.T, dir string, _ *Version) {
			if err := os.Symlink("/", filepath.Join(dir, "deps")); err != nil {
				t.Fatal(err)
			}
		}, "read the installation of the verifier: DIR/deps is no plain file"},
		{"broken link", func(t *testing.T, dir string, _ *Version) {
			if err := os.Symlink("nothing", filepath.Join(dir, "deps")); err != nil {
				t.Fatal(err)
			}
		}, "read the installation of the verifier: stat DIR/deps: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, v := installation(t), version
			c.change(t, dir, &v)
			_, err := NewAnswers(store(t), known(dir, v, nil))
			if want := "keep what the verifier says: " + strings.ReplaceAll(c.want, "DIR", dir); err == nil || err.Error() != want {
				t.Errorf("%v\nwant %s", err, want)
			}
		})
	}
}

// TestNotKept: an answer that may be another one next time is given and not kept.
func TestNotKept(t *testing.T) {
	noPrograms(t)
	stdout := func(old, new string) func(sandbox.Command, *sandbox.Result) error {
		return func(_ sandbox.Command, r *sandbox.Result) error {
			if !bytes.Contains(r.Stdout, []byte(old)) {
				return fmt.Errorf("the recording does not say %s", old)
			}
			r.Stdout = bytes.ReplaceAll(r.Stdout, []byte(old), []byte(new))
			return nil
		}
	}
	stderr := func(text string) func(sandbox.Command, *sandbox.Result) error {
		return func(c sandbox.Command, r *sandbox.Result) error {
			r.Stderr = append(r.Stderr, strings.ReplaceAll(text, "ROOT", c.Dir)...)
			return nil
		}
	}
	ended := func(err error) func(sandbox.Command, *sandbox.Result) error {
		return func(_ sandbox.Command, r *sandbox.Result) error { r.ExitCode = -1; return err }
	}
	status := func(n int, text string) func(sandbox.Command, *sandbox.Result) error {
		return func(_ sandbox.Command, r *sandbox.Result) error {
			r.Stdout, r.Stderr, r.ExitCode = nil, []byte(text), n
			return &sandbox.ExitError{Name: "verus", ExitCode: n}
		}
	}
	for _, c := range []struct {
		name  string
		alter func(sandbox.Command, *sandbox.Result) error
		args  []string
		why   string
	}{
		{name: "whole"},
		{name: "time limit", alter: ended(fmt.Errorf("run verus: %w: 1m0s", sandbox.ErrWallLimit)), why: "run verus: wall-clock limit reached: 1m0s"},
		{name: "killed", alter: ended(&sandbox.ExitError{Name: "verus", ExitCode: -1, Signal: "killed"}), why: "verus was ended by signal: killed"},
		{name: "too much output", alter: ended(fmt.Errorf("run verus: %w", sandbox.ErrOutputLimit)), why: "run verus: output limit reached"},
		{name: "output held", alter: ended(fmt.Errorf("run verus: %w", sandbox.ErrOutputHeld)), why: "run verus: a process left behind keeps the output open"},
		{name: "cut", alter: func(_ sandbox.Command, r *sandbox.Result) error { r.Stdout = r.Stdout[:len(r.Stdout)/2]; return nil },
			why: "what the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON"},
		{name: "silent", alter: func(_ sandbox.Command, r *sandbox.Result) error { r.Stdout, r.Stderr = nil, nil; return nil },
			why: "the verifier printed no summary for assertion"},
		{name: "crash", alter: status(101, "thread 'rustc' panicked at x.rs:1:1\n"), why: "the verifier crashed: thread 'rustc' panicked at x.rs:1:1"},
		{name: "options", alter: status(255, "error: no such option\n"), why: "the verifier did not accept its options: error: no such option"},
		{name: "installation", alter: status(128, "no toolchain\n"), why: "the installation of the verifier is not complete: no toolchain"},
		{name: "full disk", alter: stderr(`{"$message_type":"diagnostic","message":"could not write x: No space left on device","code":null,"level":"error","spans":[],"children":[]}` + "\n"),
			why: "there is no room for what is built: No space left on device"},
		{name: "two summaries", alter: func(_ sandbox.Command, r *sandbox.Result) error { r.Stdout = append(r.Stdout, r.Stdout...); return nil },
			why: "there are 2 summaries of the verifier for assertion: something else wrote to its output"},
		{name: "unexplained error", alter: func(_ sandbox.Command, r *sandbox.Result) error { r.Stderr = nil; return nil },
			why: "the verifier reports errors in assertion and did not print them"},
		{name: "partial", alter: stdout(`"is-verifying-entire-crate": true`, `"is-verifying-entire-crate": false`)},
		{name: "its directory", alter: stderr("see ROOT/assertion.rs\n")},
		{name: "its directory in part", alter: func(c sandbox.Command, r *sandbox.Result) error {
			r.Stderr = append(r.Stderr, filepath.Base(filepath.Dir(c.Dir))+"\n"...)
			return nil
		}, why: "it names the directory that it ran in, in a way that cannot be replaced"},
		{name: "what its directory is replaced with", alter: stderr("/specgate.cached/tree/assertion.rs\n"),
			why: "it names the directory that it ran in, in a way that cannot be replaced"},
		{name: "an argument with a path", args: []string{"--extern=x=/lib/x.rlib"}, why: `the argument "--extern=x=/lib/x.rlib" may name a file or program outside the tree`},
		{name: "an argument with a file of arguments", args: []string{"@args"}, why: `the argument "@args" may name a file or program outside the tree`},
		{name: "another solver", args: []string{"-V", "cvc5"}, why: `the argument "cvc5" may name a file or program outside the tree`},
		{name: "an argument", args: []string{"--rlimit", "20"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, replay := sample(t, "assertion")
			runner := &altering{Runner: replay, alter: c.alter}
			if len(c.args) > 0 {
				runner.Runner = withoutArgs{replay, c.args}
			}
			a := answers(t, store(t), known(installation(t), version, runner))
			j := Job{Roots: []string{"assertion.rs"}, Options: options}
			j.Options.Args = c.args
			run, why := keep(t, a, files, j)
			if why != c.why {
				t.Errorf("not kept: %q\nwant %q", why, c.why)
			}
			want := "nothing"
			if c.why == "" {
				want = run
			}
			got := found(t, a, files, j)
			if c.name == "its directory" { // each names its own
				got, want = dropStray(got), dropStray(want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +kept):\n%s", diff)
			}
		})
	}
}

func dropStray(s string) string {
	lines := slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return strings.HasPrefix(l, "stray: ") })
	return strings.Join(lines, "\n")
}

// withoutArgs asks a Replay that has a recording without some arguments.
type withoutArgs struct {
	Runner
	args []string
}

func (w withoutArgs) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	c.Args = slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool { return slices.Contains(w.args, a) })
	return w.Runner.Run(ctx, c)
}

// TestChangedInstallation: when the verifier changes while it runs, nobody knows which one answered.
func TestChangedInstallation(t *testing.T) {
	noPrograms(t)
	files, replay := sample(t, "assertion")
	dir := installation(t)
	runner := &altering{Runner: replay, alter: func(sandbox.Command, *sandbox.Result) error {
		writeFile(t, filepath.Join(dir, "vstd.vir"), "another", 0o755)
		return nil
	}}
	a := answers(t, store(t), known(dir, version, runner))
	_, why := keep(t, a, files, Job{Roots: []string{"assertion.rs"}, Options: options})
	if want := "the installation of the verifier, or the settings of cargo, changed meanwhile"; why != want {
		t.Errorf("not kept: %q, want %q", why, want)
	}
}

// TestForgedEntry: an entry is used only for the very calls that this specgate makes.
func TestForgedEntry(t *testing.T) {
	noPrograms(t)
	files, replay := sample(t, "assertion")
	s := store(t)
	a := answers(t, s, known(installation(t), version, replay))
	j := Job{Roots: []string{"assertion.rs"}, Options: options}
	if _, why := keep(t, a, files, j); why != "" {
		t.Fatal(why)
	}
	k := a.Key(treeOf(files), j)
	good, ok, err := s.Get(k)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := found(t, a, files, j); got == "nothing" {
		t.Fatal("the entry is not used as it is")
	}
	var e map[string]any
	for name, change := range map[string]func(call map[string]any){
		"format":    func(map[string]any) { e["format"] = "specgate verus answers 0" },
		"program":   func(c map[string]any) { c["name"] = "/bin/true" },
		"arguments": func(c map[string]any) { c["args"] = append(c["args"].([]any), "--no-verify") },
		"directory": func(c map[string]any) { c["dir"] = "/tmp" },
		"variables": func(c map[string]any) { c["env"] = []any{} },
		"isolation": func(c map[string]any) { c["isolated"] = "{}" },
		"no calls":  func(map[string]any) { e["calls"] = []any{} },
		"one more call": func(c map[string]any) {
			e["calls"] = []any{c, c}
		},
		"no entry": func(map[string]any) { e = map[string]any{} },
	} {
		if err := json.Unmarshal(good, &e); err != nil {
			t.Fatal(err)
		}
		change(e["calls"].([]any)[0].(map[string]any))
		forged, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put(context.Background(), k, forged); err != nil {
			t.Fatal(err)
		}
		if got := found(t, a, files, j); got != "nothing" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := s.Put(context.Background(), k, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if got := found(t, a, files, j); got != "nothing" {
		t.Errorf("no JSON: %s", got)
	}
}

// TestOpenSources: an answer about sources that may read files outside the tree is not kept.
func TestOpenSources(t *testing.T) {
	noPrograms(t)
	for _, c := range []struct{ name, text, why string }{
		{"nothing of the kind", "fn path() { let include_me = \"include\"; } // include!(\"/etc/passwd\")\n", ""},
		{"a file beside it", "const A: &str = include_str!(\"data.txt\");\n", ""},
		{"a file above it in the tree", "const A: &[u8] = include_bytes!(\"../data.txt\");\n", ""},
		{"a source of the tree", "include!(\"other.rs\");\n", ""},
		{"a module of the tree", "#[path = \"other.rs\"] mod m;\n", ""},
		{"an assignment", "fn f() { let path = g(\"/x\"); path = \"\"; h.path = h; }\n", "src/lib.rs:1:30: path may name a file outside the tree"},
		{"a name", "fn f() { let path = other; }\n", ""},
		{"a file above the tree", "const A: &str = include_str!(\"../../data.txt\");\n", "src/lib.rs:1:17: include_str may read a file outside the tree"},
		{"an absolute file", "const A: &str = include_str!(\"/etc/passwd\");\n", "src/lib.rs:1:17: include_str may read a file outside the tree"},
		{"a file that is not there", "include!(\"missing.rs\");\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"no source", "include!(\"data.txt\");\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"escapes", "include!(\"\\x2fetc/passwd\");\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"a raw string", "include!(r\"/etc/passwd\");\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"put together", "include!(concat!(\"/etc/\", \"passwd\"));\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"more behind it", "include!(\"other.rs\" + x);\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"under another name", "use core::include as i; i!(\"/etc/passwd\");\n", "src/lib.rs:1:11: include may read a file outside the tree"},
		{"under a raw name", "r#include!(\"/etc/passwd\");\n", "src/lib.rs:1:1: include may read a file outside the tree"},
		{"handed to a macro", "macro_rules! m { ($x:ident) => { $x!(\"/etc/passwd\"); } }\nm!(include);\n", "src/lib.rs:2:4: include may read a file outside the tree"},
		{"in a macro", "macro_rules! m { ($x:expr) => { include_str!($x) } }\n", "src/lib.rs:1:33: include_str may read a file outside the tree"},
		{"a module elsewhere", "#[path = \"/etc/x.rs\"] mod m;\n", "src/lib.rs:1:3: path may name a file outside the tree"},
		{"a module above the tree", "#[path=\"../../x.rs\"] mod m;\n", "src/lib.rs:1:3: path may name a file outside the tree"},
		{"a module on a condition", "#[cfg_attr(all(), path = \"/etc/x.rs\")] mod m;\n", "src/lib.rs:1:19: path may name a file outside the tree"},
		{"a module by a macro", "#[path = concat!(\"/etc/\", \"x.rs\")] mod m;\n", "src/lib.rs:1:3: path may name a file outside the tree"},
		{"an attribute in a macro", "macro_rules! m { ($p:literal) => { #[path = $p] mod m; } }\n", "src/lib.rs:1:36: a macro makes this attribute, which may name a file outside the tree"},
		{"an attribute of a macro", "macro_rules! m { ($a:ident $p:literal) => { #[$a = $p] mod m; } }\nm!(path \"/etc/x.rs\");\n",
			"src/lib.rs:1:45: a macro makes this attribute, which may name a file outside the tree"},
		{"an attribute of tokens", "macro_rules! m { ($($t:tt)*) => { #[$($t)*] mod m; } }\n", "src/lib.rs:1:35: a macro makes this attribute, which may name a file outside the tree"},
		{"a condition in a macro", "macro_rules! m { ($a:ident) => { #[cfg_attr(all(), $a = \"/x\")] mod m; } }\n",
			"src/lib.rs:1:34: a macro makes this attribute, which may name a file outside the tree"},
		{"whole attributes", "macro_rules! m { ($(#[$a:meta])* $n:ident) => { $(#[$a])* mod $n {} } }\n", ""},
		{"other attributes", "macro_rules! m { ($n:ident) => { #[derive($n)] struct S; } }\n", ""},
		{"not understood", "include!(\"other.rs\"); fn (\n", "src/lib.rs:1:26: what this reads is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, _ := sample(t, "assertion")
			files["src/lib.rs"], files["src/other.rs"], files["src/data.txt"], files["data.txt"] = c.text, "", "", ""
			replay := verustest.NewReplay(t)
			rec, err := verustest.ReadRecording("testdata/diagnostics/assertion.verus.json")
			if err != nil {
				t.Fatal(err)
			}
			replay.Add(rec, files)
			a := answers(t, store(t), known(installation(t), version, replay))
			_, why := keep(t, a, files, Job{Roots: []string{"assertion.rs"}, Options: options})
			if why != c.why {
				t.Errorf("not kept: %q\nwant %q", why, c.why)
			}
		})
	}
}

// locked is the recorded workspace with stubs of the verifier's libraries in it, and the lock that cargo makes.
func locked(t *testing.T, change func(files map[string]string)) map[string]string {
	t.Helper()
	files := readFiles(t, "testdata/workspace/src")
	for name, text := range files {
		files[name] = strings.ReplaceAll(text, "/deps/verus/", "../deps/")
	}
	for _, name := range []string{"vstd", "builtin", "builtin_macros"} {
		files["deps/"+name+"/Cargo.toml"] = "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
		files["deps/"+name+"/src/lib.rs"] = ""
	}
	if change != nil {
		change(files)
	}
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text, 0o644)
	}
	c := exec.Command(sandboxtest.Oracle.Program(t, "cargo"), "generate-lockfile", "--offline")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lock, err := os.ReadFile(filepath.Join(dir, "Cargo.lock"))
	if err != nil {
		t.Fatal(err)
	}
	files["Cargo.lock"] = string(lock)
	return files
}

// TestAnswersOfWorkspaces: of a workspace the answer is kept when the tree and its lock decide it.
func TestAnswersOfWorkspaces(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "Cargo.toml"), "[package]\nname = \"vstd\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", 0o644)
	writeFile(t, filepath.Join(outside, "src/lib.rs"), "", 0o644)
	notFresh := func(c sandbox.Command, r *sandbox.Result) error {
		r.Stdout = bytes.ReplaceAll(r.Stdout, []byte(`"fresh":true`), []byte(`"fresh":false`))
		r.Stdout = bytes.ReplaceAll(r.Stdout, []byte("/ws/"), []byte(c.Dir+"/"))
		return nil
	}
	for _, c := range []struct {
		name   string
		change func(files map[string]string)
		// after is what is done to the tree once the lock is made.
		after func(files map[string]string)
		alter func(sandbox.Command, *sandbox.Result) error
		why   string
	}{
		{name: "closed", alter: notFresh},
		{name: "built before", why: "a part of it was built before"},
		{name: "no lock", alter: notFresh, after: func(f map[string]string) { delete(f, "Cargo.lock") }, why: "without Cargo.lock the answer depends on what registries have"},
		{name: "a lock that is no TOML", alter: notFresh, after: func(f map[string]string) { f["Cargo.lock"] = "[[package]]\nname = 3\n" }, why: "Cargo.lock:2:1: read package.name: it must be a string"},
		{name: "a lock that cargo changed", alter: func(c sandbox.Command, r *sandbox.Result) error {
			return errors.Join(notFresh(c, r), os.WriteFile(filepath.Join(c.Dir, "Cargo.lock"), []byte("version = 4\n"), 0o644))
		}, why: "Cargo.lock is not up to date, so that the answer depends on what registries have"},
		{name: "a dependency of a registry", alter: notFresh, after: func(f map[string]string) {
			f["Cargo.lock"] += "\n[[package]]\nname = \"quote\"\nversion = \"1.0.0\"\nsource = \"registry+https://example.com\"\nchecksum = \"00\"\n"
		}},
		{name: "a dependency without a checksum", alter: notFresh, after: func(f map[string]string) {
			f["Cargo.lock"] += "\n[[package]]\nname = \"quote\"\nversion = \"1.0.0\"\nsource = \"registry+https://example.com\"\n"
		}, why: "Cargo.lock does not say what is in the dependency quote"},
		{name: "a dependency of a repository", alter: notFresh, after: func(f map[string]string) {
			f["Cargo.lock"] += "\n[[package]]\nname = \"quote\"\nversion = \"1.0.0\"\nsource = \"git+https://example.com/quote#0123\"\n"
		}},
		{name: "a dependency outside the tree", alter: notFresh, change: func(f map[string]string) {
			for _, name := range []string{"app", "queue"} {
				f[name+"/Cargo.toml"] = strings.Replace(f[name+"/Cargo.toml"], "../deps/vstd", outside, 1)
			}
			delete(f, "deps/vstd/Cargo.toml")
		}, why: "the dependency vstd is found by its path, outside the workspace"},
		{name: "a build script", alter: notFresh, change: func(f map[string]string) { f["plain/build.rs"] = "fn main() {}\n" },
			why: "the package plain runs code while it is built, which may read anything"},
		{name: "a procedural macro", alter: notFresh, change: func(f map[string]string) { f["deps/builtin_macros/Cargo.toml"] += "[lib]\nproc-macro = true\n" },
			why: "the package builtin_macros runs code while it is built, which may read anything"},
		{name: "a source outside the tree", alter: notFresh, change: func(f map[string]string) { f["plain/Cargo.toml"] += "[lib]\npath = \"" + outside + "/src/lib.rs\"\n" },
			why: "the package plain has a source outside the tree, or one that does not end in .rs"},
		{name: "a source of another name", alter: notFresh, change: func(f map[string]string) {
			f["plain/Cargo.toml"] += "[lib]\npath = \"lib.txt\"\n"
			f["plain/lib.txt"] = ""
		}, why: "the package plain has a source outside the tree, or one that does not end in .rs"},
		{name: "settings of cargo", alter: notFresh, change: func(f map[string]string) { f[".cargo/config.toml"] = "" },
			why: ".cargo/config.toml may name programs and files outside the tree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := locked(t, c.change)
			if c.after != nil {
				c.after(files)
			}
			tree, w := &Tree{}, work(t, nil)
			for name, text := range files {
				f := WorkFile{Path: name, Data: []byte(text), Mode: WorkPlain, Trusted: true}
				tree.Add(f)
				if err := w.Add(f); err != nil {
					t.Fatal(err)
				}
			}
			rec, err := verustest.ReadRecording("testdata/workspace/ok-json.json")
			if err != nil {
				t.Fatal(err)
			}
			replay := verustest.NewReplay(t)
			replay.Add(rec, files)
			a := answers(t, store(t), known(installation(t), version, &altering{Runner: replay, alter: c.alter}))
			j := Job{Manifest: "Cargo.toml", Options: options}
			j.Options.Packages = []string{"app"}
			r, note, err := a.Verify(context.Background(), w, tree, j, true)
			if err != nil {
				t.Fatal(err)
			}
			why := ""
			var not *NotKept
			if errors.As(note, &not) {
				why = not.Why
			} else if note != nil {
				t.Fatal(note)
			}
			if why != c.why {
				t.Errorf("not kept: %q\nwant %q", why, c.why)
			}
			kept, err := a.Find(context.Background(), tree, j)
			if err != nil || (kept == nil) != (c.why != "") {
				t.Fatalf("found %v, %v", kept != nil, err)
			}
			if kept != nil {
				if r.Outcome != Proved {
					t.Errorf("outcome %v: %v", r.Outcome, r.Reasons)
				}
				if diff := cmp.Diff(show(r, files, functions(t, files)), show(kept, files, functions(t, files))); diff != "" {
					t.Errorf("(-run +kept):\n%s", diff)
				}
			}
		})
	}
}

// TestRealAnswers asks the verifier of this machine, if it is one whose answers can be kept.
func TestRealAnswers(t *testing.T) {
	v := verustest.Real(t, Sandboxed{})
	a, err := NewAnswers(store(t), v)
	if err != nil {
		if script, _ := os.ReadFile(v.Path); !bytes.HasPrefix(script, []byte("#!")) {
			t.Fatal(err)
		}
		t.Log(err) // that of a script never are
		return
	}
	for _, name := range []string{"arithmetic", "postcondition", "names"} {
		text, err := os.ReadFile("testdata/diagnostics/" + name + ".rs")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"src/lib.rs": string(text)}
		j := Job{Roots: []string{"src/lib.rs"}, Options: options}
		want, why := keep(t, a, files, j)
		if why != "" {
			t.Fatalf("%s: %s", name, why)
		}
		if diff := cmp.Diff(want, found(t, a, files, j)); diff != "" {
			t.Errorf("%s (-run +kept):\n%s", name, diff)
		}
	}
}

// BenchmarkFind is what a hit costs: hash the tree, read the entry, read what the verifier printed. Installation is the other part, once for
// each check.
func BenchmarkFind(b *testing.B) {
	t := &testing.T{}
	files, replay := sample(t, "assertion")
	dir := b.TempDir()
	for name, text := range installedFiles {
		writeFile(t, filepath.Join(dir, name), text, 0o755)
	}
	s, err := cache.Open(b.TempDir(), 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	a := answers(t, s, known(dir, version, replay))
	j := Job{Roots: []string{"assertion.rs"}, Options: options}
	w, err := NewWork(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for name, text := range files {
		if err := w.Add(WorkFile{Path: name, Data: []byte(text), Mode: WorkPlain}); err != nil {
			b.Fatal(err)
		}
	}
	if _, note, err := a.Verify(context.Background(), w, treeOf(files), j, true); note != nil || err != nil {
		b.Fatal(note, err)
	}
	for b.Loop() {
		if r, err := a.Find(context.Background(), treeOf(files), j); r == nil || err != nil {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkInstallation hashes 100 MB, somewhat more than a release has.
func BenchmarkInstallation(b *testing.B) {
	t := &testing.T{}
	dir := b.TempDir()
	for name, text := range installedFiles {
		writeFile(t, filepath.Join(dir, name), text, 0o755)
	}
	writeFile(t, filepath.Join(dir, "rust_verify"), strings.Repeat("\x7fELF....", 100<<20/8), 0o755)
	s, err := cache.Open(b.TempDir(), 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.SetBytes(100 << 20)
	for b.Loop() {
		if _, err := NewAnswers(s, known(dir, version, nil)); err != nil {
			b.Fatal(err)
		}
	}
}

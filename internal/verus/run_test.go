package verus_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	. "github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

var record = flag.Bool("record", false, "record what the verifier of this machine prints, in testdata/recorded/RELEASE")

const recordedBy = "0.2025.06.23.283b036"

var options = Options{Timeout: 5 * time.Minute, Offline: true}

// work is a copy of files.
func work(t *testing.T, files map[string]string) *Work {
	t.Helper()
	w, err := NewWork(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, text := range files {
		if err := w.Add(WorkFile{Path: name, Data: []byte(text), Mode: WorkPlain}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// cases are the single files that are recorded: the sources by the path of the recording without its ending.
func cases(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	diagnostics, err := filepath.Glob("testdata/diagnostics/*.rs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range diagnostics {
		out[strings.TrimSuffix(name, ".rs")] = name
	}
	changes, err := filepath.Glob("testdata/changes/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range changes {
		for _, side := range []string{"base", "head"} {
			out[filepath.Join(dir, side)] = filepath.Join("../../testdata/corpus", filepath.Base(dir), side+".rs")
		}
	}
	if len(out) < 40 {
		t.Fatalf("only %d recordings", len(out))
	}
	return out
}

func oneFile(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{filepath.Base(name): string(text)}
}

// TestVerifyFile runs every single file that is recorded, and reads the same as from the recording.
func TestVerifyFile(t *testing.T) {
	for stem, name := range cases(t) {
		t.Run(strings.TrimPrefix(stem, "testdata/"), func(t *testing.T) {
			files := oneFile(t, name)
			rec, err := verustest.ReadRecording(stem + ".verus.json")
			if err != nil {
				t.Fatal(err)
			}
			replay := verustest.NewReplay(t)
			replay.Add(rec, files)
			r, err := verustest.Installed(recordedBy, replay).VerifyFile(context.Background(), work(t, files), filepath.Base(name), options)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(stem + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), show(r, files, functions(t, files))); diff != "" {
				t.Errorf("(-recording +run):\n%s", diff)
			}
		})
	}
}

// workspace is the recorded one. Its recordings shortened the path of the verifier's libraries, which are stubs here: cargo wants to read
// their manifests.
func workspace(t *testing.T) map[string]string {
	t.Helper()
	deps := t.TempDir()
	for _, name := range []string{"vstd", "builtin", "builtin_macros"} {
		if err := os.MkdirAll(filepath.Join(deps, name, "src"), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"Cargo.toml": "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": ""} {
			if err := os.WriteFile(filepath.Join(deps, name, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := readFiles(t, "testdata/workspace/src")
	for name, text := range files {
		files[name] = strings.ReplaceAll(text, "/deps/verus/", deps+"/")
	}
	return files
}

// TestVerifyWorkspace runs a Cargo workspace. Cargo itself says which targets there are.
func TestVerifyWorkspace(t *testing.T) {
	files := workspace(t)
	for name, packages := range map[string][]string{"ok-json": {"app"}, "one-package-json": {"queue"}} {
		t.Run(name, func(t *testing.T) {
			rec, err := verustest.ReadRecording("testdata/workspace/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			replay := verustest.NewReplay(t)
			replay.Add(rec, files)
			o := options
			o.Packages = packages
			r, err := verustest.Installed(recordedBy, replay).VerifyWorkspace(context.Background(), work(t, files), "Cargo.toml", o)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile("testdata/workspace/" + name + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			got := show(r, files, functions(t, files))
			if diff := cmp.Diff(sorted(string(want)), sorted(got)); diff != "" {
				t.Errorf("(-recording +run):\n%s", diff)
			}
			if calls := replay.Calls(); !cmp.Equal(calls, []string{"cargo-verus verify --offline -p " + packages[0] + " --message-format=json -- --output-json --time --multiple-errors 5"}) {
				t.Errorf("calls: %q", calls)
			}
		})
	}
}

// sorted lines: cargo lists targets in another order than the recording's reader.
func sorted(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestExpectedTargets(t *testing.T) {
	files := workspace(t)
	files["app/Cargo.toml"] = strings.Replace(files["app/Cargo.toml"], "verify = true", "verify = false", 1)
	for name, want := range map[string][]string{"Cargo.toml": {"app (bin of app): not opted in", "queue: opted in"}} {
		got, err := Known("", "", "", Version{}, Sandboxed{}).Expected(context.Background(), work(t, files), name, options)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, e := range got {
			word := ": not opted in"
			if e.OptedIn {
				word = ": opted in"
			}
			words = append(words, e.Target.String()+word)
		}
		slices.Sort(words)
		if diff := cmp.Diff(want, words); diff != "" {
			t.Error(diff)
		}
	}
	_, err := Known("", "", "", Version{}, Sandboxed{}).Expected(context.Background(), work(t, map[string]string{"Cargo.toml": "[package\n"}), "Cargo.toml", options)
	var p *Problem
	if !errors.As(err, &p) || p.Kind != NoDependencies {
		t.Errorf("broken manifest: %v", err)
	}
}

// loud notes what a test would be failed with.
type loud struct {
	testing.TB
	said []string
}

func (l *loud) Error(args ...any) { l.said = append(l.said, fmt.Sprint(args...)) }

func TestReplayInventsNothing(t *testing.T) {
	files := oneFile(t, "testdata/diagnostics/assertion.rs")
	rec, err := verustest.ReadRecording("testdata/diagnostics/assertion.verus.json")
	if err != nil {
		t.Fatal(err)
	}
	tb := &loud{TB: t}
	replay := verustest.NewReplay(tb)
	replay.Add(rec, files)
	v := verustest.Installed(recordedBy, replay)
	changed := map[string]string{"assertion.rs": files["assertion.rs"] + "\n"}
	with := options
	with.Args = []string{"--rlimit", "20"}
	for _, c := range []struct {
		files map[string]string
		o     Options
	}{{changed, options}, {files, with}} {
		r, err := v.VerifyFile(context.Background(), work(t, c.files), "assertion.rs", c.o)
		if err == nil && r.Outcome == Proved {
			t.Errorf("it answered: %s", r.Outcome)
		}
	}
	if len(tb.said) != 2 || !strings.HasPrefix(tb.said[0], `no recording of "verus --crate-type=lib`) {
		t.Errorf("said %q", tb.said)
	}
}

// program writes an executable shell script.
func program(t *testing.T, path, script string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const version2026 = `cat <<'X'
{
  "verus": {
    "profile": "release",
    "version": "0.2026.08.15.7d4628a",
    "platform": { "os": "linux", "arch": "x86_64" },
    "toolchain": "1.97.1-x86_64-unknown-linux-gnu",
    "commit": "7d4628a"
  }
}
X
`

func TestFind(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	good := program(t, at("good/verus"), version2026)
	program(t, at("good/z3"), "echo 'Z3 version 4.16.0 - 64 bit'\n")
	program(t, at("good/cargo-verus"), "")
	program(t, at("text/verus"), "printf 'Verus\\n  Version: 0.2025.06.23.283b036\\n  Profile: release\\n  Platform: linux_x86_64\\n  Toolchain: 1.85.1-x86_64-unknown-linux-gnu\\n'\n")
	program(t, at("file/verus"), "")
	if err := os.WriteFile(at("file/version.txt"), []byte("0.2024.01.02.abcdef0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program(t, at("mute/verus"), "")
	program(t, at("broken/verus"), "echo 'error: Verus installation is incomplete; missing components:' >&2; exit 128\n")
	program(t, at("toolchain/verus"), "echo \"error: toolchain '1.97.1-x86_64-unknown-linux-gnu' is not installed\" >&2; exit 1\n")
	program(t, at("odd/verus"), "echo 'no idea' >&2; exit 3\n")
	program(t, at("solver/verus"), version2026)
	program(t, at("solver/z3"), "exit 1\n")
	if err := os.WriteFile(at("plain"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("notelf"), []byte("\x00\x01garbage"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(good, at("link")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", at("nowhere")+":/usr/bin:/bin")

	for _, c := range []struct {
		name   string
		search Search
		env    map[string]string
		path   string // on PATH too
		want   string // what was found, or the kind and text of the problem
	}{
		{name: "path", search: Search{Path: good}, want: "DIR/good/verus by the path given: 0.2026.08.15.7d4628a, 1.97.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at DIR/good/cargo-verus"},
		{name: "directory", search: Search{Path: at("good")}, want: "DIR/good/verus by the path given: 0.2026.08.15.7d4628a, 1.97.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at DIR/good/cargo-verus"},
		{name: "link", search: Search{Path: at("link")}, want: "DIR/good/verus by the path given: 0.2026.08.15.7d4628a, 1.97.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at DIR/good/cargo-verus"},
		{name: "variable", env: map[string]string{"SPECGATE_VERUS": good, "VERUS_ROOT": at("text")}, path: at("text"),
			want: "DIR/good/verus by SPECGATE_VERUS: 0.2026.08.15.7d4628a, 1.97.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at DIR/good/cargo-verus"},
		{name: "PATH", env: map[string]string{"VERUS_ROOT": at("good")}, path: at("text"), want: "DIR/text/verus by PATH: 0.2025.06.23.283b036, 1.85.1-x86_64-unknown-linux-gnu, z3  at , cargo at "},
		{name: "root", env: map[string]string{"VERUS_ROOT": at("good")}, want: "DIR/good/verus by VERUS_ROOT: 0.2026.08.15.7d4628a, 1.97.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at DIR/good/cargo-verus"},
		{name: "solver of the user", search: Search{Path: at("text/verus")}, env: map[string]string{"VERUS_Z3_PATH": at("good/z3")},
			want: "DIR/text/verus by the path given: 0.2025.06.23.283b036, 1.85.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at "},
		{name: "version in a file", search: Search{Path: at("file")}, want: "DIR/file/verus by the path given: 0.2024.01.02.abcdef0, , z3  at , cargo at "},
		{name: "the release asked for", search: Search{Path: good, Release: "release/0.2026.08.15.7d4628a"},
			want: "DIR/good/verus by the path given: 0.2026.08.15.7d4628a, 1.97.1-x86_64-unknown-linux-gnu, z3 4.16.0 at DIR/good/z3, cargo at DIR/good/cargo-verus"},
		{name: "another release", search: Search{Path: good, Release: "0.2025.06.23.283b036"},
			want: "wrong-version: DIR/good/verus is Verus 0.2026.08.15.7d4628a, and the policy asks for 0.2025.06.23.283b036; install that release with: specgate setup verus --release 0.2025.06.23.283b036, or change release under [verus] in the policy"},
		{name: "nothing", want: "no-verifier: there is no verifier: verus is not on PATH, and neither SPECGATE_VERUS nor VERUS_ROOT is set; install one with: specgate setup verus, or set SPECGATE_VERUS to its executable"},
		{name: "no file", env: map[string]string{"SPECGATE_VERUS": at("missing")}, path: at("good"),
			want: "no-verifier: there is no verifier at DIR/missing, which SPECGATE_VERUS names: stat DIR/missing: no such file or directory; name the executable of Verus, or its directory"},
		{name: "not executable", search: Search{Path: at("plain")},
			want: "no-verifier: there is no verifier at DIR/plain, which the path given names: it is not an executable file; name the executable of Verus, or its directory"},
		{name: "not a program", search: Search{Path: at("notelf")},
			want: "bad-installation: the verifier cannot be started: start DIR/notelf: fork/exec DIR/notelf: exec format error; install Verus anew from a release for this platform"},
		{name: "mute", search: Search{Path: at("mute")}, want: "bad-installation: DIR/mute/verus does not tell its version; install Verus anew from a release"},
		{name: "incomplete", search: Search{Path: at("broken")},
			want: "bad-installation: the installation of the verifier is not complete: error: Verus installation is incomplete; missing components:; install it anew from a release"},
		{name: "toolchain", search: Search{Path: at("toolchain")},
			want: "no-toolchain: error: toolchain '1.97.1-x86_64-unknown-linux-gnu' is not installed; run: rustup toolchain install 1.97.1-x86_64-unknown-linux-gnu"},
		{name: "odd", search: Search{Path: at("odd")}, want: "bad-installation: DIR/odd/verus does not tell its version: it ended with exit status 3: no idea; install Verus anew from a release"},
		{name: "solver missing", search: Search{Path: good}, env: map[string]string{"VERUS_Z3_PATH": at("missing")},
			want: "wrong-solver: there is no solver: look for the program DIR/missing: exec: \"DIR/missing\": stat DIR/missing: no such file or directory; use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH"},
		{name: "solver", search: Search{Path: at("solver")}, want: "wrong-solver: the solver DIR/solver/z3 does not tell its version; use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.path != "" {
				t.Setenv("PATH", c.path+":"+os.Getenv("PATH"))
			}
			s := c.search
			s.Getenv, s.Runner = func(name string) string { return c.env[name] }, Sandboxed{}
			v, err := Find(context.Background(), s)
			var got string
			var p *Problem
			switch {
			case err == nil:
				got = fmt.Sprintf("%s by %s: %s, %s, z3 %s at %s, cargo at %s", v.Path, v.FoundBy, v.Version.Release, v.Version.Toolchain, v.SolverVersion, v.Solver, v.CargoVerus)
			case errors.As(err, &p):
				got = p.Kind.String() + ": " + p.Error()
			default:
				t.Fatal(err)
			}
			if got = strings.ReplaceAll(got, dir, "DIR"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

const summary = `echo '{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true,"verified":2,"errors":0,"is-verifying-entire-crate":true}}'
`

// TestProcess runs programs in the verifier's place that end in all kinds of ways.
func TestProcess(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         string
	}{
		{"good", summary, "proved"},
		{"where it runs", "pwd >&2; ls; " + summary, "proved"},
		{"good, then killed", summary + "kill -9 $$\n", "internal-error\nthe verifier was ended from outside: killed"},
		{"killed", "kill -9 $$\n", "internal-error\nthe verifier was ended from outside: killed\nthe verifier printed no summary for demo"},
		{"too long", "exec sleep 60\n", "timed-out\nthe verifier was stopped at the time limit: 3s\nthe verifier printed no summary for demo"},
		{"good, then too long", summary + "exec sleep 60\n", "timed-out\nthe verifier was stopped at the time limit: 3s"},
		{"nothing", "", "not-run\nthe verifier printed no summary for demo"},
		{"only an exit code", "exit 1\n", "not-run\nthe verifier printed no summary for demo\nthe verifier ended with exit status 1 and without an answer"},
		{"options", "echo 'Error: no such option' >&2; exit 255\n",
			"not-run\nthe verifier printed no summary for demo\nthe verifier did not accept its options: Error: no such option; correct args under [verus] in the policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := program(t, filepath.Join(t.TempDir(), "verus"), c.script)
			o := options
			if strings.Contains(c.script, "sleep") {
				o.Timeout = 3 * time.Second
			}
			r, err := Known(path, "", "", Version{}, Sandboxed{}).VerifyFile(context.Background(), work(t, map[string]string{"demo.rs": ""}), "demo.rs", o)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{r.Outcome.String()}
			for _, x := range r.Reasons {
				got = append(got, x.Text)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	path := program(t, filepath.Join(t.TempDir(), "verus"), "exec sleep 60\n")
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	r, err := Known(path, "", "", Version{}, Sandboxed{}).VerifyFile(ctx, work(t, map[string]string{"demo.rs": ""}), "demo.rs", options)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestArguments checks that options of the policy replace specgate's own: the verifier takes none twice.
func TestArguments(t *testing.T) {
	path := program(t, filepath.Join(t.TempDir(), "verus"), "echo \"$@\"\n")
	o := options
	for want, args := range map[string][]string{
		"--crate-type=lib --output-json --time --multiple-errors 5 --no-report-long-running --triggers-mode silent demo.rs --error-format=json":             nil,
		"--crate-type=lib --output-json --time --no-report-long-running --triggers-mode silent --rlimit 20 --multiple-errors 9 demo.rs --error-format=json": {"--rlimit", "20", "--multiple-errors", "9"},
		"--crate-type=lib --output-json --multiple-errors 5 --no-report-long-running --time --triggers-mode=selective demo.rs --error-format=json":          {"--time", "--triggers-mode=selective"},
	} {
		o.Args = args
		r, err := Known(path, "", "", Version{}, Sandboxed{}).VerifyFile(context.Background(), work(t, map[string]string{"demo.rs": ""}), "demo.rs", o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, r.Stray); diff != "" {
			t.Error(diff)
		}
	}
}

// TestEnvironment checks that nothing but what is named reaches the verifier.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"GITHUB_TOKEN", "RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_ENCODED_RUSTFLAGS", "VERUS_CVC5_PATH", "RUSTUP_TOOLCHAIN", "LD_PRELOAD_X", "LD_LIBRARY_PATH", "VERUS_Z3_PATH", "CARGO_TARGET_DIR", "HTTPS_PROXY"} {
		t.Setenv(name, "/from/outside")
	}
	t.Setenv("CARGO_HOME", "/the/cargo/home")
	t.Setenv("PATH", ".:/usr/bin::bin:/bin:")
	path := program(t, filepath.Join(t.TempDir(), "verus"), "env | sed 's/=.*//' | sort | tr '\\n' ' '\nenv | grep outside\necho z3 is $VERUS_Z3_PATH, toolchain is $RUSTUP_TOOLCHAIN, path is $PATH\n")
	r, err := Known(path, "", "/opt/z3", Version{Toolchain: "1.2.3"}, Sandboxed{}).VerifyFile(context.Background(), work(t, map[string]string{"demo.rs": ""}), "demo.rs", options)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(r.Stray, "\n")
	for _, shells := range []string{"OLDPWD ", "PWD ", "SHLVL ", "_ ", "TMPDIR ", "RUSTUP_HOME "} {
		got = strings.ReplaceAll(got, shells, "")
	}
	if want := "CARGO_HOME HOME PATH RUSTUP_TOOLCHAIN VERUS_Z3_PATH z3 is /opt/z3, toolchain is 1.2.3, path is /usr/bin:/bin"; strings.TrimSpace(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	script := program(t, filepath.Join(dir, "verus"), version2026)
	program(t, filepath.Join(dir, "cargo-verus"), "echo it ran; "+summary)
	found, err := Find(context.Background(), Search{Path: script, Runner: Sandboxed{}, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	files := workspace(t)
	for want, v := range map[string]*Verifier{
		"bad-installation": found,
		"no-cargo-verus":   Known(script, "", "", Version{}, Sandboxed{}),
	} {
		r, err := v.VerifyWorkspace(context.Background(), work(t, files), "Cargo.toml", options)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != NotRun || r.Problem == nil || r.Problem.Kind.String() != want {
			t.Errorf("%s: %s %v", want, r.Outcome, r.Problem)
		}
	}
	if _, err := found.VerifyFile(context.Background(), work(t, map[string]string{"--help.rs": ""}), "--help.rs", options); err == nil {
		t.Error("a file name that is an option was passed on")
	}
}

func TestWork(t *testing.T) {
	w := work(t, nil)
	for _, f := range []WorkFile{
		{Path: "src/lib.rs", Data: []byte("x"), Mode: WorkPlain},
		{Path: "run.sh", Data: []byte("y"), Mode: WorkExecutable},
		{Path: ".cargo/config.toml", Data: []byte("[env]"), Mode: WorkPlain},
		{Path: "a/.Cargo/Config", Data: []byte("[env]"), Mode: WorkPlain},
		{Path: "b/.cargo/config.toml", Data: []byte("[source]"), Mode: WorkPlain, Trusted: true},
		{Path: "c/.cargo/config.toml", Data: []byte("include = \"../../extra.toml\""), Mode: WorkPlain, Trusted: true},
		{Path: "d/.cargo/config.toml", Data: []byte("[registries.mine]\ncredential-provider = [\"./tools/login\"]"), Mode: WorkPlain, Trusted: true},
		{Path: "e/.cargo/config", Data: []byte("[registries.mine]\ncredential-provider = \"cargo:token\""), Mode: WorkPlain, Trusted: true},
		{Path: "f/.cargo/config.toml", Data: []byte("["), Mode: WorkPlain, Trusted: true},
		{Path: "c/rust-toolchain.toml", Data: []byte("[toolchain]\npath = 'tools/rust'"), Mode: WorkPlain, Trusted: true},
		{Path: "d/rust-toolchain", Data: []byte("1.95.0"), Mode: WorkPlain, Trusted: true},
		{Path: "rust-toolchain.toml", Data: []byte("path = '/evil'"), Mode: WorkPlain},
		{Path: "sub/rust-toolchain", Data: []byte("nightly"), Mode: WorkPlain},
		{Path: "src/.record-history/x", Mode: WorkPlain},
		{Path: "link", Data: []byte("/etc/passwd"), Mode: WorkOther},
		{Path: "config.toml", Data: []byte("fine"), Mode: WorkPlain},
	} {
		if err := w.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"src/lib.rs": "x", "run.sh": "y", "b/.cargo/config.toml": "[source]", "config.toml": "fine",
		"e/.cargo/config": "[registries.mine]\ncredential-provider = \"cargo:token\"", "d/rust-toolchain": "1.95.0"}
	if diff := cmp.Diff(want, readFiles(t, w.Root)); diff != "" {
		t.Error(diff)
	}
	var left []string
	for _, l := range w.LeftOut {
		left = append(left, l.Path+": "+l.Why)
	}
	const cargo = ": settings of cargo can replace the compiler, the verifier's solver and the environment"
	const toolchain = ": it chooses the toolchain, which the verifier must choose"
	if diff := cmp.Diff([]string{".cargo/config.toml" + cargo, "a/.Cargo/Config" + cargo,
		"c/.cargo/config.toml: it includes other settings, which the change may have edited",
		"d/.cargo/config.toml: it names a program for credentials, which the change may have edited",
		"f/.cargo/config.toml: it cannot be read: f/.cargo/config.toml:1:2: read TOML: unexpected end of table name (table names cannot be empty)",
		"c/rust-toolchain.toml: it names the directory of a toolchain",
		"rust-toolchain.toml" + toolchain, "sub/rust-toolchain" + toolchain,
		"src/.record-history/x: it makes the verifier keep a history, with other options", "link: it is no plain file"}, left); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"../escape.rs", "/etc/escape.rs", "src/lib.rs", "src/lib.rs/x"} {
		if err := w.Add(WorkFile{Path: bad, Mode: WorkPlain}); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
	above := t.TempDir()
	if err := os.MkdirAll(filepath.Join(above, ".cargo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(above, ".cargo", "config.toml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if w, err := NewWork(above); err == nil {
		t.Error("settings above the copy would be read", w.Close())
	}
	if left, err := filepath.Glob(filepath.Join(above, "specgate-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// What a build leaves in its target directory misleads no further run of the copy: nothing of it is read, followed or waited for but by what is isolated.
func TestHostileTarget(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	for _, k := range []struct{ name, script string }{
		{"pipes", "mkfifo .rustc_info.json a; mkdir debug; mkfifo debug/.fingerprint debug/deps; mkdir -p x86/debug; mkfifo x86/debug/.fingerprint"},
		{"links", "ln -s $OUTSIDE debug; ln -s $OUTSIDE/file .rustc_info.json; mkdir -p x86 release/.fingerprint; ln -s $OUTSIDE x86/debug; ln -s $OUTSIDE release/.fingerprint/demo-0123456789abcdef; ln -s . self; ln -s /dev null"},
		{"what a compiler says", `echo '{"rustc_fingerprint":0,"outputs":{},"successes":{}' > .rustc_info.json; mkdir -p debug/.fingerprint/demo-0123456789abcdef/x`},
	} {
		t.Run(k.name, func(t *testing.T) {
			outside := t.TempDir()
			kept := filepath.Join(".fingerprint", "demo-0123456789abcdef")
			if err := os.MkdirAll(filepath.Join(outside, kept), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(outside, "file"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			w := work(t, map[string]string{"Cargo.toml": "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": ""})
			program := program(t, filepath.Join(t.TempDir(), "cargo-verus"), "OUTSIDE="+outside+"\ncd $CARGO_TARGET_DIR\n[ -e done ] || { touch done; "+k.script+"; }\necho built >&2\n")
			v := Known("/none", program, "", Version{}, Sandboxed{})
			o := options
			o.Timeout = time.Minute
			for range 2 {
				start := time.Now()
				r, err := v.VerifyWorkspace(t.Context(), w, "Cargo.toml", o)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(r.Stray, "built") || time.Since(start) > o.Timeout/2 {
					t.Errorf("took %v: %v %v", time.Since(start), r.Outcome, r.Stray)
				}
			}
			for _, name := range []string{kept, "file"} {
				if _, err := os.Stat(filepath.Join(outside, name)); err != nil {
					t.Error(err)
				}
			}
			if left, err := os.ReadDir(filepath.Join(filepath.Dir(w.Root), "clean")); err != nil || len(left) > 0 {
				t.Errorf("in the directory of what is not isolated: %v, %v", left, err)
			}
			if _, err := os.Stat(filepath.Join(w.Target, "debug", kept)); k.name == "what a compiler says" && err == nil {
				t.Error("cargo would take the package for built")
			}
		})
	}
}

// What a build leaves in its target directory is removed, whatever rights it took away.
func TestWorkClose(t *testing.T) {
	above := t.TempDir()
	w, err := NewWork(above)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(w.Target, "x", "y"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(w.Target, "x"), w.Target} {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestReal asks the verifier of this machine about the single files, and compares what does not depend on its release: the outcome,
// and the first failing category with its function. With -record it keeps what was printed.
func TestReal(t *testing.T) {
	recorder := &verustest.Recorder{}
	v := verustest.Real(t, recorder)
	t.Logf("Verus %s at %s, Z3 %s", v.Version.Release, v.Path, v.SolverVersion)
	for stem, name := range cases(t) {
		t.Run(strings.TrimPrefix(stem, "testdata/"), func(t *testing.T) {
			files := oneFile(t, name)
			r, err := v.VerifyFile(context.Background(), work(t, files), filepath.Base(name), options)
			if err != nil {
				t.Fatal(err)
			}
			if *record {
				to := filepath.Join("testdata/recorded", v.Version.Release, strings.TrimPrefix(stem, "testdata/")+".verus.json")
				if err := recorder.Write(to, v); err != nil {
					t.Fatal(err)
				}
			}
			got := essence(show(r, files, functions(t, files)))
			want, err := os.ReadFile(stem + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(essence(string(want)), got); diff != "" {
				t.Errorf("(-recording of %s +now):\n%s\n%s", recordedBy, diff, show(r, files, functions(t, files)))
			}
		})
	}
}

// essence keeps the outcome and the failing categories by function, each once.
func essence(shown string) []string {
	var out []string
	for line := range strings.Lines(shown) {
		if strings.HasPrefix(line, "outcome: ") {
			out = append(out, strings.TrimSpace(line))
		}
		if rest, ok := strings.CutPrefix(line, "failing: "); ok {
			what, _, _ := strings.Cut(rest, ": ")
			out = append(out, what)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

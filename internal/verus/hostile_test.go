package verus_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	. "github.com/specgate/specgate/internal/verus"
)

// builder is a Runner that has cargo build where cargo-verus would verify, bounded in the same way. It verifies nothing and does not say so.
type builder struct{}

func (builder) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if filepath.Base(c.Name) == "cargo-verus" {
		if args := []string{"--help"}; cmp.Equal(c.Args, args) {
			return sandbox.Result{}, nil
		}
		c.Name, c.Args = "cargo", []string{"build", "--offline", "--message-format=json"}
		c.Env = append(c.Env, "RUSTC_WRAPPER=")
	}
	return c.Run(ctx)
}

const hostileManifest = `[package]
name = "k"
version = "0.1.0"
edition = "2021"
[package.metadata.verus]
verify = true
`

// script is a package whose build script runs some code.
func script(code string) map[string]string {
	return map[string]string{"Cargo.toml": hostileManifest, "src/lib.rs": "pub fn f() {}\n", "build.rs": "fn main() {\n" + code + "\n}\n"}
}

// macro is a package that uses a procedural macro that runs some code.
func macro(code string) map[string]string {
	return map[string]string{
		"Cargo.toml":   "[workspace]\nmembers = [\"m\"]\n" + hostileManifest + "[dependencies]\nm = { path = \"m\" }\n",
		"src/lib.rs":   "m::run!();\n",
		"m/Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
		"m/src/lib.rs": "#[proc_macro]\npub fn run(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n" + code + "\nproc_macro::TokenStream::new()\n}\n",
	}
}

// builds has cargo build a package in isolation, or without any.
func builds(t *testing.T, files map[string]string, isolated bool, memory int64, timeout time.Duration) (*Run, *Work) {
	t.Helper()
	w := work(t, files)
	dir := t.TempDir()
	v := Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), "", Version{}, builder{})
	if isolated {
		v = v.Isolate(Isolation{Memory: memory})
	}
	r, err := v.VerifyWorkspace(t.Context(), w, "Cargo.toml", Options{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func reasons(r *Run) string {
	var out []string
	for _, x := range r.Reasons {
		out = append(out, fmt.Sprintf("%v: %s", x.Outcome, x.Text))
	}
	return strings.Join(out, "\n")
}

const noSummary = "not-run: the verifier printed no summary for k"

// TestHostileBuild: what build scripts and procedural macros of a change do while it is built ends in a reason that names it.
func TestHostileBuild(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	sandboxtest.Isolated(t)
	const marker = "7391.25"
	for _, c := range []struct {
		name    string
		files   map[string]string
		memory  int64
		timeout time.Duration
		want    string
	}{
		{"sleeps for ever", script("loop { std::thread::sleep(std::time::Duration::from_secs(" + marker[:4] + ")); }"), 0, 4 * time.Second,
			"timed-out: the verifier was stopped at the time limit: 4s\n" + noSummary},
		{"macro does not end", macro("loop {}"), 0, 6 * time.Second,
			"timed-out: the verifier was stopped at the time limit: 6s\n" + noSummary},
		{"leaves a daemon", script(`std::process::Command::new("sh").args(["-c", "setsid sleep ` + marker + ` >/dev/null 2>&1 </dev/null &"]).status().unwrap();`), 0, time.Minute, noSummary},
		{"holds its output open", script(`std::process::Command::new("setsid").args(["sleep", "` + marker + `"]).spawn().unwrap();`), 0, 4 * time.Second,
			"timed-out: the verifier was stopped at the time limit: 4s\n" + noSummary},
		{"prints too much", macro("let line = \"x\".repeat(1 << 20);\nloop { println!(\"{line}\"); }"), 0, 2 * time.Minute,
			"internal-error: the verifier was stopped because it wrote too much: 209715200 bytes to stdout and 67108864 to stderr are allowed\n" + noSummary},
		{"kills all that it can", script(`std::process::Command::new("sh").args(["-c", "kill -9 -1"]).status().ok();`), 0, time.Minute,
			"internal-error: the verifier was ended from outside: killed\n" + noSummary},
		{"panics", script(`panic!("no luck");`), 0, time.Minute, noSummary + "\n" +
			"not-run: a build script failed: error: failed to run custom build command for `k v0.1.0 (.)`: panicked at build.rs:2:1: no luck; " +
			"make it work without a network, and so that it writes to OUT_DIR alone"},
		{"macro aborts", macro("std::process::abort();"), 0, time.Minute, noSummary + "\n" +
			"not-run: the verifier ended with exit status 101 and without an answer: error: could not compile `k` (lib)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			r, _ := builds(t, c.files, true, c.memory, c.timeout)
			if diff := cmp.Diff(c.want, reasons(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if took := time.Since(start); took > c.timeout+30*time.Second {
				t.Errorf("it took %v", took)
			}
			for _, line := range sandboxtest.CommandLines(t) {
				if strings.Contains(line, marker) {
					t.Errorf("left behind: %q", line)
				}
			}
		})
	}
}

// TestHostileReach: a build script of a change reaches nothing but its target directory, the sources that are verified after it included. Without
// isolation the same script does what it must not.
func TestHostileReach(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	sandboxtest.Isolated(t)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	t.Setenv("SPECGATE_TEST_TOKEN", "a token")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, attempt string }{
		{"read a file outside", fmt.Sprintf("std::fs::read(%q).is_ok()", secret)},
		{"write a file outside", fmt.Sprintf("std::fs::write(%q, \"\").is_ok()", filepath.Join(outside, "new"))},
		{"list the home directory", fmt.Sprintf("std::fs::read_dir(%q).is_ok()", home)},
		{"connect", fmt.Sprintf("std::net::TcpStream::connect(%q).is_ok()", listener.Addr())},
		{"edit a source", `std::fs::write("src/lib.rs", "pub fn g() {}").is_ok()`},
		{"replace a source", `std::fs::remove_file("src/lib.rs").is_ok()`},
		{"add a source", `std::fs::write("src/more.rs", "").is_ok()`},
		{"add settings of cargo", `std::fs::create_dir(".cargo").is_ok()`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := script("if " + c.attempt + " { panic!(\"it could\") }")
			r, w := builds(t, files, true, 0, time.Minute)
			if diff := cmp.Diff(noSummary, reasons(r)); diff != "" {
				t.Errorf("isolated (-want +got):\n%s", diff)
			}
			got := readFiles(t, w.Root)
			delete(got, "Cargo.lock")
			if diff := cmp.Diff(files, got); diff != "" {
				t.Errorf("the sources changed (-want +got):\n%s", diff)
			}
			r, _ = builds(t, files, false, 0, time.Minute)
			want := noSummary + "\nnot-run: a build script failed: error: failed to run custom build command for `k v0.1.0 (.)`: " +
				"panicked at build.rs:2"
			if got := reasons(r); !strings.HasPrefix(got, want) || !strings.Contains(got, ": it could; make it work") {
				t.Errorf("not isolated: %s", got)
			}
		})
	}
	// The environment is cleaned in any case.
	for _, isolated := range []bool{true, false} {
		r, _ := builds(t, script(`if std::env::vars().any(|(_, v)| v == "a token") { panic!("it could") }`), isolated, 0, time.Minute)
		if diff := cmp.Diff(noSummary, reasons(r)); diff != "" {
			t.Errorf("environment, isolated %v (-want +got):\n%s", isolated, diff)
		}
	}
}

// TestHostileMemory: a build script that takes more memory than there may be ends alone, or ends the run.
func TestHostileMemory(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	sandboxtest.Isolated(t)
	r, _ := builds(t, script("let mut all = Vec::new();\nloop { all.push(vec![1u8; 1 << 24]); }"), true, 1<<29, time.Minute)
	got := reasons(r)
	if !strings.HasPrefix(got, noSummary+"\nnot-run: a build script failed: error: failed to run custom build command for `k v0.1.0 (.)`") &&
		!strings.HasPrefix(got, "internal-error: the verifier was stopped because it used too much: ") {
		t.Errorf("reasons:\n%s", got)
	}
}

// TestHostileSettings: settings of cargo that base has too may name a program of the tree, which the change edits. It is not run where nothing
// bounds it, although cargo by itself would.
func TestHostileSettings(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	for _, setting := range []string{"rustc", "rustc-wrapper", "rustc-workspace-wrapper"} {
		t.Run(setting, func(t *testing.T) {
			marker := filepath.Join(t.TempDir(), "marker")
			program := "#!/bin/sh\necho >" + marker + "\nexit 1\n"
			w := work(t, map[string]string{"Cargo.toml": hostileManifest, "src/lib.rs": ""})
			for _, f := range []WorkFile{
				{Path: ".cargo/config.toml", Data: []byte("[build]\n" + setting + " = \"./program\"\n"), Mode: WorkPlain, Trusted: true},
				{Path: "program", Data: []byte(program), Mode: WorkExecutable},
			} {
				if err := w.Add(f); err != nil {
					t.Fatal(err)
				}
			}
			dir := t.TempDir()
			v := Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), "", Version{}, only("cargo"))
			if _, err := v.VerifyWorkspace(t.Context(), w, "Cargo.toml", Options{Timeout: time.Minute}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(marker); err == nil {
				t.Error("a program of the change was run")
			}
			// cargo by itself does run it.
			c := sandbox.Command{Name: "cargo", Args: []string{"check", "--offline", "--quiet"}, Dir: w.Root, Env: sandbox.Environ("CARGO_HOME", "RUSTUP_HOME"),
				Limits: sandbox.Limits{Wall: time.Minute, Stdout: 1 << 20, Stderr: 1 << 20}}
			_, err := c.Run(t.Context())
			if _, statErr := os.Stat(marker); statErr != nil {
				t.Errorf("cargo does not run the program: %v, %v", err, statErr)
			}
		})
	}
}

// only is a Runner that starts one program and no other.
type only string

func (o only) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if c.Name != string(o) {
		return sandbox.Result{ExitCode: -1}, errors.New("not here")
	}
	return c.Run(ctx)
}

// old is a Runner that has cargo describe the workspace, and notes how cargo-verus is called; it has no command focus, unless focus is set.
type old struct {
	focus bool
	got   []string
}

func (o *old) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	switch {
	case c.Name == "cargo":
		return c.Run(ctx)
	case c.Args[0] == "--help" && o.focus:
		return sandbox.Result{Stdout: []byte("Commands:\n  verify  Verify\n  focus   Verify a part\n")}, nil
	case c.Args[0] == "--help":
		return sandbox.Result{Stdout: []byte("Commands:\n  verify  Verify\n")}, nil
	}
	o.got = append(o.got, strings.Join(c.Args[:4], " "))
	return sandbox.Result{}, nil
}

// TestWorkspaceCommand: a release whose command verify makes no libraries has to build a workspace in which one package depends on another.
func TestWorkspaceCommand(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	files := func(depends, verify string) map[string]string {
		return map[string]string{
			"Cargo.toml":   "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n",
			"a/Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[dependencies]\n" + depends + "[package.metadata.verus]\nverify = true\n",
			"a/src/lib.rs": "",
			"b/Cargo.toml": "[package]\nname = \"b\"\nversion = \"0.1.0\"\n[package.metadata.verus]\nverify = " + verify + "\n",
			"b/src/lib.rs": "",
		}
	}
	const on = "b = { path = \"../b\" }\n"
	for _, c := range []struct {
		name     string
		files    map[string]string
		focus    bool
		packages []string
		want     string
	}{
		{"apart", files("", "true"), false, nil, "verify --offline --workspace --message-format=json"},
		{"one on another", files(on, "true"), false, nil, "build --offline --workspace --message-format=json"},
		{"on one that is not verified", files(on, "false"), false, nil, "verify --offline --workspace --message-format=json"},
		{"of a package", files(on, "true"), false, []string{"a"}, "verify --offline -p a"},
		{"newer release", files(on, "true"), true, nil, "verify --offline --workspace --message-format=json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &old{focus: c.focus}
			dir := t.TempDir()
			v := Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), "", Version{}, o)
			if _, err := v.VerifyWorkspace(t.Context(), work(t, c.files), "Cargo.toml", Options{Timeout: time.Minute, Packages: c.packages}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.want}, o.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAnew: what was built of one copy of a tree is not taken for another one, which has the same target directory.
func TestAnew(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	files := map[string]string{"Cargo.toml": hostileManifest, "src/lib.rs": "pub fn f() {}\n"}
	first, second := work(t, files), work(t, files)
	second.Target = first.Target
	dir := t.TempDir()
	v := Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), "", Version{}, builder{})
	for _, w := range []*Work{first, second} {
		r, err := v.VerifyWorkspace(t.Context(), w, "Cargo.toml", Options{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(noSummary, reasons(r)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

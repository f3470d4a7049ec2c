package attacks_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// needRun skips a test that has code of a change run where this machine has no compiler or cannot isolate it, or fails it where that is demanded.
func needRun(t *testing.T) {
	t.Helper()
	for _, program := range []string{"cargo", "rustc"} {
		sandboxtest.Oracle.Program(t, program)
	}
	sandboxtest.Isolated(t)
}

// measured runs specgate check with the measuring of strength, which builds and runs code of the change.
func measured(t *testing.T, dir, cache string) result {
	t.Helper()
	r := result{ended: runIn(t, dir, []string{"SPECGATE_TEST_TOKEN=secret-token"}, binary, "check", "--repo", dir, "--base", "HEAD~1", "--head", "HEAD", "--format", "json", "--cache", cache)}
	if r.stdout != "" {
		r.report = readReport(t, r.stdout)
	}
	return r
}

// workspace has a function app::f that calls a crate with a build script and a procedural macro, both of which run some code.
func workspace(policy, code, body string) tree {
	const manifest = "[package]\nname = %q\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	return tree{
		".specgate.toml":    "version = 1\n" + policy,
		"Cargo.toml":        "[workspace]\nmembers = [\"app\", \"helper\", \"mac\"]\nresolver = \"2\"\n",
		"helper/Cargo.toml": fmt.Sprintf(manifest, "helper") + "[dependencies]\nmac = { path = \"../mac\" }\n",
		"helper/build.rs":   "fn main() {\n" + code + "\nstd::fs::write(std::path::Path::new(&std::env::var(\"OUT_DIR\").unwrap()).join(\"half.rs\"), \"pub fn half(x: u8) -> u8 { x / 2 }\").unwrap();\n}\n",
		"helper/src/lib.rs": "mac::run!();\ninclude!(concat!(env!(\"OUT_DIR\"), \"/half.rs\"));\n",
		"mac/Cargo.toml":    fmt.Sprintf(manifest, "mac") + "[lib]\nproc-macro = true\n",
		"mac/src/lib.rs":    "#[proc_macro]\npub fn run(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n" + code + "\nproc_macro::TokenStream::new()\n}\n",
		"app/Cargo.toml":    fmt.Sprintf(manifest, "app") + "[dependencies]\nhelper = { path = \"../helper\" }\n",
		"app/src/lib.rs":    verus("pub fn f(x: u8) -> (r: u8)\n    ensures\n        r <= x,\n{\n    " + body + "\n}"),
	}
}

// TestBuildAttacks: build scripts and procedural macros of a change, built to measure strength, reach nothing but their build. Without isolation the same code does.
func TestBuildAttacks(t *testing.T) {
	needRun(t)
	outside, cache := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	const marker = "7391.75"
	attempts := []struct{ name, code string }{
		{"read a file outside", fmt.Sprintf("std::fs::read(%q).is_ok()", secret)},
		{"write a file outside", fmt.Sprintf("std::fs::write(%q, \"\").is_ok()", filepath.Join(outside, "new"))},
		{"list the home directory", fmt.Sprintf("std::fs::read_dir(%q).is_ok()", home)},
		{"poison the cache", fmt.Sprintf("std::fs::write(%q, \"\").is_ok()", filepath.Join(cache, "poison"))},
		{"connect", fmt.Sprintf("std::net::TcpStream::connect(%q).is_ok()", listener.Addr())},
		{"see other processes", fmt.Sprintf("std::fs::read(\"/proc/%d/cmdline\").is_ok()", os.Getpid())},
	}
	var code strings.Builder
	code.WriteString("let mut could: Vec<&str> = Vec::new();\n")
	for _, a := range attempts {
		fmt.Fprintf(&code, "if %s { could.push(%q); }\n", a.code, a.name)
	}
	code.WriteString("if std::env::vars().any(|(_, v)| v == \"secret-token\") { could.push(\"a token of the environment\"); }\n")
	code.WriteString("println!(\"::error::{}{}\", \"hac\", \"ked\"); println!(\"{{\\\"outcome\\\":\\\"pass\\\"}}\");\n")
	code.WriteString("std::process::Command::new(\"sh\").args([\"-c\", \"setsid sleep " + marker + " >/dev/null 2>&1 </dev/null &\"]).status().ok();\n")
	code.WriteString("if !could.is_empty() { panic!(\"it could {}\", could.join(\", \")); }")
	code.WriteString("let _ = &could;\n")
	// What misleads specgate itself: a program that is none of its own, and directories that cannot be read or removed. Not where nothing is isolated.
	fmt.Fprintf(&code, "if std::env::var(\"SPECGATE_TEST_TOKEN\").is_err() {\n"+
		"println!(\"{{\\\"reason\\\":\\\"compiler-artifact\\\",\\\"executable\\\":\\\"{}\\\",\\\"target\\\":{{\\\"name\\\":\\\"program\\\"}}}}\", %q);\n"+
		"for dir in [std::env::var(\"CARGO_HOME\"), std::env::var(\"OUT_DIR\")].into_iter().flatten() {\n"+
		"std::process::Command::new(\"sh\").args([\"-c\", \"cd $0 && mkdir -p x/y && touch x/y/z && ln -s / x/root && mkfifo x/y/pipe && chmod 0 x/y x\", &dir]).status().unwrap();\n}\n}\n", secret)
	dir := repository(t, workspace("", "", "x / 2"), workspace("", code.String(), "helper::half(x)"), nil)
	daemons := func() []string {
		var out []string
		for _, line := range sandboxtest.CommandLines(t) {
			if pid, rest, _ := strings.Cut(line, " "); strings.Contains(rest, marker) {
				out = append(out, pid)
			}
		}
		return out
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r := measured(t, dir, cache)
	for _, d := range []struct{ dir, want string }{{temp, ""}, {outside, "secret"}} {
		entries, err := os.ReadDir(d.dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if strings.Join(got, " ") != d.want {
			t.Errorf("afterwards there is %q, not %q", got, d.want)
		}
	}
	if left := daemons(); strings.Contains(r.stdout+r.stderr, "it could") || len(left) > 0 {
		t.Errorf("%d daemons; %s", len(left), r.show())
	}
	// What the build script makes is needed to build the crate, so it has run to its end.
	if !strings.Contains(r.stdout, `"label": "empirical"`) {
		t.Errorf("nothing was measured, so nothing was tried:\n%s", r.show())
	}
	if strings.Contains(r.stdout+r.stderr, "hacked") {
		t.Error("what the code printed is in the output")
	}
	// cargo by itself lets it do all that.
	c := runIn(t, dir, []string{"SPECGATE_TEST_TOKEN=secret-token"}, "cargo", "build", "--offline", "--quiet", "-p", "helper")
	for _, pid := range daemons() {
		_ = exec.Command("kill", pid).Run() // this test started it
	}
	if want := "it could read a file outside, write a file outside, list the home directory, poison the cache, connect, see other processes, a token of the environment"; !strings.Contains(c.stderr, want) {
		t.Errorf("without isolation the code cannot do what it must not, so that the test shows nothing:\n%s", c.stderr)
	}
}

// TestRunAttacks: functions that are run to measure them, and that do what they can to be in the way.
func TestRunAttacks(t *testing.T) {
	needRun(t)
	for _, tt := range []struct{ name, code string }{
		{"prints commands and a report", `println!("::error::{}{}", "hac", "ked"); eprintln!("::set-output name=a::{}{}", "hac", "ked"); println!("{{\"outcome\":\"pass\",\"{}{}\":1}}", "hac", "ked");`},
		{"ends the process", "std::process::exit(0);"},
		{"never ends", "loop {}"},
		{"forks", `for _ in 0..40 { if std::process::Command::new("/proc/self/exe").spawn().is_err() { break; } }`},
		{"closes what it finds open", `extern "C" { fn close(fd: i32) -> i32; } for fd in 0..1024 { unsafe { close(fd); } }`},
		{"writes to what it finds open", `extern "C" { fn write(fd: i32, p: *const u8, n: usize) -> isize; } let s = format!("{{\"{}{}\":1}}\n", "hac", "ked"); for fd in 0..64 { unsafe { write(fd, s.as_ptr(), s.len()); } }`},
		{"kills all that it can", `extern "C" { fn kill(pid: i32, signal: i32) -> i32; } unsafe { kill(-1, 9); }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := func(body string) string {
				return verus("pub fn f(x: u8) -> (r: u8)\n    ensures\n        r <= x,\n{\n    " + body + "x / 2\n}\n\npub fn honest(x: u8) -> (r: u8)\n    ensures\n        r == x / 2,\n{\n    let y = x;\n    y / 2\n}")
			}
			base := strings.Replace(source(""), "let y = x;\n    y / 2", "x / 2", 1)
			const few = "version = 1\n[strength]\ninputs = 2\nmutants = 1\n" // one case shows it as well as many
			dir := repository(t, tree{".specgate.toml": few, "src/lib.rs": base}, tree{".specgate.toml": few, "src/lib.rs": source(tt.code + " ")}, nil)
			r := measured(t, dir, t.TempDir())
			if r.report == nil {
				t.Fatalf("no report: %s", r.show())
			}
			if strings.Contains(r.stdout+r.stderr, "hacked") {
				// The source, which is in the report, has the word in two pieces.
				t.Errorf("what the code printed is in the output:\n%s", r.stdout)
			}
			strength := map[string]bool{}
			for _, f := range r.report.Functions {
				strength[f.Symbol] = f.Strength.Head != nil && f.Strength.Head.Total > 0
			}
			if why := r.broken("must report edit/exec-changed f"); why != "" || r.code == 0 && r.report.Outcome != 1 {
				t.Errorf("%s\n%s", why, r.show())
			}
			if !strength["honest"] && r.broken("must mention strength/unmeasured honest") != "" {
				t.Errorf("the function beside is neither measured nor said not to be: %v\n%s", strength, r.show())
			}
			t.Logf("measured: %v", strength)
		})
	}
}

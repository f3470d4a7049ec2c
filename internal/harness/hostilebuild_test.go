package harness_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// outside is a directory with a file that no code under test may read, change, move or remove.
func outside(t *testing.T) (dir, file string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(file, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name()+": "+readFile(t, filepath.Join(dir, e.Name())))
		}
		if d := cmp.Diff([]string{"secret.txt: a token"}, got); d != "" {
			t.Errorf("outside the sandbox (-want +got):\n%s", d)
		}
	})
	return dir, file
}

// builds has a function f of a crate app, whose dependency runs some code in its build script or in a procedural macro that it uses.
func builds(t *testing.T, script, macro, body string) (*crate, func(...harness.Target) harness.Request) {
	return appCrate(t, func(texts map[string]string) {
		const manifest = "[package]\nname = %q\nversion = \"0.1.0\"\nedition = \"2021\"\n"
		clear(texts)
		texts["Cargo.toml"] = "[workspace]\nmembers = [\"app\", \"helper\", \"mac\"]\nresolver = \"2\"\n"
		texts["Cargo.lock"] = "version = 3\n"
		texts["mac/Cargo.toml"] = fmt.Sprintf(manifest, "mac") + "[lib]\nproc-macro = true\n"
		texts["mac/src/lib.rs"] = "#[proc_macro]\npub fn run(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n" + macro + "\nproc_macro::TokenStream::new()\n}\n"
		texts["helper/Cargo.toml"] = fmt.Sprintf(manifest, "helper") + "[dependencies]\nmac = { path = \"../mac\" }\n"
		texts["helper/build.rs"] = "fn main() {\n" + script + "\n}\n"
		texts["helper/src/lib.rs"] = "mac::run!();\npub fn half(x: u8) -> u8 { x / 2 }\n"
		texts["app/Cargo.toml"] = fmt.Sprintf(manifest, "app") + "[dependencies]\nhelper = { path = \"../helper\" }\n"
		texts["app/src/lib.rs"] = "pub fn f(x: u8) -> u8 { " + body + " }\n"
	})
}

// replaceAll puts links to a file in the place of every file that it reaches and may replace, and in all places where specgate has written or will.
const replaceAll = `
fn replace(dir: &std::path::Path, to: &str, done: &mut Vec<String>, depth: usize) {
    let mut names: Vec<std::ffi::OsString> = ["Cargo.toml", "Cargo.lock", "lib.rs", "program", "registry", "git"].iter().map(|n| n.into()).collect();
    if let Ok(all) = std::fs::read_dir(dir) {
        names.extend(all.flatten().map(|e| e.file_name()));
    }
    names.extend(["src", "package", "out", "cargo", "1", "2", "3"].iter().map(|n| std::ffi::OsString::from(n)));
    for n in names {
        let p = dir.join(&n);
        match std::fs::symlink_metadata(&p) {
            Ok(m) if m.is_dir() => {
                if depth > 0 { replace(&p, to, done, depth - 1); }
            }
            Ok(m) if m.file_type().is_symlink() && std::fs::read_link(&p).map(|l| l == std::path::Path::new(to)).unwrap_or(false) => {}
            _ => {
                let _ = std::fs::remove_file(&p);
                if std::os::unix::fs::symlink(to, &p).is_ok() { done.push(n.to_string_lossy().into_owned()); }
            }
        }
    }
}
`

// What one attempt to compile a crate leaves behind leads a later one to no file outside. Code that is run while the crate is compiled may write to the
// package of the harness, cargo's directory and that of what is made; each attempt writes its files anew.
func TestLinksFromAnAttemptBefore(t *testing.T) {
	rustc(t)
	sandboxtest.Isolated(t)
	_, secret := outside(t)
	code := fmt.Sprintf("let mut done = Vec::new();\nlet out = std::path::PathBuf::from(std::env::var(\"OUT_DIR\").unwrap());\n"+
		"for up in out.ancestors().take(12) { replace(up, %q, &mut done, 2); }\nassert!(done.iter().any(|n| n == \"Cargo.lock\"));\nstd::process::exit(7);\n}\n%s\nfn unused() {", secret, replaceAll)
	c, request := builds(t, code, "", "helper::half(x)")
	tg := mutants(c.with("f", "5"), 3)
	req := request(tg)
	res := run(t, req)
	// The status tells that links were put. That it compiled nothing more than once would show nothing.
	if got := shows(tg, res.Targets[0]); !strings.Contains(got, "(exit status: 7)") || res.Compilations < 2 {
		t.Errorf("%d compilations; %s", res.Compilations, got)
	}
}

// What is printed by code that is run while the crate is compiled names no file of this machine that specgate then moves, and what it puts in the place of
// cargo's directories gives it no more to read in the next round.
func TestMacroMisleads(t *testing.T) {
	rustc(t)
	sandboxtest.Isolated(t)
	for _, k := range []struct{ name, always, first string }{
		{"a program is named", `println!("{{\"reason\":\"compiler-artifact\",\"executable\":\"{}\",\"target\":{{\"name\":\"program\"}}}}", SECRET);`, ""},
		{"cargo's directories lead outside", "", `for name in ["registry", "git"] {
    let _ = std::fs::remove_file(home.join(name));
    std::os::unix::fs::symlink(OUTSIDE, home.join(name)).unwrap();
}`},
	} {
		t.Run(k.name, func(t *testing.T) {
			dir, secret := outside(t)
			// The first round ends by a message that a mutant is to blame for.
			code := fmt.Sprintf("const SECRET: &str = %q;\nconst OUTSIDE: &str = %q;\n", secret, dir) + `let home = std::path::PathBuf::from(std::env::var("CARGO_HOME").unwrap());
let message = |text: &str, spans: String| println!("{{\"reason\":\"compiler-message\",\"message\":{{\"level\":\"error\",\"message\":\"{text}\",\"spans\":[{spans}]}}}}");
` + k.always + `
let told = home.join("told");
if std::fs::symlink_metadata(&told).is_err() {
    ` + k.first + `
    std::fs::write(&told, "").unwrap();
    let file = std::path::PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).parent().unwrap().join("app/src/lib.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    let at = text.find("_t0_m1").unwrap();
    message("refused", format!("{{\"file_name\":\"{}\",\"byte_start\":{at},\"byte_end\":{at},\"line_start\":1,\"is_primary\":true}}", file.display()));
    panic!("once more");
}
if let Ok(text) = std::fs::read_to_string(SECRET) {
    message(&format!("it could read {text}"), String::new());
    panic!("it could read {text}");
}
let _ = OUTSIDE;
`
			c, request := builds(t, "", code, "helper::half(x)")
			tg := mutants(c.with("f", "5"), 3)
			req := request(tg)
			req.CargoHome = t.TempDir()
			for _, name := range []string{"registry", "git"} {
				if err := os.Mkdir(filepath.Join(req.CargoHome, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			res := run(t, req)
			var refused []string
			for _, m := range res.Targets[0].Mutants {
				if m.Failure != "" {
					refused = append(refused, m.Failure)
				}
			}
			if d := cmp.Diff("2\n [refused] 2", fmt.Sprint(shows(tg, res.Targets[0]), " ", refused, " ", res.Compilations)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// The program that is run is a plain file that cargo made and where cargo makes it. The cargo of this test is code of the change that had its way.
func TestFalseProgram(t *testing.T) {
	sandboxtest.Isolated(t)
	for _, k := range []struct{ name, script, want string }{
		{"a link", "ln -s $OUTSIDE $P", "look for the program: it is no plain file"},
		{"a fifo", "mkfifo $P", "look for the program: it is no plain file"},
		{"a directory", "mkdir $P", "look for the program: it is no plain file"},
		{"nothing", "", "look for the program: statat target/debug/program: no such file or directory"},
		{"below a link that leads out", "cd $CARGO_TARGET_DIR; rm -r debug; ln -s $(dirname $OUTSIDE) debug", "look for the program: statat target/debug/program: path escapes from parent"},
		{"its place is taken", "echo > $P; mkdir -p $CARGO_TARGET_DIR/../program/x", "take the program: renameat target/debug/program program: file exists"},
		{"named by a message", `echo '{"reason":"compiler-artifact","executable":"'$OUTSIDE'","target":{"name":"program"}}'`,
			"look for the program: statat target/debug/program: no such file or directory"},
		{"of a build that failed", `echo > $P; echo '{"reason":"compiler-artifact","executable":"'$OUTSIDE'","target":{"name":"program"}}'; exit 101`,
			"the crate does not compile without its ghost code: the compiler does not say why"},
	} {
		t.Run(k.name, func(t *testing.T) {
			dir, secret := outside(t)
			sysroot := t.TempDir()
			put := func(name, text string) {
				t.Helper()
				file := filepath.Join(sysroot, "bin", name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			put("rustc", "case $1 in --version) echo rustc 1;; *) echo "+sysroot+";; esac")
			put("cargo", "OUTSIDE="+secret+"\nP=$CARGO_TARGET_DIR/debug/program\nmkdir -p $CARGO_TARGET_DIR/debug\n"+k.script)
			c, request := builds(t, "", "", "helper::half(x)")
			tg := c.with("f", "5")
			req := request(tg)
			req.Rustc = filepath.Join(sysroot, "bin", "rustc")
			got := strings.ReplaceAll(strings.TrimPrefix(shows(tg, run(t, req).Targets[0]), "unmeasured: the crate could not be compiled: "), dir, "OUTSIDE")
			if d := cmp.Diff(k.want+"\n", strings.TrimPrefix(got, "unmeasured: ")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
)

// machine has scripts in the place of all programs: what is really on the machine that runs the tests does not matter.
func machine(t *testing.T, change map[string]string) (Machine, string) {
	t.Helper()
	where := `[ "$PWD" = / ] || { echo "started in $PWD" >&2; exit 9; }` + "\n"
	scripts := map[string]string{
		"git":    where + "echo git version 2.39.5",
		"rustup": where + `if [ "$1" = run ]; then echo rustc; elif [ "$1" = toolchain ]; then echo stable; echo "` + rust + ` (default)"; else echo 'rustup 1.29.0 (28d1352db 2026-03-05)'; fi`,
		"rustc":  where + "echo 'rustc 1.95.0 (59807616e 2026-04-14)'; echo more",
		"cargo":  where + "echo 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)'",
	}
	for name, script := range change {
		if script == "" {
			delete(scripts, name)
			continue
		}
		scripts[name] = script
	}
	m := Machine{Data: filepath.Join(t.TempDir(), "data"), Temp: t.TempDir(), Getenv: func(string) string { return "" },
		Protections: func(context.Context) ([]sandbox.Protection, error) {
			return []sandbox.Protection{{Name: "time", On: true, Detail: "a limit on time"}, {Name: "filesystem", On: true, Detail: "landlock"}}, nil
		}}
	return m, tools(t, scripts)
}

// shown writes items in lines, without what differs between machines.
func shown(items []Item, replace ...string) []string {
	r := strings.NewReplacer(replace...)
	var out []string
	for _, it := range items {
		if it.Name == "memory" {
			it.Found, it.State, it.TurnsOff, it.Remedy = "...", OK, "", ""
		}
		if it.Name == "temp" && it.State != Broken {
			dir, _, _ := strings.Cut(it.Found, ", ")
			it.Found, it.State, it.TurnsOff, it.Remedy = dir, OK, "", ""
		}
		line := fmt.Sprintf("%s %s: %s", it.State, it.Name, it.Found)
		if it.State != OK {
			line += fmt.Sprintf(" [%s] %s | %s", it.Stops, it.TurnsOff, it.Remedy)
		} else if it.Stops != StopsNothing || it.TurnsOff != "" || it.Remedy != "" {
			line += " and yet it stops something"
		}
		out = append(out, r.Replace(line))
	}
	return out
}

func TestExamine(t *testing.T) {
	host, err := verus.Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		host = platform
	}
	const fake = "#!/bin/sh\necho '" + versionJSON + "'\n"
	install := func(t *testing.T, m Machine, edit func(dir string)) {
		dir := verus.InstallDir(m.Data, release, host)
		write(t, filepath.Join(dir, "verus"), []byte(fake), 0o755)
		write(t, filepath.Join(dir, "cargo-verus"), nil, 0o755)
		write(t, filepath.Join(dir, "z3"), []byte("#!/bin/sh\necho 'Z3 version 4.16.0 - 64 bit'\n"), 0o755)
		record := &Record{Release: release, Platform: host}
		for _, name := range []string{"verus", "cargo-verus", "z3"} {
			f, err := fileOf(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			record.Files = append(record.Files, f)
		}
		if err := writeRecord(dir, record); err != nil {
			t.Fatal(err)
		}
		if edit != nil {
			edit(dir)
		}
	}
	programs := []string{
		"ok git: 2.39.5 at PATH/git",
		"ok rustup: 1.29.0 (28d1352db 2026-03-05) at PATH/rustup",
		"ok rustc: 1.95.0 (59807616e 2026-04-14) at PATH/rustc",
		"ok cargo: 1.95.0 (f2d3ce0bd 2026-03-21) at PATH/cargo",
	}
	rest := func(installed string) []string {
		return []string{"ok sandbox: time, filesystem", "ok temp: TEMP", "ok memory: ...", "ok installed: " + installed + " in DATA"}
	}
	join := func(parts ...[]string) []string {
		var out []string
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	const dir = "DATA/verus-" + release + "-HOST"
	found := []string{
		"ok verus: " + release + " at " + dir + "/verus, found by setup verus; the policy pins it",
		"ok toolchain: " + rust + ", which rustup has",
		"ok z3: 4.16.0 at " + dir + "/z3, as this release wants",
		"ok cargo-verus: " + dir + "/cargo-verus",
	}
	for _, c := range []struct {
		name  string
		tools map[string]string
		edit  func(t *testing.T, m *Machine)
		want  []string
	}{
		{"all there", nil, func(t *testing.T, m *Machine) { m.Release = release; install(t, *m, nil) }, join(programs, found, rest(release))},
		{"nothing there", map[string]string{"git": "", "rustup": "", "rustc": "", "cargo": ""}, func(t *testing.T, m *Machine) {
			m.Temp = filepath.Join(m.Temp, "gone")
			m.Protections = func(context.Context) ([]sandbox.Protection, error) { return nil, errors.New("no way") }
		}, []string{
			"missing git: it is not on PATH [check] everything: both sides of a change are read with git | install git: https://git-scm.com/downloads",
			"missing rustup: it is not on PATH [proof] the verifier cannot start its Rust toolchain, and none can be installed | install rustup: https://rustup.rs",
			"missing rustc: it is not on PATH [nothing] code cannot be compiled and run | rustup toolchain install stable",
			"missing cargo: it is not on PATH [proof] workspaces cannot be verified | rustup toolchain install stable",
			"missing verus: there is no verifier: verus is not on PATH, and neither SPECGATE_VERUS nor VERUS_ROOT is set [proof] nothing is proved | specgate setup verus --release RELEASE",
			"broken sandbox: no way [nothing] code of a change could do more than it should when it is built or run | run specgate where the missing protections are; docs/security.md says what each one needs",
			"broken temp: TEMP/FILE: no such file or directory [check] everything that needs a copy of the change | set TMPDIR to a directory that can be written to",
			"ok memory: ...",
			"ok installed: no release of Verus in DATA",
		}},
		{"programs that do not work", map[string]string{"git": "echo git version 2.29.3", "rustc": "echo 'info: x' >&2; printf 'error: no \\033[1mdefault toolchain\\n' >&2; exit 1", "cargo": "kill -9 $$"},
			nil, join([]string{
				"broken git: 2.29.3 at PATH/git; 2.30 or newer is needed [check] everything: both sides of a change are read with git | install git: https://git-scm.com/downloads",
				programs[1],
				"broken rustc: PATH/rustc does not tell its version: PATH/rustc ended with exit status 1: error: no ?[1mdefault toolchain [nothing] code cannot be compiled and run | rustup toolchain install stable",
				"broken cargo: PATH/cargo does not tell its version: PATH/cargo was ended by signal: killed [proof] workspaces cannot be verified | rustup toolchain install stable",
				"missing verus: there is no verifier: verus is not on PATH, and neither SPECGATE_VERUS nor VERUS_ROOT is set [proof] nothing is proved | specgate setup verus --release RELEASE",
			}, rest("no release of Verus"))},
		{"another release than the pinned one", map[string]string{"verus": "echo '" + strings.ReplaceAll(versionJSON, release, "0.2025.06.23.283b036") + "'"}, func(t *testing.T, m *Machine) { m.Release = release },
			join(programs, []string{"broken verus: PATH/verus is Verus 0.2025.06.23.283b036, and the policy asks for " + release + " [proof] nothing is proved | specgate setup verus"}, rest("no release of Verus"))},
		{"another release in the variable", map[string]string{"other": "echo '" + strings.ReplaceAll(versionJSON, release, "0.2025.06.23.283b036") + "'"}, func(t *testing.T, m *Machine) {
			m.Release = release
			m.Getenv = func(name string) string {
				if name == "SPECGATE_VERUS" {
					return filepath.Join(os.Getenv("PATH"), "other")
				}
				return ""
			}
		}, join(programs, []string{"broken verus: PATH/other is Verus 0.2025.06.23.283b036, and the policy asks for " + release + " [proof] nothing is proved | specgate setup verus, and unset SPECGATE_VERUS"}, rest("no release of Verus"))},
		{"damaged", nil, func(t *testing.T, m *Machine) {
			m.Release = release
			install(t, *m, func(dir string) { write(t, filepath.Join(dir, "vstd.vir"), nil, 0o644) })
		}, join(programs, []string{"broken verus: the installation in " + dir + " is damaged: vstd.vir does not belong to it [proof] nothing is proved | specgate setup verus"}, found[1:], rest(release))},
		{"toolchain, solver and cargo-verus missing", map[string]string{"rustup": `if [ "$1" = toolchain ]; then echo stable; else echo 'rustup 1.29.0 (28d1352db 2026-03-05)'; fi`}, func(t *testing.T, m *Machine) {
			m.Release = release
			m.Verus = write(t, filepath.Join(m.Data, "alone", "verus"), []byte(fake), 0o755)
		}, join(programs, []string{
			"ok verus: " + release + " at DATA/alone/verus, found by the path given; the policy pins it",
			"limited toolchain: " + rust + " is needed, and rustup does not have it, or not whole [nothing] the verifier may not run | rustup toolchain install " + rust,
			"unknown z3: it is neither beside the verifier nor on PATH, so what the verifier uses is not known [nothing]  | ",
			"missing cargo-verus: it is not beside the verifier [proof] workspaces cannot be verified; single files can, with verus.roots in the policy | use a release of Verus that has it",
		}, rest("no release of Verus"))},
		{"another solver", map[string]string{"z3": "echo 'Z3 version 4.12.5 - 64 bit'"}, func(t *testing.T, m *Machine) {
			install(t, *m, nil)
			z3 := filepath.Join(os.Getenv("PATH"), "z3")
			m.Release = release
			m.Getenv = func(name string) string { return map[string]string{"VERUS_Z3_PATH": z3, "VERUS_USE_RUSTUP": "0"}[name] }
		}, join(programs, []string{
			found[0],
			"ok toolchain: " + rust + "; VERUS_USE_RUSTUP is 0, so the verifier does not ask rustup for it",
			"broken z3: 4.12.5 at PATH/z3; this release wants 4.16.0 [proof] the verifier refuses to ask the solver, so nothing is proved | use the Z3 that the release of Verus brings: unset VERUS_Z3_PATH",
			found[3],
		}, rest(release))},
		{"protections missing", nil, func(t *testing.T, m *Machine) {
			m.Protections = func(context.Context) ([]sandbox.Protection, error) {
				return []sandbox.Protection{{Name: "time", On: true}, {Name: "network", Detail: "no namespaces\x1b[2J"}}, nil
			}
		}, join(programs, []string{
			"missing verus: there is no verifier: verus is not on PATH, and neither SPECGATE_VERUS nor VERUS_ROOT is set [proof] nothing is proved | specgate setup verus --release RELEASE",
			"limited sandbox: time; missing: network (no namespaces?[2J) [nothing] code of a change could do more than it should when it is built or run | run specgate where the missing protections are; docs/security.md says what each one needs",
		}, rest("no release of Verus")[1:])},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, path := machine(t, c.tools)
			temp := m.Temp
			if c.edit != nil {
				c.edit(t, &m)
			}
			items, err := Examine(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			got := shown(items, path, "PATH", m.Data, "DATA", temp, "TEMP", "-"+host, "-HOST")
			for i, line := range got { // the name of a temporary file
				if before, rest, ok := strings.Cut(line, "gone/specgate-doctor-"); ok {
					_, after, _ := strings.Cut(rest, ":")
					got[i] = strings.Replace(before, "open ", "", 1) + "FILE:" + after
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if _, err := os.Stat(m.Data); c.edit == nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("made %s: %v", m.Data, err)
			}
		})
	}
}

// TestNothingOfTheRepository runs where a repository would have itself be asked: rustup would take the toolchain, and git and cargo
// the programs, that files there name.
func TestNothingOfTheRepository(t *testing.T) {
	rustup := sandboxtest.Rustup.Program(t, "rustup")
	dir := t.TempDir()
	mark := filepath.Join(dir, "was-run")
	evil := []byte("#!/bin/sh\ntouch " + mark + "\necho evil 9.9.9\n")
	for _, name := range []string{"git", "rustup", "rustc", "cargo", "verus", "z3", "toolchain/bin/rustc", "toolchain/bin/cargo"} {
		write(t, filepath.Join(dir, name), evil, 0o755)
	}
	write(t, filepath.Join(dir, "rust-toolchain.toml"), fmt.Appendf(nil, "[toolchain]\npath = %q\n", filepath.Join(dir, "toolchain")), 0o644)
	write(t, filepath.Join(dir, ".cargo", "config.toml"), []byte("[build]\nrustc = \"rustc\"\n[alias]\nversion = \"!./cargo\"\n"), 0o644)
	t.Chdir(dir)
	real := filepath.Dir(rustup) + ":" + os.Getenv("PATH")
	m := Machine{Data: filepath.Join(dir, "data"), Temp: t.TempDir(), Getenv: func(string) string { return "" },
		Protections: func(context.Context) ([]sandbox.Protection, error) { return nil, nil }}
	for _, path := range []string{".:" + real, real} {
		t.Setenv("PATH", path)
		items, err := Examine(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("with PATH %s something of the repository was run: %v\n%s", path, err, strings.Join(shown(items), "\n"))
		}
	}
	// It would be, by the same programs, in the repository itself.
	_ = exec.Command(filepath.Join(filepath.Dir(rustup), "rustc"), "--version").Run()
	if _, err := os.Stat(mark); err != nil {
		t.Logf("rustc is not started by rustup here, so half of this test shows nothing: %v", err)
	}
}

// TestGitVersion holds what is told of git against what package gitrepo accepts.
func TestGitVersion(t *testing.T) {
	for _, c := range []struct {
		version string
		state   State
	}{{"2.29.9", Broken}, {"2.30.0", Limited}, {"2.30.9", Limited}, {"2.31.0", OK}, {"3.0.0", OK}, {"1.99.0", Broken}} {
		m, _ := machine(t, map[string]string{"git": "echo git version " + c.version})
		m.Runner = verus.Sandboxed{}
		got := m.program(t.Context(), "git", StopsCheck, "", "")
		if got.State != c.state {
			t.Errorf("%s: %v", c.version, got)
		}
		if c.state == Limited && got.TurnsOff != "nothing is fetched: the App and the Action need git 2.31 or newer" {
			t.Errorf("%s: %v", c.version, got)
		}
		err := gitrepo.Fetch(t.Context(), gitrepo.FetchOptions{Dir: t.TempDir(), URL: "http://127.0.0.1:1/x", Commits: []string{strings.Repeat("1", 40)}})
		if old := strings.Contains(err.Error(), "; install git 2.31 or newer"); old != (c.state != OK) {
			t.Errorf("%s: gitrepo.Fetch says %v", c.version, err)
		}
		_, err = gitrepo.Open(t.Context(), t.TempDir())
		old := err != nil && strings.Contains(err.Error(), "install git")
		if old != (c.state == Broken) {
			t.Errorf("%s: gitrepo says %v", c.version, err)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 301_536_248: "301.5 MB", 1 << 31: "2.1 GB", 1<<64 - 1: "18.4 EB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// TestRealMachine looks at the machine that runs the tests: whatever it has, every item is told whole.
func TestRealMachine(t *testing.T) {
	items, err := Examine(t.Context(), Machine{Data: t.TempDir(), Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if it.Name == "" || it.Found == "" || it.State == "" || it.Stops == "" || (it.State == OK) != (it.TurnsOff == "" && it.Remedy == "") && it.State != Unknown {
			t.Errorf("%+v", it)
		}
	}
	if items[0].Name != "git" || items[0].State != OK {
		t.Errorf("these tests need git: %+v", items[0])
	}
}

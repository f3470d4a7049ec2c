package cli_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/specgate/specgate/internal/cli"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
)

var update = flag.Bool("update", false, "write the golden parts of the scripts")

// runAsSpecgate, set in the environment, makes the test binary check the directory that it runs in.
const runAsSpecgate = "RUN_AS_SPECGATE"

func TestMain(m *testing.M) {
	sandbox.Main()
	if os.Getenv(runAsSpecgate) != "" {
		os.Exit(cli.Main([]string{"check", "-v"}, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){
		"specgate": func() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup:               setup,
		// verus-release: there are releases of Verus for this platform. rustc: code can be compiled, and run isolated.
		Condition: func(name string) (bool, error) {
			if name == "rustc" {
				why := cannotMeasure(t.Context())
				if why != nil && sandboxtest.Oracle.Made() {
					return false, why
				}
				return why == nil, nil
			}
			if name != "verus-release" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			_, err := verus.Platform(runtime.GOOS, runtime.GOARCH)
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"commit":  commit,
			"repeat":  repeat,
			"example": example,
			"pack":    pack,
			"sha256":  hash,
			"serve":   serve,
			"release": release,
		},
	})
}

// gitEnvironment gives commits fixed authors and dates, so that their ids are the same in every run, and keeps the
// configuration of this machine out.
func gitEnvironment() map[string]string {
	const who, when = "someone", "2026-01-01T00:00:00Z"
	return map[string]string{
		"GIT_AUTHOR_NAME": who, "GIT_AUTHOR_EMAIL": who + "@example.com", "GIT_AUTHOR_DATE": when,
		"GIT_COMMITTER_NAME": who, "GIT_COMMITTER_EMAIL": who + "@example.com", "GIT_COMMITTER_DATE": when,
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "NO_COLOR": "1", "CI": "",
	}
}

func setup(env *testscript.Env) error {
	example, err := filepath.Abs(filepath.Join("..", "..", "examples", "numbers"))
	if err != nil {
		return err
	}
	env.Setenv("EXAMPLE", example)
	// For scripts that have a PATH of their own.
	self, err := exec.LookPath("specgate")
	if err != nil {
		return err
	}
	env.Setenv("SPECGATE", self)
	if platform, err := verus.Platform(runtime.GOOS, runtime.GOARCH); err == nil {
		env.Setenv("PLATFORM", platform)
	}
	// What is measured depends on the machine; scripts about it set this anew.
	env.Setenv("SPECGATE_NO_RUN", "1")
	// Scripts have no home, in which rustup would look for the toolchain.
	if home, err := os.UserHomeDir(); err == nil {
		env.Setenv("RUSTUP_HOME", cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup")))
	}
	if toolchain := os.Getenv("RUSTUP_TOOLCHAIN"); toolchain != "" {
		env.Setenv("RUSTUP_TOOLCHAIN", toolchain)
	}
	env.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir))
	for key, value := range gitEnvironment() {
		env.Setenv(key, value)
	}
	return nil
}

// release FILE: what a report says of the version that made it becomes that of release 0.1.0, as if that had made it.
func release(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: release file")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(asRelease(ts.ReadFile(args[0]))), 0o666))
}

// asRelease gives what specgate printed as release 0.1.0 would, so that a new version changes no golden file.
func asRelease(printed string) string {
	var stdout bytes.Buffer
	cli.Main([]string{"version"}, &stdout, io.Discard)
	line, _, _ := strings.Cut(stdout.String(), "\n")
	return strings.ReplaceAll(printed, `"version": "`+strings.TrimPrefix(line, "specgate ")+`"`, `"version": "0.1.0"`)
}

// code N COMMAND...: the command ends with exit code N. Its stdout and stderr are compared as after exec.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", strings.Join(args[1:], " "), got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// commit DIR MESSAGE: all of a directory becomes a commit, in a new repository on branch main if there is none yet.
func commit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: commit dir message")
	}
	dir := ts.MkAbs(args[0])
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q", "-b", "main", dir))
	}
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", args[1]))
}

// repeat FILE N TEXT...: the file holds the texts, joined with spaces, N times.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: repeat file n text...")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, bytes.Repeat([]byte(strings.Join(args[2:], " ")), n), 0o666))
}

// pack ZIP DIR TOP: the zip has the files of a directory, below a folder TOP, without permissions.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: pack zip dir top")
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	dir := os.DirFS(ts.MkAbs(args[1]))
	ts.Check(fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		f, err := w.Create(path.Join(args[2], name))
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return err
	}))
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// sha256 NAME FILE: the variable has the hash of the file.
func hash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sha256 name file")
	}
	ts.Setenv(args[0], fmt.Sprintf("%x", sha256.Sum256([]byte(ts.ReadFile(args[1])))))
}

// serve NAME DIR: the variable has the address of a server, on this machine, of the files of a directory.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve name dir")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[1]))))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}

// example DIR: the two commits of examples/numbers in a new repository.
func example(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: example dir")
	}
	dir := ts.MkAbs(args[0])
	for _, side := range []string{"base", "head"} {
		for _, name := range []string{"src", "Cargo.toml"} {
			ts.Check(os.RemoveAll(filepath.Join(dir, name)))
		}
		ts.Check(os.CopyFS(dir, os.DirFS(filepath.Join(ts.Getenv("EXAMPLE"), side))))
		commit(ts, false, []string{args[0], side})
	}
}

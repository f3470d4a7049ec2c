package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// sh is a command that runs a shell script within wide limits.
func sh(script string) sandbox.Command {
	return sandbox.Command{
		Name:   "/bin/sh",
		Args:   []string{"-c", script},
		Env:    sandbox.Environ(),
		Limits: sandbox.Limits{Wall: 30 * time.Second, Stdout: 1 << 20, Stderr: 1 << 20},
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "text"), "no program\n", 0o755)
	write(t, filepath.Join(dir, "script"), "#!/no/such/interpreter\n", 0o755)
	tests := []struct {
		name    string
		command func() sandbox.Command
		want    sandbox.Result
		wantErr string
		is      error
		// An isolated program has other values of HOME and TMPDIR.
		plainOnly bool
	}{
		{
			name:    "both outputs",
			command: func() sandbox.Command { return sh("echo out; echo err >&2") },
			want:    sandbox.Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")},
		},
		{
			name: "standard input",
			command: func() sandbox.Command {
				c := sh("cat")
				c.Stdin = []byte("from the caller")
				return c
			},
			want: sandbox.Result{Stdout: []byte("from the caller")},
		},
		{
			name:    "no standard input is empty input",
			command: func() sandbox.Command { return sh("cat; echo end") },
			want:    sandbox.Result{Stdout: []byte("end\n")},
		},
		{
			name: "input that is not read",
			command: func() sandbox.Command {
				c := sh("exec true")
				c.Stdin = bytes.Repeat([]byte("x"), 1<<20)
				return c
			},
		},
		{
			name: "environment is exactly the one given",
			command: func() sandbox.Command {
				c := sh("")
				c.Name, c.Args, c.Env = "/usr/bin/env", nil, []string{"ONLY=this"}
				return c
			},
			want:      sandbox.Result{Stdout: []byte("ONLY=this\n")},
			plainOnly: true,
		},
		{
			name: "nil environment is empty",
			command: func() sandbox.Command {
				c := sh("")
				c.Name, c.Args, c.Env = "/usr/bin/env", nil, nil
				return c
			},
			plainOnly: true,
		},
		{
			name: "working directory",
			command: func() sandbox.Command {
				c := sh("pwd -P")
				c.Dir = dir
				return c
			},
			want: sandbox.Result{Stdout: []byte(realPath(t, dir) + "\n")},
		},
		{
			name:    "exit status",
			command: func() sandbox.Command { return sh("echo partial; exit 7") },
			want:    sandbox.Result{Stdout: []byte("partial\n"), ExitCode: 7},
			wantErr: "/bin/sh ended with exit status 7",
		},
		{
			name:    "signal",
			command: func() sandbox.Command { return sh("kill -TERM $$") },
			want:    sandbox.Result{ExitCode: -1},
			wantErr: "/bin/sh was ended by signal: terminated",
		},
		{
			name: "wall-clock limit",
			command: func() sandbox.Command {
				c := sh("echo before; sleep 60; echo after")
				c.Limits.Wall = 200 * time.Millisecond
				return c
			},
			want:    sandbox.Result{Stdout: []byte("before\n"), ExitCode: -1},
			wantErr: "run /bin/sh: wall-clock limit reached: 200ms",
			is:      sandbox.ErrWallLimit,
		},
		{
			name: "interrupt lets the program end in its own way",
			command: func() sandbox.Command {
				c := sh("trap 'echo bye; exit 3' INT; echo before; while :; do sleep 0.05; done")
				c.Limits.Wall = 300 * time.Millisecond
				c.Grace = 20 * time.Second
				return c
			},
			want:    sandbox.Result{Stdout: []byte("before\nbye\n"), ExitCode: 3},
			wantErr: "run /bin/sh: wall-clock limit reached: 300ms",
			is:      sandbox.ErrWallLimit,
		},
		{
			name: "a program that ignores the interrupt is killed",
			command: func() sandbox.Command {
				c := sh("trap '' INT; echo before; while :; do sleep 0.05; done")
				c.Limits.Wall = 200 * time.Millisecond
				c.Grace = 200 * time.Millisecond
				return c
			},
			want:    sandbox.Result{Stdout: []byte("before\n"), ExitCode: -1},
			wantErr: "run /bin/sh: wall-clock limit reached: 200ms",
			is:      sandbox.ErrWallLimit,
		},
		{
			name: "output at the limit",
			command: func() sandbox.Command {
				c := sh("printf 12345; printf abc >&2")
				c.Limits.Stdout, c.Limits.Stderr = 5, 3
				return c
			},
			want: sandbox.Result{Stdout: []byte("12345"), Stderr: []byte("abc")},
		},
		{
			name: "too much on stdout",
			command: func() sandbox.Command {
				c := sh("while :; do echo 1234567; done")
				c.Limits.Stdout = 10
				return c
			},
			want:    sandbox.Result{Stdout: []byte("1234567\n12"), ExitCode: -1},
			wantErr: "run /bin/sh: output limit reached: more than 10 bytes of stdout",
			is:      sandbox.ErrOutputLimit,
		},
		{
			name: "too much on stderr",
			command: func() sandbox.Command {
				c := sh("while :; do echo 1234567 >&2; done")
				c.Limits.Stderr = 10
				return c
			},
			want:    sandbox.Result{Stderr: []byte("1234567\n12"), ExitCode: -1},
			wantErr: "run /bin/sh: output limit reached: more than 10 bytes of stderr",
			is:      sandbox.ErrOutputLimit,
		},
		{
			name: "unknown program",
			command: func() sandbox.Command {
				c := sh("")
				c.Name = "no-such-program-here"
				return c
			},
			want:    sandbox.Result{ExitCode: -1},
			wantErr: `start no-such-program-here: exec: "no-such-program-here": executable file not found in $PATH`,
			is:      sandbox.ErrNotFound,
		},
		{
			name: "unknown directory",
			command: func() sandbox.Command {
				c := sh("true")
				c.Dir = "/no-such-directory-here"
				return c
			},
			want:    sandbox.Result{ExitCode: -1},
			wantErr: "start /bin/sh: working directory: stat /no-such-directory-here: no such file or directory",
			is:      os.ErrNotExist,
		},
		{
			name: "a file that is no program",
			command: func() sandbox.Command {
				c := sh("")
				c.Name = filepath.Join(dir, "text")
				return c
			},
			want:    sandbox.Result{ExitCode: -1},
			wantErr: "start " + dir + "/text: fork/exec " + dir + "/text: exec format error",
			is:      syscall.ENOEXEC,
		},
		{
			name: "a script whose interpreter does not exist",
			command: func() sandbox.Command {
				c := sh("")
				c.Name = filepath.Join(dir, "script")
				return c
			},
			want:    sandbox.Result{ExitCode: -1},
			wantErr: "start " + dir + "/script: fork/exec " + dir + "/script: no such file or directory",
			is:      os.ErrNotExist,
		},
		{
			name: "an argument with bytes that are no UTF-8",
			command: func() sandbox.Command {
				c := sh(`printf %s "$0"`)
				c.Args = append(c.Args, "a\xff\xfeb")
				return c
			},
			want: sandbox.Result{Stdout: []byte("a\xff\xfeb")},
		},
		{
			name: "a variable given twice",
			command: func() sandbox.Command {
				c := sh(`echo $X`)
				c.Env = append(c.Env, "X=first", "X=last")
				return c
			},
			want: sandbox.Result{Stdout: []byte("last\n")},
		},
		{
			name: "a negative limit",
			command: func() sandbox.Command {
				c := sh("true")
				c.Limits.CPU = -time.Second
				return c
			},
			want:    sandbox.Result{ExitCode: -1},
			wantErr: "start /bin/sh: no limit of processor time, memory, file size or processes may be negative",
		},
		{
			name: "a limit left out",
			command: func() sandbox.Command {
				c := sh("true")
				c.Limits.Stderr = 0
				return c
			},
			want:    sandbox.Result{ExitCode: -1},
			wantErr: "start /bin/sh: every limit must be set, got {Wall:30s Stdout:1048576 Stderr:0}",
		},
	}
	// A program ends in the same way however it is started.
	ways := []struct {
		name string
		with func(*sandbox.Command)
	}{
		{"plain", func(*sandbox.Command) {}},
		{"limited", func(c *sandbox.Command) { c.Limits.FileSize = 1 << 40 }},
		{"isolated", func(c *sandbox.Command) { c.Isolate = &sandbox.Isolation{Write: []string{dir}} }},
	}
	for _, way := range ways {
		for _, tt := range tests {
			if tt.plainOnly && way.name == "isolated" {
				continue
			}
			t.Run(way.name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				c := tt.command()
				way.with(&c)
				got, err := c.Run(t.Context())
				if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(sandbox.Result{}, "Duration", "Protections"), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.wantErr, message(err)); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("error %v is not %v", err, tt.is)
				}
			})
		}
	}
}

func TestExitErrorIsFound(t *testing.T) {
	_, err := sh("exit 4").Run(t.Context())
	var exit *sandbox.ExitError
	if !errors.As(fmt.Errorf("wrapped: %w", err), &exit) {
		t.Fatalf("%v is not an ExitError", err)
	}
	if diff := cmp.Diff(&sandbox.ExitError{Name: "/bin/sh", ExitCode: 4}, exit); diff != "" {
		t.Error(diff)
	}
}

func TestContextEndsProgram(t *testing.T) {
	cause := errors.New("the run was given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	_, err := sh("sleep 60").Run(ctx)
	if message(err) != "run /bin/sh: the run was given up" || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if _, err := sh("true").Run(ctx); message(err) != "start /bin/sh: the run was given up" {
		t.Errorf("with an ended context: got %v", err)
	}
}

// A child in the background holds the output open, and must neither outlive the program nor delay its end.
func TestGroupEndsWithProgram(t *testing.T) {
	start := time.Now()
	res, err := sh("sleep 60 & echo $!").Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	wantDead(t, strings.TrimSpace(string(res.Stdout)))
}

func TestGroupEndsWithLimit(t *testing.T) {
	c := sh("sleep 60 & echo $!; wait")
	c.Limits.Wall = 200 * time.Millisecond
	res, err := c.Run(t.Context())
	if !errors.Is(err, sandbox.ErrWallLimit) {
		t.Fatalf("got %v", err)
	}
	wantDead(t, strings.TrimSpace(string(res.Stdout)))
}

// A process that left the group cannot be killed with it, and the output then is not known to be complete.
func TestOutputHeld(t *testing.T) {
	sandboxtest.Isolation.Program(t, "setsid") // with which a process leaves its group
	pidFile := filepath.Join(t.TempDir(), "pid")
	c := sh(`setsid sh -c 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 60' "$0" & while ! test -e "$0"; do sleep 0.02; done; echo out`)
	c.Args = append(c.Args, pidFile)
	res, err := c.Run(t.Context())
	if message(err) != "run /bin/sh: a process left behind keeps the output open" || !errors.Is(err, sandbox.ErrOutputHeld) {
		t.Errorf("got %v", err)
	}
	if string(res.Stdout) != "out\n" {
		t.Errorf("stdout: got %q", res.Stdout)
	}
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Errorf("end the process left behind: %v", err)
	}
}

func TestStartConverses(t *testing.T) {
	p, err := sh(`while read line; do echo "got $line"; done; echo end; echo note >&2`).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(p.Stdout)
	for _, word := range []string{"one", "two"} {
		if _, err := fmt.Fprintln(p.Stdin, word); err != nil {
			t.Fatal(err)
		}
		line, err := out.ReadString('\n')
		if err != nil || line != "got "+word+"\n" {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	if err := p.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil || string(rest) != "end\n" {
		t.Fatalf("got %q, %v", rest, err)
	}
	res, err := p.Wait()
	if err != nil || string(res.Stderr) != "note\n" || res.ExitCode != 0 || res.Duration <= 0 {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestStartOutputLimit(t *testing.T) {
	c := sh("while :; do echo 1234567; done")
	c.Limits.Stdout = 20
	p, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(p.Stdout)
	const want = "run /bin/sh: output limit reached: more than 20 bytes of stdout"
	if string(out) != "1234567\n1234567\n1234" || message(err) != want {
		t.Errorf("read: got %q, %v", out, err)
	}
	if _, err := p.Wait(); message(err) != want {
		t.Errorf("wait: got %v", err)
	}
}

func TestStop(t *testing.T) {
	p, err := sh("sleep 60").Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	p.Stop()
	_, err = p.Wait()
	if message(err) != "run /bin/sh: stopped: context canceled" || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestStartRefusesStdin(t *testing.T) {
	c := sh("cat")
	c.Stdin = []byte("x")
	_, err := c.Start(t.Context())
	if message(err) != "start /bin/sh: Stdin is only for Run; write to Process.Stdin" {
		t.Errorf("got %v", err)
	}
}

func TestEnviron(t *testing.T) {
	t.Setenv("HOME", "/home/x")
	t.Setenv("PATH", "/bin")
	t.Setenv("TMPDIR", "/t")
	t.Setenv("A_SECRET", "token")
	t.Setenv("WANTED", "a=b")
	t.Setenv("EMPTY", "")
	t.Chdir("/etc")
	t.Setenv("CARGO_HOME", "../cargo")
	t.Setenv("RUSTUP_HOME", "")
	want := []string{"CARGO_HOME=/cargo", "EMPTY=", "HOME=/home/x", "PATH=/bin", "RUSTUP_HOME=", "TMPDIR=/t", "WANTED=a=b"}
	if diff := cmp.Diff(want, sandbox.Environ("WANTED", "NOT_SET_ANYWHERE", "EMPTY", "PATH", "CARGO_HOME", "RUSTUP_HOME")); diff != "" {
		t.Error(diff)
	}
}

func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tool")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got, err := sandbox.LookPath("tool"); err != nil || got != path {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := sandbox.LookPath("other")
	if message(err) != `look for the program other: exec: "other": executable file not found in $PATH` || !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// wantDead waits until no process, or only one that nobody has reaped yet, has the id.
func wantDead(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if syscall.Kill(n, 0) != nil {
			return
		}
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s still runs", pid)
}

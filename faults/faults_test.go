// Package faults_test breaks what specgate rests on while it runs: its own process, GitHub, the disk, the database, the clock. After each break the next run
// must end in the same state as if nothing had happened, and a broken run must never look like a good one.
//
// FAULTS is how often each test breaks something, and FAULTS_SEED decides where; both are printed. `make faults` runs 200.
package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// specgate is the command under test.
var specgate string

func TestMain(m *testing.M) {
	flag.Parse()
	// Most of them wait most of the time, for what is broken and for pauses.
	if err := flag.Set("test.parallel", "24"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	dir, err := os.MkdirTemp("", "specgate-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	specgate = filepath.Join(dir, "specgate")
	build := exec.Command("go", "build", "-o", specgate, "../cmd/specgate")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	code := 1
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build specgate:", err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// each runs a test for every fault, with numbers that depend on the seed and the fault alone.
func each(t *testing.T, few int, fault func(t *testing.T, random *rand.Rand)) {
	t.Helper()
	runs, seed := few, uint64(time.Now().UnixNano())
	var err error
	if text := os.Getenv("FAULTS"); text != "" {
		if runs, err = strconv.Atoi(text); err != nil || runs < 1 {
			t.Fatalf("FAULTS=%q: want how often something breaks, at least 1", text)
		}
	}
	if text := os.Getenv("FAULTS_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("FAULTS_SEED=%q: want a number", text)
		}
	}
	var good atomic.Int64
	t.Run("run", func(t *testing.T) {
		for i := range runs {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Cleanup(func() {
					if !t.Failed() && !t.Skipped() {
						good.Add(1)
					}
				})
				fault(t, rand.New(rand.NewPCG(seed, uint64(i))))
			})
		}
	})
	fmt.Printf("%s: the right state in %d of %d runs, FAULTS_SEED=%d\n", t.Name(), good.Load(), runs, seed)
}

// change is a repository with two commits, the second of which is to be checked.
type change struct{ dir, base, head string }

func (c *change) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", c.dir, "-c", "user.name=example", "-c", "user.email=example@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// example is the bundled example.
func example(t *testing.T) *change {
	t.Helper()
	c := &change{dir: filepath.Join(t.TempDir(), "numbers")}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	c.git(t, "init", "-q", "-b", "main")
	for _, side := range []string{"base", "head"} {
		if err := os.RemoveAll(filepath.Join(c.dir, "src")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(c.dir, "Cargo.toml")); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(c.dir, os.DirFS(filepath.Join("..", "examples", "numbers", side))); err != nil {
			t.Fatal(err)
		}
		c.git(t, "add", "-A")
		c.git(t, "commit", "-q", "-m", side)
	}
	c.base, c.head = c.git(t, "rev-parse", "HEAD~1"), c.git(t, "rev-parse", "HEAD")
	return c
}

// ran is what became of a process.
type ran struct {
	code           int
	killed         bool
	stdout, stderr string
}

// run runs specgate with a directory for its temporary files, and kills it after a while unless that is 0.
func run(t *testing.T, temp string, after time.Duration, env []string, args ...string) ran {
	t.Helper()
	// Only what hangs takes so long; a publication waits a while for a GitHub that fails.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, specgate, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(append(os.Environ(), "TMPDIR="+temp), env...)
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if ctx.Err() != nil {
		t.Fatalf("specgate %v did not end", args)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ran{code: cmd.ProcessState.ExitCode(), killed: status.Signaled() && status.Signal() == syscall.SIGKILL, stdout: stdout.String(), stderr: stderr.String()}
}

// processes are those that have a text in their environment. They are given some time to end.
func processes(t *testing.T, text string) []string {
	t.Helper()
	var left []string
	for range 100 {
		left = nil
		names, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if env, err := os.ReadFile(name); err == nil && bytes.Contains(env, []byte(text)) {
				line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
				left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return left
}

// TestKillCheck kills a check at any moment. The next one says the same as one before which nothing was killed, whatever the killed one has
// left in the cache; no half report is in the file; the repository is as it was; and no process stays behind.
func TestKillCheck(t *testing.T) {
	c := example(t)
	args := func(cache, file string) []string {
		return []string{"check", "--repo", c.dir, "--base", c.base, "--head", c.head, "--format", "json", "--output", "markdown=" + file, "--cache", cache}
	}
	file := filepath.Join(t.TempDir(), "report.md")
	began := time.Now()
	shared := t.TempDir()
	want := run(t, t.TempDir(), 0, nil, args(shared, file)...)
	took := time.Since(began)
	if want.code != 1 {
		t.Fatalf("the example ends with exit code %d: %s", want.code, want.stderr)
	}
	wantFile, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	each(t, 3, func(t *testing.T, random *rand.Rand) {
		// Where all is kept already little is done.
		cache := shared
		if random.IntN(3) > 0 {
			cache = t.TempDir()
		}
		temp, file := t.TempDir(), filepath.Join(t.TempDir(), "report.md")
		got := run(t, temp, time.Duration(random.Int64N(int64(took)))+time.Millisecond, nil, args(cache, file)...)
		if !got.killed && got != want {
			t.Errorf("not killed, and another result: %+v", got)
		}
		if left := processes(t, "TMPDIR="+temp); left != nil {
			t.Errorf("after a kill these go on: %q", left)
		}
		if text, err := os.ReadFile(file); err == nil && !bytes.Equal(text, wantFile) {
			t.Errorf("the file of a run that was killed has something else (-want +got):\n%s", cmp.Diff(string(wantFile), string(text)))
		}
		if status := c.git(t, "status", "--porcelain") + c.git(t, "fsck", "--strict"); status != "" {
			t.Errorf("the repository is not as it was: %s", status)
		}
		if diff := cmp.Diff(want.stdout, run(t, temp, 0, nil, args(cache, file)...).stdout); diff != "" {
			t.Errorf("the next run says something else (-want +got):\n%s", diff)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, wantFile) {
			t.Errorf("the file of the next run has something else: %v\n%s", err, cmp.Diff(string(wantFile), string(text)))
		}
	})
}

// TestFullDisk gives a check a disk that is full at some point. What it could not do is said, and nothing reads as if it had been done.
func TestFullDisk(t *testing.T) {
	if err := exec.Command("unshare", "-Urm", "true").Run(); err != nil {
		sandboxtest.Isolation.Lacks(t, "no user namespaces, in which a small disk could be mounted: ", err)
	}
	c := example(t)
	file := filepath.Join(t.TempDir(), "whole.json")
	args := []string{"check", "--repo", c.dir, "--base", c.base, "--head", c.head, "--format", "json", "--no-cache"}
	want := run(t, t.TempDir(), 0, nil, append(args, "--output", "json="+file)...)
	if want.code != 1 {
		t.Fatalf("the example ends with exit code %d: %s", want.code, want.stderr)
	}
	each(t, 3, func(t *testing.T, random *rand.Rand) {
		// From next to nothing to more than the run needs: each size is as likely as its double.
		size := 16 << random.IntN(14) // KiB
		size += random.IntN(size)
		dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "report.json")
		script := `mount -t tmpfs -o size="$1"k none "$2" && export TMPDIR="$2" || exit 99
disk=$2 kept=$3; shift 3
"$@" --output json="$disk/report.json"; code=$?
[ ! -e "$disk/report.json" ] || cp "$disk/report.json" "$kept"
exit $code`
		cmd := exec.Command("unshare", append([]string{"-Urm", "sh", "-c", script, "sh", strconv.Itoa(size), dir, kept, specgate}, args...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		code := cmd.ProcessState.ExitCode()
		where := fmt.Sprintf("%d KiB, exit code %d, %s", size, code, stderr.String())
		if code == 99 {
			t.Fatal(where)
		}
		if text, err := os.ReadFile(kept); err == nil && string(text) != stdout.String() {
			t.Errorf("%s: the report on the disk is not the one that was written: %s", where, cmp.Diff(stdout.String(), string(text)))
		}
		switch {
		case stdout.String() == want.stdout && code == want.code:
		case stdout.String() == want.stdout && code == 3: // the file could not be written
			if !strings.Contains(stderr.String(), "no space left") {
				t.Errorf("%s: it does not say why it failed", where)
			}
		case stdout.Len() == 0 && code == 3:
			if !strings.Contains(stderr.String(), "no space left") {
				t.Errorf("%s: it does not say why it failed", where)
			}
		default:
			whole, less := report(t, want.stdout), report(t, stdout.String())
			if code == 0 || less.Outcome == checks.OutcomePass {
				t.Errorf("%s: it passed", where)
			}
			if unsaid := unmeasured(whole, less); unsaid != nil {
				t.Errorf("%s: it does not say that it could not measure %q", where, unsaid)
			}
		}
	})
}

func report(t *testing.T, text string) *checks.Report {
	t.Helper()
	var r checks.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("read the report: %v: %q", err, text)
	}
	return &r
}

// unmeasured are functions that have a strength in the one report, and in the other neither that nor anything that says why.
func unmeasured(whole, less *checks.Report) []string {
	said := len(less.Reasons) > len(whole.Reasons)
	about := map[string]bool{}
	for _, f := range less.Findings {
		if f.Rule == "strength/unmeasured" {
			about[f.Symbol] = true
		}
	}
	has := map[string]bool{}
	for _, f := range less.Functions {
		has[f.Symbol] = f.Strength.Head != nil
	}
	var out []string
	for _, f := range whole.Functions {
		if f.Strength.Head != nil && !has[f.Symbol] && !said && !about[f.Symbol] {
			out = append(out, f.Symbol)
		}
	}
	return out
}

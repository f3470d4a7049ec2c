package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// installed is a verifier whose files are there, so that its answers can be kept; it says what was recorded.
func installed(t *testing.T, runner verus.Runner) *verus.Verifier {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"verus", "cargo-verus", "z3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\x7fELF"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return verus.Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), filepath.Join(dir, "z3"),
		verus.Version{Release: "0.2025.06.23.283b036", Toolchain: "1.85.0-x86_64-unknown-linux-gnu"}, runner)
}

// sides is a repository with a base and a head that are proved, and a runner that says so.
func sides(t *testing.T, policyText string) (*repo, *verustest.Replay) {
	t.Helper()
	r := newRepo(t)
	replay := verustest.NewReplay(t)
	files := map[string]string{"src/lib.rs": honest}
	if policyText != "" {
		files[".specgate.toml"] = policyText
	}
	for _, side := range []string{"base", "head"} {
		files["NAME"] = side + "\n"
		for name, text := range files {
			r.write(name, text)
		}
		r.commit(side)
		rec, err := verustest.ReadRecording(filepath.Join("testdata", "gate", "honest.verus.json"))
		if err != nil {
			t.Fatal(err)
		}
		replay.Add(rec, files)
	}
	// What was accepted is base.
	r.git("checkout", "-q", "-b", "change")
	r.git("branch", "-f", "main", "HEAD~1")
	return r, replay
}

// calls are the sides that the verifier was run on.
type calls struct {
	verus.Runner
	mu  sync.Mutex
	got []string
}

func (c *calls) Run(ctx context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	name, err := os.ReadFile(filepath.Join(cmd.Dir, "NAME"))
	if err != nil {
		return sandbox.Result{ExitCode: -1}, err
	}
	c.mu.Lock()
	c.got = append(c.got, strings.TrimSpace(string(name)))
	c.mu.Unlock()
	return c.Runner.Run(ctx, cmd)
}

func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.got
	c.got = nil
	return out
}

func withVerifier(o engine.Options, v *verus.Verifier) engine.Options {
	o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
	return o
}

// reportOf is the report without what tells commits and cached answers apart.
func reportOf(t *testing.T, report *checks.Report) string {
	t.Helper()
	copied, tool := *report, *report.Tools.Verus
	tool.Cached = checks.Cached{}
	copied.Tools.Verus = &tool
	copied.Base.Rev, copied.Head.Rev = "base", "head"
	var b bytes.Buffer
	if err := annotate.JSON(&b, &copied); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCache: which answers are kept, and that a report made of kept ones is the same.
func TestCache(t *testing.T) {
	for _, c := range []struct {
		name, policy string
		prepare      func(r *repo)
		working      bool
		second       []string // what is run the second time
	}{
		{name: "base of the default branch", second: []string{"head"}},
		{name: "nothing is accepted", prepare: func(r *repo) { r.git("branch", "-D", "main") }, second: []string{"base", "head"}},
		{name: "base of another branch", prepare: func(r *repo) {
			r.git("checkout", "-q", "--orphan", "unrelated")
			r.git("commit", "-q", "--allow-empty", "-m", "unrelated")
			r.git("branch", "-f", "main", "unrelated")
			r.git("checkout", "-q", "change")
		}, second: []string{"base", "head"}},
		{name: "head is accepted too", prepare: func(r *repo) { r.git("branch", "-f", "main", "change") }},
		{name: "policy", policy: "version = 1\n[cache]\nwrite-head = true\n"},
		{name: "working tree", working: true, second: []string{"head"}},
		{name: "little room", policy: "version = 1\n[cache]\nmax-mib = 1\n", second: []string{"head"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, replay := sides(t, c.policy)
			if c.prepare != nil {
				c.prepare(r)
			}
			run := &calls{Runner: replay}
			o := withVerifier(r.options(), installed(t, run))
			o.Base, o.Head = "change~1", "change"
			if c.working {
				o.Head = ""
			}
			o.Cache = filepath.Join(t.TempDir(), "cache")
			first := check(t, o).Report
			if first.Outcome != checks.OutcomePass || first.Tools.Verus.Cached != (checks.Cached{}) {
				t.Errorf("outcome %v, cached %+v", first.Outcome, first.Tools.Verus.Cached)
			}
			if diff := cmp.Diff([]string{"base", "head"}, run.take()); diff != "" {
				t.Errorf("first (-want +got):\n%s", diff)
			}
			second := check(t, o).Report
			if diff := cmp.Diff(c.second, run.take()); diff != "" {
				t.Errorf("second (-want +got):\n%s", diff)
			}
			want := checks.Cached{Base: !slices.Contains(c.second, "base"), Head: !slices.Contains(c.second, "head")}
			if second.Tools.Verus.Cached != want {
				t.Errorf("cached %+v, want %+v", second.Tools.Verus.Cached, want)
			}
			if diff := cmp.Diff(reportOf(t, first), reportOf(t, second)); diff != "" {
				t.Errorf("(-first +second):\n%s", diff)
			}
			o.Cache = ""
			if report := check(t, o).Report; report.Tools.Verus.Cached != (checks.Cached{}) || len(run.take()) != 2 {
				t.Error("without a cache something is cached")
			}
		})
	}
}

// TestCacheTrouble: without a cache that works all is as it would be, and it is said.
func TestCacheTrouble(t *testing.T) {
	r, replay := sides(t, "")
	good := check(t, withVerifier(r.options(), installed(t, replay))).Report
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	if err := os.Mkdir(filepath.Join(full, "lock"), 0o700); err != nil { // so that no writer gets the lock
		t.Fatal(err)
	}
	wide := t.TempDir()
	if err := os.Chmod(wide, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir, says string
		verifier        func() *verus.Verifier
	}{
		{"not a directory", file, "level=WARN msg=\"the cache is not used\" error=\"open the cache " + file, nil},
		{"open to all", wide, "level=WARN msg=\"the cache is not used\" error=\"open the cache " + wide + ": every user", nil},
		{"not writable", full, "level=WARN msg=\"the cache did not work\" side=base error=\"write an entry of the cache " + full, nil},
		{"an unknown verifier", t.TempDir(), "level=INFO msg=\"the cache is not used\" why=\"keep what the verifier says: ",
			func() *verus.Verifier { return verustest.Installed("0.2025.06.23.283b036", replay) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := installed(t, replay)
			if c.verifier != nil {
				v = c.verifier()
			}
			o := withVerifier(r.options(), v)
			o.Cache = c.dir
			var log bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&log, nil))
			report := check(t, o).Report
			report.Tools.Verus.Toolchain = good.Tools.Verus.Toolchain
			if diff := cmp.Diff(reportOf(t, good), reportOf(t, report)); diff != "" {
				t.Errorf("(-without +with):\n%s", diff)
			}
			if !strings.Contains(log.String(), c.says) {
				t.Errorf("it does not say %s:\n%s", c.says, &log)
			}
		})
	}
}

// meeting is a runner that lets no run go on before there are two.
type meeting struct {
	verus.Runner
	both    chan struct{}
	mu      sync.Mutex
	running int
}

func (m *meeting) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	m.mu.Lock()
	if m.running++; m.running == 2 {
		close(m.both)
	}
	m.mu.Unlock()
	select {
	case <-m.both:
	case <-ctx.Done():
		return sandbox.Result{ExitCode: -1}, ctx.Err()
	case <-time.After(time.Minute):
		return sandbox.Result{ExitCode: -1}, errors.New("nobody else runs")
	}
	return m.Runner.Run(ctx, c)
}

// TestTogether: with enough memory and more than one job base and head are verified at the same time, and the report is the same.
func TestTogether(t *testing.T) {
	r, replay := sides(t, "")
	o := withVerifier(r.options(), installed(t, replay))
	want := reportOf(t, check(t, o).Report)
	o = withVerifier(o, installed(t, &meeting{Runner: replay, both: make(chan struct{})}))
	o.Memory = func() int64 { return 6 << 30 }
	o.Cache = t.TempDir()
	if diff := cmp.Diff(want, reportOf(t, check(t, o).Report)); diff != "" {
		t.Errorf("(-one after the other +together):\n%s", diff)
	}
	for name, change := range map[string]func(o *engine.Options){
		"one job":       func(o *engine.Options) { o.Jobs = 1 },
		"little memory": func(o *engine.Options) { o.Memory = func() int64 { return 6<<30 - 1 } },
	} {
		run := &alone{Runner: replay}
		o := withVerifier(o, installed(t, run))
		o.Cache = ""
		change(&o)
		if diff := cmp.Diff(want, reportOf(t, check(t, o).Report)); diff != "" || run.most != 1 {
			t.Errorf("%s: %d at a time (-want +got):\n%s", name, run.most, diff)
		}
	}
}

// alone counts how many runs there are at a time.
type alone struct {
	verus.Runner
	mu        sync.Mutex
	now, most int
}

func (a *alone) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	a.mu.Lock()
	a.now++
	a.most = max(a.most, a.now)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.now--
		a.mu.Unlock()
	}()
	time.Sleep(20 * time.Millisecond)
	return a.Runner.Run(ctx, c)
}

// failing is a runner that fails for one side, and waits for its context for the other.
type failing struct {
	side string
	err  error
}

func (f failing) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	name, err := os.ReadFile(filepath.Join(c.Dir, "NAME"))
	if err != nil {
		return sandbox.Result{ExitCode: -1}, err
	}
	if strings.TrimSpace(string(name)) == f.side {
		return sandbox.Result{ExitCode: -1}, f.err
	}
	<-ctx.Done()
	return sandbox.Result{ExitCode: -1}, ctx.Err()
}

// TestTogetherEnds: both runs end with the context, and nothing is left behind.
func TestTogetherEnds(t *testing.T) {
	r, _ := sides(t, "")
	temp := t.TempDir()
	o := withVerifier(r.options(), installed(t, failing{}))
	o.Memory = func() int64 { return 6 << 30 }
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := engine.Check(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	for _, side := range []string{"base", "head"} {
		// The caller's own context is as it was; that of the runs has ended.
		o := withVerifier(o, installed(t, failing{side, context.DeadlineExceeded}))
		if _, err := engine.Check(context.Background(), o); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", side, err)
		}
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

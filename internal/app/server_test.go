package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/app"
	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/policy"
	positions "github.com/specgate/specgate/internal/source"
)

// Commits of acme/numbers: the base, and heads one..six, each a child of the base.
const (
	baseSHA = "1111111111111111111111111111111111111111"
	one     = "2222222222222222222222222222222222222222"
	two     = "3333333333333333333333333333333333333333"
	three   = "4444444444444444444444444444444444444444"
	other   = "5555555555555555555555555555555555555555" // the tip of another branch
)

// checker is what the test wants a check to be. A check that is not told otherwise finds nothing.
type checker struct {
	mu    sync.Mutex
	jobs  []string
	do    func(ctx context.Context, job app.Job) (app.Result, error)
	begun chan string
}

func (c *checker) Check(ctx context.Context, job app.Job) (app.Result, error) {
	c.mu.Lock()
	c.jobs = append(c.jobs, fmt.Sprintf("%s #%d %.4s..%.4s %v", job.Repo, job.Pull, job.Base, job.Head, job.Accepted))
	do := c.do
	c.mu.Unlock()
	select {
	case c.begun <- job.Head:
	default:
	}
	if _, err := job.Token(ctx); err != nil {
		return app.Result{}, err
	}
	if do != nil {
		return do(ctx, job)
	}
	return passed(job), nil
}

func passed(job app.Job) app.Result {
	return app.Result{Report: &checks.Report{Schema: 1, Base: checks.Revision{Rev: job.Base}, Head: checks.Revision{Rev: job.Head}, Outcome: checks.OutcomePass}}
}

// edited is what a check finds that edits what runs.
func edited(job app.Job) app.Result {
	r := passed(job)
	r.Report.Outcome = checks.OutcomeFindings
	r.Report.Findings = []checks.Finding{{Rule: "edit/exec-changed", Severity: policy.Error, Symbol: "numbers::f", File: "src/lib.rs", Message: "edits what runs", Fingerprint: strings.Repeat("a", 32),
		Span: positions.Range{Start: positions.Position{Line: 1, Column: 1}, End: positions.Position{Line: 1, Column: 2}}}}
	return r
}

func (c *checker) set(do func(context.Context, app.Job) (app.Result, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.do = do
}

func (c *checker) ran() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.jobs)
}

// scene is a server within the test, and a GitHub.
type scene struct {
	*apptest.World
	t       *testing.T
	checker *checker
	config  app.Config
	address string
	log     *lockedBuffer
	stop    func() error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newScene is a GitHub with one repository, and a server that is not started.
func newScene(t *testing.T, database string) *scene {
	t.Helper()
	commits := map[string]githubtest.Commit{baseSHA: {}, other: {Parents: []string{baseSHA}}}
	for _, sha := range []string{one, two, three} {
		commits[sha] = githubtest.Commit{Parents: []string{baseSHA}}
	}
	state := githubtest.State{"acme/numbers": {Default: baseSHA, Commits: commits, Pulls: map[int]*githubtest.Pull{7: {Head: one, Base: baseSHA}}}}
	w := apptest.NewWorld(t, state, "", map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"})
	s := &scene{World: w, t: t, checker: &checker{begun: make(chan string, 100)}, log: &lockedBuffer{}}
	s.config = app.Config{Listen: "127.0.0.1:0", Database: database, AppID: apptest.AppID, PrivateKey: w.Key, WebhookSecret: []byte(apptest.WebhookSecret), APIURL: w.URL,
		UserAgent: "specgate/test", Jobs: 2, Timeout: time.Minute, Patience: 10 * time.Second, Checker: s.checker, Log: slog.New(slog.NewTextHandler(s.log, nil)),
		Retry: 20 * time.Millisecond, Wait: time.Millisecond}
	t.Cleanup(func() {
		if s.stop != nil {
			if err := s.stop(); err != nil {
				t.Errorf("stop: %v", err)
			}
		}
		w.Close()
		for _, p := range w.Problems() {
			if !strings.Contains(p, "No commit found") {
				t.Errorf("a bad request: %s", p)
			}
		}
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	return s
}

func (s *scene) start() {
	s.t.Helper()
	if err := s.tryStart(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) tryStart() error {
	ctx, cancel := context.WithCancel(context.Background())
	listening, ended := make(chan net.Addr, 1), make(chan error, 1)
	s.config.Listening = func(a net.Addr) { listening <- a }
	go func() { ended <- app.Run(ctx, s.config) }()
	select {
	case a := <-listening:
		s.address = a.String()
	case err := <-ended:
		cancel()
		return err
	}
	s.stop = func() error {
		cancel()
		s.stop = nil
		return <-ended
	}
	return nil
}

// post sends an event that is to be accepted.
func (s *scene) post(name string, more map[string]any) {
	s.t.Helper()
	status, text, err := apptest.Send(http.DefaultClient, s.address, s.Event(s.t, name, "acme/numbers", more), nil)
	if err != nil || status != http.StatusAccepted {
		s.t.Fatalf("the event %s: %d %q %v", name, status, text, err)
	}
}

// pull posts an event of pull request 7, after GitHub has what it says. The head is sha, and the event is of second at.
func (s *scene) pull(action, sha string, at int, more map[string]any) {
	s.t.Helper()
	s.Change(func(st githubtest.State) {
		p := st["acme/numbers"].Pulls[7]
		p.Head, p.Closed = sha, action == "closed"
	})
	s.pullEvent(action, sha, at, more)
}

func (s *scene) pullEvent(action, sha string, at int, more map[string]any) {
	s.t.Helper()
	open := "open"
	if action == "closed" {
		open = "closed"
	}
	all := map[string]any{"action": action, "number": 7, "pull_request": map[string]any{"number": 7, "state": open,
		"updated_at": time.Date(2026, 1, 1, 0, 0, at, 0, time.UTC), "head": map[string]any{"sha": sha}}}
	maps.Copy(all, more)
	s.post("pull_request", all)
}

// want waits until there are these check runs and nothing is to be done, and compares the runs as a whole: SHA, status, conclusion, title.
func (s *scene) want(lines ...string) {
	s.t.Helper()
	slices.Sort(lines)
	var got []string
	for range 2000 {
		if s.idle() {
			got = s.runs()
			if slices.Equal(got, lines) {
				return
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.t.Errorf("check runs (-want +got):\n%s", cmp.Diff(lines, s.runs()))
}

func (s *scene) idle() bool {
	text := apptest.Metrics(s.t, s.address)
	for _, want := range []string{"specgate_heads{want=\"check\"} 0\n", "specgate_heads{want=\"end\"} 0\n", "specgate_queue_jobs{queue=\"github\",state=\"running\"} 0\n",
		"specgate_queue_jobs{queue=\"github\",state=\"available\"} 0\n"} {
		if !strings.Contains(text, want) {
			return false
		}
	}
	return true
}

func (s *scene) runs() []string {
	var got []string
	for _, r := range s.State()["acme/numbers"].CheckRuns {
		got = append(got, fmt.Sprintf("%.4s %s %s: %s", r.SHA, r.Status, r.Conclusion, r.Title))
	}
	slices.Sort(got)
	return got
}

// eventually waits for something.
func (s *scene) eventually(what string, ok func() bool) {
	s.t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	s.t.Fatalf("it did not come to this: %s; check runs: %q", what, s.runs())
}

// held is a check that lasts until it is let go, or cancelled. begun waits until one of a head runs.
func (s *scene) held() (letGo func()) {
	gate := make(chan struct{})
	s.checker.set(func(ctx context.Context, job app.Job) (app.Result, error) {
		select {
		case <-gate:
			return passed(job), nil
		case <-ctx.Done():
			return app.Result{}, context.Cause(ctx)
		}
	})
	return sync.OnceFunc(func() { close(gate) })
}

func (s *scene) begins(sha string) {
	s.t.Helper()
	for {
		select {
		case got := <-s.checker.begun:
			if got == sha {
				return
			}
		case <-time.After(time.Minute):
			s.t.Fatalf("no check of %s begins", sha)
		}
	}
}

// each runs a test on SQLite and on PostgreSQL.
func each(t *testing.T, test func(t *testing.T, s *scene)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, newScene(t, filepath.Join(t.TempDir(), "a b?#%.db")))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, newScene(t, postgresURL(t)))
	})
}

func TestPushes(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.pull("opened", one, 1, nil)
		s.want("2222 completed success: " + passTitle)
		run := s.State()["acme/numbers"].CheckRuns[0]
		if run.ExternalID != "head:"+one || run.Name != "specgate" || len(run.Actions) == 0 {
			t.Errorf("the check run: %+v", run)
		}

		// A push while one is checked: the old one is cancelled, and waits for nothing.
		letGo := s.held()
		s.pull("synchronize", two, 2, map[string]any{"before": one})
		s.begins(two)
		if got := s.runs(); !slices.Contains(got, "3333 in_progress : ") {
			t.Errorf("while it is checked: %q", got)
		}
		s.pull("synchronize", three, 3, map[string]any{"before": two})
		s.begins(three)
		letGo()
		s.want("2222 completed success: "+passTitle, "3333 completed cancelled: Superseded by "+three, "4444 completed success: "+passTitle)
		if diff := cmp.Diff([]string{"acme/numbers #7 1111..2222 true", "acme/numbers #7 1111..3333 true", "acme/numbers #7 1111..4444 true"}, s.checker.ran()); diff != "" {
			t.Error(diff)
		}

		// Back to the one before: it is checked again, and its run says so.
		s.pull("synchronize", two, 4, map[string]any{"before": three})
		s.want("2222 completed success: "+passTitle, "3333 completed success: "+passTitle, "4444 completed success: "+passTitle)

		// An event that comes late is not believed, and neither is one again.
		s.pullEvent("synchronize", three, 3, nil)
		s.pullEvent("edited", two, 4, map[string]any{"changes": map[string]any{"base": map[string]any{}}})
		s.eventually("a changed base is checked anew", func() bool { return len(s.checker.ran()) == 5 })
		s.want("2222 completed success: "+passTitle, "3333 completed success: "+passTitle, "4444 completed success: "+passTitle)
		if issued := s.Issued(); !cmp.Equal(issued[0], githubtest.Token{Login: "specgate-app[bot]", AppID: apptest.AppID, Repos: []string{"acme/numbers"},
			Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "read"}}) {
			t.Errorf("token: %+v", issued[0])
		}
	})
}

const passTitle = "0 blocking · nothing proved: no verifier"

func TestLateEvents(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		// The third push is heard of first, and then the second and the first.
		s.pull("synchronize", three, 3, map[string]any{"before": two})
		s.pullEvent("synchronize", two, 2, map[string]any{"before": one})
		s.pullEvent("opened", one, 1, nil)
		s.want("2222 completed cancelled: Superseded by "+three, "3333 completed cancelled: Superseded by "+three, "4444 completed success: "+passTitle)

		// Two of the same second: GitHub knows which is the last.
		s.Change(func(st githubtest.State) { st["acme/numbers"].CheckRuns = nil })
		s.pullEvent("synchronize", one, 5, nil)
		s.want("2222 completed cancelled: Superseded by " + three)
	})
}

func TestClosed(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		s.pull("closed", one, 2, nil)
		s.want("2222 completed cancelled: Pull request 7 was closed")
		s.checker.set(nil)
		s.pull("reopened", one, 3, nil)
		s.want("2222 completed success: " + passTitle)
		s.pull("closed", one, 4, nil)
		s.want("2222 completed success: " + passTitle)
	})
}

// TestForcePush: GitHub has another head before its event comes. Nothing is posted about the old one but that.
func TestForcePush(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
			if job.Head == one {
				s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Head = two })
			}
			return passed(job), nil
		})
		s.pull("opened", one, 1, nil)
		s.want("2222 completed cancelled: Superseded by "+two, "3333 completed success: "+passTitle)

		// A branch that is deleted while its commit is fetched is no failure of specgate.
		s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
			s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Closed = true })
			return app.Result{}, &app.PermanentError{Err: errors.New("the commit is not there any more")}
		})
		s.pull("synchronize", three, 3, nil)
		s.want("2222 completed cancelled: Superseded by "+two, "3333 completed success: "+passTitle, "4444 completed cancelled: Pull request 7 was closed")
	})
}

func TestCommitGone(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		gone := "6666666666666666666666666666666666666666"
		s.pull("opened", gone, 1, nil)
		s.post("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{"head_sha": strings.Repeat("7", 40), "pull_requests": []any{}}})
		s.want()
		if len(s.checker.ran()) > 0 {
			t.Errorf("checked: %q", s.checker.ran())
		}
	})
}

// TestFork: events of a push to a fork name no pull request.
func TestFork(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		suite := func(action, sha string) {
			s.post("check_suite", map[string]any{"action": action, "check_suite": map[string]any{"head_sha": sha, "pull_requests": []any{}, "app": map[string]any{"id": apptest.AppID}}})
		}
		suite("requested", one)
		s.want("2222 completed success: " + passTitle)
		suite("requested", two) // of no pull request
		suite("requested", one) // a second time
		s.want("2222 completed success: " + passTitle)
		if diff := cmp.Diff([]string{"acme/numbers #7 1111..2222 true"}, s.checker.ran()); diff != "" {
			t.Error(diff)
		}
		id := s.State()["acme/numbers"].CheckRuns[0].ID
		suite("rerequested", one)
		s.post("check_run", map[string]any{"action": "rerequested", "check_run": map[string]any{"id": id, "head_sha": one, "app": map[string]any{"id": apptest.AppID}}})
		s.eventually("it is checked again", func() bool { return len(s.checker.ran()) > 1 })
		s.post("check_run", map[string]any{"action": "requested_action", "requested_action": map[string]any{"identifier": "rerun"},
			"check_run": map[string]any{"id": id, "head_sha": one, "app": map[string]any{"id": apptest.AppID}}})
		s.eventually("it is checked again", func() bool { return len(s.checker.ran()) > 2 })
		s.want("2222 completed success: " + passTitle)
		if got := s.State()["acme/numbers"].CheckRuns[0].ID; got != id {
			t.Errorf("the run is %d, not %d", got, id)
		}
		suite("rerequested", two)
		s.want("2222 completed success: "+passTitle, "3333 completed cancelled: This commit is not the head of an open pull request")
	})
}

func TestMergeGroup(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.post("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": two, "base_sha": baseSHA}})
		s.want("3333 completed success: " + passTitle)
		s.held()
		s.post("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": three, "base_sha": other}})
		s.begins(three)
		s.post("merge_group", map[string]any{"action": "destroyed", "reason": "dequeued", "merge_group": map[string]any{"head_sha": three, "base_sha": other}})
		s.want("3333 completed success: "+passTitle, "4444 completed cancelled: The merge queue does not need this commit any more")
		if diff := cmp.Diff([]string{"acme/numbers #0 1111..3333 true", "acme/numbers #0 1111..4444 true"}, s.checker.ran()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMergeGroupAfterPush: the push to the branch of a merge group is heard of before the merge group is, and its job waits or runs by then.
func TestMergeGroupAfterPush(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.config.Jobs = 1
		s.start()
		letGo := s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		s.post("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{"head_sha": two, "pull_requests": []any{}, "app": map[string]any{"id": apptest.AppID}}})
		s.post("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": two, "base_sha": baseSHA}})
		letGo()
		s.want("2222 completed success: "+passTitle, "3333 completed success: "+passTitle)
	})
}

// TestEventMeanwhile: an event that comes while GitHub says that a commit is of no pull request is not lost.
func TestEventMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.Fail(githubtest.Fault{Path: "/commits/" + two + "/pulls", Kind: githubtest.Answer, Status: http.StatusOK, Body: "[]", Do: func(st githubtest.State) {
			st["acme/numbers"].Pulls[7].Head = two
			s.pullEvent("opened", two, 1, nil)
		}})
		s.post("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{"head_sha": two, "pull_requests": []any{}, "app": map[string]any{"id": apptest.AppID}}})
		s.want("3333 completed success: " + passTitle)

		// The same with one that was closed, of which no event came, and that is opened again.
		s.Fail(githubtest.Fault{Path: "/pulls/7", Kind: githubtest.Answer, Status: http.StatusOK,
			Body: fmt.Sprintf(`{"number":7,"state":"closed","head":{"sha":%q},"base":{"sha":%q,"ref":"main","repo":{"default_branch":"main"}}}`, three, baseSHA), Do: func(githubtest.State) {
				s.pullEvent("reopened", three, 3, nil)
			}})
		s.pull("synchronize", three, 2, nil)
		s.want("3333 completed success: "+passTitle, "4444 completed success: "+passTitle)
	})
}

// TestTokenTakenBack: a token that GitHub takes back before its time is replaced by another.
func TestTokenTakenBack(t *testing.T) {
	s := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	s.start()
	s.pull("opened", one, 1, nil)
	s.want("2222 completed success: " + passTitle)
	before := len(s.Issued())
	s.Fail(githubtest.Fault{Path: "/pulls/7", Kind: githubtest.Answer, Status: http.StatusUnauthorized, Body: `{"message":"Bad credentials"}`})
	s.pull("synchronize", two, 2, nil)
	s.want("2222 completed success: "+passTitle, "3333 completed success: "+passTitle)
	// One for the API and one for git, for each of the clients but the first of the second, which has its first.
	if got := len(s.Issued()) - before; got != 2 {
		t.Errorf("%d tokens were asked for", got)
	}
}

// TestFailures: what specgate fails at is a failure with words, after it was tried again, and nothing is tried for ever.
func TestFailures(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		for i, c := range []struct {
			err   func() error
			tries int
			words string
		}{
			{func() error { return errors.New("the child was ended by a signal\n<b>::error::") }, 3, "    the child was ended by a signal\n    <b>::error::\n"},
			{func() error { panic("oh") }, 3, "    a failure of specgate itself: oh\n"},
			{func() error { return &app.PermanentError{Err: errors.New("its report cannot be read")} }, 1, "    its report cannot be read\n"},
		} {
			before := len(s.checker.ran())
			s.checker.set(func(context.Context, app.Job) (app.Result, error) { return app.Result{}, c.err() })
			sha := []string{one, two, three}[i]
			s.pull("synchronize", sha, i+1, nil)
			s.eventually("nothing is to be done", s.idle)
			if got := len(s.checker.ran()) - before; got != c.tries {
				t.Errorf("case %d: checked %d times, want %d", i, got, c.tries)
			}
			runs := s.State()["acme/numbers"].CheckRuns
			run := runs[len(runs)-1]
			if run.SHA != sha || run.Status != "completed" || run.Conclusion != "failure" || run.Title != "specgate could not check this change" || !strings.Contains(run.Summary, c.words) {
				t.Errorf("case %d: %+v", i, run)
			}
		}
		if text := apptest.Metrics(t, s.address); !strings.Contains(text, "specgate_heads{want=\"lost\"} 0\n") || !strings.Contains(text, "specgate_failures_total 3\n") {
			t.Errorf("metrics:\n%s", text)
		}
	})
}

// TestOutage: GitHub is down, limits and cuts; in the end everything is there once.
func TestOutage(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		for _, f := range []githubtest.Fault{
			{Kind: githubtest.Answer, Status: 502, Times: 4},
			{Method: "POST", Path: "check-runs", Kind: githubtest.Cut, Acted: true},
			{Method: "PATCH", Kind: githubtest.Cut, Acted: true},
			{Method: "PATCH", Kind: githubtest.CutBody},
			{Method: "GET", Path: "/pulls/", Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "1"}},
		} {
			s.Fail(f)
		}
		s.pull("opened", one, 1, nil)
		s.want("2222 completed success: " + passTitle)
	})
}

// TestCommentRefusedOnce: a comment that GitHub refuses the token for is written later, as when a clock is wrong; one that the App may not write is only missing.
func TestCommentRefusedOnce(t *testing.T) {
	for status, times := range map[int]int{http.StatusUnauthorized: 1, http.StatusForbidden: 1 << 30} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			each(t, func(t *testing.T, s *scene) {
				s.Change(func(st githubtest.State) {
					st["acme/numbers"].Commits[baseSHA] = githubtest.Commit{Files: map[string]string{".specgate.toml": "version = 1\n[scope]\nexecutable-edits = \"deny\"\n[report]\ncomments = \"sticky\"\n"}}
				})
				s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) { return edited(job), nil })
				s.start()
				s.Fail(githubtest.Fault{Method: "POST", Path: "/comments", Kind: githubtest.Answer, Status: status, Body: "{}", Times: times})
				s.pull("opened", one, 1, nil)
				s.eventually("the check run is there, and nothing is left to do", func() bool { return s.idle() && s.run(one).Conclusion == "action_required" })
				want := 1
				if status == http.StatusForbidden {
					want = 0
				}
				s.Change(func(st githubtest.State) {
					if n := len(st["acme/numbers"].Pulls[7].Comments); n != want {
						t.Errorf("%d comments, want %d", n, want)
					}
				})
			})
		})
	}
}

func TestGracefulStop(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		letGo := s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		ended := make(chan error, 1)
		stop := s.stop
		go func() { ended <- stop() }()
		s.notReady()
		letGo()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"2222 completed success: " + passTitle}, s.runs()); diff != "" {
			t.Error(diff)
		}

		// One that takes longer is cancelled, and done by the next server.
		s.config.Patience = 50 * time.Millisecond
		s.start()
		s.held()
		s.pull("synchronize", two, 2, nil)
		s.begins(two)
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		if got := s.runs(); !slices.Contains(got, "3333 in_progress : ") {
			t.Errorf("stopped with %q", got)
		}
		s.checker.set(nil)
		s.start()
		s.want("2222 completed success: "+passTitle, "3333 completed success: "+passTitle)
	})
}

// TestWebhook: what is not from GitHub, or not an event, has no effect.
func TestWebhook(t *testing.T) {
	s := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	s.config.Log = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.start()
	if text := apptest.Metrics(t, s.address); strings.Contains(text, "specgate_github_requests_left{") {
		t.Errorf("requests that are left, before GitHub has said how many:\n%s", text)
	}
	opened := s.Pushed(t, apptest.Push{Repo: "acme/numbers", Number: 7, N: 1, SHA: one, Time: time.Unix(1e9, 0)})
	header := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	body := func(name, text string) apptest.Webhook {
		return apptest.Webhook{Event: name, Delivery: "d-" + fmt.Sprint(len(text)), Body: []byte(text)}
	}
	got := map[string]string{}
	for name, c := range map[string]struct {
		hook   apptest.Webhook
		change func(*http.Request)
		want   string
	}{
		"no signature":  {opened, func(r *http.Request) { r.Header.Del("X-Hub-Signature-256") }, "401 the signature is missing: X-Hub-Signature-256; give the webhook a secret"},
		"old signature": {opened, header("X-Hub-Signature-256", "sha1="+strings.Repeat("0", 40)), "401 X-Hub-Signature-256 is no signature: want sha256= and 64 hexadecimal digits in lower case"},
		"short":         {opened, header("X-Hub-Signature-256", "sha256=00"), "401 X-Hub-Signature-256 is no signature: want sha256= and 64 hexadecimal digits in lower case"},
		"forged":        {opened, header("X-Hub-Signature-256", "sha256="+strings.Repeat("0", 64)), "401 the signature is not that of the webhook's secret"},
		"other body":    {opened, func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2 }, "401 the signature is not that of the webhook's secret"},
		"too large":     {opened, func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(zeros{}), 26<<20 }, "413 the body is larger than what GitHub sends"},
		"too large, piece by piece": {opened, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(io.LimitReader(zeros{}, 25<<20+1)), -1
		}, "413 the body is larger than what GitHub sends"},
		"no delivery":       {opened, header("X-GitHub-Delivery", ""), "400 X-GitHub-Event or X-GitHub-Delivery is missing or not valid"},
		"hostile delivery":  {opened, header("X-GitHub-Delivery", "'; DROP TABLE--"), "400 X-GitHub-Event or X-GitHub-Delivery is missing or not valid"},
		"no event":          {opened, header("X-GitHub-Event", ""), "400 X-GitHub-Event or X-GitHub-Delivery is missing or not valid"},
		"form":              {opened, header("Content-Type", "application/x-www-form-urlencoded"), "415 set the content type of the webhook to application/json"},
		"method":            {opened, func(r *http.Request) { r.Method = http.MethodPut }, "405 Method Not Allowed"},
		"no JSON":           {body("pull_request", "{"), nil, "400 the event is not valid"},
		"another JSON":      {body("pull_request", `[1, 2, 3]`), nil, "400 the event is not valid"},
		"nothing in it":     {body("pull_request", `{"action":"opened"}`), nil, "400 the event is not valid"},
		"ping":              {body("ping", `{"zen":"Keep it logically awesome."}`), nil, "200 ignored"},
		"unknown event":     {body("star", `{"action":"created" }`), nil, "200 ignored"},
		"unknown action":    {body("pull_request", `{"action":"assigned"  }`), nil, "200 ignored"},
		"another App's run": {body("check_run", `{"action":"rerequested","check_run":{"head_sha":"x","app":{"id":4}}}`), nil, "200 ignored"},
	} {
		status, text, err := apptest.Send(&http.Client{Timeout: 20 * time.Second}, s.address, c.hook, c.change)
		if err != nil {
			// The server may close the connection of a body that it does not read before the client has read its answer.
			if strings.HasPrefix(name, "too large") && (strings.Contains(err.Error(), "reset") || strings.Contains(err.Error(), "broken pipe")) {
				continue
			}
			t.Errorf("%s: %v", name, err)
			continue
		}
		got[name] = fmt.Sprintf("%d %s", status, text)
		if got[name] != c.want {
			t.Errorf("%s: %q, want %q", name, got[name], c.want)
		}
	}
	if text := apptest.Metrics(t, s.address); strings.Contains(text, `result="accepted"`) || !strings.Contains(text, `specgate_deliveries_total{event="other",result="ignored"} 1`+"\n") {
		t.Errorf("metrics:\n%s", text)
	}
	if n := len(s.State()["acme/numbers"].CheckRuns); n > 0 || len(s.checker.ran()) > 0 {
		t.Errorf("%d check runs", n)
	}

	s.Fail(githubtest.Fault{Kind: githubtest.Pass, Header: map[string]string{"X-RateLimit-Remaining": "4321"}, Times: 1 << 30})
	for _, want := range []string{"202 accepted", "200 this delivery was taken before"} {
		status, text, err := apptest.Send(http.DefaultClient, s.address, opened, nil)
		if got := fmt.Sprintf("%d %s", status, text); err != nil || got != want {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
	s.want("2222 completed success: " + passTitle)
	if len(s.checker.ran()) != 1 {
		t.Errorf("checked: %q", s.checker.ran())
	}
	if text := apptest.Metrics(t, s.address); !strings.Contains(text, "specgate_github_requests_left{installation=\"6\"} 4321\n") {
		t.Errorf("requests that are left:\n%s", text)
	}
	// Every request is in the log.
	for line, want := range map[string]int{
		`msg="a request to the webhook is refused" from=127.0.0.1:`:                                                                    7,
		`msg="an event is refused: X-GitHub-Event or X-GitHub-Delivery is missing or not valid"`:                                       3,
		`msg="an event is refused: the content type of the webhook is not application/json" delivery=`:                                 1,
		`msg="an event is refused: it is not valid" delivery=`:                                                                         3,
		`msg="event that means nothing here" delivery=`:                                                                                4,
		`msg="event that came before" delivery=` + opened.Delivery + ` event=pull_request action=opened repo=acme/numbers head=` + one: 1,
		`msg=event delivery=` + opened.Delivery + ` event=pull_request action=opened repo=acme/numbers head=` + one + ` pull=7`:        1,
	} {
		if n := strings.Count(s.log.String(), line); n != want {
			t.Errorf("the log has %d lines with %s, and should have %d", n, line, want)
		}
	}

	// The same file is not opened by a second server.
	second := newScene(t, s.config.Database)
	if err := second.tryStart(); err == nil || err.Error() != "open the database "+s.config.Database+": another process has it open; several need PostgreSQL" {
		t.Errorf("a second server: %v", err)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestLabels: the label of the policy counts from when it is there, also if it comes while a check runs.
func TestLabels(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.Change(func(st githubtest.State) {
			st["acme/numbers"].Commits[baseSHA] = githubtest.Commit{Files: map[string]string{".specgate.toml": "version = 1\n[scope]\nexecutable-edits = \"deny\"\n"}}
		})
		s.start()
		label := func(action, name string, at int, labels ...string) {
			s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Labels = labels })
			s.pullEvent(action, one, at, map[string]any{"label": map[string]any{"name": name}})
		}
		gate := make(chan struct{})
		s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) { <-gate; return edited(job), nil })
		s.pull("opened", one, 1, nil)
		s.begins(one)
		label("labeled", "implementation", 2, "implementation")
		close(gate)
		s.eventually("it is judged with the label", func() bool { return s.idle() && s.run(one).Conclusion == "success" })
		if n := len(s.checker.ran()); n != 1 {
			t.Errorf("checked %d times", n)
		}
		label("labeled", "other", 3, "implementation", "other")
		label("unlabeled", "implementation", 4, "other")
		s.eventually("it is judged without the label", func() bool { return s.idle() && s.run(one).Conclusion == "action_required" })
		if n := len(s.checker.ran()); n != 2 {
			t.Errorf("checked %d times", n)
		}
	})
}

// TestDoneAlready: a job of a head that is done changes nothing of what is stored of it.
func TestDoneAlready(t *testing.T) {
	s := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	s.start()
	s.finds(map[string]string{one: "a"})
	s.pull("opened", one, 1, nil)
	s.eventually("it is checked", func() bool { return s.idle() && len(s.runs()) == 1 })
	db, err := sql.Open("sqlite", "file:"+s.config.Database+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stored := func() (text string) {
		t.Helper()
		if err := db.QueryRow("SELECT result || ' ' || label || ' ' || done || ' ' || (SELECT group_concat(fingerprint) FROM specgate_blocking) FROM specgate_heads").Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := stored()
	if want := "action_required implementation 1 " + strings.Repeat("a", 32); before != want {
		t.Errorf("stored: %q, want %q", before, want)
	}
	if _, err := db.Exec("UPDATE river_job SET state = 'available', finalized_at = NULL"); err != nil {
		t.Fatal(err)
	}
	s.eventually("the job ran again", func() bool {
		var n int
		return db.QueryRow("SELECT COUNT(*) FROM river_job WHERE state = 'completed' AND attempt = 2").Scan(&n) == nil && n == 1
	})
	if after := stored(); after != before {
		t.Errorf("stored: %q, and before %q", after, before)
	}
	if len(s.checker.ran()) != 1 {
		t.Errorf("checked: %q", s.checker.ran())
	}
}

// TestClockSetBack: what was noted at a time that is an hour ahead, as the clock was set back since, is done all the same.
func TestClockSetBack(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.config.Patience = 10 * time.Millisecond
		s.start()
		s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		s.checker.set(nil)
		db := s.open()
		later := s.later("1 hour")
		if _, err := db.Exec("UPDATE river_job SET scheduled_at = " + later + " WHERE state = 'available'"); err != nil {
			t.Fatal(err)
		}
		s.start()
		s.want("2222 completed success: " + passTitle)

		// The same of jobs that pause: one that was begun at that time, and one that was begun before.
		for i, begun := range []string{later, "attempted_at"} {
			s.Fail(githubtest.Fault{Path: "/pulls/7", Kind: githubtest.Answer, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1000"}})
			s.post("check_run", map[string]any{"action": "rerequested", "check_run": map[string]any{"id": 1, "head_sha": one, "app": map[string]any{"id": apptest.AppID}}})
			s.eventually("it pauses", func() bool {
				var n int
				return db.QueryRow("SELECT COUNT(*) FROM river_job WHERE state = 'scheduled'").Scan(&n) == nil && n == 1
			})
			if err := s.stop(); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("UPDATE river_job SET attempted_at = " + begun + ", scheduled_at = " + s.later(fmt.Sprint(1+i, " hour")) + " WHERE state = 'scheduled'"); err != nil {
				t.Fatal(err)
			}
			s.start()
			s.eventually("it is checked again", func() bool { return s.idle() && len(s.checker.ran()) == 3+i })
		}
		if !s.postgres() {
			return // one server knows that it is the only one
		}

		// A server of that time, which is no more.
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		for _, do := range []string{
			"INSERT INTO specgate_workers (id, seen) VALUES ('gone', (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + 3600000)",
			"UPDATE specgate_heads SET asked = asked + 1",
			"UPDATE river_job SET state = 'running', finalized_at = NULL, attempted_by = '{gone}', attempted_at = " + later + " WHERE id = (SELECT MAX(id) FROM river_job)",
		} {
			if _, err := db.Exec(do); err != nil {
				t.Fatal(err)
			}
		}
		s.start()
		s.eventually("it is checked again", func() bool { return s.idle() && len(s.checker.ran()) == 5 })
	})
}

// TestPauseByWrongClock: a pause is as long as it was to be, also if the clock was set ahead before it began, and if the server starts anew meanwhile.
func TestPauseByWrongClock(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart=", restart), func(t *testing.T) {
			each(t, func(t *testing.T, s *scene) {
				s.start()
				s.Fail(githubtest.Fault{Path: "/pulls/7", Kind: githubtest.Answer, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "7"}})
				s.pull("opened", one, 1, nil)
				db := s.open()
				s.eventually("it pauses", func() bool {
					r, err := db.Exec("UPDATE river_job SET scheduled_at = " + s.later("30 minutes") + " WHERE state = 'scheduled'")
					if err != nil {
						return false
					}
					n, err := r.RowsAffected()
					return err == nil && n == 1
				})
				if restart {
					if err := s.stop(); err != nil {
						t.Fatal(err)
					}
					s.start()
				}
				s.want("2222 completed success: " + passTitle)
			})
		})
	}
}

// TestClockSetAhead: a check that runs is not taken for stuck when the clock is set ahead, and not run a second time.
func TestClockSetAhead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *scene) {
		s.start()
		letGo := s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		if _, err := s.open().Exec("UPDATE river_job SET attempted_at = " + s.later("-30 days") + " WHERE state = 'running'"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(35 * time.Second) // the queue looks for stuck jobs every 30 s
		letGo()
		s.want("2222 completed success: " + passTitle)
		if diff := cmp.Diff([]string{"acme/numbers #7 1111..2222 true"}, s.checker.ran()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRetryByWrongClock: what is tried again after an error is tried in time, also if the clock was ahead when that was decided.
func TestRetryByWrongClock(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		letGo := s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		db := s.open()
		if _, err := db.Exec("UPDATE river_job SET state = 'retryable', scheduled_at = " + s.later("2 hours")); err != nil {
			t.Fatal(err)
		}
		s.eventually("it is begun again", func() bool { return len(s.checker.ran()) == 2 })
		letGo()
		s.want("2222 completed success: " + passTitle)
	})
}

// TestDoneByAnother: where another server did meanwhile what is wanted of a head, what this one wrote may have come last. So it is done again.
func TestDoneByAnother(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		db := s.open()
		if _, err := db.Exec("UPDATE specgate_heads SET asked = asked + 1, done = asked + 1, result = 'success'"); err != nil {
			t.Fatal(err)
		}
		s.eventually("it is asked for again", func() bool {
			var n int
			return db.QueryRow("SELECT asked - done FROM specgate_heads").Scan(&n) == nil && n == 1
		})
	})
}

// later is the time of the database after a while, such as "30 minutes", in its SQL.
func (s *scene) later(by string) string {
	if s.postgres() {
		return "clock_timestamp() + INTERVAL '" + by + "'"
	}
	return "datetime('now', 'subsec', '" + by + "')"
}

func (s *scene) postgres() bool { return strings.HasPrefix(s.config.Database, "postgres") }

// open opens the database, until the end of the test.
func (s *scene) open() *sql.DB {
	s.t.Helper()
	driver, name := "sqlite", "file:"+(&url.URL{Path: s.config.Database}).EscapedPath()+"?_pragma=busy_timeout(5000)"
	if s.postgres() {
		driver, name = "pgx", s.config.Database
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { db.Close() })
	return db
}

// TestPurge: what nobody asks for any more is forgotten, and what is accepted of an open pull request is not.
func TestPurge(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.users()
		s.finds(map[string]string{one: "a", two: "b"})
		s.start()
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[8] = &githubtest.Pull{Head: two, Base: baseSHA} })
		event := func(action, state, sha string, number int) {
			s.post("pull_request", map[string]any{"action": action, "number": number, "pull_request": map[string]any{"number": number, "state": state,
				"updated_at": time.Now().UTC().Format(time.RFC3339), "head": map[string]any{"sha": sha}}})
		}
		event("opened", "open", one, 7)
		event("opened", "open", two, 8)
		s.eventually("both are checked", func() bool { return s.idle() && len(s.runs()) == 2 })
		for pull, sha := range map[int]string{7: one, 8: two} {
			s.remark(pull, "ada", "specgate accept: yes", 2*time.Second, 0)
			s.press("accept", sha, "ada", 1)
		}
		s.eventually("both are accepted", func() bool {
			return s.idle() && s.run(one).Conclusion == "success" && s.run(two).Conclusion == "success"
		})
		event("closed", "closed", one, 7)
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}

		// rows counts those of deliveries, pull requests, heads and acceptances.
		db := s.open()
		rows := func() string {
			t.Helper()
			var n [4]int
			if err := db.QueryRow("SELECT (SELECT COUNT(*) FROM specgate_deliveries), (SELECT COUNT(*) FROM specgate_pulls), (SELECT COUNT(*) FROM specgate_heads), "+
				"(SELECT COUNT(*) FROM specgate_acceptances)").Scan(&n[0], &n[1], &n[2], &n[3]); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(n)
		}
		if got := rows(); got != "[5 2 2 2]" {
			t.Errorf("there are %s rows", got)
		}
		for _, c := range []struct {
			days int
			want string
		}{{100, "[0 2 2 2]"}, {200, "[0 1 0 1]"}} {
			s.config.Now = func() time.Time { return time.Now().Add(time.Duration(c.days) * 24 * time.Hour) }
			s.start()
			s.eventually(fmt.Sprintf("after %d days %s rows are left", c.days, c.want), func() bool { return rows() == c.want })
			if err := s.stop(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestSeveralPulls: a commit that is the head of two pull requests is checked against both bases, and what one of them allows helps the other
// nothing.
func TestSeveralPulls(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.start()
		s.Change(func(st githubtest.State) {
			r := st["acme/numbers"]
			r.Commits[two] = githubtest.Commit{Parents: []string{other}}
			r.Pulls[7].Base, r.Pulls[7].Head = baseSHA, two
			r.Pulls[8] = &githubtest.Pull{Head: two, Base: other, Labels: []string{"implementation"}}
		})
		s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
			if job.Base == baseSHA {
				return found(job, "a"), nil
			}
			return passed(job), nil
		})
		s.post("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{"head_sha": two, "pull_requests": []any{}}})
		s.eventually("the worst is posted", func() bool { return s.idle() && len(s.runs()) == 1 && s.run(two).Conclusion == "action_required" })
		if diff := cmp.Diff([]string{"acme/numbers #7 1111..3333 true", "acme/numbers #8 5555..3333 false"}, s.checker.ran()); diff != "" {
			t.Error(diff)
		}

		// Both are blocked: what the check run does not show of the other is not accepted with what it shows.
		s.users()
		s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
			return found(job, map[string]string{baseSHA: "a", other: "b"}[job.Base]), nil
		})
		again := map[string]any{"action": "rerequested", "check_run": map[string]any{"id": s.run(two).ID, "head_sha": two, "app": map[string]any{"id": apptest.AppID}}}
		s.post("check_run", again)
		s.eventually("both are checked again", func() bool { return s.idle() && len(s.checker.ran()) == 4 })
		first := s.run(two)
		s.remark(7, "ada", "specgate accept: seen", 2*time.Second, 0)
		s.remark(8, "ada", "specgate accept: not seen", 2*time.Second, 0)
		s.press("accept", two, "ada", 1)
		s.eventually("the other is shown", func() bool {
			run := s.run(two)
			return s.idle() && run.ID != first.ID && run.Conclusion == "action_required" && strings.Contains(run.Text, "numbers::b") && !strings.Contains(run.Text, "numbers::a")
		})
		// The check run in whose place it is shows nothing that can be accepted.
		s.post("check_run", map[string]any{"action": "requested_action", "requested_action": map[string]any{"identifier": "accept"},
			"check_run": map[string]any{"id": first.ID, "head_sha": two, "app": map[string]any{"id": apptest.AppID}}, "sender": map[string]any{"login": "ada", "id": 1, "type": "User"}})
		s.eventually("it is dropped", func() bool { return strings.Contains(s.log.String(), "does not say what blocks") })
		s.remark(8, "ada", "specgate accept: seen as well", 4*time.Second, 0)
		s.press("accept", two, "ada", 1)
		s.eventually("both are accepted", func() bool { return s.idle() && s.run(two).Conclusion == "success" })
	})
}

// TestStop: a server that is told to stop says so at once, and stores events as long as something runs; the next one does what they ask for.
func TestStop(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.config.Patience = 10 * time.Minute
		s.start()
		letGo := s.held()
		s.pull("opened", one, 1, nil)
		s.begins(one)
		stopped := make(chan error, 1)
		stop := s.stop
		go func() { stopped <- stop() }()
		s.notReady()
		if status, text := get(t, s.address, "/readyz"); status != http.StatusServiceUnavailable || text != "the workers are not started, or are stopping\n" {
			t.Errorf("readyz: %d %q", status, text)
		}
		s.pull("synchronize", two, 2, map[string]any{"before": one})
		if got := s.checker.ran(); len(got) != 1 {
			t.Errorf("checked while it is to stop: %q", got)
		}
		letGo()
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		if resp, err := http.Get("http://" + s.address + "/healthz"); err == nil {
			resp.Body.Close()
			t.Error("it still listens")
		}
		s.start()
		s.want("2222 completed cancelled: Superseded by "+two, "3333 completed success: "+passTitle)
	})
}

// notReady waits until the server says that it is to stop.
func (s *scene) notReady() {
	s.t.Helper()
	s.eventually("it is not ready", func() bool {
		status, _ := get(s.t, s.address, "/readyz")
		return status == http.StatusServiceUnavailable
	})
}

// get asks a server.
func get(t *testing.T, address, path string) (int, string) {
	t.Helper()
	resp, err := http.Get("http://" + address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestGivenUp: what cannot be done for a day is given up, which shows, and can be asked for again.
func TestGivenUp(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		var mu sync.Mutex
		var later time.Duration
		s.config.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(later)
		}
		s.start()
		s.Fail(githubtest.Fault{Kind: githubtest.Answer, Status: 502, Times: 1 << 30})
		s.pull("opened", one, 1, nil)
		// What fails is noted before the clock jumps, and so not as of after it.
		s.eventually("a failure is noted", func() bool { return strings.Contains(s.log.String(), "try again later") })
		asked := len(s.Requests())
		mu.Lock()
		later = 25 * time.Hour
		mu.Unlock()
		// The job waits for its next attempts; the time of the queue is the real one.
		s.eventually("it is given up", func() bool {
			return strings.Contains(apptest.Metrics(t, s.address), "specgate_heads{want=\"lost\"} 1\n")
		})
		if !strings.Contains(s.log.String(), "a head is given up") {
			t.Error("the log does not say so")
		}
		// That so much time is over is not believed at once: the clock may have been set, or the machine have slept.
		if n := len(s.Requests()) - asked; n < 8 {
			t.Errorf("it is given up after %d more requests", n)
		}
		s.Heal()
		s.post("check_run", map[string]any{"action": "rerequested", "check_run": map[string]any{"id": 1, "head_sha": one, "app": map[string]any{"id": apptest.AppID}}})
		s.want("2222 completed success: " + passTitle)

		// Without the App there is nothing to wait for.
		s.held()
		s.pull("synchronize", two, 2, nil)
		s.begins(two)
		s.Fail(githubtest.Fault{Kind: githubtest.Answer, Status: 404, Body: "{}", Times: 1 << 30})
		s.post("installation", map[string]any{"action": "deleted"})
		s.eventually("nothing is to be done", s.idle)
	})
}

// TestAskedMeanwhile: what is asked for while something fails, or between a failure and its pause, does not wait for the end of the pause.
func TestAskedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[8] = &githubtest.Pull{Head: two, Base: baseSHA} })
		limit := githubtest.Fault{Path: "/pulls/7", Kind: githubtest.Answer, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "3000"}}
		again := func(sha string) {
			s.post("check_run", map[string]any{"action": "rerequested", "check_run": map[string]any{"id": 1, "head_sha": sha, "app": map[string]any{"id": apptest.AppID}}})
		}
		s.start()
		meanwhile := limit
		meanwhile.Do = func(githubtest.State) { again(one) }
		s.Fail(meanwhile)
		s.pull("opened", one, 1, nil)
		s.want("2222 completed success: " + passTitle)

		// Both pause, and of the second something was asked that its job did not see.
		limit.Path, limit.Times = "/pulls/", 2
		s.Fail(limit)
		again(one)
		s.post("pull_request", map[string]any{"action": "opened", "number": 8, "pull_request": map[string]any{"number": 8, "state": "open",
			"updated_at": "2026-01-01T00:00:00Z", "head": map[string]any{"sha": two}}})
		db := s.open()
		pausing := func() (n int) {
			t.Helper()
			if err := db.QueryRow("SELECT COUNT(*) FROM river_job WHERE state = 'scheduled'").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		s.eventually("both pause", func() bool { return pausing() == 2 })
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		for _, do := range []string{"UPDATE specgate_heads SET changed = 0", "UPDATE specgate_heads SET asked = asked + 1, error = '' WHERE sha = '" + two + "'"} {
			if _, err := db.Exec(do); err != nil {
				t.Fatal(err)
			}
		}
		s.start()
		s.eventually("it is checked", func() bool { return slices.Contains(s.runs(), "3333 completed success: "+passTitle) && pausing() == 1 })
	})
}

// TestPoison: a check that ends its server again and again is not begun for ever.
func TestPoison(t *testing.T) {
	s := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	s.config.Patience = 10 * time.Millisecond
	s.start()
	s.held()
	s.pull("opened", one, 1, nil)
	s.begins(one)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	// As if the server had been killed ten times with the job.
	db, err := sql.Open("sqlite", "file:"+s.config.Database)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE river_job SET state = 'running', attempt = 10"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	s.checker.set(nil)
	s.start()
	s.want("2222 completed failure: specgate could not check this change")
	if want := "    the server ended 10 times while it checked this commit"; !strings.Contains(s.run(one).Summary, want) || len(s.checker.ran()) != 1 {
		t.Errorf("%q after %d checks", s.run(one).Summary, len(s.checker.ran()))
	}
	s.post("check_run", map[string]any{"action": "rerequested", "check_run": map[string]any{"id": 1, "head_sha": one, "app": map[string]any{"id": apptest.AppID}}})
	s.eventually("it is checked when somebody asks", func() bool { return s.idle() && s.run(one).Conclusion == "success" })
}

// TestFair: a repository that asks for little does not wait for one that asks for much.
func TestFair(t *testing.T) {
	s := newScene(t, filepath.Join(t.TempDir(), "specgate.db"))
	s.config.Jobs = 1
	s.IDs["acme/small"] = 1001
	s.Change(func(st githubtest.State) {
		st["acme/small"] = &githubtest.Repo{Default: baseSHA, Commits: map[string]githubtest.Commit{baseSHA: {}, one: {Parents: []string{baseSHA}}}, Pulls: map[int]*githubtest.Pull{1: {Head: one, Base: baseSHA}}}
		busy := st["acme/numbers"]
		for n := range 40 {
			sha := fmt.Sprintf("%040x", n+1)
			busy.Commits[sha] = githubtest.Commit{Parents: []string{baseSHA}}
			busy.Pulls[100+n] = &githubtest.Pull{Head: sha, Base: baseSHA}
		}
	})
	s.start()
	letGo := s.held()
	opened := func(repo string, number int, sha string) {
		h := s.Pushed(t, apptest.Push{Repo: repo, Number: number, N: 1, SHA: sha, Time: time.Unix(1e9, 0)})
		if status, text, err := apptest.Send(http.DefaultClient, s.address, h, nil); err != nil || status != http.StatusAccepted {
			t.Fatalf("%d %q %v", status, text, err)
		}
	}
	for n := range 40 {
		opened("acme/numbers", 100+n, fmt.Sprintf("%040x", n+1))
	}
	opened("acme/small", 1, one)
	letGo()
	s.eventually("all is done", s.idle)
	at := slices.IndexFunc(s.checker.ran(), func(job string) bool { return strings.HasPrefix(job, "acme/small") })
	if len(s.checker.ran()) != 41 || at < 0 || at > 4 {
		t.Errorf("the small repository is number %d of %d", at+1, len(s.checker.ran()))
	}
}

// TestShares: an installation with many repositories does not keep another one waiting, and what waits moves up, so that it is not overtaken for ever.
func TestShares(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.config.Jobs, s.config.Patience = 1, time.Millisecond
		s.start()
		s.held()
		wants := func(installation, repo, number int) {
			t.Helper()
			sha := fmt.Sprintf("%036x%04x", repo, number)
			s.post("check_suite", map[string]any{"action": "requested", "installation": map[string]any{"id": installation}, "check_suite": map[string]any{"head_sha": sha},
				"repository": map[string]any{"id": repo, "full_name": fmt.Sprintf("acme/r%d", repo)}})
		}
		// Nothing but this one is begun, as it has the only place.
		s.pull("opened", one, 1, nil)
		s.begins(one)
		for n := range 4 {
			wants(7, 1, n)
		}
		for repo := range 40 {
			wants(8, 100+repo, 0)
		}
		wants(9, 2, 0)
		db := s.open()
		// waiting are the priorities of the checks that wait, in the order in which they were asked for.
		waiting := func() string {
			t.Helper()
			rows, err := db.Query("SELECT priority FROM river_job WHERE state = 'available' ORDER BY id")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var b strings.Builder
			for rows.Next() {
				var p int
				if err := rows.Scan(&p); err != nil {
					t.Fatal(err)
				}
				fmt.Fprint(&b, p)
			}
			return b.String()
		}
		if diff := cmp.Diff("1122"+strings.Repeat("1", 8)+strings.Repeat("2", 24)+strings.Repeat("3", 8)+"1", waiting()); diff != "" {
			t.Errorf("priorities (-want +got):\n%s", diff)
		}
		// The first of the two that are busy are done, and after a while others take their places.
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("UPDATE river_job SET state = 'cancelled', finalized_at = created_at WHERE state = 'available' AND priority = 1 AND id < (SELECT MAX(id) FROM river_job)"); err != nil {
			t.Fatal(err)
		}
		s.Fail(githubtest.Fault{Kind: githubtest.Slow, Delay: time.Hour, Times: 1 << 30}) // nothing comes to an end
		s.start()
		s.eventually("others have their places", func() bool { return !strings.Contains(waiting(), "3") && strings.Count(waiting(), "2") == 24 })
	})
}

// BenchmarkWebhook is how long an event takes to be stored with its job, a thousand times a second or not.
func BenchmarkWebhook(b *testing.B) {
	for _, c := range []struct{ name, database string }{{"sqlite", filepath.Join(b.TempDir(), "specgate.db")}, {"postgres", ""}} {
		b.Run(c.name, func(b *testing.B) {
			if c.database == "" {
				c.database = postgresURL(b)
			}
			w := apptest.NewBusyWorld(b, 1, 1, 1, "")
			// Nothing is checked: it is the way in that is measured.
			server := newServer(b, w, c.database)
			server.Start()
			server.Ready()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
			var number atomic.Int64
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					n := number.Add(1)
					h := w.Event(b, "pull_request", "acme/r0", map[string]any{"action": "closed", "number": n, "pull_request": map[string]any{"state": "closed",
						"updated_at": "2026-01-01T00:00:00Z", "head": map[string]any{"sha": fmt.Sprintf("%040x", n)}}})
					if status, text, err := apptest.Send(client, server.Address, h, nil); err != nil || status != http.StatusAccepted {
						b.Errorf("%d %q %v", status, text, err)
					}
				}
			})
		})
	}
}

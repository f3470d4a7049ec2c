package github_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
)

const (
	base = "1111111111111111111111111111111111111111"
	head = "2222222222222222222222222222222222222222"
	push = "3333333333333333333333333333333333333333"
)

var numbers = func() github.Repo {
	r, err := github.ParseRepo("acme/numbers")
	if err != nil {
		panic(err)
	}
	return r
}()

// clock does not wait, and notes for how long it would have.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
	// each is called when somebody sleeps; it may be nil.
	each func()
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.slept = append(c.slept, d)
	c.now = c.now.Add(d)
	c.mu.Unlock()
	if c.each != nil {
		c.each()
	}
	return ctx.Err()
}

// repository has a pull request whose diff shows lines 1 to 12 of src/a.rs.
func repository() githubtest.State {
	return githubtest.State{"acme/numbers": {
		Default: base,
		Commits: map[string]githubtest.Commit{base: {Files: map[string]string{".specgate.toml": "version = 1\n"}}, head: {Parents: []string{base}}, push: {Parents: []string{head}}},
		Pulls: map[int]*githubtest.Pull{7: {Head: head, Base: base, Labels: []string{"implementation"},
			Patches: map[string]string{"src/a.rs": "@@ -1,3 +1,4 @@ fn\n one\n+two\n three\n four\n@@ -8,4 +9,4 @@\n nine\n-old\n+ten\n eleven\n twelve", "src/large.rs": ""}}},
	}}
}

var actions = githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"}}

type scene struct {
	*githubtest.Server
	client *github.Client
	clock  *clock
}

// start is a server, and a client with a job's token. What GitHub takes from nobody fails the test in the end.
func start(t *testing.T, change func(*github.Options)) *scene {
	t.Helper()
	s := &scene{Server: githubtest.New(repository(), ""), clock: &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	t.Cleanup(func() {
		for _, p := range s.Problems() {
			t.Errorf("a bad request: %s", p)
		}
		s.Close()
	})
	s.AddToken("job", actions)
	s.client = s.another(t, change)
	return s
}

func (s *scene) another(t *testing.T, change func(*github.Options)) *github.Client {
	t.Helper()
	o := github.Options{BaseURL: s.URL, Token: "job", UserAgent: "specgate/test", Clock: s.clock}
	if change != nil {
		change(&o)
	}
	c, err := github.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var check = github.Check{Name: "specgate", SHA: head, ExternalID: "job-1"}

// output has n annotations.
func output(n int) annotate.CheckRun {
	out := annotate.CheckRun{Conclusion: annotate.Failure, Title: "2 blocking", Summary: "summary", Text: "text"}
	for i := range n {
		out.Annotations = append(out.Annotations, annotate.Annotation{Path: "src/a.rs", StartLine: i + 1, EndLine: i + 1, StartColumn: 1, EndColumn: 2, Level: annotate.LevelFailure,
			Title: "trust/assume in a", Message: fmt.Sprintf("message %d", i), RawDetails: "details"})
	}
	return out
}

// completed is the check run that output(n) makes.
func completed(id int64, n int, batches ...int) *githubtest.CheckRun {
	r := &githubtest.CheckRun{ID: id, AppID: 15368, Name: "specgate", SHA: head, ExternalID: "job-1", Status: "completed", Conclusion: "failure",
		Title: "2 blocking", Summary: "summary", Text: "text", Batches: batches}
	for i := range n {
		r.Annotations = append(r.Annotations, githubtest.Annotation{Path: "src/a.rs", StartLine: i + 1, EndLine: i + 1, StartColumn: 1, EndColumn: 2, AnnotationLevel: "failure",
			Title: "trust/assume in a", Message: fmt.Sprintf("message %d", i), RawDetails: "details"})
	}
	return r
}

// want compares all that there is on GitHub with the repository in which something was changed.
func (s *scene) want(t *testing.T, change func(*githubtest.Repo)) {
	t.Helper()
	want := repository()
	change(want["acme/numbers"])
	if diff := cmp.Diff(want, s.State()); diff != "" {
		t.Errorf("GitHub has (+), and should have (-):\n%s", diff)
	}
}

func (s *scene) wantRequests(t *testing.T, got []githubtest.Request, want ...string) {
	t.Helper()
	var lines []string
	for _, r := range got {
		lines = append(lines, fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status))
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("requests:\n%s", diff)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error:\n%s", diff)
	}
}

func TestCheckRun(t *testing.T) {
	s := start(t, nil)
	started, err := s.client.StartCheck(t.Context(), numbers, check)
	wantError(t, err, "")
	if diff := cmp.Diff(github.Posted{ID: 101, URL: "https://github.example/acme/numbers/runs/101", Written: true}, started); diff != "" {
		t.Error(diff)
	}
	s.want(t, func(r *githubtest.Repo) {
		r.CheckRuns = []*githubtest.CheckRun{{ID: 101, AppID: 15368, Name: "specgate", SHA: head, ExternalID: "job-1", Status: "in_progress"}}
	})
	again, err := s.client.StartCheck(t.Context(), numbers, check)
	wantError(t, err, "")
	if again.ID != started.ID || again.Written {
		t.Errorf("started again: %+v", again)
	}
	_, err = s.client.CompleteCheck(t.Context(), numbers, check, output(120), []github.Action{{Label: "Accept", Description: "Accept this change", Identifier: "accept"}})
	wantError(t, err, "")
	whole := func(r *githubtest.Repo) {
		run := completed(101, 120, 50, 50, 20)
		run.Actions = []githubtest.Action{{Label: "Accept", Description: "Accept this change", Identifier: "accept"}}
		r.CheckRuns = []*githubtest.CheckRun{run}
	}
	s.want(t, whole)

	// A re-run finds everything there.
	before := len(s.Writes())
	posted, err := s.another(t, nil).CompleteCheck(t.Context(), numbers, check, output(120), nil)
	wantError(t, err, "")
	if posted.Written || len(s.Writes()) != before {
		t.Errorf("a re-run wrote: %+v", posted)
	}
	s.want(t, whole)

	// Another text is an update.
	other := output(120)
	other.Summary, other.Conclusion = "other", annotate.Success
	_, err = s.client.CompleteCheck(t.Context(), numbers, check, other, nil)
	wantError(t, err, "")
	s.want(t, func(r *githubtest.Repo) {
		whole(r)
		r.CheckRuns[0].Summary, r.CheckRuns[0].Conclusion = "other", "success"
	})

	// Other annotations cannot be taken back.
	_, err = s.client.CompleteCheck(t.Context(), numbers, check, output(1), nil)
	wantError(t, err, "")
	s.want(t, func(r *githubtest.Repo) {
		whole(r)
		r.CheckRuns[0].Summary, r.CheckRuns[0].Conclusion = "other", "success"
		r.CheckRuns = append(r.CheckRuns, completed(102, 1, 1))
	})
}

// TestCutShort: whatever is lost on the way, and wherever a run ends, the next one ends in the same state, with one run and each annotation once.
func TestCutShort(t *testing.T) {
	for _, method := range []string{"GET", "POST", "PATCH"} {
		for skip := range 3 {
			for _, kind := range []githubtest.Kind{githubtest.Cut, githubtest.CutBody, githubtest.Answer} {
				for _, acted := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s %d %d %v", method, skip, kind, acted), func(t *testing.T) {
						s := start(t, nil)
						s.Fail(githubtest.Fault{Method: method, Skip: skip, Kind: kind, Acted: acted, Status: 502})
						_, err := s.client.CompleteCheck(t.Context(), numbers, check, output(120), nil)
						wantError(t, err, "")
						got := s.State()["acme/numbers"].CheckRuns
						if len(got) == 1 {
							got[0].Batches = []int{50, 50, 20} // an answer that was lost makes other batches
						}
						if diff := cmp.Diff([]*githubtest.CheckRun{completed(101, 120, 50, 50, 20)}, got); diff != "" {
							t.Error(diff)
						}

						// The run ends there instead of trying again.
						s = start(t, func(o *github.Options) { o.MaxWait = time.Nanosecond })
						s.Fail(githubtest.Fault{Method: method, Skip: skip, Kind: kind, Acted: acted, Status: 502})
						_, err = s.client.CompleteCheck(t.Context(), numbers, check, output(120), nil)
						var lost *github.LostError
						if met := method == "GET" && skip < 1 || method == "POST" && skip < 1 || method == "PATCH"; met != errors.As(err, &lost) {
							t.Errorf("%v", err)
						}
						_, err = s.another(t, nil).CompleteCheck(t.Context(), numbers, check, output(120), nil)
						wantError(t, err, "")
						got = s.State()["acme/numbers"].CheckRuns
						if len(got) == 1 {
							got[0].Batches = []int{50, 50, 20}
						}
						if diff := cmp.Diff([]*githubtest.CheckRun{completed(101, 120, 50, 50, 20)}, got); diff != "" {
							t.Error(diff)
						}
					})
				}
			}
		}
	}
}

// TestOthersInProgress: a run that has other annotations and is not completed does not stay so.
func TestOthersInProgress(t *testing.T) {
	s := start(t, func(o *github.Options) { o.MaxWait = time.Nanosecond })
	s.Fail(githubtest.Fault{Method: "PATCH", Skip: 1, Kind: githubtest.Cut})
	_, err := s.client.CompleteCheck(t.Context(), numbers, check, output(60), nil)
	wantError(t, err, "update check run 101 (\"specgate\") in acme/numbers: Patch \""+s.URL+"/repos/acme/numbers/check-runs/101\": EOF")
	_, err = s.client.CompleteCheck(t.Context(), numbers, check, output(2), nil)
	wantError(t, err, "")
	s.want(t, func(r *githubtest.Repo) {
		old := completed(101, 50, 50)
		old.Conclusion, old.Title, old.Text = "cancelled", "Superseded", ""
		old.Summary = "A later run of the same check has the results: this one had other annotations already, which cannot be taken back."
		r.CheckRuns = []*githubtest.CheckRun{old, completed(102, 2, 2)}
	})
}

func TestLimits(t *testing.T) {
	seconds := func(ns ...int) (out []time.Duration) {
		for _, n := range ns {
			out = append(out, time.Duration(n)*time.Second)
		}
		return out
	}
	const asked = "ask for pull request 7 of acme/numbers: Get \"URL/repos/acme/numbers/pulls/7\": "
	reset := fmt.Sprint(time.Date(2026, 1, 1, 0, 1, 30, 0, time.UTC).Unix())
	for _, c := range []struct {
		name  string
		fault githubtest.Fault
		slept []time.Duration
		err   string
	}{
		{"429 with Retry-After", githubtest.Fault{Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "17"}, Times: 2}, seconds(17, 17), ""},
		{"429 with a date", githubtest.Fault{Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "Thu, 01 Jan 2026 00:00:09 GMT"}}, seconds(9), ""},
		{"429 without", githubtest.Fault{Kind: githubtest.Answer, Status: 429}, seconds(60), ""},
		{"secondary", githubtest.Fault{Kind: githubtest.Answer, Status: 403, Header: map[string]string{"Retry-After": "3"}}, seconds(3), ""},
		{"secondary by its message", githubtest.Fault{Kind: githubtest.Answer, Status: 403, Body: `{"message": "You have exceeded a secondary rate limit."}`}, seconds(60), ""},
		{"primary", githubtest.Fault{Kind: githubtest.Answer, Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}}, seconds(90), ""},
		{"secondary by its page", githubtest.Fault{Kind: githubtest.Answer, Status: 403, Body: `{"message": "Slow down.", "documentation_url": "https://docs.github.com/rest/x#about-secondary-rate-limits"}`}, seconds(60), ""},
		{"nothing remains after this one", githubtest.Fault{Kind: githubtest.Pass, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}}, nil, ""},
		{"too long", githubtest.Fault{Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "3000"}}, nil,
			asked + "GitHub answers 429 Too Many Requests: too many requests; it asks to wait for 50m0s"},
		{"too long together", githubtest.Fault{Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "200"}, Times: 2}, seconds(200),
			asked + "GitHub answers 429 Too Many Requests: too many requests; it asks to wait for 3m20s"},
		{"absurd", githubtest.Fault{Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "99999999999999999999999"}}, seconds(60), ""},
		{"502", githubtest.Fault{Kind: githubtest.Answer, Status: 502, Times: 3}, seconds(1, 2, 4), ""},
		{"503 with Retry-After", githubtest.Fault{Kind: githubtest.Answer, Status: 503, Header: map[string]string{"Retry-After": "5"}}, seconds(5), ""},
		{"503 for ever", githubtest.Fault{Kind: githubtest.Answer, Status: 503, Times: 1000}, seconds(1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30), asked + "GitHub answers 503 Service Unavailable"},
		{"cut", githubtest.Fault{Kind: githubtest.Cut}, seconds(1), ""},
		{"cut in the middle", githubtest.Fault{Kind: githubtest.CutBody}, seconds(1), ""},
		{"slow", githubtest.Fault{Kind: githubtest.Slow, Delay: time.Minute}, seconds(1), ""},
		{"slow for ever", githubtest.Fault{Kind: githubtest.Slow, Delay: time.Minute, Times: 1000}, seconds(1, 2, 4), asked + "GitHub did not answer within 500ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(o *github.Options) {
				o.RequestTimeout = 500 * time.Millisecond
				if c.fault.Kind == githubtest.Slow {
					o.MaxWait = 10 * time.Second
				}
			})
			s.Fail(c.fault)
			_, err := s.client.Pull(t.Context(), numbers, 7)
			if c.fault.Kind == githubtest.Pass {
				_, err = s.client.Pull(t.Context(), numbers, 7)
			}
			wantError(t, err, strings.ReplaceAll(c.err, "URL", s.URL))
			if diff := cmp.Diff(c.slept, s.clock.slept); diff != "" {
				t.Errorf("waited:\n%s", diff)
			}
		})
	}
}

// TestLimitOnWrite: GitHub has not acted on a request that it limits, so it is sent again as it was.
func TestLimitOnWrite(t *testing.T) {
	s := start(t, nil)
	s.Fail(githubtest.Fault{Method: "POST", Kind: githubtest.Answer, Status: 403, Header: map[string]string{"Retry-After": "2"}})
	s.Fail(githubtest.Fault{Method: "PATCH", Kind: githubtest.Answer, Status: 429, Header: map[string]string{"Retry-After": "4"}})
	_, err := s.client.CompleteCheck(t.Context(), numbers, check, output(1), nil)
	wantError(t, err, "")
	s.want(t, func(r *githubtest.Repo) { r.CheckRuns = []*githubtest.CheckRun{completed(101, 1, 1)} })
	if diff := cmp.Diff([]time.Duration{2 * time.Second, 4 * time.Second}, s.clock.slept); diff != "" {
		t.Error(diff)
	}
}

func TestCancelled(t *testing.T) {
	s := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.clock.each = cancel
	s.Fail(githubtest.Fault{Kind: githubtest.Answer, Status: 502, Times: 1000})
	_, err := s.client.CompleteCheck(ctx, numbers, check, output(1), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s.wantRequests(t, s.Requests(), "GET /repos/acme/numbers/commits/"+head+"/check-runs 502")
}

// TestTooLarge: an answer is not read without end.
func TestTooLarge(t *testing.T) {
	s := start(t, func(o *github.Options) { o.MaxWait = time.Nanosecond })
	s.Fail(githubtest.Fault{Kind: githubtest.Answer, Status: 200, Body: `"` + strings.Repeat("x", 33<<20) + `"`})
	_, err := s.client.Pull(t.Context(), numbers, 7)
	wantError(t, err, "ask for pull request 7 of acme/numbers: Get \""+s.URL+"/repos/acme/numbers/pulls/7\": read the answer: it has more than 32 MiB")
}

// TestRedirects: no token reaches another host, whoever points there.
func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	reached := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		reached++
	}))
	defer other.Close()
	key, pemKey := newKey(t)
	for _, c := range []struct{ name, to, want string }{
		{"another host", other.URL + "/repos/acme/numbers/pulls/7", "a redirect is not followed: to " + other.URL},
		{"no scheme", "//evil.example/x", "a redirect is not followed: to http://evil.example"},
		{"within", "/repos/acme/numbers/pulls/7", ""},
	} {
		for _, app := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %v", c.name, app), func(t *testing.T) {
				s := start(t, nil)
				if app {
					s.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: key, Installation: 6, Permissions: actions.Permissions})
					s.client = s.another(t, func(o *github.Options) {
						o.Token, o.App = "", &github.App{ID: 5, InstallationID: 6, PrivateKey: pemKey, Repository: numbers}
					})
				}
				s.Fail(githubtest.Fault{Method: "GET", Kind: githubtest.Answer, Status: 302, Header: map[string]string{"Location": c.to}})
				_, err := s.client.Pull(t.Context(), numbers, 7)
				want := c.want
				if want != "" {
					want = fmt.Sprintf("ask for pull request 7 of acme/numbers: Get %q: %s", c.to, want)
				}
				wantError(t, err, want)
			})
		}
	}
	// A write that is redirected would become a read.
	s := start(t, nil)
	s.Fail(githubtest.Fault{Method: "POST", Kind: githubtest.Answer, Status: 302, Header: map[string]string{"Location": "/repos/acme/numbers/pulls/7"}})
	_, err := s.client.StartCheck(t.Context(), numbers, check)
	wantError(t, err, "create check run \"specgate\" on "+head+" in acme/numbers: Post \"/repos/acme/numbers/pulls/7\": a redirect is not followed: from POST to GET")
	if reached != 0 {
		t.Errorf("the other host was reached %d times", reached)
	}
}

func newKey(t *testing.T) (*rsa.PublicKey, []byte) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return &key.PublicKey, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

// TestApp: on an Enterprise Server, with tokens for one repository and no more than is needed.
func TestApp(t *testing.T) {
	key, pemKey := newKey(t)
	s := &scene{Server: githubtest.New(repository(), "/api/v3"), clock: &clock{now: time.Now()}}
	defer s.Close()
	s.Change(func(all githubtest.State) { all["acme/secret"] = &githubtest.Repo{} })
	s.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: key, Installation: 6, Permissions: map[string]string{"checks": "write", "contents": "write", "pull_requests": "write", "administration": "write"}})
	s.client = s.another(t, func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: 5, InstallationID: 6, PrivateKey: pemKey, Repository: numbers, Comments: true}
	})
	s.Fail(githubtest.Fault{Method: "POST", Path: "access_tokens", Kind: githubtest.Cut, Acted: true})
	_, err := s.client.CompleteCheck(t.Context(), numbers, check, output(1), nil)
	wantError(t, err, "")
	wantError(t, s.client.Sticky(t.Context(), numbers, 7, head, annotate.CommentMarker+"\nhello", false), "")
	want := repository()
	want["acme/secret"] = &githubtest.Repo{}
	run := completed(103, 1, 1)
	run.AppID = 5
	want["acme/numbers"].CheckRuns = []*githubtest.CheckRun{run}
	want["acme/numbers"].Pulls[7].Comments = []*githubtest.Comment{{ID: 104, Login: "specgate-app[bot]", Body: annotate.CommentMarker + "\nhello"}}
	if diff := cmp.Diff(want, s.State()); diff != "" {
		t.Error(diff)
	}
	secret, err := github.ParseRepo("acme/secret")
	wantError(t, err, "")
	_, err = s.client.Pull(t.Context(), secret, 1)
	wantError(t, err, "ask for pull request 1 of acme/secret: not found, or not visible with this token")
	if problems := s.Problems(); len(problems) > 0 {
		t.Error(problems)
	}
	// The first token was lost on the way.
	withComments := githubtest.Token{Login: "specgate-app[bot]", AppID: 5, Repos: []string{"acme/numbers"}, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"}}
	if diff := cmp.Diff([]githubtest.Token{withComments, withComments}, s.Issued()); diff != "" {
		t.Errorf("tokens:\n%s", diff)
	}
	s.client = s.another(t, func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: 5, InstallationID: 6, PrivateKey: pemKey, Repository: numbers}
	})
	_, err = s.client.Pull(t.Context(), numbers, 7)
	wantError(t, err, "")
	if got := s.Issued()[2].Permissions["pull_requests"]; got != "read" {
		t.Errorf("a token without comments has %q", got)
	}

	_, wrong := newKey(t)
	s.client = s.another(t, func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: 5, InstallationID: 6, PrivateKey: wrong, Repository: numbers}
	})
	_, err = s.client.Pull(t.Context(), numbers, 7)
	wantError(t, err, "ask for pull request 7 of acme/numbers: sign in as installation 6: GitHub does not accept the token (GitHub answers 401 Unauthorized)")
	s.client = s.another(t, func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: 5, InstallationID: 7, PrivateKey: pemKey, Repository: numbers}
	})
	_, err = s.client.Pull(t.Context(), numbers, 7)
	wantError(t, err, "ask for pull request 7 of acme/numbers: sign in as installation 7: not found, or not visible with this token (GitHub answers 404 Not Found)")
}

// TestPermissions: what the token may not do has a name.
func TestPermissions(t *testing.T) {
	s := start(t, nil)
	readOnly := map[string]string{"checks": "read", "contents": "read", "pull_requests": "read"}
	s.AddToken("fork", githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: readOnly})
	s.AddToken("person", githubtest.Token{Login: "ada", Permissions: actions.Permissions})
	fork := s.another(t, func(o *github.Options) { o.Token = "fork" })
	for _, c := range []struct {
		name string
		do   func() error
		want string
		is   error
	}{
		{"check run", func() error { _, err := fork.StartCheck(t.Context(), numbers, check); return err },
			"create check run \"specgate\" on " + head + " in acme/numbers: the token may not do that: Resource not accessible by integration", github.ErrReadOnly},
		{"comment", func() error {
			return fork.Sticky(t.Context(), numbers, 7, head, annotate.CommentMarker+"\nhello", false)
		}, "comment on pull request 7 of acme/numbers: the token may not do that: Resource not accessible by integration", github.ErrReadOnly},
		{"review", func() error {
			_, err := fork.Review(t.Context(), numbers, 7, head, review("f1", 2, "weak"))
			return err
		},
			"review pull request 7 of acme/numbers: the token may not do that: Resource not accessible by integration", github.ErrReadOnly},
		{"person", func() error {
			_, err := s.another(t, func(o *github.Options) { o.Token = "person" }).StartCheck(t.Context(), numbers, check)
			return err
		}, "create check run \"specgate\" on " + head + " in acme/numbers: the token may not do that: You must authenticate via a GitHub App.", github.ErrReadOnly},
		{"expired", func() error {
			_, err := s.another(t, func(o *github.Options) { o.Token = "expired" }).Pull(t.Context(), numbers, 7)
			return err
		}, "ask for pull request 7 of acme/numbers: GitHub does not accept the token: Bad credentials", github.ErrUnauthorized},
		{"missing", func() error { _, err := s.client.Pull(t.Context(), numbers, 8); return err },
			"ask for pull request 8 of acme/numbers: not found, or not visible with this token", github.ErrNotFound},
	} {
		err := c.do()
		wantError(t, err, c.want)
		if !errors.Is(err, c.is) {
			t.Errorf("%s: %v is not %v", c.name, err, c.is)
		}
	}
	s.want(t, func(*githubtest.Repo) {})
}

func TestQuestions(t *testing.T) {
	s := start(t, nil)
	s.Change(func(all githubtest.State) {
		r := all["acme/numbers"]
		for i := range 150 {
			r.Pulls[100+i] = &githubtest.Pull{Head: push, Base: base}
		}
		r.Pulls[9] = &githubtest.Pull{Head: head, Base: base, Closed: true}
	})
	want := github.Pull{Number: 7, Head: head, Base: base, Open: true, Labels: []string{"implementation"}}
	pulls, err := s.client.Pulls(t.Context(), numbers, head)
	wantError(t, err, "")
	if diff := cmp.Diff([]github.Pull{want}, pulls); diff != "" {
		t.Error(diff)
	}
	if pulls, err = s.client.Pulls(t.Context(), numbers, push); err != nil || len(pulls) != 150 {
		t.Errorf("%d pull requests, %v", len(pulls), err)
	}
	if got, err := s.client.MergeBase(t.Context(), numbers, base, push); err != nil || got != base {
		t.Errorf("merge base %s, %v", got, err)
	}
	if got, err := s.client.DefaultBranch(t.Context(), numbers); err != nil || got != base {
		t.Errorf("default branch %s, %v", got, err)
	}
	text, ok, err := s.client.File(t.Context(), numbers, base, ".specgate.toml")
	if err != nil || !ok || string(text) != "version = 1\n" {
		t.Errorf("%q, %v, %v", text, ok, err)
	}
	if _, ok, err = s.client.File(t.Context(), numbers, head, ".specgate.toml"); err != nil || ok {
		t.Errorf("%v, %v", ok, err)
	}
	for _, name := range []string{"../x", "/x", "a/../b", "", "a?b", "a%2e"} {
		if _, _, err := s.client.File(t.Context(), numbers, head, name); err == nil {
			t.Errorf("read %q", name)
		}
	}
}

func TestParts(t *testing.T) {
	for _, text := range []string{"", "acme", "acme/", "/numbers", "acme/..", "acme/.", "../numbers", "acme/a/b", "acme/a b", "acme/a%2fb", "acme/a?b", "acme/a#b", "acme/ä", "acme/numbers\n", "acme/" + strings.Repeat("a", 101)} {
		if r, err := github.ParseRepo(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
	for _, text := range []string{"", "HEAD", "main", base[1:], base + "0", strings.ToUpper("abcdef") + base[6:], "../" + base[3:], base + "\n"} {
		if github.CheckSHA(text) == nil {
			t.Errorf("%q is taken for a hash", text)
		}
	}
	s := start(t, nil)
	_, err := s.client.StartCheck(t.Context(), github.Repo{}, check)
	wantError(t, err, "post check run \"specgate\" on "+head+" in /: \"/\" is no repository")
	for _, url := range []string{"http://github.example", "ftp://x", "https://user:pw@github.example", "https://github.example?x", "::", "github.example"} {
		if _, err := github.New(github.Options{BaseURL: url, Token: "t"}); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	_, err = github.New(github.Options{})
	wantError(t, err, "sign in to GitHub: want either a token or the key of an App")
}

// TestInvalid: what GitHub would refuse is refused before anything is posted.
func TestInvalid(t *testing.T) {
	s := start(t, nil)
	with := func(change func(*annotate.Annotation)) annotate.CheckRun {
		out := output(1)
		change(&out.Annotations[0])
		return out
	}
	const prefix = `post check run "specgate": `
	for _, c := range []struct {
		out  annotate.CheckRun
		want string
	}{
		{func() annotate.CheckRun { o := output(0); o.Conclusion = "neutral"; return o }(), `"neutral" is not a conclusion of a gate`},
		{func() annotate.CheckRun { o := output(0); o.Title = strings.Repeat("ä", 256); return o }(), `the title needs 1 to 255 characters`},
		{func() annotate.CheckRun { o := output(0); o.Summary = ""; return o }(), `the summary needs 1 to 65535 bytes, and has 0`},
		{func() annotate.CheckRun { o := output(0); o.Text = strings.Repeat("x", 65536); return o }(), `the text has 65536 bytes; at most 65535 are taken`},
		{with(func(a *annotate.Annotation) { a.Path = "" }), `annotation 1 ("", line 1): it has no path`},
		{with(func(a *annotate.Annotation) { a.StartLine = 0 }), `annotation 1 ("src/a.rs", line 0): lines count from 1, and the last is 1`},
		{with(func(a *annotate.Annotation) { a.EndLine = 2 }), `annotation 1 ("src/a.rs", line 1): columns need a range within one line`},
		{with(func(a *annotate.Annotation) { a.EndColumn = 0 }), `annotation 1 ("src/a.rs", line 1): columns 1 to 0 are no range`},
		{with(func(a *annotate.Annotation) { a.Level = "error" }), `annotation 1 ("src/a.rs", line 1): "error" is not a level`},
		{with(func(a *annotate.Annotation) { a.Message = strings.Repeat("x", 64<<10+1) }), `annotation 1 ("src/a.rs", line 1): a message needs 1 to 65536 bytes, and details have that many at most`},
		{with(func(a *annotate.Annotation) { a.Title = strings.Repeat("x", 256) }), `annotation 1 ("src/a.rs", line 1): the title has more than 255 characters`},
	} {
		_, err := s.client.CompleteCheck(t.Context(), numbers, check, c.out, nil)
		wantError(t, err, prefix+c.want)
		var input *github.InputError
		if !errors.As(err, &input) {
			t.Errorf("%v is no InputError", err)
		}
	}
	for _, a := range [][]github.Action{{{Label: strings.Repeat("x", 21), Identifier: "i"}}, {{}, {}, {}, {}}} {
		if _, err := s.client.CompleteCheck(t.Context(), numbers, check, output(1), a); err == nil {
			t.Errorf("%v is taken", a)
		}
	}
	if got := s.Requests(); len(got) > 0 {
		t.Errorf("something was asked: %v", got)
	}
}

// Package apptest has what tests of the server need: a GitHub with repositories that are pushed to, events as it sends them, the server as a
// process, and a PostgreSQL.
package apptest

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/github/githubtest"
)

// The App, and its webhook.
const (
	AppID         = 5
	Installation  = 6
	WebhookSecret = "0123456789abcdef0123456789abcdef"
)

// Prefix of the API, as on an Enterprise Server.
const Prefix = "/api/v3"

// Push is one head of a pull request.
type Push struct {
	Repo   string
	Number int
	N      int // from 1
	SHA    string
	// Before is the head that it replaces; empty: it is the first.
	Before string
	Time   time.Time
	Last   bool
}

// Blocks tells whether its check must fail.
func (p Push) Blocks() bool { return p.Last && p.Number%2 == 1 }

// World is a GitHub on which the App is installed.
type World struct {
	*githubtest.Server
	// Key is the App's, in PEM.
	Key   []byte
	Repos []string
	IDs   map[string]int64
	// Pushes that are to come, by pull request and in order.
	Pushes [][]Push

	key         *rsa.PrivateKey
	permissions map[string]string
}

// NewWorld makes a GitHub of a state. permissions are those that the App has.
func NewWorld(tb testing.TB, state githubtest.State, prefix string, permissions map[string]string) *World {
	tb.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}
	w := &World{IDs: map[string]int64{}, key: key, permissions: permissions, Key: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})}
	for name := range state {
		w.Repos = append(w.Repos, name)
	}
	slices.Sort(w.Repos)
	for i, name := range w.Repos {
		w.IDs[name] = int64(1000 + i)
	}
	w.serve(state, prefix)
	return w
}

func (w *World) serve(state githubtest.State, prefix string) {
	w.Server = githubtest.New(state, prefix)
	w.AddApp(githubtest.App{ID: AppID, Slug: "specgate-app", Key: &w.key.PublicKey, Installation: Installation, Permissions: w.permissions})
}

// NewBusyWorld is a GitHub with repositories, and in each of them so many pull requests to which is pushed so many times. In odd pull requests
// the last push assumes something, so that its check must fail. The commits are those of real repositories. policy is the text of the policy file;
// empty: there is none.
func NewBusyWorld(tb testing.TB, repos, pulls, pushes int, policy string) *World {
	tb.Helper()
	state := githubtest.State{}
	var all [][]Push
	for r := range repos {
		name := fmt.Sprintf("acme/r%d", r)
		repo, list := busyRepo(tb, name, pulls, pushes, policy)
		state[name] = repo
		all = append(all, list...)
	}
	permissions := map[string]string{"checks": "write", "contents": "read", "pull_requests": "read"}
	if policy != "" {
		permissions["pull_requests"] = "write"
	}
	w := NewWorld(tb, state, Prefix, permissions)
	w.Pushes = all
	w.cleanup(tb)
	return w
}

// Copy is a GitHub of its own with the same repositories.
func (w *World) Copy(tb testing.TB) *World {
	tb.Helper()
	c := *w
	c.serve(w.State(), Prefix)
	c.cleanup(tb)
	return &c
}

func (w *World) cleanup(tb testing.TB) {
	tb.Cleanup(func() {
		for i, p := range w.Problems() {
			if i < 5 {
				tb.Errorf("a bad request: %s", p)
			}
		}
		w.Close()
	})
}

func busyRepo(tb testing.TB, name string, pulls, pushes int, policy string) (*githubtest.Repo, [][]Push) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "r.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", dir).CombinedOutput(); err != nil {
		tb.Fatalf("git init: %v\n%s", err, out)
	}
	var in strings.Builder
	mark := 0
	parents, files := map[int]int{}, map[int]map[string]string{}
	commit := func(ref string, from int, text string) int {
		mark++
		parents[mark], files[mark] = from, map[string]string{"src/lib.rs": text}
		if policy != "" {
			files[mark][".specgate.toml"] = policy
		}
		fmt.Fprintf(&in, "commit %s\nmark :%d\ncommitter C <c@example.com> %d +0000\ndata 1\nm\n", ref, mark, 1700000000+mark)
		if from > 0 {
			fmt.Fprintf(&in, "from :%d\n", from)
		}
		for file, text := range files[mark] {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", file, len(text), text)
		}
		return mark
	}
	base := commit("refs/heads/main", 0, program(0, 0, false))
	marks := map[[2]int]int{}
	for p := 1; p <= pulls; p++ {
		from := base
		for n := 1; n <= pushes; n++ {
			// Every third push is a forced one, from the base anew.
			if n%3 == 0 {
				from = base
			}
			from = commit(fmt.Sprintf("refs/pulls/%d/%d", p, n), from, program(p, n, Push{Number: p, Last: n == pushes}.Blocks()))
			marks[[2]int{p, n}] = from
		}
	}
	exported := filepath.Join(tb.TempDir(), "marks")
	fast := exec.Command("git", "--git-dir", dir, "fast-import", "--quiet", "--export-marks="+exported)
	fast.Stdin = strings.NewReader(in.String())
	if out, err := fast.CombinedOutput(); err != nil {
		tb.Fatalf("git fast-import: %v\n%s", err, out)
	}
	text, err := os.ReadFile(exported)
	if err != nil {
		tb.Fatal(err)
	}
	shas := map[int]string{}
	for line := range strings.Lines(string(text)) {
		m, sha, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(strings.TrimPrefix(m, ":"))
		shas[n] = sha
	}
	repo := &githubtest.Repo{Commits: map[string]githubtest.Commit{}, Default: shas[base], Git: dir, Pulls: map[int]*githubtest.Pull{}}
	for m, sha := range shas {
		c := githubtest.Commit{Files: files[m]}
		if parents[m] > 0 {
			c.Parents = []string{shas[parents[m]]}
		}
		repo.Commits[sha] = c
	}
	var all [][]Push
	for p := 1; p <= pulls; p++ {
		before := ""
		var list []Push
		for n := 1; n <= pushes; n++ {
			sha := shas[marks[[2]int{p, n}]]
			list = append(list, Push{Repo: name, Number: p, N: n, SHA: sha, Before: before, Last: n == pushes, Time: time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)})
			before = sha
		}
		all = append(all, list)
		repo.Pulls[p] = &githubtest.Pull{Head: list[0].SHA, Base: shas[base]}
	}
	return repo, all
}

// program is a small one of Verus.
func program(pull, n int, assume bool) string {
	extra := ""
	if assume {
		extra = "    assume(x < 1000);\n"
	}
	return fmt.Sprintf("use vstd::prelude::*;\nverus! {\n\npub fn f(x: u64) -> (r: u64)\n    requires x < 100,\n    ensures r == x + 1,\n{\n%s    x + 1\n}\n\n// pull request %d, push %d\n} // verus!\n", extra, pull, n)
}

// Webhook is an event as GitHub sends it.
type Webhook struct {
	Event, Delivery string
	Body            []byte
}

// Event is one of a repository, which says more than all do.
func (w *World) Event(tb testing.TB, name, repo string, more map[string]any) Webhook {
	tb.Helper()
	all := map[string]any{
		"installation": map[string]any{"id": Installation},
		"repository":   map[string]any{"id": w.IDs[repo], "full_name": repo, "private": false},
		"sender":       map[string]any{"id": 77, "login": "alice"},
	}
	for k, v := range more {
		all[k] = v
	}
	body, err := json.Marshal(all)
	if err != nil {
		tb.Fatal(err)
	}
	return Webhook{name, fmt.Sprintf("%08x-%04x", mathrand.Uint64(), mathrand.Uint32()), body}
}

// Pushed is the event of a push.
func (w *World) Pushed(tb testing.TB, p Push) Webhook {
	tb.Helper()
	action := "synchronize"
	if p.N == 1 {
		action = "opened"
	}
	more := map[string]any{"action": action, "number": p.Number, "pull_request": map[string]any{"number": p.Number, "state": "open",
		"updated_at": p.Time.Format(time.RFC3339), "head": map[string]any{"sha": p.SHA}, "base": map[string]any{"ref": "main"}}}
	if p.Before != "" {
		more["before"], more["after"] = p.Before, p.SHA
	}
	return w.Event(tb, "pull_request", p.Repo, more)
}

// Send sends a webhook to the server at an address, and gives the status and the text of the answer. change may change the request.
func Send(client *http.Client, address string, h Webhook, change func(*http.Request)) (int, string, error) {
	mac := hmac.New(sha256.New, []byte(WebhookSecret))
	mac.Write(h.Body)
	req, err := http.NewRequest(http.MethodPost, "http://"+address+"/webhook", bytes.NewReader(h.Body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Event", h.Event)
	req.Header.Set("X-GitHub-Delivery", h.Delivery)
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	if change != nil {
		change(req)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(text)), err
}

// Taken tells whether the answer to a webhook says that its event is stored.
func Taken(status int, err error) bool {
	return err == nil && (status == http.StatusAccepted || status == http.StatusOK)
}

// done tells whether the server at an address has nothing left to do: each push has a completed check run, no check run is not completed, and nothing is in
// the queue. It says what is left.
func (w *World) done(tb testing.TB, address string) (left string, ok bool) {
	tb.Helper()
	open := 0
	w.Change(func(s githubtest.State) {
		for _, list := range w.Pushes {
			for _, p := range list {
				if !slices.ContainsFunc(s[p.Repo].CheckRuns, func(r *githubtest.CheckRun) bool { return r.SHA == p.SHA && r.Status == "completed" }) {
					open++
				}
			}
		}
		for _, r := range s {
			for _, run := range r.CheckRuns {
				if run.Status != "completed" {
					open++
				}
			}
		}
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%d heads or check runs are not completed\n", open)
	known, jobs := false, 0
	for line := range strings.Lines(Metrics(tb, address)) {
		if strings.HasPrefix(line, "specgate_queue_jobs{") || strings.HasPrefix(line, "specgate_heads{") {
			known = true
			if !strings.HasSuffix(line, " 0\n") {
				b.WriteString(line)
				jobs++
			}
		}
	}
	return b.String(), open == 0 && known && jobs == 0
}

// WaitDone waits until the server at an address has nothing left to do, so long at most.
func (w *World) WaitDone(tb testing.TB, address string, limit time.Duration) {
	tb.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		left, done := w.done(tb, address)
		if done {
			return
		}
		if time.Since(began) > limit {
			tb.Errorf("after %v there is left:\n%s", limit, left)
			return
		}
	}
}

// Verify looks at the check runs when all is done. Each head has exactly one, which is completed; that of the last head of each pull request says
// what is right; and those before say what is right or that they are none any more. It counts the check runs by conclusion.
func (w *World) Verify(tb testing.TB) map[string]int {
	tb.Helper()
	conclusions := map[string]int{}
	state := w.State()
	total := 0
	for _, list := range w.Pushes {
		for _, p := range list {
			what := fmt.Sprintf("%s pull request %d, push %d of %d", p.Repo, p.Number, p.N, len(list))
			var got []*githubtest.CheckRun
			for _, r := range state[p.Repo].CheckRuns {
				if r.SHA == p.SHA {
					got = append(got, r)
				}
			}
			total += len(got)
			if len(got) != 1 || got[0].Status != "completed" || got[0].Name != "specgate" {
				tb.Errorf("%s: %d check runs", what, len(got))
				for _, r := range got {
					tb.Logf("%+v", *r)
				}
				continue
			}
			conclusions[got[0].Conclusion]++
			want := "success"
			if p.Blocks() {
				want = "action_required"
			}
			superseded := !p.Last && got[0].Conclusion == "cancelled" &&
				(strings.HasPrefix(got[0].Summary, "Superseded by ") || strings.HasPrefix(got[0].Summary, "This commit is not the head of an open pull request"))
			if got[0].Conclusion != want && !superseded {
				tb.Errorf("%s: %s, want %s: %s", what, got[0].Conclusion, want, got[0].Summary)
			}
		}
	}
	for _, r := range state {
		total -= len(r.CheckRuns)
	}
	if total != 0 {
		tb.Errorf("%d check runs are of commits that were never pushed", -total)
	}
	return conclusions
}

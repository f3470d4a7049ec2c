package app_test

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
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/github/githubtest"
)

const (
	appID         = 5
	installation  = 6
	webhookSecret = "0123456789abcdef0123456789abcdef"
)

// push is one head of a pull request.
type push struct {
	repo   string
	number int
	n      int // from 1
	sha    string
	before string
	time   time.Time
	last   bool
}

// world has repositories with pull requests, to each of which is pushed several times.
type world struct {
	*githubtest.Server
	key    []byte
	repos  []string
	ids    map[string]int64
	pushes [][]push // by pull request, in order
	final  map[string]bool
}

// newWorld makes repositories, and in each of them so many pull requests with so many pushes. In odd pull requests the last push assumes
// something, so that its check must fail.
func newWorld(t testing.TB, repos, pulls, pushes int) *world {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{ids: map[string]int64{}, final: map[string]bool{},
		key: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})}
	state := githubtest.State{}
	for r := range repos {
		name := fmt.Sprintf("acme/r%d", r)
		w.repos = append(w.repos, name)
		w.ids[name] = int64(1000 + r)
		dir := filepath.Join(t.TempDir(), "r.git")
		if _, err := command("git", ".", "init", "-q", "--bare", "-b", "main", dir); err != nil {
			t.Fatal(err)
		}
		var in strings.Builder
		mark := 0
		parents, texts := map[int]int{}, map[int]string{}
		commit := func(ref string, from int, text string) int {
			mark++
			parents[mark], texts[mark] = from, text
			fmt.Fprintf(&in, "commit %s\nmark :%d\ncommitter C <c@example.com> %d +0000\ndata 1\nm\n", ref, mark, 1700000000+mark)
			if from > 0 {
				fmt.Fprintf(&in, "from :%d\n", from)
			}
			fmt.Fprintf(&in, "M 100644 inline src/lib.rs\ndata %d\n%s\n", len(text), text)
			return mark
		}
		base := commit("refs/heads/main", 0, source(0, 0, false))
		marks := map[[2]int]int{}
		for p := 1; p <= pulls; p++ {
			from := base
			for n := 1; n <= pushes; n++ {
				// Every third push is a forced one, from the base anew.
				if n%3 == 0 {
					from = base
				}
				from = commit(fmt.Sprintf("refs/pulls/%d/%d", p, n), from, source(p, n, p%2 == 1 && n == pushes))
				marks[[2]int{p, n}] = from
			}
		}
		exported := filepath.Join(t.TempDir(), "marks")
		fast := exec.Command("git", "--git-dir", dir, "fast-import", "--quiet", "--export-marks="+exported)
		fast.Stdin = strings.NewReader(in.String())
		if out, err := fast.CombinedOutput(); err != nil {
			t.Fatalf("git fast-import: %v\n%s", err, out)
		}
		text, err := os.ReadFile(exported)
		if err != nil {
			t.Fatal(err)
		}
		shas := map[int]string{}
		for line := range strings.Lines(string(text)) {
			m, sha, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, _ := strconv.Atoi(strings.TrimPrefix(m, ":"))
			shas[n] = sha
		}
		commits := map[string]githubtest.Commit{}
		for m, sha := range shas {
			commits[sha] = githubtest.Commit{Files: map[string]string{"src/lib.rs": texts[m]}}
			if parents[m] > 0 {
				commits[sha] = githubtest.Commit{Files: commits[sha].Files, Parents: []string{shas[parents[m]]}}
			}
		}
		repo := &githubtest.Repo{Commits: commits, Default: shas[base], Git: dir, Pulls: map[int]*githubtest.Pull{}}
		for p := 1; p <= pulls; p++ {
			before := ""
			var list []push
			for n := 1; n <= pushes; n++ {
				sha := shas[marks[[2]int{p, n}]]
				list = append(list, push{repo: name, number: p, n: n, sha: sha, before: before, last: n == pushes,
					time: time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC)})
				before = sha
			}
			w.final[before] = true
			w.pushes = append(w.pushes, list)
			repo.Pulls[p] = &githubtest.Pull{Head: list[0].sha, Base: shas[base]}
		}
		state[name] = repo
	}
	w.Server = githubtest.New(state, "/api/v3")
	t.Cleanup(func() {
		for i, p := range w.Problems() {
			if i < 5 {
				t.Errorf("a bad request: %s", p)
			}
		}
		w.Close()
	})
	w.AddApp(githubtest.App{ID: appID, Slug: "specgate-app", Key: &key.PublicKey, Installation: installation,
		Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "read"}})
	return w
}

// source is a small program of Verus.
func source(pull, n int, assume bool) string {
	extra := ""
	if assume {
		extra = "    assume(x < 1000);\n"
	}
	return fmt.Sprintf("use vstd::prelude::*;\nverus! {\n\npub fn f(x: u64) -> (r: u64)\n    requires x < 100,\n    ensures r == x + 1,\n{\n%s    x + 1\n}\n\n// pull request %d, push %d\n} // verus!\n", extra, pull, n)
}

// webhook is an event as GitHub sends it.
type webhook struct {
	event, delivery string
	body            []byte
}

func (w *world) event(t testing.TB, name, repo string, more map[string]any) webhook {
	t.Helper()
	all := map[string]any{
		"installation": map[string]any{"id": installation},
		"repository":   map[string]any{"id": w.ids[repo], "full_name": repo, "private": false},
		"sender":       map[string]any{"id": 77, "login": "alice"},
	}
	for k, v := range more {
		all[k] = v
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return webhook{name, fmt.Sprintf("%08x-%04x", mathrand.Uint64(), mathrand.Uint32()), body}
}

// pushed is the event of a push.
func (w *world) pushed(t testing.TB, p push) webhook {
	t.Helper()
	action := "synchronize"
	if p.n == 1 {
		action = "opened"
	}
	more := map[string]any{"action": action, "number": p.number, "pull_request": map[string]any{"number": p.number, "state": "open",
		"updated_at": p.time.Format(time.RFC3339), "head": map[string]any{"sha": p.sha}, "base": map[string]any{"ref": "main"}}}
	if p.before != "" {
		more["before"], more["after"] = p.before, p.sha
	}
	return w.event(t, "pull_request", p.repo, more)
}

// send sends a webhook, and gives the status of the answer.
func send(client *http.Client, address string, h webhook, change func(*http.Request)) (int, string, error) {
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	mac.Write(h.body)
	req, err := http.NewRequest(http.MethodPost, "http://"+address+"/webhook", bytes.NewReader(h.body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Event", h.event)
	req.Header.Set("X-GitHub-Delivery", h.delivery)
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

// process is a running `specgate serve`.
type process struct {
	address string
	command *exec.Cmd
	log     *os.File
	peak    int // of its memory, in KiB
}

type serverProcess struct {
	t    testing.TB
	name string
	args []string
	env  []string
	*process
}

// newServer is a server that is not started yet. What its log holds is shown when the test fails.
func (w *world) newServer(t testing.TB, database string, more ...string) *serverProcess {
	t.Helper()
	name, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	s := &serverProcess{t: t, name: name, process: &process{address: address, log: log},
		args: append([]string{"serve", "--listen", address, "--database", database, "--dir", dir, "--no-run", "--jobs", "2"}, more...),
		env: append(os.Environ(), "SPECGATE_APP_ID="+strconv.Itoa(appID), "SPECGATE_PRIVATE_KEY="+string(w.key),
			"SPECGATE_WEBHOOK_SECRET="+webhookSecret, "SPECGATE_API_URL="+w.URL)}
	t.Cleanup(func() {
		s.kill()
		log.Close()
		text, err := os.ReadFile(log.Name())
		if t.Failed() && err == nil {
			lines := strings.Split(string(text), "\n")
			t.Logf("the last lines of the log of %s:\n%s", address, strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
		if bytes.Contains(text, []byte(webhookSecret)) || bytes.Contains(text, []byte("PRIVATE KEY")) || bytes.Contains(text, []byte("installation-1")) {
			t.Error("a secret is in the log")
		}
	})
	return s
}

// freeAddress is one to listen on, also again after a while: no system gives ports of this range to connections.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+mathrand.IntN(10000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

func (s *serverProcess) start() {
	s.t.Helper()
	s.command = exec.Command(s.name, s.args...)
	s.command.Env, s.command.Stdout, s.command.Stderr = s.env, s.log, s.log
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// ready waits until it is.
func (s *serverProcess) ready() {
	s.t.Helper()
	for range 600 {
		resp, err := http.Get("http://" + s.address + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatal("the server is not ready after 30 s")
}

func (s *serverProcess) kill() {
	if s.command == nil {
		return
	}
	s.memory()
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	s.command = nil
}

// memory notes the largest memory that the process had.
func (s *serverProcess) memory() {
	s.peak = max(s.peak, s.status("VmHWM:"))
}

// status is a number of /proc/PID/status, in KiB; 0 where there is none.
func (s *serverProcess) status(key string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), key)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[0])
	return n
}

// TestKilled: 1,000 webhooks and their replays while the servers are killed and started again. Each head of each pull request has exactly
// one check run in the end, completed, and that of the last head says what is right.
func TestKilled(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		w := newWorld(t, 5, 20, 10)
		testKilled(t, w, []*serverProcess{w.newServer(t, filepath.Join(t.TempDir(), "specgate.db"))})
	})
	t.Run("postgres", func(t *testing.T) {
		address := postgresURL(t)
		w := newWorld(t, 5, 20, 10)
		testKilled(t, w, []*serverProcess{w.newServer(t, address), w.newServer(t, address)})
	})
}

func testKilled(t *testing.T, w *world, servers []*serverProcess) {
	for _, s := range servers {
		s.start()
	}
	for _, s := range servers {
		s.ready()
	}
	idle := servers[0].status("VmRSS:")

	var acked, tries, slow atomic.Int64
	var longest atomic.Int64
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	// deliver sends until it is taken, as somebody who presses Redeliver does, to any of the servers.
	deliver := func(h webhook) {
		for {
			tries.Add(1)
			start := time.Now()
			status, _, err := send(client, servers[mathrand.IntN(len(servers))].address, h, nil)
			took := time.Since(start)
			if err == nil && (status == http.StatusAccepted || status == http.StatusOK) {
				acked.Add(1)
				if took > time.Second {
					slow.Add(1)
				}
				for old := longest.Load(); int64(took) > old && !longest.CompareAndSwap(old, int64(took)); old = longest.Load() {
				}
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	started := time.Now()
	var all sync.WaitGroup
	for _, list := range w.pushes {
		all.Go(func() {
			var replay webhook
			for _, p := range list {
				time.Sleep(time.Duration(mathrand.IntN(1000)) * time.Millisecond)
				w.Change(func(s githubtest.State) { s[p.repo].Pulls[p.number].Head = p.sha })
				h := w.pushed(t, p)
				deliver(h)
				if p.n == 4 {
					replay = h
				}
			}
			deliver(replay)
		})
	}
	var killer sync.WaitGroup
	killer.Go(func() {
		for n := range 5 {
			time.Sleep(1200 * time.Millisecond)
			s := servers[n%len(servers)]
			s.kill()
			s.start()
		}
	})
	all.Wait()
	sent := time.Since(started)
	killer.Wait()

	open := w.waitDone(t, servers)
	took := time.Since(started)
	peak := 0
	for _, s := range servers {
		s.memory()
		peak = max(peak, s.peak)
	}
	for _, s := range servers {
		if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := s.command.Wait(); err != nil {
			t.Errorf("a server that is told to stop: %v", err)
		}
		s.command = nil
	}
	runs := map[string]int{}
	checked := 0
	state := w.State()
	for _, name := range w.repos {
		byHead := map[string][]*githubtest.CheckRun{}
		for _, r := range state[name].CheckRuns {
			byHead[r.SHA] = append(byHead[r.SHA], r)
		}
		for _, list := range w.pushes {
			for _, p := range list {
				if p.repo != name {
					continue
				}
				got := byHead[p.sha]
				if len(got) != 1 || got[0].Status != "completed" || got[0].Name != "specgate" {
					t.Errorf("%s pull request %d, push %d of %d: %d check runs: %+v", name, p.number, p.n, len(list), len(got), got)
					continue
				}
				runs[got[0].Conclusion]++
				want := got[0].Conclusion
				switch {
				case p.last && p.number%2 == 1:
					want = "action_required"
				case p.last:
					want = "success"
				case want != "cancelled":
					checked++
				}
				if got[0].Conclusion != want {
					t.Errorf("%s pull request %d, push %d: %s, want %s: %s", name, p.number, p.n, got[0].Conclusion, want, got[0].Summary)
				}
				if want == "cancelled" && !strings.HasPrefix(got[0].Summary, "Superseded by ") {
					t.Errorf("%s pull request %d, push %d: %q", name, p.number, p.n, got[0].Summary)
				}
			}
		}
	}
	t.Logf("%d deliveries taken in %v (%d tries, the longest answer %v, %d over 1 s); all done after %v; check runs by conclusion %v, %d of superseded heads were checked; memory: %d MiB idle, %d MiB at most; open at last look %v",
		acked.Load(), sent.Round(time.Millisecond), tries.Load(), time.Duration(longest.Load()).Round(time.Millisecond), slow.Load(), took.Round(time.Millisecond),
		runs, checked, idle>>10, peak>>10, open)
	if idle > 60<<10 || peak > 300<<10 {
		t.Errorf("memory: %d KiB idle, %d KiB at most", idle, peak)
	}
}

// waitDone waits until each head has a completed check run and no job waits.
func (w *world) waitDone(t testing.TB, servers []*serverProcess) int {
	t.Helper()
	open := 0
	for range 1200 {
		open = 0
		w.Change(func(s githubtest.State) {
			for _, list := range w.pushes {
				for _, p := range list {
					if !slices.ContainsFunc(s[p.repo].CheckRuns, func(r *githubtest.CheckRun) bool { return r.SHA == p.sha && r.Status == "completed" }) {
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
		if open == 0 {
			if text := metricsOf(t, servers[0].address); strings.Contains(text, "specgate_heads{want=\"check\"} 0\n") && strings.Contains(text, "specgate_heads{want=\"end\"} 0\n") {
				return 0
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d heads or check runs are not completed", open)
	return open
}

func metricsOf(t testing.TB, address string) string {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(text)
}

package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

const (
	baseSHA = "1111111111111111111111111111111111111111"
	headSHA = "2222222222222222222222222222222222222222"
)

// bigReport is a file with a report whose annotations need several requests, and that has comments at contracts.
func bigReport(t *testing.T) string {
	t.Helper()
	half := 0.5
	r := &checks.Report{Schema: checks.Schema, Base: checks.Revision{Rev: baseSHA}, Head: checks.Revision{Rev: headSHA}, Policy: checks.PolicyRef{Source: "default", SHA256: policy.Default().SHA256},
		Outcome: checks.OutcomeFindings}
	for i := range 60 {
		symbol := fmt.Sprintf("numbers::f%03d", i)
		span := source.Range{Start: source.Position{Line: 10 * (i + 1), Column: 1}, End: source.Position{Line: 10 * (i + 1), Column: 5}}
		f := checks.Finding{Rule: "trust/assume", Severity: policy.Error, Symbol: symbol, File: "src/a.rs", Span: span, Message: "New assumption.", Fingerprint: fmt.Sprintf("%032x", i)}
		if i < 2 {
			f.Rule, f.Message = "strength/weak", "It also allows `0`."
			r.Functions = append(r.Functions, checks.Function{Symbol: symbol, File: "src/a.rs", Span: span, Change: "changed", Executable: "same",
				Contract: checks.FunctionContract{Direction: "equal", By: "syntax"}, Proof: checks.FunctionProof{Base: "not-run", Head: "not-run"},
				Strength: checks.FunctionStrength{Head: &checks.SuiteResult{Rejected: 5, Escaped: 5, Total: 10, Value: &half, Low: 0.5, High: 0.5, Label: "empirical"}}})
		}
		r.Findings = append(r.Findings, f)
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// hub is a strict GitHub behind something that can break each request.
type hub struct {
	*githubtest.Server
	front *httptest.Server
	// back is the address of the server, without a path.
	back string

	mu sync.Mutex
	// what happens to the next request; nil: nothing does.
	fault func(r *http.Request) fault
}

// fault is what happens to a request.
type fault uint8

const (
	none     fault = iota + 1
	refused        // 502, and nothing is done
	lost           // it is done, and the answer is 502
	cut            // the connection ends, and nothing is done
	cutAfter       // it is done, and the connection ends
	half           // it is done, and half of the answer arrives
	limited        // 429, and nothing is done
)

// newFront puts something before a GitHub. prefix is that of its API.
func newFront(t *testing.T, server *githubtest.Server, prefix string) *hub {
	t.Helper()
	h := &hub{Server: server, back: strings.TrimSuffix(server.URL, prefix)}
	h.front = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.front.Close)
	return h
}

// breaks says what happens to the requests from now on.
func (h *hub) breaks(fault func(*http.Request) fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault = fault
}

// oneIn breaks one in n requests, in any way.
func oneIn(n int, random *rand.Rand) func(*http.Request) fault {
	return func(*http.Request) fault {
		if random.IntN(n) > 0 {
			return none
		}
		return fault(int(refused) + random.IntN(int(limited-refused)+1))
	}
}

// newHub is one that has the commits of bigReport.
func newHub(t *testing.T) *hub {
	t.Helper()
	var patch strings.Builder
	patch.WriteString("@@ -1,1400 +1,1400 @@\n")
	for range 1400 {
		patch.WriteString(" line\n")
	}
	server := githubtest.New(githubtest.State{"acme/numbers": {
		Default: baseSHA,
		Commits: map[string]githubtest.Commit{baseSHA: {}, headSHA: {Parents: []string{baseSHA}}},
		Pulls:   map[int]*githubtest.Pull{7: {Head: headSHA, Base: baseSHA, Patches: map[string]string{"src/a.rs": patch.String()}}},
	}}, "")
	server.AddToken("job", githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"}})
	t.Cleanup(func() {
		for _, p := range server.Problems() {
			t.Errorf("a bad request: %s", p)
		}
		server.Close()
	})
	return newFront(t, server, "")
}

func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	what := none
	if h.fault != nil {
		what = h.fault(r)
	}
	h.mu.Unlock()
	switch what {
	case refused:
		http.Error(w, `{"message": "bad gateway"}`, http.StatusBadGateway)
		return
	case limited:
		w.Header().Set("Retry-After", "2")
		http.Error(w, `{"message": "slow down"}`, http.StatusTooManyRequests)
		return
	case cut:
		hangUp(w, nil)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		hangUp(w, nil)
		return
	}
	// Behind the front the request goes on even if its sender is gone.
	on, err := http.NewRequest(r.Method, h.back+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		hangUp(w, nil)
		return
	}
	on.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(on)
	if err != nil {
		hangUp(w, nil)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		hangUp(w, nil)
		return
	}
	text = bytes.ReplaceAll(text, []byte(h.back), []byte(h.front.URL))
	switch what {
	case lost:
		http.Error(w, `{"message": "bad gateway"}`, http.StatusBadGateway)
	case cutAfter:
		hangUp(w, nil)
	case half:
		hangUp(w, fmt.Appendf(nil, "HTTP/1.1 %d Status\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", answer.StatusCode, len(text)+1, text[:len(text)/2]))
	default:
		for key, values := range answer.Header {
			if key != "Content-Length" {
				w.Header()[key] = slices.Clone(values)
			}
		}
		if link := w.Header().Get("Link"); link != "" {
			w.Header().Set("Link", strings.ReplaceAll(link, h.back, h.front.URL))
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(text)
	}
}

// hangUp ends the connection after some bytes.
func hangUp(w http.ResponseWriter, text []byte) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write(text)
	if tcp, ok := conn.(*net.TCPConn); ok && text == nil {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// environment is that of a job.
func (h *hub) environment() []string {
	return []string{"GITHUB_API_URL=" + h.front.URL, "GITHUB_TOKEN=job", "GITHUB_REPOSITORY=acme/numbers", "GITHUB_EVENT_NAME=", "GITHUB_EVENT_PATH=", "GITHUB_RUN_ID=42", "GITHUB_SERVER_URL=https://github.example"}
}

// told is what people see on GitHub, without what tells how often something was written.
func (h *hub) told(t *testing.T) string {
	t.Helper()
	r := h.State()["acme/numbers"]
	type said struct {
		Checks   []*githubtest.CheckRun
		Comments []*githubtest.Comment
		Review   []*githubtest.ReviewComment
	}
	s := said{r.CheckRuns, r.Pulls[7].Comments, r.Pulls[7].Review}
	for _, run := range s.Checks {
		run.ID, run.Batches = 0, nil
		slices.SortFunc(run.Annotations, func(a, b githubtest.Annotation) int { return a.StartLine - b.StartLine })
	}
	for _, c := range s.Comments {
		c.ID, c.Edits = 0, 0
	}
	for _, c := range s.Review {
		c.ID, c.Edits = 0, 0
	}
	slices.SortFunc(s.Review, func(a, b *githubtest.ReviewComment) int { return a.Line - b.Line })
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// published is what GitHub shows after nothing was broken.
func published(t *testing.T, file, comments string) string {
	t.Helper()
	h := newHub(t)
	if got := run(t, t.TempDir(), 0, h.environment(), publishArgs(file, comments)...); got.code != 1 {
		t.Fatalf("publish ends with exit code %d: %s", got.code, got.stderr)
	}
	return h.told(t)
}

func publishArgs(file, comments string) []string {
	return []string{"publish", file, "--sha", headSHA, "--comments", comments, "--wait", "2m"}
}

func anyComments(random *rand.Rand) string { return []string{"sticky", "review"}[random.IntN(2)] }

// TestKillPublish kills a publication at some request, before GitHub has done it or after, several times. The next one ends in the same state
// as if nothing had been killed: nothing is missing, and nothing is there twice.
func TestKillPublish(t *testing.T) {
	file := bigReport(t)
	want := map[string]string{"sticky": published(t, file, "sticky"), "review": published(t, file, "review")}
	each(t, 10, func(t *testing.T, random *rand.Rand) {
		comments := anyComments(random)
		h := newHub(t)
		for range 1 + random.IntN(4) {
			// A publication makes about 20 requests.
			left, done := random.IntN(25), random.IntN(2) == 0
			cmd := exec.Command(specgate, publishArgs(file, comments)...)
			cmd.Env = append(os.Environ(), h.environment()...)
			h.breaks(func(*http.Request) fault {
				left--
				if left >= 0 {
					return none
				}
				_ = cmd.Process.Signal(syscall.SIGKILL)
				if done {
					return cutAfter
				}
				return cut
			})
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			h.breaks(nil)
		}
		if got := run(t, t.TempDir(), 0, h.environment(), publishArgs(file, comments)...); got.code != 1 {
			t.Errorf("exit code %d: %s", got.code, got.stderr)
		}
		if diff := cmp.Diff(want[comments], h.told(t)); diff != "" {
			t.Errorf("GitHub shows something else (-want +got):\n%s", diff)
		}
	})
}

// TestFailingGitHub breaks requests, in every way: half of them where FAULTS says how often, and otherwise one in five, which takes less waiting. A publication either ends well or says that it did not, with exit code 3; and when
// GitHub is well again, the next one ends in the same state as if it had always been.
func TestFailingGitHub(t *testing.T) {
	file := bigReport(t)
	want := map[string]string{"sticky": published(t, file, "sticky"), "review": published(t, file, "review")}
	n := 5
	if os.Getenv("FAULTS") != "" {
		n = 2
	}
	each(t, 2, func(t *testing.T, random *rand.Rand) {
		t.Parallel()
		comments := anyComments(random)
		h := newHub(t)
		h.breaks(oneIn(n, random))
		got := run(t, t.TempDir(), 0, h.environment(), publishArgs(file, comments)...)
		h.breaks(nil)
		switch {
		case got.code == 3 && got.stderr != "":
		case got.code != 1:
			t.Errorf("exit code %d: %s", got.code, got.stderr)
		default:
			if diff := cmp.Diff(want[comments], h.told(t)); diff != "" {
				t.Errorf("it ended well, and GitHub shows something else (-want +got):\n%s", diff)
			}
		}
		if got := run(t, t.TempDir(), 0, h.environment(), publishArgs(file, comments)...); got.code != 1 {
			t.Errorf("exit code %d: %s", got.code, got.stderr)
		}
		if diff := cmp.Diff(want[comments], h.told(t)); diff != "" {
			t.Errorf("GitHub shows something else (-want +got):\n%s", diff)
		}
	})
}

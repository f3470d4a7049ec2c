package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// hubs are the GitHubs of scripts, by their working directory.
type hubs struct {
	mu  sync.Mutex
	all map[string]*githubtest.Server
}

func (h *hubs) of(ts *testscript.TestScript) *githubtest.Server {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.all[ts.Getenv("WORK")]
	if s == nil {
		ts.Fatalf("hub was not called")
	}
	return s
}

func TestPublish(t *testing.T) {
	h := &hubs{all: map[string]*githubtest.Server{}}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "publish"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"commit":  commit,
			"repeat":  repeat,
			"example": example,
			"hub":     h.start,
			"state":   h.write,
			"pushed":  h.pushed,
			"fault":   h.fault,
			"replace": replace,
			"sha256":  hash,
			"weak":    weak,
		},
	})
}

// hub DIR: a GitHub with the last two commits of a repository, as acme/numbers, of which the second is the head of pull request 7. The
// environment is that of a job there. Tokens are job, and fork, which only reads.
func (h *hubs) start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hub dir")
	}
	dir := ts.MkAbs(args[0])
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		if err != nil {
			ts.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	files := func(rev string) map[string]string {
		if git("ls-tree", "--name-only", rev, policy.FileName) == "" {
			return nil
		}
		return map[string]string{policy.FileName: git("show", rev+":"+policy.FileName) + "\n"}
	}
	base, head := git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD")
	patches := map[string]string{}
	for _, name := range strings.Fields(git("diff", "--name-only", base, head)) {
		patch := git("diff", base, head, "--", name)
		if i := strings.Index(patch, "@@"); i >= 0 {
			patches[name] = patch[i:]
		}
	}
	s := githubtest.New(githubtest.State{"acme/numbers": {
		Default: base,
		Commits: map[string]githubtest.Commit{base: {Files: files(base)}, head: {Parents: []string{base}, Files: files(head)}},
		Pulls:   map[int]*githubtest.Pull{7: {Head: head, Base: base, Patches: patches}},
	}}, "")
	ts.Defer(func() {
		for _, p := range s.Problems() {
			ts.Logf("a bad request: %s", p)
		}
		s.Close()
		if len(s.Problems()) > 0 {
			ts.Fatalf("there were bad requests")
		}
	})
	s.AddToken("job", githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"}})
	s.AddToken("fork", githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: map[string]string{"checks": "read", "contents": "read", "pull_requests": "read"}})
	h.mu.Lock()
	h.all[ts.Getenv("WORK")] = s
	h.mu.Unlock()
	for key, value := range map[string]string{"GITHUB_API_URL": s.URL, "GITHUB_TOKEN": "job", "GITHUB_REPOSITORY": "acme/numbers", "BASE": base, "HEAD": head,
		"GITHUB_SERVER_URL": "https://github.example", "GITHUB_RUN_ID": "42", "GITHUB_EVENT_NAME": "", "GITHUB_EVENT_PATH": ""} {
		ts.Setenv(key, value)
	}
}

// state FILE: what there is on GitHub, without the texts that have tests of their own.
func (h *hubs) write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: state file")
	}
	var b strings.Builder
	r := h.of(ts).State()["acme/numbers"]
	name := strings.NewReplacer(ts.Getenv("BASE"), "BASE", ts.Getenv("HEAD"), "HEAD")
	for _, run := range r.CheckRuns {
		fmt.Fprintf(&b, "check run %d %q on %s, external id %s, details %s: %s %s\n  %s\n", run.ID, run.Name, name.Replace(run.SHA), name.Replace(run.ExternalID), run.DetailsURL,
			run.Status, run.Conclusion, run.Title)
		for _, a := range run.Annotations {
			fmt.Fprintf(&b, "  %s %s:%d %s\n", a.AnnotationLevel, a.Path, a.StartLine, a.Title)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(r.Pulls)) {
		for _, c := range r.Pulls[number].Comments {
			lines := strings.SplitN(c.Body, "\n", 3)
			fmt.Fprintf(&b, "comment %d on %d by %s, edited %d times: %s %s\n", c.ID, number, c.Login, c.Edits, lines[0], lines[1])
		}
		for _, c := range r.Pulls[number].Review {
			lines := strings.SplitN(c.Body, "\n", 3)
			fmt.Fprintf(&b, "review comment %d on %d by %s at %s:%d of %s, edited %d times: %s %s\n", c.ID, number, c.Login, c.Path, c.Line, name.Replace(c.Commit), c.Edits, lines[0], name.Replace(lines[1]))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o666))
}

// pushed: the head of pull request 7 becomes another commit, which has the old one as its parent.
func (h *hubs) pushed(ts *testscript.TestScript, neg bool, args []string) {
	const other = "9999999999999999999999999999999999999999"
	h.of(ts).Change(func(all githubtest.State) {
		r := all["acme/numbers"]
		r.Commits[other] = githubtest.Commit{Parents: []string{r.Pulls[7].Head}}
		r.Pulls[7].Head = other
	})
}

// fault METHOD STATUS TIMES: requests fail.
func (h *hubs) fault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fault method status times")
	}
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	times, err := strconv.Atoi(args[2])
	ts.Check(err)
	h.of(ts).Fail(githubtest.Fault{Method: args[0], Kind: githubtest.Answer, Status: status, Times: times, Header: map[string]string{"Retry-After": "1"}})
}

// replace FROM TO OLD NEW: a copy of a file in which a text, which must be there, is another.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: replace from to old new")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[2]) {
		ts.Fatalf("%s has no %q", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Replace(text, args[2], args[3], 1)), 0o666))
}

// weak FROM TO LINE...: a copy of a report without its own findings, with a weak contract at each of these lines of src/stack.rs. The
// first is that of the first function of the report.
func weak(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: weak from to line...")
	}
	var r checks.Report
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &r))
	r.Findings, r.Outcome = nil, checks.OutcomePass
	for i := range r.Functions {
		half := 0.5
		r.Functions[i].Strength.Head = &checks.SuiteResult{Rejected: 5, Escaped: 5, Total: 10, Value: &half, Low: 0.5, High: 0.5, Label: "empirical"}
	}
	for i, text := range args[2:] {
		symbol := "other_" + text
		if i == 0 {
			symbol = r.Functions[0].Symbol
		}
		line, err := strconv.Atoi(text)
		ts.Check(err)
		f := checks.Finding{Rule: "strength/weak", Severity: policy.Warning, Symbol: symbol, File: "src/stack.rs", Message: "It also allows `0`.",
			Span: source.Range{Start: source.Position{Line: line, Column: 1}, End: source.Position{Line: line, Column: 2}}, Fingerprint: strings.Repeat("0", 32)}
		r.Findings = append(r.Findings, f)
	}
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(r.WriteJSON(out))
	ts.Check(out.Close())
}

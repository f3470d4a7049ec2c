package action_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/specgate/specgate"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
)

var update = flag.Bool("update", false, "write the golden files")

// built is the directory of what binary has built, if it was called.
var built string

// binary builds specgate, once.
var binary = sync.OnceValues(func() (_ string, err error) {
	if built, err = os.MkdirTemp("", "specgate-action-test-"); err != nil {
		return "", err
	}
	name := filepath.Join(built, "specgate")
	out, err := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", name, "github.com/specgate/specgate/cmd/specgate").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build specgate: %w: %s", err, out)
	}
	return name, nil
})

func TestMain(m *testing.M) {
	sandbox.Main()
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

// tools are the programs that a job finds. There is no compiler among them, so that the goldens are the same on every machine.
var tools = []string{"awk", "bash", "cat", "chmod", "cp", "curl", "cut", "dirname", "env", "git", "head", "ln", "mkdir", "mktemp", "mv", "rm", "sed", "sh", "sha256sum",
	"shasum", "sleep", "sort", "tr", "uname", "wc"}

// newWorld makes a GitHub with the repository acme/numbers. Its commits are those of git in a directory, by the names that goldens have for them.
func newWorld(t *testing.T, commits map[string]string, dir string, repo githubtest.Repo) *world {
	t.Helper()
	sandboxtest.Curl.Program(t, "curl")
	w := &world{t: t, caches: map[string]string{}, artifacts: map[string]map[string]string{}}
	all, err := githubtest.ReadGit(filepath.Join(dir, ".git"))
	w.check(err)
	repo.Commits, repo.Git = all, filepath.Join(dir, ".git")
	w.hub = githubtest.New(githubtest.State{"acme/numbers": &repo}, "/api/v3")
	t.Cleanup(w.hub.Close)
	for _, name := range slices.Sorted(maps.Keys(commits)) {
		w.names = append(w.names, commits[name], strings.ToUpper(name), commits[name][:12], strings.ToUpper(name))
	}

	// The action as a runner fetches it, of a release: its checksums name the binary, which a mirror has.
	program, err := binary()
	w.check(err)
	text, err := os.ReadFile(program)
	w.check(err)
	root := filepath.Join("..", "..")
	w.actionDir = filepath.Join(t.TempDir(), "action")
	for _, name := range []string{"action.yml", "VERSION", "action"} {
		w.check(os.MkdirAll(w.actionDir, 0o755))
		w.check(copyTree(filepath.Join(w.actionDir, name), filepath.Join(root, name)))
	}
	w.check(os.MkdirAll(filepath.Join(w.actionDir, "release"), 0o755))
	asset := fmt.Sprintf("specgate_%s_%s_%s", specgate.Version(), runtime.GOOS, runtime.GOARCH)
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	w.check(os.WriteFile(filepath.Join(w.actionDir, "release", "checksums.txt"), []byte(sum+"  "+asset+"\n"), 0o644))
	mirror := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v"+specgate.Version()+"/"+asset {
			http.NotFound(rw, r)
			return
		}
		_, _ = rw.Write(text)
	}))
	t.Cleanup(mirror.Close)
	w.mirror = mirror.URL

	w.path = filepath.Join(t.TempDir(), "bin")
	w.check(os.Mkdir(w.path, 0o755))
	for _, name := range tools {
		if found, err := exec.LookPath(name); err == nil {
			w.check(os.Symlink(found, filepath.Join(w.path, name)))
		}
	}
	// What needs root is not done here, but written down.
	w.check(os.WriteFile(filepath.Join(w.path, "sudo"), []byte("#!/bin/sh\necho \"$*\" >>\"${0%/*}/sudo.log\"\n"), 0o755))
	w.names = append(w.names, sum, "SHA256", asset, "ASSET", w.actionDir, "ACTION", mirror.URL, "MIRROR", strings.TrimSuffix(w.hub.URL, "/api/v3"), "GITHUB",
		specgate.Version(), "VERSION", "-"+runtime.GOOS+"-"+runtime.GOARCH, "-PLATFORM")
	return w
}

// numbers is the repository of examples/numbers: main has the base, feature the head, queue the merge of both; aside is a commit of nobody's.
func numbers(t *testing.T, change func(dir, side string)) (dir string, commits map[string]string) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		const who, when = "someone", "2026-01-01T00:00:00Z"
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME="+who, "GIT_AUTHOR_EMAIL="+who+"@example.com", "GIT_AUTHOR_DATE="+when,
			"GIT_COMMITTER_NAME="+who, "GIT_COMMITTER_EMAIL="+who+"@example.com", "GIT_COMMITTER_DATE="+when,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(side string) string {
		t.Helper()
		for _, name := range []string{"src", "cases", "Cargo.toml"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		from := side
		if side == "aside" {
			from = "head"
		}
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "numbers", from))); err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(dir, side)
		}
		git("add", "-A")
		git("commit", "-q", "--allow-empty", "-m", side)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q", "-b", "main")
	commits = map[string]string{}
	commits["base"] = commit("base")
	git("switch", "-q", "-c", "feature")
	commits["head"] = commit("head")
	commits["aside"] = commit("aside")
	git("branch", "-q", "aside")
	git("switch", "-q", "-c", "queue", commits["base"])
	git("merge", "-q", "--no-ff", "-m", "merge", commits["head"])
	commits["queue"] = git("rev-parse", "HEAD")
	return dir, commits
}

// hostile texts are in every event, where its author may write what he likes.
const hostileTitle = "$(touch pwned) `touch pwned` \"; touch pwned #\n::error::pwned\n::stop-commands::pwned\n##[error]pwned %0A::error::pwned"

const hostileBranch = "$(touch${IFS}pwned)/`touch${IFS}pwned`;::error::pwned"

func repository() map[string]any {
	return map[string]any{"full_name": "acme/numbers", "default_branch": "main"}
}

// pullRequest is the event of a pull request, with what is in one that matters or is hostile.
func pullRequest(action string, number int, base, head string) *run {
	return &run{event: "pull_request", ref: fmt.Sprintf("refs/pull/%d/merge", number), sha: strings.Repeat("e", 40), payload: map[string]any{
		"action": action, "number": number, "repository": repository(), "sender": map[string]any{"login": hostileTitle},
		"pull_request": map[string]any{
			"number": number, "title": hostileTitle, "body": hostileTitle, "state": "open",
			"head": map[string]any{"ref": hostileBranch, "label": hostileTitle, "sha": head},
			"base": map[string]any{"ref": "main", "sha": base},
		},
	}}
}

// compare compares what happened with a golden file.
func (w *world) compare(name string) {
	w.t.Helper()
	for _, p := range w.hub.Problems() {
		w.t.Errorf("GitHub was sent a bad request: %s", p)
	}
	w.state()
	text := w.golden.String()
	for _, secret := range w.secrets {
		if strings.Contains(text, secret) {
			w.t.Error("a token is in what can be read by others")
		}
	}
	for _, dir := range append(slices.Collect(maps.Values(w.caches)), flat(w.artifacts)...) {
		w.check(filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			kept, err := os.ReadFile(path)
			for _, secret := range w.secrets {
				if bytes.Contains(kept, []byte(secret)) {
					w.t.Errorf("a token is in %s, which is kept", path)
				}
			}
			return err
		}))
	}
	text = strings.NewReplacer(w.names...).Replace(text)
	text = regexp.MustCompile(`specgate\.[A-Za-z0-9]{8}\b`).ReplaceAllString(text, "specgate.TEMP")
	text = regexp.MustCompile(`built with go\S+ for \S+`).ReplaceAllString(text, "built with GO")
	goldentest.Compare(w.t, filepath.Join("testdata", name+".txt"), text, *update)
}

func flat(in map[string]map[string]string) []string {
	var out []string
	for _, m := range in {
		out = slices.AppendSeq(out, maps.Values(m))
	}
	return out
}

// state writes all that there is on GitHub.
func (w *world) state() {
	r := w.hub.State()["acme/numbers"]
	w.printf("== on GitHub\n")
	for _, run := range r.CheckRuns {
		w.printf("check run %d %q on %s, external id %s\n  details %s\n  %s %s\n  title: %s\n  summary:\n%s  text:\n%s", run.ID, run.Name, run.SHA, run.ExternalID, run.DetailsURL,
			run.Status, run.Conclusion, run.Title, indent(run.Summary), indent(run.Text))
		for _, a := range run.Annotations {
			w.printf("  annotation: %s %s:%d:%d-%d:%d %q\n%s", a.AnnotationLevel, a.Path, a.StartLine, a.StartColumn, a.EndLine, a.EndColumn, a.Title, indent(a.Message+"\n"+a.RawDetails))
		}
	}
	for _, number := range slices.Sorted(maps.Keys(r.Pulls)) {
		for _, c := range r.Pulls[number].Comments {
			w.printf("comment %d on %d by %s, edited %d times:\n%s", c.ID, number, c.Login, c.Edits, indent(c.Body))
		}
		for _, c := range r.Pulls[number].Review {
			w.printf("review comment %d on %d by %s at %s:%d, edited %d times:\n%s", c.ID, number, c.Login, c.Path, c.Line, c.Edits, indent(c.Body))
		}
	}
}

// want fails unless a job ended so.
func (w *world) want(conclusions map[string]string, job, conclusion string) {
	w.t.Helper()
	if conclusions[job] != conclusion {
		w.t.Errorf("job %s: %s, want %s", job, conclusions[job], conclusion)
	}
}

// TestWorkflows: actionlint finds nothing in the examples, and they name inputs that the action has.
func TestWorkflows(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(root)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: root})
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "examples", "workflows", "*.yml"))
	if err != nil || len(names) < 5 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("uses: "+self()+"\n")) {
			t.Errorf("%s does not use the action as %s", name, self())
		}
		// What passes by the policy of one branch must not count for another, which a pull request can be moved to.
		var rules workflow
		if err := yaml.Unmarshal(text, &rules); err != nil {
			t.Fatal(err)
		}
		if event := "pull_request"; triggers(&rules.On, event, "") && (!triggers(&rules.On, event, "main") || triggers(&rules.On, event, "old")) {
			t.Errorf("%s is not for pull requests to main alone", name)
		}
		// The action of this repository, whose inputs actionlint then reads.
		text = bytes.ReplaceAll(text, []byte(self()), []byte("./"))
		found, err := linter.Lint(name, text, project)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			t.Errorf("%s: %v", name, f)
		}
		// It does read them.
		wrong := bytes.Replace(text, []byte("uses: ./"), []byte("uses: ./\n        with:\n          tokn: x"), 1)
		if bytes.Contains(text, []byte("with:")) {
			continue
		}
		if found, err := linter.Lint(name, wrong, project); err != nil || len(found) != 1 || !strings.Contains(found[0].Message, `"tokn" is not defined in action`) {
			t.Errorf("%s with a wrong input: %v, %v", name, found, err)
		}
	}
}

// TestDocuments: the workflows that documents show have the events and permissions of the examples, and name the same release.
func TestDocuments(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	parse := func(text []byte) (out map[string]any) {
		if err := yaml.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		return map[string]any{"on": out["on"], "permissions": out["permissions"]}
	}
	for document, examples := range map[string][]string{"README.md": {"simple.yml"}, filepath.Join("docs", "action.md"): {"simple.yml", "forks-publish.yml"}} {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
		if len(blocks) != len(examples) {
			t.Fatalf("%s has %d workflows, want %d", document, len(blocks), len(examples))
		}
		for i, example := range examples {
			want, err := os.ReadFile(filepath.Join(root, "examples", "workflows", example))
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(parse(want), parse(blocks[i][1])); diff != "" {
				t.Errorf("%s (-) and %s (+) differ:\n%s", example, document, diff)
			}
			if !bytes.Contains(blocks[i][1], []byte("uses: "+self()+"\n")) {
				t.Errorf("%s does not use the action as %s", document, self())
			}
		}
	}
}

// sticky is a policy that wants a comment, and takes edits of executable code for errors.
func sticky(dir, _ string) {
	text := "version = 1\n[report]\ncomments = \"sticky\"\n[scope]\nexecutable-edits = \"deny\"\n"
	if err := os.WriteFile(filepath.Join(dir, ".specgate.toml"), []byte(text), 0o644); err != nil {
		panic(err)
	}
}

// TestPullRequest: the simple workflow, and the same job run again, which doubles nothing.
func TestPullRequest(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	r := pullRequest("opened", 7, c["base"], c["head"])
	r.hosted = true
	w.want(w.start("simple.yml", r), "specgate", "failure")
	again := *r
	w.want(w.start("simple.yml", &again), "specgate", "failure")
	w.compare("pull-request")

	// Only what the machine forbids is allowed.
	const restriction = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
	want := ""
	if _, err := os.Stat(restriction); err == nil {
		want = strings.Repeat("-n sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0\n", 2)
	}
	if got, _ := os.ReadFile(filepath.Join(w.path, "sudo.log")); string(got) != want {
		t.Errorf("sudo was called with %q, want %q", got, want)
	}
}

// TestLabelsAndComments: a label of the pull request counts, the comment is kept up to date, and one that the token may not write is a warning.
func TestLabelsAndComments(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, sticky)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	r := pullRequest("opened", 7, c["base"], c["head"])
	r.inputs = map[string]string{"only": "edit"}
	w.want(w.start("simple.yml", r), "specgate", "failure")
	w.hub.Change(func(s githubtest.State) { s["acme/numbers"].Pulls[7].Labels = []string{"bug", "implementation"} })
	labeled := pullRequest("labeled", 7, c["base"], c["head"])
	labeled.inputs = r.inputs
	w.want(w.start("simple.yml", labeled), "specgate", "success")
	w.hub.Change(func(s githubtest.State) { s["acme/numbers"].Pulls[7].Labels = nil })
	unable := pullRequest("unlabeled", 7, c["base"], c["head"])
	unable.inputs = r.inputs
	w.want(w.start("merge-queue.yml", unable), "specgate", "failure")
	w.compare("labels-and-comments")
}

// TestFork: the token of a pull request from a fork can only read. The log and the summary have the result; with a second workflow so has GitHub.
func TestFork(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, sticky)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	r := pullRequest("opened", 7, c["base"], c["head"])
	r.fork = true
	w.want(w.start("simple.yml", r), "specgate", "failure")
	if n := len(w.hub.State()["acme/numbers"].CheckRuns); n != 0 {
		t.Errorf("there are %d check runs", n)
	}
	first := pullRequest("opened", 7, c["base"], c["head"])
	first.fork = true
	w.want(w.start("forks.yml", first), "specgate", "failure")
	w.want(w.start("forks-publish.yml", publishing(first.id, "pull_request", c["base"], c["head"])), "publish", "success")
	w.want(w.start("forks-publish.yml", publishing("9999", "push", c["base"], c["head"])), "publish", "skipped")
	w.compare("fork")
}

// publishing is the event that follows a run; its GITHUB_SHA is the default branch's.
func publishing(id, event, main, head string) *run {
	return &run{event: "workflow_run", ref: "refs/heads/main", sha: main, payload: map[string]any{
		"action": "completed", "repository": repository(),
		"workflow_run": map[string]any{"id": id, "event": event, "conclusion": "failure", "head_sha": head, "head_branch": hostileBranch, "display_title": hostileTitle,
			"head_commit": map[string]any{"message": hostileTitle}, "pull_requests": []any{}},
	}}
}

// TestHostileReport: a report that the author of a change has forged is refused, and nothing is posted.
func TestHostileReport(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	honest := pullRequest("opened", 7, c["base"], c["head"])
	honest.fork = true
	honest.inputs = map[string]string{"only": "edit"}
	w.want(w.start("forks.yml", honest), "specgate", "success")
	report, err := os.ReadFile(filepath.Join(w.artifacts[honest.id]["specgate"], "report.json"))
	w.check(err)
	for _, forged := range []struct {
		name string
		fill func(file string)
	}{
		{"none", func(string) {}},
		{"200 MB", func(file string) { w.check(os.Truncate(file, 200<<20)) }},
		{"a path outside", func(file string) {
			w.check(os.WriteFile(file, bytes.ReplaceAll(report, []byte(`"src/count.rs"`), []byte(`"../../etc/passwd"`)), 0o644))
		}},
		{"another head", func(file string) {
			w.check(os.WriteFile(file, bytes.ReplaceAll(report, []byte(c["head"]), []byte(c["aside"])), 0o644))
		}},
		{"another base", func(file string) {
			w.check(os.WriteFile(file, bytes.ReplaceAll(report, []byte(c["base"]), []byte(c["aside"])), 0o644))
		}},
		{"a link", func(file string) {
			w.check(os.Remove(file))
			w.check(os.Symlink("/etc/passwd", file))
		}},
		{"no JSON, with commands", func(file string) {
			w.check(os.WriteFile(file, []byte("\n::error::pwned\n##[error]pwned\n"), 0o644))
		}},
		{"another name", func(file string) { w.check(os.Rename(file, filepath.Join(filepath.Dir(file), "REPORT.json"))) }},
	} {
		w.printf("\n==== forged: %s\n", forged.name)
		kept := filepath.Join(t.TempDir(), "artifact")
		w.check(os.MkdirAll(kept, 0o755))
		file := filepath.Join(kept, "report.json")
		w.check(os.WriteFile(file, report, 0o644))
		forged.fill(file)
		id := "forged-" + forged.name
		w.artifacts[id] = map[string]string{"specgate": kept}
		want := "failure"
		if forged.name == "none" {
			want = "success"
		}
		w.want(w.start("forks-publish.yml", publishing(id, "pull_request", c["base"], c["head"])), "publish", want)
		delete(w.artifacts, id)
	}
	w.printf("\n==== no artifact\n")
	w.want(w.start("forks-publish.yml", publishing("none", "pull_request", c["base"], c["head"])), "publish", "failure")
	w.printf("\n==== somebody has pushed\n")
	w.hub.Change(func(s githubtest.State) { s["acme/numbers"].Pulls[7].Head = c["aside"] })
	w.want(w.start("forks-publish.yml", publishing(honest.id, "pull_request", c["base"], c["head"])), "publish", "failure")
	w.compare("hostile-report")
}

// TestOtherBranch: what passes on its way into a branch where it is nothing new is no result for a pull request with the same head into the default branch.
func TestOtherBranch(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	lax, into := &githubtest.Pull{Head: c["aside"], Base: c["head"], Into: "lax"}, &githubtest.Pull{Head: c["aside"], Base: c["base"]}
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: lax}})
	names := func() string {
		var all []string
		for _, r := range w.hub.State()["acme/numbers"].CheckRuns {
			all = append(all, r.Name+" "+r.Conclusion)
		}
		return strings.Join(all, ", ")
	}
	fork := pullRequest("opened", 7, c["head"], c["aside"])
	fork.fork, fork.inputs = true, map[string]string{"only": "trust"}
	w.want(w.start("forks.yml", fork), "specgate", "success")
	w.hub.Change(func(s githubtest.State) { s["acme/numbers"].Pulls[8] = into })
	w.want(w.start("forks-publish.yml", publishing(fork.id, "pull_request", c["base"], c["aside"])), "publish", "success")
	if got := names(); got != "specgate report (lax) success" {
		t.Errorf("check runs: %s", got)
	}
	// The same for a merge queue of that branch.
	ref := "refs/heads/gh-readonly-queue/lax/pr-7-" + c["head"]
	group := &run{event: "merge_group", ref: ref, sha: c["aside"], inputs: map[string]string{"only": "trust"}, payload: map[string]any{"action": "checks_requested", "repository": repository(),
		"merge_group": map[string]any{"head_sha": c["aside"], "head_ref": ref, "base_sha": c["head"], "base_ref": "refs/heads/lax"}}}
	w.want(w.start("merge-queue.yml", group), "specgate", "success")
	if got := names(); got != "specgate report (lax) success" {
		t.Errorf("check runs: %s", got)
	}
	// Where both are compared with the same commit, the result is for the default branch.
	w.hub.Change(func(s githubtest.State) { lax.Base = c["base"] })
	again := pullRequest("opened", 8, c["base"], c["aside"])
	again.fork, again.inputs = true, map[string]string{"only": "trust"}
	w.want(w.start("forks.yml", again), "specgate", "failure")
	w.want(w.start("forks-publish.yml", publishing(again.id, "pull_request", c["base"], c["aside"])), "publish", "success")
	if got := names(); got != "specgate report (lax) success, specgate report action_required" {
		t.Errorf("check runs: %s", got)
	}
}

// TestMergeQueue: what the queue is about to merge is checked by its own commits, with the labels of its pull request.
func TestMergeQueue(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, sticky)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"], Labels: []string{"implementation"}}}})
	group := func(ref string) *run {
		return &run{event: "merge_group", ref: ref, sha: c["queue"], payload: map[string]any{"action": "checks_requested", "repository": repository(),
			"merge_group": map[string]any{"head_sha": c["queue"], "head_ref": ref, "base_sha": c["base"], "base_ref": "refs/heads/main",
				"head_commit": map[string]any{"message": hostileTitle}}},
			inputs: map[string]string{"only": "edit"}}
	}
	w.want(w.start("merge-queue.yml", group("refs/heads/gh-readonly-queue/main/pr-7-"+c["base"])), "specgate", "success")
	// Of a branch that does not say which pull request it is for, no label counts.
	w.want(w.start("merge-queue.yml", group("refs/heads/gh-readonly-queue/"+hostileBranch)), "specgate", "failure")
	w.compare("merge-queue")
}

// push is the event of a push.
func push(ref, before, after string) *run {
	return &run{event: "push", ref: ref, sha: after, payload: map[string]any{"ref": ref, "before": before, "after": after, "repository": repository(),
		"head_commit": map[string]any{"message": hostileTitle}}}
}

// TestPush: a push to the default branch is compared with what was there, and fills the caches, which later runs read. A push to another branch is
// compared with where it left the default branch, or what its pull request says.
func TestPush(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 40)
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["queue"], Pulls: map[int]*githubtest.Pull{7: {Head: c["aside"], Base: c["head"]}}})
	few := map[string]string{"only": "edit"}
	for _, p := range []struct {
		what       string
		run        *run
		conclusion string
	}{
		{"the default branch", push("refs/heads/main", c["base"], c["queue"]), "success"},
		{"the first push", push("refs/heads/main", zeros, c["base"]), "failure"},
		{"a new branch", push("refs/heads/"+hostileBranch, zeros, c["head"]), "success"},
		{"the branch of a pull request", push("refs/heads/aside", c["head"], c["aside"]), "success"},
		{"a branch is deleted", push("refs/heads/feature", c["head"], zeros), "failure"},
	} {
		w.printf("\n==== %s\n", p.what)
		p.run.inputs = few
		w.want(w.start("simple.yml", p.run), "specgate", p.conclusion)
	}
	w.compare("push")
}

// TestDispatch: by hand, for the commit that the workflow runs on, or for others.
func TestDispatch(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["queue"]})
	dispatch := func(sha string, inputs map[string]string) *run {
		inputs["only"] = "edit"
		return &run{event: "workflow_dispatch", anyEvent: true, ref: "refs/heads/x", sha: sha, inputs: inputs,
			payload: map[string]any{"repository": repository(), "inputs": map[string]any{"base": hostileTitle}}}
	}
	for _, p := range []struct {
		what       string
		run        *run
		conclusion string
	}{
		{"a branch", dispatch(c["aside"], map[string]string{}), "success"},
		{"the default branch", dispatch(c["queue"], map[string]string{}), "failure"},
		{"two commits", dispatch(c["queue"], map[string]string{"base": c["base"], "head": c["head"]}), "success"},
		{"no commit", dispatch(c["queue"], map[string]string{"base": hostileBranch}), "failure"},
		{"a commit that is not there", dispatch(c["queue"], map[string]string{"base": c["base"], "head": strings.Repeat("d", 40)}), "failure"},
	} {
		w.printf("\n==== %s\n", p.what)
		w.want(w.start("simple.yml", p.run), "specgate", p.conclusion)
	}
	w.compare("dispatch")
}

// TestRefused: what the action is not for, and mistakes in the workflow, are said, and nothing is posted.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	with := func(event string, inputs map[string]string) *run {
		r := pullRequest("opened", 7, c["base"], c["head"])
		r.event, r.inputs, r.anyEvent = event, inputs, true
		return r
	}
	for _, p := range []struct {
		what string
		run  *run
	}{
		{"pull_request_target", with("pull_request_target", nil)},
		{"another event", with("issue_comment", nil)},
		{"no number", pullRequest("opened", 0, c["base"], c["aside"])},
		{"a base", with("pull_request", map[string]string{"base": c["aside"]})},
		{"no shard", with("pull_request", map[string]string{"shard": "3/2"})},
		{"no time", with("pull_request", map[string]string{"timeout": "soon"})},
		{"no family", with("pull_request", map[string]string{"only": "edit,$(touch pwned)"})},
		{"no word", with("pull_request", map[string]string{"comments": "loud"})},
		{"no name", with("pull_request", map[string]string{"artifact": "a/../b"})},
		{"no flag", with("pull_request", map[string]string{"merge": "yes"})},
		{"no cache", with("pull_request", map[string]string{"cache": "yes"})},
		{"nothing to join", with("pull_request", map[string]string{"merge": "true"})},
		{"no token", with("pull_request", map[string]string{"token": ""})},
	} {
		w.printf("\n==== %s\n", p.what)
		w.want(w.start("simple.yml", p.run), "specgate", "failure")
	}
	if posted := w.hub.Writes(); len(posted) > 0 {
		t.Errorf("posted: %v", posted)
	}
	w.compare("refused")
}

// TestPermissions: what a job may not do is said, with what it needs.
func TestPermissions(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	for _, p := range []struct {
		permissions map[string]string
		conclusion  string
	}{
		{map[string]string{"contents": "read", "checks": "write"}, "failure"},
		{map[string]string{"pull-requests": "read", "checks": "write"}, "failure"},
		{map[string]string{"contents": "read", "pull-requests": "read"}, "success"},
	} {
		w.printf("\n==== %v\n", p.permissions)
		r := pullRequest("opened", 7, c["base"], c["head"])
		r.permissions, r.inputs = p.permissions, map[string]string{"only": "edit"}
		w.want(w.start("simple.yml", r), "specgate", p.conclusion)
	}
	if posted := w.hub.Writes(); len(posted) > 0 {
		t.Errorf("posted: %v", posted)
	}
	w.compare("permissions")
}

// TestClosed: a pull request that is closed is checked as any other, and not commented on.
func TestClosed(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, sticky)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"], Closed: true}}})
	w.want(w.start("simple.yml", pullRequest("closed", 7, c["base"], c["head"])), "specgate", "failure")
	w.compare("closed")
}

// TestForcePush: somebody pushes while the job runs. Nothing is posted for a commit that is not the head any more.
func TestForcePush(t *testing.T) {
	for _, step := range []string{"Find out what to check", "Publish"} {
		t.Run(step, func(t *testing.T) {
			dir, c := numbers(t, nil)
			w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
			r := pullRequest("synchronize", 7, c["base"], c["head"])
			r.inputs = map[string]string{"only": "edit"}
			r.before = func(next, _ string) {
				if next == step {
					w.hub.Change(func(s githubtest.State) { s["acme/numbers"].Pulls[7].Head = c["aside"] })
				}
			}
			w.want(w.start("simple.yml", r), "specgate", "failure")
			if posted := w.hub.Writes(); len(posted) > 0 {
				t.Errorf("posted: %v", posted)
			}
			w.compare("force-push-" + strings.ToLower(strings.ReplaceAll(step, " ", "-")))
		})
	}
}

// TestLostAnswer: GitHub has done what it was asked for, and its answer is lost. Nothing is doubled.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	w.hub.Fail(githubtest.Fault{Method: "POST", Path: "/check-runs", Kind: githubtest.Cut, Acted: true})
	w.hub.Fail(githubtest.Fault{Method: "PATCH", Path: "/check-runs", Kind: githubtest.Answer, Status: 502, Header: map[string]string{"Retry-After": "1"}, Acted: true})
	r := pullRequest("opened", 7, c["base"], c["head"])
	r.inputs = map[string]string{"only": "edit"}
	w.want(w.start("simple.yml", r), "specgate", "success")
	if runs := w.hub.State()["acme/numbers"].CheckRuns; len(runs) != 1 || runs[0].Status != "completed" || len(runs[0].Annotations) != 2 {
		t.Errorf("check runs: %+v", runs)
	}
}

// TestDown: GitHub is down for longer than the job waits. The report and the summary are there, the job fails, and run again it ends as it should have.
func TestDown(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	w.hub.Fail(githubtest.Fault{Path: "/check-runs", Kind: githubtest.Answer, Status: 503, Header: map[string]string{"Retry-After": "3600"}})
	r := pullRequest("opened", 7, c["base"], c["head"])
	r.inputs = map[string]string{"only": "edit"}
	w.want(w.start("simple.yml", r), "specgate", "failure")
	again := *r
	w.want(w.start("simple.yml", &again), "specgate", "success")
	w.compare("down")
}

// TestSharded: a matrix checks the parts, and one job joins them; without one of them there is no result.
func TestSharded(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	r := pullRequest("opened", 7, c["base"], c["head"])
	got := w.start("sharded.yml", r)
	w.want(got, "part", "success")
	w.want(got, "specgate", "failure")
	lost := pullRequest("opened", 7, c["base"], c["head"])
	lost.before = func(step, _ string) {
		if step == "Fetch the reports of the shards" {
			delete(w.artifacts[lost.id], "specgate-shard-2")
		}
	}
	w.want(w.start("sharded.yml", lost), "specgate", "failure")
	w.compare("sharded")
}

// TestShardedAnswers: a push to the default branch keeps the answers of each part for itself, and the next one finds those of its own part.
func TestShardedAnswers(t *testing.T) {
	t.Parallel()
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["queue"]})
	pushed := func(before, after string) {
		t.Helper()
		r := push("refs/heads/main", before, after)
		r.inputs = map[string]string{"only": "edit"} // which asks nothing, so what there is to keep is put there
		r.before = func(step, home string) {
			if step == "Keep answers" {
				w.check(os.MkdirAll(filepath.Join(filepath.Dir(home), "_temp", "specgate", "answers"), 0o755))
			}
		}
		w.want(w.start("sharded.yml", r), "part", "success")
	}
	key := func(k, sha string) string {
		return fmt.Sprintf("/answers as specgate-answers-VERSION-PLATFORM-shard-%s_3-%s", k, sha)
	}
	restored := func(k, sha string) string { return strings.Replace(key(k, sha), " as ", " from ", 1) }
	pushed(c["base"], c["head"])
	pushed(c["head"], c["queue"])
	text := strings.NewReplacer(w.names...).Replace(w.golden.String())
	at := strings.LastIndex(text, "== sharded.yml, on push")
	first, second := text[:at], text[at:]
	for _, k := range []string{"1", "2", "3"} {
		if want := key(k, "HEAD"); !strings.Contains(first, want) {
			t.Errorf("the first push has no %q", want)
		}
		for _, want := range []string{restored(k, "HEAD"), key(k, "QUEUE")} {
			if !strings.Contains(second, want) {
				t.Errorf("the second push has no %q", want)
			}
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestVerifier: the release that the policy of the base pins is installed and kept by a push to the default branch, and found again by a pull request.
// What is packed here is no verifier: a script that only tells its version.
func TestVerifier(t *testing.T) {
	t.Parallel()
	platform, err := verus.Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		sandboxtest.Verus.Lacks(t, err)
	}
	const release = "0.2025.06.23.283b036"
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"verus": "#!/bin/sh\necho Verus\necho '  Version: " + release + "'\n", "z3": "#!/bin/sh\necho 'Z3 version 4.12.5 - 64 bit'\n",
		"version.json": `{"verus": {"version": "` + release + `"}}`} {
		f, err := z.Create("verus-" + platform + "/" + name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	pin := fmt.Sprintf("version = 1\n[verus]\nrelease = %q\nroots = [\"src/lib.rs\"]\n[verus.sha256]\n%s = \"%x\"\n", release, platform, sha256.Sum256(archive.Bytes()))
	dir, c := numbers(t, func(dir, side string) {
		text := pin
		if side == "head" {
			text = strings.Replace(pin, release, "0.2020.01.01.0000000", 1) // what a change pins is not installed
		}
		if err := os.WriteFile(filepath.Join(dir, ".specgate.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})

	pushed := push("refs/heads/main", c["base"], c["base"])
	pushed.before = func(step, home string) {
		if step == "Install the verifier" { // it has been downloaded, as nothing is here
			w.check(os.WriteFile(filepath.Join(filepath.Dir(home), "_temp", "specgate", "verus.zip"), archive.Bytes(), 0o644))
		}
	}
	w.start("simple.yml", pushed)
	key := "specgate-verus-" + release + "-Linux-X64"
	if _, there := w.caches[key]; !there {
		t.Errorf("the verifier was not kept; the caches are %v", slices.Sorted(maps.Keys(w.caches)))
	}
	// Without being told so, a pull request reads nothing that another of its workflows could have written.
	alone := pullRequest("opened", 7, c["base"], c["head"])
	alone.inputs = map[string]string{"verus": "none"}
	w.start("simple.yml", alone)
	if text := w.golden.String(); strings.Contains(text, "restored") {
		t.Errorf("something was restored: %s", text)
	}
	pull := pullRequest("opened", 7, c["base"], c["head"])
	pull.inputs = map[string]string{"cache": "all"}
	w.start("simple.yml", pull)
	text := w.golden.String()
	second := text[strings.LastIndex(text, "on pull_request"):]
	for _, want := range []string{
		"# Restore the verifier\n  restored ", " from " + key + "\n",
		"# Keep the verifier: skipped\n",
		"output verus-release=" + release + "\n",
	} {
		if !strings.Contains(second, want) {
			t.Errorf("the log of the pull request has no %q", want)
		}
	}
	report, err := os.ReadFile(filepath.Join(w.artifacts[pull.id]["specgate"], "report.json"))
	w.check(err)
	if isolated(t) && !bytes.Contains(report, []byte(release)) {
		t.Errorf("the verifier took no part in the check:\n%s", second)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// isolated tells whether code of a change can be isolated on this machine, which may be demanded.
func isolated(t *testing.T) bool {
	t.Helper()
	protections, err := sandbox.Protections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(sandbox.Missing(protections)) == 0 {
		return true
	}
	if sandboxtest.Isolation.Made() {
		t.Fatal(sandbox.Statement(protections))
	}
	return false
}

// TestMeasured: code of the change is run, isolated, on one machine and on three; the report is the same.
func TestMeasured(t *testing.T) {
	t.Parallel()
	sandboxtest.Oracle.Program(t, "rustc")
	sandboxtest.Isolated(t)
	dir, c := numbers(t, nil)
	w := newWorld(t, c, dir, githubtest.Repo{Default: c["base"], Pulls: map[int]*githubtest.Pull{7: {Head: c["head"], Base: c["base"]}}})
	w.path += string(os.PathListSeparator) + os.Getenv("PATH")
	env := map[string]string{}
	if home, err := os.UserHomeDir(); err == nil { // jobs have another
		env["RUSTUP_HOME"] = cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup"))
	}
	if toolchain := os.Getenv("RUSTUP_TOOLCHAIN"); toolchain != "" {
		env["RUSTUP_TOOLCHAIN"] = toolchain
	}
	var reports []string
	for _, workflow := range []string{"simple.yml", "sharded.yml"} {
		r := pullRequest("opened", 7, c["base"], c["head"])
		r.env = env
		w.want(w.start(workflow, r), "specgate", "failure")
		text, err := os.ReadFile(filepath.Join(w.artifacts[r.id]["specgate"], "report.json"))
		w.check(err)
		reports = append(reports, string(text))
	}
	if diff := gocmp.Diff(reports[0], reports[1]); diff != "" {
		t.Errorf("parts make another report: %s", diff)
	}
	for _, want := range []string{`(?m)^  score=0\.\d{4}$`, `(?m)^  delta=-0\.\d{4}$`, `(?m)^  conclusion=failure$`} {
		if n := len(regexp.MustCompile(want).FindAllString(w.golden.String(), -1)); n != 2 {
			t.Errorf("%d outputs are %s, want 2", n, want)
		}
	}
	if t.Failed() {
		t.Log(w.golden.String())
	}
}

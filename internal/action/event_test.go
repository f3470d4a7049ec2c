package action

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/github"
)

func TestQueuedPull(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for ref, want := range map[string]int{
		"refs/heads/gh-readonly-queue/main/pr-104-" + sha:                   104,
		"refs/heads/gh-readonly-queue/release/1.0/pr-7-" + sha:              7,
		"refs/heads/gh-readonly-queue/main/pr-7-" + strings.Repeat("b", 64): 7,
		"refs/heads/gh-readonly-queue/main/pr-0-" + sha:                     0,
		"refs/heads/gh-readonly-queue/main/pr-99999999999999999999-" + sha:  0,
		"refs/heads/gh-readonly-queue/main/pr-7-" + sha + "\n":              0,
		"refs/heads/gh-readonly-queue/main/pr-7-abc":                        0,
		"refs/heads/feature/gh-readonly-queue/main/pr-7-" + sha:             0,
		"refs/heads/gh-readonly-queue/pr-8-" + sha + "/main/pr-7-" + sha:    7,
		"": 0,
	} {
		e := &event{name: "merge_group"}
		e.MergeGroup.HeadRef = ref
		if got := e.queuedPull(); got != want {
			t.Errorf("%q: %d, want %d", ref, got, want)
		}
	}
}

func TestHeadCommit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "event.json")
	for _, c := range []struct{ name, text, want, fails string }{
		{"push", `{"after": "a1", "before": "b1", "head_commit": {"id": "c1"}}`, "a1", ""},
		{"pull_request", `{"after": "a1", "pull_request": {"number": 7, "head": {"sha": "h1"}, "base": {"sha": "b1"}}}`, "h1", ""},
		{"pull_request_target", `{"pull_request": {"head": {"sha": "h1"}}}`, "h1", ""},
		{"merge_group", `{"merge_group": {"head_sha": "m1", "base_sha": "b1"}}`, "m1", ""},
		{"workflow_run", `{"workflow_run": {"head_sha": "w1", "event": "pull_request"}}`, "w1", ""},
		{"schedule", `{"after": "a1"}`, "", `the event "schedule" names no head commit`},
		{"push", `{}`, "", `the event "push" names no head commit`},
		{"push", `{"after": 1}`, "", "read the event FILE: json: cannot unmarshal number into Go struct field event.after of type string"},
		{"push", `[`, "", "read the event FILE: unexpected end of JSON input"},
		{"", `{}`, "", "GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := HeadCommit(c.name, file)
		fails := ""
		if err != nil {
			fails = strings.ReplaceAll(err.Error(), file, "FILE")
		}
		if got != c.want || fails != c.fails {
			t.Errorf("%s %s: %q, %q; want %q, %q", c.name, c.text, got, fails, c.want, c.fails)
		}
	}
	if err := os.Truncate(file, maxEvent+1); err != nil {
		t.Fatal(err)
	}
	if _, err := HeadCommit("push", file); err == nil || !strings.HasSuffix(err.Error(), "it has more than 32 MiB") {
		t.Errorf("a large event: %v", err)
	}
}

func TestRunURL(t *testing.T) {
	repo, err := github.ParseRepo("acme/numbers")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"42": "https://github.example/acme/numbers/actions/runs/42", "": "", "4/../2": "", "$(id)": ""} {
		got := RunURL(repo, func(name string) string {
			return map[string]string{"GITHUB_SERVER_URL": "https://github.example", "GITHUB_RUN_ID": id}[name]
		})
		if got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// FuzzEvent: whatever is in an event, reading it ends.
func FuzzEvent(f *testing.F) {
	f.Add("push", []byte(`{"after": "a1", "ref": "refs/heads/main", "repository": {"default_branch": "main"}}`))
	f.Add("pull_request", []byte(`{"pull_request": {"number": 7, "head": {"sha": "h1"}}}`))
	f.Add("merge_group", []byte(`{"merge_group": {"head_sha": "m1", "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}`))
	f.Add("workflow_run", []byte(`{"workflow_run": {"head_sha": "w1"}}`))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		file := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if head, err := HeadCommit(name, file); err == nil && head == "" {
			t.Error("no commit, and no error")
		}
		if e, err := readEvent(name, file); err == nil && (e.queuedPull() < 0 || e.queuedPull() > 999999999) {
			t.Errorf("pull request %d", e.queuedPull())
		}
	})
}

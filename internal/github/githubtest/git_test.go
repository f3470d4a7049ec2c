package githubtest_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/sandbox"
)

func git(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	res, err := sandbox.Command{Name: "git", Args: args, Dir: dir,
		Env: append(sandbox.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
			"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z"),
		Limits: sandbox.Limits{Wall: time.Minute, Stdout: 1 << 20, Stderr: 1 << 20}}.Run(context.Background())
	return strings.TrimSpace(string(res.Stdout) + string(res.Stderr)), err
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git(t, dir, args...)
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

// TestGit: a real repository is served to real git, with the tokens and the faults of the server.
func TestGit(t *testing.T) {
	dir := t.TempDir()
	mustGit(t, dir, "init", "-q", "-b", "main")
	var ids []string
	for _, text := range []string{"one\n", "two\x00\n"} {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		mustGit(t, dir, "add", "-A")
		mustGit(t, dir, "commit", "-q", "-m", "message")
		ids = append(ids, mustGit(t, dir, "rev-parse", "HEAD"))
	}
	commits, err := githubtest.ReadGit(filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]githubtest.Commit{ids[0]: {Parents: []string{}, Files: map[string]string{"a.txt": "one\n"}},
		ids[1]: {Parents: []string{ids[0]}, Files: map[string]string{"a.txt": "two\x00\n"}}}
	if diff := cmp.Diff(want, commits); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}

	s := githubtest.New(githubtest.State{
		"acme/numbers": {Git: filepath.Join(dir, ".git"), Commits: commits, Default: ids[1]}, "acme/other": {Git: filepath.Join(dir, ".git")}, "acme/memory": {}}, "/api/v3")
	defer s.Close()
	s.AddToken("good", githubtest.Token{Permissions: map[string]string{"contents": "read"}, Repos: []string{"acme/numbers", "acme/memory"}})
	s.AddToken("checks", githubtest.Token{Permissions: map[string]string{"checks": "write"}})
	s.AddToken("old", githubtest.Token{Permissions: map[string]string{"contents": "read"}, Expires: time.Now().Add(-time.Second)})
	url := func(token, name string) string {
		return strings.Replace(s.CloneURL(name), "http://", "http://x-access-token:"+token+"@", 1)
	}
	host := strings.TrimPrefix(s.CloneURL("x"), "http://")
	host = strings.TrimSuffix(host, "/x.git")
	for _, c := range []struct{ name, url, want string }{
		{"no token", s.CloneURL("acme/numbers"), "fatal: could not read Username for 'http://HOST': terminal prompts disabled"},
		{"an unknown token", url("bad", "acme/numbers"), "remote: Invalid username or token.\nfatal: Authentication failed for 'http://HOST/acme/numbers.git/'"},
		{"an old token", url("old", "acme/numbers"), "remote: Invalid username or token.\nfatal: Authentication failed for 'http://HOST/acme/numbers.git/'"},
		{"another user name", strings.Replace(url("good", "acme/numbers"), "x-access-token", "ada", 1), "remote: Invalid username or token.\nfatal: Authentication failed for 'http://HOST/acme/numbers.git/'"},
		{"another repository", url("good", "acme/other"), "remote: Repository not found.\nfatal: repository 'http://HOST/acme/other.git/' not found"},
		{"no such repository", url("good", "acme/none"), "remote: Repository not found.\nfatal: repository 'http://HOST/acme/none.git/' not found"},
		{"one in memory only", url("good", "acme/memory"), "remote: Repository not found.\nfatal: repository 'http://HOST/acme/memory.git/' not found"},
		{"no permission", url("checks", "acme/numbers"), "remote: Write access to repository not granted.\nfatal: unable to access 'http://HOST/acme/numbers.git/': The requested URL returned error: 403"},
	} {
		out, err := git(t, dir, "ls-remote", c.url)
		if got := strings.ReplaceAll(out, host, "HOST"); err == nil || got != c.want {
			t.Errorf("%s: got  %s (%v)\nwant %s", c.name, got, err, c.want)
		}
	}
	if out, err := git(t, dir, "push", url("good", "acme/numbers"), "main:refs/heads/new"); err == nil {
		t.Errorf("a push was taken: %s", out)
	}

	// A request that gets no answer at all is made once more, on another connection.
	for _, f := range []githubtest.Fault{{Kind: githubtest.Cut, Path: "git-upload-pack", Times: 2}, {Kind: githubtest.CutBody, Path: "git-upload-pack"},
		{Kind: githubtest.Answer, Status: 502, Path: "/info/refs"}, {Kind: githubtest.Cut, Path: "/info/refs"}} {
		s.Fail(f)
		if out, err := git(t, t.TempDir(), "clone", "-q", url("good", "acme/numbers"), "copy"); err == nil {
			t.Errorf("fault %d at %s: no error: %s", f.Kind, f.Path, out)
		}
	}
	copied := t.TempDir()
	mustGit(t, copied, "clone", "-q", "--bare", url("good", "acme/numbers"), ".")
	if got := mustGit(t, copied, "rev-list", "main"); got != ids[1]+"\n"+ids[0] {
		t.Errorf("cloned: %s", got)
	}
	if p := s.Problems(); len(p) != 0 {
		t.Errorf("problems: %q", p)
	}
	if got := slices.Collect(maps.Keys(s.State()["acme/numbers"].Commits)); len(got) != 2 {
		t.Errorf("commits in the state: %q", got)
	}
}

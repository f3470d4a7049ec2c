package githubtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github/githubtest"
)

// TestRefuses: the server says no to what GitHub says no to, and then nothing has changed.
func TestRefuses(t *testing.T) {
	const sha = "2222222222222222222222222222222222222222"
	state := func() githubtest.State {
		return githubtest.State{"acme/numbers": {Commits: map[string]githubtest.Commit{sha: {}},
			CheckRuns: []*githubtest.CheckRun{{ID: 1, AppID: 1, Name: "other", SHA: sha, Status: "queued"}},
			Pulls: map[int]*githubtest.Pull{7: {Head: sha, Base: sha, Patches: map[string]string{"a.rs": "@@ -1 +1 @@\n-a\n+b"},
				Comments: []*githubtest.Comment{{ID: 2, Login: "ada", Body: "hello"}}}}}}
	}
	s := githubtest.New(state(), "")
	defer s.Close()
	s.AddToken("job", githubtest.Token{Login: "bot", AppID: 15368, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"}})
	s.AddToken("fork", githubtest.Token{Login: "bot", AppID: 15368, Permissions: map[string]string{"checks": "read", "pull_requests": "read"}})
	s.AddToken("person", githubtest.Token{Login: "ada", Permissions: map[string]string{"checks": "write"}})
	const runs = "POST /repos/acme/numbers/check-runs"
	annotated := func(annotation string) string {
		return `{"name": "n", "head_sha": "` + sha + `", "output": {"title": "t", "summary": "s", "annotations": [` + annotation + `]}}`
	}
	one := `{"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}`
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, request, token, body string
		status                     int
	}{
		{"no token", runs, "", "{}", 401},
		{"unknown token", runs, "other", "{}", 401},
		{"no permission", runs, "fork", annotated(one), 403},
		{"a person", runs, "person", annotated(one), 403},
		{"unknown repository", "POST /repos/acme/other/check-runs", "job", annotated(one), 404},
		{"unknown route", "DELETE /repos/acme/numbers/check-runs/1", "job", "", 404},
		{"no JSON", runs, "job", "{", 422},
		{"unknown key", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "titel": "t"}`, 422},
		{"unknown commit", runs, "job", `{"name": "n", "head_sha": "3333333333333333333333333333333333333333"}`, 422},
		{"no name", runs, "job", `{"head_sha": "` + sha + `"}`, 422},
		{"unknown status", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "status": "done"}`, 422},
		{"unknown conclusion", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "conclusion": "passed"}`, 422},
		{"stale, which is GitHub's own", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "conclusion": "stale"}`, 422},
		{"completed without conclusion", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "status": "completed"}`, 422},
		{"output without summary", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "output": {"title": "t"}}`, 422},
		{"long title", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "output": {"title": "` + long(256) + `", "summary": "s"}}`, 422},
		{"long summary", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "output": {"title": "t", "summary": "` + long(65536) + `"}}`, 422},
		{"long text", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "output": {"title": "t", "summary": "s", "text": "` + long(65536) + `"}}`, 422},
		{"51 annotations", runs, "job", annotated(strings.Repeat(one+",", 50) + one), 422},
		{"four buttons", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "actions": [` + strings.Repeat(`{"label": "l", "description": "d", "identifier": "i"},`, 3) + `{"label": "l", "description": "d", "identifier": "i"}]}`, 422},
		{"long label", runs, "job", `{"name": "n", "head_sha": "` + sha + `", "actions": [{"label": "` + long(21) + `", "description": "d", "identifier": "i"}]}`, 422},
		{"columns on two lines", runs, "job", annotated(strings.Replace(one, `"end_line": 1`, `"end_line": 2, "start_column": 1, "end_column": 2`, 1)), 422},
		{"line 0", runs, "job", annotated(strings.Replace(one, `"start_line": 1`, `"start_line": 0`, 1)), 422},
		{"end before start", runs, "job", annotated(strings.Replace(one, `"start_line": 1`, `"start_line": 2`, 1)), 422},
		{"unknown level", runs, "job", annotated(strings.Replace(one, "notice", "error", 1)), 422},
		{"no message", runs, "job", annotated(strings.Replace(one, `"m"`, `""`, 1)), 422},
		{"no path", runs, "job", annotated(strings.Replace(one, `"path": "a", `, "", 1)), 422},
		{"long message", runs, "job", annotated(strings.Replace(one, `"m"`, `"`+long(65537)+`"`, 1)), 422},
		{"of another App", "PATCH /repos/acme/numbers/check-runs/1", "job", `{"name": "n"}`, 403},
		{"unknown run", "PATCH /repos/acme/numbers/check-runs/9", "job", `{"name": "n"}`, 404},
		{"empty comment", "POST /repos/acme/numbers/issues/7/comments", "job", `{"body": " "}`, 422},
		{"long comment", "POST /repos/acme/numbers/issues/7/comments", "job", `{"body": "` + long(65537) + `"}`, 422},
		{"comment with a token that reads", "POST /repos/acme/numbers/issues/7/comments", "fork", `{"body": "x"}`, 403},
		{"somebody's comment", "PATCH /repos/acme/numbers/issues/comments/2", "job", `{"body": "x"}`, 403},
		{"unknown pull request", "GET /repos/acme/numbers/pulls/8", "job", "", 404},
		{"not the head", "POST /repos/acme/numbers/pulls/7/comments", "job", `{"body": "x", "path": "a.rs", "line": 1, "side": "RIGHT", "commit_id": "1111111111111111111111111111111111111111"}`, 422},
		{"not in the diff", "POST /repos/acme/numbers/pulls/7/comments", "job", `{"body": "x", "path": "a.rs", "line": 2, "side": "RIGHT", "commit_id": "` + sha + `"}`, 422},
		{"no side", "POST /repos/acme/numbers/pulls/7/comments", "job", `{"body": "x", "path": "a.rs", "line": 1, "commit_id": "` + sha + `"}`, 422},
		{"contents with a token without them", "GET /repos/acme/numbers/contents/x?ref=" + sha, "fork", "", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			method, path, _ := strings.Cut(c.request, " ")
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if c.token != "" {
				req.Header.Set("Authorization", "Bearer "+c.token)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != c.status {
				text, _ := io.ReadAll(resp.Body)
				t.Errorf("status %d, want %d: %s", resp.StatusCode, c.status, text)
			}
			if diff := cmp.Diff(state(), s.State()); diff != "" {
				t.Errorf("it changed:\n%s", diff)
			}
		})
	}
	// The wrong content type, and no name of the program.
	for header, status := range map[string]int{"Content-Type": 415, "User-Agent": 403} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/repos/acme/numbers/check-runs", strings.NewReader(annotated(one)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer job"}, "Content-Type": {"application/json"}}
		req.Header.Set(header, map[string]string{"Content-Type": "text/plain", "User-Agent": ""}[header])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("%s: status %d, want %d", header, resp.StatusCode, status)
		}
	}
}

package github_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
)

func TestMayWrite(t *testing.T) {
	s := start(t, nil)
	s.Change(func(all githubtest.State) {
		all["acme/numbers"].Users = map[string]githubtest.User{"ada": {ID: 1, Permission: "admin"}, "bob": {ID: 2, Permission: "write"}, "cem": {ID: 3, Permission: "read"},
			"dee": {ID: 4, Permission: "none"}, "robot": {ID: 5, Permission: "write", Bot: true}, "helper[bot]": {ID: 6, Permission: "write"}}
	})
	for _, k := range []struct {
		login string
		id    int64
		want  string
	}{
		{"ada", 1, "true"}, {"bob", 2, "true"}, {"cem", 3, "false"}, {"dee", 4, "false"},
		{"ada", 2, "false"}, // the login belongs to somebody else by now
		{"robot", 5, "false"}, {"helper[bot]", 6, "false"}, {"nobody", 7, "false"},
		{"ada", 0, `ask for the permission of "ada" in acme/numbers: it is not the login of a person`},
		{"../../other/repo/collaborators/ada", 1, `ask for the permission of "../../other/repo/collaborators/ada" in acme/numbers: it is not the login of a person`},
		{"", 1, `ask for the permission of "" in acme/numbers: it is not the login of a person`},
	} {
		may, err := s.client.MayWrite(t.Context(), numbers, k.login, k.id)
		got := fmt.Sprint(may)
		if err != nil {
			got = err.Error()
		}
		if got != k.want {
			t.Errorf("%q, %d: got %s, want %s", k.login, k.id, got, k.want)
		}
	}
	s.Fail(githubtest.Fault{Path: "/permission", Kind: githubtest.Answer, Status: 403, Body: "{}"})
	if may, err := s.client.MayWrite(t.Context(), numbers, "ada", 1); may || err == nil {
		t.Errorf("refused: %v, %v", may, err)
	}
}

func TestRemarks(t *testing.T) {
	s := start(t, nil)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var want []github.Remark
	s.Change(func(all githubtest.State) {
		repo := all["acme/numbers"]
		repo.Users = map[string]githubtest.User{"ada": {ID: 1}, "robot": {ID: 5, Bot: true}}
		for i := range int64(120) {
			repo.Pulls[7].Comments = append(repo.Pulls[7].Comments, &githubtest.Comment{ID: 200 + i, Login: "ada", Body: fmt.Sprint("hello ", i), Created: at})
			want = append(want, github.Remark{ID: 200 + i, Author: 1, Created: at, Body: fmt.Sprint("hello ", i)})
		}
		repo.Pulls[7].Comments = append(repo.Pulls[7].Comments,
			&githubtest.Comment{ID: 500, Login: "ada", Body: "in the name of ada", Created: at, App: 9},
			&githubtest.Comment{ID: 501, Login: "helper[bot]", Body: "of an App", Created: at},
			&githubtest.Comment{ID: 502, Login: "robot", Body: "of a bot", Created: at},
			&githubtest.Comment{ID: 503, Login: "ghost", Body: "of nobody", Created: at})
	})
	got, err := s.client.Remarks(t.Context(), numbers, 7)
	wantError(t, err, "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = s.client.Remarks(t.Context(), numbers, 9)
	wantError(t, err, "list the comments on pull request 9 of acme/numbers: not found, or not visible with this token")
	_, err = s.client.Remarks(t.Context(), numbers, 0)
	wantError(t, err, "list the comments on pull request 0 of acme/numbers: the number must be at least 1")
}

// TestNote: a note stands before the summary, replaces an earlier one, and changes nothing else.
func TestNote(t *testing.T) {
	s := start(t, nil)
	button := []github.Action{{Label: "Accept", Description: "Accept all", Identifier: "accept"}}
	posted, err := s.client.CompleteCheck(t.Context(), numbers, check, output(2), button)
	wantError(t, err, "")
	run, err := s.client.Run(t.Context(), numbers, posted.ID)
	wantError(t, err, "")
	if want := s.clock.Now(); !run.Started.Equal(want) {
		t.Errorf("it was started at %v, want %v", run.Started, want)
	}
	run.Started = time.Time{}
	if diff := cmp.Diff(github.Run{ID: posted.ID, Name: check.Name, SHA: check.SHA, Completed: true, Conclusion: string(output(2).Conclusion), Newest: true}, run); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	before := s.State()["acme/numbers"].CheckRuns[0]
	for _, note := range []string{"**First.**", "**Second.**", "**Second.**"} {
		wantError(t, s.client.Note(t.Context(), numbers, posted.ID, note, button), "")
		want := *before
		want.Summary = "<!-- specgate note -->\n" + note + "\n<!-- end of the note -->\n\n" + before.Summary
		if diff := cmp.Diff(want, *s.State()["acme/numbers"].CheckRuns[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if n := len(s.Writes()); n != 4 {
		t.Errorf("%d writes, want 4: the run, its results and two notes", n)
	}
	s.Change(func(all githubtest.State) {
		all["acme/numbers"].CheckRuns[0].Summary = strings.Repeat("é", 32767)
	})
	wantError(t, s.client.Note(t.Context(), numbers, posted.ID, "A note.", button), "")
	summary := s.State()["acme/numbers"].CheckRuns[0].Summary
	if !strings.HasPrefix(summary, "<!-- specgate note -->\nA note.\n") || !strings.HasSuffix(summary, "é\n\nThe rest is left out for want of room.\n") || len(summary) > 65535 {
		t.Errorf("a summary of %d bytes: %.60q ... %q", len(summary), summary, summary[len(summary)-60:])
	}
	wantError(t, s.client.Note(t.Context(), numbers, posted.ID, "<!-- x", nil), fmt.Sprintf("put a note on check run %d of acme/numbers: it needs 1 to 16383 bytes and no HTML comment", posted.ID))
	_, err = s.client.Run(t.Context(), numbers, 999)
	wantError(t, err, "ask for check run 999 of acme/numbers: not found, or not visible with this token")
}

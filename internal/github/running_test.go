package github_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
)

// TestRestart: a run that is completed is in progress again, keeps what it has, and is completed again.
func TestRestart(t *testing.T) {
	s := start(t, nil)
	posted, err := s.client.RestartCheck(t.Context(), numbers, check)
	wantError(t, err, "")
	if diff := cmp.Diff(github.Posted{ID: 101, URL: "https://github.example/acme/numbers/runs/101", Written: true}, posted); diff != "" {
		t.Error(diff)
	}
	_, err = s.client.CompleteCheck(t.Context(), numbers, check, output(1), nil)
	wantError(t, err, "")
	posted, err = s.client.RestartCheck(t.Context(), numbers, check)
	wantError(t, err, "")
	if posted.ID != 101 || !posted.Written {
		t.Errorf("restarted: %+v", posted)
	}
	s.want(t, func(r *githubtest.Repo) {
		run := completed(101, 1, 1)
		run.Status, run.Conclusion = "in_progress", ""
		r.CheckRuns = []*githubtest.CheckRun{run}
	})
	before := len(s.Writes())
	posted, err = s.client.RestartCheck(t.Context(), numbers, check)
	wantError(t, err, "")
	if posted.ID != 101 || posted.Written || len(s.Writes()) != before {
		t.Errorf("restarted again: %+v", posted)
	}
	_, err = s.client.CompleteCheck(t.Context(), numbers, check, output(1), nil)
	wantError(t, err, "")
	s.want(t, func(r *githubtest.Repo) { r.CheckRuns = []*githubtest.CheckRun{completed(101, 1, 1)} })
}

// TestCancelCheck: whatever is lost on the way, there is one run in the end, and none in progress.
func TestCancelCheck(t *testing.T) {
	cancelled := func(r *githubtest.Repo) {
		r.CheckRuns = []*githubtest.CheckRun{{ID: 101, AppID: 15368, Name: "specgate", SHA: head, ExternalID: "job-1", Status: "completed", Conclusion: "cancelled",
			Title: "Superseded", Summary: "Superseded by another."}}
	}
	for _, started := range []bool{false, true} {
		for _, method := range []string{"none", "GET", "POST", "PATCH"} {
			for _, kind := range []githubtest.Kind{githubtest.Cut, githubtest.CutBody, githubtest.Answer} {
				for _, acted := range []bool{false, true} {
					t.Run(fmt.Sprintf("%v %s %d %v", started, method, kind, acted), func(t *testing.T) {
						s := start(t, nil)
						if started {
							_, err := s.client.StartCheck(t.Context(), numbers, check)
							wantError(t, err, "")
						}
						s.Fail(githubtest.Fault{Method: method, Kind: kind, Acted: acted, Status: 502})
						_, err := s.client.CancelCheck(t.Context(), numbers, check, "Superseded", "Superseded by another.")
						wantError(t, err, "")
						s.want(t, cancelled)
						before := len(s.Writes())
						posted, err := s.another(t, nil).CancelCheck(t.Context(), numbers, check, "Other", "Other words.")
						wantError(t, err, "")
						if posted.ID != 101 || posted.Written || len(s.Writes()) != before {
							t.Errorf("cancelled again: %+v", posted)
						}
						s.want(t, cancelled)
					})
				}
			}
		}
	}

	// What is completed stays as it is.
	s := start(t, nil)
	_, err := s.client.CompleteCheck(t.Context(), numbers, check, output(1), nil)
	wantError(t, err, "")
	_, err = s.client.CancelCheck(t.Context(), numbers, check, "Superseded", "Superseded by another.")
	wantError(t, err, "")
	s.want(t, func(r *githubtest.Repo) { r.CheckRuns = []*githubtest.CheckRun{completed(101, 1, 1)} })
	_, err = s.client.CancelCheck(t.Context(), numbers, check, strings.Repeat("x", 256), "words")
	wantError(t, err, `cancel check run "specgate": the title needs 1 to 255 characters, and the summary 1 to 65535 bytes`)
}

// TestCommitGone: no check run can be posted on a commit that the repository does not have.
func TestCommitGone(t *testing.T) {
	s := &scene{Server: githubtest.New(repository(), ""), clock: &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	defer s.Close()
	s.AddToken("job", actions)
	s.client = s.another(t, nil)
	gone := check
	gone.SHA = strings.Repeat("9", 40)
	for _, do := range []func() error{
		func() error { _, err := s.client.StartCheck(t.Context(), numbers, gone); return err },
		func() error {
			_, err := s.client.CancelCheck(t.Context(), numbers, gone, "title", "summary")
			return err
		},
		func() error { _, err := s.client.Pulls(t.Context(), numbers, gone.SHA); return err },
	} {
		if err := do(); !errors.Is(err, github.ErrNoCommit) {
			t.Errorf("%v", err)
		}
	}
}

func TestAppSlug(t *testing.T) {
	key, pemKey := newKey(t)
	s := githubtest.New(repository(), "")
	defer s.Close()
	s.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: key, Installation: 6})
	o := github.Options{BaseURL: s.URL, UserAgent: "specgate/test", App: &github.App{ID: 5, PrivateKey: pemKey}}
	slug, err := github.AppSlug(t.Context(), o)
	if wantError(t, err, ""); slug != "specgate-app" {
		t.Errorf("%q", slug)
	}
	o.App.ID = 4
	if _, err := github.AppSlug(t.Context(), o); !errors.Is(err, github.ErrUnauthorized) {
		t.Errorf("%v", err)
	}
	o.App = nil
	_, err = github.AppSlug(t.Context(), o)
	wantError(t, err, "sign in to GitHub as an App: there is no key")
}

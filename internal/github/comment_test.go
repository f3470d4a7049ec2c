package github_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
)

const marker = annotate.CommentMarker

func TestSticky(t *testing.T) {
	s := start(t, nil)
	// Somebody else has written the marker, and more comments than one page has.
	s.Change(func(all githubtest.State) {
		p := all["acme/numbers"].Pulls[7]
		p.Comments = append(p.Comments, &githubtest.Comment{ID: 1, Login: "mallory", Body: marker + "\nall is well"})
		for i := range 250 {
			p.Comments = append(p.Comments, &githubtest.Comment{ID: int64(1000 + i), Login: "ada", Body: "hm"})
		}
		p.Comments = append(p.Comments, &githubtest.Comment{ID: 300, Login: "github-actions[bot]", Body: "of another program\n" + marker})
	})
	before := s.State()
	want := func(own ...*githubtest.Comment) {
		t.Helper()
		all := before
		p := *all["acme/numbers"].Pulls[7]
		p.Comments = append(p.Comments[:252:252], own...)
		if diff := cmp.Diff(&p, s.State()["acme/numbers"].Pulls[7]); diff != "" {
			t.Error(diff)
		}
	}
	post := func(body string, onlyEdit bool) {
		t.Helper()
		wantError(t, s.client.Sticky(t.Context(), numbers, 7, head, marker+"\n"+body, onlyEdit), "")
	}
	post("nothing to say", true)
	want()
	post("one", false)
	want(&githubtest.Comment{ID: 101, Login: "github-actions[bot]", Body: marker + "\none"})
	post("one", false)
	want(&githubtest.Comment{ID: 101, Login: "github-actions[bot]", Body: marker + "\none"})
	post("two", false)
	want(&githubtest.Comment{ID: 101, Login: "github-actions[bot]", Body: marker + "\ntwo", Edits: 1})
	post("nothing to say", true)
	want(&githubtest.Comment{ID: 101, Login: "github-actions[bot]", Body: marker + "\nnothing to say", Edits: 2})

	err := s.client.Sticky(t.Context(), numbers, 7, head, "no marker", false)
	wantError(t, err, "comment on pull request 7 of acme/numbers: the text does not begin with the marker by which it is found again")
}

// TestStickyLost: an answer that was lost does not double the comment.
func TestStickyLost(t *testing.T) {
	for _, acted := range []bool{false, true} {
		s := start(t, nil)
		s.Fail(githubtest.Fault{Method: "POST", Kind: githubtest.Cut, Acted: acted})
		wantError(t, s.client.Sticky(t.Context(), numbers, 7, head, marker+"\none", false), "")
		s.want(t, func(r *githubtest.Repo) {
			r.Pulls[7].Comments = []*githubtest.Comment{{ID: 101, Login: "github-actions[bot]", Body: marker + "\none"}}
		})
	}
}

// TestStale: whenever the force push comes, nothing is written about the revision that is gone.
func TestStale(t *testing.T) {
	pushed := func(all githubtest.State) { all["acme/numbers"].Pulls[7].Head = push }
	const message = "the head of pull request 7 is " + push + ", and the results are about " + head + ": somebody pushed since; nothing more was posted"
	for _, path := range []string{"/user", "/comments", "/pulls/7"} {
		for name, do := range map[string]func(*scene) error{
			"sticky": func(s *scene) error {
				return s.client.Sticky(t.Context(), numbers, 7, head, marker+"\none", false)
			},
			"review": func(s *scene) error {
				_, err := s.client.Review(t.Context(), numbers, 7, head, review("f1", 2, "weak"))
				return err
			},
		} {
			s := start(t, nil)
			s.Fail(githubtest.Fault{Method: "GET", Path: path, Kind: githubtest.Pass, Do: pushed})
			err := do(s)
			wantError(t, err, message)
			var stale *github.StaleError
			if !errors.As(err, &stale) || len(s.Writes()) > 0 {
				t.Errorf("%s, push at %s: %v, %v", name, path, err, s.Writes())
			}
		}
	}
}

// TestStaleBetween: a push between two comments stops the second.
func TestStaleBetween(t *testing.T) {
	s := start(t, nil)
	// The list, the files and two comparisons of the head.
	s.Fail(githubtest.Fault{Method: "GET", Path: "/pulls/7", Skip: 3, Kind: githubtest.Pass, Do: func(all githubtest.State) { all["acme/numbers"].Pulls[7].Head = push }})
	two := review("f1", 2, "one")
	two.Comments = append(two.Comments, review("f2", 3, "two").Comments...)
	_, err := s.client.Review(t.Context(), numbers, 7, head, two)
	var stale *github.StaleError
	if !errors.As(err, &stale) {
		t.Errorf("%v", err)
	}
	s.wantRequests(t, s.Writes(), "POST /repos/acme/numbers/pulls/7/comments 201")
}

// review has one comment.
func review(fingerprint string, line int, body string) annotate.Review {
	return annotate.Review{Comments: []annotate.ReviewComment{{Fingerprint: fingerprint, Path: "src/a.rs", Line: line, Body: body}},
		Known: map[string]bool{fingerprint: true}}
}

func TestReview(t *testing.T) {
	s := start(t, nil)
	s.Change(func(all githubtest.State) {
		p := all["acme/numbers"].Pulls[7]
		p.Review = append(p.Review, &githubtest.ReviewComment{ID: 1, Login: "mallory", Path: "src/a.rs", Line: 2, Commit: head, Body: "<!-- specgate:review f1 -->\nall is well"})
	})
	mallory := *s.State()["acme/numbers"].Pulls[7].Review[0]
	step := func(what string, sha string, r annotate.Review, done github.Reviewed, want ...*githubtest.ReviewComment) {
		t.Helper()
		got, err := s.client.Review(t.Context(), numbers, 7, sha, r)
		wantError(t, err, "")
		if diff := cmp.Diff(done, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if diff := cmp.Diff(append([]*githubtest.ReviewComment{&mallory}, want...), s.State()["acme/numbers"].Pulls[7].Review); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	comment := func(id int64, fingerprint string, line int, body string, edits int) *githubtest.ReviewComment {
		return &githubtest.ReviewComment{ID: id, Login: "github-actions[bot]", Path: "src/a.rs", Line: line, Commit: head, Body: "<!-- specgate:review " + fingerprint + " -->\n" + body, Edits: edits}
	}
	outside := []annotate.ReviewComment{{Fingerprint: "f3", Path: "src/a.rs", Line: 7, Body: "not in the diff"}, {Fingerprint: "f4", Path: "src/large.rs", Line: 1, Body: "no patch"}, {Fingerprint: "f5", Path: "src/b.rs", Line: 1, Body: "not changed"}}
	all := annotate.Review{
		Comments: append([]annotate.ReviewComment{{Fingerprint: "f1", Path: "src/a.rs", Line: 2, Body: "weak"}, {Fingerprint: "f2", Path: "src/a.rs", Line: 12, Body: "weak too"}}, outside...),
		Known:    map[string]bool{"f1": true, "f2": true, "f3": true, "f4": true, "f5": true},
		Absent:   "Settled: gone.",
	}
	step("first", head, all, github.Reviewed{Posted: 2, Outside: outside}, comment(101, "f1", 2, "weak", 0), comment(102, "f2", 12, "weak too", 0))
	step("again", head, all, github.Reviewed{Same: 2, Outside: outside}, comment(101, "f1", 2, "weak", 0), comment(102, "f2", 12, "weak too", 0))

	// A push makes one stronger, mends the other, and moves lines.
	s.Change(func(state githubtest.State) { state["acme/numbers"].Pulls[7].Head = push })
	step("edited and mended", push, annotate.Review{Comments: []annotate.ReviewComment{{Fingerprint: "f1", Path: "src/a.rs", Line: 4, Body: "weak still"}},
		Known: map[string]bool{"f1": true, "f2": true}, Settled: map[string]string{"f2": "Mended as of 3333."}, Absent: "Settled: gone."},
		github.Reviewed{Edited: 1, Mended: 1}, comment(101, "f1", 2, "weak still", 1), comment(102, "f2", 12, "Mended as of 3333.", 1))
	step("mended once", push, annotate.Review{Comments: []annotate.ReviewComment{{Fingerprint: "f1", Path: "src/a.rs", Line: 4, Body: "weak still"}},
		Known: map[string]bool{"f1": true, "f2": true}, Settled: map[string]string{"f2": "Mended as of 4444."}},
		github.Reviewed{Same: 1}, comment(101, "f1", 2, "weak still", 1), comment(102, "f2", 12, "Mended as of 3333.", 1))
	// What could not be measured is not mended.
	step("not measured", push, annotate.Review{Known: map[string]bool{"f1": true}}, github.Reviewed{}, comment(101, "f1", 2, "weak still", 1), comment(102, "f2", 12, "Mended as of 3333.", 1))
	step("gone, and weak again", push, annotate.Review{Comments: []annotate.ReviewComment{{Fingerprint: "f2", Path: "src/a.rs", Line: 4, Body: "weak again"}},
		Known: map[string]bool{"f2": true}, Absent: "Settled: gone."},
		github.Reviewed{Edited: 1, Mended: 1}, comment(101, "f1", 2, "Settled: gone.", 2), comment(102, "f2", 12, "weak again", 2))
}

// TestReviewLost: what was lost is neither forgotten nor doubled.
func TestReviewLost(t *testing.T) {
	two := annotate.Review{Comments: []annotate.ReviewComment{{Fingerprint: "f1", Path: "src/a.rs", Line: 2, Body: "one"}, {Fingerprint: "f2", Path: "src/a.rs", Line: 3, Body: "two"}},
		Known: map[string]bool{"f1": true, "f2": true}}
	for skip := range 2 {
		for _, acted := range []bool{false, true} {
			s := start(t, nil)
			s.Fail(githubtest.Fault{Method: "POST", Skip: skip, Kind: githubtest.Cut, Acted: acted})
			_, err := s.client.Review(t.Context(), numbers, 7, head, two)
			wantError(t, err, "")
			s.want(t, func(r *githubtest.Repo) {
				for i, body := range []string{"one", "two"} {
					r.Pulls[7].Review = append(r.Pulls[7].Review, &githubtest.ReviewComment{ID: int64(101 + i), Login: "github-actions[bot]", Path: "src/a.rs", Line: 2 + i,
						Commit: head, Body: fmt.Sprintf("<!-- specgate:review f%d -->\n%s", i+1, body)})
				}
			})
		}
	}
}

// TestReviewMany: one run does not flood a pull request.
func TestReviewMany(t *testing.T) {
	s := start(t, nil)
	s.Change(func(all githubtest.State) {
		all["acme/numbers"].Pulls[7].Patches["src/a.rs"] = "@@ -0,0 +1,100 @@\n" + added(100)
	})
	var many annotate.Review
	for i := range 100 {
		many.Comments = append(many.Comments, annotate.ReviewComment{Fingerprint: fmt.Sprintf("f%d", i), Path: "src/a.rs", Line: i + 1, Body: "weak"})
	}
	done, err := s.client.Review(t.Context(), numbers, 7, head, many)
	wantError(t, err, "")
	if done.Posted != github.MaxNewComments || len(done.Outside) != 100-github.MaxNewComments || len(s.Writes()) != github.MaxNewComments {
		t.Errorf("%d posted, %d outside, %d requests", done.Posted, len(done.Outside), len(s.Writes()))
	}
}

func added(n int) (patch string) {
	for range n {
		patch += "+line\n"
	}
	return patch
}

func TestReviewInvalid(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		review annotate.Review
		want   string
	}{
		{review("-->", 1, "x"), `fingerprint "-->" is none, or there twice`},
		{annotate.Review{Comments: append(review("f1", 1, "x").Comments, review("f1", 2, "y").Comments...)}, `fingerprint "f1" is none, or there twice`},
		{review("f1", 0, "x"), `"src/a.rs", line 0 is not a place`},
		{review("f1", 1, ""), `a comment needs 1 to 65536 bytes`},
	} {
		_, err := s.client.Review(t.Context(), numbers, 7, head, c.review)
		wantError(t, err, "review pull request 7 of acme/numbers: "+c.want)
	}
	if got := s.Requests(); len(got) > 0 {
		t.Errorf("something was asked: %v", got)
	}
}

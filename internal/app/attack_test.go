package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/app"
	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
)

// lax is a branch on which a change is nothing new: what blocks a change that goes into the default branch does not block one that goes there.
const lax = other

// mild makes a commit that blocks where it goes into the default branch, and passes where it goes into lax.
func (s *scene) mild(sha string) {
	s.Change(func(st githubtest.State) { st["acme/numbers"].Commits[sha] = githubtest.Commit{Parents: []string{lax}} })
	s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
		if job.Base == lax {
			return passed(job), nil
		}
		return found(job, "a"), nil
	})
}

// opened has GitHub have a pull request, and tells of it.
func (s *scene) opened(number int, sha, into string, at int) {
	s.t.Helper()
	s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[number] = &githubtest.Pull{Head: sha, Base: into} })
	s.pullEventOf(number, "opened", sha, at, nil)
}

func (s *scene) pullEventOf(number int, action, sha string, at int, changes map[string]any) {
	s.t.Helper()
	s.pullEvent(action, sha, at, map[string]any{"number": number, "changes": changes, "pull_request": map[string]any{"number": number, "state": "open",
		"updated_at": time.Date(2026, 1, 1, 0, 0, at, 0, time.UTC), "head": map[string]any{"sha": sha}}})
}

func (s *scene) blocks(sha string) {
	s.t.Helper()
	s.eventually("it blocks", func() bool { return s.idle() && len(s.runs()) > 0 && s.run(sha).Conclusion == "action_required" })
}

func (s *scene) passes(sha string) {
	s.t.Helper()
	s.eventually("it passes", func() bool { return s.idle() && len(s.runs()) > 0 && s.run(sha).Conclusion == "success" })
}

// TestLaxBase: a check run is of a commit, so one that was checked for a pull request into a branch where it passes is no word on another pull
// request, into whatever branch, by whatever events it comes.
func TestLaxBase(t *testing.T) {
	retarget := func(s *scene) {
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[8].Base = baseSHA })
	}
	base := map[string]any{"base": map[string]any{"ref": map[string]any{"from": "lax"}}}
	for name, attack := range map[string]func(s *scene){
		"another pull request": func(s *scene) { s.opened(9, two, baseSHA, 2) },
		"another pull request, of which a label is heard first": func(s *scene) {
			s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[9] = &githubtest.Pull{Head: two, Base: baseSHA} })
			s.pullEventOf(9, "labeled", two, 3, nil)
		},
		"an old pull request that is pushed to": func(s *scene) {
			s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Head = two })
			s.pullEventOf(7, "synchronize", two, 2, nil)
		},
		"another base": func(s *scene) { retarget(s); s.pullEventOf(8, "edited", two, 2, base) },
		"another base, heard of late": func(s *scene) {
			retarget(s)
			s.pullEventOf(8, "ready_for_review", two, 3, nil)
			s.pullEventOf(8, "edited", two, 2, base)
		},
		"another base while it was closed": func(s *scene) {
			s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[8].Closed = true })
			s.pullEvent("closed", two, 2, map[string]any{"number": 8})
			retarget(s)
			s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[8].Closed = false })
			s.pullEventOf(8, "reopened", two, 3, nil)
		},
		"a merge group": func(s *scene) {
			s.post("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": two, "base_sha": baseSHA}})
			s.eventually("it blocks", func() bool { return s.idle() && s.run(two).Conclusion != "success" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, t.TempDir()+"/specgate.db")
			s.mild(two)
			s.start()
			s.opened(8, two, lax, 1)
			s.passes(two)
			attack(s)
			s.blocks(two)
		})
	}
	t.Run("while it is checked", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, t.TempDir()+"/specgate.db")
		s.mild(two)
		do, gate := s.checker.do, make(chan struct{})
		s.checker.set(func(ctx context.Context, job app.Job) (app.Result, error) {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return do(ctx, job)
		})
		s.start()
		s.opened(8, two, lax, 1)
		s.begins(two)
		s.opened(9, two, baseSHA, 2)
		close(gate)
		s.blocks(two)
	})
}

// TestGroupIsHead: who opens a pull request with the commit of a merge group, into another branch, does not change what the group is compared with.
func TestGroupIsHead(t *testing.T) {
	s := newScene(t, t.TempDir()+"/specgate.db")
	s.mild(two)
	s.start()
	s.post("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": two, "base_sha": baseSHA,
		"head_ref": fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-7-%s", baseSHA)}})
	s.eventually("it blocks", func() bool { return s.idle() && len(s.runs()) > 0 && s.run(two).Conclusion == "action_required" })
	s.opened(8, two, lax, 1)
	s.eventually("it is checked again", func() bool { return s.idle() && len(s.checker.ran()) == 3 })
	s.blocks(two)
	if diff := cmp.Diff([]string{"acme/numbers #0 1111..3333 true", "acme/numbers #0 1111..3333 true", "acme/numbers #8 5555..3333 false"}, s.checker.ran()); diff != "" {
		t.Error(diff)
	}
}

// TestAcceptStale: what is accepted is what the check run said when the button was pressed, and nothing that came later.
func TestAcceptStale(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.users()
		s.finds(map[string]string{one: "a"})
		s.start()
		s.pull("opened", one, 1, nil)
		s.want("2222 completed action_required: " + oneBlocks)
		old := s.run(one).ID
		s.remark(7, "ada", "specgate accept: the one that I see", 2*time.Second, 0)
		moved := map[string]any{"changes": map[string]any{"base": map[string]any{}}}

		// GitHub does not answer when the button is pressed; meanwhile the pull request goes elsewhere.
		s.Fail(githubtest.Fault{Path: fmt.Sprintf("/check-runs/%d", old), Kind: githubtest.Answer, Status: http.StatusBadGateway,
			Do: func(githubtest.State) { s.pullEvent("edited", one, 2, moved) }})
		s.press("accept", one, "ada", 1)
		s.refused(one, "> **`ada` pressed *Accept*, and nothing was accepted.**\n>\n> The commit was checked again since the button was pressed, or is being checked again, "+
			"so what blocks is not what was seen. Look at it, and press *Accept* again.")
		s.want("2222 completed action_required: " + oneBlocks)
		if got := buttonNames(s.run(one)); got != "Re-run, Accept" {
			t.Errorf("buttons: %s", got)
		}

		// A page that shows what another check run had before it was replaced.
		s.finds(map[string]string{one: "c"})
		s.pull("edited", one, 3, moved)
		s.want(replaced, "2222 completed action_required: "+oneBlocks)
		s.post("check_run", map[string]any{"action": "requested_action", "requested_action": map[string]any{"identifier": "accept"},
			"check_run": map[string]any{"id": old, "head_sha": one, "app": map[string]any{"id": apptest.AppID}}, "sender": map[string]any{"login": "ada", "id": 1, "type": "User"}})
		s.eventually("it is dropped", func() bool { return strings.Contains(s.log.String(), "does not say what blocks") })
		s.want(replaced, "2222 completed action_required: "+oneBlocks)
	})
}

// TestAcceptedElsewhere: what was accepted for one branch is not for another.
func TestAcceptedElsewhere(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.users()
		s.finds(map[string]string{one: "a", two: "a"})
		s.start()
		s.pull("opened", one, 1, nil)
		s.want("2222 completed action_required: " + oneBlocks)
		s.remark(7, "ada", "specgate accept: nobody uses that branch", 2*time.Second, 0)
		s.press("accept", one, "ada", 1)
		s.want(replaced, "2222 completed success: "+noneBlock)
		s.pullEventOf(7, "ready_for_review", one, 2, nil)
		s.pull("synchronize", two, 3, map[string]any{"before": one})
		s.want(replaced, "2222 completed success: "+noneBlock, "3333 completed success: "+noneBlock)
		// The move is heard of after the push that came later.
		s.pullEventOf(7, "edited", one, 2, map[string]any{"base": map[string]any{"ref": map[string]any{"from": "lax"}}})
		s.blocks(two)
	})
}

// TestLabelsOfSides: the labels of all policies that a commit is judged by matter.
func TestLabelsOfSides(t *testing.T) {
	s := newScene(t, t.TempDir()+"/specgate.db")
	s.Change(func(st githubtest.State) {
		r := st["acme/numbers"]
		deny := func(label string) map[string]string {
			return map[string]string{".specgate.toml": fmt.Sprintf("version = 1\n[scope]\nexecutable-edits = \"deny\"\nallow-executable-edits-label = %q\n", label)}
		}
		r.Commits[baseSHA] = githubtest.Commit{Files: deny("one")}
		r.Commits[lax] = githubtest.Commit{Parents: []string{baseSHA}, Files: deny("two")}
		r.Commits[two] = githubtest.Commit{Parents: []string{lax}}
		r.Pulls[7] = &githubtest.Pull{Head: two, Base: baseSHA, Labels: []string{"one"}}
		r.Pulls[8] = &githubtest.Pull{Head: two, Base: lax, Labels: []string{"two"}}
	})
	s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
		r := found(job, "a")
		r.Report.Findings[0].Rule = "edit/exec-changed"
		return r, nil
	})
	s.start()
	s.post("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{"head_sha": two, "pull_requests": []any{}}})
	s.passes(two)
	s.pullEventOf(7, "ready_for_review", two, 1, nil)
	s.pullEventOf(8, "ready_for_review", two, 1, nil)
	s.passes(two)
	for n, label := range []string{"one", "two"} {
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7+n].Labels = nil })
		s.pullEvent("unlabeled", two, 3, map[string]any{"number": 7 + n, "label": map[string]any{"name": label}})
		s.blocks(two)
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7+n].Labels = []string{label} })
		s.pullEvent("labeled", two, 4, map[string]any{"number": 7 + n, "label": map[string]any{"name": label}})
		s.passes(two)
	}
}

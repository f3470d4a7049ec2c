package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/app"
	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/policy"
	positions "github.com/specgate/specgate/internal/source"
)

// found is a report with a finding for each letter, which is its fingerprint.
func found(job app.Job, letters string) app.Result {
	r := passed(job)
	for _, l := range letters {
		at := positions.Position{Line: 3, Column: 5}
		r.Report.Findings = append(r.Report.Findings, checks.Finding{Rule: "trust/assume", Severity: policy.Error, Symbol: "numbers::" + string(l), File: "src/lib.rs",
			Span: positions.Range{Start: at, End: positions.Position{Line: 3, Column: 9}}, Message: "believes something without proof", Fingerprint: strings.Repeat(string(l), 32)})
		r.Report.Outcome = checks.OutcomeFindings
	}
	return r
}

// finds has every check find the letters of its head.
func (s *scene) finds(letters map[string]string) {
	s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) { return found(job, letters[job.Head]), nil })
}

// run is the newest check run of a commit.
func (s *scene) run(sha string) githubtest.CheckRun {
	s.t.Helper()
	for _, r := range slices.Backward(s.State()["acme/numbers"].CheckRuns) {
		if r.SHA == sha {
			return *r
		}
	}
	s.t.Fatalf("there is no check run of %s", sha)
	return githubtest.CheckRun{}
}

// press presses a button of the newest check run of a commit.
func (s *scene) press(button, sha, login string, id int) {
	s.t.Helper()
	s.post("check_run", map[string]any{"action": "requested_action", "requested_action": map[string]any{"identifier": button},
		"check_run": map[string]any{"id": s.run(sha).ID, "head_sha": sha, "app": map[string]any{"id": apptest.AppID}}, "sender": map[string]any{"login": login, "id": id, "type": "User"}})
}

// remark writes a comment, so long after now.
func (s *scene) remark(pull int, login, body string, after time.Duration, through int64) {
	s.Change(func(st githubtest.State) {
		p := st["acme/numbers"].Pulls[pull]
		p.Comments = append(p.Comments, &githubtest.Comment{ID: int64(1000 + len(p.Comments)), Login: login, Body: body, Created: time.Now().Add(after), App: through})
	})
}

func (s *scene) users() {
	s.Change(func(st githubtest.State) {
		st["acme/numbers"].Users = map[string]githubtest.User{"ada": {ID: 1, Permission: "write"}, "bob": {ID: 2, Permission: "admin"}, "cem": {ID: 3, Permission: "read"},
			"helper[bot]": {ID: 4, Permission: "write"}}
	})
}

// refused waits for the note on the check run of a commit, which is all that changed.
func (s *scene) refused(sha, want string) {
	s.t.Helper()
	var note string
	s.eventually("a note: "+want, func() bool {
		rest, ok := strings.CutPrefix(s.run(sha).Summary, "<!-- specgate note -->\n")
		note, _, _ = strings.Cut(rest, "\n<!-- end of the note -->\n\n")
		return ok && strings.Contains(note, want)
	})
}

const (
	oneBlocks = "1 blocking · nothing proved: no verifier"
	twoBlock  = "2 blocking · nothing proved: no verifier"
	noneBlock = "0 blocking · nothing proved: no verifier"
	// A check run whose annotations are not right any more is replaced by another, since they cannot be taken back.
	replaced = "2222 completed cancelled: Superseded"
)

func buttonNames(r githubtest.CheckRun) string {
	var names []string
	for _, a := range r.Actions {
		names = append(names, a.Label)
	}
	return strings.Join(names, ", ")
}

// TestAccept: what blocks is accepted by who may, with a reason, for one pull request; and by nobody else, in no other way.
func TestAccept(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.users()
		s.finds(map[string]string{one: "ab", two: "abc", three: "ab"})
		s.start()
		s.pull("opened", one, 1, nil)
		s.want("2222 completed action_required: " + twoBlock)
		before := s.run(one)
		if got := buttonNames(before); got != "Re-run, Accept" {
			t.Errorf("buttons: %s", got)
		}

		// No comment, and comments that do not count.
		howTo := "\n>\n> To accept everything that blocks here, for this pull request alone: comment on pull request #7 with a line such as\n>\n>     specgate accept: the caller checks the index\n>\n> and press *Accept*."
		none := "> **`ada` pressed *Accept*, and nothing was accepted.**\n>\n> There is no comment of yours on pull request #7 that begins with `specgate accept:`, gives a reason, and is newer than this check run." + howTo
		s.press("accept", one, "ada", 1)
		s.refused(one, none)
		after := s.run(one)
		after.Summary = before.Summary
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("a refusal changed more than the summary:\n%s", diff)
		}
		s.remark(7, "bob", "specgate accept: I am another person", 2*time.Second, 0)
		s.remark(7, "ada", "specgate accept: before the check", -48*time.Hour, 0)
		s.remark(7, "ada", "specgate accept: by an App in my name", 2*time.Second, 9)
		s.remark(7, "ada", "specgate accept:   ", 2*time.Second, 0)
		s.remark(7, "ada", "I would say specgate accept: no", 2*time.Second, 0)
		s.remark(7, "cem", "specgate accept: I may only read", 2*time.Second, 0)
		s.remark(7, "helper[bot]", "specgate accept: I am none", 2*time.Second, 0)
		s.press("accept", one, "cem", 3)
		onlyWrite := "Only a person with write access to the repository can accept findings. Ask one to write a comment as below, and to press *Accept*." + howTo
		s.refused(one, "> **`cem` pressed *Accept*, and nothing was accepted.**\n>\n> "+onlyWrite)
		s.press("accept", one, "helper[bot]", 4)
		s.refused(one, "> **`helper[bot]` pressed *Accept*, and nothing was accepted.**\n>\n> "+onlyWrite)
		s.press("accept", one, "ada", 2) // a login that belonged to somebody else
		s.refused(one, "> **`ada` pressed *Accept*, and nothing was accepted.**\n>\n> "+onlyWrite)
		s.press("accept", one, "ada", 1)
		s.refused(one, none)
		if n := len(s.checker.ran()); n != 1 {
			t.Errorf("%d checks ran", n)
		}

		s.remark(7, "ada", "specgate accept: not this one", 3*time.Second, 0)
		s.remark(7, "ada", "\n Specgate Accept:  the caller\r\nchecks `x` \u202e | <b>\x07 ", 4*time.Second, 0)
		s.press("accept", one, "ada", 1)
		s.want(replaced, "2222 completed success: "+noneBlock)
		run := s.run(one)
		today := time.Now().UTC().Format(time.DateOnly)
		for _, want := range []string{"2 waived; 0 blocking",
			"- trust/assume in <code>numbers::a</code>: waived by <code>ada on " + today + ": the caller checks \\`x\\` &#124; &lt;b&gt;</code>\n"} {
			if !strings.Contains(run.Summary+run.Text, want) {
				t.Errorf("no %q in\n%s\n%s", want, run.Summary, run.Text)
			}
		}
		if got := buttonNames(run); got != "Re-run" {
			t.Errorf("buttons: %s", got)
		}

		// Pressed once more, by somebody who still sees the old page.
		s.press("accept", one, "ada", 1)
		s.refused(one, "Nothing here can be accepted: no finding blocks, or something could not be checked")

		// A rebase: what was accepted stays so, what is new is not.
		s.pull("synchronize", two, 2, map[string]any{"before": one})
		s.want(replaced, "2222 completed success: "+noneBlock, "3333 completed action_required: "+oneBlocks)

		// Another pull request has the same findings.
		s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[8] = &githubtest.Pull{Head: three, Base: baseSHA} })
		s.post("pull_request", map[string]any{"action": "opened", "number": 8, "pull_request": map[string]any{"number": 8, "state": "open",
			"updated_at": time.Date(2026, 1, 1, 0, 0, 3, 0, time.UTC), "head": map[string]any{"sha": three}}})
		s.want(replaced, "2222 completed success: "+noneBlock, "3333 completed action_required: "+oneBlocks, "4444 completed action_required: "+twoBlock)
		// A comment on one pull request is no word on the other.
		s.press("accept", three, "ada", 1)
		s.refused(three, "There is no comment of yours on pull request #8")
	})
}

// TestAcceptMergeGroup: what was accepted for a pull request, and what its labels allow, holds in the merge queue for it alone.
func TestAcceptMergeGroup(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.users()
		s.finds(map[string]string{one: "a", two: "a", three: "a"})
		s.start()
		s.pull("opened", one, 1, nil)
		s.want("2222 completed action_required: " + oneBlocks)
		s.remark(7, "bob", "specgate accept: reviewed", 2*time.Second, 0)
		s.press("accept", one, "bob", 2)
		s.want(replaced, "2222 completed success: "+noneBlock)
		group := func(sha string, pull int) {
			s.post("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{"head_sha": sha, "base_sha": baseSHA,
				"head_ref": fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-%d-%s", pull, baseSHA)}})
		}
		group(two, 7)
		group(three, 8)
		s.want(replaced, "2222 completed success: "+noneBlock, "3333 completed success: "+noneBlock, "4444 completed action_required: "+oneBlocks)
		if got := buttonNames(s.run(three)); got != "Re-run" {
			t.Errorf("buttons of a merge group: %s", got)
		}
	})
}

// TestAcceptNothingSeen: what could not be checked is accepted by nobody.
func TestAcceptNothingSeen(t *testing.T) {
	s := newScene(t, t.TempDir()+"/specgate.db")
	s.users()
	s.checker.set(func(_ context.Context, job app.Job) (app.Result, error) {
		r := found(job, "a")
		r.Report.Outcome = checks.OutcomeInconclusive
		r.Report.Reasons = []checks.Reason{{Stage: "parse", Text: "src/lib.rs was not parsed"}}
		return r, nil
	})
	s.start()
	s.pull("opened", one, 1, nil)
	s.eventually("a check run", func() bool { return len(s.runs()) == 1 && s.run(one).Status == "completed" })
	if got := buttonNames(s.run(one)); got != "Re-run" {
		t.Errorf("buttons: %s", got)
	}
	s.remark(7, "ada", "specgate accept: whatever it is", 2*time.Second, 0)
	s.press("accept", one, "ada", 1)
	s.refused(one, "Nothing here can be accepted")
	if got := s.run(one).Conclusion; got != "failure" {
		t.Errorf("the conclusion is %s", got)
	}
	// A check run that is not ours, and one of another commit.
	status, text, err := apptest.Send(http.DefaultClient, s.address, s.Event(t, "check_run", "acme/numbers", map[string]any{"action": "requested_action",
		"requested_action": map[string]any{"identifier": "accept"}, "check_run": map[string]any{"id": 999, "head_sha": one}}), nil)
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("%d %s %v", status, text, err)
	}
	s.eventually("it is dropped", func() bool { return strings.Contains(s.log.String(), "ask for check run 999") })
}

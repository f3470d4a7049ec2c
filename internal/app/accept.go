package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/riverqueue/river"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/github"
)

// acceptButton has what blocks a pull request accepted, by somebody who may decide that and has said why.
var acceptButton = github.Action{Label: "Accept", Description: "Accept what blocks, as your comment says", Identifier: "accept"}

// acceptPrefix is how a comment begins that gives the reason.
const acceptPrefix = "specgate accept:"

// maxReason is the most characters of a reason that are kept.
const maxReason = 300

// blocked is a finding that blocks a pull request.
type blocked struct {
	pull        int
	fingerprint string
}

// blocking are the findings of a side that a person can accept. There are none if something was not checked: nobody has seen what is to be accepted.
// A merge group has none of its own: what its pull request was accepted for holds for it.
func (s *side) blocking() []blocked {
	if s.judged.Report.Outcome != checks.OutcomeFindings {
		return nil
	}
	var all []blocked
	for _, p := range s.pulls {
		for i := range s.judged.Report.Findings {
			f := &s.judged.Report.Findings[i]
			if b := (blocked{p.Number, f.Fingerprint}); f.Waived == nil && s.judged.Policy.Gate.FailOn.Reached(f.Severity) && !slices.Contains(all, b) {
				all = append(all, b)
			}
		}
	}
	return all
}

// putBlocking stores what the check run of a head says that blocks, in the place of what it said before.
func putBlocking(ctx context.Context, t tx, head int64, all []blocked) error {
	if _, err := t.exec(ctx, "DELETE FROM specgate_blocking WHERE head = $1", head); err != nil {
		return err
	}
	for _, b := range all {
		if _, err := t.exec(ctx, "INSERT INTO specgate_blocking (head, pull, fingerprint) VALUES ($1, $2, $3)", head, int64(b.pull), b.fingerprint); err != nil {
			return err
		}
	}
	return nil
}

func getBlocking(ctx context.Context, t tx, head int64) (all []blocked, err error) {
	err = t.each(ctx, "SELECT pull, fingerprint FROM specgate_blocking WHERE head = $1 ORDER BY pull, fingerprint", []any{head}, func(scan func(...any) error) error {
		var b blocked
		var pull int64
		err := scan(&pull, &b.fingerprint)
		b.pull = int(pull)
		all = append(all, b)
		return err
	})
	return all, err
}

// reasonOf is the reason that a comment gives; ok is false if it is no such comment. It is one line, without characters that are not seen.
func reasonOf(body string) (reason string, ok bool) {
	body = strings.TrimSpace(body)
	if len(body) < len(acceptPrefix) || !strings.EqualFold(body[:len(acceptPrefix)], acceptPrefix) {
		return "", false
	}
	text := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsGraphic(c):
			return -1
		}
		return c
	}, strings.ToValidUTF8(body[len(acceptPrefix):], ""))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxReason {
		runes = append(runes[:maxReason-1], '…')
	}
	return string(runes), len(runes) > 0
}

// reasonBy is the reason in the newest comment of a person that gives one and was written after a time.
func reasonBy(remarks []github.Remark, author int64, after time.Time) (reason string, found bool) {
	var newest github.Remark
	for _, k := range remarks {
		text, ok := reasonOf(k.Body)
		if !ok || k.Author != author || !k.Created.After(after) || found && (k.Created.Before(newest.Created) || k.Created.Equal(newest.Created) && k.ID < newest.ID) {
			continue
		}
		newest, reason, found = k, text, true
	}
	return reason, found
}

// accept does what the button asks for: everything that the check run says blocks is accepted, for each pull request whose head the commit is,
// if the one who pressed it may write to the repository and has given a reason there. If not the check run says what to do.
//
// It can be done again: what is accepted already stays as it is, and a head that is checked anew by then is left alone.
func (a *App) accept(ctx context.Context, h head, p buttonArgs) error {
	drop := func(format string, args ...any) error {
		err := fmt.Errorf("accept what blocks %s in %s, for %q: %s", h.sha, h.name, p.Sender, fmt.Sprintf(format, args...))
		a.log.Warn("what a button asks for is not done", "error", err)
		return river.JobCancel(err)
	}
	repo, err := github.ParseRepo(h.name)
	if err != nil {
		return drop("%v", err)
	}
	client, err := a.clients.get(repo, h.installation, false)
	if err != nil {
		return err
	}
	run, err := client.Run(ctx, repo, p.CheckRun)
	switch {
	case errors.Is(err, github.ErrNotFound):
		return drop("%v", err)
	case err != nil:
		return err
	case run.Name != checkName || run.SHA != h.sha:
		return drop("check run %d is %q of %s", run.ID, run.Name, run.SHA)
	case !run.Completed:
		return drop("check run %d is in progress again", run.ID)
	case run.Conclusion == resultCancelled, !run.Newest:
		return drop("check run %d does not say what blocks: it was cancelled, or another took its place", run.ID)
	}
	var all []blocked
	if err := a.db.within(ctx, func(t tx) (err error) { all, err = getBlocking(ctx, t, h.id); return err }); err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		a.log.Info("nothing was accepted", "repo", h.name, "head", h.sha, "by", p.Sender, "why", fmt.Sprintf(format, args...))
		err := client.Note(ctx, repo, p.CheckRun, refusal(p.Sender, fmt.Sprintf(format, args...)), buttonsOf(all))
		if errors.Is(err, github.ErrNotFound) {
			return drop("%v", err)
		}
		return err
	}
	if p.Asked != h.asked || !h.isDone() {
		return refuse("The commit was checked again since the button was pressed, or is being checked again, so what blocks is not what was seen. Look at it, and press *Accept* again.")
	}
	if len(all) == 0 {
		return refuse("Nothing here can be accepted: no finding blocks, or something could not be checked, which nobody can accept without seeing it. *Re-run* checks again.")
	}
	may, err := client.MayWrite(ctx, repo, p.Sender, p.SenderID)
	if err != nil {
		return err
	}
	if !may {
		return refuse("Only a person with write access to the repository can accept findings. Ask one to write a comment as below, and to press *Accept*.\n\n%s", howTo(all))
	}
	reasons := map[int]string{}
	for _, b := range all {
		if _, done := reasons[b.pull]; done {
			continue
		}
		remarks, err := client.Remarks(ctx, repo, b.pull)
		if err != nil {
			return err
		}
		reason, found := reasonBy(remarks, p.SenderID, run.Started)
		if !found {
			return refuse("There is no comment of yours on pull request #%d that begins with `%s`, gives a reason, and is newer than this check run.\n\n%s", b.pull, acceptPrefix, howTo(all))
		}
		reasons[b.pull] = reason
	}
	return a.db.within(ctx, func(t tx) error {
		if err := lockRepo(ctx, t, h.repo); err != nil {
			return err
		}
		now, err := headByID(ctx, t, h.id)
		if err != nil {
			return err
		}
		still, err := getBlocking(ctx, t, h.id)
		if err != nil {
			return err
		}
		if now.asked != h.asked || !now.isDone() || !slices.Equal(all, still) {
			return drop("something else was asked of it meanwhile; press again")
		}
		for pull, reason := range reasons {
			var some []Acceptance
			for _, b := range all {
				if b.pull == pull {
					some = append(some, Acceptance{Fingerprint: b.fingerprint, Who: p.Sender, Reason: reason, At: a.now()})
				}
			}
			if err := accept(ctx, t, h.repo, pull, some); err != nil {
				return err
			}
		}
		return want(ctx, t, h.repo, h.sha, "", again, a.now())
	})
}

// buttonsOf are the buttons of a check run that says that these block.
func buttonsOf(all []blocked) []github.Action {
	if len(all) == 0 {
		return []github.Action{rerunButton}
	}
	return []github.Action{rerunButton, acceptButton}
}

// refusal is the note on a check run of which nothing was accepted.
func refusal(login, why string) string {
	login = strings.Map(func(c rune) rune {
		if c == '`' || c < ' ' || c > '~' {
			return -1
		}
		return c
	}, login)
	var note strings.Builder
	fmt.Fprintf(&note, "> **`%s` pressed *Accept*, and nothing was accepted.**\n>", login)
	for line := range strings.SplitSeq(why, "\n") {
		note.WriteString(strings.TrimRight("\n> "+line, " "))
	}
	return note.String()
}

// howTo says how what blocks is accepted.
func howTo(all []blocked) string {
	var pulls []string
	for _, b := range all {
		if name := fmt.Sprintf("#%d", b.pull); !slices.Contains(pulls, name) {
			pulls = append(pulls, name)
		}
	}
	where := "pull request " + pulls[0]
	if len(pulls) > 1 {
		where = "each of the pull requests " + strings.Join(pulls, ", ")
	}
	return fmt.Sprintf("To accept everything that blocks here, for this pull request alone: comment on %s with a line such as\n\n    %s the caller checks the index\n\nand press *Accept*.", where, acceptPrefix)
}

// waiverOf is how an acceptance is named where its finding is shown.
func waiverOf(a Acceptance) checks.WaiverRef {
	return checks.WaiverRef{ID: a.Who + " on " + a.At.UTC().Format(time.DateOnly) + ": " + a.Reason}
}

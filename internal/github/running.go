package github

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/go-github/v60/github"
)

// RestartCheck is StartCheck of results that are to come anew: a run that is completed is in progress again until CompleteCheck.
func (c *Client) RestartCheck(ctx context.Context, r Repo, check Check) (Posted, error) {
	posted, err := c.StartCheck(ctx, r, check)
	if err != nil || posted.Written {
		return posted, err
	}
	err = c.converge(ctx, func(ctx context.Context) error {
		run, err := c.newest(ctx, r, check)
		if err != nil || run == nil || run.GetStatus() != "completed" {
			return err
		}
		posted.Written = true
		_, _, err = c.api.Checks.UpdateCheckRun(ctx, r.owner, r.name, run.GetID(), github.UpdateCheckRunOptions{
			Name: check.Name, ExternalID: github.String(check.ExternalID), DetailsURL: optional(check.DetailsURL), Status: github.String("in_progress"),
		})
		return failure(fmt.Sprintf("start check run %d (%q) in %s again", run.GetID(), check.Name, r), err)
	})
	return posted, err
}

// CancelCheck sees to it that no run of that name and external id is in progress on the commit, and that there is one: those that are not
// completed end as cancelled, with a title and a summary, and if there is none one is made. Completed ones stay as they are. A cancelled run
// does not pass where a check is required.
func (c *Client) CancelCheck(ctx context.Context, r Repo, check Check, title, summary string) (Posted, error) {
	if err := check.valid(r); err != nil {
		return Posted{}, err
	}
	if title == "" || utf8.RuneCountInString(title) > maxTitle || summary == "" || len(summary) > maxSummary {
		return Posted{}, &InputError{fmt.Errorf("cancel check run %q: the title needs 1 to %d characters, and the summary 1 to %d bytes", check.Name, maxTitle, maxSummary)}
	}
	output := &github.CheckRunOutput{Title: github.String(title), Summary: github.String(summary)}
	now := c.now()
	var posted Posted
	err := c.converge(ctx, func(ctx context.Context) error {
		runs, err := c.runs(ctx, r, check)
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			run, _, err := c.api.Checks.CreateCheckRun(ctx, r.owner, r.name, github.CreateCheckRunOptions{
				Name: check.Name, HeadSHA: check.SHA, ExternalID: github.String(check.ExternalID), DetailsURL: optional(check.DetailsURL),
				Status: github.String("completed"), Conclusion: github.String("cancelled"), StartedAt: now, CompletedAt: now, Output: output,
			})
			if err != nil {
				return failure(fmt.Sprintf("create check run %q on %s in %s", check.Name, check.SHA, r), err)
			}
			posted = Posted{ID: run.GetID(), URL: run.GetHTMLURL(), Written: true}
			return nil
		}
		for _, run := range runs {
			posted.ID, posted.URL = run.GetID(), run.GetHTMLURL()
			if run.GetStatus() == "completed" {
				continue
			}
			posted.Written = true
			_, _, err := c.api.Checks.UpdateCheckRun(ctx, r.owner, r.name, run.GetID(), github.UpdateCheckRunOptions{
				Name: check.Name, ExternalID: github.String(check.ExternalID), DetailsURL: optional(check.DetailsURL),
				Status: github.String("completed"), Conclusion: github.String("cancelled"), CompletedAt: now, Output: output,
			})
			if err != nil {
				return failure(fmt.Sprintf("cancel check run %d (%q) in %s", run.GetID(), check.Name, r), err)
			}
		}
		return nil
	})
	return posted, err
}

// Run is a check run of the App's own as GitHub knows it.
type Run struct {
	ID   int64
	Name string
	SHA  string
	// Completed: it is not in progress. Conclusion is GitHub's word.
	Completed  bool
	Conclusion string
	// Started is when it was begun, whatever has been written to it since.
	Started time.Time
	// Newest: no other one of that name and external id on the commit was made after it.
	Newest bool
}

// Run asks for a check run. One of another App is ErrNotFound.
func (c *Client) Run(ctx context.Context, r Repo, id int64) (Run, error) {
	run, err := c.ownRun(ctx, r, id)
	if err != nil {
		return Run{}, err
	}
	newest, err := c.newest(ctx, r, Check{Name: run.GetName(), SHA: run.GetHeadSHA(), ExternalID: run.GetExternalID()})
	if err != nil {
		return Run{}, err
	}
	return Run{Newest: newest != nil && newest.GetID() == id, ID: run.GetID(), Name: run.GetName(), SHA: run.GetHeadSHA(), Completed: run.GetStatus() == "completed", Conclusion: run.GetConclusion(),
		Started: run.GetStartedAt().Time}, nil
}

func (c *Client) ownRun(ctx context.Context, r Repo, id int64) (*github.CheckRun, error) {
	what := fmt.Sprintf("ask for check run %d of %s", id, r)
	if err := valid(r); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	run, _, err := c.api.Checks.GetCheckRun(ctx, r.owner, r.name, id)
	if err != nil {
		return nil, failure(what, err)
	}
	if run.GetID() != id || c.appID != 0 && run.GetApp().GetID() != c.appID {
		return nil, fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	if err := CheckSHA(run.GetHeadSHA()); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return run, nil
}

// The marks around a note at the beginning of a summary, by which it is found again.
const (
	noteBegin = "<!-- specgate note -->\n"
	noteEnd   = "\n<!-- end of the note -->\n\n"
)

// Note puts a note, in Markdown, before the summary of a check run that is completed, in the place of an earlier one. All else stays as it is;
// actions are the buttons that it has. A later CompleteCheck writes the summary anew.
func (c *Client) Note(ctx context.Context, r Repo, id int64, note string, actions []Action) error {
	what := fmt.Sprintf("put a note on check run %d of %s", id, r)
	if note == "" || len(note) > maxSummary/4 || strings.Contains(note, "<!--") {
		return &InputError{fmt.Errorf("%s: it needs 1 to %d bytes and no HTML comment", what, maxSummary/4)}
	}
	return c.converge(ctx, func(ctx context.Context) error {
		run, err := c.ownRun(ctx, r, id)
		if err != nil {
			return err
		}
		if run.GetStatus() != "completed" {
			return nil // what it says will be written anew
		}
		out := run.GetOutput()
		summary := out.GetSummary()
		if rest, ok := strings.CutPrefix(summary, noteBegin); ok {
			_, summary, _ = strings.Cut(rest, noteEnd)
		}
		summary = noteBegin + note + noteEnd + summary
		if len(summary) > maxSummary {
			const left = "\n\nThe rest is left out for want of room.\n"
			summary = strings.ToValidUTF8(summary[:maxSummary-len(left)], "") + left
		}
		if summary == out.GetSummary() {
			return nil
		}
		_, _, err = c.api.Checks.UpdateCheckRun(ctx, r.owner, r.name, id, github.UpdateCheckRunOptions{Name: run.GetName(), Actions: buttons(actions),
			Output: &github.CheckRunOutput{Title: github.String(out.GetTitle()), Summary: github.String(summary), Text: optional(out.GetText())}})
		return failure(what, err)
	})
}

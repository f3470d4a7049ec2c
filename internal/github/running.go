package github

import (
	"context"
	"fmt"
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
	now := &github.Timestamp{Time: c.clock.Now().UTC().Truncate(time.Second)}
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

// AppSlug asks GitHub what the App is called that o.App.ID and the key are of. ErrUnauthorized says that they do not belong together, or are
// of no App. o.App needs neither an installation nor a repository.
func AppSlug(ctx context.Context, o Options) (string, error) {
	hook, err := NewWebhook(o)
	if err != nil {
		return "", err
	}
	got, _, err := hook.c.app.Apps.Get(ctx, "")
	if err != nil {
		return "", failure("ask for the name of the App", err)
	}
	if got.GetID() != o.App.ID {
		return "", fmt.Errorf("ask for the name of App %d: GitHub answers with App %d", o.App.ID, got.GetID())
	}
	return got.GetSlug(), nil
}

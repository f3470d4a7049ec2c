package github

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
)

// loginPattern is that of people: letters, digits and dashes, and an underscore where an enterprise manages them. Those of Apps end in [bot].
var loginPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// MayWrite tells whether a user is a person who may write to a repository, themselves or by a team: the permission is write or admin
// (docs.github.com, "REST API endpoints for collaborators": maintain counts as write, triage as read). id is the number that GitHub knows the
// user by, as a login can change hands. No App is a person.
func (c *Client) MayWrite(ctx context.Context, r Repo, login string, id int64) (bool, error) {
	what := fmt.Sprintf("ask for the permission of %q in %s", login, r)
	if err := valid(r); err != nil {
		return false, fmt.Errorf("%s: %w", what, err)
	}
	if strings.HasSuffix(login, "[bot]") {
		return false, nil
	}
	if !loginPattern.MatchString(login) || id < 1 {
		return false, fmt.Errorf("%s: it is not the login of a person", what)
	}
	level, _, err := c.api.Repositories.GetPermissionLevel(ctx, r.owner, r.name, login)
	if err = failure(what, err); errors.Is(err, ErrNotFound) {
		return false, nil // there is no such user (any more)
	}
	if err != nil {
		return false, err
	}
	user := level.GetUser()
	return user.GetID() == id && user.GetType() == "User" && (level.GetPermission() == "write" || level.GetPermission() == "admin"), nil
}

// Remark is a comment on a pull request that a person wrote.
type Remark struct {
	ID int64
	// Author is the number that GitHub knows the user by.
	Author  int64
	Created time.Time
	Body    string
}

// Remarks are the comments on a pull request, but for those of Apps, also of Apps that write in the name of a person.
func (c *Client) Remarks(ctx context.Context, r Repo, number int) ([]Remark, error) {
	what := fmt.Sprintf("list the comments on pull request %d of %s", number, r)
	if err := valid(r); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if number < 1 {
		return nil, fmt.Errorf("%s: the number must be at least 1", what)
	}
	// The library's type does not have all of the keys.
	type comment struct {
		github.IssueComment
		App *struct {
			ID int64 `json:"id"`
		} `json:"performed_via_github_app"`
	}
	all, err := list(func(page github.ListOptions) ([]*comment, *github.Response, error) {
		req, err := c.api.NewRequest("GET", fmt.Sprintf("repos/%s/%s/issues/%d/comments?per_page=%d&page=%d", r.owner, r.name, number, page.PerPage, page.Page), nil)
		if err != nil {
			return nil, nil, err
		}
		var some []*comment
		resp, err := c.api.Do(ctx, req, &some)
		return some, resp, err
	})
	if err != nil {
		return nil, failure(what, err)
	}
	var out []Remark
	for _, k := range all {
		if k.App == nil && k.GetUser().GetType() == "User" && k.GetUser().GetID() > 0 {
			out = append(out, Remark{ID: k.GetID(), Author: k.GetUser().GetID(), Created: k.GetCreatedAt().Time, Body: k.GetBody()})
		}
	}
	return out, nil
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
		o := github.UpdateCheckRunOptions{Name: run.GetName(), Output: &github.CheckRunOutput{Title: github.String(out.GetTitle()), Summary: github.String(summary), Text: optional(out.GetText())}}
		for _, a := range actions {
			o.Actions = append(o.Actions, &github.CheckRunAction{Label: a.Label, Description: a.Description, Identifier: a.Identifier})
		}
		_, _, err = c.api.Checks.UpdateCheckRun(ctx, r.owner, r.name, id, o)
		return failure(what, err)
	})
}

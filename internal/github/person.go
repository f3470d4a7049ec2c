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

package github

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"

	"github.com/google/go-github/v60/github"
)

// Pull is a pull request as GitHub knows it.
type Pull struct {
	Number int
	// Head and Base are commits: what is to be merged, and the tip of the branch that it is to be merged into.
	Head, Base string
	// Into is the branch that it is to be merged into; empty: the default branch.
	Into   string
	Open   bool
	Labels []string
}

// Pull asks for a pull request.
func (c *Client) Pull(ctx context.Context, r Repo, number int) (Pull, error) {
	what := fmt.Sprintf("ask for pull request %d of %s", number, r)
	if err := valid(r); err != nil {
		return Pull{}, fmt.Errorf("%s: %w", what, err)
	}
	if number < 1 {
		return Pull{}, fmt.Errorf("%s: the number must be at least 1", what)
	}
	pull, _, err := c.api.PullRequests.Get(ctx, r.owner, r.name, number)
	if err != nil {
		return Pull{}, failure(what, err)
	}
	p, err := readPull(pull)
	if err != nil {
		return Pull{}, fmt.Errorf("%s: %w", what, err)
	}
	if p.Number != number {
		return Pull{}, fmt.Errorf("%s: GitHub answers with number %d", what, p.Number)
	}
	return p, nil
}

func readPull(pull *github.PullRequest) (Pull, error) {
	p := Pull{Number: pull.GetNumber(), Head: pull.GetHead().GetSHA(), Base: pull.GetBase().GetSHA(), Open: pull.GetState() == "open"}
	into, usual := pull.GetBase().GetRef(), pull.GetBase().GetRepo().GetDefaultBranch()
	if into == "" || usual == "" {
		return Pull{}, fmt.Errorf("GitHub does not say which branch pull request %d is to be merged into", p.Number)
	}
	if into != usual {
		p.Into = into
	}
	for _, l := range pull.Labels {
		p.Labels = append(p.Labels, l.GetName())
	}
	for _, sha := range []string{p.Head, p.Base} {
		if err := CheckSHA(sha); err != nil {
			return Pull{}, err
		}
	}
	return p, nil
}

// Pulls are the open pull requests whose head is a commit. An event about a push to a fork does not name them (docs.github.com, "REST API
// endpoints for check runs"), so they are looked for by the commit.
func (c *Client) Pulls(ctx context.Context, r Repo, sha string) ([]Pull, error) {
	what := fmt.Sprintf("look for pull requests of %s in %s", sha, r)
	if err := valid(r, sha); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	all, err := list(func(o github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		return c.api.PullRequests.ListPullRequestsWithCommit(ctx, r.owner, r.name, sha, &o)
	})
	if err != nil {
		return nil, failure(what, err)
	}
	var out []Pull
	for _, pull := range all {
		p, err := readPull(pull)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		if p.Open && p.Head == sha {
			out = append(out, p)
		}
	}
	return out, nil
}

// fresh fails with a StaleError unless the head of the pull request is still sha.
func (c *Client) fresh(ctx context.Context, r Repo, number int, sha string) error {
	p, err := c.Pull(ctx, r, number)
	if err != nil {
		return err
	}
	if p.Head != sha {
		return &StaleError{Pull: number, Want: sha, Head: p.Head}
	}
	return nil
}

// MergeBase is the best common ancestor of two commits, the base that a change of one into the other is judged by.
func (c *Client) MergeBase(ctx context.Context, r Repo, base, head string) (string, error) {
	what := fmt.Sprintf("ask for the merge base of %s and %s in %s", base, head, r)
	if err := valid(r, base, head); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	compared, _, err := c.api.Repositories.CompareCommits(ctx, r.owner, r.name, base, head, &github.ListOptions{PerPage: 1})
	if err != nil {
		return "", failure(what, err)
	}
	sha := compared.GetMergeBaseCommit().GetSHA()
	if err := CheckSHA(sha); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return sha, nil
}

// DefaultBranch is the commit at the tip of the repository's default branch.
func (c *Client) DefaultBranch(ctx context.Context, r Repo) (string, error) {
	what := "ask for the default branch of " + r.String()
	if err := valid(r); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	commit, _, err := c.api.Repositories.GetCommitSHA1(ctx, r.owner, r.name, "HEAD", "")
	if err != nil {
		return "", failure(what, err)
	}
	if err := CheckSHA(commit); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return commit, nil
}

var pathPattern = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// File is the text of a file of a commit; ok is false if there is none. It must be a plain file of at most 1 MB, as larger ones have no text
// in this answer (docs.github.com, "REST API endpoints for repository contents").
func (c *Client) File(ctx context.Context, r Repo, sha, name string) (text []byte, ok bool, err error) {
	what := fmt.Sprintf("read %s of commit %s of %s", name, sha, r)
	if err := valid(r, sha); err != nil {
		return nil, false, fmt.Errorf("%s: %w", what, err)
	}
	if !fs.ValidPath(name) || !pathPattern.MatchString(name) {
		return nil, false, fmt.Errorf("%s: it is not the path of a file, of letters, digits, - _ . and /", what)
	}
	content, dir, resp, err := c.api.Repositories.GetContents(ctx, r.owner, r.name, name, &github.RepositoryContentGetOptions{Ref: sha})
	switch {
	case err != nil && resp != nil && resp.StatusCode == http.StatusNotFound:
		return nil, false, nil
	case err != nil:
		return nil, false, failure(what, err)
	case dir != nil || content.GetType() != "file" || content.GetEncoding() != "base64" || content.Target != nil:
		return nil, false, fmt.Errorf("%s: it is not a plain file of at most 1 MB", what)
	}
	decoded, err := content.GetContent()
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", what, err)
	}
	return []byte(decoded), true, nil
}

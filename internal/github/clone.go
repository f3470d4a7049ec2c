package github

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"
)

// CloneURL is where git finds a repository of the GitHub whose API is at base (empty: DefaultBaseURL). On github.com, and on a host of
// its own on ghe.com, the API is at api.HOST; on an Enterprise Server at HOST/api/v3 (docs.github.com, "Getting started with the REST API").
func CloneURL(base string, r Repo) (string, error) {
	if err := r.valid(); err != nil {
		return "", err
	}
	u, err := parseBase(base)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + strings.TrimPrefix(u.Host, "api.") + "/" + r.String() + ".git", nil
}

// ContentsToken asks for a token that can read the contents of the App's repository and nothing else, for git to fetch with. It is good for
// an hour. A client with a token of its own gives that.
func (c *Client) ContentsToken(ctx context.Context) (string, error) {
	if c.app == nil {
		return c.token, nil
	}
	what := fmt.Sprintf("ask for a token to read %s", c.repo)
	token, _, err := c.app.Apps.CreateInstallationToken(ctx, c.installation, &github.InstallationTokenOptions{
		Repositories: []string{c.repo.name}, Permissions: &github.InstallationPermissions{Contents: github.String("read")}})
	if err != nil {
		return "", failure(what, err)
	}
	if token.GetToken() == "" {
		return "", errors.New(what + ": GitHub gives none")
	}
	return token.GetToken(), nil
}

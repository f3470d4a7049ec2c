// Package github puts results onto GitHub: check runs with annotations, one comment that is kept up to date, and review comments.
//
// Everything it does can be done again: it reads what is there, compares, and writes only what is missing, so a run that was cut off, an
// answer that was lost and a re-run all end in the same state. What it reads is checked, and its token is sent to one host only.
package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
)

// DefaultBaseURL is the API of github.com. That of an Enterprise Server is https://HOST/api/v3, as GITHUB_API_URL says it there.
const DefaultBaseURL = "https://api.github.com"

// Options of a client. Exactly one of Token and App is set.
type Options struct {
	// BaseURL of the API; empty: DefaultBaseURL. It must be https, or http on this machine.
	BaseURL string
	// Token of a job of GitHub Actions, or one of the same kind.
	Token string
	// App signs in as an installation of an App.
	App *App
	// Login is the name under which the client's comments appear; empty: it is asked for.
	Login string
	// UserAgent names the program, as GitHub requires of every request.
	UserAgent string
	// Transport sends requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Clock waits between attempts; nil: the time of this machine.
	Clock Clock
	// RequestTimeout is the longest that one attempt may take, its answer included; 0: 30 s.
	RequestTimeout time.Duration
	// MaxWait is the longest that one request, or one change, waits between attempts, all together; 0: 5 min.
	MaxWait time.Duration
	// Log says what is tried again; nil: nothing is logged.
	Log *slog.Logger
}

// App is an installation of a GitHub App.
type App struct {
	ID, InstallationID int64
	// PrivateKey is the App's RSA key in PEM.
	PrivateKey []byte
	// Repository is the only one that the tokens are good for. They can write checks and read contents and pull requests, no more.
	Repository Repo
	// Comments: the tokens can write comments on pull requests, too.
	Comments bool
}

// Clock is the time, so that tests need not wait.
type Clock interface {
	Now() time.Time
	// Sleep returns when the time is over, or with the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Client of one GitHub. It may be used by several goroutines.
type Client struct {
	api   *github.Client
	app   *github.Client // signed in as the App itself; nil with a token
	appID int64          // 0 with a token
	// What ContentsToken needs: the installation and its repository, or the token.
	installation int64
	repo         Repo
	token        string
	clock        Clock
	wait         time.Duration
	log          *slog.Logger

	mu    sync.Mutex
	login string
}

// New makes a client. It asks GitHub nothing yet.
func New(o Options) (*Client, error) {
	if (o.Token == "") == (o.App == nil) {
		return nil, errors.New("sign in to GitHub: want either a token or the key of an App")
	}
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	g := &guard{next: o.Transport, base: base, clock: o.Clock, timeout: o.RequestTimeout, maxWait: o.MaxWait, log: o.Log, agent: o.UserAgent}
	if g.next == nil {
		g.next = http.DefaultTransport
	}
	if g.clock == nil {
		g.clock = machineClock{}
	}
	if g.timeout == 0 {
		g.timeout = 30 * time.Second
	}
	if g.maxWait == 0 {
		g.maxWait = 5 * time.Minute
	}
	if g.log == nil {
		g.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	c := &Client{clock: g.clock, wait: g.maxWait, log: g.log, login: o.Login}
	if o.App == nil {
		c.api, c.token = newAPI(bearer{g, o.Token}, g), o.Token
		return c, nil
	}
	if err := o.App.Repository.valid(); err != nil {
		return nil, fmt.Errorf("sign in as App %d: %w", o.App.ID, err)
	}
	signer, err := ghinstallation.NewAppsTransport(g, o.App.ID, o.App.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("read the key of App %d: %w", o.App.ID, err)
	}
	signer.BaseURL = strings.TrimSuffix(base.String(), "/")
	installation := ghinstallation.NewFromAppsTransport(signer, o.App.InstallationID)
	pulls := "read"
	if o.App.Comments {
		pulls = "write"
	}
	installation.InstallationTokenOptions = &github.InstallationTokenOptions{
		Repositories: []string{o.App.Repository.name},
		Permissions: &github.InstallationPermissions{
			Checks: github.String("write"), Contents: github.String("read"), PullRequests: github.String(pulls),
		},
	}
	c.api, c.app, c.appID = newAPI(installation, g), newAPI(signer, g), o.App.ID
	c.installation, c.repo = o.App.InstallationID, o.App.Repository
	return c, nil
}

func newAPI(t http.RoundTripper, g *guard) *github.Client {
	api := github.NewClient(&http.Client{Transport: t, CheckRedirect: g.redirect})
	api.BaseURL = g.base
	return api
}

// bearer adds a token; the guard sees to it that it goes to one host only.
type bearer struct {
	next  http.RoundTripper
	token string
}

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(req)
}

// CheckBaseURL refuses what Options.BaseURL does not take.
func CheckBaseURL(text string) error {
	_, err := parseBase(text)
	return err
}

func parseBase(text string) (*url.URL, error) {
	if text == "" {
		text = DefaultBaseURL
	}
	base, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the address of GitHub's API: %w", err)
	}
	local := base.Scheme == "http" && (base.Hostname() == "127.0.0.1" || base.Hostname() == "::1" || base.Hostname() == "localhost")
	if base.Host == "" || base.Scheme != "https" && !local || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("read the address of GitHub's API %q: want https://HOST, and a path if it needs one, such as https://HOST/api/v3", text)
	}
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	return base, nil
}

// Repo is a repository. The zero value is invalid.
type Repo struct{ owner, name string }

var (
	ownerPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)
	namePattern  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	shaPattern   = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
)

// ParseRepo reads OWNER/NAME.
func ParseRepo(text string) (Repo, error) {
	owner, name, _ := strings.Cut(text, "/")
	r := Repo{owner, name}
	if r.valid() != nil {
		return Repo{}, fmt.Errorf("read repository %q: want OWNER/NAME, of letters, digits, `-`, `_` and `.` alone", text)
	}
	return r, nil
}

func (r Repo) valid() error {
	// A name of dots would be resolved as a path when the request is made.
	if !ownerPattern.MatchString(r.owner) || !namePattern.MatchString(r.name) || r.name == "." || r.name == ".." {
		return fmt.Errorf("%q is no repository", r.String())
	}
	return nil
}

// String is OWNER/NAME.
func (r Repo) String() string { return r.owner + "/" + r.name }

// CheckSHA refuses what is not the full hash of a commit, in lower-case hexadecimal digits.
func CheckSHA(text string) error {
	if !shaPattern.MatchString(text) {
		return fmt.Errorf("%q is not the full hash of a commit", text)
	}
	return nil
}

// valid checks every part of the path of a request.
func valid(r Repo, shas ...string) error {
	if err := r.valid(); err != nil {
		return err
	}
	for _, s := range shas {
		if err := CheckSHA(s); err != nil {
			return err
		}
	}
	return nil
}

// Login is the name under which the client's comments appear.
func (c *Client) Login(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.login != "" {
		return c.login, nil
	}
	if c.app != nil {
		app, _, err := c.app.Apps.Get(ctx, "")
		if err != nil {
			return "", failure("ask for the name of the App", err)
		}
		c.login = app.GetSlug() + "[bot]"
		return c.login, nil
	}
	user, _, err := c.api.Users.Get(ctx, "")
	switch err = failure("ask for the name behind the token", err); {
	case err == nil:
		c.login = user.GetLogin()
	case errors.Is(err, ErrReadOnly):
		// The token of a job may not ask that ("Resource not accessible by integration"), and comments as this one.
		c.login = "github-actions[bot]"
	default:
		return "", err
	}
	if c.login == "" {
		return "", errors.New("ask for the name behind the token: GitHub names nobody")
	}
	return c.login, nil
}

// maxPages bounds every list: 100 entries each.
const maxPages = 100

// list reads all pages of a list.
func list[T any](page func(o github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	var all []T
	o := github.ListOptions{PerPage: 100, Page: 1}
	for range maxPages {
		some, response, err := page(o)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if response.NextPage == 0 {
			return all, nil
		}
		o.Page = response.NextPage
	}
	return nil, fmt.Errorf("the list has more than %d pages of %d", maxPages, o.PerPage)
}

// converge takes steps until one is done, or the time for waiting is over. A step reads what is there before it writes, so it does no harm
// when the one before was done after all and only its answer was lost.
func (c *Client) converge(ctx context.Context, step func(context.Context) error) error {
	left := c.wait
	for n := 0; ; n++ {
		err := step(ctx)
		var lost *LostError
		if err == nil || !errors.As(err, &lost) || lost.final || ctx.Err() != nil {
			return err
		}
		pause := backoff(n)
		if pause > left {
			return err
		}
		left -= pause
		c.log.Warn("write to GitHub again", "after", pause, "error", err)
		if sleepErr := c.clock.Sleep(ctx, pause); sleepErr != nil {
			return errors.Join(err, sleepErr)
		}
	}
}

// backoff is 1 s, 2 s, 4 s, up to 30 s.
func backoff(n int) time.Duration { return min(time.Second<<min(n, 5), 30*time.Second) }

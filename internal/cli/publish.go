package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/specgate/specgate/internal/action"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/publish"
)

type publishCmd struct {
	Report   string        `arg:"" help:"File that check --format json wrote."`
	Repo     string        `placeholder:"OWNER/NAME" env:"GITHUB_REPOSITORY" help:"Repository on GitHub. Default: GITHUB_REPOSITORY."`
	SHA      string        `name:"sha" placeholder:"SHA" help:"Commit that the report must be about, in full. Default: the head commit of the event that GITHUB_EVENT_NAME and GITHUB_EVENT_PATH tell of."`
	PR       int           `name:"pr" placeholder:"N" help:"Pull request that the commit is the head of. Default: the open one, if there is one."`
	Wait     time.Duration `placeholder:"DURATION" default:"5m" help:"The longest to wait for GitHub when it is down, or asks to come back later. Default: 5m."`
	Comments string        `placeholder:"off|sticky|review" help:"Comments on the pull request. Default: report.comments of the policy."`
}

// Help is shown below the flags.
func (publishCmd) Help() string {
	return `Puts a report that another job wrote onto GitHub: a check run on the commit, and comments as the policy says. The report is not trusted: it is checked, the commits are compared with what GitHub says, and findings are judged anew by the policy of the base commit. The token is read from GITHUB_TOKEN and needs checks: write, contents: read and pull-requests: read, or write for comments; the API is that of GITHUB_API_URL.

Examples:

    specgate publish report.json
    specgate publish report.json --repo acme/numbers --sha "$SHA" --pr 7 --comments sticky

Exit codes: 0 clean, 1 findings at or above the policy's fail-on, 2 a usage error or a report that is not taken, 3 could not complete.`
}

func (c *publishCmd) Run(r *run) error {
	comments := policy.Comments(c.Comments)
	if known := []policy.Comments{"", policy.CommentsOff, policy.CommentsSticky, policy.CommentsReview}; !slices.Contains(known, comments) {
		return usagef("--comments %q: want off, sticky or review", c.Comments)
	}
	if c.Wait <= 0 {
		return usagef("--wait %v: it must be more than 0", c.Wait)
	}
	if c.PR < 0 {
		return usagef("--pr %d: it must be at least 1", c.PR)
	}
	if c.Repo == "" {
		return usagef("--repo is missing, and GITHUB_REPOSITORY is not set; name the repository as OWNER/NAME")
	}
	repo, err := github.ParseRepo(c.Repo)
	if err != nil {
		return usageError{err}
	}
	sha := c.SHA
	if sha == "" {
		if sha, err = action.HeadCommit(os.Getenv("GITHUB_EVENT_NAME"), os.Getenv("GITHUB_EVENT_PATH")); err != nil {
			return usageError{fmt.Errorf("--sha is missing: %w", err)}
		}
	}
	if err := github.CheckSHA(sha); err != nil {
		return usageError{fmt.Errorf("--sha: %w", err)}
	}
	token := os.Getenv("GITHUB_TOKEN")
	if token == "" {
		return usagef("GITHUB_TOKEN is not set; give the job's token to this step with env")
	}
	report, err := publish.Open(c.Report, engine.RuleInfos())
	if err != nil {
		return err
	}
	if report.Head.Rev != sha {
		return usagef("the report %s is about commit %s, and %s is to be reported on", c.Report, report.Head.Rev, sha)
	}
	client, err := github.New(github.Options{BaseURL: os.Getenv("GITHUB_API_URL"), Token: token, UserAgent: "specgate/" + version(), MaxWait: c.Wait, Log: r.log})
	if err != nil {
		return usageError{err}
	}
	target, err := publish.Find(r.ctx, client, repo, sha, c.PR)
	if err != nil {
		return err
	}
	judgement, err := target.Untrusted(r.ctx, report, today())
	if err != nil {
		return err
	}
	for _, note := range judgement.Notes {
		fmt.Fprintf(r.stderr, "judged anew: %s\n", note)
	}
	posted, err := target.Post(r.ctx, judgement, publish.Posting{DetailsURL: action.RunURL(repo, os.Getenv), Comments: comments})
	if posted != nil {
		err = errors.Join(err, posted.Log(r.stdout, target))
	}
	if err != nil {
		return err
	}
	return verdict(report.Outcome, judgement.InconclusiveFails())
}

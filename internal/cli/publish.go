package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

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
	Wait     time.Duration `placeholder:"DURATION" default:"5m" help:"The longest to wait for GitHub when it is down, or asks to come back later."`
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

// checkName is the check run's. It must be no job's name, as a job has a check run of its own.
const checkName = "specgate report"

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
		if sha, err = eventCommit(os.Getenv("GITHUB_EVENT_NAME"), os.Getenv("GITHUB_EVENT_PATH")); err != nil {
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
	posted, err := target.Post(r.ctx, judgement, publish.Posting{Name: checkName, DetailsURL: detailsURL(repo), Comments: comments})
	if posted != nil {
		writePosted(r.stdout, target, posted)
	}
	if err != nil {
		return err
	}
	return verdict(report.Outcome, judgement.InconclusiveFails())
}

// writePosted says what was posted.
func writePosted(w io.Writer, t *publish.Target, p *publish.Posted) {
	fmt.Fprintf(w, "check run %d on %s: %s\n", p.Check.ID, t.SHA, p.Conclusion)
	if p.Check.URL != "" {
		fmt.Fprintf(w, "  %s\n", p.Check.URL)
	}
	switch p.Comments {
	case policy.CommentsReview:
		fmt.Fprintf(w, "review comments on pull request %d: %d new, %d edited, %d unchanged, %d settled, %d at lines that the diff does not show\n",
			t.Pull.Number, p.Review.Posted, p.Review.Edited, p.Review.Same, p.Review.Mended, len(p.Review.Outside))
	case policy.CommentsSticky:
		fmt.Fprintf(w, "comment on pull request %d: up to date\n", t.Pull.Number)
	}
}

// eventCommit is the commit that a workflow run is about. GitHub writes the file; nothing in it that a pull request could choose is used, but
// the commit itself. GITHUB_SHA would be the test merge of a pull request, or the default branch.
func eventCommit(event, file string) (string, error) {
	if event == "" || file == "" {
		return "", errors.New("GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the event: %w", err)
	}
	var e struct {
		After       string `json:"after"`
		PullRequest struct {
			Head struct {
				SHA string `json:"sha"`
			} `json:"head"`
		} `json:"pull_request"`
		WorkflowRun struct {
			HeadSHA string `json:"head_sha"`
		} `json:"workflow_run"`
		MergeGroup struct {
			HeadSHA string `json:"head_sha"`
		} `json:"merge_group"`
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return "", fmt.Errorf("read the event %s: %w", file, err)
	}
	sha := map[string]string{"push": e.After, "pull_request": e.PullRequest.Head.SHA, "pull_request_target": e.PullRequest.Head.SHA,
		"workflow_run": e.WorkflowRun.HeadSHA, "merge_group": e.MergeGroup.HeadSHA}[event]
	if sha == "" {
		return "", fmt.Errorf("the event %q names no head commit", event)
	}
	return sha, nil
}

var runID = regexp.MustCompile(`^[0-9]{1,20}$`)

// detailsURL is the page of the workflow run, or empty.
func detailsURL(repo github.Repo) string {
	server, id := os.Getenv("GITHUB_SERVER_URL"), os.Getenv("GITHUB_RUN_ID")
	if server == "" || !runID.MatchString(id) {
		return ""
	}
	return fmt.Sprintf("%s/%s/actions/runs/%s", server, repo, id)
}

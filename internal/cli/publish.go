package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/policy"
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
	report, err := openReport(c.Report, engine.RuleInfos())
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
	p := &publication{client: client, repo: repo, sha: sha, report: report}
	if err := p.place(r.ctx, c.PR); err != nil {
		return err
	}
	if err := p.judge(r.ctx); err != nil {
		return err
	}
	for _, note := range p.notes {
		fmt.Fprintf(r.stderr, "judged anew: %s\n", note)
	}
	return p.post(r.ctx, r.stdout, comments)
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

// publication is a report on its way to GitHub.
type publication struct {
	client *github.Client
	repo   github.Repo
	sha    string
	report *checks.Report
	pull   *github.Pull // nil: the commit is the head of no pull request
	policy *policy.Policy
	// notes say where the report was more favourable than what it holds.
	notes []string
	// strict: an inconclusive outcome blocks whatever the policy says.
	strict bool
}

// place finds the pull request, and refuses a report that compares with another base than GitHub does: its author could have named one with a
// milder policy, or with the weaknesses in it already.
func (p *publication) place(ctx context.Context, number int) error {
	if number > 0 {
		pull, err := p.client.Pull(ctx, p.repo, number)
		if err != nil {
			return err
		}
		if pull.Head != p.sha {
			return &github.StaleError{Pull: number, Want: p.sha, Head: pull.Head}
		}
		p.pull = &pull
	} else {
		pulls, err := p.client.Pulls(ctx, p.repo, p.sha)
		if err != nil {
			return err
		}
		if len(pulls) > 1 {
			return usagef("%s is the head of %d open pull requests of %s; name one with --pr", p.sha, len(pulls), p.repo)
		}
		if len(pulls) == 1 {
			p.pull = &pulls[0]
		}
	}
	if p.pull != nil {
		base, err := p.client.MergeBase(ctx, p.repo, p.pull.Base, p.sha)
		if err != nil {
			return err
		}
		if base != p.report.Base.Rev {
			return usagef("the report compares with %s, and the merge base of pull request %d is %s; check it with --base %s", p.report.Base.Rev, p.pull.Number, base, base)
		}
		return nil
	}
	tip, err := p.client.DefaultBranch(ctx, p.repo)
	if err != nil {
		return err
	}
	for _, side := range []struct{ what, of string }{{"the default branch", tip}, {"what it reports on", p.sha}} {
		base, err := p.client.MergeBase(ctx, p.repo, p.report.Base.Rev, side.of)
		if err != nil {
			return err
		}
		if base != p.report.Base.Rev {
			return usagef("the report compares with %s, which is not part of %s (%s)", p.report.Base.Rev, side.what, side.of)
		}
	}
	return nil
}

// judge judges the findings anew, by the policy of the base commit. What is better for the change in the report than in the judgement is
// corrected, and what is worse stays. It cannot know what the report leaves out.
func (p *publication) judge(ctx context.Context) error {
	text, found, err := p.client.File(ctx, p.repo, p.report.Base.Rev, policy.FileName)
	if err != nil {
		return err
	}
	p.policy = policy.Default()
	if found {
		if p.policy, err = policy.Parse(policy.FileName, text, engine.RuleInfos()); err != nil {
			return fmt.Errorf("read the policy of %s: %w", p.report.Base.Rev, err)
		}
	}
	if p.report.Policy.SHA256 != p.policy.SHA256 {
		return usagef("the report was judged by the policy %q (sha256 %q), and that of the base commit has sha256 %q", p.report.Policy.Source, p.report.Policy.SHA256, p.policy.SHA256)
	}
	var labels []string
	if p.pull != nil {
		labels = p.pull.Labels
	}
	p.notes, p.strict = rejudge(p.report, p.policy, labels, today())
	return nil
}

// rejudge corrects what a report makes of its own findings and reasons; notes say what. strict tells that the run did not come to its end. Only
// what a label of the pull request allows, which the run could not know, becomes better.
func rejudge(r *checks.Report, pol *policy.Policy, labels []string, day policy.Date) (notes []string, strict bool) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	labelled := pol.WithLabels(labels)
	blocking, allowed := false, false
	for i := range r.Findings {
		f := &r.Findings[i]
		// A finding may weigh more or less than its rule, which the policy's keys override.
		d := pol.Decide(policy.RuleInfo{ID: f.Rule, Severity: f.Severity}, f.File, f.Symbol, day)
		if d.Severity > f.Severity {
			note("%s in %q is %s by the policy, not %s", f.Rule, f.Symbol, d.Severity, f.Severity)
			f.Severity = d.Severity
		}
		if l := labelled.Decide(policy.RuleInfo{ID: f.Rule, Severity: f.Severity}, f.File, f.Symbol, day); f.Severity == d.Severity && l.Severity < d.Severity {
			note("%s in %q is %s because of the %s, not %s", f.Rule, f.Symbol, l.Severity, l.By, f.Severity)
			allowed = allowed || f.Waived == nil && pol.Gate.FailOn.Reached(f.Severity)
			f.Severity = l.Severity
		}
		if f.Waived != nil && (d.Waived == nil || d.Waived.ID != f.Waived.ID) {
			note("%s in %q is waived by %q, which the policy does not say", f.Rule, f.Symbol, f.Waived.ID)
			f.Waived = nil
		}
		blocking = blocking || f.Waived == nil && pol.Gate.FailOn.Reached(f.Severity)
	}
	blocked := false
	for _, reason := range r.Reasons {
		// Reasons of these stages are about what had to be looked at; of others it depends.
		blocked = blocked || slices.Contains([]string{"read", "parse", "time"}, reason.Stage)
		strict = strict || reason.Stage == "time"
	}
	before := r.Outcome
	switch {
	case r.Outcome == checks.OutcomeError:
	case (blocked || r.Outcome == checks.OutcomeInconclusive) && (strict || pol.Gate.Inconclusive == policy.InconclusiveFail):
		r.Outcome = checks.OutcomeInconclusive
	case blocking:
		r.Outcome = checks.OutcomeFindings
	case blocked && r.Outcome == checks.OutcomePass:
		r.Outcome = checks.OutcomeInconclusive
	case allowed && r.Outcome == checks.OutcomeFindings && pol.Gate.Inconclusive != policy.InconclusiveFail && len(r.Reasons) > 0:
		r.Outcome = checks.OutcomeInconclusive // the findings may have hidden that
	case allowed && r.Outcome == checks.OutcomeFindings:
		r.Outcome = checks.OutcomePass // nothing else blocked
	}
	if r.Outcome != before {
		note("the outcome is %s, not %s", r.Outcome, before)
	}
	return notes, strict
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

func (p *publication) post(ctx context.Context, w io.Writer, comments policy.Comments) error {
	o := annotate.Options{
		Rules: engine.Rules(), FailOn: string(p.policy.Gate.FailOn), PerFunction: p.policy.Report.AnnotationsPerFunction,
		InconclusiveFails: p.strict || p.policy.Gate.Inconclusive == policy.InconclusiveFail,
	}
	out := annotate.NewCheckRun(p.report, o)
	posted, err := p.client.CompleteCheck(ctx, p.repo, github.Check{Name: checkName, SHA: p.sha, DetailsURL: detailsURL(p.repo),
		ExternalID: p.report.Base.Rev + ".." + p.sha}, out, nil)
	if err != nil {
		return permission(err, "checks: write")
	}
	fmt.Fprintf(w, "check run %d on %s: %s\n", posted.ID, p.sha, out.Conclusion)
	if posted.URL != "" {
		fmt.Fprintf(w, "  %s\n", posted.URL)
	}
	if comments == "" {
		comments = p.policy.Report.Comments
	}
	if p.pull != nil && comments != policy.CommentsOff {
		if err := p.comment(ctx, w, comments, o); err != nil {
			return permission(err, "pull-requests: write")
		}
	}
	switch p.report.Outcome {
	case checks.OutcomePass:
		return nil
	case checks.OutcomeFindings:
		return exit(exitFindings)
	case checks.OutcomeInconclusive:
		if !o.InconclusiveFails {
			return nil
		}
	}
	return exit(exitIncomplete)
}

// comment writes the comment that is kept up to date, or the comments at contracts.
func (p *publication) comment(ctx context.Context, w io.Writer, comments policy.Comments, o annotate.Options) error {
	if comments == policy.CommentsReview {
		done, err := p.client.Review(ctx, p.repo, p.pull.Number, p.sha, annotate.NewReview(p.report, o))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "review comments on pull request %d: %d new, %d edited, %d unchanged, %d settled, %d at lines that the diff does not show\n",
			p.pull.Number, done.Posted, done.Edited, done.Same, done.Mended, len(done.Outside))
		return nil
	}
	var body bytes.Buffer
	if err := annotate.Markdown(&body, p.report, o); err != nil {
		return err
	}
	// Where all is well nobody needs a first comment.
	quiet := p.report.Outcome == checks.OutcomePass && len(p.report.Findings) == 0
	if err := p.client.Sticky(ctx, p.repo, p.pull.Number, p.sha, body.String(), quiet); err != nil {
		return err
	}
	fmt.Fprintf(w, "comment on pull request %d: up to date\n", p.pull.Number)
	return nil
}

// permission says what the job is missing when the token may only read.
func permission(err error, needed string) error {
	if errors.Is(err, github.ErrReadOnly) {
		return fmt.Errorf("%w; the job needs `permissions: %s`, which one that a pull request from a fork started cannot have: publish from a workflow_run", err, needed)
	}
	return err
}

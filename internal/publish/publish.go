// Package publish puts a report onto GitHub: it finds out what the report belongs to, judges it by the policy of the base commit, and posts a
// check run and comments. Whether the report was made in the same process or by somebody who may have forged it, the way is the same; only a
// report that may be forged is compared with what GitHub says first.
package publish

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/policy"
)

// CheckName is the check run's of what is to be merged into the default branch. It must be no job's name, as a job has a check run of its own.
const CheckName = "specgate report"

// maxName is the most bytes of a name.
const maxName = 255

// Target is the commit that a report is about.
type Target struct {
	Client *github.Client
	Repo   github.Repo
	SHA    string
	// Pull is the open pull request whose head it is; nil: there is none.
	Pull *github.Pull
	// Into is the branch that it is to be merged into where there is no Pull; empty: the default branch, or none.
	Into string
}

// checkName is the name of the check run, where nothing else is wanted. GitHub keeps a check run with the commit, and anybody can open pull requests
// with one commit into several branches. So what is checked for another branch than the default one, by the policy that is there and against
// what is there, has another name: it says nothing about a pull request into the default branch.
func (t *Target) checkName() string {
	into := t.Into
	if t.Pull != nil {
		into = t.Pull.Into
	}
	if into == "" {
		return CheckName
	}
	name := fmt.Sprintf("%s (%s)", CheckName, into)
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(into))
		name = fmt.Sprintf("%s (%x)", CheckName, sum)
	}
	return name
}

// Find asks GitHub what pull request a commit is the head of; number names one, 0 looks for it. A pull request that has another head by now is a
// github.StaleError, and a commit that several have as their head an InputError.
func Find(ctx context.Context, client *github.Client, repo github.Repo, sha string, number int) (*Target, error) {
	t := &Target{Client: client, Repo: repo, SHA: sha}
	if number > 0 {
		pull, err := client.Pull(ctx, repo, number)
		if err != nil {
			return nil, err
		}
		if pull.Head != sha {
			return nil, &github.StaleError{Pull: number, Want: sha, Head: pull.Head}
		}
		t.Pull = &pull
		return t, nil
	}
	pulls, err := client.Pulls(ctx, repo, sha)
	if err != nil {
		return nil, err
	}
	if len(pulls) > 1 {
		return nil, inputf("%s is the head of %d open pull requests of %s; name one with --pr", sha, len(pulls), repo)
	}
	if len(pulls) == 1 {
		t.Pull = &pulls[0]
	}
	return t, nil
}

// MergeBase is the commit that the pull request, which there must be, is compared with.
func (t *Target) MergeBase(ctx context.Context) (string, error) {
	return t.Client.MergeBase(ctx, t.Repo, t.Pull.Base, t.SHA)
}

// Policy is the policy of a commit: its .specgate.toml, or the default. One that is not valid is a policy.Diagnostics.
func (t *Target) Policy(ctx context.Context, base string) (*policy.Policy, error) {
	text, found, err := t.Client.File(ctx, t.Repo, base, policy.FileName)
	if err != nil {
		return nil, err
	}
	if !found {
		return policy.Default(), nil
	}
	pol, err := policy.Parse(policy.FileName, text, engine.RuleInfos())
	if err != nil {
		return nil, fmt.Errorf("read the policy of %s: %w", base, err)
	}
	return pol, nil
}

// Labels are those of the pull request.
func (t *Target) Labels() []string {
	if t.Pull == nil {
		return nil
	}
	return t.Pull.Labels
}

// Untrusted judges a report that somebody else wrote, after it has compared with GitHub what the report says of itself: an InputError says
// what does not hold.
func (t *Target) Untrusted(ctx context.Context, r *checks.Report, today policy.Date) (*Judgement, error) {
	if r.Head.Rev != t.SHA {
		return nil, inputf("the report is about commit %s, and %s is to be reported on", r.Head.Rev, t.SHA)
	}
	if err := t.compare(ctx, r.Base.Rev); err != nil {
		return nil, err
	}
	pol, err := t.Policy(ctx, r.Base.Rev)
	if err != nil {
		return nil, err
	}
	if r.Policy.SHA256 != pol.SHA256 {
		return nil, inputf("the report was judged by the policy %q (sha256 %q), and that of the base commit has sha256 %q", r.Policy.Source, r.Policy.SHA256, pol.SHA256)
	}
	j := Judge(r, pol, t.Labels(), nil, today)
	return j, t.simulate(ctx, j, today)
}

// compare refuses a report that compares with another base than GitHub does: its author could have named one with a milder policy, or with the
// weaknesses in it already.
func (t *Target) compare(ctx context.Context, reported string) error {
	if t.Pull != nil {
		base, err := t.MergeBase(ctx)
		if err != nil {
			return err
		}
		if base != reported {
			return inputf("the report compares with %s, and the merge base of pull request %d is %s; check it with --base %s", reported, t.Pull.Number, base, base)
		}
		return nil
	}
	tip, err := t.Client.DefaultBranch(ctx, t.Repo)
	if err != nil {
		return err
	}
	base, err := t.Client.MergeBase(ctx, t.Repo, tip, t.SHA)
	if err != nil || base == reported {
		return err
	}
	if base != t.SHA {
		return inputf("the report compares with %s, and the merge base with the default branch is %s; check it with --base %s", reported, base, base)
	}
	// The commit is part of the default branch, and what was pushed to that with it is not known.
	if base, err = t.Client.MergeBase(ctx, t.Repo, reported, t.SHA); err != nil {
		return err
	}
	if base != reported {
		return inputf("the report compares with %s, which %s does not come from", reported, t.SHA)
	}
	return nil
}

// Posting says how a judgement is posted.
type Posting struct {
	// Name of the check run; empty: CheckName, with the branch if it is not the default one. It must be no job's name, as a job has a check run of its own.
	Name string
	// ExternalID is the same for all attempts to post the results, and for no others; empty: that of commit and base, ExternalID.
	ExternalID string
	// DetailsURL is where more is to be read; empty: GitHub's own page.
	DetailsURL string
	// Actions are the buttons of the check run, 3 at most.
	Actions []github.Action
	// Comments on the pull request; empty: as the policy says.
	Comments policy.Comments
}

// Posted tells what was posted.
type Posted struct {
	Check      github.Posted
	Conclusion annotate.Conclusion
	// Comments that were written or brought up to date: sticky, review or off.
	Comments policy.Comments
	// Review tells about comments at contracts.
	Review github.Reviewed
}

// ExternalID is the same for all attempts to post the results of a commit against a base.
func ExternalID(base, head string) string { return base + ".." + head }

// Log says in lines of text what was posted.
func (p *Posted) Log(w io.Writer, t *Target) error {
	var b strings.Builder
	fmt.Fprintf(&b, "check run %d on %s: %s\n", p.Check.ID, t.SHA, p.Conclusion)
	if p.Check.URL != "" {
		fmt.Fprintf(&b, "  %s\n", p.Check.URL)
	}
	switch p.Comments {
	case policy.CommentsReview:
		fmt.Fprintf(&b, "review comments on pull request %d: %d new, %d edited, %d unchanged, %d settled, %d at lines that the diff does not show\n",
			t.Pull.Number, p.Review.Posted, p.Review.Edited, p.Review.Same, p.Review.Mended, len(p.Review.Outside))
	case policy.CommentsSticky:
		fmt.Fprintf(&b, "comment on pull request %d: up to date\n", t.Pull.Number)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write what was posted: %w", err)
	}
	return nil
}

// CheckRun posts the check run. It can be done again at any time, and then changes what is there.
func (t *Target) CheckRun(ctx context.Context, j *Judgement, p Posting) (*Posted, error) {
	out := annotate.NewCheckRun(j.Report, j.Options())
	if p.ExternalID == "" {
		p.ExternalID = ExternalID(j.Report.Base.Rev, t.SHA)
	}
	check, err := t.Client.CompleteCheck(ctx, t.Repo, github.Check{Name: cmp.Or(p.Name, t.checkName()), SHA: t.SHA, DetailsURL: p.DetailsURL, ExternalID: p.ExternalID}, out, p.Actions)
	if err != nil {
		return nil, permission(err, "checks: write")
	}
	return &Posted{Check: check, Conclusion: out.Conclusion, Comments: policy.CommentsOff}, nil
}

// Post posts the check run, and the comments that are wanted. Posted tells what was done before an error, and is nil if that was nothing.
// A token that may only read is github.ErrReadOnly.
func (t *Target) Post(ctx context.Context, j *Judgement, p Posting) (*Posted, error) {
	posted, err := t.CheckRun(ctx, j, p)
	if err != nil {
		return nil, err
	}
	return posted, t.Comment(ctx, j, p.Comments, posted)
}

// Comment writes the comments on the pull request that are wanted, by the policy if comments is empty, and says so in posted.
func (t *Target) Comment(ctx context.Context, j *Judgement, comments policy.Comments, posted *Posted) (err error) {
	if comments == "" {
		comments = j.Policy.Report.Comments
	}
	if t.Pull == nil || comments == policy.CommentsOff {
		return nil
	}
	if comments == policy.CommentsReview {
		posted.Review, err = t.Client.Review(ctx, t.Repo, t.Pull.Number, t.SHA, annotate.NewReview(j.Report, j.Options()))
	} else {
		err = t.sticky(ctx, j)
	}
	if err != nil {
		return permission(err, "pull-requests: write")
	}
	posted.Comments = comments
	return nil
}

func (t *Target) sticky(ctx context.Context, j *Judgement) error {
	var body bytes.Buffer
	if err := annotate.Markdown(&body, j.Report, j.Options()); err != nil {
		return err
	}
	// Where all is well nobody needs a first comment.
	quiet := j.Report.Outcome == checks.OutcomePass && len(j.Report.Findings) == 0
	return t.Client.Sticky(ctx, t.Repo, t.Pull.Number, t.SHA, body.String(), quiet)
}

// permission says what a job is missing when its token may only read.
func permission(err error, needed string) error {
	if errors.Is(err, github.ErrReadOnly) {
		return fmt.Errorf("%w; the job needs `permissions: %s`, which one that a pull request from a fork started cannot have: publish from a workflow_run", err, needed)
	}
	return err
}

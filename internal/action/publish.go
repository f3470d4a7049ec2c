package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/publish"
)

// Publish judges the report, puts the result onto GitHub and into the summary of the job, and hands the exit code on. Where the token may only
// read, the log gets the annotations.
func (s *Step) Publish(ctx context.Context) error {
	set, err := s.settings()
	if err != nil {
		return err
	}
	comments := set.comments
	client, repo, err := s.client()
	if err != nil {
		return err
	}
	// What somebody else packed can be a link to any file.
	if info, err := os.Lstat(s.reportFile()); err == nil && !info.Mode().IsRegular() {
		return inputf("open the report %s: it is not a file", s.reportFile())
	}
	report, err := publish.Open(s.reportFile(), engine.RuleInfos())
	if err != nil {
		return err
	}
	target, j, err := s.judge(ctx, client, repo, report)
	if err != nil {
		return err
	}
	if target.Pull != nil && !target.Pull.Open {
		comments = policy.CommentsOff
	}
	posted, postErr := target.Post(ctx, j, publish.Posting{Name: s.runner.GetInput("check"), DetailsURL: RunURL(repo, s.o.Getenv), Comments: comments})
	readOnly := posted == nil && errors.Is(postErr, github.ErrReadOnly) && s.context.EventName != "workflow_run"
	if err := s.say(func(w io.Writer) error {
		for _, note := range j.Notes {
			fmt.Fprintf(w, "judged anew: %s\n", note)
		}
		if posted == nil {
			return nil
		}
		return posted.Log(w, target)
	}); err != nil {
		return err
	}
	note := ""
	switch {
	case readOnly:
		if err := annotate.Commands(s.o.Stdout, report, annotate.CommandOptions{Options: j.Options()}); err != nil {
			return err
		}
		note = "The token of this job can only read, so this job writes no check run: the result is here, in the log of the job and in its exit status. If no other workflow publishes it, and this is no pull request from a fork, give the job `permissions: checks: write`."
	case posted != nil && checkPage.MatchString(posted.Check.URL):
		note = fmt.Sprintf("[The check run](%s) has the annotations.", posted.Check.URL)
	}
	if posted != nil && errors.Is(postErr, github.ErrReadOnly) {
		// The check run is there, so the result is known. What the policy wants beside it is no part of the gate.
		s.command().Warningf("%s", annotate.Message(postErr.Error()))
		postErr = nil
	}
	if readOnly {
		fmt.Fprintln(s.o.Stdout, note)
		postErr = nil
	}
	conclusion := annotate.NewCheckRun(report, j.Options()).Conclusion
	if postErr != nil {
		conclusion = annotate.Failure
		note = strings.TrimSpace(note + "\n\nNot everything could be posted, as the log says. Run the job again.")
	}
	if err := s.summary(j, note); err != nil {
		return err
	}
	if err := s.write(outputs{
		"outcome":    report.Outcome.String(),
		"conclusion": string(conclusion),
		"score":      decimals(report.Score.Head),
		"delta":      decimals(report.Score.Delta),
	}); err != nil {
		return err
	}
	s.told = true
	if postErr != nil {
		return postErr
	}
	code := host.ExitCode(report.Outcome, j.InconclusiveFails())
	if s.context.EventName == "workflow_run" {
		code = 0 // it gates nothing, and has done what it is for: the check run has the result
	}
	fmt.Fprintf(s.o.Stdout, "outcome: %s, exit code %d\n", report.Outcome, code)
	return s.write(outputs{"exit-code": strconv.Itoa(code)})
}

// judge finds what the report is about, and judges it. A report of the same run is about what Plan found; one of another run may be forged.
func (s *Step) judge(ctx context.Context, client *github.Client, repo github.Repo, report *checks.Report) (*publish.Target, *publish.Judgement, error) {
	head, base := s.runner.GetInput("head"), s.runner.GetInput("base")
	number, err := strconv.Atoi(cmp.Or(s.runner.GetInput("pull"), "0"))
	if err != nil {
		return nil, nil, inputf("the number of the pull request: %w", err)
	}
	if s.context.EventName == "workflow_run" {
		target, err := s.ofRun(ctx, client, repo, head, report.Base.Rev)
		if err != nil {
			return nil, nil, err
		}
		j, err := target.Untrusted(ctx, report, s.o.Today)
		return target, j, err
	}
	if report.Base.Rev != base || report.Head.Rev != head {
		return nil, nil, inputf("the report is about %s, compared with %s; this job is about %s, compared with %s", report.Head.Rev, report.Base.Rev, head, base)
	}
	target := &publish.Target{Client: client, Repo: repo, SHA: head}
	if s.context.EventName == "merge_group" {
		e, err := readEvent(s.context.EventName, s.context.EventPath)
		if err != nil {
			return nil, nil, err
		}
		target.Into = e.queuedInto()
	}
	var labels []string
	switch {
	case number == 0:
	case s.context.EventName == "merge_group":
		// The head is the queue's own. Who may label a pull request has allowed what the label allows for the merge of it, too.
		pull, err := client.Pull(ctx, repo, number)
		if err != nil {
			return nil, nil, lacking(readPulls, err)
		}
		labels = pull.Labels
	default:
		if target, err = publish.Find(ctx, client, repo, head, number); err != nil {
			return nil, nil, lacking(readPulls, err)
		}
		labels = target.Labels()
	}
	pol, err := target.Policy(ctx, base)
	if err != nil {
		return nil, nil, err
	}
	if report.Policy.SHA256 != pol.SHA256 {
		return nil, nil, inputf("the report was judged by a policy with sha256 %q, and that of the base commit has sha256 %q", report.Policy.SHA256, pol.SHA256)
	}
	return target, publish.Judge(report, pol, labels, nil, s.o.Today), nil
}

// ofRun finds what the run was about whose report is published. The event names no pull request when it came from a fork, so it is looked for by its
// head, and of several with one head it is the one that is compared with the same base, before others one into the default branch.
func (s *Step) ofRun(ctx context.Context, client *github.Client, repo github.Repo, head, base string) (*publish.Target, error) {
	e, err := readEvent(s.context.EventName, s.context.EventPath)
	if err != nil {
		return nil, err
	}
	pulls, err := client.Pulls(ctx, repo, head)
	if err != nil {
		return nil, lacking(readPulls, err)
	}
	if len(pulls) == 0 && e.WorkflowRun.Event == "pull_request" {
		return nil, fmt.Errorf("no open pull request has the head %s (any more), so nothing was posted", head)
	}
	found := &publish.Target{Client: client, Repo: repo, SHA: head}
	slices.SortStableFunc(pulls, func(a, b github.Pull) int { return cmp.Compare(min(len(a.Into), 1), min(len(b.Into), 1)) })
	for i := range pulls {
		found.Pull = &pulls[i]
		if of, err := found.MergeBase(ctx); err != nil || of == base {
			return found, err
		}
	}
	return found, nil
}

// checkPage is an address that can stand in Markdown as it is.
var checkPage = regexp.MustCompile(`^https?://[A-Za-z0-9.:/_-]+$`)

// summary writes that of the job, with a note in Markdown.
func (s *Step) summary(j *publish.Judgement, note string) error {
	var b strings.Builder
	if err := annotate.Summary(&b, j.Report, j.Options()); err != nil {
		return err
	}
	if note != "" {
		b.WriteString("\n" + note + "\n")
	}
	return s.summarize(b.String())
}

// decimals is a number as an output has it, or empty if there is none.
func decimals(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', 4, 64)
}

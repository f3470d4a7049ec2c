package github

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/go-github/v60/github"

	"github.com/specgate/specgate/annotate"
)

// Limits of a check run. docs.github.com, "REST API endpoints for check runs": a request takes 50 annotations, and further requests add to
// them; a summary and a text have 65,535 characters at most, a message and raw details 64 KB, a title 255 characters.
const (
	maxBatch      = 50
	maxSummary    = 65535
	maxMessage    = 64 << 10
	maxTitle      = 255
	maxName       = 255
	maxExternalID = 255
)

// Check names a check run.
type Check struct {
	// Name is what people and branch protection see. Runs of the same name on one commit replace each other there.
	Name string
	// SHA of the commit that it is about.
	SHA string
	// ExternalID is the same for all attempts to post the same results, and for no others.
	ExternalID string
	// DetailsURL is where more is to be read; empty: GitHub's own page.
	DetailsURL string
}

// Action is a button on a check run. docs.github.com, "REST API endpoints for check runs": a label has 20 characters at most, a description
// 40, an identifier 20.
type Action struct{ Label, Description, Identifier string }

func buttons(actions []Action) (out []*github.CheckRunAction) {
	for _, a := range actions {
		out = append(out, &github.CheckRunAction{Label: a.Label, Description: a.Description, Identifier: a.Identifier})
	}
	return out
}

// now is the time as check runs have it, in whole seconds.
func (c *Client) now() *github.Timestamp {
	return &github.Timestamp{Time: c.clock.Now().UTC().Truncate(time.Second)}
}

// annotation is what GitHub shows of one.
type annotation struct {
	Path                                       string
	StartLine, EndLine, StartColumn, EndColumn int
	Level, Message, Title, RawDetails          string
}

func shownAs(a *annotate.Annotation) annotation {
	return annotation{a.Path, a.StartLine, a.EndLine, a.StartColumn, a.EndColumn, string(a.Level), a.Message, a.Title, a.RawDetails}
}

// Posted tells what became of a check run.
type Posted struct {
	// ID of the check run.
	ID int64
	// URL of its page.
	URL string
	// Written is false if everything was there already.
	Written bool
}

// StartCheck makes sure that there is a check run in progress, or one that is completed already by an earlier attempt of the same results.
func (c *Client) StartCheck(ctx context.Context, r Repo, check Check) (Posted, error) {
	if err := check.valid(r); err != nil {
		return Posted{}, err
	}
	var posted Posted
	err := c.converge(ctx, func(ctx context.Context) error {
		run, err := c.newest(ctx, r, check)
		if err != nil {
			return err
		}
		if run == nil {
			if run, err = c.create(ctx, r, check); err != nil {
				return err
			}
			posted.Written = true
		}
		posted.ID, posted.URL = run.GetID(), run.GetHTMLURL()
		return nil
	})
	return posted, err
}

// CompleteCheck completes the check run with its output. Annotations cannot be taken back, so they are compared with those that are there:
// what is missing is added in batches of 50, and if the run has others it is left as it is and a new one takes its place.
//
// The conclusion is one of annotate's: GitHub counts neutral and skipped as passed where a check is required (docs.github.com, "About protected
// branches"), so a gate has neither. actions are buttons, 3 at most.
func (c *Client) CompleteCheck(ctx context.Context, r Repo, check Check, out annotate.CheckRun, actions []Action) (Posted, error) {
	if err := check.valid(r); err != nil {
		return Posted{}, err
	}
	if err := validOutput(check, out, actions); err != nil {
		return Posted{}, err
	}
	var all []annotation
	for i := range out.Annotations {
		all = append(all, shownAs(&out.Annotations[i]))
	}
	var posted Posted
	err := c.converge(ctx, func(ctx context.Context) error {
		run, err := c.newest(ctx, r, check)
		if err != nil {
			return err
		}
		missing := all
		if run != nil {
			there, err := c.annotations(ctx, r, run.GetID())
			if err != nil {
				return err
			}
			var others bool
			if missing, others = without(all, there); others {
				if run.GetStatus() != "completed" {
					if err := c.supersede(ctx, r, check, run.GetID()); err != nil {
						return err
					}
				}
				run, missing = nil, all
			}
		}
		if run == nil {
			if run, err = c.create(ctx, r, check); err != nil {
				return err
			}
			posted.Written = true
		}
		posted.ID, posted.URL = run.GetID(), run.GetHTMLURL()
		if len(missing) == 0 && same(run, out) {
			return nil
		}
		posted.Written = true
		for len(missing) > maxBatch {
			if err := c.update(ctx, r, check, run.GetID(), out, missing[:maxBatch], false, nil); err != nil {
				return err
			}
			missing = missing[maxBatch:]
		}
		return c.update(ctx, r, check, run.GetID(), out, missing, true, actions)
	})
	return posted, err
}

// newest is the youngest run of that name and external id on the commit; nil if there is none.
func (c *Client) newest(ctx context.Context, r Repo, check Check) (*github.CheckRun, error) {
	runs, err := c.runs(ctx, r, check)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return runs[len(runs)-1], nil
}

// runs are those of that name and external id on the commit, the youngest last.
func (c *Client) runs(ctx context.Context, r Repo, check Check) ([]*github.CheckRun, error) {
	o := &github.ListCheckRunsOptions{CheckName: github.String(check.Name), Filter: github.String("all")}
	if c.appID != 0 {
		o.AppID = github.Int64(c.appID)
	}
	all, err := list(func(page github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
		o.ListOptions = page
		result, resp, err := c.api.Checks.ListCheckRunsForRef(ctx, r.owner, r.name, check.SHA, o)
		if err != nil {
			return nil, resp, err
		}
		return result.CheckRuns, resp, nil
	})
	if err != nil {
		return nil, failure(fmt.Sprintf("list check runs of %s in %s", check.SHA, r), err)
	}
	all = slices.DeleteFunc(all, func(run *github.CheckRun) bool {
		return run.GetExternalID() != check.ExternalID || run.GetName() != check.Name || run.GetHeadSHA() != check.SHA
	})
	slices.SortFunc(all, func(a, b *github.CheckRun) int { return cmp.Compare(a.GetID(), b.GetID()) })
	return all, nil
}

func (c *Client) create(ctx context.Context, r Repo, check Check) (*github.CheckRun, error) {
	run, _, err := c.api.Checks.CreateCheckRun(ctx, r.owner, r.name, github.CreateCheckRunOptions{
		Name: check.Name, HeadSHA: check.SHA, ExternalID: github.String(check.ExternalID), DetailsURL: optional(check.DetailsURL),
		Status: github.String("in_progress"), StartedAt: c.now(),
	})
	return run, failure(fmt.Sprintf("create check run %q on %s in %s", check.Name, check.SHA, r), err)
}

// update adds annotations; the last one completes the run.
func (c *Client) update(ctx context.Context, r Repo, check Check, id int64, out annotate.CheckRun, batch []annotation, last bool, actions []Action) error {
	o := github.UpdateCheckRunOptions{
		Name: check.Name, ExternalID: github.String(check.ExternalID), DetailsURL: optional(check.DetailsURL), Status: github.String("in_progress"),
		Output: &github.CheckRunOutput{Title: github.String(out.Title), Summary: github.String(out.Summary), Text: optional(out.Text)},
	}
	for _, a := range batch {
		o.Output.Annotations = append(o.Output.Annotations, a.wire())
	}
	if last {
		o.Status, o.Conclusion = github.String("completed"), github.String(string(out.Conclusion))
		o.CompletedAt = c.now()
		o.Actions = buttons(actions)
	}
	_, _, err := c.api.Checks.UpdateCheckRun(ctx, r.owner, r.name, id, o)
	return failure(fmt.Sprintf("update check run %d (%q) in %s", id, check.Name, r), err)
}

// supersede ends a run that will not be completed, so that it does not stay in progress.
func (c *Client) supersede(ctx context.Context, r Repo, check Check, id int64) error {
	_, _, err := c.api.Checks.UpdateCheckRun(ctx, r.owner, r.name, id, github.UpdateCheckRunOptions{
		Name: check.Name, Status: github.String("completed"), Conclusion: github.String("cancelled"),
		CompletedAt: c.now(),
		Output: &github.CheckRunOutput{Title: github.String("Superseded"),
			Summary: github.String("A later run of the same check has the results: this one had other annotations already, which cannot be taken back.")},
	})
	return failure(fmt.Sprintf("end check run %d (%q) in %s", id, check.Name, r), err)
}

func (c *Client) annotations(ctx context.Context, r Repo, id int64) ([]annotation, error) {
	all, err := list(func(page github.ListOptions) ([]*github.CheckRunAnnotation, *github.Response, error) {
		return c.api.Checks.ListCheckRunAnnotations(ctx, r.owner, r.name, id, &page)
	})
	if err != nil {
		return nil, failure(fmt.Sprintf("list annotations of check run %d in %s", id, r), err)
	}
	out := make([]annotation, 0, len(all))
	for _, a := range all {
		out = append(out, annotation{Path: a.GetPath(), StartLine: a.GetStartLine(), EndLine: a.GetEndLine(), StartColumn: a.GetStartColumn(), EndColumn: a.GetEndColumn(),
			Level: a.GetAnnotationLevel(), Message: a.GetMessage(), Title: a.GetTitle(), RawDetails: a.GetRawDetails()})
	}
	return out, nil
}

// without is what is wanted and not there, in order; others tells that something is there that is not wanted.
func without(wanted, there []annotation) (missing []annotation, others bool) {
	count := map[annotation]int{}
	for _, a := range there {
		count[a.trimmed()]++
	}
	for _, a := range wanted {
		if key := a.trimmed(); count[key] > 0 {
			count[key]--
		} else {
			missing = append(missing, a)
		}
	}
	for _, n := range count {
		others = others || n > 0
	}
	return missing, others
}

// trimmed leaves out white space at the ends of texts, which makes no difference to a reader.
func (a annotation) trimmed() annotation {
	a.Message, a.Title, a.RawDetails = strings.TrimSpace(a.Message), strings.TrimSpace(a.Title), strings.TrimSpace(a.RawDetails)
	return a
}

func (a annotation) wire() *github.CheckRunAnnotation {
	w := &github.CheckRunAnnotation{Path: github.String(a.Path), StartLine: github.Int(a.StartLine), EndLine: github.Int(a.EndLine),
		AnnotationLevel: github.String(a.Level), Message: github.String(a.Message), Title: optional(a.Title), RawDetails: optional(a.RawDetails)}
	if a.StartColumn != 0 {
		w.StartColumn, w.EndColumn = github.Int(a.StartColumn), github.Int(a.EndColumn)
	}
	return w
}

func same(run *github.CheckRun, out annotate.CheckRun) bool {
	o := run.GetOutput()
	return run.GetStatus() == "completed" && run.GetConclusion() == string(out.Conclusion) && o.GetTitle() == out.Title &&
		o.GetSummary() == out.Summary && o.GetText() == out.Text
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (k Check) valid(r Repo) error {
	what := fmt.Sprintf("post check run %q on %s in %s", k.Name, k.SHA, r)
	if err := valid(r, k.SHA); err != nil {
		return &InputError{fmt.Errorf("%s: %w", what, err)}
	}
	if k.Name == "" || len(k.Name) > maxName || k.ExternalID == "" || len(k.ExternalID) > maxExternalID {
		return &InputError{fmt.Errorf("%s: the name and the external id need 1 to %d bytes", what, maxName)}
	}
	return nil
}

// validOutput refuses what GitHub would refuse, or, with an answer that says less, drop.
func validOutput(check Check, out annotate.CheckRun, actions []Action) error {
	bad := func(format string, args ...any) error {
		return &InputError{fmt.Errorf("post check run %q: %s", check.Name, fmt.Sprintf(format, args...))}
	}
	if !slices.Contains([]annotate.Conclusion{annotate.Success, annotate.Failure, annotate.ActionRequired}, out.Conclusion) {
		return bad("%q is not a conclusion of a gate", out.Conclusion)
	}
	switch {
	case out.Title == "" || utf8.RuneCountInString(out.Title) > maxTitle:
		return bad("the title needs 1 to %d characters", maxTitle)
	case out.Summary == "" || len(out.Summary) > maxSummary:
		return bad("the summary needs 1 to %d bytes, and has %d", maxSummary, len(out.Summary))
	case len(out.Text) > maxSummary:
		return bad("the text has %d bytes; at most %d are taken", len(out.Text), maxSummary)
	case len(actions) > 3:
		return bad("it has %d actions; at most 3 are shown", len(actions))
	}
	for _, a := range actions {
		if a.Label == "" || utf8.RuneCountInString(a.Label) > 20 || utf8.RuneCountInString(a.Description) > 40 || a.Identifier == "" || utf8.RuneCountInString(a.Identifier) > 20 {
			return bad("action %q: a label and an identifier have 1 to 20 characters, a description up to 40", a.Label)
		}
	}
	for i, a := range out.Annotations {
		at := fmt.Sprintf("annotation %d (%q, line %d)", i+1, a.Path, a.StartLine)
		switch {
		case a.Path == "":
			return bad("%s: it has no path", at)
		case a.StartLine < 1 || a.EndLine < a.StartLine:
			return bad("%s: lines count from 1, and the last is %d", at, a.EndLine)
		case (a.StartColumn == 0) != (a.EndColumn == 0) || a.StartColumn < 0 || a.EndColumn < a.StartColumn:
			return bad("%s: columns %d to %d are no range", at, a.StartColumn, a.EndColumn)
		case a.StartColumn != 0 && a.StartLine != a.EndLine:
			return bad("%s: columns need a range within one line", at)
		case !slices.Contains([]annotate.Level{annotate.LevelNotice, annotate.LevelWarning, annotate.LevelFailure}, a.Level):
			return bad("%s: %q is not a level", at, a.Level)
		case a.Message == "" || len(a.Message) > maxMessage || len(a.RawDetails) > maxMessage:
			return bad("%s: a message needs 1 to %d bytes, and details have that many at most", at, maxMessage)
		case utf8.RuneCountInString(a.Title) > maxTitle:
			return bad("%s: the title has more than %d characters", at, maxTitle)
		}
	}
	return nil
}

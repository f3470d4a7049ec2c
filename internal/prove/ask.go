package prove

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/verus"
)

// Answers are what the verifier says to the questions of a plan.
type Answers struct {
	Plan *obligation.Plan
	// Answers in the plan's order.
	Answers []obligation.Answer
	// Problems say in words why questions were not answered, or not accepted, each once, in the order in which they came up. That a
	// question was answered with "not proved" is none.
	Problems []string
	// Runs of the verifier that it took. One for each shadow is to be expected; more where the front end refused a question, where cargo did not
	// see a change or where a crate's dependencies had to be built again.
	Runs int
	// Asked is the number of questions that the verifier looked at. Those that need no asking are not counted.
	Asked int
	// Took is the time from start to end, Verifying the part of it in which the verifier ran.
	Took, Verifying time.Duration
}

// maxRefused bounds how often a shadow is put to the verifier again without the questions that its front end refused.
const maxRefused = 3

// Ask puts the questions of a plan to the verifier: one run for each shadow, and then one more for each module with questions that are worth a second
// try. The tree of the copy must be the one that the plan was written for, and s the same as for Read. It should have been verified before: for a
// workspace that is what builds the dependencies.
//
// The time limit of the request holds for all questions together. Errors are as of Verify; the copy is then as it was before, unless the
// error says otherwise.
func (c *Copy) Ask(ctx context.Context, s Side, plan *obligation.Plan) (*Answers, error) {
	return c.AskVia(ctx, s, plan, nil)
}

// AskVia is Ask, with something between the plan and the verifier that may ask about a part of the shadows only, and note what is said.
func (c *Copy) AskVia(ctx context.Context, s Side, plan *obligation.Plan, via Via) (*Answers, error) {
	start := time.Now()
	if c.settled {
		via = c.remembering(ctx, via)
	}
	a := newAsking(plan, via)
	a.copy, a.side = c, s
	if t := c.request.Options.Timeout; t > 0 {
		a.deadline = start.Add(t)
	}
	return a.all(ctx, start)
}

// Known gives the answers to a plan of a via that asks nobody.
func Known(ctx context.Context, plan *obligation.Plan, via Via) (*Answers, error) {
	return newAsking(plan, via).all(ctx, time.Now())
}

func newAsking(plan *obligation.Plan, via Via) *asking {
	return &asking{via: via, out: &Answers{Plan: plan}, results: map[string]obligation.Verdict{}, broken: map[string]bool{}, told: map[string]bool{}}
}

// all puts the shadows of the plan, and then those of second tries.
func (a *asking) all(ctx context.Context, start time.Time) (*Answers, error) {
	plan := a.out.Plan
	if err := a.shadows(ctx, 1, plan.Shadows); err != nil {
		return nil, err
	}
	if a.stop == "" {
		if err := a.shadows(ctx, 2, plan.Second(a.results)); err != nil {
			return nil, err
		}
	}
	a.out.Answers = plan.Answers(a.results)
	for _, x := range a.out.Answers {
		if !x.Given && x.Verdict != obligation.NotRun {
			a.out.Asked++
		}
	}
	a.out.Took = time.Since(start)
	return a.out, nil
}

// asking is one call of Ask.
type asking struct {
	via      Via // nil: all is put to the verifier
	copy     *Copy
	side     Side
	out      *Answers
	results  map[string]obligation.Verdict
	deadline time.Time // zero: none
	// broken are the places where asking again is of no use: crates that do not pass the front end, modules whose canary was proved.
	broken map[string]bool
	// told are the modules of which it was said that their questions have no answer.
	told map[string]bool
	// stop is why nothing more is asked; empty while there is no reason.
	stop string
}

func (a *asking) problem(format string, args ...any) {
	if p := fmt.Sprintf(format, args...); !slices.Contains(a.out.Problems, p) {
		a.out.Problems = append(a.out.Problems, p)
	}
}

func (a *asking) shadows(ctx context.Context, try int, shadows []*obligation.Shadow) error {
	for _, s := range shadows {
		if a.broken[s.Crate.Key] && !a.told[moduleKey(s)] {
			a.told[moduleKey(s)] = true
			a.problem("questions about %s were not asked: its crate does not pass the verifier's front end", nameOf(s))
		}
		if a.broken[s.Crate.Key] || a.broken[moduleKey(s)] {
			continue
		}
		put := func() (*Said, error) { return a.put(ctx, s) }
		var said *Said
		var err error
		if a.via == nil {
			said, err = put()
		} else {
			said, err = a.via(try, s, put)
		}
		if err != nil {
			return fmt.Errorf("put questions about %s to the verifier: %w", nameOf(s), err)
		}
		a.note(s, said)
	}
	return nil
}

// put puts a shadow to the verifier, if there is time.
func (a *asking) put(ctx context.Context, s *obligation.Shadow) (*Said, error) {
	one := newAsking(a.out.Plan, nil)
	one.copy, one.side, one.deadline, one.stop = a.copy, a.side, a.deadline, a.stop
	if one.stop == "" && !a.deadline.IsZero() && time.Until(a.deadline) <= 0 {
		one.stop = a.timeOver()
	}
	if one.stop != "" {
		one.problem("questions about %s were not asked: %s", nameOf(s), one.stop)
	} else if err := a.copy.make(ctx); err != nil {
		return nil, err
	} else if err := one.shadow(ctx, s); err != nil {
		return nil, err
	}
	a.out.Runs += one.out.Runs
	a.out.Verifying += one.out.Verifying
	said := &Said{Problems: one.out.Problems, Crate: one.broken[s.Crate.Key], Module: one.broken[moduleKey(s)], Told: one.told[moduleKey(s)], Stop: one.stop}
	for _, p := range s.Parts {
		said.Verdicts = append(said.Verdicts, one.results[p.Name])
	}
	return said, nil
}

// note takes note of what was said of a shadow.
func (a *asking) note(s *obligation.Shadow, said *Said) {
	if said == nil {
		return
	}
	for i, p := range s.Parts {
		if v := said.Verdicts[i]; v != 0 {
			a.results[p.Name] = v
		}
	}
	for _, p := range said.Problems {
		a.problem("%s", p)
	}
	a.broken[s.Crate.Key] = a.broken[s.Crate.Key] || said.Crate
	a.broken[moduleKey(s)] = a.broken[moduleKey(s)] || said.Module
	a.told[moduleKey(s)] = a.told[moduleKey(s)] || said.Told
	a.stop = said.Stop
}

func (a *asking) timeOver() string {
	return fmt.Sprintf("the time limit of %s for all questions was reached", a.copy.request.Options.Timeout)
}

func moduleKey(s *obligation.Shadow) string { return s.Crate.Key + "\x00" + s.Module }

func nameOf(s *obligation.Shadow) string {
	if s.Module == "" {
		return "the root module of " + s.Crate.Key
	}
	return "the module " + s.Module + " of " + s.Crate.Key
}

// shadow puts one shadow to the verifier, again without what the front end refuses.
func (a *asking) shadow(ctx context.Context, s *obligation.Shadow) error {
	if slices.ContainsFunc(a.copy.request.Options.Args, func(arg string) bool { return arg == "--no-verify" }) {
		a.stop = "verus.args in the policy has --no-verify"
		a.problem("questions about %s were not asked: %s", nameOf(s), a.stop)
		return nil
	}
	t, why, err := a.target(ctx, s)
	if err != nil {
		return err
	}
	if why != "" {
		a.problem("questions about %s were not asked: %s", nameOf(s), why)
		return nil
	}
	for try := 0; ; try++ {
		r, err := a.run(ctx, s, t)
		if err != nil {
			return err
		}
		refused, done := a.read(s, t, r)
		if done {
			return nil
		}
		if try == maxRefused {
			a.problem("questions about %s were not answered: the verifier's front end still refused some after %d further runs", nameOf(s), maxRefused)
			return nil
		}
		if try == maxRefused-1 {
			refused = append(refused, ofSameFunctions(s, refused)...)
		}
		if s = s.Without(refused...); len(s.Parts) < 2 {
			return nil
		}
	}
}

// ofSameFunctions are the parts about functions that the given parts are about.
func ofSameFunctions(s *obligation.Shadow, names []string) []string {
	var out []string
	for _, p := range s.Parts {
		same := func(q obligation.Part) bool {
			return q.Obligation != nil && p.Obligation != nil && q.Obligation.Function == p.Obligation.Function && slices.Contains(names, q.Name)
		}
		if slices.ContainsFunc(s.Parts, same) && !slices.Contains(names, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// target is what a shadow is a part of: a target of the workspace, or the root that is verified without cargo. why says that there is none.
func (a *asking) target(ctx context.Context, s *obligation.Shadow) (_ verus.Target, why string, err error) {
	q := a.copy.request
	if len(q.Roots) > 0 {
		if !slices.Contains(q.Roots, s.Crate.Root) {
			return verus.Target{}, s.Crate.Root + " is not among the roots that are verified", nil
		}
		return verus.Target{Root: s.Crate.Root}, "", nil
	}
	if a.copy.workspace == nil {
		a.copy.workspace, err = q.Verifier.Workspace(ctx, a.copy.work, q.Manifest, a.options())
		var p *verus.Problem
		if errors.As(err, &p) {
			a.stop = p.Error()
			return verus.Target{}, a.stop, nil
		}
		if err != nil {
			return verus.Target{}, "", err
		}
	}
	for _, t := range a.copy.workspace.Targets {
		if t.Root == s.Crate.Root && t.Kind != "proc-macro" {
			return t, "", nil
		}
	}
	return verus.Target{}, "cargo names no library or program with the root " + s.Crate.Root, nil
}

// options are those of the request, with the time that is left.
func (a *asking) options() verus.Options {
	o := a.copy.request.Options
	if !a.deadline.IsZero() {
		o.Timeout = max(time.Until(a.deadline), time.Millisecond)
	}
	return o
}

// run puts a shadow to the verifier, and sees to it that cargo compiles it and nothing else.
func (a *asking) run(ctx context.Context, s *obligation.Shadow, t verus.Target) (*verus.Run, error) {
	r, err := a.once(ctx, s, t, false)
	if err != nil || t.Package == "" {
		return r, err
	}
	if stale(r, t) {
		// A dependency of the workspace is not as it was built last, since questions were asked about it. The verifier would look for this
		// part in it.
		p, err := a.copy.request.Verifier.Prepare(ctx, a.copy.work, a.copy.workspace, t.TargetID, a.options())
		if err != nil {
			return nil, err
		}
		a.count(p)
		if r, err = a.once(ctx, s, t, false); err != nil {
			return nil, err
		}
	}
	if taken(r, t) {
		r, err = a.once(ctx, s, t, true)
	}
	return r, err
}

// stale tells that cargo did not come to a target because another one failed.
func stale(r *verus.Run, t verus.Target) bool {
	return unit(r, t) == nil && slices.ContainsFunc(r.Diagnostics, func(d verus.Diagnostic) bool {
		return d.Failing() && d.Crate.Name != "" && d.Crate != t.TargetID
	})
}

// taken tells that cargo took a target as built already.
func taken(r *verus.Run, t verus.Target) bool {
	return slices.ContainsFunc(r.Targets, func(x verus.TargetResult) bool { return x.Target == t.TargetID && x.Fresh && len(x.Units) == 0 })
}

// once puts the shadow's text in the place of the file, runs the verifier, and puts the file back whatever happens.
func (a *asking) once(ctx context.Context, s *obligation.Shadow, t verus.Target, touch bool) (r *verus.Run, err error) {
	q, work := a.copy.request, a.copy.work
	restore, err := work.Replace(s.File, s.Text)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	if touch {
		if err := work.Touch(s.File); err != nil {
			return nil, err
		}
	}
	part := verus.Part{Module: s.Module, Functions: "*" + s.Prefix() + "*"}
	if t.Package == "" {
		r, err = q.Verifier.AskFile(ctx, work, t.Root, part, a.options())
	} else {
		r, err = q.Verifier.AskTarget(ctx, work, a.copy.workspace, t.TargetID, part, a.options())
	}
	if err != nil {
		return nil, err
	}
	a.count(r)
	return r, nil
}

func (a *asking) count(r *verus.Run) {
	a.out.Runs++
	a.out.Verifying += r.Ended.Duration
}

// unit is the one summary about a target; nil if there is none, or more than one.
func unit(r *verus.Run, t verus.Target) *verus.Unit {
	for i, x := range r.Targets {
		if x.Expected && (t.Package == "" || x.Target == t.TargetID) && len(x.Units) == 1 {
			return &r.Targets[i].Units[0]
		}
	}
	return nil
}

// bySolverAlone tells a failure that the solver found from one that the verifier found before it came to ask the solver.
func bySolverAlone(d verus.Diagnostic) bool {
	return (d.Outcome() == verus.Failed || d.Outcome() == verus.ResourceLimit) && d.Category != verus.Cheating
}

// said are the failing diagnostics of a run, by the parts of the shadow that they are in.
type said struct {
	in    map[string][]verus.Diagnostic
	loose []verus.Diagnostic
}

func diagnostics(s *obligation.Shadow, t verus.Target, r *verus.Run) said {
	out := said{in: map[string][]verus.Diagnostic{}}
	for _, d := range r.Diagnostics {
		if !d.Failing() {
			continue
		}
		found := false
		for _, p := range s.Parts {
			inside := func(l verus.Label) bool {
				return !l.Span.Foreign && l.Span.File == s.File && p.Span.Start <= l.Span.Bytes.Start && l.Span.Bytes.Start < p.Span.End
			}
			if (t.Package == "" || d.Crate == t.TargetID) && slices.ContainsFunc(d.Labels, inside) {
				out.in[p.Name] = append(out.in[p.Name], d)
				found = true
			}
		}
		if !found {
			out.loose = append(out.loose, d)
		}
	}
	return out
}

// read notes what a run says of the shadow. It returns the parts that the front end refused, when the others have to be asked without them.
func (a *asking) read(s *obligation.Shadow, t verus.Target, r *verus.Run) (refused []string, done bool) {
	u, d := unit(r, t), diagnostics(s, t, r)
	passed := u != nil && u.Counted && !u.EncounteredVIR && r.Ended.Stop == 0 && r.Problem == nil
	for _, p := range s.Parts {
		for _, x := range d.in[p.Name] {
			if !bySolverAlone(x) {
				passed = false
				if a.results[p.Name] != obligation.Rejected {
					a.results[p.Name] = obligation.Rejected
					refused = append(refused, p.Name)
					a.problem("the verifier does not accept %s: %s", question(p), firstLine(x.Message))
				}
			}
		}
	}
	var outside *verus.Diagnostic
	for i, x := range d.loose {
		if !bySolverAlone(x) {
			passed = false
			if outside == nil {
				outside = &d.loose[i]
			}
			if at := x.Place; at.File == s.File && !at.Foreign {
				if _, own := s.Origin(at.Bytes.Start); !own {
					// In a definition of base's that was brought along: without it nothing can be compared.
					refused = append(refused, comparing(s, refused)...)
				}
			}
		}
	}
	if passed {
		a.verdicts(s, u, d)
		return nil, true
	}
	// What the solver found before the end holds all the same.
	for name, l := range d.in {
		if a.results[name] != obligation.Rejected {
			a.results[name] = notProved(l)
		}
	}
	ended := r.Ended.Stop == 0 && r.Problem == nil
	if ended && len(refused) > 0 && !slices.Contains(refused, s.Canary) {
		return refused, false
	}
	why := "the verifier gives no summary of it"
	if len(r.Reasons) > 0 {
		why = r.Reasons[0].Text
	}
	switch {
	case !ended && r.Problem != nil:
		why = r.Problem.Error()
		if k := r.Problem.Kind; k != verus.CutOutput && k != verus.Crashed {
			a.stop = why // it will not be otherwise the next time
		}
	case r.Ended.Stop == verus.StoppedByTime:
		why = a.timeOver()
		a.stop = why
	case !ended:
		// The reason about the end of the process is the one to show.
		for _, x := range r.Reasons {
			if x.Target.Name == "" && !x.Diagnosed {
				why = x.Text
				break
			}
		}
	case outside != nil:
		why = "the verifier says: " + firstLine(outside.Message)
		if outside.Place.Valid() {
			why = fmt.Sprintf("its crate does not pass the verifier's front end, at %s: %s", a.place(s, outside.Place), firstLine(outside.Message))
			a.broken[s.Crate.Key] = true
		}
	}
	a.told[moduleKey(s)] = true
	a.problem("questions about %s were not answered: %s", nameOf(s), why)
	return nil, true
}

// firstLine is a message of the verifier without the lists and hints behind it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// comparing are the parts about two contracts, other than those that are named.
func comparing(s *obligation.Shadow, but []string) []string {
	var out []string
	for _, p := range s.Parts {
		if p.Obligation != nil && p.Obligation.Pair != nil && !slices.Contains(but, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// place shows a place as people find it, in the file without what was added.
func (a *asking) place(s *obligation.Shadow, at verus.Span) string {
	file := a.side.Source(at.File)
	if file == nil {
		return fmt.Sprintf("%s:%d", at.File, at.Line)
	}
	offset := at.Bytes.Start
	if at.File == s.File {
		offset, _ = s.Origin(offset)
	}
	return fmt.Sprintf("%s:%v", at.File, file.Position(offset))
}

// notProved is the verdict on a part that diagnostics of the solver are in.
func notProved(l []verus.Diagnostic) obligation.Verdict {
	if slices.ContainsFunc(l, func(d verus.Diagnostic) bool { return d.Category == verus.RLimit }) {
		return obligation.TimedOut
	}
	return obligation.NotProved
}

// verdicts notes what the summary of a run that came to its end says of each part. Proved is only what the summary says so of, that the verifier
// spent something on, and that no diagnostic is in.
func (a *asking) verdicts(s *obligation.Shadow, u *verus.Unit, d said) {
	lines := map[string][]verus.FunctionResult{}
	for _, f := range u.Functions {
		name := f.Name[strings.LastIndexByte(f.Name, ':')+1:]
		lines[name] = append(lines[name], f)
	}
	// Nothing but its place tells whose a failure about bit vectors is.
	suspect := slices.ContainsFunc(d.loose, func(x verus.Diagnostic) bool { return x.Category == verus.BitVector || !x.Place.Valid() })
	if suspect {
		a.problem("questions about %s were not answered: an error of the verifier cannot be assigned to one of them: %s", nameOf(s), firstLine(d.loose[0].Message))
	}
	silent := 0
	for _, p := range s.Parts {
		l := lines[p.Name]
		v := obligation.NotRun
		switch {
		case len(d.in[p.Name]) > 0:
			v = notProved(d.in[p.Name])
		case slices.ContainsFunc(l, func(f verus.FunctionResult) bool { return !f.Success }):
			v = obligation.NotProved
		case len(l) > 1:
			a.problem("%s was not answered: the verifier names %d functions %s", question(p), len(l), p.Name)
		case len(l) == 0 || l[0].Millis == 0 && l[0].RLimit == 0:
			silent++
		case !suspect:
			v = obligation.Proved
		}
		a.results[p.Name] = v
	}
	if silent > 0 {
		a.problem("the verifier did not look at %d of the proof functions about %s", silent, nameOf(s))
	}
	switch a.results[s.Canary] {
	case obligation.NotProved, obligation.TimedOut:
	case obligation.Proved:
		a.broken[moduleKey(s)] = true
		a.problem("no answer about %s counts: the verifier proves `false` there from what the module believes without proof", nameOf(s))
	default:
		for _, p := range s.Parts {
			if a.results[p.Name] == obligation.Proved {
				a.results[p.Name] = obligation.NotRun
			}
		}
		a.problem("no answer about %s counts: the verifier did not look at the proof function that it must not prove", nameOf(s))
	}
}

// question names a part in a problem.
func question(p obligation.Part) string {
	if p.Obligation == nil {
		return "the proof function that must not be proved"
	}
	return fmt.Sprintf("the question %q about %s", p.Obligation.Question.String(), p.Obligation.Function.Symbol)
}

package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// maxEscapes is the most wrong results of one function that are kept to be shown.
const maxEscapes = 5

// asked is a suite with the contract's answers.
type asked struct {
	tests    []test
	fates    []fate // of the mutants that differ
	clauses  []spectest.ClauseCount
	inputs   int
	domain   checks.Domain
	mutants  mutate.Result
	returned []bool // by input of the pool, of those that meet requires
}

// test is a spectest: of the suite, or of a case file.
type test struct {
	spectest.Spectest
	given  bool
	answer eval.Verdict
	// key tells the spectest apart from others of the same pool.
	key string
}

// fate is what became of a mutant that gave a result which the function does not give.
type fate struct {
	mutant  mutate.Mutant
	verdict eval.Verdict // Accepted: it survives
	// input and wrong are the simplest result that the contract allows, of the size given; it is 0 if there is none.
	input int
	wrong spectest.Observed
	size  int
	// results are those that differ and are not rejected.
	results []mutantResult
}

type mutantResult struct {
	input int
	wrong spectest.Observed
}

// keep notes a result that the contract allows.
func (f *fate) keep(s *sided, input int, wrong spectest.Observed) {
	if size := s.size(input, wrong) + 1; f.size == 0 || size < f.size {
		f.input, f.wrong, f.size = input, wrong, size
	}
}

type refuted struct {
	input  int
	got    spectest.Observed
	clause *eval.Clause
}

// conclude puts the suites together and asks the contracts. The error is that of ctx.
func (r *Result) conclude(ctx context.Context) error {
	ctx, done, late := r.within(ctx)
	defer done()
	err := r.ask(ctx)
	if err != nil && late() {
		for _, s := range []*sided{r.base, r.head} {
			if s.open() {
				s.suite, s.unmeasured = nil, r.o.slow()
			}
		}
		return nil
	}
	return err
}

func (r *Result) ask(ctx context.Context) error {
	if r.same {
		r.base.ran, r.base.job = r.head.ran, r.head.job
	}
	var made *spectest.Suite
	for _, s := range []*sided{r.head, r.base} {
		if !s.open() || s.ran == nil {
			continue
		}
		if why := s.gaveNothing(); why != "" {
			s.unmeasured = why
			continue
		}
		var err error
		if !r.same || made == nil {
			// One suite for both sides: wrong results are made for every input that either allows.
			allowed := slices.Clone(s.meets)
			if r.same {
				for i := range allowed {
					allowed[i] = allowed[i] || r.base.meets[i]
				}
			}
			if made, err = s.assemble(allowed); err != nil {
				return err
			}
		}
		n, err := s.put(ctx, r.o, made)
		if r.asked != nil {
			r.asked.Add(int64(n))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gaveNothing says why the function gave nothing to go by; empty if it gave something.
func (s *sided) gaveNothing() string {
	if s.ran.Unmeasured != "" {
		return s.ran.Unmeasured
	}
	ends := map[string]int{}
	tried := 0
	for i, o := range s.ran.Outcomes {
		if !s.meets[i] {
			continue
		}
		if o.End == Returned {
			return ""
		}
		tried++
		text := endWords[o.End]
		if o.Text != "" {
			text += " (" + o.Text + ")"
		}
		ends[text]++
	}
	most := ""
	for text, n := range ends {
		if most == "" || n > ends[most] || n == ends[most] && text < most {
			most = text
		}
	}
	return fmt.Sprintf("it returned for none of %d inputs: it %s", tried, most)
}

var endWords = map[End]string{Panicked: "panicked", Endless: "did not end in its time", Crashed: "ended the process", Lost: "was not run to its end", 0: "was not run"}

func (s *sided) observed(i int) *spectest.Observed {
	if o := s.ran.Outcomes[i]; o.End == Returned {
		return &o.Got
	}
	return nil
}

// assemble makes the suite over the inputs that are allowed.
func (s *sided) assemble(allowed []bool) (*spectest.Suite, error) {
	observed := make([]*spectest.Observed, len(s.pool))
	for i := range s.pool {
		if allowed[i] {
			observed[i] = s.observed(i)
		}
	}
	var results []spectest.MutantResult
	for m, outcomes := range s.ran.Mutants {
		for i, o := range outcomes {
			if o.End == Returned && observed[i] != nil {
				results = append(results, spectest.MutantResult{Mutant: s.job.Mutants.Mutants[m].ID, Input: i, Got: o.Got})
			}
		}
	}
	return spectest.Assemble(s.target, s.pool, observed, results, spectest.Budget{})
}

// put asks a side's contract about the spectests whose inputs it allows, and tells how many questions that took.
func (s *sided) put(ctx context.Context, o Options, made *spectest.Suite) (n int, err error) {
	suite := &spectest.Suite{Target: s.target, Inputs: s.pool, Observed: slices.Clone(made.Observed), Counts: made.Counts}
	out := &asked{mutants: s.job.Mutants, returned: make([]bool, len(s.pool))}
	for i := range s.pool {
		if !s.meets[i] {
			suite.Observed[i] = nil
		}
		if suite.Observed[i] != nil {
			out.inputs++
			out.returned[i] = true
		}
	}
	for _, t := range made.Tests {
		if s.meets[t.Input] {
			suite.Tests = append(suite.Tests, t)
		}
	}
	n = len(suite.Tests)
	report, err := suite.Ask(ctx)
	if errors.Is(err, spectest.ErrCanary) {
		s.void = err.Error()
		return n, nil
	}
	if err != nil {
		return n, err
	}
	if len(report.Refuted) > 0 {
		at := report.Refuted[0]
		for _, x := range report.Refuted {
			if s.pool[x.Input].Size() < s.pool[at.Input].Size() {
				at = x
			}
		}
		s.refuted = &refuted{at.Input, *suite.Observed[at.Input], at.Answer.Clause}
		return n, nil
	}
	out.clauses = report.Clauses
	answers := map[string]eval.Verdict{}
	for i, t := range suite.Tests {
		x := test{Spectest: t, answer: report.Answers[i].Verdict, key: keyAt(t.Input, t.Wrong)}
		answers[x.key] = x.answer
		out.tests = append(out.tests, x)
	}
	j := s.target.Judge()
	verdict := func(input int, wrong spectest.Observed) eval.Verdict {
		key := keyAt(input, wrong)
		v, ok := answers[key]
		if !ok {
			n++
			v = j.Ask(&eval.Case{Args: s.pool[input].Args, Result: wrong.Result, After: wrong.After}).Verdict
			answers[key] = v
		}
		return v
	}
	if err := s.askGiven(ctx, o, out, verdict); err != nil {
		return n, err
	}
	if err := s.fates(ctx, out, suite.Observed, verdict); err != nil {
		return n, err
	}
	for i, oc := range s.ran.Outcomes {
		if s.meets[i] {
			continue
		}
		out.domain.Tried++
		if oc.End == Returned {
			out.domain.Returned++
		}
	}
	if o.CountDomain {
		out.domain.Counted += out.domain.Returned
	}
	s.suite = out
	return n, nil
}

// askGiven asks about the cases of the repository: those that are not what the function gives. For inputs that requires excludes they are no
// spectests, unless the policy wants those counted.
func (s *sided) askGiven(ctx context.Context, o Options, out *asked, verdict func(int, spectest.Observed) eval.Verdict) error {
	seen := map[string]bool{}
	for _, g := range s.given {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := keyAt(g.input, g.got)
		if seen[key] {
			continue
		}
		seen[key] = true
		obs := s.observed(g.input)
		if !s.meets[g.input] {
			// An input for which the function returns is counted with the others.
			if o.CountDomain && obs == nil {
				out.domain.Counted++
			}
			continue
		}
		if obs == nil || key == keyAt(g.input, *obs) || s.target.Alike(g.got, *obs) {
			continue
		}
		if i := slices.IndexFunc(out.tests, func(t test) bool { return t.key == key }); i >= 0 {
			out.tests[i].given = true // made from an observed result too
			continue
		}
		out.tests = append(out.tests, test{Spectest: spectest.Spectest{Input: g.input, Wrong: g.got}, given: true, answer: verdict(g.input, g.got), key: key})
	}
	return nil
}

// fates tells what became of each mutant, by all its results and not only by those that the suite had room for.
func (s *sided) fates(ctx context.Context, out *asked, observed []*spectest.Observed, verdict func(int, spectest.Observed) eval.Verdict) error {
	for m, outcomes := range s.ran.Mutants {
		f := fate{mutant: s.job.Mutants.Mutants[m]}
		differs, rejected, undecided, stopped := false, false, false, false
		for i, oc := range outcomes {
			if err := ctx.Err(); err != nil {
				return err
			}
			obs := observed[i]
			if obs == nil {
				continue
			}
			if oc.End != Returned {
				stopped = stopped || oc.End == Panicked
				continue
			}
			if oc.Got.Key() == obs.Key() || s.target.Alike(oc.Got, *obs) {
				continue
			}
			differs = true
			switch verdict(i, oc.Got) {
			case eval.Rejected:
				rejected = true
			case eval.Accepted:
				f.keep(s, i, oc.Got)
				f.results = append(f.results, mutantResult{i, oc.Got})
			default:
				undecided = true
				f.results = append(f.results, mutantResult{i, oc.Got})
			}
			if rejected {
				break
			}
		}
		if !differs {
			continue
		}
		switch {
		// One that panics where the function returns is refused by the verifier, whatever the contract says.
		case rejected || stopped:
			f.verdict = eval.Rejected
		case undecided:
			f.verdict = eval.Undecided
		default:
			f.verdict = eval.Accepted
		}
		out.fates = append(out.fates, f)
	}
	return nil
}

func (s *sided) size(input int, o spectest.Observed) int {
	n := s.pool[input].Size()
	for _, v := range append(slices.Clone(o.After), o.Result) {
		if v != nil {
			n += value.Size(v)
		}
	}
	return n
}

func keyAt(input int, o spectest.Observed) string { return fmt.Sprint(input, " ", o.Key()) }

// compare sets what follows from both sides.
func (r *Result) compare(out *checks.StrengthPair) {
	if !r.same || r.base.suite == nil || r.head.suite == nil {
		return
	}
	out.Comparable = true
	was := map[string]eval.Verdict{}
	for _, t := range r.base.suite.tests {
		was[t.key] = t.answer
	}
	both, base, head := 0, 0, 0
	var lost []test
	for _, t := range r.head.suite.tests {
		before, ok := was[t.key]
		if !ok || before == eval.Undecided || t.answer == eval.Undecided {
			continue
		}
		both++
		if before == eval.Rejected {
			base++
		}
		if t.answer == eval.Rejected {
			head++
		} else if before == eval.Rejected {
			lost = append(lost, t)
		}
	}
	if both == 0 {
		return
	}
	delta := float64(head-base) / float64(both)
	out.Delta = &delta
	out.Lost = r.head.escapes(lost)
}

// measured is a side as rules see it.
func (s *sided) measured(o Options) *checks.Measured {
	if s == nil {
		return nil
	}
	m := &checks.Measured{Function: s.side.Function, NotApplicable: s.notApplicable, Unmeasured: s.unmeasured, Void: s.void, Ran: s.ran != nil && s.ran.Compiled}
	if x := s.refuted; x != nil {
		m.Refuted = &checks.Refutation{Escape: s.escape(x.input, x.got, spectest.Observed{})}
		if x.clause != nil {
			m.Refuted.Clause, m.Refuted.File, m.Refuted.Span = written(*x.clause)
		}
	}
	if s.suite == nil {
		return m
	}
	a := s.suite
	out := &checks.Spectests{Inputs: a.inputs, Domain: a.domain}
	var escaped []test
	for _, t := range a.tests {
		tally := &out.Edits
		switch {
		case t.given:
			tally = &out.Given
		case t.Source == spectest.FromMutant:
			tally = &out.Mutants
		}
		switch t.answer {
		case eval.Rejected:
			tally.Rejected++
		case eval.Accepted:
			tally.Escaped++
			escaped = append(escaped, t)
		default:
			tally.Undecided++
		}
	}
	out.Escapes = s.escapes(escaped)
	out.Fates.Generated = len(a.mutants.Mutants)
	for _, f := range a.fates {
		out.Fates.Differing++
		switch f.verdict {
		case eval.Rejected:
			out.Fates.Killed++
		case eval.Accepted:
			out.Fates.Survived++
			out.Survivors = append(out.Survivors, checks.Survivor{ID: f.mutant.ID, Diff: f.mutant.Diff(s.job.Function), Line: f.mutant.Line,
				Witness: s.escape(f.input, *s.observed(f.input), f.wrong)})
		default:
			out.Fates.Undecided++
		}
	}
	for _, c := range a.clauses {
		text, file, span := written(c.Clause)
		out.Clauses = append(out.Clauses, checks.ClauseUse{Kind: c.Clause.Kind, Text: text, File: file.Path, Span: file.Range(span), Rejects: c.Rejects, Only: c.Only})
	}
	out.Domain.Example = s.domainExample(&out.Domain)
	if x := out.Domain.Example; x != nil && out.Domain.Counted > 0 {
		e := *x
		e.Wrong = "any other result, since its requires excludes the call"
		out.Escapes = append(out.Escapes, e)
	}
	m.Suite = out
	return m
}

// domainExample is the simplest input that requires excludes and for which the function returns. Those that the other side allows come first.
func (s *sided) domainExample(d *checks.Domain) *checks.Escape {
	best := -1
	allowed := func(i int) bool { return s.other != nil && s.other[i] }
	for i, o := range s.ran.Outcomes {
		if s.meets[i] || o.End != Returned {
			continue
		}
		if best < 0 || allowed(i) && !allowed(best) || allowed(i) == allowed(best) && s.pool[i].Size() < s.pool[best].Size() {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	d.Allowed = allowed(best)
	e := s.escape(best, s.ran.Outcomes[best].Got, spectest.Observed{})
	return &e
}

// written is a clause as its file has it, on one line.
func written(c eval.Clause) (text string, file *source.File, span source.Span) {
	file, span = c.Node.File().Source, c.Node.Span()
	if body := c.Node.Get(syntax.FBody); c.Node.Kind() == syntax.Fn && body.Valid() {
		span = body.Span()
	}
	return strings.Join(strings.Fields(string(file.Text[span.Start:span.End])), " "), file, span
}

// escapes shows spectests, the simplest first.
func (s *sided) escapes(tests []test) []checks.Escape {
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(s.size(a.Input, a.Wrong), s.size(b.Input, b.Wrong)) })
	var out []checks.Escape
	seen := map[string]bool{}
	// One for each input first: several wrong results of one input show less.
	for _, again := range []bool{false, true} {
		for _, t := range tests {
			if len(out) >= maxEscapes {
				return out
			}
			e := s.escape(t.Input, *s.observed(t.Input), t.Wrong)
			if seen[e.Call] != again || seen[t.key] {
				continue
			}
			seen[e.Call], seen[t.key] = true, true
			out = append(out, e)
		}
	}
	return out
}

func (s *sided) escape(input int, got, wrong spectest.Observed) checks.Escape {
	j := s.target.Judge()
	args := s.pool[input].Args
	k := func(o spectest.Observed) *eval.Case { return &eval.Case{Args: args, Result: o.Result, After: o.After} }
	e := checks.Escape{Call: j.Call(k(got)), Result: j.Outcome(k(got))}
	var parts []string
	for i, p := range j.Params() {
		parts = append(parts, p.Name+" = "+value.Short(args[i]))
	}
	e.Input = strings.Join(parts, ", ")
	if wrong.Result != nil || wrong.After != nil {
		e.Wrong = j.Outcome(k(wrong))
	}
	return e
}

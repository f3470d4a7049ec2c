package measure

import (
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
)

// Open are the spectests of one side that the evaluator leaves undecided, for the verifier.
type Open struct {
	Function *model.Function
	Cases    []eval.Case

	side *sided
	at   []int // places in the side's tests
}

// Open gives what is undecided of head, or of base: at most so many cases.
func (r *Result) Open(base bool, most int) *Open {
	s := r.head
	if base {
		s = r.base
	}
	if s == nil || s.suite == nil {
		return nil
	}
	o := &Open{Function: s.side.Function, side: s}
	for i, t := range s.suite.tests {
		if t.answer == eval.Undecided && len(o.Cases) < most {
			o.Cases = append(o.Cases, eval.Case{Args: s.pool[t.Input].Args, Result: t.Wrong.Result, After: t.Wrong.After})
			o.at = append(o.at, i)
		}
	}
	if len(o.Cases) == 0 {
		return nil
	}
	return o
}

// Decide notes what the verifier proved of a case: that the contract rejects it, or that it allows it. If it proved both, the contract is not
// consistent and the case stays undecided.
func (o *Open) Decide(i int, rejected, allowed bool) {
	t := &o.side.suite.tests[o.at[i]]
	switch {
	case rejected && !allowed:
		t.answer = eval.Rejected
	case allowed && !rejected:
		t.answer = eval.Accepted
	default:
		return
	}
	o.side.again()
}

// again has what follows from the answers follow from the new ones: the fates of mutants that were open.
func (s *sided) again() {
	answers := map[string]eval.Verdict{}
	for _, t := range s.suite.tests {
		answers[t.key] = t.answer
	}
	for i := range s.suite.fates {
		f := &s.suite.fates[i]
		if f.verdict != eval.Undecided {
			continue
		}
		open := false
		for _, w := range f.results {
			switch answers[keyAt(w.input, w.wrong)] {
			case eval.Rejected:
				f.verdict = eval.Rejected
			case eval.Accepted:
				f.keep(s, w.input, w.wrong)
			case eval.Undecided, 0:
				open = true
			}
		}
		if f.verdict == eval.Undecided && !open {
			f.verdict = eval.Accepted
		}
	}
}

// Unique notes that the verifier proved that the contract of head, or of base, allows one result only. When a spectest that escapes refutes it, no
// answer about the contract counts.
func Unique(p *checks.StrengthPair, base bool) {
	m := p.Head
	if base {
		m = p.Base
	}
	if m == nil || m.Suite == nil {
		return
	}
	if s := m.Suite; s.Edits.Escaped+s.Mutants.Escaped+s.Given.Escaped > 0 {
		m.Void = "internal error: the verifier proves that the contract allows one result only, and " + s.Escapes[0].Call + " has two that it allows"
		m.Suite = nil
		p.Comparable, p.Delta, p.Lost = false, nil, nil
		return
	}
	m.Suite.Unique = true
}

// Tests are the spectests of head, or of base, with what is known of each.
func (r *Result) Tests(base bool) ([]eval.Case, []eval.Verdict) {
	s := r.head
	if base {
		s = r.base
	}
	if s == nil || s.suite == nil {
		return nil, nil
	}
	var cases []eval.Case
	var answers []eval.Verdict
	for _, t := range s.suite.tests {
		cases = append(cases, eval.Case{Args: s.pool[t.Input].Args, Result: t.Wrong.Result, After: t.Wrong.After})
		answers = append(answers, t.answer)
	}
	return cases, answers
}

// Judge of head's contract, or of base's; nil where there is none.
func (r *Result) Judge(base bool) *eval.Judge {
	s := r.head
	if base {
		s = r.base
	}
	if s == nil || s.target == nil {
		return nil
	}
	return s.target.Judge()
}

package spectest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/value"
)

// Budget bounds a suite. Zero values mean the defaults.
type Budget struct {
	// PerInput is the most wrong results of one input, Total the most spectests of the function.
	PerInput, Total int
}

// The defaults of a Budget.
const (
	DefaultPerInput = 16
	DefaultTotal    = 256
)

func (b Budget) filled() Budget {
	if b.PerInput <= 0 {
		b.PerInput = DefaultPerInput
	}
	if b.Total <= 0 {
		b.Total = DefaultTotal
	}
	return b
}

// Source says where a wrong result came from. The two are never counted together without being told apart.
type Source uint8

const (
	_          Source = iota
	FromEdit          // an observed result, edited
	FromMutant        // what a mutant of the function gave
)

// String is "edit" or "mutant".
func (s Source) String() string {
	switch s {
	case FromEdit:
		return "edit"
	case FromMutant:
		return "mutant"
	}
	return "?"
}

// MutantResult is what a mutant of the function gave for an input.
type MutantResult struct {
	// Mutant is its id.
	Mutant string
	// Input is the place of the input in the suite.
	Input int
	Got   Observed
}

// Spectest is an input and a wrong result, which the contract must reject.
type Spectest struct {
	// Input is the place of the input in the suite.
	Input int
	Wrong Observed
	// Source is FromMutant where a mutant gave the result, even if an edit would have made the same.
	Source Source
	// Kind and Where are those of the edit that makes the result; 0 and empty if none does.
	Kind  Kind
	Where string
	// Mutants are the ids of all mutants that gave the result, in the order of Assemble's.
	Mutants []string
}

// Counts say what became of wrong results. Offered is the sum of Same, Alike, Duplicates, OverBudget, Edits and Mutants.
type Counts struct {
	// Offered: edits that were made, and results of mutants.
	Offered int
	// Same: results of mutants that are what the function gave.
	Same int
	// Alike: results that differ from what the function gave only in what the specifications of their types do not show, such as the order
	// in which a map keeps its entries. They are not wrong.
	Alike int
	// Duplicates of another wrong result of the same input.
	Duplicates int
	// OverBudget: left out because the suite had enough.
	OverBudget int
	// Edits and Mutants: the spectests, by source.
	Edits, Mutants int
}

// Suite is the spectests of one function.
type Suite struct {
	Target *Target
	Inputs []Input
	// Observed has an entry for every input: what the function gave, nil where it gave nothing that is known.
	Observed []*Observed
	// Tests are in the order of their size: the simplest input and wrong result first.
	Tests  []Spectest
	Counts Counts
}

// Case is a spectest as the evaluator takes it.
func (s *Suite) Case(i int) *eval.Case {
	test := s.Tests[i]
	return &eval.Case{Args: s.Inputs[test.Input].Args, Result: test.Wrong.Result, After: test.Wrong.After}
}

// Assemble makes the suite of a function from what it and its mutants gave. observed has an entry for every input, nil where the function
// gave nothing. The inputs must meet requires: of others every wrong result escapes, so there is nothing to ask, and the canary would find
// them out. Wrong results are taken by turns: of both sources, of all inputs, of every mutant and of every sort of edit.
func Assemble(t *Target, inputs []Input, observed []*Observed, mutants []MutantResult, b Budget) (*Suite, error) {
	if len(observed) != len(inputs) {
		return nil, fmt.Errorf("assemble the suite of %s: %d inputs, but %d observed results", t.symbol, len(inputs), len(observed))
	}
	b = b.filled()
	s := &Suite{Target: t, Inputs: inputs, Observed: observed}
	// candidates of each input, by source.
	var byEdit, byMutant = make([][]*candidate, len(inputs)), make([][]*candidate, len(inputs))
	known := make([]map[string]*candidate, len(inputs))
	for i := range inputs {
		known[i] = map[string]*candidate{}
	}
	for _, m := range mutants {
		if m.Input < 0 || m.Input >= len(inputs) {
			return nil, fmt.Errorf("assemble the suite of %s: a mutant's result for input %d of %d", t.symbol, m.Input, len(inputs))
		}
		obs := observed[m.Input]
		if obs == nil {
			continue
		}
		s.Counts.Offered++
		key := m.Got.Key()
		switch c := known[m.Input][key]; {
		case key == obs.Key():
			s.Counts.Same++
		case c == nil && s.Target.Alike(m.Got, *obs):
			s.Counts.Alike++
		case c != nil:
			s.Counts.Duplicates++
			if !slices.Contains(c.test.Mutants, m.Mutant) {
				c.test.Mutants = append(c.test.Mutants, m.Mutant)
			}
		default:
			c := &candidate{test: Spectest{Input: m.Input, Wrong: m.Got, Source: FromMutant, Mutants: []string{m.Mutant}}, sort: m.Mutant}
			known[m.Input][key] = c
			byMutant[m.Input] = append(byMutant[m.Input], c)
		}
	}
	for i, obs := range observed {
		if obs == nil {
			continue
		}
		context := Context{Args: inputs[i].Args}
		for d := 1; d < len(observed); d++ { // those of the nearest inputs first
			if o := observed[(i+d)%len(observed)]; o != nil && len(context.Others) < 2*fewOf {
				context.Others = append(context.Others, *o)
			}
		}
		for _, e := range t.Wrong(*obs, context) {
			s.Counts.Offered++
			key := e.Wrong.Key()
			if c := known[i][key]; c != nil {
				s.Counts.Duplicates++
				c.test.Kind, c.test.Where = e.Kind, e.Where
				continue
			}
			if s.Target.Alike(e.Wrong, *obs) {
				s.Counts.Alike++
				continue
			}
			c := &candidate{test: Spectest{Input: i, Wrong: e.Wrong, Source: FromEdit, Kind: e.Kind, Where: e.Where}, sort: e.sort()}
			known[i][key] = c
			byEdit[i] = append(byEdit[i], c)
		}
	}
	s.pick(byMutant, byEdit, b)
	for _, lists := range [][][]*candidate{byMutant, byEdit} {
		for _, l := range lists {
			s.Counts.OverBudget += len(l)
		}
	}
	s.Counts.OverBudget -= len(s.Tests)
	for _, test := range s.Tests {
		if test.Source == FromMutant {
			s.Counts.Mutants++
		} else {
			s.Counts.Edits++
		}
	}
	slices.SortStableFunc(s.Tests, func(a, b Spectest) int { return cmp.Compare(s.size(a), s.size(b)) })
	return s, nil
}

// Alike tells whether specifications cannot tell two outcomes of the function apart: then neither is wrong where the other is right.
func (t *Target) Alike(a, b Observed) bool {
	if t.Exact {
		return a.Key() == b.Key()
	}
	for i := range a.After {
		if a.After[i] != nil && !t.judge.Alike(a.After[i], b.After[i]) {
			return false
		}
	}
	return a.Result == nil || t.judge.Alike(a.Result, b.Result)
}

func (s *Suite) size(test Spectest) int {
	return s.Inputs[test.Input].Size() + sizeOf([]value.Value{test.Wrong.Result}) + sizeOf(test.Wrong.After)
}

type candidate struct {
	test  Spectest
	sort  string
	taken bool
}

// pick takes candidates in rounds: in each, of every input one of either source, and of its candidates one of the sort that was taken
// least so far.
func (s *Suite) pick(byMutant, byEdit [][]*candidate, b Budget) {
	used := [2]map[string]int{{}, {}}
	perInput := make([]int, len(s.Inputs))
	for more := true; more && len(s.Tests) < b.Total; {
		more = false
		for i := range s.Inputs {
			for src, lists := range [2][][]*candidate{byMutant, byEdit} {
				if perInput[i] >= b.PerInput || len(s.Tests) >= b.Total {
					continue
				}
				c := least(lists[i], used[src], i)
				if c == nil {
					continue
				}
				c.taken = true
				used[src][c.sort]++
				perInput[i]++
				s.Tests = append(s.Tests, c.test)
				more = true
			}
		}
	}
}

// least is the candidate, not yet taken, of the sort that was used least. Of several of one sort, other inputs take others.
func least(list []*candidate, used map[string]int, turn int) *candidate {
	best := -1
	var same []*candidate
	for _, c := range list {
		if c.taken {
			continue
		}
		switch n := used[c.sort]; {
		case best < 0 || n < best:
			best, same = n, []*candidate{c}
		case n == best && c.sort == same[0].sort:
			same = append(same, c)
		}
	}
	if len(same) == 0 {
		return nil
	}
	return same[turn%len(same)]
}

// ErrCanary says that the evaluator gave a wrong answer about a spectest whose answer is known beforehand, so that none of its answers
// about the suite may be believed.
var ErrCanary = errors.New("a canary was answered wrongly")

// Report is what a contract says of a suite.
type Report struct {
	// Answers are those about the spectests, in their order: Rejected; Accepted, which is a spectest that escaped; Undecided.
	Answers []eval.Answer
	// Rejected, Escaped and Undecided count Answers; their sum is the number of spectests. Edits and Mutants are the same by source: what
	// mutants gave counts there alone.
	Rejected, Escaped, Undecided int
	Edits, Mutants               Tally
	// Refuted are the places of inputs whose observed result the contract rejects: what it promises is not what the function does.
	Refuted []Refuted
	// Clauses tell what each postcondition by itself does, in the order in which they are written, the function's own first.
	Clauses []ClauseCount
}

// Tally counts the answers about spectests of one source.
type Tally struct {
	Rejected, Escaped, Undecided int
}

// Refuted is an observed result that the contract rejects.
type Refuted struct {
	Input  int
	Answer eval.Answer
}

// ClauseCount says how much one clause rejects of a suite.
type ClauseCount struct {
	Clause eval.Clause
	// Rejects is how many of the rejected spectests make it false, Only how many make no other clause false or undecided.
	Rejects, Only int
}

// Ask asks the contract about every spectest of the suite, by the evaluator alone. The error is ErrCanary, which makes the suite void, or
// that of ctx.
func (s *Suite) Ask(ctx context.Context) (*Report, error) {
	fail := func(err error) (*Report, error) {
		return nil, fmt.Errorf("ask the contract of %s: %w", s.Target.symbol, err)
	}
	if err := s.canaries(s.Target.judge.Canary); err != nil {
		return fail(err)
	}
	j := s.Target.judge
	r := &Report{Answers: make([]eval.Answer, len(s.Tests))}
	for i, obs := range s.Observed {
		if obs == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		if a := j.Ask(&eval.Case{Args: s.Inputs[i].Args, Result: obs.Result, After: obs.After}); a.Verdict == eval.Rejected {
			r.Refuted = append(r.Refuted, Refuted{i, a})
		}
	}
	for i, test := range s.Tests {
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		a := j.Ask(s.Case(i))
		r.Answers[i] = a
		tally := &r.Edits
		if test.Source == FromMutant {
			tally = &r.Mutants
		}
		switch a.Verdict {
		case eval.Rejected:
			r.Rejected++
			tally.Rejected++
			r.count(j.Each(s.Case(i)))
		case eval.Accepted:
			r.Escaped++
			tally.Escaped++
		default:
			r.Undecided++
			tally.Undecided++
		}
	}
	if r.Clauses == nil && len(s.Tests) > 0 {
		r.count(j.Each(s.Case(0)))
		for i := range r.Clauses {
			r.Clauses[i].Rejects, r.Clauses[i].Only = 0, 0
		}
	}
	return r, nil
}

// count adds what a rejected spectest makes of each clause.
func (r *Report) count(truths []eval.ClauseTruth) {
	if r.Clauses == nil {
		for _, t := range truths {
			r.Clauses = append(r.Clauses, ClauseCount{Clause: t.Clause})
		}
	}
	against, last := 0, -1
	for i, t := range truths {
		if t.Truth != value.True {
			against++
		}
		if t.Truth == value.False {
			r.Clauses[i].Rejects++
			last = i
		}
	}
	if against == 1 && last >= 0 {
		r.Clauses[last].Only++
	}
}

// canaries asks about one case of the suite under a postcondition that is always false, which must reject it, and under one that is
// always true, which must not. The case is an observed result, which is a valid value, in a call that meets requires.
func (s *Suite) canaries(judge func(ensures bool) *eval.Judge) error {
	if len(s.Tests) == 0 {
		return nil
	}
	for i, obs := range s.Observed {
		if obs == nil || !s.judged(*obs) {
			continue
		}
		k := &eval.Case{Args: s.Inputs[i].Args, Result: obs.Result, After: obs.After}
		for _, c := range []struct {
			ensures bool
			want    eval.Verdict
		}{{false, eval.Rejected}, {true, eval.Accepted}} {
			if a := judge(c.ensures).Ask(k); a.Verdict != c.want || a.Outside {
				return fmt.Errorf("%w: under `ensures %t`, %s gives %s is %s, not %s", ErrCanary, c.ensures, s.Target.judge.Call(k),
					s.Target.judge.Outcome(k), a.Verdict, c.want)
			}
		}
		return nil
	}
	return nil // no observed result can be judged, and so no spectest is decided
}

// judged tells whether the evaluator can say anything about a result, whatever is promised of it: not of one that breaks a type invariant, which
// all contracts reject.
func (s *Suite) judged(o Observed) bool {
	for _, v := range append(slices.Clone(o.After), o.Result) {
		if v != nil && (!s.Target.judge.Fits(v) || s.Target.judge.Valid(v) != value.True) {
			return false
		}
	}
	return true
}

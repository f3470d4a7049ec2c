package checks

import (
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
)

// Asked are the questions about contracts that were put to the verifier, with its answers. The nil Asked stands for no verifier. What is not proved is
// not known: it is never the opposite.
type Asked struct {
	answers map[askedKey]obligation.Verdict
	skipped map[askedKey]string
	clauses map[*model.Function][]*model.Clause
	none    string
}

type askedKey struct {
	question obligation.Question
	function *model.Function
	pair     *pair.Function
}

// NewAsked makes an Asked of answers about either side, and of the questions that were not put. none says why no question at all was put; it is
// empty if some were.
func NewAsked(answers []obligation.Answer, skipped []obligation.Skipped, none string) *Asked {
	a := &Asked{answers: map[askedKey]obligation.Verdict{}, skipped: map[askedKey]string{},
		clauses: map[*model.Function][]*model.Clause{}, none: none}
	for _, x := range answers {
		k := askedKey{x.Question, x.Function, x.Pair}
		if x.Question == obligation.ClauseRedundant {
			if x.Verdict == obligation.Proved {
				a.clauses[x.Function] = append(a.clauses[x.Function], x.Clause)
			}
			continue
		}
		a.answers[k] = x.Verdict
	}
	for _, s := range skipped {
		a.skipped[askedKey{s.Question, s.Function, s.Pair}] = s.Detail
	}
	return a
}

// Proved tells whether a question about one contract was answered.
func (a *Asked) Proved(q obligation.Question, f *model.Function) bool {
	return a != nil && f != nil && a.answers[askedKey{q, f, nil}] == obligation.Proved
}

// Void tells whether the answer to a question about one contract does not count, because the verifier proves anything where it was asked.
func (a *Asked) Void(q obligation.Question, f *model.Function) bool {
	return a != nil && f != nil && a.answers[askedKey{q, f, nil}] == obligation.Void
}

// Verdicts are the answers to the questions that compare the contracts of a pair.
func (a *Asked) Verdicts(p *pair.Function) map[obligation.Question]obligation.Verdict {
	out := map[obligation.Question]obligation.Verdict{}
	if a == nil {
		return out
	}
	for _, q := range Directions() {
		if v, ok := a.answers[askedKey{q, p.Head, p}]; ok {
			out[q] = v
		}
	}
	return out
}

// Directions are the questions that compare two contracts, in the order of reports.
func Directions() []obligation.Question {
	return []obligation.Question{obligation.RequiresNotStronger, obligation.EnsuresNotWeaker, obligation.RequiresNotWeaker, obligation.EnsuresNotStronger}
}

// Redundant are the clauses of a contract that were proved to follow from its others, each by itself, in the order in which they stand.
func (a *Asked) Redundant(f *model.Function) []*model.Clause {
	if a == nil {
		return nil
	}
	return a.clauses[f]
}

// Why says in a few words why a question that compares the contracts of a pair is not decided by the verifier.
func (a *Asked) Why(q obligation.Question, p *pair.Function) string {
	if a == nil {
		return "no verifier was asked"
	}
	k := askedKey{q, p.Head, p}
	if detail, ok := a.skipped[k]; ok {
		return "not asked: " + detail
	}
	if v, ok := a.answers[k]; ok {
		switch v {
		case obligation.NotProved:
			return "not proved"
		case obligation.TimedOut:
			return "the verifier came to no answer within its limits"
		case obligation.Rejected:
			return "the verifier does not accept the question"
		case obligation.Void:
			return "the verifier's answer does not count: where it was asked, it proves anything"
		case obligation.NotRun:
			return "the verifier did not come to it"
		}
	}
	if a.none != "" {
		return "not asked: " + a.none
	}
	return "not asked"
}

package obligation

import (
	"slices"

	"github.com/specgate/specgate/internal/pair"
)

// Verdict is what the verifier says of a proof function, the best first. The zero value is read as NotRun.
type Verdict uint8

const (
	_         Verdict = iota
	Proved            // every query of it succeeded
	NotProved         // unknown: it may hold all the same
	TimedOut          // time or the solver's resources ran out
	Rejected          // the verifier's front end does not accept it
	NotRun            // the verifier did not come to it
	Void              // the shadow's canary was proved: nothing that was proved there counts
)

// String is the verdict in a word or two.
func (v Verdict) String() string {
	switch v {
	case Proved:
		return "proved"
	case NotProved:
		return "not proved"
	case TimedOut:
		return "timed out"
	case Rejected:
		return "rejected"
	case NotRun:
		return "not run"
	case Void:
		return "void"
	}
	return "?"
}

// Answer to a question. Anything but Proved means that it is not known.
type Answer struct {
	*Obligation
	Verdict Verdict
	// Name of the proof function that was proved; empty for a given answer, and when none was.
	Name string
}

// Answers reads the verdicts by name of the proof function, the last part of the verifier's name for it. Names that are missing were not run.
func (p *Plan) Answers(results map[string]Verdict) []Answer {
	void := map[string]bool{}
	for _, s := range p.Shadows {
		if results[s.Canary] != Proved {
			continue
		}
		for _, part := range s.Parts {
			void[part.Name] = true
		}
	}
	out := make([]Answer, 0, len(p.Obligations))
	for _, o := range p.Obligations {
		a := Answer{Obligation: o, Verdict: NotRun}
		if o.Given {
			a.Verdict = Proved
		}
		spoilt := false
		for _, n := range o.Names {
			v := results[n]
			if void[n] {
				spoilt = true
				continue
			}
			if a.Verdict != Proved {
				if a.Verdict = better(a.Verdict, v); a.Verdict == Proved {
					a.Name = n
				}
			}
		}
		if spoilt && a.Verdict != Proved {
			a.Verdict = Void
		}
		out = append(out, a)
	}
	return out
}

// Truth of a statement as far as it is known.
type Truth uint8

const (
	_       Truth = iota
	Holds         // proved
	Fails         // refuted by a witness
	Unknown       // neither
	Both          // proved and refuted: one of the two is wrong, and nothing may be concluded
)

// String is the truth in a word.
func (t Truth) String() string {
	switch t {
	case Holds:
		return "holds"
	case Fails:
		return "fails"
	case Unknown:
		return "unknown"
	case Both:
		return "contradiction"
	}
	return "?"
}

// Relation of head's contract to base's.
type Relation uint8

const (
	_ Relation = iota
	Equal
	Stronger
	Weaker
	Incomparable
	Undecided
)

// String is the word of the report.
func (r Relation) String() string {
	switch r {
	case Equal:
		return "equal"
	case Stronger:
		return "stronger"
	case Weaker:
		return "weaker"
	case Incomparable:
		return "incomparable"
	}
	return "unknown"
}

// Witnesses tells which concrete cases were found that refute one of the four statements.
type Witnesses struct {
	// Lost is an input that base allows and head does not, Gained the other way.
	Lost, Gained bool
	// Accepted is a case, allowed by both, that head's ensures accepts and base's rejects; Refused the other way.
	Accepted, Refused bool
}

// Direction is what is known of head's contract against base's.
type Direction struct {
	Relation Relation
	// AtLeast: head's contract is at least as strong as base's: base's requires implies head's, and base's requires and head's ensures
	// imply base's ensures. AtMost is the same with the sides exchanged.
	AtLeast, AtMost Truth
	// Questions by themselves.
	RequiresNotStronger, EnsuresNotWeaker, RequiresNotWeaker, EnsuresNotStronger Truth
	// Missing are the questions that are neither proved nor refuted.
	Missing []Question
	// Why is the reason, when the contracts cannot be compared or the answers contradict each other.
	Why string
}

// Direction reads the answers about one pair. With a changed type the contracts are incomparable by construction.
func (p *Plan) Direction(pr *pair.Function, answers []Answer, w Witnesses) Direction {
	for _, s := range p.Skipped {
		if s.Pair == pr && s.Reason == TypesChanged {
			return Direction{Relation: Incomparable, AtLeast: Unknown, AtMost: Unknown, RequiresNotStronger: Unknown, EnsuresNotWeaker: Unknown,
				RequiresNotWeaker: Unknown, EnsuresNotStronger: Unknown, Why: s.Detail}
		}
	}
	verdicts := map[Question]Verdict{}
	for _, a := range answers {
		if a.Pair == pr {
			verdicts[a.Question] = a.Verdict
		}
	}
	d := Relate(verdicts, w)
	for _, s := range p.Skipped {
		if s.Pair == pr && slices.Contains(d.Missing, s.Question) && d.Why == "" {
			d.Why = s.Detail
		}
	}
	return d
}

// Relate joins the verdicts on the four questions with the witnesses.
func Relate(verdicts map[Question]Verdict, w Witnesses) Direction {
	truth := func(q Question, refuted bool) Truth {
		switch proved := verdicts[q] == Proved; {
		case proved && refuted:
			return Both
		case proved:
			return Holds
		case refuted:
			return Fails
		}
		return Unknown
	}
	d := Direction{
		RequiresNotStronger: truth(RequiresNotStronger, w.Lost),
		EnsuresNotWeaker:    truth(EnsuresNotWeaker, w.Accepted),
		RequiresNotWeaker:   truth(RequiresNotWeaker, w.Gained),
		EnsuresNotStronger:  truth(EnsuresNotStronger, w.Refused),
	}
	for _, x := range []struct {
		q Question
		t Truth
	}{{RequiresNotStronger, d.RequiresNotStronger}, {EnsuresNotWeaker, d.EnsuresNotWeaker}, {RequiresNotWeaker, d.RequiresNotWeaker},
		{EnsuresNotStronger, d.EnsuresNotStronger}} {
		switch x.t {
		case Unknown:
			d.Missing = append(d.Missing, x.q)
		case Both:
			d.Why = x.q.String() + ": proved, and refuted by a witness"
		}
	}
	d.AtLeast = and(d.RequiresNotStronger, d.EnsuresNotWeaker)
	d.AtMost = and(d.RequiresNotWeaker, d.EnsuresNotStronger)
	switch {
	case d.AtLeast == Holds && d.AtMost == Holds:
		d.Relation = Equal
	case d.AtLeast == Holds && d.AtMost == Fails:
		d.Relation = Stronger
	case d.AtLeast == Fails && d.AtMost == Holds:
		d.Relation = Weaker
	case d.AtLeast == Fails && d.AtMost == Fails:
		d.Relation = Incomparable
	default:
		d.Relation = Undecided
	}
	return d
}

func and(a, b Truth) Truth {
	switch {
	case a == Both || b == Both:
		return Both
	case a == Fails || b == Fails:
		return Fails
	case a == Holds && b == Holds:
		return Holds
	}
	return Unknown
}

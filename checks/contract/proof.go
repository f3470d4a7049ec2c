package contract

import (
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
)

// answers are the verifier's, and what follows from them.
type answers struct {
	asked  *checks.Asked
	joined map[*pair.Function]*verdict // with the verifier
	alones map[*model.Function]*verdict
	// outside are the pairs of functions that the change does not touch.
	outside map[*model.Function]*pair.Function
}

// hearing is what the verifier's answers add to a verdict.
type hearing struct {
	// contradictory and trivial tell that the verifier showed it, and not specgate by itself.
	contradictory, trivial bool
	// conflict says which statement was proved although a case refutes it.
	conflict string
}

// hear takes note of answers that were not there before.
func (c *comparer) hear(in *checks.Input) {
	var asked *checks.Asked
	if in.Proof != nil {
		asked = in.Proof.Asked
	}
	if c.joined == nil || asked != c.asked {
		c.asked, c.joined, c.haveEffects = asked, map[*pair.Function]*verdict{}, false
	}
}

// verdict on a pair, by all that is known.
func (c *comparer) verdict(p *pair.Function) *verdict {
	v := c.static(p)
	if c.asked == nil {
		return v
	}
	if c.joined[p] == nil {
		c.joined[p] = c.join(p, v)
	}
	return c.joined[p]
}

// join adds the verifier's answers to what is known without them. An answer and a case that contradict each other leave nothing known.
func (c *comparer) join(p *pair.Function, v *verdict) *verdict {
	if v.types {
		out := *v
		c.vacuity(p, v, &out) // head's contract is of another function, and can be empty all the same
		return &out
	}
	verdicts := c.asked.Verdicts(p)
	// What specgate has shown needs no answer.
	w := obligation.Witnesses{Lost: v.lost != nil, Gained: v.gained != nil, Accepted: v.accepted != nil, Refused: v.refused != nil}
	conflict := obligation.Relate(verdicts, w).Why
	contradictory := c.asked.Proved(obligation.Contradictory, p.Head)
	trivial := c.asked.Proved(obligation.Trivial, p.Head) && !contradictory && !v.contradictory
	switch {
	case contradictory && (w.Gained || w.Accepted && !v.contradictory || w.Refused && !v.contradictory):
		conflict = obligation.Contradictory.String() + ": proved, and refuted by a witness"
	case trivial && w.Refused:
		conflict = obligation.Trivial.String() + ": proved, and refuted by a witness"
	}
	if conflict != "" {
		return &verdict{direction: Unknown, by: "none", requires: Unknown, ensures: Unknown, unconstrained: v.unconstrained, asked: hearing{conflict: conflict}}
	}

	out := *v
	proved := func(q obligation.Question) bool { return verdicts[q] == obligation.Proved }
	out.known.reqKept = out.known.reqKept || proved(obligation.RequiresNotStronger)
	out.known.reqNotWeaker = out.known.reqNotWeaker || proved(obligation.RequiresNotWeaker)
	out.known.ensKept = out.known.ensKept || proved(obligation.EnsuresNotWeaker)
	out.known.ensNotStronger = out.known.ensNotStronger || proved(obligation.EnsuresNotStronger)
	out.known.bothKept = out.known.bothKept || out.known.ensKept
	out.known.bothNotStronger = out.known.bothNotStronger || out.known.ensNotStronger
	out.conclude()
	// That head is not stronger says nothing bad of it until something shows that it is weaker, too: such a half stays open.
	if v.requires == Unknown && out.requires == Stronger && out.lost == nil {
		out.requires = Unknown
	}
	if v.ensures == Unknown && out.ensures == Weaker && out.accepted == nil {
		out.ensures = Unknown
	}
	if v.direction == Unknown && out.direction == Weaker && out.lost == nil && out.accepted == nil {
		out.direction, out.by = Unknown, "none"
	}
	switch {
	case out.direction == v.direction:
		out.by = v.by
	case out.by != "none":
		out.by = "proof"
	}
	c.vacuity(p, v, &out)
	return &out
}

// vacuity adds what the verifier says of head's contract by itself to a verdict, which was v without it. What head's contract is and base's was before is not new.
// Where base's follows from head's, base's is so too.
func (c *comparer) vacuity(p *pair.Function, v, out *verdict) {
	contradictory := c.asked.Proved(obligation.Contradictory, p.Head)
	if contradictory && !v.contradictory {
		out.trivial = false
		if !out.known.reqKept && !c.asked.Proved(obligation.Contradictory, p.Base) {
			out.contradictory, out.asked.contradictory = true, true
		}
	}
	trivial := c.asked.Proved(obligation.Trivial, p.Head) && !contradictory && !v.contradictory
	if trivial && !v.trivial && !(out.known.reqKept && out.known.ensKept) && !c.asked.Proved(obligation.Trivial, p.Base) {
		out.trivial, out.asked.trivial = true, true
	}
}

// judged is the verdict on the contract of a function that base does not have, by all that is known.
func (c *comparer) judged(f *model.Function) *verdict {
	if c.alones == nil {
		c.alones = map[*model.Function]*verdict{}
	}
	if c.alones[f] == nil {
		c.alones[f] = c.alone(c.head, f)
	}
	v := c.alones[f]
	contradictory := c.asked.Proved(obligation.Contradictory, f) && !v.contradictory
	trivial := c.asked.Proved(obligation.Trivial, f) && !v.trivial && !contradictory && !v.contradictory
	if !contradictory && !trivial {
		return v
	}
	out := *v
	out.asked = hearing{contradictory: contradictory, trivial: trivial}
	if trivial {
		out.trivial = true
	}
	if contradictory {
		out.contradictory, out.trivial, out.unconstrained = true, false, false
	}
	return &out
}

// vacuous tells that the verifier finds no result that meets a contract, or no call: then all else about it is true and says nothing.
func (c *comparer) vacuous(f *model.Function) bool {
	return c.asked.Proved(obligation.Impossible, f) || c.asked.Proved(obligation.Contradictory, f)
}

// decided tells that each of the four statements about two contracts was shown or refuted.
func (v *verdict) decided() bool { return v.types || len(v.missing()) == 0 }

// missing are the statements about two contracts that were neither shown nor refuted.
func (v *verdict) missing() []obligation.Question {
	var out []obligation.Question
	for i, known := range []bool{v.known.reqKept || v.lost != nil, v.known.ensKept || v.accepted != nil,
		v.known.reqNotWeaker || v.gained != nil, v.known.ensNotStronger || v.refused != nil} {
		if !known {
			out = append(out, checks.Directions()[i])
		}
	}
	return out
}

// Ask is a question about one contract.
type Ask struct {
	Function  *model.Function
	Questions []obligation.Question
	// Clauses that may be redundant.
	Clauses []*model.Clause
}

// Open are the pairs whose contracts specgate alone cannot compare to the end, so that a verifier has to be asked: where it changes a finding or
// the direction in the report.
func Open(in *checks.Input) []*pair.Function {
	c := of(in)
	return slices.DeleteFunc(c.compared(in), func(p *pair.Function) bool { return !c.open(p) })
}

// compared are the pairs with contracts: those of the change, and those elsewhere that rest on a definition that changed.
func (c *comparer) compared(in *checks.Input) []*pair.Function {
	out := contractsOf(in)
	for _, e := range c.effects() {
		if u := e.user; u.Base != nil && u.Base.Mode != model.Spec && u.Head.Mode != model.Spec && said(u.Base, u.Head) && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

func (c *comparer) open(p *pair.Function) bool {
	if !mine(p) && p.Change == pair.Same {
		return false // the trait's method has it, and the report leaves this one out
	}
	v := c.static(p)
	if v.decided() || c.unsaid(p) != "" {
		return false
	}
	for _, q := range v.missing() {
		if results(p.Head) || q == obligation.RequiresNotStronger || q == obligation.RequiresNotWeaker {
			return true
		}
	}
	return false
}

// unsaid says why the clauses are not all of what two contracts say, so that comparing them would decide too much; empty if they are.
func (c *comparer) unsaid(p *pair.Function) string {
	if c.invariantsDiffer() {
		return "the invariant of a type changed, which is a part of contracts that has no clause"
	}
	if symbol := c.unnamed()[p]; symbol != "" {
		return symbol + " changed, which is a part of contracts that do not name it"
	}
	if p.Head.Kind == model.TraitImplMethod && p.Head.TraitMethod == nil && textSame(p) {
		return "the contract of the trait " + p.Head.Trait + " is not in the tree"
	}
	return ""
}

// unnamed are the contracts that rest on a definition that changed and that nothing names, with its symbol; see unwritten.
func (c *comparer) unnamed() map[*pair.Function]string {
	if c.silent == nil {
		c.silent = map[*pair.Function]string{}
		for _, spec := range c.pairs.Functions {
			if spec.Base != nil && spec.Head != nil && isSpec(spec.Base) && isSpec(spec.Head) && unwritten(spec.Head) && changedItself(spec) {
				for _, u := range c.users(spec) {
					c.silent[u] = spec.Head.Symbol
				}
			}
		}
	}
	return c.silent
}

func isInvariant(f *model.Function) bool {
	return f != nil && f.TypeInvariant()
}

// invariantsDiffer tells whether a type has another invariant than before, or one of the sides has none.
func (c *comparer) invariantsDiffer() bool {
	return slices.ContainsFunc(c.pairs.Functions, func(p *pair.Function) bool {
		b, h := isInvariant(p.Base), isInvariant(p.Head)
		return b != h || h && (c.changedFns[p.Head] || c.changedFns[p.Base])
	})
}

// results tells whether a function gives something back or changes something: only then can promises be weak.
func results(f *model.Function) bool {
	return f.ResultType != "" && f.ResultType != "()" || slices.ContainsFunc(f.Params, func(p model.Param) bool { return p.MutRef })
}

// Alone are the questions about single contracts of head: whether nothing meets them, everything does, one result only, and whether a new clause
// follows from the others. They are asked where the contract is new in that respect; whether one result only meets it is asked of each
// executable function that changed.
func Alone(in *checks.Input) []Ask {
	c := of(in)
	var out []Ask
	for _, p := range in.Pairs.Functions {
		if p.Head == nil || p.Head.Mode != model.Exec || p.Head.Kind == model.ConstFunction || !p.Head.Verified || len(p.Head.Contract()) == 0 || p.Base != nil && !p.Base.Verified {
			continue
		}
		ask := Ask{Function: p.Head}
		want := func(q obligation.Question) { ask.Questions = append(ask.Questions, q) }
		v := &verdict{}
		switch {
		case p.Base == nil && isTrait(p):
			continue
		case p.Base == nil:
			if v = c.judged(p.Head); v.contradictory || v.trivial {
				continue
			}
			want(obligation.Contradictory)
			want(obligation.Trivial)
		case p.Base.Mode != model.Spec && mine(p):
			if v = c.static(p); v.contradictory {
				continue
			}
			if !v.known.reqKept {
				want(obligation.Contradictory)
			}
			if !v.trivial {
				if !v.known.reqKept || !v.known.ensKept {
					want(obligation.Trivial)
				}
				if !textSame(p) && own(p) {
					ask.Clauses = newClauses(p)
				}
			}
		}
		if p.Change != pair.Same && results(p.Head) && !v.trivial {
			want(obligation.Unique)
		}
		if len(ask.Clauses) > 0 || slices.Contains(ask.Questions, obligation.Unique) || slices.Contains(ask.Questions, obligation.Trivial) {
			want(obligation.Impossible)
		}
		if len(ask.Questions) > 0 {
			out = append(out, ask)
		}
	}
	return out
}

// newClauses are head's own clauses of which base has no part.
func newClauses(p *pair.Function) []*model.Clause {
	var out []*model.Clause
	for _, j := range p.Contract.Added {
		if j.Clause != nil && !j.Inherited && meaningful(j.Kind) && !slices.Contains(out, j.Clause) {
			out = append(out, j.Clause)
		}
	}
	return slices.DeleteFunc(out, func(cl *model.Clause) bool {
		return slices.ContainsFunc(p.Contract.Same, func(j pair.Conjunct) bool { return j.Clause == cl })
	})
}

// AloneInBase are the questions about base's contracts without which the answers about head's may be blamed on the change.
func AloneInBase(in *checks.Input) []Ask {
	c := of(in)
	var out []Ask
	for _, p := range contractsOf(in) {
		if !mine(p) {
			continue
		}
		var ask []obligation.Question
		v := c.verdict(p)
		if v.asked.contradictory {
			ask = append(ask, obligation.Contradictory)
		}
		if v.asked.trivial {
			ask = append(ask, obligation.Trivial)
		}
		if len(ask) > 0 {
			out = append(out, Ask{Function: p.Base, Questions: ask})
		}
	}
	return out
}

// Undecided are the statements about the contracts of a pair that are neither shown nor refuted, with the reason.
func Undecided(in *checks.Input, p *pair.Function) []checks.OpenQuestion {
	if d, _ := Direction(in, p); d == "none" {
		return nil
	}
	c := of(in)
	v := c.verdict(p)
	if v.types {
		return nil
	}
	var out []checks.OpenQuestion
	for _, q := range v.missing() {
		out = append(out, checks.OpenQuestion{Question: q.String(), Why: c.why(p, v, q)})
	}
	return out
}

// why says why a statement is neither shown nor refuted.
func (c *comparer) why(p *pair.Function, v *verdict, q obligation.Question) string {
	if v.asked.conflict != "" {
		return v.asked.conflict
	}
	if c.asked == nil {
		return c.asked.Why(q, p)
	}
	if (q == obligation.EnsuresNotWeaker || q == obligation.EnsuresNotStronger) && !results(p.Head) {
		return "not asked: nothing is returned and nothing changes, so a promise that is true follows by itself"
	}
	if why := c.unsaid(p); why != "" {
		return "not asked: " + why
	}
	return c.asked.Why(q, p)
}

// Conflict is a statement about the contracts of a function that was proved although a case refutes it: specgate or the verifier is wrong.
type Conflict struct{ Symbol, What string }

// Conflicts are all of a change, in the order of the functions.
func Conflicts(in *checks.Input) []Conflict {
	c := of(in)
	var out []Conflict
	for _, p := range c.compared(in) {
		if v := c.verdict(p); v.asked.conflict != "" {
			out = append(out, Conflict{p.Head.Symbol, v.asked.conflict})
		}
	}
	return out
}

// Unique tells whether the contract of a head function was proved to allow one result only, for each input that it allows; nil: not known.
func Unique(in *checks.Input, f *model.Function) *bool {
	a := of(in).asked
	if f == nil || !a.Proved(obligation.Unique, f) || of(in).vacuous(f) {
		return nil
	}
	yes := true
	return &yes
}

// The four statements as a reader of a finding knows them.
var statementWords = map[obligation.Question]string{
	obligation.RequiresNotStronger: "that every call which base allows is still allowed",
	obligation.EnsuresNotWeaker:    "that everything which base promises is still promised",
	obligation.RequiresNotWeaker:   "that no more calls are allowed than in base",
	obligation.EnsuresNotStronger:  "that no more is promised than in base",
}

// notShown are lines about what the verifier was asked and did not prove.
func (c *comparer) notShown(p *pair.Function, questions ...obligation.Question) []string {
	if c.asked == nil {
		return nil
	}
	v := c.verdict(p)
	if v.types {
		return nil
	}
	if v.asked.conflict != "" {
		return []string{"The verifier proves what a case refutes, so that nothing is concluded (" + v.asked.conflict + ")."}
	}
	var out []string
	for _, q := range v.missing() {
		if slices.Contains(questions, q) {
			out = append(out, "Not shown: "+statementWords[q]+" ("+c.why(p, v, q)+").")
		}
	}
	return out
}

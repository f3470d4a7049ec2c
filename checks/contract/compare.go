// Package contract has the rules about what the contracts of functions promise and demand.
package contract

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/logic"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// Relation of head's formulas to base's.
type Relation = obligation.Relation

const (
	Equal        = obligation.Equal        // each follows from the other
	Stronger     = obligation.Stronger     // base's follow from head's, and the other way was refuted or not shown
	Weaker       = obligation.Weaker       // head's follow from base's, and the other way was refuted or not shown
	Incomparable = obligation.Incomparable // both ways were refuted
	Unknown      = obligation.Undecided
)

// verdict is what the comparison of two contracts found out.
type verdict struct {
	direction Relation
	by        string // "syntax", "witness", "proof" or "none"
	// requires and ensures by themselves.
	requires, ensures Relation
	// Inputs that one side allows and the other does not, results that one accepts and the other rejects; nil: none found.
	lost, gained, accepted, refused *checks.Witness
	// What is true of the head contract alone, and was not of base's.
	contradictory, trivial, unconstrained bool
	// types tells that a type in the signature changed, so that the contracts are about different functions.
	types bool
	// exhausted tells that what may be done for one change was used up before all was done for this comparison.
	exhausted bool
	// known are the statements that were shown.
	known statements
	// asked is what the verifier said beyond that.
	asked hearing
}

// refuted tells that a case shows the two contracts to differ.
func (v *verdict) refuted() bool {
	return v.lost != nil || v.gained != nil || v.accepted != nil || v.refused != nil
}

// statements about two contracts. Each is refuted by one of the witnesses of a verdict.
type statements struct {
	reqKept        bool // what base requires implies what head requires
	reqNotWeaker   bool // the other way
	ensKept        bool // for calls that base allows, what head promises implies what base does
	ensNotStronger bool // for calls that head allows, the other way
	// both are the last two for calls that both sides allow.
	bothKept, bothNotStronger bool
}

// conclude finds the relations that follow from the statements and the witnesses.
func (v *verdict) conclude() {
	k := v.known
	// A weaker precondition makes the contract stronger: seen from the formulas it is the other way round.
	v.requires = flip(relate(k.reqKept, k.reqNotWeaker, v.lost, v.gained))
	v.ensures = relate(k.bothKept, k.bothNotStronger, v.accepted, v.refused)
	atLeast, atMost := k.reqKept && k.ensKept, k.reqNotWeaker && k.ensNotStronger
	notAtLeast := v.lost != nil || v.accepted != nil
	notAtMost := v.gained != nil || v.refused != nil
	switch {
	case atLeast && atMost:
		v.direction, v.by = Equal, "syntax"
	case atLeast:
		v.direction, v.by = Stronger, by(notAtMost)
	case atMost:
		v.direction, v.by = Weaker, by(notAtLeast)
	case notAtLeast && notAtMost:
		v.direction, v.by = Incomparable, "witness"
	default:
		v.direction, v.by = Unknown, "none"
	}
}

// comparer compares contracts of one change. It is not safe for concurrent use; Memo guards it.
type comparer struct {
	pairs    *pair.Pairs
	stop     func() bool
	searched int // searches for witnesses so far
	found    []effect
	// haveEffects tells that found was filled in.
	haveEffects bool
	// others are what restingOnOther found; haveOthers tells that it looked.
	others     []*restsOnOther
	haveOthers bool
	// silent is what unnamed found.
	silent map[*pair.Function]string
	// extra are the places of parameters that only one of two contracts has, which are compared as if it had not; see beyondGhost.
	extra      map[*model.Function]map[int]bool
	left       int // steps left for all questions about this change
	base, head *side
	floats     bool
	// changedWords are the names of definitions that differ between the sides, or rest on one that does.
	changedWords map[string]bool
	changedFns   map[*model.Function]bool // of both sides
	// sameFns have another definition of the same function.
	sameFns  map[*model.Function]bool
	verdicts map[*pair.Function]*verdict // without the verifier
	begun    bool                        // that there are some
	answers
	resting map[*model.Function]bool
	// meant are the further words for those in functions; see meanings.
	meant map[*model.Function]map[string][]string
	// changedInvariant tells that the invariant of a type means something else.
	changedInvariant bool
	// affected are the head functions whose contract rests on a definition that changed.
	affected map[*model.Function]bool
}

func of(in *checks.Input) *comparer {
	c := in.Memo("contract", func() any { return newComparer(in) }).(*comparer)
	c.hear(in)
	return c
}

// Direction compares the contracts of a pair: "equal", "stronger", "weaker", "incomparable", "unknown", or "none" when a side is
// missing or neither has a contract, as spec functions and code outside of verification; and what decided it: "syntax" (the texts and
// their logic), "witness" (a concrete case), "proof" (the verifier) or "none".
func Direction(in *checks.Input, p *pair.Function) (direction, by string) {
	if p.Base == nil || p.Head == nil || !hasContract(p.Head) && !hasContract(p.Base) {
		return "none", "none"
	}
	c := of(in)
	v := c.verdict(p)
	if v.by == "syntax" && v.direction != Incomparable && slices.ContainsFunc(c.restingOnOther(), func(r *restsOnOther) bool { return r.user.Head == p.Head }) {
		return Unknown.String(), "none" // the texts say so, and a type in them is another one
	}
	return v.direction.String(), v.by
}

func hasContract(f *model.Function) bool { return f.Verified && f.Mode != model.Spec }

// maxSteps bounds the work for one change: some ten seconds. What is not decided by then is unknown.
const maxSteps = 1_000_000

// prover for one comparison; done takes its work off the change's budget.
func (c *comparer) prover(s *logic.Space, define func(app *logic.Term) *logic.Term) (p *logic.Prover, done func()) {
	p = &logic.Prover{S: s, Define: define, Stop: func() bool { return c.left <= 0 || c.stop() }}
	return p, func() { c.left -= p.Spent() }
}

func newComparer(in *checks.Input) *comparer {
	c := comparerWith(in, nil)
	same := map[*model.Function]bool{}
	for _, p := range in.Pairs.Functions {
		if c.changedFns[p.Head] && c.sameRecursion(p) {
			same[p.Base], same[p.Head] = true, true
		}
	}
	if len(same) > 0 {
		left := c.left
		c = comparerWith(in, same)
		c.left = left
	}
	return c
}

// comparerWith is a comparer that takes the definitions of some functions as unchanged, whatever their text.
func comparerWith(in *checks.Input, same map[*model.Function]bool) *comparer {
	pairs := in.Pairs
	c := &comparer{sameFns: same, stop: in.Done, left: maxSteps, pairs: pairs, changedWords: map[string]bool{}, changedFns: map[*model.Function]bool{}, verdicts: map[*pair.Function]*verdict{},
		resting: map[*model.Function]bool{}, meant: map[*model.Function]map[string][]string{}, affected: map[*model.Function]bool{}}
	c.base, c.head = c.newSide(pairs.Base, false), c.newSide(pairs.Head, true)
	for _, m := range []*model.Model{pairs.Base, pairs.Head} {
		for _, f := range m.Files {
			text := string(f.Syntax.Source.Text)
			c.floats = c.floats || strings.Contains(text, "f32") || strings.Contains(text, "f64")
		}
	}
	// Names that mean something else on the other side, first by themselves, then through what they rest on.
	for _, p := range pairs.Functions {
		if p.Base == nil || p.Head == nil || !isSpec(p.Base) && !isSpec(p.Head) {
			continue
		}
		if definitionChanged(p) && !same[p.Head] {
			c.changedFns[p.Base], c.changedFns[p.Head] = true, true
			c.changedWords[p.Base.Name], c.changedWords[p.Head.Name] = true, true
		}
	}
	for _, i := range pairs.Items {
		if i.Base != nil && i.Head != nil && i.What.Has(pair.Executable) || i.Base != nil && i.Head != nil && i.Base.Text != i.Head.Text {
			switch i.Head.Kind {
			case model.ModuleItem, model.CrateItem, model.ImplItem, model.TraitItem, model.BroadcastItem, model.GlobalItem:
			default:
				c.changedWords[i.Base.Name], c.changedWords[i.Head.Name] = true, true
			}
		}
	}
	// An executable function that stands for another spec function in contracts.
	for _, p := range pairs.Functions {
		if p.Base != nil && p.Head != nil && p.Base.Substitute() != p.Head.Substitute() {
			c.changedWords[p.Base.Name], c.changedWords[p.Head.Name] = true, true
		}
	}
	// A spec function with a default that an impl newly brings, or leaves to the trait, is another one for that type.
	for _, p := range pairs.Functions {
		if f := cmp.Or(p.Head, p.Base); (p.Base == nil || p.Head == nil) && f.Mode == model.Spec && f.TraitMethod != nil && f.TraitMethod.HasBody {
			c.changedWords[f.Name] = true
		}
	}
	for _, i := range pairs.Items {
		if pairs.Override(i) {
			c.changedWords[cmp.Or(i.Head, i.Base).Name] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs.Functions {
			if p.Base == nil || p.Head == nil || c.changedFns[p.Head] || !isSpec(p.Head) {
				continue
			}
			if c.mentions(c.head, p.Head) || c.mentions(c.base, p.Base) {
				c.changedFns[p.Base], c.changedFns[p.Head] = true, true
				c.changedWords[p.Base.Name], c.changedWords[p.Head.Name] = true, true
				changed = true
			}
		}
	}
	for _, f := range pairs.Head.Functions {
		c.changedInvariant = c.changedInvariant || c.changedFns[f] && isInvariant(f)
	}
	for _, p := range pairs.Functions {
		if p.Head != nil && p.Base != nil && c.changedFns[p.Head] && isSpec(p.Head) && changedItself(p) {
			for _, u := range pairs.Head.ContractUsers(p.Head) {
				c.affected[u] = true
			}
		}
	}
	return c
}

// mentions tells whether a definition has a word in it that means something else on the other side.
func (c *comparer) mentions(sd *side, f *model.Function) bool {
	if len(c.changedWords) == 0 {
		return false
	}
	further := c.meanings(sd, f)
	for t := range f.Node.Get(syntax.FBody).Tokens() {
		w := t.Text()
		if c.changedWords[w] || slices.ContainsFunc(further[w], func(m string) bool { return c.changedWords[m] }) {
			return true
		}
	}
	return false
}

func isSpec(f *model.Function) bool {
	return f != nil && (f.Mode == model.Spec || f.Kind == model.ConstFunction)
}

// definitionChanged tells whether a spec function or constant means something else, or nothing any more.
func definitionChanged(p *pair.Function) bool {
	if valueRuns(p.Base) && valueRuns(p.Head) {
		// What its body proves is not part of its value.
		return p.What&(pair.Executable|pair.Mode|pair.Signature) != 0
	}
	if p.What&(pair.Body|pair.GhostRefs|pair.Mode|pair.Signature) != 0 {
		return true
	}
	return (p.Base.Publish == model.Uninterpreted) != (p.Head.Publish == model.Uninterpreted) || p.Base.DecreasesWhen() != p.Head.DecreasesWhen()
}

// valueRuns tells a constant whose value is executable code, and stands for itself in specifications.
func valueRuns(f *model.Function) bool { return f.Kind == model.ConstFunction && f.Mode == model.Exec }

// changed tells whether a function of one side means something else than its pair on the other.
func (c *comparer) changed(f *model.Function) bool { return c.changedFns[f] || c.rests(f) }

// identity is the same for the two functions of a pair, and for no others.
func (c *comparer) identity(f *model.Function, head bool) string {
	if p := c.pairOf(f, head); p != nil && p.Base != nil {
		return p.Base.Crate.Key + "::" + p.Base.Symbol
	}
	if head {
		if p := c.pairOf(f, head); p != nil {
			return "new " + f.Crate.Key + "::" + f.Symbol
		}
	}
	// Not in a file that changed: the same on both sides.
	return f.Crate.Key + "::" + f.Symbol
}

func (c *comparer) pairOf(f *model.Function, head bool) *pair.Function {
	if head {
		return c.pairs.OfHead(f)
	}
	return c.pairs.OfBase(f)
}

func (c *comparer) static(p *pair.Function) *verdict {
	if !c.begun {
		// A contract that was edited goes before those under which a definition changed: these may be thousands, and would leave nothing of what may be done for one change.
		c.begun = true
		for _, q := range c.pairs.Functions {
			if compared(q) && !textSame(q) {
				c.static(q)
			}
		}
	}
	if v, ok := c.verdicts[p]; ok {
		return v
	}
	late := c.searched >= searches
	v := c.compare(p)
	v.exhausted = c.left <= 0 || late
	c.verdicts[p] = v
	return v
}

// same tells whether the contracts are the same text about the same things.
func (c *comparer) same(p *pair.Function) bool {
	for _, list := range [][]pair.Conjunct{p.Contract.Added, p.Contract.Removed} {
		for _, j := range list {
			if meaningful(j.Kind) {
				return false
			}
		}
	}
	if p.What.Has(pair.GhostRefs) || typesChanged(p) {
		return false
	}
	if c.affected[p.Head] {
		return false
	}
	for _, cl := range p.Head.Contract() {
		if !meaningful(cl.Kind) {
			continue
		}
		for t := range cl.Node.Tokens() {
			if c.changedWords[t.Text()] {
				return false
			}
		}
	}
	return !c.changedInvariant
}

// meaningful tells the clauses that say what a call needs and gives.
func meaningful(k syntax.ClauseKind) bool {
	return k == syntax.Requires || k == syntax.Ensures || k == syntax.Returns
}

// typesChanged tells whether a parameter or the result has another type, those of a `with` clause among them.
func typesChanged(p *pair.Function) bool {
	// A method may have become a free function, or the other way round.
	typ := func(f *model.Function, t string) string {
		if f.Self == p.Base.Self && f.Self == p.Head.Self {
			return t
		}
		name := trimArgs(f.Self)
		return selfWord.ReplaceAllLiteralString(t, lastWord(name)+f.Self[len(name):])
	}
	if len(p.Base.Params) != len(p.Head.Params) || withChanged(p) || typeNamesChanged(p) {
		return true
	}
	if !p.What.Has(pair.Signature) {
		return false // its types may have other names now
	}
	if typ(p.Base, p.Base.ResultType) != typ(p.Head, p.Head.ResultType) {
		return true
	}
	for i := range p.Base.Params {
		if typ(p.Base, p.Base.Params[i].Type) != typ(p.Head, p.Head.Params[i].Type) {
			return true
		}
	}
	return false
}

// typeNamesChanged tells whether a word in the types of a signature is another type now.
func typeNamesChanged(p *pair.Function) bool {
	for _, r := range slices.Concat(p.ExecDetail, p.GhostDetail) {
		word := lastWord(r.Written)
		named := func(t string) bool { return slices.Contains(strings.FieldsFunc(t, notWord), word) }
		if named(p.Head.ResultType) || slices.ContainsFunc(p.Head.Params, func(q model.Param) bool { return named(q.Type) }) {
			return true
		}
	}
	return false
}

func notWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

var selfWord = regexp.MustCompile(`\bSelf\b`)

func (c *comparer) compare(p *pair.Function) *verdict {
	if c.same(p) {
		return &verdict{direction: Equal, by: "syntax", requires: Equal, ensures: Equal, known: statements{true, true, true, true, true, true}}
	}
	if typesChanged(p) {
		v := &verdict{direction: Incomparable, by: "syntax", requires: Incomparable, ensures: Incomparable, types: true}
		if !textSame(p) {
			// Whatever the types are, a contract that says nothing any more is one that does.
			b, h := c.alone(c.base, p.Base), c.alone(c.head, p.Head)
			v.contradictory, v.trivial, v.unconstrained = h.contradictory && !b.contradictory, h.trivial && !b.trivial, h.unconstrained && !b.unconstrained
		}
		return v
	}
	if p.Rebound() {
		v := &verdict{}
		v.conclude()
		return v
	}
	return c.weigh(p)
}

// beyondGhost compares two contracts of which one has further ghost parameters, as far as they do not speak of those; nil: it cannot. What is promised to every
// caller is promised whatever these are.
func (c *comparer) beyondGhost(p *pair.Function) *verdict {
	b, h := p.Base.Params, p.Head.Params
	if len(b) == len(h) || p.Base.TraitMethod != nil || p.Head.TraitMethod != nil || p.Rebound() || withChanged(p) || typeNamesChanged(p) ||
		p.Base.ResultType != p.Head.ResultType || p.Base.Self != p.Head.Self {
		return nil
	}
	extra := map[*model.Function]map[int]bool{p.Base: {}, p.Head: {}}
	for i, j := 0, 0; i < len(b) || j < len(h); {
		switch {
		case i < len(b) && j < len(h) && b[i].Name == h[j].Name && b[i].Pattern == h[j].Pattern && b[i].Type == h[j].Type:
			i, j = i+1, j+1
		case j < len(h) && h[j].Ghost && len(h) > len(b):
			extra[p.Head][j] = true
			j++
		case i < len(b) && b[i].Ghost && len(b) > len(h):
			extra[p.Base][i] = true
			i++
		default:
			return nil
		}
	}
	for f, places := range extra {
		words := map[string]bool{}
		for i := range places {
			for t := range f.Params[i].Node.Get(syntax.FPat).Tokens() {
				words[t.Text()] = true
			}
		}
		for _, cl := range f.Contract() {
			for t := range cl.Node.Tokens() {
				if words[t.Text()] {
					return nil
				}
			}
		}
	}
	c.extra = extra
	defer func() { c.extra = nil }()
	return c.weigh(p)
}

// weigh compares the clauses of two contracts over the same parameters.
func (c *comparer) weigh(p *pair.Function) *verdict {
	s := logic.NewSpace()
	s.NoFloats = !c.floats
	b, h := c.formulas(s, c.base, p.Base), c.formulas(s, c.head, p.Head)
	prover, done := c.prover(s, either(h.names, b.names))
	defer done()
	if textSame(p) {
		// Only a definition changed, and often under many contracts at once: the answer is quick or there is none.
		prover.Steps, prover.Total = 4000, 16000
	}
	follows := func(premises []*logic.Term, goals []*logic.Term) bool {
		return prover.Proves(premises, s.And(goals...))
	}
	find := func(yes []*logic.Term, no []*logic.Term) *checks.Witness {
		found, ok := prover.Find(append(slices.Clone(yes), s.Not(s.And(no...))))
		if !ok {
			return nil
		}
		return witness(h, found)
	}
	v := &verdict{}

	// What is only left out, or only added, needs no prover, which may not be able to tell.
	less := c.oneWay(p)

	// The four questions, each with the one that refutes it.
	reqKept := less.reqKept || follows(b.requires, h.requires)
	reqNotWeaker := less.reqNotWeaker || follows(h.requires, b.requires)
	if !reqKept {
		v.lost = find(b.requires, h.requires)
	}
	if !reqNotWeaker {
		v.gained = find(h.requires, b.requires)
	}

	// promise asks whether what one side promises follows from what the other does, for calls that meet the demands.
	promise := func(demands, given, wanted []*logic.Term) bool {
		if len(h.outputs) > 0 {
			return follows(slices.Concat(demands, given), wanted)
		}
		// Without a result or a change, every true promise follows from the demands alone, and so would say nothing. What is asked
		// of a lemma is that its promise is given.
		for _, w := range wanted {
			if !prover.Proves(given, w) && (prover.Proves(demands, w) || !prover.Proves(slices.Concat(demands, given), w)) {
				return false
			}
		}
		return true
	}
	ensKept := less.ensKept || promise(b.requires, h.ensures, b.ensures)
	ensNotStronger := less.ensNotStronger || promise(h.requires, b.ensures, h.ensures)
	v.contradictory = prover.Contradicts(h.requires) && !prover.Contradicts(b.requires)

	both := slices.Concat(b.requires, h.requires)
	if v.contradictory {
		both = b.requires
	}
	eKept, eNotStronger := ensKept || promise(both, h.ensures, b.ensures), less.ensNotStronger || promise(both, b.ensures, h.ensures)
	if !eKept {
		v.accepted = find(slices.Concat(both, h.ensures), b.ensures)
	}
	if !eNotStronger {
		v.refused = find(slices.Concat(both, b.ensures), h.ensures)
	}

	if !reqKept && v.lost == nil || !reqNotWeaker && v.gained == nil || !eKept && v.accepted == nil || !eNotStronger && v.refused == nil {
		if found := c.search(p); found != nil {
			take := func(mine **checks.Witness, proved bool, theirs *eval.Witness) {
				if *mine == nil && !proved && theirs != nil {
					*mine = &checks.Witness{Input: theirs.Input, Wrong: theirs.Output}
				}
			}
			take(&v.lost, reqKept, found.Lost)
			take(&v.gained, reqNotWeaker, found.Gained)
			take(&v.accepted, eKept, found.Accepted)
			take(&v.refused, eNotStronger, found.Refused)
		}
	}

	v.known = statements{reqKept, reqNotWeaker, ensKept, ensNotStronger, eKept, eNotStronger}
	v.conclude()
	v.trivial = !v.contradictory && c.trivial(prover, h, p.Head) && !c.trivial(prover, b, p.Base)
	v.unconstrained = unconstrained(h) && !unconstrained(b)
	if s.Overflow {
		// Nothing that the prover said counts.
		v = &verdict{known: statements{less.reqKept, less.reqNotWeaker, less.ensKept, less.ensNotStronger, less.ensKept, less.ensNotStronger}}
		v.conclude()
	}
	return v
}

// oneWay are the answers that follow from the clauses as they stand: where head has no clause that base has not, and names mean the
// same, head's follow from base's; and the other way round.
type oneWay struct{ reqKept, reqNotWeaker, ensKept, ensNotStronger bool }

func (c *comparer) oneWay(p *pair.Function) oneWay {
	if c.affected[p.Head] || c.changedInvariant {
		return oneWay{}
	}
	means := map[string]string{}
	for _, r := range p.Base.GhostRefs {
		means[r.Written] = r.To
	}
	for _, r := range p.Head.GhostRefs {
		if to, ok := means[r.Written]; ok && to != r.To {
			return oneWay{}
		}
	}
	for _, f := range []*model.Function{p.Base, p.Head} {
		for _, cl := range f.Contract() {
			if !meaningful(cl.Kind) {
				continue
			}
			for t := range cl.Node.Tokens() {
				if c.changedWords[t.Text()] {
					return oneWay{}
				}
			}
		}
	}
	none := func(list []pair.Conjunct, kinds ...syntax.ClauseKind) bool {
		return !slices.ContainsFunc(list, func(j pair.Conjunct) bool { return slices.Contains(kinds, j.Kind) })
	}
	return oneWay{
		reqKept:        none(p.Contract.Added, syntax.Requires),
		reqNotWeaker:   none(p.Contract.Removed, syntax.Requires),
		ensKept:        none(p.Contract.Removed, syntax.Ensures, syntax.Returns),
		ensNotStronger: none(p.Contract.Added, syntax.Ensures, syntax.Returns),
	}
}

func by(refuted bool) string {
	if refuted {
		return "witness"
	}
	return "syntax"
}

// relate combines "base's follow from head's" and "head's follow from base's" with what refutes them.
func relate(kept, notStronger bool, lost, gained *checks.Witness) Relation {
	switch {
	case kept && notStronger:
		return Equal
	case kept:
		return Stronger
	case notStronger:
		return Weaker
	case lost != nil && gained != nil:
		return Incomparable
	}
	return Unknown
}

// flip turns the relation of formulas about inputs into what it means as a demand: what follows from base's is demanded already.
func flip(r Relation) Relation {
	switch r {
	case Stronger:
		return Weaker
	case Weaker:
		return Stronger
	}
	return r
}

// trivial tells a contract that has promises, all of which hold for every result.
func (c *comparer) trivial(prover *logic.Prover, f *formulas, fn *model.Function) bool {
	return fn.Mode == model.Exec && len(f.own) > 0 && len(f.outputs) > 0 && prover.Proves(f.requires, prover.S.And(f.own...))
}

// unconstrained tells a contract that has promises, none of which mentions a result.
func unconstrained(f *formulas) bool {
	if len(f.own) == 0 || len(f.outputs) == 0 {
		return false
	}
	for _, e := range f.own {
		if e.Mentions(f.outputs...) || e.Mentions(f.asTrait...) {
			return false
		}
	}
	return true
}

// witness writes an assignment as people read it.
func witness(f *formulas, found logic.Assignment) *checks.Witness {
	var in, out []string
	for _, p := range f.params {
		var texts []string
		for _, t := range found.Terms() {
			if t.Mentions(p.term) {
				texts = append(texts, valueText(p.label, t, p.term, found[t]))
			}
		}
		if p.out {
			out = append(out, texts...)
		} else {
			in = append(in, texts...)
		}
	}
	return &checks.Witness{Input: strings.Join(in, ", "), Wrong: strings.Join(out, ", ")}
}

// valueText says what a parameter, or a part of it, is.
func valueText(label string, t, whole *logic.Term, v *big.Int) string {
	var path func(t *logic.Term) string
	path = func(t *logic.Term) string {
		if t == whole {
			return label
		}
		of := path(t.Args[0])
		switch t.Name {
		case "Some.0":
			return of + "->Some_0"
		case "Ok.0":
			return of + "->Ok_0"
		case "Err.0":
			return of + "->Err_0"
		}
		return of + t.Name
	}
	switch {
	case t.Name == logic.FnSome || t.Name == logic.FnOk:
		names := map[string][2]string{logic.FnSome: {"None", "Some"}, logic.FnOk: {"Err", "Ok"}}[t.Name]
		return path(t.Args[0]) + " is " + names[v.Sign()]
	case t.IsBool():
		return path(t) + " = " + map[bool]string{true: "true", false: "false"}[v.Sign() != 0]
	case t.Type.Name == "int" || t.Type.Name == "nat":
		return path(t) + " = " + v.String()
	}
	return path(t) + " = " + v.String() + t.Type.Name
}

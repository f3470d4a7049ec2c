package contract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/logic"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// alone judges the contract of a function of one side by itself.
func (c *comparer) alone(sd *side, f *model.Function) *verdict {
	s := logic.NewSpace()
	s.NoFloats = !c.floats
	h := c.formulas(s, sd, f)
	prover, done := c.prover(s, h.names.define)
	defer done()
	v := &verdict{contradictory: prover.Contradicts(h.requires)}
	if !v.contradictory {
		v.trivial = c.trivial(prover, h, f)
		v.unconstrained = unconstrained(h)
	}
	if s.Overflow {
		return &verdict{}
	}
	return v
}

// redundant are head's new conjuncts that follow from the other clauses. restated are those that say, in other words, what is gone from
// base: they are not new.
func (c *comparer) redundant(p *pair.Function) (out, restated []pair.Conjunct) {
	s := logic.NewSpace()
	s.NoFloats = !c.floats
	h := c.formulas(s, c.head, p.Head)
	conv, result := c.environment(s, h.names, p.Head, nil)
	b := c.formulas(s, c.base, p.Base)
	convBase, resultBase := c.environment(s, b.names, p.Base, nil)
	prover, done := c.prover(s, either(h.names, b.names))
	defer done()
	type item struct {
		j    pair.Conjunct
		term *logic.Term
		new  bool
	}
	read := func(list []pair.Conjunct, conv *sideConverters, result *logic.Term, f *model.Function, isNew bool) []item {
		var all []item
		for _, j := range list {
			if j.Inherited || !j.Node.Valid() || j.Node.Kind() == syntax.Clause || j.Node.File() != f.Node.File() {
				continue
			}
			switch j.Kind {
			case syntax.Requires:
				all = append(all, item{j, conv.before.Formula(j.Node), isNew})
			case syntax.Ensures:
				all = append(all, item{j, conv.after.Formula(j.Node), isNew})
			case syntax.Returns:
				if result != nil {
					all = append(all, item{j, conv.after.Equals(result, conv.after.Term(j.Node)), isNew})
				}
			}
		}
		return all
	}
	all := append(read(p.Contract.Same, conv, result, p.Head, false), read(p.Contract.Added, conv, result, p.Head, true)...)
	gone := read(p.Contract.Removed, convBase, resultBase, p.Base, false)
	// What is true anyway restates nothing.
	restates := func(it item) bool {
		var said []*logic.Term
		for _, g := range gone {
			if (g.j.Kind == syntax.Requires) == (it.j.Kind == syntax.Requires) {
				said = append(said, g.term)
			}
		}
		return len(said) > 0 && !typesChanged(p) && !prover.Contradicts(said) && prover.Proves(said, it.term) && !prover.Proves(nil, it.term) && !s.Overflow
	}
	dropped := make([]bool, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		it := all[i]
		if !it.new {
			continue
		}
		if restates(it) {
			restated = append(restated, it.j)
			continue
		}
		var premises []*logic.Term
		others := 0
		for n, o := range all {
			if n == i || dropped[n] {
				continue
			}
			switch {
			case it.j.Kind == syntax.Requires && o.j.Kind != syntax.Requires:
			case it.j.Kind != syntax.Requires && o.j.Kind == syntax.Requires:
				premises = append(premises, o.term)
			default:
				premises = append(premises, o.term)
				others++
			}
		}
		// A clause that stands alone is trivial, not redundant.
		if others > 0 && prover.Proves(premises, it.term) && !s.Overflow {
			dropped[i] = true
			out = append(out, it.j)
		}
	}
	slices.Reverse(out)
	return out, restated
}

// comparesWithItself finds a comparison of the result, or of the value of an argument, with itself. It gives its text.
func (c *comparer) comparesWithItself(f *model.Function, j pair.Conjunct) string {
	if !j.Node.Valid() || j.Node.File() != f.Node.File() {
		return ""
	}
	s := logic.NewSpace()
	s.NoFloats = !c.floats
	out := &formulas{}
	n := c.newNames(s, c.head, f)
	conv, _ := c.environment(s, n, f, out)
	var values []*logic.Term
	for _, p := range out.params {
		values = append(values, p.term)
	}
	found := ""
	j.Node.Walk(func(e syntax.Node) bool {
		if found != "" || e.Kind() == syntax.Quant || e.Kind() == syntax.Closure || e.Kind() == syntax.Match {
			return false // names bound inside are not these
		}
		if e.Kind() != syntax.Binary {
			return true
		}
		switch e.Op() {
		case syntax.EqEq, syntax.EqEqEq, syntax.ExtEq, syntax.DeepEq, syntax.Le, syntax.Ge:
		default:
			return true
		}
		l, r := conv.after.Term(e.Get(syntax.FLhs)), conv.after.Term(e.Get(syntax.FRhs))
		if l == r && l.Mentions(values...) {
			found = e.Text()
			return false
		}
		return true
	})
	return found
}

// effect is a contract that a changed definition changes.
type effect struct {
	spec, user *pair.Function
	// relation of the definition, or, where that has no direction, of the contract: Weaker, Stronger, or Unknown for "changed".
	relation Relation
	contract Relation
	// given tells that the definition takes the place of none, so that what is believed about it may be false.
	given bool
}

// Definitions are the symbols of the definitions that changed under the contract of a function of head.
func Definitions(in *checks.Input, f *model.Function) []string {
	var out []string
	for _, e := range of(in).effects() {
		if e.user.Head == f {
			out = append(out, e.spec.Head.Symbol)
		}
	}
	return out
}

// effects are found once for the three rules about them.
func (c *comparer) effects() []effect {
	if !c.haveEffects {
		c.found, c.haveEffects = c.definitions(), true
	}
	return c.found
}

// definitions finds the contracts that rest on a definition that changed.
func (c *comparer) definitions() []effect {
	var out []effect
	for _, spec := range c.pairs.Functions {
		if spec.Base == nil || spec.Head == nil || !isSpec(spec.Head) || !isSpec(spec.Base) || !changedItself(spec) || !defined(spec.Head) {
			continue
		}
		if !defined(spec.Base) {
			out = append(out, c.given(spec)...)
			continue
		}
		if c.sameFns[spec.Head] {
			continue
		}
		rel := c.definitionRelation(spec)
		if rel == Equal {
			continue
		}
		for _, u := range c.users(spec) {
			e := effect{spec: spec, user: u, relation: rel, contract: Unknown}
			if u.Base != nil && u.Head.Mode != model.Spec {
				e.contract = c.verdict(u).direction
			}
			if e.contract == Equal && textSame(u) && rel != Unknown && !ofOperator(spec.Head) && !unwritten(spec.Head) {
				// The definition changed, the contract did not: it uses the part that is the same.
				continue
			}
			if e.contract == Equal && textSame(u) && !ofOperator(spec.Head) && !unwritten(spec.Head) && c.verdict(u).by == "proof" {
				continue // the verifier says so
			}
			if rel == Unknown && spec.Head.Kind == model.ConstFunction && e.contract != Unknown {
				// A constant has no direction of its own: what counts is what its users demand and promise.
				v := c.verdict(u)
				switch {
				case v.requires == Weaker || v.ensures == Weaker:
					e.relation = Weaker
				case v.requires == Stronger || v.ensures == Stronger:
					e.relation = Stronger
				}
			}
			out = append(out, e)
		}
	}
	for _, p := range c.pairs.Functions {
		if p.Base == nil || p.Head == nil || isSpec(p.Head) || p.Base.Substitute() == p.Head.Substitute() {
			continue
		}
		for _, h := range c.pairs.Head.Callers(p.Head) {
			if u := c.pairs.OfHead(h); u != nil && u.Base != nil && inContract(h, p.Head) {
				out = append(out, effect{spec: p, user: u, relation: Unknown, contract: c.verdict(u).direction})
			}
		}
	}
	return out
}

// given are the contracts that rest on a spec function that had no definition and has one. What was believed about it held of some function perhaps, and may not
// hold of this one. Where nothing was believed, nobody knew anything of the function, and where all that was believed is proved now, all that was known is known.
func (c *comparer) given(spec *pair.Function) []effect {
	known, lost := false, false
	for _, b := range c.pairs.Base.ContractUsers(spec.Base) {
		if !believed(b) || !b.Verified {
			continue
		}
		known = true
		if p := c.pairs.OfBase(b); p != nil && (p.Head == nil || !textSame(p)) {
			lost = true
		}
	}
	if !known {
		return nil
	}
	var out []effect
	for _, u := range c.users(spec) {
		if lost || believed(u.Head) {
			out = append(out, effect{spec: spec, user: u, relation: Unknown, contract: c.verdict(u).direction, given: true})
		}
	}
	return out
}

// unwritten tells a definition that contracts rest on without naming it: the invariant of a type, or the answer of a type to a question of the library, such as what a
// lock keeps.
func unwritten(f *model.Function) bool {
	return isInvariant(f) || f.Kind == model.TraitImplMethod && f.TraitMethod == nil && returnsBool(f) && !ofOperator(f)
}

// inContract tells whether one of the calls of a function that stand in f's contract is of g.
func inContract(f, g *model.Function) bool {
	for _, call := range f.Calls {
		if !slices.Contains(call.Callees, g) {
			continue
		}
		for _, cl := range f.Contract() {
			if cl.File == f.File && cl.Span.Start <= call.Span.Start && call.Span.End <= cl.Span.End {
				return true
			}
		}
	}
	return false
}

func returnsBool(f *model.Function) bool { return f.ResultType == "bool" }

// changedItself tells that the definition's own text, or what a name in it means, changed. Definitions that only rest on such a one
// are not reported again.
func changedItself(p *pair.Function) bool {
	if valueRuns(p.Base) && valueRuns(p.Head) {
		return p.What.Has(pair.Executable)
	}
	if p.Head.Kind == model.ConstFunction {
		return p.What&(pair.Body|pair.Executable|pair.GhostRefs) != 0
	}
	return p.What&(pair.Body|pair.GhostRefs) != 0 || p.Base.DecreasesWhen() != p.Head.DecreasesWhen()
}

// users are the functions whose contract rests on a definition, in the order of the files: those of the change and those of files
// that it does not touch.
func (c *comparer) users(spec *pair.Function) []*pair.Function {
	seen := map[*model.Function]bool{}
	var out []*pair.Function
	add := func(u *pair.Function) {
		if u.Head != nil && !seen[u.Head] && u.Head.Mode != model.Spec && !isSpec(u.Head) && u.Head.Verified {
			seen[u.Head] = true
			out = append(out, u)
		}
	}
	if unwritten(spec.Head) {
		for _, u := range c.pairs.Functions {
			if u.Head != nil && u.Base != nil && u.Head.Public && speaksOf(u.Head, spec.Head.Self) {
				add(u)
			}
		}
	}
	type key struct{ crate, symbol string }
	bases := map[key]*model.Function{}
	for _, b := range c.pairs.Base.ContractUsers(spec.Base) {
		bases[key{b.Crate.Key, b.Symbol}] = b
	}
	for _, h := range c.pairs.Head.ContractUsers(spec.Head) {
		u := c.pairs.OfHead(h)
		if u == nil {
			if u = c.outside[h]; u == nil {
				u = &pair.Function{Base: bases[key{h.Crate.Key, h.Symbol}], Head: h, Change: pair.Same}
				if c.outside == nil {
					c.outside = map[*model.Function]*pair.Function{}
				}
				c.outside[h] = u
			}
		}
		if u.Base != nil {
			add(u)
		}
	}
	slices.SortStableFunc(out, func(a, b *pair.Function) int {
		return cmp.Or(cmp.Compare(a.Head.File.Path, b.Head.File.Path), cmp.Compare(a.Head.Span.Start, b.Head.Span.Start))
	})
	return out
}

// speaksOf tells whether a type occurs in a signature.
func speaksOf(f *model.Function, typ string) bool {
	typ = typeWord(typ)
	named := func(text string) bool { return typ != "" && slices.Contains(strings.FieldsFunc(text, notWord), typ) }
	return named(f.Self) || named(f.ResultType) || slices.ContainsFunc(f.Params, func(p model.Param) bool { return named(p.Type) })
}

// definitionRelation compares the two definitions of a spec function that gives a truth value: Weaker when head's holds wherever
// base's does. Unknown is "changed".
func (c *comparer) definitionRelation(spec *pair.Function) Relation {
	b, h := spec.Base, spec.Head
	if spec.Rebound() {
		return Unknown // equal texts match other values
	}
	if !returnsBool(b) || !returnsBool(h) || typesChanged(spec) {
		return c.sameValue(spec)
	}
	if ofOperator(h) && !strings.HasPrefix(h.Name, "obeys_") && !strings.HasSuffix(h.Name, "_req") {
		// The value is compared with the operator's result: more true is not less said.
		return Unknown
	}
	prover, done, bt, ht := c.bodies(spec, false)
	defer done()
	if bt == nil || ht == nil {
		return Unknown
	}
	down, up := prover.Proves([]*logic.Term{bt}, ht), prover.Proves([]*logic.Term{ht}, bt)
	if ofOperator(h) && strings.HasPrefix(h.Name, "obeys_") {
		// The contract of the operator holds where this is true: less of it is a weaker contract.
		down, up = up, down
	}
	switch {
	case prover.S.Overflow:
		return Unknown
	case down && up:
		return Equal
	case down:
		return Weaker
	case up:
		return Stronger
	}
	return Unknown
}

// sameValue tells Equal when both definitions give the same value, and Unknown otherwise.
func (c *comparer) sameValue(spec *pair.Function) Relation {
	if typesChanged(spec) {
		return Unknown
	}
	prover, done, bt, ht := c.bodies(spec, false)
	defer done()
	if bt != nil && ht != nil && prover.Proves(nil, prover.S.Equal(bt, ht)) && !prover.S.Overflow {
		return Equal
	}
	return Unknown
}

// sameRecursion tells that two definitions of a recursive spec function define the same function. Where the bodies are equal whatever
// function their calls of themselves stand for, each function meets the other's equation; and since the recursion ends, which decreases
// has to show, an equation has one solution only.
func (c *comparer) sameRecursion(p *pair.Function) bool {
	if p.Base == nil || p.Head == nil || p.What&(pair.GhostRefs|pair.Mode|pair.Signature) != 0 || !p.What.Has(pair.Body) || typesChanged(p) {
		return false
	}
	for _, f := range []*model.Function{p.Base, p.Head} {
		itself := slices.ContainsFunc(f.Calls, func(call model.Call) bool { return slices.Contains(call.Callees, f) })
		if f.Mode != model.Spec || !itself || !defined(f) || len(f.Sites)+len(f.Unknown) > 0 || f.DecreasesWhen() != "" || len(clauses(f, syntax.Decreases)) == 0 ||
			f.Kind == model.TraitMethod || f.Kind == model.TraitImplMethod {
			return false
		}
	}
	prover, done, bt, ht := c.bodies(p, true)
	defer done()
	if bt == nil || ht == nil {
		return false
	}
	if returnsBool(p.Head) {
		return prover.Proves([]*logic.Term{bt}, ht) && prover.Proves([]*logic.Term{ht}, bt) && !prover.S.Overflow
	}
	return prover.Proves(nil, prover.S.Equal(bt, ht)) && !prover.S.Overflow
}

// ofOperator tells a function of an implementation such as AddSpecImpl, which is the contract of an operator.
func ofOperator(f *model.Function) bool { return strings.HasSuffix(trimArgs(f.Trait), "SpecImpl") }

func trimArgs(t string) string {
	if i := strings.IndexByte(t, '<'); i >= 0 {
		t = t[:i]
	}
	return t
}

// bodies converts the two definitions over the same arguments; nil: there is none. Where recursive is set, their calls of themselves are
// calls of one unknown function.
func (c *comparer) bodies(spec *pair.Function, recursive bool) (prover *logic.Prover, done func(), base, head *logic.Term) {
	s := logic.NewSpace()
	s.NoFloats = !c.floats
	var ns [2]*names
	var terms [2]*logic.Term
	for i, f := range []*model.Function{spec.Base, spec.Head} {
		sd := c.base
		if i == 1 {
			sd = c.head
		}
		n := c.newNames(s, sd, f)
		if recursive {
			n.recursive = f
		}
		ns[i] = n
		conv, _ := c.environment(s, n, f, nil)
		body := f.Node.Get(syntax.FBody)
		if f.Kind == model.ConstFunction && !body.Valid() {
			body = f.Node.Get(syntax.FValue)
		}
		if body.Valid() {
			terms[i] = conv.before.Term(body)
			if returnsBool(f) {
				terms[i] = conv.before.Truth(terms[i])
			}
		}
	}
	prover, done = c.prover(s, either(ns[1], ns[0]))
	return prover, done, terms[0], terms[1]
}

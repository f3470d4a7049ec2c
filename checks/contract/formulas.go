package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/logic"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// formulas of one contract.
type formulas struct {
	names             *names
	requires, ensures []*logic.Term
	// own are the ensures written at the function or its trait, without what is silently part of it.
	own []*logic.Term
	// defaults are what the default body of a trait's method owes beyond that.
	defaults []*logic.Term
	// outputs are the result and the new values of `&mut` arguments; inputs are all others.
	outputs []*logic.Term
	// asTrait are the outputs as the trait's method has them, whose types may be other ones: `Self::Error` is what the impl has in its place.
	asTrait []*logic.Term
	params  []param
}

type param struct {
	label string
	term  *logic.Term
	out   bool
}

func (c *comparer) formulas(s *logic.Space, sd *side, f *model.Function) *formulas {
	n := c.newNames(s, sd, f)
	out := &formulas{names: n}
	conv, result := c.environment(s, n, f, out)
	inherited := conv
	if f.TraitMethod != nil && len(f.Inherited) > 0 {
		// Clauses of the trait use the names of its parameters.
		var result *logic.Term
		if inherited, result = c.environment(s, n, f.TraitMethod, nil); result != nil {
			out.asTrait = append(out.asTrait, result)
		}
		for _, q := range f.TraitMethod.Params {
			if t := inherited.after.Final[q.Name]; t != nil {
				out.asTrait = append(out.asTrait, t)
			}
		}
	}
	convert := func(conv *sideConverters, cl model.Clause) {
		if cl.Node.Kind() == syntax.Clause && cl.Kind != syntax.Returns {
			return // an empty list
		}
		switch cl.Kind {
		case syntax.Requires:
			out.requires = append(out.requires, conv.before.Formula(cl.Node))
		case syntax.Ensures:
			t := conv.after.Formula(cl.Node)
			out.ensures, out.own = append(out.ensures, t), append(out.own, t)
		case syntax.DefaultEnsures:
			out.defaults = append(out.defaults, conv.after.Formula(cl.Node))
		case syntax.Returns:
			if result != nil && cl.Node.Kind() != syntax.Clause {
				t := conv.after.Equals(result, conv.after.Term(cl.Node))
				out.ensures, out.own = append(out.ensures, t), append(out.own, t)
			}
		}
	}
	for _, cl := range f.Inherited {
		convert(inherited, cl)
	}
	for _, cl := range f.Own {
		convert(conv, cl)
	}
	// A type's invariant is a silent part of every contract about the type.
	for _, inv := range sd.invariants {
		for _, p := range out.params {
			if p.term.Type != nil && sameSelf(inv.Self, p.term.Type) {
				n.reach.invariants = append(n.reach.invariants, inv)
				r := n.ref(inv)
				out.ensures = append(out.ensures, conv.after.Truth(s.App(r.Name, r.Type, p.term)))
			}
		}
	}
	return out
}

// newNames resolves the names of one function's contract, or of a spec function's definition.
func (c *comparer) newNames(s *logic.Space, sd *side, f *model.Function) *names {
	n := &names{side: sd, space: s, generics: genericsOf(f), self: f.Self, owner: f, reach: &reach{own: sd.reached(f)},
		differ: map[string]bool{}, defs: map[string]*model.Function{}}
	if isSpec(f) {
		n.reach.more = append(n.reach.more, f)
	}
	// What the other side reaches counts too: a word that means something else there is told apart on both.
	if p := c.pairOf(f, sd.head); p != nil && p.Base != nil && p.Head != nil {
		if sd.head {
			n.reach.other = c.base.reached(p.Base)
		} else {
			n.reach.other = c.head.reached(p.Head)
		}
		for _, r := range p.GhostDetail {
			words := strings.Split(r.Written, "::")
			n.differ[words[len(words)-1]] = true
		}
	}
	return n
}

// rests tells whether a spec function rests on one that changed, or names something that did. It may stand in a file that the change
// does not touch.
func (c *comparer) rests(f *model.Function) bool {
	if v, ok := c.resting[f]; ok {
		return v
	}
	sd := c.head
	if slices.Contains(c.pairs.Base.Crates, f.Crate) {
		sd = c.base
	}
	v := c.mentions(sd, f) || sd.reachesChanged(f)
	c.resting[f] = v
	return v
}

// sideConverters read clauses that speak of before the call, and of after it.
type sideConverters struct{ before, after *logic.Converter }

// environment gives the parameters and the result of a function their meaning, by position.
func (c *comparer) environment(s *logic.Space, n *names, f *model.Function, out *formulas) (*sideConverters, *logic.Term) {
	inner := n
	if out == nil {
		inner = n.within(f)
	}
	old, final := map[string]*logic.Term{}, map[string]*logic.Term{}
	conv := &sideConverters{
		before: &logic.Converter{S: s, Names: inner, Old: old, Final: final},
		after:  &logic.Converter{S: s, Names: inner, Old: old, Final: final},
	}
	newDialect := false
	for _, cl := range f.Own {
		newDialect = newDialect || strings.Contains(cl.Text, "final(")
	}
	extra := c.extra[f]
	place := 0
	for i, p := range f.Params {
		if extra[i] {
			continue // nothing speaks of it
		}
		name := p.Name
		var typ *logic.Type
		if p.Node.Kind() == syntax.SelfParam && !p.Node.Get(syntax.FType).Valid() {
			typ = inner.selfType()
		} else {
			typ = inner.Type(p.Node.Get(syntax.FType))
		}
		id := "arg" + strconv.Itoa(place)
		place++
		bind := func(cv *logic.Converter, v *logic.Term) {
			if t := p.Node.Get(syntax.FType); t.Valid() {
				cv.BindAs(name, v, t, "")
			} else {
				cv.Bind(name, v)
			}
		}
		label := p.Name
		if label == "" {
			label = p.Pattern
		}
		if p.MutRef && name != "" {
			before, after := s.Var(id+" before", typ), s.Var(id+" after", typ)
			old[name], final[name] = before, after
			bind(conv.before, before)
			if newDialect {
				// In today's dialect the bare name in ensures is not used for the new value.
				bind(conv.after, s.Var(id+" bare", typ))
			} else {
				bind(conv.after, after)
			}
			if out != nil {
				out.outputs = append(out.outputs, after)
				out.params = append(out.params, param{"old(" + label + ")", before, false}, param{label, after, true})
			}
			continue
		}
		v := s.Var(id, typ)
		if out != nil {
			out.params = append(out.params, param{label, v, false})
		}
		pat := p.Node.Get(syntax.FPat)
		for _, cv := range []*logic.Converter{conv.before, conv.after} {
			switch {
			case name != "":
				bind(cv, v)
				old[name] = v
			case pat.Kind() == syntax.TupleStructPat:
				// Ghost(x): Ghost<T> and Tracked(x): x is the value inside.
				bindInside(cv, s, pat, v)
			default:
				cv.BindPattern(pat, v)
			}
		}
	}
	var result *logic.Term
	if ret := f.Node.Get(syntax.FRet); ret.Valid() {
		result = s.Var("result", inner.Type(ret.Get(syntax.FType)))
		pat := f.ResultPattern
		if pat.Kind() == syntax.IdentPat && !pat.Get(syntax.FPat).Valid() {
			conv.after.BindAs(pat.Get(syntax.FName).Text(), result, ret.Get(syntax.FType), "")
		} else if pat.Valid() {
			conv.after.BindPattern(pat, result)
		}
		if out != nil {
			out.outputs = append(out.outputs, result)
			label := "the result"
			if pat.Kind() == syntax.IdentPat {
				label = pat.Get(syntax.FName).Text()
			}
			out.params = append(out.params, param{label, result, true})
		}
	}
	return conv, result
}

func bindInside(cv *logic.Converter, s *logic.Space, pat syntax.Node, v *logic.Term) {
	word := pat.Get(syntax.FPath).Text()
	if (word == "Ghost" || word == "Tracked") && v.Type != nil && len(v.Type.Args) == 1 {
		for sub := range pat.All(syntax.FPat) {
			cv.BindPattern(sub, s.App(logic.FnView, v.Type.Args[0], v))
		}
		return
	}
	for sub := range pat.All(syntax.FPat) {
		cv.BindPattern(sub, s.App("inside "+word, nil, v))
	}
}

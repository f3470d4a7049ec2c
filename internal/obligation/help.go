package obligation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

const (
	maxTerms = 12 // ground terms mentioned
	maxFuel  = 12 // of recursive definitions
	minFuel  = 4
)

// seconds are the further tries at a proof: with what proofs of this kind were seen to need. A proof with help is as good as one without.
func (c *contract) seconds(p proof) []proof {
	if p.whole != "" {
		return nil
	}
	var out []proof
	var body []string
	for _, f := range c.recursive() {
		body = append(body, "reveal_with_fuel("+f+", "+strconv.Itoa(min(max(p.size+2, minFuel), maxFuel))+");")
	}
	var trees []syntax.Node
	for _, l := range [][]goal{p.requires, p.ensures} {
		for _, g := range l {
			if n := parseExpr(g.text); n.Valid() {
				trees = append(trees, n)
			}
		}
	}
	body = append(body, libraryReveals(trees)...)
	body = append(body, mentions(trees)...)
	for _, g := range p.ensures {
		if n := parseExpr(g.text); n.Valid() {
			if text, ok := extensional(n); ok {
				body = append(body, "assert("+text+");")
			}
		}
	}
	if len(body) > 0 {
		helped := p
		helped.body = body
		out = append(out, helped)
	}
	if prover := otherProver(trees); prover != "" {
		other := p
		other.prover = prover
		out = append(out, other)
	}
	return out
}

// parseExpr reads an expression; the zero Node if it cannot be read.
func parseExpr(text string) syntax.Node {
	f := syntax.Parse(source.NewFile("clause", []byte("verus! { proof fn f() requires "+text+",\n{} }")))
	if len(f.Errors) > 0 {
		return syntax.Node{}
	}
	var out syntax.Node
	f.Root().Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Clause && !out.Valid() {
			out = n.Get(syntax.FExpr)
		}
		return !out.Valid()
	})
	return out
}

// recursive are the paths of the recursive spec functions that the contracts reach and that may be revealed from here.
func (c *contract) recursive() []string {
	var out []string
	for _, g := range c.w.m.SpecReach(c.f) {
		if g.Mode != model.Spec || !hasDecreases(g) || g.Crate != c.f.Crate || g.Kind != model.FreeFunction && g.Kind != model.InherentMethod || strings.Contains(g.Symbol, "#") {
			continue
		}
		if g.Module != c.f.Module && (g.Publish != model.Open || !g.Public) {
			continue
		}
		if strings.ContainsAny(g.Symbol, "<> &") {
			continue
		}
		out = append(out, "crate::"+g.Symbol)
	}
	if c.brought != nil {
		for g, name := range c.brought.fns {
			if hasDecreases(g) && g.Self == "" {
				out = append(out, name)
			} else if hasDecreases(g) && isIdent(g.Self) {
				out = append(out, g.Self+"::"+name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func hasDecreases(f *model.Function) bool {
	return slices.ContainsFunc(f.Own, func(c model.Clause) bool { return c.Kind == syntax.Decreases })
}

// libraryReveals reveals the recursive functions of the library that are called.
func libraryReveals(trees []syntax.Node) []string {
	var out []string
	for _, t := range trees {
		t.Walk(func(n syntax.Node) bool {
			if n.Kind() != syntax.MethodCall {
				return true
			}
			switch name := n.Get(syntax.FName).Text(); name {
			case "filter", "fold_left", "fold_right":
				if s := "reveal_with_fuel(vstd::seq::Seq::" + name + ", " + strconv.Itoa(maxFuel) + ");"; !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
			return true
		})
	}
	return out
}

// mentions names the elements that are spoken of outside quantifiers: a quantifier that waits for them as its trigger then sees them.
func mentions(trees []syntax.Node) []string {
	var out []string
	add := func(term string) {
		if s := "assert(" + term + " == " + term + ");"; len(out) < maxTerms && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, t := range trees {
		bound := boundIn(t)
		t.Walk(func(n syntax.Node) bool {
			switch n.Kind() {
			case syntax.Quant, syntax.Closure:
				return false
			case syntax.Index:
				for tok := range n.Tokens() {
					if bound[tok.Text()] {
						return true
					}
				}
				add(n.Text())
			case syntax.Binary:
				// The elements of a value that is pinned.
				l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
				if n == t && r.Kind() == syntax.MacroCall && r.Get(syntax.FPath).Text() == "seq" {
					i := 0
					for range r.Get(syntax.FArgs).All(syntax.FExpr) {
						add(l.Text() + "[" + strconv.Itoa(i) + "]")
						i++
					}
					return false
				}
			}
			return true
		})
	}
	return out
}

// collections are methods that give sequences, sets and maps.
var collections = map[string]bool{"push": true, "take": true, "skip": true, "subrange": true, "update": true, "insert": true, "remove": true,
	"drop_last": true, "drop_first": true, "add": true, "map": true, "map_values": true, "filter": true, "union": true, "intersect": true,
	"difference": true, "reverse": true, "to_multiset": true, "dom": true, "to_seq": true, "view": true, "deep_view": true, "remove_key": true}

func isCollection(n syntax.Node) bool {
	for n.Kind() == syntax.Paren {
		n = n.Get(syntax.FExpr)
	}
	switch n.Kind() {
	case syntax.View:
		return true
	case syntax.MethodCall:
		return collections[n.Get(syntax.FName).Text()]
	case syntax.MacroCall:
		return true
	}
	return false
}

// extensional is a proposition with `=~=` in place of `==` between collections, where it is not under a binder; ok is false if there is no such place.
func extensional(n syntax.Node) (text string, ok bool) {
	var edits []edit
	n.Walk(func(x syntax.Node) bool {
		switch x.Kind() {
		case syntax.Quant, syntax.Closure, syntax.Match:
			return false
		case syntax.Binary:
			l, r := x.Get(syntax.FLhs), x.Get(syntax.FRhs)
			text := string(x.File().Source.Text[l.Span().End:r.Span().Start])
			if strings.TrimSpace(text) == "==" && (isCollection(l) || isCollection(r)) && l.Kind() != syntax.Binary {
				edits = append(edits, edit{l.Span().End, r.Span().Start, " =~= "})
			}
		}
		return true
	})
	if len(edits) == 0 {
		return "", false
	}
	return applyEdits(n, edits), true
}

// otherProver is the special solver that the operators of the clauses ask for, as a proof function names it; empty if none.
func otherProver(trees []syntax.Node) string {
	nonlinear, bits, plain := false, false, true
	for _, t := range trees {
		t.Walk(func(n syntax.Node) bool {
			switch n.Kind() {
			case syntax.Binary:
				l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
				switch op := strings.TrimSpace(string(n.File().Source.Text[l.Span().End:r.Span().Start])); op {
				case "*":
					nonlinear = nonlinear || l.Kind() != syntax.Literal && r.Kind() != syntax.Literal
				case "/", "%":
					nonlinear = nonlinear || r.Kind() != syntax.Literal
				case "&", "|", "^", "<<", ">>":
					bits = true
				}
			case syntax.MethodCall, syntax.View, syntax.Quant, syntax.Index, syntax.Call, syntax.MacroCall, syntax.FieldExpr:
				plain = false
			}
			return true
		})
	}
	switch {
	case bits && plain:
		return "\n    by (bit_vector)"
	case nonlinear && !bits:
		return "\n    by (nonlinear_arith)"
	}
	return ""
}

// Second writes further tries, with help, at the questions that were not proved. Each is helped once. Those that the front end rejected are not,
// and neither are those of which the opposite was proved.
func (p *Plan) Second(results map[string]Verdict) []*Shadow {
	var again []request
	for _, o := range p.Obligations {
		if o.Given || o.helped || proved(o, results) || o.opposite != nil && proved(o.opposite, results) ||
			slices.ContainsFunc(o.Names, func(n string) bool { return results[n] == Rejected }) {
			continue
		}
		o.helped = true
		for _, v := range o.c.seconds(o.first) {
			again = append(again, request{o, o.c, v})
		}
	}
	out := p.w.shadows(again)
	p.Shadows = append(p.Shadows, out...)
	return out
}

func proved(o *Obligation, results map[string]Verdict) bool {
	return slices.ContainsFunc(o.Names, func(n string) bool { return results[n] == Proved })
}

// order of verdicts from the best.
func better(a, b Verdict) Verdict { return min(cmp.Or(a, NotRun), cmp.Or(b, NotRun)) }

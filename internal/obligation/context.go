package obligation

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// Context asks whether the proof of f's body rests on a contradiction: a copy of f with the same requires promises `false`, which is
// proved only if no exit can be reached, by the end of the body, `return` or `?`.
func (w *Writer) Context(f *model.Function) {
	o := Obligation{Question: InconsistentContext, Function: f}
	c, err := w.contract(f, nil)
	if err == nil && !f.BodyVerified {
		err = fail(NotVerified, "the verifier does not look at the body")
	}
	var text string
	if err == nil {
		text, err = c.withoutExit()
	}
	if err != nil {
		w.skip(o, err)
		return
	}
	w.ask(o, c, proof{whole: text, ensures: []goal{{text: "false"}}})
}

// withoutExit is the copy of the function.
func (c *contract) withoutExit() (string, *failure) {
	f, n := c.f, c.f.Node
	switch {
	case c.place.trait.Valid():
		return "", fail(Inside, "the body is a default of a trait")
	case c.place.impl.Valid() && c.place.header == "":
		return "", fail(Inside, "the method is of a type of another crate")
	case c.place.impl.Valid() && c.place.wrap:
		return "", fail(Inside, "the method stands outside verus!")
	}
	var edits []edit
	replace := func(n syntax.Node, text string) {
		s := n.Span()
		edits = append(edits, edit{s.Start, s.End, text})
	}
	holder := n
	for a := range n.All(syntax.FAttr) {
		if a.Inner() {
			continue
		}
		path := a.Get(syntax.FPath).Text()
		keep := path == "cfg" || path == "allow" || path == "verus_spec" || path == "verus_verify" || strings.HasPrefix(path, "verifier")
		for _, word := range []string{"when_used_as_spec", "broadcast_forall", "type_invariant", "returns"} {
			keep = keep && !strings.Contains(a.Text(), word)
		}
		if spec := a.Get(syntax.FArgs); spec.Kind() == syntax.VerusSpec {
			holder, keep = spec, true
		}
		if !keep {
			replace(a, "")
		}
	}
	if holder == n && c.place.wrap {
		return "", fail(Inside, "the function stands outside verus! and has no contract there")
	}
	replace(n.Get(syntax.FName), "%NAME%")
	replace(n.Get(syntax.FVis), "")
	if ret := n.Get(syntax.FRet); ret.Valid() && !resultPat(f).Valid() && !unit(ret.Get(syntax.FType)) {
		// A function with ensures has to name its result.
		name := c.w.prefix + "result"
		if holder != n {
			s := holder.Span().Start
			edits = append(edits, edit{s, s, name + " => "})
		} else {
			typ, word := ret.Get(syntax.FType).Span(), ""
			if m := ret.Get(syntax.FMode); m.Valid() {
				word = m.Text() + " "
				replace(m, "")
			}
			edits = append(edits, edit{typ.Start, typ.Start, "(" + word + name + ": "}, edit{typ.End, typ.End, ")"})
		}
	}
	for m := range n.All(syntax.FModifier) {
		if m.Text() == "broadcast" {
			replace(m, "")
		}
	}
	inherited, err := c.inheritedRequires()
	if err != nil {
		return "", err
	}
	goal := "ensures false,"
	if len(inherited) > 0 {
		goal = "requires " + strings.Join(inherited, ", ") + ", " + goal
	}
	at, placed := n.Get(syntax.FBody).Span().Start, false
	if holder != n {
		at = holder.Span().End - 1
	}
	for cl := range holder.All(syntax.FClause) {
		switch cl.Which() {
		case syntax.Ensures:
			replace(cl, goal)
			placed = true
		case syntax.DefaultEnsures, syntax.Returns:
			replace(cl, "")
		case syntax.Decreases, syntax.OpensInvariants, syntax.NoUnwind:
			at = min(at, cl.Span().Start)
		}
	}
	if !placed {
		edits = append(edits, edit{at, at, goal + " "})
	}
	fr := &frame{w: c.w, words: f, m: c.w.m, at: f}
	if trait := c.place.impl.Get(syntax.FTrait); trait.Valid() {
		fr.projection = "<Self as " + trait.Text() + ">" // the copy is no method of the trait
	}
	text, err := fr.copy(n, edits...)
	return strings.TrimSpace(text), err
}

// inheritedRequires are the requires of the trait's method, in the words of the impl's own method.
func (c *contract) inheritedRequires() ([]string, *failure) {
	f := c.f
	if f.TraitMethod == nil || len(f.Inherited) == 0 {
		return nil, nil
	}
	h, err := c.traitWords(f, f.TraitMethod, &home{types: map[string]string{}})
	if err != nil {
		return nil, err
	}
	theirs, err := paramsOf(f.TraitMethod)
	if err != nil {
		return nil, err
	}
	fr := &frame{w: c.w, words: f.TraitMethod, m: c.w.m, at: f, vars: map[string]binding{}, types: h.types, keepOld: true, bare: bareBefore}
	for i, q := range theirs {
		if i >= len(c.params) || q.name == "" || c.params[i].name == "" {
			return nil, fail(NotParsed, "the parameters of the trait's method are other ones")
		}
		fr.vars[q.name] = binding{before: c.params[i].name, after: c.params[i].name, mut: q.mut}
	}
	var out []string
	for _, cl := range f.Inherited {
		if cl.Kind != syntax.Requires || cl.Node.Kind() == syntax.Clause {
			continue
		}
		text, err := clauseText(fr, cl.Node, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// unit tells the type of a function that gives nothing back.
func unit(t syntax.Node) bool {
	return t.Kind() == syntax.TupleType && len(slices.Collect(t.All(syntax.FType))) == 0
}

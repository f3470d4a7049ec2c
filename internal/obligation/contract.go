package obligation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// param is a parameter as a contract speaks of it.
type param struct {
	name string      // empty when it is taken apart by a pattern
	pat  syntax.Node // that pattern
	typ  syntax.Node // what it points to for a mutable reference; not valid for `self`, `&self` and `&mut self`
	self string      // "Self" or "&Self" then
	mut  bool
	// inside says that the parameter stands for what is inside a Ghost or Tracked.
	inside bool
}

// paramsOf reads the parameters of a function.
func paramsOf(f *model.Function) ([]param, *failure) {
	var out []param
	for _, p := range f.Params {
		n := p.Node
		var q param
		if n.Kind() == syntax.SelfParam {
			q.name = "self"
			switch typ := n.Get(syntax.FType); {
			case typ.Valid():
				q.typ = typ
			case n.ByRef() && n.Mut():
				q.self, q.mut = "Self", true
			case n.ByRef():
				q.self = "&Self"
			default:
				q.self = "Self"
			}
		} else {
			q.typ = n.Get(syntax.FType)
			pat := n.Get(syntax.FPat)
			inner := pat
			if wrapper := pat.Get(syntax.FPath).Text(); pat.Kind() == syntax.TupleStructPat && (wrapper == "Ghost" || wrapper == "Tracked") {
				arg, ok := onlyArg(q.typ, wrapper)
				if !ok {
					return nil, fail(UnsupportedType, "the type of `"+pat.Text()+"` is not written as "+wrapper+"<..>")
				}
				q.typ, q.inside = arg, true
				inner = pat.Get(syntax.FPat)
			}
			switch {
			case inner.Kind() == syntax.IdentPat && !inner.Get(syntax.FPat).Valid() && !inner.ByRef():
				q.name = inner.Get(syntax.FName).Text()
			case inner.Valid():
				q.pat = inner
			}
		}
		if q.typ.Kind() == syntax.RefType && q.typ.Mut() {
			q.mut = true
			q.typ = q.typ.Get(syntax.FType)
		}
		if q.mut && q.pat.Valid() && q.pat.Kind() != syntax.WildPat {
			return nil, fail(UnsupportedType, "a mutable reference is taken apart by a pattern")
		}
		if hasMut(q.typ) {
			return nil, fail(UnsupportedType, "a mutable reference is inside another type")
		}
		out = append(out, q)
	}
	for n := range f.Node.Get(syntax.FParams).Children() {
		if n.Kind() == syntax.Variadic {
			return nil, fail(UnsupportedType, "the function has variadic arguments")
		}
	}
	return out, nil
}

func hasMut(t syntax.Node) bool {
	found := false
	t.Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.FnPtrType, syntax.SpecFnType, syntax.ImplTrait, syntax.DynTrait:
			return false // of its own arguments
		}
		found = found || n.Kind() == syntax.RefType && n.Mut()
		return true
	})
	return found
}

// onlyArg is the one generic argument of a path type whose last name is word.
func onlyArg(t syntax.Node, word string) (syntax.Node, bool) {
	if t.Kind() != syntax.Path {
		return syntax.Node{}, false
	}
	var last syntax.Node
	for s := range t.All(syntax.FSegment) {
		last = s
	}
	args := slices.Collect(last.Get(syntax.FGenericArgs).All(syntax.FArg))
	if !last.Valid() || last.FirstToken().Text() != word || len(args) != 1 {
		return syntax.Node{}, false
	}
	return args[0], true
}

// resultPat is the pattern of the result in the contract; not valid if there is none.
func resultPat(f *model.Function) syntax.Node {
	for a := range f.Node.All(syntax.FAttr) {
		if spec := a.Get(syntax.FArgs); spec.Kind() == syntax.VerusSpec && spec.Get(syntax.FPat).Valid() {
			return spec.Get(syntax.FPat)
		}
	}
	return f.Node.Get(syntax.FRet).Get(syntax.FPat)
}

// decl is a parameter of the proof function.
type decl struct{ name, typ string }

// output is the result, or the value of a mutable reference after the call.
type output struct {
	decl
	// node is the type; self as in param.
	node syntax.Node
	self string
	// second is the name of another value of it.
	second string
}

// contract is a function's contract, ready to be written beside it, with base's in the same words if there is one.
type contract struct {
	w     *Writer
	f     *model.Function
	place *place
	// generics and bounds of free proof functions, or those of the method when an impl is around them.
	generics []string
	where    []string
	inputs   []decl
	outputs  []output
	own      side
	base     *side // nil unless contracts are compared
	brought  *brought
	// types of the inputs and of the result, for values to be pinned.
	params []param
	names  []string // of the inputs, by parameter
}

// side is one of the contracts.
type side struct {
	requires, ensures []goal
	// second are the ensures about other results.
	second []goal
}

// goal is a clause as it is written.
type goal struct {
	text   string
	clause *model.Clause
}

// home describes the impl or trait around a function in the words of its proof functions.
type home struct {
	types      map[string]string
	projection string
}

// contractOf prepares the contract of f, and that of base in the same words if base is not nil.
func (w *Writer) contractOf(f, base *model.Function) (*contract, *failure) {
	if !f.Verified {
		return nil, fail(NotVerified, "the verifier does not look at the function")
	}
	if f.Mode == model.Spec {
		return nil, fail(NoContract, "a spec function has no contract")
	}
	if len(f.Unknown) > 0 {
		return nil, fail(NotParsed, "a part of the function is not understood")
	}
	if base != nil && len(base.Unknown) > 0 {
		return nil, fail(NotParsed, "a part of the base function is not understood")
	}
	for m := range f.Node.All(syntax.FModifier) {
		if m.Text() == "async" {
			return nil, fail(UnsupportedType, "the function is async")
		}
	}
	p, err := placeOf(f)
	if err != nil {
		return nil, err
	}
	c := &contract{w: w, f: f, place: p}
	if c.params, err = paramsOf(f); err != nil {
		return nil, err
	}
	h, err := c.home()
	if err != nil {
		return nil, err
	}
	types := &frame{w: w, words: f, m: w.m, at: f, types: h.types, projection: h.projection, impls: map[int]string{}}
	if err := c.generic(types); err != nil {
		return nil, err
	}

	// Names of the inputs: head's own, unless they would mean something else in one of the contracts.
	var baseParams []param
	if base != nil {
		if baseParams, err = w.comparable(f, base); err != nil {
			return nil, err
		}
	}
	words := map[string]bool{}
	if base != nil {
		words = wordsOf(base)
	}
	taken := map[string]bool{}
	result := resultPat(f)
	resultName := ""
	if result.Kind() == syntax.IdentPat && !result.Get(syntax.FPat).Valid() {
		resultName = result.Get(syntax.FName).Text()
	}
	for i, q := range c.params {
		name := q.name
		fresh := name == "" || name == "self" || q.mut || taken[name] || name == resultName || verusWords[name]
		if base != nil && !fresh && baseParams[i].name != name {
			fresh = words[name]
		}
		if fresh {
			stem := cmp.Or(name, "arg"+strconv.Itoa(i))
			if q.mut {
				stem = "old_" + stem
			}
			name = w.prefix + stem
			for taken[name] {
				name += "_"
			}
		}
		taken[name] = true
		c.names = append(c.names, name)
		text, err := types.paramType(q)
		if err != nil {
			return nil, err
		}
		if q.mut {
			text = "&" + text
			after := w.prefix + "new_" + cmp.Or(q.name, "arg"+strconv.Itoa(i))
			for taken[after] {
				after += "_"
			}
			taken[after] = true
			c.outputs = append(c.outputs, output{decl: decl{after, text}, node: q.typ, self: q.self, second: after + "_2"})
		}
		c.inputs = append(c.inputs, decl{name, text})
	}
	if ret := f.Node.Get(syntax.FRet).Get(syntax.FType); ret.Valid() {
		switch {
		case ret.Kind() == syntax.NeverType:
			return nil, fail(UnsupportedType, "the function never returns")
		case ret.Kind() == syntax.RefType && ret.Mut() || hasMut(ret):
			return nil, fail(UnsupportedType, "the result holds a mutable reference")
		}
		if ret.Kind() != syntax.TupleType || len(slices.Collect(ret.All(syntax.FType))) > 0 || resultName != "" {
			name := resultName
			if name == "" || verusWords[name] || base != nil && resultNameOf(base) != name && words[name] {
				name = w.prefix + cmp.Or(resultName, "result")
			}
			text, err := types.copy(ret)
			if err != nil {
				return nil, err
			}
			c.outputs = append(c.outputs, output{decl: decl{name, text}, node: ret, second: w.prefix + cmp.Or(resultName, "result") + "_2"})
		}
	}

	if base != nil {
		if c.brought, err = w.bring(base, f); err != nil {
			return nil, err
		}
	}
	if err := c.clauses(&c.own, f, w.m, h, nil); err != nil {
		return nil, err
	}
	if base != nil {
		c.base = &side{}
		bh, err := w.rename(f, base, h)
		if err != nil {
			return nil, err
		}
		if err := c.clauses(c.base, base, w.pairs.Base, bh, c.brought); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// verusWords are names that the verifier's parser takes for keywords where a clause may begin or end.
var verusWords = map[string]bool{"requires": true, "recommends": true, "ensures": true, "default_ensures": true, "returns": true, "decreases": true,
	"opens_invariants": true, "no_unwind": true, "invariant": true, "invariant_except_break": true, "invariant_ensures": true, "when": true,
	"via": true, "by": true, "with": true, "atomically": true, "assert": true, "assume": true, "forall": true, "exists": true, "choose": true,
	"final": true, "old": true, "is": true, "has": true, "matches": true, "implies": true, "proof": true, "calc": true}

func resultNameOf(f *model.Function) string {
	if p := resultPat(f); p.Kind() == syntax.IdentPat {
		return p.Get(syntax.FName).Text()
	}
	return ""
}

// wordsOf are all words in the contract of a function.
func wordsOf(f *model.Function) map[string]bool {
	out := map[string]bool{}
	for _, c := range f.Contract() {
		for t := range c.Node.Tokens() {
			out[t.Text()] = true
		}
	}
	return out
}

// paramType is the type of an input: for a mutable reference what it points to.
func (fr *frame) paramType(q param) (string, *failure) {
	if q.self == "" {
		return fr.copy(q.typ)
	}
	self := cmp.Or(fr.types["Self"], "Self")
	if strings.HasPrefix(q.self, "&") {
		return "&" + self, nil
	}
	return self, nil
}

// home says what the impl or trait around the function is to its proof functions.
func (c *contract) home() (*home, *failure) {
	w, f, p := c.w, c.f, c.place
	h := &home{types: map[string]string{}}
	fr := &frame{w: w, words: f, m: w.m, at: f}
	switch {
	case p.trait.Valid():
		self := w.prefix + "Self"
		h.types["Self"] = self
		bound, args := p.trait.Get(syntax.FName).Text(), ""
		for g := range p.trait.Get(syntax.FGenerics).All(syntax.FParam) {
			text, err := genericParam(fr, g)
			if err != nil {
				return nil, err
			}
			c.generics = append(c.generics, text)
			args += ", " + genericName(g)
		}
		if args != "" {
			bound += "<" + args[2:] + ">"
		}
		c.generics = append(c.generics, self+": "+bound)
		selfFrame := &frame{w: w, words: f, m: w.m, at: f, types: h.types}
		for pred := range p.trait.Get(syntax.FWhere).All(syntax.FPred) {
			text, err := selfFrame.copy(pred)
			if err != nil {
				return nil, err
			}
			c.where = append(c.where, text)
		}
	case p.impl.Valid():
		trait := p.impl.Get(syntax.FTrait)
		if trait.Valid() && !w.localType(f) {
			// There can be no impl block of its own for the type of another crate.
			self, err := fr.copy(p.impl.Get(syntax.FSelfType))
			if err != nil {
				return nil, err
			}
			h.types["Self"] = self
			h.projection = "<" + self + " as " + trait.Text() + ">"
			for g := range p.impl.Get(syntax.FGenerics).All(syntax.FParam) {
				text, err := genericParam(fr, g)
				if err != nil {
					return nil, err
				}
				c.generics = append(c.generics, text)
			}
			for pred := range p.impl.Get(syntax.FWhere).All(syntax.FPred) {
				c.where = append(c.where, pred.Text())
			}
			break
		}
		if trait.Valid() {
			h.projection = "<Self as " + trait.Text() + ">"
		}
		header, err := fr.implHeader(p.impl)
		if err != nil {
			return nil, err
		}
		p.header = header
	}
	return h, nil
}

// localType tells whether the self type of an impl is a type of the same crate.
func (w *Writer) localType(f *model.Function) bool {
	t := syntax.Node{}
	if p, err := placeOf(f); err == nil {
		t = p.impl.Get(syntax.FSelfType)
	}
	if t.Kind() != syntax.Path {
		return false
	}
	d := w.m.Resolve(f, t, false)
	return d.Item != nil && d.Item.Crate == f.Crate && (d.Item.Kind == model.StructItem || d.Item.Kind == model.EnumItem || d.Item.Kind == model.UnionItem)
}

// genericParam is a generic parameter without its default.
func genericParam(fr *frame, g syntax.Node) (string, *failure) {
	text, err := fr.copy(g)
	if err != nil {
		return "", err
	}
	if d := g.Get(syntax.FDefault); d.Valid() {
		whole, at := g.Text(), d.Span().Start-g.Span().Start
		text = strings.TrimRight(strings.TrimRight(whole[:at], " \n\t"), "= \n\t")
	}
	return text, nil
}

// generic adds the type parameters of the function, and those that `impl Trait` in its signature stands for.
func (c *contract) generic(types *frame) *failure {
	n := c.f.Node
	for g := range n.Get(syntax.FGenerics).All(syntax.FParam) {
		text, err := genericParam(types, g)
		if err != nil {
			return err
		}
		c.generics = append(c.generics, text)
	}
	for pred := range n.Get(syntax.FWhere).All(syntax.FPred) {
		text, err := types.copy(pred)
		if err != nil {
			return err
		}
		c.where = append(c.where, text)
	}
	var err *failure
	implTrait := func(t syntax.Node) {
		t.Walk(func(x syntax.Node) bool {
			if x.Kind() != syntax.ImplTrait || err != nil {
				return true
			}
			var bounds string
			if bounds, err = types.copy(x.Get(syntax.FBounds)); err != nil {
				return false
			}
			name := c.w.prefix + "T" + strconv.Itoa(len(types.impls))
			types.impls[x.ID()] = name
			c.generics = append(c.generics, name+": "+bounds)
			return false
		})
	}
	for _, q := range c.params {
		implTrait(q.typ)
	}
	implTrait(n.Get(syntax.FRet).Get(syntax.FType))
	// Lifetimes come first.
	slices.SortStableFunc(c.generics, func(a, b string) int { return boolInt(a[0] != '\'') - boolInt(b[0] != '\'') })
	return err
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clauses writes the requires and ensures of words, a function of m, into s.
func (c *contract) clauses(s *side, words *model.Function, m *model.Model, h *home, b *brought) *failure {
	inherited := words.TraitMethod
	add := func(from *model.Function, list []model.Clause, h *home) *failure {
		params, err := paramsOf(from)
		if err != nil {
			return err
		}
		if len(params) != len(c.params) {
			return fail(TypesChanged, "the number of parameters differs")
		}
		before := &frame{w: c.w, words: from, m: m, at: c.f, vars: map[string]binding{}, types: h.types, projection: h.projection, brought: b, bare: bareBefore}
		var lets []string
		after := 0
		for i, q := range params {
			bind := binding{before: c.names[i], after: c.names[i], mut: q.mut}
			if q.mut {
				bind.after = c.outputs[after].name
				after++
			}
			switch {
			case q.name != "":
				before.vars[q.name] = bind
			case q.pat.Valid() && q.pat.Kind() != syntax.WildPat:
				lets = append(lets, "let "+q.pat.Text()+" = "+c.names[i]+";")
			}
		}
		for i := range list {
			cl := &list[i]
			if cl.Node.Kind() == syntax.Clause {
				continue // an empty list
			}
			switch cl.Kind {
			case syntax.Requires:
				text, err := clauseText(before, cl.Node, lets)
				if err != nil {
					return err
				}
				s.requires = append(s.requires, goal{text, cl})
			case syntax.Ensures, syntax.Returns:
				for k, into := range []*[]goal{&s.ensures, &s.second} {
					fr, lets := c.afterwards(before, from, params, lets, k == 1)
					text, err := clauseText(fr, cl.Node, lets)
					if err != nil {
						return err
					}
					if cl.Kind == syntax.Returns {
						res := c.result(k == 1)
						if res == "" {
							return fail(NotParsed, "`returns` of a function without a result")
						}
						text = res + " == (" + text + ")"
					}
					*into = append(*into, goal{text, cl})
				}
			}
		}
		return nil
	}
	if len(words.Inherited) > 0 && inherited != nil {
		th, err := c.traitWords(words, inherited, h)
		if err != nil {
			return err
		}
		if err := add(inherited, words.Inherited, th); err != nil {
			return err
		}
	}
	return add(words, words.Own, h)
}

// result is the name of the result among the outputs, or of the second one; empty if nothing is returned.
func (c *contract) result(second bool) string {
	if len(c.outputs) == 0 || strings.HasPrefix(c.outputs[len(c.outputs)-1].name, c.w.prefix+"new_") {
		return ""
	}
	if o := c.outputs[len(c.outputs)-1]; second {
		return o.second
	} else {
		return o.name
	}
}

// afterwards is the frame of ensures.
func (c *contract) afterwards(before *frame, from *model.Function, params []param, lets []string, second bool) (*frame, []string) {
	fr := *before
	fr.vars = map[string]binding{}
	after := 0
	for i, q := range params {
		bind := binding{before: c.names[i], after: c.names[i], mut: q.mut}
		if q.mut {
			bind.after = c.outputs[after].name
			if second {
				bind.after = c.outputs[after].second
			}
			after++
		}
		if q.name != "" {
			fr.vars[q.name] = bind
		}
	}
	fr.bare = bareAfter
	if pat := resultPat(from); pat.Valid() {
		name := c.result(second)
		if pat.Kind() == syntax.IdentPat && !pat.Get(syntax.FPat).Valid() {
			fr.vars[pat.Get(syntax.FName).Text()] = binding{before: name, after: name}
		} else if pat.Kind() != syntax.WildPat {
			lets = append(slices.Clone(lets), "let "+pat.Text()+" = "+name+";")
		}
	}
	return &fr, lets
}

// clauseText is a clause as it stands, in the words of its new place. Lets take patterns apart before it.
func clauseText(fr *frame, n syntax.Node, lets []string) (string, *failure) {
	for n.Kind() == syntax.AttrExpr {
		inner := n.Get(syntax.FExpr)
		keep := true
		for a := range n.All(syntax.FAttr) {
			keep = keep && !a.Inner()
		}
		if keep {
			break
		}
		n = inner // triggers and notes at the head of a clause: the solver chooses
	}
	text, err := fr.copy(n)
	if err != nil {
		return "", err
	}
	switch n.Kind() {
	case syntax.Block:
		if len(lets) == 0 {
			return "(" + text + ")", nil
		}
	case syntax.BigAnd, syntax.BigOr:
		if len(lets) == 0 {
			return "({ " + text + " })", nil
		}
	}
	if len(lets) > 0 {
		return "({ " + strings.Join(lets, " ") + " " + text + " })", nil
	}
	return text, nil
}

// traitWords says what the words of a trait mean in an impl of it.
func (c *contract) traitWords(f, method *model.Function, h *home) (*home, *failure) {
	out := &home{types: map[string]string{}, projection: h.projection}
	for k, v := range h.types {
		out.types[k] = v
	}
	pf, err := placeOf(f)
	if err != nil {
		return nil, err
	}
	pt, err := placeOf(method)
	if err != nil {
		return nil, err
	}
	var last syntax.Node
	for s := range pf.impl.Get(syntax.FTrait).All(syntax.FSegment) {
		last = s
	}
	var args []syntax.Node
	for a := range last.Get(syntax.FGenericArgs).All(syntax.FArg) {
		if a.Kind() != syntax.AssocArg {
			args = append(args, a)
		}
	}
	i := 0
	for g := range pt.trait.Get(syntax.FGenerics).All(syntax.FParam) {
		name := genericName(g)
		text := g.Get(syntax.FDefault).Text()
		if i < len(args) {
			text = args[i].Text()
		}
		i++
		if text == "" {
			return nil, fail(NotParsed, "a type argument of the trait is missing")
		}
		out.types[name] = text
	}
	// The method's own type parameters, by position.
	var mine []string
	for g := range f.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		mine = append(mine, genericName(g))
	}
	i = 0
	for g := range method.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		if i >= len(mine) {
			return nil, fail(BoundsChanged, "the trait's method has other type parameters")
		}
		out.types[genericName(g)] = mine[i]
		i++
	}
	return out, nil
}

package eval

import (
	"slices"
	"sort"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// instances chooses what the type parameters of a function stand for: a small integer type where the bounds allow it, a type of
// the world that implements the bounds, or values that say what the specification methods of the bounds give.
func (g *generator) instances(f *Func) (map[string]*value.Type, error) {
	sc := f.scope()
	bounds := map[string][]syntax.Node{}
	read := func(n syntax.Node) {
		for p := range n.Get(syntax.FGenerics).All(syntax.FParam) {
			if p.Kind() == syntax.TypeParam {
				name := identText(p.Get(syntax.FName))
				for b := range p.Get(syntax.FBounds).All(syntax.FBound) {
					bounds[name] = append(bounds[name], b)
				}
			}
		}
		for p := range n.Get(syntax.FWhere).All(syntax.FPred) {
			name := p.Get(syntax.FType).Text()
			for b := range p.Get(syntax.FBounds).All(syntax.FBound) {
				bounds[name] = append(bounds[name], b)
			}
		}
	}
	read(f.Node)
	names := make([]string, 0, len(sc.params)+1)
	for name := range sc.params {
		names = append(names, name)
	}
	if f.impl != nil {
		read(f.impl.node)
	} else if f.trait != nil {
		names = append(names, "Self")
	}
	sort.Strings(names)
	inst := map[string]*value.Type{}
	for _, name := range names {
		var traits []*def
		if name == "Self" {
			traits = append(traits, f.trait)
		}
		for _, b := range bounds[name] {
			if b.Kind() == syntax.Lifetime {
				continue
			}
			words := pathWords(b.Get(syntax.FPath))
			if len(words) == 0 {
				return nil, unsupported("a bound of %s that is not understood", short(name))
			}
			if d := f.w.resolve(f.mod, words).def; d != nil {
				if d.kind != defTrait {
					return nil, unsupported("a bound of %s that is not understood", short(name))
				}
				if !slices.Contains(traits, d) {
					traits = append(traits, d)
				}
				continue
			}
			if !plainBound(words[len(words)-1]) && !viewBound(b.Get(syntax.FPath), words) {
				return nil, unsupported("values of a type with the bound %s", nodeText(b))
			}
		}
		if len(traits) == 0 {
			inst[name] = &value.Type{Kind: value.TInt, Int: value.U8}
			continue
		}
		t := g.implementor(traits)
		if t == nil {
			t = g.table(name, traits)
		}
		if t == nil {
			return nil, unsupported("values of a type with the bound %s", short(traits[0].name))
		}
		inst[name] = t
	}
	return inst, nil
}

// plainBound tells a trait of Rust or vstd that u8 implements and that gives the contract no functions of its own.
func plainBound(name string) bool {
	switch name {
	case "Copy", "Clone", "PartialEq", "Eq", "PartialOrd", "Ord", "Debug", "Display", "Hash", "Default", "Sized", "Structural", "Send", "Sync":
		return true
	}
	return false
}

// viewBound tells vstd's View and DeepView, of which the values of integers are the integers themselves.
func viewBound(path syntax.Node, words []string) bool {
	last := words[len(words)-1]
	for seg := range path.All(syntax.FSegment) {
		if seg.Get(syntax.FGenericArgs).Valid() {
			return false // View<V = T> may be another type's
		}
	}
	return last == "View" || last == "DeepView"
}

// implementor finds a type of the world that implements traits and whose values can be made.
func (g *generator) implementor(traits []*def) *value.Type {
	implements := func(w *World, head string, given []string) bool {
		return w.types[head] != nil && !slices.ContainsFunc(traits, func(tr *def) bool {
			return !slices.ContainsFunc(w.impls[head], func(im *impl) bool {
				return im.trait != nil && im.trait.full == tr.full && len(im.generic) == 0 && hold(im.conds, given)
			})
		})
	}
	var heads []string
	for head := range g.w.impls {
		if implements(g.w, head, g.m.given) {
			heads = append(heads, head)
		}
	}
	sort.Strings(heads)
	if g.like != nil {
		slices.SortStableFunc(heads, func(a, b string) int {
			x, y := implements(g.like, a, g.m.given), implements(g.like, b, g.m.given)
			switch {
			case x && !y:
				return -1
			case y && !x:
				return 1
			}
			return 0
		})
	}
	for _, h := range heads {
		t := &value.Type{Kind: value.TData, Name: h}
		if d := g.w.types[h]; len(paramTypes(d.node)) == 0 && len(g.values(t, 2)) > 0 {
			return t
		}
	}
	return nil
}

// table makes a type whose values say what the specification methods of a trait give. A trait whose methods must keep laws has
// none: values that break them do not exist.
func (g *generator) table(name string, traits []*def) *value.Type {
	if len(traits) != 1 {
		return nil
	}
	tr := traits[0]
	if tr.node.Get(syntax.FBounds).Valid() || tr.node.Get(syntax.FGenerics).Valid() || tr.node.Get(syntax.FWhere).Valid() {
		return nil
	}
	var names []string
	var types []*value.Type
	sc := &scope{w: g.w, mod: tr.mod, params: map[string]*value.Type{}}
	for it := range tr.node.Children() {
		if it.Kind() != syntax.Fn {
			if it.Field() == syntax.FItem {
				return nil // associated types and constants
			}
			continue
		}
		mode := it.Get(syntax.FMode).Text()
		if mode == "proof" || mode == "axiom" {
			return nil
		}
		result := identText(it.Get(syntax.FRet).Get(syntax.FPat))
		for c := range it.All(syntax.FClause) {
			for x := range c.All(syntax.FExpr) {
				if c.Which() == syntax.Ensures && (result == "" || !mentions(x, result)) {
					return nil
				}
			}
		}
		if mode != "spec" || it.Get(syntax.FBody).Valid() {
			continue
		}
		n, self := 0, false
		for p := range it.Get(syntax.FParams).All(syntax.FParam) {
			n++
			self = self || p.Kind() == syntax.SelfParam
		}
		t := sc.typ(it.Get(syntax.FRet).Get(syntax.FType))
		if n == 1 && self && t != nil && len(g.values(t, 1)) > 0 {
			names = append(names, identText(it.Get(syntax.FName)))
			types = append(types, t)
		}
	}
	full := tableType + name
	g.tables[full] = g.products(types, 6, func(vs []value.Value) value.Value {
		return &value.Data{Type: full, Names: names, Fields: vs, Opaque: true}
	})
	if len(types) == 0 {
		g.tables[full] = []value.Value{&value.Data{Type: full, Names: []string{}, Opaque: true}}
	}
	return &value.Type{Kind: value.TData, Name: full}
}

package model

import "github.com/specgate/specgate/internal/syntax"

// Definition is what a path means. To is as in Ref; Functions are those of this tree that it names (variants of one), Item the type,
// constant, enum of the variant, or macro. Both may be empty for names that the tree does not define.
type Definition struct {
	To        string
	Functions []*Function
	Item      *Item
}

// Resolve tells what a path means where a function stands, its parameters and local names aside. A name is looked for among values,
// then types; macro asks for a macro. The zero Definition stands for paths without names.
func (m *Model) Resolve(at *Function, path syntax.Node, macro bool) Definition {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	segs, global := pathOf(path)
	if !x.owns(at) || len(segs) == 0 {
		return Definition{}
	}
	info := at.info
	scope := at.reads()
	var t target
	switch {
	case path.Get(syntax.FQSelf).Valid():
		t = x.qualified(scope, path, info.impl, info.generics)
	case macro:
		t = x.macroTarget(scope, info.impl, segs, global, at.File, path.Span().Start)
	default:
		t = x.resolve(scope, segs, global, info.impl, valueSpace)
		if !t.ok() || t.symbol[0] == '?' {
			if alt := x.resolve(scope, segs, global, info.impl, typeSpace); alt.ok() && alt.symbol[0] != '?' {
				t = alt
			}
		}
	}
	for _, f := range t.fns {
		x.analyse(f)
	}
	x.settle()
	return Definition{To: t.symbol, Functions: t.fns, Item: t.item}
}

// reads is where the names are looked up in the text that gives a function its meaning: for a spec function its definition, for others the contract.
func (f *Function) reads() *module {
	if f.Mode == Spec {
		return f.info.inner
	}
	return f.info.scope
}

// Name is what a path means. To is as in Ref, and Item the type of this tree, which may be the enum of a variant; nil: none.
type Name struct {
	To   string
	Item *Item
	// Open says that the path means this by Rust's prelude only, and that a glob import from a crate outside of the tree, or one that
	// was not understood, may give the name instead.
	Open bool
}

// NameAt tells what a path means where a function stands or, if at is nil, where an item does; types says that a type is meant. The zero
// Name stands for what is not known, and for type parameters.
func (m *Model) NameAt(at *Function, in *Item, segs []string, global, types bool) Name {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(segs) == 0 {
		return Name{}
	}
	var scope *module
	var impl *implInfo
	switch {
	case at != nil && x.owns(at):
		scope, impl = at.reads(), at.info.impl
	case at == nil && in != nil && x.it[in] != nil:
		if x.it[in].generics[segs[0]] {
			return Name{}
		}
		scope, impl = x.it[in].scope, x.it[in].impl
	}
	if scope == nil || impl != nil && impl.generics[segs[0]] {
		return Name{}
	}
	want := valueSpace
	if types {
		want = typeSpace
	}
	t := x.resolve(scope, segs, global, impl, want)
	if types && (len(t.others) > 0 || t.item != nil && x.severally(t.item)) {
		return Name{}
	}
	out := Name{To: t.symbol, Item: t.item}
	if preludeNames[segs[0]] != "" && !global {
		l := &lookup{x: x, fuel: maxSteps}
		first := want
		if len(segs) > 1 {
			first = typeSpace
		}
		out.Open = !l.name(scope, segs[0], first, true).ok() && l.openGlob(scope, true, map[*module]bool{}) || l.fuel < 0
	}
	x.settle()
	return out
}

// openGlob tells whether a module has a glob import that may bring names that this tree does not show.
func (l *lookup) openGlob(m *module, outer bool, seen map[*module]bool) bool {
	if l.fuel--; l.fuel < 0 {
		return true
	}
	if m == nil || seen[m] {
		return false
	}
	seen[m] = true
	l.x.enter(m)
	for _, g := range m.globs {
		t := l.follow(g, typeSpace)
		switch {
		case t.mod != nil:
			if l.openGlob(t.mod, false, seen) {
				return true
			}
		case t.item != nil:
			// The variants of an enum, which were looked at.
		case t.ext != nil:
			switch t.ext[0] {
			case "core", "vstd", "verus_builtin", "verus_builtin_macros", "verus_state_machines_macros":
			default:
				return true
			}
		default:
			return true
		}
	}
	return outer && m.block && l.openGlob(m.parent, true, seen)
}

// owns tells the functions of this tree from those of another, and from none.
func (x *index) owns(f *Function) bool {
	return f != nil && f.info.index < len(x.functions) && x.functions[f.info.index] == f
}

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
	var t target
	switch {
	case path.Get(syntax.FQSelf).Valid():
		t = x.qualified(info.scope, path, info.impl)
	case macro:
		t = x.resolve(info.scope, segs, global, info.impl, macroSpace)
	default:
		t = x.resolve(info.scope, segs, global, info.impl, valueSpace)
		if !t.ok() || t.symbol[0] == '?' {
			if alt := x.resolve(info.scope, segs, global, info.impl, typeSpace); alt.ok() && alt.symbol[0] != '?' {
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

// owns tells the functions of this tree from those of another, and from none.
func (x *index) owns(f *Function) bool {
	return f != nil && f.info.index < len(x.functions) && x.functions[f.info.index] == f
}

package model

import (
	"strconv"

	"github.com/specgate/specgate/internal/syntax"
)

// typeOf finds the type of an expression where it is plain: the item, or a trait for `self` in one, or known for a type that is
// none of the tree's.
func (a *analyser) typeOf(n syntax.Node, depth int) (it, trait *Item, known bool) {
	if depth > 12 {
		return nil, nil, false
	}
	switch n.Kind() {
	case syntax.Paren, syntax.Ref, syntax.AttrExpr:
		return a.typeOf(n.Get(syntax.FExpr), depth+1)
	case syntax.Unary:
		if n.Op() == syntax.Star {
			return a.typeOf(n.Get(syntax.FExpr), depth+1)
		}
		return nil, nil, n.Op() == syntax.Minus
	case syntax.Literal, syntax.Array, syntax.Tuple, syntax.Quant:
		return nil, nil, true
	case syntax.Cast:
		return a.typeNode(n.Get(syntax.FType), a.scope, a.self, a.generics)
	case syntax.StructExpr:
		segs, g := pathOf(n.Get(syntax.FPath))
		if len(segs) == 0 {
			return nil, nil, false
		}
		t := a.resolve(segs, g, typeSpace)
		return t.item, nil, t.ext != nil
	case syntax.Path:
		segs, g := pathOf(n)
		if len(segs) == 0 {
			return nil, nil, false
		}
		if len(segs) > 1 {
			return a.constantType(segs, g)
		}
		if segs[0] == "self" {
			if a.self == nil {
				return nil, nil, false
			}
			if a.self.traitItem != nil {
				return nil, a.self.traitItem, true
			}
			it := a.x.selfItem(a.self)
			return it, nil, it != nil || a.self.selfExt != nil
		}
		if b, ok := a.local(segs[0]); ok {
			if b.typ.Valid() {
				return a.typeNode(b.typ, a.scope, a.self, a.generics)
			}
			if b.init.Valid() {
				return a.typeOf(b.init, depth+1)
			}
			return nil, nil, false
		}
		return a.constantType(segs, g)
	case syntax.FieldExpr:
		if t := a.declared(n, depth); t.node.Valid() {
			return a.typeNode(t.node, t.scope, t.self, t.generics)
		}
		return nil, nil, false
	case syntax.Index:
		// An element of a sequence or a map, or of what it is the view of.
		of := n.Get(syntax.FExpr)
		for of.Kind() == syntax.View || of.Kind() == syntax.Paren {
			of = of.Get(syntax.FExpr)
		}
		if t := a.declared(of, depth+1); t.node.Valid() {
			if e := element(t.node); e.Valid() {
				return a.typeNode(e, t.scope, t.self, t.generics)
			}
		}
		return nil, nil, false
	case syntax.View:
		// The view of a Ghost<T> or Tracked<T> is the T.
		if t := a.declared(n.Get(syntax.FExpr), depth+1); t.node.Valid() {
			if in := inGhost(t.node); in.Valid() {
				return a.typeNode(in, t.scope, t.self, t.generics)
			}
		}
		return a.resultOf("view", n.Get(syntax.FExpr), depth)
	case syntax.MethodCall:
		return a.resultOf(word(n.Get(syntax.FName)), n.Get(syntax.FReceiver), depth)
	case syntax.Call:
		segs, g := pathOf(n.Get(syntax.FCallee))
		if len(segs) == 0 {
			return nil, nil, false
		}
		if len(segs) == 1 && (segs[0] == "old" || segs[0] == "final" || segs[0] == "Ghost" || segs[0] == "Tracked") {
			for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
				return a.typeOf(e, depth+1)
			}
		}
		if a.generics[segs[0]] {
			return nil, nil, false
		}
		t := a.resolve(segs, g, valueSpace)
		if len(t.fns) > 0 {
			return a.returned(t.fns[0])
		}
		if t.item != nil && (t.item.Kind == StructItem || t.item.Kind == EnumItem) {
			return t.item, nil, true
		}
	}
	return nil, nil, false
}

// writtenType is a type as written, and what its names mean.
type writtenType struct {
	node     syntax.Node
	scope    *module
	self     *implInfo
	generics map[string]bool
}

// declared is the type that the declaration of a local variable or a field gives it; not valid for another expression.
func (a *analyser) declared(n syntax.Node, depth int) writtenType {
	for n.Kind() == syntax.Paren || n.Kind() == syntax.Ref {
		n = n.Get(syntax.FExpr)
	}
	switch n.Kind() {
	case syntax.Path:
		if segs, _ := pathOf(n); len(segs) == 1 {
			if b, ok := a.local(segs[0]); ok {
				return writtenType{b.typ, a.scope, a.self, a.generics}
			}
		}
	case syntax.Call:
		if segs, _ := pathOf(n.Get(syntax.FCallee)); len(segs) == 1 && (segs[0] == "old" || segs[0] == "final") && depth < 12 {
			for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
				return a.declared(e, depth+1)
			}
		}
	case syntax.FieldExpr:
		owner, _, _ := a.typeOf(n.Get(syntax.FExpr), depth+1)
		if owner == nil {
			break
		}
		name := word(n.Get(syntax.FName))
		i := 0
		for f := range owner.Node.Get(syntax.FFields).All(syntax.FFieldDecl) {
			if nm := f.Get(syntax.FName); nm.Valid() && word(nm) == name || !nm.Valid() && name == strconv.Itoa(i) {
				info := a.x.it[owner]
				return writtenType{f.Get(syntax.FType), info.scope, nil, info.generics}
			}
			i++
		}
	}
	return writtenType{}
}

// throughRefs is a type without references and parentheses around it.
func throughRefs(t syntax.Node) syntax.Node {
	for t.Kind() == syntax.RefType || t.Kind() == syntax.ParenType {
		t = t.Get(syntax.FType)
	}
	return t
}

// lastName is the last name of a type that is a path; empty for another.
func lastName(t syntax.Node) string {
	if segs, _ := pathOf(t); len(segs) > 0 {
		return segs[len(segs)-1]
	}
	return ""
}

// inGhost is T of Ghost<T> or Tracked<T>; not valid for another type.
func inGhost(t syntax.Node) syntax.Node {
	t = throughRefs(t)
	if n := lastName(t); n == "Ghost" || n == "Tracked" {
		return unwrapType(t)
	}
	return syntax.Node{}
}

// element is the type of the elements of an array, a slice, a library's sequence or map; not valid for another type.
func element(t syntax.Node) syntax.Node {
	for range 20 {
		t = throughRefs(t)
		switch t.Kind() {
		case syntax.ArrayType, syntax.SliceType:
			return t.Get(syntax.FType)
		}
		switch lastName(t) {
		case "Ghost", "Tracked", "Box", "Rc", "Arc":
			t = unwrapType(t)
		case "Seq", "Vec", "VecDeque":
			return unwrapType(t)
		case "Map", "IMap":
			var last syntax.Node
			for s := range t.All(syntax.FSegment) {
				for arg := range s.Get(syntax.FGenericArgs).All(syntax.FArg) {
					last = arg
				}
			}
			return last
		default:
			return syntax.Node{}
		}
	}
	return syntax.Node{}
}

// constantType is the type of a constant or static.
func (a *analyser) constantType(segs []string, global bool) (it, trait *Item, known bool) {
	if a.generics[segs[0]] {
		return nil, nil, false
	}
	t := a.resolve(segs, global, valueSpace)
	switch {
	case len(t.fns) > 0 && t.fns[0].Kind == ConstFunction:
		f := t.fns[0]
		info := f.info
		return a.typeNode(f.Node.Get(syntax.FType), info.scope, info.impl, info.generics)
	case t.item != nil && (t.item.Kind == ConstItem || t.item.Kind == StaticItem):
		info := a.x.it[t.item]
		return a.typeNode(t.item.Node.Get(syntax.FType), info.scope, info.owner, info.generics)
	}
	return nil, nil, false
}

func (a *analyser) resultOf(name string, recv syntax.Node, depth int) (it, trait *Item, known bool) {
	owner, _, _ := a.typeOf(recv, depth+1)
	if owner == nil {
		return nil, nil, false
	}
	if fns := a.x.allAssociated(owner, name); len(fns) > 0 {
		return a.returned(fns[0])
	}
	return nil, nil, false
}

// returned is the type that a function returns.
func (a *analyser) returned(f *Function) (it, trait *Item, known bool) {
	info := f.info
	return a.typeNode(f.Node.Get(syntax.FRet).Get(syntax.FType), info.scope, info.impl, info.generics)
}

// typeNode is the item that a type as written means, through references and boxes.
func (a *analyser) typeNode(t syntax.Node, scope *module, self *implInfo, generics map[string]bool) (it, trait *Item, known bool) {
	for depth := 0; depth < 20; depth++ {
		switch t.Kind() {
		case syntax.RefType, syntax.ParenType:
			t = t.Get(syntax.FType)
			continue
		case syntax.TupleType, syntax.ArrayType, syntax.SliceType, syntax.PtrType, syntax.FnPtrType, syntax.SpecFnType, syntax.NeverType:
			return nil, nil, true
		case syntax.Path:
		default:
			return nil, nil, false
		}
		segs, global := pathOf(t)
		if len(segs) == 0 || generics[segs[0]] {
			return nil, nil, false
		}
		if len(segs) == 1 && segs[0] == "Self" {
			if self == nil {
				return nil, nil, false
			}
			if self.traitItem != nil {
				return nil, self.traitItem, true
			}
			it := a.x.selfItem(self)
			return it, nil, it != nil
		}
		switch segs[len(segs)-1] {
		case "Box", "Rc", "Arc", "Ghost", "Tracked":
			if in := unwrapType(t); in.Valid() {
				t = in
				continue
			}
		}
		if segs[0] == "Self" { // an associated type
			if self != nil && len(segs) == 2 {
				if u, ok := self.types[segs[1]]; ok {
					t = u
					continue
				}
			}
			return nil, nil, false
		}
		got := a.x.resolve(scope, segs, global, self, typeSpace)
		if got.item != nil && got.item.Kind == TypeAliasItem {
			l := &lookup{x: a.x, fuel: maxSteps}
			got = l.alias(got.item)
		}
		if got.item != nil && got.item.Kind == TraitItem {
			return nil, got.item, true
		}
		// A name that nothing in the tree defines is a library's, from a glob import.
		return got.item, nil, got.item != nil || got.ext != nil || len(segs) == 1 && got.symbol != "" && got.symbol[0] == '?'
	}
	return nil, nil, false
}

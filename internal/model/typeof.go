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
		it, trait, known = a.typeOf(n.Get(syntax.FExpr), depth+1)
		switch n.Op() {
		case syntax.Star:
			if it != nil && a.x.dereferences(it) {
				return nil, nil, false
			}
			return it, trait, known
		case syntax.Minus:
			return nil, nil, known && it == nil && trait == nil // a type of the tree may have an operator that gives another
		}
		return nil, nil, false
	case syntax.Quant:
		if n.Op() != syntax.KwChoose {
			return nil, nil, true
		}
		var chosen syntax.Node
		for p := range n.All(syntax.FParam) {
			if chosen.Valid() {
				return nil, nil, true // a tuple
			}
			chosen = p
		}
		return a.typeNode(chosen.Get(syntax.FType), a.scope, a.self, a.generics)
	case syntax.Literal, syntax.Array, syntax.Tuple:
		return nil, nil, true
	case syntax.Cast:
		return a.typeNode(n.Get(syntax.FType), a.scope, a.self, a.generics)
	case syntax.StructExpr:
		segs, g := pathOf(n.Get(syntax.FPath))
		if len(segs) == 0 {
			return nil, nil, false
		}
		if a.generics[segs[0]] {
			return nil, nil, false
		}
		return a.meant(a.resolve(segs, g, typeSpace))
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
			return a.typeNode(a.self.self, a.self.scope, a.self, a.self.generics)
		}
		if b, ok := a.local(segs[0]); ok {
			if b.typ.Valid() {
				return a.typeNode(b.typ, a.scope, a.self, a.generics)
			}
			if b.init.Valid() {
				// Its names are those from before the variable.
				bound := a.bound
				a.bound = a.bound[:b.at]
				defer func() { a.bound = bound }()
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
		if e := a.element(a.declared(of, depth+1)); e.node.Valid() {
			return a.typeNode(e.node, e.scope, e.self, e.generics)
		}
		return a.resultOf("spec_index", n.Get(syntax.FExpr), depth)
	case syntax.View:
		// The view of a Ghost<T> or Tracked<T> is the T.
		if in := a.inGhost(a.declared(n.Get(syntax.FExpr), depth+1)); in.node.Valid() {
			return a.typeNode(in.node, in.scope, in.self, in.generics)
		}
		return a.resultOf("view", n.Get(syntax.FExpr), depth)
	case syntax.MethodCall:
		return a.resultOf(word(n.Get(syntax.FName)), n.Get(syntax.FReceiver), depth)
	case syntax.Call:
		segs, g := pathOf(n.Get(syntax.FCallee))
		if len(segs) == 0 {
			return nil, nil, false
		}
		if len(segs) == 1 {
			if _, ok := a.local(segs[0]); ok {
				return nil, nil, false // a closure
			}
		}
		if len(segs) > 1 && a.generics[segs[0]] {
			return nil, nil, false
		}
		t := a.resolve(segs, g, valueSpace)
		if a.sameValue(segs, t) || len(segs) == 1 && t.item == nil && len(t.fns) == 0 && (segs[0] == "Ghost" || segs[0] == "Tracked") {
			for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
				return a.typeOf(e, depth+1)
			}
		}
		switch {
		case len(t.others) > 0:
		case len(t.fns) > 0:
			return a.returned(t.fns)
		case t.item != nil && (t.item.Kind == StructItem || t.item.Kind == EnumItem) && !a.x.severally(t.item):
			return t.item, nil, true
		}
	}
	return nil, nil, false
}

// sameValue tells Verus's functions that give a value of the type of their argument.
func (a *analyser) sameValue(segs []string, t target) bool {
	return len(segs) == 1 && (segs[0] == "old" || segs[0] == "final") && t.item == nil && len(t.fns) == 0
}

// dereferences tells a type that has a Deref of its own, which may lead to any other.
func (x *index) dereferences(it *Item) bool { return len(x.allAssociated(it, "deref")) > 0 }

// severally tells an item whose name stands for other items of the module, too, under other conditions.
func (x *index) severally(it *Item) bool {
	n := 0
	for _, d := range x.it[it].scope.defs[it.Name] {
		if d.item != nil && d.space()&typeSpace != 0 {
			n++
		}
	}
	return n > 1
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
		if segs, g := pathOf(n.Get(syntax.FCallee)); len(segs) == 1 && depth < 12 && a.sameValue(segs, a.resolve(segs, g, valueSpace)) {
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
		info := a.x.it[owner]
		var found writtenType
		i := 0
		for f := range owner.Node.Get(syntax.FFields).All(syntax.FFieldDecl) {
			nm := f.Get(syntax.FName)
			if !nm.Valid() && f.Get(syntax.FAttr).Valid() {
				return writtenType{} // it may not be there, and move those behind it
			}
			if nm.Valid() && word(nm) == name || !nm.Valid() && name == strconv.Itoa(i) {
				if found.node.Valid() {
					return writtenType{} // each under a condition
				}
				found = writtenType{f.Get(syntax.FType), info.scope, nil, info.generics}
			}
			i++
		}
		return found
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

// ofLibrary tells a path to a type that is none of the tree's, as far as its last name says which.
func (a *analyser) ofLibrary(t writtenType) bool {
	segs, global := pathOf(t.node)
	if len(segs) == 0 || t.generics[segs[0]] {
		return false
	}
	got := a.x.resolve(t.scope, segs, global, t.self, typeSpace)
	return got.item == nil && got.mod == nil && len(got.others) == 0
}

// pointer tells the library's types that lead to what they hold wherever a method or a field is looked for.
func pointer(name string) bool {
	switch name {
	case "Box", "Rc", "Arc", "Ghost", "Tracked":
		return true
	}
	return false
}

// inGhost is T of Ghost<T> or Tracked<T>; not valid for another type.
func (a *analyser) inGhost(t writtenType) writtenType {
	t.node = throughRefs(t.node)
	if n := lastName(t.node); (n == "Ghost" || n == "Tracked") && a.ofLibrary(t) {
		t.node = unwrapType(t.node)
		return t
	}
	return writtenType{}
}

// element is the type of the elements of an array, a slice, a library's sequence or map; not valid for another type.
func (a *analyser) element(t writtenType) writtenType {
	for range 20 {
		t.node = throughRefs(t.node)
		switch t.node.Kind() {
		case syntax.ArrayType, syntax.SliceType:
			t.node = t.node.Get(syntax.FType)
			return t
		}
		name := lastName(t.node)
		if name == "" || !a.ofLibrary(t) {
			return writtenType{}
		}
		switch name {
		case "Seq", "Vec", "VecDeque":
			t.node = unwrapType(t.node)
			return t
		case "Map", "IMap":
			var last syntax.Node
			for s := range t.node.All(syntax.FSegment) {
				for arg := range s.Get(syntax.FGenericArgs).All(syntax.FArg) {
					last = arg
				}
			}
			t.node = last
			return t
		}
		if !pointer(name) {
			return writtenType{}
		}
		t.node = unwrapType(t.node)
	}
	return writtenType{}
}

// constantType is the type of a constant or static.
func (a *analyser) constantType(segs []string, global bool) (it, trait *Item, known bool) {
	if a.generics[segs[0]] {
		return nil, nil, false
	}
	t := a.resolve(segs, global, valueSpace)
	switch {
	case len(t.others) > 0 || len(t.fns) > 1:
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
	return a.returned(a.x.methodsOf(owner, name))
}

// returned is the type that each of some functions returns; that of another is not known.
func (a *analyser) returned(fns []*Function) (it, trait *Item, known bool) {
	for i, f := range fns {
		info := f.info
		t, tr, ok := a.typeNode(f.Node.Get(syntax.FRet).Get(syntax.FType), info.scope, info.impl, info.generics)
		if !ok || tr != nil { // a trait's Self is of any type, which may have methods of its own
			return nil, nil, false
		}
		if i > 0 && t != it {
			return nil, nil, false
		}
		it, known = t, true
	}
	return it, nil, known
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
			t, scope, generics = self.self, self.scope, self.generics
			continue
		}
		if pointer(segs[len(segs)-1]) && a.ofLibrary(writtenType{t, scope, self, generics}) {
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
		if got.item != nil && got.item.Kind == TypeAliasItem && len(got.others) == 0 && !a.x.severally(got.item) {
			info := a.x.it[got.item]
			t, scope, self, generics = got.item.Node.Get(syntax.FType), info.scope, info.owner, info.generics
			continue
		}
		it, trait, known = a.meant(got)
		// A name that nothing in the tree defines is a library's, from a glob import.
		return it, trait, known || len(segs) == 1 && got.symbol != "" && got.symbol[0] == '?'
	}
	return nil, nil, false
}

// meant is the type that a path leads to, through type aliases.
func (a *analyser) meant(t target) (it, trait *Item, known bool) {
	switch {
	case len(t.others) > 0 || t.item != nil && a.x.severally(t.item):
		return nil, nil, false
	case t.item == nil:
		return nil, nil, t.ext != nil
	case t.item.Kind == TraitItem:
		return nil, t.item, true
	case t.item.Kind == TypeAliasItem:
		info := a.x.it[t.item]
		return a.typeNode(t.item.Node.Get(syntax.FType), info.scope, info.owner, info.generics)
	}
	return t.item, nil, true
}

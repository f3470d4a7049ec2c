package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// signature fills what the head of a function says: parameters, result, canonical signature, contract.
func (x *index) signature(f *Function, n syntax.Node, ms []meta) {
	var b strings.Builder
	put := func(s string) {
		if s != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s)
		}
	}
	canon := func(field syntax.Field) {
		for c := range n.All(field) {
			put(syntax.Canon(c))
		}
	}
	canon(syntax.FVis)
	canon(syntax.FModifier)
	if f.Mode != Exec {
		put(f.Mode.String())
	}
	switch n.Kind() {
	case syntax.Const:
		put("const")
	case syntax.Static:
		put("static")
	default:
		put("fn")
	}
	names, bounds := generics(n)
	put(names)
	params := n.Get(syntax.FParams)
	var types []string
	for p := range params.All(syntax.FParam) {
		par := param(p, f.Mode)
		f.Params = append(f.Params, par)
		t := par.Type
		if m := p.Get(syntax.FMode).Text(); m != "" {
			t = m + " " + t
		}
		types = append(types, t)
	}
	if params.Valid() {
		put("(" + strings.Join(types, ", ") + ")")
	}
	if r := n.Get(syntax.FRet); r.Valid() {
		f.ResultType = syntax.Canon(r.Get(syntax.FType))
		f.ResultPattern = r.Get(syntax.FPat)
		f.Result = syntax.Canon(f.ResultPattern)
		if f.ResultType == "()" {
			f.ResultType = ""
		} else {
			put("->")
			put(r.Get(syntax.FMode).Text())
			put(f.ResultType)
		}
	} else if t := n.Get(syntax.FType); t.Valid() {
		f.ResultType = syntax.Canon(t)
		put(":")
		put(f.ResultType)
		f.Result = f.Name
	}
	if len(bounds) > 0 {
		put("where " + strings.Join(bounds, ", "))
	}
	f.Signature = b.String()
	f.terms(n, ms, f.info.impl)

	f.Own = appendClauses(f.Own, f.File, n)
	for _, m := range ms {
		if !m.is("verus_spec") {
			continue
		}
		spec := m.node.Get(syntax.FArgs)
		if spec.Kind() != syntax.VerusSpec {
			// Behind cfg_attr, or under another name: the attribute is tokens. Read it again as the attribute that it is.
			spec = x.reread(f.File, m)
		}
		if !spec.Valid() {
			if len(m.args) > 0 {
				f.Unknown = append(f.Unknown, m.span)
			}
			continue
		}
		if p := spec.Get(syntax.FPat); p.Valid() {
			f.Result, f.ResultPattern = syntax.Canon(p), p
		}
		f.Own = appendClauses(f.Own, f.File, spec)
	}
}

// generics are the canonical parameters of a function without their bounds, and all bounds, those of the where clause among them,
// one by one and sorted: a bound means the same in either place.
func generics(n syntax.Node) (names string, bounds []string) {
	var list []string
	add := func(subject string, b syntax.Node) {
		for one := range b.All(syntax.FBound) {
			bounds = append(bounds, subject+": "+syntax.Canon(one))
		}
	}
	for p := range n.Get(syntax.FGenerics).All(syntax.FParam) {
		name := p.Get(syntax.FName).Text()
		switch p.Kind() {
		case syntax.ConstParam:
			name = "const " + name + ": " + syntax.Canon(p.Get(syntax.FType))
		default:
			add(name, p.Get(syntax.FBounds))
		}
		if d := p.Get(syntax.FDefault); d.Valid() {
			name += " = " + syntax.Canon(d)
		}
		list = append(list, name)
	}
	for w := range n.Get(syntax.FWhere).All(syntax.FPred) {
		subject := syntax.Canon(w.Get(syntax.FType))
		if b := w.Get(syntax.FBinder); b.Valid() {
			subject = syntax.Canon(b) + " " + subject
		}
		add(subject, w.Get(syntax.FBounds))
	}
	slices.Sort(bounds)
	if len(list) > 0 {
		names = "<" + strings.Join(list, ", ") + ">"
	}
	return names, slices.Compact(bounds)
}

func param(p syntax.Node, mode Mode) Param {
	out := Param{Node: p}
	if p.Kind() == syntax.SelfParam {
		out.Name, out.Pattern = "self", "self"
		switch t := p.Get(syntax.FType); {
		case t.Valid():
			out.Type = syntax.Canon(t)
		case p.ByRef() && p.Mut():
			out.Type = "&mut Self"
		case p.ByRef():
			out.Type = "&Self"
		default:
			out.Type = "Self"
		}
		out.MutRef = strings.HasPrefix(out.Type, "&mut")
		out.Ghost = mode != Exec
		return out
	}
	pat, t := p.Get(syntax.FPat), p.Get(syntax.FType)
	out.Pattern, out.Type = syntax.Canon(pat), syntax.Canon(t)
	if pat.Kind() == syntax.IdentPat && !pat.Get(syntax.FPat).Valid() {
		out.Name = word(pat.Get(syntax.FName))
	}
	out.MutRef = t.Kind() == syntax.RefType && t.Mut()
	out.Ghost = mode != Exec || strings.HasPrefix(out.Type, "Ghost<") || strings.HasPrefix(out.Type, "Tracked<") ||
		strings.HasPrefix(out.Pattern, "Ghost(") || strings.HasPrefix(out.Pattern, "Tracked(")
	if (pat.Kind() == syntax.TupleStructPat) && out.Ghost {
		if in := pat.Get(syntax.FPat); in.Kind() == syntax.IdentPat {
			out.Name = word(in.Get(syntax.FName))
		}
		out.MutRef = out.MutRef || strings.Contains(out.Type, "<&mut ")
	}
	return out
}

func appendClauses(out []Clause, file *File, n syntax.Node) []Clause {
	for c := range n.All(syntax.FClause) {
		cl := Clause{Kind: c.Which(), File: file, When: syntax.Canon(c.Get(syntax.FWhen)), Via: syntax.Canon(c.Get(syntax.FVia))}
		any := false
		for e := range c.All(syntax.FExpr) {
			any = true
			one := cl
			one.Node, one.Span, one.Text = e, e.Span(), syntax.Canon(e)
			out = append(out, one)
		}
		if !any && (cl.Kind == syntax.NoUnwind || cl.Kind == syntax.OpensInvariants || cl.Kind == syntax.Atomically || cl.Kind == syntax.ByProver) {
			cl.Node, cl.Span = c, c.Span()
			switch cl.Kind {
			case syntax.NoUnwind:
				cl.Text = cl.When
			case syntax.OpensInvariants:
				cl.Text = "[]"
			default:
				cl.Text = joinTokens(tokensOf(c))
			}
			out = append(out, cl)
		}
	}
	return out
}

// maxReread bounds how many attributes and macro calls of one file are read a second time.
const maxReread = 100

// rereadText parses tokens again in a file of their own, at the same offsets, so that spans stay true: everything else is blank.
func (x *index) rereadText(f *File, text []byte) *syntax.File {
	if x.rereads[f.Path]++; x.rereads[f.Path] > maxReread {
		return nil
	}
	return syntax.Parse(source.NewFile(f.Path, text))
}

// reread reads #[..verus_spec(..)..] as an attribute and returns its VerusSpec.
func (x *index) reread(f *File, m meta) syntax.Node {
	if len(m.args) == 0 {
		return syntax.Node{}
	}
	const head, tail = "#[verus_spec(", ")]fn f(){}"
	start, end := m.args[0].Span().Start, m.args[len(m.args)-1].Span().End
	if start < len(head) {
		return syntax.Node{}
	}
	text := blank(f.Syntax.Source.Text[:end])
	copy(text[start-len(head):], head)
	copy(text[start:], f.Syntax.Source.Text[start:end])
	text = append(text, tail...)
	tree := x.rereadText(f, text)
	if tree == nil || len(tree.Errors) > 0 {
		return syntax.Node{}
	}
	for i := range tree.Root().All(syntax.FItem) {
		for a := range i.All(syntax.FAttr) {
			return a.Get(syntax.FArgs)
		}
	}
	return syntax.Node{}
}

// blank is text with everything but line ends made blank.
func blank(text []byte) []byte {
	out := make([]byte, len(text))
	for i, b := range text {
		if b == '\n' {
			out[i] = '\n'
		} else {
			out[i] = ' '
		}
	}
	return out
}

// nameAll gives symbols to all functions and items read so far.
func (x *index) nameAll() {
	for x.named < len(x.functions) || x.namedIt < len(x.items) {
		for x.namedIt < len(x.items) {
			it := x.items[x.namedIt]
			x.namedIt++
			x.nameItem(it)
		}
		if x.named < len(x.functions) {
			f := x.functions[x.named]
			x.named++
			x.name(f)
		}
	}
}

func (x *index) number(c *Crate, kind, p string) string {
	key := c.Key + "\x00" + kind + p
	x.symbols[key]++
	if n := x.symbols[key]; n > 1 {
		return p + "#" + strconv.Itoa(n)
	}
	return p
}

// name gives a function its symbol.
func (x *index) name(f *Function) {
	info := f.info
	if info.named {
		return
	}
	info.named = true
	switch im := info.impl; {
	case f.Kind == AssumeSpecFunction:
		x.nameTarget(f, info)
		return
	case im != nil && im.traitItem != nil:
		x.nameItem(im.traitItem)
		f.Path = joinPath(im.traitItem.Path, f.Name)
		f.Trait = im.traitItem.Path
	case im != nil:
		f.Self, f.Trait = x.implNames(im)
		if f.Trait != "" {
			f.Path = "<" + f.Self + " as " + f.Trait + ">::" + f.Name
		} else {
			f.Path = f.Self + "::" + f.Name
		}
	default:
		f.Path = joinPath(info.scope.outerPrefix(x, f), f.Name)
	}
	f.Symbol = x.number(f.Crate, "fn ", f.Path)
}

// outerPrefix is the prefix of the scope that a function stands in: its own body's scope does not count.
func (m *module) outerPrefix(x *index, f *Function) string {
	for m.block && m.fn == f {
		m = m.parent
	}
	return m.prefix(x)
}

func (x *index) nameTarget(f *Function, info *fnInfo) {
	t := f.Node.Get(syntax.FTarget)
	if !t.Valid() { // external_fn_specification: the function that the wrapper calls
		t = wrapped(f.Node.Get(syntax.FBody))
	}
	f.Target = syntax.Canon(t)
	scope := info.scope
	for scope.block && scope.fn == f {
		scope = scope.parent
	}
	segs, global := pathOf(t)
	var got target
	if len(segs) > 0 {
		got = x.resolve(scope, segs, global, info.impl, valueSpace)
	} else if q := t.Get(syntax.FQSelf); q.Valid() {
		got = x.qualified(scope, t, info.impl, info.generics)
	}
	f.Symbol = f.Target
	if len(got.fns) > 0 {
		f.OwnTarget = true
		x.name(got.fns[0])
		f.Symbol = got.fns[0].Path
		f.Target = got.fns[0].Path
	} else if got.ext != nil {
		f.Target = got.symbol
		f.Symbol = f.Target
	}
	info.of = cmp.Or(got.symbol, "?"+f.Target)
	f.Path = "assume_specification[" + f.Target + "]"
	f.Symbol += strings.TrimPrefix(x.number(f.Crate, "fn ", f.Path), f.Path)
}

// wrapped is the function that a body with a single call calls.
func wrapped(body syntax.Node) syntax.Node {
	for s := range body.All(syntax.FStmt) {
		e := s.Get(syntax.FExpr)
		if e.Kind() == syntax.Call {
			return e.Get(syntax.FCallee)
		}
		if e.Kind() == syntax.MethodCall {
			return e.Get(syntax.FName)
		}
	}
	return syntax.Node{}
}

// implNames are the self type and trait of an impl as symbols show them: the crate-relative path of a type of this crate, the last
// name of another; generic arguments only where they are not just the impl's own parameters.
func (x *index) implNames(im *implInfo) (self, trait string) {
	self = x.typeName(im, im.self, false)
	if im.trait.Valid() {
		trait = x.typeName(im, im.trait, true)
	}
	return self, trait
}

// typeName is the name of the type that an impl is for, or of its trait.
func (x *index) typeName(im *implInfo, t syntax.Node, trait bool) string {
	for t.Kind() == syntax.ParenType {
		t = firstChild(t)
	}
	segs, global := pathOf(t)
	if len(segs) == 0 || im.generics[segs[0]] {
		return syntax.Canon(t)
	}
	var got target
	if trait {
		l := &lookup{x: x, fuel: maxSteps}
		got = l.path(im.scope, segs, global, nil, typeSpace)
	} else if it := x.selfItem(im); it != nil {
		got = target{symbol: it.global(), item: it}
	} else if im.selfExt != nil {
		got = external(im.selfExt)
	}
	name := segs[len(segs)-1]
	if got.item != nil {
		x.nameItem(got.item)
		name = got.item.Path
		if got.item.Crate != im.item.Crate {
			name = got.item.Name
		}
	} else if got.ext != nil {
		name = got.ext[len(got.ext)-1]
	}
	var last syntax.Node
	for s := range t.All(syntax.FSegment) {
		last = s
	}
	if g := last.Get(syntax.FGenericArgs); g.Valid() {
		var args []string
		own := true
		for a := range g.All(syntax.FArg) {
			s := syntax.Canon(a)
			args = append(args, s)
			own = own && (im.generics[s] || a.Kind() == syntax.Lifetime)
		}
		if !own && len(args) > 0 {
			name += "<" + strings.Join(args, ", ") + ">"
		}
	} else if g := last.Get(syntax.FParenArgs); g.Valid() {
		name += syntax.Canon(g)
	}
	return name
}

// nameItem gives an item its symbol.
func (x *index) nameItem(it *Item) {
	info := x.it[it]
	if info.named {
		return
	}
	info.named = true
	prefix := it.Module
	if info.scope != nil && it.Kind != ModuleItem && it.Kind != CrateItem {
		prefix = info.scope.prefix(x)
	}
	switch it.Kind {
	case CrateItem:
		it.Path = "crate"
	case ImplItem:
		im := info.impl
		it.Self, it.Trait = x.implNames(im)
		it.Path = "impl "
		if it.Trait != "" {
			if it.Negative {
				it.Path += "!"
			}
			it.Path += it.Trait + " for "
		}
		it.Path += it.Self
		it.Name = it.Path
	case ExternItem, GlobalItem, BroadcastItem:
		it.Path = joinPath(prefix, it.Name)
		if it.Name == "" || it.Kind == GlobalItem {
			it.Path = syntax.Canon(it.Node)
		}
	case MacroCallItem:
		it.Path = joinPath(prefix, it.Name+"!")
	case ModuleItem:
		it.Path = joinPath(it.Module, it.Name)
		if info.outer != nil && info.scope != nil {
			it.Path = joinPath(info.scope.prefix(x), it.Name)
		}
	default:
		it.Path = joinPath(prefix, it.Name)
		if im := info.owner; im != nil && it.Kind != TraitItem {
			if im.traitItem != nil {
				x.nameItem(im.traitItem)
				it.Path = joinPath(im.traitItem.Path, it.Name)
			} else {
				self, trait := x.implNames(im)
				if trait != "" {
					self = "<" + self + " as " + trait + ">"
				}
				it.Path = joinPath(self, it.Name)
			}
		}
	}
	it.Symbol = x.number(it.Crate, it.Kind.String()+" ", it.Path)
}

// String is the keyword that begins such an item.
func (k ItemKind) String() string {
	names := [...]string{"?", "struct", "enum", "union", "trait", "impl", "const", "static", "type", "macro", "macro call", "mod", "crate", "global",
		"broadcast", "extern"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// traitOf is the trait of the tree that an impl implements, or nil.
func (x *index) traitOf(im *implInfo) *Item {
	if im == nil || im.traitDone || !im.trait.Valid() {
		if im == nil {
			return nil
		}
		return im.traitTo
	}
	im.traitDone = true
	if segs, global := pathOf(im.trait); len(segs) > 0 {
		l := &lookup{x: x, fuel: maxSteps}
		if t := l.path(im.scope, segs, global, nil, typeSpace); t.item != nil && t.item.Kind == TraitItem {
			im.traitTo = t.item
		}
	}
	return im.traitTo
}

// inherit gives a function of a trait impl the contract of the trait's method.
func (x *index) inherit(f *Function) {
	info := f.info
	if f.Kind != TraitImplMethod && !(f.Kind == MacroFunction && info.impl != nil) || f.TraitMethod != nil {
		return
	}
	tr := x.traitOf(info.impl)
	if tr == nil {
		return
	}
	x.nameItem(tr)
	for _, g := range x.it[tr].fns {
		if g.Name == f.Name {
			x.name(g)
			f.TraitMethod = g
			f.Inherited = slices.Clone(g.Own)
			if f.Mode == Exec && g.Mode != Exec {
				f.Mode = g.Mode
			}
			return
		}
	}
}

// qualified resolves <T as Trait>::f and <T>::f.
func (x *index) qualified(scope *module, p syntax.Node, self *implInfo, generics map[string]bool) target {
	q := p.Get(syntax.FQSelf)
	var rest []string
	for s := range p.All(syntax.FSegment) {
		rest = append(rest, tokenWord(s.FirstToken()))
	}
	if len(rest) == 0 {
		return target{}
	}
	name := rest[len(rest)-1]
	typ, tr := q.Get(syntax.FType), q.Get(syntax.FTrait)
	segs, global := pathOf(typ)
	var t target
	if len(segs) > 0 && !generics[segs[0]] {
		l := &lookup{x: x, fuel: maxSteps}
		t = l.path(scope, segs, global, self, typeSpace)
	}
	if !tr.Valid() {
		if t.ok() {
			l := &lookup{x: x, fuel: maxSteps}
			return l.rest(t, rest, anySpace)
		}
		return target{symbol: "?" + syntax.Canon(p)}
	}
	tsegs, tglobal := pathOf(tr)
	l := &lookup{x: x, fuel: maxSteps}
	tt := l.path(scope, tsegs, tglobal, self, typeSpace)
	if len(rest) > 1 { // of an associated type
		return target{symbol: "?" + syntax.Canon(p)}
	}
	if t.item != nil && len(t.others) == 0 {
		var fns []*Function
		for _, f := range x.allAssociated(t.item, name) {
			im := f.info.impl
			if im == nil || !im.trait.Valid() {
				continue
			}
			if it := x.traitOf(im); it != nil && it == tt.item || it == nil && sameLast(im.trait, tsegs) {
				x.name(f)
				fns = append(fns, f)
			}
		}
		if len(fns) > 0 {
			return target{symbol: fns[0].Crate.Key + "::" + fns[0].Path, fns: fns}
		}
	}
	if tt.ok() {
		return l.rest(tt, rest, anySpace)
	}
	return target{symbol: "?" + syntax.Canon(p)}
}

func sameLast(n syntax.Node, segs []string) bool {
	got, _ := pathOf(n)
	return len(got) > 0 && len(segs) > 0 && got[len(got)-1] == segs[len(segs)-1]
}

// allAssociated are all functions of a name in impls of a type, of traits too.
func (x *index) allAssociated(it *Item, name string) []*Function {
	x.loadMethods(name)
	all := x.methods[name]
	n := x.sortedOf(name)
	for ; n.types < len(all); n.types++ {
		im := all[n.types].info.impl
		if im == nil || im.traitItem != nil {
			continue
		}
		self := x.selfItem(im)
		if !im.done { // this is part of finding out what its type is
			return x.associatedOf(it, all)
		}
		if self != nil {
			n.of[self] = append(n.of[self], all[n.types])
		}
	}
	return slices.Clone(n.of[it])
}

// methodsOf are the functions of a name that a method call may mean whose receiver is of a type, or leads to it through references and the library's
// pointers: a trait may be implemented for these, too, or for any type.
func (x *index) methodsOf(it *Item, name string) []*Function {
	out := x.allAssociated(it, name)
	n := x.sortedOf(name)
	add := func(f *Function) {
		im := f.info.impl
		if im.traitItem != nil {
			return
		}
		if to, known := x.behind(im); to != nil {
			if n.through == nil {
				n.through = map[*Item][]*Function{}
			}
			n.through[to] = append(n.through[to], f)
		} else if !known {
			n.any = append(n.any, f)
		}
	}
	all, sorted := x.sortElsewhere(name)
	if !sorted {
		return append(out, all...)
	}
	for ; n.throughs < len(all); n.throughs++ {
		add(all[n.throughs])
	}
	return append(append(out, n.through[it]...), n.any...)
}

// behind is the type that an impl is for, references and the library's pointers to it aside.
func (x *index) behind(im *implInfo) (it *Item, known bool) {
	if !im.behindDone {
		im.behindDone = true
		a := &analyser{x: x, self: im, scope: im.scope, generics: im.generics}
		im.behindTo, _, im.behindKnown = a.typeNode(im.self, im.scope, nil, im.generics)
	}
	return im.behindTo, im.behindKnown
}

func (x *index) associatedOf(it *Item, all []*Function) []*Function {
	var out []*Function
	for _, f := range all {
		if im := f.info.impl; im != nil && im.traitItem == nil && x.selfItem(im) == it {
			out = append(out, f)
		}
	}
	return out
}

// elsewhere are the functions of a name in traits of the tree, and in impls of traits for types that are not of the tree, among all that are read.
func (x *index) elsewhere(name string) []*Function {
	out, _ := x.sortElsewhere(name)
	return slices.Clone(out)
}

// sortElsewhere gives what elsewhere does, which is kept; not so where it is a part of finding out what a type is.
func (x *index) sortElsewhere(name string) (out []*Function, kept bool) {
	all := x.methods[name]
	n := x.sortedOf(name)
	for ; n.traits < len(all); n.traits++ {
		im := all[n.traits].info.impl
		if im == nil || im.traitItem == nil && !im.trait.Valid() {
			continue
		}
		if im.traitItem == nil {
			self := x.selfItem(im)
			if !im.done {
				var out []*Function
				for _, f := range all {
					if im := f.info.impl; im != nil && (im.traitItem != nil || im.trait.Valid() && x.selfItem(im) == nil) {
						out = append(out, f)
					}
				}
				return out, false
			}
			if self != nil {
				continue
			}
		}
		n.elsewhere = append(n.elsewhere, all[n.traits])
	}
	return n.elsewhere, true
}

// sorted are the functions of a name by what their impls are for: a name such as `view` can have thousands, and as many calls.
type sorted struct {
	of        map[*Item][]*Function
	elsewhere []*Function
	// types and traits are how many of the name's functions are in of, and in elsewhere.
	types, traits int
	// through are those of elsewhere whose impl is for a reference or a pointer to a type of the tree, any those for types that are not known, and
	// throughs is how many are in these.
	through  map[*Item][]*Function
	any      []*Function
	throughs int
}

func (x *index) sortedOf(name string) *sorted {
	n := x.sorted[name]
	if n == nil {
		n = &sorted{of: map[*Item][]*Function{}}
		if x.sorted == nil {
			x.sorted = map[string]*sorted{}
		}
		x.sorted[name] = n
	}
	return n
}

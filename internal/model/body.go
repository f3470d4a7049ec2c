package model

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// analyser walks the code of one function, item or macro call and notes what its names mean, whom it calls and what it believes.
type analyser struct {
	x     *index
	f     *Function
	self  *implInfo
	scope *module
	file  *File
	alias map[string]string

	generics map[string]bool
	bound    []binding
	count    map[string]int // how often a name is in bound

	exec, ghost map[string]Ref
	// inBody says that the macro call that is looked into stands in code.
	inBody     bool
	sites      []Site
	calls      []Call
	loops      []Loop
	unsafes    int
	atomics    []string
	macros     []string
	dotted     []string // methods that the tokens of a macro's definition call
	knobs      []string
	methods    map[methodUse]bool // calls whose callees are noted
	unknown    []source.Span
	contract   []*Function // named in the contract
	body       []*Function // named elsewhere
	inContract bool
	inPattern  bool
	spec       int // how many places for specification code only are around
	verified   bool
	depth      int
}

type methodUse struct {
	name      string
	it, trait *Item
	known     bool
	contract  bool
}

type binding struct {
	name string
	typ  syntax.Node
	init syntax.Node
	at   int // how many names were bound before
}

func (a *analyser) bind(name string, typ, init syntax.Node) {
	if name == "" || name == "_" {
		return
	}
	if a.count == nil {
		a.count = map[string]int{}
	}
	a.bound = append(a.bound, binding{name, typ, init, len(a.bound)})
	a.count[name]++
}

// bindWith binds what the `with` clauses of a function or its verus_spec take and give. The parser leaves them as tokens, which read like parameters.
func (a *analyser) bindWith(of syntax.Node) {
	for c := range of.All(syntax.FClause) {
		if c.Which() != syntax.With {
			continue
		}
		for tree := range c.Children() {
			text, depth := []byte(tree.Text()), 0
			for t := range tree.Tokens() {
				switch t.Text() {
				case "(", "[", "{", "<":
					depth++
				case ")", "]", "}", ">":
					depth--
				case ">>":
					depth -= 2
				case "->":
					if depth == 0 {
						at := t.Span().Start - tree.Span().Start
						copy(text[at:], ", ") // what it gives follows
					}
				}
			}
			f := syntax.Parse(source.NewFile(a.file.Path, slices.Concat([]byte("verus! { fn with("), text, []byte(") {} }"))))
			f.Root().Walk(func(n syntax.Node) bool {
				if n.Field() != syntax.FParam {
					return true
				}
				pat, typ := n.Get(syntax.FPat), n.Get(syntax.FType)
				if segs, _ := pathOf(pat.Get(syntax.FPath)); pat.Kind() == syntax.TupleStructPat && len(segs) == 1 && (segs[0] == "Ghost" || segs[0] == "Tracked") {
					pat, typ = pat.Get(syntax.FPat), unwrapType(typ)
				}
				if pat.Kind() == syntax.IdentPat {
					a.bind(word(pat.Get(syntax.FName)), typ, syntax.Node{})
				}
				return false
			})
		}
	}
}

func (a *analyser) release(mark int) {
	for _, b := range a.bound[mark:] {
		a.count[b.name]--
	}
	a.bound = a.bound[:mark]
}

func (a *analyser) local(name string) (binding, bool) {
	if a.count[name] == 0 {
		return binding{}, false
	}
	for i := len(a.bound) - 1; i >= 0; i-- {
		if a.bound[i].name == name {
			return a.bound[i], true
		}
	}
	return binding{}, false
}

// pattern binds the names of a pattern; names that mean a constant or variant are references.
func (a *analyser) pattern(p syntax.Node, typ, init syntax.Node, ghost bool) {
	switch p.Kind() {
	case 0:
		return
	case syntax.IdentPat:
		name := word(p.Get(syntax.FName))
		sub := p.Get(syntax.FPat)
		if !p.Mut() && !p.ByRef() && !sub.Valid() && a.constant(name, ghost) {
			return
		}
		a.bind(name, typ, init)
		a.pattern(sub, syntax.Node{}, syntax.Node{}, ghost)
		return
	case syntax.TupleStructPat:
		if segs, _ := pathOf(p.Get(syntax.FPath)); len(segs) == 1 && (segs[0] == "Ghost" || segs[0] == "Tracked") {
			a.walk(p.Get(syntax.FPath), ghost)
			for c := range p.All(syntax.FPat) {
				a.pattern(c, unwrapType(typ), syntax.Node{}, ghost)
			}
			return
		}
	case syntax.Path:
		a.path(p, valueSpace|typeSpace, ghost)
		return
	case syntax.ConstPat, syntax.LitPat, syntax.RangePat, syntax.MacroCall:
		for c := range p.Children() {
			a.walk(c, ghost)
		}
		if p.Kind() == syntax.MacroCall {
			a.macro(p, ghost)
		}
		return
	case syntax.FieldPat:
		// the name of a field is no binding
		if s := p.Get(syntax.FPat); s.Valid() {
			if s.Kind() == syntax.IdentPat && !p.Get(syntax.FName).Valid() {
				if name := word(s.Get(syntax.FName)); s.Mut() || s.ByRef() || !a.constant(name, ghost) {
					a.bind(name, syntax.Node{}, syntax.Node{})
				}
				return
			}
			a.pattern(s, syntax.Node{}, syntax.Node{}, ghost)
		}
		return
	}
	for c := range p.Children() {
		switch c.Field() {
		case syntax.FPat:
			t := syntax.Node{}
			if p.Kind() == syntax.ParenPat {
				t = typ
			}
			a.pattern(c, t, syntax.Node{}, ghost)
		case syntax.FPath:
			a.path(c, valueSpace|typeSpace, ghost)
		}
	}
}

// unwrapType is T of Ghost<T> or Tracked<T>.
func unwrapType(t syntax.Node) syntax.Node {
	for s := range t.All(syntax.FSegment) {
		for arg := range s.Get(syntax.FGenericArgs).All(syntax.FArg) {
			return arg
		}
	}
	return syntax.Node{}
}

// constant tells whether a plain name in a pattern is a constant or a variant in scope.
func (a *analyser) constant(name string, ghost bool) bool {
	if name == "" || name[0] >= 'a' && name[0] <= 'z' && a.scope.plainly(name) {
		return false
	}
	t := a.resolve([]string{name}, false, valueSpace)
	if t.constant() {
		a.inPattern = true
		a.ref([]string{name}, t, ghost, false)
		a.inPattern = false
		a.use(t)
		return true
	}
	return false
}

// constant tells what a plain name in a pattern is compared with: of a library's definitions the name says which they are.
func (t target) constant() bool {
	if t.item != nil {
		switch t.item.Kind {
		case ConstItem, StaticItem, EnumItem, StructItem:
			return true
		}
		return false
	}
	return t.ext != nil && t.ext[len(t.ext)-1][0] >= 'A' && t.ext[len(t.ext)-1][0] <= 'Z'
}

// plainly tells that nothing in the scopes around defines or imports a name.
func (m *module) plainly(name string) bool {
	for ; m != nil; m = m.parent {
		if len(m.defs[name]) > 0 || slices.ContainsFunc(m.globs, func(g *def) bool { return !library(g.use[0]) }) {
			return false
		}
		if !m.block {
			break
		}
	}
	return true
}

func (a *analyser) resolve(segs []string, global bool, want space) target {
	return a.x.resolve(a.scope, segs, global, a.self, want)
}

func (a *analyser) ref(segs []string, t target, ghost, macro bool) {
	r := Ref{Written: strings.Join(segs, "::"), To: t.symbol, Macro: macro}
	if t.item != nil {
		switch t.item.Kind {
		case ConstItem, StaticItem, MacroItem, TypeAliasItem:
			r.Target = t.item
		}
	}
	a.note(r, ghost)
	for _, o := range t.others {
		a.ref(segs, o, ghost, macro)
	}
	if len(t.others) > 0 {
		a.diverges(r.Written, t)
	}
	// A name that a block defines for itself may mean the module's elsewhere in the function.
	if a.scope.block && len(a.scope.defs[segs[0]]) > 0 {
		outer := a.x.resolve(a.scope.real(), segs, false, a.self, anySpace)
		if outer.symbol != t.symbol && outer.symbol[0] != '?' {
			a.note(Ref{Written: r.Written, To: outer.symbol, Macro: macro}, ghost)
		}
	}
}

func (a *analyser) note(r Ref, ghost bool) {
	m := &a.exec
	if ghost {
		m = &a.ghost
	}
	if *m == nil {
		*m = map[string]Ref{}
	}
	key := r.Written + "\x00" + r.To
	if r.Macro {
		key += "!"
	}
	r.Pattern = a.inPattern || (*m)[key].Pattern
	(*m)[key] = r
}

// trustedCall says what it means to name a function of Verus that believes something.
func trustedCall(segs []string, t target) (kind SiteKind, name string, uncertain bool) {
	last := segs[len(segs)-1]
	if len(t.fns) > 0 || t.item != nil {
		return 0, "", false
	}
	if t.ext != nil {
		last = t.ext[len(t.ext)-1]
		switch t.ext[0] {
		case "vstd", "verus_builtin", "verus_builtin_macros":
		case "core":
			return 0, "", false
		default:
			uncertain = true
		}
	} else if len(segs) > 1 {
		uncertain = true
	}
	switch last {
	case "assume", "assume_":
		return Assume, "assume", uncertain
	case "admit":
		return Admit, "admit", uncertain
	case "inline_air_stmt":
		return InlineAir, "inline_air_stmt", uncertain
	case "assume_new", "assume_new_fallback":
		return Fabricated, strings.Join(segs[max(0, len(segs)-2):], "::"), false
	}
	return 0, "", false
}

// path notes what a path in code means.
func (a *analyser) path(p syntax.Node, want space, ghost bool) target {
	// Types inside the path.
	for s := range p.All(syntax.FSegment) {
		for c := range s.Children() {
			a.walk(c, ghost)
		}
	}
	if q := p.Get(syntax.FQSelf); q.Valid() {
		for c := range q.Children() {
			a.walk(c, ghost)
		}
		t := a.x.qualified(a.scope, p, a.self, a.generics)
		if !t.ok() {
			t.symbol = "?" + syntax.Canon(p)
		}
		var segs []string
		for s := range p.All(syntax.FSegment) {
			segs = append(segs, tokenWord(s.FirstToken()))
		}
		if t.symbol[0] != '?' {
			a.note(Ref{Written: syntax.Canon(p), To: t.symbol}, ghost)
		}
		if len(segs) > 0 {
			a.trusted(segs, t, p, syntax.Node{}, ghost)
		}
		if len(t.fns) == 0 {
			t.fns = a.associated(p, segs, false, ghost)
		}
		a.use(t)
		return t
	}
	segs, global := pathOf(p)
	if len(segs) == 0 {
		return target{}
	}
	if !global {
		if len(segs) == 1 {
			if segs[0] == "_" || segs[0] == "self" || segs[0] == "Self" {
				return target{}
			}
			if want&valueSpace != 0 {
				if _, ok := a.local(segs[0]); ok {
					return target{}
				}
			}
		}
		if a.generic(segs, want) {
			if len(segs) < 3 || want&valueSpace == 0 {
				return target{}
			}
			t := target{symbol: "?" + strings.Join(segs, "::"), fns: a.candidates(segs[len(segs)-1], ghost)} // of an associated type
			a.use(t)
			return t
		}
	}
	t := a.resolve(segs, global, want)
	if t.symbol != "" && t.symbol[0] == '?' && want == valueSpace {
		if alt := a.resolve(segs, global, typeSpace); alt.symbol[0] != '?' { // tuple structs and the like
			t = alt
		}
	}
	if t.lost {
		a.unknown = append(a.unknown, p.Span())
	}
	a.ref(segs, t, ghost, false)
	a.use(t)
	if len(segs) > 1 && want&valueSpace != 0 && len(t.fns) == 0 && t.item == nil && t.mod == nil {
		for _, f := range a.associated(p, segs, global, ghost) {
			a.uses(f)
		}
	}
	return t
}

// generic tells a path that begins with a parameter of the function or of what is around it. Those that are types have no names in the place of a value.
func (a *analyser) generic(segs []string, want space) bool {
	if len(segs) == 1 && want == valueSpace {
		return a.generics[constParam+segs[0]]
	}
	return a.generics[segs[0]]
}

// associated are the functions that a path may mean as one of a type, where it leads to none: those of the traits of the tree, and any where the type is not
// plain. They are a part of what code rests on, and are not what the path is said to mean.
func (a *analyser) associated(p syntax.Node, segs []string, global, ghost bool) []*Function {
	if !ghost || len(segs) == 0 {
		return nil
	}
	name := segs[len(segs)-1]
	var it *Item
	known := false
	if q := p.Get(syntax.FQSelf); q.Valid() {
		if !q.Get(syntax.FTrait).Valid() && len(segs) == 1 {
			it, _, known = a.typeNode(q.Get(syntax.FType), a.scope, a.self, a.generics)
		}
	} else {
		of := segs[:len(segs)-1]
		last := of[len(of)-1]
		if !isPrimitive(last) && (last[0] < 'A' || last[0] > 'Z') {
			return nil // a module
		}
		switch {
		case of[0] == "Self":
			if len(of) == 1 {
				return a.traitMethods(name, ghost)
			}
			if len(of) == 2 && a.self != nil && a.self.types[of[1]].Valid() {
				it, _, known = a.typeNode(a.self.types[of[1]], a.scope, a.self, a.generics)
			}
		default:
			t := a.resolve(of, global, typeSpace)
			it, _, known = a.meant(t)
			known = known || t.symbol != "" && t.symbol[0] == '?'
		}
	}
	var fns []*Function
	switch {
	case it != nil:
		fns = a.x.methodsOf(it, name)
	case known && !throughElements(name):
		a.x.loadMethods(name)
		fns = a.x.elsewhere(name)
	default:
		return a.candidates(name, ghost)
	}
	if len(fns) == 0 {
		fns = a.traitMethods(name, ghost)
	}
	return fns
}

// traitMethods are the functions of a name in traits.
func (a *analyser) traitMethods(name string, ghost bool) []*Function {
	var out []*Function
	for _, f := range a.candidates(name, ghost) {
		if f.Kind == TraitMethod {
			out = append(out, f)
		}
	}
	return out
}

// use records functions that the code names: what a contract or definition rests on.
func (a *analyser) use(t target) {
	for _, f := range t.fns {
		a.uses(f)
	}
	if t.item != nil {
		if f := a.x.constFns[t.item]; f != nil {
			a.uses(f)
		}
	}
	for _, o := range t.others {
		a.use(o)
	}
}

func (a *analyser) uses(f *Function) {
	if a.inContract {
		a.contract = append(a.contract, f)
	} else {
		a.body = append(a.body, f)
	}
}

// trusted adds a site if the path names a function that believes something. call is the call, if the path is called.
func (a *analyser) trusted(segs []string, t target, p, call syntax.Node, ghost bool) {
	kind, name, uncertain := trustedCall(segs, t)
	if kind == 0 {
		return
	}
	if !a.verified && (t.ext == nil || uncertain) {
		return // plain Rust: a function of that name, not Verus's
	}
	if uncertain && !ghost {
		return
	}
	span, text := p.Span(), name
	if call.Valid() {
		span = call.Span()
		var args []string
		for e := range call.Get(syntax.FArgs).All(syntax.FExpr) {
			args = append(args, syntax.Canon(e))
		}
		text += "(" + strings.Join(args, ", ") + ")"
	}
	a.site(Site{Kind: kind, Span: span, Text: text, Uncertain: uncertain})
}

func (a *analyser) site(s Site) {
	s.File = a.file
	a.sites = append(a.sites, s)
}

// maxWalk bounds how deep code nests: more than the parser lets through.
const maxWalk = 12000

// walk visits code. ghost says whether it is erased.
func (a *analyser) walk(n syntax.Node, ghost bool) {
	if !n.Valid() {
		return
	}
	if a.depth++; a.depth > maxWalk {
		a.depth--
		a.unknown = append(a.unknown, n.Span())
		return
	}
	defer func() { a.depth-- }()
	if c := firstChild(n); c.Kind() == syntax.Attr {
		ghost = a.attrs(n, ghost)
	}
	mark := len(a.bound)
	switch n.Kind() {
	case syntax.Clause, syntax.Quant, syntax.Assume:
		a.spec++
		defer func() { a.spec-- }()
	}
	switch n.Kind() {
	case syntax.Attr, syntax.Vis, syntax.Mode, syntax.Name, syntax.Literal, syntax.Lifetime, syntax.Modifier, syntax.Label, syntax.Publish, syntax.Prover:
		return
	case syntax.Unknown:
		a.unknown = append(a.unknown, n.Span())
		a.tokens(tokensOf(n), ghost, true)
		return
	case syntax.Fn, syntax.Struct, syntax.Enum, syntax.Union, syntax.Trait, syntax.TraitAlias, syntax.Impl, syntax.Mod, syntax.Use, syntax.Const,
		syntax.Static, syntax.TypeAlias, syntax.MacroRules, syntax.MacroDef, syntax.AssumeSpecification, syntax.ExternCrate, syntax.ExternBlock,
		syntax.BroadcastGroup, syntax.Global, syntax.EmptyItem:
		return // items are functions and items of their own
	case syntax.BroadcastUse:
		for p := range n.All(syntax.FPath) {
			if p.Kind() == syntax.AttrExpr {
				p = p.Get(syntax.FExpr)
			}
			t := a.path(p, anySpace, true)
			a.broadcast(t, p, 0)
		}
		return
	case syntax.Path:
		want := valueSpace
		if isTypePlace(n) {
			want = typeSpace
		}
		t := a.path(n, want, ghost)
		if segs, _ := pathOf(n); len(segs) > 0 && want == valueSpace && t.ok() {
			a.trusted(segs, t, n, syntax.Node{}, ghost)
		}
		return
	case syntax.Clause:
		for c := range n.Children() {
			if c.Kind() == syntax.TokenTree {
				a.tokens(tokensOf(c), true, false)
				continue
			}
			a.walk(c, true)
			a.release(mark)
		}
		return
	case syntax.Block:
		for m := range n.All(syntax.FModifier) {
			if m.Text() == "unsafe" && !ghost {
				a.unsafes++
			}
		}
		for s := range n.All(syntax.FStmt) {
			a.walk(s, ghost)
		}
		a.release(mark)
		return
	case syntax.ProofBlock, syntax.Assert, syntax.AssertForall, syntax.Quant:
		ghost = true
	case syntax.Assume:
		if t := a.resolve([]string{"assume"}, false, valueSpace); !a.verified && t.ext == nil {
			ghost = false // plain Rust: a call of a function of that name
			break
		}
		a.site(Site{Kind: Assume, Span: n.Span(), Text: "assume(" + syntax.Canon(n.Get(syntax.FExpr)) + ")"})
		ghost = true
	case syntax.Let:
		if n.Get(syntax.FMode).Valid() {
			ghost = true
		}
		a.walk(n.Get(syntax.FType), ghost)
		a.walk(n.Get(syntax.FInit), ghost)
		a.walk(n.Get(syntax.FElse), ghost)
		a.pattern(n.Get(syntax.FPat), n.Get(syntax.FType), n.Get(syntax.FInit), ghost)
		return // the names stay bound to the end of the block
	case syntax.ExprStmt, syntax.Paren:
		a.walk(n.Get(syntax.FExpr), ghost)
		a.release(mark)
		return
	case syntax.LetCond:
		a.walk(n.Get(syntax.FExpr), ghost)
		a.pattern(n.Get(syntax.FPat), syntax.Node{}, syntax.Node{}, ghost)
		return
	case syntax.Matches:
		a.walk(n.Get(syntax.FExpr), ghost)
		a.pattern(n.Get(syntax.FPat), syntax.Node{}, syntax.Node{}, ghost)
		return
	case syntax.Binary, syntax.BigAnd, syntax.Index, syntax.Has, syntax.Unary:
		for c := range n.Children() {
			a.walk(c, ghost)
			if !passesOn(n) {
				a.release(mark)
			}
		}
		if ghost {
			a.operator(n)
		}
		return
	case syntax.If:
		a.walk(n.Get(syntax.FCond), ghost)
		a.walk(n.Get(syntax.FThen), ghost)
		a.release(mark)
		a.walk(n.Get(syntax.FElse), ghost)
		return
	case syntax.Arm:
		a.pattern(n.Get(syntax.FPat), syntax.Node{}, syntax.Node{}, ghost)
		a.walk(n.Get(syntax.FGuard), ghost)
		a.walk(n.Get(syntax.FBody), ghost)
		a.release(mark)
		return
	case syntax.While, syntax.Loop, syntax.For:
		a.loop(n, ghost)
		a.release(mark)
		return
	case syntax.Call:
		a.call(n, ghost)
		return
	case syntax.MethodCall:
		a.walk(n.Get(syntax.FReceiver), ghost)
		a.walk(n.Get(syntax.FGenericArgs), ghost)
		a.walk(n.Get(syntax.FArgs), ghost)
		a.method(word(n.Get(syntax.FName)), n.Get(syntax.FReceiver), n, ghost)
		return
	case syntax.View:
		a.walk(n.Get(syntax.FExpr), true)
		a.method("view", n.Get(syntax.FExpr), n, true)
		return
	case syntax.FieldInit:
		if e := n.Get(syntax.FExpr); e.Valid() {
			a.walk(e, ghost)
		} else if nm := word(n.Get(syntax.FName)); nm != "" {
			if _, ok := a.local(nm); !ok {
				if t := a.resolve([]string{nm}, false, valueSpace); t.symbol[0] != '?' {
					a.ref([]string{nm}, t, ghost, false)
				}
			}
		}
		return
	case syntax.StructExpr:
		a.path(n.Get(syntax.FPath), typeSpace, ghost)
		for c := range n.Children() {
			if c.Field() != syntax.FPath {
				a.walk(c, ghost)
			}
		}
		return
	case syntax.MacroCall:
		a.macro(n, ghost)
		return
	case syntax.MacroBody:
		for c := range n.Children() {
			a.walk(c, ghost)
		}
		return
	case syntax.TokenTree:
		a.tokens(tokensOf(n), ghost, false)
		return
	}
	switch n.Kind() {
	case syntax.Closure, syntax.Quant, syntax.AssertForall, syntax.AtomicallyCall:
		for p := range n.All(syntax.FParam) {
			a.walk(p.Get(syntax.FType), ghost)
			a.pattern(p.Get(syntax.FPat), p.Get(syntax.FType), syntax.Node{}, ghost)
		}
		if r := n.Get(syntax.FRet); r.Valid() {
			a.walk(r.Get(syntax.FType), ghost)
			a.pattern(r.Get(syntax.FPat), syntax.Node{}, syntax.Node{}, true)
		}
		for c := range n.Children() {
			if f := c.Field(); f != syntax.FParam && f != syntax.FRet {
				a.asserted(n, c, ghost)
			}
		}
		a.release(mark)
		return
	}
	for c := range n.Children() {
		a.asserted(n, c, ghost)
		if n.Kind() != syntax.AttrExpr {
			a.release(mark)
		}
	}
}

// passesOn tells an operator whose right side knows the names that `matches` or `let` bind on the left.
func passesOn(n syntax.Node) bool {
	switch n.Kind() {
	case syntax.BigAnd:
		return true
	case syntax.Binary:
		return n.Op() == syntax.AndAnd || n.Op() == syntax.Implies
	}
	return false
}

// asserted walks a child of n; what an assert states is specification code.
func (a *analyser) asserted(n, c syntax.Node, ghost bool) {
	stated := (n.Kind() == syntax.Assert || n.Kind() == syntax.AssertForall) && (c.Field() == syntax.FExpr || c.Field() == syntax.FImplies)
	if stated {
		a.spec++
	}
	a.walk(c, ghost)
	if stated {
		a.spec--
	}
}

// isTypePlace tells a path that names a type, trait or module rather than a value.
func isTypePlace(n syntax.Node) bool {
	switch n.Field() {
	case syntax.FType, syntax.FTrait, syntax.FSelfType, syntax.FBound, syntax.FBounds, syntax.FArg, syntax.FPath:
		return true
	}
	return false
}

// attrs handles attributes inside a body, and tells whether what they stand at is ghost.
func (a *analyser) attrs(n syntax.Node, ghost bool) bool {
	ms := metasOf(n, a.alias)
	for _, m := range ms {
		if m.is("verus_spec") {
			spec := m.node.Get(syntax.FArgs)
			if spec.Kind() == syntax.VerusSpec {
				mark := len(a.bound)
				a.pattern(spec.Get(syntax.FPat), syntax.Node{}, syntax.Node{}, true)
				for c := range spec.All(syntax.FClause) {
					a.walk(c, true)
				}
				a.release(mark)
			}
			continue
		}
		if m.raw != "" && m.verifier() == "proof_block" {
			ghost = true
		}
		if isKnob(m) {
			a.knobs = append(a.knobs, m.text())
		}
		if m.is("cfg") && !ghost && a.verified && !mentionsGhostCfg(m.args) && !ghostOnly(n) {
			// Inside a verified body any condition makes two programs of one, of which the verifier sees one.
			a.site(Site{Kind: CfgDivergence, Span: m.span, Text: "cfg(" + joinTokens(m.args) + ")"})
		}
		if k := attributeSite(m, n.Kind(), Exec); k != 0 {
			a.site(Site{Kind: k, Span: m.span, Text: m.text()})
		}
	}
	if !ghost {
		a.sites = append(a.sites, cfgSites(ms, a.file, n)...)
	}
	return ghost
}

func (a *analyser) loop(n syntax.Node, ghost bool) {
	l := Loop{Node: n, Span: n.Span(), Ghost: ghost}
	l.Clauses = appendClauses(nil, a.file, n)
	for _, m := range metasOf(n, a.alias) {
		if spec := m.node.Get(syntax.FArgs); m.is("verus_spec") && spec.Kind() == syntax.VerusSpec {
			l.Clauses = appendClauses(l.Clauses, a.file, spec)
		}
	}
	for _, c := range l.Clauses {
		l.HasDecreases = l.HasDecreases || c.Kind == syntax.Decreases
	}
	a.loops = append(a.loops, l)
	a.walk(n.Get(syntax.FCond), ghost)
	a.walk(n.Get(syntax.FExpr), ghost)
	a.pattern(n.Get(syntax.FPat), syntax.Node{}, syntax.Node{}, ghost)
	if nm := n.Get(syntax.FName); nm.Valid() {
		a.bind(word(nm), syntax.Node{}, syntax.Node{})
	}
	for c := range n.All(syntax.FClause) {
		a.walk(c, true)
	}
	a.walk(n.Get(syntax.FBody), ghost)
}

func (a *analyser) call(n syntax.Node, ghost bool) {
	callee := n.Get(syntax.FCallee)
	p := callee
	for p.Kind() == syntax.Paren {
		p = p.Get(syntax.FExpr)
	}
	argsGhost := ghost
	if p.Kind() == syntax.Path {
		t := a.path(p, valueSpace, ghost)
		segs, _ := pathOf(p)
		if len(segs) == 0 && p.Get(syntax.FQSelf).Valid() {
			for s := range p.All(syntax.FSegment) {
				segs = append(segs, tokenWord(s.FirstToken()))
			}
		}
		if len(segs) > 0 && !p.Get(syntax.FQSelf).Valid() && t.ok() {
			a.trusted(segs, t, p, n, ghost)
		}
		if len(segs) == 1 && (segs[0] == "Ghost" || segs[0] == "Tracked") && len(t.fns) == 0 {
			argsGhost = true
		}
		if len(segs) > 0 && a.generics[segs[0]] && len(segs) == 2 {
			// T::f: the traits' functions of that name.
			t = target{symbol: "?" + strings.Join(segs, "::"), fns: a.traitMethods(segs[1], ghost)}
			a.use(t)
		}
		if t.ok() {
			callees := t.fns
			for _, o := range t.others {
				callees = append(slices.Clip(callees), o.fns...)
			}
			a.calls = append(a.calls, Call{To: t.symbol, Callees: callees, Ghost: ghost, Spec: a.spec > 0, Node: n, Span: n.Span()})
			if !ghost && isAtomic(t.symbol) {
				a.atomics = append(a.atomics, syntax.Canon(n))
			}
		}
	} else {
		a.walk(callee, ghost)
	}
	a.walk(n.Get(syntax.FArgs), argsGhost)
}

func isAtomic(symbol string) bool {
	return strings.HasPrefix(symbol, "core::sync::atomic::") || strings.HasPrefix(symbol, "vstd::atomic")
}

// candidates are all functions of a name in impls and traits. In ghost code files that define such a function are read.
func (a *analyser) candidates(name string, ghost bool) []*Function {
	if ghost {
		a.x.loadMethods(name)
	}
	return a.x.methods[name]
}

func (a *analyser) method(name string, recv, n syntax.Node, ghost bool) {
	c := Call{To: "." + name, Ghost: ghost, Spec: a.spec > 0, Method: true, Node: n, Span: n.Span()}
	it, tr, known := a.typeOf(recv, 0)
	var fns []*Function
	switch {
	case it != nil:
		fns = a.x.methodsOf(it, name)
		if len(fns) == 0 { // a trait's default, or that of the type it leads to
			if fns = a.traitMethods(name, ghost); a.x.dereferences(it) {
				fns = a.candidates(name, ghost)
			}
		}
	case tr != nil:
		for _, f := range a.x.it[tr].fns {
			if f.Name == name {
				fns = append(fns, f)
			}
		}
		if fns == nil {
			fns = a.candidates(name, ghost)
		}
	case known && !throughElements(name):
		// An impl of a trait of the tree for a library's type.
		if ghost {
			a.x.loadMethods(name)
		}
		fns = a.x.elsewhere(name)
	default:
		fns = a.candidates(name, ghost)
	}
	if it == nil {
		fns = a.x.withArguments(fns, n)
	}
	c.Callees = fns[:len(fns):len(fns)]
	if key := (methodUse{name, it, tr, known, a.inContract}); !a.methods[key] {
		if a.methods == nil {
			a.methods = map[methodUse]bool{}
		}
		a.methods[key] = true
		for _, f := range fns {
			a.x.name(f)
			a.uses(f)
		}
	}
	switch name {
	case "assume_new", "assume_new_fallback":
		a.site(Site{Kind: Fabricated, Span: n.Span(), Text: "." + name})
	}
	if !ghost {
		a.traitsFor(name)
		if atomicMethod(name, n) {
			a.atomics = append(a.atomics, syntax.Canon(n))
		}
	}
	a.calls = append(a.calls, c)
}

// throughElements tells a method of the library's types that calls that of what they hold: the deep view of a Vec, an Option or a tuple is made of those of the
// elements.
func throughElements(name string) bool { return name == "deep_view" }

// called uses all functions that a call of a method can mean, of which only the name is known, as in the definition of a macro.
func (a *analyser) called(name string) {
	for _, f := range a.candidates(name, true) {
		if f.Kind == MacroFunction || len(f.Params) > 0 && f.Params[0].Name == "self" {
			a.x.name(f)
			a.uses(f)
		}
	}
}

// withArguments are those of some functions that a method call can mean by the number of its arguments. Calls with the same answer
// share it: a name such as `view` can have thousands of calls and of functions.
func (x *index) withArguments(fns []*Function, call syntax.Node) []*Function {
	if len(fns) == 0 {
		return nil
	}
	args := 1
	switch call.Kind() {
	case syntax.Binary, syntax.Index, syntax.Has:
		args = 2
	}
	for range call.Get(syntax.FArgs).All(syntax.FExpr) {
		args++
	}
	key := candidates{fns[0].Name, len(fns), args}
	for _, known := range x.candidates[key] {
		if slices.Equal(known.of, fns) {
			return known.fit
		}
	}
	out := make([]*Function, 0, len(fns))
	for _, f := range fns {
		if f.Kind == MacroFunction || len(f.Params) == args && f.Params[0].Name == "self" {
			out = append(out, f)
		}
	}
	x.candidates[key] = append(x.candidates[key], fitting{slices.Clip(fns), out})
	return out
}

// candidates are so many functions of a name for so many arguments.
type candidates struct {
	name        string
	count, args int
}

// fitting are those of some functions that fit the arguments.
type fitting struct{ of, fit []*Function }

// atomicMethod tells an operation on an atomic by its name and an Ordering among its arguments, or vstd's by its name alone.
func atomicMethod(name string, n syntax.Node) bool {
	if strings.HasPrefix(name, "fetch_") || strings.HasPrefix(name, "compare_exchange") || name == "compare_and_swap" {
		return true
	}
	switch name {
	case "load", "store", "swap":
		args := n.Get(syntax.FArgs).Text()
		return strings.Contains(args, "Ordering") || strings.Contains(args, "Tracked") || strings.Contains(args, "SeqCst") ||
			strings.Contains(args, "Relaxed") || strings.Contains(args, "Acquire") || strings.Contains(args, "Release") || strings.Contains(args, "AcqRel")
	}
	return false
}

// traitsFor notes the traits of the tree, imported where the call stands, that have a method of the name: another import can make
// the call mean another function.
func (a *analyser) traitsFor(name string) {
	for m := a.scope; m != nil; m = m.parent {
		for _, tr := range a.x.traitsIn(m) {
			for _, f := range a.x.it[tr].fns {
				if f.Name == name {
					a.note(Ref{Written: "." + name, To: tr.global()}, false)
					break
				}
			}
		}
		if !m.block {
			return
		}
	}
}

// traitsIn are the traits of the tree that a module imports or defines.
func (x *index) traitsIn(m *module) []*Item {
	if m.scoped {
		return m.traits
	}
	m.scoped = true
	names := make([]string, 0, len(m.defs))
	for n := range m.defs {
		names = append(names, n)
	}
	slices.Sort(names)
	add := func(it *Item) {
		if it != nil && it.Kind == TraitItem && !slices.Contains(m.traits, it) {
			x.nameItem(it)
			m.traits = append(m.traits, it)
		}
	}
	for _, n := range names {
		for _, d := range m.defs[n] {
			switch {
			case d.item != nil:
				add(d.item)
			case d.use != nil:
				l := &lookup{x: x, fuel: maxSteps}
				add(l.path(d.in, d.use, d.global, nil, typeSpace).item)
			}
		}
	}
	for _, g := range m.globs {
		l := &lookup{x: x, fuel: maxSteps}
		if t := l.path(g.in, g.use, g.global, nil, typeSpace); t.mod != nil && t.mod != m {
			x.enter(t.mod)
			for _, it := range x.traitsIn(t.mod) {
				add(it)
			}
		}
	}
	return m.traits
}

// broadcast makes calls of the lemmas that `broadcast use` turns on, through groups.
func (a *analyser) broadcast(t target, p syntax.Node, depth int) {
	if len(t.fns) > 0 {
		a.calls = append(a.calls, Call{To: t.symbol, Callees: t.fns, Ghost: true, Node: p, Span: p.Span()})
		return
	}
	if t.item == nil || t.item.Kind != BroadcastItem || depth > 10 {
		return
	}
	for q := range t.item.Node.All(syntax.FPath) {
		if q.Kind() == syntax.AttrExpr {
			q = q.Get(syntax.FExpr)
		}
		if segs, g := pathOf(q); len(segs) > 0 {
			a.broadcast(a.x.resolve(a.x.it[t.item].scope, segs, g, nil, anySpace), p, depth+1)
		}
	}
}

package syntax

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Exec is the canonical text of the executable code of a function, closure, constant, type, impl, trait, module or file: what is
// left when ghost code is erased as verus_builtin_macros erase it for rustc. Equal texts mean the same executable code; a
// renamed local variable or another order of items makes the texts differ. The text of a ghost item is empty.
//
// Ghost is: spec, proof and axiom items, ghost and tracked data types, contract and loop clauses, proof blocks and assertions,
// ghost and tracked variables, the macros proof!, proof_decl! and proof_with!, attributes that speak to the verifier, and items
// under #[cfg(verus_keep_ghost)] or #[cfg(verus_only)]. Ghost<T> and Tracked<T> have no size, so parameters, arguments, fields,
// tuple elements, results and locals of these types are left out as well: adding one is no executable change. A local counts as
// ghost only when every binding of its name in the function is, and Ghost, Tracked and the macros only when the file does
// not declare or import something else by that name (ExecWhere knows of other files too); where the types of another file are
// needed to know, code counts as executable.
//
// Normalised besides: what Canon normalises, visibility, attributes that do not change what runs (inline, must_use, lints), the
// name of a result, empty `else {}`, braces around one expression where its value is used, `;` after expressions without a
// value, and `return e;` at the end of a function.
func Exec(n Node) string {
	if !n.Valid() {
		return ""
	}
	return execText(n, false, nil)
}

// ExecWhere is Exec where other files may declare the names of Verus's macros and wrappers (GhostName) for something else, and so bring them into
// this one without naming them here: by a glob, by #[macro_use], or by macro_rules above the module. What is called by such a name is code.
func ExecWhere(n Node, declared func(name string) bool) string {
	if !n.Valid() {
		return ""
	}
	return execText(n, false, declared)
}

func execText(n Node, erased bool, declared func(name string) bool) string {
	p := printer{f: n.f, exec: true, erased: erased, verus: inVerus(n), own: n.f.ghostNames(), declared: declared}
	if n.Kind() == SourceFile {
		p.items = placeFree
	} else if n.Kind() != Fn {
		p.locals = p.ghostLocals(n)
	}
	p.top(n)
	return string(p.buf)
}

// verusItems tells a macro whose body is items that become items.
func verusItems(name string) bool {
	switch name {
	case "verus", "verus_impl", "verus_trait_impl", "verus_keep_ghost", "verus_erase_ghost":
		return true
	}
	return false
}

// inVerus tells whether n lies in a verus! macro.
func inVerus(n Node) bool {
	n.f.verusOnce.Do(func() { n.f.verus = outermostVerus(n.f) })
	ranges := n.f.verus
	// the last macro that begins before n
	i := sort.Search(len(ranges), func(i int) bool { return ranges[i].first >= n.raw().first }) - 1
	return i >= 0 && n.raw().end <= ranges[i].end
}

// tokenRange is a half-open range of tokens.
type tokenRange struct{ first, end int32 }

// outermostVerus are the verus! macros of a file that lie in no other one, in order.
func outermostVerus(f *File) []tokenRange {
	var out []tokenRange
	f.Root().Walk(func(n Node) bool {
		if n.Kind() == MacroCall && verusItems(macroNameOf(n)) {
			out = append(out, tokenRange{n.raw().first, n.raw().end})
			return false
		}
		return true
	})
	return out
}

func macroNameOf(n Node) string {
	var last Node
	for s := range n.Get(FPath).All(FSegment) {
		last = s
	}
	return last.FirstToken().Text()
}

// isOwn tells a ghost name that means something else here.
func (p *printer) isOwn(name string) bool {
	return p.own[name] || p.declared != nil && ghostName([]byte(name)) && p.declared(name)
}

// Declares tells a ghost name (GhostName) that the file declares itself, or imports from elsewhere than Verus's own crates.
func (f *File) Declares(name string) bool { return f.ghostNames()[name] }

// GhostName tells the names of macros, attributes and wrappers whose code Exec leaves out, or takes apart, as Verus's.
func GhostName(name string) bool { return ghostName([]byte(name)) }

// macroName is the last word of a macro's path; empty when the file declares a macro of that name, and for the macros of crates
// that are not Verus's.
func (p *printer) macroName(n Node) string {
	name := macroNameOf(n)
	root := n.Get(FPath).Get(FSegment).FirstToken().Text()
	if p.isOwn(name) || root != name && !verusCrate(root) {
		return ""
	}
	return name
}

// ghostName tells names that have a meaning here which a file could take away by declaring them.
func ghostName(s []byte) bool {
	switch string(s) {
	case "Ghost", "Tracked", "proof", "proof_decl", "proof_with", "verus", "verus_impl", "verus_trait_impl", "verus_keep_ghost",
		"verus_erase_ghost", "state_machine", "tokenized_state_machine", "atomic_with_ghost", "exec_spec", "exec_spec_verified",
		"exec_spec_unverified", "verus_spec", "verus_verify", "is_variant", "is_variant_no_deprecation_warning", "verus_enum_synthesize",
		"auto_spec", "Structural", "StructuralEq":
		return true
	}
	return false
}

// ghostNames is ownGhostNames, found once for a file: each function of it asks.
func (f *File) ghostNames() map[string]bool {
	f.ghostOnce.Do(func() { f.ghost = ownGhostNames(f) })
	return f.ghost
}

// ownGhostNames are the ghost names that a file declares itself or imports from elsewhere than Verus's own crates.
func ownGhostNames(f *File) map[string]bool {
	var own map[string]bool
	declare := func(name string) {
		if own == nil {
			own = map[string]bool{}
		}
		own[name] = true
	}
	imports := false
	prev, prev2 := EOF, EOF
	for i := range f.toks {
		t := f.toks[i]
		if t.kind == hole {
			continue
		}
		if t.kind.isIdent() {
			if s := bytes.TrimPrefix(f.Source.Text[t.start:t.end], []byte("r#")); ghostName(s) {
				switch prev {
				case KwAs:
					if verusItems(string(s)) {
						imports = true // what is imported by that name tells
					} else {
						declare(string(s))
					}
				case KwStruct, KwEnum, KwUnion, KwTrait, KwType, KwFn, KwConst, KwStatic, KwMod, KwMacro:
					declare(string(s))
				case Bang:
					if prev2 == KwMacroRules {
						declare(string(s))
					}
				case ColonColon, LBrace, Comma:
					imports = true
				}
			}
		}
		prev2, prev = prev, t.kind
	}
	if imports {
		f.Root().Walk(func(n Node) bool {
			if n.Kind() == Use {
				useLeaves(n.Get(FTree), nil, func(path []string, alias string) {
					last := path[len(path)-1]
					name := cmp.Or(alias, last)
					// verus_erase_ghost as verus: the macros of that kind are erased alike.
					same := alias == "" || verusItems(alias) && verusItems(last)
					if ghostName([]byte(name)) && (!verusCrate(path[0]) || !same) {
						declare(name)
					}
				})
			}
			return true
		})
	}
	return own
}

// useLeaves calls leaf with the path of each name or glob that a use declaration imports, and the name after `as`, if any.
func useLeaves(tree Node, prefix []string, leaf func(path []string, alias string)) {
	path := slices.Clone(prefix)
	for s := range tree.Get(FPath).All(FSegment) {
		path = append(path, s.FirstToken().Text())
	}
	grouped := false
	for t := range tree.All(FTree) {
		grouped = true
		useLeaves(t, path, leaf)
	}
	if !grouped && len(path) > 0 {
		leaf(path, tree.Get(FName).Text())
	}
}

// verusCrate tells the crates that Verus consists of, old names included.
func verusCrate(name string) bool {
	switch name {
	case "vstd", "verus_builtin", "verus_builtin_macros", "verus_state_machines_macros", "builtin", "builtin_macros", "state_machines_macros":
		return true
	}
	return false
}

// ghostVstdModule tells the modules of vstd that hold nothing executable, and its prelude.
func ghostVstdModule(name string) bool {
	switch name {
	case "prelude", "arithmetic", "calc_macro", "imap", "imap_lib", "iset", "iset_lib", "laws_cmp", "laws_eq", "map", "map_lib", "math", "modes",
		"multiset", "multiset_lib", "predicate", "proph", "relations", "resource", "seq", "seq_lib", "set", "set_lib", "std_specs", "tokens", "view":
		return true
	}
	return false
}

// ghostUse tells a use declaration that imports nothing executable.
func (p *printer) ghostUse(n Node) bool {
	ghost, any := true, false
	useLeaves(n.Get(FTree), nil, func(path []string, _ string) {
		any = true
		if !verusCrate(path[0]) || path[0] == "vstd" && (len(path) < 2 || !ghostVstdModule(path[1])) {
			ghost = false
		}
	})
	return ghost && any
}

func ghostMode(n Node) bool {
	switch m := n.Get(FMode); m.FirstToken().Kind() {
	case KwSpec, KwProof, KwAxiom, KwGhost, KwTracked:
		return true
	}
	return false
}

// underGhostCfg tells a node that is compiled for the verifier only.
func underGhostCfg(n Node) bool {
	for a := range n.All(FAttr) {
		if path := a.Get(FPath); path.FirstToken().Text() == "cfg" && ghostCfg(a) {
			return true
		}
	}
	return false
}

// ghostItem tells an item, field or variant that executable code does not have.
func (p *printer) ghostItem(n Node) bool {
	if underGhostCfg(n) {
		return true
	}
	switch n.Kind() {
	case Fn:
		if p.erased && flat(n.Get(FBody)) == "{::core::panic!()}" {
			return true
		}
		return ghostMode(n)
	case Static:
		return ghostMode(n)
	case Const:
		return ghostMode(n) || p.emptyConst(n)
	case Struct, Enum:
		return ghostMode(n) && !p.erased
	case FieldDecl:
		// A ghost field of another type than these stays in the compiled struct.
		switch t := n.Get(FType); flat(t) {
		case "int", "nat", "real":
			return ghostMode(n) && !p.erased
		default:
			return p.ghostType(t)
		}
	case AssumeSpecification, BroadcastUse, BroadcastGroup, Global, EmptyItem:
		return true
	case Use:
		return p.ghostUse(n)
	case Impl:
		kept, ghost := p.keptItems(n)
		if t := n.Get(FTrait); t.Valid() && kept && (ghost || p.erased) {
			if name := lastSegment(t); name == "View" || name == "DeepView" {
				return allOf(n.All(FItem), func(c Node) bool { return c.Kind() == TypeAlias || p.ghostItem(c) })
			}
		}
		return !kept && (ghost || p.erased || !n.Get(FTrait).Valid())
	case Trait, Mod:
		if n.Kind() == Mod && !n.HasBody() {
			return false
		}
		kept, ghost := p.keptItems(n)
		return !kept && (ghost || p.erased)
	case MacroCall:
		return p.ghostMacro(n)
	}
	return false
}

// keptItems tells whether anything executable is among the items of n, and whether anything ghost is.
func (p *printer) keptItems(n Node) (kept, ghost bool) {
	for item := range n.All(FItem) {
		if item.Kind() == MacroCall && verusItems(p.macroName(item)) {
			k, g := p.keptItems(item.Get(FArgs))
			kept, ghost = kept || k, ghost || g
			continue
		}
		if p.ghostItem(item) {
			ghost = ghost || item.Kind() != EmptyItem
		} else {
			kept = true
		}
	}
	return kept, ghost
}

func lastSegment(path Node) string {
	var last Node
	for s := range path.All(FSegment) {
		last = s
	}
	return last.FirstToken().Text()
}

// flat is a node's tokens without space between them.
func flat(n Node) string {
	var b strings.Builder
	for t := range n.Tokens() {
		b.WriteString(t.Text())
	}
	return b.String()
}

// emptyConst tells `const _: () = ..` that declares nothing: it is evaluated by the compiler, not by the program.
func (p *printer) emptyConst(n Node) bool {
	if flat(n.Get(FName)) != "_" || flat(n.Get(FType)) != "()" {
		return false
	}
	empty := true
	for _, f := range []Field{FValue, FBody} {
		n.Get(f).Walk(func(c Node) bool {
			switch k := c.Kind(); {
			case k >= Fn && k <= EmptyItem || k == Unknown:
				empty = false
			case k == MacroCall:
				switch flat(c.Get(FPath)) {
				case "panic", "assert", "::core::panic", "::core::assert", "core::assert", "std::assert":
				default:
					empty = false
				}
			}
			return empty
		})
	}
	return empty
}

// ghostMacro tells a macro call that leaves nothing executable.
func (p *printer) ghostMacro(n Node) bool {
	if n.Kind() != MacroCall {
		return false
	}
	switch p.macroName(n) {
	case "proof", "proof_decl", "proof_with", "state_machine", "tokenized_state_machine":
		return true
	}
	return false
}

// ghostWrapper tells `Ghost` and `Tracked`, alone or as a path into Verus's crates.
func (p *printer) ghostWrapper(path Node) bool {
	if path.Kind() != Path || path.Get(FQSelf).Valid() {
		return false
	}
	return p.ghostSegments(path, 0)
}

// ghostSegments tells a path whose segment before the last skip ones is Ghost or Tracked.
func (p *printer) ghostSegments(path Node, skip int) bool {
	segments := slices.Collect(path.All(FSegment))
	if len(segments) <= skip {
		return false
	}
	segments = segments[:len(segments)-skip]
	name := segments[len(segments)-1].FirstToken().Text()
	if name != "Ghost" && name != "Tracked" {
		return false
	}
	if len(segments) == 1 {
		return !p.isOwn(name)
	}
	root := segments[0].FirstToken().Text()
	return verusCrate(root) || p.erased
}

// ghostType tells Ghost<T>, Tracked<T>, references to them, and tuples of nothing else.
func (p *printer) ghostType(t Node) bool {
	for {
		switch t.Kind() {
		case ParenType, RefType:
			t = t.Get(FType)
		case TupleType:
			return allOf(t.All(FType), p.ghostType)
		case Path:
			return p.ghostWrapper(t)
		default:
			return false
		}
	}
}

func allOf(nodes func(func(Node) bool), is func(Node) bool) bool {
	any := false
	for c := range nodes {
		if any = true; !is(c) {
			return false
		}
	}
	return any
}

// ghostPat tells a pattern that binds ghost values only.
func (p *printer) ghostPat(n Node) bool {
	switch n.Kind() {
	case ParenPat:
		return p.ghostPat(n.Get(FPat))
	case TupleStructPat:
		return p.ghostWrapper(n.Get(FPath))
	case TuplePat:
		return allOf(n.All(FPat), p.ghostPat)
	case IdentPat:
		name := n.Get(FName).Text()
		return p.locals[name] || p.erased && strings.HasPrefix(name, "verus_tmp_")
	}
	return false
}

func (p *printer) ghostParam(n Node) bool {
	if t := n.Get(FType); t.Valid() {
		// By the type alone: the pattern is gone once it is erased, and an alias of Ghost<T> may be one of something else elsewhere.
		return underGhostCfg(n) || p.ghostType(t)
	}
	return underGhostCfg(n) || n.Get(FPat).Kind() == TupleStructPat && p.ghostPat(n.Get(FPat))
}

// ghostExpr tells an expression that yields a Ghost or Tracked value and does nothing else.
func (p *printer) ghostExpr(n Node) bool {
	for n.Kind() == Paren || n.Kind() == AttrExpr && len(p.attrTexts(n)) == 0 {
		n = n.Get(FExpr)
	}
	switch n.Kind() {
	case Call:
		callee, args := n.Get(FCallee), slices.Collect(n.Get(FArgs).All(FExpr))
		if callee.Kind() != Path || callee.Get(FQSelf).Valid() {
			return false
		}
		if p.ghostSegments(callee, 0) {
			return p.verus && len(args) == 1 // elsewhere the wrappers have no constructor
		}
		if p.ghostSegments(callee, 1) {
			switch lastSegment(callee) {
			case "assume_new":
				return len(args) == 0
			case "assume_new_fallback": // never calls its argument
				return len(args) == 1 && args[0].Kind() == Closure
			}
		}
	case Path:
		return len(p.scope) > 0 && p.inScope(flat(n))
	case Ref:
		return p.ghostExpr(n.Get(FExpr))
	case Tuple:
		return allOf(n.All(FExpr), p.ghostExpr)
	}
	return false
}

func (p *printer) ghostElem(n Node) bool {
	switch n.Field() {
	case FType:
		return p.ghostType(n)
	case FPat:
		return p.ghostPat(n)
	}
	return p.ghostExpr(n)
}

func (p *printer) ghostFieldInit(n Node) bool {
	if e := n.Get(FExpr); e.Valid() {
		return p.ghostExpr(e)
	}
	return p.inScope(n.Get(FName).Text())
}

// inScope tells a name of a local that holds a Ghost or Tracked value.
func (p *printer) inScope(name string) bool { return slices.Contains(p.scope, name) }

// declare brings a name into scope if it is one that only ghost values are bound to.
func (p *printer) declare(pat Node) {
	if pat.Kind() == IdentPat {
		if name := pat.Get(FName).Text(); p.locals[name] {
			p.scope = append(p.scope, name)
		}
	}
}

func (p *printer) declareLet(s Node) {
	if s.Kind() == Let && !ghostMode(s) {
		p.declare(s.Get(FPat))
	}
}

// ghostStmtExpr tells a statement or match arm that is ghost code as a whole.
func (p *printer) ghostStmtExpr(e Node) bool {
	e, _ = p.strip(e)
	switch e.Kind() {
	case ProofBlock, AssertForall:
		return true
	case Assert, Assume:
		return p.verus
	case Call:
		return p.verus && revealCall(e)
	case MacroCall:
		return p.ghostMacro(e)
	}
	return false
}

// revealCall tells reveal(f), reveal_with_fuel(f, n) and hide(f), which are keywords where a statement begins.
func revealCall(e Node) bool {
	callee := e.Get(FCallee)
	if callee.Kind() != Path {
		return false
	}
	switch flat(callee) {
	case "reveal", "reveal_with_fuel", "hide":
		return true
	}
	return false
}

// keepStmt tells a statement that is written.
func (p *printer) keepStmt(s Node) bool {
	if s.Kind() == EmptyStmt {
		return false
	}
	if !p.exec {
		return true
	}
	switch s.Kind() {
	case Let:
		if underGhostCfg(s) || ghostMode(s) {
			return false
		}
		init := s.Get(FInit)
		return !p.ghostPat(s.Get(FPat)) || init.Valid() && !p.ghostExpr(init)
	case ExprStmt:
		if underGhostCfg(s) {
			return false
		}
		e, _ := p.strip(s.Get(FExpr))
		switch e.Kind() {
		case Assign:
			return !(p.ghostExpr(e.Get(FRhs)) && place(e.Get(FLhs)))
		case Block:
			return !p.plainBlock(e) || p.hasStmts(e)
		}
		return !p.ghostStmtExpr(e) && !p.ghostExpr(e)
	}
	return !p.ghostItem(s)
}

// place tells a variable, or fields of one: to name it does nothing.
func place(n Node) bool {
	for {
		switch {
		case n.Kind() == Paren, n.Kind() == FieldExpr, n.Kind() == Unary && n.Op() == Star:
			n = n.Get(FExpr)
		default:
			return n.Kind() == Path
		}
	}
}

// ghostLocals are the names that every binding in n binds to a Ghost or Tracked value.
func (p *printer) ghostLocals(n Node) map[string]bool {
	var locals map[string]bool
	bind := func(name string, ghost bool) {
		if locals == nil {
			locals = map[string]bool{}
		}
		was, seen := locals[name]
		locals[name] = ghost && (was || !seen)
	}
	n.Walk(func(c Node) bool {
		switch c.Kind() {
		case Param:
			if pat := c.Get(FPat); pat.Kind() == IdentPat && p.ghostType(c.Get(FType)) {
				bind(pat.Get(FName).Text(), true)
			} else {
				p.bindAll(pat, bind)
			}
		case Let:
			if ghostMode(c) {
				return false // erased: executable code that has the name means something else by it
			}
			pat, init := c.Get(FPat), c.Get(FInit)
			if pat.Kind() == IdentPat && (p.ghostType(c.Get(FType)) || init.Valid() && p.ghostExpr(init)) {
				bind(pat.Get(FName).Text(), true)
			} else {
				p.bindAll(pat, bind)
			}
		case Arm, For, LetCond, Matches:
			p.bindAll(c.Get(FPat), bind)
		case Assert, AssertForall, ProofBlock, Clause, Quant:
			return false
		}
		return true
	})
	for name, ghost := range locals {
		if !ghost {
			delete(locals, name)
		}
	}
	return locals
}

// bindAll binds the names of a pattern as executable ones, except inside Ghost(..) and Tracked(..).
func (p *printer) bindAll(pat Node, bind func(string, bool)) {
	pat.Walk(func(c Node) bool {
		switch c.Kind() {
		case IdentPat:
			bind(c.Get(FName).Text(), false)
		case TupleStructPat:
			return !p.ghostWrapper(c.Get(FPath))
		}
		return true
	})
}

// EraseOptions say what erased text may refer to.
type EraseOptions struct {
	// Prelude is the path of a module that holds ErasedPrelude, such as `crate::erased`, to use in place of vstd: imports from
	// vstd go, and one of its prelude becomes an import of this module. Text that uses executable parts of vstd then does
	// not compile. Empty: the text needs vstd as a dependency.
	Prelude string
}

// ErasedPrelude is the Rust source of a module with what erased text needs of vstd when it uses nothing executable from it:
// the types that stay behind where ghost code was. None of them has a size.
const ErasedPrelude = `#![allow(dead_code, non_camel_case_types)]
use core::marker::PhantomData;
macro_rules! sizeless {
    ($($name:ident<$($t:ident),*>)*) => { $(
        pub struct $name<$($t: ?Sized),*>(PhantomData<($(PhantomData<$t>,)*)>);
        impl<$($t: ?Sized),*> Clone for $name<$($t),*> { fn clone(&self) -> Self { *self } }
        impl<$($t: ?Sized),*> Copy for $name<$($t),*> {}
        impl<$($t: ?Sized),*> PartialEq for $name<$($t),*> { fn eq(&self, _: &Self) -> bool { true } }
        impl<$($t: ?Sized),*> Eq for $name<$($t),*> {}
    )* };
}
sizeless! { Ghost<A> FnSpec<A, B> Seq<A> Set<A> ISet<A> Multiset<A> Map<K, V> IMap<K, V> }
pub struct Tracked<A>(PhantomData<A>);
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct int;
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct nat;
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct real;
impl<A> Ghost<A> {
    pub const fn assume_new() -> Self { Ghost(PhantomData) }
    pub const fn assume_new_fallback(_: fn() -> A) -> Self { Ghost(PhantomData) }
}
impl<A> Tracked<A> {
    pub const fn assume_new() -> Self { Tracked(PhantomData) }
    pub const fn assume_new_fallback(_: fn() -> A) -> Self { Tracked(PhantomData) }
}
pub trait View { type V; }
pub trait DeepView { type V; }
`

// Erase is the file as Rust source with all ghost code erased, as verus_builtin_macros erase it when rustc compiles: what was
// in verus! stands outside of it, and everything else, line breaks included, stays as it was. Executable code that is not
// Verus's syntax is copied byte for byte. Macros other than verus! are not expanded: they erase what they hold themselves.
func Erase(f *File, opts EraseOptions) []byte {
	return eraseFile(f, opts).apply(0, len(f.Source.Text))
}

func eraseFile(f *File, opts EraseOptions) *eraser {
	e := &eraser{f: f, opts: opts, p: printer{f: f, exec: true, own: f.ghostNames()}}
	e.visit(f.Root())
	return e
}

type edit struct {
	start, end int // bytes; equal for an insertion
	text       string
}

// eraser collects edits, in source order, that turn a file into its erasure.
type eraser struct {
	f     *File
	opts  EraseOptions
	p     printer // decides what is ghost
	edits []edit
	place itemPlace
	spec  bool // syntax of specifications was found in executable code and rewritten
}

func (e *eraser) prelude() string {
	if e.opts.Prelude != "" {
		return e.opts.Prelude
	}
	return "::vstd::prelude"
}

// apply is the text of [start, end) with the edits that lie in it made. A line break that is deleted is kept.
func (e *eraser) apply(start, end int) []byte {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := start
	src := e.f.Source.Text
	for _, d := range e.edits {
		if d.start < at || d.end > end {
			continue
		}
		out = append(out, src[at:d.start]...)
		if len(out) > 0 && out[len(out)-1] == ':' && strings.HasPrefix(d.text, ":") {
			out = append(out, ' ')
		}
		out = append(out, d.text...)
		for _, c := range src[d.start:d.end] {
			if c == '\n' {
				out = append(out, '\n')
			}
		}
		at = d.end
		if len(out) > 0 && at < end && WordByte(out[len(out)-1]) && WordByte(src[at]) {
			out = append(out, ' ')
		}
	}
	return append(out, src[at:end]...)
}

// WordByte tells a byte of an identifier, keyword or number; bytes of other characters than ASCII count as letters.
func WordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (e *eraser) replace(start, end int, text string) {
	e.edits = append(e.edits, edit{start, end, text})
}

func (e *eraser) del(n Node) {
	if s := n.Span(); s.Start < s.End {
		e.replace(s.Start, s.End, "")
	}
}

// delWithDocs deletes a node and the doc comments before it, which would else document what follows.
func (e *eraser) delWithDocs(n Node) {
	e.delDocs(n)
	e.del(n)
}

func (e *eraser) delDocs(n Node) {
	i := n.raw().first - 1
	for i >= 0 && e.f.toks[i].kind == hole {
		i--
	}
	from := 0
	if i >= 0 {
		from = int(e.f.toks[i].end)
	}
	gap := e.f.Source.Text[from:n.Span().Start]
	for at := 0; at < len(gap); {
		switch rest := gap[at:]; {
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			if len(rest) > 2 && rest[2] == '/' && !(len(rest) > 3 && rest[3] == '/') {
				e.replace(from+at, from+at+end, "")
			}
			at += end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := blockComment(rest)
			if len(rest) > 4 && rest[2] == '*' && rest[3] != '*' && rest[3] != '/' {
				e.replace(from+at, from+at+end, "")
			}
			at += end
		default:
			at++
		}
	}
}

// blockComment is the length of the comment that s begins with.
func blockComment(s []byte) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch {
		case s[i] == '/' && s[i+1] == '*':
			depth++
			i++
		case s[i] == '*' && s[i+1] == '/':
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// ownToken is the span of the first token of n, from token i on, that belongs to no child and has kind k.
func (e *eraser) ownToken(n Node, k TokenKind) (start, end int, ok bool) {
	r := n.raw()
	c := r.child
	for i := r.first; i < r.end; {
		for c != 0 && e.f.nodes[c].end <= i {
			c = e.f.nodes[c].next
		}
		if c != 0 && e.f.nodes[c].first <= i {
			i = e.f.nodes[c].end
			continue
		}
		if t := e.f.toks[i]; t.kind == k {
			return int(t.start), int(t.end), true
		}
		i++
	}
	return 0, 0, false
}

// textOf is the erased text of a node.
func (e *eraser) textOf(n Node) string {
	sub := eraser{f: e.f, opts: e.opts, p: e.p, place: e.place}
	sub.visit(n)
	e.spec = e.spec || sub.spec
	s := n.Span()
	return string(sub.apply(s.Start, s.End))
}

func (e *eraser) children(n Node) {
	for c := range n.Children() {
		e.visit(c)
	}
}

func (e *eraser) visit(n Node) {
	switch n.Kind() {
	case 0, Unknown, TokenTree, Clause:
		return
	case MacroCall:
		e.macro(n)
		return
	case Attr:
		e.attr(n)
		return
	case Fn:
		e.fn(n)
		return
	case Const, Static:
		if ghostMode(n) {
			e.delWithDocs(n)
			return
		}
		e.words(n)
		e.clauses(n)
		if body := n.Get(FBody); body.Valid() {
			s := body.Span()
			e.replace(s.Start, s.Start, "= ")
			e.visit(body)
			e.replace(s.End, s.End, ";")
			e.visitExcept(n, FBody)
			return
		}
	case Struct, Enum, Union, FieldDecl:
		e.words(n)
	case Impl, Mod:
		outer := e.place
		e.place = placeFree
		e.children(n)
		e.place = outer
		return
	case Trait, ExternBlock:
		outer := e.place
		e.place = placeTrait
		e.children(n)
		e.place = outer
		return
	case AssumeSpecification, BroadcastUse:
		e.delWithDocs(n)
		return
	case BroadcastGroup:
		e.broadcastGroup(n)
		return
	case Global:
		e.global(n)
		return
	case Use, ExternCrate:
		e.imports(n)
		return
	case Param:
		e.words(n)
		if pat := n.Get(FPat); pat.Kind() == TupleStructPat {
			e.wrapperPat(pat, true)
			e.visitExcept(n, FPat)
			return
		}
	case Ret:
		if pat := n.Get(FPat); pat.Valid() {
			t := n.Get(FType)
			_, arrow, ok := e.ownToken(n, Arrow_)
			if ok && t.Valid() {
				e.replace(arrow, t.Span().Start, " ")
				e.visit(t)
				e.replace(t.Span().End, n.Span().End, "")
				return
			}
		}
		e.words(n)
	case SpecFnType:
		e.specFnType(n)
		return
	case Block:
		e.block(n)
		return
	case Let:
		if n.Get(FInit).Valid() && e.p.verus {
			e.wrapperPat(n.Get(FPat), false)
			e.visitExcept(n, FPat)
			return
		}
	case Closure, While, Loop:
		e.clauses(n)
	case For:
		e.clauses(n)
		if name := n.Get(FName); name.Valid() {
			if _, end, ok := e.ownTokenAfter(n, Colon, name); ok {
				e.replace(name.Span().Start, end, "")
			}
		}
	case Arm:
		if body := n.Get(FBody); e.p.ghostStmtExpr(body) {
			e.visitExcept(n, FBody)
			s := body.Span()
			e.replace(s.Start, s.End, "{}")
			return
		}
	case ProofBlock, AssertForall:
		e.replaceWith(n, "{}")
		return
	case Assert, Assume:
		if e.p.verus {
			e.replaceWith(n, "{}")
			return
		}
	case AtomicallyCall:
		call := n.Get(FExpr)
		e.visit(call)
		e.replace(call.Span().End, n.Span().End, "")
		return
	case Call:
		if e.p.verus && e.wrapperCall(n) {
			return
		}
	case View:
		if e.p.verus {
			e.spec = true
			e.visit(n.Get(FExpr))
			if start, end, ok := e.ownToken(n, At); ok {
				e.replace(start, end, ".view()")
			}
			return
		}
	case Matches:
		if e.p.verus {
			e.matches(n, Node{})
			return
		}
	case Binary:
		if lhs := n.Get(FLhs); e.p.verus && lhs.Kind() == Matches && (n.Op() == AndAnd || n.Op() == Implies) {
			e.matches(lhs, n)
			return
		}
	case BigAnd, BigOr:
		e.bigList(n)
		return
	}
	e.children(n)
}

func (e *eraser) visitExcept(n Node, except Field) {
	for c := range n.Children() {
		if c.Field() != except {
			e.visit(c)
		}
	}
}

func (e *eraser) replaceWith(n Node, text string) {
	s := n.Span()
	e.replace(s.Start, s.End, text)
}

// ownTokenAfter is ownToken behind a child.
func (e *eraser) ownTokenAfter(n Node, k TokenKind, child Node) (start, end int, ok bool) {
	for i := child.raw().end; i < n.raw().end; i++ {
		if t := e.f.toks[i]; t.kind == k {
			return int(t.start), int(t.end), true
		}
	}
	return 0, 0, false
}

// words deletes the words that say how an item is published and which mode it has.
func (e *eraser) words(n Node) {
	for c := range n.Children() {
		if f := c.Field(); f == FPublish || f == FMode {
			e.del(c)
		}
	}
}

// clauses deletes contract and loop clauses.
func (e *eraser) clauses(n Node) {
	for c := range n.All(FClause) {
		e.delWithDocs(c)
	}
}

func (e *eraser) fn(n Node) {
	if ghostMode(n) {
		e.delWithDocs(n)
		return
	}
	e.words(n)
	e.clauses(n)
	for c := range n.Children() {
		switch c.Field() {
		case FPublish, FMode, FClause:
		default:
			e.visit(c)
		}
	}
	if !n.Get(FBody).Valid() && e.p.verus && e.place == placeFree {
		s := n.Span()
		if s.End > s.Start && e.f.Source.Text[s.End-1] == ';' {
			e.replace(s.End-1, s.End, " {}")
		}
	}
}

func (e *eraser) macro(n Node) {
	name, args := e.p.macroName(n), n.Get(FArgs)
	switch {
	case verusItems(name) && args.Kind() == MacroBody:
		r := args.raw()
		open := e.f.toks[r.first]
		e.replace(n.Span().Start, int(open.end), "")
		verus, place := e.p.verus, e.place
		e.p.verus = true
		if name == "verus_trait_impl" || name == "verus_impl" || place == placeUnknown {
			e.place = placeFree
		}
		e.children(args)
		e.p.verus, e.place = verus, place
		end := e.f.toks[e.f.lastReal(r.end)]
		if end.kind.isClose() {
			e.replace(int(end.start), n.Span().End, "")
		}
	case !e.p.ghostMacro(n) || strings.HasSuffix(name, "state_machine"):
	case n.Field() == FItem:
		e.delWithDocs(n)
		// One whose value is used has none, and stays for rustc to say so.
	}
}

// block visits statements; ghost ones are deleted.
func (e *eraser) block(n Node) {
	outer := e.place
	e.place = placeFree
	stmts := slices.Collect(n.All(FStmt))
	for c := range n.Children() {
		if c.Field() != FStmt {
			e.visit(c)
		}
	}
	for i, s := range stmts {
		switch {
		case s.Kind() == Let && ghostMode(s):
			e.delWithDocs(s)
		case s.Kind() == ExprStmt && e.p.ghostStmtExpr(s.Get(FExpr)):
			e.delWithDocs(s)
			// An expression that ends in a block would become the value of the block, and what it borrows would live longer.
			if i > 0 && i == len(stmts)-1 && stmts[i-1].Kind() == ExprStmt && !stmts[i-1].Semi() {
				end := s.Span().End
				e.replace(end, end, "{}")
			}
		default:
			e.visit(s)
		}
	}
	e.place = outer
}

// attr deletes attributes that speak to the verifier.
func (e *eraser) attr(a Node) {
	var segments []string
	for s := range a.Get(FPath).All(FSegment) {
		segments = append(segments, s.FirstToken().Text())
	}
	if len(segments) == 0 {
		return
	}
	first, last := segments[0], segments[len(segments)-1]
	switch {
	case first == "verus" || first == "verifier", (last == "verus_spec" || last == "verus_verify") && e.p.verusAttr(segments),
		len(segments) == 1 && e.p.verus && (first == "trigger" || first == "via_fn"),
		first == "allow" && e.p.verus && flat(a.Get(FArgs)) == "(inconsistent_fields)":
		e.del(a)
		return
	}
	if e.opts.Prelude == "" {
		return
	}
	switch last {
	case "is_variant", "is_variant_no_deprecation_warning", "verus_enum_synthesize", "auto_spec":
		if e.p.verusAttr(segments) {
			e.del(a)
		}
	case "derive":
		names := deriveNames(a.Get(FArgs))
		kept := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "Structural" || s == "StructuralEq" })
		switch {
		case len(kept) == 0 && len(names) > 0:
			e.del(a)
		case len(kept) < len(names):
			e.replaceWith(a, "#[derive("+strings.Join(kept, ", ")+")]")
		}
	}
}

// behind is where n begins behind its children in some fields.
func (e *eraser) behind(n Node, fields ...Field) int {
	i := n.raw().first
	for c := range n.Children() {
		if slices.Contains(fields, c.Field()) {
			i = max(i, c.raw().end)
		}
	}
	return int(e.f.toks[e.f.skipHoles(i)].start)
}

// broadcastGroup leaves a function behind for a public group, so that it can still be imported.
func (e *eraser) broadcastGroup(n Node) {
	if n.Get(FVis).FirstToken().Kind() != KwPub {
		e.delWithDocs(n)
		return
	}
	for a := range n.All(FAttr) {
		e.visit(a)
	}
	e.replace(e.behind(n, FAttr, FVis), n.Span().End, "fn "+n.Get(FName).Text()+"() { ::core::panic!() }")
}

// global becomes a check that rustc makes.
func (e *eraser) global(n Node) {
	var text strings.Builder
	text.WriteString("const _: () = {")
	t := e.textOf(n.Get(FType))
	for i, v := range slices.Collect(n.All(FExpr)) {
		what, wrong := "size_of", "size"
		if i > 0 {
			what, wrong = "align_of", "alignment"
		}
		text.WriteString(" if ::core::mem::" + what + "::<" + t + ">() != " + v.Text() + ` { ::core::panic!("does not have the expected ` + wrong + `"); }`)
	}
	text.WriteString(" };")
	for a := range n.All(FAttr) {
		e.visit(a)
	}
	e.replace(e.behind(n, FAttr), n.Span().End, text.String())
}

// imports redirects what is imported from Verus's crates when they are not there.
func (e *eraser) imports(n Node) {
	for a := range n.All(FAttr) {
		e.visit(a)
	}
	if e.opts.Prelude == "" {
		return
	}
	if n.Kind() == ExternCrate {
		if verusCrate(n.Get(FName).Text()) {
			e.delWithDocs(n)
		}
		return
	}
	ours, prelude := true, false
	useLeaves(n.Get(FTree), nil, func(path []string, _ string) {
		if !verusCrate(path[0]) {
			ours = false
		}
		if path[0] != "vstd" || len(path) > 1 && path[1] == "prelude" {
			prelude = true
		}
	})
	switch {
	case !ours:
	case prelude:
		e.replace(e.behind(n, FAttr, FVis), n.Span().End, "use "+e.opts.Prelude+"::*;")
	default:
		e.delWithDocs(n)
	}
}

// wrapped is the variable that a pattern Ghost(x) or Tracked(x) binds, and the name that it has once it is erased; empty if n is none.
func (p *printer) wrapped(n Node) (bound Node, name string) {
	elems := slices.Collect(n.All(FPat))
	if n.Kind() != TupleStructPat || !p.ghostWrapper(n.Get(FPath)) || len(elems) != 1 || elems[0].Kind() != IdentPat || elems[0].ByRef() || elems[0].Get(FPat).Valid() {
		return Node{}, ""
	}
	return elems[0], "verus_tmp_" + strings.TrimPrefix(elems[0].Get(FName).Text(), "r#")
}

// wrapperPat renames what Ghost(x) and Tracked(x) bind, so that the variable holds the wrapper.
func (e *eraser) wrapperPat(n Node, param bool) {
	switch n.Kind() {
	case TupleStructPat:
		if bound, name := e.p.wrapped(n); name != "" {
			if param && bound.Mut() {
				name = "mut " + name
			}
			e.replaceWith(n, name)
			return
		}
	case TuplePat, StructPat, FieldPat, ParenPat, RefPat, SlicePat, BoxPat:
	default:
		e.visit(n)
		return
	}
	for c := range n.Children() {
		if c.Field() == FPat {
			e.wrapperPat(c, param)
		} else {
			e.visit(c)
		}
	}
}

// wrapperCall replaces Ghost(e) and Tracked(e).
func (e *eraser) wrapperCall(n Node) bool {
	callee := n.Get(FCallee)
	segments := slices.Collect(callee.All(FSegment))
	args := slices.Collect(n.Get(FArgs).All(FExpr))
	if callee.Kind() != Path || len(segments) != 1 || callee.Global() || !e.p.ghostWrapper(callee) || len(args) != 1 {
		return false
	}
	name := segments[0].FirstToken().Text()
	generics := ""
	if g := segments[0].Get(FGenericArgs); g.Valid() {
		generics = "::" + strings.TrimPrefix(e.textOf(g), "::")
	}
	e.replaceWith(n, e.prelude()+"::"+name+generics+"::assume_new_fallback(|| ::core::unreachable!())")
	return true
}

func (e *eraser) specFnType(n Node) {
	var args strings.Builder
	for c := range n.Get(FParams).Children() {
		if t := c.Get(FType); t.Valid() {
			args.WriteString(e.textOf(t) + ", ")
		}
	}
	ret := "()"
	if t := n.Get(FRet).Get(FType); t.Valid() {
		ret = e.textOf(t)
	}
	e.replaceWith(n, e.prelude()+"::FnSpec<("+strings.TrimSuffix(args.String(), " ")+"), "+ret+">")
}

// matches turns `e matches p`, alone or as the left side of around, into a match.
func (e *eraser) matches(n, around Node) {
	e.spec = true
	subject, pat := n.Get(FExpr), n.Get(FPat)
	s := n.Span()
	e.replace(s.Start, s.Start, "(match (")
	e.visit(subject)
	e.replace(subject.Span().End, pat.Span().Start, ") { ")
	e.visit(pat)
	otherwise := "false"
	if around.Valid() {
		if around.Op() == Implies {
			otherwise = "true"
		}
		rhs := around.Get(FRhs)
		e.replace(pat.Span().End, rhs.Span().Start, " => ")
		e.visit(rhs)
		s = around.Span()
	} else {
		e.replace(s.End, s.End, " => true")
	}
	e.replace(s.End, s.End, ", #[allow(unreachable_patterns)] _ => "+otherwise+" })")
}

// bigList turns &&& a &&& b into (a) && (b).
func (e *eraser) bigList(n Node) {
	e.spec = true
	op := " && "
	if n.Kind() == BigOr {
		op = " || "
	}
	at := n.Span().Start
	for i, c := range slices.Collect(n.All(FExpr)) {
		s := c.Span()
		text := "("
		if i > 0 {
			text = ")" + op + "("
		}
		e.replace(at, s.Start, text)
		e.visit(c)
		at = s.End
	}
	e.replace(at, at, ")")
}

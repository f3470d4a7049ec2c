package model

import (
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// fnInfo is what the index knows of a function beyond its public fields.
type fnInfo struct {
	index        int     // in index.functions
	mark         int     // the last walk that met it; see index.walks
	scope        *module // where the names of its signature and contract are looked up
	inner        *module // where those of its body are
	impl         *implInfo
	metas        []meta
	generics     map[string]bool
	sites        []scopedSite // of scopes around it
	alias        map[string]string
	of           string // the symbol of what an AssumeSpecFunction describes
	named        bool
	done         bool // body analysed
	queued       bool // to be analysed
	inMacro      string
	call         syntax.Node
	contractUses []*Function // named in the contract
	bodyUses     []*Function // named in the body: for a spec function, in its definition
	asSpec       []*Function // what when_used_as_spec names
	closure      *bits       // see index.closure
	// bodyOf and contractOf are the indices of functions that use this one, see indexUses.
	bodyOf, contractOf []int32
	types              []*Item // of the tree, in the signature; once typed
	typed              bool
}

// scopedSite is a site of a module, impl, trait or crate that holds for what is below.
type scopedSite struct {
	Site
	item *Item
}

type itemInfo struct {
	scope    *module
	metas    []meta
	variants map[string]bool
	fns      []*Function // of a trait or impl
	impl     *implInfo
	named    bool
	done     bool
	busy     bool
	filled   bool
	generics map[string]bool
	alias    map[string]string
	outer    *Function
	uses     []string    // macros that a macro's definition calls
	names    []*Function // that a macro's definition names
	dotted   []string    // methods that a macro's definition calls
	sites    []scopedSite
	owner    *implInfo // of a constant in an impl or trait
	// understood says that all that a macro call holds was read as functions and items.
	understood bool
}

// implInfo is an impl or trait around functions.
type implInfo struct {
	node        syntax.Node
	item        *Item
	scope       *module
	self, trait syntax.Node
	generics    map[string]bool
	traitItem   *Item // for the body of a trait
	fns         []*Function
	selfTo      *Item
	selfExt     []string
	traitTo     *Item
	traitDone   bool
	done, busy  bool
	// behindTo and behindKnown are what index.behind says, once behindDone.
	behindTo                *Item
	behindKnown, behindDone bool
	outer                   *Function
	types                   map[string]syntax.Node // associated types
}

// around is what holds where an item stands.
type around struct {
	file     *File
	mod      *module
	verified bool
	external bool
	cfg      []string
	sites    []scopedSite
	impl     *implInfo
	outer    *Function
	alias    map[string]string
	macro    string
	call     syntax.Node // the macro call whose input is read
	holder   *Item       // module, trait or impl that takes the sites of what belongs to nothing else
}

func (x *index) collectFile(f *File, m *module) {
	root := f.Syntax.Root()
	for _, e := range f.Syntax.Errors {
		x.problem(f.Path, e.Span, e.Message)
	}
	c := around{file: f, mod: m, alias: attributeAliases(root)}
	if m.file != f { // another file is a part of the module, too
		defer func(dir string) { m.childDir = dir }(m.childDir)
	}
	m.childDir = childDir(f.Path, m.parent == nil || x.beside[f.Path])
	if m.parent != nil && m.item != nil && m.file != f {
		c.holder = m.item
	}
	// What holds for the `mod x;` holds for its file.
	if s := x.modAround[m]; s != nil {
		c.verified, c.external, c.cfg, c.sites = s.verified, s.external, s.cfg, s.sites
	}
	if m.file == f && m.item == nil {
		kind, name := ModuleItem, lastSegment(m.path)
		if m.parent == nil {
			kind, name = CrateItem, "crate"
		}
		m.item = x.newItem(kind, name, root, c)
	}
	c.holder = m.item
	x.scopeAttrs(&c, root, m.item)
	x.unknown(f, root)
	x.children(root, c)
}

func lastSegment(p string) string {
	if i := strings.LastIndex(p, "::"); i >= 0 {
		return p[i+2:]
	}
	return p
}

// attributeAliases are the names under which a file imports Verus's attributes and macros: use vstd::prelude::verus_verify as v;
func attributeAliases(root syntax.Node) map[string]string {
	var out map[string]string
	root.Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.UseTree:
			as, p := n.Get(syntax.FName), n.Get(syntax.FPath)
			if as.Valid() && p.Valid() {
				segs, _ := pathOf(p)
				if len(segs) == 0 {
					return true
				}
				switch last := segs[len(segs)-1]; last {
				case "verus_verify", "verus_spec", "verus", "include", eraseMacro:
					if out == nil {
						out = map[string]string{}
					}
					out[word(as)] = last
				}
			}
		case syntax.Fn, syntax.Struct, syntax.Enum, syntax.Const, syntax.Static, syntax.Attr:
			return n.Kind() == syntax.Fn // imports inside bodies do not reach attributes of items, but the walk is cheap
		}
		return true
	})
	return out
}

// unknown records the spans that the parser could not read.
func (x *index) unknown(f *File, root syntax.Node) {
	if len(f.Syntax.Errors) == 0 {
		return
	}
	root.Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Unknown {
			f.Unknown = append(f.Unknown, n.Span())
			return false
		}
		return true
	})
}

func (x *index) newItem(kind ItemKind, name string, n syntax.Node, c around) *Item {
	it := &Item{Kind: kind, Name: name, Crate: c.mod.crate.Crate, File: c.file, Module: c.mod.real().path, Node: n, Span: n.Span(),
		Cfg: c.cfg, Verified: c.verified && !c.external}
	if nm := n.Get(syntax.FName); nm.Valid() {
		it.NameSpan = nm.Span()
	} else {
		it.NameSpan = itemHead(n)
	}
	it.Public = n.Get(syntax.FVis).Text() == "pub"
	x.it[it] = &itemInfo{scope: c.mod, alias: c.alias, outer: c.outer, sites: c.sites}
	x.items = append(x.items, it)
	return it
}

// itemHead is the first token of an item behind its attributes.
func itemHead(n syntax.Node) source.Span {
	after := n.Span().Start
	for a := range n.All(syntax.FAttr) {
		if !a.Inner() {
			after = a.Span().End
		}
	}
	for t := range n.Tokens() {
		if t.Span().Start >= after {
			return t.Span()
		}
	}
	return source.Span{Start: n.Span().Start, End: n.Span().Start}
}

// attrs reads the attributes of an item into c: what they say about cfg, verified, external. It returns them.
func (x *index) attrs(c *around, n syntax.Node) []meta {
	ms := metasOf(n, c.alias)
	for _, m := range ms {
		// What opts in below something external is verified again.
		if m.is("verus_verify") || m.verifier() == "verify" {
			c.external = false
		}
	}
	for _, m := range ms {
		switch {
		case m.is("cfg"):
			c.cfg = append(slices.Clip(c.cfg), joinTokens(m.args))
		case m.is("verus_verify"), m.is("verus_spec"), m.verifier() == "verify":
			c.verified = true
		case m.verifier() == "external":
			c.external = true
		}
	}
	return ms
}

// scopeAttrs handles the attributes of a module, crate, impl or trait: their sites stand at the item and hold below it.
func (x *index) scopeAttrs(c *around, n syntax.Node, it *Item) []meta {
	ms := x.attrs(c, n)
	x.it[it].metas = append(x.it[it].metas, ms...)
	for _, m := range ms {
		if keepAttr(m) {
			it.Attrs = append(it.Attrs, m.text())
		}
		kind := attributeSite(m, n.Kind(), 0)
		if kind == 0 {
			continue
		}
		s := Site{Kind: kind, File: c.file, Span: m.span, Text: m.text()}
		it.Sites = append(it.Sites, s)
		switch kind {
		case External, NoDecreases, UndeclaredExternals, ExternalBody, AssumeTermination, ExternalTrait:
			c.sites = append(slices.Clip(c.sites), scopedSite{s, it})
		}
	}
	it.Sites = append(it.Sites, cfgSites(ms, c.file, n)...)
	it.Cfg = c.cfg
	it.Verified = c.verified && !c.external
	return ms
}

// cfgSites are the conditions of the verifier on an item that has executable code.
func cfgSites(ms []meta, f *File, n syntax.Node) []Site {
	var out []Site
	switch n.Kind() {
	case syntax.Use, syntax.BroadcastUse, syntax.BroadcastGroup, syntax.ProofBlock, syntax.Assert, syntax.AssertForall, syntax.Assume:
		return nil
	}
	if ghostOnly(n) {
		return nil
	}
	for _, m := range ms {
		if m.is("cfg") && mentionsGhostCfg(m.args) {
			out = append(out, Site{Kind: CfgDivergence, File: f, Span: m.span, Text: "cfg(" + joinTokens(m.args) + ")"})
		}
		if len(m.cond) > 0 && !harmless(m) {
			for _, cond := range m.cond {
				if strings.Contains(cond, "verus_") && condMentions(cond) {
					out = append(out, Site{Kind: CfgDivergence, File: f, Span: m.span, Text: "cfg_attr(" + cond + ", " + m.text() + ")"})
					break
				}
			}
		}
	}
	return out
}

func condMentions(cond string) bool {
	for w := range strings.FieldsFuncSeq(cond, func(r rune) bool { return r < 0x80 && !syntax.WordByte(byte(r)) }) {
		if isGhostCfg(w) {
			return true
		}
	}
	return false
}

// ghostOnly tells an item, statement or expression without executable code.
func ghostOnly(n syntax.Node) bool {
	switch n.Kind() {
	case syntax.Fn, syntax.Const, syntax.Static:
		m := modeOf(n)
		return m == Spec || m == Proof || m == Axiom
	case syntax.Struct, syntax.Enum:
		t := n.Get(syntax.FMode).Text()
		return t == "ghost" || t == "tracked"
	case syntax.Let:
		t := n.Get(syntax.FMode).Text()
		return t == "ghost" || t == "tracked"
	case syntax.ExprStmt, syntax.AttrExpr:
		e := n.Get(syntax.FExpr)
		switch e.Kind() {
		case syntax.ProofBlock, syntax.Assert, syntax.AssertForall, syntax.Assume, syntax.BigAnd, syntax.BigOr:
			return true
		case syntax.AttrExpr:
			return ghostOnly(e)
		case syntax.MacroCall:
			segs, _ := pathOf(e.Get(syntax.FPath))
			return len(segs) > 0 && ghostMacro(segs[len(segs)-1])
		}
	case syntax.AssumeSpecification, syntax.Global:
		return true
	case syntax.Mod, syntax.Impl, syntax.Trait:
		if n.Kind() == syntax.Mod && !n.HasBody() {
			return false
		}
		return itemsGhost(n, 0)
	case syntax.MacroCall:
		b := n.Get(syntax.FArgs)
		return b.Kind() == syntax.MacroBody && itemsGhost(b, 0)
	}
	return false
}

func itemsGhost(n syntax.Node, depth int) bool {
	any := false
	for i := range n.All(syntax.FItem) {
		if depth > 20 {
			return false
		}
		switch i.Kind() {
		case syntax.Use, syntax.BroadcastUse, syntax.BroadcastGroup, syntax.EmptyItem:
			continue
		}
		if !ghostOnly(i) {
			return false
		}
		any = true
	}
	return any
}

func ghostMacro(name string) bool {
	switch name {
	case "proof", "proof_decl", "proof_with", "calc", "assert_by_contradiction", "verus_proof_expr", "assert_seqs_equal", "assert_sets_equal",
		"assert_maps_equal":
		return true
	}
	return false
}

func modeOf(n syntax.Node) Mode {
	switch t := n.Get(syntax.FMode); {
	case !t.Valid():
	case strings.HasPrefix(t.Text(), "spec"):
		return Spec
	case t.Text() == "proof":
		return Proof
	case t.Text() == "axiom":
		return Axiom
	}
	return Exec
}

// children collects the items below a node.
func (x *index) children(n syntax.Node, c around) {
	for i := range n.All(syntax.FItem) {
		x.item(i, c)
	}
}

func (x *index) item(n syntax.Node, c around) {
	name := word(n.Get(syntax.FName))
	switch n.Kind() {
	case syntax.Fn, syntax.AssumeSpecification:
		x.function(n, c)
	case syntax.Const, syntax.Static:
		ms := x.plain(n, c, map[syntax.Kind]ItemKind{syntax.Const: ConstItem, syntax.Static: StaticItem}[n.Kind()], name)
		hasSpec := false
		for _, m := range ms {
			hasSpec = hasSpec || m.is("verus_spec") || m.verifier() == "external_body"
		}
		if n.Get(syntax.FMode).Valid() || n.Get(syntax.FClause).Valid() || hasSpec {
			f := x.function(n, c)
			for _, d := range c.mod.defs[name] {
				if d.item != nil && d.item.Node == n {
					x.constFns[d.item] = f
					d.item.Sites = nil // the function's
				}
			}
		} else if v := n.Get(syntax.FValue); v.Valid() && v.Kind() != syntax.Literal {
			x.bodyItems(v, c)
		}
	case syntax.Struct, syntax.Enum, syntax.Union:
		kind := map[syntax.Kind]ItemKind{syntax.Struct: StructItem, syntax.Enum: EnumItem, syntax.Union: UnionItem}[n.Kind()]
		x.plain(n, c, kind, name)
	case syntax.TypeAlias:
		if c.impl != nil {
			c.impl.types[name] = n.Get(syntax.FType)
			return
		}
		x.plain(n, c, TypeAliasItem, name)
	case syntax.Trait, syntax.TraitAlias:
		x.trait(n, c, name)
	case syntax.Impl:
		x.impl(n, c)
	case syntax.Mod:
		x.mod(n, c, name)
	case syntax.Use:
		x.use(n.Get(syntax.FTree), def{cfg: importCfg(metasOf(n, c.alias)), private: private(n, c)}, c)
	case syntax.ExternCrate:
		as := word(n.Get(syntax.FAlias))
		if as == "" {
			as = name
		}
		for a := range n.All(syntax.FAttr) {
			if strings.Contains(syntax.Canon(a), "macro_use") { // also by cfg_attr
				c.mod.crate.macroUse = append(c.mod.crate.macroUse, name)
			}
		}
		d := &def{use: []string{name}, global: true, crate: true, cfg: importCfg(metasOf(n, c.alias)), private: private(n, c)}
		if name == "self" {
			d.use, d.global, d.crate = []string{"crate"}, false, false
		}
		c.mod.define(as, d)
		x.divergence(d, "extern crate "+name+" as "+as, n, c)
	case syntax.ExternBlock:
		it := x.newItem(ExternItem, "extern", n, c)
		x.scopeAttrs(&c, n, it)
		c.external = true
		x.children(n, c)
	case syntax.MacroRules, syntax.MacroDef:
		x.plain(n, c, MacroItem, name)
	case syntax.MacroCall:
		x.macroItem(n, c)
	case syntax.Global:
		it := x.newItem(GlobalItem, "global", n, c)
		x.it[it].metas = metasOf(n, c.alias)
		it.Sites = append(it.Sites, Site{Kind: Layout, File: c.file, Span: n.Span(), Text: syntax.Canon(n)})
	case syntax.BroadcastUse, syntax.BroadcastGroup:
		it := x.newItem(BroadcastItem, name, n, c)
		it.Ghost = true
		x.it[it].metas = metasOf(n, c.alias)
		if n.Kind() == syntax.BroadcastGroup {
			c.mod.define(name, &def{item: it})
		}
	case syntax.Unknown:
		x.unknownItem(n, c)
	}
}

// plain makes an item that holds no others.
func (x *index) plain(n syntax.Node, c around, kind ItemKind, name string) []meta {
	ms := x.attrs(&c, n)
	it := x.newItem(kind, name, n, c)
	info := x.it[it]
	info.metas = ms
	info.owner = c.impl
	info.generics = genericNames(n, nil)
	t := n.Get(syntax.FMode).Text()
	it.Ghost = t == "ghost" || t == "tracked" || strings.HasPrefix(t, "spec") || t == "proof"
	for _, m := range ms {
		if m.is("derive") {
			for _, d := range commas(m.args) {
				it.Derives = append(it.Derives, joinTokens(d))
			}
			continue
		}
		if keepAttr(m) {
			it.Attrs = append(it.Attrs, m.text())
		}
		if k := attributeSite(m, n.Kind(), 0); k != 0 {
			it.Sites = append(it.Sites, Site{Kind: k, File: c.file, Span: m.span, Text: m.text()})
		}
	}
	it.Generics = genericList(n)
	it.Sites = append(it.Sites, recursionSites(it, ms, c)...)
	for _, s := range c.sites {
		if s.Kind == External {
			info.sites = append(info.sites, s)
		}
	}
	it.Sites = append(it.Sites, cfgSites(ms, c.file, n)...)
	switch kind {
	case EnumItem:
		info.variants = map[string]bool{}
		for v := range n.All(syntax.FVariant) {
			info.variants[word(v.Get(syntax.FName))] = true
		}
	case MacroItem:
		x.macros[name] = append(x.macros[name], it)
		if verusMacro(name) {
			// Whatever it expands to: what stands in verus!{..} is read as verified, and readers take it for Verus's own.
			it.Sites = append(it.Sites, Site{Kind: External, File: c.file, Span: it.NameSpan, Text: "macro " + name + "! of the tree"})
		}
	}
	if c.impl == nil {
		c.mod.define(name, &def{item: it, private: kind != MacroItem && private(n, c)})
		if n.Kind() == syntax.MacroRules {
			c.mod.textual = append(c.mod.textual, textual{file: c.file, at: n.Span().Start, item: it})
		}
	}
	return ms
}

// private tells an item that only its module sees. What a macro makes of one is not known.
func private(n syntax.Node, c around) bool {
	return c.macro == "" && !n.Get(syntax.FVis).Valid()
}

func genericNames(n syntax.Node, more map[string]bool) map[string]bool {
	g := n.Get(syntax.FGenerics)
	if !g.Valid() {
		return more
	}
	out := map[string]bool{}
	for k := range more {
		out[k] = true
	}
	for p := range g.All(syntax.FParam) {
		name := word(p.Get(syntax.FName))
		out[name] = true
		if p.Kind() == syntax.ConstParam {
			out[constParam+name] = true
		}
	}
	return out
}

// constParam begins the name of a parameter that is a value, among those of all parameters.
const constParam = "const "

func (x *index) trait(n syntax.Node, c around, name string) {
	it := x.newItem(TraitItem, name, n, c)
	x.scopeAttrs(&c, n, it)
	it.Unsafe = hasModifier(n, "unsafe")
	it.terms(n)
	info := x.it[it]
	info.generics = genericNames(n, nil)
	im := &implInfo{node: n, item: it, scope: c.mod, generics: info.generics, traitItem: it, done: true, outer: c.outer, types: map[string]syntax.Node{}}
	info.impl = im
	c.mod.define(name, &def{item: it, private: private(n, c)})
	c.impl, c.holder = im, it
	x.children(n, c)
	info.fns = im.fns
}

func hasModifier(n syntax.Node, w string) bool {
	for m := range n.All(syntax.FModifier) {
		if m.Text() == w {
			return true
		}
	}
	return false
}

func (x *index) impl(n syntax.Node, c around) {
	it := x.newItem(ImplItem, "impl", n, c)
	x.scopeAttrs(&c, n, it)
	it.Negative, it.Unsafe = n.Negative(), hasModifier(n, "unsafe")
	it.terms(n)
	im := &implInfo{node: n, item: it, scope: c.mod, self: n.Get(syntax.FSelfType), trait: n.Get(syntax.FTrait),
		generics: genericNames(n, nil), outer: c.outer, types: map[string]syntax.Node{}}
	x.it[it].impl = im
	x.it[it].generics = im.generics
	if segs, _ := pathOf(im.trait); len(segs) > 0 && it.Unsafe && !it.Negative {
		if last := segs[len(segs)-1]; last == "Send" || last == "Sync" {
			it.Sites = append(it.Sites, Site{Kind: UnsafeAutoTrait, File: c.file, Span: itemHead(n),
				Text: "unsafe impl " + last + " for " + syntax.Canon(im.self)})
		}
	}
	if name := im.traitName(); strings.HasSuffix(name, "SpecImpl") {
		x.specImpls[name] = append(x.specImpls[name], im)
	}
	c.impl, c.holder = im, it
	x.children(n, c)
	x.it[it].fns = im.fns
}

func (x *index) mod(n syntax.Node, c around, name string) {
	parent := c.mod
	m := &module{crate: parent.crate, path: joinPath(parent.prefix(x), name), parent: parent, childDir: path.Join(parent.real().childDir, name)}
	own := c
	own.mod = parent
	it := x.newItem(ModuleItem, name, n, own)
	m.item = it
	ms := x.scopeAttrs(&c, n, it)
	it.Module = parent.real().path
	parent.define(name, &def{mod: m, private: private(n, c)})
	m.declaredIn, m.declaredAt = c.file, n.Span().Start
	if slices.ContainsFunc(ms, func(a meta) bool { return a.is("macro_use") }) {
		parent.textual = append(parent.textual, textual{file: c.file, at: n.Span().Start, mod: m})
	}
	if n.HasBody() {
		m.file = c.file
		c.mod, c.impl, c.holder = m, nil, it
		x.children(n, c)
		return
	}
	x.modItems[c.file.Path] = append(x.modItems[c.file.Path], it)
	x.modAround[m] = &around{verified: c.verified, external: c.external, cfg: c.cfg, sites: c.sites}
	var paths []string
	for _, a := range ms {
		if a.is("path") && len(a.args) != 1 {
			x.problem(c.file.Path, a.span, includedUnseen)
		}
		if a.is("path") && len(a.args) == 1 {
			base := path.Dir(c.file.Path)
			if parent.file == c.file && parent.parent != nil && parent.item != nil && parent.item.Node.Kind() == syntax.Mod && parent.item.Node.HasBody() {
				base = parent.childDir
			}
			p := path.Join(base, unquote(a.args[0].Text()))
			paths = append(paths, p)
			x.beside[p] = true
		}
	}
	named, conditional := len(paths) > 0, false
	for _, a := range ms {
		conditional = conditional || a.is("path") && len(a.cond) > 0
	}
	if len(paths) == 0 || conditional {
		dir := parent.real().childDir
		paths = append(paths, path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs"))
	}
	m.childDir = ""
	// A file that only some platforms have may be missing, but not one that is named.
	if !slices.ContainsFunc(paths, x.has) && (len(it.Cfg) == 0 || named) {
		x.problem(c.file.Path, n.Span(), "the file of this module is not in the tree; it was not looked at")
	}
	for _, p := range paths {
		if x.has(p) {
			m.source = append(m.source, p)
			it.Sources = append(it.Sources, p)
			if x.stubs[p] == nil {
				x.stubs[p] = m
			}
		}
	}
}

// prefix is the path that symbols below the module begin with.
func (m *module) prefix(x *index) string {
	if m.block && m.fn != nil {
		x.name(m.fn)
		return m.fn.Path
	}
	if m.block && m.parent != nil {
		return m.parent.prefix(x)
	}
	return m.path
}

func joinPath(a, b string) string {
	if a == "" {
		return b
	}
	return a + "::" + b
}

// unquote is what a string literal says; what stands between the quotes where that cannot be told.
func unquote(s string) string {
	if v, ok := syntax.Unquote(s); ok {
		return v
	}
	return strings.Trim(s, `"`)
}

// use notes the imports of a tree, below what is known of them already.
func (x *index) use(t syntax.Node, in def, c around) {
	p := t.Get(syntax.FPath)
	d := &def{use: in.use, global: in.global, cfg: in.cfg, private: in.private, in: c.mod}
	if p.Valid() {
		segs, g := pathOf(p)
		d.use = append(slices.Clip(in.use), segs...)
		d.global = in.global || g && len(in.use) == 0
	}
	if t.Glob() {
		if len(d.use) > 0 {
			c.mod.globs = append(c.mod.globs, d)
			x.divergence(d, "use "+strings.Join(d.use, "::")+"::*", t, c)
		}
		return
	}
	group := false
	for sub := range t.All(syntax.FTree) {
		group = true
		x.use(sub, *d, c)
	}
	if group || len(d.use) == 0 || t.HasBody() {
		return
	}
	name := d.use[len(d.use)-1]
	if name == "self" && len(d.use) > 1 {
		d.use = d.use[:len(d.use)-1]
		name = d.use[len(d.use)-1]
	}
	if as := t.Get(syntax.FName); as.Valid() {
		x.importedAs[name] = append(x.importedAs[name], word(as))
		name = word(as)
		if name == "_" {
			name = "_ " + strings.Join(d.use, "::") // a trait brought into scope without a name
		}
	}
	if c.mod.defs == nil {
		c.mod.defs = map[string][]*def{}
	}
	d.name = name
	c.mod.defs[name] = append(c.mod.defs[name], d)
	text := "use " + strings.Join(d.use, "::")
	if name != d.use[len(d.use)-1] {
		text += " as " + name
	}
	x.divergence(d, text, t, c)
}

// eraseMacro reads like verus!, and keeps nothing for the verifier: what stands in it is compiled only.
const eraseMacro = "verus_erase_ghost"

// verusMacro tells the macros whose items are verified, or read like those of verus!.
func verusMacro(name string) bool {
	switch name {
	case "verus", "verus_", "verus_impl", "verus_trait_impl", "exec_spec", "exec_spec_verified", "exec_spec_unverified", "verus_keep_ghost",
		eraseMacro, "struct_with_invariants":
		return true
	}
	return false
}

// impostor notes a call by the name of one of Verus's macros that is an import of another macro: use other::wrap as verus.
func (x *index) impostor(segs []string, n syntax.Node, c around) {
	if c.holder == nil {
		return
	}
	x.later = append(x.later, func() {
		_, global := pathOf(n.Get(syntax.FPath))
		t := x.resolve(c.mod, segs, global, nil, macroSpace)
		is := ""
		switch {
		case t.item != nil && t.item.Kind == MacroItem && !verusMacro(t.item.Name):
			is = t.item.Name
		case len(t.ext) > 0 && !verusMacro(t.ext[len(t.ext)-1]):
			is = strings.Join(t.ext, "::")
		default:
			return
		}
		c.holder.Sites = append(c.holder.Sites, Site{Kind: External, File: c.file, Span: n.Get(syntax.FPath).Span(), Text: strings.Join(segs, "::") + "! is " + is + "!"})
	})
}

func (x *index) macroItem(n syntax.Node, c around) {
	segs, _ := pathOf(n.Get(syntax.FPath))
	if len(segs) == 0 {
		return
	}
	name := segs[len(segs)-1]
	args := n.Get(syntax.FArgs)
	ms := x.attrs(&c, n)
	real := name
	if a := c.alias[name]; a != "" {
		real = a
	}
	if real == "include" {
		if p := includePath(args, c.file.Path); p != "" && x.has(p) {
			x.beside[p] = true
			if x.stubs[p] == nil {
				x.stubs[p] = c.mod
			}
			// What a file includes is part of it.
			x.selected[p] = x.selected[p] || x.selected[c.file.Path]
			if x.mods[p] == nil {
				x.load(p)
			}
			return
		}
		x.notIncluded(c.file, n)
		return
	}
	if args.Kind() == syntax.MacroBody && verusMacro(real) {
		x.impostor(segs, n, c)
		holder := c.holder
		if holder != nil {
			holder.Sites = append(holder.Sites, cfgSites(ms, c.file, n)...)
			if real == "exec_spec_unverified" {
				holder.Sites = append(holder.Sites, Site{Kind: ExternalBody, File: c.file, Span: n.Get(syntax.FPath).Span(), Text: "exec_spec_unverified!"})
			}
		}
		c.verified = real != eraseMacro
		x.scopeInner(&c, args)
		x.children(args, c)
		return
	}
	it := x.newItem(MacroCallItem, name, n, c)
	it.Ghost = stateMachine(real) && !x.declaredHere(real)
	info := x.it[it]
	info.metas = ms
	info.understood = it.Ghost
	it.Sites = append(it.Sites, cfgSites(ms, c.file, n)...)
	c.macro, c.call = name, n
	if verusMacro(real) {
		c.verified = real != eraseMacro
	}
	x.tokenItems(args, it, c)
}

// scopeInner handles inner attributes at the head of verus!{..}: they belong to the module.
func (x *index) scopeInner(c *around, body syntax.Node) {
	if c.holder != nil && body.Get(syntax.FAttr).Valid() {
		x.scopeAttrs(c, body, c.holder)
	}
}

// includePath is the file that include!(..) names with one string; empty: it does so in another way.
func includePath(args syntax.Node, from string) string {
	var found string
	n := 0
	for t := range args.Tokens() {
		switch t.Kind() {
		case syntax.LParen, syntax.RParen, syntax.LBrace, syntax.RBrace, syntax.LBracket, syntax.RBracket, syntax.Comma:
			continue
		case syntax.String:
			found = path.Join(path.Dir(from), unquote(t.Text()))
		}
		n++
	}
	if n != 1 {
		return ""
	}
	return found
}

const includedUnseen = "this takes in code that is not in the tree, or whose file only the compiler can tell; it was not looked at"

// notIncluded notes an include! that cannot be followed.
func (x *index) notIncluded(f *File, call syntax.Node) {
	x.problem(f.Path, call.Span(), includedUnseen)
}

// function makes a Function of a Fn, AssumeSpecification, Const or Static.
func (x *index) function(n syntax.Node, c around) *Function {
	ms := x.attrs(&c, n)
	f := &Function{Crate: c.mod.crate.Crate, File: c.file, Module: c.mod.real().path, Node: n, Span: n.Span(), Mode: modeOf(n), Cfg: c.cfg,
		Outer: c.outer}
	info := &fnInfo{scope: c.mod, inner: c.mod, impl: c.impl, metas: ms, sites: c.sites, alias: c.alias, inMacro: c.macro, call: c.call}
	if c.impl != nil {
		info.generics = genericNames(n, c.impl.generics)
	} else {
		info.generics = genericNames(n, nil)
	}
	nm := n.Get(syntax.FName)
	f.Name = word(nm)
	f.NameSpan = nm.Span()
	body := n.Get(syntax.FBody)
	if !body.Valid() && n.Kind() != syntax.Fn {
		body = n.Get(syntax.FValue)
	}
	f.HasBody = body.Valid()
	f.Public = n.Get(syntax.FVis).Text() == "pub"
	f.Unsafe = hasModifier(n, "unsafe")
	switch {
	case n.Kind() == syntax.AssumeSpecification:
		f.Kind = AssumeSpecFunction
		t := n.Get(syntax.FTarget)
		f.NameSpan = t.Span()
		if segs, _ := pathOf(t); len(segs) > 0 {
			f.Name = segs[len(segs)-1]
		} else {
			f.Name = lastPathWord(t)
		}
	case n.Kind() != syntax.Fn:
		f.Kind = ConstFunction
	case c.macro != "":
		f.Kind = MacroFunction
		if stateMachine(c.macro) && !x.declaredHere(c.macro) {
			// The functions of a state machine are proofs, but for its invariants.
			f.Mode = Proof
			for _, m := range ms {
				if m.is("invariant") {
					f.Mode = Spec
				}
			}
		}
	case c.impl != nil && c.impl.traitItem != nil:
		f.Kind = TraitMethod
	case c.impl != nil && c.impl.trait.Valid():
		f.Kind = TraitImplMethod
	case c.impl != nil:
		f.Kind = InherentMethod
	case c.outer != nil:
		f.Kind = NestedFunction
	default:
		f.Kind = FreeFunction
	}
	trusted := f.Mode == Axiom
	verusAttr := false
	for _, m := range ms {
		switch m.verifier() {
		case "external_fn_specification":
			f.Kind = AssumeSpecFunction
		case "external_body":
			trusted = true
		}
		verusAttr = verusAttr || m.is("verus_spec")
		if m.verifier() == "type_invariant" {
			x.invariants = append(x.invariants, f)
		}
		if isKnob(m) {
			f.Knobs = append(f.Knobs, m.text())
		}
		if keepAttr(m) {
			f.Attrs = append(f.Attrs, m.text())
		}
	}
	if c.macro != "" && (n.Get(syntax.FClause).Valid() || n.Get(syntax.FMode).Valid()) {
		c.verified = true
	}
	f.Verified = c.verified && !c.external || f.Kind == AssumeSpecFunction
	f.BodyVerified = f.Verified && f.HasBody && !trusted && f.Kind != AssumeSpecFunction
	f.publish(n)
	f.info = info
	x.signature(f, n, ms)
	// Bodies hold functions and items of their own.
	info.index = len(x.functions)
	x.functions = append(x.functions, f)
	if c.impl != nil && n.Kind() == syntax.Fn {
		c.impl.fns = append(c.impl.fns, f)
		x.methods[f.Name] = append(x.methods[f.Name], f)
	} else if n.Kind() == syntax.Fn && f.Kind != AssumeSpecFunction {
		c.mod.define(f.Name, &def{fn: f, private: private(n, c)})
	}
	if body.Valid() {
		inner := c
		inner.outer, inner.impl, inner.call = f, nil, syntax.Node{}
		inner.macro = ""
		inner.external = c.external
		info.inner = x.bodyItems(body, inner)
	}
	return f
}

func stateMachine(macro string) bool {
	return macro == "state_machine" || macro == "tokenized_state_machine"
}

func lastPathWord(n syntax.Node) string {
	last := ""
	for s := range n.All(syntax.FSegment) {
		last = tokenWord(s.FirstToken())
	}
	return last
}

func (f *Function) publish(n syntax.Node) {
	p := n.Get(syntax.FPublish)
	f.Publish = PublishNone
	if p.Valid() {
		f.PublishText = joinTokens(tokensOf(p))
		switch {
		case strings.HasPrefix(f.PublishText, "open"):
			f.Publish = Open
		case f.PublishText == "closed":
			f.Publish = Closed
		case f.PublishText == "uninterp":
			f.Publish = Uninterpreted
		}
	}
	if f.Mode == Spec && !f.HasBody && f.Kind != TraitMethod {
		f.Publish = Uninterpreted
	}
}

// bodyItems collects the items inside a body, and returns the scope of its names: the one around it, or one of its own when the
// body has items. Items in nested blocks are seen in the whole body here: a name that two blocks define differently is then two
// variants, which is noticed, never missed.
func (x *index) bodyItems(body syntax.Node, c around) *module {
	var scope *module
	body.Walk(func(n syntax.Node) bool {
		if n.Field() == syntax.FStmt || n.Field() == syntax.FItem {
			switch k := n.Kind(); k {
			case syntax.Fn, syntax.Struct, syntax.Enum, syntax.Union, syntax.Trait, syntax.Impl, syntax.Mod, syntax.Use, syntax.Const, syntax.Static,
				syntax.TypeAlias, syntax.MacroRules, syntax.MacroDef, syntax.ExternCrate, syntax.ExternBlock, syntax.AssumeSpecification:
				if scope == nil {
					scope = &module{crate: c.mod.crate, path: c.mod.path, parent: c.mod, file: c.file, childDir: c.mod.childDir, block: true, fn: c.outer,
						item: c.mod.item}
				}
				in := c
				in.mod = scope
				x.item(n, in)
				return false
			}
		}
		return true
	})
	if scope == nil {
		return c.mod
	}
	return scope
}

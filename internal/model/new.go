package model

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// New indexes a tree. load are the files to read at once, such as those that a change touches: .rs files, and others as far as a
// source includes them. Paths that are not in the tree are left out. Files that cannot be read or parsed are Problems, not errors: an error means that ctx is done.
func New(ctx context.Context, tree Tree, load []string) (*Model, error) {
	m := &Model{}
	x := &index{tree: tree, ctx: ctx, m: m, paths: tree.Paths(), roots: map[string]*crateInfo{}, libs: map[string]*crateInfo{},
		files: map[string]*File{}, mods: map[string]*module{}, stubs: map[string]*module{}, beside: map[string]bool{}, modItems: map[string][]*Item{},
		it: map[*Item]*itemInfo{}, methods: map[string][]*Function{}, macros: map[string][]*Item{}, symbols: map[string]int{},
		asked: map[string]bool{}, specImpls: map[string][]*implInfo{}, modAround: map[*module]*around{}, rereads: map[string]int{}, cache: map[resolved]target{},
		constFns: map[*Item]*Function{}, importedAs: map[string][]string{}, standIns: map[string][]string{}, holders: map[string][]string{}, selected: map[string]bool{}, implemented: map[*Function]implemented{}, counted: map[string][]*Function{}, dispatched: map[*Function]dispatched{}, candidates: map[candidates][]fitting{},
		with: map[*Crate]map[*Crate]bool{}, inWorkspaces: map[string][]string{}}
	m.x = x
	if !slices.IsSorted(x.paths) {
		x.paths = slices.Sorted(slices.Values(x.paths))
	}
	x.discover()
	load = slices.Compact(slices.Sorted(slices.Values(load)))
	for _, p := range load {
		x.selected[p] = x.has(p)
	}
	for _, p := range load {
		switch {
		case !strings.HasSuffix(p, ".rs"):
			x.loadIncluding(p)
		case x.selected[p]:
			x.load(p)
		}
	}
	x.settle()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("index %d files: %w", len(load), err)
	}
	x.publish()
	return m, nil
}

// Extend adds files to those that the model was asked for, and tells whether that changed anything. It is for the time before others
// read the model: its lists are made anew.
func (m *Model) Extend(paths []string) bool {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	changed := false
	for _, p := range paths {
		if (strings.HasSuffix(p, ".rs") || x.stubs[p] != nil || x.roots[p] != nil) && x.has(p) && !x.selected[p] {
			x.selected[p], changed = true, true
			x.load(p)
		}
	}
	if changed {
		x.settle()
		x.publish()
	}
	return changed
}

// settle names and analyses everything that was asked for, and the ghost functions that it leads to.
func (x *index) settle() {
	x.nameAll()
	for {
		for len(x.later) > 0 {
			f := x.later[0]
			x.later = x.later[1:]
			f()
		}
		x.nameAll()
		done := true
		for ; x.settled < len(x.functions); x.settled++ {
			if f := x.functions[x.settled]; x.selected[f.File.Path] {
				x.analyse(f)
				done = false
			}
		}
		for ; x.settledIt < len(x.items); x.settledIt++ {
			if it := x.items[x.settledIt]; x.selected[it.File.Path] {
				x.analyseItem(it)
				done = false
			}
		}
		for len(x.queue) > 0 {
			f := x.queue[0]
			x.queue = x.queue[1:]
			x.analyse(f)
			done = false
		}
		if done && len(x.later) == 0 && x.named == len(x.functions) && x.namedIt == len(x.items) {
			return
		}
		if x.ctx.Err() != nil {
			return
		}
	}
}

// publish fills the Model's public lists.
func (x *index) publish() {
	m := x.m
	// Files may have been asked for after they were reached.
	for i := 0; i < len(x.functions); i++ {
		if f := x.functions[i]; x.selected[f.File.Path] {
			x.analyse(f)
		}
	}
	for i := 0; i < len(x.items); i++ {
		if it := x.items[i]; x.selected[it.File.Path] {
			x.analyseItem(it)
		}
	}
	x.settle()
	m.Crates, m.Files, m.Functions, m.Items = nil, nil, nil, nil
	for _, c := range x.crates {
		m.Crates = append(m.Crates, c.Crate)
	}
	slices.SortFunc(m.Crates, func(a, b *Crate) int { return strings.Compare(a.Root, b.Root) })
	for _, f := range x.files {
		m.Files = append(m.Files, f)
	}
	slices.SortFunc(m.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range x.functions {
		if x.selected[f.File.Path] {
			m.Functions = append(m.Functions, f)
		}
	}
	slices.SortStableFunc(m.Functions, func(a, b *Function) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), a.Span.Start-b.Span.Start)
	})
	for _, it := range x.items {
		if x.selected[it.File.Path] {
			m.Items = append(m.Items, it)
		}
	}
	slices.SortStableFunc(m.Items, func(a, b *Item) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), a.Span.Start-b.Span.Start)
	})
	slices.SortStableFunc(m.Problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Span.Start-b.Span.Start, strings.Compare(a.Text, b.Text))
	})
	m.Problems = slices.Compact(m.Problems)
}

// analyse fills what the body of a function says.
func (x *index) analyse(f *Function) {
	info := f.info
	if info.done {
		return
	}
	info.done = true
	x.name(f)
	x.inherit(f)
	n := f.Node
	a := &analyser{x: x, f: f, self: info.impl, scope: info.scope, file: f.File, alias: info.alias, generics: info.generics, verified: f.Verified}
	// What a macro makes of its input is not known: it may be verified.
	guessed := f.Kind == MacroFunction && !f.Verified
	a.verified = a.verified || guessed
	outer := info.scope
	f.Sites = nil
	for _, s := range info.sites {
		s.Scope = s.item.Symbol
		if s.Kind == External || f.HasBody || f.Verified {
			if !ghostSite(s.Kind, f.Mode) {
				f.Sites = append(f.Sites, s.Site)
			}
		}
	}
	a.head(f, info)
	ghost := f.Mode != Exec
	// Parameters and result.
	for p := range n.Get(syntax.FParams).All(syntax.FParam) {
		a.walk(p.Get(syntax.FType), ghost)
		if p.Kind() == syntax.SelfParam {
			continue
		}
		a.pattern(p.Get(syntax.FPat), p.Get(syntax.FType), syntax.Node{}, ghost)
	}
	a.walk(n.Get(syntax.FGenerics), ghost)
	a.walk(n.Get(syntax.FWhere), ghost)
	a.walk(n.Get(syntax.FType), ghost)
	a.walk(n.Get(syntax.FRet).Get(syntax.FType), ghost)
	a.bindWith(n)
	for _, m := range info.metas {
		if spec := m.node.Get(syntax.FArgs); m.is("verus_spec") && spec.Kind() == syntax.VerusSpec {
			a.bindWith(spec)
		}
	}
	mark := len(a.bound)
	a.pattern(n.Get(syntax.FRet).Get(syntax.FPat), n.Get(syntax.FRet).Get(syntax.FType), syntax.Node{}, true)
	a.inContract = true
	for c := range n.All(syntax.FClause) {
		a.walk(c, true)
	}
	for _, m := range info.metas {
		spec := m.node.Get(syntax.FArgs)
		if !m.is("verus_spec") || spec.Kind() != syntax.VerusSpec {
			continue
		}
		a.pattern(spec.Get(syntax.FPat), n.Get(syntax.FRet).Get(syntax.FType), syntax.Node{}, true)
		for c := range spec.All(syntax.FClause) {
			a.walk(c, true)
		}
	}
	for _, m := range info.metas {
		if m.verifier() == "when_used_as_spec" && len(m.args) > 0 {
			var segs []string
			for _, t := range m.args {
				if isWord(t) {
					segs = append(segs, tokenWord(t))
				}
			}
			if len(segs) == 1 && info.impl != nil {
				info.asSpec = x.resolve(outer, []string{"Self", segs[0]}, false, info.impl, valueSpace).fns
			}
			if info.asSpec == nil {
				info.asSpec = x.resolve(outer, segs, false, info.impl, valueSpace).fns
			}
		}
	}
	a.inContract = false
	a.release(mark)
	body := n.Get(syntax.FBody)
	if !body.Valid() && n.Kind() != syntax.Fn {
		body = n.Get(syntax.FValue)
	}
	a.scope = info.inner
	a.walk(body, ghost)
	f.Body = syntax.Canon(body)
	f.Knobs = append(f.Knobs, a.knobs...)
	if f.Mode == Exec && f.Kind != AssumeSpecFunction {
		f.Exec = x.exec(n)
	}
	f.ExecRefs, f.GhostRefs = refs(a.exec), refs(a.ghost)
	for i := range a.sites {
		a.sites[i].Uncertain = a.sites[i].Uncertain || guessed
	}
	f.Sites = append(f.Sites, a.sites...)
	if call := info.call; call.Valid() && f.Kind == MacroFunction {
		// The macro may write attributes onto the function.
		if segs, g := pathOf(call.Get(syntax.FPath)); len(segs) > 0 {
			if t := x.macroTarget(outer, nil, segs, g, f.File, call.Span().Start); t.item != nil && t.item.Kind == MacroItem {
				b := &analyser{x: x, f: f, scope: outer, file: f.File, alias: info.alias, verified: true}
				b.expansion(t.item, call, false, map[*Item]bool{})
				f.Sites = append(f.Sites, b.sites...)
				for _, s := range b.sites {
					if s.Kind == ExternalBody || s.Kind == AxiomSite || s.Kind == External {
						f.BodyVerified = false
					}
				}
			}
		}
	}
	if slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Kind == ExternalBody && s.Scope != "" }) {
		f.BodyVerified = false
	}
	slices.SortStableFunc(f.Sites, func(a, b Site) int {
		return cmp.Or(a.Span.Start-b.Span.Start, int(a.Kind)-int(b.Kind), strings.Compare(a.Text, b.Text))
	})
	f.Loops, f.UnsafeBlocks = a.loops, a.unsafes
	slices.Sort(a.atomics)
	f.Atomics = a.atomics
	for _, r := range f.ExecRefs {
		if isAtomic(r.To) {
			f.Atomics = append(f.Atomics, r.To)
		}
	}
	f.Unknown = append(f.Unknown, a.unknown...)
	f.Calls = a.calls
	slices.SortStableFunc(f.Calls, func(a, b Call) int { return a.Span.Start - b.Span.Start })
	info.contractUses, info.bodyUses = unique(a.contract), unique(a.body)
	// What the function's meaning or proof rests on is needed too.
	for _, c := range f.Calls {
		for _, g := range c.Callees {
			if g.Mode != Exec || g.info.impl != nil && g.Kind == TraitMethod {
				x.need(g)
			}
		}
	}
	for _, g := range info.contractUses {
		x.need(g)
	}
	for _, g := range info.asSpec {
		x.need(g)
	}
	if f.Mode == Spec {
		for _, g := range info.bodyUses {
			x.need(g)
		}
	}
	if f.TraitMethod != nil {
		x.need(f.TraitMethod)
	}
}

func (x *index) need(f *Function) {
	if !f.info.done && !f.info.queued {
		f.info.queued = true
		x.queue = append(x.queue, f)
	}
}

// ghostSite tells sites of a scope that mean nothing for a function of a mode.
func ghostSite(k SiteKind, m Mode) bool {
	return m != Exec && (k == NoDecreases || k == AssumeTermination || k == UndeclaredExternals)
}

func unique(fs []*Function) []*Function {
	seen := map[*Function]bool{}
	out := fs[:0]
	for _, f := range fs {
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

func refs(m map[string]Ref) []Ref {
	out := make([]Ref, 0, len(m))
	for _, r := range m {
		out = append(out, r)
	}
	sortRefs(out)
	return out
}

func sortRefs(l []Ref) {
	slices.SortFunc(l, func(a, b Ref) int {
		m := 0
		if a.Macro != b.Macro {
			m = 1
			if b.Macro {
				m = -1
			}
		}
		return cmp.Or(strings.Compare(a.Written, b.Written), strings.Compare(a.To, b.To), m)
	})
}

// head adds the sites that stand at the function itself: attributes, axioms, missing bodies.
func (a *analyser) head(f *Function, info *fnInfo) {
	axiom := false
	var external []Site
	for _, m := range info.metas {
		k := attributeSite(m, f.Node.Kind(), f.Mode)
		if k == 0 {
			continue
		}
		s := Site{Kind: k, File: f.File, Span: m.span, Text: m.text()}
		switch k {
		case AxiomSite:
			axiom = true
			s.Text = "external_body proof fn"
			if f.Mode == Axiom {
				continue
			}
		case External:
			external = append(external, s)
			continue
		}
		a.sites = append(a.sites, s)
	}
	a.sites = append(a.sites, external...)
	switch {
	case f.Mode == Axiom:
		a.site(Site{Kind: AxiomSite, Span: f.NameSpan, Text: "axiom fn"})
	case f.Mode == Proof && !f.HasBody && f.Kind != TraitMethod && !axiom:
		a.site(Site{Kind: AxiomSite, Span: f.NameSpan, Text: "proof fn without body"})
	case f.Mode == Spec && f.Publish == Uninterpreted && f.Kind != TraitMethod && !hasSite(a.sites, Uninterp):
		a.site(Site{Kind: Uninterp, Span: f.NameSpan, Text: "uninterp spec fn"})
	case f.Kind == AssumeSpecFunction && !hasSite(a.sites, AssumeSpecification):
		a.site(Site{Kind: AssumeSpecification, Span: f.NameSpan, Text: "assume_specification[" + f.Target + "]"})
	}
	for i := range a.sites {
		if a.sites[i].Kind == AssumeSpecification {
			a.sites[i].Of = info.of
		}
	}
	a.sites = append(a.sites, cfgSites(info.metas, f.File, f.Node)...)
}

func hasSite(l []Site, k SiteKind) bool {
	return slices.ContainsFunc(l, func(s Site) bool { return s.Kind == k })
}

// analyseItem fills what an item that is no function says.
func (x *index) analyseItem(it *Item) {
	x.nameItem(it)
	info := x.it[it]
	if it.Kind == MacroItem {
		x.analyseMacro(it)
	}
	if info.filled {
		return
	}
	info.filled = true
	n := it.Node
	for _, s := range info.sites {
		if s.item != it && s.Kind == External && it.Kind != ImplItem && it.Kind != ModuleItem && it.Kind != CrateItem {
			s.Scope = s.item.Symbol
			it.Sites = append(it.Sites, s.Site)
		}
	}
	a := &analyser{x: x, scope: info.scope, file: it.File, alias: info.alias, generics: info.generics, verified: it.Verified, self: info.impl}
	switch it.Kind {
	case StructItem, EnumItem, UnionItem, TypeAliasItem, ConstItem, StaticItem:
		if fn := x.constFns[it]; fn == nil || it.Kind == StructItem {
			for c := range n.Children() {
				if c.Kind() != syntax.Attr {
					a.walk(c, it.Ghost)
				}
			}
			it.Sites = append(it.Sites, a.sites...)
		} else {
			a.walk(n.Get(syntax.FType), it.Ghost)
			a.walk(n.Get(syntax.FValue), it.Ghost)
		}
		it.Text = syntax.Canon(n)
		if !it.Ghost {
			it.Exec = x.exec(n)
		}
	case MacroItem:
		it.Text = syntax.Canon(n)
		it.Exec = joinTokens(withoutVerifier(tokensOf(n)))
	case ImplItem, TraitItem:
		for _, f := range []syntax.Field{syntax.FGenerics, syntax.FTrait, syntax.FSelfType, syntax.FBounds, syntax.FWhere} {
			a.walk(n.Get(f), false)
		}
		it.Text = header(n)
		it.Exec = it.Text
		for c := range n.All(syntax.FItem) {
			switch c.Kind() {
			case syntax.Const, syntax.TypeAlias:
				a.walk(c.Get(syntax.FType), false)
				a.walk(c.Get(syntax.FValue), false)
				if m := modeOf(c); m == Exec {
					it.Exec += " " + x.exec(c)
				}
				it.Text += " " + syntax.Canon(c)
			}
		}
	case MacroCallItem:
		a.tokens(tokensOf(n.Get(syntax.FArgs)), false, false)
		it.Text = syntax.Canon(n)
		if !info.understood {
			it.Exec = joinTokens(withoutVerifier(tokensOf(n)))
			a.expand(n)
			x.expandSites(it)
		} else {
			a.exec = nil
		}
	case ExternItem:
		it.Text = syntax.Canon(n)
		it.Exec = it.Text
	case GlobalItem, BroadcastItem:
		it.Text = syntax.Canon(n)
	}
	if it.Kind != MacroItem {
		it.ExecRefs, it.GhostRefs = refs(a.exec), refs(a.ghost)
	}
	for _, r := range it.ExecRefs {
		if isAtomic(r.To) {
			it.Atomics = append(it.Atomics, r.To)
		}
	}
	a.described(it)
	it.Unknown = append(it.Unknown, a.unknown...)
	slices.SortStableFunc(it.Sites, func(a, b Site) int { return cmp.Or(a.Span.Start-b.Span.Start, int(a.Kind)-int(b.Kind)) })
}

// expand notes the macro that an item-level call uses.
func (a *analyser) expand(n syntax.Node) {
	if segs, g := pathOf(n.Get(syntax.FPath)); len(segs) > 0 {
		t := a.x.macroTarget(a.scope, a.self, segs, g, a.file, n.Span().Start)
		a.ref(segs, t, false, true)
	}
}

// expandSites adds what a macro believes to an item-level call of it, or to the type that the call names.
func (x *index) expandSites(it *Item) {
	info := x.it[it]
	segs, g := pathOf(it.Node.Get(syntax.FPath))
	if len(segs) == 0 || info.understood {
		return
	}
	t := x.macroTarget(info.scope, nil, segs, g, it.File, it.Span.Start)
	if t.item == nil || t.item.Kind != MacroItem {
		return
	}
	a := &analyser{x: x, scope: info.scope, file: it.File, alias: info.alias, verified: true}
	a.expansion(t.item, it.Node, false, map[*Item]bool{})
	for _, s := range a.sites {
		if s.Kind != UnsafeAutoTrait {
			it.Sites = append(it.Sites, s)
			continue
		}
		to := it
		for tok := range it.Node.Get(syntax.FArgs).Tokens() {
			if !isWord(tok) {
				continue
			}
			named := x.resolve(info.scope, []string{tokenWord(tok)}, false, nil, typeSpace)
			if named.item != nil && (named.item.Kind == StructItem || named.item.Kind == EnumItem || named.item.Kind == UnionItem) {
				to = named.item
				break
			}
		}
		to.Sites = append(to.Sites, s)
	}
}

// wrapsGhost tells a macro_rules whose every arm is nothing but calls of macros that hold proofs.
func (x *index) wrapsGhost(toks []syntax.Token) bool {
	arms := 0
	for i := 0; i < len(toks); i++ {
		if toks[i].Kind() != syntax.FatArrow || i+1 >= len(toks) || !isOpen(toks[i+1].Kind()) {
			continue
		}
		end := closing(toks, i+1)
		body := toks[i+2 : min(end, len(toks))]
		for j := 0; j < len(body); {
			if j+2 >= len(body) || !isWord(body[j]) || !x.ghostlyMacro(tokenWord(body[j])) || body[j+1].Kind() != syntax.Bang || !isOpen(body[j+2].Kind()) {
				return false
			}
			j = closing(body, j+2) + 1
			if j < len(body) && body[j].Kind() == syntax.Semi {
				j++
			}
		}
		if len(body) == 0 {
			return false
		}
		arms++
		i = end
	}
	return arms > 0
}

// header is an impl or trait without its items.
func header(n syntax.Node) string {
	var parts []string
	for c := range n.Children() {
		switch c.Field() {
		case syntax.FItem, syntax.FAttr:
		default:
			parts = append(parts, syntax.Canon(c))
		}
	}
	if n.Negative() {
		parts = append(parts, "!")
	}
	return strings.Join(parts, " ")
}

// loadIncluding reads the sources that make a file a part of them by include! or #[path], whatever its name ends in, and the file
// itself where it is a module or the root of a crate. p need not be in the tree: it may be on the other side only.
func (x *index) loadIncluding(p string) {
	x.scanFileNames()
	for _, c := range x.fileNames[path.Base(p)] {
		x.selected[c] = true
		x.load(c)
	}
	if x.has(p) && (x.stubs[p] != nil || x.roots[p] != nil) {
		x.load(p)
	}
}

// scanFileNames notes which sources may name which other files: every string of a source that has an include or a path.
func (x *index) scanFileNames() {
	if x.fileNames != nil {
		return
	}
	x.fileNames = map[string][]string{}
	for _, p := range x.tree.Mentions("include", "path") {
		text, err := x.tree.Read(p)
		if err != nil {
			continue // Mentions has read it
		}
		for i := 0; i < len(text); i++ {
			if text[i] != '"' {
				continue
			}
			// Every quote may begin a string: what is none names no file.
			const longest = 300
			end := bytes.IndexAny(text[i+1:min(i+1+longest, len(text))], "\"\n")
			if end < 0 || text[i+1+end] == '\n' {
				continue
			}
			name := path.Base(unquote(string(text[i : i+end+2])))
			if l := x.fileNames[name]; len(l) == 0 || l[len(l)-1] != p {
				x.fileNames[name] = append(l, p)
			}
		}
	}
}

// typesOf are the types of the tree in the signature of a function: their type invariants are part of its contract.
func (x *index) typesOf(f *Function) []*Item {
	info := f.info
	if info.typed {
		return info.types
	}
	info.typed = true
	a := &analyser{x: x, self: info.impl, scope: info.scope, generics: info.generics}
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		a.signatureType(info, p.Get(syntax.FType))
	}
	a.signatureType(info, f.Node.Get(syntax.FRet).Get(syntax.FType))
	if info.impl != nil && info.impl.traitItem == nil {
		if it := x.selfItem(info.impl); it != nil && !slices.Contains(info.types, it) {
			info.types = append(info.types, it)
		}
	}
	return info.types
}

func (a *analyser) signatureType(info *fnInfo, t syntax.Node) {
	t.Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Path {
			if it, _, _ := a.typeNode(n, a.scope, a.self, a.generics); it != nil && !slices.Contains(info.types, it) {
				info.types = append(info.types, it)
			}
		}
		return true
	})
}

// withoutVerifier drops attributes that only the verifier reads.
func withoutVerifier(toks []syntax.Token) []syntax.Token {
	var out []syntax.Token
	for i := 0; i < len(toks); i++ {
		if toks[i].Kind() == syntax.Hash && i+1 < len(toks) {
			j := i + 1
			if toks[j].Kind() == syntax.Bang && j+1 < len(toks) {
				j++
			}
			if toks[j].Kind() == syntax.LBracket {
				end := closing(toks, j)
				ghost := true
				for _, m := range flatten(nil, toks[j+1:min(end, len(toks))], nil, syntax.Node{}, nil, 0) {
					switch m.path[0] {
					case "verifier", "verus", "verus_spec", "verus_verify", "cfg_attr":
					default:
						ghost = false
					}
				}
				if ghost {
					i = end
					continue
				}
			}
		}
		out = append(out, toks[i])
	}
	return out
}

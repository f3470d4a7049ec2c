package model

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// macro handles a macro call in code.
func (a *analyser) macro(n syntax.Node, ghost bool) {
	segs, global := pathOf(n.Get(syntax.FPath))
	args := n.Get(syntax.FArgs)
	if len(segs) == 0 {
		a.walk(args, ghost)
		return
	}
	name := segs[len(segs)-1]
	if as := a.alias[name]; as != "" {
		name = as
	}
	t := a.x.macroTarget(a.scope, a.self, segs, global, a.file, n.Span().Start)
	own := t.item != nil && t.item.Kind == MacroItem
	if own {
		a.x.analyseMacro(t.item)
		ghost = ghost || t.item.Ghost
		a.ref(segs, t, ghost, true)
		a.inBody = true
		a.expansion(t.item, n, ghost, map[*Item]bool{})
		a.inBody = false
	} else if t.symbol != "" && t.symbol[0] != '?' || len(segs) > 1 {
		a.ref(segs, t, ghost, true)
	} else if syntax.StandardMacro(name) {
		// Where a macro of the tree takes the name, the same text runs other code.
		a.note(Ref{Written: name, To: "std::" + name, Macro: true}, ghost)
	}
	if name == "cfg" && !ghost && (a.verified || mentionsGhostCfg(tokensOf(args))) {
		a.site(Site{Kind: CfgDivergence, Span: n.Span(), Text: "cfg!" + joinTokens(tokensOf(args))})
	}
	if name == "include" && !own {
		a.include(args, n, ghost)
		return
	}
	if args.Kind() == syntax.MacroBody && !own {
		if a.x.ghostlyMacro(name) {
			ghost = true
		}
		mark := len(a.bound)
		if name == "atomic_with_ghost" {
			if !ghost {
				a.atomics = append(a.atomics, syntax.Canon(n.Get(syntax.FPath)))
			}
			for c := range args.Children() {
				switch c.Field() {
				case syntax.FPat:
					a.pattern(c, syntax.Node{}, syntax.Node{}, true)
				case syntax.FBody:
					a.walk(c, true)
				default:
					a.walk(c, ghost)
				}
			}
		} else {
			if strings.HasPrefix(name, "open_") {
				// inv => perm => { .. }: the name is read as an expression, and binds.
				for c := range args.All(syntax.FExpr) {
					if s, _ := pathOf(c); len(s) == 1 && c.Kind() == syntax.Path {
						if _, ok := a.local(s[0]); !ok {
							a.bind(s[0], syntax.Node{}, syntax.Node{})
						}
					}
				}
			}
			a.walk(args, ghost)
		}
		if name != "proof_decl" {
			a.release(mark)
		}
		return
	}
	a.macros = append(a.macros, strings.Join(segs, "::"))
	if a.x.ghostlyMacro(name) {
		ghost = true
	}
	if quotes(name) {
		// Code that makes code: what it makes may be verified although this function is not.
		outer := a.verified
		a.verified = true
		defer func() { a.verified = outer }()
	}
	if args.Kind() == syntax.MacroBody { // a macro of the tree that has the name of one of Verus's
		a.walk(args, ghost)
		return
	}
	a.tokens(tokensOf(args), ghost, false)
}

func quotes(name string) bool {
	return strings.HasPrefix(name, "quote") || strings.HasPrefix(name, "parse_quote")
}

// expansion adds the sites of a macro's definition, and of the macros that it uses, to the function that calls it.
func (a *analyser) expansion(it *Item, call syntax.Node, ghost bool, seen map[*Item]bool) {
	if seen[it] {
		return
	}
	seen[it] = true
	a.x.nameItem(it)
	a.x.analyseMacro(it)
	for _, s := range it.Sites {
		if s.Kind == CfgDivergence && ghost {
			continue
		}
		if !a.verified && !ghost && s.Uncertain {
			continue
		}
		s.Scope, s.Macro, s.Span, s.File = it.Symbol, it.Name, call.Span(), a.file
		// What it is given, where code is given to it, is what is believed.
		if a.inBody && strings.Contains(s.Text, "$") {
			s.Text += " given " + joinTokens(tokensOf(call.Get(syntax.FArgs)))
		}
		if p := call.Get(syntax.FPath); p.Valid() {
			s.Span = p.Span()
		}
		a.sites = append(a.sites, s)
	}
	info := a.x.it[it]
	for _, f := range info.names {
		a.uses(f)
	}
	if ghost {
		// What a method is called on is the caller's.
		for _, name := range info.dotted {
			a.called(name)
		}
	}
	for _, name := range info.uses {
		if t := a.x.resolve(info.scope, strings.Split(name, "::"), false, nil, macroSpace); t.item != nil && t.item.Kind == MacroItem {
			a.expansion(t.item, call, ghost, seen)
		}
	}
}

// analyseMacro searches the definition of a macro.
func (x *index) analyseMacro(it *Item) {
	info := x.it[it]
	if info.done {
		return
	}
	info.done = true
	a := &analyser{x: x, scope: info.scope, file: it.File, alias: info.alias, verified: true}
	if it.Kind == MacroItem {
		args := it.Node.Get(syntax.FArgs)
		if it.Node.Kind() == syntax.MacroDef {
			args = it.Node.Get(syntax.FBody)
		}
		toks := tokensOf(args)
		if len(toks) > 2 {
			it.Ghost = x.wrapsGhost(toks[1 : len(toks)-1])
		}
		a.tokens(toks, true, false)
		for i := range a.sites {
			a.sites[i].Macro = it.Name
			a.sites[i].Uncertain = false
		}
		it.Sites = append(it.Sites, a.sites...)
		slices.Sort(a.macros)
		info.uses = slices.Compact(a.macros)
		info.names = append(a.contract, a.body...)
		slices.Sort(a.dotted)
		info.dotted = slices.Compact(a.dotted)
		for _, r := range a.ghost {
			if r.To[0] != '?' {
				it.ExecRefs = append(it.ExecRefs, r)
			}
		}
		sortRefs(it.ExecRefs)
	}
}

// tokens searches code that is not understood, by token: calls of what believes something, attributes, conditions, names.
// unread says that the parser failed there.
func (a *analyser) tokens(toks []syntax.Token, ghost, unread bool) {
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.Kind() == syntax.Hash:
			i = a.tokenAttr(toks, i)
		case isWord(t):
			i = a.tokenPath(toks, i, ghost, unread)
		}
	}
	if a.verified && !unread {
		a.pieces(toks)
	}
}

// tokenAttr reads `#[..]` at i and returns the index of its last token.
func (a *analyser) tokenAttr(toks []syntax.Token, i int) int {
	j := i + 1
	if j < len(toks) && toks[j].Kind() == syntax.Bang {
		j++
	}
	if j >= len(toks) || toks[j].Kind() != syntax.LBracket {
		return i
	}
	end := closing(toks, j)
	mode := tokenMode(toks, end+1)
	kind := syntax.Fn
	if w := itemWord(toks, end+1); w == "struct" || w == "enum" || w == "union" {
		kind = syntax.Struct
	} else if w == "trait" {
		kind = syntax.Trait
	} else if w == "use" {
		kind = syntax.Use
	}
	for _, m := range flatten(nil, toks[j+1:end], nil, syntax.Node{}, a.alias, 0) {
		if k := attributeSite(m, kind, mode); k != 0 {
			a.site(Site{Kind: k, Span: m.span, Text: m.text(), Uncertain: true})
		}
		if m.is("cfg") && mentionsGhostCfg(m.args) && kind != syntax.Use && mode == Exec {
			a.site(Site{Kind: CfgDivergence, Span: m.span, Text: "cfg(" + joinTokens(m.args) + ")", Uncertain: true})
		}
	}
	return min(end, len(toks)-1)
}

// tokenMode is the mode of the function whose head begins at i.
func tokenMode(toks []syntax.Token, i int) Mode {
	for n := 0; i < len(toks) && n < 40; i, n = i+1, n+1 {
		switch toks[i].Text() {
		case "fn":
			return Exec
		case "spec":
			return Spec
		case "proof":
			return Proof
		case "axiom":
			return Axiom
		case "#":
			if i+1 < len(toks) && toks[i+1].Kind() == syntax.LBracket {
				i = closing(toks, i+1)
			}
		case "{":
			if i > 0 && toks[i-1].Kind() == syntax.Bang {
				continue // verus! { ..
			}
			return Exec
		case ";", "}":
			return Exec
		}
	}
	return Exec
}

// itemWord is the keyword of the item whose head begins at i.
func itemWord(toks []syntax.Token, i int) string {
	for n := 0; i < len(toks) && n < 40; i, n = i+1, n+1 {
		switch s := toks[i].Text(); s {
		case "fn", "struct", "enum", "union", "trait", "impl", "mod", "use", "const", "static", "type":
			return s
		case "#":
			if i+1 < len(toks) && toks[i+1].Kind() == syntax.LBracket {
				i = closing(toks, i+1)
			}
		case "{", ";", "}", "=":
			return ""
		}
	}
	return ""
}

// tokenPath reads the path that begins at i and returns the index of its last token.
func (a *analyser) tokenPath(toks []syntax.Token, i int, ghost, unread bool) int {
	if i > 0 && toks[i-1].Kind() == syntax.Dot {
		if name := tokenWord(toks[i]); name == "assume_new" || name == "assume_new_fallback" {
			a.site(Site{Kind: Fabricated, Span: toks[i].Span(), Text: "." + name, Uncertain: true})
		}
		if callsMethod(toks, i) {
			switch name := tokenWord(toks[i]); {
			case a.f == nil:
				a.dotted = append(a.dotted, name)
			case ghost:
				a.called(name)
			}
		}
		return i
	}
	start := i
	global := i > 0 && toks[i-1].Kind() == syntax.ColonColon
	segs := []string{tokenWord(toks[i])}
	for i+2 < len(toks) && toks[i+1].Kind() == syntax.ColonColon {
		if isWord(toks[i+2]) {
			segs = append(segs, tokenWord(toks[i+2]))
			i += 2
			continue
		}
		// Tracked::<T>::assume_new: past the generic arguments.
		if toks[i+2].Kind() == syntax.Lt {
			if j := angles(toks, i+2); j+2 < len(toks) && toks[j+1].Kind() == syntax.ColonColon && isWord(toks[j+2]) {
				segs = append(segs, tokenWord(toks[j+2]))
				i = j + 2
				continue
			}
		}
		break
	}
	next := func(n int) syntax.TokenKind {
		if i+n < len(toks) {
			return toks[i+n].Kind()
		}
		return 0
	}
	prev := ""
	if start > 0 {
		prev = toks[start-1].Text()
	}
	last := segs[len(segs)-1]
	span := source.Span{Start: toks[start].Span().Start, End: toks[i].Span().End}
	if len(segs) == 1 {
		switch {
		case last == "axiom" && next(1) == syntax.KwFn:
			a.site(Site{Kind: AxiomSite, Span: span, Text: "axiom fn", Uncertain: true})
			return i
		case (last == "Send" || last == "Sync") && prev == "impl" && start > 1 && toks[start-2].Kind() == syntax.KwUnsafe && next(1) == syntax.KwFor:
			end := i + 2
			for end < len(toks) && toks[end].Kind() != syntax.LBrace && toks[end].Kind() != syntax.KwWhere {
				end++
			}
			a.site(Site{Kind: UnsafeAutoTrait, Span: span, Text: "unsafe impl " + last + " for " + joinTokens(toks[i+2:end])})
			return i
		case last == "assume_specification" && (next(1) == syntax.LBracket || next(1) == syntax.Lt):
			a.site(Site{Kind: AssumeSpecification, Span: span, Text: "assume_specification", Uncertain: true})
			return i
		}
	}
	switch {
	case prev == "fn" || prev == "$" && segs[0] != "crate" || prev == "mod" || prev == "struct" || prev == "let" || prev == "use":
		return i
	case next(1) == syntax.Bang && (next(2) == syntax.LParen || next(2) == syntax.LBrace || next(2) == syntax.LBracket):
		a.macros = append(a.macros, strings.Join(segs, "::"))
		if last == "include" && !unread {
			a.x.problem(a.file.Path, source.Span{Start: span.Start, End: toks[min(closing(toks, i+2), len(toks)-1)].Span().End}, includedUnseen)
		}
		if last == "cfg" {
			if args := toks[i+2 : min(closing(toks, i+2)+1, len(toks))]; mentionsGhostCfg(args) {
				a.site(Site{Kind: CfgDivergence, Span: span, Text: "cfg!" + joinTokens(args), Uncertain: true})
			}
		}
		if t := a.x.macroTarget(a.scope, a.self, segs, false, a.file, span.Start); t.item != nil && t.item.Kind == MacroItem {
			a.ref(segs, t, ghost, true)
			if a.f != nil {
				a.expansionAt(t.item, span, ghost)
			}
		}
		return i
	}
	called := next(1) == syntax.LParen
	if !called && isKeyword(toks[start]) && len(segs) == 1 {
		return i
	}
	if len(segs) == 1 && !called {
		if _, ok := a.local(segs[0]); ok || len(segs[0]) == 0 {
			return i
		}
	}
	t := a.resolve(segs, global, valueSpace)
	if t.symbol == "" {
		return i
	}
	if t.symbol[0] == '?' && !called {
		if typ := a.resolve(segs, global, typeSpace); typ.item != nil && typ.item.Kind == StructItem { // with named fields
			t = typ
		}
	}
	if called {
		kind, name, uncertain := trustedCall(segs, t)
		if kind != 0 && (a.verified || t.ext != nil && !uncertain) {
			end := min(closing(toks, i+1), len(toks)-1)
			a.site(Site{Kind: kind, Span: source.Span{Start: span.Start, End: toks[end].Span().End},
				Text: name + "(" + joinTokens(toks[i+2:max(end, i+2)]) + ")", Uncertain: uncertain || unread && t.ext == nil})
		}
	} else if kind, name, uncertain := trustedCall(segs, t); kind != 0 && (t.ext != nil && !uncertain || a.verified && alone(toks, start, i)) {
		a.site(Site{Kind: kind, Span: span, Text: name, Uncertain: unread || t.ext == nil})
	}
	if t.symbol[0] != '?' && !a.generic(segs, valueSpace) {
		a.ref(segs, t, ghost, false)
		if called && len(t.fns) > 0 {
			a.calls = append(a.calls, Call{To: t.symbol, Callees: t.fns, Ghost: ghost || t.fns[0].Mode != Exec, Span: span})
		}
		a.use(t)
	}
	return i
}

// callsMethod tells a name behind a dot that is called, `.name(` or `.name::<T>(`.
func callsMethod(toks []syntax.Token, i int) bool {
	next := i + 1
	if next+1 < len(toks) && toks[next].Kind() == syntax.ColonColon && toks[next+1].Kind() == syntax.Lt {
		next = angles(toks, next+1) + 1
	}
	return next < len(toks) && toks[next].Kind() == syntax.LParen
}

// alone tells a path that is a whole argument of a macro, which may call it.
func alone(toks []syntax.Token, start, end int) bool {
	return start > 0 && (isOpen(toks[start-1].Kind()) || toks[start-1].Kind() == syntax.Comma) &&
		end+1 < len(toks) && (isClose(toks[end+1].Kind()) || toks[end+1].Kind() == syntax.Comma)
}

// isKeyword tells a word that is no name where it stands alone.
func isKeyword(t syntax.Token) bool {
	k := t.Kind()
	return k >= syntax.KwAs && k < syntax.KwAuto
}

// angles is the index of the `>` that closes the `<` at i, or len(toks).
func angles(toks []syntax.Token, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i].Kind() {
		case syntax.Lt:
			depth++
		case syntax.Gt:
			depth--
		case syntax.Shr:
			depth -= 2
		case syntax.Semi, syntax.LBrace, syntax.RBrace:
			return len(toks)
		}
		if depth <= 0 {
			return i
		}
	}
	return len(toks)
}

func (a *analyser) expansionAt(it *Item, span source.Span, ghost bool) {
	before := len(a.sites)
	a.expansion(it, syntax.Node{}, ghost, map[*Item]bool{})
	for i := before; i < len(a.sites); i++ {
		a.sites[i].Span = span
	}
}

// tokenItems finds the functions in the input of a macro that is not understood: by reading it as items, or where it is none, by
// reading its functions one by one.
func (x *index) tokenItems(args syntax.Node, it *Item, c around) {
	toks := tokensOf(args)
	info := x.it[it]
	info.scope = c.mod
	if len(toks) < 2 {
		return
	}
	var covered []source.Span
	if hasFn(toks) {
		inside := source.Span{Start: toks[0].Span().End, End: toks[len(toks)-1].Span().Start}
		tree, whole := x.readSpans(c.file, []source.Span{inside}, true)
		if whole {
			covered = []source.Span{inside}
			info.understood = true
		} else {
			covered = functionSpans(toks[1 : len(toks)-1])
			tree, _ = x.readSpans(c.file, covered, false)
		}
		if tree == nil {
			it.Unknown = append(it.Unknown, args.Span())
			covered = nil
		} else {
			if !whole {
				// What is around the functions (impl, mod) is lost.
				for i := range tree.Root().All(syntax.FItem) {
					if i.Kind() == syntax.Unknown {
						it.Unknown = append(it.Unknown, i.Span())
						covered = slices.DeleteFunc(covered, func(s source.Span) bool { return s.Start <= i.Span().Start && i.Span().Start < s.End })
					}
				}
			}
			for i := range tree.Root().All(syntax.FItem) {
				if i.Kind() != syntax.Unknown {
					x.item(i, c)
				}
			}
		}
	}
	rest := toks[:0:0]
	for _, t := range toks {
		if !slices.ContainsFunc(covered, func(s source.Span) bool { return s.Start <= t.Span().Start && t.Span().Start < s.End }) {
			rest = append(rest, t)
		}
	}
	x.later = append(x.later, func() {
		a := &analyser{x: x, scope: c.mod, file: c.file, alias: c.alias, verified: true}
		a.tokens(rest, true, false)
		for i := range a.sites {
			a.sites[i].Macro = it.Name
		}
		it.Sites = append(it.Sites, a.sites...)
	})
}

func hasFn(toks []syntax.Token) bool {
	for i, t := range toks {
		if t.Kind() == syntax.KwFn && i+1 < len(toks) && isWord(toks[i+1]) {
			return true
		}
	}
	return false
}

// readSpans parses parts of a file as items; everything else is blank. With strict, an error in it gives false.
func (x *index) readSpans(f *File, spans []source.Span, strict bool) (*syntax.File, bool) {
	if len(spans) == 0 {
		return nil, false
	}
	src := f.Syntax.Source.Text
	text := blank(src[:spans[len(spans)-1].End])
	for _, s := range spans {
		copy(text[s.Start:s.End], src[s.Start:s.End])
	}
	tree := x.rereadText(f, text)
	if tree == nil {
		return nil, false
	}
	if strict {
		if len(tree.Errors) > 0 {
			return nil, false
		}
		for i := range tree.Root().All(syntax.FItem) {
			if i.Kind() == syntax.Unknown || i.Kind() == syntax.MacroCall && i.Get(syntax.FArgs).Kind() == syntax.TokenTree {
				return nil, false
			}
		}
	}
	return tree, true
}

// functionSpans are the places of functions among tokens: attributes, qualifiers, head and body.
func functionSpans(toks []syntax.Token) []source.Span {
	var out []source.Span
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].Kind() != syntax.KwFn || !isWord(toks[i+1]) {
			continue
		}
		start := qualifiers(toks, i)
		end := -1
		for j := i + 2; j < len(toks) && end < 0; j++ {
			switch toks[j].Kind() {
			case syntax.LParen, syntax.LBracket:
				j = closing(toks, j)
			case syntax.LBrace:
				j = closing(toks, j)
				if j+1 >= len(toks) || toks[j+1].Kind() != syntax.Comma {
					end = min(j, len(toks)-1)
				}
			case syntax.Semi:
				end = j
			case syntax.RBrace, syntax.RParen, syntax.RBracket:
				j = len(toks)
			}
		}
		if end < 0 {
			continue
		}
		out = append(out, source.Span{Start: toks[start].Span().Start, End: toks[end].Span().End})
		i = end
	}
	return out
}

// qualifiers goes back from `fn` to where its attributes and qualifiers begin.
func qualifiers(toks []syntax.Token, i int) int {
	for i > 0 {
		switch t := toks[i-1]; t.Kind() {
		case syntax.KwPub, syntax.KwConst, syntax.KwUnsafe, syntax.KwAsync, syntax.KwExtern, syntax.KwOpen, syntax.KwClosed, syntax.KwUninterp,
			syntax.KwSpec, syntax.KwProof, syntax.KwAxiom, syntax.KwExec, syntax.KwBroadcast, syntax.KwTracked, syntax.String:
			i--
			continue
		case syntax.RParen, syntax.RBracket:
			depth, j := 0, i-1
			for ; j >= 0; j-- {
				if isClose(toks[j].Kind()) {
					depth++
				} else if isOpen(toks[j].Kind()) {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if j > 0 {
				k := toks[j-1].Kind()
				if t.Kind() == syntax.RParen && (k == syntax.KwPub || k == syntax.KwOpen || k == syntax.KwSpec) {
					i = j - 1
					continue
				}
				if t.Kind() == syntax.RBracket && k == syntax.Hash {
					i = j - 1
					continue
				}
			}
		}
		return i
	}
	return i
}

// unknownItem searches what the parser could not read. Functions in it cannot be told from each other: its sites belong to the module.
func (x *index) unknownItem(n syntax.Node, c around) {
	holder := c.holder
	x.later = append(x.later, func() {
		a := &analyser{x: x, scope: c.mod, file: c.file, alias: c.alias, verified: true}
		a.tokens(tokensOf(n), true, true)
		for i := range a.sites {
			a.sites[i].Uncertain = true
		}
		if holder != nil {
			holder.Sites = append(holder.Sites, a.sites...)
			holder.Unknown = append(holder.Unknown, n.Span())
		}
	})
}

// include searches a file that a body takes in as an expression.
func (a *analyser) include(args, call syntax.Node, ghost bool) {
	p := includePath(args, a.file.Path)
	if p == "" || !a.x.has(p) {
		a.x.notIncluded(a.file, call)
		return
	}
	f, err := a.x.tree.Parse(p)
	if err != nil {
		a.unknown = append(a.unknown, call.Span())
		return
	}
	before := len(a.sites)
	a.tokens(tokensOf(f.Root()), ghost, false)
	for i := before; i < len(a.sites); i++ {
		a.sites[i].Span, a.sites[i].Macro = call.Span(), "include"
	}
	a.macros = append(a.macros, "include")
}

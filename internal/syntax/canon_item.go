package syntax

import (
	"slices"
	"strings"
)

func (p *printer) itemList(n Node) {
	for item := range n.All(FItem) {
		p.any(item)
	}
	p.rest(n, FAttr, FItem)
}

// item writes the kinds of item, and parts of items that have attributes, that need no order of their own.
func (p *printer) item(n Node) {
	if p.exec && p.ghostItem(n) {
		return
	}
	place := p.items
	switch n.Kind() {
	case Trait, ExternBlock:
		p.items = placeTrait
	case Impl, Mod:
		p.items = placeFree
	}
	p.attrs(n)
	p.withoutAttrs(n)
	p.items = place
}

// withoutAttrs is generic without attributes, commas apart.
func (p *printer) withoutAttrs(n Node) {
	r := n.raw()
	c := r.child
	comma := false
	for i := r.first; i < r.end; {
		for c != 0 && p.f.nodes[c].end <= i {
			c = p.f.nodes[c].next
		}
		if c != 0 && p.f.nodes[c].first <= i {
			child := Node{p.f, c}
			switch {
			case child.Field() == FAttr:
			case p.exec && (child.Field() == FMode || child.Kind() == Clause):
			case child.Field() == FType || child.Field() == FSelfType || child.Field() == FTrait:
				p.typ(child)
			case child.Field() == FValue:
				p.expr(child)
			default:
				mark := len(p.buf)
				if comma && !strings.ContainsRune("([{", rune(p.buf[len(p.buf)-1])) {
					p.tok(",")
				}
				from := len(p.buf)
				p.any(child)
				if len(p.buf) == from {
					p.buf = p.buf[:mark]
				} else {
					comma = false
				}
			}
			i = p.f.nodes[c].end
			continue
		}
		switch k := p.f.toks[i].kind; k {
		case hole, EOF:
		case Comma:
			comma = len(p.buf) > 0
		default:
			if comma && !k.isClose() && k != Semi {
				p.tok(",")
			}
			comma = false
			p.tok(p.text(i))
		}
		i++
	}
}

func (p *printer) fn(n Node) {
	if p.exec && p.ghostItem(n) {
		return
	}
	locals, scope := p.locals, p.scope
	if p.exec {
		p.locals, p.scope = p.ghostLocals(n), nil
		for c := range n.Get(FParams).Children() {
			p.declare(c.Get(FPat))
		}
	}
	p.attrs(n)
	if !p.exec {
		p.any(n.Get(FVis))
		p.any(n.Get(FPublish))
	}
	for m := range n.All(FModifier) {
		p.tokens(m)
	}
	if !p.exec {
		p.any(n.Get(FMode))
	}
	p.tok("fn")
	p.any(n.Get(FName))
	if g := n.Get(FGenerics); g.Valid() {
		p.glue = true
		p.any(g)
	}
	p.any(n.Get(FParams))
	p.ret(n.Get(FRet))
	p.any(n.Get(FWhere))
	if !p.exec {
		for c := range n.All(FClause) {
			p.any(c)
		}
	}
	p.rest(n, FAttr, FVis, FPublish, FModifier, FMode, FName, FGenerics, FParams, FRet, FWhere, FClause, FBody)
	switch b := n.Get(FBody); {
	case b.Valid():
		p.block(b, true)
	case p.exec && p.items == placeFree:
		p.tok("{ }") // as verus! gives it one
	default:
		p.glued(";")
	}
	p.locals, p.scope = locals, scope
}

func (p *printer) constant(n Node) {
	if p.exec && p.ghostItem(n) {
		return
	}
	p.attrs(n)
	if !p.exec {
		p.any(n.Get(FVis))
		p.any(n.Get(FPublish))
	}
	for m := range n.All(FModifier) {
		if t := p.leaf(m); t != "const" && t != "static" {
			p.tok(t)
		}
	}
	if !p.exec {
		p.any(n.Get(FMode))
	}
	if n.Kind() == Const {
		p.tok("const")
	} else if p.tok("static"); n.Mut() {
		p.tok("mut")
	}
	p.any(n.Get(FName))
	if g := n.Get(FGenerics); g.Valid() {
		p.glue = true
		p.any(g)
	}
	if t := n.Get(FType); t.Valid() {
		p.glued(":")
		p.typ(t)
	}
	if !p.exec {
		for c := range n.All(FClause) {
			p.any(c)
		}
	}
	p.rest(n, FAttr, FVis, FPublish, FModifier, FMode, FName, FGenerics, FType, FClause, FValue, FBody)
	for _, f := range []Field{FValue, FBody} {
		if v := n.Get(f); v.Valid() {
			p.tok("=")
			p.expr(v)
		}
	}
	p.glued(";")
}

func (p *printer) clause(n Node) {
	if p.exec {
		return
	}
	switch n.Which() {
	case With, Atomically, ByProver, OpensInvariants:
		p.generic(n)
		return
	}
	p.tok(n.Which().String())
	p.commaList(slices.Collect(n.All(FExpr)), p.expr)
	if w := n.Get(FWhen); w.Valid() {
		p.tok("when")
		p.expr(w)
	}
	if v := n.Get(FVia); v.Valid() {
		p.tok("via")
		p.expr(v)
	}
	p.rest(n, FAttr, FExpr, FWhen, FVia)
	p.attrs(n)
	p.glued(";")
}

func (p *printer) path(n Node) {
	sep := n.Global()
	if q := n.Get(FQSelf); q.Valid() {
		p.tok("<")
		p.glue = true
		p.typ(q.Get(FType))
		if t := q.Get(FTrait); t.Valid() {
			p.tok("as")
			p.typ(t)
		}
		p.glued(">")
		sep = true
	}
	for s := range n.All(FSegment) {
		if sep {
			if s.raw().first == n.raw().first+1 && n.Global() {
				p.tok("::")
			} else {
				p.glued("::")
			}
			p.glue = true
		}
		p.any(s)
		sep = true
	}
	p.rest(n, FQSelf, FSegment)
}

// segment writes a path segment; the `::` before generic arguments in expressions says nothing.
func (p *printer) segment(n Node) {
	t := n.FirstToken()
	p.tok(t.Text())
	for c := range n.Children() {
		switch c.Kind() {
		case GenericArgs:
			p.glue = true
			p.any(c)
		case Params:
			p.any(c)
		case Ret:
			p.ret(c)
		default:
			p.any(c)
		}
	}
}

// specFnType writes spec_fn(A) -> B, without the names that the parameters may have.
func (p *printer) specFnType(n Node) {
	if !p.erased {
		p.generic(n)
		return
	}
	p.tok("::vstd::prelude::FnSpec<(")
	params := slices.Collect(n.Get(FParams).All(FParam))
	for i, c := range params {
		p.typ(c.Get(FType))
		if i == 0 || i < len(params)-1 {
			p.tok(",")
		}
	}
	p.tok("),")
	if t := n.Get(FRet).Get(FType); t.Valid() {
		p.typ(t)
	} else {
		p.tok("()")
	}
	p.glued(">")
}

func (p *printer) typ(n Node) {
	switch n.Kind() {
	case ParenType:
		p.typ(n.Get(FType))
	case TupleType:
		p.tuple(n, FType, p.typ)
	case RefType:
		p.tok("&")
		p.glue = true
		if l := n.Get(FLifetime); l.Valid() {
			p.any(l)
		}
		if n.Mut() {
			p.tok("mut")
		}
		p.typ(n.Get(FType))
		p.rest(n, FLifetime, FType)
	case ArrayType:
		p.tok("[")
		p.typ(n.Get(FType))
		p.tok(";")
		p.expr(n.Get(FLen))
		p.tok("]")
	case FnPtrType:
		if b := n.Get(FBinder); b.Valid() {
			p.any(b)
		}
		for m := range n.All(FModifier) {
			p.tokens(m)
		}
		p.tok("fn")
		p.any(n.Get(FParams))
		p.ret(n.Get(FRet))
		p.rest(n, FBinder, FModifier, FParams, FRet)
	default:
		if isExprKind(n.Kind()) && n.Kind() != Path && n.Kind() != MacroCall {
			p.expr(n) // a const argument
			return
		}
		p.any(n)
	}
}

func (p *printer) pat(n Node) {
	switch n.Kind() {
	case ParenPat:
		p.pat(n.Get(FPat))
	case OrPat:
		alternatives := slices.Collect(n.All(FPat))
		if len(alternatives) == 1 { // after a leading `|`
			p.pat(alternatives[0])
			return
		}
		p.tok("(")
		for i, c := range alternatives {
			if i > 0 {
				p.tok("|")
			}
			p.pat(c)
		}
		p.tok(")")
	case TuplePat:
		p.tuple(n, FPat, p.pat)
	case TupleStructPat:
		p.any(n.Get(FPath))
		p.list("(", ")", slices.Collect(n.All(FPat)), func(c Node) {
			if !p.exec || !p.ghostPat(c) {
				p.pat(c)
			}
		})
	case StructPat:
		p.any(n.Get(FPath))
		p.tok("{")
		p.commaList(slices.Collect(n.All(FPat)), p.pat)
		p.tok("}")
		p.rest(n, FPath, FPat)
	case FieldPat:
		inner := n.Get(FPat)
		if p.exec && p.ghostPat(inner) {
			return
		}
		p.attrs(n)
		if name := n.Get(FName); name.Valid() {
			p.any(name)
		} else {
			bound := inner
			if bound.Kind() == BoxPat {
				bound = bound.Get(FPat)
			}
			p.any(bound.Get(FName))
		}
		if inner.Valid() {
			p.glued(":")
			p.pat(inner)
		}
	case SlicePat:
		p.tok("[")
		p.commaList(slices.Collect(n.All(FPat)), p.pat)
		p.tok("]")
	case RefPat:
		p.tok("&")
		p.glue = true
		if n.Mut() {
			p.tok("mut")
		}
		p.pat(n.Get(FPat))
	default:
		if k := n.Kind(); k == Path || k == MacroCall {
			p.any(n)
			return
		}
		p.generic(n)
	}
}

func (p *printer) macro(n Node) {
	if p.exec && n.Field() == FItem && p.ghostMacro(n) {
		return
	}
	args := n.Get(FArgs)
	if p.exec && args.Kind() == MacroBody {
		if name := p.macroName(n); verusItems(name) {
			inside, place := p.verus, p.items
			p.verus, p.items = true, placeFree
			p.macroItems(args)
			p.verus, p.items = inside, place
			return
		} else if name == "" || strings.HasPrefix(name, "exec_spec") {
			// The macro of another crate does what it likes; exec_spec compiles spec functions into executable ones.
			p.exec = false
			defer func() { p.exec = true }()
		}
	}
	p.attrs(n)
	p.any(n.Get(FPath))
	p.glued("!")
	if p.exec && args.Kind() == MacroBody && p.macroName(n) == "atomic_with_ghost" {
		// What else it holds names and updates ghost state.
		p.list("(", ")", slices.Collect(args.All(FExpr)), p.expr)
		return
	}
	p.rest(n, FAttr, FPath, FArgs)
	p.glue = args.FirstToken().Kind() != LBrace
	if args.Kind() == MacroBody {
		// Whether in verus! or not, these take Verus syntax, and other macros do not.
		inside, name := p.verus, p.macroName(n)
		p.verus = strings.HasPrefix(name, "open_") || strings.HasPrefix(name, "verus_exec_expr")
		defer func() { p.verus = inside }()
	}
	p.any(args)
	if item := n.Field() == FItem; item && args.FirstToken().Kind() != LBrace {
		p.glued(";")
	}
}

// macroItems writes what a verus! body holds, without the delimiters.
func (p *printer) macroItems(body Node) {
	for c := range body.Children() {
		switch c.Field() {
		case FStmt:
			p.stmt(c, false, false)
		default:
			p.any(c)
		}
	}
}

// attrs writes the attributes of a node that are kept.
func (p *printer) attrs(n Node) {
	for _, a := range p.attrTexts(n) {
		p.tok(a)
	}
}

// attrTexts are the canonical texts of a node's attributes that are kept, sorted.
func (p *printer) attrTexts(n Node) []string {
	var texts []string
	for a := range n.All(FAttr) {
		if t := p.attrText(a); t != "" {
			texts = append(texts, t)
		}
	}
	slices.Sort(texts)
	return texts
}

// attrText is the canonical text of an attribute; empty when it is dropped.
func (p *printer) attrText(a Node) string {
	path := a.Get(FPath)
	var segments []string
	for s := range path.All(FSegment) {
		segments = append(segments, s.FirstToken().Text())
	}
	if len(segments) == 0 || p.dropAttr(segments, a) {
		return ""
	}
	open := "#["
	if a.Inner() && a.Field() == FAttr {
		open = "#!["
	}
	args := a.Get(FArgs)
	sub := printer{f: p.f}
	if segments[0] == "derive" && len(segments) == 1 && args.Kind() == TokenTree {
		names := deriveNames(args)
		if p.exec {
			names = slices.DeleteFunc(names, func(s string) bool { return (s == "Structural" || s == "StructuralEq") && !p.isOwn(s) })
		}
		if len(names) == 0 {
			return ""
		}
		slices.Sort(names)
		return open + "derive(" + strings.Join(names, ", ") + ")]"
	}
	sub.any(path)
	sub.rest(a, FPath, FArgs)
	if args.Valid() {
		sub.glue = args.FirstToken().Kind().isOpen()
		sub.any(args)
	}
	return open + string(sub.buf) + "]"
}

// deriveNames are the traits in `(A, b::C)`.
func deriveNames(args Node) []string {
	var names []string
	name := ""
	flush := func() {
		if name != "" {
			names = append(names, name)
		}
		name = ""
	}
	for t := range args.Tokens() {
		switch t.Kind() {
		case LParen, RParen:
		case Comma:
			flush()
		default:
			name += t.Text()
		}
	}
	flush()
	return names
}

// dropAttr tells an attribute that has no part in what is being written: documentation, lints and formatting always; triggers
// outside executable code; what speaks to the verifier alone in executable code.
func (p *printer) dropAttr(segments []string, a Node) bool {
	first, last := segments[0], segments[len(segments)-1]
	switch first {
	case "rustfmt", "clippy", "diagnostic":
		return true
	}
	if len(segments) == 1 {
		switch first {
		case "doc", "allow", "warn", "deny", "forbid", "expect", "deprecated", "must_use", "inline", "cold", "automatically_derived":
			return true
		case "trigger", "auto", "all_triggers":
			return !p.exec || p.verus
		}
	}
	if !p.exec {
		return false
	}
	switch first {
	case "verus", "verifier":
		return true
	}
	switch last {
	case "verus_spec", "verus_verify", "is_variant", "is_variant_no_deprecation_warning", "verus_enum_synthesize", "auto_spec":
		return p.verusAttr(segments)
	case "via_fn":
		return len(segments) == 1 && p.verus
	case "cfg_attr":
		return ghostCfg(a)
	}
	return false
}

// verusAttr tells whether the path of an attribute that is called as one of Verus's own means that one.
func (p *printer) verusAttr(segments []string) bool {
	return !p.isOwn(segments[len(segments)-1]) && (len(segments) == 1 || verusCrate(segments[0]))
}

// VerifierCfg tells the names of configuration that hold when the verifier reads the code, and only then.
func VerifierCfg(name string) bool {
	switch name {
	case "verus_keep_ghost", "verus_keep_ghost_body", "verus_only":
		return true
	}
	return false
}

// ghostCfg tells a cfg or cfg_attr whose condition is that the verifier runs.
func ghostCfg(a Node) bool {
	i := 0
	for t := range a.Get(FArgs).Tokens() {
		switch i {
		case 0:
			if t.Kind() != LParen {
				return false
			}
		case 1:
			if !VerifierCfg(t.Text()) {
				return false
			}
		case 2:
			return t.Kind() == RParen || t.Kind() == Comma
		}
		i++
	}
	return false
}

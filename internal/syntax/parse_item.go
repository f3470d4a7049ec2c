package syntax

// attrs reads attributes. inner: `#![..]`; else `#[..]`.
func (p *parser) attrs(b *builder, inner bool) {
	for p.k == Hash && (p.nth(1) == Bang) == inner {
		p.add(b, FAttr, p.attr())
	}
}

// innerAttrs reads `#![..]` as closures and quantifiers take them, triggers among them.
func (p *parser) innerAttrs(b *builder) { p.attrs(b, true) }

func (p *parser) attr() int32 {
	b := p.start(Attr)
	p.bump()
	if p.eat(Bang) {
		p.setFlag(b, flagInner)
	}
	if p.k != LBracket {
		p.unexpected("`[`")
		return p.done(b)
	}
	fr := p.enter()
	if p.k == KwUnsafe && p.nth(1) == LParen {
		p.bump()
		in := p.enter()
		p.attrBody(&b)
		p.leave(in)
	} else {
		p.attrBody(&b)
	}
	p.leave(fr)
	return p.done(b)
}

func (p *parser) attrBody(b *builder) {
	path := p.path(true)
	p.add(b, FPath, path)
	if p.k == EOF {
		return
	}
	if p.k == LParen && p.lastWord(path) == "verus_spec" {
		p.add(b, FArgs, p.verusSpec())
		return
	}
	// #[path], #[path(..)], #[path = value]; and what #[trigger a, b] has needs no parentheses.
	t := p.start(TokenTree)
	if p.k == Eq || p.lastWord(path) == "trigger" {
		for p.k != EOF {
			p.skipTree()
		}
	} else if p.k.isOpen() {
		p.skipTree()
	}
	p.add(b, FArgs, p.done(t))
	if p.k != EOF {
		p.unexpected("`]`")
	}
}

// lastWord is the last name of a path node.
func (p *parser) lastWord(path int32) string {
	last := p.nodes[path].first
	for c := p.nodes[path].child; c != 0; c = p.nodes[c].next {
		if p.nodes[c].kind == Segment {
			last = p.nodes[c].first
		}
	}
	return p.text(last)
}

// verusSpec reads the inside of #[verus_spec(..)]: [pat [: type] =>] clauses.
func (p *parser) verusSpec() int32 {
	b := p.start(VerusSpec)
	fr := p.enter()
	if arrow := p.topLevel(FatArrow); arrow && !p.atClause() {
		p.add(&b, FPat, p.pattern())
		if p.eat(Colon) {
			p.add(&b, FType, p.typ())
		}
		p.expect(FatArrow, "`=>`")
	}
	p.clauses(&b, attrContext)
	p.leave(fr)
	return p.done(b)
}

// topLevel tells whether a token of kind k comes before the end of the delimiters, outside nested ones and before any clause.
func (p *parser) topLevel(k TokenKind) bool {
	for i := p.pos; ; i = p.after(i) {
		switch t := p.kindAt(i); {
		case t == EOF:
			return false
		case t == k:
			return true
		case t.isOpen():
			i = p.toks[i].match
			if i >= p.limit {
				return false
			}
		case t == KwRequires, t == KwEnsures, t == KwInvariant, t == KwDecreases:
			return false
		}
	}
}

// items reads items up to the end of the delimiters. What is none becomes Unknown.
func (p *parser) items(b *builder) {
	for p.k != EOF {
		start, mark := p.pos, len(p.nodes)
		id := p.item()
		if p.bad {
			id = p.recover(start, mark)
		}
		p.add(b, FItem, id)
		if p.pos == start {
			return // cannot happen: an item that reads nothing is an error, and recover reads something
		}
	}
}

func (p *parser) item() int32 {
	b := p.start(Unknown)
	p.attrs(&b, false)
	if !p.deeper() {
		return p.done(b)
	}
	id := p.itemRest(b)
	p.depth--
	return id
}

// itemKeyword looks ahead, past words that qualify an item, for the keyword that says what it is; EOF if this is no item.
// Words that are keywords only in their place count only when an item follows them.
func (p *parser) itemKeyword() TokenKind {
	i := p.pos
	for {
		k := p.kindAt(i)
		n := p.kindAt(p.after(i))
		switch k {
		case KwFn, KwStruct, KwEnum, KwTrait, KwImpl, KwMod, KwUse, KwType:
			return k
		case KwPub:
			if i != p.pos {
				return EOF
			}
			return KwPub
		case KwCrate: // the old visibility `crate fn`
			if i != p.pos || !(n.isStrict() || n == KwUnion) || n == KwAs || n == KwIn || n == KwElse {
				return EOF
			}
		case KwStatic:
			if n.isIdent() || n == KwMut || n == Underscore {
				return k
			}
			if n != KwRef {
				return EOF
			}
		case KwConst:
			switch n {
			case LBrace, Or, OrOr, KwMove, KwStatic, OrOrOr, KwFor:
				return EOF
			case KwAsync:
				if m := p.kindAt(p.after(p.after(i))); m == KwMove || m == Or || m == OrOr {
					return EOF
				}
			case Underscore, Lt:
				return k
			default:
				if n.isIdent() && !(n == KwAuto || n == KwProof || n == KwSpec || n == KwExec || n == KwAxiom || n == KwBroadcast || n == KwSafe) {
					return k
				}
				if n.isIdent() && p.kindAt(p.after(p.after(i))) == Colon {
					return k
				}
			}
		case KwUnsafe:
			if n == LBrace {
				return EOF
			}
		case KwAsync, KwGen:
			if n != KwFn && n != KwUnsafe && n != KwExtern && n != KwGen {
				return EOF
			}
		case KwExtern:
			switch n {
			case KwCrate, LBrace:
				return k
			case String:
				if j := p.after(i); p.kindAt(p.after(j)) == LBrace {
					return k
				}
				i = p.after(i)
			}
		case KwUnion:
			if !n.isIdent() {
				return EOF
			}
			return k
		case KwMacroRules:
			if n != Bang {
				return EOF
			}
			return k
		case KwMacro:
			if !n.isIdent() {
				return EOF
			}
			return k
		case KwGlobal:
			if j := p.after(i); n == Ident && (p.text(j) == "size_of" || p.text(j) == "layout") {
				return k
			}
			return EOF
		case KwAssumeSpecification:
			if n != Lt && n != LBracket {
				return EOF
			}
			return k
		case KwBroadcast:
			if n == KwUse || n == KwGroup {
				return KwBroadcast
			}
		case KwOpen:
			if n == LParen {
				i = p.toks[p.after(i)].match
				if i >= p.limit {
					return EOF
				}
			}
		case KwSpec:
			if n == LParen {
				if p.kindAt(p.after(p.after(i))) != KwChecked {
					return EOF
				}
				i = p.toks[p.after(i)].match
				if i >= p.limit {
					return EOF
				}
			}
		case KwAuto, KwDefault, KwSafe, KwClosed, KwUninterp, KwProof, KwAxiom, KwExec, KwGhost, KwTracked:
		default:
			return EOF
		}
		i = p.after(i)
	}
}

// itemRest reads an item whose attributes are already children of b; anything else is an error. In statement position the
// caller asks first whether an item begins.
func (p *parser) itemRest(b builder) int32 {
	if p.k == Semi {
		if p.nodes[b.id].child != 0 {
			p.unexpected("an item")
			return p.done(b)
		}
		p.noteAt("a lone `;` is no item")
		p.setKind(b, EmptyItem)
		p.bump()
		return p.done(b)
	}
	if p.k == KwPub || p.k == KwCrate && p.nth(1) != ColonColon {
		p.add(&b, FVis, p.vis())
	}
	for {
		switch p.k {
		case KwFn:
			p.allow(b, qDefault|qPublish|qConst|qAsync|qGen|qUnsafe|qExtern|qBroadcast|qFnMode|qExec)
			return p.fn(b)
		case KwStruct:
			p.allow(b, qDataMode|qExec)
			return p.structItem(b)
		case KwUnion:
			p.allow(b, 0)
			if !p.nth(1).isIdent() {
				return p.itemMacro(b)
			}
			return p.structItem(b)
		case KwEnum:
			p.allow(b, qDataMode|qExec)
			return p.enum(b)
		case KwTrait:
			p.allow(b, qConst|qUnsafe|qAuto)
			return p.trait(b)
		case KwImpl:
			p.allow(b, qDefault|qConst|qUnsafe)
			return p.impl(b)
		case KwMod:
			p.allow(b, qUnsafe)
			return p.mod(b)
		case KwUse:
			p.allow(b, 0)
			p.setKind(b, Use)
			p.bump()
			p.add(&b, FTree, p.useTree())
			p.expect(Semi, "`;`")
			return p.done(b)
		case KwType:
			p.allow(b, qDefault)
			return p.typeAlias(b)
		case KwStatic:
			if p.nth(1) == KwRef {
				break
			}
			p.allow(b, qPublish|qUnsafe|qFnMode|qExec)
			return p.constItem(b, Static)
		case KwConst:
			switch n := p.nth(1); {
			case n == Underscore, n == Lt:
				p.allow(b, qDefault|qPublish|qFnMode|qExec)
				return p.constItem(b, Const)
			case n.isIdent():
				if m := p.nth(2); m == Colon || m == Eq || m == Semi || m == Lt {
					p.allow(b, qDefault|qPublish|qFnMode|qExec)
					return p.constItem(b, Const)
				}
			}
			p.add(&b, FModifier, p.leaf(Modifier))
			continue
		case KwExtern:
			switch n := p.nth(1); {
			case n == KwCrate:
				p.allow(b, 0)
				return p.externCrate(b)
			case n == LBrace, n == String && p.nth(2) == LBrace:
				p.allow(b, qUnsafe)
				p.setKind(b, ExternBlock)
				p.add(&b, FModifier, p.abi())
				p.braceItems(&b)
				return p.done(b)
			}
			p.add(&b, FModifier, p.abi())
			continue
		case KwUnsafe, KwAsync:
			p.add(&b, FModifier, p.leaf(Modifier))
			continue
		case KwMacroRules:
			if p.nth(1) == Bang && p.nth(2).isIdent() {
				return p.itemMacro(b)
			}
		case KwMacro:
			if p.nth(1).isIdent() {
				return p.macroDef(b)
			}
		case KwGlobal:
			if p.nth(1) == Ident {
				return p.global(b)
			}
		case KwAssumeSpecification:
			p.allow(b, 0)
			return p.assumeSpecification(b)
		case KwBroadcast:
			switch p.nth(1) {
			case KwUse:
				p.allow(b, 0)
				return p.broadcastUse(b)
			case KwGroup:
				p.allow(b, 0)
				return p.broadcastGroup(b)
			}
			if p.qualifies() {
				p.add(&b, FModifier, p.leaf(Modifier))
				continue
			}
		case KwAuto, KwDefault, KwSafe, KwGen:
			if p.qualifies() {
				p.add(&b, FModifier, p.leaf(Modifier))
				continue
			}
		case KwOpen, KwClosed, KwUninterp:
			if p.qualifies() {
				m := p.start(Publish)
				open := p.k == KwOpen
				p.bump()
				if open && p.k == LParen {
					p.restriction("open")
				}
				p.add(&b, FPublish, p.done(m))
				continue
			}
		case KwSpec, KwProof, KwAxiom, KwExec, KwGhost, KwTracked:
			if p.qualifies() {
				m := p.start(Mode)
				spec := p.k == KwSpec
				p.bump()
				if spec && p.k == LParen {
					if p.nth(1) != KwChecked {
						p.noteAt("expected `spec` or `spec(checked)`")
					}
					p.skipTree()
				}
				p.add(&b, FMode, p.done(m))
				continue
			}
		}
		if n := p.nth(1); n == Bang || n == ColonColon {
			p.allow(b, 0)
		}
		return p.itemMacro(b)
	}
}

// Words that qualify an item, in the order that they must have.
const (
	qDefault = 1 << iota
	qPublish
	qConst
	qAsync
	qGen
	qUnsafe
	qExtern
	qBroadcast
	qFnMode
	qExec
	qDataMode
	qAuto
)

func qualifier(k TokenKind) int {
	switch k {
	case KwDefault:
		return qDefault
	case KwOpen, KwClosed, KwUninterp:
		return qPublish
	case KwConst:
		return qConst
	case KwAsync:
		return qAsync
	case KwGen:
		return qGen
	case KwUnsafe, KwSafe:
		return qUnsafe
	case KwExtern:
		return qExtern
	case KwBroadcast:
		return qBroadcast
	case KwSpec, KwProof, KwAxiom:
		return qFnMode
	case KwExec:
		return qExec
	case KwGhost, KwTracked:
		return qDataMode
	case KwAuto:
		return qAuto
	}
	return 0
}

// allow notes the qualifiers of an item that it cannot have, or not in this place.
func (p *parser) allow(b builder, allowed int) {
	last := 0
	for c := p.nodes[b.id].child; c != 0; c = p.nodes[c].next {
		switch p.nodes[c].field {
		case FPublish, FModifier, FMode:
		default:
			continue
		}
		q := qualifier(p.toks[p.nodes[c].first].kind)
		rank := q
		if q == qExec || q == qDataMode {
			rank = qFnMode
		}
		if q&allowed == 0 || rank <= last {
			p.note(p.span(c), "`"+p.text(p.nodes[c].first)+"` cannot stand here")
		}
		last = rank
	}
}

// qualifies tells a word that is a keyword only in its place from the start of a macro call.
func (p *parser) qualifies() bool {
	n := p.nth(1)
	return n != Bang && n != ColonColon && n != EOF
}

func (p *parser) vis() int32 {
	b := p.start(Vis)
	pub := p.k == KwPub
	p.bump()
	if pub && p.k == LParen {
		switch p.nth(1) {
		case KwIn:
			p.skipTree()
		case KwCrate, KwSelf, KwSuper:
			if p.after(p.after(p.pos)) == p.toks[p.pos].match {
				p.skipTree()
			}
		}
	}
	return p.done(b)
}

// restriction reads the parentheses of open(crate), open(in path).
func (p *parser) restriction(word string) {
	switch p.nth(1) {
	case KwCrate, KwSelf, KwSuper, KwIn:
	default:
		p.noteAt("expected `" + word + "(crate)`, `" + word + "(self)`, `" + word + "(super)` or `" + word + "(in path)`")
	}
	p.skipTree()
}

func (p *parser) abi() int32 {
	b := p.start(Modifier)
	p.bump()
	if p.k == String {
		p.bump()
	}
	return p.done(b)
}

// modifiers reads words before `fn` in a function pointer type.
func (p *parser) modifiers(b *builder) {
	for {
		switch p.k {
		case KwUnsafe, KwConst, KwAsync:
			p.add(b, FModifier, p.leaf(Modifier))
		case KwExtern:
			p.add(b, FModifier, p.abi())
		default:
			return
		}
	}
}

func (p *parser) generics(b *builder) {
	if p.k == Lt {
		p.add(b, FGenerics, p.genericParams())
	}
}

func (p *parser) whereClause(b *builder) {
	if p.k == KwWhere {
		p.add(b, FWhere, p.where())
	}
}

func (p *parser) fn(b builder) int32 {
	p.setKind(b, Fn)
	p.bump()
	if p.k == Dollar { // in the body of a macro that is read as items
		p.unexpected("a name")
		return p.done(b)
	}
	p.add(&b, FName, p.name())
	p.generics(&b)
	p.signature(&b)
	p.clauses(&b, itemContext)
	switch p.k {
	case LBrace:
		p.add(&b, FBody, p.block())
	case Semi:
		p.bump()
	default:
		p.unexpected("a clause, a body or `;`")
	}
	return p.done(b)
}

// signature reads parameters, return and where clause.
func (p *parser) signature(b *builder) {
	if p.k != LParen {
		p.unexpected("`(`")
		return
	}
	p.signatureOf(b, true)
}

func (p *parser) signatureOf(b *builder, hasParams bool) {
	if hasParams {
		params := p.start(Params)
		p.delimited(&params, FParam, (*parser).param)
		p.add(b, FParams, p.done(params))
	}
	if p.k == Arrow_ {
		p.add(b, FRet, p.retType(true))
	}
	p.whereClause(b)
}

func (p *parser) param() int32 {
	b := p.start(Param)
	p.attrs(&b, false)
	if p.k == DotDotDot {
		p.setKind(b, Variadic)
		p.bump()
		return p.done(b)
	}
	if p.k == KwTracked && p.nth(1) != Colon && p.nth(1) != Comma && p.nth(1) != EOF {
		p.add(&b, FMode, p.leaf(Mode))
	}
	if p.selfParam(&b) {
		return p.done(b)
	}
	if p.k.isIdent() && p.nth(1) == Lt {
		p.add(&b, FType, p.typ()) // a type without a name, as the 2015 edition has it
		return p.done(b)
	}
	p.add(&b, FPat, p.pattern())
	p.expect(Colon, "`:` and a type")
	if p.k == DotDotDot {
		p.add(&b, FType, p.leaf(Variadic))
	} else {
		p.add(&b, FType, p.typ())
	}
	return p.done(b)
}

// selfParam reads self, &self, &'a mut self, mut self, self: T.
func (p *parser) selfParam(b *builder) bool {
	i := p.pos
	ref := p.kindAt(i) == And
	if ref {
		i = p.after(i)
		if p.kindAt(i) == LifetimeToken {
			i = p.after(i)
		}
	}
	if p.kindAt(i) == KwMut {
		i = p.after(i)
	}
	if p.kindAt(i) != KwSelf || p.kindAt(p.after(i)) == ColonColon {
		return false
	}
	p.setKind(*b, SelfParam)
	if p.eat(And) {
		p.setFlag(*b, flagByRef)
		if p.k == LifetimeToken {
			p.add(b, FLifetime, p.leaf(Lifetime))
		}
	}
	if p.eat(KwMut) {
		p.setFlag(*b, flagMut)
	}
	p.bump()
	if p.eat(Colon) {
		p.add(b, FType, p.typ())
	}
	return true
}

func (p *parser) structItem(b builder) int32 {
	kind := Struct
	if p.k == KwUnion {
		kind = Union
	}
	p.setKind(b, kind)
	p.bump()
	p.add(&b, FName, p.name())
	p.generics(&b)
	p.whereClause(&b)
	switch p.k {
	case LBrace:
		p.add(&b, FFields, p.fields())
	case LParen:
		p.add(&b, FFields, p.fields())
		p.whereClause(&b)
		p.expect(Semi, "`;`")
	default:
		p.expect(Semi, "`{`, `(` or `;`")
	}
	return p.done(b)
}

func (p *parser) fields() int32 {
	b := p.start(FieldList)
	if p.k == LParen {
		p.setKind(b, TupleFields)
		p.delimited(&b, FFieldDecl, (*parser).tupleField)
	} else {
		p.delimited(&b, FFieldDecl, (*parser).namedField)
	}
	return p.done(b)
}

func (p *parser) namedField() int32 {
	b := p.start(FieldDecl)
	p.attrs(&b, false)
	p.fieldQualifiers(&b, p.nth(1) == Colon)
	if p.k == Underscore {
		p.add(&b, FName, p.leaf(Name)) // unnamed fields
	} else {
		p.add(&b, FName, p.name())
	}
	p.expect(Colon, "`:`")
	p.add(&b, FType, p.typ())
	if p.eat(Eq) {
		p.add(&b, FValue, p.expr()) // default field values
	}
	return p.done(b)
}

func (p *parser) tupleField() int32 {
	b := p.start(FieldDecl)
	p.attrs(&b, false)
	p.fieldQualifiers(&b, false)
	p.add(&b, FType, p.typ())
	return p.done(b)
}

func (p *parser) fieldQualifiers(b *builder, nameFollows bool) {
	if nameFollows {
		return
	}
	if p.k == KwPub || p.k == KwCrate && p.nth(1) != ColonColon {
		p.add(b, FVis, p.vis())
	}
	if p.k == KwGhost || p.k == KwTracked || p.k == KwExec {
		switch n := p.nth(1); {
		case n == Colon, n == Comma, n == EOF, n == ColonColon, n == Lt:
		default:
			p.add(b, FMode, p.leaf(Mode))
		}
	}
	if p.k == KwUnsafe {
		p.bump() // unsafe fields
	}
}

func (p *parser) enum(b builder) int32 {
	p.setKind(b, Enum)
	p.bump()
	p.add(&b, FName, p.name())
	p.generics(&b)
	p.whereClause(&b)
	if p.k != LBrace {
		p.unexpected("`{`")
		return p.done(b)
	}
	p.delimited(&b, FVariant, (*parser).variant)
	return p.done(b)
}

func (p *parser) variant() int32 {
	b := p.start(Variant)
	p.attrs(&b, false)
	if p.k == KwPub || p.k == KwCrate {
		p.add(&b, FVis, p.vis())
	}
	p.add(&b, FName, p.name())
	if p.k == LBrace || p.k == LParen {
		p.add(&b, FFields, p.fields())
	}
	if p.eat(Eq) {
		p.add(&b, FValue, p.expr())
	}
	return p.done(b)
}

func (p *parser) trait(b builder) int32 {
	p.setKind(b, Trait)
	p.bump()
	p.add(&b, FName, p.name())
	p.generics(&b)
	if p.eat(Colon) {
		p.add(&b, FBounds, p.bounds())
	}
	if p.eat(Eq) {
		p.setKind(b, TraitAlias)
		p.add(&b, FBounds, p.bounds())
		p.whereClause(&b)
		p.expect(Semi, "`;`")
		return p.done(b)
	}
	p.whereClause(&b)
	p.braceItems(&b)
	return p.done(b)
}

func (p *parser) impl(b builder) int32 {
	p.setKind(b, Impl)
	p.bump()
	if p.k == Lt {
		// `impl <T as Tr>::X {..}` is so rare and `impl<T> ..` so common that only generics are read here, unless the first
		// thing in the brackets can be no parameter.
		if n := p.nth(1); n.isIdent() || n == LifetimeToken || n == KwConst || n == Gt || n == Hash || n == Underscore {
			p.generics(&b)
		}
	}
	for p.k == KwConst || p.k == Question || p.k == Tilde {
		if p.eat(Tilde) {
			continue
		}
		p.add(&b, FModifier, p.leaf(Modifier))
	}
	if p.k == Bang && p.nth(1) != LBrace && p.nth(1) != KwFor {
		p.setFlag(b, flagNot)
		p.bump()
	}
	first := p.typ()
	if p.eat(KwFor) {
		p.add(&b, FTrait, first)
		p.add(&b, FSelfType, p.typ())
	} else {
		p.add(&b, FSelfType, first)
	}
	p.whereClause(&b)
	p.braceItems(&b)
	return p.done(b)
}

func (p *parser) braceItems(b *builder) {
	if p.k != LBrace {
		p.unexpected("`{`")
		return
	}
	fr := p.enter()
	p.attrs(b, true)
	p.items(b)
	p.leave(fr)
}

func (p *parser) mod(b builder) int32 {
	p.setKind(b, Mod)
	p.bump()
	p.add(&b, FName, p.name())
	if p.k == LBrace {
		p.setFlag(b, flagBody)
		p.braceItems(&b)
		return p.done(b)
	}
	p.expect(Semi, "`;` or `{`")
	return p.done(b)
}

func (p *parser) useTree() int32 {
	b := p.start(UseTree)
	if !p.deeper() {
		return p.done(b)
	}
	defer func() { p.depth-- }()
	if p.k != Star && p.k != LBrace && !(p.k == ColonColon && (p.nth(1) == Star || p.nth(1) == LBrace)) {
		p.add(&b, FPath, p.path(true))
		if !p.eat(ColonColon) {
			if p.eat(KwAs) {
				if p.k == Underscore {
					p.add(&b, FName, p.leaf(Name))
				} else {
					p.add(&b, FName, p.name())
				}
			}
			return p.done(b)
		}
	} else {
		p.eat(ColonColon)
	}
	switch p.k {
	case Star:
		p.setFlag(b, flagGlobal)
		p.bump()
	case LBrace:
		p.setFlag(b, flagBody)
		p.delimited(&b, FTree, (*parser).useTree)
	default:
		p.unexpected("a name, `*` or `{`")
	}
	return p.done(b)
}

func (p *parser) externCrate(b builder) int32 {
	p.setKind(b, ExternCrate)
	p.bump()
	p.bump()
	if p.k == KwSelf {
		p.add(&b, FName, p.leaf(Name))
	} else {
		p.add(&b, FName, p.name())
	}
	if p.eat(KwAs) {
		if p.k == Underscore {
			p.add(&b, FAlias, p.leaf(Name))
		} else {
			p.add(&b, FAlias, p.name())
		}
	}
	p.expect(Semi, "`;`")
	return p.done(b)
}

func (p *parser) typeAlias(b builder) int32 {
	p.setKind(b, TypeAlias)
	p.bump()
	p.add(&b, FName, p.name())
	p.generics(&b)
	if p.eat(Colon) {
		p.add(&b, FBounds, p.bounds())
	}
	p.whereClause(&b)
	if p.eat(Eq) {
		p.add(&b, FType, p.typ())
	}
	p.whereClause(&b)
	p.expect(Semi, "`;`")
	return p.done(b)
}

func (p *parser) constItem(b builder, kind Kind) int32 {
	p.setKind(b, kind)
	p.bump()
	if kind == Static && p.eat(KwMut) {
		p.setFlag(b, flagMut)
	}
	if p.k == Underscore {
		p.add(&b, FName, p.leaf(Name))
	} else {
		p.add(&b, FName, p.name())
	}
	p.generics(&b)
	if p.eat(Colon) {
		p.add(&b, FType, p.typ())
	}
	p.whereClause(&b)
	p.clauses(&b, itemContext)
	if p.k == LBrace {
		p.add(&b, FBody, p.block())
		return p.done(b)
	}
	if p.eat(Eq) {
		p.add(&b, FValue, p.expr())
	}
	p.whereClause(&b)
	p.expect(Semi, "`;`")
	return p.done(b)
}

func (p *parser) macroDef(b builder) int32 {
	p.setKind(b, MacroDef)
	p.bump()
	p.add(&b, FName, p.name())
	if p.k == LParen {
		p.add(&b, FArgs, p.tokenTree())
	}
	if p.k != LBrace {
		p.unexpected("`{`")
		return p.done(b)
	}
	p.add(&b, FBody, p.tokenTree())
	return p.done(b)
}

// itemMacro reads a macro call as an item: path! [name] {..}, or path!(..);
func (p *parser) itemMacro(b builder) int32 {
	if !(p.k.isIdent() || p.k == ColonColon || p.k == KwSelf || p.k == KwSuper || p.k == KwCrate) {
		p.unexpected("an item")
		return p.done(b)
	}
	rules := p.k == KwMacroRules
	p.setKind(b, MacroCall)
	path := p.path(true)
	if p.k != Bang {
		p.unexpected("an item")
		return p.done(b)
	}
	p.add(&b, FPath, path)
	if n := p.nth(1); n.isIdent() && p.nth(2).isOpen() {
		if rules {
			p.setKind(b, MacroRules)
		}
		p.bump()
		p.add(&b, FName, p.name())
		brace := p.k == LBrace
		p.add(&b, FArgs, p.tokenTree())
		if !brace {
			p.expect(Semi, "`;`")
		}
		return p.done(b)
	}
	if !p.nth(1).isOpen() {
		p.bump()
		p.unexpected("`(`, `[` or `{`")
		return p.done(b)
	}
	brace := p.nth(1) == LBrace
	p.macroArgsInto(&b)
	if !brace {
		p.expect(Semi, "`;`")
	}
	return p.done(b)
}

func (p *parser) global(b builder) int32 {
	p.setKind(b, Global)
	p.bump()
	layout := p.atText("layout")
	if !layout && !p.atText("size_of") {
		p.unexpected("`size_of` or `layout`")
	}
	p.bump()
	p.add(&b, FType, p.typ())
	if layout {
		if p.k == KwIs {
			p.bump()
		} else {
			p.unexpected("`is`")
		}
		if !p.atText("size") {
			p.unexpected("`size`")
		}
		for p.k.isIdent() {
			p.bump() // size, align
			p.expect(EqEq, "`==`")
			p.add(&b, FExpr, p.expr())
			if !p.eat(Comma) {
				break
			}
		}
	} else {
		p.expect(EqEq, "`==`")
		p.add(&b, FExpr, p.expr())
	}
	p.expect(Semi, "`;`")
	return p.done(b)
}

func (p *parser) assumeSpecification(b builder) int32 {
	p.setKind(b, AssumeSpecification)
	p.bump()
	p.generics(&b)
	if p.k != LBracket {
		p.unexpected("`[`")
		return p.done(b)
	}
	fr := p.enter()
	p.add(&b, FTarget, p.path(true))
	p.leave(fr)
	p.signatureOf(&b, p.k == LParen) // a constant has no parameters
	p.clauses(&b, itemContext)
	for c := p.nodes[b.id].child; c != 0; c = p.nodes[c].next {
		if n := p.nodes[c]; n.kind == Clause && (ClauseKind(n.op) == Decreases || ClauseKind(n.op) == Recommends) {
			p.note(p.span(c), "`assume_specification` has no `"+ClauseKind(n.op).String()+"`")
		}
	}
	p.expect(Semi, "`;`")
	return p.done(b)
}

func (p *parser) broadcastUse(b builder) int32 {
	p.setKind(b, BroadcastUse)
	p.bump()
	p.bump()
	if p.k == LBrace {
		p.delimited(&b, FPath, (*parser).exprPath)
	} else {
		p.add(&b, FPath, p.path(true))
		for p.k != EOF && p.k != Semi {
			if !p.eat(Comma) {
				p.add(&b, FPath, p.path(true))
			}
		}
	}
	p.expect(Semi, "`;`")
	return p.done(b)
}

func (p *parser) exprPath() int32 {
	if p.k != Hash {
		return p.path(true)
	}
	b := p.start(AttrExpr)
	p.attrs(&b, false)
	p.add(&b, FExpr, p.path(true))
	return p.done(b)
}

func (p *parser) broadcastGroup(b builder) int32 {
	p.setKind(b, BroadcastGroup)
	p.bump()
	p.bump()
	p.add(&b, FName, p.name())
	if p.k != LBrace {
		p.unexpected("`{`")
		return p.done(b)
	}
	p.delimited(&b, FPath, (*parser).exprPath)
	return p.done(b)
}

package syntax

// pattern reads a pattern without alternatives at its top.
func (p *parser) pattern() int32 {
	if !p.deeper() {
		return p.none()
	}
	id := p.pattern1()
	p.depth--
	return id
}

// alternatives reads a pattern with alternatives: | a | b.
func (p *parser) alternatives() int32 {
	b := p.start(OrPat)
	lead := p.eat(Or)
	first := p.pattern()
	if !lead && p.k != Or {
		return first // the unused OrPat node is linked nowhere
	}
	p.add(&b, FPat, first)
	for p.eat(Or) {
		p.add(&b, FPat, p.pattern())
	}
	return p.done(b)
}

func (p *parser) pattern1() int32 {
	switch p.k {
	case Underscore:
		return p.leaf(WildPat)
	case DotDot:
		if p.startsRangeEnd(p.nth(1)) {
			return p.rangePat(0)
		}
		return p.leaf(RestPat)
	case DotDotEq:
		return p.rangePat(0)
	case AndAnd, AndAndAnd, And:
		if p.k != And {
			p.split(And)
		}
		b := p.start(RefPat)
		p.bump()
		if p.eat(KwMut) {
			// `&mut x` binds by reference; `& mut x` reads the same.
			p.setFlag(b, flagMut)
		}
		p.add(&b, FPat, p.pattern())
		return p.done(b)
	case LParen:
		b := p.start(TuplePat)
		fr := p.enter()
		n, comma := 0, false
		for p.k != EOF {
			id := p.alternatives()
			if p.kind(id) == RestPat {
				comma = true
			}
			p.add(&b, FPat, id)
			n++
			if !p.eat(Comma) {
				break
			}
			comma = true
		}
		p.leave(fr)
		if n == 1 && !comma {
			p.setKind(b, ParenPat)
		}
		return p.done(b)
	case LBracket:
		b := p.start(SlicePat)
		p.delimited(&b, FPat, (*parser).alternatives)
		return p.done(b)
	case KwBox:
		if n := p.nth(1); n.isIdent() || n == LParen || n == Underscore || n == KwMut || n == KwRef || n == And || n == LBracket {
			b := p.start(BoxPat)
			p.bump()
			p.add(&b, FPat, p.pattern())
			return p.done(b)
		}
	case KwConst:
		if p.nth(1) == LBrace {
			b := p.start(ConstPat)
			p.bump()
			p.add(&b, FBody, p.block())
			return p.rangeTail(p.done(b))
		}
	case KwRef, KwMut:
		return p.identPat()
	case Minus:
		return p.rangeTail(p.litPat())
	}
	switch {
	case p.k.isLiteral():
		return p.rangeTail(p.litPat())
	case p.k.isIdent():
		switch p.nth(1) {
		case ColonColon, Bang, LBrace, LParen, DotDot, DotDotEq, DotDotDot:
		default:
			return p.identPat()
		}
	case p.k == KwSelf:
		if p.nth(1) != ColonColon {
			b := p.start(IdentPat)
			p.add(&b, FName, p.leaf(Name))
			return p.done(b)
		}
	case p.k == Lt, p.k == Shl, p.k == ColonColon, p.k == KwSelfType, p.k == KwSuper, p.k == KwCrate:
	default:
		p.unexpected("a pattern")
		return p.none()
	}
	path := p.path(true)
	switch p.k {
	case Bang:
		if p.nth(1).isOpen() {
			return p.rangeTail(p.macroArgs(p.wrap(MacroCall, FPath, path)))
		}
	case LParen:
		b := p.wrap(TupleStructPat, FPath, path)
		p.delimited(&b, FPat, (*parser).alternatives)
		return p.done(b)
	case LBrace:
		b := p.wrap(StructPat, FPath, path)
		p.delimited(&b, FPat, (*parser).fieldPat)
		return p.done(b)
	}
	return p.rangeTail(path)
}

func (p *parser) identPat() int32 {
	b := p.start(IdentPat)
	if p.eat(KwRef) {
		p.setFlag(b, flagByRef)
	}
	if p.eat(KwMut) {
		p.setFlag(b, flagMut)
	}
	if p.k == KwSelf {
		p.add(&b, FName, p.leaf(Name))
		return p.done(b)
	}
	p.add(&b, FName, p.name())
	if p.eat(At) {
		p.add(&b, FPat, p.pattern())
	}
	return p.done(b)
}

func (p *parser) litPat() int32 {
	b := p.start(LitPat)
	if p.k == Minus {
		u := p.start(Unary)
		p.setOp(u, Minus)
		p.bump()
		if !p.k.isLiteral() {
			p.unexpected("a literal")
			return p.done(u)
		}
		p.add(&u, FExpr, p.leaf(Literal))
		p.add(&b, FExpr, p.done(u))
	} else {
		p.add(&b, FExpr, p.leaf(Literal))
	}
	return p.done(b)
}

// rangeTail continues a pattern that may be the low end of a range.
func (p *parser) rangeTail(lo int32) int32 {
	switch p.k {
	case DotDot, DotDotEq, DotDotDot:
		return p.rangePat(lo)
	}
	return lo
}

func (p *parser) rangePat(lo int32) int32 {
	var b builder
	if lo != 0 {
		b = p.wrap(RangePat, FLo, lo)
	} else {
		b = p.start(RangePat)
	}
	p.setOp(b, p.k)
	p.bump()
	if p.startsRangeEnd(p.k) {
		switch {
		case p.k == Minus, p.k.isLiteral():
			p.add(&b, FHi, p.litPat())
		case p.k == KwConst && p.nth(1) == LBrace:
			c := p.start(ConstPat)
			p.bump()
			p.add(&c, FBody, p.block())
			p.add(&b, FHi, p.done(c))
		default:
			p.add(&b, FHi, p.path(true))
		}
	}
	return p.done(b)
}

// startsRangeEnd tells whether a token can begin the high end of a range pattern.
func (p *parser) startsRangeEnd(k TokenKind) bool {
	switch k {
	case Minus, Lt, Shl, ColonColon, KwSelfType, KwSelf, KwSuper, KwCrate, KwConst:
		return true
	}
	return k.isLiteral() || k.isIdent()
}

func (p *parser) fieldPat() int32 {
	b := p.start(FieldPat)
	p.attrs(&b, false)
	if p.k == DotDot {
		if p.nodes[b.id].child == 0 {
			return p.leaf(RestPat)
		}
		p.add(&b, FPat, p.leaf(RestPat))
		return p.done(b)
	}
	if (p.k.isIdent() || p.k == Int) && p.nth(1) == Colon {
		p.add(&b, FName, p.leaf(Name))
		p.bump()
		p.add(&b, FPat, p.alternatives())
		return p.done(b)
	}
	if p.k == KwBox && p.nth(1).isIdent() {
		p.add(&b, FPat, p.pattern())
		return p.done(b)
	}
	p.add(&b, FPat, p.identPat())
	return p.done(b)
}

package syntax

func (p *parser) name() int32 {
	if !p.k.isIdent() {
		p.unexpected("a name")
		return p.none()
	}
	return p.leaf(Name)
}

// path reads a path. In expressions generic arguments need `::` before them; in types they don't.
func (p *parser) path(expr bool) int32 {
	b := p.start(Path)
	if p.k == Shl {
		p.split(Lt)
	}
	if p.k == Lt {
		p.add(&b, FQSelf, p.qself())
		p.expect(ColonColon, "`::`")
	} else if p.eat(ColonColon) {
		p.setFlag(b, flagGlobal)
	}
	for {
		p.add(&b, FSegment, p.segment(expr))
		if p.k != ColonColon {
			break
		}
		// `::` before anything else ends the path: use groups and globs.
		if n := p.nth(1); !(n.isIdent() || n == KwSuper || n == KwSelf || n == KwSelfType || n == KwCrate) {
			break
		}
		p.bump()
	}
	return p.done(b)
}

func (p *parser) qself() int32 {
	b := p.start(QSelf)
	p.bump()
	p.add(&b, FType, p.typ())
	if p.eat(KwAs) {
		p.add(&b, FTrait, p.path(false))
	}
	p.closeAngle()
	return p.done(b)
}

func (p *parser) segment(expr bool) int32 {
	b := p.start(Segment)
	switch {
	case p.k.isIdent(), p.k == KwSuper, p.k == KwSelf, p.k == KwSelfType, p.k == KwCrate:
		p.bump()
	default:
		p.unexpected("a name")
		return p.done(b)
	}
	switch {
	case expr:
		if p.k == ColonColon {
			if n := p.nth(1); n == Lt || n == Shl {
				p.bump()
				p.add(&b, FGenericArgs, p.genericArgs())
			}
		}
	case p.k == Lt || p.k == Shl || p.k == ColonColon && (p.nth(1) == Lt || p.nth(1) == Shl):
		p.eat(ColonColon)
		p.add(&b, FGenericArgs, p.genericArgs())
	case p.k == LParen || p.k == ColonColon && p.nth(1) == LParen:
		p.eat(ColonColon)
		p.add(&b, FParenArgs, p.typeParams())
		if p.k == Arrow_ {
			p.add(&b, FRet, p.retType(false))
		}
	}
	return p.done(b)
}

// closeAngle passes `>`, taking it off a longer token.
func (p *parser) closeAngle() {
	switch p.k {
	case Shr, Ge, ShrEq:
		p.split(Gt)
	}
	p.expect(Gt, "`>`")
}

func (p *parser) atCloseAngle() bool { return p.k == Gt || p.k == Shr || p.k == Ge || p.k == ShrEq }

func (p *parser) genericArgs() int32 {
	b := p.start(GenericArgs)
	if p.k == Shl {
		p.split(Lt)
	}
	p.expect(Lt, "`<`")
	for p.k != EOF && !p.atCloseAngle() {
		p.add(&b, FArg, p.genericArg())
		if !p.eat(Comma) {
			break
		}
	}
	p.closeAngle()
	return p.done(b)
}

func (p *parser) genericArg() int32 {
	switch {
	case p.k == LifetimeToken:
		return p.leaf(Lifetime)
	case p.k.isLiteral():
		return p.leaf(Literal)
	case p.k == LBrace:
		return p.block()
	case p.k == Minus:
		b := p.start(Unary)
		p.setOp(b, Minus)
		p.bump()
		if !p.k.isLiteral() {
			p.unexpected("a literal")
			return p.done(b)
		}
		p.add(&b, FExpr, p.leaf(Literal))
		return p.done(b)
	case p.k.isIdent():
		// Item = T, Item: Bound, Item<'a> = T
		i := p.after(p.pos)
		if p.kindAt(i) == Lt {
			i = p.skipAngles(i)
		}
		if k := p.kindAt(i); k == Eq || k == Colon {
			return p.assocArg()
		}
	}
	return p.typ()
}

// maxAngles bounds how far skipAngles looks, so that nested brackets cost no more than their length.
const maxAngles = 256

// skipAngles returns the index of the token behind the `<..>` that begins at token i, looking only. Where the brackets do not
// end, or only far behind, it returns the limit.
func (p *parser) skipAngles(i int32) int32 {
	for depth, n := 0, 0; ; n++ {
		if n > maxAngles {
			return p.limit
		}
		switch k := p.kindAt(i); k {
		case Lt:
			depth++
		case Shl:
			depth += 2
		case Gt:
			depth--
		case Shr:
			depth -= 2
		case EOF, Semi, RBrace, LBrace:
			return i
		case Ge, ShrEq:
			return i // cannot be followed by `=`
		case LParen, LBracket:
			i = p.toks[i].match
			if i >= p.limit {
				return p.limit
			}
		}
		if depth < 0 {
			return p.limit // the brackets of something around it end here as well
		}
		i = p.after(i)
		if depth == 0 {
			return i
		}
	}
}

func (p *parser) assocArg() int32 {
	b := p.start(AssocArg)
	p.add(&b, FName, p.name())
	if p.k == Lt {
		p.add(&b, FGenericArgs, p.genericArgs())
	}
	if p.eat(Colon) {
		p.add(&b, FBounds, p.bounds())
		return p.done(b)
	}
	p.expect(Eq, "`=`")
	if p.k.isLiteral() || p.k == LBrace || p.k == Minus {
		p.add(&b, FValue, p.genericArg())
	} else {
		p.add(&b, FType, p.typ())
	}
	return p.done(b)
}

// typ reads a type; `dyn` and `impl` types and bare trait objects may have several bounds.
func (p *parser) typ() int32 { return p.typePlus(true) }

// typeNoPlus reads a type that ends before a `+`, as behind `&` and `as`.
func (p *parser) typeNoPlus() int32 { return p.typePlus(false) }

func (p *parser) typePlus(plus bool) int32 {
	if !p.deeper() {
		return p.none()
	}
	id := p.type1(plus)
	p.depth--
	return id
}

func (p *parser) type1(plus bool) int32 {
	switch p.k {
	case LParen:
		return p.parenType(plus)
	case Bang:
		return p.leaf(NeverType)
	case Underscore:
		return p.leaf(InferType)
	case Star:
		b := p.start(PtrType)
		p.bump()
		if p.eat(KwMut) {
			p.setFlag(b, flagMut)
		} else {
			p.expect(KwConst, "`const` or `mut`")
		}
		p.add(&b, FType, p.typeNoPlus())
		return p.done(b)
	case AndAndAnd, AndAnd, And:
		if p.k != And {
			p.split(And)
		}
		b := p.start(RefType)
		p.bump()
		if p.k == LifetimeToken {
			p.add(&b, FLifetime, p.leaf(Lifetime))
		}
		if p.eat(KwMut) {
			p.setFlag(b, flagMut)
		}
		p.add(&b, FType, p.typeNoPlus())
		return p.done(b)
	case LBracket:
		b := p.start(SliceType)
		fr := p.enter()
		p.add(&b, FType, p.typ())
		if p.eat(Semi) {
			p.setKind(b, ArrayType)
			p.add(&b, FLen, p.expr())
		}
		p.leave(fr)
		return p.done(b)
	case KwImpl:
		b := p.start(ImplTrait)
		p.bump()
		p.add(&b, FBounds, p.boundsPlus(plus))
		return p.done(b)
	case KwDyn:
		b := p.start(DynTrait)
		p.bump()
		p.add(&b, FBounds, p.boundsPlus(plus))
		return p.done(b)
	case KwFn, KwUnsafe, KwExtern:
		return p.fnPtr(p.start(FnPtrType))
	case KwFor:
		// for<'a> fn(..), or for<'a> Trait<'a>
		i := p.skipAngles(p.after(p.pos))
		switch p.kindAt(i) {
		case KwFn, KwUnsafe, KwExtern:
			b := p.start(FnPtrType)
			p.add(&b, FBinder, p.binder())
			return p.fnPtr(b)
		}
		b := p.start(DynTrait)
		p.add(&b, FBounds, p.boundsPlus(plus))
		return p.done(b)
	case KwSpecFn, KwFnSpec:
		if p.nth(1) == LParen {
			b := p.start(SpecFnType)
			p.bump()
			p.add(&b, FParams, p.typeParams())
			if p.k == Arrow_ {
				p.add(&b, FRet, p.retType(false))
			}
			return p.done(b)
		}
	case KwProofFn:
		if n := p.nth(1); n == LParen || n == LBracket || n == Lt {
			b := p.start(SpecFnType)
			p.bump()
			if p.k == Lt {
				p.add(&b, FGenericArgs, p.genericArgs())
			}
			if p.k == LBracket {
				p.add(&b, FArgs, p.tokenTree())
			}
			if p.k != LParen {
				p.unexpected("`(`")
				return p.done(b)
			}
			p.add(&b, FParams, p.typeParams())
			if p.k == Arrow_ {
				p.add(&b, FRet, p.retType(false))
			}
			return p.done(b)
		}
	case LifetimeToken, Question:
		// a bare trait object that begins with a lifetime or ?Sized (edition 2015)
		b := p.start(DynTrait)
		p.add(&b, FBounds, p.boundsPlus(plus))
		return p.done(b)
	}
	if !(p.k.isIdent() || p.k == Lt || p.k == Shl || p.k == ColonColon || p.k == KwSelfType || p.k == KwSelf || p.k == KwSuper || p.k == KwCrate) {
		p.unexpected("a type")
		return p.none()
	}
	path := p.path(false)
	if p.k == Bang && p.nth(1).isOpen() {
		return p.macroArgs(p.wrap(MacroCall, FPath, path))
	}
	if plus && p.k == Plus {
		// a bare trait object: Trait + Send
		bound := p.done(p.wrap(TraitBound, FPath, path))
		bounds := p.wrap(Bounds, FBound, bound)
		p.bump()
		p.moreBounds(&bounds, true)
		b := p.wrap(DynTrait, FBounds, p.done(bounds))
		return p.done(b)
	}
	return path
}

func (p *parser) parenType(plus bool) int32 {
	b := p.start(TupleType)
	fr := p.enter()
	n, comma := 0, false
	for p.k != EOF {
		p.add(&b, FType, p.typ())
		n++
		if comma = p.eat(Comma); !comma {
			break
		}
	}
	p.leave(fr)
	if n == 1 && !comma {
		p.setKind(b, ParenType)
		id := p.done(b)
		if plus && p.k == Plus {
			bound := p.done(p.wrap(TraitBound, FPath, id))
			bounds := p.wrap(Bounds, FBound, bound)
			p.bump()
			p.moreBounds(&bounds, true)
			return p.done(p.wrap(DynTrait, FBounds, p.done(bounds)))
		}
		return id
	}
	return p.done(b)
}

func (p *parser) fnPtr(b builder) int32 {
	p.modifiers(&b)
	p.expect(KwFn, "`fn`")
	if p.k != LParen {
		p.unexpected("`(`")
		return p.done(b)
	}
	p.add(&b, FParams, p.typeParams())
	if p.k == Arrow_ {
		p.add(&b, FRet, p.retType(false))
	}
	return p.done(b)
}

// typeParams reads the parameters of a function type: types, with an optional name.
func (p *parser) typeParams() int32 {
	b := p.start(Params)
	p.delimited(&b, FParam, (*parser).typeParam)
	return p.done(b)
}

func (p *parser) typeParam() int32 {
	b := p.start(Param)
	p.attrs(&b, false)
	if p.k == DotDotDot {
		p.setKind(b, Variadic)
		p.bump()
		return p.done(b)
	}
	if p.k == KwTracked && p.nth(1) != Comma && p.nth(1) != EOF && p.nth(1) != ColonColon && p.nth(1) != Lt {
		p.add(&b, FMode, p.leaf(Mode))
	}
	if (p.k.isIdent() || p.k == Underscore) && p.nth(1) == Colon {
		p.add(&b, FPat, p.pattern())
		p.bump()
	}
	p.add(&b, FType, p.typ())
	return p.done(b)
}

// retType reads `-> T` with Verus's named forms.
func (p *parser) retType(plus bool) int32 {
	b := p.start(Ret)
	p.bump()
	if p.k == LParen {
		i := p.after(p.pos)
		if p.kindAt(i) == KwTracked || p.kindAt(i) == KwGhost {
			if n := p.kindAt(p.after(i)); n.isIdent() || n == LParen {
				i = p.after(i)
			}
		}
		// Only these two forms name a result; any other is a tuple or a type in parentheses.
		named := false
		switch k := p.kindAt(i); {
		case k == LParen:
			named = p.kindAt(p.after(p.toks[i].match)) == Colon
		case k.isIdent():
			named = p.kindAt(p.after(i)) == Colon
		}
		if named {
			fr := p.enter()
			if (p.k == KwTracked || p.k == KwGhost) && p.nth(1) != Colon {
				p.add(&b, FMode, p.leaf(Mode))
			}
			p.add(&b, FPat, p.pattern())
			p.expect(Colon, "`:`")
			p.add(&b, FType, p.typ())
			p.leave(fr)
			return p.done(b)
		}
	}
	if p.k == KwTracked {
		if n := p.nth(1); n.isIdent() || n == LParen || n == And || n == LBracket || n == KwSelfType {
			p.add(&b, FMode, p.leaf(Mode))
		}
	}
	p.add(&b, FType, p.typePlus(plus))
	return p.done(b)
}

func (p *parser) bounds() int32 { return p.boundsPlus(true) }

func (p *parser) boundsPlus(plus bool) int32 {
	b := p.start(Bounds)
	p.moreBounds(&b, plus)
	return p.done(b)
}

func (p *parser) moreBounds(b *builder, plus bool) {
	for p.atBound() {
		p.add(b, FBound, p.bound())
		if !plus || !p.eat(Plus) {
			return
		}
	}
}

func (p *parser) atBound() bool {
	switch p.k {
	case LifetimeToken, Question, KwFor, LParen, Tilde, Lt, ColonColon, KwConst, KwUse, KwSelfType, KwSelf, KwSuper, KwCrate, KwAsync, Bang, LBracket:
		return true
	}
	return p.k.isIdent() && !p.atClause()
}

func (p *parser) bound() int32 {
	switch p.k {
	case LifetimeToken:
		return p.leaf(Lifetime)
	case KwUse:
		b := p.start(UseBound)
		p.bump()
		p.add(&b, FArgs, p.genericArgs())
		return p.done(b)
	}
	b := p.start(TraitBound)
	if p.k == LParen {
		fr := p.enter()
		p.boundBody(&b)
		p.leave(fr)
		return p.done(b)
	}
	p.boundBody(&b)
	return p.done(b)
}

func (p *parser) boundBody(b *builder) {
	if p.k == KwFor {
		p.add(b, FBinder, p.binder())
	}
	for {
		switch {
		case p.k == Question, p.k == Bang, p.k == KwConst, p.k == KwAsync:
			p.add(b, FModifier, p.leaf(Modifier))
			continue
		case p.k == Tilde:
			m := p.start(Modifier)
			p.bump()
			p.expect(KwConst, "`const`")
			p.add(b, FModifier, p.done(m))
			continue
		case p.k == LBracket && p.nth(1) == KwConst:
			m := p.start(Modifier)
			p.skipTree()
			p.add(b, FModifier, p.done(m))
			continue
		}
		break
	}
	if p.k == KwFor {
		p.add(b, FBinder, p.binder())
	}
	p.add(b, FPath, p.path(false))
}

// binder reads for<'a, ..>.
func (p *parser) binder() int32 {
	b := p.start(Binder)
	p.bump()
	p.angleParams(&b)
	return p.done(b)
}

func (p *parser) genericParams() int32 {
	b := p.start(GenericParams)
	p.angleParams(&b)
	return p.done(b)
}

func (p *parser) angleParams(b *builder) {
	p.expect(Lt, "`<`")
	for p.k != EOF && !p.atCloseAngle() {
		p.add(b, FParam, p.genericParam())
		if !p.eat(Comma) {
			break
		}
	}
	p.closeAngle()
}

func (p *parser) genericParam() int32 {
	b := p.start(TypeParam)
	p.attrs(&b, false)
	switch {
	case p.k == LifetimeToken:
		p.setKind(b, LifetimeParam)
		p.add(&b, FName, p.leaf(Lifetime))
		if p.eat(Colon) {
			p.add(&b, FBounds, p.bounds())
		}
	case p.k == KwConst:
		p.setKind(b, ConstParam)
		p.bump()
		p.add(&b, FName, p.name())
		p.expect(Colon, "`:`")
		p.add(&b, FType, p.typ())
		if p.eat(Eq) {
			p.add(&b, FDefault, p.genericArg())
		}
	default:
		if p.k == Underscore {
			p.add(&b, FName, p.leaf(Name))
		} else {
			p.add(&b, FName, p.name())
		}
		if p.eat(Colon) {
			p.add(&b, FBounds, p.bounds())
		}
		if p.k == Eq {
			p.bump()
			p.add(&b, FDefault, p.typ())
		}
	}
	return p.done(b)
}

func (p *parser) where() int32 {
	b := p.start(Where)
	p.bump()
	for {
		switch p.k {
		case EOF, LBrace, Semi, Eq, Comma, Colon:
			return p.done(b)
		}
		if p.atClause() && p.nth(1) != Colon && p.nth(1) != Lt && p.nth(1) != ColonColon {
			return p.done(b)
		}
		q := p.start(WherePred)
		if p.k == LifetimeToken {
			p.add(&q, FType, p.leaf(Lifetime))
		} else {
			if p.k == KwFor {
				p.add(&q, FBinder, p.binder())
			}
			p.add(&q, FType, p.typeNoPlus())
		}
		p.expect(Colon, "`:`")
		p.add(&q, FBounds, p.bounds())
		p.add(&b, FPred, p.done(q))
		if !p.eat(Comma) {
			return p.done(b)
		}
	}
}

package syntax

// Binding powers, loosest first. The order is that of the official parser.
const (
	precAssign = iota + 1
	precRange
	precIff
	precExplies
	precImplies
	precOr
	precAnd
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precSum
	precProduct
	precCast
	precIs
)

var precedence = [256]uint8{
	Eq: precAssign, PlusEq: precAssign, MinusEq: precAssign, StarEq: precAssign, SlashEq: precAssign, PercentEq: precAssign, CaretEq: precAssign,
	AndEq: precAssign, OrEq: precAssign, ShlEq: precAssign, ShrEq: precAssign,
	DotDot: precRange, DotDotEq: precRange, DotDotDot: precRange,
	Iff: precIff, Explies: precExplies, Implies: precImplies, OrOr: precOr, AndAnd: precAnd,
	EqEq: precCompare, Ne: precCompare, Lt: precCompare, Le: precCompare, Gt: precCompare, Ge: precCompare, EqEqEq: precCompare, NeEq: precCompare,
	ExtEq: precCompare, NotExtEq: precCompare, DeepEq: precCompare, NotDeep: precCompare,
	Or: precBitOr, Caret: precBitXor, And: precBitAnd, Shl: precShift, Shr: precShift, Plus: precSum, Minus: precSum,
	Star: precProduct, Slash: precProduct, Percent: precProduct, KwAs: precCast,
	KwIs: precIs, KwIsnt: precIs, KwHas: precIs, KwHasnt: precIs, KwMatches: precIs,
}

// expr reads an expression.
func (p *parser) expr() int32 { return p.climb(p.unary(), precAssign) }

// climb reads operators behind lhs that bind at least as tightly as low.
func (p *parser) climb(lhs int32, low uint8) int32 {
	for n := 0; ; n++ {
		prec := precedence[p.k]
		if prec == 0 {
			if p.k != Bang || !p.notIs() {
				return lhs
			}
			prec = precIs
		}
		if prec < low {
			return lhs
		}
		if n > maxChain {
			p.fail("too many operators in a row")
			return lhs
		}
		switch prec {
		case precAssign:
			b := p.wrap(Assign, FLhs, lhs)
			p.setOp(b, p.k)
			p.bump()
			p.add(&b, FRhs, p.operand(precAssign))
			lhs = p.done(b)
		case precRange:
			if p.kind(lhs) == Range {
				return lhs
			}
			lhs = p.rangeExpr(lhs)
		case precImplies:
			lhs = p.binary(lhs, precImplies) // associates to the right
		case precCast:
			b := p.wrap(Cast, FExpr, lhs)
			p.bump()
			p.add(&b, FType, p.typeNoPlus())
			lhs = p.done(b)
		case precIs:
			lhs = p.isHasMatches(lhs)
		case precIff:
			if low > precIff {
				return lhs
			}
			lhs = p.binary(lhs, precIff+1)
			if p.k == Iff {
				p.fail("`<==>` does not associate; use parentheses")
			}
		default:
			lhs = p.binary(lhs, prec+1)
		}
	}
}

// operand reads an operand and the operators behind it that bind at least as tightly as low.
func (p *parser) operand(low uint8) int32 {
	if !p.deeper() {
		return p.none()
	}
	id := p.climb(p.unary(), low)
	p.depth--
	return id
}

func (p *parser) binary(lhs int32, low uint8) int32 {
	b := p.wrap(Binary, FLhs, lhs)
	p.setOp(b, p.k)
	p.bump()
	p.add(&b, FRhs, p.operand(low))
	return p.done(b)
}

// notIs tells `!is` and `!has`, which Verus reads as one word only when nothing stands between.
func (p *parser) notIs() bool {
	n := p.nth(1)
	return (n == KwIs || n == KwHas) && p.toks[p.pos].end == p.toks[p.pos+1].start
}

func (p *parser) isHasMatches(lhs int32) int32 {
	not := p.eat(Bang)
	switch p.k {
	case KwIs, KwIsnt:
		b := p.wrap(Is, FExpr, lhs)
		if not || p.k == KwIsnt {
			p.setFlag(b, flagNot)
		}
		p.bump()
		p.add(&b, FName, p.name())
		return p.done(b)
	case KwHas, KwHasnt:
		b := p.wrap(Has, FLhs, lhs)
		if not || p.k == KwHasnt {
			p.setFlag(b, flagNot)
		}
		p.bump()
		p.add(&b, FRhs, p.unary())
		return p.done(b)
	}
	b := p.wrap(Matches, FExpr, lhs)
	p.bump()
	p.add(&b, FPat, p.pattern())
	m := p.done(b)
	// What follows sees the names that the pattern binds, so it belongs to this expression whatever binds around it.
	switch p.k {
	case Implies:
		return p.binary(m, precImplies)
	case AndAnd:
		return p.binary(m, precAnd)
	case AndAndAnd:
		// The rest of a &&& list.
		r := p.wrap(Binary, FLhs, m)
		p.setOp(r, AndAndAnd)
		p.add(&r, FRhs, p.bigList())
		return p.done(r)
	}
	return m
}

func (p *parser) rangeExpr(lo int32) int32 {
	var b builder
	if lo != 0 {
		b = p.wrap(Range, FLo, lo)
	} else {
		b = p.start(Range)
	}
	p.setOp(b, p.k)
	closed := p.k == DotDotEq
	if p.k == DotDotDot {
		p.noteAt("`...` is no range of an expression; write `..=`")
	}
	p.bump()
	if p.startsExpr() {
		p.add(&b, FHi, p.operand(precRange+1))
	} else if closed {
		p.unexpected("an expression")
	}
	return p.done(b)
}

// startsExpr tells whether the current token can begin an expression.
func (p *parser) startsExpr() bool {
	switch p.k {
	case LBrace:
		return !p.noStruct
	case LParen, LBracket, Bang, Minus, Star, And, AndAnd, Or, OrOr, Lt, Shl, ColonColon, DotDot, DotDotEq, LifetimeToken, Hash,
		KwIf, KwMatch, KwWhile, KwLoop, KwFor, KwUnsafe, KwAsync, KwConst, KwStatic, KwMove, KwReturn, KwBreak, KwContinue, KwLet,
		KwSelf, KwSelfType, KwSuper, KwCrate, Underscore:
		return true
	}
	if p.k.isIdent() {
		if p.noStruct && p.atClause() {
			return false
		}
		return true
	}
	return p.k.isLiteral()
}

// unary reads a prefix expression.
func (p *parser) unary() int32 {
	if !p.deeper() {
		return p.none()
	}
	id := p.unary1()
	p.depth--
	return id
}

func (p *parser) unary1() int32 {
	switch p.k {
	case Hash:
		b := p.start(AttrExpr)
		p.attrs(&b, false)
		if p.nodes[b.id].child == 0 {
			p.unexpected("an expression")
			return p.done(b)
		}
		p.add(&b, FExpr, p.unary())
		return p.done(b)
	case Bang, Minus, Star:
		b := p.start(Unary)
		p.setOp(b, p.k)
		p.bump()
		p.add(&b, FExpr, p.unary())
		return p.done(b)
	case And, AndAnd:
		if p.k == AndAnd {
			p.split(And)
		}
		b := p.start(Ref)
		p.bump()
		if p.k == KwRaw && (p.nth(1) == KwConst || p.nth(1) == KwMut) {
			p.setFlag(b, flagBody)
			p.bump()
			if p.eat(KwMut) {
				p.setFlag(b, flagMut)
			} else {
				p.bump()
			}
		} else if p.eat(KwMut) {
			p.setFlag(b, flagMut)
		}
		p.add(&b, FExpr, p.unary())
		return p.done(b)
	case AndAndAnd, OrOrOr:
		p.fail("a leading `" + p.text(p.pos) + "` must stand at the start of a block {..}")
		return p.none()
	case DotDot, DotDotEq:
		return p.rangeExpr(0)
	case KwProof:
		if p.nth(1) == LBrace {
			b := p.start(ProofBlock)
			p.bump()
			p.add(&b, FBody, p.block())
			return p.done(b)
		}
	case KwForall, KwExists, KwChoose:
		if n := p.nth(1); n == Or || n == OrOr || n == OrOrOr {
			return p.quant()
		}
	}
	return p.postfix(p.atom())
}

func (p *parser) quant() int32 {
	b := p.start(Quant)
	p.setOp(b, p.k)
	p.bump()
	p.closureParams(&b)
	p.innerAttrs(&b)
	p.add(&b, FExpr, p.expr())
	return p.done(b)
}

// closureParams reads |a, b: T|.
func (p *parser) closureParams(b *builder) {
	switch p.k {
	case OrOrOr:
		p.split(Or)
		p.bump()
		p.split(Or)
		p.bump()
		return
	case OrOr:
		p.bump()
		return
	}
	p.expect(Or, "`|`")
	for p.k != EOF && p.k != Or && p.k != OrOr && p.k != OrOrOr {
		q := p.start(Param)
		p.attrs(&q, false)
		if p.k == KwTracked && p.nth(1) != Comma && p.nth(1) != Colon && p.nth(1) != Or {
			p.add(&q, FMode, p.leaf(Mode))
		}
		p.add(&q, FPat, p.pattern())
		if p.eat(Colon) {
			p.add(&q, FType, p.typ())
		}
		p.add(b, FParam, p.done(q))
		if !p.eat(Comma) {
			break
		}
	}
	if p.k == OrOr || p.k == OrOrOr {
		p.split(Or)
	}
	p.expect(Or, "`|`")
}

func (p *parser) closure() int32 {
	b := p.start(Closure)
	if p.k == KwFor {
		p.add(&b, FBinder, p.binder())
	}
	for {
		switch p.k {
		case KwConst, KwStatic, KwAsync, KwMove:
			p.add(&b, FModifier, p.leaf(Modifier))
			continue
		case KwProofFn:
			m := p.start(Mode)
			p.bump()
			if p.k == LBracket {
				p.skipTree()
			}
			p.add(&b, FMode, p.done(m))
			continue
		}
		break
	}
	p.closureParams(&b)
	if p.k == Arrow_ || p.k == KwRequires || p.k == KwEnsures {
		if p.k == Arrow_ {
			p.add(&b, FRet, p.retType(false))
		}
		p.clauses(&b, exprContext)
		p.innerAttrs(&b)
		p.add(&b, FBody, p.block())
		return p.done(b)
	}
	p.innerAttrs(&b)
	p.add(&b, FBody, p.expr())
	return p.done(b)
}

// postfix reads calls, selections and the like behind an expression.
func (p *parser) postfix(e int32) int32 {
	for n := 0; ; n++ {
		if n > maxChain {
			p.fail("too many operators in a row")
			return e
		}
		switch p.k {
		case LParen:
			b := p.wrap(Call, FCallee, e)
			p.add(&b, FArgs, p.args())
			e = p.atomically(p.done(b))
		case LBracket:
			b := p.wrap(Index, FExpr, e)
			fr := p.enter()
			p.add(&b, FIndex, p.expr())
			p.leave(fr)
			e = p.done(b)
		case Question:
			b := p.wrap(Try, FExpr, e)
			p.bump()
			e = p.done(b)
		case At:
			b := p.wrap(View, FExpr, e)
			p.bump()
			e = p.done(b)
		case Arrow_:
			b := p.wrap(Arrow, FExpr, e)
			p.bump()
			if p.k == Int {
				p.add(&b, FName, p.leaf(Name))
			} else {
				p.add(&b, FName, p.name())
			}
			e = p.done(b)
		case Dot:
			e = p.dot(e)
		default:
			return e
		}
	}
}

func (p *parser) dot(e int32) int32 {
	p.bump()
	switch {
	case p.k == KwAwait:
		b := p.wrap(Await, FExpr, e)
		p.bump()
		return p.done(b)
	case p.k == Int:
		b := p.wrap(FieldExpr, FExpr, e)
		p.add(&b, FName, p.leaf(Name))
		return p.done(b)
	case p.k.isIdent():
		n := p.nth(1)
		if n != LParen && !(n == ColonColon && (p.nth(2) == Lt || p.nth(2) == Shl)) {
			b := p.wrap(FieldExpr, FExpr, e)
			p.add(&b, FName, p.leaf(Name))
			return p.done(b)
		}
		b := p.wrap(MethodCall, FReceiver, e)
		p.add(&b, FName, p.leaf(Name))
		if p.eat(ColonColon) {
			p.add(&b, FGenericArgs, p.genericArgs())
		}
		if p.k != LParen {
			p.unexpected("`(`")
			return p.done(b)
		}
		p.add(&b, FArgs, p.args())
		return p.atomically(p.done(b))
	case p.k == Float:
		// `x.0.1` never comes here: the lexer reads digits only behind a dot.
		fallthrough
	default:
		p.unexpected("a name, an index or `await`")
		return e
	}
}

func (p *parser) args() int32 {
	b := p.start(Args)
	p.delimited(&b, FExpr, (*parser).expr)
	return p.done(b)
}

// atomically reads the block that may follow a call: f(x) atomically |upd| ensures .. { .. }.
func (p *parser) atomically(call int32) int32 {
	label := p.k == LifetimeToken && p.nth(1) == Colon && p.nth(2) == KwAtomically
	if !label && (p.k != KwAtomically || p.nth(1) != Or && p.nth(1) != KwLoop) {
		return call
	}
	b := p.wrap(AtomicallyCall, FExpr, call)
	if label {
		p.add(&b, FLabel, p.leaf(Label))
		p.bump()
	}
	p.bump()
	p.eat(KwLoop)
	p.closureParams(&b)
	if p.k == Arrow_ {
		p.add(&b, FRet, p.retType(false))
	}
	p.clauses(&b, exprContext)
	p.add(&b, FBody, p.block())
	return p.done(b)
}

// atom reads an expression without prefix and postfix operators.
func (p *parser) atom() int32 {
	switch p.k {
	case LParen:
		return p.paren()
	case LBracket:
		return p.array()
	case LBrace:
		return p.block()
	case Or, OrOr, KwMove, KwStatic:
		return p.closure()
	case Lt, Shl, ColonColon, KwSelf, KwSelfType, KwSuper, KwCrate:
		return p.pathExpr()
	case Underscore:
		b := p.start(Path) // the place of an assignment that drops its value
		p.add(&b, FSegment, p.leaf(Segment))
		return p.done(b)
	case KwIf:
		return p.ifExpr()
	case KwMatch:
		return p.match()
	case KwWhile, KwLoop:
		return p.loop(p.start(Loop))
	case KwFor:
		if p.nth(1) == Lt {
			return p.closure()
		}
		return p.loop(p.start(Loop))
	case LifetimeToken:
		return p.labelled()
	case KwUnsafe:
		return p.modifiedBlock()
	case KwConst:
		if p.nth(1) == LBrace {
			return p.modifiedBlock()
		}
		return p.closure()
	case KwAsync, KwGen:
		switch n := p.nth(1); {
		case n == LBrace, n == KwMove && p.nth(2) == LBrace, n == KwGen:
			return p.modifiedBlock()
		case n == Or, n == OrOr, n == KwMove:
			return p.closure()
		}
		if p.k == KwAsync {
			p.unexpected("an expression")
			return p.none()
		}
	case KwTry:
		if p.nth(1) == LBrace {
			return p.modifiedBlock()
		}
	case KwProofFn:
		if n := p.nth(1); n == Or || n == OrOr || n == LBracket || n == KwMove {
			return p.closure()
		}
	case KwReturn:
		return p.jump(Return)
	case KwBreak:
		return p.jump(Break)
	case KwContinue:
		return p.jump(Continue)
	case KwYield:
		return p.jump(Yield)
	case KwBecome:
		if n := p.nth(1); n.isIdent() || n == LParen || n == KwSelf || n == KwSelfType {
			b := p.start(Become)
			p.bump()
			p.add(&b, FExpr, p.expr())
			return p.done(b)
		}
	case KwLet:
		b := p.start(LetCond)
		p.bump()
		p.add(&b, FPat, p.alternatives())
		p.expect(Eq, "`=`")
		p.add(&b, FExpr, p.operand(precCompare))
		return p.done(b)
	}
	if p.k.isLiteral() {
		return p.leaf(Literal)
	}
	if p.k.isIdent() {
		return p.pathExpr()
	}
	if p.k == Conflict {
		p.fail("merge conflict marker")
		return p.none()
	}
	p.unexpected("an expression")
	return p.none()
}

// pathExpr reads a path, a macro call or a struct literal.
func (p *parser) pathExpr() int32 {
	path := p.path(true)
	switch p.k {
	case Bang:
		if p.nth(1).isOpen() {
			return p.macroArgs(p.wrap(MacroCall, FPath, path))
		}
	case LBrace:
		if !p.noStruct {
			return p.structExpr(path)
		}
	}
	return path
}

func (p *parser) structExpr(path int32) int32 {
	b := p.wrap(StructExpr, FPath, path)
	fr := p.enter()
	for p.k != EOF {
		if p.k == DotDot {
			p.bump()
			if p.k == EOF {
				p.setFlag(b, flagBody)
			} else {
				p.add(&b, FBase, p.expr())
			}
			break
		}
		f := p.start(FieldInit)
		p.attrs(&f, false)
		if p.k == Int {
			p.add(&f, FName, p.leaf(Name))
		} else {
			p.add(&f, FName, p.name())
		}
		if p.eat(Colon) {
			p.add(&f, FExpr, p.expr())
		}
		p.add(&b, FFieldInit, p.done(f))
		if !p.eat(Comma) {
			break
		}
	}
	p.leave(fr)
	return p.done(b)
}

func (p *parser) paren() int32 {
	b := p.start(Tuple)
	fr := p.enter()
	n, comma := 0, false
	p.attrs(&b, true)
	for p.k != EOF {
		p.add(&b, FExpr, p.expr())
		n++
		if comma = p.eat(Comma); !comma {
			break
		}
	}
	p.leave(fr)
	if n == 1 && !comma {
		p.setKind(b, Paren)
	}
	return p.done(b)
}

func (p *parser) array() int32 {
	b := p.start(Array)
	fr := p.enter()
	p.attrs(&b, true)
	if p.k != EOF {
		p.add(&b, FExpr, p.expr())
		if p.eat(Semi) {
			p.setKind(b, ArrayRepeat)
			p.add(&b, FLen, p.expr())
		} else if p.eat(Comma) {
			p.list(&b, FExpr, (*parser).expr)
		}
	}
	p.leave(fr)
	return p.done(b)
}

// modifiedBlock reads unsafe {..}, const {..}, async move {..}, try {..}.
func (p *parser) modifiedBlock() int32 {
	b := p.start(Block)
	for p.k != LBrace && p.k != EOF {
		switch p.k {
		case KwUnsafe, KwConst, KwAsync, KwMove, KwTry, KwGen:
			p.add(&b, FModifier, p.leaf(Modifier))
			continue
		}
		break
	}
	return p.blockInto(b)
}

func (p *parser) labelled() int32 {
	b := p.start(Loop)
	p.add(&b, FLabel, p.leaf(Label))
	p.expect(Colon, "`:`")
	switch p.k {
	case LBrace:
		p.setKind(b, Block)
		return p.blockInto(b)
	case KwUnsafe:
		p.setKind(b, Block)
		p.add(&b, FModifier, p.leaf(Modifier))
		return p.blockInto(b)
	case KwWhile, KwLoop, KwFor:
		return p.loop(b)
	}
	p.unexpected("a loop or a block")
	return p.done(b)
}

func (p *parser) loop(b builder) int32 {
	k := p.k
	outer := p.noStruct
	p.noStruct = true
	p.bump()
	switch k {
	case KwWhile:
		p.setKind(b, While)
		p.add(&b, FCond, p.expr())
	case KwFor:
		p.setKind(b, For)
		p.add(&b, FPat, p.alternatives())
		p.expect(KwIn, "`in`")
		if p.k.isIdent() && p.nth(1) == Colon {
			p.add(&b, FName, p.name())
			p.bump()
		}
		p.add(&b, FExpr, p.expr())
	}
	p.clauses(&b, exprContext)
	p.noStruct = outer
	p.add(&b, FBody, p.block())
	return p.done(b)
}

func (p *parser) cond() int32 {
	outer := p.noStruct
	p.noStruct = true
	id := p.expr()
	p.noStruct = outer
	return id
}

func (p *parser) ifExpr() int32 {
	b := p.start(If)
	p.bump()
	p.add(&b, FCond, p.cond())
	p.add(&b, FThen, p.block())
	if p.eat(KwElse) {
		if p.k == KwIf {
			if !p.deeper() {
				return p.done(b)
			}
			p.add(&b, FElse, p.ifExpr())
			p.depth--
		} else {
			p.add(&b, FElse, p.block())
		}
	}
	return p.done(b)
}

func (p *parser) match() int32 {
	b := p.start(Match)
	p.bump()
	p.add(&b, FExpr, p.cond())
	if p.k != LBrace {
		p.unexpected("`{`")
		return p.done(b)
	}
	fr := p.enter()
	p.attrs(&b, true)
	for p.k != EOF {
		p.add(&b, FArm, p.arm())
	}
	p.leave(fr)
	return p.done(b)
}

func (p *parser) arm() int32 {
	b := p.start(Arm)
	p.attrs(&b, false)
	p.add(&b, FPat, p.alternatives())
	if p.eat(KwIf) {
		p.add(&b, FGuard, p.expr())
	}
	p.expect(FatArrow, "`=>`")
	var body int32
	ends := false
	if p.k == Hash {
		a := p.start(AttrExpr)
		p.attrs(&a, false)
		var e int32
		e, ends = p.armExpr()
		p.add(&a, FExpr, e)
		body = p.done(a)
	} else {
		body, ends = p.armExpr()
	}
	p.add(&b, FBody, body)
	if !p.eat(Comma) && p.k != EOF && !ends {
		p.unexpected("`,` or `}`")
	}
	return p.done(b)
}

// armExpr reads the body of a match arm. A `{..}` block ends it; a macro call in braces needs its comma there.
func (p *parser) armExpr() (int32, bool) {
	if p.k == AndAndAnd || p.k == OrOrOr {
		return p.expr(), false
	}
	e, ends := p.stmtExpr()
	if p.kind(e) == MacroCall {
		ends = false
		e = p.climb(p.postfix(e), precAssign)
	}
	return e, ends
}

func (p *parser) jump(kind Kind) int32 {
	b := p.start(kind)
	p.bump()
	if (kind == Break || kind == Continue) && p.k == LifetimeToken && p.nth(1) != Colon {
		p.add(&b, FLabel, p.leaf(Label))
	}
	if kind != Continue && p.startsExpr() && !(kind == Break && p.k == LBrace && p.noStruct) {
		p.add(&b, FExpr, p.expr())
	}
	return p.done(b)
}

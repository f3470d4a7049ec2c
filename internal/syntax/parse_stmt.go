package syntax

import "fmt"

// block reads `{ .. }`: the current token must be the brace.
func (p *parser) block() int32 { return p.blockInto(p.start(Block)) }

func (p *parser) blockInto(b builder) int32 {
	if p.k != LBrace {
		p.unexpected("`{`")
		return p.done(b)
	}
	if !p.deeper() {
		return p.done(b)
	}
	fr := p.enter()
	p.attrs(&b, true)
	p.stmts(&b)
	p.leave(fr)
	p.depth--
	return p.done(b)
}

// stmts reads statements up to the end of the delimiters. What is none becomes Unknown.
func (p *parser) stmts(b *builder) {
	depth := p.depth
	for p.k != EOF {
		start, mark := p.pos, len(p.nodes)
		limit, noStruct := p.limit, p.noStruct
		id := p.stmt()
		if p.bad {
			p.limit, p.noStruct, p.depth = limit, noStruct, depth
			id = p.recover(start, mark)
		}
		p.add(b, FStmt, id)
		if p.pos == start {
			return
		}
	}
}

func (p *parser) stmt() int32 {
	if p.k == Semi {
		return p.leaf(EmptyStmt)
	}
	b := p.start(ExprStmt)
	p.attrs(&b, false)
	switch p.k {
	case KwLet:
		return p.let(b)
	case Ident, LParen, KwSelf, Star, KwIf, KwMatch, KwReturn, KwWhile, KwFor, KwLoop, LBrace:
		// the common starts that are no item
		if p.k == Ident && p.nth(1) == Bang && p.nth(2).isIdent() && p.nth(3).isOpen() {
			p.setKind(b, Unknown)
			return p.itemRest(b)
		}
	default:
		if k := p.itemKeyword(); k != EOF {
			p.setKind(b, Unknown)
			return p.itemRest(b)
		}
	}
	e, ends := p.stmtExpr()
	p.add(&b, FExpr, e)
	switch {
	case p.k == Semi:
		p.setFlag(b, flagSemi)
		p.bump()
	case p.k == EOF || ends:
	default:
		p.unexpected("`;` or `}`")
	}
	return p.done(b)
}

// stmtExpr reads an expression at the start of a statement or match arm, where one that ends in a block is complete: what
// follows is a new statement, except for a method call or `?`. ends tells that no `;` need follow.
func (p *parser) stmtExpr() (id int32, ends bool) {
	switch p.k {
	case AndAndAnd, OrOrOr:
		return p.bigList(), false
	case KwAssume:
		if p.nth(1) == LParen {
			return p.unused(p.assume()), false
		}
	case KwAssert:
		switch p.nth(1) {
		case KwForall:
			return p.blockTail(p.assertForall())
		case LParen:
			a := p.assert()
			for c := p.nodes[a].child; c != 0; c = p.nodes[c].next {
				if p.nodes[c].field == FBody {
					return p.blockTail(a)
				}
			}
			return p.unused(a), false
		}
	}
	first := p.k
	switch first {
	case KwIf, KwMatch, KwWhile, KwLoop, KwFor, LBrace, KwUnsafe, LifetimeToken, KwConst, KwAsync, KwTry, KwProof:
		if first == KwFor && p.nth(1) == Lt {
			break
		}
		if (first == KwProof || first == KwTry) && p.nth(1) != LBrace {
			break
		}
		var e int32
		if first == KwProof {
			e = p.unary()
		} else {
			e = p.atom()
		}
		if p.blockLike(e) {
			return p.blockTail(e)
		}
		return p.climb(p.postfix(e), precAssign), false
	}
	// A macro call in braces is complete as well: `m! {..}` `*x = 1;` are two statements.
	if n := p.nth(1); first.isIdent() && (n == Bang || n == ColonColon) || first == ColonColon ||
		n == ColonColon && (first == KwCrate || first == KwSuper || first == KwSelf) {
		e := p.atom()
		if p.kind(e) == MacroCall && p.lastKind(e) == RBrace {
			return p.blockTail(e)
		}
		return p.climb(p.postfix(e), precAssign), false
	}
	e := p.expr()
	if first == Ident {
		p.checkReveal(e)
	}
	return e, false
}

// unused refuses an assert or assume with an operator behind it. The official parser takes it for an operand, and writes an empty block in its place, which
// is a statement for rustc: of `assert(a) - 1` it makes `{} -1`, two statements.
func (p *parser) unused(e int32) int32 {
	whole := p.climb(e, precAssign)
	if whole != e {
		p.note(p.span(whole), "`assert` and `assume` have no value: `;` is missing behind it")
	}
	return whole
}

// checkReveal notes a reveal or hide with the wrong number of arguments.
func (p *parser) checkReveal(e int32) {
	if p.kind(e) != Call {
		return
	}
	callee := p.nodes[e].child
	want := 1
	switch p.text(p.nodes[callee].first) {
	case "reveal", "hide":
	case "reveal_with_fuel":
		want = 2
	default:
		return
	}
	have := 0
	for a := p.nodes[p.nodes[callee].next].child; a != 0; a = p.nodes[a].next {
		have++
	}
	if p.nodes[callee].end == p.nodes[callee].first+1 && have != want {
		p.note(p.span(e), fmt.Sprintf("wrong number of arguments: %d, not %d", have, want))
	}
}

// lastKind is the kind of a node's last token.
func (p *parser) lastKind(id int32) TokenKind {
	i := p.nodes[id].end - 1
	for p.toks[i].kind == hole {
		i--
	}
	return p.toks[i].kind
}

// blockTail continues an expression that ends in a block at the start of a statement.
func (p *parser) blockTail(e int32) (int32, bool) {
	if p.k == Dot || p.k == Question || p.k == Arrow_ && p.kind(e) != MacroCall {
		return p.climb(p.postfix(e), precAssign), false
	}
	return e, true
}

// blockLike tells an expression that is a whole statement without `;`.
func (p *parser) blockLike(e int32) bool {
	switch p.kind(e) {
	case If, Match, While, Loop, For, ProofBlock, AssertForall:
		return true
	case Block:
		// an async block is a value like others; the official parser wants `;` behind it
		for c := p.nodes[e].child; c != 0 && p.nodes[c].field == FModifier; c = p.nodes[c].next {
			if p.toks[p.nodes[c].first].kind == KwAsync {
				return false
			}
		}
		return true
	}
	return false
}

func (p *parser) let(b builder) int32 {
	p.setKind(b, Let)
	p.bump()
	if n := p.nth(1); (p.k == KwGhost || p.k == KwTracked) && n != Eq && n != Colon && n != Semi {
		p.add(&b, FMode, p.leaf(Mode))
	}
	p.add(&b, FPat, p.alternatives())
	if p.eat(Colon) {
		p.add(&b, FType, p.typ())
	}
	if p.eat(Eq) {
		p.add(&b, FInit, p.expr())
		if p.k == KwElse {
			p.bump()
			p.add(&b, FElse, p.block())
		}
	}
	p.expect(Semi, "`;`")
	return p.done(b)
}

// bigList reads &&& a &&& b or ||| a ||| b.
func (p *parser) bigList() int32 {
	op := p.k
	kind := BigAnd
	if op == OrOrOr {
		kind = BigOr
	}
	b := p.start(kind)
	for n := 0; p.eat(op); n++ {
		p.add(&b, FExpr, p.expr())
		if n > maxChain {
			p.fail("too many operators in a row")
		}
	}
	return p.done(b)
}

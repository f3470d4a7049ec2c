package syntax

// assume reads assume(e), where Verus takes it as a keyword.
func (p *parser) assume() int32 {
	b := p.start(Assume)
	p.bump()
	p.parenExpr(&b)
	return p.done(b)
}

func (p *parser) parenExpr(b *builder) {
	fr := p.enter()
	p.add(b, FExpr, p.expr())
	p.leave(fr)
}

// assert reads assert(e), assert(e) by { .. }, assert(e) by(prover) requires .. { .. }.
func (p *parser) assert() int32 {
	b := p.start(Assert)
	p.bump()
	p.parenExpr(&b)
	if p.k != KwBy {
		return p.done(b)
	}
	p.bump()
	if p.k == LParen {
		p.add(&b, FProver, p.prover())
	} else if p.k != LBrace && p.k != KwRequires {
		p.unexpected("`{` or a prover in parentheses")
	}
	if p.k == KwRequires {
		p.add(&b, FClause, p.clause(Requires, exprContext))
	}
	if p.k == LBrace {
		p.add(&b, FBody, p.block())
	}
	return p.done(b)
}

// proverName reads (nonlinear_arith) or the like.
func (p *parser) proverName() {
	fr := p.enter()
	if p.k.isIdent() {
		p.bump()
	} else {
		p.unexpected("the name of a prover")
	}
	p.leave(fr)
}

func (p *parser) prover() int32 {
	b := p.start(Prover)
	p.proverName()
	return p.done(b)
}

// assertForall reads assert forall|x| e [implies e2] by { .. }.
func (p *parser) assertForall() int32 {
	b := p.start(AssertForall)
	p.bump()
	p.bump()
	p.closureParams(&b)
	p.innerAttrs(&b)
	p.add(&b, FExpr, p.expr())
	if p.eat(KwImplies) {
		p.add(&b, FImplies, p.expr())
	}
	p.expect(KwBy, "`by`")
	p.add(&b, FBody, p.block())
	return p.done(b)
}

// macroForm says how the inside of a macro is read.
type macroForm uint8

const (
	formTokens macroForm = iota // as it is
	formItems                   // items
	formStmts                   // statements
	formExprs                   // expressions between `,` `;` `=>`
	formCalc                    // calc!: operators in parentheses, expressions and blocks
	formAtomic                  // atomic_with_ghost!
)

// macroForms are the macros whose inside is Verus code, by last path segment.
func macroFormOf(name string) macroForm {
	switch name {
	case "verus", "verus_", "verus_impl", "verus_trait_impl", "verus_keep_ghost", "verus_erase_ghost", "exec_spec", "exec_spec_verified",
		"exec_spec_unverified":
		return formItems
	case "proof", "proof_decl", "verus_exec_expr", "verus_exec_expr_keep_ghost", "verus_exec_expr_erase_ghost", "verus_proof_expr":
		return formStmts
	case "seq", "set", "vec", "map", "proof_with", "open_atomic_invariant", "open_local_invariant", "open_atomic_invariant_in_proof",
		"open_local_invariant_in_proof", "assert_by_contradiction", "assert_seqs_equal", "assert_sets_equal", "assert_maps_equal":
		return formExprs
	case "calc":
		return formCalc
	case "atomic_with_ghost":
		return formAtomic
	}
	return formTokens
}

// macroArgs reads `!(..)` behind the path of a macro call.
func (p *parser) macroArgs(b builder) int32 {
	p.macroArgsInto(&b)
	return p.done(b)
}

func (p *parser) macroArgsInto(b *builder) {
	form := macroFormOf(p.lastWord(b.tail)) // the path was added last
	p.bump()
	if form == formTokens || !p.deeper() {
		p.add(b, FArgs, p.tokenTree())
		return
	}
	start, mark, errs := p.pos, len(p.nodes), len(p.errs)
	limit, noStruct, depth := p.limit, p.noStruct, p.depth
	body := p.start(MacroBody)
	fr := p.enter()
	switch form {
	case formItems:
		p.attrs(&body, true)
		p.items(&body)
	case formStmts:
		p.attrs(&body, true)
		p.stmts(&body)
	case formCalc:
		p.calc(&body)
	case formAtomic:
		p.atomicWithGhost(&body)
	default:
		p.exprList(&body)
	}
	p.leave(fr)
	if p.bad && form != formItems && form != formStmts {
		// Not Verus's macro of that name, or a form of it that is not known: tokens, which are still searched.
		p.nodes, p.errs = p.nodes[:mark], p.errs[:errs]
		p.bad, p.limit, p.noStruct, p.depth, p.pos = false, limit, noStruct, depth, start
		p.load()
		p.depth--
		p.add(b, FArgs, p.tokenTree())
		return
	}
	p.depth--
	p.add(b, FArgs, p.done(body))
}

// exprList reads expressions, patterns included that look like one, with any of `,` `;` `=>` between them.
func (p *parser) exprList(b *builder) {
	for p.k != EOF {
		p.attrs(b, false)
		p.add(b, FExpr, p.expr())
		switch p.k {
		case Comma, Semi, FatArrow:
			p.bump()
		case EOF:
		default:
			p.unexpected("`,`")
		}
	}
}

func (p *parser) calc(b *builder) {
	for p.k != EOF {
		switch {
		case p.k == LParen && precedence[p.nth(1)] != 0 && p.toks[p.pos].match == p.after(p.after(p.pos)):
			p.add(b, FArgs, p.tokenTree())
		case p.k == LBrace:
			p.add(b, FBody, p.block())
			p.eat(Semi)
		default:
			p.add(b, FExpr, p.expr())
			p.expect(Semi, "`;`")
		}
	}
}

// atomicWithGhost reads
//
//	atom => op(args); [update old -> new;] [returning r;] ghost g => { .. }
func (p *parser) atomicWithGhost(b *builder) {
	p.add(b, FExpr, p.expr())
	p.expect(FatArrow, "`=>`")
	p.add(b, FExpr, p.expr())
	p.expect(Semi, "`;`")
	for p.k != EOF {
		switch {
		case p.atText("update"):
			p.bump()
			p.add(b, FPat, p.pattern())
			p.expect(Arrow_, "`->`")
			p.add(b, FPat, p.pattern())
			p.expect(Semi, "`;`")
		case p.atText("returning"):
			p.bump()
			p.add(b, FPat, p.pattern())
			p.expect(Semi, "`;`")
		case p.k == KwGhost:
			p.bump()
			p.add(b, FPat, p.pattern())
			p.expect(FatArrow, "`=>`")
			p.add(b, FBody, p.block())
		default:
			p.unexpected("`update`, `returning` or `ghost`")
		}
	}
}

package syntax

// context says where a clause list stands: it decides whether `{` begins a clause or the body.
type context uint8

const (
	itemContext context = iota // functions: `{ .. },` is a clause, any other `{` the body
	exprContext                // loops, closures and asserts: `{` is the body
	attrContext                // #[verus_spec(..)]: ends with the delimiters; `{` begins a clause
)

// clauseOrder is the place of each clause in a contract or loop, as the official parser wants them.
var clauseOrder = [...]uint8{ByProver: 1, With: 2, Atomically: 3, InvariantExceptBreak: 4, Invariant: 5, InvariantEnsures: 6, Requires: 7,
	Recommends: 8, Ensures: 9, DefaultEnsures: 10, Returns: 11, Decreases: 12, OpensInvariants: 13, NoUnwind: 14}

func clauseKind(k TokenKind) ClauseKind {
	switch k {
	case KwRequires:
		return Requires
	case KwRecommends:
		return Recommends
	case KwEnsures:
		return Ensures
	case KwDefaultEnsures:
		return DefaultEnsures
	case KwReturns:
		return Returns
	case KwDecreases:
		return Decreases
	case KwOpensInvariants:
		return OpensInvariants
	case KwNoUnwind:
		return NoUnwind
	case KwInvariant:
		return Invariant
	case KwInvariantExceptBreak:
		return InvariantExceptBreak
	case KwInvariantEnsures:
		return InvariantEnsures
	case KwWith:
		return With
	case KwAtomically:
		return Atomically
	case KwBy:
		return ByProver
	}
	return 0
}

// atClause tells whether the current token begins a clause.
func (p *parser) atClause() bool {
	switch which := clauseKind(p.k); which {
	case 0:
		return false
	case Atomically, ByProver:
		return p.nth(1) == LParen
	}
	return true
}

// endsClauses tells whether the current token ends a list of clause expressions.
func (p *parser) endsClauses(ctx context) bool {
	switch p.k {
	case EOF, Comma, Semi, KwRequires, KwRecommends, KwEnsures, KwDefaultEnsures, KwReturns, KwDecreases, KwOpensInvariants, KwNoUnwind,
		KwInvariant, KwInvariantExceptBreak, KwInvariantEnsures, KwVia, KwWhen:
		return true
	case LBrace:
		return ctx != attrContext && !p.braceClause(ctx)
	case Ident:
		if t := p.text(p.pos); t == "outer_mask" || t == "inner_mask" {
			return true
		}
	}
	return false
}

// braceClause tells a clause in braces from a body: a comma follows it.
func (p *parser) braceClause(ctx context) bool {
	return ctx == itemContext && p.kindAt(p.after(p.toks[p.pos].match)) == Comma
}

// clauses reads the clauses of a contract or loop. One out of order, or twice, is an error that is noted and read over.
func (p *parser) clauses(b *builder, ctx context) {
	var last uint8
	for p.atClause() {
		which := clauseKind(p.k)
		order := clauseOrder[which]
		if ctx == attrContext && which == Invariant {
			order = clauseOrder[InvariantExceptBreak] // there the official parser has the two the other way round
		}
		if order <= last && ctx != attrContext {
			p.noteAt("`" + which.String() + "` is out of order or given twice")
		}
		last = order
		p.add(b, FClause, p.clause(which, ctx))
	}
}

func (p *parser) clause(which ClauseKind, ctx context) int32 {
	b := p.start(Clause)
	p.nodes[b.id].op = uint8(which)
	outer := p.noStruct
	p.noStruct = true
	p.bump()
	switch which {
	case ByProver:
		p.proverName()
	case With:
		p.withArgs(&b)
	case Atomically:
		p.skipTree()
		if p.k == LBrace {
			p.skipTree()
		} else {
			p.unexpected("`{`")
		}
		p.eat(Comma)
	case NoUnwind:
		if p.eat(KwWhen) {
			p.add(&b, FWhen, p.expr())
		}
	case OpensInvariants:
		if !p.endsClauses(ctx) {
			p.add(&b, FExpr, p.expr())
		}
		p.eat(Comma)
	default:
		p.clauseList(&b, ctx)
		if which == Decreases && p.k == KwWhen {
			p.bump()
			p.add(&b, FWhen, p.expr())
		}
		if (which == Decreases || which == Recommends) && p.k == KwVia {
			p.bump()
			p.add(&b, FVia, p.expr())
		}
	}
	p.noStruct = outer
	return p.done(b)
}

func (p *parser) clauseList(b *builder, ctx context) {
	for !p.endsClauses(ctx) {
		if p.k == Hash {
			e := p.start(AttrExpr)
			p.attrs(&e, true)
			if p.nodes[e.id].child != 0 {
				p.add(&e, FExpr, p.expr())
				p.add(b, FExpr, p.done(e))
			} else {
				p.add(b, FExpr, p.expr())
			}
		} else {
			p.add(b, FExpr, p.expr())
		}
		if !p.eat(Comma) {
			return
		}
	}
}

// withArgs takes the ghost arguments and results of a `with` clause as they are.
func (p *parser) withArgs(b *builder) {
	t := p.start(TokenTree)
	for p.k != EOF && p.k != LBrace && p.k != Semi && !(p.atClause() && p.k != KwWith && p.k != KwBy) {
		p.skipTree()
	}
	p.add(b, FExpr, p.done(t))
}

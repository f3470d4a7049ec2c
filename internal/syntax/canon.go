package syntax

import (
	"slices"
	"strings"
)

// Canon is the canonical text of a ghost expression, clause, type, attribute or item. Equal texts mean that two nodes differ at
// most in what has no meaning: layout, comments and doc comments, lint and formatting attributes, redundant parentheses and
// braces, trailing commas, how a conjunction or disjunction is written (`&&&` list or `&&`) and nested, the shorthand of field
// initialisers and patterns, digit separators of numbers, and triggers, which steer the prover but state nothing.
// Different texts may still mean the same.
func Canon(n Node) string {
	if !n.Valid() {
		return ""
	}
	p := printer{f: n.f}
	p.top(n)
	return string(p.buf)
}

// Conjuncts are the parts that a clause demands together: the expressions of the clause, each split at its top-level `&&` and
// `&&&`, through parentheses and braces, so that `requires a && b` and `requires a, b` have the same ones. What `x matches p`
// binds reaches into what follows it, so `x matches p && q` is one part. The clauses that list no conditions (decreases, returns,
// opens_invariants, ...) are not split further than their expressions. Given an expression, Conjuncts splits it alone.
func Conjuncts(n Node) []Node {
	if n.Kind() != Clause {
		return appendConjuncts(nil, n)
	}
	var parts []Node
	for e := range n.All(FExpr) {
		switch n.Which() {
		case Requires, Recommends, Ensures, DefaultEnsures, Invariant, InvariantExceptBreak, InvariantEnsures:
			parts = appendConjuncts(parts, e)
		default:
			parts = append(parts, e)
		}
	}
	return parts
}

func appendConjuncts(parts []Node, n Node) []Node {
	p := printer{f: n.f}
	inner, _ := p.strip(n)
	switch {
	case inner.Kind() == Binary && (inner.Op() == AndAnd || inner.Op() == AndAndAnd):
		if inner.Get(FLhs).Kind() == Matches {
			return append(parts, inner)
		}
		return appendConjuncts(appendConjuncts(parts, inner.Get(FLhs)), inner.Get(FRhs))
	case inner.Kind() == BigAnd:
		items := slices.Collect(inner.All(FExpr))
		for i, item := range items {
			if i < len(items)-1 && p.scopes(item, true) {
				return append(parts, inner)
			}
		}
		for _, item := range items {
			parts = appendConjuncts(parts, item)
		}
		return parts
	case !inner.Valid():
		return parts
	}
	return append(parts, inner)
}

// printer writes canonical text. Every token is written with one rule of spacing, and every composite operand in parentheses,
// so that the text shows the structure and nothing else.
type printer struct {
	f    *File
	buf  []byte
	glue bool // no space before the next token

	exec bool // write the executable projection
	// erased: the text was written by Erase. It has no modes any more: ghost data types, impls that ghost erasure left empty
	// and the stubs of broadcast groups look like code. Used to compare a file with its erasure.
	erased bool
	verus  bool            // inside verus!, where assert(..), assume(..), reveal(..) are keywords
	own    map[string]bool // ghost names that the file gives a meaning of its own
	// declared tells those that other files give this one; nil: none.
	declared func(name string) bool
	locals   map[string]bool // names that a function binds to nothing but Ghost<..> and Tracked<..> values
	scope    []string        // those of them that are in scope
	items    itemPlace
}

// itemPlace says what the items being written belong to.
type itemPlace uint8

const (
	placeUnknown itemPlace = iota
	placeFree              // module, block or impl: verus! gives a function without a body an empty one
	placeTrait             // trait or extern block: a function without a body is a declaration
)

func (p *printer) tok(s string) {
	if s == "" {
		return
	}
	if !p.glue && len(p.buf) > 0 {
		last, first := p.buf[len(p.buf)-1], s[0]
		if last != '(' && last != '[' && last != '.' && !strings.ContainsRune(")],;.?", rune(first)) &&
			!(last == ':' && len(p.buf) > 1 && p.buf[len(p.buf)-2] == ':') {
			p.buf = append(p.buf, ' ')
		}
	}
	p.glue = false
	p.buf = append(p.buf, s...)
}

// glued writes s right behind what is there.
func (p *printer) glued(s string) {
	p.glue = true
	p.tok(s)
}

// tight writes s right behind what is there, and the next token right behind s.
func (p *printer) tight(s string) {
	p.glued(s)
	p.glue = true
}

// list writes items between delimiters; items that write nothing leave no comma.
func (p *printer) list(open, end string, items []Node, write func(Node)) {
	p.glued(open)
	first := true
	for _, item := range items {
		mark := len(p.buf)
		if first {
			p.glue = true
		} else {
			p.tok(",")
		}
		from := len(p.buf)
		write(item)
		if len(p.buf) == from {
			p.buf = p.buf[:mark]
		} else {
			first = false
		}
	}
	p.glue = false
	p.glued(end)
}

func (p *printer) commaList(items []Node, write func(Node)) {
	first := true
	for _, item := range items {
		mark := len(p.buf)
		if !first {
			p.tok(",")
		}
		from := len(p.buf)
		write(item)
		if len(p.buf) == from {
			p.buf = p.buf[:mark]
		} else {
			first = false
		}
	}
}

func (p *printer) text(i int32) string {
	t := p.f.toks[i]
	return tokenText(t.kind, string(p.f.Source.Text[t.start:t.end]))
}

func tokenText(k TokenKind, s string) string {
	switch k {
	case Int, Float:
		s = strings.ReplaceAll(s, "_", "")
		if k == Float && strings.HasSuffix(s, ".") {
			s += "0"
		}
	}
	return s
}

// leaf is the text of a node's tokens.
func (p *printer) leaf(n Node) string {
	sub := printer{f: p.f}
	sub.tokens(n)
	return string(sub.buf)
}

func (p *printer) tokens(n Node) {
	r := n.raw()
	for i := r.first; i < r.end; i++ {
		if k := p.f.toks[i].kind; k != hole && k != EOF {
			p.tok(p.text(i))
		}
	}
}

// generic writes a node's own tokens and its children in source order, without trailing commas.
func (p *printer) generic(n Node) {
	r := n.raw()
	c := r.child
	comma := false
	sep := func() {
		if comma && len(p.buf) > 0 && !strings.ContainsRune("([{<|", rune(p.buf[len(p.buf)-1])) {
			p.tok(",")
		}
	}
	for i := r.first; i < r.end; {
		for c != 0 && p.f.nodes[c].end <= i {
			c = p.f.nodes[c].next
		}
		if c != 0 && p.f.nodes[c].first <= i {
			mark := len(p.buf)
			sep()
			from := len(p.buf)
			p.any(Node{p.f, c})
			if len(p.buf) == from {
				p.buf = p.buf[:mark]
			} else {
				comma = false
			}
			i = p.f.nodes[c].end
			continue
		}
		k := p.f.toks[i].kind
		switch {
		case k == hole || k == EOF:
		case k == Comma:
			comma = true
		default:
			if !k.isClose() {
				sep()
			}
			comma = false
			p.tok(p.text(i))
		}
		i++
	}
}

// rest writes the children that none of the fields covers, so that a structured form never loses anything.
func (p *printer) rest(n Node, fields ...Field) {
	for c := range n.Children() {
		if !slices.Contains(fields, c.Field()) && (!p.exec || c.Kind() != Clause) {
			p.any(c)
		}
	}
}

// top writes a node that stands alone.
func (p *printer) top(n Node) {
	if isExprKind(n.Kind()) {
		p.expr(n)
	} else {
		p.any(n)
	}
}

func isExprKind(k Kind) bool {
	return k == AtomicallyCall || k >= Literal && k <= AttrExpr && k != Arm && k != Label && k != Args && k != FieldInit || k == MacroCall ||
		k >= Assert && k <= BigOr && k != Prover || k == Path
}

func composite(k Kind) bool {
	switch k {
	case Binary, Unary, Ref, Cast, Range, Assign, Closure, Quant, Is, Has, Matches, Return, Break, Continue, Yield, Become, LetCond, BigAnd,
		BigOr, AttrExpr, Assert, AssertForall:
		return true
	}
	return false
}

// strip goes through what does not change the meaning of an expression: parentheses; outside executable code also braces
// around one expression, and attributes that are dropped. It tells whether there was anything that delimits the expression.
func (p *printer) strip(n Node) (inner Node, wrapped bool) {
	for {
		switch n.Kind() {
		case Paren:
			n, wrapped = n.Get(FExpr), true
		case Block:
			if p.exec {
				return n, wrapped
			}
			e := p.onlyExpr(n)
			if !e.Valid() {
				return n, wrapped
			}
			n, wrapped = e, true
		case AttrExpr:
			if len(p.attrTexts(n)) > 0 {
				return n, wrapped
			}
			n = n.Get(FExpr)
		case Tuple:
			if !p.exec {
				return n, wrapped
			}
			e := p.onlyElem(n)
			if !e.Valid() {
				return n, wrapped
			}
			n, wrapped = e, true
		default:
			return n, wrapped
		}
	}
}

// onlyElem is the element of a tuple whose other elements, at least one, are ghost.
func (p *printer) onlyElem(n Node) Node {
	var only Node
	ghost := false
	for c := range n.All(FExpr) {
		if p.ghostExpr(c) {
			ghost = true
		} else if only.Valid() {
			return Node{}
		} else {
			only = c
		}
	}
	if !ghost {
		return Node{}
	}
	return only
}

// onlyExpr is the expression of a plain block that holds nothing else.
func (p *printer) onlyExpr(n Node) Node {
	if n.Get(FLabel).Valid() || n.Get(FModifier).Valid() || len(p.attrTexts(n)) > 0 {
		return Node{}
	}
	kept := p.kept(n)
	if len(kept) != 1 || kept[0].Kind() != ExprStmt || kept[0].Semi() || len(p.attrTexts(kept[0])) > 0 {
		return Node{}
	}
	return kept[0].Get(FExpr)
}

// kept are the statements of a block that are written.
func (p *printer) kept(block Node) []Node {
	outer := len(p.scope)
	var kept []Node
	for s := range block.All(FStmt) {
		if p.keepStmt(s) {
			kept = append(kept, s)
		}
		p.declareLet(s)
	}
	p.scope = p.scope[:outer]
	return kept
}

// expr writes an expression in a place that delimits it and uses its value: there braces around one expression are redundant in
// executable code too.
func (p *printer) expr(n Node) {
	outer := len(p.scope)
	for {
		n, _ = p.strip(n)
		if n.Kind() == Block {
			if e := p.onlyExpr(n); e.Valid() {
				for s := range n.All(FStmt) {
					p.declareLet(s)
				}
				n = e
				continue
			}
		}
		break
	}
	p.bare(n)
	p.scope = p.scope[:outer]
}

// sub writes an expression as an operand: in parentheses unless it is an atom.
func (p *printer) sub(n Node) {
	n, _ = p.strip(n)
	if !composite(n.Kind()) || p.exec && p.erasedValue(n) {
		p.bare(n)
		return
	}
	p.tok("(")
	p.bare(n)
	p.tok(")")
}

// head writes an expression before a brace, where a struct literal needs parentheses.
func (p *printer) head(n Node) {
	n, _ = p.strip(n)
	if n.Kind() != StructExpr {
		p.sub(n)
		return
	}
	p.tok("(")
	p.bare(n)
	p.tok(")")
}

type operand struct {
	n       Node
	wrapped bool
}

// operands flattens a conjunction or disjunction. A group is kept whole when a `matches` in it binds names for the rest of the
// group, as they must not reach what follows the group.
func (p *printer) operands(list []operand, n Node, and bool) []operand {
	inner, wrapped := p.strip(n)
	if !joins(inner, and) || wrapped && p.scopes(inner, and) {
		return append(list, operand{inner, wrapped})
	}
	for c := range inner.Children() {
		if f := c.Field(); f == FLhs || f == FRhs || f == FExpr {
			list = p.operands(list, c, and)
		}
	}
	return list
}

// joins tells a node that is a conjunction (and) or disjunction.
func joins(n Node, and bool) bool {
	switch n.Kind() {
	case BigAnd:
		return and
	case BigOr:
		return !and
	case Binary:
		return and && (n.Op() == AndAnd || n.Op() == AndAndAnd) || !and && n.Op() == OrOr
	}
	return false
}

// scopes tells whether a `matches` stands in n in a way that its names reach what follows n.
func (p *printer) scopes(n Node, and bool) bool {
	if n.Kind() == Matches || n.Kind() == LetCond {
		return true
	}
	if !joins(n, and) {
		return false
	}
	for c := range n.Children() {
		if p.scopes(c, and) {
			return true
		}
	}
	return false
}

func (p *printer) joined(n Node, and bool, op string) {
	list := p.operands(nil, n, and)
	for i, o := range list {
		if i > 0 {
			p.tok(op)
		}
		if k := o.n.Kind(); (k == Matches || k == LetCond) && (!o.wrapped || i == len(list)-1) {
			p.bare(o.n)
		} else {
			p.sub(o.n)
		}
	}
}

func chainOp(k TokenKind) bool {
	return k == Lt || k == Le || k == Gt || k == Ge || k == EqEq
}

// ownOp is the text of the operator of a node: its first token that belongs to no child.
func (p *printer) ownOp(n Node) string {
	r := n.raw()
	c := r.child
	var op string
	for i := r.first; i < r.end; {
		for c != 0 && p.f.nodes[c].end <= i {
			c = p.f.nodes[c].next
		}
		if c != 0 && p.f.nodes[c].first <= i {
			if op != "" {
				break
			}
			i = p.f.nodes[c].end
			continue
		}
		if k := p.f.toks[i].kind; k != hole && k != EOF {
			op += p.text(i)
		}
		i++
	}
	return op
}

// erasedValue tells ghost code whose value is used: an empty block is left of it.
func (p *printer) erasedValue(n Node) bool {
	switch n.Kind() {
	case ProofBlock, AssertForall:
		return true
	case Assert, Assume:
		return p.verus
	}
	return false
}

// bare writes an expression without parentheses around it.
func (p *printer) bare(n Node) {
	if p.exec && p.erasedValue(n) {
		p.tok("{ }")
		return
	}
	switch n.Kind() {
	case 0:
	case Paren:
		p.sub(n)
	case Literal:
		p.tokens(n)
	case Binary:
		p.binary(n)
	case BigAnd:
		p.joined(n, true, "&&")
	case BigOr:
		p.joined(n, false, "||")
	case Unary:
		p.tok(p.ownOp(n))
		p.glue = true
		p.sub(n.Get(FExpr))
	case Ref:
		p.tok("&")
		p.glue = true
		switch {
		case n.Raw() && n.Mut():
			p.tok("raw mut")
		case n.Raw():
			p.tok("raw const")
		case n.Mut():
			p.tok("mut")
		}
		p.sub(n.Get(FExpr))
	case Tuple:
		p.tuple(n, FExpr, p.expr)
	case Array:
		p.tok("[")
		p.glue = true
		p.list("", "]", slices.Collect(n.All(FExpr)), p.expr)
	case ArrayRepeat:
		p.tok("[")
		p.expr(n.Get(FExpr))
		p.tok(";")
		p.expr(n.Get(FLen))
		p.tok("]")
	case Block:
		p.block(n, false)
	case If:
		p.tok("if")
		p.head(n.Get(FCond))
		p.block(n.Get(FThen), false)
		if e := n.Get(FElse); e.Valid() {
			p.elseBranch(e)
		}
	case LetCond:
		p.tok("let")
		p.pat(n.Get(FPat))
		p.tok("=")
		p.head(n.Get(FExpr))
	case Match:
		p.tok("match")
		p.head(n.Get(FExpr))
		p.tok("{")
		p.attrs(n)
		for a := range n.All(FArm) {
			p.arm(a)
		}
		p.tok("}")
	case While, Loop, For:
		p.loop(n)
	case Closure:
		p.closure(n)
	case Quant:
		p.tok(p.quantWord(n))
		p.params("|", "|", n)
		p.attrs(n)
		p.rest(n, FAttr, FParam, FExpr)
		p.expr(n.Get(FExpr))
	case Call:
		if p.exec && p.ghostExpr(n) {
			p.tok("Ghost") // whatever it holds
			return
		}
		p.sub(n.Get(FCallee))
		p.args(n.Get(FArgs))
		p.rest(n, FCallee, FArgs)
	case MethodCall:
		p.sub(n.Get(FReceiver))
		p.tok(".")
		p.any(n.Get(FName))
		p.glue = true
		if g := n.Get(FGenericArgs); g.Valid() {
			p.any(g)
		}
		p.args(n.Get(FArgs))
		p.rest(n, FReceiver, FName, FGenericArgs, FArgs)
	case Args:
		p.args(n)
	case AtomicallyCall:
		if p.exec {
			p.sub(n.Get(FExpr))
		} else {
			p.generic(n)
		}
	case FieldExpr:
		p.sub(n.Get(FExpr))
		p.tok(".")
		p.any(n.Get(FName))
	case Arrow:
		p.sub(n.Get(FExpr))
		p.tight("->")
		p.any(n.Get(FName))
	case View:
		p.sub(n.Get(FExpr))
		p.glued("@")
	case Try:
		p.sub(n.Get(FExpr))
		p.glued("?")
	case Await:
		p.sub(n.Get(FExpr))
		p.tok(".await")
	case Index:
		p.sub(n.Get(FExpr))
		p.glued("[")
		p.expr(n.Get(FIndex))
		p.tok("]")
	case Range:
		if lo := n.Get(FLo); lo.Valid() {
			p.sub(lo)
		}
		if n.Op() == DotDotEq {
			p.tok("..=")
			p.glue = true
		} else {
			p.tok("..")
		}
		if hi := n.Get(FHi); hi.Valid() {
			p.sub(hi)
		}
	case Assign:
		p.sub(n.Get(FLhs))
		p.tok(p.ownOp(n))
		p.expr(n.Get(FRhs))
	case Cast:
		p.sub(n.Get(FExpr))
		p.tok("as")
		p.typ(n.Get(FType))
	case Return, Yield, Become:
		p.tok(map[Kind]string{Return: "return", Yield: "yield", Become: "become"}[n.Kind()])
		if e := n.Get(FExpr); e.Valid() && !(p.exec && p.ghostExpr(e)) {
			p.expr(e)
		}
	case Break, Continue:
		p.tok(map[Kind]string{Break: "break", Continue: "continue"}[n.Kind()])
		if l := n.Get(FLabel); l.Valid() {
			p.label(l)
		}
		if e := n.Get(FExpr); e.Valid() {
			p.sub(e)
		}
	case StructExpr:
		p.any(n.Get(FPath))
		p.tok("{")
		p.commaList(slices.Collect(n.All(FFieldInit)), p.fieldInit)
		if b := n.Get(FBase); b.Valid() {
			p.tok(", ..")
			p.expr(b)
		} else if n.HasRest() {
			p.tok(", ..")
		}
		p.tok("}")
	case AttrExpr:
		p.attrs(n)
		p.sub(n.Get(FExpr))
	case Is:
		p.sub(n.Get(FExpr))
		if n.Not() {
			p.tok("!is")
		} else {
			p.tok("is")
		}
		p.rest(n, FExpr)
	case Has:
		p.sub(n.Get(FLhs))
		if n.Not() {
			p.tok("!has")
		} else {
			p.tok("has")
		}
		p.sub(n.Get(FRhs))
	case Matches:
		p.sub(n.Get(FExpr))
		p.tok("matches")
		p.pat(n.Get(FPat))
	case ProofBlock:
		p.tok("proof")
		p.block(n.Get(FBody), false)
	case Assume:
		p.tok("assume(")
		p.expr(n.Get(FExpr))
		p.tok(")")
	case Assert:
		p.tok("assert(")
		p.expr(n.Get(FExpr))
		p.tok(")")
		if n.Get(FProver).Valid() || n.Get(FBody).Valid() {
			p.tok("by")
		}
		if pr := n.Get(FProver); pr.Valid() {
			p.prover(pr)
		}
		p.rest(n, FExpr, FProver, FBody)
		if b := n.Get(FBody); b.Valid() {
			p.block(b, false)
		}
	case AssertForall:
		p.tok("assert forall")
		p.params("|", "|", n)
		p.attrs(n)
		p.expr(n.Get(FExpr))
		if i := n.Get(FImplies); i.Valid() {
			p.tok("implies")
			p.expr(i)
		}
		p.tok("by")
		p.block(n.Get(FBody), false)
		p.rest(n, FAttr, FParam, FExpr, FImplies, FBody)
	default:
		p.any(n)
	}
}

// prover writes which solver proves an assertion, without the `by` and the parentheses.
func (p *printer) prover(n Node) {
	p.tok("(")
	for t := range n.Tokens() {
		if k := t.Kind(); k != KwBy && k != LParen && k != RParen {
			p.tok(t.Text())
		}
	}
	p.tok(")")
}

func (p *printer) quantWord(n Node) string {
	switch n.Op() {
	case KwForall:
		return "forall"
	case KwExists:
		return "exists"
	case KwChoose:
		return "choose"
	}
	return p.ownOp(n)
}

func (p *printer) binary(n Node) {
	lhs, rhs := n.Get(FLhs), n.Get(FRhs)
	switch op := n.Op(); {
	case op == AndAnd, op == AndAndAnd: // the latter joins a matches to the rest of its &&& list
		p.joined(n, true, "&&")
		return
	case op == OrOr:
		p.joined(n, false, "||")
		return
	case op == Implies && lhs.Kind() == Matches:
		p.bare(lhs)
	case chainOp(op) && lhs.Kind() == Binary && chainOp(lhs.Op()):
		// a <= b < c compares each neighbour, (a <= b) < c compares a bool.
		p.bare(lhs)
	default:
		p.sub(lhs)
	}
	p.tok(p.ownOp(n))
	p.sub(rhs)
}

func (p *printer) elseBranch(e Node) {
	if e.Kind() == If {
		p.tok("else {")
		p.bare(e)
		p.tok("}")
		return
	}
	if p.exec && !p.hasStmts(e) {
		return
	}
	p.tok("else")
	p.block(e, false)
}

func (p *printer) hasStmts(block Node) bool { return len(p.kept(block)) > 0 }

func (p *printer) arm(a Node) {
	p.attrs(a)
	p.pat(a.Get(FPat))
	if g := a.Get(FGuard); g.Valid() {
		p.tok("if")
		p.expr(g)
	}
	p.tok("=>")
	body, _ := p.strip(a.Get(FBody))
	if p.exec && (p.ghostStmtExpr(body) || body.Kind() == Block && p.plainBlock(body) && !p.hasStmts(body)) {
		p.tok("()")
	} else {
		p.expr(body)
	}
	p.tok(",")
}

// plainBlock tells a block without label, attributes and words such as unsafe.
func (p *printer) plainBlock(n Node) bool {
	return !n.Get(FLabel).Valid() && !n.Get(FModifier).Valid() && len(p.attrTexts(n)) == 0
}

func (p *printer) label(n Node) {
	for t := range n.Tokens() {
		if t.Kind() != Colon {
			p.tok(t.Text())
		}
	}
}

func (p *printer) loop(n Node) {
	if l := n.Get(FLabel); l.Valid() {
		p.label(l)
		p.glued(":")
	}
	switch n.Kind() {
	case While:
		p.tok("while")
		p.head(n.Get(FCond))
	case Loop:
		p.tok("loop")
	case For:
		p.tok("for")
		p.pat(n.Get(FPat))
		p.tok("in")
		if name := n.Get(FName); name.Valid() && !p.exec {
			p.any(name)
			p.glued(":")
		}
		p.head(n.Get(FExpr))
	}
	if !p.exec {
		for c := range n.All(FClause) {
			p.any(c)
		}
	}
	p.block(n.Get(FBody), false)
	p.rest(n, FLabel, FCond, FPat, FName, FExpr, FClause, FBody, FAttr)
}

func (p *printer) closure(n Node) {
	p.attrs(n)
	if !p.exec {
		if m := n.Get(FMode); m.Valid() {
			p.tokens(m)
		}
	}
	if b := n.Get(FBinder); b.Valid() {
		p.any(b)
	}
	for m := range n.All(FModifier) {
		p.tokens(m)
	}
	p.params("|", "|", n)
	p.ret(n.Get(FRet))
	if !p.exec {
		for c := range n.All(FClause) {
			p.any(c)
		}
	}
	p.rest(n, FAttr, FMode, FBinder, FModifier, FParam, FParams, FRet, FClause, FBody)
	outer := len(p.scope)
	for c := range n.All(FParam) {
		p.declare(c.Get(FPat))
	}
	if body := n.Get(FBody); n.Get(FClause).Valid() && !p.exec {
		p.block(body, false)
	} else {
		p.expr(body)
	}
	p.scope = p.scope[:outer]
}

func (p *printer) params(open, end string, n Node) {
	var items []Node
	for c := range n.Children() {
		if k := c.Kind(); k == Param || k == SelfParam || k == Variadic {
			items = append(items, c)
		}
	}
	if open == "|" {
		p.tok("|")
		p.glue = true
		p.list("", end, items, p.param)
		return
	}
	p.list(open, end, items, p.param)
}

func (p *printer) param(n Node) {
	switch n.Kind() {
	case SelfParam:
		p.selfParam(n)
		return
	case Variadic:
		p.generic(n)
		return
	}
	if p.exec && p.ghostParam(n) {
		return
	}
	p.attrs(n)
	if m := n.Get(FMode); m.Valid() && !p.exec {
		p.tokens(m)
	}
	if pat := n.Get(FPat); pat.Valid() {
		if bound, name := p.wrapped(pat); p.exec && name != "" {
			// Of a type that is not written as a wrapper.
			if bound.Mut() {
				p.tok("mut")
			}
			p.tok(name)
		} else {
			p.pat(pat)
		}
		if t := n.Get(FType); t.Valid() {
			p.glued(":")
			p.typ(t)
		}
		return
	}
	p.typ(n.Get(FType))
}

// selfParam writes `&'a mut self` and the like; `mut self` only in executable code, where it declares a variable.
func (p *printer) selfParam(n Node) {
	p.attrs(n)
	r := n.raw()
	c := r.child
	for i := r.first; i < r.end; {
		for c != 0 && p.f.nodes[c].end <= i {
			c = p.f.nodes[c].next
		}
		if c != 0 && p.f.nodes[c].first <= i {
			switch child := (Node{p.f, c}); child.Field() {
			case FAttr:
			case FMode:
				if !p.exec {
					p.tokens(child)
				}
			case FType:
				p.typ(child)
			default:
				p.any(child)
			}
			i = p.f.nodes[c].end
			continue
		}
		if k := p.f.toks[i].kind; k != hole && k != EOF {
			p.tok(p.text(i))
		}
		i++
	}
}

func (p *printer) ret(n Node) {
	if !n.Valid() {
		return
	}
	t := n.Get(FType)
	if p.exec {
		if p.ghostType(t) || t.Kind() == TupleType && !t.Get(FType).Valid() {
			return
		}
		p.tok("->")
		p.typ(t)
		return
	}
	p.tok("->")
	if m := n.Get(FMode); m.Valid() {
		p.tokens(m)
	}
	if pat := n.Get(FPat); pat.Valid() {
		p.tok("(")
		p.pat(pat)
		p.glued(":")
		p.typ(t)
		p.tok(")")
		return
	}
	p.typ(t)
}

func (p *printer) args(n Node) {
	p.list("(", ")", slices.Collect(n.All(FExpr)), func(e Node) {
		if !p.exec || !p.ghostExpr(e) {
			p.expr(e)
		}
	})
	p.rest(n, FExpr)
}

// tuple writes (a, b), (a,) and (). In executable code ghost elements go, and one element that is left stands alone.
func (p *printer) tuple(n Node, field Field, write func(Node)) {
	var items []Node
	ghost := false
	for c := range n.All(field) {
		if p.exec && p.ghostElem(c) {
			ghost = true
			continue
		}
		items = append(items, c)
	}
	if ghost && len(items) == 1 {
		write(items[0])
		return
	}
	p.tok("(")
	if len(items) == 1 && items[0].Kind() != RestPat {
		write(items[0])
		p.tok(",)")
		return
	}
	p.commaList(items, write)
	p.tok(")")
}

func (p *printer) fieldInit(n Node) {
	e := n.Get(FExpr)
	if p.exec && p.ghostFieldInit(n) {
		return
	}
	p.attrs(n)
	name := n.Get(FName)
	p.any(name)
	p.glued(":")
	if e.Valid() {
		p.expr(e)
	} else {
		p.any(name)
	}
}

// block writes statements in braces. When value is returned from a function by the block, returns tells so: then a last
// `return e;` is written as e.
func (p *printer) block(n Node, returns bool) {
	if n.Kind() != Block {
		p.tok("{")
		p.expr(n)
		p.tok("}")
		return
	}
	p.attrs(n)
	if l := n.Get(FLabel); l.Valid() {
		p.label(l)
		p.glued(":")
	}
	for m := range n.All(FModifier) {
		p.tokens(m)
	}
	p.tok("{")
	p.stmts(n, returns)
	p.rest(n, FAttr, FLabel, FModifier, FStmt)
	p.tok("}")
}

func (p *printer) stmts(block Node, returns bool) {
	place, outer := p.items, len(p.scope)
	p.items = placeFree
	kept := p.kept(block)
	for s := range block.All(FStmt) {
		if len(kept) > 0 && s == kept[0] {
			kept = kept[1:]
			p.stmt(s, len(kept) == 0, returns)
		}
		p.declareLet(s)
	}
	p.items, p.scope = place, p.scope[:outer]
}

func (p *printer) stmt(s Node, last, returns bool) {
	switch s.Kind() {
	case Let:
		p.let(s)
	case ExprStmt:
		p.attrs(s)
		e, _ := p.strip(s.Get(FExpr))
		if last && returns && e.Kind() == Return {
			if v := e.Get(FExpr); v.Valid() && !(p.exec && p.ghostExpr(v)) {
				p.expr(v)
			}
			return
		}
		if last && returns && p.exec && p.ghostExpr(e) {
			return
		}
		p.expr(e)
		if !last || s.Semi() && !unitExpr(e) {
			p.glued(";")
		}
	default:
		p.any(s)
	}
}

// unitExpr tells an expression that has no value to use, so that a `;` after it says nothing.
func unitExpr(e Node) bool {
	switch e.Kind() {
	case While, For, Assign, Return, Break, Continue:
		return true
	case If:
		return !e.Get(FElse).Valid()
	}
	return false
}

func (p *printer) let(s Node) {
	init := s.Get(FInit)
	if p.exec && init.Valid() && p.ghostPat(s.Get(FPat)) && !s.Get(FElse).Valid() {
		p.expr(init)
		p.glued(";")
		return
	}
	p.attrs(s)
	p.tok("let")
	if m := s.Get(FMode); m.Valid() {
		p.tokens(m)
	}
	p.pat(s.Get(FPat))
	if t := s.Get(FType); t.Valid() {
		p.glued(":")
		p.typ(t)
	}
	if init.Valid() {
		p.tok("=")
		p.expr(init)
	}
	if e := s.Get(FElse); e.Valid() {
		p.tok("else")
		p.block(e, false)
	}
	p.rest(s, FAttr, FMode, FPat, FType, FInit, FElse)
	p.glued(";")
}

// any writes a node of any kind.
func (p *printer) any(n Node) {
	switch k := n.Kind(); k {
	case 0:
	case SourceFile:
		p.attrs(n)
		p.itemList(n)
	case Fn:
		p.fn(n)
	case Const, Static:
		p.constant(n)
	case Struct, Enum, Union, Variant, FieldDecl, Trait, TraitAlias, Impl, Mod, Use, ExternCrate, ExternBlock, TypeAlias, MacroRules,
		MacroDef, AssumeSpecification, BroadcastUse, BroadcastGroup, Global, TypeParam, LifetimeParam, ConstParam:
		p.item(n)
	case EmptyItem, EmptyStmt:
	case FieldList, TupleFields:
		open, end := "{", "}"
		if k == TupleFields {
			open, end = "(", ")"
		}
		p.tok(open)
		p.commaList(slices.Collect(n.All(FFieldDecl)), p.any)
		p.tok(end)
	case Attr:
		if t := p.attrText(n); t != "" {
			p.tok(t)
		}
	case Vis, Publish:
		if !p.exec {
			p.tokens(n)
		}
	case Mode:
		if p.leaf(n) != "exec" {
			p.tokens(n)
		}
	case Modifier, Name, Lifetime, TokenTree, Unknown, InferType, NeverType:
		p.tokens(n)
	case Label:
		p.label(n)
	case Prover:
		p.prover(n)
	case GenericParams:
		p.list("<", ">", slices.Collect(n.All(FParam)), p.any)
	case GenericArgs:
		p.list("<", ">", slices.Collect(n.Children()), p.typ)
	case Binder:
		p.tok("for")
		p.list("<", ">", slices.Collect(n.All(FParam)), p.any)
	case Where:
		var preds []Node
		for c := range n.All(FPred) {
			preds = append(preds, c)
		}
		if len(preds) > 0 {
			p.tok("where")
			p.commaList(preds, p.any)
		}
	case Params:
		p.params("(", ")", n)
	case Param, SelfParam, Variadic:
		p.param(n)
	case Ret:
		p.ret(n)
	case Clause:
		p.clause(n)
	case Path:
		p.path(n)
	case Segment:
		p.segment(n)
	case SpecFnType:
		p.specFnType(n)
	case TupleType, ParenType:
		p.typ(n)
	case IdentPat, WildPat, RestPat, RefPat, TuplePat, TupleStructPat, StructPat, FieldPat, SlicePat, OrPat, RangePat, LitPat, ParenPat, BoxPat:
		p.pat(n)
	case Let, ExprStmt:
		p.stmt(n, false, false)
	case Arm:
		p.arm(n)
	case Args:
		p.args(n)
	case FieldInit:
		p.fieldInit(n)
	case MacroCall:
		p.macro(n)
	default:
		if isExprKind(k) && k != MacroCall && k != Path {
			p.sub(n)
			return
		}
		p.generic(n)
	}
}

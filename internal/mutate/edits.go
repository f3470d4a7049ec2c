package mutate

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// behind is where the first token after an offset begins: layout and comments are passed over.
func (w *walker) behind(at int) int {
	for at < len(w.src) {
		switch rest := w.src[at:]; {
		case bytes.HasPrefix(rest, []byte("//")):
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				return len(w.src)
			}
			at += i + 1
		case bytes.HasPrefix(rest, []byte("/*")):
			depth := 0
			i := 0
			for ; i+1 < len(rest); i++ {
				if rest[i] == '/' && rest[i+1] == '*' {
					depth++
					i++
				} else if rest[i] == '*' && rest[i+1] == '/' {
					depth--
					i++
					if depth == 0 {
						break
					}
				}
			}
			at += i + 1
		case bytes.IndexByte([]byte(" \t\r\n\f\v"), rest[0]) >= 0:
			at++
		default:
			return at
		}
	}
	return at
}

// operators, as text and by how tightly they bind.
var operators = map[syntax.TokenKind]struct {
	text string
	prec int
}{
	syntax.Star: {"*", 9}, syntax.Slash: {"/", 9}, syntax.Percent: {"%", 9},
	syntax.Plus: {"+", 8}, syntax.Minus: {"-", 8},
	syntax.Shl: {"<<", 7}, syntax.Shr: {">>", 7},
	syntax.And: {"&", 6}, syntax.Caret: {"^", 5}, syntax.Or: {"|", 4},
	syntax.EqEq: {"==", 3}, syntax.Ne: {"!=", 3}, syntax.Lt: {"<", 3}, syntax.Le: {"<=", 3}, syntax.Gt: {">", 3}, syntax.Ge: {">=", 3},
	syntax.AndAnd: {"&&", 2}, syntax.OrOr: {"||", 1},
}

// operand is the text of an expression as an operand of anything.
func (w *walker) operand(n syntax.Node) string {
	switch n.Kind() {
	case syntax.Literal, syntax.Path, syntax.Call, syntax.MethodCall, syntax.FieldExpr, syntax.Index, syntax.Paren, syntax.Tuple, syntax.Array, syntax.MacroCall:
		return n.Text()
	}
	return "(" + n.Text() + ")"
}

// side is the text of an expression as an operand of a binary operator.
func (w *walker) side(n syntax.Node, op syntax.TokenKind, right bool) string {
	prec := operators[op].prec
	switch n.Kind() {
	case syntax.Unary:
		return n.Text()
	case syntax.Cast:
		if right || op != syntax.Lt && op != syntax.Shl {
			return n.Text()
		}
	case syntax.Binary:
		inner := operators[n.Op()].prec
		if inner > prec && (right || !endsInCast(n)) || inner == prec && prec != operators[syntax.EqEq].prec && !right && !endsInCast(n) {
			return n.Text()
		}
	}
	return w.operand(n)
}

// joined is a binary expression in place of n, in parentheses if n is an operand.
func (w *walker) joined(n, lhs syntax.Node, op syntax.TokenKind, rhs syntax.Node) string {
	text := w.side(lhs, op, false) + " " + operators[op].text + " " + w.side(rhs, op, true)
	if w.operands[n.ID()] {
		return "(" + text + ")"
	}
	return text
}

// plus is an expression plus or minus one.
func (w *walker) plus(n syntax.Node, op syntax.TokenKind) string {
	return w.side(n, op, false) + " " + operators[op].text + " 1"
}

// operator replaces the operator of a Binary, or the whole of it where the other operator binds otherwise.
func (w *walker) operator(op Operator, n syntax.Node, to syntax.TokenKind) {
	lhs, rhs := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	was, is := operators[n.Op()], operators[to]
	if was.prec != is.prec {
		w.replace(op, n.Span(), w.joined(n, lhs, to, rhs))
		return
	}
	left := lhs.Span()
	at := w.behind(left.End)
	if (to == syntax.Lt || to == syntax.Shl) && endsInCast(lhs) {
		w.replace(op, source.Span{Start: left.Start, End: at + len(was.text)}, "("+lhs.Text()+") "+is.text)
		return
	}
	s := source.Span{Start: at, End: at + len(was.text)}
	text := is.text
	if rhs.Span().Start == s.End {
		text += " " // lest a / and a * make a comment
	}
	w.replace(op, s, text)
}

// endsInCast tells an expression behind which a < would begin type arguments.
func endsInCast(n syntax.Node) bool {
	for {
		switch n.Kind() {
		case syntax.Cast:
			return true
		case syntax.Binary:
			n = n.Get(syntax.FRhs)
		case syntax.Unary:
			n = n.Get(syntax.FExpr)
		default:
			return false
		}
	}
}

var otherArithmetic = map[syntax.TokenKind][]syntax.TokenKind{
	syntax.Plus: {syntax.Minus, syntax.Star}, syntax.Minus: {syntax.Plus, syntax.Slash}, syntax.Star: {syntax.Plus, syntax.Slash},
	syntax.Slash: {syntax.Star, syntax.Percent}, syntax.Percent: {syntax.Slash, syntax.Plus},
}

var inverse = map[syntax.TokenKind]syntax.TokenKind{syntax.Lt: syntax.Ge, syntax.Ge: syntax.Lt, syntax.Gt: syntax.Le, syntax.Le: syntax.Gt,
	syntax.EqEq: syntax.Ne, syntax.Ne: syntax.EqEq}

var boundary = map[syntax.TokenKind]syntax.TokenKind{syntax.Lt: syntax.Le, syntax.Le: syntax.Lt, syntax.Gt: syntax.Ge, syntax.Ge: syntax.Gt}

func (w *walker) binary(n syntax.Node, want string) {
	lhs, rhs := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	w.operands[lhs.ID()], w.operands[rhs.ID()] = true, true
	op := n.Op()
	left, right := w.typeOf(lhs), w.typeOf(rhs)
	// Nothing is less than 0 in an unsigned type, so <= is == there and > is !=.
	noneBelow := rhs.Text() == "0" && !strings.HasPrefix(deref(left), "i") && !isFloat(left)
	if others := otherArithmetic[op]; others != nil {
		if left != "String" && left != "&str" && right != "&str" && right != "String" {
			for _, to := range others {
				if to == syntax.Percent && isFloat(left) {
					continue
				}
				w.operator(Arithmetic, n, to)
			}
			if op == syntax.Minus || op == syntax.Slash || op == syntax.Percent {
				w.turnAround(n, lhs, rhs)
			}
		}
	}
	switch op {
	case syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
		w.operator(Boundary, n, boundary[op])
		if w.negated != n.ID() {
			w.operator(Relational, n, inverse[op])
		}
		w.operator(Relational, n, syntax.EqEq)
		if !noneBelow || op != syntax.Gt {
			w.operator(Relational, n, syntax.Ne)
		}
	case syntax.EqEq, syntax.Ne:
		if w.negated != n.ID() {
			w.operator(Relational, n, inverse[op])
		}
		if l, r := deref(left), deref(right); !noneBelow && (isInt(l) || isInt(r) || isFloat(l) || l == "char") {
			w.operator(Relational, n, syntax.Le)
			w.operator(Relational, n, syntax.Ge)
		}
	case syntax.AndAnd, syntax.OrOr:
		if hasLet(n) {
			w.value(lhs, "bool", false)
			w.value(rhs, "bool", false)
			return
		}
		to := syntax.OrOr
		if op == syntax.OrOr {
			to = syntax.AndAnd
		}
		w.operator(Logical, n, to)
		for _, side := range []syntax.Node{lhs, rhs} {
			if w.operands[n.ID()] {
				w.replace(Logical, n.Span(), w.operand(side))
			} else {
				w.replace(Logical, n.Span(), side.Text())
			}
		}
	case syntax.And, syntax.Or, syntax.Caret:
		for _, to := range []syntax.TokenKind{syntax.And, syntax.Or, syntax.Caret} {
			if to != op {
				w.operator(Bitwise, n, to)
			}
		}
	case syntax.Shl, syntax.Shr:
		to := syntax.Shr
		if op == syntax.Shr {
			to = syntax.Shl
		}
		w.operator(Shift, n, to)
	}
	// What type the operands have: that of one another, or that of the result.
	switch op {
	case syntax.AndAnd, syntax.OrOr:
		left, right = "bool", "bool"
	case syntax.Shl, syntax.Shr:
		if left == "" || left == anyInt {
			left = want
		}
		right = anyInt
	default:
		if left == "" || left == anyInt {
			left = right
		}
		if right == "" || right == anyInt {
			right = left
		}
		if _, arithmetic := operators[op]; arithmetic && operators[op].prec > 3 && (left == "" || left == anyInt) {
			left, right = want, want
		}
		left, right = deref(left), deref(right)
	}
	w.value(lhs, left, false)
	w.value(rhs, right, false)
}

// turnAround swaps the operands.
func (w *walker) turnAround(n, lhs, rhs syntax.Node) {
	if lhs.Text() != rhs.Text() {
		w.replace(Swap, n.Span(), w.joined(n, rhs, n.Op(), lhs))
	}
}

func hasLet(n syntax.Node) bool {
	found := false
	n.Walk(func(c syntax.Node) bool {
		found = found || c.Kind() == syntax.LetCond
		return !found && (c.Kind() == syntax.Binary || c.Kind() == syntax.Paren || c.Kind() == syntax.LetCond)
	})
	return found
}

func (w *walker) unary(n syntax.Node, want string) {
	e := n.Get(syntax.FExpr)
	switch n.Op() {
	case syntax.Minus:
		// The least value of a type has no positive counterpart.
		if v, _, ok := intLiteral(e.Text()); !ok || intBits[want] == 0 || v <= maxOf(want) {
			w.replace(Arithmetic, n.Span(), w.operand(e))
		}
		if e.Kind() == syntax.Literal {
			w.literal(e, want, true)
			return
		}
		w.value(e, want, false)
	case syntax.Bang:
		op := Negate
		if t := w.typeOf(e); isInt(t) {
			op = Bitwise
		}
		w.replace(op, n.Span(), w.operand(e))
		w.value(e, want, false)
	default:
		w.value(e, "", false)
	}
}

// assignments, as operators without their =.
var assignments = map[syntax.TokenKind]syntax.TokenKind{syntax.PlusEq: syntax.Plus, syntax.MinusEq: syntax.Minus, syntax.StarEq: syntax.Star,
	syntax.SlashEq: syntax.Slash, syntax.PercentEq: syntax.Percent, syntax.AndEq: syntax.And, syntax.OrEq: syntax.Or, syntax.CaretEq: syntax.Caret,
	syntax.ShlEq: syntax.Shl, syntax.ShrEq: syntax.Shr}

func (w *walker) assign(n syntax.Node) {
	lhs, rhs := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	t := w.typeOf(lhs)
	w.hint(lhs, w.typeOf(rhs))
	if op, is := assignments[n.Op()]; is && t != "String" {
		at := w.behind(lhs.Span().End)
		s := source.Span{Start: at, End: at + len(operators[op].text) + 1}
		kind, others := Arithmetic, otherArithmetic[op]
		switch op {
		case syntax.And, syntax.Or, syntax.Caret:
			kind = Bitwise
			for _, to := range []syntax.TokenKind{syntax.And, syntax.Or, syntax.Caret} {
				if to != op {
					others = append(others, to)
				}
			}
		case syntax.Shl:
			kind, others = Shift, []syntax.TokenKind{syntax.Shr}
		case syntax.Shr:
			kind, others = Shift, []syntax.TokenKind{syntax.Shl}
		}
		for _, to := range others {
			w.replace(kind, s, operators[to].text+"=")
		}
		if kind == Arithmetic {
			w.replace(kind, s, "=")
		}
		if kind == Shift {
			t = anyInt
		}
	}
	w.place(lhs)
	w.value(rhs, t, false)
}

// place visits an expression that is written to or borrowed mutably.
func (w *walker) place(n syntax.Node) {
	switch n.Kind() {
	case syntax.Paren, syntax.AttrExpr, syntax.Unary:
		w.place(n.Get(syntax.FExpr))
	case syntax.FieldExpr:
		w.field(n)
		w.place(n.Get(syntax.FExpr))
	case syntax.Index:
		w.index(n)
	case syntax.Tuple:
		for e := range n.All(syntax.FExpr) {
			w.place(e)
		}
	case syntax.Path:
		names := words(n)
		if len(names) != 1 {
			return
		}
		l := w.local(names[0])
		if l == nil || l.typ == "" || !l.mut || w.late[l.name] {
			return
		}
		if o, ok := w.another(l, true); ok {
			w.replace(Swap, n.Span(), o)
		}
	case syntax.MethodCall, syntax.Call:
		w.expr(n, "")
	}
}

// another is the local nearest before one, or else behind, that has the same type.
func (w *walker) another(l *local, mut bool) (string, bool) {
	for i := len(w.locals) - 1; i >= 0; i-- {
		o := &w.locals[i]
		if o.name != l.name && o.typ != "" && (o.typ == l.typ || same(o.typ, l.typ)) && o.ready && (!mut || o.mut) && w.local(o.name) == o {
			return o.name, true
		}
	}
	return "", false
}

func (w *walker) path(n syntax.Node, want string) {
	w.hint(n, want)
	names := words(n)
	s := n.Span()
	switch {
	case len(names) == 1:
		l := w.local(names[0])
		if l == nil {
			if t := w.types.consts[names[0]]; isInt(t) {
				w.replace(Constant, s, "("+names[0]+" + 1)")
				w.replace(Constant, s, "("+names[0]+" - 1)")
				w.replace(Constant, s, "0")
			} else if t == "bool" {
				w.replace(Constant, s, "!"+names[0])
			}
			return
		}
		if l.typ == "" || !w.copies(l.typ) || names[0] == "self" || w.late[l.name] {
			return
		}
		if o, ok := w.another(l, false); ok {
			w.replace(Swap, s, o)
		}
	case len(names) == 2 && intBits[names[0]] > 0 && names[1] == "MAX":
		w.replace(Constant, s, "("+n.Text()+" - 1)")
		w.replace(Constant, s, "0")
		w.replace(Twin, s, names[0]+"::MIN")
	case len(names) == 2 && intBits[names[0]] > 0 && names[1] == "MIN":
		w.replace(Constant, s, "("+n.Text()+" + 1)")
		w.replace(Constant, s, "0")
		w.replace(Twin, s, names[0]+"::MAX")
	case len(names) >= 2 && names[len(names)-2] == "Ordering" && (names[len(names)-1] == "Less" || names[len(names)-1] == "Greater"):
		other := map[string]string{"Less": "Greater", "Greater": "Less"}[names[len(names)-1]]
		w.replace(Twin, s, strings.TrimSuffix(n.Text(), names[len(names)-1])+other)
	case len(names) == 2:
		variants := w.types.variants[names[0]]
		if i := slices.Index(variants, names[1]); i >= 0 && len(variants) > 1 {
			w.replace(Twin, s, names[0]+"::"+variants[(i+1)%len(variants)])
		}
	}
}

// literal edits a literal where a value of a type is wanted; negative tells that a minus stands before it.
func (w *walker) literal(n syntax.Node, want string, negative bool) {
	t := n.FirstToken()
	s := n.Span()
	switch t.Kind() {
	case syntax.KwTrue:
		w.replace(Constant, s, "false")
	case syntax.KwFalse:
		w.replace(Constant, s, "true")
	case syntax.Int:
		v, suffix, ok := intLiteral(t.Text())
		if !ok {
			return
		}
		if suffix != "" {
			want = suffix
		}
		limit := ^uint64(0)
		if intBits[want] > 0 {
			limit = maxOf(want)
			if negative && limit != ^uint64(0) {
				limit++
			}
		}
		if v < limit {
			w.replace(Constant, s, strconv.FormatUint(v+1, 10)+suffix)
		}
		switch {
		case v > 0:
			w.replace(Constant, s, strconv.FormatUint(v-1, 10)+suffix)
		case !negative && strings.HasPrefix(want, "i"):
			w.replace(Constant, s, "-1"+suffix)
		}
		w.replace(Constant, s, "0"+suffix)
	case syntax.Float:
		suffix := ""
		for _, f := range []string{"f32", "f64"} {
			if strings.HasSuffix(t.Text(), f) {
				suffix = f
			}
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(t.Text(), suffix), "_", ""), 64)
		if err != nil {
			return
		}
		for _, to := range []float64{v + 1, v - 1, 0} {
			text := strconv.FormatFloat(to, 'f', -1, 64)
			if !strings.Contains(text, ".") {
				text += ".0"
			}
			if negative && to < 0 {
				continue
			}
			w.replace(Constant, s, text+suffix)
		}
	case syntax.Char:
		if r := []rune(t.Text()); len(r) == 3 && r[1] > ' ' && r[1] < '~' {
			for _, to := range []rune{r[1] + 1, r[1] - 1} {
				if to != '\'' && to != '\\' {
					w.replace(Constant, s, "'"+string(to)+"'")
				}
			}
		}
	case syntax.Byte:
		if r := t.Text(); len(r) == 4 && r[2] > ' ' && r[2] < '~' {
			for _, to := range []byte{r[2] + 1, r[2] - 1} {
				if to != '\'' && to != '\\' {
					w.replace(Constant, s, "b'"+string(rune(to))+"'")
				}
			}
		}
	case syntax.String:
		w.replace(Constant, s, `""`)
	}
}

// condition edits what decides a branch. branches tells that the branches of an if are swapped, which is the same as negating.
func (w *walker) condition(c syntax.Node, branches bool) {
	if hasLet(c) {
		w.letCondition(c)
		return
	}
	s := c.Span()
	w.replace(Condition, s, "true")
	w.replace(Condition, s, "false")
	inner := c
	for inner.Kind() == syntax.Paren {
		inner = inner.Get(syntax.FExpr)
	}
	_, comparison := inverse[inner.Op()]
	switch {
	case branches:
		w.negated = inner.ID()
	case inner.Kind() == syntax.Binary && comparison:
	case inner.Kind() == syntax.Unary && inner.Op() == syntax.Bang:
		// The ! is dropped, which is another edit.
	default:
		w.replace(Negate, s, "!"+w.operand(c))
	}
	w.value(c, "bool", false)
}

// letCondition edits the parts of a condition with `let` in it.
func (w *walker) letCondition(c syntax.Node) {
	switch {
	case c.Kind() == syntax.LetCond:
		w.value(c.Get(syntax.FExpr), "", false)
		w.bind(c.Get(syntax.FPat), w.typeOf(c.Get(syntax.FExpr)))
	case c.Kind() == syntax.Binary && c.Op() == syntax.AndAnd:
		for _, side := range []syntax.Node{c.Get(syntax.FLhs), c.Get(syntax.FRhs)} {
			w.operands[side.ID()] = true
			w.letCondition(side)
		}
	default:
		w.condition(c, false)
	}
}

func (w *walker) ifExpr(n syntax.Node, want string, tail bool) {
	cond, then, other := n.Get(syntax.FCond), n.Get(syntax.FThen), n.Get(syntax.FElse)
	if !other.Valid() {
		want = unit
	}
	let := hasLet(cond)
	plain := !let && other.Kind() == syntax.Block
	w.scope(func() {
		w.condition(cond, plain)
		w.block(then, want, tail)
	})
	switch {
	case plain:
		w.replace(Branches, source.Span{Start: then.Span().Start, End: other.Span().End}, other.Text()+string(w.src[then.Span().End:other.Span().Start])+then.Text())
	case let && other.Valid() && other.Kind() == syntax.Block:
		w.replace(Condition, n.Span(), other.Text())
	case let && !other.Valid():
		w.replace(Condition, n.Span(), "{}")
	case !let && other.Kind() == syntax.If && !hasLet(other.Get(syntax.FCond)):
		next := other.Get(syntax.FThen)
		w.replace(Branches, source.Span{Start: then.Span().Start, End: next.Span().End},
			next.Text()+string(w.src[then.Span().End:next.Span().Start])+then.Text())
	}
	if other.Valid() {
		w.value(other, want, tail)
	}
}

func (w *walker) match(n syntax.Node, want string, tail bool) {
	subject := n.Get(syntax.FExpr)
	w.value(subject, "", false)
	t := w.typeOf(subject)
	arms := slices.Collect(n.All(syntax.FArm))
	for i, a := range arms {
		body := a.Get(syntax.FBody)
		if erased(body) {
			w.ghostly(body)
			continue
		}
		w.scope(func() {
			w.bind(a.Get(syntax.FPat), t)
			if g := a.Get(syntax.FGuard); g.Valid() {
				w.condition(g, false)
			}
			if body.Kind() != syntax.Block && want == unit {
				op := Delete
				if body.Kind() == syntax.Break || body.Kind() == syntax.Continue {
					op = Jump
				}
				w.replace(op, body.Span(), "{}")
			}
			w.value(body, want, tail)
		})
		binds := boundBy(a.Get(syntax.FPat))
		for step := 1; step <= 2 && step < len(arms); step++ {
			b := arms[(i+step)%len(arms)]
			if from := b.Get(syntax.FBody); !erased(from) && fits(binds, b) {
				text := from.Text()
				if body.Kind() == syntax.Block && from.Kind() != syntax.Block {
					text = "{ " + text + " }"
				}
				w.replace(Arm, body.Span(), text)
			}
		}
	}
}

// fits tells an arm whose body needs no name from its pattern that is not in have.
func fits(have map[string]bool, arm syntax.Node) bool {
	needs := boundBy(arm.Get(syntax.FPat))
	for t := range arm.Get(syntax.FBody).Tokens() {
		if name := t.Text(); needs[name] && !have[name] {
			return false
		}
	}
	return true
}

func (w *walker) while(n syntax.Node) {
	w.clauses(n)
	cond, body := n.Get(syntax.FCond), n.Get(syntax.FBody)
	w.scope(func() {
		w.condition(cond, false)
		w.block(body, unit, false)
	})
	w.once(body)
	if !hasLet(cond) {
		s, c := n.Span(), cond.Span()
		const again = "one_turn_more"
		w.replace(Turn, s, "{ let mut "+again+" = true; "+string(w.src[s.Start:c.Start])+w.side(cond, syntax.OrOr, false)+" || ::core::mem::take(&mut "+again+")"+
			string(w.src[c.End:s.End])+" }")
	}
}

// once leaves a loop after its first turn.
func (w *walker) once(body syntax.Node) {
	var last syntax.Node
	for s := range body.All(syntax.FStmt) {
		last = s
	}
	if !last.Valid() {
		return
	}
	at, semi := last.Span().End, ""
	if last.Kind() == syntax.ExprStmt && !last.Semi() {
		semi = ";"
	}
	w.replace(Turn, source.Span{Start: at, End: at}, semi+" break;")
}

func (w *walker) forLoop(n syntax.Node) {
	w.clauses(n)
	if name := n.Get(syntax.FName); name.Valid() {
		w.ghostly(name)
	}
	e, body := n.Get(syntax.FExpr), n.Get(syntax.FBody)
	r := e
	for r.Kind() == syntax.Paren {
		r = r.Get(syntax.FExpr)
	}
	t := ""
	if r.Kind() == syntax.Range {
		lo, hi := r.Get(syntax.FLo), r.Get(syntax.FHi)
		for _, end := range []syntax.Node{hi, lo} {
			if x := w.typeOf(end); end.Valid() && x != "" && (t == "" || t == anyInt) {
				t = x
			}
		}
		if hi.Valid() && hi.Kind() != syntax.Literal {
			w.replace(Turn, hi.Span(), w.plus(hi, syntax.Minus))
			w.replace(Turn, hi.Span(), w.plus(hi, syntax.Plus))
		}
		if lo.Valid() && lo.Kind() != syntax.Literal {
			w.replace(Turn, lo.Span(), w.plus(lo, syntax.Plus))
		}
	} else {
		w.replace(Turn, e.Span(), "::core::iter::Iterator::skip(::core::iter::IntoIterator::into_iter("+e.Text()+"), 1)")
	}
	w.value(e, "", false)
	w.scope(func() {
		w.bind(n.Get(syntax.FPat), t)
		w.block(body, unit, false)
	})
	w.once(body)
}

// jump swaps break and continue.
func (w *walker) jump(n syntax.Node) {
	if n.Get(syntax.FExpr).Valid() {
		return
	}
	word := n.FirstToken().Span()
	if n.Kind() == syntax.Break {
		w.replace(Jump, word, "continue")
	} else {
		w.replace(Jump, word, "break")
	}
}

func (w *walker) rangeEnd(n syntax.Node) {
	hi := n.Get(syntax.FHi)
	if !hi.Valid() {
		return
	}
	at := n.Span().Start
	if lo := n.Get(syntax.FLo); lo.Valid() {
		at = w.behind(lo.Span().End)
	}
	if n.Op() == syntax.DotDotEq {
		w.replace(RangeEnd, source.Span{Start: at, End: at + 3}, "..")
	} else {
		w.replace(RangeEnd, source.Span{Start: at, End: at + 2}, "..=")
	}
}

func (w *walker) index(n syntax.Node) {
	base, i := n.Get(syntax.FExpr), n.Get(syntax.FIndex)
	w.expr(base, "")
	t := w.typeOf(i)
	name, _ := typeArgs(deref(w.typeOf(base)))
	keyed := strings.HasSuffix(name, "Map")
	switch {
	case i.Kind() == syntax.Range:
		w.value(i, "Range<usize>", false)
		return
	case keyed || i.Kind() == syntax.Ref || t != "" && !isInt(t) || i.Kind() == syntax.Literal && t != anyInt && t != "usize":
		w.value(i, "", false)
		return
	case i.Kind() != syntax.Literal:
		w.replace(IndexShift, i.Span(), w.plus(i, syntax.Plus))
		w.replace(IndexShift, i.Span(), w.plus(i, syntax.Minus))
	default:
		if v, _, ok := intLiteral(i.Text()); ok && v < ^uint64(0) {
			w.replace(IndexShift, i.Span(), strconv.FormatUint(v+1, 10))
			if v > 0 {
				w.replace(IndexShift, i.Span(), strconv.FormatUint(v-1, 10))
			}
		}
		return
	}
	w.value(i, "usize", false)
}

var narrower = map[string]string{"u128": "u64", "u64": "u32", "u32": "u16", "u16": "u8", "usize": "u32", "i128": "i64", "i64": "i32",
	"i32": "i16", "i16": "i8", "isize": "i32"}

func (w *walker) cast(n syntax.Node) {
	to := typeAt(n.Get(syntax.FType))
	e := n.Get(syntax.FExpr)
	from := w.typeOf(e)
	bits := intBits[from]
	switch {
	case from == "char":
		bits = 21
	case from == "bool" || isFloat(from):
		return
	case from == "" || from == anyInt:
		bits = 128
	}
	small := "u8"
	if strings.HasPrefix(to, "i") {
		small = "i8"
	}
	for _, through := range []string{narrower[to], small} {
		if through == "" || intBits[through] >= intBits[to] || bits <= intBits[through] && !(bits == intBits[through] && from[0] != through[0]) {
			continue
		}
		if from == "char" && through[0] == 'i' {
			continue
		}
		text := w.operand(e)
		if e.Kind() == syntax.Cast || e.Kind() == syntax.Unary {
			text = e.Text()
		}
		w.replace(Cast, n.Span(), text+" as "+through+" as "+to)
	}
}

func (w *walker) field(n syntax.Node) {
	name := n.Get(syntax.FName)
	fields := w.fieldsOfType(w.typeOf(n.Get(syntax.FExpr)))
	i := slices.IndexFunc(fields, func(f fieldOf) bool { return f.name == name.Text() })
	if i < 0 {
		return
	}
	taken := 0
	for step := 1; step < len(fields) && taken < 2; step++ {
		if o := fields[(i+step)%len(fields)]; o.typ == fields[i].typ && !strings.HasPrefix(o.typ, "Ghost<") && !strings.HasPrefix(o.typ, "Tracked<") {
			taken++
			w.replace(Field, name.Span(), o.name)
		}
	}
}

func (w *walker) structExpr(n syntax.Node) {
	name := syntax.Canon(n.Get(syntax.FPath))
	if name == "Self" {
		name, _ = typeArgs(w.self)
	}
	var values []syntax.Node
	var types []string
	for init := range n.All(syntax.FFieldInit) {
		field := init.Get(syntax.FName).Text()
		t := ""
		for _, f := range w.types.fields[name] {
			if f.name == field && !w.types.generic[name] {
				t = f.typ
			}
		}
		values, types = append(values, init), append(types, t)
		if e := init.Get(syntax.FExpr); e.Valid() {
			if t != "" && (strings.HasPrefix(t, "Ghost<") || strings.HasPrefix(t, "Tracked<")) || wrapper(e) {
				w.ghostly(init)
			} else {
				w.value(e, t, false)
			}
		}
	}
	w.exchange(values, types)
	if base := n.Get(syntax.FBase); base.Valid() {
		w.value(base, "", false)
	}
}

func (w *walker) elements(n syntax.Node, want string) {
	_, types := typeArgs(want)
	elems := slices.Collect(n.All(syntax.FExpr))
	if len(types) != len(elems) || !strings.HasPrefix(want, "(") {
		types = make([]string, len(elems))
	}
	for i, e := range elems {
		w.value(e, types[i], false)
	}
	w.exchange(elems, types)
}

// exchange swaps two neighbours of one type. types are those of their places, as far as known. A field initialiser keeps its name.
func (w *walker) exchange(elems []syntax.Node, types []string) {
	expr := func(n syntax.Node) syntax.Node {
		if n.Kind() == syntax.FieldInit {
			return n.Get(syntax.FExpr)
		}
		return n
	}
	typ := func(i int) string {
		if types != nil && types[i] != "" {
			return types[i]
		}
		if e := expr(elems[i]); e.Valid() {
			return w.typeOf(e)
		}
		if l := w.local(elems[i].Get(syntax.FName).Text()); l != nil {
			return l.typ
		}
		return ""
	}
	for i := range elems {
		for j := i + 1; j < len(elems); j++ {
			a, b := elems[i], elems[j]
			if !same(typ(i), typ(j)) {
				continue
			}
			left, right := value(a), value(b)
			if left == right {
				continue
			}
			if a.Kind() == syntax.FieldInit {
				left, right = a.Get(syntax.FName).Text()+": "+right, b.Get(syntax.FName).Text()+": "+left
			} else {
				left, right = right, left
			}
			w.replace(Swap, source.Span{Start: a.Span().Start, End: b.Span().End}, left+string(w.src[a.Span().End:b.Span().Start])+right)
			break
		}
	}
}

// value is the text of an element, or of what a field is initialised with.
func value(n syntax.Node) string {
	if n.Kind() != syntax.FieldInit {
		return n.Text()
	}
	if e := n.Get(syntax.FExpr); e.Valid() {
		return e.Text()
	}
	return n.Get(syntax.FName).Text()
}

// wrapper tells Ghost(..) and Tracked(..).
func wrapper(n syntax.Node) bool {
	if n.Kind() != syntax.Call {
		return false
	}
	names := words(n.Get(syntax.FCallee))
	return len(names) > 0 && (names[len(names)-1] == "Ghost" || names[len(names)-1] == "Tracked")
}

// arguments visits arguments whose places have types, and swaps those of one type.
func (w *walker) arguments(n syntax.Node, types []string) {
	elems := slices.Collect(n.Get(syntax.FArgs).All(syntax.FExpr))
	if len(types) != len(elems) {
		types = make([]string, len(elems))
	}
	for i, e := range elems {
		if wrapper(e) {
			w.ghostly(e)
			continue
		}
		w.value(e, types[i], false)
	}
	w.exchange(elems, types)
}

// paramTypes are those of a call's arguments, as far as the callee is known.
func (w *walker) paramTypes(n syntax.Node, method bool) []string {
	f := w.callee(n)
	if f == nil {
		return nil
	}
	if method {
		if t := deref(w.typeOf(n.Get(syntax.FReceiver))); t == "" || t != f.Self {
			return nil
		}
	}
	var types []string
	for i, p := range f.Params {
		if i == 0 && method && p.Name == "self" {
			continue
		}
		t := typeText(p.Type)
		if strings.Contains(t, "Self") {
			t = ""
		}
		types = append(types, t)
	}
	return types
}

func (w *walker) call(n syntax.Node) {
	if wrapper(n) {
		w.ghostly(n)
		return
	}
	callee := n.Get(syntax.FCallee)
	names := words(callee)
	root := ""
	if len(names) == 1 {
		root = names[0]
	}
	args := slices.Collect(n.Get(syntax.FArgs).All(syntax.FExpr))
	var types []string
	switch {
	case callee.Kind() != syntax.Path:
		w.expr(callee, "")
	case len(names) > 1:
		last := names[len(names)-1]
		var name syntax.Token
		for s := range callee.All(syntax.FSegment) {
			name = s.FirstToken()
		}
		if w.callee(n) == nil {
			for _, to := range twins[last] {
				w.replace(Twin, name.Span(), to)
			}
		}
		if last == "swap" || last == "min" || last == "max" {
			break
		}
		fallthrough
	default:
		types = w.paramTypes(n, false)
		if root == "Some" && w.inClosure == 0 {
			if head, args := typeArgs(w.result); head == "Option" && len(args) == 1 {
				types = []string{args[0]}
			}
		}
		if fields := w.types.fields[root]; types == nil && len(fields) == len(args) && !w.types.generic[root] {
			for _, f := range fields {
				types = append(types, f.typ)
			}
		}
	}
	w.arguments(n, types)
}

// twins are counterparts of methods that have the same type.
var twins = map[string][]string{
	"min": {"max"}, "max": {"min"}, "first": {"last"}, "last": {"first"}, "first_mut": {"last_mut"}, "last_mut": {"first_mut"},
	"push_back": {"push_front"}, "push_front": {"push_back"}, "pop_back": {"pop_front"}, "pop_front": {"pop_back"}, "front": {"back"},
	"back": {"front"}, "is_some": {"is_none"}, "is_none": {"is_some"}, "is_ok": {"is_err"}, "is_err": {"is_ok"}, "any": {"all"}, "all": {"any"},
	"starts_with": {"ends_with"}, "ends_with": {"starts_with"}, "count_ones": {"count_zeros"}, "count_zeros": {"count_ones"},
	"leading_zeros": {"trailing_zeros"}, "trailing_zeros": {"leading_zeros"}, "rotate_left": {"rotate_right"}, "rotate_right": {"rotate_left"},
	"skip": {"take"}, "take": {"skip"}, "floor": {"ceil"}, "ceil": {"floor"}, "to_lowercase": {"to_uppercase"}, "to_uppercase": {"to_lowercase"},
	"to_ascii_lowercase": {"to_ascii_uppercase"}, "to_ascii_uppercase": {"to_ascii_lowercase"}, "trim_start": {"trim_end"}, "trim_end": {"trim_start"},
	"wrapping_add": {"wrapping_sub", "saturating_add"}, "wrapping_sub": {"wrapping_add", "saturating_sub"}, "wrapping_mul": {"wrapping_add", "saturating_mul"},
	"saturating_add": {"saturating_sub", "wrapping_add"}, "saturating_sub": {"saturating_add", "wrapping_sub"}, "saturating_mul": {"saturating_add", "wrapping_mul"},
	"checked_add": {"checked_sub"}, "checked_sub": {"checked_add"}, "checked_mul": {"checked_add"}, "checked_div": {"checked_rem"},
	"checked_rem": {"checked_div"}, "div_euclid": {"rem_euclid"}, "rem_euclid": {"div_euclid"},
	"lt": {"le"}, "le": {"lt"}, "gt": {"ge"}, "ge": {"gt"}, "eq": {"ne"}, "ne": {"eq"},
}

func (w *walker) method(n syntax.Node) {
	recv, name := n.Get(syntax.FReceiver), n.Get(syntax.FName)
	method := name.Text()
	args := slices.Collect(n.Get(syntax.FArgs).All(syntax.FExpr))
	t := w.typeOf(recv)
	// A method of the tree has no twin that is known; one found by its name alone may be the library's.
	library := true
	if f := w.callee(n); f != nil && (deref(t) == "" && recv.Text() == "self" || deref(t) == f.Self) {
		library = false
	}
	if library {
		for _, to := range twins[method] {
			if (method == "take" || method == "skip") && len(args) != 1 {
				continue
			}
			w.replace(Twin, name.Span(), to)
		}
		switch {
		case method == "push" && len(args) == 1 && deref(t) != "String":
			w.replace(Twin, source.Span{Start: name.Span().Start, End: args[0].Span().Start}, "insert(0, ")
		case method == "insert" && len(args) == 2 && (strings.HasPrefix(deref(t), "Vec<") || w.typeOf(args[0]) == "usize" && t == ""):
			w.replace(Twin, source.Span{Start: name.Span().Start, End: args[1].Span().Start}, "push(")
		case strings.HasPrefix(method, "checked_") && len(args) == 1 && method != "checked_div" && method != "checked_rem" && method != "checked_next_power_of_two":
			w.replace(Twin, n.Span(), "Some("+string(w.src[n.Span().Start:name.Span().Start])+"wrapping_"+strings.TrimPrefix(method, "checked_")+
				string(w.src[name.Span().End:n.Span().End])+")")
		case method == "is_empty" && len(args) == 0:
			w.replace(Negate, n.Span(), "!"+n.Text())
		}
	}
	w.expr(recv, "")
	types := w.paramTypes(n, true)
	if types == nil && len(args) == 1 && isInt(t) {
		switch method {
		case "min", "max", "abs_diff", "wrapping_add", "wrapping_sub", "wrapping_mul", "saturating_add", "saturating_sub", "saturating_mul",
			"checked_add", "checked_sub", "checked_mul":
			types = []string{t}
		}
	}
	if types == nil && library && len(args) > 0 {
		elem := element(t)
		switch {
		case method == "push" && len(args) == 1:
			types = []string{elem}
		case (method == "set" || method == "insert") && len(args) == 2 && elem != "":
			types = []string{"usize", elem}
		case method == "swap" && len(args) == 2:
			w.value(args[0], "usize", false)
			w.value(args[1], "usize", false)
			return // the other way round is the same
		}
	}
	w.arguments(n, types)
}

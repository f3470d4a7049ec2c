package logic

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/syntax"
)

// Ref is what a name in specification code means.
type Ref struct {
	// Name is equal for two names exactly when they mean the same definition with the same content.
	Name string
	// Type of the value, or of the function's result; nil: not known.
	Type *Type
}

// Names resolves names for a Converter.
type Names interface {
	// Path resolves a path, used as a value or called with that many arguments (-1: not called).
	Path(path syntax.Node, args int) Ref
	// Method resolves a method call or, for the views of `e@`, "view". recv may be nil.
	Method(name string, recv *Type, args int) Ref
	// Field gives the type of a field, by name or index; of a variant's field when variant is not empty. nil: not known.
	Field(of *Type, variant, field string) *Type
	// Type reads a type. nil: not known, and perhaps a floating point number.
	Type(n syntax.Node) *Type
	// Changed tells whether a word names a definition that differs between the two sides; Side then tells them apart.
	Changed(word string) bool
	Side() string
}

// Converter turns specification expressions into terms. What it does not understand becomes a function of the names that occur
// in it, about which nothing is assumed.
type Converter struct {
	S     *Space
	Names Names
	// Old and Final are what old(x) and final(x) mean, by parameter.
	Old, Final map[string]*Term

	scope *scope
	depth int // binders around the current place
	nest  int // depth of the expression
}

type scope struct {
	name  string
	term  *Term
	depth int
	outer *scope
}

// Bind gives a name a meaning from here on.
func (c *Converter) Bind(name string, t *Term) {
	c.scope = &scope{name: name, term: t, depth: c.depth, outer: c.scope}
}

func (c *Converter) lookup(name string) *Term {
	for s := c.scope; s != nil; s = s.outer {
		if s.name == name {
			return c.S.shift(s.term, c.depth-s.depth)
		}
	}
	return nil
}

// maxNest bounds how deeply nested an expression is understood.
const maxNest = 200

// Formula converts an expression that is a truth value.
func (c *Converter) Formula(n syntax.Node) *Term {
	if n.Kind() == syntax.Unary && n.Op() == syntax.Bang {
		// The operand of a negation that is a truth value is one too.
		return c.S.Not(c.Formula(n.Get(syntax.FExpr)))
	}
	return c.truth(c.Term(n))
}

// Truth is a term as a truth value.
func (c *Converter) Truth(t *Term) *Term { return c.truth(t) }

// Equals is a == b in specification code.
func (c *Converter) Equals(a, b *Term) *Term { return c.equal(a, b) }

func (c *Converter) truth(t *Term) *Term {
	if t.IsBool() {
		return t
	}
	return c.S.App("truth", boolType, t)
}

// Term converts an expression.
func (c *Converter) Term(n syntax.Node) *Term {
	if c.nest > maxNest {
		c.S.Overflow = true
		return c.S.True()
	}
	c.nest++
	t := c.term(n)
	c.nest--
	return t
}

func (c *Converter) term(n syntax.Node) *Term {
	s := c.S
	switch n.Kind() {
	case syntax.Paren, syntax.AttrExpr, syntax.Ref:
		if n.Mut() {
			break
		}
		return c.Term(n.Get(syntax.FExpr))
	case syntax.Literal:
		return c.literal(n)
	case syntax.Path:
		return c.path(n)
	case syntax.Unary:
		return c.unary(n)
	case syntax.Binary:
		return c.binary(n)
	case syntax.BigAnd, syntax.BigOr:
		saved := c.scope
		var parts []*Term
		for e := range n.All(syntax.FExpr) {
			parts = append(parts, c.Formula(e))
			if n.Kind() == syntax.BigAnd {
				c.bindMatches(e)
			}
		}
		c.scope = saved
		if n.Kind() == syntax.BigAnd {
			return s.And(parts...)
		}
		return s.Or(parts...)
	case syntax.Quant:
		return c.quant(n)
	case syntax.Closure:
		return c.closure(n)
	case syntax.Block:
		return c.block(n)
	case syntax.If:
		if !n.Get(syntax.FElse).Valid() {
			break
		}
		saved := c.scope
		cond := c.condition(n.Get(syntax.FCond))
		then := c.Term(n.Get(syntax.FThen))
		c.scope = saved
		return c.choose(cond, then, c.Term(n.Get(syntax.FElse)))
	case syntax.Match:
		if t := c.match(n); t != nil {
			return t
		}
	case syntax.Matches:
		saved := c.scope
		cond, ok := c.pattern(n.Get(syntax.FPat), c.Term(n.Get(syntax.FExpr)))
		c.scope = saved
		if ok {
			return cond
		}
	case syntax.Is:
		if name := n.Get(syntax.FName); name.Valid() {
			t := c.variant(c.Term(n.Get(syntax.FExpr)), name.Text())
			if n.Not() {
				t = s.Not(t)
			}
			return t
		}
	case syntax.Arrow:
		return c.arrow(c.Term(n.Get(syntax.FExpr)), n.Get(syntax.FName).Text())
	case syntax.View:
		return c.view(c.Term(n.Get(syntax.FExpr)))
	case syntax.FieldExpr:
		return c.field(c.Term(n.Get(syntax.FExpr)), n.Get(syntax.FName).Text())
	case syntax.Index:
		return c.index(n)
	case syntax.Has:
		if t := c.overloaded("spec_has", c.Term(n.Get(syntax.FLhs)), c.Term(n.Get(syntax.FRhs))); t != nil {
			if n.Not() {
				return s.Not(c.truth(t))
			}
			return t
		}
	case syntax.Tuple:
		var parts []*Term
		typ := &Type{Kind: KOther, Name: "()", Tuple: true}
		for e := range n.All(syntax.FExpr) {
			t := c.Term(e)
			parts = append(parts, t)
			typ.Args = append(typ.Args, t.typeOf())
		}
		return s.App("tuple", typ, parts...)
	case syntax.Cast:
		return c.cast(n)
	case syntax.Call:
		return c.call(n)
	case syntax.MethodCall:
		return c.method(n)
	case syntax.MacroCall:
		if t := c.seqMacro(n); t != nil {
			return t
		}
	}
	return c.opaque(n)
}

// typeOf is the type of the value; nil: not known.
func (t *Term) typeOf() *Type {
	switch {
	case t.Op == Lambda:
		return &Type{Kind: KOther, Name: "closure"}
	case t.IsBool():
		return boolType
	}
	return t.Type
}

// opaque is an expression of which only this is used: it is a function of the names that occur in it.
func (c *Converter) opaque(n syntax.Node) *Term {
	var text strings.Builder
	var args []*Term
	seen := map[string]bool{}
	side := false
	for tok := range n.Tokens() {
		w := tok.Text()
		text.WriteString(w)
		text.WriteByte(' ')
		if seen[w] {
			continue
		}
		seen[w] = true
		if c.Names.Changed(w) {
			side = true
		}
		if t := c.lookup(w); t != nil {
			args = append(args, t)
		}
		// old(x) and final(x) occur as words too.
		if t := c.Old[w]; t != nil {
			args = append(args, t)
		}
		if t := c.Final[w]; t != nil {
			args = append(args, t)
		}
	}
	name := "text " + text.String()
	if side {
		name = c.Names.Side() + " " + name
	}
	return c.S.App(name, nil, args...)
}

func (c *Converter) literal(n syntax.Node) *Term {
	s := c.S
	tok := n.FirstToken()
	text := tok.Text()
	switch tok.Kind() {
	case syntax.KwTrue:
		return s.True()
	case syntax.KwFalse:
		return s.False()
	case syntax.Int:
		if v := integer(text); v != nil {
			return s.Int(v)
		}
	case syntax.Char:
		return s.App("lit "+text, &Type{Kind: KOther, Name: "char"})
	case syntax.String:
		return s.App("lit "+text, &Type{Kind: KOther, Name: "str"})
	}
	return c.opaque(n)
}

// integer reads a literal of an integer type; nil for anything else, 1f64 and 1real among it.
func integer(text string) *big.Int {
	digits, base, suffix := syntax.Integer(text)
	if suffix != "" && IntegerType(suffix) == nil {
		return nil
	}
	v, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil
	}
	return v
}

func (c *Converter) path(n syntax.Node) *Term {
	s := c.S
	words := segments(n)
	if words == nil {
		return c.opaque(n)
	}
	if len(words) == 1 {
		if t := c.lookup(words[0]); t != nil {
			return t
		}
		if words[0] == "None" {
			return s.App("None", &Type{Kind: KOther, Name: "Option"})
		}
	}
	last := words[len(words)-1]
	if len(words) >= 2 && (last == "MAX" || last == "MIN") {
		if t := IntegerType(words[len(words)-2]); t != nil && t != intType && t != natType {
			return s.Limit(t.Name, last == "MAX")
		}
	}
	r := c.Names.Path(n, -1)
	return s.App(r.Name, r.Type)
}

// segments are the words of a path without generic arguments; nil for any other.
func segments(n syntax.Node) []string {
	var out []string
	for seg := range n.All(syntax.FSegment) {
		for range seg.Children() {
			return nil
		}
		out = append(out, seg.Text())
	}
	if n.Get(syntax.FQSelf).Valid() {
		return nil
	}
	return out
}

func (c *Converter) unary(n syntax.Node) *Term {
	s := c.S
	e := c.Term(n.Get(syntax.FExpr))
	switch n.Op() {
	case syntax.Star:
		return e
	case syntax.Bang:
		if e.IsBool() {
			return s.Not(e)
		}
		// Without a type a truth value or an integer: nothing is known of it but that it is a function of its operand.
		return s.App("!", e.Type, e)
	case syntax.Minus:
		if e.IsInt() {
			return s.Product(s.Int64(-1), e)
		}
		if t := c.overloaded("spec_neg", e); t != nil {
			return t
		}
		return s.App("-", e.typeOf(), e)
	}
	return c.opaque(n)
}

func isComparison(k syntax.TokenKind) bool {
	switch k {
	case syntax.EqEq, syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
		return true
	}
	return false
}

func (c *Converter) binary(n syntax.Node) *Term {
	s := c.S
	l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	switch n.Op() {
	case syntax.AndAnd, syntax.AndAndAnd:
		saved := c.scope
		a := c.Formula(l)
		c.bindMatches(l)
		b := c.Formula(r)
		c.scope = saved
		return s.And(a, b)
	case syntax.OrOr:
		return s.Or(c.Formula(l), c.Formula(r))
	case syntax.Implies:
		saved := c.scope
		a := c.Formula(l)
		c.bindMatches(l)
		b := c.Formula(r)
		c.scope = saved
		return s.Implies(a, b)
	case syntax.Explies:
		return s.Implies(c.Formula(r), c.Formula(l))
	case syntax.Iff:
		return s.Iff(c.Formula(l), c.Formula(r))
	}
	if isComparison(n.Op()) && l.Kind() == syntax.Binary && isComparison(l.Op()) {
		// a <= b < c means a <= b && b < c.
		return s.And(c.Formula(l), c.compare(n.Op(), c.Term(l.Get(syntax.FRhs)), c.Term(r)))
	}
	return c.compare(n.Op(), c.Term(l), c.Term(r))
}

func (c *Converter) compare(op syntax.TokenKind, a, b *Term) *Term {
	s := c.S
	if name := operatorMethods[op]; name != "" {
		if t := c.overloaded(name, a, b); t != nil {
			return t
		}
	}
	ints := a.IsInt() && b.IsInt()
	switch op {
	case syntax.EqEq, syntax.EqEqEq:
		return c.equal(a, b)
	case syntax.Ne, syntax.NeEq:
		return s.Not(c.equal(a, b))
	case syntax.ExtEq, syntax.DeepEq, syntax.NotExtEq, syntax.NotDeep:
		var eq *Term
		if seqOfScalars(a.Type) && seqOfScalars(b.Type) || (op == syntax.ExtEq || op == syntax.NotExtEq) && isSeq(a) && isSeq(b) {
			// vstd: sequences are extensional.
			eq = c.equal(a, b)
		} else {
			name := "=~="
			if op == syntax.DeepEq || op == syntax.NotDeep {
				name = "=~~="
			}
			eq = s.App(name, boolType, a, b)
		}
		if op == syntax.NotExtEq || op == syntax.NotDeep {
			return s.Not(eq)
		}
		return eq
	case syntax.Lt:
		return s.Less(a, b)
	case syntax.Le:
		return s.LessEq(a, b)
	case syntax.Gt:
		return s.Less(b, a)
	case syntax.Ge:
		return s.LessEq(b, a)
	case syntax.Plus:
		if ints {
			return s.Sum(a, b)
		}
		if isSeq(a) && isSeq(b) {
			return s.App(FnConcat, a.Type, a, b)
		}
		return s.App("+", nil, a, b)
	case syntax.Minus:
		if ints {
			return s.Sub(a, b)
		}
		return s.App("- -", nil, a, b)
	case syntax.Star:
		if ints {
			return s.Product(a, b)
		}
		return s.App("*", nil, a, b)
	case syntax.Slash:
		if ints {
			return s.App(FnDiv, intType, a, b)
		}
		return s.App("real /", nil, a, b)
	case syntax.Percent:
		if ints {
			return s.App(FnMod, intType, a, b)
		}
		return s.App("other %", nil, a, b)
	}
	return s.App("operator "+opName(op), nil, a, b)
}

// operatorMethods are what verus! writes for operators. A type may have them: a < b is a.spec_lt(b).
var operatorMethods = map[syntax.TokenKind]string{
	syntax.Lt: "spec_lt", syntax.Le: "spec_le", syntax.Gt: "spec_gt", syntax.Ge: "spec_ge", syntax.Plus: "spec_add", syntax.Minus: "spec_sub", syntax.Star: "spec_mul",
	syntax.Slash: "spec_euclidean_or_real_div", syntax.Percent: "spec_euclidean_mod", syntax.And: "spec_bitand", syntax.Or: "spec_bitor", syntax.Caret: "spec_bitxor",
	syntax.Shl: "spec_shl", syntax.Shr: "spec_shr",
}

// overloaded is what an operator means by a method of the tree; nil: there is none that it can mean.
func (c *Converter) overloaded(name string, of *Term, args ...*Term) *Term {
	typ := of.typeOf()
	if typ != nil && typ.Kind != KOther {
		return nil
	}
	r := c.Names.Method(name, typ, len(args))
	if r.Name == "method "+name && name == "spec_euclidean_or_real_div" {
		r = c.Names.Method("spec_euclidean_div", typ, len(args)) // its name in earlier releases
	}
	if strings.HasPrefix(r.Name, "method ") {
		return nil
	}
	return c.S.App(r.Name, r.Type, append([]*Term{of}, args...)...)
}

// opName tells operators apart.
func opName(op syntax.TokenKind) string { return string(rune('A' + int(op))) }

func isSeq(t *Term) bool { return !t.binds() && t.Type != nil && t.Type.Kind == KSeq }

func seqOfScalars(t *Type) bool {
	return t != nil && t.Kind == KSeq && t.Elem() != nil && (t.Elem().Kind == KInt || t.Elem().Kind == KBool)
}

// equal takes the equality of options, results and tuples apart where one side is written out.
func (c *Converter) equal(a, b *Term) *Term {
	s := c.S
	if constructor(a) {
		a, b = b, a
	}
	if b.Op == App {
		switch b.Name {
		case "None":
			return s.Not(c.variant(a, "Some"))
		case "Some", "Ok", "Err":
			if len(b.Args) == 1 {
				return s.And(c.variant(a, b.Name), c.equal(c.project(a, b.Name, "0"), b.Args[0]))
			}
		case "tuple":
			var parts []*Term
			for i, arg := range b.Args {
				parts = append(parts, c.equal(c.field(a, strconv.Itoa(i)), arg))
			}
			return s.And(parts...)
		}
	}
	return s.Equal(a, b)
}

func constructor(t *Term) bool {
	if t.Op != App {
		return false
	}
	switch t.Name {
	case "None", "Some", "Ok", "Err", "tuple":
		return true
	}
	return false
}

// variant says that a value is of an enum's variant.
func (c *Converter) variant(t *Term, name string) *Term {
	s := c.S
	if t.Op == App {
		switch t.Name {
		case "Some", "None", "Ok", "Err":
			if len(t.Args) == 1 || t.Name == "None" {
				switch name {
				case "Some", "None", "Ok", "Err":
					return s.Bool(t.Name == name)
				}
			}
		}
	}
	switch name {
	case "Some":
		return s.App(FnSome, boolType, t)
	case "None":
		return s.Not(s.App(FnSome, boolType, t))
	case "Ok":
		return s.App(FnOk, boolType, t)
	case "Err":
		return s.Not(s.App(FnOk, boolType, t))
	}
	return s.App("is "+c.side(name), boolType, t)
}

// side tells a name of base from one of head when they mean different things.
func (c *Converter) side(name string) string {
	if c.Names.Changed(name) {
		return c.Names.Side() + " " + name
	}
	return name
}

func (c *Converter) project(t *Term, variant, field string) *Term {
	if t.Op == App && len(t.Args) == 1 && t.Name == variant && field == "0" {
		return t.Args[0]
	}
	var typ *Type
	if of := t.Type; of != nil && !t.binds() {
		switch {
		case of.Name == "Option" && variant == "Some" && len(of.Args) == 1:
			typ = of.Args[0]
		case of.Name == "Result" && variant == "Ok" && len(of.Args) == 2:
			typ = of.Args[0]
		case of.Name == "Result" && variant == "Err" && len(of.Args) == 2:
			typ = of.Args[1]
		default:
			typ = c.Names.Field(of, variant, field)
		}
	}
	return c.S.App(c.side(variant)+"."+field, typ, t)
}

func (c *Converter) arrow(t *Term, name string) *Term {
	if i := strings.LastIndexByte(name, '_'); i > 0 && (name[:i] == "Some" || name[:i] == "Ok" || name[:i] == "Err") && name[i+1:] == "0" {
		return c.project(t, name[:i], "0")
	}
	if name == "0" && !t.binds() && t.Type != nil && t.Type.Name == "Option" {
		return c.project(t, "Some", "0")
	}
	var typ *Type
	if !t.binds() && t.Type != nil {
		typ = c.Names.Field(t.Type, "*", name)
	}
	return c.S.App("->"+name, typ, t)
}

func (c *Converter) field(t *Term, name string) *Term {
	if t.Op == App && t.Name == "tuple" {
		for i, a := range t.Args {
			if name == strconv.Itoa(i) {
				return a
			}
		}
	}
	var typ *Type
	if of := t.Type; of != nil && !t.binds() {
		if of.Tuple {
			for i, a := range of.Args {
				if name == strconv.Itoa(i) {
					typ = a
				}
			}
		} else {
			typ = c.Names.Field(of, "", name)
		}
	}
	return c.S.App("."+c.side(name), typ, t)
}

// view is e@: the sequence of a Vec, slice or array, or what the type's own view is.
func (c *Converter) view(t *Term) *Term {
	of := t.typeOf()
	if of != nil && of.Kind == KVec {
		return c.S.App(FnView, seqOf(of.Elem()), t)
	}
	if of != nil && (of.Name == "Ghost" || of.Name == "Tracked") && len(of.Args) == 1 {
		return c.S.App(FnView, of.Args[0], t)
	}
	r := c.Names.Method("view", of, 0)
	return c.S.App(r.Name, r.Type, t)
}

func (c *Converter) asSeq(t *Term) *Term {
	if of := t.typeOf(); of != nil && of.Kind == KVec {
		return c.view(t)
	}
	if isSeq(t) {
		return t
	}
	return nil
}

func (c *Converter) index(n syntax.Node) *Term {
	recv, i := c.Term(n.Get(syntax.FExpr)), c.Term(n.Get(syntax.FIndex))
	if seq := c.asSeq(recv); seq != nil && i.IsInt() {
		return c.S.App(FnAt, seq.Type.Elem(), seq, i)
	}
	if t := c.overloaded("spec_index", recv, i); t != nil {
		return t
	}
	return c.S.App("[]", nil, recv, i)
}

func (c *Converter) cast(n syntax.Node) *Term {
	s := c.S
	e := c.Term(n.Get(syntax.FExpr))
	to := c.Names.Type(n.Get(syntax.FType))
	if to == nil || to.Kind != KInt || !e.IsInt() {
		return s.App("cast "+c.sided(n.Get(syntax.FType)), to, e)
	}
	if to == intType || s.within(e, to) {
		return e
	}
	return s.App(FnCast+to.Name, to, e)
}

// within tells whether an integer term's type alone shows that it is a value of another type.
func (s *Space) within(e *Term, to *Type) bool {
	lo, hi := s.bounds(to)
	if e.Op == Int {
		return (lo == nil || s.LessEq(lo, e).Op == True) && (hi == nil || s.LessEq(e, hi).Op == True)
	}
	if e.Type == to || e.Type.Name == to.Name && e.Op != Add && e.Op != Mul {
		return true
	}
	elo, ehi := s.bounds(e.Type)
	return (lo == nil || elo != nil && s.LessEq(lo, elo).Op == True) && (hi == nil || ehi != nil && s.LessEq(ehi, hi).Op == True)
}

// sided is the text of a node, told apart by side when it mentions something that differs.
func (c *Converter) sided(n syntax.Node) string {
	for t := range n.Tokens() {
		if c.Names.Changed(t.Text()) {
			return c.Names.Side() + " " + text(n)
		}
	}
	return text(n)
}

// text of a node, tokens separated by blanks.
func text(n syntax.Node) string {
	var b strings.Builder
	for t := range n.Tokens() {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text())
	}
	return b.String()
}

func (c *Converter) args(n syntax.Node) []*Term {
	var out []*Term
	for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		out = append(out, c.Term(e))
	}
	return out
}

func (c *Converter) call(n syntax.Node) *Term {
	s := c.S
	callee := n.Get(syntax.FCallee)
	for callee.Kind() == syntax.Paren {
		callee = callee.Get(syntax.FExpr)
	}
	if callee.Kind() != syntax.Path {
		return c.opaque(n)
	}
	words := segments(callee)
	if len(words) == 1 {
		name := words[0]
		if name == "old" || name == "final" {
			if t := c.pre(n, name); t != nil {
				return t
			}
			return c.opaque(n)
		}
		if f := c.lookup(name); f != nil {
			args := c.args(n)
			if f.Op == Lambda && len(args) == 1 {
				return s.Call(f, args[0])
			}
			return s.App("call", nil, append([]*Term{f}, args...)...)
		}
		switch name {
		case "Some", "Ok", "Err":
			args := c.args(n)
			if len(args) == 1 {
				typ := &Type{Kind: KOther, Name: "Option", Args: []*Type{args[0].typeOf()}}
				if name != "Some" {
					typ = &Type{Kind: KOther, Name: "Result"}
				}
				return s.App(name, typ, args[0])
			}
		}
	}
	if t := c.emptySeq(callee); t != nil {
		return t
	}
	args := c.args(n)
	r := c.Names.Path(callee, len(args))
	return s.App(r.Name, r.Type, args...)
}

// pre is old(x) or final(x) of a parameter.
func (c *Converter) pre(n syntax.Node, which string) *Term {
	var arg syntax.Node
	for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		arg = e
	}
	for arg.Kind() == syntax.Paren || arg.Kind() == syntax.Unary && arg.Op() == syntax.Star {
		arg = arg.Get(syntax.FExpr)
	}
	words := segments(arg)
	if arg.Kind() != syntax.Path || len(words) != 1 {
		return nil
	}
	if which == "old" {
		return c.Old[words[0]]
	}
	return c.Final[words[0]]
}

// emptySeq is Seq::<T>::empty().
func (c *Converter) emptySeq(callee syntax.Node) *Term {
	var segs []syntax.Node
	for seg := range callee.All(syntax.FSegment) {
		segs = append(segs, seg)
	}
	if len(segs) != 2 || segs[0].FirstToken().Text() != "Seq" || segs[1].Text() != "empty" {
		return nil
	}
	var elem *Type
	for arg := range segs[0].Get(syntax.FGenericArgs).All(syntax.FArg) {
		elem = c.Names.Type(arg)
	}
	return c.S.App(FnEmpty, seqOf(elem))
}

func (c *Converter) method(n syntax.Node) *Term {
	s := c.S
	recv := c.Term(n.Get(syntax.FReceiver))
	name := n.Get(syntax.FName).Text()
	args := c.args(n)
	of := recv.typeOf()
	if n.Get(syntax.FGenericArgs).Valid() {
		name += c.sided(n.Get(syntax.FGenericArgs))
	}
	if of != nil && of.Kind == KOther && (of.Name == "Option" || of.Name == "Result") && len(args) == 0 {
		switch name {
		case "is_some":
			return c.variant(recv, "Some")
		case "is_none":
			return c.variant(recv, "None")
		case "is_ok":
			return c.variant(recv, "Ok")
		case "is_err":
			return c.variant(recv, "Err")
		}
	}
	if len(args) == 0 && of != nil && of.Kind == KOther {
		// The old accessors of variants: is_Some(), get_Some_0().
		if v, ok := strings.CutPrefix(name, "is_"); ok && v != "" && upper(v) && !strings.Contains(v, "_") {
			return c.variant(recv, v)
		}
		if v, ok := strings.CutPrefix(name, "get_"); ok && v != "" && upper(v) {
			if i := strings.LastIndexByte(v, '_'); i > 0 {
				return c.project(recv, v[:i], v[i+1:])
			}
		}
	}
	if name == "view" && len(args) == 0 {
		return c.view(recv)
	}
	if seq := c.asSeq(recv); seq != nil && (isSeq(recv) || name == "len") {
		if t := c.seqMethod(seq, name, args); t != nil {
			return t
		}
	}
	r := c.Names.Method(name, of, len(args))
	return s.App(r.Name, r.Type, append([]*Term{recv}, args...)...)
}

// seqMethod is a method of vstd's Seq that has facts, or one that vstd defines by those.
func (c *Converter) seqMethod(seq *Term, name string, args []*Term) *Term {
	s := c.S
	elem := seq.Type.Elem()
	length := s.App(FnLen, natType, seq)
	ints := func(n int) bool {
		if len(args) != n {
			return false
		}
		for _, a := range args {
			if !a.IsInt() {
				return false
			}
		}
		return true
	}
	sub := func(from, to *Term) *Term { return s.App(FnSubrange, seq.Type, seq, from, to) }
	switch {
	case name == "len" && len(args) == 0:
		return length
	case name == "index" && ints(1):
		return s.App(FnAt, elem, seq, args[0])
	case name == "push" && len(args) == 1:
		return s.App(FnPush, seq.Type, seq, args[0])
	case name == "update" && len(args) == 2 && args[0].IsInt():
		return s.App(FnUpdate, seq.Type, seq, args[0], args[1])
	case name == "add" && len(args) == 1 && isSeq(args[0]):
		return s.App(FnConcat, seq.Type, seq, args[0])
	case name == "subrange" && ints(2):
		return sub(args[0], args[1])
	case name == "take" && ints(1):
		return sub(s.Int64(0), args[0])
	case name == "skip" && ints(1):
		return sub(args[0], length)
	case name == "drop_last" && len(args) == 0:
		return sub(s.Int64(0), s.Sub(length, s.Int64(1)))
	case name == "drop_first" && len(args) == 0:
		return sub(s.Int64(1), length)
	case name == "first" && len(args) == 0:
		return s.App(FnAt, elem, seq, s.Int64(0))
	case name == "last" && len(args) == 0:
		return s.App(FnAt, elem, seq, s.Sub(length, s.Int64(1)))
	case name == "filter" && len(args) == 1:
		return s.App(FnFilter, seq.Type, seq, args[0])
	}
	return nil
}

// seqMacro is seq![a, b, c]; nil for any other macro.
func (c *Converter) seqMacro(n syntax.Node) *Term {
	body := n.Get(syntax.FArgs)
	if body.Kind() != syntax.MacroBody || n.Get(syntax.FPath).Text() != "seq" {
		return nil
	}
	for t := range body.Tokens() {
		if t.Kind() == syntax.Semi {
			return nil // seq![e; n]
		}
	}
	var parts []*Term
	var elem *Type
	for e := range body.Children() {
		if e.Field() != syntax.FExpr {
			return nil
		}
		t := c.Term(e)
		elem = t.typeOf()
		parts = append(parts, t)
	}
	if elem != nil && elem.Kind == KInt {
		elem = intType // the literals alone do not tell which
	}
	return c.S.App(FnLiteral, seqOf(elem), parts...)
}

// bindMatches binds the names of `e matches p` for what stands behind it.
func (c *Converter) bindMatches(n syntax.Node) {
	if n.Kind() == syntax.Matches {
		c.pattern(n.Get(syntax.FPat), c.Term(n.Get(syntax.FExpr)))
	}
}

// choose is if c { a } else { b }.
func (c *Converter) choose(cond, a, b *Term) *Term {
	s := c.S
	if a.IsBool() || b.IsBool() {
		a, b = c.truth(a), c.truth(b)
		return s.And(s.Implies(cond, a), s.Implies(s.Not(cond), b))
	}
	return s.If(cond, a, b)
}

// condition of an if, with the names that `let` binds in it.
func (c *Converter) condition(n syntax.Node) *Term {
	switch {
	case n.Kind() == syntax.LetCond:
		value := c.Term(n.Get(syntax.FExpr))
		if cond, ok := c.pattern(n.Get(syntax.FPat), value); ok {
			return cond
		}
		return c.truth(c.opaque(n))
	case n.Kind() == syntax.Binary && n.Op() == syntax.AndAnd:
		l := c.condition(n.Get(syntax.FLhs))
		c.bindMatches(n.Get(syntax.FLhs))
		return c.S.And(l, c.condition(n.Get(syntax.FRhs)))
	}
	return c.Formula(n)
}

// match is a chain of conditionals; the last arm is what is left. nil: not understood.
func (c *Converter) match(n syntax.Node) *Term {
	value := c.Term(n.Get(syntax.FExpr))
	saved := c.scope
	defer func() { c.scope = saved }()
	var conds, bodies []*Term
	for arm := range n.All(syntax.FArm) {
		c.scope = saved
		cond, ok := c.pattern(arm.Get(syntax.FPat), value)
		if !ok {
			return nil
		}
		if g := arm.Get(syntax.FGuard); g.Valid() {
			cond = c.S.And(cond, c.condition(g))
		}
		conds = append(conds, cond)
		bodies = append(bodies, c.Term(arm.Get(syntax.FBody)))
	}
	if len(bodies) == 0 {
		return nil
	}
	out := bodies[len(bodies)-1]
	for i := len(bodies) - 2; i >= 0; i-- {
		out = c.choose(conds[i], bodies[i], out)
	}
	return out
}

// BindPattern binds the names of a pattern to parts of a value, such as those of `-> ((a, b): (u8, u8))`.
func (c *Converter) BindPattern(p syntax.Node, value *Term) { c.pattern(p, value) }

// pattern gives the condition under which a value matches, and binds the pattern's names to parts of the value. When ok is
// false the pattern was not understood; its names are then bound to values about which nothing is known.
func (c *Converter) pattern(p syntax.Node, value *Term) (cond *Term, ok bool) {
	s := c.S
	switch p.Kind() {
	case syntax.WildPat:
		return s.True(), true
	case syntax.ParenPat, syntax.RefPat, syntax.BoxPat:
		return c.pattern(p.Get(syntax.FPat), value)
	case syntax.IdentPat:
		name := p.Get(syntax.FName).Text()
		if sub := p.Get(syntax.FPat); sub.Valid() {
			c.Bind(name, value)
			return c.pattern(sub, value)
		}
		if upper(name) && !p.Mut() && !p.ByRef() {
			return c.variant(value, name), true
		}
		c.Bind(name, value)
		return s.True(), true
	case syntax.Path:
		if words := segments(p); words != nil {
			return c.variant(value, words[len(words)-1]), true
		}
	case syntax.LitPat:
		return c.equal(value, c.Term(p.Get(syntax.FExpr))), true
	case syntax.TuplePat:
		var parts []*Term
		i := 0
		for sub := range p.All(syntax.FPat) {
			if sub.Kind() == syntax.RestPat {
				return c.unknownPattern(p, value)
			}
			cond, ok := c.pattern(sub, c.field(value, strconv.Itoa(i)))
			if !ok {
				return c.unknownPattern(p, value)
			}
			parts = append(parts, cond)
			i++
		}
		return s.And(parts...), true
	case syntax.TupleStructPat:
		words := segments(p.Get(syntax.FPath))
		if words == nil {
			break
		}
		name := words[len(words)-1]
		parts := []*Term{c.variant(value, name)}
		i := 0
		for sub := range p.All(syntax.FPat) {
			if sub.Kind() == syntax.RestPat {
				return c.unknownPattern(p, value)
			}
			cond, ok := c.pattern(sub, c.project(value, name, strconv.Itoa(i)))
			if !ok {
				return c.unknownPattern(p, value)
			}
			parts = append(parts, cond)
			i++
		}
		return s.And(parts...), true
	case syntax.StructPat:
		words := segments(p.Get(syntax.FPath))
		if words == nil {
			break
		}
		name := words[len(words)-1]
		parts := []*Term{c.variant(value, name)}
		for f := range p.All(syntax.FPat) {
			if f.Kind() == syntax.RestPat {
				continue
			}
			if f.Kind() != syntax.FieldPat {
				return c.unknownPattern(p, value)
			}
			sub := f.Get(syntax.FPat)
			field := f.Get(syntax.FName)
			if !field.Valid() {
				if sub.Kind() != syntax.IdentPat {
					return c.unknownPattern(p, value)
				}
				// The shorthand names the field, whatever its first letter is.
				c.Bind(sub.Get(syntax.FName).Text(), c.project(value, name, sub.Get(syntax.FName).Text()))
				continue
			}
			cond, ok := c.pattern(sub, c.project(value, name, field.Text()))
			if !ok {
				return c.unknownPattern(p, value)
			}
			parts = append(parts, cond)
		}
		return s.And(parts...), true
	case syntax.OrPat:
		var parts []*Term
		before := c.scope
		for sub := range p.All(syntax.FPat) {
			cond, ok := c.pattern(sub, value)
			if !ok || c.scope != before {
				c.scope = before
				return c.unknownPattern(p, value)
			}
			parts = append(parts, cond)
		}
		return s.Or(parts...), true
	case syntax.RangePat:
		lo, hi := p.Get(syntax.FLo), p.Get(syntax.FHi)
		if !value.IsInt() || !lo.Valid() || !hi.Valid() {
			break
		}
		a, b := c.Term(lo), c.Term(hi)
		top := s.LessEq(value, b)
		if p.Op() == syntax.DotDot {
			top = s.Less(value, b)
		} else if p.Op() != syntax.DotDotEq {
			break
		}
		return s.And(s.LessEq(a, value), top), true
	}
	return c.unknownPattern(p, value)
}

// unknownPattern binds every word of a pattern to a function of the value and the pattern's text.
func (c *Converter) unknownPattern(p syntax.Node, value *Term) (*Term, bool) {
	pat := c.sided(p)
	for t := range p.Tokens() {
		if w := t.Text(); w != "" && (unicode.IsLetter(first(w)) || w[0] == '_') {
			c.Bind(w, c.S.App("part "+w+" of "+pat, nil, value))
		}
	}
	return nil, false
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func upper(s string) bool { return unicode.IsUpper(first(s)) }

// block is { let x = e; value }.
func (c *Converter) block(n syntax.Node) *Term {
	saved := c.scope
	defer func() { c.scope = saved }()
	var stmts []syntax.Node
	for st := range n.All(syntax.FStmt) {
		stmts = append(stmts, st)
	}
	if len(stmts) == 0 || n.Get(syntax.FModifier).Valid() {
		return c.opaque(n)
	}
	for i, st := range stmts {
		switch {
		case i == len(stmts)-1 && st.Kind() == syntax.ExprStmt && !st.Semi():
			return c.Term(st.Get(syntax.FExpr))
		case st.Kind() == syntax.Let && st.Get(syntax.FInit).Valid() && !st.Get(syntax.FElse).Valid():
			value := c.Term(st.Get(syntax.FInit))
			if value.typeOf() == nil && st.Get(syntax.FType).Valid() {
				c.scope = saved
				return c.opaque(n)
			}
			if _, ok := c.pattern(st.Get(syntax.FPat), value); !ok {
				c.scope = saved
				return c.opaque(n)
			}
		default:
			c.scope = saved
			return c.opaque(n)
		}
	}
	c.scope = saved
	return c.opaque(n)
}

// params are the variables of a quantifier or closure; ok is false when one is no plain name.
func (c *Converter) params(n syntax.Node) (names []string, types []*Type, ok bool) {
	for p := range n.All(syntax.FParam) {
		pat := p.Get(syntax.FPat)
		if pat.Kind() != syntax.IdentPat || pat.Get(syntax.FPat).Valid() {
			return nil, nil, false
		}
		names = append(names, pat.Get(syntax.FName).Text())
		var typ *Type
		if t := p.Get(syntax.FType); t.Valid() {
			typ = c.Names.Type(t)
		}
		types = append(types, typ)
	}
	return names, types, true
}

func (c *Converter) quant(n syntax.Node) *Term {
	op := Forall
	if n.Op() == syntax.KwExists {
		op = Exists
	} else if n.Op() != syntax.KwForall {
		return c.opaque(n)
	}
	names, types, ok := c.params(n)
	if !ok {
		return c.truth(c.opaque(n))
	}
	saved, depth := c.scope, c.depth
	for i, name := range names {
		c.depth++
		c.Bind(name, c.S.Bound(0, types[i]))
	}
	body := c.Formula(n.Get(syntax.FExpr))
	c.scope, c.depth = saved, depth
	for i := len(names) - 1; i >= 0; i-- {
		body = c.S.Quant(op, types[i], body)
	}
	return body
}

func (c *Converter) closure(n syntax.Node) *Term {
	names, types, ok := c.params(n)
	if !ok || len(names) != 1 || n.Get(syntax.FClause).Valid() || n.Get(syntax.FMode).Valid() {
		return c.opaque(n)
	}
	saved, depth := c.scope, c.depth
	c.depth++
	c.Bind(names[0], c.S.Bound(0, types[0]))
	body := c.Term(n.Get(syntax.FBody))
	c.scope, c.depth = saved, depth
	return c.S.LambdaOf(types[0], body)
}

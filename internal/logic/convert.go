package logic

import (
	"cmp"
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
	// Typed says that the types of the arguments decide what is meant, beside their values: the function is generic, or not known.
	Typed bool
	// Found says of a method that is not known that the tree has functions which it may be, and Refs that one is for references.
	Found, Refs bool
}

// Names resolves names for a Converter.
type Names interface {
	// Variant tells what a path in the place of a variant means: the variant's own name, and whether it is one of the library's Option or
	// Result.
	Variant(words []string, global bool) (name string, library bool)
	// IsSeqMacro tells that a path in the place of a macro's name, which is `seq`, means vstd's.
	IsSeqMacro(path syntax.Node) bool
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
	// Env tells apart the types that stand for type parameters; empty: they are what they are.
	Env string

	scope *scope
	// expect is the static type that the place of the next expression asks for; empty: not known. whole is the outermost expression.
	expect string
	whole  syntax.Node
	depth  int // binders around the current place
	nest   int // depth of the expression
}

type scope struct {
	name  string
	term  *Term
	typ   string // static type
	depth int
	outer *scope
}

// Bind gives a name a meaning from here on.
func (c *Converter) Bind(name string, t *Term) { c.bind(name, value{t, c.typeText(t)}) }

// BindAs is Bind for a name that is declared with a type; given is the static type of the value, for a type parameter. It may be empty.
func (c *Converter) BindAs(name string, t *Term, declared syntax.Node, given string) {
	typ := c.declared(declared)
	if p := declared; given != "" {
		for p.Kind() == syntax.RefType || p.Kind() == syntax.ParenType {
			p = p.Get(syntax.FType)
		}
		if of := c.Names.Type(p); of != nil && of.parameter() {
			typ = given
		}
	}
	c.bind(name, value{t, typ})
}

func (c *Converter) bind(name string, v value) {
	c.scope = &scope{name: name, term: v.term, typ: v.typ, depth: c.depth, outer: c.scope}
}

func (c *Converter) lookup(name string) (value, bool) {
	for s := c.scope; s != nil; s = s.outer {
		if s.name == name {
			return value{c.S.shift(s.term, c.depth-s.depth), s.typ}, true
		}
	}
	return value{}, false
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

func (c *Converter) truth(t *Term) *Term { return c.S.truth(t) }

// Term converts an expression.
func (c *Converter) Term(n syntax.Node) *Term { return c.value(n).term }

func (c *Converter) value(n syntax.Node) value {
	if c.nest > maxNest {
		c.S.Overflow = true
		return value{c.S.True(), "bool"}
	}
	if c.nest == 0 {
		c.whole = n
	}
	c.nest++
	expect := c.expect
	c.expect = ""
	v := c.convert(n, expect)
	c.nest--
	return v
}

// expected converts an expression that stands where a static type is asked for.
func (c *Converter) expected(n syntax.Node, typ string) value {
	c.expect = typ
	return c.value(n)
}

// truthValue is a value that is known to be a truth value.
func truthValue(t *Term) value { return value{t, "bool"} }

func (c *Converter) convert(n syntax.Node, expect string) value {
	s := c.S
	switch n.Kind() {
	case syntax.Paren, syntax.AttrExpr:
		return c.expected(n.Get(syntax.FExpr), expect)
	case syntax.Ref:
		if n.Mut() {
			break
		}
		v := c.expected(n.Get(syntax.FExpr), strings.TrimPrefix(expect, "&"))
		return value{v.term, "&" + v.typ}
	case syntax.Literal:
		return c.literal(n)
	case syntax.Path:
		return c.path(n)
	case syntax.Unary:
		return c.unary(n, expect)
	case syntax.Binary:
		return c.binary(n, expect)
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
			return truthValue(s.And(parts...))
		}
		return truthValue(s.Or(parts...))
	case syntax.Quant:
		return c.quant(n)
	case syntax.Closure:
		return c.closure(n)
	case syntax.Block:
		return c.block(n, expect)
	case syntax.If:
		if !n.Get(syntax.FElse).Valid() {
			break
		}
		saved := c.scope
		cond := c.condition(n.Get(syntax.FCond))
		then := c.expected(n.Get(syntax.FThen), expect)
		c.scope = saved
		other := c.expected(n.Get(syntax.FElse), cmp.Or(expect, definite(then.typ)))
		return value{c.choose(cond, then.term, other.term), cmp.Or(definite(then.typ), other.typ)}
	case syntax.Match:
		if v, ok := c.match(n, expect); ok {
			return v
		}
	case syntax.Matches:
		saved := c.scope
		cond, ok := c.pattern(n.Get(syntax.FPat), c.value(n.Get(syntax.FExpr)))
		c.scope = saved
		if ok {
			return truthValue(cond)
		}
	case syntax.Is:
		if name := n.Get(syntax.FName); name.Valid() {
			// The name is one of the variants of the value's type, whatever it means as a path.
			of := c.Term(n.Get(syntax.FExpr))
			t := c.variant(of, name.Text(), ofLibrary(of, name.Text()))
			if n.Not() {
				t = s.Not(t)
			}
			return truthValue(t)
		}
	case syntax.Arrow:
		return c.arrow(c.value(n.Get(syntax.FExpr)), n.Get(syntax.FName).Text())
	case syntax.View:
		return c.view(c.value(n.Get(syntax.FExpr)))
	case syntax.FieldExpr:
		return c.field(c.value(n.Get(syntax.FExpr)), n.Get(syntax.FName).Text())
	case syntax.Index:
		return c.index(n)
	case syntax.Has:
		if v, ok := c.overloaded("spec_has", c.value(n.Get(syntax.FLhs)), c.value(n.Get(syntax.FRhs))); ok {
			if n.Not() {
				return truthValue(s.Not(c.truth(v.term)))
			}
			return v
		}
	case syntax.Tuple:
		var parts []*Term
		var texts []string
		typ := &Type{Kind: KOther, Name: "()", Tuple: true}
		for e := range n.All(syntax.FExpr) {
			v := c.value(e)
			parts, texts = append(parts, v.term), append(texts, v.typ)
			typ.Args = append(typ.Args, v.term.typeOf())
		}
		return value{s.App("tuple", typ, parts...), "()<" + strings.Join(texts, ",") + ">"}
	case syntax.Cast:
		return c.cast(n)
	case syntax.Call:
		return c.call(n, expect)
	case syntax.MethodCall:
		return c.method(n)
	case syntax.MacroCall:
		if v, ok := c.seqMacro(n); ok {
			return v
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

// opaque is an expression of which only this is used: it is a function of the names that occur in it, and of their types.
func (c *Converter) opaque(n syntax.Node) value {
	var text strings.Builder
	var args []*Term
	var types []string
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
		if v, ok := c.lookup(w); ok {
			args, types = append(args, v.term), append(types, v.typ)
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
	name += c.Env
	if len(types) > 0 {
		name = Tagged(name, types)
	}
	return value{c.S.App(name, nil, args...), "of " + short(name)}
}

func (c *Converter) literal(n syntax.Node) value {
	s := c.S
	tok := n.FirstToken()
	text := tok.Text()
	switch tok.Kind() {
	case syntax.KwTrue:
		return truthValue(s.True())
	case syntax.KwFalse:
		return truthValue(s.False())
	case syntax.Int:
		if v := integer(text); v != nil {
			typ := literalType
			if _, _, suffix := syntax.Integer(text); suffix != "" {
				typ = suffix
			}
			return value{s.Int(v), typ}
		}
	case syntax.Char:
		return value{s.App("lit "+text, &Type{Kind: KOther, Name: "char"}), "char"}
	case syntax.String:
		return value{s.App("lit "+text, &Type{Kind: KOther, Name: "str"}), "&str"}
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

func (c *Converter) path(n syntax.Node) value {
	s := c.S
	words := segments(n)
	if words == nil {
		return c.opaque(n)
	}
	last := words[len(words)-1]
	if len(words) == 1 {
		if v, ok := c.lookup(last); ok {
			return v
		}
	}
	if upper(last) {
		if name, library := c.Names.Variant(words, n.Global()); library && name == "None" {
			return value{s.App("None", &Type{Kind: KOther, Name: "Option"}), "Option<" + hole + ">"}
		}
	}
	if len(words) >= 2 && (last == "MAX" || last == "MIN") && (len(words) == 2 || words[0] == "core" || words[0] == "std") {
		if t := IntegerType(words[len(words)-2]); t != nil && t != intType && t != natType {
			return value{s.Limit(t.Name, last == "MAX"), t.Name}
		}
	}
	r := c.Names.Path(n, -1)
	return c.applied(r, "")
}

// applied is what a name that is resolved gives for arguments; the static types of the arguments are a part of the function where they may
// decide which it is. expect is the type that the place asks for.
func (c *Converter) applied(r Ref, expect string, args ...value) value {
	name := r.Name
	terms := make([]*Term, len(args))
	for i, a := range args {
		terms[i] = a.term
	}
	if r.Typed {
		types := make([]string, len(args))
		open := len(args) == 0
		for i, a := range args {
			types[i] = a.typ
			open = open || strings.Contains(a.typ, hole)
		}
		if open && expect != "" {
			// What the arguments leave open, the place may decide.
			types = append(types, "for "+expect)
		}
		if c.Env != "" {
			types = append(types, c.Env)
		}
		if len(types) > 0 {
			name = Tagged(name, types)
		}
	}
	t := c.S.App(name, r.Type, terms...)
	return value{t, c.typeText(t)}
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

func (c *Converter) unary(n syntax.Node, expect string) value {
	s := c.S
	switch n.Op() {
	case syntax.Star:
		v := c.value(n.Get(syntax.FExpr))
		if strings.HasPrefix(v.typ, "&") {
			v.typ = v.typ[1:]
		} else if t := v.term.typeOf(); t == nil || t.Kind != KInt && t.Kind != KBool {
			v.typ = "*" + v.typ
		}
		return v
	case syntax.Bang:
		v := c.expected(n.Get(syntax.FExpr), expect)
		if v.term.IsBool() {
			return truthValue(s.Not(v.term))
		}
		// The complement of a number depends on how many bits its type has, which the number does not tell. Without a type it may also be
		// a truth value.
		typ := c.width(v, expect)
		return value{s.App(Tagged("!", []string{typ}), numberType(typ, v.term), v.term), typ}
	case syntax.Minus:
		v := c.expected(n.Get(syntax.FExpr), expect)
		if v.term.IsInt() {
			return value{s.Product(s.Int64(-1), v.term), arithmetic(v.typ)}
		}
		if t, ok := c.overloaded("spec_neg", v); ok {
			return t
		}
		return value{s.App(Tagged("-", []string{v.typ}), nil, v.term), "-" + v.typ} // what an operator of the tree gives is not known
	}
	return c.opaque(n)
}

// width is the static type of an operand of ! or of a shift. A number without one has that which its place asks for; where that is not known,
// the whole expression around it stands for it.
func (c *Converter) width(v value, expect string) string {
	switch {
	case !strings.Contains(v.typ, hole):
		return v.typ
	case expect != "" && !strings.Contains(expect, hole):
		return expect
	}
	return hole + " in " + short(c.words(c.whole))
}

// numberType is the type of a value whose static type has a text; of is a value of the same static type.
func numberType(text string, of *Term) *Type {
	if t := IntegerType(text); t != nil {
		return t
	}
	if of.IsInt() {
		return intType
	}
	return nil
}

// arithmetic is the static type of a sum, difference or product of integers of the given types: an int, but for what is not yet a type.
func arithmetic(types ...string) string {
	all := true
	for _, t := range types {
		all = all && t == literalType
	}
	if all {
		return literalType
	}
	for _, t := range types {
		if t != "nat" {
			return "int"
		}
	}
	return "nat, or int"
}

func isComparison(k syntax.TokenKind) bool {
	switch k {
	case syntax.EqEq, syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
		return true
	}
	return false
}

func (c *Converter) binary(n syntax.Node, expect string) value {
	s := c.S
	l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	switch n.Op() {
	case syntax.AndAnd, syntax.AndAndAnd:
		saved := c.scope
		a := c.Formula(l)
		c.bindMatches(l)
		b := c.Formula(r)
		c.scope = saved
		return truthValue(s.And(a, b))
	case syntax.OrOr:
		return truthValue(s.Or(c.Formula(l), c.Formula(r)))
	case syntax.Implies:
		saved := c.scope
		a := c.Formula(l)
		c.bindMatches(l)
		b := c.Formula(r)
		c.scope = saved
		return truthValue(s.Implies(a, b))
	case syntax.Explies:
		return truthValue(s.Implies(c.Formula(r), c.Formula(l)))
	case syntax.Iff:
		return truthValue(s.Iff(c.Formula(l), c.Formula(r)))
	}
	if isComparison(n.Op()) && l.Kind() == syntax.Binary && isComparison(l.Op()) {
		// a <= b < c means a <= b && b < c.
		a, b := c.operands(n.Op(), l.Get(syntax.FRhs), r, "")
		return truthValue(s.And(c.Formula(l), c.compare(n.Op(), a, b, "").term))
	}
	a, b := c.operands(n.Op(), l, r, expect)
	return c.compare(n.Op(), a, b, expect)
}

// operands of an operator. One whose type is open has that of the other.
func (c *Converter) operands(op syntax.TokenKind, l, r syntax.Node, expect string) (a, b value) {
	switch op {
	case syntax.Shl, syntax.Shr:
		return c.expected(l, expect), c.value(r)
	case syntax.Plus, syntax.Minus, syntax.Star:
		// The result tells nothing of the operands: it is an int.
		expect = ""
	case syntax.Slash, syntax.Percent, syntax.And, syntax.Or, syntax.Caret:
	default:
		expect = "" // a truth value
	}
	if openType(l) && !openType(r) {
		b = c.expected(r, expect)
		return c.expected(l, b.typ), b
	}
	a = c.expected(l, expect)
	return a, c.expected(r, cmp.Or(definite(a.typ), expect))
}

// openType tells a number whose type its place decides.
func openType(n syntax.Node) bool {
	for {
		switch n.Kind() {
		case syntax.Paren, syntax.AttrExpr, syntax.Unary:
			n = n.Get(syntax.FExpr)
		case syntax.Binary:
			if !openType(n.Get(syntax.FRhs)) {
				return false
			}
			n = n.Get(syntax.FLhs)
		case syntax.Literal:
			_, _, suffix := syntax.Integer(n.FirstToken().Text())
			return n.FirstToken().Kind() == syntax.Int && suffix == ""
		case syntax.Call:
			// One without arguments has nothing else to tell its type.
			for range n.Get(syntax.FArgs).All(syntax.FExpr) {
				return false
			}
			return true
		default:
			return false
		}
	}
}

func (c *Converter) compare(op syntax.TokenKind, a, b value, expect string) value {
	s := c.S
	x, y := a.term, b.term
	ints := x.IsInt() && y.IsInt()
	// An operator of other values may be a method, of which there may be several for several types.
	types := []string(nil)
	if name := operatorMethods[op]; name != "" && !ints {
		if v, ok := c.overloaded(name, a, b); ok {
			return v
		}
		if c.Names.Method(name, nil, 1).Found || op == syntax.Slash && c.Names.Method("spec_euclidean_div", nil, 1).Found {
			types = []string{a.typ, b.typ}
		}
	}
	either := a.typ
	if strings.Contains(either, hole) {
		either = b.typ
	}
	relation := func(name string, over func(a, b *Term) *Term) value {
		if types != nil {
			return truthValue(s.App(Tagged(name, types), boolType, x, y))
		}
		return truthValue(over(x, y))
	}
	other := func(name string) value {
		if types != nil {
			name = Tagged(name, types)
		}
		return value{s.App(name, nil, x, y), short(name + "(" + a.typ + "," + b.typ + ")")}
	}
	switch op {
	case syntax.EqEq, syntax.EqEqEq:
		return truthValue(c.equal(x, y))
	case syntax.Ne, syntax.NeEq:
		return truthValue(s.Not(c.equal(x, y)))
	case syntax.ExtEq, syntax.DeepEq, syntax.NotExtEq, syntax.NotDeep:
		var eq *Term
		if seqOfScalars(x.Type) && seqOfScalars(y.Type) || (op == syntax.ExtEq || op == syntax.NotExtEq) && isSeq(x) && isSeq(y) {
			// vstd: sequences are extensional.
			eq = c.equal(x, y)
		} else {
			name := "=~="
			if op == syntax.DeepEq || op == syntax.NotDeep {
				name = "=~~="
			}
			eq = s.App(name, boolType, x, y)
		}
		if op == syntax.NotExtEq || op == syntax.NotDeep {
			eq = s.Not(eq)
		}
		return truthValue(eq)
	case syntax.Lt:
		return relation("<", s.Less)
	case syntax.Le:
		return relation("<=", s.LessEq)
	case syntax.Gt:
		return relation(">", func(a, b *Term) *Term { return s.Less(b, a) })
	case syntax.Ge:
		return relation(">=", func(a, b *Term) *Term { return s.LessEq(b, a) })
	case syntax.Plus:
		if ints {
			return value{s.Sum(x, y), arithmetic(a.typ, b.typ)}
		}
		if isSeq(x) && isSeq(y) {
			return value{s.App(FnConcat, x.Type, x, y), either}
		}
		return other("+")
	case syntax.Minus:
		if ints {
			return value{s.Sub(x, y), arithmetic(a.typ, b.typ)}
		}
		return other("- -")
	case syntax.Star:
		if ints {
			return value{s.Product(x, y), arithmetic(a.typ, b.typ)}
		}
		return other("*")
	case syntax.Slash:
		if ints {
			return value{s.App(FnDiv, intType, x, y), either}
		}
		return other("real /")
	case syntax.Percent:
		if ints {
			return value{s.App(FnMod, intType, x, y), either}
		}
		return other("other %")
	}
	name := "operator " + opName(op)
	switch op {
	case syntax.And, syntax.Or, syntax.Caret:
		// Written with as many leading zeros or ones as need be, a number has the same bits in every machine type.
		if !(ints && machine(a.typ) && machine(b.typ)) && types == nil {
			types = []string{a.typ, b.typ}
		}
	case syntax.Shl, syntax.Shr:
		// What is shifted out depends on the type. To the right, it is only whether so many bits are there at all.
		either = c.width(a, expect)
		if op == syntax.Shr && ints && machine(either) && y.Op == Int && y.Val.Sign() >= 0 && y.Val.Cmp(big.NewInt(8)) < 0 {
			break
		}
		types = []string{either}
		if !y.IsInt() {
			types = append(types, b.typ)
		}
	}
	if types != nil {
		name = Tagged(name, types)
	}
	var typ *Type
	if machine(either) {
		typ = IntegerType(either)
	}
	return value{s.App(name, typ, x, y), either}
}

// machine tells an integer type of a number of bits, or a number that has one by its place.
func machine(typ string) bool {
	t := IntegerType(typ)
	return strings.HasPrefix(typ, literalType) || t != nil && t != intType && t != natType
}

// operatorMethods are what verus! writes for operators. A type may have them: a < b is a.spec_lt(b).
var operatorMethods = map[syntax.TokenKind]string{
	syntax.Lt: "spec_lt", syntax.Le: "spec_le", syntax.Gt: "spec_gt", syntax.Ge: "spec_ge", syntax.Plus: "spec_add", syntax.Minus: "spec_sub", syntax.Star: "spec_mul",
	syntax.Slash: "spec_euclidean_or_real_div", syntax.Percent: "spec_euclidean_mod", syntax.And: "spec_bitand", syntax.Or: "spec_bitor", syntax.Caret: "spec_bitxor",
	syntax.Shl: "spec_shl", syntax.Shr: "spec_shr",
}

// overloaded is what an operator means by a method of the tree; ok is false if there is none that it can mean.
func (c *Converter) overloaded(name string, of value, args ...value) (v value, ok bool) {
	typ := of.term.typeOf()
	if typ != nil && typ.Kind != KOther {
		return value{}, false
	}
	r := c.Names.Method(name, typ, len(args))
	if r.Name == "method "+name && name == "spec_euclidean_or_real_div" {
		r = c.Names.Method("spec_euclidean_div", typ, len(args)) // its name in earlier releases
	}
	if strings.HasPrefix(r.Name, "method ") {
		return value{}, false
	}
	return c.applied(r, "", append([]value{of}, args...)...), true
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
		// These names are given to the library's constructors only.
		case "None":
			return s.Not(c.variant(a, "Some", true))
		case "Some", "Ok", "Err":
			if len(b.Args) == 1 {
				return s.And(c.variant(a, b.Name, true), c.equal(c.project(value{term: a}, b.Name, "0").term, b.Args[0]))
			}
		case "tuple":
			var parts []*Term
			for i, arg := range b.Args {
				parts = append(parts, c.equal(c.field(value{term: a}, strconv.Itoa(i)).term, arg))
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

// ofLibrary tells whether a value is known to be the library's Option or Result, and has a variant of that name.
func ofLibrary(t *Term, variant string) bool {
	of := t.typeOf()
	if of == nil || of.Kind != KOther {
		return false
	}
	switch variant {
	case "Some", "None":
		return of.Name == "Option"
	case "Ok", "Err":
		return of.Name == "Result"
	}
	return false
}

// variant says that a value is of an enum's variant. The library's Option and Result have two each, so that one is the opposite of the other;
// an enum of the tree whose variants have these names may have more.
func (c *Converter) variant(t *Term, name string, library bool) *Term {
	s := c.S
	if !library {
		return s.App("is "+c.side(name), boolType, t)
	}
	if t.Op == App {
		switch t.Name {
		case "Some", "None", "Ok", "Err":
			if len(t.Args) == 1 || t.Name == "None" {
				return s.Bool(t.Name == name)
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
	}
	return s.Not(s.App(FnOk, boolType, t))
}

// side tells a name of base from one of head when they mean different things.
func (c *Converter) side(name string) string {
	if c.Names.Changed(name) {
		return c.Names.Side() + " " + name
	}
	return name
}

func (c *Converter) project(v value, variant, field string) value {
	t := v.term
	if t.Op == App && len(t.Args) == 1 && t.Name == variant && field == "0" {
		return value{t.Args[0], variantText(v.typ, variant, field)}
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
	text := c.memberText(typ, v.typ, variant+"."+field)
	if ofLibrary(t, variant) {
		text = variantText(v.typ, variant, field)
	}
	return value{c.S.App(c.side(variant)+"."+field, typ, t), text}
}

func (c *Converter) arrow(v value, name string) value {
	t := v.term
	if i := strings.LastIndexByte(name, '_'); i > 0 && (name[:i] == "Some" || name[:i] == "Ok" || name[:i] == "Err") && name[i+1:] == "0" {
		return c.project(v, name[:i], "0")
	}
	if name == "0" && ofLibrary(t, "Some") {
		return c.project(v, "Some", "0")
	}
	var typ *Type
	if !t.binds() && t.Type != nil {
		typ = c.Names.Field(t.Type, "*", name)
	}
	return value{c.S.App("->"+name, typ, t), c.memberText(typ, v.typ, "->"+name)}
}

func (c *Converter) field(v value, name string) value {
	t := v.term
	if t.Op == App && t.Name == "tuple" {
		for i, a := range t.Args {
			if name == strconv.Itoa(i) {
				return value{a, partText(v.typ, i, "."+name)}
			}
		}
	}
	var typ *Type
	if of := t.Type; of != nil && !t.binds() {
		if of.Tuple {
			for i, a := range of.Args {
				if name == strconv.Itoa(i) {
					return value{c.S.App("."+c.side(name), a, t), partText(v.typ, i, "."+name)}
				}
			}
		} else {
			typ = c.Names.Field(of, "", name)
		}
	}
	return value{c.S.App("."+c.side(name), typ, t), c.memberText(typ, v.typ, "."+name)}
}

// view is e@: the sequence of a Vec, slice or array, or what the type's own view is.
func (c *Converter) view(v value) value {
	t := v.term
	of := t.typeOf()
	if of != nil && of.Kind == KVec {
		seq := c.S.App(FnView, seqOf(of.Elem()), t)
		return value{seq, "Seq<" + partText(v.typ, 0, "@") + ">"}
	}
	if of != nil && (of.Name == "Ghost" || of.Name == "Tracked") && len(of.Args) == 1 {
		return value{c.S.App(FnView, of.Args[0], t), partText(v.typ, 0, "@")}
	}
	r := c.Names.Method("view", of, 0)
	return c.applied(r, "", receiver(r, v))
}

// receiver is a value of which a method is called. That it is a reference matters only where a method for references may be meant.
func receiver(r Ref, v value) value {
	if !r.Refs {
		v.typ = strings.TrimLeft(v.typ, "&*")
	}
	return v
}

func (c *Converter) asSeq(v value) (value, bool) {
	if of := v.term.typeOf(); of != nil && of.Kind == KVec {
		return c.view(v), true
	}
	return v, isSeq(v.term)
}

func (c *Converter) index(n syntax.Node) value {
	recv, i := c.value(n.Get(syntax.FExpr)), c.value(n.Get(syntax.FIndex))
	if seq, ok := c.asSeq(recv); ok && i.term.IsInt() {
		typ := seq.term.Type.Elem()
		return value{c.S.App(FnAt, typ, seq.term, i.term), partText(seq.typ, 0, "[]")}
	}
	if v, ok := c.overloaded("spec_index", recv, i); ok {
		return v
	}
	return c.applied(Ref{Name: "[]", Typed: true}, "", receiver(Ref{}, recv), i)
}

func (c *Converter) cast(n syntax.Node) value {
	s := c.S
	v := c.value(n.Get(syntax.FExpr))
	e := v.term
	typ := c.declared(n.Get(syntax.FType))
	to := c.Names.Type(n.Get(syntax.FType))
	if to == nil || to.Kind != KInt || !e.IsInt() {
		return value{s.App(Tagged("cast "+typ, []string{v.typ}), to, e), typ}
	}
	if to == intType || s.within(e, to) {
		return value{e, typ}
	}
	return value{s.App(FnCast+to.Name, to, e), typ}
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

func (c *Converter) args(n syntax.Node) []value {
	var out []value
	for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		out = append(out, c.value(e))
	}
	return out
}

func (c *Converter) call(n syntax.Node, expect string) value {
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
			if t, ok := c.pre(n, name); ok {
				return t
			}
			return c.opaque(n)
		}
		if f, ok := c.lookup(name); ok {
			args := c.args(n)
			if f.term.Op == Lambda && len(args) == 1 && f.term.Type != nil {
				t := s.Call(f.term, args[0].term)
				return value{t, short("() of " + f.typ)}
			}
			r := Ref{Name: "call", Typed: f.term.Op != Var} // a parameter's type tells those of its own
			return c.applied(r, "", append([]value{f}, args...)...)
		}
	}
	if len(words) > 0 && upper(words[len(words)-1]) {
		if name, library := c.Names.Variant(words, callee.Global()); library && name != "None" {
			args := c.args(n)
			if len(args) == 1 {
				typ, text := &Type{Kind: KOther, Name: "Option", Args: []*Type{args[0].term.typeOf()}}, "Option<"+args[0].typ+">"
				switch name {
				case "Ok":
					typ, text = &Type{Kind: KOther, Name: "Result"}, "Result<"+args[0].typ+","+hole+">"
				case "Err":
					typ, text = &Type{Kind: KOther, Name: "Result"}, "Result<"+hole+","+args[0].typ+">"
				}
				return value{s.App(name, typ, args[0].term), text}
			}
		}
	}
	if t := c.emptySeq(callee); t != nil {
		return value{t, short("Seq of " + c.sided(callee) + c.Env)}
	}
	args := c.args(n)
	return c.applied(c.Names.Path(callee, len(args)), expect, args...)
}

// pre is old(x) or final(x) of a parameter.
func (c *Converter) pre(n syntax.Node, which string) (v value, ok bool) {
	var arg syntax.Node
	for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		arg = e
	}
	for arg.Kind() == syntax.Paren || arg.Kind() == syntax.Unary && arg.Op() == syntax.Star {
		arg = arg.Get(syntax.FExpr)
	}
	words := segments(arg)
	if arg.Kind() != syntax.Path || len(words) != 1 {
		return value{}, false
	}
	t := c.Old[words[0]]
	if which == "final" {
		t = c.Final[words[0]]
	}
	if t == nil {
		return value{}, false
	}
	if now, ok := c.lookup(words[0]); ok {
		return value{t, now.typ}, true
	}
	return value{t, c.typeText(t)}, true
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

func (c *Converter) method(n syntax.Node) value {
	recv := c.value(n.Get(syntax.FReceiver))
	name := n.Get(syntax.FName).Text()
	args := c.args(n)
	of := recv.term.typeOf()
	if n.Get(syntax.FGenericArgs).Valid() {
		name += c.sided(n.Get(syntax.FGenericArgs))
	}
	r := c.Names.Method(name, of, len(args))
	// A method of the tree comes before what a name usually means.
	known := r.Found || !strings.HasPrefix(r.Name, "method ")
	if of != nil && of.Kind == KOther && (of.Name == "Option" || of.Name == "Result") && len(args) == 0 {
		for method, variant := range map[string]string{"is_some": "Some", "is_none": "None", "is_ok": "Ok", "is_err": "Err"} {
			if name == method && ofLibrary(recv.term, variant) {
				return truthValue(c.variant(recv.term, variant, true))
			}
		}
	}
	if len(args) == 0 && of != nil && of.Kind == KOther && !known {
		// The old accessors of variants: is_Some(), get_Some_0().
		if v, ok := strings.CutPrefix(name, "is_"); ok && v != "" && upper(v) && !strings.Contains(v, "_") {
			return truthValue(c.variant(recv.term, v, ofLibrary(recv.term, v)))
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
	if seq, ok := c.asSeq(recv); ok && (isSeq(recv.term) || name == "len") {
		if t := c.seqMethod(seq.term, name, args); t != nil {
			switch {
			case isSeq(t):
				return value{t, seq.typ}
			case name != "len":
				return value{t, partText(seq.typ, 0, "[]")}
			case isSeq(recv.term):
				return value{t, "nat"}
			}
			return value{t, "usize"}
		}
	}
	return c.applied(r, "", append([]value{receiver(r, recv)}, args...)...)
}

// seqMethod is a method of vstd's Seq that has facts, or one that vstd defines by those.
func (c *Converter) seqMethod(seq *Term, name string, values []value) *Term {
	s := c.S
	var args []*Term
	for _, v := range values {
		args = append(args, v.term)
	}
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

// seqMacro is vstd's seq![a, b, c]; ok is false for any other macro.
func (c *Converter) seqMacro(n syntax.Node) (v value, ok bool) {
	body := n.Get(syntax.FArgs)
	if body.Kind() != syntax.MacroBody || n.Get(syntax.FPath).Text() != "seq" || !c.Names.IsSeqMacro(n.Get(syntax.FPath)) {
		return value{}, false
	}
	for t := range body.Tokens() {
		if t.Kind() == syntax.Semi {
			return value{}, false // seq![e; n]
		}
	}
	var parts []*Term
	var elem *Type
	typ := ""
	for e := range body.Children() {
		if e.Field() != syntax.FExpr {
			return value{}, false
		}
		v := c.value(e)
		elem = v.term.typeOf()
		parts = append(parts, v.term)
		if typ == "" || strings.Contains(typ, hole) {
			typ = v.typ
		}
	}
	if elem != nil && elem.Kind == KInt {
		elem = intType // the literals alone do not tell which
	}
	return value{c.S.App(FnLiteral, seqOf(elem), parts...), "Seq<" + cmp.Or(typ, hole) + ">"}, true
}

// bindMatches binds the names of `e matches p` for what stands behind it.
func (c *Converter) bindMatches(n syntax.Node) {
	if n.Kind() == syntax.Matches {
		c.pattern(n.Get(syntax.FPat), c.value(n.Get(syntax.FExpr)))
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
		v := c.value(n.Get(syntax.FExpr))
		if cond, ok := c.pattern(n.Get(syntax.FPat), v); ok {
			return cond
		}
		return c.truth(c.opaque(n).term)
	case n.Kind() == syntax.Binary && n.Op() == syntax.AndAnd:
		l := c.condition(n.Get(syntax.FLhs))
		c.bindMatches(n.Get(syntax.FLhs))
		return c.S.And(l, c.condition(n.Get(syntax.FRhs)))
	}
	return c.Formula(n)
}

// match is a chain of conditionals; the last arm is what is left. ok is false where it was not understood.
func (c *Converter) match(n syntax.Node, expect string) (v value, ok bool) {
	of := c.value(n.Get(syntax.FExpr))
	typ := ""
	saved := c.scope
	defer func() { c.scope = saved }()
	var conds, bodies []*Term
	for arm := range n.All(syntax.FArm) {
		c.scope = saved
		cond, ok := c.pattern(arm.Get(syntax.FPat), of)
		if !ok {
			return value{}, false
		}
		if g := arm.Get(syntax.FGuard); g.Valid() {
			cond = c.S.And(cond, c.condition(g))
		}
		conds = append(conds, cond)
		body := c.expected(arm.Get(syntax.FBody), cmp.Or(expect, definite(typ)))
		bodies = append(bodies, body.term)
		typ = cmp.Or(definite(typ), body.typ)
	}
	if len(bodies) == 0 {
		return value{}, false
	}
	out := bodies[len(bodies)-1]
	for i := len(bodies) - 2; i >= 0; i-- {
		out = c.choose(conds[i], bodies[i], out)
	}
	return value{out, typ}, true
}

// BindPattern binds the names of a pattern to parts of a value, such as those of `-> ((a, b): (u8, u8))`.
func (c *Converter) BindPattern(p syntax.Node, t *Term) { c.pattern(p, value{t, c.typeText(t)}) }

// pattern gives the condition under which a value matches, and binds the pattern's names to parts of the value. When ok is
// false the pattern was not understood; its names are then bound to values about which nothing is known.
func (c *Converter) pattern(p syntax.Node, v value) (cond *Term, ok bool) {
	s := c.S
	switch p.Kind() {
	case syntax.WildPat:
		return s.True(), true
	case syntax.ParenPat, syntax.RefPat, syntax.BoxPat:
		return c.pattern(p.Get(syntax.FPat), v)
	case syntax.IdentPat:
		name := p.Get(syntax.FName).Text()
		if sub := p.Get(syntax.FPat); sub.Valid() {
			c.bind(name, v)
			return c.pattern(sub, v)
		}
		if upper(name) && !p.Mut() && !p.ByRef() {
			name, library := c.Names.Variant([]string{name}, false)
			return c.variant(v.term, name, library || ofLibrary(v.term, name)), true
		}
		c.bind(name, v)
		return s.True(), true
	case syntax.Path:
		if words := segments(p); words != nil {
			name, library := c.Names.Variant(words, p.Global())
			return c.variant(v.term, name, library || ofLibrary(v.term, name)), true
		}
	case syntax.LitPat:
		return c.equal(v.term, c.expected(p.Get(syntax.FExpr), v.typ).term), true
	case syntax.TuplePat:
		var parts []*Term
		i := 0
		for sub := range p.All(syntax.FPat) {
			if sub.Kind() == syntax.RestPat {
				return c.unknownPattern(p, v)
			}
			cond, ok := c.pattern(sub, c.field(v, strconv.Itoa(i)))
			if !ok {
				return c.unknownPattern(p, v)
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
		name, library := c.Names.Variant(words, p.Get(syntax.FPath).Global())
		parts := []*Term{c.variant(v.term, name, library || ofLibrary(v.term, name))}
		i := 0
		for sub := range p.All(syntax.FPat) {
			if sub.Kind() == syntax.RestPat {
				return c.unknownPattern(p, v)
			}
			cond, ok := c.pattern(sub, c.project(v, name, strconv.Itoa(i)))
			if !ok {
				return c.unknownPattern(p, v)
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
		name, library := c.Names.Variant(words, p.Get(syntax.FPath).Global())
		parts := []*Term{c.variant(v.term, name, library || ofLibrary(v.term, name))}
		for f := range p.All(syntax.FPat) {
			if f.Kind() == syntax.RestPat {
				continue
			}
			if f.Kind() != syntax.FieldPat {
				return c.unknownPattern(p, v)
			}
			sub := f.Get(syntax.FPat)
			field := f.Get(syntax.FName)
			if !field.Valid() {
				if sub.Kind() != syntax.IdentPat {
					return c.unknownPattern(p, v)
				}
				// The shorthand names the field, whatever its first letter is.
				c.bind(sub.Get(syntax.FName).Text(), c.project(v, name, sub.Get(syntax.FName).Text()))
				continue
			}
			cond, ok := c.pattern(sub, c.project(v, name, field.Text()))
			if !ok {
				return c.unknownPattern(p, v)
			}
			parts = append(parts, cond)
		}
		return s.And(parts...), true
	case syntax.OrPat:
		var parts []*Term
		before := c.scope
		for sub := range p.All(syntax.FPat) {
			cond, ok := c.pattern(sub, v)
			if !ok || c.scope != before {
				c.scope = before
				return c.unknownPattern(p, v)
			}
			parts = append(parts, cond)
		}
		return s.Or(parts...), true
	case syntax.RangePat:
		lo, hi := p.Get(syntax.FLo), p.Get(syntax.FHi)
		if !v.term.IsInt() || !lo.Valid() || !hi.Valid() {
			break
		}
		a, b := c.Term(lo), c.Term(hi)
		top := s.LessEq(v.term, b)
		if p.Op() == syntax.DotDot {
			top = s.Less(v.term, b)
		} else if p.Op() != syntax.DotDotEq {
			break
		}
		return s.And(s.LessEq(a, v.term), top), true
	}
	return c.unknownPattern(p, v)
}

// unknownPattern binds every word of a pattern to a function of the value and the pattern's text.
func (c *Converter) unknownPattern(p syntax.Node, v value) (*Term, bool) {
	pat := c.sided(p)
	for t := range p.Tokens() {
		if w := t.Text(); w != "" && (unicode.IsLetter(first(w)) || w[0] == '_') {
			c.bind(w, value{c.S.App("part "+w+" of "+pat, nil, v.term), short("part " + w + " of " + pat + " of " + v.typ)})
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
func (c *Converter) block(n syntax.Node, expect string) value {
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
			return c.expected(st.Get(syntax.FExpr), expect)
		case st.Kind() == syntax.Let && st.Get(syntax.FInit).Valid() && !st.Get(syntax.FElse).Valid():
			typ := ""
			if t := st.Get(syntax.FType); t.Valid() {
				typ = c.declared(t)
			}
			v := c.expected(st.Get(syntax.FInit), typ)
			if v.term.typeOf() == nil && typ != "" {
				c.scope = saved
				return c.opaque(n)
			}
			v.typ = cmp.Or(typ, v.typ)
			if _, ok := c.pattern(st.Get(syntax.FPat), v); !ok {
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

// variable of a quantifier or closure.
type variable struct {
	name string
	typ  *Type
	text string // of the static type
}

// params are the variables of a quantifier or closure; ok is false when one is no plain name.
func (c *Converter) params(n syntax.Node) (out []variable, ok bool) {
	for p := range n.All(syntax.FParam) {
		pat := p.Get(syntax.FPat)
		if pat.Kind() != syntax.IdentPat || pat.Get(syntax.FPat).Valid() {
			return nil, false
		}
		v := variable{name: pat.Get(syntax.FName).Text()}
		if t := p.Get(syntax.FType); t.Valid() {
			v.typ, v.text = c.Names.Type(t), c.declared(t)
		} else {
			// The type is what the rest makes it.
			v.text = "inferred in " + short(c.words(n)+c.Env)
		}
		out = append(out, v)
	}
	return out, true
}

// boundName tells binders of variables of different types apart where the Type does not. Those of numbers and truth values need none.
func (v variable) boundName() string {
	if v.typ != nil && (v.typ.Kind == KInt || v.typ.Kind == KBool) {
		return ""
	}
	return v.text
}

func (c *Converter) quant(n syntax.Node) value {
	op := Forall
	if n.Op() == syntax.KwExists {
		op = Exists
	} else if n.Op() != syntax.KwForall {
		return c.opaque(n)
	}
	vars, ok := c.params(n)
	if !ok {
		return truthValue(c.truth(c.opaque(n).term))
	}
	saved, depth := c.scope, c.depth
	for _, v := range vars {
		c.depth++
		c.bind(v.name, value{c.S.Bound(0, v.typ), v.text})
	}
	body := c.Formula(n.Get(syntax.FExpr))
	c.scope, c.depth = saved, depth
	for i := len(vars) - 1; i >= 0; i-- {
		body = c.S.quant(op, vars[i].boundName(), vars[i].typ, body)
	}
	return truthValue(body)
}

func (c *Converter) closure(n syntax.Node) value {
	vars, ok := c.params(n)
	if !ok || len(vars) != 1 || n.Get(syntax.FClause).Valid() || n.Get(syntax.FMode).Valid() {
		return c.opaque(n)
	}
	saved, depth := c.scope, c.depth
	c.depth++
	c.bind(vars[0].name, value{c.S.Bound(0, vars[0].typ), vars[0].text})
	body := c.value(n.Get(syntax.FBody))
	c.scope, c.depth = saved, depth
	return value{c.S.lambda(vars[0].boundName(), vars[0].typ, body.term), short("|" + vars[0].text + "|" + body.typ)}
}

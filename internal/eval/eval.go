// Package eval interprets specification expressions of Verus over values.
//
// An answer is given only when Verus's logic forces it. What the logic leaves open (an index out of range, division by zero, a cast out
// of range, choose with several witnesses, functions without a body that can be seen, equality of two vectors with equal elements), what
// names mean where that depends on a cfg or on a macro, and what the bounds on time and size do not let the interpreter find out, is
// value.Unspecified; a truth that depends on it is undecided.
package eval

import (
	"strings"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

const (
	// maxDepth bounds the nesting of evaluations, calls included.
	maxDepth = 12000
	// maxBits bounds the size of integers.
	maxBits = 1 << 14
	// maxElems bounds the length of sequences and the size of sets and the like.
	maxElems = 5000
	// maxWeight bounds how many values a value is made of.
	maxWeight = 20_000
	// maxMemo bounds how many results of recursive functions are kept, and maxMemoSize how much they take: the values that they are made of and
	// the bytes of their arguments.
	maxMemo     = 50000
	maxMemoSize = 1 << 20
)

// machine interprets expressions within a budget. It is for one goroutine.
type machine struct {
	home     string   // the crate whose point of view it is: bodies that others keep closed are not seen
	given    []string // the conditions under which the function stands that is looked at
	arch     int      // bits of usize
	archUsed bool     // something was looked at that differs between 32 and 64 bits
	steps    int
	maxSteps int
	spent    bool
	depth    int
	memo     map[*Func]map[string]kept
	memos    int            // how many results are kept
	memoSize int            // how much they take
	selfRef  map[*Func]bool // functions that mention their own name
	plain    int            // above 0 in a recursive function with unspecified arguments: do not follow all branches there
	scopes   map[*Func]*scope
	defs     map[*Func]definition
	methods  map[methodKey][]*Func
	why      string  // the first reason why something was unspecified
	refuted  *Clause // the first clause that was found to be false
}

func newMachine(home string, arch int) *machine {
	return &machine{home: home, arch: arch, memo: map[*Func]map[string]kept{}, selfRef: map[*Func]bool{}, scopes: map[*Func]*scope{}, defs: map[*Func]definition{},
		methods: map[methodKey][]*Func{}}
}

// machine to look at a function.
func (f *Func) machine(arch int) *machine {
	m := newMachine(f.mod.crate, arch)
	m.given = f.mod.given()
	return m
}

// scopeOf a function.
func (m *machine) scopeOf(f *Func) *scope {
	sc := m.scopes[f]
	if sc == nil {
		sc = f.scope()
		m.scopes[f] = sc
	}
	return sc
}

// methodKey is what the meaning of a method's name depends on.
type methodKey struct{ given, head, name string }

// methodsOf is World.method, looked at from a scope.
func (m *machine) methodsOf(sc *scope, head, name string) []*Func {
	key := methodKey{sc.given(), head, name}
	fs, ok := m.methods[key]
	if !ok {
		fs = sc.w.method(sc.mod, head, name)
		m.methods[key] = fs
	}
	return fs
}

// begin starts a question with a fresh budget.
func (m *machine) begin(steps int) {
	m.steps, m.maxSteps, m.spent, m.depth, m.plain, m.archUsed, m.why = 0, steps, false, 0, 0, false, ""
}

func (m *machine) unspecified(reason string) value.Value {
	if m.why == "" {
		m.why = reason
	}
	return value.Unspecified{Reason: reason}
}

// tick counts steps; it tells whether the budget is spent.
func (m *machine) tick(n int) bool {
	m.steps += n
	if m.steps > m.maxSteps {
		if !m.spent && m.why == "" {
			m.why = "too many steps"
		}
		m.spent = true
	}
	return m.spent
}

// kept is the result of a recursive function.
type kept struct {
	value value.Value
	arch  bool // it may depend on the width of usize
}

// frame is what the names of one function, or one contract, mean.
type frame struct {
	*scope
	old   map[string]value.Value // values before the call, by parameter
	final map[string]value.Value // values of mutable references after it
}

// env holds local names.
type env struct {
	name string
	val  value.Value
	up   *env
}

func (e *env) bind(name string, v value.Value) *env { return &env{name, v, e} }

func (e *env) lookup(name string) (value.Value, bool) {
	for ; e != nil; e = e.up {
		if e.name == name {
			return e.val, true
		}
	}
	return nil, false
}

// function is a closure.
type function struct {
	node syntax.Node
	fr   *frame
	env  *env
}

// Kind of the value.
func (*function) Kind() value.Kind { return value.KOther }

// condSet is a set given by a condition that could not be turned into a list of elements.
type condSet struct {
	pred *function // nil: every value
	not  bool
}

// Kind of the value.
func (*condSet) Kind() value.Kind { return value.KOther }

// condMap is a map given by conditions that could not be turned into a list of entries.
type condMap struct {
	in, val *function // in == nil: total
}

// Kind of the value.
func (*condMap) Kind() value.Kind { return value.KOther }

// unknown tells a value about which nothing is known.
func unknown(v value.Value) bool { return v.Kind() == value.KUnspecified }

func (m *machine) truth(t value.Truth, reason string) value.Value {
	switch t {
	case value.True:
		return value.Bool(true)
	case value.False:
		return value.Bool(false)
	}
	return m.unspecified(reason)
}

// truthOf reads a value as the answer to a question.
func truthOf(v value.Value) value.Truth {
	if b, ok := v.(value.Bool); ok {
		return value.TruthOf(bool(b))
	}
	return value.Undecided
}

// eval interprets an expression.
func (m *machine) eval(n syntax.Node, fr *frame, e *env) value.Value {
	if m.tick(1) {
		return m.unspecified("too many steps")
	}
	if m.depth > maxDepth {
		return m.unspecified("nested too deeply")
	}
	m.depth++
	v := m.eval1(n, fr, e)
	m.depth--
	switch n.Kind() {
	case syntax.Tuple, syntax.Array, syntax.ArrayRepeat, syntax.StructExpr, syntax.Call, syntax.MethodCall, syntax.MacroCall, syntax.Binary:
		return m.light(v)
	}
	return v
}

// light returns a value unless it is too large to be looked at.
func (m *machine) light(v value.Value) value.Value {
	switch v.Kind() {
	case value.KTuple, value.KData, value.KList, value.KSet, value.KMap, value.KMultiset:
	default:
		return v
	}
	w := value.Weight(v, maxWeight+1)
	m.tick(w / 16)
	if w > maxWeight {
		return m.unspecified("a very large value")
	}
	return v
}

// nodeText is the beginning of a node's text, for messages.
func nodeText(n syntax.Node) string {
	if !n.Valid() {
		return "nothing"
	}
	span := n.Span()
	end := min(span.End, span.Start+200)
	return short(strings.ToValidUTF8(string(n.File().Source.Text[span.Start:end]), "?"))
}

func (m *machine) eval1(n syntax.Node, fr *frame, e *env) value.Value {
	switch n.Kind() {
	case syntax.Paren, syntax.AttrExpr:
		return m.eval(n.Get(syntax.FExpr), fr, e)
	case syntax.Ref:
		if n.Mut() || n.Raw() {
			return m.unspecified("a mutable reference")
		}
		return m.eval(n.Get(syntax.FExpr), fr, e)
	case syntax.Literal:
		return m.literal(n)
	case syntax.Path:
		return m.path(n, fr, e)
	case syntax.Unary:
		return m.unary(n, fr, e)
	case syntax.Binary, syntax.BigAnd, syntax.Matches:
		v, _ := m.cond(n, fr, e)
		return v
	case syntax.BigOr:
		out := value.Value(value.Bool(false))
		for c := range n.All(syntax.FExpr) {
			v := m.eval(c, fr, e)
			switch truthOf(v) {
			case value.True:
				return v
			case value.Undecided:
				out = m.asUnknown(v)
			}
		}
		return out
	case syntax.Quant:
		return m.quant(n, fr, e)
	case syntax.Closure:
		return &function{n, fr, e}
	case syntax.Block:
		return m.block(n, fr, e)
	case syntax.If:
		return m.ifExpr(n, fr, e)
	case syntax.Match:
		return m.match(n, fr, e)
	case syntax.Is:
		return m.is(n, fr, e)
	case syntax.Has:
		set, elem := m.eval(n.Get(syntax.FLhs), fr, e), m.eval(n.Get(syntax.FRhs), fr, e)
		// The library's spec_has is contains; other types have a spec_has of their own.
		name := "contains"
		switch l := set.(type) {
		case *value.List:
			if l.Of != value.Seq {
				name = "spec_has"
			}
		case *value.Data:
			name = "spec_has"
		}
		v := m.method(set, name, []value.Value{elem}, fr)
		if n.Not() {
			return m.truth(truthOf(v).Not(), "membership")
		}
		return v
	case syntax.Arrow:
		return m.arrow(m.eval(n.Get(syntax.FExpr), fr, e), identText(n.Get(syntax.FName)))
	case syntax.View:
		return m.method(m.eval(n.Get(syntax.FExpr), fr, e), "view", nil, fr)
	case syntax.FieldExpr:
		return m.field(m.eval(n.Get(syntax.FExpr), fr, e), identText(n.Get(syntax.FName)))
	case syntax.Index:
		v := m.eval(n.Get(syntax.FExpr), fr, e)
		i := m.eval(n.Get(syntax.FIndex), fr, e)
		if d, ok := v.(*value.Data); ok {
			return m.method(d, "spec_index", []value.Value{i}, fr)
		}
		return m.index(v, i)
	case syntax.Tuple:
		t := value.Tuple(nil)
		for c := range n.All(syntax.FExpr) {
			t = append(t, m.eval(c, fr, e))
		}
		return t
	case syntax.Array:
		l := &value.List{Of: value.Array}
		for c := range n.All(syntax.FExpr) {
			l.Elems = append(l.Elems, m.eval(c, fr, e))
		}
		return m.sized(l)
	case syntax.ArrayRepeat:
		return m.repeat(value.Array, m.eval(n.Get(syntax.FExpr), fr, e), m.eval(n.Get(syntax.FLen), fr, e))
	case syntax.Cast:
		return m.cast(m.eval(n.Get(syntax.FExpr), fr, e), fr.typ(n.Get(syntax.FType)))
	case syntax.Call:
		return m.callExpr(n, fr, e)
	case syntax.MethodCall:
		return m.methodCall(n, fr, e)
	case syntax.StructExpr:
		return m.structExpr(n, fr, e)
	case syntax.MacroCall:
		return m.macro(n, fr, e)
	}
	return m.unspecified("not understood: " + nodeText(n))
}

func (m *machine) asUnknown(v value.Value) value.Value {
	if unknown(v) {
		return v
	}
	return m.unspecified("not a truth value")
}

func isComparison(k syntax.TokenKind) bool {
	switch k {
	case syntax.EqEq, syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
		return true
	}
	return false
}

// cond evaluates a truth value; the names that its patterns bind hold in the environment returned.
func (m *machine) cond(n syntax.Node, fr *frame, e *env) (value.Value, *env) {
	switch n.Kind() {
	case syntax.Matches, syntax.LetCond:
		v := m.eval(n.Get(syntax.FExpr), fr, e)
		t, inner := m.bindPattern(n.Get(syntax.FPat), v, fr, e)
		return m.truth(t, "a pattern on an unspecified value"), inner
	case syntax.BigAnd:
		out := value.Value(value.Bool(true))
		for c := range n.All(syntax.FExpr) {
			v := m.eval(c, fr, e)
			switch truthOf(v) {
			case value.False:
				return v, e
			case value.Undecided:
				out = m.asUnknown(v)
			}
		}
		return out, e
	case syntax.Binary:
	default:
		return m.eval(n, fr, e), e
	}
	l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	switch n.Op() {
	case syntax.AndAnd, syntax.AndAndAnd:
		a, inner := m.cond(l, fr, e)
		if truthOf(a) == value.False {
			return a, e
		}
		var b value.Value
		if r.Kind() == syntax.LetCond {
			b, inner = m.cond(r, fr, inner)
		} else {
			b = m.eval(r, fr, inner)
		}
		switch {
		case truthOf(b) == value.False:
			return b, e
		case truthOf(a) == value.Undecided:
			return m.asUnknown(a), inner
		case truthOf(b) == value.Undecided:
			return m.asUnknown(b), inner
		}
		return b, inner
	case syntax.OrOr:
		return m.or(m.eval(l, fr, e), func() value.Value { return m.eval(r, fr, e) }), e
	case syntax.Implies:
		a, inner := m.cond(l, fr, e)
		return m.or(m.truth2(truthOf(a).Not(), a), func() value.Value { return m.eval(r, fr, inner) }), e
	case syntax.Explies:
		b := m.eval(r, fr, e)
		return m.or(m.truth2(truthOf(b).Not(), b), func() value.Value { return m.eval(l, fr, e) }), e
	case syntax.Iff:
		a, b := m.eval(l, fr, e), m.eval(r, fr, e)
		x, y := truthOf(a), truthOf(b)
		switch {
		case x == value.Undecided:
			return m.asUnknown(a), e
		case y == value.Undecided:
			return m.asUnknown(b), e
		}
		return value.Bool(x == y), e
	}
	if isComparison(n.Op()) {
		v, _ := m.chain(n, fr, e)
		return v, e
	}
	return m.binary(n.Op(), m.eval(l, fr, e), m.eval(r, fr, e)), e
}

func (m *machine) truth2(t value.Truth, v value.Value) value.Value {
	if t == value.Undecided {
		return m.asUnknown(v)
	}
	return value.Bool(t == value.True)
}

func (m *machine) or(a value.Value, other func() value.Value) value.Value {
	if truthOf(a) == value.True {
		return a
	}
	b := other()
	switch {
	case truthOf(b) == value.True:
		return b
	case truthOf(a) == value.Undecided:
		return m.asUnknown(a)
	case truthOf(b) == value.Undecided:
		return m.asUnknown(b)
	}
	return b
}

// chain evaluates a comparison; a <= b < c means a <= b && b < c. It returns the last operand too.
func (m *machine) chain(n syntax.Node, fr *frame, e *env) (truth, last value.Value) {
	l := n.Get(syntax.FLhs)
	var before value.Value = value.Bool(true)
	var a value.Value
	if l.Kind() == syntax.Binary && isComparison(l.Op()) {
		if m.depth > maxDepth || m.tick(1) {
			return m.unspecified("nested too deeply"), value.Unit()
		}
		m.depth++
		before, a = m.chain(l, fr, e)
		m.depth--
	} else {
		a = m.eval(l, fr, e)
	}
	b := m.eval(n.Get(syntax.FRhs), fr, e)
	t := m.binary(n.Op(), a, b)
	x, y := truthOf(before), truthOf(t)
	switch {
	case x == value.False:
		return before, b
	case y == value.False:
		return t, b
	case x == value.Undecided:
		return m.asUnknown(before), b
	case y == value.Undecided:
		return m.asUnknown(t), b
	}
	return t, b
}

func (m *machine) path(n syntax.Node, fr *frame, e *env) value.Value {
	if n.Get(syntax.FQSelf).Valid() {
		return m.unspecified("path " + nodeText(n))
	}
	mn := fr.meaning(n)
	if len(mn.words) == 1 {
		if v, ok := e.lookup(mn.words[0]); ok {
			return v
		}
	}
	return m.named(mn, fr)
}

// named evaluates a path that is no local name.
func (m *machine) named(mn *meaning, fr *frame) value.Value {
	words := mn.words
	if c := mn.ctor; c != nil {
		if c.unit {
			return &value.Data{Type: c.typ, Variant: c.variant}
		}
		return m.unspecified("a constructor without its fields")
	}
	if d := mn.target.def; d != nil && d.kind == defConst {
		return m.call(d.fn, nil)
	}
	if len(words) >= 2 {
		last := words[len(words)-1]
		t := mn.prefix
		if t == nil && len(words) == 3 {
			// std::u32::MAX
			name, _, _ := strings.Cut(mn.target.lib, "::")
			if it := value.IntTypeOf(name); it != 0 {
				t = &value.Type{Kind: value.TInt, Int: it}
			}
		}
		if t != nil {
			if t.Kind == value.TInt && t.Int.Fixed() {
				if t.Int == value.USize || t.Int == value.ISize {
					m.archUsed = true
				}
				low, high := t.Int.Limits(m.arch)
				switch last {
				case "MAX":
					return *high
				case "MIN":
					return *low
				case "BITS":
					return value.Small(int64(t.Int.Bits(m.arch)), value.U32)
				}
			}
			if fs := m.methodsOf(fr.scope, headOf(t), last); len(fs) == 1 && t.Kind != value.TParam && fs[0].Node.Kind() == syntax.Const {
				return m.call(fs[0], nil)
			}
		}
	}
	return m.unspecified("the meaning of " + joinWords(words))
}

func joinWords(words []string) string {
	s := ""
	for i, w := range words {
		if i > 0 {
			s += "::"
		}
		s += w
	}
	return short(s)
}

func (m *machine) unary(n syntax.Node, fr *frame, e *env) value.Value {
	v := m.eval(n.Get(syntax.FExpr), fr, e)
	if unknown(v) {
		return v
	}
	switch n.Op() {
	case syntax.Star:
		return v
	case syntax.Minus:
		switch v := v.(type) {
		case value.Int:
			if v.Type == value.Any {
				return v.Neg().As(value.Any)
			}
			return v.Neg()
		case value.Real:
			return negReal(v)
		}
	case syntax.Bang:
		switch v := v.(type) {
		case value.Bool:
			return !v
		case value.Int:
			return m.bitNot(v)
		}
	}
	return m.unspecified("not understood: " + nodeText(n))
}

func (m *machine) ifExpr(n syntax.Node, fr *frame, e *env) value.Value {
	c := n.Get(syntax.FCond)
	var v value.Value
	inner := e
	switch {
	case bindsLet(c):
		v, inner = m.cond(c, fr, e)
	default:
		v = m.eval(c, fr, e)
	}
	els := n.Get(syntax.FElse)
	if !els.Valid() {
		return m.unspecified("if without else")
	}
	switch truthOf(v) {
	case value.True:
		return m.eval(n.Get(syntax.FThen), fr, inner)
	case value.False:
		return m.eval(els, fr, e)
	}
	if bindsLet(c) || m.plain > 0 {
		return m.asUnknown(v)
	}
	return m.join(m.asUnknown(v), m.eval(n.Get(syntax.FThen), fr, e), m.eval(els, fr, e))
}

// bindsLet tells a condition whose pattern binds names for the branch that it guards.
func bindsLet(c syntax.Node) bool {
	for c.Kind() == syntax.Binary && c.Op() == syntax.AndAnd {
		if c.Get(syntax.FRhs).Kind() == syntax.LetCond {
			return true
		}
		c = c.Get(syntax.FLhs)
	}
	return c.Kind() == syntax.LetCond
}

// join is the value of an expression that is one of several, it is not known which.
func (m *machine) join(why value.Value, vs ...value.Value) value.Value {
	for _, v := range vs[1:] {
		if value.Equal(vs[0], v) != value.True {
			return why
		}
	}
	if unknown(vs[0]) {
		return why
	}
	return vs[0]
}

func (m *machine) block(n syntax.Node, fr *frame, e *env) value.Value {
	if n.Get(syntax.FModifier).Valid() || n.Get(syntax.FLabel).Valid() {
		return m.unspecified("not understood: " + nodeText(n))
	}
	for s := range n.All(syntax.FStmt) {
		switch s.Kind() {
		case syntax.Let:
			init := s.Get(syntax.FInit)
			if !init.Valid() || s.Get(syntax.FElse).Valid() {
				return m.unspecified("a let without a value")
			}
			v := m.eval(init, fr, e)
			if t := s.Get(syntax.FType); t.Valid() {
				v = m.coerce(v, fr.typ(t))
			}
			t, inner := m.bindPattern(s.Get(syntax.FPat), v, fr, e)
			if t == value.False {
				return m.unspecified("a let whose pattern does not match")
			}
			e = inner
		case syntax.ExprStmt:
			x := s.Get(syntax.FExpr)
			if !s.Semi() {
				if isLast(n, s) {
					return m.eval(x, fr, e)
				}
			}
			switch x.Kind() {
			case syntax.Assert, syntax.AssertForall, syntax.ProofBlock:
				continue
			}
			return m.unspecified("a statement in specification code")
		case syntax.EmptyStmt, syntax.Use:
			if s.Kind() == syntax.Use {
				return m.unspecified("an import inside an expression")
			}
		default:
			return m.unspecified("a statement in specification code")
		}
	}
	return value.Unit()
}

func isLast(block, s syntax.Node) bool {
	last := 0
	for c := range block.All(syntax.FStmt) {
		last = c.ID()
	}
	return last == s.ID()
}

func (m *machine) match(n syntax.Node, fr *frame, e *env) value.Value {
	v := m.eval(n.Get(syntax.FExpr), fr, e)
	var possible []value.Value
	var why value.Value
	for arm := range n.All(syntax.FArm) {
		t, inner := m.bindPattern(arm.Get(syntax.FPat), v, fr, e)
		if t == value.False {
			continue
		}
		if t == value.Undecided && m.plain > 0 {
			return m.unspecified("a match on an unspecified value")
		}
		if g := arm.Get(syntax.FGuard); g.Valid() {
			gt := truthOf(m.eval(g, fr, inner))
			if gt == value.False {
				continue
			}
			t = t.And(gt)
		}
		r := m.eval(arm.Get(syntax.FBody), fr, inner)
		if t == value.True {
			if possible == nil {
				return r
			}
			return m.join(why, append(possible, r)...)
		}
		if why == nil {
			why = m.unspecified("a match on an unspecified value")
		}
		possible = append(possible, r)
		if m.spent {
			return why
		}
	}
	if possible != nil {
		// The arms cover all cases, so it is one of these.
		return m.join(why, possible...)
	}
	return m.unspecified("a match without a matching arm")
}

func (m *machine) is(n syntax.Node, fr *frame, e *env) value.Value {
	v := m.eval(n.Get(syntax.FExpr), fr, e)
	name := n.Get(syntax.FName)
	d, ok := v.(*value.Data)
	if !ok || !name.Valid() || d.Variant == "" {
		if unknown(v) {
			return v
		}
		return m.unspecified("not understood: " + nodeText(n))
	}
	if !hasVariant(fr.w, d.Type, identText(name)) {
		return m.unspecified("a variant that is not known")
	}
	return value.Bool((d.Variant == identText(name)) != n.Not())
}

func hasVariant(w *World, typ, variant string) bool {
	switch typ {
	case "Option":
		return variant == "Some" || variant == "None"
	case "Result":
		return variant == "Ok" || variant == "Err"
	}
	d := w.types[typ]
	if d == nil || d.kind != defEnum {
		return false
	}
	for v := range d.node.All(syntax.FVariant) {
		if identText(v.Get(syntax.FName)) == variant {
			return true
		}
	}
	return false
}

// arrow evaluates e->name: a field of the variant that has it, or variant and index (Some_0).
func (m *machine) arrow(v value.Value, name string) value.Value {
	if unknown(v) {
		return v
	}
	d, ok := v.(*value.Data)
	if !ok {
		return m.unspecified("a field of a value that has none")
	}
	if f := d.Field(name); f != nil {
		return f
	}
	if len(name) > len(d.Variant)+1 && name[:len(d.Variant)] == d.Variant && name[len(d.Variant)] == '_' {
		if f := d.Field(name[len(d.Variant)+1:]); f != nil {
			return f
		}
	}
	return m.unspecified("a field of another variant")
}

func (m *machine) field(v value.Value, name string) value.Value {
	switch v := v.(type) {
	case value.Unspecified:
		return v
	case value.Tuple:
		if len(name) <= 2 {
			i := 0
			for _, c := range []byte(name) {
				if c < '0' || c > '9' {
					return m.unspecified("a field of a tuple")
				}
				i = i*10 + int(c-'0')
			}
			if i < len(v) {
				return v[i]
			}
		}
	case *value.Data:
		if v.Variant == "" {
			if f := v.Field(name); f != nil {
				return f
			}
		}
	}
	return m.unspecified("a field that is not known: " + short(name))
}

func (m *machine) structExpr(n syntax.Node, fr *frame, e *env) value.Value {
	p := n.Get(syntax.FPath)
	if p.Get(syntax.FQSelf).Valid() || p.Global() || n.HasRest() {
		return m.unspecified("not understood: " + nodeText(n))
	}
	c := fr.meaning(p).ctor
	if c == nil || !c.node.Valid() {
		return m.unspecified("the meaning of " + nodeText(p))
	}
	names, types := c.fields()
	given := map[string]value.Value{}
	for f := range n.All(syntax.FFieldInit) {
		name := f.Get(syntax.FName)
		if x := f.Get(syntax.FExpr); x.Valid() {
			given[identText(name)] = m.eval(x, fr, e)
		} else if v, ok := e.lookup(identText(name)); ok {
			given[identText(name)] = v
		} else {
			given[identText(name)] = m.named(fr.meaning(name), fr)
		}
	}
	var base value.Value
	if b := n.Get(syntax.FBase); b.Valid() {
		base = m.eval(b, fr, e)
	}
	d := &value.Data{Type: c.typ, Variant: c.variant, Names: names}
	for i := range types {
		name := itoa(i)
		if names != nil {
			name = names[i]
		}
		v := given[name]
		switch {
		case v != nil:
			v = m.coerce(v, types[i])
		case base == nil:
			return m.unspecified("a struct with a field missing")
		default:
			v = m.field(base, name)
			if bd, ok := base.(*value.Data); ok && bd.Type != c.typ {
				v = m.unspecified("a base of another type")
			}
		}
		d.Fields = append(d.Fields, v)
	}
	return d
}

func itoa(i int) string { return value.Small(int64(i), value.IntT).String() }

// bindPattern matches a value with a pattern. The names are bound in the environment returned, to unspecified values where the
// answer is not true.
func (m *machine) bindPattern(p syntax.Node, v value.Value, fr *frame, e *env) (value.Truth, *env) {
	if m.tick(1) || m.depth > maxDepth {
		return value.Undecided, e
	}
	m.depth++
	defer func() { m.depth-- }()
	switch p.Kind() {
	case syntax.WildPat, syntax.RestPat:
		return value.True, e
	case syntax.ParenPat, syntax.RefPat, syntax.BoxPat:
		return m.bindPattern(p.Get(syntax.FPat), v, fr, e)
	case syntax.IdentPat:
		name := identText(p.Get(syntax.FName))
		if sub := p.Get(syntax.FPat); sub.Valid() {
			return m.bindPattern(sub, v, fr, e.bind(name, v))
		}
		if !p.ByRef() && !p.Mut() {
			mn := fr.meaning(p)
			if mn.ctor != nil && mn.ctor.unit {
				return m.matchCtor(mn.ctor, v), e
			}
			if d := mn.target.def; d != nil && d.kind == defConst {
				return value.Equal(m.call(d.fn, nil), v), e
			}
		}
		return value.True, e.bind(name, v)
	case syntax.Path:
		mn := fr.meaning(p)
		if c := mn.ctor; c != nil {
			if !c.unit {
				return value.Undecided, e
			}
			return m.matchCtor(c, v), e
		}
		return value.Equal(m.named(mn, fr), v), e
	case syntax.LitPat:
		return value.Equal(m.eval(p.Get(syntax.FExpr), fr, nil), v), e
	case syntax.RangePat:
		t := value.True
		if lo := p.Get(syntax.FLo); lo.Valid() {
			t = t.And(truthOf(m.binary(syntax.Le, m.patternEnd(lo, fr), v)))
		}
		if hi := p.Get(syntax.FHi); hi.Valid() {
			op := syntax.Le
			if p.Op() == syntax.DotDot {
				op = syntax.Lt
			}
			t = t.And(truthOf(m.binary(op, v, m.patternEnd(hi, fr))))
		}
		return t, e
	case syntax.TuplePat:
		t, ok := v.(value.Tuple)
		var elems []value.Value
		if ok {
			elems = t
		}
		return m.bindAll(p, elems, ok, fr, e)
	case syntax.TupleStructPat:
		c := fr.meaning(p.Get(syntax.FPath)).ctor
		if c == nil {
			_, e = m.bindAll(p, nil, false, fr, e)
			return value.Undecided, e
		}
		t := m.matchCtor(c, v)
		d, _ := v.(*value.Data)
		if t != value.True || d.Names != nil {
			_, e = m.bindAll(p, nil, false, fr, e)
			if t == value.True {
				t = value.Undecided
			}
			return t, e
		}
		return m.bindAll(p, d.Fields, true, fr, e)
	case syntax.StructPat:
		c := fr.meaning(p.Get(syntax.FPath)).ctor
		t := value.Undecided
		if c != nil {
			t = m.matchCtor(c, v)
		}
		d, _ := v.(*value.Data)
		for f := range p.All(syntax.FPat) {
			if f.Kind() != syntax.FieldPat {
				continue
			}
			sub, name := f.Get(syntax.FPat), identText(f.Get(syntax.FName))
			short := name == ""
			if short {
				name = identText(sub.Get(syntax.FName))
			}
			var fv value.Value = value.Unspecified{Reason: "a pattern that does not match"}
			if t == value.True {
				if x := d.Field(name); x != nil {
					fv = x
				} else {
					t = value.Undecided
				}
			}
			if short && !sub.Get(syntax.FPat).Valid() {
				e = e.bind(name, fv)
				continue
			}
			var st value.Truth
			st, e = m.bindPattern(sub, fv, fr, e)
			t = t.And(st)
		}
		return t, e
	case syntax.OrPat:
		// The alternatives bind the same names; without a plain answer they are left unspecified.
		undecided := false
		var last *env
		for alt := range p.All(syntax.FPat) {
			t, inner := m.bindPattern(alt, v, fr, e)
			last = inner
			switch {
			case t == value.True && !undecided:
				return value.True, inner
			case t != value.False:
				undecided = true
			}
		}
		if !undecided {
			return value.False, last
		}
		for b := last; b != nil && b != e; b = b.up {
			e = e.bind(b.name, value.Unspecified{Reason: "a pattern on an unspecified value"})
		}
		return value.Undecided, e
	}
	// Names in it must not be taken for others.
	for c := range p.All(syntax.FPat) {
		_, e = m.bindPattern(c, value.Unspecified{Reason: "a pattern that is not understood"}, fr, e)
	}
	return value.Undecided, e
}

func (m *machine) patternEnd(n syntax.Node, fr *frame) value.Value {
	switch n.Kind() {
	case syntax.LitPat:
		return m.eval(n.Get(syntax.FExpr), fr, nil)
	case syntax.Path, syntax.Literal:
		return m.eval(n, fr, nil)
	}
	return m.unspecified("the end of a range pattern")
}

// bindAll matches the parts of a tuple or a struct with unnamed fields; `..` stands for any number of them.
func (m *machine) bindAll(p syntax.Node, parts []value.Value, known bool, fr *frame, e *env) (value.Truth, *env) {
	n, rest := 0, -1
	for c := range p.All(syntax.FPat) {
		if c.Kind() == syntax.RestPat {
			rest = n
		}
		n++
	}
	if known {
		if rest < 0 && n != len(parts) || rest >= 0 && n-1 > len(parts) {
			known = false
		}
	}
	t := value.True
	if !known {
		t = value.Undecided
	}
	i := 0
	for c := range p.All(syntax.FPat) {
		if c.Kind() == syntax.RestPat {
			i = len(parts) - (n - 1 - rest)
			continue
		}
		var v value.Value = value.Unspecified{Reason: "a pattern on an unspecified value"}
		if known {
			v = parts[i]
		}
		var st value.Truth
		st, e = m.bindPattern(c, v, fr, e)
		t = t.And(st)
		i++
	}
	return t, e
}

func (m *machine) matchCtor(c *ctor, v value.Value) value.Truth {
	d, ok := v.(*value.Data)
	if !ok || d.Type != c.typ {
		return value.Undecided
	}
	return value.TruthOf(d.Variant == c.variant)
}

// inRange tells whether an integer is in the range of a type.
func (m *machine) inRange(i value.Int, t value.IntType) bool {
	if t == value.USize || t == value.ISize {
		if !i.In(t, 32) {
			m.archUsed = true
		}
	}
	return i.In(t, m.arch)
}

// coerce gives a value the type that it is declared with.
func (m *machine) coerce(v value.Value, t *value.Type) value.Value {
	if t == nil {
		return v
	}
	switch v := v.(type) {
	case value.Int:
		if t.Kind != value.TInt {
			return v
		}
		if !m.inRange(v, t.Int) {
			return m.unspecified("a number out of the range of its type")
		}
		return v.As(t.Int)
	case *value.Data:
		if v.Type != "Option" && v.Type != "Result" && v.Type != "Ghost" && v.Type != "Tracked" || t.Kind != value.TData || t.Name != v.Type ||
			len(v.Fields) != 1 {
			return v
		}
		i := 0
		if v.Variant == "Err" {
			i = 1
		}
		if i >= len(t.Args) {
			return v
		}
		return &value.Data{Type: v.Type, Variant: v.Variant, Fields: []value.Value{m.coerce(v.Fields[0], t.Args[i])}}
	}
	return v
}

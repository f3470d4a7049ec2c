// Package logic answers questions about formulas of specification code without a verifier: does one follow from others, is a
// set contradictory. Its yes is a proof; everything else is "unknown". It knows propositional logic, equality with congruence,
// linear arithmetic over the integers, quantifiers by instantiation, one step of recursive definitions, and a few facts about
// vstd's sequences.
package logic

import (
	"math/big"
	"sort"
	"strconv"
	"strings"
)

// Op says what a term is.
type Op uint8

const (
	_ Op = iota
	True
	False
	Not
	And     // any number of arguments, two or more
	Or      // any number of arguments, two or more
	Iff     // of two truth values
	If      // condition, then, else: of truth values or of anything else
	Eq      // mathematical equality of two values that are no truth values
	Le      // a <= b over the integers
	Forall  // one bound variable; argument 0 is the body
	Exists  // one bound variable
	Lambda  // one bound variable
	Int     // an integer
	Add     // sum of any number of integers
	Mul     // product of any number of integers
	Var     // a constant whose value is not known: parameter, result, or one that the prover made up
	Bound   // a bound variable, by the number of binders between it and its own
	App     // a function of its arguments about which nothing else is known
	opCount // keep last
)

// Term is an immutable formula or value. Two terms of one Space are equal exactly when they are the same pointer.
type Term struct {
	Op   Op
	Name string // of Var and App; of a bound variable's type, where Type does not tell it apart
	Args []*Term
	Val  *big.Int // of Int
	Type *Type    // of the value; of the bound variable for Forall, Exists and Lambda; nil: not known
	id   int
	size int // number of nodes
	free int // 1 + the largest index of a Bound that no binder in the term binds; 0: none
}

// maxSize bounds one term, written out as a tree, and maxTerms a Space, so that no contract can exhaust memory or time.
const (
	maxSize  = 1 << 20
	maxTerms = 1 << 17
)

// Space holds terms, each once. It is not safe for concurrent use.
type Space struct {
	terms map[string]*Term
	fresh int
	// NoFloats says that no value is a floating point number, so that equality of values of an unknown type has its laws.
	NoFloats bool
	// Overflow is set when a term would have been too large. Nothing may be concluded from a Space that overflowed.
	Overflow bool
}

// NewSpace makes an empty Space.
func NewSpace() *Space { return &Space{terms: map[string]*Term{}} }

// overflowed stands for every term that is too large. Nothing is concluded once it was used.
var overflowed = &Term{Op: Var, Name: "overflow", Type: otherType, size: 1}

func (s *Space) make(op Op, name string, val *big.Int, typ *Type, args ...*Term) *Term {
	var b strings.Builder
	b.WriteByte(byte(op) + '0')
	b.WriteString(strconv.Quote(name))
	if val != nil {
		b.WriteString(val.String())
	}
	b.WriteByte(':')
	if typ != nil {
		b.WriteString(typ.String())
	}
	size := 1
	free := 0
	for _, a := range args {
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(a.id))
		size += a.size
		free = max(free, a.free)
	}
	key := b.String()
	if t, ok := s.terms[key]; ok {
		return t
	}
	switch op {
	case Forall, Exists, Lambda:
		free = max(0, free-1)
	case Bound:
		n, _ := strconv.Atoi(name)
		free = n + 1
	}
	if size > maxSize || len(s.terms) > maxTerms {
		s.Overflow = true
		return overflowed
	}
	t := &Term{Op: op, Name: name, Args: args, Val: val, Type: typ, id: len(s.terms) + 1, size: size, free: free}
	s.terms[key] = t
	return t
}

// True and False are the truth values.
func (s *Space) True() *Term  { return s.make(True, "", nil, boolType) }
func (s *Space) False() *Term { return s.make(False, "", nil, boolType) }

// Bool is True or False.
func (s *Space) Bool(b bool) *Term {
	if b {
		return s.True()
	}
	return s.False()
}

// Int is an integer literal.
func (s *Space) Int(v *big.Int) *Term { return s.make(Int, "", v, intType) }

// Int64 is an integer literal.
func (s *Space) Int64(v int64) *Term { return s.Int(big.NewInt(v)) }

// Var is a constant of unknown value.
func (s *Space) Var(name string, t *Type) *Term { return s.make(Var, name, nil, s.plain(t)) }

// Fresh is a Var that differs from every other.
func (s *Space) Fresh(t *Type) *Term {
	s.fresh++
	return s.Var("!"+strconv.Itoa(s.fresh), t)
}

// Bound is the variable of the index-th binder around it, counted from the innermost, which is 0.
func (s *Space) Bound(index int, t *Type) *Term {
	return s.make(Bound, strconv.Itoa(index), nil, s.plain(t))
}

// App is a function about which only its name is known.
func (s *Space) App(name string, t *Type, args ...*Term) *Term {
	return s.make(App, name, nil, s.plain(t), args...)
}

func (s *Space) plain(t *Type) *Type {
	if t == nil && s.NoFloats {
		return otherType
	}
	return t
}

// Not negates a truth value.
func (s *Space) Not(a *Term) *Term {
	switch a.Op {
	case True:
		return s.False()
	case False:
		return s.True()
	case Not:
		return a.Args[0]
	}
	return s.make(Not, "", nil, boolType, a)
}

// And of truth values.
func (s *Space) And(args ...*Term) *Term { return s.junction(And, True, False, args) }

// Or of truth values.
func (s *Space) Or(args ...*Term) *Term { return s.junction(Or, False, True, args) }

func (s *Space) junction(op, unit, zero Op, args []*Term) *Term {
	var flat []*Term
	var add func(a *Term) bool
	add = func(a *Term) bool {
		switch a.Op {
		case unit:
			return true
		case zero:
			return false
		case op:
			for _, b := range a.Args {
				if !add(b) {
					return false
				}
			}
			return true
		}
		flat = append(flat, a)
		return true
	}
	for _, a := range args {
		if !add(a) {
			return s.Bool(zero == True)
		}
	}
	sort.Slice(flat, func(i, j int) bool { return flat[i].id < flat[j].id })
	n := 0
	for i, a := range flat {
		if i == 0 || a != flat[i-1] {
			flat[n] = a
			n++
		}
	}
	flat = flat[:n]
	switch len(flat) {
	case 0:
		return s.Bool(unit == True)
	case 1:
		return flat[0]
	}
	return s.make(op, "", nil, boolType, flat...)
}

// Implies is a ==> b.
func (s *Space) Implies(a, b *Term) *Term { return s.Or(s.Not(a), b) }

// Iff is a <==> b.
func (s *Space) Iff(a, b *Term) *Term {
	switch {
	case a == b:
		return s.True()
	case a.Op == True:
		return b
	case b.Op == True:
		return a
	case a.Op == False:
		return s.Not(b)
	case b.Op == False:
		return s.Not(a)
	}
	if a.id > b.id {
		a, b = b, a
	}
	return s.make(Iff, "", nil, boolType, a, b)
}

// If chooses between two values.
func (s *Space) If(c, a, b *Term) *Term {
	switch {
	case c.Op == True || a == b:
		return a
	case c.Op == False:
		return b
	}
	t := a.Type
	if t == nil {
		t = b.Type
	}
	if a.IsInt() && b.IsInt() && a.Type != b.Type {
		t = intType
	}
	return s.make(If, "", nil, t, c, a, b)
}

// IsBool tells whether a term is known to be a truth value.
func (t *Term) IsBool() bool {
	return t.Op == Forall || t.Op == Exists || t.Op != Lambda && t.Type != nil && t.Type.Kind == KBool
}

// truth is a term as a truth value.
func (s *Space) truth(t *Term) *Term {
	if t.IsBool() {
		return t
	}
	return s.App("truth", boolType, t)
}

// IsInt tells whether a term is known to be an integer.
func (t *Term) IsInt() bool { return !t.binds() && t.Type != nil && t.Type.Kind == KInt }

// binds tells a term whose Type is that of the variable it binds.
func (t *Term) binds() bool { return t.Op == Forall || t.Op == Exists || t.Op == Lambda }

// Equal is a == b in specification code. Values whose type may be a floating point number get no laws of equality.
func (s *Space) Equal(a, b *Term) *Term {
	if a.IsBool() || b.IsBool() {
		return s.Iff(a, b)
	}
	if a.mayBeFloat() || b.mayBeFloat() {
		return s.App("==", boolType, a, b)
	}
	if a == b {
		return s.True()
	}
	if a.Op == Int && b.Op == Int {
		return s.Bool(a.Val.Cmp(b.Val) == 0)
	}
	if a.IsInt() && b.IsInt() {
		if d := s.Sub(a, b); d.Op == Int {
			return s.Bool(d.Val.Sign() == 0)
		}
	}
	// An equality with a conditional is two implications.
	if a.Op == If {
		a, b = b, a
	}
	if b.Op == If && !b.IsBool() {
		return s.And(s.Implies(b.Args[0], s.Equal(a, b.Args[1])), s.Implies(s.Not(b.Args[0]), s.Equal(a, b.Args[2])))
	}
	if a.id > b.id {
		a, b = b, a
	}
	return s.make(Eq, "", nil, boolType, a, b)
}

func (t *Term) mayBeFloat() bool { return !t.binds() && (t.Type == nil || t.Type.Kind == KFloat) }

// LessEq is a <= b. It is arithmetic only when both are known to be integers.
func (s *Space) LessEq(a, b *Term) *Term {
	if !a.IsInt() || !b.IsInt() {
		return s.App("<=", boolType, a, b)
	}
	d := s.Sub(b, a)
	if d.Op == Int {
		return s.Bool(d.Val.Sign() >= 0)
	}
	// One normal form for a comparison and its opposite: 0 <= d with a positive first coefficient, or the negation of one.
	l := s.linear(d)
	if l.coef[l.terms()[0]].Sign() > 0 {
		return s.make(Le, "", nil, boolType, s.Int64(0), d)
	}
	return s.Not(s.make(Le, "", nil, boolType, s.Int64(0), s.Sub(s.Int64(-1), d)))
}

// Less is a < b.
func (s *Space) Less(a, b *Term) *Term {
	if !a.IsInt() || !b.IsInt() {
		return s.App("<", boolType, a, b)
	}
	return s.LessEq(s.Sum(a, s.Int64(1)), b)
}

// Sub is a - b over the integers.
func (s *Space) Sub(a, b *Term) *Term { return s.Sum(a, s.Product(s.Int64(-1), b)) }

// Sum of integers, in a normal form: like terms collected, sorted, the constant first.
func (s *Space) Sum(args ...*Term) *Term {
	l := newLinear()
	for _, a := range args {
		l.add(s.linear(a), big.NewInt(1))
	}
	return s.fromLinear(l)
}

// Product of integers, in a normal form: constants multiplied out, constants distributed over sums, factors sorted.
func (s *Space) Product(args ...*Term) *Term {
	k := big.NewInt(1)
	var factors []*Term
	for _, a := range args {
		switch a.Op {
		case Int:
			k = new(big.Int).Mul(k, a.Val)
		case Mul:
			for _, f := range a.Args {
				if f.Op == Int {
					k = new(big.Int).Mul(k, f.Val)
				} else {
					factors = append(factors, f)
				}
			}
		default:
			factors = append(factors, a)
		}
	}
	if len(factors) == 0 || k.Sign() == 0 {
		return s.Int(k)
	}
	if len(factors) == 1 {
		l := newLinear()
		l.add(s.linear(factors[0]), k)
		return s.fromLinear(l)
	}
	sort.Slice(factors, func(i, j int) bool { return factors[i].id < factors[j].id })
	p := s.make(Mul, "", nil, intType, factors...)
	l := newLinear()
	l.coef[p] = k
	return s.fromLinear(l)
}

// linear form of an integer term: constant + sum of coefficient * term.
type linear struct {
	konst *big.Int
	coef  map[*Term]*big.Int
}

func newLinear() *linear { return &linear{konst: new(big.Int), coef: map[*Term]*big.Int{}} }

func (l *linear) add(m *linear, k *big.Int) {
	l.konst = new(big.Int).Add(l.konst, new(big.Int).Mul(m.konst, k))
	for t, c := range m.coef {
		l.addTerm(t, new(big.Int).Mul(c, k))
	}
}

func (l *linear) addTerm(t *Term, c *big.Int) {
	if old, ok := l.coef[t]; ok {
		c = new(big.Int).Add(old, c)
	}
	if c.Sign() == 0 {
		delete(l.coef, t)
	} else {
		l.coef[t] = c
	}
}

func (l *linear) terms() []*Term {
	out := make([]*Term, 0, len(l.coef))
	for t := range l.coef {
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

func (s *Space) linear(t *Term) *linear {
	l := newLinear()
	switch t.Op {
	case Int:
		l.konst = t.Val
	case Add:
		for _, a := range t.Args {
			l.add(s.linear(a), big.NewInt(1))
		}
	case Mul:
		if t.Args[0].Op == Int && len(t.Args) == 2 {
			l.add(s.linear(t.Args[1]), t.Args[0].Val)
			break
		}
		l.coef[t] = big.NewInt(1)
	default:
		l.coef[t] = big.NewInt(1)
	}
	return l
}

func (s *Space) fromLinear(l *linear) *Term {
	var parts []*Term
	for _, t := range l.terms() {
		if c := l.coef[t]; c.IsInt64() && c.Int64() == 1 {
			parts = append(parts, t)
		} else {
			parts = append(parts, s.make(Mul, "", nil, intType, s.Int(c), t))
		}
	}
	if l.konst.Sign() != 0 {
		parts = append(parts, s.Int(l.konst))
	}
	switch len(parts) {
	case 0:
		return s.Int64(0)
	case 1:
		return parts[0]
	}
	return s.make(Add, "", nil, intType, parts...)
}

// Quant is Forall or Exists over one variable of a type, which is Bound(0) in the body. A variable of a ranged integer type
// ranges over that type only; the guard is put in here.
func (s *Space) Quant(op Op, typ *Type, body *Term) *Term { return s.quant(op, "", typ, body) }

// quant is Quant of a variable whose type has a name, for types that Type does not tell apart.
func (s *Space) quant(op Op, name string, typ *Type, body *Term) *Term {
	if g := s.inRange(s.Bound(0, typ)); g.Op != True {
		if op == Forall {
			body = s.Implies(g, body)
		} else {
			body = s.And(g, body)
		}
	}
	if body.Op == True || body.Op == False {
		// Every type of specification code is inhabited.
		return body
	}
	return s.make(op, name, nil, typ, body)
}

// lambda is a closure of one variable, which is Bound(0) in the body; name is as in quant.
func (s *Space) lambda(name string, typ *Type, body *Term) *Term {
	return s.make(Lambda, name, nil, typ, body)
}

// inRange says that an integer term is within the bounds of its type.
func (s *Space) inRange(t *Term) *Term {
	lo, hi := s.bounds(t.Type)
	var parts []*Term
	if lo != nil {
		parts = append(parts, s.LessEq(lo, t))
	}
	if hi != nil {
		parts = append(parts, s.LessEq(t, hi))
	}
	return s.And(parts...)
}

// bounds of an integer type; nil: none.
func (s *Space) bounds(t *Type) (lo, hi *Term) {
	if t == nil || t.Kind != KInt {
		return nil, nil
	}
	switch t.Name {
	case "nat":
		return s.Int64(0), nil
	case "usize":
		return s.Int64(0), s.Limit("usize", true)
	case "isize":
		return s.Limit("isize", false), s.Limit("isize", true)
	}
	if r, ok := ranges[t.Name]; ok {
		return s.Int(r.lo), s.Int(r.hi)
	}
	return nil, nil
}

// Limit is T::MAX or T::MIN of an integer type. Those of usize and isize depend on the target and are not pinned.
func (s *Space) Limit(name string, isMax bool) *Term {
	if r, ok := ranges[name]; ok {
		if isMax {
			return s.Int(r.hi)
		}
		return s.Int(r.lo)
	}
	if name == "usize" && !isMax {
		return s.Int64(0)
	}
	m := s.Var(name+"::MAX", intType)
	if isMax {
		return m
	}
	return s.Sub(s.Int64(-1), m)
}

// subst puts value, which has no unbound Bound, in the place of the variable of the outermost binder that body was under.
func (s *Space) subst(body *Term, value *Term) *Term {
	memo := map[[2]int]*Term{}
	var walk func(t *Term, depth int) *Term
	walk = func(t *Term, depth int) *Term {
		if t.free <= depth {
			return t
		}
		k := [2]int{t.id, depth}
		if r, ok := memo[k]; ok {
			return r
		}
		var r *Term
		if t.Op == Bound {
			n := t.free - 1
			if n == depth {
				r = value
			} else {
				r = s.Bound(n-1, t.Type)
			}
		} else {
			d := depth
			if t.binds() {
				d++
			}
			args := make([]*Term, len(t.Args))
			for i, a := range t.Args {
				args[i] = walk(a, d)
			}
			r = s.rebuild(t, args)
		}
		memo[k] = r
		return r
	}
	return walk(body, 0)
}

// shift raises the indices of unbound Bounds by n, for a term that is put under n more binders.
func (s *Space) shift(t *Term, n int) *Term {
	if n == 0 || t.free == 0 {
		return t
	}
	memo := map[[2]int]*Term{}
	var walk func(t *Term, depth int) *Term
	walk = func(t *Term, depth int) *Term {
		if t.free <= depth {
			return t
		}
		if t.Op == Bound {
			return s.Bound(t.free-1+n, t.Type)
		}
		k := [2]int{t.id, depth}
		if r, ok := memo[k]; ok {
			return r
		}
		d := depth
		if t.binds() {
			d++
		}
		args := make([]*Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = walk(a, d)
		}
		r := s.rebuild(t, args)
		memo[k] = r
		return r
	}
	return walk(t, 0)
}

// rebuild makes a term like t of other arguments, in normal form again.
func (s *Space) rebuild(t *Term, args []*Term) *Term {
	switch t.Op {
	case Not:
		return s.Not(args[0])
	case And:
		return s.And(args...)
	case Or:
		return s.Or(args...)
	case Iff:
		return s.Iff(args[0], args[1])
	case If:
		return s.If(args[0], args[1], args[2])
	case Eq:
		return s.Equal(args[0], args[1])
	case Le:
		return s.LessEq(args[0], args[1])
	case Add:
		return s.Sum(args...)
	case Mul:
		return s.Product(args...)
	case Forall, Exists:
		if args[0].Op == True || args[0].Op == False {
			return args[0]
		}
		return s.make(t.Op, t.Name, nil, t.Type, args[0])
	case Lambda:
		return s.make(Lambda, t.Name, nil, t.Type, args[0])
	case App:
		return s.apply(t, args)
	}
	return s.make(t.Op, t.Name, t.Val, t.Type, args...)
}

// apply is App with what can be reduced reduced: the application of a closure.
func (s *Space) apply(t *Term, args []*Term) *Term {
	if t.Name == "call" && len(args) == 2 && args[0].Op == Lambda && args[1].free == 0 {
		return s.subst(args[0].Args[0], args[1])
	}
	return s.make(App, t.Name, nil, t.Type, args...)
}

// Call applies a closure to one argument.
func (s *Space) Call(f, arg *Term) *Term {
	return s.apply(&Term{Name: "call", Type: s.plain(nil)}, []*Term{f, arg})
}

// String prints a term for people and for tests.
func (t *Term) String() string {
	list := func(sep string) string {
		var out []string
		for _, a := range t.Args {
			out = append(out, a.String())
		}
		return strings.Join(out, sep)
	}
	switch t.Op {
	case True:
		return "true"
	case False:
		return "false"
	case Not:
		return "!" + t.Args[0].String()
	case And:
		return "(" + list(" && ") + ")"
	case Or:
		return "(" + list(" || ") + ")"
	case Iff:
		return "(" + list(" <==> ") + ")"
	case If:
		return "if(" + list(", ") + ")"
	case Eq:
		return "(" + list(" == ") + ")"
	case Le:
		return "(" + list(" <= ") + ")"
	case Forall:
		return "forall(" + list("") + ")"
	case Exists:
		return "exists(" + list("") + ")"
	case Lambda:
		return "|_|(" + list("") + ")"
	case Int:
		return t.Val.String()
	case Add:
		return "(" + list(" + ") + ")"
	case Mul:
		return "(" + list(" * ") + ")"
	case Var:
		return t.Name
	case Bound:
		return "%" + t.Name
	}
	return t.Name + "(" + list(", ") + ")"
}

// Mentions tells whether one of the terms occurs in t.
func (t *Term) Mentions(terms ...*Term) bool {
	seen := map[*Term]bool{}
	var walk func(t *Term) bool
	walk = func(t *Term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		for _, u := range terms {
			if t == u {
				return true
			}
		}
		for _, a := range t.Args {
			if walk(a) {
				return true
			}
		}
		return false
	}
	return walk(t)
}

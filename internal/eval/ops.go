package eval

import (
	"math/big"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// binary evaluates an operator on two values. In specification code + - * of integers of any types give int, division is Euclidean
// (vstd, and the Verus guide, "Specification code: arithmetic").
func (m *machine) binary(op syntax.TokenKind, a, b value.Value) value.Value {
	switch op {
	case syntax.EqEq, syntax.EqEqEq, syntax.ExtEq, syntax.DeepEq:
		return m.equality(m.equal(a, b), a, b)
	case syntax.Ne, syntax.NeEq, syntax.NotExtEq, syntax.NotDeep:
		return m.equality(m.equal(a, b).Not(), a, b)
	}
	if unknown(a) {
		return a
	}
	if unknown(b) {
		return b
	}
	switch a := a.(type) {
	case value.Int:
		if b, ok := b.(value.Int); ok {
			return m.intOp(op, a, b)
		}
	case value.Char:
		if b, ok := b.(value.Char); ok {
			return m.compared(op, int(a)-int(b))
		}
	case value.Real:
		if b, ok := b.(value.Real); ok {
			return m.realOp(op, a, b)
		}
	case value.Bool:
		if b, ok := b.(value.Bool); ok {
			switch op {
			case syntax.And:
				return a && b
			case syntax.Or:
				return a || b
			case syntax.Caret:
				return value.Bool(a != b)
			}
		}
	case *value.List:
		if b, ok := b.(*value.List); ok && op == syntax.Plus && a.Of == value.Seq && b.Of == value.Seq {
			return m.concat(a, b)
		}
	case *value.Set:
		switch op {
		case syntax.Plus:
			return m.method(a, "union", []value.Value{b}, nil)
		case syntax.Star:
			return m.method(a, "intersect", []value.Value{b}, nil)
		case syntax.Minus:
			return m.method(a, "difference", []value.Value{b}, nil)
		case syntax.Le:
			return m.method(a, "subset_of", []value.Value{b}, nil)
		}
	case *value.Map:
		if op == syntax.Le {
			return m.method(a, "submap_of", []value.Value{b}, nil)
		}
	case *value.Multiset:
		switch op {
		case syntax.Le:
			return m.method(a, "subset_of", []value.Value{b}, nil)
		}
	}
	return m.unspecified("operator " + op.String() + " on " + kindName(a))
}

func (m *machine) equality(t value.Truth, a, b value.Value) value.Value {
	switch {
	case t != value.Undecided:
		return value.Bool(t == value.True)
	case unknown(a):
		return a
	case unknown(b):
		return b
	}
	return m.unspecified("equality of " + kindName(a))
}

// equal is value.Equal with sequences of anything else left as they are.
func (m *machine) equal(a, b value.Value) value.Truth {
	m.tick(sizeOf(a) / 8)
	if a.Kind() != value.KData || b.Kind() != value.KData {
		a, b = withoutGhost(a), withoutGhost(b)
	}
	return value.Equal(a, b)
}

// withoutGhost is what is inside Ghost and Tracked, which to Verus's logic are not there: a number may be compared with Ghost(number).
func withoutGhost(v value.Value) value.Value {
	for {
		d, ok := v.(*value.Data)
		if !ok || d.Type != "Ghost" && d.Type != "Tracked" || len(d.Fields) != 1 {
			return v
		}
		v = d.Fields[0]
	}
}

func sizeOf(v value.Value) int {
	switch v := v.(type) {
	case *value.List:
		return len(v.Elems)
	case *value.Set:
		return v.Len()
	case *value.Map:
		return v.Len()
	}
	return 0
}

func kindName(v value.Value) string {
	switch v := v.(type) {
	case value.Unspecified:
		return "an unspecified value (" + short(v.Reason) + ")"
	case value.Bool:
		return "a bool"
	case value.Int:
		return "an integer"
	case value.Char:
		return "a char"
	case value.Real:
		return "a real"
	case value.Tuple:
		return "a tuple"
	case *value.Data:
		return "a " + short(v.Type)
	case *value.List:
		switch v.Of {
		case value.Vec:
			return "a Vec"
		case value.Slice:
			return "a slice"
		case value.Array:
			return "an array"
		case value.String:
			return "a string"
		}
		return "a Seq"
	case *value.Set:
		return "a Set"
	case *value.Map:
		return "a Map"
	case *value.Multiset:
		return "a Multiset"
	case *function:
		return "a function"
	}
	return "a collection given by a condition"
}

func (m *machine) compared(op syntax.TokenKind, c int) value.Value {
	switch op {
	case syntax.Lt:
		return value.Bool(c < 0)
	case syntax.Le:
		return value.Bool(c <= 0)
	case syntax.Gt:
		return value.Bool(c > 0)
	case syntax.Ge:
		return value.Bool(c >= 0)
	}
	return m.unspecified("operator " + op.String())
}

func (m *machine) intOp(op syntax.TokenKind, a, b value.Int) value.Value {
	switch op {
	case syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
		return m.compared(op, a.Cmp(b))
	case syntax.Plus:
		return m.bounded(a.Add(b))
	case syntax.Minus:
		return m.bounded(a.Sub(b))
	case syntax.Star:
		if a.BitLen()+b.BitLen() > maxBits {
			return m.unspecified("a very large number")
		}
		return a.Mul(b)
	case syntax.Slash, syntax.Percent:
		if b.Sign() == 0 {
			return m.unspecified("division by zero")
		}
		q, r := a.DivMod(b)
		if op == syntax.Percent {
			q = r
		}
		if a.Type == b.Type && a.Type.Fixed() && !a.Type.Signed() {
			q = q.As(a.Type)
		}
		return q
	case syntax.And, syntax.Or, syntax.Caret, syntax.Shl, syntax.Shr:
		return m.bitOp(op, a, b)
	}
	return m.unspecified("operator " + op.String() + " on an integer")
}

func (m *machine) bounded(i value.Int) value.Value {
	if i.BitLen() > maxBits {
		return m.unspecified("a very large number")
	}
	return i
}

// bitOp evaluates operators on bits. They are determined for fixed-width types only.
func (m *machine) bitOp(op syntax.TokenKind, a, b value.Int) value.Value {
	t := a.Type
	shift := op == syntax.Shl || op == syntax.Shr
	if !shift {
		if t == value.Any {
			t = b.Type
		} else if b.Type != value.Any && b.Type != t {
			return m.unspecified("bits of numbers of two types")
		}
	}
	if !t.Fixed() {
		return m.unspecified("bits of a number without a fixed width")
	}
	if t == value.USize || t == value.ISize {
		m.archUsed = true
	}
	x := a.Big()
	switch op {
	case syntax.And:
		return value.Big(x.And(x, b.Big()), t)
	case syntax.Or:
		return value.Big(x.Or(x, b.Big()), t)
	case syntax.Caret:
		return value.Big(x.Xor(x, b.Big()), t)
	}
	n, ok := b.Int64()
	width := t.Bits(m.arch)
	if !ok || n < 0 || n >= int64(width) {
		return m.unspecified("a shift by as much as the width")
	}
	if op == syntax.Shr {
		return value.Big(x.Rsh(x, uint(n)), t)
	}
	x.Lsh(x, uint(n))
	return value.Big(wrap(x, width, t.Signed()), t)
}

// wrap brings a number into the range of a width.
func wrap(x *big.Int, width int, signed bool) *big.Int {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(width))
	x.Mod(x, mod)
	if signed && x.Bit(width-1) == 1 {
		x.Sub(x, mod)
	}
	return x
}

func (m *machine) bitNot(a value.Int) value.Value {
	if !a.Type.Fixed() {
		return m.unspecified("bits of a number without a fixed width")
	}
	if a.Type == value.USize || a.Type == value.ISize {
		m.archUsed = true
	}
	x := a.Big()
	x.Not(x)
	return value.Big(wrap(x, a.Type.Bits(m.arch), a.Type.Signed()), a.Type)
}

func negReal(r value.Real) value.Value { return value.Real{R: new(big.Rat).Neg(r.R)} }

func (m *machine) realOp(op syntax.TokenKind, a, b value.Real) value.Value {
	r := new(big.Rat)
	switch op {
	case syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
		return m.compared(op, a.R.Cmp(b.R))
	case syntax.Plus:
		r.Add(a.R, b.R)
	case syntax.Minus:
		r.Sub(a.R, b.R)
	case syntax.Star:
		r.Mul(a.R, b.R)
	case syntax.Slash:
		if b.R.Sign() == 0 {
			return m.unspecified("division by zero")
		}
		r.Quo(a.R, b.R)
	default:
		return m.unspecified("operator " + op.String() + " on a real")
	}
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return m.unspecified("a very large number")
	}
	return value.Real{R: r}
}

// cast evaluates `v as t`. A number out of the range of t gives an unspecified value of t.
func (m *machine) cast(v value.Value, t *value.Type) value.Value {
	if unknown(v) {
		return v
	}
	if t == nil {
		return m.unspecified("a cast to a type that is not known")
	}
	switch t.Kind {
	case value.TInt:
		switch v := v.(type) {
		case value.Int:
			if !m.inRange(v, t.Int) {
				return m.unspecified("a cast out of range")
			}
			return v.As(t.Int)
		case value.Char:
			i := value.Small(int64(v), t.Int)
			if !m.inRange(i, t.Int) {
				return m.unspecified("a cast out of range")
			}
			return i
		case value.Bool:
			if v {
				return value.Small(1, t.Int)
			}
			return value.Small(0, t.Int)
		}
	case value.TChar:
		switch v := v.(type) {
		case value.Char:
			return v
		case value.Int:
			n, ok := v.Int64()
			if !ok || n < 0 || n > 0x10ffff || n >= 0xd800 && n < 0xe000 {
				return m.unspecified("a cast out of range")
			}
			return value.Char(n)
		}
	case value.TReal:
		switch v := v.(type) {
		case value.Real:
			return v
		case value.Int:
			return value.Real{R: new(big.Rat).SetInt(v.Big())}
		}
	case value.TFn:
		if f, ok := v.(*function); ok {
			return f
		}
	case value.TBool:
		if b, ok := v.(value.Bool); ok {
			return b
		}
	}
	return m.unspecified("a cast of " + kindName(v))
}

// index evaluates v[i] on what has a built-in index.
func (m *machine) index(v, i value.Value) value.Value {
	switch v := v.(type) {
	case value.Unspecified:
		return v
	case *value.List:
		if unknown(i) {
			return i
		}
		n, ok := i.(value.Int)
		if !ok {
			return m.unspecified("an index that is no number")
		}
		k, fits := n.Int64()
		if !fits || k < 0 || k >= int64(len(v.Elems)) {
			return m.unspecified("an index out of range")
		}
		return v.Elems[k]
	case *value.Map:
		if unknown(i) {
			return i
		}
		if !value.Exact(i) {
			return m.unspecified("a key whose equality is not determined")
		}
		if x := v.Get(i); x != nil {
			return x
		}
		return m.unspecified("a key that the map does not have")
	case *condMap:
		if v.in != nil {
			if t := truthOf(m.apply(v.in, []value.Value{i})); t != value.True {
				return m.unspecified("a key that the map does not have")
			}
		}
		return m.apply(v.val, []value.Value{i})
	}
	return m.unspecified("an index into " + kindName(v))
}

// sized returns a list unless it is too long.
func (m *machine) sized(l *value.List) value.Value {
	if len(l.Elems) > maxElems {
		return m.unspecified("a very long sequence")
	}
	m.tick(len(l.Elems) / 4)
	return l
}

func (m *machine) concat(a, b *value.List) value.Value {
	if len(a.Elems)+len(b.Elems) > maxElems {
		return m.unspecified("a very long sequence")
	}
	out := make([]value.Value, 0, len(a.Elems)+len(b.Elems))
	return m.sized(&value.List{Of: value.Seq, Elems: append(append(out, a.Elems...), b.Elems...)})
}

func (m *machine) repeat(of value.ListKind, v, n value.Value) value.Value {
	if unknown(n) {
		return n
	}
	i, ok := n.(value.Int)
	if !ok {
		return m.unspecified("a length that is no number")
	}
	k, fits := i.Int64()
	if !fits || k < 0 || k > maxElems {
		return m.unspecified("a very long sequence")
	}
	l := &value.List{Of: of}
	for range k {
		l.Elems = append(l.Elems, v)
	}
	return m.sized(l)
}

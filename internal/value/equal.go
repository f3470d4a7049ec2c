package value

import (
	"strconv"
)

// Truth is the answer to a question.
type Truth uint8

const (
	_ Truth = iota
	False
	True
	Undecided
)

// String is "false", "true" or "undecided".
func (t Truth) String() string {
	switch t {
	case False:
		return "false"
	case True:
		return "true"
	case Undecided:
		return "undecided"
	}
	return "?"
}

// TruthOf a bool.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// And of two truths: false if one of them is false.
func (t Truth) And(o Truth) Truth {
	switch {
	case t == False || o == False:
		return False
	case t == True && o == True:
		return True
	}
	return Undecided
}

// Not turns true and false around.
func (t Truth) Not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Undecided
}

// Equal tells whether a == b. Verus does not determine the equality of two vectors, slices, arrays or strings with equal elements (only
// that of their views), so that is undecided; if their elements differ, they do.
func Equal(a, b Value) Truth {
	switch a := a.(type) {
	case Bool:
		if b, ok := b.(Bool); ok {
			return TruthOf(a == b)
		}
	case Int:
		if b, ok := b.(Int); ok {
			return TruthOf(a.Cmp(b) == 0)
		}
	case Char:
		if b, ok := b.(Char); ok {
			return TruthOf(a == b)
		}
	case Real:
		if b, ok := b.(Real); ok {
			return TruthOf(a.R.Cmp(b.R) == 0)
		}
	case Tuple:
		if b, ok := b.(Tuple); ok && len(a) == len(b) {
			return equalAll(a, b)
		}
	case *Data:
		b, ok := b.(*Data)
		if !ok || a.Type != b.Type {
			break
		}
		if a.Variant != b.Variant {
			return False
		}
		if len(a.Fields) == len(b.Fields) {
			t := equalAll(a.Fields, b.Fields)
			if t == True && (a.Opaque || b.Opaque) {
				return Undecided
			}
			return t
		}
	case *List:
		b, ok := b.(*List)
		if !ok || a.Of != b.Of {
			break
		}
		if len(a.Elems) != len(b.Elems) {
			return False
		}
		t := equalAll(a.Elems, b.Elems)
		if t == True && a.Of != Seq {
			return Undecided
		}
		return t
	case *Set:
		if b, ok := b.(*Set); ok {
			return TruthOf(a.Equal(b))
		}
	case *Map:
		b, ok := b.(*Map)
		if !ok {
			break
		}
		if !a.dom.Equal(&b.dom) {
			return False
		}
		return equalAll(a.vals, b.vals)
	case *Multiset:
		b, ok := b.(*Multiset)
		if !ok {
			break
		}
		if !a.dom.Equal(&b.dom) {
			return False
		}
		for i := range a.counts {
			if a.counts[i] != b.counts[i] {
				return False
			}
		}
		return True
	}
	return Undecided
}

func equalAll(a, b []Value) Truth {
	t := True
	for i := range a {
		t = t.And(Equal(a[i], b[i]))
		if t == False {
			return False
		}
	}
	return t
}

// Exact tells whether the equality of a value with any other is determined: it holds no vector, slice, array, string, function or
// unspecified value.
func Exact(v Value) bool {
	switch v := v.(type) {
	case Bool, Int, Char, Real, *Set, *Multiset:
		return true
	case Tuple:
		return allExact(v)
	case *Data:
		return !v.Opaque && allExact(v.Fields)
	case *List:
		return v.Of == Seq && allExact(v.Elems)
	case *Map:
		return allExact(v.vals)
	}
	return false
}

func allExact(vs []Value) bool {
	for _, v := range vs {
		if !Exact(v) {
			return false
		}
	}
	return true
}

// Key is a text that two values share exactly when they are the same value, types of integers aside; ok is false when a part
// is unspecified or known to the evaluator only.
func Key(v Value) (key string, ok bool) {
	b, ok := AppendKey(make([]byte, 0, 32), v)
	return string(b), ok
}

// AppendKey appends the key of a value.
func AppendKey(b []byte, v Value) ([]byte, bool) {
	switch v := v.(type) {
	case Bool:
		if v {
			return append(b, 'T'), true
		}
		return append(b, 'F'), true
	case Int:
		// The sign and the number of digits come first, so that keys sort as the numbers do.
		s := v.String()
		switch {
		case v.Sign() < 0:
			b = append(b, 'i', '-')
			n := 100000 - len(s)
			b = strconv.AppendInt(b, int64(n), 10)
			b = append(b, ':')
			for i := 1; i < len(s); i++ {
				b = append(b, '9'-(s[i]-'0'))
			}
			return append(b, ';'), true
		default:
			b = append(b, 'i', '0')
			b = strconv.AppendInt(b, int64(100000+len(s)), 10)
			b = append(b, ':')
			b = append(b, s...)
			return append(b, ';'), true
		}
	case Char:
		b = append(b, 'c')
		b = strconv.AppendInt(b, int64(v)+10000000, 10)
		return append(b, ';'), true
	case Real:
		b = append(b, 'r')
		b = append(b, v.R.RatString()...)
		return append(b, ';'), true
	case Tuple:
		return appendKeys(append(b, '('), v, ')')
	case *Data:
		b = append(b, '{')
		b = append(b, v.Type...)
		b = append(b, ':')
		b = append(b, v.Variant...)
		b = append(b, ':')
		return appendKeys(b, v.Fields, '}')
	case *List:
		b = append(b, '[', '0'+byte(v.Of))
		b = strconv.AppendInt(b, int64(1000000+len(v.Elems)), 10)
		return appendKeys(b, v.Elems, ']')
	case *Set:
		return appendKeys(append(b, 's', '<'), v.elems, '>')
	case *Map:
		b, ok := appendKeys(append(b, 'm', '<'), v.dom.elems, '>')
		if !ok {
			return b, false
		}
		return appendKeys(append(b, '<'), v.vals, '>')
	case *Multiset:
		b, ok := appendKeys(append(b, 'b', '<'), v.dom.elems, '>')
		for _, c := range v.counts {
			b = strconv.AppendInt(b, int64(c), 10)
			b = append(b, ',')
		}
		return b, ok
	}
	return b, false
}

func appendKeys(b []byte, vs []Value, end byte) ([]byte, bool) {
	for _, v := range vs {
		var ok bool
		if b, ok = AppendKey(b, v); !ok {
			return b, false
		}
	}
	return append(b, end), true
}

// Weight is the number of values that a value is made of, itself included, where one that stands at several places counts at each of
// them. It stops counting at limit.
func Weight(v Value, limit int) int {
	if limit <= 1 {
		return 1
	}
	var parts [2][]Value
	switch v := v.(type) {
	case Tuple:
		parts[0] = v
	case *Data:
		parts[0] = v.Fields
	case *List:
		parts[0] = v.Elems
	case *Set:
		parts[0] = v.elems
	case *Map:
		parts[0], parts[1] = v.dom.elems, v.vals
	case *Multiset:
		parts[0] = v.dom.elems
	}
	n := 1
	for _, part := range parts {
		for _, x := range part {
			if n >= limit {
				return n
			}
			n += Weight(x, limit-n)
		}
	}
	return n
}

// Size is a measure of how simple a value is for a reader: the simplest of several witnesses is the one of least size.
func Size(v Value) int {
	switch v := v.(type) {
	case Bool:
		if v {
			return 1
		}
		return 0
	case Int:
		n, fits := v.Int64()
		switch {
		case fits && n >= 0 && n <= 16:
			return int(n)
		case fits && n < 0 && n >= -14:
			return int(2 - n)
		}
		return 16 + v.BitLen()/3
	case Char:
		return 1
	case Tuple:
		return sizeAll(v)
	case *Data:
		return sizeAll(v.Fields)
	case *List:
		return 2*len(v.Elems) + sizeAll(v.Elems)
	case *Set:
		return 2*len(v.elems) + sizeAll(v.elems)
	case *Map:
		return 2*len(v.vals) + sizeAll(v.dom.elems) + sizeAll(v.vals)
	case *Multiset:
		return 2*v.Len() + sizeAll(v.dom.elems)
	}
	return 5
}

func sizeAll(vs []Value) int {
	n := 0
	for _, v := range vs {
		n += Size(v)
	}
	return n
}

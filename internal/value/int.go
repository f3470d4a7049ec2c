package value

import (
	"math"
	"math/big"
	"math/bits"
)

// IntType is a type of integers.
type IntType uint8

const (
	_   IntType = iota
	Any         // an integer literal whose type is not known
	IntT
	NatT
	U8
	U16
	U32
	U64
	U128
	USize
	I8
	I16
	I32
	I64
	I128
	ISize
	intTypeCount
)

var intNames = [intTypeCount]string{"?", "?", "int", "nat", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"}

// String is the name of the type in Verus.
func (t IntType) String() string {
	if t < intTypeCount {
		return intNames[t]
	}
	return "?"
}

// IntTypeOf returns the type of that name; 0 if there is none.
func IntTypeOf(name string) IntType {
	for t := IntT; t < intTypeCount; t++ {
		if intNames[t] == name {
			return t
		}
	}
	return 0
}

// Fixed tells a type of a fixed width.
func (t IntType) Fixed() bool { return t >= U8 && t < intTypeCount }

// Signed tells a fixed-width type with negative values.
func (t IntType) Signed() bool { return t >= I8 && t < intTypeCount }

// Bits is the width of a fixed-width type, where usize and isize are arch bits wide; 0 for others.
func (t IntType) Bits(arch int) int {
	switch t {
	case U8, I8:
		return 8
	case U16, I16:
		return 16
	case U32, I32:
		return 32
	case U64, I64:
		return 64
	case U128, I128:
		return 128
	case USize, ISize:
		return arch
	}
	return 0
}

// Limits are the least and the greatest value of the type; nil where there is none.
func (t IntType) Limits(arch int) (low, high *Int) {
	n := t.Bits(arch)
	one := big.NewInt(1)
	switch {
	case t == NatT:
		zero := Small(0, t)
		return &zero, nil
	case n == 0:
		return nil, nil
	case t.Signed():
		half := new(big.Int).Lsh(one, uint(n-1))
		lo, hi := Big(new(big.Int).Neg(half), t), Big(new(big.Int).Sub(half, one), t)
		return &lo, &hi
	}
	lo, hi := Small(0, t), Big(new(big.Int).Sub(new(big.Int).Lsh(one, uint(n)), one), t)
	return &lo, &hi
}

// Int is an integer of any size with the type that it has in the program. Equality and order ignore the type.
type Int struct {
	small int64
	big   *big.Int // set when the number does not fit small
	Type  IntType
}

// Kind of the value.
func (Int) Kind() Kind { return KInt }

// Small makes an integer.
func Small(n int64, t IntType) Int { return Int{small: n, Type: t} }

// Big makes an integer; it keeps n.
func Big(n *big.Int, t IntType) Int {
	if n.IsInt64() {
		return Int{small: n.Int64(), Type: t}
	}
	return Int{big: n, Type: t}
}

// As returns the same number as a value of another type. It does not check the range (see In).
func (a Int) As(t IntType) Int { a.Type = t; return a }

// In tells whether the number is in the range of a type.
func (a Int) In(t IntType, arch int) bool {
	switch {
	case t == NatT:
		return a.Sign() >= 0
	case !t.Fixed():
		return true
	}
	n := t.Bits(arch)
	if a.big == nil && n >= 64 {
		return t.Signed() || a.small >= 0
	}
	if a.big == nil {
		if t.Signed() {
			return a.small >= -(1<<(n-1)) && a.small < 1<<(n-1)
		}
		return a.small >= 0 && a.small < 1<<n
	}
	if t.Signed() {
		if a.big.Sign() < 0 {
			return new(big.Int).Not(a.big).BitLen() < n
		}
		return a.big.BitLen() < n
	}
	return a.big.Sign() >= 0 && a.big.BitLen() <= n
}

// Big returns the number; it may be changed.
func (a Int) Big() *big.Int {
	if a.big != nil {
		return new(big.Int).Set(a.big)
	}
	return big.NewInt(a.small)
}

func (a Int) ref() *big.Int {
	if a.big != nil {
		return a.big
	}
	return big.NewInt(a.small)
}

// Int64 returns the number if it fits.
func (a Int) Int64() (int64, bool) { return a.small, a.big == nil }

// Sign is -1, 0 or 1.
func (a Int) Sign() int {
	if a.big != nil {
		return a.big.Sign()
	}
	switch {
	case a.small < 0:
		return -1
	case a.small > 0:
		return 1
	}
	return 0
}

// BitLen is the number of bits of the absolute value.
func (a Int) BitLen() int {
	if a.big != nil {
		return a.big.BitLen()
	}
	if a.small < 0 {
		return bits.Len64(uint64(-(a.small + 1)) + 1)
	}
	return bits.Len64(uint64(a.small))
}

// Cmp compares two numbers: -1, 0 or 1.
func (a Int) Cmp(b Int) int {
	if a.big == nil && b.big == nil {
		switch {
		case a.small < b.small:
			return -1
		case a.small > b.small:
			return 1
		}
		return 0
	}
	return a.ref().Cmp(b.ref())
}

// Add is the sum, an int.
func (a Int) Add(b Int) Int {
	if a.big == nil && b.big == nil {
		if c := a.small + b.small; (c > a.small) == (b.small > 0) {
			return Int{small: c, Type: IntT}
		}
	}
	return Big(new(big.Int).Add(a.ref(), b.ref()), IntT)
}

// Neg is the negation, an int.
func (a Int) Neg() Int {
	if a.big == nil && a.small != math.MinInt64 {
		return Int{small: -a.small, Type: IntT}
	}
	return Big(new(big.Int).Neg(a.ref()), IntT)
}

// Sub is the difference, an int.
func (a Int) Sub(b Int) Int { return a.Add(b.Neg()) }

// Mul is the product, an int.
func (a Int) Mul(b Int) Int {
	if a.big == nil && b.big == nil && a.BitLen()+b.BitLen() < 63 {
		return Int{small: a.small * b.small, Type: IntT}
	}
	return Big(new(big.Int).Mul(a.ref(), b.ref()), IntT)
}

// DivMod is Euclidean: a == q*b + r with 0 <= r < |b|. b must not be 0. The results are of type int.
func (a Int) DivMod(b Int) (q, r Int) {
	if a.big == nil && b.big == nil && a.small != math.MinInt64 {
		q, r := a.small/b.small, a.small%b.small
		if r < 0 {
			if b.small > 0 {
				q, r = q-1, r+b.small
			} else {
				q, r = q+1, r-b.small
			}
		}
		return Small(q, IntT), Small(r, IntT)
	}
	bq, br := new(big.Int).DivMod(a.ref(), b.ref(), new(big.Int))
	return Big(bq, IntT), Big(br, IntT)
}

// String is the number in decimal.
func (a Int) String() string { return a.ref().String() }

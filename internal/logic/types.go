package logic

import (
	"math/big"
	"strings"
)

// TypeKind says what is known about the values of a type.
type TypeKind uint8

const (
	_      TypeKind = iota
	KBool           // bool
	KInt            // an integer type, Name is int, nat, u8, ...
	KFloat          // f32, f64
	KSeq            // vstd's Seq
	KVec            // Vec, slice, array: what has a Seq as its view
	KOther          // any other type that is known not to be a floating point number
)

// Type is a type as far as proofs need it. References and boxes are left out: they are transparent in specification code.
type Type struct {
	Kind TypeKind
	// Name of the type, or its whole text for KOther.
	Name string
	// Args are the element types of KSeq and KVec, and the generic arguments or the parts of a tuple of KOther; nil entries are not known.
	Args []*Type
	// Tuple tells a tuple type.
	Tuple bool
}

var (
	boolType = &Type{Kind: KBool, Name: "bool"}
	intType  = &Type{Kind: KInt, Name: "int"}
	natType  = &Type{Kind: KInt, Name: "nat"}
	// otherType is a type of which only this is known: it is no floating point number.
	otherType = &Type{Kind: KOther, Name: "?"}
)

type span struct{ lo, hi *big.Int }

var ranges = func() map[string]span {
	out := map[string]span{}
	for _, bits := range []struct {
		name string
		n    uint
	}{{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}, {"128", 128}} {
		one := big.NewInt(1)
		full := new(big.Int).Lsh(one, bits.n)
		half := new(big.Int).Lsh(one, bits.n-1)
		out["u"+bits.name] = span{new(big.Int), new(big.Int).Sub(full, one)}
		out["i"+bits.name] = span{new(big.Int).Neg(half), new(big.Int).Sub(half, one)}
	}
	return out
}()

// IntegerType is the integer type of a name, or nil.
func IntegerType(name string) *Type {
	switch name {
	case "int":
		return intType
	case "nat":
		return natType
	case "usize", "isize":
		return &Type{Kind: KInt, Name: name}
	}
	if _, ok := ranges[name]; ok {
		return &Type{Kind: KInt, Name: name}
	}
	return nil
}

// String is a text that is equal for equal types.
func (t *Type) String() string {
	if t == nil {
		return "?"
	}
	if len(t.Args) == 0 {
		return t.Name
	}
	var args []string
	for _, a := range t.Args {
		args = append(args, a.String())
	}
	return t.Name + "<" + strings.Join(args, ",") + ">"
}

func seqOf(elem *Type) *Type { return &Type{Kind: KSeq, Name: "Seq", Args: []*Type{elem}} }

// Elem is the element type of a KSeq or KVec; nil: not known.
func (t *Type) Elem() *Type {
	if t == nil || len(t.Args) == 0 || t.Kind != KSeq && t.Kind != KVec {
		return nil
	}
	return t.Args[0]
}

package value

import "strings"

// TypeKind tells types apart.
type TypeKind uint8

const (
	_ TypeKind = iota
	TBool
	TInt
	TChar
	TReal
	TTuple
	TList // List says which; Args has the element type
	TSet
	TMap
	TMultiset
	TData  // struct or enum: Name, Args
	TParam // a type parameter: Name
	TFn    // a function: spec_fn, Fn bound
)

// Type is a type of Verus. References, Box, Rc and Arc do not show.
type Type struct {
	Kind TypeKind
	Int  IntType
	List ListKind
	// Name of a struct, enum (full path) or type parameter.
	Name string
	Args []*Type
	// Len is the length of an array; -1 if it is not known.
	Len int
	// Mut says that the type was written as a mutable reference.
	Mut bool
}

// String is the type as people write it, with the last part of each path.
func (t *Type) String() string {
	if t == nil {
		return "?"
	}
	switch t.Kind {
	case TBool:
		return "bool"
	case TInt:
		return t.Int.String()
	case TChar:
		return "char"
	case TReal:
		return "real"
	case TTuple:
		return "(" + joinTypes(t.Args) + ")"
	case TList:
		switch t.List {
		case String:
			return "String"
		case Vec:
			return "Vec<" + joinTypes(t.Args) + ">"
		case Seq:
			return "Seq<" + joinTypes(t.Args) + ">"
		}
		return "[" + joinTypes(t.Args) + "]"
	case TSet:
		return "Set<" + joinTypes(t.Args) + ">"
	case TMap:
		return "Map<" + joinTypes(t.Args) + ">"
	case TMultiset:
		return "Multiset<" + joinTypes(t.Args) + ">"
	case TFn:
		return "fn"
	}
	name := t.Name
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	if len(t.Args) > 0 {
		return name + "<" + joinTypes(t.Args) + ">"
	}
	return name
}

func joinTypes(ts []*Type) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = t.String()
	}
	return strings.Join(parts, ", ")
}

// Same tells whether two types are the same, mutability aside. Types not known are not the same.
func Same(a, b *Type) bool {
	if a == nil || b == nil || a.Kind != b.Kind || a.Int != b.Int || a.List != b.List || a.Name != b.Name || a.Len != b.Len || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if !Same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

package logic

import "github.com/specgate/specgate/internal/syntax"

// ReadType reads a type as written. other is asked first for named types that are not built in; args are the types that stand in angle
// brackets. It says library for one whose last word means what it does in the libraries, and otherwise gives the type, nil for one of
// which not even this is known that it is no floating point number.
func ReadType(n syntax.Node, other func(path syntax.Node, words []string, args []*Type) (t *Type, library bool)) *Type {
	switch n.Kind() {
	case syntax.RefType, syntax.ParenType:
		return ReadType(n.Get(syntax.FType), other)
	case syntax.ArrayType:
		// Arrays of two lengths are two types.
		name := "[" + text(n.Get(syntax.FLen)) + "]"
		return &Type{Kind: KVec, Name: name, Args: []*Type{ReadType(n.Get(syntax.FType), other)}}
	case syntax.SliceType:
		return &Type{Kind: KVec, Name: "[]", Args: []*Type{ReadType(n.Get(syntax.FType), other)}}
	case syntax.TupleType:
		t := &Type{Kind: KOther, Name: "()", Tuple: true}
		for e := range n.All(syntax.FType) {
			t.Args = append(t.Args, ReadType(e, other))
		}
		return t
	case syntax.SpecFnType, syntax.FnPtrType, syntax.NeverType:
		return &Type{Kind: KOther, Name: text(n)}
	case syntax.Path:
	default:
		return nil
	}
	var words []string
	var args []*Type
	for seg := range n.All(syntax.FSegment) {
		words = append(words, seg.FirstToken().Text())
		args = nil
		for a := range seg.Get(syntax.FGenericArgs).All(syntax.FArg) {
			if a.Kind() != syntax.Lifetime {
				args = append(args, ReadType(a, other))
			}
		}
	}
	if len(words) == 0 || n.Get(syntax.FQSelf).Valid() {
		return nil
	}
	last := words[len(words)-1]
	if t, library := other(n, words, args); !library {
		return t
	}
	if len(words) == 1 {
		switch last {
		case "bool":
			return boolType
		case "f32", "f64", "real":
			// Exact reals have the laws of equality, but no use is made of them.
			return &Type{Kind: KFloat, Name: last}
		case "char", "str", "String":
			return &Type{Kind: KOther, Name: last}
		}
		if t := IntegerType(last); t != nil {
			return t
		}
	}
	switch last {
	case "Vec":
		if len(args) >= 1 {
			return &Type{Kind: KVec, Name: last, Args: args[:1]}
		}
	case "Seq":
		if len(args) == 1 {
			return seqOf(args[0])
		}
	case "Box", "Rc", "Arc":
		if len(args) >= 1 {
			return args[0]
		}
	case "Option", "Result", "Ghost", "Tracked", "Set", "Map", "Multiset", "HashMap", "HashSet":
		return &Type{Kind: KOther, Name: last, Args: args}
	}
	return nil
}

package value

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func num(n int64) Int { return Small(n, IntT) }

func seq(ns ...int64) *List {
	l := &List{Of: Seq}
	for _, n := range ns {
		l.Elems = append(l.Elems, num(n))
	}
	return l
}

func vec(ns ...int64) *List { l := seq(ns...); l.Of = Vec; return l }

func set(ns ...int64) *Set { s, _ := NewSet(seq(ns...).Elems); return s }

func bag(ns ...int64) *Multiset { m, _ := NewMultiset(seq(ns...).Elems); return m }

func point(x, y Value) *Data {
	return &Data{Type: "krate::geo::Point", Names: []string{"x", "y"}, Fields: []Value{x, y}}
}

func TestInt(t *testing.T) {
	huge, _ := new(big.Int).SetString("170141183460469231731687303715884105728", 10)
	min64 := Small(-1<<63, IntT)
	for _, tc := range []struct {
		got  Int
		want string
	}{
		{num(2).Add(num(3)), "5"},
		{Small(1<<62, IntT).Add(Small(1<<62, IntT)), "9223372036854775808"},
		{min64.Add(num(-1)), "-9223372036854775809"},
		{min64.Neg(), "9223372036854775808"},
		{min64.Sub(min64), "0"},
		{Small(1<<40, IntT).Mul(Small(1<<40, IntT)), "1208925819614629174706176"},
		{num(-3).Mul(num(7)), "-21"},
		{Big(new(big.Int).Set(huge), IntT).Sub(Big(huge, IntT)), "0"},
	} {
		if tc.got.String() != tc.want {
			t.Errorf("got %s, want %s", tc.got, tc.want)
		}
	}
	// a == q*b + r with 0 <= r < |b|.
	for _, a := range []Int{num(7), num(-7), num(0), num(6), num(-6), min64, Big(huge, IntT), Big(new(big.Int).Neg(huge), IntT)} {
		for _, b := range []Int{num(2), num(-2), num(3), num(-3), num(1), num(-1), min64} {
			q, r := a.DivMod(b)
			abs := b
			if b.Sign() < 0 {
				abs = b.Neg()
			}
			if q.Mul(b).Add(r).Cmp(a) != 0 || r.Sign() < 0 || r.Cmp(abs) >= 0 {
				t.Errorf("%s divided by %s gives %s and %s", a, b, q, r)
			}
		}
	}
}

func TestRange(t *testing.T) {
	for _, typ := range []IntType{U8, U16, U32, U64, U128, USize, I8, I16, I32, I64, I128, ISize} {
		for _, arch := range []int{32, 64} {
			lo, hi := typ.Limits(arch)
			for _, tc := range []struct {
				n    Int
				want bool
			}{{*lo, true}, {*hi, true}, {lo.Sub(num(1)), false}, {hi.Add(num(1)), false}, {num(0), true}, {num(-1), typ.Signed()}} {
				if got := tc.n.In(typ, arch); got != tc.want {
					t.Errorf("%s in %s of %d bits: %v", tc.n, typ, arch, got)
				}
			}
		}
	}
	if num(-1).In(NatT, 64) || !num(-1).In(IntT, 64) || !num(0).In(NatT, 64) {
		t.Error("int and nat")
	}
}

func TestEqual(t *testing.T) {
	q := Unspecified{Reason: "x"}
	a, b := Value(num(1)), Value(num(2))
	m := (&Map{}).With(a, b)
	for _, tc := range []struct {
		a, b Value
		want Truth
	}{
		{num(1), Small(1, U8), True},
		{num(1), num(2), False},
		{num(1), Char(1), Undecided},
		{Bool(true), Bool(true), True},
		{Char('a'), Char('b'), False},
		{Real{big.NewRat(1, 2)}, Real{big.NewRat(2, 4)}, True},
		{Unit(), Tuple{}, True},
		{Tuple{a, q}, Tuple{b, q}, False},
		{Tuple{a, q}, Tuple{a, q}, Undecided},
		{q, q, Undecided},
		{Some(a), None(), False},
		{Some(a), Some(a), True},
		{Some(q), None(), False},
		{point(a, b), point(a, b), True},
		{point(a, b), point(b, a), False},
		{point(a, b), Some(a), Undecided},
		{&Data{Type: "T", Fields: []Value{a}, Opaque: true}, &Data{Type: "T", Fields: []Value{a}, Opaque: true}, Undecided},
		{&Data{Type: "T", Fields: []Value{a}, Opaque: true}, &Data{Type: "T", Fields: []Value{b}, Opaque: true}, False},
		{seq(1, 2), seq(1, 2), True},
		{seq(1, 2), seq(1, 2, 3), False},
		{vec(1, 2), vec(1, 2), Undecided},
		{vec(1, 2), vec(1, 3), False},
		{vec(1), seq(1), Undecided},
		{Some(vec(1)), Some(vec(1)), Undecided},
		{Text("ab"), Text("ab"), Undecided},
		{Text("ab"), Text("ac"), False},
		{set(2, 1, 1), set(1, 2), True},
		{set(1), set(2), False},
		{bag(1, 1), bag(1), False},
		{bag(2, 1, 2), bag(2, 2, 1), True},
		{m, (&Map{}).With(a, b), True},
		{m, (&Map{}).With(a, q), Undecided},
		{m, m.With(b, q), False},
	} {
		for _, got := range []Truth{Equal(tc.a, tc.b), Equal(tc.b, tc.a)} {
			if got != tc.want {
				t.Errorf("%s == %s: got %s, want %s", Short(tc.a), Short(tc.b), got, tc.want)
			}
		}
		// What is equal has one key, what differs has two.
		ka, oka := Key(tc.a)
		kb, okb := Key(tc.b)
		if oka && okb && Exact(tc.a) && Exact(tc.b) && tc.want != Undecided && (ka == kb) != (tc.want == True) {
			t.Errorf("keys of %s and %s: %q, %q", Short(tc.a), Short(tc.b), ka, kb)
		}
	}
}

func TestCollections(t *testing.T) {
	if _, ok := NewSet([]Value{vec(1)}); ok {
		t.Error("a set of vectors was made")
	}
	if _, ok := NewMultiset([]Value{Unspecified{}}); ok {
		t.Error("a multiset of unspecified values was made")
	}
	m := (&Map{}).With(num(2), Char('b')).With(num(1), Char('a')).With(num(2), Char('c'))
	var got []string
	for _, v := range []Value{
		set(3, 1).With(num(2)), set(3, 1).With(num(3)), set(3, 1).Union(set(2, 3)), set(3, 1, 2).Where(func(v Value) bool { return v.(Int).Cmp(num(1)) > 0 }),
		set(10, 9, -1, -20, 100),
		m, m.Where(func(k, _ Value) bool { return k.(Int).Cmp(num(2)) == 0 }), m.Dom(),
		bag(1, 2, 1), bag(1, 2, 1).Change(num(1), -1), bag(1, 2, 1).Change(num(1), -5), bag(1).Change(num(0), 2), bag(1).Change(num(7), -1),
	} {
		got = append(got, Short(v))
	}
	want := []string{"{1, 2, 3}", "{1, 3}", "{1, 2, 3}", "{2, 3}", "{-20, -1, 9, 10, 100}", "{1: 'a', 2: 'c'}", "{2: 'c'}", "{1, 2}",
		"multiset{1, 1, 2}", "multiset{1, 2}", "multiset{2}", "multiset{0, 0, 1}", "multiset{1}"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if m.Get(num(2)) != Char('c') || m.Get(num(5)) != nil || m.Len() != 2 || !set(1).Has(num(1)) || set(1).Has(num(2)) || bag(1, 1).Count(num(1)) != 2 || bag(1, 1).Len() != 2 {
		t.Error("lookups")
	}
}

func TestText(t *testing.T) {
	long := &List{Of: Vec}
	for i := range int64(20) {
		long.Elems = append(long.Elems, Small(i, U8))
	}
	for _, tc := range []struct {
		v           Value
		short, rust string
	}{
		{Small(-3, I32), "-3", "-3i32"},
		{Small(3, Any), "3", "3"},
		{Bool(true), "true", "true"},
		{Char('\''), `'\''`, `'\''`},
		{Char('\n'), `'\n'`, `'\n'`},
		{Char('\u200b'), `'\u{200b}'`, `'\u{200b}'`},
		{Text("a\"b\\\x00"), `"a\"b\\\0"`, `"a\"b\\\0"`},
		{Unit(), "()", "()"},
		{Tuple{Small(1, U8)}, "(1,)", "(1u8,)"},
		{Tuple{Small(1, U8), Bool(false)}, "(1, false)", "(1u8, false)"},
		{seq(1, 2), "[1, 2]", "seq![1int, 2int]"},
		{vec(1, 2), "[1, 2]", "vec![1int, 2int]"},
		{&List{Of: Slice, Elems: []Value{Small(1, U8)}}, "[1]", "&[1u8]"},
		{&List{Of: Array}, "[]", "[]"},
		{long, "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, .. 8 more]",
			"vec![0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8, 12u8, 13u8, 14u8, 15u8, 16u8, 17u8, 18u8, 19u8]"},
		{Some(None()), "Some(None)", "Some(None)"},
		{&Data{Type: "a::Dir", Variant: "North"}, "Dir::North", "Dir::North"},
		{&Data{Type: "a::Shape", Variant: "Rect", Names: []string{"w"}, Fields: []Value{Small(1, U8)}}, "Shape::Rect { w: 1 }", "Shape::Rect { w: 1u8 }"},
		{point(num(1), num(2)), "Point { x: 1, y: 2 }", "Point { x: 1int, y: 2int }"},
		{&Data{Type: "a::Empty", Names: []string{}}, "Empty {}", "Empty {}"},
		{set(2, 1), "{1, 2}", "set![1int, 2int]"},
		{(&Map{}).With(num(1), Char('a')), "{1: 'a'}", "map![1int => 'a']"},
		{bag(1, 1), "multiset{1, 1}", "Multiset::empty().insert(1int).insert(1int)"},
		{Real{big.NewRat(3, 1)}, "3", "3real"},
		{Real{big.NewRat(1, 2)}, "1/2", ""},
		{Unspecified{Reason: "x"}, "?", ""},
	} {
		if got := Short(tc.v); got != tc.short {
			t.Errorf("got %s, want %s", got, tc.short)
		}
		got, ok := Rust(tc.v)
		if !ok {
			got = ""
		}
		if got != tc.rust {
			t.Errorf("got %s, want %s", got, tc.rust)
		}
	}
}

func TestTypeNames(t *testing.T) {
	u8 := &Type{Kind: TInt, Int: U8}
	point := &Type{Kind: TData, Name: "krate::geo::Point"}
	for _, tc := range []struct {
		t    *Type
		want string
	}{
		{nil, "?"},
		{u8, "u8"},
		{&Type{Kind: TTuple, Args: []*Type{u8, {Kind: TBool}}}, "(u8, bool)"},
		{&Type{Kind: TList, List: Vec, Args: []*Type{point}}, "Vec<Point>"},
		{&Type{Kind: TList, List: Slice, Args: []*Type{u8}}, "[u8]"},
		{&Type{Kind: TMap, Args: []*Type{u8, {Kind: TChar}}}, "Map<u8, char>"},
		{&Type{Kind: TData, Name: "Option", Args: []*Type{u8}}, "Option<u8>"},
	} {
		if got := tc.t.String(); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
	if !Same(point, &Type{Kind: TData, Name: "krate::geo::Point", Mut: true}) || Same(u8, point) || Same(nil, nil) {
		t.Error("Same")
	}
}

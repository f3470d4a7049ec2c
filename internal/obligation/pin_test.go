package obligation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

func TestPins(t *testing.T) {
	some := func(v value.Value) value.Value {
		return &value.Data{Type: "Option", Variant: "Some", Fields: []value.Value{v}}
	}
	none := &value.Data{Type: "Option", Variant: "None"}
	ok := func(v value.Value) value.Value {
		return &value.Data{Type: "Result", Variant: "Ok", Fields: []value.Value{v}}
	}
	text := func(s string) value.Value {
		l := &value.List{Of: value.String}
		for _, r := range s {
			l.Elems = append(l.Elems, value.Char(r))
		}
		return l
	}
	point := func(x, y int64) value.Value {
		return &value.Data{Type: "lib::geo::Point", Names: []string{"x", "y"}, Fields: []value.Value{u(x, value.I8), u(y, value.I8)}}
	}
	light := func(variant string, names []string, vs ...value.Value) value.Value {
		return &value.Data{Type: "lib::geo::Light", Variant: variant, Names: names, Fields: vs}
	}
	list := func(of value.ListKind, vs ...value.Value) value.Value { return &value.List{Of: of, Elems: vs} }
	tests := []struct {
		typ  string
		v    value.Value
		want []string // with what is refused behind !
	}{
		{"u32", u(5, value.U32), []string{"p == 5u32"}},
		{"&u32", u(5, value.U32), []string{"*p == 5u32"}},
		{"&&u32", u(5, value.U32), []string{"*(*p) == 5u32"}},
		{"Box<i8>", u(-5, value.I8), []string{"*(p) == -5i8"}},
		{"usize", u(4294967295, value.USize), []string{"p == 4294967295usize"}},
		{"usize", u(4294967296, value.USize), []string{"!the value 4294967296 of type usize does not fit 32 bits, which the verifier does not rule out"}},
		{"isize", u(-2147483649, value.ISize), []string{"!the value -2147483649 of type isize does not fit 32 bits, which the verifier does not rule out"}},
		{"bool", value.Bool(true), []string{"p == true"}},
		{"char", value.Char('\''), []string{`p == '\''`}},
		{"(u8, bool)", value.Tuple{u(1, value.U8), value.Bool(false)}, []string{"p == (1u8, false)"}},
		{"(u8, Vec<u8>)", value.Tuple{u(1, value.U8), ints(value.Vec, value.U8, 2)}, []string{"p.0 == 1u8", "p.1@ =~= seq![2u8]"}},
		{"&Vec<i32>", ints(value.Vec, value.I32, 3, -1), []string{"p@ =~= seq![3i32, -1i32]"}},
		{"&[i32]", ints(value.Slice, value.I32), []string{"p@.len() == 0"}},
		{"Ghost<Seq<int>>", &value.Data{Type: "Ghost", Fields: []value.Value{ints(value.Seq, value.IntT, 1)}}, []string{"p@ =~= seq![1int]"}},
		{"Vec<Vec<u8>>", list(value.Vec, ints(value.Vec, value.U8, 1), ints(value.Vec, value.U8)), []string{"p@.len() == 2", "p@[0]@ =~= seq![1u8]", "p@[1]@.len() == 0"}},
		{"&Vec<&u8>", list(value.Vec, point(1, 2)), []string{"p@.len() == 1", "p@[0].x == 1i8", "p@[0].y == 2i8"}},
		{"String", text("a\"b"), []string{`p@ =~= seq!['a', '"', 'b']`}},
		{"Option<u64>", none, []string{"p is None"}},
		{"Option<u64>", some(u(3, value.U64)), []string{"p == Some(3u64)"}},
		{"&Option<u64>", none, []string{"(*p) is None"}},
		{"Option<Vec<u8>>", some(ints(value.Vec, value.U8, 1)), []string{"p is Some", "p->Some_0@ =~= seq![1u8]"}},
		{"Result<u8, bool>", ok(u(3, value.U8)), []string{"p is Ok", "p->Ok_0 == 3u8"}},
		{"geo::Point", point(1, -2), []string{"p.x == 1i8", "p.y == -2i8"}},
		{"geo::Light", light("Red", nil), []string{"p == crate::geo::Light::Red"}},
		{"geo::Light", light("Green", []string{"left"}, value.Bool(true)), []string{"p == (crate::geo::Light::Green { left: true })"}},
		{"geo::Light", light("Many", nil, ints(value.Vec, value.U8, 1)), []string{"p is Many", "p->Many_0@ =~= seq![1u8]"}},
		{"geo::Point", &value.Data{Type: "lib::geo::Point", Opaque: true}, []string{"!not all of the value of type lib::geo::Point is known"}},
		{"u8", value.Unspecified{Reason: "no"}, []string{"!a value cannot be written down: ?"}},
	}
	for _, test := range tests {
		src := "verus! { pub mod geo { pub struct Point { pub x: i8, pub y: i8 } pub enum Light { Red, Green { left: bool }, Many(Vec<u8>) } }\n" +
			"fn f(p: " + test.typ + ") -> (r: bool) requires true, ensures r { true } }"
		m := build(t, one(src))
		w := obligation.NewWriter(m, nil)
		w.Cases(function(t, m, "f"), []eval.Case{{Args: []value.Value{test.v}, Result: value.Bool(true)}})
		plan := w.Plan()
		var got []string
		for _, s := range plan.Skipped[:len(plan.Skipped)/2] {
			got = append(got, "!"+s.Detail)
		}
		if len(plan.Shadows) > 0 {
			fns := map[string]syntax.Node{}
			fnsIn(plan.Shadows[0].Text, fns)
			for c := range fns[plan.Obligations[0].Names[0]].All(syntax.FClause) {
				if c.Which() == syntax.Requires {
					for e := range c.All(syntax.FExpr) {
						got = append(got, e.Text())
					}
				}
			}
			if got[len(got)-1] != "r == true" {
				t.Errorf("%s: the result is not pinned: %v", test.typ, got)
			}
			got = got[:len(got)-1]
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.typ, diff)
		}
	}
}

// TestUnpinnable has functions about whose cases no question is written.
func TestUnpinnable(t *testing.T) {
	src := `verus! {
pub struct Percent { pub value: u8 }
impl Percent {
    #[verifier::type_invariant]
    spec fn in_range(&self) -> bool { self.value <= 100 }
    pub fn get(&self) -> (r: u8) ensures r <= 100 { self.value }
}
pub fn generic<T: Copy>(x: T) -> (r: bool) ensures r { true }
impl Clone for Percent {
    fn clone(&self) -> (r: Self) ensures r.value <= 100 { Percent { value: 0 } }
}
}`
	m := build(t, one(src))
	var got []string
	for _, symbol := range []string{"Percent::get", "generic", "<Percent as Clone>::clone"} {
		w := obligation.NewWriter(m, nil)
		w.Cases(function(t, m, symbol), []eval.Case{{Args: []value.Value{u(1, value.U8)}, Result: u(1, value.U8)}})
		plan := w.Plan()
		if len(plan.Shadows) > 0 || len(plan.Skipped) != 2 {
			t.Errorf("%s: %d shadows, skipped %v", symbol, len(plan.Shadows), plan.Skipped)
			continue
		}
		got = append(got, symbol+": "+plan.Skipped[0].Reason.String()+": "+plan.Skipped[0].Detail)
	}
	want := []string{
		"Percent::get: cannot pin: the type invariant `Percent::in_range` is a part of the contract that has no clause",
		"generic: cannot pin: the function has the type parameter T",
		"<Percent as Clone>::clone: foreign trait: the contract of the trait `Clone` is not in the tree",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPinInside has a value inside a Ghost, which a parameter takes apart.
func TestPinInside(t *testing.T) {
	m := build(t, one("verus! { fn f(Ghost(g): Ghost<nat>) -> (r: bool) ensures r == (g > 3) { true } }"))
	w := obligation.NewWriter(m, nil)
	ghost := &value.Data{Type: "Ghost", Fields: []value.Value{u(5, value.NatT)}}
	w.Cases(function(t, m, "f"), []eval.Case{{Args: []value.Value{ghost}, Result: value.Bool(true)}})
	plan := w.Plan()
	fns := map[string]syntax.Node{}
	fnsIn(plan.Shadows[0].Text, fns)
	want := []string{"ensures !(r == (g > 3))", "requires g == 5nat", "requires r == true"}
	if diff := cmp.Diff(want, said(fns[plan.Obligations[0].Names[0]])); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLost(t *testing.T) {
	head := strings.Replace(twoFunctions, "x > 1", "x > 2, x < 9", 1)
	p := pairsOf(t, one(twoFunctions), one(head))
	w := obligation.NewWriter(p.Head, p)
	w.Lost(p.OfHead(function(t, p.Head, "half")), []eval.Case{{Args: []value.Value{u(2, value.U32)}}})
	plan := w.Plan()
	fns := map[string]syntax.Node{}
	fnsIn(plan.Shadows[0].Text, fns)
	want := []string{"ensures !((x > 2) && (x < 9))", "ensures x > 1", "requires x == 2"}
	if diff := cmp.Diff(want, said(fns[plan.Obligations[0].Names[0]])); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

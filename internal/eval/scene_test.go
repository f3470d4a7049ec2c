package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

const sceneCrate = `use vstd::prelude::*;
global size_of usize == 8;
verus! {
const WIDTH: usize = 2 * HALF;
const HALF: usize = 2;
pub struct Even { n: u8 }
impl Even {
    #[verifier::type_invariant]
    spec fn ok(self) -> bool { self.n % 2 == 0 }
}
pub enum Shape { Dot, Box { w: u8, h: u8 }, Tagged(Even) }
pub struct Hidden { inner: Elsewhere }
#[verifier::external_body]
pub struct Opaque { n: u8 }
pub trait Reads { type Out; fn read(&self, n: usize) -> Self::Out; }
impl Reads for Even {
    type Out = Option<u8>;
    fn read(&self, n: usize) -> (r: Self::Out) requires n > 7 ensures r == Some(self.n), n < 9 { None }
}
pub fn both(a: [u8; WIDTH], s: <Even as Reads>::Out, x: usize) -> (r: u8)
    requires a[3] == 7, s is None ==> x > 5_000_000_000,
    ensures r > 2, r < 5, x > 0,
{ if 'c' == 'd' { 3 } else { 4 } }
pub fn generic<T: View>(x: T, e: Even) -> (r: T) ensures r == x { x }
pub fn lengths<const N: usize>(a: [u8; N]) {}
pub fn hidden(h: Hidden, o: Opaque) {}
pub fn counted(g: Ghost<int>, v: u64) requires v == g ensures false {}
}`

func judgeOf(t testing.TB, w *World, symbol string) *Judge {
	t.Helper()
	f := find(t, w, symbol)
	inst, err := f.Instances(nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := f.NewJudge(inst)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJudgeFromOutside(t *testing.T) {
	w := worldOfText(t, "t.rs", sceneCrate)
	var b strings.Builder
	signature := func(symbol string) *Judge {
		j := judgeOf(t, w, symbol)
		fmt.Fprintf(&b, "%s:", symbol)
		for _, p := range j.Params() {
			fmt.Fprintf(&b, " %s %s %d;", p.Name, p.Type, p.Type.Len)
		}
		fmt.Fprintf(&b, " -> %s, usize of %d\n", j.Result(), j.SizeBits())
		return j
	}
	input := func(j *Judge, texts ...string) []value.Value {
		var args []value.Value
		for i, text := range texts {
			v, err := j.Value(text, j.Params()[i].Type)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, v)
		}
		a := j.Input(args, 10000)
		fmt.Fprintf(&b, "  %v: meets %s, exists %s", texts, a.Meets, a.Exists)
		if a.Clause != nil {
			text := a.Clause.Node.Text()
			if a.Clause.Node.Kind() == syntax.Fn {
				text = a.Clause.Node.Get(syntax.FName).Text()
			}
			fmt.Fprintf(&b, ", %s %s", a.Clause.Kind, text)
		}
		fmt.Fprintln(&b)
		return args
	}
	j := signature("both")
	input(j, "[0, 0, 0, 7]", "None", "5_000_000_001")
	input(j, "[0, 0, 0, 7]", "None", "5")
	args := input(j, "[0, 0, 0, 7]", "Some(1)", "5")
	for _, r := range []int64{1, 3, 9} {
		k := &Case{Args: args, After: make([]value.Value, 3), Result: value.Small(r, value.U8)}
		fmt.Fprintf(&b, "  gives %d: %s; false %s, true %s;", r, j.Ask(k).Verdict, j.Canary(false).Ask(k).Verdict, j.Canary(true).Ask(k).Verdict)
		for _, c := range j.Each(k) {
			fmt.Fprintf(&b, " %s %s", c.Clause.Node.Text(), c.Truth)
		}
		fmt.Fprintln(&b)
	}
	lits := j.Literals()
	fmt.Fprintf(&b, "  literals %v %q %v\n", lits.Ints, lits.Chars, lits.Texts)
	j = signature("<Even as Reads>::read")
	input(j, "Even { n: 2 }", "8")
	input(j, "Even { n: 3 }", "8")
	shapes, err := j.Shapes(&value.Type{Kind: value.TData, Name: "test::Shape"})
	fmt.Fprintln(&b, " ", shapes, err)
	signature("generic")
	j = signature("counted")
	input(j, "Ghost(7)", "7")
	input(j, "Ghost(8)", "7")
	j = judgeOf(t, w, "hidden")
	for _, p := range j.Params() {
		_, err := j.Shapes(p.Type)
		fmt.Fprintln(&b, err)
	}
	_, err = find(t, w, "lengths").Instances(nil)
	fmt.Fprintln(&b, err)
	want := `both: a [u8] 4; s Option<u8> 0; x usize 0; -> u8, usize of 64
  [[0, 0, 0, 7] None 5_000_000_001]: meets true, exists true
  [[0, 0, 0, 7] None 5]: meets false, exists true, requires s is None ==> x > 5_000_000_000
  [[0, 0, 0, 7] Some(1) 5]: meets true, exists true
  gives 1: rejected; false rejected, true accepted; r > 2 false r < 5 true x > 0 true
  gives 3: accepted; false rejected, true accepted; r > 2 true r < 5 true x > 0 true
  gives 9: rejected; false rejected, true accepted; r > 2 true r < 5 false x > 0 true
  literals [3 7 5000000000 2 5 0 4] ['c' 'd'] []
<Even as Reads>::read: self Even 0; n usize 0; -> Option<u8>, usize of 64
  [Even { n: 2 } 8]: meets true, exists true
  [Even { n: 3 } 8]: meets false, exists false, type_invariant ok
  [{Dot [] []} {Box [w h] [u8 u8]} {Tagged [] [Even]}] <nil>
generic: x u8 0; e Even 0; -> u8, usize of 64
counted: g Ghost<int> 0; v u64 0; -> (), usize of 64
  [Ghost(7) 7]: meets true, exists true
  [Ghost(8) 7]: meets false, exists true, requires v == g
unsupported: the type of the field inner of Hidden is not understood
unsupported: the fields of the type Opaque are hidden from the verifier
unsupported: the constant parameter N
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A crate that says nothing of the width of usize, or says it twice, or under a condition, leaves it open.
func TestWidthOfUsize(t *testing.T) {
	for text, want := range map[string]int{
		"":                                  32,
		"global size_of usize == 8;":        64,
		"global layout usize is size == 8;": 64,
		"global size_of usize == 4;":        32,
		"global size_of usize == 8; global size_of usize == 4;": 32,
		"#[cfg(a)] global size_of usize == 8;":                  32,
		"global size_of u64 == 8;":                              32,
	} {
		w := worldOfText(t, "t.rs", "verus! { "+text+" fn f(x: usize) {} }")
		if got := judgeOf(t, w, "f").SizeBits(); got != want {
			t.Errorf("%q: usize of %d bits, want %d", text, got, want)
		}
	}
}

// An impl for a type that is not understood makes a method's meaning doubtful, but not where an impl for every instance of a type has it.
func TestImplsForUnknownTypes(t *testing.T) {
	text := `verus! {
pub struct All<T> { v: Vec<T> }
impl<T> All<T> { spec fn view(self) -> Seq<T> { self.v@ } }
pub struct One<T> { v: Vec<T> }
impl One<u8> { spec fn view(self) -> Seq<u8> { self.v@ } }
impl Unknown { spec fn view(self) -> int { 0 } }
fn f(a: All<u8>) requires a@.len() == 0 {}
fn g(a: One<u8>) requires a@.len() == 0 {}
}`
	f := syntax.Parse(source.NewFile("t.rs", []byte(text)))
	w := NewWorld([]Source{{File: f, Crate: "test"}})
	for symbol, want := range map[string]value.Truth{"f": value.True, "g": value.Undecided} {
		j := judgeOf(t, w, symbol)
		v := j.Small(j.Params()[0].Type, 1)
		if got := j.Input(v, 1000).Meets; got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

// Specifications that go by a type's view and other functions of self alone cannot see what its private fields do besides.
func TestAlike(t *testing.T) {
	w := worldOfText(t, "t.rs", `verus! {
pub struct Bag { items: Vec<u8>, spare: u8, cap: u8 }
impl Bag {
    pub closed spec fn view(&self) -> Multiset<u8> { self.items@.to_multiset() }
    pub closed spec fn cap(&self) -> int { self.cap as int }
    pub closed spec fn has(&self, x: u8) -> bool { self.items@.contains(x) }
}
pub struct Open { pub items: Vec<u8>, spare: u8 }
impl Open { pub closed spec fn view(&self) -> int { 0 } }
pub struct Blind { items: Vec<u8> }
impl Blind { pub closed spec fn cap(&self) -> int { 0 } }
pub struct Unknown { items: Vec<u8> }
impl Unknown { pub uninterp spec fn view(&self) -> int; }
fn f(b: Bag, o: Open, l: Blind, u: Unknown, v: (Bag, Vec<Bag>)) {}
}`)
	j := judgeOf(t, w, "f")
	for _, tc := range []struct {
		param int
		a, b  string
		want  bool
	}{
		{0, "Bag { items: [1, 2], spare: 0, cap: 5 }", "Bag { items: [2, 1], spare: 9, cap: 5 }", true},
		{0, "Bag { items: [1, 2], spare: 0, cap: 5 }", "Bag { items: [2, 1], spare: 0, cap: 6 }", false},
		{0, "Bag { items: [1, 2], spare: 0, cap: 5 }", "Bag { items: [2, 2], spare: 0, cap: 5 }", false},
		{1, "Open { items: [1], spare: 0 }", "Open { items: [1], spare: 0 }", true},
		{1, "Open { items: [1], spare: 0 }", "Open { items: [1], spare: 1 }", false},
		{2, "Blind { items: [1] }", "Blind { items: [2] }", false},
		{3, "Unknown { items: [1] }", "Unknown { items: [1] }", true},
		{3, "Unknown { items: [1] }", "Unknown { items: [2] }", false},
		{4, "(Bag { items: [1, 2], spare: 0, cap: 5 }, [])", "(Bag { items: [2, 1], spare: 0, cap: 5 }, [])", true},
		{4, "(Bag { items: [1], spare: 0, cap: 5 }, [Bag { items: [], spare: 0, cap: 0 }])", "(Bag { items: [1], spare: 0, cap: 5 }, [Bag { items: [], spare: 4, cap: 0 }])", true},
		{4, "(Bag { items: [1], spare: 0, cap: 5 }, [])", "(Bag { items: [1], spare: 0, cap: 5 }, [Bag { items: [], spare: 4, cap: 0 }])", false},
	} {
		typ := j.Params()[tc.param].Type
		a, err := j.Value(tc.a, typ)
		if err != nil {
			t.Fatal(err)
		}
		b, err := j.Value(tc.b, typ)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.Alike(a, b); got != tc.want {
			t.Errorf("%s and %s: %t, want %t", tc.a, tc.b, got, tc.want)
		}
	}
}

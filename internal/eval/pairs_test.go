package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// Two contracts of one function, and what a search finds between them.
func TestComparePairs(t *testing.T) {
	const prelude = `use vstd::prelude::*;
verus! {
pub trait Keyed { spec fn key(&self) -> nat; fn get(&self) -> (r: u64) ensures r == self.key(); }
pub trait Lawful { spec fn key(&self) -> nat; proof fn law(&self) ensures self.key() < 5; }
pub struct Odd { n: u8 }
impl Odd { #[verifier::type_invariant] spec fn inv(self) -> bool { self.n % 2 == 1 } pub closed spec fn n(&self) -> u8 { self.n } }
pub struct Meter { pub ticks: u64, pub name: String }
pub enum Tree { Leaf, Node(Box<Tree>, u8, Box<Tree>) }
spec fn size(t: Tree) -> nat decreases t { match t { Tree::Leaf => 0, Tree::Node(l, _, r) => size(*l) + 1 + size(*r) } }
`
	for _, tc := range []struct{ signature, base, head, want string }{
		// Each direction.
		{"fn f(x: u8) -> (r: u8)", "ensures r == x", "ensures r >= x", "accepted f(0) gives r = 1\n"},
		{"fn f(x: u8) -> (r: u8)", "ensures r >= x", "ensures r == x", "refused f(0) gives r = 1\n"},
		{"fn f(x: u8) -> (r: u8)", "requires x < 10", "requires x < 5", "lost f(5)\n"},
		{"fn f(x: u8) -> (r: u8)", "requires x < 5", "requires x < 10", "gained f(5)\n"},
		{"fn f(x: u8) -> (r: u8)", "requires x < 5 ensures r > x", "requires x < 5 ensures r < x", "accepted f(1) gives r = 0\nrefused f(0) gives r = 1\n"},
		// The same in other words.
		{"fn f(x: u8) -> (r: u8)", "ensures r == x / 2", "ensures r + r <= x < r + r + 2", ""},
		{"fn f(x: i32) -> (r: i32)", "requires x > i32::MIN ensures r == if x < 0 { -x } else { x as int }", "requires x != i32::MIN ensures r >= 0, r == x || r == -x", ""},
		{"fn f(v: Vec<u8>) -> (r: bool)", "ensures r == v@.contains(3)", "ensures r <==> exists|i: int| 0 <= i < v.len() && v[i] == 3", ""},
		{"fn f(v: &mut Vec<u8>)", "ensures v@ == old(v)@.push(1)", "ensures final(v)@ =~= old(v)@ + seq![1u8]", ""},
		{"fn f(a: u8, b: u8) -> u8", "returns a", "returns b", "accepted f(1, 0) gives result = 0\nrefused f(0, 1) gives result = 0\n"},
		// What is not decided is no witness.
		{"fn f(v: Vec<u8>) -> (r: Vec<u8>)", "ensures r == v", "ensures r@ == v@", ""},
		{"fn f(v: Vec<u8>) -> (r: u8)", "ensures r == v[0]", "ensures v.len() > 0 ==> r == v[0]", ""},
		{"fn f(x: usize) -> (r: bool)", "ensures r == (x <= usize::MAX)", "ensures r == (x <= u32::MAX)", ""},
		{"fn f(x: u8, y: u8) -> (r: int)", "ensures r == x / y", "ensures y != 0 ==> r == x / y", ""},
		// Parameters of a type parameter.
		{"fn f<T>(x: T, y: T) -> (r: T)", "ensures r == x", "ensures r == x || r == y", "accepted f(1, 0) gives r = 0\n"},
		{"fn f<T: Keyed>(x: T) -> (r: nat)", "ensures r == x.key()", "ensures r <= x.key()", "accepted f(T { key: 1 }) gives r = 0\n"},
		{"fn f<T: Keyed>(x: T, y: T) -> (r: bool)", "ensures r == (x == y)", "ensures r ==> x.key() == y.key()", ""},
		{"fn f<T: Lawful>(x: T) -> (r: nat)", "ensures r == x.key()", "ensures r <= x.key()", "compare the contracts of f: unsupported: values of a type with the bound Lawful\n"},
		// Structs with invariants, strings, trees, sets and maps.
		{"fn f(o: Odd) -> (r: u8)", "ensures r == o.n()", "ensures r == o.n() || o.n() == 2", ""},
		{"fn f(o: Odd) -> (r: Odd)", "ensures r.n() >= o.n()", "ensures true", "accepted f(Odd { n: 3 }) gives r = Odd { n: 1 }\n"},
		{"fn f(m: &mut Meter)", "ensures m.ticks == old(m).ticks, m.name@ == old(m).name@", "ensures m.ticks == old(m).ticks", "accepted f(Meter { ticks: 0, name: \"\" }) gives m = Meter { ticks: 0, name: \"a\" }\n"},
		{"fn f(t: Tree) -> (r: nat)", "ensures r == size(t)", "ensures r <= size(t)", "accepted f(Tree::Node(Tree::Leaf, 0, Tree::Leaf)) gives r = 0\n"},
		{"proof fn f(s: Set<u8>, x: u8) -> (r: Set<u8>)", "ensures r == s.insert(x)", "ensures r.contains(x)", "accepted f({}, 0) gives r = {0, 1}\n"},
		{"proof fn f(m: Map<u8, bool>) -> (r: bool)", "ensures r == m.dom().contains(0)", "ensures r ==> m.dom().contains(0)", "accepted f({0: false}) gives r = false\n"},
		// Types that changed.
		{"fn f(g: &dyn Fn(u8) -> u8)", "ensures true", "ensures true", "compare the contracts of f: unsupported: the type of parameter 1 of f is not understood: &dyn Fn(u8) -> u8\n"},
	} {
		text := func(clauses string) string { return prelude + tc.signature + "\n" + clauses + ",\n{ loop {} }\n}" }
		base, head := worldOfText(t, "base.rs", text(tc.base)), worldOfText(t, "head.rs", text(tc.head))
		got := ""
		if c, err := Compare(find(t, base, "f"), find(t, head, "f"), 0); err != nil {
			got = err.Error() + "\n"
		} else {
			got = report(c)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s\n%s\n%s\n(-want +got):\n%s", tc.signature, tc.base, tc.head, d)
		}
	}
}

func TestChangedSignature(t *testing.T) {
	for _, tc := range []struct{ base, head, want string }{
		{"fn f(x: u8) {}", "fn f(x: u16) {}", "compare the contracts of f: unsupported: a type in the signature changed from u8 to u16"},
		{"fn f(x: u8) {}", "#[cfg_attr(verus_only, verus_spec(ensures true))] fn f(x: u8) {}", "compare the contracts of f: unsupported: a contract in an attribute"},
		{"fn f(x: u8) {}", "fn f(x: &mut u8) {}", "compare the contracts of f: unsupported: a type in the signature changed"},
		{"fn f(x: u8) {}", "fn f(x: u8, y: u8) {}", "compare the contracts of f: unsupported: the number of parameters changed"},
		{"struct S { a: u8 } fn f(x: S) {}", "struct S { a: u8, b: u8 } fn f(x: S) {}", "compare the contracts of f: unsupported: the type S changed"},
		{"struct S { a: u8 } struct R(S); fn f(x: R) {}", "struct S { a: i8 } struct R(S); fn f(x: R) {}", "compare the contracts of f: unsupported: the type S changed"},
	} {
		base, head := worldOfText(t, "base.rs", tc.base), worldOfText(t, "head.rs", tc.head)
		_, err := Compare(find(t, base, "f"), find(t, head, "f"), 0)
		if err == nil || err.Error() != tc.want {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

// What another crate keeps closed is not known here, and the width of usize is not known anywhere.
func TestClosedElsewhere(t *testing.T) {
	var sources []Source
	for _, s := range [][2]string{
		{"other", "verus! { pub open spec fn seen() -> int { 1 } pub closed spec fn hidden() -> int { 1 } }"},
		{"test", `use other::seen; verus! {
fn open(r: int) requires r == seen(), ensures false, {}
fn closed(r: int) requires r == other::hidden(), ensures false, {}
fn wide(r: usize) requires r == usize::MAX, ensures false, {}
fn fits(r: usize) requires r < usize::MAX, ensures false, {}
}`},
	} {
		sources = append(sources, Source{File: syntax.Parse(source.NewFile(s[0]+".rs", []byte(s[1]))), Crate: s[0]})
	}
	w := NewWorld(sources)
	got := ""
	for _, name := range []string{"open", "closed", "wide", "fits"} {
		j, err := find(t, w, name).NewJudge(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"1", "4294967295", "4294967296"} {
			v, err := j.Value(text, j.c.params[0])
			if err != nil {
				t.Fatal(err)
			}
			a := j.Ask(&Case{Args: []value.Value{v}, After: []value.Value{nil}, Result: value.Unit()})
			got += name + " " + text + ": " + a.Verdict.String() + " " + a.Why + "\n"
		}
	}
	want := `open 1: rejected 
open 4294967295: accepted 
open 4294967296: accepted 
closed 1: undecided a function that another crate keeps closed: hidden
closed 4294967295: undecided a function that another crate keeps closed: hidden
closed 4294967296: undecided a function that another crate keeps closed: hidden
wide 1: accepted 
wide 4294967295: undecided the width of usize
wide 4294967296: undecided a usize that needs 64 bits
fits 1: rejected 
fits 4294967295: undecided the width of usize
fits 4294967296: undecided a usize that needs 64 bits
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Sources that could not be read in full, and a type invariant that only one side has.
func TestCompareBroken(t *testing.T) {
	for _, tc := range []struct{ base, head, want string }{
		{"fn f(x: u8) -> (r: u8) ensures r == , { x }", "fn f(x: u8) -> (r: u8) ensures r == x, { x }", ""},
		{"spec fn g(x: u8) -> u8 { let } fn f(x: u8) -> (r: u8) ensures r == g(x), { x }", "fn f(x: u8) -> (r: u8) ensures r == x, { x }", ""},
		{"fn f(x: u8) -> (r: u8) ensures r == if x { 1 }, match x { }, x[..], x?, -true, !'a', r matches, { x }", "fn f(x: u8) -> (r: u8) ensures true, { x }", ""},
		{"struct S { a: u8 } impl S { #[verifier::type_invariant] spec fn inv(self) -> bool { self.a < 1 } } fn f(s: S) -> (r: u8) ensures r == s.a, {}",
			"struct S { a: u8 } fn f(s: S) -> (r: u8) requires s.a < 1, ensures r == 0, {}", ""},
	} {
		world := func(text string) *World {
			return NewWorld([]Source{{File: syntax.Parse(source.NewFile("t.rs", []byte("verus! {\n"+text+"\n}"))), Crate: "test"}})
		}
		base, head := world(tc.base).Find("test", "f"), world(tc.head).Find("test", "f")
		got := ""
		if len(base) == 1 && len(head) == 1 {
			c, err := Compare(base[0], head[0], 0)
			if err != nil {
				t.Errorf("%s: %v", tc.base, err)
				continue
			}
			got = report(c)
		}
		if got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.base, got, tc.want)
		}
	}
}

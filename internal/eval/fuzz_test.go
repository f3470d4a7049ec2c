package eval

import (
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// Any text read as specification code: no panic, no more steps than the budget by more than one operation, and the same answer twice.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		"forall|i: int, j: int| 0 <= i <= j < s.len() ==> s[i] <= s[j]",
		"v@.filter(|x: i32| x > 0) == seq![1i32]",
		"match o { Some(x) if x > 3 => x, _ => f(f(2)) }",
		"exists|m: Map<int, bool>, s: Seq<u8>| m.dom().contains(s.len() as int)",
		"choose|x: nat| x * x == 2",
		"f(pow(2, 1000000) as nat)",
		"Set::new(|x: int| 0 <= x < 1000000000).len()",
		"Seq::new(99999999999999999999, |i: int| i)",
		"((((1u8 << 255) >> 3) as u128) ^ !0) % -1",
		"Point { x: 1, ..Point { ..p } }.y",
		"{ let Some(x) = o; let y = |z| z; y(y)(y) }",
		"seq![seq![s; 2]; 2].flatten().fold_left(0, |a, b| a + b)",
		"(|g| g(g))(|g| g(g))",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 || strings.Count(text, "\n") > 100 {
			return
		}
		file := syntax.Parse(source.NewFile("fuzz.rs", []byte(`
verus! {
pub struct Point { pub x: i16, pub y: Option<Box<Point>> }
impl Point { spec fn depth(&self) -> nat decreases self { 0 } }
spec fn f(n: nat) -> nat decreases n { if n < 2 { n } else { f((n - 1) as nat) + f((n - 2) as nat) } }
fn target(s: &Vec<u8>, o: Option<u64>, p: Point, v: Vec<i32>) -> (r: u8) requires true, ensures
(`+text+`), {}
}`)))
		w := NewWorld([]Source{{File: file, Crate: "test"}})
		for _, fn := range w.Find("test", "target") {
			var answers [2]string
			for i := range answers {
				c, err := Compare(fn, fn, 20_000)
				if err != nil {
					answers[i] = err.Error()
					continue
				}
				if c.Steps > 20_000+4*caseSteps {
					t.Fatalf("%d steps", c.Steps)
				}
				if c.Rejected != nil {
					answers[i] = c.Rejected.Text
				}
				if c.Lost != nil || c.Gained != nil || c.Accepted != nil || c.Refused != nil {
					t.Fatalf("a contract differs from itself: %s", report(c))
				}
			}
			if answers[0] != answers[1] {
				t.Fatalf("two answers: %s and %s", answers[0], answers[1])
			}
		}
	})
}

// The tower of types that name each other, and names that lead in circles, come to an end.
func TestHostileNames(t *testing.T) {
	w := worldOfText(t, "t.rs", `
pub mod a { pub use super::b::*; pub use super::c::*; pub use super::a::*; }
pub mod b { pub use super::a::*; pub use super::c::*; use super::x as x; }
pub mod c { pub use super::b::*; pub use super::a::*; use x::y as x; }
use a::*;
use y as x;
use x as y;
type T = Vec<T>;
type U = V;
type V = U;
verus! {
enum Never { Again(Box<Never>) }
enum List { Nil, Cons(u8, Box<List>) }
spec fn up(n: int) -> int { up(down(n)) }
spec fn down(n: int) -> int { down(up(n)) }
fn aliased(t: T, u: U) -> (r: x) {}
fn empty(n: Never) -> (r: u8) ensures r == 0 {}
fn list(l: List) -> (r: u8) ensures l is Nil ==> r == 0, up(0) == 1 {}
fn unknown(t: nowhere::T) {}
fn mutable(t: Option<&mut u8>) {}
fn function<F: Fn(u8) -> u8>(f: F) {}
}`)
	got := ""
	for _, name := range []string{"aliased", "empty", "list", "unknown", "mutable", "function"} {
		f := find(t, w, name)
		c, err := Compare(f, f, 0)
		switch {
		case err != nil:
			got += err.Error() + "\n"
		case c.Rejected != nil:
			got += c.Rejected.Text + "\n"
		default:
			got += name + ": nothing\n"
		}
	}
	golden(t, "testdata/hostile.txt", got)
}

func BenchmarkCompare(b *testing.B) {
	base, head := worldOf(b, "../../testdata/corpus/binary-search/base.rs"), worldOf(b, "../../testdata/corpus/binary-search/head.rs")
	f, g := find(b, base, "find"), find(b, head, "find")
	for b.Loop() {
		c, err := Compare(f, g, 0)
		if err != nil || c.Accepted == nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(c.Steps), "steps")
	}
}

func BenchmarkJudge(b *testing.B) {
	w := worldOf(b, "../../testdata/corpus/max-weak/base.rs")
	j, err := find(b, w, "max_of").NewJudge(nil)
	if err != nil {
		b.Fatal(err)
	}
	v, err := j.Value("[3, 1, 4, 1, 5, 9, 2, 6]", j.c.params[0])
	if err != nil {
		b.Fatal(err)
	}
	k := &Case{Args: []value.Value{v}, After: []value.Value{nil}, Result: value.Small(9, value.I32)}
	for b.Loop() {
		if got := j.Ask(k); got.Verdict != Accepted {
			b.Fatal(got)
		}
	}
}

package eval

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// asked is a function f of the file test.rs, cases that are put to it and what is said of them.
type asked struct{ text, cases, want string }

func (a asked) check(t *testing.T) {
	t.Helper()
	f := syntax.Parse(source.NewFile("test.rs", []byte(a.text)))
	for _, e := range f.Errors {
		t.Fatalf("%s: %s", a.text, e.Message)
	}
	got := ask(t, NewWorld([]Source{{File: f, Crate: "test"}}), "f", `{"cases": [`+a.cases+`]}`)
	if d := cmp.Diff(a.want, got); d != "" {
		t.Errorf("%s\n(-want +got):\n%s", a.text, d)
	}
}

// one writes the case of a function with a number as its argument and its result.
func one(arg, result string) string {
	return `{"args": {"x": "` + arg + `"}, "result": "` + result + `"}`
}

// A witness of choose is one of all of them, not of those at which the condition changes.
func TestChooseKnowsAllWitnesses(t *testing.T) {
	for _, tc := range []asked{
		{"verus! { spec fn pick(n: int) -> int { choose|y: int| y > n } fn f(x: u8) -> (r: u8) ensures pick(x as int) == x + 1 ==> r == x + 1 { x } }",
			one("1", "1"), "f(1) gives 1: undecided (choose with several witnesses or none that is known)\n"},
		{"verus! { fn f(x: u8) -> (r: u8) ensures r == (choose|y: int, z: int| y == x && z >= x && !(z < x)).0 { x } }",
			one("1", "1"), "f(1) gives 1: undecided (choose with several witnesses or none that is known)\n"},
		{"verus! { fn f(x: u8) -> (r: u8) ensures r == (choose|y: int| x <= y && y < x + 1) { x } }",
			one("1", "1") + "," + one("1", "2"), "f(1) gives 1: accepted\nf(1) gives 2: rejected by ensures r == (choose|y: int| x <= y && y < x + 1)\n"},
	} {
		tc.check(t)
	}
}

// `s has x` is s.spec_has(x); only of the library's types it is known to be contains.
func TestHas(t *testing.T) {
	const s = "verus! { pub struct S { pub a: u8 } impl S { spec fn contains(self, x: u8) -> bool { x == self.a } %s } fn f(x: S) -> (r: u8) ensures x %s r { x.a } }"
	for _, tc := range []struct{ method, op, want string }{
		{"spec fn spec_has(self, x: u8) -> bool { true }", "has", "f(S { a: 1 }) gives 1: accepted\nf(S { a: 1 }) gives 2: accepted\n"},
		{"spec fn spec_has(self, x: u8) -> bool { x != self.a }", "!has", "f(S { a: 1 }) gives 1: accepted\nf(S { a: 1 }) gives 2: rejected by ensures x !has r\n"},
		{"", "has", "f(S { a: 1 }) gives 1: undecided (the method spec_has of a test::S)\nf(S { a: 1 }) gives 2: undecided (the method spec_has of a test::S)\n"},
	} {
		text := strings.Replace(strings.Replace(s, "%s", tc.method, 1), "%s", tc.op, 1)
		asked{text, one("S { a: 1 }", "1") + "," + one("S { a: 1 }", "2"), tc.want}.check(t)
	}
	asked{"verus! { fn f(x: Ghost<Set<u8>>) -> (r: u8) ensures x@ has r, x@.to_seq() !has r { 0 } }", one("Ghost(set![1])", "2"),
		"f(Ghost({1})) gives 2: rejected by ensures x@ has r\n"}.check(t)
	asked{"verus! { fn f(x: Vec<u8>) -> (r: u8) ensures x@ has r { 0 } }", one("[1]", "1") + "," + one("[1]", "2"),
		"f([1]) gives 1: accepted\nf([1]) gives 2: rejected by ensures x@ has r\n"}.check(t)
}

// A function that is called old or final is that function.
func TestOldAndFinalOfTheirOwn(t *testing.T) {
	for _, word := range []string{"old", "final"} {
		accepted := "f(1) gives 1: accepted\nf(1) gives 2: accepted\n"
		clause := "r == " + word + "(x) || " + word + "(x) == 0"
		f := " fn f(x: u8) -> (r: u8) ensures " + clause + " { x }"
		for _, tc := range []struct{ text, want string }{
			{"verus! { spec fn " + word + "(x: u8) -> int { 0 }" + f + " }", accepted},
			{"mod m { verus! { pub open spec fn " + word + "(x: u8) -> int { 0 } } } use m::*; verus! {" + f + " }", accepted},
			{"mod m { verus! { pub open spec fn zero(x: u8) -> int { 0 } } } use m::zero as " + word + "; verus! {" + f + " }", accepted},
			{"use elsewhere::" + word + "; verus! {" + f + " }", "f(1) gives 1: undecided (the meaning of " + word + ")\nf(1) gives 2: undecided (the meaning of " + word + ")\n"},
		} {
			asked{tc.text, one("1", "1") + "," + one("1", "2"), tc.want}.check(t)
		}
		asked{"use vstd::prelude::*; verus! { fn f(x: &mut u8) -> (r: u8) ensures r == " + word + "(x) { 0 } }",
			`{"args": {"x": "1"}, "after": {"x": "2"}, "result": "1"}`, map[string]string{"old": "f(1) gives 1, x = 2: accepted\n",
				"final": "f(1) gives 1, x = 2: rejected by ensures r == final(x)\n"}[word]}.check(t)
	}
}

// Names that a condition matches hold behind it also where bounds of a variable are read, and the places where a truth changes.
func TestBoundsBehindMatches(t *testing.T) {
	call := func(o, n, r string) string {
		return `{"args": {"o": "` + o + `", "n": "` + n + `"}, "result": "` + r + `"}`
	}
	for _, tc := range []struct{ clause, cases, want string }{
		{"forall|i: int| o matches Some(n) ==> 0 <= i < n ==> r > i", call("Some(10)", "2", "2") + "," + call("Some(10)", "2", "10") + "," + call("None", "2", "0"),
			"f(Some(10), 2) gives 2: rejected by ensures ?\nf(Some(10), 2) gives 10: accepted\nf(None, 2) gives 0: accepted\n"},
		{"forall|i: int| (o matches Some(n) && 0 <= i < n) ==> r > i", call("Some(10)", "2", "2") + "," + call("Some(10)", "2", "10"),
			"f(Some(10), 2) gives 2: rejected by ensures ?\nf(Some(10), 2) gives 10: accepted\n"},
		{"forall|i: int| o matches Some(n) && r < n ==> !(0 <= i < n && i == r)", call("Some(10)", "2", "2") + "," + call("Some(10)", "2", "10"),
			"f(Some(10), 2) gives 2: rejected by ensures ?\nf(Some(10), 2) gives 10: accepted\n"},
		{"exists|i: int| o matches Some(n) && i > 5 && i == n && i == r", call("Some(10)", "2", "10") + "," + call("Some(10)", "10", "2"),
			"f(Some(10), 2) gives 10: accepted\nf(Some(10), 10) gives 2: rejected by ensures ?\n"},
		{"exists|i: int| o matches Some(n) && !(i != n) && i != r", call("Some(10)", "2", "2") + "," + call("Some(10)", "2", "10"),
			"f(Some(10), 2) gives 2: accepted\nf(Some(10), 2) gives 10: rejected by ensures ?\n"},
		{"forall|i: int| o matches Some(n) ==> i < n || i > n || i == r", call("Some(10)", "2", "2") + "," + call("Some(10)", "2", "10"),
			"f(Some(10), 2) gives 2: rejected by ensures ?\nf(Some(10), 2) gives 10: accepted\n"},
		// A name of a variable that a pattern takes.
		{"forall|i: int| 0 <= i < n ==> (o matches Some(i) ==> i < r)", call("Some(10)", "2", "10") + "," + call("Some(10)", "2", "11"),
			"f(Some(10), 2) gives 10: rejected by ensures ?\nf(Some(10), 2) gives 11: accepted\n"},
		{"exists|i: int| o matches Some(i) && i == r", call("Some(10)", "2", "10") + "," + call("Some(10)", "2", "11"),
			"f(Some(10), 2) gives 10: accepted\nf(Some(10), 2) gives 11: rejected by ensures ?\n"},
	} {
		asked{"verus! { fn f(o: Option<u8>, n: u8) -> (r: u8) ensures " + tc.clause + " { 0 } }", tc.cases, strings.ReplaceAll(tc.want, "?", tc.clause)}.check(t)
	}
}

// A result that was kept rests on the width of usize when the question is asked again, too.
func TestKeptResultsRestOnTheWidthOfUsize(t *testing.T) {
	asked{`verus! {
spec fn top(n: nat) -> int decreases n { if n == 0 { usize::MAX as int } else { top((n - 1) as nat) } }
fn f(x: u8) -> (r: u8) ensures r == 1 ==> top(x as nat) > 0x1_0000_0000 { 0 }
}`, one("1", "1") + "," + one("1", "0") + "," + one("1", "1"),
		"f(1) gives 1: undecided (the width of usize)\nf(1) gives 0: accepted\nf(1) gives 1: undecided (the width of usize)\n"}.check(t)
}

// What is asked about values keeps to the width of usize that the crate fixes.
func TestValuesOfAFixedWidth(t *testing.T) {
	for global, want := range map[string][2]string{
		"":                               {"undecided", "true"},
		"global size_of usize == 4;":     {"true", "true"},
		"global size_of usize == 8;":     {"false", "false"},
		"global size_of usize == 8 + 8;": {"undecided", "true"},
	} {
		w := worldOfText(t, "t.rs", `verus! {
`+global+`
pub struct Small { n: u8 }
impl Small {
    #[verifier::type_invariant] spec fn ok(self) -> bool { self.n < 10 && usize::MAX < 0x1_0000_0000 }
}
pub struct Shown { a: u64, b: u8 }
impl Shown { pub closed spec fn view(&self) -> int { if usize::MAX < 0x1_0000_0000 { 0 } else { self.b as int } } }
fn f(s: Small, a: Shown) {}
}`)
		j := judgeOf(t, w, "f")
		val := func(text string, param int) value.Value {
			v, err := j.Value(text, j.Params()[param].Type)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		alike := "false"
		if j.Alike(val("Shown { a: 0, b: 1 }", 1), val("Shown { a: 0, b: 2 }", 1)) {
			alike = "true"
		}
		if got := [2]string{j.Valid(val("Small { n: 1 }", 0)).String(), alike}; got != want {
			t.Errorf("%q: %v, want %v", global, got, want)
		}
	}
}

// What is kept of recursive functions is bounded by how much it is.
func TestKeptResultsAreBounded(t *testing.T) {
	w := worldOfText(t, "t.rs", `verus! {
spec fn long(n: nat, k: nat) -> Seq<nat> decreases n { if n == 0 { Seq::new(4000, |i: int| k) } else { long((n - 1) as nat, k).update(0, n) } }
spec fn deep(n: nat, s: Seq<nat>) -> nat decreases n { if n == 0 { s.len() } else { deep((n - 1) as nat, s) } }
spec fn here() -> int { 0 }
}`)
	m := newMachine("test", 64)
	fr := &frame{scope: find(t, w, "here").scope()}
	for _, text := range []string{"long(200, 1).len()", "long(200, 2).len()", "deep(200, Seq::new(4000, |i: int| i as nat))"} {
		n, err := parseItem("const C: int = " + text + ";")
		if err != nil {
			t.Fatal(err)
		}
		m.begin(10_000_000)
		if got := value.Short(m.eval(n.Get(syntax.FValue), fr, nil)); got != "4000" {
			t.Errorf("%s: %s", text, got)
		}
		size, count := 0, 0
		for _, kept := range m.memo {
			for key, k := range kept {
				size += len(key) + value.Weight(k.value, maxWeight)
				count++
			}
		}
		if size != m.memoSize || count != m.memos || size > maxMemoSize {
			t.Errorf("%s: %d of size %d are kept, counted are %d of size %d", text, count, size, m.memos, m.memoSize)
		}
	}
}

// A copy of a map or a multiset costs what it is made of.
func TestCopiesCost(t *testing.T) {
	const entries = 1000
	for _, expr := range []string{
		"Map::new(|k: int| 0 <= k < 1000, |k: int| k).union_prefer_right(Map::new(|k: int| 1000 <= k < 2000, |k: int| k))",
		"Map::new(|k: int| 0 <= k < 1000, |k: int| k).map_values(|v: int| v)",
		"Map::new(|k: int| 0 <= k < 1000, |k: int| k).map_entries(|k: int, v: int| v)",
		"Seq::new(1000, |k: int| k).to_multiset().add(Seq::new(1000, |k: int| k + 1000).to_multiset())",
		"Seq::new(1000, |k: int| k).to_multiset().intersection_with(Seq::new(1000, |k: int| k).to_multiset())",
		"Seq::new(1000, |k: int| k).to_multiset().filter(|k: int| true)",
	} {
		w := worldOfText(t, "t.rs", "verus! { spec fn here() -> int { 0 } }")
		n, err := parseItem("const C: int = " + expr + ";")
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine("test", 64)
		fr := &frame{scope: find(t, w, "here").scope()}
		m.begin(10_000_000)
		m.eval(n.Get(syntax.FValue).Get(syntax.FReceiver), fr, nil)
		for a := range n.Get(syntax.FValue).Get(syntax.FArgs).All(syntax.FExpr) {
			m.eval(a, fr, nil)
		}
		parts := m.steps
		m.begin(10_000_000)
		v := m.eval(n.Get(syntax.FValue), fr, nil)
		if unknown(v) || m.steps-parts < entries*entries/8 {
			t.Errorf("%s: %s in %d steps", expr, value.Short(v), m.steps-parts)
		}
	}
}

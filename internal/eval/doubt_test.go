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

// What stands under a cfg is taken for what it is only where the cfg is known to hold, or holds for what asks.
func TestConfigured(t *testing.T) {
	const (
		weak = "mod weak { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { true } } }\nuse weak::*;\n"
		f    = "fn f(x: u8) -> (r: u8) ensures ok(x, r) { x }"
		own  = "spec fn ok(x: u8, r: u8) -> bool { r == x }\n"
		tr   = "pub struct S { pub a: u8 } pub trait Tr { spec fn ok(self, r: u8) -> bool; }\nimpl Tr for S { spec fn ok(self, r: u8) -> bool { true } }\n"
		g    = "fn f(x: u8) -> (r: u8) ensures (S { a: x }).ok(r) { x }"
		him  = "impl S { spec fn ok(self, r: u8) -> bool { r == self.a } }\n"

		accepts = "accepted"
		rejects = "rejected"
		unsure  = "undecided"
	)
	for _, tc := range []struct{ text, want string }{
		{weak + "verus! {\n" + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(any())] " + own + f + " }", accepts},
		{weak + "verus! {\n#[cfg(all())] " + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(test)] " + own + f + " }", accepts},
		{weak + "verus! {\n#[cfg(not(test))] " + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(verus_keep_ghost)] " + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(all(verus_only, not(any(test, false))))] " + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(not(verus_keep_ghost))] " + own + f + " }", accepts},
		{weak + "verus! {\n#[cfg(feature = \"a\")] " + own + f + " }", unsure},
		{weak + "verus! {\n#[r#cfg(unix)] " + own + f + " }", unsure},
		{weak + "verus! {\n#[cfg(any(unix, verus_keep_ghost))] " + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(all(unix, test))] " + own + f + " }", accepts},
		{weak + "verus! {\n#[cfg_attr(unix, cfg(any()))] " + own + f + " }", unsure},
		{weak + "verus! {\n#[cfg_attr(verus_keep_ghost, verifier::inline, cfg(any()))] " + own + f + " }", accepts},
		{weak + "verus! {\n#[cfg_attr(all(), cfg_attr(unix, allow(unused), cfg(windows)))] " + own + f + " }", unsure},
		{weak + "verus! {\n#[cfg_attr(test, cfg(any()))] " + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg_attr(unix, verifier::inline)] " + own + f + " }", rejects},
		// The condition of what is around holds for what is inside, and for what stands under the same.
		{weak + "#[cfg(unix)] verus! {\n" + own + "}\nverus! {\n" + f + " }", unsure},
		{weak + "#[cfg(any())] verus! {\n" + own + "}\nverus! {\n" + f + " }", accepts},
		{weak + "#[cfg(unix)] verus! {\n" + own + f + " }", rejects},
		{weak + "verus! {\n#[cfg(unix)] " + own + "#[cfg(unix)] " + f + " }", rejects},
		{weak + "verus! {\n#[cfg(unix)] " + own + "#[cfg(windows)] " + f + " }", unsure},
		{"#![cfg(unix)]\n" + weak + "verus! {\n" + own + f + " }", rejects},
		// Modules, imports.
		{"#[cfg(unix)] mod m { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\nuse m::ok;\nverus! { " + f + " }", unsure},
		{"#[cfg(unix)] mod m { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\nuse m::*;\nverus! { " + f + " }", unsure},
		{"#[cfg(test)] mod m { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\n" + weak + "use m::*;\nverus! { " + f + " }", accepts},
		{"mod m { verus! { #[cfg(unix)] pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\n" + weak + "use m::*;\nverus! { " + f + " }", unsure},
		{"mod m { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\n" + weak + "#[cfg(unix)] use m::ok;\nverus! { " + f + " }", unsure},
		{"mod m { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\n#[cfg(unix)] use m::*;\nverus! { " + f + " }", unsure},
		{weak + "mod m { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\n#[cfg(test)] use m::ok;\nverus! { " + f + " }", accepts},
		// Impls and their methods.
		{"verus! {\n" + tr + him + g + " }", rejects},
		{"verus! {\n" + tr + "#[cfg(any())] " + him + g + " }", accepts},
		{"verus! {\n" + tr + "#[cfg(unix)] " + him + g + " }", unsure},
		{"verus! {\n" + tr + "impl S { #[cfg(any())] spec fn ok(self, r: u8) -> bool { r == self.a } }\n" + g + " }", accepts},
		{"verus! {\n" + tr + "impl S { #[cfg(unix)] spec fn ok(self, r: u8) -> bool { r == self.a } }\n" + g + " }", unsure},
		{"verus! {\n" + tr + "#[cfg(unix)] " + him + "#[cfg(unix)] " + g + " }", rejects},
		{"verus! {\n" + tr + "impl S { #![cfg(unix)] spec fn ok(self, r: u8) -> bool { r == self.a } }\n" + g + " }", unsure},
		{"verus! {\npub struct S { pub a: u8 } pub trait Tr: Sized { spec fn ok(self, r: u8) -> bool { true } }\nimpl Tr for S { #[cfg(unix)] spec fn ok(self, r: u8) -> bool { r == 1 } }\n" + g + " }", unsure},
		{"verus! {\npub struct S { pub a: u8 } pub trait Tr: Sized { spec fn ok(self, r: u8) -> bool { true } }\nimpl Tr for S { #[cfg(any())] spec fn ok(self, r: u8) -> bool { r == 1 } }\n" + g + " }", accepts},
		// Parts of items.
		{"verus! {\nspec fn ok(x: u8, r: u8) -> bool { #[cfg(any())] let x = r; r == x }\n" + f + " }", unsure},
		{"verus! {\nspec fn ok(x: u8, r: u8) -> bool { match r { #[cfg(any())] 2 => true, _ => r == x } }\n" + f + " }", unsure},
		{"verus! {\nspec fn ok(x: u8, r: u8) -> bool { match r { #[allow(unused)] 2 => false, _ => r == x } }\n" + f + " }", rejects},
	} {
		w := worldOfText(t, "t.rs", tc.text)
		got := ask(t, w, "f", `{"cases": [`+one("1", "2")+`]}`)
		if !strings.HasPrefix(got, "f(1) gives 2: "+tc.want) {
			t.Errorf("%s\n%s, want %s", tc.text, got, tc.want)
		}
	}
	for text, want := range map[string]string{
		"verus! { pub struct S { pub a: u8, #[cfg(any())] pub b: u8 } fn f(s: S) ensures true {} }":                     "read the contract of f: unsupported: the type of parameter 1 of f is not understood: S",
		"verus! { fn f(x: u8, #[cfg(any())] y: u8) ensures true {} }":                                                   "read the contract of f: unsupported: a part of the signature or the contract of f stands under a condition",
		"verus! { fn f(x: u8) -> (r: u8) ensures x < 2 || { #[cfg(any())] let y = 1; true } { x } }":                    "read the contract of f: unsupported: a part of the signature or the contract of f stands under a condition",
		"verus! { fn f(x: u8) -> (r: u8) ensures r == x { #[cfg(unix)] let y = 1; x } }":                                "",
		"verus! { enum E { A, #[cfg(unix)] B } fn f(x: E) ensures true {} }":                                            "read the contract of f: unsupported: the type of parameter 1 of f is not understood: E",
		"verus! { #[cfg(unix)] struct S { a: u8 } fn f(x: S) ensures true {} }":                                         "read the contract of f: unsupported: the type of parameter 1 of f is not understood: S",
		"#![cfg(unix)] verus! { struct S { a: u8 } fn f(x: S) ensures true {} }":                                        "",
		"verus! { #[cfg(test)] struct S { a: i8 } #[cfg(not(test))] struct S { a: u8 } fn f(x: S) ensures x.a < 7 {} }": "",
	} {
		got := ""
		if _, err := find(t, worldOfText(t, "t.rs", text), "f").NewJudge(nil); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A module in a file of its own stands under the condition of its declaration.
func TestConfiguredFiles(t *testing.T) {
	for _, tc := range []struct{ root, child, want string }{
		{"mod a;", "", "rejected"},
		{"#[cfg(unix)] mod a;", "", "undecided"},
		{"#[cfg(test)] mod a;", "", "undecided"},
		{"mod a;", "#![cfg(unix)]", "undecided"},
		{"#![cfg(unix)] mod a;", "", "rejected"},
		{"#[cfg(unix)] mod a;", "mod b;", "undecided"},
	} {
		f := func(path, text string) *syntax.File { return syntax.Parse(source.NewFile(path, []byte(text))) }
		w := NewWorld([]Source{
			{File: f("src/a.rs", tc.child+" verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } spec fn zero() -> u8 { 0 } pub fn inner(x: u8) -> (r: u8) ensures ok(x, r), crate::zero() == zero() { x } }"), Crate: "test", Module: "a"},
			{File: f("src/lib.rs", tc.root+" use a::*; verus! { spec fn zero() -> u8 { 0 } fn f(x: u8) -> (r: u8) ensures ok(x, r) { x } }"), Crate: "test"},
		})
		for name, want := range map[string]string{"f": "f(1) gives 2: " + tc.want, "a::inner": "inner(1) gives 2: rejected"} {
			if got := ask(t, w, name, `{"cases": [`+one("1", "2")+`]}`); !strings.HasPrefix(got, want) {
				t.Errorf("%s %s: %s, want %s", tc.root, tc.child, got, want)
			}
		}
	}
}

// A macro of the program's own may be what seq![], set![], map![] and vec![] mean.
func TestMacrosOfTheirOwn(t *testing.T) {
	const rules = "{ ($($x:expr),*) => { ::vstd::seq::Seq::<u8>::empty() } }\n"
	literals := map[string]string{"seq": "seq![r] == seq![x]", "vec": "vec![r]@ == vec![x]@", "set": "set![r] == set![x]", "map": "map![r => 1int] == map![x => 1int]"}
	for word, clause := range literals {
		f := "verus! { fn f(x: u8) -> (r: u8) ensures " + clause + " { x } }\n"
		for _, tc := range []struct {
			text  string
			known bool
		}{
			{"use vstd::prelude::*;\n" + f, true},
			{"use vstd::prelude::*;\nuse vstd::WORD;\n" + f, true},
			{"use vstd::prelude::*;\nuse crate::WORD::Thing;\nmod WORD { pub struct Thing; }\n" + f, true},
			{"use vstd::prelude::*;\nmacro_rules! other { () => { WORD![1] } }\n" + f, true},
			{"use vstd::prelude::*;\nmod m { use vstd::prelude::*; thread_local! { static A: u8 = 1; } }\n" + f, true},
			{"use vstd::prelude::*;\nmacro_rules! WORD " + rules + f, false},
			{"use vstd::prelude::*;\nverus! { macro_rules! WORD " + rules + "}\n" + f, false},
			{"use vstd::prelude::*;\n#[macro_use] mod m { macro_rules! WORD " + rules + "}\n" + f, false},
			{"use vstd::prelude::*;\nmod m { pub macro WORD($x:expr) { 1 } }\nuse m::WORD;\n" + f, false},
			{"use vstd::prelude::*;\nmacro_rules! mine " + rules + "use mine as WORD;\n" + f, false},
			{"use vstd::prelude::*;\nmod m { macro_rules! mine " + rules + "pub(crate) use mine as WORD; }\nuse m::*;\n" + f, false},
			{"use vstd::prelude::*;\nuse elsewhere::WORD;\n" + f, false},
			{"use vstd::prelude::*;\nuse elsewhere::{self, other as WORD};\n" + f, false},
			{"use vstd::prelude::*;\nmacro_rules! mk { () => { macro_rules! WORD " + rules + "} }\nmk!();\n" + f, false},
			{"use vstd::prelude::*;\nmacro_rules! mk { ($n:ident) => { macro_rules! $n " + rules + "} }\nmk!(WORD);\n" + f, false},
			{"use vstd::prelude::*;\nmacro_rules! mk { ($($t:tt)*) => { $($t)* } }\nmk!{ macro_rules! WORD " + rules + "}\n" + f, false},
		} {
			want := "f(1) gives 1: accepted\nf(1) gives 2: rejected by ensures " + clause + "\n"
			if !tc.known {
				why := ": undecided (the macro " + word + ")\n"
				want = "f(1) gives 1" + why + "f(1) gives 2" + why
			}
			asked{strings.ReplaceAll(tc.text, "WORD", word), one("1", "1") + "," + one("1", "2"), want}.check(t)
		}
	}
	for path, known := range map[string]bool{"vstd::seq": true, "vstd::prelude::seq": true, "crate::seq": false, "m::seq": false, "elsewhere::seq": false} {
		want := "f(1) gives 2: rejected by ensures " + path + "![r] == " + path + "![x]\n"
		if !known {
			want = "f(1) gives 2: undecided (the macro " + path + ")\n"
		}
		asked{"verus! { fn f(x: u8) -> (r: u8) ensures " + path + "![r] == " + path + "![x] { x } }", one("1", "2"), want}.check(t)
	}
}

// What a macro among the items of a module stands for is not seen. It may declare a name that is otherwise imported with all others, or given by the language,
// and a method of a type itself, which goes before that of a trait.
func TestMacrosThatDeclare(t *testing.T) {
	const (
		strong = "use vstd::prelude::*;\nmod strong { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\nuse strong::*;\n"
		f      = "verus! { fn f(x: u8) -> (r: u8) ensures ok(x, r) { x } }\n"
		lib    = "verus! { fn f(x: u8) -> (r: u8) ensures Seq::<u8>::empty().push(r) == seq![x] { x } }\n"
		method = "verus! { pub struct S { pub a: u8 } pub trait Tr { spec fn ok(self, r: u8) -> bool; } impl Tr for S { spec fn ok(self, r: u8) -> bool { r == self.a } } fn f(x: u8) -> (r: u8) ensures (S { a: x }).ok(r) { x } }\n"
		body   = "{ vstd::prelude::verus! { spec fn ok(x: u8, r: u8) -> bool { true } } }"
	)
	for _, tc := range []struct{ text, want string }{
		{strong + f, "rejected"},
		{strong + "macro_rules! mk { () => " + body + " }\nmk!{}\n" + f, "undecided"},
		{strong + "macro_rules! mk { () => " + body + " }\nverus! { mk!{} }\n" + f, "undecided"},
		{strong + "macro_rules! mk { () => " + body + " }\nmod other { mk!{} }\n" + f, "rejected"},
		{strong + "macro_rules! mk { () => " + body + " }\n#[cfg(test)] mk!{}\n" + f, "rejected"},
		{strong + "macro_rules! mk { () => { made!{} } }\nmacro_rules! made { () => " + body + " }\nmk!{}\n" + f, "undecided"},
		{strong + "macro_rules! mk { () => { made!{} } }\nmk!{}\n" + f, "undecided"},
		{strong + "macro_rules! mk { ($n:ident) => { verus! { spec fn $n(x: u8, r: u8) -> bool { true } } } }\nmk!{ ok }\n" + f, "undecided"},
		{strong + "macro_rules! mk { () => { verus! { spec fn yes(x: u8, r: u8) -> bool { true } } } }\nmk!{}\n" + f, "rejected"},
		{strong + "macro_rules! mk { () => { use elsewhere::ok; } }\nmk!{}\n" + f, "undecided"},
		{strong + "elsewhere::mk!{}\n" + f, "undecided"},
		{strong + "include!(\"other.rs\");\n" + f, "undecided"},
		{strong + "thread_local! { static COUNT: u8 = 0; }\n" + f, "rejected"},
		{strong + "thread_local! { static ok: u8 = 0; }\n" + f, "undecided"},
		{strong + "mod m { macro_rules! mk { () => " + body + " } pub(crate) use mk; }\nuse m::mk as mine;\nmine!{}\n" + f, "undecided"},
		{strong + "macro_rules! mk { () => " + body + " }\nuse mk as thread_local;\nthread_local!{}\n" + f, "undecided"},
		{strong + "state_machine!{ ok { fields { pub x: Seq<u8>, } } }\n" + f, "undecided"},
		{strong + "state_machine!{ Counts { fields { pub ok: u8, } } }\n" + f, "rejected"},
		{strong + "macro_rules! mk { ($t:ty) => { impl $t { fn all(ok: u8) -> Seq<u8> { ok } } } }\nmk!{ Other }\n" + f, "rejected"},
		// Another module's own imports are not imported with the rest of it, but in what is inside.
		{strong + "use other::*;\nmod other { use crate::strong::*; elsewhere::mk!{} }\n" + f, "rejected"},
		{strong + "use other::*;\nmod other { pub use crate::strong::*; elsewhere::mk!{} }\n" + f, "undecided"},
		{strong + "use other::*;\nmod other { use crate::strong::ok; use crate::elsewhere::{ok}; }\n" + f, "rejected"},
		{strong + "use other::*;\nmod other { pub use crate::strong::ok; pub use crate::elsewhere::{ok}; }\n" + f, "undecided"},
		{strong + "use strong::{ok};\nverus! { use strong::ok; }\n" + f, "rejected"},
		{"use vstd::prelude::*;\nmod strong { verus! { pub open spec fn ok(x: u8, r: u8) -> bool { r == x } } }\nuse outer::inner::again as ok;\n" +
			"mod outer { use crate::strong::ok; pub mod inner { use super::*; verus! { pub open spec fn again(x: u8, r: u8) -> bool { ok(x, r) } } } }\n" + f, "rejected"},
		// What the module declares itself, or imports by name, no macro can declare once more.
		{strong + "elsewhere::mk!{}\nuse strong::ok;\n" + f, "rejected"},
		// The libraries' names.
		{"use vstd::prelude::*;\nelsewhere::mk!{}\n" + lib, "rejected"},
		{"use vstd::prelude::*;\nmacro_rules! mk { ($t:ty) => { verus! { impl View for $t { type V = Seq<u8>; spec fn view(&self) -> Seq<u8> { Seq::empty() } } } } }\nmk!{ Other }\n" + lib, "rejected"},
		{"use vstd::prelude::*;\nmacro_rules! mk { () => { pub struct Seq; } }\nmk!{}\n" + lib, "undecided"},
		{"macro_rules! mk { () => { type Seq = u8; } }\nmk!{}\n" + lib, "undecided"},
		{"macro_rules! mk { ($k:tt) => { pub $k Seq; } }\nmk!{ struct }\n" + lib, "undecided"},
		{"macro_rules! mk { ($n:ident) => { pub struct $n; } }\nmk!{ Seq }\n" + lib, "undecided"},
		{"macro_rules! mk { () => { use crate::m::{Seq}; } }\nmk!{}\n" + lib, "undecided"},
		// Methods.
		{method, "rejected"},
		{"macro_rules! mk { () => { impl S " + body + " } }\nmk!{}\n" + method, "undecided"},
		{"macro_rules! mk { ($s:ty, $n:ident) => { verus! { impl $s { spec fn $n(self, r: u8) -> bool { true } } } } }\nmod m { use super::S; mk!{ S, ok } }\n" + method, "undecided"},
		{"macro_rules! mk { ($s:ty) => { verus! { impl Tr for $s { spec fn ok(self, r: u8) -> bool { true } } } } }\nmk!{ Other }\n" + method, "rejected"},
		{"macro_rules! made { () => " + body + " }\nverus! { impl S { made!{} } }\n" + method, "undecided"},
	} {
		got := ask(t, worldOfText(t, "t.rs", tc.text), "f", `{"cases": [`+one("1", "2")+`]}`)
		if !strings.HasPrefix(got, "f(1) gives 2: "+tc.want) {
			t.Errorf("%s\n%s, want %s", tc.text, got, tc.want)
		}
	}
}

// A method of a type's own goes before a trait's only where it is there for every instance of the type, and takes self alike.
func TestMethodsOfInstances(t *testing.T) {
	const tr = "pub struct S<T> { pub a: T } pub trait Tr { spec fn ok(self, r: u8) -> bool; } impl<T> Tr for S<T> { spec fn ok(self, r: u8) -> bool { r == 1 } }\n"
	for _, tc := range []struct{ impl, want string }{
		{"", "rejected"},
		{"impl<T> S<T> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "accepted"},
		{"impl<T> S<T> { spec fn other(self, r: u8) -> bool { r == 2 } }", "rejected"},
		{"impl S<u16> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "undecided"},
		{"impl S<u8> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "undecided"},
		{"impl<T: Copy> S<T> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "undecided"},
		{"impl<T> S<T> where T: Copy { spec fn ok(self, r: u8) -> bool { r == 2 } }", "undecided"},
		{"impl<T> S<Vec<T>> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "undecided"},
		{"impl<T> S<T> { spec fn ok(&self, r: u8) -> bool { r == 2 } }", "undecided"},
		// For another type, whose arguments are not understood.
		{"pub struct Buf<const N: usize> { pub a: [u8; N] } impl<const N: usize> Buf<N> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "rejected"},
		{"impl Unknown<2> { spec fn ok(self, r: u8) -> bool { r == 2 } }", "undecided"},
	} {
		text := "verus! {\n" + tr + tc.impl + "\nfn f(x: u8) -> (r: u8) ensures (S::<u8> { a: x }).ok(r) { 1 }\n}"
		got := ask(t, worldOfText(t, "t.rs", text), "f", `{"cases": [`+one("1", "2")+`]}`)
		if !strings.HasPrefix(got, "f(1) gives 2: "+tc.want) {
			t.Errorf("%s\n%s, want %s", text, got, tc.want)
		}
	}
	const mx = "use vstd::prelude::*; verus! { trait Mx { spec fn max(self) -> u8; } impl Mx for Seq<u8> { spec fn max(self) -> u8 { 9 } }\n"
	for _, tc := range []asked{
		{mx + "fn f(x: Vec<u8>) -> (r: u8) ensures r <= x@.max() { 0 } }", one("[1, 2]", "9") + "," + one("[1, 2]", "10"),
			"f([1, 2]) gives 9: accepted\nf([1, 2]) gives 10: rejected by ensures r <= x@.max()\n"},
		{mx + "fn f(x: Vec<u8>) -> (r: u8) ensures r <= x@.min() { 0 } }", one("[1, 2]", "9"), "f([1, 2]) gives 9: undecided (the method min of a Seq)\n"},
		{mx + "fn f(x: Vec<u8>) -> (r: u8) ensures r <= x@.map_values(|v: u8| v as int).max() { 0 } }", one("[1, 2]", "2") + "," + one("[1, 2]", "3"),
			"f([1, 2]) gives 2: accepted\nf([1, 2]) gives 3: rejected by ensures r <= x@.map_values(|v: u8| v as int).max()\n"},
	} {
		tc.check(t)
	}
}

// What a type parameter stands for is not chosen by a change: types that both versions have go first.
func TestInstancesOfBothVersions(t *testing.T) {
	const text = `verus! {
pub trait Le { spec fn le(self, o: Self) -> bool; }
pub fn pick<T: Le + Copy>(a: T, b: T) -> (r: T) requires a.le(b) ensures r.le(b) { a }
TYPES
}`
	typ := func(name, op string) string {
		return "#[derive(Clone, Copy)] pub struct " + name + " { pub v: u8 } impl Le for " + name + " { open spec fn le(self, o: " + name + ") -> bool { self.v " + op + " o.v } }\n"
	}
	bare := "pub struct A { pub v: u8 }\n"
	for _, tc := range []struct{ base, head, wantBase, wantHead string }{
		{typ("Z", "<="), typ("Z", "<="), "Z", "Z"},
		{typ("Z", "<="), typ("A", "==") + typ("Z", "<="), "Z", "Z"},
		{typ("A", "==") + typ("Z", "<="), typ("Z", "<="), "Z", "Z"},
		{typ("A", "==") + typ("Z", "<="), typ("B", "==") + typ("Z", "<="), "Z", "Z"},
		{typ("B", "<=") + typ("Z", "<="), typ("A", "==") + typ("B", "<=") + typ("Z", "<="), "B", "B"},
		{bare + typ("Z", "<="), typ("A", "==") + typ("Z", "<="), "Z", "Z"},
		{typ("Z", "<="), typ("A", "==") + typ("B", "<="), "Z", "A"},
	} {
		base, head := worldOfText(t, "t.rs", strings.Replace(text, "TYPES", tc.base, 1)), worldOfText(t, "t.rs", strings.Replace(text, "TYPES", tc.head, 1))
		for _, side := range []struct {
			of, like *World
			want     string
		}{{base, head, tc.wantBase}, {head, base, tc.wantHead}} {
			inst, err := find(t, side.of, "pick").Instances(find(t, side.like, "pick"))
			if err != nil {
				t.Fatal(err)
			}
			if got := inst["T"].Name; got != "test::"+side.want {
				t.Errorf("base %s, head %s: %s, want %s", tc.base, tc.head, got, side.want)
			}
		}
		if tc.wantBase != tc.wantHead {
			continue
		}
		weaker := worldOfText(t, "t.rs", strings.Replace(strings.Replace(text, "ensures r.le(b)", "ensures true", 1), "TYPES", tc.head, 1))
		c, err := Compare(find(t, base, "pick"), find(t, weaker, "pick"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if c.Accepted == nil {
			t.Errorf("base %s, head %s: nothing is found that head accepts alone", tc.base, tc.head)
		}
	}
}

package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/source"
)

const suiteCrate = `use vstd::{multiset::Multiset, prelude::*};
verus! {
pub struct Pair { pub a: u8, pub b: Vec<u8> }
pub fn swap(p: &mut Pair, n: [u8; 2], f: Option<u8>) -> (r: u8)
    requires old(p).a < 9,
    ensures r == old(p).a, p.a == n[0],
{ 0 }
pub fn same<T>(x: T) -> (r: T) ensures r == x, { x }
pub fn wide(x: usize) ensures x <= x, {}
pub fn ghosts(s: Ghost<Set<u8>>, m: Ghost<Map<u8, bool>>, n: Ghost<Multiset<u8>>)
    ensures s@.len() == 2, m@[1], n@.count(7) == 2,
{}
pub fn unread(x: &mut Option<&mut u8>) {}
}`

// ask puts a suite to a function and gives all that is said, a line each.
func ask(t testing.TB, w *World, function, text string) string {
	t.Helper()
	var b strings.Builder
	s, err := ReadSuite(source.NewFile("c.json", []byte(text)))
	if err != nil {
		return err.Error() + "\n"
	}
	q, err := s.For(find(t, w, function))
	if err != nil {
		return err.Error() + "\n"
	}
	for i := range s.Len() {
		a, err := q.Ask(i)
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		fmt.Fprintf(&b, "%s gives %s: %s", a.Call, a.Outcome, a.Verdict)
		if a.Outside {
			b.WriteString(" outside")
		}
		if a.Clause != nil {
			fmt.Fprintf(&b, " by %s %s", a.Clause.Kind, a.Clause.Node.Text())
		}
		if a.Why != "" {
			fmt.Fprintf(&b, " (%s)", a.Why)
		}
		b.WriteByte('\n')
	}
	if s.Broken != nil {
		fmt.Fprintln(&b, "broken:", s.Broken)
	}
	return b.String()
}

func TestSuite(t *testing.T) {
	w := worldOfText(t, "t.rs", suiteCrate)
	for _, tc := range []struct{ function, text, want string }{
		// Answers.
		{"swap", `{"cases": [
{"args": {"p": "Pair { a: 1, b: [] }", "n": "[2, 3]", "f": "None"}, "result": "1", "after": {"p": "Pair { a: 2, b: [] }"}},
{"args": {"p": "Pair { a: 1, b: [] }", "n": "[2, 3]", "f": "None"}, "result": "1", "after": {"p": "Pair { a: 1, b: [] }"}},
{"args": {"p": "Pair { a: 1, b: [] }", "n": "[2, 3]", "f": "None"}, "result": "0", "after": {"p": "Pair { a: 1, b: [] }"}},
{"args": {"p": "Pair { a: 9, b: [] }", "n": "[2, 3]", "f": "None"}, "result": "0", "after": {"p": "Pair { a: 1, b: [] }"}}]}`,
			`swap(Pair { a: 1, b: [] }, [2, 3], None) gives 1, p = Pair { a: 2, b: [] }: accepted
swap(Pair { a: 1, b: [] }, [2, 3], None) gives 1, p = Pair { a: 1, b: [] }: rejected by ensures p.a == n[0]
swap(Pair { a: 1, b: [] }, [2, 3], None) gives 0, p = Pair { a: 1, b: [] }: rejected by ensures r == old(p).a
swap(Pair { a: 9, b: [] }, [2, 3], None) gives 0, p = Pair { a: 1, b: [] }: accepted outside by requires old(p).a < 9
`},
		{"same", `{"params": [["x", "Vec<u8>"]], "result": ["r", "Vec<u8>"], "cases": [{"args": {"x": "[1]"}, "result": "[1]"}, {"args": {"x": "[1]"}, "result": "[256]"}]}`,
			"same([1]) gives [1]: undecided (equality of a Vec)\nc.json:1:144: result: [256] is not of type Vec<u8>; write a value of that type\n"},
		{"same", `{"result": ["r", "u8"], "cases": [{"args": {"x": "1"}, "result": "1"}]}`, "same(1) gives 1: accepted\n"},
		{"wide", `{"cases": [{"args": {"x": "4294967296"}}, {"args": {"x": "usize::MAX"}}, {"args": {"x": "1"}, "result": "()"}]}`,
			"wide(4294967296) gives (): undecided (a usize that needs 64 bits)\nwide(18446744073709551615) gives (): undecided (the width of usize)\nwide(1) gives (): accepted\n"},
		{"ghosts", `{"cases": [
{"args": {"s": "Ghost(set![1, 2])", "m": "Ghost(map![1 => true])", "n": "Ghost(Multiset::empty().insert(7).insert(7))"}},
{"args": {"s": "Ghost(set![1, 300])"}}, {"args": {"m": "Ghost(map![1 => 2])"}}, {"args": {"n": "Ghost(Multiset::singleton(300))"}}]}`,
			`ghosts(Ghost({1, 2}), Ghost({1: true}), Ghost(multiset{7, 7})) gives (): accepted
c.json:3:16: argument s: Ghost(set![1, 300]) is not of type Ghost<Set<u8>>; write a value of that type
c.json:3:56: argument m: Ghost(map![1 => 2]) is not of type Ghost<Map<u8, bool>>; write a value of that type
c.json:3:96: argument n: Ghost(Multiset::singleton(300)) is not of type Ghost<Multiset<u8>>; write a value of that type
`},
		{"unread", `{"cases": []}`, "read the contract of unread: unsupported: a mutable reference inside the type of parameter 1 of unread\n"},
		// Values.
		{"same", `{"cases": [{"args": {"x": "1"}, "result": "1"}]}`, `c.json:1:27: argument x: what T stands for is not known; give the types of the call in "params"` + "\n"},
		{"swap", `{"cases": [{"args": {"p": "Pair { a: 1, b: [300] }"}}, {"args": {"n": "[1]"}}, {"args": {"f": "Some(true)"}}, {"args": {"p": "0; fn g() {}"}}, {"args": {"p": ""}}]}`,
			`c.json:1:27: argument p: Pair { a: 1, b: [300] } is not of type Pair; write a value of that type
c.json:1:71: argument n: [1] is not of type [u8]; write a value of that type
c.json:1:95: argument f: Some(true) is not of type Option<u8>; write a value of that type
c.json:1:126: argument p: 0; fn g() {} is not Rust: a lone ` + "`;`" + ` is no item; write a value of type Pair
c.json:1:159: argument p:  is not Rust: expected an expression, found ` + "`;`" + `; write a value of type Pair
`},
		{"wide", `{"cases": [{"args": {"x": "1"}, "result": "1"}, {"args": {}}, {}]}`,
			`c.json:1:43: result: 1 is not of type (); write a value of that type
c.json:1:58: there is no value of x in "args"; give every parameter one
c.json:1:63: there is no value of x in "args"; give every parameter one
`},
		{"swap", `{"cases": [{"args": {"p": "Pair { a: 1, b: [] }", "n": "[2, 3]", "f": "None"}, "result": "1", "after": {}}]}`,
			`c.json:1:104: there is no value of p in "after"; give every mutable reference the value that it has after the call` + "\n"},
		// The head.
		{"wide", `{"params": [["y", "usize"]], "cases": []}`, `c.json:1:13: wide has no parameter "y"; its parameters are x` + "\n"},
		{"wide", `{"params": [], "cases": []}`, `c.json:1:12: "params" has 0 of the parameters, but wide has 1: x` + "\n"},
		{"wide", `{"params": [["x", "usize"], ["x", "u8"]], "cases": []}`, `c.json:1:29: parameter "x" is given twice; take one away` + "\n"},
		{"wide", `{"params": [["x", "usize", ""]], "cases": []}`, "c.json:1:13: want [NAME, TYPE]\n"},
		{"wide", `{"params": [["x", "No"]], "cases": []}`, `c.json:1:13: the type "No" of "x" is not understood; write it as in the function's signature` + "\n"},
		{"wide", `{"params": [["x", "u8 u8"]], "cases": []}`, `c.json:1:13: the type "u8 u8" of "x" is not Rust: expected ` + "`;`, found `u8`" + `; write it as in the function's signature` + "\n"},
		{"wide", `{"result": ["r", "u8"], "cases": []}`, "c.json:1:12: the result is of type u8 here, but of type () in wide\n"},
		{"swap", `{"params": [["f", "Option<u8>"], ["p", "Pair"], ["n", "[u8; 2]"]], "cases": []}`, ""},
		{"swap", `{"params": [["f", "Option<u16>"], ["p", "Pair"], ["n", "[u8; 2]"]], "cases": []}`,
			"c.json:1:13: \"f\" is of type Option<u16> here, but of type Option<u8> in swap\n"},
		{"wide", `{"cases": [], "wrong": 1}`, `c.json:1:15: unknown key "wrong"; a file of cases has function, params, result and cases` + "\n"},
		{"wide", `{"function": 1, "cases": []}`, "c.json:1:14: want a symbol, as a JSON string\n"},
		{"wide", `{"function": "a"}`, `c.json:1:1: there is no key "cases"; give a list of cases` + "\n"},
		{"wide", `{"note": nothing, "cases": []}`, "c.json:1:11: not JSON: invalid character 'o' in literal null (expecting 'u')\n"},
		// JSON that is not well formed.
		{"wide", ``, "c.json:1:1: want an object, { .. }\n"},
		{"wide", `[]`, "c.json:1:1: want an object, { .. }\n"},
		{"wide", `{"cases" []}`, `c.json:1:10: want a colon behind the key "cases"` + "\n"},
		{"wide", `{"cases": []`, "broken: c.json:1:13: want a comma or the } of the object that begins at 1:1\n"},
		{"wide", `{"cases": []} {}`, "broken: c.json:1:15: there is something behind the end of the JSON; take it away\n"},
		{"wide", `{"cases": [], }`, "broken: c.json:1:15: want a key in double quotes, as a JSON string\n"},
		{"wide", `{"cases": {}}`, "broken: c.json:1:11: want a list of cases, [ .. ]\n"},
		{"wide", `{"cases": [}]`, "broken: c.json:1:12: want a case, { .. }\n"},
		{"wide", `{"cases": [,]}`, "broken: c.json:1:12: want a case, { .. }\n"},
		{"wide", `{"cases": [{"args": {"x": "1"}},]}`, "wide(1) gives (): accepted\nbroken: c.json:1:33: want a case, { .. }\n"},
		{"wide", `{"cases": [{"args": {"x": "1"}} {"args": {"x": "2"}}]}`, "wide(1) gives (): accepted\nwide(2) gives (): accepted\nbroken: c.json:1:33: want a comma between two cases\n"},
		{"wide", `{"cases": [{"args": {"x": "1"}, {"args": {"x": "2"}}]}`, "c.json:1:31: want a comma or the } of the object that begins at 1:12\nwide(2) gives (): accepted\nbroken: c.json:1:53: the brackets do not match; the rest of the file is not read\n"},
		{"wide", `{"cases": [{"args": {"x": "1"}}}, {"args": {"x": "2"}}]}`, "wide(1) gives (): accepted\nbroken: c.json:1:32: want a comma or the ] that ends the cases; the rest of the file is not read\n"},
		{"wide", "{\"cases\": [{\"args\": {\"x\": \"1}},\n{\"args\": {\"x\": \"2\"}}]}", "c.json:1:27: this string has no end; close it with a double quote on the same line\nwide(2) gives (): accepted\nbroken: c.json:2:21: the brackets do not match; the rest of the file is not read\n"},
		{"wide", `{"cases": [{"args": {"x": "\q"}}]}`, "c.json:1:29: not JSON: invalid character 'q' in string escape code\n"},
		{"wide", `{"cases": [{"args": ["x"]}, {"args": {"x": "1"]}}]}`, "c.json:1:21: want an object, { .. }\nc.json:1:47: want a comma or the } of the object that begins at 1:38\nbroken: c.json:1:49: want a comma or the ] that ends the cases; the rest of the file is not read\n"},
		{"wide", `{"cases": [{"args": {"x": "1"}, "origin": tru}]}`, "c.json:1:45: not JSON: invalid character ' ' in literal true (expecting 'e')\n"},
		{"wide", "{\"cases\": [], \"note\": \"\xff\"}", "c.json:1:24: byte 0xff is not UTF-8, which JSON is; convert the file\n"},
	} {
		if d := cmp.Diff(tc.want, ask(t, w, tc.function, tc.text)); d != "" {
			t.Errorf("%s\n(-want +got):\n%s", tc.text, d)
		}
	}
}

// The case of a method of a trait that is not known is no one's to judge, and what a value means is not kept from one to the next.
func TestSuiteKeepsNothing(t *testing.T) {
	w := worldOfText(t, "t.rs", suiteCrate)
	text := `{"cases": [` + strings.Repeat(`{"args": {"p": "Pair { a: 1, b: [] }", "n": "[2, 3]", "f": "None"}, "result": "1", "after": {"p": "Pair { a: 2, b: [] }"}},`, 50)
	s, err := ReadSuite(source.NewFile("c.json", []byte(strings.TrimSuffix(text, ",")+"]}")))
	if err != nil || s.Broken != nil {
		t.Fatal(err, s.Broken)
	}
	q, err := s.For(find(t, w, "swap"))
	if err != nil {
		t.Fatal(err)
	}
	sizes := func() []int { return []int{len(q.judge.resolved.types), len(q.judge.resolved.meanings)} }
	if _, err := q.Ask(0); err != nil {
		t.Fatal(err)
	}
	before := sizes()
	for i := range s.Len() {
		if a, err := q.Ask(i); err != nil || a.Verdict != Accepted {
			t.Fatal(a, err)
		}
	}
	if !slices.Equal(sizes(), before) {
		t.Errorf("what is kept grew from %v to %v", before, sizes())
	}
}

func FuzzSuite(f *testing.F) {
	f.Add(`{"function": "f", "params": [["x", "usize"]], "result": ["", "()"], "cases": [{"args": {"x": "1"}, "result": "()", "after": {}}]}`)
	f.Add(`{"cases": [{"args": {"x": "[1"}}, {"args": {"x": "|y: u8| y"} {"args": {]}`)
	f.Add(`{"cases": [{"args": {"x": "\ud800"}}`)
	w := worldOfText(f, "t.rs", suiteCrate)
	f.Fuzz(func(t *testing.T, text string) {
		for _, function := range []string{"wide", "swap", "same"} {
			if a, b := ask(t, w, function, text), ask(t, w, function, text); a != b {
				t.Fatalf("two answers: %s and %s", a, b)
			}
		}
	})
}

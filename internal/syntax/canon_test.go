package syntax

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// first returns the first node of a kind in a file that is read without errors.
func first(t *testing.T, text string, kind Kind) Node {
	t.Helper()
	f := parseText(text)
	if len(f.Errors) > 0 {
		t.Fatalf("%s\n%s", f.Errors[0].Message, text)
	}
	var found Node
	f.Root().Walk(func(n Node) bool {
		if !found.Valid() && n.Kind() == kind {
			found = n
		}
		return !found.Valid()
	})
	if !found.Valid() {
		t.Fatalf("no %v in %s", kind, text)
	}
	return found
}

// clauseOf is the clause of a function in verus!.
func clauseOf(t *testing.T, clause string) Node {
	t.Helper()
	return first(t, "verus! { fn f() "+clause+" {} }", Clause)
}

// specBody is the body of a spec function.
func specBody(t *testing.T, body string) Node {
	t.Helper()
	return first(t, "verus! { spec fn f() -> T { "+body+" } }", Fn).Get(FBody)
}

func TestCanonText(t *testing.T) {
	tests := []struct{ body, want string }{
		{"a + b * c", "a + (b * c)"},
		{"&&& a &&& b ==> c", "a && (b ==> c)"},
		{"forall|i: int| #![trigger f(i)] 0 <= i < n ==> #[trigger] f(i)", "forall |i: int| (0 <= i < n) ==> f(i)"},
		{"if a { b } else if c { d } else { e }", "if a { b } else { if c { d } else { e } }"},
		{"match x { A => 1, B { y, .. } => { y } }", "match x { A => 1, B { y: y,..} => y, }"},
		{"{ let y = 1_000u64; y }", "{ let y = 1000u64; y }"},
		{"S { a, b: 1, ..s }", "S { a: a, b: 1, ..s }"},
		{"x@.f::<int>(old(y)@[1 + 2], z->0)", "x@.f<int>(old(y)@[1 + 2], z->0)"},
		{"x matches Some(y) && y > 0 && z", "x matches Some(y) && (y > 0) && z"},
		{"choose|x: int| x is A", "choose |x: int| x is A"},
		{"|a: int| a as nat", "|a: int| a as nat"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Canon(first(t, "verus! { spec fn f() -> T { "+tt.body+" } }", ExprStmt).Get(FExpr))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.body, diff)
		}
	}
}

func TestCanonEqual(t *testing.T) {
	bodies := [][]string{
		{"a && b && c", "(a && b) && c", "a && (b && c)", "&&& a &&& b &&& c", "{ &&& a &&& { &&& b &&& c } }", "a && { b } && ((c))", "#[trigger] a && b && c"},
		{"a || b", "||| a ||| b", "(a) || (b)"},
		{"1000", "1_000", "(1000)", "{ 1000 }", "1_0_0_0"},
		{"1000int", "1_000int"},
		{"1.0", "1."},
		{"f(a, b)", "f(a,\n b,)", "f((a), { b })", "f(a, b) // comment\n", "/* comment */ f /* */ (a, b)"},
		{"S { x: x, y: 1 }", "S { x, y: 1, }"},
		{"if let S { x, .. } = s { 1 } else { 2 }", "if let S { x: x, .. } = s { { 1 } } else { 2 }"},
		{"forall|i: int| f(i)", "forall|i: int,| #![auto] f(i)", "forall|i: int| #![trigger f(i)] (f(i))", "forall|i: int| { #[trigger] f(i) }", "(forall|i: int| #![all_triggers] f(i))"},
		{"x matches Some(y) && y > 0", "(x matches Some(y) && y > 0)", "&&& x matches Some(y) &&& y > 0", "(x) matches (Some(y)) && (y > 0)"},
		{"a && (x matches Some(_))", "a && x matches Some(_)"},
		{"x !is A", "x isnt A"},
		{"s !has a", "s hasnt a"},
		{"a ==> b ==> c", "a ==> (b ==> c)"},
		{"|x: int| x", "|x: int| { x }", "|x: int,| (x)"},
		{"if a { b } else if c { d } else { e }", "if (a) { b } else { if c { d } else { e } }"},
		{"match x { A => 1, B => 2 }", "match x { A => { 1 } B => 2, }", "match x { | A => 1, (B) => 2 }"},
		{"f::<T>()", "f::<T,>()", "f :: < T > ()"},
		{"(a, b)", "(a, b,)"},
		{"(a,)", "((a),)"},
		{"seq![1, 2]", "seq![1, 2,]"},
		{"a as (int)", "a as int"},
		{"x.0.1", "x.0 .1", "(x.0).1"},
	}
	for _, class := range bodies {
		want := Canon(specBody(t, class[0]))
		for _, other := range class[1:] {
			if diff := cmp.Diff(want, Canon(specBody(t, other))); diff != "" {
				t.Errorf("%s and %s:\n%s", class[0], other, diff)
			}
		}
	}
	clauses := [][]string{
		{"requires a, b", "requires a, b,", "requires (a), b", "requires { &&& a }, b"},
		{"ensures a && b", "ensures { &&& a &&& b },", "ensures #![trigger f(x)] a && b"},
		{"decreases a, b via l", "decreases a, (b) via l"},
	}
	for _, class := range clauses {
		want := Canon(clauseOf(t, class[0]))
		for _, other := range class[1:] {
			if diff := cmp.Diff(want, Canon(clauseOf(t, other))); diff != "" {
				t.Errorf("%s and %s:\n%s", class[0], other, diff)
			}
		}
	}
	items := [][]string{
		{"#[derive(A, B)] #[c] struct S { x: u8 }", "/// doc\n#[c]\n#[derive(B, A,)]\n#[allow(dead_code)] struct S { x: u8, }"},
		{"spec fn f(x: int) -> int { x }", "/// doc\n#[inline] spec fn f(x: (int),) -> (int) { (x) }"},
		{"fn f() -> (r: u8) { 1 }", "exec fn f() -> (r: u8) { return 1; }"},
	}
	for _, class := range items {
		want := Canon(parseText("verus! { " + class[0] + " }").Root())
		for _, other := range class[1:] {
			if diff := cmp.Diff(want, Canon(parseText("verus! { "+other+" }").Root())); diff != "" {
				t.Errorf("%s and %s:\n%s", class[0], other, diff)
			}
		}
	}
}

func TestCanonDiffers(t *testing.T) {
	bodies := [][2]string{
		{"a && b", "b && a"},
		{"a && b", "a || b"},
		{"a && b || c", "a && (b || c)"},
		{"a <= b < c", "(a <= b) < c"},
		{"a == b == c", "a == (b == c)"},
		{"a ==> b ==> c", "(a ==> b) ==> c"},
		{"a ==> b", "a <== b"},
		{"a - (b - c)", "a - b - c"},
		{"a + (b + c)", "a + b + c"},
		{"1", "1int"},
		{"1u8", "1u16"},
		{"0x10", "10"},
		{"x matches Some(y) && y > 0", "(x matches Some(y)) && y > 0"},
		{"a && x matches Some(y) && y > 0", "(a && x matches Some(y)) && y > 0"},
		{"x matches Some(y) ==> y > 0", "(x matches Some(y)) ==> y > 0"},
		{"x is A", "x !is A"},
		{"x is A", "x is B"},
		{"x@", "x"},
		{"x@.f", "x.f@"},
		{"x->f", "x.f"},
		{"forall|i: int| f(i)", "exists|i: int| f(i)"},
		{"forall|i: int| f(i)", "forall|i: nat| f(i)"},
		{"forall|i: int| f(i)", "forall|j: int| f(i)"},
		{"(forall|i: int| f(i)) && a", "forall|i: int| f(i) && a"},
		{"(a,)", "a"},
		{"f(a)", "f((a,))"},
		{"!a && b", "!(a && b)"},
		{"-a + b", "-(a + b)"},
		{"a as int + b", "(a + b) as int"},
		{"old(x)", "x"},
		{"final(x)", "x"},
		{"S { a, b }", "S { a: b, b: a }"},
		{"S { ..s }", "S { a: 1, ..s }"},
		{"&mut x", "&x"},
		{"a..b", "a..=b"},
		{"s =~= t", "s == t"},
		{"match x { A | B => 1, _ => 2 }", "match x { A => 1, _ => 2 }"},
		{"match x { A if b => 1, _ => 2 }", "match x { A => 1, _ => 2 }"},
		{"match x { y @ A => 1, _ => 2 }", "match x { y => 1, _ => 2 }"},
		{"f::<int>()", "f::<nat>()"},
		{"<T as A>::f()", "<T as B>::f()"},
		{"::a::b", "a::b"},
		{"{ let x = a; x }", "{ let y = a; x }"},
		{"seq![1, 2]", "seq![1, 3]"},
		{`"a"`, `"b"`},
		{"#[verifier::spec] x", "x"},
		{"x.0", "x.1"},
		{"[a; 3]", "[a, 3]"},
		{"if a { b } else { c }", "if a { c } else { b }"},
		{"if let A = x { b } else { c }", "if let B = x { b } else { c }"},
	}
	for _, pair := range bodies {
		if a, b := Canon(specBody(t, pair[0])), Canon(specBody(t, pair[1])); a == b {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], a)
		}
	}
	for _, pair := range [][2]string{
		{"requires a, b", "requires b, a"},
		{"requires a", "ensures a"},
		{"requires a", "requires a, b"},
		{"ensures a", "default_ensures a"},
		{"decreases a, b", "decreases a"},
		{"decreases a via f", "decreases a via g"},
		{"decreases a when b", "decreases a"},
		{"no_unwind", "no_unwind when a"},
		{"opens_invariants any", "opens_invariants none"},
		{"opens_invariants [a]", "opens_invariants [b]"},
		{"returns a", "returns b"},
	} {
		if a, b := Canon(clauseOf(t, pair[0])), Canon(clauseOf(t, pair[1])); a == b {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], a)
		}
	}
	for _, pair := range [][2]string{
		{"spec fn f() -> T { a }", "open spec fn f() -> T { a }"},
		{"open(crate) spec fn f() -> T { a }", "open spec fn f() -> T { a }"},
		{"spec fn f() -> T;", "uninterp spec fn f() -> T;"},
		{"spec(checked) fn f() -> T { a }", "spec fn f() -> T { a }"},
		{"proof fn f() {}", "axiom fn f() {}"},
		{"#[verifier::opaque] spec fn f() -> T { a }", "spec fn f() -> T { a }"},
		{"#[verifier::external_body] fn f() {}", "fn f() {}"},
		{"struct S { x: u8 }", "struct S { x: u16 }"},
		{"struct S { pub x: u8 }", "struct S { x: u8 }"},
		{"ghost struct S { x: u8 }", "struct S { x: u8 }"},
		{"struct S { ghost x: u8 }", "struct S { x: u8 }"},
		{"enum E { A, B }", "enum E { B, A }"},
		{"fn f<T: A>() {}", "fn f<T: B>() {}"},
		{"fn f<T>() where T: A {}", "fn f<T>() where T: B {}"},
		{"fn f(x: &u8) {}", "fn f(x: &mut u8) {}"},
		{"fn f(x: &'a u8) {}", "fn f(x: &'b u8) {}"},
		{"proof fn f(tracked x: T) {}", "proof fn f(x: T) {}"},
		{"proof fn f() -> (tracked r: T) { x }", "proof fn f() -> (r: T) { x }"},
		{"impl A for S { type T = int; }", "impl A for S { type T = nat; }"},
		{"type A = spec_fn(int) -> int;", "type A = spec_fn(nat) -> int;"},
		{"spec const A: int = 1;", "spec const A: int = 2;"},
		{"broadcast group g { a, b }", "broadcast group g { a }"},
		{"broadcast use a;", "broadcast use b;"},
		{"global size_of usize == 8;", "global size_of usize == 4;"},
	} {
		a, b := Canon(parseText("verus! { "+pair[0]+" }").Root()), Canon(parseText("verus! { "+pair[1]+" }").Root())
		if a == b {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], a)
		}
	}
}

func TestConjuncts(t *testing.T) {
	tests := []struct {
		clause string
		want   []string
	}{
		{"requires a && b, c", []string{"a", "b", "c"}},
		{"requires (a && { &&& b &&& c }) && d || e", []string{"(a && { &&& b &&& c }) && d || e"}},
		{"requires (a && ({ &&& b &&& c })) && (d || e),", []string{"a", "b", "c", "d || e"}},
		{"ensures { &&& a &&& x matches Some(y) &&& y > 0 &&& b },", []string{"a", "x matches Some(y) &&& y > 0 &&& b"}},
		{"ensures a && x matches Some(y) && y > 0 && b", []string{"a", "x matches Some(y) && y > 0 && b"}},
		{"ensures (x matches Some(y)) && a", []string{"x matches Some(y)", "a"}},
		{"ensures a && x matches Some(y)", []string{"a", "x matches Some(y)"}},
		{"ensures x matches Some(y) ==> y > 0 && b", []string{"x matches Some(y) ==> y > 0 && b"}},
		{"ensures a ==> b && c", []string{"a ==> b && c"}},
		{"ensures forall|i: int| f(i) && g(i)", []string{"forall|i: int| f(i) && g(i)"}},
		{"ensures ({ let x = 1; x == 1 && a })", []string{"{ let x = 1; x == 1 && a }"}},
		{"decreases a && b, c", []string{"a && b", "c"}},
		{"returns (a && b)", []string{"(a && b)"}},
		{"no_unwind", nil},
		{"requires", nil},
	}
	for _, tt := range tests {
		var got []string
		for _, c := range Conjuncts(clauseOf(t, tt.clause)) {
			got = append(got, c.Text())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.clause, diff)
		}
	}
	if got := Conjuncts(Node{}); len(got) != 0 {
		t.Errorf("no node has conjuncts %v", got)
	}
}

package attacks_test

import (
	"fmt"
	"strings"
	"testing"
)

// cheat is behind whatever is in the way: it must be found, or the run must say that it did not read so far.
const cheat = "\nuse vstd::prelude::*;\n\nverus! {\n\npub fn cheat(x: u64) -> (r: u64)\n    ensures\n        r < 10,\n{\n    assume(x < 10);\n    x\n}\n\n} // verus!\n"

func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// TestFrontEnd gives the front end sources that are made to crash it, or to keep it busy for ever. Every run ends by itself, and finds the cheat behind them or says
// what was not read.
func TestFrontEnd(t *testing.T) {
	nest := func(n int, open, middle, end string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	fn := func(body string) string { return "pub fn f(x: u64) -> u64 {\n    " + body + "\n}\n" }
	contract := func(clauses string) string {
		return verus("pub fn f(x: u64) -> (r: u64)\n    ensures\n" + clauses + "{\n    x\n}")
	}
	weak := contract("        r <= x,\n        r >= x,\n")
	same := func(text string) tree { return tree{"src/lib.rs": text} }
	none := tree{"src/lib.rs": "pub fn f(x: u64) -> u64 {\n    x\n}\n"}
	for _, tt := range []struct {
		name       string
		base, head tree
	}{
		{"parentheses", none, same(fn(nest(20000, "(", "x", ")")))},
		{"blocks", none, same(fn(nest(20000, "{", "x", "}")))},
		{"brackets", none, same(fn(nest(20000, "[", "x", "]")))},
		{"open delimiters", none, same(fn(strings.Repeat("({[", 100000)))},
		{"closing delimiters", none, same(fn(strings.Repeat(")}]", 100000)))},
		{"closures", none, same(fn(strings.Repeat("|a| ", 20000) + "x"))},
		{"conditions", none, same(fn(nest(5000, "if x > 1 { ", "x", " } else { 1 }")))},
		{"else if", none, same(fn("if x > 1 { 1 }" + strings.Repeat(" else if x > 1 { 1 }", 20000) + " else { x }"))},
		{"minuses", none, same(fn(strings.Repeat("-", 50000) + "x"))},
		{"references", none, same(fn(strings.Repeat("&", 50001) + "x"))},
		{"sums", none, same(fn("x" + strings.Repeat(" + x", 100000)))},
		{"methods", none, same(fn("x" + strings.Repeat(".min(x)", 50000)))},
		{"fields and indices", none, same(fn("x" + strings.Repeat(".a[0]", 50000)))},
		{"casts", none, same(fn("x" + strings.Repeat(" as u64", 50000)))},
		{"generic types", none, same("pub type T = " + nest(10000, "Vec<", "u8", ">") + ";\n")},
		{"reference types", none, same("pub type T = " + strings.Repeat("&", 50001) + "u8;\n")},
		{"function types", none, same("pub type T = " + strings.Repeat("fn() -> ", 20000) + "u8;\n")},
		{"patterns", none, same(fn("let " + nest(20000, "Some(", "_", ")") + " = x; x"))},
		{"turbofish", none, same(fn("f" + nest(10000, "::<T", "", ">") + "()"))},
		{"angle brackets", none, same(fn(strings.Repeat("a < b > c < ", 20000) + "x"))},
		{"attributes", none, same(nest(10000, "#[cfg_attr(all(), ", "inline", ")]") + "\n" + fn("x"))},
		{"attributes in a row", none, same(strings.Repeat("#[inline]\n", 50000) + fn("x"))},
		{"modules", none, same(nest(3000, "mod m { ", "", " }"))},
		{"comments", none, same(nest(200000, "/*", " ", "*/"))},
		{"open comment", none, same("/* " + strings.Repeat("/*", 100000))},
		{"hashes of a raw string", none, same(fn("let s = r" + strings.Repeat("#", 60000) + "\"a\"" + strings.Repeat("#", 60000) + "; x"))},
		{"raw strings without an end", none, same(fn(strings.Repeat("r#\"a\" ", 50000)))},
		{"quotes", none, same(fn(strings.Repeat("'", 200000)))},
		{"long string", none, same(fn("let s = \"" + strings.Repeat("a", 8<<20) + "\"; x"))},
		{"long number", none, same(fn("x + " + strings.Repeat("9", 1<<20)))},
		{"long number in a contract", same(weak), same(contract("        r < " + strings.Repeat("9", 1<<18) + ",\n"))},
		{"long name", none, same("pub fn " + strings.Repeat("a", 1<<20) + "() {}\n")},
		{"long line", none, same(strings.Repeat("pub fn g() {} ", 1<<12))},
		{"array", none, same("pub const A: [u8; 200000] = [" + strings.Repeat("1, ", 200000) + "];\n")},
		{"arms", none, same(fn("match x { " + lines(50000, func(i int) string { return fmt.Sprintf("%d => 1, ", i) }) + "_ => 2 }"))},
		{"one name", none, same(lines(5000, func(i int) string { return "pub fn g() {}\n" }))},
		{"impls of one name", none, same("pub struct S;\n" + lines(5000, func(i int) string { return "impl S { pub fn g(&self) {} }\n" }))},
		{"all renamed", same(verus(lines(3000, func(i int) string { return fmt.Sprintf("pub fn a%d(x: u64) -> u64 { x }\n", i) }))),
			same(verus(lines(3000, func(i int) string { return fmt.Sprintf("pub fn b%d(x: u64) -> u64 { x }\n", i) })))},
		{"all renamed and edited", same(verus(lines(2000, func(i int) string { return fmt.Sprintf("pub fn a%d(x: u64) -> u64 { let y = x; y + %d }\n", i, i) }))),
			same(verus(lines(2000, func(i int) string { return fmt.Sprintf("pub fn b%d(x: u64) -> u64 { let z = x; z + %d }\n", i, i+1) })))},
		{"clauses", same(weak), same(contract(lines(1500, func(i int) string { return fmt.Sprintf("        r != %d || x < %d,\n", i, i) })))},
		{"clauses of one meaning", same(contract(lines(300, func(i int) string { return fmt.Sprintf("        r <= x + %d,\n", i) }))), same(contract(lines(300, func(i int) string { return fmt.Sprintf("        r <= %d + x,\n", 300-i) })))},
		{"disjunctions", same(weak), same(contract("        " + lines(24, func(i int) string { return fmt.Sprintf("(r == %d || x == %d) && ", i, i) }) + "true,\n"))},
		{"equivalences", same(weak), same(contract("        " + strings.Repeat("r == 1 <==> x == 2 <==> ", 200) + "true,\n"))},
		{"quantifiers", same(weak), same(contract("        " + lines(150, func(i int) string {
			return fmt.Sprintf("forall|a%d: u64| exists|b%d: u64| a%d <= b%d && (", i, i, i, i)
		}) + "r <= x" + strings.Repeat(")", 150) + ",\n"))},
		{"quantifiers over all numbers", same(weak), same(contract("        forall|a: u64, b: u64, c: u64, d: u64, e: u64, f: u64| a + b + c + d + e + f == r ==> a <= x,\n"))},
		{"definitions in a row", same(weak), same(verus(lines(5000, func(i int) string {
			return fmt.Sprintf("pub open spec fn d%d(x: int) -> bool { d%d(x) && d%d(x) }\n", i, i+1, i+1)
		})+"pub open spec fn d5000(x: int) -> bool { x > 0 }\n") + contract("        d0(r as int),\n"))},
		{"definitions of each other", same(weak), same(verus(lines(200, func(i int) string {
			return fmt.Sprintf("pub open spec fn d%d(x: int) -> bool { %strue }\n", i, lines(200, func(j int) string { return fmt.Sprintf("d%d(x) && ", j) }))
		})) + contract("        d0(r as int),\n"))},
		{"tower of squares", same(weak), same(verus("pub open spec fn s0(x: int) -> int { x * x }\n"+lines(60, func(i int) string {
			return fmt.Sprintf("pub open spec fn s%d(x: int) -> int { s%d(x) * s%d(x) }\n", i+1, i, i)
		})) + contract("        s60(r as int) >= 0,\n"))},
		{"shift by too much", same(weak), same(contract("        (r as int) < (1 << 100000000000),\n        (x >> 18446744073709551615) <= r,\n"))},
		{"power of powers", same(weak), same(verus("pub open spec fn pow(b: int, e: nat) -> int\n    decreases e,\n{\n    if e == 0 { 1 } else { b * pow(b, (e - 1) as nat) }\n}") + contract("        r <= pow(2, pow(10, 18) as nat),\n"))},
		{"sequence without end", same(weak), same(contract("        Seq::new(1000000000000nat, |i: int| i)[r as int] == x,\n        Seq::new(1000000000000nat, |i: int| i).len() > r,\n"))},
		{"recursion without end", same(weak), same(verus("pub open spec fn up(x: int) -> int\n    decreases x,\n{\n    up(x + 1) + up(x + 2)\n}") + contract("        r <= up(x as int),\n"))},
		{"traits and types", none, same(lines(200, func(i int) string { return fmt.Sprintf("pub trait T%d { fn g(&self); }\npub struct S%d;\n", i, i) }) +
			lines(200, func(i int) string {
				return lines(20, func(j int) string {
					return fmt.Sprintf("impl T%d for S%d { fn g(&self) { self.g() } }\n", (i+j)%200, i)
				})
			}))},
		{"views of each other", none, same(verus(lines(300, func(i int) string {
			return fmt.Sprintf("pub struct S%d;\nimpl View for S%d { type V = S%d; open spec fn view(&self) -> S%d { self@@@@ } }\n", i, i, (i+1)%300, (i+1)%300)
		}) + "pub fn g(s: S0) -> (r: u64)\n    ensures\n        s" + strings.Repeat("@", 5000) + " == s,\n{\n    1\n}"))},
		{"imports in a row", none, same(lines(1500, func(i int) string { return fmt.Sprintf("mod m%d { pub use crate::m%d::*; }\n", i, i+1) }) + "use m0::*;\n")},
		{"names for names", none, same(lines(2000, func(i int) string { return fmt.Sprintf("use self::n%d as n%d;\n", i+1, i) }) + fn("n0(x)"))},
		{"aliases of types", none, same(lines(3000, func(i int) string { return fmt.Sprintf("pub type A%d = A%d;\n", i, (i+1)%3000) }) + "impl A0 { pub fn g(&self) { self.g() } }\n")},
		{"macros of macros", none, same(lines(500, func(i int) string {
			return fmt.Sprintf("macro_rules! m%d { () => { m%d!() + m%d!() }; }\n", i, i+1, i+1)
		}) + fn("m0!()"))},
		{"macro input", none, same("m! { " + strings.Repeat("$ a : assum e ! ( ) # [ ] ", 10000) + "}\n")},
		{"pieces of a name", none, same("macro_rules! p { ($($x:tt)*) => {}; }\np! { " + strings.Repeat("a s s u m ", 20000) + "}\n")},
		{"bytes that are nothing", none, same("\x00" + strings.Repeat("\x01\x02\x7f", 10000) + "\n")},
		{"marks of byte order", none, same(strings.Repeat("\ufeff", 10000) + "\n")},
		{"marks of direction", none, same(fn("/* " + strings.Repeat("\u202e\u2066", 10000) + "*/ x"))},
		{"names of other alphabets", none, same(lines(5000, func(i int) string { return fmt.Sprintf("pub fn \u0430\u0435%d() {}\n", i) }))},
		{"carriage returns", none, same(strings.Repeat("// a\rfn b() {}\r", 10000) + "\n")},
		{"manifests", none, func() tree {
			out := tree{"src/lib.rs": "\n"}
			for i := range 300 {
				out[fmt.Sprintf("c%d/Cargo.toml", i)] = fmt.Sprintf("[package]\nname = \"c%d\"\nversion = \"0.1.0\"\n[dependencies]\nc%d = { path = \"../c%d\" }\n", i, (i+1)%300, (i+1)%300)
				out[fmt.Sprintf("c%d/src/lib.rs", i)] = "pub fn g() {}\n"
			}
			return out
		}()},
		{"tables of a manifest", none, tree{"src/lib.rs": "\n", "Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[" + strings.Repeat("a.", 5000) + "b]\nc = 1\n"}},
		{"arrays of a manifest", none, tree{"src/lib.rs": "\n", "Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[package.metadata]\na = " + nest(50000, "[", "", "]") + "\n"}},
		{"steps of a workflow", none, tree{"src/lib.rs": "\n", ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n" + strings.Repeat("      - uses: a/specgate@v0\n        continue-on-error: true\n", 10000)}},
		{"one command", none, tree{"src/lib.rs": "\n", "a.sh": "verus " + strings.Repeat("--no-verify || true && verus \\\n", 10000) + "\n"}},
		{"one step", none, tree{"src/lib.rs": "\n", ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      -\n" + strings.Repeat("        uses: a/specgate@v0\n", 20000)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			head := tree{}
			for name, text := range tt.head {
				head[name] = text
			}
			head["src/lib.rs"] += cheat
			r := check(t, repository(t, tt.base, head, nil))
			if r.report == nil {
				t.Fatalf("exit code %d and no report: %s", r.code, tail(r.stderr))
			}
			found := r.broken("must report trust/assume cheat") == ""
			unread := false
			for _, reason := range r.report.Reasons {
				unread = unread || reason.Stage == "parse" || reason.Stage == "read"
			}
			if !found && !unread || r.code != 1 && r.code != 3 {
				t.Errorf("exit code %d; the cheat was found: %t; something was not read: %t\n%s", r.code, found, unread, tail(r.show()))
			}
		})
	}
}

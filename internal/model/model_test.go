package model_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/model"
)

func symbols(fs []*model.Function) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Crate.Key+" "+f.Symbol)
	}
	return out
}

func find(t *testing.T, m *model.Model, symbol string) *model.Function {
	t.Helper()
	fs := m.Function(symbol)
	if len(fs) == 0 {
		t.Fatalf("no function %s in %v", symbol, symbols(m.Functions))
	}
	return fs[0]
}

// TestReadsWhatIsReached asks for one file: others are read only when something leads there.
func TestReadsWhatIsReached(t *testing.T) {
	tr := archive(t, readFile(t, "testdata/workspace.txtar"))
	m := build(t, tr, "core/src/area.rs")
	var read []string
	for _, f := range m.Files {
		read = append(read, f.Path)
	}
	// The crate's root leads to the file, and includes more.rs.
	want := []string{"core/src/area.rs", "core/src/lib.rs", "core/src/more.rs"}
	if d := cmp.Diff(want, read); d != "" {
		t.Errorf("files read: -want +got:\n%s", d)
	}
	for _, f := range m.Functions {
		if f.File.Path != "core/src/area.rs" {
			t.Errorf("%s of %s was not asked for", f.Symbol, f.File.Path)
		}
	}
	if !m.Extend([]string{"core/src/odd/place.rs", "no/such.rs"}) || m.Extend([]string{"core/src/odd/place.rs"}) {
		t.Error("Extend says the wrong thing")
	}
	find(t, m, "placed::here")
}

// TestUsers finds the functions that rest on a spec function, and those that call one, in files that nobody asked for.
func TestUsers(t *testing.T) {
	m := build(t, archive(t, readFile(t, "testdata/workspace.txtar")), "core/src/inner/deep.rs")
	helper := find(t, m, "inner::deep::helper")
	want := []string{"shape_core inner::deep::exact", "shape_core placed::here"}
	if d := cmp.Diff(want, symbols(m.ContractUsers(helper))); d != "" {
		t.Errorf("contract users: -want +got:\n%s", d)
	}
	want = []string{"app(bin) main", "shape_core placed::here"}
	if d := cmp.Diff(want, symbols(m.Callers(find(t, m, "inner::deep::exact")))); d != "" {
		t.Errorf("callers: -want +got:\n%s", d)
	}
}

// TestSpecUsers covers the ways in which a contract reaches a spec function without naming it.
func TestSpecUsers(t *testing.T) {
	m := build(t, newTree(map[string][]byte{"src/lib.rs": []byte(`
verus! {
struct Bag { n: u32 }
impl View for Bag { type V = nat; spec fn view(&self) -> nat { inner(self.n as nat) } }
spec fn inner(n: nat) -> nat { n }
impl Bag {
    #[verifier::type_invariant]
    spec fn inv(self) -> bool { self.n < 9 }
    #[verifier::when_used_as_spec(spec_len)]
    fn len(&self) -> u32 { self.n }
    spec fn spec_len(&self) -> u32 { self.n }
}
impl AddSpecImpl for Bag { spec fn add_spec(self, o: Bag) -> Bag { self } }
impl Add for Bag { type Output = Bag; fn add(self, o: Bag) -> Bag { self } }
fn by_view(b: &Bag) ensures b@ == 1 {}
fn by_len(b: &Bag) ensures b.len() == 1 {}
fn by_const(x: u32) ensures x < LIMIT {}
spec const LIMIT: u32 = 3;
fn none(x: u32) ensures x == x {}
}
`)}))
	got := map[string][]string{}
	for _, f := range m.Functions {
		if f.Mode == model.Spec {
			for _, u := range m.ContractUsers(f) {
				got[f.Symbol] = append(got[f.Symbol], u.Symbol)
			}
		}
	}
	bag := []string{"Bag::len", "<Bag as Add>::add", "by_view", "by_len"} // by the type's invariant
	want := map[string][]string{
		"<Bag as View>::view":            {"by_view"},
		"inner":                          {"by_view"},
		"Bag::inv":                       bag,
		"Bag::spec_len":                  {"by_len"},
		"<Bag as AddSpecImpl>::add_spec": {"<Bag as Add>::add"},
		"LIMIT":                          {"by_const"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := model.New(ctx, archive(t, readFile(t, "testdata/workspace.txtar")), []string{"core/src/lib.rs"})
	if !errors.Is(err, context.Canceled) || err.Error() != "index 1 files: context canceled" {
		t.Errorf("error %v", err)
	}
}

// TestResolve resolves the call `f()` in a function under many ways to import f.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"own", `fn f() {} fn t() { f() }`, "lib::f"},
		{"use", `mod a { pub fn f() {} } use a::f; fn t() { f() }`, "lib::a::f"},
		{"use as", `mod a { pub fn g() {} } use a::g as f; fn t() { f() }`, "lib::a::g"},
		{"group", `mod a { pub mod b { pub fn f() {} } } use a::{self, b::{f}}; fn t() { f() }`, "lib::a::b::f"},
		{"glob", `mod a { pub fn f() {} } use a::*; fn t() { f() }`, "lib::a::f"},
		{"two globs deep", `mod a { pub use super::b::*; } mod b { pub fn f() {} } use a::*; fn t() { f() }`, "lib::b::f"},
		{"named before glob", `mod a { pub fn f() {} } mod b { pub fn f() {} } use a::*; use b::f; fn t() { f() }`, "lib::b::f"},
		{"re-export", `mod a { pub use crate::b::g as f; } mod b { pub fn g() {} } fn t() { a::f() }`, "lib::b::g"},
		{"in body", `mod a { pub fn f() {} } fn f() {} fn t() { use a::f; f() }`, "lib::a::f, lib::f"},
		{"nested", `fn t() { fn f() {} f() }`, "lib::t::f"},
		{"super", `fn f() {} mod a { fn t() { super::f() } }`, "lib::f"},
		{"crate", `fn f() {} mod a { mod b { fn t() { crate::f() } } }`, "lib::f"},
		{"self", `fn f() {} fn t() { self::f() }`, "lib::f"},
		{"raw", `fn r#f() {} fn t() { r#f() }`, "lib::f"},
		{"std", `use std::mem::swap as f; fn t() { f() }`, "core::mem::swap"},
		{"alloc", `use alloc::vec::f; fn t() { f() }`, "core::vec::f"},
		{"old builtin", `use builtin::admit as f; fn t() { f() }`, "verus_builtin::admit"},
		{"unknown crate", `use rand::f; fn t() { f() }`, "rand::f"},
		{"unknown", `fn t() { f() }`, "?f"},
		{"foreign glob", `use rand::*; fn t() { f() }`, "?f in rand::*"},
		{"vstd glob", `use vstd::prelude::*; fn t() { f() }`, "?f"},
		{"Self", `struct S; impl S { fn f() {} fn t() { Self::f() } }`, "lib::S::f"},
		{"alias", `struct S; type A = S; impl S { fn f() {} } fn t() { A::f() }`, "lib::S::f"},
		{"trait", `struct S; trait T { fn f(); } impl T for S { fn f() {} } fn t() { <S as T>::f() }`, "lib::<S as T>::f"},
		{"local", `fn f() {} fn t() { let f = 1; f() }`, ""},
		{"local ends", `fn f() {} fn t() { { let f = 1; } f() }`, "lib::f"},
		{"closure", `fn f() {} fn t() { let g = |f: u8| f; f() }`, "lib::f"},
		{"parameter", `fn f() {} fn t(f: F) { f() }`, ""},
		{"arm", `fn f() {} fn t() { match x { Some(f) => f(), None => 1 } }`, ""},
		{"if let", `fn f() {} fn t() { if let Some(f) = x { 1 } else { f() } }`, "lib::f"},
		{"circle", `mod a { pub use super::b::*; } mod b { pub use super::a::*; } use a::*; fn t() { f() }`, "?f"},
		{"circle of names", `use a::f; mod a { pub use super::f; } fn t() { f() }`, "?f"},
	} {
		m := build(t, newTree(map[string][]byte{"src/lib.rs": []byte(c.body)}))
		var got []string
		for _, f := range m.Functions {
			if f.Name != "t" {
				continue
			}
			for _, r := range f.ExecRefs {
				if l := strings.Split(strings.TrimPrefix(r.Written, "r#"), "::"); l[len(l)-1] == "f" {
					got = append(got, r.To)
				}
			}
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("%s: f resolves to %q, want %q", c.name, g, c.want)
		}
	}
}

// TestHostile builds models of trees that lead in circles.
func TestHostile(t *testing.T) {
	for name, text := range map[string]string{
		"path to itself":    `#[path = "lib.rs"] mod a;`,
		"include of itself": `include!("lib.rs"); fn f() {}`,
		"alias circle":      `type A = B; type B = A; impl A { fn f() { Self::g(); A::h() } }`,
		"trait circle":      `trait A: B { fn f() { Self::f() } } trait B: A {} impl A for A {}`,
		"macro circle":      `macro_rules! a { () => { b!() } } macro_rules! b { () => { a!() } } verus! { fn f() { a!() } }`,
		"spec circle":       `verus! { spec fn a() -> int { b() } spec fn b() -> int { a() } proof fn p() ensures a() == 1 { q() } proof fn q() { p() } }`,
		"super of root":     `fn f() { super::super::g() } use super::*;`,
		"nested":            `fn f() {` + strings.Repeat("{", 3000) + strings.Repeat("}", 3000) + `}`,
		"mods":              strings.Repeat("mod a {", 500) + strings.Repeat("}", 500),
		"attributes":        `#[` + strings.Repeat("cfg_attr(x,", 300) + `y` + strings.Repeat(")", 300) + `] fn f() {}`,
		"unclosed":          `verus! { fn f( #[verifier( `,
		"empty paths":       `use ::{}; use *; use {a, b as _}; impl <T>::X for Y {}`,
		"macro ladder":      ladder("macro_rules! a%d { () => { a%d!(); b%d!() } } macro_rules! b%d { () => { a%d!(); b%d!() } }\n") + "fn f() { a0!() }",
		"glob ladder":       ladder("mod a%d { pub use crate::a%d::*; pub use crate::b%d::*; } mod b%d { pub use crate::a%d::*; pub use crate::b%d::*; }\n") + "use a0::*; fn f() { g() }",
		"alike":             strings.Repeat("fn f() { g(); }\n", 3000) + strings.Repeat("impl S { fn f(&self) { self.f() } }\n", 500),
	} {
		m := build(t, newTree(map[string][]byte{"src/lib.rs": []byte(text)}))
		for _, f := range m.Functions[:min(len(m.Functions), 20)] {
			m.Trusted(f)
			m.SpecReach(f)
			m.ContractUsers(f)
			m.Callers(f)
		}
		if slices.ContainsFunc(m.Functions, func(f *model.Function) bool { return f.Symbol == "" }) {
			t.Errorf("%s: a function without a symbol", name)
		}
	}
}

// ladder writes a line for each rung: its number, and those of what it leads to.
func ladder(line string) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, line, i, i+1, i+1, i, i+1, i+1)
	}
	return b.String()
}

func BenchmarkModel(b *testing.B) {
	files := map[string][]byte{}
	var load []string
	var root strings.Builder
	size := 0
	for i := range 100 {
		var s strings.Builder
		s.WriteString("use vstd::prelude::*;\nuse crate::m0::*;\nverus! {\n")
		for j := range 100 {
			fmt.Fprintf(&s, `
pub open spec fn spec_%[1]d_%[2]d(x: int) -> bool { 0 <= x && x < %[2]d }
/// Adds up.
pub fn run_%[1]d_%[2]d(x: u32, v: &Vec<u32>) -> (r: u32)
    requires spec_%[1]d_%[2]d(x as int), v.len() > %[2]d,
    ensures r == v[%[2]d] || r == x, forall|i: int| 0 <= i < v.len() ==> v[i] >= 0,
{
    let mut i = 0;
    while i < x
        invariant i <= x,
        decreases x - i,
    {
        proof { assert(i + 1 <= x) by { lemma(i as int); } }
        i = i + 1;
    }
    if v[%[2]d] > x { v[%[2]d] } else { crate::m0::run_0_1(x, v) }
}
`, i, j)
		}
		s.WriteString("}\n")
		p := fmt.Sprintf("src/m%d.rs", i)
		files[p] = []byte(s.String())
		size += s.Len()
		load = append(load, p)
		fmt.Fprintf(&root, "pub mod m%d;\n", i)
	}
	files["src/lib.rs"] = []byte(root.String())
	tr := newTree(files)
	for p := range files {
		if _, err := tr.Parse(p); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		build(b, tr, load...)
	}
}

// TestLostNames says that a function is not understood when its names lead through more imports than are followed.
func TestLostNames(t *testing.T) {
	const code = "use a0::*; verus! { proof fn f() { g(false) } proof fn h() { f() } }"
	// Many ways to few modules are no trouble.
	ways := ladder("mod a%d { pub use crate::a%d::*; pub use crate::b%d::*; } mod b%d { pub use crate::a%d::*; pub use crate::b%d::*; }\n")
	m := build(t, newTree(map[string][]byte{"src/lib.rs": []byte(ways + code)}))
	if f := find(t, m, "f"); len(f.Unknown) != 0 {
		t.Errorf("f has unknown places %v where many ways lead to its names, want none", f.Unknown)
	}
	var chain strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&chain, "mod a%d { pub use crate::a%d::*; }\n", i, i+1)
	}
	m = build(t, newTree(map[string][]byte{"src/lib.rs": []byte(chain.String() + code)}))
	if f := find(t, m, "f"); len(f.Unknown) != 1 {
		t.Errorf("f has unknown places %v, want one", f.Unknown)
	}
	if h := find(t, m, "h"); len(h.Unknown) != 0 {
		t.Errorf("h has unknown places %v, want none", h.Unknown)
	}
}

package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// reaching is a crate in which the function `measured` comes to others in every way that there is, but not to those whose names begin with far.
var reaching = map[string]string{
	"Cargo.toml": "[package]\nname = \"reaching\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"src/lib.rs": `use vstd::prelude::*;
pub mod deep;
pub mod far;
use deep::{inner as renamed, Low};
use far::far_alone;

macro_rules! doubled {
    ($e:expr) => { by_macro($e) + /// attribute
        0 };
}

verus! {

pub const LIMIT: u8 = by_constant(4);

pub struct Pair { pub a: u8, pub b: Low }

pub enum Way { Left, Right(u8) }

pub type Alias = Pair;

pub trait Sized2 {
    spec fn size2(&self) -> int;

    fn twice(&self) -> (r: u8)
        ensures r as int == self.size2(),
    {
        by_default(0)
    }
}

impl Sized2 for Pair {
    open spec fn size2(&self) -> int { by_trait_spec(self.a as int) }
}

impl Drop for Pair {
    fn drop(&mut self) opens_invariants none no_unwind { by_drop(); }
}

impl<T: Sized2> Sized2 for Vec<T> {
    open spec fn size2(&self) -> int { 0 }
}

impl core::ops::Add for Pair {
    type Output = Pair;

    fn add(self, o: Pair) -> Pair { by_operator(self, o) }
}

impl Pair {
    #[verifier::type_invariant]
    spec fn holds(self) -> bool { by_invariant(self.a as int) }

    pub closed spec fn told_apart(&self) -> int { self.b as int }

    pub fn last(&self) -> u8 { by_method(self) }

    pub fn far_method(&self) -> u8 { self.a }

    pub proof fn far_lemma(&self) ensures self.a >= 0 { assert(self.a >= 0); }
}

pub fn by_macro(x: u8) -> u8 { x }
pub const fn by_constant(x: u8) -> u8 { x }
pub fn by_default(x: u8) -> u8 { x }
pub open spec fn by_trait_spec(x: int) -> int { x }
pub fn by_drop() { }
pub fn by_operator(x: Pair, y: Pair) -> Pair { x }
pub open spec fn by_invariant(x: int) -> bool { x >= 0 }
pub fn by_method(p: &Pair) -> u8 { by_another(p.a) }
pub fn by_another(x: u8) -> u8 { x }
pub fn by_closure(x: u8) -> u8 { x }
pub open spec fn by_contract(x: int) -> bool { by_definition(x) }
pub closed spec fn by_definition(x: int) -> bool { x >= 0 }
pub fn by_value(x: u8) -> u8 { x }
pub fn by_generic<T: Copy>(x: T) -> T { x }
#[verifier::when_used_as_spec(by_attribute)]
pub fn with_attribute(x: u8) -> u8 { x }
pub open spec fn by_attribute(x: u8) -> u8 { x }
pub proof fn by_proof(x: int) ensures x == x { }

pub fn with_macro(x: u8) -> u8 { doubled!(x) }

pub fn measured(v: &Vec<u8>, w: Way, p: Alias) -> (r: u8)
    requires v.len() < LIMIT, by_contract(v.len() as int), with_attribute(3) == 3,
    ensures r >= 0,
{
    proof { by_proof(1); }
    let f = |x: u8| by_closure(x);
    let g: fn(u8) -> u8 = by_value;
    let low = with_macro(p.twice());
    f(g(by_generic(renamed(low)))) + p.first()
}

pub fn far_caller(v: &Vec<u8>, p: Alias) -> u8
    requires far_spec(v.len() as int),
{
    let r = p.far_method();
    proof { p.far_lemma(); assert(far_spec(r as int)); }
    println!("{}", r);
    if r as int == 0 { 1 } else { far_callee(r) }
}

pub fn far_callee(x: u8) -> u8 { x }

pub open spec fn far_spec(x: int) -> bool { x >= 0 }

} // verus!
`,
	"src/deep.rs": `use vstd::prelude::*;
verus! {
pub type Low = u8;
pub fn inner(x: u8) -> u8 { helper(x) }
fn helper(x: u8) -> u8 { x }
fn far_helper(x: u8) -> u8 { far_away(x) }
fn far_away(x: u8) -> u8 { x }
// The function has this macro in its body, and nobody knows what it makes.
fn unclear(x: u8) -> u8 { doubled!(x) }
fn with_impl(x: u8) -> u8 { impl Clone for super::Way { fn clone(&self) -> Self { super::Way::Left } } x }
#[no_mangle]
fn exported(x: u8) -> u8 { x }
fn casts(x: u8) -> u8 { x as Ghost }
}
`,
	"src/far.rs": "fn far_alone() { let far_name = 1; }\n",
}

func inMemory(t *testing.T, files map[string]string) *tree {
	t.Helper()
	tr := &tree{ctx: t.Context(), store: newStore(), entries: map[string]gitrepo.Entry{}, all: true}
	for p, text := range files {
		tr.paths = append(tr.paths, p)
		if isRust(p) {
			tr.rust = append(tr.rust, p)
		}
		tr.entries[p] = gitrepo.Entry{Path: p, Kind: gitrepo.File, ID: p}
		tr.store.blobs[p] = gitrepo.Content{Data: []byte(text)}
	}
	slices.Sort(tr.paths)
	slices.Sort(tr.rust)
	return tr
}

// reachedBy is a hash of what a function depends on; empty if that is all of its crate.
func reachedBy(t *testing.T, files map[string]string, symbol string) (key, doubt string) {
	t.Helper()
	tr := inMemory(t, files)
	m, err := tr.model(t.Context(), tr.rust, 1)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Functions, func(f *model.Function) bool { return f.Symbol == symbol })
	if i < 0 {
		return "", "it is gone"
	}
	rc, err := tr.reachOf(scope{paths: tr.paths})
	if err != nil {
		t.Fatal(err)
	}
	f := m.Functions[i]
	sum, ok := rc.of(f, mutate.Mutants(f, mutate.Options{}))
	if !ok {
		return "", rc.doubt
	}
	return sum.String(), rc.doubt
}

func edited(files map[string]string, name, text string) map[string]string {
	out := map[string]string{}
	for n, t := range files {
		out[n] = t
	}
	out[name] = text
	return out
}

// farSpans are the functions of a text whose names begin with far, by what parts their texts have.
func farSpans(name, text string) []source.Span {
	var out []source.Span
	syntax.Parse(source.NewFile(name, []byte(text))).Root().Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Fn && strings.HasPrefix(n.Get(syntax.FName).Text(), "far") {
			out = append(out, n.Span())
		}
		return true
	})
	return out
}

// TestReachEveryToken: whatever token of the crate is left out or is another one, the key of a function is another one, or there is none. Only
// tokens of functions that it cannot come to make no difference; and none of these does.
func TestReachEveryToken(t *testing.T) {
	first, doubt := reachedBy(t, reaching, "measured")
	if first == "" {
		t.Fatalf("there is no key: %s", doubt)
	}
	same := 0
	for name, text := range reaching {
		if !isRust(name) {
			continue
		}
		far := farSpans(name, text)
		for tok := range syntax.Parse(source.NewFile(name, []byte(text))).Root().Tokens() {
			s := tok.Span()
			inFar := slices.ContainsFunc(far, func(f source.Span) bool { return f.Start <= s.Start && s.End <= f.End })
			for _, instead := range []string{"", tok.Text() + "_other", "far_other"} {
				now := text[:s.Start] + instead + text[s.End:]
				if len(syntax.Parse(source.NewFile(name, []byte(now))).Errors) > 0 || now == text {
					continue
				}
				// What is far with one token less may be near.
				stays := inFar && slices.EqualFunc(farSpans(name, now), far, func(a, b source.Span) bool { return a.Start == b.Start || a.End == b.End+len(now)-len(text) })
				got, _ := reachedBy(t, edited(reaching, name, now), "measured")
				if inFar && stays && got == first {
					same++
				}
				if !inFar && got == first {
					t.Errorf("%s: %q instead of %q at %s is not noticed", name, instead, tok.Text(), source.NewFile(name, []byte(text)).Position(s.Start))
				}
			}
		}
	}
	if same < 100 {
		t.Errorf("only %d edits of what it does not come to make no difference", same)
	}
}

// TestReachKinds: edits of each kind, and whether the function depends on what they change.
func TestReachKinds(t *testing.T) {
	first, _ := reachedBy(t, reaching, "measured")
	lib := func(old, now string) map[string]string {
		t.Helper()
		if !strings.Contains(reaching["src/lib.rs"], old) {
			t.Fatalf("there is no %q", old)
		}
		return edited(reaching, "src/lib.rs", strings.Replace(reaching["src/lib.rs"], old, now, 1))
	}
	const (
		same  = "same"
		other = "other"
		none  = "none"
	)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", reaching, same},
		{"the body of a function that is not reached", lib("let r = p.far_method();", "let mut r = p.far_method(); while r > 0 { r = r - 1; }"), same},
		{"its contract", lib("requires far_spec(v.len() as int),", "requires true,"), same},
		{"its parameters", lib("pub fn far_callee(x: u8)", "pub fn far_callee(x: u8, y: Way)"), same},
		{"a function more", lib("pub fn far_callee", "pub fn far_more(p: Pair) -> Pair { p }\npub fn far_callee"), same},
		{"one less, and what called it", lib("pub fn far_callee(x: u8) -> u8 { x }", ""), same},
		{"a function that is imported", edited(reaching, "src/far.rs", "pub fn far_alone() { }\n"), same},
		{"a lemma", lib("{ assert(self.a >= 0); }", "{ assert(self.a >= 0) by { }; }"), same},
		{"comments", edited(reaching, "src/lib.rs", "// First.\n"+strings.Replace(strings.ReplaceAll(reaching["src/lib.rs"], "\n\npub ", "\n\n/// More.\npub "), "\n\n/// More.\npub fn measured", "\n\npub fn measured", 1)), same},
		{"a comment in it", lib("let f = |", "/* f */ let f = |"), other},
		{"a comment that a macro may tell", lib("/// attribute", "/// other attribute"), other},
		{"where it stands on its line", lib("\npub fn measured", "\n pub fn measured"), other},
		{"what stands on its line", lib("+ p.first()\n}", "+ p.first()\n} // end"), other},
		{"a method for which a mutant has it", lib("by_method(self) }", "by_method(self) + 1 }"), other},
		{"what that calls", lib("pub fn by_another(x: u8) -> u8 { x }", "pub fn by_another(x: u8) -> u8 { 0 }"), other},
		{"a function of the same name elsewhere", edited(reaching, "src/far.rs", "pub fn helper(x: u8) -> u8 { 0 }\n"), other},
		{"a trait", edited(reaching, "src/far.rs", "trait Far { fn inner(&self) -> u8 { 0 } }\n"), other},
		{"an impl of another type", edited(reaching, "src/far.rs", "impl PartialEq for super::Way { fn eq(&self, o: &Self) -> bool { true } }\n"), other},
		{"a method of another type", edited(reaching, "src/far.rs", "impl super::Way { fn twice(&self) -> u8 { 0 } }\n"), other},
		{"a glob", edited(reaching, "src/far.rs", "use super::*;\n"), other},
		{"an attribute for the crate", edited(reaching, "src/lib.rs", "#![allow(unused)]\n"+reaching["src/lib.rs"]), other},
		{"a file more", edited(reaching, "src/none.rs", ""), other},
		{"a text of the package", edited(reaching, "README.md", "x"), other},
		{"the manifest", edited(reaching, "Cargo.toml", strings.Replace(reaching["Cargo.toml"], "2021", "2018", 1)), other},
		{"syntax that is not understood", edited(reaching, "src/far.rs", "fn far( {"), none},
		{"where it stands can be seen", lib("fn by_another(x: u8) -> u8 { x }", "fn by_another(x: u8) -> u8 { line!() as u8 }"), none},
		{"and is seen elsewhere", lib("let r = p.far_method();", "let r = line!();"), none}, // what has a macro that is not known counts
		{"a macro with another's name", lib("macro_rules! doubled", "macro_rules! assert_eq { () => {} }\nmacro_rules! doubled"), none},
		{"a macro by another's name", lib("use deep::{", "use deep::m as vec;\nuse deep::{"), none},
		{"macros that make macros", lib("macro_rules! doubled", "macro_rules! more { ($n:ident) => { macro_rules! $n { () => {} } } }\nmacro_rules! doubled"), none},
		{"a file that is none of text", edited(reaching, "src/far.rs", "\xff"), none},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := other
			switch key, _ := reachedBy(t, c.files, "measured"); key {
			case "":
				got = none
			case first:
				got = same
			}
			if got != c.want {
				t.Errorf("the key is %s, want %s", got, c.want)
			}
		})
	}
}

// TestReachParts: which functions are parts.
func TestReachParts(t *testing.T) {
	var got []string
	for _, name := range []string{"src/deep.rs", "src/far.rs", "src/lib.rs"} {
		var parts []syntax.Node
		findParts(syntax.Parse(source.NewFile(name, []byte(reaching[name]))).Root(), false, &parts)
		for _, n := range parts {
			got = append(got, n.Get(syntax.FName).Text())
		}
	}
	want := []string{"inner", "helper", "far_helper", "far_away", "far_alone"} // and not those that do more
	for _, m := range regexp.MustCompile(`(?m)^pub .*fn (\w+)|^    pub (?:proof )?fn (\w+)`).FindAllStringSubmatch(reaching["src/lib.rs"], -1) {
		if name := m[1] + m[2]; name != "with_macro" {
			want = append(want, name)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
	for _, text := range []string{
		"#[no_mangle] fn f() {}", "#[export_name = \"g\"] fn f() {}", "extern \"C\" fn f() {}", "async fn f() {}", "#[my::attr] fn f() {}", "#[verifier::type_invariant] fn f() {}",
		"#[allow(type_invariant)] fn f() {}", "#[cfg_attr(x, no_mangle)] fn f() {}", "fn f();", "fn f() { struct S; }", "fn f() { fn g() {} }", "fn f() { use a::Ghost; }",
		"fn f() { static X: u8 = 0; }", "fn f() { const X: u8 = 0; }", "fn f() { macro_rules! m { () => {} } }", "fn f() { mine!() }", "fn f() { std::vec![] }", "fn f() { vec![mine!()] }",
		"fn f() { vec![{ struct S; }] }", "fn f() { println!(\"{}\", { impl A for B {} 0 }) }", "fn f() { #[my] let x = 1; }", "fn f<const Ghost: u8>() {}", "fn f(p: *const Ghost) {}",
		"fn f() { let x = 0 as Ghost; }", "fn f() { let x = 0 as proof; }", "trait T { fn f() {} }", "impl T for S { fn f() {} }", "impl S { spec fn f(&self) -> int { 0 } }",
		"state_machine! { M { fn f() {} } }", "mod m { #[no_mangle] fn f() {} }",
	} {
		var parts []syntax.Node
		findParts(syntax.Parse(source.NewFile("f.rs", []byte("verus! { "+text+" }"))).Root(), false, &parts)
		if len(parts) > 0 {
			t.Errorf("%s: counts only where its name stands", text)
		}
	}
	for i, text := range []string{"fn f() {}", "pub const unsafe fn f() -> u8 { 0 }", "#[inline] proof fn f() { assert(true) by { }; }", "spec fn f() -> int { 0 }", "mod m { mod n { fn f() { vec![1] } } }",
		"impl S { proof fn f() {} }", "impl<T: A> S<T> { fn f(self) -> Self { self } }", "#[cfg(x)] mod m { fn f() { let x = 0 as u8 as S as int; assert_eq!(!(a), b); } }"} {
		var parts []syntax.Node
		findParts(syntax.Parse(source.NewFile("f.rs", []byte(fmt.Sprintf("verus! { %s }", text)))).Root(), false, &parts)
		if len(parts) != 1 {
			t.Errorf("%d. %s: counts always", i, text)
		}
	}
}

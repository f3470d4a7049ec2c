package syntax

import (
	gocontext "context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/source"
)

// parseText parses text as a file.
func parseText(text string) *File { return Parse(source.NewFile("test.rs", []byte(text))) }

// checkErasure checks what must hold for any text: nothing panics, erasing erases all, and what the projection and the erasure
// say about executable code agrees.
func checkErasure(f *File) string {
	root := f.Root()
	for _, opts := range []EraseOptions{{}, {Prelude: "crate::erased"}} {
		erased := Erase(f, opts)
		g := Parse(source.NewFile("erased.rs", erased))
		if len(f.Errors) > 0 {
			continue // what could not be read is copied as it is
		}
		if len(g.Errors) > 0 {
			return "erased text has errors: " + g.Errors[0].Message + "\n" + string(erased)
		}
		if again := Erase(g, opts); string(again) != string(erased) {
			return "erasing again changes the text:\n" + cmp.Diff(string(erased), string(again))
		}
		if a, b := strings.Count(string(f.Source.Text), "\n"), strings.Count(string(erased), "\n"); a != b {
			return "the number of lines changed"
		}
		if opts.Prelude != "" || eraseFile(f, opts).spec {
			continue // the text has other imports, or a form of its own for operators that no executable code has
		}
		if a, b := execText(root, true, nil), execText(g.Root(), true, nil); a != b {
			return "executable code before and after erasing:\n" + cmp.Diff(lines(a), lines(b))
		}
	}
	if len(f.Errors) == 0 {
		if c := Canon(root); c != Canon(root) {
			return "Canon is not a function of its input"
		}
	}
	Exec(root)
	return ""
}

// lines breaks canonical text up for a readable diff.
func lines(s string) []string {
	return strings.Split(strings.NewReplacer("; ", ";\n", "{ ", "{\n", "} ", "}\n").Replace(s), "\n")
}

func TestErasureProperties(t *testing.T) {
	dirs := []string{"../../testdata", "testdata"}
	if dir := os.Getenv("SPECGATE_CORPUS"); dir != "" {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		files := rustFiles(t, dir)
		if len(files) == 0 {
			t.Fatalf("no Rust files in %s", dir)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if msg := checkErasure(Parse(source.NewFile(path, text))); msg != "" {
				t.Errorf("%s: %s", path, msg)
			}
		}
	}
}

// sample is a file that is compiled twice: through Verus's macros and erased.
type sample struct {
	name string // of its Rust modules
	file *File
	// driver is appended to both texts: `pub fn run(out: &mut Vec<String>)`, unless the text has it.
	driver string
}

// samples are the files of testdata/erase/samples and of testdata/corpus.
func samples(t *testing.T) []sample {
	t.Helper()
	drivers := map[string]string{} // by the function that they call
	for _, path := range rustFiles(t, filepath.Join(eraseDir, "drivers")) {
		drivers[strings.TrimSuffix(filepath.Base(path), ".rs")] = readFile(t, path)
	}
	var all []sample
	for _, path := range append(rustFiles(t, filepath.Join(eraseDir, "samples")), rustFiles(t, "../../testdata/corpus")...) {
		text := readFile(t, path)
		s := sample{name: strings.TrimSuffix(filepath.Base(path), ".rs"), file: Parse(source.NewFile(path, []byte(text)))}
		if dir := filepath.Base(filepath.Dir(path)); dir != "samples" {
			s.name = strings.ReplaceAll(dir, "-", "_") + "_" + s.name
		}
		if !strings.Contains(text, "pub fn run(") {
			s.driver = "\npub fn run(_: &mut Vec<String>) {}\n"
			for name, d := range drivers {
				// Without a decreases clause it may never return.
				if strings.Contains(text, "pub fn "+name+"(") && !strings.Contains(text, "exec_allows_no_decreases_clause") {
					s.driver = "\n" + d
				}
			}
		}
		all = append(all, s)
	}
	if len(all) < 60 {
		t.Fatalf("only %d samples", len(all))
	}
	return all
}

const eraseDir = "../../testdata/erase"

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// needsVstd tells samples whose executable code calls vstd.
var needsVstd = map[string]bool{"atomics": true, "invariants": true, "mutable_refs": true, "reverse_in_place_base": true, "reverse_in_place_head": true}

// TestErasedTextRuns compiles every sample with the published macros and erased, with and without vstd, and compares what the
// programs print.
func TestErasedTextRuns(t *testing.T) {
	sandboxtest.Oracle.Program(t, "cargo")
	dir := t.TempDir()
	for _, name := range []string{"Cargo.toml", "Cargo.lock", "with/Cargo.toml", "without/Cargo.toml"} {
		writeFile(t, filepath.Join(dir, name), readFile(t, filepath.Join(eraseDir, name)))
	}
	with, without := newProgram(filepath.Join(dir, "with/src")), newProgram(filepath.Join(dir, "without/src"))
	without.text.WriteString("mod erased;\n")
	writeFile(t, filepath.Join(dir, "without/src/erased.rs"), ErasedPrelude)
	all := samples(t)
	for _, s := range all {
		with.add(t, "original_"+s.name, string(s.file.Source.Text)+s.driver)
		with.add(t, "erased_"+s.name, string(Erase(s.file, EraseOptions{}))+s.driver)
		if !needsVstd[s.name] {
			without.add(t, "erased_"+s.name, string(Erase(s.file, EraseOptions{Prelude: "crate::erased"}))+s.driver)
		}
	}
	with.write(t)
	without.write(t)
	target := os.Getenv("SPECGATE_ORACLE_TARGET")
	if target == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		target = filepath.Join(cache, "specgate-tests")
	}
	target = filepath.Join(target, "erase")
	cargo := exec.Command("cargo", "build", "--locked", "--quiet", "--jobs", "2")
	cargo.Dir = dir
	cargo.Env = append(os.Environ(), "CARGO_TARGET_DIR="+target, "RUSTFLAGS=-Awarnings")
	if out, err := cargo.CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, out)
	}
	original, erased := map[string]string{}, map[string]string{}
	printed := runProgram(t, filepath.Join(target, "debug/with"))
	for name, out := range printed {
		if rest, ok := strings.CutPrefix(name, "original_"); ok {
			original[rest] = out
		} else {
			erased[strings.TrimPrefix(name, "erased_")] = out
		}
	}
	if len(original) != len(all) {
		t.Errorf("%d samples ran, want %d", len(original), len(all))
	}
	if diff := cmp.Diff(original, erased); diff != "" {
		t.Errorf("what the samples print, through Verus's macros (-) and erased (+):\n%s", diff)
	}
	for name, out := range runProgram(t, filepath.Join(target, "debug/without")) {
		name = strings.TrimPrefix(name, "erased_")
		if diff := cmp.Diff(original[name], out); diff != "" {
			t.Errorf("what %s prints, through Verus's macros (-) and erased without vstd (+):\n%s", name, diff)
		}
	}
}

// program is a Rust program made of modules that it runs one after the other.
type program struct {
	dir        string
	text, main strings.Builder
}

func newProgram(dir string) *program { return &program{dir: dir} }

func (p *program) add(t *testing.T, module, text string) {
	writeFile(t, filepath.Join(p.dir, module+".rs"), text)
	fmt.Fprintf(&p.text, "mod %s;\n", module)
	fmt.Fprintf(&p.main, "    let mut out = Vec::new();\n    %s::run(&mut out);\n    println!(\"== %[1]s\\n{}\", out.join(\"\\n\"));\n", module)
}

func (p *program) write(t *testing.T) {
	writeFile(t, filepath.Join(p.dir, "main.rs"), p.text.String()+
		"pub struct Plain;\npub fn helper(x: u32) -> u32 { x }\n\nfn main() {\n"+p.main.String()+"}\n")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runProgram returns what each module printed.
func runProgram(t *testing.T, path string) map[string]string {
	t.Helper()
	ctx, cancel := gocontext.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	printed := map[string]string{}
	for _, part := range strings.Split(string(out), "== ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		printed[name] = text
	}
	return printed
}

// execOf is Exec of a file that is read without errors.
func execOf(t *testing.T, text string) string {
	t.Helper()
	f := parseText(text)
	if len(f.Errors) > 0 {
		t.Fatalf("%s\n%s", f.Errors[0].Message, text)
	}
	return Exec(f.Root())
}

func TestExecText(t *testing.T) {
	text := `use vstd::prelude::*;
verus! {
/// Doc.
#[inline]
#[verifier::external_body]
pub fn f(x: u8, Ghost(g): Ghost<int>) -> (r: (u8, Tracked<T>))
    requires x < 10,
    ensures r.0 == x,
{
    proof { lemma(); }
    let ghost y = 1;
    let Tracked(t) = make(x, Ghost(y));
    let mut i = 0;
    while i < x invariant i <= x { i += 1_0; assert(i > 0); }
    if i > 3 { return (i, Tracked(t)); } else { proof { } }
    return ((i + 1) * 2, Tracked(t));
}
spec fn g() -> int { 1 }
}
`
	want := "fn f(x: u8) -> u8 { make(x); let mut i = 0; while (i < x) { i += 10 }; if (i > 3) { return i }; (i + 1) * 2 }"
	if diff := cmp.Diff(want, execOf(t, text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f := parseText(text)
	for n := range f.Root().Children() {
		n.Walk(func(c Node) bool {
			if c.Kind() == Fn && c.Get(FName).Text() == "f" {
				if diff := cmp.Diff(want, Exec(c)); diff != "" {
					t.Errorf("of the function (-want +got):\n%s", diff)
				}
			}
			if c.Kind() == Fn && c.Get(FName).Text() == "g" && Exec(c) != "" {
				t.Errorf("a spec function is %s", Exec(c))
			}
			return true
		})
	}
}

func TestExecEqual(t *testing.T) {
	const rest = " fn a(x: u8) -> u8 { x }"
	bodies := [][]string{ // of an executable function
		{"f(x)", "f(x,)", "(f((x)))", "{ f(x) }", "return f(x);", "return f(x)", "f(x) /* c */", "proof { lemma() } f(x)", "assert(x > 0); f(x)",
			"assume(x > 0); f(x)", "assert forall|i: int| p(i) by {} f(x)", "let ghost y = g(x); f(x)", "let tracked y = x; f(x)", "reveal(p); f(x)",
			"f(x, Ghost(y))", "f(Tracked(y), x)", "f(x, Ghost::assume_new())", "f(x, Tracked::<T>(y))", "f(x, Ghost::<int>::assume_new())",
			"let y = Ghost(1int); f(x, y)", "let y: Tracked<T> = Tracked(t); f(y, x)", "proof! { } f(x)", "proof_decl! { let ghost g = 1; } f(x)",
			"broadcast use p; f(x)", "hide(p); f(x)", "; f(x)", "#[allow(unused)] f(x)", "{ } f(x)", "{ proof { } } f(x)"},
		{"f(x);", "f(x); proof { }", "f(x); assert(true)", "f(x); return;", "f(x); let ghost y = 1;", "let Ghost(g) = f(x);", "let (Ghost(g), Tracked(t)) = f(x);"},
		{"let a = f(x); a", "let (a, Ghost(g)) = f(x); a", "let a = { assert(true); f(x) }; a"},
		{"(x, 1)", "(x, 1, Ghost(2))", "(Tracked(t), x, 1)"},
		{"if c { f() } g()", "if c { f() } else { } g()", "if c { f() }; g()", "if c { f() } else { proof { } } g()", "if (c) { f() } else { assert(c) } g()"},
		{"match x { A => f(), B => {} }", "match x { A => { f() } B => proof { lemma() }, }", "match x { A => f(), B => (), }", "match x { A => { assert(true); f() } B => { proof { } } }", "match x { A => f(), B => assert(true), }"},
		{"while c { f() }", "while c invariant a, b { f() }", "while (c) decreases x { proof { } f() }", "while c { f() };", "#[verifier::loop_isolation(false)] while c { f() }"},
		{"for i in 0..n { f() }", "for i in it: 0..n invariant it.p() { f() }"},
		{"loop { break; }", "loop invariant a ensures b decreases c { break }"},
		{"let f = |x: u8| -> u8 { x };", "let f = |x: u8| -> (r: u8) requires x > 0 ensures r == x { x };", "let f = |x: u8, Ghost(g): Ghost<int>| -> u8 { assert(true); x };"},
		{"S { a: x }", "S { a: x, g: Ghost(1) }", "S { a: x, g: Tracked(t), }"},
		{"let S { a: a, .. } = x;", "let S { a, g: Ghost(h), .. } = x;"},
		{"self.n = 1;", "self.n = 1; self.g = Ghost(2);", "self.n = 1; (*self).g = Tracked(t);", "self.n = 1"},
		{"let x = Some(Ghost(1));", "let x = Some(Ghost(2));"},
		{"1000", "1_000"},
		{"x as u8", "(x) as (u8)"},
		{"f::<T>()", "f::<T,>()"},
	}
	for _, class := range bodies {
		want := execOf(t, "verus! { fn f() { "+class[0]+" } }")
		for _, other := range class[1:] {
			if diff := cmp.Diff(want, execOf(t, "verus! { fn f() { "+other+" } }")); diff != "" {
				t.Errorf("%s and %s:\n%s", class[0], other, diff)
			}
		}
	}
	items := [][]string{
		{rest, "fn a(x: u8) -> (r: u8) requires x > 0, ensures r == x { x }", "pub exec fn a(x: u8, Ghost(g): Ghost<int>) -> u8 { x }",
			"#[inline(always)] #[must_use] #[verifier::external_body] fn a(x: u8) -> (u8) { return x; }", "fn a(x: u8, t: &mut Tracked<T>) -> u8 { x }",
			"fn a(x: u8) -> ((r, Ghost(g)): (u8, Ghost<int>)) { (x, Ghost(1)) }", "spec fn b() -> int { 1 }" + rest, "proof fn b() {}" + rest,
			"broadcast use g;" + rest, "broadcast group g { b }" + rest, "ghost struct G;" + rest, "tracked enum T { A }" + rest, "spec const C: int = 1;" + rest,
			"global size_of usize == 8;" + rest, "assume_specification[ f ](x: u8) ensures true;" + rest, "#[cfg(verus_keep_ghost)] use a::b;" + rest,
			"use vstd::seq::*;" + rest, "use vstd::arithmetic::mul::lemma_mul;" + rest, "#[cfg(verus_only)] fn b() {}" + rest,
			"impl View for S { type V = int; spec fn view(&self) -> int { 1 } }" + rest, "impl S { proof fn p() {} }" + rest,
			"impl P for S { spec fn p() -> int { 1 } }" + rest, "mod m { spec fn p() -> int { 1 } }" + rest, "trait P { spec fn p() -> int; }" + rest,
			"axiom fn b() ensures false;" + rest},
		{"struct S { a: u8 }", "struct S { pub a: u8, g: Ghost<int> }", "#[derive(Structural)] struct S { a: u8, pub t: Tracked<T>, }", "/// d\n#[verifier::ext_equal] pub struct S { a: u8, ghost g: int }"},
		{"struct S(u8);", "pub struct S(pub u8, Ghost<int>);"},
		{"#[derive(Clone, Copy)] struct S;", "#[derive(Copy, Structural, Clone)] struct S;"},
		{"const A: u8 = 1;", "exec const A: u8 ensures A == 1 { 1 }", "pub const A: u8 = { proof { } 1 };"},
		{"trait T { fn a(&self); }", "trait T { spec fn b(&self); fn a(&self) requires self.b(); proof fn c(&self); }"},
		{"impl T for S { fn a(&self) {} }", "impl T for S { open spec fn b(&self) -> bool { true } fn a(&self) { proof { } } }"},
	}
	for _, class := range items {
		want := execOf(t, "verus! { "+class[0]+" }")
		for _, other := range class[1:] {
			if diff := cmp.Diff(want, execOf(t, "verus! { "+other+" }")); diff != "" {
				t.Errorf("%s and %s:\n%s", class[0], other, diff)
			}
		}
	}
	if a, b := execOf(t, "fn f() {}"), execOf(t, "use vstd::prelude::*; verus! { fn f() requires true { } } // verus!"); a != b {
		t.Errorf("in verus! and not: %s and %s", b, a)
	}
	if a, b := execOf(t, "fn f(x: u8) { g(x); }"), execOf(t, "#[verus_verify] #[verus_spec(requires x > 0)] fn f(x: u8) { proof_with!(Ghost(1)); g(x); }"); a != b {
		t.Errorf("attributes: %s and %s", b, a)
	}
}

func TestExecDiffers(t *testing.T) {
	bodies := [][2]string{
		{"f(x)", "g(x)"},
		{"f(x)", "f(x);"},
		{"f(x)", "f(y)"},
		{"a + b", "a - b"},
		{"a - b - c", "a - (b - c)"},
		{"x / 2", "x / 3"},
		{"if a { b } else { c }", "if a { c } else { b }"},
		{"if a { b(); }", "if a { b(); } else { c(); }"},
		{"while a { b() }", "while a { c() }"},
		{"unsafe { f() }", "f()"},
		{"loop { break 'a }", "loop { break }"},
		{"let x = f(); x", "let y = f(); y"},
		{"match x { A => 1, B => 2 }", "match x { A => 2, B => 1 }"},
		{"return 1; 2", "2"},
		{"let ghost x = f();", "let x = f();"},
		{"assert!(x)", "assert!(y)"},
		{"let x = Ghost(1); let x = 2; f(x)", "let x = Ghost(1); let x = 2; f()"},
		{"f(Ghost(1), x)", "f(Ghost(1), y)"},
		{"x.f = Ghost(1); x[i()].g = 2", "x.f = Ghost(1)"},
		{"x[f()] = Ghost(1)", ""},
		{"&{ x }", "&x"},
		{"{ x }.f()", "x.f()"},
		{"&&& a &&& b", "&&& a &&& c"},
		{"static X: u8 = 1; X", "static X: u8 = 2; X"},
		{"s.0", "s.1"},
		{"x as u8", "x as i8"},
		{"let x: u8 = f();", "let x: u16 = f();"},
		{"#[cfg(a)] f();", "f();"},
		{"foo!(a, b)", "foo!(a, c)"},
		{"vec![1; 3]", "vec![1, 3]"},
		{"a..b", "a..=b"},
		{"&mut a", "&a"},
		{"f()?", "f()"},
		{`"a"`, `"A"`},
		{"1u8", "1u16"},
		{"|x| x + 1", "|x| x"},
		{"move || x", "|| x"},
	}
	for _, pair := range bodies {
		a, b := execOf(t, "verus! { fn f() { "+pair[0]+" } }"), execOf(t, "verus! { fn f() { "+pair[1]+" } }")
		if a == b {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], a)
		}
	}
	files := [][2]string{
		{"fn f() {}", "fn g() {}"},
		{"fn f() {}", "const fn f() {}"},
		{"fn f() {}", "unsafe fn f() {}"},
		{"fn f() {}", "#[no_mangle] fn f() {}"},
		{"fn f() {}", "#[cfg(a)] fn f() {}"},
		{"#[cfg(a)] fn f() {}", "#[cfg(not(a))] fn f() {}"},
		{"struct S(u8);", "#[repr(C)] struct S(u8);"},
		{"#[derive(Clone)] struct S;", "#[derive(Clone, PartialEq)] struct S;"},
		{"fn f(x: u8) {}", "fn f(x: u16) {}"},
		{"fn f(x: Ghost<T>, y: u8) {}", "fn f(x: Ghost<T>) {}"},
		{"fn f<T: A>() {}", "fn f<T: B>() {}"},
		{"enum E { A = 1 }", "enum E { A = 2 }"},
		{"use a::b;", "use a::c;"},
		{"use vstd::hash_map::A;", "use vstd::hash_map::B;"},
		{"impl A for S { fn f() {} }", "impl B for S { fn f() {} }"},
		{"impl Copy for S {}", ""},
		{"static mut X: u8 = 1;", "static X: u8 = 1;"},
		{"const _: () = { impl A for B { fn f() {} } };", ""},
		{"verus! { struct S { ghost a: u8 } }", "verus! { struct S { } }"},
		{"impl View for S { fn draw(&self) { a() } }", "impl View for S { fn draw(&self) { b() } }"},
		{"verus! { fn f(tracked x: u8) {} }", "verus! { fn f() {} }"},
		{"verus! { fn f() { { let h = Ghost(1); } g(h) } }", "verus! { fn f() { { let h = Ghost(1); } g() } }"},
		{"verus! { fn f() { g(h); let h = Ghost(1); } }", "verus! { fn f() { g(); let h = Ghost(1); } }"},
		{"verus! { fn f() { let ghost h = 1; g(h) } }", "verus! { fn f() { let ghost h = 1; g() } }"},
		{"fn f() { g(Ghost(a())) }", "fn f() { g(Ghost(b())) }"},
		{"fn f() { g(Ghost::new(a())) }", "fn f() { g(Ghost::new(b())) }"},
		{"fn f() { evil::proof! { a() } }", "fn f() { evil::proof! { b() } }"},
		{"evil::verus! { spec fn f() { a() } }", "evil::verus! { spec fn f() { b() } }"},
		{"verus! { fn f() { map!{ { hide(a); 1 } } } }", "verus! { fn f() { map!{ { hide(b); 1 } } } }"},
		{"#[evil::verus_spec] fn f() {}", "fn f() {}"},
		{"use evil::verus_spec; #[verus_spec] fn f() {}", "use evil::verus_spec; fn f() {}"},
		{"#[trigger] fn f() {}", "fn f() {}"},
		{"const _: () = { evil!(); };", ""},
		// Names that the file gives a meaning of its own are no ghost code.
		{"struct Ghost(u8); fn f() { g(Ghost(1)) }", "struct Ghost(u8); fn f() { g(Ghost(2)) }"},
		{"use crate::m::Tracked; fn f() { g(Tracked(1)) }", "use crate::m::Tracked; fn f() { g(Tracked(2)) }"},
		{"use crate::m::{a, Hidden as Ghost}; fn f() { g(Ghost(1)) }", "use crate::m::{a, Hidden as Ghost}; fn f() { g(Ghost(2)) }"},
		{"macro_rules! proof { ($e:expr) => { $e } } fn f() { proof!(g()) }", "macro_rules! proof { ($e:expr) => { $e } } fn f() { proof!(h()) }"},
		{"use evil::verus; verus! { spec fn f() { a() } }", "use evil::verus; verus! { spec fn f() { b() } }"},
		{"use evil::verus_impl as verus; verus! { spec fn f() { a() } }", "use evil::verus_impl as verus; verus! { spec fn f() { b() } }"},
		{"use vstd::calc as verus; verus! { spec fn f() { a() } }", "use vstd::calc as verus; verus! { spec fn f() { b() } }"},
		{"use evil::proof; fn f() { proof! { g() } }", "use evil::proof; fn f() { proof! { h() } }"},
		{"exec_spec_verified! { spec fn f() -> u8 { 1 } }", "exec_spec_verified! { spec fn f() -> u8 { 2 } }"},
	}
	for _, pair := range files {
		if a, b := execOf(t, pair[0]), execOf(t, pair[1]); a == b {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], a)
		}
	}
	// Outside verus! these are functions like others.
	for _, pair := range [][2]string{{"assume(a());", "assume(b());"}, {"hide(a());", "hide(b());"}, {"assert(a());", ""}, {"reveal(x);", ""}} {
		if a, b := execOf(t, "fn f() { "+pair[0]+" }"), execOf(t, "fn f() { "+pair[1]+" }"); a == b {
			t.Errorf("outside verus!: %s and %s are both %s", pair[0], pair[1], a)
		}
	}
}

// edited is the text of f with a span replaced.
func edited(f *File, s source.Span, text string) *File {
	src := f.Source.Text
	return Parse(source.NewFile(f.Source.Path, slices.Concat(src[:s.Start], []byte(text), src[s.End:])))
}

// ghostEdits are edits of a file that change ghost code alone.
func ghostEdits(f *File) map[source.Span]string {
	edits := map[source.Span]string{}
	p := printer{f: f, exec: true, verus: true}
	var visit func(n Node)
	visit = func(n Node) {
		for c := range n.Children() {
			switch {
			case c.Kind() == MacroCall && c.Get(FArgs).Kind() == TokenTree:
			case c.Kind() == Clause && n.Kind() != VerusSpec:
				edits[c.Span()] = ""
			case c.Kind() == Fn && ghostMode(c):
				edits[c.Span()] = "open spec fn changed(x: int) -> int { x + 2 }"
			case c.Kind() == Const && ghostMode(c), c.Kind() == BroadcastUse, c.Kind() == AssumeSpecification, c.Kind() == Global:
				edits[c.Span()] = ""
			case c.Kind() == Let && ghostMode(c):
				edits[c.Span()] = "let ghost changed = 1int; proof { changed_lemma(); }"
			case c.Kind() == ExprStmt && p.ghostMacro(c.Get(FExpr)):
				edits[c.Span()] = "proof! { changed(); }"
			case c.Kind() == ExprStmt && p.ghostStmtExpr(c.Get(FExpr)):
				edits[c.Span()] = "assert(forall|i: int| changed(i)) by { assume(false); }"
			case c.Kind() == Call && p.ghostExpr(c):
				if arg := c.Get(FArgs).Get(FExpr); arg.Valid() {
					edits[arg.Span()] = "changed(1, 2)"
				}
			case c.Kind() == Ret && c.Get(FPat).Valid():
				edits[c.Get(FPat).Span()] = "changed"
				visit(c)
			default:
				visit(c)
			}
		}
	}
	visit(f.Root())
	return edits
}

// execTokens are the tokens in bodies of executable functions that the erasure keeps and that decide what runs.
func execTokens(f *File) map[source.Span]string {
	e := eraseFile(f, EraseOptions{})
	e.p.verus = true
	tokens := map[source.Span]string{}
	other := map[TokenKind]string{Plus: "-", Minus: "+", Star: "/", Slash: "*", Percent: "*", Lt: "<=", Le: "<", Gt: ">=", Ge: ">", EqEq: "!=", Ne: "==",
		AndAnd: "||", OrOr: "&&", PlusEq: "-=", MinusEq: "+=", KwTrue: "false", KwFalse: "true", Int: "77", String: `"changed"`, Caret: "+"}
	add := func(n Node) {
		for t := range n.Tokens() {
			text, ok := other[t.Kind()]
			if ok {
				tokens[t.Span()] = text
			}
		}
	}
	f.Root().Walk(func(n Node) bool {
		switch n.Kind() {
		case MacroRules, Attr:
			return false
		case MacroCall:
			return n.Get(FArgs).Kind() == MacroBody && verusItems(macroNameOf(n))
		case Fn:
			if ghostMode(n) {
				return false
			}
		case Literal:
			add(n)
			return false
		case Binary, Assign:
			if n.Kind() == Assign && e.p.ghostExpr(n.Get(FRhs)) {
				return false
			}
			start, end, ok := e.ownToken(n, n.Op())
			if text := other[n.Op()]; ok && text != "" {
				tokens[source.Span{Start: start, End: end}] = text
			}
		case MethodCall, FieldExpr:
			if name := n.Get(FName); name.FirstToken().Kind().isIdent() {
				tokens[name.Span()] = "changed"
			}
		case Call:
			if c := n.Get(FCallee); c.Kind() == Path && !e.p.ghostExpr(n) {
				tokens[c.Span()] = "changed"
			}
		}
		return true
	})
	for s := range tokens {
		for _, d := range e.edits {
			if d.start <= s.Start && s.End <= d.end && d.start < d.end {
				delete(tokens, s)
			}
		}
	}
	return tokens
}

// TestEditsOfSamples edits each sample at every place of ghost code, which must not change its executable code, and at every
// operator, literal and callee that runs, which must.
func TestEditsOfSamples(t *testing.T) {
	ghost, executable := 0, 0
	for _, s := range samples(t) {
		want := Exec(s.file.Root())
		for span, text := range ghostEdits(s.file) {
			g := edited(s.file, span, text)
			if len(g.Errors) > 0 {
				t.Errorf("%s: replacing %q by %q: %s", s.name, s.file.Source.Text[span.Start:span.End], text, g.Errors[0].Message)
				continue
			}
			ghost++
			if diff := cmp.Diff(lines(want), lines(Exec(g.Root()))); diff != "" {
				t.Errorf("%s: replacing ghost code %q by %q changes\n%s", s.name, s.file.Source.Text[span.Start:span.End], text, diff)
			}
		}
		for span, text := range execTokens(s.file) {
			g := edited(s.file, span, text)
			if len(g.Errors) > 0 {
				continue // such as a <= b < c to a || b < c in a type argument
			}
			executable++
			if Exec(g.Root()) == want {
				line := s.file.Source.Position(span.Start).Line
				t.Errorf("%s:%d: replacing %q by %q changes nothing", s.name, line, s.file.Source.Text[span.Start:span.End], text)
			}
		}
	}
	if ghost < 200 || executable < 400 {
		t.Errorf("only %d edits of ghost code and %d of executable code", ghost, executable)
	}
	t.Logf("%d edits of ghost code, %d of executable code", ghost, executable)
}

func FuzzErase(f *testing.F) {
	for _, seed := range []string{
		"use vstd::prelude::*; verus! { fn f(Ghost(x): Ghost<int>) -> (r: u8) requires a ensures b { proof { } assert(x) by { } f(Ghost(1)) } }",
		"verus! { spec fn f() -> bool { &&& a &&& x matches Some(y) &&& b } struct S { ghost x: spec_fn(int, nat) -> bool } global size_of usize == 8; }",
		"verus! { fn f() { let Ghost(x) = (a, Tracked(t)); for i in it: 0..n invariant a { } match x { A => proof { }, _ => { } } x matches A && b } }",
		"#[verus_spec(with Tracked(t): T requires a)] fn f() { proof! { } proof_with!(a); f(#[a] b) }",
		"verus! { /// d\nproof fn f() { } /** e */ broadcast group g { a } const C: u8 ensures true { 1 } } use vstd::{seq, prelude::*};",
	} {
		f.Add([]byte(seed))
	}
	for _, pattern := range []string{"samples/*.rs", "../constructs/*.rs"} {
		paths, err := filepath.Glob(filepath.Join(eraseDir, pattern))
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := Parse(source.NewFile("fuzz.rs", text))
		if msg := checkErasure(file); msg != "" {
			t.Error(msg)
		}
		file.Root().Walk(func(n Node) bool {
			switch n.Kind() {
			case Clause:
				Conjuncts(n)
			case Fn:
				Exec(n)
				Canon(n)
			}
			return true
		})
	})
}

// TestDeepCode reads code that nests as deep as the parser allows, where work that grows with a power of the depth would show.
func TestDeepCode(t *testing.T) {
	nest := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	bodies := map[string]string{
		"parentheses": nest("(", "a", ")", 400),
		"tuples":      nest("(", "a", ",)", 400),
		"ghost tuple": nest("(Ghost(1), ", "a", ")", 400),
		"ghosts":      nest("Ghost(", "a", ")", 400),
		"blocks":      nest("{", "", "}", 400),
		"block value": nest("{", "a", "}", 400),
		"ghost lets":  nest("{ let ghost a = 1; ", "a", "}", 400),
		"ghost names": nest("{ let a = Ghost(1); ", "f(a)", "}", 400),
		"closures":    nest("|x| ", "x", "", 400),
		"else if":     strings.Repeat("if a { } else ", 400) + "{ }",
		"matches":     nest("match a { b => ", "c", ", }", 300),
		"groups":      nest("(a && x matches B && ", "c", ")", 150),
		"braces":      nest("{ &&& a &&& ", "c", "}", 150),
		"left":        strings.Repeat("a && ", 4900) + "a",
		"sum":         strings.Repeat("a + ", 4900) + "a",
		"comparison":  strings.Repeat("a < ", 4900) + "a",
		"calls":       strings.Repeat("a(", 400) + strings.Repeat(")", 400),
		"methods":     "a" + strings.Repeat(".b()", 4900),
		"types":       "a as " + nest("spec_fn(", "int", ")", 300),
		"nested fns":  nest("fn f() { ", "", "}", 300),
		"modules":     "} " + nest("mod m { ", "spec fn f() { }", "}", 300) + " fn g() {",
		"implies":     strings.Repeat("a ==> ", 400) + "a",
		"proofs":      nest("proof { ", "", "}", 400),
	}
	for name, body := range bodies {
		f := parseText("verus! { fn f() -> T { " + body + " } }")
		if len(f.Errors) > 0 {
			t.Errorf("%s: %s", name, f.Errors[0].Message)
			continue
		}
		start := time.Now()
		if msg := checkErasure(f); msg != "" {
			t.Errorf("%s: %.300s", name, msg)
		}
		f.Root().Walk(func(n Node) bool {
			if n.Kind() == ExprStmt {
				Conjuncts(n.Get(FExpr))
				return false
			}
			return true
		})
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s takes %v", name, d)
		}
	}
}

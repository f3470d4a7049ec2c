package syntax

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/source"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

func parse(path, text string) *File { return Parse(source.NewFile(path, []byte(text))) }

// check returns what is wrong with a tree, whatever was parsed: nothing is lost, children lie in order inside their parents and
// do not overlap, every node is reached once, and the places of tokens and errors are inside the file.
func check(f *File) error {
	if !bytes.Equal(Print(f), f.Source.Text) {
		return fmt.Errorf("printing the tree does not give the file")
	}
	size := uint32(len(f.Source.Text))
	at := uint32(0)
	for i, t := range f.toks {
		if t.start < at || t.end < t.start || t.end > size {
			return fmt.Errorf("token %d at [%d, %d) behind %d", i, t.start, t.end, at)
		}
		at = t.end
	}
	seen := make([]bool, len(f.nodes))
	var err error
	unknown := 0
	f.Root().Walk(func(n Node) bool {
		if seen[n.id] {
			err = fmt.Errorf("node %d (%s) is reached twice", n.id, n.Kind())
			return false
		}
		seen[n.id] = true
		if n.Kind() == Unknown {
			unknown++
		}
		r := n.raw()
		at := r.first
		for c := range n.Children() {
			if c.raw().first < at || c.raw().end > r.end || c.raw().end < c.raw().first {
				err = fmt.Errorf("%s [%d, %d) does not fit in %s [%d, %d) behind %d", c.Kind(), c.raw().first, c.raw().end, n.Kind(), r.first, r.end, at)
			}
			if c.Field() == 0 || c.Kind() == 0 {
				err = fmt.Errorf("%s in %s has no kind or field", c.Kind(), n.Kind())
			}
			at = c.raw().end
		}
		return err == nil
	})
	if unknown > 0 && len(f.Errors) == 0 {
		return fmt.Errorf("an Unknown node without an error")
	}
	for _, e := range f.Errors {
		if e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(f.Source.Text) || e.Message == "" {
			return fmt.Errorf("error %+v is not in the file", e)
		}
	}
	return err
}

func errorLines(f *File) []string {
	var lines []string
	for _, e := range f.Errors {
		lines = append(lines, fmt.Sprintf("%s: %s", f.Source.Position(e.Span.Start), e.Message))
	}
	return lines
}

func TestConstructsAreUnderstood(t *testing.T) {
	n := 0
	for _, path := range corpusFiles(t) {
		if !strings.HasPrefix(path, "../../testdata/constructs/") || strings.Contains(path, "/reject/") {
			continue
		}
		n++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(source.NewFile(path, text))
		if err := check(f); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if diff := cmp.Diff([]string(nil), errorLines(f)); diff != "" {
			t.Errorf("%s: want no errors:\n%s", path, diff)
		}
	}
	if n == 0 {
		t.Fatal("no constructs found")
	}
}

// TestUnusedAsserts: what verus_syn takes for an operand is a statement for rustc, which reads an empty block in its place.
func TestUnusedAsserts(t *testing.T) {
	const text = "verus! {\nfn f(x: u8) -> i32 {\n    assert(a); -1; assume(a); match x { 0 => assert(a), _ => assume(a) } assert(a) by { } -1; assert(a)\n}\nfn g(x: u8) -> i32 {\n" +
		"    match x {\n        0 => assert(a) - 1,\n        _ => assume(a) as u8,\n    }\n    assert(a) = x;\n    assume(a) by(nonlinear_arith) & 0\n}\n}\n"
	want := []string{
		"7:14: `assert` and `assume` have no value: `;` is missing behind it",
		"8:14: `assert` and `assume` have no value: `;` is missing behind it",
		"10:5: `assert` and `assume` have no value: `;` is missing behind it",
		"11:15: expected `;` or `}`, found `by`",
	}
	if diff := cmp.Diff(want, errorLines(parseText(text))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRejected compares the errors of files that no Rust or Verus parser accepts.
func TestRejected(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/constructs/reject/*.rs")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files to reject: %v", err)
	}
	var got strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(source.NewFile(path, text))
		if err := check(f); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if len(f.Errors) == 0 {
			t.Errorf("%s: was accepted", path)
		}
		for _, line := range errorLines(f) {
			fmt.Fprintf(&got, "%s:%s\n", filepath.Base(path), line)
		}
	}
	golden(t, "testdata/rejected.golden", got.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	goldentest.Compare(t, path, got, *update)
}

// dump writes a tree as nested lists: kind, operator or text of leaves, children.
func dump(b *strings.Builder, n Node, indent string) {
	b.WriteString(indent + n.Kind().String())
	if op := n.Op(); op != 0 && n.Kind() != Clause {
		fmt.Fprintf(b, " %s", op)
	}
	if n.Kind() == Clause {
		fmt.Fprintf(b, " %s", n.Which())
	}
	leaf := true
	for range n.Children() {
		leaf = false
	}
	if leaf {
		fmt.Fprintf(b, " %q", n.Text())
	}
	b.WriteString("\n")
	for c := range n.Children() {
		dump(b, c, indent+"  ")
	}
}

// TestTrees compares whole trees with golden files: testdata/trees/*.rs with *.tree beside them.
func TestTrees(t *testing.T) {
	paths, err := filepath.Glob("testdata/trees/*.rs")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no trees: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(source.NewFile(path, text))
		if err := check(f); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		var b strings.Builder
		for _, line := range errorLines(f) {
			b.WriteString(line + "\n")
		}
		dump(&b, f.Root(), "")
		golden(t, strings.TrimSuffix(path, ".rs")+".tree", b.String())
	}
}

// TestBounds feeds inputs that are made to exhaust a parser. Each must give a whole tree with an error or without.
func TestBounds(t *testing.T) {
	const n = 100_000
	long := func(open, mid, end string) string { return strings.Repeat(open, n) + mid + strings.Repeat(end, n) }
	inputs := map[string]string{
		"empty":             "",
		"parens":            "fn f() { " + long("(", "", ")") + " }",
		"braces":            "fn f() " + long("{", "", "}"),
		"brackets":          "fn f() { " + long("[", "", "]") + " }",
		"unclosed":          strings.Repeat("fn f() { (", n),
		"stray":             strings.Repeat(")]}", n),
		"stray in brace":    "[{" + strings.Repeat("(", n) + strings.Repeat("]", n),
		"not":               "fn f() { " + strings.Repeat("!", n) + "x }",
		"refs":              "fn f(x: " + strings.Repeat("&", n) + "u8) {}",
		"generics":          "type T = " + long("V<", "u8", ">") + ";",
		"sum":               "fn f() -> u8 { 1" + strings.Repeat(" + 1", n) + " }",
		"implies":           "spec fn f() -> bool { a" + strings.Repeat(" ==> a", n) + " }",
		"calls":             "fn f() { f" + strings.Repeat("()", n) + " }",
		"fields":            "fn f() { f" + strings.Repeat(".a", n) + " }",
		"views":             "spec fn f() { f" + strings.Repeat("@", n) + " }",
		"else if":           "fn f() { " + strings.Repeat("if a {} else ", n) + "{} }",
		"closures":          "fn f() { " + strings.Repeat("|x| ", n) + "x }",
		"quantifiers":       "spec fn f() -> bool { " + strings.Repeat("forall|x| ", n) + "x }",
		"casts":             "fn f() { x" + strings.Repeat(" as u8", n) + " }",
		"modules":           long("mod m {", "", "}"),
		"use groups":        "use " + long("a::{", "b", "}") + ";",
		"patterns":          "fn f() { let " + long("(", "x", ")") + " = y; }",
		"or patterns":       "fn f() { match x { a" + strings.Repeat(" | a", n) + " => {} } }",
		"attributes":        strings.Repeat("#[a] ", n) + "fn f() {}",
		"attributed":        "fn f() { " + strings.Repeat("#[a] !", n) + "x }",
		"comments":          long("/*", "", "*/"),
		"open comments":     strings.Repeat("/*", n),
		"raw strings":       strings.Repeat("r#\"", n),
		"quotes":            strings.Repeat("'", n),
		"macros":            long("verus!{", "", "}"),
		"macros in exprs":   "fn f() { " + long("vec![", "", "]") + " }",
		"broken macros":     "fn f() { " + long("seq![ + ", "", "]") + " }",
		"clauses":           "fn f() requires " + strings.Repeat("a, ", n) + " {}",
		"clause keywords":   "fn f() " + strings.Repeat("requires ", n) + " {}",
		"lists":             "spec fn f() { " + strings.Repeat("&&& a ", n) + "}",
		"angle brackets":    "fn f() { " + strings.Repeat("<", n) + " }",
		"generic arguments": "type T = " + strings.Repeat("V<A, ", n) + ";",
		"matches":           "spec fn f() { " + strings.Repeat("x matches A && ", n) + " y }",
		"assert by":         "proof fn f() { " + long("assert(a) by { ", "", " }") + " }",
	}
	for name, text := range inputs {
		if err := check(parse(name, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecovery: what surrounds a broken place is parsed as if it were not there.
func TestRecovery(t *testing.T) {
	f := parse("a.rs", `
fn before() { let x = 1; }
fn broken( { }
verus! {
spec fn good() -> bool { true }
proof fn bad() ensures +; 
fn statement() {
    let a = 1;
    let = 2;
    <<<<<<< HEAD
    let b = (3;
    assume(false);
}
fn last() {}
}
`)
	if err := check(f); err != nil {
		t.Error(err)
	}
	var got []string
	f.Root().Walk(func(n Node) bool {
		switch n.Kind() {
		case Fn:
			got = append(got, "fn "+n.Get(FName).Text())
		case Let:
			got = append(got, n.Text())
		case Assume:
			got = append(got, n.Text())
		case Unknown:
			got = append(got, "unknown "+n.Text())
		}
		return true
	})
	got = append(got, errorLines(f)...)
	golden(t, "testdata/recovery.golden", strings.Join(got, "\n")+"\n")
}

func addSeeds(f *testing.F) {
	for _, path := range corpusFiles(f) {
		if text, err := os.ReadFile(path); err == nil && len(text) < 20_000 {
			f.Add(text)
		}
	}
}

func FuzzLexer(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		toks, errs := lex(text)
		at := uint32(0)
		for i, tok := range toks {
			if tok.start < at || tok.end < tok.start || int(tok.end) > len(text) || tok.kind != hole && tok.kind != EOF && tok.start == tok.end {
				t.Fatalf("token %d %v at [%d, %d) behind %d", i, tok.kind, tok.start, tok.end, at)
			}
			at = tok.end
			if tok.kind.isOpen() && (tok.match <= int32(i) || int(tok.match) >= len(toks)) {
				t.Fatalf("delimiter %d ends at %d", i, tok.match)
			}
		}
		if last := toks[len(toks)-1]; last.kind != EOF {
			t.Fatalf("last token is %v", last.kind)
		}
		for _, e := range errs {
			if e.Span.End > len(text) || e.Span.End < e.Span.Start {
				t.Fatalf("error %+v is not in the file", e)
			}
		}
	})
}

func FuzzParser(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := check(Parse(source.NewFile("fuzz.rs", bytes.Clone(text)))); err != nil {
			t.Fatal(err)
		}
	})
}

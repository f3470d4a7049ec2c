package mutate_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

var all = mutate.Options{Max: -1}

// TestOperators shows what each operator makes of the functions that are named like it.
func TestOperators(t *testing.T) {
	fns := functions(t, readFile(t, "testdata/operators.rs"))
	var b strings.Builder
	for _, op := range mutate.Operators() {
		name, made := strings.ReplaceAll(op.String(), "-", "_"), 0
		for _, f := range fns {
			if f.Name != name && !(op == mutate.Return && strings.HasPrefix(f.Name, "return_")) {
				continue
			}
			fmt.Fprintf(&b, "=== %s\n", f.Name)
			for _, m := range mutate.Mutants(f, all).Mutants {
				if m.Operator == op {
					fmt.Fprintf(&b, "%s line %d\n%s", m.ID, m.Line, m.Diff(f))
					made++
				}
			}
		}
		if made == 0 {
			t.Errorf("operator %s makes no mutant", op)
		}
	}
	b.WriteString("=== nothing_else\n")
	f := function(t, readFile(t, "testdata/operators.rs"), "nothing_else")
	r := mutate.Mutants(f, all)
	for _, m := range r.Mutants {
		fmt.Fprintf(&b, "%s line %d\n%s", m.ID, m.Line, m.Diff(f))
	}
	fmt.Fprintf(&b, "%d macros not looked into\n", r.Opaque)
	golden(t, "testdata/operators.golden", b.String())
}

// TestLetChain edits the parts of a condition that binds names, which cannot be negated or replaced as a whole.
func TestLetChain(t *testing.T) {
	f := function(t, "fn f(a: u32, o: Option<u32>) -> u32 { if let Some(x) = o && a > x { x } else { a } }", "f")
	var got []string
	for _, m := range mutate.Mutants(f, all).Mutants {
		if m.Operator != mutate.Return {
			got = append(got, m.ID+" "+string(m.Text(f)))
		}
	}
	want := []string{
		"condition:1 { { a } }",
		"swap:10 { if let Some(x) = o && x > x { x } else { a } }",
		"condition:10.2 { if let Some(x) = o && false { x } else { a } }",
		"condition:10 { if let Some(x) = o && true { x } else { a } }",
		"relational:11.3 { if let Some(x) = o && a != x { x } else { a } }",
		"relational:11 { if let Some(x) = o && a <= x { x } else { a } }",
		"relational:11.2 { if let Some(x) = o && a == x { x } else { a } }",
		"boundary:11 { if let Some(x) = o && a >= x { x } else { a } }",
		"swap:12 { if let Some(x) = o && a > a { x } else { a } }",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestEmit shows a copy and a mutant of a function of each kind. TestMutantsCompile compiles them.
func TestEmit(t *testing.T) {
	var b strings.Builder
	for _, f := range functions(t, readFile(t, "testdata/emit.rs")) {
		if f.Mode != model.Exec || !f.HasBody {
			continue
		}
		r := mutate.Mutants(f, mutate.Options{Max: 1})
		for i, m := range append([]mutate.Mutant{{}}, r.Mutants...) {
			out, err := r.Emit(m, fmt.Sprintf("%s__m%d", f.Name, i), syntax.EraseOptions{Prelude: "crate::erased"})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "=== %s %s\n%s", f.Symbol, m.ID, out)
		}
	}
	golden(t, "testdata/emit.golden", b.String())
}

func TestNoMutants(t *testing.T) {
	text := `use vstd::prelude::*;
verus! {
spec fn ghost() -> int { 1 }
proof fn lemma() { }
exec const C: u32 ensures C == 1 { 1 }
assume_specification[ core::mem::drop ](x: u8);
trait T { fn declared(&self); }
fn outer() { fn inner() -> u32 { 1 } }
fn broken() -> u32 { let x = ; 1 }
fn empty() { }
}
macro_rules! m { () => { fn made() { } } }
`
	got := map[string]string{}
	for _, f := range functions(t, text) {
		r := mutate.Mutants(f, all)
		got[f.Path] = fmt.Sprintf("%d: %s", len(r.Mutants), r.Reason)
		if _, err := r.Emit(mutate.Mutant{}, "copy", syntax.EraseOptions{}); err != nil {
			got[f.Path] += "; " + err.Error()
		} else if r.Reason != "" {
			t.Errorf("a copy of %s can be written, but %s", f.Path, r.Reason)
		}
	}
	want := map[string]string{
		"C":                                     "0: it is a constant; write a copy of a function: it is a constant",
		"T::declared":                           "0: it has no body; write a copy of a function: it has no body",
		"assume_specification[core::mem::drop]": "0: it states the contract of another function; write a copy of a function: it states the contract of another function",
		"broken":                                "0: a part of it could not be parsed; write a copy of a function: a part of it could not be parsed",
		"empty":                                 "0: ",
		"ghost":                                 "0: it is ghost code; write a copy of a function: it is ghost code",
		"lemma":                                 "0: it is ghost code; write a copy of a function: it is ghost code",
		"outer":                                 "0: ",
		"outer::inner":                          "0: it is nested in another function; write a copy of a function: it is nested in another function",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// check says what is wrong with the mutants of a function, in the text of its file.
func check(f *model.Function, r mutate.Result) string {
	file, span := f.File.Syntax, f.Node.Span()
	text := string(file.Source.Text)
	body := f.Node.Get(syntax.FBody).Span()
	seen := map[string]string{f.Exec: "the function"}
	ids := map[string]bool{}
	for _, m := range r.Mutants {
		if ids[m.ID] {
			return "two mutants are " + m.ID
		}
		ids[m.ID] = true
		if m.Span.Start < body.Start || m.Span.End > body.End {
			return m.ID + " edits what is not the body"
		}
		if p := file.Source.Position(m.Span.Start).Line; m.Line < p || m.Line > file.Source.Position(m.Span.End).Line+strings.Count(m.Replacement, "\n") {
			return fmt.Sprintf("%s: line %d", m.ID, m.Line)
		}
		edited := text[:body.Start] + string(m.Text(f)) + text[body.End:]
		g := syntax.Parse(source.NewFile("lib.rs", []byte(edited)))
		if len(g.Errors) > len(file.Errors) {
			return fmt.Sprintf("%s has errors: %s\n%s", m.ID, g.Errors[0].Message, m.Diff(f))
		}
		var n syntax.Node
		g.Root().Walk(func(c syntax.Node) bool {
			if c.Kind() == syntax.Fn && c.Span().Start == span.Start && !n.Valid() {
				n = c
			}
			return !n.Valid()
		})
		if !n.Valid() {
			return m.ID + ": the function is gone\n" + m.Diff(f)
		}
		exec := syntax.Exec(n)
		if other, is := seen[exec]; is {
			return fmt.Sprintf("%s has the executable code of %s\n%s", m.ID, other, m.Diff(f))
		}
		seen[exec] = m.ID
		for before, after := range pairs(f.Node.All(syntax.FClause), n.All(syntax.FClause)) {
			if syntax.Canon(before) != syntax.Canon(after) {
				return m.ID + " changes the contract"
			}
		}
		if m.Diff(f) == "" {
			return m.ID + " has no diff"
		}
		if out, err := r.Emit(m, "specgate_mutant", syntax.EraseOptions{}); err != nil {
			return err.Error()
		} else if errs := syntax.Parse(source.NewFile("out.rs", out)).Errors; len(errs) > 0 {
			return fmt.Sprintf("%s is written with errors: %s\n%s", m.ID, errs[0].Message, out)
		}
	}
	return ""
}

func pairs(a, b func(func(syntax.Node) bool)) func(func(syntax.Node, syntax.Node) bool) {
	left, right := slices.Collect[syntax.Node](a), slices.Collect[syntax.Node](b)
	return func(yield func(syntax.Node, syntax.Node) bool) {
		for i := range max(len(left), len(right)) {
			var x, y syntax.Node
			if i < len(left) {
				x = left[i]
			}
			if i < len(right) {
				y = right[i]
			}
			if !yield(x, y) {
				return
			}
		}
	}
}

// TestMutantsOfSamples checks each mutant of each sample, and that they are the same another time.
func TestMutantsOfSamples(t *testing.T) {
	n := 0
	for _, path := range samples(t) {
		again := functions(t, readFile(t, path))
		for i, f := range functions(t, readFile(t, path)) {
			r := mutate.Mutants(f, all)
			n += len(r.Mutants)
			if msg := check(f, r); msg != "" {
				t.Errorf("%s: %s: %s", path, f.Symbol, msg)
			}
			other := mutate.Mutants(again[i], all)
			if r.Generated != other.Generated || r.Opaque != other.Opaque || r.Reason != other.Reason {
				t.Errorf("%s: %s: another time %d, %d, %q", path, f.Symbol, other.Generated, other.Opaque, other.Reason)
			}
			if d := cmp.Diff(r.Mutants, other.Mutants); d != "" {
				t.Errorf("%s: %s: another time:\n%s", path, f.Symbol, d)
			}
		}
	}
	if n < 4000 {
		t.Errorf("only %d mutants", n)
	}
}

// TestGhostCodeDoesNotMatter compares functions that have the same executable code and other contracts and proofs.
func TestGhostCodeDoesNotMatter(t *testing.T) {
	paths, err := filepath.Glob("../eval/testdata/functions/*/strong.rs")
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	shown := func(path string) map[string][]string {
		out := map[string][]string{}
		for _, f := range functions(t, readFile(t, path)) {
			if f.Mode != model.Exec {
				continue
			}
			r := mutate.Mutants(f, mutate.Options{Max: 20})
			list := []string{fmt.Sprint(r.Generated)}
			for _, m := range r.Mutants {
				list = append(list, m.ID)
			}
			out[f.Symbol+" "+f.Exec] = list
		}
		return out
	}
	same := 0
	for _, path := range paths {
		strong, weak := shown(path), shown(strings.Replace(path, "strong.rs", "weak.rs", 1))
		for name, list := range strong {
			other, is := weak[name]
			if !is {
				continue
			}
			same++
			if d := cmp.Diff(list, other); d != "" {
				t.Errorf("%s: %s (-strong +weak):\n%s", path, name, d)
			}
		}
	}
	if same < 40 {
		t.Errorf("only %d functions have the same executable code", same)
	}
}

// TestUnrelatedCodeDoesNotMatter puts code before and behind a function.
func TestUnrelatedCodeDoesNotMatter(t *testing.T) {
	text := readFile(t, "../eval/testdata/functions/num_isqrt/strong.rs")
	moved := strings.Replace(text, "verus! {", "verus! {\nfn unrelated(lo: u64) -> u64 { if lo > 3 { lo + 1 } else { 0 } }\nstruct S { n: u32 }\n", 1)
	ids := func(text string) (out []string) {
		for _, m := range mutate.Mutants(function(t, text, "num_isqrt"), mutate.Options{Max: 15}).Mutants {
			out = append(out, m.ID+" "+m.Replacement)
		}
		return out
	}
	if d := cmp.Diff(ids(text), ids(moved)); d != "" {
		t.Errorf("-before +after:\n%s", d)
	}
}

// TestBudget checks how a budget is spread.
func TestBudget(t *testing.T) {
	f := function(t, readFile(t, "../eval/testdata/functions/num_isqrt/strong.rs"), "num_isqrt")
	full := mutate.Mutants(f, all)
	lines := map[int]bool{}
	for _, m := range full.Mutants {
		lines[m.Line] = true
	}
	for limit := 1; limit <= len(full.Mutants)+1; limit++ {
		r := mutate.Mutants(f, mutate.Options{Max: limit, Seed: 7})
		if want := min(limit, len(full.Mutants)); len(r.Mutants) != want || r.Generated != full.Generated {
			t.Fatalf("%d mutants of %d with a budget of %d", len(r.Mutants), r.Generated, limit)
		}
		count, ops := map[int]int{}, map[mutate.Operator]bool{}
		for _, m := range r.Mutants {
			count[m.Line]++
			ops[m.Operator] = true
		}
		for _, n := range count {
			if n > 1 && len(count) < len(lines) {
				t.Fatalf("with a budget of %d a line has %d mutants, and %d lines have none", limit, n, len(lines)-len(count))
			}
		}
		if limit == len(lines) && len(ops) < 6 {
			t.Errorf("only the operators %v on %d lines", ops, limit)
		}
	}
	if r := mutate.Mutants(f, mutate.Options{}); len(r.Mutants) != min(mutate.DefaultMax, len(full.Mutants)) {
		t.Errorf("%d mutants by default, of %d", len(r.Mutants), len(full.Mutants))
	}
	if cmp.Equal(mutate.Mutants(f, mutate.Options{Max: 9}).Mutants, mutate.Mutants(f, mutate.Options{Max: 9, Seed: 1}).Mutants) {
		t.Error("the seed changes nothing")
	}
}

// TestOwnGhost takes Ghost for what the file says it is.
func TestOwnGhost(t *testing.T) {
	const body = "fn f(a: u32) -> u32 { let g = Ghost(a + 1); proof!(a * 2); g.0 }"
	count := func(text string) (n int) {
		for _, m := range mutate.Mutants(function(t, text, "f"), all).Mutants {
			if m.Operator == mutate.Arithmetic {
				n++
			}
		}
		return n
	}
	if n := count("use vstd::prelude::*; verus! { " + body + " }"); n != 0 {
		t.Errorf("%d edits of ghost code", n)
	}
	f := function(t, "use vstd::prelude::*; struct Ghost(u32); verus! { "+body+" }", "f")
	if msg := check(f, mutate.Mutants(f, all)); msg != "" {
		t.Error(msg)
	}
}

func FuzzMutants(f *testing.F) {
	for _, path := range samples(f) {
		for _, fn := range functions(f, readFile(f, path)) {
			if fn.Mode == model.Exec {
				f.Add([]byte("verus! {\n" + fn.Node.Text() + "\n}\n"))
			}
		}
	}
	f.Add([]byte("fn f(a: u8) -> u8 { if let Some(x) = a.checked_add(1) && x > 2 { a } else { match a { 1 => 2, n if n < 3 => n as u8, _ => -a } } }"))
	f.Add([]byte("verus! { impl<T> A for B<T> where T: C { fn f(mut self, (a, b): (u8, u8)) { for i in it: 0..a invariant b { self.f((b, a)) } } } }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 8000 {
			return
		}
		for _, fn := range functions(t, string(text)) {
			if msg := check(fn, mutate.Mutants(fn, mutate.Options{Max: 20})); msg != "" {
				t.Errorf("%s: %s", fn.Symbol, msg)
			}
		}
	})
}

// TestLargeFunctions takes functions that are made to be slow.
func TestLargeFunctions(t *testing.T) {
	bodies := map[string]string{
		"chain":      strings.Repeat("a && ", 4000) + "a",
		"sum":        "x == " + strings.Repeat("1 + ", 4000) + "1",
		"nested if":  strings.Repeat("if a { b } else { ", 300) + "a" + strings.Repeat(" }", 300),
		"statements": strings.Repeat("x += 1; ", 5000) + "a",
		"arms":       "match x { " + strings.Repeat("1 => a, ", 2000) + "_ => a }",
		"closures":   "f(" + strings.Repeat("|x| ", 300) + "a)",
		"ghost":      "a; " + strings.Repeat("let Ghost(g) = Ghost(x - 1); ", 1000) + "a",
	}
	for name, body := range bodies {
		f := function(t, "verus! { fn f(a: bool, b: bool, x: u32) -> bool { "+body+" } }", "f")
		start := time.Now()
		r := mutate.Mutants(f, mutate.Options{})
		if len(r.Mutants) == 0 {
			t.Errorf("%s: no mutants: %s", name, r.Reason)
		}
		for _, m := range r.Mutants[:min(3, len(r.Mutants))] {
			if _, err := r.Emit(m, "g", syntax.EraseOptions{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s takes %v", name, d)
		} else {
			t.Logf("%s: %d of %d in %v", name, len(r.Mutants), r.Generated, d)
		}
	}
	long := "verus! { fn f(x: u32) -> u32 { " + strings.Repeat("x + 1; ", 40000) + " x } }"
	if r := mutate.Mutants(function(t, long, "f"), all); r.Reason != "it is longer than 256 KiB" || len(r.Mutants) > 0 {
		t.Errorf("%d mutants: %q", len(r.Mutants), r.Reason)
	}
}

func BenchmarkMutants(b *testing.B) {
	var fns []*model.Function
	for _, path := range samples(b) {
		fns = append(fns, functions(b, readFile(b, path))...)
	}
	n := 0
	for b.Loop() {
		for _, f := range fns {
			n += len(mutate.Mutants(f, mutate.Options{}).Mutants)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "mutants/s")
}

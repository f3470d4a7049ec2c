package spectest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/value"
)

func inputs(t testing.TB, tg *Target, o Options) Set {
	t.Helper()
	set, err := tg.Inputs(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func show(set Set) string {
	var b strings.Builder
	y := set.Yield
	fmt.Fprintf(&b, "tried %d: met %d, outside %d, invalid %d, undecided %d; steered %d, reached %d", y.Tried, y.Met, y.Outside, y.Invalid, y.Undecided, y.Steered, y.Reached)
	if set.Complete {
		b.WriteString("; complete")
	}
	fmt.Fprintf(&b, "\n%d inputs, %d outside", len(set.Inputs), len(set.Outside))
	if set.Reason != "" {
		fmt.Fprintf(&b, "; %s", set.Reason)
	}
	b.WriteByte('\n')
	for _, in := range set.Inputs {
		fmt.Fprintf(&b, "  %s: %s\n", in.Origin, values(in.Args))
	}
	for _, in := range set.Outside {
		fmt.Fprintf(&b, "  outside, %s: %s\n", in.Origin, values(in.Args))
	}
	return b.String()
}

// checkSet checks what a set promises with a judge of its own.
func checkSet(t *testing.T, name string, tg *Target, set Set, o Options) {
	t.Helper()
	inst, err := tg.judge.Func().Instances(nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := tg.judge.Func().NewJudge(inst)
	if err != nil {
		t.Fatal(err)
	}
	after := make([]value.Value, len(tg.params))
	seen := map[string]bool{}
	for i, in := range append(append([]Input{}, set.Inputs...), set.Outside...) {
		outside := i >= len(set.Inputs)
		key, ok := keyOf(in.Args)
		if !ok || seen[key] {
			t.Errorf("%s: %s is there twice", name, values(in.Args))
		}
		seen[key] = true
		a := fresh.Input(in.Args, 1_000_000)
		if want := value.TruthOf(!outside); a.Meets != want || a.Exists != value.True {
			t.Errorf("%s: %s meets requires: %s, want %s; valid: %s", name, values(in.Args), a.Meets, want, a.Exists)
		}
		for j, p := range tg.params {
			if p.Mut {
				after[j] = in.Args[j]
			}
			if v, ok := fresh.Conform(in.Args[j], p.Type); !ok || !fresh.Fits(v) || value.Short(v) != value.Short(in.Args[j]) {
				t.Errorf("%s: %s is not of type %s", name, value.Short(in.Args[j]), p.Type)
			}
		}
		// The question that is asked about spectests must see the input as the search did.
		never := fresh.Canary(false).Ask(&eval.Case{Args: in.Args, After: after, Result: value.Unit()})
		if want := map[bool]eval.Verdict{false: eval.Rejected, true: eval.Accepted}[outside]; never.Verdict != want || never.Outside != outside {
			t.Errorf("%s: under `ensures false`, %s is %s (outside: %t)", name, values(in.Args), never.Verdict, never.Outside)
		}
	}
	y := set.Yield
	if y.Tried != y.Met+y.Outside+y.Invalid+y.Undecided || len(set.Inputs) > y.Met || y.Reached > y.Steered {
		t.Errorf("%s: the counts do not add up: %+v", name, y)
	}
	if o = o.filled(); (len(set.Inputs) < o.Count) != (set.Reason != "") {
		t.Errorf("%s: %d inputs of %d, reason %q", name, len(set.Inputs), o.Count, set.Reason)
	}
	for i := 1; i < len(set.Inputs); i++ {
		if set.Inputs[i-1].Size() > set.Inputs[i].Size() {
			t.Errorf("%s: the simplest input does not come first", name)
		}
	}
}

func TestInputsOfFunctions(t *testing.T) {
	var b strings.Builder
	for _, tr := range samples(t) {
		for _, side := range []string{"strong", "weak"} {
			name := filepath.Base(tr.dir) + " " + side
			tg, err := tr.target(t, side)
			if err != nil {
				fmt.Fprintf(&b, "%s: %v\n", name, err)
				continue
			}
			set := inputs(t, tg, Options{})
			checkSet(t, name, tg, set, Options{})
			if side == "strong" {
				fmt.Fprintf(&b, "%s: %s", name, show(set))
			}
		}
	}
	golden(t, "inputs.txt", b.String())
}

// What is asked for must be met by steering where chance does not get there.
func TestSteering(t *testing.T) {
	var b strings.Builder
	for _, items := range []string{
		"fn f(v: Vec<u64>, n: usize) requires v.len() == n, n > 3 {}",
		"fn f(a: &[i32], b: &[i32], c: &mut Vec<i32>) requires a.len() == b.len(), b@.len() == old(c)@.len() {}",
		"fn f(i: usize, j: usize, v: &Vec<u8>) requires i < j < v@.len() {}",
		"fn f(a: u64, b: u64, c: u64) requires a + b + c == 1000 {}",
		"fn f(a: u32, b: u32) requires a * b <= u32::MAX, a > 1000, b > 1000 {}",
		"fn f(x: u64) requires x & 0xfffu64 == 0, x >> 12u64 & 0xffu64 == 3 {}",
		"fn f(x: u32) requires x % 4096 == 0, x > 5000 {}",
		"spec fn sorted(s: Seq<i32>) -> bool { forall|i: int, j: int| 0 <= i < j < s.len() ==> s[i] < s[j] }\nfn f(v: &Vec<i32>, x: i32) requires sorted(v@), v@.contains(x), v.len() > 4 {}",
		"fn f(v: &Vec<u8>, k: u8) requires forall|i: int| 0 <= i < v.len() ==> v[i] < k, exists|i: int| 0 <= i < v.len() && v[i] == 7, k < 20 {}",
		"struct S { head: usize, len: usize, buf: Vec<u8> }\nimpl S { spec fn wf(&self) -> bool { &&& self.buf.len() > 0 &&& self.head < self.buf.len() &&& self.len <= self.buf.len() } }\nfn f(s: &mut S, x: u8) requires old(s).wf(), old(s).len < old(s).buf.len() {}",
		"struct P { a: u8, b: u8 }\nimpl P { #[verifier::type_invariant] spec fn inv(self) -> bool { self.a + self.b == 100 } }\nfn f(p: P, q: Vec<P>) requires p.a > q.len() {}",
		"enum E { A, B(u32), C { x: i8, y: i8 } }\nfn f(e: E) requires e is C, e->x == e->y {}",
		"fn f(o: Option<u64>) requires o matches Some(x) && x > 100_000 && x < 100_010 {}",
		"fn f(a: [u8; 4], s: String) requires a[3] == 200, s@.len() == 12 {}",
		"fn f(v: Vec<Vec<u8>>) requires v.len() == 3, forall|i: int| 0 <= i < v.len() ==> v[i]@.len() == 2 {}",
		"fn f(t: (u8, Option<u8>), b: bool) requires b ==> t.0 == 77, !b ==> t.1 == Some(33u8) {}",
		"fn f(s: Ghost<Seq<int>>, v: Vec<u32>) requires s@.len() == v.len(), forall|i: int| 0 <= i < s@.len() ==> s@[i] == v[i], v.len() > 2 {}",
		"struct N { v: u32 }\nstruct A { n: Seq<int> }\nimpl N { spec fn view(self) -> int { self.v as int } }\nfn f(n: N, m: N) requires n@ == m@ + 1234 {}",
		"fn f(v: Vec<u8>) requires 300 <= v.len() <= 310 {}",
		"fn f(x: i64, y: i64) requires -5 <= x - y <= 5, x > 1_000_000 {}",
		"fn f(v: Vec<u8>) requires match v.len() { 0 => false, _ => v[0] == 9 && v@.last() == 8 } {}",
		"fn f(v: Vec<u8>) requires ({ let n = v.len(); n >= 2 && v[n - 1] == v[0] && v[1] == 99 }) {}",
		"fn f(v: Vec<u16>, lo: usize, hi: usize) requires lo <= hi <= v.len(), v@.subrange(lo as int, hi as int) =~= seq![5u16, 6u16] {}",
		"struct K { keys: Vec<u8>, m: Ghost<Map<u8, bool>>, s: Ghost<Set<u8>> }\nimpl K { spec fn wf(self) -> bool { &&& self.m@.dom() =~= self.keys@.to_set() &&& self.m@.contains_key(9) &&& self.m@[9] &&& self.s@.contains(self.keys[0]) &&& !self.s@.contains(3) } }\nfn f(k: &mut K) requires old(k).wf() {}",
		// There is no such input, or not many.
		"fn f(x: u8) requires x > 3, x < 3 {}",
		"fn f(a: bool, b: bool) requires a != b {}",
		"uninterp spec fn u(x: u64) -> bool;\nfn f(x: u64) requires u(x) {}",
	} {
		tg := targetOf(t, items)
		set := inputs(t, tg, Options{Count: 16})
		checkSet(t, items, tg, set, Options{Count: 16})
		y := set.Yield
		fmt.Fprintf(&b, "%s\n  %d inputs; met %d of %d, steered %d, reached %d; %s\n", items, len(set.Inputs), y.Met, y.Tried, y.Steered, y.Reached, set.Reason)
		for _, in := range set.Inputs[:min(len(set.Inputs), 3)] {
			fmt.Fprintf(&b, "  %s\n", values(in.Args))
		}
	}
	golden(t, "steering.txt", b.String())
}

// The inputs of a function depend on the seed and on the function, not on what else there is.
func TestInputsAreDeterministic(t *testing.T) {
	items := "fn f(v: Vec<u64>, n: usize, o: Option<char>) requires v.len() == n, n > 1 {}"
	one := show(inputs(t, targetOf(t, items), Options{Seed: 1}))
	if two := show(inputs(t, targetOf(t, "struct Z { a: u8 } fn g(z: Z) requires z.a == 77 {} "+items+" fn h() {}"), Options{Seed: 1})); one != two {
		t.Errorf("other items change the inputs:\n%s", cmp.Diff(one, two))
	}
	tg := targetOf(t, items)
	first := show(inputs(t, tg, Options{Seed: 1}))
	if again := show(inputs(t, tg, Options{Seed: 1})); first != again || first != one {
		t.Error("asked twice, a target gives different inputs")
	}
	if other := show(inputs(t, tg, Options{Seed: 2})); first == other {
		t.Error("the seed changes nothing")
	}
}

func TestUnsupported(t *testing.T) {
	var b strings.Builder
	for _, items := range []string{
		"fn f(m: HashMap<u64, u8>) {}",
		"fn f(x: f64) {}",
		"fn f(g: spec_fn(u8) -> u8) {}",
		"fn f<F: Fn(u8) -> u8>(g: F) {}",
		"fn f<T: Copy + Ord>(x: T, y: Vec<T>) {}",
		"trait Shown { fn show(&self) -> u8; } struct One { n: u8 } impl Shown for One { fn show(&self) -> u8 { 1 } } fn f<T: Shown>(x: T) {}",
		"trait Shown { spec fn show(&self) -> u8; } fn f<T: Shown>(x: T) {}",
		"fn f<const N: usize>(x: [u8; N]) {}",
		"const N: usize = 3; fn f(x: [u8; N]) {}",
		"fn f(x: [u8; 1000]) {}",
		"fn f(x: [[[[u8; 64]; 64]; 64]; 64]) {}",
		"fn f(x: [[u8; 40]; 40], y: Vec<[u8; 200]>) {}",
		"struct Grow<T> { next: Option<Box<Grow<(T, T)>>>, t: T } fn f(x: Grow<u8>) {}",
		"struct S { file: File } fn f(x: Vec<Option<S>>) {}",
		"#[verifier::external_body] struct S { file: u8 } fn f(x: &S) {}",
		"struct L { next: Box<L> } fn f(l: L) {}",
		"struct L { next: Option<Box<L>>, pair: (Box<M>, u8) } struct M { l: Vec<L>, file: File } fn f(l: L) {}",
		"enum List { Nil, Cons(u8, Box<List>) } fn f(l: &List) {}",
		"fn f(x: &mut Option<&mut u8>) {}",
		"fn f(x: Tracked<PointsTo<u8>>) {}",
		"fn f(x: Box<Rc<Arc<u8>>>, y: &mut [char], z: &'static str) {}",
		"enum Never {} fn f(x: Never) {}",
		"enum Never {} fn f(x: Vec<Never>, y: Option<Never>) {}",
	} {
		tg, err := target(t, worldOf(t, "use vstd::prelude::*; use std::rc::Rc; use std::sync::Arc; verus! { "+items+" }"), "f")
		if err != nil {
			if !errors.Is(err, eval.ErrUnsupported) {
				t.Errorf("%s: %v is not ErrUnsupported", items, err)
			}
			fmt.Fprintf(&b, "%s\n  %v\n", items, err)
			continue
		}
		set := inputs(t, tg, Options{Count: 4})
		checkSet(t, items, tg, set, Options{Count: 4})
		fmt.Fprintf(&b, "%s\n", items)
		for _, in := range set.Inputs {
			fmt.Fprintf(&b, "  %s\n", values(in.Args))
		}
		if set.Reason != "" {
			fmt.Fprintf(&b, "  %s\n", set.Reason)
		}
	}
	golden(t, "types.txt", b.String())
}

// usize is as wide as every platform has it, unless the crate says.
func TestWidthOfUsize(t *testing.T) {
	for text, wide := range map[string]bool{"": false, "global size_of usize == 8; ": true} {
		found := false
		for _, in := range inputs(t, targetOf(t, text+"fn f(x: usize) {}"), Options{}).Inputs {
			found = found || !in.Args[0].(value.Int).In(value.USize, 32)
		}
		if found != wide {
			t.Errorf("%q: a usize that needs 64 bits: %t", text, found)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := targetOf(t, "fn f(x: u64) {}").Inputs(ctx, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkInputs(b *testing.B) {
	for name, items := range map[string]string{
		"plain":   "fn f(x: u64, y: Vec<u8>) {}",
		"steered": "spec fn sorted(s: Seq<i32>) -> bool { forall|i: int, j: int| 0 <= i < j < s.len() ==> s[i] <= s[j] } fn f(v: &Vec<i32>, i: usize) requires sorted(v@), i < v.len() {}",
	} {
		tg := targetOf(b, items)
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n += len(inputs(b, tg, Options{}).Inputs)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "inputs/s")
		})
	}
}

// TestGhostCodeMakesNoDifference makes inputs and wrong results of a function with ghost code of all kinds, and without: they are the same.
func TestGhostCodeMakesNoDifference(t *testing.T) {
	const head = "pub struct P { pub n: u32 }\nimpl P {\n    pub open spec fn small(self) -> bool { self.n < 40 }\n    // methods\n}\n" +
		"pub fn step(p: P, n: u32, v: Vec<u32>) -> (r: u32)\n    requires n < 900, p.small()\n    ensures r > n\n"
	plain := "use vstd::prelude::*;\nverus! {\n" + head + `{
    let f = |x: u32| -> u32 { x + 17 };
    let mut i: u32 = 0;
    while i < 3
        decreases 3 - i
    {
        i = i + 1;
    }
    if n == 123 { f(n) } else { n + i }
}
}
`
	edits := [][2]string{
		{"    let mut i", "    assert(n < 1000000 || n < 2000000);\n    let mut i"},
		{"        decreases 3 - i\n", "        invariant i <= 77777, 3 <= 123\n        decreases 88888 - i\n"},
		{"    if n ==", "    proof { let z = 55555; assert(z < 66666) by { assert(123 < 44444); }; lemma(33333, 'q'); }\n    if n =="},
		{"    if n ==", "    let ghost g = 22222;\n    if n =="},
		{"    if n ==", "    assume(n != 11111 || 'z' == 'y');\n    if n =="},
		{"-> u32 { x + 17 }", "-> (q: u32) requires x < 99999 ensures q == x + 17 { x + 17 }"},
		{"    // methods\n", "    pub open spec fn unused(self) -> bool { self.n == 99991 || self.n == 99992 }\n    proof fn lemma(self) ensures self.n < 99993 { }\n"},
	}
	show := func(text string) string {
		tg, err := target(t, worldOf(t, text), "step")
		if err != nil {
			t.Fatal(err)
		}
		set, err := tg.Inputs(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintln(&b, tg.lits.Ints, tg.lits.Chars, tg.lits.Texts)
		for _, in := range slices.Concat(set.Inputs, set.Outside) {
			for _, v := range in.Args {
				fmt.Fprint(&b, value.Short(v), " ")
			}
			fmt.Fprintln(&b)
		}
		if len(set.Inputs) < 8 {
			t.Fatalf("only %d inputs", len(set.Inputs))
		}
		for _, e := range tg.Wrong(Observed{Result: value.Small(5, value.U32), After: make([]value.Value, 3)}, Context{Args: set.Inputs[3].Args}) {
			fmt.Fprintln(&b, e.Kind, e.Where, value.Short(e.Wrong.Result))
		}
		return b.String()
	}
	want := show(plain)
	if first, _, _ := strings.Cut(want, "\n"); first != "[900 40 17 0 3 1 123] [] []" {
		t.Errorf("literals %s", first)
	}
	all := plain
	for _, e := range edits {
		if !strings.Contains(plain, e[0]) {
			t.Fatalf("%q is not in the text", e[0])
		}
		all = strings.Replace(all, e[0], e[1], 1)
		if diff := cmp.Diff(want, show(strings.Replace(plain, e[0], e[1], 1))); diff != "" {
			t.Errorf("%q (-without +with):\n%s", e[1], diff)
		}
	}
	if diff := cmp.Diff(want, show(all)); diff != "" {
		t.Errorf("all of it (-without +with):\n%s", diff)
	}
	// What the code and the contract say does make a difference.
	for _, e := range [][2]string{{"n == 123", "n == 124"}, {"n < 900", "n < 901"}, {"self.n < 40", "self.n < 41"}} {
		if show(strings.Replace(plain, e[0], e[1], 1)) == want {
			t.Errorf("%s makes no difference", e[1])
		}
	}
}

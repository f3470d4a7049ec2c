package spectest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/value"
)

// read reads values of the parameters, the result and what is behind mutable references.
func read(t testing.TB, tg *Target, args []string, result string, after map[string]string) (Input, Observed) {
	t.Helper()
	in := Input{Origin: Small}
	out := Observed{After: make([]value.Value, len(tg.params))}
	get := func(text string, typ *value.Type) value.Value {
		v, err := tg.judge.Value(text, typ)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, p := range tg.params {
		in.Args = append(in.Args, get(args[i], p.Type))
		if p.Mut {
			out.After[i] = get(after[p.Name], p.Type)
		}
	}
	out.Result = get(result, tg.result)
	return in, out
}

func TestWrongResults(t *testing.T) {
	var b strings.Builder
	for _, tc := range []struct {
		items  string
		args   []string
		result string
		after  map[string]string
		others []string
	}{
		{"fn f(x: u8, y: u8) -> u8 { if x > 100 { y } else { 7 } }", []string{"3", "9"}, "255", nil, []string{"0", "17", "255"}},
		{"fn f(x: i8) -> i8 { 0 }", []string{"-128"}, "-128", nil, nil},
		{"fn f(x: i64) -> i64 { 0 }", []string{"5"}, "-4", nil, nil},
		{"fn f(x: usize) -> usize { 0 }", []string{"5"}, "4294967295", nil, nil},
		{"fn f() -> bool { true }", nil, "true", nil, []string{"false"}},
		{"fn f(c: char) -> char { 'x' }", []string{"'q'"}, `'\u{d7ff}'`, nil, nil},
		{"fn f(x: u8) -> Option<u8> { None }", []string{"3"}, "Some(4)", nil, []string{"None", "Some(9)"}},
		{"fn f(x: u8) -> Option<u8> { None }", []string{"3"}, "None", nil, nil},
		{"fn f(x: u8) -> Result<u8, bool> { Ok(1) }", []string{"3"}, "Err(true)", nil, nil},
		{"enum E { A, B(u8), C { x: u8, y: bool } } fn f(x: u8) -> E { E::A }", []string{"3"}, "E::B(7)", nil, nil},
		{"enum D { N, E, S, W } fn f(d: D) -> D { d }", []string{"D::N"}, "D::E", nil, nil},
		{"fn f(v: &Vec<u8>) -> Vec<u8> { v }", []string{"[1, 2, 3]"}, "[3, 1, 2]", nil, []string{"[]"}},
		{"fn f(v: &[u8]) -> Vec<u8> { v }", []string{"[]"}, "[]", nil, nil},
		{"fn f(v: [u8; 3]) -> [u8; 3] { v }", []string{"[1, 2, 3]"}, "[3, 1, 2]", nil, nil},
		{"fn f(s: &str) -> String { \"none\" }", []string{`"ab"`}, `"ba"`, nil, nil},
		{"fn f(x: u8) -> (u8, bool) { (x, true) }", []string{"3"}, "(4, true)", nil, []string{"(5, false)"}},
		{"struct P { x: u8, inner: Q } struct Q(u8, Vec<u8>); fn f(x: u8) -> P { 0 }", []string{"3"}, "P { x: 1, inner: Q(2, [9]) }", nil, nil},
		{"struct G { n: u8, g: Ghost<int> } fn f(x: u8) -> G { 0 }", []string{"3"}, "G { n: 1, g: Ghost(2) }", nil, nil},
		{"fn f(v: &mut Vec<u8>, x: u8) { v.push(x) }", []string{"[1]", "2"}, "()", map[string]string{"v": "[1, 2]"}, nil},
		{"struct C { n: u8 } impl C { fn dummy() {} } fn f(c: &mut C, v: &mut u8) -> u8 { 0 }", []string{"C { n: 1 }", "2"}, "1", map[string]string{"c": "C { n: 2 }", "v": "2"}, nil},
		{"fn f(x: u8) { }", []string{"1"}, "()", nil, nil},
	} {
		tg := targetOf(t, tc.items)
		in, obs := read(t, tg, tc.args, tc.result, tc.after)
		c := Context{Args: in.Args}
		for _, o := range tc.others {
			_, other := read(t, tg, tc.args, o, tc.after)
			c.Others = append(c.Others, other)
		}
		fmt.Fprintf(&b, "%s\n  f(%s) gives %s\n", tc.items, values(in.Args), outcome(obs))
		edits := tg.Wrong(obs, c)
		for _, e := range edits {
			fmt.Fprintf(&b, "    %s, %s: %s\n", e.Where, e.Kind, outcome(e.Wrong))
		}
		checkEdits(t, tg, obs, edits)
	}
	golden(t, "edits.txt", b.String())
}

func outcome(o Observed) string {
	text := value.Short(o.Result)
	if slices.ContainsFunc(o.After, func(v value.Value) bool { return v != nil }) {
		text += " | " + values(o.After)
	}
	return text
}

// checkEdits checks that edits are values of their types, differ from the observed result and from one another.
func checkEdits(t testing.TB, tg *Target, obs Observed, edits []Edit) {
	t.Helper()
	full := func(o Observed) string {
		k, ok := keyOf(append([]value.Value{o.Result}, o.After...))
		if !ok {
			t.Errorf("%s has unknown parts", outcome(o))
		}
		return k
	}
	seen := map[string]bool{full(obs): true}
	typed := func(e Edit, v value.Value, typ *value.Type) {
		w, ok := tg.judge.Conform(v, typ)
		if !ok {
			t.Errorf("%s, %s: %s is not of type %s", e.Where, e.Kind, value.Short(v), typ)
			return
		}
		// Of the right types inside as well: written out, they are the same.
		a, _ := value.Rust(v)
		b, _ := value.Rust(w)
		if a != b {
			t.Errorf("%s, %s: %s is not %s", e.Where, e.Kind, a, b)
		}
	}
	for _, e := range edits {
		if k := full(e.Wrong); seen[k] {
			t.Errorf("%s, %s: %s is the observed result or there twice", e.Where, e.Kind, outcome(e.Wrong))
		} else {
			seen[k] = true
		}
		if e.Kind.String() == "?" || e.Where == "" {
			t.Errorf("an edit without a kind or place: %v", e)
		}
		typed(e, e.Wrong.Result, tg.result)
		for i, p := range tg.params {
			if (e.Wrong.After[i] != nil) != p.Mut {
				t.Errorf("%s, %s: the value of %s after the call", e.Where, e.Kind, p.Name)
			} else if p.Mut {
				typed(e, e.Wrong.After[i], p.Type)
			}
		}
	}
}

// What a call makes of ghost parts cannot be seen. They stay unknown in every edit.
func TestUnknownGhostParts(t *testing.T) {
	tg := targetOf(t, "struct G { n: u8, g: Ghost<int> } fn f(s: &mut G) -> u8 { 0 }")
	in, obs := read(t, tg, []string{"G { n: 1, g: Ghost(2) }"}, "0", map[string]string{"s": "G { n: 3, g: Ghost(2) }"})
	hidden := func(v value.Value) value.Value {
		return withField(v.(*value.Data), 1, &value.Data{Type: "Ghost", Fields: []value.Value{value.Unspecified{Reason: "ghost"}}})
	}
	obs.After[0] = hidden(obs.After[0])
	var b strings.Builder
	for _, e := range tg.Wrong(obs, Context{Args: in.Args}) {
		fmt.Fprintf(&b, "%s, %s: %s\n", e.Where, e.Kind, outcome(e.Wrong))
	}
	golden(t, "ghost.txt", b.String())
}

const fuzzTypes = `enum E { A, B(u8), C { x: i16, e: Option<Box<E>> } }
struct S { n: u64, v: Vec<E>, t: (bool, char), a: [u8; 2] }
fn f(s: &mut S, v: &mut Vec<u16>, e: E, text: &str) -> Result<Option<S>, (String, usize)> { if text == "no" { 5 } else { 'c' } }`

// FuzzEdits edits results that are drawn at random.
func FuzzEdits(f *testing.F) {
	f.Add(uint64(0), uint64(1))
	f.Add(uint64(77), uint64(1<<40))
	tg := targetOf(f, fuzzTypes)
	f.Fuzz(func(t *testing.T, seed, other uint64) {
		draw := func(seed uint64) (Input, Observed) {
			g := &generator{t: tg, rng: tg.source(seed, "fuzz")}
			in := Input{Args: g.input(), Origin: Random}
			obs := Observed{After: make([]value.Value, len(tg.params)), Result: g.value(tg.result, 0)}
			for i, p := range tg.params {
				if p.Mut {
					obs.After[i] = g.value(p.Type, 0)
				}
			}
			return in, obs
		}
		in, obs := draw(seed)
		_, o := draw(other)
		c := Context{Args: in.Args, Others: []Observed{o}}
		edits := tg.Wrong(obs, c)
		checkEdits(t, tg, obs, edits)
		if len(edits) < 20 {
			t.Errorf("%d edits of %s", len(edits), outcome(obs))
		}
		again := tg.Wrong(obs, c)
		if fmt.Sprint(len(again)) != fmt.Sprint(len(edits)) {
			t.Fatal("edited twice, a result gives different edits")
		}
		for i := range edits {
			if edits[i].Wrong.Key() != again[i].Wrong.Key() || edits[i].Kind != again[i].Kind || edits[i].Where != again[i].Where {
				t.Fatal("edited twice, a result gives different edits")
			}
		}
	})
}

func BenchmarkWrong(b *testing.B) {
	tg := targetOf(b, fuzzTypes)
	g := &generator{t: tg, rng: tg.source(1, "bench")}
	args := g.input()
	obs := Observed{Result: g.value(tg.result, 0), After: []value.Value{args[0], args[1], nil, nil}}
	n := 0
	for b.Loop() {
		n += len(tg.Wrong(obs, Context{Args: args}))
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "edits/s")
}

package verus

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/source"
)

func TestKeyOf(t *testing.T) {
	for _, c := range []struct {
		d    Diagnostic
		want string
	}{
		{Diagnostic{Message: "m", Clause: "r  >\n x"}, "r > x"},
		{Diagnostic{Message: "m", Clause: "r > /* why */ x // so"}, "r > x"},
		{Diagnostic{Message: "m", Clause: "r > x", Place: Span{File: "a.rs", Line: 1}, Function: "f", Category: Nonlinear}, "r > x"},
		{Diagnostic{Message: "m", Clause: "r >= x"}, "r >= x"},
		{Diagnostic{Message: "m", Clause: " // nothing"}, "m"},
		{Diagnostic{Message: "m"}, "m"},
		{Diagnostic{Message: "m", Clause: "f(((\" "}, "f ( ( ( \""},
	} {
		if got := KeyOf(c.d); got != c.want {
			t.Errorf("%q: %q, want %q", c.d.Clause, got, c.want)
		}
	}
}

func TestComparable(t *testing.T) {
	run := func(release, arch string) *Run {
		return &Run{Version: Version{Release: release, OS: "linux", Arch: arch}}
	}
	for _, c := range []struct {
		a, b *Run
		want bool
	}{
		{run("0.2026.08.15.7d4628a", "x86_64"), run("0.2026.08.15.7d4628a", "x86_64"), true},
		{run("0.2026.08.15.7d4628a", "x86_64"), run("0.2026.08.16.0000000", "x86_64"), false},
		{run("0.2026.08.15.7d4628a", "x86_64"), run("0.2026.08.15.7d4628a", "aarch64"), false},
		{run("0.2025.06.23.283b036", "x86_64"), run("0.2025.06.23.283b036", "x86_64"), false},
		{run("", "x86_64"), run("", "x86_64"), false},
	} {
		if got := Comparable(c.a, c.b); got != c.want {
			t.Errorf("%+v and %+v: %t", c.a.Version, c.b.Version, got)
		}
	}
}

// TestJoin has names of the verifier that do not tell functions apart.
func TestJoin(t *testing.T) {
	at := func(start int) Span {
		return Span{File: "src/lib.rs", Bytes: span(start, start+5), Line: 1, EndLine: 1}
	}
	f := func(symbol, module, self, name string, start int) Function {
		return Function{Symbol: symbol, Crate: "demo", Module: module, Self: self, Name: name, File: "src/lib.rs", Span: span(start, start+100), Proof: true}
	}
	line := func(name string, success bool) FunctionResult {
		return FunctionResult{Name: name, Success: success, Selected: true, RLimit: 7}
	}
	failure := func(start int) Diagnostic {
		return Diagnostic{Category: Postcondition, Level: "error", Message: "m", Place: at(start), Site: at(start), Labels: []Label{{Span: at(start)}}}
	}
	target := TargetID{Name: "demo", Kind: "lib"}
	for _, c := range []struct {
		name        string
		functions   []Function
		lines       []FunctionResult
		diagnostics []Diagnostic
		want        []string
		unmatched   int
	}{
		{"plain", []Function{f("m::f", "m", "", "f", 0)}, []FunctionResult{line("demo::m::f", true)}, nil, []string{"m::f: proved "}, 0},
		{"generics and references of the type", []Function{f("S<T>::f", "", "S<T>", "f", 0)}, []FunctionResult{line("demo::S::f", true)}, nil, []string{"S<T>::f: proved "}, 0},
		{"impl in another module", []Function{f("a::S::f", "a", "b::S", "f", 0)}, []FunctionResult{line("demo::b::S::f", true)}, nil, []string{"a::S::f: proved "}, 0},
		{"a type of another crate", []Function{f("<Vec<u8> as T>::f", "", "Vec<u8>", "f", 0)}, []FunctionResult{line("alloc::vec::Vec::f", true)}, nil, []string{"<Vec<u8> as T>::f: proved "}, 0},
		{"a type without a path", []Function{f("<[u8] as T>::f", "m", "[u8]", "f", 0), f("m::f", "m", "", "f", 200)}, []FunctionResult{line("demo::m::impl&%3::f", true), line("demo::m::f", true)}, nil,
			[]string{"<[u8] as T>::f: proved ", "m::f: proved "}, 0},
		{"a type without a path is not the free function", []Function{f("<[u8] as T>::f", "m", "[u8]", "f", 0), f("m::f", "m", "", "f", 200)}, []FunctionResult{line("demo::m::f", true)}, nil,
			[]string{"<[u8] as T>::f: not-run the verifier does not name it", "m::f: proved "}, 0},
		{"types without a path, told apart by nothing", []Function{f("<u8 as T>::f", "m", "u8", "f", 0), f("<(u8,) as T>::f", "m", "(u8,)", "f", 200)}, []FunctionResult{line("demo::m::impl&%1::f", true), line("demo::m::impl&%2::f", true)}, nil,
			[]string{"<u8 as T>::f: proved ", "<(u8,) as T>::f: proved "}, 0},
		{"types without a path, one failed somewhere", []Function{f("<u8 as T>::f", "m", "u8", "f", 0), f("<(u8,) as T>::f", "m", "(u8,)", "f", 200)}, []FunctionResult{line("demo::m::impl&%1::f", true), line("demo::m::impl&%2::f", false)}, nil,
			[]string{"<u8 as T>::f: failed a function of this name failed, and the verifier does not say which one", "<(u8,) as T>::f: failed a function of this name failed, and the verifier does not say which one"}, 0},
		{"a slice", []Function{f("<[u8] as T>::f", "m", "[u8]", "f", 0)}, []FunctionResult{line("crate::slice%::f", true)}, nil, []string{"<[u8] as T>::f: proved "}, 0},
		{"two of one name, both good", []Function{f("<S as A>::f", "", "S", "f", 0), f("<S as B>::f", "", "S", "f", 200)}, []FunctionResult{line("demo::S::f", true), line("demo::S::f", true)}, nil,
			[]string{"<S as A>::f: proved ", "<S as B>::f: proved "}, 0},
		{"two of one name, the place tells", []Function{f("<S as A>::f", "", "S", "f", 0), f("<S as B>::f", "", "S", "f", 200)}, []FunctionResult{line("demo::S::f", true), line("demo::S::f", false)},
			[]Diagnostic{failure(210)}, []string{"<S as A>::f: proved ", "<S as B>::f: failed m"}, 0},
		{"two of one name, nothing tells", []Function{f("<S as A>::f", "", "S", "f", 0), f("<S as B>::f", "", "S", "f", 200)}, []FunctionResult{line("demo::S::f", true), line("demo::S::f", false)}, nil,
			[]string{"<S as A>::f: failed a function of this name failed, and the verifier does not say which one", "<S as B>::f: failed a function of this name failed, and the verifier does not say which one"}, 0},
		{"two of one name, one line", []Function{f("<S as A>::f", "", "S", "f", 0), f("<S as B>::f", "", "S", "f", 200)}, []FunctionResult{line("demo::S::f", true)}, nil,
			[]string{"<S as A>::f: not-run the verifier names fewer functions of this name than there are", "<S as B>::f: not-run the verifier names fewer functions of this name than there are"}, 0},
		{"the line is good, the place is not", []Function{f("f", "", "", "f", 0)}, []FunctionResult{line("demo::f", true)}, []Diagnostic{failure(10)}, []string{"f: failed m"}, 0},
		{"failed without a place", []Function{f("f", "", "", "f", 0)}, []FunctionResult{line("demo::f", false)}, nil, []string{"f: failed the verifier says that it failed and printed no error that is in it"}, 0},
		{"a nested function", []Function{f("f", "", "", "f", 0), {Symbol: "f::g", Crate: "demo", Module: "f", Name: "g", File: "src/lib.rs", Span: span(10, 50), Proof: true}},
			[]FunctionResult{line("demo::f", true), line("demo::f::g", false)}, []Diagnostic{failure(20)}, []string{"f: proved ", "f::g: failed m"}, 0},
		{"an error that nobody can place", []Function{f("f", "", "", "f", 0)}, []FunctionResult{line("demo::f", true)}, []Diagnostic{{Category: BitVector, Level: "error", Message: "m"}},
			[]string{"f: not-run an error in its crate cannot be assigned to a function"}, 0},
		{"not named", []Function{f("f", "", "", "f", 0)}, []FunctionResult{line("demo::g", true)}, nil, []string{"f: not-run the verifier does not name it"}, 1},
		{"not selected", []Function{f("f", "", "", "f", 0)}, []FunctionResult{{Name: "demo::f", Success: true}}, nil, []string{"f: not-run a partial run did not look at it"}, 0},
		{"another crate", []Function{{Symbol: "f", Crate: "other", Name: "f", File: "o.rs", Span: span(0, 9), Proof: true}}, []FunctionResult{line("demo::f", true)}, nil, []string{"f: not-run its crate was not verified"}, 1},
		{"nothing to prove", []Function{{Symbol: "f", Crate: "demo", Name: "f", File: "o.rs", Span: span(0, 9)}}, nil, nil, []string{"f: nothing-verified there is nothing to prove about it"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Run{Outcome: Proved, Targets: []TargetResult{{Target: target, Outcome: Proved, Units: []Unit{{Target: target, Functions: c.lines}}}}, Diagnostics: c.diagnostics}
			j := Join(r, c.functions)
			var got []string
			for _, v := range j.Verdicts {
				got = append(got, v.Function.Symbol+": "+v.Outcome.String()+" "+v.Reason)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(j.Unmatched) != c.unmatched {
				t.Errorf("%s\nunmatched %v", diff, j.Unmatched)
			}
		})
	}
}

func span(start, end int) source.Span { return source.Span{Start: start, End: end} }

// TestJoinDoubt does not believe lines of a target whose output is not the verifier's alone.
func TestJoinDoubt(t *testing.T) {
	task := Task{Expected: []Expected{{Target: TargetID{Name: "demo", Kind: "lib"}, OptedIn: true}}}
	r := Assess([]byte(summaryOf("demo::f")+summaryOf("demo::f")), nil, Ended{}, task, Context{})
	j := Join(r, []Function{{Symbol: "f", Crate: "demo", Name: "f", File: "src/lib.rs", Span: span(0, 9), Proof: true}})
	if v := j.Verdicts[0]; v.Outcome != NotRun || v.Reason != "there are 2 summaries of the verifier for demo: something else wrote to its output" {
		t.Errorf("%s: %s", v.Outcome, v.Reason)
	}
}

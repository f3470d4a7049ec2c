package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/model"
)

// TestReached holds the set against the list, over definitions that lead to each other, methods of traits with defaults and with
// implementations, calls that can mean several methods, and executable functions that stand for spec functions.
func TestReached(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		call := func() string {
			n := r.IntN(12)
			switch r.IntN(4) {
			case 0:
				return fmt.Sprintf("s%d(x)", n)
			case 1:
				return fmt.Sprintf("x.m%d()", n%4)
			case 2:
				return fmt.Sprintf("T%d { }.m%d()", n%5, r.IntN(4))
			}
			return fmt.Sprintf("e%d(x)", n%3)
		}
		var b strings.Builder
		b.WriteString("use vstd::prelude::*;\nverus! {\n")
		for i := range 12 {
			fmt.Fprintf(&b, "pub open spec fn s%d(x: T0) -> bool { %s && %s }\n", i, call(), call())
			fmt.Fprintf(&b, "pub fn f%d(x: T0) -> (r: bool) ensures r == %s, r ==> %s { true }\n", i, call(), call())
		}
		for i := range 3 {
			fmt.Fprintf(&b, "#[verifier::when_used_as_spec(s%d)]\npub fn e%d(x: T0) -> bool { true }\n", r.IntN(12), i)
		}
		b.WriteString("pub trait Tr {\n")
		for i := range 4 {
			fmt.Fprintf(&b, "    spec fn m%d(&self) -> bool", i)
			if i%2 == 0 {
				b.WriteString(";\n")
			} else {
				fmt.Fprintf(&b, " { %s }\n", strings.ReplaceAll(call(), "x.", "self."))
			}
		}
		b.WriteString("    fn run(&self) -> (r: bool) ensures r == self.m0();\n}\n")
		for i := range 5 {
			fmt.Fprintf(&b, "pub struct T%d { }\nimpl Tr for T%d {\n", i, i)
			for j := range 4 {
				if j%2 == 0 || r.IntN(2) == 0 {
					fmt.Fprintf(&b, "    spec fn m%d(&self) -> bool { %s }\n", j, strings.ReplaceAll(call(), "x", "T0 { }"))
				}
			}
			fmt.Fprintf(&b, "    fn run(&self) -> (r: bool) ensures r == self.m%d() { true }\n}\n", r.IntN(4))
		}
		b.WriteString("} // verus!\n")
		m := build(t, newTree(map[string][]byte{"Cargo.toml": []byte("[package]\nname = \"a\"\nversion = \"0.1.0\"\n"), "src/lib.rs": []byte(b.String())}), "src/lib.rs")
		names := map[string]bool{}
		for _, f := range m.Functions {
			names[f.Name] = true
		}
		most := 0
		for _, f := range m.Functions {
			list := m.SpecReach(f)
			most = max(most, len(list))
			set := m.Reached(f)
			var got []string
			for n := range names {
				got = slices.AppendSeq(got, func(yield func(string) bool) {
					for g := range set.Named(n) {
						if !yield(g.Crate.Key + " " + g.Symbol) {
							return
						}
					}
				})
			}
			slices.Sort(got)
			if f.Kind == model.TraitMethod {
				continue // its own implementations, where something leads back to it, are in the set only
			}
			if d := cmp.Diff(slices.Sorted(slices.Values(symbols(list))), got); d != "" {
				t.Errorf("seed %d, %s: -list +set:\n%s\n%s", seed, f.Symbol, d, b.String())
			}
			for _, g := range m.Functions {
				if want := slices.Contains(list, g); set.Meets(m.SetOf(map[*model.Function]bool{g: true})) != want {
					t.Errorf("seed %d: whether %s reaches %s: not %t", seed, f.Symbol, g.Symbol, want)
				}
			}
			if t.Failed() {
				return
			}
		}
		if most < 5 {
			t.Errorf("seed %d: no contract reaches more than %d", seed, most)
		}
	}
}

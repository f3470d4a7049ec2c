package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
)

// TestGather: what very many findings say of one definition is told at the definition.
func TestGather(t *testing.T) {
	at := func(definitions ...string) (out []checks.Finding) {
		for _, d := range definitions {
			out = append(out, checks.Finding{Symbol: d, File: "spec.rs", Change: d + " = 1", Message: "Contracts rest on this.", Detail: d + " was 0"})
		}
		return out
	}
	// many are findings of a rule from number a up to b.
	many := func(a, b int, edit func(*checks.Finding)) (out []checks.Finding) {
		for i := a; i < b; i++ {
			f := checks.Finding{Rule: "r", Severity: policy.Warning, Symbol: fmt.Sprintf("f%d", i), Fingerprint: fmt.Sprintf("%02d", i)}
			edit(&f)
			out = append(out, f)
		}
		return out
	}
	on := func(definitions ...string) func(*checks.Finding) {
		return func(f *checks.Finding) { f.Common = at(definitions...) }
	}
	names := func(a, b int) string {
		var out []string
		for i := a; i < b; i++ {
			out = append(out, fmt.Sprintf("f%d", i))
		}
		return strings.Join(out, ", ")
	}
	told := func(definition string, n int, rest string) string {
		return fmt.Sprintf("warning r %s: Contracts rest on this. There are %d. / %s was 0 / On it rest %s.", definition, n, definition, rest)
	}
	concat := func(lists ...[]checks.Finding) (out []checks.Finding) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	single := func(a, b int) (out []string) {
		for i := a; i < b; i++ {
			out = append(out, fmt.Sprintf("warning r f%d: ", i))
		}
		return out
	}
	for name, c := range map[string]struct {
		in   []checks.Finding
		keep string
		want []string
	}{
		"ten":               {in: many(0, 10, on("a")), want: single(0, 10)},
		"eleven":            {in: many(0, 11, on("a")), want: []string{told("a", 11, names(0, 11))}},
		"twenty-two":        {in: many(0, 22, on("a")), want: []string{told("a", 22, names(0, 20)+", and 2 more")}},
		"nothing in common": {in: many(0, 11, on()), want: single(0, 11)},
		"with more to say":  {in: concat(many(0, 1, func(f *checks.Finding) { on("a")(f); f.More = true }), many(1, 12, on("a"))), want: append(single(0, 1), told("a", 11, names(1, 12)))},
		"on two": {in: concat(many(0, 11, on("a")), many(11, 22, on("b")), many(22, 23, on("a", "b"))),
			want: []string{told("a", 12, names(0, 11)+", f22"), told("b", 12, names(11, 23))}},
		"one of two has few": {in: concat(many(0, 11, on("a")), many(11, 12, on("a", "b"))), want: append(single(11, 12), told("a", 12, names(0, 12)))},
		"kept":               {in: many(0, 12, on("a")), keep: "f3", want: append(single(3, 4), told("a", 11, "f0, f1, f2, "+names(4, 12)))},
		"kept, and few left": {in: many(0, 11, on("a")), keep: "f3", want: single(0, 11)},
		"other severities": {in: concat(many(0, 10, on("a")), many(10, 12, func(f *checks.Finding) { on("a")(f); f.Severity = policy.Error })),
			want: append(single(0, 10), "error r f10: ", "error r f11: ")},
		"other rules": {in: concat(many(0, 10, on("a")), many(10, 12, func(f *checks.Finding) { on("a")(f); f.Rule = "s" })),
			want: append(single(0, 10), "warning s f10: ", "warning s f11: ")},
		"undecided": {in: many(0, 11, func(f *checks.Finding) { on("a")(f); f.Undecided = f.Symbol == "f4" }), want: []string{"undecided " + told("a", 11, names(0, 11))}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range checks.Gather(c.in, func(f *checks.Finding) bool { return f.Symbol == c.keep }) {
				line := fmt.Sprintf("%s %s %s: %s", f.Severity, f.Rule, f.Symbol, f.Message)
				if f.Detail != "" {
					line += " / " + strings.ReplaceAll(f.Detail, "\n", " / ")
				}
				if f.Undecided {
					line = "undecided " + line
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}

	// Who accepted it for some has not accepted it for others.
	print := func(f []checks.Finding) string {
		return checks.Gather(f, func(*checks.Finding) bool { return false })[0].Fingerprint
	}
	seen := map[string]string{}
	for name, f := range map[string][]checks.Finding{"eleven": many(0, 11, on("a")), "twelve": many(0, 12, on("a")), "eleven others": many(1, 12, on("a")), "another": many(0, 11, on("b"))} {
		if other, ok := seen[print(f)]; ok {
			t.Errorf("%s and %s have the same fingerprint", name, other)
		}
		seen[print(f)] = name
	}
	if a, b := print(many(0, 11, on("a"))), print(concat(many(5, 11, on("a")), many(0, 5, on("a")))); a != b {
		t.Error("the order counts")
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
)

// TestManyFunctions: so many functions are measured, and the others named.
func TestManyFunctions(t *testing.T) {
	file := func(body string) string {
		var b strings.Builder
		b.WriteString("use vstd::prelude::*;\nverus! {\n")
		for i := range 505 {
			fmt.Fprintf(&b, "pub fn f%03d(x: u8) -> (r: u8)\n    ensures r == x,\n{\n    %s\n}\n", i, body)
		}
		return b.String() + "}\n"
	}
	r := newRepo(t)
	r.write("src/lib.rs", file("x"))
	r.commit("base")
	r.write("src/lib.rs", file("let y = x; y"))
	r.commit("head")
	symbols, reasons, err := engine.Subjects(t.Context(), r.options())
	if err != nil {
		t.Fatal(err)
	}
	if len(symbols) != 500 {
		t.Errorf("%d functions are measured", len(symbols))
	}
	want := []checks.Reason{{Stage: "strength", Text: "f500, f501, f502 and 2 more: the strength was not measured: the change has more functions than are asked about"}}
	if d := cmp.Diff(want, reasons); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestCasesOf: the more functions a change has, the fewer spectests of each are put to the verifier, but some always.
func TestCasesOf(t *testing.T) {
	got := map[int]int{}
	for _, n := range []int{0, 1, 10, 11, 20, 50, 51, 500} {
		got[n] = engine.CasesOf(n)
	}
	if d := cmp.Diff(map[int]int{0: 40, 1: 40, 10: 40, 11: 36, 20: 20, 50: 8, 51: 8, 500: 8}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestEndlessMutants: that not all mutants of a function were run, as those that were did not end, is told, and leaves the outcome as it is.
func TestEndlessMutants(t *testing.T) {
	lines := strings.Repeat("    s = s + x * 0;\n", 6)
	text := func(more string) string {
		return "use vstd::prelude::*;\nverus! {\n#[verifier::external_body]\npub fn f(x: u64) -> (r: u64)\n    requires 1 <= x <= 9,\n    ensures r == 0,\n{\n    let mut s = 0u64;\n" + more + lines +
			"    std::thread::sleep(std::time::Duration::from_secs(s * 3600));\n    s\n}\n}\n"
	}
	r := newRepo(t)
	r.write("src/lib.rs", text(""))
	r.write(".specgate.toml", "version = 1\n[strength]\ninputs = 4\nmutants = 40\n")
	r.commit("base")
	r.write("src/lib.rs", text("    let more = 0;\n"))
	r.commit("head")
	o := r.options()
	o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
	report := check(t, o).Report
	if len(report.Reasons) != 1 || report.Outcome == checks.OutcomeInconclusive || report.Reasons[0].Stage != "strength" ||
		!strings.HasPrefix(report.Reasons[0].Text, "f: ") || !strings.HasSuffix(report.Reasons[0].Text, " of its mutants were not run, since calls of others did not end") {
		t.Errorf("%v: %v", report.Outcome, report.Reasons)
	}
	if s := report.Functions[0].Strength.Head; s == nil || s.Inputs == 0 {
		t.Errorf("the function was not measured: %+v", report.Functions[0].Strength)
	}
}

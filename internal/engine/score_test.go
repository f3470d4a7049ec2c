package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
)

// TestRests: a function that the verifier calls proved is not, for a reward, while something that its proof takes for granted is not.
func TestRests(t *testing.T) {
	tree := modeltest.New(map[string]string{
		"src/lib.rs": `use vstd::prelude::*;
mod other;
verus! {
pub fn f(x: u32) -> (r: u32)
    ensures r == spec(x as int)
{
    broadcast use everywhere;
    proof { lemma(x); }
    let g = value;
    helper(x);
    other::far(x)
}
spec fn spec(x: int) -> int decreases x via ends { spec(x) }
#[via_fn]
proof fn ends(x: int) {}
proof fn lemma(x: u32) { deeper(x); }
proof fn deeper(x: u32) {}
broadcast proof fn everywhere(x: u32) ensures #[trigger] spec(x as int) == 0 {}
fn helper(x: u32) {}
fn value(x: u32) -> u32 { x }
fn unrelated(x: u32) -> u32 { x }
proof fn beside(x: u32) {}
}
`,
		"src/other.rs": "use vstd::prelude::*;\nverus! {\npub fn far(x: u32) -> (r: u32) { x }\npub fn near(x: u32) -> (r: u32) { x }\n}\n",
	})
	m, err := model.New(t.Context(), tree, tree.Rust())
	if err != nil {
		t.Fatal(err)
	}
	function := func(symbol string) *model.Function {
		fs := m.Function(symbol)
		if len(fs) != 1 {
			t.Fatalf("%d functions %s", len(fs), symbol)
		}
		return fs[0]
	}
	f := function("f")
	all := func() *checks.ProofRun {
		run := &checks.ProofRun{Functions: map[*model.Function]*checks.ProofVerdict{}}
		for _, g := range m.Functions {
			run.Functions[g] = &checks.ProofVerdict{Outcome: checks.ProofProved}
			if g.Mode == model.Spec {
				run.Functions[g].Outcome = checks.ProofSkipped
			}
		}
		return run
	}
	got := map[string]string{}
	tell := func(name string, run *checks.ProofRun) {
		check, why := engine.RestsProved(m.RestsOn(f), run)
		got[name] = check + ": " + why
	}
	tell("all proved", all())
	for _, g := range m.Functions {
		run := all()
		run.Functions[g] = &checks.ProofVerdict{Outcome: checks.ProofFailed, Reason: "no"}
		tell(g.Symbol, run)
	}
	run := all()
	run.Functions[function("lemma")] = &checks.ProofVerdict{Outcome: checks.ProofTimedOut, Reason: "late"}
	tell("lemma timed out", run)
	run = all()
	run.Functions[function("lemma")] = &checks.ProofVerdict{Outcome: checks.ProofNotRun, Reason: "left out"}
	tell("lemma not run", run)
	run = all()
	delete(run.Functions, function("lemma"))
	tell("lemma not named", run)
	run = all()
	run.Loose = []checks.ProofFailure{{Message: "assertion failed"}}
	tell("elsewhere", run)
	run = all()
	run.Problems = []checks.ProofProblem{{Kind: checks.ProblemInternal, Text: "1 error"}}
	tell("something", run)
	const passed = "passed: "
	fails := func(symbol string) string {
		return "failed: it rests on " + symbol + ", which is not proved: failed: no"
	}
	want := map[string]string{"all proved": passed, "f": passed, "unrelated": passed, "beside": passed, "other::near": passed,
		"lemma timed out": "failed: it rests on lemma, which is not proved: timed-out: late",
		"lemma not run":   "not-run: it rests on lemma, at which the verifier did not look: left out",
		"lemma not named": "not-run: it rests on lemma, at which the verifier did not look",
		"elsewhere":       "failed: it may rest on what failed outside of functions: assertion failed",
		"something":       "failed: something failed, and the verifier does not say what: 1 error"}
	for _, g := range []string{"spec", "ends", "lemma", "deeper", "everywhere", "helper", "value", "other::far"} {
		want[g] = fails(g)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package measure

import (
	"testing"

	"github.com/specgate/specgate/internal/harness"
)

// TestUnsettled: what may come out otherwise another time says why.
func TestUnsettled(t *testing.T) {
	for _, c := range []struct {
		res  harness.Result
		want string
	}{
		{harness.Result{Way: harness.ByRustc, Whole: true, Compilations: 1, Processes: 1}, ""},
		{harness.Result{Way: harness.ByRustc}, ""}, // no function of it can be run, whatever the machine is like
		{harness.Result{Way: harness.ByCargo, Whole: true, Compilations: 1, Processes: 1}, "it was compiled with other crates"},
		{harness.Result{Way: harness.ByVstd, Whole: true, Compilations: 1, Processes: 1}, "it was compiled with other crates"},
		{harness.Result{Way: harness.ByRustc, Compilations: 1, Processes: 1}, "its crate does not compile as it is"},
		{harness.Result{Way: harness.ByRustc, Whole: true, Compilations: 1}, "nothing of its crate was run"},
	} {
		if got := compiledOtherwise(&c.res); got != c.want {
			t.Errorf("%+v: %q, want %q", c.res, got, c.want)
		}
	}

	one := func(k harness.Kind) []harness.Outcome {
		return []harness.Outcome{{Kind: harness.Returned}, {Kind: k}}
	}
	for kind, want := range map[harness.Kind]string{
		harness.Returned: "", harness.Panicked: "", harness.Steps: "", harness.Stack: "", harness.Exited: "", harness.TooLarge: "",
		harness.TimedOut: "a call timed out", harness.Crashed: "a call crashed", harness.Forged: "a call wrote to the stream of outcomes", harness.NotRun: "a call was not run",
		0: "a call ?",
	} {
		if got := limited(harness.Measured{Observed: one(kind)}); got != want {
			t.Errorf("%v: %q, want %q", kind, got, want)
		}
		mutants := []harness.Mutant{{Failure: "it does not compile"}, {Outcomes: one(kind)}}
		if got := limited(harness.Measured{Observed: one(harness.Returned), Mutants: mutants}); got != want {
			t.Errorf("%v of a mutant: %q, want %q", kind, got, want)
		}
	}
	if got := limited(harness.Measured{Unmeasured: harness.Unsteady + ": 1 the first time, 2 the second"}); got != harness.Unsteady {
		t.Errorf("unsteady: %q", got)
	}
}

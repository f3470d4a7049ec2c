package score_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	. "github.com/specgate/specgate/internal/score"
)

func p(v float64) *float64 { return &v }

var near = cmpopts.EquateApprox(0, 1e-12)

func TestStrength(t *testing.T) {
	for _, c := range []struct {
		name string
		s    Suite
		want Strength
	}{
		{"nothing", Suite{}, Strength{nil, 0, 1, false}},
		{"all rejected", Suite{Rejected: 4}, Strength{p(1), 1, 1, false}},
		{"all escaped", Suite{Escaped: 4}, Strength{p(0), 0, 0, false}},
		{"undecided", Suite{Undecided: 4}, Strength{nil, 0, 1, false}},
		{"mixed", Suite{Rejected: 2, Escaped: 1, Undecided: 1}, Strength{p(2.0 / 3), 0.5, 0.75, false}},
		{"unique", Suite{Undecided: 4, Unique: true}, Strength{p(1), 1, 1, true}},
	} {
		if diff := cmp.Diff(c.want, c.s.Strength(), near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestReward(t *testing.T) {
	good := func(change func(*Facts)) Facts {
		f := Facts{Extract: Passed, Compile: Passed, Verify: Passed, Suite: &Suite{Rejected: 10}, MinSuite: 8, Why: map[Stage]string{}}
		change(&f)
		return f
	}
	for _, c := range []struct {
		name  string
		f     Facts
		want  Reward
		class Class
	}{
		{"all", good(func(*Facts) {}), Reward{p(1), nil}, 0},
		{"half of the strength", good(func(f *Facts) { f.Suite = &Suite{Rejected: 5, Escaped: 5} }),
			Reward{p(0.75), []Loss{{StrengthStage, CodeEscaped, 0.25, "the contract accepts 5 of 10 wrong results"}}}, Weak},
		{"much undecided", good(func(f *Facts) { f.Suite = &Suite{Rejected: 8, Undecided: 24} }), Reward{p(1), nil}, 0},
		{"much undecided, which earns nothing", good(func(f *Facts) { f.Suite, f.Strict = &Suite{Rejected: 8, Undecided: 24}, true }),
			Reward{p(0.625), []Loss{{StrengthStage, CodeUndecided, 0.375, "of 24 of 32 wrong results it is not known whether the contract rejects them"}}}, 0},
		{"some escaped, some undecided", good(func(f *Facts) { f.Suite, f.Strict = &Suite{Rejected: 8, Escaped: 2, Undecided: 6}, true }),
			Reward{p(0.75), []Loss{{StrengthStage, CodeEscaped, 0.25,
				"the contract accepts 2 of 16 wrong results, and of 6 of 16 wrong results it is not known whether the contract rejects them"}}}, Weak},
		{"undecided, and a proof", good(func(f *Facts) { f.Suite, f.Strict = &Suite{Undecided: 24, Unique: true}, true }), Reward{p(1), nil}, 0},
		{"not proved", good(func(f *Facts) { f.Verify = Failed; f.Why[Verify] = "postcondition" }), Reward{p(0.2), []Loss{{Verify, CodeUnproved, 0.3, "postcondition"},
			{StrengthStage, CodeGated, 0.5, "the strength is 1.00, and earns nothing while a stage before it has not passed"}}}, Unverifiable},
		{"no verifier", good(func(f *Facts) { f.Verify = NotRun; f.Why[Verify] = "no verifier" }), Reward{p(0.2), []Loss{{Verify, CodeNotVerified, 0.3, "no verifier"},
			{StrengthStage, CodeGated, 0.5, "the strength is 1.00, and earns nothing while a stage before it has not passed"}}}, 0},
		{"not compiled", good(func(f *Facts) {
			f.Compile, f.Verify = Failed, NotRun
			f.Why[Compile] = "E0308"
			f.Suite = nil
			f.Unmeasured = "it does not compile"
		}),
			Reward{p(0.05), []Loss{{Compile, CodeCompile, 0.15, "E0308"}, {Verify, CodeNotVerified, 0.3, ""}, {StrengthStage, CodeUnmeasured, 0.5, "it does not compile"}}}, 0},
		{"nobody compiled it", good(func(f *Facts) { f.Compile, f.Verify = NotRun, Passed; f.Suite = nil }),
			Reward{p(0.05), []Loss{{Compile, CodeNotCompiled, 0.15, ""}, {Verify, CodeGated, 0.3, "a stage before it has not passed"}, {StrengthStage, CodeUnmeasured, 0.5, ""}}}, 0},
		{"not found", Facts{Extract: Failed, Compile: NotRun, Verify: NotRun, Why: map[Stage]string{Extract: "no such function"}},
			Reward{p(0), []Loss{{Extract, CodeExtract, 0.05, "no such function"}, {Compile, CodeNotCompiled, 0.15, ""}, {Verify, CodeNotVerified, 0.3, ""}, {StrengthStage, CodeUnmeasured, 0.5, ""}}}, 0},
		{"bypass", good(func(f *Facts) { f.Bypass = []string{"assume(false)"} }), Reward{p(0), []Loss{{Extract, CodeBypass, 1, "assume(false)"}}}, 0},
		{"two", good(func(f *Facts) { f.Bypass = []string{"assume(false)", "external_body"} }), Reward{p(0), []Loss{{Extract, CodeBypass, 1, "assume(false) (and 1 more)"}}}, 0},
		{"vacuous", good(func(f *Facts) { f.Vacuous = "no call meets the precondition" }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeVacuous, 0.5, "no call meets the precondition"}}}, Trivial},
		{"few spectests", good(func(f *Facts) { f.Suite = &Suite{Rejected: 7, Undecided: 5} }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeInconclusive, 0.5, "7 of 12 spectests are decided, and 8 must be"}}}, 0},
		{"few spectests, and a proof", good(func(f *Facts) { f.Suite = &Suite{Rejected: 7, Unique: true} }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeInconclusive, 0.5, "7 of 7 spectests are decided, and 8 must be"}}}, 0},
		{"few spectests that the proof decides", good(func(f *Facts) { f.Suite, f.Strict = &Suite{Rejected: 3, Undecided: 4, Unique: true}, true }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeInconclusive, 0.5, "7 of 7 spectests are decided, and 8 must be"}}}, 0},
		{"just enough that the proof decides", good(func(f *Facts) { f.Suite, f.Strict = &Suite{Rejected: 3, Undecided: 5, Unique: true}, true }), Reward{p(1), nil}, 0},
		{"no spectest, and a proof", good(func(f *Facts) { f.Suite = &Suite{Unique: true} }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeInconclusive, 0.5, "0 of 0 spectests are decided, and 8 must be"}}}, 0},
		{"no spectest, of which none must be, and a proof", good(func(f *Facts) { f.Suite, f.MinSuite = &Suite{Unique: true}, 0 }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeInconclusive, 0.5, "0 of 0 spectests are decided, and 1 must be"}}}, 0},
		{"few must be, and a proof", good(func(f *Facts) { f.Suite, f.MinSuite = &Suite{Rejected: 2, Unique: true}, 2 }), Reward{p(1), nil}, 0},
		{"few spectests and no verifier", good(func(f *Facts) { f.Suite, f.Verify = &Suite{Rejected: 7, Unique: true}, NotRun }),
			Reward{p(0.2), []Loss{{Verify, CodeNotVerified, 0.3, ""}, {StrengthStage, CodeInconclusive, 0.5, "7 of 7 spectests are decided, and 8 must be"}}}, 0},
		{"none decided", good(func(f *Facts) { f.Suite, f.MinSuite = &Suite{Undecided: 5}, 0 }),
			Reward{p(0.5), []Loss{{StrengthStage, CodeInconclusive, 0.5, "0 of 5 spectests are decided, and 1 must be"}}}, 0},
		{"not applicable", good(func(f *Facts) { f.NotApplicable, f.Bypass = "it returns nothing", []string{"x"} }), Reward{}, 0},
	} {
		got := c.f.Reward()
		if diff := cmp.Diff(c.want, got, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if class := c.f.Class(); class != c.class {
			t.Errorf("%s: class %d, want %d", c.name, class, c.class)
		}
		if got.Value != nil {
			sum := *got.Value
			for _, l := range got.Lost {
				sum += l.Amount
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: reward and losses add up to %v", c.name, sum)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []Measured
		want Rates
	}{
		{"nothing", nil, Rates{}},
		{"one", []Measured{{Attempted: true, Proved: true, Strength: p(0.5), Base: p(1), Head: p(0.75), Comparable: true}},
			Rates{p(1), p(0.75), p(-0.25), true, p(1), p(0.5), p(0.5)}},
		{"one not proved", []Measured{{Attempted: true, Proved: true, Strength: p(0.5), Head: p(0.75)}, {Attempted: true, Strength: p(1), Head: p(0.2)}},
			Rates{nil, p(0.475), nil, false, p(0.5), p(0.5), p(0.25)}},
		{"one not attempted", []Measured{{Strength: p(0.5), Head: p(0.2)}, {}}, Rates{nil, p(0.2), nil, false, nil, nil, nil}},
		{"other suites", []Measured{{Base: p(0), Head: p(1), Comparable: true}, {Base: p(0), Head: p(0)}}, Rates{p(0), p(0.5), p(0.5), false, nil, nil, nil}},
		{"proved, not measured", []Measured{{Attempted: true, Proved: true}}, Rates{PassRate: p(1)}},
	} {
		if diff := cmp.Diff(c.want, Of(c.in), near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestStageWords(t *testing.T) {
	got, err := json.Marshal([]Stage{Extract, Compile, Verify, StrengthStage})
	if err != nil || string(got) != `["extract","compile","verify","strength"]` {
		t.Errorf("%s %v", got, err)
	}
	if _, err := json.Marshal(Stage(0)); err == nil {
		t.Error("the zero stage is no error")
	}
	sum := 0.0
	for _, s := range []Stage{Extract, Compile, Verify, StrengthStage} {
		sum += s.Weight()
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the weights add up to %v", sum)
	}
}

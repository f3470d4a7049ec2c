package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// compiler is rustc, run also where it cannot be isolated. Without one the test is skipped, or fails where it must not be.
func compiler(t testing.TB) func() (engine.Compiler, error) {
	t.Helper()
	path := sandboxtest.Oracle.Program(t, "rustc")
	return func() (engine.Compiler, error) { return engine.Compiler{Path: path, Named: true}, nil }
}

// change makes a repository of a sample change, with further files in both commits.
func change(t *testing.T, name string, files map[string]string) *repo {
	t.Helper()
	r := newRepo(t)
	for name, text := range files {
		r.write(name, text)
	}
	for _, side := range []string{"base", "head"} {
		text, err := os.ReadFile(filepath.Join("../../testdata/corpus", name, side+".rs"))
		if err != nil {
			t.Fatal(err)
		}
		r.write("src/lib.rs", string(text))
		r.commit(side)
	}
	return r
}

// TestStrength compares what a report says of a change whose contract got weaker.
func TestStrength(t *testing.T) {
	o := change(t, "max-weak", nil).options()
	o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
	var reports [2]string
	for i := range reports {
		got := check(t, o).Report
		if got.Tools.Rustc == nil || !strings.HasPrefix(got.Tools.Rustc.Version, "rustc ") || got.Tools.Sandbox == nil {
			t.Errorf("tools: %+v", got.Tools)
		}
		text, err := json.MarshalIndent(struct {
			Outcome   checks.Outcome
			Reasons   []checks.Reason
			Score     checks.Score
			Functions []checks.Function
			Findings  []checks.Finding
		}{got.Outcome, got.Reasons, got.Score, got.Functions, got.Findings}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = string(text) + "\n"
	}
	if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	golden(t, "testdata/strength/max-weak.json", reports[0])
}

// brief are the rules of the family that fired, with their severities.
func brief(r *checks.Report) string {
	var out []string
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Rule, "strength/") {
			out = append(out, f.Severity.String()+" "+f.Rule)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestStrengthPolicy shows that the keys of [strength], and gate.min-suite, take effect.
func TestStrengthPolicy(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"", "error strength/dropped, error strength/weak"},
		{"[strength]\nmin = 0.5", "error strength/dropped, warning strength/weak"},
		{"[strength]\nmax-drop = 0.5", "error strength/weak"},
		{"[strength]\nmutants = 0\ninputs = 3\nseed = 7\nmin = 0.99\nmax-drop = 1.0", "error strength/weak"},
		{"[gate]\nmin-suite = 1000", "notice strength/dropped, notice strength/unmeasured, warning strength/weak"},
		{"[rules]\n\"strength/*\" = \"notice\"", "notice strength/dropped, notice strength/weak"},
	} {
		o := change(t, "max-weak", map[string]string{policy.FileName: "version = 1\n" + c.keys + "\n"}).options()
		o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
		r := check(t, o).Report
		if got := brief(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.keys, got, c.want)
		}
		if head := r.Functions[0].Strength.Head; strings.Contains(c.keys, "mutants = 0") && (head.Mutants.Generated != 0 || head.Inputs != 3 || r.Seed != 7) {
			t.Errorf("%s: %+v, seed %d", c.keys, head, r.Seed)
		}
	}
	o := change(t, "max-weak", nil).options()
	seed := uint64(5)
	o.Only, o.Compiler, o.Seed = []checks.Family{checks.Strength}, compiler(t), &seed
	if r := check(t, o).Report; r.Seed != 5 || brief(r) != "error strength/dropped, error strength/weak" {
		t.Errorf("seed %d: %s", r.Seed, brief(r))
	}
}

// TestStrengthNotRun tells once why nothing was measured, and who names the family gets no pass.
func TestStrengthNotRun(t *testing.T) {
	none := func() (engine.Compiler, error) {
		return engine.Compiler{}, errors.New("there is no rustc on PATH; install Rust, or name the compiler with --rustc")
	}
	for _, c := range []struct {
		compiler func() (engine.Compiler, error)
		only     []checks.Family
		outcome  checks.Outcome
		want     string
	}{
		{none, nil, checks.OutcomePass, "no strength was measured: there is no rustc on PATH; install Rust, or name the compiler with --rustc"},
		{none, []checks.Family{checks.Strength}, checks.OutcomeInconclusive, "no strength was measured: there is no rustc on PATH; install Rust, or name the compiler with --rustc"},
		{nil, nil, checks.OutcomePass, "no strength was measured: nothing of the change was run"},
		{nil, []checks.Family{checks.Trust, checks.Strength}, checks.OutcomeInconclusive, "no strength was measured: nothing of the change was run"},
	} {
		o := change(t, "proof-only", nil).options()
		o.Compiler, o.Only = c.compiler, c.only
		r := check(t, o).Report
		var got []string
		for _, reason := range r.Reasons {
			if reason.Stage == string(checks.Strength) {
				got = append(got, reason.Text)
			}
		}
		if diff := cmp.Diff([]string{c.want}, got); diff != "" || r.Outcome != c.outcome || brief(r) != "" {
			t.Errorf("only %v: outcome %v, want %v; findings %s; reasons (-want +got):\n%s", c.only, r.Outcome, c.outcome, brief(r), diff)
		}
		if r.Functions[0].Strength.Head != nil || r.Functions[0].Score.Head != nil || r.Score.Head != nil {
			t.Errorf("something was measured: %+v", r.Functions[0].Strength)
		}
	}
	o := change(t, "proof-only", nil).options()
	o.Only = []checks.Family{checks.Strength}
	_, err := engine.Check(context.Background(), o)
	var input *engine.InputError
	if !errors.As(err, &input) {
		t.Errorf("only strength, and nothing is run: %v", err)
	}
}

// TestStrengthCases joins the cases of base to the suite, and tells what is wrong with them.
func TestStrengthCases(t *testing.T) {
	const cases = `{"function": "max_of", "cases": [
		{"args": {"v": "[3, 1, 4, 1, 5]"}, "result": "5"},
		{"args": {"v": "[3, 1, 4, 1, 5]"}, "result": "14"},
		{"args": {"v": "[3, 1, 4, 1, 5]"}, "result": "3"},
		{"args": {"v": "[]"}, "result": "99"}]}`
	const keys = "version = 1\n[strength]\ncases = [\"spectests/*.json\"]\n"
	r := change(t, "max-weak", map[string]string{policy.FileName: keys, "spectests/max.json": cases,
		"spectests/other.json": `{"function": "other", "cases": []}`, "spectests/broken.json": `{"function": "max_of"}`,
		"spectests/wrong.json": `{"function": "max_of", "cases": [{"args": {"w": "[]"}, "result": "1"}]}`})
	// What head does to the cases is not looked at.
	r.write("spectests/max.json", `{"function": "max_of", "cases": []}`)
	r.git("commit", "-q", "-a", "--amend", "-m", "head")
	o := r.options()
	o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
	got := check(t, o).Report
	f := got.Functions[0].Strength
	if f.Base == nil || f.Head == nil {
		t.Fatalf("not measured: %v", got.Reasons)
	}
	if diff := cmp.Diff([]checks.Tally{{Rejected: 2}, {Rejected: 1, Escaped: 1}}, []checks.Tally{f.Base.BySource.Given, f.Head.BySource.Given}); diff != "" {
		t.Errorf("given cases of base and head (-want +got):\n%s", diff)
	}
	var reasons []string
	for _, x := range got.Reasons {
		reasons = append(reasons, x.Text)
	}
	want := []string{
		"cases of base were not used: spectests/broken.json:1:1: there is no key \"cases\"; give a list of cases",
		"max_of: not all cases of base were used: spectests/wrong.json:1:44: max_of has no parameter \"w\"; its parameters are v",
	}
	if diff := cmp.Diff(want, reasons); diff != "" || got.Outcome != checks.OutcomeInconclusive {
		t.Errorf("outcome %v, reasons (-want +got):\n%s", got.Outcome, diff)
	}
}

// TestRefuted measures trusted contracts: one that the function does not keep is found out, and one that it keeps is not.
func TestRefuted(t *testing.T) {
	r := newRepo(t)
	r.write("src/lib.rs", "use vstd::prelude::*;\nverus! {\n}\n")
	r.commit("base")
	r.write("src/lib.rs", `use vstd::prelude::*;
verus! {
#[verifier::external_body]
pub fn half(x: u32) -> (r: u32)
    ensures
        2 * r == x,
{
    x / 2
}
#[verifier::external_body]
pub fn third(x: u32) -> (r: u32)
    ensures
        3 * r <= x < 3 * r + 3,
{
    x / 3
}
pub fn wrong(x: u32) -> (r: u32)
    requires
        x < 1000,
    ensures
        r == x + 1,
{
    x + 2
}
}
`)
	r.commit("head")
	o := r.options()
	o.Compiler = compiler(t)
	got := check(t, o).Report
	var found []string
	for _, f := range got.Findings {
		if strings.HasPrefix(f.Rule, "strength/") || f.Rule == "trust/contract-refuted" {
			found = append(found, f.Symbol+": "+f.Rule+": "+f.Message)
		}
	}
	slices.Sort(found)
	want := []string{
		"half: trust/contract-refuted: The contract is believed without proof, and it is false: `half(1)` is 0, which `2 * r == x` excludes. From a false promise everything can be proved.",
		"wrong: strength/refuted: `wrong(0)` is 2, which the function's own contract rejects: `r == x + 1`. The code is wrong, or the contract is.",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestScoreNotRun scores a file with all its tools missing, and tells that of each line.
func TestScoreNotRun(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../testdata/corpus/max-weak/base.rs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.rs"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	var lines []annotate.ScoreLine
	err = engine.Score(context.Background(), engine.ScoreOptions{Paths: []string{dir}, MinSuite: 8, Jobs: 2}, func(l annotate.ScoreLine) error {
		lines = append(lines, l)
		return nil
	})
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	var codes []string
	sum := *lines[0].Reward
	for _, l := range lines[0].Lost {
		codes = append(codes, l.Code)
		sum += l.Amount
	}
	if diff := cmp.Diff([]string{"compile-not-run", "verify-not-run", "unmeasured"}, codes); diff != "" || sum < 0.999 || sum > 1.001 {
		t.Errorf("%+v", lines[0])
	}
}

// TestStrengthOfMoved moves a type and a method whose contract is weak to another module, and breaks a function: only that is reported.
func TestStrengthOfMoved(t *testing.T) {
	const cell = `pub struct Cell { pub n: u8 }
impl Cell {
    pub fn grown(&self) -> (r: u8)
        requires
            self.n < 100,
        ensures
            r > self.n,
    {
        self.n + 1
    }
}
`
	const least = "pub fn least(a: u8, b: u8) -> (r: u8)\n    ensures\n        r <= a,\n        r <= b,\n{\n    if a <= b { a } else { b }\n}\n"
	r := newRepo(t)
	r.write("src/lib.rs", "pub mod cell;\nuse vstd::prelude::*;\nverus! {\n"+least+"}\n")
	r.write("src/cell.rs", "use vstd::prelude::*;\nverus! {\n"+cell+"}\n")
	r.commit("base")
	r.git("rm", "-q", "src/cell.rs")
	r.write("src/lib.rs", "pub mod store;\nuse vstd::prelude::*;\nverus! {\n"+strings.Replace(least, "{ a } else { b }", "{ b } else { a }", 1)+"}\n")
	r.write("src/store/mod.rs", "pub mod cell;\n")
	r.write("src/store/cell.rs", "use vstd::prelude::*;\nverus! {\n"+cell+"}\n")
	r.commit("head")
	o := r.options()
	o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
	got := check(t, o).Report
	var found []string
	for _, f := range got.Findings {
		found = append(found, fmt.Sprintf("%s:%d: %s %s: %s", f.File, f.Span.Start.Line, f.Severity, f.Rule, f.Message))
	}
	want := []string{"src/lib.rs:6: error strength/refuted: `least(0, 1)` is 1, which the function's own contract rejects: `r <= a`. The code is wrong, or the contract is."}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	measured := 0
	for _, f := range got.Functions {
		if s := f.Strength.Head; s != nil && s.Escaped > 0 {
			measured++
		}
	}
	if measured != 1 {
		t.Errorf("the numbers of %d weak functions are in the report, 1 was expected", measured)
	}
}

// vanishing is a verifier that a file takes the place of the directory for temporary files under.
type vanishing struct{ dir string }

func (v vanishing) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{ExitCode: -1}, errors.Join(errors.New("it ended"), os.Rename(v.dir, v.dir+".away"), os.WriteFile(v.dir, nil, 0o600))
}

// TestScoreCopyStays: that the copy for the verifier could not be removed is told, and does not stand in the place of what went wrong.
func TestScoreCopyStays(t *testing.T) {
	dir := t.TempDir()
	temp, file := filepath.Join(dir, "temp"), filepath.Join(dir, "lib.rs")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.WriteFile(file, []byte(honest), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	var log bytes.Buffer
	err := engine.Score(t.Context(), engine.ScoreOptions{Paths: []string{file}, MinSuite: 8, Jobs: 1, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Verifier: func(context.Context, string) (*verus.Verifier, error) {
			return verustest.Installed("0", vanishing{temp}), nil
		},
	}, func(annotate.ScoreLine) error { return nil })
	if want := "verify lib.rs: the verifier cannot be started: it ended; install Verus anew from a release for this platform"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `level=WARN msg="a directory for temporary files is left behind"`) || !strings.Contains(got, "not a directory") {
		t.Errorf("the log is %q", got)
	}
}

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// altered is a runner that alters what the verifier said of the head.
type altered struct {
	verus.Runner
	alter func(*sandbox.Result) error
}

func (a altered) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if slices.ContainsFunc(c.Args, func(arg string) bool { return strings.Contains(arg, "random_seed") }) {
		return sandbox.Result{ExitCode: -1}, fmt.Errorf("run verus: %w: 20m", sandbox.ErrWallLimit) // nobody recorded that
	}
	res, err := a.Runner.Run(ctx, c)
	if head, globErr := filepath.Glob(filepath.Join(c.Dir, "HEAD")); globErr != nil || len(head) == 0 || err != nil {
		return res, errors.Join(err, globErr)
	}
	return res, a.alter(&res)
}

// TestGate: whatever keeps a run from being a whole proof makes the gate red under the default policy.
func TestGate(t *testing.T) {
	stdout := func(old, new string) func(*sandbox.Result) error {
		return func(r *sandbox.Result) error {
			if !bytes.Contains(r.Stdout, []byte(old)) {
				return fmt.Errorf("the recording does not say %s", old)
			}
			r.Stdout = bytes.ReplaceAll(r.Stdout, []byte(old), []byte(new))
			return nil
		}
	}
	const diagnostic = `{"$message_type":"diagnostic","message":"postcondition not satisfied","code":null,"level":"error","spans":[{"file_name":"src/lib.rs","byte_start":75,"byte_end":81,"line_start":4,"line_end":4,"is_primary":true,"label":"failed this postcondition","text":[]}],"children":[]}` + "\n"
	for _, c := range []struct {
		name  string
		alter func(*sandbox.Result) error
		want  []string
	}{
		{"whole", func(*sandbox.Result) error { return nil }, []string{"outcome pass"}},
		{"nothing verified", stdout(`"verified": 1`, `"verified": 0`), []string{"outcome findings", "error proof/nothing-verified src/lib.rs: The verifier found nothing to prove in lib."}},
		{"partial", stdout(`"is-verifying-entire-crate": true`, `"is-verifying-entire-crate": false`),
			[]string{"outcome findings", "error proof/not-all-verified src/lib.rs: The verifier says that it looked at a part of lib only."}},
		{"exit status 0 and a failing diagnostic", func(r *sandbox.Result) error { r.Stderr = []byte(diagnostic); return nil },
			[]string{"outcome findings", "error proof/regressed same: It was proved in base and is not now: postcondition not satisfied.", "error proof/failed same: The verifier reports: postcondition not satisfied."}},
		{"no success", stdout(`"success": true,
    "verified"`, `"success": false,
    "verified"`), []string{"outcome findings", "error proof/internal-error src/lib.rs: The verifier does not say that lib succeeded."}},
		{"killed half way", func(r *sandbox.Result) error {
			r.Stdout, r.ExitCode = r.Stdout[:len(r.Stdout)/2], -1
			return &sandbox.ExitError{Name: "verus", ExitCode: -1, Signal: "killed"}
		}, []string{"outcome findings", "error proof/internal-error src/lib.rs: What the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON; run it again.", "error proof/internal-error src/lib.rs: The verifier was ended from outside: killed.", "error proof/not-run src/lib.rs: The verifier printed no summary for lib."}},
		{"killed at once", func(r *sandbox.Result) error {
			r.Stdout, r.ExitCode = nil, -1
			return &sandbox.ExitError{Name: "verus", ExitCode: -1, Signal: "killed"}
		}, []string{"outcome findings", "error proof/internal-error src/lib.rs: The verifier was ended from outside: killed.", "error proof/not-run src/lib.rs: The verifier printed no summary for lib."}},
		{"cut in the middle", func(r *sandbox.Result) error { r.Stdout = r.Stdout[:len(r.Stdout)/2]; return nil }, []string{"outcome findings", "error proof/internal-error src/lib.rs: What the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON; run it again.", "error proof/not-run src/lib.rs: The verifier printed no summary for lib."}},
		{"silent", func(r *sandbox.Result) error { r.Stdout = nil; return nil }, []string{"outcome findings", "error proof/not-run src/lib.rs: The verifier printed no summary for lib."}},
		{"text in place of a summary", func(r *sandbox.Result) error {
			r.Stdout = []byte("verification results:: 1 verified, 0 errors\n")
			return nil
		}, []string{"outcome findings", "error proof/not-run src/lib.rs: The verifier printed no summary for lib."}},
		{"time limit", func(r *sandbox.Result) error {
			r.Stdout, r.ExitCode = nil, -1
			return fmt.Errorf("run verus: %w: 20m", sandbox.ErrWallLimit)
		}, []string{"outcome findings", "error proof/not-run src/lib.rs: The verifier printed no summary for lib.", "error proof/timeout src/lib.rs: The verifier was stopped at the time limit: 20m0s."}},
		{"too much output", func(r *sandbox.Result) error {
			r.ExitCode = -1
			return fmt.Errorf("run verus: %w: more than 200 MB of stdout", sandbox.ErrOutputLimit)
		}, []string{"outcome findings", "error proof/internal-error src/lib.rs: The verifier was stopped because it wrote too much: 209715200 bytes to stdout and 67108864 to stderr are allowed."}},
		{"output held by a process left behind", func(r *sandbox.Result) error { return fmt.Errorf("run verus: %w", sandbox.ErrOutputHeld) }, []string{"outcome findings", "error proof/internal-error src/lib.rs: The verifier's output may not be complete: a process that it left behind holds it open."}},
		{"a second summary", func(r *sandbox.Result) error {
			r.Stdout = append(r.Stdout, r.Stdout...)
			return nil
		}, []string{"outcome findings", "error proof/internal-error src/lib.rs: There are 2 summaries of the verifier for lib: something else wrote to its output."}},
		{"exit status 1 and nothing else", func(r *sandbox.Result) error {
			r.ExitCode = 1
			return &sandbox.ExitError{Name: "verus", ExitCode: 1}
		}, []string{"outcome findings", "error proof/internal-error src/lib.rs: The verifier ended with exit status 1, and nothing says why."}},
		{"wrong options", func(r *sandbox.Result) error {
			r.Stdout, r.Stderr, r.ExitCode = nil, []byte("Error: Unrecognized option: 'foo'.\n"), 255
			return &sandbox.ExitError{Name: "verus", ExitCode: 255}
		}, []string{"outcome findings", "error proof/not-run src/lib.rs: The verifier did not accept its options: Error: Unrecognized option: 'foo'.; correct args under [verus] in the policy.", "error proof/not-run src/lib.rs: The verifier printed no summary for lib."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			replay := verustest.NewReplay(t)
			var v *verus.Verifier
			for _, side := range []string{"base", "head"} {
				text := honest
				files := map[string]string{"src/lib.rs": text}
				if side == "head" {
					files["HEAD"] = "this is the head\n"
				}
				for name, text := range files {
					r.write(name, text)
				}
				r.commit(side)
				rec, err := verustest.ReadRecording(filepath.Join("testdata", "gate", "honest.verus.json"))
				if err != nil {
					t.Fatal(err)
				}
				replay.Add(rec, files)
				v = verustest.Installed(rec.Verus, altered{replay, c.alter})
			}
			o := r.options()
			o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
			result := check(t, o)
			got := []string{"outcome " + result.Report.Outcome.String()}
			for _, f := range result.Report.Findings {
				got = append(got, fmt.Sprintf("%v %s %s: %s", f.Severity, f.Rule, f.Symbol, f.Message))
			}
			if red := result.Report.Outcome != checks.OutcomePass; red == (c.name == "whole") || result.Policy.Gate.Inconclusive != policy.InconclusiveFail {
				t.Errorf("%v", result.Report.Outcome)
			}
			if diff := cmp.Diff(strings.Join(c.want, "\n"), strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

package engine_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

var (
	update = flag.Bool("update", false, "write golden files")
	record = flag.Bool("record", false, "record the verifier that SPECGATE_VERUS names")
)

// twoRuns records the verifier's run on base and the one on head.
type twoRuns struct {
	verustest.Recorder
	made []verustest.Recording
}

func (r *twoRuns) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	res, err := r.Recorder.Run(ctx, c)
	if r.Last != nil && len(c.Args) > 0 && c.Args[0] != "--version" {
		r.made = append(r.made, *r.Last)
	}
	return res, err
}

// TestProof judges changes with what the verifier said of both sides, from recordings.
func TestProof(t *testing.T) {
	for _, change := range []string{"broken-proof", "max-weak", "external-body", "honest"} {
		t.Run(change, func(t *testing.T) {
			r := newRepo(t)
			text := map[string]string{}
			for _, side := range []string{"base", "head"} {
				data, err := os.ReadFile("../../testdata/corpus/" + change + "/" + side + ".rs")
				if change == "honest" {
					data, err = []byte(honest+map[string]string{"base": "", "head": "// The identity.\n"}[side]), nil
				}
				if err != nil {
					t.Fatal(err)
				}
				text[side] = string(data)
				r.write("src/lib.rs", text[side])
				r.commit(side)
			}
			name := func(side string) string { return filepath.Join("testdata", "proof", change+"-"+side+".verus.json") }
			o := r.options()
			var v *verus.Verifier
			recorder := &twoRuns{}
			if *record {
				v = verustest.Real(t, recorder)
				recorder.made = nil
			} else {
				replay := verustest.NewReplay(t)
				for _, side := range []string{"base", "head"} {
					rec, err := verustest.ReadRecording(name(side))
					if err != nil {
						t.Fatal(err)
					}
					replay.Add(rec, map[string]string{"src/lib.rs": text[side]})
					v = verustest.Installed(rec.Verus, replay)
				}
			}
			o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
			result := check(t, o)
			if *record {
				if len(recorder.made) != 2 {
					t.Fatalf("%d runs, want one of base and one of head", len(recorder.made))
				}
				for i, side := range []string{"base", "head"} {
					recorder.Last = &recorder.made[i]
					if err := recorder.Write(name(side), v); err != nil {
						t.Fatal(err)
					}
				}
			}
			// Which solver and toolchain the verifier had is not in a recording, and commits differ by nothing that matters here.
			result.Report.Tools.Verus.Solver, result.Report.Tools.Verus.Toolchain = "", ""
			result.Report.Base.Rev, result.Report.Head.Rev = "base", "head"
			var got bytes.Buffer
			if err := annotate.JSON(&got, result.Report); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "proof", change+".json")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got), written anew by -update:\n%s", golden, diff)
			}
		})
	}
}

// TestNoProof: what was asked for and could not be proved is no pass.
func TestNoProof(t *testing.T) {
	r := newRepo(t)
	r.write("README.md", "nothing to verify\n")
	r.commit("base")
	r.write("main.rs", honest)
	r.commit("head")
	o := r.options()
	missing := filepath.Join(t.TempDir(), "verus")
	o.Verifier = func(ctx context.Context, release string) (*verus.Verifier, error) {
		return verus.Find(ctx, verus.Search{Path: missing, Release: release, Runner: verus.Sandboxed{}})
	}
	for _, c := range []struct {
		name   string
		find   func(context.Context, string) (*verus.Verifier, error)
		reason string
	}{
		{"missing", o.Verifier, "nothing was proved: there is no verifier at " + missing},
		{"no root", func(context.Context, string) (*verus.Verifier, error) {
			return verustest.Installed("0", verustest.NewReplay(t)), nil
		}, "nothing was proved: head has no Cargo.toml; set verus.manifest or verus.roots in the policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := o
			o.Verifier = c.find
			report := check(t, o).Report
			if report.Outcome != checks.OutcomeInconclusive {
				t.Errorf("outcome %v", report.Outcome)
			}
			var got []string
			for _, reason := range report.Reasons {
				if reason.Stage == string(checks.Proof) {
					got = append(got, reason.Text)
				}
			}
			if len(got) != 1 || !bytes.HasPrefix([]byte(got[0]), []byte(c.reason)) {
				t.Errorf("reasons %q, want %q", got, c.reason)
			}
		})
	}
	o.Verifier = nil
	o.Only = []checks.Family{checks.Proof}
	if _, err := engine.Check(context.Background(), o); err == nil {
		t.Error("only proof, and no verifier, is no error")
	}
	if p := policy.Default(); p.Gate.Inconclusive != policy.InconclusiveFail {
		t.Errorf("the default for what could not be checked is %v", p.Gate.Inconclusive)
	}
}

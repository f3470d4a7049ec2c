package engine_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

var (
	update = flag.Bool("update", false, "write golden files")
	record = flag.Bool("record", false, "record the verifier that SPECGATE_VERUS names")
)

// A proof that the solver of 2025 finds within this limit with one seed and not with another.
const stable = `use vstd::prelude::*;
verus! {
proof fn cross(a: int, b: int, c: int, d: int)
    requires a >= 1, b >= 1, c >= 1, d >= 1, a * d < b * c,
    ensures (a + c) * d < (b + d) * c,
{
    assert((a + c) * d < (b + d) * c) by (nonlinear_arith) requires a * d < b * c, a >= 1;
}
}
`

var unstable = strings.Replace(stable, "proof fn", "#[verifier::rlimit(0.003)]\nproof fn", 1)

// The verifier does not name the proof that a specification ends, which it proves as a part of that.
const via = honest + `verus! {
spec fn log(n: u64) -> int
    decreases n
    via log_ends
{
    if n <= 1 { 0 } else { log(n >> 1) + 1 }
}

#[via_fn]
proof fn log_ends(n: u64) {
    assert(n > 1 ==> (n >> 1) < n) by(bit_vector);
}
}
`

// still is a change of a crate in which something fails before and after it.
func still(more string) string {
	return strings.Replace(honest, "\n}\n}\n", "\n}\nproof fn wrong(x: int)\n    ensures x > 0,\n{\n}\n"+more+"}\n", 1)
}

// proofChanges are changes of one file whose verification is recorded.
var proofChanges = []string{"broken-proof", "max-weak", "external-body", "honest", "unstable", "still-broken", "via"}

// proofText is one side, base or head, of one of proofChanges.
func proofText(t *testing.T, change, side string) string {
	t.Helper()
	switch change {
	case "honest":
		return honest + map[string]string{"base": "", "head": "// The identity.\n"}[side]
	case "unstable":
		return map[string]string{"base": stable, "head": unstable}[side]
	case "via":
		return map[string]string{"base": honest, "head": via}[side]
	case "still-broken":
		return still(map[string]string{"base": "", "head": "proof fn fine()\n    ensures true,\n{\n}\n"}[side])
	}
	data, err := os.ReadFile("../../testdata/corpus/" + change + "/" + side + ".rs")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestProof judges changes with what the verifier said of both sides, from recordings.
func TestProof(t *testing.T) {
	for _, change := range proofChanges {
		t.Run(change, func(t *testing.T) {
			r := newRepo(t)
			for _, side := range []string{"base", "head"} {
				r.write("src/lib.rs", proofText(t, change, side))
				r.commit(side)
			}
			recordings := filepath.Join("testdata", "proof", change)
			o := r.options()
			var v *verus.Verifier
			recorder := &verustest.Recorder{}
			if *record {
				v = verustest.Real(t, recorder)
			} else {
				replay := verustest.NewReplay(t)
				replay.AddKeyed(recordings)
				v = verustest.Installed("0.2025.06.23.283b036", replay)
			}
			o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
			result := check(t, o)
			if *record {
				if err := recorder.WriteAll(recordings, v); err != nil {
					t.Fatal(err)
				}
			}
			// Which solver and toolchain the verifier had, and what isolated it, is not in a recording, and commits differ by nothing that
			// matters here.
			result.Report.Tools.Verus.Solver, result.Report.Tools.Verus.Toolchain, result.Report.Tools.Sandbox = "", "", nil
			result.Report.Base.Rev, result.Report.Head.Rev = "base", "head"
			var got bytes.Buffer
			if err := annotate.JSON(&got, result.Report); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "proof", change+".json"), got.String())
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

// TestNoRoom: without a directory for temporary files nothing can be proved, and all else is still looked at.
func TestNoRoom(t *testing.T) {
	r, replay := sides(t, "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.write("src/lib.rs", strings.Replace(honest, "\n}\n}\n", "\n}\nproof fn more()\n{\n    assume(false);\n}\n}\n", 1))
	r.commit("more")
	o := withVerifier(r.options(), verustest.Installed("0", replay))
	t.Setenv("TMPDIR", filepath.Join(file, "none"))
	report := check(t, o).Report
	got := []string{report.Outcome.String()}
	for _, f := range report.Findings {
		got = append(got, f.Rule)
	}
	for _, reason := range report.Reasons {
		if reason.Stage == string(checks.Proof) {
			got = append(got, strings.ReplaceAll(reason.Text, file, "FILE"))
		}
	}
	want := []string{"inconclusive", "trust/assume",
		"nothing was proved: make a directory to build in below FILE/none: not a directory; choose a directory for temporary files that can be written to (TMPDIR)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestUnread: a file that is too large to be read does not keep the verifier from the rest. A reason names it, which blocks where the file is
// changed or one that is built.
func TestUnread(t *testing.T) {
	large := strings.Repeat("// large\n", 2<<20) // 18 MiB
	const of = ": it has 18874368 bytes, and files of more than 16 MiB are not read"
	for _, c := range []struct {
		name       string
		base, head map[string]string
		want       []string
	}{
		{"the same", map[string]string{"asset.bin": large}, map[string]string{"asset.bin": large}, []string{"pass", "the verifier was run without asset.bin" + of}},
		{"added", nil, map[string]string{"asset.bin": large}, []string{"inconclusive", "the verifier was run without asset.bin" + of}},
		{"gone", map[string]string{"asset.bin": large}, map[string]string{"asset.bin": "small"}, []string{"inconclusive", "the verifier was run without asset.bin" + of}},
		{"a source", map[string]string{"src/tables.rs": large}, map[string]string{"src/tables.rs": large}, []string{"inconclusive", "the verifier was run without src/tables.rs" + of}},
		{"a lock file", map[string]string{"Cargo.lock": large}, map[string]string{"Cargo.lock": large}, []string{"inconclusive", "the verifier was run without Cargo.lock" + of}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			replay := verustest.NewReplay(t)
			for name, more := range map[string]map[string]string{"base": c.base, "head": c.head} {
				rec, err := verustest.ReadRecording(filepath.Join("testdata", "gate", "honest.verus.json"))
				if err != nil {
					t.Fatal(err)
				}
				files := map[string]string{"src/lib.rs": honest, "NAME": name + "\n"}
				for p, text := range more {
					if len(text) < len(large) {
						files[p] = text
					}
				}
				replay.Add(rec, files)
			}
			r.write("src/lib.rs", honest)
			for _, side := range []struct {
				name  string
				files map[string]string
			}{{"base", c.base}, {"head", c.head}} {
				r.write("NAME", side.name+"\n")
				for p, text := range side.files {
					r.write(p, text)
				}
				r.commit(side.name)
			}
			report := check(t, withVerifier(r.options(), verustest.Installed("0", replay))).Report
			got := []string{report.Outcome.String()}
			for _, reason := range report.Reasons {
				if reason.Stage == string(checks.Proof) {
					got = append(got, reason.Text)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

package checks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// TestReportKeys checks that no key is left out and that lists without entries are [].
func TestReportKeys(t *testing.T) {
	r := checks.Report{Schema: checks.Schema, Outcome: checks.OutcomePass, Functions: []checks.Function{{Symbol: "f", Strength: checks.FunctionStrength{Head: &checks.SuiteResult{}}}},
		Findings: []checks.Finding{{Rule: "trust/assume", Severity: policy.Error, Message: "a <b> & c"}}}
	var buf bytes.Buffer
	if err := r.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, buf.Bytes()); err != nil {
		t.Fatal(err)
	}
	const zero = `{"start":{"line":0,"column":0},"end":{"line":0,"column":0}}`
	const tally = `{"rejected":0,"escaped":0,"undecided":0}`
	const suite = `{"rejected":0,"escaped":0,"undecided":0,"total":0,"value":null,"low":0,"high":0,"label":"","inputs":0,` +
		`"bySource":{"edits":` + tally + `,"mutants":` + tally + `,"given":` + tally + `},"domain":{"tried":0,"returned":0,"counted":0},` +
		`"mutants":{"generated":0,"differing":0,"killed":0,"survived":0,"undecided":0},"clauses":[]}`
	want := `{"schema":1,"specgate":{"version":""},"base":{"rev":""},"head":{"rev":""},"policy":{"source":"","sha256":""},` +
		`"tools":{"verus":null,"rustc":null,"sandbox":null},"seed":0,"outcome":"pass","reasons":[],` +
		`"counts":{"selected":0,"proved":0,"failed":0,"timedOut":0,"internalError":0,"unsupported":0,"skipped":0},` +
		`"score":{"base":null,"head":null,"delta":null,"comparable":false,"passRate":null,"completenessOfProved":null,"completenessOfAll":null},"simulation":null,` +
		`"functions":[{"symbol":"f","file":"","span":` + zero + `,"change":"","executable":"","contract":{"direction":"","by":"","undecided":[],"unique":null,"clauses":[]},` +
		`"trust":{"added":[],"removed":[]},"proof":{"base":"","head":"","errors":[],"seeds":null},"strength":{"base":null,"head":` + suite + `,"delta":null,"comparable":false},` +
		`"score":{"base":null,"head":null,"delta":null}}],` +
		`"findings":[{"rule":"trust/assume","severity":"error","symbol":"","file":"","span":` + zero + `,"base":null,` +
		`"message":"a <b> & c","detail":"","witness":null,"fingerprint":"","waived":null}]}`
	if diff := cmp.Diff(want, compact.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var back checks.Report
	if err := json.Unmarshal(buf.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Outcome != checks.OutcomePass {
		t.Errorf("outcome read back: %v", back.Outcome)
	}
}

func TestOutcomeInvalid(t *testing.T) {
	if _, err := json.Marshal(checks.Report{}); err == nil {
		t.Error("a report without an outcome was written")
	}
	var o checks.Outcome
	err := o.UnmarshalText([]byte("maybe"))
	if diff := cmp.Diff(`read outcome "maybe": want pass, findings, inconclusive or error`, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestRun checks what Run fills in: rule, severity, order, and fingerprints that tell equal changes apart and depend on neither
// place nor message.
func TestRun(t *testing.T) {
	file := source.NewFile("a.rs", []byte("one\ntwo\nthree\n"))
	at := func(start int, message string, sev policy.Severity) checks.Finding {
		f := checks.Finding{Symbol: "f", Message: message, Change: "assume(x)", Severity: sev}
		return f.At(file, source.Span{Start: start, End: start + 3})
	}
	run := func(fs ...checks.Finding) []checks.Finding {
		rule := &checks.Rule{ID: "trust/assume", Severity: policy.Error, Run: func(p *checks.Pass) {
			for _, f := range fs {
				p.Report(f)
			}
		}}
		out, err := checks.Run(context.Background(), []*checks.Rule{rule}, &checks.Input{})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := run(at(4, "second", policy.Notice), at(0, "first", 0))
	if got[0].Message != "first" || got[0].Severity != policy.Error || got[1].Severity != policy.Notice || got[0].Rule != "trust/assume" {
		t.Errorf("findings: %+v", got)
	}
	if got[0].Fingerprint == got[1].Fingerprint || len(got[0].Fingerprint) != 32 {
		t.Errorf("fingerprints: %q, %q", got[0].Fingerprint, got[1].Fingerprint)
	}
	moved := run(at(8, "other words", 0))
	if moved[0].Fingerprint != got[0].Fingerprint {
		t.Errorf("the fingerprint depends on place or message: %q, %q", moved[0].Fingerprint, got[0].Fingerprint)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := checks.Run(ctx, []*checks.Rule{{ID: "trust/assume", Run: func(*checks.Pass) {}}}, &checks.Input{})
	if err == nil || err.Error() != "run rule trust/assume: context canceled" {
		t.Errorf("a run that was given up: %v", err)
	}
}

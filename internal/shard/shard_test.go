package shard_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/verus"
)

func TestParseNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		want shard.Number
		err  string
	}{
		{"1/1", shard.Number{K: 1, Of: 1}, ""},
		{"3/7", shard.Number{K: 3, Of: 7}, ""},
		{"256/256", shard.Number{K: 256, Of: 256}, ""},
		{"0/3", shard.Number{}, `"0/3": shards are numbered from 1 to 3, so there is no 0`},
		{"4/3", shard.Number{}, `"4/3": shards are numbered from 1 to 3, so there is no 4`},
		{"1/0", shard.Number{}, `"1/0": there are 1 to 256 shards, not 0`},
		{"1/257", shard.Number{}, `"1/257": there are 1 to 256 shards, not 257`},
		{"x/y", shard.Number{}, `"x/y": "x" is not a number; want K/N, such as 1/3 for the first of three`},
		{"1/y", shard.Number{}, `"1/y": "y" is not a number; want K/N, such as 1/3 for the first of three`},
		{"01/3", shard.Number{}, `"01/3": "01" is not a number; want K/N, such as 1/3 for the first of three`},
		{"+1/3", shard.Number{}, `"+1/3": "+1" is not a number; want K/N, such as 1/3 for the first of three`},
		{"-1/3", shard.Number{}, `"-1/3": shards are numbered from 1 to 3, so there is no -1`},
		{"1", shard.Number{}, `"1": want K/N, such as 1/3 for the first of three`},
		{"1/2/3", shard.Number{}, `"1/2/3": "2/3" is not a number; want K/N, such as 1/3 for the first of three`},
		{"", shard.Number{}, `"": want K/N, such as 1/3 for the first of three`},
	} {
		got, err := shard.ParseNumber(c.text)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("%q: %v, %q; want %v, %q", c.text, got, text, c.want, c.err)
		}
		if err == nil && got.String() != c.text {
			t.Errorf("%q is written %q", c.text, got)
		}
	}
}

// TestOwns gives each piece of work to exactly one part, whatever the number of parts, about as much to each, and always the same.
func TestOwns(t *testing.T) {
	for _, of := range []int{1, 2, 3, 7, 256} {
		did := make([]int, of+1)
		for i := range 2000 {
			owners := 0
			for k := 1; k <= of; k++ {
				if (shard.Number{K: k, Of: of}).Owns(shard.StrengthOf, "src/lib.rs", fmt.Sprint("f", i)) {
					did[k]++
					owners++
				}
			}
			if owners != 1 {
				t.Fatalf("of %d parts %d own f%d", of, owners, i)
			}
		}
		for k := 1; k <= of && of <= 7; k++ {
			if did[k] < 2000/of*8/10 {
				t.Errorf("part %d of %d has %d of 2000", k, of, did[k])
			}
		}
	}
	// Parts that different versions write would not add up.
	var owners []int
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		for k := 1; k <= 3; k++ {
			if (shard.Number{K: k, Of: 3}).Owns(shard.QuestionsOf, "lib", name) {
				owners = append(owners, k)
			}
		}
	}
	if diff := cmp.Diff([]int{2, 1, 3, 1, 2, 3}, owners); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n := shard.Number{K: 1, Of: 256}
	for i := range 5000 {
		name := fmt.Sprint(i)
		if n.Owns(shard.ProofOf, name, "x") && n.Owns(shard.ProofOf, name+"x") {
			t.Errorf("the parts of the name %q run together", name)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// whole has something at every place.
func whole() *shard.File {
	span := source.Range{Start: source.Position{Line: 3, Column: 1}, End: source.Position{Line: 3, Column: 9}}
	place := verus.Span{File: "src/lib.rs", Bytes: source.Span{Start: 3, End: 9}, Line: 3, EndLine: 3}
	target := verus.TargetID{Name: "lib", Kind: "lib"}
	run := &verus.Run{Outcome: verus.Failed, Reasons: []verus.Reason{{Outcome: verus.Failed, Target: target, Text: "a proof failed", Diagnosed: true}},
		Targets: []verus.TargetResult{{Target: target, Outcome: verus.Failed, Expected: true, Units: []verus.Unit{{Target: target, Counted: true, Verified: 1, Errors: 1,
			Functions: []verus.FunctionResult{{Name: "lib::f", Millis: 3, RLimit: 7}}}}}},
		Diagnostics: []verus.Diagnostic{{Category: verus.Other, Level: "error", Message: "no", Place: place, Site: place, Labels: []verus.Label{{Primary: true, Span: place}}}},
		Protections: []sandbox.Protection{{Name: "network", On: true, Detail: "no network"}},
		Problem:     &verus.Problem{Kind: verus.Crashed, Text: "it crashed"}, Ended: verus.Ended{ExitCode: 1}}
	saved := run.Save()
	saved.Solver = []int{0}
	suite := &shard.Suite{Ran: true, Spectests: &checks.Spectests{Edits: checks.Tally{Rejected: 3, Escaped: 1}, Inputs: 4, Escapes: []checks.Escape{{Call: "f(1)", Input: "x = 1", Result: "2", Wrong: "<3>"}},
		Fates: checks.Mutants{Generated: 2, Differing: 1, Survived: 1}, Survivors: []checks.Survivor{{ID: "m", Diff: "-1\n+2\n", Line: 3}},
		Clauses: []checks.ClauseUse{{Kind: "ensures", Text: "r > 0", File: "src/lib.rs", Span: span, Rejects: 3, Only: 3}}}}
	refuted := &shard.Suite{Refuted: &shard.Refuted{Escape: checks.Escape{Call: "f(1)"}, Clause: "r > 0", File: "src/lib.rs", Span: source.Span{Start: 1, End: 4}}}
	f := shard.Function{Symbol: "f", File: "src/lib.rs"}
	key := strings.Repeat("0a", 32)
	return &shard.File{Schema: shard.Schema, Specgate: checks.Build{Version: "1.0"}, Shard: shard.Number{K: 2, Of: 3}, Base: checks.Revision{Rev: strings.Repeat("a", 40)},
		Head: checks.Revision{Rev: "working tree"}, Policy: checks.PolicyRef{Source: "default"}, Seed: 7, Only: []checks.Family{checks.Proof}, Function: "**", Run: true, Confine: true,
		Analysis: key, Verifier: shard.Verifier{Found: true, Ran: true, Tool: &checks.VerusTool{Version: "v"}, Reasons: []shard.Reason{{Blocks: true, Stage: "proof", Text: "why"}}},
		Proofs: []shard.Proof{{Unit: "src/lib.rs", Base: shard.Side{Cached: true, Run: saved}, Head: shard.Side{Run: saved}}},
		Seeds:  []shard.Seeds{{Function: f, Runs: checks.SeedRuns{Tried: 3, Proved: 1}}},
		Answers: []shard.Answer{{About: shard.Head, Try: 2, Crate: "lib", File: "src/lib.rs", Module: "m", Problems: []string{"p"}, ModuleTold: true,
			Parts: []shard.Part{{Key: key, Verdict: obligation.NotProved.String()}, {Question: "unique", Symbol: "f", Key: key, Verdict: obligation.Proved.String()}, {Question: "trivial", Symbol: "f", Key: key}}}},
		Strength: shard.Measured{Rustc: &checks.Tool{Version: "rustc"}, Protections: []sandbox.Protection{{Name: "network"}}, Reasons: []string{"r"},
			Functions: []shard.Pair{{Function: f, Alone: shard.Strength{Base: suite, Head: suite, Comparable: true, Delta: ptr(-0.25), Lost: suite.Spectests.Escapes},
				Asked: &shard.Strength{Base: refuted, Head: &shard.Suite{Unmeasured: "no"}}, GivenUp: 4}}}}
}

func written(t testing.TB, f *shard.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRead reads what was written, and nothing else.
func TestRead(t *testing.T) {
	text := written(t, whole())
	got, err := shard.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, written(t, got)); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	edit := func(old, new string) string {
		if strings.Count(text, old) == 0 {
			t.Fatalf("there is no %s in what was written", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	var report bytes.Buffer
	if err := (&checks.Report{Schema: checks.Schema, Outcome: checks.OutcomePass}).WriteJSON(&report); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "decode JSON: unexpected end of JSON input; it must be what `specgate check --shard` wrote"},
		{"cut off", text[:len(text)/2], "decode JSON: unexpected end of JSON input; it must be what `specgate check --shard` wrote"},
		{"a list", "[]", "decode JSON: json: cannot unmarshal array into Go value of type map[string]json.RawMessage; it must be what `specgate check --shard` wrote"},
		{"a report", report.String(), "it is a report, not a shard of a check; shards are what `specgate check --shard K/N` writes"},
		{"something else", "{}", "it has no key \"specgateShard\"; it must be what `specgate check --shard K/N` wrote"},
		{"another schema", edit(`"specgateShard":1`, `"specgateShard":2`), "specgateShard: it is 2; this version reads 1"},
		{"an unknown key", edit(`"seed":7`, `"seed":7,"pass":true`), "decode JSON: json: unknown field \"pass\"; it must be what `specgate check --shard` of this version wrote"},
		{"a key twice", edit(`"seed":7`, `"seed":7,"seed":7`), "a key is missing, there twice or out of place, or a value is not written as specgate writes it"},
		{"other capitals", edit(`"seed":7`, `"Seed":7`), "a key is missing"},
		{"a missing key", edit(`"seed":7,`, ``), "a key is missing"},
		{"something behind it", text + "{}", "decode JSON: invalid character '{' after top-level value"},
		{"no such part", edit(`"number":2`, `"number":4`), "shard: shards are numbered from 1 to 3, so there is no 4"},
		{"no parts", edit(`"of":3`, `"of":0`), "shard: there are 1 to 256 shards, not 0"},
		{"no such family", edit(`["proof"]`, `["prof"]`), `only: there is no family "prof"`},
		{"no hash", edit(`"analysis":"0a`, `"analysis":"0A`), "analysis: \"0A"},
		{"no verifier", edit(`"ran":true,"tool"`, `"ran":false,"tool"`), `proofs[0]: "src/lib.rs" is there twice, or no verifier was run`},
		{"no outcome", edit(`"Outcome":7`, `"Outcome":99`), `proofs[0] ("src/lib.rs"): restore a run of the verifier: 99 is no outcome`},
		{"proved, with a reason", edit(`"Outcome":7`, `"Outcome":1`), "restore a run of the verifier: it is proved, and there is a reason why it is not, or neither"},
		{"no category", edit(`"Category":22`, `"Category":200`), "restore a run of the verifier: 200 is no category"},
		{"no problem", edit(`"Kind":10`, `"Kind":77`), "restore a run of the verifier: 77 is no kind of problem"},
		{"a span that goes backwards", edit(`"Start":3,"End":9`, `"Start":3,"End":1`), "restore a run of the verifier: 3 to 1 is no span"},
		{"no diagnostic", edit(`"solver":[0]`, `"solver":[1]`), "restore a run of the verifier: there is no diagnostic 1"},
		{"more proofs than runs", edit(`"tried":3,"proved":1`, `"tried":3,"proved":4`), "seeds[0]: 4 of 3 runs proved it"},
		{"about nothing", edit(`"about":"head"`, `"about":"tail"`), `answers[0] ("m"): about: "tail" is neither head, base nor cases`},
		{"a third try", edit(`"try":2`, `"try":3`), `answers[0] ("m"): try: it is 3, and there are two`},
		{"no verdict", edit(`"verdict":"proved"`, `"verdict":"prooved"`), `answers[0] ("m"): verdict: "prooved" is none`},
		{"no count", edit(`"rejected":3`, `"rejected":-3`), "spectests: -3 is not a count"},
		{"no count of mutants", edit(`"givenUp":4`, `"givenUp":-4`), `strength.functions[0] ("f"): givenUp: -4 is not a count`},
		{"proved to be unique", edit(`"Unique":false`, `"Unique":true`), "spectests: whether the contract allows one result only is asked of the contract"},
		{"escapes that are not shown", edit(`"Escapes":[{`, `"Escapes":[],"x":[{`), `json: unknown field "x"`},
		{"survivors that are not shown", edit(`"survived":1`, `"survived":2`), "spectests: the counts and what is shown of them do not go together"},
		{"a file outside", edit(`"file":"src/lib.rs","span":{"start"`, `"file":"../lib.rs","span":{"start"`), `clauses: "../lib.rs", 3:1 to 3:9 is no place in a file of a repository`},
		{"a refuted file outside", edit(`"clause":"r > 0","file":"src/lib.rs"`, `"clause":"r > 0","file":"/etc/passwd"`), "is not the path of a file in a repository"},
		{"nothing told", edit(`"unmeasured":"no"`, `"unmeasured":""`), "of spectests, notApplicable, unmeasured, void and refuted 0 are there, and one must be"},
		{"too far", edit(`"delta":-0.25`, `"delta":-1.25`), "delta: -1.25 is not from -1 to 1"},
	} {
		got, err := shard.Read([]byte(c.text))
		if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

// TestOpen refuses what is no file, or a larger one than it reads.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "shard.json")
	if err := os.WriteFile(name, []byte(written(t, whole())), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := shard.Open(name); err != nil {
		t.Error(err)
	}
	large := filepath.Join(dir, "large.json")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 64<<20+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "none.json"): "no such file",
		dir:                             "read the shard " + dir + ": it is not a file",
		os.DevNull:                      "read the shard " + os.DevNull + ": it is not a file",
		large:                           "read the shard " + large + ": it has more than 64 MiB",
	} {
		_, err := shard.Open(name)
		var input *shard.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

func TestWriteText(t *testing.T) {
	f := whole()
	var b bytes.Buffer
	if err := f.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	f.Unfinished = "the time limit of 1s ran out before its part was done"
	if err := f.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const want = "Shard 2 of 3 is done: 1 proof, 1 module with questions, 1 function measured.\n`specgate merge` makes one report of all shards.\n" +
		"Shard 2 of 3 is not done: the time limit of 1s ran out before its part was done.\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzShard reads anything: what is taken is what would be written, and what it holds can be restored.
func FuzzShard(f *testing.F) {
	f.Add([]byte(written(f, whole())))
	f.Add([]byte(`{"specgateShard":1}`))
	f.Add([]byte(`{"findings":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := shard.Read(text)
		if err != nil {
			return
		}
		again, err := shard.Read([]byte(written(t, got)))
		if err != nil {
			t.Fatalf("what was read is not taken: %v", err)
		}
		if diff := cmp.Diff(written(t, got), written(t, again)); diff != "" {
			t.Error(diff)
		}
		for _, p := range got.Proofs {
			for _, s := range []shard.Side{p.Base, p.Head} {
				if r, err := s.Run.Restore(); err != nil && got.Unfinished == "" || err == nil && !verus.Agree(r, r) {
					t.Errorf("a run that was taken: %v", err)
				}
			}
		}
	})
}

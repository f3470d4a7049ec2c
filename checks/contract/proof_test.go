package contract_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/checks/registry/registrytest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// one is a tree of one file, src/lib.rs.
type one struct{ file *syntax.File }

func (o one) Paths() []string { return []string{"src/lib.rs"} }

func (o one) Read(path string) ([]byte, error) {
	if path != "src/lib.rs" {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return o.file.Source.Text, nil
}

func (o one) Parse(path string) (*syntax.File, error) {
	if _, err := o.Read(path); err != nil {
		return nil, err
	}
	return o.file, nil
}

func (o one) Mentions(...string) []string { return []string{"src/lib.rs"} }

func index(t *testing.T, items string) *model.Model {
	t.Helper()
	text := "use vstd::prelude::*;\n\nverus! {\n\n" + items + "\n\n} // verus!\n"
	m, err := model.New(context.Background(), one{syntax.Parse(source.NewFile("src/lib.rs", []byte(text)))}, []string{"src/lib.rs"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Problems {
		t.Fatal(p.Text)
	}
	return m
}

// The clauses about `hard` are beyond specgate: nobody can calculate it.
const hard = "pub uninterp spec fn hard(x: u64) -> bool;\n\npub uninterp spec fn other(x: u64) -> bool;\n\n"

// answer is a verdict on the question about head, or about base.
type answer struct {
	q      obligation.Question
	v      obligation.Verdict
	onBase bool
}

func proved(qs ...obligation.Question) []answer {
	var out []answer
	for _, q := range qs {
		out = append(out, answer{q: q, v: obligation.Proved})
	}
	return out
}

// TestJoin joins what the verifier says with what is known without it.
func TestJoin(t *testing.T) {
	const (
		reqKept, ensKept   = obligation.RequiresNotStronger, obligation.EnsuresNotWeaker
		reqMore, ensMore   = obligation.RequiresNotWeaker, obligation.EnsuresNotStronger
		contradictory      = obligation.Contradictory
		trivial, redundant = obligation.Trivial, obligation.ClauseRedundant
	)
	fn := func(requires, ensures string) string {
		return hard + "pub fn f(x: u64) -> (r: u64)\n    requires\n        " + requires + ",\n    ensures\n        " + ensures + ",\n{\n    x\n}"
	}
	hardly := [2]string{fn("x > 0", "hard(r)"), fn("x > 0", "other(r)")}
	demands := [2]string{fn("hard(x)", "r == x"), fn("other(x)", "r == x")}
	for _, c := range []struct {
		name    string
		sides   [2]string
		answers []answer
		want    string
	}{
		{"nothing proved", hardly, []answer{{q: ensKept, v: obligation.NotProved}, {q: ensMore, v: obligation.TimedOut}}, `unknown by none
ensures not weaker: not proved
ensures not stronger: the verifier came to no answer within its limits
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(r) / New: other(r) / Not shown: that everything which base promises is still promised (not proved). / Not shown: that no more is promised than in base (the verifier came to no answer within its limits).`},
		{"both ways", hardly, proved(ensKept, ensMore), "equal by proof"},
		{"kept", hardly, proved(ensKept), `stronger by proof
ensures not stronger: not asked
notice contract/ensures-strengthened: The function promises more than before: ` + "`other(r)`" + `. / Gone: hard(r) / New: other(r)`},
		{"not more, and that says nothing bad", hardly, append(proved(ensMore), answer{q: ensKept, v: obligation.NotProved}), `unknown by none
ensures not weaker: not proved
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(r) / New: other(r) / Not shown: that everything which base promises is still promised (not proved).`},
		{"the front end refuses", hardly, []answer{{q: ensKept, v: obligation.Rejected}, {q: ensMore, v: obligation.Void}}, `unknown by none
ensures not weaker: the verifier does not accept the question
ensures not stronger: the verifier's answer does not count: where it was asked, it proves anything
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(r) / New: other(r) / Not shown: that everything which base promises is still promised (the verifier does not accept the question). / Not shown: that no more is promised than in base (the verifier's answer does not count: where it was asked, it proves anything).`},
		{"demands: every call is still allowed", demands, proved(reqKept), `stronger by proof
requires not weaker: not asked
notice contract/requires-weakened: The precondition asks for less, so more calls are covered: gone is ` + "`hard(x)`" + `. / Gone: hard(x) / New: other(x)`},
		{"demands: no more are", demands, proved(reqMore), `unknown by none
requires not stronger: not asked
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(x) / New: other(x) / Not shown: that every call which base allows is still allowed (not asked).`},
		{"demands: the same", demands, proved(reqKept, reqMore), "equal by proof"},
		{"a proof against a case", [2]string{fn("x > 0", "r == x"), fn("x > 0", "r >= x")}, proved(ensKept), `unknown by none
requires not stronger: ensures not weaker: proved, and refuted by a witness
ensures not weaker: ensures not weaker: proved, and refuted by a witness
requires not weaker: ensures not weaker: proved, and refuted by a witness
ensures not stronger: ensures not weaker: proved, and refuted by a witness
conflict f: ensures not weaker: proved, and refuted by a witness
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: r == x / New: r >= x / The verifier proves what a case refutes, so that nothing is concluded (ensures not weaker: proved, and refuted by a witness).`},
		{"contradictory", demands, append(proved(contradictory, reqMore, ensKept, ensMore), answer{q: reqKept, v: obligation.NotProved}), `unknown by none
requires not stronger: not proved
error contract/contradictory-requires: No call can meet this precondition, so the verifier accepts any body and any promise. / Gone: hard(x) / New: other(x) / Proved by the verifier.
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(x) / New: other(x) / Not shown: that every call which base allows is still allowed (not proved).`},
		{"contradictory as before, as it follows", demands, proved(contradictory, reqKept, reqMore), "equal by proof"},
		{"contradictory as before, as base says", demands, append(proved(contradictory), answer{contradictory, obligation.Proved, true}), `unknown by none
requires not stronger: not asked
requires not weaker: not asked
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(x) / New: other(x) / Not shown: that every call which base allows is still allowed (not asked). / Not shown: that no more calls are allowed than in base (not asked).`},
		{"contradictory against a case", [2]string{fn("x > 5", "r == x"), fn("x > 3", "r == x")}, proved(contradictory), `unknown by none
requires not stronger: contradictory: proved, and refuted by a witness
ensures not weaker: contradictory: proved, and refuted by a witness
requires not weaker: contradictory: proved, and refuted by a witness
ensures not stronger: contradictory: proved, and refuted by a witness
conflict f: contradictory: proved, and refuted by a witness
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: x > 5 / New: x > 3 / The verifier proves what a case refutes, so that nothing is concluded (contradictory: proved, and refuted by a witness).`},
		{"trivial", hardly, proved(trivial, ensMore), `unknown by none
ensures not weaker: not asked
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(r) / New: other(r) / Not shown: that everything which base promises is still promised (not asked).
error contract/trivial-ensures: Every result meets this contract: it promises nothing, however green its proof is. / Gone: hard(r) / New: other(r) / Proved by the verifier.`},
		{"trivial as before, as it follows", hardly, proved(trivial, ensKept, ensMore), "equal by proof"},
		{"trivial as before, as base says", hardly, append(proved(trivial, ensMore), answer{trivial, obligation.Proved, true}), `unknown by none
ensures not weaker: not asked
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: hard(r) / New: other(r) / Not shown: that everything which base promises is still promised (not asked).`},
		{"trivial against a case", [2]string{fn("x > 0", "r >= x"), fn("x > 0", "r == x")}, proved(trivial), `unknown by none
requires not stronger: trivial: proved, and refuted by a witness
ensures not weaker: trivial: proved, and refuted by a witness
requires not weaker: trivial: proved, and refuted by a witness
ensures not stronger: trivial: proved, and refuted by a witness
conflict f: trivial: proved, and refuted by a witness
warning contract/direction-unknown (undecided): Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more. / Gone: r >= x / New: r == x / The verifier proves what a case refutes, so that nothing is concluded (trivial: proved, and refuted by a witness).`},
		{"two clauses that follow from each other", [2]string{fn("x > 0", "r > 0"), fn("x > 0", "r > 0,\n        hard(r),\n        other(r)")}, proved(redundant), `stronger by syntax
ensures not stronger: not asked
notice contract/ensures-strengthened: The function promises more than before: ` + "`hard(r)`, `other(r)`" + `. / New: hard(r); other(r)
notice contract/clause-redundant: The new clause ` + "`other(r)`" + ` follows from the others: it adds nothing, though it reads like one more promise. / Proved by the verifier, of each by itself, for ` + "`hard(r)`" + ` too: some may follow from each other.`},
		{"nothing meets it, so that all follows", [2]string{fn("x > 0", "r > 0"), fn("x > 0", "r > 0,\n        hard(r),\n        other(r)")}, proved(redundant, obligation.Impossible), `stronger by syntax
ensures not stronger: not asked
notice contract/ensures-strengthened: The function promises more than before: ` + "`hard(r)`, `other(r)`" + `. / New: hard(r); other(r)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, head := index(t, c.sides[0]), index(t, c.sides[1])
			in := &checks.Input{Pairs: pair.New(base, head), Proof: &checks.ProofInput{}}
			f := in.Pairs.OfHead(head.Function("f")[0])
			contract.Open(in) // looks at all without the verifier, as the engine does
			var answers []obligation.Answer
			for _, a := range c.answers {
				o := obligation.Obligation{Question: a.q, Function: f.Head}
				if slices.Contains(checks.Directions(), a.q) {
					o.Pair = f
				}
				if a.onBase {
					o.Function = f.Base
				}
				if a.q == redundant {
					for i := range f.Head.Own {
						if cl := &f.Head.Own[i]; strings.Contains(cl.Text, "hard") || strings.Contains(cl.Text, "other") {
							o := o
							o.Clause = cl
							answers = append(answers, obligation.Answer{Obligation: &o, Verdict: a.v})
						}
					}
					continue
				}
				answers = append(answers, obligation.Answer{Obligation: &o, Verdict: a.v})
			}
			in.Proof.Asked = checks.NewAsked(answers, nil, "")
			direction, by := contract.Direction(in, f)
			got := direction + " by " + by
			for _, q := range contract.Undecided(in, f) {
				got += "\n" + q.Question + ": " + q.Why
			}
			for _, x := range contract.Conflicts(in) {
				got += "\nconflict " + x.Symbol + ": " + x.What
			}
			found, err := checks.Run(context.Background(), contract.Rules(), in)
			if err != nil {
				t.Fatal(err)
			}
			registrytest.Severities(t, contract.Rules(), found)
			for _, x := range found {
				got += "\n" + x.Severity.String() + " " + x.Rule
				if x.Undecided {
					got += " (undecided)"
				}
				got += ": " + x.Message
				if x.Detail != "" {
					got += " / " + strings.ReplaceAll(x.Detail, "\n", " / ")
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%s", diff, got)
			}
		})
	}
}

// TestEditedFirst: a contract that was edited is compared before those under which a definition changed, which may use up what may be done.
func TestEditedFirst(t *testing.T) {
	code := func(limit, ensures string) string {
		out := "pub open spec fn limit(x: int) -> int {\n    " + limit + "\n}\n\n"
		for i := range 40 {
			out += fmt.Sprintf("pub fn f%d(x: u64) -> (r: u64)\n    ensures\n        r <= limit(x as int) || hard(r),\n{\n    x\n}\n\n", i)
		}
		return hard + out + "pub fn edited(x: u64, y: u64) -> (r: u64)\n    ensures\n        " + ensures + ",\n{\n    x\n}"
	}
	in := &checks.Input{Pairs: pair.New(index(t, code("x * x", "x <= r && r <= y ==> hard(r)")), index(t, code("x * x + x", "r <= y ==> x <= r ==> hard(r)")))}
	contract.Leave(in, 600)
	for _, f := range in.Pairs.Functions {
		got, _ := contract.Direction(in, f)
		if f.Head.Name == "edited" && got != "equal" {
			t.Errorf("edited is %s", got)
		}
		if f.Head.Name == "f39" && got != "unknown" {
			t.Errorf("what may be done was not used up: f39 is %s", got)
		}
	}
}

// TestExhausted: what was not compared since the change's steps were used up is said to be that.
func TestExhausted(t *testing.T) {
	fn := func(ensures string) string {
		return "pub fn f(x: u64) -> (r: u64)\n    ensures\n        " + ensures + ",\n{\n    x\n}"
	}
	in := &checks.Input{Pairs: pair.New(index(t, hard+fn("hard(r)")), index(t, hard+fn("other(r)")))}
	contract.Leave(in, 0)
	found, err := checks.Run(context.Background(), contract.Rules(), in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Rule+": "+f.Message+"\n"+f.Detail)
	}
	want := []string{`contract/direction-unknown: specgate cannot tell whether this contract is as strong as base's: callers may be promised less than before, or asked for more.
Gone: hard(r)
New: other(r)
Not done: other contracts of this change used up what may be done for one change, 1000000 steps of logic and 60 searches for cases. A smaller change, or a verifier, decides more.`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

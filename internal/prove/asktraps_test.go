package prove_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	. "github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/value"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// weak is the change whose recorded answers are altered here: 9 questions, one run.
func weak(t *testing.T) (head *tree, plan *obligation.Plan) {
	t.Helper()
	base, head := sample(t, "max-weak")
	return head, questions(pair.New(index(t, base), index(t, head)))
}

func replayed(t *testing.T, name string) (*verus.Verifier, *verustest.Replay) {
	t.Helper()
	r := verustest.NewReplay(t)
	r.AddKeyed(asked + name)
	return verustest.Installed(release, r), r
}

// summary lets a test change the summary on stdout.
func summary(t *testing.T, res *sandbox.Result, change func(results map[string]any, functions *[]any)) {
	t.Helper()
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(res.Stdout))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	modules := all["times-ms"].(map[string]any)["smt"].(map[string]any)["smt-run-module-times"].([]any)
	module := modules[0].(map[string]any)
	functions := module["function-breakdown"].([]any)
	change(all["verification-results"].(map[string]any), &functions)
	module["function-breakdown"] = functions
	out, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	res.Stdout = append(out, '\n')
}

// line is the line of the summary about a proof function.
func line(t *testing.T, functions []any, name string) map[string]any {
	t.Helper()
	for _, f := range functions {
		if m := f.(map[string]any); strings.HasSuffix(m["function"].(string), "::"+name) {
			return m
		}
	}
	t.Fatalf("no line about %s", name)
	return nil
}

// without takes the lines away that show a text.
func without(res *sandbox.Result, text string) {
	var out []string
	for l := range strings.Lines(string(res.Stderr)) {
		if !strings.Contains(l, text) {
			out = append(out, l)
		}
	}
	res.Stderr = []byte(strings.Join(out, ""))
}

// part is the name of the proof function for a question.
func part(t *testing.T, p *obligation.Plan, q obligation.Question) string {
	t.Helper()
	for _, o := range p.Obligations {
		if o.Question == q {
			return o.Names[0]
		}
	}
	t.Fatalf("%s is not asked", q)
	return ""
}

// TestAskAltered alters what the verifier printed, as a kill, a crash or a hostile build script would: nothing becomes proved by it, and what
// is not known any more is not run.
func TestAskAltered(t *testing.T) {
	if *record {
		t.Skip("it only reads recordings, which TestAskCorpus makes")
	}
	canaryLine := func(p *obligation.Plan) string { return "proof fn " + p.Shadows[0].Canary + "()" }
	for _, test := range []struct {
		name  string
		alter func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error
	}{
		{"killed", func(_ *testing.T, _ *obligation.Plan, res *sandbox.Result) error {
			lines := strings.SplitAfter(string(res.Stderr), "\n")
			res.Stdout, res.Stderr = nil, []byte(strings.Join(lines[:len(lines)/2], ""))
			return &sandbox.ExitError{Name: "verus", ExitCode: -1, Signal: "killed"}
		}},
		{"killed-after-summary", func(_ *testing.T, _ *obligation.Plan, res *sandbox.Result) error {
			return &sandbox.ExitError{Name: "verus", ExitCode: -1, Signal: "killed"}
		}},
		{"time", func(_ *testing.T, _ *obligation.Plan, res *sandbox.Result) error {
			res.Stdout, res.Stderr = nil, nil
			return fmt.Errorf("run verus: %w", sandbox.ErrWallLimit)
		}},
		{"cut", func(_ *testing.T, _ *obligation.Plan, res *sandbox.Result) error {
			res.Stdout = res.Stdout[:len(res.Stdout)/2]
			return nil
		}},
		{"crashed", func(_ *testing.T, _ *obligation.Plan, res *sandbox.Result) error {
			res.Stdout, res.Stderr = nil, []byte("thread 'rustc' panicked at air/src/context.rs:1:1:\nunexpected\n")
			return nil
		}},
		{"not-selected", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			summary(t, res, func(_ map[string]any, fs *[]any) {
				l := line(t, *fs, part(t, p, obligation.RequiresNotStronger))
				l["time"], l["rlimit-count"] = 0, 0
			})
			return nil
		}},
		{"not-named", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			summary(t, res, func(_ map[string]any, fs *[]any) {
				name := part(t, p, obligation.RequiresNotStronger)
				*fs = slices.DeleteFunc(*fs, func(f any) bool { return strings.HasSuffix(f.(map[string]any)["function"].(string), name) })
			})
			return nil
		}},
		{"same-name", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			summary(t, res, func(_ map[string]any, fs *[]any) {
				other := map[string]any{}
				for k, v := range line(t, *fs, part(t, p, obligation.RequiresNotStronger)) {
					other[k] = v
				}
				other["function"] = strings.Replace(other["function"].(string), "lib::", "lib::Other::", 1)
				*fs = append(*fs, other)
			})
			return nil
		}},
		{"failure-without-success-false", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			// As of a failing bit-vector query: only the diagnostic tells.
			summary(t, res, func(_ map[string]any, fs *[]any) {
				line(t, *fs, part(t, p, obligation.EnsuresNotWeaker))["success"] = true
			})
			return nil
		}},
		{"failure-without-diagnostic", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			res.Stderr = []byte(strings.Join(strings.SplitAfter(string(res.Stderr), "\n")[:1], ""))
			return nil
		}},
		{"failure-without-place", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			res.Stderr = append(res.Stderr, []byte(`{"$message_type":"diagnostic","message":"bitvector assertion not satisfied","code":null,"level":"error","spans":[],"children":[],"rendered":""}`+"\n")...)
			return nil
		}},
		{"front-end-after-all", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			res.Stderr = append(res.Stderr, []byte(`{"$message_type":"diagnostic","message":"use of moved value: `+"`x`"+`","code":{"code":"E0382","explanation":null},"level":"error","spans":[{"file_name":"src/lib.rs","byte_start":30,"byte_end":31,"line_start":3,"line_end":3,"column_start":1,"column_end":2,"is_primary":true,"text":[],"label":null,"suggested_replacement":null,"suggestion_applicability":null,"expansion":null}],"children":[],"rendered":""}`+"\n")...)
			return nil
		}},
		{"two-summaries", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			res.Stdout = append(res.Stdout, res.Stdout...)
			return nil
		}},
		{"canary-proved", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			summary(t, res, func(_ map[string]any, fs *[]any) { line(t, *fs, p.Shadows[0].Canary)["success"] = true })
			at := p.Shadows[0].Parts[slices.IndexFunc(p.Shadows[0].Parts, func(x obligation.Part) bool { return x.Obligation == nil })].Span
			var kept []string
			for l := range strings.Lines(string(res.Stderr)) {
				var d struct {
					Spans []struct {
						Start int `json:"byte_start"`
					}
				}
				if json.Unmarshal([]byte(l), &d) == nil && len(d.Spans) > 0 && at.Start <= d.Spans[0].Start && d.Spans[0].Start < at.End {
					continue
				}
				kept = append(kept, l)
			}
			res.Stderr = []byte(strings.Join(kept, ""))
			return nil
		}},
		{"canary-missing", func(t *testing.T, p *obligation.Plan, res *sandbox.Result) error {
			summary(t, res, func(_ map[string]any, fs *[]any) {
				*fs = slices.DeleteFunc(*fs, func(f any) bool {
					return strings.HasSuffix(f.(map[string]any)["function"].(string), "::"+p.Shadows[0].Canary)
				})
			})
			without(res, canaryLine(p))
			res.Stderr = []byte(strings.Join(strings.SplitAfter(string(res.Stderr), "\n")[:1], ""))
			return nil
		}},
		{"no-solver", func(_ *testing.T, _ *obligation.Plan, res *sandbox.Result) error {
			res.Stdout, res.Stderr = nil, []byte("expected z3 version 4.16.0, found 4.12.5\n")
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			head, plan := weak(t)
			v, replay := replayed(t, "max-weak")
			whole := ask(t, open(t, v, head, options), head, plan)
			before := map[string]bool{}
			for _, a := range whole.Answers {
				before[a.Question.String()] = a.Verdict == obligation.Proved
			}
			head, plan = weak(t)
			replay.Alter(func(_ string, res *sandbox.Result) error { return test.alter(t, plan, res) })
			got := ask(t, open(t, v, head, options), head, plan)
			for _, a := range got.Answers {
				if a.Verdict == obligation.Proved && !before[a.Question.String()] {
					t.Errorf("%s is proved by the alteration", a.Question)
				}
			}
			goldenText(t, "testdata/asktraps/"+test.name+".txt", show(got))
		})
	}
}

// TestAskTraps puts questions to the verifier that it cannot answer, or only some of them. All of it is recorded.
func TestAskTraps(t *testing.T) {
	const head = "use vstd::prelude::*;\n\nverus! {\n\n"
	long := options
	long.Timeout = 10 * time.Minute
	arg := func(args ...string) verus.Options {
		o := long
		o.Args = args
		return o
	}
	max := func(t *testing.T, _ *tree) *obligation.Plan {
		_, plan := weak(t)
		return plan
	}
	all := func(t *testing.T, tr *tree) *obligation.Plan {
		m := index(t, tr)
		return questions(pair.New(m, m))
	}
	weakHead, err := os.ReadFile("../../testdata/corpus/max-weak/head.rs")
	if err != nil {
		t.Fatal(err)
	}
	half := "fn half(n: u64) -> (h: u64)\n    ensures\n        h <= n,\n        n > 0 ==> h < n,\n{\n    n / 2\n}\n\n"
	for _, test := range []struct {
		name    string
		text    string
		options verus.Options
		plan    func(*testing.T, *tree) *obligation.Plan
	}{
		// A case with a variant that is not there: rustc refuses its questions, and the others are answered.
		{"refused", head + "pub enum Light {\n    Red,\n    Green,\n}\n\nfn stop(l: Light) -> (s: bool)\n    ensures\n        s == (l is Red),\n{\n    match l {\n        Light::Red => true,\n        Light::Green => false,\n    }\n}\n\n" + half + "} // verus!\n", long, func(t *testing.T, tr *tree) *obligation.Plan {
			m := index(t, tr)
			w := obligation.NewWriter(m, nil)
			stop := m.Function("stop")[0]
			w.Contract(m.Function("half")[0])
			w.Contract(stop)
			light := func(variant string) eval.Case {
				return eval.Case{Args: []value.Value{&value.Data{Type: "lib::Light", Variant: variant}}, After: []value.Value{nil}, Result: value.Bool(true)}
			}
			w.Cases(stop, []eval.Case{light("Red"), light("Green"), light("Blue")})
			return w.Plan()
		}},
		// The crate does not pass the front end by itself: one run, and none for the second module.
		{"broken-crate", head + half + "fn wrong() -> u64 {\n    true\n}\n\nmod inner {\n    use vstd::prelude::*;\n\n    verus! {\n\n    " + half + "\n    } // verus!\n}\n\n} // verus!\n", long, all},
		// Neither the function nor the module is compiled.
		{"switched-off", head + half + "#[cfg(any())]\n" + strings.ReplaceAll(half, "half", "third") + "} // verus!\n\n#[cfg(any())]\nmod inner {\n    use vstd::prelude::*;\n\n    verus! {\n\n" + half + "    } // verus!\n}\n", long, all},
		// The policy's resource limit is kept, and small.
		{"rlimit", string(weakHead), arg("--rlimit=0.001"), max},
		// A module in a module, and methods of a generic type.
		{"modules", head + "pub struct Pair<T> {\n    pub a: T,\n    pub b: u64,\n}\n\nimpl<T> Pair<T> {\n    pub fn second(&self) -> (r: u64)\n        ensures\n            r == self.b,\n    {\n        self.b\n    }\n}\n\npub mod outer {\n    use vstd::prelude::*;\n\n    verus! {\n\n    pub mod inner {\n        use vstd::prelude::*;\n\n        verus! {\n\n        " + half + "        } // verus!\n    }\n\n    } // verus!\n}\n\n} // verus!\n", long, all},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, _ := asker(t, "traps/"+test.name)
			tr := lib(test.text)
			goldenText(t, asked+"traps/"+test.name+"/answers.txt", show(ask(t, open(t, v, tr, test.options), tr, test.plan(t, tr))))
		})
	}
}

// TestAskArgs checks which arguments of the policy reach the questions.
func TestAskArgs(t *testing.T) {
	if *record {
		t.Skip("it only reads recordings, which TestAskCorpus makes")
	}
	head, plan := weak(t)
	v, replay := replayed(t, "max-weak")
	o := options
	// None of these: they choose parts, say how much is shown, or are about trust.
	o.Args = []string{"--verify-module", "other", "--verify-only-module=inner", "--verify-root", "--verify-function", "f", "--no-cheating", "--multiple-errors", "9", "--expand-errors"}
	got := ask(t, open(t, v, head, o), head, plan)
	want, err := os.ReadFile(asked + "max-weak/answers.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), show(got)); diff != "" {
		t.Error(diff)
	}
	if calls := replay.Calls(); len(calls) != 1 || strings.Contains(calls[0], "other") || strings.Contains(calls[0], "cheating") {
		t.Errorf("%q", calls)
	}
	head, plan = weak(t)
	o.Args = []string{"--no-verify"}
	got = ask(t, open(t, v, head, o), head, plan)
	if got.Runs != 0 || got.Asked != 0 || !slices.Equal(got.Problems, []string{"questions about the root module of lib were not asked: verus.args in the policy has --no-verify"}) {
		t.Errorf("%s", show(got))
	}
}

// TestAskLimits checks what is said of questions that there was no time for, and of a crate that is not verified.
func TestAskLimits(t *testing.T) {
	head, plan := weak(t)
	v := verustest.Installed(release, verustest.NewReplay(t))
	o := options
	o.Timeout = 1
	got := ask(t, open(t, v, head, o), head, plan)
	if got.Runs != 0 || got.Asked != 0 || !slices.Equal(got.Problems, []string{"questions about the root module of lib were not asked: the time limit of 1ns for all questions was reached"}) {
		t.Errorf("%s", show(got))
	}
	for _, a := range got.Answers {
		if a.Verdict != obligation.NotRun && !a.Given {
			t.Errorf("%s: %s", a.Question, a.Verdict)
		}
	}
	head, plan = weak(t)
	head.Files["src/other.rs"] = "fn f() {}\n"
	c, err := Open(context.Background(), Request{Verifier: v, Files: head.work(), Roots: []string{"src/other.rs"}, Options: options, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got, err = c.Ask(context.Background(), Side{Source: head.source, Roots: []string{"src/other.rs"}}, plan)
	if err != nil || got.Runs != 0 || !slices.Equal(got.Problems, []string{"questions about the root module of lib were not asked: src/lib.rs is not among the roots that are verified"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// stopping is a Runner that looks at the file that is verified, and then ends the run in some way.
type stopping struct {
	seen []byte
	root string
	end  func() error
}

func (s *stopping) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	var err error
	s.root = c.Dir
	if s.seen, err = os.ReadFile(filepath.Join(c.Dir, "src", "lib.rs")); err != nil {
		return sandbox.Result{}, err
	}
	return sandbox.Result{ExitCode: -1}, s.end()
}

// TestAskRestores checks that the copy is as it was, however a run ends.
func TestAskRestores(t *testing.T) {
	for name, end := range map[string]func() error{
		"cancelled":   func() error { return context.Canceled },
		"not started": func() error { return sandbox.ErrNotFound },
		"time":        func() error { return sandbox.ErrWallLimit },
		"panic":       func() error { panic("the run panics") },
	} {
		t.Run(name, func(t *testing.T) {
			head, plan := weak(t)
			s := &stopping{end: end}
			c := open(t, verustest.Installed(release, s), head, options)
			func() {
				defer func() {
					if r := recover(); (r != nil) != (name == "panic") {
						t.Errorf("recovered %v", r)
					}
				}()
				got, err := c.Ask(context.Background(), Side{Source: head.source, Roots: []string{"src/lib.rs"}}, plan)
				if (err != nil) != (name == "cancelled") {
					t.Errorf("%v, %v", got, err)
				}
			}()
			if !bytes.Equal(s.seen, plan.Shadows[0].Text) {
				t.Error("the verifier did not see the questions")
			}
			now, err := os.ReadFile(filepath.Join(s.root, "src", "lib.rs"))
			if err != nil || string(now) != head.Files["src/lib.rs"] {
				t.Errorf("the file is not as it was: %v", err)
			}
			if left, err := filepath.Glob(filepath.Join(s.root, "src", "*")); err != nil || len(left) != 1 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}

// TestAskLost asks which inputs a changed contract does not allow any more.
func TestAskLost(t *testing.T) {
	v, _ := asker(t, "lost")
	base, head := sample(t, "precondition-strengthened")
	p := pair.New(index(t, base), index(t, head))
	w := obligation.NewWriter(p.Head, p)
	for _, f := range p.Functions {
		if f.Head == nil || f.Head.Symbol != "count_eq" {
			continue
		}
		j := judge(t, p.Head, f.Head)
		w.Lost(f, []eval.Case{
			caseOf(t, j, map[string]string{"v": "[1, 0]", "x": "0"}, nil, "1"),
			caseOf(t, j, map[string]string{"v": "[1, 0]", "x": "1"}, nil, "1"),
		})
	}
	o := options
	o.Timeout = 10 * time.Minute
	goldenText(t, asked+"lost/answers.txt", show(ask(t, open(t, v, head, o), head, w.Plan())))
}

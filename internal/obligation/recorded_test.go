package obligation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// recorded are proof functions that were written by hand and put to the verifier (0.2025.06.23.283b036), with what it said: proof
// functions by file and name, and whether they were proved.
type recorded struct {
	fns    map[string]syntax.Node
	proved map[string]bool
}

func readRecorded(t *testing.T, name string) recorded {
	t.Helper()
	r := recorded{map[string]syntax.Node{}, map[string]bool{}}
	dir := filepath.Join("testdata", "recorded")
	text, err := os.ReadFile(filepath.Join(dir, name+".rs"))
	if err != nil {
		t.Fatal(err)
	}
	fnsIn(text, r.fns)
	var run struct {
		Stdout struct {
			Times struct {
				SMT struct {
					Modules []struct {
						Functions []struct {
							Function string
							Success  bool
						} `json:"function-breakdown"`
					} `json:"smt-run-module-times"`
				}
			} `json:"times-ms"`
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, name+".verus.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &run); err != nil {
		t.Fatal(err)
	}
	for _, m := range run.Stdout.Times.SMT.Modules {
		for _, f := range m.Functions {
			r.proved[f.Function[strings.LastIndex(f.Function, ":")+1:]] = f.Success
		}
	}
	return r
}

func fnsIn(text []byte, into map[string]syntax.Node) {
	syntax.Parse(source.NewFile("f.rs", text)).Root().Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Fn {
			into[n.Get(syntax.FName).Text()] = n
		}
		return true
	})
}

var suffix = regexp.MustCompile(`\b(\d+)(u8|u16|u32|u64|i32|usize)\b`)

// said is what a proof function says: its clauses, canonical and sorted, with names replaced and the suffixes of literals left out.
func said(n syntax.Node, names ...string) []string {
	var out []string
	for c := range n.All(syntax.FClause) {
		for e := range c.All(syntax.FExpr) {
			s := syntax.Canon(e)
			for i := 0; i+1 < len(names); i += 2 {
				s = regexp.MustCompile(`\b`+names[i]+`\b`).ReplaceAllString(s, names[i+1])
			}
			out = append(out, c.Which().String()+" "+suffix.ReplaceAllString(s, "$1"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func ints(of value.ListKind, t value.IntType, ns ...int64) value.Value {
	l := &value.List{Of: of}
	for _, n := range ns {
		l.Elems = append(l.Elems, value.Small(n, t))
	}
	return l
}

func u(n int64, t value.IntType) value.Value { return value.Small(n, t) }

// TestRecorded holds what is written against what was written by hand, and reads the verifier's answers to it.
func TestRecorded(t *testing.T) {
	vec := ints(value.Vec, value.I32, 3, 1, 4, 1, 5)
	maxCase := func(m int64) eval.Case { return eval.Case{Args: []value.Value{vec}, Result: u(m, value.I32)} }
	div := eval.Case{Args: []value.Value{u(17, value.U32), u(5, value.U32)}, Result: value.Tuple{u(2, value.U32), u(7, value.U32)}}
	fib := eval.Case{Args: []value.Value{u(10, value.U64)}, Result: u(54, value.U64)}
	stack := func(cap int64, ns ...int64) value.Value {
		return &value.Data{Type: "lib::Stack", Names: []string{"items", "cap"}, Fields: []value.Value{ints(value.Vec, value.U32, ns...), u(cap, value.USize)}}
	}
	pop := eval.Case{Args: []value.Value{stack(5, 1, 2, 3)}, After: []value.Value{stack(5, 1, 2, 9)},
		Result: &value.Data{Type: "Option", Variant: "Some", Fields: []value.Value{u(3, value.U32)}}}
	tests := []struct {
		file, change, symbol string
		base                 bool // the question is about base's contract, in base's tree
		question             obligation.Question
		cases                []eval.Case
		name                 string   // of the recorded proof function
		names                []string // names there, and ours with % for the prefix
		second               bool     // compare with the second try
	}{
		{"max", "max-weak", "max_of", false, obligation.RequiresNotStronger, nil, "sg_req_weaker", nil, false},
		{"max", "max-weak", "max_of", false, obligation.RequiresNotWeaker, nil, "sg_req_weaker", nil, false},
		{"max", "max-weak", "max_of", false, obligation.EnsuresNotWeaker, nil, "sg_ens_stronger", nil, false},
		{"max", "max-weak", "max_of", false, obligation.EnsuresNotStronger, nil, "sg_ens_weaker", nil, false},
		{"max", "max-weak", "max_of", false, obligation.Contradictory, nil, "sg_vacuous", nil, false},
		{"max", "max-weak", "max_of", false, obligation.Trivial, nil, "sg_trivial", nil, false},
		{"max", "max-weak", "max_of", false, obligation.Unique, nil, "sg_unique_head", []string{"m1", "m", "m2", "%m_2"}, false},
		{"max", "max-weak", "max_of", true, obligation.Unique, nil, "sg_unique_base", []string{"m1", "m", "m2", "%m_2"}, false},
		{"max", "max-weak", "max_of", false, obligation.SpectestRejected, []eval.Case{maxCase(14)}, "sg_st1_rej", nil, false},
		{"max", "max-weak", "max_of", false, obligation.SpectestEscaped, []eval.Case{maxCase(14)}, "sg_st1_acc", nil, false},
		{"max", "max-weak", "max_of", false, obligation.SpectestRejected, []eval.Case{maxCase(3)}, "sg_st2_rej", nil, false},
		{"max", "max-weak", "max_of", true, obligation.SpectestRejected, []eval.Case{maxCase(14)}, "sg_st3_rej", nil, false},
		{"rev", "reverse-in-place", "reverse", true, obligation.Unique, nil, "sg_unique", []string{"v0", "%old_v", "v1", "%new_v", "v2", "%new_v_2"}, false},
		{"stack", "stack-struct", "Stack::push", true, obligation.Contradictory, nil, "sg_vacuous", []string{"pre_self", "%old_self"}, false},
		{"stack", "stack-struct", "Stack::pop", true, obligation.SpectestRejected, []eval.Case{pop}, "sg_st", []string{"pre_self", "%old_self", "post_self", "%new_self"}, false},
		{"div", "tuple-divmod", "div_mod", true, obligation.Unique, nil, "sg_unique", []string{"a", "qr", "b", "%qr_2"}, false},
		{"div", "tuple-divmod", "div_mod", true, obligation.SpectestRejected, []eval.Case{div}, "sg_st", nil, false},
		{"div", "tuple-divmod", "div_mod", false, obligation.SpectestEscaped, []eval.Case{div}, "sg_st2", nil, false},
		{"enum", "enum-option", "step", true, obligation.Unique, nil, "sg_unique", []string{"n1", "n", "n2", "%n_2"}, false},
		{"enum", "enum-option", "step", false, obligation.Unique, nil, "sg_unique_weak", []string{"n1", "n", "n2", "%n_2"}, false},
		{"fib", "fib-recursive", "fib_iter", true, obligation.SpectestRejected, []eval.Case{fib}, "sg_rej", nil, false},
		{"fib", "fib-recursive", "fib_iter", true, obligation.SpectestRejected, []eval.Case{fib}, "sg_rej_fuel", nil, true},
	}
	verdicts := map[string]map[obligation.Question]obligation.Verdict{}
	for _, test := range tests {
		t.Run(test.file+"/"+test.name+"/"+test.question.String(), func(t *testing.T) {
			rec := readRecorded(t, test.file)
			dir := filepath.Join("../../testdata/corpus", test.change)
			p := pairsOf(t, side(t, dir, "base"), side(t, dir, "head"))
			m := p.Head
			if test.base {
				m = p.Base
			}
			f := function(t, m, test.symbol)
			w := obligation.NewWriter(m, nil)
			switch {
			case test.cases != nil:
				w.Cases(f, test.cases)
			case test.question <= obligation.EnsuresNotStronger:
				w = obligation.NewWriter(m, p)
				w.Compare(p.OfHead(f))
			default:
				w.Contract(f)
			}
			plan := w.Plan()
			for _, s := range plan.Skipped {
				t.Errorf("not asked: %s: %s", s.Question, s.Detail)
			}
			if test.second {
				plan.Second(nil)
			}
			fns := map[string]syntax.Node{}
			for _, s := range plan.Shadows {
				fnsIn(s.Text, fns)
			}
			i := slices.IndexFunc(plan.Obligations, func(o *obligation.Obligation) bool { return o.Question == test.question })
			if i < 0 {
				t.Fatal("the question was not asked")
			}
			names := plan.Obligations[i].Names
			name := names[0]
			if test.second {
				name = names[1]
				body := fns[name].Get(syntax.FBody)
				if want, got := syntax.Canon(rec.fns[test.name].Get(syntax.FBody)), strings.ReplaceAll(syntax.Canon(body), "crate::", ""); !strings.Contains(got, strings.Trim(want, "{} ")) {
					t.Errorf("the help is %s, recorded was %s", got, want)
				}
			}
			prefix := plan.Shadows[0].Prefix()
			var rename []string
			for _, n := range test.names {
				rename = append(rename, strings.ReplaceAll(n, "%", prefix))
			}
			if diff := cmp.Diff(said(rec.fns[test.name], rename...), said(fns[name])); diff != "" {
				t.Errorf("(-recorded +written)\n%s", diff)
			}
			success, known := rec.proved[test.name]
			if !known {
				t.Fatal("no answer was recorded")
			}
			want := obligation.NotProved
			if success {
				want = obligation.Proved
			}
			answers := plan.Answers(map[string]obligation.Verdict{name: want, plan.Shadows[0].Canary: obligation.NotProved})
			if got := answers[i].Verdict; got != want {
				t.Errorf("the answer is %s, want %s", got, want)
			}
			if !test.base {
				if verdicts[test.change] == nil {
					verdicts[test.change] = map[obligation.Question]obligation.Verdict{}
				}
				verdicts[test.change][test.question] = answers[i].Verdict
			}
		})
	}
	// The four recorded answers about max_of: weaker, once a case is known that only head accepts.
	if got := obligation.Relate(verdicts["max-weak"], obligation.Witnesses{Accepted: true}).Relation; got != obligation.Weaker {
		t.Errorf("max_of is %s", got)
	}
	d := obligation.Relate(verdicts["max-weak"], obligation.Witnesses{})
	if d.Relation != obligation.Undecided || d.AtMost != obligation.Holds || !slices.Equal(d.Missing, []obligation.Question{obligation.EnsuresNotWeaker}) {
		t.Errorf("without a witness max_of is %+v", d)
	}
}

func function(t testing.TB, m *model.Model, symbol string) *model.Function {
	t.Helper()
	l := m.Function(symbol)
	if len(l) != 1 {
		t.Fatalf("%d functions %s", len(l), symbol)
	}
	return l[0]
}

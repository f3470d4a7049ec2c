package prove_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/value"
)

const functions = "../eval/testdata/functions/"

// truth is a file of cases with the verifier's own verdicts on them, which were found by other questions, written by hand.
type truth struct {
	Function string
	Cases    []struct {
		Args, After          map[string]string
		Result, Strong, Weak string
	}
}

func world(m *model.Model) *eval.World {
	var sources []eval.Source
	for _, f := range m.Files {
		sources = append(sources, eval.Source{Crate: f.Crate.Name, Module: f.Module, File: f.Syntax})
	}
	return eval.NewWorld(sources)
}

func judge(t testing.TB, m *model.Model, f *model.Function) *eval.Judge {
	t.Helper()
	j, err := world(m).Func(f.Node).NewJudge(nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func caseOf(t testing.TB, j *eval.Judge, args, after map[string]string, result string) eval.Case {
	t.Helper()
	read := func(text string, typ *value.Type) value.Value {
		v, err := j.Value(text, typ)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var k eval.Case
	for _, p := range j.Params() {
		k.Args = append(k.Args, read(args[p.Name], p.Type))
		if p.Mut {
			k.After = append(k.After, read(after[p.Name], p.Type))
		} else {
			k.After = append(k.After, nil)
		}
	}
	k.Result = read(result, j.Result())
	return k
}

// TestAskCases asks about single cases whether the contract rejects them, and whether it accepts them. The verifier's earlier verdicts must not be
// contradicted; how many of them are found again is in the golden file.
func TestAskCases(t *testing.T) {
	const most = 6 // cases of each verdict that are asked
	for _, name := range []string{"paper_max", "num_add_carry", "num_gcd", "num_lowest_set_bit", "num_move_point", "num_turnstile_step", "num_checked_pow",
		"obj_account_transfer", "obj_map_or", "obj_vec_set_remove", "seq_has_duplicates", "seq_rotate_left"} {
		for _, side := range []string{"strong", "weak"} {
			t.Run(name+"-"+side, func(t *testing.T) {
				v, _ := asker(t, "cases/"+name+"-"+side)
				text, err := os.ReadFile(functions + name + "/truth.json")
				if err != nil {
					t.Fatal(err)
				}
				var all truth
				if err := json.Unmarshal(text, &all); err != nil {
					t.Fatal(err)
				}
				code, err := os.ReadFile(functions + name + "/" + side + ".rs")
				if err != nil {
					t.Fatal(err)
				}
				tr := lib(string(code))
				m := index(t, tr)
				fs := m.Function(all.Function)
				if len(fs) != 1 {
					t.Fatalf("%d functions %s", len(fs), all.Function)
				}
				j := judge(t, m, fs[0])
				var cases []eval.Case
				var want []string
				taken := map[string]int{}
				for _, c := range all.Cases {
					verdict := c.Strong
					if side == "weak" {
						verdict = c.Weak
					}
					if taken[verdict]++; taken[verdict] <= most {
						cases = append(cases, caseOf(t, j, c.Args, c.After, c.Result))
						want = append(want, verdict)
					}
				}
				w := obligation.NewWriter(m, nil)
				w.Cases(fs[0], cases)
				o := options
				o.Timeout = 10 * time.Minute
				got := ask(t, open(t, v, tr, o), tr, w.Plan())
				found := map[string]int{}
				for _, a := range got.Answers {
					if a.Verdict != obligation.Proved {
						continue
					}
					says := "rejected"
					if a.Question == obligation.SpectestEscaped {
						says = "accepted"
					}
					found[says]++
					if says != want[a.Case] {
						t.Errorf("case %d is %s, want %s", a.Case, says, want[a.Case])
					}
				}
				counts := map[string]int{}
				for _, v := range want {
					counts[v]++
				}
				goldenText(t, asked+"cases/"+name+"-"+side+"/answers.txt", show(got)+
					fmt.Sprintf("%d of %d found again that are rejected, %d of %d that are accepted\n", found["rejected"], counts["rejected"], found["accepted"], counts["accepted"]))
			})
		}
	}
}

// witnesses are those that the evaluator finds.
func witnesses(t *testing.T, p *pair.Pairs, f *pair.Function) obligation.Witnesses {
	t.Helper()
	b, h := world(p.Base).Func(f.Base.Node), world(p.Head).Func(f.Head.Node)
	if b == nil || h == nil {
		return obligation.Witnesses{}
	}
	c, err := eval.Compare(b, h, 0)
	if err != nil {
		return obligation.Witnesses{}
	}
	return obligation.Witnesses{Lost: c.Lost != nil, Gained: c.Gained != nil, Accepted: c.Accepted != nil, Refused: c.Refused != nil}
}

// TestAskWant holds the answers about the sample changes against what the samples want, and against the answers that the verifier gave when
// the questions were put one file at a time, with other arguments.
func TestAskWant(t *testing.T) {
	if *record {
		t.Skip("it only reads recordings, which TestAskCorpus makes")
	}
	for _, name := range samples(t) {
		t.Run(name, func(t *testing.T) {
			v, _ := asker(t, name)
			base, head := sample(t, name)
			p := pair.New(index(t, base), index(t, head))
			plan := questions(p)
			got := ask(t, open(t, v, head, options), head, plan)
			earlier, err := os.ReadFile("../obligation/testdata/answers/corpus-" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(show(got)) {
				if strings.Contains(line, " = ") && !strings.HasPrefix(line, "problem: ") {
					lines = append(lines, strings.Replace(line, ", given", "", 1))
				}
			}
			if diff := cmp.Diff(string(earlier), strings.Join(lines, "")); diff != "" {
				t.Errorf("(-earlier +now)\n%s", diff)
			}
			wants, err := os.ReadFile("../../testdata/corpus/" + name + "/want.txt")
			if err != nil {
				t.Fatal(err)
			}
			proved := map[string]bool{} // question and symbol
			for _, a := range got.Answers {
				if a.Verdict == obligation.Proved {
					proved[a.Question.String()+" "+a.Function.Symbol] = true
				}
			}
			for line := range strings.Lines(string(wants)) {
				w := strings.Fields(line)
				switch {
				case len(w) == 4 && w[0] == "=" && w[1] == "contract":
					for _, f := range p.Functions {
						if f.Base == nil || f.Head == nil || f.Head.Symbol != w[2] {
							continue
						}
						if d := plan.Direction(f, got.Answers, witnesses(t, p, f)); d.Relation.String() != w[3] {
							t.Errorf("%s is %+v, want %s", w[2], d, w[3])
						}
					}
				case len(w) == 3 && w[0] == "+" && w[1] == "contract/contradictory-requires":
					if !proved["contradictory "+w[2]] {
						t.Errorf("the requires of %s are not proved contradictory", w[2])
					}
				case len(w) == 3 && w[0] == "+" && w[1] == "contract/trivial-ensures":
					if !proved["trivial "+w[2]] {
						t.Errorf("the ensures of %s are not proved trivial", w[2])
					}
				case len(w) == 3 && w[0] == "+" && w[1] == "contract/ensures-weakened":
					if proved["ensures not weaker "+w[2]] {
						t.Errorf("the ensures of %s are proved as strong as base's", w[2])
					}
				case len(w) == 3 && w[0] == "+" && w[1] == "contract/requires-strengthened":
					if proved["requires not stronger "+w[2]] {
						t.Errorf("the requires of %s are proved as weak as base's", w[2])
					}
				}
			}
		})
	}
}

// TestUnrecorded lists what could be asked and has no recording: changes in testdata/corpus, functions with cases, kinds of questions.
func TestUnrecorded(t *testing.T) {
	all := ""
	err := filepath.WalkDir(asked, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "answers.txt" {
			return err
		}
		text, err := os.ReadFile(name)
		all += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(dir string) bool {
		l, err := filepath.Glob(asked + dir + "/*.verus.json")
		return err == nil && len(l) > 0
	}
	got := ""
	for _, name := range samples(t) {
		if !recorded(name) {
			got += "change " + name + "\n"
		}
	}
	for q := obligation.RequiresNotStronger; q <= obligation.InputLost; q++ {
		if !strings.Contains(all, ": "+q.String()) {
			got += "question " + q.String() + "\n"
		}
	}
	dirs, err := filepath.Glob(functions + "*/truth.json")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	for _, d := range dirs {
		for _, side := range []string{"strong", "weak"} {
			if name := filepath.Base(filepath.Dir(d)) + "-" + side; !recorded("cases/" + name) {
				got += "cases of " + name + "\n"
			}
		}
	}
	goldenText(t, asked+"unrecorded.txt", got)
}

package measure_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/value"
	"github.com/specgate/specgate/internal/verus"
)

// perSuite is how many spectests of a suite are put to the verifier.
const perSuite = 24

// judged is a file of spectests with the verifier's verdict on each, in the form of files of cases.
type judged struct {
	Function string       `json:"function"`
	Note     string       `json:"note"`
	Cases    []judgedCase `json:"cases"`
}

type judgedCase struct {
	Args   map[string]string `json:"args"`
	After  map[string]string `json:"after"`
	Result string            `json:"result"`
	Origin string            `json:"origin"`
	// Strong is the verdict: rejected, accepted or undecided. The name is that of files of cases.
	Strong string `json:"strong"`
}

// TestVerifierAnswers holds what the evaluator says of spectests that specgate made against what the verifier said of them, which is recorded. With
// -update and SPECGATE_VERUS suites are made anew and put to the verifier.
func TestVerifierAnswers(t *testing.T) {
	if *update && os.Getenv("SPECGATE_VERUS") != "" {
		recordAnswers(t)
	}
	files, err := filepath.Glob("testdata/verifier/*.json")
	if err != nil || len(files) < 90 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	agree, open := 0, 0
	for _, file := range files {
		// name.side.symbol.json
		parts := strings.SplitN(filepath.Base(file), ".", 3)
		text := read(t, functions, parts[0], parts[1]+".rs")
		var answers judged
		if err := json.Unmarshal([]byte(read(t, file)), &answers); err != nil {
			t.Fatal(err)
		}
		fs := index(t, text).Function(answers.Function)
		if len(fs) != 1 {
			t.Fatalf("%s: %d functions %s", file, len(fs), answers.Function)
		}
		m := index(t, text)
		q, err := given(t, file).For(world(m).Func(m.Function(answers.Function)[0].Node))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range answers.Cases {
			if c.Strong == "undecided" {
				continue
			}
			a, err := q.Ask(i)
			switch {
			case err != nil:
				t.Error(err)
			case a.Verdict == eval.Undecided:
				open++
			case a.Verdict.String() != c.Strong:
				t.Errorf("%s: %s gives %s: the evaluator says %s, the verifier %s", file, a.Call, a.Outcome, a.Verdict, c.Strong)
			default:
				agree++
			}
		}
	}
	t.Logf("%d spectests that the verifier decided: the evaluator says the same of %d, and nothing of %d", agree+open, agree, open)
	if agree < 2000 || open*33 > agree {
		t.Errorf("too few agree: %d, with %d undecided", agree, open)
	}
}

// recordAnswers makes suites of the samples and has the verifier judge spectests of them. Those that cannot be written down are left out.
func recordAnswers(t *testing.T) {
	t.Helper()
	dirs, err := filepath.Glob(functions + "/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(err)
	}
	if err := os.MkdirAll("testdata/verifier", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		for _, side := range []string{"strong", "weak"} {
			text := read(t, dir, side+".rs")
			p, ss := subjects(t, text, text)
			for _, s := range ss {
				s.Base = nil
			}
			for n, r := range run(t, text, text, options, ss) {
				cases, _ := r.Tests(false)
				if len(cases) == 0 {
					continue
				}
				out := judged{Function: r.Subject().Symbol, Note: "Spectests that specgate made, with the verdicts of Verus " + release + " in \"strong\"."}
				var asked []eval.Case
				for _, k := range spread(len(cases), perSuite) {
					if c, ok := writtenCase(r.Judge(false), &cases[k]); ok {
						out.Cases, asked = append(out.Cases, c), append(asked, cases[k])
					}
				}
				w := obligation.NewWriter(p.Head, nil)
				w.Cases(r.Subject().Head.Function, asked)
				for i, v := range verifierSays(t, text, p.Head, w.Plan(), len(asked)) {
					if v == "both" {
						t.Errorf("%s: the verifier proves two opposite things of %v", dir, out.Cases[i])
						v = "undecided"
					}
					out.Cases[i].Strong = v
				}
				file, err := json.MarshalIndent(out, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(fmt.Sprintf("testdata/verifier/%s.%s.%d.json", filepath.Base(dir), side, n), append(file, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// release of the verifier that the answers are of.
const release = "0.2025.06.23.283b036"

// writtenCase writes a case down, if what is written is read as the same.
func writtenCase(j *eval.Judge, k *eval.Case) (judgedCase, bool) {
	c := judgedCase{Args: map[string]string{}, After: map[string]string{}, Origin: "edit"}
	ok := true
	write := func(v value.Value, typ *value.Type) string {
		text := value.Short(v)
		back, err := j.Value(text, typ)
		if err != nil || strings.Contains(text, "…") {
			ok = false
			return ""
		}
		was, known := value.Key(v)
		is, alsoKnown := value.Key(back)
		ok = ok && known && alsoKnown && was == is
		return text
	}
	for i, p := range j.Params() {
		c.Args[p.Name] = write(k.Args[i], p.Type)
		if p.Mut {
			c.After[p.Name] = write(k.After[i], p.Type)
		}
	}
	c.Result = write(k.Result, j.Result())
	return c, ok
}

// spread gives up to n places among so many, far apart.
func spread(all, n int) []int {
	var out []int
	for i := range min(all, n) {
		out = append(out, i*all/min(all, n))
	}
	return out
}

// verifierSays asks about cases: rejected, accepted, undecided or both.
func verifierSays(t *testing.T, text string, m *model.Model, plan *obligation.Plan, n int) []string {
	t.Helper()
	v, err := verus.Find(t.Context(), verus.Search{Path: os.Getenv("SPECGATE_VERUS"), Runner: verus.Sandboxed{}})
	if err != nil {
		t.Fatal(err)
	}
	var files iter.Seq2[verus.WorkFile, error] = func(yield func(verus.WorkFile, error) bool) {
		yield(verus.WorkFile{Path: lib, Data: []byte(text), Mode: verus.WorkPlain}, nil)
	}
	c, err := prove.Open(t.Context(), prove.Request{Verifier: v, Files: files, Roots: []string{lib}, Options: verus.Options{Timeout: 10 * time.Minute}, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	answers, err := c.Ask(t.Context(), prove.Side{Model: m, Source: func(string) *source.File { return source.NewFile(lib, []byte(text)) }, Roots: []string{lib}}, plan)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, n)
	for _, a := range answers.Answers {
		if a.Verdict != obligation.Proved {
			continue
		}
		says := "rejected"
		if a.Question == obligation.SpectestEscaped {
			says = "accepted"
		}
		if out[a.Case] != "" && out[a.Case] != says {
			says = "both"
		}
		out[a.Case] = says
	}
	for i := range out {
		if out[i] == "" {
			out[i] = "undecided"
		}
	}
	return out
}

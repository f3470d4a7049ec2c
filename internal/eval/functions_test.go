package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// worldOf reads one file as a crate of its own.
func worldOf(t testing.TB, path string) *World {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return worldOfText(t, path, string(text))
}

func worldOfText(t testing.TB, path, text string) *World {
	t.Helper()
	f := syntax.Parse(source.NewFile(path, []byte(text)))
	for _, e := range f.Errors {
		t.Fatalf("%s: %s", path, e.Message)
	}
	return NewWorld([]Source{{File: f, Crate: "test"}})
}

func find(t testing.TB, w *World, symbol string) *Func {
	t.Helper()
	fs := w.Find("test", symbol)
	if len(fs) != 1 {
		t.Fatalf("%d functions are called %s", len(fs), symbol)
	}
	return fs[0]
}

// The verdicts in truth.json are those of the real verifier; none may be contradicted. How many stay undecided is fixed here, so that
// a loss shows.
func TestVerifierVerdicts(t *testing.T) {
	dirs, err := filepath.Glob("testdata/functions/*/truth.json")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases found", err)
	}
	total, undecided := 0, 0
	for _, path := range dirs {
		dir := filepath.Dir(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := ReadSuite(source.NewFile(path, text))
		if err != nil {
			t.Fatal(err)
		}
		var truth struct {
			Cases []map[string]any `json:"cases"`
		}
		if err := json.Unmarshal(text, &truth); err != nil {
			t.Fatal(err)
		}
		for _, side := range []string{"strong", "weak"} {
			w := worldOf(t, filepath.Join(dir, side+".rs"))
			questions, err := suite.For(find(t, w, suite.Function))
			if err != nil {
				t.Errorf("%s: %v", dir, err)
				continue
			}
			if suite.Broken != nil || suite.Len() != len(truth.Cases) {
				t.Errorf("%s: %d cases of %d, %v", dir, suite.Len(), len(truth.Cases), suite.Broken)
				continue
			}
			for i := range suite.Len() {
				a, err := questions.Ask(i)
				if err != nil {
					t.Error(err)
					continue
				}
				want := truth.Cases[i][side].(string)
				total++
				switch {
				case a.Verdict == Undecided:
					undecided++
					t.Logf("%s: %s: undecided (%s)", filepath.Base(dir), a.Call+" gives "+a.Outcome, a.Why)
				case a.Verdict.String() != want && want != "undecided":
					t.Errorf("%s %s: %s: got %s, the verifier says %s", filepath.Base(dir), side, a.Call+" gives "+a.Outcome, a.Verdict, want)
				}
			}
		}
	}
	if got := fmt.Sprintf("%d of %d", undecided, total); got != wantUndecided {
		t.Errorf("undecided: %s, want %s", got, wantUndecided)
	}
}

const wantUndecided = "0 of 4918"

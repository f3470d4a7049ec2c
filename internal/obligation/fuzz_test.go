package obligation_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// FuzzWrite writes every question about two texts. Nothing may panic, and a shadow of a file without syntax errors has none.
func FuzzWrite(f *testing.F) {
	for _, glob := range []string{"../../testdata/corpus/*/head.rs", "../../testdata/changes/*/head.rs", "testdata/forms/*/head.rs"} {
		paths, err := filepath.Glob(glob)
		if err != nil || len(paths) == 0 {
			f.Fatal("no seeds: ", err)
		}
		for _, p := range paths {
			head, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			base, err := os.ReadFile(filepath.Join(filepath.Dir(p), "base.rs"))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(base), string(head))
		}
	}
	f.Fuzz(func(t *testing.T, base, head string) { write(t, base, head) })
}

// TestMutations writes every question about changed sample changes: tokens left out, doubled, swapped and replaced.
func TestMutations(t *testing.T) {
	words := strings.Fields("requires ensures decreases when returns by matches is forall exists old final self Self x r v &mut & * ( ) { } [ ] , ; : :: |x| |i: int| " +
		"let match if => ==> == =~= @ mut ref tracked Ghost(g) Tracked(t) impl for trait <T> <T: Copy> dyn async const unsafe pub mod verus! seq![x] 'a")
	times, err := strconv.Atoi(cmp.Or(os.Getenv("SPECGATE_MUTATIONS"), "3"))
	if err != nil {
		t.Fatal(err)
	}
	for _, glob := range []string{"../../testdata/corpus/*/head.rs", "../../testdata/changes/*/head.rs", "testdata/forms/*/head.rs"} {
		paths, err := filepath.Glob(glob)
		if err != nil || len(paths) == 0 {
			t.Fatal("no seeds: ", err)
		}
		for k, path := range paths {
			base, err := os.ReadFile(filepath.Join(filepath.Dir(path), "base.rs"))
			if err != nil {
				t.Fatal(err)
			}
			head, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(k), 7))
			for range times {
				write(t, mutate(rng, string(base), words), mutate(rng, string(head), words))
			}
			if t.Failed() {
				t.Fatalf("that was %s", path)
			}
		}
	}
}

// mutate changes a few tokens.
func mutate(rng *rand.Rand, text string, words []string) string {
	for range rng.IntN(4) {
		var at []source.Span
		for tok := range syntax.Parse(source.NewFile("m.rs", []byte(text))).Root().Tokens() {
			at = append(at, tok.Span())
		}
		if len(at) < 3 {
			return text
		}
		a, b := at[rng.IntN(len(at)-1)], at[rng.IntN(len(at)-1)]
		with := words[rng.IntN(len(words))]
		switch rng.IntN(4) {
		case 0:
			with = ""
		case 1:
			with = text[b.Start:b.End]
		case 2:
			with = text[a.Start:a.End] + " " + with
		}
		text = text[:a.Start] + with + text[a.End:]
	}
	return text
}

func write(t *testing.T, base, head string) {
	t.Helper()
	if len(base) > 20_000 || len(head) > 20_000 {
		return
	}
	var models []*model.Model
	for _, text := range []string{base, head} {
		tr := modeltest.New(one(text))
		m, err := model.New(context.Background(), tr, tr.Paths())
		if err != nil {
			return
		}
		models = append(models, m)
	}
	p := pair.New(models[0], models[1])
	w := obligation.NewWriter(p.Head, p)
	for _, fn := range p.Functions {
		if fn.Head == nil {
			continue
		}
		if fn.Base != nil {
			w.Compare(fn)
		}
		w.Contract(fn.Head)
		w.Context(fn.Head)
	}
	plan := w.Plan()
	plan.Second(nil)
	plan.Answers(nil)
	if len(syntax.Parse(source.NewFile("h.rs", []byte(head))).Errors) > 0 {
		return
	}
	for _, s := range plan.Shadows {
		file := syntax.Parse(source.NewFile("s.rs", s.Text))
		for _, e := range file.Errors {
			t.Errorf("%s: %s\n%s", file.Source.Position(e.Span.Start), e.Message, s.Text)
		}
	}
}

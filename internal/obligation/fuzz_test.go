package obligation_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/specgate/specgate/internal/model"
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
	f.Fuzz(func(t *testing.T, base, head string) {
		if len(base) > 20_000 || len(head) > 20_000 {
			return
		}
		var models []*model.Model
		for _, text := range []string{base, head} {
			tr := &tree{one(text), map[string]*syntax.File{}}
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
	})
}

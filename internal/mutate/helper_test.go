package mutate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

var update = flag.Bool("update", false, "write the golden files")

// tree is a model.Tree of one file.
type tree struct {
	path string
	text []byte
	file *syntax.File
}

func (t *tree) Paths() []string { return []string{t.path} }

func (t *tree) Read(path string) ([]byte, error) {
	if path != t.path {
		return nil, fmt.Errorf("read %s: %w", path, os.ErrNotExist)
	}
	return t.text, nil
}

func (t *tree) Parse(path string) (*syntax.File, error) {
	if _, err := t.Read(path); err != nil {
		return nil, err
	}
	if t.file == nil {
		t.file = syntax.Parse(source.NewFile(t.path, t.text))
	}
	return t.file, nil
}

func (t *tree) Mentions(...string) []string { return []string{t.path} }

// functions of a text, in order.
func functions(t testing.TB, text string) []*model.Function {
	t.Helper()
	m, err := model.New(t.Context(), &tree{path: "lib.rs", text: []byte(text)}, []string{"lib.rs"})
	if err != nil {
		t.Fatal(err)
	}
	return m.Functions
}

// function of a text by its symbol.
func function(t testing.TB, text, symbol string) *model.Function {
	t.Helper()
	for _, f := range functions(t, text) {
		if f.Symbol == symbol {
			return f
		}
	}
	t.Fatalf("no function %s", symbol)
	return nil
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// golden compares with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	goldentest.Compare(t, path, got, *update)
}

// samples are files whose executable code is compiled elsewhere too.
func samples(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../../testdata/corpus/*/base.rs", "../../testdata/erase/samples/*.rs", "../eval/testdata/functions/*/strong.rs", "testdata/*.rs"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no samples in %s: %v", pattern, err)
		}
		out = append(out, paths...)
	}
	slices.Sort(out)
	return out
}

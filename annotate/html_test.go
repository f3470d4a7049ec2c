package annotate_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/source"
)

// example is the report of the bundled example, with a verifier, recorded as testdata/html/README.md says, and its sources.
func example(t *testing.T) (*checks.Report, annotate.Options) {
	t.Helper()
	text, err := os.ReadFile("testdata/html/example.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &checks.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	files := map[annotate.Side]map[string]*source.File{annotate.Base: tree(t, "../examples/numbers/base"), annotate.Head: tree(t, "../examples/numbers/head")}
	return r, annotate.Options{Rules: registry.Rules(), FailOn: "error", Source: func(side annotate.Side, file string) *source.File { return files[side][file] }}
}

func tree(t *testing.T, dir string) map[string]*source.File {
	t.Helper()
	out := map[string]*source.File{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(name)] = source.NewFile(filepath.ToSlash(name), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func html(t *testing.T, r *checks.Report, o annotate.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := annotate.HTML(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHTML(t *testing.T) {
	r, o := example(t)
	golden(t, "html/example.html", html(t, r, o))
}

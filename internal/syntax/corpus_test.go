package syntax

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/source"
)

// corpusFiles lists the .rs files below the fixtures and, when SPECGATE_CORPUS names folders (separated as in PATH), below those.
func corpusFiles(t testing.TB) []string {
	roots := []string{"../../testdata"}
	roots = append(roots, filepath.SplitList(os.Getenv("SPECGATE_CORPUS"))...)
	var files []string
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".rs") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestCorpusIsLossless(t *testing.T) {
	for _, path := range corpusFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(source.NewFile(path, text))
		if !bytes.Equal(Print(f), text) {
			t.Errorf("%s: printing the tree does not give the file", path)
		}
		if os.Getenv("SPECGATE_ERRORS") != "" {
			for _, e := range f.Errors {
				t.Logf("%s:%s: %s", path, f.Source.Position(e.Span.Start), e.Message)
			}
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var files []*source.File
	size := 0
	for _, path := range corpusFiles(b) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		size += len(text)
		files = append(files, source.NewFile(path, text))
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			Parse(f)
		}
	}
}

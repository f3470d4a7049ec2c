package model_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/goldentest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestModel dumps the models of small trees.
func TestModel(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no trees", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := dump(build(t, archive(t, readFile(t, file))))
			goldentest.Compare(t, strings.TrimSuffix(file, ".txtar")+".golden", got, *update)
		})
	}
}

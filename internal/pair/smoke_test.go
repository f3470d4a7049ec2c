package pair_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/specgate/specgate/internal/pair"
)

func TestSmoke(t *testing.T) {
	g := os.Getenv("SMOKE")
	if g == "" {
		t.Skip()
	}
	dirs, _ := filepath.Glob(g)
	for _, d := range dirs {
		b, h := build(t, newTree(side(t, d, "base"))), build(t, newTree(side(t, d, "head")))
		fmt.Printf("=== %s\n%s", filepath.Base(d), describe(pair.New(b, h)))
		w, _ := os.ReadFile(filepath.Join(d, "want.txt"))
		fmt.Printf("--- %s\n", w)
	}
}

package model_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/model"
)

func TestPerf(t *testing.T) {
	root := os.Getenv("PERF")
	if root == "" {
		t.Skip()
	}
	files := map[string][]byte{}
	n := 0
	filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(p, ".rs") || strings.HasSuffix(p, ".toml")) {
			b, _ := os.ReadFile(p)
			rel, _ := filepath.Rel(root, p)
			files[rel] = b
			n += len(b)
		}
		return nil
	})
	tr := newTree(files)
	var rs []string
	t0 := time.Now()
	for _, p := range tr.Paths() {
		if strings.HasSuffix(p, ".rs") {
			tr.Parse(p)
			rs = append(rs, p)
		}
	}
	t1 := time.Now()
	m, err := model.New(context.Background(), tr, rs)
	if err != nil {
		t.Fatal(err)
	}
	t2 := time.Now()
	orphans, unk, un := 0, 0, 0
	for _, f := range m.Files {
		if f.Orphan {
			orphans++
		}
		unk += len(f.Unknown)
	}
	for _, f := range m.Functions {
		for _, s := range f.Sites {
			if s.Uncertain {
				un++
			}
		}
	}
	fmt.Printf("%s: %d files %.1f MB parse %v model %v; %d fns %d items %d sites (%d uncertain) %d orphans %d unknown %d problems\n", filepath.Base(root), len(rs), float64(n)/1e6, t1.Sub(t0), t2.Sub(t1),
		len(m.Functions), len(m.Items), len(m.Sites()), un, orphans, unk, len(m.Problems))
	if one := os.Getenv("ONE"); one != "" {
		t3 := time.Now()
		m, _ = model.New(context.Background(), tr, []string{one})
		fmt.Printf("one file: %v, %d files read\n", time.Since(t3), len(m.Files))
	}
}

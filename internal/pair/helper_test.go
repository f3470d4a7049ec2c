package pair_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
	"github.com/specgate/specgate/internal/pair"
)

// tree is a tree of files in memory.
type tree = modeltest.Tree[[]byte]

func newTree(files map[string][]byte) *tree { return modeltest.New(files) }

func build(t testing.TB, tr model.Tree) *model.Model {
	t.Helper()
	m, err := model.New(context.Background(), tr, tr.Paths())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func one(t testing.TB, text []byte) *model.Model {
	return build(t, newTree(map[string][]byte{"src/lib.rs": text}))
}

// side reads one side of a sample change: NAME.rs, or the files below NAME.
func side(t testing.TB, dir, name string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	if b, err := os.ReadFile(filepath.Join(dir, name+".rs")); err == nil {
		files["src/lib.rs"] = b
		return files
	}
	root := filepath.Join(dir, name)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		files[filepath.ToSlash(rel)] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var whats = []struct {
	w    pair.What
	name string
}{{pair.Executable, "executable"}, {pair.Contract, "contract"}, {pair.Body, "body"}, {pair.Signature, "signature"}, {pair.Attributes, "attributes"},
	{pair.Mode, "mode"}, {pair.Publish, "publish"}, {pair.Verified, "verified"}, {pair.GhostRefs, "ghost-refs"}, {pair.Sites, "sites"}, {pair.Cfg, "cfg"}}

func what(w pair.What) string {
	var out []string
	for _, x := range whats {
		if w.Has(x.w) {
			out = append(out, x.name)
		}
	}
	return strings.Join(out, " ")
}

// describe writes every pair that is not the same.
func describe(p *pair.Pairs) string {
	var b strings.Builder
	names := func(base, head string) string {
		switch {
		case base == "":
			return head
		case head == "" || base == head:
			return base
		}
		return base + " -> " + head
	}
	for _, f := range p.Functions {
		if f.Change == pair.Same {
			continue
		}
		bs, hs := "", ""
		if f.Base != nil {
			bs = f.Base.Symbol
		}
		if f.Head != nil {
			hs = f.Head.Symbol
		}
		fmt.Fprintf(&b, "%s fn %s", f.Change, names(bs, hs))
		if w := what(f.What); w != "" {
			fmt.Fprintf(&b, ": %s", w)
		}
		b.WriteByte('\n')
		for _, c := range f.Contract.Added {
			fmt.Fprintf(&b, "\t+ %s %s\n", c.Kind, c.Text)
		}
		for _, c := range f.Contract.Removed {
			fmt.Fprintf(&b, "\t- %s %s\n", c.Kind, c.Text)
		}
		sites(&b, f.SitesAdded, f.SitesRemoved)
		for _, d := range f.ExecDetail {
			fmt.Fprintf(&b, "\texec %s: %s -> %s\n", d.Written, d.Base, d.Head)
		}
		for _, d := range f.GhostDetail {
			fmt.Fprintf(&b, "\tghost %s: %s -> %s\n", d.Written, d.Base, d.Head)
		}
	}
	for _, it := range p.Items {
		if it.Change == pair.Same {
			continue
		}
		bs, hs, kind := "", "", model.ItemKind(0)
		if it.Base != nil {
			bs, kind = it.Base.Symbol, it.Base.Kind
		}
		if it.Head != nil {
			hs, kind = it.Head.Symbol, it.Head.Kind
		}
		fmt.Fprintf(&b, "%s %s %s", it.Change, kind, names(bs, hs))
		if w := what(it.What); w != "" {
			fmt.Fprintf(&b, ": %s", w)
		}
		b.WriteByte('\n')
		sites(&b, it.SitesAdded, it.SitesRemoved)
	}
	return b.String()
}

func sites(b *strings.Builder, added, removed []model.Site) {
	for _, s := range added {
		fmt.Fprintf(b, "\tsite + %s %s\n", s.Kind, s.Text)
	}
	for _, s := range removed {
		fmt.Fprintf(b, "\tsite - %s %s\n", s.Kind, s.Text)
	}
}

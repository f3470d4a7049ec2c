package model_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
	"github.com/specgate/specgate/internal/source"
)

// tree is a tree of files in memory.
type tree = modeltest.Tree[[]byte]

func newTree(files map[string][]byte) *tree { return modeltest.New(files) }

func archive(t testing.TB, data []byte) *tree {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range txtar.Parse(data).Files {
		files[f.Name] = f.Data
	}
	return newTree(files)
}

func build(t testing.TB, tr model.Tree, load ...string) *model.Model {
	t.Helper()
	if load == nil {
		for _, p := range tr.Paths() {
			if strings.HasSuffix(p, ".rs") {
				load = append(load, p)
			}
		}
	}
	m, err := model.New(context.Background(), tr, load)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readFile(t testing.TB, p string) []byte {
	t.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// dump writes what a model says of functions and items.
func dump(m *model.Model) string {
	var b strings.Builder
	for _, f := range m.Functions {
		at := func(s source.Span) source.Position { return f.File.Syntax.Source.Position(s.Start) }
		fmt.Fprintf(&b, "%s:%s %s %s %s", f.File.Path, at(f.NameSpan), f.Crate.Key, f.Symbol, f.Mode)
		if f.PublishText != "" {
			fmt.Fprintf(&b, " %s", f.PublishText)
		}
		if !f.Verified {
			b.WriteString(" unverified")
		}
		for _, c := range f.Cfg {
			fmt.Fprintf(&b, " cfg(%s)", c)
		}
		b.WriteByte('\n')
		if len(f.Attrs) > 0 {
			fmt.Fprintf(&b, "\tattrs %s\n", strings.Join(f.Attrs, "; "))
		}
		for _, c := range f.Inherited {
			fmt.Fprintf(&b, "\tinherited %s %s\n", c.Kind, c.Text)
		}
		for _, c := range f.Own {
			fmt.Fprintf(&b, "\t%s %s\n", c.Kind, c.Text)
		}
		for _, l := range f.Loops {
			fmt.Fprintf(&b, "\tloop %s decreases=%t clauses=%d\n", at(l.Span), l.HasDecreases, len(l.Clauses))
		}
		dumpSites(&b, f.Sites)
		for _, r := range f.ExecRefs {
			fmt.Fprintf(&b, "\texec %s = %s\n", r.Written, r.To)
		}
		for _, r := range f.GhostRefs {
			fmt.Fprintf(&b, "\tghost %s = %s\n", r.Written, r.To)
		}
		for _, c := range f.Calls {
			if len(c.Callees) > 0 {
				var to []string
				for _, g := range c.Callees {
					to = append(to, g.Symbol)
				}
				fmt.Fprintf(&b, "\tcalls %s\n", strings.Join(to, ", "))
			}
		}
		for _, g := range m.SpecReach(f) {
			fmt.Fprintf(&b, "\treaches %s\n", g.Symbol)
		}
		for _, r := range m.Trusted(f) {
			var via []string
			for _, g := range r.Via {
				via = append(via, g.Symbol)
			}
			fmt.Fprintf(&b, "\trests on %s of %s\n", r.Site.Kind, strings.Join(via, " > "))
		}
	}
	for _, it := range m.Items {
		switch it.Kind {
		case model.ModuleItem, model.CrateItem:
			if len(it.Sites) == 0 && len(it.Attrs) == 0 {
				continue
			}
		}
		fmt.Fprintf(&b, "%s:%s %s %s", it.File.Path, it.File.Syntax.Source.Position(it.NameSpan.Start), it.Kind, it.Symbol)
		if it.Ghost {
			b.WriteString(" ghost")
		}
		b.WriteByte('\n')
		if len(it.Attrs)+len(it.Derives) > 0 {
			fmt.Fprintf(&b, "\tattrs %s derives %s\n", strings.Join(it.Attrs, "; "), strings.Join(it.Derives, ", "))
		}
		dumpSites(&b, it.Sites)
	}
	for _, p := range m.Problems {
		fmt.Fprintf(&b, "problem %s:%d %s\n", p.File, p.Span.Start, p.Text)
	}
	return b.String()
}

func dumpSites(b *strings.Builder, l []model.Site) {
	for _, s := range l {
		fmt.Fprintf(b, "\tsite %s %s %s", s.File.Syntax.Source.Position(s.Span.Start), s.Kind, s.Text)
		if s.Scope != "" {
			fmt.Fprintf(b, " in %s", s.Scope)
		}
		if s.Uncertain {
			b.WriteString(" (uncertain)")
		}
		b.WriteByte('\n')
	}
}

package obligation_test

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
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
)

func build(t testing.TB, files map[string][]byte) *model.Model {
	t.Helper()
	tr := modeltest.New(files)
	var load []string
	for _, p := range tr.Paths() {
		if strings.HasSuffix(p, ".rs") {
			load = append(load, p)
		}
	}
	m, err := model.New(context.Background(), tr, load)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func one(text string) map[string][]byte { return map[string][]byte{"src/lib.rs": []byte(text)} }

// side reads one side of a sample change: NAME.rs, or the files below NAME.
func side(t testing.TB, dir, name string) map[string][]byte {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, name+".rs")); err == nil {
		return one(string(b))
	}
	files := map[string][]byte{}
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

func pairsOf(t testing.TB, base, head map[string][]byte) *pair.Pairs {
	t.Helper()
	return pair.New(build(t, base), build(t, head))
}

// all asks everything about every function that has a contract: both sides compared, head alone, and the context of its proof.
func all(p *pair.Pairs) *obligation.Plan {
	w := obligation.NewWriter(p.Head, p)
	for _, f := range p.Functions {
		if f.Head == nil || f.Head.Mode == model.Spec {
			continue
		}
		if f.Base != nil && len(f.Base.Contract())+len(f.Head.Contract()) > 0 {
			w.Compare(f)
		}
		if len(f.Head.Contract()) > 0 {
			w.Contract(f.Head)
			w.Context(f.Head)
		}
	}
	return w.Plan()
}

// show writes a plan: the added text of each shadow, the table, and what was skipped.
func show(p *obligation.Plan, head map[string][]byte) string {
	var b strings.Builder
	shadow := func(s *obligation.Shadow) {
		fmt.Fprintf(&b, "==== %s, module %q, canary %s\n", s.File, s.Module, s.Canary)
		// What the shadow adds, line by line.
		old := strings.Split(string(head[s.File]), "\n")
		for _, l := range strings.Split(string(s.Text), "\n") {
			if len(old) > 0 && l == old[0] {
				old = old[1:]
				continue
			}
			b.WriteString(l + "\n")
		}
	}
	for _, s := range p.Shadows {
		shadow(s)
	}
	b.WriteString("==== questions\n")
	for _, o := range p.Obligations {
		fmt.Fprintf(&b, "%s: %s", o.Function.Symbol, o.Question)
		if o.Clause != nil {
			fmt.Fprintf(&b, " (%s %s)", o.Clause.Kind, o.Clause.Text)
		}
		if o.Given {
			b.WriteString(": given")
		}
		fmt.Fprintf(&b, " %s\n", strings.Join(o.Names, " "))
	}
	for _, s := range p.Skipped {
		fmt.Fprintf(&b, "%s: %s: not asked: %s: %s\n", s.Function.Symbol, s.Question, s.Reason, s.Detail)
	}
	first := len(p.Shadows)
	p.Second(nil)
	b.WriteString("==== with help\n")
	for _, s := range p.Shadows[first:] {
		shadow(s)
	}
	return b.String()
}

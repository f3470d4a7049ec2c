package pair_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPairs describes what changed between the base/ and head/ files of an archive; the description is its last file.
func TestPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base, head, want := map[string][]byte{}, map[string][]byte{}, -1
			for i, f := range ar.Files {
				if p, ok := strings.CutPrefix(f.Name, "base/"); ok {
					base[p] = f.Data
				} else if p, ok := strings.CutPrefix(f.Name, "head/"); ok {
					head[p] = f.Data
				} else {
					want = i
				}
			}
			got := describe(pair.New(build(t, newTree(base)), build(t, newTree(head))))
			if *update {
				if want < 0 {
					ar.Files = append(ar.Files, txtar.File{Name: "want"})
					want = len(ar.Files) - 1
				}
				ar.Files[want].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(ar.Files[want].Data), got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// samples are the sources that this repository has: one side of each sample change, the corpus, one file for each construct.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, g := range []string{"constructs/*.rs", "constructs/old/*.rs", "changes/*/*.rs", "changes/*/*/src/*.rs", "corpus/*/*.rs"} {
		names, err := filepath.Glob(filepath.Join("../../testdata", g))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				t.Fatal(err)
			}
			out[n] = b
		}
	}
	if len(out) < 100 {
		t.Fatalf("only %d samples", len(out))
	}
	return out
}

// TestNothingChanged pairs every sample with itself and with a copy in another layout: nothing changed.
func TestNothingChanged(t *testing.T) {
	for name, text := range samples(t) {
		if got := describe(pair.New(one(t, text), one(t, text))); got != "" {
			t.Errorf("%s with itself:\n%s", name, got)
		}
		again := reformat(syntax.Parse(source.NewFile("x.rs", text)))
		if got := describe(pair.New(one(t, text), one(t, again))); got != "" {
			t.Errorf("%s in another layout:\n%s", name, got)
		}
	}
}

// reformat writes every token on a line of its own with a comment behind it. Tokens that the sources write as one word stay
// together: macros, `!is`, the joint operators that the lexer reads as several tokens.
func reformat(f *syntax.File) []byte {
	var b strings.Builder
	end := 0
	for t := range f.Root().Tokens() {
		s := t.Span()
		text := t.Text()
		switch {
		case s.Start == end:
		default:
			b.WriteString(" // moved\n /* and more */ ")
		}
		b.WriteString(text)
		end = s.End
	}
	b.WriteByte('\n')
	return []byte(b.String())
}

// TestSwapped swaps base and head of every sample change: what was added is removed.
func TestSwapped(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/changes/*/base.rs")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no changes", err)
	}
	for _, base := range dirs {
		dir := filepath.Dir(base)
		b, h := build(t, newTree(side(t, dir, "base"))), build(t, newTree(side(t, dir, "head")))
		forth, back := pair.New(b, h), pair.New(h, b)
		if d := cmp.Diff(counts(forth, false), counts(back, true)); d != "" {
			t.Errorf("%s: -forth +back:\n%s", dir, d)
		}
	}
}

// counts says how often what happened; swapped exchanges added and removed.
func counts(p *pair.Pairs, swapped bool) map[string]int {
	out := map[string]int{}
	add, remove := "added", "removed"
	if swapped {
		add, remove = remove, add
	}
	change := func(kind string, c pair.Change, w pair.What) {
		name := c.String()
		switch c {
		case pair.Added:
			name = add
		case pair.Removed:
			name = remove
		}
		out[kind+" "+name+" "+what(w&^pair.Sites)]++
	}
	for _, f := range p.Functions {
		change("fn", f.Change, f.What)
		out["clauses "+add] += len(f.Contract.Added)
		out["clauses "+remove] += len(f.Contract.Removed)
	}
	for _, it := range p.Items {
		change("item", it.Change, it.What)
	}
	return out
}

// TestEveryFunctionOnce checks that pairs lose and repeat nothing.
func TestEveryFunctionOnce(t *testing.T) {
	dirs, _ := filepath.Glob("../../testdata/changes/*/base.rs")
	for _, base := range dirs {
		dir := filepath.Dir(base)
		b, h := build(t, newTree(side(t, dir, "base"))), build(t, newTree(side(t, dir, "head")))
		once(t, dir, pair.New(b, h))
	}
}

func once(t *testing.T, name string, p *pair.Pairs) {
	t.Helper()
	seenBase, seenHead := map[*model.Function]bool{}, map[*model.Function]bool{}
	for _, f := range p.Functions {
		if f.Base == nil && f.Head == nil || f.Change == 0 {
			t.Errorf("%s: an empty pair: %+v", name, f)
		}
		if f.Base != nil {
			if seenBase[f.Base] || p.OfBase(f.Base) != f {
				t.Errorf("%s: base %s twice", name, f.Base.Symbol)
			}
			seenBase[f.Base] = true
		}
		if f.Head != nil {
			if seenHead[f.Head] || p.OfHead(f.Head) != f {
				t.Errorf("%s: head %s twice", name, f.Head.Symbol)
			}
			seenHead[f.Head] = true
		}
	}
	if len(seenBase) != len(p.Base.Functions) || len(seenHead) != len(p.Head.Functions) {
		t.Errorf("%s: %d of %d base functions, %d of %d head functions", name, len(seenBase), len(p.Base.Functions), len(seenHead), len(p.Head.Functions))
	}
	items := 0
	for _, it := range p.Items {
		if it.Base != nil {
			items++
		}
		if it.Head != nil {
			items++
		}
	}
	if items != len(p.Base.Items)+len(p.Head.Items) {
		t.Errorf("%s: %d items in pairs, %d in models", name, items, len(p.Base.Items)+len(p.Head.Items))
	}
}

// TestDeterministic builds and pairs the same trees again and again.
func TestDeterministic(t *testing.T) {
	dirs, _ := filepath.Glob("../../testdata/changes/honest-*/base.rs")
	for _, base := range dirs {
		dir := filepath.Dir(base)
		want := ""
		for i := range 3 {
			got := describe(pair.New(build(t, newTree(side(t, dir, "base"))), build(t, newTree(side(t, dir, "head")))))
			if i > 0 && got != want {
				t.Errorf("%s: run %d differs:\n%s", dir, i, cmp.Diff(want, got))
			}
			want = got
		}
	}
}

// FuzzPair pairs two texts: it never panics, every function is in one pair, a text with itself has no change, and swapping the two
// swaps what was added and removed.
func FuzzPair(f *testing.F) {
	all := samples(f)
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	for i := 1; i < len(names); i += 7 {
		f.Add(all[names[i-1]], all[names[i]])
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) > 1<<16 {
			return // larger ones find nothing else, and take long
		}
		if got := describe(pair.New(one(t, a), one(t, a))); got != "" {
			t.Errorf("a text with itself: %s", got)
		}
		ma, mb := one(t, a), one(t, b)
		forth, back := pair.New(ma, mb), pair.New(mb, ma)
		once(t, "forth", forth)
		total := func(p *pair.Pairs, c pair.Change) (n int) {
			for _, f := range p.Functions {
				if f.Change == c {
					n++
				}
			}
			return n
		}
		if total(forth, pair.Added) != total(back, pair.Removed) || total(forth, pair.Removed) != total(back, pair.Added) {
			t.Errorf("swapped: %d added and %d removed, back %d removed and %d added", total(forth, pair.Added), total(forth, pair.Removed),
				total(back, pair.Removed), total(back, pair.Added))
		}
	})
}

// large is a source of n functions of a few forms.
func large(n int, rename string) []byte {
	var b strings.Builder
	b.WriteString("use vstd::prelude::*;\nverus! {\n")
	for i := range n {
		fmt.Fprintf(&b, `
pub open spec fn spec_%[1]d%[2]s(x: int) -> bool { 0 <= x && x < %[1]d }
pub fn run_%[1]d%[2]s(x: u32, v: &Vec<u32>) -> (r: u32)
    requires spec_%[1]d%[2]s(x as int), v.len() > %[1]d,
    ensures r == v[%[1]d] || r == x,
{
    let mut i = 0;
    while i < x
        invariant i <= x,
        decreases x - i,
    {
        i = i + 1;
    }
    if v[%[1]d] > x { v[%[1]d] } else { x }
}
`, i, rename)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

func BenchmarkPairSame(b *testing.B) {
	x, y := one(b, large(3000, "")), one(b, large(3000, ""))
	for b.Loop() {
		pair.New(x, y)
	}
}

func BenchmarkPairAllRenamed(b *testing.B) {
	x, y := one(b, large(3000, "")), one(b, large(3000, "_new"))
	for b.Loop() {
		pair.New(x, y)
	}
}

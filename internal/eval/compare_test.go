package eval

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/source"
)

func line(name string, w *Witness) string {
	if w == nil {
		return ""
	}
	return name + " " + w.Text + "\n"
}

func report(c *Comparison) string {
	return line("lost", c.Lost) + line("gained", c.Gained) + line("accepted", c.Accepted) + line("refused", c.Refused)
}

// What a search finds on the sample changes: the simplest case that shows what was lost.
func TestCompareChanges(t *testing.T) {
	for _, tc := range []struct{ change, symbol, want string }{
		{"fib-recursive", "fib_iter", "accepted fib_iter(2) gives f = 0\n"},
		{"filter-positive", "positives", "accepted positives([1]) gives out = []\n"},
		{"stack-struct", "Stack::push", "accepted push(Stack { items: [0], cap: 1 }, 0) gives ok = false, self = Stack { items: [], cap: 1 }\n"},
		{"stack-struct", "Stack::pop", "accepted pop(Stack { items: [], cap: 1 }) gives r = None, self = Stack { items: [0], cap: 1 }\n"},
		{"stack-struct", "Stack::new", ""},
		{"max-weak", "max_of", "accepted max_of([0]) gives m = 1\n"},
		{"binary-search", "find", "accepted find([0], 0) gives r = None\n"},
		{"enum-option", "step", "accepted step(Light::Red) gives n = Light::Green { left: true }\n"},
		{"generic-contains", "has_ident", "accepted has_ident([User { uid: 0, admin: false }], 0) gives b = false\n"},
		{"generic-contains", "<User as Ident>::ident", ""},
		{"reverse-in-place", "reverse", "accepted reverse([0]) gives v = [1]\n"},
		{"tuple-divmod", "div_mod", "accepted div_mod(1, 1) gives qr = (0, 1)\n"},
		{"trivial-ensures", "ratio", "accepted ratio(0, 1) gives q = 1\nno result found that head rejects\n"},
		{"precondition-strengthened", "count_eq", "lost count_eq([], 0)\n"},
		{"contradictory-requires", "ratio", "lost ratio(0, 1)\nno input found that head allows\nno result found that head rejects\n"},
		{"format-only", "clamp", ""},
		{"format-only", "abs_diff", ""},
		{"exec-edit", "count_eq", ""},
		{"proof-only", "count_eq", ""},
	} {
		t.Run(tc.change+" "+tc.symbol, func(t *testing.T) {
			dir := filepath.Join("../../testdata/corpus", tc.change)
			base, head := worldOf(t, filepath.Join(dir, "base.rs")), worldOf(t, filepath.Join(dir, "head.rs"))
			c, err := Compare(find(t, base, tc.symbol), find(t, head, tc.symbol), 0)
			if err != nil {
				t.Fatal(err)
			}
			got := report(c)
			if c.Possible == nil {
				got += "no input found that head allows\n"
			}
			if c.Rejected == nil {
				got += "no result found that head rejects\n"
			}
			if d := cmp.Diff(strings.TrimLeft(tc.want, "\n"), got); d != "" {
				t.Errorf("witnesses (-want +got):\n%s\n%s", d, fmt.Sprintf("inputs %d cases %d undecided %d steps %d", c.Inputs, c.Cases, c.Undecided, c.Steps))
			}
		})
	}
}

func TestCompareStrongWithWeak(t *testing.T) {
	dirs, err := filepath.Glob("testdata/functions/*/truth.json")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases found", err)
	}
	var got strings.Builder
	for _, path := range dirs {
		dir := filepath.Dir(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := ReadSuite(source.NewFile(path, text))
		if err != nil {
			t.Fatal(err)
		}
		base, head := worldOf(t, filepath.Join(dir, "strong.rs")), worldOf(t, filepath.Join(dir, "weak.rs"))
		c, err := Compare(find(t, base, suite.Function), find(t, head, suite.Function), 0)
		if err != nil {
			fmt.Fprintf(&got, "%v\n", err)
			continue
		}
		found := report(c)
		if found == "" {
			found = fmt.Sprintf("nothing found for %s: %d inputs, %d cases, %d undecided, %d steps\n", suite.Function, c.Inputs, c.Cases, c.Undecided, c.Steps)
		}
		got.WriteString(found)
	}
	golden(t, "testdata/strong-weak.txt", got.String())
}

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file, or writes it there.
func golden(t *testing.T, path, got string) {
	t.Helper()
	goldentest.Compare(t, path, got, *update)
}

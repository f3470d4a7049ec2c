package measure_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

const ownFunctions = "testdata/functions"

// row is what was measured of a side, in a line.
func row(m *checks.Measured) string {
	if m.Suite == nil {
		return show(m)
	}
	all := m.Suite.All()
	text := fmt.Sprintf("%d spectests: %d rejected, %d escaped, %d undecided", all.Rejected+all.Escaped+all.Undecided, all.Rejected, all.Escaped, all.Undecided)
	for _, e := range m.Suite.Escapes[:min(1, len(m.Suite.Escapes))] {
		text += fmt.Sprintf("; %s is %s, not %s", e.Call, e.Result, e.Wrong)
	}
	return text
}

// TestOwnFunctions measures functions of kinds that TestFunctions has not: slices and arrays that are changed, words of all widths, views, closures in
// contracts, invariants, contracts of traits. The verifier accepts both contracts of each. The strong one rejects every wrong result, the weak one
// allows one that is shown; the table tells how many there are and which comes first.
func TestOwnFunctions(t *testing.T) {
	dirs, err := filepath.Glob(ownFunctions + "/*")
	if err != nil || len(dirs) < 20 {
		t.Fatalf("%d functions, %v", len(dirs), err)
	}
	// One place for each function, as they are measured at the same time.
	rows := make([]string, len(dirs))
	tests, undecided := make([]int, len(dirs)), make([]int, len(dirs))
	t.Run("all", func(t *testing.T) {
		for i, dir := range dirs {
			name := filepath.Base(dir)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				weak, strong := read(t, dir, "weak.rs"), read(t, dir, "strong.rs")
				_, ss := subjects(t, strong, weak)
				weakened := false
				var b strings.Builder
				for _, r := range run(t, strong, weak, options, ss) {
					s := r.Strength()
					symbol := r.Subject().Symbol
					fmt.Fprintf(&b, "%s %s\n  strong: %s\n  weak:   %s\n", name, symbol, row(s.Base), row(s.Head))
					if s.Base.Suite == nil || s.Head.Suite == nil {
						t.Errorf("%s: strong: %s, weak: %s", symbol, show(s.Base), show(s.Head))
						continue
					}
					all := s.Base.Suite.All()
					if all.Escaped > 0 || s.Base.Suite.Fates.Survived > 0 || all.Rejected < 8 {
						t.Errorf("%s: under the strong contract: %s", symbol, show(s.Base))
					}
					tests[i] += all.Rejected + all.Undecided
					undecided[i] += all.Undecided
					weakened = weakened || len(s.Head.Suite.Escapes) > 0
				}
				if !weakened {
					t.Error("nothing is shown under the weak contract")
				}
				rows[i] = b.String()
			})
		}
	})
	// Where functions were skipped, for want of a compiler or as -run selects others, there is no table.
	if slices.Contains(rows, "") {
		if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
			return
		}
		sandboxtest.Oracle.Lacks(t, "not all functions were measured")
	}
	total, open := 0, 0
	for i := range dirs {
		total += tests[i]
		open += undecided[i]
	}
	if open*100 > 3*total {
		t.Errorf("too much is undecided: %d of %d", open, total)
	}
	golden(t, "functions.txt", strings.Join(rows, ""))
}

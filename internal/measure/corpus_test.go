package measure_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
)

const corpus = "../../testdata/corpus"

// TestWant holds the findings about the sample changes against what the samples want of the family strength.
func TestWant(t *testing.T) {
	files, err := filepath.Glob(corpus + "/*/want.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample changes: %v", err)
	}
	held := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "strength") {
			continue
		}
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			fs := findings(t, read(t, dir, "base.rs"), read(t, dir, "head.rs"), nil)
			for line := range strings.Lines(string(text)) {
				words := strings.Fields(line)
				switch {
				case len(words) == 3 && words[0] == "+" && strings.HasPrefix(words[1], "strength/"):
					held++
					found := false
					for _, f := range fs {
						found = found || f.Rule == words[1] && (f.Symbol == words[2] || strings.HasSuffix(f.Symbol, "::"+words[2]))
					}
					if !found {
						t.Errorf("not found: %s%s", line, showFindings(fs))
					}
				case len(words) == 2 && words[0] == "-" && words[1] == "strength":
					held++
					for _, f := range fs {
						if strings.HasPrefix(f.Rule, "strength/") && f.Severity > policy.Notice {
							t.Errorf("found against %s%s", line, showFindings(fs))
						}
					}
				}
			}
			golden(t, filepath.Join("want", filepath.Base(dir)+".txt"), showFindings(fs))
		})
	}
	if held < 12 {
		t.Errorf("only %d lines were looked at", held)
	}
}

// TestStrongBases measures samples whose contracts say all that there is to say: nothing may escape.
func TestStrongBases(t *testing.T) {
	for _, name := range []string{"max-weak", "enum-option", "fib-recursive", "filter-positive", "tuple-divmod", "reverse-in-place", "stack-struct"} {
		t.Run(name, func(t *testing.T) {
			base := read(t, corpus, name, "base.rs")
			_, ss := subjects(t, base, base)
			measured := 0
			for _, r := range run(t, base, base, options, ss) {
				m := r.Strength().Head
				if m.NotApplicable != "" {
					continue
				}
				if m.Suite == nil {
					t.Errorf("%s: %s", r.Subject().Symbol, show(m))
					continue
				}
				measured++
				if all := m.Suite.All(); all.Escaped != 0 || all.Undecided != 0 || all.Rejected < 30 || m.Suite.Fates.Survived != 0 {
					t.Errorf("%s: %s", r.Subject().Symbol, show(m))
				}
			}
			if measured == 0 {
				t.Error("nothing was measured")
			}
		})
	}
}

// TestNoDelta measures changes that leave contracts and code as they are.
func TestNoDelta(t *testing.T) {
	for _, name := range []string{"format-only", "proof-only"} {
		base, head := read(t, corpus, name, "base.rs"), read(t, corpus, name, "head.rs")
		_, ss := subjects(t, base, head)
		measured := 0
		for _, r := range run(t, base, head, options, ss) {
			s := r.Strength()
			if s.Head.NotApplicable != "" {
				continue
			}
			measured++
			if !s.Comparable || s.Delta == nil || *s.Delta != 0 || len(s.Lost) != 0 || show(s.Base) != show(s.Head) {
				t.Errorf("%s: %s: comparable %t, base %s, head %s", name, r.Subject().Symbol, s.Comparable, show(s.Base), show(s.Head))
			}
		}
		if measured == 0 {
			t.Errorf("%s: nothing was measured", name)
		}
	}
}

// TestDeterministic measures one change with one and with several jobs.
func TestDeterministic(t *testing.T) {
	base, head := read(t, corpus, "stack-struct", "base.rs"), read(t, corpus, "stack-struct", "head.rs")
	var runs [2][]string
	for i, jobs := range []int{1, 4} {
		_, ss := subjects(t, base, head)
		o := options
		o.Jobs = jobs
		for _, r := range run(t, base, head, o, ss) {
			s := r.Strength()
			runs[i] = append(runs[i], r.Subject().Symbol, show(s.Base), show(s.Head), fmt.Sprint(s.Lost))
			for _, m := range []*checks.Measured{s.Base, s.Head} {
				if m.Suite != nil {
					runs[i] = append(runs[i], fmt.Sprint(m.Suite.Edits, m.Suite.Mutants, m.Suite.Escapes, m.Suite.Survivors, m.Suite.Clauses))
				}
			}
		}
	}
	if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
}

// TestSeed shows that another seed makes another suite, of the same function, with the same verdict on a strong contract.
func TestSeed(t *testing.T) {
	base := read(t, corpus, "max-weak", "base.rs")
	var shown []string
	for seed := range uint64(3) {
		_, ss := subjects(t, base, base)
		o := options
		o.Seed = seed
		for _, r := range run(t, base, base, o, ss) {
			m := r.Strength().Head
			shown = append(shown, show(m))
			if m.Suite == nil || m.Suite.All().Escaped != 0 {
				t.Errorf("seed %d: %s", seed, show(m))
			}
		}
	}
	if len(shown) != 3 {
		t.Fatalf("measured %d times", len(shown))
	}
}

package measure_test

import (
	"path/filepath"
	"testing"
)

// TestFunctions measures functions that each have a strong and a weak contract, which the verifier accepts.
func TestFunctions(t *testing.T) {
	dirs, err := filepath.Glob("../eval/testdata/functions/*")
	if err != nil || len(dirs) < 48 {
		t.Fatalf("%d functions, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			weak, strong := read(t, dir, "weak.rs"), read(t, dir, "strong.rs")
			_, ss := subjects(t, strong, weak)
			for _, r := range run(t, strong, weak, options, ss) {
				s := r.Strength()
				t.Logf("%s: comparable %t\nstrong: %s\nweak: %s", r.Subject().Symbol, s.Comparable, show(s.Base), show(s.Head))
			}
		})
	}
}

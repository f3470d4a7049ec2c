package registry_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
)

// goldens are the sample changes whose findings are compared as a whole, messages and places included: some of each family.
var goldens = []string{
	"corpus/assume-added", "corpus/axiom-added", "corpus/binary-search", "corpus/contradictory-requires", "corpus/exec-edit",
	"corpus/external-body", "corpus/fib-recursive", "corpus/filter-positive", "corpus/format-only", "corpus/generic-contains",
	"corpus/max-weak", "corpus/no-decreases", "corpus/outside-verus", "corpus/precondition-strengthened", "corpus/reverse-in-place",
	"corpus/stack-struct", "corpus/trivial-ensures", "corpus/tuple-divmod",
	"changes/assume-in-new-lemma", "changes/laundered-two-steps", "changes/build-changed-cfg", "changes/verification-off-forked-vstd", "changes/verification-off-vstd-by-workspace",
	"changes/solver-config-vstd-published", "changes/type-derive-added", "changes/exec-added-contracts", "changes/default-ensures-no-body", "changes/honest-admit-respelled", "changes/honest-assume-removed",
	"changes/trusted-body-edited", "changes/left-verification-deleted", "changes/external-on-impl", "changes/no-decreases-crate",
	"changes/verification-off-ci-continued-line", "changes/verification-off-member-dropped", "changes/verification-off-patched-vstd",
	"changes/solver-config-z3-path", "changes/solver-config-vstd-pin", "changes/toolchain-changed", "changes/policy-changed",
	"changes/exec-constant-return", "changes/signature-option-result", "changes/type-field-narrowed", "changes/drop-mem-forget",
	"changes/atomics-ordering-relaxed", "changes/unsafe-block-added",
	"changes/requires-or-to-and", "changes/requires-weakened", "changes/ensures-guarded", "changes/ensures-incomparable",
	"changes/ensures-direction-unknown", "changes/ensures-strengthened", "changes/ensures-to-recommends", "changes/default-ensures",
	"changes/incomparable-component", "changes/clause-redundant-implied", "changes/result-unconstrained-mut",
	"changes/self-comparison-new-state", "changes/spec-weakened-two-steps", "changes/spec-changed-const", "changes/spec-changed-view",
	"changes/opened-closed", "changes/made-uninterpreted-closed", "changes/decreases-removed-exec", "changes/opens-invariants-list",
	"changes/no-unwind-conditional", "changes/trait-ensures-weakened", "changes/assume-spec-trusts-more",
}

func TestGolden(t *testing.T) {
	for _, name := range goldens {
		t.Run(name, func(t *testing.T) {
			base, head := readChange(t, filepath.Join("../../testdata", name))
			if len(base)+len(head) == 0 {
				t.Fatal("no such sample change")
			}
			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(findings(t, input(t, base, head))); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", filepath.FromSlash(name)+".json"), buf.Bytes())
		})
	}
}

// TestDeterministic runs the rules twice over one change with findings of every family.
func TestDeterministic(t *testing.T) {
	base, head := readChange(t, "../../testdata/corpus/no-decreases")
	var runs [2][]byte
	for i := range runs {
		out, err := json.Marshal(findings(t, input(t, base, head)))
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = out
	}
	if !bytes.Equal(runs[0], runs[1]) {
		t.Errorf("two runs differ:\n%s\n%s", runs[0], runs[1])
	}
}

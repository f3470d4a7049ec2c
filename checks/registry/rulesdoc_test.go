package registry_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
)

// TestDocs keeps docs/rules.md as the rules' data says.
func TestDocs(t *testing.T) {
	golden(t, "../../docs/rules.md", []byte(document(t)))
}

var families = map[checks.Family]string{
	checks.Trust:    "What is believed without proof now that was not before. Sites are counted by function on both sides: moving, renaming or reformatting code fires nothing.",
	checks.Strength: "Which results, that a function never gives, its contract allows nevertheless. The function and edits of its body are compiled and run on inputs that its precondition allows, what they give is edited, and the contract is asked about each wrong result. See [strength.md](strength.md). These rules need rustc.",
	checks.Edit:     "What changed in the code that runs. Contracts and proofs are not executable code.",
	"policy":        "Waivers of the policy that do nothing. They belong to no family that `--only` can name, and run whenever the policy has waivers.",
	checks.Proof:    "Whether the code verifies, and what it costs.",
	checks.Contract: "What contracts promise and demand, compared with base. A contract is as strong as base's when base's precondition implies the new one, and base's precondition with the new promises implies the old promises. specgate decides this with a prover and a search of its own; what it says is certain, except where a message says \"as far as specgate can tell\".",
}

func document(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Rules

Written from the rules' data by ` + "`go test ./checks/registry -update`" + `. ` + "`specgate explain RULE`" + ` prints one of them. The examples are run by a test.

The severity is the one that applies where the policy says nothing. Where there are two, the second is that of some findings of the rule, and its text says of which. Under each rule stands what is posted on the check run, at the line, for its example: the
title, what happened, and what to do. A reviewer who sees nothing else should need nothing else.

| rule | severity | what it reports |
|---|---|---|
`)
	for _, r := range engine.Rules() {
		severity := r.Severity.String()
		for _, w := range r.Otherwise {
			severity += ", " + w.Severity.String()
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, strings.ReplaceAll(r.ID, "/", ""), severity, r.Purpose)
	}
	var family checks.Family
	for _, r := range engine.Rules() {
		if r.Family != family {
			family = r.Family
			fmt.Fprintf(&b, "\n## The family %s\n\n%s\n", family, families[family])
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s %s **What to do:** %s Default severity: %s.", r.ID, r.Purpose, r.Why, r.Remedy, r.Weights())
		if needs := r.Needs.String(); needs != "" {
			fmt.Fprintf(&b, " It needs: %s.", needs)
		}
		b.WriteString("\n")
		if r.Mirror != "" {
			fmt.Fprintf(&b, "The opposite change is reported by [%s](#%s).\n", r.Mirror, strings.ReplaceAll(r.Mirror, "/", ""))
		} else {
			fmt.Fprintf(&b, "No rule reports the opposite change: %s.\n", strings.ToLower(r.NoMirror[:1])+strings.TrimSuffix(r.NoMirror[1:], "."))
		}
		if r.Fires.Head != "" || r.Fires.Base != "" { // the rules about waivers have none
			fmt.Fprintf(&b, "\nThis change fires:\n\n```diff\n%s```\n\nThis one does not:\n\n```diff\n%s```\n", lineDiff(r.Fires), lineDiff(r.Quiet))
		}
		text, err := os.ReadFile(filepath.Join(annotations, filepath.FromSlash(r.ID)+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\nWhat is posted at the line:\n\n```text\n%s```\n", text)
	}
	return b.String()
}

// lineDiff shows both sides of an example as one text: lines of base only behind -, of head only behind +.
func lineDiff(e checks.Example) string {
	trim := func(s string) []string {
		s = strings.TrimPrefix(s, "use vstd::prelude::*;\n\n")
		return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	}
	a, b := trim(e.Base), trim(e.Head)
	// The longest common subsequence, by the usual table.
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	var out bytes.Buffer
	if e.File != "" {
		fmt.Fprintf(&out, "# %s\n", e.File)
	}
	line := func(sign, text string) { fmt.Fprintln(&out, strings.TrimRight(sign+text, " ")) }
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			line("  ", a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || n[i+1][j] >= n[i][j+1]):
			line("- ", a[i])
			i++
		default:
			line("+ ", b[j])
			j++
		}
	}
	return out.String()
}

package annotate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/specgate/specgate/internal/source"
)

// SpectestLine is what a contract says of one case.
type SpectestLine struct {
	// Case is the place of the case in the file's list, from 0.
	Case int `json:"case"`
	// Verdict is "rejected", "escaped" or "undecided".
	Verdict string `json:"verdict"`
	// By names what found it: "evaluator".
	By string `json:"by"`
	// Reason says why a case is undecided, or why one escapes whatever its result; else empty.
	Reason string `json:"reason"`
	// Clause is what rejects the result; nil if nothing does.
	Clause *SpectestClause `json:"clause"`
	// Call is the call as people write it, and Outcome what it gives; empty if the case could not be read.
	Call    string `json:"-"`
	Outcome string `json:"-"`
}

// SpectestClause is a clause of a contract as it is written.
type SpectestClause struct {
	// Kind is "ensures", "returns" or "type_invariant".
	Kind string       `json:"kind"`
	Text string       `json:"text"`
	File string       `json:"file"`
	Span source.Range `json:"span"`
}

// SpectestCounts counts the lines of one run by verdict.
type SpectestCounts struct {
	Rejected, Escaped, Undecided int
	// Outside are those of Escaped whose input does not meet requires; Unreadable those of Undecided that could not be read.
	Outside, Unreadable int
}

// SpectestJSON writes a line of JSON.
func SpectestJSON(w io.Writer, l SpectestLine) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	return nil
}

// Spectest writes a line for a person at a terminal.
func Spectest(w io.Writer, l SpectestLine, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	t := &text{o: o, width: narrow()}
	if l.Call != "" {
		t.printf("`%s` gives %s: ", escapeTerminal(l.Call), escapeTerminal(l.Outcome))
	} else {
		t.printf("case %d: ", l.Case)
	}
	switch l.Verdict {
	case "rejected":
		t.printf("%s", t.paint(green, l.Verdict))
	default:
		t.printf("%s", t.paint(yellow, l.Verdict))
	}
	if c := l.Clause; c != nil {
		written := strings.Join(strings.Fields(escapeTerminal(strings.ReplaceAll(c.Text, "\n", " "))), " ")
		t.printf(" by %s`%s` at %s", map[string]string{"type_invariant": "the type invariant "}[c.Kind], t.width.Truncate(written, o.Width, "…"), place(c.File, c.Span.Start))
	}
	if l.Reason != "" {
		t.printf(": %s", escapeTerminal(l.Reason))
	}
	t.out.WriteByte('\n')
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	return nil
}

// SpectestSummary writes the line of text behind all others.
func SpectestSummary(w io.Writer, c SpectestCounts) error {
	notes := func(n int, what string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf(" (%d %s)", n, what)
	}
	_, err := fmt.Fprintf(w, "%s: %d rejected, %d escaped%s, %d undecided%s\n", plural(c.Rejected+c.Escaped+c.Undecided, "case"), c.Rejected,
		c.Escaped, notes(c.Outside, "outside of requires"), c.Undecided, notes(c.Unreadable, "could not be read"))
	if err != nil {
		return fmt.Errorf("write verdicts: %w", err)
	}
	return nil
}

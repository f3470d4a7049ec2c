package annotate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
)

// Ledger writes the ledger for a person at a terminal: a line for each site, then how many there are of each kind.
func Ledger(w io.Writer, l *checks.Ledger, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	t := &text{o: o, width: narrow()}
	kinds := map[string]int{}
	widest := 0
	for _, s := range l.Sites {
		kinds[s.Kind]++
		widest = max(widest, t.width.StringWidth(s.Kind))
	}
	file := ""
	for _, s := range l.Sites {
		if s.File != file {
			file = s.File
			t.printf("%s\n", t.paint(bold, escapeTerminal(file)))
		}
		text := strings.Join(strings.Fields(escapeTerminal(s.Text)), " ")
		uncertain := ""
		if s.Uncertain {
			uncertain = t.paint(yellow, " (found in code that was not understood)")
		}
		t.printf("  %8s  %s%s  %s  %s%s\n", s.Span.Start, t.paint(yellow, s.Kind), strings.Repeat(" ", widest-t.width.StringWidth(s.Kind)),
			escapeTerminal(s.Symbol), t.paint(dim, t.width.Truncate(text, o.Width/2, "…")), uncertain)
	}
	if len(l.Sites) > 0 {
		t.out.WriteByte('\n')
	}
	for _, u := range l.Unparsed {
		t.printf("%s %s: %s\n", t.paint(yellow, "not understood"), place(u.File, u.Span.Start), escapeTerminal(u.Text))
	}
	var words []string
	for k := range kinds {
		words = append(words, k)
	}
	slices.SortFunc(words, func(a, b string) int {
		if kinds[a] != kinds[b] {
			return kinds[b] - kinds[a]
		}
		return strings.Compare(a, b)
	})
	for _, k := range words {
		t.printf("%6d  %s\n", kinds[k], k)
	}
	t.printf("%s in %s, %s, %s", plural(len(l.Sites), "trust site"), plural(l.Functions, "function"), plural(l.Files, "file"), plural(l.Lines, "line"))
	if n := len(l.Unparsed); n > 0 {
		t.printf("; %s not understood", plural(n, "place"))
	}
	t.out.WriteByte('\n')
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

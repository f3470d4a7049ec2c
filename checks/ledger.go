package checks

import (
	"cmp"
	"io"
	"slices"

	"github.com/specgate/specgate/internal/source"
)

// Ledger is all that one tree believes without proof. Its JSON never leaves a key out.
type Ledger struct {
	Schema   int   `json:"schema"`
	Specgate Build `json:"specgate"`
	// Files, Lines and Functions count the Rust sources that were read.
	Files     int `json:"files"`
	Lines     int `json:"lines"`
	Functions int `json:"functions"`
	// Sites by file and position.
	Sites []LedgerSite `json:"sites"`
	// Unparsed are the places that were not understood, by file and position. Trust sites in them were looked for by token only.
	Unparsed []Unparsed `json:"unparsed"`
}

// LedgerSite is a trust site with what carries it.
type LedgerSite struct {
	// Kind is the rule's name without its family.
	Kind string `json:"kind"`
	// Symbol is the function, item or scope that carries the site.
	Symbol string       `json:"symbol"`
	File   string       `json:"file"`
	Span   source.Range `json:"span"`
	Text   string       `json:"text"`
	// Uncertain says that the site was found by token, in code that was not understood.
	Uncertain bool `json:"uncertain"`
}

// Unparsed is a place that was not understood, or a whole file, whose span is then empty.
type Unparsed struct {
	File string       `json:"file"`
	Span source.Range `json:"span"`
	Text string       `json:"text"`
}

// Sort puts the ledger into its order, and drops sites that it has twice: one that holds for a scope is met at every function
// of it.
func (l *Ledger) Sort() {
	slices.SortFunc(l.Sites, func(a, b LedgerSite) int {
		return cmp.Or(cmp.Compare(a.File, b.File), comparePosition(a.Span.Start, b.Span.Start), comparePosition(a.Span.End, b.Span.End),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Text, b.Text))
	})
	l.Sites = slices.Compact(l.Sites)
	slices.SortFunc(l.Unparsed, func(a, b Unparsed) int {
		return cmp.Or(cmp.Compare(a.File, b.File), comparePosition(a.Span.Start, b.Span.Start), cmp.Compare(a.Text, b.Text))
	})
	l.Unparsed = slices.Compact(l.Unparsed)
}

// WriteJSON writes the ledger, indented, with a final line end.
func (l *Ledger) WriteJSON(w io.Writer) error {
	p := *l
	p.Sites, p.Unparsed = orEmpty(p.Sites), orEmpty(p.Unparsed)
	return writeJSON(w, "ledger", p)
}

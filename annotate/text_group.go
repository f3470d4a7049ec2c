package annotate

import "github.com/specgate/specgate/checks"

// maxAlone is the most findings of one cause that are shown one by one. A definition can change the meaning of hundreds of contracts.
const maxAlone = 3

// cause is what findings have in common that say the same of several functions.
type cause struct {
	rule, severity, message, detail string
}

// causeOf tells the cause of a finding whose detail says all that its place does not. Others stand alone: a case of their own, a waiver,
// or nothing but their place.
func causeOf(f *checks.Finding) (c cause, ok bool) {
	if f.Detail == "" || f.Witness != nil || f.Waived != nil {
		return cause{}, false
	}
	return cause{f.Rule, f.Severity.String(), f.Message, f.Detail}, true
}

// group shows findings of one cause as one: what changed once, and the functions that it is about, a line each.
func (t *text) group(fs []*checks.Finding) {
	first := fs[0]
	t.printf("%s %s: %s\n", t.head(first), t.paint(bold, plural(len(fs), "function")), escapeTerminal(first.Message))
	t.detail(first)
	for _, f := range fs {
		t.printf("  %s %s %s\n", t.paint(blue, "-->"), place(f.File, f.Span.Start), t.paint(bold, escapeTerminal(f.Symbol)))
	}
	t.remedy(first)
}

package annotate

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// Side is one of the two trees of a comparison.
type Side uint8

const (
	Base Side = iota + 1
	Head
)

// TextOptions say how a report is written for people.
type TextOptions struct {
	// Color writes ANSI colours.
	Color bool
	// Width of a line of source, in columns; longer ones are cut around the span. 0 means 120.
	Width int
	// Source gives the text of a file, or nil if it cannot be had; findings are then shown without their line.
	Source func(side Side, file string) *source.File
	// Remedy says what to do about a rule's findings; empty or nil: nothing is said.
	Remedy func(rule string) string
}

const defaultWidth = 120

// The most lines of a span that are shown, and how many of them at its end when it is longer.
const (
	maxLines  = 6
	tailLines = 2
)

// narrow measures without regard to the locale, so that the output is the same everywhere.
func narrow() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

type text struct {
	out   bytes.Buffer
	o     TextOptions
	width *runewidth.Condition
	told  map[string]bool // rules whose remedy has been said: once is enough
}

// Text writes the report for a person at a terminal.
func Text(w io.Writer, r *checks.Report, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	t := &text{o: o, width: narrow(), told: map[string]bool{}}
	t.findings(r)
	t.functions(r)
	t.summary(r)
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

type style string

const (
	bold   style = "1"
	red    style = "1;31"
	yellow style = "1;33"
	blue   style = "1;34"
	green  style = "1;32"
	dim    style = "2"
)

func (t *text) paint(s style, text string) string {
	if !t.o.Color || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func severityStyle(severity string) style {
	switch severity {
	case "error":
		return red
	case "warning":
		return yellow
	}
	return blue
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(&t.out, format, args...) }

func (t *text) findings(r *checks.Report) {
	alike := map[cause][]*checks.Finding{}
	for i := range r.Findings {
		if c, ok := causeOf(&r.Findings[i]); ok {
			alike[c] = append(alike[c], &r.Findings[i])
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if brief(f) {
			continue
		}
		if c, ok := causeOf(f); ok && len(alike[c]) > maxAlone {
			if alike[c][0] != f {
				continue
			}
			t.group(alike[c])
		} else {
			t.finding(f)
		}
		t.out.WriteByte('\n')
	}
	any := false
	for i := range r.Findings {
		if f := &r.Findings[i]; brief(f) {
			t.line(f)
			any = true
		}
	}
	if any {
		t.out.WriteByte('\n')
	}
}

// brief findings are for information: a line each is enough.
func brief(f *checks.Finding) bool { return f.Waived != nil || f.Severity.String() == "notice" }

func (t *text) head(f *checks.Finding) string {
	severity := f.Severity.String()
	return t.paint(severityStyle(severity), severity+"["+escapeTerminal(f.Rule)+"]")
}

func (t *text) line(f *checks.Finding) {
	t.printf("%s %s %s: %s", t.head(f), place(f.File, f.Span.Start), escapeTerminal(f.Symbol), escapeTerminal(f.Message))
	if f.Waived != nil {
		t.printf(" %s", t.paint(dim, "(waived by "+escapeTerminal(f.Waived.ID)+")"))
	}
	t.out.WriteByte('\n')
}

func (t *text) finding(f *checks.Finding) {
	t.printf("%s %s: %s\n", t.head(f), t.paint(bold, escapeTerminal(f.Symbol)), escapeTerminal(f.Message))
	t.excerpt(Head, "-->", f.File, f.Span, severityStyle(f.Severity.String()))
	t.was(f)
	t.detail(f)
	if f.Witness != nil {
		t.printf("  %s %s\n", t.paint(bold, "for example:"), escapeTerminal(witness(f)))
	}
	t.remedy(f)
}

func (t *text) detail(f *checks.Finding) {
	if f.Detail == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimRight(f.Detail, "\n"), "\n") {
		t.printf("    %s\n", escapeTerminal(line))
	}
}

// remedy says what to do about the findings of a rule, the first time.
func (t *text) remedy(f *checks.Finding) {
	if t.o.Remedy == nil || t.told[f.Rule] {
		return
	}
	t.told[f.Rule] = true
	if remedy := t.o.Remedy(f.Rule); remedy != "" {
		t.printf("  %s %s\n", t.paint(green, "to do:"), escapeTerminal(remedy))
	}
}

// was shows the place in the base, unless it would say the same again.
func (t *text) was(f *checks.Finding) {
	if f.Base == nil {
		return
	}
	if head, base := t.lines(Head, f.File, f.Span), t.lines(Base, f.Base.File, f.Base.Span); head != nil && bytes.Equal(head, base) {
		if f.File != f.Base.File || f.Span.Start.Line != f.Base.Span.Start.Line {
			t.printf("  %s %s, the same\n", t.paint(blue, "was"), place(f.Base.File, f.Base.Span.Start))
		}
		return
	}
	t.excerpt(Base, "was", f.Base.File, f.Base.Span, dim)
}

// maxSame is the most lines that are compared to tell whether base and head say the same.
const maxSame = 200

// lines are the lines of a span, as one text; nil if they cannot be had or are too many. Of a long line it is what stands near the span.
func (t *text) lines(side Side, file string, span source.Range) []byte {
	if t.o.Source == nil || span.Start == span.End {
		return nil
	}
	src := t.o.Source(side, file)
	if src == nil {
		return nil
	}
	if span.Start.Line == span.End.Line {
		line, _, _ := near(src.Line(span.Start.Line), span.Start.Column-1, span.End.Column-1, 4*t.o.Width)
		return []byte(line)
	}
	if span.End.Line-span.Start.Line > maxSame {
		return nil
	}
	out := []byte{}
	for n := span.Start.Line; n <= span.End.Line; n++ {
		out = append(append(out, src.Line(n)...), '\n')
	}
	return out
}

func place(file string, p source.Position) string {
	return escapeTerminal(file) + ":" + p.String()
}

// excerpt shows a place with its line of source. A span of nothing has no line to show.
func (t *text) excerpt(side Side, arrow, file string, span source.Range, mark style) {
	t.printf("  %s %s\n", t.paint(blue, arrow), place(file, span.Start))
	if span.Start == span.End || t.o.Source == nil {
		return
	}
	src := t.o.Source(side, file)
	if src == nil {
		return
	}
	first, last := span.Start.Line, span.End.Line
	if last > first && span.End.Column == 1 {
		last--
	}
	gutter := len(fmt.Sprint(last))
	if first == last {
		shown, pad, width := t.cut(src.Line(first), span.Start.Column-1, span.End.Column-1)
		t.printf("  %s %s\n", t.paint(blue, fmt.Sprintf("%*d |", gutter, first)), shown)
		t.printf("  %s %s%s\n", t.paint(blue, fmt.Sprintf("%*s |", gutter, "")), strings.Repeat(" ", pad), t.paint(mark, strings.Repeat("^", width)))
		return
	}
	for n := first; n <= last; n++ {
		if last-first+1 > maxLines && n == first+maxLines-tailLines-1 {
			skipped := last - tailLines - n + 1
			t.printf("  %s %s\n", t.paint(blue, fmt.Sprintf("%*s |", gutter, "")), t.paint(dim, fmt.Sprintf("… %d more lines", skipped)))
			n = last - tailLines
			continue
		}
		shown, _, _ := t.cut(src.Line(n), 0, 0)
		t.printf("  %s%s %s\n", t.paint(blue, fmt.Sprintf("%*d |", gutter, n)), t.paint(mark, ">"), shown)
	}
}

// cut gives a line as it is shown, and where its marks stand: columns before them, and their number. start and end are byte
// offsets in the line. A line that is too wide is cut on both sides of the span, which itself may be cut at its end.
func (t *text) cut(whole []byte, start, end int) (shown string, pad, width int) {
	line, start, end := near(whole, start, end, 4*t.o.Width) // a character has four bytes at most
	before, span, after := escapeTerminal(line[:start]), escapeTerminal(line[start:end]), escapeTerminal(line[end:])
	room := t.o.Width
	const dots = "…"
	if t.width.StringWidth(before)+t.width.StringWidth(span)+t.width.StringWidth(after) > room {
		// A third of the room goes to what stands before the span, what is left over to what stands after it.
		if w := t.width.StringWidth(before); w > room/3 {
			before = dots + t.width.TruncateLeft(before, w-room/3+1, "")
		}
		rest := room - t.width.StringWidth(before)
		span = t.width.Truncate(span, rest, dots)
		after = t.width.Truncate(after, max(rest-t.width.StringWidth(span), 0), dots)
	}
	return strings.TrimRight(before+span+after, " "), t.width.StringWidth(before), max(t.width.StringWidth(span), 1)
}

// near leaves out what stands more than so many bytes before, in or behind a span, before it is escaped and measured: a hostile file
// may have megabytes in one line and a finding at every word of it.
func near(text []byte, start, end, most int) (line string, from, to int) {
	start = min(max(start, 0), len(text))
	end = min(max(end, start), len(text))
	first := max(start-most, 0)
	for first > 0 && first < start && !utf8.RuneStart(text[first]) {
		first++
	}
	last := min(end, start+most)
	last = min(last+most, len(text))
	for last > start && last < len(text) && !utf8.RuneStart(text[last]) {
		last--
	}
	return string(text[first:last]), start - first, min(end, last) - first
}

// functions prints a table of the functions that the change touched.
func (t *text) functions(r *checks.Report) {
	if len(r.Functions) == 0 {
		return
	}
	measured := slices.ContainsFunc(r.Functions, func(f checks.Function) bool { return f.Strength.Base != nil || f.Strength.Head != nil })
	row := func(strength string, cells ...string) []string {
		if measured {
			cells = slices.Insert(cells, len(cells)-2, strength)
		}
		return cells
	}
	rows := [][]string{row("strength", "change", "executable", "contract", "trust", "function", "place")}
	for _, f := range r.Functions {
		rows = append(rows, row(strength(f.Strength), f.Change, f.Executable, f.Contract.Direction,
			fmt.Sprintf("+%d -%d", len(f.Trust.Added), len(f.Trust.Removed)),
			escapeTerminal(f.Symbol), place(f.File, f.Span.Start)))
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], t.width.StringWidth(row[i]))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-t.width.StringWidth(cell)+2)
			switch {
			case n == 0:
				cell = t.paint(bold, cell)
			case i == len(row)-1:
				cell = t.paint(dim, cell)
			}
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(padding)
			}
		}
		t.printf("%s\n", line.String())
	}
	t.out.WriteByte('\n')
}

// strength is what was measured of a function's contract, and how it differs from base's: "0.64 (-0.36)". Where base was asked about other spectests, or
// does not have the function, there is no difference.
func strength(s checks.FunctionStrength) string {
	if s.Head == nil || s.Head.Value == nil {
		return "-"
	}
	text := share(*s.Head.Value)
	if s.Head.Label == "proved" {
		text += " proved"
	}
	if s.Delta != nil {
		text += fmt.Sprintf(" (%s)", difference(*s.Delta))
	}
	return text
}

// share writes a number in [0, 1], cut and not rounded: one that is less than 1 is not written as 1, which means that nothing escapes.
func share(v float64) string {
	return fmt.Sprintf("%.2f", math.Floor(v*100+1e-9)/100)
}

func difference(d float64) string {
	switch {
	case d == 0:
		return "+0.00"
	case d > 0:
		return "+" + share(d)
	}
	return "-" + share(min(-d+0.0099, 1)) // away from 0, as what is left is cut
}

func (t *text) summary(r *checks.Report) {
	proof := false
	for _, reason := range r.Reasons {
		t.printf("%s %s\n", t.paint(yellow, "not checked ("+escapeTerminal(reason.Stage)+"):"), escapeTerminal(reason.Text))
		proof = proof || reason.Stage == string(checks.Proof)
	}
	if r.Tools.Verus == nil && !proof {
		t.printf("%s\n", t.paint(yellow, "Nothing was proved: no verifier was run."))
	}
	if r.Tools.Verus != nil {
		if c := r.Counts; c.Selected > c.Skipped {
			t.printf("The verifier proved %d of %s that the change touches.\n", c.Proved, plural(c.Selected-c.Skipped, "function"))
		}
		switch c := r.Tools.Verus.Cached; {
		case c.Base && c.Head:
			t.printf("What the verifier said of base and head is from the cache.\n")
		case c.Base:
			t.printf("What the verifier said of base is from the cache.\n")
		case c.Head:
			t.printf("What the verifier said of head is from the cache.\n")
		}
	}
	if s := r.Tools.Sandbox; s != nil {
		t.printf("What runs code of the change %s.\n", escapeTerminal(s.Statement))
	}
	if r.Simulation != nil {
		t.simulation(r.Simulation, false)
	}
	changed := 0
	for _, f := range r.Functions {
		if f.Change != "same" { // that only a finding is about
			changed++
		}
	}
	t.printf("%s in %s between %s and %s\n", findingCounts(r.Findings), plural(changed, "changed function"), revision(r.Base.Rev), revision(r.Head.Rev))
	outcome := r.Outcome.String()
	s := red
	switch r.Outcome {
	case checks.OutcomePass:
		s = green
	case checks.OutcomeInconclusive:
		s = yellow
	}
	t.printf("outcome: %s\n", t.paint(s, outcome))
}

// findingCounts says how many findings of each severity there are: "1 error, 2 warnings, 0 notices, 1 waived".
func findingCounts(fs []checks.Finding) string {
	counts, waived := map[string]int{}, 0
	for _, f := range fs {
		if f.Waived != nil {
			waived++
			continue
		}
		counts[f.Severity.String()]++
	}
	text := fmt.Sprintf("%s, %s, %s", plural(counts["error"], "error"), plural(counts["warning"], "warning"), plural(counts["notice"], "notice"))
	if waived > 0 {
		text += fmt.Sprintf(", %d waived", waived)
	}
	return text
}

// revision shortens what is a whole object id.
func revision(rev string) string {
	const short = 12
	if (len(rev) == 40 || len(rev) == 64) && strings.Trim(rev, "0123456789abcdef") == "" {
		return rev[:short]
	}
	return escapeTerminal(rev)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

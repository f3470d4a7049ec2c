package annotate

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// htmlExcerpt is some lines of one side, with a span marked.
type htmlExcerpt struct {
	Side, Place string
	Lines       []htmlLine
}

// htmlLine is a line of source: the span's part of it is Marked. Sign is "+" or "−" where the other side has no such line. A line with a
// Gap stands for so many that are left out.
type htmlLine struct {
	Number                int
	Sign, Class           string
	Before, Marked, After string
	Gap                   int
}

const (
	contextLines  = 4   // around a span, unless a blank line comes first
	functionLines = 400 // of a function, compared with the other side
	wholeLines    = 32  // of a function that is shown as a whole
	shownLines    = 40  // of one excerpt
	tallSpan      = 16  // lines of a span, from which on its middle is left out
	lineBytes     = 240 // before, in and behind a span
	nearChange    = 2   // lines around one that differs
)

// excerpts shows a finding's place in head and, where it says something else, in base; same is the place in base where it does not.
func (p *pageMaker) excerpts(f *checks.Finding) (head, base *htmlExcerpt, same string) {
	h := p.around(Head, f.File, f.Span, f.Symbol)
	if f.Base == nil {
		return h.excerpt("head"), nil, ""
	}
	b := p.around(Base, f.Base.File, f.Base.Span, f.Symbol)
	switch {
	case b == nil:
		return h.excerpt("head"), nil, ""
	case h == nil:
		return nil, b.excerpt("base"), ""
	case slices.EqualFunc(h.lines, b.lines, bytes.Equal) && h.text() == b.text():
		return h.excerpt("head"), nil, b.place
	}
	if h.whole && b.whole {
		compare(b, h)
	}
	return h.excerpt("head"), b.excerpt("base"), ""
}

// compare marks the lines of two regions that the other one does not have, and those beside which the other one has more.
func compare(a, b *htmlRegion) {
	a.own, b.own = make([]bool, len(a.lines)), make([]bool, len(b.lines))
	for i := range a.own {
		a.own[i] = true
	}
	for i := range b.own {
		b.own[i] = true
	}
	lastA, lastB := -1, -1
	for _, c := range append(commonLines(a.lines, b.lines), [2]int{len(a.lines), len(b.lines)}) {
		if c[0]-lastA > 1 || c[1]-lastB > 1 { // something is different in between
			a.near, b.near = append(a.near, lastA, c[0]), append(b.near, lastB, c[1])
		}
		if c[0] < len(a.lines) {
			a.own[c[0]], b.own[c[1]] = false, false
		}
		lastA, lastB = c[0], c[1]
	}
	if len(a.lines) > wholeLines || len(b.lines) > wholeLines {
		a.long, b.long = true, true
	}
}

// htmlRegion is the lines of a place with their surroundings.
type htmlRegion struct {
	place string
	first int // number of lines[0]
	lines [][]byte
	span  source.Range
	whole bool // the lines are those of a function from its name to its end
	long  bool // some lines are left out

	own  []bool // lines that the other side does not have; nil: the sides were not compared
	near []int  // indexes of lines beside which the other side has something else
}

// around is nil when there is nothing to show: a span of nothing, or a file that cannot be had.
func (p *pageMaker) around(side Side, file string, span source.Range, symbol string) *htmlRegion {
	if p.o.Source == nil || span.Start == span.End {
		return nil
	}
	src := p.o.Source(side, file)
	if src == nil || span.Start.Line < 1 || span.Start.Line > src.Lines() {
		return nil
	}
	last := min(max(span.End.Line, span.Start.Line), src.Lines())
	if last > span.Start.Line && span.End.Column == 1 {
		last--
	}
	r := &htmlRegion{place: htmlPlace(file, span.Start), span: source.Range{Start: span.Start, End: source.Position{Line: last, Column: span.End.Column}}}
	if last != span.End.Line {
		r.span.End.Column = len(src.Line(last)) + 1
	}
	first := span.Start.Line
	if start := functionStart(src, first, symbol); start > 0 {
		if end := functionEnd(src, start); end >= last {
			first, last, r.whole = start, end, true
		}
	}
	if !r.whole {
		for n := 0; n < contextLines && first > 1 && !blank(src.Line(first-1)); n++ {
			first--
		}
		for n := 0; n < contextLines && last < src.Lines() && !blank(src.Line(last+1)); n++ {
			last++
		}
	}
	r.first = first
	for n := first; n <= last; n++ {
		if n-first > 2*functionLines && n < last-tallSpan { // only the ends of a tall span are shown
			r.lines = append(r.lines, nil)
			continue
		}
		r.lines = append(r.lines, src.Line(n))
	}
	return r
}

// text is what the span covers, as far as it is on its first line.
func (r *htmlRegion) text() string {
	line := r.lines[r.span.Start.Line-r.first]
	start := min(max(r.span.Start.Column-1, 0), len(line))
	end := len(line)
	if r.span.End.Line == r.span.Start.Line {
		end = min(max(r.span.End.Column-1, start), len(line))
	}
	return string(line[start:end])
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// functionStart finds the line with the name of the function with that symbol, upwards from a line; 0: there is none near.
func functionStart(src *source.File, line int, symbol string) int {
	name := []byte(symbol[strings.LastIndexByte(symbol, ':')+1:])
	if len(name) == 0 {
		return 0
	}
	for n := line; n >= 1 && n > line-functionLines; n-- {
		if namesFunction(src.Line(n), name) {
			return n
		}
	}
	return 0
}

// namesFunction tells whether a line begins a function of that name.
func namesFunction(line, name []byte) bool {
	before, rest, ok := bytes.Cut(line, []byte("fn "))
	if r, _ := utf8.DecodeLastRune(before); !ok || len(before) > 0 && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return false
	}
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " "), name)
	r, _ := utf8.DecodeRune(rest)
	return ok && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// itemStarts are what a line begins with that is no part of the function before it.
var itemStarts = []string{"pub ", "fn ", "proof fn ", "spec fn ", "open spec fn ", "closed spec fn ", "broadcast ", "impl", "struct ", "enum ", "mod ", "trait ", "#["}

// functionEnd finds the last line of the function whose name is in a line, by the layout that rustfmt and verusfmt give: it is the first one
// that begins with a brace which closes, no deeper than the function itself. 0: there is none near.
func functionEnd(src *source.File, first int) int {
	depth := indent(src.Line(first))
	if line := bytes.TrimSpace(src.Line(first)); bytes.HasSuffix(line, []byte("}")) || bytes.HasSuffix(line, []byte(";")) {
		return first
	}
	for n := first + 1; n <= src.Lines() && n < first+functionLines; n++ {
		line := src.Line(n)
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) == 0 || indent(line) > depth {
			continue
		}
		switch {
		case trimmed[0] == '}':
			return n
		case slices.ContainsFunc(itemStarts, func(word string) bool { return bytes.HasPrefix(trimmed, []byte(word)) }):
			return 0
		}
	}
	return 0
}

func indent(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// commonLines pairs lines of a and b that are the same, in order, as many as there are.
func commonLines(a, b [][]byte) [][2]int {
	most := make([][]int, len(a)+1)
	for i := range most {
		most[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if bytes.Equal(a[i], b[j]) {
				most[i][j] = most[i+1][j+1] + 1
			} else {
				most[i][j] = max(most[i+1][j], most[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case bytes.Equal(a[i], b[j]):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case most[i+1][j] >= most[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// excerpt writes a region.
func (r *htmlRegion) excerpt(side string) *htmlExcerpt {
	if r == nil {
		return nil
	}
	out := &htmlExcerpt{Side: side, Place: r.place}
	keep := r.keep()
	gap := 0
	for i, line := range r.lines {
		if !keep[i] {
			gap++
			continue
		}
		if gap > 0 {
			out.Lines = append(out.Lines, htmlLine{Gap: gap})
			gap = 0
		}
		n := r.first + i
		start, end := 0, 0
		if n >= r.span.Start.Line && n <= r.span.End.Line {
			start, end = len(line)-len(bytes.TrimLeft(line, " \t")), len(line)
			if n == r.span.Start.Line {
				start = r.span.Start.Column - 1
			}
			if n == r.span.End.Line {
				end = r.span.End.Column - 1
			}
		}
		shown := markLine(line, start, end)
		shown.Number = n
		if r.own != nil && r.own[i] {
			shown.Sign, shown.Class = "+", "add"
			if side == "base" {
				shown.Sign, shown.Class = "−", "del"
			}
		}
		out.Lines = append(out.Lines, shown)
	}
	if gap > 0 {
		out.Lines = append(out.Lines, htmlLine{Gap: gap})
	}
	return out
}

// keep chooses the lines that are shown: all of them if they are few; else the first, the span, what differs, and what is near.
func (r *htmlRegion) keep() []bool {
	keep := make([]bool, len(r.lines))
	if !r.long && len(r.lines) <= wholeLines {
		for i := range keep {
			keep[i] = true
		}
		return keep
	}
	left := shownLines
	take := func(from, to int) {
		for i := max(from, 0); i <= min(to, len(keep)-1); i++ {
			if !keep[i] && left > 0 {
				keep[i] = true
				left--
			}
		}
	}
	take(0, 0)
	first, last := r.span.Start.Line-r.first, r.span.End.Line-r.first
	if last-first < tallSpan {
		take(first, last)
	} else {
		take(first, first+tallSpan-tailLines-1)
		take(last-tailLines+1, last)
	}
	for i, own := range r.own {
		if own {
			take(i, i)
		}
	}
	for _, i := range r.near {
		take(i-nearChange+1, i+nearChange-1)
	}
	take(first-contextLines, first)
	take(last, last+contextLines)
	return keep
}

// markLine splits a line at a span, and leaves out what is far from it.
func markLine(whole []byte, start, end int) htmlLine {
	line, from, to := near(whole, start, end, lineBytes)
	before, marked, after := visible(line[:from]), visible(line[from:to]), visible(line[to:])
	start = min(max(start, 0), len(whole))
	if start > from {
		before = "…" + before
	}
	if start-from+len(line) < len(whole) {
		after += "…"
	}
	return htmlLine{Before: before, Marked: marked, After: after}
}

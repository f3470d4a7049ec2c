// Package mutate makes mutants of functions: copies with one small edit of the executable body.
//
// Ghost code is never edited, nor the contract, the signature, patterns, what the compiler evaluates (array lengths, const blocks),
// nested items, and the input of macros that are not understood. Types are known as far as the syntax shows them, so some
// mutants do not compile: whoever compiles them drops those.
package mutate

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// DefaultMax is the number of mutants of a function when Options does not say.
const DefaultMax = 60

// Bounds on work for code that is written to be slow.
const (
	maxFunction = 256 << 10 // bytes of a function that has mutants
	maxEdit     = 8 << 10   // bytes that an edit replaces, or puts in their place
	maxRead     = 16 << 20  // bytes of mutants that are read to see whether they differ
)

// Options of Mutants.
type Options struct {
	// Max is the largest number of mutants; 0 means DefaultMax, a negative number no limit.
	Max int
	// Seed decides between mutants that are as good as one another.
	Seed uint64
}

// Result is what Mutants makes of a function.
type Result struct {
	// Mutants in the order of their places in the source.
	Mutants []Mutant
	// Generated is the number of edits that the operators offer: before the budget, and before those that change nothing or are the
	// same as others are dropped.
	Generated int
	// Opaque is the number of calls of macros in the body whose input was not edited, because it is not understood.
	Opaque int
	// Reason says why the function has no mutants at all; empty if it can have some.
	Reason string

	frame *frame // nil if there is a Reason
}

// Mutant is a function with one edit of its body. The zero Mutant is the function as it is.
type Mutant struct {
	// ID is unique in the function: the operator, the place counted in executable tokens of the body, and a number if
	// there are several: "relational:12.2". It stays the same when layout, comments, ghost code or code elsewhere change.
	ID       string
	Operator Operator
	// Span of the text that is replaced, in the function's file; empty for an insertion.
	Span        source.Span
	Replacement string
	// Line, from 1, of the first character that differs.
	Line int
}

// Text is the body of the function with the edit made.
func (m Mutant) Text(f *model.Function) []byte {
	return m.apply(f.File.Syntax.Source.Text, f.Node.Get(syntax.FBody).Span())
}

// apply is the text of a span with the edit made, if it lies inside.
func (m Mutant) apply(src []byte, s source.Span) []byte {
	if m.Operator == 0 || m.Span.Start < s.Start || m.Span.End > s.End {
		return slices.Clone(src[s.Start:s.End])
	}
	return slices.Concat(src[s.Start:m.Span.Start], []byte(m.Replacement), src[m.Span.End:s.End])
}

// Diff shows the edit as the lines that it removes, behind "-", and adds, behind "+", without their common indentation. Lines
// between them that stay are left out.
func (m Mutant) Diff(f *model.Function) string {
	src := f.File.Syntax.Source.Text
	from := bytes.LastIndexByte(src[:m.Span.Start], '\n') + 1
	to := len(src)
	if i := bytes.IndexByte(src[m.Span.End:], '\n'); i >= 0 {
		to = m.Span.End + i
	}
	lines := source.Span{Start: from, End: to}
	before, after := strings.Split(string(src[from:to]), "\n"), strings.Split(string(m.apply(src, lines)), "\n")
	for len(before) > 1 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 1 && len(after) > 1 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	indent := -1
	for _, l := range slices.Concat(before, after) {
		if rest := strings.TrimLeft(l, " \t"); rest != "" && (indent < 0 || len(l)-len(rest) < indent) {
			indent = len(l) - len(rest)
		}
	}
	var b strings.Builder
	show := func(sign byte, lines []string) {
		for _, l := range lines {
			if strings.TrimSpace(l) != "" {
				fmt.Fprintf(&b, "%c%s\n", sign, l[max(indent, 0):])
			}
		}
	}
	if len(before) != len(after) {
		show('-', before)
		show('+', after)
		return b.String()
	}
	for i := 0; i < len(before); {
		n := 0
		for i+n < len(before) && before[i+n] != after[i+n] {
			n++
		}
		show('-', before[i:i+n])
		show('+', after[i:i+n])
		i += max(n, 1)
	}
	return b.String()
}

// Mutants are mutants of a function, each of them with other executable code than the function and than every other mutant. They
// are spread over the lines of the body: no line has a second one before every line with any edit has one; then over the operators. The choice
// depends on the function's own text, the options and on what its names mean alone.
func Mutants(f *model.Function, opts Options) Result {
	fr, reason := newFrame(f)
	if reason != "" {
		return Result{Reason: reason}
	}
	w := walk(f)
	r := Result{Generated: len(w.edits), Opaque: w.opaque, frame: fr}
	limit := cmp.Or(opts.Max, DefaultMax)
	if limit < 0 {
		limit = len(w.edits)
	}
	seen := map[string]bool{fr.exec: true}
	next := newPicker(w.identified(), opts.Seed)
	size := len(fr.prefix) + f.Span.End - f.Span.Start + len(fr.suffix)
	for read := 0; len(r.Mutants) < limit && read < maxRead; read += size {
		m, ok := next.pick()
		if !ok {
			break
		}
		text, ok := fr.execOf(m)
		if !ok || seen[text] {
			continue
		}
		seen[text] = true
		next.took()
		r.Mutants = append(r.Mutants, m)
	}
	slices.SortFunc(r.Mutants, byPlace)
	return r
}

func byPlace(a, b Mutant) int {
	return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End), cmp.Compare(a.Operator, b.Operator),
		cmp.Compare(a.Replacement, b.Replacement))
}

// picker chooses mutants line by line.
type picker struct {
	lines [][]ranked // by line, those left; in the order in which lines have their turn
	turn  int
	tried [operatorCount]int
}

type ranked struct {
	m    Mutant
	rank uint64
}

func newPicker(all []Mutant, seed uint64) *picker {
	byLine := map[int][]ranked{}
	for _, m := range all {
		byLine[m.Line] = append(byLine[m.Line], ranked{m, rankOf(m, seed)})
	}
	p := &picker{}
	for _, line := range byLine {
		slices.SortFunc(line, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.m.ID, b.m.ID)) })
		p.lines = append(p.lines, line)
	}
	slices.SortFunc(p.lines, func(a, b []ranked) int {
		return cmp.Or(cmp.Compare(a[0].rank, b[0].rank), strings.Compare(a[0].m.ID, b[0].m.ID))
	})
	return p
}

// rankOf is a number that a mutant has by its ID and the seed.
func rankOf(m Mutant, seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, m.ID)
	// FNV leaves the last characters in the low bits; mix them into the high ones, which decide.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// pick takes the next mutant away: of those on the line, one of the operators tried least. The line keeps its turn until one of its
// mutants is taken.
func (p *picker) pick() (Mutant, bool) {
	for len(p.lines) > 0 {
		p.turn %= len(p.lines)
		line := p.lines[p.turn]
		if len(line) == 0 {
			p.lines = slices.Delete(p.lines, p.turn, p.turn+1)
			continue
		}
		best := 0
		for i, c := range line {
			if p.tried[c.m.Operator] < p.tried[line[best].m.Operator] {
				best = i
			}
		}
		m := line[best].m
		p.lines[p.turn] = slices.Delete(line, best, best+1)
		p.tried[m.Operator]++
		return m, true
	}
	return Mutant{}, false
}

// took says that the mutant picked last is used.
func (p *picker) took() { p.turn++ }

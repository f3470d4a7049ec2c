package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// keptFormat grows when Strength tells other things, or they are written in another way.
const keptFormat = "specgate strength 2"

// kept is the strength of a subject as it is written down: what stands in a report, and nothing that depends on the rest of the change.
type kept struct {
	Format     string
	Base, Head *keptSide
	Comparable bool
	Delta      *float64
	Lost       []checks.Escape
	// Open is how many spectests of head are undecided.
	Open int
}

type keptSide struct {
	// Start and Line are where the text of the function began, as an offset and a line.
	Start, Line                     int
	NotApplicable, Unmeasured, Void string
	Ran                             bool
	Refuted                         *keptRefutation
	Suite                           *checks.Spectests
}

type keptRefutation struct {
	Escape checks.Escape
	Clause string
	File   string
	Span   source.Span
}

// Unsettled says why a result may come out otherwise another time, with the same sources, compiler and options; empty if it cannot, as far as
// the code that was run does not depend on anything else.
func (r *Result) Unsettled() string {
	switch {
	case r.strength != nil:
		return ""
	case r.panicked != "":
		return "specgate failed"
	}
	for _, s := range []*sided{r.base, r.head} {
		switch {
		case s == nil:
		case s.unmeasured == r.o.slow():
			return s.unmeasured
		case s.ran != nil && s.ran.Unsettled != "":
			return s.ran.Unsettled
		case s.ran != nil && !s.ran.Compiled:
			return s.ran.Unmeasured
		case len(s.given) > 0 || len(s.side.Given) > 0:
			return "cases of the repository are part of the suite"
		}
	}
	return ""
}

// Ran tells whether the function was run, on one side at least.
func (r *Result) Ran() bool {
	p := r.Strength()
	return p.Base != nil && p.Base.Ran || p.Head != nil && p.Head.Ran
}

// Keep writes the strength down. Not ok: it would not be read as the same. own tells that all places in it are in the function's own text, so that it can be
// restored when only that moved, with all of its lines.
func (r *Result) Keep() (_ []byte, own, ok bool) {
	p := r.Strength()
	k := kept{Format: keptFormat, Base: keep(p.Base), Head: keep(p.Head), Comparable: p.Comparable, Delta: p.Delta, Lost: p.Lost}
	if o := r.Open(false, 1); o != nil {
		k.Open = len(o.Cases)
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil, false, false
	}
	var again kept
	// A text that is no UTF-8 comes back as another.
	return data, ownPlaces(p.Base) && ownPlaces(p.Head), json.Unmarshal(data, &again) == nil && reflect.DeepEqual(k, again)
}

// ownPlaces tells that a side names no place outside of its function.
func ownPlaces(m *checks.Measured) bool {
	if m == nil {
		return true
	}
	f := m.Function
	if x := m.Refuted; x != nil && x.File != nil && (x.File.Path != f.File.Path || x.Span.Start < f.Span.Start || x.Span.End > f.Span.End) {
		return false
	}
	if m.Suite == nil {
		return true
	}
	at := f.File.Syntax.Source.Range(f.Span)
	before := func(a, b source.Position) bool { return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column }
	return !slices.ContainsFunc(m.Suite.Clauses, func(c checks.ClauseUse) bool {
		return c.File != f.File.Path || before(c.Span.Start, at.Start) || before(at.End, c.Span.End)
	})
}

func keep(m *checks.Measured) *keptSide {
	if m == nil {
		return nil
	}
	f := m.Function
	k := &keptSide{Start: f.Span.Start, Line: f.File.Syntax.Source.Position(f.Span.Start).Line, NotApplicable: m.NotApplicable, Unmeasured: m.Unmeasured, Void: m.Void, Ran: m.Ran, Suite: m.Suite}
	if x := m.Refuted; x != nil {
		k.Refuted = &keptRefutation{Escape: x.Escape, Clause: x.Clause, Span: x.Span}
		if x.File != nil {
			k.Refuted.File = x.File.Path
		}
	}
	return k
}

// Restore reads what Keep wrote for the same subject. file gives the text of a file of base, or of head; nil if there is none. decide says that
// what is undecided is put to the verifier: what has such spectests is then an error, as they are not written down.
func Restore(s *Subject, data []byte, decide bool, file func(base bool, path string) *source.File) (*Result, error) {
	var k kept
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&k); err != nil {
		return nil, fmt.Errorf("read a strength that was kept: %w", err)
	}
	if k.Format != keptFormat || d.More() {
		return nil, errors.New("read a strength that was kept: it is of another format")
	}
	if decide && k.Open > 0 {
		return nil, fmt.Errorf("read a strength that was kept: %d spectests are undecided", k.Open)
	}
	out := &checks.StrengthPair{Pair: s.Pair, Comparable: k.Comparable, Delta: k.Delta, Unchanged: s.Unchanged, Lost: k.Lost}
	var err error
	if out.Base, err = restore(k.Base, s.Base, func(p string) *source.File { return file(true, p) }); err != nil {
		return nil, err
	}
	if out.Head, err = restore(k.Head, s.Head, func(p string) *source.File { return file(false, p) }); err != nil {
		return nil, err
	}
	return &Result{subject: s, strength: out}, nil
}

func restore(k *keptSide, s *Side, file func(path string) *source.File) (*checks.Measured, error) {
	if (k == nil) != (s == nil) {
		return nil, errors.New("read a strength that was kept: it is of other sides")
	}
	if k == nil {
		return nil, nil
	}
	f := s.Function
	down, on := f.File.Syntax.Source.Position(f.Span.Start).Line-k.Line, f.Span.Start-k.Start
	if k.Suite != nil {
		for i := range k.Suite.Survivors {
			k.Suite.Survivors[i].Line += down
		}
		for i := range k.Suite.Clauses {
			k.Suite.Clauses[i].Span.Start.Line += down
			k.Suite.Clauses[i].Span.End.Line += down
		}
	}
	m := &checks.Measured{Function: f, NotApplicable: k.NotApplicable, Unmeasured: k.Unmeasured, Void: k.Void, Ran: k.Ran, Suite: k.Suite}
	if x := k.Refuted; x != nil {
		x.Span.Start += on
		x.Span.End += on
		m.Refuted = &checks.Refutation{Escape: x.Escape, Clause: x.Clause, Span: x.Span}
		if x.File != "" {
			in := file(x.File)
			if in == nil || x.Span.Start < 0 || x.Span.End < x.Span.Start || x.Span.End > len(in.Text) {
				return nil, fmt.Errorf("read a strength that was kept: there is no %s:%d-%d", x.File, x.Span.Start, x.Span.End)
			}
			m.Refuted.File = in
		}
	}
	return m, nil
}

// Rest forgets all but what it came to: inputs, values, and what the evaluator knows, also in the subject.
func (r *Result) Rest() {
	if r.strength == nil {
		r.strength, r.givenUp = r.Strength(), r.GivenUp()
		r.base, r.head = nil, nil
	}
	for _, s := range []*Side{r.subject.Base, r.subject.Head} {
		if s != nil {
			s.Func, s.Like, s.Given = nil, nil, nil
		}
	}
}

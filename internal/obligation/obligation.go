// Package obligation writes the questions about contracts as proof functions for the verifier, and reads its answers.
//
// A question becomes one proof function in a shadow: a copy of the file that holds the function in question, with the proof functions
// of one module added in that module, so that private fields and closed definitions are in reach. Clauses are copied as they stand;
// only names that must differ are replaced, by their place in the syntax tree. What cannot be written is listed with the reason.
//
// The value behind a mutable reference before the call and the one after it become two parameters. After it is what `x` means in ensures to releases
// of the verifier before 2026-05-01 and `final(x)` to later ones, which refuse `x` unless told to read it in the old way. So both
// dialects are read the same, and what is written has neither.
//
// "Proved" is an answer. "Not proved" is none: it never means the opposite, which is a question of its own.
//
// An answer rests on what the shadow's module believes: a broadcast axiom that is in scope there, or an assumption of a
// `broadcast proof fn`, can prove anything. A change that adds one is found by the rules about trust. Each shadow has a canary, a proof function
// that must not be proved.
package obligation

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
)

// Question that a proof function puts. The zero value is invalid.
type Question uint8

const (
	_ Question = iota
	// RequiresNotStronger: base's requires implies head's. Every call that was allowed still is.
	RequiresNotStronger
	// EnsuresNotWeaker: base's requires and head's ensures imply base's ensures.
	EnsuresNotWeaker
	// RequiresNotWeaker: head's requires implies base's.
	RequiresNotWeaker
	// EnsuresNotStronger: head's requires and base's ensures imply head's ensures.
	EnsuresNotStronger
	// Contradictory: no call meets the requires.
	Contradictory
	// Impossible: no result meets requires and ensures. Then Unique, ClauseRedundant and Trivial say nothing.
	Impossible
	// Trivial: every result meets the ensures.
	Trivial
	// ClauseRedundant: the clause follows from the others; for a clause of requires from the others of requires.
	ClauseRedundant
	// Unique: the contract allows one result at most for each input.
	Unique
	// InconsistentContext: the body reaches no exit, so that its proof rests on a contradiction (or it never returns).
	InconsistentContext
	// SpectestRejected: the contract rejects the case.
	SpectestRejected
	// SpectestEscaped: the contract accepts the case.
	SpectestEscaped
	// InputLost: the input meets base's requires and not head's.
	InputLost
	questionCount
)

var questionNames = [questionCount]string{"?", "requires not stronger", "ensures not weaker", "requires not weaker", "ensures not stronger",
	"contradictory", "impossible", "trivial", "clause redundant", "unique", "inconsistent context", "spectest rejected",
	"spectest escaped", "input lost"}

// String is the question in a few words.
func (q Question) String() string {
	if q < questionCount {
		return questionNames[q]
	}
	return questionNames[0]
}

// Reason says why a question was not written.
type Reason uint8

const (
	_ Reason = iota
	NoContract
	NotVerified  // the verifier does not look at the function, or not at its body
	NotParsed    // a part of the function or its contract is not understood
	Inside       // it stands where no proof function can be added: in a body, in a macro's input
	TypesChanged // a type in the signature changed: the contracts are about different things
	BoundsChanged
	UnsupportedType // a type that a proof function cannot have as its parameter's
	NoResult        // nothing is returned and nothing changes
	BareMutable     // a mutable reference itself is spoken of, not what it points to
	Rebound         // a name that must be replaced means something else inside the clause
	InMacro         // a name that must be replaced is in a macro's input that is not understood
	OtherMeaning    // a name of base's means something else at head's place, or is not known there
	CannotBring     // a definition of base's that changed cannot be brought along
	CannotPin       // a value cannot be written down
	ForeignTrait    // the function implements a trait that is not in the tree, whose contract is a part of its own
	TooMany         // the contract has too many clauses for this question
	Malformed       // what was written does not parse: words of the verifier's as names, in places where they are keywords
	reasonCount
)

var reasonNames = [reasonCount]string{"?", "no contract", "not verified", "not parsed", "inside", "types changed", "bounds changed",
	"unsupported type", "no result", "bare mutable", "rebound", "in macro", "other meaning", "cannot bring", "cannot pin", "foreign trait", "too many", "malformed"}

// String is the reason in a word or two.
func (r Reason) String() string {
	if r < reasonCount {
		return reasonNames[r]
	}
	return reasonNames[0]
}

// Obligation is a question about one function.
type Obligation struct {
	Question Question
	// Function of the tree that the shadow is a copy of.
	Function *model.Function
	// Pair when the question compares two contracts; else nil.
	Pair *pair.Function
	// Clause of ClauseRedundant.
	Clause *model.Clause
	// Case is the index of the case of SpectestRejected, SpectestEscaped and InputLost in the list that was given.
	Case int
	// Names of the proof functions that were written for it, in any shadow: one that is proved is enough.
	Names []string
	// Given says that the answer is "proved" without asking: there is nothing to prove.
	Given bool

	c     *contract
	first proof
	// helped says that the further tries were written.
	helped bool
	// opposite is the question that cannot be proved when this one is; nil if there is none.
	opposite *Obligation
}

// Skipped is a question that was not written.
type Skipped struct {
	Question Question
	Function *model.Function
	Pair     *pair.Function
	Case     int
	Reason   Reason
	// Detail is the reason in words.
	Detail string
}

// Part is a proof function in the text of a shadow.
type Part struct {
	Name string
	// Span in the shadow's text. A diagnostic of the verifier inside it is about this part.
	Span source.Span
	// Obligation is nil for the canary.
	Obligation *Obligation
}

// Shadow is a copy of a file with the proof functions of one module.
type Shadow struct {
	Crate *model.Crate
	// File is the path of the file that the text replaces.
	File string
	// Module is crate-relative, empty for the root: all the proof functions are in it.
	Module string
	Text   []byte
	// Parts in the order of the text.
	Parts []Part
	// Canary is the name of a proof function that must not be proved; if it is, no answer of this shadow counts.
	Canary string

	file   *model.File
	pieces []piece
}

// piece is a text put into the file. A piece with a part can be left out.
type piece struct {
	at   int
	text string
	name string
	of   *Obligation
	// brought tells a definition of base's.
	brought bool
}

// Prefix of the names of all proof functions in the shadow.
func (s *Shadow) Prefix() string { return s.Canary[:strings.LastIndexByte(s.Canary, '_')+1] }

// Without returns the shadow without some proof functions: those that the verifier's front end does not accept, so that the
// others can be asked. Definitions of base's go with the last question that compares.
func (s *Shadow) Without(names ...string) *Shadow {
	c := *s
	c.pieces = slices.DeleteFunc(slices.Clone(s.pieces), func(p piece) bool { return p.name != "" && slices.Contains(names, p.name) })
	if !slices.ContainsFunc(c.pieces, func(p piece) bool { return p.of != nil && p.of.Pair != nil }) {
		c.pieces = slices.DeleteFunc(c.pieces, func(p piece) bool { return p.brought })
	}
	c.print()
	return &c
}

// Origin is the place in the file that a place in the shadow's text has; false if it is in what was added.
func (s *Shadow) Origin(offset int) (int, bool) {
	added := 0
	for _, p := range s.pieces {
		start := p.at + added
		if offset < start {
			break
		}
		if offset < start+len(p.text) {
			return p.at, false
		}
		added += len(p.text)
	}
	return offset - added, true
}

// print makes Text and Parts from the pieces.
func (s *Shadow) print() {
	text := s.file.Syntax.Source.Text
	slices.SortStableFunc(s.pieces, func(a, b piece) int { return a.at - b.at })
	s.Text, s.Parts = nil, nil
	last := 0
	for _, p := range s.pieces {
		s.Text = append(s.Text, text[last:p.at]...)
		last = p.at
		start := len(s.Text)
		s.Text = append(s.Text, p.text...)
		if p.name != "" {
			lead := len(p.text) - len(strings.TrimLeft(p.text, " \n"))
			s.Parts = append(s.Parts, Part{Name: p.name, Span: source.Span{Start: start + lead, End: start + len(strings.TrimRight(p.text, " \n"))}, Obligation: p.of})
		}
	}
	s.Text = append(s.Text, text[last:]...)
}

// Plan is what was written.
type Plan struct {
	// Obligations in the order in which they were asked for.
	Obligations []*Obligation
	// Shadows by crate, file and module: the first try.
	Shadows []*Shadow
	Skipped []Skipped

	w *Writer
}

// failure is a Reason as an error of the writing.
type failure struct {
	reason Reason
	detail string
}

func (f *failure) Error() string { return f.detail }

func fail(r Reason, detail string) *failure { return &failure{r, detail} }

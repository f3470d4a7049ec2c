package checks

import (
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
)

// StrengthInput is what measuring the contracts of a change came to.
type StrengthInput struct {
	// Min is the least strength that a contract must have, MaxDrop the most that it may fall, both in [0, 1].
	Min, MaxDrop float64
	// MinSuite is how many spectests must be decided for a strength to be told.
	MinSuite int
	// Functions are those that were to be measured, in the order of the pairs.
	Functions []*StrengthPair
}

// Of gives what was measured of a pair; nil if nothing was to be.
func (in *StrengthInput) Of(p *pair.Function) *StrengthPair {
	if in == nil {
		return nil
	}
	for _, s := range in.Functions {
		if s.Pair == p {
			return s
		}
	}
	return nil
}

// StrengthPair is what measuring the contract of one function on both sides came to.
type StrengthPair struct {
	Pair *pair.Function
	// Base and Head are nil when that side has no such contract.
	Base, Head *Measured
	// Comparable says that both sides were asked about the same spectests, as their executable code is the same. Delta is then head's strength
	// less base's, over the spectests that both decide; nil if there are none.
	Comparable bool
	Delta      *float64
	// Unchanged says that the executable code is the same on both sides, and that the two contracts mean the same.
	Unchanged bool
	// Lost are spectests that base's contract rejects and head's does not, the simplest first.
	Lost []Escape
}

// Measured is what became of one side of a function. Without a Suite exactly one of the texts says why; none of them is said with one.
type Measured struct {
	Function *model.Function
	Suite    *Spectests
	// NotApplicable: there is nothing to measure, as the function returns nothing and changes nothing.
	NotApplicable string
	// Unmeasured: it could not be measured.
	Unmeasured string
	// Void: a canary was answered wrongly, so that no answer counts.
	Void string
	// Refuted: the contract rejects what the function itself gives.
	Refuted *Refutation
	// Ran says that the function was compiled, with the code around it.
	Ran bool
}

// Refutation is a result of a function that its own contract rejects.
type Refutation struct {
	// Escape without Wrong.
	Escape
	// Clause is what rejects it, as written, at File and Span; File is nil when no clause is known.
	Clause string
	File   *source.File
	Span   source.Span
}

// Spectests are the answers of a contract about a suite.
type Spectests struct {
	// Edits, Mutants and Given tell the spectests by where the wrong results come from: an observed result that was edited, a mutant of the
	// function, a case file of the repository.
	Edits, Mutants, Given Tally
	// Domain counts inputs that requires excludes.
	Domain Domain
	// Inputs that meet requires and for which the function gave a result.
	Inputs int
	// Unique says that the verifier proved that the contract allows one result only.
	Unique bool
	// Escapes are the wrong results that the contract allows, the simplest first. At most a few.
	Escapes []Escape
	// Fates of the mutants, and those that survive, in the order of the source.
	Fates     Mutants
	Survivors []Survivor
	// Clauses tell what each clause of ensures and returns does by itself.
	Clauses []ClauseUse
}

// Domain counts inputs that requires excludes.
type Domain struct {
	// Tried is how many there are, Returned for how many of them the function returns all the same.
	Tried, Returned int
	// Counted is how many of them count as spectests that escape, as the policy wants.
	Counted int
	// Example is the simplest of those for which the function returns, preferably one that base's requires allows; nil if there is none.
	// Allowed tells that base's does.
	Example *Escape
	Allowed bool
}

// Tally counts spectests by answer.
type Tally struct {
	Rejected  int `json:"rejected"`
	Escaped   int `json:"escaped"`
	Undecided int `json:"undecided"`
}

// All is the sum of the tallies; what the policy wants of the domain is escaped.
func (s *Spectests) All() Tally {
	return Tally{
		Rejected:  s.Edits.Rejected + s.Mutants.Rejected + s.Given.Rejected,
		Escaped:   s.Edits.Escaped + s.Mutants.Escaped + s.Given.Escaped + s.Domain.Counted,
		Undecided: s.Edits.Undecided + s.Mutants.Undecided + s.Given.Undecided,
	}
}

// Escape is a wrong result that a contract allows.
type Escape struct {
	// Call as people write it, "max_of([3, 1, 4, 1, 5])", and Input its arguments by name, "v = [3, 1, 4, 1, 5]".
	Call, Input string
	// Result is what the call gives, and Wrong what it does not.
	Result, Wrong string
}

// Survivor is a mutant whose results the contract allows.
type Survivor struct {
	ID string
	// Diff shows the edit in lines behind - and +, Line is where it begins.
	Diff    string
	Line    int
	Witness Escape
}

// ClauseUse tells how many of the rejected spectests a clause rejects, and how many only it.
type ClauseUse struct {
	Kind    string       `json:"kind"`
	Text    string       `json:"text"`
	File    string       `json:"file"`
	Span    source.Range `json:"span"`
	Rejects int          `json:"rejects"`
	Only    int          `json:"only"`
}

package checks

import (
	"fmt"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
)

// ProofInput is what the verifier said of both sides.
type ProofInput struct {
	// Head is nil when the verifier was not run at all, Base when base was not verified: then nothing is compared.
	Base, Head *ProofRun
	// Comparable says that both sides were verified by one release on one platform, one that counts costs right.
	Comparable bool
	// Programs are the files of head, by path and sorted, of programs that run while head is verified, build scripts and procedural macros, and that
	// base does not have so.
	Programs []string
	// Asked are the questions about contracts; nil: none was put.
	Asked *Asked
}

// ProofRun is what the verifier said of one side.
type ProofRun struct {
	// Problems are why not all was verified. A run without problems, and without failures, is proved.
	Problems []ProofProblem
	// Functions are the verdicts by function of the side's model.
	Functions map[*model.Function]*ProofVerdict
	// Loose are failures that are in no function of the model.
	Loose []ProofFailure
}

// ProofOutcome is the verdict on one function. The zero value is invalid.
type ProofOutcome uint8

const (
	ProofProved        ProofOutcome = iota + 1
	ProofFailed                     // a proof failed, or the code was not accepted
	ProofTimedOut                   // the time limit, or the solver's resource limit
	ProofInternalError              // the verifier failed
	ProofUnsupported                // the verifier does not support the code
	ProofSkipped                    // there is nothing to prove about it
	ProofNotRun                     // the verifier did not look at it
)

var proofOutcomeNames = [...]string{"", "proved", "failed", "timed-out", "internal-error", "unsupported", "skipped", "not-run"}

// String is the word of the report.
func (o ProofOutcome) String() string {
	if o >= ProofProved && o <= ProofNotRun {
		return proofOutcomeNames[o]
	}
	return fmt.Sprintf("ProofOutcome(%d)", uint8(o))
}

// ProofVerdict is what the verifier said of one function.
type ProofVerdict struct {
	Outcome ProofOutcome
	// Reason says in words why it is not proved; empty when it is.
	Reason string
	// Failures are in the verifier's order.
	Failures []ProofFailure
	// Cost is the solver's resource count, 0 if it is not known.
	Cost int64
	// Seeds tells how it went with other seeds of the solver; nil: none was tried.
	Seeds *SeedRuns
}

// SeedRuns counts the runs with other seeds of the solver that came to an answer about a function, and those that proved it.
type SeedRuns struct {
	Tried  int `json:"tried"`
	Proved int `json:"proved"`
}

// ProofFailure is one complaint of the verifier.
type ProofFailure struct {
	// Category is a word: postcondition, precondition, assertion, invariant, termination, arithmetic, type-invariant, atomic, bit-vector,
	// nonlinear, recommends, trigger, mode, lifetime, visibility, unsupported, compile, rlimit, internal, setup, cheating, other.
	Category string
	// Message is the verifier's own text. The program can choose it.
	Message string
	// Clause is what does not hold, as written; it may be empty. Key is its text without layout, or the message where there is none: with
	// category and function it tells failures apart.
	Clause, Key string
	// File and Span are where to show it; File is nil when no file of the tree is meant.
	File *source.File
	Span source.Span
	// Also is a second place that belongs to it: the exit at which a postcondition fails, or the clause in a trait. Nil: none.
	Also *Place
}

// ProofProblemKind says why not all was verified. The zero value is invalid.
type ProofProblemKind uint8

const (
	ProblemNotRun          ProofProblemKind = iota + 1 // the verifier did not run, or not to its end
	ProblemTimedOut                                    // it was stopped at the time limit
	ProblemInternal                                    // it failed, or what it printed is not understood
	ProblemNothingVerified                             // it ran and had nothing to prove
	ProblemNotAllVerified                              // a part was not looked at
)

// ProofProblem is why a run, or a target of it, is no proof although nothing was refuted.
type ProofProblem struct {
	Kind ProofProblemKind
	// Target names the target; empty when the run as a whole is meant.
	Target string
	// File is the path of the target's root or manifest.
	File string
	// Text says what happened and what to do about it.
	Text string
}

// Package verus finds and runs the Verus verifier, and reads what it says.
//
// Reading is pure: bytes of a run go in, a Run comes out. A run counts as proved only when the verifier said so for each target
// that was to be verified; whatever is missing, cut off, partial or not understood is another outcome, with a reason in words.
// The facts about the verifier's output hold for releases from 2025-06 to 2026-08.
//
// Code of the change takes part in a run: procedural macros and build scripts. Such code can write to the verifier's output or
// take its place, and nothing that is read afterwards can tell. What a run says is as good as the isolation around it.
package verus

import (
	"fmt"

	"github.com/specgate/specgate/internal/source"
)

// Category says what a diagnostic is about.
type Category uint8

const (
	_ Category = iota
	Postcondition
	Precondition
	Assertion
	Invariant // of a loop
	Termination
	Arithmetic // overflow, division by zero, shift
	TypeInvariant
	Atomic // invariants of the concurrency library, opens_invariants, no_unwind
	BitVector
	Nonlinear
	Recommends
	Trigger
	ModeError // ghost code where executable code is wanted, and the like
	Lifetime
	Visibility // also items that the verifier ignores because they are external
	Unsupported
	Compile // rustc's errors, and syntax errors of the verifier's macros
	RLimit  // the solver's resource limit
	Internal
	Setup // solver or library of another version
	Cheating
	Other
	categoryCount
)

var categoryNames = [categoryCount]string{"?", "postcondition", "precondition", "assertion", "invariant", "termination", "arithmetic",
	"type-invariant", "atomic", "bit-vector", "nonlinear", "recommends", "trigger", "mode", "lifetime", "visibility", "unsupported",
	"compile", "rlimit", "internal", "setup", "cheating", "other"}

// String is the word of reports.
func (c Category) String() string {
	if c < categoryCount {
		return categoryNames[c]
	}
	return fmt.Sprintf("Category(%d)", uint8(c))
}

// Level is rustc's word for how bad a diagnostic is: error, warning, note, help, failure-note; "error: internal compiler error" too.
type Level string

// Span is a place in a file as the verifier names it.
type Span struct {
	// File is relative to the root of the repository, with '/'; as the verifier wrote it when Foreign.
	File string
	// Bytes are offsets into the file.
	Bytes source.Span
	// Line and EndLine count from 1.
	Line, EndLine int
	// Foreign says that the file is not of the repository: the verifier's library, the standard library, a dependency.
	Foreign bool
}

// Valid tells a place from none.
func (s Span) Valid() bool { return s.File != "" }

// Label is a span of a diagnostic with the words at it, which may be none.
type Label struct {
	Text    string
	Primary bool
	Span    Span
	// code is the text of the span, as far as the verifier shows it; after is what follows it on its last line.
	code, after string
}

// Note is a child of a diagnostic.
type Note struct {
	Level   Level
	Message string
}

// Diagnostic is one complaint of the verifier or of rustc.
type Diagnostic struct {
	Category Category
	Level    Level
	// Code is rustc's (E0308); empty for the verifier's own.
	Code    string
	Message string
	// Place is what to show: the primary span, or the first other one when the primary is foreign. Not valid if all are.
	Place Span
	// Site is where in the failing function it happens: the exit for a postcondition, the call for a precondition; else Place.
	Site Span
	// Clause is the text of the expression that does not hold, as far as the verifier shows it.
	Clause string
	// Labels are all spans, in the verifier's order.
	Labels   []Label
	Children []Note
	// Crate is the target that was compiled, when cargo says so.
	Crate TargetID
	// Function is the symbol of the function that fails. Join fills it; empty if no known function is there.
	Function string

	// solver says that the verifier came as far as to ask the solver, so that an error of an unknown kind is a failed proof.
	solver bool
}

// Failing tells whether the diagnostic alone makes a run red.
func (d Diagnostic) Failing() bool {
	return isError(d.Level) && !(len(d.Labels) == 0 && isSummary(d.Message))
}

// TargetID names a target of a Cargo package. Package is empty for a single file.
type TargetID struct {
	Package string
	// Name is cargo's name of the target; Kind its kind: lib, bin, proc-macro, example, test, bench, custom-build.
	Name, Kind string
}

// Crate is the name of the target in paths.
func (t TargetID) Crate() string { return crateName(t.Name) }

func (t TargetID) String() string {
	switch {
	case t.Name == "":
		return "an unknown target"
	case t.Package == "" || t.Kind == "lib" && crateName(t.Package) == crateName(t.Name):
		return t.Name
	}
	return fmt.Sprintf("%s (%s of %s)", t.Name, t.Kind, t.Package)
}

// Version is what the verifier says of itself.
type Version struct {
	// Release is the version: 0.2026.08.15.7d4628a.
	Release, Profile string
	OS, Arch         string
	// Toolchain is the Rust toolchain that it needs, such as 1.97.1-x86_64-unknown-linux-gnu; Commit its own commit. Both may be empty.
	Toolchain, Commit string
}

// FunctionResult is the verifier's verdict on the queries of one function, as in its summary.
type FunctionResult struct {
	// Name has no generics and no trait, and begins with the crate of the type or function: queue::limits::capped. Several
	// functions may have one name.
	Name string
	// Module is crate-relative; empty for the root.
	Module string
	// Success is the verifier's word. A failing bit-vector assertion does not change it.
	Success bool
	Millis  int64
	// RLimit is the solver's cost in its own units; 0 if it is not known. It is comparable only for one verifier, solver and platform.
	RLimit int64
	// Mode is exec, proof or spec where the verifier says so; else empty.
	Mode string
	// Selected tells that a partial run did look at the function.
	Selected bool
}

// Unit is one summary: what the verifier says of one target.
type Unit struct {
	// Target that the summary is about, as far as it can be told: summaries do not name it.
	Target TargetID
	// Counted says that Verified and Errors were given. They count queries, not functions.
	Counted          bool
	Verified, Errors int64
	// Success is false also when the summary leaves it out.
	Success bool
	// Partial says that the run was told to look at a part of the crate only, by what the summary says. It does not always say so.
	Partial          bool
	EncounteredError bool
	// EncounteredVIR says that the verifier's front end found errors; then nothing is counted.
	EncounteredVIR bool
	Functions      []FunctionResult
	Version        Version

	at int // position among the lines of cargo
}

package verus

import (
	"strings"
)

// What the labels at a span say. They stay when an attribute of the program (custom_err) replaces the message, so they go first.
const (
	labelPostcondition = "failed this postcondition"
	labelPrecondition  = "failed precondition"
	labelInvariant     = "failed this invariant"
	labelAssertion     = "assertion failed"
	labelTypeInvariant = "type invariant declared here"
	labelRecommends    = "recommendation not met"
	labelEnd           = "at the end of the function body"
	labelExit          = "at this exit"
)

var byLabel = []struct {
	label    string
	category Category
}{
	{labelPostcondition, Postcondition},
	{labelPrecondition, Precondition},
	{labelRecommends, Recommends},
	{labelTypeInvariant, TypeInvariant},
	{labelInvariant, Invariant},
	{"at this loop exit", Invariant},
	{"at this continue", Invariant},
	{labelAssertion, Assertion},
}

// match says how a text of byMessage is compared.
type match uint8

const (
	_ match = iota
	is
	begins
	has
)

// byMessage are the verifier's own messages, the first that matches counts. The texts are those of releases from 2025-06 to
// 2026-08 (vir/src, rust_verify/src, vstd).
var byMessage = []struct {
	how      match
	text     string
	category Category
}{
	{has, "not allowed with --no-cheating", Cheating},
	{has, "Resource limit (rlimit) exceeded", RLimit},
	{begins, "verus internal error", Internal},
	{has, "Verus Internal Error", Internal},
	{begins, "unexpected output from solver:", Internal},
	{begins, "internal error: ", Internal},
	{has, "the compiler unexpectedly panicked", Internal},
	{begins, "expected z3 version ", Setup},
	{begins, "The verifier expects z3 version", Setup},
	{begins, "failed to deserialize imported library file", Setup},
	{begins, "could not find .vir file for", Setup},
	{has, noSpace, Setup},

	{begins, "bitvector assertion not satisfied", BitVector},
	{begins, "postcondition not satisfied", Postcondition},
	{is, "unable to prove post-condition of closure", Postcondition},
	{is, "precondition not satisfied", Precondition},
	{begins, "precondition not met", Precondition},
	{is, "requires not satisfied", Precondition},
	{begins, "requirement not met", Precondition},
	{begins, "Call to non-static function fails to satisfy", Precondition},
	{is, "assertion failed", Assertion},
	{is, "assertion failure", Assertion},
	{begins, "expression simplifies to ", Assertion},
	{begins, "assert_by_compute ", Assertion},
	{is, "unable to prove this pattern will successfully match", Assertion},
	{begins, "unable to prove inherent safety condition", Assertion},
	{begins, "unable to prove assertion safety condition", Assertion},
	{begins, "unable to prove safety condition", Assertion},
	{begins, "invariant not satisfied ", Invariant},
	{begins, "loop invariant not satisfied", Invariant},
	{begins, "decreases not satisfied ", Termination},
	{begins, "could not prove termination", Termination},
	{begins, "unable to show termination via", Termination},
	{has, "must have a decreases clause", Termination},
	{begins, "possible arithmetic underflow/overflow", Arithmetic},
	{begins, "possible division by zero", Arithmetic},
	{begins, "possible bit shift underflow/overflow", Arithmetic},
	{begins, "constructed value may fail to meet its declared type invariant", TypeInvariant},
	{has, "possible invariant collision", Atomic},
	{is, "Cannot show invariant holds at end of block", Atomic},
	{has, "invariant namespace", Atomic},
	{begins, "callee may open invariants", Atomic},
	{begins, "cannot show this call will not unwind", Atomic},
	{begins, "cannot show atomic", Atomic},
	{begins, "cannot show the atomic update was", Atomic},
	{begins, "recommendation not met", Recommends},

	{begins, "Could not automatically infer triggers", Trigger},
	{begins, "could not infer triggers", Trigger},
	{begins, "trigger must be ", Trigger},
	{begins, "triggers cannot contain", Trigger},
	{begins, "cannot use both manual triggers", Trigger},
	{begins, "automatically chose triggers", Trigger},
	{has, "can only be used in ghost code", ModeError},
	{begins, "expression has mode ", ModeError},
	{begins, "cannot use assert or assume in exec mode", ModeError},
	{begins, "exec code cannot match on non-exec value", ModeError},
	{begins, "assignment is not allowed inside spec", ModeError},
	{begins, "prophetic value not allowed for", ModeError},
	{has, "which is ignored because it is either declared outside the verus! macro", Visibility},
	{begins, "in pub open spec function, cannot refer to private", Visibility},
	{begins, "disallowed: ", Visibility},
	{has, "is not supported (note: you may be able to add a Verus specification", Unsupported},
	{begins, "The verifier does not yet support the following Rust feature", Unsupported},
	{has, "Verus does not yet support", Unsupported},
	{begins, "not supported:", Unsupported},
	{begins, "Not supported:", Unsupported},

	{begins, "lifetime may not live long enough", Lifetime},
	{begins, "borrowed data escapes", Lifetime},
	{begins, "expected ", Compile},
	{begins, "unexpected ", Compile},
	{begins, "mismatched closing delimiter", Compile},
	{has, "unclosed delimiter", Compile},
	{begins, "unknown start of token", Compile},
	{begins, "cannot find ", Compile},
	{begins, "extern location for ", Compile},
	{begins, "can't find crate", Compile},
	{begins, "linking with ", Compile},
}

// lifetimeCodes are rustc's error codes of the borrow checker.
var lifetimeCodes = map[string]bool{"E0373": true, "E0381": true, "E0382": true, "E0384": true, "E0499": true, "E0501": true, "E0502": true,
	"E0503": true, "E0505": true, "E0506": true, "E0507": true, "E0508": true, "E0509": true, "E0510": true, "E0515": true, "E0521": true,
	"E0594": true, "E0596": true, "E0597": true, "E0621": true, "E0626": true, "E0712": true, "E0713": true, "E0716": true}

func classify(d *Diagnostic) Category {
	if strings.Contains(string(d.Level), "internal compiler error") {
		return Internal
	}
	if d.Code != "" { // rustc's own
		switch {
		case lifetimeCodes[d.Code]:
			return Lifetime
		case strings.Contains(d.Message, "::ForLoopGhostIterator"):
			return Unsupported // a for loop over an iterator that the library does not know
		}
		return Compile
	}
	for _, row := range byLabel {
		if d.label(row.label) != nil {
			return d.refine(row.category)
		}
	}
	for _, row := range byMessage {
		if row.how == is && d.Message == row.text || row.how == begins && strings.HasPrefix(d.Message, row.text) ||
			row.how == has && strings.Contains(d.Message, row.text) {
			return d.refine(row.category)
		}
	}
	if strings.HasPrefix(d.Message, "cannot call function `") && strings.Contains(d.Message, " with mode ") ||
		strings.HasPrefix(d.Message, "cannot use `") && strings.Contains(d.Message, "in exec mode") {
		return ModeError
	}
	return Other
}

// refine tells the kinds of assertions apart: the prover of an assertion stands behind it.
func (d *Diagnostic) refine(c Category) Category {
	if c != Assertion {
		return c
	}
	for _, l := range d.Labels {
		if !l.Primary {
			continue
		}
		rest := strings.Join(strings.Fields(l.after), "")
		if strings.HasPrefix(rest, ")by(nonlinear_arith") {
			return Nonlinear
		}
	}
	return c
}

func (d *Diagnostic) label(text string) *Label {
	for i := range d.Labels {
		if d.Labels[i].Text == text {
			return &d.Labels[i]
		}
	}
	return nil
}

// place fills Place, Site and Clause from the labels.
func (d *Diagnostic) place() {
	own := func(skip ...string) *Label {
		for _, primary := range []bool{true, false} {
			for i := range d.Labels {
				l := &d.Labels[i]
				skipped := false
				for _, s := range skip {
					skipped = skipped || s == l.Text
				}
				if l.Primary == primary && !l.Span.Foreign && !skipped {
					return l
				}
			}
		}
		return nil
	}
	if l := own(); l != nil {
		d.Place, d.Site = l.Span, l.Span
	}
	site := d.label(labelExit)
	if site == nil {
		site = d.label(labelEnd)
	}
	if site == nil || site.Span.Foreign {
		site = own(labelPostcondition, labelPrecondition, labelTypeInvariant, labelRecommends)
	}
	if site != nil {
		d.Site = site.Span
	}
	if what, ok := strings.CutSuffix(strings.TrimSuffix(d.Message, profileHint), ": Resource limit (rlimit) exceeded"); ok {
		d.Clause = what // the place is the head of the function
		return
	}
	clause := own()
	for _, text := range []string{labelPostcondition, labelPrecondition, labelInvariant, labelRecommends} {
		if l := d.label(text); l != nil {
			clause = l
			break
		}
	}
	if clause != nil {
		d.Clause = clause.code
		if d.Clause == "assert" { // all that a failing bit-vector assertion points at
			d.Clause += strings.TrimRight(clause.after, "; \t")
		}
	}
}

const profileHint = "; consider rerunning with --profile for more details"

func isError(l Level) bool { return l == "error" || strings.HasPrefix(string(l), "error:") }

// isSummary tells the errors that only count the others: "aborting due to 2 previous errors; 1 warning emitted".
func isSummary(message string) bool {
	rest, ok := strings.CutPrefix(message, "aborting due to ")
	_, count, _ := strings.Cut(rest, "previous error")
	return ok && (count == "" || count == "s" || strings.HasPrefix(count, "; ") || strings.HasPrefix(count, "s; "))
}

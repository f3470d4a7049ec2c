// Package score turns outcomes into numbers: the strength of a suite, the gated reward of a function, the rates of a change.
//
// It is pure arithmetic. The stages and their weights, the penalty for a bypass and the meaning of a vacuous contract are those of SpecRL; the
// classes of failures those of Re:Form; the two means of completeness, with their separate denominators, those of KBSpec.
package score

import "fmt"

// Suite counts the spectests of one function by verdict.
type Suite struct {
	Rejected, Escaped, Undecided int
	// Unique says that the verifier proved that the contract allows one result only. Then nothing can escape, whatever was tried.
	Unique bool
}

// Total number of spectests.
func (s Suite) Total() int { return s.Rejected + s.Escaped + s.Undecided }

// Decided is how many have an answer.
func (s Suite) Decided() int { return s.Rejected + s.Escaped }

// Strength of a contract, each part in [0, 1].
type Strength struct {
	// Value is rejected / decided; nil if nothing was decided.
	Value *float64
	// Low counts what is undecided as escaped, High as rejected. Without any spectest they are 0 and 1: nothing is known.
	Low, High float64
	// Proved says that the value is 1 by proof, not by counting.
	Proved bool
}

// Strength of the suite.
func (s Suite) Strength() Strength {
	if s.Unique {
		return Strength{Value: ptr(1), Low: 1, High: 1, Proved: true}
	}
	out := Strength{High: 1}
	if n := s.Total(); n > 0 {
		out.Low = float64(s.Rejected) / float64(n)
		out.High = float64(s.Rejected+s.Undecided) / float64(n)
	}
	if n := s.Decided(); n > 0 {
		out.Value = ptr(float64(s.Rejected) / float64(n))
	}
	return out
}

func ptr(v float64) *float64 { return &v }

// Check is how a stage went. The zero value is invalid.
type Check uint8

const (
	Passed Check = iota + 1
	Failed
	NotRun // nobody looked: no tool, or an earlier stage failed
)

// Stage of the reward, in the order in which they must pass.
type Stage uint8

const (
	Extract       Stage = iota + 1 // the source parses, and the function and its contract are found
	Compile                        // the verifier's front end, or rustc, accepts the crate
	Verify                         // every query of the function is proved
	StrengthStage                  // the share of spectests that the contract rejects
)

var stageNames = [...]string{"", "extract", "compile", "verify", "strength"}

// String is the word of reports.
func (s Stage) String() string {
	if s >= Extract && s <= StrengthStage {
		return stageNames[s]
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// MarshalText gives the word of reports; an invalid stage is an error.
func (s Stage) MarshalText() ([]byte, error) {
	if s < Extract || s > StrengthStage {
		return nil, fmt.Errorf("marshal stage %d: not a stage", uint8(s))
	}
	return []byte(stageNames[s]), nil
}

// Weights of the stages: SpecRL's, section "reward". They add up to 1.
var weights = [...]float64{Extract: 0.05, Compile: 0.15, Verify: 0.30, StrengthStage: 0.50}

// Weight is the most that a stage adds.
func (s Stage) Weight() float64 { return weights[s] }

// Facts about one function that its reward follows from.
type Facts struct {
	Extract, Compile, Verify Check
	// Why says, by stage, why a check is not Passed.
	Why map[Stage]string
	// Bypass lists what was done to get green without a proof: trust that base did not have, an executable edit where the policy forbids
	// it.
	Bypass []string
	// Vacuous says why the contract says nothing, such as a contradictory precondition; empty if it does say something.
	Vacuous string
	// NotApplicable says why there is nothing to score, such as a function that returns and changes nothing; empty if there is.
	NotApplicable string
	// Suite is nil if the strength was not measured; Unmeasured then says why.
	Suite      *Suite
	Unmeasured string
	// MinSuite is how many spectests must have been decided for the strength to count. A proof that the contract allows one result only decides all that
	// there are.
	MinSuite int
	// Strict says that what is undecided earns nothing. Else a contract that nobody can decide but for a few inputs, which it states in full, would
	// earn all.
	Strict bool
}

// Code says in one word why a part of the reward is lost, for programs.
type Code string

// The codes of losses.
const (
	CodeBypass       Code = "bypass"
	CodeExtract      Code = "not-extracted"
	CodeCompile      Code = "not-compiled"
	CodeNotCompiled  Code = "compile-not-run"
	CodeUnproved     Code = "not-proved"
	CodeNotVerified  Code = "verify-not-run"
	CodeGated        Code = "gated" // the strength was measured, and earns nothing while an earlier stage has not passed
	CodeVacuous      Code = "vacuous"
	CodeUnmeasured   Code = "unmeasured"
	CodeInconclusive Code = "suite-too-small"
	CodeEscaped      Code = "escaped"
	CodeUndecided    Code = "undecided"
)

// Loss is a part of the reward that was not earned.
type Loss struct {
	Stage Stage `json:"stage"`
	Code  Code  `json:"code"`
	// Amount is in (0, 1]. All amounts and the reward add up to 1.
	Amount float64 `json:"amount"`
	Text   string  `json:"text"`
}

// Reward of one function.
type Reward struct {
	// Value is in [0, 1]; nil when the function is not applicable.
	Value *float64
	// Lost are the parts that were not earned, by stage.
	Lost []Loss
}

// Reward is the gated, progressive reward: a stage counts only if every stage before it has passed.
func (f Facts) Reward() Reward {
	if f.NotApplicable != "" {
		return Reward{}
	}
	if len(f.Bypass) > 0 {
		text := f.Bypass[0]
		if n := len(f.Bypass) - 1; n > 0 {
			text = fmt.Sprintf("%s (and %d more)", text, n)
		}
		return Reward{Value: ptr(0), Lost: []Loss{{Extract, CodeBypass, 1, text}}}
	}
	var r Reward
	value, open := 0.0, true
	for _, s := range []struct {
		stage          Stage
		check          Check
		failed, notRun Code
	}{{Extract, f.Extract, CodeExtract, CodeExtract}, {Compile, f.Compile, CodeCompile, CodeNotCompiled}, {Verify, f.Verify, CodeUnproved, CodeNotVerified}} {
		switch {
		case s.check == Passed && open:
			value += s.stage.Weight()
			continue
		case s.check == Passed:
			r.Lost = append(r.Lost, Loss{s.stage, CodeGated, s.stage.Weight(), "a stage before it has not passed"})
		case s.check == Failed:
			r.Lost = append(r.Lost, Loss{s.stage, s.failed, s.stage.Weight(), f.Why[s.stage]})
		default:
			r.Lost = append(r.Lost, Loss{s.stage, s.notRun, s.stage.Weight(), f.Why[s.stage]})
		}
		open = false
	}
	earned, lost := f.strength(open)
	value += earned * StrengthStage.Weight()
	if lost != nil {
		lost.Stage, lost.Amount = StrengthStage, (1-earned)*StrengthStage.Weight()
		r.Lost = append(r.Lost, *lost)
	}
	r.Value = ptr(value)
	return r
}

// strength is the share of the last stage that is earned, in [0, 1], and why it is not all of it.
func (f Facts) strength(open bool) (float64, *Loss) {
	if f.Vacuous != "" {
		return 0, &Loss{Code: CodeVacuous, Text: f.Vacuous}
	}
	if f.Suite == nil {
		return 0, &Loss{Code: CodeUnmeasured, Text: f.Unmeasured}
	}
	s := f.Suite.Strength()
	decided := f.Suite.Decided()
	if s.Proved {
		decided = f.Suite.Total() // the proof says of each that the contract rejects it
	}
	least := max(1, f.MinSuite)
	switch {
	// A proof that the contract allows one result stands in for answers about spectests, and not for spectests: it is as easily had for a precondition
	// that leaves one input, of which there are few.
	case decided < least:
		return 0, &Loss{Code: CodeInconclusive, Text: fmt.Sprintf("%d of %d spectests are decided, and %d must be", decided, f.Suite.Total(), least)}
	case !open:
		return 0, &Loss{Code: CodeGated, Text: fmt.Sprintf("the strength is %.2f, and earns nothing while a stage before it has not passed", *s.Value)}
	case f.Strict && !s.Proved && f.Suite.Undecided > 0:
		code, text := CodeUndecided, fmt.Sprintf("of %d of %d wrong results it is not known whether the contract rejects them", f.Suite.Undecided, f.Suite.Total())
		if f.Suite.Escaped > 0 {
			code, text = CodeEscaped, fmt.Sprintf("the contract accepts %d of %d wrong results, and %s", f.Suite.Escaped, f.Suite.Total(), text)
		}
		return s.Low, &Loss{Code: code, Text: text}
	case *s.Value < 1:
		return *s.Value, &Loss{Code: CodeEscaped, Text: fmt.Sprintf("the contract accepts %d of %d wrong results", f.Suite.Escaped, f.Suite.Decided())}
	}
	return 1, nil
}

// Class of a failure, after Re:Form. The zero value: no failure.
type Class uint8

const (
	Weak         Class = iota + 1 // proved, and wrong results are accepted
	Unverifiable                  // not proved
	Trivial                       // the contract says nothing
)

// Class of the failure of a function, the gravest one.
func (f Facts) Class() Class {
	switch {
	case f.NotApplicable != "":
		return 0
	case f.Vacuous != "":
		return Trivial
	case f.Verify == Failed:
		return Unverifiable
	case f.Verify == Passed && f.Suite != nil && !f.Suite.Unique && f.Suite.Escaped > 0:
		return Weak
	}
	return 0
}

// Measured is what one function adds to the rates of a change.
type Measured struct {
	// Attempted says that the verifier was asked about it, Proved that it proved it.
	Attempted, Proved bool
	// Strength is nil when it was not measured.
	Strength *float64
	// Score of base and head; nil when not applicable or not measured.
	Base, Head *float64
	// Comparable says that both sides were measured on the same suite.
	Comparable bool
}

// Rates of a change. Each is nil when there is nothing to divide by.
type Rates struct {
	// Base and Head are means over the functions that have the score; Delta is their difference, over the functions that have both.
	Base, Head, Delta *float64
	// Comparable says that each delta is of one suite.
	Comparable bool
	// PassRate is proved / attempted.
	PassRate *float64
	// OfProved is the mean strength over proved functions (C@Pass), OfAll over attempted ones, of which one that is not proved counts 0
	// (C@All). Functions whose strength was not measured are in neither.
	OfProved, OfAll *float64
}

// Of gathers the rates of a change.
func Of(functions []Measured) Rates {
	var base, head, delta, proved, all mean
	attempted, passed := 0, 0
	out := Rates{}
	comparable := true
	for _, f := range functions {
		base.add(f.Base)
		head.add(f.Head)
		if f.Base != nil && f.Head != nil {
			delta.add(ptr(*f.Head - *f.Base))
			comparable = comparable && f.Comparable
		}
		if !f.Attempted {
			continue
		}
		attempted++
		switch {
		case f.Proved:
			passed++
			proved.add(f.Strength)
			all.add(f.Strength)
		default:
			all.add(ptr(0))
		}
	}
	out.Base, out.Head, out.Delta = base.value(), head.value(), delta.value()
	out.Comparable = comparable && delta.n > 0
	if attempted > 0 {
		out.PassRate = ptr(float64(passed) / float64(attempted))
	}
	out.OfProved, out.OfAll = proved.value(), all.value()
	return out
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v *float64) {
	if v != nil {
		m.sum += *v
		m.n++
	}
}

func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	return ptr(m.sum / float64(m.n))
}

package verus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// Outcome says how a run, a target or a function came out. The zero value is invalid.
type Outcome uint8

const (
	_ Outcome = iota
	Proved
	NotAllVerified  // a part was not looked at
	NothingVerified // the verifier ran and had nothing to prove
	NotRun          // the verifier did not run, or not to its end
	TimedOut        // stopped at the time limit
	ResourceLimit   // the solver gave up
	Failed          // a proof failed
	UnsupportedCode // the verifier does not support the code
	CompileError    // the code was not accepted by rustc or the verifier's front end
	InternalError   // the verifier failed, or what it printed is not understood
	outcomeCount
)

var outcomeNames = [outcomeCount]string{"?", "proved", "not-all-verified", "nothing-verified", "not-run", "timed-out", "resource-limit",
	"failed", "unsupported", "compile-error", "internal-error"}

// String is the word of reports.
func (o Outcome) String() string {
	if o < outcomeCount {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Outcome is what a failing diagnostic means for what it is about: Failed and ResourceLimit come from the solver, all others from before it.
func (d Diagnostic) Outcome() Outcome {
	if d.Category == Other && d.solver {
		return Failed
	}
	switch d.Category {
	case RLimit:
		return ResourceLimit
	case Internal, Setup:
		return InternalError
	case Unsupported:
		return UnsupportedCode
	case Trigger, ModeError, Lifetime, Visibility, Compile, Other:
		return CompileError
	}
	return Failed
}

// Reason says in words why an outcome is not a proof.
type Reason struct {
	Outcome Outcome
	// Target is empty when the run as a whole is meant.
	Target TargetID
	Text   string
	// Diagnosed says that failing diagnostics are the reason.
	Diagnosed bool
}

// Expected is a target that has to be verified.
type Expected struct {
	Target TargetID
	// OptedIn tells that its Cargo.toml switches the verifier on; always true for a single file.
	OptedIn bool
}

// Stop says why a run was ended from outside. The zero value: it was not.
type Stop uint8

const (
	_ Stop = iota
	StoppedByTime
	StoppedByOutput // it wrote more than the limit
	StoppedBySignal
	OutputHeld     // its output may not be complete
	StoppedByLimit // of memory, processes or processor time
)

// Ended is what is known about the end of the process.
type Ended struct {
	// ExitCode is -1 when the process did not end by itself.
	ExitCode int
	Stop     Stop
	// Detail says more about Stop, in words.
	Detail string
	// Duration from start to end.
	Duration time.Duration
}

// TargetResult is the outcome of one target.
type TargetResult struct {
	Target  TargetID
	Outcome Outcome
	// Units are its summaries: one, unless something is wrong, or the target is built for two platforms.
	Units []Unit
	// Expected is false for targets that were verified although nobody asked: dependencies.
	Expected bool
	// Fresh says that cargo did not compile it.
	Fresh bool
}

// Run is what a run of the verifier says.
type Run struct {
	Outcome Outcome
	// Reasons are empty exactly when Outcome is Proved.
	Reasons []Reason
	// Targets are the expected ones, then others that have a summary, in order.
	Targets []TargetResult
	// Unassigned are summaries of which nobody can tell the target.
	Unassigned []Unit
	// Diagnostics of all targets, in the verifier's order.
	Diagnostics []Diagnostic
	// Version of the verifier that wrote the summaries; zero without one.
	Version Version
	// Problem is what is wrong with the installation or the call; nil if nothing is.
	Problem *Problem
	Ended   Ended
	// Protections that it ran with; nil when it was not isolated, or not run.
	Protections []sandbox.Protection
	// Stray are lines of either stream that are neither JSON nor blank.
	Stray []string

	parts []*Run // nil: it was not made by Merge
}

// Parts are the runs that Merge made this one of, in their order; the run itself if it was not.
func (r *Run) Parts() []*Run {
	if r.parts == nil {
		return []*Run{r}
	}
	return r.parts
}

// Task is what a run was asked to do, as far as it decides how the run is read.
type Task struct {
	Expected []Expected
	// Args are the arguments of the verifier, to see what limits the run.
	Args []string
}

// Assess reads both streams of a run and says how it came out.
func Assess(stdout, stderr []byte, ended Ended, task Task, c Context) *Run {
	out, errs := Read(stdout, c), Read(stderr, c)
	r := &Run{Ended: ended, Diagnostics: append(out.Diagnostics, errs.Diagnostics...), Stray: append(out.Stray, errs.Stray...)}
	// Summaries are printed to stdout; on stderr there is no reason for one.
	units := slices.Clone(out.Units)
	partial := partialSelectors(task.Args)
	for i := range units {
		units[i].Partial = units[i].Partial && !units[i].EncounteredVIR || len(partial) > 0
		if r.Version == (Version{}) {
			r.Version = units[i].Version
		}
	}
	r.assign(units, out, task)
	r.settle()
	for i := range r.Targets {
		r.judge(&r.Targets[i], out, partial)
	}
	r.judgeRun(out, errs, task)
	r.plain(c.Root)
	r.conclude()
	return r
}

// plain takes the directory of the copy, which has another name each time, out of what is said of the run.
func (r *Run) plain(root string) {
	if root == "" {
		return
	}
	short := strings.NewReplacer(root+"/", "", root, ".")
	for i := range r.Reasons {
		r.Reasons[i].Text = short.Replace(r.Reasons[i].Text)
	}
	if r.Problem != nil {
		r.Problem.Text = short.Replace(r.Problem.Text)
	}
}

// partialSelectors are the arguments that make the verifier look at a part of the crate, or at no proofs at all.
func partialSelectors(args []string) []string {
	var out []string
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		switch name {
		case "--verify-root", "--verify-module", "--verify-only-module", "--verify-function", "--no-verify":
			out = append(out, name)
		}
	}
	return out
}

func (r *Run) reason(o Outcome, t TargetID, format string, args ...any) {
	reason := Reason{Outcome: o, Target: t, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(r.Reasons, reason) {
		r.Reasons = append(r.Reasons, reason)
	}
}

func (r *Run) diagnosed(o Outcome, t TargetID, text string) {
	r.Reasons = append(r.Reasons, Reason{Outcome: o, Target: t, Text: text, Diagnosed: true})
}

// assign finds out which target each summary is about.
func (r *Run) assign(units []Unit, out Output, task Task) {
	for _, e := range task.Expected {
		r.Targets = append(r.Targets, TargetResult{Target: e.Target, Expected: true})
	}
	find := func(t TargetID) *TargetResult {
		for i := range r.Targets {
			if r.Targets[i].Target == t {
				return &r.Targets[i]
			}
		}
		return nil
	}
	for _, b := range out.Built {
		if t := find(b.Target); t != nil {
			t.Fresh = b.Fresh
		}
	}
	known := map[string]bool{}
	for _, t := range r.Targets {
		known[t.Target.Crate()] = true
	}
	for _, e := range out.events {
		known[e.target.Crate()] = true
	}
	var rest []Unit
	for _, u := range units {
		if len(task.Expected) == 1 && task.Expected[0].Target.Package == "" {
			u.Target = task.Expected[0].Target // a single file
			r.Targets[0].Units = append(r.Targets[0].Units, u)
			continue
		}
		target := standsBeside(u, out.events)
		crates := crates(u, known)
		switch {
		case target.Name != "" && (len(crates) == 0 || slices.Contains(crates, target.Crate())):
		case len(crates) == 1:
			target = TargetID{}
			for _, t := range r.Targets {
				if t.Target.Crate() == crates[0] && (target.Name == "" || len(find(target).Units) > 0) {
					target = t.Target
				}
			}
			if target.Name == "" {
				target = TargetID{Name: crates[0]}
			}
		default:
			target = TargetID{}
		}
		if target.Name == "" {
			rest = append(rest, u)
			continue
		}
		u.Target = target
		t := find(target)
		if t == nil {
			r.Targets = append(r.Targets, TargetResult{Target: target})
			t = &r.Targets[len(r.Targets)-1]
		}
		t.Units = append(t.Units, u)
	}
	// What is left belongs to the one target that still has none.
	var open []int
	for i, t := range r.Targets {
		if t.Expected && len(t.Units) == 0 && !t.Fresh {
			open = append(open, i)
		}
	}
	if len(open) == 1 && len(rest) == 1 {
		t := &r.Targets[open[0]]
		rest[0].Target = t.Target
		t.Units, rest = append(t.Units, rest[0]), nil
	}
	r.Unassigned = rest
}

// settle says more of diagnostics whose message nobody knows: the summary tells how far the verifier came.
func (r *Run) settle() {
	for i := range r.Diagnostics {
		d := &r.Diagnostics[i]
		if d.Category != Other || !d.Failing() {
			continue
		}
		for _, t := range r.Targets {
			if t.Target != d.Crate && (d.Crate.Name != "" || t.Target.Package != "") {
				continue
			}
			for _, u := range t.Units {
				switch {
				case u.EncounteredVIR:
				case u.Errors > 0:
					d.solver = true
				case u.EncounteredError && u.Verified == 0:
					d.Category = Compile
				}
			}
		}
	}
}

// standsBeside is the target whose lines of cargo stand around a summary. With one job at a time, its messages come before it, and what
// was built behind it.
func standsBeside(u Unit, events []event) TargetID {
	if u.at > 0 {
		if e := events[u.at-1]; !e.artifact && (u.EncounteredError || !e.err) {
			return e.target
		}
	}
	if u.EncounteredError {
		return TargetID{}
	}
	for _, e := range events[u.at:] {
		if !e.artifact {
			continue
		}
		if e.fresh {
			break
		}
		return e.target
	}
	return TargetID{}
}

// crates are the known crates that names of functions in a summary begin with. Methods on types of other crates begin with
// those.
func crates(u Unit, known map[string]bool) []string {
	var out []string
	for _, f := range u.Functions {
		name, _, _ := strings.Cut(f.Name, "::")
		if known[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// failing are the failing diagnostics that are about a target. Without cargo there is one target, and all are about it.
func (r *Run) failing(t TargetID) []Diagnostic {
	var out []Diagnostic
	for _, d := range r.Diagnostics {
		if d.Failing() && (d.Crate == t || d.Crate.Name == "" && t.Package == "") {
			out = append(out, d)
		}
	}
	return out
}

// judge sets the outcome of one target.
func (r *Run) judge(t *TargetResult, out Output, partial []string) {
	failing := r.failing(t.Target)
	t.Outcome = Proved
	not := func(o Outcome, format string, args ...any) {
		t.Outcome = max(t.Outcome, o)
		r.reason(o, t.Target, format, args...)
	}
	for o := outcomeCount - 1; o > Proved; o-- {
		var n int
		var first *Diagnostic
		for i := range failing {
			if failing[i].Outcome() == o {
				n++
				if first == nil {
					first = &failing[i]
				}
			}
		}
		if n > 0 {
			t.Outcome = max(t.Outcome, o)
			r.diagnosed(o, t.Target, failureText(o, n, first))
		}
	}
	built := 0
	for _, b := range out.Built {
		if b.Target == t.Target && !b.Fresh {
			built++
		}
	}
	switch {
	case len(t.Units) > max(1, built):
		not(InternalError, "there are %d summaries of the verifier for %s: something else wrote to its output", len(t.Units), t.Target)
	case len(t.Units) > 0 || len(failing) > 0:
	case t.Fresh:
		not(NotAllVerified, "cargo took %s as built already, so that the verifier did not look at it", t.Target)
	default:
		not(NotRun, "the verifier printed no summary for %s", t.Target)
	}
	for _, u := range t.Units {
		switch {
		case u.EncounteredVIR && len(failing) == 0:
			not(CompileError, "the verifier's front end found errors in %s and did not print them", t.Target)
		case (u.EncounteredError || u.Errors > 0) && len(failing) == 0:
			not(Failed, "the verifier reports errors in %s and did not print them", t.Target)
		}
		for _, f := range u.Functions {
			if !f.Success && len(failing) == 0 {
				not(Failed, "the verifier says that %s failed and printed no error", f.Name)
			}
		}
		if u.EncounteredVIR || u.EncounteredError {
			continue
		}
		switch {
		case len(partial) > 0:
			not(NotAllVerified, "the verifier was told to leave parts of %s out: %s", t.Target, strings.Join(partial, ", "))
		case u.Partial:
			not(NotAllVerified, "the verifier says that it looked at a part of %s only", t.Target)
		case !u.Success:
			not(InternalError, "the verifier does not say that %s succeeded", t.Target)
		}
		if u.Verified <= 0 || !u.Counted {
			not(NothingVerified, "the verifier found nothing to prove in %s", t.Target)
		}
	}
}

func failureText(o Outcome, n int, first *Diagnostic) string {
	where := ""
	if first.Place.Valid() {
		where = fmt.Sprintf(" at %s:%d", first.Place.File, first.Place.Line)
	}
	more := ""
	if n > 1 {
		more = fmt.Sprintf(" (and %d more)", n-1)
	}
	what := map[Outcome]string{
		Failed:          "a proof failed",
		ResourceLimit:   "the solver reached its resource limit",
		UnsupportedCode: "the verifier does not support some of the code",
		CompileError:    "the code was not accepted",
		InternalError:   "the verifier failed",
	}[o]
	return fmt.Sprintf("%s%s: %s%s", what, where, first.Message, more)
}

// judgeRun adds what is about the run as a whole.
func (r *Run) judgeRun(out, errs Output, task Task) {
	none := TargetID{}
	expected := map[TargetID]Expected{}
	for _, e := range task.Expected {
		expected[e.Target] = e
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		if e, ok := expected[t.Target]; ok && !e.OptedIn && len(t.Units) == 0 {
			r.drop(t.Target, NotRun)
			t.Outcome = max(NotAllVerified, r.worst(t.Target))
			r.reason(NotAllVerified, t.Target, "the package of %s has not opted in to verification: its Cargo.toml lacks verify = true in [package.metadata.verus]", t.Target)
		}
	}
	if len(task.Expected) == 0 {
		r.reason(NotRun, none, "there is nothing to verify: no target has opted in to verification")
	}
	for _, u := range r.Unassigned {
		if u.EncounteredError || u.EncounteredVIR || !u.Success {
			r.reason(CompileError, none, "a summary of the verifier reports errors, and does not say in which target")
		} else {
			r.reason(InternalError, none, "a summary of the verifier cannot be assigned to a target")
		}
	}
	for _, d := range r.Diagnostics {
		if !d.Failing() || slices.ContainsFunc(r.Targets, func(t TargetResult) bool {
			return len(r.failing(t.Target)) > 0 && (d.Crate == t.Target || d.Crate.Name == "")
		}) {
			continue
		}
		r.diagnosed(d.Outcome(), d.Crate, failureText(d.Outcome(), 1, &d))
	}
	r.Problem = findProblem(r, out, errs)
	if r.Problem != nil {
		r.reason(r.Problem.outcome(), none, "%s", r.Problem.Error())
	}
	if len(out.Units) == 0 && r.Ended.Stop == 0 && r.Ended.ExitCode != 0 && r.Problem == nil && !slices.ContainsFunc(r.Diagnostics, Diagnostic.Failing) {
		why := ""
		for _, line := range errs.Stray {
			if plain := strings.TrimSpace(stripColors(line)); strings.HasPrefix(plain, "error") || strings.HasPrefix(plain, "Error") {
				why = plain
				break
			}
		}
		r.reason(NotRun, none, "the verifier ended with exit status %d and without an answer%s", r.Ended.ExitCode, detail(why))
	}
	switch r.Ended.Stop {
	case StoppedByTime:
		r.reason(TimedOut, none, "the verifier was stopped at the time limit%s", detail(r.Ended.Detail))
	case StoppedByOutput:
		r.reason(InternalError, none, "the verifier was stopped because it wrote too much%s", detail(r.Ended.Detail))
	case StoppedBySignal:
		r.reason(InternalError, none, "the verifier was ended from outside%s", detail(r.Ended.Detail))
	case StoppedByLimit:
		r.reason(InternalError, none, "the verifier was stopped because it used too much%s", detail(r.Ended.Detail))
	case OutputHeld:
		r.reason(InternalError, none, "the verifier's output may not be complete%s", detail(r.Ended.Detail))
	}
	if out.Finished != nil && !*out.Finished && len(r.Reasons) == 0 {
		r.reason(InternalError, none, "cargo says that the build failed, and nothing else says why")
	}
	if r.Ended.ExitCode != 0 && len(r.Reasons) == 0 {
		r.reason(InternalError, none, "the verifier ended with exit status %d, and nothing says why", r.Ended.ExitCode)
	}
}

func detail(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// drop takes a reason back that another one explains.
func (r *Run) drop(t TargetID, o Outcome) {
	r.Reasons = slices.DeleteFunc(r.Reasons, func(x Reason) bool { return x.Target == t && x.Outcome == o })
}

func (r *Run) worst(t TargetID) Outcome {
	worst := Proved
	for _, x := range r.Reasons {
		if x.Target == t {
			worst = max(worst, x.Outcome)
		}
	}
	return worst
}

// conclude makes one outcome of the reasons: the gravest. That a target was not run weighs less when others were.
func (r *Run) conclude() {
	ran := slices.ContainsFunc(r.Targets, func(t TargetResult) bool { return len(t.Units) > 0 })
	proved := slices.ContainsFunc(r.Targets, func(t TargetResult) bool { return t.Outcome == Proved })
	r.Outcome = Proved
	for _, x := range r.Reasons {
		o := x.Outcome
		if o == NotRun && ran || o == NothingVerified && proved {
			o = NotAllVerified
		}
		r.Outcome = max(r.Outcome, o)
	}
	// Without a target that is proved there is no proof, whatever the reasons say.
	if r.Outcome == Proved && len(r.Targets) == 0 {
		r.Outcome = NotRun
		r.reason(NotRun, TargetID{}, "nothing was verified")
	}
	slices.SortStableFunc(r.Reasons, func(a, b Reason) int { return cmp.Compare(b.Outcome, a.Outcome) })
}

// Merge makes one run of several, such as one for each single file. Without any it is a run that did not happen.
func Merge(runs ...*Run) *Run {
	m := &Run{parts: runs}
	for _, r := range runs {
		m.Reasons = append(m.Reasons, r.Reasons...)
		m.Targets = append(m.Targets, r.Targets...)
		m.Unassigned = append(m.Unassigned, r.Unassigned...)
		m.Diagnostics = append(m.Diagnostics, r.Diagnostics...)
		m.Stray = append(m.Stray, r.Stray...)
		if m.Version == (Version{}) {
			m.Version = r.Version
		}
		if m.Problem == nil {
			m.Problem = r.Problem
		}
		if m.Protections == nil {
			m.Protections = r.Protections
		}
		if m.Ended == (Ended{}) {
			m.Ended = r.Ended
		}
	}
	m.conclude()
	return m
}

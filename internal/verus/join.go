package verus

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
)

// Function is a function of the tree, as far as the verifier's answers are matched with it.
type Function struct {
	// Symbol is what reports call it.
	Symbol string
	// Crate is the name of the crate in paths, Module the crate-relative module path, empty for the root.
	Crate, Module string
	// Self is the type of the impl around the function, as written; empty for none. For a method declared in a trait it is the trait.
	Self string
	Name string
	File string
	Span source.Span
	// Proof says that the verifier must prove something about it: a body that it looks at, of an executable or proof function. For
	// others a missing answer means nothing.
	Proof bool
}

// Verdict is what a run says of one function.
type Verdict struct {
	Function Function
	// Outcome is Proved, NotRun, ResourceLimit, Failed, UnsupportedCode, CompileError or InternalError; NothingVerified where there was
	// nothing to prove.
	Outcome Outcome
	// Reason is in words; empty when Outcome is Proved.
	Reason string
	// Result is the verifier's own line about the function; nil if there is none, or if several functions share it.
	Result *FunctionResult
	// Diagnostics are the failing ones, and the recommendations, that are in the function.
	Diagnostics []Diagnostic
}

// Joined is a run by function.
type Joined struct {
	// Verdicts are in the order of the functions that were given.
	Verdicts []Verdict
	// Loose are the failing diagnostics that are in none of the functions.
	Loose []Diagnostic
	// Unmatched are the verifier's lines about functions that are not among those given.
	Unmatched []FunctionResult
}

// Join matches a run with functions: by the name that the verifier has for a function, and by the places of the diagnostics,
// because names are not unique and some failures do not show in the line of the function.
//
// A function is Proved only if the verifier says so for its name and no failing diagnostic is in it. Where several functions share a
// name and not all succeeded, those are proved that cannot be the failing ones; if that cannot be told, none is. All functions of a
// name must be given for that.
func Join(r *Run, functions []Function) Joined {
	var j Joined
	inFile := map[string][]int{}
	for i, f := range functions {
		j.Verdicts = append(j.Verdicts, Verdict{Function: f})
		inFile[f.File] = append(inFile[f.File], i)
	}
	failed := map[int]bool{}
	for _, d := range r.Diagnostics {
		if !d.Failing() && d.Category != Recommends {
			continue
		}
		i := innermost(functions, inFile, d)
		if i < 0 {
			if d.Failing() && !(len(d.Labels) == 0 && isSummary(d.Message)) {
				j.Loose = append(j.Loose, d)
			}
			continue
		}
		d.Function = functions[i].Symbol
		if d.Failing() {
			failed[i] = true
		}
		j.Verdicts[i].Diagnostics = append(j.Verdicts[i].Diagnostics, d)
	}
	for i := range r.Diagnostics { // the run's own copy learns the names too
		if k := innermost(functions, inFile, r.Diagnostics[i]); k >= 0 {
			r.Diagnostics[i].Function = functions[k].Symbol
		}
	}

	// Per crate: functions behind names, and whether its run can be believed.
	results, states := byCrate(r)
	groups := matchNames(functions, results, &j)
	for i := range j.Verdicts {
		j.verdict(i, failed, groups[i], states[functions[i].Crate], r)
	}
	return j
}

// innermost is the index of the smallest function that holds the place where a diagnostic happens, or -1.
func innermost(functions []Function, inFile map[string][]int, d Diagnostic) int {
	for _, at := range []Span{d.Site, d.Place} {
		best := -1
		for _, i := range inFile[at.File] {
			s := functions[i].Span
			if !at.Valid() || at.Foreign || at.Bytes.Start < s.Start || at.Bytes.Start >= s.End {
				continue
			}
			if best < 0 || s.End-s.Start < functions[best].Span.End-functions[best].Span.Start {
				best = i
			}
		}
		if best >= 0 {
			return best
		}
	}
	return -1
}

// crateState says how far what is said of the functions of a crate holds.
type crateState struct {
	// outcome that functions have that the verifier did not come to; Proved when it came to all.
	outcome Outcome
	reason  string
}

func byCrate(r *Run) (results []FunctionResult, states map[string]crateState) {
	states = map[string]crateState{}
	for _, t := range r.Targets {
		name := t.Target.Crate()
		s := crateState{outcome: Proved}
		if t.Outcome != Proved {
			s.outcome = NotRun
			for _, x := range r.Reasons {
				if x.Target == t.Target {
					s.reason = x.Text // the gravest comes first
					break
				}
			}
		}
		for _, u := range t.Units {
			if t.Outcome != InternalError { // else what it says of functions may come from anywhere
				results = append(results, u.Functions...)
			}
		}
		if old, ok := states[name]; !ok || old.outcome == Proved {
			states[name] = s
		}
	}
	return results, states
}

// group is a name of the verifier with its lines and the functions that it may mean.
type group struct {
	results   []FunctionResult
	functions []int
}

// matchNames finds the verifier's name of each function: its exact path; else the same type and name, else the same name in the same
// module for impls of types without a path. The looser ones only where nothing else is left on both sides.
func matchNames(functions []Function, results []FunctionResult, j *Joined) []*group {
	names := map[string]*group{}
	for _, res := range results {
		g := names[res.Name]
		if g == nil {
			g = &group{}
			names[res.Name] = g
		}
		g.results = append(g.results, res)
	}
	of := make([]*group, len(functions))
	assign := func(key func(Function) string, reduce func(string) string) {
		open := map[string][]string{} // what is left of the verifier's names, by reduced name
		for name, g := range names {
			if len(g.functions) == 0 {
				open[reduce(name)] = append(open[reduce(name)], name)
			}
		}
		want := map[string][]int{}
		for i, f := range functions {
			if of[i] == nil && f.Proof {
				if k := key(f); k != "" {
					want[k] = append(want[k], i)
				}
			}
		}
		for k, is := range want {
			if len(open[k]) == 0 {
				continue
			}
			// What cannot be told apart is one group: its functions are proved if all of it is.
			g := &group{functions: is}
			for _, name := range open[k] {
				g.results = append(g.results, names[name].results...)
				names[name] = g
			}
			for _, i := range is {
				of[i] = g
			}
		}
	}
	whole := func(s string) string { return s }
	assign(exactName, whole)
	// Functions that need no proof may have lines too: a recursive specification.
	for i, f := range functions {
		if g := names[exactName(f)]; of[i] == nil && g != nil && !f.Proof {
			of[i], g.functions = g, append(g.functions, i)
		}
	}
	assign(func(f Function) string {
		switch {
		case f.Self == "":
			return ""
		case strings.HasPrefix(f.Self, "[") && !strings.Contains(f.Self, ";"):
			return "slice%::" + f.Name
		}
		return typeName(f.Self) + "::" + f.Name
	}, func(s string) string { return lastParts(s, 2) })
	assign(func(f Function) string {
		if f.Self == "" {
			return ""
		}
		return joined(f.Crate, f.Module, "impl&", f.Name)
	}, func(s string) string {
		parts := strings.Split(s, "::")
		for n, p := range parts {
			if strings.HasPrefix(p, "impl&%") {
				parts[n] = "impl&"
			}
		}
		return strings.Join(parts, "::")
	})
	var left []string
	for name, g := range names {
		if len(g.functions) == 0 {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	for _, name := range left {
		j.Unmatched = append(j.Unmatched, names[name].results...)
	}
	return of
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "::")
}

// exactName is the verifier's name of a function whose type, if any, is in the same module; empty if that type has no path.
func exactName(f Function) string {
	if f.Self != "" && typeName(f.Self) == "" {
		return ""
	}
	return joined(f.Crate, f.Module, typeName(f.Self), f.Name)
}

// typeName is the last part of a type's path, without generics, references and lifetimes; empty if it has no path.
func typeName(self string) string {
	self = strings.TrimSpace(self)
	if strings.HasPrefix(self, "&") || strings.HasPrefix(self, "*") {
		return "" // they have no path of their own
	}
	if i := strings.IndexByte(self, '<'); i >= 0 {
		self = self[:i]
	}
	parts := strings.Split(self, "::")
	last := strings.TrimSpace(parts[len(parts)-1])
	if strings.ContainsAny(last, "([; ") {
		return ""
	}
	return last
}

func lastParts(s string, n int) string {
	parts := strings.Split(s, "::")
	return strings.Join(parts[max(0, len(parts)-n):], "::")
}

func (j *Joined) verdict(i int, failed map[int]bool, g *group, state crateState, r *Run) {
	v := &j.Verdicts[i]
	if g != nil && len(g.functions) == 1 && len(g.results) == 1 {
		v.Result = &g.results[0]
	}
	for _, d := range v.Diagnostics {
		if o := d.Outcome(); d.Failing() && o > v.Outcome {
			v.Outcome, v.Reason = o, d.Message
		}
	}
	if v.Outcome != 0 {
		return
	}
	if g == nil {
		switch {
		case !v.Function.Proof:
			v.Outcome, v.Reason = NothingVerified, "there is nothing to prove about it"
		case state.outcome != 0 && state.outcome != Proved:
			v.Outcome, v.Reason = NotRun, cmp.Or(state.reason, "its crate was not verified")
		case state.outcome == 0:
			v.Outcome, v.Reason = NotRun, notRunReason(r)
		default:
			v.Outcome, v.Reason = NotRun, "the verifier does not name it"
		}
		return
	}
	bad, skipped, selected := 0, 0, 0
	for _, res := range g.results {
		switch {
		case !res.Success:
			bad++
		case !res.Selected:
			skipped++
		default:
			selected++
		}
	}
	explained := 0
	for _, k := range g.functions {
		if failed[k] {
			explained++
		}
	}
	switch {
	case bad > 0 && explained < bad && len(g.functions) == 1:
		v.Outcome, v.Reason = Failed, "the verifier says that it failed and printed no error that is in it"
	case bad > 0 && explained < bad:
		v.Outcome, v.Reason = Failed, "a function of this name failed, and the verifier does not say which one"
	case len(g.results) < len(g.functions):
		// Two impls of which one is not verified, or variants under different cfg conditions.
		v.Outcome, v.Reason = NotRun, "the verifier names fewer functions of this name than there are"
	case skipped > 0:
		v.Outcome, v.Reason = NotRun, "a partial run did not look at it"
	case selected == 0 && bad == 0:
		v.Outcome, v.Reason = NotRun, "the verifier does not name it"
	case j.suspect(v.Function):
		v.Outcome, v.Reason = NotRun, "an error in its crate cannot be assigned to a function"
	default:
		v.Outcome = Proved
	}
}

// suspect tells whether a failing proof that is in no known function may be this one's: nothing but the place of such an error says
// which function fails when it is about bit vectors.
func (j *Joined) suspect(f Function) bool {
	return slices.ContainsFunc(j.Loose, func(d Diagnostic) bool {
		if d.Crate.Name != "" && d.Crate.Crate() != f.Crate {
			return false
		}
		return d.Category == BitVector || !d.Place.Valid()
	})
}

func notRunReason(r *Run) string {
	if len(r.Reasons) > 0 {
		return r.Reasons[0].Text
	}
	return "its crate was not verified"
}

package verus

import (
	"errors"
	"fmt"
	"slices"
)

// Saved is a run as another process can read it: what decides how it is judged, and nothing of what only a person would look at.
type Saved struct {
	Said Run `json:"said"`
	// Solver are the places in Said.Diagnostics of errors of an unknown kind that the solver found.
	Solver []int `json:"solver"`
}

// Save gives what is to be written down of a run.
func (r *Run) Save() Saved {
	out := Saved{Said: *r}
	out.Said.Stray = nil
	if r.Problem != nil {
		p := *r.Problem
		p.Err = nil
		out.Said.Problem = &p
	}
	for i, d := range r.Diagnostics {
		if d.solver {
			out.Solver = append(out.Solver, i)
		}
	}
	return out
}

// Restore gives the run that was saved. What is no word of this package is an error; that a run is not what a verifier says cannot be seen.
func (s Saved) Restore() (*Run, error) {
	r := s.Said
	check := func(ok bool, format string, args ...any) error {
		if ok {
			return nil
		}
		return fmt.Errorf(format, args...)
	}
	outcome := func(o Outcome) error { return check(o > 0 && o < outcomeCount, "%d is no outcome", uint8(o)) }
	errs := []error{outcome(r.Outcome), check(r.Ended.Stop <= StoppedByLimit, "%d is no way to be stopped", uint8(r.Ended.Stop)),
		check((r.Outcome == Proved) == (len(r.Reasons) == 0), "it is proved, and there is a reason why it is not, or neither")}
	for _, x := range r.Reasons {
		errs = append(errs, outcome(x.Outcome))
	}
	for _, t := range r.Targets {
		errs = append(errs, outcome(t.Outcome))
	}
	for _, d := range r.Diagnostics {
		errs = append(errs, check(d.Category > 0 && d.Category < categoryCount, "%d is no category", uint8(d.Category)))
		places := []Span{d.Place, d.Site}
		for _, l := range d.Labels {
			places = append(places, l.Span)
		}
		for _, p := range places {
			errs = append(errs, check(p.Bytes.Start >= 0 && p.Bytes.End >= p.Bytes.Start, "%d to %d is no span", p.Bytes.Start, p.Bytes.End))
		}
	}
	if r.Problem != nil {
		errs = append(errs, check(r.Problem.Kind > 0 && r.Problem.Kind < problemCount, "%d is no kind of problem", uint8(r.Problem.Kind)))
	}
	for _, i := range s.Solver {
		errs = append(errs, check(i >= 0 && i < len(r.Diagnostics), "there is no diagnostic %d", i))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("restore a run of the verifier: %w", err)
	}
	r.Diagnostics = slices.Clone(r.Diagnostics)
	for _, i := range s.Solver {
		r.Diagnostics[i].solver = true
	}
	return &r, nil
}

// Agree tells whether two runs say the same, in whatever order, whatever they cost and however they were isolated.
func Agree(a, b *Run) bool {
	// What diagnostics are the reason for is compared as diagnostics: its text names the first of them.
	said := func(r *Run) []string {
		var out []string
		for _, x := range r.Reasons {
			if !x.Diagnosed {
				out = append(out, fmt.Sprintf("reason %v %q %q", x.Outcome, x.Target, x.Text))
			}
		}
		for _, t := range r.Targets {
			out = append(out, fmt.Sprintf("target %q %v", t.Target, t.Outcome))
			for _, u := range t.Units {
				for _, f := range u.Functions {
					out = append(out, fmt.Sprintf("function %q %q %q %t %t", t.Target, f.Name, f.Module, f.Success, f.Selected))
				}
			}
		}
		for _, d := range r.Diagnostics {
			if d.Failing() {
				out = append(out, fmt.Sprintf("diagnostic %v %q %v %q", d.Category, d.Crate, d.Place, d.Message))
			}
		}
		slices.Sort(out)
		return out
	}
	return a.Outcome == b.Outcome && slices.Equal(said(a), said(b))
}

package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/verus"
)

// seedOption is the solver's option that its choices depend on where it has none to prefer.
const seedOption = "smt.random_seed"

// Unstable are those of the functions that the run does not prove for reasons that lie with the solver, so that another seed of it may. There are none
// when the arguments of the policy choose a seed, or when not all was verified: then there is more to mend first.
func Unstable(args []string, run *checks.ProofRun, functions []*model.Function) []*model.Function {
	if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, seedOption) }) || len(run.Problems) > 0 {
		return nil
	}
	var out []*model.Function
	for _, f := range functions {
		if v := run.Functions[f]; v != nil && bySolver(v) {
			out = append(out, f)
		}
	}
	return out
}

// Again runs the verifier once more for each of some seeds of the solver, on the modules of functions of the run result. It gives how often they were
// proved: a proof that is found with one seed and not with another is unstable, which is not the same as wrong. A function without an answer is
// left out. Errors are as of Verify.
func (c *Copy) Again(ctx context.Context, s Side, result *verus.Run, again []*model.Function, seeds int) (map[*model.Function]checks.SeedRuns, error) {
	out := map[*model.Function]checks.SeedRuns{}
	if len(again) == 0 {
		return out, nil
	}
	for seed := 1; seed <= seeds; seed++ {
		r, err := c.part(ctx, s, result, again, fmt.Sprintf("--smt-option=%s=%d", seedOption, seed))
		if err != nil {
			return nil, err
		}
		j := verus.Join(r, s.functions())
		for i, f := range s.Model.Functions {
			if !slices.Contains(again, f) {
				continue
			}
			n := out[f]
			switch j.Verdicts[i].Outcome {
			case verus.Proved:
				n.Tried++
				n.Proved++
			case verus.Failed, verus.ResourceLimit:
				n.Tried++
			default:
				continue
			}
			out[f] = n
		}
	}
	return out, nil
}

// part runs the verifier, with one more argument, on the modules of some functions; in a workspace on their packages.
func (c *Copy) part(ctx context.Context, s Side, result *verus.Run, functions []*model.Function, arg string) (*verus.Run, error) {
	o := c.request.Options
	if len(c.request.Roots) == 0 {
		o.Args = append(slices.Clone(o.Args), arg)
		for _, t := range result.Targets {
			if !slices.Contains(o.Packages, t.Target.Package) && slices.ContainsFunc(functions, func(f *model.Function) bool { return s.crate(f.Crate) == t.Target.Crate() }) {
				o.Packages = append(o.Packages, t.Target.Package)
			}
		}
		return c.verify(ctx, verus.Job{Manifest: c.request.Manifest, Options: o})
	}
	var runs []*verus.Run
	for _, root := range c.request.Roots {
		var modules []string
		for _, f := range functions {
			m := "--verify-only-module=" + f.Module
			if f.Module == "" {
				m = "--verify-root"
			}
			if f.Crate.Root == root && !slices.Contains(modules, m) {
				modules = append(modules, m)
			}
		}
		if len(modules) == 0 {
			continue
		}
		o.Args = slices.Concat(c.request.Options.Args, modules, []string{arg})
		r, err := c.verify(ctx, verus.Job{Roots: []string{root}, Options: o})
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return verus.Merge(runs...), nil
}

// The categories of failures that another run of the solver may not have.
var searched = []string{"postcondition", "precondition", "assertion", "invariant", "termination", "arithmetic", "type-invariant", "bit-vector", "nonlinear", "recommends", "rlimit"}

// bySolver tells a function that the solver, and nothing before it, did not prove.
func bySolver(v *checks.ProofVerdict) bool {
	return (v.Outcome == checks.ProofFailed || v.Outcome == checks.ProofTimedOut) && len(v.Failures) > 0 &&
		!slices.ContainsFunc(v.Failures, func(f checks.ProofFailure) bool { return !slices.Contains(searched, f.Category) })
}

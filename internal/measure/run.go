package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/value"
)

// Crate is what is compiled of a crate.
type Crate struct {
	// Files by path: the sources of the crate, and what they include. Root is the path of its root file.
	Files map[string][]byte
	Root  string
	// Name is the crate's name in the paths of types, as the evaluator has it.
	Name string
	// Manifest is the path of the Cargo.toml of its package; empty for a file that no package has.
	Manifest string
}

// removeAll is a variable for a test.
var removeAll = sandbox.RemoveAll

// Compiled runs jobs with the harness: compiled by rustc, isolated.
type Compiled struct {
	// Rustc is the path of the compiler.
	Rustc string
	// CargoHome is the directory in which cargo has what it downloaded; empty: crates that need such are not measured.
	CargoHome string
	// Crate gives what there is to compile of a crate.
	Crate func(c *model.Crate) (Crate, error)
	// Require fails where this machine cannot give all of the isolation.
	Require bool
	Seed    uint64
	Limits  harness.Limits

	// Version of the compiler, and the protections that the code ran with; empty before something ran.
	Version     string
	Protections []sandbox.Protection
	// AsIs are the crates, by the paths of their root files, that rustc compiled as they are, with nothing but their own sources, so that what became of one function
	// does not depend on the others.
	AsIs map[string]bool
	// Panicked is the value and the stack of a panic that ended the running of a crate; empty if there was none.
	Panicked string
	// Left says which directories of code that was run could not be removed; nil: none.
	Left error
	// Spent is what was run for all jobs.
	Spent Spent
}

// Spent counts what was started: compilers, programs, and in these calls of functions and of their mutants.
type Spent struct{ Compilations, Processes, Calls int }

// Run is a Runner.
func (c *Compiled) Run(ctx context.Context, jobs []Job) ([]Ran, error) {
	out := make([]Ran, len(jobs))
	var order []*model.Crate
	of := map[*model.Crate][]int{}
	for i, j := range jobs {
		crate := j.Function.Crate
		if of[crate] == nil {
			order = append(order, crate)
		}
		of[crate] = append(of[crate], i)
	}
	for _, crate := range order {
		if err := c.crate(ctx, crate, of[crate], jobs, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Compiled) crate(ctx context.Context, crate *model.Crate, at []int, jobs []Job, out []Ran) error {
	unmeasured := func(err error) {
		for _, i := range at {
			out[i] = Ran{Unmeasured: err.Error(), Unsettled: "nothing of its crate was run"}
		}
	}
	defer func() {
		if p := recover(); p != nil {
			c.Panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			unmeasured(errors.New(internal(p)))
		}
	}()
	what, err := c.Crate(crate)
	if err != nil {
		unmeasured(err)
		return nil
	}
	limits := c.Limits
	if limits.Value == 0 {
		limits.Value = maxValue
	}
	work, err := sandbox.MkdirTemp("", "specgate-run-")
	if err != nil {
		return fmt.Errorf("make a directory to compile in: %w", err)
	}
	// What code of the change leaves behind is its own doing, and says nothing about what was measured.
	defer func() { c.Left = errors.Join(c.Left, removeAll(work)) }()
	req := harness.Request{Files: what.Files, Root: what.Root, Crate: what.Name, Manifest: what.Manifest, Limits: limits, Rustc: c.Rustc, CargoHome: c.CargoHome, Work: work,
		Require: c.Require, Seed: c.Seed}
	for _, i := range at {
		j := jobs[i]
		req.Targets = append(req.Targets, harness.Target{Function: j.Function, Spec: j.Target, Inputs: j.Inputs, Mutants: j.Mutants})
	}
	res, err := harness.Run(ctx, req)
	if ctx.Err() != nil || errors.Is(err, sandbox.ErrIsolation) {
		return err
	}
	if err != nil {
		unmeasured(err)
		return nil
	}
	c.Spent.Compilations += res.Compilations
	c.Spent.Processes += res.Processes
	if res.Rustc != "" {
		c.Version = res.Rustc
	}
	if len(res.Protections) > 0 {
		c.Protections = res.Protections
	}
	unsettled := compiledOtherwise(res)
	if c.AsIs == nil {
		c.AsIs = map[string]bool{}
	}
	c.AsIs[crate.Root] = unsettled == "" && res.Compilations > 0
	for k, i := range at {
		m := res.Targets[k]
		out[i] = ran(m)
		out[i].Unsettled = cmp.Or(unsettled, limited(m))
		c.Spent.Calls += len(m.Observed)
		for _, mu := range m.Mutants {
			c.Spent.Calls += len(mu.Outcomes)
		}
	}
	return nil
}

// compiledOtherwise says why what came of a crate may depend on more than its own sources and the compiler, or on which functions are measured
// together; empty if it does not.
func compiledOtherwise(res *harness.Result) string {
	switch {
	case res.Compilations == 0:
		return ""
	case res.Way != harness.ByRustc:
		return "it was compiled with other crates"
	case !res.Whole:
		return "its crate does not compile as it is"
	case res.Processes == 0:
		return "nothing of its crate was run"
	}
	return ""
}

// limited says which limit a function or mutant met that depends on how busy the machine is; empty if none.
func limited(m harness.Measured) string {
	if strings.HasPrefix(m.Unmeasured, harness.Unsteady) {
		return harness.Unsteady
	}
	for _, outcomes := range append([][]harness.Outcome{m.Observed}, mutantOutcomes(m)...) {
		for _, o := range outcomes {
			switch o.Kind {
			case harness.Returned, harness.Panicked, harness.Steps, harness.Stack, harness.Exited, harness.TooLarge:
			default:
				return "a call " + o.Kind.String()
			}
		}
	}
	return ""
}

func mutantOutcomes(m harness.Measured) [][]harness.Outcome {
	var out [][]harness.Outcome
	for _, mu := range m.Mutants {
		out = append(out, mu.Outcomes)
	}
	return out
}

func ran(m harness.Measured) Ran {
	r := Ran{Unmeasured: m.Unmeasured, Compiled: m.Unmeasured == ""}
	if r.Unmeasured != "" {
		return r
	}
	for _, mu := range m.Mutants {
		if slices.ContainsFunc(mu.Outcomes, func(o harness.Outcome) bool { return o.Kind == harness.NotRun && o.Detail == harness.GivenUp }) {
			r.GivenUp++
		}
	}
	k := keeper{seen: map[string]spectest.Observed{}, room: maxKept}
	r.Outcomes = k.outcomes(m.Observed)
	for _, mu := range m.Mutants {
		if mu.Failure != "" {
			r.Mutants = append(r.Mutants, nil)
			continue
		}
		r.Mutants = append(r.Mutants, k.outcomes(mu.Outcomes))
	}
	return r
}

const (
	// maxValue is the most bytes that the result of one call may take, maxKept the most values, parts counted, that are kept of all calls of a
	// function and its mutants: a function of the change can return what it likes.
	maxValue, maxKept = 16 << 10, 1_000_000
)

// keeper keeps equal results once, and no more than there is room for.
type keeper struct {
	seen map[string]spectest.Observed
	room int
}

// keep gives what to keep of a result; false if there is no room.
func (k *keeper) keep(got spectest.Observed) (spectest.Observed, bool) {
	key := got.Key()
	if old, ok := k.seen[key]; ok {
		return old, true
	}
	for _, v := range append(slices.Clone(got.After), got.Result) {
		if v != nil {
			k.room -= value.Weight(v, k.room+1)
		}
		if k.room < 0 {
			k.room = 0
			return got, false
		}
	}
	k.seen[key] = got
	return got, true
}

var ends = map[harness.Kind]End{harness.Returned: Returned, harness.Panicked: Panicked, harness.Steps: Endless, harness.Stack: Endless, harness.TimedOut: Endless,
	harness.Crashed: Crashed, harness.Exited: Crashed, harness.Forged: Lost, harness.TooLarge: Lost, harness.NotRun: Lost}

func (k *keeper) outcomes(in []harness.Outcome) []Outcome {
	out := make([]Outcome, len(in))
	for i, o := range in {
		out[i] = Outcome{End: ends[o.Kind], Text: o.Detail}
		switch {
		case o.Kind == harness.Returned && o.Got != nil:
			if got, ok := k.keep(*o.Got); ok {
				out[i].Got = got
			} else {
				out[i] = Outcome{End: Lost, Text: "all results together are too large"}
			}
		case o.Kind == harness.Returned:
			out[i].End = Lost
		case o.Kind == harness.Forged || o.Kind == harness.TooLarge:
			out[i].Text = o.Kind.String()
		}
	}
	return out
}

// Package measure finds out which results that a function never gives its contract allows nevertheless.
//
// It joins the parts: inputs and wrong results (internal/spectest), mutants (internal/mutate), a Runner that compiles and runs the function and
// its mutants, and the evaluator, which is asked about each wrong result. What the evaluator leaves open can be put to the verifier by the
// caller and handed back with Decide.
package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/spectest"
)

// Options bound and seed what is measured. Zero values mean the defaults of the packages that they are for; a Seed of 0 is a seed, and a Mutants of 0
// is none.
type Options struct {
	Seed uint64
	// Inputs of a suite; Mutants, the most of one function.
	Inputs, Mutants int
	// CountDomain has inputs that requires excludes counted as spectests that escape.
	CountDomain bool
	// Jobs is how many functions are looked at at once; at least 1.
	Jobs int
	// PerFunction is the most time for looking at one function, without compiling and running it; 0 means DefaultPerFunction.
	PerFunction time.Duration
}

// DefaultPerFunction is the most time for one function when Options does not say.
const DefaultPerFunction = 30 * time.Second

// Side is a function on one side of a change.
type Side struct {
	Function *model.Function
	// Func is what the evaluator knows of it; nil if it does not know it.
	Func *eval.Func
	// Like is a function of another version of the sources, whose types go first where one has to stand for a type parameter; nil: the other side's Func, if there
	// is one. See eval.Func.Instances.
	Like *eval.Func
	// Given are case files of the repository for this function.
	Given []*eval.Suite
	// Exact as in spectest.Target.
	Exact bool
}

// Subject is a function to be measured. Not both sides are nil.
type Subject struct {
	Symbol     string
	Pair       *pair.Function
	Base, Head *Side
	// Same says that the executable code is the same on both sides: it is then run once, in head's tree, and both contracts are asked about the
	// same spectests.
	Same bool
	// Unchanged says that, and that both contracts mean the same.
	Unchanged bool
}

// Job is a function to be run on inputs, with its mutants.
type Job struct {
	Function *model.Function
	Target   *spectest.Target
	Inputs   []spectest.Input
	Mutants  mutate.Result
}

// End says how a call ended. The zero value is invalid.
type End uint8

const (
	Returned End = iota + 1
	Panicked
	Endless // stopped at a limit of time or fuel
	Crashed // the process ended: a signal, memory, exit
	Lost    // nothing is known of it
)

// Outcome is how one call ended.
type Outcome struct {
	End End
	// Got is what a call that Returned gave.
	Got spectest.Observed
	// Text is a few words on how others ended: the message of the panic, the signal.
	Text string
}

// Ran is what became of a Job.
type Ran struct {
	// Unmeasured says why nothing was run; empty if something was.
	Unmeasured string
	// Compiled says that the code was compiled, whatever came then.
	Compiled bool
	// Unsettled says why it may come out otherwise the next time, with the same sources and the same compiler; empty if it should not.
	Unsettled string
	// Outcomes by input of the job.
	Outcomes []Outcome
	// Mutants has the outcomes by input, for each mutant of the job; nil for one that does not compile.
	Mutants [][]Outcome
	// GivenUp is how many mutants were not run, since calls of others took too long.
	GivenUp int
}

// Runner compiles and runs jobs of one side. It gives as many Rans as there are jobs. An error is about the run as such, and its text a reason why
// nothing of that side was measured; or it is that of ctx.
type Runner func(ctx context.Context, jobs []Job) ([]Ran, error)

// Request says what to measure.
type Request struct {
	Subjects []*Subject
	Options  Options
	// Base and Head run jobs in the trees of the two sides. Base may be nil when no subject has one.
	Base, Head Runner
	// Asked counts the questions to contracts about wrong results; nil: nobody wants to know.
	Asked *atomic.Int64
}

// Measure measures functions. The results are in the order of the subjects, whatever the order in which they are done. The error is that of ctx,
// or of a Runner that could not run at all.
func Measure(ctx context.Context, q Request) ([]*Result, error) {
	o := q.Options
	o.Jobs = max(o.Jobs, 1)
	if o.PerFunction <= 0 {
		o.PerFunction = DefaultPerFunction
	}
	out := make([]*Result, len(q.Subjects))
	err := each(ctx, o.Jobs, len(q.Subjects), func(i int) error {
		out[i] = &Result{subject: q.Subjects[i], o: o, asked: q.Asked}
		return out[i].whole(func() error { return out[i].prepare(ctx) })
	})
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		name string
		run  Runner
		of   func(r *Result) *sided
	}{
		{"base", q.Base, func(r *Result) *sided { return r.base }},
		{"head", q.Head, func(r *Result) *sided { return r.head }},
	} {
		var jobs []Job
		var whose []*sided
		for _, r := range out {
			if side := s.of(r); side != nil && side.job != nil {
				jobs, whose = append(jobs, *side.job), append(whose, side)
			}
		}
		if len(jobs) == 0 {
			continue
		}
		ran, err := s.run(ctx, jobs)
		if err != nil {
			return nil, fmt.Errorf("run functions of %s: %w", s.name, err)
		}
		if len(ran) != len(jobs) {
			return nil, fmt.Errorf("run functions of %s: %d jobs, but %d results", s.name, len(jobs), len(ran))
		}
		for i, side := range whose {
			side.ran = &ran[i]
		}
	}
	err = each(ctx, o.Jobs, len(out), func(i int) error { return out[i].whole(func() error { return out[i].conclude(ctx) }) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// whole does a part of what is done for a function. A panic is a mistake of specgate: nothing is known of this function then, and the others are measured.
func (r *Result) whole(do func() error) error {
	defer func() {
		if p := recover(); p != nil {
			r.failed(p)
		}
	}()
	return do()
}

// failed notes that looking at a function panicked.
func (r *Result) failed(p any) {
	r.panicked = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
	side := func(s *Side) *sided {
		if s == nil {
			return nil
		}
		return &sided{side: s, unmeasured: internal(p)}
	}
	r.base, r.head, r.same = side(r.subject.Base), side(r.subject.Head), false
}

// internal is what is said of a function that a mistake of specgate kept from being measured.
func internal(p any) string { return fmt.Sprintf("internal error of specgate: %v", p) }

// Panicked is the value and the stack of the panic that ended the measuring of a function; empty if there was none.
func (r *Result) Panicked() string { return r.panicked }

// each calls do for 0 to n-1, some at a time.
func each(ctx context.Context, jobs, n int, do func(i int) error) error {
	var wait sync.WaitGroup
	next := make(chan int)
	errs := make([]error, n)
	for range min(jobs, n) {
		wait.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("measure the strength of contracts: %w", context.Cause(ctx))
	}
	return errors.Join(errs...)
}

// Result is what measuring one function came to.
type Result struct {
	subject    *Subject
	o          Options
	asked      *atomic.Int64
	base, head *sided
	// same: both contracts are asked about head's spectests.
	same     bool
	panicked string
	took     time.Duration // for looking at it
	// strength and givenUp are what it came to, when nothing else of it is there any more.
	strength *checks.StrengthPair
	givenUp  int
}

// Subject that was measured.
func (r *Result) Subject() *Subject { return r.subject }

// GivenUp is how many mutants, of one side, were not run, since calls of others did not end.
func (r *Result) GivenUp() int {
	n := r.givenUp
	for _, s := range []*sided{r.base, r.head} {
		if s != nil && s.ran != nil {
			n = max(n, s.ran.GivenUp)
		}
	}
	return n
}

// Strength is the result as rules see it.
func (r *Result) Strength() *checks.StrengthPair {
	if r.strength != nil {
		return r.strength
	}
	out := &checks.StrengthPair{Pair: r.subject.Pair, Base: r.base.measured(r.o), Head: r.head.measured(r.o), Unchanged: r.subject.Unchanged}
	r.compare(out)
	return out
}

// within gives a function what is left of the time that it may take. late tells that an error means that this time is over, and not all of it.
func (r *Result) within(ctx context.Context) (_ context.Context, done func(), late func() bool) {
	start := time.Now()
	inner, cancel := context.WithTimeout(ctx, r.o.PerFunction-r.took)
	return inner, func() { cancel(); r.took += time.Since(start) }, func() bool { return inner.Err() != nil && ctx.Err() == nil }
}

func (o Options) slow() string {
	return fmt.Sprintf("its time was over: looking at its contract took more than %v", o.PerFunction)
}

// plain is the text of an error about what cannot be made, without the words around it.
func plain(symbol string, err error) string {
	text := strings.TrimPrefix(err.Error(), "make inputs of "+symbol+": ")
	text = strings.TrimPrefix(text, "read the contract of "+symbol[strings.LastIndex(symbol, ":")+1:]+": ")
	return strings.Replace(text, eval.ErrUnsupported.Error()+": ", "", 1)
}

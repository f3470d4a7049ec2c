package measure

import (
	"context"
	"fmt"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/value"
)

// maxGiven is the most cases of the repository that join the suite of one function.
const maxGiven = 1000

// domainSteps bound the question whether an input meets the requires of the other side.
const domainSteps = 60_000

// sided is one side of a function while it is measured.
type sided struct {
	side   *Side
	target *spectest.Target
	// Why there is no suite; at most one is set.
	notApplicable, unmeasured, void string
	refuted                         *refuted
	// job is nil when nothing is to be run for this side: it is not measured, or the other side's is run.
	job *Job
	ran *Ran
	// pool are the inputs of the job; meets tells of each whether it meets this side's requires.
	pool  []spectest.Input
	meets []bool
	// other tells the same of the other side's requires; nil when the two are not compared.
	other []bool
	given []givenCase

	suite *asked
}

// givenCase is a case of the repository.
type givenCase struct {
	input int // in the pool
	got   spectest.Observed
}

// prepare makes the inputs and the jobs. The error is that of ctx.
func (r *Result) prepare(ctx context.Context) error {
	ctx, done, late := r.within(ctx)
	defer done()
	s := r.subject
	r.base, r.head = newSided(s, s.Base, s.Head), newSided(s, s.Head, s.Base)
	r.same = s.Same && r.base.open() && r.head.open() && eval.SameTypes(r.base.target.Judge(), r.head.target.Judge()) == nil
	var err error
	if r.same {
		err = r.shared(ctx)
	}
	// Without inputs that both allow there is nothing to compare.
	if err == nil && !r.same {
		for _, side := range []*sided{r.base, r.head} {
			if side.open() && err == nil {
				err = side.alone(ctx, r.o)
			}
		}
	}
	if err != nil && late() {
		for _, side := range []*sided{r.base, r.head} {
			if side.open() {
				side.unmeasured, side.job = r.o.slow(), nil
			}
		}
		return nil
	}
	return err
}

// open tells whether a side can still be measured.
func (s *sided) open() bool {
	return s != nil && s.notApplicable == "" && s.unmeasured == "" && s.void == "" && s.refuted == nil
}

func newSided(subject *Subject, side, other *Side) *sided {
	if side == nil {
		return nil
	}
	s := &sided{side: side}
	if side.Function.Kind == model.AssumeSpecFunction {
		s.unmeasured = "it states the contract of another function, which is not run"
		return s
	}
	if side.Func == nil {
		s.unmeasured = "the evaluator does not know functions that stand where this one does"
		return s
	}
	like := side.Like
	if like == nil && other != nil {
		like = other.Func
	}
	target, err := spectest.NewTarget(side.Func, like, subject.Symbol)
	if err != nil {
		s.unmeasured = plain(subject.Symbol, err)
		return s
	}
	target.Exact = side.Exact
	s.target = target
	j := target.Judge()
	changes := false
	for _, p := range j.Params() {
		changes = changes || p.Mut
	}
	if t := j.Result(); t.Kind == value.TTuple && len(t.Args) == 0 && !changes {
		s.notApplicable = "it returns nothing and changes nothing"
	}
	return s
}

// alone makes the inputs of a side by itself.
func (s *sided) alone(ctx context.Context, o Options) error {
	set, err := s.target.Inputs(ctx, spectest.Options{Count: o.Inputs, Seed: o.Seed})
	if err != nil {
		return err
	}
	s.pool, s.meets = nil, nil
	add := adder{s: s, seen: map[string]int{}}
	for _, in := range set.Inputs {
		add.input(in, true)
	}
	for _, in := range set.Outside {
		add.input(in, false)
	}
	s.addGiven(&add, func(args []value.Value) (bool, bool) { return meets(s.target, args) })
	if s.nothing(set) {
		return nil
	}
	s.makeJob(o)
	return nil
}

// nothing notes that there is no input to run the function on.
func (s *sided) nothing(set spectest.Set) bool {
	for _, m := range s.meets {
		if m {
			return false
		}
	}
	s.unmeasured = "no arguments were found that meet its requires"
	if set.Reason != "" {
		s.unmeasured += ": " + set.Reason
	}
	return true
}

func (s *sided) makeJob(o Options) {
	f := s.side.Function
	s.job = &Job{Function: f, Target: s.target, Inputs: s.pool}
	if o.Mutants > 0 && f.HasBody {
		s.job.Mutants = mutate.Mutants(f, mutate.Options{Max: o.Mutants, Seed: o.Seed})
	}
}

// meets tells whether arguments meet requires; known is false when that is not decided.
func meets(t *spectest.Target, args []value.Value) (yes, known bool) {
	a := t.Judge().Input(args, domainSteps)
	return a.Meets == value.True, a.Meets != value.Undecided && a.Exists == value.True
}

// shared makes inputs of both sides' requires, for one suite. Where none is allowed by both, r.same becomes false.
func (r *Result) shared(ctx context.Context) error {
	o := spectest.Options{Count: r.o.Inputs, Seed: r.o.Seed}
	sets := [2]spectest.Set{}
	sides := [2]*sided{r.base, r.head}
	for i, s := range sides {
		var err error
		if sets[i], err = s.target.Inputs(ctx, o); err != nil {
			return err
		}
	}
	// Those that both allow fill the suite; a quarter more are inputs that one side alone allows.
	count := o.Count
	if count <= 0 {
		count = spectest.DefaultCount
	}
	type both struct {
		in         spectest.Input
		base, head bool
	}
	var common, only []both
	seen := map[string]bool{}
	onlyOf := [2]int{}
	for k := 0; k < max(len(sets[0].Inputs), len(sets[1].Inputs)); k++ {
		for i := len(sides) - 1; i >= 0; i-- { // head's first
			if k >= len(sets[i].Inputs) {
				continue
			}
			in := sets[i].Inputs[k]
			key, ok := keyOf(in.Args)
			if !ok || seen[key] {
				continue
			}
			seen[key] = true
			yes, known := meets(sides[1-i].target, in.Args)
			b := both{in: in, base: i == 0 || yes, head: i == 1 || yes}
			switch {
			case !known:
			case yes && len(common) < count:
				common = append(common, b)
			case !yes && onlyOf[i] < max(count/4, 1):
				onlyOf[i]++
				only = append(only, b)
			}
		}
	}
	if len(common) == 0 {
		r.same = false
		return nil
	}
	head := adder{s: r.head, seen: map[string]int{}}
	for _, b := range append(common, only...) {
		head.input(b.in, b.head)
		r.base.meets = append(r.base.meets, b.base)
	}
	for _, in := range sets[1].Outside {
		if n := len(r.head.pool); head.input(in, false) == n {
			yes, known := meets(r.base.target, in.Args)
			r.base.meets = append(r.base.meets, yes && known)
		}
	}
	r.head.addGiven(&head, func(args []value.Value) (bool, bool) {
		yes, known := meets(r.head.target, args)
		was, wasKnown := meets(r.base.target, args)
		if known && wasKnown {
			r.base.meets = append(r.base.meets, was)
		}
		return yes, known && wasKnown
	})
	r.base.pool, r.base.given = r.head.pool, r.head.given
	r.base.other, r.head.other = r.head.meets, r.base.meets
	r.head.makeJob(r.o)
	return nil
}

// adder adds inputs to the pool of a side, each once.
type adder struct {
	s    *sided
	seen map[string]int
}

// input gives the place of an input in the pool; -1 for one that is not known well enough to be told from others.
func (a *adder) input(in spectest.Input, meets bool) int {
	key, ok := keyOf(in.Args)
	if !ok {
		return -1
	}
	if i, ok := a.seen[key]; ok {
		return i
	}
	a.seen[key] = len(a.s.pool)
	a.s.pool, a.s.meets = append(a.s.pool, in), append(a.s.meets, meets)
	return len(a.s.pool) - 1
}

// addGiven adds the inputs of given cases. decide tells whether one meets requires, and is called for those that are new.
func (s *sided) addGiven(add *adder, decide func(args []value.Value) (yes, known bool)) {
	for _, file := range s.side.Given {
		q, err := file.For(s.side.Func)
		if err != nil {
			continue // said where the files are read
		}
		for i := 0; i < file.Len() && len(s.given) < maxGiven; i++ {
			k, why, err := q.Case(i)
			if err != nil || why != "" || !s.conform(k) {
				continue
			}
			at := -1
			if key, ok := keyOf(k.Args); ok {
				if n, ok := add.seen[key]; ok {
					at = n
				} else if yes, known := decide(k.Args); known {
					at = add.input(spectest.Input{Args: k.Args, Origin: spectest.Small}, yes)
				}
			}
			if at >= 0 {
				s.given = append(s.given, givenCase{at, spectest.Observed{Result: k.Result, After: k.After}})
			}
		}
	}
}

// conform gives the values of a case the types that the function is measured with; false if they have others.
func (s *sided) conform(k *eval.Case) bool {
	j := s.target.Judge()
	ok := true
	to := func(v value.Value, t *value.Type) value.Value {
		if v == nil || !ok {
			return v
		}
		v, ok = j.Conform(v, t)
		return v
	}
	for i, p := range j.Params() {
		k.Args[i], k.After[i] = to(k.Args[i], p.Type), to(k.After[i], p.Type)
	}
	k.Result = to(k.Result, j.Result())
	return ok
}

func keyOf(vs []value.Value) (string, bool) {
	var b []byte
	ok := true
	for _, v := range vs {
		if b, ok = value.AppendKey(b, v); !ok {
			return "", false
		}
		b = append(b, '|')
	}
	return string(b), true
}

// CheckGiven reads the cases of a file for a function, and says what is wrong with it: the first case that cannot be read.
func CheckGiven(f *eval.Func, file *eval.Suite) error {
	q, err := file.For(f)
	if err != nil {
		return err
	}
	for i := range file.Len() {
		if _, _, err := q.Case(i); err != nil {
			return err
		}
	}
	if file.Broken != nil {
		return file.Broken
	}
	if n := file.Len(); n > maxGiven {
		return fmt.Errorf("it has %d cases, and %d are the most that are used", n, maxGiven)
	}
	return nil
}

package spectest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/value"
)

const (
	// DefaultCount is how many inputs a suite has.
	DefaultCount = 32
	// DefaultOutside is how many inputs are kept that do not meet requires.
	DefaultOutside = 8
	// DefaultSteps bounds the steps of the interpreter for the inputs of one function.
	DefaultSteps = 4_000_000
	// inputSteps bounds the steps of the question whether an input meets requires.
	inputSteps = 60_000
	// poolFactor is how many inputs are found for each that is chosen.
	poolFactor = 5
	// hopeless is how many candidates are tried when not one can be decided.
	hopeless = 100
	// tryFactor is how many candidates are tried for each input that is asked for.
	tryFactor = 40
)

// Options bound and seed the inputs. Zero values mean the defaults; a Seed of 0 is a seed.
type Options struct {
	Count, Outside int
	Seed           uint64
	// Steps of the interpreter.
	Steps int
}

func (o Options) filled() Options {
	if o.Count <= 0 {
		o.Count = DefaultCount
	}
	if o.Outside <= 0 {
		o.Outside = DefaultOutside
	}
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	return o
}

// Yield counts candidates. Tried is the sum of Met, Outside, Invalid and Undecided.
type Yield struct {
	// Tried candidates, each different from the others. Those that steering came to are among them.
	Tried int
	// Met requires.
	Met int
	// Outside: requires is false.
	Outside int
	// Invalid: a type invariant is false, so that there is no such value.
	Invalid int
	// Undecided: whether requires holds was not found out.
	Undecided int
	// Steered is how many candidates were changed in search of one that meets requires, Reached how many of them got there.
	Steered, Reached int
}

// Set is the inputs of a function.
type Set struct {
	// Inputs meet requires and the type invariants, as the evaluator decided. The simplest comes first.
	Inputs []Input
	// Outside are inputs of valid values for which requires is false: the contract says nothing about them.
	Outside []Input
	Yield   Yield
	// Complete says that Inputs are all that there are.
	Complete bool
	// Reason says why there are fewer inputs than were asked for; empty if there are not.
	Reason string
}

// search collects candidates.
type search struct {
	t     *Target
	o     Options
	seen  map[string]bool
	steps int
	set   Set
	pool  []Input
	out   []Input
	whys  map[string]int // reasons for undecided
	falls map[string]int // clauses that are false
}

// Inputs makes inputs of a function that meet its requires, and a few that do not. The error is that of ctx.
func (t *Target) Inputs(ctx context.Context, o Options) (Set, error) {
	s := &search{t: t, o: o.filled(), seen: map[string]bool{}, whys: map[string]int{}, falls: map[string]int{}}
	if err := s.run(ctx); err != nil {
		return Set{}, fmt.Errorf("make inputs of %s: %w", t.symbol, err)
	}
	s.set.Inputs = choose(s.pool, s.o.Count, t.lits)
	s.set.Outside = choose(s.out, s.o.Outside, t.lits)
	s.explain()
	return s.set, nil
}

func (s *search) run(ctx context.Context) error {
	types := s.t.types()
	unpack := func(v value.Value) []value.Value {
		if t, ok := v.(value.Tuple); ok {
			return t
		}
		return nil
	}
	if all, ok := s.t.everyOf(types, 4*s.o.Count, 0, func(vs []value.Value) value.Value { return value.Tuple(vs) }); ok {
		for _, v := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.try(unpack(v), Small)
		}
		s.set.Complete = s.set.Yield.Undecided == 0
		return nil
	}
	small := s.small(types)
	gen := &generator{t: s.t, rng: s.t.source(s.o.Seed, "inputs")}
	steer := s.t.steerer(s.o.Seed, "steering")
	want := poolFactor * s.o.Count
	idle := 0
	y := &s.set.Yield
	for i := 0; y.Tried < tryFactor*s.o.Count && len(s.pool) < want && s.steps < s.o.Steps && idle < 200; i++ {
		if y.Undecided == y.Tried && y.Tried >= hopeless {
			break // what decides is not known, whatever the candidate
		}
		if y.Met == 0 && y.Steered >= hopeless/2 && s.steps > s.o.Steps/3 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var args []value.Value
		origin := Random
		switch {
		case i%3 == 0 && i/3 < len(small):
			args, origin = small[i/3], Small
		case i%3 == 1 && len(s.pool) > 0 && y.Tried > 10 && y.Met*2 < y.Tried:
			// What meets requires lies near what does.
			args, origin = steer.mutate(s.pool[steer.rng.IntN(len(s.pool))].Args), Steered
		default:
			args = gen.input()
		}
		met, fresh := s.try(args, origin)
		if !fresh {
			idle++
			continue
		}
		idle = 0
		// What is easy to meet by chance needs no steering; of what is hard every candidate is worth some.
		if met == value.True || y.Tried > 40 && y.Met*3 > y.Tried {
			continue
		}
		if y.Steered > 12 && y.Reached*20 < y.Steered && i%4 != 0 || steer.steps > s.o.Steps/2 {
			continue
		}
		y.Steered++
		before := steer.steps
		got, ok := steer.climb(ctx, args, before+s.o.Steps/24)
		s.steps += steer.steps - before
		if ok {
			y.Reached++
			s.try(got, Steered)
		}
	}
	return nil
}

// small gives the simplest inputs.
func (s *search) small(types []*value.Type) (out [][]value.Value) {
	each := 24
	switch {
	case len(types) == 2:
		each = 20
	case len(types) > 2:
		each = 10
	}
	pools := make([][]value.Value, len(types))
	for i, t := range types {
		for _, v := range s.t.judge.Small(t, each) {
			if s.t.judge.Fits(v) {
				pools[i] = append(pools[i], v)
			}
		}
	}
	eval.Diagonal(pools, func(vs []value.Value) bool {
		out = append(out, slices.Clone(vs))
		return len(out) < 8*s.o.Count
	})
	return out
}

// try asks about a candidate and keeps it. fresh is false for one that is no value, or that was there before.
func (s *search) try(args []value.Value, origin Origin) (met value.Truth, fresh bool) {
	if args == nil && len(s.t.params) > 0 {
		return value.Undecided, false
	}
	if value.Weight(value.Tuple(args), maxParts+1) > maxParts {
		return value.Undecided, false
	}
	key, ok := keyOf(args)
	if !ok || s.seen[key] {
		return value.Undecided, false
	}
	s.seen[key] = true
	a := s.t.judge.Input(args, inputSteps)
	s.steps += a.Steps + 10
	y := &s.set.Yield
	y.Tried++
	switch {
	case a.Meets == value.True:
		y.Met++
		s.pool = append(s.pool, Input{args, origin})
	case a.Exists == value.False:
		y.Invalid++
	case a.Meets == value.False && a.Exists == value.True:
		y.Outside++
		if a.Clause != nil {
			s.falls[strings.Join(strings.Fields(a.Clause.Node.Text()), " ")]++
		}
		if len(s.out) < poolFactor*s.o.Outside {
			s.out = append(s.out, Input{args, origin})
		}
	default:
		y.Undecided++
		s.whys[a.Why]++
	}
	return a.Meets, true
}

// explain says why there are fewer inputs than asked for.
func (s *search) explain() {
	y := s.set.Yield
	n := len(s.set.Inputs)
	switch {
	case n >= s.o.Count:
	case s.set.Complete:
		s.set.Reason = fmt.Sprintf("there are no others: %d of %d meet requires", n, y.Tried)
	case y.Undecided > y.Outside && y.Undecided > y.Met:
		s.set.Reason = fmt.Sprintf("of %d candidates, %d meet requires, and for %d that was not decided (%s)", y.Tried, y.Met, y.Undecided, most(s.whys))
	case y.Outside > 0:
		s.set.Reason = fmt.Sprintf("of %d candidates, %d meet requires; %d do not, most often because of `%s`", y.Tried, y.Met, y.Outside, cut(most(s.falls)))
	case y.Invalid > 0:
		s.set.Reason = fmt.Sprintf("of %d candidates, %d meet requires, and %d break a type invariant", y.Tried, y.Met, y.Invalid)
	default:
		s.set.Reason = fmt.Sprintf("only %d different candidates were found", y.Tried)
	}
}

func cut(text string) string {
	const length = 100
	if r := []rune(text); len(r) > length {
		return string(r[:length]) + ".."
	}
	return text
}

// most is the key of the greatest count.
func most(counts map[string]int) string {
	best := ""
	for k, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && k < best {
			best = k
		}
	}
	return best
}

// choose takes n inputs of as many kinds as there are, the simplest of each first, and puts the simplest first.
func choose(pool []Input, n int, lits eval.Literals) []Input {
	type entry struct {
		Input
		size, found int
		key         string
	}
	bySize := func(a, b *entry) int { return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.key, b.key)) }
	sorted := make([]*entry, len(pool))
	for i, in := range pool {
		key, _ := keyOf(in.Args)
		sorted[i] = &entry{in, in.Size(), i, key}
	}
	slices.SortFunc(sorted, bySize)
	kinds := map[string]int{}
	var classes [][]*entry
	for _, e := range sorted {
		kind := ""
		for _, v := range e.Args {
			kind += classOf(v, lits, 0) + "|"
		}
		at, known := kinds[kind]
		if !known {
			at = len(classes)
			kinds[kind] = at
			classes = append(classes, nil)
		}
		classes[at] = append(classes[at], e)
	}
	// Of each kind the simplest comes first, and then what was found, simple or not.
	for _, c := range classes {
		slices.SortFunc(c[1:], func(a, b *entry) int { return cmp.Compare(a.found, b.found) })
	}
	// Of very many kinds, simple and complex ones are taken alike.
	if len(classes) > n {
		some := make([][]*entry, n)
		for i := range n {
			some[i] = classes[i*len(classes)/n]
		}
		classes = some
	}
	var chosen []*entry
	for round := 0; len(chosen) < n; round++ {
		took := false
		for _, c := range classes {
			if round < len(c) && len(chosen) < n {
				chosen = append(chosen, c[round])
				took = true
			}
		}
		if !took {
			break
		}
	}
	slices.SortFunc(chosen, bySize)
	var out []Input
	for _, e := range chosen {
		out = append(out, e.Input)
	}
	return out
}

// classOf tells what kind of value one is: inputs of one kind are likely to take the same way through the code.
func classOf(v value.Value, lits eval.Literals, depth int) string {
	if depth > 3 {
		return ""
	}
	all := func(vs []value.Value) string {
		out := ""
		for _, x := range vs[:min(len(vs), 8)] {
			out += classOf(x, lits, depth+1) + ","
		}
		return out
	}
	switch v := v.(type) {
	case value.Int:
		for i, l := range lits.Ints[:min(len(lits.Ints), 8)] {
			if l.Cmp(v) == 0 {
				return fmt.Sprintf("l%d", i)
			}
		}
		lo, hi := v.Type.Limits(32)
		switch n, small := v.Int64(); {
		case small && n >= -1 && n <= 2:
			return fmt.Sprint(n)
		case hi != nil && v.Cmp(*hi) == 0:
			return "max"
		case lo != nil && v.Cmp(*lo) == 0:
			return "min"
		case v.Sign() < 0:
			return "neg"
		case v.BitLen() <= 5:
			return "small"
		}
		return "big"
	case value.Bool:
		return fmt.Sprint(bool(v))
	case value.Char:
		if i := slices.Index(lits.Chars, rune(v)); i >= 0 {
			return fmt.Sprintf("l%d", i)
		}
		if v < 128 {
			return "ascii"
		}
		return "wide"
	case value.Tuple:
		return all(v)
	case *value.Data:
		return v.Variant + "(" + all(v.Fields) + ")"
	case *value.List:
		n := len(v.Elems)
		if n == 0 {
			return "[]"
		}
		out := fmt.Sprintf("[%d", min(n, 3)+min(max(n-3, 0), 1)+min(max(n-8, 0), 1))
		up, down, twice := true, true, len(distinct(v.Elems)) < n
		for i := 1; i < n; i++ {
			c := compareValues(v.Elems[i-1], v.Elems[i])
			up, down = up && c <= 0, down && c >= 0
		}
		return fmt.Sprintf("%s%t%t%t", out, up, down, twice)
	}
	return ""
}

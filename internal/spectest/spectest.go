// Package spectest makes the spectests of a function: inputs that its contract allows, and wrong results for what it gives on them.
// The contract is asked, by internal/eval, which of them it rejects. Nothing here runs code: the observed results come from others.
//
// Everything is deterministic: the same function, seed and bounds give the same inputs, edits and order.
package spectest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/value"
)

// Input is the arguments of one call: for mutable references, the values before it.
type Input struct {
	Args []value.Value
	// Origin says how the input was found.
	Origin Origin
}

// Size tells how simple an input is for a reader; the simplest has the least.
func (in Input) Size() int { return sizeOf(in.Args) }

// Origin says how an input was found.
type Origin uint8

const (
	_ Origin = iota
	// Small: one of the simplest values of its types, limits and literals of the code among them.
	Small
	// Random: drawn at random.
	Random
	// Steered: a candidate that did not meet requires, changed until it did.
	Steered
)

// String is "small", "random" or "steered".
func (o Origin) String() string {
	switch o {
	case Small:
		return "small"
	case Random:
		return "random"
	case Steered:
		return "steered"
	}
	return "?"
}

// Observed is what a function gave for an input.
type Observed struct {
	Result value.Value
	// After has an entry for every parameter: the value after the call of one that is a mutable reference, nil for others.
	After []value.Value
}

// Target is a function whose spectests are made, with the types that its type parameters stand for. It is for one goroutine.
type Target struct {
	symbol string
	judge  *eval.Judge
	params []eval.Param
	result *value.Type
	lits   eval.Literals
	depths map[string]int // see depth
	// valid has values that meet the invariant of their type, by its typeKey; see generator.valid.
	valid map[string][]value.Value
	// Exact says that what specifications do not show of a result counts: it is wrong too when it differs in that alone.
	Exact bool
}

// NewTarget reads the contract of a function, whose symbol goes into the seed. like is the function in another version of the sources, or nil: see
// eval.Func.Instances. The error is eval.ErrUnsupported when no values of its
// types can be made, and says of which and why.
func NewTarget(f, like *eval.Func, symbol string) (*Target, error) {
	inst, err := f.Instances(like)
	if err != nil {
		return nil, fmt.Errorf("make inputs of %s: %w", symbol, err)
	}
	j, err := f.NewJudge(inst)
	if err != nil {
		return nil, fmt.Errorf("make inputs of %s: %w", symbol, err)
	}
	t := &Target{symbol: symbol, judge: j, params: j.Params(), result: j.Result(), lits: j.Literals(), depths: map[string]int{},
		valid: map[string][]value.Value{}}
	for _, p := range t.params {
		if err := t.makeable(p.Type); err != nil {
			return nil, fmt.Errorf("make inputs of %s: parameter %s: %w", symbol, p.Name, err)
		}
	}
	return t, nil
}

// Judge that answers for the contract.
func (t *Target) Judge() *eval.Judge { return t.judge }

// types of the parameters.
func (t *Target) types() []*value.Type {
	out := make([]*value.Type, len(t.params))
	for i, p := range t.params {
		out[i] = p.Type
	}
	return out
}

// Symbol of the function.
func (t *Target) Symbol() string { return t.symbol }

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", eval.ErrUnsupported, fmt.Sprintf(format, args...))
}

// source of randomness for one purpose. It depends on the function and the purpose only, never on what else was made before.
func (t *Target) source(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.symbol + "\x00" + purpose)) // never fails
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

func sizeOf(vs []value.Value) int {
	n := 0
	for _, v := range vs {
		if v != nil {
			n += value.Size(v)
		}
	}
	return n
}

// keyOf is a text that two lists of values share exactly when they are the same; ok is false when a part is not known.
func keyOf(vs []value.Value) (key string, ok bool) {
	var b []byte
	for _, v := range vs {
		if v == nil {
			b = append(b, '-')
			continue
		}
		if b, ok = value.AppendKey(b, v); !ok {
			return "", false
		}
		b = append(b, '|')
	}
	return string(b), true
}

package logic

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// gen makes random formulas over a few variables, small enough to be tried out.
type gen struct {
	s    *Space
	r    *rand.Rand
	ints []*Term
	bool []*Term
}

func (g *gen) int(depth int) *Term {
	if depth == 0 || g.r.IntN(4) == 0 {
		if g.r.IntN(3) == 0 {
			return g.s.Int64(int64(g.r.IntN(7) - 3))
		}
		return g.ints[g.r.IntN(len(g.ints))]
	}
	a, b := g.int(depth-1), g.int(depth-1)
	switch g.r.IntN(8) {
	case 0, 1:
		return g.s.Sum(a, b)
	case 2:
		return g.s.Sub(a, b)
	case 3:
		return g.s.Product(a, b)
	case 4:
		return g.s.If(g.truth(depth-1), a, b)
	case 5:
		return g.s.App(FnMod, intType, a, g.s.Int64(int64(g.r.IntN(3)+1)))
	case 6:
		return g.s.App(FnDiv, intType, a, g.s.Int64(int64(g.r.IntN(3)+1)))
	}
	return g.s.App("f", natType, a)
}

func (g *gen) truth(depth int) *Term {
	if depth == 0 || g.r.IntN(5) == 0 {
		return g.bool[g.r.IntN(len(g.bool))]
	}
	switch g.r.IntN(9) {
	case 0:
		return g.s.Not(g.truth(depth - 1))
	case 1:
		return g.s.And(g.truth(depth-1), g.truth(depth-1))
	case 2:
		return g.s.Or(g.truth(depth-1), g.truth(depth-1))
	case 3:
		return g.s.Iff(g.truth(depth-1), g.truth(depth-1))
	case 4:
		return g.s.If(g.truth(depth-1), g.truth(depth-1), g.truth(depth-1))
	case 5:
		return g.s.Equal(g.int(depth-1), g.int(depth-1))
	case 6:
		// A quantifier over a type of two values.
		op := Forall
		if g.r.IntN(2) == 0 {
			op = Exists
		}
		saved := g.ints
		g.ints = append([]*Term{g.s.Bound(0, intType)}, g.ints...)
		depth = min(depth, 2)
		body := g.truth(depth - 1)
		g.ints = saved
		in := g.s.And(g.s.LessEq(g.s.Int64(0), g.s.Bound(0, intType)), g.s.LessEq(g.s.Bound(0, intType), g.s.Int64(1)))
		if op == Forall {
			return g.s.Quant(op, intType, g.s.Implies(in, g.shiftless(body)))
		}
		return g.s.Quant(op, intType, g.s.And(in, g.shiftless(body)))
	}
	return g.s.LessEq(g.int(depth-1), g.int(depth-1))
}

// shiftless drops bodies with nested quantifiers, whose indices this generator does not count.
func (g *gen) shiftless(body *Term) *Term {
	nested := false
	var walk func(t *Term)
	walk = func(t *Term) {
		nested = nested || t.binds()
		for _, a := range t.Args {
			walk(a)
		}
	}
	walk(body)
	if nested {
		return g.bool[0]
	}
	return body
}

// calc calculates a term; f is the function f(x) = |x| mod 3, and quantifiers range over 0 and 1.
func calc(s *Space, t *Term, v Assignment) *big.Int {
	truth := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	arg := func(i int) *big.Int { return calc(s, t.Args[i], v) }
	switch t.Op {
	case True, False:
		return truth(t.Op == True)
	case Int:
		return t.Val
	case Var:
		return v[t]
	case Not:
		return truth(arg(0).Sign() == 0)
	case And, Or:
		for i := range t.Args {
			if (arg(i).Sign() != 0) == (t.Op == Or) {
				return truth(t.Op == Or)
			}
		}
		return truth(t.Op == And)
	case Iff:
		return truth(arg(0).Sign() == arg(1).Sign())
	case Eq:
		return truth(arg(0).Cmp(arg(1)) == 0)
	case Le:
		return truth(arg(0).Cmp(arg(1)) <= 0)
	case If:
		if arg(0).Sign() != 0 {
			return arg(1)
		}
		return arg(2)
	case Add:
		sum := new(big.Int)
		for i := range t.Args {
			sum.Add(sum, arg(i))
		}
		return sum
	case Mul:
		prod := big.NewInt(1)
		for i := range t.Args {
			prod.Mul(prod, arg(i))
		}
		return prod
	case Forall, Exists:
		for i := int64(0); i < 2; i++ {
			if (calc(s, s.subst(t.Args[0], s.Int64(i)), v).Sign() != 0) == (t.Op == Exists) {
				return truth(t.Op == Exists)
			}
		}
		return truth(t.Op == Forall)
	case App:
		switch t.Name {
		case FnMod:
			return new(big.Int).Mod(arg(0), arg(1))
		case FnDiv:
			return new(big.Int).Div(arg(0), arg(1))
		case "f":
			return new(big.Int).Mod(new(big.Int).Abs(arg(0)), big.NewInt(3))
		}
	}
	panic("calc: " + t.String())
}

// TestSound looks for contradictions that are none: formulas that the prover calls contradictory and that some values meet.
func TestSound(t *testing.T) {
	n := 900
	if testing.Short() {
		n = 400
	}
	shown := 0
	for i := range n {
		s := NewSpace()
		r := rand.New(rand.NewPCG(uint64(i), 7))
		g := &gen{s: s, r: r, ints: []*Term{s.Var("x", intType), s.Var("y", natType), s.Var("z", IntegerType("u8"))}, bool: []*Term{s.Var("a", boolType), s.Var("b", boolType)}}
		var fs []*Term
		for range 2 + r.IntN(4) {
			fs = append(fs, g.truth(3))
		}
		p := &Prover{S: s, Steps: 1500}
		if !p.Contradicts(fs) {
			continue
		}
		shown++
		for x := int64(-4); x <= 4; x++ {
			for y := int64(0); y <= 4; y++ {
				for z := int64(0); z <= 4; z++ {
					for ab := int64(0); ab < 4; ab++ {
						v := Assignment{g.ints[0]: big.NewInt(x), g.ints[1]: big.NewInt(y), g.ints[2]: big.NewInt(z), g.bool[0]: big.NewInt(ab & 1), g.bool[1]: big.NewInt(ab >> 1)}
						all := true
						for _, f := range fs {
							if calc(s, f, v).Sign() == 0 {
								all = false
								break
							}
						}
						if all {
							t.Fatalf("seed %d: called contradictory, and x=%d y=%d z=%d a,b=%d meets %v", i, x, y, z, ab, fs)
						}
					}
				}
			}
		}
	}
	if shown < n/20 {
		t.Errorf("only %d of %d sets were contradictory: the test tries too little", shown, n)
	}
}

// TestFind checks that what Find finds is so.
func TestFind(t *testing.T) {
	found := 0
	for i := range 500 {
		s := NewSpace()
		r := rand.New(rand.NewPCG(uint64(i), 11))
		g := &gen{s: s, r: r, ints: []*Term{s.Var("x", intType), s.Var("y", natType)}, bool: []*Term{s.Var("a", boolType), s.Var("b", boolType)}}
		fs := []*Term{g.truth(3), g.truth(3)}
		p := &Prover{S: s, Steps: 1500}
		v, ok := p.Find(fs)
		if !ok {
			continue
		}
		found++
		for _, x := range append(g.ints, g.bool...) {
			if v[x] == nil {
				v[x] = new(big.Int)
			}
		}
		for _, f := range fs {
			if calc(s, f, v).Sign() == 0 {
				t.Fatalf("seed %d: %v does not meet %v", i, v, f)
			}
		}
		if p.Contradicts(fs) {
			t.Fatalf("seed %d: found, and called contradictory: %v", i, fs)
		}
	}
	if found < 100 {
		t.Errorf("only %d of 500 found", found)
	}
}

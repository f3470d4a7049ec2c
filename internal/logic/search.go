package logic

import (
	"maps"
	"math/big"
	"slices"
)

// Assignment gives values to Vars: integers, or 0 and 1 for truth values.
type Assignment map[*Term]*big.Int

// Terms that have a value, in a fixed order.
func (a Assignment) Terms() []*Term {
	return slices.SortedFunc(maps.Keys(a), func(x, y *Term) int { return x.id - y.id })
}

// maxTries bounds how many assignments one search tries, maxDefinitions how many definitions it puts arguments into.
const (
	maxTries       = 6000
	maxDefinitions = 2000
)

// Find looks for values of the Vars under which all formulas are true. Every value that it gives is checked by calculation, so a
// find is certain; none found says nothing. Formulas with other types than integers and truth values are beyond it.
func (p *Prover) Find(formulas []*Term) (Assignment, bool) {
	if p.S.Overflow {
		return nil, false
	}
	vars, consts, ok := p.vars(formulas)
	if !ok || len(vars) > 5 {
		return nil, false
	}
	// Few variables may take many values, many variables few.
	limit := [...]int{1, 400, 70, 17, 8, 5}[len(vars)]
	values := make([][]*big.Int, len(vars))
	for i, v := range vars {
		values[i] = p.S.candidates(v, consts, limit)
	}
	now := Assignment{}
	tries, defs := maxTries, maxDefinitions
	var try func(i int) bool
	try = func(i int) bool {
		if i < len(vars) {
			for _, v := range values[i] {
				now[vars[i]] = v
				if try(i + 1) {
					return true
				}
				if tries <= 0 {
					return false
				}
			}
			return false
		}
		tries--
		if defs <= 0 || p.Stop != nil && p.Stop() {
			tries = 0
			return false
		}
		for _, max := range targets {
			e := &evaluator{p: p, values: now, target: max, steps: 3000, defs: &defs}
			for _, f := range formulas {
				if v, ok := e.eval(f, 0); !ok || v.Sign() == 0 {
					return false
				}
			}
		}
		return true
	}
	if try(0) {
		return now, true
	}
	return nil, false
}

// targets are the largest usize of the machines that Verus knows. What differs between them is not decided.
var targets = []*big.Int{ranges["u64"].hi, ranges["u32"].hi}

func (p *Prover) vars(formulas []*Term) (vars []*Term, consts []*big.Int, ok bool) {
	seen := map[*Term]bool{}
	ok = true
	var walk func(t *Term)
	walk = func(t *Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch {
		case t.Op == Int:
			consts = append(consts, t.Val)
		case part(t):
			vars = append(vars, t)
			return
		case t.Op == Var && t.Name != "usize::MAX" && t.Name != "isize::MAX":
			if !t.IsInt() && !t.IsBool() {
				ok = false
			}
			vars = append(vars, t)
		case t.binds():
			ok = false
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	for _, f := range formulas {
		walk(f)
	}
	slices.SortFunc(vars, func(a, b *Term) int { return a.id - b.id })
	return vars, consts, ok
}

// part tells an integer or truth value that is a part of a tuple, an Option or a Result of unknown value. The parts of one such
// value are independent of each other, so that each may be given any value of its type.
func part(t *Term) bool {
	if t.Op != App || len(t.Args) != 1 || !t.IsInt() && !t.IsBool() {
		return false
	}
	return projection(t)
}

func projection(t *Term) bool {
	if t.Op != App || len(t.Args) != 1 {
		return false
	}
	of := t.Args[0]
	if of.binds() || of.Type == nil || of.Op != Var && !projection(of) {
		return false
	}
	switch {
	case of.Type.Tuple:
		return len(t.Name) > 1 && t.Name[0] == '.' && t.Name[1] >= '0' && t.Name[1] <= '9'
	case of.Type.Name == "Option":
		return t.Name == FnSome || t.Name == "Some.0"
	case of.Type.Name == "Result":
		return t.Name == FnOk || t.Name == "Ok.0" || t.Name == "Err.0"
	}
	return false
}

// candidates are values to try for a variable: small ones, the numbers of the formulas and their neighbours, the ends of the type.
func (s *Space) candidates(v *Term, consts []*big.Int, limit int) []*big.Int {
	if v.IsBool() {
		return []*big.Int{big.NewInt(0), big.NewInt(1)}
	}
	var lo, hi *big.Int
	if l, h := s.bounds(v.Type); l != nil || h != nil {
		if l != nil && l.Op == Int {
			lo = l.Val
		}
		if h != nil && h.Op == Int {
			hi = h.Val
		}
		switch v.Type.Name {
		case "usize":
			hi = ranges["u32"].hi
		case "isize":
			lo, hi = ranges["i32"].lo, ranges["i32"].hi
		}
	}
	var out []*big.Int
	add := func(n *big.Int) {
		if lo != nil && n.Cmp(lo) < 0 || hi != nil && n.Cmp(hi) > 0 || len(out) >= limit {
			return
		}
		if !slices.ContainsFunc(out, func(m *big.Int) bool { return m.Cmp(n) == 0 }) {
			out = append(out, n)
		}
	}
	for _, n := range []int64{0, 1, 2, 3, 5} {
		add(big.NewInt(n))
	}
	for _, c := range consts {
		for _, d := range []int64{0, -1, 1} {
			add(new(big.Int).Add(c, big.NewInt(d)))
		}
	}
	for _, n := range []int64{-1, -2, 4, 7, 8, 10, 100, -100} {
		add(big.NewInt(n))
	}
	if hi != nil {
		add(hi)
		add(new(big.Int).Sub(hi, big.NewInt(1)))
	}
	if lo != nil {
		add(lo)
	}
	for n := int64(6); len(out) < limit && n < 64; n++ {
		add(big.NewInt(n))
	}
	return out
}

type evaluator struct {
	p      *Prover
	values Assignment
	target *big.Int // usize::MAX
	steps  int
	defs   *int // definitions left for the whole search
}

// eval calculates a ground term. ok is false where the value is not specified, not known, or takes too long.
func (e *evaluator) eval(t *Term, depth int) (v *big.Int, ok bool) {
	if e.steps--; e.steps <= 0 || depth > 60 {
		return nil, false
	}
	truth := func(b bool) (*big.Int, bool) {
		if b {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	}
	arg := func(i int) (*big.Int, bool) { return e.eval(t.Args[i], depth) }
	if v, ok := e.values[t]; ok {
		return v, true
	}
	switch t.Op {
	case True:
		return truth(true)
	case False:
		return truth(false)
	case Int:
		return t.Val, true
	case Var:
		switch t.Name {
		case "usize::MAX":
			return e.target, true
		case "isize::MAX":
			return new(big.Int).Rsh(e.target, 1), true
		}
		return nil, false
	case Not:
		v, ok := arg(0)
		if !ok {
			return nil, false
		}
		return truth(v.Sign() == 0)
	case And, Or:
		// One argument may decide although another is not specified.
		all := true
		for i := range t.Args {
			v, ok := arg(i)
			if !ok {
				all = false
			} else if (v.Sign() != 0) == (t.Op == Or) {
				return truth(t.Op == Or)
			}
		}
		if !all {
			return nil, false
		}
		return truth(t.Op == And)
	case If:
		c, ok := arg(0)
		if !ok {
			return nil, false
		}
		if c.Sign() != 0 {
			return arg(1)
		}
		return arg(2)
	case Iff, Le:
		a, ok1 := arg(0)
		b, ok2 := arg(1)
		if !ok1 || !ok2 {
			return nil, false
		}
		if t.Op == Iff {
			return truth(a.Sign() == b.Sign())
		}
		return truth(a.Cmp(b) <= 0)
	case Eq:
		if !t.Args[0].IsInt() || !t.Args[1].IsInt() {
			return nil, false
		}
		a, ok1 := arg(0)
		b, ok2 := arg(1)
		if !ok1 || !ok2 {
			return nil, false
		}
		return truth(a.Cmp(b) == 0)
	case Add:
		sum := new(big.Int)
		for i := range t.Args {
			v, ok := arg(i)
			if !ok {
				return nil, false
			}
			sum.Add(sum, v)
		}
		return sum, true
	case Mul:
		prod := big.NewInt(1)
		for i := range t.Args {
			v, ok := arg(i)
			if !ok || prod.BitLen()+v.BitLen() > 4096 {
				return nil, false
			}
			prod.Mul(prod, v)
		}
		return prod, true
	case App:
		return e.app(t, depth)
	}
	return nil, false
}

func (e *evaluator) app(t *Term, depth int) (*big.Int, bool) {
	s := e.p.S
	args := make([]*Term, len(t.Args))
	vals := make([]*big.Int, len(t.Args))
	for i, a := range t.Args {
		v, ok := e.eval(a, depth)
		if !ok {
			return nil, false
		}
		vals[i] = v
		switch {
		case a.IsBool():
			args[i] = s.Bool(v.Sign() != 0)
		case a.IsInt():
			args[i] = s.Int(v)
		default:
			return nil, false
		}
	}
	switch t.Name {
	case FnDiv, FnMod:
		if len(vals) != 2 || vals[1].Sign() == 0 {
			return nil, false
		}
		q, m := new(big.Int).DivMod(vals[0], vals[1], new(big.Int))
		if t.Name == FnDiv {
			return q, true
		}
		return m, true
	case "truth":
		return nil, false
	}
	if len(t.Name) > len(FnCast) && t.Name[:len(FnCast)] == FnCast && len(vals) == 1 {
		to := IntegerType(t.Name[len(FnCast):])
		if to == nil {
			return nil, false
		}
		lo, hi := s.bounds(to)
		for _, b := range []struct {
			t    *Term
			sign int
		}{{lo, -1}, {hi, 1}} {
			if b.t == nil {
				continue
			}
			v, ok := e.eval(b.t, depth)
			if !ok || vals[0].Cmp(v) == b.sign {
				return nil, false // a cast out of range is not specified
			}
		}
		return vals[0], true
	}
	if e.p.Define == nil {
		return nil, false
	}
	if *e.defs--; *e.defs <= 0 {
		return nil, false
	}
	e.p.spent += 20
	def := e.p.Define(s.App(t.Name, t.Type, args...))
	if def == nil || s.Overflow {
		return nil, false
	}
	return e.eval(def, depth+1)
}

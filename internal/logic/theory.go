package logic

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// classes is a congruence closure: terms known to be equal.
type classes struct {
	parent map[*Term]*Term
	terms  []*Term
}

func (c *classes) add(t *Term) {
	if _, ok := c.parent[t]; ok {
		return
	}
	for _, a := range t.Args {
		if !t.binds() {
			c.add(a)
		}
	}
	c.parent[t] = t
	c.terms = append(c.terms, t)
}

func (c *classes) find(t *Term) *Term {
	for c.parent[t] != t {
		t = c.parent[t]
	}
	return t
}

// union merges two classes; an integer, then the older term, represents the class.
func (c *classes) union(a, b *Term) bool {
	a, b = c.find(a), c.find(b)
	if a == b {
		return false
	}
	if b.Op == Int || a.Op != Int && b.id < a.id {
		a, b = b, a
	}
	c.parent[b] = a
	return true
}

// close merges applications whose arguments are equal.
func (c *classes) close() {
	for changed := true; changed; {
		changed = false
		sig := map[string]*Term{}
		for _, t := range c.terms {
			if len(t.Args) == 0 || t.binds() || t.free > 0 {
				continue
			}
			var key strings.Builder
			key.WriteByte(byte(t.Op) + '0')
			key.WriteString(t.Name)
			for _, a := range t.Args {
				key.WriteByte(' ')
				key.WriteString(strconv.Itoa(c.find(a).id))
			}
			if u, ok := sig[key.String()]; ok {
				changed = c.union(t, u) || changed
			} else {
				sig[key.String()] = t
			}
		}
	}
}

// inconsistent tells whether the literals contradict each other in the theories of equality and of linear integer arithmetic.
func (b *branch) inconsistent() bool {
	s := b.p.S
	lits := b.literals()
	c := &classes{parent: map[*Term]*Term{}}
	yes, no := s.True(), s.False()
	c.add(yes)
	c.add(no)
	for _, t := range lits {
		c.add(t)
	}
	for _, t := range lits {
		on := b.lits[t]
		if t.Op == Eq && on {
			c.union(t.Args[0], t.Args[1])
		}
		if t.free == 0 {
			if on {
				c.union(t, yes)
			} else {
				c.union(t, no)
			}
		}
	}
	for round := 0; round < 3; round++ {
		b.p.left -= len(c.terms) / 4
		c.close()
		if c.find(yes) == c.find(no) {
			return true
		}
		for _, t := range lits {
			if t.Op == Eq && !b.lits[t] && c.find(t.Args[0]) == c.find(t.Args[1]) {
				return true
			}
		}
		ints := map[*Term]*Term{}
		for _, t := range c.terms {
			if t.Op == Int {
				r := c.find(t)
				if o, ok := ints[r]; ok && o.Val.Cmp(t.Val) != 0 {
					return true
				}
				ints[r] = t
			}
		}
		sys, ok := b.system(c, lits)
		if !ok {
			return true
		}
		if infeasible(sys, &b.p.left) {
			return true
		}
		if !b.exchange(c, sys) {
			return false
		}
	}
	return false
}

// system collects the linear constraints that the literals and classes imply. ok is false when one is plainly false.
func (b *branch) system(c *classes, lits []*Term) (sys []*constraint, ok bool) {
	s := b.p.S
	add := func(l *linear, eq bool) bool {
		k := s.constraintOf(l, c, eq)
		if len(k.coef) == 0 {
			if eq {
				return k.konst.Sign() == 0
			}
			return k.konst.Sign() >= 0
		}
		sys = append(sys, k)
		return true
	}
	for _, t := range lits {
		if t.Op != Le || t.free > 0 {
			continue
		}
		l := newLinear()
		if b.lits[t] { // b - a >= 0
			l.add(s.linear(t.Args[1]), big.NewInt(1))
			l.add(s.linear(t.Args[0]), big.NewInt(-1))
		} else { // a - b - 1 >= 0
			l.add(s.linear(t.Args[0]), big.NewInt(1))
			l.add(s.linear(t.Args[1]), big.NewInt(-1))
			l.konst = new(big.Int).Sub(l.konst, big.NewInt(1))
		}
		if !add(l, false) {
			return nil, false
		}
	}
	for _, t := range c.terms {
		if !t.IsInt() || t.free > 0 {
			continue
		}
		r := c.find(t)
		if r != t && r.IsInt() || t.Op == Add || t.Op == Mul {
			l := newLinear()
			l.add(s.linear(t), big.NewInt(1))
			l.addTerm(r, big.NewInt(-1))
			if r.Op == Int || r.Op == Add || r.Op == Mul {
				l = newLinear()
				l.add(s.linear(t), big.NewInt(1))
				l.add(s.linear(r), big.NewInt(-1))
			}
			if len(l.coef) == 0 && l.konst.Sign() == 0 {
				continue
			}
			if !add(l, true) {
				return nil, false
			}
		}
	}
	return append(sys, b.products(c, sys)...), true
}

// products bounds each product of two terms that are not negative by the bounds of its factors.
func (b *branch) products(c *classes, sys []*constraint) []*constraint {
	lo, hi := map[*Term]*big.Int{}, map[*Term]*big.Int{}
	for _, k := range sys {
		if len(k.coef) != 1 {
			continue
		}
		for t, n := range k.coef {
			// n*t + konst >= 0
			if n.Sign() > 0 {
				v := ceilDiv(new(big.Int).Neg(k.konst), n)
				if lo[t] == nil || lo[t].Cmp(v) < 0 {
					lo[t] = v
				}
			} else {
				v := new(big.Int).Div(k.konst, new(big.Int).Neg(n)) // Euclidean: rounds down
				if hi[t] == nil || hi[t].Cmp(v) > 0 {
					hi[t] = v
				}
			}
			if k.eq {
				if v, m := new(big.Int).DivMod(new(big.Int).Neg(k.konst), n, new(big.Int)); m.Sign() == 0 {
					lo[t], hi[t] = v, v
				}
			}
		}
	}
	var out []*constraint
	for _, t := range c.terms {
		if t.Op != Mul || len(t.Args) != 2 || t.Args[0].Op == Int || t.free > 0 {
			continue
		}
		x, y := c.find(t.Args[0]), c.find(t.Args[1])
		p := c.find(t)
		if !p.IsInt() || p.Op == Int || p.Op == Add || p.Op == Mul && p != t || lo[x] == nil || lo[y] == nil || lo[x].Sign() < 0 || lo[y].Sign() < 0 {
			continue
		}
		out = append(out, &constraint{konst: new(big.Int).Neg(new(big.Int).Mul(lo[x], lo[y])), coef: map[*Term]*big.Int{p: big.NewInt(1)}})
		if hi[x] != nil && hi[y] != nil && hi[x].Sign() >= 0 && hi[y].Sign() >= 0 {
			out = append(out, &constraint{konst: new(big.Int).Mul(hi[x], hi[y]), coef: map[*Term]*big.Int{p: big.NewInt(-1)}})
		}
	}
	return out
}

// ceilDiv is a / n rounded up, for n > 0.
func ceilDiv(a, n *big.Int) *big.Int {
	q, m := new(big.Int).DivMod(a, n, new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// constraintOf replaces each term by the representative of its class.
func (s *Space) constraintOf(l *linear, c *classes, eq bool) *constraint {
	k := &constraint{konst: l.konst, coef: map[*Term]*big.Int{}, eq: eq}
	for t, n := range l.coef {
		r := t
		if _, ok := c.parent[t]; ok {
			r = c.find(t)
		}
		switch {
		case r.Op == Int:
			k.konst = new(big.Int).Add(k.konst, new(big.Int).Mul(n, r.Val))
		case r.Op == Add || r.Op == Mul || !r.IsInt():
			k.add(t, n)
		default:
			k.add(r, n)
		}
	}
	return k
}

// maxEqualities bounds the questions of one exchange.
const maxEqualities = 12

// exchange tells equality what arithmetic knows: integer arguments of like applications that must be equal are merged.
// It tells whether anything was.
func (b *branch) exchange(c *classes, sys []*constraint) bool {
	byName := map[string][]*Term{}
	for _, t := range c.terms {
		if t.Op == App && t.free == 0 {
			byName[t.Name] = append(byName[t.Name], t)
		}
	}
	merged, tries := false, 0
	for _, t := range c.terms {
		if t.Op != App || t.free > 0 {
			continue
		}
		for _, u := range byName[t.Name] {
			if u.id <= t.id || len(u.Args) != len(t.Args) || c.find(t) == c.find(u) {
				continue
			}
			var pairs [][2]*Term
			possible := true
			for i := range t.Args {
				x, y := t.Args[i], u.Args[i]
				if c.find(x) == c.find(y) {
					continue
				}
				if !x.IsInt() || !y.IsInt() {
					possible = false
					break
				}
				pairs = append(pairs, [2]*Term{x, y})
			}
			if !possible {
				continue
			}
			for _, p := range pairs {
				if tries++; tries > maxEqualities || b.p.left <= 0 {
					return merged
				}
				if b.forcedEqual(c, sys, p[0], p[1]) {
					merged = c.union(p[0], p[1]) || merged
				}
			}
		}
	}
	return merged
}

func (b *branch) forcedEqual(c *classes, sys []*constraint, x, y *Term) bool {
	s := b.p.S
	for _, sign := range []int64{1, -1} {
		l := newLinear() // sign*(x - y) - 1 >= 0
		l.add(s.linear(x), big.NewInt(sign))
		l.add(s.linear(y), big.NewInt(-sign))
		l.konst = new(big.Int).Sub(l.konst, big.NewInt(1))
		k := s.constraintOf(l, c, false)
		if len(k.coef) == 0 {
			if k.konst.Sign() >= 0 {
				return false
			}
			continue
		}
		if !infeasible(append(slices.Clone(sys), k), &b.p.left) {
			return false
		}
	}
	return true
}

// constraint is konst + sum of coef * term >= 0, or == 0, over the integers.
type constraint struct {
	konst *big.Int
	coef  map[*Term]*big.Int
	eq    bool
}

func (k *constraint) add(t *Term, n *big.Int) {
	if old, ok := k.coef[t]; ok {
		n = new(big.Int).Add(old, n)
	}
	if n.Sign() == 0 {
		delete(k.coef, t)
	} else {
		k.coef[t] = n
	}
}

// tighten divides by the common divisor of the coefficients and rounds the constant down; the integer solutions stay the same.
// ok is false when there are none.
func (k *constraint) tighten() (_ *constraint, ok bool) {
	if len(k.coef) == 0 {
		if k.eq {
			return k, k.konst.Sign() == 0
		}
		return k, k.konst.Sign() >= 0
	}
	g := new(big.Int)
	for _, n := range k.coef {
		g.GCD(nil, nil, g, new(big.Int).Abs(n))
	}
	if g.IsInt64() && g.Int64() == 1 {
		return k, true
	}
	q, m := new(big.Int).DivMod(k.konst, g, new(big.Int)) // Euclidean: rounds down for a positive divisor
	if k.eq && m.Sign() != 0 {
		return k, false
	}
	out := &constraint{konst: q, coef: map[*Term]*big.Int{}, eq: k.eq}
	for t, n := range k.coef {
		out.coef[t] = new(big.Int).Quo(n, g)
	}
	return out, true
}

// combine is a*x + b*y.
func combine(x *constraint, a *big.Int, y *constraint, b *big.Int, eq bool) *constraint {
	out := &constraint{konst: new(big.Int).Add(new(big.Int).Mul(x.konst, a), new(big.Int).Mul(y.konst, b)), coef: map[*Term]*big.Int{}, eq: eq}
	for t, n := range x.coef {
		out.add(t, new(big.Int).Mul(n, a))
	}
	for t, n := range y.coef {
		out.add(t, new(big.Int).Mul(n, b))
	}
	return out
}

// maxConstraints bounds the blow-up of elimination.
const maxConstraints = 400

// infeasible tells whether no integers meet all constraints: Fourier-Motzkin elimination, with rounding. False means "not shown".
// Each combination costs a step.
func infeasible(sys []*constraint, steps *int) bool {
	sys = slices.Clone(sys)
	// Rows that hold already are dropped, so that the rest stays small.
	for {
		n := 0
		*steps -= 1 + len(sys)/4
		for _, k := range sys {
			k, ok := k.tighten()
			if !ok {
				return true
			}
			if len(k.coef) > 0 {
				sys[n] = k
				n++
			}
		}
		sys = sys[:n]
		if len(sys) == 0 || *steps <= 0 {
			return false
		}
		if i, t := unitEquality(sys); i >= 0 {
			sys = substitute(sys, i, t, steps)
			continue
		}
		for i, k := range sys {
			if k.eq {
				up := &constraint{konst: k.konst, coef: k.coef}
				down := combine(k, big.NewInt(-1), &constraint{konst: new(big.Int)}, new(big.Int), false)
				sys[i] = up
				sys = append(sys, down)
			}
		}
		t := cheapest(sys)
		var lower, upper, rest []*constraint
		for _, k := range sys {
			switch n := k.coef[t]; {
			case n == nil:
				rest = append(rest, k)
			case n.Sign() > 0:
				lower = append(lower, k)
			default:
				upper = append(upper, k)
			}
		}
		if len(rest)+len(lower)*len(upper) > maxConstraints {
			return false
		}
		for _, lo := range lower {
			for _, hi := range upper {
				*steps--
				rest = append(rest, combine(lo, new(big.Int).Neg(hi.coef[t]), hi, lo.coef[t], false))
			}
		}
		sys = rest
	}
}

// unitEquality finds an equality that can be solved for a term without fractions.
func unitEquality(sys []*constraint) (int, *Term) {
	for i, k := range sys {
		if !k.eq {
			continue
		}
		var best *Term
		for t, n := range k.coef {
			if n.IsInt64() && (n.Int64() == 1 || n.Int64() == -1) && (best == nil || t.id < best.id) {
				best = t
			}
		}
		if best != nil {
			return i, best
		}
	}
	return -1, nil
}

func substitute(sys []*constraint, at int, t *Term, steps *int) []*constraint {
	def := sys[at]
	d := def.coef[t]
	var out []*constraint
	for i, k := range sys {
		if i == at {
			continue
		}
		if n := k.coef[t]; n != nil {
			*steps--
			// d is 1 or -1: k - (n/d) def has no t.
			k = combine(k, big.NewInt(1), def, new(big.Int).Neg(new(big.Int).Mul(n, d)), k.eq)
		}
		out = append(out, k)
	}
	return out
}

// cheapest is the term whose elimination adds the fewest constraints.
func cheapest(sys []*constraint) *Term {
	lo, hi := map[*Term]int{}, map[*Term]int{}
	for _, k := range sys {
		for t, n := range k.coef {
			if n.Sign() > 0 {
				lo[t]++
			} else {
				hi[t]++
			}
		}
	}
	var best *Term
	cost := func(t *Term) int { return lo[t]*hi[t] - lo[t] - hi[t] }
	for _, m := range []map[*Term]int{lo, hi} {
		for t := range m {
			if best == nil || cost(t) < cost(best) || cost(t) == cost(best) && t.id < best.id {
				best = t
			}
		}
	}
	return best
}

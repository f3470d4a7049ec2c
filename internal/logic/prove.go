package logic

import (
	"maps"
	"slices"
	"strings"
)

// Prover decides whether formulas follow from others. It answers within a fixed number of steps, so that the same question
// always gets the same answer.
type Prover struct {
	S *Space
	// Define gives what an application is defined as: its function's definition with the arguments put in; nil: not known.
	Define func(app *Term) *Term
	// Steps bounds the work of one question; 0 means 15000. A step takes a few microseconds.
	Steps int
	// Total bounds the work of all questions put to this Prover; 0 means five times that of one.
	Total int
	// Stop is asked now and then; once it says true, nothing more is shown. nil: never.
	Stop func() bool

	left, spent int
}

// unfoldings bounds how many defining equations one question uses: enough for one step of a function at each place it stands.
const unfoldings = 12

// instances bounds how many instances of universal formulas one branch uses, rounds how often instances are made of what
// earlier ones brought in.
const (
	instances = 120
	rounds    = 2
)

// maxFormulas bounds one question: what a step costs grows with them. Contracts that people write have a tenth of it.
const maxFormulas = 400

// Spent is the work done so far, in steps.
func (p *Prover) Spent() int { return p.spent }

// Proves tells whether goal follows from the premises. False means "not shown".
func (p *Prover) Proves(premises []*Term, goal *Term) bool {
	if goal.Op == And {
		for _, g := range goal.Args {
			if !p.Proves(premises, g) {
				return false
			}
		}
		return true
	}
	return p.Contradicts(append(slices.Clone(premises), p.S.Not(goal)))
}

// Contradicts tells whether the formulas cannot all be true. False means "not shown".
func (p *Prover) Contradicts(formulas []*Term) bool {
	limit := p.Steps
	if limit == 0 {
		limit = 15000
	}
	total := p.Total
	if total == 0 {
		total = 5 * limit
	}
	p.left = min(limit, total-p.spent)
	if p.left <= 0 || p.Stop != nil && p.Stop() {
		return false
	}
	if len(formulas) > maxFormulas {
		p.spent += len(formulas)
		return false
	}
	start := p.left
	defer func() { p.spent += start - p.left }()
	b := newBranch(p)
	for _, f := range formulas {
		b.todo = append(b.todo, signed{f, true})
	}
	for _, name := range []string{"usize", "isize"} {
		// Verus lets the target be of 32 or of 64 bits.
		m, lo, hi := p.S.Limit(name, true), "u32", "u64"
		if name == "isize" {
			lo, hi = "i32", "i64"
		}
		b.todo = append(b.todo, signed{p.S.LessEq(p.S.Int(ranges[lo].hi), m), true}, signed{p.S.LessEq(m, p.S.Int(ranges[hi].hi)), true})
	}
	u, i := p.S.Limit("usize", true), p.S.Limit("isize", true)
	b.todo = append(b.todo, signed{p.S.Equal(u, p.S.Sum(i, i, p.S.Int64(1))), true})
	closed := b.run()
	return closed && !p.S.Overflow
}

type signed struct {
	t  *Term
	on bool
}

// branch is one case of the search: what is assumed to hold in it.
type branch struct {
	p    *Prover
	todo []signed
	lits map[*Term]bool // atoms, and formulas under quantifiers
	// splits are disjunctions not yet taken apart.
	splits [][]signed
	// seen are the ground terms about which facts have been added already.
	seen      map[*Term]bool
	done      map[*Term]bool // existential formulas that have their constant; instances that were added
	unfold    map[*Term]bool // applications whose definition was asked for
	unfolded  int
	instances int
	rounds    int
	diseqs    map[*Term]bool // integer disequalities that were split
}

func newBranch(p *Prover) *branch {
	return &branch{p: p, lits: map[*Term]bool{}, seen: map[*Term]bool{}, done: map[*Term]bool{}, unfold: map[*Term]bool{}, diseqs: map[*Term]bool{}}
}

func (b *branch) clone() *branch {
	return &branch{p: b.p, todo: slices.Clone(b.todo), lits: maps.Clone(b.lits), splits: slices.Clone(b.splits),
		seen: maps.Clone(b.seen), done: maps.Clone(b.done), unfold: maps.Clone(b.unfold), unfolded: b.unfolded, instances: b.instances, rounds: b.rounds, diseqs: maps.Clone(b.diseqs)}
}

// run tells whether the branch is contradictory.
func (b *branch) run() bool {
	for {
		if b.saturate() {
			return true
		}
		if b.p.left <= 0 || b.p.Stop != nil && b.p.Stop() {
			return false
		}
		// Unit splits first, then the theories, then quantifiers and facts, then cases.
		if closed, progress := b.simplify(); closed {
			return true
		} else if progress {
			continue
		}
		if b.inconsistent() {
			return true
		}
		if b.enrich() {
			continue
		}
		split := b.pick()
		if split == nil {
			return false
		}
		for i, alt := range split {
			c := b.clone()
			c.todo = append(c.todo, alt)
			for _, earlier := range split[:i] {
				c.todo = append(c.todo, signed{earlier.t, !earlier.on})
			}
			if !c.run() {
				return false
			}
		}
		return true
	}
}

// saturate takes formulas apart until only atoms and disjunctions are left. It tells whether a contradiction was met.
func (b *branch) saturate() bool {
	for len(b.todo) > 0 {
		b.p.left--
		if b.p.left <= 0 {
			return false
		}
		f := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		t, on := f.t, f.on
		if v, known := b.value(t); known {
			if v != on {
				return true
			}
			continue
		}
		switch t.Op {
		case Not:
			b.todo = append(b.todo, signed{t.Args[0], !on})
		case And, Or:
			if (t.Op == And) == on {
				for _, a := range t.Args {
					b.todo = append(b.todo, signed{a, on})
				}
			} else {
				var alts []signed
				for _, a := range t.Args {
					alts = append(alts, signed{a, on})
				}
				b.splits = append(b.splits, alts)
			}
			// Remembered as a whole too: the same formula with the other sign closes the branch.
			b.lits[t] = on
		case Iff:
			b.lits[t] = on
			x, y := t.Args[0], t.Args[1]
			b.splits = append(b.splits,
				[]signed{{x, true}, {y, !on}}, []signed{{x, false}, {y, on}})
		case If:
			b.lits[t] = on
			c := t.Args[0]
			b.splits = append(b.splits,
				[]signed{{c, false}, {t.Args[1], on}}, []signed{{c, true}, {t.Args[2], on}})
		default:
			b.lits[t] = on
		}
	}
	return false
}

// value of a formula under what is already known.
func (b *branch) value(t *Term) (v, known bool) {
	if v, ok := b.lits[t]; ok {
		return v, true
	}
	switch t.Op {
	case True:
		return true, true
	case False:
		return false, true
	case Not:
		v, known := b.value(t.Args[0])
		return !v, known
	}
	return false, false
}

// simplify drops alternatives that are known to be false and disjunctions that are known to be true.
func (b *branch) simplify() (closed, progress bool) {
	var keep [][]signed
	for _, split := range b.splits {
		var rest []signed
		satisfied := false
		for _, alt := range split {
			v, known := b.value(alt.t)
			if !known {
				rest = append(rest, alt)
			} else if v == alt.on {
				satisfied = true
				break
			}
		}
		switch {
		case satisfied:
		case len(rest) == 0:
			return true, false
		case len(rest) == 1:
			b.todo = append(b.todo, rest[0])
			progress = true
		default:
			keep = append(keep, rest)
		}
	}
	b.splits = keep
	return false, progress
}

// pick takes the smallest disjunction, or makes one of an integer disequality; nil: none is left.
func (b *branch) pick() []signed {
	best := -1
	for i, split := range b.splits {
		if best < 0 || len(split) < len(b.splits[best]) {
			best = i
		}
	}
	if best >= 0 {
		split := b.splits[best]
		b.splits = slices.Delete(slices.Clone(b.splits), best, best+1)
		return split
	}
	s := b.p.S
	for _, t := range b.literals() {
		if t.Op == Eq && !b.lits[t] && t.Args[0].IsInt() && t.Args[1].IsInt() && !b.diseqs[t] {
			b.diseqs[t] = true
			return []signed{{s.Less(t.Args[0], t.Args[1]), true}, {s.Less(t.Args[1], t.Args[0]), true}}
		}
	}
	return nil
}

// literals in a fixed order.
func (b *branch) literals() []*Term {
	return slices.SortedFunc(maps.Keys(b.lits), func(x, y *Term) int { return x.id - y.id })
}

// enrich adds what follows from the literals: constants for existential formulas, facts about the terms that occur, definitions
// and instances of universal formulas. It tells whether anything was added.
func (b *branch) enrich() bool {
	s := b.p.S
	lits := b.literals()
	added := false
	add := func(t *Term) {
		if t.Op != True {
			b.todo = append(b.todo, signed{t, true})
			added = true
		}
	}
	for _, t := range lits {
		on := b.lits[t]
		if (t.Op == Exists && on || t.Op == Forall && !on) && !b.done[t] {
			b.done[t] = true
			c := s.Fresh(t.Type)
			body := s.subst(t.Args[0], c)
			add(s.inRange(c))
			b.todo = append(b.todo, signed{body, on})
			added = true
		}
	}
	if added {
		return true
	}
	ground, arguments := b.ground()
	for _, t := range ground {
		if b.seen[t] {
			continue
		}
		b.seen[t] = true
		if t.IsInt() && (t.Op == Var || t.Op == App) {
			add(s.inRange(t))
		}
		for _, f := range s.facts(t) {
			add(f)
		}
	}
	if added {
		return true
	}
	if b.p.Define != nil {
		for _, t := range ground {
			if t.Op != App || b.unfolded >= unfoldings || b.unfold[t] {
				continue
			}
			b.unfold[t] = true
			if def := b.p.Define(t); def != nil {
				b.unfolded++
				add(s.defined(t, def))
			}
		}
	}
	if added || b.rounds >= rounds {
		return added
	}
	defer func() {
		if added {
			b.rounds++
		}
	}()
	for _, t := range lits {
		on := b.lits[t]
		if !(t.Op == Forall && on || t.Op == Exists && !on) || t.Type == nil {
			continue
		}
		for _, g := range ground {
			if b.instances >= instances {
				return added
			}
			if !fits(g, t.Type) || t.Type.Kind == KInt && g.Op != Var && !arguments[g] {
				continue
			}
			inst := s.subst(t.Args[0], g)
			if !on {
				inst = s.Not(inst)
			}
			if b.done[inst] || inst.Op == True {
				continue
			}
			b.done[inst] = true
			b.instances++
			add(inst)
		}
	}
	return added
}

// defined says that an application has the value of its definition. That holds whatever the type is, for it is the same value.
func (s *Space) defined(app, def *Term) *Term {
	if app.IsBool() || def.IsBool() {
		return s.Iff(s.truth(app), s.truth(def))
	}
	if app.mayBeFloat() || def.mayBeFloat() {
		return s.True()
	}
	return s.Equal(app, def)
}

// fits tells whether a ground term is a value of a bound variable's type. An integer of any type is: the quantifier's body has
// the guard of its range.
func fits(g *Term, t *Type) bool {
	if t.Kind == KInt {
		return g.IsInt() && g.size <= 40 && !strings.HasSuffix(g.Name, "::MAX")
	}
	return !g.binds() && g.Type != nil && g.Type.String() == t.String() && t.builtin()
}

// builtin tells a type that is made of built-in types alone. A type that is known by its name only may be another type of the
// same name.
func (t *Type) builtin() bool {
	if t == nil || t.Kind == KOther || t.Kind == KFloat {
		return false
	}
	for _, a := range t.Args {
		if !a.builtin() {
			return false
		}
	}
	return true
}

// ground terms that occur in the literals, in a fixed order, and which of them are arguments of a function. What stands under
// a binder and mentions its variable is left out.
func (b *branch) ground() (out []*Term, arguments map[*Term]bool) {
	found := map[*Term]bool{}
	arguments = map[*Term]bool{}
	var walk func(t *Term)
	walk = func(t *Term) {
		if found[t] {
			return
		}
		found[t] = true
		for _, a := range t.Args {
			if t.Op == App {
				arguments[a] = true
			}
			walk(a)
		}
	}
	for t := range b.lits {
		switch t.Op {
		case And, Or, Iff, If:
			// Their parts come as literals of their own where they matter.
		default:
			walk(t)
		}
	}
	for _, split := range b.splits {
		for _, alt := range split {
			walk(alt.t)
		}
	}
	for t := range found {
		if t.free == 0 && t.Op != Lambda && !t.IsBool() {
			out = append(out, t)
		} else if t.free == 0 && t.Op == App {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(x, y *Term) int { return x.id - y.id })
	return out, arguments
}

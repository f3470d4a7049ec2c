package model

import "iter"

// Set is a set of functions of one model's tree: one bit for each function of the files read.
type Set struct {
	x    *index
	bits bits
}

// Reached is SpecReach as a set. What a definition leads to is found out once, however many contracts rest on it.
func (m *Model) Reached(f *Function) *Set {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	var reached bits
	x.close(&reached, x.contractNames(f))
	// What traits' methods lead to depends on where f stands.
	var done bits
	for more := true; more; {
		more = false
		for _, g := range x.traitMethods {
			i := g.info.index
			if !reached.has(i) || done.has(i) {
				continue
			}
			done.set(i)
			more = true
			if h := x.ownImplementation(g, f); h != nil {
				x.close(&reached, []*Function{h})
			} else {
				reached.or(x.dispatch(g))
			}
		}
	}
	x.countAll()
	reached.and(x.countedBits)
	reached.clear(f.info.index)
	return &Set{x, reached}
}

// SetOf are the functions of this model's tree among some.
func (m *Model) SetOf(fs map[*Function]bool) *Set {
	m.x.mu.Lock()
	defer m.x.mu.Unlock()
	s := &Set{x: m.x}
	for f, in := range fs {
		if in && m.x.owns(f) {
			s.bits.set(f.info.index)
		}
	}
	return s
}

// Meets tells whether two sets of one model have a function in common.
func (s *Set) Meets(t *Set) bool {
	for i := range min(len(s.bits), len(t.bits)) {
		if s.bits[i]&t.bits[i] != 0 {
			return true
		}
	}
	return false
}

// Named are the functions of a name, in the order in which their files were read.
func (s *Set) Named(name string) iter.Seq[*Function] {
	s.x.mu.Lock()
	defer s.x.mu.Unlock()
	s.x.countAll()
	all := s.x.counted[name]
	return func(yield func(*Function) bool) {
		for _, f := range all {
			if s.bits.has(f.info.index) && !yield(f) {
				return
			}
		}
	}
}

// countAll brings the index of functions that SpecReach counts up to date with the files read.
func (x *index) countAll() {
	for ; x.countedTo < len(x.functions); x.countedTo++ {
		if f := x.functions[x.countedTo]; counted(f) {
			x.counted[f.Name] = append(x.counted[f.Name], f)
			x.countedBits.set(f.info.index)
		}
	}
}

// close adds functions, and what their definitions lead to, to a set that is closed in that way.
func (x *index) close(s *bits, fs []*Function) {
	for _, f := range fs {
		if !s.has(f.info.index) {
			s.or(x.closure(f))
		}
	}
}

// dispatch is what all implementations of a trait's method lead to.
func (x *index) dispatch(g *Function) bits {
	d, ok := x.dispatched[g]
	if n := len(x.methods[g.Name]); !ok || d.among != n {
		d = dispatched{among: n}
		x.close(&d.to, x.implementations(g))
		x.dispatched[g] = d
	}
	return d.to
}

// dispatched is what a trait's method leads to through its implementations, among so many methods of its name.
type dispatched struct {
	to    bits
	among int
}

// closure is f and what its definition leads to, implementations of traits' methods aside. Definitions that lead to each other share
// one: they are the strongly connected components that Tarjan's algorithm finds (Depth-First Search and Linear Graph Algorithms, 1972).
func (x *index) closure(f *Function) bits {
	if f.info.closure != nil {
		return *f.info.closure
	}
	type visit struct {
		fn         *Function
		next       int // in its definition
		order, low int
	}
	var path []*visit             // from f to the function looked at
	var open []*Function          // met, and in no component yet
	met := map[*Function]*visit{} // those of open
	enter := func(g *Function) {
		x.analyse(g)
		v := &visit{fn: g, order: len(open), low: len(open)}
		met[g] = v
		path, open = append(path, v), append(open, g)
		if g.Kind == TraitMethod && counted(g) {
			x.traitMethods = append(x.traitMethods, g)
		}
	}
	enter(f)
	for len(path) > 0 {
		v := path[len(path)-1]
		if to := x.definition(v.fn); v.next < len(to) {
			g := to[v.next]
			v.next++
			if g.info.closure != nil {
				continue
			}
			if w := met[g]; w != nil {
				v.low = min(v.low, w.order)
			} else {
				enter(g)
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			up := path[len(path)-1]
			up.low = min(up.low, v.low)
		}
		if v.low != v.order {
			continue
		}
		component := open[v.order:]
		open = open[:v.order]
		all := &bits{}
		for _, g := range component {
			all.set(g.info.index)
		}
		for _, g := range component {
			for _, h := range x.definition(g) {
				if !all.has(h.info.index) {
					all.or(*h.info.closure)
				}
			}
		}
		for _, g := range component {
			g.info.closure = all
			delete(met, g)
		}
	}
	return *f.info.closure
}

// bits is a set of small numbers, as long as its largest one needs.
type bits []uint64

func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }

func (b *bits) set(i int) {
	b.grow(i/64 + 1)
	(*b)[i/64] |= 1 << (i % 64)
}

func (b bits) clear(i int) {
	if i/64 < len(b) {
		b[i/64] &^= 1 << (i % 64)
	}
}

func (b *bits) grow(words int) {
	if words > len(*b) {
		*b = append(*b, make(bits, words-len(*b))...)
	}
}

func (b *bits) or(c bits) {
	b.grow(len(c))
	for i, w := range c {
		(*b)[i] |= w
	}
}

func (b bits) and(c bits) {
	for i := range b {
		if i < len(c) {
			b[i] &= c[i]
		} else {
			b[i] = 0
		}
	}
}

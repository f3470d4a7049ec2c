package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// Function returns the functions of a symbol, or of a path (see Function.Path), in the files that were asked for.
func (m *Model) Function(symbol string) []*Function {
	var out []*Function
	for _, f := range m.Functions {
		if f.Symbol == symbol || f.Path == symbol {
			out = append(out, f)
		}
	}
	return out
}

// Reliance is something believed without proof that a function's proof rests on through others.
type Reliance struct {
	// Via are the proof functions on the way: Via[0] is called by the function itself, the last one has the Site.
	Via  []*Function
	Site Site
}

// Trusted are the trust sites that the ghost code of f rests on through the proof functions that it calls, each once with a
// shortest way to it. Sites of f itself are not among them, nor those of executable functions that f calls.
func (m *Model) Trusted(f *Function) []Reliance {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []Reliance
	type step struct {
		fn   *Function
		from int
	}
	steps := []step{{f, -1}}
	seen := map[*Function]bool{f: true}
	for i := 0; i < len(steps); i++ {
		g := steps[i].fn
		x.analyse(g)
		if i > 0 {
			for _, s := range g.Sites {
				switch s.Kind {
				case Assume, Admit, AxiomSite, ExternalBody, External, InlineAir, AssumeTermination:
					var via []*Function
					for j := i; steps[j].from >= 0; j = steps[j].from {
						via = append(via, steps[j].fn)
					}
					slices.Reverse(via)
					out = append(out, Reliance{Via: via, Site: s})
				}
			}
		}
		for _, c := range g.Calls {
			if !mayProve(g, c) {
				continue
			}
			for _, h := range c.Callees {
				if (h.Mode == Proof || h.Mode == Axiom) && !seen[h] && (!c.Method || x.mayMean(f, h)) {
					seen[h] = true
					steps = append(steps, step{h, i})
				}
			}
		}
	}
	x.settle()
	return out
}

// mayProve tells whether a call in f can be of a proof function. Specification code calls none, nor do methods in executable code; a
// method of an unknown type is more likely the spec function of that name, where there is one, than a proof function of another type.
func mayProve(f *Function, c Call) bool {
	if f.Kind == MacroFunction {
		return true // what is ghost in it is not known
	}
	if c.Spec || c.Method && !c.Ghost {
		return false
	}
	return !c.Method || len(c.Callees) == 1 || !slices.ContainsFunc(c.Callees, func(h *Function) bool { return h.Mode == Spec })
}

// SpecReach are the spec functions, and constants with a mode, that the contract of f names, directly or through the definitions of
// others, in the order in which they are reached: views, and the functions that stand for an executable one in specifications
// (when_used_as_spec), included; so are the type invariants of the types in its signature. For an impl of an operator's trait, `impl Add for T`, they include those of the `AddSpecImpl` for the
// same type, which are the contract of `T + T`. For a spec function, what its definition reaches.
func (m *Model) SpecReach(f *Function) []*Function {
	m.x.mu.Lock()
	defer m.x.mu.Unlock()
	return m.x.specReach(f)
}

func (x *index) specReach(f *Function) []*Function {
	var out []*Function
	x.walks++
	walk := x.walks
	f.info.mark = walk
	var work []*Function
	add := func(fs []*Function) {
		for _, g := range fs {
			if g.info.mark != walk {
				g.info.mark = walk
				x.analyse(g)
				work = append(work, g)
			}
		}
	}
	add(x.contractNames(f))
	for i := 0; i < len(work); i++ {
		g := work[i]
		if counted(g) {
			out = append(out, g)
		}
		add(x.definition(g))
		if g.Kind == TraitMethod && counted(g) {
			add(x.implementationsFor(g, f))
		}
	}
	return out
}

// counted tells the functions that are in SpecReach from those that only lead there.
func counted(f *Function) bool { return f.Mode == Spec || f.Kind == ConstFunction }

// contractNames are the functions that the contract of f names itself, and for a spec function its definition.
func (x *index) contractNames(f *Function) []*Function {
	x.analyse(f)
	out := slices.Clip(f.info.contractUses)
	if f.TraitMethod != nil {
		x.analyse(f.TraitMethod)
		out = append(out, f.TraitMethod.info.contractUses...)
	}
	if f.Mode == Spec {
		out = append(out, f.info.bodyUses...)
	}
	out = append(out, x.operatorSpecs(f)...)
	return append(out, x.typeInvariants(f)...)
}

// definition are the functions that the meaning of g in a contract names, implementations of a trait's method aside.
func (x *index) definition(g *Function) []*Function {
	if counted(g) {
		return g.info.bodyUses
	}
	return g.info.asSpec
}

// implementations are the functions that implement a trait's method, in the files read.
func (x *index) implementations(g *Function) []*Function {
	methods := x.methods[g.Name]
	if c, ok := x.implemented[g]; ok && c.methods == len(methods) {
		return c.by
	}
	var out []*Function
	for _, f := range methods {
		if im := f.info.impl; im != nil && im.traitItem == nil && im.trait.Valid() {
			if tr := x.traitOf(im); tr != nil && slices.Contains(x.it[tr].fns, g) {
				out = append(out, f)
			}
		}
	}
	x.implemented[g] = implemented{len(methods), out}
	return out
}

// implemented are the implementations of a trait's method among so many methods of its name.
type implemented struct {
	methods int
	by      []*Function
}

// implementationsFor are the implementations of a trait's method that the contract of f can mean: when f is itself of an impl of the
// trait, that of its own type.
func (x *index) implementationsFor(g, f *Function) []*Function {
	if h := x.ownImplementation(g, f); h != nil {
		return []*Function{h}
	}
	return x.implementations(g)
}

// ownImplementation is the implementation of a trait's method in the impl of f; nil if f is not in an impl of the trait, or that leaves
// the method to the trait.
func (x *index) ownImplementation(g, f *Function) *Function {
	im := f.info.impl
	if im == nil || im.traitItem != nil || x.traitOf(im) == nil || !slices.Contains(x.it[x.traitOf(im)].fns, g) {
		return nil
	}
	if i := slices.IndexFunc(im.fns, func(h *Function) bool { return h.Name == g.Name }); i >= 0 {
		return im.fns[i]
	}
	return nil
}

// operatorSpecs are the functions of `impl XSpecImpl for T`, for a function of `impl X for T`.
func (x *index) operatorSpecs(f *Function) []*Function {
	im := f.info.impl
	name := im.traitName()
	if name == "" {
		return nil
	}
	var out []*Function
	for _, o := range x.specImpls[name+"SpecImpl"] {
		self := x.selfItem(im)
		if self != nil && x.selfItem(o) == self || self == nil && syntax.Canon(o.self) == syntax.Canon(im.self) {
			out = append(out, o.fns...)
		}
	}
	return out
}

// traitName is the last name of the path of the trait that an impl implements; empty if none.
func (im *implInfo) traitName() string {
	if im == nil || !im.trait.Valid() {
		return ""
	}
	segs, _ := pathOf(im.trait)
	if len(segs) == 0 {
		return ""
	}
	return segs[len(segs)-1]
}

// typeInvariants are the invariants of the types in the signature of an executable or proof function.
func (x *index) typeInvariants(f *Function) []*Function {
	if f.Mode == Spec || len(x.invariants) == 0 {
		return nil
	}
	var out []*Function
	for _, g := range x.invariants {
		info := g.info
		if info.impl != nil {
			if it := x.selfItem(info.impl); it != nil && slices.Contains(x.typesOf(f), it) {
				out = append(out, g)
			}
			continue
		}
		if slices.ContainsFunc(x.typesOf(g), func(it *Item) bool { return slices.Contains(x.typesOf(f), it) }) {
			out = append(out, g)
		}
	}
	return out
}

// ContractUsers are the functions whose contract rests on a spec function: those that SpecReach leads from there. It reads the
// files of the tree that mention the function, or one that uses it.
func (m *Model) ContractUsers(spec *Function) []*Function {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	var reached, seen bits
	reached.set(spec.info.index)
	seen.set(spec.info.index)
	work := []*Function{spec}
	names, types := map[string]bool{}, map[string]bool{}
	for i := 0; i < len(work); i++ {
		g := work[i]
		im := g.info.impl
		if !names[g.Name] {
			names[g.Name] = true
			x.readMentions(g.Name, false)
		}
		if x.unnamed(g) {
			for _, name := range x.typesMeant(g) {
				if !types[name] {
					types[name] = true
					x.readMentions(name, true)
				}
			}
		}
		x.indexUses()
		for _, at := range g.info.bodyOf {
			if !reached.has(int(at)) {
				reached.set(int(at))
				work = append(work, x.functions[at])
			}
		}
		if tr := x.traitOf(im); tr != nil && im.traitItem == nil {
			for _, f := range x.it[tr].fns {
				if f.Name == g.Name && f.Mode == Spec && !reached.has(f.info.index) {
					reached.set(f.info.index)
					work = append(work, f)
				}
			}
		}
	}
	var out []*Function
	add := func(f *Function) {
		if !seen.has(f.info.index) {
			seen.set(f.info.index)
			out = append(out, f)
		}
	}
	isReached := func(g *Function) bool { return reached.has(g.info.index) }
	operators, invariants := false, slices.ContainsFunc(x.invariants, isReached)
	for _, g := range work {
		for _, at := range g.info.contractOf {
			add(x.functions[at])
		}
		operators = operators || strings.HasSuffix(g.info.impl.traitName(), "SpecImpl")
	}
	if operators || invariants {
		for _, f := range slices.Clone(x.functions) {
			if operators && slices.ContainsFunc(x.operatorSpecs(f), isReached) || invariants && slices.ContainsFunc(x.typeInvariants(f), isReached) {
				add(f)
			}
		}
	}
	x.settle()
	sortFunctions(out)
	return out
}

// indexUses tells functions where they are used, in what was read since the last time: spec functions by the definitions of others and
// executable functions by what stands for them in specifications (bodyOf); all by the contract that holds for them (contractOf).
func (x *index) indexUses() {
	for ; x.usesTo < len(x.functions); x.usesTo++ {
		f := x.functions[x.usesTo]
		x.analyse(f)
		at := int32(x.usesTo)
		if f.Mode == Spec {
			for _, g := range f.info.bodyUses {
				g.info.bodyOf = append(g.info.bodyOf, at)
			}
		}
		for _, g := range f.info.asSpec {
			g.info.bodyOf = append(g.info.bodyOf, at)
		}
		for _, g := range f.info.contractUses {
			g.info.contractOf = append(g.info.contractOf, at)
		}
		if f.TraitMethod != nil {
			x.analyse(f.TraitMethod)
			for _, g := range f.TraitMethod.info.contractUses {
				g.info.contractOf = append(g.info.contractOf, at)
			}
		}
	}
}

// Callers are the functions that call f, or a method of its name on a receiver whose type is not plain. It reads the files of the tree
// that mention the name.
func (m *Model) Callers(f *Function) []*Function {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	x.readMentions(f.Name, false)
	var out []*Function
	for i := 0; i < len(x.functions); i++ {
		g := x.functions[i]
		x.analyse(g)
		if slices.ContainsFunc(g.Calls, func(c Call) bool { return slices.Contains(c.Callees, f) }) {
			out = append(out, g)
		}
	}
	x.settle()
	sortFunctions(out)
	return out
}

func sortFunctions(l []*Function) {
	slices.SortStableFunc(l, func(a, b *Function) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), a.Span.Start-b.Span.Start)
	})
}

// Sites are all trust sites of the files that were asked for, each once: those that hold for a function because of the module, impl or
// macro around it are listed there. By file and position.
func (m *Model) Sites() []Site {
	var out []Site
	type key struct {
		file  string
		start int
		kind  SiteKind
	}
	seen := map[key]bool{}
	add := func(l []Site) {
		for _, s := range l {
			k := key{s.File.Path, s.Span.Start, s.Kind}
			if s.Scope == "" && !seen[k] {
				seen[k] = true
				out = append(out, s)
			}
		}
	}
	for _, f := range m.Functions {
		add(f.Sites)
	}
	for _, it := range m.Items {
		add(it.Sites)
	}
	slices.SortStableFunc(out, func(a, b Site) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), a.Span.Start-b.Span.Start, int(a.Kind)-int(b.Kind))
	})
	return out
}

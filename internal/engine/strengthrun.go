package engine

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// measuring is the measuring of a change: crate after crate, so that what was read of one is forgotten before the next.
type measuring struct {
	r        *runner
	compiler Compiler
	suites   []*eval.Suite
	kept     *strengths // nil: nothing is kept
	// rest tells that only the strength of what is decided is needed in the end.
	rest   bool
	scopes map[*tree]map[string]scope // by root of the crate

	over *store // of the group that is measured now; nil before it is needed

	version     string
	protections []sandbox.Protection
}

// group are subjects whose crates are read and compiled together.
type group struct {
	at []int
	// whole tells that they are read from the whole tree, together.
	whole bool
}

// notRunError is why nothing at all is measured.
type notRunError struct{ error }

func (e *notRunError) Unwrap() error { return e.error }

// measureAll measures subjects. The results are in their order.
func (r *runner) measureAll(compiler Compiler, subjects []*measure.Subject) ([]*measure.Result, error) {
	m, groups, err := r.measuring(subjects)
	if err != nil {
		return nil, err
	}
	m.compiler = compiler
	if m.kept, err = r.openStrengths(compiler); err != nil {
		return nil, err
	}
	out := make([]*measure.Result, len(subjects))
	for _, g := range groups {
		if err := m.group(g, subjects, out); err != nil {
			return nil, err
		}
	}
	if m.version != "" {
		r.report.Tools.Rustc = &checks.Tool{Version: m.version}
	}
	if len(m.protections) > 0 && r.report.Tools.Sandbox == nil {
		r.report.Tools.Sandbox = sandboxOf(m.protections)
	}
	r.share.ranWith(m.protections)
	return out, nil
}

// measuring reads the cases of the repository, and finds out which subjects are measured together.
func (r *runner) measuring(subjects []*measure.Subject) (*measuring, []*group, error) {
	m := &measuring{r: r, rest: r.proofs == nil || r.input.Proof == nil, scopes: map[*tree]map[string]scope{r.base: {}, r.head: {}}}
	var err error
	if m.suites, err = r.cases(); err != nil {
		return nil, nil, err
	}
	groups, err := m.groups(subjects)
	return m, groups, err
}

// sideOf is a side of a subject, with its tree.
type sideOf struct {
	name string
	tree *tree
	side *measure.Side
}

func (r *runner) sidesOf(s *measure.Subject) []sideOf {
	var out []sideOf
	for _, x := range []sideOf{{"base", r.base, s.Base}, {"head", r.head, s.Head}} {
		if x.side != nil {
			out = append(out, x)
		}
	}
	return out
}

// groups puts subjects together whose functions are in one crate on one of the sides. They are in the order of their first subjects.
func (m *measuring) groups(subjects []*measure.Subject) ([]*group, error) {
	var order []*group
	of := map[string]*group{}
	for i, s := range subjects {
		var keys []string
		whole := false
		for _, x := range m.r.sidesOf(s) {
			c := x.side.Function.Crate
			sc, ok := m.scopes[x.tree][c.Root]
			if !ok {
				var err error
				if sc, err = x.tree.scopeOf(c); err != nil {
					return nil, err
				}
				m.scopes[x.tree][c.Root] = sc
			}
			root := c.Root
			if sc.whole {
				root, whole = "", true
			}
			keys = append(keys, x.name+" "+root)
		}
		var g *group
		for _, k := range keys {
			switch other := of[k]; {
			case other == nil || other == g:
			case g == nil:
				g = other
			default: // both become one, at the place of the first
				if slices.Index(order, other) < slices.Index(order, g) {
					g, other = other, g
				}
				g.at, g.whole = append(g.at, other.at...), g.whole || other.whole
				order = slices.DeleteFunc(order, func(x *group) bool { return x == other })
				for key, x := range of {
					if x == other {
						of[key] = g
					}
				}
			}
		}
		if g == nil {
			g = &group{}
			order = append(order, g)
		}
		g.at, g.whole = append(g.at, i), g.whole || whole
		for _, k := range keys {
			of[k] = g
		}
	}
	for _, g := range order {
		slices.Sort(g.at)
	}
	return order, nil
}

// group measures the subjects of a group that nothing is kept of.
func (m *measuring) group(g *group, subjects []*measure.Subject, out []*measure.Result) error {
	r := m.r
	m.over = nil
	if m.kept != nil {
		clear(m.kept.reaches)
	}
	f, err := m.lookUp(g, subjects)
	if err != nil {
		return err
	}
	for at := f.next(); len(at) > 0; at = f.next() {
		ran, err := m.measure(at, subjects, out)
		if err != nil {
			return err
		}
		if err := m.keep(g, at, subjects, out, ran); err != nil {
			return err
		}
		f.ran(at, ran)
		for _, i := range at {
			if x := out[i]; m.rest || x.Open(false, 1) == nil {
				x.Rest()
			}
		}
	}
	for _, i := range g.at {
		e := f.kept[i]
		if e == nil {
			continue
		}
		out[i] = e.result
		r.work.kept++
		m.ranWith(e.Rustc, e.Protections)
		if len(f.needs[i]) > 0 {
			// The next time it is found at once.
			key, err := m.key(g, subjects, i)
			if err != nil {
				return err
			}
			m.kept.put(subjects[i], key, e.data)
		}
	}
	return nil
}

// measure measures some subjects of a group. It gives what ran them, by side.
func (m *measuring) measure(at []int, subjects []*measure.Subject, out []*measure.Result) (map[string]*measure.Compiled, error) {
	r := m.r
	var todo []*measure.Subject
	for _, i := range at {
		todo = append(todo, subjects[i])
	}
	crates, err := m.know(todo)
	if err != nil {
		return nil, err
	}
	s := r.policy.Strength
	ran := map[string]*measure.Compiled{}
	for _, name := range []string{"base", "head"} {
		ran[name] = &measure.Compiled{Rustc: m.compiler.Path, CargoHome: m.compiler.CargoHome, Require: r.policy.Gate.Sandbox == policy.SandboxRequire, Seed: s.Seed,
			Crate: func(c *model.Crate) (measure.Crate, error) { return crates[name+" "+c.Root]() }}
	}
	results, err := measure.Measure(r.ctx, measure.Request{Subjects: todo, Base: ran["base"].Run, Head: ran["head"].Run,
		Options: measure.Options{Seed: s.Seed, Inputs: s.Inputs, Mutants: s.Mutants, CountDomain: s.CountDomain, Jobs: r.o.Jobs}, Asked: &r.work.asked})
	for _, name := range []string{"base", "head"} {
		logLeft(r.o.Log, ran[name].Left)
	}
	if err != nil {
		return nil, &notRunError{err}
	}
	for _, name := range []string{"base", "head"} {
		r.work.ran(ran[name].Spent)
		m.ranWith(ran[name].Version, steady(ran[name].Protections))
		if text := ran[name].Panicked; text != "" {
			r.o.Log.Error("running functions failed", "panic", text)
		}
	}
	r.work.measured += len(results)
	for k, i := range at {
		x := results[k]
		out[i] = x
		if text := x.Panicked(); text != "" {
			r.o.Log.Error("measuring a function failed", "function", subjects[i].Symbol, "panic", text)
		}
	}
	return ran, nil
}

// store has what is parsed for the group that is measured now.
func (m *measuring) store() *store {
	if m.over == nil {
		m.over = m.r.head.store.over()
	}
	return m.over
}

// know has the evaluator know the functions of subjects. It gives what there is to compile of each crate, by side and root.
func (m *measuring) know(subjects []*measure.Subject) (map[string]func() (measure.Crate, error), error) {
	r := m.r
	type reading struct {
		tree  *tree
		scope scope
		fs    []*model.Function
		sides []*measure.Side
		roots []*model.Crate
	}
	var order []string
	readings := map[string]*reading{}
	crates := map[string]func() (measure.Crate, error){}
	for _, s := range subjects {
		for _, x := range r.sidesOf(s) {
			c := x.side.Function.Crate
			sc := m.scopes[x.tree][c.Root]
			key := x.name + " " + c.Root
			if sc.whole {
				key = x.name
			}
			if readings[key] == nil {
				order = append(order, key)
				readings[key] = &reading{tree: x.tree.part(sc.paths, m.store()), scope: sc}
			}
			rd := readings[key]
			rd.fs, rd.sides, rd.roots = append(rd.fs, x.side.Function), append(rd.sides, x.side), append(rd.roots, c)
		}
	}
	for _, key := range order {
		rd := readings[key]
		w, names, err := newWorld(rd.tree, rd.fs, r.o.Jobs)
		if err != nil {
			return nil, err
		}
		if rd.tree.failed != nil {
			return nil, rd.tree.failed
		}
		for i, side := range rd.sides {
			if side.Function.Node.Kind() == syntax.Fn {
				side.Func = w.Func(side.Function.Node)
			}
			c := rd.roots[i]
			whole, name := r.base, "base"
			if key != "base" && key != "base "+c.Root {
				whole, name = r.head, "head"
			}
			crates[name+" "+c.Root] = func() (measure.Crate, error) {
				if rd.scope.whole || whole.byCargo(c) {
					return crateOf(whole, c, names)
				}
				return filesOf(whole, rd.scope.paths, c, names)
			}
		}
	}
	for _, s := range subjects {
		m.give(s)
	}
	return crates, nil
}

// give adds the cases of the repository for a subject.
func (m *measuring) give(s *measure.Subject) {
	for _, suite := range m.suites {
		for _, x := range m.r.sidesOf(s) {
			if x.side.Func != nil && x.side.Function.Symbol == suite.Function {
				if err := measure.CheckGiven(x.side.Func, suite); err != nil && !errors.Is(err, eval.ErrUnsupported) {
					m.r.reason(true, string(checks.Strength), "%s: not all cases of base were used: %v", s.Symbol, err)
				}
				x.side.Given = append(x.side.Given, suite)
			}
		}
	}
}

// hasCases tells whether cases of the repository are about a subject.
func (m *measuring) hasCases(s *measure.Subject) bool {
	return slices.ContainsFunc(m.suites, func(suite *eval.Suite) bool {
		return slices.ContainsFunc(m.r.sidesOf(s), func(x sideOf) bool { return x.side.Function.Symbol == suite.Function })
	})
}

// found is what is kept of a group.
type found struct {
	// kept are the subjects that something is kept of, missing the places of the others, to be measured.
	kept    map[int]*keptStrength
	missing []int
	// needs are the crates, by side and root, that must compile as they are for what is kept to hold. Of those in open it is not known: their text is
	// another one than when the function was measured.
	needs map[int][]string
	open  map[string]bool
	// step is what was measured last.
	step  step
	fails bool // one of the crates does not compile as it is
}

type step uint8

const (
	nothing step = iota
	whatMisses
	oneOfEach // a function of each crate that is open
	allTogether
)

// lookUp finds what is kept of the subjects of a group.
func (m *measuring) lookUp(g *group, subjects []*measure.Subject) (*found, error) {
	f := &found{kept: map[int]*keptStrength{}, needs: map[int][]string{}, open: map[string]bool{}}
	for _, i := range g.at {
		if m.kept == nil {
			break
		}
		key, err := m.key(g, subjects, i)
		if err != nil {
			return nil, err
		}
		if key == nil {
			continue
		}
		if e := m.kept.find(*key, subjects[i], !m.rest); e != nil {
			f.kept[i] = e
		} else if err := m.lookUpReached(g, subjects[i], i, f); err != nil {
			return nil, err
		}
	}
	if g.whole && len(f.kept) < len(g.at) {
		f.kept = nil // what is read together is measured together
	}
	for _, i := range g.at {
		if f.kept[i] == nil {
			f.missing = append(f.missing, i)
		}
	}
	return f, nil
}

// lookUpReached finds what is kept of a subject by what its functions reach.
func (m *measuring) lookUpReached(g *group, s *measure.Subject, i int, f *found) error {
	key, err := m.reachKey(g, s)
	if err != nil || key == nil {
		return err
	}
	e := m.kept.find(*key, s, !m.rest)
	if e == nil {
		return nil
	}
	keys, err := m.crateKeys(s)
	if err != nil {
		return err
	}
	f.kept[i] = e
	for name, key := range keys {
		if e.Rustc == "" {
			break // nothing was compiled for it
		}
		f.needs[i] = append(f.needs[i], name)
		if _, known := f.open[name]; !known {
			f.open[name] = !m.kept.has(key)
		}
	}
	return nil
}

// next gives the places of what is to be measured next; none if all is measured or kept.
func (f *found) next() []int {
	if f.step == nothing {
		f.step = whatMisses
		if len(f.missing) > 0 {
			return f.missing
		}
	}
	waiting := map[string][]int{}
	var all []int
	for _, i := range slices.Sorted(maps.Keys(f.kept)) {
		is := false
		for _, name := range f.needs[i] {
			if f.open[name] {
				is = true
				waiting[name] = append(waiting[name], i)
			}
		}
		if is {
			all = append(all, i)
		}
	}
	if f.step == whatMisses && !f.fails {
		f.step = oneOfEach
		all = nil
		for _, of := range waiting {
			all = append(all, of[0])
		}
		slices.Sort(all)
		all = slices.Compact(all)
	} else if len(all) > 0 {
		// What is kept does not hold where a crate does not compile as it is, and what is left of such a crate is measured together.
		f.step = allTogether
		all = slices.Sorted(slices.Values(slices.Concat(f.missing, all)))
	}
	for _, i := range all {
		delete(f.kept, i)
	}
	return all
}

// ran notes what measuring some tells of the crates.
func (f *found) ran(at []int, ran map[string]*measure.Compiled) {
	f.missing = slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.missing, at))))
	for name := range f.open {
		side, root, _ := strings.Cut(name, " ")
		if asIs, tried := ran[side].AsIs[root]; tried {
			f.open[name] = !asIs
			f.fails = f.fails || !asIs
		}
	}
}

// ranWith notes with what functions ran, for the report.
func (m *measuring) ranWith(rustc string, protections []sandbox.Protection) {
	m.version = cmp.Or(m.version, rustc)
	if len(m.protections) == 0 {
		m.protections = protections
	}
}

// cases reads the cases of the repository. They come from base, like the policy.
func (r *runner) cases() ([]*eval.Suite, error) {
	if len(r.policy.Strength.Cases) == 0 {
		return nil, nil
	}
	var files []string
	for _, p := range r.base.paths {
		if r.policy.CaseFile(p) && r.base.has(p) {
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		r.reason(true, string(checks.Strength), "no file of base matches strength.cases of the policy")
		return nil, nil
	}
	if err := r.base.load(files); err != nil {
		return nil, err
	}
	var out []*eval.Suite
	for _, name := range files {
		text, err := r.base.Read(name)
		var suite *eval.Suite
		if err == nil {
			suite, err = eval.ReadSuite(source.NewFile(name, text))
		}
		if err != nil {
			r.reason(true, string(checks.Strength), "cases of base were not used: %v", err)
			continue
		}
		out = append(out, suite)
	}
	return out, nil
}

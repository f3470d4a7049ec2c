package eval

import (
	"fmt"
	"slices"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// DefaultSteps is the budget of one comparison, in steps of the interpreter.
const DefaultSteps = 250_000

const (
	// caseSteps bounds the steps of one question in a comparison.
	caseSteps = 20_000
	// maxInputs and maxOutputs bound how many inputs are tried, and how many results for one of them.
	maxInputs  = 400
	maxOutputs = 80
	// firstInputs and firstOutputs are what the first round tries.
	firstInputs  = 120
	firstOutputs = 10
	// enoughHits is how many witnesses are found before the simplest is taken.
	enoughHits = 12
)

// Witness is a concrete case.
type Witness struct {
	Case
	// Input is the arguments as people write them: "v = [0], k = 1".
	Input string
	// Output is the result and the values of mutable references after the call: "r = 5, v = []". Empty for an input alone.
	Output string
	// Text is the call: "find([0], 0) gives r = None".
	Text string
}

// Comparison is what a bounded search found. A nil witness means that none was found, not that there is none.
type Comparison struct {
	// Lost is an input that base's requires allows and head's does not; Gained the other way.
	Lost, Gained *Witness
	// Accepted is a case, its input allowed by both, that head's ensures allows and base's does not; Refused the other way.
	Accepted, Refused *Witness
	// Possible is an input that head's requires allows: it is not contradictory. PossibleBase is the same of base's.
	Possible, PossibleBase *Witness
	// Rejected is a case that head's ensures rejects for an input that its requires allows: it is not trivial. RejectedBase is
	// the same of base's.
	Rejected, RejectedBase *Witness
	// Inputs and Cases that were tried, and how many questions about them had no answer.
	Inputs, Cases, Undecided int
	// Steps that the interpreter took.
	Steps int
}

// side is one of the two contracts.
type side struct {
	c            *contract
	wide, narrow *machine
}

type comparer struct {
	base, head *side
	gen        *generator
	out        *Comparison
	budget     int
	hits       map[**Witness]int
	best       map[**Witness]int
}

// Compare looks for inputs and results on which the contracts of a function differ, running no code. steps is the budget; 0 means
// DefaultSteps. The error says why there can be no comparison (ErrUnsupported): types that cannot be made, or that differ.
func Compare(base, head *Func, steps int) (*Comparison, error) {
	if steps <= 0 {
		steps = DefaultSteps
	}
	m := head.machine(32)
	m.begin(steps)
	g := &generator{w: head.w, m: m, like: base.w, tables: map[string][]value.Value{}}
	inst, err := g.instances(head)
	if err != nil {
		return nil, fmt.Errorf("compare the contracts of %s: %w", short(head.Name), err)
	}
	x := &comparer{gen: g, out: &Comparison{}, budget: steps, hits: map[**Witness]int{}, best: map[**Witness]int{}}
	for _, f := range []*Func{base, head} {
		c, err := f.contract(inst)
		if err != nil {
			return nil, fmt.Errorf("compare the contracts of %s: %w", short(head.Name), err)
		}
		s := &side{c, f.machine(64), f.machine(32)}
		if f == base && x.base == nil {
			x.base = s
		}
		x.head = s
	}
	if base == head {
		x.head = x.base
	}
	if err := x.sameTypes(); err != nil {
		return nil, fmt.Errorf("compare the contracts of %s: %w", short(head.Name), err)
	}
	g.literals(x.base.c, x.head.c)
	if err := x.run(); err != nil {
		return nil, fmt.Errorf("compare the contracts of %s: %w", short(head.Name), err)
	}
	x.out.Steps = steps - x.budget
	return x.out, nil
}

// sameTypes checks that values of one side are values of the other.
func (x *comparer) sameTypes() error {
	b, h := x.base.c, x.head.c
	if len(b.params) != len(h.params) {
		return unsupported("the number of parameters changed")
	}
	seen := map[string]bool{}
	check := func(a, c *value.Type) error {
		if !value.Same(a, c) {
			return unsupported("a type in the signature changed from %s to %s", a, c)
		}
		return sameDefinition(b.fn.w, h.fn.w, a, seen)
	}
	for i := range b.params {
		if b.muts[i] != h.muts[i] {
			return unsupported("a type in the signature changed")
		}
		if err := check(b.params[i], h.params[i]); err != nil {
			return err
		}
	}
	return check(b.result, h.result)
}

func sameDefinition(a, b *World, t *value.Type, seen map[string]bool) error {
	for _, arg := range t.Args {
		if err := sameDefinition(a, b, arg, seen); err != nil {
			return err
		}
	}
	if t.Kind != value.TData || seen[t.Name] {
		return nil
	}
	seen[t.Name] = true
	x, y := a.types[t.Name], b.types[t.Name]
	if x == nil && y == nil {
		return nil
	}
	if x == nil || y == nil || x.kind != y.kind || shape(x.node) != shape(y.node) {
		return unsupported("the type %s changed", t)
	}
	if a == b {
		return nil
	}
	for v := range x.node.All(syntax.FVariant) {
		for _, ft := range fieldTypes(a, t, identText(v.Get(syntax.FName))) {
			if ft != nil {
				if err := sameDefinition(a, b, ft, seen); err != nil {
					return err
				}
			}
		}
	}
	for _, ft := range fieldTypes(a, t, "") {
		if ft != nil {
			if err := sameDefinition(a, b, ft, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// shape is the text of a type's fields and variants without what does not matter to its values.
func shape(n syntax.Node) string {
	text := ""
	n.Walk(func(c syntax.Node) bool {
		switch c.Kind() {
		case syntax.Attr, syntax.Vis, syntax.Where, syntax.Mode:
			return false
		case syntax.FieldList, syntax.TupleFields, syntax.Struct, syntax.Enum:
			text += "(" + c.Kind().String()
			return true
		case syntax.FieldDecl:
			text += "," + c.Get(syntax.FName).Text() + ":"
			for t := range c.Get(syntax.FType).Tokens() {
				text += t.Text() + " "
			}
			return false
		case syntax.Variant:
			text += "|" + c.Get(syntax.FName).Text()
			return true
		case syntax.GenericParams:
			for t := range c.Tokens() {
				text += t.Text() + " "
			}
			return false
		}
		return true
	})
	return text
}

// ask evaluates a question on 64 bits, and on 32 where that may matter.
func (x *comparer) ask(s *side, question func(m *machine) value.Truth) value.Truth {
	s.wide.begin(min(caseSteps, max(x.budget, 0)))
	t := question(s.wide)
	x.budget -= s.wide.steps + 4
	if t != value.Undecided && s.wide.archUsed {
		s.narrow.begin(min(caseSteps, max(x.budget, 0)))
		if question(s.narrow) != t {
			t = value.Undecided
		}
		x.budget -= s.narrow.steps
	}
	if t == value.Undecided {
		x.out.Undecided++
	}
	return t
}

func (x *comparer) run() error {
	c := x.head.c
	pools := make([][]value.Value, len(c.params))
	each := 24
	switch {
	case len(c.params) == 2:
		each = 20
	case len(c.params) >= 3:
		each = 10
	}
	for i, t := range c.params {
		if t.Kind == value.TFn {
			return unsupported("parameter %s is a function", c.names[i])
		}
		if pools[i] = x.gen.values(t, each); len(pools[i]) == 0 {
			return unsupported("no values of type %s can be made", t)
		}
	}
	results := len(x.gen.values(c.result, 1)) > 0
	var inputs []*Case
	Diagonal(pools, func(vs []value.Value) bool {
		inputs = append(inputs, &Case{Args: slices.Clone(vs)})
		return len(inputs) < maxInputs
	})
	half := x.budget / 2
	var allowed []*Case
	for _, k := range inputs {
		if x.budget < half {
			break
		}
		if !x.exist(k.Args) {
			continue
		}
		x.out.Inputs++
		b := x.ask(x.base, func(m *machine) value.Truth { return m.requires(x.base.c, k) })
		h := b
		if x.head != x.base {
			h = x.ask(x.head, func(m *machine) value.Truth { return m.requires(x.head.c, k) })
		}
		if b == value.True {
			x.hit(&x.out.PossibleBase, k)
			if h == value.False {
				x.hit(&x.out.Lost, k)
			}
		}
		if h == value.True {
			x.hit(&x.out.Possible, k)
			if b == value.False {
				x.hit(&x.out.Gained, k)
			}
		}
		if b == value.True || h == value.True {
			if b == value.True && h == value.True {
				allowed = append(allowed, k)
			} else if len(allowed) < 4 {
				x.outputsUntil(k, b, h, 8, 0)
			}
		}
	}
	if !results {
		return nil
	}
	// First a few results for inputs of all kinds, then many for the simple ones.
	half = x.budget / 2
	stride := (len(allowed) + firstInputs - 1) / firstInputs
	for i := 0; i < len(allowed) && x.budget > half && !x.enough(); i += max(stride, 1) {
		x.outputsUntil(allowed[i], value.True, value.True, firstOutputs, half)
	}
	for i, k := range allowed {
		if x.budget <= 0 || x.enough() {
			break
		}
		// Later inputs must not be starved by costly earlier ones.
		share := x.budget / min(len(allowed)-i, 30)
		x.outputsUntil(k, value.True, value.True, maxOutputs, x.budget-max(share, caseSteps))
	}
	return nil
}

// exist tells whether values meet the type invariants of both sides. A change of an invariant is not one of the contract.
func (x *comparer) exist(vs []value.Value) bool {
	for _, s := range []*side{x.base, x.head} {
		w := s.c.fn.w
		if len(w.invariants) > 0 && x.ask(s, func(m *machine) value.Truth { return m.validAll(w, vs) }) != value.True {
			return false
		}
	}
	return true
}

// enough tells whether further search is of no use.
func (x *comparer) enough() bool {
	o := x.out
	return x.hits[&o.Accepted] >= enoughHits && (x.hits[&o.Refused] >= enoughHits || x.base == x.head) && o.Rejected != nil && o.RejectedBase != nil
}

// outputsUntil tries results for an input until the budget is down to end.
func (x *comparer) outputsUntil(k *Case, b, h value.Truth, n, end int) {
	c := x.head.c
	x.gen.m.begin(questionSteps)
	pools := [][]value.Value{x.results(k)}
	muts := []int{}
	for i := range c.params {
		if c.muts[i] {
			input := append(slices.Clone(k.Args[:i]), k.Args[i+1:]...)
			after := x.gen.edits(k.Args[i], c.params[i], input)
			after = distinct(interleave(after, x.gen.values(c.params[i], 6)))
			if len(after) > 40 {
				after = after[:40]
			}
			pools = append(pools, after)
			muts = append(muts, i)
		}
	}
	x.budget -= x.gen.m.steps
	tried := 0
	Diagonal(pools, func(vs []value.Value) bool {
		out := &Case{Args: k.Args, Result: vs[0], After: make([]value.Value, len(k.Args))}
		for j, i := range muts {
			out.After[i] = vs[j+1]
		}
		tried++
		if !x.exist(append(slices.Clone(out.After), out.Result)) {
			return x.budget > end && x.budget > 0
		}
		x.out.Cases++
		holds := func(s *side) value.Truth {
			return x.ask(s, func(m *machine) value.Truth { return m.ensures(s.c, out) })
		}
		be := holds(x.base)
		he := be
		if x.head != x.base {
			he = holds(x.head)
		}
		if b == value.True && be == value.False {
			x.hit(&x.out.RejectedBase, out)
		}
		if h == value.True && he == value.False {
			x.hit(&x.out.Rejected, out)
		}
		if b == value.True && h == value.True {
			if he == value.True && be == value.False {
				x.hit(&x.out.Accepted, out)
			}
			if be == value.True && he == value.False {
				x.hit(&x.out.Refused, out)
			}
		}
		return tried < n*(1+len(muts)) && x.budget > end && x.budget > 0
	})
}

// results gives candidates for the result: what the clauses themselves say it is, and what lies around the input.
func (x *comparer) results(k *Case) []value.Value {
	c := x.head.c
	var exact []value.Value
	for _, s := range []*side{x.base, x.head} {
		for _, v := range s.solutions(k) {
			if v, ok := conform(v, c.result, c.fn.w); ok && !wideSize(v) {
				exact = append(exact, v)
			}
		}
		x.budget -= s.wide.steps
	}
	return distinct(interleave(exact, x.gen.around(c.result, k.Args, 40)))
}

// solutions evaluates what clauses of the form `r == e`, `r@ == e` and `returns e` say that the result is.
func (s *side) solutions(k *Case) []value.Value {
	m := s.wide
	m.begin(caseSteps)
	var out []value.Value
	for _, p := range s.c.parts {
		fr, e, ok := m.bind(s.c, p, k, true)
		if !ok {
			continue
		}
		name := ""
		if pat := p.fn.Node.Get(syntax.FRet).Get(syntax.FPat); pat.Kind() == syntax.IdentPat {
			name = identText(pat.Get(syntax.FName))
			e = e.bind(name, value.Unspecified{Reason: "the result"})
		}
		for _, n := range p.returns {
			out = append(out, m.eval(n, fr, e))
		}
		if name == "" {
			continue
		}
		for _, n := range p.ensures {
			n.Walk(func(b syntax.Node) bool {
				switch b.Kind() {
				case syntax.Closure, syntax.Quant:
					return false
				case syntax.Binary:
				default:
					return len(out) < 12
				}
				switch b.Op() {
				case syntax.EqEq, syntax.ExtEq, syntax.DeepEq, syntax.Iff, syntax.Implies:
				default:
					return true
				}
				l, r := b.Get(syntax.FLhs), b.Get(syntax.FRhs)
				for range 2 {
					t := l
					for t.Kind() == syntax.Paren || t.Kind() == syntax.View {
						t = t.Get(syntax.FExpr)
					}
					if t.Kind() == syntax.Path && identText(t) == name && len(out) < 12 {
						out = append(out, m.eval(r, fr, e))
					}
					l, r = r, l
				}
				return true
			})
		}
	}
	return out
}

// hit records a witness if it is simpler than the one before.
func (x *comparer) hit(at **Witness, k *Case) {
	size := 0
	for _, v := range k.Args {
		size += value.Size(v)
	}
	for _, v := range k.After {
		if v != nil {
			size += value.Size(v)
		}
	}
	if k.Result != nil {
		size += value.Size(k.Result)
	}
	x.hits[at]++
	if *at != nil && x.best[at] <= size {
		return
	}
	c := x.head.c
	x.best[at] = size
	*at = &Witness{Case: *k, Input: inputText(c, k), Text: caseText(c, k), Output: outputText(c, k)}
}

// literals collects the numbers and characters that occur in contracts, in the specification functions that they reach by path, and in the
// specification methods of the types of the signature.
func (g *generator) literals(cs ...*contract) {
	g.literalsOf(func(*Func) bool { return true }, nil, cs)
}

// literalsOf is literals with those methods only that wanted chooses. named is told the name of each method that is called; it may be nil.
func (g *generator) literalsOf(wanted func(*Func) bool, named func(string), cs []*contract) {
	seen := map[place]bool{}
	budget := 20_000
	var visit func(w *World, mod *module, n syntax.Node, depth int)
	visit = func(w *World, mod *module, n syntax.Node, depth int) {
		n.Walk(func(c syntax.Node) bool {
			if budget--; budget < 0 {
				return false
			}
			switch c.Kind() {
			case syntax.Literal:
				switch tok := c.FirstToken(); tok.Kind() {
				case syntax.Int:
					if i, ok := intLiteral(tok.Text()); ok && len(g.hints) < 40 {
						i = i.As(value.IntT)
						if !slices.ContainsFunc(g.hints, func(o value.Int) bool { return o.Cmp(i) == 0 }) && i.Sign() != 0 {
							g.hints = append(g.hints, i)
						}
					}
				case syntax.Char:
					if v, ok := newMachine("", 32).literal(c).(value.Char); ok && len(g.chars) < 12 {
						g.chars = append(g.chars, v)
					}
				}
			case syntax.MethodCall:
				if named != nil {
					named(identText(c.Get(syntax.FName)))
				}
			case syntax.Path:
				if depth < 4 {
					if d := w.resolve(mod, pathWords(c)).def; d != nil && d.fn != nil && !seen[placeOf(d.node)] {
						seen[placeOf(d.node)] = true
						if body, why := d.fn.body(); why == "" {
							visit(w, d.mod, body, depth+1)
						}
					}
				}
			}
			return true
		})
	}
	for _, c := range cs {
		for _, p := range c.parts {
			for _, n := range slices.Concat(p.requires, p.ensures, p.returns) {
				visit(c.fn.w, p.fn.mod, n, 0)
			}
		}
	}
	// What a method calls may make another one wanted.
	for before := -1; before != len(seen); {
		before = len(seen)
		for _, c := range cs {
			for _, t := range append(slices.Clone(c.params), c.result) {
				g.methodLiterals(c.fn.w, t, wanted, seen, visit)
			}
		}
	}
}

// methodLiterals visits the specification methods of the types of a signature that are wanted.
func (g *generator) methodLiterals(w *World, t *value.Type, wanted func(*Func) bool, seen map[place]bool, visit func(*World, *module, syntax.Node, int)) {
	if t == nil {
		return
	}
	for _, a := range t.Args {
		g.methodLiterals(w, a, wanted, seen, visit)
	}
	for _, im := range w.impls[headOf(t)] {
		for it := range im.node.Children() {
			if f := w.Func(it); f != nil && !seen[placeOf(it)] && wanted(f) {
				seen[placeOf(it)] = true
				if body, why := f.body(); why == "" {
					visit(w, im.mod, body, 1)
				}
			}
		}
	}
}

package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// Param is a parameter of a Judge's function.
type Param struct {
	Name string
	Type *value.Type
	// Mut tells a mutable reference: the parameter has a value after the call.
	Mut bool
}

// Params of the function, type parameters replaced.
func (j *Judge) Params() []Param {
	out := make([]Param, len(j.c.params))
	for i, t := range j.c.params {
		out[i] = Param{j.c.names[i], t, j.c.muts[i]}
	}
	return out
}

// Result is the type of what the function returns; () is the empty tuple.
func (j *Judge) Result() *value.Type { return j.c.result }

// Func that is judged.
func (j *Judge) Func() *Func { return j.c.fn }

// SizeBits is how wide usize and isize values must fit to be judged: 32, or 64 where the crate fixes that width.
func (j *Judge) SizeBits() int {
	if j.fixed == 64 {
		return 64
	}
	return 32
}

// Fits tells whether every usize and isize in a value fits the width that it can be judged on.
func (j *Judge) Fits(v value.Value) bool { return j.fixed == 64 || !wideSize(v) }

// InputAnswer is what a contract says of the arguments of a call.
type InputAnswer struct {
	// Meets tells whether requires and the type invariants of the arguments hold, Exists whether the type invariants alone do.
	Meets, Exists value.Truth
	// Clause is what the arguments make false, when Meets is False.
	Clause *Clause
	// Why is the reason when Meets is Undecided.
	Why string
	// Steps that the interpreter took.
	Steps int
}

// Input asks about the arguments of a call within a number of steps.
func (j *Judge) Input(args []value.Value, steps int) InputAnswer {
	if len(args) != len(j.c.params) {
		return InputAnswer{Meets: value.Undecided, Exists: value.Undecided, Why: "another number of arguments than the function has"}
	}
	for _, v := range args {
		if !j.Fits(v) {
			return InputAnswer{Meets: value.Undecided, Exists: value.Undecided, Why: "a usize that needs 64 bits"}
		}
	}
	ask := func(m *machine) InputAnswer {
		m.begin(steps)
		m.refuted = nil
		a := InputAnswer{Exists: m.validAll(j.c.fn.w, args)}
		a.Meets = a.Exists
		if a.Meets != value.False {
			a.Meets = a.Meets.And(m.requires(j.c, &Case{Args: args}))
		}
		a.Clause, a.Why, a.Steps = m.refuted, m.why, m.steps
		return a
	}
	first, second := j.machines()
	a := ask(first)
	if a.Meets != value.Undecided && second != nil && first.archUsed {
		n := ask(second)
		a.Steps += n.Steps
		if n.Exists != a.Exists {
			a.Exists = value.Undecided
		}
		if n.Meets != a.Meets {
			a.Meets, a.Why = value.Undecided, "the width of usize"
		}
	}
	switch a.Meets {
	case value.False:
		a.Why = ""
	case value.True:
		a.Clause, a.Why = nil, ""
	default:
		a.Clause = nil
		if a.Why == "" {
			a.Why = "not decided"
		}
	}
	return a
}

// machines are those that must agree: one, where the crate fixes the width of usize.
func (j *Judge) machines() (first, second *machine) {
	switch j.fixed {
	case 32:
		return j.narrow, nil
	case 64:
		return j.wide, nil
	}
	return j.wide, j.narrow
}

// Valid tells whether the type invariants of a value and of its parts hold.
func (j *Judge) Valid(v value.Value) value.Truth {
	ask := func(m *machine) value.Truth {
		m.begin(questionSteps)
		return m.valid(j.c.fn.w, v)
	}
	first, second := j.machines()
	t := ask(first)
	if second != nil && first.archUsed && ask(second) != t {
		return value.Undecided
	}
	return t
}

// forValues is the machine of what is asked to find values: usize is taken as 32 bits wide, or as the crate fixes it.
func (j *Judge) forValues() *machine {
	if j.fixed == 64 {
		return j.wide
	}
	return j.narrow
}

// Conform gives a value the type that it is to have: the types of integers, the kinds of lists. ok is false when it has none such.
func (j *Judge) Conform(v value.Value, t *value.Type) (out value.Value, ok bool) {
	return conform(v, t, j.c.fn.w)
}

// Small gives up to n values of a type, simplest first, among them the limits of integers and numbers that the contract names.
func (j *Judge) Small(t *value.Type, n int) []value.Value {
	if j.gen == nil {
		j.gen = &generator{w: j.c.fn.w, m: j.c.fn.machine(32), tables: map[string][]value.Value{}}
		j.gen.literals(j.c)
	}
	j.gen.m.begin(questionSteps)
	// Nested arrays share their parts here, but would not when written out.
	return slices.DeleteFunc(j.gen.values(t, n), func(v value.Value) bool { return value.Weight(v, maxWeight+1) > maxWeight })
}

// SameTypes checks that what can be put to one judge can be put to the other. The error is ErrUnsupported.
func SameTypes(base, head *Judge) error {
	return (&comparer{base: &side{c: base.c}, head: &side{c: head.c}}).sameTypes()
}

// Instance is what the type parameters of the judged function stand for; empty if it has none.
func (j *Judge) Instance() map[string]*value.Type { return j.c.inst }

// Instances chooses types for the type parameters of a function whose values exist in executable code. like is the function in another version of the
// sources, or nil: types that are there too go first, so that a change cannot choose one by adding it, and both versions get the same. The error is
// ErrUnsupported.
func (f *Func) Instances(like *Func) (map[string]*value.Type, error) {
	m := f.machine(32)
	m.begin(questionSteps)
	g := &generator{w: f.w, m: m, tables: map[string][]value.Value{}}
	if like != nil {
		g.like = like.w
	}
	inst, err := g.instances(f)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(inst))
	for name := range inst {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(inst[name].Name, tableType) {
			return nil, unsupported("no type of the crate that can stand for %s is known", short(name))
		}
	}
	for p := range f.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Kind() == syntax.ConstParam {
			return nil, unsupported("the constant parameter %s", short(identText(p.Get(syntax.FName))))
		}
	}
	if f.impl != nil {
		for p := range f.impl.node.Get(syntax.FGenerics).All(syntax.FParam) {
			if p.Kind() == syntax.ConstParam {
				return nil, unsupported("the constant parameter %s", short(identText(p.Get(syntax.FName))))
			}
		}
	}
	return inst, nil
}

// Shape is one way to make a value of a type: a struct, or a variant of an enum.
type Shape struct {
	// Variant is empty for a struct.
	Variant string
	// Names of the fields; nil when they have none.
	Names []string
	Types []*value.Type
}

// Shapes are the ways to make a value of a struct or enum type, in the order of their declaration. The error is ErrUnsupported and says
// why there are none. The slice must not be changed.
func (j *Judge) Shapes(t *value.Type) ([]Shape, error) {
	key := string(appendType(nil, t))
	got, known := j.shapes[key]
	if !known {
		got.list, got.err = j.readShapes(t)
		if j.shapes == nil {
			j.shapes = map[string]shapes{}
		}
		j.shapes[key] = got
	}
	return got.list, got.err
}

type shapes struct {
	list []Shape
	err  error
}

// appendType appends a text that two types share exactly when they are the same.
func appendType(b []byte, t *value.Type) []byte {
	if t == nil {
		return append(b, '?')
	}
	b = append(b, 'A'+byte(t.Kind), 'A'+byte(t.Int), 'A'+byte(t.List))
	b = append(b, t.Name...)
	if t.Kind == value.TList && t.List == value.Array {
		b = append(b, itoa(t.Len)...)
	}
	if len(t.Args) > 0 {
		b = append(b, '<')
		for _, a := range t.Args {
			b = append(appendType(b, a), ',')
		}
		b = append(b, '>')
	}
	return b
}

func (j *Judge) readShapes(t *value.Type) ([]Shape, error) {
	switch t.Name {
	case "Option":
		return []Shape{{Variant: "None"}, {Variant: "Some", Types: t.Args}}, nil
	case "Result":
		return []Shape{{Variant: "Ok", Types: t.Args[:1]}, {Variant: "Err", Types: t.Args[1:]}}, nil
	case "Ghost", "Tracked":
		return []Shape{{Types: t.Args}}, nil
	}
	w := j.c.fn.w
	d := w.types[t.Name]
	switch {
	case d == nil || d.kind != defStruct && d.kind != defEnum:
		return nil, unsupported("the type %s is not known", t)
	case hasAttr(d.node, "external_body") || hasAttr(d.node, "external"):
		return nil, unsupported("the fields of the type %s are hidden from the verifier", t)
	}
	shape := func(c *ctor) (Shape, error) {
		names, _ := c.fields()
		s := Shape{Variant: c.variant, Names: names, Types: fieldTypes(w, t, c.variant)}
		if i := slices.Index(s.Types, nil); i >= 0 {
			name := itoa(i)
			if names != nil {
				name = names[i]
			}
			return s, unsupported("the type of the field %s of %s is not understood", short(name), t)
		}
		return s, nil
	}
	if d.kind == defStruct {
		s, err := shape(structCtor(w, d))
		return []Shape{s}, err
	}
	var out []Shape
	for v := range d.node.All(syntax.FVariant) {
		s, err := shape(variantCtor(w, d, v))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Invariant tells whether a type has a type invariant.
func (j *Judge) Invariant(t *value.Type) bool { return len(j.c.fn.w.invariants[t.Name]) > 0 }

// Literals are what is written in some code.
type Literals struct {
	Ints  []value.Int
	Chars []rune
	Texts []string
}

// maxLiterals bounds how many literals of each kind are told.
const maxLiterals = 40

// Literals are those of the contract, of the specification functions that it reaches, of the invariants and views of the types of the signature,
// and of the executable code of the body, each once, in this order. Ghost code has no say, so that none of what is made of them can be changed by it.
func (j *Judge) Literals() Literals {
	var out Literals
	m := j.c.fn.machine(32)
	m.begin(questionSteps)
	addInt := func(i value.Int) {
		i = i.As(value.IntT)
		if len(out.Ints) < maxLiterals && !slices.ContainsFunc(out.Ints, func(o value.Int) bool { return o.Cmp(i) == 0 }) {
			out.Ints = append(out.Ints, i)
		}
	}
	g := &generator{w: j.c.fn.w, m: m, tables: map[string][]value.Value{}}
	called := map[string]bool{"view": true}
	invariant := map[*Func]bool{}
	for _, fs := range j.c.fn.w.invariants {
		for _, f := range fs {
			invariant[f] = true
		}
	}
	g.literalsOf(func(f *Func) bool { return called[f.Node.Get(syntax.FName).Text()] || invariant[f] }, func(name string) { called[name] = true }, []*contract{j.c})
	for _, i := range g.hints {
		addInt(i)
	}
	addChar := func(c rune) {
		if len(out.Chars) < maxLiterals && !slices.Contains(out.Chars, c) {
			out.Chars = append(out.Chars, c)
		}
	}
	for _, c := range g.chars {
		if c, ok := c.(value.Char); ok {
			addChar(rune(c))
		}
	}
	sc := j.c.fn.scope()
	read := func(n syntax.Node) {
		n.Walk(func(c syntax.Node) bool {
			switch c.Kind() {
			case syntax.Literal:
				switch v := m.literal(c).(type) {
				case value.Int:
					addInt(v)
				case value.Char:
					addChar(rune(v))
				case *value.List:
					if s, ok := v.String(); ok && len(out.Texts) < maxLiterals && !slices.Contains(out.Texts, s) {
						out.Texts = append(out.Texts, s)
					}
				}
			case syntax.Unknown:
				// The text of executable code is no code in all cases: without braces the body of a closure with a type of its result is none.
				for t := range c.Tokens() {
					if i, ok := intLiteral(t.Text()); t.Kind() == syntax.Int && ok {
						addInt(i)
					}
				}
				return false
			case syntax.Path:
				if d := sc.w.resolve(sc.mod, pathWords(c)).def; d != nil && d.kind == defConst {
					if v, ok := m.call(d.fn, nil).(value.Int); ok && !m.archUsed {
						addInt(v)
					}
				}
			}
			return true
		})
	}
	for _, p := range j.c.parts {
		for _, n := range slices.Concat(p.requires, p.ensures, p.returns) {
			read(n)
		}
	}
	code := syntax.Parse(source.NewFile(j.c.fn.mod.crate, []byte(syntax.Exec(j.c.fn.Node))))
	for n := range code.Root().Children() {
		read(n.Get(syntax.FBody))
	}
	return out
}

// Alike tells whether specifications that go by what the types of two values offer cannot tell them apart: they are equal, but for structs
// with private fields and a view, of which the view and every other specification function of self alone have equal values.
func (j *Judge) Alike(a, b value.Value) bool {
	m := j.forValues()
	m.begin(questionSteps)
	return m.alike(j.c.fn.w, a, b)
}

func (m *machine) alike(w *World, a, b value.Value) bool {
	if m.tick(1) {
		return false
	}
	x, ok := value.Key(a)
	y, ok2 := value.Key(b)
	if ok && ok2 && x == y {
		return true
	}
	all := func(xs, ys []value.Value) bool {
		if len(xs) != len(ys) {
			return false
		}
		for i := range xs {
			if !m.alike(w, xs[i], ys[i]) {
				return false
			}
		}
		return true
	}
	switch a := a.(type) {
	case value.Unspecified:
		return unknown(b)
	case value.Tuple:
		b, ok := b.(value.Tuple)
		return ok && all(a, b)
	case *value.List:
		b, ok := b.(*value.List)
		return ok && a.Of == b.Of && all(a.Elems, b.Elems)
	case *value.Data:
		b, ok := b.(*value.Data)
		if !ok || a.Type != b.Type || a.Variant != b.Variant {
			return false
		}
		fs := w.abstraction(a.Type, m.given)
		if len(fs) == 0 {
			return all(a.Fields, b.Fields)
		}
		for _, f := range fs {
			if m.equal(m.call(f, []value.Value{a}), m.call(f, []value.Value{b})) != value.True {
				return false
			}
		}
		return true
	}
	return false
}

// abstraction are the specification functions of self alone of a struct with private fields and a view; none of other types.
func (w *World) abstraction(typ string, given []string) (out []*Func) {
	d := w.types[typ]
	if d == nil || d.kind != defStruct {
		return nil
	}
	for f := range d.node.Get(syntax.FFields).All(syntax.FFieldDecl) {
		if f.Get(syntax.FVis).Valid() {
			return nil
		}
	}
	view := false
	for _, im := range w.impls[typ] {
		for it := range im.node.Children() {
			if it.Kind() != syntax.Fn || !strings.HasPrefix(it.Get(syntax.FMode).Text(), "spec") {
				continue
			}
			n, self := 0, false
			for p := range it.Get(syntax.FParams).All(syntax.FParam) {
				n++
				self = self || p.Kind() == syntax.SelfParam
			}
			if f := w.Func(it); f != nil && n == 1 && self && !f.absent && hold(f.conds, given) {
				out = append(out, f)
				view = view || f.Name == "view"
			}
		}
	}
	if !view {
		return nil
	}
	return out
}

// Canary is the judge of the same function with a postcondition that is always true or always false instead of its own: it is known
// beforehand what it must answer about a case whose input meets requires.
func (j *Judge) Canary(ensures bool) *Judge {
	text := "verus! { fn canary() ensures " + fmt.Sprint(ensures) + " {} }"
	f := syntax.Parse(source.NewFile("canary", []byte(text)))
	var clause syntax.Node
	f.Root().Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Clause {
			clause = n.Get(syntax.FExpr)
		}
		return true
	})
	c := *j.c
	c.parts = slices.Clone(j.c.parts)
	for i := range c.parts {
		c.parts[i].ensures, c.parts[i].returns = []syntax.Node{clause}, nil
	}
	out := *j
	out.c = &c
	return &out
}

// ClauseTruth is what a case makes of one clause.
type ClauseTruth struct {
	Clause Clause
	Truth  value.Truth
}

// Each tells of each postcondition by itself what a case makes of it: returns and ensures, the function's own first.
func (j *Judge) Each(k *Case) []ClauseTruth {
	ask := func(m *machine) []ClauseTruth {
		var out []ClauseTruth
		for _, p := range j.c.parts {
			one := func(kind syntax.ClauseKind, n syntax.Node) {
				c := *j.c
				q := part{fn: p.fn, scope: p.scope}
				if kind == syntax.Returns {
					q.returns = []syntax.Node{n}
				} else {
					q.ensures = []syntax.Node{n}
				}
				c.parts = []part{q}
				m.begin(questionSteps)
				out = append(out, ClauseTruth{Clause{kind.String(), n}, m.ensures(&c, k)})
				m.refuted = nil
			}
			for _, n := range p.returns {
				one(syntax.Returns, n)
			}
			for _, n := range p.ensures {
				one(syntax.Ensures, n)
			}
		}
		return out
	}
	first, second := j.machines()
	out := ask(first)
	if second != nil {
		for i, o := range ask(second) {
			if o.Truth != out[i].Truth {
				out[i].Truth = value.Undecided
			}
		}
	}
	return out
}

// Demand is a condition on the arguments of a call: a clause of requires, or the body of a type invariant of an argument.
type Demand struct {
	Node  syntax.Node
	Scene Scene
	// Params are the places of the arguments by the name that the condition has for them.
	Params map[string]int
}

// Scene is a point from which specification expressions are looked at: what names mean there and the values of local ones. What it
// answers is for finding values, not for verdicts: usize is taken as 32 bits wide, or as the crate fixes it.
type Scene struct {
	m  *machine
	fr *frame
	e  *env
}

// Invariants are what the type invariants demand of a value, which is the one argument. Their scenes share a number of steps.
func (j *Judge) Invariants(v value.Value, steps int) []Demand {
	m := j.forValues()
	m.begin(steps)
	return m.invariants(j.c.fn.w, v, 0)
}

func (m *machine) invariants(w *World, v value.Value, place int) (out []Demand) {
	d, ok := v.(*value.Data)
	if !ok {
		return nil
	}
	for _, f := range w.invariants[d.Type] {
		def := m.definition(f)
		if def.why != "" {
			continue
		}
		fr := &frame{scope: m.scopeOf(def.fn)}
		if e, ok := m.bindParams(def.fn, []value.Value{v}, fr); ok {
			for p := range def.fn.Node.Get(syntax.FParams).All(syntax.FParam) {
				out = append(out, Demand{def.body, Scene{m, fr, e}, map[string]int{paramName(p): place}})
			}
		}
	}
	return out
}

// Demands are what must hold of arguments. Their scenes share a number of steps.
func (j *Judge) Demands(args []value.Value, steps int) []Demand {
	m := j.forValues()
	m.begin(steps)
	var out []Demand
	for i, a := range args {
		out = append(out, m.invariants(j.c.fn.w, a, i)...)
	}
	for _, p := range j.c.parts {
		if len(p.requires) == 0 {
			continue
		}
		fr, e, ok := m.bind(j.c, p, &Case{Args: args}, false)
		if !ok {
			continue
		}
		params := map[string]int{}
		i := 0
		for node := range p.fn.Node.Get(syntax.FParams).All(syntax.FParam) {
			params[paramName(node)] = i
			i++
		}
		for _, n := range p.requires {
			out = append(out, Demand{n, Scene{m, fr, e}, params})
		}
	}
	return out
}

// Spent tells whether the steps of the scene are used up, after which nothing is known any more.
func (s Scene) Spent() bool { return s.m.spent }

// Steps that were taken so far of those that the scene shares.
func (s Scene) Steps() int { return s.m.steps }

// Eval evaluates an expression.
func (s Scene) Eval(n syntax.Node) value.Value { return s.m.eval(n, s.fr, s.e) }

// Truth of an expression.
func (s Scene) Truth(n syntax.Node) value.Truth { return truthOf(s.Eval(n)) }

// Cond evaluates a condition; the names that its patterns bind are bound in the scene returned.
func (s Scene) Cond(n syntax.Node) (value.Truth, Scene) {
	v, e := s.m.cond(n, s.fr, s.e)
	return truthOf(v), Scene{s.m, s.fr, e}
}

// Bind gives a name a value.
func (s Scene) Bind(name string, v value.Value) Scene { return Scene{s.m, s.fr, s.e.bind(name, v)} }

// Local is the value that a local name has.
func (s Scene) Local(name string) (value.Value, bool) { return s.e.lookup(name) }

// Type reads a type; nil if it is not understood.
func (s Scene) Type(n syntax.Node) *value.Type { return s.fr.typ(n) }

// Match matches a value with a pattern and binds its names.
func (s Scene) Match(pat syntax.Node, v value.Value) (value.Truth, Scene) {
	t, e := s.m.bindPattern(pat, v, s.fr, s.e)
	return t, Scene{s.m, s.fr, e}
}

// Compare evaluates an operator on values.
func (s Scene) Compare(op syntax.TokenKind, a, b value.Value) value.Truth {
	return truthOf(s.m.binary(op, a, b))
}

// Method calls a method without arguments.
func (s Scene) Method(v value.Value, name string) value.Value { return s.m.method(v, name, nil, s.fr) }

// Enter goes into the specification function that a Call or MethodCall means: the expression that defines it, with the parameters bound
// to the values of args, which Enter evaluates, or takes from an expression's view or method receiver. names and exprs tell which
// expression each parameter stands for. ok is false when no one function with a body that can be seen is meant.
func (s Scene) Enter(n syntax.Node) (body syntax.Node, inner Scene, names []string, exprs []syntax.Node, ok bool) {
	var f *Func
	switch n.Kind() {
	case syntax.Call:
		callee := n.Get(syntax.FCallee)
		if callee.Kind() != syntax.Path || callee.Get(syntax.FQSelf).Valid() {
			return
		}
		mn := s.fr.meaning(callee)
		if len(mn.words) == 1 {
			if _, local := s.e.lookup(mn.words[0]); local {
				return
			}
		}
		for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
			exprs = append(exprs, a)
		}
		switch {
		case mn.ctor != nil:
			return
		case mn.target.def != nil && mn.target.def.kind == defFn:
			f = mn.target.def.fn
		case mn.prefix != nil && len(mn.words) > 1:
			if fs := s.m.methodsOf(s.fr.scope, headOf(mn.prefix), mn.words[len(mn.words)-1]); len(fs) == 1 {
				f = fs[0]
			}
		}
	case syntax.MethodCall, syntax.View:
		recv, name := n.Get(syntax.FReceiver), identText(n.Get(syntax.FName))
		if n.Kind() == syntax.View {
			recv, name = n.Get(syntax.FExpr), "view"
		}
		exprs = append(exprs, recv)
		for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
			exprs = append(exprs, a)
		}
		d, isData := s.Eval(recv).(*value.Data)
		if !isData {
			return
		}
		if fs := s.m.methodsOf(s.fr.scope, d.Type, name); len(fs) == 1 {
			f = fs[0]
		}
	}
	if f == nil || f.Node.Kind() != syntax.Fn {
		return
	}
	def := s.m.definition(f)
	if def.why != "" {
		return
	}
	args := make([]value.Value, len(exprs))
	for i, x := range exprs {
		args[i] = s.Eval(x)
	}
	fr := &frame{scope: s.m.scopeOf(def.fn)}
	e, bound := s.m.bindParams(def.fn, args, fr)
	if !bound {
		return
	}
	for p := range def.fn.Node.Get(syntax.FParams).All(syntax.FParam) {
		names = append(names, paramName(p))
	}
	return def.body, Scene{s.m, fr, e}, names, exprs, len(names) == len(exprs)
}

// Constructs tells the struct or variant that a Call or StructExpr makes a value of.
func (s Scene) Constructs(n syntax.Node) (typ, variant string, ok bool) {
	p := n.Get(syntax.FPath)
	if n.Kind() == syntax.Call {
		p = n.Get(syntax.FCallee)
	}
	if p.Kind() != syntax.Path {
		return "", "", false
	}
	if c := s.fr.meaning(p).ctor; c != nil {
		return c.typ, c.variant, true
	}
	return "", "", false
}

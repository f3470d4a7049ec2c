package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// ErrUnsupported says that values of a type cannot be made, or that a contract cannot be looked at; the message has the reason.
var ErrUnsupported = errors.New("unsupported")

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// part is the clauses that stand at one function: the function's own, or those of the trait method that it implements.
type part struct {
	fn                         *Func
	requires, ensures, returns []syntax.Node
	scope                      *scope // with the type parameters replaced
}

// contract is all that a function demands and promises, with its signature.
type contract struct {
	fn     *Func
	parts  []part
	names  []string // of the parameters, for people
	params []*value.Type
	muts   []bool // which parameters are mutable references
	result *value.Type
	// resultName is the result's name in the contract; empty if it has none.
	resultName string
	// inst says what the type parameters stand for.
	inst map[string]*value.Type
}

// paramTypes are the types of the parameters; nil where not understood.
func (f *Func) paramTypes(sc *scope) []*value.Type {
	var out []*value.Type
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		t := p.Get(syntax.FType)
		switch {
		case t.Valid():
			out = append(out, sc.typ(t))
		case p.Kind() == syntax.SelfParam && sc.self != nil:
			st := *sc.self
			st.Mut = p.ByRef() && p.Mut()
			out = append(out, &st)
		default:
			out = append(out, nil)
		}
	}
	return out
}

// contract reads the signature and the clauses of a function. inst says what its type parameters stand for.
func (f *Func) contract(inst map[string]*value.Type) (*contract, error) {
	if f.Node.Kind() != syntax.Fn {
		return nil, unsupported("a constant has no contract to look at")
	}
	sc := f.scope()
	c := &contract{fn: f, inst: inst}
	var written []syntax.Node
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		written = append(written, p)
	}
	for i, t := range f.paramTypes(sc) {
		if t == nil {
			n := written[i]
			if typ := n.Get(syntax.FType); typ.Valid() {
				n = typ
			}
			return nil, unsupported("the type of parameter %d of %s is not understood: %s", i+1, short(f.Name), nodeText(n))
		}
		if innerMut(t, true) {
			return nil, unsupported("a mutable reference inside the type of parameter %d of %s", i+1, short(f.Name))
		}
		c.muts = append(c.muts, t.Mut)
		c.params = append(c.params, subst(t, inst))
	}
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		c.names = append(c.names, paramName(p))
	}
	c.result = &value.Type{Kind: value.TTuple}
	if r := f.Node.Get(syntax.FRet); r.Valid() {
		if c.result = subst(sc.typ(r.Get(syntax.FType)), inst); c.result == nil {
			return nil, unsupported("the type of the result of %s is not understood: %s", short(f.Name), nodeText(r.Get(syntax.FType)))
		}
		if innerMut(c.result, false) {
			return nil, unsupported("a mutable reference in the result of %s", short(f.Name))
		}
		if p := r.Get(syntax.FPat); p.Kind() == syntax.IdentPat {
			c.resultName = identText(p.Get(syntax.FName))
		}
	}
	for cl := range f.Node.All(syntax.FClause) {
		if cl.Which() == syntax.DefaultEnsures {
			return nil, unsupported("default_ensures, which holds for the body that the trait gives only")
		}
	}
	c.parts = append(c.parts, partOf(f))
	if f.impl != nil && f.impl.traitAs != "" {
		if f.impl.trait == nil {
			return nil, unsupported("%s implements a method of a trait that is not known", short(f.Name))
		}
		fs := f.impl.trait.methods[f.Name]
		if len(fs) != 1 {
			return nil, unsupported("the method of the trait that %s implements is not known", short(f.Name))
		}
		c.parts = append(c.parts, partOf(&Func{Name: f.Name, Node: fs[0].Node, w: f.w, mod: fs[0].mod, impl: f.impl, trait: f.impl.trait}))
	}
	for i, p := range c.parts {
		c.parts[i].scope = instantiated(p.fn.scope(), inst)
		for n := range p.fn.Node.Children() {
			if (n.Kind() == syntax.Params || n.Kind() == syntax.Ret || n.Kind() == syntax.Clause) && varies(n) {
				return nil, unsupported("a part of the signature or the contract of %s stands under a condition", short(f.Name))
			}
		}
		if hasAttr(p.fn.Node, "verus_spec") {
			return nil, unsupported("a contract in an attribute")
		}
	}
	return c, nil
}

// innerMut tells a type with a mutable reference inside; at the top of a parameter one is allowed.
func innerMut(t *value.Type, top bool) bool {
	if t == nil {
		return false
	}
	if t.Mut && !top {
		return true
	}
	return slices.ContainsFunc(t.Args, func(a *value.Type) bool { return innerMut(a, false) })
}

func paramName(p syntax.Node) string {
	if p.Kind() == syntax.SelfParam {
		return "self"
	}
	pat := p.Get(syntax.FPat)
	if pat.Kind() == syntax.TupleStructPat { // Ghost(x), Tracked(x)
		for c := range pat.All(syntax.FPat) {
			if c.Kind() == syntax.IdentPat {
				return identText(c.Get(syntax.FName))
			}
		}
	}
	if pat.Kind() == syntax.IdentPat {
		return identText(pat.Get(syntax.FName))
	}
	return nodeText(pat)
}

func partOf(f *Func) part {
	p := part{fn: f}
	for c := range f.Node.All(syntax.FClause) {
		for x := range c.All(syntax.FExpr) {
			switch c.Which() {
			case syntax.Requires:
				p.requires = append(p.requires, x)
			case syntax.Ensures:
				p.ensures = append(p.ensures, x)
			case syntax.Returns:
				p.returns = append(p.returns, x)
			}
		}
	}
	return p
}

// instantiated replaces type parameters in a scope.
func instantiated(sc *scope, inst map[string]*value.Type) *scope {
	if len(inst) == 0 {
		return sc
	}
	for name := range sc.params {
		if t := inst[name]; t != nil {
			sc.params[name] = t
		}
	}
	sc.self = subst(sc.self, inst)
	return sc
}

// Case is one call: the arguments, the values of mutable references after it, and the result.
type Case struct {
	Args []value.Value
	// After has an entry for every parameter; it is nil for one that is no mutable reference.
	After  []value.Value
	Result value.Value
}

// bind makes the names of a part mean the values of a case. after tells whether mutable references stand for their values after the
// call.
func (m *machine) bind(c *contract, p part, k *Case, after bool) (*frame, *env, bool) {
	fr := &frame{scope: p.scope, old: map[string]value.Value{}, final: map[string]value.Value{}}
	vals := make([]value.Value, len(k.Args))
	i := 0
	for node := range p.fn.Node.Get(syntax.FParams).All(syntax.FParam) {
		if i >= len(k.Args) {
			return nil, nil, false
		}
		name := paramName(node)
		vals[i] = k.Args[i]
		fr.old[name] = k.Args[i]
		if c.muts[i] && i < len(k.After) && k.After[i] != nil {
			fr.final[name] = k.After[i]
			if after {
				vals[i] = k.After[i]
			}
		}
		i++
	}
	e, ok := m.bindParams(p.fn, vals, fr)
	return fr, e, ok
}

// requires tells whether the preconditions hold for an input.
func (m *machine) requires(c *contract, k *Case) value.Truth {
	out := value.True
	for _, p := range c.parts {
		if len(p.requires) == 0 {
			continue
		}
		fr, e, ok := m.bind(c, p, k, false)
		if !ok {
			return value.Undecided
		}
		for _, n := range p.requires {
			if out = out.And(truthOf(m.eval(n, fr, e))); out == value.False {
				m.falsified(syntax.Requires.String(), n)
				return out
			}
		}
	}
	return out
}

// ensures tells whether the postconditions hold for an input and a result.
func (m *machine) ensures(c *contract, k *Case) value.Truth {
	out := value.True
	for _, p := range c.parts {
		if len(p.ensures) == 0 && len(p.returns) == 0 {
			continue
		}
		fr, e, ok := m.bind(c, p, k, true)
		if !ok {
			return value.Undecided
		}
		if pat := p.fn.Node.Get(syntax.FRet).Get(syntax.FPat); pat.Valid() {
			var t value.Truth
			t, e = m.bindPattern(pat, k.Result, fr, e)
			if t == value.False {
				return value.Undecided
			}
		}
		for _, n := range p.returns {
			if out = out.And(m.equal(k.Result, m.eval(n, fr, e))); out == value.False {
				m.falsified(syntax.Returns.String(), n)
				return out
			}
		}
		for _, n := range p.ensures {
			if out = out.And(truthOf(m.eval(n, fr, e))); out == value.False {
				m.falsified(syntax.Ensures.String(), n)
				return out
			}
		}
	}
	return out
}

// Clause is what a case makes false.
type Clause struct {
	// Kind is "requires", "ensures", "returns" or "type_invariant".
	Kind string
	// Node is the expression; for a type invariant the function that states it.
	Node syntax.Node
}

const typeInvariant = "type_invariant"

// falsified keeps the first clause that was found to be false.
func (m *machine) falsified(kind string, n syntax.Node) {
	if m.refuted == nil {
		m.refuted = &Clause{kind, n}
	}
}

// valid tells whether the type invariants of a value and all its parts hold: others cannot be made by executable code.
func (m *machine) valid(w *World, v value.Value) value.Truth {
	if len(w.invariants) == 0 {
		return value.True
	}
	var parts []value.Value
	out := value.True
	switch v := v.(type) {
	case value.Tuple:
		parts = v
	case *value.List:
		parts = v.Elems
	case *value.Data:
		if v.Type == "Ghost" {
			return value.True
		}
		parts = v.Fields
		for _, f := range w.invariants[v.Type] {
			t := truthOf(m.call(f, []value.Value{v}))
			if t == value.False && !hold(f.conds, m.given) {
				t = value.Undecided // if it is there
			}
			if t == value.False {
				m.falsified(typeInvariant, f.Node)
			}
			out = out.And(t)
		}
	}
	for _, p := range parts {
		if out = out.And(m.valid(w, p)); out == value.False {
			break
		}
	}
	return out
}

func (m *machine) validAll(w *World, vs []value.Value) value.Truth {
	out := value.True
	for _, v := range vs {
		if v != nil {
			out = out.And(m.valid(w, v))
		}
	}
	return out
}

// Verdict says what a contract says of a case.
type Verdict uint8

const (
	_ Verdict = iota
	// Accepted: the contract allows the case: its requires is false for the input, or its ensures is true.
	Accepted
	// Rejected: requires is true and ensures is false.
	Rejected
	// Undecided: Verus's logic does not say, or it was not found out.
	Undecided
)

// String is "accepted", "rejected" or "undecided".
func (v Verdict) String() string {
	switch v {
	case Accepted:
		return "accepted"
	case Rejected:
		return "rejected"
	case Undecided:
		return "undecided"
	}
	return "?"
}

// questionSteps bounds the steps of one question about one case.
const questionSteps = 200_000

// Answer is what a contract says of a case.
type Answer struct {
	Verdict Verdict
	// Why is the reason for Undecided.
	Why string
	// Clause is, of a rejected case, the first clause that the result makes false, in the order in which they are written within
	// returns and within ensures; of an accepted one with Outside, the clause that the input makes false.
	Clause *Clause
	// Outside says that a case is accepted because the input does not meet requires: the contract says nothing of its result.
	Outside bool
}

func undecided(why string) Answer { return Answer{Verdict: Undecided, Why: why} }

// judge asks the contract about a case.
func (m *machine) judge(c *contract, k *Case) Answer {
	w := c.fn.w
	m.begin(questionSteps)
	m.refuted = nil
	req := m.validAll(w, k.Args).And(m.requires(c, k))
	if req == value.False {
		return Answer{Verdict: Accepted, Clause: m.refuted, Outside: true}
	}
	m.refuted = nil
	ens := m.validAll(w, k.After).And(m.valid(w, k.Result)).And(m.ensures(c, k))
	switch {
	case ens == value.True:
		return Answer{Verdict: Accepted}
	case req == value.True && ens == value.False:
		return Answer{Verdict: Rejected, Clause: m.refuted}
	case m.why == "":
		return undecided("not decided")
	}
	return undecided(m.why)
}

// Judge is an instance of a function that can be asked about cases. It is for one goroutine.
type Judge struct {
	c        *contract
	wide     *machine
	narrow   *machine
	resolved *scope
	// fixed is the width of usize where the crate fixes it: 32 or 64; 0 where it does not.
	fixed int
	gen   *generator // of Small; nil before its first use
	// shapes of types that were asked for.
	shapes map[string]shapes
}

// NewJudge reads the contract of a function. inst says what its type parameters stand for; it may be nil for a function
// without. The error says why the function cannot be judged; it is ErrUnsupported.
func (f *Func) NewJudge(inst map[string]*value.Type) (*Judge, error) {
	c, err := f.contract(inst)
	if err != nil {
		return nil, fmt.Errorf("read the contract of %s: %w", short(f.Name), err)
	}
	return &Judge{c: c, wide: f.machine(64), narrow: f.machine(32), resolved: instantiated(f.scope(), inst),
		fixed: f.w.sizeBits[f.mod.crate]}, nil
}

// Ask tells what the contract says of a case.
func (j *Judge) Ask(k *Case) Answer {
	if len(k.Args) != len(j.c.params) {
		return undecided("a case with another number of arguments than the function has")
	}
	for i := range k.Args {
		if j.c.muts[i] && (i >= len(k.After) || k.After[i] == nil) {
			return undecided("a case without the value of " + j.c.names[i] + " after the call")
		}
	}
	for _, vs := range [][]value.Value{k.Args, k.After, {k.Result}} {
		for _, v := range vs {
			if v != nil && !j.Fits(v) {
				return undecided("a usize that needs 64 bits")
			}
		}
	}
	first, second := j.machines()
	a := first.judge(j.c, k)
	if a.Verdict == Undecided || !first.archUsed || second == nil {
		return a
	}
	if n := second.judge(j.c, k); n.Verdict != a.Verdict {
		return undecided("the width of usize")
	}
	return a
}

// wideSize tells a value that holds a usize or isize which does not fit 32 bits.
func wideSize(v value.Value) bool {
	switch v := v.(type) {
	case value.Int:
		return (v.Type == value.USize || v.Type == value.ISize) && !v.In(v.Type, 32)
	case value.Tuple:
		return slices.ContainsFunc(v, wideSize)
	case *value.Data:
		return slices.ContainsFunc(v.Fields, wideSize)
	case *value.List:
		return slices.ContainsFunc(v.Elems, wideSize)
	case *value.Set:
		return slices.ContainsFunc(v.Elems(), wideSize)
	case *value.Map:
		return slices.ContainsFunc(v.Dom().Elems(), wideSize) || slices.ContainsFunc(v.Vals(), wideSize)
	}
	return false
}

// Call is the call as people write it: "max_of([3, 1, 4])".
func (j *Judge) Call(k *Case) string { return callText(j.c, k) }

// Outcome is what a call gives: "5", "true, v = [3, 1]" with the values of mutable references after it, "()" if there is nothing
// else.
func (j *Judge) Outcome(k *Case) string {
	var parts []string
	if k.Result != nil && !isUnit(j.c.result) {
		parts = append(parts, value.Short(k.Result))
	}
	parts = append(parts, afterText(j.c, k)...)
	if len(parts) == 0 {
		return "()"
	}
	return strings.Join(parts, ", ")
}

func isUnit(t *value.Type) bool { return t.Kind == value.TTuple && len(t.Args) == 0 }

func callText(c *contract, k *Case) string {
	args := make([]string, 0, len(k.Args))
	for _, a := range k.Args {
		args = append(args, value.Short(a))
	}
	return c.fn.Name + "(" + strings.Join(args, ", ") + ")"
}

func afterText(c *contract, k *Case) []string {
	var parts []string
	for i, a := range k.After {
		if a != nil {
			parts = append(parts, c.names[i]+" = "+value.Short(a))
		}
	}
	return parts
}

func caseText(c *contract, k *Case) string {
	text := callText(c, k)
	if out := outputText(c, k); out != "" {
		text += " gives " + out
	}
	return text
}

// inputText is "v = [3, 1], k = 2".
func inputText(c *contract, k *Case) string {
	var parts []string
	for i, a := range k.Args {
		parts = append(parts, c.names[i]+" = "+value.Short(a))
	}
	return strings.Join(parts, ", ")
}

// outputText is the result, and the values of mutable references after the call: "r = 5, v = []".
func outputText(c *contract, k *Case) string {
	var parts []string
	if k.Result != nil && !isUnit(c.result) {
		name := c.resultName
		if name == "" {
			name = "result"
		}
		parts = append(parts, name+" = "+value.Short(k.Result))
	}
	return strings.Join(append(parts, afterText(c, k)...), ", ")
}

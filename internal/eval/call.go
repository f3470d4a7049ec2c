package eval

import (
	"strings"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

func (m *machine) args(n syntax.Node, fr *frame, e *env) []value.Value {
	var out []value.Value
	for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		out = append(out, m.eval(a, fr, e))
	}
	return out
}

func (m *machine) callExpr(n syntax.Node, fr *frame, e *env) value.Value {
	callee := n.Get(syntax.FCallee)
	if callee.Kind() != syntax.Path {
		f := m.eval(callee, fr, e)
		return m.applyAny(f, m.args(n, fr, e))
	}
	if callee.Get(syntax.FQSelf).Valid() {
		return m.qualified(callee, m.args(n, fr, e), fr)
	}
	mn := fr.meaning(callee)
	words := mn.words
	if len(words) == 1 {
		if f, ok := e.lookup(words[0]); ok {
			return m.applyAny(f, m.args(n, fr, e))
		}
		switch mn.target.lib {
		case "old", "final":
			// Only names of parameters stand inside: old(x), old(self).
			for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
				name := identText(a)
				vals := fr.old
				if mn.target.lib == "final" {
					vals = fr.final
				}
				if v := vals[name]; v != nil {
					return v
				}
			}
			return m.unspecified(nodeText(n))
		}
	}
	return m.callNamed(mn, m.args(n, fr, e), fr)
}

// qualified calls <T as Trait>::f(args) or <T>::f(args).
func (m *machine) qualified(callee syntax.Node, args []value.Value, fr *frame) value.Value {
	q := callee.Get(syntax.FQSelf)
	words := pathWords(callee)
	t := fr.typ(q.Get(syntax.FType))
	if len(words) == 0 || t == nil || t.Kind == value.TParam {
		return m.unspecified("the meaning of " + nodeText(callee))
	}
	if tr := q.Get(syntax.FTrait); tr.Valid() {
		d := fr.w.resolve(fr.mod, pathWords(tr)).def
		if d == nil || d.kind != defTrait {
			return m.unspecified("the meaning of " + nodeText(callee))
		}
		return m.callOne(m.traitMethod(fr.scope, headOf(t), d, words[len(words)-1]), args, nodeText(callee))
	}
	return m.callOne(m.methodsOf(fr.scope, headOf(t), words[len(words)-1]), args, nodeText(callee))
}

// traitMethod finds a trait's method for a type.
func (m *machine) traitMethod(sc *scope, head string, d *def, name string) []*Func {
	var out []*Func
	for _, f := range m.methodsOf(sc, head, name) {
		if f.impl != nil && f.impl.trait == d {
			out = append(out, f)
		}
	}
	return out
}

func (m *machine) callOne(fs []*Func, args []value.Value, what string) value.Value {
	if len(fs) != 1 {
		return m.unspecified("the meaning of " + what)
	}
	return m.call(fs[0], args)
}

func (m *machine) callNamed(mn *meaning, args []value.Value, fr *frame) value.Value {
	words := mn.words
	if c := mn.ctor; c != nil {
		if c.unit {
			return m.unspecified("a constructor with too many fields")
		}
		d := &value.Data{Type: c.typ, Variant: c.variant, Fields: args}
		if c.node.Valid() {
			names, types := c.fields()
			if names != nil || len(types) != len(args) {
				return m.unspecified("a constructor with the wrong fields")
			}
			for i := range args {
				args[i] = m.coerce(args[i], types[i])
			}
		} else if len(args) != 1 {
			return m.unspecified("a constructor with the wrong fields")
		}
		return d
	}
	t := mn.target
	if t.def != nil && t.def.kind == defFn {
		return m.call(t.def.fn, args)
	}
	if t.lib != "" {
		if v := m.library(t.lib, args); v != nil {
			return v
		}
	}
	if len(words) < 2 {
		return m.unspecified("the meaning of " + joinWords(words))
	}
	last := words[len(words)-1]
	prefix := words[:len(words)-1]
	if typ := mn.prefix; typ != nil {
		if typ.Kind == value.TParam {
			// A method of a bound, called as T::f(x).
			if len(args) > 0 {
				if v := m.method(args[0], last, args[1:], fr); !unknown(v) {
					return v
				}
			}
			return m.unspecified("a function of the type parameter " + short(typ.Name))
		}
		return m.callOne(m.methodsOf(fr.scope, headOf(typ), last), args, joinWords(words))
	}
	if d := fr.w.resolve(fr.mod, prefix).def; d != nil {
		switch d.kind {
		case defTrait:
			if len(args) > 0 && len(d.methods[last]) == 1 && d.methods[last][0].hasSelf() {
				if dd, ok := args[0].(*value.Data); ok && strings.HasPrefix(dd.Type, tableType) {
					return m.method(dd, last, args[1:], fr)
				}
				if head := headOfValue(args[0]); head != "" {
					return m.callOne(m.traitMethod(fr.scope, head, d, last), args, joinWords(words))
				}
			}
		case defStruct, defEnum:
			return m.callOne(m.methodsOf(fr.scope, d.full, last), args, joinWords(words))
		}
	}
	// A type with parameters written out, such as Seq::<int>::empty(), or a library type that is not fully known.
	if t := fr.w.resolve(fr.mod, prefix); t.lib != "" {
		if v := m.library(t.lib+"::"+last, args); v != nil {
			return v
		}
		// Seq::len(s), Option::is_some(&o): a method called by its path.
		if fr.w.crates[prefix[0]] == nil && len(args) > 0 && libraryType(t.lib) && headOfValue(args[0]) == t.lib {
			return m.method(args[0], last, args[1:], fr)
		}
	}
	return m.unspecified("the meaning of " + joinWords(words))
}

func libraryType(name string) bool {
	switch name {
	case "Seq", "Set", "Map", "Multiset", "Option", "Result":
		return true
	}
	return false
}

func (f *Func) hasSelf() bool {
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		return p.Kind() == syntax.SelfParam
	}
	return false
}

// body tells what a specification function is defined by: an expression, or nothing that can be seen.
func (f *Func) body() (n syntax.Node, why string) {
	node := f.Node
	if varies(node) {
		return syntax.Node{}, "a function of which a part stands under a condition: " + short(f.Name)
	}
	if hasAttr(node, "external_body") {
		return syntax.Node{}, "a function without a visible body: " + short(f.Name)
	}
	if node.Kind() != syntax.Fn {
		if node.Get(syntax.FClause).Valid() {
			return syntax.Node{}, "a constant known by its contract only: " + short(f.Name)
		}
		v := node.Get(syntax.FValue)
		if b := node.Get(syntax.FBody); b.Valid() {
			v = b
		}
		if v.Valid() {
			if node.Get(syntax.FMode).Text() != "spec" && roundsOtherwise(v) {
				return syntax.Node{}, "a constant computed by division of negative numbers: " + short(f.Name)
			}
			return v, ""
		}
		return syntax.Node{}, "a constant without a value: " + short(f.Name)
	}
	mode := node.Get(syntax.FMode).Text()
	if !strings.HasPrefix(mode, "spec") {
		return syntax.Node{}, "a function that is no specification function: " + short(f.Name)
	}
	if b := node.Get(syntax.FBody); b.Valid() {
		return b, ""
	}
	return syntax.Node{}, "a function without a visible body: " + short(f.Name)
}

// open tells a function whose body other crates may see.
func (f *Func) open() bool {
	if f.Node.Kind() != syntax.Fn {
		return true
	}
	p := f.Node.Get(syntax.FPublish).Text()
	return p == "open"
}

// roundsOtherwise tells an expression of executable code that may divide negative numbers, which rounds towards zero there.
func roundsOtherwise(n syntax.Node) bool {
	divides, negative := false, false
	n.Walk(func(c syntax.Node) bool {
		switch c.Op() {
		case syntax.Slash, syntax.Percent:
			divides = divides || c.Kind() == syntax.Binary
		case syntax.Minus:
			negative = true
		}
		return true
	})
	return divides && negative
}

// asSpec follows when_used_as_spec from an executable function to the specification function that stands for it.
func (f *Func) asSpec() *Func {
	a := attr(f.Node, "when_used_as_spec")
	if !a.Valid() {
		return f
	}
	var words []string
	open := false
	for t := range a.Tokens() {
		switch t.Kind() {
		case syntax.LParen:
			open, words = true, nil
		case syntax.RParen:
			open = false
		case syntax.ColonColon:
		default:
			if open {
				words = append(words, t.Text())
			}
		}
	}
	if len(words) == 0 {
		return f
	}
	if f.impl != nil && len(words) == 2 && words[0] == "Self" {
		if fs := f.w.method(f.mod, headOf(f.impl.self), words[1]); len(fs) == 1 {
			return fs[0]
		}
		return f
	}
	if t := f.w.resolve(f.mod, words); t.def != nil && t.def.kind == defFn {
		return t.def.fn
	}
	return f
}

// definition is what a function stands for in specification code.
type definition struct {
	fn   *Func
	body syntax.Node
	why  string // why there is no body
}

// definition of a function.
func (m *machine) definition(f *Func) definition {
	d, known := m.defs[f]
	if !known {
		d.fn = f
		if f.Node.Kind() == syntax.Fn {
			d.fn = f.asSpec()
		}
		d.body, d.why = d.fn.body()
		if d.why == "" && d.fn.mod.crate != m.home && !d.fn.open() {
			d.why = "a function that another crate keeps closed: " + short(f.Name)
		}
		m.defs[f] = d
	}
	return d
}

// call evaluates a function or constant on arguments.
func (m *machine) call(f *Func, args []value.Value) value.Value {
	d := m.definition(f)
	if d.why != "" {
		return m.unspecified(d.why)
	}
	f = d.fn
	body := d.body
	if m.depth > maxDepth || m.tick(1) {
		return m.unspecified("nested too deeply")
	}
	recursive, known := m.selfRef[f]
	if !known {
		for t := range body.Tokens() {
			if t.Text() == f.Name {
				recursive = true
				break
			}
		}
		m.selfRef[f] = recursive
	}
	var key string
	if recursive {
		keyed := true
		for _, a := range args {
			if unknown(a) {
				m.plain++
				defer func() { m.plain-- }()
				keyed = false
				break
			}
		}
		if keyed {
			b := make([]byte, 0, 64)
			generic := len(m.scopeOf(f).params) > 0
			for _, a := range args {
				if generic {
					b = appendTypes(b, a)
				}
				if b, keyed = value.AppendKey(b, a); !keyed {
					break
				}
				b = append(b, '|')
				m.tick(len(b) / 64)
			}
			if keyed {
				key = string(b)
				if k, ok := m.memo[f][key]; ok {
					m.archUsed = m.archUsed || k.arch
					return k.value
				}
				before := m.archUsed
				m.archUsed = false
				defer func() { m.archUsed = m.archUsed || before }()
			}
		}
	}
	fr := &frame{scope: m.scopeOf(f)}
	e, ok := m.bindParams(f, args, fr)
	if !ok {
		return m.unspecified("a call with other arguments than the function has: " + short(f.Name))
	}
	for c := range f.Node.All(syntax.FClause) {
		if w := c.Get(syntax.FWhen); c.Which() == syntax.Decreases && w.Valid() {
			if truthOf(m.eval(w, fr, e)) != value.True {
				return m.unspecified("a recursive function outside its `when`: " + short(f.Name))
			}
		}
	}
	v := m.eval(body, fr, e)
	if t := f.Node.Get(syntax.FRet).Get(syntax.FType); t.Valid() {
		v = m.coerce(v, fr.typ(t))
	} else if t := f.Node.Get(syntax.FType); t.Valid() {
		v = m.coerce(v, fr.typ(t))
	}
	if key != "" && !m.spent && !unknown(v) {
		m.keep(f, key, kept{v, m.archUsed})
	}
	return v
}

// keep a result. All that was kept goes when it becomes too much.
func (m *machine) keep(f *Func, key string, k kept) {
	size := len(key) + value.Weight(k.value, maxWeight)
	if m.memos++; m.memos > maxMemo || m.memoSize+size > maxMemoSize {
		m.memo, m.memos, m.memoSize = map[*Func]map[string]kept{}, 1, 0
	}
	if m.memo[f] == nil {
		m.memo[f] = map[string]kept{}
	}
	m.memo[f][key] = k
	m.memoSize += size
}

// appendTypes appends the types of the integers in a value, which decide what the methods of a type parameter do.
func appendTypes(b []byte, v value.Value) []byte {
	var parts []value.Value
	switch v := v.(type) {
	case value.Int:
		return append(b, 'A'+byte(v.Type))
	case value.Tuple:
		parts = v
	case *value.Data:
		parts = v.Fields
	case *value.List:
		parts = v.Elems
	case *value.Set:
		parts = v.Elems()
	case *value.Map:
		b = appendTypes(b, v.Dom())
		parts = v.Vals()
	case *value.Multiset:
		parts = v.Dom().Elems()
	}
	for _, p := range parts {
		b = appendTypes(b, p)
	}
	return b
}

// bindParams gives the parameters of a function the arguments' values.
func (m *machine) bindParams(f *Func, args []value.Value, fr *frame) (e *env, ok bool) {
	i := 0
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		if i >= len(args) {
			return nil, false
		}
		if p.Kind() == syntax.SelfParam {
			e = e.bind("self", args[i])
			i++
			continue
		}
		v := m.coerce(args[i], fr.typ(p.Get(syntax.FType)))
		t, inner := m.bindPattern(p.Get(syntax.FPat), v, fr, e)
		if t == value.False {
			return nil, false
		}
		e = inner
		i++
	}
	return e, i == len(args)
}

func (m *machine) applyAny(f value.Value, args []value.Value) value.Value {
	switch f := f.(type) {
	case value.Unspecified:
		return f
	case *function:
		return m.apply(f, args)
	}
	return m.unspecified("a call of " + kindName(f))
}

// apply calls a closure of specification code.
func (m *machine) apply(f *function, args []value.Value) value.Value {
	if m.tick(1) || m.depth > maxDepth {
		return m.unspecified("nested too deeply")
	}
	if f.node.Get(syntax.FClause).Valid() {
		return m.unspecified("the result of an executable function")
	}
	e, ok := m.bindClosure(f, args)
	if !ok {
		return m.unspecified("a call with other arguments than the function has")
	}
	v := m.eval(f.node.Get(syntax.FBody), f.fr, e)
	if t := f.node.Get(syntax.FRet).Get(syntax.FType); t.Valid() {
		v = m.coerce(v, f.fr.typ(t))
	}
	return v
}

func (m *machine) bindClosure(f *function, args []value.Value) (*env, bool) {
	e := f.env
	i := 0
	for p := range f.node.All(syntax.FParam) {
		if i >= len(args) {
			return nil, false
		}
		v := args[i]
		if t := p.Get(syntax.FType); t.Valid() {
			v = m.coerce(v, f.fr.typ(t))
		}
		t, inner := m.bindPattern(p.Get(syntax.FPat), v, f.fr, e)
		if t == value.False {
			return nil, false
		}
		e = inner
		i++
	}
	return e, i == len(args)
}

// contractOf evaluates f.requires(args), or f.ensures(args, result) when result is set, of a closure of executable code. Its contract
// is read as all that is known of it.
func (m *machine) contractOf(f *function, args, result value.Value) value.Value {
	t, ok := args.(value.Tuple)
	if !ok || !f.node.Get(syntax.FClause).Valid() {
		return m.unspecified("the contract of a function")
	}
	e, ok := m.bindClosure(f, t)
	if !ok {
		return m.unspecified("a call with other arguments than the function has")
	}
	which := syntax.Requires
	if result != nil {
		which = syntax.Ensures
		if p := f.node.Get(syntax.FRet).Get(syntax.FPat); p.Valid() {
			_, e = m.bindPattern(p, m.coerce(result, f.fr.typ(f.node.Get(syntax.FRet).Get(syntax.FType))), f.fr, e)
		}
	}
	out := value.True
	for c := range f.node.All(syntax.FClause) {
		if c.Which() != which {
			continue
		}
		for x := range c.All(syntax.FExpr) {
			out = out.And(truthOf(m.eval(x, f.fr, e)))
		}
	}
	return m.truth(out, "the contract of a function")
}

func (m *machine) methodCall(n syntax.Node, fr *frame, e *env) value.Value {
	recv := m.eval(n.Get(syntax.FReceiver), fr, e)
	return m.method(recv, identText(n.Get(syntax.FName)), m.args(n, fr, e), fr)
}

func (m *machine) macro(n syntax.Node, fr *frame, e *env) value.Value {
	body := n.Get(syntax.FArgs)
	name := fr.libraryMacro(n.Get(syntax.FPath))
	if name == "" || body.Kind() != syntax.MacroBody {
		return m.unspecified("the macro " + nodeText(n.Get(syntax.FPath)))
	}
	var vals []value.Value
	repeat, arrows := false, false
	depth := 0
	for t := range body.Tokens() {
		switch t.Kind() {
		case syntax.LParen, syntax.LBrace, syntax.LBracket:
			depth++
		case syntax.RParen, syntax.RBrace, syntax.RBracket:
			depth--
		case syntax.Semi:
			repeat = repeat || depth <= 1
		case syntax.FatArrow:
			arrows = arrows || depth <= 1
		}
	}
	for x := range body.All(syntax.FExpr) {
		vals = append(vals, m.eval(x, fr, e))
	}
	switch name {
	case "seq", "vec":
		of := value.Seq
		if name == "vec" {
			of = value.Vec
		}
		if repeat && len(vals) == 2 {
			return m.repeat(of, vals[0], vals[1])
		}
		if !repeat && !arrows {
			return m.sized(&value.List{Of: of, Elems: vals})
		}
	case "set":
		if !repeat && !arrows && len(vals) <= maxElems {
			return m.newSet(vals)
		}
	case "map":
		if len(vals) == 0 {
			return &value.Map{}
		}
		if arrows && len(vals)%2 == 0 {
			var out value.Value = &value.Map{}
			for i := 0; i < len(vals); i += 2 {
				out = m.method(out, "insert", vals[i:i+2], fr)
			}
			return out
		}
	}
	return m.unspecified("the macro " + nodeText(n.Get(syntax.FPath)))
}

func (m *machine) newSet(elems []value.Value) value.Value {
	for _, v := range elems {
		if unknown(v) {
			return v
		}
	}
	if w := value.Weight(value.Tuple(elems), maxWeight+1); w > maxWeight {
		return m.unspecified("a very large value")
	}
	s, ok := value.NewSet(elems)
	if !ok {
		return m.unspecified("a set of values whose equality is not determined")
	}
	m.tick(len(elems))
	return s
}

// library evaluates a function of the libraries; nil if it is not known.
func (m *machine) library(name string, args []value.Value) value.Value {
	for _, a := range args {
		if unknown(a) {
			return a
		}
	}
	fn := func(i int) *function {
		if i < len(args) {
			f, _ := args[i].(*function)
			return f
		}
		return nil
	}
	num := func(i int) (value.Int, bool) {
		if i < len(args) {
			n, ok := args[i].(value.Int)
			return n, ok
		}
		return value.Int{}, false
	}
	switch name {
	case "Seq::empty":
		return &value.List{Of: value.Seq}
	case "Seq::new":
		n, ok := num(0)
		f := fn(1)
		if !ok || f == nil || len(args) != 2 {
			return nil
		}
		k, fits := n.Int64()
		if !fits || k < 0 || k > maxElems {
			return m.unspecified("a very long sequence")
		}
		l := &value.List{Of: value.Seq}
		for i := range k {
			l.Elems = append(l.Elems, m.apply(f, []value.Value{value.Small(i, value.IntT)}))
			if m.spent {
				return m.unspecified("too many steps")
			}
		}
		return m.sized(l)
	case "Set::empty":
		return &value.Set{}
	case "Set::full":
		return &condSet{}
	case "Set::new":
		if f := fn(0); f != nil && len(args) == 1 {
			if elems, ok := m.domainOf(f); ok {
				return m.where(elems, f)
			}
			return &condSet{pred: f}
		}
	case "Map::empty":
		return &value.Map{}
	case "Map::new":
		// vstd took a condition here before it took a set.
		in, val := fn(0), fn(1)
		if val == nil || len(args) != 2 {
			return nil
		}
		if s, ok := args[0].(*value.Set); ok {
			return m.setMethod(s, "mk_map", args[1:])
		}
		if in == nil {
			return nil
		}
		return m.newMap(in, val)
	case "Map::total":
		if f := fn(0); f != nil && len(args) == 1 {
			return &condMap{val: f}
		}
	case "Multiset::empty":
		return &value.Multiset{}
	case "Multiset::singleton":
		if len(args) == 1 {
			return m.method(&value.Multiset{}, "insert", args, nil)
		}
	case "math::min", "math::max":
		a, ok1 := num(0)
		b, ok2 := num(1)
		if !ok1 || !ok2 || len(args) != 2 {
			return nil
		}
		if (a.Cmp(b) <= 0) == (name == "math::min") {
			return a.As(value.IntT)
		}
		return b.As(value.IntT)
	case "math::abs":
		if a, ok := num(0); ok && len(args) == 1 {
			if a.Sign() < 0 {
				a = a.Neg()
			}
			return a.As(value.NatT)
		}
	case "arithmetic::power::pow":
		base, ok1 := num(0)
		exp, ok2 := num(1)
		if ok1 && ok2 && len(args) == 2 {
			return m.power(base, exp)
		}
	case "arithmetic::power2::pow2":
		if exp, ok := num(0); ok && len(args) == 1 {
			return m.power(value.Small(2, value.IntT), exp)
		}
	case "call_requires":
		if f := fn(0); f != nil && len(args) == 2 {
			return m.contractOf(f, args[1], nil)
		}
	case "call_ensures":
		if f := fn(0); f != nil && len(args) == 3 {
			return m.contractOf(f, args[1], args[2])
		}
	}
	return nil
}

func (m *machine) power(base, exp value.Int) value.Value {
	n, fits := exp.Int64()
	if exp.Sign() < 0 {
		return m.unspecified("a negative power")
	}
	if !fits || n > maxBits {
		if base.BitLen() <= 1 && base.Sign() >= 0 {
			if base.Sign() == 0 && n != 0 {
				return value.Small(0, value.IntT)
			}
			return value.Small(1, value.IntT)
		}
		return m.unspecified("a very large number")
	}
	if int64(base.BitLen())*n > maxBits {
		return m.unspecified("a very large number")
	}
	out := value.Small(1, value.IntT)
	for range n {
		if m.tick(1) {
			return m.unspecified("too many steps")
		}
		out = out.Mul(base)
	}
	return out
}

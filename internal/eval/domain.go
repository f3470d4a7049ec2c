package eval

import (
	"slices"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// domain is a set of values outside of which an expression is known to take a certain truth: a list, or the integers of an interval
// that may be open on either side.
type domain struct {
	listed bool
	vals   []value.Value
	lo, hi *value.Int
}

// both is a domain that contains what is in both.
func both(a, b *domain) *domain {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.listed && (!b.listed || len(a.vals) <= len(b.vals)):
		return a
	case b.listed:
		return b
	}
	d := &domain{lo: a.lo, hi: a.hi}
	if b.lo != nil && (d.lo == nil || b.lo.Cmp(*d.lo) > 0) {
		d.lo = b.lo
	}
	if b.hi != nil && (d.hi == nil || b.hi.Cmp(*d.hi) < 0) {
		d.hi = b.hi
	}
	return d
}

// either is a domain that contains what is in one of them; nil if there are no bounds.
func either(a, b *domain) *domain {
	switch {
	case a == nil || b == nil:
		return nil
	case a.listed && b.listed:
		return &domain{listed: true, vals: slices.Concat(a.vals, b.vals)}
	case a.listed:
		return either(b, a)
	case b.listed:
		d := &domain{lo: a.lo, hi: a.hi}
		for _, v := range b.vals {
			i, ok := v.(value.Int)
			if !ok {
				return nil
			}
			if d.lo != nil && i.Cmp(*d.lo) < 0 {
				d.lo = &i
			}
			if d.hi != nil && i.Cmp(*d.hi) > 0 {
				d.hi = &i
			}
		}
		return d
	}
	d := &domain{}
	if a.lo != nil && b.lo != nil {
		d.lo = a.lo
		if b.lo.Cmp(*d.lo) < 0 {
			d.lo = b.lo
		}
	}
	if a.hi != nil && b.hi != nil {
		d.hi = a.hi
		if b.hi.Cmp(*d.hi) > 0 {
			d.hi = b.hi
		}
	}
	if d.lo == nil && d.hi == nil {
		return nil
	}
	return d
}

// bounds of a variable: outside of them the body does not end the search. Bounds that depend on a variable that has no value yet
// are replaced by that variable's own.
func (s *search) bounds(v variable, left []variable, e *env) *domain {
	b := &bounder{m: s.m, vars: map[string]*domain{}}
	for _, o := range left {
		if o.name != v.name {
			// One step is enough for i < j < n; longer chains are met as a whole (see chainBounds).
			ob := &bounder{m: s.m}
			b.vars[o.name] = withType(ob.outside(s.body, s.want.Not(), o.name, s.fr, e), o.typ, s.m.arch)
		}
	}
	return withType(b.outside(s.body, s.want.Not(), v.name, s.fr, e), v.typ, s.m.arch)
}

// withType adds the limits of an integer type. The greatest usize is not known.
func withType(d *domain, t *value.Type, arch int) *domain {
	if t == nil || t.Kind != value.TInt || d != nil && d.listed {
		return d
	}
	lo, hi := t.Int.Limits(arch)
	switch t.Int {
	case value.USize:
		hi = nil
	case value.ISize:
		lo, hi = nil, nil
	}
	return both(&domain{lo: lo, hi: hi}, d)
}

// values lists a domain; ok is false if it is too large or open.
func (m *machine) values(d *domain, t *value.Type) (vals []value.Value, ok bool) {
	if d != nil && d.listed {
		seen := map[string]bool{}
		for _, v := range d.vals {
			k, keyed := value.Key(v)
			if !keyed || seen[k] {
				continue
			}
			seen[k] = true
			if i, isInt := v.(value.Int); isInt && t != nil && t.Kind == value.TInt {
				if !i.In(t.Int, m.arch) {
					continue
				}
				v = i.As(t.Int)
			}
			vals = append(vals, v)
			m.tick(1)
		}
		return vals, true
	}
	if t == nil {
		return nil, false
	}
	switch t.Kind {
	case value.TBool:
		return []value.Value{value.Bool(false), value.Bool(true)}, true
	case value.TInt:
		if d == nil || d.lo == nil || d.hi == nil {
			return nil, false
		}
		size, fits := d.hi.Sub(*d.lo).Int64()
		if !fits || size >= maxRange {
			return nil, false
		}
		if !d.hi.In(t.Int, m.arch) && d.lo.Cmp(*d.hi) <= 0 || (t.Int == value.USize || t.Int == value.ISize) && d.hi.BitLen() > 31 {
			return nil, false
		}
		one := value.Small(1, value.IntT)
		for i := *d.lo; i.Cmp(*d.hi) <= 0; i = i.Add(one) {
			vals = append(vals, i.As(t.Int))
		}
		m.tick(len(vals) / 4)
		return vals, true
	}
	return nil, false
}

// bounder reads bounds off expressions.
type bounder struct {
	m      *machine
	vars   map[string]*domain // bounds of variables that have no value
	inline int
}

// outside returns a domain outside of which n, for any values of what is unspecified, is of truth t; nil if there is none.
func (b *bounder) outside(n syntax.Node, t value.Truth, name string, fr *frame, e *env) *domain {
	m := b.m
	if m.tick(1) || m.depth > maxDepth {
		return nil
	}
	m.depth++
	defer func() { m.depth-- }()
	all := func(join func(x, y *domain) *domain) *domain {
		var d *domain
		first := true
		for c := range n.All(syntax.FExpr) {
			x := b.outside(c, t, name, fr, e)
			if first {
				d, first = x, false
			} else {
				d = join(d, x)
			}
		}
		return d
	}
	switch n.Kind() {
	case syntax.Paren, syntax.AttrExpr:
		return b.outside(n.Get(syntax.FExpr), t, name, fr, e)
	case syntax.BigAnd:
		if t == value.False {
			return all(both)
		}
		return all(either)
	case syntax.BigOr:
		if t == value.True {
			return all(both)
		}
		return all(either)
	case syntax.Unary:
		if n.Op() == syntax.Bang {
			return b.outside(n.Get(syntax.FExpr), t.Not(), name, fr, e)
		}
	case syntax.Block:
		var last syntax.Node
		for s := range n.All(syntax.FStmt) {
			switch s.Kind() {
			case syntax.Let:
				init := s.Get(syntax.FInit)
				if !init.Valid() {
					return nil
				}
				_, e = m.bindPattern(s.Get(syntax.FPat), m.eval(init, fr, e), fr, e)
				if b.hides(s.Get(syntax.FPat), name) {
					return nil
				}
			case syntax.ExprStmt:
				if !s.Semi() {
					last = s.Get(syntax.FExpr)
				}
			}
		}
		if last.Valid() {
			return b.outside(last, t, name, fr, e)
		}
	case syntax.If:
		if !n.Get(syntax.FElse).Valid() {
			return nil
		}
		c := n.Get(syntax.FCond)
		if bindsLet(c) {
			return nil
		}
		x, y := b.outside(n.Get(syntax.FThen), t, name, fr, e), b.outside(n.Get(syntax.FElse), t, name, fr, e)
		// if c { x } else { false } is c && x.
		isConst := func(k syntax.Node) bool { return truthOf(m.eval(k, fr, e)) == t }
		switch {
		case isConst(n.Get(syntax.FElse)):
			return both(b.outside(c, value.False, name, fr, e), x)
		case isConst(n.Get(syntax.FThen)):
			return both(b.outside(c, value.True, name, fr, e), y)
		}
		return either(x, y)
	case syntax.Quant:
		if n.Op() == syntax.KwChoose || (n.Op() == syntax.KwForall) != (t == value.True) {
			return nil
		}
		inner := e
		for p := range n.All(syntax.FParam) {
			if b.hides(p.Get(syntax.FPat), name) {
				return nil
			}
			_, inner = m.bindPattern(p.Get(syntax.FPat), value.Unspecified{Reason: "a variable of a quantifier"}, fr, inner)
		}
		return b.outside(n.Get(syntax.FExpr), t, name, fr, inner)
	case syntax.Binary:
		return b.outsideBinary(n, t, name, fr, e)
	case syntax.MethodCall:
		return b.outsideMethod(n, t, name, fr, e)
	case syntax.Call:
		return b.outsideCall(n, t, name, fr, e)
	}
	return nil
}

// shadowed tells whether a pattern binds a name.
func shadowed(p syntax.Node, name string) bool {
	found := false
	p.Walk(func(c syntax.Node) bool {
		if c.Kind() == syntax.Name && identText(c) == name {
			found = true
		}
		return !found
	})
	return found
}

func (b *bounder) outsideBinary(n syntax.Node, t value.Truth, name string, fr *frame, e *env) *domain {
	m := b.m
	l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	sub := func(x syntax.Node, t value.Truth) *domain { return b.outside(x, t, name, fr, e) }
	isVariable := func(bound string) bool { return bound == name || b.vars[bound] != nil }
	switch n.Op() {
	case syntax.AndAnd, syntax.AndAndAnd:
		inner, ok := m.behind(l, fr, e, isVariable)
		if !ok {
			return nil
		}
		if t == value.False {
			return both(sub(l, t), b.outside(r, t, name, fr, inner))
		}
		return either(sub(l, t), b.outside(r, t, name, fr, inner))
	case syntax.OrOr:
		if t == value.True {
			return both(sub(l, t), sub(r, t))
		}
		return either(sub(l, t), sub(r, t))
	case syntax.Implies, syntax.Explies:
		inner := e
		if n.Op() == syntax.Explies {
			l, r = r, l
		} else {
			var ok bool
			if inner, ok = m.behind(l, fr, e, isVariable); !ok {
				return nil
			}
		}
		if t == value.True {
			return both(sub(l, value.False), b.outside(r, value.True, name, fr, inner))
		}
		return either(sub(l, value.True), b.outside(r, value.False, name, fr, inner))
	case syntax.Iff:
		if t == value.True {
			if d := either(sub(l, value.False), sub(r, value.False)); d != nil {
				return d
			}
			return either(sub(l, value.True), sub(r, value.True))
		}
		return nil
	case syntax.Ne, syntax.NotExtEq, syntax.NotDeep, syntax.NeEq:
		if t == value.True {
			return b.pinned(l, r, name, fr, e)
		}
		return nil
	case syntax.EqEq, syntax.ExtEq, syntax.DeepEq, syntax.EqEqEq:
		if l.Kind() == syntax.Binary && isComparison(l.Op()) && n.Op() == syntax.EqEq {
			break
		}
		if t == value.False {
			return b.pinned(l, r, name, fr, e)
		}
		if d := either(sub(l, value.False), sub(r, value.False)); d != nil {
			return d // two truth values
		}
		return nil
	case syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
	default:
		return nil
	}
	ops, terms := flatten(n)
	if t == value.True {
		if len(ops) != 1 {
			return nil
		}
		ops[0] = Negated(ops[0])
	}
	return b.chainBounds(ops, terms, name, fr, e)
}

// Negated is the comparison that holds when op does not; 0 if there is none.
func Negated(op syntax.TokenKind) syntax.TokenKind {
	switch op {
	case syntax.Lt:
		return syntax.Ge
	case syntax.Le:
		return syntax.Gt
	case syntax.Gt:
		return syntax.Le
	case syntax.Ge:
		return syntax.Lt
	case syntax.Ne:
		return syntax.EqEq
	case syntax.EqEq, syntax.ExtEq, syntax.DeepEq:
		return syntax.Ne
	}
	return 0
}

// flatten splits a <= b < c into its operators and operands.
func flatten(n syntax.Node) (ops []syntax.TokenKind, terms []syntax.Node) {
	for n.Kind() == syntax.Binary && isComparison(n.Op()) {
		ops = append(ops, n.Op())
		terms = append(terms, n.Get(syntax.FRhs))
		n = n.Get(syntax.FLhs)
	}
	terms = append(terms, n)
	slices.Reverse(ops)
	slices.Reverse(terms)
	return ops, terms
}

// pinned is the domain of x == e.
func (b *bounder) pinned(l, r syntax.Node, name string, fr *frame, e *env) *domain {
	for range 2 {
		if off, ok := linear(l, name); ok {
			v := b.m.eval(r, fr, e)
			if i, isInt := v.(value.Int); isInt {
				v = i.Sub(off)
			} else if off.Sign() != 0 {
				return nil
			}
			if value.Exact(v) {
				return &domain{listed: true, vals: []value.Value{v}}
			}
		}
		l, r = r, l
	}
	return nil
}

// linear reads x, x + 1, x - 1, x as int as the variable plus an offset.
func linear(n syntax.Node, name string) (offset value.Int, ok bool) {
	switch n.Kind() {
	case syntax.Path:
		return value.Small(0, value.IntT), identText(n) == name
	case syntax.Paren, syntax.AttrExpr:
		return linear(n.Get(syntax.FExpr), name)
	case syntax.Cast:
		if t := n.Get(syntax.FType).Text(); t == "int" {
			return linear(n.Get(syntax.FExpr), name)
		}
	case syntax.Binary:
		l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
		if n.Op() == syntax.Plus || n.Op() == syntax.Minus {
			if off, ok := linear(l, name); ok && r.Kind() == syntax.Literal {
				if k, isInt := intLiteral(r.Text()); isInt {
					if n.Op() == syntax.Minus {
						return off.Sub(k), true
					}
					return off.Add(k), true
				}
			}
			if off, ok := linear(r, name); ok && l.Kind() == syntax.Literal && n.Op() == syntax.Plus {
				if k, isInt := intLiteral(l.Text()); isInt {
					return off.Add(k), true
				}
			}
		}
	}
	return value.Int{}, false
}

// chainBounds reads the bounds of a variable off a chain of comparisons that is false outside of them.
func (b *bounder) chainBounds(ops []syntax.TokenKind, terms []syntax.Node, name string, fr *frame, e *env) *domain {
	d := &domain{}
	one := value.Small(1, value.IntT)
	for i, t := range terms {
		off, ok := linear(t, name)
		if !ok {
			continue
		}
		for j, o := range terms {
			if i == j {
				continue
			}
			// below: the variable's term is at most, or less than, the other.
			lo, hi := min(i, j), max(i, j)
			up, down, strict := true, true, false
			for _, op := range ops[lo:hi] {
				switch op {
				case syntax.Lt:
					down, strict = false, true
				case syntax.Le:
					down = false
				case syntax.Gt:
					up, strict = false, true
				case syntax.Ge:
					up = false
				}
			}
			if !up && !down {
				continue
			}
			less := up == (i < j) // the variable is on the small side
			equal := up && down
			v, exact := b.bound(o, less, fr, e)
			if v == nil {
				continue
			}
			equal = equal && exact
			x := v.Sub(off)
			if (less || equal) && (d.hi == nil || x.Cmp(*d.hi) <= 0) {
				h := x
				if strict {
					h = x.Sub(one)
				}
				if d.hi == nil || h.Cmp(*d.hi) < 0 {
					d.hi = &h
				}
			}
			if (!less || equal) && (d.lo == nil || x.Cmp(*d.lo) >= 0) {
				l := x
				if strict {
					l = x.Add(one)
				}
				if d.lo == nil || l.Cmp(*d.lo) > 0 {
					d.lo = &l
				}
			}
		}
	}
	if d.lo == nil && d.hi == nil {
		return nil
	}
	return d
}

// bound evaluates the other side of a comparison; for a variable without a value it is that variable's own bound, which is not exact.
func (b *bounder) bound(n syntax.Node, upper bool, fr *frame, e *env) (end *value.Int, exact bool) {
	if i, ok := b.m.eval(n, fr, e).(value.Int); ok {
		return &i, true
	}
	for name, d := range b.vars {
		off, ok := linear(n, name)
		if !ok || d == nil || d.listed {
			continue
		}
		if v, _ := e.lookup(name); v == nil || !unknown(v) {
			continue
		}
		end := d.lo
		if upper {
			end = d.hi
		}
		if end != nil {
			x := end.Add(off)
			return &x, false
		}
	}
	return nil, false
}

// behind is the environment of what stands behind `l &&` or `l ==>`, where the names are bound that l matches. ok is false when one of them
// is the name of a variable.
func (m *machine) behind(l syntax.Node, fr *frame, e *env, variable func(name string) bool) (inner *env, ok bool) {
	if !bindsNames(l) {
		return e, true
	}
	_, inner = m.cond(l, fr, e)
	for x := inner; x != nil && x != e; x = x.up {
		if variable(x.name) {
			return nil, false
		}
	}
	return inner, true
}

// bindsNames tells a condition from which machine.cond takes names for what stands behind it.
func bindsNames(n syntax.Node) bool {
	for n.Kind() == syntax.Binary && (n.Op() == syntax.AndAnd || n.Op() == syntax.AndAndAnd) {
		if n.Get(syntax.FRhs).Kind() == syntax.LetCond {
			return true
		}
		n = n.Get(syntax.FLhs)
	}
	return n.Kind() == syntax.Matches || n.Kind() == syntax.LetCond
}

// hides tells whether a pattern binds a name that stands for something else here.
func (b *bounder) hides(p syntax.Node, name string) bool {
	if shadowed(p, name) {
		return true
	}
	for other := range b.vars {
		if shadowed(p, other) {
			return true
		}
	}
	return false
}

// outsideMethod reads s.contains(x) and the like, and looks into the body of the crate's own methods.
func (b *bounder) outsideMethod(n syntax.Node, t value.Truth, name string, fr *frame, e *env) *domain {
	m := b.m
	method := identText(n.Get(syntax.FName))
	var args []syntax.Node
	for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		args = append(args, a)
	}
	recvNode := n.Get(syntax.FReceiver)
	recv := m.eval(recvNode, fr, e)
	if t == value.False && len(args) >= 1 && isVar(args[0], name) {
		var vals []value.Value
		listed := method == "contains" && len(args) == 1
		switch v := recv.(type) {
		case *value.List:
			vals = v.Elems
			listed = listed && v.Of == value.Seq
		case *value.Set:
			vals = v.Elems()
		case *value.Multiset:
			vals = v.Dom().Elems()
		case *value.Map:
			vals = v.Dom().Elems()
			listed = method == "contains_key" && len(args) == 1 || method == "contains_pair" && len(args) == 2
		case *condSet:
			if method == "contains" && len(args) == 1 && v.pred != nil && !v.not {
				return b.outsideClosure(v.pred, t)
			}
			listed = false
		default:
			listed = false
		}
		if listed {
			for _, v := range vals {
				if !value.Exact(v) {
					return nil
				}
			}
			return &domain{listed: true, vals: vals}
		}
	}
	// The body of a method of the crate.
	head := headOfValue(recv)
	if head == "" && isVar(recvNode, name) {
		return nil
	}
	if head == "" {
		return nil
	}
	switch recv.(type) {
	case *value.List, *value.Set, *value.Map, *value.Multiset:
		return nil
	}
	fs := m.methodsOf(fr.scope, head, method)
	if len(fs) != 1 || !fs[0].hasSelf() {
		return nil
	}
	return b.intoBody(fs[0], append([]syntax.Node{recvNode}, args...), t, name, fr, e)
}

func isVar(n syntax.Node, name string) bool {
	for n.Kind() == syntax.Paren || n.Kind() == syntax.AttrExpr || n.Kind() == syntax.Ref {
		n = n.Get(syntax.FExpr)
	}
	return n.Kind() == syntax.Path && identText(n) == name
}

func (b *bounder) outsideCall(n syntax.Node, t value.Truth, name string, fr *frame, e *env) *domain {
	callee := n.Get(syntax.FCallee)
	if callee.Kind() != syntax.Path || callee.Get(syntax.FQSelf).Valid() {
		return nil
	}
	mn := fr.meaning(callee)
	words := mn.words
	var args []syntax.Node
	for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		args = append(args, a)
	}
	if len(words) == 1 {
		if v, ok := e.lookup(words[0]); ok {
			if f, isFn := v.(*function); isFn && len(args) == 1 && isVar(args[0], name) {
				return b.outsideClosure(f, t)
			}
			return nil
		}
	}
	d := mn.target.def
	if d == nil || d.kind != defFn {
		return nil
	}
	return b.intoBody(d.fn, args, t, name, fr, e)
}

// intoBody reads bounds off the body of a function that is called with the variable as an argument.
func (b *bounder) intoBody(f *Func, args []syntax.Node, t value.Truth, name string, fr *frame, e *env) *domain {
	m := b.m
	d := m.definition(f)
	if d.why != "" || b.inline >= maxInline {
		return nil
	}
	f, body := d.fn, d.body
	var inner *env
	param := ""
	i := 0
	callee := &frame{scope: m.scopeOf(f)}
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		if i >= len(args) {
			return nil
		}
		pname := "self"
		if p.Kind() != syntax.SelfParam {
			pat := p.Get(syntax.FPat)
			if pat.Kind() != syntax.IdentPat {
				return nil
			}
			pname = identText(pat.Get(syntax.FName))
		}
		inner = inner.bind(pname, m.eval(args[i], fr, e))
		if isVar(args[i], name) {
			if param != "" {
				return nil
			}
			param = pname
		}
		i++
	}
	if param == "" || i != len(args) {
		return nil
	}
	nested := &bounder{m: m, inline: b.inline + 1}
	return nested.outside(body, t, param, callee, inner)
}

// outsideClosure reads bounds off the body of a closure with one parameter.
func (b *bounder) outsideClosure(f *function, t value.Truth) *domain {
	name, e, ok := oneParam(f)
	if !ok || b.inline >= maxInline || f.node.Get(syntax.FClause).Valid() {
		return nil
	}
	nested := &bounder{m: b.m, inline: b.inline + 1}
	return nested.outside(f.node.Get(syntax.FBody), t, name, f.fr, e)
}

func oneParam(f *function) (name string, e *env, ok bool) {
	n := 0
	for p := range f.node.All(syntax.FParam) {
		pat := p.Get(syntax.FPat)
		if pat.Kind() != syntax.IdentPat || pat.Get(syntax.FPat).Valid() {
			return "", nil, false
		}
		name = identText(pat.Get(syntax.FName))
		n++
	}
	return name, f.env.bind(name, value.Unspecified{Reason: "a variable of a condition"}), n == 1
}

// domainOf lists values outside of which a predicate is false.
func (m *machine) domainOf(f *function) ([]value.Value, bool) {
	name, e, ok := oneParam(f)
	if !ok || f.node.Get(syntax.FClause).Valid() {
		return nil, false
	}
	var t *value.Type
	for p := range f.node.All(syntax.FParam) {
		if pt := p.Get(syntax.FType); pt.Valid() {
			t = f.fr.typ(pt)
		}
	}
	b := &bounder{m: m}
	return m.values(withType(b.outside(f.node.Get(syntax.FBody), value.False, name, f.fr, e), t, m.arch), t)
}

package eval

import (
	"slices"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

const (
	// maxRange bounds how many values of a variable are gone through.
	maxRange = 4096
	// maxCandidates bounds how many values are tried where not all can be.
	maxCandidates = 40
	// maxInline bounds how deep the bodies of functions are searched for bounds.
	maxInline = 8
)

// variable is a variable of a quantifier.
type variable struct {
	name string
	typ  *value.Type
}

// search looks for values of the variables of a quantifier for which its body takes a truth.
type search struct {
	m    *machine
	fr   *frame
	body syntax.Node
	want value.Truth // what ends the search: false for forall, true for exists and choose
	vars []variable
	// incomplete says that not all values could be tried, undecided that the body had no answer for some.
	incomplete, undecided bool
	// for choose: all witnesses.
	collect bool
	found   []value.Value
}

func (m *machine) quant(n syntax.Node, fr *frame, e *env) value.Value {
	s := &search{m: m, fr: fr, body: n.Get(syntax.FExpr), want: value.True}
	m.tick((n.Span().End - n.Span().Start) / 256)
	if n.Op() == syntax.KwForall {
		s.want = value.False
	}
	inner, untyped := e, false
	for p := range n.All(syntax.FParam) {
		pat := p.Get(syntax.FPat)
		if pat.Kind() != syntax.IdentPat || pat.Get(syntax.FPat).Valid() {
			return m.unspecified("a pattern in a quantifier")
		}
		v := variable{name: identText(pat.Get(syntax.FName))}
		if t := p.Get(syntax.FType); t.Valid() {
			v.typ = fr.typ(t)
			if v.typ == nil {
				return m.unspecified("a quantifier over a type that is not understood: " + nodeText(t))
			}
		} else {
			untyped = true
		}
		s.vars = append(s.vars, v)
		inner = inner.bind(v.name, value.Unspecified{Reason: "a variable of a quantifier"})
	}
	if untyped {
		for i, v := range s.vars {
			if v.typ == nil && m.usedAsIndex(s.body, v.name, fr, inner) {
				s.vars[i].typ = &value.Type{Kind: value.TInt, Int: value.IntT}
			}
		}
	}
	if n.Op() == syntax.KwChoose {
		return s.choose(inner)
	}
	// A body that does not depend on the variables, or not in the end.
	if v, ok := m.eval(s.body, fr, inner).(value.Bool); ok {
		return v
	}
	hit := s.run(s.vars, inner)
	switch {
	case hit:
		return value.Bool(s.want == value.True)
	case m.spent:
		return m.unspecified("too many steps")
	case s.incomplete:
		return m.unspecified("a quantifier without bounds: " + nodeText(n))
	case s.undecided:
		return m.unspecified("a quantifier whose body is not decided: " + nodeText(n))
	}
	return value.Bool(s.want == value.False)
}

// choose is the one witness; with several, or none, the value is not specified.
func (s *search) choose(e *env) value.Value {
	s.collect = true
	s.run(s.vars, e)
	if s.incomplete || s.undecided || s.m.spent || len(s.found) != 1 {
		return s.m.unspecified("choose with several witnesses or none that is known")
	}
	return s.found[0]
}

// usedAsIndex tells a variable that occurs as s[i], where s is a sequence, and therefore is an int.
func (m *machine) usedAsIndex(n syntax.Node, name string, fr *frame, e *env) bool {
	found := false
	n.Walk(func(c syntax.Node) bool {
		if c.Kind() == syntax.Index && c.Get(syntax.FIndex).Text() == name {
			if _, ok := m.eval(c.Get(syntax.FExpr), fr, e).(*value.List); ok {
				found = true
			}
		}
		return !found
	})
	return found
}

// run goes through the values of the variables that are left. It tells whether the body took the truth that ends the search.
func (s *search) run(left []variable, e *env) bool {
	m := s.m
	if m.tick(1) {
		s.incomplete = true
		return false
	}
	if len(left) == 0 {
		t := truthOf(m.eval(s.body, s.fr, e))
		if t == value.Undecided {
			s.undecided = true
		}
		if t != s.want {
			return false
		}
		if s.collect {
			s.found = append(s.found, s.witness(e))
			return len(s.found) > 1
		}
		return true
	}
	// The variable with the fewest values goes first; only its own bounds need to be known.
	best, bestVals := -1, []value.Value(nil)
	bounds := make([]*domain, len(left))
	for i, v := range left {
		d := s.bounds(v, left, e)
		bounds[i] = d
		vals, ok := m.values(d, v.typ)
		if ok && (best < 0 || len(vals) < len(bestVals)) {
			best, bestVals = i, vals
		}
	}
	// Between the points there are further witnesses, all of which choose must know.
	if best < 0 && len(left) == 1 && !s.collect {
		if vals, ok := s.critical(left[0], bounds[0], e); ok {
			best, bestVals = 0, vals
		}
	}
	if best < 0 {
		s.incomplete = true
		best = 0
		bestVals = s.candidates(left[0], bounds[0], e)
	}
	rest := append(slices.Clone(left[:best]), left[best+1:]...)
	for _, val := range bestVals {
		if s.run(rest, e.bind(left[best].name, val)) {
			return true
		}
		if m.spent {
			s.incomplete = true
			return false
		}
	}
	return false
}

func (s *search) witness(e *env) value.Value {
	vals := make([]value.Value, len(s.vars))
	for i, v := range s.vars {
		vals[i], _ = e.lookup(v.name)
	}
	if len(vals) == 1 {
		return vals[0]
	}
	return value.Tuple(vals)
}

// critical lists integers such that the body takes every truth that it takes at all at one of them: where the variable occurs
// in comparisons with what does not depend on it only, its truth changes at those places only.
func (s *search) critical(v variable, d *domain, e *env) ([]value.Value, bool) {
	if v.typ == nil || v.typ.Kind != value.TInt || d != nil && d.listed {
		return nil, false
	}
	c := &criticals{m: s.m}
	if !c.points(s.body, v.name, s.fr, e) {
		return nil, false
	}
	lo, hi := v.typ.Int.Limits(s.m.arch)
	if v.typ.Int == value.USize || v.typ.Int == value.ISize {
		s.m.archUsed = true
	}
	one := value.Small(1, value.IntT)
	var all []value.Int
	for _, p := range c.at {
		all = append(all, p.Sub(one), p, p.Add(one))
	}
	if lo != nil {
		all = append(all, *lo)
	}
	if hi != nil {
		all = append(all, *hi)
	}
	if len(all) == 0 {
		all = append(all, value.Small(0, value.IntT))
	}
	slices.SortFunc(all, value.Int.Cmp)
	var out []value.Value
	for i, p := range all {
		if i > 0 && p.Cmp(all[i-1]) == 0 || lo != nil && p.Cmp(*lo) < 0 || hi != nil && p.Cmp(*hi) > 0 {
			continue
		}
		out = append(out, p.As(v.typ.Int))
	}
	return out, len(out) <= maxRange
}

type criticals struct {
	m      *machine
	at     []value.Int
	inline int
}

// mentions tells whether a name occurs in an expression.
func mentions(n syntax.Node, name string) bool {
	for t := range n.Tokens() {
		if t.Text() == name {
			return true
		}
	}
	return false
}

// points collects where the truth of n may change; ok is false if that cannot be said.
func (c *criticals) points(n syntax.Node, name string, fr *frame, e *env) bool {
	m := c.m
	if m.tick(1) || m.depth > maxDepth || len(c.at) > 200 {
		return false
	}
	m.tick((n.Span().End - n.Span().Start) / 64)
	if !mentions(n, name) {
		return true
	}
	m.depth++
	defer func() { m.depth-- }()
	switch n.Kind() {
	case syntax.Paren, syntax.AttrExpr:
		return c.points(n.Get(syntax.FExpr), name, fr, e)
	case syntax.BigAnd, syntax.BigOr:
		for x := range n.All(syntax.FExpr) {
			if !c.points(x, name, fr, e) {
				return false
			}
		}
		return true
	case syntax.Unary:
		return n.Op() == syntax.Bang && c.points(n.Get(syntax.FExpr), name, fr, e)
	case syntax.If:
		return n.Get(syntax.FElse).Valid() && !bindsLet(n.Get(syntax.FCond)) && c.points(n.Get(syntax.FCond), name, fr, e) &&
			c.points(n.Get(syntax.FThen), name, fr, e) && c.points(n.Get(syntax.FElse), name, fr, e)
	case syntax.Block:
		var last syntax.Node
		for s := range n.All(syntax.FStmt) {
			if last.Valid() || s.Kind() != syntax.ExprStmt || s.Semi() {
				return false
			}
			last = s.Get(syntax.FExpr)
		}
		return last.Valid() && c.points(last, name, fr, e)
	case syntax.Binary:
		switch n.Op() {
		case syntax.AndAnd, syntax.OrOr, syntax.Implies, syntax.Explies, syntax.Iff:
			l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
			inner := e
			if n.Op() == syntax.AndAnd || n.Op() == syntax.Implies {
				var ok bool
				if inner, ok = m.behind(l, fr, e, func(bound string) bool { return bound == name }); !ok {
					return false
				}
			}
			return c.points(l, name, fr, e) && c.points(r, name, fr, inner)
		case syntax.Ne, syntax.EqEq, syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge:
			_, terms := flatten(n)
			if n.Op() == syntax.Ne {
				terms = []syntax.Node{n.Get(syntax.FLhs), n.Get(syntax.FRhs)}
			}
			var offs []value.Int
			var ends []value.Int
			for _, t := range terms {
				if !mentions(t, name) {
					v, ok := m.eval(t, fr, e).(value.Int)
					if !ok {
						return false
					}
					ends = append(ends, v)
					continue
				}
				off, ok := linear(t, name)
				if !ok {
					return false
				}
				offs = append(offs, off)
			}
			for _, o := range offs {
				for _, v := range ends {
					c.at = append(c.at, v.Sub(o))
				}
			}
			return true
		}
	case syntax.Call:
		callee := n.Get(syntax.FCallee)
		if callee.Kind() != syntax.Path || callee.Get(syntax.FQSelf).Valid() || callee.Global() {
			return false
		}
		mn := fr.meaning(callee)
		if _, local := e.lookup(mn.words[0]); local {
			return false
		}
		if d := mn.target.def; d != nil && d.kind == defFn {
			var args []syntax.Node
			for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
				args = append(args, a)
			}
			return c.into(d.fn, args, name, fr, e)
		}
	case syntax.MethodCall:
		recv := n.Get(syntax.FReceiver)
		if mentions(recv, name) {
			return false
		}
		v, ok := m.eval(recv, fr, e).(*value.Data)
		if !ok {
			return false
		}
		fs := m.methodsOf(fr.scope, headOfValue(v), identText(n.Get(syntax.FName)))
		if len(fs) != 1 || !fs[0].hasSelf() {
			return false
		}
		args := []syntax.Node{recv}
		for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
			args = append(args, a)
		}
		return c.into(fs[0], args, name, fr, e)
	}
	return false
}

func (c *criticals) into(f *Func, args []syntax.Node, name string, fr *frame, e *env) bool {
	d := c.m.definition(f)
	if d.why != "" || c.inline >= maxInline {
		return false
	}
	f, body := d.fn, d.body
	var inner *env
	param := ""
	i := 0
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		if i >= len(args) {
			return false
		}
		pname := "self"
		if p.Kind() != syntax.SelfParam {
			pat := p.Get(syntax.FPat)
			if pat.Kind() != syntax.IdentPat {
				return false
			}
			pname = identText(pat.Get(syntax.FName))
		}
		inner = inner.bind(pname, c.m.eval(args[i], fr, e))
		if mentions(args[i], name) {
			if param != "" || !isVar(args[i], name) {
				return false
			}
			param = pname
		}
		i++
	}
	if param == "" || i != len(args) {
		return false
	}
	c.inline++
	ok := c.points(body, param, &frame{scope: c.m.scopeOf(f)}, inner)
	c.inline--
	return ok
}

// candidates are values to try where not all can be.
func (s *search) candidates(v variable, d *domain, e *env) []value.Value {
	if v.typ == nil || hasParam(v.typ) {
		return nil // of a type that is not known nothing can be tried
	}
	var out []value.Value
	seen := map[string]bool{}
	add := func(x value.Value) {
		if len(out) >= maxCandidates {
			return
		}
		if i, ok := x.(value.Int); ok {
			if v.typ.Kind != value.TInt || !i.In(v.typ.Int, 32) || d != nil && (d.lo != nil && i.Cmp(*d.lo) < 0 || d.hi != nil && i.Cmp(*d.hi) > 0) {
				return
			}
			x = i.As(v.typ.Int)
		} else if v.typ.Kind == value.TInt {
			return
		}
		if k, ok := value.Key(x); ok && !seen[k] {
			seen[k] = true
			out = append(out, x)
		}
	}
	if v.typ.Kind == value.TInt {
		if d != nil {
			for _, end := range []*value.Int{d.lo, d.hi} {
				if end != nil {
					for i := range int64(3) {
						add(end.Add(value.Small(i, value.IntT)))
						add(end.Sub(value.Small(i, value.IntT)))
					}
				}
			}
		}
		for i := range int64(4) {
			add(value.Small(i, value.IntT))
			add(value.Small(-i, value.IntT))
		}
	}
	// Values that occur around the quantifier.
	n := 0
	for l := e; l != nil && n < 20; l = l.up {
		n++
		s.harvest(l.val, v.typ, add, 0)
	}
	if v.typ.Kind != value.TInt {
		g := &generator{w: s.fr.w, m: s.m}
		for _, x := range g.values(v.typ, maxCandidates/2) {
			add(x)
		}
	}
	return out
}

// hasParam tells a type in which a type parameter occurs.
func hasParam(t *value.Type) bool {
	if t == nil || t.Kind == value.TParam {
		return true
	}
	return slices.ContainsFunc(t.Args, hasParam)
}

func (s *search) harvest(v value.Value, t *value.Type, add func(value.Value), depth int) {
	if depth > 3 || s.m.tick(1) {
		return
	}
	if sameHead(v, t) {
		add(v)
	}
	one := value.Small(1, value.IntT)
	var parts []value.Value
	switch v := v.(type) {
	case value.Int:
		if t.Kind == value.TInt {
			add(v.Add(one))
			add(v.Sub(one))
		}
	case value.Tuple:
		parts = v
	case *value.Data:
		parts = v.Fields
	case *value.List:
		parts = v.Elems
		if t.Kind == value.TInt {
			add(value.Small(int64(len(v.Elems)), value.IntT))
		}
	case *value.Set:
		parts = v.Elems()
	case *value.Map:
		parts = v.Dom().Elems()
	}
	for i, p := range parts {
		if i >= 8 {
			break
		}
		s.harvest(p, t, add, depth+1)
	}
}

// sameHead tells whether a value may be of a type.
func sameHead(v value.Value, t *value.Type) bool {
	if t.Kind == value.TInt {
		_, ok := v.(value.Int)
		return ok
	}
	// Collections of other elements, and instances of other parameters, must not be taken.
	switch t.Kind {
	case value.TBool, value.TChar, value.TReal:
		return headOfValue(v) == headOf(t)
	case value.TData:
		d, ok := v.(*value.Data)
		return ok && len(t.Args) == 0 && d.Type == t.Name
	}
	return false
}

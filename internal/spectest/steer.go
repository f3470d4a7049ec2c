package spectest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

const (
	// maxClimb bounds how many changes are made to one candidate.
	maxClimb = 30
	// maxInline bounds how deep specification functions are gone into.
	maxInline = 6
	// maxProposals bounds how many changes are thought of at a time.
	maxProposals = 60
	// maxBindings bounds how many values the variables of a quantifier are given.
	maxBindings = 400
	// maxResize is the greatest length that a sequence is given because a demand asks for it.
	maxResize = 600
	// demandSteps bounds the interpreter's steps for one look at what a candidate lacks.
	demandSteps = 60_000
)

// steerer changes candidates until they meet what a contract demands. It reads the demands backwards: of `v.len() == n` that is false, it
// proposes to make v longer or shorter, or to give n another value. A proposal need not be right; what comes of it is judged like any
// candidate.
type steerer struct {
	t     *Target
	types []*value.Type
	// ask gives what is demanded of arguments of these types.
	ask   func(args []value.Value, steps int) []eval.Demand
	rng   *rand.Rand
	gen   *generator
	steps int
}

// steerer for the arguments of calls. Its randomness is that of a purpose.
func (t *Target) steerer(seed uint64, purpose string) *steerer {
	return &steerer{t: t, types: t.types(), ask: t.judge.Demands, rng: t.source(seed, purpose), gen: &generator{t: t, rng: t.source(seed, purpose+" values")}}
}

// lens is what a name stands for in the arguments.
type lens struct {
	typ *value.Type // nil if not known
	// set gives the arguments, in several ways, with another value for the name.
	set func(v value.Value) [][]value.Value
}

// site is a point in a demand with what its names stand for.
type site struct {
	scene  eval.Scene
	lenses map[string]lens
	depth  int
}

// after is the site behind a condition, where the names that its patterns bind are known.
func (s *steerer) after(cond syntax.Node, st site) site {
	_, scene := st.scene.Cond(cond)
	out := site{scene, st.lenses, st.depth}
	var note func(n syntax.Node)
	note = func(n syntax.Node) {
		switch n.Kind() {
		case syntax.Paren:
			note(n.Get(syntax.FExpr))
		case syntax.Binary:
			if op := n.Op(); op == syntax.AndAnd || op == syntax.AndAndAnd {
				note(n.Get(syntax.FLhs))
				note(n.Get(syntax.FRhs))
			}
		case syntax.Matches, syntax.LetCond:
			m := make(map[string]lens, len(out.lenses)+1)
			for k, l := range out.lenses {
				m[k] = l
			}
			x := n.Get(syntax.FExpr)
			s.patternLenses(n.Get(syntax.FPat), st.scene.Eval(x), lens{s.typeOf(x, st), func(v value.Value) [][]value.Value { return s.set(x, v, st) }}, m)
			out.lenses = m
		}
	}
	note(cond)
	return out
}

// demands are those on arguments, each with its site.
func (s *steerer) demands(args []value.Value) (nodes []syntax.Node, sites []site) {
	for _, d := range s.ask(args, demandSteps) {
		st := site{d.Scene, map[string]lens{}, 0}
		for name, i := range d.Params {
			st.lenses[name] = lens{s.types[i], func(v value.Value) [][]value.Value {
				v, ok := s.t.judge.Conform(v, s.types[i])
				if !ok || !s.t.judge.Fits(v) {
					return nil
				}
				out := slices.Clone(args)
				out[i] = v
				return [][]value.Value{out}
			}}
		}
		nodes, sites = append(nodes, d.Node), append(sites, st)
	}
	return nodes, sites
}

// cost tells how far arguments are from meeting the demands; 0 if they do.
func (s *steerer) cost(args []value.Value) float64 {
	nodes, sites := s.demands(args)
	total := 0.0
	for i, n := range nodes {
		total += s.lack(n, true, sites[i])
	}
	if len(sites) > 0 {
		s.steps += sites[0].scene.Steps()
		if sites[0].scene.Spent() {
			return math.Inf(1)
		}
	}
	return total
}

// climb changes arguments step by step. ok is false when it did not get there.
func (s *steerer) climb(ctx context.Context, args []value.Value, budget int) (out []value.Value, ok bool) {
	cost := s.cost(args)
	stuck := 0
	for range maxClimb {
		if cost == 0 {
			return args, true
		}
		if s.steps > budget || ctx.Err() != nil || stuck > 6 {
			return nil, false
		}
		proposals := s.proposals(args)
		var best []value.Value
		bestCost := math.Inf(1)
		for range min(4, len(proposals)+1) {
			var next []value.Value
			if len(proposals) == 0 || s.rng.IntN(12) == 0 {
				next = s.mutate(args)
			} else {
				// The first proposals are the plainest.
				i := min(s.rng.IntN(len(proposals)), s.rng.IntN(len(proposals)))
				next = proposals[i]
				proposals = slices.Delete(proposals, i, i+1)
			}
			if next == nil {
				continue
			}
			if c := s.cost(next); c < bestCost {
				best, bestCost = next, c
			}
			if bestCost == 0 {
				break
			}
		}
		switch {
		case best == nil:
			stuck++
		case bestCost < cost:
			args, cost, stuck = best, bestCost, 0
		case bestCost == cost || s.rng.IntN(8) == 0 && bestCost < cost+2:
			args, cost = best, bestCost
			stuck++
		default:
			stuck++
		}
	}
	return args, cost == 0
}

// mutate draws one argument, or a part of one, anew.
func (s *steerer) mutate(args []value.Value) []value.Value {
	if len(args) == 0 {
		return nil
	}
	out := slices.Clone(args)
	i := s.rng.IntN(len(args))
	s.gen.seen = s.gen.seen[:0]
	for _, a := range args {
		collectInts(a, &s.gen.seen, 0)
	}
	if out[i] = s.redraw(args[i], s.types[i], 0); out[i] == nil {
		return nil
	}
	return out
}

func (s *steerer) redraw(v value.Value, t *value.Type, nest int) value.Value {
	if i, ok := v.(value.Int); ok && s.rng.IntN(2) == 0 {
		if i = i.Add(value.Small(int64(s.rng.IntN(21)-10), value.IntT)); i.In(t.Int, s.t.judge.SizeBits()) {
			return i.As(t.Int)
		}
	}
	if s.rng.IntN(4) == 0 {
		return s.gen.draw(t, nest)
	}
	part := func(vs []value.Value, typ func(int) *value.Type) []value.Value {
		vs = slices.Clone(vs)
		i := s.rng.IntN(len(vs))
		if vs[i] = s.redraw(vs[i], typ(i), nest+1); vs[i] == nil {
			return nil
		}
		return vs
	}
	switch v := v.(type) {
	case value.Tuple:
		if len(v) > 0 && len(v) == len(t.Args) {
			if vs := part(v, func(i int) *value.Type { return t.Args[i] }); vs != nil {
				return value.Tuple(vs)
			}
		}
	case *value.List:
		if len(v.Elems) > 0 && len(t.Args) > 0 {
			if vs := part(v.Elems, func(int) *value.Type { return t.Args[0] }); vs != nil {
				return &value.List{Of: v.Of, Elems: vs}
			}
		}
	case *value.Data:
		if sh, ok := s.shape(t, v.Variant); ok && len(v.Fields) > 0 && len(sh.Types) == len(v.Fields) {
			if vs := part(v.Fields, func(i int) *value.Type { return sh.Types[i] }); vs != nil {
				return &value.Data{Type: v.Type, Variant: v.Variant, Names: v.Names, Fields: vs}
			}
		}
	}
	return s.gen.draw(t, nest)
}

func (s *steerer) shape(t *value.Type, variant string) (eval.Shape, bool) {
	if t == nil || t.Kind != value.TData {
		return eval.Shape{}, false
	}
	shapes, err := s.t.judge.Shapes(t)
	if err != nil {
		return eval.Shape{}, false
	}
	for _, sh := range shapes {
		if sh.Variant == variant {
			return sh, true
		}
	}
	return eval.Shape{}, false
}

func collectInts(v value.Value, out *[]value.Int, depth int) {
	if len(*out) >= 16 || depth > 4 {
		return
	}
	var parts []value.Value
	switch v := v.(type) {
	case value.Int:
		*out = append(*out, v)
	case value.Tuple:
		parts = v
	case *value.Data:
		parts = v.Fields
	case *value.List:
		*out = append(*out, value.Small(int64(len(v.Elems)), value.IntT))
		parts = v.Elems
	}
	for _, p := range parts {
		collectInts(p, out, depth+1)
	}
}

// proposals are changes of the arguments that may help with what they lack.
func (s *steerer) proposals(args []value.Value) [][]value.Value {
	nodes, sites := s.demands(args)
	var out [][]value.Value
	for i, n := range nodes {
		if len(out) < maxProposals && s.lack(n, true, sites[i]) > 0 {
			out = append(out, s.want(n, true, sites[i])...)
		}
	}
	if len(sites) > 0 {
		s.steps += sites[0].scene.Steps()
	}
	if len(out) > maxProposals {
		out = out[:maxProposals]
	}
	return out
}

// plain takes away what does not matter around an expression.
func plain(n syntax.Node) syntax.Node {
	for {
		switch {
		case n.Kind() == syntax.Paren, n.Kind() == syntax.AttrExpr, n.Kind() == syntax.Ref, n.Kind() == syntax.Unary && n.Op() == syntax.Star:
			n = n.Get(syntax.FExpr)
		case n.Kind() == syntax.Block && onlyTail(n).Valid():
			n = onlyTail(n)
		default:
			return n
		}
	}
}

// onlyTail is the value of a block that has nothing else.
func onlyTail(n syntax.Node) syntax.Node {
	var tail syntax.Node
	for c := range n.All(syntax.FStmt) {
		if c.Kind() != syntax.ExprStmt || c.Semi() || tail.Valid() {
			return syntax.Node{}
		}
		tail = c.Get(syntax.FExpr)
	}
	return tail
}

func word(n syntax.Node) string { return strings.TrimPrefix(n.Text(), "r#") }

// name of a local variable that an expression is; empty if it is none.
func name(n syntax.Node) string {
	if n.Kind() == syntax.Path && !n.Global() && !strings.ContainsAny(n.Text(), ":<") {
		return word(n)
	}
	return ""
}

// within goes into a block with lets and to its value.
func (s *steerer) within(n syntax.Node, st site) (syntax.Node, site, bool) {
	var tail syntax.Node
	for c := range n.All(syntax.FStmt) {
		switch c.Kind() {
		case syntax.Let:
			init, before := c.Get(syntax.FInit), st
			if !init.Valid() {
				return n, st, false
			}
			st = s.bindPattern(c.Get(syntax.FPat), st.scene.Eval(init), lens{s.typeOf(init, st), func(v value.Value) [][]value.Value {
				return s.set(init, v, before)
			}}, st)
		case syntax.ExprStmt:
			if !c.Semi() {
				tail = c.Get(syntax.FExpr)
			}
		}
	}
	return tail, st, tail.Valid()
}

// bindPattern binds the names of a pattern, each with what it stands for in a value that can be set.
func (s *steerer) bindPattern(pat syntax.Node, v value.Value, l lens, st site) site {
	_, scene := st.scene.Match(pat, v)
	m := make(map[string]lens, len(st.lenses)+2)
	for k, old := range st.lenses {
		m[k] = old
	}
	s.patternLenses(pat, v, l, m)
	return site{scene, m, st.depth}
}

func (s *steerer) patternLenses(pat syntax.Node, v value.Value, l lens, into map[string]lens) {
	switch pat.Kind() {
	case syntax.ParenPat, syntax.RefPat, syntax.BoxPat:
		s.patternLenses(pat.Get(syntax.FPat), v, l, into)
	case syntax.IdentPat:
		into[word(pat.Get(syntax.FName))] = l
	case syntax.TuplePat:
		t, ok := v.(value.Tuple)
		next := 0
		for c := range pat.All(syntax.FPat) {
			i := next
			next++
			if c.Kind() == syntax.RestPat || !ok || i >= len(t) {
				return
			}
			var typ *value.Type
			if l.typ != nil && i < len(l.typ.Args) {
				typ = l.typ.Args[i]
			}
			s.patternLenses(c, t[i], lens{typ, func(x value.Value) [][]value.Value {
				vs := slices.Clone(t)
				vs[i] = x
				return l.set(vs)
			}}, into)
		}
	case syntax.TupleStructPat, syntax.StructPat:
		d, ok := v.(*value.Data)
		if !ok {
			return
		}
		sh, _ := s.shape(l.typ, d.Variant)
		i := 0
		for c := range pat.All(syntax.FPat) {
			at := i
			i++
			sub := c
			if c.Kind() == syntax.RestPat {
				return
			}
			if c.Kind() == syntax.FieldPat {
				sub = c.Get(syntax.FPat)
				field := word(c.Get(syntax.FName))
				if field == "" {
					field = word(sub.Get(syntax.FName))
				}
				at = slices.Index(d.Names, field)
			}
			if at < 0 || at >= len(d.Fields) || !sub.Valid() {
				continue
			}
			var typ *value.Type
			if at < len(sh.Types) {
				typ = sh.Types[at]
			}
			s.patternLenses(sub, d.Fields[at], lens{typ, func(x value.Value) [][]value.Value { return l.set(withField(d, at, x)) }}, into)
		}
	}
}

func withField(d *value.Data, i int, v value.Value) *value.Data {
	fs := slices.Clone(d.Fields)
	fs[i] = v
	return &value.Data{Type: d.Type, Variant: d.Variant, Names: d.Names, Fields: fs}
}

// enter goes into the specification function that is called.
func (s *steerer) enter(n syntax.Node, st site) (syntax.Node, site, bool) {
	if st.depth >= maxInline {
		return n, st, false
	}
	body, scene, names, exprs, ok := st.scene.Enter(n)
	if !ok {
		return n, st, false
	}
	in := site{scene, map[string]lens{}, st.depth + 1}
	for i, nm := range names {
		x := exprs[i]
		in.lenses[nm] = lens{s.typeOf(x, st), func(v value.Value) [][]value.Value { return s.set(x, v, st) }}
	}
	return body, in, true
}

// arm goes into the arm of a match that is taken.
func (s *steerer) arm(n syntax.Node, st site) (syntax.Node, site, bool) {
	x := n.Get(syntax.FExpr)
	v := st.scene.Eval(x)
	for a := range n.All(syntax.FArm) {
		t, scene := st.scene.Match(a.Get(syntax.FPat), v)
		if g := a.Get(syntax.FGuard); t == value.True && g.Valid() {
			t = scene.Truth(g)
		}
		if t == value.True {
			in := s.bindPattern(a.Get(syntax.FPat), v, lens{s.typeOf(x, st), func(v value.Value) [][]value.Value { return s.set(x, v, st) }}, st)
			return a.Get(syntax.FBody), in, true
		}
	}
	return n, st, false
}

// links takes a <= b < c apart.
func links(n syntax.Node) (operands []syntax.Node, ops []syntax.TokenKind) {
	for {
		operands, ops = append(operands, n.Get(syntax.FRhs)), append(ops, n.Op())
		l := n.Get(syntax.FLhs)
		if l.Kind() != syntax.Binary || !comparison(l.Op()) || l.Op() == syntax.Ne {
			operands = append(operands, l)
			slices.Reverse(operands)
			slices.Reverse(ops)
			return operands, ops
		}
		n = l
	}
}

func comparison(op syntax.TokenKind) bool {
	switch op {
	case syntax.EqEq, syntax.Ne, syntax.Lt, syntax.Le, syntax.Gt, syntax.Ge, syntax.ExtEq, syntax.DeepEq:
		return true
	}
	return false
}

func truth(v value.Value) value.Truth {
	if b, ok := v.(value.Bool); ok {
		return value.TruthOf(bool(b))
	}
	return value.Undecided
}

// lack tells how far a condition is from the truth that is wanted: 0 if it has it, at most 1 for a single condition, more for several.
func (s *steerer) lack(n syntax.Node, want bool, st site) float64 {
	n = plain(n)
	is := st.scene.Truth(n)
	if is == value.TruthOf(want) {
		return 0
	}
	switch n.Kind() {
	case syntax.Block:
		if tail, in, ok := s.within(n, st); ok {
			return s.lack(tail, want, in)
		}
	case syntax.BigAnd:
		sum, least := 0.0, math.Inf(1)
		for c := range n.All(syntax.FExpr) {
			l := s.lack(c, want, st)
			sum, least = sum+l, min(least, l)
		}
		if want {
			return sum
		}
		return least
	case syntax.Unary:
		if n.Op() == syntax.Bang {
			return s.lack(n.Get(syntax.FExpr), !want, st)
		}
	case syntax.Binary:
		l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
		switch n.Op() {
		case syntax.AndAnd, syntax.AndAndAnd:
			a, b := s.lack(l, want, st), s.lack(r, want, s.after(l, st))
			if want {
				return a + b
			}
			return min(a, b)
		case syntax.OrOr:
			a, b := s.lack(l, want, st), s.lack(r, want, st)
			if want {
				return min(a, b)
			}
			return a + b
		case syntax.Implies:
			a, b := s.lack(l, !want, st), s.lack(r, want, s.after(l, st))
			if want {
				return min(a, b)
			}
			return a + b
		}
		if comparison(n.Op()) {
			operands, ops := links(n)
			sum, least := 0.0, math.Inf(1)
			for i, op := range ops {
				if !want {
					op = eval.Negated(op)
				}
				d := s.distance(op, st.scene.Eval(operands[i]), st.scene.Eval(operands[i+1]), st)
				sum, least = sum+d, min(least, d)
			}
			if want {
				return sum
			}
			return least
		}
	case syntax.If:
		return s.lack(s.branch(n, st), want, st)
	case syntax.Match:
		if body, in, ok := s.arm(n, st); ok {
			return s.lack(body, want, in)
		}
	case syntax.Call, syntax.MethodCall:
		if body, in, ok := s.enter(n, st); ok {
			return s.lack(body, want, in)
		}
	case syntax.Quant:
		if (n.Op() == syntax.KwForall) == want {
			against, all := s.against(n, want, st, 20)
			if all > 0 {
				return 0.3 + 0.7*float64(len(against))/20
			}
		}
	}
	if is == value.Undecided {
		return 0.9
	}
	return 1
}

// branch of an if that is taken.
func (s *steerer) branch(n syntax.Node, st site) syntax.Node {
	if st.scene.Truth(n.Get(syntax.FCond)) == value.False {
		return n.Get(syntax.FElse)
	}
	return n.Get(syntax.FThen)
}

// distance tells how far two values are from being so related.
func (s *steerer) distance(op syntax.TokenKind, a, b value.Value, st site) float64 {
	if st.scene.Compare(op, a, b) == value.True {
		return 0
	}
	x, ok := a.(value.Int)
	y, ok2 := b.(value.Int)
	if ok && ok2 {
		return 1 - 1/(1.5+float64(x.Sub(y).BitLen()))
	}
	l, ok := a.(*value.List)
	k, ok2 := b.(*value.List)
	if ok && ok2 {
		d := len(l.Elems) - len(k.Elems)
		return 1 - 1/(2+math.Abs(float64(d)))
	}
	return 1
}

// against gives scenes in which the variables of a quantifier have values that speak against it, at most n, and of how many values that is
// known.
func (s *steerer) against(n syntax.Node, want bool, st site, most int) (out []site, tried int) {
	body := n.Get(syntax.FExpr)
	s.bindings(n, st, func(in site) bool {
		tried++
		if in.scene.Truth(body) == value.TruthOf(!want) {
			out = append(out, in)
		}
		return len(out) < most && !in.scene.Spent()
	})
	return out, tried
}

// bindings gives the variables of a quantifier values, near the indices and numbers that there are.
func (s *steerer) bindings(n syntax.Node, st site, visit func(site) bool) {
	var names []string
	var pools [][]value.Value
	var ints []value.Int
	longest := 0
	for nm := range st.lenses {
		if v, ok := st.scene.Local(nm); ok {
			longest = max(longest, longestList(v, 0))
			collectInts(v, &ints, 0)
		}
	}
	slices.SortFunc(ints, func(a, b value.Int) int { return a.Cmp(b) })
	for p := range n.All(syntax.FParam) {
		pat := p.Get(syntax.FPat)
		if pat.Kind() != syntax.IdentPat {
			return
		}
		names = append(names, word(pat.Get(syntax.FName)))
		typ := &value.Type{Kind: value.TInt, Int: value.IntT}
		if t := p.Get(syntax.FType); t.Valid() {
			if typ = st.scene.Type(t); typ == nil {
				return
			}
		}
		var pool []value.Value
		if typ.Kind == value.TInt {
			add := func(i value.Int) {
				if i.In(typ.Int, 32) {
					pool = append(pool, i.As(typ.Int))
				}
			}
			for i := range min(longest, longLen) + 1 {
				add(value.Small(int64(i), value.IntT))
			}
			add(value.Small(-1, value.IntT))
			for _, i := range ints[:min(len(ints), 8)] {
				add(i)
			}
			pool = distinct(pool)
		} else {
			pool = s.t.judge.Small(typ, 8)
		}
		pools = append(pools, pool)
	}
	// The variables themselves cannot be set.
	lenses := make(map[string]lens, len(st.lenses)+len(names))
	for k, l := range st.lenses {
		lenses[k] = l
	}
	for _, nm := range names {
		lenses[nm] = lens{set: func(value.Value) [][]value.Value { return nil }}
	}
	left := maxBindings
	eval.Diagonal(pools, func(vs []value.Value) bool {
		in := site{st.scene, lenses, st.depth}
		for i, nm := range names {
			in.scene = in.scene.Bind(nm, vs[i])
		}
		left--
		return visit(in) && left > 0
	})
}

func longestList(v value.Value, depth int) int {
	if depth > 4 {
		return 0
	}
	n := 0
	var parts []value.Value
	switch v := v.(type) {
	case *value.List:
		n, parts = len(v.Elems), v.Elems
	case *value.Data:
		parts = v.Fields
	case value.Tuple:
		parts = v
	}
	for _, p := range parts {
		n = max(n, longestList(p, depth+1))
	}
	return n
}

func distinct(vs []value.Value) []value.Value {
	seen := map[string]bool{}
	var out []value.Value
	for _, v := range vs {
		if k, ok := value.Key(v); ok && !seen[k] {
			seen[k] = true
			out = append(out, v)
		}
	}
	return out
}

// want proposes changes that give a condition a truth.
func (s *steerer) want(n syntax.Node, want bool, st site) (out [][]value.Value) {
	n = plain(n)
	if st.scene.Spent() || st.scene.Truth(n) == value.TruthOf(want) {
		return nil
	}
	switch n.Kind() {
	case syntax.Block:
		if tail, in, ok := s.within(n, st); ok {
			return s.want(tail, want, in)
		}
	case syntax.BigAnd, syntax.BigOr:
		for c := range n.All(syntax.FExpr) {
			out = append(out, s.want(c, want, st)...)
		}
		return out
	case syntax.Unary:
		if n.Op() == syntax.Bang {
			return s.want(n.Get(syntax.FExpr), !want, st)
		}
	case syntax.Binary:
		l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
		switch n.Op() {
		case syntax.AndAnd, syntax.AndAndAnd, syntax.OrOr:
			return append(s.want(l, want, st), s.want(r, want, s.after(l, st))...)
		case syntax.Implies:
			return append(s.want(r, want, s.after(l, st)), s.want(l, !want, st)...)
		case syntax.Explies:
			return append(s.want(l, want, st), s.want(r, !want, st)...)
		}
		operands, ops := []syntax.Node(nil), []syntax.TokenKind(nil)
		if comparison(n.Op()) {
			operands, ops = links(n)
		}
		if n.Op() == syntax.Iff || len(ops) == 1 && truth(st.scene.Eval(l)) != value.Undecided {
			same := (n.Op() != syntax.Ne) == want
			if t := truth(st.scene.Eval(r)); t != value.Undecided {
				out = append(out, s.want(l, (t == value.True) == same, st)...)
			}
			if t := truth(st.scene.Eval(l)); t != value.Undecided {
				out = append(out, s.want(r, (t == value.True) == same, st)...)
			}
			return out
		}
		if comparison(n.Op()) {
			for i, op := range ops {
				if !want {
					op = eval.Negated(op)
				}
				a, b := st.scene.Eval(operands[i]), st.scene.Eval(operands[i+1])
				if st.scene.Compare(op, a, b) != value.True {
					out = append(out, s.relate(op, operands[i], operands[i+1], a, b, st)...)
				}
			}
			return out
		}
	case syntax.If:
		out = s.want(s.branch(n, st), want, st)
		return append(out, s.want(n.Get(syntax.FCond), st.scene.Truth(n.Get(syntax.FCond)) == value.False, st)...)
	case syntax.Match:
		if body, in, ok := s.arm(n, st); ok {
			out = s.want(body, want, in)
		}
		return append(out, s.anew(n.Get(syntax.FExpr), st)...)
	case syntax.Quant:
		return s.quantified(n, want, st)
	case syntax.Is, syntax.Matches:
		return s.anew(n.Get(syntax.FExpr), st)
	case syntax.LetCond:
		return s.anew(n.Get(syntax.FExpr), st)
	case syntax.MethodCall:
		recv := n.Get(syntax.FReceiver)
		if out = s.method(n, recv, want, st); len(out) > 0 {
			return out
		}
		if body, in, ok := s.enter(n, st); ok {
			return s.want(body, want, in)
		}
		return s.anew(recv, st)
	case syntax.Call:
		if body, in, ok := s.enter(n, st); ok {
			return s.want(body, want, in)
		}
		for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
			out = append(out, s.anew(a, st)...)
		}
		return out
	}
	return s.set(n, value.Bool(want), st)
}

// anew proposes values drawn at random for an expression.
func (s *steerer) anew(n syntax.Node, st site) (out [][]value.Value) {
	t := s.typeOf(n, st)
	if t == nil {
		return nil
	}
	if shapes, err := s.t.judge.Shapes(t); t.Kind == value.TData && err == nil {
		for _, sh := range shapes {
			if s.t.deepest(sh.Types) < noDepth {
				s.gen.left = maxParts
				if v := s.gen.shape(t, sh, 1); v != nil {
					out = append(out, s.set(n, v, st)...)
				}
			}
		}
		return out
	}
	for range 3 {
		if v := s.gen.draw(t, 0); v != nil {
			out = append(out, s.set(n, v, st)...)
		}
	}
	return out
}

// method proposes what the methods of sequences that are conditions want.
func (s *steerer) method(n, recv syntax.Node, want bool, st site) (out [][]value.Value) {
	var l *value.List
	switch r := st.scene.Eval(recv).(type) {
	case *value.List:
		l = r
	case *value.Set, *value.Map:
		return s.member(n, recv, r, want, st)
	default:
		return nil
	}
	put := func(vs []value.Value) {
		out = append(out, s.set(recv, &value.List{Of: l.Of, Elems: vs}, st)...)
	}
	switch word(n.Get(syntax.FName)) {
	case "contains":
		x := st.scene.Eval(n.Get(syntax.FArgs).Get(syntax.FExpr))
		if x.Kind() == value.KUnspecified {
			return nil
		}
		if !want {
			put(slices.DeleteFunc(slices.Clone(l.Elems), func(e value.Value) bool { return value.Equal(e, x) == value.True }))
			return out
		}
		if len(l.Elems) > 0 {
			vs := slices.Clone(l.Elems)
			vs[s.rng.IntN(len(vs))] = x
			put(vs)
			out = append(out, s.set(n.Get(syntax.FArgs).Get(syntax.FExpr), l.Elems[s.rng.IntN(len(l.Elems))], st)...)
		}
		put(slices.Insert(slices.Clone(l.Elems), s.rng.IntN(len(l.Elems)+1), x))
	case "no_duplicates":
		if want {
			put(distinct(l.Elems))
		} else if len(l.Elems) > 0 {
			put(append(slices.Clone(l.Elems), l.Elems[s.rng.IntN(len(l.Elems))]))
		}
	}
	return out
}

// member proposes sets and maps that have an element or key, or have it not.
func (s *steerer) member(n, recv syntax.Node, r value.Value, want bool, st site) [][]value.Value {
	x := st.scene.Eval(n.Get(syntax.FArgs).Get(syntax.FExpr))
	if !value.Exact(x) {
		return nil
	}
	other := func(v value.Value) bool { return value.Equal(v, x) != value.True }
	switch w := word(n.Get(syntax.FName)); r := r.(type) {
	case *value.Set:
		switch {
		case w != "contains":
		case want:
			return s.set(recv, r.With(x), st)
		default:
			return s.set(recv, r.Where(other), st)
		}
	case *value.Map:
		switch {
		case w != "contains_key":
		case want:
			if t := s.typeOf(recv, st); t != nil && t.Kind == value.TMap {
				if v := s.gen.draw(t.Args[1], 1); v != nil {
					return s.set(recv, r.With(x, v), st)
				}
			}
		default:
			return s.set(recv, r.Where(func(k, _ value.Value) bool { return other(k) }), st)
		}
	}
	return nil
}

// redomain makes a map with another domain; nil if the type of its values is not known.
func (s *steerer) redomain(m *value.Map, dom *value.Set, t *value.Type) *value.Map {
	out := m.Where(func(k, _ value.Value) bool { return dom.Has(k) })
	for _, k := range dom.Elems() {
		if out.Get(k) == nil {
			if t == nil || t.Kind != value.TMap {
				return nil
			}
			v := s.gen.draw(t.Args[1], 1)
			if v == nil {
				return nil
			}
			out = out.With(k, v)
		}
	}
	return out
}

// quantified proposes changes for a quantifier that is not as wanted.
func (s *steerer) quantified(n syntax.Node, want bool, st site) (out [][]value.Value) {
	body := n.Get(syntax.FExpr)
	all := (n.Op() == syntax.KwForall) == want
	if all {
		against, _ := s.against(n, want, st, 12)
		s.rng.Shuffle(len(against), func(i, j int) { against[i], against[j] = against[j], against[i] })
		for _, in := range against[:min(len(against), 3)] {
			out = append(out, s.want(body, want, in)...)
		}
	} else {
		var sites []site
		s.bindings(n, st, func(in site) bool {
			sites = append(sites, in)
			return true
		})
		s.rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
		for _, in := range sites[:min(len(sites), 6)] {
			out = append(out, s.want(body, want, in)...)
		}
	}
	// Order is repaired as a whole.
	seen := map[string]bool{}
	body.Walk(func(c syntax.Node) bool {
		if c.Kind() != syntax.Index || seen[c.Get(syntax.FExpr).Text()] || len(seen) > 4 {
			return true
		}
		x := c.Get(syntax.FExpr)
		seen[x.Text()] = true
		l, ok := st.scene.Eval(x).(*value.List)
		if !ok || len(l.Elems) < 2 || !all {
			return true
		}
		sorted := slices.Clone(l.Elems)
		sortValues(sorted)
		for _, vs := range [][]value.Value{sorted, distinct(sorted), reversed(sorted), slices.Repeat(sorted[:1], len(sorted))} {
			out = append(out, s.set(x, &value.List{Of: l.Of, Elems: vs}, st)...)
		}
		return true
	})
	return out
}

func reversed(vs []value.Value) []value.Value {
	vs = slices.Clone(vs)
	slices.Reverse(vs)
	return vs
}

// relate proposes changes after which two expressions are related by a comparison.
func (s *steerer) relate(op syntax.TokenKind, l, r syntax.Node, a, b value.Value, st site) (out [][]value.Value) {
	x, ok := a.(value.Int)
	y, ok2 := b.(value.Int)
	if !ok || !ok2 {
		if op == syntax.Ne {
			return append(s.anew(l, st), s.anew(r, st)...)
		}
		if b.Kind() != value.KUnspecified {
			out = append(out, s.set(l, b, st)...)
		}
		if a.Kind() != value.KUnspecified {
			out = append(out, s.set(r, a, st)...)
		}
		if ok || ok2 { // the other has no value: an index out of range, a division by zero
			out = append(out, s.lengthen(l, st)...)
			out = append(out, s.lengthen(r, st)...)
		}
		return out
	}
	off := func(i value.Int, n int) value.Int { return i.Add(value.Small(int64(n), value.IntT)) }
	more := 1 + s.rng.IntN(5)
	switch op {
	case syntax.EqEq, syntax.ExtEq, syntax.DeepEq:
		out = append(s.set(l, y, st), s.set(r, x, st)...)
	case syntax.Ne:
		for _, d := range []int{1, -1, more} {
			out = append(out, s.set(l, off(y, d), st)...)
			out = append(out, s.set(r, off(x, d), st)...)
		}
	case syntax.Lt, syntax.Le:
		d := 0
		if op == syntax.Lt {
			d = 1
		}
		for _, d := range []int{d, d + more} {
			out = append(out, s.set(l, off(y, -d), st)...)
			out = append(out, s.set(r, off(x, d), st)...)
		}
		if y.Sign() > 0 {
			out = append(out, s.set(l, s.below(y), st)...)
		}
	case syntax.Gt, syntax.Ge:
		return s.relate(map[syntax.TokenKind]syntax.TokenKind{syntax.Gt: syntax.Lt, syntax.Ge: syntax.Le}[op], r, l, b, a, st)
	}
	return out
}

// below draws a number from 0 to n-1 for a positive n.
func (s *steerer) below(n value.Int) value.Int {
	if small, ok := n.Int64(); ok {
		return value.Small(s.rng.Int64N(small), value.IntT)
	}
	_, r := value.Big(n.Big(), value.IntT).DivMod(value.Small(math.MaxInt64, value.IntT))
	return r
}

// lengthen proposes longer sequences where an index in an expression is out of range.
func (s *steerer) lengthen(n syntax.Node, st site) (out [][]value.Value) {
	n.Walk(func(c syntax.Node) bool {
		if c.Kind() != syntax.Index || len(out) > 4 {
			return len(out) <= 4
		}
		l, ok := st.scene.Eval(c.Get(syntax.FExpr)).(*value.List)
		i, ok2 := st.scene.Eval(c.Get(syntax.FIndex)).(value.Int)
		if !ok || !ok2 {
			return true
		}
		if k, fits := i.Int64(); fits && k >= int64(len(l.Elems)) && k < longLen {
			if longer := s.resize(l, int(k)+1, s.typeOf(c.Get(syntax.FExpr), st)); longer != nil {
				out = append(out, s.set(c.Get(syntax.FExpr), longer, st)...)
			}
		}
		if len(l.Elems) > 0 {
			out = append(out, s.set(c.Get(syntax.FIndex), value.Small(int64(s.rng.IntN(len(l.Elems))), value.IntT), st)...)
		}
		return true
	})
	return out
}

// resize makes a sequence of another length; nil if its elements' type is not known.
func (s *steerer) resize(l *value.List, n int, t *value.Type) *value.List {
	vs := slices.Clone(l.Elems)
	for len(vs) < n {
		var v value.Value
		if t != nil && len(t.Args) > 0 {
			v = s.gen.draw(t.Args[0], 1)
		} else if len(vs) > 0 {
			v = vs[s.rng.IntN(len(vs))]
		}
		if v == nil {
			return nil
		}
		vs = append(vs, v)
	}
	return &value.List{Of: l.Of, Elems: vs[:n]}
}

// typeOf is the type of an expression; nil if it is not known.
func (s *steerer) typeOf(n syntax.Node, st site) *value.Type {
	n = plain(n)
	arg := func(t *value.Type, i int) *value.Type {
		if t != nil && i < len(t.Args) {
			return t.Args[i]
		}
		return nil
	}
	switch n.Kind() {
	case syntax.Path:
		return st.lenses[name(n)].typ
	case syntax.Call:
		if n.Get(syntax.FCallee).Text() == "old" {
			return s.typeOf(n.Get(syntax.FArgs).Get(syntax.FExpr), st)
		}
	case syntax.FieldExpr, syntax.Arrow:
		t := s.typeOf(n.Get(syntax.FExpr), st)
		if t == nil {
			return nil
		}
		field := word(n.Get(syntax.FName))
		if t.Kind == value.TTuple {
			if i, err := strconv.Atoi(field); err == nil {
				return arg(t, i)
			}
			return nil
		}
		variant := ""
		if d, ok := st.scene.Eval(n.Get(syntax.FExpr)).(*value.Data); ok {
			variant = d.Variant
		}
		if sh, ok := s.shape(t, variant); ok {
			if i := fieldAt(sh.Names, len(sh.Types), variant, field); i >= 0 {
				return sh.Types[i]
			}
		}
	case syntax.View:
		t := s.typeOf(n.Get(syntax.FExpr), st)
		if t != nil && t.Kind == value.TData && (t.Name == "Ghost" || t.Name == "Tracked") {
			return arg(t, 0)
		}
		if t != nil && t.Kind != value.TData {
			return t
		}
	case syntax.Index:
		if t := s.typeOf(n.Get(syntax.FExpr), st); t != nil && t.Kind == value.TList {
			return arg(t, 0)
		}
	case syntax.MethodCall:
		t := s.typeOf(n.Get(syntax.FReceiver), st)
		switch word(n.Get(syntax.FName)) {
		case "view", "take", "skip", "subrange", "drop_last", "drop_first", "push", "reverse":
			return t
		case "last", "first", "unwrap", "get_Some_0", "get_Ok_0", "get":
			if t != nil && t.Kind != value.TTuple {
				return arg(t, 0)
			}
		}
	case syntax.Cast:
		return st.scene.Type(n.Get(syntax.FType))
	}
	if i, ok := st.scene.Eval(n).(value.Int); ok && i.Type != value.Any {
		return &value.Type{Kind: value.TInt, Int: i.Type}
	}
	return nil
}

// fieldAt finds a field by name or index, also behind the variant's name (Some_0).
func fieldAt(names []string, n int, variant, field string) int {
	for _, f := range []string{field, strings.TrimPrefix(field, variant+"_")} {
		if i := slices.Index(names, f); i >= 0 {
			return i
		}
		if i, err := strconv.Atoi(f); err == nil && names == nil && i >= 0 && i < n {
			return i
		}
	}
	return -1
}

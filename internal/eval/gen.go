package eval

import (
	"math/big"
	"slices"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// generator makes small values of types, simplest first, always the same.
type generator struct {
	w *World
	m *machine
	// like is another version of the world, or nil: what is there too goes first.
	like *World
	// hints are numbers that occur in the contracts.
	hints []value.Int
	chars []value.Value
	// tables are the values of types that stand for type parameters (see generator.table).
	tables map[string][]value.Value
	depth  int
}

const maxGenDepth = 5

// maxEdits bounds how many small changes of one struct are made.
const maxEdits = 48

// values gives up to n values of a type; none if it has none that can be made.
func (g *generator) values(t *value.Type, n int) []value.Value {
	if t == nil || n <= 0 || g.depth > maxGenDepth || g.m.tick(1) {
		return nil
	}
	g.depth++
	out := g.make(t, n)
	g.depth--
	if len(out) > n {
		out = out[:n]
	}
	return out
}

func (g *generator) make(t *value.Type, n int) []value.Value {
	switch t.Kind {
	case value.TBool:
		return []value.Value{value.Bool(false), value.Bool(true)}
	case value.TInt:
		return g.ints(t.Int, n)
	case value.TChar:
		out := []value.Value{value.Char('a'), value.Char('b'), value.Char('0')}
		out = append(out, g.chars...)
		out = append(out, value.Char('Z'), value.Char(' '), value.Char('z'), value.Char('9'), value.Char('A'))
		return distinct(out)
	case value.TReal:
		var out []value.Value
		for _, r := range [][2]int64{{0, 1}, {1, 1}, {1, 2}, {-1, 1}, {2, 1}} {
			out = append(out, value.Real{R: big.NewRat(r[0], r[1])})
		}
		return out
	case value.TTuple:
		return g.products(t.Args, n, func(vs []value.Value) value.Value { return value.Tuple(vs) })
	case value.TList:
		if len(t.Args) == 0 {
			return nil
		}
		return g.lists(t, n)
	case value.TSet, value.TMultiset:
		var out []value.Value
		for _, l := range g.lists(listOf(value.Seq, t.Args[0]), n*2) {
			elems := l.(*value.List).Elems
			if t.Kind == value.TSet {
				if s, ok := value.NewSet(elems); ok {
					out = append(out, s)
				}
			} else if s, ok := value.NewMultiset(elems); ok {
				out = append(out, s)
			}
		}
		return distinct(out)
	case value.TMap:
		if len(t.Args) != 2 {
			return nil
		}
		out := []value.Value{&value.Map{}}
		keys, vals := g.values(t.Args[0], 3), g.values(t.Args[1], 3)
		for _, k := range keys {
			for _, v := range vals {
				if value.Exact(k) {
					out = append(out, (&value.Map{}).With(k, v))
				}
			}
		}
		if len(keys) >= 2 && value.Exact(keys[0]) && value.Exact(keys[1]) {
			for _, a := range vals {
				for _, b := range vals {
					out = append(out, (&value.Map{}).With(keys[0], a).With(keys[1], b))
				}
			}
		}
		return out
	case value.TData:
		return g.data(t, n)
	}
	return nil
}

func distinct(vs []value.Value) []value.Value {
	seen := map[string]bool{}
	out := vs[:0:0]
	for _, v := range vs {
		k, ok := value.Key(v)
		if ok && seen[k] {
			continue
		}
		seen[k] = true
		out = append(out, v)
	}
	return out
}

func (g *generator) ints(t value.IntType, n int) []value.Value {
	var out []value.Value
	add := func(i value.Int) {
		// usize is taken as wide as every platform has it.
		if i.In(t, 32) {
			out = append(out, i.As(t))
		}
	}
	small := func(n int64) { add(value.Small(n, value.IntT)) }
	for _, i := range []int64{0, 1, 2, -1, 3} {
		small(i)
	}
	one := value.Small(1, value.IntT)
	for _, h := range g.hints {
		if len(out) > 24 {
			break
		}
		add(h)
		add(h.Sub(one))
		add(h.Add(one))
	}
	for _, i := range []int64{5, -2, 7} {
		small(i)
	}
	lo, hi := t.Limits(32)
	if hi != nil {
		add(*hi)
		add(hi.Sub(one))
	}
	if lo != nil {
		add(*lo)
		add(lo.Add(one))
	}
	out = distinct(out)
	if n < len(out) && n >= 8 && hi != nil {
		// The limits matter more than one more number in the middle.
		out = append(out[:n-2:n-2], hi.As(t), lo.As(t))
	}
	return out
}

func (g *generator) lists(t *value.Type, n int) []value.Value {
	elems := g.values(t.Args[0], 6)
	make := func(vs ...value.Value) value.Value { return &value.List{Of: t.List, Elems: vs} }
	if t.List == value.Array {
		if t.Len < 0 || t.Len > 64 {
			return nil
		}
		if t.Len == 0 {
			return []value.Value{make()}
		}
		if len(elems) == 0 {
			return nil
		}
		// Arrays of arrays of arrays may be as large as one likes.
		const maxParts = 5000
		if value.Weight(elems[0], maxParts)*t.Len > maxParts {
			return nil
		}
		var out []value.Value
		for _, e := range elems {
			vs := []value.Value{}
			for range t.Len {
				vs = append(vs, e)
			}
			out = append(out, make(vs...))
		}
		vs := []value.Value{}
		for i := range t.Len {
			vs = append(vs, elems[i%len(elems)])
		}
		out = append(out, make(vs...))
		return distinct(out)
	}
	out := []value.Value{make()}
	for _, e := range elems {
		out = append(out, make(e))
	}
	few := elems[:min(len(elems), 3)]
	for _, a := range few {
		for _, b := range few {
			out = append(out, make(a, b))
		}
	}
	two := elems[:min(len(elems), 2)]
	for _, a := range few {
		for _, b := range two {
			for _, c := range two {
				out = append(out, make(a, b, c))
			}
		}
	}
	if len(elems) >= 4 {
		out = append(out, make(elems[0], elems[1], elems[2], elems[3]), make(elems[3], elems[1], elems[2], elems[1], elems[0]))
	}
	if len(out) > n && n > 12 {
		// Keep some of every length.
		var kept []value.Value
		for i, v := range out {
			if i < n*2/3 || (len(out)-i) <= n-n*2/3 {
				kept = append(kept, v)
			}
		}
		out = kept
	}
	return out
}

// products combines values of several types, those of small positions first.
func (g *generator) products(types []*value.Type, n int, build func([]value.Value) value.Value) []value.Value {
	pools := make([][]value.Value, len(types))
	each := 4
	switch len(types) {
	case 1:
		each = n
	case 2:
		each = 12
	case 3:
		each = 8
	}
	for i, t := range types {
		if pools[i] = g.values(t, each); len(pools[i]) == 0 {
			return nil
		}
	}
	var out []value.Value
	Diagonal(pools, func(vs []value.Value) bool {
		out = append(out, build(slices.Clone(vs)))
		return len(out) < n && !g.m.tick(1)
	})
	return out
}

// Diagonal goes through all combinations of one value from each pool, those with a small sum of positions first, until visit says
// false. vs is reused.
func Diagonal(pools [][]value.Value, visit func(vs []value.Value) bool) {
	total := 0
	for _, p := range pools {
		if len(p) == 0 {
			return
		}
		total += len(p) - 1
	}
	vs := make([]value.Value, len(pools))
	left := make([]int, len(pools)+1) // how much the pools from i on can take
	for i := len(pools) - 1; i >= 0; i-- {
		left[i] = left[i+1] + len(pools[i]) - 1
	}
	var walk func(i, sum int) bool
	walk = func(i, sum int) bool {
		if i == len(pools) {
			return visit(vs)
		}
		for k := max(0, sum-left[i+1]); k <= min(sum, len(pools[i])-1); k++ {
			vs[i] = pools[i][k]
			if !walk(i+1, sum-k) {
				return false
			}
		}
		return true
	}
	for sum := 0; sum <= total; sum++ {
		if !walk(0, sum) {
			return
		}
	}
}

func (g *generator) data(t *value.Type, n int) []value.Value {
	one := func(variant string, names []string, types []*value.Type, n int) []value.Value {
		if len(types) == 0 {
			return []value.Value{&value.Data{Type: t.Name, Variant: variant, Names: names}}
		}
		return g.products(types, n, func(vs []value.Value) value.Value {
			return &value.Data{Type: t.Name, Variant: variant, Names: names, Fields: vs}
		})
	}
	switch t.Name {
	case "Option":
		return append([]value.Value{value.None()}, one("Some", nil, t.Args, n-1)...)
	case "Result":
		if len(t.Args) != 2 {
			return nil
		}
		return interleave(one("Ok", nil, t.Args[:1], n), one("Err", nil, t.Args[1:], n))
	case "Ghost", "Tracked":
		return one("", nil, t.Args, n)
	}
	if vs := g.tables[t.Name]; vs != nil {
		return vs
	}
	d := g.w.types[t.Name]
	if d == nil || hasAttr(d.node, "external_body") || hasAttr(d.node, "external") {
		return nil
	}
	var out []value.Value
	switch d.kind {
	case defStruct:
		c := structCtor(g.w, d)
		names, _ := c.fields()
		out = one("", names, fieldTypes(g.w, t, ""), n*2)
	case defEnum:
		var lists [][]value.Value
		for v := range d.node.All(syntax.FVariant) {
			c := variantCtor(g.w, d, v)
			names, _ := c.fields()
			lists = append(lists, one(c.variant, names, fieldTypes(g.w, t, c.variant), n))
		}
		out = interleave(lists...)
	}
	if len(g.w.invariants) == 0 {
		return out
	}
	kept := out[:0:0]
	for _, v := range out {
		if g.m.valid(g.w, v) == value.True {
			kept = append(kept, v)
		}
	}
	return kept
}

func interleave(lists ...[]value.Value) []value.Value {
	var out []value.Value
	for i := 0; ; i++ {
		more := false
		for _, l := range lists {
			if i < len(l) {
				out = append(out, l[i])
				more = true
			}
		}
		if !more {
			return out
		}
	}
}

// around gives up to n values of a type for the place of a result: first those that are made from parts of the input.
func (g *generator) around(t *value.Type, input []value.Value, n int) []value.Value {
	if t == nil || g.depth > maxGenDepth || g.m.tick(1) {
		return nil
	}
	g.depth++
	defer func() { g.depth-- }()
	var out []value.Value
	switch t.Kind {
	case value.TInt:
		var seen []value.Int
		collectInts(input, &seen, 0)
		one := value.Small(1, value.IntT)
		var near []value.Value
		add := func(i value.Int) {
			if i.In(t.Int, 32) {
				near = append(near, i.As(t.Int))
			}
		}
		for _, i := range seen {
			add(i)
			add(i.Add(one))
			add(i.Sub(one))
		}
		for i := 0; i < len(seen) && i < 3; i++ {
			for j := i + 1; j < len(seen) && j < 4; j++ {
				add(seen[i].Add(seen[j]))
				add(seen[i].Sub(seen[j]))
			}
		}
		out = interleave(g.ints(t.Int, 12), near)
	case value.TList:
		var near []value.Value
		for _, v := range input {
			near = append(near, g.edits(v, t, input)...)
		}
		out = interleave(near, g.values(t, n))
	case value.TTuple:
		pools := make([][]value.Value, len(t.Args))
		for i, a := range t.Args {
			if pools[i] = g.around(a, input, 8); len(pools[i]) == 0 {
				return nil
			}
		}
		Diagonal(pools, func(vs []value.Value) bool {
			out = append(out, value.Tuple(slices.Clone(vs)))
			return len(out) < n
		})
	case value.TData:
		var near []value.Value
		for _, v := range input {
			if d, ok := v.(*value.Data); ok && d.Type == t.Name {
				near = append(near, g.edits(d, t, input)...)
			}
		}
		var parts []value.Value
		switch {
		case t.Name == "Option" && len(t.Args) == 1:
			parts = append(parts, value.None())
			for _, x := range g.around(t.Args[0], input, n) {
				parts = append(parts, value.Some(x))
			}
		case t.Name == "Result" && len(t.Args) == 2:
			var oks, errs []value.Value
			for _, x := range g.around(t.Args[0], input, n) {
				oks = append(oks, &value.Data{Type: "Result", Variant: "Ok", Fields: []value.Value{x}})
			}
			for _, x := range g.around(t.Args[1], input, n) {
				errs = append(errs, &value.Data{Type: "Result", Variant: "Err", Fields: []value.Value{x}})
			}
			parts = interleave(oks, errs)
		default:
			parts = g.values(t, n)
		}
		out = interleave(parts, near)
	default:
		out = g.values(t, n)
	}
	g.m.tick(len(out))
	out = distinct(out)
	if len(out) > n {
		out = out[:n]
	}
	return out
}

func collectInts(vs []value.Value, out *[]value.Int, depth int) {
	for i, v := range vs {
		if len(*out) >= 10 || depth > 4 || i > 8 {
			return
		}
		switch v := v.(type) {
		case value.Int:
			*out = append(*out, v)
		case value.Tuple:
			collectInts(v, out, depth+1)
		case *value.Data:
			collectInts(v.Fields, out, depth+1)
		case *value.List:
			*out = append(*out, value.Small(int64(len(v.Elems)), value.IntT))
			collectInts(v.Elems, out, depth+1)
		}
	}
}

// edits gives the value itself and small changes of it.
func (g *generator) edits(v value.Value, t *value.Type, input []value.Value) []value.Value {
	if t == nil || g.depth > maxGenDepth || g.m.tick(1) {
		return nil
	}
	g.depth++
	defer func() { g.depth-- }()
	out := []value.Value{v}
	switch v := v.(type) {
	case *value.List:
		if t.Kind != value.TList || len(t.Args) == 0 {
			return nil
		}
		if v.Of != t.List {
			v = &value.List{Of: t.List, Elems: v.Elems}
			out[0] = v
		}
		l := func(vs ...value.Value) { out = append(out, &value.List{Of: t.List, Elems: vs}) }
		n := len(v.Elems)
		fixed := t.List == value.Array
		elems := g.around(t.Args[0], input, 6)
		if !fixed {
			for _, e := range elems {
				l(append(slices.Clone(v.Elems), e)...)
			}
			if n > 0 {
				l(slices.Clone(v.Elems[:n-1])...)
				l(slices.Clone(v.Elems[1:])...)
				l()
			}
		}
		if n > 1 {
			r := slices.Clone(v.Elems)
			slices.Reverse(r)
			l(r...)
			s := slices.Clone(v.Elems)
			s[0], s[1] = s[1], s[0]
			l(s...)
			l(append(slices.Clone(v.Elems[1:]), v.Elems[0])...)
		}
		for i := 0; i < n && i < 3; i++ {
			for j, e := range elems {
				if j > 2 {
					break
				}
				c := slices.Clone(v.Elems)
				c[i] = e
				l(c...)
			}
		}
		if !fixed && n > 0 {
			for _, e := range elems[:min(len(elems), 3)] {
				l(append([]value.Value{e}, v.Elems...)...)
			}
			// One element more and another one changed.
			for _, e := range elems[:min(len(elems), 3)] {
				for _, c := range elems[:min(len(elems), 3)] {
					l(append(append([]value.Value{c}, v.Elems[1:]...), e)...)
				}
			}
		}
		return distinct(out)
	case *value.Data:
		if t.Kind != value.TData {
			return nil
		}
		types := fieldTypes(g.w, t, v.Variant)
		if len(types) != len(v.Fields) {
			return nil
		}
		changed := make([][]value.Value, len(types))
		for i := range types {
			changed[i] = g.edits(v.Fields[i], types[i], input)
		}
		with := func(i int, f value.Value, j int, f2 value.Value) {
			fs := slices.Clone(v.Fields)
			fs[i] = f
			if j >= 0 {
				fs[j] = f2
			}
			out = append(out, &value.Data{Type: v.Type, Variant: v.Variant, Names: v.Names, Fields: fs})
		}
		var single [][]value.Value
		for i := range types {
			mark := len(out)
			for _, f := range changed[i] {
				with(i, f, -1, nil)
			}
			single = append(single, slices.Clone(out[mark:]))
			out = out[:mark]
		}
		out = append(out, interleave(single...)...)
		out = out[:min(len(out), maxEdits)]
		for i := range types {
			if len(types) > 4 {
				break // too many pairs
			}
			for j := i + 1; j < len(types); j++ {
				for a := 1; a < len(changed[i]) && a < 5; a++ {
					for b := 1; b < len(changed[j]) && b < 5; b++ {
						with(i, changed[i][a], j, changed[j][b])
					}
				}
			}
		}
		if d := g.w.types[t.Name]; d == nil || d.kind == defEnum {
			out = interleave(out, g.values(t, 8))
		}
		g.m.tick(len(out) * (1 + len(types)))
		return distinct(out[:min(len(out), 3*maxEdits)])
	case value.Tuple:
		if t.Kind != value.TTuple || len(t.Args) != len(v) {
			return nil
		}
		for i := range v {
			for _, f := range g.edits(v[i], t.Args[i], input) {
				c := slices.Clone(v)
				c[i] = f
				out = append(out, c)
			}
		}
		return distinct(out)
	}
	if sameHead(v, t) || headOfValue(v) == headOf(t) {
		return distinct(append(out, g.around(t, append([]value.Value{v}, input...), 10)...))
	}
	return nil
}

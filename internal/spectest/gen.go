package spectest

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/value"
)

const (
	// noDepth is the depth of a type without values.
	noDepth = 1000
	// maxNest bounds how deep values are nested.
	maxNest = 6
	// shortLen and longLen are the greatest usual length of a sequence and the greatest of all.
	shortLen, longLen = 8, 20
	// maxArray is the greatest length of an array that is made.
	maxArray = 256
)

// makeable tells why no values of a type can be made.
func (t *Target) makeable(typ *value.Type) error {
	if typ == nil {
		return unsupported("a type that is not understood")
	}
	switch typ.Kind {
	case value.TFn:
		return unsupported("it is a function")
	case value.TParam:
		return unsupported("what %s stands for is not known", typ)
	case value.TReal, value.TBool, value.TInt, value.TChar:
		return nil
	case value.TList:
		if typ.List == value.Array && (typ.Len < 0 || typ.Len > maxArray) {
			return unsupported("an array whose length is not known, or more than %d", maxArray)
		}
		if leastParts(typ, 0) > maxParts {
			return unsupported("nested arrays with more than %d parts", maxParts)
		}
	case value.TData:
		if t.depth(typ) < noDepth {
			return nil
		}
		if err := t.cause(typ, map[string]bool{}); err != nil {
			return err
		}
		return unsupported("no finite value of the type %s can be made", typ)
	}
	for _, a := range typ.Args {
		if err := t.makeable(a); err != nil {
			return err
		}
	}
	return nil
}

// leastParts is how many parts a value of arrays within arrays has at least; a little more than maxParts stands for all that have more.
func leastParts(typ *value.Type, nest int) int {
	if typ == nil || typ.Kind != value.TList || typ.List != value.Array || typ.Len <= 0 || nest > maxPartsNest {
		return 1
	}
	return min(1+typ.Len*leastParts(typ.Args[0], nest+1), maxParts+1)
}

const maxPartsNest = 64

// cause finds what it is, in a type of which no value can be made, that cannot; nil if it is only that the type holds itself.
func (t *Target) cause(typ *value.Type, seen map[string]bool) error {
	switch {
	case typ == nil || t.depth(typ) < noDepth:
		return nil
	case typ.Kind != value.TData:
		if len(typ.Args) == 0 || typ.List == value.Array && (typ.Len < 0 || typ.Len > maxArray) {
			return t.makeable(typ)
		}
		for _, a := range typ.Args {
			if err := t.cause(a, seen); err != nil {
				return err
			}
		}
		return nil
	}
	key := typeKey(typ)
	if seen[key] || len(seen) > maxTypes {
		return nil
	}
	seen[key] = true
	shapes, err := t.judge.Shapes(typ)
	if err != nil {
		return err
	}
	for _, s := range shapes {
		for _, f := range s.Types {
			if err := t.cause(f, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// depth is how deep the flattest value of a type is nested; noDepth if it has none.
func (t *Target) depth(typ *value.Type) int {
	if typ == nil {
		return noDepth
	}
	switch typ.Kind {
	case value.TFn, value.TParam:
		return noDepth
	case value.TTuple:
		return t.deepest(typ.Args)
	case value.TList:
		if e := typ.Args[0]; e.Kind == value.TFn || e.Kind == value.TParam {
			return noDepth // the empty one is of no use
		}
		if typ.List == value.Array {
			switch {
			case typ.Len < 0 || typ.Len > maxArray:
				return noDepth
			case typ.Len > 0:
				return t.deepest(typ.Args)
			}
		}
		return 0
	case value.TData:
		key := typeKey(typ)
		if _, known := t.depths[key]; !known {
			if len(t.depths) > 8*maxTypes {
				return noDepth
			}
			t.solve(typ)
		}
		return t.depths[key]
	}
	return 0
}

// deepest is the depth of what is made of a value of each type.
func (t *Target) deepest(types []*value.Type) int {
	d := 0
	for _, f := range types {
		d = max(d, t.depth(f))
	}
	return min(d+1, noDepth)
}

// typeKey tells types apart.
func typeKey(typ *value.Type) string {
	if typ == nil {
		return "?"
	}
	key := typ.String() + "|" + typ.Name
	if typ.Kind == value.TList && typ.List == value.Array {
		key += strconv.Itoa(typ.Len)
	}
	for _, a := range typ.Args {
		key += "|" + typeKey(a)
	}
	return key
}

const (
	// maxTypes bounds how many types one leads to are looked at, maxTypeParts how large they are: generic types may hold ever larger ones.
	maxTypes     = 300
	maxTypeParts = 64
)

// solve finds the depths of a type and of all those that it holds, which may hold one another: they are taken to have no values until
// one is found.
func (t *Target) solve(typ *value.Type) {
	type entry struct {
		key    string
		shapes []eval.Shape
	}
	var found []entry
	var visit func(typ *value.Type)
	visit = func(typ *value.Type) {
		if typ == nil {
			return
		}
		for _, a := range typ.Args {
			visit(a)
		}
		if typ.Kind != value.TData {
			return
		}
		if typeParts(typ, maxTypeParts) >= maxTypeParts {
			return
		}
		key := typeKey(typ)
		if _, known := t.depths[key]; known || len(found) >= maxTypes {
			return
		}
		t.depths[key] = noDepth
		shapes, err := t.judge.Shapes(typ)
		if err != nil {
			return
		}
		found = append(found, entry{key, shapes})
		for _, s := range shapes {
			for _, f := range s.Types {
				visit(f)
			}
		}
	}
	visit(typ)
	if _, known := t.depths[typeKey(typ)]; !known {
		t.depths[typeKey(typ)] = noDepth
	}
	for changed := true; changed; {
		changed = false
		for _, e := range found {
			for _, s := range e.shapes {
				if d := t.deepest(s.Types); d < t.depths[e.key] {
					t.depths[e.key], changed = d, true
				}
			}
		}
	}
}

func typeParts(typ *value.Type, limit int) int {
	n := 1
	for _, a := range typ.Args {
		if n >= limit {
			break
		}
		if a != nil {
			n += typeParts(a, limit-n)
		}
	}
	return n
}

// generator draws values at random.
type generator struct {
	t   *Target
	rng *rand.Rand
	// seen are integers of the input that is being made: equal numbers at several places are what contracts speak of.
	seen []value.Int
	// left is how many parts the values that are being made may still have.
	left int
}

// maxParts bounds how many parts an input has: nested arrays can have any number.
const maxParts = 5000

func (g *generator) chance(percent int) bool { return g.rng.IntN(100) < percent }

// input draws all arguments.
func (g *generator) input() []value.Value {
	g.seen = g.seen[:0]
	g.left = maxParts
	out := make([]value.Value, len(g.t.params))
	for i, p := range g.t.params {
		out[i] = g.value(p.Type, 0)
		if out[i] == nil {
			return nil
		}
	}
	return out
}

// draw a value of a type that is no part of an input being made; nil if it came upon a type that has none.
func (g *generator) draw(t *value.Type, nest int) value.Value {
	g.left = maxParts
	return g.value(t, nest)
}

// value draws a value of a type; nil if it came upon one that has none, or is too large.
func (g *generator) value(t *value.Type, nest int) value.Value {
	if g.left--; g.left < 0 {
		return nil
	}
	switch t.Kind {
	case value.TBool:
		return value.Bool(g.rng.IntN(2) == 0)
	case value.TInt:
		i := g.int(t.Int)
		if len(g.seen) < 16 {
			g.seen = append(g.seen, i)
		}
		return i
	case value.TChar:
		return g.char()
	case value.TReal:
		return value.Real{R: big.NewRat(int64(g.rng.IntN(13)-6), int64(1+g.rng.IntN(3)))}
	case value.TTuple:
		return g.all(t.Args, nest, func(vs []value.Value) value.Value { return value.Tuple(vs) })
	case value.TList:
		return g.list(t, nest)
	case value.TSet, value.TMultiset:
		l, ok := g.list(&value.Type{Kind: value.TList, List: value.Seq, Args: t.Args[:1]}, nest).(*value.List)
		if !ok {
			return nil
		}
		if t.Kind == value.TSet {
			if s, ok := value.NewSet(l.Elems); ok {
				return s
			}
			return nil
		}
		if s, ok := value.NewMultiset(l.Elems); ok {
			return s
		}
		return nil
	case value.TMap:
		m := &value.Map{}
		for range g.rng.IntN(4) {
			k, v := g.value(t.Args[0], nest+1), g.value(t.Args[1], nest+1)
			if k == nil || v == nil || !value.Exact(k) {
				return nil
			}
			m = m.With(k, v)
		}
		return m
	case value.TData:
		return g.data(t, nest)
	}
	return nil
}

func (g *generator) all(types []*value.Type, nest int, build func([]value.Value) value.Value) value.Value {
	vs := make([]value.Value, len(types))
	for i, a := range types {
		if vs[i] = g.value(a, nest+1); vs[i] == nil {
			return nil
		}
	}
	return build(vs)
}

// data draws a struct or a variant.
func (g *generator) data(t *value.Type, nest int) value.Value {
	shapes, err := g.t.judge.Shapes(t)
	if err != nil {
		return nil
	}
	var usable []eval.Shape
	for _, s := range shapes {
		if d := g.t.deepest(s.Types); d < noDepth && nest+d <= maxNest {
			usable = append(usable, s)
		}
	}
	if len(usable) == 0 {
		// Too deep already: the flattest there is.
		for _, s := range shapes {
			if g.t.deepest(s.Types) == g.t.depth(t) && nest < 3*maxNest {
				usable = append(usable, s)
				break
			}
		}
	}
	if len(usable) == 0 {
		return nil
	}
	if nest > 0 && g.t.judge.Invariant(t) { // of arguments themselves it is a demand like any other
		if vs := g.valid(t); len(vs) > 0 {
			return vs[g.rng.IntN(len(vs))]
		}
	}
	return g.shape(t, usable[g.rng.IntN(len(usable))], nest)
}

const (
	// maxValid is how many values are made of a type with an invariant, for places inside of others; validTries from how many.
	maxValid, validTries = 24, 60
	validSteps           = 400_000
)

// valid gives values of a type that meet its invariant. It is empty while they are being made, for types that hold themselves.
func (g *generator) valid(t *value.Type) []value.Value {
	key := typeKey(t)
	if vs, known := g.t.valid[key]; known {
		return vs
	}
	g.t.valid[key] = nil
	purpose := "valid " + key
	s := g.t.steerer(0, purpose)
	s.types = []*value.Type{t}
	s.ask = func(args []value.Value, steps int) []eval.Demand { return g.t.judge.Invariants(args[0], steps) }
	var out []value.Value
	for range validTries {
		v := s.gen.draw(t, 0)
		if v == nil || len(out) >= maxValid || s.steps > validSteps {
			break
		}
		if got, ok := s.climb(context.Background(), []value.Value{v}, s.steps+validSteps/8); ok && g.t.judge.Valid(got[0]) == value.True {
			out = append(out, got[0])
		}
	}
	g.t.valid[key] = distinct(out)
	return g.t.valid[key]
}

func (g *generator) shape(t *value.Type, s eval.Shape, nest int) value.Value {
	return g.all(s.Types, nest, func(vs []value.Value) value.Value {
		if len(vs) == 0 {
			vs = nil
		}
		return &value.Data{Type: t.Name, Variant: s.Variant, Names: s.Names, Fields: vs}
	})
}

// int draws an integer: small, near a literal of the code, near a limit, seen before, or of any size.
func (g *generator) int(t value.IntType) value.Int {
	bits := g.t.judge.SizeBits()
	lo, hi := t.Limits(bits)
	size := t == value.USize || t == value.ISize
	for {
		var i value.Int
		switch r := g.rng.IntN(100); {
		case r < 35 || size && r < 60:
			i = value.Small(int64(g.rng.IntN(11))-g.negative(t), value.IntT)
		case r < 55 && len(g.t.lits.Ints) > 0:
			i = g.t.lits.Ints[g.rng.IntN(len(g.t.lits.Ints))].Add(value.Small(int64(g.rng.IntN(3))-1, value.IntT))
		case r < 65 && len(g.seen) > 0:
			i = g.seen[g.rng.IntN(len(g.seen))].Add(value.Small(int64(g.rng.IntN(3))-1, value.IntT))
		case r < 78 && hi != nil:
			i = *hi
			if g.chance(40) {
				i = *lo
			}
			i = i.Add(value.Small(int64(g.rng.IntN(5))-2, value.IntT))
		case r < 84:
			i = value.Small(int64(g.rng.IntN(200))-10*g.negative(t), value.IntT)
		default:
			width := 1 + g.rng.IntN(max(t.Bits(bits), 40))
			n := new(big.Int).SetUint64(g.rng.Uint64())
			n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(g.rng.Uint64()))
			n.Rsh(n, uint(128-min(width, 128)))
			if g.negative(t) > 0 && g.chance(50) {
				n.Neg(n)
			}
			i = value.Big(n, value.IntT)
		}
		if i.In(t, bits) {
			return i.As(t)
		}
	}
}

// negative is what is taken off a small number so that some of a signed type are negative.
func (g *generator) negative(t value.IntType) int64 {
	if t.Signed() || t == value.IntT {
		return 4
	}
	return 0
}

const plainChars = "abzAZ09 -_\n"

func (g *generator) char() value.Value {
	switch r := g.rng.IntN(100); {
	case r < 30 && len(g.t.lits.Chars) > 0:
		return value.Char(g.t.lits.Chars[g.rng.IntN(len(g.t.lits.Chars))])
	case r < 60:
		return value.Char(plainChars[g.rng.IntN(len(plainChars))])
	case r < 90:
		return value.Char(rune(' ' + g.rng.IntN(95)))
	}
	return value.Char([]rune{'é', '字', '\x00', '\u00df', '\U0001f600', '\u007f'}[g.rng.IntN(6)])
}

// length draws how long a sequence is: every short length alike, longer ones now and then.
func (g *generator) length(nest int) int {
	switch {
	case nest > 2:
		return g.rng.IntN(2)
	case nest > 0:
		return g.rng.IntN(4)
	case g.chance(8):
		return shortLen + 1 + g.rng.IntN(longLen-shortLen)
	}
	return g.rng.IntN(shortLen + 1)
}

// list draws a sequence: of any elements, of one, of few, sorted either way, without two alike, a permutation.
func (g *generator) list(t *value.Type, nest int) value.Value {
	n := g.length(nest)
	if t.List == value.Array {
		if n = t.Len; n < 0 || n > maxArray {
			return nil
		}
	}
	if t.List == value.String && len(g.t.lits.Texts) > 0 && g.chance(30) {
		return value.Text(g.t.lits.Texts[g.rng.IntN(len(g.t.lits.Texts))])
	}
	if len(t.Args) == 0 {
		return nil
	}
	elem := t.Args[0]
	if nest+1 > maxNest && t.List != value.Array {
		n = 0
	}
	out := &value.List{Of: t.List, Elems: make([]value.Value, 0, n)}
	mode := g.rng.IntN(9)
	if mode == 0 && elem.Kind == value.TInt { // a permutation of the first numbers
		for _, i := range g.rng.Perm(n) {
			v := value.Small(int64(i), elem.Int)
			if !v.In(elem.Int, g.t.judge.SizeBits()) {
				break
			}
			out.Elems = append(out.Elems, v)
		}
		if len(out.Elems) == n {
			return out
		}
		out.Elems = out.Elems[:0]
	}
	few := n
	switch mode {
	case 1:
		few = 1
	case 2, 3:
		few = min(n, 2)
	}
	for i := range n {
		if i >= few {
			out.Elems = append(out.Elems, out.Elems[g.rng.IntN(few)])
			continue
		}
		v := g.value(elem, nest+1)
		if v == nil {
			return nil
		}
		out.Elems = append(out.Elems, v)
	}
	switch mode {
	case 3, 4, 5:
		sortValues(out.Elems)
	case 6:
		sortValues(out.Elems)
		if t.List != value.Array {
			out.Elems = compact(out.Elems)
		}
	case 7:
		sortValues(out.Elems)
		slices.Reverse(out.Elems)
	}
	return out
}

// compareValues is an order of values: of numbers, characters and truth values the usual one, of tuples, structs and sequences part by part.
func compareValues(a, b value.Value) int {
	parts := func(x, y []value.Value) int {
		for i := range min(len(x), len(y)) {
			if c := compareValues(x[i], y[i]); c != 0 {
				return c
			}
		}
		return len(x) - len(y)
	}
	switch a := a.(type) {
	case value.Int:
		if b, ok := b.(value.Int); ok {
			return a.Cmp(b)
		}
	case value.Char:
		if b, ok := b.(value.Char); ok {
			return int(a) - int(b)
		}
	case value.Tuple:
		if b, ok := b.(value.Tuple); ok {
			return parts(a, b)
		}
	case *value.List:
		if b, ok := b.(*value.List); ok {
			return parts(a.Elems, b.Elems)
		}
	case *value.Data:
		if b, ok := b.(*value.Data); ok && a.Type == b.Type && a.Variant == b.Variant {
			return parts(a.Fields, b.Fields)
		}
	}
	x, _ := value.Key(a)
	y, _ := value.Key(b)
	return strings.Compare(x, y)
}

func sortValues(vs []value.Value) { slices.SortStableFunc(vs, compareValues) }

// compact takes out what is equal to the element before.
func compact(vs []value.Value) []value.Value {
	return slices.CompactFunc(vs, func(a, b value.Value) bool { return compareValues(a, b) == 0 })
}

// every gives all values of a type, if there are no more than limit.
func (t *Target) every(typ *value.Type, limit, nest int) (vs []value.Value, ok bool) {
	if nest > maxNest {
		return nil, false
	}
	switch typ.Kind {
	case value.TBool:
		return []value.Value{value.Bool(false), value.Bool(true)}, limit >= 2
	case value.TInt:
		if typ.Int.Bits(64) != 8 || limit < 256 {
			return nil, false
		}
		lo, hi := typ.Int.Limits(64)
		for i := *lo; i.Cmp(*hi) <= 0; i = i.Add(value.Small(1, value.IntT)) {
			vs = append(vs, i.As(typ.Int))
		}
		return vs, true
	case value.TTuple:
		return t.everyOf(typ.Args, limit, nest, func(vs []value.Value) value.Value { return value.Tuple(vs) })
	case value.TList:
		if typ.List != value.Array || typ.Len < 0 || typ.Len > shortLen {
			return nil, false
		}
		return t.everyOf(slices.Repeat(typ.Args[:1], typ.Len), limit, nest, func(vs []value.Value) value.Value {
			return &value.List{Of: value.Array, Elems: vs}
		})
	case value.TData:
		shapes, err := t.judge.Shapes(typ)
		if err != nil {
			return nil, false
		}
		for _, s := range shapes {
			part, ok := t.everyOf(s.Types, limit-len(vs), nest, func(vs []value.Value) value.Value {
				if len(vs) == 0 {
					vs = nil
				}
				return &value.Data{Type: typ.Name, Variant: s.Variant, Names: s.Names, Fields: vs}
			})
			if !ok {
				return nil, false
			}
			vs = append(vs, part...)
		}
		return vs, len(vs) <= limit
	}
	return nil, false
}

func (t *Target) everyOf(types []*value.Type, limit, nest int, build func([]value.Value) value.Value) (out []value.Value, ok bool) {
	pools := make([][]value.Value, len(types))
	total := 1
	for i, a := range types {
		if pools[i], ok = t.every(a, limit, nest+1); !ok {
			return nil, false
		}
		if total *= len(pools[i]); total > limit {
			return nil, false
		}
	}
	if limit < 1 {
		return nil, false
	}
	eval.Diagonal(pools, func(vs []value.Value) bool {
		out = append(out, build(slices.Clone(vs)))
		return true
	})
	return out, true
}

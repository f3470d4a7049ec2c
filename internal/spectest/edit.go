package spectest

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"github.com/specgate/specgate/internal/value"
)

// Kind says how a wrong result was made from an observed one.
type Kind uint8

const (
	_           Kind = iota
	PlusOne          // a number, or a character's code, plus one
	MinusOne         // the same minus one
	Zero             // 0
	Negated          // -n
	Extreme          // the least or the greatest number of the type
	OtherResult      // what another input gave
	Argument         // an argument, or a part of one
	Literal          // a literal of the contract or the code
	Flipped          // true for false, false for true
	Swapped          // None for Some, Err for Ok, and the other way round
	Variant          // another variant of an enum
	Dropped          // an element left out
	Added            // an element more
	Duplicated       // an element twice
	Exchanged        // two elements changed for each other
	Reversed         // a sequence backwards
	Sorted           // a sequence in order
	Emptied          // a sequence without elements
	LeftAsItWas      // the value of a mutable reference before the call
	kindCount
)

var kindNames = [kindCount]string{"?", "plus-one", "minus-one", "zero", "negated", "extreme", "other-result", "argument", "literal", "flipped",
	"swapped", "other-variant", "dropped", "added", "duplicated", "exchanged", "reversed", "sorted", "emptied", "left-as-it-was"}

// String is the name of the kind, as reports have it.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return "?"
}

// Edit is a wrong result that was made from an observed one.
type Edit struct {
	Wrong Observed
	Kind  Kind
	// Where is the place of the edit: "result", "result.1", "self.items[0]".
	Where string
}

// sort is what takes turns: the kind and the place of an edit without indices, so that edits of different elements are of one sort.
func (e Edit) sort() string { return indices.ReplaceAllString(e.Where, "[]") + " " + e.Kind.String() }

var indices = regexp.MustCompile(`\[\d+\]`)

// Context is what the wrong results of one input are made with, besides what the function gave.
type Context struct {
	// Args of the call.
	Args []value.Value
	// Others is what the function gave for other inputs.
	Others []Observed
}

const (
	// maxEdits bounds the edits of one observed result.
	maxEdits = 400
	// maxResult is how many parts the largest result has that is edited; the evaluator does not look at larger ones.
	maxResult = 20_000
	// maxPart bounds the edits of one part of a result.
	maxPart = 48
	// maxEditNest bounds how deep parts are edited.
	maxEditNest = 4
	// fewOf is how many arguments, literals and other results are used for one place.
	fewOf = 4
)

// Wrong gives wrong results: the observed one with one place edited, of the returned value or of what a mutable reference holds after the
// call. Every one is a value of its type, none is the observed one, and no two are the same. What is ghost stays as it is. Of a very large
// result there are none.
func (t *Target) Wrong(obs Observed, c Context) []Edit {
	for _, v := range append(slices.Clone(obs.After), obs.Result) {
		if v != nil && value.Weight(v, maxResult+1) > maxResult {
			return nil
		}
	}
	e := &editor{t: t}
	for i, p := range t.params {
		if i < len(c.Args) {
			e.argument(c.Args[i], p.Type, 0)
		}
	}
	var out []Edit
	seen := map[string]bool{obs.Key(): true}
	add := func(w Observed, k Kind, where string) {
		if key := w.Key(); !seen[key] && len(out) < maxEdits {
			seen[key] = true
			out = append(out, Edit{w, k, where})
		}
	}
	for i, p := range t.params {
		if !p.Mut || i >= len(obs.After) || obs.After[i] == nil {
			continue
		}
		with := func(v value.Value) Observed {
			after := slices.Clone(obs.After)
			after[i] = v
			return Observed{obs.Result, after}
		}
		if i < len(c.Args) {
			add(with(keepGhost(c.Args[i], obs.After[i])), LeftAsItWas, p.Name)
		}
		var others []value.Value
		for _, o := range c.Others {
			if i < len(o.After) && o.After[i] != nil {
				others = append(others, o.After[i])
			}
		}
		for _, x := range e.edits(obs.After[i], p.Type, others, 0) {
			add(with(x.v), x.kind, p.Name+x.where)
		}
	}
	if obs.Result != nil {
		var others []value.Value
		for _, o := range c.Others {
			if o.Result != nil {
				others = append(others, o.Result)
			}
		}
		for _, x := range e.edits(obs.Result, t.result, others, 0) {
			add(Observed{x.v, obs.After}, x.kind, "result"+x.where)
		}
	}
	return out
}

// Key is a text that two observed results share exactly when all that is known of them is the same.
func (o Observed) Key() string {
	vs := []value.Value{o.Result}
	vs = append(vs, o.After...)
	for i, v := range vs {
		if v != nil {
			vs[i] = blank(v)
		}
	}
	k, _ := keyOf(vs)
	return k
}

// blank replaces what is not known by ().
func blank(v value.Value) value.Value {
	each := func(vs []value.Value) []value.Value {
		out := make([]value.Value, len(vs))
		for i, x := range vs {
			out[i] = blank(x)
		}
		return out
	}
	switch v := v.(type) {
	case value.Unspecified:
		return value.Unit()
	case value.Tuple:
		return value.Tuple(each(v))
	case *value.Data:
		return &value.Data{Type: v.Type, Variant: v.Variant, Names: v.Names, Fields: each(v.Fields)}
	case *value.List:
		return &value.List{Of: v.Of, Elems: each(v.Elems)}
	}
	if v.Kind() == value.KOther {
		return value.Unit()
	}
	return v
}

// keepGhost is v with the ghost parts that are not known in like not known either: what a call makes of them cannot be seen.
func keepGhost(v, like value.Value) value.Value {
	if like.Kind() == value.KUnspecified {
		return like
	}
	d, ok := v.(*value.Data)
	l, ok2 := like.(*value.Data)
	if !ok || !ok2 || d.Variant != l.Variant || len(d.Fields) != len(l.Fields) {
		return v
	}
	fs := make([]value.Value, len(d.Fields))
	for i := range fs {
		fs[i] = keepGhost(d.Fields[i], l.Fields[i])
	}
	return &value.Data{Type: d.Type, Variant: d.Variant, Names: d.Names, Fields: fs, Opaque: d.Opaque}
}

type typedValue struct {
	v value.Value
	t *value.Type
}

// edited is a value with one place edited.
type edited struct {
	v     value.Value
	kind  Kind
	where string // behind the name of the whole
}

type editor struct {
	t *Target
	// args are the arguments and their parts.
	args []typedValue
}

// argument notes an argument and its parts.
func (e *editor) argument(v value.Value, t *value.Type, nest int) {
	if t == nil || nest > maxEditNest || len(e.args) > 200 {
		return
	}
	e.args = append(e.args, typedValue{v, t})
	switch v := v.(type) {
	case value.Tuple:
		for i, x := range v {
			if i < len(t.Args) {
				e.argument(x, t.Args[i], nest+1)
			}
		}
	case *value.List:
		e.args = append(e.args, typedValue{value.Small(int64(len(v.Elems)), value.USize), &value.Type{Kind: value.TInt, Int: value.USize}})
		for _, x := range v.Elems[:min(len(v.Elems), 3)] {
			if len(t.Args) > 0 {
				e.argument(x, t.Args[0], nest+1)
			}
		}
	case *value.Data:
		types := e.fields(t, v)
		for i, x := range v.Fields {
			if i < len(types) {
				e.argument(x, types[i], nest+1)
			}
		}
	}
}

// fields are the types of the fields of a struct or variant; nil if they are not known.
func (e *editor) fields(t *value.Type, d *value.Data) []*value.Type {
	if t == nil || t.Kind != value.TData {
		return nil
	}
	shapes, err := e.t.judge.Shapes(t)
	if err != nil {
		return nil
	}
	for _, s := range shapes {
		if s.Variant == d.Variant && len(s.Types) == len(d.Fields) {
			return s.Types
		}
	}
	return nil
}

// alike are the parts of arguments that can be values of a type, each once.
func (e *editor) alike(t *value.Type) (out []value.Value) {
	for _, a := range e.args {
		like := value.Same(a.t, t) || a.t.Kind == value.TInt && t.Kind == value.TInt ||
			a.t.Kind == value.TList && t.Kind == value.TList && len(a.t.Args) == 1 && len(t.Args) == 1 && value.Same(a.t.Args[0], t.Args[0])
		if !like {
			continue
		}
		if v, ok := e.t.judge.Conform(a.v, t); ok && e.t.judge.Fits(v) {
			out = append(out, v)
		}
	}
	return distinct(out)
}

// simplest gives a few values of a type.
func (e *editor) simplest(t *value.Type, n int) (out []value.Value) {
	for _, v := range e.t.judge.Small(t, n) {
		if e.t.judge.Fits(v) {
			out = append(out, v)
		}
	}
	return out
}

// edits gives a value with one place edited. others are values that stand at the same place in other results.
func (e *editor) edits(v value.Value, t *value.Type, others []value.Value, nest int) (out []edited) {
	if t == nil || nest > maxEditNest {
		return nil
	}
	add := func(k Kind, vs ...value.Value) {
		for _, x := range vs {
			out = append(out, edited{x, k, ""})
		}
	}
	inside := func(where string, x value.Value, t *value.Type, others []value.Value, build func(value.Value) value.Value) {
		for i, ed := range e.edits(x, t, others, nest+1) {
			if i >= maxPart {
				break
			}
			out = append(out, edited{build(ed.v), ed.kind, where + ed.where})
		}
	}
	switch v := v.(type) {
	case value.Bool:
		add(Flipped, !v)
		return out
	case value.Int:
		out = e.ints(v)
	case value.Char:
		for i, d := range []rune{1, -1} {
			if c := rune(v) + d; c >= 0 && c <= '\U0010ffff' && (c < 0xd800 || c > 0xdfff) {
				add([]Kind{PlusOne, MinusOne}[i], value.Char(c))
			}
		}
		for _, c := range e.t.lits.Chars[:min(len(e.t.lits.Chars), fewOf)] {
			add(Literal, value.Char(c))
		}
	case value.Real:
		one := big.NewRat(1, 1)
		add(PlusOne, value.Real{R: new(big.Rat).Add(v.R, one)})
		add(MinusOne, value.Real{R: new(big.Rat).Sub(v.R, one)})
		add(Zero, value.Real{R: new(big.Rat)})
		add(Negated, value.Real{R: new(big.Rat).Neg(v.R)})
	case value.Tuple:
		for i, x := range v {
			if i < len(t.Args) {
				inside("."+strconv.Itoa(i), x, t.Args[i], project(others, func(o value.Value) value.Value {
					if o, ok := o.(value.Tuple); ok && i < len(o) {
						return o[i]
					}
					return nil
				}), func(y value.Value) value.Value {
					vs := slices.Clone(v)
					vs[i] = y
					return vs
				})
			}
		}
	case *value.List:
		out = e.lists(v, t, nest)
	case *value.Data:
		if v.Type == "Ghost" || v.Type == "Tracked" {
			return nil
		}
		out = e.data(v, t, others, nest)
	default:
		return nil
	}
	if _, unit := v.(value.Tuple); !unit || len(t.Args) > 0 {
		for _, o := range others[:min(len(others), fewOf)] {
			add(OtherResult, keepGhost(o, v))
		}
		alike := e.alike(t)
		for _, a := range alike[:min(len(alike), fewOf)] {
			add(Argument, keepGhost(a, v))
		}
	}
	return out
}

func project(vs []value.Value, part func(value.Value) value.Value) (out []value.Value) {
	for _, v := range vs {
		if p := part(v); p != nil {
			out = append(out, p)
		}
	}
	return out
}

func (e *editor) ints(v value.Int) (out []edited) {
	bits := e.t.judge.SizeBits()
	add := func(k Kind, i value.Int) {
		if i.In(v.Type, bits) {
			out = append(out, edited{i.As(v.Type), k, ""})
		}
	}
	add(PlusOne, v.Add(value.Small(1, value.IntT)))
	add(MinusOne, v.Sub(value.Small(1, value.IntT)))
	add(Zero, value.Small(0, value.IntT))
	add(Negated, v.Neg())
	lo, hi := v.Type.Limits(bits)
	if hi != nil {
		add(Extreme, *hi)
	}
	if lo != nil {
		add(Extreme, *lo)
	}
	for _, l := range e.t.lits.Ints[:min(len(e.t.lits.Ints), 2*fewOf)] {
		add(Literal, l)
	}
	return out
}

func (e *editor) data(v *value.Data, t *value.Type, others []value.Value, nest int) (out []edited) {
	shapes, err := e.t.judge.Shapes(t)
	if err != nil || t.Kind != value.TData {
		return nil
	}
	kind := Variant
	if t.Name == "Option" || t.Name == "Result" {
		kind = Swapped
	}
	for _, s := range shapes {
		switch {
		case s.Variant != v.Variant:
			// Fields of the same type are kept; the others have the simplest values, or what the arguments have.
			for n := range 3 {
				fs := make([]value.Value, len(s.Types))
				ok := true
				for i, ft := range s.Types {
					fs[i] = e.field(v, t, ft, i, n)
					ok = ok && fs[i] != nil
				}
				if ok {
					if len(fs) == 0 {
						fs = nil
					}
					out = append(out, edited{&value.Data{Type: t.Name, Variant: s.Variant, Names: s.Names, Fields: fs}, kind, ""})
				}
				if len(fs) == 0 {
					break
				}
			}
		case len(s.Types) == len(v.Fields):
			for i, ft := range s.Types {
				where := "." + strconv.Itoa(i)
				if v.Names != nil {
					where = "." + v.Names[i]
				}
				inner := e.edits(v.Fields[i], ft, project(others, func(o value.Value) value.Value {
					if o, ok := o.(*value.Data); ok && o.Variant == v.Variant && i < len(o.Fields) {
						return o.Fields[i]
					}
					return nil
				}), nest+1)
				for _, ed := range inner[:min(len(inner), maxPart)] {
					out = append(out, edited{withField(v, i, ed.v), ed.kind, where + ed.where})
				}
			}
		}
	}
	return out
}

// field is the n-th value for a field of a variant that v is not: a field of v of the same type, a part of the arguments, a simple one.
func (e *editor) field(v *value.Data, t, ft *value.Type, i, n int) value.Value {
	var options []value.Value
	types := e.fields(t, v)
	if i < len(types) && value.Same(types[i], ft) && v.Fields[i].Kind() != value.KUnspecified {
		options = append(options, v.Fields[i])
	}
	options = append(options, e.simplest(ft, 2)...)
	options = append(options, e.alike(ft)...)
	if len(options) == 0 {
		return nil
	}
	return options[n%len(options)]
}

func (e *editor) lists(v *value.List, t *value.Type, nest int) (out []edited) {
	if t.Kind != value.TList || len(t.Args) == 0 {
		return nil
	}
	n := len(v.Elems)
	add := func(k Kind, vs []value.Value) {
		out = append(out, edited{&value.List{Of: v.Of, Elems: vs}, k, ""})
	}
	at := func(i int) string { return "[" + strconv.Itoa(i) + "]" }
	var places []int
	for _, i := range []int{0, n / 2, n - 1} {
		if i >= 0 && i < n && !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	if t.List != value.Array {
		for _, i := range slices.Backward(places) {
			add(Dropped, slices.Delete(slices.Clone(v.Elems), i, i+1))
		}
		extra := slices.Concat(e.alike(t.Args[0]), e.simplest(t.Args[0], 3))
		for i, x := range extra[:min(len(extra), fewOf)] {
			add(Added, slices.Insert(slices.Clone(v.Elems), []int{n, 0, n / 2, n}[i], x))
		}
		for _, i := range places {
			add(Duplicated, slices.Insert(slices.Clone(v.Elems), i, v.Elems[i]))
		}
		if n > 0 {
			add(Emptied, nil)
		}
	}
	if n > 1 {
		for _, p := range [][2]int{{0, n - 1}, {0, 1}, {n - 2, n - 1}} {
			vs := slices.Clone(v.Elems)
			vs[p[0]], vs[p[1]] = vs[p[1]], vs[p[0]]
			add(Exchanged, vs)
		}
		add(Reversed, reversed(v.Elems))
		sorted := slices.Clone(v.Elems)
		sortValues(sorted)
		add(Sorted, sorted)
	}
	if v.Of == value.String {
		for _, text := range e.t.lits.Texts[:min(len(e.t.lits.Texts), fewOf)] {
			out = append(out, edited{value.Text(text), Literal, ""})
		}
	}
	for _, i := range places {
		inner := e.edits(v.Elems[i], t.Args[0], nil, nest+1)
		for _, ed := range inner[:min(len(inner), maxPart/3)] {
			vs := slices.Clone(v.Elems)
			vs[i] = ed.v
			out = append(out, edited{&value.List{Of: v.Of, Elems: vs}, ed.kind, at(i) + ed.where})
		}
	}
	return out
}

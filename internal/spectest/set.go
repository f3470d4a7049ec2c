package spectest

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// set proposes changes after which an expression has a value.
func (s *steerer) set(n syntax.Node, v value.Value, st site) (out [][]value.Value) {
	n = plain(n)
	if st.scene.Spent() || v == nil || v.Kind() == value.KUnspecified || v.Kind() == value.KOther {
		return nil
	}
	x := n.Get(syntax.FExpr)
	switch n.Kind() {
	case syntax.Path:
		if l, ok := st.lenses[name(n)]; ok {
			return l.set(v)
		}
	case syntax.Block:
		if tail, in, ok := s.within(n, st); ok {
			return s.set(tail, v, in)
		}
	case syntax.If:
		return s.set(s.branch(n, st), v, st)
	case syntax.Match:
		if body, in, ok := s.arm(n, st); ok {
			return s.set(body, v, in)
		}
	case syntax.Cast:
		return s.set(x, v, st)
	case syntax.FieldExpr, syntax.Arrow:
		field := word(n.Get(syntax.FName))
		switch d := st.scene.Eval(x).(type) {
		case value.Tuple:
			if i, err := strconv.Atoi(field); err == nil && i >= 0 && i < len(d) {
				vs := slices.Clone(d)
				vs[i] = v
				return s.set(x, vs, st)
			}
		case *value.Data:
			if i := fieldAt(d.Names, len(d.Fields), d.Variant, field); i >= 0 {
				return s.set(x, withField(d, i, v), st)
			}
		}
	case syntax.View:
		return s.setView(n, x, v, st)
	case syntax.Index:
		if m, ok := st.scene.Eval(x).(*value.Map); ok {
			if k := st.scene.Eval(n.Get(syntax.FIndex)); value.Exact(k) {
				return s.set(x, m.With(k, v), st)
			}
			return nil
		}
		l, ok := st.scene.Eval(x).(*value.List)
		i, ok2 := st.scene.Eval(n.Get(syntax.FIndex)).(value.Int)
		if !ok || !ok2 {
			return nil
		}
		k, fits := i.Int64()
		if !fits || k < 0 || k >= longLen {
			return nil
		}
		longer := l
		if int(k) >= len(l.Elems) {
			if longer = s.resize(l, int(k)+1, s.typeOf(x, st)); longer == nil {
				return nil
			}
		}
		vs := slices.Clone(longer.Elems)
		vs[k] = v
		return s.set(x, &value.List{Of: l.Of, Elems: vs}, st)
	case syntax.Unary:
		if i, ok := v.(value.Int); ok && n.Op() == syntax.Minus {
			return s.set(x, i.Neg(), st)
		}
		if b, ok := v.(value.Bool); ok && n.Op() == syntax.Bang {
			return s.want(x, !bool(b), st)
		}
	case syntax.Binary:
		if i, ok := v.(value.Int); ok {
			return s.setArithmetic(n, i, st)
		}
		if b, ok := v.(value.Bool); ok {
			return s.want(n, bool(b), st)
		}
		if l, ok := v.(*value.List); ok && n.Op() == syntax.Plus {
			if a, ok := st.scene.Eval(n.Get(syntax.FLhs)).(*value.List); ok && len(a.Elems) <= len(l.Elems) {
				return s.set(n.Get(syntax.FRhs), &value.List{Of: l.Of, Elems: l.Elems[len(a.Elems):]}, st)
			}
		}
	case syntax.Tuple:
		t, ok := v.(value.Tuple)
		i := 0
		for c := range n.All(syntax.FExpr) {
			if ok && i < len(t) && value.Equal(st.scene.Eval(c), t[i]) != value.True {
				out = append(out, s.set(c, t[i], st)...)
			}
			i++
		}
	case syntax.StructExpr:
		d, ok := v.(*value.Data)
		if !ok {
			return nil
		}
		for f := range n.All(syntax.FFieldInit) {
			init := f.Get(syntax.FExpr)
			if i := fieldAt(d.Names, len(d.Fields), d.Variant, word(f.Get(syntax.FName))); i >= 0 && init.Valid() &&
				value.Equal(st.scene.Eval(init), d.Fields[i]) != value.True {
				out = append(out, s.set(init, d.Fields[i], st)...)
			}
		}
	case syntax.Call:
		args := n.Get(syntax.FArgs)
		if n.Get(syntax.FCallee).Text() == "old" {
			return s.set(args.Get(syntax.FExpr), v, st)
		}
		if _, variant, ok := st.scene.Constructs(n); ok {
			d, ok := v.(*value.Data)
			i := 0
			for a := range args.All(syntax.FExpr) {
				if ok && d.Variant == variant && i < len(d.Fields) {
					out = append(out, s.set(a, d.Fields[i], st)...)
				}
				i++
			}
			return out
		}
		if l, ok := v.(*value.List); ok && strings.HasSuffix(n.Get(syntax.FCallee).Text(), "Seq::new") {
			return s.set(args.Get(syntax.FExpr), value.Small(int64(len(l.Elems)), value.IntT), st)
		}
		if body, in, ok := s.enter(n, st); ok {
			return s.set(body, v, in)
		}
	case syntax.MethodCall:
		return s.setMethod(n, v, st)
	}
	return out
}

func (s *steerer) setView(n, x syntax.Node, v value.Value, st site) [][]value.Value {
	switch d := st.scene.Eval(x).(type) {
	case *value.List:
		if l, ok := v.(*value.List); ok {
			return s.set(x, &value.List{Of: d.Of, Elems: l.Elems}, st)
		}
	case *value.Data:
		if (d.Type == "Ghost" || d.Type == "Tracked") && len(d.Fields) == 1 {
			return s.set(x, withField(d, 0, v), st)
		}
		if body, in, ok := s.enter(n, st); ok {
			return s.set(body, v, in)
		}
	case value.Int, value.Bool, value.Char:
		return s.set(x, v, st)
	}
	return nil
}

// setArithmetic proposes operands with which an operation has a result.
func (s *steerer) setArithmetic(n syntax.Node, v value.Int, st site) (out [][]value.Value) {
	l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	a, ok := st.scene.Eval(l).(value.Int)
	b, ok2 := st.scene.Eval(r).(value.Int)
	if !ok || !ok2 {
		return nil
	}
	switch n.Op() {
	case syntax.Plus:
		out = append(s.set(l, v.Sub(b), st), s.set(r, v.Sub(a), st)...)
		if v.Sign() > 0 { // both at once are too large
			out = append(out, s.set(l, s.below(v), st)...)
			out = append(out, s.set(r, s.below(v), st)...)
		}
	case syntax.Minus:
		out = append(s.set(l, v.Add(b), st), s.set(r, a.Sub(v), st)...)
	case syntax.Star:
		if b.Sign() != 0 {
			q, _ := v.DivMod(b)
			out = append(out, s.set(l, q, st)...)
		}
		if a.Sign() != 0 {
			q, _ := v.DivMod(a)
			out = append(out, s.set(r, q, st)...)
		}
		out = append(out, s.set(l, value.Small(int64(s.rng.IntN(4)), value.IntT), st)...)
	case syntax.Slash:
		out = append(out, s.set(l, v.Mul(b), st)...)
	case syntax.Percent:
		if b.Sign() != 0 {
			_, m := a.DivMod(b)
			out = append(out, s.set(l, a.Sub(m).Add(v), st)...)
		}
	default:
		if a.Sign() < 0 || b.Sign() < 0 || v.Sign() < 0 {
			return nil
		}
		return s.setBits(n, a, b, v, st)
	}
	return out
}

// setBits proposes operands with which a bit operation on numbers that are not negative has a result.
func (s *steerer) setBits(n syntax.Node, a, b, v value.Int, st site) (out [][]value.Value) {
	l, r := n.Get(syntax.FLhs), n.Get(syntax.FRhs)
	put := func(x syntax.Node, i *big.Int) { out = append(out, s.set(x, value.Big(i, value.IntT), st)...) }
	switch n.Op() {
	case syntax.And: // the bits of the mask are those of v, the others stay
		put(l, new(big.Int).Or(new(big.Int).AndNot(a.Big(), b.Big()), v.Big()))
		put(r, new(big.Int).Or(new(big.Int).AndNot(b.Big(), a.Big()), v.Big()))
	case syntax.Or, syntax.Caret:
		put(l, new(big.Int).AndNot(v.Big(), b.Big()))
		put(r, new(big.Int).AndNot(v.Big(), a.Big()))
	case syntax.Shl, syntax.Shr:
		by, fits := b.Int64()
		if !fits || by > 128 {
			return nil
		}
		width := uint(by)
		if n.Op() == syntax.Shl {
			put(l, new(big.Int).Rsh(v.Big(), width))
			return out
		}
		low := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1))
		put(l, new(big.Int).Or(new(big.Int).Lsh(v.Big(), width), new(big.Int).And(a.Big(), low)))
		put(l, new(big.Int).Lsh(v.Big(), width))
	}
	return out
}

// setMethod proposes receivers of which a method gives a value.
func (s *steerer) setMethod(n syntax.Node, v value.Value, st site) (out [][]value.Value) {
	recv := n.Get(syntax.FReceiver)
	var args []value.Value
	for a := range n.Get(syntax.FArgs).All(syntax.FExpr) {
		args = append(args, st.scene.Eval(a))
	}
	index := func(i int) (int, bool) {
		if i >= len(args) {
			return 0, false
		}
		k, ok := args[i].(value.Int)
		if !ok {
			return 0, false
		}
		n, fits := k.Int64()
		return int(n), fits && n >= 0 && n <= maxArray
	}
	switch r := st.scene.Eval(recv).(type) {
	case *value.List:
		put := func(vs []value.Value) { out = append(out, s.set(recv, &value.List{Of: r.Of, Elems: vs}, st)...) }
		splice := func(from, to int) {
			if l, ok := v.(*value.List); ok && from >= 0 && from <= to && to <= len(r.Elems) {
				put(slices.Concat(r.Elems[:from], l.Elems, r.Elems[to:]))
			}
		}
		switch word(n.Get(syntax.FName)) {
		case "len", "spec_len":
			i, ok := v.(value.Int)
			if !ok {
				return nil
			}
			k, fits := i.Int64()
			if !fits || k < 0 || k > maxResize {
				return nil
			}
			if l := s.resize(r, int(k), s.typeOf(recv, st)); l != nil {
				put(l.Elems)
			}
		case "view":
			return s.set(recv, v, st)
		case "last", "first":
			if len(r.Elems) == 0 {
				put([]value.Value{v})
				return out
			}
			vs := slices.Clone(r.Elems)
			at := 0
			if word(n.Get(syntax.FName)) == "last" {
				at = len(vs) - 1
			}
			vs[at] = v
			put(vs)
		case "take":
			if k, ok := index(0); ok {
				splice(0, k)
			}
		case "skip":
			if k, ok := index(0); ok {
				splice(k, len(r.Elems))
			}
		case "subrange":
			from, ok := index(0)
			if to, ok2 := index(1); ok && ok2 {
				splice(from, to)
			}
		case "drop_last":
			splice(0, len(r.Elems)-1)
		case "drop_first":
			splice(1, len(r.Elems))
		case "reverse":
			if l, ok := v.(*value.List); ok {
				put(reversed(l.Elems))
			}
		case "map", "map_values":
			if l, ok := v.(*value.List); ok {
				if k := s.resize(r, len(l.Elems), s.typeOf(recv, st)); k != nil {
					put(k.Elems)
				}
			}
		case "push":
			if l, ok := v.(*value.List); ok && len(l.Elems) > 0 {
				put(l.Elems[:len(l.Elems)-1])
			}
		case "index", "spec_index":
			if k, ok := index(0); ok && k < len(r.Elems) {
				vs := slices.Clone(r.Elems)
				vs[k] = v
				put(vs)
			}
		}
		return out
	case *value.Map:
		switch word(n.Get(syntax.FName)) {
		case "dom":
			if dom, ok := v.(*value.Set); ok {
				if m := s.redomain(r, dom, s.typeOf(recv, st)); m != nil {
					return s.set(recv, m, st)
				}
			}
		case "index":
			if len(args) == 1 && value.Exact(args[0]) {
				return s.set(recv, r.With(args[0], v), st)
			}
		}
		return nil
	case *value.Data:
		switch word(n.Get(syntax.FName)) {
		case "unwrap", "get_Some_0":
			if r.Type == "Option" {
				return s.set(recv, value.Some(v), st)
			}
		case "view":
			return s.setView(n, recv, v, st)
		}
		if body, in, ok := s.enter(n, st); ok {
			return s.set(body, v, in)
		}
	case value.Int, value.Bool, value.Char:
		if w := word(n.Get(syntax.FName)); w == "view" || w == "deep_view" {
			return s.set(recv, v, st)
		}
	}
	return nil
}

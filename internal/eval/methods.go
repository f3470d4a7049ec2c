package eval

import (
	"strings"

	"github.com/specgate/specgate/internal/value"
)

// tableType begins the type of values that stand for an instance of a type parameter: what the specification methods of its bounds
// give is in the fields.
const tableType = "<param>::"

// method calls a method. The methods of the libraries' types are those of vstd that are specification functions.
func (m *machine) method(recv value.Value, name string, args []value.Value, fr *frame) value.Value {
	if m.tick(1) {
		return m.unspecified("too many steps")
	}
	var out value.Value
	switch v := recv.(type) {
	case value.Unspecified:
		return v
	case *function:
		switch {
		case name == "requires" && len(args) == 1:
			return m.contractOf(v, args[0], nil)
		case name == "ensures" && len(args) == 2:
			return m.contractOf(v, args[0], args[1])
		}
	case *value.List:
		if v.Of == value.Seq {
			out = m.seqMethod(v, name, args)
		} else {
			out = m.vecMethod(v, name, args)
		}
	case *value.Set:
		out = m.setMethod(v, name, args)
	case *condSet:
		out = m.condSetMethod(v, name, args)
	case *value.Map:
		out = m.mapMethod(v, name, args)
	case *condMap:
		switch {
		case name == "dom" && len(args) == 0:
			return &condSet{pred: v.in}
		case name == "contains_key" && len(args) == 1 && v.in != nil:
			return m.apply(v.in, args)
		case name == "contains_key" && len(args) == 1:
			return value.Bool(true)
		case name == "index" && len(args) == 1:
			return m.index(v, args[0])
		}
	case *value.Multiset:
		out = m.multisetMethod(v, name, args)
	case value.Int, value.Bool, value.Char, value.Real:
		if (name == "view" || name == "deep_view") && len(args) == 0 {
			return v
		}
	case value.Tuple:
		if (name == "view" || name == "deep_view") && len(args) == 0 {
			return value.Tuple(m.each(v, name, fr))
		}
	case *value.Data:
		if strings.HasPrefix(v.Type, tableType) {
			if f := v.Field(name); f != nil && len(args) == 0 {
				return f
			}
			return m.unspecified("a method of a type parameter: " + short(name))
		}
		out = m.dataMethod(v, name, args, fr)
	}
	if out != nil {
		return out
	}
	if fr == nil {
		return m.unspecified("the method " + short(name) + " of " + kindName(recv))
	}
	head := headOfValue(recv)
	if head == "" {
		return m.unspecified("the method " + short(name) + " of " + kindName(recv))
	}
	fs := m.methodsOf(fr.scope, head, name)
	if name == "spec_index" && len(fs) == 0 {
		// s[i] on a type that has a view is that of the view only where the type says so; nothing is known here.
		return m.unspecified("an index into " + kindName(recv))
	}
	if len(fs) != 1 {
		return m.unspecified("the method " + short(name) + " of " + kindName(recv))
	}
	return m.call(fs[0], append([]value.Value{recv}, args...))
}

// each calls a method on every value.
func (m *machine) each(vs []value.Value, name string, fr *frame) []value.Value {
	out := make([]value.Value, len(vs))
	for i, v := range vs {
		if l, ok := v.(*value.List); ok && l.Of == value.Seq && name == "view" {
			out[i] = m.unspecified("the view of a Seq")
			continue
		}
		out[i] = m.method(v, name, nil, fr)
	}
	return out
}

func (m *machine) dataMethod(d *value.Data, name string, args []value.Value, fr *frame) value.Value {
	switch d.Type {
	case "Ghost", "Tracked":
		if (name == "view" || name == "get") && len(args) == 0 && len(d.Fields) == 1 {
			return d.Fields[0]
		}
		return nil
	case "Option":
		switch name {
		case "is_some", "is_Some", "is_none", "is_None":
			if len(args) == 0 {
				return value.Bool((d.Variant == "Some") == (name == "is_some" || name == "is_Some"))
			}
		case "unwrap", "get_Some_0", "spec_unwrap":
			if d.Variant == "Some" && len(args) == 0 {
				return d.Fields[0]
			}
			return m.unspecified("unwrap of None")
		case "unwrap_or", "spec_unwrap_or":
			if len(args) == 1 {
				if d.Variant == "Some" {
					return d.Fields[0]
				}
				return args[0]
			}
		case "view", "deep_view":
			return &value.Data{Type: d.Type, Variant: d.Variant, Fields: m.each(d.Fields, name, fr)}
		}
		return nil
	case "Result":
		switch name {
		case "is_ok", "is_Ok", "is_err", "is_Err":
			if len(args) == 0 {
				return value.Bool((d.Variant == "Ok") == (name == "is_ok" || name == "is_Ok"))
			}
		case "unwrap", "get_Ok_0", "unwrap_err", "get_Err_0":
			if (d.Variant == "Ok") == (name == "unwrap" || name == "get_Ok_0") {
				return d.Fields[0]
			}
			return m.unspecified("unwrap of the other variant")
		case "ok", "err":
			if len(args) == 0 {
				if (d.Variant == "Ok") == (name == "ok") {
					return value.Some(d.Fields[0])
				}
				return value.None()
			}
		}
		return nil
	}
	if fr != nil && len(m.methodsOf(fr.scope, d.Type, name)) == 0 && len(args) == 0 {
		// is_Variant and get_Variant_field of #[is_variant].
		if rest, ok := strings.CutPrefix(name, "is_"); ok && hasVariant(fr.w, d.Type, rest) {
			return value.Bool(d.Variant == rest)
		}
		if rest, ok := strings.CutPrefix(name, "get_"+d.Variant+"_"); ok && d.Variant != "" {
			if f := d.Field(rest); f != nil {
				return f
			}
		}
	}
	return nil
}

func (m *machine) vecMethod(l *value.List, name string, args []value.Value) value.Value {
	switch {
	case name == "view" && len(args) == 0:
		return &value.List{Of: value.Seq, Elems: l.Elems}
	case name == "deep_view" && len(args) == 0:
		return m.deepList(l)
	case (name == "len" || name == "spec_len") && len(args) == 0 && l.Of != value.String:
		return value.Small(int64(len(l.Elems)), value.USize)
	case (name == "spec_index" || name == "index") && len(args) == 1 && l.Of != value.String:
		return m.index(l, args[0])
	}
	return nil
}

// deepList is the deep view of a list whose elements' own deep view is known here.
func (m *machine) deepList(l *value.List) value.Value {
	out := &value.List{Of: value.Seq}
	for _, v := range l.Elems {
		switch v := v.(type) {
		case value.Int, value.Bool, value.Char, value.Unspecified:
			out.Elems = append(out.Elems, v)
		case *value.List:
			out.Elems = append(out.Elems, m.deepList(v))
		default:
			return m.unspecified("the deep view of " + kindName(v))
		}
	}
	return out
}

// contains tells whether one of the values is equal to x.
func (m *machine) contains(vs []value.Value, x value.Value) value.Truth {
	t := value.False
	for _, v := range vs {
		switch m.equal(v, x) {
		case value.True:
			return value.True
		case value.Undecided:
			t = value.Undecided
		}
		if m.tick(1) {
			return value.Undecided
		}
	}
	return t
}

func closure(args []value.Value, i, n int) *function {
	if len(args) != n {
		return nil
	}
	f, _ := args[i].(*function)
	return f
}

func (m *machine) seqMethod(s *value.List, name string, args []value.Value) value.Value {
	n := int64(len(s.Elems))
	m.tick(len(s.Elems) / 8)
	seq := func(elems []value.Value) value.Value { return &value.List{Of: value.Seq, Elems: elems} }
	// at reads an argument as a position from 0 to hi; where it is none, what the method gives is not specified.
	at := func(i int, hi int64) (int64, bool) {
		v, ok := args[i].(value.Int)
		if !ok {
			return 0, false
		}
		k, fits := v.Int64()
		return k, fits && k >= 0 && k <= hi
	}
	switch len(args) {
	case 0:
		switch name {
		case "len":
			return value.Small(n, value.NatT)
		case "first":
			return m.index(s, value.Small(0, value.IntT))
		case "last":
			return m.index(s, value.Small(n-1, value.IntT))
		case "drop_first":
			if n == 0 {
				return m.unspecified("drop_first of an empty sequence")
			}
			return seq(s.Elems[1:])
		case "drop_last":
			if n == 0 {
				return m.unspecified("drop_last of an empty sequence")
			}
			return seq(s.Elems[:n-1])
		case "reverse":
			out := make([]value.Value, n)
			for i, v := range s.Elems {
				out[int(n)-1-i] = v
			}
			return seq(out)
		case "no_duplicates":
			t := value.True
			for i, v := range s.Elems {
				t = t.And(m.contains(s.Elems[i+1:], v).Not())
				if t == value.False || m.spent {
					break
				}
			}
			return m.truth(t, "equality of elements")
		case "to_multiset":
			ms, ok := value.NewMultiset(s.Elems)
			if !ok {
				return m.unspecified("a multiset of values whose equality is not determined")
			}
			m.tick(len(s.Elems))
			return ms
		case "to_set":
			return m.newSet(s.Elems)
		case "is_empty":
			return nil
		case "flatten":
			var out []value.Value
			for _, v := range s.Elems {
				l, ok := v.(*value.List)
				if !ok || l.Of != value.Seq || len(out)+len(l.Elems) > maxElems {
					return m.unspecified("flatten of elements that are no sequences")
				}
				out = append(out, l.Elems...)
			}
			return seq(out)
		case "min", "max":
			if n == 0 {
				return m.unspecified("the " + name + " of an empty sequence")
			}
			var best value.Int
			for i, v := range s.Elems {
				x, ok := v.(value.Int)
				if !ok {
					return m.unspecified("the " + name + " of elements that are not known")
				}
				if x.Type != value.IntT && x.Type != value.Any {
					return nil // vstd has it for Seq<int> alone
				}
				if i == 0 || (x.Cmp(best) < 0) == (name == "min") {
					best = x
				}
			}
			return best.As(value.IntT)
		case "deep_view":
			return m.deepList(s)
		}
	case 1:
		switch name {
		case "index", "spec_index":
			return m.index(s, args[0])
		case "push":
			return m.concat(s, &value.List{Of: value.Seq, Elems: args[:1]})
		case "add", "spec_add":
			if o, ok := args[0].(*value.List); ok && o.Of == value.Seq {
				return m.concat(s, o)
			}
			return m.unspecified("add of what is no sequence")
		case "take", "skip":
			k, ok := at(0, n)
			if !ok {
				return m.unspecified(name + " out of range")
			}
			if name == "take" {
				return seq(s.Elems[:k])
			}
			return seq(s.Elems[k:])
		case "contains":
			return m.truth(m.contains(s.Elems, args[0]), "equality of elements")
		case "index_of":
			found, t := -1, value.False
			for i, v := range s.Elems {
				switch m.equal(v, args[0]) {
				case value.True:
					if found >= 0 {
						t = value.Undecided
					}
					found = i
				case value.Undecided:
					t = value.Undecided
				}
			}
			if found < 0 || t == value.Undecided {
				return m.unspecified("index_of of an element that does not occur once")
			}
			return value.Small(int64(found), value.IntT)
		case "index_of_first", "index_of_last":
			for j := range s.Elems {
				i := j
				if name == "index_of_last" {
					i = len(s.Elems) - 1 - j
				}
				switch m.equal(s.Elems[i], args[0]) {
				case value.True:
					return value.Some(value.Small(int64(i), value.IntT))
				case value.Undecided:
					return m.unspecified("equality of elements")
				}
			}
			return value.None()
		case "remove":
			k, ok := at(0, n-1)
			if !ok {
				return m.unspecified("remove out of range")
			}
			out := make([]value.Value, 0, n)
			return seq(append(append(out, s.Elems[:k]...), s.Elems[k+1:]...))
		case "is_prefix_of", "is_suffix_of":
			o, ok := args[0].(*value.List)
			if !ok || o.Of != value.Seq {
				return m.unspecified(name + " of what is no sequence")
			}
			if len(s.Elems) > len(o.Elems) {
				return value.Bool(false)
			}
			part := o.Elems[:len(s.Elems)]
			if name == "is_suffix_of" {
				part = o.Elems[len(o.Elems)-len(s.Elems):]
			}
			return m.truth(m.equal(s, &value.List{Of: value.Seq, Elems: part}), "equality of elements")
		case "filter":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			var out []value.Value
			for _, v := range s.Elems {
				switch truthOf(m.apply(f, []value.Value{v})) {
				case value.True:
					out = append(out, v)
				case value.Undecided:
					return m.unspecified("filter by a condition that is not decided")
				}
			}
			return seq(out)
		case "map_values", "map":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			out := make([]value.Value, 0, n)
			for i, v := range s.Elems {
				a := []value.Value{v}
				if name == "map" {
					a = []value.Value{value.Small(int64(i), value.IntT), v}
				}
				out = append(out, m.apply(f, a))
			}
			return seq(out)
		case "all", "any":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			return m.quantified(s.Elems, f, name == "all")
		case "disjoint":
			o, ok := args[0].(*value.List)
			if !ok || o.Of != value.Seq {
				return m.unspecified("disjoint of what is no sequence")
			}
			t := value.True
			for _, v := range s.Elems {
				t = t.And(m.contains(o.Elems, v).Not())
			}
			return m.truth(t, "equality of elements")
		case "zip_with":
			o, ok := args[0].(*value.List)
			if !ok || o.Of != value.Seq || len(o.Elems) != len(s.Elems) {
				return m.unspecified("zip_with of sequences of other lengths")
			}
			out := make([]value.Value, 0, n)
			for i, v := range s.Elems {
				out = append(out, value.Tuple{v, o.Elems[i]})
			}
			return seq(out)
		}
	case 2:
		switch name {
		case "update":
			k, ok := at(0, n-1)
			if !ok {
				return m.unspecified("update out of range")
			}
			out := append([]value.Value(nil), s.Elems...)
			out[k] = args[1]
			return seq(out)
		case "subrange":
			hi, ok := at(1, n)
			lo, ok2 := at(0, hi)
			if !ok || !ok2 {
				return m.unspecified("subrange out of range")
			}
			return seq(s.Elems[lo:hi])
		case "insert":
			k, ok := at(0, n)
			if !ok {
				return m.unspecified("insert out of range")
			}
			if n >= maxElems {
				return m.unspecified("a very long sequence")
			}
			out := make([]value.Value, 0, n+1)
			out = append(append(out, s.Elems[:k]...), args[1])
			return seq(append(out, s.Elems[k:]...))
		case "fold_left", "fold_left_alt":
			f := closure(args, 1, 2)
			if f == nil {
				return nil
			}
			acc := args[0]
			for _, v := range s.Elems {
				acc = m.apply(f, []value.Value{acc, v})
			}
			return acc
		case "fold_right", "fold_right_alt":
			// vstd: fold_right(f, b).
			f := closure(args, 0, 2)
			if f == nil {
				return nil
			}
			acc := args[1]
			for i := len(s.Elems) - 1; i >= 0; i-- {
				acc = m.apply(f, []value.Value{s.Elems[i], acc})
			}
			return acc
		}
	}
	return nil
}

// quantified tells whether a predicate holds for all, or for one, of the values.
func (m *machine) quantified(vs []value.Value, f *function, all bool) value.Value {
	stop := value.True
	if all {
		stop = value.False
	}
	out := stop.Not()
	for _, v := range vs {
		switch t := truthOf(m.apply(f, []value.Value{v})); t {
		case stop:
			return value.Bool(!all)
		case value.Undecided:
			out = value.Undecided
		}
		if m.spent {
			break
		}
	}
	if m.spent {
		out = value.Undecided
	}
	return m.truth(out, "a condition on an element")
}

// where keeps the values for which a predicate holds, as a set.
func (m *machine) where(vs []value.Value, f *function) value.Value {
	var keep []value.Value
	for _, v := range vs {
		switch truthOf(m.apply(f, []value.Value{v})) {
		case value.True:
			keep = append(keep, v)
		case value.Undecided:
			return m.unspecified("a set by a condition that is not decided")
		}
	}
	return m.newSet(keep)
}

func (m *machine) setHas(v, x value.Value) value.Truth {
	switch s := v.(type) {
	case *value.Set:
		if value.Exact(x) {
			return value.TruthOf(s.Has(x))
		}
		return m.contains(s.Elems(), x)
	case *condSet:
		t := value.True
		if s.pred != nil {
			t = truthOf(m.apply(s.pred, []value.Value{x}))
		}
		if s.not {
			t = t.Not()
		}
		return t
	}
	return value.Undecided
}

func (m *machine) condSetMethod(s *condSet, name string, args []value.Value) value.Value {
	switch {
	case name == "contains" && len(args) == 1:
		return m.truth(m.setHas(s, args[0]), "membership")
	case name == "complement" && len(args) == 0:
		return &condSet{pred: s.pred, not: !s.not}
	case name == "insert" && len(args) == 1, name == "remove" && len(args) == 1:
		return m.unspecified("a set given by a condition")
	case name == "intersect" && len(args) == 1:
		if o, ok := args[0].(*value.Set); ok {
			return m.setMethod(o, "intersect", []value.Value{s})
		}
	case name == "disjoint" && len(args) == 1:
		if o, ok := args[0].(*value.Set); ok {
			return m.setMethod(o, "disjoint", []value.Value{s})
		}
	}
	return m.unspecified("a set given by a condition")
}

func (m *machine) setMethod(s *value.Set, name string, args []value.Value) value.Value {
	m.tick(s.Len() / 8)
	// filter keeps the elements whose membership in another set is as wanted.
	filter := func(o value.Value, in bool) value.Value {
		ok := true
		out := s.Where(func(v value.Value) bool {
			t := m.setHas(o, v)
			if t == value.Undecided {
				ok = false
			}
			return (t == value.True) == in
		})
		if !ok {
			return m.unspecified("membership")
		}
		return out
	}
	switch len(args) {
	case 0:
		switch name {
		case "len":
			return value.Small(int64(s.Len()), value.NatT)
		case "finite":
			return value.Bool(true)
		case "is_empty":
			return value.Bool(s.Len() == 0)
		case "choose":
			if s.Len() == 1 {
				return s.Elems()[0]
			}
			return m.unspecified("choose with several witnesses or none")
		case "is_singleton":
			return value.Bool(s.Len() == 1)
		case "complement":
			return m.unspecified("the complement of a set")
		}
	case 1:
		o := args[0]
		switch name {
		case "contains":
			return m.truth(m.setHas(s, o), "membership")
		case "insert":
			if unknown(o) || !value.Exact(o) || s.Len() >= maxElems {
				return m.unspecified("a set of values whose equality is not determined")
			}
			return s.With(o)
		case "remove":
			if unknown(o) || !value.Exact(o) {
				return m.unspecified("a set of values whose equality is not determined")
			}
			k, _ := value.Key(o)
			return s.Where(func(v value.Value) bool { vk, _ := value.Key(v); return vk != k })
		case "union":
			if x, ok := o.(*value.Set); ok && s.Len()+x.Len() <= maxElems {
				return s.Union(x)
			}
			return m.unspecified("the union with a set that is not known")
		case "intersect":
			return filter(o, true)
		case "difference":
			return filter(o, false)
		case "subset_of":
			t := value.True
			for _, v := range s.Elems() {
				t = t.And(m.setHas(o, v))
			}
			return m.truth(t, "membership")
		case "disjoint":
			t := value.True
			for _, v := range s.Elems() {
				t = t.And(m.setHas(o, v).Not())
			}
			return m.truth(t, "membership")
		case "filter":
			if f := closure(args, 0, 1); f != nil {
				return m.where(s.Elems(), f)
			}
		case "all", "any":
			if f := closure(args, 0, 1); f != nil {
				return m.quantified(s.Elems(), f, name == "all")
			}
		case "map":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			var out []value.Value
			for _, v := range s.Elems() {
				out = append(out, m.apply(f, []value.Value{v}))
			}
			return m.newSet(out)
		case "mk_map":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			out := &value.Map{}
			for _, v := range s.Elems() {
				out = out.With(v, m.apply(f, []value.Value{v}))
				if m.tick(out.Len() / 4) {
					return m.unspecified("too many steps")
				}
			}
			return out
		}
	}
	return nil
}

func (m *machine) mapMethod(mp *value.Map, name string, args []value.Value) value.Value {
	m.tick(mp.Len() / 8)
	switch len(args) {
	case 0:
		switch name {
		case "dom":
			return mp.Dom()
		case "len":
			return value.Small(int64(mp.Len()), value.NatT)
		case "is_empty":
			return value.Bool(mp.Len() == 0)
		case "values":
			return m.newSet(mp.Vals())
		case "kv_pairs":
			var out []value.Value
			for i, k := range mp.Dom().Elems() {
				out = append(out, value.Tuple{k, mp.Vals()[i]})
			}
			return m.newSet(out)
		}
	case 1:
		o := args[0]
		switch name {
		case "contains_key":
			return m.truth(m.setHas(mp.Dom(), o), "membership")
		case "contains_value":
			return m.truth(m.contains(mp.Vals(), o), "equality of values")
		case "index", "spec_index":
			return m.index(mp, o)
		case "get":
			if !value.Exact(o) {
				return m.unspecified("a key whose equality is not determined")
			}
			if v := mp.Get(o); v != nil {
				return value.Some(v)
			}
			return value.None()
		case "remove":
			if !value.Exact(o) {
				return m.unspecified("a key whose equality is not determined")
			}
			key, _ := value.Key(o)
			return mp.Where(func(k, _ value.Value) bool { kk, _ := value.Key(k); return kk != key })
		case "remove_keys", "restrict":
			ok := true
			out := mp.Where(func(k, _ value.Value) bool {
				t := m.setHas(o, k)
				ok = ok && t != value.Undecided
				return (t == value.True) == (name == "restrict")
			})
			if !ok {
				return m.unspecified("membership")
			}
			return out
		case "union_prefer_right":
			x, ok := o.(*value.Map)
			if !ok || mp.Len()+x.Len() > maxElems {
				return m.unspecified("the union with a map that is not known")
			}
			out := mp
			for i, k := range x.Dom().Elems() {
				out = out.With(k, x.Vals()[i])
				if m.tick(out.Len() / 4) {
					return m.unspecified("too many steps")
				}
			}
			return out
		case "submap_of", "agrees":
			x, ok := o.(*value.Map)
			if !ok {
				return m.unspecified(name + " of a map that is not known")
			}
			t := value.True
			for i, k := range mp.Dom().Elems() {
				v := x.Get(k)
				switch {
				case v != nil:
					t = t.And(m.equal(mp.Vals()[i], v))
				case name == "submap_of":
					t = value.False
				}
			}
			return m.truth(t, "equality of values")
		case "map_values":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			out := &value.Map{}
			for i, k := range mp.Dom().Elems() {
				out = out.With(k, m.apply(f, []value.Value{mp.Vals()[i]}))
				if m.tick(out.Len() / 4) {
					return m.unspecified("too many steps")
				}
			}
			return out
		case "map_entries":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			out := &value.Map{}
			for i, k := range mp.Dom().Elems() {
				out = out.With(k, m.apply(f, []value.Value{k, mp.Vals()[i]}))
				if m.tick(out.Len() / 4) {
					return m.unspecified("too many steps")
				}
			}
			return out
		}
	case 2:
		switch name {
		case "insert":
			if !value.Exact(args[0]) || mp.Len() >= maxElems {
				return m.unspecified("a key whose equality is not determined")
			}
			return mp.With(args[0], args[1])
		case "contains_pair":
			if !value.Exact(args[0]) {
				return m.unspecified("a key whose equality is not determined")
			}
			v := mp.Get(args[0])
			if v == nil {
				return value.Bool(false)
			}
			return m.truth(m.equal(v, args[1]), "equality of values")
		}
	}
	return nil
}

// newMap builds a map from the conditions of Map::new where its domain can be listed.
func (m *machine) newMap(in, val *function) value.Value {
	elems, ok := m.domainOf(in)
	if !ok {
		return &condMap{in: in, val: val}
	}
	out := &value.Map{}
	for _, k := range elems {
		switch truthOf(m.apply(in, []value.Value{k})) {
		case value.True:
			if !value.Exact(k) {
				return m.unspecified("a key whose equality is not determined")
			}
			out = out.With(k, m.apply(val, []value.Value{k}))
		case value.Undecided:
			return m.unspecified("a map by a condition that is not decided")
		}
		if m.tick(out.Len()) {
			return m.unspecified("too many steps")
		}
	}
	return out
}

func (m *machine) multisetMethod(s *value.Multiset, name string, args []value.Value) value.Value {
	m.tick(s.Dom().Len() / 4)
	combine := func(o *value.Multiset, sign int) value.Value {
		out := s
		for _, v := range o.Dom().Elems() {
			out = out.Change(v, sign*o.Count(v))
			if m.tick(1 + out.Dom().Len()/4) {
				return m.unspecified("too many steps")
			}
		}
		return out
	}
	switch len(args) {
	case 0:
		switch name {
		case "len":
			return value.Small(int64(s.Len()), value.NatT)
		case "is_empty":
			return value.Bool(s.Len() == 0)
		case "dom":
			return s.Dom()
		case "choose":
			if s.Dom().Len() == 1 {
				return s.Dom().Elems()[0]
			}
			return m.unspecified("choose with several witnesses or none")
		}
	case 1:
		o := args[0]
		switch name {
		case "count", "contains", "insert", "remove":
			if !value.Exact(o) || s.Len() > maxElems {
				return m.unspecified("an element whose equality is not determined")
			}
			switch name {
			case "count":
				return value.Small(int64(s.Count(o)), value.NatT)
			case "contains":
				return value.Bool(s.Count(o) > 0)
			case "insert":
				return s.Change(o, 1)
			}
			return s.Change(o, -1)
		case "add", "sub", "subset_of", "is_disjoint_from", "intersection_with", "difference_with":
			x, ok := o.(*value.Multiset)
			if !ok || s.Len()+x.Len() > maxElems {
				return m.unspecified("a multiset that is not known")
			}
			switch name {
			case "add":
				return combine(x, 1)
			case "sub", "difference_with":
				return combine(x, -1)
			case "intersection_with":
				out := &value.Multiset{}
				for _, v := range s.Dom().Elems() {
					out = out.Change(v, min(s.Count(v), x.Count(v)))
					if m.tick(out.Dom().Len() / 4) {
						return m.unspecified("too many steps")
					}
				}
				return out
			}
			for _, v := range s.Dom().Elems() {
				if name == "subset_of" && s.Count(v) > x.Count(v) || name == "is_disjoint_from" && x.Count(v) > 0 {
					return value.Bool(false)
				}
			}
			return value.Bool(true)
		case "filter":
			f := closure(args, 0, 1)
			if f == nil {
				return nil
			}
			out := &value.Multiset{}
			for _, v := range s.Dom().Elems() {
				switch truthOf(m.apply(f, []value.Value{v})) {
				case value.True:
					out = out.Change(v, s.Count(v))
					m.tick(out.Dom().Len() / 4)
				case value.Undecided:
					return m.unspecified("filter by a condition that is not decided")
				}
			}
			return out
		}
	}
	return nil
}

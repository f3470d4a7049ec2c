// Package value holds values of the types that Verus's specification code works with: unbounded and fixed-width integers, truth
// values, characters, exact reals, tuples, structs and enums, sequences, sets, maps and multisets.
//
// Values are immutable. Box, Rc, Arc and references do not show: a value stands for what they point to.
package value

import (
	"math/big"
	"slices"
	"strings"
)

// Kind tells values apart.
type Kind uint8

const (
	_            Kind = iota
	KUnspecified      // Unspecified
	KBool             // Bool
	KInt              // Int
	KChar             // Char
	KReal             // Real
	KTuple            // Tuple; the unit value is the empty one
	KData             // *Data: structs and enums, Option and Result among them
	KList             // *List: sequences, vectors, slices, arrays, strings
	KSet              // *Set
	KMap              // *Map
	KMultiset         // *Multiset
	KOther            // a value that only the evaluator knows: a function, a set given by a condition
)

// Value is one of the types of this package, or one of the evaluator's own of kind KOther.
type Value interface{ Kind() Kind }

// Unspecified is a value that Verus's logic does not determine, or that was not found within the bounds. Nothing may be concluded
// from it: it is equal to nothing and different from nothing.
type Unspecified struct {
	// Reason says why, in a few words: "index out of range".
	Reason string
}

// Bool is a truth value.
type Bool bool

// Char is a Unicode scalar value.
type Char rune

// Real is an exact real number.
type Real struct{ R *big.Rat }

// Tuple is a tuple; the empty one is ().
type Tuple []Value

// Data is a struct, or a value of one variant of an enum.
type Data struct {
	// Type is the full path of the type ("krate::module::Name"); Option, Result, Ghost and Tracked go by that name alone.
	Type string
	// Variant is the name of the variant; empty for a struct.
	Variant string
	// Names of the fields; nil when they have none, as in Some(1).
	Names []string
	// Fields in the order of declaration.
	Fields []Value
	// Opaque says that the fields are only what is known of the value: two with the same fields may differ.
	Opaque bool
}

// ListKind says what type a List is of.
type ListKind uint8

const (
	_ ListKind = iota
	Seq
	Vec
	Slice
	Array
	String // String and &str: a list of characters
)

// List is a finite sequence.
type List struct {
	Of    ListKind
	Elems []Value
}

// Set is a finite set of values whose equality is determined (Exact). Its elements are in the order of their keys.
type Set struct {
	elems []Value
	keys  []string
}

// Map is a map with a finite domain of values whose equality is determined (Exact). Its entries are in the order of their keys.
type Map struct {
	dom  Set
	vals []Value
}

// Multiset is a finite multiset of values whose equality is determined (Exact), in the order of their keys.
type Multiset struct {
	dom    Set
	counts []int
}

// Unit is ().
func Unit() Value { return Tuple(nil) }

// Kind of the value.
func (Unspecified) Kind() Kind { return KUnspecified }

// Kind of the value.
func (Bool) Kind() Kind { return KBool }

// Kind of the value.
func (Char) Kind() Kind { return KChar }

// Kind of the value.
func (Real) Kind() Kind { return KReal }

// Kind of the value.
func (Tuple) Kind() Kind { return KTuple }

// Kind of the value.
func (*Data) Kind() Kind { return KData }

// Kind of the value.
func (*List) Kind() Kind { return KList }

// Kind of the value.
func (*Set) Kind() Kind { return KSet }

// Kind of the value.
func (*Map) Kind() Kind { return KMap }

// Kind of the value.
func (*Multiset) Kind() Kind { return KMultiset }

// Field returns the field of that name or index; nil if there is none.
func (d *Data) Field(name string) Value {
	if i := slices.Index(d.Names, name); i >= 0 {
		return d.Fields[i]
	}
	if d.Names == nil {
		if i, ok := index(name); ok && i < len(d.Fields) {
			return d.Fields[i]
		}
	}
	return nil
}

func index(s string) (int, bool) {
	if s == "" || len(s) > 6 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// Some is Some(v).
func Some(v Value) *Data { return &Data{Type: "Option", Variant: "Some", Fields: []Value{v}} }

// None is None.
func None() *Data { return &Data{Type: "Option", Variant: "None"} }

// Text makes a string's value.
func Text(s string) *List {
	l := &List{Of: String}
	for _, r := range s {
		l.Elems = append(l.Elems, Char(r))
	}
	return l
}

// NewSet makes a set of values; ok is false when the equality of one of them is not determined.
func NewSet(elems []Value) (s *Set, ok bool) {
	type entry struct {
		key string
		val Value
	}
	entries := make([]entry, 0, len(elems))
	for _, v := range elems {
		if !Exact(v) {
			return nil, false
		}
		k, _ := Key(v)
		entries = append(entries, entry{k, v})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	s = &Set{}
	for i, e := range entries {
		if i > 0 && e.key == entries[i-1].key {
			continue
		}
		s.keys, s.elems = append(s.keys, e.key), append(s.elems, e.val)
	}
	return s, true
}

// Len is the number of elements.
func (s *Set) Len() int { return len(s.elems) }

// Elems are the elements in a fixed order. They must not be changed.
func (s *Set) Elems() []Value { return s.elems }

// Has tells whether v, whose equality must be determined, is an element.
func (s *Set) Has(v Value) bool {
	k, ok := Key(v)
	if !ok {
		return false
	}
	_, found := slices.BinarySearch(s.keys, k)
	return found
}

// Where returns the set of the elements for which keep is true.
func (s *Set) Where(keep func(Value) bool) *Set {
	out := &Set{}
	for i, v := range s.elems {
		if keep(v) {
			out.elems, out.keys = append(out.elems, v), append(out.keys, s.keys[i])
		}
	}
	return out
}

// With returns the set with v, whose equality must be determined, put in.
func (s *Set) With(v Value) *Set {
	k, ok := Key(v)
	if !ok {
		return s
	}
	i, found := slices.BinarySearch(s.keys, k)
	if found {
		return s
	}
	return &Set{elems: insertAt(s.elems, i, v), keys: insertAt(s.keys, i, k)}
}

// Union of two sets.
func (s *Set) Union(o *Set) *Set {
	out := &Set{}
	i, j := 0, 0
	for i < len(s.keys) || j < len(o.keys) {
		switch {
		case j == len(o.keys) || i < len(s.keys) && s.keys[i] <= o.keys[j]:
			if j < len(o.keys) && s.keys[i] == o.keys[j] {
				j++
			}
			out.keys, out.elems = append(out.keys, s.keys[i]), append(out.elems, s.elems[i])
			i++
		default:
			out.keys, out.elems = append(out.keys, o.keys[j]), append(out.elems, o.elems[j])
			j++
		}
	}
	return out
}

// Equal tells whether two sets have the same elements.
func (s *Set) Equal(o *Set) bool { return slices.Equal(s.keys, o.keys) }

func insertAt[T any](list []T, i int, v T) []T {
	out := make([]T, 0, len(list)+1)
	out = append(out, list[:i]...)
	out = append(out, v)
	return append(out, list[i:]...)
}

// Dom is the domain.
func (m *Map) Dom() *Set { return &m.dom }

// Len is the number of entries.
func (m *Map) Len() int { return len(m.vals) }

// Get returns the value at a key; nil if the domain lacks it.
func (m *Map) Get(k Value) Value {
	key, ok := Key(k)
	if !ok {
		return nil
	}
	if i, found := slices.BinarySearch(m.dom.keys, key); found {
		return m.vals[i]
	}
	return nil
}

// With returns the map with k, whose equality must be determined, mapped to v.
func (m *Map) With(k, v Value) *Map {
	key, ok := Key(k)
	if !ok {
		return m
	}
	i, found := slices.BinarySearch(m.dom.keys, key)
	if found {
		vals := slices.Clone(m.vals)
		vals[i] = v
		return &Map{dom: m.dom, vals: vals}
	}
	return &Map{dom: Set{elems: insertAt(m.dom.elems, i, k), keys: insertAt(m.dom.keys, i, key)}, vals: insertAt(m.vals, i, v)}
}

// Where returns the map of the entries for which keep is true.
func (m *Map) Where(keep func(k, v Value) bool) *Map {
	out := &Map{}
	for i, k := range m.dom.elems {
		if keep(k, m.vals[i]) {
			out.dom.elems, out.dom.keys = append(out.dom.elems, k), append(out.dom.keys, m.dom.keys[i])
			out.vals = append(out.vals, m.vals[i])
		}
	}
	return out
}

// Vals are the values in the order of Dom().Elems(). They must not be changed.
func (m *Map) Vals() []Value { return m.vals }

// Dom is the set of the elements that occur.
func (m *Multiset) Dom() *Set { return &m.dom }

// Len is the number of elements, repetitions counted.
func (m *Multiset) Len() int {
	n := 0
	for _, c := range m.counts {
		n += c
	}
	return n
}

// Count tells how often v occurs.
func (m *Multiset) Count(v Value) int {
	k, ok := Key(v)
	if !ok {
		return 0
	}
	if i, found := slices.BinarySearch(m.dom.keys, k); found {
		return m.counts[i]
	}
	return 0
}

// Change returns the multiset with n more of v, or -n fewer, but never fewer than none. v's equality must be determined.
func (m *Multiset) Change(v Value, n int) *Multiset {
	k, ok := Key(v)
	if !ok {
		return m
	}
	i, found := slices.BinarySearch(m.dom.keys, k)
	switch {
	case !found && n <= 0:
		return m
	case !found:
		return &Multiset{dom: Set{elems: insertAt(m.dom.elems, i, v), keys: insertAt(m.dom.keys, i, k)}, counts: insertAt(m.counts, i, n)}
	}
	count := m.counts[i] + n
	if count > 0 {
		counts := slices.Clone(m.counts)
		counts[i] = count
		return &Multiset{dom: m.dom, counts: counts}
	}
	return &Multiset{
		dom:    Set{elems: slices.Delete(slices.Clone(m.dom.elems), i, i+1), keys: slices.Delete(slices.Clone(m.dom.keys), i, i+1)},
		counts: slices.Delete(slices.Clone(m.counts), i, i+1),
	}
}

// NewMultiset makes a multiset of values; ok is false when the equality of one of them is not determined.
func NewMultiset(elems []Value) (m *Multiset, ok bool) {
	set, ok := NewSet(elems)
	if !ok {
		return nil, false
	}
	m = &Multiset{dom: *set, counts: make([]int, len(set.elems))}
	for _, v := range elems {
		k, _ := Key(v)
		i, _ := slices.BinarySearch(set.keys, k)
		m.counts[i]++
	}
	return m, true
}

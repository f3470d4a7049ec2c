package obligation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// genericsOf are the generic parameters around and of a function, in order: of its impl or trait, then its own.
func (w *Writer) genericsOf(f *model.Function) []syntax.Node {
	if g, ok := w.generics[f]; ok {
		return g
	}
	var out []syntax.Node
	if p, err := placeOf(f); err == nil {
		for _, n := range []syntax.Node{p.impl, p.trait} {
			out = slices.AppendSeq(out, n.Get(syntax.FGenerics).All(syntax.FParam))
		}
	}
	out = slices.AppendSeq(out, f.Node.Get(syntax.FGenerics).All(syntax.FParam))
	w.generics[f] = out
	return out
}

func genericName(g syntax.Node) string {
	return cmp.Or(g.Get(syntax.FName).Text(), g.FirstToken().Text())
}

func (w *Writer) genericNames(f *model.Function) map[string]bool {
	if m, ok := w.genericSet[f]; ok {
		return m
	}
	m := map[string]bool{}
	for _, g := range w.genericsOf(f) {
		m[genericName(g)] = true
	}
	w.genericSet[f] = m
	return m
}

// boundsOf are what is asked of the generic parameters, canonical, with names replaced.
func (w *Writer) boundsOf(f *model.Function, names map[string]string) []string {
	var out []string
	for _, g := range w.genericsOf(f) {
		if b := g.Get(syntax.FBounds); b.Valid() && g.Kind() == syntax.TypeParam {
			for one := range b.All(syntax.FBound) {
				out = append(out, replaceWords(genericName(g)+": "+syntax.Canon(one), names))
			}
		}
	}
	var where []syntax.Node
	if p, err := placeOf(f); err == nil {
		where = append(where, p.impl.Get(syntax.FWhere), p.trait.Get(syntax.FWhere))
	}
	for _, n := range append(where, f.Node.Get(syntax.FWhere)) {
		for pred := range n.All(syntax.FPred) {
			if pred.Get(syntax.FType).Kind() == syntax.Lifetime || pred.Get(syntax.FBinder).Valid() {
				out = append(out, replaceWords(syntax.Canon(pred), names))
				continue
			}
			for one := range pred.Get(syntax.FBounds).All(syntax.FBound) {
				out = append(out, replaceWords(syntax.Canon(pred.Get(syntax.FType))+": "+syntax.Canon(one), names))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// replaceWords replaces whole words.
func replaceWords(s string, names map[string]string) string {
	if len(names) == 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && syntax.WordByte(s[j]) {
			j++
		}
		if j == i {
			b.WriteByte(s[i])
			i++
			continue
		}
		if to, ok := names[s[i:j]]; ok && (i == 0 || s[i-1] != '\'') {
			b.WriteString(to)
		} else {
			b.WriteString(s[i:j])
		}
		i = j
	}
	return b.String()
}

// renamed maps base's generic parameters to head's, by position.
func (w *Writer) renamed(head, base *model.Function) (map[string]string, *failure) {
	hs, bs := w.genericsOf(head), w.genericsOf(base)
	if len(hs) != len(bs) {
		return nil, fail(TypesChanged, "the number of type parameters differs")
	}
	out := map[string]string{}
	for i := range hs {
		if hs[i].Kind() != bs[i].Kind() {
			return nil, fail(TypesChanged, "the type parameters are of other kinds")
		}
		if h, b := genericName(hs[i]), genericName(bs[i]); h != b {
			out[b] = h
		}
	}
	return out, nil
}

// comparable checks that two functions have the same signature, names aside, and returns base's parameters.
func (w *Writer) comparable(head, base *model.Function) ([]param, *failure) {
	names, err := w.renamed(head, base)
	if err != nil {
		return nil, err
	}
	if len(head.Params) != len(base.Params) {
		return nil, fail(TypesChanged, "the number of parameters differs")
	}
	for i := range head.Params {
		b, h := replaceWords(base.Params[i].Type, names), head.Params[i].Type
		if b != h {
			return nil, fail(TypesChanged, "a parameter of type "+b+" is now "+h)
		}
	}
	if b := replaceWords(base.ResultType, names); b != head.ResultType {
		return nil, fail(TypesChanged, "the result of type "+cmp.Or(b, "()")+" is now "+cmp.Or(head.ResultType, "()"))
	}
	if b := replaceWords(base.Self, names); b != head.Self && base.Self != "" {
		if w.headType(base.Self) != head.Self {
			return nil, fail(TypesChanged, "a function of "+cmp.Or(b, "no type")+" is now one of "+cmp.Or(head.Self, "no type"))
		}
	}
	if !slices.Equal(w.boundsOf(base, names), w.boundsOf(head, nil)) {
		return nil, fail(BoundsChanged, "the bounds of the type parameters differ")
	}
	// Types of the same name and another definition.
	changed := w.changedTypes()
	signature := head.Self
	for _, p := range head.Params {
		signature += " " + p.Type
	}
	for _, word := range wordsIn(signature + " " + head.ResultType) {
		if changed[word] {
			return nil, fail(TypesChanged, "the definition of "+word+" changed")
		}
	}
	for word := range wordsOf(base) {
		if changed[word] {
			return nil, fail(OtherMeaning, "base's contract names "+word+", whose definition changed")
		}
	}
	for _, g := range w.pairs.Base.SpecReach(base) {
		for t := range g.Node.Tokens() {
			if changed[t.Text()] {
				return nil, fail(OtherMeaning, "base's contract rests on "+t.Text()+", whose definition changed")
			}
		}
	}
	for word := range wordsOf(base) {
		if w.substitutes()[word] {
			return nil, fail(OtherMeaning, "`"+word+"` stands for another specification now")
		}
	}
	return paramsOf(base)
}

// headType is the self type in head of a type of base that moved.
func (w *Writer) headType(base string) string {
	for _, p := range w.pairs.Items {
		if p.Base == nil || p.Head == nil || p.Base.Kind != model.StructItem && p.Base.Kind != model.EnumItem {
			continue
		}
		if p.Base.Symbol == base || p.Base.Name == base {
			return p.Head.Symbol
		}
	}
	return base
}

func wordsIn(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r < 0x80 && !syntax.WordByte(byte(r)) })
}

// changedTypes are the names of types and traits that head does not have, or has with another definition, and of types made of such.
func (w *Writer) changedTypes() map[string]bool {
	if w.types != nil {
		return w.types
	}
	w.types = map[string]bool{}
	kind := func(k model.ItemKind) bool {
		switch k {
		case model.StructItem, model.EnumItem, model.UnionItem, model.TypeAliasItem, model.TraitItem:
			return true
		}
		return false
	}
	for _, p := range w.pairs.Items {
		if p.Base != nil && kind(p.Base.Kind) && w.itemChanged(p.Base) {
			w.types[p.Base.Name] = true
			if p.Head != nil {
				w.types[p.Head.Name] = true
			}
		}
	}
	for again := len(w.types) > 0; again; {
		again = false
		for _, p := range w.pairs.Items {
			if p.Base == nil || !kind(p.Base.Kind) || p.Base.Kind == model.TraitItem || w.types[p.Base.Name] {
				continue
			}
			if slices.ContainsFunc(wordsIn(p.Base.Text), func(s string) bool { return w.types[s] }) {
				w.types[p.Base.Name] = true
				again = true
			}
		}
	}
	return w.types
}

// substitutes are the names of executable functions that stand for another spec function now.
func (w *Writer) substitutes() map[string]bool {
	if w.specs != nil {
		return w.specs
	}
	w.specs = map[string]bool{}
	for _, p := range w.pairs.Functions {
		if p.Base != nil && p.Head != nil && p.Base.Substitute() != p.Head.Substitute() {
			w.specs[p.Base.Name] = true
		}
	}
	return w.specs
}

// rename is the home of base's words beside head: its type parameters are head's by position.
func (w *Writer) rename(head, base *model.Function, h *home) (*home, *failure) {
	names, err := w.renamed(head, base)
	if err != nil {
		return nil, err
	}
	words := wordsOf(base)
	out := &home{types: map[string]string{}, projection: h.projection}
	for k, v := range h.types {
		out.types[k] = v
	}
	for b, n := range names {
		if words[n] {
			return nil, fail(OtherMeaning, "type parameter "+b+" is now "+n+", which base's contract uses otherwise")
		}
		out.types[b] = n
	}
	return out, nil
}

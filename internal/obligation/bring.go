package obligation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// brought are the definitions of base that are written beside the questions, under new names, because head's are others. A nil one
// brings nothing.
type brought struct {
	fns     map[*model.Function]string
	items   map[*model.Item]string
	methods map[string]string // method names with what they become
	names   map[string]bool
	texts   []definition
}

// definition is one of them as it is written.
type definition struct {
	of   any // the function or item
	text string
}

// maxBrought bounds how many definitions are brought along for one contract.
const maxBrought = 60

func (b *brought) has(name string) bool { return b != nil && b.names[name] }

func (b *brought) method(name string) (string, bool) {
	if b == nil {
		return "", false
	}
	to, ok := b.methods[name]
	return to, ok
}

// path replaces a path that means a definition that was brought along.
func (b *brought) path(r *rewriter, n, last syntax.Node) bool {
	word := last.FirstToken().Text()
	if !b.has(word) || n.Field() == syntax.FBound || n.Field() == syntax.FTrait {
		return false
	}
	def := r.m.Resolve(r.words, n, false)
	for _, f := range def.Functions {
		to, ok := b.fns[f]
		if !ok {
			continue
		}
		if f.Self == "" {
			r.edits = append(r.edits, edit{n.Span().Start, last.FirstToken().Span().End, to})
			return true
		}
		r.replaceToken(last.FirstToken(), to)
		first := n.FirstToken()
		if text, ok := r.types[first.Text()]; ok && text != first.Text() {
			r.replaceToken(first, "<"+text+">")
		}
		return true
	}
	if to, ok := b.items[def.Item]; ok && def.Item != nil {
		r.edits = append(r.edits, edit{n.Span().Start, last.FirstToken().Span().End, to})
		return true
	}
	if strings.HasPrefix(def.To, "?") && !(r.bound[word] && !n.Get(syntax.FQSelf).Valid()) {
		r.fail(CannotBring, "`"+n.Text()+"` may mean a definition that changed")
	}
	return false
}

// bring finds the definitions that base's contract reaches and head changed, dropped or renamed, and writes them for the place of at.
func (w *Writer) bring(b, at *model.Function) (*brought, *failure) {
	base := w.pairs.Base
	reach := base.SpecReach(b)
	out := &brought{fns: map[*model.Function]string{}, items: map[*model.Item]string{}, methods: map[string]string{}, names: map[string]bool{}}
	// Constants that changed, in the contract or in a definition that it reaches.
	refs := func(f *model.Function) []*model.Item {
		var items []*model.Item
		for _, r := range slices.Concat(f.GhostRefs, f.ExecRefs) {
			if it := r.Target; it != nil && (it.Kind == model.ConstItem || it.Kind == model.StaticItem) && w.itemChanged(it) && !slices.Contains(items, it) {
				items = append(items, it)
			}
		}
		return items
	}
	dirty := map[*model.Function]bool{}
	for _, g := range reach {
		if w.definitionChanged(g) || len(refs(g)) > 0 {
			dirty[g] = true
		}
	}
	for _, g := range append([]*model.Function{b}, reach...) {
		if p := w.pairs.OfBase(g); p != nil && p.Rebound() {
			return nil, fail(CannotBring, "a pattern of `"+g.Symbol+"` binds a name on one side that is a constant on the other")
		}
	}
	var fns []*model.Function
	var items []*model.Item
	for _, it := range refs(b) {
		if w.mentioned(b, it.Name) {
			items = append(items, it)
		}
	}
	for _, g := range reach {
		if dirty[g] || len(dirty) > 0 && slices.ContainsFunc(base.SpecReach(g), func(h *model.Function) bool { return dirty[h] }) {
			fns = append(fns, g)
			for _, it := range refs(g) {
				if !slices.Contains(items, it) {
					items = append(items, it)
				}
			}
		}
	}
	if err := w.unmoved(b, reach, fns, items); err != nil {
		return nil, err
	}
	if len(fns)+len(items) == 0 {
		return nil, nil
	}
	// A method call says only the name: all methods of that name come along.
	for _, g := range reach {
		if g.Self != "" && !slices.Contains(fns, g) && slices.ContainsFunc(fns, func(f *model.Function) bool { return f.Self != "" && f.Name == g.Name }) {
			fns = append(fns, g)
		}
	}
	if len(fns)+len(items) > maxBrought {
		return nil, fail(CannotBring, "more than "+strconv.Itoa(maxBrought)+" definitions changed")
	}
	for _, g := range fns {
		name := "`" + g.Symbol + "`"
		switch {
		case g.Self != "" && model.ForOperator(g.Name):
			return nil, fail(CannotBring, name+" changed, and an operator that means it means head's wherever it stands")
		case g.TypeInvariant():
			return nil, fail(CannotBring, "the type invariant "+name+" changed: it holds without being named")
		case g.Kind == model.TraitMethod || g.Kind == model.TraitImplMethod:
			return nil, fail(CannotBring, name+" changed, and a trait's definition cannot stand beside another one")
		case g.Kind == model.NestedFunction || g.Kind == model.MacroFunction || g.Node.Kind() == syntax.AssumeSpecification || len(g.Unknown) > 0:
			return nil, fail(CannotBring, name+" changed and stands where it cannot be copied")
		case g.Node.File() != g.File.Syntax:
			return nil, fail(CannotBring, name+" changed and is not in the text of its file")
		}
		to := w.prefix + "base_" + g.Name // methods share a name, as their calls do
		if g.Self == "" {
			to = w.baseName(g, g.Name)
		}
		out.fns[g] = to
		out.names[g.Name] = true
		if g.Self != "" {
			out.methods[g.Name] = to
		}
	}
	for _, it := range items {
		if it.Node.File() != it.File.Syntax {
			return nil, fail(CannotBring, "`"+it.Symbol+"` changed and is not in the text of its file")
		}
		out.items[it] = w.baseName(it, it.Name)
		out.names[it.Name] = true
	}
	for _, it := range items {
		fr := &frame{w: w, words: b, m: base, at: at, types: map[string]string{}, brought: out}
		text, err := w.definition(fr, it.Node, out.items[it])
		if err != nil {
			return nil, err
		}
		out.texts = append(out.texts, definition{it, text})
	}
	for _, g := range fns {
		fr := &frame{w: w, words: g, m: base, at: at, types: map[string]string{}, brought: out, bare: bareBefore}
		text, err := w.definition(fr, g.Node, out.fns[g])
		if err != nil {
			return nil, err
		}
		if g.Self != "" {
			p, err := placeOf(g)
			if err != nil {
				return nil, fail(CannotBring, "`"+g.Symbol+"`: "+err.detail)
			}
			head, err := fr.implHeader(p.impl)
			if err != nil {
				return nil, err
			}
			text = head + " {\n" + text + "\n}"
		}
		out.texts = append(out.texts, definition{g, text})
	}
	return out, nil
}

// unmoved fails if base's contract, or a definition that it reaches, has the name of a constant, macro or spec function that changed and does
// not come along, as the model may not have seen what the name means; or that of a method that only head has, such as an impl's own version of a
// default of its trait.
func (w *Writer) unmoved(b *model.Function, reach, fns []*model.Function, items []*model.Item) *failure {
	if w.changedNames == nil {
		w.changedNames = map[string]bool{}
		for _, p := range w.pairs.Items {
			if p.Base == nil {
				continue
			}
			switch p.Base.Kind {
			case model.ConstItem, model.StaticItem, model.MacroItem:
				if w.itemChanged(p.Base) {
					w.changedNames[p.Base.Name] = true
				}
			}
		}
		for _, p := range w.pairs.Functions {
			if g := p.Base; g != nil && (g.Mode == model.Spec && g.Self == "" || g.Kind == model.ConstFunction) && w.definitionChanged(g) {
				w.changedNames[g.Name] = true
			}
		}
		w.newMethods = map[string]bool{}
		for _, p := range w.pairs.Functions {
			if h := p.Head; p.Base == nil && (h.Self != "" || h.Trait != "") && (h.Mode == model.Spec || h.Substitute() != "") {
				w.newMethods[h.Name] = true
			}
		}
	}
	if len(w.changedNames)+len(w.newMethods) == 0 {
		return nil
	}
	comes := map[string]bool{}
	for _, g := range fns {
		comes[g.Name] = true
	}
	for _, it := range items {
		comes[it.Name] = true
	}
	check := func(n syntax.Node, own map[string]bool) *failure {
		bound := boundIn(n)
		last := ""
		for t := range n.Tokens() {
			word := t.Text()
			if w.newMethods[word] && (last == "." || last == "::") {
				return fail(OtherMeaning, "head has a new method `"+word+"`, which base's contract does not mean")
			}
			last = word
			if w.changedNames[word] && !comes[word] && !bound[word] && !own[word] {
				return fail(CannotBring, "`"+word+"` changed, and it is not known whether base's contract means it")
			}
		}
		return nil
	}
	own := map[string]bool{}
	for _, f := range []*model.Function{b, b.TraitMethod} {
		if f != nil {
			for _, p := range f.Params {
				own[p.Name] = true
			}
			own[f.Result] = true
		}
	}
	for _, c := range b.Contract() {
		if err := check(c.Node, own); err != nil {
			return err
		}
	}
	for _, g := range reach {
		params := map[string]bool{g.Name: true}
		for _, p := range g.Params {
			params[p.Name] = true
		}
		if err := check(g.Node.Get(syntax.FBody), params); err != nil {
			return err
		}
	}
	return nil
}

// baseName is the name under which a definition of base is written; no two have the same.
func (w *Writer) baseName(of any, name string) string {
	if to := w.baseNames[of]; to != "" {
		return to
	}
	to := w.prefix + "base_" + name
	for n := 2; w.baseTaken[to]; n++ {
		to = w.prefix + "base" + strconv.Itoa(n) + "_" + name
	}
	w.baseNames[of], w.baseTaken[to] = to, true
	return to
}

// definition is the text of a spec function or constant under another name.
func (w *Writer) definition(fr *frame, n syntax.Node, to string) (string, *failure) {
	name := n.Get(syntax.FName).Span()
	return fr.copy(n, edit{name.Start, name.End, to})
}

// implHeader is `impl<..> T where ..` of an impl, without its trait.
func (fr *frame) implHeader(im syntax.Node) (string, *failure) {
	text := "impl"
	if g := im.Get(syntax.FGenerics); g.Valid() {
		t, err := fr.copy(g)
		if err != nil {
			return "", err
		}
		text += t
	}
	t, err := fr.copy(im.Get(syntax.FSelfType))
	if err != nil {
		return "", err
	}
	text += " " + t
	if g := im.Get(syntax.FWhere); g.Valid() {
		t, err := fr.copy(g)
		if err != nil {
			return "", err
		}
		text += " " + t
	}
	return text, nil
}

// definitionChanged tells a spec function or constant of base that head does not have, or has with another meaning or name.
func (w *Writer) definitionChanged(g *model.Function) bool {
	p := w.pairs.OfBase(g)
	if p == nil {
		return false // not in a file of the change
	}
	if p.Head == nil || p.Head.Symbol != g.Symbol || p.Head.Crate.Key != g.Crate.Key {
		return true
	}
	if p.What&(pair.Body|pair.GhostRefs|pair.Mode|pair.Signature|pair.Executable) != 0 {
		return true
	}
	return (g.Publish == model.Uninterpreted) != (p.Head.Publish == model.Uninterpreted) || g.DecreasesWhen() != p.Head.DecreasesWhen()
}

// itemChanged tells an item of base that head does not have, or has with another text.
func (w *Writer) itemChanged(it *model.Item) bool {
	if w.pairs == nil {
		return false
	}
	p := w.pairs.OfBaseItem(it)
	if p == nil {
		return false
	}
	if p.Head == nil {
		return true
	}
	switch it.Kind {
	case model.StructItem, model.EnumItem, model.UnionItem, model.TypeAliasItem:
		// Where it stands, who sees it and what is derived for it does not matter.
		return p.Head.Kind != it.Kind || shape(p.Head.Node) != shape(it.Node)
	}
	return p.Head.Symbol != it.Symbol || p.Head.Text != it.Text || p.What&(pair.Executable|pair.Body|pair.GhostRefs) != 0
}

// shape is a type's definition without attributes, visibility and name.
func shape(n syntax.Node) string {
	var b strings.Builder
	for c := range n.Children() {
		switch c.Field() {
		case syntax.FAttr, syntax.FVis, syntax.FName:
		case syntax.FFields:
			for f := range c.All(syntax.FFieldDecl) {
				b.WriteString(f.Get(syntax.FMode).Text() + " " + f.Get(syntax.FName).Text() + ": " + syntax.Canon(f.Get(syntax.FType)) + ", ")
			}
		case syntax.FVariant:
			b.WriteString(c.Get(syntax.FName).Text() + " " + shape(c) + "; ")
		default:
			b.WriteString(syntax.Canon(c) + " ")
		}
	}
	return b.String()
}

// mentioned tells whether a word is in the contract of a function.
func (w *Writer) mentioned(f *model.Function, word string) bool {
	for _, c := range f.Contract() {
		for t := range c.Node.Tokens() {
			if t.Text() == word {
				return true
			}
		}
	}
	return false
}

// toHead is the symbol that a definition has in the tree of the shadows; inCrate tells whether it is in the crate of the shadow. The symbol
// is empty for a definition that is gone.
func (w *Writer) toHead(m *model.Model, at *model.Function, d model.Definition) (symbol string, inCrate bool) {
	symbol = d.To
	if w.pairs != nil && m == w.pairs.Base && m != w.m {
		switch {
		case len(d.Functions) > 0:
			if p := w.pairs.OfBase(d.Functions[0]); p != nil {
				if p.Head == nil {
					return "", false
				}
				symbol = p.Head.Crate.Key + "::" + p.Head.Path
			}
		case d.Item != nil:
			if p := w.pairs.OfBaseItem(d.Item); p != nil {
				if p.Head == nil {
					return "", false
				}
				rest, _ := strings.CutPrefix(d.To, d.Item.Crate.Key+"::"+d.Item.Path)
				symbol = p.Head.Crate.Key + "::" + p.Head.Path + rest
			}
		}
	}
	return symbol, strings.HasPrefix(symbol, at.Crate.Key+"::")
}

package pair

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// otherType is a type whose definition says something else now.
type otherType struct {
	*Item
	// members are the fields and variants that are new, gone or of another type; empty: the whole is another type.
	members map[string]bool
	// variants tells that some of the members are variants that are new.
	variants bool
	// erased tells that nothing of the change is in code that runs.
	erased bool
}

// findTypes finds those, by head's symbol, and the generated names.
func (p *Pairs) findTypes() {
	p.types, p.made, p.associated = map[string]*otherType{}, map[string]*Item{}, nil
	var all []*Item
	for _, it := range p.Items {
		if it.Base == nil || it.Head == nil {
			continue
		}
		switch it.Head.Kind {
		case model.StructItem, model.EnumItem, model.UnionItem:
			all = append(all, it)
		case model.MacroCallItem:
			if name := generated(it.Head); name != "" && it.Base.Text != it.Head.Text {
				p.made[name] = it
			}
		case model.ImplItem:
			p.associated = append(p.associated, p.otherAssociated(it)...)
		}
	}
	// What a type is made of may have changed with the types in it.
	for again := true; again; {
		again = false
		for _, it := range all {
			symbol := it.Head.Crate.Key + "::" + it.Head.Path
			if p.types[symbol] != nil {
				continue
			}
			if t := p.otherType(it); t != nil {
				p.types[symbol], again = t, true
			}
		}
	}
}

// otherAssociated is an associated type of an impl that is another type now.
type otherAssociated struct {
	*Item
	name, base, head string
}

// otherAssociated are those of an impl.
func (p *Pairs) otherAssociated(it *Item) []otherAssociated {
	moved := map[string]bool{}
	for _, r := range slices.Concat(it.ExecDetail, it.GhostDetail) {
		if p.anotherDefinition(r) {
			moved[lastWord(r.Written)] = true
		}
	}
	if it.Base.Text == it.Head.Text && len(moved) == 0 {
		return nil
	}
	base := associatedTypes(it.Base.Node)
	var out []otherAssociated
	for n := range it.Head.Node.All(syntax.FItem) {
		name := n.Get(syntax.FName).Text()
		was, ok := base[name]
		if n.Kind() != syntax.TypeAlias || !ok {
			continue
		}
		b, h := InPlace(syntax.Canon(was.Get(syntax.FType)), it.Base.Node), InPlace(syntax.Canon(n.Get(syntax.FType)), it.Head.Node)
		if b != h || HasWord(n.Get(syntax.FType), moved) {
			out = append(out, otherAssociated{it, name, syntax.Canon(was), syntax.Canon(n)})
		}
	}
	return out
}

// associatedTypes are those that an impl defines, by name.
func associatedTypes(impl syntax.Node) map[string]syntax.Node {
	out := map[string]syntax.Node{}
	for n := range impl.All(syntax.FItem) {
		if n.Kind() == syntax.TypeAlias {
			out[n.Get(syntax.FName).Text()] = n
		}
	}
	return out
}

// namedIn tells whether an expression of a function names the associated type: as one of Self or of a type parameter, which may stand for any type, or by
// the type and the trait.
func (t otherAssociated) namedIn(n syntax.Node, f *model.Function) bool {
	refs, own := slices.Concat(f.GhostRefs, f.ExecRefs), slices.Concat(t.Head.ExecRefs, t.Head.GhostRefs)
	// may tells two paths, of the function and of the impl, that lead to one definition as far as it is known.
	may := func(there, here syntax.Node) bool {
		a, b := meantBy(refs, there), meantBy(own, here)
		return a == "" || b == "" || a == b
	}
	found := false
	n.Walk(func(e syntax.Node) bool {
		if e.Kind() != syntax.Path || found {
			return !found
		}
		words := strings.Split(pathText(e), "::")
		if q := e.Get(syntax.FQSelf); q.Valid() {
			found = words[0] == t.name && may(q.Get(syntax.FType), t.Head.Node.Get(syntax.FSelfType)) && may(q.Get(syntax.FTrait), t.Head.Node.Get(syntax.FTrait))
			return true
		}
		if len(words) < 2 || words[1] != t.name {
			return true
		}
		if words[0] == "Self" {
			found = f.Kind == model.TraitMethod || bare(f.Self) == bare(t.Head.Self)
		} else {
			found = slices.Contains(f.Generics, words[0]) // else it is a module's type or an enum's variant
		}
		return true
	})
	return found
}

// meantBy is what a path leads to, as its references say; empty: it is no path, means a type by another name, or is not known.
func meantBy(refs []model.Ref, path syntax.Node) string {
	if path.Kind() != syntax.Path || path.Get(syntax.FQSelf).Valid() {
		return ""
	}
	written := pathText(path)
	for _, r := range refs {
		if r.Written == written && !r.Macro {
			if r.Target != nil {
				return ""
			}
			return r.To
		}
	}
	return ""
}

// bare is a type as written without its arguments and where it stands.
func bare(typ string) string {
	typ, _, _ = strings.Cut(typ, "<")
	return lastWord(strings.TrimSpace(typ))
}

// generated is the name that others put in front of the parts of what the call of a macro makes, as X in `state_machine!{ X { .. } }`; empty: there is none. What is
// made is not known.
func generated(call *model.Item) string {
	var words []string
	for t := range call.Node.Get(syntax.FArgs).Tokens() {
		if words = append(words, t.Text()); len(words) == 3 {
			break
		}
	}
	if len(words) == 3 && words[2] == "{" {
		return words[1]
	}
	return ""
}

// otherType compares two definitions of a type; nil: they say the same. What is derived, who may see it and the order of what has a name do not count.
func (p *Pairs) otherType(it *Item) *otherType {
	out := &otherType{Item: it, members: map[string]bool{}, erased: !it.What.Has(Executable)}
	moved := map[string]bool{}
	for _, r := range slices.Concat(it.ExecDetail, it.GhostDetail) {
		if p.anotherDefinition(r) {
			moved[lastWord(r.Written)] = true
		}
	}
	for _, r := range slices.Concat(it.Head.ExecRefs, it.Head.GhostRefs) {
		if t := p.types[r.To]; t != nil {
			moved[lastWord(r.Written)] = true
			out.erased = out.erased && t.erased
		}
	}
	if !it.What.Has(Body) && len(moved) == 0 {
		return nil
	}
	b, h := membersOf(it.Base.Node), membersOf(it.Head.Node)
	for name, n := range h {
		was, ok := b[name]
		switch {
		case !ok:
			out.members[name] = true
			out.variants = out.variants || n.Kind() == syntax.Variant
		case InPlace(typeText(was), it.Base.Node) != InPlace(typeText(n), it.Head.Node) || HasWord(n, moved):
			out.members[name] = true
		}
	}
	for name := range b {
		if _, ok := h[name]; !ok {
			out.members[name] = true
		}
	}
	if InPlace(syntax.Canon(it.Base.Node.Get(syntax.FGenerics)), it.Base.Node) != InPlace(syntax.Canon(it.Head.Node.Get(syntax.FGenerics)), it.Head.Node) || it.Base.Kind != it.Head.Kind {
		out.members = nil
		return out
	}
	if len(out.members) == 0 {
		return nil
	}
	return out
}

// namesPart tells whether a path that begins with a name occurs.
func namesPart(nodes []syntax.Node, name string) bool {
	for _, n := range nodes {
		last := ""
		for t := range n.Tokens() {
			if last == name && t.Text() == "::" {
				return true
			}
			last = t.Text()
		}
	}
	return false
}

// membersOf are the fields and variants of a type by name; those of a tuple by number.
func membersOf(n syntax.Node) map[string]syntax.Node {
	out := map[string]syntax.Node{}
	for v := range n.All(syntax.FVariant) {
		out[v.Get(syntax.FName).Text()] = v
	}
	i := 0
	for f := range n.Get(syntax.FFields).All(syntax.FFieldDecl) {
		name := f.Get(syntax.FName).Text()
		if name == "" {
			name = strconv.Itoa(i)
		}
		out[name] = f
		i++
	}
	return out
}

// typeText is what a field or variant holds, whoever may see it.
func typeText(n syntax.Node) string {
	if n.Kind() != syntax.Variant {
		return syntax.Canon(n.Get(syntax.FType))
	}
	var out []string
	inner := membersOf(n)
	for name, f := range inner {
		out = append(out, name+": "+syntax.Canon(f.Get(syntax.FType)))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// InPlace is a text of a type's definition with the type's parameters by their places, since their names say nothing.
func InPlace(text string, of syntax.Node) string {
	places := map[string]string{}
	for q := range of.Get(syntax.FGenerics).All(syntax.FParam) {
		if name := q.Get(syntax.FName).Text(); name != "" {
			places[name] = "$" + strconv.Itoa(len(places))
		}
	}
	if len(places) == 0 {
		return text
	}
	return word.ReplaceAllStringFunc(text, func(w string) string { return cmp.Or(places[w], w) })
}

var word = regexp.MustCompile(`\w+`)

// HasWord tells whether one of some words stands in the text of a node.
func HasWord(n syntax.Node, words map[string]bool) bool {
	for t := range n.Tokens() {
		if words[t.Text()] {
			return true
		}
	}
	return false
}

// anotherDefinition tells a name that means another type now. What the tree does not define is the same under its own name wherever it is imported from.
func (p *Pairs) anotherDefinition(r RefChange) bool {
	base, head := strings.TrimSuffix(r.Base, " as it was"), strings.TrimSuffix(r.Head, " as it is now")
	return base == head || defines(p.Base, base) || defines(p.Head, head) || lastWord(strings.TrimPrefix(base, "?")) != lastWord(strings.TrimPrefix(head, "?"))
}

// defines tells a symbol of the tree.
func defines(m *model.Model, symbol string) bool {
	return slices.ContainsFunc(m.Crates, func(c *model.Crate) bool { return strings.HasPrefix(symbol, c.Key+"::") })
}

// mentions of types in a contract or a definition, as written.
type typeMentions struct {
	// all stand where a type stands, bound are those of them that say what a variable ranges over, or what a value is cast to.
	all, bound map[string]bool
	// members are words behind a dot, an arrow or a path's colons.
	members map[string]bool
}

func mentionsOf(nodes []syntax.Node) typeMentions {
	out := typeMentions{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	paths := func(n syntax.Node, to ...map[string]bool) {
		n.Walk(func(e syntax.Node) bool {
			if e.Kind() == syntax.Path {
				for _, m := range to {
					m[pathText(e)] = true
				}
			}
			return true
		})
	}
	for _, n := range nodes {
		n.Walk(func(e syntax.Node) bool {
			switch e.Kind() {
			case syntax.Quant, syntax.Closure:
				for p := range e.All(syntax.FParam) {
					paths(p.Get(syntax.FType), out.all, out.bound)
				}
			case syntax.Let, syntax.Cast:
				paths(e.Get(syntax.FType), out.all, out.bound)
			case syntax.GenericArgs:
				paths(e, out.all)
			}
			return true
		})
		behind := false
		for t := range n.Tokens() {
			if behind {
				out.members[t.Text()] = true
			}
			switch t.Text() {
			case ".", "->", "::":
				behind = true
			default:
				behind = false
			}
		}
	}
	return out
}

// Meaning is a name that stands for something else than before in a text that may be the same.
type Meaning struct {
	Name, Base, Head string
	// Item is the type, or the call of a macro, that changed; nil: the name is another's.
	Item *Item
}

// Meanings are the types, and the names of what macros make, that mean something else in some of a function's expressions, those of both sides: types that are others
// by their names, and types that are made of something else. every says that they speak of all values of a parameter's type, inPlace that names whose
// definition stands in their place (see RefChange) are wanted, too.
func (p *Pairs) Meanings(u *Function, nodes []syntax.Node, every, inPlace bool) []Meaning {
	if len(nodes) == 0 {
		return nil
	}
	var values []syntax.Node // what tells of the types of values
	for _, f := range []syntax.Field{syntax.FParam, syntax.FParams, syntax.FRet, syntax.FType} {
		values = slices.AppendSeq(values, u.Head.Node.All(f))
	}
	in := mentionsOf(nodes)
	var out []Meaning
	add := func(name, base, head string, item *Item) {
		if !slices.ContainsFunc(out, func(m Meaning) bool { return m.Name == name }) {
			out = append(out, Meaning{name, strings.TrimPrefix(base, "?"), strings.TrimPrefix(head, "?"), item})
		}
	}
	for _, r := range u.GhostDetail {
		if in.all[r.Written] && (inPlace || !strings.HasSuffix(r.Base, " as it was")) && p.anotherDefinition(r) {
			add(r.Written, r.Base, r.Head, nil)
		}
	}
	made := p.made
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if namesPart(slices.Concat(values, nodes), name) {
			add(name, made[name].Base.Text, made[name].Head.Text, made[name])
		}
	}
	for _, t := range p.associated {
		if slices.ContainsFunc(nodes, func(n syntax.Node) bool { return t.namedIn(n, u.Head) }) {
			add("<"+t.Head.Self+" as "+t.Head.Trait+">::"+t.name, t.base, t.head, t.Item)
		}
	}
	types := p.types
	if len(types) == 0 {
		return out
	}
	tell := func(t *otherType) { add(t.Head.Name, t.Base.Text, t.Head.Text, t.Item) }
	named := func(path string, in []syntax.Node) bool {
		return slices.ContainsFunc(in, func(n syntax.Node) bool { return HasWord(n, map[string]bool{lastWord(path): true}) })
	}
	member := func(t *otherType) bool {
		return t.members == nil || slices.ContainsFunc(slices.Collect(maps.Keys(t.members)), func(m string) bool { return in.members[m] })
	}
	for _, r := range slices.Concat(u.Head.GhostRefs, u.Head.ExecRefs) {
		t := types[r.To]
		switch {
		case t == nil:
		case in.bound[r.Written]:
			tell(t)
		case !t.erased:
			// The edit of the type is told where it is, and code goes by it.
		case named(r.Written, values) && (member(t) || t.variants && every), named(r.Written, nodes) && member(t):
			tell(t)
		}
	}
	for _, symbol := range slices.Sorted(maps.Keys(types)) {
		t := types[symbol]
		self, _, _ := strings.Cut(u.Head.Self, "<")
		if t.erased && lastWord(strings.TrimSpace(self)) == t.Head.Name && u.Head.Module == t.Head.Module && member(t) {
			tell(t)
		}
	}
	return out
}

func lastWord(path string) string { return path[strings.LastIndex(path, ":")+1:] }

// pathText is a path as written, without generic arguments.
func pathText(path syntax.Node) string {
	var words []string
	for seg := range path.All(syntax.FSegment) {
		words = append(words, seg.FirstToken().Text())
	}
	return strings.Join(words, "::")
}

package contract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// otherType is a type whose definition says something else now.
type otherType struct {
	pair *pair.Item
	// members are the fields and variants that are new, gone or of another type; empty: the whole is another type.
	members map[string]bool
	// variants tells that some of the members are variants that are new.
	variants bool
	// erased tells that nothing of the change is in code that runs.
	erased bool
}

// otherTypes are those by head's symbol.
func (c *comparer) otherTypes() map[string]*otherType {
	if c.types != nil {
		return c.types
	}
	c.types = map[string]*otherType{}
	var all []*pair.Item
	for _, p := range c.pairs.Items {
		if p.Base == nil || p.Head == nil {
			continue
		}
		switch p.Head.Kind {
		case model.StructItem, model.EnumItem, model.UnionItem:
			all = append(all, p)
		}
	}
	// What a type is made of may have changed with the types in it.
	for again := true; again; {
		again = false
		for _, p := range all {
			symbol := p.Head.Crate.Key + "::" + p.Head.Path
			if c.types[symbol] != nil {
				continue
			}
			if t := c.otherType(p); t != nil {
				c.types[symbol], again = t, true
			}
		}
	}
	return c.types
}

// otherType compares two definitions of a type; nil: they say the same. What is derived, who may see it and the order of what has a name do not count.
func (c *comparer) otherType(p *pair.Item) *otherType {
	moved := map[string]bool{}
	for _, r := range slices.Concat(p.ExecDetail, p.GhostDetail) {
		if c.anotherDefinition(r) {
			moved[lastWord(r.Written)] = true
		}
	}
	for _, r := range slices.Concat(p.Head.ExecRefs, p.Head.GhostRefs) {
		if c.types[r.To] != nil {
			moved[lastWord(r.Written)] = true
		}
	}
	if !p.What.Has(pair.Body) && len(moved) == 0 {
		return nil
	}
	out := &otherType{pair: p, members: map[string]bool{}, erased: !p.What.Has(pair.Executable)}
	b, h := membersOf(p.Base.Node), membersOf(p.Head.Node)
	for name, n := range h {
		was, ok := b[name]
		switch {
		case !ok:
			out.members[name] = true
			out.variants = out.variants || n.Kind() == syntax.Variant
		case typeText(was) != typeText(n) || hasWord(n, moved):
			out.members[name] = true
		}
	}
	for name := range b {
		if _, ok := h[name]; !ok {
			out.members[name] = true
		}
	}
	if syntax.Canon(p.Base.Node.Get(syntax.FGenerics)) != syntax.Canon(p.Head.Node.Get(syntax.FGenerics)) || p.Base.Kind != p.Head.Kind {
		out.members = nil
		return out
	}
	if len(out.members) == 0 {
		return nil
	}
	return out
}

// generated are the calls of macros that other code names parts of, as in `state_machine!{ X { .. } }` and `X::State`, and whose input changed. What is made of
// it is not known.
func (c *comparer) generated() map[string]*pair.Item {
	if c.made == nil {
		c.made = map[string]*pair.Item{}
		for _, p := range c.pairs.Items {
			if p.Base == nil || p.Head == nil || p.Head.Kind != model.MacroCallItem || p.Base.Text == p.Head.Text {
				continue
			}
			var words []string
			for t := range p.Head.Node.Get(syntax.FArgs).Tokens() {
				if words = append(words, t.Text()); len(words) == 3 {
					break
				}
			}
			if len(words) == 3 && words[2] == "{" {
				c.made[words[1]] = p
			}
		}
	}
	return c.made
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

func hasWord(n syntax.Node, words map[string]bool) bool {
	for t := range n.Tokens() {
		if words[t.Text()] {
			return true
		}
	}
	return false
}

// anotherDefinition tells a name that means another type now. What the tree does not define is the same under its own name wherever it is imported from.
func (c *comparer) anotherDefinition(r pair.RefChange) bool {
	base, head := strings.TrimSuffix(r.Base, " as it was"), strings.TrimSuffix(r.Head, " as it is now")
	return base == head || c.base.defines(base) || c.head.defines(head) || lastWord(strings.TrimPrefix(base, "?")) != lastWord(strings.TrimPrefix(head, "?"))
}

// defines tells a symbol of the tree.
func (s *side) defines(symbol string) bool {
	return slices.ContainsFunc(s.m.Crates, func(c *model.Crate) bool { return strings.HasPrefix(symbol, c.Key+"::") })
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
	var paths func(n syntax.Node, to ...map[string]bool)
	paths = func(n syntax.Node, to ...map[string]bool) {
		n.Walk(func(e syntax.Node) bool {
			if e.Kind() == syntax.Path {
				words := pathWords(e)
				for _, m := range to {
					m[strings.Join(words, "::")] = true
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

// meansOther are the types and generated names in what a function says by itself, in its clauses or its definition, that mean something else than before, each with a line about it.
func (c *comparer) meansOther(u *pair.Function) (names, detail []string) {
	var nodes []syntax.Node
	var head []syntax.Node // what tells of the types of values
	for _, f := range []*model.Function{u.Base, u.Head} {
		nodes = append(nodes, wordsOf(f)...)
	}
	n := u.Head.Node
	for _, f := range []syntax.Field{syntax.FParam, syntax.FParams, syntax.FRet, syntax.FType} {
		for c := range n.All(f) {
			head = append(head, c)
		}
	}
	in := mentionsOf(nodes)
	add := func(name, line string) {
		if !slices.Contains(names, name) {
			names, detail = append(names, name), append(detail, line)
		}
	}
	for _, r := range u.GhostDetail {
		if in.all[r.Written] && !strings.HasSuffix(r.Base, " as it was") && c.anotherDefinition(r) {
			add(r.Written, r.Written+" is "+strings.TrimPrefix(r.Head, "?")+" and was "+strings.TrimPrefix(r.Base, "?")+".")
		}
	}
	if u.Head.Mode == model.Spec {
		for _, r := range u.GhostDetail { // a contract that names it itself is told by inPlace
			if in.all[r.Written] && strings.HasSuffix(r.Base, " as it was") {
				add(r.Written, strings.TrimSuffix(r.Base, " as it was")+" has another definition now.")
			}
		}
	}
	for name, p := range c.generated() {
		if namesPart(slices.Concat(head, nodes), name) && len(nodes) > 0 {
			add(name, p.Head.Name+"! in base: "+shorten(p.Base.Text)+"\n"+p.Head.Name+"! in head: "+shorten(p.Head.Text))
		}
	}
	types := c.otherTypes()
	if len(types) == 0 {
		return names, detail
	}
	tell := func(t *otherType) {
		add(t.pair.Head.Name, t.pair.Head.Symbol+" in base: "+shorten(t.pair.Base.Text)+"\n"+t.pair.Head.Symbol+" in head: "+shorten(t.pair.Head.Text))
	}
	named := func(words string, in []syntax.Node) bool {
		return slices.ContainsFunc(in, func(n syntax.Node) bool { return hasWord(n, map[string]bool{lastWord(words): true}) })
	}
	member := func(t *otherType) bool {
		if t.members == nil {
			return true
		}
		for m := range t.members {
			if in.members[m] {
				return true
			}
		}
		return false
	}
	for _, r := range slices.Concat(u.Head.GhostRefs, u.Head.ExecRefs) {
		t := types[r.To]
		switch {
		case t == nil:
		case in.bound[r.Written]:
			tell(t)
		case !t.erased:
			// The edit of the type is told where it is, and code goes by it.
		case named(r.Written, head) && (member(t) || t.variants && believed(u.Head)), named(r.Written, nodes) && member(t):
			tell(t)
		}
	}
	for _, t := range types {
		if t.erased && u.Head.Self != "" && typeWord(u.Head.Self) == t.pair.Head.Name && u.Head.Module == t.pair.Head.Module && member(t) {
			tell(t)
		}
	}
	return names, detail
}

// wordsOf are the clauses of a function, or the definition of a spec function.
func wordsOf(f *model.Function) []syntax.Node {
	var out []syntax.Node
	for _, cl := range f.Contract() {
		out = append(out, cl.Node)
	}
	if isSpec(f) {
		out = append(out, f.Node.Get(syntax.FBody), f.Node.Get(syntax.FValue))
	}
	return slices.DeleteFunc(out, func(n syntax.Node) bool { return !n.Valid() })
}

// restsOnOther is a contract with the types that mean something else in it, or in a definition that it rests on.
type restsOnOther struct {
	user          *pair.Function
	names, detail []string
}

// restingOnOther are those, in the order of the files.
func (c *comparer) restingOnOther() []*restsOnOther {
	var out []*restsOnOther
	by := map[*model.Function]*restsOnOther{}
	add := func(u *pair.Function, names, detail []string) {
		r := by[u.Head]
		if r == nil {
			r = &restsOnOther{user: u}
			by[u.Head] = r
			out = append(out, r)
		}
		for i, n := range names {
			if !slices.Contains(r.names, n) {
				r.names, r.detail = append(r.names, n), append(r.detail, detail[i])
			}
		}
	}
	for _, p := range c.pairs.Functions {
		if p.Base == nil || p.Head == nil {
			continue
		}
		names, detail := c.meansOther(p)
		if len(names) == 0 {
			continue
		}
		if !isSpec(p.Head) {
			if p.Head.Verified {
				add(p, names, detail)
			}
			continue
		}
		for _, u := range c.users(p) {
			add(u, names, detail)
		}
	}
	slices.SortStableFunc(out, func(a, b *restsOnOther) int {
		return cmp.Or(cmp.Compare(a.user.Head.File.Path, b.user.Head.File.Path), cmp.Compare(a.user.Head.Span.Start, b.user.Head.Span.Start))
	})
	return out
}

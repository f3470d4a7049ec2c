package contract

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/logic"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// side is one tree of the comparison as the prover sees it.
type side struct {
	c    *comparer
	m    *model.Model
	head bool
	// types by last name: those defined once in the files read.
	types map[string]*model.Item
	// aliases by name.
	aliases map[string]*model.Item
	// twice are the last names of several types.
	twice map[string]bool
	// world is what the evaluator knows of this side, made of so many sources; nil until it is needed.
	world   *eval.World
	sources int
	// invariants are those of types, in the files of the change.
	invariants []*model.Function
	// changed are the changed definitions of this side; nil until it is needed.
	changed *model.Set
	// reachedBy is what the contract of reachedOf leads to.
	reachedOf *model.Function
	reachedBy *model.Set
	macros    map[*model.Item][]string
}

func (c *comparer) newSide(m *model.Model, head bool) *side {
	s := &side{c: c, m: m, head: head, types: map[string]*model.Item{}, aliases: map[string]*model.Item{}, twice: map[string]bool{}, macros: map[*model.Item][]string{}}
	for _, f := range m.Functions {
		if f.Mode == model.Spec && len(f.Params) == 1 && isInvariant(f) {
			s.invariants = append(s.invariants, f)
		}
	}
	for _, i := range m.Items {
		switch i.Kind {
		case model.StructItem, model.EnumItem, model.UnionItem, model.TypeAliasItem:
		default:
			continue
		}
		if s.types[i.Name] != nil || s.aliases[i.Name] != nil || s.twice[i.Name] {
			delete(s.types, i.Name)
			delete(s.aliases, i.Name)
			s.twice[i.Name] = true
			continue
		}
		if i.Kind == model.TypeAliasItem {
			s.aliases[i.Name] = i
		} else {
			s.types[i.Name] = i
		}
	}
	return s
}

// names resolves the names in the contract of one function and in the spec functions that it reaches.
type names struct {
	*side
	space *logic.Space
	// generics are the type parameters in scope; self is the type that Self stands for.
	generics map[string]bool
	self     string
	reach    *reach
	// owner is the function whose text the names stand in.
	owner *model.Function
	// place is the item whose text they stand in, where there is no function.
	place *model.Item
	// differ are the words of this contract that were asked for, and whether they mean different things on the two sides.
	differ map[string]bool
	// defs are the functions that resolved names stand for, by the name that terms carry.
	defs map[string]*model.Function
	// recursive is a definition whose calls of itself are the same unknown function on both sides; nil: none.
	recursive *model.Function
}

// reach are the spec functions that a contract rests on.
type reach struct {
	// own and other are those of its side and of the other side; other is nil if there is none.
	own, other *model.Set
	// more is the function itself if it is one, invariants are those of the types of parameters.
	more, invariants []*model.Function
}

// named are those of a name on the side of the contract.
func (r *reach) named(name string) iter.Seq[*model.Function] {
	return func(yield func(*model.Function) bool) {
		var met []*model.Function
		for f := range r.own.Named(name) {
			if len(r.more)+len(r.invariants) > 0 {
				met = append(met, f)
			}
			if !yield(f) {
				return
			}
		}
		for _, list := range [][]*model.Function{r.more, r.invariants} {
			for _, f := range list {
				if f.Name != name || slices.Contains(met, f) {
					continue
				}
				met = append(met, f)
				if !yield(f) {
					return
				}
			}
		}
	}
}

// any tells whether one of a name, on one of the sides, is such a function.
func (r *reach) any(name string, such func(f *model.Function) bool) bool {
	for _, f := range r.more {
		if f.Name == name && such(f) {
			return true
		}
	}
	for _, side := range []*model.Set{r.own, r.other} {
		if side == nil {
			continue
		}
		for f := range side.Named(name) {
			if such(f) {
				return true
			}
		}
	}
	return false
}

// reached is what the contract of a function leads to. The last answer is kept: the two sides of a comparison ask for each other's.
func (s *side) reached(f *model.Function) *model.Set {
	if s.reachedOf != f {
		s.reachedOf, s.reachedBy = f, s.m.Reached(f)
	}
	return s.reachedBy
}

// reachesChanged tells whether the contract of a function of this side rests on a definition that changed.
func (s *side) reachesChanged(f *model.Function) bool {
	if s.changed == nil {
		s.changed = s.m.SetOf(s.c.changedFns)
	}
	return len(s.c.changedFns) > 0 && s.m.Reached(f).Meets(s.changed)
}

func (n *names) Side() string {
	if n.head {
		return "head"
	}
	return "base"
}

func (n *names) Changed(word string) bool {
	if n.changed(word) {
		return true
	}
	return n.owner != nil && slices.ContainsFunc(n.c.meanings(n.side, n.owner)[word], n.changed)
}

func (n *names) changed(word string) bool {
	if n.c.changedWords[word] {
		return true
	}
	differs, ok := n.differ[word]
	if !ok && n.reach != nil {
		differs = n.reach.any(word, n.c.changed)
		n.differ[word] = differs
	}
	return differs
}

// meanings are further words for those in a function's text: the own names of what it knows by others, and the words of macros that it calls.
func (c *comparer) meanings(sd *side, f *model.Function) map[string][]string {
	if out, ok := c.meant[f]; ok {
		return out
	}
	var out map[string][]string
	for _, list := range [][]model.Ref{f.GhostRefs, f.ExecRefs} {
		for _, r := range list {
			word, own := lastWord(r.Written), lastWord(r.To)
			var more []string
			if own != word {
				more = append(more, own)
			}
			if r.Macro && r.Target != nil {
				more = append(more, sd.macroWords(r.Target)...)
			}
			if len(more) > 0 {
				if out == nil {
					out = map[string][]string{}
				}
				out[word] = append(out[word], more...)
			}
		}
	}
	c.meant[f] = out
	return out
}

// macroWords are the words of a macro's definition.
func (s *side) macroWords(it *model.Item) []string {
	out, ok := s.macros[it]
	if !ok {
		out = slices.Sorted(maps.Keys(s.m.MacroWords(it)))
		s.macros[it] = out
	}
	return out
}

func lastWord(path string) string { return path[strings.LastIndex(path, ":")+1:] }

func (n *names) Type(t syntax.Node) *logic.Type { return n.readType(t, 0) }

// libraryTypes are the types of the libraries that proofs know something of, by their last name, and those that a name without an import
// may be. The model does not see what vstd's prelude has: it leaves those names unresolved.
var libraryTypes = map[string]struct {
	paths []string
	glob  bool
}{
	"Option":   {[]string{"core::option::Option"}, false},
	"Result":   {[]string{"core::result::Result"}, false},
	"Vec":      {[]string{"core::vec::Vec"}, false},
	"Box":      {[]string{"core::boxed::Box"}, false},
	"String":   {[]string{"core::string::String"}, false},
	"Rc":       {[]string{"core::rc::Rc"}, true},
	"Arc":      {[]string{"core::sync::Arc"}, true},
	"HashMap":  {[]string{"core::collections::HashMap", "core::collections::hash_map::HashMap"}, true},
	"HashSet":  {[]string{"core::collections::HashSet", "core::collections::hash_set::HashSet"}, true},
	"Seq":      {[]string{"vstd::seq::Seq", "vstd::prelude::Seq"}, true},
	"Set":      {[]string{"vstd::set::Set", "vstd::prelude::Set"}, true},
	"Map":      {[]string{"vstd::map::Map", "vstd::prelude::Map"}, true},
	"Multiset": {[]string{"vstd::multiset::Multiset"}, true},
	"Ghost":    {[]string{"verus_builtin::Ghost", "vstd::prelude::Ghost"}, true},
	"Tracked":  {[]string{"verus_builtin::Tracked", "vstd::prelude::Tracked"}, true},
}

func (n *names) readType(t syntax.Node, depth int) *logic.Type {
	return logic.ReadType(t, func(path syntax.Node, words []string, args []*logic.Type) (t *logic.Type, library bool) {
		last := words[len(words)-1]
		switch {
		case len(words) == 1 && last == "Self":
			return n.selfType(), false
		case len(words) == 1 && n.generics[last]:
			return &logic.Type{Kind: logic.KOther, Name: "type " + last}, false
		case words[0] == "Self" || n.generics[words[0]]:
			return nil, false // an associated type
		}
		means := n.m.NameAt(n.owner, n.place, words, path.Global(), true)
		if i := means.Item; i != nil {
			return n.itemType(i, args, depth), false
		}
		if strings.HasPrefix(means.To, "?") && len(words) == 1 {
			// What the tree has only once, or an import that the model does not see.
			if i := cmp.Or(n.types[last], n.aliases[last]); i != nil {
				return n.itemType(i, args, depth), false
			}
			if strings.Contains(means.To, " in ") && n.twice[last] {
				return nil, false
			}
			return nil, libraryTypes[last].glob
		}
		if known, ok := libraryTypes[last]; ok {
			if slices.Contains(known.paths, means.To) {
				return nil, !means.Open
			}
		} else if len(words) == 1 {
			// A primitive type.
			return nil, means.To == "core::"+last || means.To == "" && (logic.IntegerType(last) != nil || last == "bool")
		}
		switch {
		case means.To == "core::option::Option" && !means.Open:
			return &logic.Type{Kind: logic.KOther, Name: "Option", Args: args}, false
		case strings.HasPrefix(means.To, "core::") && strings.HasSuffix(means.To, "::Result") && !means.Open:
			// io::Result is a Result of which one argument is given.
			return &logic.Type{Kind: logic.KOther, Name: "Result"}, false
		}
		return nil, false
	})
}

// itemType is the type that a definition of the tree gives; nil: not known.
func (n *names) itemType(i *model.Item, args []*logic.Type, depth int) *logic.Type {
	switch i.Kind {
	case model.StructItem, model.EnumItem, model.UnionItem:
		if n.types[i.Name] == nil && !n.twice[i.Name] {
			n.types[i.Name] = i // its file was not read before
		}
		if n.types[i.Name] != i {
			return &logic.Type{Kind: logic.KOther, Name: "one of several " + i.Name, Args: args}
		}
		return &logic.Type{Kind: logic.KOther, Name: "own " + i.Name, Args: args}
	case model.TypeAliasItem:
		if depth < 8 && !i.Node.Get(syntax.FGenerics).Valid() {
			inner := &names{side: n.side, space: n.space, place: i}
			return inner.readType(i.Node.Get(syntax.FType), depth+1)
		}
	}
	return nil
}

// Variant finds out what a path in the place of a variant means.
func (n *names) Variant(words []string, global bool) (name string, library bool) {
	last := words[len(words)-1]
	means := n.m.NameAt(n.owner, n.place, words, global, false)
	switch means.To {
	case "core::option::Option::Some", "core::option::Option::None", "core::result::Result::Ok", "core::result::Result::Err":
		return lastWord(means.To), !means.Open
	}
	if means.Item != nil && means.Item.Kind == model.EnumItem {
		return lastWord(means.To), false
	}
	return last, false
}

// IsSeqMacro goes by what the model took the macro for, which notes those of the tree and those that an import names.
func (n *names) IsSeqMacro(path syntax.Node) bool {
	if n.owner == nil {
		return false
	}
	for _, list := range [][]model.Ref{n.owner.GhostRefs, n.owner.ExecRefs} {
		for _, r := range list {
			if r.Macro && r.Written == path.Text() && !strings.HasPrefix(r.To, "vstd::") {
				return false
			}
		}
	}
	return true
}

// open is what is left of a type when types are put in for type parameters: that it is an Option or a Result. nil: nothing.
func open(t *logic.Type) *logic.Type {
	if t != nil && t.Kind == logic.KOther && (t.Name == "Option" || t.Name == "Result") {
		return &logic.Type{Kind: t.Kind, Name: t.Name}
	}
	return nil
}

func (n *names) selfType() *logic.Type {
	word := typeWord(n.self)
	if t := logic.IntegerType(word); t != nil {
		return t
	}
	if n.types[word] != nil {
		return &logic.Type{Kind: logic.KOther, Name: "own " + word}
	}
	if n.generics[word] || word == "" || word == "Self" {
		return &logic.Type{Kind: logic.KOther, Name: "type Self"}
	}
	return nil
}

// Field finds the type of a struct's field or of a variant's. Where a generic type's parameter is in it, little is known: arguments are not put in.
func (n *names) Field(of *logic.Type, variant, field string) *logic.Type {
	name, ok := strings.CutPrefix(of.Name, "own ")
	if !ok || variant == "*" {
		return nil
	}
	item := n.types[name]
	if item == nil {
		return nil
	}
	from := item.Node
	if variant != "" {
		found := false
		for v := range item.Node.All(syntax.FVariant) {
			if v.Get(syntax.FName).Text() == variant {
				from, found = v, true
			}
		}
		if !found && item.Kind == model.EnumItem {
			return nil
		}
	}
	i := 0
	var found syntax.Node
	for f := range from.Get(syntax.FFields).All(syntax.FFieldDecl) {
		name := f.Get(syntax.FName)
		if !name.Valid() && f.Get(syntax.FAttr).Valid() {
			return nil // it may not be there, and move those behind it
		}
		if name.Valid() && name.Text() == field || !name.Valid() && field == strconv.Itoa(i) {
			if found.Valid() {
				return nil // each under a condition
			}
			found = f
		}
		i++
	}
	if !found.Valid() {
		return nil
	}
	// A field's type is written where the type is defined, where Self is that type.
	inner := &names{side: n.side, space: n.space, self: item.Name, place: item}
	t := inner.Type(found.Get(syntax.FType))
	if pair.HasWord(found.Get(syntax.FType), genericsOfItem(item)) {
		return open(t)
	}
	return t
}

// genericsOfItem are the names of a type's parameters, and Self, which stands for the type with all of them; none if it has no parameters.
func genericsOfItem(i *model.Item) map[string]bool {
	out := map[string]bool{}
	for p := range i.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		out[p.Get(syntax.FName).Text()] = true
		out["Self"] = true
	}
	return out
}

// Path resolves a path by its last word among the spec functions that the contract reaches.
func (n *names) Path(path syntax.Node, args int) logic.Ref {
	words := pathWords(path)
	if len(words) == 0 {
		return logic.Ref{Name: n.unresolved(path), Typed: true}
	}
	last := words[len(words)-1]
	if n.owner != nil {
		for _, real := range n.c.meanings(n.side, n.owner)[last] {
			for f := range n.reach.named(real) {
				if n.resolved(words, f) == yes {
					last = real
				}
			}
		}
	}
	var found []*model.Function
	for f := range n.reach.named(last) {
		if args >= 0 && len(f.Params) != args || args < 0 && f.Kind != model.ConstFunction {
			continue
		}
		if f.Kind == model.TraitMethod || f.Kind == model.TraitImplMethod {
			continue // which implementation is meant depends on types
		}
		if !n.means(words, f) {
			continue
		}
		found = append(found, f)
	}
	if len(found) != 1 || hasGenericArgs(path) {
		return logic.Ref{Name: n.unresolved(path), Type: n.constructed(words), Typed: true}
	}
	return n.ref(found[0])
}

// answer to whether a path means a function. The zero value is that the model did not resolve it.
type answer uint8

const (
	_ answer = iota
	no
	yes
)

// resolved says whether the model resolved a path to a function.
func (n *names) resolved(words []string, f *model.Function) answer {
	if n.owner == nil {
		return 0
	}
	written := strings.Join(words, "::")
	for _, list := range [][]model.Ref{n.owner.GhostRefs, n.owner.ExecRefs} {
		for _, r := range list {
			if r.Written != written || strings.HasPrefix(r.To, "?") {
				continue
			}
			if r.To == f.Crate.Name+"::"+f.Path || strings.HasSuffix(r.To, "::"+f.Path) || strings.HasSuffix(f.Path, r.To) {
				return yes
			}
			return no
		}
	}
	return 0
}

// means tells whether a path can mean a function: what the model resolved it to is that function, or, where the model did not resolve
// it, the path is the end of the function's own path.
func (n *names) means(words []string, f *model.Function) bool {
	if a := n.resolved(words, f); a != 0 {
		return a == yes
	}
	var rest []string
	for _, w := range words {
		switch w {
		case "crate", "self", "super":
		case "Self":
			rest = append(rest, trimArgs(n.self))
		default:
			rest = append(rest, w)
		}
	}
	tail := strings.Join(rest, "::")
	return f.Path == tail || strings.HasSuffix(f.Path, "::"+tail) || f.Crate.Name+"::"+f.Path == tail
}

// constructed is the type of a unit variant or of a constructor's call: only that it is no number is used.
func (n *names) constructed(words []string) *logic.Type {
	for _, w := range words {
		if n.types[w] != nil {
			return &logic.Type{Kind: logic.KOther, Name: "own " + w}
		}
	}
	return nil
}

func hasGenericArgs(path syntax.Node) bool {
	for seg := range path.All(syntax.FSegment) {
		if seg.Get(syntax.FGenericArgs).Valid() {
			return true
		}
	}
	return false
}

func pathWords(path syntax.Node) []string {
	if path.Get(syntax.FQSelf).Valid() {
		return nil
	}
	var out []string
	for seg := range path.All(syntax.FSegment) {
		out = append(out, seg.FirstToken().Text())
	}
	return out
}

// unresolved names a path by its text, told apart by side when one of its words means different things.
func (n *names) unresolved(path syntax.Node) string {
	var b strings.Builder
	side := false
	for t := range path.Tokens() {
		b.WriteString(t.Text())
		b.WriteByte(' ')
		side = side || n.Changed(t.Text())
	}
	if side {
		return n.Side() + " path " + b.String()
	}
	return "path " + b.String()
}

// Method resolves a method among the spec functions that the contract reaches: one whose type is the receiver's.
func (n *names) Method(name string, recv *logic.Type, args int) logic.Ref {
	word := name
	if i := strings.IndexAny(name, ": <"); i > 0 {
		word = name[:i]
	}
	var found []*model.Function
	unknown := logic.Ref{Name: "method " + name, Typed: true}
	for f := range n.reach.named(word) {
		if len(f.Params) != args+1 || f.Params[0].Name != "self" {
			continue
		}
		unknown.Found = true
		unknown.Refs = unknown.Refs || strings.HasPrefix(f.Self, "&")
		if recv != nil && word == name && sameSelf(f.Self, recv) {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return n.ref(found[0])
	}
	if n.Changed(word) {
		unknown.Name = n.Side() + " method " + name
	}
	return unknown
}

func sameSelf(self string, recv *logic.Type) bool {
	name, ok := strings.CutPrefix(recv.Name, "own ")
	return ok && typeWord(self) == name
}

// typeWord is the last name of a type as written, without its arguments.
func typeWord(t string) string { return strings.TrimSpace(lastWord(trimArgs(t))) }

// ref names a function the same on both sides when it is the same function with the same meaning.
func (n *names) ref(f *model.Function) logic.Ref {
	name := "fn " + n.c.identity(f, n.head)
	if n.recursive == f {
		name += " of itself" // and without a definition
	} else {
		if n.c.changed(f) {
			name = n.Side() + " " + name
		}
		n.defs[name] = f
	}
	r := logic.Ref{Name: name, Typed: generic(f)}
	// Generic results depend on the call.
	inner := n.within(f)
	if !f.Node.Get(syntax.FGenerics).Valid() && !strings.Contains(f.Self, "<") {
		if ret := f.Node.Get(syntax.FRet); ret.Valid() {
			r.Type = inner.Type(ret.Get(syntax.FType))
		} else if f.Kind == model.ConstFunction {
			r.Type = inner.Type(f.Node.Get(syntax.FType))
		}
	} else if ret := f.Node.Get(syntax.FRet); ret.Valid() {
		r.Type = inner.Type(ret.Get(syntax.FType))
		if f.ResultType != "bool" {
			r.Type = open(r.Type)
		}
	}
	return r
}

// generic tells a function that is one for each of several types.
func generic(f *model.Function) bool {
	return f.Node.Get(syntax.FGenerics).Valid() || strings.Contains(f.Self, "<") ||
		slices.ContainsFunc(f.Params, func(p model.Param) bool { return slices.Contains(strings.FieldsFunc(p.Type, notWord), "impl") })
}

// within are the names as they resolve inside a function of the same side.
func (n *names) within(f *model.Function) *names {
	return &names{side: n.side, space: n.space, generics: genericsOf(f), self: f.Self, reach: n.reach, owner: f, differ: n.differ, defs: n.defs, recursive: n.recursive}
}

// genericsOf are the type parameters of a function, and the one-word parts of its impl's type that look like parameters.
func genericsOf(f *model.Function) map[string]bool {
	out := map[string]bool{}
	for p := range f.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Kind() == syntax.TypeParam {
			out[p.Get(syntax.FName).Text()] = true
		}
	}
	for _, text := range []string{f.Self, f.Trait} {
		if i := strings.IndexByte(text, '<'); i >= 0 {
			for _, w := range strings.FieldsFunc(text[i:], func(r rune) bool { return strings.ContainsRune("<>, &'", r) }) {
				if len(w) <= 2 && w == strings.ToUpper(w) {
					out[w] = true
				}
			}
		}
	}
	return out
}

// define gives the definition of an application of a resolved function. Functions that an implementation may replace, that have no
// definition or one that holds under a condition only, have none.
func (n *names) define(app *logic.Term) *logic.Term {
	name, env, types := logic.Untag(app.Name)
	f := n.defs[name]
	if f == nil || f.Mode != model.Spec && f.Kind != model.ConstFunction || f.Publish == model.Uninterpreted || f.Kind == model.TraitMethod {
		return nil
	}
	for _, s := range f.Sites {
		switch s.Kind {
		case model.ExternalBody, model.External, model.Uninterp:
			return nil
		}
	}
	for _, c := range f.Own {
		if c.Kind == syntax.Decreases && c.When != "" {
			return nil
		}
	}
	if len(f.Unknown) > 0 {
		return nil
	}
	inner := n.within(f)
	conv := &logic.Converter{S: n.space, Names: inner, Old: map[string]*logic.Term{}, Final: map[string]*logic.Term{}, Env: env}
	body := f.Node.Get(syntax.FBody)
	if f.Kind == model.ConstFunction {
		if f.Mode != model.Spec {
			return nil // an executable constant's contract says what it is
		}
		if !body.Valid() {
			body = f.Node.Get(syntax.FValue)
		}
		if !body.Valid() || len(app.Args) > 0 {
			return nil
		}
		return conv.Term(body)
	}
	if !body.Valid() || len(f.Params) != len(app.Args) {
		return nil
	}
	for i, p := range f.Params {
		if p.Name == "" {
			return nil
		}
		given := ""
		if i < len(types) {
			given = types[i]
		}
		if t := p.Node.Get(syntax.FType); t.Valid() {
			conv.BindAs(p.Name, app.Args[i], t, given)
		} else {
			conv.Bind(p.Name, app.Args[i])
		}
	}
	return conv.Term(body)
}

// either gives the definition of an application by the names of one side, or else by those of the other.
func either(one, other *names) func(app *logic.Term) *logic.Term {
	return func(app *logic.Term) *logic.Term {
		if d := one.define(app); d != nil {
			return d
		}
		return other.define(app)
	}
}

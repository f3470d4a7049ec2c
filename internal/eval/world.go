package eval

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// Source is a file for a World to know.
type Source struct {
	File *syntax.File
	// Crate is the crate's name as paths use it.
	Crate string
	// Module is the crate-relative path of the file's module ("a::b"); empty for the crate's root.
	Module string
}

// World knows the definitions of some sources and finds what names mean. It is immutable once made and safe for concurrent use.
type World struct {
	crates map[string]*module
	types  map[string]*def
	funcs  map[place]*Func
	impls  map[string][]*impl // by the head of the self type; "*" for impls for every type
	// invariants are the type invariants, by the full path of the type.
	invariants map[string][]*Func
	// sizeBits is the width of usize, by crate, where `global size_of usize == n` fixes it; -1 where that is said twice or not
	// understood.
	sizeBits map[string]int
	// meanings has what was resolved: pathIn to target.
	meanings sync.Map
	kept     atomic.Int64
	// macros are the macros that the sources define, by name, wherever they stand; calls those of their calls, and of others', that may stand for items.
	macros map[string][]*macroText
	calls  []*macroCall
	// macroUses are imports, by crate, that may give a name to a macro that the evaluator knows by its name.
	macroUses map[string][]*def
}

// place is a node of any file.
type place struct {
	file *syntax.File
	id   int
}

func placeOf(n syntax.Node) place { return place{n.File(), n.ID()} }

type defKind uint8

const (
	_ defKind = iota
	defFn
	defConst
	defStruct
	defEnum
	defVariant
	defTrait
	defAlias
	defMod
	defUse
)

// def is what a name in a module means.
type def struct {
	kind defKind
	name string
	node syntax.Node
	mod  *module // that holds the definition
	fn   *Func   // of defFn and defConst
	sub  *module // of defMod
	enum *def    // of defVariant
	use  []string
	full string // full path of a type or trait

	variants []*def // of defEnum

	methods map[string][]*Func // of a trait

	conds []string // under which it is there
	// private: an import that other modules do not get with all names of this one, unless they are inside it.
	private bool
}

type module struct {
	crate  string
	path   []string
	parent *module
	names  map[string][]*def
	globs  []glob
	calls  []*macroCall // among its items
	// conds are the conditions of its declaration, if it has a file of its own; of a view, those of the item that looks (see under).
	conds  []string
	absent bool // the declaration is known not to be there
	of     *module
	views  map[string]*module
}

// glob is an import of all names.
type glob struct {
	path    []string
	conds   []string
	private bool
}

func (m *module) child(name string) *module {
	for _, d := range m.names[name] {
		if d.kind == defMod {
			return d.sub
		}
	}
	sub := &module{crate: m.crate, path: append(slices.Clone(m.path), name), parent: m, names: map[string][]*def{}}
	m.names[name] = append(m.names[name], &def{kind: defMod, name: name, mod: m, sub: sub})
	return sub
}

func (m *module) full(name string) string {
	return strings.Join(append(append([]string{m.crate}, m.path...), name), "::")
}

// impl is an impl block.
type impl struct {
	node    syntax.Node
	mod     *module
	trait   *def   // nil if inherent or not in this world
	traitAs string // the trait's last word; empty if inherent
	methods map[string][]*Func
	generic map[string]bool // its type parameters
	self    *value.Type
	presence
	macro bool // it has items that a macro makes
}

// NewWorld reads the definitions of sources.
func NewWorld(sources []Source) *World {
	w := &World{crates: map[string]*module{}, types: map[string]*def{}, funcs: map[place]*Func{}, impls: map[string][]*impl{},
		invariants: map[string][]*Func{}, sizeBits: map[string]int{}, macros: map[string][]*macroText{}, macroUses: map[string][]*def{}}
	var all []*impl
	for _, s := range sources {
		m := w.crates[s.Crate]
		if m == nil {
			m = &module{crate: s.Crate, names: map[string][]*def{}}
			w.crates[s.Crate] = m
		}
		for _, word := range strings.Split(s.Module, "::") {
			if word != "" {
				m = m.child(word)
			}
		}
		w.collect(s.File.Root(), m, presence{}.inside(s.File.Root()), &all)
	}
	for _, im := range all {
		w.place(im)
	}
	for _, f := range w.funcs {
		if !f.absent && f.Node.Kind() == syntax.Fn && hasAttr(f.Node, "type_invariant") {
			if ps := f.paramTypes(f.scope()); len(ps) == 1 && ps[0] != nil && ps[0].Kind == value.TData {
				w.invariants[ps[0].Name] = append(w.invariants[ps[0].Name], f)
			}
		}
	}
	return w
}

func identText(n syntax.Node) string { return strings.TrimPrefix(n.Text(), "r#") }

// collect the items of a node of some presence, which stand in a module.
func (w *World) collect(n syntax.Node, m *module, around presence, impls *[]*impl) {
	for c := range n.Children() {
		name := identText(c.Get(syntax.FName))
		there := around.inside(c)
		// Names in what stands under a condition are looked up by it.
		in := m.under(there.conds)
		add := func(d *def) *def {
			d.name, d.mod, d.conds = name, in, there.conds
			if !there.absent {
				m.names[name] = append(m.names[name], d)
			}
			return d
		}
		switch c.Kind() {
		case syntax.MacroCall:
			if body := c.Get(syntax.FArgs); body.Kind() == syntax.MacroBody {
				w.collect(body, m, there, impls)
			} else if !there.absent {
				w.called(c, m)
			}
		case syntax.MacroRules, syntax.MacroDef:
			w.define(c)
		case syntax.Mod:
			switch {
			case there.absent && c.HasBody():
				w.collect(c, &module{crate: m.crate, path: append(slices.Clone(m.path), name), parent: m, names: map[string][]*def{}}, there, impls)
			case c.HasBody():
				w.collect(c, m.child(name), there, impls)
			default:
				sub := m.child(name)
				sub.conds, sub.absent = append(sub.conds, there.conds...), sub.absent || there.absent
			}
		case syntax.Fn, syntax.Const, syntax.Static:
			d := &def{kind: defFn, node: c, fn: w.newFunc(c, in, there)}
			if c.Kind() != syntax.Fn {
				d.kind = defConst
			}
			add(d)
		case syntax.Struct, syntax.Enum:
			d := add(&def{kind: defStruct, node: c, full: m.full(name)})
			if c.Kind() == syntax.Enum {
				d.kind = defEnum
				for v := range c.All(syntax.FVariant) {
					d.variants = append(d.variants, &def{kind: defVariant, name: identText(v.Get(syntax.FName)), node: v, mod: in, enum: d})
				}
			}
			if there.absent {
				continue
			}
			if w.types[d.full] != nil || varies(c) {
				d.kind = 0 // two types of one path, or of one name: which one is meant depends on the configuration
			}
			w.types[d.full] = d
		case syntax.TypeAlias:
			add(&def{kind: defAlias, node: c})
		case syntax.Trait:
			d := add(&def{kind: defTrait, node: c, full: m.full(name), methods: map[string][]*Func{}})
			for it := range c.Children() {
				if it.Kind() == syntax.Fn {
					here := there.inside(it)
					f := w.newFunc(it, m.under(here.conds), here)
					f.trait = d
					if !here.absent || there.absent {
						d.methods[f.Name] = append(d.methods[f.Name], f)
					}
				}
			}
		case syntax.Impl:
			im := &impl{node: c, mod: in, methods: map[string][]*Func{}, generic: map[string]bool{}, presence: there}
			for p := range c.Get(syntax.FGenerics).All(syntax.FParam) {
				if p.Kind() == syntax.TypeParam {
					im.generic[identText(p.Get(syntax.FName))] = true
				}
			}
			for it := range c.Children() {
				switch it.Kind() {
				case syntax.Fn, syntax.Const:
					here := there.inside(it)
					f := w.newFunc(it, m.under(here.conds), here)
					f.impl = im
					if !here.absent || there.absent {
						im.methods[f.Name] = append(im.methods[f.Name], f)
					}
				case syntax.MacroCall:
					im.macro = true
				}
			}
			*impls = append(*impls, im)
		case syntax.Use:
			if !there.absent {
				w.use(c.Get(syntax.FTree), nil, m, there.conds, !c.Get(syntax.FVis).Valid())
			}
		case syntax.Global:
			if !there.absent {
				w.global(c, m, there.conds)
			}
		}
	}
}

// global reads `global size_of usize == n`, in bytes.
func (w *World) global(n syntax.Node, m *module, conds []string) {
	if n.Get(syntax.FType).Text() != "usize" {
		return
	}
	bits := -1
	if i, ok := intLiteral(n.Get(syntax.FExpr).Text()); ok && w.sizeBits[m.crate] == 0 && len(conds) == 0 {
		switch bytes, _ := i.Int64(); bytes {
		case 4, 8:
			bits = int(bytes) * 8
		}
	}
	w.sizeBits[m.crate] = bits
}

func (w *World) use(t syntax.Node, prefix []string, m *module, conds []string, private bool) {
	path := prefix
	if p := t.Get(syntax.FPath); p.Valid() {
		path = append(slices.Clone(prefix), pathWords(p)...)
		if p.Global() && len(prefix) == 0 {
			path = append([]string{"::"}, path...)
		}
	}
	switch {
	case t.Glob():
		m.globs = append(m.globs, glob{path, conds, private})
		return
	case t.Get(syntax.FTree).Valid():
		for c := range t.All(syntax.FTree) {
			w.use(c, path, m, conds, private)
		}
		return
	case len(path) == 0:
		return
	}
	name := path[len(path)-1]
	if name == "self" {
		path = path[:len(path)-1]
		if len(path) == 0 {
			return
		}
		name = path[len(path)-1]
	}
	if as := t.Get(syntax.FName); as.Valid() {
		name = identText(as)
	}
	d := &def{kind: defUse, name: name, mod: m, use: path, conds: conds, private: private}
	if slices.ContainsFunc(m.names[name], func(o *def) bool {
		return o.kind == defUse && slices.Equal(o.use, path) && slices.Equal(o.conds, conds) && o.private == private
	}) {
		return // once more
	}
	m.names[name] = append(m.names[name], d)
	if libraryForm(name) {
		w.macroUses[m.crate] = append(w.macroUses[m.crate], d)
	}
}

// pathWords are the words of a path without generic arguments.
func pathWords(p syntax.Node) []string {
	var out []string
	for seg := range p.All(syntax.FSegment) {
		out = append(out, strings.TrimPrefix(seg.FirstToken().Text(), "r#"))
	}
	return out
}

// place files an impl under the head of its self type.
func (w *World) place(im *impl) {
	if tr := im.node.Get(syntax.FTrait); tr.Valid() {
		words := pathWords(tr)
		if len(words) > 0 {
			im.traitAs = words[len(words)-1]
		}
		if d := w.resolve(im.mod, words).def; d != nil && d.kind == defTrait {
			im.trait = d
		}
	}
	sc := &scope{w: w, mod: im.mod, params: map[string]*value.Type{}}
	for g := range im.generic {
		sc.params[g] = &value.Type{Kind: value.TParam, Name: g}
	}
	im.self = sc.typ(im.node.Get(syntax.FSelfType))
	if im.absent {
		return
	}
	head := headOf(im.self)
	if head == "" {
		head = "?" // a type that is not understood
		path := im.node.Get(syntax.FSelfType)
		for path.Kind() == syntax.RefType || path.Kind() == syntax.ParenType {
			path = path.Get(syntax.FType)
		}
		if path.Kind() == syntax.Path && !path.Get(syntax.FQSelf).Valid() {
			if d := w.resolve(im.mod, pathWords(path)).def; d != nil && (d.kind == defStruct || d.kind == defEnum) {
				head = d.full // with arguments that are not understood
			}
		}
	}
	w.impls[head] = append(w.impls[head], im)
}

// headOf is the key under which the impls for a type are found.
func headOf(t *value.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind {
	case value.TData:
		return t.Name
	case value.TInt:
		return t.Int.String()
	case value.TBool:
		return "bool"
	case value.TChar:
		return "char"
	case value.TReal:
		return "real"
	case value.TTuple:
		return "()"
	case value.TList:
		return listHead(t.List)
	case value.TSet:
		return "Set"
	case value.TMap:
		return "Map"
	case value.TMultiset:
		return "Multiset"
	case value.TParam:
		return "*"
	}
	return ""
}

func listHead(k value.ListKind) string {
	switch k {
	case value.Vec:
		return "Vec"
	case value.Slice:
		return "[]"
	case value.Array:
		return "[;]"
	case value.String:
		return "String"
	}
	return "Seq"
}

// headOfValue is the key under which the impls for a value's type are found; empty if the type is not known.
func headOfValue(v value.Value) string {
	switch v := v.(type) {
	case *value.Data:
		return v.Type
	case value.Int:
		if v.Type == value.Any {
			return ""
		}
		return v.Type.String()
	case value.Bool:
		return "bool"
	case value.Char:
		return "char"
	case value.Real:
		return "real"
	case value.Tuple:
		return "()"
	case *value.List:
		return listHead(v.Of)
	case *value.Set:
		return "Set"
	case *value.Map:
		return "Map"
	case *value.Multiset:
		return "Multiset"
	}
	return ""
}

// target is what a path means: a definition of the world, or the name of something of Rust's or Verus's libraries (see
// libraryName), or nothing that is known.
type target struct {
	def *def
	lib string
}

func (t target) ok() bool { return t.def != nil || t.lib != "" }

// maxKept bounds how many meanings of paths are kept.
const maxKept = 100_000

type pathIn struct {
	mod  *module
	path string
}

// resolve finds what a path means in a module.
func (w *World) resolve(m *module, words []string) target {
	key := pathIn{m, strings.Join(words, "::")}
	if t, ok := w.meanings.Load(key); ok {
		return t.(target)
	}
	r := &resolver{w: w, given: m.given()}
	t := r.path(m, words)
	if w.kept.Add(1) <= maxKept {
		w.meanings.Store(key, t)
	}
	return t
}

// resolver follows one path. Imports may lead in circles and through many modules, so what a name means in a module is found out once.
type resolver struct {
	w *World
	// given are the conditions that hold where the path stands.
	given []string

	seen map[nameIn]*found
}

type nameIn struct {
	mod  *module
	name string
	// outside: asked by the import of all names into a module that is not inside.
	outside bool
}

type found struct {
	target target
	// any tells that the module has the name, even if it cannot be said what it means.
	any bool
}

// maxResolved bounds how many names are looked up for one path.
const maxResolved = 2000

func (r *resolver) path(m *module, words []string) target {
	if len(words) == 0 || len(r.seen) > maxResolved {
		return target{}
	}
	first := words[0]
	switch first {
	case "crate":
		for m.parent != nil {
			m = m.parent
		}
		return r.walk(m, words[1:])
	case "self":
		return r.walk(m, words[1:])
	case "super":
		rest := words
		for len(rest) > 0 && rest[0] == "super" {
			if m = m.parent; m == nil {
				return target{}
			}
			rest = rest[1:]
		}
		return r.walk(m, rest)
	case "::":
		return r.external(words[1:])
	}
	if f := r.named(m, first, false); f.any {
		return r.rest(f.target, words[1:])
	}
	if r.w.shadowed(m, first, true) {
		return target{}
	}
	if t := r.external(words); t.ok() {
		return t
	}
	if lib := preludeName(first); lib != "" {
		return r.rest(target{lib: lib}, words[1:])
	}
	return target{}
}

// named looks a name up in a module, its glob imports included.
func (r *resolver) named(m *module, name string, outside bool) found {
	m = m.real()
	key := nameIn{m, name, outside}
	if f := r.seen[key]; f != nil {
		return *f // nothing, if the name is being looked up already
	}
	if len(r.seen) > maxResolved {
		return found{any: true}
	}
	if r.seen == nil {
		r.seen = map[nameIn]*found{}
	}
	r.seen[key] = &found{}
	f := r.lookup(m, name, outside)
	r.seen[key] = &f
	return f
}

func (r *resolver) lookup(m *module, name string, outside bool) found {
	ds := m.names[name]
	unseen := func(d *def) bool { return d.kind == defMod && d.sub.absent || outside && d.private }
	if slices.ContainsFunc(ds, unseen) {
		ds = slices.DeleteFunc(slices.Clone(ds), unseen)
	}
	if len(ds) > 1 {
		// A module and a function may share a name; anything else is a matter of configuration.
		var kept []*def
		for _, d := range ds {
			if d.kind != defMod {
				kept = append(kept, d)
			}
		}
		if len(kept) != 1 {
			return found{any: true}
		}
		ds = kept
	}
	if len(ds) == 1 {
		if d := ds[0]; !hold(d.conds, r.given) || d.kind == defMod && !hold(d.sub.conds, r.given) {
			return found{any: true}
		} else if d.kind != defUse {
			return found{target{def: d}, true}
		}
		use := ds[0].use
		if len(use) == 1 && use[0] == name {
			return found{r.external(use), true}
		}
		return found{r.path(m, use), true}
	}
	var out found
	doubt := false
	for _, g := range m.globs {
		var hit found
		if len(g.path) == 0 || outside && g.private {
			continue
		}
		if base := r.path(m, g.path); base.def != nil && base.def.kind == defMod {
			hit = r.named(base.def.sub, name, !m.within(base.def.sub))
		} else if base.def != nil {
			hit.target = r.rest(base, []string{name})
		} else if mod := r.moduleOf(m, g.path); mod != nil {
			hit = r.named(mod, name, !m.within(mod))
		} else {
			hit.target = r.external(append(slices.Clone(g.path), name))
		}
		switch {
		case !hit.target.ok():
			doubt = doubt || hit.any
			continue
		case out.target.ok() && out.target != hit.target:
			return found{any: true}
		case !hold(g.conds, r.given):
			doubt = true
		}
		out = found{hit.target, true}
	}
	if doubt || out.target.ok() && r.w.shadowed(m, name, out.target.def == nil) {
		return found{any: true}
	}
	return out
}

// within tells whether a module is another or inside of it.
func (m *module) within(o *module) bool {
	for m = m.real(); m != nil; m = m.parent {
		if m == o.real() {
			return true
		}
	}
	return false
}

// moduleOf is the module that a path of keywords only means: crate, self, super::super, or the name of a crate.
func (r *resolver) moduleOf(m *module, words []string) *module {
	for i, word := range words {
		switch word {
		case "crate":
			for m.parent != nil {
				m = m.parent
			}
		case "self":
		case "super":
			if m = m.parent; m == nil {
				return nil
			}
		default:
			if i == 0 && len(words) == 1 {
				return r.w.crates[word]
			}
			return nil
		}
	}
	return m
}

// walk follows words below a module.
func (r *resolver) walk(m *module, words []string) target {
	if len(words) == 0 {
		return target{}
	}
	return r.rest(r.named(m, words[0], false).target, words[1:])
}

// rest follows words below a target: into modules, to the variants of enums, to library names. Associated functions are not followed;
// the caller finds them by the type (see machine.callNamed).
func (r *resolver) rest(t target, words []string) target {
	if len(words) == 0 || !t.ok() {
		return t
	}
	if t.lib != "" {
		return target{lib: t.lib + "::" + strings.Join(words, "::")}
	}
	switch t.def.kind {
	case defMod:
		return r.walk(t.def.sub, words)
	case defEnum:
		if len(words) == 1 {
			for _, v := range t.def.variants {
				if v.name == words[0] {
					return target{def: v}
				}
			}
		}
	}
	return target{}
}

// external resolves a path that begins with the name of a crate.
func (r *resolver) external(words []string) target {
	if len(words) == 0 {
		return target{}
	}
	if root := r.w.crates[words[0]]; root != nil {
		return r.walk(root, words[1:])
	}
	return target{lib: libraryName(words)}
}

// Func is a function or constant of a World.
type Func struct {
	Name string
	Node syntax.Node

	w     *World
	mod   *module
	impl  *impl // that holds it
	trait *def  // that declares it
	presence
}

func (w *World) newFunc(n syntax.Node, m *module, there presence) *Func {
	f := &Func{Name: identText(n.Get(syntax.FName)), Node: n, w: w, mod: m, presence: there}
	w.funcs[placeOf(n)] = f
	return f
}

// Func returns the function whose syntax is n (Fn, Const or Static), or nil. Functions inside the bodies of others are not known.
func (w *World) Func(n syntax.Node) *Func { return w.funcs[placeOf(n)] }

// Find returns the functions of a crate with a symbol such as "stack::Stack::push" or "<Odometer as Gauge>::advance", of which
// the trait may be left out.
func (w *World) Find(crate, symbol string) []*Func {
	var out []*Func
	for _, f := range w.funcs {
		if f.mod.crate == crate && f.matches(symbol) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *Func) int {
		if c := strings.Compare(a.Node.File().Source.Path, b.Node.File().Source.Path); c != 0 {
			return c
		}
		return a.Node.ID() - b.Node.ID()
	})
	return out
}

func (f *Func) matches(symbol string) bool {
	prefix := strings.Join(f.mod.path, "::")
	if prefix != "" {
		prefix += "::"
	}
	switch {
	case f.impl != nil:
		self := f.impl.self.String()
		if i := strings.IndexByte(self, '<'); i > 0 {
			self = self[:i]
		}
		if symbol == prefix+self+"::"+f.Name {
			return true
		}
		return f.impl.traitAs != "" && symbol == prefix+"<"+self+" as "+f.impl.traitAs+">::"+f.Name
	case f.trait != nil:
		return symbol == prefix+f.trait.name+"::"+f.Name
	}
	return symbol == prefix+f.Name
}

// hasAttr tells whether an item has an attribute in which a word stands.
func hasAttr(n syntax.Node, word string) bool { return attr(n, word).Valid() }

func attr(n syntax.Node, word string) syntax.Node {
	for a := range n.All(syntax.FAttr) {
		for t := range a.Tokens() {
			if t.Text() == word {
				return a
			}
		}
	}
	return syntax.Node{}
}

// method finds the functions that a method name means, looked at from a module, for a value or type of a head: those of inherent impls, else those of
// traits. Several, perhaps the same twice, mean that it cannot be said which.
func (w *World) method(from *module, head, name string) []*Func {
	var inherent, traits []*Func
	given := from.given()
	doubt := false  // whether something is there that has the method
	hidden := false // a macro makes items of an inherent impl
	declared := map[*def]bool{}
	impls := slices.Concat(w.impls[head], w.impls["*"], w.impls["?"])
	for _, im := range impls {
		fs := im.methods[name]
		if len(fs) == 0 && im.trait != nil && !declared[im.trait] {
			// The trait's own body serves types that do not write one.
			declared[im.trait] = true
			for _, f := range im.trait.methods[name] {
				traits = append(traits, &Func{Name: f.Name, Node: f.Node, w: w, mod: f.mod, impl: im, trait: f.trait, presence: f.presence})
				doubt = doubt || im.macro || !hold(im.conds, given) || !hold(f.conds, given)
			}
			continue
		}
		hidden = hidden || im.macro && im.traitAs == ""
		for _, f := range fs {
			doubt = doubt || !hold(f.conds, given)
		}
		if im.traitAs == "" {
			inherent = append(inherent, fs...)
		} else {
			traits = append(traits, fs...)
		}
	}
	if len(traits) > 0 {
		// Which goes first depends on the instance of the type, and on how the two take self.
		for _, f := range inherent {
			doubt = doubt || !f.impl.everyInstance(head) || slices.ContainsFunc(traits, func(o *Func) bool { return o.takesSelf() != f.takesSelf() })
		}
		doubt = doubt || len(inherent) == 0 && (hidden || w.hiddenImpl(head, name))
	}
	if doubt {
		return slices.Concat(inherent, traits, inherent, traits)
	}
	if len(inherent) > 1 {
		// An impl for a type that is not understood cannot be for this one where an impl for all instances of this one has the method:
		// they would overlap, which Rust refuses.
		for _, f := range inherent {
			if f.impl.wholeType(head) {
				return slices.DeleteFunc(inherent, func(o *Func) bool { return o.impl.self == nil && o != f })
			}
		}
	}
	if len(inherent) > 0 {
		return inherent
	}
	return traits
}

// takesSelf is how a method takes self, as it is written.
func (f *Func) takesSelf() string {
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		if p.Kind() == syntax.SelfParam {
			return fmt.Sprint(p.ByRef(), p.Mut(), p.Get(syntax.FType).Text())
		}
	}
	return ""
}

// everyInstance tells an impl for every instance of the type of a head, whatever is demanded of its parameters elsewhere.
func (im *impl) everyInstance(head string) bool {
	if im.node.Get(syntax.FWhere).Valid() {
		return false
	}
	for p := range im.node.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Get(syntax.FBounds).Valid() {
			return false
		}
	}
	return im.wholeType(head)
}

// wholeType tells an impl for every instance of the type of a head.
func (im *impl) wholeType(head string) bool {
	if im.self == nil || im.self.Kind != value.TData || im.self.Name != head {
		return false
	}
	seen := map[string]bool{}
	for _, a := range im.self.Args {
		if a.Kind != value.TParam || seen[a.Name] {
			return false
		}
		seen[a.Name] = true
	}
	return true
}

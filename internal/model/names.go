package model

import (
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// space is a namespace of Rust.
type space uint8

const (
	typeSpace space = 1 << iota
	valueSpace
	macroSpace
	anySpace = typeSpace | valueSpace | macroSpace
)

// module is a module, or the scope of a block inside a function (block is set): names not found in a block are looked for around it.
type module struct {
	crate    *crateInfo
	path     string // crate-relative
	parent   *module
	file     *File
	childDir string
	item     *Item
	defs     map[string][]*def
	globs    []*def
	block    bool
	fn       *Function // of a block
	// source is the file that a `mod x;` names, to be read when a path leads there.
	source []string
	scoped bool    // traits is filled in
	traits []*Item // that the module imports or defines
	seen   bool
	// textual are its macros and those of the modules below it that are in scope by their place, in order. A `mod x` stands in declaredIn at
	// declaredAt; no file: not known.
	textual    []textual
	declaredIn *File
	declaredAt int
}

// def is what a name in a module stands for: exactly one of fn, item, mod, use and variant is set.
type def struct {
	fn      *Function
	item    *Item
	mod     *module
	use     []string // path of an import, from module in
	global  bool     // ::path
	crate   bool     // extern crate
	cfg     []string // conditions of an import
	in      *module
	variant *Item // of the enum
	name    string
	private bool // only the module, and what is in it, sees it
	// Where an import leads, once it is known, by namespace asked for.
	knownAs [8]*target
}

func (d *def) space() space {
	switch {
	case d.fn != nil:
		return valueSpace
	case d.mod != nil:
		return typeSpace
	case d.variant != nil:
		return typeSpace | valueSpace
	case d.item != nil:
		switch d.item.Kind {
		case ConstItem, StaticItem:
			return valueSpace
		case MacroItem:
			return macroSpace
		case StructItem:
			if f := d.item.Node.Get(syntax.FFields); f.Valid() && f.FirstToken().Kind() == syntax.LBrace {
				return typeSpace
			}
			return typeSpace | valueSpace
		}
		return typeSpace
	}
	return anySpace
}

func (m *module) define(name string, d *def) {
	if name == "" || name == "_" {
		return
	}
	if m.defs == nil {
		m.defs = map[string][]*def{}
	}
	d.in, d.name = m, name
	m.defs[name] = append(m.defs[name], d)
}

// real is the module around a block scope.
func (m *module) real() *module {
	for m.block && m.parent != nil {
		m = m.parent
	}
	return m
}

// target is what a path resolves to.
type target struct {
	// symbol is the definition with its crate: "crate::a::f" for this tree, "core::mem::swap" for others, "?f" if unknown.
	symbol string
	fns    []*Function
	item   *Item
	mod    *module
	// ext are the segments of a path that leaves the tree.
	ext []string
	// lost says that the search was given up: too many imports lead on and on.
	lost bool
	// cfg are the conditions of the imports that lead there, and others what the path means under other ones: each without others.
	cfg    []string
	others []target
}

func (t target) ok() bool { return t.symbol != "" }

func external(segs []string) target {
	s := append([]string(nil), segs...)
	switch s[0] {
	case "std", "alloc":
		s[0] = "core"
	case "builtin":
		s[0] = "verus_builtin"
	case "builtin_macros":
		s[0] = "verus_builtin_macros"
	}
	return target{symbol: strings.Join(s, "::"), ext: s}
}

// preludeNames are the names of Rust's prelude that sources use without an import.
var preludeNames = map[string]string{"Vec": "core::vec::Vec", "Box": "core::boxed::Box", "String": "core::string::String",
	"ToString": "core::string::ToString", "Option": "core::option::Option", "Some": "core::option::Option::Some",
	"None": "core::option::Option::None", "Result": "core::result::Result", "Ok": "core::result::Result::Ok",
	"Err": "core::result::Result::Err", "Clone": "core::clone::Clone", "Copy": "core::marker::Copy", "Send": "core::marker::Send",
	"Sync": "core::marker::Sync", "Sized": "core::marker::Sized", "Drop": "core::ops::Drop", "drop": "core::mem::drop", "size_of": "core::mem::size_of",
	"size_of_val": "core::mem::size_of_val", "align_of": "core::mem::align_of", "align_of_val": "core::mem::align_of_val", "Unpin": "core::marker::Unpin",
	"Fn": "core::ops::Fn", "FnMut": "core::ops::FnMut", "FnOnce": "core::ops::FnOnce", "Iterator": "core::iter::Iterator",
	"IntoIterator": "core::iter::IntoIterator", "Extend": "core::iter::Extend", "Default": "core::default::Default",
	"DoubleEndedIterator": "core::iter::DoubleEndedIterator", "ExactSizeIterator": "core::iter::ExactSizeIterator",
	"PartialEq": "core::cmp::PartialEq", "Eq": "core::cmp::Eq", "PartialOrd": "core::cmp::PartialOrd", "Ord": "core::cmp::Ord",
	"AsRef": "core::convert::AsRef", "AsMut": "core::convert::AsMut", "Into": "core::convert::Into", "From": "core::convert::From",
	"TryFrom": "core::convert::TryFrom", "TryInto": "core::convert::TryInto", "FromIterator": "core::iter::FromIterator",
	"ToOwned": "core::borrow::ToOwned"}

func isPrimitive(s string) bool {
	switch s {
	case "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "int", "nat",
		"real", "f16", "f128":
		return true
	}
	return false
}

// maxSteps bounds how many imports, modules and segments one name may lead through.
const maxSteps = 4000

// lookup is a resolution under way. fuel bounds the steps, so that imports in a circle end.
type lookup struct {
	x    *index
	fuel int
	// known are the names that were looked up on the way, with nothing while that is going on: globs lead to one module in many ways.
	known map[lookupKey]target
}

type lookupKey struct {
	m     *module
	name  string
	want  space
	outer bool
	own   bool // what is private counts, too
}

type resolved struct {
	m    *module
	path string
	want space
}

// resolve finds what a path means, as look does, and keeps the answer.
func (x *index) resolve(scope *module, segs []string, global bool, self *implInfo, want space) target {
	if len(segs) == 0 || scope == nil || segs[0] == "Self" {
		return x.look(scope, segs, global, self, want)
	}
	k := resolved{scope, segs[0], want}
	if len(segs) > 1 {
		k.path = strings.Join(segs, "::")
	}
	if global {
		k.path = "::" + k.path
	}
	if t, ok := x.cache[k]; ok {
		return t
	}
	t := x.look(scope, segs, global, self, want)
	if want != macroSpace || t.symbol[0] != '?' { // macros are read when they are called
		x.cache[k] = t
	}
	return t
}

// look finds what a path means in a scope. self is the impl or trait around it, or nil.
func (x *index) look(scope *module, segs []string, global bool, self *implInfo, want space) target {
	if len(segs) == 0 || scope == nil {
		return target{}
	}
	fuel := maxSteps
	if x.far > maxFar {
		fuel = farSteps
	}
	l := &lookup{x: x, fuel: fuel}
	t := l.path(scope, segs, global, self, want)
	x.far += max(0, fuel-l.fuel-farSteps)
	if !t.ok() {
		t.lost = l.fuel < 0
		t.symbol = "?" + strings.Join(segs, "::") + l.foreign(scope)
	}
	return t
}

// farSteps are more than a name takes that a person wrote. All names of a tree together may take maxFar steps beyond, some seconds: an import that leads to the next,
// thousands of times over, would take the square of their number.
const farSteps, maxFar = 500, 2_000_000

// foreign names the crates outside the tree whose globs may give a name that nothing else gives.
func (l *lookup) foreign(scope *module) string {
	var out []string
	for m := scope; m != nil; m = m.parent {
		for _, g := range m.globs {
			if first := g.use[0]; library(first) || first == "super" || first == "self" || first == "crate" {
				continue
			}
			if len(g.in.defs[g.use[0]]) > 0 || l.x.externCrate(scope.crate, g.use[0]) != nil {
				continue
			}
			out = append(out, strings.Join(g.use, "::")+"::*")
		}
		if !m.block {
			break
		}
	}
	if out == nil {
		return ""
	}
	return " in " + strings.Join(out, ", ")
}

// library tells the crates whose globs give no name that is not known here.
func library(name string) bool {
	switch name {
	case "vstd", "std", "core", "alloc", "builtin", "verus_builtin", "builtin_macros", "verus_builtin_macros", "verus_state_machines_macros":
		return true
	}
	return false
}

func (l *lookup) path(scope *module, segs []string, global bool, self *implInfo, want space) target {
	if l.fuel--; l.fuel < 0 {
		return target{}
	}
	first := segs[0]
	wantFirst := typeSpace
	if len(segs) == 1 {
		wantFirst = want
	}
	var t target
	i := 1
	switch {
	case global:
		t = l.crateName(scope.crate, first)
	case first == "crate" || first == "$crate":
		t = target{symbol: scope.crate.Key, mod: scope.crate.root}
	case first == "self" && (len(segs) > 1 || want&typeSpace != 0):
		m := scope.real()
		t = target{symbol: m.symbol(), mod: m}
	case first == "super":
		m := scope.real()
		for i = 0; i < len(segs) && segs[i] == "super"; i++ {
			if m.parent == nil {
				return target{}
			}
			m = m.parent.real()
		}
		t = target{symbol: m.symbol(), mod: m}
	case first == "Self":
		if self == nil {
			return target{}
		}
		return l.selfPath(self, segs[1:])
	default:
		t = l.name(scope, first, wantFirst, true)
		if !t.ok() || !t.always() && wantFirst&typeSpace != 0 {
			t = t.or(l.crateName(scope.crate, first))
		}
		if !t.always() {
			if full := preludeNames[first]; full != "" {
				t = t.or(external(strings.Split(full, "::")))
			} else if isPrimitive(first) {
				t = t.or(external(append([]string{"core"}, first)))
			}
		}
	}
	return l.rest(t, segs[i:], want)
}

// rest follows the segments behind what was found.
func (l *lookup) rest(t target, segs []string, want space) target {
	for i, s := range segs {
		if len(t.cfg)+len(t.others) > 0 {
			var all target
			for _, one := range t.each() {
				cfg := one.cfg
				one.cfg = nil
				all = all.or(l.rest(one, segs[i:], want).under(cfg))
			}
			return all
		}
		if l.fuel--; l.fuel < 0 || !t.ok() {
			return target{}
		}
		w := typeSpace
		if i == len(segs)-1 {
			w = want
		}
		switch {
		case t.mod != nil:
			if s == "self" {
				continue
			}
			t = l.name(t.mod, s, w, false)
		case t.ext != nil:
			t = external(append(append([]string(nil), t.ext...), s))
		case t.item != nil:
			t = l.member(t.item, s)
		default:
			return target{}
		}
	}
	return t
}

// member finds an associated function, a variant or a trait's method.
func (l *lookup) member(it *Item, name string) target {
	info := l.x.it[it]
	if it.Kind == TypeAliasItem {
		if to := l.alias(it); to.item != nil && to.item != it {
			return l.member(to.item, name)
		} else if to.ext != nil {
			return external(append(append([]string(nil), to.ext...), name))
		}
		return target{}
	}
	if info.variants[name] {
		return target{symbol: it.global() + "::" + name, item: it}
	}
	if it.Kind == TraitItem {
		var fns []*Function
		for _, f := range info.fns {
			if f.Name == name {
				fns = append(fns, f)
			}
		}
		if fns != nil {
			return target{symbol: it.global() + "::" + name, fns: fns}
		}
		return target{}
	}
	fns := l.x.associated(it, name)
	if fns == nil {
		return target{symbol: it.global() + "::" + name}
	}
	l.x.name(fns[0])
	return target{symbol: fns[0].Crate.Key + "::" + fns[0].Path, fns: fns}
}

// alias follows a type alias to the type behind it.
func (l *lookup) alias(it *Item) target {
	info := l.x.it[it]
	if info.busy {
		return target{}
	}
	info.busy = true
	defer func() { info.busy = false }()
	segs, global := pathOf(it.Node.Get(syntax.FType))
	if len(segs) == 0 {
		return target{}
	}
	return l.path(info.scope, segs, global, nil, typeSpace)
}

// associated are the functions of a name in the impls of a type of the tree: inherent ones first, of traits if there are none.
func (x *index) associated(it *Item, name string) []*Function {
	var inherent, traits []*Function
	x.loadMethods(name)
	for _, f := range x.methods[name] {
		im := f.info.impl
		if im == nil || x.selfItem(im) != it {
			continue
		}
		if im.trait.Valid() {
			traits = append(traits, f)
		} else {
			inherent = append(inherent, f)
		}
	}
	if inherent != nil {
		return inherent
	}
	return traits
}

// loadMethods reads the files that define functions of a name.
func (x *index) loadMethods(name string) {
	if x.asked[name] {
		return
	}
	x.asked[name] = true
	for _, p := range x.definers(name) {
		x.load(p)
	}
}

// selfItem is the type of the tree that an impl is for, or nil.
func (x *index) selfItem(im *implInfo) *Item {
	if im.done {
		return im.selfTo
	}
	if im.busy {
		return nil
	}
	im.busy = true
	segs, global := pathOf(im.self)
	if len(segs) > 0 && !im.generics[segs[0]] {
		l := &lookup{x: x, fuel: maxSteps}
		t := l.path(im.scope, segs, global, nil, typeSpace)
		if t.item != nil && t.item.Kind == TypeAliasItem {
			if to := l.alias(t.item); to.ok() {
				t = to
			}
		}
		im.selfTo, im.selfExt = t.item, t.ext
	}
	im.busy, im.done = false, true
	return im.selfTo
}

func (l *lookup) selfPath(im *implInfo, segs []string) target {
	var t target
	switch {
	case im.traitItem != nil:
		t = target{symbol: im.traitItem.global(), item: im.traitItem}
	default:
		if it := l.x.selfItem(im); it != nil {
			t = target{symbol: it.global(), item: it}
		} else if im.selfExt != nil {
			t = external(im.selfExt)
		}
	}
	if len(segs) == 0 {
		return t
	}
	if im.traitItem == nil && im.trait.Valid() && len(segs) == 1 {
		// The impl's own functions come first.
		for _, f := range im.fns {
			if f.Name == segs[0] {
				l.x.name(f)
				return target{symbol: f.Crate.Key + "::" + f.Path, fns: []*Function{f}}
			}
		}
	}
	return l.rest(t, segs, anySpace)
}

// crateName finds a crate by name: one of the tree, a library that is known, or one that a manifest depends on.
func (l *lookup) crateName(c *crateInfo, name string) target {
	if k := l.x.externCrate(c, name); k != nil {
		l.x.load(k.Root)
		return target{symbol: k.Key, mod: k.root}
	}
	name = l.x.renamed(c, name)
	switch name {
	case "std", "core", "alloc", "vstd", "builtin", "verus_builtin", "builtin_macros", "verus_builtin_macros", "verus_state_machines_macros",
		"proc_macro", "test":
		return external([]string{name})
	}
	if c.pkg != nil {
		for _, d := range c.pkg.cargo.Dependencies {
			if strings.ReplaceAll(d.Package, "-", "_") == name || strings.ReplaceAll(d.Name, "-", "_") == name {
				return external([]string{name})
			}
		}
	}
	return target{}
}

// name looks a name up in a module; outer says whether the scopes around it count, as they do for the first name of a path.
func (l *lookup) name(m *module, name string, want space, outer bool) target {
	return l.nameFor(m, name, want, outer, true)
}

// nameFor looks a name up in a module. own says whether what is private to the module counts: a glob import brings what can be seen from where it stands.
func (l *lookup) nameFor(m *module, name string, want space, outer, own bool) target {
	if m == nil {
		return target{}
	}
	key := lookupKey{m, name, want, outer, own}
	if t, ok := l.known[key]; ok {
		return t
	}
	if l.fuel--; l.fuel < 0 {
		return target{}
	}
	if l.known == nil {
		l.known = map[lookupKey]target{}
	}
	l.known[key] = target{}
	t := l.nameIn(m, name, want, outer, own)
	l.known[key] = t
	return t
}

func (l *lookup) nameIn(m *module, name string, want space, outer, own bool) target {
	l.x.enter(m)
	found := l.own(m, name, want, own)
	if !found.ok() && want == macroSpace && m.parent == nil {
		for _, it := range l.x.macros[name] {
			if it.Crate == m.crate.Crate && l.x.exported(it) && !outer {
				l.x.nameItem(it)
				found = target{symbol: it.global(), item: it}
			}
		}
	}
	for _, g := range m.globs {
		if found.always() {
			return found
		}
		if g.private && !own {
			continue
		}
		for _, t := range l.follow(g, typeSpace).each() {
			var got target
			switch {
			case t.mod != nil && t.mod != m:
				got = l.nameFor(t.mod, name, want, false, g.in.within(t.mod))
			case t.item != nil && l.x.it[t.item].variants[name]:
				got = target{symbol: t.item.global() + "::" + name, item: t.item}
			case t.ext != nil:
				if full := knownGlob(t.ext, name); full != nil {
					got = external(full)
				}
			}
			found = found.or(got.under(t.cfg))
		}
	}
	if found.always() {
		return found
	}
	if outer && m.block {
		return found.or(l.name(m.parent, name, want, true))
	}
	if outer && want&macroSpace != 0 && want&valueSpace == 0 {
		// macro_rules is seen in the modules below it, and through #[macro_use] and #[macro_export] beyond.
		for p := m.parent; p != nil; p = p.parent {
			if t := l.own(p, name, macroSpace, true); t.ok() {
				return found.or(t)
			}
		}
		for _, it := range l.x.macros[name] {
			// The standard library's goes before one of another crate, unless all macros of that are taken.
			if !syntax.StandardMacro(name) || l.x.exported(it) && l.x.takesMacros(m.crate, it.Crate) {
				return found.or(target{symbol: it.global(), item: it})
			}
		}
	}
	return found
}

// knownGlob says what a glob import of a known library gives for a name that matters here.
func knownGlob(ext []string, name string) []string {
	switch ext[0] {
	case "vstd":
		switch name {
		case "assume":
			if len(ext) >= 2 && (ext[1] == "pervasive" || ext[1] == "prelude") {
				return []string{"vstd", "pervasive", "assume"}
			}
		case "admit", "assume_", "inline_air_stmt":
			return []string{"verus_builtin", name}
		case "Tracked", "Ghost":
			return []string{"verus_builtin", name}
		}
	case "verus_builtin":
		switch name {
		case "admit", "assume_", "inline_air_stmt", "Tracked", "Ghost":
			return []string{"verus_builtin", name}
		}
	}
	return nil
}

// own looks among the module's own definitions and named imports.
func (l *lookup) own(m *module, name string, want space, private bool) target {
	var imports []*def
	var t target
	var first *def
	for _, d := range m.defs[name] {
		if d.private && !private {
			continue
		}
		if d.use != nil {
			imports = append(imports, d)
			continue
		}
		if d.space()&want == 0 {
			continue
		}
		switch {
		case d.fn != nil:
			// Variants of one function all count.
			l.x.name(d.fn)
			t.fns = append(t.fns, d.fn)
			t.symbol = d.fn.Crate.Key + "::" + d.fn.Path
		case len(t.fns) > 0 || first != nil && first.space()&d.space() == 0:
		default:
			// Several are under conditions, each.
			t = t.or(l.is(d))
			first = d
		}
	}
	always := t.ok()
	for _, d := range imports {
		if always && len(d.cfg) == 0 {
			continue
		}
		got := l.imported(m, d, want)
		t = t.or(got)
		always = always || got.ok() && len(d.cfg) == 0
	}
	return t
}

// is what a definition of a module means that is no function and no import.
func (l *lookup) is(d *def) target {
	switch {
	case d.mod != nil:
		return target{symbol: d.mod.symbol(), mod: d.mod}
	case d.variant != nil:
		return target{symbol: d.variant.global() + "::" + d.name, item: d.variant}
	}
	l.x.nameItem(d.item)
	return target{symbol: d.item.global(), item: d.item}
}

// within tells a module that is another one, or in it.
func (m *module) within(around *module) bool {
	for ; m != nil; m = m.parent {
		if m == around {
			return true
		}
	}
	return false
}

// imported is what a named import brings into a module.
func (l *lookup) imported(m *module, d *def, want space) target {
	if len(d.use) == 1 && d.use[0] == d.name && !d.global { // use x; names a crate
		return l.crateName(m.crate, d.name).under(d.cfg)
	}
	got := l.follow(d, want)
	if !got.ok() {
		// The path may go through a crate that is not in the tree and in no manifest.
		if (len(d.use) > 1 || d.crate) && d.use[0] != "crate" && d.use[0] != "self" && d.use[0] != "super" {
			if first := l.path(d.in, d.use[:1], d.global, nil, typeSpace); !first.ok() {
				got = external(d.use).under(d.cfg)
			}
		}
	}
	return got
}

// follow resolves an import. What it leads to is kept: reading more files does not change it.
func (l *lookup) follow(d *def, want space) target {
	if t := d.knownAs[want]; t != nil {
		return *t
	}
	t := l.path(d.in, d.use, d.global, nil, want).under(d.cfg)
	if t.ok() {
		d.knownAs[want] = &t
	}
	return t
}

// enter reads the file of a `mod x;` when it is first looked into.
func (x *index) enter(m *module) {
	for _, p := range m.source {
		if x.mods[p] == nil {
			x.load(p)
		}
	}
	if m.parent == nil && !m.seen {
		m.seen = true
		x.load(m.crate.Root)
	}
}

func (m *module) symbol() string {
	if m.path == "" {
		return m.crate.Key
	}
	return m.crate.Key + "::" + m.path
}

// global is the symbol with its crate.
func (it *Item) global() string { return it.Crate.Key + "::" + it.Path }

// pathOf gives the names of a Path, or of a type or expression that is one in parentheses; nil if n is none.
func pathOf(n syntax.Node) (segs []string, global bool) {
	for n.Kind() == syntax.ParenType || n.Kind() == syntax.Paren {
		n = firstChild(n)
	}
	if n.Kind() != syntax.Path || n.Get(syntax.FQSelf).Valid() {
		return nil, false
	}
	for s := range n.All(syntax.FSegment) {
		segs = append(segs, tokenWord(s.FirstToken()))
	}
	return segs, n.Global()
}

func firstChild(n syntax.Node) syntax.Node {
	for c := range n.Children() {
		return c
	}
	return syntax.Node{}
}

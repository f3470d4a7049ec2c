package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// maxGlobNames bounds how many names of one module's glob imports are looked up.
const maxGlobNames = 2000

// Imports are the names that the imports of the files that were asked for bring into their modules, and what they mean: from
// "crate::module::name" to the symbols of its definitions. Others may reach these names through the module, so that what an untouched
// file means may change with them.
func (m *Model) Imports() map[string]string {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[string]string{}
	for _, mod := range x.askedModules() {
		for name, imported := range x.given(mod) {
			if imported {
				out[mod.key(name)] = x.meanings(mod, name)
			}
		}
	}
	return out
}

// TakenAway are the names that modules of the files that were asked for have, by themselves or by imports, and that mean something else without the
// module: a name of a prelude or of a crate, and that of a constant, which a pattern binds where there is none. Whoever has all names of the module means the module's.
func (m *Model) TakenAway() map[string]bool {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[string]bool{}
	for _, mod := range x.askedModules() {
		for name := range x.given(mod) {
			l := &lookup{x: x, fuel: maxSteps}
			usual := l.crateName(mod.crate, name).symbol
			switch {
			case x.inPatterns(mod, name):
				out[mod.key(name)] = true
				continue
			case preludeNames[name] != "":
				usual = preludeNames[name]
			case isPrimitive(name):
				usual = "core::" + name
			case usual == "" && !syntax.StandardMacro(name) && !verusName(name):
				continue
			}
			for s := range strings.SplitSeq(x.meanings(mod, name), "\x00") {
				switch crate, _, _ := strings.Cut(s, "::"); {
				case s == usual, s[0] == '?', usual == "" && (crate == "core" || crate == "vstd" || crate == "verus_builtin" || crate == "verus_builtin_macros"):
				default:
					out[mod.key(name)] = true
				}
			}
		}
	}
	return out
}

// inPatterns tells a name that patterns compare with. Of libraries only those count that are not written like a constant: others are taken for one anyway.
func (x *index) inPatterns(mod *module, name string) bool {
	return slices.ContainsFunc(x.resolve(mod, []string{name}, false, nil, valueSpace).each(), func(t target) bool {
		switch {
		case !t.constant():
			return false
		case t.item != nil:
			return t.item.Kind != StructItem || !t.item.Node.Get(syntax.FFields).Valid()
		}
		return name[0] >= 'a' && name[0] <= 'z'
	})
}

// verusName tells names of vstd's prelude.
func verusName(name string) bool {
	switch name {
	case "int", "nat", "real", "Ghost", "Tracked", "FnSpec", "Seq", "Set", "Map", "ISet", "IMap", "View", "DeepView", "Structural", "Integer", "admit", "assume",
		"assume_", "arbitrary", "spec_affirm", "unreached", "proof_from_false", "seq", "set", "map", "calc":
		return true
	}
	return false
}

// askedModules are the modules whose text is in the files that were asked for.
func (x *index) askedModules() []*module {
	var out []*module
	seen := map[*module]bool{}
	var visit func(mod *module)
	visit = func(mod *module) {
		if seen[mod] || x.ctx.Err() != nil {
			return
		}
		seen[mod] = true
		out = append(out, mod)
		for _, name := range slices.Sorted(maps.Keys(mod.defs)) {
			for _, d := range mod.defs[name] {
				if d.mod != nil && d.mod.file == mod.file {
					visit(d.mod)
				}
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(x.selected)) {
		if mod := x.mods[p]; mod != nil && x.selected[p] {
			visit(mod)
		}
	}
	return out
}

// given are the names that a module gives, and whether by an import.
func (x *index) given(mod *module) map[string]bool {
	names := map[string]bool{}
	for name, defs := range mod.defs {
		if !strings.HasPrefix(name, "_ ") {
			names[name] = slices.ContainsFunc(defs, func(d *def) bool { return d.use != nil })
		}
	}
	imported := map[string]bool{}
	through := map[*module]bool{}
	for _, g := range mod.globs {
		x.globNames(g, imported, through)
	}
	for name := range imported {
		if !strings.HasPrefix(name, "_ ") {
			names[name] = true
		}
	}
	return names
}

// key is a name of the module, as others could write it.
func (m *module) key(name string) string { return m.crate.Key + "::" + joinPath(m.path, name) }

// meanings are the symbols of all that a name of a module may mean. What it means under a condition counts too.
func (x *index) meanings(mod *module, name string) string {
	var to []string
	for _, space := range []space{typeSpace, valueSpace, macroSpace} {
		for _, t := range x.resolve(mod, []string{name}, false, nil, space).each() {
			to = append(to, t.symbol)
		}
	}
	return strings.Join(to, "\x00")
}

// globNames adds the names that a glob import of a module of the tree gives. through are the modules that were gone through already:
// globs may lead to one module in many ways, and in circles.
func (x *index) globNames(g *def, names map[string]bool, through map[*module]bool) {
	if x.ctx.Err() != nil {
		return
	}
	t := x.resolve(g.in, g.use, g.global, nil, typeSpace)
	if t.mod == nil || through[t.mod] {
		return
	}
	through[t.mod] = true
	x.enter(t.mod)
	for _, name := range slices.Sorted(maps.Keys(t.mod.defs)) {
		if len(names) >= maxGlobNames {
			return
		}
		names[name] = true
	}
	for _, inner := range t.mod.globs {
		x.globNames(inner, names, through)
	}
}

// ExtendMentioning adds the sources that mention one of the words to the files that the model was asked for. See Extend.
func (m *Model) ExtendMentioning(words []string) bool {
	return m.Extend(m.x.tree.Mentions(words...))
}

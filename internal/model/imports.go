package model

import (
	"maps"
	"slices"
	"strings"
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
	seen := map[*module]bool{}
	var visit func(mod *module)
	visit = func(mod *module) {
		if seen[mod] || x.ctx.Err() != nil {
			return
		}
		seen[mod] = true
		names := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(mod.defs)) {
			for _, d := range mod.defs[name] {
				if d.use != nil {
					names[name] = true
				}
				if d.mod != nil && d.mod.file == mod.file {
					visit(d.mod)
				}
			}
		}
		through := map[*module]bool{}
		for _, g := range mod.globs {
			x.globNames(g, names, through)
		}
		for name := range names {
			if strings.HasPrefix(name, "_ ") {
				continue
			}
			var to []string
			for _, space := range []space{typeSpace, valueSpace, macroSpace} {
				// What it means under conditions counts too: an attack may add a meaning and leave the other.
				for _, t := range x.resolve(mod, []string{name}, false, nil, space).each() {
					to = append(to, t.symbol)
				}
			}
			out[mod.crate.Key+"::"+joinPath(mod.path, name)] = strings.Join(to, "\x00")
		}
	}
	for _, p := range slices.Sorted(maps.Keys(x.selected)) {
		if mod := x.mods[p]; mod != nil && x.selected[p] {
			visit(mod)
		}
	}
	return out
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

package model

import "slices"

// A macro_rules is in scope by its place in the text: from its definition to the end of the module, in the modules that are declared there, and behind
// a module with #[macro_use]. The last definition goes before those above it, before imports, and before the standard library's macros.

// textual is a definition of a macro by macro_rules, or a module with #[macro_use], in the order of a module's text.
type textual struct {
	file *File
	at   int
	item *Item   // the macro
	mod  *module // or the module
}

// before tells whether it is above a place of a file. In another file, which an include! or a second #[path] makes a part of the module, it may be.
func (e textual) before(file *File, at int) bool { return e.file != file || e.at < at }

// maxTextual bounds how deep modules with #[macro_use] are looked into.
const maxTextual = 50

// inText are the macros of a name, or of any if it is empty, that the text above a place of a module brings into scope, the last one last.
func (x *index) inText(m *module, name string, file *File, at, depth int) []*Item {
	var out []*Item
	for _, e := range m.textual {
		switch {
		case !e.before(file, at):
		case e.mod == nil:
			if name == "" || e.item.Name == name {
				x.nameItem(e.item)
				out = append(out, e.item)
			}
		case depth < maxTextual:
			x.enter(e.mod)
			out = append(out, x.inText(e.mod, name, nil, 0, depth+1)...)
		}
	}
	return out
}

// macroTarget is what the name of a macro that is called at a place means.
func (x *index) macroTarget(scope *module, self *implInfo, segs []string, global bool, file *File, at int) target {
	if len(segs) == 1 && !global {
		for m := scope; m != nil; m = m.parent {
			if all := x.inText(m, segs[0], file, at, 0); len(all) > 0 {
				it := all[len(all)-1]
				// Not the path: it is the same for all of that name.
				return target{symbol: it.Crate.Key + "::" + it.Symbol, item: it}
			}
			if !m.block {
				file, at = m.declaredIn, m.declaredAt
			}
		}
	}
	if len(segs) > 0 {
		x.loadMacros(segs[len(segs)-1])
	}
	return x.resolve(scope, segs, global, self, macroSpace)
}

// loadMacros reads the files that define a macro of a name: it may be exported from there.
func (x *index) loadMacros(name string) {
	x.scan()
	for _, p := range x.macroFiles[name] {
		x.load(p)
	}
}

// takesMacros tells a crate that has #[macro_use] extern crate for another.
func (x *index) takesMacros(c *crateInfo, of *Crate) bool {
	return slices.ContainsFunc(c.macroUse, func(name string) bool {
		k := x.externCrate(c, name)
		return k != nil && k.Crate == of
	})
}

// exported tells a macro that is at the root of its crate, wherever it is defined.
func (x *index) exported(it *Item) bool {
	for _, m := range x.it[it].metas {
		if m.is("macro_export") {
			return true
		}
	}
	return false
}

// TextualMacros are the macros that are in scope where a module is declared, by name.
func (m *Model) TextualMacros(it *Item) map[string]string {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[string]string{}
	file, at := it.File, it.Span.Start
	for in := x.it[it].scope; in != nil; in = in.parent {
		here := map[string]string{}
		for _, d := range x.inText(in, "", file, at, 0) {
			here[d.Name] = d.Crate.Key + "::" + d.Symbol
		}
		for name, symbol := range here {
			if out[name] == "" {
				out[name] = symbol
			}
		}
		if !in.block {
			file, at = in.declaredIn, in.declaredAt
		}
	}
	return out
}

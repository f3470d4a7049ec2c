package eval

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// Macros are not expanded, but the names that one can bind are words in it: those of its own body, of the bodies of macros that it calls, and of
// its input.

// macroText is what stands in the body of a macro_rules! or macro, or in the input of a call.
type macroText struct {
	words map[string]bool // all words
	binds map[string]bool // those that stand where a name is declared or may be
	calls []string        // macros that are called
	// fills: a part of the input may stand where a name is declared.
	fills bool
	// globs: it may import whatever a module has.
	globs bool
}

// macroCall is a call that may stand for items, of a macro that is not Verus's.
type macroCall struct {
	mod  *module
	name string
	in   *macroText
}

func isName(k syntax.TokenKind) bool { return k == syntax.Ident || k >= syntax.KwAs }

// knownMacro tells macros of Rust's and Verus's libraries that declare nothing but what their input names.
func knownMacro(name string) bool {
	switch name {
	case "verus", "verus_", "verus_impl", "verus_trait_impl", "verus_keep_ghost", "verus_erase_ghost", "exec_spec", "exec_spec_verified",
		"exec_spec_unverified", "verus_proof_expr", "verus_exec_expr", "state_machine", "tokenized_state_machine", "struct_with_invariants", "proof",
		"proof_decl", "proof_with", "seq", "set", "map", "calc", "open_atomic_invariant", "open_local_invariant", "atomic_with_ghost",
		"assert_seqs_equal", "assert_sets_equal", "assert_maps_equal", "assert_by_contradiction",
		"global_asm", "compile_error":
		return true
	}
	return syntax.StandardMacro(name)
}

// define reads the body of a macro.
func (w *World) define(n syntax.Node) {
	var toks []syntax.Token
	for _, part := range []syntax.Node{n.Get(syntax.FArgs), n.Get(syntax.FBody)} {
		if part.Valid() {
			toks = slices.AppendSeq(toks, part.Tokens())
		}
	}
	name := identText(n.Get(syntax.FName))
	w.macros[name] = append(w.macros[name], readMacro(toks))
}

// called notes a call that may stand for items.
func (w *World) called(n syntax.Node, m *module) {
	if path := pathWords(n.Get(syntax.FPath)); len(path) > 0 {
		c := &macroCall{mod: m, name: path[len(path)-1], in: readMacro(slices.Collect(n.Get(syntax.FArgs).Tokens()))}
		if stateMachine(c.name) {
			for t := range n.Get(syntax.FArgs).Tokens() {
				if isName(t.Kind()) {
					c.in.binds[t.Text()] = true
					break
				}
			}
		}
		m.calls = append(m.calls, c)
		w.calls = append(w.calls, c)
	}
}

// stateMachine tells the macros that declare a module by the first word of their input.
func stateMachine(name string) bool {
	return name == "state_machine" || name == "tokenized_state_machine"
}

func readMacro(toks []syntax.Token) *macroText {
	out := &macroText{words: map[string]bool{}, binds: map[string]bool{}}
	kind := func(i int) syntax.TokenKind {
		if i < 0 || i >= len(toks) {
			return syntax.EOF
		}
		return toks[i].Kind()
	}
	open := func(i int) bool {
		return kind(i) == syntax.LParen || kind(i) == syntax.LBrace || kind(i) == syntax.LBracket
	}
	use := false         // between use and its semicolon
	input, inner := 0, 0 // where the input of another macro ends, and a module
	for i, t := range toks {
		declared := use || i < input
		switch kind(i - 1) {
		case syntax.KwFn, syntax.KwStruct, syntax.KwEnum, syntax.KwUnion, syntax.KwConst, syntax.KwStatic, syntax.KwMut, syntax.KwType, syntax.KwTrait,
			syntax.KwMod, syntax.KwMacro, syntax.KwCrate, syntax.KwGroup:
			declared = true
		case syntax.LParen, syntax.LBrace, syntax.LBracket:
			declared = declared || kind(i-2) == syntax.Bang && i > 2 && stateMachine(toks[i-3].Text())
		case syntax.Bang:
			declared = declared || kind(i-2) == syntax.KwMacroRules
		case syntax.Star, syntax.Plus, syntax.Question: // behind a repetition
			declared = declared || kind(i-2) == syntax.RParen
		default:
			declared = declared || isName(kind(i-1)) && kind(i-2) == syntax.Dollar // what stands for $x may be such a word
		}
		switch t.Kind() {
		case syntax.KwUse:
			use = true
		case syntax.Semi:
			use = false
		case syntax.KwMod:
			at := i + 2
			if kind(i+1) == syntax.Dollar {
				at++
			}
			if kind(at) == syntax.LBrace {
				inner = max(inner, at+closing(toks[at:]))
			}
		case syntax.Dollar:
			out.fills = out.fills || declared
		}
		out.globs = out.globs || use && i >= inner && (t.Kind() == syntax.Star || t.Kind() == syntax.Dollar)
		if !isName(t.Kind()) {
			continue
		}
		word := strings.TrimPrefix(t.Text(), "r#")
		out.words[word] = true
		switch {
		case kind(i+1) == syntax.Bang && open(i+2) && kind(i-1) != syntax.Dollar:
			out.calls = append(out.calls, word)
			if !knownMacro(word) {
				input = max(input, i+2+closing(toks[i+2:]))
			}
		case declared && kind(i-1) != syntax.Dollar:
			out.binds[word] = true
		}
	}
	return out
}

// may tells whether something holds of the bodies that a call is expanded by. foreign is the answer for a macro that is not of this world.
func (w *World) may(c *macroCall, foreign bool, what func(*macroText) bool) bool {
	seen := map[string]bool{}
	var visit func(name string) bool
	visit = func(name string) bool {
		if seen[name] {
			return false
		}
		seen[name] = true
		if w.macros[name] == nil {
			return foreign && !knownMacro(name)
		}
		for _, d := range w.macros[name] {
			if what(d) || slices.ContainsFunc(d.calls, visit) {
				return true
			}
		}
		return false
	}
	for _, d := range c.mod.names[c.name] {
		if d.kind != defUse || libraryCrate(d.use[0]) {
			continue
		}
		// Another macro under this name, or under that of one of the libraries'.
		last := d.use[len(d.use)-1]
		if knownMacro(last) && w.macros[last] == nil || visit(last) {
			return true
		}
	}
	return visit(c.name) || slices.ContainsFunc(c.in.calls, visit)
}

// shadowed tells whether a macro that is called in a module may declare a name there, which would go before one that a glob import or the language gives.
// library says that the name is otherwise one of the libraries': macros that are not of this world are then not suspected.
func (w *World) shadowed(m *module, name string, library bool) bool {
	return slices.ContainsFunc(m.real().calls, func(c *macroCall) bool {
		given := c.in.words[name]
		may := func(d *macroText) bool {
			return d.globs || d.binds[name] || given && d.fills
		}
		return may(c.in) || w.may(c, !library, may)
	})
}

// hiddenImpl tells whether a macro may implement a method for a type itself, which would go before that of a trait.
func (w *World) hiddenImpl(head, method string) bool {
	typ := head[strings.LastIndexByte(head, ':')+1:]
	return slices.ContainsFunc(w.calls, func(c *macroCall) bool {
		has := func(name string) bool {
			return c.in.words[name] || w.may(c, false, func(d *macroText) bool { return d.words[name] })
		}
		return has(typ) && has(method)
	})
}

// libraryMacro is the name of the macro of Rust's or Verus's libraries that a path means in a module; empty if it is not known to mean one.
func (w *World) libraryMacro(m *module, path []string) string {
	if len(path) == 0 {
		return ""
	}
	name := path[len(path)-1]
	if len(path) > 1 {
		if libraryCrate(path[0]) && len(m.names[path[0]]) == 0 && w.crates[path[0]] == nil {
			return name
		}
		return ""
	}
	if w.macros[name] != nil {
		return "" // wherever it is, it may be in scope
	}
	for _, c := range w.calls {
		may := func(d *macroText) bool { return d.binds[name] || c.in.words[name] && d.fills }
		if c.mod.crate == m.crate && (may(c.in) || w.may(c, false, may)) {
			return ""
		}
	}
	for _, u := range w.macroUses[m.crate] {
		first := u.use[0]
		switch {
		case u.name != name:
		case u.use[len(u.use)-1] != name:
			return ""
		case len(u.use) == 1 || libraryCrate(first) || first == "crate" || first == "self" || first == "super":
		case w.crates[first] == nil && len(u.mod.names[first]) == 0:
			return "" // of a crate that is not seen
		}
	}
	return name
}

// libraryForm tells the macros of the libraries that machine.macro understands.
func libraryForm(name string) bool {
	switch name {
	case "seq", "vec", "set", "map":
		return true
	}
	return false
}

// libraryCrate tells the crates of Rust's and Verus's libraries.
func libraryCrate(name string) bool {
	switch name {
	case "vstd", "builtin", "verus_builtin", "builtin_macros", "verus_builtin_macros", "std", "core", "alloc":
		return true
	}
	return false
}

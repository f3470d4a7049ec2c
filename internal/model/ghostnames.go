package model

import (
	"bytes"

	"github.com/specgate/specgate/internal/syntax"
)

// declaredHere tells a name of one of Verus's ghost macros or wrappers that the tree itself declares, in any file: whatever is called by it is
// taken for code, since a macro reaches other files without being named there. The macros of verus!'s kind are not among them: what
// stands in them is code anyway, and who declares one is told (External).
func (x *index) declaredHere(name string) bool {
	if verusMacro(name) || !syntax.GhostName(name) {
		return false
	}
	x.scan()
	return x.ghosts[name]
}

// ghostlyMacro tells a macro call that leaves nothing executable, by the macro's name.
func (x *index) ghostlyMacro(name string) bool { return ghostMacro(name) && !x.declaredHere(name) }

// exec is the executable projection of a node of the tree.
func (x *index) exec(n syntax.Node) string { return syntax.ExecWhere(n, x.declaredHere) }

// ofVerus tells a file of a package that its manifest makes a part of Verus: it declares those names for what they mean.
func (x *index) ofVerus(p string) bool {
	k := x.owner(p)
	if k == nil {
		return false
	}
	is := func(b *bool) bool { return b != nil && *b }
	v := k.cargo.Verus
	return k.name == "vstd" || v != nil && (is(v.IsVstd) || is(v.IsBuiltin) || is(v.IsBuiltinMacros))
}

// scanGhostNames notes the names of Verus's ghost macros and wrappers that a file declares.
func (x *index) scanGhostNames(p string, text []byte) {
	note := func(name string) {
		if !syntax.GhostName(name) || x.ghosts[name] || x.ofVerus(p) {
			return
		}
		// It may stand in a comment.
		f, err := x.tree.Parse(p)
		x.ghosts[name] = err != nil || f.Declares(name)
	}
	wordsBehind(text, "macro_rules", note)
	wordsBehind(text, "macro", note)
	if bytes.Contains(text, []byte("proc_macro")) {
		wordsBehind(text, "fn", note)
	}
	for _, name := range []string{"Ghost", "Tracked"} {
		if x.ghosts[name] {
			continue
		}
		for at := range wordsIn(text, name) {
			switch wordBefore(text[:at]) {
			case "struct", "enum", "union", "type", "fn", "const", "static", "as":
				note(name)
			}
		}
	}
}

// wordBefore is the last word of a text, comments behind it left out.
func wordBefore(text []byte) string {
	text = bytes.TrimSuffix(text, []byte("r#"))
	for {
		text = bytes.TrimRight(text, " \t\r\n")
		if bytes.HasSuffix(text, []byte("*/")) {
			text = text[:max(bytes.LastIndex(text, []byte("/*")), 0)]
			continue
		}
		line := bytes.LastIndexByte(text, '\n') + 1
		if i := bytes.Index(text[line:], []byte("//")); i >= 0 {
			text = text[:line+i]
			continue
		}
		break
	}
	end := len(text)
	for end > 0 && syntax.WordByte(text[end-1]) {
		end--
	}
	return string(text[end:])
}

// afterBlank is where white space and comments end.
func afterBlank(text []byte, i int) int {
	for i < len(text) {
		switch rest := text[i:]; {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r':
			i++
		case bytes.HasPrefix(rest, []byte("//")):
			if j := bytes.IndexByte(rest, '\n'); j >= 0 {
				i += j
			} else {
				return len(text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			depth := 0
			for ; i < len(text); i++ {
				if bytes.HasPrefix(text[i:], []byte("/*")) {
					depth++
					i++
				} else if bytes.HasPrefix(text[i:], []byte("*/")) {
					depth--
					i++
				}
				if depth == 0 {
					i++
					break
				}
			}
		default:
			return i
		}
	}
	return i
}

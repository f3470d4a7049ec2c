package pair

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// names says how the words of one side's canonical text are written for comparison.
type names struct {
	// vars are the parameters and the result: their name to their place.
	vars map[string]string
	// paths are free paths to what they resolve to, in the head's symbols.
	paths map[string]string
	// types are generic parameters, lifetimes among them, locals and labels, to the head's names for them.
	types map[string]string
	// methods are method names to the head's, for those renamed.
	methods map[string]string
	// self is the function's own name, which a renaming does not count as a change.
	self string
	// ghost are macros whose calls are left out.
	ghost map[string]bool
}

// scan calls found for each token of canonical text: a word, a path of words joined by `::`, a literal, or one other byte.
func scan(text string, found func(tok string, word bool)) {
	for i := 0; i < len(text); {
		c := text[i]
		start := i
		switch {
		case c == ' ' || c == '\n' || c == '\t':
			i++
			continue
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
			found(text[start:i], false)
		case c == '\'':
			// A character, or a lifetime.
			i++
			if i < len(text) && text[i] == '\\' {
				for i += 2; i < len(text) && text[i] != '\''; i++ {
				}
				i = min(i+1, len(text))
			} else if j := strings.IndexByte(text[i:], '\''); j > 0 && j <= 4 && !(j > 1 && text[i] < 0x80) {
				i += j + 1
			} else {
				for i < len(text) && syntax.WordByte(text[i]) {
					i++
				}
			}
			found(text[start:i], false)
		case c >= '0' && c <= '9':
			for i < len(text) && syntax.WordByte(text[i]) {
				i++
			}
			found(text[start:i], false)
		case c == 'r' || c == 'b' || c == 'c':
			if end := rawString(text, i); end > 0 {
				i = end
				found(text[start:i], false)
				continue
			}
			fallthrough
		case syntax.WordByte(c):
			for {
				for i < len(text) && syntax.WordByte(text[i]) {
					i++
				}
				if i+1 < len(text) && text[i] == '#' && text[start:i] == "r" && syntax.WordByte(text[i+1]) { // r#name
					i++
					start = i
					continue
				}
				if i+2 < len(text) && text[i] == ':' && text[i+1] == ':' && syntax.WordByte(text[i+2]) {
					i += 2
					continue
				}
				break
			}
			found(text[start:i], true)
		default:
			i++
			found(text[start:i], false)
		}
	}
}

// rawString is the end of the string literal with a prefix that begins at i, or 0.
func rawString(text string, i int) int {
	j := i
	for j < len(text) && (text[j] == 'r' || text[j] == 'b' || text[j] == 'c') && j-i < 2 {
		j++
	}
	raw := strings.Contains(text[i:j], "r")
	hashes := 0
	for raw && j < len(text) && text[j] == '#' {
		hashes++
		j++
	}
	if j >= len(text) || text[j] != '"' {
		return 0
	}
	j++
	if raw {
		end := `"` + strings.Repeat("#", hashes)
		k := strings.Index(text[j:], end)
		if k < 0 {
			return len(text)
		}
		return j + k + len(end)
	}
	for ; j < len(text) && text[j] != '"'; j++ {
		if text[j] == '\\' {
			j++
		}
	}
	return min(j+1, len(text))
}

// write rewrites canonical text so that two texts are equal when they differ only in what names says, in the names of quantified variables, and in how integers
// are written.
func (n *names) write(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	prev, prev2 := "", ""
	var open []byte
	var bound map[string]string
	binding := 0 // 1: behind forall, exists, choose; 2: between the bars
	count := 0
	type pending struct {
		word string
		repl string
	}
	var field *pending
	emit := func(s string) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	skip, depth := 0, 0 // 1: behind the name of a ghost macro; 2: behind its `!`, at depth; 3: behind the call
	held := ""
	scan(text, func(tok string, word bool) {
		switch skip {
		case 1:
			if skip = 0; tok == "!" {
				skip = 2
				return
			}
			emit(held)
		case 2:
			switch tok[0] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth == 0 {
					skip = 3
				}
			}
			return
		case 3:
			if skip = 0; tok == ";" {
				return
			}
		}
		if word && n.ghost[tok] {
			skip, held = 1, tok
			return
		}
		if field != nil {
			// A word in a struct literal is a field's name if `:` follows it.
			if tok == ":" {
				emit(field.word)
			} else {
				emit(field.repl)
			}
			field = nil
		}
		out := tok
		if !word && tok[0] >= '0' && tok[0] <= '9' && (prev != "." || prev2 == ".") { // not what follows the point of 0.05
			out = number(tok)
		}
		if tok[0] == '\'' && n.types[tok] != "" {
			out = n.types[tok]
		}
		if word {
			switch {
			case prev == "." && prev2 != ".": // not what follows a range
				if m := n.methods[tok]; m != "" {
					out = m
				}
			case prev == "fn" && tok == n.self:
				out = "$self"
			case binding == 2 && (prev == "|" || prev == ","):
				if bound == nil {
					bound = map[string]string{}
				}
				bound[tok] = "%" + strconv.Itoa(count)
				count++
				out = bound[tok]
			case bound[tok] != "":
				out = bound[tok]
			case n.vars[tok] != "":
				out = n.vars[tok]
				if len(open) > 0 && open[len(open)-1] == '{' && (prev == "{" || prev == ",") {
					field = &pending{word: tok, repl: out}
				}
			case n.paths[tok] != "":
				out = n.paths[tok]
			case n.types[tok] != "":
				out = n.types[tok]
			case len(n.types) > 0:
				if first, rest, ok := strings.Cut(tok, "::"); ok && n.types[first] != "" {
					out = n.types[first] + "::" + rest
				}
			}
			if tok == "forall" || tok == "exists" || tok == "choose" {
				binding = 1
			}
		} else if tok == "|" {
			switch binding {
			case 1:
				binding = 2
			case 2:
				binding = 0
			}
		} else {
			switch tok[0] {
			case '(', '[', '{':
				open = append(open, tok[0])
			case ')', ']', '}':
				if len(open) > 0 {
					open = open[:len(open)-1]
				}
			}
			if binding == 1 {
				binding = 0
			}
		}
		if field == nil {
			emit(out)
		}
		prev, prev2 = tok, prev
	})
	if field != nil {
		emit(field.repl)
	}
	return b.String()
}

// number writes an integer literal in decimal, with its suffix.
func number(tok string) string {
	if tok[0] != '0' {
		return tok
	}
	digits, base, suffix := syntax.Integer(tok)
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return tok
	}
	return n.String() + suffix
}

// rename writes canonical text of the base with the head's names for parameters and the result; spacing is kept.
func rename(text string, to map[string]string) string {
	if len(to) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	prev := ""
	// scan goes through text in order: the place of each token is found from the last.
	scan(text, func(tok string, word bool) {
		i := at + strings.Index(text[at:], tok)
		b.WriteString(text[at:i])
		if r := to[tok]; word && r != "" && prev != "." {
			b.WriteString(r)
		} else {
			b.WriteString(tok)
		}
		at = i + len(tok)
		prev = tok
	})
	b.WriteString(text[at:])
	return b.String()
}

// variables are the parameters of a function, and its result, with their places.
func variables(f *model.Function) map[string]string {
	out := map[string]string{}
	for i, p := range f.Params {
		if p.Name != "" {
			out[p.Name] = "$" + strconv.Itoa(i)
		}
	}
	if isName(f.Result) {
		out[f.Result] = "$r"
	}
	return out
}

// inheritedVariables are those of the trait's method, in whose words inherited clauses are written.
func inheritedVariables(f *model.Function) map[string]string {
	if f.TraitMethod != nil {
		return variables(f.TraitMethod)
	}
	return variables(f)
}

func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !syntax.WordByte(s[i]) {
			return false
		}
	}
	return true
}

// similarity of two texts by their tokens: common tokens over all, from 0 to 1.
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	count := map[string]int{}
	na, nb, common := 0, 0, 0
	scan(a, func(tok string, _ bool) { count[tok]++; na++ })
	scan(b, func(tok string, _ bool) {
		nb++
		if count[tok] > 0 {
			count[tok]--
			common++
		}
	})
	if na+nb == 0 {
		return 1
	}
	return 2 * float64(common) / float64(na+nb)
}

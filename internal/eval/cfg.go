package eval

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// presence says under which conditions an item is there when the verifier reads the code. What is known to hold is not among the conditions.
type presence struct {
	// conds are the attributes whose conditions are not known, as texts.
	conds []string
	// absent: it is known not to be there.
	absent bool
}

// inside is the presence of a node that stands in something of presence p.
func (p presence) inside(n syntax.Node) presence {
	for a := range n.All(syntax.FAttr) {
		var toks []syntax.Token
		for t := range a.Tokens() {
			toks = append(toks, t)
		}
		for len(toks) > 0 && toks[0].Kind() != syntax.LBracket {
			toks = toks[1:]
		}
		switch _, t := attrPresence(within(toks), 0); t {
		case value.False:
			p.absent = true
		case value.Undecided:
			p.conds = append(slices.Clip(p.conds), tokenText(toks))
		}
	}
	return p
}

// varies tells whether anything below a node stands under a cfg that is not known to hold.
func varies(n syntax.Node) bool {
	found := false
	for c := range n.Children() {
		if c.Kind() != syntax.Attr {
			c.Walk(func(x syntax.Node) bool {
				if x.Get(syntax.FAttr).Valid() {
					p := presence{}.inside(x)
					found = found || p.absent || len(p.conds) > 0
				}
				return !found
			})
		}
	}
	return found
}

func tokenText(toks []syntax.Token) string {
	var words []string
	for _, t := range toks {
		words = append(words, t.Text())
	}
	return strings.Join(words, " ")
}

// closing is the index of the token that closes the bracket that begins toks.
func closing(toks []syntax.Token) int {
	depth := 0
	for i, t := range toks {
		switch t.Kind() {
		case syntax.LParen, syntax.LBrace, syntax.LBracket:
			depth++
		case syntax.RParen, syntax.RBrace, syntax.RBracket:
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(toks)
}

// within are the tokens inside the bracket that begins toks; none if none does.
func within(toks []syntax.Token) []syntax.Token {
	if len(toks) == 0 {
		return nil
	}
	switch toks[0].Kind() {
	case syntax.LParen, syntax.LBrace, syntax.LBracket:
		return toks[1:closing(toks)]
	}
	return nil
}

// parts splits tokens at the commas that stand in no bracket.
func parts(toks []syntax.Token) [][]syntax.Token {
	var out [][]syntax.Token
	start := 0
	for i := 0; i < len(toks); i++ {
		switch toks[i].Kind() {
		case syntax.LParen, syntax.LBrace, syntax.LBracket:
			i += closing(toks[i:])
		case syntax.Comma:
			out = append(out, toks[start:i])
			start = i + 1
		}
	}
	return append(out, toks[min(start, len(toks)):])
}

// maxCfgDepth bounds how deep conditions are followed.
const maxCfgDepth = 100

// attrPresence tells whether what has an attribute is there. is says that the attribute has to do with that at all.
func attrPresence(toks []syntax.Token, depth int) (is bool, there value.Truth) {
	if len(toks) < 2 {
		return false, value.True
	}
	if depth > maxCfgDepth {
		return true, value.Undecided
	}
	switch strings.TrimPrefix(toks[0].Text(), "r#") {
	case "unsafe":
		return attrPresence(within(toks[1:]), depth+1)
	case "cfg":
		return true, cfgHolds(within(toks[1:]), depth+1)
	case "cfg_attr":
		args := parts(within(toks[1:]))
		there = value.True
		for _, a := range args[1:] {
			if inner, t := attrPresence(a, depth+1); inner {
				is = true
				there = there.And(cfgHolds(args[0], depth+1).And(t.Not()).Not()) // if the condition holds, then what is in it
			}
		}
		return is, there
	}
	return false, value.True
}

// cfgHolds tells whether a condition holds when the verifier reads the code.
func cfgHolds(toks []syntax.Token, depth int) value.Truth {
	if len(toks) == 0 || depth > maxCfgDepth {
		return value.Undecided
	}
	word := strings.TrimPrefix(toks[0].Text(), "r#")
	if len(toks) == 1 {
		switch {
		case word == "true", syntax.VerifierCfg(word):
			return value.True
		case word == "false", word == "test": // tests are not verified
			return value.False
		}
		return value.Undecided
	}
	if toks[1].Kind() != syntax.LParen {
		return value.Undecided
	}
	var args [][]syntax.Token
	for _, a := range parts(within(toks[1:])) {
		if len(a) > 0 {
			args = append(args, a)
		}
	}
	switch word {
	case "not":
		if len(args) == 1 {
			return cfgHolds(args[0], depth+1).Not()
		}
	case "all":
		out := value.True
		for _, a := range args {
			out = out.And(cfgHolds(a, depth+1))
		}
		return out
	case "any":
		out := value.True
		for _, a := range args {
			out = out.And(cfgHolds(a, depth+1).Not())
		}
		return out.Not()
	}
	return value.Undecided
}

// under is a module seen from an item in it that stands under conditions: from there, what stands under them too is known to be there.
func (m *module) under(conds []string) *module {
	if len(conds) == 0 {
		return m
	}
	key := strings.Join(conds, "\n")
	if v := m.views[key]; v != nil {
		return v
	}
	v := &module{crate: m.crate, path: m.path, parent: m.parent, names: m.names, of: m, conds: conds}
	if m.views == nil {
		m.views = map[string]*module{}
	}
	m.views[key] = v
	return v
}

// real is the module of which m is a view, or m.
func (m *module) real() *module {
	if m.of != nil {
		return m.of
	}
	return m
}

// given are the conditions that hold where m is looked at from.
func (m *module) given() []string {
	var out []string
	if m.of != nil {
		out = slices.Clone(m.conds)
	}
	for x := m.real(); x != nil; x = x.parent {
		out = append(out, x.conds...)
	}
	return out
}

// hold tells whether all conditions are among those that are given.
func hold(conds, given []string) bool {
	for _, c := range conds {
		if !slices.Contains(given, c) {
			return false
		}
	}
	return true
}

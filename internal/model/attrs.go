package model

import (
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// meta is one attribute, with cfg_attr, verifier(..), verus_verify(..) and verus::internal(..) taken apart: whatever the spelling,
// #[verifier::external_body] has the path verifier, external_body.
type meta struct {
	path []string
	args []syntax.Token // inside the parentheses, or behind `=`
	cond []string       // conditions of the cfg_attr around it
	node syntax.Node    // the whole attribute
	span source.Span    // its own place
	raw  string         // the prefix as written when it is not the usual: "verus::internal"
}

func (m meta) is(path ...string) bool {
	if len(m.path) != len(path) {
		return false
	}
	for i := range path {
		if m.path[i] != path[i] {
			return false
		}
	}
	return true
}

// verifier gives X of verifier::X, or "".
func (m meta) verifier() string {
	if len(m.path) >= 2 && m.path[0] == "verifier" {
		return m.path[1]
	}
	return ""
}

func (m meta) last() string {
	if len(m.path) == 0 {
		return ""
	}
	return m.path[len(m.path)-1]
}

// text is canonical: path and arguments without layout.
func (m meta) text() string {
	s := strings.Join(m.path, "::")
	if m.path != nil && m.path[0] == "verifier" {
		s = strings.Join(m.path[1:], "::")
	}
	if len(m.args) > 0 {
		s += "(" + joinTokens(m.args) + ")"
	}
	return s
}

// joinTokens writes tokens with one blank where two words or numbers would otherwise run together.
func joinTokens(toks []syntax.Token) string {
	var b strings.Builder
	var last byte
	for _, t := range toks {
		s := t.Text()
		if s == "" {
			continue
		}
		if b.Len() > 0 && (syntax.WordByte(last) && syntax.WordByte(s[0]) || last == ',' && s != ")" && s != "]") {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		last = s[len(s)-1]
	}
	return strings.TrimSuffix(b.String(), ",")
}

func tokensOf(n syntax.Node) []syntax.Token {
	var out []syntax.Token
	for t := range n.Tokens() {
		out = append(out, t)
	}
	return out
}

func tokenWord(t syntax.Token) string { return strings.TrimPrefix(t.Text(), "r#") }

func isWord(t syntax.Token) bool {
	k := t.Kind()
	return k == syntax.Ident || k >= syntax.KwAs
}

func isOpen(k syntax.TokenKind) bool {
	return k == syntax.LParen || k == syntax.LBrace || k == syntax.LBracket
}
func isClose(k syntax.TokenKind) bool {
	return k == syntax.RParen || k == syntax.RBrace || k == syntax.RBracket
}

// closing is the index of the token that closes the delimiter at i, or len(toks).
func closing(toks []syntax.Token, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch k := toks[i].Kind(); {
		case isOpen(k):
			depth++
		case isClose(k):
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(toks)
}

// commas splits tokens at commas that are in no delimiters.
func commas(toks []syntax.Token) [][]syntax.Token {
	var out [][]syntax.Token
	depth, start := 0, 0
	for i, t := range toks {
		switch k := t.Kind(); {
		case isOpen(k):
			depth++
		case isClose(k):
			depth--
		case k == syntax.Comma && depth == 0:
			if i > start {
				out = append(out, toks[start:i])
			}
			start = i + 1
		}
	}
	if start < len(toks) {
		out = append(out, toks[start:])
	}
	return out
}

// metasOf are the attributes of a node, outer and inner, taken apart. alias gives the real name of an attribute that was
// imported under another.
func metasOf(n syntax.Node, alias map[string]string) []meta {
	var out []meta
	for a := range n.All(syntax.FAttr) {
		out = append(out, metasOfAttr(a, alias)...)
	}
	return out
}

func metasOfAttr(a syntax.Node, alias map[string]string) []meta {
	toks := tokensOf(a)
	// # ! [ .. ]
	i := 0
	for i < len(toks) && toks[i].Kind() != syntax.LBracket {
		i++
	}
	if i+1 >= len(toks) {
		return nil
	}
	return flatten(nil, toks[i+1:closing(toks, i)], nil, a, alias, 0)
}

// maxAttrDepth bounds how deep cfg_attr(.., cfg_attr(..)) is followed. rustc gives up far earlier.
const maxAttrDepth = 2000

func flatten(out []meta, toks []syntax.Token, cond []string, node syntax.Node, alias map[string]string, depth int) []meta {
	if depth > maxAttrDepth { // nobody writes this, so what it hides is taken for the worst
		return append(out, meta{path: []string{"verifier", "external"}, cond: cond, node: node, span: source.Span{Start: toks[0].Span().Start, End: toks[0].Span().End}})
	}
	for _, part := range commas(toks) {
		m := meta{cond: cond, node: node, span: source.Span{Start: part[0].Span().Start, End: part[len(part)-1].Span().End}}
		i := 0
		for i < len(part) && (isWord(part[i]) || part[i].Kind() == syntax.ColonColon) {
			if part[i].Kind() != syntax.ColonColon {
				m.path = append(m.path, tokenWord(part[i]))
			} else if i > 0 && !isWord(part[i-1]) {
				break
			}
			i++
		}
		if len(m.path) == 0 {
			continue
		}
		if len(m.path) == 1 && alias[m.path[0]] != "" {
			m.path[0] = alias[m.path[0]]
		}
		delimited := false
		if i < len(part) {
			if isOpen(part[i].Kind()) {
				delimited = true
				m.args = part[i+1 : closing(part, i)]
			} else if part[i].Kind() == syntax.Eq {
				m.args = part[i+1:]
			}
		}
		inner := func(prefix ...string) {
			for _, in := range flatten(nil, m.args, cond, node, nil, depth+1) {
				in.path = append(append([]string(nil), prefix...), in.path...)
				out = append(out, in)
			}
		}
		last := m.last()
		switch {
		case m.is("cfg_attr") && delimited:
			parts := commas(m.args)
			if len(parts) == 0 {
				continue
			}
			c := append(append([]string(nil), cond...), joinTokens(parts[0]))
			rest := m.args[len(parts[0]):]
			out = append(out, meta{path: []string{"cfg_attr"}, args: parts[0], cond: cond, node: node, span: m.span})
			if len(rest) > 0 {
				out = flatten(out, rest[1:], c, node, alias, depth+1)
			}
		case m.is("unsafe") && delimited:
			out = flatten(out, m.args, cond, node, alias, depth+1)
		case m.is("verifier") && delimited:
			inner("verifier")
		case last == "verus_verify":
			m.path = []string{"verus_verify"}
			out = append(out, meta{path: m.path, cond: cond, node: node, span: m.span})
			inner("verifier")
		case last == "verus_spec":
			m.path = []string{"verus_spec"}
			out = append(out, m)
		case len(m.path) >= 2 && last == "internal" && m.path[len(m.path)-2] == "verus" && delimited:
			for _, in := range flatten(nil, m.args, cond, node, nil, depth+1) {
				in.path, in.raw = append([]string{"verifier"}, in.path...), "verus::internal"
				out = append(out, in)
			}
		case len(m.path) >= 2 && m.path[len(m.path)-2] == "verifier":
			m.path = m.path[len(m.path)-2:]
			out = append(out, m)
		default:
			out = append(out, m)
		}
	}
	return out
}

// isGhostCfg tells the configuration names that differ between what is verified and what is compiled.
func isGhostCfg(w string) bool {
	switch w {
	case "verus_only", "verus_keep_ghost", "verus_keep_ghost_body", "verus_verify_core", "verus_no_vstd":
		return true
	}
	return strings.HasPrefix(w, "verus_macro_")
}

func mentionsGhostCfg(toks []syntax.Token) bool {
	for _, t := range toks {
		if isWord(t) && isGhostCfg(tokenWord(t)) {
			return true
		}
	}
	return false
}

// attributeSite says which trust site an attribute on a node makes, if any. kind is the syntax kind of the node.
func attributeSite(m meta, kind syntax.Kind, mode Mode) SiteKind {
	isType := kind == syntax.Struct || kind == syntax.Enum || kind == syntax.Union || kind == syntax.TypeAlias
	switch m.verifier() {
	case "":
	case "external_body":
		switch {
		case isType:
			return ExternalType
		case kind == syntax.Trait:
			return ExternalTrait
		case mode == Proof || mode == Axiom:
			return AxiomSite
		case mode == Spec:
			return Uninterp
		}
		return ExternalBody
	case "external":
		return External
	case "external_fn_specification":
		return AssumeSpecification
	case "external_type_specification":
		return ExternalType
	case "external_trait_specification", "external_trait_extension", "external_trait_private_bound", "external_trait_blanket":
		return ExternalTrait
	case "external_derive":
		return ExternalDerive
	case "exec_allows_no_decreases_clause":
		return NoDecreases
	case "assume_termination":
		return AssumeTermination
	case "assume":
		return UndeclaredExternals
	case "when_used_as_spec", "allow_in_spec":
		return SpecSubstitute
	default:
		if m.raw != "" {
			return MacroInternal
		}
	}
	return 0
}

// isKnob tells an attribute that changes only the cost of a proof.
func isKnob(m meta) bool {
	switch m.verifier() {
	case "rlimit", "spinoff_prover", "loop_isolation", "nonlinear", "bit_vector", "integer_ring", "memoize", "auto_ext_equal", "opaque":
		return true
	}
	return false
}

// harmless tells attributes that may stand under a condition of the verifier without making two programs of one.
func harmless(m meta) bool {
	switch m.path[0] {
	case "verifier", "verus", "verus_verify", "verus_spec", "trigger", "allow", "warn", "deny", "forbid", "expect", "doc", "must_use", "cold", "inline",
		"feature", "no_std", "rustfmt", "clippy", "rustc_diagnostic_item", "rustc_skip_during_method_dispatch", "stable", "unstable",
		"register_tool", "diagnostic", "via_fn", "cfg_attr", "spec", "proof", "auto", "all_triggers":
		return true
	}
	return false
}

// keepAttr tells attributes that belong to what a change may alter: not docs, not contracts.
func keepAttr(m meta) bool {
	switch m.path[0] {
	case "doc", "verus_spec", "cfg_attr", "trigger", "auto", "cfg":
		return false
	}
	return true
}

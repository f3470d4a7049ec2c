package model

import (
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// believing are the functions that make a trust site of a call, wherever their name comes from.
var believing = map[string]SiteKind{"assume": Assume, "assume_": Assume, "admit": Admit, "inline_air_stmt": InlineAir}

// pieces searches tokens for what a macro could put together from its fragments: a name behind `$a::`, a name that is handed
// over, an attribute whose word is a fragment, names that paste! joins. What the search by whole paths has found is not found again.
func (a *analyser) pieces(toks []syntax.Token) {
	found := map[int]bool{} // where sites begin
	for _, s := range a.sites {
		if s.File == a.file {
			found[s.Span.Start] = true
		}
	}
	add := func(kind SiteKind, first, last int) {
		span := source.Span{Start: toks[first].Span().Start, End: toks[last].Span().End}
		if found[span.Start] {
			return
		}
		found[span.Start] = true
		a.site(Site{Kind: kind, Span: span, Text: joinTokens(toks[first : last+1]), Uncertain: true})
	}
	kindAt := func(i int) syntax.TokenKind {
		if i < 0 || i >= len(toks) {
			return 0
		}
		return toks[i].Kind()
	}
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if kindAt(i) == syntax.Hash && kindAt(i+1) == syntax.LBracket {
			end := min(closing(toks, i+1), len(toks)-1)
			// #[verifier::$a], #[$a::$b]
			pasted := false
			for j := i + 2; j < end; j++ {
				pasted = pasted || kindAt(j) == syntax.LBracket && kindAt(j+1) == syntax.Lt
				if kindAt(j) == syntax.ColonColon && kindAt(j+1) == syntax.Dollar && (toks[j-1].Text() == "verifier" || kindAt(j-2) == syntax.Dollar) {
					add(External, i, end)
					break
				}
			}
			if !pasted {
				i = end
			}
			continue
		}
		if kindAt(i) == syntax.LBracket && kindAt(i+1) == syntax.Lt {
			a.pasted(toks, i, add)
			continue
		}
		if !isWord(t) {
			continue
		}
		word := tokenWord(t)
		if kind := believing[word]; kind != 0 {
			behindFragment := kindAt(i-1) == syntax.ColonColon && isWord(toks[max(i-2, 0)]) && kindAt(i-3) == syntax.Dollar
			prev := kindAt(i - 1)
			alone := prev != syntax.ColonColon && prev != syntax.Dot && prev != syntax.Dollar && prev != syntax.KwFn && prev != syntax.KwLet &&
				prev != syntax.KwMod && kindAt(i+1) != syntax.Colon
			if _, local := a.local(word); behindFragment || alone && !local {
				add(kind, i, i)
			}
		}
		// An attribute's word, to be put into #[..] by the macro.
		if prev := kindAt(i - 1); prev != syntax.Dollar && prev != syntax.Dot {
			m := meta{path: []string{"verifier", word}}
			owned := prev == syntax.ColonColon && i >= 2 && toks[i-2].Text() == "verifier"
			if kind := attributeSite(m, syntax.Fn, Exec); kind != 0 && (owned || strings.Contains(word, "_") && prev != syntax.ColonColon) {
				add(kind, i, i)
			}
		}
		// Names in pieces: c!(ass, ume).
		joined := strings.ToLower(word)
		for j, n := i+1, 1; j < len(toks) && n < 5; j++ {
			if k := kindAt(j); k == syntax.Comma || k == syntax.Semi {
				continue
			}
			piece := pieceOf(toks[j])
			if piece == "" {
				break
			}
			joined += piece
			n++
			if kind := named(joined); kind != 0 {
				add(kind, i, j)
				break
			}
		}
	}
}

// pieceOf is what a token adds to a name that paste! joins; empty: nothing.
func pieceOf(t syntax.Token) string {
	switch {
	case t.Kind() == syntax.String:
		return strings.ToLower(unquote(t.Text()))
	case isWord(t):
		return strings.ToLower(tokenWord(t))
	}
	return ""
}

// named is the site that a name makes which was put together.
func named(name string) SiteKind {
	if kind := believing[name]; kind != 0 {
		return kind
	}
	if strings.HasPrefix(name, "external") {
		return attributeSite(meta{path: []string{"verifier", name}}, syntax.Fn, Exec)
	}
	return 0
}

// pasted looks at `[<a $b>]`: a name whose fixed part begins or ends one of those that matter, and the rest of which is a fragment.
func (a *analyser) pasted(toks []syntax.Token, i int, add func(kind SiteKind, first, last int)) {
	end := min(closing(toks, i), len(toks)-1)
	before, after, fragment := "", "", false
	for j := i + 2; j < end; j++ {
		switch {
		case toks[j].Kind() == syntax.Dollar:
			fragment = true
			j++
		case fragment:
			after += pieceOf(toks[j])
		default:
			before += pieceOf(toks[j])
		}
	}
	if !fragment || before == "" && after == "" || i > 0 && toks[i-1].Kind() == syntax.Dot {
		return
	}
	for _, name := range []string{"assume", "assume_", "admit", "inline_air_stmt", "external", "external_body", "external_fn_specification"} {
		if strings.HasPrefix(name, before) && strings.HasSuffix(name, after) && len(before)+len(after) <= len(name) && len(before)+len(after) > 1 {
			add(named(name), i, end)
			return
		}
	}
}

package engine

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// reach tells what of a scope the strength of its functions depends on. Most of the text counts for each of them: types, traits, impls of traits, constants, macros,
// imports, attributes, manifests. Parts are what may not: functions that are reached by their name and in no other way. A part counts where its name stands in
// what counts, whatever it means there. See docs/cache.md.
type reach struct {
	// fixed is a hash of all that is no part.
	fixed cache.Key
	parts []part
	named map[string][]int // places in parts
	// from are the parts whose names stand in what is fixed.
	from []bool
	// macros tells that macros are defined.
	macros bool
	// doubt says why all of the scope counts for each function; empty if it does not.
	doubt string
}

// part is a function that counts where its name stands.
type part struct {
	name string
	// sum is over its text and where it stands among what is fixed.
	sum cache.Key
	reader
}

// always are names of functions that are called where no text has their names: by operators of specifications, and by macros of Rust.
var always = []string{"view", "spec_index", "insert", "contains", "union", "intersect", "difference", "subset_of", "submap_of", "write_fmt"}

// plainMacros make no items and call nothing by names of their own but those of always; in their places nobody else may define one.
var plainMacros = []string{"assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne", "vec", "format", "print", "println", "eprint",
	"eprintln", "panic", "unreachable", "unimplemented", "todo", "matches", "write", "writeln", "proof", "proof_decl", "calc", "seq", "set", "map",
	"assert_by_contradiction", "assert_seqs_equal", "assert_sets_equal", "assert_maps_equal"}

// itemMacros hold items that stand where the macro does.
var itemMacros = []string{"verus", "verus_impl", "verus_trait_impl", "verus_keep_ghost", "verus_erase_ghost"}

// plainAttrs say nothing about anything but the function that they stand at, and have it reached in no other way.
var plainAttrs = []string{"doc", "inline", "cold", "must_use", "allow", "warn", "expect", "trigger", "auto", "verifier::opaque", "verifier::rlimit", "verifier::spinoff_prover",
	"verifier::external_body", "verifier::external", "verifier::loop_isolation", "verifier::exec_allows_no_decreases_clause", "verifier::inline", "verifier::memoize",
	"verifier::nonlinear", "verifier::bit_vector", "verifier::integer_ring", "verifier::when_used_as_spec", "verifier::truncate"}

// seeing are words by which code sees where it stands and how it is called; those of macros, only before their "!" or where they get other names.
var seeing, seeingMacros = []string{"Location", "Backtrace", "type_name", "type_name_of_val", "TypeId", "type_id"},
	[]string{"line", "column", "file", "module_path", "env", "option_env"}

// reachOf reads the sources of a scope.
func (t *tree) reachOf(s scope) (*reach, error) {
	rc := &reach{named: map[string][]int{}}
	if s.open != "" || s.whole {
		rc.doubt = "it is not known what the crate can name"
		return rc, nil
	}
	var others []string
	h := cache.NewHash()
	all := reader{words: map[string]bool{}}
	for _, p := range s.paths {
		if !isRust(p) {
			others = append(others, p)
			continue
		}
		f, err := t.Parse(p)
		switch {
		case t.ctx.Err() != nil:
			return nil, fmt.Errorf("read what functions depend on: %w", context.Cause(t.ctx))
		case err != nil:
			rc.doubt = p + " cannot be read"
			return rc, nil
		case len(f.Errors) > 0:
			rc.doubt = p + " is not understood in all its parts"
			return rc, nil
		}
		found := map[int]bool{}
		text := partsOf(f.Root(), func(n syntax.Node, at int) {
			found[n.ID()] = true
			rc.part(p, n, at)
		}, &all)
		h.Add("file", p, t.entries[p].Kind.String(), text)
		// What a macro is given may have comments that are attributes to it.
		f.Root().Walk(func(n syntax.Node) bool {
			if n.Kind() == syntax.MacroRules || n.Kind() == syntax.MacroDef || n.Kind() == syntax.MacroCall && n.Get(syntax.FArgs).Kind() != syntax.MacroBody {
				h.Add("macro", n.Text())
			}
			return !found[n.ID()]
		})
	}
	sum, err := t.hash(scope{paths: others})
	if err != nil {
		return nil, err
	}
	h.Add("others", string(sum[:]))
	switch {
	case all.doubt != "":
		rc.doubt = all.doubt
		return rc, nil
	case all.sees(all.macros):
		rc.doubt = "code of the crate sees where it stands"
		return rc, nil
	}
	rc.macros, rc.fixed = all.macros, h.Key()
	rc.from = make([]bool, len(rc.parts))
	for _, w := range always {
		all.words[w] = true
	}
	rc.lead(rc.from, all.words)
	return rc, nil
}

// partsOf gives the text of all of a file that is no part, token by token, and reads it.
func partsOf(root syntax.Node, part func(n syntax.Node, at int), r *reader) string {
	var parts []syntax.Node
	findParts(root, false, &parts)
	var uses []source.Span
	root.Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Use && plainUse(n) {
			uses = append(uses, n.Span())
		}
		return true
	})
	var text []byte
	n := 0
	for tok := range root.Tokens() {
		for len(parts) > 0 && tok.Span().Start >= parts[0].Span().End {
			parts = parts[1:]
		}
		if len(parts) > 0 && tok.Span().Start >= parts[0].Span().Start {
			if tok.Span().Start == parts[0].Span().Start {
				part(parts[0], n)
			}
			continue
		}
		word := tok.Text()
		text = append(strconv.AppendInt(text, int64(len(word)), 10), ' ')
		text = append(text, word...)
		n++
		for len(uses) > 0 && tok.Span().Start >= uses[0].End {
			uses = uses[1:]
		}
		if len(uses) == 0 || tok.Span().Start < uses[0].Start {
			r.token(tok)
		}
	}
	return string(text)
}

// plainUse tells an import that gives nothing another name: what it brings is called by the name that it has.
func plainUse(n syntax.Node) bool {
	for tok := range n.Tokens() {
		if tok.Kind() == syntax.KwAs {
			return false
		}
	}
	return true
}

// findParts finds the parts among the items of a node.
func findParts(n syntax.Node, inherent bool, out *[]syntax.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.Mod:
			if c.HasBody() {
				findParts(c, false, out)
			}
		case syntax.Impl:
			if !c.Get(syntax.FTrait).Valid() {
				findParts(c, true, out)
			}
		case syntax.MacroCall:
			if body := c.Get(syntax.FArgs); body.Kind() == syntax.MacroBody && slices.Contains(itemMacros, c.Get(syntax.FPath).Text()) {
				findParts(body, false, out)
			}
		case syntax.Fn:
			if isPart(c, inherent) {
				*out = append(*out, c)
			}
		}
	}
}

// isPart tells a function that does nothing unless it is called by its name. inherent tells that it stands in an impl without a trait.
func isPart(fn syntax.Node, inherent bool) bool {
	if !fn.Get(syntax.FBody).Valid() || inherent && strings.HasPrefix(fn.Get(syntax.FMode).Text(), "spec") {
		return false // the specifications of a type tell its values apart, whoever names them
	}
	for m := range fn.All(syntax.FModifier) {
		if m.Text() != "const" && m.Text() != "unsafe" {
			return false
		}
	}
	plain := true
	fn.Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.Fn:
			plain = plain && n.ID() == fn.ID()
		case syntax.Struct, syntax.Enum, syntax.Union, syntax.Trait, syntax.TraitAlias, syntax.Impl, syntax.Mod, syntax.Use, syntax.ExternCrate, syntax.ExternBlock,
			syntax.Const, syntax.Static, syntax.TypeAlias, syntax.MacroRules, syntax.MacroDef, syntax.AssumeSpecification, syntax.BroadcastGroup, syntax.Global,
			syntax.VerusSpec, syntax.ConstParam, syntax.PtrType, syntax.Variadic, syntax.Unknown:
			plain = false
		case syntax.Attr:
			plain = plain && plainAttr(n)
		case syntax.MacroCall:
			plain = plain && slices.Contains(plainMacros, n.Get(syntax.FPath).Text()) && (n.Get(syntax.FArgs).Kind() == syntax.MacroBody || plainTokens(n))
		}
		return plain
	})
	// A name of Verus's own behind `as` is taken for one that the file declares.
	as := false
	for tok := range fn.Tokens() {
		plain = plain && (!as || plainCast(tok.Text()))
		as = tok.Kind() == syntax.KwAs
	}
	return plain
}

func plainCast(word string) bool {
	switch word {
	case "bool", "char", "real", "f32", "f64":
		return true
	case "Ghost", "Tracked", "Structural", "StructuralEq":
		return false
	}
	return value.IntTypeOf(word) != 0 || word[0] >= 'A' && word[0] <= 'Z'
}

func plainAttr(n syntax.Node) bool {
	for tok := range n.Tokens() {
		if tok.Text() == "type_invariant" {
			return false
		}
	}
	return slices.Contains(plainAttrs, n.Get(syntax.FPath).Text())
}

// plainTokens tells what is given to a macro, and not understood, that has no items and calls no other macros.
func plainTokens(n syntax.Node) bool {
	bang, word := false, false
	for tok := range n.Get(syntax.FArgs).Tokens() {
		switch tok.Kind() {
		case syntax.KwFn, syntax.KwImpl, syntax.KwMod, syntax.KwStatic, syntax.KwExtern, syntax.KwUse, syntax.KwStruct, syntax.KwEnum, syntax.KwTrait, syntax.KwType,
			syntax.KwConst, syntax.KwMacro, syntax.KwMacroRules, syntax.KwUnion, syntax.Hash, syntax.Dollar:
			return false
		case syntax.LParen, syntax.LBrace, syntax.LBracket:
			if bang {
				return false
			}
		}
		bang = word && tok.Kind() == syntax.Bang
		_, word = wordOf(tok)
	}
	return true
}

func (rc *reach) part(path string, n syntax.Node, at int) {
	p := part{name: strings.TrimPrefix(n.Get(syntax.FName).Text(), "r#"), reader: reader{words: map[string]bool{}}}
	for tok := range n.Tokens() {
		p.token(tok)
	}
	h := cache.NewHash()
	h.Add("part", path, strconv.Itoa(at), n.Text())
	p.sum = h.Key()
	rc.named[p.name] = append(rc.named[p.name], len(rc.parts))
	rc.parts = append(rc.parts, p)
}

// lead marks the parts that words lead to.
func (rc *reach) lead(in []bool, words map[string]bool) {
	for next := []map[string]bool{words}; len(next) > 0; {
		words, next = next[len(next)-1], next[:len(next)-1]
		for w := range words {
			for _, i := range rc.named[w] {
				if !in[i] {
					in[i] = true
					next = append(next, rc.parts[i].words)
				}
			}
		}
	}
}

// of is a hash of what a function depends on, and of its own text as it is; false if there is a doubt. mutants are what mutants put into it.
func (rc *reach) of(f *model.Function, mutants mutate.Result) (cache.Key, bool) {
	if rc.doubt != "" {
		return cache.Key{}, false
	}
	own := reader{words: map[string]bool{}}
	for tok := range f.Node.Tokens() {
		own.token(tok)
	}
	for _, m := range mutants.Mutants {
		for _, w := range wordsIn.FindAllString(m.Replacement, -1) {
			own.words[w] = true
		}
	}
	in := slices.Clone(rc.from)
	rc.lead(in, own.words)
	sees := own.sees(rc.macros)
	h := cache.NewHash()
	h.Add("fixed", string(rc.fixed[:]))
	for i, p := range rc.parts {
		if in[i] {
			h.Add("part", string(p.sum[:]))
			sees = sees || p.sees(rc.macros)
		}
	}
	// Mutants are shown by whole lines.
	text, span := f.File.Syntax.Source.Text, f.Span
	for span.Start > 0 && text[span.Start-1] != '\n' {
		span.Start--
	}
	for span.End < len(text) && text[span.End] != '\n' {
		span.End++
	}
	h.Add("lines", strconv.Itoa(f.Span.Start-span.Start), strconv.Itoa(span.End-f.Span.End), string(text[span.Start:span.End]))
	return h.Key(), !sees
}

// reader takes in tokens, one after another.
type reader struct {
	// words are all names and keywords.
	words map[string]bool
	// macros tells that macros are defined.
	macros bool
	// doubt says why it is not known what macros do.
	doubt string

	seen, bare   bool
	last, before syntax.TokenKind
	word         string // the last one, if it is one
}

var wordsIn = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// wordOf is the name or keyword that a token is.
func wordOf(tok syntax.Token) (string, bool) {
	text := tok.Text()
	if text == "" || !identByte(text[0]) || text[0] >= '0' && text[0] <= '9' {
		return "", false
	}
	return strings.TrimPrefix(text, "r#"), true
}

func (r *reader) token(tok syntax.Token) {
	word, is := wordOf(tok)
	if is {
		r.words[word] = true
	}
	known := slices.Contains(plainMacros, word) || slices.Contains(itemMacros, word)
	switch {
	case tok.Kind() == syntax.KwMacroRules:
		r.macros = true
	case tok.Kind() == syntax.KwMacro,
		r.before == syntax.KwMacroRules && (r.last != syntax.Bang || !is || known),
		r.last == syntax.KwMacroRules && tok.Kind() != syntax.Bang,
		r.last == syntax.KwAs && known:
		r.doubt = "macros are defined whose names are those of others, or not known"
	}
	r.seen = r.seen || slices.Contains(seeing, word) ||
		slices.Contains(seeingMacros, r.word) && (tok.Kind() == syntax.Bang || tok.Kind() == syntax.KwAs)
	r.bare = r.bare || slices.Contains(seeingMacros, word)
	r.before, r.last, r.word = r.last, tok.Kind(), word
}

// sees tells code that may see where it stands. A macro can put the "!" behind a word.
func (r *reader) sees(macros bool) bool { return r.seen || macros && r.bare }

package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// depth bounds how far names of ghost values are followed to what they were made of.
const depth = 8

// place is how a parameter is written by its place.
func place(i int) string { return fmt.Sprintf("$%d", i) }

// positional is a text with the parameters of its function by their places, so that both sides write them alike.
func positional(f *model.Function, n syntax.Node) string {
	places := map[string]string{}
	for i, p := range f.Params {
		if p.Name != "" && p.Name != "self" {
			places[p.Name] = place(i)
		}
	}
	words := strings.FieldsFunc(spaced(n), func(r rune) bool { return r == ' ' })
	for i, w := range words {
		field := i > 0 && strings.HasSuffix(words[i-1], ".") && !strings.HasSuffix(words[i-1], "..")
		if to := places[w]; to != "" && !field {
			words[i] = to
		}
	}
	return strings.Join(words, " ")
}

// spaced are the tokens of the canonical text.
func spaced(n syntax.Node) string {
	var out strings.Builder
	word := false
	for _, r := range syntax.Canon(n) {
		w := isWordRune(r)
		if w != word {
			out.WriteByte(' ')
		}
		word = w
		out.WriteRune(r)
	}
	return out.String()
}

// stands says what the local names in an expression of a function stand for: parameters by their places, names of ghost values by what these were made of. Names of values
// of running code are told apart from those, and no more: an edit of that code is told as one.
func stands(f *model.Function, n syntax.Node) []string {
	var out []string
	seen := map[string]bool{}
	var visit func(n syntax.Node, left int)
	visit = func(n syntax.Node, left int) {
		for _, name := range freeNames(n) {
			b := bindingOf(f, name, n)
			label := name
			for i, p := range f.Params {
				if p.Name == name {
					label = place(i)
				}
			}
			text := label + " = " + b.text(f)
			if seen[text] || b.kind == nowhere {
				continue
			}
			seen[text] = true
			out = append(out, text)
			if b.kind == ghostLet && left > 0 {
				for _, v := range b.values {
					visit(v, left-1)
				}
			}
		}
	}
	visit(n, depth)
	slices.Sort(out)
	return out
}

// freeNames are the words of an expression that may be names of values.
func freeNames(n syntax.Node) []string {
	var out []string
	n.Walk(func(e syntax.Node) bool {
		if e.Kind() == syntax.Path && !e.Get(syntax.FQSelf).Valid() {
			var words []string
			for seg := range e.All(syntax.FSegment) {
				words = append(words, seg.FirstToken().Text())
			}
			if len(words) == 1 && !slices.Contains(out, words[0]) {
				out = append(out, words[0])
			}
		}
		return true
	})
	return out
}

type bindingKind uint8

const (
	nowhere  bindingKind = iota // not a local name
	param                       // of the function
	ghostLet                    // a ghost value
	local                       // anything else that the function binds
)

// binding is what a local name stands for: values are the expressions that a ghost value was made of.
type binding struct {
	kind   bindingKind
	place  int
	values []syntax.Node
}

func (b binding) text(f *model.Function) string {
	switch b.kind {
	case param:
		return place(b.place)
	case ghostLet:
		var out []string
		for _, v := range b.values {
			out = append(out, positional(f, v))
		}
		return strings.Join(out, "; ")
	}
	return "local"
}

// bindingOf finds what a name stands for at a place in a function: the nearest binding around it.
func bindingOf(f *model.Function, name string, at syntax.Node) binding {
	b := binding{}
	for i, p := range f.Params {
		if p.Name == name {
			b = binding{kind: param, place: i}
		}
	}
	span := at.Span()
	ghost := f.Mode != model.Exec
	var down func(n syntax.Node)
	down = func(n syntax.Node) {
		switch n.Kind() {
		case syntax.ProofBlock, syntax.AssertForall:
			ghost = true
		}
		for c := range n.Children() {
			switch {
			case c.Span().Start <= span.Start && span.End <= c.Span().End && c.Span().End > c.Span().Start:
				if c != at {
					down(c)
				}
				return
			case n.Kind() == syntax.Block && c.Kind() == syntax.Let && binds(c.Get(syntax.FPat), name):
				b = binding{kind: local}
				if ghost || c.Get(syntax.FMode).Valid() || wrapsGhostValue(c.Get(syntax.FInit)) {
					b.kind = ghostLet
					if v := c.Get(syntax.FInit); v.Valid() {
						b.values = append(b.values, v)
					}
				}
			case n.Kind() != syntax.Block && c.Kind() != syntax.Block && binds(c, name):
				b = binding{kind: local}
			case b.kind == ghostLet:
				c.Walk(func(e syntax.Node) bool {
					if e.Kind() == syntax.Assign && strings.TrimSpace(e.Get(syntax.FLhs).Text()) == name {
						b.values = append(b.values, e.Get(syntax.FRhs))
					}
					return true
				})
			}
		}
	}
	body := f.Node.Get(syntax.FBody)
	if span.Start >= body.Span().Start && span.End <= body.Span().End {
		down(body)
	}
	return b
}

// binds tells whether a pattern, or a list of parameters, binds a name.
func binds(n syntax.Node, name string) bool {
	found := false
	n.Walk(func(e syntax.Node) bool {
		found = found || e.Kind() == syntax.IdentPat && e.Get(syntax.FName).Text() == name
		return !found && e.Kind() != syntax.Block
	})
	return found
}

func wrapsGhostValue(init syntax.Node) bool {
	text := syntax.Canon(init)
	return strings.HasPrefix(text, "Ghost(") || strings.HasPrefix(text, "Tracked(")
}

func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

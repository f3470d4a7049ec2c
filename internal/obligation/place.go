package obligation

import (
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// place is where the proof functions about a function go.
type place struct {
	file *model.File
	at   int // offset in the file, behind the item
	// wrap says that verus! must be written around them.
	wrap   bool
	module string
	// impl is the impl around the function, trait the trait; at most one is valid.
	impl, trait syntax.Node
	// header of an extra impl block; empty for free proof functions.
	header string
	cfg    string // cfg attributes of the function and its impl
}

func (p *place) key() [3]string { return [3]string{p.file.Crate.Key, p.file.Path, p.module} }

// placeOf finds the place.
func placeOf(f *model.Function) (*place, *failure) {
	switch f.Kind {
	case model.NestedFunction:
		return nil, fail(Inside, "the function stands inside the body of another one")
	case model.MacroFunction:
		return nil, fail(Inside, "the function is written by a macro")
	case model.ConstFunction:
		return nil, fail(Inside, "it is a constant")
	}
	if f.Node.File() != f.File.Syntax {
		return nil, fail(Inside, "the function is not in the text of the file")
	}
	chain := ancestors(f.File.Syntax, f.Node)
	if chain == nil {
		return nil, fail(Inside, "the function was not found in its file")
	}
	p := &place{file: f.File, module: f.Module, wrap: true}
	item := syntax.Node{}
	for i, n := range chain {
		switch n.Kind() {
		case syntax.SourceFile:
		case syntax.Mod:
			if item.Valid() {
				return nil, fail(Inside, "the function stands inside a block")
			}
		case syntax.MacroCall:
			word := macroName(n)
			if item.Valid() {
				if word != "verus_impl" && word != "verus_trait_impl" {
					return nil, fail(Inside, "the function stands in the input of "+word+"!")
				}
				continue
			}
			if word != "verus" {
				return nil, fail(Inside, "the function stands in the input of "+word+"!")
			}
			p.wrap = false
		case syntax.MacroBody:
		case syntax.Impl:
			p.impl = n
			item = chain[min(i, len(chain)-1)]
		case syntax.Trait:
			p.trait = n
			item = n
		default:
			if i != len(chain)-1 {
				return nil, fail(Inside, "the function stands inside a body")
			}
			if !item.Valid() {
				item = n
			}
		}
	}
	p.at = item.Span().End
	var cfg []string
	for _, n := range []syntax.Node{p.impl, f.Node} {
		for a := range n.All(syntax.FAttr) {
			if !a.Inner() && a.Get(syntax.FPath).Text() == "cfg" {
				cfg = append(cfg, a.Text())
			}
		}
	}
	if len(cfg) > 0 {
		p.cfg = strings.Join(cfg, " ") + "\n"
	}
	return p, nil
}

// ancestors are the nodes from the root to n, both included; nil if n is not in the file.
func ancestors(f *syntax.File, n syntax.Node) []syntax.Node {
	span := n.Span()
	at := f.Root()
	chain := []syntax.Node{at}
	for at.ID() != n.ID() {
		var next syntax.Node
		for c := range at.Children() {
			if s := c.Span(); s.Start <= span.Start && span.End <= s.End && s.Start < s.End {
				next = c
				if c.ID() == n.ID() {
					break
				}
			}
		}
		if !next.Valid() {
			return nil
		}
		at = next
		chain = append(chain, at)
	}
	return chain
}

func macroName(call syntax.Node) string {
	last := ""
	for s := range call.Get(syntax.FPath).All(syntax.FSegment) {
		last = s.FirstToken().Text()
	}
	return last
}

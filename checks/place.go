package checks

import (
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
)

// At puts a finding at a span of a head file.
func (f Finding) At(file *source.File, span source.Span) Finding {
	f.File, f.Span = file.Path, file.Range(span)
	return f
}

// From says where it was in base.
func (f Finding) From(file *source.File, span source.Span) Finding {
	f.Base = &Place{File: file.Path, Span: file.Range(span)}
	return f
}

// AtFunction starts a finding at the name of a function: head's, or, for a removed one, the start of the file that it was in.
func AtFunction(p *pair.Function) Finding {
	var f Finding
	if p.Head != nil {
		f.Symbol, f.Crate = p.Head.Symbol, p.Head.Crate
		f = f.At(p.Head.File.Syntax.Source, p.Head.NameSpan)
	}
	if p.Base != nil {
		if p.Head == nil {
			f.Symbol, f.Crate = p.Base.Symbol, p.Base.Crate
			f.File, f.Span = p.Base.File.Path, start
		}
		f = f.From(p.Base.File.Syntax.Source, p.Base.NameSpan)
	}
	return f
}

// AtItem is AtFunction for items.
func AtItem(p *pair.Item) Finding {
	var f Finding
	if p.Head != nil {
		f.Symbol, f.Crate = ItemSymbol(p.Head), p.Head.Crate
		f = f.At(p.Head.File.Syntax.Source, p.Head.NameSpan)
	}
	if p.Base != nil {
		if p.Head == nil {
			f.Symbol, f.Crate = ItemSymbol(p.Base), p.Base.Crate
			f.File, f.Span = p.Base.File.Path, start
		}
		f = f.From(p.Base.File.Syntax.Source, p.Base.NameSpan)
	}
	return f
}

// crateOf tells the crates of a tree apart in a fingerprint: empty for the library of the package in the root, by the key for all others.
func crateOf(c *model.Crate) string {
	if c == nil || c.Key == c.Name && (c.Manifest == "Cargo.toml" || c.Manifest == "") {
		return ""
	}
	return c.Key
}

// AtFile starts a finding about a file as a whole: the symbol is its path.
func AtFile(c FileChange) Finding {
	f := Finding{Symbol: c.Path(), File: c.Path(), Span: start}
	if c.Base != nil {
		f.Base = &Place{File: c.Base.Path, Span: start}
	}
	return f
}

var start = source.Range{Start: source.Position{Line: 1, Column: 1}, End: source.Position{Line: 1, Column: 1}}

// ItemSymbol is the symbol that findings about an item carry: for an impl, the type that it is for.
func ItemSymbol(i *model.Item) string {
	if i.Kind != model.ImplItem || i.Self == "" {
		return i.Symbol
	}
	self := i.Self
	for n, r := range self {
		if r == '<' || r == ' ' {
			self = self[:n]
			break
		}
	}
	if self == "" {
		return i.Symbol
	}
	if i.Module == "" {
		return self
	}
	return i.Module + "::" + self
}

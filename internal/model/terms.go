package model

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// Term is what a signature says beside types and clauses: what it asks of a call, or gives to one. Of an impl or a trait, what it asks of a type.
type Term struct {
	Effect Effect
	// Text is canonical: a bound ("T: Good", "Self: Good"), or "tracked" with the name of a parameter or with "result".
	Text string
	// Around says that it is written at the impl or trait around the function.
	Around bool
}

// Effect of a Term.
type Effect uint8

const (
	_      Effect = iota
	Asks          // a caller owes it
	Waives        // what would be asked without it is not: `T: ?Sized`
	Gives         // a caller may rely on it
)

func boundTerms(bounds []string, around bool) []Term {
	var out []Term
	for _, b := range bounds {
		t := Term{Effect: Asks, Text: b, Around: around}
		if strings.Contains(b, ": ?") {
			t.Effect = Waives
		}
		out = append(out, t)
	}
	return out
}

// terms fills the terms of a function: its bounds and those of the impl or trait around it, and which values a proof takes and gives tracked.
func (f *Function) terms(n syntax.Node, ms []meta, around *implInfo) {
	if around != nil {
		f.Around = around.item
		f.Generics = genericList(around.node)
		_, bounds := generics(around.node)
		f.Terms = boundTerms(bounds, true)
	}
	f.Generics = append(f.Generics, genericList(n)...)
	_, bounds := generics(n)
	f.Terms = append(f.Terms, boundTerms(bounds, false)...)
	for _, m := range ms {
		if m.verifier() == "atomic" {
			f.Terms = append(f.Terms, Term{Effect: Gives, Text: "#[verifier::atomic]"})
		}
	}
	if f.Mode == Exec || f.Mode == Spec {
		return // there Tracked<..> is a type, or nothing is tracked
	}
	for _, p := range f.Params {
		if p.Node.Get(syntax.FMode).Text() == "tracked" {
			f.Terms = append(f.Terms, Term{Effect: Asks, Text: "tracked " + p.Pattern})
		}
	}
	if n.Get(syntax.FRet).Get(syntax.FMode).Text() == "tracked" {
		f.Terms = append(f.Terms, Term{Effect: Gives, Text: "tracked result"})
	}
}

// terms fills the terms of an impl or a trait: its bounds, and the traits that another one demands.
func (it *Item) terms(n syntax.Node) {
	it.Generics = genericList(n)
	_, bounds := generics(n)
	for b := range n.Get(syntax.FBounds).All(syntax.FBound) {
		bounds = append(bounds, "Self: "+syntax.Canon(b))
	}
	it.Terms = boundTerms(bounds, false)
}

// genericList are the names of generic parameters in their order, lifetimes among them.
func genericList(n syntax.Node) []string {
	var out []string
	for p := range n.Get(syntax.FGenerics).All(syntax.FParam) {
		out = append(out, p.Get(syntax.FName).Text())
	}
	return out
}

// recursionSites are what is believed of how an opaque type uses its parameters: the verifier checks it of types that it looks into.
func recursionSites(it *Item, ms []meta, c around) []Site {
	if !slices.ContainsFunc(it.Sites, func(s Site) bool { return s.Kind == ExternalType }) {
		return nil
	}
	var out []Site
	note := func(m meta, text string) {
		switch m.verifier() {
		case "accept_recursive_types", "reject_recursive_types_in_ground_variants":
			out = append(out, Site{Kind: ExternalType, File: c.file, Span: m.span, Text: text})
		}
	}
	for _, m := range ms {
		note(m, m.text())
	}
	for p := range it.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		for _, m := range metasOf(p, c.alias) {
			note(m, m.text()+"("+p.Get(syntax.FName).Text()+")")
		}
	}
	return out
}

// described fills in what the descriptions of external types and traits at an item are of.
func (a *analyser) described(it *Item) {
	var of syntax.Node
	switch it.Kind {
	case StructItem:
		of = it.Node.Get(syntax.FFields).Get(syntax.FFieldDecl).Get(syntax.FType)
	case TraitItem:
		for c := range it.Node.All(syntax.FItem) {
			if c.Kind() == syntax.TypeAlias && c.Get(syntax.FName).Text() == "ExternalTraitSpecificationFor" {
				of = c.Get(syntax.FBounds).Get(syntax.FBound).Get(syntax.FPath)
			}
		}
	}
	segs, global := pathOf(of)
	if len(segs) == 0 {
		return
	}
	symbol := a.resolve(segs, global, typeSpace).symbol
	for i := range it.Sites {
		switch s := &it.Sites[i]; {
		case s.Scope == "" && s.Kind == ExternalTrait, s.Kind == ExternalType && s.Text == "external_type_specification":
			s.Of = symbol
		}
	}
}

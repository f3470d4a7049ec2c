package trust

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// meaning is what a person accepts along with a new site beyond its text. It is part of the fingerprint, so that what is pushed after the acceptance is
// covered by it only if it means the same: the contract that is believed, the body that nobody verifies, the definitions of the change that these rest on.
func (s site) meaning(p *checks.Pass) string {
	var out []string
	switch {
	case s.fn != nil:
		for i, f := range append([]*model.Function{s.fn.Head}, s.also...) {
			if i > 0 {
				out = append(out, f.Symbol)
			}
			out = append(out, contractText(f)...)
			switch s.Kind {
			case model.ExternalBody, model.External:
				out = append(out, f.Exec)
			case model.Fabricated: // what is made depends on what it is used for
				out = append(out, f.Body)
			}
			out = append(out, definitions(p, f, s.Text)...)
		}
	case s.item != nil && ofItem(s.Kind):
		out = append(out, syntax.Canon(s.item.Head.Node))
	}
	return fmt.Sprintf("%q", out)
}

// contractText is the signature and the clauses of a function, in no order.
func contractText(f *model.Function) []string {
	var out []string
	for _, c := range f.Contract() {
		out = append(out, c.Kind.String()+" "+c.Text+" when "+c.When+" via "+c.Via)
	}
	for _, t := range f.Terms {
		if t.Around {
			out = append(out, t.Text) // the others are in the signature
		}
	}
	slices.Sort(out)
	return append([]string{f.Signature}, out...)
}

// definitions are those that the change brings or edits of the spec functions that a contract rests on, or that a text names.
func definitions(p *checks.Pass, f *model.Function, text string) []string {
	changed := p.Memo("trust.definitions", func() any {
		out := map[string][]*pair.Function{}
		for _, d := range p.Pairs.Functions {
			if changedDefinition(d) {
				out[d.Head.Name] = append(out[d.Head.Name], d)
			}
		}
		return out
	}).(map[string][]*pair.Function)
	if len(changed) == 0 {
		return nil
	}
	reached := p.Pairs.Head.SpecReach(f)
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, d := range changed[w] {
			reached = append(append(reached, d.Head), p.Pairs.Head.SpecReach(d.Head)...)
		}
	}
	var out []string
	for _, g := range reached {
		if d := p.Pairs.OfHead(g); d != nil && changedDefinition(d) {
			out = append(out, g.Crate.Key+"::"+g.Symbol+" "+g.Signature+" "+g.Body)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// changedDefinition tells a spec function or constant of head that base has not, or has otherwise.
func changedDefinition(d *pair.Function) bool {
	return d.Head != nil && (d.Head.Mode == model.Spec || d.Head.Kind == model.ConstFunction) &&
		(d.Base == nil || d.What&(pair.Body|pair.Executable|pair.GhostRefs|pair.Signature|pair.Mode) != 0)
}

package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

// termChange is how the signatures of a pair differ beside types and clauses: the terms that callers must meet now, or need not meet any more, and those that they
// may newly rely on, or cannot rely on any more.
type termChange struct{ owed, waived, given, taken []model.Term }

func termsOf(added, removed []model.Term) termChange {
	var out termChange
	for i, list := range [][]model.Term{added, removed} {
		for _, t := range list {
			switch gone := i == 1; {
			case t.Effect == model.Gives && gone:
				out.taken = append(out.taken, t)
			case t.Effect == model.Gives:
				out.given = append(out.given, t)
			case (t.Effect == model.Asks) != gone:
				out.owed = append(out.owed, t)
			default:
				out.waived = append(out.waived, t)
			}
		}
	}
	return out
}

func quoteTerms(terms []model.Term) string {
	var out []string
	for _, t := range terms {
		out = append(out, t.Text)
	}
	return quoteAll(out)
}

// terms reports the pairs of which pick gives terms. More is a difference that makes a contract say more, which counts where it is believed, and is good news
// elsewhere; one that makes it say less is a notice where it is believed. Terms of an impl hold for all its functions, and are one finding at the first.
func terms(p *checks.Pass, more bool, pick func(c termChange) []model.Term, format string) {
	type key struct {
		around *model.Item
		text   string
	}
	var order []*pair.Function
	found := map[*pair.Function]checks.Finding{}
	first := map[key]*pair.Function{}
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || f.Head.Mode == model.Spec || f.Base.Mode == model.Spec || !f.Base.Verified || !f.Head.Verified {
			continue
		}
		if more && !believed(f.Head) || f.Head.Kind == model.TraitImplMethod && inheritsTerms(p, f) {
			continue
		}
		list := pick(termsOf(f.TermsAdded, f.TermsRemoved))
		if len(list) == 0 {
			continue
		}
		if !slices.ContainsFunc(list, func(t model.Term) bool { return !t.Around }) {
			k := key{f.Head.Around, quoteTerms(list)}
			if other := first[k]; other != nil {
				out := found[other]
				if len(out.Also) == 0 {
					out = add(out, fmt.Sprintf("It holds for more functions of the impl, such as %s.", f.Head.Symbol))
				}
				out.Also = append(out.Also, f.Head.Symbol)
				found[other] = out
				continue
			}
			first[k] = f
		}
		out := checks.AtFunction(f)
		out.Message = fmt.Sprintf(format, quoteTerms(list))
		out.Change = quoteTerms(list)
		switch {
		case more:
			out.Message += " " + moreBelieved
			out.Severity = policy.Error
		case believed(f.Head) && believed(f.Base):
			out.Severity = policy.Notice
		}
		found[f] = out
		order = append(order, f)
	}
	for _, f := range order {
		p.Report(found[f])
	}
}

// inheritsTerms tells that the trait's method changed in the same way, where it is reported.
func inheritsTerms(p *checks.Pass, f *pair.Function) bool {
	of := p.Pairs.OfHead(f.Head.TraitMethod)
	if of == nil || believed(f.Head) {
		return false
	}
	own := func(list []model.Term) []model.Term {
		return slices.DeleteFunc(slices.Clone(list), func(t model.Term) bool { return t.Around })
	}
	return len(own(f.TermsAdded)) == len(f.TermsAdded) && len(own(f.TermsRemoved)) == len(f.TermsRemoved) &&
		len(own(of.TermsAdded)) == len(f.TermsAdded) && len(own(of.TermsRemoved)) == len(f.TermsRemoved)
}

func termsOwed(p *checks.Pass) {
	terms(p, false, func(c termChange) []model.Term { return c.owed },
		"The signature asks for more than before: %s. Calls that base covered are not covered any more.")
}

func termsWaived(p *checks.Pass) {
	terms(p, true, func(c termChange) []model.Term { return c.waived }, "The signature does not ask for %s any more, so more calls are covered.")
}

func termsTaken(p *checks.Pass) {
	terms(p, false, func(c termChange) []model.Term { return c.taken }, "The signature does not give %s any more: callers cannot rely on it.")
}

func termsGiven(p *checks.Pass) {
	terms(p, true, func(c termChange) []model.Term { return c.given }, "The signature gives more than before: %s.")
}

// effectsNarrowed reports believed functions that may newly be called where their effects were in the way: they are said to open fewer invariants, or not to
// unwind.
func effectsNarrowed(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || f.Head.Mode == model.Spec || f.Base.Mode == model.Spec || !f.Base.Verified || !f.Head.Verified || !believed(f.Head) {
			continue
		}
		more := func(message string, kind syntax.ClauseKind) {
			out := finding(f, message+" "+moreBelieved, nil, kind)
			out.Severity = policy.Error
			p.Report(out)
		}
		if b, h := opens(f.Base), opens(f.Head); f.Base.Mode == f.Head.Mode && !within(b, h) {
			more(fmt.Sprintf("The function is said not to open invariants that it might open before: %s, before %s.", h.text, b.text), syntax.OpensInvariants)
		}
		b, h := clauses(f.Base, syntax.NoUnwind), clauses(f.Head, syntax.NoUnwind)
		if len(h) == 0 || len(b) > 0 && (condition(b[0]) == "" || len(texts(f.Contract.Added, syntax.NoUnwind)) == 0 && condition(h[0]) != "") {
			continue
		}
		more("The function is said not to unwind where it might before.", syntax.NoUnwind)
	}
}

// ghostArguments is what a `with` clause takes and gives, whatever the names.
var ghostArguments = regexp.MustCompile(`\b(Tracked|Ghost) ?\( ?\w+ ?\) ?:|-> ?\w+ ?:`)

// withChanged tells whether a function takes or gives other ghost values by a `with` clause.
func withChanged(p *pair.Function) bool {
	with := func(list []pair.Conjunct) string {
		var out []string
		for _, j := range list {
			if j.Kind == syntax.With {
				out = append(out, ghostArguments.ReplaceAllString(j.Text, "$1:"))
			}
		}
		return strings.Join(out, "\n")
	}
	return with(p.Contract.Added) != with(p.Contract.Removed)
}

// traitsAskLess reports traits whose implementations owe less than they did as a whole.
func traitsAskLess(p *checks.Pass) {
	for _, i := range p.Pairs.Items {
		if i.Base == nil || i.Head == nil || i.Base.Kind != model.TraitItem || i.Head.Kind != model.TraitItem {
			continue
		}
		if i.Base.Unsafe && !i.Head.Unsafe {
			out := checks.AtItem(i)
			out.Change = "unsafe"
			out.Message = "The trait is not unsafe any more: anybody may implement it without vouching for what code that uses it relies on."
			p.Report(out)
		}
		if gone := termsOf(i.TermsAdded, i.TermsRemoved).waived; len(gone) > 0 && i.Base.Verified && i.Head.Verified {
			out := checks.AtItem(i)
			out.Change = quoteTerms(gone)
			out.Message = fmt.Sprintf("The trait does not ask for %s any more: callers through the trait cannot rely on it.", quoteTerms(gone))
			out.Severity = policy.Warning
			p.Report(out)
		}
	}
}

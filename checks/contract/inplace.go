package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

// inPlace reports contracts that name a macro, a constant or a type whose definition changed. What such a name stands for is put in its
// place before the contract is read, so that no spec function tells of it, and what it says now is not known without expanding.
func inPlace(p *checks.Pass) {
	overridden(p)
	invariantGone(p)
	invariantNew(p)
	mutRefStyle(p)
	told := map[*pair.Function]bool{}
	for _, e := range of(p.Input).effects() {
		told[e.user] = true
	}
	typesOther(p, told)
	for _, u := range p.Pairs.Functions {
		if u.Base == nil || u.Head == nil || told[u] || !u.Head.Verified || u.Head.Mode == model.Spec {
			continue
		}
		var names, detail []string
		for _, r := range u.GhostDetail {
			if strings.HasSuffix(r.Base, " as it was") && inClause(u.Head, r.Written) {
				names = append(names, r.Written)
				detail = append(detail, strings.TrimSuffix(r.Base, " as it was")+" has another definition now.")
			}
		}
		if len(names) == 0 {
			continue
		}
		out := checks.AtFunction(u)
		out.Change = "in place\x00" + strings.Join(names, "\x00")
		out.Undecided = hasCallers(u)
		if v := of(p.Input).verdict(u); v.by == "proof" {
			if v.direction == Equal {
				continue // the verifier says so
			}
			if out.Undecided = hasCallers(u) && undecided(v); weakened(v) {
				out.Severity = policy.Error
			}
		}
		out.Message = "This contract reads as before and means something else: " + quoteAll(names) + " in it changed. Macros are not expanded, so look at what it says now."
		if !strings.Contains(strings.Join(names, " "), "!") {
			out.Message = "This contract reads as before and means something else: " + quoteAll(names) + " in it changed."
		}
		out.Detail = strings.Join(detail, "\n")
		p.Report(out)
	}
}

// typesOther reports contracts in which a type is another one than before, or has another definition: what a quantifier ranges over, and what a field
// holds, is a part of what they say. Where it is told already that a contract may mean something else, it is not told again for its types.
func typesOther(p *checks.Pass, told map[*pair.Function]bool) {
	for _, r := range of(p.Input).restingOnOther() {
		if told[r.user] {
			continue
		}
		out := checks.AtFunction(r.user)
		var names, change, detail []string
		for _, m := range r.meanings {
			names, change = append(names, m.Name), append(change, m.Name+"\x00"+m.Head)
			detail = append(detail, m.Name+" in base: "+shorten(m.Base)+"\n"+m.Name+" in head: "+shorten(m.Head))
		}
		out.Change = "types\x00" + strings.Join(change, "\x00")
		out.Detail = strings.Join(detail, "\n")
		out.Undecided = hasCallers(r.user)
		out.Message = "This contract reads as before and may mean something else: what " + quoteAll(names) + " stands for in it, or in what it rests on, changed."
		if believed(r.user.Head) {
			out.Message += " " + moreBelieved
			out.Severity = policy.Error
		} else if !slices.ContainsFunc(r.meanings, func(m pair.Meaning) bool { return m.Item == nil }) {
			for i, m := range r.meanings {
				c := checks.AtItem(m.Item)
				c.Change, c.Detail = change[i], detail[i]
				c.Message = "Contracts that speak of this, or rest on what does, read as before and may mean something else."
				out.Common = append(out.Common, c)
			}
		}
		p.Report(out)
	}
}

// overridden reports contracts of an impl whose words come from the trait and stand for another definition now: a spec function of the
// trait has a default body, and the impl newly brings its own, or no longer does.
func overridden(p *checks.Pass) {
	for _, s := range p.Pairs.Functions {
		if (s.Base == nil) == (s.Head == nil) {
			continue
		}
		f := cmp.Or(s.Head, s.Base)
		if f.Mode != model.Spec || f.TraitMethod == nil || !f.TraitMethod.HasBody {
			continue
		}
		for _, u := range p.Pairs.Functions {
			if u.Base == nil || u.Head == nil || u.Head.Mode == model.Spec || !u.Head.Verified || u.Head.Self != f.Self || u.Head.Trait != f.Trait || !inClause(u.Head, f.Name) {
				continue
			}
			out := checks.AtFunction(u)
			out.Change = "override\x00" + f.Name + "\x00" + f.Body
			out.Undecided = hasCallers(u)
			out.Message = "This contract reads as before and means something else: `" + f.Name + "` in it was the trait's default, and this impl now has a definition of its own."
			if s.Head == nil {
				out.Message = "This contract reads as before and means something else: `" + f.Name + "` in it was this impl's own definition, and is the trait's default now."
			}
			out.Detail = "The trait's: " + shorten(f.TraitMethod.Body) + "\nThe impl's: " + shorten(f.Body)
			p.Report(out)
		}
	}
}

// invariantGone reports types whose invariant is none any more: every value of the type was promised to meet it.
func invariantGone(p *checks.Pass) {
	for _, u := range p.Pairs.Functions {
		if !isInvariant(u.Base) || isInvariant(u.Head) {
			continue
		}
		out := checks.AtFunction(u)
		out.Change = "no invariant"
		out.Severity = policy.Error
		out.Message = "This was the invariant of its type and is not any more: values of the type are no longer promised to meet it."
		out.Detail = "It said: " + shorten(u.Base.Body)
		p.Report(out)
	}
}

// invariantNew reports functions whose body nobody verifies and that give values of a type that has an invariant now and had none: the
// verifier believes that these values meet it, as if their contract promised it.
func invariantNew(p *checks.Pass) {
	for _, inv := range p.Pairs.Functions {
		if isInvariant(inv.Base) || !isInvariant(inv.Head) {
			continue
		}
		for _, f := range p.Pairs.Head.ContractUsers(inv.Head) {
			u := p.Pairs.OfHead(f)
			if u == nil {
				u = &pair.Function{Base: f, Head: f, Change: pair.Same} // of a file that is as it was
			}
			if u.Base == nil || !believed(f) || !f.Verified || !gives(f, inv.Head.Self) {
				continue
			}
			out := checks.AtFunction(u)
			out.Change = "invariant\x00" + inv.Head.Symbol + "\x00" + inv.Head.Body
			out.Severity = policy.Error
			out.Message = "This contract reads as before and means something else: " + inv.Head.Symbol + " is an invariant now, and the values of its type that this function gives are taken to meet it. " + moreBelieved
			out.Detail = "It says (" + lineOf(inv.Head) + "): " + shorten(inv.Head.Body)
			p.Report(out)
		}
	}
}

// OtherRules begins what changed (checks.Finding.Change) where the words of contracts are read by other rules than before.
const OtherRules = "style\x00"

// mutRefStyle reports functions, and what holds functions, whose promises speak of what was lent to them by other words than before: the attribute decides
// whether the bare name of a `&mut` parameter is its value after the call.
func mutRefStyle(p *checks.Pass) {
	const name = "deprecated_postcondition_mut_ref_style"
	style := func(attrs []string) string {
		var of []string
		for _, a := range attrs {
			if strings.Contains(a, name) {
				of = append(of, a)
			}
		}
		return cmp.Or(quoteAll(of), "not there")
	}
	tell := func(out checks.Finding, base, head, text string) {
		if base == head {
			return
		}
		out.Change = OtherRules + head
		out.Message = fmt.Sprintf("%s by other rules: `%s` is %s now, and was %s. In promises, the bare name of what was lent by `&mut` does not mean what it meant, so that old words promise something else.",
			text, name, head, base)
		out.Undecided = true
		p.Report(out)
	}
	lent := func(f *model.Function) bool {
		return len(f.Contract()) > 0 && slices.ContainsFunc(f.Params, func(q model.Param) bool { return q.MutRef })
	}
	for _, u := range p.Pairs.Functions {
		if u.Base != nil && u.Head != nil && lent(u.Base) && lent(u.Head) {
			tell(checks.AtFunction(u), style(u.Base.Attrs), style(u.Head.Attrs), "This contract is read")
		}
	}
	for _, it := range p.Pairs.Items {
		if it.Base != nil && it.Head != nil {
			tell(checks.AtItem(it), style(it.Base.Attrs), style(it.Head.Attrs), "The contracts in here are read")
		}
	}
}

// gives tells a function that gives values of a type, or may change some that it is lent. It goes by the type's name.
func gives(f *model.Function, typ string) bool {
	typ, _, _ = strings.Cut(typ, "<")
	typ = typ[strings.LastIndex(typ, ":")+1:]
	names := func(text string) bool {
		words := strings.FieldsFunc(text, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		return slices.Contains(words, typ)
	}
	own := names(f.Self)
	if names(f.ResultType) || own && slices.Contains(strings.FieldsFunc(f.ResultType, func(c rune) bool { return !unicode.IsLetter(c) }), "Self") {
		return true
	}
	return slices.ContainsFunc(f.Params, func(q model.Param) bool {
		return q.MutRef && (names(q.Type) || own && (q.Name == "self" || strings.Contains(q.Type, "Self")))
	})
}

// inClause tells whether a name, as written, stands in a clause of a contract; that of a macro ends in `!`.
func inClause(f *model.Function, written string) bool {
	name, macro := strings.CutSuffix(written, "!")
	last := name[strings.LastIndex(name, ":")+1:]
	for _, c := range f.Contract() {
		prev := false
		for t := range c.Node.Tokens() {
			if prev && (!macro || t.Kind() == syntax.Bang) {
				return true
			}
			prev = t.Text() == last
		}
		if prev && !macro {
			return true
		}
	}
	return false
}

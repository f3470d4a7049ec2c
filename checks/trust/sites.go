// Package trust has the rules about what is believed without proof.
package trust

import (
	"fmt"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
)

// site is a new or a vanished trust site with the function or item that carries it.
type site struct {
	model.Site
	fn   *pair.Function // nil for an item's
	item *pair.Item     // nil for a function's
	// also are other functions of the file that a site of a scope holds for.
	also []*model.Function
}

// delta is the change of the whole ledger.
type delta struct {
	added, removed []site
	// same are pairs of a vanished and a new site that believe the same thing.
	same [][2]site
}

// sites compares the ledgers once for all rules.
func sites(p *checks.Pass) *delta {
	return p.Memo("trust.sites", func() any { return compare(p.Pairs) }).(*delta)
}

// maxPerScope bounds how many findings one attribute of a scope makes. Past it, the first function of a file stands for all of that file:
// the policy may say of each file something else.
const maxPerScope = 8

func compare(pairs *pair.Pairs) *delta {
	d := &delta{}
	carried := map[string]bool{} // scope sites that some function carries
	scopeCount := map[string]int{}
	scopeFirst := map[string]int{} // by scope and file
	for _, f := range pairs.Functions {
		added, removed := f.SitesAdded, f.SitesRemoved
		var restAdded []model.Site
		gone := make([]bool, len(removed))
		for _, a := range added {
			matched := false
			for i, r := range removed {
				if !gone[i] && sameTrust(a, r) && pairs.SameSubject(r, a) {
					gone[i], matched = true, true
					d.same = append(d.same, [2]site{{Site: r, fn: f}, {Site: a, fn: f}})
					break
				}
			}
			if !matched {
				restAdded = append(restAdded, a)
			}
		}
		for _, a := range restAdded {
			if a.Scope != "" && ofItem(a.Kind) {
				continue // reported at the item
			}
			if a.Scope != "" {
				key := scopeKey(a)
				carried[key] = true
				scopeCount[key]++
				inFile := key + "\x00" + f.Head.File.Path
				first, known := scopeFirst[inFile]
				switch {
				case !known:
					scopeFirst[inFile] = len(d.added)
				case a.Kind != model.External && scopeCount[key] > maxPerScope:
					d.added[first].also = append(d.added[first].also, f.Head)
					continue
				}
			}
			d.added = append(d.added, site{Site: a, fn: f})
		}
		for i, r := range removed {
			if !gone[i] && f.Head != nil {
				if r.Scope != "" {
					key := "-" + scopeKey(r)
					if scopeCount[key]++; scopeCount[key] > 1 {
						continue
					}
				}
				d.removed = append(d.removed, site{Site: r, fn: f})
			}
		}
	}
	for _, i := range pairs.Items {
		gone := make([]bool, len(i.SitesRemoved))
		for _, a := range i.SitesAdded {
			if carried[scopeKey(a)] || a.Scope == "" && carried[scopeKey(withScope(a, i))] {
				continue
			}
			matched := false
			for n, r := range i.SitesRemoved {
				if !gone[n] && sameTrust(a, r) && pairs.SameSubject(r, a) {
					gone[n], matched = true, true
					d.same = append(d.same, [2]site{{Site: r, item: i}, {Site: a, item: i}})
					break
				}
			}
			if !matched {
				d.added = append(d.added, site{Site: a, item: i})
			}
		}
		for n, r := range i.SitesRemoved {
			if gone[n] || i.Head == nil || scopeCount["-"+scopeKey(r)] > 0 || scopeCount["-"+scopeKey(withScope(r, i))] > 0 {
				continue
			}
			d.removed = append(d.removed, site{Site: r, item: i})
		}
	}
	return d
}

// ofItem tells the kinds that are about a type, a trait or an implementation as a whole, not about its functions.
func ofItem(k model.SiteKind) bool {
	switch k {
	case model.ExternalType, model.ExternalTrait, model.ExternalDerive, model.UnsafeAutoTrait, model.Layout:
		return true
	}
	return false
}

// withScope is an item's own site as the functions below the item carry it.
func withScope(s model.Site, i *pair.Item) model.Site {
	if i.Head != nil {
		s.Scope = i.Head.Symbol
	} else {
		s.Scope = i.Base.Symbol
	}
	return s
}

func scopeKey(s model.Site) string {
	if s.Scope == "" {
		return ""
	}
	return fmt.Sprintf("%d\x00%s\x00%s\x00%s", s.Kind, s.File.Crate.Key, s.Scope, s.Text)
}

// sameTrust tells whether two sites at one place believe the same thing in other words.
func sameTrust(a, r model.Site) bool {
	if a.Kind == r.Kind {
		switch a.Kind {
		case model.Assume, model.Admit, model.InlineAir, model.Fabricated, model.CfgDivergence, model.Layout, model.UnsafeAutoTrait:
			// What is believed stands in the text: another text is another belief.
			return false
		case model.ExternalType:
			return recursion(a) <= recursion(r)
		}
		return true
	}
	is := func(s model.Site, k model.SiteKind) bool { return s.Kind == k }
	either := func(x, y model.SiteKind) bool { return is(a, x) && is(r, y) || is(a, y) && is(r, x) }
	switch {
	case either(model.ExternalBody, model.AxiomSite):
		return true
	case is(a, model.Admit) && isFalse(r) || isFalse(a) && is(r, model.Admit):
		return true
	}
	return false
}

// recursion ranks what is believed of how an opaque type uses its parameters; 0: the site is no such belief.
func recursion(s model.Site) int {
	switch {
	case strings.HasPrefix(s.Text, "accept_recursive_types"):
		return 2
	case strings.HasPrefix(s.Text, "reject_recursive_types_in_ground_variants"):
		return 1
	}
	return 0
}

// isFalse tells assume(false), which is admit in other words.
func isFalse(s model.Site) bool {
	if s.Kind != model.Assume {
		return false
	}
	i := strings.IndexByte(s.Text, '(')
	return i >= 0 && strings.ReplaceAll(s.Text[i:], " ", "") == "(false)"
}

// finding at a site, or at the carrier's name for a site of a scope.
func (s site) finding() checks.Finding {
	var f checks.Finding
	src := s.File.Syntax.Source
	switch {
	case s.fn != nil:
		f = checks.AtFunction(s.fn)
	default:
		f = checks.AtItem(s.item)
	}
	if s.Scope == "" {
		f = f.At(src, s.Span)
	} else {
		f.Detail = fmt.Sprintf("Written at %s, %s:%s.", s.Scope, src.Path, src.Position(s.Span.Start))
		if len(s.also) > 0 {
			f.Detail += fmt.Sprintf(" It holds for more functions, such as %s.", s.also[0].Symbol)
		}
		for _, other := range s.also {
			f.Also = append(f.Also, other.Symbol)
		}
		if s.fn != nil && (s.Scope == "crate" || strings.HasPrefix(s.fn.Head.Module+"::", s.Scope+"::")) {
			f.Also = append(f.Also, s.Scope) // a crate or a module, not all files of which have been read
		}
	}
	f.Change = s.Kind.String() + " " + s.Text
	if s.Macro != "" {
		f.Detail = join(f.Detail, fmt.Sprintf("It is in the macro %s, so every use of the macro believes it.", s.Macro))
	}
	if s.Uncertain {
		f.Detail = join(f.Detail, "specgate does not understand the code around it and found it word by word.")
	}
	return f
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// shorten cuts a text that is quoted in a message.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:97]) + "..."
	}
	return s
}

// siteRule is a rule that reports each new site of one kind.
type siteRule struct {
	kind model.SiteKind
	rule checks.Rule
	// message of a finding; sev may lower the rule's severity and is the rule's own when 0.
	message func(s site) (text string, sev policy.Severity)
	// also tells sites of other kinds that it reports too, not those of its kind that it leaves to another rule; nil: none.
	also, not func(s site) bool
}

func (r siteRule) build() *checks.Rule {
	out := r.rule
	out.Family = checks.Trust
	out.Needs = checks.NeedHead | checks.NeedBase | checks.NeedPair
	out.Mirror = "trust/removed"
	out.Run = func(p *checks.Pass) {
		for _, s := range sites(p).added {
			mine := s.Kind == r.kind && (r.not == nil || !r.not(s)) || r.also != nil && r.also(s)
			if !mine {
				continue
			}
			f := s.finding()
			f.Change += "\x00" + s.meaning(p)
			f.Message, f.Severity = r.message(s)
			p.Report(f)
		}
		if r.kind == model.Assume {
			changedAssumptions(p)
		}
		if r.kind == model.UnsafeAutoTrait {
			safetyWidened(p)
		}
	}
	return &out
}

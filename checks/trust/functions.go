package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

const pairNeeds = checks.NeedHead | checks.NeedBase | checks.NeedPair

func functionRules() []*checks.Rule {
	return []*checks.Rule{
		{
			ID: "trust/removed", Family: checks.Trust, Severity: policy.Notice, Needs: pairNeeds,
			Purpose:  "Good news: something is no longer believed without proof.",
			Why:      "It is counted so that progress shows, and so that the ledger adds up.",
			Fires:    checks.Example{Base: wrap(halfAssumed), Head: wrap(halfProved), Symbol: "half"},
			Quiet:    checks.Example{Base: wrap(halfAssumed), Head: wrap("/// Half of it.\n" + halfAssumed)},
			Remedy:   "Nothing to do.",
			NoMirror: "It is the mirror of every rule about a new trust site.",
			Run:      removed,
		},
		{
			ID: "trust/same-trust", Family: checks.Trust, Severity: policy.Notice, Needs: pairNeeds,
			Purpose:  "The same thing is believed as before, in other words.",
			Why:      "Nothing more is trusted, but a reader who searches for the old spelling would not find it.",
			Fires:    checks.Example{Base: wrap("#[verifier::external_body]\n" + lemma), Head: wrap(lemmaAxiom), Symbol: "lemma_small"},
			Quiet:    checks.Example{Base: wrap(lemmaAxiom), Head: wrap("/// Small.\n" + lemmaAxiom)},
			Remedy:   "Nothing to do.",
			NoMirror: "The opposite change is the same change.",
			Run:      sameTrustRule,
		},
		{
			ID: "trust/laundered", Family: checks.Trust, Severity: policy.Error, Needs: pairNeeds,
			Otherwise: []checks.Weight{{Severity: policy.Notice, When: "where base believed the function itself, with the contract that it has now"}},
			Purpose:   "A proof newly rests on something believed without proof, through a proof function that it calls.",
			Why:       "The function's own text shows no assumption. It calls a lemma, and that lemma, or one further on, assumes what it promises.",
			Fires: checks.Example{Base: wrap(launderer + halfProved),
				Head:   wrap(launderer + "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    proof {\n        lemma_half(x);\n    }\n    x / 2\n}"),
				Symbol: "half"},
			Quiet: checks.Example{Base: wrap(lemma + "\n\n" + halfProved),
				Head: wrap(lemma + "\n\npub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    proof {\n        lemma_small(x as nat);\n    }\n    x / 2\n}")},
			Remedy:   "Prove the lemma at the end of the chain, or do without it.",
			NoMirror: "A call that is dropped leaves nothing to look at; a belief that is dropped is trust/removed.",
			Run:      laundered,
		},
		{
			ID: "trust/left-verification", Family: checks.Trust, Severity: policy.Error, Needs: pairNeeds,
			Purpose:  "A function that was verified is not any more, or is gone.",
			Why:      "Outside verus! or without the attributes that opt in, the verifier does not look at the function. A deleted function proves nothing at all.",
			Fires:    checks.Example{Base: wrap(halfProved), Head: wrap("") + "pub fn half(x: u64) -> u64 {\n    x / 2\n}\n", Symbol: "half"},
			Quiet:    checks.Example{Base: wrap(halfProved), Head: wrap("") + "\n" + wrap(halfProved)},
			Remedy:   "Put it back under the verifier, with its contract.",
			NoMirror: "A function that enters verification brings its contract along; nothing is lost.",
			Run:      leftVerification,
		},
		{
			ID: "trust/trusted-body-edited", Family: checks.Trust, Severity: policy.Warning, Needs: pairNeeds,
			Purpose: "The executable body of a believed function changed.",
			Why:     "Nobody checks the new body against the contract that callers rely on.",
			Fires: checks.Example{Base: wrap("#[verifier::external_body]\n" + halfProved),
				Head:   wrap("#[verifier::external_body]\npub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    x >> 1\n}"),
				Symbol: "half"},
			Quiet:    checks.Example{Base: wrap("#[verifier::external_body]\n" + halfProved), Head: wrap("#[verifier::external_body]\n/// Half.\n" + halfProved)},
			Remedy:   "Review the body against the contract by hand, and test it.",
			NoMirror: "An edit has no opposite.",
			Run:      trustedBodyEdited,
		},
	}
}

const launderer = "proof fn lemma_half(x: u64)\n    ensures\n        x / 2 <= x,\n{\n    assume(x / 2 <= x);\n}\n\n"

func removed(p *checks.Pass) {
	for _, s := range sites(p).removed {
		if s.item != nil && tracked(s.item.Base) && opaque(s.item.Base) {
			continue // trust/token-loosened says what that means
		}
		var f checks.Finding
		if s.fn != nil {
			f = checks.AtFunction(s.fn)
		} else {
			f = checks.AtItem(s.item)
		}
		f = f.From(s.File.Syntax.Source, s.Span)
		f.Change = s.Kind.String() + " " + s.Text
		f.Message = fmt.Sprintf("Good news: %s is gone; nothing is believed here on its account any more.", shorten(s.Text))
		p.Report(f)
	}
}

func sameTrustRule(p *checks.Pass) {
	for _, both := range sites(p).same {
		r, a := both[0], both[1]
		f := a.finding().From(r.File.Syntax.Source, r.Span)
		f.Change = r.Text + " -> " + a.Text
		f.Message = fmt.Sprintf("The same belief in other words: %s became %s.", shorten(r.Text), shorten(a.Text))
		p.Report(f)
	}
}

func laundered(p *checks.Pass) {
	proved := newProofs(p.Pairs)
	for _, f := range p.Pairs.Functions {
		if f.Head == nil || f.Change == pair.Same || f.Head.Mode == model.Spec || !f.Head.Verified && f.Head.Kind != model.MacroFunction {
			continue
		}
		reached := p.Pairs.Head.Trusted(f.Head)
		if len(reached) == 0 {
			continue
		}
		// What base relied on.
		baseRoots, baseCalls := map[functionKey]bool{}, map[functionKey]bool{}
		if f.Base != nil {
			for _, r := range p.Pairs.Base.Trusted(f.Base) {
				if len(r.Via) > 0 {
					baseRoots[keyOf(r.Via[len(r.Via)-1])] = true
					baseCalls[keyOf(r.Via[0])] = true
				}
			}
			for _, c := range f.Base.Calls {
				for _, callee := range c.Callees {
					baseCalls[keyOf(callee)] = true
				}
			}
		}
		// One call, or one broadcast use, can lead to many: they are one finding.
		told := map[string]bool{}
		byCall := map[source.Span][]model.Reliance{}
		var calls []source.Span
		for _, r := range reached {
			if len(r.Via) == 0 {
				continue
			}
			root := r.Via[len(r.Via)-1]
			if f.Base != nil && !told[root.Symbol] {
				if call, given := otherGiven(p.Pairs, f, r.Via[0]); call.Node.Valid() {
					told[root.Symbol] = true
					out := launderedAt(f, call.Span, []model.Reliance{r})
					out.Change += "\x00" + given
					out.Message = fmt.Sprintf("The proof now rests on %s of `%s`, which is believed without proof: what it promises is what it is given.", r.Via[0].Symbol, shorten(given))
					p.Report(out)
					continue
				}
			}
			if baseRoots[keyInBase(p.Pairs, root)] {
				continue
			}
			if baseCalls[keyInBase(p.Pairs, r.Via[0])] {
				continue // the call is old: what changed is the callee's own finding
			}
			if told[root.Symbol] || slices.ContainsFunc(r.Via, func(g *model.Function) bool {
				b := proved.was(g)
				return b != nil && baseRoots[keyOf(b)]
			}) {
				continue // what is proved now and was believed has a finding of its own
			}
			told[root.Symbol] = true
			var at source.Span
			for _, c := range f.Head.Calls {
				if slices.Contains(c.Callees, r.Via[0]) {
					at = c.Span
					break
				}
			}
			if byCall[at] == nil {
				calls = append(calls, at)
			}
			byCall[at] = append(byCall[at], r)
		}
		for _, at := range calls {
			out := launderedAt(f, at, byCall[at])
			if proved.was(f.Head) != nil && !slices.ContainsFunc(byCall[at], func(r model.Reliance) bool {
				return anything(r.Via[len(r.Via)-1]) || keyInBase(p.Pairs, r.Via[len(r.Via)-1]) == functionKey{}
			}) {
				out.Message += " Before, the function itself was: less is believed now."
				out.Severity = policy.Notice
			}
			p.Report(out)
		}
	}
}

// proofs finds what is proved now and was believed.
type proofs struct {
	pairs *pair.Pairs
	// believed are the pairs whose base was believed as a whole.
	believed []*pair.Function
	of       map[*model.Function]*model.Function
}

func newProofs(pairs *pair.Pairs) *proofs {
	out := &proofs{pairs: pairs, of: map[*model.Function]*model.Function{}}
	for _, q := range pairs.Functions {
		if q.Base != nil && q.Base.Verified && slices.ContainsFunc(q.Base.Sites, whole) {
			out.believed = append(out.believed, q)
		}
	}
	return out
}

// whole tells a site by which all is believed that a function promises.
func whole(s model.Site) bool { return s.Kind == model.ExternalBody || s.Kind == model.AxiomSite }

// was is the function of base that a proof of head stands for now: base believed it as a whole, under this name or another, with the contract that is proved.
// nil: there is none.
func (p *proofs) was(h *model.Function) *model.Function {
	if b, ok := p.of[h]; ok {
		return b
	}
	b := p.find(h)
	p.of[h] = b
	return b
}

func (p *proofs) find(h *model.Function) *model.Function {
	f := p.pairs.OfHead(h)
	if f == nil || slices.ContainsFunc(h.Sites, whole) || f.Base != nil && f.What&(pair.Contract|pair.GhostRefs|pair.Cfg) != 0 {
		return nil
	}
	i := slices.IndexFunc(p.believed, func(q *pair.Function) bool {
		return (q == f || f.Base == nil && q.Head == nil && samePlace(q.Base, h)) && sameWords(q.Base, h)
	})
	// The same words may promise something else now.
	if i < 0 || slices.ContainsFunc(p.pairs.Head.SpecReach(h), func(g *model.Function) bool {
		q := p.pairs.OfHead(g)
		return q != nil && (q.Base == nil || q.What&(pair.Body|pair.Executable|pair.Signature|pair.GhostRefs|pair.Mode) != 0)
	}) {
		return nil
	}
	return p.believed[i].Base
}

// samePlace tells functions of one crate that are in no impl of a trait, and that have one module or one name.
func samePlace(b, h *model.Function) bool {
	return b.Crate.Key == h.Crate.Key && b.Self == h.Self && b.Trait == "" && h.Trait == "" && (b.Module == h.Module || b.Name == h.Name)
}

// sameWords tells that two functions have the same signature and contract, of names that stand for the same.
func sameWords(b, h *model.Function) bool {
	said := func(f *model.Function) string {
		out := []string{strings.Replace(pair.WithoutVisibility(f.Signature), "axiom fn", "proof fn", 1)}
		for _, q := range f.Params {
			out = append(out, q.Pattern)
		}
		for _, t := range f.Terms {
			out = append(out, t.Text)
		}
		for _, c := range f.Contract() {
			out = append(out, c.Kind.String()+" "+c.Text)
		}
		return strings.Join(out, "\n")
	}
	to := map[string]string{}
	for _, r := range slices.Concat(b.GhostRefs, b.ExecRefs) {
		to[r.Written] = r.To
	}
	return said(b) == said(h) && !slices.ContainsFunc(slices.Concat(h.GhostRefs, h.ExecRefs), func(r model.Ref) bool {
		was, ok := to[r.Written]
		return ok && was != r.To
	})
}

// anything tells a lemma from which everything can be had: it promises what it is given, or what is never true.
func anything(f *model.Function) bool {
	return len(echoes(f)) > 0 || slices.ContainsFunc(f.Contract(), func(c model.Clause) bool {
		return c.Kind == syntax.Ensures && slices.ContainsFunc(syntax.Conjuncts(c.Node), func(part syntax.Node) bool { return syntax.Canon(part) == "false" })
	})
}

// otherGiven finds a call of a lemma whose promise is about what it is given alone, and that is given something that base's calls of it are not. Which instances of a law are
// used is no news: the law is believed for all. But `ensures b` is no law.
func otherGiven(pairs *pair.Pairs, f *pair.Function, lemma *model.Function) (model.Call, string) {
	places := echoes(lemma)
	if len(places) == 0 {
		return model.Call{}, ""
	}
	given := func(f *model.Function, c model.Call) (text, key string) {
		i := 0
		if c.Method {
			i = 1
		}
		var texts, keys []string
		for e := range c.Node.Get(syntax.FArgs).All(syntax.FExpr) {
			if slices.Contains(places, i) {
				texts = append(texts, syntax.Canon(e))
				keys = append(keys, positional(f, e)+" where "+strings.Join(stands(f, e), ", "))
			}
			i++
		}
		return strings.Join(texts, ", "), strings.Join(keys, "; ")
	}
	known := map[string]bool{}
	old := false
	for _, c := range f.Base.Calls {
		if slices.ContainsFunc(c.Callees, func(g *model.Function) bool { return keyOf(g) == keyInBase(pairs, lemma) }) {
			old = true
			_, key := given(f.Base, c)
			known[key] = true
		}
	}
	if !old {
		return model.Call{}, "" // a new one is told as such
	}
	for _, c := range f.Head.Calls {
		if !slices.Contains(c.Callees, lemma) {
			continue
		}
		if text, key := given(f.Head, c); !known[key] {
			return c, text
		}
	}
	return model.Call{}, ""
}

// echoes are the places of the parameters that are promised as they are: truth values of which alone a promise is made, and of which nothing is demanded.
func echoes(f *model.Function) []int {
	places := map[string]int{}
	for i, q := range f.Params {
		if q.Type == "bool" {
			places[q.Name] = i
		}
	}
	if len(places) == 0 {
		return nil
	}
	var out []int
	for _, c := range f.Contract() {
		names := freeNames(c.Node)
		if c.Kind == syntax.Requires {
			for _, n := range names {
				delete(places, n)
			}
		}
	}
	for _, c := range f.Contract() {
		if c.Kind != syntax.Ensures {
			continue
		}
		for _, part := range syntax.Conjuncts(c.Node) {
			names := freeNames(part)
			if len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { _, ok := places[n]; return !ok }) {
				continue
			}
			for _, n := range names {
				out = append(out, places[n])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// launderedAt is the finding about one call, which leads to all of some sites.
func launderedAt(f *pair.Function, at source.Span, to []model.Reliance) checks.Finding {
	out := checks.AtFunction(f)
	if at.End > at.Start {
		out = out.At(f.Head.File.Syntax.Source, at)
	}
	const most = 3
	var names, details, changes []string
	for i, r := range to {
		root := r.Via[len(r.Via)-1]
		changes = append(changes, root.Symbol+" "+r.Site.Kind.String())
		if i >= most {
			continue
		}
		names = append(names, root.Symbol)
		var chain []string
		for _, v := range r.Via {
			chain = append(chain, v.Symbol)
		}
		details = append(details, "Through "+strings.Join(chain, " -> ")+fmt.Sprintf(", at %s:%s.", r.Site.File.Path, r.Site.File.Syntax.Source.Position(r.Site.Span.Start)))
	}
	slices.Sort(changes)
	out.Change = strings.Join(changes, "\n")
	switch n := len(to) - most; {
	case len(to) == 1:
		out.Message = fmt.Sprintf("The proof now rests on %s, which is believed without proof (%s).", names[0], shorten(to[0].Site.Text))
	case n > 0:
		out.Message = fmt.Sprintf("The proof now rests on %s and %d more, which are believed without proof.", strings.Join(names, ", "), n)
	default:
		out.Message = fmt.Sprintf("The proof now rests on %s, which are believed without proof.", strings.Join(names, ", "))
	}
	out.Detail = strings.Join(details, "\n")
	return out
}

// functionKey tells functions of one tree apart.
type functionKey struct{ crate, symbol string }

func keyOf(f *model.Function) functionKey { return functionKey{f.Crate.Key, f.Symbol} }

// keyInBase is the key of what a head function was in base; zero if it is new. A function of a file that the change does not touch is
// in no pair, and what it was.
func keyInBase(pairs *pair.Pairs, head *model.Function) functionKey {
	switch p := pairs.OfHead(head); {
	case p == nil:
		return keyOf(head)
	case p.Base != nil:
		return keyOf(p.Base)
	}
	return functionKey{}
}

func leftVerification(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		change, message := leftBy(f)
		if message == "" {
			continue
		}
		out := checks.AtFunction(f)
		out.Change, out.Message = change, message
		if f.Head != nil {
			out.Change += "\x00" + f.Head.Exec // which is what is accepted
		}
		p.Report(out)
	}
}

// leftBy tells by what a function left verification, and what to say of it; empty: another rule says so.
func leftBy(f *pair.Function) (change, message string) {
	b, h := f.Base, f.Head
	if b == nil || !b.Verified || b.Mode == model.Spec || b.Kind == model.AssumeSpecFunction {
		return "", ""
	}
	switch {
	case h != nil && !h.Verified:
		if slices.ContainsFunc(f.SitesAdded, func(s model.Site) bool { return s.Kind == model.External }) {
			return "external", "" // trust/external says so
		}
		if len(b.Contract()) > 0 && len(h.Contract()) == 0 {
			return "unverified", "This function was verified in base; now the verifier does not look at it, and its contract is gone."
		}
		return "unverified", "This function was verified in base; now the verifier does not look at it."
	case h != nil && h.File.Orphan && !b.File.Orphan:
		return "orphan", "This function was verified in base; now its file belongs to no crate: no mod leads there from a crate's root."
	case h != nil && b.Crate.OptedIn && !h.Crate.OptedIn && b.Crate.Manifest != h.Crate.Manifest:
		return "package", fmt.Sprintf("This function was verified in base; now it is in the package of %s, which does not have verify = true in [package.metadata.verus], so that cargo verus does not look at it.", h.Crate.Manifest)
	case h != nil && h.Kind == model.MacroFunction && b.Kind != model.MacroFunction:
		return "macro", "This function now stands in the input of a macro that is not Verus's own. Macros are not expanded here, so it cannot be told whether the verifier still looks at it."
	case h == nil && b.Mode == model.Exec && b.HasBody && len(b.Contract()) > 0 && b.Public:
		return "removed", "This verified function is gone, and its contract with it."
	}
	return "", ""
}

func trustedBodyEdited(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || !f.What.Has(pair.Executable) || !f.Base.HasBody || !f.Head.HasBody {
			continue
		}
		if !believed(p.Pairs.Base, f.Base) || !believed(p.Pairs.Head, f.Head) {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = f.Head.Exec
		out.Message = "The body changed, and nobody verifies it: callers still rely on the contract that was believed for the old body."
		p.Report(out)
	}
}

// believed tells whether callers are verified against a contract that the function's body is not checked against.
func believed(m *model.Model, f *model.Function) bool {
	if f.Kind == model.AssumeSpecFunction {
		return false
	}
	body := f.Node.Get(syntax.FBody).Span()
	for _, s := range f.Sites {
		// In its body it is what a macro of another language quotes, such as the output of a procedural macro.
		quoted := s.File == f.File && body.Start <= s.Span.Start && s.Span.End <= body.End && body.End > body.Start
		if s.Kind == model.ExternalBody && !quoted {
			return true
		}
	}
	if f.Verified {
		return false
	}
	for _, g := range m.Functions {
		if g.Kind != model.AssumeSpecFunction || !g.OwnTarget {
			continue
		}
		target := strings.TrimPrefix(g.Target, "crate::")
		if target == f.Path || target == f.Crate.Name+"::"+f.Path || strings.HasSuffix(f.Path, "::"+target) {
			return true
		}
	}
	return false
}

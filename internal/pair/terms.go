package pair

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// renamedGenerics are base's names of generic parameters that have another one in head. Where a name may have stood for something else, nothing is taken for
// renamed; nodes are where base's may be used.
func renamedGenerics(base, head []string, nodes ...syntax.Node) map[string]string {
	if len(base) != len(head) || slices.Equal(base, head) {
		return nil
	}
	out := map[string]string{}
	used := map[string]bool{}
	for _, n := range nodes {
		for t := range n.Tokens() {
			used[t.Text()] = true
		}
	}
	for i, b := range base {
		if b == head[i] {
			continue
		}
		if slices.Contains(head, b) || used[head[i]] || strings.HasPrefix(b, "'") != strings.HasPrefix(head[i], "'") {
			return nil
		}
		out[b] = head[i]
	}
	return out
}

// generic are the nodes where a function's generic parameters are used.
func generic(f *model.Function) []syntax.Node {
	if f.Around == nil {
		return []syntax.Node{f.Node}
	}
	out := []syntax.Node{f.Node}
	for c := range f.Around.Node.Children() {
		if c.Field() != syntax.FItem {
			out = append(out, c)
		}
	}
	return out
}

// aroundRefs are what the names in the header of the impl or trait around a function mean.
func aroundRefs(f *model.Function) []model.Ref {
	if f.Around == nil {
		return nil
	}
	return slices.Concat(f.Around.ExecRefs, f.Around.GhostRefs)
}

// terms compares what two signatures ask and give beside types and clauses.
func (p *Pairs) terms(b, h *model.Function, nb, nh *names) (added, removed []model.Term) {
	if len(b.Terms)+len(h.Terms) == 0 {
		return nil, nil
	}
	ab, ah := p.around(nb, b, true), p.around(nh, h, false)
	write := func(own, around *names) func(t model.Term) string {
		return func(t model.Term) string {
			if t.Effect == model.Gives {
				return t.Text // "result" is no name in it
			}
			if t.Around {
				return around.write(t.Text)
			}
			return own.write(t.Text)
		}
	}
	return termDiff(b.Terms, h.Terms, write(nb, ab), write(nh, ah))
}

// around are the names in the header of the impl or trait around a function, where they may mean something else than in the function.
func (p *Pairs) around(n *names, f *model.Function, base bool) *names {
	out := p.names(n.vars, "", base, aroundRefs(f))
	out.types = n.types
	return out
}

// sameArguments tells whether the impls around two functions are for the same of a generic type. That they are for another type is no matter of the signature: the
// function has moved.
func (p *Pairs) sameArguments(b, h *model.Function, nb, nh *names) bool {
	if b.Self == h.Self || b.Self == "" || h.Self == "" {
		return true
	}
	bn, ba, _ := strings.Cut(b.Self, "<")
	hn, ha, _ := strings.Cut(h.Self, "<")
	if p.toHead(b.Crate.Key+"::"+bn) != h.Crate.Key+"::"+hn {
		return true
	}
	return p.around(nb, b, true).write(ba) == p.around(nh, h, false).write(ha)
}

func termDiff(base, head []model.Term, wb, wh func(model.Term) string) (added, removed []model.Term) {
	// A bound means the same at the function and at the impl around it.
	keys := func(terms []model.Term, write func(model.Term) string) map[string]bool {
		out := map[string]bool{}
		for _, t := range terms {
			out[write(t)] = true
		}
		return out
	}
	bs, hs := keys(base, wb), keys(head, wh)
	for _, t := range head {
		if !bs[wh(t)] {
			added = append(added, t)
		}
	}
	for _, t := range base {
		if !hs[wb(t)] {
			removed = append(removed, t)
		}
	}
	return added, removed
}

// sameSignature compares signatures, where the bounds are in no order: they have been compared as terms.
func sameSignature(b, h *model.Function, pr *Function, same func(x, y string) bool) bool {
	own := func(t model.Term) bool { return !t.Around && strings.Contains(t.Text, ": ") }
	if slices.ContainsFunc(pr.TermsAdded, own) || slices.ContainsFunc(pr.TermsRemoved, own) {
		return false
	}
	before := func(s string) string {
		s, _, _ = strings.Cut(s, " where ")
		return s
	}
	return same(before(b.Signature), before(h.Signature))
}

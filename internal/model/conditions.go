package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// An import may stand under a cfg: its name then means one thing where that holds, and another, by another import or by none, where it does not.
// A target has all of them.

// maxOthers bounds in how many ways one name may be meant.
const maxOthers = 40

// each are the ways in which a path may be meant.
func (t target) each() []target {
	if !t.ok() {
		return nil
	}
	first := t
	first.others = nil
	return append([]target{first}, t.others...)
}

// or adds what a path means where that of t does not hold. What holds for the verifier is first.
func (t target) or(u target) target {
	if !t.ok() || !u.ok() {
		if u.ok() {
			return u
		}
		return t
	}
	all := t.each()
	for _, o := range u.each() {
		if !slices.ContainsFunc(all, o.same) {
			all = append(all, o)
		}
	}
	lost := t.lost || u.lost || len(all) > maxOthers
	// What only tests mean is neither verified nor built, if there is anything else.
	if rest := slices.DeleteFunc(slices.Clone(all), func(a target) bool { return slices.Contains(a.cfg, "test") }); len(rest) > 0 {
		all = rest
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(a.rank(), b.rank()) })
	first := all[0]
	first.others, first.lost = slices.Clip(all[1:min(len(all), maxOthers)]), lost
	return first
}

// same tells another way to the same meaning.
func (t target) same(u target) bool {
	return t.symbol == u.symbol && t.item == u.item && t.mod == u.mod && slices.Equal(t.fns, u.fns) && slices.Equal(t.cfg, u.cfg)
}

// rank puts what the verifier sees before what only the build has.
func (t target) rank() int {
	if slices.ContainsFunc(t.cfg, func(c string) bool { return strings.HasPrefix(c, "not(") && condMentions(c) }) {
		return 1
	}
	return 0
}

// under puts a target under conditions. What can never hold is left out.
func (t target) under(cfg []string) target {
	if len(cfg) == 0 {
		return t
	}
	var out target
	for _, o := range t.each() {
		o.cfg = slices.Concat(cfg, o.cfg)
		slices.Sort(o.cfg)
		o.cfg = slices.Compact(o.cfg)
		if !slices.ContainsFunc(o.cfg, func(c string) bool { return slices.Contains(o.cfg, opposite(c)) }) {
			out = out.or(o)
		}
	}
	return out
}

// always tells that a path means something whatever holds: one way has no condition, or two have opposite ones.
func (t target) always() bool {
	all := t.each()
	return slices.ContainsFunc(all, func(a target) bool {
		return len(a.cfg) == 0 || len(a.cfg) == 1 && slices.ContainsFunc(all, func(b target) bool { return len(b.cfg) == 1 && b.cfg[0] == opposite(a.cfg[0]) })
	})
}

// opposite is the condition that holds where another does not.
func opposite(cfg string) string {
	if in, ok := strings.CutPrefix(cfg, "not("); ok {
		return strings.TrimSuffix(in, ")")
	}
	return "not(" + cfg + ")"
}

// importCfg are the conditions of an import. That it is not for tests is none: what is verified is none, and neither is what is built.
func importCfg(ms []meta) []string {
	var out []string
	for _, m := range ms {
		if !m.is("cfg") {
			continue
		}
		c := joinTokens(m.args)
		for _, outer := range m.cond { // cfg_attr(a, cfg(b)) holds where a does not
			c = "any(" + opposite(outer) + ", " + c + ")"
		}
		if c != "not(test)" {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// underCfg writes conditions as attributes do.
func underCfg(cfg []string) string {
	if len(cfg) > 1 {
		return "cfg(all(" + strings.Join(cfg, ", ") + "))"
	}
	return "cfg(" + strings.Join(cfg, "") + ")"
}

// divergence notes an import under a condition of the verifier, if executable code that uses one of its names is verified with one
// meaning and built with another. Where nothing else gives the name, the code that uses it is not built without the verifier.
func (x *index) divergence(d *def, text string, n syntax.Node, c around) {
	ghost := func(cfg []string) bool { return slices.ContainsFunc(cfg, condMentions) }
	if c.holder == nil || !ghost(d.cfg) {
		return
	}
	x.later = append(x.later, func() {
		names := map[string]bool{d.name: true}
		if d.name == "" {
			names = map[string]bool{}
			x.globNames(d, names, map[*module]bool{})
		}
		for name := range names {
			for _, space := range []space{typeSpace, valueSpace, macroSpace} {
				all := slices.DeleteFunc(x.resolve(c.mod, []string{name}, false, nil, space).each(), target.ghost)
				if len(all) > 1 && slices.ContainsFunc(all, func(t target) bool { return t.symbol != all[0].symbol }) {
					c.holder.Sites = append(c.holder.Sites, Site{Kind: CfgDivergence, File: c.file, Span: n.Span(), Text: underCfg(d.cfg) + " " + text})
					return
				}
			}
		}
	})
}

// ghost tells what executable code cannot use.
func (t target) ghost() bool {
	if len(t.fns) > 0 {
		return !slices.ContainsFunc(t.fns, func(f *Function) bool { return f.Mode == Exec })
	}
	return t.item != nil && t.item.Ghost
}

// diverges notes a name in verified code that other conditions than the verifier's give another meaning: the verifier is run under some of
// them, and sees one.
func (a *analyser) diverges(written string, t target) {
	if !a.verified || a.f == nil {
		return
	}
	var under []string
	other := false
	for _, o := range t.each() {
		if slices.ContainsFunc(o.cfg, condMentions) {
			return // told where it is imported
		}
		other = other || o.symbol != t.symbol
		if len(o.cfg) > 0 {
			under = append(under, underCfg(o.cfg))
		}
	}
	text := strings.Join(under, ", ") + " use " + written
	if !other || slices.ContainsFunc(a.sites, func(s Site) bool { return s.Kind == CfgDivergence && s.Text == text }) {
		return
	}
	a.site(Site{Kind: CfgDivergence, Span: a.f.NameSpan, Text: text})
}

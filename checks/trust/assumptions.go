package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// changedAssumptions reports assumptions that read as in base and assume something else: a spec function that they name, or one that it rests on, is defined
// differently now. They may stand in files that the change does not touch.
func changedAssumptions(p *checks.Pass) {
	told := map[*model.Function]map[int]bool{}
	keptAssumptions(p, told)
	for _, d := range p.Pairs.Functions {
		if d.Base == nil || d.Head == nil || d.Base.Mode != model.Spec {
			continue
		}
		if !(changedDefinition(d) && d.What&(pair.Body|pair.GhostRefs) != 0) && len(meansOther(p, d, d.Base.Node.Get(syntax.FBody), d.Head.Node.Get(syntax.FBody))) == 0 {
			continue
		}
		seen := map[*model.Function]bool{d.Head: true}
		for work := []*model.Function{d.Head}; len(work) > 0; work = work[1:] {
			for _, h := range p.Pairs.Head.Callers(work[0]) {
				if h.Mode == model.Spec {
					if !seen[h] && names(h, work[0], h.Span.Start, h.Span.End) {
						seen[h] = true
						work = append(work, h)
					}
					continue
				}
				for _, s := range h.Sites {
					if s.Kind != model.Assume || s.Scope != "" || s.File != h.File || told[h][s.Span.Start] || !names(h, work[0], s.Span.Start, s.Span.End) {
						continue
					}
					u := p.Pairs.OfHead(h)
					if u == nil {
						u = &pair.Function{Head: h} // of a file that the change does not touch
					}
					if isNew(u, s) {
						continue // reported as such
					}
					if told[h] == nil {
						told[h] = map[int]bool{}
					}
					told[h][s.Span.Start] = true
					site := site{Site: s, fn: u}
					f := site.finding()
					f.Change += "\x00" + site.meaning(p) + "\x00" + d.Head.Symbol + " " + d.Head.Body
					f.Message = fmt.Sprintf("The assumption %s reads as before and assumes something else: %s, on which it rests, is defined differently now.", shorten(s.Text), d.Head.Symbol)
					p.Report(f)
				}
			}
		}
	}
}

// assumption is a fact that a function's body assumes. As is its text with the parameters by their places.
type assumption struct {
	model.Site
	fact syntax.Node
	as   string
}

func assumptions(f *model.Function) []assumption {
	var out []assumption
	for _, s := range f.Sites {
		if s.Kind != model.Assume || s.Scope != "" || s.Macro != "" || s.File != f.File {
			continue
		}
		f.Node.Walk(func(n syntax.Node) bool {
			if n.Span() == s.Span && (n.Kind() == syntax.Assume || n.Kind() == syntax.Call) {
				out = append(out, assumption{s, n, positional(f, n)})
				return false
			}
			return true
		})
	}
	return out
}

// keptAssumptions reports those that read as in base and in which a local name, a constant, a macro or a type stands for something else.
func keptAssumptions(p *checks.Pass, told map[*model.Function]map[int]bool) {
	for _, u := range p.Pairs.Functions {
		if u.Base == nil || u.Head == nil || u.Head.Mode == model.Spec {
			continue
		}
		now := assumptions(u.Head)
		if len(now) == 0 {
			continue
		}
		was := map[string][]assumption{}
		for _, a := range assumptions(u.Base) {
			was[a.as] = append(was[a.as], a)
		}
		for _, a := range now {
			if len(was[a.as]) == 0 || isNew(u, a.Site) {
				continue
			}
			values := stands(u.Head, a.fact)
			same := slices.ContainsFunc(was[a.as], func(b assumption) bool { return slices.Equal(stands(u.Base, b.fact), values) })
			why := meansOther(p, u, was[a.as][0].fact, a.fact)
			if same && len(why) == 0 {
				continue
			}
			if told[u.Head] == nil {
				told[u.Head] = map[int]bool{}
			}
			told[u.Head][a.Span.Start] = true
			f := site{Site: a.Site, fn: u}.finding()
			f.Change += "\x00" + strings.Join(values, "\x00")
			what := "a name in it stands for another value now"
			if len(why) > 0 {
				what = strings.Join(why, ", ") + " in it is something else now"
				f.Change += "\x00" + strings.Join(why, "\x00")
			}
			if !same {
				f.Detail = "In base: " + strings.Join(stands(u.Base, was[a.as][0].fact), ", ") + "\nIn head: " + strings.Join(values, ", ") + "\n($0 is the first parameter.)"
			}
			f.Message = fmt.Sprintf("The assumption %s reads as before and assumes something else: %s.", shorten(a.Text), what)
			p.Report(f)
		}
	}
}

// meansOther are the constants, macros and types in an expression of both sides that have another definition than before.
func meansOther(p *checks.Pass, u *pair.Function, base, head syntax.Node) []string {
	if !base.Valid() || !head.Valid() {
		return nil
	}
	paths := map[string]bool{}
	head.Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Path {
			paths[n.Text()] = true
		}
		return true
	})
	var out []string
	for _, r := range u.Head.GhostRefs {
		if r.Target == nil || !paths[r.Written] || slices.Contains(out, r.Written) {
			continue
		}
		if it := p.Pairs.OfHeadItem(r.Target); it != nil && it.Base != nil && it.What&(pair.Body|pair.Executable|pair.GhostRefs) != 0 {
			out = append(out, r.Written)
		}
	}
	for _, m := range p.Pairs.Meanings(u, []syntax.Node{base, head}, true, false) {
		if !slices.Contains(out, m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

// names tells whether a function calls another one between two places. A method call that may mean others too does not count.
func names(f, other *model.Function, from, to int) bool {
	for _, c := range f.Calls {
		if c.Span.Start < from || c.Span.End > to || c.Method && len(c.Callees) != 1 {
			continue
		}
		for _, callee := range c.Callees {
			if callee == other {
				return true
			}
		}
	}
	return false
}

// isNew tells a site that base's function does not have.
func isNew(u *pair.Function, s model.Site) bool {
	for _, a := range u.SitesAdded {
		if a.Span == s.Span && a.Kind == s.Kind {
			return true
		}
	}
	return false
}

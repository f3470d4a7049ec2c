package trust

import (
	"fmt"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
)

// changedAssumptions reports assumptions that read as in base and assume something else: a spec function that they name, or one that it rests on, is defined
// differently now. They may stand in files that the change does not touch.
func changedAssumptions(p *checks.Pass) {
	told := map[*model.Function]map[int]bool{}
	for _, d := range p.Pairs.Functions {
		if d.Base == nil || d.Base.Mode != model.Spec || !changedDefinition(d) || d.What&(pair.Body|pair.GhostRefs) == 0 {
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

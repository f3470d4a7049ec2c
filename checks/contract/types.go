package contract

import (
	"cmp"
	"slices"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// wordsOf are the clauses of a function, or the definition of a spec function.
func wordsOf(f *model.Function) []syntax.Node {
	var out []syntax.Node
	for _, cl := range f.Contract() {
		out = append(out, cl.Node)
	}
	if isSpec(f) {
		out = append(out, f.Node.Get(syntax.FBody), f.Node.Get(syntax.FValue))
	}
	return slices.DeleteFunc(out, func(n syntax.Node) bool { return !n.Valid() })
}

// restsOnOther is a contract with the names that mean something else in it, or in a definition that it rests on.
type restsOnOther struct {
	user     *pair.Function
	meanings []pair.Meaning
}

// restingOnOther are those, in the order of the files.
func (c *comparer) restingOnOther() []*restsOnOther {
	if !c.haveOthers {
		c.others, c.haveOthers = c.findOthers(), true
	}
	return c.others
}

func (c *comparer) findOthers() []*restsOnOther {
	var out []*restsOnOther
	by := map[*model.Function]*restsOnOther{}
	add := func(u *pair.Function, meanings []pair.Meaning) {
		r := by[u.Head]
		if r == nil {
			r = &restsOnOther{user: u}
			by[u.Head] = r
			out = append(out, r)
		}
		for _, m := range meanings {
			if !slices.Contains(r.meanings, m) {
				r.meanings = append(r.meanings, m)
			}
		}
	}
	for _, p := range c.pairs.Functions {
		if p.Base == nil || p.Head == nil {
			continue
		}
		// What an own clause has in another's place is told by inPlace.
		meanings := c.pairs.Meanings(p, slices.Concat(wordsOf(p.Base), wordsOf(p.Head)), believed(p.Head), isSpec(p.Head))
		switch {
		case len(meanings) == 0:
		case isSpec(p.Head):
			for _, u := range c.users(p) {
				// A method may be another type's of the same name.
				if p.Head.Self == "" || speaksOf(u.Head, p.Head.Self) {
					add(u, meanings)
				}
			}
		case p.Head.Verified:
			add(p, meanings)
		}
	}
	slices.SortStableFunc(out, func(a, b *restsOnOther) int {
		return cmp.Or(cmp.Compare(a.user.Head.File.Path, b.user.Head.File.Path), cmp.Compare(a.user.Head.Span.Start, b.user.Head.Span.Start))
	})
	return out
}

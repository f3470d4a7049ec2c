package contract

import (
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/syntax"
)

// searchSteps bounds one search for witnesses, searches the number of them in one change.
const (
	searchSteps = 100_000
	searches    = 60
)

// search looks for inputs and results on which the two contracts differ, by calculating with values of all kinds. nil: there are
// too many searches already, or the types are beyond it.
func (c *comparer) search(p *pair.Function) *eval.Comparison {
	if c.searched >= searches || c.stop() || p.Head.Mode != model.Exec {
		return nil
	}
	c.searched++
	b, h := c.base.evaluated(p.Base), c.head.evaluated(p.Head)
	if b == nil || h == nil {
		return nil
	}
	found, err := eval.Compare(b, h, searchSteps)
	if err != nil {
		return nil // the error says that values of these types cannot be made: nothing is found
	}
	return found
}

// evaluated is a function as the evaluator knows it; nil if it does not.
func (s *side) evaluated(f *model.Function) *eval.Func {
	// The files that hold what the contract reaches are read by asking for it; before that, the world may lack them.
	files := map[*model.File]bool{}
	var sources []eval.Source
	add := func(f *model.File) {
		if f != nil && !files[f] {
			files[f] = true
			sources = append(sources, eval.Source{Crate: f.Crate.Key, Module: f.Module, File: f.Syntax})
		}
	}
	for _, f := range s.m.Files {
		add(f)
	}
	add(f.File)
	for _, g := range s.m.SpecReach(f) {
		add(g.File)
	}
	if s.world == nil || len(sources) != s.sources {
		s.world, s.sources = eval.NewWorld(sources), len(sources)
	}
	if f.Node.Kind() != syntax.Fn {
		return nil
	}
	return s.world.Func(f.Node)
}

package engine

import (
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
)

// functions lists what the change does to each function that it touches, and those that findings are about.
func (r *runner) functions() {
	named := map[string]bool{}
	for _, f := range r.report.Findings {
		named[f.Symbol] = true
	}
	changed := map[string]bool{}
	for _, c := range r.changes {
		changed[c.Base.Path], changed[c.Head.Path] = true, true
	}
	for _, p := range r.pairs.Functions {
		f := p.Head
		if f == nil {
			f = p.Base
		}
		touched := p.Base != nil && changed[p.Base.File.Path] || p.Head != nil && changed[p.Head.File.Path]
		if touched && p.Change != pair.Same || named[f.Symbol] {
			r.report.Functions = append(r.report.Functions, r.function(p, f))
		}
	}
	r.count()
}

func (r *runner) function(p *pair.Function, f *model.Function) checks.Function {
	return checks.Function{
		Symbol:     f.Symbol,
		File:       f.File.Path,
		Span:       f.File.Syntax.Source.Range(f.Span),
		Change:     changeWord(p.Change),
		Executable: executable(p),
		Contract:   r.contract(p),
		Trust:      checks.TrustDelta{Added: sites(p.SitesAdded), Removed: sites(p.SitesRemoved)},
		Proof:      r.proof(p),
		Strength:   r.strength(p),
	}
}

// changeWord is the word of the report: a renamed function has moved to another symbol.
func changeWord(c pair.Change) string {
	if c == pair.Renamed {
		return pair.Moved.String()
	}
	return c.String()
}

func executable(p *pair.Function) string {
	runs := func(f *model.Function) bool { return f != nil && f.Mode == model.Exec && f.HasBody }
	switch base, head := runs(p.Base), runs(p.Head); {
	case base && head && p.What.Has(pair.Executable):
		return "changed"
	case base && !head:
		return "removed"
	case head && !base:
		return "added"
	}
	return "same"
}

func (r *runner) contract(p *pair.Function) checks.FunctionContract {
	direction, by := contract.Direction(r.input, p)
	out := checks.FunctionContract{Direction: direction, By: by, Undecided: contract.Undecided(r.input, p), Unique: contract.Unique(r.input, p.Head)}
	for _, list := range []struct {
		change    string
		conjuncts []pair.Conjunct
	}{{"same", p.Contract.Same}, {"removed", p.Contract.Removed}, {"added", p.Contract.Added}} {
		for _, c := range list.conjuncts {
			out.Clauses = append(out.Clauses, checks.Clause{Kind: c.Kind.String(), Text: c.Text, Change: list.change})
		}
	}
	return out
}

func sites(in []model.Site) []checks.TrustSite {
	var out []checks.TrustSite
	for _, s := range in {
		out = append(out, checks.TrustSite{Kind: s.Kind.String(), Text: s.Text, File: s.File.Path, Span: s.File.Syntax.Source.Range(s.Span)})
	}
	return out
}

// count fills the counts: each function of the head that the change touches is in one of them.
func (r *runner) count() {
	r.report.Counts = checks.Counts{}
	for _, f := range r.report.Functions {
		if f.Change != pair.Removed.String() {
			tally(&r.report.Counts, f.Proof.Head)
		}
	}
}

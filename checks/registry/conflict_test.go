package registry_test

import (
	"path/filepath"
	"testing"

	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
)

// TestProverAgainstEvaluator asks the evaluator for cases that would show an answer of the prover to be wrong: a case is certain,
// and so must a proof be.
func TestProverAgainstEvaluator(t *testing.T) {
	wants, err := filepath.Glob("../../testdata/*/*/want.txt")
	if err != nil || len(wants) == 0 {
		t.Fatalf("no sample changes: %v", err)
	}
	compared := 0
	for _, want := range wants {
		dir := filepath.Dir(want)
		base, head := readChange(t, dir)
		in := input(t, base, head)
		rules := map[[2]string]bool{}
		for _, f := range findings(t, in) {
			rules[[2]string{f.Rule, f.Symbol}] = true
		}
		bw, hw := world(in.Pairs.Base), world(in.Pairs.Head)
		for _, p := range in.Pairs.Functions {
			if p.Base == nil || p.Head == nil {
				continue
			}
			b, h := bw.Func(p.Base.Node), hw.Func(p.Head.Node)
			if b == nil || h == nil {
				continue
			}
			found, err := eval.Compare(b, h, 0)
			if err != nil {
				continue // types that it cannot make values of
			}
			compared++
			direction, by := contract.Direction(in, p)
			lost, gained := found.Lost, found.Gained
			accepted, refused := found.Accepted, found.Refused
			if (direction == "equal" || direction == "stronger") && (lost != nil || accepted != nil) ||
				(direction == "equal" || direction == "weaker") && (gained != nil || refused != nil) {
				t.Errorf("%s: %s: %s by %s, and the evaluator found lost %v, gained %v, accepted %v, refused %v",
					filepath.Base(dir), p.Head.Symbol, direction, by, lost, gained, accepted, refused)
			}
			if rules[[2]string{"contract/contradictory-requires", p.Head.Symbol}] && found.Possible != nil {
				t.Errorf("%s: %s: called contradictory, and %v meets it", filepath.Base(dir), p.Head.Symbol, found.Possible)
			}
			if rules[[2]string{"contract/trivial-ensures", p.Head.Symbol}] && found.Rejected != nil {
				t.Errorf("%s: %s: called trivial, and rejects %v", filepath.Base(dir), p.Head.Symbol, found.Rejected)
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d pairs were compared: the test shows too little", compared)
	}
}

func world(m *model.Model) *eval.World {
	var sources []eval.Source
	for _, f := range m.Files {
		sources = append(sources, eval.Source{Crate: f.Crate.Name, Module: f.Module, File: f.Syntax})
	}
	return eval.NewWorld(sources)
}

package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/checks/proof"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/verus"
)

// maxAsked is how many functions of a change each kind of question is put about. A run with that many takes minutes.
const maxAsked = 500

// ask puts the questions to the verifier that the contracts of the change leave open, and notes the answers for the rules.
//
// Nothing is asked that can change neither a finding nor the report. What it takes is one run for each module that holds such functions, and one
// for second tries. Base is asked only where what was proved of head is not known to be new.
func (r *runner) ask() error {
	if r.proofs == nil || r.input.Proof == nil || r.input.Proof.Head == nil {
		return nil
	}
	if why := unaskable(r.proofs.head); why != "" {
		r.input.Proof.Asked = checks.NewAsked(nil, nil, why)
		return nil
	}
	start := time.Now()
	plan := r.questions()
	answers, err := r.put(shard.Head, r.proofs.headCopy, r.proofs.side(r.pairs.Head, r.head), plan)
	if err != nil {
		return fmt.Errorf("ask the verifier about contracts: %w", err)
	}
	r.input.Proof.Asked = checks.NewAsked(answers, plan.Skipped, "")
	if err := r.askBase(answers, plan.Skipped); err != nil {
		return fmt.Errorf("ask the verifier about contracts of base: %w", err)
	}
	r.o.Log.Info("asked the verifier about contracts", "questions", len(plan.Obligations), "took", time.Since(start))
	return nil
}

// unaskable says why questions about head would not be answered; empty if they may be.
func unaskable(run *verus.Run) string {
	switch {
	case run.Problem != nil:
		return "the verifier did not run"
	case run.Ended.Stop != 0:
		return "the verifier did not come to the end of head"
	case slices.ContainsFunc(run.Diagnostics, func(d verus.Diagnostic) bool {
		return d.Failing() && d.Outcome() != verus.Failed && d.Outcome() != verus.ResourceLimit
	}):
		return "the verifier does not accept head"
	}
	return ""
}

// questions are those about head.
func (r *runner) questions() *obligation.Plan {
	w := obligation.NewWriter(r.pairs.Head, r.pairs)
	aboutContract, aboutContext := left{}, left{}
	asked := map[*model.Function]bool{}
	if slices.Contains(r.families, checks.Contract) {
		n := 0
		for _, p := range contract.Open(r.input) {
			if r.about(p.Head, p.Base) && !aboutContract.tooMany(&n, p.Head) {
				w.Compare(p)
			}
		}
		n = 0
		for _, a := range contract.Alone(r.input) {
			if !r.about(a.Function) || aboutContract.tooMany(&n, a.Function) {
				continue
			}
			if len(a.Questions) > 0 {
				w.Contract(a.Function, a.Questions...)
			}
			if len(a.Clauses) > 0 {
				w.Redundant(a.Function, a.Clauses)
			}
			asked[a.Function] = slices.Contains(a.Questions, obligation.Contradictory)
		}
	}
	if slices.Contains(r.families, checks.Proof) {
		functions, excluded := proof.Contexts(r.input)
		for _, x := range excluded {
			if r.about(x.Function) {
				aboutContext.add(x.Why, x.Function)
			}
		}
		n := 0
		for _, f := range functions {
			if !r.about(f) || aboutContext.tooMany(&n, f) {
				continue
			}
			w.Context(f)
			if !asked[f] {
				w.Contract(f, obligation.Contradictory)
			}
		}
	}
	plan := w.Plan()
	for _, s := range plan.Skipped {
		switch {
		case s.Reason == obligation.NoContract || s.Reason == obligation.NoResult:
			// There is no such question.
		case s.Question == obligation.InconsistentContext:
			aboutContext.add(s.Detail, s.Function)
		case s.Pair == nil:
			aboutContract.add(s.Detail, s.Function)
		}
	}
	r.notAsked("some questions about the contract were not asked", aboutContract)
	r.notAsked("whether the proof rests on a contradiction was not asked", aboutContext)
	return plan
}

// left are the symbols of functions about which something is not asked, by the reason.
type left map[string][]string

func (l left) add(why string, f *model.Function) {
	if !slices.Contains(l[why], f.Symbol) {
		l[why] = append(l[why], f.Symbol)
	}
}

// tooMany counts a function, and leaves it out if there were enough before.
func (l left) tooMany(n *int, f *model.Function) bool {
	if *n++; *n > maxAsked {
		l.add("the change has more functions than are asked about", f)
	}
	return *n > maxAsked
}

// about tells whether a finding about one of some functions would be reported: see runner.asked.
func (r *runner) about(functions ...*model.Function) bool {
	matches := func(symbol string) bool { return policy.MatchSymbol(r.o.Function, symbol) }
	return slices.ContainsFunc(functions, func(f *model.Function) bool {
		return f != nil && r.policy.InScope(f.File.Path) &&
			(r.o.Function == "" || matches(f.Symbol) || slices.ContainsFunc(contract.Definitions(r.input, f), matches))
	})
}

// notAsked notes in the report about which functions something was not asked. Directions that it leaves undecided are told at the finding.
func (r *runner) notAsked(what string, l left) {
	for _, why := range slices.Sorted(maps.Keys(l)) {
		r.reason(false, string(checks.Proof), "%s: %s: %s", some(l[why]), what, why)
	}
}

// some names the first of some symbols.
func some(symbols []string) string {
	text := strings.Join(symbols[:min(len(symbols), 3)], ", ")
	if n := len(symbols) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// put has a plan answered.
func (r *runner) put(about shard.About, c *prove.Copy, s prove.Side, plan *obligation.Plan) ([]obligation.Answer, error) {
	if len(plan.Shadows) == 0 {
		return plan.Answers(nil), nil
	}
	var answers *prove.Answers
	var err error
	switch {
	case r.parts != nil:
		answers, err = prove.Known(r.ctx, plan, r.parts.via(about))
	case r.share != nil:
		answers, err = r.share.ask(r, about, c, s, plan)
	default:
		answers, err = c.Ask(r.ctx, s, plan)
	}
	if err != nil {
		return nil, err
	}
	if r.work != nil {
		r.work.questions += answers.Asked
		r.work.runs += answers.Runs
	}
	for _, p := range answers.Problems {
		r.reason(false, string(checks.Proof), "%s", p)
	}
	return answers.Answers, nil
}

// askBase asks about base what head was shown to be, so that what was so before is not blamed on the change. Nothing that head built is used for it.
func (r *runner) askBase(head []obligation.Answer, skipped []obligation.Skipped) error {
	w := obligation.NewWriter(r.pairs.Base, nil)
	if slices.Contains(r.families, checks.Contract) {
		for _, a := range contract.AloneInBase(r.input) {
			if r.asksBase(a.Function) {
				w.Contract(a.Function, a.Questions...)
			}
		}
	}
	if slices.Contains(r.families, checks.Proof) {
		for _, f := range proof.ContextsInBase(r.input) {
			if r.asksBase(f) {
				w.Context(f)
			}
		}
	}
	plan := w.Plan()
	if len(plan.Obligations) == 0 || unaskable(r.proofs.base) != "" {
		return nil
	}
	c := r.proofs.baseCopy
	if len(r.proofs.roots) == 0 && r.parts == nil {
		// Cargo believes what is in the target directory, and head was built there.
		var err error
		if c, err = r.proofs.copyOf(r, r.base, nil); err != nil {
			return err
		}
		defer func() { logLeft(r.o.Log, c.Close()) }()
	}
	base, err := r.put(shard.Base, c, r.proofs.side(r.pairs.Base, r.base), plan)
	if err != nil {
		return err
	}
	r.input.Proof.Asked = checks.NewAsked(slices.Concat(head, base), slices.Concat(skipped, plan.Skipped), "")
	return nil
}

// copyOf is a copy of a tree, by itself.
func (p *proofs) copyOf(r *runner, t *tree, roots []string) (*prove.Copy, error) {
	return prove.Open(r.ctx, prove.Request{Verifier: p.verifier, Files: r.files(t), Manifest: p.manifest, Roots: roots,
		Options: verus.Options{Args: r.policy.Verus.Args, Timeout: r.policy.Verus.Timeout}})
}

// asksBase tells whether what is asked about a function of base is asked in this run: where its partner in head is.
func (r *runner) asksBase(f *model.Function) bool {
	p := r.pairs.OfBase(f)
	return r.share == nil || p != nil && p.Head != nil && r.share.asks(p.Head.Crate, p.Head.Module)
}

// conflicts turns what was proved although a case refutes it into reasons: specgate or the verifier is wrong.
func (r *runner) conflicts() {
	if !slices.Contains(r.families, checks.Contract) {
		return
	}
	for _, c := range contract.Conflicts(r.input) {
		if r.o.Function == "" || policy.MatchSymbol(r.o.Function, c.Symbol) {
			r.reason(true, string(checks.Contract), "%s: internal error of specgate or of the verifier: %s; nothing is concluded about its contract", c.Symbol, c.What)
		}
	}
}

// side is what answers about a tree are matched with.
func (p *proofs) side(m *model.Model, t *tree) prove.Side {
	return prove.Side{Model: m, Source: t.source, Manifest: p.manifest, Roots: p.roots}
}

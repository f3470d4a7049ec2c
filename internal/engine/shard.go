package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/verus"
)

// share is the part of a check that this run does, and what came of it. The nil share stands for a run that does all.
type share struct {
	number shard.Number
	file   *shard.File
	// known are the functions of head that the sources alone show to be of the change. What is found out about others as well, since a proof of
	// theirs fails, is the work of whoever verifies them.
	known map[shard.Function]bool
	// modules are those of known functions.
	modules map[[2]string]bool
	// roots of the policy, or of the repository; none: a workspace with this manifest.
	roots    []string
	manifest string
}

// CheckShard does one part of a check, of all that needs the verifier or runs code of the change. What the sources alone say is looked at in each part, so that
// parts of different changes are not taken for parts of one.
//
// When its time runs out after it has found what to compare, the part is unfinished, and before that a TimeoutError.
func CheckShard(ctx context.Context, o Options, n shard.Number) (*shard.File, error) {
	return inTime(ctx, o.Timeout, func(ctx context.Context) (*shard.File, error) { return checkShard(ctx, o, n) })
}

func checkShard(ctx context.Context, o Options, n shard.Number) (*shard.File, error) {
	r, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	file := r.header()
	file.Shard = n
	r.share = &share{number: n, file: file}
	if file.Analysis, err = r.analysis(); err == nil {
		_, err = r.check()
	}
	if late := timedOut(ctx); err != nil && late != nil {
		file = r.header()
		file.Shard = n
		file.Unfinished = fmt.Sprintf("the time limit of %v ran out before its part was done", late.After)
		return file, nil
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// header is what all parts of a check have in common.
func (r *runner) header() *shard.File {
	report := r.newReport()
	return &shard.File{Schema: shard.Schema, Specgate: report.Specgate, Base: checks.Revision{Rev: r.sides.baseName}, Head: checks.Revision{Rev: r.sides.headName},
		Policy: report.Policy, Seed: report.Seed, Only: append([]checks.Family{}, r.o.Only...), Function: r.o.Function, Run: r.o.Compiler != nil, Confine: r.o.Confine,
		Verifier: shard.Verifier{Reasons: []shard.Reason{}}, Proofs: []shard.Proof{}, Seeds: []shard.Seeds{}, Answers: []shard.Answer{},
		Strength: shard.Measured{Protections: []sandbox.Protection{}, Reasons: []string{}, Functions: []shard.Pair{}}}
}

// analysis is a hash of what changed, and of the report that the sources alone give.
func (r *runner) analysis() (string, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	if err := enc.Encode(r.changes); err != nil {
		return "", fmt.Errorf("look at the change: %w", err)
	}
	alone := &runner{o: r.o, ctx: r.ctx, sides: r.sides, policy: r.policy, changes: r.changes, base: r.base, head: r.head}
	// Which day it is must not matter: parts may be done before midnight, and put together behind it.
	alone.o.Verifier, alone.o.Compiler, alone.o.Function, alone.o.Today = nil, nil, "", policy.Date{}
	for _, f := range checks.Families() {
		if static(f) {
			alone.families = append(alone.families, f)
		}
	}
	report, err := alone.check()
	if err != nil {
		return "", err
	}
	if err := report.WriteJSON(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func nameOf(f *model.Function) shard.Function {
	return shard.Function{Symbol: f.Symbol, File: f.File.Path}
}

// learn notes which functions are of the change, before it is known which fail.
func (s *share) learn(base, head *model.Model) {
	if s == nil {
		return
	}
	s.known, s.modules = map[shard.Function]bool{}, map[[2]string]bool{}
	for _, p := range pair.New(base, head).Functions {
		if p.Head != nil && p.Change != pair.Same {
			s.known[nameOf(p.Head)] = true
			s.modules[[2]string{p.Head.Crate.Key, p.Head.Module}] = true
		}
	}
}

// unit is what is verified at once: a root, or the workspace.
func (s *share) unit(root string) string {
	if len(s.roots) > 0 {
		return root
	}
	return s.manifest
}

// asks tells whether the questions about a module of a crate are this part's.
func (s *share) asks(crate *model.Crate, module string) bool {
	if s == nil {
		return true
	}
	if s.modules[[2]string{crate.Key, module}] {
		return s.number.Owns(shard.QuestionsOf, crate.Key, module)
	}
	return s.number.Owns(shard.ProofOf, s.unit(crate.Root))
}

// measures tells whether the strength of a function of head is this part's to measure.
func (s *share) measures(f *model.Function) bool {
	if s == nil {
		return true
	}
	if s.known[nameOf(f)] {
		return s.number.Owns(shard.StrengthOf, f.File.Path, f.Symbol)
	}
	return s.number.Owns(shard.ProofOf, s.unit(f.Crate.Root))
}

// verifies leaves of what is to be verified what this part needs: the roots whose proof is its own, and those that it asks questions about, since
// what is asked depends on what is proved. It tells whether there is something.
func (s *share) verifies(p *proofs, head *model.Model) bool {
	if s == nil {
		return true
	}
	s.roots, s.manifest = p.roots, p.manifest
	wanted := map[string]bool{}
	for _, f := range head.Functions {
		if s.known[nameOf(f)] && (s.asks(f.Crate, f.Module) || runs(f) && s.measures(f)) {
			wanted[s.unit(f.Crate.Root)] = true
		}
	}
	needs := func(unit string) bool { return wanted[unit] || s.number.Owns(shard.ProofOf, unit) }
	some := false
	if len(s.roots) == 0 {
		some = needs(s.manifest)
	} else {
		p.roots = slices.DeleteFunc(slices.Clone(s.roots), func(root string) bool { return !needs(root) })
		some = len(p.roots) > 0
	}
	if !some {
		p.base, p.head = verus.Merge(), verus.Merge()
	}
	return some
}

// verified notes which verifier there is, and why none was run.
func (s *share) verified(r *runner) {
	if s == nil {
		return
	}
	v := &s.file.Verifier
	v.Found, v.Ran = r.found, r.proofs != nil
	if r.report.Tools.Verus != nil {
		tool := *r.report.Tools.Verus
		tool.Cached = checks.Cached{}
		v.Tool = &tool
	}
	for _, x := range r.report.Reasons {
		v.Reasons = append(v.Reasons, shard.Reason{Blocks: r.blocked, Stage: x.Stage, Text: x.Text})
	}
	p := r.proofs
	if p == nil || p.headCopy == nil {
		return
	}
	base, head := p.base.Parts(), p.head.Parts()
	for i := range head {
		unit := p.manifest
		if len(p.roots) > 0 {
			unit = p.roots[i]
		}
		s.file.Proofs = append(s.file.Proofs, shard.Proof{Unit: unit, Base: shard.Side{Cached: p.baseCopy.Cached(), Run: base[i].Save()},
			Head: shard.Side{Cached: p.headCopy.Cached(), Run: head[i].Save()}})
	}
}

// tryAgain are those of some functions whose proofs are this part's.
func (s *share) tryAgain(fs []*model.Function) []*model.Function {
	if s == nil {
		return fs
	}
	return slices.DeleteFunc(slices.Clone(fs), func(f *model.Function) bool { return !s.number.Owns(shard.ProofOf, s.unit(f.Crate.Root)) })
}

// tried notes how proofs went with other seeds.
func (s *share) tried(m *model.Model, seeds map[*model.Function]checks.SeedRuns) {
	if s == nil {
		return
	}
	for _, f := range m.Functions {
		if n, ok := seeds[f]; ok {
			s.file.Seeds = append(s.file.Seeds, shard.Seeds{Function: nameOf(f), Runs: n})
		}
	}
}

// via puts those of the shadows that are this part's, and notes what is said.
func (s *share) via(about shard.About) prove.Via {
	return func(try int, x *obligation.Shadow, put func() (*prove.Said, error)) (*prove.Said, error) {
		if !s.puts(about, x) {
			return nil, nil
		}
		said, err := put()
		if err != nil {
			return nil, err
		}
		a := shard.Answer{About: about, Try: try, Crate: x.Crate.Key, File: x.File, Module: x.Module, Problems: append([]string{}, said.Problems...),
			CrateDone: said.Crate, ModuleDone: said.Module, ModuleTold: said.Told, NothingMore: said.Stop, Parts: []shard.Part{}}
		for i, p := range x.Parts {
			part := shard.Part{Key: prove.PartKey(x, p)}
			if said.Verdicts[i] != 0 {
				part.Verdict = said.Verdicts[i].String()
			}
			if p.Obligation != nil {
				part.Question, part.Symbol = p.Obligation.Question.String(), p.Obligation.Function.Symbol
			}
			a.Parts = append(a.Parts, part)
		}
		s.file.Answers = append(s.file.Answers, a)
		return said, nil
	}
}

// puts tells whether a shadow is put to the verifier in this part. Of base, and of spectests, nothing else is asked than what is.
func (s *share) puts(about shard.About, x *obligation.Shadow) bool {
	return about != shard.Head || s.asks(x.Crate, x.Module)
}

// ask has a plan answered: what is this part's by the verifier, and nothing else.
func (s *share) ask(r *runner, about shard.About, c *prove.Copy, side prove.Side, plan *obligation.Plan) (_ *prove.Answers, err error) {
	if !slices.ContainsFunc(plan.Shadows, func(x *obligation.Shadow) bool { return s.puts(about, x) }) {
		return prove.Known(r.ctx, plan, func(int, *obligation.Shadow, func() (*prove.Said, error)) (*prove.Said, error) { return nil, nil })
	}
	if c == nil {
		// It is about what is not verified at all, which prove says.
		if c, err = r.proofs.copyOf(r, r.head, s.roots); err != nil {
			return nil, err
		}
		defer func() { logLeft(r.o.Log, c.Close()) }()
	}
	return c.AskVia(r.ctx, side, plan, s.via(about))
}

// ranWith notes what bounded code of the change.
func (s *share) ranWith(protections []sandbox.Protection) {
	if s != nil {
		s.file.Strength.Protections = append(s.file.Strength.Protections, protections...)
	}
}

// notMeasured notes why nothing was measured.
func (s *share) notMeasured(r *runner, why string, blocks bool) {
	if s != nil {
		s.file.Strength.NotRun, s.file.Strength.Blocks = why, blocks
		s.reasons(r)
	}
}

// reasons notes what came up while functions were measured.
func (s *share) reasons(r *runner) {
	for _, x := range r.report.Reasons {
		if x.Stage == string(checks.Strength) {
			s.file.Strength.Reasons = append(s.file.Strength.Reasons, x.Text)
		}
	}
}

// measured notes what was measured of functions, before the verifier is asked about what is left open.
func (s *share) measured(r *runner, results []*measure.Result) {
	if s == nil {
		return
	}
	out := &s.file.Strength
	out.Rustc = r.report.Tools.Rustc
	for _, x := range results {
		out.Functions = append(out.Functions, shard.Pair{Function: nameOf(x.Subject().Head.Function), Alone: saveStrength(x.Strength()), GivenUp: x.GivenUp()})
	}
	s.reasons(r)
}

// asked notes what the verifier's answers about spectests changed.
func (s *share) asked(results []*measure.Result) {
	if s == nil {
		return
	}
	for i, x := range results {
		if f, now := &s.file.Strength.Functions[i], saveStrength(x.Strength()); !reflect.DeepEqual(f.Alone, now) {
			f.Asked = &now
		}
	}
}

func saveStrength(p *checks.StrengthPair) shard.Strength {
	return shard.Strength{Base: saveSuite(p.Base), Head: saveSuite(p.Head), Comparable: p.Comparable, Delta: p.Delta, Lost: p.Lost}
}

func saveSuite(m *checks.Measured) *shard.Suite {
	if m == nil {
		return nil
	}
	out := &shard.Suite{NotApplicable: m.NotApplicable, Unmeasured: m.Unmeasured, Void: m.Void, Ran: m.Ran}
	if m.Suite != nil {
		s := *m.Suite // what else is found out is noted in it
		out.Spectests = &s
	}
	if x := m.Refuted; x != nil {
		out.Refuted = &shard.Refuted{Escape: x.Escape, Clause: x.Clause, Span: x.Span}
		if x.File != nil {
			out.Refuted.File = x.File.Path
		}
	}
	return out
}

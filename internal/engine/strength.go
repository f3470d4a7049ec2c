package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/score"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/syntax"
)

const (
	// maxCasesAsked is how many spectests of one function are put to the verifier; fewer if the change has so many functions that it would be more than
	// maxCasesAskedInAll, but minCasesAsked of each.
	maxCasesAsked, maxCasesAskedInAll, minCasesAsked = 40, 400, 8
	// maxIncluded is the most bytes of a file, no Rust source, that is there when a crate is compiled.
	maxIncluded = 4 << 20
	// maxTree is the most Rust files of a tree that is there as a whole when one of its packages is compiled.
	maxTree = 2000
)

// Compiler says with what code of the change is compiled, to be run.
type Compiler struct {
	// Path of rustc.
	Path string
	// Named says that somebody asked for it by name: then code of the change is also run where this machine cannot isolate it.
	Named bool
	// CargoHome is the directory in which cargo has what it downloaded; empty: there is none.
	CargoHome string
}

// measureStrength measures the contracts of the change, for the rules.
func (r *runner) measureStrength() error {
	if !slices.Contains(r.families, checks.Strength) || r.o.Compiler == nil {
		return nil
	}
	start := time.Now()
	subjects := r.subjects()
	if len(subjects) == 0 {
		// There is nothing to run, whatever this machine has.
		r.input.Strength = r.strengthInput(nil)
		return nil
	}
	if r.parts != nil {
		in, err := r.parts.measured(r, subjects)
		if in != nil {
			r.strengthOf(in)
		}
		return err
	}
	compiler, err := r.o.Compiler()
	if err != nil {
		r.notRun(compiler.Named, "%v", err)
		return nil
	}
	if why, err := cannotRun(r.ctx, compiler, r.policy.Gate.Sandbox); why != "" || err != nil {
		if err == nil {
			r.notRun(false, "%s", why)
		}
		return err
	}
	results, err := r.measureAll(compiler, subjects)
	var not *notRunError
	switch {
	case errors.As(err, &not) && r.ctx.Err() == nil:
		r.notRun(compiler.Named, "%v", not)
		return nil
	case err != nil:
		return err
	}
	r.share.measured(r, results)
	for _, x := range results {
		r.givenUp(x.Subject().Symbol, x.GivenUp())
	}
	if err := r.askCases(results); err != nil {
		return fmt.Errorf("ask the verifier about spectests: %w", err)
	}
	r.strengthOf(r.strengthInput(results))
	r.o.Log.Info("measured the strength of contracts", "functions", len(results), "took", time.Since(start))
	return nil
}

// givenUp says that a function was measured with fewer mutants than there are. That leaves the outcome as it is.
func (r *runner) givenUp(symbol string, mutants int) {
	if mutants > 0 {
		r.reason(false, string(checks.Strength), "%s: %d of its mutants were not run, since calls of others did not end", symbol, mutants)
	}
}

// strengthOf takes what was measured for the rules, with what the verifier proved of the contracts.
func (r *runner) strengthOf(in *checks.StrengthInput) {
	r.input.Strength = in
	if r.input.Proof != nil {
		unique(in.Functions, r.input.Proof.Asked)
	}
	r.wrong()
}

func (r *runner) strengthInput(results []*measure.Result) *checks.StrengthInput {
	var functions []*checks.StrengthPair
	for _, x := range results {
		functions = append(functions, x.Strength())
	}
	return thresholds(r.policy, functions)
}

// thresholds are what was measured, with what a policy wants of it.
func thresholds(p *policy.Policy, functions []*checks.StrengthPair) *checks.StrengthInput {
	return &checks.StrengthInput{Min: p.Strength.Min, MaxDrop: p.Strength.MaxDrop, MinSuite: p.Gate.MinSuite, Functions: functions}
}

// notRun notes, once, why no strength at all is measured. Who names the family, or a compiler that then does not do, wants it.
func (r *runner) notRun(named bool, format string, args ...any) {
	r.share.notMeasured(r, fmt.Sprintf(format, args...), named)
	r.reason(named || len(r.o.Only) > 0, string(checks.Strength), "no strength was measured: "+format, args...)
}

// cannotRun says why code that nobody vouches for must not be run here; empty if it may.
func cannotRun(ctx context.Context, c Compiler, mode policy.Sandbox) (string, error) {
	if c.Named || mode == policy.SandboxOff {
		return "", nil
	}
	why, err := notIsolated(ctx)
	if why == "" || err != nil {
		return "", err
	}
	return fmt.Sprintf("it takes running code of the change, and this machine cannot isolate it (%s); name the compiler with --rustc to run it all the same", why), nil
}

// steady leaves out of protections what differs from run to run: how much of the time for a crate was left.
func steady(ps []sandbox.Protection) []sandbox.Protection {
	out := slices.Clone(ps)
	for i := range out {
		if out[i].Name == "time" && out[i].On {
			out[i].Detail = "limited time"
		}
	}
	return out
}

func sandboxOf(ps []sandbox.Protection) *checks.Sandbox {
	out := &checks.Sandbox{Statement: sandbox.Statement(ps)}
	for _, p := range ps {
		out.Protections = append(out.Protections, checks.Protection(p))
	}
	return out
}

// promises tells whether a function says anything about what it gives.
func promises(f *model.Function) bool {
	return f != nil && slices.ContainsFunc(f.Contract(), func(c model.Clause) bool { return c.Kind == syntax.Ensures || c.Kind == syntax.Returns })
}

// runs tells a function with executable code whose contract the verifier knows.
func runs(f *model.Function) bool {
	return f != nil && f.Mode == model.Exec && f.Verified && (f.HasBody || f.Kind == model.AssumeSpecFunction) && f.Kind != model.ConstFunction
}

// subjects are the functions of the change that are measured: those that run, that changed or whose contract means something else now, and
// that promise something on either side.
func (r *runner) subjects() []*measure.Subject {
	var out []*measure.Subject
	many := left{}
	n := 0
	for _, p := range r.pairs.Functions {
		if !r.about(p.Head, p.Base) || !r.measurable(p) || !r.share.measures(p.Head) {
			continue
		}
		if many.tooMany(&n, p.Head) {
			continue
		}
		s := &measure.Subject{Symbol: p.Head.Symbol, Pair: p, Head: &measure.Side{Function: p.Head}}
		if runs(p.Base) {
			s.Base = &measure.Side{Function: p.Base}
			s.Same = !p.What.Has(pair.Executable)
			direction, _ := contract.Direction(r.input, p)
			s.Unchanged = s.Same && direction == "equal"
		}
		out = append(out, s)
	}
	for why, symbols := range many {
		r.reason(true, string(checks.Strength), "%s: the strength was not measured: %s", some(symbols), why)
	}
	return out
}

// measurable tells a function that runs, that promises something on either side, and that changed or whose contract means something else now.
func (r *runner) measurable(p *pair.Function) bool {
	if !runs(p.Head) || !promises(p.Head) && !promises(p.Base) {
		return false
	}
	if p.Change != pair.Same {
		return true
	}
	direction, _ := contract.Direction(r.input, p)
	return direction != "equal" && direction != "none"
}

// newWorld reads all that the contracts of functions may lead to: their crates, and what those lead to. names gives the names of crates there.
func newWorld(t *tree, fs []*model.Function, jobs int) (w *eval.World, names func(*model.Crate) string, err error) {
	var paths []string
	seen := map[string]bool{}
	for _, f := range fs {
		paths = append(paths, f.File.Path)
		if seen[f.Crate.Root] {
			continue
		}
		seen[f.Crate.Root] = true
		for _, p := range crateFiles(t, f.Crate) {
			if isRust(p) {
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	m, err := t.model(t.ctx, slices.Compact(paths), jobs)
	if err != nil {
		return nil, nil, fmt.Errorf("read what contracts lead to: %w", err)
	}
	for changed := true; changed && t.ctx.Err() == nil; {
		var all []string
		for _, f := range m.Files {
			all = append(all, f.Path)
		}
		changed = m.Extend(all)
	}
	names = crateNames(m)
	var sources []eval.Source
	for _, f := range m.Files {
		if f.Syntax != nil && !library(f.Crate.Name) {
			sources = append(sources, eval.Source{Crate: names(f.Crate), Module: f.Module, File: f.Syntax})
		}
	}
	return eval.NewWorld(sources), names, nil
}

// crateNames gives crates names as paths use them. A package's binary and its library have one name, and so may packages of one tree; what a path
// means must not be mixed up.
func crateNames(m *model.Model) func(*model.Crate) string {
	keys := map[string]map[string]bool{}
	for _, f := range m.Files {
		if keys[f.Crate.Name] == nil {
			keys[f.Crate.Name] = map[string]bool{}
		}
		keys[f.Crate.Name][f.Crate.Key] = true
	}
	own := map[string]*model.Crate{}
	for _, f := range m.Files {
		own[f.Crate.Root] = f.Crate
	}
	return func(c *model.Crate) string {
		if o := own[c.Root]; o != nil {
			c = o // a model of more of the tree may call it by a longer key
		}
		if len(keys[c.Name]) > 1 {
			return c.Key
		}
		return c.Name
	}
}

// crateFiles are the files that a crate may be made of: all of its package. Of a loose file that is no root by its name, only the modules that it
// declares: what lies beside it may be anything, and a great deal.
func crateFiles(t *tree, c *model.Crate) []string {
	if c.Manifest == "" && !slices.Contains([]string{"lib.rs", "main.rs", "mod.rs"}, path.Base(c.Root)) {
		return declared(t, c.Root)
	}
	under := path.Dir(c.Root)
	if c.Manifest != "" {
		under = path.Dir(c.Manifest)
	}
	var out []string
	for _, p := range t.paths {
		if t.has(p) && (under == "." || strings.HasPrefix(p, under+"/")) {
			out = append(out, p)
		}
	}
	return out
}

// declared are a file and the files of the modules that it declares, and they.
func declared(t *tree, root string) []string {
	out := []string{root}
	type place struct{ file, dir string }
	for next := []place{{root, path.Dir(root)}}; len(next) > 0; next = next[1:] {
		text, err := t.Read(next[0].file)
		if err != nil {
			continue
		}
		for _, m := range modFile.FindAllSubmatch(text, -1) {
			sub := path.Join(next[0].dir, string(m[1]))
			for _, p := range []string{sub + ".rs", path.Join(sub, "mod.rs")} {
				if t.has(p) && !slices.Contains(out, p) {
					out = append(out, p)
					next = append(next, place{p, sub})
				}
			}
		}
	}
	return out
}

// crateOf is a crate as it is compiled: all files of its package.
func crateOf(t *tree, c *model.Crate, name func(*model.Crate) string) (measure.Crate, error) {
	paths := crateFiles(t, c)
	switch {
	case c.Manifest == "":
	case len(t.rust) <= maxTree:
		paths = t.paths // cargo may need other packages of the workspace
	default:
		s, err := t.scopeOf(c)
		if err != nil {
			return measure.Crate{}, err
		}
		if !s.whole {
			paths = s.paths
		}
	}
	return filesOf(t, paths, c, name)
}

// filesOf is a crate that is compiled from some files.
func filesOf(t *tree, paths []string, c *model.Crate, name func(*model.Crate) string) (measure.Crate, error) {
	out := measure.Crate{Files: map[string][]byte{}, Root: c.Root, Name: name(c), Manifest: c.Manifest}
	if err := t.load(paths); err != nil {
		return out, err
	}
	for _, p := range paths {
		text, err := t.Read(p)
		if err != nil || !isRust(p) && len(text) > maxIncluded {
			continue // if the crate needs it, the compiler says so
		}
		out.Files[p] = text
	}
	return out, nil
}

// askCases puts what the evaluator leaves undecided of head to the verifier.
func (r *runner) askCases(results []*measure.Result) error {
	if !r.asksCases() {
		return nil
	}
	err := askCases(obligation.NewWriter(r.pairs.Head, r.pairs), results, r.casesEach(), func(plan *obligation.Plan) ([]obligation.Answer, error) {
		return r.put(shard.Cases, r.proofs.headCopy, r.proofs.side(r.pairs.Head, r.head), plan)
	})
	r.share.asked(results)
	return err
}

// asksCases tells whether the verifier is asked about spectests.
func (r *runner) asksCases() bool {
	return r.proofs != nil && r.input.Proof != nil && r.input.Proof.Head != nil && unaskable(r.proofs.head) == ""
}

// casesEach is how many spectests of one function are put to the verifier. It depends on nothing that was measured, so that what is asked of one
// function is the same whatever else is, or is not, measured in this run.
func (r *runner) casesEach() int {
	n := 0
	for _, p := range r.pairs.Functions {
		if p.Change != pair.Same && runs(p.Head) && (promises(p.Head) || promises(p.Base)) && r.about(p.Head, p.Base) {
			n++
		}
	}
	return casesOf(n)
}

// casesOf is how many spectests of each of n functions are put to the verifier.
func casesOf(n int) int { return min(max(maxCasesAskedInAll/max(n, 1), minCasesAsked), maxCasesAsked) }

// askCases has put ask the verifier about the spectests of head that are undecided, so many of each function, and notes what it proves.
func askCases(w *obligation.Writer, results []*measure.Result, each int, put func(*obligation.Plan) ([]obligation.Answer, error)) error {
	open := map[*model.Function]*measure.Open{}
	for _, x := range results {
		if o := x.Open(false, each); o != nil {
			open[o.Function] = o
			w.Cases(o.Function, o.Cases)
		}
	}
	if len(open) == 0 {
		return nil
	}
	answers, err := put(w.Plan())
	if err != nil {
		return err
	}
	type said struct{ rejected, allowed bool }
	all := map[*measure.Open]map[int]said{}
	for _, a := range answers {
		o := open[a.Function]
		if o == nil || a.Verdict != obligation.Proved {
			continue
		}
		if all[o] == nil {
			all[o] = map[int]said{}
		}
		s := all[o][a.Case]
		s.rejected = s.rejected || a.Question == obligation.SpectestRejected
		s.allowed = s.allowed || a.Question == obligation.SpectestEscaped
		all[o][a.Case] = s
	}
	for o, cases := range all {
		for i, s := range cases {
			o.Decide(i, s.rejected, s.allowed)
		}
	}
	return nil
}

// unique notes which contracts the verifier proved to allow one result only.
func unique(functions []*checks.StrengthPair, asked *checks.Asked) {
	for _, s := range functions {
		if s.Head != nil && asked.Proved(obligation.Unique, s.Head.Function) {
			measure.Unique(s, false)
		}
		if s.Base != nil && asked.Proved(obligation.Unique, s.Base.Function) {
			measure.Unique(s, true)
		}
	}
}

// wrong turns what shows a mistake of specgate, or of what a proof rests on, into reasons.
func (r *runner) wrong() {
	for _, s := range r.input.Strength.Functions {
		h := s.Head
		if h == nil || h.Refuted == nil || r.input.Proof == nil || r.input.Proof.Head == nil {
			continue
		}
		v := r.input.Proof.Head.Functions[h.Function]
		if v == nil || v.Outcome != checks.ProofProved || r.trusts(h.Function) {
			continue
		}
		r.reason(true, string(checks.Strength), "%s: internal error of specgate, of the verifier or of what the proof rests on: the function is proved, and %s is %s, which its contract excludes; its strength was not measured",
			h.Function.Symbol, h.Refuted.Call, h.Refuted.Result)
	}
}

// trusts tells whether the contract of a function is believed, or its proof rests on what is believed.
func (r *runner) trusts(f *model.Function) bool {
	return !f.BodyVerified || len(f.Sites) > 0 || len(r.pairs.Head.Trusted(f)) > 0
}

// strength is what was measured of a function, for the report.
func (r *runner) strength(p *pair.Function) checks.FunctionStrength {
	var out checks.FunctionStrength
	s := r.input.Strength.Of(p)
	if s == nil {
		return out
	}
	out.Base, out.Head = suiteResult(s.Base), suiteResult(s.Head)
	out.Delta, out.Comparable = s.Delta, s.Comparable
	return out
}

// suiteResult is a side as the report has it; nil when it was not measured.
func suiteResult(m *checks.Measured) *checks.SuiteResult {
	if m == nil || m.Suite == nil {
		return nil
	}
	s := m.Suite
	all := s.All()
	strength := suiteOf(s).Strength()
	out := &checks.SuiteResult{Rejected: all.Rejected, Escaped: all.Escaped, Undecided: all.Undecided, Total: all.Rejected + all.Escaped + all.Undecided,
		Value: strength.Value, Low: strength.Low, High: strength.High, Label: "empirical", Inputs: s.Inputs,
		BySource: checks.BySource{Edits: s.Edits, Mutants: s.Mutants, Given: s.Given},
		Domain:   checks.DomainResult{Tried: s.Domain.Tried, Returned: s.Domain.Returned, Counted: s.Domain.Counted}, Mutants: s.Fates, Clauses: s.Clauses}
	if strength.Proved {
		out.Label = "proved"
	}
	return out
}

func suiteOf(s *checks.Spectests) score.Suite {
	all := s.All()
	return score.Suite{Rejected: all.Rejected, Escaped: all.Escaped, Undecided: all.Undecided, Unique: s.Unique}
}

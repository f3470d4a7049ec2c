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
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

const (
	// maxCasesAsked is how many spectests are put to the verifier, of one function and in all.
	maxCasesAsked, maxCasesAskedInAll = 40, 400
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
	compiler, err := r.o.Compiler()
	if err != nil {
		r.notRun("%v", err)
		return nil
	}
	if why, err := cannotRun(r.ctx, compiler, r.policy.Gate.Sandbox); why != "" || err != nil {
		if err == nil {
			r.notRun("%s", why)
		}
		return err
	}
	names, err := r.know(subjects)
	if err != nil {
		return err
	}
	s := r.policy.Strength
	runners := map[*tree]*measure.Compiled{}
	for _, t := range []*tree{r.base, r.head} {
		runners[t] = &measure.Compiled{Rustc: compiler.Path, CargoHome: compiler.CargoHome, Require: r.policy.Gate.Sandbox == policy.SandboxRequire, Seed: s.Seed,
			Crate: func(c *model.Crate) (measure.Crate, error) { return crateOf(t, c, names[t]) }}
	}
	results, err := measure.Measure(r.ctx, measure.Request{Subjects: subjects, Base: runners[r.base].Run, Head: runners[r.head].Run,
		Options: measure.Options{Seed: s.Seed, Inputs: s.Inputs, Mutants: s.Mutants, CountDomain: s.CountDomain, Jobs: r.o.Jobs}})
	switch {
	case r.ctx.Err() != nil:
		return err
	case err != nil:
		r.notRun("%v", err)
		return nil
	}
	for _, c := range []*measure.Compiled{runners[r.base], runners[r.head]} {
		if c.Version != "" {
			r.report.Tools.Rustc = &checks.Tool{Version: c.Version}
		}
		if len(c.Protections) > 0 && r.report.Tools.Sandbox == nil {
			r.report.Tools.Sandbox = sandboxOf(steady(c.Protections))
		}
	}
	if err := r.askCases(results); err != nil {
		return fmt.Errorf("ask the verifier about spectests: %w", err)
	}
	r.input.Strength = r.strengthInput(results)
	r.wrong()
	r.o.Log.Info("measured the strength of contracts", "functions", len(results), "took", time.Since(start))
	return nil
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

// notRun notes, once, why no strength at all is measured. Who names the family wants it.
func (r *runner) notRun(format string, args ...any) {
	r.reason(len(r.o.Only) > 0, string(checks.Strength), "no strength was measured: "+format, args...)
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
		if !r.about(p.Head, p.Base) || !r.measurable(p) {
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

// know has the evaluator know the functions, and reads the cases of the repository. It gives the names that crates have there.
func (r *runner) know(subjects []*measure.Subject) (map[*tree]func(*model.Crate) string, error) {
	names := map[*tree]func(*model.Crate) string{}
	for _, side := range []struct {
		tree *tree
		of   func(*measure.Subject) *measure.Side
	}{
		{r.base, func(s *measure.Subject) *measure.Side { return s.Base }},
		{r.head, func(s *measure.Subject) *measure.Side { return s.Head }},
	} {
		var fs []*model.Function
		for _, s := range subjects {
			if x := side.of(s); x != nil {
				fs = append(fs, x.Function)
			}
		}
		if len(fs) == 0 {
			continue
		}
		w, name, err := newWorld(side.tree, fs, r.o.Jobs)
		if err != nil {
			return nil, err
		}
		names[side.tree] = name
		for _, s := range subjects {
			if x := side.of(s); x != nil && x.Function.Node.Kind() == syntax.Fn {
				x.Func = w.Func(x.Function.Node)
			}
		}
		if side.tree.failed != nil {
			return nil, side.tree.failed
		}
	}
	return names, r.given(subjects)
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
	return func(c *model.Crate) string {
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
	out := measure.Crate{Files: map[string][]byte{}, Root: c.Root, Name: name(c), Manifest: c.Manifest}
	paths := crateFiles(t, c)
	if c.Manifest != "" && len(t.rust) <= maxTree {
		paths = t.paths // cargo may need other packages of the workspace
	}
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

// given reads the cases of the repository for the functions that they name. They come from base, like the policy.
func (r *runner) given(subjects []*measure.Subject) error {
	if len(r.policy.Strength.Cases) == 0 {
		return nil
	}
	var files []string
	for _, p := range r.base.paths {
		if r.policy.CaseFile(p) && r.base.has(p) {
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		r.reason(true, string(checks.Strength), "no file of base matches strength.cases of the policy")
		return nil
	}
	if err := r.base.load(files); err != nil {
		return err
	}
	for _, name := range files {
		text, err := r.base.Read(name)
		var suite *eval.Suite
		if err == nil {
			suite, err = eval.ReadSuite(source.NewFile(name, text))
		}
		if err != nil {
			r.reason(true, string(checks.Strength), "cases of base were not used: %v", err)
			continue
		}
		for _, s := range subjects {
			for _, side := range []*measure.Side{s.Base, s.Head} {
				if side == nil || side.Func == nil || side.Function.Symbol != suite.Function {
					continue
				}
				if err := measure.CheckGiven(side.Func, suite); err != nil && !errors.Is(err, eval.ErrUnsupported) {
					r.reason(true, string(checks.Strength), "%s: not all cases of base were used: %v", s.Symbol, err)
				}
				side.Given = append(side.Given, suite)
			}
		}
	}
	return nil
}

// askCases puts what the evaluator leaves undecided of head to the verifier, and notes which contracts allow one result only.
func (r *runner) askCases(results []*measure.Result) error {
	if r.proofs == nil || r.input.Proof == nil || r.input.Proof.Head == nil || unaskable(r.proofs.head) != "" {
		return nil
	}
	err := askCases(obligation.NewWriter(r.pairs.Head, r.pairs), results, func(plan *obligation.Plan) ([]obligation.Answer, error) {
		return r.put(r.proofs.headCopy, r.proofs.side(r.pairs.Head, r.head), plan)
	})
	if err != nil {
		return err
	}
	unique(results, r.input.Proof.Asked)
	return nil
}

// askCases has put ask the verifier about the spectests of head that are undecided, and notes what it proves.
func askCases(w *obligation.Writer, results []*measure.Result, put func(*obligation.Plan) ([]obligation.Answer, error)) error {
	open := map[*model.Function]*measure.Open{}
	most := maxCasesAskedInAll
	for _, x := range results {
		if o := x.Open(false, min(most, maxCasesAsked)); o != nil {
			open[o.Function] = o
			most -= len(o.Cases)
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
func unique(results []*measure.Result, asked *checks.Asked) {
	for _, x := range results {
		s := x.Subject()
		if s.Head != nil && asked.Proved(obligation.Unique, s.Head.Function) {
			x.Unique(false)
		}
		if s.Base != nil && asked.Proved(obligation.Unique, s.Base.Function) {
			x.Unique(true)
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

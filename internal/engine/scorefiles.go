package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/score"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/verus"
)

// ScoreOptions say what is measured.
type ScoreOptions struct {
	// Paths are Rust files, and directories of them.
	Paths []string
	// Function is a pattern of symbols; empty means all functions that have a contract.
	Function string
	// Baseline is the original of the one file in Paths: what differs from it, but for proofs and stronger contracts, is a bypass. Empty: there is none,
	// and all trust is a bypass.
	Baseline string
	// Verifier and Compiler as in Options.
	Verifier func(ctx context.Context, release string) (*verus.Verifier, error)
	Compiler func() (Compiler, error)
	// Strength bounds and seeds the suites.
	Strength policy.Strength
	// MinSuite is how many spectests must be decided for a strength to count.
	MinSuite int
	// Jobs is how many files are looked at at once; at least 1.
	Jobs int
	Log  *slog.Logger
	// Progress is told how many of all files are done; it may be nil.
	Progress func(done, all int)
}

// Score says of functions as they stand what their contracts are worth. It hands over a line for each function as it is done, so the order of the
// lines is that of the files only with one job. What cannot be read or measured makes a line too. The error is an InputError for what was named
// wrongly, or that of ctx or of each.
func Score(ctx context.Context, o ScoreOptions, each func(annotate.ScoreLine) error) error {
	files, err := rustFiles(o.Paths)
	if err != nil {
		return err
	}
	if o.Baseline != "" && len(files) != 1 {
		return &InputError{fmt.Errorf("a baseline is the original of one file, and %d were named", len(files))}
	}
	s := &scorer{o: o}
	if s.tools.compiler, s.tools.notRun, err = o.compiler(ctx); err != nil {
		return err
	}
	if o.Verifier != nil {
		if s.tools.verifier, err = o.Verifier(ctx, ""); err != nil {
			return &InputError{err}
		}
	}
	if s.tools.verifier != nil {
		s.tools.verifier = s.tools.verifier.Isolate(verus.Isolation{Memory: 4 << 30})
	}
	var mu sync.Mutex
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	groups := packages(files)
	s.inner = max(o.Jobs, 1) / min(max(o.Jobs, 1), len(groups))
	var wait sync.WaitGroup
	var panics caught
	next := make(chan []string)
	done := 0
	for range min(max(o.Jobs, 1), len(groups)) {
		wait.Go(func() {
			for g := range next {
				var lines []annotate.ScoreLine
				err := errCaught
				panics.run(func() { lines, err = s.files(ctx, g) })
				mu.Lock()
				for _, l := range lines {
					if err == nil {
						l.Seed = o.Strength.Seed
						err = each(l)
					}
				}
				if done += len(g); o.Progress != nil && ctx.Err() == nil {
					o.Progress(done, len(files))
				}
				mu.Unlock()
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, g := range groups {
		if ctx.Err() != nil {
			break
		}
		next <- g
	}
	close(next)
	wait.Wait()
	panics.again()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// compiler finds rustc. why says why nothing is run; empty if something is.
func (o ScoreOptions) compiler(ctx context.Context) (c Compiler, why string, err error) {
	if o.Compiler == nil {
		return c, "nothing was run", nil
	}
	if c, err = o.Compiler(); err != nil {
		if c.Named {
			return c, "", &InputError{err}
		}
		return c, err.Error(), nil
	}
	why, err = cannotRun(ctx, c, policy.SandboxPrefer)
	return c, why, err
}

// rustFiles are the files that are named, and those in directories that are named, each once. Hidden directories and those that cargo builds in are
// left out.
func rustFiles(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &InputError{fmt.Errorf("there is no file or directory %s", p)}
		case err != nil:
			return nil, &InputError{err}
		case !info.IsDir():
			if !isRust(p) {
				return nil, &InputError{fmt.Errorf("%s is no Rust file", p)}
			}
			out = append(out, p)
			continue
		}
		before := len(out)
		err = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != p && (strings.HasPrefix(d.Name(), ".") || d.Name() == "target"):
				return filepath.SkipDir
			case d.Type().IsRegular() && isRust(name):
				out = append(out, name)
			}
			return nil
		})
		if err != nil {
			return nil, &InputError{err}
		}
		if len(out) == before {
			return nil, &InputError{fmt.Errorf("there is no Rust file in %s", p)}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(p string) bool {
		was := seen[p]
		seen[p] = true
		return was
	}), nil
}

// packages puts files of one package, or workspace, together, so that it is compiled once. Others are looked at one by one.
func packages(files []string) [][]string {
	var out [][]string
	at := map[string]int{}
	for _, f := range files {
		root := ""
		if abs, err := filepath.Abs(f); err == nil {
			root = packageRoot(filepath.Dir(abs))
		}
		if i, ok := at[root]; ok && root != "" {
			out[i] = append(out[i], f)
			continue
		}
		at[root] = len(out)
		out = append(out, []string{f})
	}
	return out
}

type scorer struct {
	o ScoreOptions
	// inner is how many functions of a file are looked at at once.
	inner int
	tools struct {
		compiler Compiler
		notRun   string
		verifier *verus.Verifier
	}
}

// unread is the line about a file that cannot be read, or a function that is not there.
func unread(name, symbol, why string) annotate.ScoreLine {
	f := score.Facts{Extract: score.Failed, Compile: score.NotRun, Verify: score.NotRun, Why: map[score.Stage]string{score.Extract: why,
		score.Compile: "there is nothing to compile", score.Verify: "there is nothing to verify"}, Unmeasured: "there is nothing to measure"}
	l := annotate.ScoreLine{Symbol: symbol, File: name}
	reward(&l, f, "")
	return l
}

// files measures the functions of some files of one tree.
func (s *scorer) files(ctx context.Context, names []string) (_ []annotate.ScoreLine, err error) {
	t, first, done, err := openFile(ctx, names[0])
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	var lines []annotate.ScoreLine
	named := map[string]string{} // as they were named, by path in the tree
	var paths []string
	for _, name := range names {
		file, err := beside(names[0], first, name)
		if err != nil {
			return nil, err
		}
		if p := t.parsed(file); p.err != nil {
			lines = append(lines, unread(name, "", p.err.Error()))
			continue
		} else if len(p.file.Errors) > 0 {
			e := p.file.Errors[0]
			lines = append(lines, unread(name, "", fmt.Sprintf("%v: %s", p.source.Position(e.Span.Start), e.Message)))
			continue
		}
		named[file] = name
		paths = append(paths, file)
	}
	m, err := model.New(ctx, t, paths)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", names[0], err)
	}
	var fs []*model.Function
	for _, f := range m.Functions {
		if named[f.File.Path] != "" && runs(f) && f.Kind != model.NestedFunction &&
			(s.o.Function == "" && len(f.Contract()) > 0 || s.o.Function != "" && policy.MatchSymbol(s.o.Function, f.Symbol)) {
			fs = append(fs, f)
		}
	}
	tampered, err := s.tampered(ctx, t, m, first, fs)
	if err != nil {
		return nil, err
	}
	fs = slices.DeleteFunc(slices.Clone(m.Functions), func(f *model.Function) bool { return !slices.Contains(fs, f) && !slices.Contains(tampered.bare, f) })
	for _, symbol := range tampered.gone {
		l := unread(names[0], symbol, "the function of the baseline is gone")
		l.Bypass = []string{"the function of the baseline is gone"}
		lines = append(lines, l)
	}
	if len(fs) == 0 {
		if len(lines) == 0 && s.o.Function != "" && len(names) == 1 {
			lines = append(lines, unread(names[0], s.o.Function, "there is no function of that name with executable code"))
		}
		return lines, nil
	}
	closed := unknown(m, tampered.original)
	run, asked, results, err := s.measure(ctx, t, m, fs, tampered)
	if err != nil {
		return nil, err
	}
	for i, f := range fs {
		l := annotate.ScoreLine{Symbol: f.Symbol, File: named[f.File.Path], Line: f.File.Syntax.Source.Position(f.NameSpan.Start).Line}
		head := results[i]
		facts := factsOf(head, run, s.o.MinSuite)
		if facts.Verify == score.Passed {
			facts.Verify, facts.Why[score.Verify] = restsProved(m.RestsOn(f), run)
		}
		if why := closed[f.Crate]; why != "" {
			facts.Extract, facts.Why[score.Extract] = score.Failed, why
		}
		facts.Bypass = tampered.of[f]
		switch {
		case !promises(f) && facts.NotApplicable == "":
			facts.Vacuous = "the contract promises nothing: it has no ensures"
		default:
			facts.Vacuous = empirically(head, s.o.MinSuite)
		}
		for _, q := range []obligation.Question{obligation.Contradictory, obligation.Impossible, obligation.Trivial} {
			if asked.Proved(q, f) {
				facts.Vacuous = "the verifier proves that the contract is " + q.String()
			}
		}
		l.Stages.By = "rustc"
		if run != nil {
			l.Stages.By = "verus"
		}
		l.Strength = suiteResult(head)
		if head.Suite != nil {
			for _, e := range head.Suite.Escapes {
				l.Escapes = append(l.Escapes, annotate.ScoreEscape{Call: e.Call, Result: e.Result, Wrong: e.Wrong})
			}
			const few = 3
			for _, x := range head.Suite.Survivors[:min(few, len(head.Suite.Survivors))] {
				l.Survivors = append(l.Survivors, annotate.ScoreSurvivor{Line: x.Line, Diff: x.Diff,
					Witness: annotate.ScoreEscape{Call: x.Witness.Call, Result: x.Witness.Result, Wrong: x.Witness.Wrong}})
			}
		}
		reward(&l, facts, l.Stages.By)
		lines = append(lines, l)
	}
	return lines, nil
}

var checkWords = map[score.Check]string{score.Passed: "passed", score.Failed: "failed", score.NotRun: "not-run"}

var classWords = map[score.Class]string{score.Weak: "weak", score.Unverifiable: "unverifiable", score.Trivial: "trivial"}

// reward fills in what follows from the facts.
func reward(l *annotate.ScoreLine, f score.Facts, by string) {
	f.Strict = true
	r := f.Reward()
	l.Reward, l.NotApplicable, l.Class = r.Value, f.NotApplicable, classWords[f.Class()]
	if l.Bypass == nil {
		l.Bypass = f.Bypass
	}
	l.Stages = annotate.ScoreStages{Extract: checkWords[f.Extract], Compile: checkWords[f.Compile], By: by, Verify: checkWords[f.Verify]}
	for _, x := range r.Lost {
		l.Lost = append(l.Lost, annotate.ScoreLoss{Stage: x.Stage.String(), Code: string(x.Code), Amount: x.Amount, Text: x.Text})
	}
}

// beside is the path in a tree of a file, of which another one has the path that is given.
func beside(other, at, name string) (string, error) {
	real := func(name string) (string, error) {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		return filepath.EvalSymlinks(abs)
	}
	a, err := real(other)
	if err != nil {
		return "", &InputError{err}
	}
	b, err := real(name)
	if err == nil {
		b, err = filepath.Rel(filepath.Dir(a), b)
	}
	if err != nil {
		return "", &InputError{err}
	}
	return path.Join(path.Dir(at), filepath.ToSlash(b)), nil
}

// measure verifies the functions' crates, if there is a verifier, and measures the functions.
//
// Where types have a new view, a result is also wrong when the specifications of its type do not show that it is another one.
func (s *scorer) measure(ctx context.Context, t *tree, m *model.Model, fs []*model.Function, tampered *tampering) (*checks.ProofRun, *checks.Asked, []*checks.Measured, error) {
	var run *checks.ProofRun
	var asked *checks.Asked
	var put func(*obligation.Plan) ([]obligation.Answer, error)
	if s.tools.verifier != nil {
		c, side, err := s.verify(ctx, t, m, fs[0].Crate)
		if err != nil {
			return nil, nil, nil, err
		}
		defer func() { logLeft(s.o.Log, c.Close()) }()
		result, err := c.Verify(ctx)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("verify %s: %w", fs[0].Crate.Root, err)
		}
		// A reward that is lower because the verifier does not work would teach the wrong thing.
		if p := result.Problem; p != nil && p.Kind != verus.NoDependencies && p.Kind != verus.CutOutput && p.Kind != verus.Crashed {
			return nil, nil, nil, fmt.Errorf("verify %s: %w", fs[0].Crate.Root, p)
		}
		// What a proof rests on must be proved too, in whatever file it is.
		paths := prove.FailingFiles(result)
		for _, f := range fs {
			for _, g := range m.RestsOn(f) {
				paths = append(paths, g.File.Path)
			}
		}
		m.Extend(paths)
		run = side.Read(result)
		put = func(plan *obligation.Plan) ([]obligation.Answer, error) {
			if len(plan.Shadows) == 0 || unaskable(result) != "" {
				return plan.Answers(nil), nil
			}
			answers, err := c.Ask(ctx, side, plan)
			if err != nil {
				return nil, err
			}
			return answers.Answers, nil
		}
		w := obligation.NewWriter(m, nil)
		for _, f := range fs {
			w.Contract(f, obligation.Contradictory, obligation.Impossible, obligation.Trivial, obligation.Unique)
		}
		plan := w.Plan()
		answers, err := put(plan)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("ask the verifier about %s: %w", fs[0].Crate.Root, err)
		}
		asked = checks.NewAsked(answers, plan.Skipped, "")
	}
	exact := tampered.original != nil && newView(tampered.original, m)
	out := make([]*checks.Measured, len(fs))
	var subjects []*measure.Subject
	var at []int
	for i, f := range fs {
		out[i] = &checks.Measured{Function: f}
		switch {
		case s.tools.notRun != "":
			out[i].Unmeasured = s.tools.notRun
		case !promises(f):
			out[i].Unmeasured = "it promises nothing"
		default:
			subjects, at = append(subjects, &measure.Subject{Symbol: f.Symbol, Head: &measure.Side{Function: f, Exact: exact}}), append(at, i)
		}
	}
	if len(subjects) == 0 {
		return run, asked, out, nil
	}
	w, names, err := newWorld(t, fs, s.inner)
	if err != nil {
		return nil, nil, nil, err
	}
	like, err := s.originals(tampered)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, x := range subjects {
		if x.Head.Function.Node.Kind() == syntax.Fn {
			x.Head.Func, x.Head.Like = w.Func(x.Head.Function.Node), like[x.Symbol]
		}
	}
	st := s.o.Strength
	c := &measure.Compiled{Rustc: s.tools.compiler.Path, CargoHome: s.tools.compiler.CargoHome, Seed: st.Seed, Crate: func(c *model.Crate) (measure.Crate, error) { return crateOf(t, c, names) }}
	results, err := measure.Measure(ctx, measure.Request{Subjects: subjects, Head: c.Run,
		Options: measure.Options{Seed: st.Seed, Inputs: st.Inputs, Mutants: st.Mutants, CountDomain: st.CountDomain, Jobs: s.inner}})
	logLeft(s.o.Log, c.Left)
	if ctx.Err() != nil {
		return nil, nil, nil, err
	}
	if err != nil {
		for _, i := range at {
			out[i].Unmeasured = err.Error()
		}
		return run, asked, out, nil
	}
	if put != nil {
		if err := askCases(obligation.NewWriter(m, nil), results, casesOf(len(results)), put); err != nil {
			return nil, nil, nil, fmt.Errorf("ask the verifier about spectests of %s: %w", fs[0].Crate.Root, err)
		}
	}
	measured := make([]*checks.StrengthPair, len(results))
	for k, x := range results {
		measured[k] = x.Strength()
	}
	if put != nil {
		unique(measured, asked)
	}
	for k, x := range measured {
		out[at[k]] = x.Head
	}
	return run, asked, out, nil
}

// verify opens a copy of a crate for the verifier.
func (s *scorer) verify(ctx context.Context, t *tree, m *model.Model, crate *model.Crate) (*prove.Copy, prove.Side, error) {
	files := crateFiles(t, crate)
	side := prove.Side{Model: m, Source: t.source, Roots: []string{crate.Root}}
	if crate.Manifest != "" {
		files, side.Manifest, side.Roots = t.paths, crate.Manifest, nil
		if t.has("Cargo.toml") {
			side.Manifest = "Cargo.toml"
		}
	}
	if err := t.load(files); err != nil {
		return nil, prove.Side{}, err
	}
	var each iter.Seq2[verus.WorkFile, error] = func(yield func(verus.WorkFile, error) bool) {
		for _, p := range files {
			if !t.has(p) {
				continue
			}
			f, err := t.workFile(p)
			if err == nil && f.Mode == verus.WorkUnread && built(p) {
				_, err = t.Read(p) // without it the reward would be lower, and not by what was written
			}
			if !yield(f, err) {
				return
			}
		}
	}
	c, err := prove.Open(ctx, prove.Request{Verifier: s.tools.verifier, Files: each, Manifest: side.Manifest, Roots: side.Roots,
		Options: verus.Options{Timeout: policy.Default().Verus.Timeout}})
	return c, side, err
}

// originals are the functions of the baseline, by symbol: what is put in for a type parameter is not for the attempt to choose. A function that is
// new in the attempt is its own.
func (s *scorer) originals(tampered *tampering) (map[string]*eval.Func, error) {
	if tampered.original == nil {
		return nil, nil
	}
	w, _, err := newWorld(tampered.from, tampered.original.Functions, s.inner)
	if err != nil {
		return nil, err
	}
	out := map[string]*eval.Func{}
	for _, f := range tampered.original.Functions {
		if f.Node.Kind() == syntax.Fn {
			out[f.Symbol] = w.Func(f.Node)
		}
	}
	return out, nil
}

// errCaught stands for the error of what panicked.
var errCaught = errors.New("internal error")

// harmless are sites that say something about the machine or about what is left open, and nothing that a proof could rest on falsely by itself.
var harmless = []model.SiteKind{model.Uninterp, model.Layout, model.NoDecreases}

// tampering is what was done to be green without a proof.
type tampering struct {
	// of each function: with a baseline what differs from it, without one what is believed.
	of map[*model.Function][]string
	// gone are the symbols of the baseline's functions that are no longer there, and bare the functions that had a contract there and have none.
	gone []string
	bare []*model.Function
	// original is the baseline's model, and from the tree that it is of; nil: there is no baseline.
	original *model.Model
	from     *tree
}

// tampered looks for tampering with functions that are scored.
func (s *scorer) tampered(ctx context.Context, t *tree, m *model.Model, file string, fs []*model.Function) (*tampering, error) {
	out := &tampering{of: map[*model.Function][]string{}}
	if s.o.Baseline == "" {
		for _, f := range fs {
			out.of[f] = believed(m, f)
		}
		return out, nil
	}
	text, err := readPlain(s.o.Baseline)
	if err != nil {
		return nil, &InputError{fmt.Errorf("read the baseline: %w", err)}
	}
	base, err := newTree(ctx, &replaced{t.from, file, text}, newStore())
	if err != nil {
		return nil, err
	}
	if p := base.parsed(file); p.err != nil {
		return nil, &InputError{fmt.Errorf("read the baseline %s: %w", s.o.Baseline, p.err)}
	}
	bm, err := model.New(ctx, base, []string{file})
	if err != nil {
		return nil, err
	}
	out.original, out.from = bm, base
	in := &checks.Input{Pairs: pair.New(bm, m)}
	found, err := checks.Run(ctx, baselineRules(), in)
	if err != nil {
		return nil, err
	}
	unproved := map[string]bool{}
	for _, f := range m.Functions {
		unproved[f.Symbol] = unproved[f.Symbol] || f.Mode != model.Spec && f.Kind != model.TraitMethod && !f.BodyVerified
	}
	var everywhere []string
	for _, f := range found {
		// Helpers and lemmas may be added; what is there must stay, and nothing new may be believed. Of contracts that is what nobody checks: those that are
		// proved may change, but for those of the functions that are scored, see below, as long as words mean what they meant.
		if f.Rule == "edit/exec-added" || f.Severity < policy.Warning {
			continue
		}
		if strings.HasPrefix(f.Rule, "contract/") && !(f.Severity == policy.Error && unproved[f.Symbol]) && !strings.HasPrefix(f.Change, contract.OtherRules) {
			continue
		}
		everywhere = append(everywhere, fmt.Sprintf("%s at %s: %s", f.Rule, f.Symbol, f.Message))
	}
	for _, p := range in.Pairs.Functions {
		if p.Base != nil || p.Head.Mode != model.Exec {
			continue
		}
		for _, u := range in.Pairs.MayCall(p.Head) {
			everywhere = append(everywhere, fmt.Sprintf("%s may call %s, which is new", u.Head.Symbol, p.Head.Symbol))
		}
	}
	for _, x := range unbidden(m) {
		if !slices.Contains(unbidden(bm), x) {
			everywhere = append(everywhere, x)
		}
	}
	for _, p := range in.Pairs.Functions {
		if s.o.Function == "" && p.Base != nil && runs(p.Base) && len(p.Base.Contract()) > 0 && p.Head != nil && runs(p.Head) && !slices.Contains(fs, p.Head) {
			out.bare = append(out.bare, p.Head)
		}
	}
	fs = slices.Concat(fs, out.bare)
	for _, f := range fs {
		out.of[f] = slices.Clone(everywhere)
	}
	for _, p := range in.Pairs.Functions {
		if p.Base == nil || !runs(p.Base) || s.o.Function != "" && !policy.MatchSymbol(s.o.Function, p.Base.Symbol) {
			continue
		}
		if p.Head == nil {
			out.gone = append(out.gone, p.Base.Symbol)
			continue
		}
		if len(p.Base.Contract()) == 0 {
			continue // to write the contract is the task
		}
		if direction, _ := contract.Direction(in, p); direction != "equal" && direction != "stronger" && direction != "none" {
			for _, f := range fs {
				if f.Symbol == p.Head.Symbol {
					out.of[f] = append(out.of[f], fmt.Sprintf("the contract is %s compared with the baseline's", directionText(direction)))
				}
			}
		}
	}
	return out, nil
}

// unknown says of each crate what of it could not be read or understood, and is not so in the original too.
func unknown(m, original *model.Model) map[*model.Crate]string {
	// each hands over the problems of the files that were read, with the text that they are about.
	each := func(m *model.Model, yield func(f *model.File, p model.Problem, same string)) {
		files := map[string]*model.File{}
		for _, f := range m.Files {
			files[f.Path] = f
		}
		for _, p := range m.Problems {
			f, text := files[p.File], ""
			if f != nil && f.Syntax != nil {
				text = string(f.Syntax.Source.Text[p.Span.Start:p.Span.End])
			}
			if f != nil {
				yield(f, p, strings.Join([]string{p.File, p.Text, text}, "\x00"))
			}
		}
	}
	known := map[string]int{}
	if original != nil {
		each(original, func(_ *model.File, _ model.Problem, same string) { known[same]++ })
	}
	out := map[*model.Crate]string{}
	each(m, func(f *model.File, p model.Problem, same string) {
		if known[same]--; known[same] >= 0 || out[f.Crate] != "" {
			return
		}
		at := quotePath(p.File)
		if f.Syntax != nil && p.Span != (source.Span{}) {
			at += ":" + f.Syntax.Source.Position(p.Span.Start).String()
		}
		out[f.Crate] = at + ": " + p.Text
	})
	return out
}

// restsProved tells whether all that a proved function rests on is proved too: the verifier takes contracts for granted when it proves those that use them.
func restsProved(rests []*model.Function, run *checks.ProofRun) (score.Check, string) {
	for _, g := range rests {
		switch v := run.Functions[g]; {
		case v == nil && g.BodyVerified:
			return score.NotRun, fmt.Sprintf("it rests on %s, at which the verifier did not look", g.Symbol)
		case v == nil, v.Outcome == checks.ProofProved, v.Outcome == checks.ProofSkipped, v.Outcome == checks.ProofNotRun && !g.BodyVerified:
		case v.Outcome == checks.ProofNotRun:
			return score.NotRun, fmt.Sprintf("it rests on %s, at which the verifier did not look: %s", g.Symbol, v.Reason)
		default:
			return score.Failed, fmt.Sprintf("it rests on %s, which is not proved: %v: %s", g.Symbol, v.Outcome, v.Reason)
		}
	}
	if len(run.Loose) > 0 {
		return score.Failed, "it may rest on what failed outside of functions: " + run.Loose[0].Message
	}
	for _, p := range run.Problems {
		if p.Kind == checks.ProblemInternal {
			return score.Failed, "something failed, and the verifier does not say what: " + p.Text
		}
	}
	return score.Passed, ""
}

// believed says what a function or its proof believes without proof: its own sites, those of the functions that it rests on, and those of the files around it that
// belong to no function.
func believed(m *model.Model, f *model.Function) []string {
	var out []string
	for _, site := range f.Sites {
		if !slices.Contains(harmless, site.Kind) {
			out = append(out, fmt.Sprintf("believed without proof (%s): %s", site.Kind, site.Text))
		}
	}
	for _, g := range m.RestsOn(f) {
		if g.Name == "drop" && !g.Verified && g.Mode == model.Exec && g.Kind == model.TraitImplMethod {
			out = append(out, fmt.Sprintf("%s runs, and is not verified", g.Symbol))
		}
		for _, site := range g.Sites {
			if !slices.Contains(harmless, site.Kind) {
				out = append(out, fmt.Sprintf("it rests on %s in %s, which is believed without proof (%s)", site.Text, g.Symbol, site.Kind))
			}
		}
	}
	out = append(out, unbidden(m)...)
	for _, it := range m.Items {
		for _, site := range it.Sites {
			// Types whose inside nobody looks at promise nothing by themselves.
			if !slices.Contains(harmless, site.Kind) && site.Kind != model.ExternalType && site.Kind != model.ExternalDerive {
				out = append(out, fmt.Sprintf("believed without proof around it (%s): %s", site.Kind, site.Text))
			}
		}
	}
	return out
}

// unbidden says what has code run that nothing calls, or in the place of other code.
func unbidden(m *model.Model) []string {
	var out []string
	look := func(symbol string, attrs []string) {
		for _, a := range attrs {
			words := strings.FieldsFunc(strings.TrimPrefix(a, "unsafe"), func(c rune) bool { return strings.ContainsRune(" (=)", c) })
			if len(words) > 0 && slices.Contains([]string{"export_name", "global_allocator", "link_section", "no_mangle"}, words[0]) {
				out = append(out, fmt.Sprintf("%s runs without being called (%s)", symbol, a))
			}
		}
	}
	for _, f := range m.Functions {
		look(f.Symbol, f.Attrs)
	}
	for _, it := range m.Items {
		look(it.Symbol, it.Attrs)
	}
	return out
}

// newView tells whether a type has a view that it did not have, or another one: what the author of a contract hides by it is not what nobody needs to know.
func newView(base, head *model.Model) bool {
	views := func(m *model.Model) map[string]string {
		out := map[string]string{}
		for _, f := range m.Functions {
			if f.Name == "view" && f.Mode == model.Spec {
				out[f.Symbol] = f.Body
			}
		}
		return out
	}
	was := views(base)
	for symbol, body := range views(head) {
		if old, ok := was[symbol]; !ok || old != body {
			return true
		}
	}
	return false
}

// replaced is a tree in which one file has another text.
type replaced struct {
	lister
	file string
	text []byte
}

func (r *replaced) Entries(ctx context.Context) ([]gitrepo.Entry, error) {
	entries, err := r.lister.Entries(ctx)
	out := slices.Clone(entries)
	for i := range out {
		if out[i].Path == r.file {
			out[i].ID = "baseline" // no path and no hash of git's
		}
	}
	return out, err
}

func (r *replaced) Read(ctx context.Context, paths []string, maxSize int64) (map[string]gitrepo.Content, error) {
	others := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == r.file })
	out, err := r.lister.Read(ctx, others, maxSize)
	if err == nil && len(others) < len(paths) {
		out[r.file] = gitrepo.Content{Data: r.text, Size: int64(len(r.text))}
	}
	return out, err
}

func directionText(d string) string {
	if d == "unknown" {
		return "not known to be as strong"
	}
	return d
}

// baselineRules are those that find out what was tampered with.
func baselineRules() []*checks.Rule {
	var out []*checks.Rule
	for _, r := range registry.Rules() {
		if (r.Family == checks.Trust || r.Family == checks.Edit || r.Family == checks.Contract) && r.Needs&(checks.NeedVerifier|checks.NeedSuite) == 0 {
			out = append(out, r)
		}
	}
	return out
}

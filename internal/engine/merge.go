package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/verus"
)

// parts are all parts of a check, in the order of their numbers, with what this run takes from them instead of asking the verifier and running code.
// The nil parts stand for a run that does so.
type parts struct {
	files   []*shard.File
	seeds   map[shard.Function]checks.SeedRuns
	answers map[place][]answered
	// lacking is the first that is in none of the parts although one should have it.
	lacking error
}

// place is where questions are put.
type place struct {
	about               shard.About
	try                 int
	crate, file, module string
}

type answered struct {
	shard.Answer
	from shard.Number
}

// MergeError says that the parts of a check do not make a whole: one is missing, or two do not go together. Nothing is known of the change then.
type MergeError struct{ Err error }

func (e *MergeError) Error() string { return e.Err.Error() }
func (e *MergeError) Unwrap() error { return e.Err }

func notWhole(format string, args ...any) error { return &MergeError{fmt.Errorf(format, args...)} }

// MergeShards gives what Check would have given, from what all parts of the check came to. o says what was checked, and must say what it said to each
// part; its Verifier and Compiler are not used. Errors are a MergeError, or as of Check.
func MergeShards(ctx context.Context, o Options, files []*shard.File) (*Result, error) {
	files, err := arrange(files)
	if err != nil {
		return nil, err
	}
	first := files[0]
	// Whether they were there is in the parts.
	o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return nil, nil }
	o.Compiler, o.Confine = nil, first.Confine
	if first.Run {
		o.Compiler = func() (Compiler, error) { return Compiler{}, nil }
	}
	r, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := same(r.header(), first, "this run", "the shards"); err != nil {
		return nil, notWhole("%w; what was checked must be said as it was said to the shards", err)
	}
	var late []string
	for _, f := range files {
		if f.Unfinished != "" {
			late = append(late, fmt.Sprintf("shard %d of %d: %s", f.Shard.K, f.Shard.Of, f.Unfinished))
		}
	}
	if len(late) > 0 {
		return r.result(r.notDone(late...), true), nil
	}
	analysis, err := r.analysis()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Analysis != analysis {
			hint := "check the same commits"
			if r.sides.headCommit.ID == "" {
				hint += ", or keep in the " + r.sides.headName + " nothing that the others had not, such as the files of shards"
			}
			return nil, notWhole("shard %d of %d looked at another change than this run: the sources are not the same; %s", f.Shard.K, f.Shard.Of, hint)
		}
	}
	if r.parts, err = newParts(files); err != nil {
		return nil, err
	}
	report, err := r.check()
	if err != nil {
		return nil, err
	}
	if r.parts.lacking != nil {
		return nil, r.parts.lacking
	}
	report.Simulation = r.simulation()
	return r.result(report, false), nil
}

// arrange puts the parts of one check into the order of their numbers.
func arrange(files []*shard.File) ([]*shard.File, error) {
	if len(files) == 0 {
		return nil, notWhole("there are no shards")
	}
	out := make([]*shard.File, files[0].Shard.Of)
	for _, f := range files {
		if f.Shard.Of != len(out) {
			return nil, notWhole("shard %d of %d and shard %d of %d are not of one division", files[0].Shard.K, len(out), f.Shard.K, f.Shard.Of)
		}
		if out[f.Shard.K-1] != nil {
			return nil, notWhole("shard %d of %d is there twice", f.Shard.K, f.Shard.Of)
		}
		out[f.Shard.K-1] = f
	}
	var missing []string
	for i, f := range out {
		if f == nil {
			missing = append(missing, fmt.Sprint(i+1))
		}
	}
	if len(missing) > 0 {
		return nil, notWhole("of %d shards these are missing: %s; without them nothing is known of the whole", len(out), strings.Join(missing, ", "))
	}
	for _, f := range out[1:] {
		if err := same(out[0], f, fmt.Sprintf("shard %d", out[0].Shard.K), fmt.Sprintf("shard %d", f.Shard.K)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// same tells whether two parts are of one check; else the error says what they differ in.
func same(a, b *shard.File, nameA, nameB string) error {
	for _, x := range []struct{ what, a, b string }{
		{"the version of specgate", a.Specgate.Version, b.Specgate.Version},
		{"the base", a.Base.Rev, b.Base.Rev},
		{"the head", a.Head.Rev, b.Head.Rev},
		{"the policy", a.Policy.Source + " " + a.Policy.SHA256, b.Policy.Source + " " + b.Policy.SHA256},
		{"--seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed)},
		{"--only", joinFamilies(a.Only), joinFamilies(b.Only)},
		{"--function", a.Function, b.Function},
	} {
		if x.a != x.b {
			return notWhole("%s of %s is %q, and of %s %q", x.what, nameA, x.a, nameB, x.b)
		}
	}
	return nil
}

// newParts compares what parts that are done say of the verifier and the compiler.
func newParts(files []*shard.File) (*parts, error) {
	p := &parts{files: files, seeds: map[shard.Function]checks.SeedRuns{}, answers: map[place][]answered{}}
	first := files[0]
	var rustc *checks.Tool
	for _, f := range files {
		if f.Run != first.Run || f.Confine != first.Confine {
			return nil, notWhole("shard %d and shard %d were not to run code of the change in the same way (--no-run, --confine)", first.Shard.K, f.Shard.K)
		}
		if a, b := describe(first.Verifier), describe(f.Verifier); a != b {
			return nil, notWhole("shard %d had another verifier than shard %d: %s, and %s", f.Shard.K, first.Shard.K, b, a)
		}
		if t := f.Strength.Rustc; t != nil && rustc != nil && *t != *rustc {
			return nil, notWhole("not all shards had the same compiler: %s, and shard %d %s", rustc.Version, f.Shard.K, t.Version)
		} else if t != nil {
			rustc = t
		}
		for _, s := range f.Seeds {
			if _, ok := p.seeds[s.Function]; ok {
				return nil, notWhole("two shards say how the proof of %s goes with other seeds", s.Function.Symbol)
			}
			p.seeds[s.Function] = s.Runs
		}
		for _, a := range f.Answers {
			at := place{a.About, a.Try, a.Crate, a.File, a.Module}
			p.answers[at] = append(p.answers[at], answered{a, f.Shard})
		}
	}
	return p, nil
}

// describe says what a part had to verify with.
func describe(v shard.Verifier) string {
	var out []string
	if v.Tool != nil {
		out = append(out, fmt.Sprintf("Verus %s with Rust %s and solver %s", v.Tool.Version, v.Tool.Toolchain, v.Tool.Solver))
	} else if !v.Found {
		out = append(out, "none")
	}
	for _, r := range v.Reasons {
		out = append(out, r.Text)
	}
	return strings.Join(out, "; ")
}

// proofs puts the verifier's runs together.
func (p *parts) proofs(r *runner) (*proofs, error) {
	v := p.files[0].Verifier
	r.found = v.Found
	for _, x := range v.Reasons {
		r.reason(x.Blocks, x.Stage, "%s", x.Text)
	}
	if v.Tool == nil {
		return nil, nil
	}
	tool := *v.Tool
	r.report.Tools.Verus = &tool
	if !v.Ran {
		return nil, nil
	}
	out := &proofs{}
	out.manifest, out.roots, _ = r.toVerify()
	units := out.roots
	if len(units) == 0 {
		units = []string{out.manifest}
	}
	n := len(p.files)
	tool.Cached = checks.Cached{Base: true, Head: true}
	var base, head []*verus.Run
	for _, unit := range units {
		var owned *shard.Proof
		var from shard.Number
		for k := range n {
			number := shard.Number{K: k + 1, Of: n}
			if number.Owns(shard.ProofOf, unit) {
				owned, from = p.proof(k, unit), number
			}
		}
		if owned == nil {
			return nil, notWhole("shard %d has no proof of %s, which is its own", from.K, unit)
		}
		b, err := owned.Base.Run.Restore()
		if err != nil {
			return nil, notWhole("shard %d: %s: %w", from.K, unit, err)
		}
		h, err := owned.Head.Run.Restore()
		if err != nil {
			return nil, notWhole("shard %d: %s: %w", from.K, unit, err)
		}
		for k := range n {
			other := p.proof(k, unit)
			if other == nil {
				continue
			}
			tool.Cached.Base, tool.Cached.Head = tool.Cached.Base && other.Base.Cached, tool.Cached.Head && other.Head.Cached
			for _, side := range []struct {
				name string
				a    *verus.Run
				b    *verus.Saved
			}{{"base", b, &other.Base.Run}, {"head", h, &other.Head.Run}} {
				if x, err := side.b.Restore(); err != nil || !verus.Agree(side.a, x) {
					return nil, notWhole("shard %d and shard %d do not agree on the proof of %s in %s: the verifier says %s, and %s; run them again, with a longer verus.timeout if one ran out of time",
						from.K, k+1, unit, side.name, side.a.Outcome, side.b.Said.Outcome)
				}
			}
		}
		base, head = append(base, b), append(head, h)
	}
	out.base, out.head = verus.Merge(base...), verus.Merge(head...)
	for _, side := range []struct {
		run *verus.Run
		of  func(*shard.Proof) *verus.Run
	}{{out.base, func(x *shard.Proof) *verus.Run { return &x.Base.Run.Said }}, {out.head, func(x *shard.Proof) *verus.Run { return &x.Head.Run.Said }}} {
		var all [][]sandbox.Protection
		for _, f := range p.files {
			for i := range f.Proofs {
				all = append(all, side.of(&f.Proofs[i]).Protections)
			}
		}
		side.run.Protections = weakest(all)
	}
	r.report.Tools.Sandbox = isolation(out.head, out.base)
	return out, nil
}

func (p *parts) proof(k int, unit string) *shard.Proof {
	i := slices.IndexFunc(p.files[k].Proofs, func(x shard.Proof) bool { return x.Unit == unit })
	if i < 0 {
		return nil
	}
	return &p.files[k].Proofs[i]
}

// weakest is what held in all of some runs: machines need not give the same.
func weakest(all [][]sandbox.Protection) []sandbox.Protection {
	var out []sandbox.Protection
	for _, ps := range all {
		if len(ps) == 0 {
			continue
		}
		if out == nil {
			out = slices.Clone(ps)
			continue
		}
		for i, o := range out {
			k := slices.IndexFunc(ps, func(p sandbox.Protection) bool { return p.Name == o.Name })
			switch {
			case k < 0:
				out[i].On, out[i].Detail = false, "not in all shards"
			case o.On && !ps[k].On:
				out[i] = ps[k]
			}
		}
	}
	return out
}

// again gives how proofs went with other seeds.
func (p *parts) again(fs []*model.Function) map[*model.Function]checks.SeedRuns {
	out := map[*model.Function]checks.SeedRuns{}
	for _, f := range fs {
		if n, ok := p.seeds[nameOf(f)]; ok {
			out[f] = n
		}
	}
	return out
}

// lack notes that an answer is missing which one of the parts should have.
func (p *parts) lack(format string, args ...any) {
	if p.lacking == nil {
		p.lacking = notWhole(format, args...)
	}
}

// via gives what the parts say to shadows.
func (p *parts) via(about shard.About) prove.Via {
	return func(try int, x *obligation.Shadow, _ func() (*prove.Said, error)) (*prove.Said, error) {
		said := &prove.Said{Verdicts: make([]obligation.Verdict, len(x.Parts))}
		answers := p.answers[place{about, try, x.Crate.Key, x.File, x.Module}]
		used := map[shard.Number]bool{}
		for i, part := range x.Parts {
			key := prove.PartKey(x, part)
			found := false
			for _, a := range answers {
				for _, y := range a.Parts {
					if y.Key != key || part.Obligation != nil && (y.Question != part.Obligation.Question.String() || y.Symbol != part.Obligation.Function.Symbol) {
						continue
					}
					v, err := shard.VerdictOf(y.Verdict)
					if err != nil {
						return nil, notWhole("shard %d: %w", a.from.K, err)
					}
					// The one that must not be proved is in the answers of each part.
					if part.Obligation == nil && found && v != obligation.Proved {
						continue
					}
					said.Verdicts[i], found, used[a.from] = v, true, true
					if part.Obligation != nil {
						break
					}
				}
				if found && part.Obligation != nil {
					break
				}
			}
			if !found && part.Obligation != nil && !p.stopped(about) {
				p.lack("no shard has the answer to the question %q about %s", part.Obligation.Question, part.Obligation.Function.Symbol)
			}
		}
		for _, a := range answers {
			if !used[a.from] {
				continue
			}
			said.Problems = append(said.Problems, a.Problems...)
			said.Crate, said.Module, said.Told = said.Crate || a.CrateDone, said.Module || a.ModuleDone, said.Told || a.ModuleTold
		}
		return said, nil
	}
}

// stopped tells whether a part came to an end before it had asked all questions; one of its answers says so.
func (p *parts) stopped(about shard.About) bool {
	return slices.ContainsFunc(p.files, func(f *shard.File) bool {
		return slices.ContainsFunc(f.Answers, func(a shard.Answer) bool { return a.About == about && a.NothingMore != "" })
	})
}

// measured puts together what was measured of the subjects. nil: nothing was, and a reason says why.
func (p *parts) measured(r *runner, subjects []*measure.Subject) (*checks.StrengthInput, error) {
	pairs := map[shard.Function]*shard.Pair{}
	var why []string
	did, blocks := false, false
	var protections [][]sandbox.Protection
	for _, f := range p.files {
		if f.Strength.NotRun != "" {
			why, blocks = append(why, f.Strength.NotRun), blocks || f.Strength.Blocks
		}
		for i := range f.Strength.Functions {
			x := &f.Strength.Functions[i]
			if pairs[x.Function] != nil {
				return nil, notWhole("two shards measured %s", x.Function.Symbol)
			}
			pairs[x.Function] = x
			did = true
		}
		if f.Strength.Rustc != nil {
			r.report.Tools.Rustc = f.Strength.Rustc
		}
		protections = append(protections, f.Strength.Protections)
	}
	if len(why) > 0 {
		slices.Sort(why)
		if why = slices.Compact(why); len(why) > 1 || did {
			return nil, notWhole("some shards measured the strength of contracts, or could not for another reason, and others not: %s", strings.Join(why, "; "))
		}
		for _, f := range p.files {
			for _, text := range f.Strength.Reasons {
				r.reason(true, string(checks.Strength), "%s", text)
			}
		}
		r.notRun(blocks, "%s", why[0])
		return nil, nil
	}
	if err := p.aboutCases(r, subjects); err != nil {
		return nil, err
	}
	if w := weakest(protections); w != nil && r.report.Tools.Sandbox == nil {
		r.report.Tools.Sandbox = sandboxOf(w)
	}
	asked := r.asksCases()
	out := r.strengthInput(nil)
	for _, s := range subjects {
		x := pairs[nameOf(s.Head.Function)]
		if x == nil {
			return nil, notWhole("no shard measured %s", s.Symbol)
		}
		r.givenUp(s.Symbol, x.GivenUp)
		from := &x.Alone
		if asked && x.Asked != nil {
			from = x.Asked
		}
		pair := &checks.StrengthPair{Pair: s.Pair, Comparable: from.Comparable, Delta: from.Delta, Lost: from.Lost, Unchanged: s.Unchanged}
		var err error
		if pair.Base, err = restoreSuite(from.Base, s.Base, r.base); err == nil {
			pair.Head, err = restoreSuite(from.Head, s.Head, r.head)
		}
		if err != nil {
			return nil, notWhole("what was measured of %s: %w", s.Symbol, err)
		}
		out.Functions = append(out.Functions, pair)
	}
	if asked {
		p.caseProblems(r)
	}
	return out, nil
}

// aboutCases says which cases of the repository could not be used, in the order in which functions are measured.
func (p *parts) aboutCases(r *runner, subjects []*measure.Subject) error {
	_, groups, err := r.measuring(subjects)
	if err != nil {
		return err
	}
	for _, g := range groups {
		for _, i := range g.at {
			for _, f := range p.files {
				for _, text := range f.Strength.Reasons {
					if strings.HasPrefix(text, subjects[i].Symbol+": ") {
						r.reason(true, string(checks.Strength), "%s", text)
					}
				}
			}
		}
	}
	return nil
}

// caseProblems says what came up when the verifier was asked about spectests.
func (p *parts) caseProblems(r *runner) {
	var all []answered
	for at, l := range p.answers {
		if at.about == shard.Cases {
			all = append(all, l...)
		}
	}
	slices.SortFunc(all, func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.Try, b.Try), strings.Compare(a.Crate+"\x00"+a.File+"\x00"+a.Module, b.Crate+"\x00"+b.File+"\x00"+b.Module), cmp.Compare(a.from.K, b.from.K))
	})
	for _, a := range all {
		for _, text := range a.Problems {
			r.reason(false, string(checks.Proof), "%s", text)
		}
	}
}

func restoreSuite(m *shard.Suite, side *measure.Side, t *tree) (*checks.Measured, error) {
	if (m == nil) != (side == nil) {
		return nil, errors.New("one side more or less than the function has")
	}
	if m == nil {
		return nil, nil
	}
	out := &checks.Measured{Function: side.Function, NotApplicable: m.NotApplicable, Unmeasured: m.Unmeasured, Void: m.Void, Ran: m.Ran}
	if m.Spectests != nil {
		s := *m.Spectests
		out.Suite = &s
	}
	if x := m.Refuted; x != nil {
		out.Refuted = &checks.Refutation{Escape: x.Escape, Clause: x.Clause, Span: x.Span}
		if x.File != "" {
			if out.Refuted.File = t.source(x.File); out.Refuted.File == nil {
				return nil, fmt.Errorf("there is no file %s", x.File)
			}
		}
	}
	return out, nil
}

// toVerify are the roots that are verified, or the manifest of the workspace. ok is false if there is neither.
func (r *runner) toVerify() (manifest string, roots []string, ok bool) {
	manifest, roots = r.policy.Verus.Manifest, r.policy.Verus.Roots
	if len(roots) > 0 || r.head.has(manifest) {
		return manifest, roots, true
	}
	// No Cargo package: the file that is the root of a crate by custom.
	for _, root := range []string{"src/lib.rs", "src/main.rs"} {
		if r.head.has(path.Join(path.Dir(manifest), root)) {
			roots = append(roots, path.Join(path.Dir(manifest), root))
		}
	}
	return manifest, roots, len(roots) > 0
}

// Package engine is the pipeline: two trees of a git repository go in, a report comes out.
//
// What could not be checked never reads as a pass: each such place is a reason in the report. Only what the change touches
// counts: a place that was not understood and is the same on both sides is no reason.
package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/verus"
)

// Options of Check.
type Options struct {
	// Repo is a directory of the repository; empty means the current one.
	Repo string
	// Base is the revision to compare with; empty means the merge base of the head with the default branch.
	Base string
	// Head is the revision to check; empty means the working tree, or the index when Staged is set.
	Head   string
	Staged bool
	// Policy is a file to read the policy from, instead of the base revision.
	Policy string
	// Only are the families of rules to run; empty means all.
	Only []checks.Family
	// Function is a pattern of symbols (policy.MatchSymbol); what is about other symbols is left out. Empty means all.
	Function string
	// Verifier finds the verifier to run on both sides, of a release, or of any if that is empty. nil, or a verifier that is nil: none is run.
	Verifier func(ctx context.Context, release string) (*verus.Verifier, error)
	// Compiler finds what compiles code of the change, to measure the strength of contracts; an error says why there is none. nil: nothing of the
	// change is run for that.
	Compiler func() (Compiler, error)
	// Confine isolates what builds and runs the change in full, or does not run it, and lets it read nothing but what it needs, whatever the
	// policy says: a policy is written by the owners of a repository, who need not be those of this machine.
	Confine bool
	// Seed is that of everything drawn at random; nil: the policy's.
	Seed *uint64
	// Cache is the directory that the verifier's answers, and what was measured, are kept in; empty: they are not.
	Cache string
	// HeadCache is such a directory for what is said of this head, which nobody has accepted yet. It belongs to this pull request, and no other
	// may read or write it; empty: that is not kept.
	HeadCache string
	// Jobs is how many files are parsed at once; at least 1. With more than one, base and head may be verified at the same time.
	Jobs int
	// Memory is how many bytes are free, 0 if that is not known; nil: what this machine says.
	Memory func() int64
	// Timeout ends the run; 0: nothing does. What was not checked by then is a reason of the report.
	Timeout time.Duration
	// Today decides which waivers have run out.
	Today policy.Date
	// Version of specgate, for the report.
	Version string
	Log     *slog.Logger
}

// Result of Check.
type Result struct {
	Report *checks.Report
	// Policy that judged the change, or would have.
	Policy *policy.Policy
	// TimedOut tells that Options.Timeout ended the run: the report has nothing but that as a reason, whatever the policy says about
	// inconclusive outcomes.
	TimedOut bool

	base, head *tree
}

// Source gives the text of a file of one side, or nil if it cannot be had.
func (r *Result) Source(side annotate.Side, file string) *source.File {
	if side == annotate.Base {
		return r.base.source(file)
	}
	return r.head.source(file)
}

// InputError is a mistake in what was asked for: a directory, a revision, a pattern.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// The families whose rules need nothing but the sources.
func static(f checks.Family) bool {
	return f == checks.Trust || f == checks.Edit || f == checks.Contract
}

// TimeoutError says that Options.Timeout ended a run before it had anything to report.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the time limit of %v ran out and nothing was checked; give the run more time, or less to do", e.After)
}

// Check compares two trees of a repository and judges the difference. When its time runs out after it has found what to compare, the
// result is an inconclusive report, and before that a TimeoutError.
func Check(ctx context.Context, o Options) (*Result, error) {
	return inTime(ctx, o.Timeout, func(ctx context.Context) (*Result, error) { return check(ctx, o) })
}

// inTime ends what it runs after a time; 0 is no limit.
func inTime[T any](ctx context.Context, limit time.Duration, run func(context.Context) (T, error)) (T, error) {
	if limit <= 0 {
		return run(ctx)
	}
	// Not a deadline: the result reads sources when the time of the run is over.
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(&TimeoutError{limit}) })
	defer timer.Stop()
	result, err := run(ctx)
	if late := timedOut(ctx); err != nil && late != nil {
		return result, late
	}
	return result, err
}

// timedOut is why a context ended, if that was the time limit; nil otherwise.
func timedOut(ctx context.Context) *TimeoutError {
	var late *TimeoutError
	errors.As(context.Cause(ctx), &late)
	return late
}

func check(ctx context.Context, o Options) (*Result, error) {
	r, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	report, err := r.check()
	late := timedOut(ctx)
	if err != nil && late != nil {
		report = r.unfinished(late)
	} else if late = nil; err != nil {
		return nil, err
	} else {
		report.Simulation = r.simulation()
	}
	r.logWork()
	return r.result(report, late != nil), nil
}

func (r *runner) result(report *checks.Report, late bool) *Result {
	report.Base.Rev, report.Head.Rev = r.sides.baseName, r.sides.headName
	return &Result{Report: report, Policy: r.policy, TimedOut: late, base: r.base, head: r.head}
}

// start finds what is to be compared, and the policy that judges it.
func start(ctx context.Context, o Options) (*runner, error) {
	families, err := selectFamilies(o.Only, o.Verifier != nil, o.Compiler != nil)
	if err != nil {
		return nil, err
	}
	sides, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Log.Info("compare", "base", sides.baseName, "head", sides.headName)
	pol, err := readPolicy(ctx, o, sides)
	if err != nil {
		return nil, err
	}
	changes, err := gitrepo.Changes(ctx, sides.base, sides.head)
	if err != nil {
		return nil, err
	}
	r := &runner{o: o, ctx: ctx, work: &work{since: time.Now()}, sides: sides, written: pol, policy: o.applied(pol), families: families, changes: changes}
	store := newStore()
	if r.base, err = newTree(ctx, sides.base, store); err != nil {
		return nil, err
	}
	if r.head, err = newTree(ctx, sides.head, store); err != nil {
		return nil, err
	}
	return r, nil
}

// applied is a policy as it applies where the options go before it.
func (o *Options) applied(p *policy.Policy) *policy.Policy {
	out := *p
	if o.Confine {
		out.Gate.Sandbox, out.Verus.Read = policy.SandboxRequire, nil
	}
	if o.Seed != nil {
		out.Strength.Seed = *o.Seed
	}
	return &out
}

// unfinished is the report of a run that ended before its rules had all run: what they have found so far says nothing about the rest.
func (r *runner) unfinished(late *TimeoutError) *checks.Report {
	return r.notDone(fmt.Sprintf("the time limit of %v ran out before the change was checked", late.After))
}

// notDone is the report of a run of which nothing can be said but why.
func (r *runner) notDone(why ...string) *checks.Report {
	report := r.newReport()
	report.Outcome = checks.OutcomeInconclusive
	for _, text := range why {
		report.Reasons = append(report.Reasons, checks.Reason{Stage: "time", Text: text + "; nothing is known about " + joinFamilies(r.families)})
	}
	return report
}

// selectFamilies gives the families to run. It is an error to ask only for what cannot be done.
func selectFamilies(only []checks.Family, verifier, compiler bool) ([]checks.Family, error) {
	if len(only) == 0 {
		return checks.Families(), nil
	}
	if !slices.ContainsFunc(only, func(f checks.Family) bool {
		return static(f) || verifier && f == checks.Proof || compiler && f == checks.Strength
	}) {
		return nil, &InputError{fmt.Errorf("only %s asked for: proof needs a verifier (--verus), and strength runs code of the change, which --no-run forbids; trust, edit and contract need neither",
			joinFamilies(only))}
	}
	return only, nil
}

func joinFamilies(fs []checks.Family) string {
	words := make([]string, len(fs))
	for i, f := range fs {
		words[i] = string(f)
	}
	return strings.Join(words, ", ")
}

// sides are the two trees of a comparison.
type sides struct {
	repo               *gitrepo.Repo
	base, head         *gitrepo.Tree
	baseName, headName string
	// The commits; of a head that is none, zero.
	baseCommit, headCommit gitrepo.Commit
	// ahead is what is to be known of a base that was named and has what the head does not have; empty: it has nothing more.
	ahead string
}

func open(ctx context.Context, o Options) (*sides, error) {
	repo, err := gitrepo.Open(ctx, cmp.Or(o.Repo, "."))
	if err != nil {
		return nil, &InputError{err}
	}
	s := &sides{repo: repo}
	tip := gitrepo.Commit{}
	switch {
	case o.Head != "":
		if tip, err = repo.Resolve(ctx, o.Head); err != nil {
			return nil, &InputError{fmt.Errorf("head %w", err)}
		}
		s.head, s.headName, s.headCommit = repo.CommitTree(tip), tip.ID, tip
	case o.Staged:
		s.headName = "index"
		if s.head, err = repo.IndexTree(); err != nil {
			return nil, &InputError{err}
		}
	default:
		s.headName = "working tree"
		if s.head, err = repo.WorkTree(); err != nil {
			return nil, &InputError{err}
		}
	}
	if o.Base != "" {
		base, err := repo.Resolve(ctx, o.Base)
		if err != nil {
			return nil, &InputError{fmt.Errorf("base %w", err)}
		}
		s.base, s.baseName, s.baseCommit = repo.CommitTree(base), base.ID, base
		s.ahead = ahead(ctx, repo, base, tip)
		return s, nil
	}
	if tip.ID == "" {
		if tip, err = repo.Resolve(ctx, "HEAD"); err != nil {
			return nil, &InputError{err}
		}
	}
	branch, err := repo.DefaultBranch(ctx)
	if err != nil {
		return nil, &InputError{err}
	}
	target, err := repo.Resolve(ctx, branch)
	if err != nil {
		return nil, fmt.Errorf("default branch: %w", err)
	}
	base, err := repo.MergeBase(ctx, target, tip)
	if err != nil {
		return nil, err
	}
	s.base, s.baseName, s.baseCommit = repo.CommitTree(base), base.ID, base
	return s, nil
}

// ahead says that a base is not where the head began, and what to name instead. A clone that lacks the history does not tell.
func ahead(ctx context.Context, repo *gitrepo.Repo, base, tip gitrepo.Commit) string {
	var err error
	if tip.ID == "" {
		if tip, err = repo.Resolve(ctx, "HEAD"); err != nil {
			return ""
		}
	}
	common, err := repo.MergeBase(ctx, base, tip)
	if err != nil || common.ID == base.ID {
		return ""
	}
	n, err := repo.Without(ctx, base, tip)
	if err != nil {
		return ""
	}
	commits := "1 commit"
	if n != 1 {
		commits = fmt.Sprintf("%d commits", n)
	}
	text := fmt.Sprintf("base %.12s has %s that the head does not have, and what changed there reads as undone", base.ID, commits)
	if common.ID == tip.ID {
		return text // the head is older, and was named so
	}
	return text + fmt.Sprintf("; to leave that out, name the merge base: --base %.12s", common.ID)
}

// maxPolicy is more than policy.Parse takes, so that it is the one to complain.
const maxPolicy = 1 << 20

func readPolicy(ctx context.Context, o Options, s *sides) (*policy.Policy, error) {
	infos := RuleInfos()
	if o.Policy != "" {
		text, err := os.ReadFile(o.Policy)
		if err != nil {
			return nil, &InputError{fmt.Errorf("read the policy: %w", err)}
		}
		return policy.Parse(o.Policy, text, infos)
	}
	text, found, err := policyText(ctx, s.base, "base "+s.baseName)
	if err != nil {
		return nil, err
	}
	if !found {
		return policy.Default(), nil
	}
	p, err := policy.Parse(policy.FileName, text, infos)
	if err != nil {
		return nil, fmt.Errorf("the policy of base %.12s:\n%w\n%s", s.baseName, err, policy.Recovery)
	}
	p.Source = s.baseName + ":" + policy.FileName
	return p, nil
}

// policyText reads the policy of a tree, which is called side. found: there is one.
func policyText(ctx context.Context, from *gitrepo.Tree, side string) (text []byte, found bool, err error) {
	entries, err := from.Entries(ctx)
	if err != nil {
		return nil, false, err
	}
	i := slices.IndexFunc(entries, func(e gitrepo.Entry) bool { return e.Path == policy.FileName })
	if i < 0 {
		return nil, false, nil
	}
	if !isFile(entries[i]) {
		return nil, true, &InputError{fmt.Errorf("the policy %s of %s is a %s; make it a file", policy.FileName, side, article(entries[i].Kind))}
	}
	contents, err := from.Read(ctx, []string{policy.FileName}, maxPolicy)
	if err != nil {
		return nil, true, err
	}
	c := contents[policy.FileName]
	if c.TooLarge {
		return nil, true, &InputError{fmt.Errorf("the policy %s of %s has %d bytes; the most is %d", policy.FileName, side, c.Size, maxPolicy)}
	}
	return c.Data, true, nil
}

// runner is one run over two trees.
type runner struct {
	o          Options
	ctx        context.Context
	sides      *sides
	policy     *policy.Policy
	written    *policy.Policy // policy, before the options went before it
	families   []checks.Family
	changes    []gitrepo.Change
	base, head *tree
	report     *checks.Report
	pairs      *pair.Pairs
	input      *checks.Input
	proofs     *proofs // nil: no verifier was run
	share      *share  // nil: all is done here
	parts      *parts  // nil: nothing was done elsewhere
	found      bool    // there is a verifier, or there should be one
	stores     *stores // nil: not opened, or there are none
	noStores   bool
	accepts    map[string]bool // by commit, what accepted says
	// protections of this machine; nil: not tried yet, for what is kept.
	protections []sandbox.Protection
	work        *work
	// blocked says that a reason is about something that had to be checked.
	blocked bool
	// undecided is what there was before the policy judged it, for another policy.
	undecided evidence
	// ofHead says that the policy is that of the head.
	ofHead bool
	// bounded says that the policy is one that may be made to take long, and that judging by it is to fail where it would.
	bounded bool
}

// evidence is what a run found out before its policy judged it.
type evidence struct {
	findings []checks.Finding
	reasons  []checks.Reason
	blocked  bool
	tools    checks.Tools
}

// reason notes that something was not checked. One that blocks makes the outcome inconclusive.
func (r *runner) reason(blocks bool, stage, format string, args ...any) {
	reason := checks.Reason{Stage: stage, Text: fmt.Sprintf(format, args...)}
	r.blocked = r.blocked || blocks
	if !slices.Contains(r.report.Reasons, reason) {
		r.report.Reasons = append(r.report.Reasons, reason)
	}
}

func (r *runner) check() (_ *checks.Report, err error) {
	defer func() {
		if r.proofs != nil {
			r.proofs.close(r.o.Log)
		}
		err = errors.Join(err, r.stores.close())
	}()
	start := time.Now()
	r.report = r.newReport()
	if err := r.buildPairs(); err != nil {
		return nil, err
	}
	r.o.Log.Info("read the change", "files", len(r.changes), "functions", len(r.pairs.Functions), "took", time.Since(start))

	start = time.Now()
	r.input = &checks.Input{Pairs: r.pairs, Files: r.otherFiles()}
	if p, err := r.proposed(); err != nil {
		return nil, err
	} else if p != nil {
		r.input.PolicyErrors = p.errors
	}
	if r.proofs != nil {
		if r.input.Proof, err = r.proofs.input(r); err != nil {
			return nil, err
		}
		for _, t := range []*tree{r.base, r.head} {
			if err := r.unread(t); err != nil {
				return nil, err
			}
		}
	}
	if err := r.ask(); err != nil {
		return nil, err
	}
	r.work.done("questions")
	if err := r.measureStrength(); err != nil {
		return nil, err
	}
	r.work.done("strength")
	if r.share != nil {
		return r.report, nil // what follows from it is for who has all parts
	}
	findings, err := checks.Run(r.ctx, r.rules(), r.input)
	if err != nil {
		return nil, err
	}
	r.o.Log.Info("ran the rules", "findings", len(findings), "took", time.Since(start))
	r.work.done("rules")
	r.undecided = evidence{findings, slices.Clone(r.report.Reasons), r.blocked, r.report.Tools}
	return r.decide(findings)
}

// decide has the policy judge findings, and completes the report.
func (r *runner) decide(findings []checks.Finding) (*checks.Report, error) {
	if err := r.judge(findings); err != nil {
		return nil, err
	}
	r.functions()
	r.scores()
	r.conflicts()
	for _, t := range []*tree{r.base, r.head} {
		if t.failed != nil {
			return nil, t.failed
		}
	}
	if err := r.ctx.Err(); err != nil {
		return nil, fmt.Errorf("check the change: %w", err)
	}
	r.problems()
	r.notMeasured()
	if err := r.matchFunction(); err != nil {
		return nil, err
	}
	r.report.Sort()
	r.report.Outcome = r.outcome()
	return r.report, nil
}

func (r *runner) newReport() *checks.Report {
	return &checks.Report{
		Schema:   checks.Schema,
		Specgate: checks.Build{Version: r.o.Version},
		Policy:   checks.PolicyRef{Source: r.policy.Source, SHA256: r.policy.SHA256},
		Seed:     r.policy.Strength.Seed,
	}
}

// buildPairs reads what changed on both sides and matches it.
func (r *runner) buildPairs() error {
	var base, head, baseRust, headRust, other []string
	for _, c := range r.changes {
		for _, side := range []struct {
			entry     gitrepo.Entry
			all, rust *[]string
		}{{c.Base, &base, &baseRust}, {c.Head, &head, &headRust}} {
			if side.entry.Path == "" || !isFile(side.entry) {
				continue
			}
			*side.all = append(*side.all, side.entry.Path)
			if isRust(side.entry.Path) {
				*side.rust = append(*side.rust, side.entry.Path)
				continue
			}
			// Any file may be a source: by include!, #[path] or the manifest. Both models are asked, since the sources that name
			// it are on both sides.
			other = append(other, side.entry.Path)
		}
	}
	for _, side := range []struct {
		tree      *tree
		all, rust []string
	}{{r.base, base, baseRust}, {r.head, head, headRust}} {
		if err := side.tree.load(side.all); err != nil {
			return err
		}
		side.tree.parseAll(side.rust, r.o.Jobs)
	}
	r.work.done("parse")
	baseModel, err := model.New(r.ctx, r.base, append(baseRust, other...))
	if err != nil {
		return fmt.Errorf("read the base: %w", err)
	}
	headModel, err := model.New(r.ctx, r.head, append(headRust, other...))
	if err != nil {
		return fmt.Errorf("read the head: %w", err)
	}
	r.share.learn(baseModel, headModel)
	r.work.done("model")
	if r.proofs, err = r.verify(headModel); err != nil {
		return err
	}
	r.share.verified(r)
	r.work.done("verify")
	if r.proofs != nil {
		r.proofs.extend(baseModel, headModel)
	}
	r.pairs = pair.New(baseModel, headModel)
	r.work.done("pair")
	return nil
}

// rules are those of the selected families that need only what there is.
func (r *runner) rules() []*checks.Rule {
	var out []*checks.Rule
	for _, rule := range Rules() {
		if (rule.Needs&checks.NeedVerifier == 0 || r.proofs != nil) && (rule.Needs&checks.NeedSuite == 0 || r.input.Strength != nil) && slices.Contains(r.families, rule.Family) {
			out = append(out, rule)
		}
	}
	return out
}

// otherFiles are the changed files that are no Rust sources.
func (r *runner) otherFiles() []checks.FileChange {
	var out []checks.FileChange
	for _, c := range r.changes {
		fc := checks.FileChange{Base: r.other(r.base, c.Base), Head: r.other(r.head, c.Head)}
		if fc.Base != nil || fc.Head != nil {
			out = append(out, fc)
		}
	}
	return out
}

func (r *runner) other(t *tree, e gitrepo.Entry) *source.File {
	if e.Path == "" || !isFile(e) || isRust(e.Path) {
		return nil
	}
	text, err := t.Read(e.Path)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil // problems tells about those that matter
	}
	return source.NewFile(e.Path, text)
}

// judge applies the policy to the findings of the rules.
func (r *runner) judge(findings []checks.Finding) error {
	ruleOf := map[string]policy.RuleInfo{}
	for _, info := range RuleInfos() {
		ruleOf[info.ID] = info
	}
	about := slices.Clone(findings)
	for _, f := range findings {
		about = append(about, f.Common...)
	}
	crates, err := r.waiverCrates(about)
	if err != nil {
		return err
	}
	tracker := r.policy.Track()
	// decide applies the policy to one; false: it is switched off.
	decide := func(f *checks.Finding) bool {
		tracker.Saw(f.Rule, f.File, f.Symbol)
		info := ruleOf[f.Rule]
		info.Severity = f.Severity // a finding may weigh more or less than its rule
		refused := ""
		d := r.policy.Decide(info, f.File, f.Symbol, r.o.Today, func(w *policy.Waiver) bool {
			why := crates.refuses(w, f)
			if why != "" && refused == "" {
				refused = fmt.Sprintf("Waiver %s does not apply: %s.", w.ID, why)
			}
			return why == ""
		})
		if d.Severity == policy.Off {
			return false
		}
		f.Severity = d.Severity
		if d.Waived != nil {
			f.Waived = &checks.WaiverRef{ID: d.Waived.ID}
		} else if refused != "" {
			f.Detail = strings.TrimPrefix(f.Detail+"\n"+refused, "\n")
		}
		return true
	}
	var judged []checks.Finding
	for _, f := range findings {
		if r.outOfScope(f) {
			r.o.Log.Debug("out of the policy's scope", "rule", f.Rule, "file", f.File)
			continue
		}
		if decide(&f) {
			judged = append(judged, f)
		}
	}
	if r.o.Function == "" {
		// What the policy accepts stays as it is, and where it does not judge a definition, what rests on it is told.
		judged = checks.Gather(judged, func(f *checks.Finding) bool { return f.Waived != nil || slices.ContainsFunc(f.Common, r.outOfScope) })
	}
	for _, f := range judged {
		severity := f.Severity
		if f.Stands > 0 {
			if decide(&f); f.Severity < severity {
				f.Severity = severity // that of what it stands for
			}
		}
		if f.Waived == nil && f.Undecided && r.asked(&f) {
			of := "the contract is as strong as base's"
			if f.Stands > 0 {
				of = fmt.Sprintf("the %d contracts that rest on it are as strong as base's", f.Stands)
			}
			r.reason(true, string(checks.Contract), "%s: whether %s could not be decided (%s)", f.Symbol, of, f.Rule)
		}
		r.report.Findings = append(r.report.Findings, f)
	}
	waivers, err := r.waiverFindings(tracker)
	r.report.Findings = append(r.report.Findings, waivers...)
	return err
}

// outOfScope tells whether no side of a finding is judged. Only Rust sources can be out of scope: what switches the
// verifier off does so for all of them.
func (r *runner) outOfScope(f checks.Finding) bool {
	in := func(file string) bool { return !isRust(file) || r.policy.InScope(file) }
	return !in(f.File) && (f.Base == nil || !in(f.Base.File))
}

// notMeasured says what no stage of this version does.
func (r *runner) notMeasured() {
	asked := func(f checks.Family) bool { return slices.Contains(r.families, f) }
	// Who names them wants them; who asks for everything gets what there is.
	named := len(r.o.Only) > 0
	if asked(checks.Proof) && !r.found {
		r.reason(named, string(checks.Proof), "nothing was proved: no verifier was run")
	}
	if asked(checks.Strength) && r.o.Compiler == nil {
		r.reason(named, string(checks.Strength), "no strength was measured: nothing of the change was run")
	}
}

// asked tells whether a finding is about a function that was asked for, or about what rests on one.
func (r *runner) asked(f *checks.Finding) bool {
	matches := func(symbol string) bool { return r.o.Function == "" || policy.MatchSymbol(r.o.Function, symbol) }
	return matches(f.Symbol) || slices.ContainsFunc(f.Common, func(c checks.Finding) bool { return matches(c.Symbol) })
}

// matchFunction leaves only what is about the symbols that were asked for.
func (r *runner) matchFunction() error {
	pattern := r.o.Function
	if pattern == "" {
		return nil
	}
	matches := func(symbol string) bool { return policy.MatchSymbol(pattern, symbol) }
	known := slices.ContainsFunc(r.pairs.Functions, func(f *pair.Function) bool {
		return f.Head != nil && matches(f.Head.Symbol) || f.Base != nil && matches(f.Base.Symbol)
	})
	if !known {
		// A pattern that is wrong must not pass for one that this change does not touch.
		all, err := r.head.model(r.ctx, r.head.rust, r.o.Jobs)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all.Functions, func(f *model.Function) bool { return matches(f.Symbol) }) {
			return &InputError{fmt.Errorf("no function has a symbol that matches %q; symbols look like stack::Stack::push, and ** stands for any number of parts", pattern)}
		}
		r.reason(false, "scope", "the change touches no function that matches %q", pattern)
	}
	r.report.Findings = slices.DeleteFunc(r.report.Findings, func(f checks.Finding) bool { return !r.asked(&f) })
	r.report.Functions = slices.DeleteFunc(r.report.Functions, func(f checks.Function) bool { return !matches(f.Symbol) })
	r.count()
	r.reason(false, "scope", "only functions that match %q are reported", pattern)
	return nil
}

// outcome of the report. What could not be checked goes before findings, unless the policy lets it pass.
func (r *runner) outcome() checks.Outcome {
	blocking := slices.ContainsFunc(r.report.Findings, func(f checks.Finding) bool { return r.blocks(&f) })
	switch {
	case r.blocked && r.policy.Gate.Inconclusive == policy.InconclusiveFail:
		return checks.OutcomeInconclusive
	case blocking:
		return checks.OutcomeFindings
	case r.blocked:
		return checks.OutcomeInconclusive
	}
	return checks.OutcomePass
}

// openTree opens the tree at a path for the ledger: the working tree of a repository, or a plain directory. under is the
// path of what was asked for in that tree, "" for all of it.
func openTree(ctx context.Context, name string) (from lister, under string, done func() error, err error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil, &InputError{fmt.Errorf("there is no file or directory %s", name)}
	}
	if err != nil {
		return nil, "", nil, &InputError{err}
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, "", nil, &InputError{err}
	}
	// Git answers with real paths, so relative ones must be made from those.
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, "", nil, &InputError{err}
	}
	dir := abs
	if !info.IsDir() {
		dir = filepath.Dir(abs)
	}
	repo, err := gitrepo.Open(ctx, dir)
	root := dir
	switch {
	case err == nil && !repo.Bare():
		root = repo.Root()
		if from, err = repo.WorkTree(); err != nil {
			return nil, "", nil, err
		}
		done = func() error { return nil }
	case err == nil, errors.Is(err, gitrepo.ErrNotRepository):
		opened, err := os.OpenRoot(dir)
		if err != nil {
			return nil, "", nil, &InputError{err}
		}
		from, done = &directory{root: opened}, opened.Close
	default:
		return nil, "", nil, err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return nil, "", nil, errors.Join(err, done())
	}
	if rel == "." {
		rel = ""
	}
	return from, filepath.ToSlash(rel), done, nil
}

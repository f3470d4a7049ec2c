package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"math/bits"
	"os"
	"slices"
	"sync"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// proofs are the verifier's runs on both sides, before they are matched with the functions of the models.
type proofs struct {
	verifier   *verus.Verifier
	base, head *verus.Run
	// copies of both sides, for more runs.
	baseCopy, headCopy *prove.Copy
	// manifest and roots are what was verified: a workspace, or single files.
	manifest string
	roots    []string
	// target is the directory that cargo builds in.
	target string
}

// close removes the copies and what was built.
func (p *proofs) close(log *slog.Logger) {
	for _, c := range []*prove.Copy{p.baseCopy, p.headCopy} {
		if c != nil {
			logLeft(log, c.Close())
		}
	}
	logLeft(log, sandbox.RemoveAll(p.target))
}

// logLeft tells that a directory in which code of the change ran could not be removed. That is this code's doing, and no part of the result: it must not
// turn off what was found.
func logLeft(log *slog.Logger, err error) {
	if err != nil {
		log.Warn("a directory for temporary files is left behind", "error", err)
	}
}

// verify runs the verifier on base and head, when one is named or pinned by the policy. nil: it was not run, and a reason says why.
//
// The verifier builds the code, so it runs programs of the change: its build scripts and procedural macros. That is why one that is only
// found on this machine is never run, and one that the policy pins only where it can be isolated.
func (r *runner) verify(head *model.Model) (_ *proofs, err error) {
	// The verifier decides about contracts too, but who asks for these alone can do without.
	if !slices.Contains(r.families, checks.Proof) && !slices.Contains(r.families, checks.Contract) || r.o.Verifier == nil {
		return nil, nil
	}
	if r.parts != nil {
		return r.parts.proofs(r)
	}
	wanted := slices.Contains(r.families, checks.Proof)
	v, err := r.o.Verifier(r.ctx, r.policy.Verus.Release)
	var problem *verus.Problem
	r.found = v != nil || err != nil
	if errors.As(err, &problem) {
		r.reason(wanted, string(checks.Proof), "nothing was proved: %v", problem)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the verifier: %w", err)
	}
	if v == nil {
		return nil, nil
	}
	if v, err = r.isolate(v, wanted); v == nil || err != nil {
		return nil, err
	}
	r.report.Tools.Verus = &checks.VerusTool{Version: v.Version.Release, Toolchain: v.Version.Toolchain, Solver: v.SolverVersion}
	out := &proofs{verifier: v}
	ok := false
	if out.manifest, out.roots, ok = r.toVerify(); !ok {
		r.reason(wanted, string(checks.Proof), "nothing was proved: head has no %s; set verus.manifest or verus.roots in the policy", out.manifest)
		return nil, nil
	}
	if !r.share.verifies(out, head) {
		return out, nil
	}
	if out.target, err = sandbox.MkdirTemp("", "specgate-target-"); err != nil {
		why := err
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			why = at.Err // its name would be another one each time
		}
		r.reason(wanted, string(checks.Proof), "nothing was proved: make a directory to build in below %s: %v; choose a directory for temporary files that can be written to (TMPDIR)", os.TempDir(), why)
		return nil, nil
	}
	defer func() {
		if err != nil {
			out.close(r.o.Log)
		}
	}()
	if err := r.verifySides(out); err != nil {
		return nil, fmt.Errorf("run the verifier: %w", err)
	}
	return out, nil
}

// isolate bounds the verifier as the policy says. nil: it must not be run here, and a reason says why.
func (r *runner) isolate(v *verus.Verifier, wanted bool) (*verus.Verifier, error) {
	if r.policy.Gate.Sandbox == policy.SandboxOff {
		return v, nil
	}
	if !v.Named() {
		// Nobody asked for it in so many words, so it must not be able to do harm.
		why, err := notIsolated(r.ctx)
		if err != nil {
			return nil, err
		}
		if why != "" {
			r.reason(wanted, string(checks.Proof), "nothing was proved: verifying builds the change, and this machine cannot isolate it (%s); name the verifier with --verus to run it all the same", why)
			return nil, nil
		}
	}
	free := r.freeMemory()
	if r.policy.Verus.Roots != nil {
		free /= 2 // both sides may run at once
	}
	if free > 0 {
		free = 1 << (bits.Len64(uint64(free)) - 1) // the report tells the limit, and should not differ from run to run
	}
	return v.Isolate(verus.Isolation{Require: r.policy.Gate.Sandbox == policy.SandboxRequire, Read: r.policy.Verus.Read, Memory: free}), nil
}

// notIsolated says why code that nobody vouches for must not be run on this machine; empty if it may.
func notIsolated(ctx context.Context) (string, error) {
	ps, err := sandbox.Protections(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("look for ways to isolate code of the change: %w", err)
	case err != nil:
		return err.Error(), nil
	case slices.ContainsFunc(sandbox.Missing(ps), func(p sandbox.Protection) bool {
		return p.Name == "filesystem" || p.Name == "network" || p.Name == "processes"
	}):
		return sandbox.Statement(ps), nil
	}
	return "", nil
}

func (r *runner) freeMemory() int64 {
	if r.o.Memory != nil {
		return r.o.Memory()
	}
	return freeMemory(os.DirFS("/"))
}

// isolation is what a run was made with, for the report; nil when it was not isolated.
func isolation(runs ...*verus.Run) *checks.Sandbox {
	for _, run := range runs {
		if run == nil || len(run.Protections) == 0 {
			continue
		}
		return sandboxOf(run.Protections)
	}
	return nil
}

// side is one of the two that are verified.
type side struct {
	name   string
	tree   *tree
	commit gitrepo.Commit
	copy   **prove.Copy
	run    **verus.Run
}

// verifySides verifies base and head, unless the cache has what the verifier said of them.
func (r *runner) verifySides(out *proofs) error {
	answers := r.openAnswers(out.verifier)
	sides := []side{{"base", r.base, r.sides.baseCommit, &out.baseCopy, &out.base}, {"head", r.head, r.sides.headCommit, &out.headCopy, &out.head}}
	together := r.together(out)
	for _, s := range sides {
		request := prove.Request{Verifier: out.verifier, Files: r.files(s.tree), Manifest: out.manifest, Roots: out.roots, Target: out.target,
			Options: verus.Options{Args: r.policy.Verus.Args, Timeout: r.policy.Verus.Timeout}}
		request.Cache, request.Keep = r.answersOf(answers, s.commit)
		if together && s.name == "head" {
			request.Target = "" // one of its own, so that base finds nothing that head built
		}
		var err error
		if *s.copy, err = prove.Open(r.ctx, request); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	errs := make([]error, len(sides))
	var wait sync.WaitGroup
	for i, s := range sides {
		verify := func() {
			if *s.run, errs[i] = (*s.copy).Verify(ctx); errs[i] != nil {
				cancel()
			}
		}
		if together {
			wait.Go(verify)
			continue
		}
		// Base first: what it leaves in the target directory is believed.
		if verify(); errs[i] != nil {
			break
		}
	}
	wait.Wait()
	// When one failed the other was only told to stop.
	if r.ctx.Err() == nil {
		errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, context.Canceled) })
	}
	for _, s := range sides {
		r.cacheNotes(s.name, *s.copy)
		r.leftOut(s.name, *s.copy)
	}
	r.report.Tools.Sandbox = isolation(out.head, out.base)
	r.report.Tools.Verus.Cached = checks.Cached{Base: out.baseCopy.Cached(), Head: out.headCopy.Cached()}
	return errors.Join(errs...)
}

// together tells whether base and head are verified at the same time. A workspace runs code of the change, build scripts and procedural
// macros, which must not come to where base is being built.
func (r *runner) together(p *proofs) bool {
	return len(p.roots) > 0 && r.o.Jobs > 1 && r.freeMemory() >= besideEachOther
}

// files are all files of a side, for the copy that the verifier works on.
func (r *runner) files(t *tree) iter.Seq2[verus.WorkFile, error] {
	return func(yield func(verus.WorkFile, error) bool) {
		if err := t.load(t.paths); err != nil {
			yield(verus.WorkFile{}, err)
			return
		}
		for _, p := range t.paths {
			f, err := t.workFile(p)
			if err != nil {
				yield(verus.WorkFile{}, err)
				return
			}
			base, err := r.base.Read(p)
			f.Trusted = err == nil && bytes.Equal(base, f.Data)
			if !yield(f, nil) {
				return
			}
		}
	}
}

// unread gives reasons for the files of a side that the verifier was run without, as they are too large.
func (r *runner) unread(t *tree) error {
	if err := t.load(t.paths); err != nil {
		return err
	}
	for _, p := range t.paths {
		if f, err := t.workFile(p); err != nil || f.Mode != verus.WorkUnread {
			continue // an error would have ended the run by now
		}
		_, why := t.Read(p)
		r.reason(built(p) || r.base.entries[p] != r.head.entries[p], string(checks.Proof), "the verifier was run without %s: %s", quotePath(p), cause(why))
	}
	return nil
}

// has tells whether the tree has a file.
func (t *tree) has(p string) bool {
	e, ok := t.entries[p]
	return ok && isFile(e)
}

// extend has both models read the files that failures are in on either side, so that these are named by function and have a partner.
func (p *proofs) extend(base, head *model.Model) {
	files := append(prove.FailingFiles(p.base), prove.FailingFiles(p.head)...)
	slices.Sort(files)
	files = slices.Compact(files)
	base.Extend(files)
	head.Extend(files)
}

// input turns the runs into what rules see, and has what is not proved in head tried with other seeds.
func (p *proofs) input(r *runner) (*checks.ProofInput, error) {
	head := p.side(r.pairs.Head, r.head)
	out := &checks.ProofInput{Base: p.side(r.pairs.Base, r.base).Read(p.base), Head: head.Read(p.head), Comparable: verus.Comparable(p.base, p.head)}
	if len(p.roots) == 0 { // without cargo none of them runs
		out.Programs = r.editedPrograms()
	}
	// What failed in base and was not touched is no news.
	touched := slices.DeleteFunc(slices.Clone(r.pairs.Head.Functions), func(f *model.Function) bool {
		pr := r.pairs.OfHead(f)
		if pr == nil || pr.Base == nil || pr.Change != pair.Same {
			return false
		}
		base := out.Base.Functions[pr.Base]
		return base != nil && base.Outcome != checks.ProofProved
	})
	seeds, err := p.again(r, head, prove.Unstable(r.policy.Verus.Args, out.Head, touched))
	if err != nil {
		return nil, fmt.Errorf("run the verifier with other seeds: %w", err)
	}
	for f, n := range seeds {
		out.Head.Functions[f].Seeds = &n
	}
	return out, nil
}

// again tries unstable proofs of head with other seeds.
func (p *proofs) again(r *runner, head prove.Side, unstable []*model.Function) (map[*model.Function]checks.SeedRuns, error) {
	if r.parts != nil {
		return r.parts.again(unstable), nil
	}
	unstable = r.share.tryAgain(unstable)
	if len(unstable) == 0 {
		return nil, nil
	}
	seeds, err := p.headCopy.Again(r.ctx, head, p.head, unstable, r.policy.Verus.Seeds)
	r.share.tried(head.Model, seeds)
	return seeds, err
}

// proof is what the verifier said of a function on both sides.
func (r *runner) proof(p *pair.Function) checks.FunctionProof {
	in := r.input.Proof
	if in == nil {
		in = &checks.ProofInput{}
	}
	var out checks.FunctionProof
	out.Base, _ = verdict(in.Base, p.Base)
	out.Head, out.Errors = verdict(in.Head, p.Head)
	if in.Head != nil && p.Head != nil && in.Head.Functions[p.Head] != nil {
		out.Seeds = in.Head.Functions[p.Head].Seeds
	}
	return out
}

// verdict is the word of the report and the complaints about a function.
func verdict(run *checks.ProofRun, f *model.Function) (string, []checks.ProofError) {
	if run == nil || f == nil || run.Functions[f] == nil {
		return checks.ProofNotRun.String(), nil
	}
	v := run.Functions[f]
	var out []checks.ProofError
	for _, x := range v.Failures {
		e := checks.ProofError{Category: x.Category, Message: x.Message, Span: atStart}
		if x.File != nil {
			e.File, e.Span = x.File.Path, x.File.Range(x.Span)
		}
		out = append(out, e)
	}
	return v.Outcome.String(), out
}

// tally counts a function by its verdict in head; what was not run is skipped.
func tally(c *checks.Counts, word string) {
	c.Selected++
	switch word {
	case checks.ProofProved.String():
		c.Proved++
	case checks.ProofFailed.String():
		c.Failed++
	case checks.ProofTimedOut.String():
		c.TimedOut++
	case checks.ProofInternalError.String():
		c.InternalError++
	case checks.ProofUnsupported.String():
		c.Unsupported++
	default:
		c.Skipped++
	}
}

// Package prove has the verifier look at one side of a change, and turns what it says into what rules see.
package prove

import (
	"context"
	"errors"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/verus"
)

// Request says what to verify.
type Request struct {
	Verifier *verus.Verifier
	// Files of the tree.
	Files iter.Seq2[verus.WorkFile, error]
	// Manifest is the Cargo.toml of the workspace. Roots, if there are any, are verified one by one instead, without cargo.
	Manifest string
	Roots    []string
	Options  verus.Options
	// Temp is where the copy of the tree is made; empty: the directory for temporary files.
	Temp string
	// Target is a target directory of cargo to use; empty: a new one. What was built there before is believed, so it must hold nothing
	// that code of the change could write: verify base before head. Dependencies are then built and verified once.
	Target string
	// Cache has what the verifier said before; nil: it is always run. Keep has what it says kept there.
	Cache *verus.Answers
	Keep  bool
}

// Copy is a tree that is copied for the verifier to run on, once or several times. With a cache it is copied when that is first needed.
type Copy struct {
	request Request
	work    *verus.Work // nil: not copied yet
	// workspace is nil until questions are asked about one.
	workspace *verus.Workspace

	// These need a Request.Cache.
	tree  *verus.Tree
	found *verus.Run // what the cache has; nil: nothing
	notes []error
	// settled says that what the verifier says of the tree is kept, so that more can be.
	settled bool
}

// Open copies the tree, or looks in the cache for what the verifier said of it. The caller must call Close.
//
// Errors are about the copy as such: no room for it, or ctx ended.
func Open(ctx context.Context, q Request) (*Copy, error) {
	c := &Copy{request: q}
	if q.Cache == nil {
		if err := c.make(ctx); err != nil {
			return nil, err
		}
		return c, nil
	}
	c.tree = &verus.Tree{}
	has := map[string]bool{}
	for f, err := range q.Files {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		c.tree.Add(f)
		has[f.Path] = true
	}
	c.own(has)
	var err error
	if c.found, err = q.Cache.Find(ctx, c.tree, c.job()); err != nil {
		c.notes = append(c.notes, err)
	}
	c.settled = c.found != nil
	return c, nil
}

// own tells the verifier's places in the tree from others.
func (c *Copy) own(has map[string]bool) {
	if c.request.Options.Own == nil {
		c.request.Options.Own = func(p string) bool { return has[p] }
	}
}

func (c *Copy) job() verus.Job {
	return verus.Job{Manifest: c.request.Manifest, Roots: c.request.Roots, Options: c.request.Options}
}

// make copies the tree, unless that was done.
func (c *Copy) make(ctx context.Context) (err error) {
	if c.work != nil {
		return nil
	}
	w, err := verus.NewWork(c.request.Temp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if c.request.Target != "" {
		w.Target = c.request.Target
	}
	has := map[string]bool{}
	for f, err := range c.request.Files {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.Add(f)
		}
		if err != nil {
			return err
		}
		has[f.Path] = true
	}
	c.own(has)
	c.work = w
	return nil
}

// Close removes the copy.
func (c *Copy) Close() error {
	if c.work == nil {
		return nil
	}
	return c.work.Close()
}

// LeftOut are the files that are not copied.
func (c *Copy) LeftOut() []verus.LeftOut {
	if c.tree != nil {
		return c.tree.LeftOut
	}
	return c.work.LeftOut
}

// Cached tells whether Verify answers from the cache.
func (c *Copy) Cached() bool { return c.found != nil }

// CacheNotes say why the cache could not be read or written, or was not to be.
func (c *Copy) CacheNotes() []error { return c.notes }

// Verify runs the verifier on the whole tree, or says what the cache has of it.
//
// The error is about the run as such: it could not be started, or ctx ended. What is wrong with the code, the workspace or the
// installation is in the run.
func (c *Copy) Verify(ctx context.Context) (*verus.Run, error) {
	if c.found != nil {
		return c.found, nil
	}
	if err := c.make(ctx); err != nil {
		return nil, err
	}
	if c.request.Cache == nil {
		return c.request.Verifier.Verify(ctx, c.work, c.job())
	}
	r, note, err := c.request.Cache.Verify(ctx, c.work, c.tree, c.job(), c.request.Keep)
	if note != nil {
		c.notes = append(c.notes, note)
	}
	c.settled = err == nil && note == nil && c.request.Keep
	return r, err
}

// verify is a further run of the verifier, or what the cache has of it.
func (c *Copy) verify(ctx context.Context, j verus.Job) (*verus.Run, error) {
	if c.settled {
		r, err := c.request.Cache.Find(ctx, c.tree, j)
		if err != nil {
			c.notes = append(c.notes, err)
		}
		if r != nil {
			return r, nil
		}
	}
	if err := c.make(ctx); err != nil {
		return nil, err
	}
	if !c.settled {
		return c.request.Verifier.Verify(ctx, c.work, j)
	}
	// Why this one is not kept is of no interest when the first was.
	r, _, err := c.request.Cache.Verify(ctx, c.work, c.tree, j, c.request.Keep)
	return r, err
}

// FailingFiles are the files that failing diagnostics are in, sorted: the model has to have them for their functions to be named.
func FailingFiles(r *verus.Run) []string {
	var out []string
	for _, d := range r.Diagnostics {
		for _, at := range []verus.Span{d.Place, d.Site} {
			if d.Failing() && at.Valid() && !at.Foreign {
				out = append(out, at.File)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Side is what the verifier's answers about one tree are matched with.
type Side struct {
	Model *model.Model
	// Source gives the text of a file, or nil.
	Source func(path string) *source.File
	// Manifest and Roots are those of the Request.
	Manifest string
	Roots    []string
}

// crate is the name that the verifier has for a crate: that of the file, if it is verified as a single file.
func (s Side) crate(c *model.Crate) string {
	if slices.Contains(s.Roots, c.Root) {
		return strings.ReplaceAll(strings.TrimSuffix(path.Base(c.Root), ".rs"), "-", "_")
	}
	return c.Name
}

// functions of the model for verus.Join, in the model's order.
func (s Side) functions() []verus.Function {
	var out []verus.Function
	for _, f := range s.Model.Functions {
		vf := verus.Function{Symbol: f.Symbol, Crate: s.crate(f.Crate), Module: f.Module, Self: f.Self, Name: f.Name, File: f.File.Path, Span: f.Span,
			Proof: mustProve(f)}
		if f.Kind == model.TraitMethod {
			vf.Self = f.Trait
		}
		if f.Outer != nil {
			vf.Module, vf.Self = strings.TrimSuffix(strings.TrimSuffix(f.Path, f.Name), "::"), ""
		}
		out = append(out, vf)
	}
	return out
}

// termination are the words of attributes that make a proof function the proof that a specification ends: the verifier proves it as a part of
// that specification, and names only that.
var termination = regexp.MustCompile(`\b(via_fn|decreases_by|recommends_by)\b`)

// mustProve tells whether the verifier has to name a function. Of constants and of what macros make nobody knows; tests are compiled
// by no run of the verifier.
func mustProve(f *model.Function) bool {
	return f.BodyVerified && f.Mode != model.Spec && f.Kind != model.ConstFunction && f.Kind != model.MacroFunction && !slices.ContainsFunc(f.Attrs, termination.MatchString) &&
		!slices.Contains(f.Cfg, "test")
}

var outcomes = map[verus.Outcome]checks.ProofOutcome{
	verus.Proved:          checks.ProofProved,
	verus.NothingVerified: checks.ProofSkipped,
	verus.NotRun:          checks.ProofNotRun,
	verus.TimedOut:        checks.ProofTimedOut,
	verus.ResourceLimit:   checks.ProofTimedOut,
	verus.Failed:          checks.ProofFailed,
	verus.UnsupportedCode: checks.ProofUnsupported,
	verus.CompileError:    checks.ProofFailed,
	verus.InternalError:   checks.ProofInternalError,
}

// Read turns a run into what rules see.
func (s Side) Read(r *verus.Run) *checks.ProofRun {
	out := &checks.ProofRun{Functions: map[*model.Function]*checks.ProofVerdict{}}
	j := verus.Join(r, s.functions())
	for i, v := range j.Verdicts {
		f := s.Model.Functions[i]
		verdict := &checks.ProofVerdict{Outcome: outcomes[v.Outcome], Reason: v.Reason}
		if v.Result != nil {
			verdict.Cost = v.Result.RLimit
		}
		for _, d := range v.Diagnostics {
			if d.Failing() {
				verdict.Failures = append(verdict.Failures, s.failure(d, f))
			}
		}
		out.Functions[f] = verdict
	}
	for _, d := range j.Loose {
		out.Loose = append(out.Loose, s.failure(d, nil))
	}
	for _, x := range r.Reasons {
		if p, ok := s.problem(x); ok {
			out.Problems = append(out.Problems, p)
		}
	}
	return out
}

// failure shows a diagnostic in its function, if there is one: a clause may stand in a trait.
func (s Side) failure(d verus.Diagnostic, f *model.Function) checks.ProofFailure {
	out := checks.ProofFailure{Category: d.Category.String(), Message: d.Message, Clause: d.Clause, Key: verus.KeyOf(d)}
	first, second := d.Place, d.Site
	inside := func(at verus.Span) bool {
		return at.Valid() && at.File == f.File.Path && f.Span.Start <= at.Bytes.Start && at.Bytes.Start < f.Span.End
	}
	if f != nil && !inside(first) && inside(second) {
		first, second = second, first
	}
	if first.Valid() && !first.Foreign {
		if out.File = s.Source(first.File); out.File != nil {
			out.Span = first.Bytes
		}
	}
	if second.Valid() && !second.Foreign && (second.File != first.File || second.Bytes != first.Bytes) {
		if file := s.Source(second.File); file != nil {
			out.Also = &checks.Place{File: file.Path, Span: file.Range(second.Bytes)}
		}
	}
	return out
}

var problems = map[verus.Outcome]checks.ProofProblemKind{
	verus.NotRun:          checks.ProblemNotRun,
	verus.TimedOut:        checks.ProblemTimedOut,
	verus.NothingVerified: checks.ProblemNothingVerified,
	verus.NotAllVerified:  checks.ProblemNotAllVerified,
	// The verifier says that something failed, and not what.
	verus.Failed:          checks.ProblemInternal,
	verus.CompileError:    checks.ProblemInternal,
	verus.UnsupportedCode: checks.ProblemInternal,
	verus.ResourceLimit:   checks.ProblemInternal,
	verus.InternalError:   checks.ProblemInternal,
}

// problem turns a reason into a problem, unless failures say the same.
func (s Side) problem(x verus.Reason) (checks.ProofProblem, bool) {
	if x.Diagnosed {
		return checks.ProofProblem{}, false
	}
	p := checks.ProofProblem{Kind: problems[x.Outcome], Text: x.Text, File: s.Manifest}
	if len(s.Roots) > 0 {
		p.File = s.Roots[0]
	}
	if x.Target.Name == "" {
		return p, true
	}
	p.Target = x.Target.String()
	for _, c := range s.Model.Crates {
		if s.crate(c) != x.Target.Crate() {
			continue
		}
		if p.File = c.Root; c.Manifest != "" && !slices.Contains(s.Roots, c.Root) {
			p.File = c.Manifest
		}
		break
	}
	return p, true
}

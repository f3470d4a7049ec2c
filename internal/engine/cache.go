package engine

import (
	"errors"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// stores are the directories that answers are kept in.
type stores struct {
	main *cache.Store // nil: there is none
	// head belongs to this pull request alone; nil: there is none.
	head *cache.Store
}

// read are those that may be believed.
func (s *stores) read() []*cache.Store {
	var out []*cache.Store
	for _, x := range []*cache.Store{s.main, s.head} {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}

// write is where an answer about the two sides is kept: beside those of all others only if somebody accepted the code of both, or the policy says
// that everybody may write there. nil: nowhere.
func (s *stores) write(base, head, all bool) *cache.Store {
	if (base && head || all) && s.main != nil {
		return s.main
	}
	return s.head
}

func (s *stores) close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, x := range s.read() {
		errs = append(errs, x.Close())
	}
	return errors.Join(errs...)
}

// openStores opens the caches that were asked for; nil if there is none to be used. A run without one takes longer and is as good, so no
// trouble with it ends the run.
func (r *runner) openStores() *stores {
	if r.stores != nil || r.noStores {
		return r.stores
	}
	out := &stores{}
	open := func(dir string) *cache.Store {
		if dir == "" {
			return nil
		}
		store, err := cache.Open(dir, int64(r.policy.Cache.MaxMiB)<<20)
		if err != nil {
			r.o.Log.Warn("the cache is not used", "error", err)
			return nil
		}
		return store
	}
	out.main = open(r.o.Cache)
	if why := r.notIsolatedInFull(); r.o.HeadCache != "" && why != "" {
		// What runs now could write what is believed the next time.
		r.o.Log.Info("what is said of head is not kept", "why", why)
	} else {
		out.head = open(r.o.HeadCache)
	}
	if r.noStores = len(out.read()) == 0; !r.noStores {
		r.stores = out
	}
	return r.stores
}

// notIsolatedInFull says why code of the change might reach what is kept; empty if it cannot.
func (r *runner) notIsolatedInFull() string {
	if r.policy.Gate.Sandbox == policy.SandboxOff {
		return "the policy switches the sandbox off"
	}
	if r.protections == nil {
		var err error
		if r.protections, err = sandbox.Protections(r.ctx); err != nil {
			return err.Error()
		}
	}
	if len(sandbox.Missing(r.protections)) > 0 {
		return sandbox.Statement(r.protections)
	}
	return ""
}

// openAnswers opens what is kept of the verifier's answers; nil if nothing is.
func (r *runner) openAnswers(v *verus.Verifier) *verus.Answers {
	s := r.openStores()
	if s == nil {
		return nil
	}
	self, err := ownHash()
	var answers *verus.Answers
	if err == nil {
		answers, err = verus.NewAnswers(s.read()[0], v, r.o.Version, self)
	}
	if err != nil {
		r.o.Log.Info("the cache is not used", "why", err)
		return nil
	}
	return answers
}

// answersOf are the answers about one side, and whether they are kept.
func (r *runner) answersOf(answers *verus.Answers, commit gitrepo.Commit) (_ *verus.Answers, keep bool) {
	if answers == nil {
		return nil, false
	}
	accepted := r.accepted(commit)
	store := r.stores.write(accepted, accepted, r.policy.Cache.WriteHead)
	if store == nil {
		return answers, false
	}
	return answers.With(store, r.stores.read()...), true
}

// accepted tells whether a commit is part of the default branch, so that somebody accepted its code. Nobody accepted a working tree.
func (r *runner) accepted(c gitrepo.Commit) bool {
	known, ok := r.accepts[c.ID]
	if !ok {
		known = r.isAccepted(c)
		if r.accepts == nil {
			r.accepts = map[string]bool{}
		}
		r.accepts[c.ID] = known
	}
	return known
}

func (r *runner) isAccepted(c gitrepo.Commit) bool {
	if c.ID == "" {
		return false
	}
	branch, err := r.sides.repo.DefaultBranch(r.ctx)
	if err != nil {
		r.o.Log.Info("no commit counts as accepted", "why", err)
		return false
	}
	tip, err := r.sides.repo.Resolve(r.ctx, branch)
	if err != nil {
		r.o.Log.Info("no commit counts as accepted", "why", err)
		return false
	}
	// In a shallow clone, and for unrelated histories, there may be none.
	common, err := r.sides.repo.MergeBase(r.ctx, tip, c)
	return err == nil && common.ID == c.ID
}

// leftOut logs which files of a side the verifier does not get.
func (r *runner) leftOut(side string, c *prove.Copy) {
	for _, l := range c.LeftOut() {
		r.o.Log.Info("the verifier does not get a file of "+side, "file", l.Path, "why", l.Why)
	}
}

// cacheNotes logs what a copy had to say of the cache.
func (r *runner) cacheNotes(side string, c *prove.Copy) {
	for _, err := range c.CacheNotes() {
		var not *verus.NotKept
		if errors.As(err, &not) {
			r.o.Log.Info("the answer about "+side+" is not kept in the cache", "why", not.Why)
			continue
		}
		r.o.Log.Warn("the cache did not work", "side", side, "error", err)
	}
}

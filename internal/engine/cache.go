package engine

import (
	"errors"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/verus"
)

// openCache opens the cache that was asked for; nil if there is none to be used. A run without one takes longer and is as good, so no
// trouble with it ends the run.
func (r *runner) openCache(v *verus.Verifier) (*cache.Store, *verus.Answers) {
	if r.o.Cache == "" {
		return nil, nil
	}
	store, err := cache.Open(r.o.Cache, int64(r.policy.Cache.MaxMiB)<<20)
	if err != nil {
		r.o.Log.Warn("the cache is not used", "error", err)
		return nil, nil
	}
	answers, err := verus.NewAnswers(store, v)
	if err != nil {
		r.o.Log.Info("the cache is not used", "why", err)
		if err := store.Close(); err != nil {
			r.o.Log.Warn("the cache was not closed", "error", err)
		}
		return nil, nil
	}
	return store, answers
}

// accepted tells whether a commit is part of the default branch, so that somebody accepted its code. Nobody accepted a working tree.
func (r *runner) accepted(c gitrepo.Commit) bool {
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

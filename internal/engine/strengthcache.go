package engine

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
)

// strengthFormat grows when other things decide a key, or entries are written in another way.
const strengthFormat = "specgate strength entry 1"

// strengths keeps what measuring came to, function by function. See docs/cache.md.
type strengths struct {
	r      *runner
	stores *stores
	// common is a hash of what all of them depend on.
	common cache.Key
	scopes map[*tree]map[string]cache.Key // by root of the crate; of those whose scope is not open
}

// keptStrength is an entry.
type keptStrength struct {
	Format string
	// Rustc and Protections are what the functions were compiled and run with; empty if none was.
	Rustc       string
	Protections []sandbox.Protection
	Strength    json.RawMessage

	result *measure.Result
}

// openStrengths opens what is kept of strength; nil if nothing is. The error is that of the context.
func (r *runner) openStrengths(compiler Compiler) (*strengths, error) {
	st := r.openStores()
	if st == nil {
		return nil, nil
	}
	not := func(why error) (*strengths, error) {
		if r.ctx.Err() != nil {
			return nil, fmt.Errorf("measure the strength of contracts: %w", context.Cause(r.ctx))
		}
		r.o.Log.Info("no strength is kept", "why", why)
		return nil, nil
	}
	if why := r.notIsolatedInFull(); why != "" {
		return not(errors.New(why))
	}
	dir, err := os.MkdirTemp("", "specgate-ask-")
	if err != nil {
		return not(err)
	}
	compilerWords, err := harness.Identity(r.ctx, compiler.Path, dir)
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return not(err)
	}
	self, err := ownHash()
	if err != nil {
		return not(err)
	}
	s := r.policy.Strength
	h := cache.NewHash()
	h.Add("format", strengthFormat)
	h.Add("specgate", r.o.Version, self)
	h.Add("platform", runtime.GOOS, runtime.GOARCH)
	h.Add("compiler", compilerWords...)
	h.Add("isolation", fmt.Sprint(r.protections), fmt.Sprint(r.policy.Gate.Sandbox))
	h.Add("policy", strconv.FormatUint(s.Seed, 10), strconv.Itoa(s.Inputs), strconv.Itoa(s.Mutants), strconv.FormatBool(s.CountDomain))
	return &strengths{r: r, stores: st, common: h.Key(), scopes: map[*tree]map[string]cache.Key{r.base: {}, r.head: {}}}, nil
}

// ownHash is a hash of this program: two that call themselves by the same version need not be the same.
func ownHash() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the program that runs: %w", err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read the program that runs: %w", err)
	}
	sum := sha256.Sum256(text)
	return string(sum[:]), nil
}

// key is that of a subject; nil if it depends on more than can be told.
func (m *measuring) key(g *group, subjects []*measure.Subject, i int) (*cache.Key, error) {
	s := subjects[i]
	if m.hasCases(s) {
		return nil, nil
	}
	h := cache.NewHash()
	h.Add("common", string(m.kept.common[:]))
	for _, x := range m.r.sidesOf(s) {
		c := x.side.Function.Crate
		sc := m.scopes[x.tree][c.Root]
		if sc.open != "" {
			m.r.o.Log.Debug("the strength is not kept", "function", s.Symbol, "why", sc.open)
			return nil, nil
		}
		sum, ok := m.kept.scopes[x.tree][c.Root]
		if !ok {
			var err error
			if sum, err = x.tree.hash(sc); err != nil {
				return nil, err
			}
			m.kept.scopes[x.tree][c.Root] = sum
		}
		h.Add(x.name, string(sum[:]))
		function(h, x)
	}
	h.Add("same", strconv.FormatBool(s.Same))
	if g.whole {
		for _, j := range g.at {
			for _, x := range m.r.sidesOf(subjects[j]) {
				h.Add("together", x.name, x.side.Function.Crate.Key, x.side.Function.File.Path, x.side.Function.Symbol)
			}
		}
	}
	key := h.Key()
	return &key, nil
}

// function hashes what is known of a function by more than the files of its scope: the model that it comes from has read others too.
func function(h cache.Hash, x sideOf) {
	f := x.side.Function
	h.Add("crate", f.Crate.Name, f.Crate.Key, f.Crate.Root, f.Crate.Manifest)
	h.Add("function", f.Symbol, f.File.Path, f.File.Module, f.Module, f.Self, f.Trait, fmt.Sprint(f.Kind, f.Mode, f.Span, f.NameSpan, f.HasBody, f.Verified, len(f.Params)))
	h.Add("signature", f.Signature, f.ResultType)
	// Mutants depend on what is known of the functions that it calls.
	for _, c := range f.Calls {
		words := []string{c.To, fmt.Sprint(c.Span, c.Ghost, c.Spec, c.Method, len(c.Callees),
			slices.ContainsFunc(c.Callees, func(g *model.Function) bool { return g != f && g != f.TraitMethod }))}
		if len(c.Callees) == 1 {
			g := c.Callees[0]
			words = append(words, g.Symbol, g.File.Path, fmt.Sprint(g.Mode, g.Kind), g.Self, g.Trait, g.ResultType, g.Signature)
		}
		h.Add("call", words...)
	}
}

// find gives what is kept of a subject; nil if nothing is, or it cannot be read.
func (k *strengths) find(key cache.Key, s *measure.Subject, decide bool) *keptStrength {
	for _, store := range k.stores.read() {
		data, ok, err := store.Get(key)
		if err != nil {
			k.r.o.Log.Warn("the cache did not work", "error", err)
		}
		if !ok || err != nil {
			continue
		}
		var e keptStrength
		if err := json.Unmarshal(data, &e); err != nil || e.Format != strengthFormat {
			continue
		}
		e.result, err = measure.Restore(s, e.Strength, decide, func(base bool, path string) *source.File {
			t := k.r.head
			if base {
				t = k.r.base
			}
			if !t.has(path) {
				return nil
			}
			return t.source(path)
		})
		if err != nil {
			k.r.o.Log.Debug("a kept strength is not used", "function", s.Symbol, "why", err)
			continue
		}
		return &e
	}
	return nil
}

// keep writes down what was measured and would be the same the next time. No trouble with the cache ends the run.
func (m *measuring) keep(g *group, measured []int, subjects []*measure.Subject, out []*measure.Result, ran ...*measure.Compiled) error {
	if m.kept == nil {
		return nil
	}
	r := m.r
	for _, i := range measured {
		s, x := subjects[i], out[i]
		store := m.kept.stores.write(s.Base == nil || r.accepted(r.sides.baseCommit), s.Head == nil || r.accepted(r.sides.headCommit), r.policy.Cache.WriteHead)
		if store == nil {
			continue
		}
		if why := x.Unsettled(); why != "" {
			r.o.Log.Debug("the strength is not kept", "function", s.Symbol, "why", why)
			continue
		}
		key, err := m.key(g, subjects, i)
		if err != nil || key == nil {
			if err != nil {
				return err
			}
			continue
		}
		e := keptStrength{Format: strengthFormat}
		if x.Ran() {
			for _, c := range ran {
				if e.Rustc == "" {
					e.Rustc, e.Protections = c.Version, steady(c.Protections)
				}
			}
		}
		data, ok := x.Keep()
		if !ok {
			continue
		}
		e.Strength = data
		all, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("keep the strength of %s: %w", s.Symbol, err)
		}
		if err := store.Put(r.ctx, *key, all); err != nil {
			r.o.Log.Warn("the cache did not work", "error", err)
		}
	}
	return nil
}

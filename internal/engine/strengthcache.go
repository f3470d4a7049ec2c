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
	"strings"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
)

// strengthFormat grows when other things decide a key, or entries are written in another way.
const strengthFormat = "specgate strength entry 2"

// strengths keeps what measuring came to, function by function. See docs/cache.md.
type strengths struct {
	r      *runner
	stores *stores
	// common is a hash of what all of them depend on.
	common cache.Key
	scopes map[*tree]map[string]cache.Key // by root of the crate; of those whose scope is not open
	// reaches are those of the group that is measured now, by side and root of the crate.
	reaches map[string]*reach
}

// keptStrength is an entry.
type keptStrength struct {
	Format string
	// Rustc and Protections are what the functions were compiled and run with; empty if none was.
	Rustc       string
	Protections []sandbox.Protection
	Strength    json.RawMessage

	result *measure.Result
	data   []byte // as it was kept
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
	dir, err := sandbox.MkdirTemp("", "specgate-ask-")
	if err != nil {
		return not(err)
	}
	compilerWords, err := harness.Identity(r.ctx, compiler.Path, dir)
	if err = errors.Join(err, sandbox.RemoveAll(dir)); err != nil {
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
	return &strengths{r: r, stores: st, common: h.Key(), scopes: map[*tree]map[string]cache.Key{r.base: {}, r.head: {}}, reaches: map[string]*reach{}}, nil
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

// key is that of a subject by all that its crates can name; nil if it depends on more than can be told.
func (m *measuring) key(g *group, subjects []*measure.Subject, i int) (*cache.Key, error) {
	s := subjects[i]
	if m.hasCases(s) {
		return nil, nil
	}
	h := cache.NewHash()
	h.Add("common", string(m.kept.common[:]))
	for _, x := range m.r.sidesOf(s) {
		sum, ok, err := m.scopeKey(x)
		if err != nil {
			return nil, err
		}
		if !ok {
			m.r.o.Log.Debug("the strength is not kept", "function", s.Symbol, "why", m.scopes[x.tree][x.side.Function.Crate.Root].open)
			return nil, nil
		}
		h.Add(x.name, string(sum[:]))
		function(h, x, 0)
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

// scopeKey is over all files of the scope of a side's crate; false if that is not all that counts.
func (m *measuring) scopeKey(x sideOf) (sum cache.Key, ok bool, err error) {
	root := x.side.Function.Crate.Root
	sc := m.scopes[x.tree][root]
	if sc.open != "" {
		return sum, false, nil
	}
	if sum, ok = m.kept.scopes[x.tree][root]; !ok {
		if sum, err = x.tree.hash(sc); err != nil {
			return sum, false, err
		}
		m.kept.scopes[x.tree][root] = sum
	}
	return sum, true, nil
}

// reachKey is that of a subject by what its functions reach; nil if that is not known. What is kept under it holds in crates that compile as they are:
// see crateKeys.
func (m *measuring) reachKey(g *group, s *measure.Subject) (*cache.Key, error) {
	if m.hasCases(s) || g.whole {
		return nil, nil
	}
	p := m.r.policy.Strength
	h := cache.NewHash()
	h.Add("common", string(m.kept.common[:]))
	h.Add("reached")
	for _, x := range m.r.sidesOf(s) {
		f := x.side.Function
		name := x.name + " " + f.Crate.Root
		rc := m.kept.reaches[name]
		if rc == nil {
			sc := m.scopes[x.tree][f.Crate.Root]
			t := x.tree.part(sc.paths, m.store())
			if !sc.whole && sc.open == "" {
				t.parseAll(t.rust, m.r.o.Jobs)
			}
			var err error
			if rc, err = t.reachOf(sc); err != nil {
				return nil, err
			}
			if rc.doubt != "" {
				m.r.o.Log.Debug("the strength of functions depends on all of their crate", "crate", name, "why", rc.doubt)
			}
			m.kept.reaches[name] = rc
		}
		var mutants mutate.Result
		if p.Mutants > 0 && f.HasBody {
			mutants = mutate.Mutants(f, mutate.Options{Max: p.Mutants, Seed: p.Seed})
		}
		sum, ok := rc.of(f, mutants)
		if !ok {
			return nil, nil
		}
		h.Add(x.name, string(sum[:]))
		function(h, x, f.Span.Start)
	}
	h.Add("same", strconv.FormatBool(s.Same))
	key := h.Key()
	return &key, nil
}

// crateKeys are keys for the crates that a subject runs in, by side and root. What is kept under them is nothing: that there is an entry says that the crate
// compiles as it is, with nothing but its own sources.
func (m *measuring) crateKeys(s *measure.Subject) (map[string]cache.Key, error) {
	out := map[string]cache.Key{}
	for _, x := range m.r.sidesOf(s) {
		if x.name == "base" && s.Same {
			continue // it is run in head's crate
		}
		sum, ok, err := m.scopeKey(x)
		if err != nil || !ok {
			return nil, err
		}
		c := x.side.Function.Crate
		h := cache.NewHash()
		h.Add("common", string(m.kept.common[:]))
		h.Add("compiles", string(sum[:]), c.Name, c.Key, c.Root, c.Manifest)
		out[x.name+" "+c.Root] = h.Key()
	}
	return out, nil
}

// function hashes what is known of a function by more than the files of its scope: the model that it comes from has read others too. Places in its file are
// counted from one of them.
func function(h cache.Hash, x sideOf, from int) {
	f := x.side.Function
	at := func(s source.Span) source.Span { return source.Span{Start: s.Start - from, End: s.End - from} }
	h.Add("crate", f.Crate.Name, f.Crate.Key, f.Crate.Root, f.Crate.Manifest)
	h.Add("function", f.Symbol, f.File.Path, f.File.Module, f.Module, f.Self, f.Trait, fmt.Sprint(f.Kind, f.Mode, at(f.Span), at(f.NameSpan), f.HasBody, f.Verified, len(f.Params)))
	h.Add("signature", f.Signature, f.ResultType)
	// Mutants depend on what is known of the functions that it calls.
	for _, c := range f.Calls {
		words := []string{c.To, fmt.Sprint(at(c.Span), c.Ghost, c.Spec, c.Method, len(c.Callees),
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
		e.data = data
		return &e
	}
	return nil
}

// has tells whether there is an entry.
func (k *strengths) has(key cache.Key) bool {
	return slices.ContainsFunc(k.stores.read(), func(store *cache.Store) bool {
		_, ok, err := store.Get(key)
		if err != nil {
			k.r.o.Log.Warn("the cache did not work", "error", err)
		}
		return ok && err == nil
	})
}

// put keeps data where those about a subject are kept, if anywhere. No trouble with the cache ends the run.
func (k *strengths) put(s *measure.Subject, key *cache.Key, data []byte) {
	r := k.r
	store := k.stores.write(s.Base == nil || r.accepted(r.sides.baseCommit), s.Head == nil || r.accepted(r.sides.headCommit), r.policy.Cache.WriteHead)
	if store == nil || key == nil {
		return
	}
	if err := store.Put(r.ctx, *key, data); err != nil {
		r.o.Log.Warn("the cache did not work", "error", err)
	}
}

// keep writes down what was measured and would be the same the next time.
func (m *measuring) keep(g *group, measured []int, subjects []*measure.Subject, out []*measure.Result, ran map[string]*measure.Compiled) error {
	if m.kept == nil {
		return nil
	}
	compiles := map[string]bool{}
	for _, i := range measured {
		s, x := subjects[i], out[i]
		if why := x.Unsettled(); why != "" {
			m.r.o.Log.Debug("the strength is not kept", "function", s.Symbol, "why", why)
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
			for _, name := range []string{"head", "base"} {
				if c := ran[name]; e.Rustc == "" {
					e.Rustc, e.Protections = c.Version, steady(c.Protections)
				}
			}
		}
		data, own, ok := x.Keep()
		if !ok {
			continue
		}
		e.Strength = data
		all, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("keep the strength of %s: %w", s.Symbol, err)
		}
		m.kept.put(s, key, all)
		if own {
			if key, err = m.reachKey(g, s); err != nil {
				return err
			}
			m.kept.put(s, key, all)
		}
		keys, err := m.crateKeys(s)
		if err != nil {
			return err
		}
		for name, key := range keys {
			side, root, _ := strings.Cut(name, " ")
			if ran[side].AsIs[root] && !compiles[name] {
				compiles[name] = true
				m.kept.put(s, &key, []byte(strengthFormat))
			}
		}
	}
	return nil
}

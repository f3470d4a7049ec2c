package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// Trust lists what the Rust sources below a path believe without proof. Paths in the ledger are relative to the root of the
// repository, or to the directory that was named when no repository holds it.
func Trust(ctx context.Context, name string, jobs int, version string) (_ *checks.Ledger, err error) {
	from, under, done, err := openTree(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	t, err := newTree(ctx, from, newStore())
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range t.rust {
		if under == "" || p == under || strings.HasPrefix(p, under+"/") {
			paths = append(paths, p)
		}
	}
	m, err := t.model(ctx, paths, jobs)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l := &checks.Ledger{Schema: checks.Schema, Specgate: checks.Build{Version: version}}
	inside := map[string]bool{}
	for _, p := range paths {
		inside[p] = true
		if src := t.source(p); src != nil {
			l.Files++
			l.Lines += src.Lines()
		}
	}
	for _, f := range m.Functions {
		if inside[f.File.Path] {
			l.Functions++
		}
	}
	eachSite(m, func(symbol string, s model.Site) {
		if inside[s.File.Path] {
			l.Sites = append(l.Sites, checks.LedgerSite{Kind: s.Kind.String(), Symbol: symbol, File: s.File.Path,
				Span: s.File.Syntax.Source.Range(s.Span), Text: s.Text, Uncertain: s.Uncertain})
		}
	})
	for _, p := range m.Problems {
		if !inside[p.File] {
			continue
		}
		u := checks.Unparsed{File: p.File, Span: atStart, Text: p.Text}
		if src := t.source(p.File); src != nil && p.Span != (source.Span{}) {
			u.Span = src.Range(p.Span)
		}
		l.Unparsed = append(l.Unparsed, u)
	}
	l.Sort()
	return l, nil
}

// Root is the top of the working tree that a directory is in; outside of a git repository, and in a bare one, the directory itself.
func Root(ctx context.Context, dir string) (string, error) {
	repo, err := gitrepo.Open(ctx, dir)
	switch {
	case errors.Is(err, gitrepo.ErrNotRepository) || err == nil && repo.Bare():
		return dir, nil
	case err != nil:
		return "", &InputError{err}
	}
	return repo.Root(), nil
}

// InRepository tells whether a directory is in a git repository.
func InRepository(ctx context.Context, dir string) (bool, error) {
	_, err := gitrepo.Open(ctx, dir)
	if errors.Is(err, gitrepo.ErrNotRepository) {
		return false, nil
	}
	if err != nil {
		return false, &InputError{err}
	}
	return true, nil
}

// Idle are the settings of a policy whose globs match no file of the working tree that a directory is in. judges tells whether a Rust file is in the policy's scope, or
// there is none. Outside of a repository nothing is idle.
func Idle(ctx context.Context, dir string, p *policy.Policy) (idle []string, judges bool, err error) {
	repo, err := gitrepo.Open(ctx, dir)
	if errors.Is(err, gitrepo.ErrNotRepository) || err == nil && repo.Bare() {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, &InputError{err}
	}
	from, err := repo.WorkTree()
	if err != nil {
		return nil, false, fmt.Errorf("compare the policy with the working tree: %w", err)
	}
	t, err := newTree(ctx, from, newStore())
	if err != nil {
		return nil, false, fmt.Errorf("compare the policy with the working tree: %w", err)
	}
	return p.Idle(t.paths), len(t.rust) == 0 || slices.ContainsFunc(t.rust, p.InScope), nil
}

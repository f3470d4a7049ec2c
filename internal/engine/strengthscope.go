package engine

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
)

// scope is the part of a tree that a crate is read and compiled from.
type scope struct {
	// paths are sorted.
	paths []string
	// whole says that it is all of the tree, as it is not known what less would do.
	whole bool
	// open says why files outside of it may matter too; empty if they cannot.
	open string
}

var (
	// otherFile is what leads from a source to a file that is none of its crate's modules by their names: include! and its like under any name that
	// it is given, and #[path].
	otherFile = regexp.MustCompile(`\binclude(_str|_bytes)?\b|\bpath\s*(=|/[*/])`)
	// A macro can make an attribute of the word path.
	macro    = regexp.MustCompile(`\bmacro(_rules)?\b`)
	pathWord = regexp.MustCompile(`\bpath\b`)
)

// about is what is known of a blob, whichever file has it.
type about struct {
	sum [sha256.Size]byte
	// others tells that it may name other files, macros that it defines macros, and path that it has the word.
	others, macros, path bool
}

func (s *store) aboutOf(id string, text []byte) about {
	s.mu.Lock()
	a, ok := s.abouts[id]
	s.mu.Unlock()
	if ok {
		return a
	}
	// Most sources have none of the words.
	has := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	a = about{sum: sha256.Sum256(text), others: (has("include") || has("path")) && otherFile.Match(text), macros: has("macro") && macro.Match(text), path: has("path") && pathWord.Match(text)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abouts[id] = a
	return a
}

// scopeOf gives the packages that a crate can name, its own first: those that manifests of the tree name by a path, and what these name. Of a crate
// without a manifest, and where sources name files by themselves, it is the whole tree.
func (t *tree) scopeOf(c *model.Crate) (scope, error) {
	if err := t.loadAll(); err != nil {
		return scope{}, err
	}
	dirs := t.named(c)
	in := func(p string) bool {
		for _, d := range dirs {
			if d == "." || strings.HasPrefix(p, d+"/") {
				return true
			}
		}
		return false
	}
	all := scope{paths: t.paths, whole: true}
	var out scope
	if c.Manifest == "" || !in(c.Root) {
		out = all
	}
	for _, p := range t.paths {
		if out.whole {
			break
		}
		if in(p) || above(p, dirs) {
			out.paths = append(out.paths, p)
		}
	}
	macros, word := "", ""
	for _, p := range out.paths {
		if !t.has(p) || !isRust(p) {
			continue
		}
		e, c, err := t.content(p)
		if err != nil || c.TooLarge {
			out.open = fmt.Sprintf("%s cannot be read", p)
			break
		}
		a := t.store.aboutOf(e.ID, c.Data)
		if a.others {
			out.open = fmt.Sprintf("%s names a file by include!, #[path] or something that looks like it", p)
			break
		}
		if a.macros {
			macros = p
		}
		if a.path {
			word = p
		}
	}
	if out.open != "" {
		all.open = out.open
		return all, nil
	}
	if !out.whole && macros != "" && word != "" {
		// Few do, and those do not compile without the file, so that the rest of the tree is not read for it.
		out.open = fmt.Sprintf("%s defines macros, which may make #[path] of a word in %s", macros, word)
	}
	return out, nil
}

// above tells a manifest or lock file of a directory above one of some directories: that of their workspace.
func above(p string, dirs []string) bool {
	if base := path.Base(p); base != "Cargo.toml" && base != "Cargo.lock" {
		return false
	}
	dir := path.Dir(p)
	return dir == "." || slices.ContainsFunc(dirs, func(d string) bool { return strings.HasPrefix(d, dir+"/") })
}

// named are the directories of the package of a crate and of all those that it depends on by a path.
func (t *tree) named(c *model.Crate) []string {
	var out []string
	for next := []string{path.Dir(c.Manifest)}; c.Manifest != "" && len(next) > 0; next = next[1:] {
		dir := next[0]
		m := t.manifest(dir)
		if m == nil || m.Package == nil || slices.Contains(out, dir) {
			continue
		}
		out = append(out, dir)
		for _, d := range m.Dependencies {
			if to := t.dependency(dir, d); to != "" {
				next = append(next, to)
			}
		}
		for up := dir; ; up = path.Dir(up) {
			if w := t.manifest(up); w != nil {
				for _, d := range w.Patches {
					if d.Path != "" {
						next = append(next, path.Join(up, d.Path))
					}
				}
			}
			if up == "." {
				break
			}
		}
	}
	return out
}

// dependency is the directory of the package that a manifest names by a path, itself or by its workspace; empty if it names none so.
func (t *tree) dependency(dir string, d manifest.Dependency) string {
	if !d.Workspace {
		if d.Path == "" {
			return ""
		}
		return path.Join(dir, d.Path)
	}
	for up := dir; ; up = path.Dir(up) {
		if m := t.manifest(up); m != nil && m.Workspace != nil {
			for _, w := range m.Dependencies {
				if w.Table == "workspace.dependencies" && w.Name == d.Name && w.Path != "" {
					return path.Join(up, w.Path)
				}
			}
			return ""
		}
		if up == "." {
			return ""
		}
	}
}

// manifest is the Cargo.toml of a directory; nil if there is none that can be read. What is wrong with one is told elsewhere.
func (t *tree) manifest(dir string) *manifest.Cargo {
	p := path.Join(dir, "Cargo.toml")
	if !t.has(p) {
		return nil
	}
	t.mu.Lock()
	m, ok := t.manifests[p]
	t.mu.Unlock()
	if ok {
		return m
	}
	if text, err := t.Read(p); err == nil {
		m, _ = manifest.ParseCargo(source.NewFile(p, text))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.manifests == nil {
		t.manifests = map[string]*manifest.Cargo{}
	}
	t.manifests[p] = m
	return m
}

// byCargo tells whether cargo may need files of the tree beside those of a crate's scope to build it: a package of the tree that it depends on
// may take settings from a workspace, which names others.
func (t *tree) byCargo(c *model.Crate) bool {
	dirs := t.named(c)
	return len(dirs) > 1 || slices.ContainsFunc(dirs, func(dir string) bool { return len(t.manifest(dir).Patches) > 0 })
}

// hash is over all files of a scope: the bytes of sources, manifests and lock files, and what git calls the contents of others, which a source may
// have become part of in ways that otherFile does not see.
func (t *tree) hash(s scope) (cache.Key, error) {
	text := func(p string) bool { return isRust(p) || strings.HasSuffix(p, ".toml") || path.Base(p) == "Cargo.lock" }
	var texts []string
	for _, p := range s.paths {
		if text(p) {
			texts = append(texts, p)
		}
	}
	if err := t.load(texts); err != nil {
		return cache.Key{}, err
	}
	h := cache.NewHash()
	for _, p := range s.paths {
		e := t.entries[p]
		if !text(p) {
			h.Add("other", p, e.Kind.String(), e.ID)
			continue
		}
		e, c, err := t.content(p)
		switch {
		case err != nil && isFile(e):
			return cache.Key{}, fmt.Errorf("read %q: %w", p, err)
		case err != nil || c.TooLarge:
			h.Add("other", p, e.Kind.String(), e.ID)
		default:
			sum := t.store.aboutOf(e.ID, c.Data).sum
			h.Add("file", p, e.Kind.String(), string(sum[:]))
		}
	}
	return h.Key(), nil
}

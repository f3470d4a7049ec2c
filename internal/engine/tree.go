package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/verus"
)

// maxFile is the most bytes of a file that is read. The largest Rust files that people write have a tenth of that.
const maxFile = 16 << 20

// lister is what a tree of files is read from: gitrepo.Tree, or a plain directory.
type lister interface {
	Entries(ctx context.Context) ([]gitrepo.Entry, error)
	Read(ctx context.Context, paths []string, maxSize int64) (map[string]gitrepo.Content, error)
}

// store holds what was read and parsed of all trees of one run, so that what both sides share is read and parsed once.
type store struct {
	mu    *sync.Mutex
	blobs map[string]gitrepo.Content // by entry ID
	files map[fileKey]*parsed
	// under are the files of the store that this one is for a while laid over; nil: there is none.
	under  map[fileKey]*parsed
	abouts map[string]about // by entry ID
	// read and parsings count the files that were read and parsed.
	read, parsings *atomic.Int64
}

type fileKey struct{ path, id string }

// parsed is a file that is, or will be, parsed.
type parsed struct {
	once   sync.Once
	source *source.File
	file   *syntax.File
	err    error
}

func newStore() *store {
	return &store{mu: &sync.Mutex{}, blobs: map[string]gitrepo.Content{}, files: map[fileKey]*parsed{}, abouts: map[string]about{}, read: &atomic.Int64{}, parsings: &atomic.Int64{}}
}

// over is a store for files that are needed for a while: it has what is parsed in s by now, and s does not get what is parsed in it.
func (s *store) over() *store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &store{mu: s.mu, blobs: s.blobs, files: map[fileKey]*parsed{}, under: maps.Clone(s.files), abouts: s.abouts, read: s.read, parsings: s.parsings}
}

// tree is one side as the model reads it.
type tree struct {
	ctx     context.Context
	from    lister
	store   *store
	entries map[string]gitrepo.Entry
	paths   []string
	rust    []string

	mu     sync.Mutex
	all    bool  // every .rs file has been read
	failed error // the first failure of Mentions, which cannot return it

	manifests map[string]*manifest.Cargo // by path; nil: it cannot be read

	searches int
	words    map[string][]int32 // indexes into rust of the files that have a word
}

func newTree(ctx context.Context, from lister, s *store) (*tree, error) {
	entries, err := from.Entries(ctx)
	if err != nil {
		return nil, err
	}
	t := &tree{ctx: ctx, from: from, store: s, entries: make(map[string]gitrepo.Entry, len(entries)), paths: make([]string, len(entries))}
	for i, e := range entries {
		t.entries[e.Path] = e
		t.paths[i] = e.Path
		if isRust(e.Path) && isFile(e) {
			t.rust = append(t.rust, e.Path)
		}
	}
	return t, nil
}

func isRust(path string) bool { return strings.HasSuffix(path, ".rs") }

func isFile(e gitrepo.Entry) bool { return e.Kind == gitrepo.File || e.Kind == gitrepo.Executable }

// Paths implements model.Tree.
func (t *tree) Paths() []string { return t.paths }

// load reads files in one go. Paths that are not in the tree, and what is not a file, are left out.
func (t *tree) load(paths []string) error {
	t.store.mu.Lock()
	var missing []string
	for _, p := range paths {
		e, ok := t.entries[p]
		if !ok || !isFile(e) {
			continue
		}
		if _, ok := t.store.blobs[e.ID]; !ok {
			missing = append(missing, p)
		}
	}
	t.store.mu.Unlock()
	if len(missing) == 0 {
		return nil
	}
	contents, err := t.from.Read(t.ctx, missing, maxFile)
	if err != nil {
		return err
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	for p, c := range contents {
		t.store.blobs[t.entries[p].ID] = c
	}
	t.store.read.Add(int64(len(contents)))
	return nil
}

// part is the tree as if it had no files but some.
func (t *tree) part(paths []string, s *store) *tree {
	out := &tree{ctx: t.ctx, from: t.from, store: s, entries: make(map[string]gitrepo.Entry, len(paths)), paths: paths}
	for _, p := range paths {
		e := t.entries[p]
		out.entries[p] = e
		if isRust(p) && isFile(e) {
			out.rust = append(out.rust, p)
		}
	}
	return out
}

// model reads the named files of the tree and indexes them.
func (t *tree) model(ctx context.Context, paths []string, jobs int) (*model.Model, error) {
	if err := t.loadAll(); err != nil {
		return nil, err
	}
	t.parseAll(paths, jobs)
	return model.New(ctx, t, paths)
}

// loadAll reads every .rs file and every manifest: asking for one at a time would start a process for each.
func (t *tree) loadAll() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all {
		return nil
	}
	paths := slices.Clone(t.rust)
	for _, p := range t.paths {
		if strings.HasSuffix(p, ".toml") {
			paths = append(paths, p)
		}
	}
	if err := t.load(paths); err != nil {
		return err
	}
	t.all = true
	return nil
}

var errNotThere = errors.New("there is no such file")

// content is what the store has of a file, read now if need be.
func (t *tree) content(path string) (gitrepo.Entry, gitrepo.Content, error) {
	e, ok := t.entries[path]
	if !ok {
		return e, gitrepo.Content{}, errNotThere
	}
	if !isFile(e) {
		return e, gitrepo.Content{}, fmt.Errorf("it is a %s, which is not followed", article(e.Kind))
	}
	for _, load := range []func() error{func() error { return nil }, t.loadAll, func() error { return t.load([]string{path}) }} {
		if err := load(); err != nil {
			return e, gitrepo.Content{}, err
		}
		t.store.mu.Lock()
		c, ok := t.store.blobs[e.ID]
		t.store.mu.Unlock()
		if ok {
			return e, c, nil
		}
	}
	return e, gitrepo.Content{}, errNotThere
}

func article(k gitrepo.Kind) string {
	if k == gitrepo.Symlink {
		return "symbolic link"
	}
	return k.String()
}

// Read implements model.Tree.
func (t *tree) Read(path string) ([]byte, error) {
	_, c, err := t.content(path)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	if c.TooLarge {
		return nil, fmt.Errorf("read %q: it has %d bytes, and files of more than %d MiB are not read", path, c.Size, maxFile>>20)
	}
	return c.Data, nil
}

// workFile is a path of the tree for the copy that the verifier works on. What is too large to be read is left out of that.
func (t *tree) workFile(p string) (verus.WorkFile, error) {
	e := t.entries[p]
	if !isFile(e) {
		return verus.WorkFile{Path: p, Mode: verus.WorkOther}, nil
	}
	_, c, err := t.content(p)
	f := verus.WorkFile{Path: p, Data: c.Data, Mode: verus.WorkPlain}
	switch {
	case err != nil:
		return verus.WorkFile{}, fmt.Errorf("copy %q for the verifier: %w", p, err)
	case c.TooLarge:
		f.Mode = verus.WorkUnread
	case e.Kind == gitrepo.Executable:
		f.Mode = verus.WorkExecutable
	}
	return f, nil
}

// built tells a file of which a build can hardly do without: a source, a manifest or a lock file.
func built(p string) bool {
	return slices.Contains([]string{".rs", ".toml", ".lock"}, strings.ToLower(path.Ext(p)))
}

// Parse implements model.Tree.
func (t *tree) Parse(path string) (*syntax.File, error) {
	p := t.parsed(path)
	return p.file, p.err
}

func (t *tree) parsed(path string) *parsed {
	t.store.mu.Lock()
	key := fileKey{path, t.entries[path].ID}
	p, ok := t.store.files[key]
	if !ok {
		p, ok = t.store.under[key]
	}
	if !ok {
		p = &parsed{}
		t.store.files[key] = p
	}
	t.store.mu.Unlock()
	p.once.Do(func() {
		text, err := t.Read(path)
		if err != nil {
			p.err = err
			return
		}
		p.source = source.NewFile(path, text)
		if i := invalidUTF8(text); i >= 0 {
			p.err = fmt.Errorf("parse %q: byte 0x%02x at %v is not UTF-8, which Rust sources are", path, text[i], p.source.Position(i))
			return
		}
		p.file = syntax.Parse(p.source)
		t.store.parsings.Add(1)
	})
	return p
}

// source is the text of a file with its lines, or nil if it cannot be had.
func (t *tree) source(path string) *source.File {
	if isRust(path) {
		return t.parsed(path).source
	}
	text, err := t.Read(path)
	if err != nil {
		return nil
	}
	return source.NewFile(path, text)
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

// parseAll parses files in parallel. Errors are kept for those who ask for the file.
func (t *tree) parseAll(paths []string, jobs int) {
	var wg sync.WaitGroup
	var panics caught
	next := make(chan string)
	for range min(jobs, len(paths)) {
		wg.Go(func() {
			for p := range next {
				panics.run(func() { t.parsed(p) })
			}
		})
	}
	for _, p := range paths {
		if t.ctx.Err() != nil {
			break
		}
		next <- p
	}
	close(next)
	wg.Wait()
	panics.again()
}

// Mentions implements model.Tree. A failure to read the tree is kept in t.failed.
func (t *tree) Mentions(words ...string) []string {
	if err := t.loadAll(); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.failed == nil {
			t.failed = err
		}
		return nil
	}
	var out []string
	plain := !slices.ContainsFunc(words, func(w string) bool {
		return w == "" || strings.ContainsFunc(w, func(r rune) bool { return r < 0x80 && !identByte(byte(r)) })
	})
	if plain && t.searched() {
		var in []int32
		for _, w := range words {
			in = append(in, t.words[w]...)
		}
		slices.Sort(in)
		for _, i := range slices.Compact(in) {
			out = append(out, t.rust[i])
		}
		return out
	}
	for _, p := range t.rust {
		_, c, err := t.content(p)
		if err == nil && slices.ContainsFunc(words, func(w string) bool { return hasWord(c.Data, w) }) {
			out = append(out, p)
		}
	}
	return out
}

// searched counts a search for words, and tells whether t.words can answer it: an index takes as long to make as some searches take
// without one, and most changes need a few only.
func (t *tree) searched() bool {
	const few = 8
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.searches++; t.searches <= few {
		return false
	}
	if t.words != nil {
		return true
	}
	t.words = map[string][]int32{}
	for i, p := range t.rust {
		t.store.mu.Lock()
		text := t.store.blobs[t.entries[p].ID].Data
		t.store.mu.Unlock()
		for from := 0; from < len(text); {
			if !identByte(text[from]) {
				from++
				continue
			}
			end := from + 1
			for end < len(text) && identByte(text[end]) {
				end++
			}
			if in := t.words[string(text[from:end])]; len(in) == 0 || in[len(in)-1] != int32(i) {
				t.words[string(text[from:end])] = append(in, int32(i))
			}
			from = end
		}
	}
	return true
}

// hasWord tells whether text has word with no character of an identifier before or after it.
func hasWord(text []byte, word string) bool {
	if word == "" {
		return false
	}
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(word))
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || !identByte(text[start-1])) && (end == len(text) || !identByte(text[end])) {
			return true
		}
		from = start + 1
	}
}

// identByte counts every byte of a character beyond ASCII as part of an identifier.
func identByte(b byte) bool {
	return b == '_' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

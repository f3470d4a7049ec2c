// Package modeltest has trees of files in memory, for the tests of whatever reads a model.Tree.
package modeltest

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// Tree is a model.Tree over texts, by path. It is not safe for concurrent use.
type Tree[T ~string | ~[]byte] struct {
	Files  map[string]T
	parsed map[string]*syntax.File
}

// New makes a tree of files, which must not change afterwards.
func New[T ~string | ~[]byte](files map[string]T) *Tree[T] {
	return &Tree[T]{files, map[string]*syntax.File{}}
}

// Paths are sorted.
func (t *Tree[T]) Paths() []string {
	var out []string
	for p := range t.Files {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// Rust are the paths that end in .rs, sorted.
func (t *Tree[T]) Rust() []string {
	return slices.DeleteFunc(t.Paths(), func(p string) bool { return !strings.HasSuffix(p, ".rs") })
}

// Read gives the text of a file. The error for one that there is not wraps fs.ErrNotExist.
func (t *Tree[T]) Read(path string) ([]byte, error) {
	text, ok := t.Files[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// Parse parses a file once.
func (t *Tree[T]) Parse(path string) (*syntax.File, error) {
	if f := t.parsed[path]; f != nil {
		return f, nil
	}
	text, err := t.Read(path)
	if err != nil {
		return nil, err
	}
	t.parsed[path] = syntax.Parse(source.NewFile(path, text))
	return t.parsed[path], nil
}

// Mentions are the Rust files that have one of the words in their text.
func (t *Tree[T]) Mentions(words ...string) []string {
	return slices.DeleteFunc(t.Rust(), func(p string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return w != "" && bytes.Contains([]byte(t.Files[p]), []byte(w)) })
	})
}

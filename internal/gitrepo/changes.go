package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
)

// A Status says what happened to a file.
type Status uint8

// The statuses. The zero value is invalid.
const (
	Added       Status = iota + 1
	Deleted            //
	Modified           // the content, or the executable bit, or both
	Renamed            // the path, and maybe the content
	TypeChanged        // between file, symbolic link and submodule
)

func (s Status) String() string {
	switch s {
	case Added:
		return "added"
	case Deleted:
		return "deleted"
	case Modified:
		return "modified"
	case Renamed:
		return "renamed"
	case TypeChanged:
		return "type changed"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// A Change is a difference between two trees.
type Change struct {
	Status Status
	// Base is the entry in the base tree. It is the zero Entry if the file was added.
	Base Entry
	// Head is the entry in the head tree. It is the zero Entry if the file was deleted.
	Head Entry
	// Similarity of a renamed file is how much of the content is the same, in percent of the larger of the two: 50 to
	// 100. It is 0 for every other status.
	Similarity int
}

// Path returns the path in the head tree, or the path in the base tree of a deleted file.
func (c Change) Path() string {
	if c.Status == Deleted {
		return c.Base.Path
	}
	return c.Head.Path
}

const (
	// renameFiles is the most deleted, and the most added files whose contents are compared, to find renames with changes:
	// the limit of git 2.30. With more than that, only renames without changes are found.
	renameFiles = 400
	// renameSize is the most bytes of a file whose content is compared. It bounds the memory for the comparison.
	renameSize = 256 << 10
	// renameSimilarity is the least similarity of a renamed file, in percent: that of git diff -M.
	renameSimilarity = 50
)

// Changes returns what is different in the head tree from the base tree, sorted by Change.Path. Both trees must be of
// repositories with the same object format.
//
// A file that was deleted and one that was added are a rename if they have the same content, or at least half of it in
// common, as for git diff -M. Git itself is not asked, as its answer depends on its version and configuration, and as it
// has none for files that are not tracked. Empty files are not renamed.
func Changes(ctx context.Context, base, head *Tree) ([]Change, error) {
	if base.repo.format != head.repo.format {
		return nil, fmt.Errorf("compare %v with %v: the object formats are %s and %s", base, head, base.repo.format, head.repo.format)
	}
	baseEntries, err := base.Entries(ctx)
	if err != nil {
		return nil, err
	}
	headEntries, err := head.Entries(ctx)
	if err != nil {
		return nil, err
	}
	var changes []Change
	var deleted, added []Entry
	for b, h := baseEntries, headEntries; len(b) > 0 || len(h) > 0; {
		switch {
		case len(h) == 0 || len(b) > 0 && b[0].Path < h[0].Path:
			deleted = append(deleted, b[0])
			b = b[1:]
			continue
		case len(b) == 0 || h[0].Path < b[0].Path:
			added = append(added, h[0])
			h = h[1:]
			continue
		case b[0] == h[0]:
		case b[0].Kind.group() != h[0].Kind.group():
			changes = append(changes, Change{Status: TypeChanged, Base: b[0], Head: h[0]})
		default:
			changes = append(changes, Change{Status: Modified, Base: b[0], Head: h[0]})
		}
		b, h = b[1:], h[1:]
	}
	renames, err := findRenames(ctx, base, head, deleted, added)
	if err != nil {
		return nil, fmt.Errorf("look for renamed files: %w", err)
	}
	renamed := make(map[string]bool) // deleted and added paths are disjoint
	for _, r := range renames {
		renamed[r.Base.Path], renamed[r.Head.Path] = true, true
	}
	changes = append(changes, renames...)
	for _, e := range deleted {
		if !renamed[e.Path] {
			changes = append(changes, Change{Status: Deleted, Base: e})
		}
	}
	for _, e := range added {
		if !renamed[e.Path] {
			changes = append(changes, Change{Status: Added, Head: e})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path(), b.Path()) })
	return changes, nil
}

// group is the same for kinds between which a change is a change of content or mode.
func (k Kind) group() Kind {
	if k == Executable {
		return File
	}
	return k
}

// findRenames pairs deleted with added files.
func findRenames(ctx context.Context, base, head *Tree, deleted, added []Entry) ([]Change, error) {
	notFile := func(e Entry) bool { return e.Kind.group() != File || isEmptyBlob(e.ID) }
	deleted = slices.DeleteFunc(slices.Clone(deleted), notFile)
	added = slices.DeleteFunc(slices.Clone(added), notFile)

	// Without changes first: nothing has to be read.
	var pairs []Change
	deletedByID := make(map[string][]Entry)
	for _, d := range deleted {
		deletedByID[d.ID] = append(deletedByID[d.ID], d)
	}
	for _, a := range added {
		for _, d := range deletedByID[a.ID] {
			pairs = append(pairs, Change{Status: Renamed, Base: d, Head: a, Similarity: 100})
		}
	}
	renames := assign(pairs)

	taken := make(map[string]bool)
	for _, r := range renames {
		taken[r.Base.Path], taken[r.Head.Path] = true, true
	}
	isTaken := func(e Entry) bool { return taken[e.Path] }
	deleted = slices.DeleteFunc(deleted, isTaken)
	added = slices.DeleteFunc(added, isTaken)
	if len(deleted) == 0 || len(added) == 0 || len(deleted) > renameFiles || len(added) > renameFiles {
		return renames, nil
	}

	chunks := make(map[string]int)
	oldFiles, err := fingerprints(ctx, base, deleted, chunks)
	if err != nil {
		return nil, err
	}
	newFiles, err := fingerprints(ctx, head, added, chunks)
	if err != nil {
		return nil, err
	}
	pairs = nil
	for i, d := range deleted {
		for j, a := range added {
			if s := similarity(oldFiles[i], newFiles[j]); s >= renameSimilarity {
				pairs = append(pairs, Change{Status: Renamed, Base: d, Head: a, Similarity: s})
			}
		}
	}
	return append(renames, assign(pairs)...), nil
}

// isEmptyBlob reports whether the id is that of no content.
func isEmptyBlob(id string) bool {
	return id == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" ||
		id == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
}

// assign takes from the possible renames the best ones, each path once: the most similar, then those that keep the name of
// the file, then the first by path.
func assign(pairs []Change) []Change {
	keepsName := func(c Change) int {
		if path.Base(c.Base.Path) == path.Base(c.Head.Path) {
			return 1
		}
		return 0
	}
	slices.SortFunc(pairs, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(b.Similarity, a.Similarity),
			cmp.Compare(keepsName(b), keepsName(a)),
			cmp.Compare(a.Head.Path, b.Head.Path),
			cmp.Compare(a.Base.Path, b.Base.Path),
		)
	})
	taken := make(map[string]bool)
	var best []Change
	for _, p := range pairs {
		if !taken[p.Base.Path] && !taken[p.Head.Path] {
			taken[p.Base.Path], taken[p.Head.Path] = true, true
			best = append(best, p)
		}
	}
	return best
}

// A fingerprint is the content of a file as a multiset of chunks, for similarity. Chunks are lines, cut after 64 bytes:
// those of git's diffcore-delta.c.
type fingerprint struct {
	size   int
	chunks []chunk // sorted by number
}

type chunk struct {
	number int // the same for equal chunks
	bytes  int // in all of its occurrences
}

// fingerprints reads the entries. Files that are too large have the zero fingerprint. numbers gives equal chunks equal
// numbers.
func fingerprints(ctx context.Context, t *Tree, entries []Entry, numbers map[string]int) ([]fingerprint, error) {
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.Path
	}
	contents, err := t.Read(ctx, paths, renameSize)
	if err != nil {
		return nil, err
	}
	prints := make([]fingerprint, len(entries))
	for i, p := range paths {
		prints[i] = newFingerprint(contents[p].Data, numbers)
	}
	return prints, nil
}

func newFingerprint(data []byte, numbers map[string]int) fingerprint {
	const longest = 64
	f := fingerprint{size: len(data)}
	for len(data) > 0 {
		n := bytes.IndexByte(data[:min(longest, len(data))], '\n') + 1
		if n == 0 {
			n = min(longest, len(data))
		}
		number, ok := numbers[string(data[:n])]
		if !ok {
			number = len(numbers)
			numbers[string(data[:n])] = number
		}
		f.chunks = append(f.chunks, chunk{number, n})
		data = data[n:]
	}
	slices.SortFunc(f.chunks, func(a, b chunk) int { return cmp.Compare(a.number, b.number) })
	merged := f.chunks[:0]
	for _, c := range f.chunks {
		if n := len(merged); n > 0 && merged[n-1].number == c.number {
			merged[n-1].bytes += c.bytes
		} else {
			merged = append(merged, c)
		}
	}
	f.chunks = merged
	return f
}

// similarity returns how many of the bytes of the larger file are in chunks that both have, in percent, rounded down.
func similarity(a, b fingerprint) int {
	larger := max(a.size, b.size)
	if larger == 0 || min(a.size, b.size)*100 < larger*renameSimilarity {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a.chunks) && j < len(b.chunks); {
		switch ca, cb := a.chunks[i], b.chunks[j]; {
		case ca.number < cb.number:
			i++
		case ca.number > cb.number:
			j++
		default:
			common += min(ca.bytes, cb.bytes)
			i++
			j++
		}
	}
	return common * 100 / larger
}

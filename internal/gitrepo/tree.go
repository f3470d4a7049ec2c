package gitrepo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/specgate/specgate/internal/sandbox"
)

// A Kind says what an entry of a tree is.
type Kind uint8

// The kinds of entries. The zero value is invalid.
const (
	File       Kind = iota + 1
	Executable      // a file with the executable bit of its owner
	Symlink
	Submodule // a commit of another repository
)

func (k Kind) String() string {
	switch k {
	case File:
		return "file"
	case Executable:
		return "executable"
	case Symlink:
		return "symlink"
	case Submodule:
		return "submodule"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// An Entry is a file, a symbolic link or a submodule in a tree. Directories have no entries.
type Entry struct {
	// Path is relative to the root of the repository, with slashes. It is the bytes that git has: not always UTF-8, and
	// with any character but NUL. No part of it is empty, ".", ".." or ".git".
	Path string
	Kind Kind
	// ID is the git object id of the content, in hexadecimal: of the file, of the target of the symbolic link, or of the
	// commit of the submodule. Entries with equal IDs have equal content, in every tree of the repository.
	ID string
}

// A Content is what a file holds, or where a symbolic link points to.
type Content struct {
	// Data is nil if the content is too large.
	Data []byte
	// Size is the number of bytes, also if it is too large.
	Size int64
	// TooLarge says that the content has more bytes than the limit, and so was not read.
	TooLarge bool
}

// A TreeKind says where a tree comes from.
type TreeKind uint8

// The kinds of trees. The zero value is invalid.
const (
	CommitTree TreeKind = iota + 1
	IndexTree
	WorkTree
)

func (k TreeKind) String() string {
	switch k {
	case CommitTree:
		return "commit"
	case IndexTree:
		return "index"
	case WorkTree:
		return "working tree"
	}
	return fmt.Sprintf("TreeKind(%d)", uint8(k))
}

// A Tree is all files at one point: of a commit, of the index, or of the working tree. What it holds is fixed by the first
// call that asks for it. Its methods may be called from several goroutines.
type Tree struct {
	repo   *Repo
	kind   TreeKind
	commit Commit

	mu      sync.Mutex
	loaded  bool
	entries []Entry
	onDisk  map[string]bool // the entries whose content is in the working tree
}

// CommitTree returns the tree of a commit.
func (r *Repo) CommitTree(c Commit) *Tree { return &Tree{repo: r, kind: CommitTree, commit: c} }

// IndexTree returns the tree that is staged. A path that was only announced (git add --intent-to-add) is an empty file.
func (r *Repo) IndexTree() (*Tree, error) {
	if r.bare {
		return nil, fmt.Errorf("%s is a bare repository, without an index; name a revision", r.root)
	}
	return &Tree{repo: r, kind: IndexTree}, nil
}

// WorkTree returns the tree of the files on disk: those that are tracked, and those that are neither tracked nor ignored.
// Files that a sparse checkout leaves out are as in the index, and submodules are always as in the index. FIFOs, sockets
// and devices are left out.
func (r *Repo) WorkTree() (*Tree, error) {
	if r.bare {
		return nil, fmt.Errorf("%s is a bare repository, without a working tree; name a revision", r.root)
	}
	return &Tree{repo: r, kind: WorkTree}, nil
}

// Kind returns where the tree comes from.
func (t *Tree) Kind() TreeKind { return t.kind }

// Commit returns the commit whose tree it is. ok is false for the index and the working tree.
func (t *Tree) Commit() (c Commit, ok bool) { return t.commit, t.kind == CommitTree }

// String names the tree, for messages.
func (t *Tree) String() string {
	if t.kind == CommitTree {
		return "commit " + t.commit.String()
	}
	return "the " + t.kind.String()
}

// Entries returns the entries of the tree, sorted by the bytes of their paths. The caller must not change them.
//
// For the working tree this reads every file, as its ID is computed from its content.
func (t *Tree) Entries(ctx context.Context) ([]Entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded {
		return t.entries, nil
	}
	var entries []Entry
	var err error
	switch t.kind {
	case CommitTree:
		entries, err = t.repo.commitEntries(ctx, t.commit)
	case IndexTree:
		entries, err = t.repo.indexEntries(ctx)
	case WorkTree:
		entries, t.onDisk, err = t.repo.workEntries(ctx)
	default:
		err = fmt.Errorf("invalid %v", t.kind)
	}
	if err != nil {
		return nil, fmt.Errorf("list %v of %s: %w", t, t.repo.root, err)
	}
	slices.SortFunc(entries, byPath)
	for i := 1; i < len(entries); i++ {
		if entries[i-1].Path == entries[i].Path {
			return nil, fmt.Errorf("list %v of %s: it has two entries with the path %q", t, t.repo.root, entries[i].Path)
		}
	}
	t.entries, t.loaded = entries, true
	return t.entries, nil
}

func byPath(a, b Entry) int { return strings.Compare(a.Path, b.Path) }

func (r *Repo) commitEntries(ctx context.Context, c Commit) ([]Entry, error) {
	if !isID(c.ID) {
		return nil, errors.New("it is not a resolved commit")
	}
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", c.ID)
	if err != nil {
		if failed(err) {
			return nil, fmt.Errorf("%w; %s", err, r.missingRemedy())
		}
		return nil, err
	}
	return parseLsTree(out)
}

func (r *Repo) indexEntries(ctx context.Context) ([]Entry, error) {
	out, err := r.git(ctx, "ls-files", "-z", "-t", "-s")
	if err != nil {
		return nil, err
	}
	files, err := parseLsFiles(out)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(files))
	for i, f := range files {
		if f.unmerged {
			return nil, fmt.Errorf("%q has a merge conflict; resolve it, and add it to the index with: git add", f.entry.Path)
		}
		entries[i] = f.entry
	}
	return entries, nil
}

// missingRemedy says how to get objects that a partial clone left out.
func (r *Repo) missingRemedy() string {
	return fmt.Sprintf("if this is a partial clone (made with --filter), specgate does not fetch what it left out; get it with: git -C %s fetch --refetch --no-filter origin (git 2.36 or newer)", shellQuote(r.root))
}

// Read returns the content of the entries with these paths. Content of more than maxSize bytes is not read, and reported as
// too large. A path that is not in the tree, or that is a submodule, is an error. So is a file of the working tree that is
// no longer as Entries found it.
func (t *Tree) Read(ctx context.Context, paths []string, maxSize int64) (map[string]Content, error) {
	entries, err := t.Entries(ctx)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (map[string]Content, error) {
		return nil, fmt.Errorf("read files of %v of %s: %w", t, t.repo.root, err)
	}
	var stored, onDisk []Entry
	for _, path := range paths {
		i, ok := slices.BinarySearchFunc(entries, Entry{Path: path}, byPath)
		if !ok {
			return fail(fmt.Errorf("there is no %q", path))
		}
		switch e := entries[i]; {
		case e.Kind == Submodule:
			return fail(fmt.Errorf("%q is a submodule", path))
		case t.onDisk[path]:
			onDisk = append(onDisk, e)
		default:
			stored = append(stored, e)
		}
	}
	contents := make(map[string]Content, len(paths))
	if len(stored) > 0 {
		blobs, err := t.repo.readBlobs(ctx, stored, maxSize)
		if err != nil {
			return fail(err)
		}
		for _, e := range stored {
			contents[e.Path] = blobs[e.ID]
		}
	}
	if len(onDisk) > 0 {
		if err := t.repo.readWork(ctx, onDisk, maxSize, contents); err != nil {
			return fail(err)
		}
	}
	return contents, nil
}

// readBlobs reads the content of entries from the object database, by id.
func (r *Repo) readBlobs(ctx context.Context, entries []Entry, maxSize int64) (map[string]Content, error) {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	entries = slices.CompactFunc(entries, func(a, b Entry) bool { return a.ID == b.ID })

	// The sizes first: a small object can hold gigabytes of zeros, which git would have to expand.
	var ids strings.Builder
	for _, e := range entries {
		ids.WriteString(e.ID + "\n")
	}
	c := r.command("cat-file", "--batch-check", "--buffer")
	c.Stdin = []byte(ids.String())
	missing := func(e Entry) error {
		return fmt.Errorf("the content of %q, object %s, is not in the repository; %s", e.Path, e.ID, r.missingRemedy())
	}
	out, err := run(ctx, c, "cat-file")
	if err != nil {
		// Of a partial clone, git does not report an object as missing, but ends. Newer versions name the object.
		var git *gitError
		if !failed(err) || !errors.As(err, &git) {
			return nil, err
		}
		for _, e := range entries {
			if strings.Contains(git.stderr, e.ID) {
				return nil, missing(e)
			}
		}
		return nil, fmt.Errorf("%w; %s", err, r.missingRemedy())
	}
	objects, err := parseBatchCheck(out, len(entries))
	if err != nil {
		return nil, err
	}
	contents := make(map[string]Content, len(entries))
	var wanted []object
	total := int64(1)
	ids.Reset()
	for i, o := range objects {
		e := entries[i]
		switch {
		case o.problem != "":
			return nil, missing(e)
		case o.id != e.ID || o.typ != "blob":
			return nil, fmt.Errorf("the content of %q, object %s, is a %s", e.Path, e.ID, o.typ)
		case o.size > maxSize:
			contents[e.ID] = Content{Size: o.size, TooLarge: true}
		default:
			wanted = append(wanted, o)
			ids.WriteString(o.id + "\n")
			total += o.size + 128 // the header, and the newline at the end
		}
	}
	if len(wanted) == 0 {
		return contents, nil
	}

	c = r.command("cat-file", "--batch", "--buffer")
	c.Limits.Stdout = total
	p, err := c.Start(ctx)
	if err != nil {
		return nil, commandError("cat-file", sandbox.Result{}, err)
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		// If this fails, git has ended, and the answers say why.
		_, _ = p.Stdin.Write([]byte(ids.String()))
		_ = p.Stdin.Close()
	}()
	answers := bufio.NewReaderSize(p.Stdout, 64<<10)
	var readErr error
	for _, o := range wanted {
		data, err := readBatchBlob(answers, o)
		if err != nil {
			readErr = err
			break
		}
		contents[o.id] = Content{Data: data, Size: o.size}
	}
	if readErr == nil {
		if _, err := answers.ReadByte(); err == nil {
			readErr = errors.New("git cat-file gave more answers than there were questions")
		}
	}
	if readErr != nil {
		p.Stop()
	}
	res, err := p.Wait()
	<-fed
	if readErr != nil && (err == nil || errors.Is(err, context.Canceled) && ctx.Err() == nil) {
		return nil, readErr
	}
	if err != nil {
		return nil, commandError("cat-file", res, err)
	}
	return contents, nil
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/gitrepo"
)

// directory lists a plain directory that no git repository holds. Symbolic links are not followed. What tools write there is
// left out: directories whose name starts with a dot, and target.
type directory struct {
	root *os.Root
	// only, if not nil, says which entries right below the root are listed.
	only func(name string) bool
}

// Entries implements lister. The ID of an entry is its path, as nothing is shared with another tree.
func (d *directory) Entries(ctx context.Context) ([]gitrepo.Entry, error) {
	var out []gitrepo.Entry
	err := fs.WalkDir(d.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if d.only != nil && name != "." && path.Dir(name) == "." && !d.only(name) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		base := path.Base(name)
		switch {
		case entry.IsDir():
			if name != "." && (strings.HasPrefix(base, ".") && base != ".cargo" || base == "target") {
				return fs.SkipDir
			}
		case entry.Type()&fs.ModeSymlink != 0:
			out = append(out, gitrepo.Entry{Path: name, Kind: gitrepo.Symlink, ID: name})
		case entry.Type().IsRegular():
			out = append(out, gitrepo.Entry{Path: name, Kind: gitrepo.File, ID: name})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.root.Name(), err)
	}
	slices.SortFunc(out, func(a, b gitrepo.Entry) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Read implements lister.
func (d *directory) Read(ctx context.Context, paths []string, maxSize int64) (map[string]gitrepo.Content, error) {
	out := make(map[string]gitrepo.Content, len(paths))
	for _, p := range paths {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c, err := d.read(p, maxSize)
		if err != nil {
			return nil, fmt.Errorf("read %s in %s: %w", p, d.root.Name(), err)
		}
		out[p] = c
	}
	return out, nil
}

func (d *directory) read(name string, maxSize int64) (c gitrepo.Content, err error) {
	f, err := d.root.Open(name)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return c, err
	}
	if info.Size() > maxSize {
		return gitrepo.Content{Size: info.Size(), TooLarge: true}, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize))
	return gitrepo.Content{Data: data, Size: int64(len(data))}, err
}

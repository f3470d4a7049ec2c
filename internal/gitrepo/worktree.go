package gitrepo

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// errChanged means that the working tree is not what it was a moment ago.
var errChanged = errors.New("it changed while it was read; run again when nothing writes to the working tree")

// workEntries lists the working tree. Git says which paths there are; what they hold is read here, as git would run the
// clean filters that the repository configures.
func (r *Repo) workEntries(ctx context.Context) (entries []Entry, onDisk map[string]bool, err error) {
	out, err := r.git(ctx, "ls-files", "-z", "-t", "-s", "-o", "--exclude-standard")
	if err != nil {
		return nil, nil, err
	}
	files, err := parseLsFiles(out)
	if err != nil {
		return nil, nil, err
	}
	// On a file system without executable bits, git sets core.fileMode to false, and the index says what is executable.
	out, err = r.git(ctx, "config", "--type=bool", "--get", "core.fileMode")
	if err != nil && exitCode(err) != 1 { // 1 is: not set
		return nil, nil, err
	}
	indexMode := strings.TrimSpace(string(out)) == "false"

	w, err := openWork(r)
	if err != nil {
		return nil, nil, err
	}
	defer w.close()
	onDisk = make(map[string]bool)
	var toHash []int // indexes of entries
	var infos []fs.FileInfo
	for i, f := range files {
		e := f.entry
		if i > 0 && files[i-1].entry.Path == e.Path && !f.untracked {
			continue // another side of a merge conflict
		}
		if e.Kind == Submodule {
			entries = append(entries, e)
			continue
		}
		info, err := w.lstat(e.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if f.skip {
				entries = append(entries, e)
			}
			continue
		case err != nil:
			return nil, nil, err
		}
		kind := kindOf(info)
		if kind == 0 {
			continue
		}
		if indexMode && kind != Symlink {
			kind = File
			if e.Kind == Executable {
				kind = Executable
			}
		}
		onDisk[e.Path] = true
		toHash = append(toHash, len(entries))
		infos = append(infos, info)
		entries = append(entries, Entry{Path: e.Path, Kind: kind})
	}
	err = parallel(ctx, len(toHash), func(i int) error {
		e := &entries[toHash[i]]
		id, _, err := w.read(e.Path, infos[i], -1)
		e.ID = id
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return entries, onDisk, nil
}

// readWork reads files of the working tree into contents.
func (r *Repo) readWork(ctx context.Context, entries []Entry, maxSize int64, contents map[string]Content) error {
	w, err := openWork(r)
	if err != nil {
		return err
	}
	defer w.close()
	infos := make([]fs.FileInfo, len(entries))
	for i, e := range entries {
		infos[i], err = w.lstat(e.Path)
		if err != nil || kindOf(infos[i]) == 0 || (kindOf(infos[i]) == Symlink) != (e.Kind == Symlink) {
			return fmt.Errorf("%q: %w", e.Path, errChanged)
		}
	}
	read := make([]Content, len(entries))
	err = parallel(ctx, len(entries), func(i int) error {
		e := entries[i]
		if size := infos[i].Size(); size > maxSize {
			read[i] = Content{Size: size, TooLarge: true}
			return nil
		}
		id, data, err := w.read(e.Path, infos[i], maxSize)
		if err == nil && id != e.ID {
			err = fmt.Errorf("%q: %w", e.Path, errChanged)
		}
		read[i] = Content{Data: data, Size: int64(len(data))}
		return err
	})
	if err != nil {
		return err
	}
	for i, e := range entries {
		contents[e.Path] = read[i]
	}
	return nil
}

// kindOf returns the kind of an entry on disk, and 0 for what git does not track.
func kindOf(info fs.FileInfo) Kind {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return Symlink
	case !mode.IsRegular():
		return 0
	case mode&0o100 != 0:
		return Executable
	}
	return File
}

// A work reads a working tree without following symbolic links.
type work struct {
	root   *os.Root
	newID  func() hash.Hash
	isReal map[string]bool // directories, and whether neither they nor one above is a symbolic link
}

func openWork(r *Repo) (*work, error) {
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, err
	}
	w := &work{root: root, newID: sha1.New, isReal: map[string]bool{".": true}}
	if r.format == "sha256" {
		w.newID = sha256.New
	}
	return w, nil
}

func (w *work) close() { _ = w.root.Close() }

// lstat describes what is at a path. A path that leads through a symbolic link does not exist: git takes the link itself
// for the entry. It must not be called from several goroutines.
func (w *work) lstat(name string) (fs.FileInfo, error) {
	real, err := w.realDir(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if !real {
		return nil, fs.ErrNotExist
	}
	return w.root.Lstat(name)
}

func (w *work) realDir(dir string) (bool, error) {
	if real, ok := w.isReal[dir]; ok {
		return real, nil
	}
	real, err := w.realDir(path.Dir(dir))
	if err != nil {
		return false, err
	}
	if real {
		info, err := w.root.Lstat(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		real = err == nil && info.IsDir()
	}
	w.isReal[dir] = real
	return real, nil
}

// read returns the git id of what is at a path, which info describes. If maxSize is not negative it also returns the
// content, which must not have more bytes.
//
// The file that is opened must be the one that info describes. So even if somebody swaps the file, or a directory above it,
// for a symbolic link, or for a FIFO, no other file is read.
func (w *work) read(name string, info fs.FileInfo, maxSize int64) (id string, data []byte, err error) {
	changed := fmt.Errorf("%q: %w", name, errChanged)
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := w.root.Readlink(name)
		if err != nil {
			return "", nil, err
		}
		if maxSize >= 0 && int64(len(target)) > maxSize {
			return "", nil, changed
		}
		return w.id(int64(len(target)), strings.NewReader(target)), []byte(target), nil
	}
	f, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = changed
		}
		return "", nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	if !os.SameFile(info, opened) || !opened.Mode().IsRegular() || info.Size() != opened.Size() {
		return "", nil, changed
	}
	size := opened.Size()
	if maxSize < 0 {
		h := w.header(size)
		n, err := io.Copy(h, io.LimitReader(f, size+1))
		if err != nil {
			return "", nil, err
		}
		if n != size {
			return "", nil, changed
		}
		return hex.EncodeToString(h.Sum(nil)), nil, nil
	}
	if size > maxSize {
		return "", nil, changed
	}
	data = make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = changed
		}
		return "", nil, err
	}
	h := w.header(size)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), data, nil
}

// header starts the hash of a blob: git hashes its type and size before its content.
func (w *work) header(size int64) hash.Hash {
	h := w.newID()
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

func (w *work) id(size int64, r *strings.Reader) string {
	h := w.header(size)
	_, _ = r.WriteTo(h)
	return hex.EncodeToString(h.Sum(nil))
}

// parallel calls do for 0 to n-1, from several goroutines, and returns the error of the lowest number.
func parallel(ctx context.Context, n int, do func(int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	var stopped error
	for i := range n {
		if stopped = context.Cause(ctx); stopped != nil {
			break
		}
		next <- i // not for long: do reads one regular file
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return stopped
}

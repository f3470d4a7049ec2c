package verus

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Work is a copy of a tree for the verifier to run in, with a target directory of its own. What in a tree could change how the
// verifier is run is not copied: the settings of cargo and rustup.
type Work struct {
	// Root is the absolute path of the copy, Target that of the target directory, which is empty at first.
	Root, Target string
	// LeftOut are the files that were not copied, in the order in which they came.
	LeftOut []LeftOut

	dir  string
	root *os.Root
}

// LeftOut is a file that was not copied, and why.
type LeftOut struct{ Path, Why string }

// WorkFile is a file of the tree.
type WorkFile struct {
	// Path is relative to the root, with '/'.
	Path string
	Data []byte
	// Mode: a file, an executable one, or something else, which is not copied.
	Mode WorkMode
	// Trusted says that the base has the same file: settings of cargo and rustup that are trusted are copied.
	Trusted bool
}

// WorkMode says what an entry of a tree is.
type WorkMode uint8

const (
	_ WorkMode = iota
	WorkPlain
	WorkExecutable
	WorkOther // symbolic links, submodules
)

// NewWork makes an empty copy below a directory; empty is the one for temporary files. The caller must call Close.
//
// Cargo also reads settings from the directories above: there must be none that others can write.
func NewWork(parent string) (_ *Work, err error) {
	dir, err := os.MkdirTemp(parent, "specgate-verus-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the verifier: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	// Cargo and rustc print resolved paths.
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("make a directory for the verifier: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("make a directory for the verifier: %w", err)
	}
	if err := noSettingsAbove(dir); err != nil {
		return nil, err
	}
	w := &Work{Root: filepath.Join(dir, "tree"), Target: filepath.Join(dir, "target"), dir: dir}
	for _, d := range []string{w.Root, w.Target} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory for the verifier: %w", err)
		}
	}
	if w.root, err = os.OpenRoot(w.Root); err != nil {
		return nil, fmt.Errorf("make a directory for the verifier: %w", err)
	}
	return w, nil
}

// noSettingsAbove refuses a place where cargo would find settings above it, other than the user's own.
func noSettingsAbove(dir string) error {
	home := os.Getenv("CARGO_HOME")
	if home == "" {
		if user, err := os.UserHomeDir(); err == nil {
			home = filepath.Join(user, ".cargo")
		}
	}
	for d := dir; ; d = filepath.Dir(d) {
		cargo := filepath.Join(d, ".cargo")
		for _, name := range []string{"config", "config.toml"} {
			if _, err := os.Lstat(filepath.Join(cargo, name)); err == nil && cargo != filepath.Clean(home) {
				return fmt.Errorf("copy the tree for the verifier to %s: cargo would read %s, which is not part of it; choose another directory for temporary files (TMPDIR)",
					dir, filepath.Join(cargo, name))
			}
		}
		if d == filepath.Dir(d) {
			return nil
		}
	}
}

// settings says why a file is not copied unless it is trusted; empty for all others.
func settings(p string) string {
	dir, name := path.Split(p)
	switch strings.ToLower(name) {
	case "config", "config.toml":
		if strings.EqualFold(path.Base(path.Clean(dir)), ".cargo") {
			return "settings of cargo can replace the compiler, the verifier's solver and the environment"
		}
	case "rust-toolchain", "rust-toolchain.toml":
		return "it chooses the toolchain, which the verifier must choose"
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".record-history") {
			return "it makes the verifier keep a history, with other options"
		}
	}
	return ""
}

// Add copies one file, or notes why it does not.
func (w *Work) Add(f WorkFile) error {
	if f.Mode == WorkOther {
		w.LeftOut = append(w.LeftOut, LeftOut{f.Path, "it is no plain file"})
		return nil
	}
	if why := settings(f.Path); why != "" && !f.Trusted {
		w.LeftOut = append(w.LeftOut, LeftOut{f.Path, why})
		return nil
	}
	mode := os.FileMode(0o600)
	if f.Mode == WorkExecutable {
		mode = 0o700
	}
	name := filepath.FromSlash(f.Path)
	err := w.root.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		var out *os.File
		// Two names of a tree may be one on this file system; neither may win.
		if out, err = w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
			_, err = out.Write(f.Data)
			err = errors.Join(err, out.Close())
		}
	}
	if err != nil {
		return fmt.Errorf("copy %q for the verifier: %w", f.Path, err)
	}
	return nil
}

// Close removes the copy and the target directory.
func (w *Work) Close() error {
	return errors.Join(w.root.Close(), os.RemoveAll(w.dir))
}

package verus

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
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
	// clean is a target directory for cargo where it is not isolated: no code of the tree has run in it.
	clean string
	// fetched are the directories of workspaces whose dependencies were downloaded.
	fetched map[string]bool
}

// LeftOut is a file that was not copied, and why.
type LeftOut struct{ Path, Why string }

// WorkFile is a file of the tree.
type WorkFile struct {
	// Path is relative to the root, with '/'.
	Path string
	Data []byte
	// Mode: a file, an executable one, or something else or one that was not read, which are not copied.
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
	WorkOther  // symbolic links, submodules
	WorkUnread // a file that was not read
)

// NewWork makes an empty copy below a directory; empty is the one for temporary files. The caller must call Close.
//
// Cargo also reads settings from the directories above: there must be none that others can write.
func NewWork(parent string) (_ *Work, err error) {
	dir, err := sandbox.MkdirTemp(parent, "specgate-verus-") // cargo and rustc print resolved paths
	if err != nil {
		return nil, fmt.Errorf("make a directory for the verifier: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, sandbox.RemoveAll(dir))
		}
	}()
	if err := noSettingsAbove(dir); err != nil {
		return nil, err
	}
	w := &Work{Root: filepath.Join(dir, "tree"), Target: filepath.Join(dir, "target"), dir: dir, clean: filepath.Join(dir, "clean"), fetched: map[string]bool{}}
	for _, d := range []string{w.Root, w.Target, w.clean} {
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
	home := CargoHome()
	for d := dir; ; d = filepath.Dir(d) {
		cargo := filepath.Join(d, ".cargo")
		for _, name := range []string{"config", "config.toml"} {
			if _, err := os.Lstat(filepath.Join(cargo, name)); err == nil && cargo != home {
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

// leftOut says why a file is not copied; empty for one that is.
func (f WorkFile) leftOut() string {
	switch f.Mode {
	case WorkOther:
		return "it is no plain file"
	case WorkUnread:
		return "it was not read"
	}
	why := settings(f.Path)
	if why != "" && f.Trusted {
		return f.untrusted()
	}
	return why
}

// untrusted says why settings that the base has too are not to be trusted: they lead to what the change may have edited. What they name for
// the build alone may be used, since the build is isolated.
func (f WorkFile) untrusted() string {
	name := strings.ToLower(path.Base(f.Path))
	src := source.NewFile(f.Path, f.Data)
	switch {
	case strings.HasPrefix(name, "rust-toolchain"):
		t, err := manifest.ParseToolchain(src)
		switch {
		case err != nil:
			return "it cannot be read: " + err.Error()
		case t.Path != "":
			return "it names the directory of a toolchain"
		}
	case name == "config" || name == "config.toml":
		c, err := manifest.ParseConfig(src)
		if err != nil {
			return "it cannot be read: " + err.Error()
		}
		for _, s := range c.Other {
			switch {
			case s.Key == "include" || strings.HasPrefix(s.Key, "include."):
				return "it includes other settings, which the change may have edited"
			case strings.Contains(s.Key, "credential") && strings.ContainsAny(s.Value, `/\`):
				return "it names a program for credentials, which the change may have edited"
			}
		}
	}
	return ""
}

// Add copies one file, or notes why it does not.
func (w *Work) Add(f WorkFile) error {
	if why := f.leftOut(); why != "" {
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

// Replace puts another text in the place of a file of the copy, until restore is called. The file is whole at any time: the one text or the other.
func (w *Work) Replace(file string, text []byte) (restore func() error, err error) {
	// The verifier may write to the copy where it runs without cargo, so that what stands there is not read on trust.
	info, err := w.root.Lstat(filepath.FromSlash(file))
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no plain file")
	}
	var old []byte
	if err == nil {
		old, err = w.root.ReadFile(filepath.FromSlash(file))
	}
	if err == nil {
		err = w.put(file, text, info.Mode().Perm())
	}
	if err != nil {
		return nil, fmt.Errorf("replace %q in the copy for the verifier: %w", file, err)
	}
	return func() error {
		if err := w.put(file, old, info.Mode().Perm()); err != nil {
			return fmt.Errorf("put %q back in the copy for the verifier: %w", file, err)
		}
		return nil
	}, nil
}

// put writes a file beside the one that it then takes the place of.
func (w *Work) put(file string, text []byte, mode os.FileMode) error {
	name := filepath.FromSlash(file)
	beside := name + ".specgate-new"
	out, err := w.root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Close()); err == nil {
		err = w.root.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(err, w.root.Remove(beside))
	}
	return nil
}

// Touch gives a file of the copy a time of change that is later than that of anything built so far, for a file system that keeps times too
// coarsely for cargo to see a change.
func (w *Work) Touch(file string) error {
	later := time.Now().Add(touchAhead)
	if err := w.root.Chtimes(filepath.FromSlash(file), later, later); err != nil {
		return fmt.Errorf("touch %q in the copy for the verifier: %w", file, err)
	}
	return nil
}

// touchAhead is more than the coarsest times that file systems keep: two seconds.
const touchAhead = 3 * time.Second

// Close removes the copy and the target directory. An error says what is left behind, and nothing about what was verified.
func (w *Work) Close() error {
	return errors.Join(w.root.Close(), sandbox.RemoveAll(w.dir))
}

package setup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// The bounds of what is unpacked. A release of 2026 has a zip of about 300 MB.
const (
	maxFiles    = 50_000
	maxUnpacked = 8 << 30
)

// programs must be executable, whatever the zip says: zips that were made on Windows, or repacked, have no permissions.
var programs = []string{"verus", "rust_verify", "cargo-verus", "z3", "cvc5"}

// unpack unpacks the zip of a release for a platform into a directory that exists and is empty, without the one folder that all
// of it is in, and says what it wrote. All is written to the disk before it returns. Nothing but regular files and folders below
// that directory is made, whatever the zip holds.
func unpack(ctx context.Context, archive, dir, platform string) (_ []File, err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, fmt.Errorf("unpack %s: it is not a zip", archive)
		}
		return nil, fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("unpack %s: %w; nothing was installed", archive, fmt.Errorf(format, args...))
	}
	if len(z.File) > maxFiles {
		return nil, refuse("it has %d entries, and the most is %d", len(z.File), maxFiles)
	}
	// All names are judged before the first byte is written.
	top := "verus-" + platform
	total := uint64(0)
	seen := map[string]bool{} // by the name in lower case: macOS takes A and a for one file
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, "/")
		if !fs.ValidPath(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, `\:`) || strings.ContainsFunc(name, unicode.IsControl) {
			return nil, refuse("the name %q is not one that a release has", f.Name)
		}
		if first, _, _ := strings.Cut(name, "/"); first != top {
			if strings.HasPrefix(first, "verus-") {
				return nil, refuse("it is a release for %s, and %s is wanted", strings.TrimPrefix(first, "verus-"), platform)
			}
			return nil, refuse("%q is not in the folder %s, in which a release has everything", f.Name, top)
		}
		if mode := f.Mode(); !mode.IsRegular() && !mode.IsDir() {
			return nil, refuse("%q is neither a file nor a folder (%s)", f.Name, mode.Type())
		}
		if f.Flags&1 != 0 {
			return nil, refuse("%q is encrypted", f.Name)
		}
		if path.Base(name) == recordName {
			return nil, refuse("the name %q is not one that a release has", f.Name)
		}
		folded := strings.ToLower(name)
		if seen[folded] {
			return nil, refuse("%q is there twice", f.Name)
		}
		seen[folded] = true
		if total += f.UncompressedSize64; f.UncompressedSize64 > maxUnpacked || total > maxUnpacked {
			return nil, refuse("it has more than %d bytes when unpacked", int64(maxUnpacked))
		}
	}
	var files []File
	dirs := []string{dir}
	for _, f := range z.File {
		if err := context.Cause(ctx); err != nil {
			return nil, refuse("%w", err)
		}
		rel := strings.Trim(strings.TrimPrefix(strings.TrimSuffix(f.Name, "/"), top), "/")
		if rel == "" {
			if !f.Mode().IsDir() {
				return nil, refuse("%q is no folder", f.Name)
			}
			continue
		}
		target := filepath.Join(dir, filepath.FromSlash(rel))
		parent := target
		if !f.Mode().IsDir() {
			parent = filepath.Dir(target)
		}
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return nil, refuse("%w", err)
		}
		if !slices.Contains(dirs, parent) {
			dirs = append(dirs, parent)
		}
		if f.Mode().IsDir() {
			continue
		}
		file := File{Path: rel, Executable: f.Mode()&0o111 != 0 || slices.Contains(programs, rel)}
		if file.Size, file.SHA256, err = unpackFile(f, target, file.Executable); err != nil {
			return nil, refuse("%s: %w", rel, err)
		}
		files = append(files, file)
	}
	// Only now, as what is written in one go is synced in one go by most file systems.
	for _, f := range files {
		if err := flush(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return nil, refuse("%w", err)
		}
	}
	for _, d := range dirs {
		if err := flush(d); err != nil {
			return nil, refuse("%w", err)
		}
	}
	return files, nil
}

func unpackFile(f *zip.File, target string, executable bool) (size int64, sum string, err error) {
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	r, err := f.Open()
	if err != nil {
		return 0, "", err
	}
	// EXCL: a name that leads to a file that is already there is refused, however it does.
	w, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, "", errors.Join(err, r.Close())
	}
	h := sha256.New()
	// The reader fails when there is more or less than the entry says, and what it says has been judged; so it does for the CRC.
	size, err = io.Copy(io.MultiWriter(w, h), r)
	// The mode of OpenFile is subject to the umask.
	if err = errors.Join(err, w.Chmod(mode), w.Close(), r.Close()); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// flush writes a file, or the entries of a directory, to the disk.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

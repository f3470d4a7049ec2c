package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordName is the file, in the directory of an installation, that says what the installation is made of.
const recordName = ".specgate-installed.json"

// maxRecord is the most bytes of a record that are read.
const maxRecord = 16 << 20

// Record says what an installation is made of, so that damage is noticed. It is no protection against who can write there.
type Record struct {
	Release  string `json:"release"`
	Platform string `json:"platform"`
	// SHA256 is that of the zip.
	SHA256 string `json:"sha256"`
	// Toolchain is the Rust toolchain that the release needs; empty if the release does not say.
	Toolchain string `json:"toolchain"`
	// Files are all files but the record itself, sorted by path.
	Files []File `json:"files"`
}

// File is a regular file of an installation.
type File struct {
	// Path is relative to the installation, with /.
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	Size       int64  `json:"size"`
	Executable bool   `json:"executable"`
}

// DamagedError says that a directory is not the installation that it should be.
type DamagedError struct {
	Dir string
	// Why names the first file that is not right, or says what the record lacks.
	Why string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the installation in %s is damaged: %s", e.Dir, e.Why)
}

// Intact reads the record of an installation, and compares every file with it. The error wraps fs.ErrNotExist if nothing is
// installed there, and is a *DamagedError if what is there is not what was installed.
func Intact(dir string) (*Record, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("look at the installation: %w", err)
	}
	damaged := func(format string, args ...any) error {
		return &DamagedError{Dir: dir, Why: fmt.Sprintf(format, args...)}
	}
	record, err := readRecord(dir)
	if err != nil {
		return nil, damaged("%v", err)
	}
	// Names first: a file that nobody put there is seen without reading the rest.
	var names []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if name := filepath.ToSlash(rel); name != recordName {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, damaged("%v", err)
	}
	slices.Sort(names)
	for i, f := range record.Files {
		switch {
		case i == len(names) || names[i] > f.Path:
			return nil, damaged("%s is missing", f.Path)
		case names[i] < f.Path:
			return nil, damaged("%s does not belong to it", names[i])
		}
	}
	if len(names) > len(record.Files) {
		return nil, damaged("%s does not belong to it", names[len(record.Files)])
	}
	for _, want := range record.Files {
		got, err := fileOf(dir, want.Path)
		switch {
		case err != nil:
			return nil, damaged("%v", err)
		case got.Executable != want.Executable:
			return nil, damaged("%s has other permissions", want.Path)
		case got != want:
			return nil, damaged("%s has another content", want.Path)
		}
	}
	return record, nil
}

func readRecord(dir string) (*Record, error) {
	f, err := os.Open(filepath.Join(dir, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("it has no record of its files")
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the record of its files cannot be read: %w", err)
	}
	if len(r.Files) == 0 {
		return nil, errors.New("the record of its files is empty")
	}
	return &r, nil
}

// fileOf describes a file as it is now.
func fileOf(dir, name string) (File, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is no regular file", name)
	}
	sum, size, err := hashOf(path)
	if err != nil {
		return File{}, err
	}
	return File{Path: name, SHA256: sum, Size: size, Executable: info.Mode()&0o111 != 0}, nil
}

func hashOf(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	size, err = io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", 0, fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// writeRecord writes the record of what is in a directory.
func writeRecord(dir string, r *Record) error {
	slices.SortFunc(r.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the record of the installation: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, recordName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the record of the installation: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the record of the installation: %w", err)
	}
	return nil
}

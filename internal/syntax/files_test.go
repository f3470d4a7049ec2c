package syntax

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// RustFiles lends rustFiles to the tests outside the package.
var RustFiles = rustFiles

// rustFiles are the Rust files in a folder and below, those that cargo made left out.
func rustFiles(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".rs") {
			files = append(files, path)
		}
		if err == nil && d.IsDir() && d.Name() == "target" {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Identity is what tells a compiler from every other, in words: what it says of itself, where its toolchain is, the bytes of its executable, and
// the names and sizes of its libraries, whose names have a hash of their contents in them. An error says why it cannot be told: a compiler that
// names no commit may be any.
//
// It is asked in dir, as by Run.
func Identity(ctx context.Context, rustc, dir string) ([]string, error) {
	t, err := findTools(ctx, rustc, dir)
	if err != nil {
		return nil, err
	}
	told, err := ask(ctx, t.rustc, dir, "-vV")
	if err != nil {
		return nil, err
	}
	host, commit := "", ""
	for line := range strings.Lines(told) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "host":
			host = value
		case "commit-hash":
			commit = value
		}
	}
	if _, err := hex.DecodeString(commit); err != nil || commit == "" || host == "" || strings.ContainsAny(host, `/\`) {
		return nil, fmt.Errorf("%s does not say of which commit it is", t.rustc)
	}
	text, err := os.ReadFile(t.rustc)
	if err != nil {
		return nil, fmt.Errorf("read the compiler: %w", err)
	}
	sum := sha256.Sum256(text)
	out := []string{told, t.version, t.sysroot, hex.EncodeToString(sum[:])}
	for _, dir := range []string{"lib", filepath.Join("lib", "rustlib", host, "lib")} {
		entries, err := os.ReadDir(filepath.Join(t.sysroot, dir))
		if err != nil {
			return nil, fmt.Errorf("read the compiler's libraries: %w", err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				return nil, fmt.Errorf("read the compiler's libraries: %w", err)
			}
			if !e.IsDir() {
				out = append(out, fmt.Sprintf("%s/%s %d", dir, e.Name(), info.Size()))
			}
		}
	}
	if len(out) < 6 {
		return nil, errors.New("the compiler has no libraries")
	}
	slices.Sort(out[4:])
	return out, nil
}

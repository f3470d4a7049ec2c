// Package syntaxtest is for tests that compare with the parser that Verus itself uses.
package syntaxtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// offline tells cargo's messages for a registry that cannot be reached.
var offline = regexp.MustCompile("failed to download|failed to get|failed to fetch|failed to query|network failure|[Cc]ould ?n.t (connect|resolve)|offline")

// Oracle builds the program of testdata/oracle/verus-syn, which writes what that parser makes of a file, and gives its path. It is built in
// SPECGATE_ORACLE_TARGET, or else in the user's directory for caches, so that it is built once. Without cargo, or without its crates and a registry, the
// test is skipped, or fails where sandboxtest.Oracle is demanded.
func Oracle(tb testing.TB) string {
	tb.Helper()
	cargo := sandboxtest.Oracle.Program(tb, "cargo")
	target := os.Getenv("SPECGATE_ORACLE_TARGET")
	if target == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			tb.Fatal(err)
		}
		target = filepath.Join(cache, "specgate-oracle")
	}
	res, err := sandbox.Command{
		Name: cargo, Args: []string{"build", "--release", "--locked", "--quiet", "--jobs", fmt.Sprint(min(2, runtime.NumCPU()))},
		Dir:    filepath.Join(root(tb), "testdata", "oracle", "verus-syn"),
		Env:    append(os.Environ(), "CARGO_TARGET_DIR="+target),
		Limits: sandbox.Limits{Wall: 30 * time.Minute, Stdout: 1 << 20, Stderr: 1 << 20},
	}.Run(tb.Context())
	switch {
	case err != nil && offline.Match(res.Stderr):
		sandboxtest.Oracle.Lacks(tb, fmt.Sprintf("the oracle's crates are not here and cannot be fetched: %v\n%s", err, res.Stderr))
	case err != nil:
		tb.Fatalf("building the oracle: %v\n%s%s", err, res.Stdout, res.Stderr)
	}
	return filepath.Join(target, "release", "verus-syn-oracle")
}

// root is the directory of specgate's own module, in which or below which tests run.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			tb.Fatal("find go.mod: ", err)
		}
		dir = up
	}
}

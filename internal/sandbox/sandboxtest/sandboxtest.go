// Package sandboxtest is for tests that start programs: it says what they do on a machine that lacks something, and what runs there.
package sandboxtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/sandbox"
)

// Demand is an environment variable. Where it is 1, the tests that need a certain thing must find it. CONTRIBUTING.md says who sets which.
type Demand string

// The demands.
const (
	Browser    Demand = "REQUIRE_BROWSER"    // Chromium
	Curl       Demand = "REQUIRE_CURL"       //
	Isolation  Demand = "REQUIRE_ISOLATION"  // all that the sandbox protects with
	Oracle     Demand = "REQUIRE_ORACLE"     // rustc and cargo, and the crates that are built with them
	Postgres   Demand = "REQUIRE_POSTGRES"   // initdb and postgres
	Root       Demand = "REQUIRE_ROOT"       // to be the superuser
	Rustup     Demand = "REQUIRE_RUSTUP"     // with a toolchain
	Shellcheck Demand = "REQUIRE_SHELLCHECK" //
	Verus      Demand = "REQUIRE_VERUS"      // a verifier, named by SPECGATE_VERUS
)

// Made tells whether the demand is made.
func (d Demand) Made() bool { return os.Getenv(string(d)) == "1" }

// Lacks ends a test that this machine cannot run: it is skipped, or fails where what it lacks is demanded.
func (d Demand) Lacks(tb testing.TB, why ...any) {
	tb.Helper()
	if d.Made() {
		tb.Fatal(append(why, ": "+string(d)+"=1 demands it")...)
	}
	tb.Skip(why...)
}

// Program is the path of a program; d is what demands it.
func (d Demand) Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := sandbox.LookPath(name)
	if err != nil {
		d.Lacks(tb, err)
	}
	return path
}

// Isolated is for tests that need a machine which isolates programs in full.
func Isolated(tb testing.TB) {
	tb.Helper()
	ps, err := sandbox.Protections(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	if len(sandbox.Missing(ps)) > 0 {
		Isolation.Lacks(tb, "this machine cannot isolate: ", sandbox.Statement(ps))
	}
}

// CommandLines are those of all processes of this machine, each behind its id.
func CommandLines(tb testing.TB) []string {
	tb.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, n := range names {
		if text, err := os.ReadFile(n); err == nil {
			out = append(out, filepath.Base(filepath.Dir(n))+" "+strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return out
}

package attacks_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPoisonedCache: what is measured for one pull request, whose code may have been written to seem strong where it runs for the first time, is not
// believed for another one that has the very same files. It is kept for all once somebody has accepted it.
func TestPoisonedCache(t *testing.T) {
	needRun(t)
	source := func(body string) tree {
		return tree{
			".specgate.toml": "version = 1\n[strength]\ninputs = 2\nmutants = 1\n",
			"src/lib.rs":     verus("pub fn f(x: u8) -> (r: u8)\n    ensures\n        r <= x,\n{\n    " + body + "\n}"),
		}
	}
	dir := repository(t, source("x / 2"), source("let y = x;\n    y / 2"), nil)
	base, hostile := git(t, dir, "rev-parse", "HEAD~1"), git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "checkout", "-q", "--detach", base)
	git(t, dir, "branch", "-q", "-f", "main", base)
	git(t, dir, "checkout", "-q", hostile, "--", ".")
	git(t, dir, "commit", "-q", "-m", "the same by another")
	honest := git(t, dir, "rev-parse", "HEAD")

	all, first, second := filepath.Join(t.TempDir(), "all"), filepath.Join(t.TempDir(), "1"), filepath.Join(t.TempDir(), "2")
	entries := func(dir string) int {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "*.entry"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	const anew, kept = " functions-measured=1 functions-kept=0 ", " functions-measured=0 functions-kept=1 "
	checked := func(work, head string, more ...string) string {
		t.Helper()
		r := runIn(t, dir, nil, binary, append([]string{"check", "-v", "--repo", dir, "--base", base, "--head", head, "--format", "json"}, more...)...)
		if r.code != 0 || !strings.Contains(r.stderr, work) {
			t.Errorf("exit %d; want %q in\n%s%s", r.code, work, r.stdout, r.stderr)
		}
		return r.stdout
	}

	checked(anew, hostile, "--cache", all, "--head-cache", first)
	checked(kept, hostile, "--cache", all, "--head-cache", first)
	if entries(all) != 0 || entries(first) == 0 {
		t.Errorf("%d entries for all and %d of the first pull request; want none, and some", entries(all), entries(first))
	}
	want := checked(anew, honest, "--no-cache")
	for _, more := range [][]string{{"--cache", all}, {"--cache", all, "--head-cache", second}} {
		if diff := cmp.Diff(want, checked(anew, honest, more...)); diff != "" {
			t.Errorf("%q: another report than without a cache (-want +got):\n%s", more, diff)
		}
	}

	git(t, dir, "branch", "-q", "-f", "main", hostile)
	checked(anew, hostile, "--cache", all)
	if diff := cmp.Diff(want, checked(kept, honest, "--cache", all)); diff != "" {
		t.Errorf("once it is accepted: another report than without a cache (-want +got):\n%s", diff)
	}
}

package sandboxtest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// told is a test that notes how it ends.
type told struct {
	testing.TB
	end string
}

func (r *told) Helper() {}

func (r *told) Skip(args ...any) { r.end = "skipped: " + fmt.Sprint(args...); panic(r) }

func (r *told) Fatal(args ...any) { r.end = "failed: " + fmt.Sprint(args...); panic(r) }

// ends tells how a test ends.
func ends(t *testing.T, do func(testing.TB)) string {
	t.Helper()
	r := &told{TB: t, end: "went on"}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		do(r)
	}()
	return r.end
}

// TestDemand: what a machine lacks skips a test, and fails it where it is demanded.
func TestDemand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	lacks := func(tb testing.TB) { sandboxtest.Curl.Program(tb, "curl") }
	var got []string
	for _, value := range []string{"", "0", "1"} {
		t.Setenv("REQUIRE_CURL", value)
		got = append(got, ends(t, lacks))
	}
	program := os.Getenv("PATH") + "/curl"
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	got = append(got, ends(t, func(tb testing.TB) {
		if path := sandboxtest.Curl.Program(tb, "curl"); path != program {
			tb.Errorf("the path is %s", path)
		}
	}))
	reason := strings.TrimPrefix(got[0], "skipped: ")
	if !strings.Contains(reason, `"curl"`) {
		t.Errorf("the reason is %q", reason)
	}
	want := []string{"skipped: " + reason, "skipped: " + reason, "failed: " + reason + ": REQUIRE_CURL=1 demands it", "went on"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

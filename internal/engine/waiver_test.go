package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is said of a waiver points to the policy that has it, be it one that the command line names.
func TestPlaceOfWaiver(t *testing.T) {
	const old = `version = 1

[waivers.old]
rule = "trust/assume"
symbol = "same"
reason = "reviewed"
owner = "us"
expires = 2020-01-01
`
	r := newRepo(t)
	r.write("src/lib.rs", honest)
	r.write("ci/strict.toml", old)
	r.commit("base")
	r.write("src/lib.rs", assumed)
	r.commit("head")
	outside := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(outside, []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ policy, want string }{
		{filepath.Join(r.dir, "ci/strict.toml"), "ci/strict.toml:8:11: "},
		{outside, ".specgate.toml:1:1: The policy is " + outside + ", and the waiver stands in its line 8."},
	} {
		o := r.options()
		o.Policy = c.policy
		var got []string
		for _, f := range check(t, o).Report.Findings {
			if f.Rule == "policy/waiver-expired" {
				got = append(got, fmt.Sprintf("%s:%s: %s", f.File, f.Span.Start, f.Detail))
			}
		}
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("policy %s: (-want +got):\n%s", c.policy, diff)
		}
	}
}

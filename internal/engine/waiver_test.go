package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks/registry/registrytest"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
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

// What is posted about a waiver that does nothing is in the documents.
func TestWaiverAnnotations(t *testing.T) {
	r := newRepo(t)
	r.write("src/lib.rs", honest)
	r.write(policy.FileName, "version = 1\n"+fmt.Sprintf(waiverText, "ring-buffer-ffi", "trust/external-body", "ring::ffi::map_pages", "2025-06-30")+
		fmt.Sprintf(waiverText, "old-lemma", "trust/admit", "ring::lemma_wraps", "2027-06-30"))
	r.commit("base")
	r.write("src/lib.rs", honest+"// more\n")
	r.commit("head")
	findings := check(t, r.options()).Report.Findings
	for _, id := range []string{"policy/waiver-expired", "policy/waiver-unmatched"} {
		registrytest.Annotation(t, "../../checks/registry/testdata/annotations", *update, engine.Rules(), id, findings)
	}
}

package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/policy"
)

// TestConfine: a policy cannot take down what the owner of the machine put up.
func TestConfine(t *testing.T) {
	r := newRepo(t)
	r.write(policy.FileName, "version = 1\n[gate]\nsandbox = \"off\"\n[verus]\nread = [\"/etc\"]\n")
	r.write("src/lib.rs", "verus! { fn f() { } }\n")
	r.commit("base")
	r.write("src/lib.rs", "verus! { fn f() { assume(true); } }\n")
	r.commit("head")
	o := r.options()
	type settings struct {
		Sandbox policy.Sandbox
		Read    []string
	}
	for confine, want := range map[bool]settings{false: {policy.SandboxOff, []string{"/etc"}}, true: {policy.SandboxRequire, nil}} {
		o.Confine = confine
		p := check(t, o).Policy
		if diff := cmp.Diff(want, settings{p.Gate.Sandbox, p.Verus.Read}); diff != "" {
			t.Errorf("confine %v (-want +got):\n%s", confine, diff)
		}
	}
}

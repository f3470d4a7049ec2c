package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// A waiver that names no files is for the crates that base has its symbol in, and for no other that head adds.
func TestCratesOfWaiver(t *testing.T) {
	const manifest = "[package]\nname = %q\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	const file, anywhere = "file = \"crates/*/src/**\"\n", "file = \"**\"\n"
	ffi := func(text string) string { return "pub mod ffi {\n" + text + "}\n" }
	for _, c := range []struct {
		name, symbol, file string
		base, head         map[string]string // sources of the crates
		want               []string
	}{
		{"the crate of base", "ffi::same", "",
			map[string]string{"a": ffi(honest), "b": ""}, map[string]string{"a": ffi(assumed)},
			[]string{"crates/a/src/lib.rs ffi::same: waived"}},
		{"another crate", "ffi::same", "",
			map[string]string{"a": ffi(honest), "b": ""}, map[string]string{"a": ffi(assumed), "b": ffi(assumed)},
			[]string{"crates/a/src/lib.rs ffi::same: waived",
				"crates/b/src/lib.rs ffi::same: Waiver w does not apply: it names no file, and base has its symbol in the crate a, not in b."}},
		{"a crate that is new", "ffi::*", "",
			map[string]string{"a": ffi(honest)}, map[string]string{"b": ffi(strings.ReplaceAll(assumed, "same", "other"))},
			[]string{"crates/b/src/lib.rs ffi::other: Waiver w does not apply: it names no file, and base has its symbol in the crate a, not in b."}},
		{"the only one that is left", "ffi::same", "",
			map[string]string{"a": ffi(honest), "b": ""}, map[string]string{"a": "", "b": ffi(assumed)},
			[]string{"crates/b/src/lib.rs ffi::same: Waiver w does not apply: it names no file, and base has its symbol in the crate a, not in b."}},
		{"two crates of base", "ffi::same", "",
			map[string]string{"a": ffi(honest), "b": ffi(honest)}, map[string]string{"b": ffi(assumed)},
			[]string{"crates/b/src/lib.rs ffi::same: Waiver w does not apply: it names no file, and its symbol is in the crates a and b."}},
		{"a pattern in two crates of base", "ffi::**", "",
			map[string]string{"a": ffi(honest), "b": ffi(honest), "c": ""}, map[string]string{"b": ffi(assumed), "c": ffi(assumed)},
			[]string{"crates/b/src/lib.rs ffi::same: waived",
				"crates/c/src/lib.rs ffi::same: Waiver w does not apply: it names no file, and base has its symbol in the crates a and b, not in c."}},
		{"before the function", "ffi::same", "",
			map[string]string{"a": "", "b": ""}, map[string]string{"b": ffi(assumed)},
			[]string{"crates/b/src/lib.rs ffi::same: waived"}},
		{"before two functions", "ffi::*", "",
			map[string]string{"a": "", "b": ""}, map[string]string{"a": ffi(honest), "b": ffi(assumed)},
			[]string{"crates/b/src/lib.rs ffi::same: Waiver w does not apply: it names no file, and its symbol is in the crates a and b."}},
		{"a type", "Held", "",
			map[string]string{"a": "", "b": "use vstd::prelude::*;\nverus! {\npub struct Held;\n}\n"},
			map[string]string{"a": "use vstd::prelude::*;\nverus! {\n#[verifier::external_body]\npub struct Held;\n}\n", "b": "use vstd::prelude::*;\nverus! {\n#[verifier::external_body]\npub struct Held;\n}\n"},
			[]string{"crates/a/src/lib.rs Held: Waiver w does not apply: it names no file, and base has its symbol in the crate b, not in a.", "crates/b/src/lib.rs Held: waived"}},
		{"files", "ffi::same", file,
			map[string]string{"a": ffi(honest), "b": ""}, map[string]string{"a": ffi(assumed), "b": ffi(assumed)},
			[]string{"crates/a/src/lib.rs ffi::same: waived", "crates/b/src/lib.rs ffi::same: waived"}},
		{"any file", "**", anywhere,
			map[string]string{"a": ffi(honest)}, map[string]string{"a": ffi(assumed), "b": assumed},
			[]string{"crates/a/src/lib.rs ffi::same: waived", "crates/b/src/lib.rs same: waived"}},
		{"other files", "ffi::same", "file = \"crates/b/**\"\n",
			map[string]string{"a": ffi(honest)}, map[string]string{"a": ffi(assumed)},
			[]string{"crates/a/src/lib.rs ffi::same: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			write := func(crates map[string]string) {
				for name, text := range crates {
					r.write("crates/"+name+"/Cargo.toml", fmt.Sprintf(manifest, name))
					r.write("crates/"+name+"/src/lib.rs", text)
				}
			}
			r.write(policy.FileName, "version = 1\n"+fmt.Sprintf(waiverText, "w", "trust/*", c.symbol, "2027-06-30")+c.file)
			write(c.base)
			r.commit("base")
			write(c.head)
			r.commit("head")
			var got []string
			for _, f := range check(t, r.options()).Report.Findings {
				if !strings.HasPrefix(f.Rule, "trust/") {
					continue
				}
				said := f.Detail[strings.LastIndex(f.Detail, "\n")+1:]
				if f.Waived != nil {
					said = "waived"
				}
				got = append(got, f.File+" "+f.Symbol+": "+said)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

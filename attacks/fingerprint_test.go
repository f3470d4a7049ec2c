package attacks_test

import (
	"fmt"
	"strings"
	"testing"
)

// verus is a source with items in verus!.
func verus(items string) string {
	return "use vstd::prelude::*;\n\nverus! {\n\n" + items + "\n\n} // verus!\n"
}

// TestFingerprints: a person accepts a finding by its fingerprint. What is pushed afterwards, with another meaning at the same symbol, must not go by it: no finding
// of the second head that should be looked at anew has a fingerprint of the first.
func TestFingerprints(t *testing.T) {
	half := func(attr, contract, body string) string {
		return verus(attr + "pub fn half(x: u64) -> (r: u64)\n" + contract + "{\n    " + body + "\n}")
	}
	const sound = "    ensures\n        r <= x,\n"
	lib := func(text string) tree { return tree{"src/lib.rs": text} }
	crates := func(a, b string) tree {
		manifest := func(name string) string { return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\n" }
		return tree{"Cargo.toml": "[workspace]\nmembers = [\"a\", \"b\"]\n", "a/Cargo.toml": manifest("a"), "a/src/lib.rs": a, "b/Cargo.toml": manifest("b"), "b/src/lib.rs": b}
	}
	plain := half("", sound, "x / 2")
	axiom := func(ensures, spec string) string {
		return verus("pub open spec fn good(x: int) -> bool {\n    " + spec + "\n}\n\npub axiom fn believed(x: int)\n    ensures\n        " + ensures + ",\n;")
	}
	for _, tt := range []struct {
		name, rule          string
		base, first, second tree
	}{
		{"other assumption", "trust/assume", lib(plain), lib(half("", sound, "assume(x > 1); x / 2")), lib(half("", sound, "assume(false); x / 2"))},
		{"same assumption twice", "trust/assume", lib(plain), lib(half("", sound, "assume(x > 1); x / 2")), lib(half("", sound, "assume(x > 1); let x = 0u64; assume(x > 1); x / 2"))},
		{"same assumption in another crate", "trust/assume", crates(plain, plain), crates(half("", sound, "assume(x > 1); x / 2"), plain), crates(plain, half("", sound, "assume(x > 1); x / 2"))},
		{"assumption whose words mean something else", "trust/assume", lib(plain),
			lib(strings.Replace(half("", sound, "assume(good(x)); x / 2"), "pub fn", "pub open spec fn good(x: u64) -> bool {\n    x > 1\n}\n\npub fn", 1)),
			lib(strings.Replace(half("", sound, "assume(good(x)); x / 2"), "pub fn", "pub open spec fn good(x: u64) -> bool {\n    false\n}\n\npub fn", 1))},
		{"other contract of a new trusted function", "trust/external-body", lib(verus("")), lib(half("#[verifier::external_body]\n", sound, "x / 2")),
			lib(half("#[verifier::external_body]\n", "    ensures\n        false,\n", "x / 2"))},
		{"other body of a new trusted function", "trust/external-body", lib(verus("")), lib(half("#[verifier::external_body]\n", sound, "x / 2")),
			lib(half("#[verifier::external_body]\n", sound, "x.wrapping_add(1)"))},
		{"other promise of a new axiom", "trust/axiom", lib(verus("")), lib(axiom("good(x)", "x == x")), lib(axiom("good(x) && false", "x == x"))},
		{"other definition under a new axiom", "trust/axiom", lib(verus("")), lib(axiom("good(x)", "x == x")), lib(axiom("good(x)", "x != x"))},
		{"other contract that is assumed", "trust/assume-specification", lib(verus("")),
			lib(verus("pub assume_specification[ core::mem::size_of::<u8> ]() -> (r: usize)\n    ensures\n        r == 1,\n;")),
			lib(verus("pub assume_specification[ core::mem::size_of::<u8> ]() -> (r: usize)\n    ensures\n        r == 0,\n;"))},
		{"other trait contract that is assumed", "trust/external-trait", lib(verus("")),
			lib(verus("#[verifier::external_trait_specification]\npub trait ExPort {\n    type ExternalTraitSpecificationFor: Port;\n\n    fn read(&self) -> (r: u8)\n        ensures\n            r < 128,\n    ;\n}")),
			lib(verus("#[verifier::external_trait_specification]\npub trait ExPort {\n    type ExternalTraitSpecificationFor: Port;\n\n    fn read(&self) -> (r: u8)\n        ensures\n            false,\n    ;\n}"))},
		{"other executable code", "edit/exec-changed", lib(plain), lib(half("", sound, "x / 3")), lib(half("", sound, "0"))},
		{"other new code", "edit/exec-added", lib(verus("")), lib(half("", sound, "x / 3")), lib(half("", sound, "loop {}"))},
		{"other code outside", "trust/external", lib(plain), lib(half("#[verifier::external]\n", sound, "x / 2")), lib(half("#[verifier::external]\n", sound, "x * 2"))},
		{"other code that left", "trust/left-verification", lib(plain), lib("pub fn half(x: u64) -> u64 {\n    x / 2\n}\n"), lib("pub fn half(x: u64) -> u64 {\n    x * 2\n}\n")},
		{"other signature", "edit/signature-changed", lib(plain), lib(strings.Replace(plain, "x: u64", "x: u32", 1)), lib(strings.Replace(plain, "x: u64", "x: u8", 1))},
		{"other type", "edit/type-changed", lib(verus("pub struct S {\n    pub a: u64,\n}")), lib(verus("pub struct S {\n    pub a: u32,\n}")), lib(verus("pub struct S {\n    pub a: u8,\n}"))},
		{"other loss of a promise", "contract/ensures-weakened", lib(half("", "    ensures\n        r <= x,\n        r == x / 2,\n", "x / 2")), lib(half("", "    ensures\n        r <= x,\n", "x / 2")),
			lib(half("", "    ensures\n        r <= x || x > 5,\n", "x / 2"))},
		{"other demand", "contract/requires-strengthened", lib(plain), lib(half("", "    requires\n        x < 1000,\n"+sound, "x / 2")), lib(half("", "    requires\n        x < 1,\n"+sound, "x / 2"))},
		{"other definition", "contract/spec-definition-weakened", lib(strings.Replace(half("", "    ensures\n        good(r, x),\n", "x / 2"), "pub fn", "pub open spec fn good(r: u64, x: u64) -> bool {\n    r == x / 2\n}\n\npub fn", 1)),
			lib(strings.Replace(half("", "    ensures\n        good(r, x),\n", "x / 2"), "pub fn", "pub open spec fn good(r: u64, x: u64) -> bool {\n    r == x / 2 || x > 1000\n}\n\npub fn", 1)),
			lib(strings.Replace(half("", "    ensures\n        good(r, x),\n", "x / 2"), "pub fn", "pub open spec fn good(r: u64, x: u64) -> bool {\n    r == x / 2 || x > 1\n}\n\npub fn", 1))},
		{"other trusted body", "trust/trusted-body-edited", lib(half("#[verifier::external_body]\n", sound, "x / 2")), lib(half("#[verifier::external_body]\n", sound, "x >> 1")),
			lib(half("#[verifier::external_body]\n", sound, "x + 1"))},
		{"other policy", "edit/policy-changed", tree{".specgate.toml": "version = 1\n"}, tree{".specgate.toml": "version = 1\n[gate]\nmin-suite = 9\n"}, tree{".specgate.toml": "version = 1\n[gate]\nfail-on = \"never\"\n"}},
		{"other toolchain", "edit/toolchain-changed", tree{"rust-toolchain": "1.95.0\n"}, tree{"rust-toolchain": "1.96.0\n"}, tree{"rust-toolchain": "nightly\n"}},
		{"other wrapper", "trust/solver-config", tree{}, tree{".cargo/config.toml": "[build]\nrustc-wrapper = \"sccache\"\n"}, tree{".cargo/config.toml": "[build]\nrustc-wrapper = \"./evil\"\n"}},
		{"other linker", "edit/build-changed", tree{}, tree{".cargo/config.toml": "[target.x]\nlinker = \"lld\"\n"}, tree{".cargo/config.toml": "[target.x]\nlinker = \"./evil\"\n"}},
		{"other unsafe code", "edit/unsafe-added", lib(half("", sound, "x / 2")), lib(half("", sound, "unsafe { one() }; x / 2")), lib(half("", sound, "unsafe { two() }; x / 2"))},
		{"other condition of the verifier", "trust/cfg-divergence", lib(plain), lib(half("", sound, "#[cfg(verus_keep_ghost)]\n    let x = 0;\n    x / 2")), lib(half("", sound, "#[cfg(not(verus_keep_ghost))]\n    let x = 0;\n    x / 2"))},
		{"other text for the solver", "trust/inline-air", lib(plain), lib(half("", sound, "proof { inline_air_stmt(\"(assume true)\"); } x / 2")), lib(half("", sound, "proof { inline_air_stmt(\"(assume false)\"); } x / 2"))},
		{"other value from nothing", "trust/fabricated", lib(plain), lib(half("", sound, "let tracked _t = Tracked::<u8>::assume_new(); x / 2")), lib(half("", sound, "let tracked _t = Tracked::<Token>::assume_new(); x / 2"))},
		{"other type from outside", "trust/external-type", lib(verus("")), lib(verus("#[verifier::external_type_specification]\npub struct Ex(pub One);")), lib(verus("#[verifier::external_type_specification]\npub struct Ex(pub Two);"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			prints := func(head tree) map[string]string {
				r := check(t, repository(t, tt.base, head, nil))
				if r.report == nil {
					t.Fatal(r.show())
				}
				out := map[string]string{}
				for _, f := range r.report.Findings {
					if f.Rule == tt.rule {
						out[f.Fingerprint] = fmt.Sprintf("%s %s at %s: %s", f.Rule, f.Symbol, f.Span.Start, f.Message)
					}
				}
				if len(out) == 0 {
					t.Fatalf("no finding of %s\n%s", tt.rule, r.show())
				}
				return out
			}
			first, second := prints(tt.first), prints(tt.second)
			fresh := 0
			for p := range second {
				if first[p] == "" {
					fresh++
				}
			}
			if fresh == 0 {
				t.Errorf("all that the second head is about was accepted with the first:\n%v\n%v", first, second)
			}
		})
	}
}

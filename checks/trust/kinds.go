package trust

import (
	"fmt"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
)

var wrap = checks.InVerus

const (
	halfProved  = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    x / 2\n}"
	halfAssumed = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    assume(x / 2 <= x);\n    x / 2\n}"
	halfAdmit   = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    proof {\n        admit();\n    }\n    x / 2\n}"
	halfAssert  = "pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    assert(x / 2 <= x);\n    x / 2\n}"
	lemma       = "proof fn lemma_small(x: nat)\n    ensures\n        x / 2 <= x,\n{\n}"
	lemmaAxiom  = "axiom fn lemma_small(x: nat)\n    ensures\n        x / 2 <= x,\n;"
	loop        = "pub fn spin(n: u64) {\n    let mut i = n;\n    while i > 0\n        invariant\n            i <= n,\n        decreases i,\n    {\n        i = i - 1;\n    }\n}"
	loopFree    = "#[verifier::exec_allows_no_decreases_clause]\npub fn spin(n: u64) {\n    let mut i = n;\n    while i > 0\n        invariant\n            i <= n,\n    {\n        i = i - 1;\n    }\n}"
)

// siteRules report new trust sites, one kind each.
func siteRules() []siteRule {
	same := func(format string) func(site) (string, policy.Severity) {
		return func(s site) (string, policy.Severity) {
			return fmt.Sprintf(format, shorten(s.Text)), 0
		}
	}
	return []siteRule{
		{kind: model.Assume, rule: checks.Rule{
			ID: "trust/assume", Severity: policy.Error,
			Purpose: "A fact is assumed that base did not assume.",
			Why:     "The verifier takes the assumed fact for granted. When it is false, everything after it is proved from a falsehood, and the contract holds on paper only.",
			Fires:   checks.Example{Base: wrap(halfProved), Head: wrap(halfAssumed), Symbol: "half"},
			Quiet:   checks.Example{Base: wrap(halfProved), Head: wrap(halfAssert)},
			Remedy:  "Prove the fact with assert and a lemma, make it a precondition, or have a waiver reviewed that says why it holds.",
		}, message: same("New assumption %s: the verifier believes it without proof, and all that follows rests on it.")},
		{kind: model.Admit, rule: checks.Rule{
			ID: "trust/admit", Severity: policy.Error,
			Purpose: "A proof is given up with admit that base did not give up.",
			Why:     "admit() makes the verifier accept everything after it, the contract included.",
			Fires:   checks.Example{Base: wrap(halfProved), Head: wrap(halfAdmit), Symbol: "half"},
			Quiet:   checks.Example{Base: wrap(halfAdmit), Head: wrap(halfProved)},
			Remedy:  "Finish the proof. Until then keep the change out of the protected branch.",
		}, message: same("New %s: from here on the verifier accepts anything, so this contract is not proved.")},
		{kind: model.ExternalBody, also: opaqueType, rule: checks.Rule{
			ID: "trust/external-body", Severity: policy.Error,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "on a type"}},
			Purpose:   "A function's contract is believed without looking at its body, or a type is made opaque.",
			Why:       "With external_body the verifier takes the contract as true whatever the body does, and callers rely on it. On a type, a warning: its fields are no longer part of any proof.",
			Fires:     checks.Example{Base: wrap(halfProved), Head: wrap("#[verifier::external_body]\n" + halfProved), Symbol: "half"},
			Quiet:     checks.Example{Base: wrap("#[verifier::external_body]\n" + halfProved), Head: wrap("#[verifier(external_body)]\n" + halfProved)},
			Remedy:    "Remove the attribute and prove the body, or keep the trusted part small and test it against its contract.",
		}, message: func(s site) (string, policy.Severity) {
			switch {
			case opaqueType(s):
				return fmt.Sprintf("The type is opaque to the verifier now (%s): its contents are no longer part of any proof.", shorten(s.Text)), policy.Warning
			case s.fn != nil && s.fn.Base != nil && s.fn.Base.BodyVerified:
				return fmt.Sprintf("The body is not verified any more (%s): its contract is believed as it stands, whatever the body does.", shorten(s.Text)), 0
			}
			return fmt.Sprintf("The contract is believed without looking at the body (%s): callers rely on it, whatever the body does.", shorten(s.Text)), 0
		}},
		{kind: model.External, rule: checks.Rule{
			ID: "trust/external", Severity: policy.Error,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "where base did not verify the code either"}},
			Purpose:   "Code is taken out of the verifier's sight.",
			Why:       "The verifier skips external code altogether: nothing about it is checked, neither its contract nor its calls.",
			Fires:     checks.Example{Base: wrap(halfProved), Head: wrap("#[verifier::external]\n" + halfProved), Symbol: "half"},
			Quiet:     checks.Example{Base: wrap("#[verifier::external]\n" + halfProved), Head: wrap("#[verifier::external]\n/// Half of it.\n" + halfProved)},
			Remedy:    "Remove the attribute, or move the code to where everybody sees that it is not verified.",
		}, message: func(s site) (string, policy.Severity) {
			if strings.Contains(s.Text, "! ") { // the model's words, no attribute
				return fmt.Sprintf("Another macro goes by the name of one of Verus's own (%s): what stands in it is verified only if that macro hands it on as it is.", s.Text), 0
			}
			if s.fn != nil && s.fn.Base != nil && s.fn.Base.Verified || s.item != nil && s.item.Base != nil && s.item.Base.Verified {
				return fmt.Sprintf("This was verified and is not any more (%s): the verifier skips it, and nothing about it is proved.", shorten(s.Text)), 0
			}
			return fmt.Sprintf("New code that the verifier skips (%s): nothing about it is proved.", shorten(s.Text)), policy.Warning
		}},
		{kind: model.AssumeSpecification, rule: checks.Rule{
			ID: "trust/assume-specification", Severity: policy.Error,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "for code from outside of the repository"}},
			Purpose:   "A contract is assumed for a function that nobody verifies.",
			Why:       "Callers are verified against the assumed contract. When the function does otherwise, their proofs are worth nothing. For foreign code it is a warning; for the tree's own code, which could be verified, an error.",
			Fires: checks.Example{Base: wrap("") + "pub fn parity(x: u8) -> bool {\n    x % 2 == 0\n}\n",
				Head:   wrap("pub assume_specification[ parity ](x: u8) -> (r: bool)\n    ensures\n        r == (x % 2 == 0),\n;") + "pub fn parity(x: u8) -> bool {\n    x % 2 == 0\n}\n",
				Symbol: "parity"},
			Quiet: checks.Example{Base: wrap("pub assume_specification<T> [ core::hint::black_box::<T> ](x: T) -> (r: T)\n    ensures\n        r == x,\n;"),
				Head: wrap("/// Keeps the compiler from looking through.\npub assume_specification<T>[ core::hint::black_box::<T> ](x: T) -> (r: T)\n    ensures r == x;")},
			Remedy: "Verify the function itself. For foreign code compare the assumed contract with its documentation and test it.",
		}, message: func(s site) (string, policy.Severity) {
			if s.fn != nil && s.fn.Head != nil && s.fn.Head.OwnTarget {
				return "A contract is assumed for code of this repository, which could be verified instead: callers are proved against it, and nobody checks it.", 0
			}
			return "A contract is assumed for foreign code: callers are proved against it, and nobody checks it.", policy.Warning
		}},
		{kind: model.AxiomSite, rule: checks.Rule{
			ID: "trust/axiom", Severity: policy.Error,
			Purpose: "A new axiom: a proof function whose ensures is believed.",
			Why:     "Whoever calls an axiom gets its promise for free. A false axiom proves everything.",
			Fires:   checks.Example{Base: wrap(lemma), Head: wrap(lemmaAxiom), Symbol: "lemma_small"},
			Quiet:   checks.Example{Base: wrap(lemmaAxiom), Head: wrap(lemma)},
			Remedy:  "Prove it. When it states a fact about the outside world, say which and where it is documented.",
		}, message: func(s site) (string, policy.Severity) {
			return "New axiom: its promise is believed without proof by everything that uses it, and a false one proves everything.", 0
		}},
		{kind: model.Uninterp, rule: checks.Rule{
			ID: "trust/uninterpreted", Severity: policy.Notice,
			Purpose: "A new spec function without a definition.",
			Why:     "It believes nothing by itself. Whatever is said of it can only come from axioms and assumed contracts.",
			Fires:   checks.Example{Base: wrap(""), Head: wrap("pub uninterp spec fn durable(x: u64) -> bool;"), Symbol: "durable"},
			Quiet:   checks.Example{Base: wrap(""), Head: wrap("pub open spec fn durable(x: u64) -> bool {\n    x > 0\n}")},
			Remedy:  "Define it where a definition is possible; otherwise look at the axioms about it.",
		}, message: func(s site) (string, policy.Severity) {
			return "New spec function without a definition: what it means is up to axioms and assumed contracts.", 0
		}},
		{kind: model.ExternalType, not: opaqueType, rule: checks.Rule{
			ID: "trust/external-type", Severity: policy.Warning,
			Purpose: "A type from outside is described to the verifier.",
			Why:     "The description of an external type is believed: what fields it has, or that it may be treated as opaque.",
			Fires: checks.Example{Base: "pub struct Page(u64);\n" + wrap(""),
				Head: "pub struct Page(u64);\n" + wrap("#[verifier::external_type_specification]\npub struct ExPage(Page);"), Symbol: "ExPage"},
			Quiet:  checks.Example{Base: wrap("pub struct Page(u64);"), Head: wrap("pub struct Page(pub u64);")},
			Remedy: "Compare the description with the type's documentation.",
		}, message: same("New description of an external type (%s): the verifier believes it, and a mistake in it makes every proof about the type worthless.")},
		{kind: model.ExternalTrait, rule: checks.Rule{
			ID: "trust/external-trait", Severity: policy.Warning,
			Purpose: "A contract is assumed for all implementations of an external trait.",
			Why:     "Every implementation, present and future, is believed to meet it, also those that nobody verifies.",
			Fires: checks.Example{Base: "pub trait Port {\n    fn read(&self) -> u8;\n}\n" + wrap(""),
				Head:   "pub trait Port {\n    fn read(&self) -> u8;\n}\n" + wrap("#[verifier::external_trait_specification]\npub trait ExPort {\n    type ExternalTraitSpecificationFor: Port;\n\n    fn read(&self) -> (r: u8)\n        ensures\n            r < 128,\n    ;\n}"),
				Symbol: "ExPort"},
			Quiet: checks.Example{Base: wrap("pub trait Port {\n    fn read(&self) -> u8;\n}"),
				Head: wrap("pub trait Port {\n    fn read(&self) -> (r: u8)\n        ensures\n            r < 128,\n    ;\n}")},
			Remedy: "Promise no more than every implementation keeps; better, a trait of the tree's own with verified implementations.",
		}, message: same("All implementations of an external trait are believed to meet this contract (%s), also those that nobody verifies.")},
		{kind: model.ExternalDerive, rule: checks.Rule{
			ID: "trust/external-derive", Severity: policy.Warning,
			Purpose: "Derived implementations are hidden from the verifier.",
			Why:     "The verifier ignores the derived code, so nothing is known, or checked, about comparing, copying or hashing the type.",
			Fires: checks.Example{Base: wrap("#[derive(Clone, Copy)]\npub struct Coord {\n    pub x: u8,\n}"),
				Head: wrap("#[derive(Clone, Copy)]\n#[verifier::external_derive]\npub struct Coord {\n    pub x: u8,\n}"), Symbol: "Coord"},
			Quiet: checks.Example{Base: wrap("#[derive(Clone, Copy)]\npub struct Coord {\n    pub x: u8,\n}"),
				Head: wrap("#[derive(Copy, Clone)]\npub struct Coord {\n    pub x: u8,\n}")},
			Remedy: "Write the implementations out with their contracts.",
		}, message: same("Derived implementations of this type are not verified (%s): nothing is known, or checked, of what they do.")},
		{kind: model.UnsafeAutoTrait, rule: checks.Rule{
			ID: "trust/unsafe-auto-trait", Severity: policy.Warning,
			Purpose: "Thread safety of a type is claimed with unsafe impl.",
			Why:     "Neither Rust nor the verifier checks unsafe impl Send or Sync. Proofs about shared state rest on it.",
			Fires:   checks.Example{Base: "pub struct Handle(*mut u8);\n", Head: "pub struct Handle(*mut u8);\n\nunsafe impl Send for Handle {}\n", Symbol: "Handle"},
			Quiet:   checks.Example{Base: "pub struct Handle(*mut u8);\n", Head: "pub struct Handle(*mut u8);\n\nimpl Unpin for Handle {}\n"},
			Remedy:  "Say in a safety comment why it holds, and have it reviewed by someone who knows the type.",
		}, message: same("Thread safety is claimed, not proved: %s. Neither Rust nor the verifier checks it, and proofs about shared state rest on it.")},
		{kind: model.NoDecreases, rule: checks.Rule{
			ID: "trust/no-decreases", Severity: policy.Warning,
			Purpose: "A function may run forever.",
			Why:     "An endless loop meets every contract, because it never returns. The contract then says nothing about runs that do not end.",
			Fires:   checks.Example{Base: wrap(loop), Head: wrap(loopFree), Symbol: "spin"},
			Quiet:   checks.Example{Base: wrap(loopFree), Head: wrap(loop)},
			Remedy:  "Give each loop and recursion a decreases clause. For a server loop that is meant to run forever, a waiver.",
		}, message: same("This code need not terminate any more (%s): a loop that never ends meets any contract.")},
		{kind: model.AssumeTermination, rule: checks.Rule{
			ID: "trust/assume-termination", Severity: policy.Error,
			Purpose: "Termination is believed without proof.",
			Why:     "The verifier accepts recursion or a loop without a measure. If it does not end, the contract holds on paper only.",
			Fires:   checks.Example{Base: wrap(loop), Head: wrap("#[verifier::assume_termination]\n" + loop), Symbol: "spin"},
			Quiet:   checks.Example{Base: wrap("#[verifier::assume_termination]\n" + loop), Head: wrap(loop)},
			Remedy:  "Find a measure and write it as decreases.",
		}, message: same("Termination is believed, not proved (%s): code that never ends meets any contract.")},
		{kind: model.InlineAir, rule: checks.Rule{
			ID: "trust/inline-air", Severity: policy.Error,
			Purpose: "Text is handed to the solver directly.",
			Why:     "Inline solver text can assert anything, past all checks of the verifier.",
			Fires: checks.Example{Base: wrap(lemma),
				Head:   wrap("proof fn lemma_small(x: nat)\n    ensures\n        x / 2 <= x,\n{\n    inline_air_stmt(\"(assume false)\");\n}"),
				Symbol: "lemma_small"},
			Quiet: checks.Example{Base: wrap(lemma),
				Head: wrap("proof fn lemma_small(x: nat)\n    ensures\n        x / 2 <= x,\n{\n    // no inline_air_stmt here\n}")},
			Remedy: "Write it as an ordinary proof.",
		}, message: same("Text for the solver bypasses the verifier: %s. It can assert anything, also what is false.")},
		{kind: model.UndeclaredExternals, rule: checks.Rule{
			ID: "trust/undeclared-externals", Severity: policy.Error,
			Purpose: "External functions may be called without any contract.",
			Why:     "Calls to code outside verification are accepted without saying what they do.",
			Fires: checks.Example{Base: wrap(halfProved),
				Head: wrap("#[verifier::assume(externals_available_without_declaration)]\n" + halfProved), Symbol: "half"},
			Quiet:  checks.Example{Base: wrap(halfProved), Head: wrap("#[inline]\n" + halfProved)},
			Remedy: "State a contract for each external function that is called.",
		}, message: same("External functions may be called here without a contract (%s): what they do is neither known nor checked.")},
		{kind: model.CfgDivergence, rule: checks.Rule{
			ID: "trust/cfg-divergence", Severity: policy.Error,
			Purpose: "The verifier sees other code than the one that is built.",
			Why:     "A condition on the verifier's cfg, a feature or a profile selects one body for the proof and another for the product.",
			Fires: checks.Example{Base: wrap(halfProved),
				Head:   wrap("pub fn half(x: u64) -> (r: u64)\n    ensures\n        r <= x,\n{\n    if cfg!(verus_keep_ghost) {\n        x / 2\n    } else {\n        x + 1\n    }\n}"),
				Symbol: "half"},
			Quiet: checks.Example{Base: wrap(halfProved),
				Head: "#[cfg(verus_keep_ghost)]\nuse vstd::arithmetic::div_mod::*;\n" + wrap(halfProved)},
			Remedy: "Build and verify the same code. Only imports of ghost names belong under the verifier's cfg.",
		}, message: same("What is verified and what is built differ here (%s): the proof is not about the code that runs.")},
		{kind: model.SpecSubstitute, rule: checks.Rule{
			ID: "trust/spec-substitute", Severity: policy.Notice,
			Purpose: "An executable function stands for a spec function inside contracts.",
			Why:     "Contracts that call the function mean the spec function instead, which a reader does not see at the call.",
			Fires: checks.Example{Base: wrap("pub open spec fn spec_half(x: u64) -> u64 {\n    (x / 2) as u64\n}\n\n" + halfProved),
				Head: wrap("pub open spec fn spec_half(x: u64) -> u64 {\n    (x / 2) as u64\n}\n\n#[verifier::when_used_as_spec(spec_half)]\n" + halfProved), Symbol: "half"},
			Quiet:  checks.Example{Base: wrap(halfProved), Head: wrap("#[must_use]\n" + halfProved)},
			Remedy: "Check that the function's ensures says that it equals the spec function.",
		}, message: same("Contracts that call this function mean another one (%s), which a reader does not see at the call.")},
		{kind: model.Fabricated, rule: checks.Rule{
			ID: "trust/fabricated", Severity: policy.Warning,
			Purpose: "A ghost or tracked value is made from nothing.",
			Why:     "A permission that was not earned lets code prove what it must not, such as exclusive access.",
			Fires: checks.Example{Base: wrap("#[verifier::external_body]\npub fn grab() -> Tracked<u8> {\n    loop {}\n}"),
				Head: wrap("#[verifier::external_body]\npub fn grab() -> Tracked<u8> {\n    Tracked::assume_new()\n}"), Symbol: "grab"},
			Quiet: checks.Example{Base: wrap("#[verifier::external_body]\npub fn grab() -> Tracked<u8> {\n    loop {}\n}"),
				Head: wrap("#[verifier::external_body]\npub fn grab() -> Tracked<u8> {\n    unreachable!()\n}")},
			Remedy: "Take the value as an argument from where it is justified.",
		}, message: same("A ghost value is made from nothing here: %s. A permission that was not earned lets code prove what it must not.")},
		{kind: model.Layout, rule: checks.Rule{
			ID: "trust/layout", Severity: policy.Notice,
			Purpose: "The size or layout of a type is stated.",
			Why:     "The verifier believes it; the compiler checks it, but only when the erased code is built.",
			Fires:   checks.Example{Base: wrap(""), Head: wrap("global size_of usize == 8;"), Symbol: "global size_of usize == 8;"},
			Quiet:   checks.Example{Base: wrap("global size_of usize == 8;"), Head: wrap("// 64 bit only\nglobal size_of usize == 8;")},
			Remedy:  "Make sure that every target that is shipped is also built with the statement in it.",
		}, message: func(s site) (string, policy.Severity) {
			return fmt.Sprintf("The verifier believes this layout: %s. The compiler checks it, but only for targets that are built.", strings.TrimSuffix(shorten(s.Text), ";")), 0
		}},
		{kind: model.MacroInternal, rule: checks.Rule{
			ID: "trust/macro-internal", Severity: policy.Warning,
			Purpose: "Internals of Verus's macros are written by hand.",
			Why:     "They are not meant for sources and can mark code as ghost, trusted or erased past the checks of the macros.",
			Fires:   checks.Example{Base: wrap(halfProved), Head: wrap("#[verus::internal(open)]\n" + halfProved), Symbol: "half"},
			Quiet:   checks.Example{Base: wrap(halfProved), Head: wrap("#[inline]\n" + halfProved)},
			Remedy:  "Use the documented syntax.",
		}, message: same("An internal form of Verus's macros is written by hand (%s): it can mark code as ghost, trusted or erased past the checks of the macros.")},
	}
}

// opaqueType tells external_body on a type of the tree from the description of an external type.
func opaqueType(s site) bool {
	if s.Kind != model.ExternalType || s.item == nil {
		return false
	}
	i := s.item.Head
	if i == nil {
		i = s.item.Base
	}
	for _, a := range i.Attrs {
		if strings.Contains(a, "external_type_specification") {
			return false
		}
	}
	return strings.Contains(s.Text, "external_body")
}

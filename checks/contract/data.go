package contract

import (
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
)

var wrap = checks.InVerus

// change gives the two sides of one file that differ in one place.
func change(text, old, new string) (base, head string) {
	return wrap(text), wrap(strings.Replace(text, old, new, 1))
}

func example(symbol, text, old, new string) checks.Example {
	b, h := change(text, old, new)
	return checks.Example{Base: b, Head: h, Symbol: symbol}
}

const (
	half = "pub fn half(x: u64) -> (r: u64)\n    requires\n        x < 1000,\n    ensures\n        r == x / 2,\n        r <= x,\n{\n    x / 2\n}"
	spec = "pub open spec fn small(x: u64) -> bool {\n    x < 1000 && x != 7\n}\n\npub fn half(x: u64) -> (r: u64)\n    ensures\n        small(x) ==> small(r),\n{\n    if x == 14 || x == 15 { 0 } else { x / 2 }\n}"
	// codec is a trait with a contract.
	codec = "pub trait Codec {\n    fn header(&self) -> (r: u8)\n        ensures\n            r < 128,\n            r > 3,\n    {\n        4\n    }\n}"
	stack = "pub struct Stack {\n    pub items: Vec<u64>,\n}\n\nimpl Stack {\n    pub fn push(&mut self, x: u64)\n        ensures\n            self.items@ == old(self).items@.push(x),\n    {\n        self.items.push(x);\n    }\n}"
	runs  = "pub fn run(x: u64) -> (r: u64)\n    ensures\n        r == x,\n    opens_invariants none\n    no_unwind\n{\n    x\n}"
	count = "pub fn count(n: u64) -> (r: u64)\n    ensures\n        r == 0,\n    decreases n,\n{\n    if n == 0 { 0 } else { count(n - 1) }\n}"
)

// otherwise adds the severities that some findings of a rule have.
func otherwise(r *checks.Rule, weights ...checks.Weight) *checks.Rule {
	r.Otherwise = weights
	return r
}

// gathered is what checks.Gather does, in the words of the rules.
const gathered = "Where more than ten contracts rest on one definition, and neither a case nor a proof says more of them, it is told once, at the definition."

// undecidable is a rule of which findings may be about what could not be decided.
func undecidable(r *checks.Rule) *checks.Rule {
	r.Undecidable = true
	return r
}

// Rules of the family.
func Rules() []*checks.Rule {
	rule := func(id string, sev policy.Severity, purpose, why string, fires, quiet checks.Example, remedy, mirror, noMirror string, run func(*checks.Pass)) *checks.Rule {
		return &checks.Rule{ID: "contract/" + id, Family: checks.Contract, Severity: sev, Purpose: purpose, Why: why,
			Needs: checks.NeedHead | checks.NeedBase | checks.NeedPair, Fires: fires, Quiet: quiet, Remedy: remedy,
			Mirror: mirror, NoMirror: noMirror, Run: run}
	}
	reordered := example("", half, "        r == x / 2,\n        r <= x,\n", "        r <= x,\n        r == (x / 2),\n")
	return []*checks.Rule{
		otherwise(rule("requires-strengthened", policy.Warning,
			"The precondition asks for more than base's.",
			"Callers that were covered are not any more. Asked for too much, a precondition makes any proof easy.",
			example("half", half, "x < 1000", "x < 100"), example("", half, "x < 1000", "1000 > x"),
			"Check the callers. If the function needs it, say why in the pull request.", "contract/requires-weakened", "", requiresStrengthened),
			checks.Weight{Severity: policy.Notice, When: "where only the signature of a believed contract asks for more"}),
		otherwise(rule("requires-weakened", policy.Notice,
			"The precondition asks for less than base's.",
			"More calls are covered. It is good news, as long as the proof goes through.",
			example("half", half, "x < 1000", "x < 10000"), reordered,
			"Nothing to do: callers that were covered still are.", "contract/requires-strengthened", "", requiresWeakened),
			checks.Weight{Severity: policy.Error, When: "where the contract is believed, so that no body is checked against it"}),
		otherwise(rule("ensures-weakened", policy.Error,
			"The function promises less than in base.",
			"A weaker promise is easier to prove, and callers that relied on the old one are proved against nothing.",
			example("half", half, "r == x / 2,\n        r <= x", "r <= x"), reordered,
			"Keep the promise. If it cannot be kept, say so in the pull request and check the callers.", "contract/ensures-strengthened", "", ensuresWeakened),
			checks.Weight{Severity: policy.Notice, When: "where only the signature of a believed contract gives less"}),
		otherwise(rule("ensures-strengthened", policy.Notice,
			"The function promises more than in base.",
			"It is good news where the promise is proved. Where it is believed (external_body, assume_specification, axioms), more is believed.",
			turned(example("half", half, "r == x / 2,\n        ", "")), reordered,
			"Nothing to do where the verifier proves the function. Where its contract is believed, check the new promise by hand.", "contract/ensures-weakened", "", ensuresStrengthened),
			checks.Weight{Severity: policy.Error, When: "where the contract is believed, so that no body is checked against it"}),
		otherwise(rule("incomparable", policy.Warning,
			"The promises were exchanged for others that neither follow from base's nor imply them.",
			"Something that callers could rely on is gone: what came for it does not give it back. It is an error where a case shows the loss.",
			example("half", half, "r == x / 2,\n        r <= x", "r == x / 2 + 1"), reordered,
			"Compare the clauses. Keep what callers rely on.", "", "The opposite change is incomparable too.", incomparable),
			checks.Weight{Severity: policy.Error, When: "where a case shows what is lost, a promise is lost whatever new ghost parameters are, or the contract is believed"}),
		otherwise(undecidable(rule("direction-unknown", policy.Notice,
			"Whether the contract is as strong as base's could not be decided.",
			"It says neither that the contract is weaker nor that it is not, so it is a warning and the outcome is inconclusive, except for the statement of a lemma.",
			checks.Example{Base: wrap(sums + "pub fn total(s: &Vec<u64>) -> (r: u64)\n    ensures\n        r == front(s@),\n{\n    0\n}"),
				Head: wrap(sums + "pub fn total(s: &Vec<u64>) -> (r: u64)\n    ensures\n        r == back(s@),\n{\n    0\n}"), Symbol: "total"},
			reordered,
			"Compare the clauses by hand, or run with a verifier, which may decide it.", "", "The opposite change is unknown too.", directionUnknown)),
			checks.Weight{Severity: policy.Warning, When: "on everything but the statement of a lemma"}),
		rule("ensures-removed", policy.Error,
			"A function that made promises makes none.",
			"Its proof shows nothing any more, and callers learn nothing from it.",
			example("half", half, "    ensures\n        r == x / 2,\n        r <= x,\n", ""), reordered,
			"Put the promises back.", "contract/ensures-strengthened", "", ensuresRemoved),
		rule("contradictory-requires", policy.Error,
			"No call can meet the precondition.",
			"From a contradiction everything follows: any body is proved, for calls that do not exist.",
			example("half", half, "x < 1000", "x < 1000, x > 2000"), example("", half, "x < 1000", "x < 1000, x != 5"),
			"Find the clauses that exclude each other.", "", "A precondition that can be met again is requires-weakened.", contradictoryRequires),
		rule("trivial-ensures", policy.Error,
			"Every result meets the contract.",
			"The proof is green and says nothing: a function that returns anything would pass.",
			example("half", half, "r == x / 2,\n        r <= x", "r == x || r != x"), reordered,
			"Say what the result is.", "", "A contract that says something again is ensures-strengthened.", trivialEnsures),
		rule("clause-redundant", policy.Notice,
			"A new clause follows from the others.",
			"It adds nothing, and makes the contract look stronger than it is.",
			example("half", half, "r <= x", "r <= x,\n        r <= x + 1"), reordered,
			"Leave it out, unless readers or the solver need it.", "", "Taking such a clause away changes nothing.", clauseRedundant),
		rule("result-unconstrained", policy.Warning,
			"No promise speaks of the result, or of what a `&mut` argument becomes.",
			"The promises may be true and strong and still allow any result.",
			example("half", half, "r == x / 2,\n        r <= x", "x / 2 <= x"), reordered,
			"Say what the result is.", "", "A contract that speaks of its result again is ensures-strengthened.", resultUnconstrained),
		rule("self-comparison", policy.Warning,
			"A promise compares the result, or a new value, with itself.",
			"It is true whatever the function does. Often old(..) was meant on one side.",
			example("Stack::push", stack, "self.items@ == old(self).items@.push(x)", "self.items@ == self.items@"),
			checks.Example{Base: wrap(stack), Head: wrap("/// A stack.\n" + stack)},
			"Compare with the old value, or with what the result should be.", "", "A comparison with something else is ensures-strengthened.", selfComparison),
		otherwise(undecidable(rule("spec-definition-weakened", policy.Warning,
			"A definition on which the contract rests is true of more than before.",
			"The contract's text is the same and its meaning is not: what changed is a spec function that it names, or one further on. It is an error where a promise of running code is lost with it. "+gathered,
			example("half", spec, "x < 1000 && x != 7", "x < 1000"), example("", spec, "x < 1000 && x != 7", "x != 7 && 1000 > x"),
			"Review the definition as a part of every contract that uses it.", "contract/spec-definition-strengthened", "",
			func(p *checks.Pass) { specDefinition(p, Weaker) })),
			checks.Weight{Severity: policy.Error, When: "where a promise of running code is lost, or a contract that is believed says more"}),
		otherwise(undecidable(rule("spec-definition-strengthened", policy.Warning,
			"A definition on which the contract rests is true of less than before.",
			"In a promise it says more, in a precondition it asks for more, although the contract's text is the same. "+gathered,
			example("half", spec, "x < 1000 && x != 7", "x < 1000 && x != 7 && x != 8"), example("", spec, "x < 1000 && x != 7", "x != 7 && 1000 > x"),
			"Review the definition as a part of every contract that uses it.", "contract/spec-definition-weakened", "",
			func(p *checks.Pass) { specDefinition(p, Stronger) })),
			checks.Weight{Severity: policy.Error, When: "where a promise of running code is lost, or a contract that is believed says more"}),
		otherwise(undecidable(rule("spec-definition-changed", policy.Warning,
			"A definition on which the contract rests says something else than before.",
			"The contract's text is the same and its meaning is not. It is an error where a promise is lost, and where specgate cannot tell, the outcome is inconclusive. "+gathered,
			example("half", spec, "x < 1000 && x != 7", "x > 1000"), example("", spec, "x < 1000 && x != 7", "x != 7 && 1000 > x"),
			"Review the definition as a part of every contract that uses it.", "", "The opposite change is the same rule.",
			func(p *checks.Pass) { specDefinition(p, Unknown); inPlace(p) })),
			checks.Weight{Severity: policy.Error, When: "where a promise of running code is lost, a type has no invariant any more, or a contract that is believed says more"}),
		rule("ensures-to-default-ensures", policy.Warning,
			"A promise of a trait's method holds for its default body only.",
			"Implementations that bring a body of their own owe nothing any more.",
			example("Codec::header", codec, "        ensures\n            r < 128,\n            r > 3,", "        default_ensures\n            r < 128,\n            r > 3,"),
			example("", codec, "r < 128,\n            r > 3,", "r > 3,\n            r < 128,"),
			"Keep it as ensures, if callers through the trait rely on it.", "", "A default that becomes a promise is ensures-strengthened.", ensuresToDefault),
		rule("ensures-to-recommends", policy.Warning,
			"A promise became a recommendation.",
			"recommends is advice for callers of specifications; it promises nothing and is not proved.",
			checks.Example{Base: wrap(lemma), Head: wrap(strings.Replace(lemma, "ensures", "recommends", 1)), Symbol: "lemma_half"},
			checks.Example{Base: wrap(lemma), Head: wrap("/// Half.\n" + lemma)},
			"Keep it as ensures.", "", "A recommendation that becomes a promise is ensures-strengthened.", ensuresToRecommends),
		rule("opened", policy.Notice,
			"The definition of a spec function is visible to more code.",
			"Proofs elsewhere may now rest on the definition, so it cannot be changed freely any more.",
			turned(example("small", spec, "pub open spec", "pub closed spec")), example("", spec, "pub open spec fn small", "/// Small.\npub open spec fn small"),
			"Nothing to do, if it is meant as a part of the interface. Else close it again.", "contract/closed", "", func(p *checks.Pass) { visibility(p, true) }),
		rule("closed", policy.Notice,
			"The definition of a spec function is visible to less code.",
			"Readers and proofs elsewhere no longer see what contracts mean that use it.",
			example("small", spec, "pub open spec", "pub closed spec"), example("", spec, "pub open spec fn small", "/// Small.\npub open spec fn small"),
			"Nothing to do, if the definition is meant to be private. Else open it again.", "contract/opened", "", func(p *checks.Pass) { visibility(p, false) }),
		rule("made-uninterpreted", policy.Warning,
			"A spec function lost its definition.",
			"Contracts that use it read as before and say nothing, except what axioms say of it.",
			checks.Example{Base: wrap(spec), Head: wrap("pub uninterp spec fn small(x: u64) -> bool;" + spec[strings.Index(spec, "\n\npub fn"):]), Symbol: "small"},
			example("", spec, "x < 1000 && x != 7", "x < 1000"),
			"Keep the definition. To hide it from callers, close it.", "", "A definition for a function that had none changes every contract that uses it, and is welcome.", madeUninterpreted),
		rule("decreases-removed", policy.Warning,
			"A recursive function lost its measure.",
			"Nothing shows that the recursion ends. A definition that does not end means nothing, a function that does not end meets any contract.",
			checks.Example{Base: wrap(count), Head: wrap("#[verifier::exec_allows_no_decreases_clause]\n" + strings.Replace(count, "    decreases n,\n", "", 1)), Symbol: "count"},
			example("", count, "decreases n,", "decreases n + 1,"),
			"Put the measure back.", "", "A measure that is added is what the verifier asks for.", decreasesRemoved),
		rule("opens-invariants-widened", policy.Warning,
			"The function may open more invariants.",
			"A caller that has one of them open must not call it any more; where the contract is believed, nobody checks.",
			example("run", runs, "opens_invariants none", "opens_invariants any"), example("", runs, "opens_invariants none", "opens_invariants []"),
			"Open no more than the body needs.", "", "Opening fewer invariants is safe for every caller.", opensInvariantsWidened),
		rule("no-unwind-removed", policy.Warning,
			"The promise not to unwind is gone, or holds under a condition only.",
			"A caller in the middle of an atomic step must know that it is not left by a panic.",
			example("run", runs, "    no_unwind\n", ""), example("", runs, "r == x,", "x == r,"),
			"Put it back, or check the callers that rely on it.", "", "A new promise not to unwind is proved by the verifier.", noUnwindRemoved),
		otherwise(rule("trait-contract-weakened", policy.Error,
			"A trait's method promises less, or asks for more, or the trait asks less of the types that implement it.",
			"It binds every implementation and every caller through the trait, also those outside this repository.",
			example("Codec::header", codec, "            r < 128,\n            r > 3,", "            r < 128,"),
			example("", codec, "r < 128,\n            r > 3,", "r > 3,\n            r < 128,"),
			"Keep the trait's contract, or make another method.", "contract/ensures-strengthened", "", traitContractWeakened),
			checks.Weight{Severity: policy.Warning, When: "where the trait does not ask for a bound any more"}),
	}
}

const (
	sums = "spec fn front(s: Seq<u64>) -> int\n    decreases s.len(),\n{\n    if s.len() == 0 { 0 } else { s[0] + front(s.skip(1)) }\n}\n\n" +
		"spec fn back(s: Seq<u64>) -> int\n    decreases s.len(),\n{\n    if s.len() == 0 { 0 } else { s.last() + back(s.drop_last()) }\n}\n\n"
	lemma = "proof fn lemma_half(x: nat)\n    ensures\n        x / 2 <= x,\n{\n}"
)

// turned exchanges the two sides of an example.
func turned(e checks.Example) checks.Example {
	e.Base, e.Head = e.Head, e.Base
	return e
}

// Package proof has the rules about what the verifier says.
package proof

import (
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
)

const (
	headNeeds = checks.NeedHead | checks.NeedVerifier
	bothNeeds = headNeeds | checks.NeedBase | checks.NeedPair
)

var wrap = checks.InVerus

const (
	addOne       = "pub fn add_one(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        r == x + 1,\n{\n    x + 1\n}"
	addTwo       = "pub fn add_one(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        r == x + 1,\n{\n    x + 2\n}"
	outside      = "pub fn add_one(x: u32) -> u32 {\n    x + 1\n}\n"
	withRLimit   = "#[verifier::rlimit(50)]\n" + addOne
	optedIn      = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nvstd = \"*\"\n\n[package.metadata.verus]\nverify = true\n"
	notOptedIn   = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nvstd = \"*\"\n"
	noDependency = "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nvstd = { path = \"missing\" }\n\n[package.metadata.verus]\nverify = true\n"
	hard         = "pub open spec fn f(x: int) -> int\n    decreases x,\n{\n    if x <= 1 {\n        1\n    } else {\n        f(x - 1) + f(x - 2)\n    }\n}\n\n#[verifier::rlimit(1)]\nproof fn hard(a: int, b: int, c: int)\n    requires\n        forall|x: int, y: int| #[trigger] (f(x) * f(y)) == f(x + y) + f(x - y),\n        a * b * c > a + b + c,\n    ensures\n        f(a) * f(b) * f(c) == f(a * b * c) + f(a + b + c),\n{\n    reveal_with_fuel(f, 8);\n}"
	believed     = "#[verifier::external_body]\nproof fn small(x: u32)\n    ensures\n        x < 10,\n        x > 20,\n{\n}\n\npub fn add_one(x: u32) -> (r: u32)\n    ensures\n        r == x + 1,\n{\n    proof {\n        small(x);\n    }\n    x + 1\n}"
	serve        = "#[verifier::exec_allows_no_decreases_clause]\npub fn serve() {\n    loop {\n    }\n}"
	slow         = "proof fn cube(x: int, y: int)\n    requires\n        x == y,\n    ensures\n        x * x * x == y * y * y,\n{\n    assert(x * x * x == y * y * y) by (nonlinear_arith)\n        requires\n            x == y,\n    ;\n}"
	quick        = "proof fn cube(x: int, y: int)\n    requires\n        x == y,\n    ensures\n        x * x * x == y * y * y,\n{\n}"
)

// Rules of the family. All but knob need a run of the verifier.
func Rules() []*checks.Rule {
	return []*checks.Rule{
		{
			ID: "proof/failed", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "where the change does not touch the function and base fails in the same way"}},
			Purpose:   "The verifier does not accept the code, or cannot prove something about it.",
			Why:       "What is not proved is a wish: callers rely on it, and nothing says that it holds.",
			Fires:     checks.Example{Base: wrap(addOne), Head: wrap(addTwo), Symbol: "add_one"},
			Quiet:     checks.Example{Base: wrap(addTwo), Head: wrap(addOne)},
			Remedy:    "Correct the code, the contract or the proof. Until then nothing says that this holds.",
			NoMirror:  "That a function is proved is what is expected; proof/fixed reports one that was not before.",
			Run:       failed,
		},
		{
			ID: "proof/timeout", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "where the change does not touch the function and base fails in the same way"}},
			Purpose:   "The solver gave up at its resource limit, or the verifier was stopped at the time limit.",
			Why:       "Nothing was proved, and nothing refuted. Such a proof may also hang on a change elsewhere.",
			Fires:     checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + hard), Symbol: "hard"},
			Quiet:     checks.Example{Base: wrap(addOne), Head: wrap(addTwo)},
			Remedy:    "Split the proof into lemmas, give triggers by hand, or raise the limit with #[verifier::rlimit(..)] or timeout under [verus] in the policy.",
			NoMirror:  "proof/fixed reports a function that is proved again.",
			Run:       timeout,
		},
		{
			ID: "proof/internal-error", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Purpose:  "The verifier failed, or what it printed is not understood.",
			Why:      "It then has proved nothing, whatever its exit status is.",
			Fires:    checks.Example{Base: wrap(addOne), Head: wrap("// Suppose that the verifier crashes here.\n" + addOne), Symbol: "src/lib.rs"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addTwo)},
			Remedy:   "Run the verifier by hand on the same tree. If it fails there too, report it to its authors or use another release. Until then the proofs are not known to hold.",
			NoMirror: "A verifier that works is what is expected.",
			Run:      internalError,
		},
		{
			ID: "proof/not-run", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Purpose:  "The verifier did not run, or not to its end.",
			Why:      "Nothing was proved about the target, also when the exit status says that all is well.",
			Fires:    checks.Example{File: "Cargo.toml", Base: optedIn, Head: noDependency, Symbol: "Cargo.toml"},
			Quiet:    checks.Example{File: "Cargo.toml", Base: noDependency, Head: optedIn},
			Remedy:   "Mend what the message names: an installation, a toolchain, a dependency, an option. Until then nothing of the change is proved.",
			NoMirror: "That the verifier runs is what is expected.",
			Run:      notRun,
		},
		{
			ID: "proof/nothing-verified", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Purpose:  "The verifier ran on a target and had nothing to prove there.",
			Why:      "The run is green because no code is verified: it may have left verus!, or be external.",
			Fires:    checks.Example{Base: wrap(addOne), Head: outside, Symbol: "src/lib.rs"},
			Quiet:    checks.Example{Base: outside, Head: wrap(addOne)},
			Remedy:   "Put the code back into verus!, or take the target out of verification in the policy: a run that proves nothing ends green.",
			NoMirror: "That something is proved is what is expected.",
			Run:      nothingVerified,
		},
		{
			ID: "proof/not-all-verified", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Purpose:  "The verifier looked at a part of what it had to: a partial run, a package that has not opted in, a target that cargo took as built.",
			Why:      "What was not looked at is not proved, and the run is green without it.",
			Fires:    checks.Example{File: "Cargo.toml", Base: optedIn, Head: notOptedIn, Symbol: "Cargo.toml"},
			Quiet:    checks.Example{File: "Cargo.toml", Base: notOptedIn, Head: optedIn},
			Remedy:   "Set verify = true under [package.metadata.verus] in the package's Cargo.toml, and remove options that select a part: what is not looked at is not proved, and the run ends green.",
			NoMirror: "That all is verified is what is expected.",
			Run:      notAllVerified,
		},
		{
			ID: "proof/own-word", Family: checks.Proof, Severity: policy.Error, Needs: headNeeds,
			Purpose:  "The change edits a program that runs while it is verified: a build script, a procedural macro, or what one of them is made of.",
			Why:      "Such a program can choose the solver, change the code that is proved, or print the verifier's answer itself. What the verifier says of this change is then the change's own word.",
			Fires:    checks.Example{File: "build.rs", Base: "fn main() {}\n", Head: "fn main() {\n    println!(\"cargo:rustc-env=VERUS_Z3_PATH=/tmp/says-yes\");\n}\n", Symbol: "build.rs"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addTwo)},
			Remedy:   "Have the program reviewed, and merge it in a change of its own: from then on it is the base's. A waiver says that it was reviewed here.",
			NoMirror: "A program that is gone runs no more.",
			Run:      ownWord,
		},
		{
			ID: "proof/regressed", Family: checks.Proof, Severity: policy.Error, Needs: bothNeeds,
			Purpose: "A function that was proved in base is not proved now.",
			Why:     "The change broke its proof, or the proof of something that it rests on, even if the function itself was not edited.",
			Fires:   checks.Example{Base: wrap(addOne), Head: wrap(addTwo), Symbol: "add_one"},
			Quiet:   checks.Example{Base: wrap(addTwo), Head: wrap(addTwo + "\n\nproof fn lemma() {\n}")},
			Remedy:  "Look at what the function uses and this change touched. Repair the proof in the same change.",
			Mirror:  "proof/fixed",
			Run:     regressed,
		},
		{
			ID: "proof/fixed", Family: checks.Proof, Severity: policy.Notice, Needs: bothNeeds,
			Purpose: "A function that was not proved in base is proved now.",
			Why:     "It is good news, and shows reviewers what the change is worth.",
			Fires:   checks.Example{Base: wrap(addTwo), Head: wrap(addOne), Symbol: "add_one"},
			Quiet:   checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\nproof fn lemma() {\n}")},
			Remedy:  "Nothing is to be done. Check that it was not fixed by a weaker contract or a new assumption, which other rules report.",
			Mirror:  "proof/regressed",
			Run:     fixed,
		},
		{
			ID: "proof/cost-grew", Family: checks.Proof, Severity: policy.Notice, Needs: bothNeeds,
			Purpose:  "The solver needs at least twice as much for a function as in base, and more than one unit of its resource limit.",
			Why:      "Proofs that get dear become flaky: the next small change may push them over the limit.",
			Fires:    checks.Example{Base: wrap(quick), Head: wrap(slow), Symbol: "cube"},
			Quiet:    checks.Example{Base: wrap(slow), Head: wrap(quick)},
			Remedy:   "Split the proof, hide what it does not need, or give triggers by hand.",
			NoMirror: "A proof that gets cheaper needs no attention.",
			Run:      costGrew,
		},
		{
			ID: "proof/inconsistent-context", Family: checks.Proof, Severity: policy.Error, Needs: bothNeeds,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "on a lemma whose own requires may be a part of the contradiction"}},
			Purpose:   "The verifier proves `false` at every exit of a function that changed, so its proof rests on a contradiction.",
			Why: "From a contradiction everything follows: the proof would go through whatever the function did and promised. Somewhere among what it believes, or among what " +
				"lemmas and types say that it uses, two things exclude each other.",
			Fires:    checks.Example{Base: wrap(addOne), Head: wrap(believed), Symbol: "add_one"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + serve)},
			Remedy:   "Put assert(false) at the end of the body and move it up: it is proved from the place on where the contradiction comes in.",
			NoMirror: "A proof without a contradiction is what is expected.",
			Run:      inconsistentContext,
		},
		Knob(),
	}
}

// Knob is the one rule of the family that needs no verifier.
func Knob() *checks.Rule {
	return &checks.Rule{
		ID: "proof/knob", Family: checks.Proof, Severity: policy.Notice, Needs: checks.NeedHead | checks.NeedBase | checks.NeedPair,
		Purpose:  "An attribute that only changes how the proof is searched for came, went or has another value: rlimit, spinoff_prover, loop_isolation and the like.",
		Why:      "The proof means the same. A higher limit often says that it has become hard.",
		Fires:    checks.Example{Base: wrap(addOne), Head: wrap(withRLimit), Symbol: "add_one"},
		Quiet:    checks.Example{Base: wrap(addOne), Head: wrap("// Adds one.\n" + addOne)},
		Remedy:   "Nothing is to be done, unless limits grow with every change.",
		NoMirror: "It reports changes both ways.",
		Run:      knob,
	}
}

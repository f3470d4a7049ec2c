package strength

import (
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
)

var wrap = checks.InVerus

const (
	maxCode   = "{\n    let mut m = v[0];\n    let mut k: usize = 1;\n    while k < v.len()\n        invariant\n            1 <= k <= v.len(),\n            forall|i: int| 0 <= i < k ==> v[i] <= m,\n            exists|i: int| 0 <= i < k && v[i] == m,\n        decreases v.len() - k,\n    {\n        if v[k] > m {\n            m = v[k];\n        }\n        k = k + 1;\n    }\n    m\n}"
	maxHead   = "pub fn max_of(v: &Vec<i32>) -> (m: i32)\n    requires\n        v.len() > 0,\n    ensures\n"
	maxUpper  = "        forall|i: int| 0 <= i < v.len() ==> v[i] <= m,\n"
	maxInside = "        exists|i: int| 0 <= i < v.len() && v[i] == m,\n"
	maxStrong = maxHead + maxUpper + maxInside + maxCode
	maxWeak   = maxHead + maxUpper + maxCode

	addOne      = "pub fn add_one(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        r == x + 1,\n{\n    x + 1\n}"
	addTwo      = "pub fn add_two(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        r == x + 2,\n{\n    x + 2\n}"
	larger      = "pub fn grow(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        r > x,\n{\n    x + 1\n}"
	smallerHead = "pub fn min(a: u32, b: u32) -> (r: u32)\n    ensures\n        r <= a,\n        r <= b,\n        r == a || r == b,\n"
	smaller     = smallerHead + "{\n    if a <= b {\n        a\n    } else {\n        b\n    }\n}"
	swapped     = smallerHead + "{\n    if a <= b {\n        b\n    } else {\n        a\n    }\n}"
	opaque      = "pub fn apply(f: fn(u32) -> u32, x: u32) -> (r: u32)\n    ensures\n        r == r,\n{\n    f(x)\n}"
	trusted     = "#[verifier::external_body]\npub fn half(x: u32) -> (r: u32)\n    ensures\n        2 * r == x,\n{\n    x / 2\n}"
	trustedTrue = "#[verifier::external_body]\npub fn half(x: u32) -> (r: u32)\n    ensures\n        2 * r <= x,\n        x <= 2 * r + 1,\n{\n    x / 2\n}"
)

const needs = checks.NeedHead | checks.NeedSuite

// Rules of the family. All need a suite: the function and edits of it are compiled and run.
func Rules() []*checks.Rule {
	return []*checks.Rule{
		{
			ID: "strength/weak", Family: checks.Strength, Severity: policy.Warning, Needs: needs,
			Otherwise: []checks.Weight{{Severity: policy.Error, When: "below strength.min of the policy, unless the code is base's and the contract rules out no less than base's"}},
			Purpose:   "The contract allows a result that the function never gives.",
			Why: "Callers know of a function what its contract says, and nothing else. The code can be changed to give such a result, and every proof still goes through. It is an error " +
				"below the policy's strength.min, and a warning above; a warning as well where the code is base's and the contract rules out no less than base's. Of a function " +
				"whose code is base's and whose contract means the same nothing is said.",
			Fires:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + maxWeak), Symbol: "max_of"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + maxStrong)},
			Remedy:   "Say in ensures what excludes the result that is shown: callers know nothing else of the function. If it should be allowed, have a waiver reviewed that says why; where this is an error, a lower strength.min makes it a warning.",
			NoMirror: "A contract that allows nothing else is what is expected.",
			Run:      weak,
		},
		{
			ID: "strength/dropped", Family: checks.Strength, Severity: policy.Error, Needs: needs | checks.NeedBase | checks.NeedPair,
			Otherwise: []checks.Weight{{Severity: policy.Notice, When: "where fewer spectests than gate.min-suite of the policy are decided on a side"}},
			Purpose:   "The contract allows results that base's contract excluded, by more than the policy's strength.max-drop.",
			Why: "The code does what it did, and callers are told less of it. Both contracts are asked about the same wrong results, so that the difference is the change's. It is a notice when fewer " +
				"than the policy's gate.min-suite are decided on a side.",
			Fires:    checks.Example{Base: wrap(maxStrong), Head: wrap(maxWeak), Symbol: "max_of"},
			Quiet:    checks.Example{Base: wrap(maxWeak), Head: wrap(maxStrong)},
			Remedy:   "Keep the promise that excluded the result. If it is given up on purpose, say so in the pull request.",
			NoMirror: "A contract that excludes more is good news, which contract/ensures-strengthened tells.",
			Run:      dropped,
		},
		{
			ID: "strength/mutant-survives", Family: checks.Strength, Severity: policy.Warning, Needs: needs,
			Purpose:  "One small edit of the body changes what the function gives, and the contract allows all of it.",
			Why:      "Somebody could make that edit, by mistake or on purpose, and the contract would not object. An edit that panics where the function returns does not count.",
			Fires:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + larger), Symbol: "grow"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + addTwo)},
			Remedy:   "Add to ensures what tells the function from the edited one: else somebody can make that edit, and every proof still goes through.",
			NoMirror: "That no edit survives is what is expected.",
			Run:      survives,
		},
		{
			ID: "strength/refuted", Family: checks.Strength, Severity: policy.Error, Needs: needs,
			Otherwise: []checks.Weight{{Severity: policy.Warning, When: "where the code is base's, the contract means the same, and base gives such a result too"}},
			Purpose:   "The function gives a result that its own contract rejects, and nothing says that the verifier proved it.",
			Why: "The code is broken, or the contract is: the verifier would refuse it. It is a warning when the code is base's, the contract means the same, and base gives " +
				"such a result too.",
			Fires:    checks.Example{Base: wrap(smaller), Head: wrap(swapped), Symbol: "min"},
			Quiet:    checks.Example{Base: wrap(swapped), Head: wrap(smaller)},
			Remedy:   "Run the function on the input that is shown, and correct the code or the contract.",
			NoMirror: "That a contract is kept is what is expected.",
			Run:      broken,
		},
		{
			ID: "strength/unmeasured", Family: checks.Strength, Severity: policy.Notice, Needs: needs,
			Purpose:  "How much the contract of a function rules out could not be measured, for the reason that is told.",
			Why:      "That nothing was found says nothing about this function.",
			Fires:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + opaque), Symbol: "apply"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + maxStrong)},
			Remedy:   "Look at the contract by hand. Cases written by people can be put to the contract by specgate spectest.",
			NoMirror: "A function that is measured is in the report with its numbers.",
			Run:      unmeasured,
		},
		{
			ID: "strength/void", Family: checks.Strength, Severity: policy.Error, Needs: needs,
			Purpose: "specgate gave a wrong answer about a question whose answer is known beforehand, so that nothing it says of this contract counts.",
			Why:     "Each suite has two such questions: a contract that excludes everything, and one that excludes nothing. It is a mistake in specgate.",
			// What is wrong in specgate cannot be shown by code: the example stands for it, and a test makes the mistake.
			Fires:    checks.Example{Base: wrap(addOne), Head: wrap("// Suppose that specgate is mistaken here.\n" + addTwo), Symbol: "add_two"},
			Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + addTwo)},
			Remedy:   "Report it to the authors of specgate with the function, and look at the contract by hand.",
			NoMirror: "Right answers are what is expected.",
			Run:      void,
		},
	}
}

// Refuted is a rule of the family trust: what it needs is found out by measuring.
func Refuted() *checks.Rule {
	return &checks.Rule{
		ID: "trust/contract-refuted", Family: checks.Trust, Severity: policy.Error, Needs: needs,
		Purpose:  "A contract is believed without proof, and the function gives a result that it excludes.",
		Why:      "From a false promise everything can be proved: whatever uses the function is not proved at all.",
		Fires:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + trusted), Symbol: "half"},
		Quiet:    checks.Example{Base: wrap(addOne), Head: wrap(addOne + "\n\n" + trustedTrue)},
		Remedy:   "Correct the contract, or the code. Take away the trust, so that the verifier has to prove it.",
		NoMirror: "That a contract is kept is what is expected.",
		Run:      refuted,
	}
}

package policy

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func policyOf(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := Parse(FileName, []byte("version = 1\n"+text), testRules())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func show(ds []Difference) string {
	var b strings.Builder
	for _, d := range ds {
		fmt.Fprintf(&b, "%s %s: %s -> %s\n", d.Direction, d.Key, d.Before, d.After)
	}
	return b.String()
}

// waiver of a policy, up to its last day.
const waiver = "[waivers.w]\nrule = \"trust/assume\"\nsymbol = \"a::b\"\nreason = \"be\\u0007ll \\\"\"\nowner = \"@a\"\nexpires = "

func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, before, after, want, back string }{
		{"nothing", "", "[gate]\nfail-on = \"error\"\n", "", ""},
		{"gate", "", "[gate]\nfail-on = \"never\"\ninconclusive = \"warn\"\nmin-suite = 4\nsandbox = \"require\"\n",
			`looser gate.fail-on: "error" -> "never"
looser gate.inconclusive: "fail" -> "warn"
otherwise gate.min-suite: 8 -> 4
stricter gate.sandbox: "prefer" -> "require"
`,
			`stricter gate.fail-on: "never" -> "error"
stricter gate.inconclusive: "warn" -> "fail"
otherwise gate.min-suite: 4 -> 8
looser gate.sandbox: "require" -> "prefer"
`},
		{"scope", "[scope]\nexclude = [\"a/**\"]\n", "[scope]\ninclude = [\"src/**\"]\nexclude = [\"a/**\", \"b\"]\nexecutable-edits = \"allow\"\nallow-executable-edits-label = \"\"\n",
			`looser scope.include: [] -> ["src/**"]
looser scope.exclude: ["a/**"] -> ["a/**", "b"]
looser scope.executable-edits: "warn" -> "allow"
stricter scope.allow-executable-edits-label: "implementation" -> ""
`,
			`stricter scope.include: ["src/**"] -> []
stricter scope.exclude: ["a/**", "b"] -> ["a/**"]
stricter scope.executable-edits: "allow" -> "warn"
looser scope.allow-executable-edits-label: "" -> "implementation"
`},
		{"scopes that overlap", "[scope]\ninclude = [\"a\", \"b\"]\nexclude = [\"c\"]\n", "[scope]\ninclude = [\"a\"]\nexclude = [\"d\"]\n",
			"looser scope.include: [\"a\", \"b\"] -> [\"a\"]\nlooser scope.exclude: [\"c\"] -> [\"d\"]\n",
			"stricter scope.include: [\"a\"] -> [\"a\", \"b\"]\nlooser scope.exclude: [\"d\"] -> [\"c\"]\n"},
		{"strength", "", "[strength]\nmin = 0.25\nmax-drop = 1\ninputs = 8\nmutants = 100\nseed = 3\ncases = [\"x/*.json\"]\ncount-domain = true\n",
			`looser strength.min: 0.8 -> 0.25
looser strength.max-drop: 0.0 -> 1.0
looser strength.inputs: 32 -> 8
stricter strength.mutants: 60 -> 100
otherwise strength.seed: 0 -> 3
otherwise strength.cases: [] -> ["x/*.json"]
stricter strength.count-domain: false -> true
`,
			`stricter strength.min: 0.25 -> 0.8
stricter strength.max-drop: 1.0 -> 0.0
stricter strength.inputs: 8 -> 32
looser strength.mutants: 100 -> 60
otherwise strength.seed: 3 -> 0
otherwise strength.cases: ["x/*.json"] -> []
looser strength.count-domain: true -> false
`},
		{"verus", "", "[verus]\nrelease = \"0.2026.08.15.7d4628a\"\nroots = [\"a.rs\"]\nargs = [\"--rlimit\", \"20\"]\ntimeout = \"90s\"\n[verus.sha256]\nx86-linux = \"" + strings.Repeat("0", 64) + "\"\n",
			`otherwise verus.release:  -> "0.2026.08.15.7d4628a"
otherwise verus.sha256.x86-linux:  -> "` + strings.Repeat("0", 64) + `"
otherwise verus.manifest: "Cargo.toml" -> 
otherwise verus.roots: [] -> ["a.rs"]
otherwise verus.args: [] -> ["--rlimit", "20"]
otherwise verus.timeout: "20m0s" -> "1m30s"
`, ""},
		// The severity that a rule has anyway makes no difference, and what a family's setting does depends on its rules.
		{"rules", "", "[rules]\n\"trust/assume\" = \"error\"\n\"edit/exec-changed\" = \"off\"\n\"trust/*\" = \"warning\"\n\"edit/*\" = \"error\"\n",
			`otherwise rules."trust/assume":  -> "error"
looser rules."edit/exec-changed":  -> "off"
looser rules."trust/*":  -> "warning"
stricter rules."edit/*":  -> "error"
`,
			`otherwise rules."trust/assume": "error" -> 
stricter rules."edit/exec-changed": "off" -> 
looser rules."trust/*": "warning" -> 
looser rules."edit/*": "error" -> 
`},
		{"a family", "", "[rules]\n\"contract/*\" = \"notice\"\n", "looser rules.\"contract/*\":  -> \"notice\"\n", "stricter rules.\"contract/*\": \"notice\" -> \n"},
		{"paths", "[rules]\n\"trust/assume\" = \"warning\"\n", "[rules]\n\"trust/assume\" = \"warning\"\n[paths.\"src/\\\"q/**\".rules]\n\"trust/assume\" = \"error\"\n\"trust/admit\" = \"notice\"\n",
			"stricter paths.\"src/\\\"q/**\".rules.\"trust/assume\":  -> \"error\"\nlooser paths.\"src/\\\"q/**\".rules.\"trust/admit\":  -> \"notice\"\n",
			"looser paths.\"src/\\\"q/**\".rules.\"trust/assume\": \"error\" -> \nstricter paths.\"src/\\\"q/**\".rules.\"trust/admit\": \"notice\" -> \n"},
		{"order of paths", "[paths.\"a\".rules]\n\"trust/admit\" = \"notice\"\n[paths.\"b\".rules]\n\"trust/admit\" = \"off\"\n",
			"[paths.\"b\".rules]\n\"trust/admit\" = \"off\"\n[paths.\"c\".rules]\n\"trust/admit\" = \"error\"\n[paths.\"a\".rules]\n\"trust/admit\" = \"notice\"\n",
			"otherwise paths.c.rules.\"trust/admit\":  -> \"error\"\notherwise paths: [\"a\", \"b\"] -> [\"b\", \"a\"]\n",
			"otherwise paths.c.rules.\"trust/admit\": \"error\" -> \notherwise paths: [\"b\", \"a\"] -> [\"a\", \"b\"]\n"},
		{"a waiver", "", waiver + "2027-06-30\n",
			"looser waivers.w:  -> { rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 }\n",
			"stricter waivers.w: { rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 } -> \n"},
		{"a waiver for longer", waiver + "2027-06-30\n", waiver + "2027-07-01\n",
			"looser waivers.w: { rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 } -> " +
				"{ rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-07-01 }\n",
			"stricter waivers.w: { rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-07-01 } -> " +
				"{ rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 }\n"},
		// Files that a waiver names may be of several crates, and it applies in one where it names none.
		{"the files of a waiver", waiver + "2027-06-30\n", waiver + "2027-06-30\nfile = \"src/*\"\n",
			"looser waivers.w: { rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 } -> " +
				"{ rule = \"trust/assume\", symbol = \"a::b\", file = \"src/*\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 }\n",
			"looser waivers.w: { rule = \"trust/assume\", symbol = \"a::b\", file = \"src/*\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 } -> " +
				"{ rule = \"trust/assume\", symbol = \"a::b\", reason = \"be\\u0007ll \\\"\", owner = \"@a\", expires = 2027-06-30 }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := policyOf(t, c.before), policyOf(t, c.after)
			if diff := cmp.Diff(c.want, show(Compare(before, after, testRules()))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if c.back == "" {
				return
			}
			if diff := cmp.Diff(c.back, show(Compare(after, before, testRules()))); diff != "" {
				t.Errorf("the other way (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever of a policy's tables changes, it is one difference: no key is forgotten.
func TestCompareEveryKey(t *testing.T) {
	for _, table := range []string{"Verus", "Gate", "Report", "Scope", "Strength", "Cache"} {
		fields := reflect.TypeFor[Policy]()
		of, _ := fields.FieldByName(table)
		for i := range of.Type.NumField() {
			p := Default()
			p.Verus.SHA256 = map[string]string{}
			v := reflect.ValueOf(p).Elem().FieldByName(table).Field(i)
			switch x := v.Interface().(type) {
			case map[string]string:
				x["x86-win"] = "0"
			case []string:
				v.Set(reflect.ValueOf([]string{"x"}))
			case time.Duration, int:
				v.SetInt(v.Int() + 1)
			case uint64:
				v.SetUint(1)
			case float64:
				v.SetFloat(0.5)
			case bool:
				v.SetBool(!x)
			default:
				v.SetString("x")
			}
			if got := Compare(Default(), p, testRules()); len(got) != 1 {
				t.Errorf("%s.%s: %d differences:\n%s", table, of.Type.Field(i).Name, len(got), show(got))
			}
		}
	}
}

func TestMatchCost(t *testing.T) {
	p := policyOf(t, "[scope]\ninclude = [\"{a,b}/{c,d,e}\", \"x\"]\n[paths.\"{a,b}\".rules]\n\"trust/admit\" = \"off\"\n"+waiver+"2027-06-30\nfile = \"{a,b,c}\"\n")
	// 1, 4 commas at most for each of two groups, 1, 2, 3.
	if got, want := p.MatchCost(), 1+4*4+1+2+3; got != want {
		t.Errorf("cost %d, want %d", got, want)
	}
}

package policy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every example of the reference is a policy, and the reference has every key.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := append(testRules(), RuleInfo{"trust/axiom", Error}, RuleInfo{"strength/weak", Error}, RuleInfo{"edit/policy-changed", Warning})
	examples := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) < 8 {
		t.Fatalf("only %d examples", len(examples))
	}
	seen := map[string]bool{}
	for _, e := range examples {
		example := e[1]
		if !strings.HasPrefix(example, "version") {
			example = "version = 1\n" + example
		}
		if _, err := Parse("docs/policy.md", []byte(example), rules); err != nil {
			t.Errorf("example:\n%s\n%v", example, err)
		}
		for _, k := range locate(example).Keys {
			seen[k[len(k)-1]] = true
		}
	}

	// What sectionOf and the waivers know is what there is to describe.
	for key := range strings.FieldsSeq("release sha256 x86-linux manifest roots args timeout seeds read fail-on inconclusive min-suite sandbox comments annotations-per-function " +
		"include exclude executable-edits allow-executable-edits-label min max-drop inputs mutants seed write-head max-mib rule symbol file reason owner expires") {
		if !strings.Contains(string(text), "| `"+key+"` |") {
			t.Errorf("key %s has no row", key)
		}
		if !seen[key] {
			t.Errorf("key %s has no example", key)
		}
	}

	// The error that is shown is the one that there is.
	shown := regexp.MustCompile("(?s)```text\n(.*?)\n```").FindStringSubmatch(string(text))
	_, err = Parse(FileName, []byte("version = 1\n\n[gate]\nfail_on = \"error\"\nmin-suite = 0\n"), rules)
	if shown == nil || err == nil || err.Error() != shown[1] {
		t.Errorf("the reference does not show\n%v", err)
	}
}

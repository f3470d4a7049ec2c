package policy

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/source"
)

var update = flag.Bool("update", false, "write the golden files")

// testRules is a cut of the rule list; the real one belongs to a higher layer.
func testRules() []RuleInfo {
	return []RuleInfo{
		{"trust/assume", Error},
		{"trust/admit", Error},
		{"trust/external-body", Error},
		{"trust/uninterpreted", Notice},
		{"edit/exec-changed", Warning},
		{"edit/unsafe-added", Warning},
		{"contract/ensures-weakened", Error},
	}
}

// TestErrors compares all that Parse says about each file of testdata/errors.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".toml"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Parse(FileName, text, testRules())
			if err == nil {
				t.Fatalf("no error, but a policy: %+v", p)
			}
			goldentest.Compare(t, strings.TrimSuffix(f, ".toml")+".golden", err.Error()+"\n", *update)
		})
	}
}

var ignorePrivate = cmpopts.IgnoreUnexported(Policy{})

func TestInitIsDefault(t *testing.T) {
	p, err := Parse(FileName, Init(), testRules())
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Source, want.SHA256 = p.Source, p.SHA256
	if diff := cmp.Diff(want, p, ignorePrivate); diff != "" {
		t.Errorf("the policy of init is not the default (-default +init):\n%s", diff)
	}
	for _, key := range []string{"manifest", "args", "timeout", "seeds", "read"} {
		if !bytes.Contains(Init(), []byte("\n"+key+" = ")) {
			t.Errorf("init leaves out verus.%s", key)
		}
	}
	// The only thing that a written default changes is what is said to have decided.
	line := bytes.Count(Init()[:bytes.Index(Init(), []byte("\nexecutable-edits"))], []byte("\n")) + 2
	if got, want := p.Decide(RuleInfo{"edit/exec-changed", Error}, "a.rs", "f", Date{}, nil).By.String(), fmt.Sprintf(".specgate.toml:%d scope.executable-edits", line); got != want {
		t.Errorf("decided by %q, want %q", got, want)
	}
}

// The examples that Init comments out must be right once they are wanted.
func TestInitExamples(t *testing.T) {
	var out []string
	for line := range strings.Lines(string(Init())) {
		rest, commented := strings.CutPrefix(line, "# ")
		if commented && (strings.Contains(rest, " = ") || strings.HasPrefix(rest, "[")) && !strings.HasPrefix(line, "# roots") {
			line = rest
		}
		out = append(out, line)
	}
	p, err := Parse(FileName, []byte(strings.Join(out, "")), testRules())
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rules) != 2 || len(p.Paths) != 1 || len(p.Waivers) != 1 || p.Verus.Release == "" {
		t.Errorf("examples are missing: %+v", p)
	}
}

const whole = `version = 1

[verus]
release = "0.2026.08.15.7d4628a"
sha256 = { x86-linux = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", arm64-macos = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100" }
roots = ["src/lib.rs", "src/bin/x.rs"]
args = ["--rlimit", "20"]
timeout = "1h30m"
seeds = 0
[gate]
fail-on = "warning"
inconclusive = "ignore"
min-suite = 10000
sandbox = "require"
[report]
comments = "sticky"
annotations-per-function = 50

[scope]
include = ["src/**", "lib.rs"]
exclude = []
executable-edits = "deny"
allow-executable-edits-label = ""

[strength]
min = 1
max-drop = -0.0
inputs = 1
mutants = 0
seed = 9223372036854775807

[rules]
"trust/*" = "warning"
"trust/assume" = "off"

[waivers]
b.rule = "trust/*"
b.symbol = "ring::**"
b.reason = "r"
b.owner = "o"
b.expires = 2026-01-31

[paths]
"src/b/**".rules = { "trust/assume" = "error" }
'src/a\*'.rules."edit/*" = "notice"

[waivers.a]
rule = "edit/exec-changed"
symbol = "f"
reason = """
two
lines"""
owner = "o"
expires = 2026-02-01
file = "f/*.rs"

[cache]
write-head = true
max-mib = 1_048_576
`

func at(line, column, end int) source.Range {
	return source.Range{Start: source.Position{Line: line, Column: column}, End: source.Position{Line: line, Column: end}}
}

func TestParse(t *testing.T) {
	p, err := Parse(FileName, []byte(whole), testRules())
	if err != nil {
		t.Fatal(err)
	}
	want := &Policy{
		Source: FileName,
		Verus: Verus{
			Release: "0.2026.08.15.7d4628a",
			SHA256: map[string]string{
				"x86-linux":   "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
				"arm64-macos": "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100",
			},
			Roots:   []string{"src/lib.rs", "src/bin/x.rs"},
			Args:    []string{"--rlimit", "20"},
			Timeout: 90 * time.Minute,
		},
		Gate:     Gate{FailOnWarning, InconclusiveIgnore, 10000, SandboxRequire},
		Report:   Report{CommentsSticky, 50},
		Scope:    Scope{[]string{"src/**", "lib.rs"}, nil, ExecutableEditsDeny, ""},
		Strength: Strength{1, 0, 1, 0, 1<<63 - 1, nil, false},
		Cache:    Cache{true, 1 << 20},
		Rules: []RuleSetting{
			{"trust/*", Warning, at(33, 1, 10)},
			{"trust/assume", Off, at(34, 1, 15)},
		},
		Paths: []PathOverride{
			{"src/b/**", []RuleSetting{{"trust/assume", Error, at(44, 22, 36)}}, at(44, 1, 11)},
			{`src/a\*`, []RuleSetting{{"edit/*", Notice, at(45, 17, 25)}}, at(45, 1, 10)},
		},
		Waivers: []Waiver{
			{"b", "trust/*", "ring::**", "", "r", "o", Date{2026, 1, 31}, at(37, 1, 2), at(41, 13, 23)},
			{"a", "edit/exec-changed", "f", "f/*.rs", "two\nlines", "o", Date{2026, 2, 1}, at(47, 10, 11), at(54, 11, 21)},
		},
	}
	if len(p.SHA256) != 64 {
		t.Errorf("SHA256 is %q", p.SHA256)
	}
	want.SHA256 = p.SHA256
	if diff := cmp.Diff(want, p, ignorePrivate); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

func TestCases(t *testing.T) {
	p, err := Parse(FileName, []byte("version = 1\n[strength]\ncases = [\"spectests/*.json\", \"more/**/max.json\"]\ncount-domain = true\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Strength.CountDomain {
		t.Error("count-domain is not read")
	}
	for file, want := range map[string]bool{"spectests/a.json": true, "spectests/b/a.json": false, "more/a/b/max.json": true, "src/lib.rs": false} {
		if got := p.CaseFile(file); got != want {
			t.Errorf("CaseFile(%q) is %t", file, got)
		}
	}
	if Default().CaseFile("spectests/a.json") {
		t.Error("by default no file has cases")
	}
}

func TestSHA256(t *testing.T) {
	p, err := Parse(FileName, []byte("version = 1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	// printf 'version = 1\n' | sha256sum
	if want := "dbab12665d98aef021ba64953c61b0ed8a908cfb56a1c01e2fcb4b052b71a2a1"; p.SHA256 != want {
		t.Errorf("got %s, want %s", p.SHA256, want)
	}
}

func TestTooBig(t *testing.T) {
	_, err := Parse(FileName, []byte("version = 1\n#"+strings.Repeat("x", maxFile)), nil)
	want := ".specgate.toml:1:1: the policy file has 262157 bytes; the most is 262144\n  1 | version = 1\n    | ^"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// The time and the output that a hostile file takes are bounded.
func TestManyErrors(t *testing.T) {
	text := "version = 1\nscope.include = [" + strings.Repeat("1,", 100_000) + "]\n"
	_, err := Parse(FileName, []byte(text), nil)
	var ds Diagnostics
	if !errors.As(err, &ds) || len(ds) != 100 {
		t.Fatalf("got %d errors, %v", len(ds), err)
	}
	got := err.Error()
	if want := "\nthere may be more errors"; !strings.HasSuffix(got, want) || len(got) > 100*400 {
		t.Errorf("got %d bytes, ending in %q", len(got), got[len(got)-100:])
	}
	var d Diagnostic
	if !errors.As(err, &d) || d.Range != at(2, 18, 19) {
		t.Errorf("got %+v", d.Range)
	}
}

func TestCheck(t *testing.T) {
	p, err := Parse(FileName, []byte(whole), testRules())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		today Date
		want  string
	}{
		"both last": {Date{2026, 1, 31}, ""},
		"one": {Date{2026, 2, 1}, ".specgate.toml:41:13: waiver `b` ran out on 2026-01-31; remove it, or review it again and set a new date\n" +
			"  41 | b.expires = 2026-01-31\n" +
			"     |             ^^^^^^^^^^"},
		"both": {Date{2027, 1, 1}, ".specgate.toml:41:13: waiver `b` ran out on 2026-01-31; remove it, or review it again and set a new date\n" +
			"  41 | b.expires = 2026-01-31\n" +
			"     |             ^^^^^^^^^^\n" +
			".specgate.toml:54:11: waiver `a` ran out on 2026-02-01; remove it, or review it again and set a new date\n" +
			"  54 | expires = 2026-02-01\n" +
			"     |           ^^^^^^^^^^"},
	}
	for name, tt := range tests {
		got := ""
		if err := Check(p, tt.today); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
	if err := Check(Default(), Date{9999, 12, 31}); err != nil {
		t.Errorf("default: %v", err)
	}
}

func TestSeverityText(t *testing.T) {
	for s := Off; s <= Error; s++ {
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Severity
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%s came back as %v, %v", text, back, err)
		}
	}
	if _, err := Severity(0).MarshalText(); err == nil || err.Error() != "marshal severity 0: not a severity" {
		t.Errorf("got %v", err)
	}
	var s Severity
	if err := s.UnmarshalText([]byte("Error")); err == nil || err.Error() != `read severity "Error": want off, notice, warning or error` {
		t.Errorf("got %v", err)
	}
}

func TestFailOn(t *testing.T) {
	var got []string
	for _, f := range []FailOn{FailOnError, FailOnWarning, FailOnNotice, FailOnNever} {
		line := string(f) + ":"
		for s := Off; s <= Error; s++ {
			if f.Reached(s) {
				line += " " + s.String()
			}
		}
		got = append(got, line)
	}
	want := []string{"error: error", "warning: warning error", "notice: notice warning error", "never:"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDateOf(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	if got := DateOf(time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC).In(zone)); got != (Date{2027, 1, 1}) {
		t.Errorf("got %s", got)
	}
}

// TestBounded reads texts that could take long, or all of the stack: each ends soon, with what is wrong.
func TestBounded(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, maxFile/len(s)-8) }
	for name, c := range map[string]struct{ text, want string }{
		"arrays":                 {"x = " + many("["), "x.toml:1:21: nested more than 16 deep"},
		"a header":               {"[a" + many(".a") + "]", "x.toml:1:34: nested more than 16 deep"},
		"a dotted key":           {"a" + many(".a") + " = 1", "x.toml:1:33: nested more than 16 deep"},
		"keys in inline tables":  {"x = {a" + many(".a") + " = 1}", "x.toml:1:36: nested more than 16 deep"},
		"each swallows the rest": {many("a = [1,\n"), "x.toml:2:1: expected value but found \"a\" instead; this is in `a`, which starts on line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("x.toml", []byte(c.text), nil)
			var all Diagnostics
			if !errors.As(err, &all) {
				t.Fatal(err)
			}
			got := fmt.Sprintf("x.toml:%d:%d: %s", all[0].Range.Start.Line, all[0].Range.Start.Column, all[0].Message)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

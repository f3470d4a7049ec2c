package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const deciding = `version = 1
[scope]
include = ["src/**", "lib.rs"]
exclude = ["**/gen/**", "src/*.g.rs"]
executable-edits = "deny"
[rules]
"trust/*" = "warning"
"trust/assume" = "off"
"edit/type-changed" = "notice"
[paths."src/**".rules]
"trust/assume" = "error"
"edit/*" = "notice"
[paths."src/{a,b}/**".rules]
"trust/*" = "notice"
[paths."src/a/*.rs".rules]
"contract/ensures-weakened" = "off"
[waivers.family]
rule = "trust/*"
symbol = "ring::**"
reason = "r"
owner = "o"
expires = 2026-06-30
[waivers.one]
rule = "trust/assume"
symbol = "ring::ffi::map"
reason = "r"
owner = "o"
expires = 2026-07-31
[waivers.edit]
rule = "edit/*"
symbol = "f"
reason = "r"
owner = "o"
expires = 2026-07-31
`

func parsed(t *testing.T, text string) *Policy {
	t.Helper()
	rules := append(testRules(), RuleInfo{"edit/type-changed", Warning})
	p, err := Parse(FileName, []byte(text), rules)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (d Decision) text() string {
	s := d.Severity.String() + " by " + d.By.String()
	if d.Waived != nil {
		s += ", waived by " + d.Waived.ID
	}
	if d.Expired != nil {
		s += ", " + d.Expired.ID + " ran out"
	}
	return s
}

func TestDecide(t *testing.T) {
	july := Date{2026, 7, 1}
	tests := []struct {
		rule, file, symbol string
		today              Date
		want               string
	}{
		{"trust/assume", "x.rs", "f", july, `off by .specgate.toml:8 rules."trust/assume"`},
		{"trust/admit", "x.rs", "f", july, `warning by .specgate.toml:7 rules."trust/*"`},
		{"trust/assume", "src/x.rs", "f", july, `error by .specgate.toml:11 paths."src/**".rules."trust/assume"`},
		{"trust/admit", "src/x.rs", "f", july, `warning by .specgate.toml:7 rules."trust/*"`},
		// The last table goes before a more exact key of an earlier one.
		{"trust/assume", "src/a/x.rs", "f", july, `notice by .specgate.toml:14 paths."src/{a,b}/**".rules."trust/*"`},
		{"contract/ensures-weakened", "src/a/x.rs", "f", july, `off by .specgate.toml:16 paths."src/a/*.rs".rules."contract/ensures-weakened"`},
		{"contract/ensures-weakened", "src/a/b/x.rs", "f", july, `error by default`},
		{"contract/ensures-weakened", "other/src/a/x.rs", "f", july, `error by default`},
		{"edit/exec-changed", "x.rs", "g", july, `error by .specgate.toml:5 scope.executable-edits`},
		{"edit/type-changed", "x.rs", "g", july, `notice by .specgate.toml:9 rules."edit/type-changed"`},
		{"edit/exec-changed", "src/x.rs", "g", july, `notice by .specgate.toml:12 paths."src/**".rules."edit/*"`},
		{"edit/unsafe-added", "x.rs", "f", july, `warning by default, waived by edit`},
		// A waiver applies on its last day, and the one after does not.
		{"trust/admit", "x.rs", "ring::a", Date{2026, 6, 30}, `warning by .specgate.toml:7 rules."trust/*", waived by family`},
		{"trust/admit", "x.rs", "ring::a", july, `warning by .specgate.toml:7 rules."trust/*", family ran out`},
		{"trust/admit", "x.rs", "rings::a", july, `warning by .specgate.toml:7 rules."trust/*"`},
		{"trust/assume", "x.rs", "ring::ffi::map", july, `off by .specgate.toml:8 rules."trust/assume", waived by one`},
		{"trust/assume", "x.rs", "ring::ffi::map", Date{2026, 6, 1}, `off by .specgate.toml:8 rules."trust/assume", waived by family`},
		{"trust/assume", "x.rs", "ring::ffi::map", Date{2027, 1, 1}, `off by .specgate.toml:8 rules."trust/assume", family ran out`},
		{"edit/exec-changed", "x.rs", "ring::a", Date{2026, 6, 30}, `error by .specgate.toml:5 scope.executable-edits`},
	}
	p := parsed(t, deciding)
	severity := map[string]Severity{"edit/type-changed": Warning}
	for _, r := range testRules() {
		severity[r.ID] = r.Severity
	}
	for _, tt := range tests {
		got := p.Decide(RuleInfo{tt.rule, severity[tt.rule]}, tt.file, tt.symbol, tt.today, nil).text()
		if got != tt.want {
			t.Errorf("%s in %s, %s on %s\n got %s\nwant %s", tt.rule, tt.file, tt.symbol, tt.today, got, tt.want)
		}
	}
}

func TestExecutableEdits(t *testing.T) {
	var got []string
	for _, edits := range []string{"", `executable-edits = "allow"`, `executable-edits = "warn"`, `executable-edits = "deny"`} {
		p := parsed(t, "version = 1\n[scope]\n"+edits+"\n")
		for _, id := range []string{"edit/exec-changed", "edit/exec-added", "edit/exec-removed", "edit/signature-changed", "edit/type-changed", "edit/drop-or-atomics-changed"} {
			// Error is a default that none of them has, to see that it is not used.
			got = append(got, id+": "+p.Decide(RuleInfo{id, Error}, "a.rs", "f", Date{}, nil).text())
		}
	}
	var want []string
	for _, w := range []string{"warning by default", "notice by .specgate.toml:3 scope.executable-edits", "warning by .specgate.toml:3 scope.executable-edits", "error by .specgate.toml:3 scope.executable-edits"} {
		for _, id := range []string{"exec-changed", "exec-added", "exec-removed", "signature-changed", "type-changed"} {
			want = append(want, "edit/"+id+": "+w)
		}
		want = append(want, "edit/drop-or-atomics-changed: error by default")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithLabels(t *testing.T) {
	p := parsed(t, deciding)
	rule := RuleInfo{"edit/exec-changed", Warning}
	decide := func(p *Policy) string { return p.Decide(rule, "x.rs", "g", Date{}, nil).text() }
	got := []string{
		decide(p.WithLabels(nil)),
		decide(p.WithLabels([]string{"bug", "Implementation"})),
		decide(p.WithLabels([]string{"bug", "implementation"})),
		decide(p),
		decide(parsed(t, "version = 1\nscope.allow-executable-edits-label = ''\n").WithLabels([]string{""})),
		p.WithLabels([]string{"implementation"}).Decide(RuleInfo{"edit/type-changed", Warning}, "x.rs", "g", Date{}, nil).text(),
	}
	want := []string{
		"error by .specgate.toml:5 scope.executable-edits",
		"error by .specgate.toml:5 scope.executable-edits",
		`notice by label "implementation"`,
		"error by .specgate.toml:5 scope.executable-edits",
		"warning by default",
		`notice by .specgate.toml:9 rules."edit/type-changed"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecideEveryRule(t *testing.T) {
	var got []string
	p := parsed(t, deciding)
	for _, r := range testRules() {
		got = append(got, r.ID+": "+p.Decide(r, "src/b/x.rs", "ring::a", Date{2026, 7, 1}, nil).text())
	}
	want := []string{
		`trust/assume: notice by .specgate.toml:14 paths."src/{a,b}/**".rules."trust/*", family ran out`,
		`trust/admit: notice by .specgate.toml:14 paths."src/{a,b}/**".rules."trust/*", family ran out`,
		`trust/external-body: notice by .specgate.toml:14 paths."src/{a,b}/**".rules."trust/*", family ran out`,
		`trust/uninterpreted: notice by .specgate.toml:14 paths."src/{a,b}/**".rules."trust/*", family ran out`,
		`edit/exec-changed: notice by .specgate.toml:12 paths."src/**".rules."edit/*"`,
		`edit/unsafe-added: notice by .specgate.toml:12 paths."src/**".rules."edit/*"`,
		`contract/ensures-weakened: error by default`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInScope(t *testing.T) {
	files := []string{"src/lib.rs", "src/a/b.rs", "lib.rs", "build.rs", "src/gen/x.rs", "gen/x.rs", "src/x.g.rs", "src/a/x.g.rs", "tests/a.rs", "src/tests/a.rs", "crates/x/tests/a/b.rs"}
	in := func(p *Policy) (out []string) {
		for _, f := range files {
			if p.InScope(f) {
				out = append(out, f)
			}
		}
		return out
	}
	if diff := cmp.Diff([]string{"src/lib.rs", "src/a/b.rs", "lib.rs", "src/a/x.g.rs", "src/tests/a.rs"}, in(parsed(t, deciding))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"src/lib.rs", "src/a/b.rs", "lib.rs", "build.rs", "src/gen/x.rs", "gen/x.rs", "src/x.g.rs", "src/a/x.g.rs", "tests/a.rs", "src/tests/a.rs", "crates/x/tests/a/b.rs"}, in(Default())); diff != "" {
		t.Error(diff)
	}
}

func TestTracker(t *testing.T) {
	p := parsed(t, deciding)
	problems := func(tr *Tracker, ran ...string) string {
		var lines []string
		for _, w := range tr.Problems(ran, Date{2026, 7, 1}) {
			lines = append(lines, fmt.Sprintf("%t %s", w.Expired, w.Message))
		}
		return strings.Join(lines, "\n")
	}
	const expired = "true Waiver `family` ran out on 2026-06-30 and no longer applies: what it accepted is judged again."
	const one = "\nfalse Waiver `one` matches nothing: there is no trust/assume in ring::ffi::map. It would silently accept that when somebody adds it."
	const edit = "\nfalse Waiver `edit` matches nothing: there is no edit/* in f. It would silently accept that when somebody adds it."

	none := p.Track()
	some := p.Track()
	some.Saw("trust/assume", "a.rs", "ring::ffi::map")
	some.Saw("edit/exec-changed", "a.rs", "g")
	tests := []struct{ name, got, want string }{
		{"nothing ran", problems(none), expired},
		{"trust ran", problems(none, "trust/admit", "trust/assume"), expired + one},
		{"all ran", problems(none, "trust/assume", "edit/exec-changed"), expired + one + edit},
		{"one matched", problems(some, "trust/assume", "edit/exec-changed"), expired + edit},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, tt.got, tt.want)
		}
	}
}

// A waiver that names files is for findings in those. One that matches applies unless the caller says that it does not, and then the next is asked.
func TestWaiverFile(t *testing.T) {
	const text = `version = 1
[waivers.a]
rule = "trust/assume"
symbol = "ffi::map"
file = "crates/{a,b}/**"
reason = "r"
owner = "o"
expires = 2026-06-30
[waivers.any]
rule = "trust/assume"
symbol = "ffi::*"
reason = "r"
owner = "o"
expires = 2026-06-30
`
	p := parsed(t, text)
	rule := RuleInfo{"trust/assume", Error}
	named := func(w *Waiver) bool { return w.File != "" }
	today, late := Date{2026, 6, 30}, Date{2026, 7, 1}
	var got []string
	for _, d := range []Decision{
		p.Decide(rule, "crates/a/src/ffi.rs", "ffi::map", today, nil),
		p.Decide(rule, "crates/c/src/ffi.rs", "ffi::map", today, nil),
		p.Decide(rule, "crates/b/src/ffi.rs", "ffi::map", today, named),
		p.Decide(rule, "crates/c/src/ffi.rs", "ffi::map", today, named),
		p.Decide(rule, "crates/a/src/ffi.rs", "ffi::map", today, func(w *Waiver) bool { return !named(w) }),
		p.Decide(rule, "crates/a/src/ffi.rs", "ffi::map", late, named),
		p.Decide(rule, "crates/c/src/ffi.rs", "ffi::map", late, nil),
	} {
		got = append(got, d.text())
	}
	want := []string{"error by default, waived by a", "error by default, waived by any", "error by default, waived by a", "error by default", "error by default, waived by any", "error by default, a ran out", "error by default, any ran out"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	tracker := p.Track()
	tracker.Saw("trust/assume", "crates/c/src/ffi.rs", "ffi::map")
	got = nil
	for _, w := range tracker.Problems([]string{"trust/assume"}, today) {
		got = append(got, w.Message)
	}
	want = []string{"Waiver `a` matches nothing: there is no trust/assume in ffi::map in a file crates/{a,b}/**. It would silently accept that when somebody adds it."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatchSymbol(t *testing.T) {
	tests := []struct {
		pattern, symbol string
		want            bool
	}{
		{"a::b", "a::b", true},
		{"a::b", "a::b::c", false},
		{"a::b", "x::a::b", false},
		{"a::*", "a::b", true},
		{"a::*", "a", false},
		{"a::*", "a::b::c", false},
		{"a::**", "a", true},
		{"a::**", "a::b::c", true},
		{"a::**", "ab::c", false},
		{"**::new", "new", true},
		{"**::new", "a::b::new", true},
		{"a::**::z", "a::z", true},
		{"a::**::z", "a::b::c::z", true},
		{"a::**::z", "a::b::c", false},
		{"**::**::a", "a", true},
		{"ring::map_*", "ring::map_pages", true},
		{"ring::*map*", "ring::remap", true},
		{"ring::m*p*s", "ring::map_pages", true},
		{"ring::m*p*s", "ring::ms", false},
		{"aa*aa", "aaa", false},
		{"<User as Ident>::ident", "<User as Ident>::ident", true},
		{"<User as a::Ident>::ident", "<User as a::Ident>::ident", true},
		{"<User as *>::ident", "<User as a::Ident>::ident", true},
		{"<*>::ident", "<User as a::Ident>::ident", true},
		{"*::ident", "<User as a::Ident>::ident", true},
		{"<User as a::Ident>", "<User as b::Ident>", false},
		{"<fn(u8) -> a::B as T>::*", "<fn(u8) -> a::B as T>::f", true},
		{"<[T; N] as Eq>::eq", "<[T; N] as Eq>::eq", true},
		{"f?", "fo", false},
		{"[ab]", "a", false},
		{"", "", true},
	}
	for _, tt := range tests {
		if got := MatchSymbol(tt.pattern, tt.symbol); got != tt.want {
			t.Errorf("MatchSymbol(%q, %q) = %t", tt.pattern, tt.symbol, got)
		}
	}
}

package annotate_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	goldentest.Compare(t, filepath.Join("testdata", name), string(got), *update)
}

var headText = `verus! {
pub fn mean(lo: u64, hi: u64) -> (mid: u64)
    requires lo <= hi,
    ensures lo <= mid <= hi,
{
	assume(lo + hi <= u64::MAX); // tab before
    let größe = "日本語"; assume(größe@.len() == 3);
    (lo + hi) / 2
}
fn evil() { let s = "` + "\x1b[2J\u202e" + `"; }
` + "fn long() ensures " + longClause + " { }\n" + `fn many()
    requires
        a,
        b,
        c,
        d,
        e,
        f,
        g,
{ }
} // verus!
`

var longClause = strings.Repeat("x == x && ", 30) + "weak(x)" + strings.Repeat(" && y == y", 30)

func at(file *source.File, text string) source.Range {
	i := bytes.Index(file.Text, []byte(text))
	return file.Range(source.Span{Start: i, End: i + len(text)})
}

func report() (*checks.Report, func(annotate.Side, string) *source.File) {
	head := source.NewFile("src/lib.rs", []byte(headText))
	base := source.NewFile("src/old.rs", []byte("verus! {\nfn long() ensures strong(x) { }\n}\n"))
	nowhere := source.Range{Start: source.Position{Line: 1, Column: 1}, End: source.Position{Line: 1, Column: 1}}
	r := &checks.Report{
		Schema:   checks.Schema,
		Specgate: checks.Build{Version: "v1"},
		Base:     checks.Revision{Rev: "0123456789abcdef0123456789abcdef01234567"},
		Head:     checks.Revision{Rev: "working tree"},
		Policy:   checks.PolicyRef{Source: "default"},
		Outcome:  checks.OutcomeInconclusive,
		Counts:   checks.Counts{Selected: 1, Skipped: 1},
		Reasons:  []checks.Reason{{Stage: "read", Text: "src/\x1b[31mred.rs: it is a symbolic link, which is not followed"}},
		Functions: []checks.Function{
			{Symbol: "mean", File: "src/lib.rs", Span: at(head, "mean"), Change: "changed", Executable: "changed",
				Contract: checks.FunctionContract{Direction: "equal", By: "syntax"},
				Trust:    checks.TrustDelta{Added: []checks.TrustSite{{Kind: "assume"}, {Kind: "assume"}}}},
			{Symbol: "größe::日本", File: "src/lib.rs", Span: at(head, "long"), Change: "moved", Executable: "same",
				Contract: checks.FunctionContract{Direction: "incomparable", By: "syntax"}},
		},
		Findings: []checks.Finding{
			{Rule: "trust/assume", Severity: policy.Error, Symbol: "mean", File: "src/lib.rs", Span: at(head, "assume(lo + hi <= u64::MAX)"),
				Message: "the body assumes `lo + hi <= u64::MAX`, which nothing proves", Detail: "first line\nsecond \x07line\n"},
			{Rule: "trust/assume", Severity: policy.Error, Symbol: "mean", File: "src/lib.rs", Span: at(head, "assume(größe@.len() == 3)"),
				Message: "wide characters stand before the span"},
			{Rule: "edit/exec-changed", Severity: policy.Warning, Symbol: "evil", File: "src/lib.rs", Span: at(head, "\"\x1b[2J\u202e\""),
				Message: "a message with \x1b]0;title\x07 and \nsecond line"},
			{Rule: "contract/ensures-weakened", Severity: policy.Error, Symbol: "long", File: "src/lib.rs", Span: at(head, "weak(x)"),
				Base: &checks.Place{File: "src/old.rs", Span: at(base, "strong(x)")}, Message: "the result may be anything",
				Witness: &checks.Witness{Input: "x = 0", Result: "1", Wrong: "2"}},
			{Rule: "contract/ensures-removed", Severity: policy.Error, Symbol: "gone", File: "src/lib.rs", Span: nowhere,
				Base: &checks.Place{File: "src/old.rs", Span: at(base, "strong(x)")}, Message: "the contract is gone"},
			{Rule: "contract/requires-strengthened", Severity: policy.Warning, Symbol: "many", File: "src/lib.rs",
				Span: at(head, "requires\n        a,\n        b,\n        c,\n        d,\n        e,\n        f,\n        g,"), Message: "more is demanded"},
			{Rule: "trust/removed", Severity: policy.Notice, Symbol: "mean", File: "src/lib.rs", Span: at(head, "mean"), Message: "an assume is gone"},
			{Rule: "trust/axiom", Severity: policy.Error, Symbol: "ax", File: "src/lib.rs", Span: at(head, "evil"), Message: "an axiom", Waived: &checks.WaiverRef{ID: "w-1"}},
			{Rule: "trust/axiom", Severity: policy.Error, Symbol: "lost", File: "src/lost.rs", Span: at(head, "evil"), Message: "its file cannot be had"},
		},
	}
	return r, func(side annotate.Side, file string) *source.File {
		switch {
		case side == annotate.Base && file == base.Path:
			return base
		case side == annotate.Head && file == head.Path:
			return head
		}
		return nil
	}
}

func TestText(t *testing.T) {
	r, sources := report()
	remedy := func(rule string) string {
		if rule == "trust/assume" {
			return "Prove it, or review it and add a waiver."
		}
		return ""
	}
	for name, o := range map[string]annotate.TextOptions{
		"plain.txt":   {Source: sources, Remedy: remedy},
		"color.txt":   {Source: sources, Remedy: remedy, Color: true, Width: 60},
		"sources.txt": {},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := annotate.Text(&b, r, o); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
		})
	}
}

// TestTextOfOneCause shows findings of one cause as one when they are more than three, whatever stands between them; a case of its own, a
// waiver and another cause stay apart.
func TestTextOfOneCause(t *testing.T) {
	_, sources := report()
	head := sources(annotate.Head, "src/lib.rs")
	const message, detail = "This contract reads as before and means something else: ok, on which it rests, is true of more now.",
		"ok in base (src/ok.rs:3): x < 10\nok in head (src/ok.rs:3): x < 100"
	var r checks.Report
	add := func(f checks.Finding) {
		f.Rule, f.Severity = "contract/spec-definition-weakened", policy.Warning
		f.File, f.Span = "src/lib.rs", at(head, "mean")
		r.Findings = append(r.Findings, f)
	}
	add(checks.Finding{Symbol: "mean", Message: message, Detail: detail})
	add(checks.Finding{Symbol: "other", Message: message, Detail: detail + "0"})
	add(checks.Finding{Symbol: "stack::Stack::push", Message: message, Detail: detail})
	add(checks.Finding{Symbol: "case", Message: message, Detail: detail, Witness: &checks.Witness{Input: "x = 10"}})
	add(checks.Finding{Symbol: "waived", Message: message, Detail: detail, Waived: &checks.WaiverRef{ID: "w-1"}})
	add(checks.Finding{Symbol: "evil\x1b[31m", Message: message, Detail: detail})
	o := annotate.TextOptions{Source: sources, Remedy: func(string) string { return "Review the definition." }}
	for _, name := range []string{"three.txt", "four.txt"} {
		var b bytes.Buffer
		if err := annotate.Text(&b, &r, o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
		add(checks.Finding{Symbol: "last", Message: message, Detail: detail})
	}
}

// Whatever a repository holds, a terminal gets only characters that are what they look like.
func TestTextIsSafe(t *testing.T) {
	r, sources := report()
	var b bytes.Buffer
	if err := annotate.Text(&b, r, annotate.TextOptions{Source: sources}); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.String() {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
			t.Errorf("byte %d of the output is %U", i, c)
		}
	}
}

func TestTextOfWitness(t *testing.T) {
	for _, c := range []struct {
		witness checks.Witness
		want    string
	}{
		{checks.Witness{Input: "x = 0", Result: "1", Wrong: "2"}, "  for example: x = 0 gives 1, and 2 is accepted too\n"},
		{checks.Witness{Input: "x = 0"}, "  for example: x = 0\n"},
		{checks.Witness{Wrong: "r = 2"}, "  for example: r = 2 is accepted too\n"},
		{checks.Witness{Result: "1", Wrong: "2"}, "  for example: gives 1, and 2 is accepted too\n"},
	} {
		var b bytes.Buffer
		r := &checks.Report{Findings: []checks.Finding{{Rule: "contract/ensures-weakened", Severity: policy.Error, Symbol: "new", File: "a.rs", Witness: &c.witness}}}
		if err := annotate.Text(&b, r, annotate.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%+v: no line %q in:\n%s", c.witness, c.want, b.String())
		}
	}
}

func FuzzTextIsSafe(f *testing.F) {
	f.Add("a\x1b[31m", "line\ttext \u202e", 1, 5)
	f.Add("", "", 0, 0)
	f.Add("\xff\xfe", "日本語 \xf0\x9f", 3, 900)
	f.Fuzz(func(t *testing.T, name, line string, start, end int) {
		src := source.NewFile(name, []byte(line))
		span := src.Range(source.Span{Start: start, End: end})
		r := &checks.Report{Outcome: checks.OutcomePass, Findings: []checks.Finding{{Rule: name, Severity: policy.Error, Symbol: name, File: name,
			Span: span, Message: line, Detail: line, Base: &checks.Place{File: name, Span: span}}}}
		var b bytes.Buffer
		if err := annotate.Text(&b, r, annotate.TextOptions{Source: func(annotate.Side, string) *source.File { return src }, Width: 40}); err != nil {
			t.Fatal(err)
		}
		for _, c := range b.String() {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
				t.Errorf("the output has %U", c)
			}
		}
	})
}

func TestLedger(t *testing.T) {
	l := &checks.Ledger{Schema: 1, Files: 2, Lines: 30, Functions: 1,
		Sites: []checks.LedgerSite{
			{Kind: "assume", Symbol: "mean", File: "src/a.rs", Span: source.Range{Start: source.Position{Line: 3, Column: 5}}, Text: "assume(lo + hi <= u64::MAX)"},
			{Kind: "external-body", Symbol: "ffi\x1b::map", File: "src/a.rs", Span: source.Range{Start: source.Position{Line: 12, Column: 1}}, Text: "#[verifier::external_body]\n", Uncertain: true},
			{Kind: "assume", Symbol: "other", File: "src/b.rs", Span: source.Range{Start: source.Position{Line: 7, Column: 15}}, Text: strings.Repeat("assume(x) ", 20)},
		},
		Unparsed: []checks.Unparsed{{File: "src/c.rs", Span: source.Range{Start: source.Position{Line: 1, Column: 1}}, Text: "expected an item"}}}
	var b bytes.Buffer
	if err := annotate.Ledger(&b, l, annotate.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "ledger.txt", b.Bytes())
}

// A finding at every word of a line of a megabyte must cost what is shown of it, not the line.
func TestLongLine(t *testing.T) {
	const n = 2000
	word := "assume(\u202efalse); "
	src := source.NewFile("a.rs", []byte(strings.Repeat(word, n)))
	r := &checks.Report{Outcome: checks.OutcomeFindings}
	for i := range n {
		span := source.Range{Start: source.Position{Line: 1, Column: i*len(word) + 1}, End: source.Position{Line: 1, Column: i*len(word) + 7}}
		r.Findings = append(r.Findings, checks.Finding{Rule: "trust/assume", Severity: policy.Error, Symbol: "f", File: "a.rs", Span: span,
			Base: &checks.Place{File: "a.rs", Span: span}, Message: "m"})
	}
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() {
		done <- annotate.Text(&out, r, annotate.TextOptions{Source: func(annotate.Side, string) *source.File { return src }})
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("more than a minute: the cost is that of the whole line for each finding")
	}
	middle := strings.Split(out.String(), "\n\n")[n/2]
	want := "error[trust/assume] f: m\n" +
		"  --> a.rs:1:18001\n" +
		"  1 | …\\u{202e}false); assume(\\u{202e}false); assume(\\u{202e}false); assume(\\u{202e}false); assume(\\u{202e}false); assume(\\u{…\n"
	if !strings.HasPrefix(middle, want) {
		t.Errorf("got\n%s\nwant\n%s", middle, want)
	}
}

// TestTextOfCached says in one line which answers are kept ones.
func TestTextOfCached(t *testing.T) {
	for cached, want := range map[checks.Cached]string{
		{}:                       "",
		{Base: true}:             "What the verifier said of base is from the cache.\n",
		{Head: true}:             "What the verifier said of head is from the cache.\n",
		{Base: true, Head: true}: "What the verifier said of base and head is from the cache.\n",
	} {
		r := &checks.Report{Outcome: checks.OutcomePass, Base: checks.Revision{Rev: "a"}, Head: checks.Revision{Rev: "b"}, Tools: checks.Tools{Verus: &checks.VerusTool{Cached: cached}}}
		var got bytes.Buffer
		if err := annotate.Text(&got, r, annotate.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		text := got.String()
		if i := strings.Index(text, "0 errors"); i < 0 || text[:i] != want {
			t.Errorf("%+v: %q, want %q before the counts", cached, text, want)
		}
	}
}

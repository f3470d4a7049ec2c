package annotate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	stdhtml "html"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// example is the report of the bundled example, and its sources.
func example(t *testing.T) (*checks.Report, annotate.Options) {
	t.Helper()
	return readReport(t), annotate.Options{Rules: registry.Rules(), FailOn: "error", Source: exampleSource(t)}
}

func pageOf(t *testing.T, r *checks.Report, o annotate.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := annotate.HTML(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHTML(t *testing.T) {
	r, o := example(t)
	golden(t, "html/example.html", pageOf(t, r, o))
}

// nasty is text that means something to a browser in every context there is, reorders, hides and is not even text.
const nasty = "</script></style></title><script>window.owned=1</script><img src=x onerror=window.owned=1><x-owned>\"' onmouseover='window.owned=1' javascript:window.owned=1 " +
	"{{.}} &lt;b&gt; `<b>` \u202egnp.exe\u202c \u2066\u200b\ufeff\u00ad\u034f\ufe0f\U000e0041 \x00 \x1b[2J \xff\xfe \u2028\r\n]]>--><!--"

// hostile is a report that someone else wrote, with nasty text wherever there is text, and with every state that a page shows.
func hostile() (*checks.Report, annotate.Options) {
	one, half, odd := 1.0, 0.5, -7.25
	file := "src/" + nasty + ".rs"
	span := source.Range{Start: source.Position{Line: 2, Column: 4}, End: source.Position{Line: 4, Column: 9}}
	beyond := source.Range{Start: source.Position{Line: 900, Column: -3}, End: source.Position{Line: 2, Column: 5000}}
	suite := &checks.SuiteResult{Rejected: 3, Escaped: 3, Undecided: 4, Total: 10, Value: &half, Low: 0.3, High: 0.7, Label: nasty, Inputs: 5,
		Mutants: checks.Mutants{Generated: 9, Differing: 4, Killed: 2, Survived: 1, Undecided: 1},
		Clauses: []checks.ClauseUse{{Kind: nasty, Text: nasty, File: file, Span: span, Rejects: 3, Only: 1}}}
	yes := true
	sites := []checks.TrustSite{{Kind: nasty, Text: nasty, File: file, Span: span}}
	full := checks.Function{Symbol: nasty, File: file, Span: span, Change: nasty, Executable: nasty,
		Contract: checks.FunctionContract{Direction: nasty, By: nasty, Unique: &yes, Undecided: []checks.OpenQuestion{{Question: nasty, Why: nasty}},
			Clauses: []checks.Clause{{Kind: nasty, Text: nasty, Change: "added"}, {Kind: "ensures", Text: nasty, Change: "removed"}, {Kind: "ensures", Text: "x", Change: nasty}}},
		Trust:    checks.TrustDelta{Added: sites, Removed: sites},
		Proof:    checks.FunctionProof{Base: nasty, Head: "failed", Errors: []checks.ProofError{{Category: nasty, Message: nasty, File: file, Span: span}}, Seeds: &checks.SeedRuns{Tried: 2, Proved: 1}},
		Strength: checks.FunctionStrength{Base: suite, Head: suite, Delta: &odd, Comparable: true}, Score: checks.FunctionScore{Base: &one, Head: &odd, Delta: &odd}}
	r := &checks.Report{Schema: checks.Schema, Specgate: checks.Build{Version: nasty}, Base: checks.Revision{Rev: nasty}, Head: checks.Revision{Rev: "--output=x;`id`"},
		Policy: checks.PolicyRef{Source: nasty, SHA256: nasty},
		Tools: checks.Tools{Verus: &checks.VerusTool{Version: nasty, Toolchain: nasty, Solver: nasty, Cached: checks.Cached{Head: true}}, Rustc: &checks.Tool{Version: nasty},
			Sandbox: &checks.Sandbox{Statement: nasty, Protections: []checks.Protection{{Name: nasty, Detail: nasty}, {Name: "network", On: true, Detail: "no network"}}}},
		Seed: 7, Outcome: checks.OutcomeInconclusive, Reasons: []checks.Reason{{Stage: nasty, Text: nasty}},
		Counts: checks.Counts{Selected: 6, Proved: 1, Failed: 1, TimedOut: 1, InternalError: 1, Unsupported: 1, Skipped: 1}, Score: checks.Score{Base: &one, Head: &half, Delta: &odd}}
	r.Simulation = hostileSimulation(nasty, 1)
	r.Simulation.After = &checks.Judgement{Outcome: checks.OutcomePass, Passes: true}
	r.Functions = append(r.Functions, full)
	for i, direction := range []string{"equal", "stronger", "weaker", "incomparable", "unknown", "none"} {
		states := []string{"proved", "failed", "timed-out", "internal-error", "unsupported", "skipped", "not-run"}
		f := checks.Function{Symbol: "state::" + direction, File: "src/lib.rs", Span: span, Change: "same", Executable: "same",
			Contract: checks.FunctionContract{Direction: direction, By: "proof"}, Proof: checks.FunctionProof{Base: states[i], Head: states[i+1]}}
		r.Functions = append(r.Functions, f)
	}
	r.Findings = []checks.Finding{
		{Rule: nasty, Severity: policy.Error, Symbol: nasty, File: file, Span: span, Base: &checks.Place{File: file, Span: span}, Message: nasty,
			Detail: nasty + "\n- removed " + nasty + "\n+ added " + nasty, Witness: &checks.Witness{Input: nasty, Result: nasty, Wrong: nasty}, Fingerprint: nasty},
		{Rule: "trust/assume", Severity: policy.Warning, Symbol: nasty, File: file, Span: beyond, Base: &checks.Place{File: file, Span: beyond}, Message: strings.Repeat("<b>long & ", 100_000),
			Detail: strings.Repeat("&\n", 100_000), Witness: &checks.Witness{}, Waived: &checks.WaiverRef{ID: nasty}},
		{Rule: "edit/exec-changed", Severity: policy.Notice, Symbol: "elsewhere", File: "src/other.rs", Span: span, Message: "unpaired ` backtick"},
		{Rule: "edit/exec-changed", Severity: policy.Severity(200), Symbol: "src/other.rs", File: "src/other.rs", Message: ""},
	}
	text := []byte("// first\nfn " + strings.Repeat("x", 3000) + nasty + "\n" + nasty + "\n\tlast " + strings.Repeat("\u202e", 5000) + "\n}\n")
	src := source.NewFile(file, text)
	rules := []*checks.Rule{{ID: nasty, Remedy: nasty}, {ID: "trust/assume", Remedy: "Prove it."}}
	return r, annotate.Options{Rules: rules, FailOn: "warning", Source: func(side annotate.Side, file string) *source.File { return src }}
}

func TestHTMLHostile(t *testing.T) {
	r, o := hostile()
	page := pageOf(t, r, o)
	golden(t, "html/hostile.html", stripped(page))
	if !utf8.Valid(page) {
		t.Error("the page is not UTF-8")
	}
	for _, r := range string(page) {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || r != '\n' && unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) {
			t.Errorf("the page has the character %U as it is", r)
			break
		}
	}
	for _, bad := range []string{"<img", "<x-owned", "<b>long", "window.owned=1</script>", "<!--"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page has %s unescaped", bad)
		}
	}
	if n := bytes.Count(page, []byte("<script>")); n != 1 {
		t.Errorf("the page has %d scripts", n)
	}
}

// TestHTMLPolicy compares the Content-Security-Policy with what the page has: it allows the one style sheet and the one script by their hash.
func TestHTMLPolicy(t *testing.T) {
	r, o := example(t)
	page := string(pageOf(t, r, o))
	between := func(from, to string) string {
		_, rest, ok := strings.Cut(page, from)
		text, _, end := strings.Cut(rest, to)
		if !ok || !end {
			t.Fatalf("the page has no %s...%s", from, to)
		}
		return text
	}
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	want := "default-src 'none'; style-src 'sha256-" + hash(between("<style>", "</style>")) + "'; script-src 'sha256-" + hash(between("<script>", "</script>")) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	got := stdhtml.UnescapeString(between(`<meta http-equiv="Content-Security-Policy" content="`, `"`))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, outside := range []string{"http://", "https://", "//cdn", "@import", "url("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}

// TestHTMLSize gives a page more than it can hold: it stays small, says what it leaves out, and shows the most important.
func TestHTMLSize(t *testing.T) {
	_, o := hostile()
	for name, text := range map[string]string{"short": "short", "long": strings.Repeat("\x00", 1<<20)} {
		t.Run(name, func(t *testing.T) {
			r := &checks.Report{Outcome: checks.OutcomeFindings, Base: checks.Revision{Rev: text}, Head: checks.Revision{Rev: text}}
			span := source.Range{Start: source.Position{Line: 1, Column: 1}, End: source.Position{Line: 5, Column: 1}}
			for i := range 6000 {
				symbol := fmt.Sprint("f", i)
				r.Functions = append(r.Functions, checks.Function{Symbol: symbol, File: "src/lib.rs", Span: span, Change: text, Executable: text,
					Contract: checks.FunctionContract{Direction: text, By: text, Clauses: []checks.Clause{{Kind: text, Text: text, Change: text}}}})
				r.Reasons = append(r.Reasons, checks.Reason{Stage: text, Text: text})
				severity := policy.Notice
				if i == 5999 {
					severity = policy.Error
				}
				if i%2 == 1 {
					r.Findings = append(r.Findings, checks.Finding{Rule: text, Severity: severity, Symbol: symbol, File: "src/lib.rs", Span: span, Message: text, Detail: text,
						Fingerprint: symbol, Base: &checks.Place{File: text, Span: span}, Witness: &checks.Witness{Input: text, Result: text, Wrong: text}})
				}
			}
			page := pageOf(t, r, o)
			if len(page) > 20_000_000 {
				t.Errorf("the page has %d bytes", len(page))
			}
			if !bytes.Contains(page, []byte("Fingerprint <code>f5999</code>")) {
				t.Error("the page has everything but the error")
			}
			shown := bytes.Count(page, []byte(`<details class="finding`))
			if want := fmt.Sprintf("<b>%d more findings</b> not on this page: 0 errors, 0 warnings, %d notices.", 3000-shown, 3000-shown); !bytes.Contains(page, []byte(want)) {
				t.Errorf("the page shows %d findings and does not say %q", shown, want)
			}
			rows := bytes.Count(page, []byte(`<th scope="row" role="rowheader">`))
			if want := fmt.Sprintf("%d more functions are in the JSON report.", 6000-rows); !bytes.Contains(page, []byte(want)) {
				t.Errorf("the page shows %d functions and does not say %q", rows, want)
			}
			t.Logf("%d bytes, %d findings, %d rows", len(page), shown, rows)
		})
	}
}

func TestHTMLDeterministic(t *testing.T) {
	for range 3 {
		r, o := hostile()
		again, _ := hostile()
		if !bytes.Equal(pageOf(t, r, o), pageOf(t, again, o)) {
			t.Fatal("equal reports give different pages")
		}
	}
}

// TestHTMLEmpty is a report of nothing.
func TestHTMLEmpty(t *testing.T) {
	golden(t, "html/empty.html", stripped(pageOf(t, &checks.Report{}, annotate.Options{})))
}

// TestHTMLContrast computes the contrast of the colours of the style sheet as WCAG 2.1 says (1.4.3, 1.4.11): 4.5 for text, 3 for the parts of bars.
func TestHTMLContrast(t *testing.T) {
	css, err := os.ReadFile("html/style.css")
	if err != nil {
		t.Fatal(err)
	}
	roots := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(css, 2)
	variable := regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)
	if len(roots) != 2 {
		t.Fatalf("the style sheet has %d sets of colours, not a light and a dark one", len(roots))
	}
	var names [2][]string
	for i, scheme := range []string{"light", "dark"} {
		colors := map[string]float64{}
		for _, m := range variable.FindAllSubmatch(roots[i][1], -1) {
			n, err := strconv.ParseUint(string(m[2]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			colors[string(m[1])] = luminance(uint32(n))
			names[i] = append(names[i], string(m[1]))
		}
		for _, pair := range []struct {
			text, on string
			least    float64
		}{
			{"ink", "page", 4.5}, {"ink", "panel", 4.5}, {"ink", "error-soft", 4.5}, {"ink", "warning-soft", 4.5}, {"ink", "notice-soft", 4.5},
			{"ink", "added", 4.5}, {"ink", "removed", 4.5}, {"quiet", "page", 4.5}, {"quiet", "panel", 4.5}, {"quiet", "added", 4.5}, {"quiet", "removed", 4.5},
			{"quiet", "error-soft", 4.5}, {"quiet", "warning-soft", 4.5}, {"quiet", "notice-soft", 4.5}, {"link", "page", 4.5},
			{"error", "page", 4.5}, {"error", "panel", 4.5}, {"error", "error-soft", 4.5}, {"warning", "page", 4.5}, {"warning", "warning-soft", 4.5},
			{"notice", "page", 4.5}, {"notice", "notice-soft", 4.5}, {"ok", "page", 4.5}, {"marked-ink", "marked", 4.5},
			{"value", "track", 3}, {"base", "track", 3}, {"value", "page", 3}, {"value", "panel", 3},
		} {
			a, ok := colors[pair.text]
			b, ok2 := colors[pair.on]
			if !ok || !ok2 {
				t.Errorf("%s: no colour %s or %s", scheme, pair.text, pair.on)
				continue
			}
			if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < pair.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, less than %.1f", scheme, pair.text, pair.on, got, pair.least)
			}
		}
	}
	if diff := cmp.Diff(names[0], names[1]); diff != "" {
		t.Errorf("light and dark have different colours (-light +dark):\n%s", diff)
	}
}

// luminance of a colour of sRGB. Source: WCAG 2.1, "relative luminance".
func luminance(rgb uint32) float64 {
	part := func(shift int) float64 {
		v := float64(rgb>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// TestHTMLExcerpts shows functions side by side: long ones, of which only what differs, what is marked and what is near is left; one that
// differs only where the other side has more lines; one that is in another file and the same; spans of many lines; lines that are very long.
func TestHTMLExcerpts(t *testing.T) {
	var body, edited strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, "    let x%d = %d;\n", i, i)
		if i != 40 { // gone
			fmt.Fprintf(&edited, "    let x%d = %d;\n", i, i)
		}
		if i == 20 {
			edited.WriteString("    let y = 1;\n")
		}
	}
	const same = "proof fn same()\n    ensures true,\n{\n}\n"
	base := map[string]*source.File{"src/lib.rs": source.NewFile("src/lib.rs", []byte("fn other() {}\nstruct S {\n}\n\npub fn long(x: u64) -> u64 {\n"+body.String()+"    x\n}\n\n"+same))}
	head := map[string]*source.File{
		"src/lib.rs": source.NewFile("src/lib.rs", []byte("pub fn long(x: u64) -> u64 {\n"+edited.String()+"    x\n}\n\nfn long_other() {}\n\nimpl S {\n    fn m(&self)\n    {\n    }\n}\n"+
			"fn wide() { "+strings.Repeat("é", 500)+"here"+strings.Repeat("日", 500)+" }\n")),
		"src/moved.rs": source.NewFile("src/moved.rs", []byte("// moved\n"+same)),
	}
	place := func(files map[string]*source.File, file, from, to string) source.Range {
		text := string(files[file].Text)
		start := strings.Index(text, from)
		end := strings.Index(text[start:], to) + len(to)
		return files[file].Range(source.Span{Start: start, End: start + end})
	}
	r := &checks.Report{Outcome: checks.OutcomeFindings, Base: checks.Revision{Rev: "main"}, Head: checks.Revision{Rev: "index"}, Seed: 3, Findings: []checks.Finding{
		{Rule: "edit/exec-changed", Severity: policy.Error, Symbol: "long", File: "src/lib.rs", Span: place(head, "src/lib.rs", "long", "long"),
			Base: &checks.Place{File: "src/lib.rs", Span: place(base, "src/lib.rs", "long", "long")}, Message: "long functions"},
		{Rule: "strength/mutant-survives", Severity: policy.Error, Symbol: "long", File: "src/lib.rs", Span: place(head, "src/lib.rs", "let x50", ";"), Message: "in a long function; base unknown",
			Detail: "Line 52:\n-    let x50 = 50;\n+    let x50 = 51;\n`long(0)` is 0, and 1 with the edit"},
		{Rule: "trust/assume", Severity: policy.Error, Symbol: "long", File: "src/lib.rs", Span: place(head, "src/lib.rs", "let x10", "let x45 = 45;"), Message: "a tall span"},
		{Rule: "trust/assume", Severity: policy.Error, Symbol: "S::m", File: "src/lib.rs", Span: place(head, "src/lib.rs", "m(&self)", "m(&self)"), Message: "a method"},
		{Rule: "trust/assume", Severity: policy.Error, Symbol: "S", File: "src/lib.rs", Span: place(head, "src/lib.rs", "S {", "S {"), Message: "no function"},
		{Rule: "trust/assume", Severity: policy.Error, Symbol: "wide", File: "src/lib.rs", Span: place(head, "src/lib.rs", "here", "here"), Message: "a long line"},
		{Rule: "edit/moved", Severity: policy.Error, Symbol: "same", File: "src/moved.rs", Span: place(head, "src/moved.rs", "same", "same"),
			Base: &checks.Place{File: "src/lib.rs", Span: place(base, "src/lib.rs", "same", "same")}, Message: "moved"},
		{Rule: "contract/ensures-removed", Severity: policy.Error, Symbol: "gone", File: "src/gone.rs", Span: source.Range{Start: source.Position{Line: 1, Column: 1}, End: source.Position{Line: 1, Column: 1}}, Base: &checks.Place{File: "src/lib.rs", Span: place(base, "src/lib.rs", "other", "other")},
			Message: "only base has it"},
		{Rule: "contract/unknown-file", Severity: policy.Error, Symbol: "lost", File: "src/lost.rs", Span: place(base, "src/lib.rs", "other", "other"), Message: "a file that cannot be had"},
	}}
	o := annotate.Options{Source: func(side annotate.Side, file string) *source.File {
		if side == annotate.Base {
			return base[file]
		}
		return head[file]
	}}
	golden(t, "html/excerpts.html", stripped(pageOf(t, r, o)))
}

// stripped is a page without its style sheet, script and policy, which one golden file has.
func stripped(page []byte) []byte {
	return regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script>).*(</script>)|(Policy" content=").*?(">)`).ReplaceAll(page, []byte("$1$2$3$4$5$6"))
}

func BenchmarkHTML(b *testing.B) {
	r, o := hostile()
	for i := range 1000 {
		f := r.Findings[2]
		f.Symbol = fmt.Sprint("f", i)
		r.Findings = append(r.Findings, f)
	}
	for b.Loop() {
		if err := annotate.HTML(io.Discard, r, o); err != nil {
			b.Fatal(err)
		}
	}
}

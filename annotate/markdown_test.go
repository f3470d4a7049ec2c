package annotate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// github reads Markdown as GitHub does, raw HTML included, which specgate's own output has.
var github = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))

// elements that specgate writes. There is no link, no image, and nothing that runs or embeds.
var elements = []string{"html", "head", "body", "h2", "h3", "h4", "p", "br", "strong", "code", "pre", "ul", "li", "span", "details", "summary",
	"table", "thead", "tbody", "tr", "th", "td"}

// meaning is what GitHub finds in text after Markdown is read: mentions, references, emoji, formulas.
var meaning = regexp.MustCompile(`@[A-Za-z0-9]|#[0-9]|(?i:gh-[0-9])|:[A-Za-z0-9_+-]+:|\$.*\$`)

// checkMarkdown reads Markdown as GitHub does and looks for anything but text, lists and tables.
func checkMarkdown(t testing.TB, what, text string, limit int) {
	t.Helper()
	plain(t, what, text, limit, true)
	var page bytes.Buffer
	if err := github.Convert([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node, inCode bool)
	walk = func(n *html.Node, inCode bool) {
		switch n.Type {
		case html.ElementNode:
			if !slices.Contains(elements, n.Data) {
				t.Errorf("%s has <%s>", what, n.Data)
			}
			for _, a := range n.Attr {
				if n.Data != "code" || a.Key != "class" || a.Val != "language-text" {
					t.Errorf("%s has <%s %s=%q>", what, n.Data, a.Key, a.Val)
				}
			}
			inCode = inCode || n.Data == "code" || n.Data == "pre"
			cells := 0
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.Type == html.ElementNode {
					cells++
				}
			}
			if n.Data == "tr" && cells != 7 {
				t.Errorf("%s has a row of %d cells", what, cells)
			}
		case html.TextNode:
			if found := meaning.FindString(n.Data); found != "" && !inCode {
				t.Errorf("%s has %q in %.200q", what, found, n.Data)
			}
		case html.CommentNode:
			if data := strings.TrimSpace(n.Data); data != "" && data != "specgate report" {
				t.Errorf("%s has the comment %.100q", what, n.Data)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inCode)
		}
	}
	walk(root, false)
}

// checkSARIF validates against the schema of SARIF 2.1.0, which is slow, if that is wanted, and GitHub's limits.
func checkSARIF(t testing.TB, r *checks.Report, o annotate.Options, schema bool) {
	t.Helper()
	var b bytes.Buffer
	if err := annotate.SARIF(&b, r, o); err != nil {
		t.Fatal(err)
	}
	plain(t, "SARIF", b.String(), 10*1000*1000, true)
	// Keys that the format does not have would be lost in reading.
	var strict sarif.Report
	dec := json.NewDecoder(bytes.NewReader(b.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&strict); err != nil {
		t.Fatal(err)
	}
	log, err := sarif.FromBytes(b.Bytes(), sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	if schema {
		if err := log.Validate(); err != nil {
			t.Errorf("%.2000s", err)
		}
	}
	ids := map[string]bool{}
	for _, result := range log.Runs[0].Results {
		if text := *result.Message.Text; strings.Contains(text, "](") || regexp.MustCompile(`\{[0-9]`).MatchString(text) {
			t.Errorf("a link or an argument in %.200q", text)
		}
		id := result.PartialFingerprints["specgate/v1"]
		if id == "" || ids[id] {
			t.Errorf("fingerprint %q is empty or not the only one", id)
		}
		ids[id] = true
		for _, l := range result.Locations {
			if p := l.PhysicalLocation; p != nil && strings.HasPrefix(*p.ArtifactLocation.URI, "/") {
				t.Errorf("location %q", *p.ArtifactLocation.URI)
			}
		}
	}
	// Either all results say how they are suppressed, or none.
	if got, want := bytes.Count(b.Bytes(), []byte(`"suppressions":[`)), len(log.Runs[0].Results); got != want {
		t.Errorf("%d of %d results have suppressions", got, want)
	}
}

// hostileTexts are what names, messages and paths of a change may hold.
var hostileTexts = []string{
	"",
	"two\nlines\r\nand\rmore",
	"::error::gotcha",
	"x\n::error file=a.rs::gotcha\n::set-output name=a::b\n##[error]old\n  ::add-mask::a",
	"%0A::warning::gotcha %25 %0D%0A",
	"a,line=9,title=b::c",
	"<script>alert(1)</script><img src=x onerror=alert(1)> &lt;b&gt; </code></details></table> <!-- specgate report -->",
	"--> <!-- ",
	"a | b \\| c \\\\| d |\n|---|\n| e",
	"`code` ``two`` ```three``` ````",
	"`", "``", "a`b|c`d`", "`<b>`", "`@octocat`",
	"```\nout of the fence\n~~~\n## heading",
	"[link](https://evil.example) ![image](https://evil.example/x.png) <https://evil.example> [ref]: https://evil.example",
	"https://evil.example www.evil.example WWW.evil.example mail@evil.example ftp://evil.example xmpp:a@evil.example",
	"@octocat @org/team a@b #1 owner/repo#2 GH-3 gh-4 :tada: mod::key::x $x$ $$y$$ \\@octocat \\#5",
	"*bold* _em_ ~~gone~~ **x** __y__ a_b_c 1. one\n- two\n# three\n> four\n    five\n***\n===",
	"right \u202e to left \u2066 isolate \u200b zero \u200d joiner \ufeff \u2028 line \u00ad soft",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00 \x7f \u0085",
	"\xff\xfe\xc3( \xed\xa0\x80 \xf0\x9f",
	"日本語 größe ❤️ e\u0301",
	"{0} {{1}} [a](0) [b](2)",
	"../../etc/passwd", "/etc/passwd", "a/../../b", "a\\b", "C:\\x", "./a", "a//b", ".",
	strings.Repeat("$", 70000),
	strings.Repeat("`", 70000),
	strings.Repeat("@a ", 30000),
	strings.Repeat("\u202e", 30000),
	strings.Repeat("é", 40000),
	strings.Repeat("%", 70000),
	strings.Repeat("\r\n", 70000) + "end",
}

// hostileReport has the text wherever a report has one.
func hostileReport(text string) *checks.Report {
	value, delta := 0.5, -0.25
	at := source.Range{Start: source.Position{Line: 3, Column: 4}, End: source.Position{Line: 3, Column: 9}}
	function := checks.Function{Symbol: text, File: text, Span: at, Change: text, Executable: text,
		Contract: checks.FunctionContract{Direction: text, By: text},
		Trust: checks.TrustDelta{Added: []checks.TrustSite{{Kind: text, Text: text, File: text}, {Kind: "b"}, {Kind: "c"}, {Kind: "d"}, {Kind: "e"}},
			Removed: []checks.TrustSite{{Kind: text}, {Kind: text}}},
		Proof: checks.FunctionProof{Base: text, Head: text + "2"},
		Strength: checks.FunctionStrength{Base: &checks.SuiteResult{Value: &value, Label: text},
			Head: &checks.SuiteResult{Value: &value, Label: text, Undecided: 2}, Delta: &delta}}
	finding := checks.Finding{Rule: text, Severity: policy.Error, Symbol: text, File: text, Span: at, Base: &checks.Place{File: text, Span: at}, Message: text,
		Detail: text, Witness: &checks.Witness{Input: text, Result: text, Wrong: text}, Fingerprint: text}
	known := finding
	known.Rule, known.File, known.Symbol, known.Severity = "contract/ensures-weakened", "src/a.rs", "f"+text, policy.Warning
	waived := finding
	waived.Waived = &checks.WaiverRef{ID: text}
	return &checks.Report{Specgate: checks.Build{Version: text}, Base: checks.Revision{Rev: text}, Head: checks.Revision{Rev: text},
		Policy: checks.PolicyRef{Source: text, SHA256: text}, Tools: checks.Tools{Verus: &checks.VerusTool{Version: text, Toolchain: text, Solver: text}, Rustc: &checks.Tool{Version: text},
			Sandbox: &checks.Sandbox{Statement: text}},
		Outcome: checks.OutcomeFindings, Reasons: []checks.Reason{{Stage: text, Text: text}}, Functions: []checks.Function{function, function},
		Findings: []checks.Finding{finding, known, known, waived}}
}

func TestHostile(t *testing.T) {
	for i, text := range hostileTexts {
		t.Run(fmt.Sprint(i), func(t *testing.T) { checkAll(t, hostileReport(text), options(), true) })
	}
}

// TestMarkdownReads: what a person sees of a hostile name is the name, with what cannot be seen written out.
func TestMarkdownReads(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<User as Ident>::ident", "<User as Ident>::ident"},
		{"a|b\\|c`d*e_f[g](h)@i#1&amp;$x$:j:", "a|b\\|c`d*e_f[g](h)@i#1&amp;$x$:j:"},
		{"a\u202eb\x1b\xff\nc", `a\u{202e}b\x1b\xff c`},
		{"https://x.example www.x.example GH-1 #2", "https://x.example www.x.example GH-1 #2"},
	} {
		r := &checks.Report{Outcome: checks.OutcomeFindings, Findings: []checks.Finding{{Rule: "trust/assume", Severity: policy.Error, Symbol: c.text, File: "a.rs", Message: c.text}}}
		page := readable(t, annotate.NewCheckRun(r, annotate.Options{}).Text)
		if want := "error, blocks: trust/assume in " + c.want + "\na.rs:0:0"; !strings.Contains(page, want) {
			t.Errorf("no %q in:\n%s", want, page)
		}
		if message := strings.ReplaceAll(c.want, "`", ""); !strings.Contains(strings.ReplaceAll(page, "`", ""), "a.rs:0:0\n"+message+"\n") {
			t.Errorf("no message %q in:\n%s", message, page)
		}
	}
}

// readable is the text of Markdown as it is shown, a block a line.
func readable(t *testing.T, text string) string {
	t.Helper()
	var page bytes.Buffer
	if err := github.Convert([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode && slices.Contains([]string{"p", "h2", "h3", "h4", "li"}, n.Data) {
			b.WriteByte('\n')
		}
	}
	walk(root)
	return b.String()
}

// TestTableCells: no text can end its cell, and so push what another one says out of the table.
func TestTableCells(t *testing.T) {
	for _, text := range []string{"a|b", `a\|b`, `a\\|b`, "`|`", "<U|B>::i", "|||"} {
		r := &checks.Report{Outcome: checks.OutcomePass, Functions: []checks.Function{{Symbol: text, File: text, Change: text, Executable: text + "2",
			Contract: checks.FunctionContract{Direction: text, By: text}, Trust: checks.TrustDelta{Added: []checks.TrustSite{{Kind: text}}}, Proof: checks.FunctionProof{Head: text}}}}
		var page bytes.Buffer
		if err := github.Convert([]byte(annotate.NewCheckRun(r, annotate.Options{}).Summary), &page); err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(&page)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var cell func(*html.Node) string
		cell = func(n *html.Node) string {
			text := ""
			if n.Type == html.TextNode {
				text = n.Data
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				text += cell(c)
			}
			return text
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "td" {
				got = append(got, cell(n))
			}
		}
		want := []string{text + text + ":0", text, "+" + text, text + ", code " + text + "2", text + " (" + text + ")", "–", "–"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestWholeItems: what does not fit is left out whole, with its count, however large each is.
func TestWholeItems(t *testing.T) {
	r := many(3000)
	for i := range r.Findings {
		r.Findings[i].Message = strings.Repeat("word ", i%400)
		r.Findings[i].Detail = strings.Repeat("detail\n", i%300)
	}
	run := annotate.NewCheckRun(r, options())
	found := 0
	for line := range strings.Lines(run.Text) {
		if strings.HasPrefix(line, "#### ") {
			found++
		}
	}
	open := 0
	for _, f := range r.Findings {
		if f.Waived == nil {
			open++
		}
	}
	if want := fmt.Sprintf("**%d findings are left out here for want of room.**", open-found); found < 10 || !strings.Contains(run.Text, want) {
		t.Errorf("%d findings in full, and no %q", found, want)
	}
	if len(run.Text) < 50000 {
		t.Errorf("the text has %d bytes, and there would be room for more", len(run.Text))
	}
	// Every details element is closed: nothing is cut in the middle.
	if opened, closed := strings.Count(run.Text, "<details>"), strings.Count(run.Text, "</details>"); opened != closed || opened == 0 {
		t.Errorf("%d details begin and %d end", opened, closed)
	}
	rows := strings.Count(run.Summary, "| +assume |")
	if want := fmt.Sprintf("| … and %d more | | | | | | |\n", len(r.Functions)-rows); rows < 100 || !strings.Contains(run.Summary, want) {
		t.Errorf("%d rows, and no %q", rows, want)
	}
	if !strings.HasSuffix(run.Summary, "Run this locally: `specgate check --base "+r.Base.Rev+" --head "+r.Head.Rev+"`\n") {
		t.Error("the summary does not end with how to run it")
	}
}

func FuzzGitHub(f *testing.F) {
	for _, text := range hostileTexts {
		if len(text) < 1000 {
			f.Add(text, text, 1)
		}
	}
	f.Fuzz(func(t *testing.T, name, message string, n int) {
		const most = 2000 // long texts are TestHostile's
		name, message = name[:min(len(name), most)], message[:min(len(message), most)]
		r := hostileReport(name)
		for i := range r.Findings {
			r.Findings[i].Message, r.Findings[i].Detail = message, strings.Repeat(message, min(max(n, 0), 20))
			r.Findings[i].Span.Start.Line = n
		}
		checkAll(t, r, options(), false)
	})
}

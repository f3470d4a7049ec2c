package annotate_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

var pictures = flag.String("pictures", "", "write the pictures of the documentation into this directory")

// tab is a page in a real browser, with all that it asked for and complained about.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // what the page asks for
	served   []string // what the browser asked the server for
	console  []string
}

// browse shows a page, served from this process, in an empty profile of a headless Chromium.
func browse(t *testing.T, text []byte, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		sandboxtest.Browser.Lacks(t, "there is no chromium, chromium-browser or google-chrome on PATH")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-gpu", true))
	if os.Geteuid() == 0 { // its sandbox does not start as root
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("end the browser: %v", err)
		}
		cancel()
	})
	b := &tab{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b.mu.Lock()
		b.served = append(b.served, req.URL.Path)
		b.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := w.Write(text); err != nil {
			t.Logf("serve the page: %v", err)
		}
	}))
	t.Cleanup(server.Close)

	b.ctx = ctx
	err := chromedp.Listen(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, strings.TrimPrefix(e.Request.URL, server.URL))
		case *runtime.EventConsoleAPICalled:
			b.console = append(b.console, string(e.Type))
		case *runtime.EventExceptionThrown:
			b.console = append(b.console, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			b.console = append(b.console, e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		return err
	}))
	b.do(before...)
	b.do(chromedp.Navigate(server.URL + "/"))
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func eval[T any](b *tab, script string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// quiet fails if the page asked for anything but itself, or if anything was written to the console.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if diff := gocmp.Diff([]string{"/"}, b.requests); diff != "" {
		b.t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"/"}, b.served); diff != "" {
		b.t.Errorf("served (-want +got):\n%s", diff)
	}
	if len(b.console) > 0 {
		b.t.Errorf("the console has %q", b.console)
	}
}

func media(features ...emulation.MediaFeature) chromedp.Action[chromedp.Void] {
	return emulate("", features...)
}

func emulate(medium string, features ...emulation.MediaFeature) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		p := emulation.SetEmulatedMediaParams{Media: medium}
		for _, f := range features {
			p.Features = append(p.Features, &f)
		}
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, p)
		return err
	})
}

func scheme(name string) chromedp.Action[chromedp.Void] {
	return media(emulation.MediaFeature{Name: "prefers-color-scheme", Value: name})
}

// contrasts is a script that lists what is read with too little contrast: the colour of a text against the nearest background behind it.
const contrasts = `(() => {
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const lum = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const out = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let n; n = walker.nextNode();) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility() || e.closest("script,title")) continue;
    let bg = null;
    for (let p = e; p && !bg; p = p.parentElement) { const c = parse(getComputedStyle(p).backgroundColor); if (c[3] > 0) bg = c; }
    if (!bg) { out.add("no background: " + n.data); continue; }
    const a = lum(parse(getComputedStyle(e).color)), b = lum(bg);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    seen++;
    if (ratio < 4.5) out.add(ratio.toFixed(2) + ": " + e.className + ": " + n.data.slice(0, 40));
  }
  if (seen < 100) out.add("only " + seen + " texts were seen");
  return [...out];
})()`

// TestHTMLLayout shows the example narrow and wide, light and dark: nothing sticks out, everything can be read, and the page is silent.
func TestHTMLLayout(t *testing.T) {
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			b := browse(t, page)
			for _, color := range []string{"light", "dark"} {
				b.do(scheme(color))
				for _, width := range []int64{320, 360, 700, 1000, 1280, 1920} {
					b.do(chromedp.EmulateViewport(width, 800))
					wide := eval[[]string](b, `(() => {
						const w = document.documentElement.clientWidth;
						if (document.documentElement.scrollWidth <= w) return [];
						return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > w + 1).map(e => e.tagName + "." + e.className + " " + e.getBoundingClientRect().right).slice(0, 10);
					})()`)
					if overflow := eval[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); overflow > 0 {
						t.Errorf("%s, %d px: the page is %d px too wide: %q", color, width, overflow, wide)
					}
				}
				if low := eval[[]string](b, contrasts); len(low) > 0 {
					t.Errorf("%s: too little contrast: %q", color, low)
				}
			}
			light, dark := "", ""
			b.do(scheme("light"))
			light = eval[string](b, `getComputedStyle(document.body).backgroundColor`)
			b.do(scheme("dark"))
			dark = eval[string](b, `getComputedStyle(document.body).backgroundColor`)
			if light == dark {
				t.Errorf("light and dark have the same background %s", light)
			}
			b.quiet()
		})
	}
}

// TestHTMLKeyboard walks through the example with the tab key: it comes to the link that skips to the results first, to every finding in the
// order of the page, and what has the focus can be seen.
func TestHTMLKeyboard(t *testing.T) {
	r, o := example(t)
	b := browse(t, pageOf(t, r, o), chromedp.EmulateViewport(1280, 800))
	want := eval[[]string](b, `[...document.querySelectorAll("details.finding")].map(e => e.id)`)
	if len(want) != len(r.Findings) {
		t.Fatalf("the page has %d findings, the report %d", len(want), len(r.Findings))
	}
	var stops, findings []string
	for range 200 {
		b.do(chromedp.KeyEvent(kb.Tab))
		stop := eval[string](b, `(() => { const e = document.activeElement; if (!e || e === document.body) return ""; const s = getComputedStyle(e); return (s.outlineStyle === "none" ? "unseen " : "") + e.tagName.toLowerCase() + (e.className ? "." + e.className : "") + (e.parentElement.id && e.tagName === "SUMMARY" ? " of " + e.parentElement.id : ""); })()`)
		if stop == "" {
			break
		}
		stops = append(stops, stop)
		if _, id, ok := strings.Cut(stop, "summary of "); ok && strings.HasPrefix(id, "f") {
			findings = append(findings, id)
		}
		if strings.HasPrefix(stop, "unseen") {
			t.Errorf("the focus cannot be seen on %s", stop)
		}
	}
	if diff := gocmp.Diff(want, findings); diff != "" {
		t.Errorf("findings in the order of the tab key (-page +tab):\n%s\nall stops: %q", diff, stops)
	}
	if len(stops) == 0 || stops[0] != "a.skip" {
		t.Errorf("the first stop is not the link that skips to the results: %q", stops)
	}

	// The link moves the focus, and Enter closes a finding.
	b.do(chromedp.Reload(), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	if id := eval[string](b, `document.activeElement.id`); id != "main" {
		t.Errorf("after the link that skips, the focus is on %q", id)
	}
	open := `document.querySelector("details.finding").open`
	if !eval[bool](b, open) {
		t.Error("the first finding is closed")
	}
	eval[bool](b, `(document.querySelector("details.finding > summary").focus(), true)`)
	b.do(chromedp.KeyEvent(kb.Enter))
	if eval[bool](b, open) {
		t.Error("Enter does not close a finding")
	}
}

// TestHTMLAccessibility compares what a screen reader is told of the example: headings, tables and their headers, bars, controls.
func TestHTMLAccessibility(t *testing.T) {
	r, o := example(t)
	for _, size := range []int64{360, 1280} {
		b := browse(t, pageOf(t, r, o), chromedp.EmulateViewport(size, 800))
		tree, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
			return cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		})
		if err != nil {
			t.Fatal(err)
		}
		told := []string{"heading", "table", "columnheader", "rowheader", "image", "img", "DisclosureTriangle", "checkbox", "searchbox", "button", "link", "form",
			"region", "main", "status", "RootWebArea"}
		var lines []string
		for _, n := range tree.Nodes {
			if n.Ignored || n.Role == nil {
				continue
			}
			role := strings.Trim(n.Role.Value.String(), `"`)
			if !slices.Contains(told, role) {
				continue
			}
			text := ""
			if n.Name != nil {
				text = strings.Trim(n.Name.Value.String(), `"`)
			}
			lines = append(lines, role+": "+text+"\n")
		}
		slices.Sort(lines) // the order of the nodes is the browser's own
		// The same on a phone, where the table looks like cards.
		golden(t, "html/example.spoken.txt", []byte(strings.Join(lines, "")))
	}
}

// TestHTMLFilter uses the controls, which are there only with the script.
func TestHTMLFilter(t *testing.T) {
	r, o := example(t)
	page := pageOf(t, r, o)
	b := browse(t, page)
	state := func() string {
		return eval[string](b, `document.querySelector("output").value + ": " + [...document.querySelectorAll("details.finding")].filter(e => e.checkVisibility()).map(e => e.id).join(" ")`)
	}
	got := []string{state()}
	step := func(script string) {
		eval[bool](b, "("+script+", true)")
		got = append(got, state())
	}
	step(`document.querySelector("[name=error]").click()`)
	step(`document.querySelector("[name=warning]").click()`)
	step(`document.querySelector("[name=error]").click()`)
	step(`(() => { const i = document.querySelector("[name=text]"); i.value = "MIDPOINT"; i.dispatchEvent(new Event("input", { bubbles: true })); })()`)
	want := []string{"6 of 6 shown: f1 f5 f2 f3 f4 f6", "2 of 6 shown: f5 f6", "0 of 6 shown: ", "4 of 6 shown: f1 f2 f3 f4", "1 of 6 shown: f1"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eval[bool](b, `(document.querySelector("[name=close]").click(), true)`)
	if n := eval[int](b, `document.querySelectorAll("details.finding[open]:not([hidden])").length`); n != 0 {
		t.Errorf("%d findings are open after all were closed", n)
	}
	b.quiet()

	plain := browse(t, page, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	if got, want := eval[string](plain, `[...document.querySelectorAll("details.finding[open]")].length + " findings, filter " + document.getElementById("filter").checkVisibility()`), "6 findings, filter false"; got != want {
		t.Errorf("without scripts: %s; want %s", got, want)
	}
	plain.do(emulate("print"))
	if got := eval[bool](plain, `document.querySelector(".skip").checkVisibility()`); got {
		t.Error("the link that skips is printed")
	}
}

// TestHTMLHostileInBrowser asks the browser what it made of a hostile report: nothing runs, nothing is asked for, no element is new.
func TestHTMLHostileInBrowser(t *testing.T) {
	r, o := hostile()
	b := browse(t, pageOf(t, r, o))
	for script, want := range map[string]string{
		`[...document.scripts].length + " " + [...document.styleSheets].length`: "1 1",
		`String(window.owned)`: "undefined",
		`[...document.querySelectorAll("*")].filter(e => e.getAttributeNames().some(n => n.startsWith("on") || n === "style" || n === "src" || n === "srcset" || n === "action")).length + ""`: "0",
		`[...document.querySelectorAll("a")].map(a => a.getAttribute("href")).filter(h => !/^#(main|s\d+)$/.test(h)).join()`:                                                                   "",
		`[...new Set([...document.querySelectorAll("*")].map(e => e.localName))].filter(n => ["img","iframe","object","embed","base","video","audio","marquee","x-owned"].includes(n)).join()`: "",
		`/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd]/.exec(document.documentElement.textContent) + ""`:                                 "null",
	} {
		if got := eval[string](b, script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
	b.quiet()

	// What would stand in the page unescaped still does not run, and asks for nothing: the page's policy forbids it.
	page := bytes.Replace(pageOf(t, r, o), []byte("</main>"), []byte(`<script>window.owned=1</script><img src="/image" onerror="window.owned=1"><link rel="stylesheet" href="/style"><iframe src="/frame"></iframe><p id="p" style="color:red">x</p></main>`), 1)
	b = browse(t, page)
	if got := eval[string](b, `String(window.owned) + " " + document.querySelectorAll("iframe").length + " " + document.getElementById("p").style.color`); got != "undefined 1 " {
		t.Errorf("what the policy forbids: %q", got)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if served := b.served; !slices.Equal(served, []string{"/"}) {
		t.Errorf("the page has the browser ask for %q", served)
	}
	if len(b.console) == 0 {
		t.Error("the browser does not say that it forbids anything")
	}
}

// TestHTMLPictures writes what the documentation shows. It is run by "make pictures"; without the flag it only takes the pictures.
func TestHTMLPictures(t *testing.T) {
	r, o := example(t)
	b := browse(t, pageOf(t, r, o))
	for _, p := range []struct {
		name, scheme, section string
		width, height         int64
	}{
		{"report-light-wide.png", "light", "", 1280, 1080},
		{"report-dark-wide.png", "dark", "", 1280, 1080},
		{"report-light-narrow.png", "light", "", 360, 1200},
		{"report-dark-narrow.png", "dark", "", 360, 1200},
		{"finding-light-wide.png", "light", "largest::max_of", 1280, 1080},
		{"finding-dark-wide.png", "dark", "largest::max_of", 1280, 1080},
		{"finding-light-narrow.png", "light", "largest::max_of", 360, 1200},
		{"finding-dark-narrow.png", "dark", "largest::max_of", 360, 1200},
	} {
		b.do(scheme(p.scheme), chromedp.EmulateViewport(p.width, p.height))
		eval[bool](b, fmt.Sprintf(`(() => {
			const name = %q, h = [...document.querySelectorAll("h3")].find(e => e.textContent === name);
			if (name === "") window.scrollTo(0, 0); else h.parentElement.scrollIntoView();
			return true;
		})()`, p.section))
		b.take(p.name)
	}
}

// take takes a picture of what the tab shows, and keeps it as documentation if that is asked for.
func (b *tab) take(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		shot, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
		return shot.Data, err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if len(picture) < 10_000 || len(picture) > 500_000 {
		b.t.Errorf("%s has %d bytes", name, len(picture))
	}
	if *pictures == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pictures, name), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// summaryFrame shows Markdown about as GitHub does: it has the widths, the tables and the code of a job summary.
const summaryFrame = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Job summary</title><style>
:root { color-scheme: light dark; --line: #d1d9e0; --soft: #f6f8fa; --text: #1f2328 }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #151b23; --text: #f0f6fc } body { background: #0d1117 } }
body { font: 16px/1.5 sans-serif; color: var(--text); margin: 24px; overflow-wrap: break-word }
h2, h3 { border-bottom: 1px solid var(--line); padding-bottom: .3em; margin: 24px 0 16px }
table { border-collapse: collapse; display: block; overflow: auto; font-size: 14px }
th, td { border: 1px solid var(--line); padding: 6px 13px }
pre { background: var(--soft); padding: 16px; overflow: auto; border-radius: 6px; font-size: 13px }
code { font-size: 85%; background: var(--soft); padding: .2em .4em; border-radius: 6px } pre code { padding: 0 }
</style><body>`

// TestSummaryPictures takes pictures of the job summary as GitHub shows it. "make pictures" writes them.
func TestSummaryPictures(t *testing.T) {
	r, o := example(t)
	var text, shown bytes.Buffer
	if err := annotate.Summary(&text, r, o); err != nil {
		t.Fatal(err)
	}
	shown.WriteString(summaryFrame)
	if err := github.Convert(text.Bytes(), &shown); err != nil {
		t.Fatal(err)
	}
	b := browse(t, shown.Bytes())
	for _, name := range []string{"light", "dark"} {
		b.do(scheme(name), chromedp.EmulateViewport(1012, 1500))
		if width := eval[int](b, `document.documentElement.scrollWidth`); width > 1012 {
			t.Errorf("%s: the summary is %d pixels wide", name, width)
		}
		b.take("summary-" + name + ".png")
	}
	if got := eval[[]string](b, `[...document.querySelectorAll("h2")].map(e => e.textContent)`); len(got) != 1 || !strings.HasPrefix(got[0], "specgate: ") {
		t.Errorf("headings %q", got)
	}
	rows := eval[int](b, `document.querySelectorAll("tbody tr").length`)
	if rows < len(r.Functions) {
		t.Errorf("%d rows of tables for %d functions", rows, len(r.Functions))
	}
}

// pages are what the layout is looked at with.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	r, o := example(t)
	h, ho := hostile()
	return map[string][]byte{"example": pageOf(t, r, o), "hostile": pageOf(t, h, ho)}
}

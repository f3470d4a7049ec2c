package annotate

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc…"}, {"äöü", 5, "ä…"}, {"äöü", 6, "äöü"}, {"日本語", 8, "日…"}, {"日本語", 4, "…"}} {
		if got := cut(c.text, c.limit); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestEscapes(t *testing.T) {
	const room = 1000
	for _, c := range []struct {
		name   string
		escape func(string, int) string
		text   string
		want   string
	}{
		{"plain", escapePlain, "a\r\nb\rc\td\x1b[1m\u202e\xff", "a\nb\\rc    d\\x1b[1m\\u{202e}\\xff"},
		{"line", escapeLine, "a\r\nb\nc", "a b c"},
		{"command", escapeCommand, "100%0A\n::error::x, ##[add-mask]y", "100%250A%0A::error::x, ## [add-mask]y"},
		{"property", escapeProperty, "a:b,c%3A\nd", "a%3Ab%2Cc%253A d"},
		{"markdown", markdown, "<b>&amp; a|b `c` *d* _e_ ~f~ [g](h) \\", "&lt;b&gt;&amp;amp; a&#124;b \\`c\\` \\*d\\* \\_e\\_ \\~f\\~ \\[g\\](h) \\\\"},
		{"markdown", markdown, "@me #12 #x gh-7 a-b www.x https://x :e: a::b $x", `@<!-- -->me \#<!-- -->12 \#x gh-<!-- -->7 a-b www<!-- -->.x https:<!-- -->//x :<!-- -->e: a::<!-- -->b <span>$</span>x`},
		{"markdown", markdown, "1. one - two + three", `1\. one - two + three`},
		{"markdown", markdown, "20) a", `20\) a`},
		{"markdown", markdown, "- a", `\- a`},
		{"markdown", markdown, "    + a", `\+ a`},
		{"markdown", markdown, "===", `\===`},
		{"markdown", markdown, "1.5 and 2", `1\.5 and 2`},
		{"markdown", markdown, "12", `12`},
		{"prose", prose, "1. `a`. b", `1\. <code>a</code>. b`},
		{"code", code, "@me a::b $x http://y |`", "<code>@<!-- -->me a::b \\$x http:<!-- -->//y &#124;\\`</code>"},
		{"prose", prose, "see `a|b` and *c*", `see <code>a&#124;b</code> and \*c\*`},
		{"prose", prose, "http:``//a", `http:<!-- -->//a`},
		{"prose", prose, "one ` only", "one \\` only"},
		{"fenced", fenced, "a\n```\n@b\n", "````text\na\n```\n@b\n````\n"},
		{"SARIF", escapeSARIF, "[a](1) {0} {x} v[i]", "[a] (1) { 0} {x} v[i]"},
	} {
		if got := c.escape(c.text, room); got != c.want {
			t.Errorf("%s(%q) = %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestInRepository(t *testing.T) {
	for path, want := range map[string]bool{"src/a.rs": true, "größe/日本 1.rs": true, "a..b": true, "...": true, "": false, ".": false, "..": false, "../a": false,
		"/a": false, "a/../b": false, "./a": false, "a//b": false, "a/": false, `a\b`: false, "a\nb": false, "a\u202eb": false, "\xff": false,
		strings.Repeat("a", 4097): false} {
		if got := inRepository(path); got != want {
			t.Errorf("inRepository(%.20q) = %v", path, got)
		}
	}
}

// What Markdown may be made of: escapes, entities, and the two pieces of HTML.
var escaped = regexp.MustCompile(`\\[\\` + "`" + `*_~\[\]#$.)=+-]|&(?:amp|lt|gt|#124);|<!-- -->|<span>\$</span>`)

// FuzzEscapes: whatever the text and the room, no escaper leaves anything in it that its sink would take for its own.
func FuzzEscapes(f *testing.F) {
	f.Add("a\r\nb %0A ::x:: \\ ` * _ ~ [x](y) <!-- --> & | $ @a #1 gh-2 www.z http://q", 200)
	f.Add("\xff\xc3\u202e\x1b\x00", 64)
	f.Add(strings.Repeat("`$@\n", 100), 100)
	f.Fuzz(func(t *testing.T, text string, room int) {
		const least = 64
		room = least + int(uint(room)%4096)
		check := func(name, got string, lines bool) {
			t.Helper()
			if len(got) > room || !utf8.ValidString(got) {
				t.Errorf("%s: %d bytes, room for %d: %q", name, len(got), room, got)
			}
			for _, c := range got {
				if (c != '\n' || !lines) && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)) {
					t.Errorf("%s has %U: %q", name, c, got)
				}
			}
		}
		pure := func(name, got string) {
			t.Helper()
			if left := escaped.ReplaceAllString(got, ""); strings.ContainsAny(left, "\\`*_~[]<>|&$#") {
				t.Errorf("%s leaves markup in %q", name, got)
			}
			if regexp.MustCompile(`@[^<]|(?i:www)\.|://`).MatchString(got) {
				t.Errorf("%s leaves an address in %q", name, got)
			}
		}
		plain := escapePlain(text, room)
		check("plain", plain, true)
		check("line", escapeLine(text, room), false)
		check("SARIF", escapeSARIF(text, room), true)
		if got := escapeSARIF(text, room); strings.Contains(got, "](") || regexp.MustCompile(`\{[0-9]`).MatchString(got) {
			t.Errorf("SARIF: a link or an argument in %q", got)
		}

		data := escapeCommand(text, room)
		if strings.ContainsAny(data, "\r\n") || strings.Contains(data, "##[") || regexp.MustCompile(`%(?:[^02]|$)`).MatchString(data) {
			t.Errorf("command: %q", data)
		}
		if back := strings.NewReplacer("%0A", "\n", "%25", "%").Replace(data); back != unbracket(plain) {
			t.Errorf("command: %q reads as %q, want %q", data, back, unbracket(plain))
		}
		property := escapeProperty(text, room)
		if strings.ContainsAny(property, "\r\n:,") || strings.Contains(property, "##[") {
			t.Errorf("property: %q", property)
		}
		if back := strings.NewReplacer("%3A", ":", "%2C", ",", "%25", "%").Replace(property); back != unbracket(escapeLine(text, room)) {
			t.Errorf("property: %q reads as %q", property, back)
		}

		got := markdown(text, room)
		check("markdown", got, false)
		pure("markdown", got)
		got = code(text, room)
		check("code", got, false)
		pure("code", strings.TrimSuffix(strings.TrimPrefix(got, "<code>"), "</code>"))
		got = prose(text, room)
		check("prose", got, false)
		// GitHub looks for addresses and the like within an element, and not across its ends.
		pure("prose", strings.NewReplacer("<code>", " ", "</code>", " ").Replace(got))

		got = fenced(text, room)
		check("fenced", got, true)
		lines := strings.Split(got, "\n")
		fence := strings.TrimSuffix(lines[0], "text")
		if len(lines) < 4 || strings.Trim(fence, "`") != "" || len(fence) < 3 || lines[len(lines)-2] != fence || lines[len(lines)-1] != "" {
			t.Errorf("fenced: %q", got)
		}
		if body := strings.Join(lines[1:len(lines)-2], "\n"); strings.Contains(body, fence) {
			t.Errorf("fenced: the fence stands in %q", got)
		}
		if inRepository(text) {
			if u, err := url.Parse(relativeURI(text)); err != nil || u.IsAbs() || u.Host != "" || strings.TrimPrefix(u.Path, "./") != text {
				t.Errorf("path %q: %v, %v", text, u, err)
			}
		}
	})
}

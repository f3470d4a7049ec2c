package annotate

import (
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
)

// ellipsis ends what was cut.
const ellipsis = "…"

// cut shortens text to so many bytes, at least three, between two characters. What it leaves out it marks.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := limit - len(ellipsis)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ellipsis
}

// precut drops what a sink with room for limit bytes would not show, before it is escaped, which never makes text shorter.
func precut(s string, limit int) string {
	if len(s) <= limit+utf8.UTFMax {
		return s
	}
	return s[:limit+utf8.UTFMax]
}

// escapePlain is for sinks that show text as it is, over several lines: annotations, messages of SARIF. What could hide or reorder
// text is written out, as on a terminal. The result is UTF-8, has at most limit bytes, and no control character but line feeds.
func escapePlain(s string, limit int) string {
	s = precut(strings.ReplaceAll(s, "\r\n", "\n"), limit)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = escapeTerminal(line)
	}
	return cut(strings.Join(lines, "\n"), limit)
}

// escapeLine is escapePlain for sinks of one line.
func escapeLine(s string, limit int) string {
	return cut(escapeTerminal(precut(oneLine(s), limit)), limit)
}

// oneLine puts spaces for line ends.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", " "), "\n", " ")
}

// escapeCommand is for the message of a workflow command. The runner turns %0A, %0D and %25 back, and nothing else; a line of the log
// that has ##[ anywhere is a command of the old kind, so that is broken up.
//
// Source: ActionCommand.cs of actions/runner.
func escapeCommand(s string, limit int) string {
	return commandData.Replace(unbracket(escapePlain(s, limit)))
}

// escapeProperty is for the value of a property of a workflow command, where a colon or a comma would end the value.
func escapeProperty(s string, limit int) string {
	return commandProperty.Replace(unbracket(escapeLine(s, limit)))
}

func unbracket(s string) string { return strings.ReplaceAll(s, "##[", "## [") }

var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// markdown escapes text for one line of Markdown as GitHub reads it, also in the cell of a table: it reads as it is written, with no
// markup, HTML, link, image, emoji or formula, and notifies nobody. GitHub looks for mentions, references and addresses in the text
// that is left after Markdown and entities are read, so escaping cannot stop it; an empty comment between the characters does.
// The result has at most limit bytes.
func markdown(s string, limit int) string { return escapeMarkdown(s, limit, false, true) }

// code is markdown, shown as code. It is HTML because no Markdown of code can hold every text in a table. Inside of it GitHub makes
// nothing of mentions, references, emoji and formulas.
func code(s string, limit int) string {
	const open, end = "<code>", "</code>"
	return open + escapeMarkdown(s, limit-len(open)-len(end), true, false) + end
}

// apart keeps characters apart that would mean something together.
const apart = "<!-- -->"

// block finds the character without which a line would begin a list or underline the line before; -1 if there is none.
func block(s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case s != "" && strings.ContainsRune("-+=", rune(s[0])):
		return 0
	case digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')'):
		return digits
	}
	return -1
}

// escapeMarkdown does the work of markdown and code. Text atStart may stand where a line begins.
func escapeMarkdown(s string, limit int, inCode, atStart bool) string {
	s = escapeTerminal(precut(oneLine(s), limit))
	begins := -1
	if atStart {
		s = strings.TrimLeft(s, " ")
		begins = block(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		unit := markdownUnit(s, i, size, inCode)
		if i == begins {
			unit = `\` + unit
		}
		rest := 0
		if i+size < len(s) {
			rest = len(ellipsis)
		}
		if b.Len()+len(unit)+rest > limit {
			b.WriteString(ellipsis)
			break
		}
		b.WriteString(unit)
		i += size
	}
	return b.String()
}

// markdownUnit is how the character at s[i:i+size] is written.
func markdownUnit(s string, i, size int, inCode bool) string {
	next := byte(0)
	if i+size < len(s) {
		next = s[i+size]
	}
	switch c := s[i]; c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '|':
		return "&#124;"
	case '\\', '`', '*', '_', '~', '[', ']':
		return `\` + string(c)
	case '$':
		if inCode {
			return `\$`
		}
		return "<span>$</span>" // as GitHub's manual says
	case '@':
		return "@" + apart
	case '#':
		if isDigit(next) {
			return `\#` + apart
		}
		return `\#`
	case ':':
		if next == '/' || !inCode && (isWord(next) || next == '+' || next == '-') {
			return ":" + apart
		}
	case '-':
		if isDigit(next) && i >= 2 && strings.EqualFold(s[i-2:i], "gh") {
			return "-" + apart
		}
	case '.':
		if i >= 3 && strings.EqualFold(s[i-3:i], "www") {
			return apart + "."
		}
	}
	return s[i : i+size]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// prose is markdown for a message of specgate's own, which marks code with backticks. Whatever stands between them is escaped as code,
// what is outside as text, so a backtick in a name can spoil the looks of it and nothing else. The result has at most limit bytes.
func prose(s string, limit int) string {
	parts := strings.Split(precut(s, limit), "`")
	if len(parts)%2 == 0 { // an odd backtick out
		return markdown(s, limit)
	}
	var b strings.Builder
	for i, part := range parts {
		const least = len("<code></code>") + len(ellipsis)
		room := limit - b.Len() - len(ellipsis)
		if part == "" {
			if i%2 == 1 && room >= len(apart) {
				b.WriteString(apart) // what is on both sides was not one word
			}
			continue
		}
		if room < least {
			b.WriteString(ellipsis)
			break
		}
		if i%2 == 1 {
			b.WriteString(code(part, room))
		} else {
			b.WriteString(escapeMarkdown(part, room, false, i == 0))
		}
	}
	return b.String()
}

// fenced is a block of code, over several lines, with its line end. Its fence is longer than any in the text.
// The result has at most limit bytes.
func fenced(s string, limit int) string {
	text := escapePlain(strings.TrimRight(s, "\r\n"), limit)
	run, longest := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	// Two fences of so many, and "text" and three line ends.
	const word = len("text\n\n\n")
	if most := limit - word - 2*max(longest+1, 3); len(text) > most {
		text = strings.ReplaceAll(text, "```", "'''") // not worth a fence of any length
		longest = 2
		text = cut(text, limit-word-2*3)
	}
	fence := strings.Repeat("`", max(longest+1, 3))
	return fence + "text\n" + text + "\n" + fence + "\n"
}

// escapeSARIF is for a message of SARIF in plain text, which knows links, [text](target), and places for arguments, {0}.
//
// Source: SARIF 2.1.0, 3.11.5 and 3.11.6.
func escapeSARIF(s string, limit int) string {
	s = strings.ReplaceAll(escapePlain(s, limit), "](", "] (")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] == '{' && i+1 < len(s) && isDigit(s[i+1]) {
			b.WriteByte(' ')
		}
	}
	return cut(b.String(), limit)
}

// inRepository tells whether a path names a file that can be in a repository, in the way that GitHub takes it.
func inRepository(file string) bool {
	return file != "" && len(file) <= maxPath && utf8.ValidString(file) && file == escapeTerminal(file) && !path.IsAbs(file) &&
		path.Clean(file) == file && file != "." && file != ".." && !strings.HasPrefix(file, "../") && !strings.ContainsRune(file, '\\')
}

// maxPath is the longest path of a file, in bytes, that there can be on Linux.
const maxPath = 4096

// relativeURI of a path in the repository, as SARIF has it.
func relativeURI(file string) string { return (&url.URL{Path: file}).String() }

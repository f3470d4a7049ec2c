package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/specgate/specgate/internal/source"
)

// Diagnostic is one error in a policy file.
type Diagnostic struct {
	Path  string
	Range source.Range
	// Message says what is wrong and what to do about it. Neither it nor Line
	// holds control or text direction characters of the file.
	Message string
	// Line is the text of the line where Range starts.
	Line string
}

func newDiagnostic(path string, file *source.File, r source.Range, message string) Diagnostic {
	d := Diagnostic{Path: path, Range: r, Message: clean(message)}
	if file != nil {
		d.Line = clean(string(file.Line(r.Start.Line)))
	}
	return d
}

// Error is the place, the message, and below it the line with carets.
func (d Diagnostic) Error() string {
	head := fmt.Sprintf("%s:%s: %s", d.Path, d.Range.Start, d.Message)
	number := fmt.Sprint(d.Range.Start.Line)
	shown, carets := d.mark()
	return fmt.Sprintf("%s\n  %s | %s\n  %*s | %s", head, number, shown, len(number), "", carets)
}

// The most runes of a line that are shown, and how many of them before the caret.
const (
	maxShown   = 120
	beforeMark = 60
)

// mark gives the line as it is shown and the carets below it. Columns of Range
// count bytes of the file, and clean keeps every rune one rune, but not its
// bytes; so count runes of the part before.
func (d Diagnostic) mark() (shown, carets string) {
	runes := []rune(d.Line)
	start := runesIn(d.Line, d.Range.Start.Column-1)
	width := len(runes) - start
	if d.Range.End.Line == d.Range.Start.Line {
		width = runesIn(d.Line, d.Range.End.Column-1) - start
	}
	prefix := ""
	if len(runes) > maxShown && start > beforeMark {
		runes, start = runes[start-beforeMark:], beforeMark
		prefix = "…"
	}
	suffix := ""
	if len(runes) > maxShown {
		runes, suffix = runes[:maxShown], "…"
	}
	width = max(1, min(width, len(runes)-start))

	pad := slices.Clone(runes[:start])
	for i, r := range pad {
		if r != '\t' {
			pad[i] = ' '
		}
	}
	if prefix != "" {
		pad = append([]rune{' '}, pad...)
	}
	return prefix + string(runes) + suffix, string(pad) + strings.Repeat("^", width)
}

func runesIn(s string, bytes int) int {
	return utf8.RuneCountInString(s[:max(0, min(bytes, len(s)))])
}

// clean replaces what could make a terminal or a reader see something else: a
// policy file may come from the pull request under test. A replacement has as
// many bytes as what it replaces, so that columns stay true.
func clean(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError || r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			b.WriteString(strings.Repeat("?", size))
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Diagnostics are all errors of a policy file, in the order of their places, or
// the first 100 that were found.
type Diagnostics []Diagnostic

// Error is every diagnostic, one after the other.
func (ds Diagnostics) Error() string {
	var b strings.Builder
	for i, d := range ds {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(d.Error())
	}
	if len(ds) == maxFound {
		b.WriteString("\nthere may be more errors")
	}
	return b.String()
}

// Unwrap gives each Diagnostic to errors.As.
func (ds Diagnostics) Unwrap() []error {
	errs := make([]error, len(ds))
	for i, d := range ds {
		errs[i] = d
	}
	return errs
}

// Nearest is the candidate that word was probably meant to be, or empty.
// Near is: the same but for case and separators, a candidate that word begins
// or that begins word, or an edit distance of a third of the word's length.
func Nearest(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	fold := strings.NewReplacer("_", "-", " ", "-")
	w := fold.Replace(strings.ToLower(word))
	best, bestDistance := "", max(1, len(w)/3)+1
	for _, c := range candidates {
		f := fold.Replace(strings.ToLower(c))
		d := levenshtein.ComputeDistance(w, f)
		if len(w) >= 3 && (strings.HasPrefix(f, w) || len(f) >= 3 && strings.HasPrefix(w, f)) {
			d = min(d, 1)
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

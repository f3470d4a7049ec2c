package verus

import (
	"cmp"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// KeyOf a diagnostic is what it says of what fails, token by token: layout and comments do not count. Without a clause it is the message.
func KeyOf(d Diagnostic) string { return cmp.Or(normal(d.Clause), d.Message) }

// normal joins the tokens of an expression with single blanks.
func normal(text string) string {
	var words []string
	for tok := range syntax.Parse(source.NewFile("", []byte(text))).Root().Tokens() {
		if w := strings.TrimSpace(tok.Text()); w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// Comparable tells whether costs of two runs may be compared: they are deterministic for one release on one platform, and the solver
// belongs to the release. Releases before costsCounted give the cost of a query to the next one.
func Comparable(a, b *Run) bool {
	return a.Version.Release >= costsCounted && a.Version.Release == b.Version.Release && a.Version.OS == b.Version.OS && a.Version.Arch == b.Version.Arch
}

// costsCounted is less than the first release that counts costs right, as a text: the change is of 2026-01-27.
const costsCounted = "0.2026.01.28"

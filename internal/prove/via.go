package prove

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/specgate/specgate/internal/obligation"
)

// Said is what the verifier says to one shadow.
type Said struct {
	// Verdicts by part of the shadow; 0 for one that nothing is known of.
	Verdicts []obligation.Verdict
	// Problems are those of Answers.
	Problems []string
	// Crate and Module tell that asking more about the crate, or about the module, is of no use. Told tells that a problem says that questions
	// about the module have no answer.
	Crate, Module, Told bool
	// Stop is why nothing more is asked at all; empty while there is no reason.
	Stop string
}

// Via stands between a plan and the verifier: for each shadow it may put it, or have what was said of it from elsewhere. try is 1, or 2 for a
// second try. nil: nothing is said.
type Via func(try int, s *obligation.Shadow, put func() (*Said, error)) (*Said, error)

// PartKey tells the parts of the shadows of a module apart by their text, whatever names the proof functions have: 64 hexadecimal digits.
func PartKey(s *obligation.Shadow, p obligation.Part) string {
	own := regexp.MustCompile(regexp.QuoteMeta(s.Prefix()) + `\w*`)
	names := map[string]string{}
	text := own.ReplaceAllFunc(s.Text[p.Span.Start:p.Span.End], func(name []byte) []byte {
		if _, ok := names[string(name)]; !ok {
			names[string(name)] = "#" + string(rune('a'+len(names)))
		}
		return []byte(names[string(name)])
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

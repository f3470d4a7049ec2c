package prove

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"

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

// remembering is a via that looks for what was said of a shadow in the cache before it is put, and keeps what is said.
func (c *Copy) remembering(ctx context.Context, via Via) Via {
	if via == nil {
		via = func(_ int, _ *obligation.Shadow, put func() (*Said, error)) (*Said, error) { return put() }
	}
	return func(try int, s *obligation.Shadow, put func() (*Said, error)) (*Said, error) {
		return via(try, s, func() (*Said, error) {
			words := []string{"questions 1", s.Crate.Root, s.File, s.Module, s.Prefix(), s.Canary, string(s.Text)}
			for _, p := range s.Parts {
				words = append(words, p.Name)
			}
			data, ok, err := c.request.Cache.Said(c.tree, c.job(), words...)
			if err != nil {
				c.notes = append(c.notes, err)
			}
			if ok {
				said := &Said{}
				if json.Unmarshal(data, said) == nil && said.final(s) {
					return said, nil
				}
			}
			said, err := put()
			if err != nil || !c.request.Keep || !said.final(s) {
				return said, err
			}
			if data, err = json.Marshal(said); err == nil {
				err = c.request.Cache.Note(ctx, data, c.tree, c.job(), words...)
			}
			if err != nil {
				c.notes = append(c.notes, err)
			}
			return said, nil
		})
	}
}

// final tells what would be said again: each question has an answer, and there is nothing else to tell.
func (x *Said) final(s *obligation.Shadow) bool {
	return len(x.Verdicts) == len(s.Parts) && len(x.Problems) == 0 && !x.Crate && !x.Module && !x.Told && x.Stop == "" &&
		!slices.ContainsFunc(x.Verdicts, func(v obligation.Verdict) bool {
			return v != obligation.Proved && v != obligation.NotProved && v != obligation.TimedOut
		})
}

package annotate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/specgate/specgate/checks"
)

// Review is what is to be said at the lines of a pull request: of each function whose contract is weak, once.
type Review struct {
	Comments []ReviewComment
	// Settled is what an older comment is to say of a function that was measured and has nothing to complain about, by fingerprint.
	Settled map[string]string
	// Absent is what one is to say of a function that the report does not have; empty: it stays as it is, since not all was looked at.
	// Functions that the report has, and that could not be measured, are in neither: their comments stay.
	Absent string
	// Known are the fingerprints of all functions of the report.
	Known map[string]bool
}

// ReviewComment is Markdown, of at most 60 KiB, at a line of a file of head.
type ReviewComment struct {
	// Fingerprint is of the function, so that a comment is known again when its contract or what is said of it changes.
	Fingerprint string
	Path        string
	Line        int
	Body        string
}

// aboutContracts are the rules whose findings are worth a review comment.
var aboutContracts = []string{"strength/weak", "strength/dropped", "strength/mutant-survives"}

// NewReview renders a report for review comments, the most important first.
func NewReview(r *checks.Report, o Options) Review {
	const most, blurb = 60 << 10, "\nspecgate edits this comment when the contract changes.\n"
	v := newView(r, o)
	out := Review{Settled: map[string]string{}, Known: map[string]bool{}}
	index := map[string]int{}
	for _, f := range v.open {
		if !slices.Contains(aboutContracts, f.Rule) || !inRepository(f.File) || f.Span.Start.Line < 1 {
			continue
		}
		fingerprint := reviewFingerprint(f.Symbol, f.File)
		out.Known[fingerprint] = true
		body := v.finding(f)
		i, taken := index[fingerprint]
		switch {
		case !taken:
			index[fingerprint] = len(out.Comments)
			out.Comments = append(out.Comments, ReviewComment{Fingerprint: fingerprint, Path: f.File, Line: f.Span.Start.Line, Body: body})
		case len(out.Comments[i].Body)+len(body)+len(blurb) <= most:
			out.Comments[i].Body += body
		}
	}
	for i := range out.Comments {
		out.Comments[i].Body += blurb
	}
	at := ""
	if validRevision(r.Head.Rev) {
		at = " as of " + r.Head.Rev
	}
	for i := range r.Functions {
		f := &r.Functions[i]
		fingerprint := reviewFingerprint(f.Symbol, f.File)
		out.Known[fingerprint] = true
		_, weak := index[fingerprint]
		if s := f.Strength.Head; !weak && s != nil && s.Value != nil {
			out.Settled[fingerprint] = "Mended" + at + ": the contract of " + code(f.Symbol, 400) + " was measured again, and specgate no longer finds it weak (strength " + share01(*s.Value) + ").\n"
		}
	}
	if r.Outcome == checks.OutcomePass || r.Outcome == checks.OutcomeFindings {
		out.Absent = "Settled" + at + ": this function is no longer part of the change.\n"
	}
	return out
}

// reviewFingerprint of a function: 32 hexadecimal digits.
func reviewFingerprint(symbol, file string) string {
	sum := sha256.Sum256([]byte(file + "\x00" + symbol))
	return hex.EncodeToString(sum[:16])
}

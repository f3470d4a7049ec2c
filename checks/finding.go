package checks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// Finding is one thing that a reviewer should know.
type Finding struct {
	Rule     string          `json:"rule"`
	Severity policy.Severity `json:"severity"`
	// Symbol is the crate-relative Rust path of the item it is about; the path of the file when it is about no item.
	Symbol string `json:"symbol"`
	// File and Span are in the head tree. What head no longer has is reported at the start of the file it was in.
	File string       `json:"file"`
	Span source.Range `json:"span"`
	// Base is where it was; nil when base has no such place.
	Base *Place `json:"base"`
	// Message says what was found and why it matters here, in plain words.
	Message string `json:"message"`
	// Detail is more to read: the texts that differ, a call chain, a list. It may be empty.
	Detail  string   `json:"detail"`
	Witness *Witness `json:"witness"`
	// Fingerprint is made of rule, symbol and what changed, so it stays the same when the code moves or is reformatted.
	Fingerprint string `json:"fingerprint"`
	// Waived is the waiver that covers the finding; nil: none.
	Waived *WaiverRef `json:"waived"`

	// Undecided says that the finding is about something that had to be decided and could not be: unless it is waived or
	// switched off, the outcome is inconclusive.
	Undecided bool `json:"-"`
	// Change is the canonical text of what changed. It goes into the fingerprint and nowhere else.
	Change string `json:"-"`
	// Crate that the symbol is of; nil: it is no symbol of a crate. Two crates may have one symbol, and what was accepted in one is not
	// accepted in the other.
	Crate *model.Crate `json:"-"`
	// Common are findings at the definitions that its contract rests on, if it is about these. Their messages speak of all such contracts, and their Change is what
	// changed in the definition. More tells that it says more than that they changed. See Gather.
	Common []Finding `json:"-"`
	More   bool      `json:"-"`
	// Stands is how many findings it stands for; 0: for none but itself.
	Stands int `json:"-"`
	// Also are the symbols of what else it is about: functions of the same file, and a module or the crate as a whole. Only who accepts it for
	// each of them accepts it.
	Also []string `json:"-"`
}

// Place is a span of the base tree.
type Place struct {
	File string       `json:"file"`
	Span source.Range `json:"span"`
}

// Witness is a concrete case that shows the finding, in Rust literals.
type Witness struct {
	// Input holds the arguments before the call.
	Input string `json:"input"`
	// Result is what the function gives; empty when it was not run.
	Result string `json:"result"`
	// Wrong is a result that it does not give and that is accepted nevertheless; empty when the witness is an input alone.
	Wrong string `json:"wrong"`
}

// WaiverRef names a waiver of the policy.
type WaiverRef struct {
	ID string `json:"id"`
}

// separable escapes the byte that stands between the parts of a fingerprint.
var separable = strings.NewReplacer("\\", "\\\\", "\x00", "\\0")

// fingerprint of a finding, the nth of those that are equal otherwise: 32 hexadecimal digits. The parts are joined with a byte that none of them holds unescaped.
func (f Finding) fingerprint(n int) string {
	parts := []string{f.Rule, f.Symbol, f.Change}
	if n > 1 {
		parts[2] = fmt.Sprintf("%s\x00%d", f.Change, n)
	}
	if crate := crateOf(f.Crate); crate != "" {
		parts = append(parts, crate)
	}
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(separable.Replace(part)))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// SortFindings orders findings by file, position, rule, then by what is left, so that equal trees give equal bytes.
func SortFindings(fs []Finding) {
	slices.SortFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			comparePosition(a.Span.Start, b.Span.Start),
			comparePosition(a.Span.End, b.Span.End),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Symbol, b.Symbol),
			cmp.Compare(a.Fingerprint, b.Fingerprint),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Detail, b.Detail),
		)
	})
}

func comparePosition(a, b source.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

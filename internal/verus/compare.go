package verus

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// Identity is what stays the same about an error when code moves: what fails, where by symbol, and the text of the clause.
type Identity struct {
	Category Category
	// Function is its symbol; the file of an error that is in no known function; empty if it has no place.
	Function string
	// Clause is the text of what fails, token by token: layout and comments do not count.
	Clause string
}

// IdentityOf a diagnostic that Join has seen.
func IdentityOf(d Diagnostic) Identity {
	id := Identity{Category: d.Category, Function: cmp.Or(d.Function, d.Place.File), Clause: normal(d.Clause)}
	if id.Clause == "" {
		id.Clause = d.Message
	}
	return id
}

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

// Errors are the identities of the failing diagnostics of a run that Join has seen, sorted, as often as they occur. rename gives the
// head's symbol of a function of the base; nil keeps symbols.
func Errors(r *Run, rename func(string) string) []Identity {
	var out []Identity
	for _, d := range r.Diagnostics {
		if !d.Failing() {
			continue
		}
		id := IdentityOf(d)
		if rename != nil {
			id.Function = rename(id.Function)
		}
		out = append(out, id)
	}
	slices.SortFunc(out, compareIdentity)
	return out
}

func compareIdentity(a, b Identity) int {
	return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Clause, b.Clause))
}

// Progress compares the errors of two runs as multisets.
type Progress struct {
	// Fixed are in base and not in head, New the other way, Still in both.
	Fixed, New, Still []Identity
	// Regressed are those of head that had been resolved earlier.
	Regressed []Identity
	// Resolved is the share of the base's errors that are fixed, in [0, 1]; nil when base has none.
	Resolved *float64
	// RegressedShare is the share of the errors resolved earlier that are back, in [0, 1].
	RegressedShare float64
}

// Compare compares the errors of base, or of the previous push, with those of head. resolved are errors that were resolved between
// earlier pushes.
func Compare(base, head, resolved []Identity) Progress {
	p := Progress{
		Fixed:     minus(base, head),
		New:       minus(head, base),
		Still:     common(base, head),
		Regressed: common(resolved, head),
	}
	if len(base) > 0 {
		share := float64(len(p.Fixed)) / float64(len(base))
		p.Resolved = &share
	}
	p.RegressedShare = float64(len(p.Regressed)) / float64(max(len(resolved), 1))
	return p
}

// split divides a into what b has too, each as often as both have it, and the rest.
func split(a, b []Identity) (both, rest []Identity) {
	n := map[Identity]int{}
	for _, x := range b {
		n[x]++
	}
	for _, x := range a {
		if n[x] > 0 {
			n[x]--
			both = append(both, x)
		} else {
			rest = append(rest, x)
		}
	}
	slices.SortFunc(both, compareIdentity)
	slices.SortFunc(rest, compareIdentity)
	return both, rest
}

func minus(a, b []Identity) []Identity {
	_, rest := split(a, b)
	return rest
}

func common(a, b []Identity) []Identity {
	both, _ := split(a, b)
	return both
}

// Comparable tells whether costs of two runs may be compared: they are deterministic for one release on one platform, and the solver
// belongs to the release. Releases before costsCounted give the cost of a query to the next one.
func Comparable(a, b *Run) bool {
	return a.Version.Release >= costsCounted && a.Version.Release == b.Version.Release && a.Version.OS == b.Version.OS && a.Version.Arch == b.Version.Arch
}

// costsCounted is less than the first release that counts costs right, as a text: the change is of 2026-01-27.
const costsCounted = "0.2026.01.28"

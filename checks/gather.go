package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/policy"
)

// tooMany is how many findings may say the same of one definition. A person reads the definition once, however many contracts rest on it.
const tooMany = 10

// maxNamed is how many of them are named.
const maxNamed = 20

// Gather puts one finding at a definition in the place of those that say no more than that a contract rests on it, where they are more than ten of one
// rule and one severity. A finding that rests on several definitions is left out when it is told at all of them. Those for which keep is true stay as they are, and
// count for nothing. What is put in comes last, in the order of the first that it stands for, and its fingerprint holds those of all.
func Gather(findings []Finding, keep func(*Finding) bool) []Finding {
	type group struct {
		rule, definition string
		severity         policy.Severity
	}
	groupOf := func(f *Finding, c Finding) group {
		c.Rule = f.Rule
		return group{f.Rule, c.fingerprint(1), f.Severity}
	}
	members := map[group][]*Finding{}
	var order []group
	for i := range findings {
		f := &findings[i]
		if f.More || keep(f) {
			continue
		}
		for _, c := range f.Common {
			g := groupOf(f, c)
			if members[g] == nil {
				order = append(order, g)
			}
			members[g] = append(members[g], f)
		}
	}
	var out []Finding
	for i := range findings {
		f := &findings[i]
		if len(f.Common) == 0 || f.More || keep(f) || slices.ContainsFunc(f.Common, func(c Finding) bool { return len(members[groupOf(f, c)]) <= tooMany }) {
			out = append(out, *f)
		}
	}
	for _, g := range order {
		of := members[g]
		if len(of) <= tooMany {
			continue
		}
		i := slices.IndexFunc(of[0].Common, func(c Finding) bool { return groupOf(of[0], c) == g })
		f := of[0].Common[i]
		f.Rule, f.Severity, f.Stands = g.rule, g.severity, len(of)
		f.Message += fmt.Sprintf(" There are %d.", len(of))
		var names, fingerprints []string
		for _, m := range of {
			names = append(names, m.Symbol)
			fingerprints = append(fingerprints, m.Fingerprint)
			f.Undecided = f.Undecided || m.Undecided
		}
		rest := ""
		if len(names) > maxNamed {
			rest = fmt.Sprintf(", and %d more", len(names)-maxNamed)
			names = names[:maxNamed]
		}
		f.Detail = strings.TrimPrefix(f.Detail+"\nOn it rest "+strings.Join(names, ", ")+rest+".", "\n")
		slices.Sort(fingerprints)
		f.Change += "\x00" + strings.Join(fingerprints, "\x00")
		f.Fingerprint = f.fingerprint(1)
		out = append(out, f)
	}
	return out
}

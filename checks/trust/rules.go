package trust

import "github.com/specgate/specgate/checks"

// Rules of the family, by topic.
func Rules() []*checks.Rule {
	var out []*checks.Rule
	for _, r := range siteRules() {
		out = append(out, r.build())
	}
	out = append(out, functionRules()...)
	return append(out, fileRules()...)
}

package trust

import "github.com/specgate/specgate/checks"

// Rules of the family, by topic.
func Rules() []*checks.Rule {
	var out []*checks.Rule
	for _, r := range siteRules() {
		out = append(out, r.build())
	}
	out = append(append(out, functionRules()...), tokenRules()...)
	return append(out, fileRules()...)
}

package cli

import "testing"

func TestVersion(t *testing.T) {
	for _, c := range []struct{ name, sources, module, want string }{
		{"a release build", "0.1.0", "(devel)", "0.1.0"},
		{"go install of a release", "0.1.0", "v0.1.0", "0.1.0"},
		{"no module", "0.1.0", "", "0.1.0"},
		{"go install of a commit", "0.2.0-dev", "v0.1.1-0.20261201000000-eb8b9b21b2c3", "0.2.0-dev (v0.1.1-0.20261201000000-eb8b9b21b2c3)"},
		{"go build in a changed checkout of a release", "0.1.0", "v0.1.0+dirty", "0.1.0 (v0.1.0+dirty)"},
	} {
		if got := versionOf(c.sources, c.module); got != c.want {
			t.Errorf("%s: versionOf(%q, %q) = %q, want %q", c.name, c.sources, c.module, got, c.want)
		}
	}
}

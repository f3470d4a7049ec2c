// Package specgate holds what belongs to the repository as a whole: its version.
//
// The command is cmd/specgate; everything else is in internal, checks and annotate.
package specgate

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var version string

// Version is the version of these sources, such as 0.1.0, as semver.org writes it, without a v. It is that of a release in the commit that is tagged as
// the release, and has the suffix -dev in all others.
func Version() string { return strings.TrimSpace(version) }

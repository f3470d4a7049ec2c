package setup

import (
	"bufio"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed releases.txt
var releases string

var (
	releaseName = regexp.MustCompile(`^[0-9]+\.[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9a-f]{7,40}$`)
	sha256Hex   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// CheckRelease says what is wrong with the name of a release; nil: nothing.
func CheckRelease(release string) error {
	if !releaseName.MatchString(release) {
		return fmt.Errorf("%q is no release of Verus; releases look like 0.2026.09.27.3cf1832, and https://github.com/verus-lang/verus/releases lists them", release)
	}
	return nil
}

// KnownSHA256 is the hash of a release's zip that specgate itself knows, in lower-case hexadecimal; empty if it knows none.
func KnownSHA256(release, platform string) string {
	for _, r := range table(releases) {
		if r.release == release && r.platform == platform {
			return r.sha256
		}
	}
	return ""
}

type row struct{ release, platform, sha256 string }

// table reads the lines of releases.txt.
func table(text string) []row {
	var out []row
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 3 && words[0] != "#" {
			out = append(out, row{words[0], words[1], words[2]})
		}
	}
	return out
}

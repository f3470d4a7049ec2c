package app

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/github"
)

func TestReason(t *testing.T) {
	for body, want := range map[string]string{
		"specgate accept: reviewed":                      "reviewed",
		"  \n> quoted":                                   "",
		"SPECGATE ACCEPT:reviewed\r\n\r\nby  two people": "reviewed by two people",
		"specgate accept":                                "",
		"specgate accept:":                               "",
		"specgate accept: \u200b\u202e\x00\xff":          "",
		"> specgate accept: quoted from another":         "",
		"specgate accepts: reviewed":                     "",
		"specgate accept: " + strings.Repeat("é", 400):   strings.Repeat("é", 299) + "…",
	} {
		if got, ok := reasonOf(body); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", body, got, ok, want)
		}
	}
}

func TestReasonBy(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }
	remarks := []github.Remark{
		{ID: 1, Author: 1, Created: at(1), Body: "specgate accept: before"},
		{ID: 2, Author: 1, Created: at(5), Body: "specgate accept: at the same second"},
		{ID: 4, Author: 1, Created: at(9), Body: "specgate accept: second of a second"},
		{ID: 3, Author: 1, Created: at(9), Body: "specgate accept: first of a second"},
		{ID: 5, Author: 1, Created: at(8), Body: "specgate accept: earlier"},
		{ID: 6, Author: 2, Created: at(10), Body: "specgate accept: another"},
		{ID: 7, Author: 1, Created: at(11), Body: "thanks"},
	}
	for _, k := range []struct {
		author int64
		after  int
		want   string
	}{{1, 5, "second of a second"}, {2, 5, "another"}, {3, 5, ""}, {1, 9, ""}, {1, 0, "second of a second"}} {
		if got, found := reasonBy(remarks, k.author, at(k.after)); got != k.want || found != (k.want != "") {
			t.Errorf("%d after %d: got %q, %v, want %q", k.author, k.after, got, found, k.want)
		}
	}
}

// FuzzReason: whatever a comment says, its reason is one line of a bounded length that shows all that it has.
func FuzzReason(f *testing.F) {
	f.Add("specgate accept: reviewed\r\nby two")
	f.Add("specgate accept: \x00\u202e\xff<b>`|")
	f.Add(" Specgate Accept:x")
	f.Fuzz(func(t *testing.T, body string) {
		reason, ok := reasonOf(body)
		if ok != (reason != "") || !utf8.ValidString(reason) || utf8.RuneCountInString(reason) > maxReason || strings.TrimSpace(reason) != reason ||
			strings.ContainsFunc(reason, func(c rune) bool { return c != ' ' && (unicode.IsSpace(c) || !unicode.IsGraphic(c)) }) {
			t.Errorf("%q: %q, %v", body, reason, ok)
		}
	})
}

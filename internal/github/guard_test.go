package github

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"
)

type never struct{ t *testing.T }

func (n never) RoundTrip(req *http.Request) (*http.Response, error) {
	n.t.Errorf("%s was sent", req.URL)
	return nil, errors.New("sent")
}

// TestGuard: whatever asks for it, a library included, nothing is sent elsewhere.
func TestGuard(t *testing.T) {
	base, err := parseBase("https://github.example/api/v3")
	if err != nil {
		t.Fatal(err)
	}
	g := &guard{next: never{t}, base: base, clock: machineClock{}, timeout: time.Second, log: slog.New(slog.DiscardHandler)}
	for _, text := range []string{"https://evil.example/api/v3/user", "http://github.example/api/v3/user", "https://github.example:444/api/v3/user", "https://github.example.evil.example/", "//x",
		"https://github.example/api/v3/repos/acme/../../user", "https://github.example/api/v3/repos/..", "https://github.example/api/v3//user"} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, app := range []http.RoundTripper{g, bearer{g, "secret"}} {
			resp, err := app.RoundTrip(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}})
			if err == nil {
				resp.Body.Close()
				t.Errorf("%s: no error", text)
			}
		}
	}
}

func TestPatchLines(t *testing.T) {
	for _, c := range []struct {
		patch string
		want  []int
	}{
		{"", nil},
		{"@@ -1 +1 @@\n-a\n+b", []int{1}},
		{"@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file", []int{1, 2}},
		{"@@ -1,2 +1,2 @@ fn\n a\n-b\n+c\n@@ -10,2 +10,1 @@\n x\n-y", []int{1, 2, 10}},
		{"+a\n b", nil},
		{"@@ -1 +99999999999999999999 @@\n+a", nil},
	} {
		got := patchLines(c.patch)
		ok := len(got) == len(c.want)
		for _, n := range c.want {
			ok = ok && got[n]
		}
		if !ok {
			t.Errorf("%q shows %v, want %v", c.patch, got, c.want)
		}
	}
}

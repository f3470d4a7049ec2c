package setup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDownload has what servers do, in one or several answers, and what comes of it.
func TestDownload(t *testing.T) {
	archive := zipOf(t, good())
	n := len(archive)
	half := n / 2
	rest := fmt.Sprintf("bytes=%d-", half)
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", code) }
	}
	// noRanges answers as one that has never heard of them.
	noRanges := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		_, _ = w.Write(archive)
	}
	part := func(header string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", header)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(body)
		}
	}
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc // the last one again and again
		asked   []string
		want    string // the error
	}{
		{"good", []http.HandlerFunc{content(archive, `"a"`)}, []string{""}, ""},
		{"cut off, and taken up again", []http.HandlerFunc{cut(archive, half, `"a"`), content(archive, `"a"`)}, []string{"", rest}, ""},
		{"cut off, and no ranges", []http.HandlerFunc{cut(archive, half, `"a"`), noRanges}, []string{"", rest}, ""},
		{"cut off, and another file since", []http.HandlerFunc{cut([]byte(strings.Repeat("x", n)), half, `"old"`), content(archive, `"a"`)}, []string{"", rest}, ""},
		{"cut off, without a validator", []http.HandlerFunc{cut(archive, half, ""), content(archive, "")}, []string{"", ""}, ""},
		{"cut off, with a weak validator", []http.HandlerFunc{cut(archive, half, `W/"a"`), content(archive, `W/"a"`)}, []string{"", ""}, ""},
		{"busy, then good", []http.HandlerFunc{status(503), status(429), content(archive, `"a"`)}, []string{"", "", ""}, ""},
		{"another part than asked for", []http.HandlerFunc{cut(archive, half, `"a"`), part(fmt.Sprintf("bytes 7-%d/%d", n-1, n), archive[7:]), content(archive, `"a"`)}, []string{"", rest, ""}, ""},
		{"a part that nobody asked for", []http.HandlerFunc{part(fmt.Sprintf("bytes 0-%d/%d", n-1, n), archive), content(archive, `"a"`)}, []string{"", ""}, ""},
		{"no more than that", []http.HandlerFunc{cut(archive, half, `"a"`), status(416), content(archive, `"a"`)}, []string{"", rest, ""}, ""},
		{"always cut off", []http.HandlerFunc{cut(archive, half, "")}, []string{"", "", "", ""},
			"download URL: the download did not succeed: unexpected EOF; check the network, or get the zip in another way and name it with --from"},
		{"missing", []http.HandlerFunc{status(404)}, []string{""},
			"download URL: there is no such file (404); check the release, or get the zip in another way and name it with --from"},
		{"forbidden", []http.HandlerFunc{status(403)}, []string{""}, "download URL: the server answered 403 Forbidden"},
		{"broken", []http.HandlerFunc{status(500)}, []string{"", "", "", ""}, "download URL: the server answered 500 Internal Server Error: the download did not succeed"},
		{"far too large", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "3221225472") }}, []string{""},
			"download URL: it has 3221225472 bytes, and the most is 2147483648"},
		{"round and round", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }}, nil,
			"download URL: the download did not succeed: it redirects more than 5 times; check the network, or get the zip in another way and name it with --from"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s *server
			at := 0
			s = serve(t, func(w http.ResponseWriter, r *http.Request) {
				s.mu.Lock()
				answer := c.answers[min(at, len(c.answers)-1)]
				at++
				s.mu.Unlock()
				answer(w, r)
			})
			r := request(t)
			r.From = s.URL + "/verus.zip"
			_, err := Verus(t.Context(), r)
			got := ""
			if err != nil {
				got = strings.ReplaceAll(err.Error(), r.From, "URL")
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if diff := cmp.Diff(c.asked, s.asked()); diff != "" && c.asked != nil {
				t.Errorf("ranges (-want +got):\n%s", diff)
			}
			if err == nil {
				for _, name := range tree(t, filepath.Join(r.Data, "downloads")) {
					t.Errorf("left behind: %s", name)
				}
			}
		})
	}
}

func TestNoNetwork(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close() // nobody listens there now
	r := request(t)
	r.From = s.URL + "/verus.zip"
	_, err := Verus(t.Context(), r)
	address := strings.TrimPrefix(s.URL, "http://")
	want := "download " + r.From + ": the download did not succeed: dial tcp " + address + ": connect: connection refused; check the network, or get the zip in another way and name it with --from"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestPassword keeps a password in a URL out of messages.
func TestPassword(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	r := request(t)
	r.From = strings.Replace(s.URL, "http://", "http://me:secret@", 1)
	var said []string
	r.Say = func(line string) { said = append(said, line) }
	_, err := Verus(t.Context(), r)
	if err == nil || strings.Contains(err.Error()+strings.Join(said, ""), "secret") {
		t.Errorf("got %v, said %q", err, said)
	}
}

// TestInterrupted ends a download in the middle, and has the next one go on.
func TestInterrupted(t *testing.T) {
	archive := zipOf(t, good())
	half := len(archive) / 2
	started := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
		_, _ = w.Write(archive[:half])
		_ = http.NewResponseController(w).Flush()
		close(started)
		<-r.Context().Done()
	})
	r := request(t)
	r.From = s.URL + "/verus.zip"
	ctx, cancel := context.WithCancelCause(t.Context())
	received := make(chan struct{})
	r.Progress = func(done, total int64) {
		if total != int64(len(archive)) {
			t.Errorf("total %d", total)
		}
		if done == int64(half) {
			close(received)
		}
	}
	go func() {
		<-started
		<-received
		cancel(errors.New("interrupted"))
	}()
	_, err := Verus(ctx, r)
	if want := "download " + r.From + ": interrupted; run it again to go on where it stopped"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	info, err := os.Stat(filepath.Join(r.Data, "downloads", "verus-"+release+"-x86-linux.zip.partial"))
	if err != nil || info.Size() != int64(half) {
		t.Fatalf("kept %v, %v", info, err)
	}
	s.use(content(archive, `"a"`))
	var first int64 = -1
	r.Progress = func(done, total int64) {
		if first < 0 {
			first = done
		}
	}
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"", fmt.Sprintf("bytes=%d-", half)}, s.asked()); diff != "" {
		t.Errorf("ranges (-want +got):\n%s", diff)
	}
	if first != int64(half) {
		t.Errorf("went on at %d", first)
	}
}

// TestWholePart has all of the file there but its name: the process was killed after the last byte.
func TestWholePart(t *testing.T) {
	archive := zipOf(t, good())
	s := serve(t, content(archive, `"a"`))
	r := request(t)
	r.From = s.URL + "/verus.zip"
	part := filepath.Join(r.Data, "downloads", "verus-"+release+"-x86-linux.zip.partial")
	write(t, part, archive, 0o644)
	write(t, part+".json", fmt.Appendf(nil, `{"url":%q,"etag":"\"a\""}`, r.From), 0o644)
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{fmt.Sprintf("bytes=%d-", len(archive))}, s.asked()); diff != "" {
		t.Errorf("ranges (-want +got):\n%s", diff)
	}
}

// TestOtherPart has the part of another URL there: it is not gone on with.
func TestOtherPart(t *testing.T) {
	archive := zipOf(t, good())
	s := serve(t, content(archive, `"a"`))
	r := request(t)
	r.From = s.URL + "/verus.zip"
	part := filepath.Join(r.Data, "downloads", "verus-"+release+"-x86-linux.zip.partial")
	write(t, part, []byte("something else"), 0o644)
	write(t, part+".json", []byte(`{"url":"https://example.com/","etag":"\"a\""}`), 0o644)
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{""}, s.asked()); diff != "" {
		t.Errorf("ranges (-want +got):\n%s", diff)
	}
}

// TestRedirects has where the file of a release may come from.
func TestRedirects(t *testing.T) {
	parse := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	from := DefaultURL(release, platform)
	if want := "https://github.com/verus-lang/verus/releases/download/release/0.2026.08.15.7d4628a/verus-0.2026.08.15.7d4628a-x86-linux.zip"; from != want {
		t.Errorf("got %s", from)
	}
	for _, c := range []struct {
		from  string
		hosts []string
		to    string
		want  string
	}{
		{from, assetHosts, "https://release-assets.githubusercontent.com/x?sig=y", ""},
		{from, assetHosts, "https://objects.githubusercontent.com/x", ""},
		{from, assetHosts, "http://objects.githubusercontent.com/x", "it redirects to objects.githubusercontent.com without TLS"},
		{from, assetHosts, "https://objects.githubusercontent.com.example.com/x", "it redirects to objects.githubusercontent.com.example.com, which is no host of GitHub's releases"},
		{from, assetHosts, "https://objects.githubusercontent.com:444/x", "it redirects to objects.githubusercontent.com:444, which is no host of GitHub's releases"},
		{from, assetHosts, "https://github.com@example.com/x", "it redirects to example.com, which is no host of GitHub's releases"},
		{from, assetHosts, "file:///etc/passwd", "it redirects to  without TLS"},
		{"https://example.com/verus.zip", nil, "https://cdn.example.org/x", ""},
		{"https://example.com/verus.zip", nil, "http://example.com/x", "it redirects to example.com without TLS"},
		{"http://localhost/verus.zip", nil, "http://localhost/x", ""},
	} {
		d := &download{url: parse(c.from), hosts: c.hosts}
		got := ""
		if err := d.redirect(&http.Request{URL: parse(c.to)}, make([]*http.Request, 1)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("from %s to %s: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
	// A real one is followed.
	archive := zipOf(t, good())
	second := serve(t, content(archive, `"a"`))
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, second.URL+"/signed?token=secret", http.StatusFound)
	})
	r := request(t)
	r.From = first.URL
	if _, err := Verus(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	// And what is said of a failure behind it has no signature.
	second.Close()
	r = request(t)
	r.From = first.URL
	if _, err := Verus(t.Context(), r); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func FuzzContentRange(f *testing.F) {
	for _, seed := range []string{"bytes 5-9/10", "bytes */10", "bytes 5-9/*", "bytes 5-", "items 1-2/3", "bytes -5-9/10", "bytes 99999999999999999999-1/2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		start, size, ok := contentRange(header)
		if ok && (start < -1 || size < -1) || !ok && (start != 0 || size != 0) {
			t.Errorf("%q: %d, %d, %v", header, start, size, ok)
		}
	})
}

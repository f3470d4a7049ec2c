package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxDownload is the most bytes of a zip. That of a release of 2026 has about 300 MB.
	maxDownload = 2 << 30
	// attempts is how often a download is begun or taken up again.
	attempts = 4
	// stall is the longest time without a byte.
	stall = 60 * time.Second
)

// assetHosts are where GitHub serves the assets of releases from: https://api.github.com/meta, domains.website and the redirects.
var assetHosts = []string{"github.com", "objects.githubusercontent.com", "release-assets.githubusercontent.com"}

// errNetwork means that the file could not be got, for now.
var errNetwork = errors.New("the download did not succeed")

// download is one file that is being fetched. It goes to path+".partial" and is renamed when it is whole, so that path is never
// a part; what was fetched before an interruption is kept, and fetched on when the server says that the file is the same.
type download struct {
	url  *url.URL
	path string
	// hosts are those that a redirect may lead to; nil: any.
	hosts  []string
	pause  time.Duration // before the second attempt; doubled each time
	report func(done, total int64)
}

// origin is what is known of a part, beside it.
type origin struct {
	URL string `json:"url"`
	// ETag and Modified are the validators that the server gave. A part without one is not fetched on.
	ETag     string `json:"etag"`
	Modified string `json:"lastModified"`
}

func (o origin) validator() string {
	if o.ETag != "" && !strings.HasPrefix(o.ETag, "W/") { // a weak one says nothing about bytes
		return o.ETag
	}
	return o.Modified
}

func (d *download) partial() string { return d.path + ".partial" }
func (d *download) beside() string  { return d.path + ".partial.json" }

// remove removes what was fetched.
func (d *download) remove() error {
	var errs []error
	for _, name := range []string{d.path, d.partial(), d.beside()} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// run fetches the file, unless it is there.
func (d *download) run(ctx context.Context) error {
	if _, err := os.Stat(d.path); err == nil {
		return nil
	}
	client := &http.Client{Transport: transport(), CheckRedirect: d.redirect}
	defer client.CloseIdleConnections()
	pause := d.pause
	for n := 1; ; n++ {
		err := d.attempt(ctx, client)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return fmt.Errorf("download %s: %w; run it again to go on where it stopped", d.name(), context.Cause(ctx))
		}
		if !errors.Is(err, errNetwork) || n == attempts {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause *= 2
	}
	if err := os.Rename(d.partial(), d.path); err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	if err := os.Remove(d.beside()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	return nil
}

// name is the URL as messages have it, without a password.
func (d *download) name() string { return d.url.Redacted() }

func transport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   30 * time.Second,
		ResponseHeaderTimeout: stall,
		DisableCompression:    true, // ranges are of the file as it is
		ForceAttemptHTTP2:     true,
	}
}

// redirect refuses to follow where the file does not come from.
func (d *download) redirect(req *http.Request, via []*http.Request) error {
	to := req.URL
	switch {
	case len(via) > 5:
		return errors.New("it redirects more than 5 times")
	case d.url.Scheme == "https" && to.Scheme != "https":
		return fmt.Errorf("it redirects to %s without TLS", to.Host)
	case d.hosts != nil && !slices.Contains(d.hosts, to.Host):
		return fmt.Errorf("it redirects to %s, which is no host of GitHub's releases", to.Host)
	}
	return nil
}

// attempt fetches what is missing.
func (d *download) attempt(ctx context.Context, client *http.Client) (err error) {
	f, err := os.OpenFile(d.partial(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	from := d.origin()
	if from.URL != d.url.String() || from.validator() == "" {
		have = 0
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer watch.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url.String(), nil)
	if err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	req.Header.Set("User-Agent", "specgate")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		req.Header.Set("If-Range", from.validator())
	}
	res, err := client.Do(req)
	if err != nil {
		return d.failed(ctx, err)
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()

	total := int64(-1)
	switch res.StatusCode {
	case http.StatusOK: // the whole file: the first time, when it is another one now, or when the server knows no ranges
		have, total = 0, res.ContentLength
	case http.StatusPartialContent:
		start, size, ok := contentRange(res.Header.Get("Content-Range"))
		if !ok || start != have || have == 0 {
			return d.forget(fmt.Errorf("download %s: the server sent another part than it was asked for (%q): %w", d.name(), res.Header.Get("Content-Range"), errNetwork))
		}
		total = size
	case http.StatusRequestedRangeNotSatisfiable: // there is nothing after what is here: either all of it is, or it is not of this file
		if _, size, ok := contentRange(res.Header.Get("Content-Range")); ok && size == have && have > 0 {
			return nil
		}
		return d.forget(fmt.Errorf("download %s: the server has no more of it: %w", d.name(), errNetwork))
	case http.StatusNotFound:
		return fmt.Errorf("download %s: there is no such file (404); check the release, or get the zip in another way and name it with --from", d.name())
	default:
		err := fmt.Errorf("download %s: the server answered %s", d.name(), res.Status)
		if res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests {
			return fmt.Errorf("%w: %w", err, errNetwork)
		}
		return err
	}
	if total > maxDownload {
		return fmt.Errorf("download %s: it has %d bytes, and the most is %d", d.name(), total, int64(maxDownload))
	}
	if err := f.Truncate(have); err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	if have == 0 {
		if err := d.remember(origin{URL: d.url.String(), ETag: res.Header.Get("ETag"), Modified: res.Header.Get("Last-Modified")}); err != nil {
			return fmt.Errorf("download %s: %w", d.name(), err)
		}
	}
	done := have
	d.report(done, total)
	buf := make([]byte, 256<<10)
	for {
		n, readErr := res.Body.Read(buf)
		if n > 0 {
			watch.Reset(stall)
			if done += int64(n); done > maxDownload {
				return d.forget(fmt.Errorf("download %s: it has more than %d bytes, the most that is taken", d.name(), int64(maxDownload)))
			}
			if _, err := f.Write(buf[:n]); err != nil {
				return fmt.Errorf("download %s: %w; free space there, or name another directory with --dir", d.name(), err)
			}
			d.report(done, total)
		}
		if errors.Is(readErr, io.EOF) {
			break
		}
		if readErr != nil {
			return d.failed(ctx, readErr)
		}
	}
	if total >= 0 && done != total {
		return fmt.Errorf("download %s: it ended after %d of %d bytes: %w", d.name(), done, total, errNetwork)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("download %s: %w", d.name(), err)
	}
	return nil
}

// failed is the error of a request or of reading its answer.
func (d *download) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	// What http says repeats the URL, after redirects with the signature in it.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("download %s: %w: %w; check the network, or get the zip in another way and name it with --from", d.name(), errNetwork, err)
}

// forget makes the next attempt begin anew.
func (d *download) forget(err error) error {
	return errors.Join(err, d.remove())
}

func (d *download) origin() origin {
	var o origin
	text, err := os.ReadFile(d.beside())
	if err != nil || json.Unmarshal(text, &o) != nil {
		return origin{} // then the part is of no use
	}
	return o
}

func (d *download) remember(o origin) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(d.beside(), text, 0o644)
}

// contentRange reads "bytes 5-9/10" and "bytes */10", where start is -1. size is -1 if the server does not know it.
func contentRange(header string) (start, size int64, ok bool) {
	rest, ok := strings.CutPrefix(header, "bytes ")
	if !ok {
		return 0, 0, false
	}
	span, whole, ok := strings.Cut(rest, "/")
	if !ok {
		return 0, 0, false
	}
	start, size = -1, -1
	var err error
	if whole != "*" {
		if size, err = strconv.ParseInt(whole, 10, 64); err != nil || size < 0 {
			return 0, 0, false
		}
	}
	if span != "*" {
		first, _, ok := strings.Cut(span, "-")
		if start, err = strconv.ParseInt(first, 10, 64); !ok || err != nil || start < 0 {
			return 0, 0, false
		}
	}
	return start, size, true
}

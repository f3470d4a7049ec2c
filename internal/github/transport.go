package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// maxAnswer is the most bytes of an answer that are read.
const maxAnswer = 32 << 20

// guard sends requests to one host only, waits where GitHub asks for it, and tries again what does no harm.
type guard struct {
	next    http.RoundTripper
	base    *url.URL
	clock   Clock
	timeout time.Duration
	maxWait time.Duration
	log     *slog.Logger
	agent   string
}

// ours tells whether the token may go to an address.
func (g *guard) ours(u *url.URL) bool { return u.Scheme == g.base.Scheme && u.Host == g.base.Host }

// redirect follows those within the host that keep the method: docs.github.com, "Best practices for using the REST API", says that 307
// and 308 repeat the request as it is, and 301 is the answer to a GET of a repository that was renamed.
func (g *guard) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case !g.ours(req.URL):
		return fmt.Errorf("%w: to %s://%s", errRedirect, req.URL.Scheme, req.URL.Host)
	case req.Method != via[0].Method:
		return fmt.Errorf("%w: from %s to %s", errRedirect, via[0].Method, req.Method)
	case len(via) > 3:
		return fmt.Errorf("%w: more than three", errRedirect)
	}
	return nil
}

var errRedirect = errors.New("a redirect is not followed")

// RoundTrip sends a request, again if need be, and reads the whole answer.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if !g.ours(req.URL) || strings.Contains(req.URL.Path, "/../") || path.Clean(req.URL.Path) != strings.TrimSuffix(req.URL.Path, "/") {
		return nil, fmt.Errorf("send a request to %s://%s: it is not an address of %s, and the token is for that alone", req.URL.Scheme, req.URL.Host, g.base)
	}
	left := g.maxWait
	for n := 0; ; n++ {
		resp, err := g.once(req)
		if err != nil && req.Context().Err() != nil {
			return nil, err
		}
		var pause time.Duration
		var giveUp error
		switch {
		case err == nil && limited(resp):
			// GitHub has not acted on such a request, so it can be repeated whatever it is.
			err = fmt.Errorf("GitHub answers %s: too many requests", resp.Status)
			pause = limitPause(resp, g.clock.Now())
			giveUp = &LimitError{After: pause, err: err}
		case err == nil && !down(resp):
			// The library would refuse to send anything until then; waiting is done here.
			resp.Header.Del("X-RateLimit-Reset")
			return resp, nil
		default:
			pause = backoff(n)
			if err == nil {
				err = fmt.Errorf("GitHub answers %s", resp.Status)
				pause = max(pause, retryAfter(resp, g.clock.Now()))
			}
			giveUp = &LostError{err: err, final: repeatable(req)}
			if !repeatable(req) {
				return nil, giveUp
			}
		}
		if pause > left || req.Body != nil && req.GetBody == nil {
			return nil, giveUp
		}
		left -= pause
		g.log.Warn("ask GitHub again", "method", req.Method, "path", req.URL.Path, "after", pause, "error", err)
		if sleepErr := g.clock.Sleep(req.Context(), pause); sleepErr != nil {
			return nil, errors.Join(sleepErr, err)
		}
	}
}

// down tells an answer that says that GitHub, or what stands before it, cannot answer now.
func down(resp *http.Response) bool {
	return resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusGatewayTimeout
}

// repeatable tells whether a request changes nothing that a second one would change again. A new token for an installation harms nobody.
func repeatable(req *http.Request) bool {
	return req.Method == http.MethodGet || strings.HasSuffix(req.URL.Path, "/access_tokens")
}

// once sends a request and reads the answer into memory, within the time limit.
func (g *guard) once(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), g.timeout)
	defer cancel()
	again := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	if g.agent != "" {
		again.Header.Set("User-Agent", g.agent)
	}
	// docs.github.com, "API Versions": an answer keeps its form for the version that is asked for.
	again.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	resp, err := g.next.RoundTrip(again)
	if err != nil {
		return nil, g.explain(req, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, g.explain(req, fmt.Errorf("read the answer: %w", err))
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("read the answer: it has more than %d MiB", maxAnswer>>20)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp, nil
}

// explain names the time limit, which the error of the standard library does not.
func (g *guard) explain(req *http.Request, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && req.Context().Err() == nil {
		return fmt.Errorf("GitHub did not answer within %v", g.timeout)
	}
	return err
}

// limited tells an answer that asks to come back later from one that says no. docs.github.com, "Rate limits for the REST API": both come as
// 403 or 429; the primary limit with x-ratelimit-remaining: 0, a secondary one with Retry-After or a message that names it.
func limited(resp *http.Response) bool {
	if resp.StatusCode == http.StatusTooManyRequests {
		return true
	}
	if resp.StatusCode != http.StatusForbidden {
		return false
	}
	if resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0" {
		return true
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	body = bytes.ToLower(body)
	return err == nil && (bytes.Contains(body, []byte("secondary rate limit")) || bytes.Contains(body, []byte("secondary-rate-limits")))
}

// limitPause follows the same page: Retry-After if it is there; else until x-ratelimit-reset when nothing remains; else a minute at least.
func limitPause(resp *http.Response, now time.Time) time.Duration {
	if d := retryAfter(resp, now); d > 0 {
		return d
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		if at, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(time.Unix(at, 0).Sub(now), time.Second)
		}
	}
	return time.Minute
}

// retryAfter reads the header, in seconds or as a date (RFC 9110, 10.2.3); 0 if there is none.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	text := resp.Header.Get("Retry-After")
	// More than a day is no different from a day: nobody waits that long.
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(min(seconds, 86400)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

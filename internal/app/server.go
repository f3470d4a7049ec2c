package app

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/semaphore"
)

const (
	// maxBody is the most that GitHub sends (docs.github.com, "Webhook events and payloads": 25 MB).
	maxBody = 25 << 20
	// bodyMemory bounds what all bodies that are being read take at once: their senders are not known yet.
	bodyMemory = 64 << 20
	// storeTime is how long an event may take to be stored. GitHub gives up after 10 s.
	storeTime = 8 * time.Second
)

var (
	// docs.github.com, "Validating webhook deliveries".
	signaturePattern = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)
	// docs.github.com, "Webhook events and payloads": a GUID.
	deliveryPattern = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)
	eventPattern    = regexp.MustCompile(`^[a-z_]{1,64}$`)
)

// handler serves the webhook and what its operators ask.
func (a *App) handler() http.Handler {
	mux := http.NewServeMux()
	bodies := semaphore.NewWeighted(bodyMemory)
	mux.HandleFunc("POST /webhook", func(w http.ResponseWriter, r *http.Request) { a.webhook(w, r, bodies) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", a.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.metrics.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // the very value that net/http documents
					panic(p)
				}
				a.metrics.panics.Inc()
				a.log.Error("a request panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				answer(w, http.StatusInternalServerError, "internal error")
			}
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // who asked is gone
}

// ready: events can be stored, and jobs are taken.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	if !a.working.Load() {
		answer(w, http.StatusServiceUnavailable, "the workers are not started, or are stopping")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := a.db.within(ctx, func(t tx) error {
		var n int
		return one(ctx, t, "SELECT COUNT(*) FROM specgate_schema", nil, &n)
	}); err != nil {
		a.log.Warn("the database does not answer", "error", err)
		answer(w, http.StatusServiceUnavailable, "the database does not answer")
		return
	}
	answer(w, http.StatusOK, "ok")
}

// webhook takes an event: checked, stored with its job in one transaction, and then answered. What has to be done is done later.
func (a *App) webhook(w http.ResponseWriter, r *http.Request, bodies *semaphore.Weighted) {
	name, result := "unknown", "refused"
	defer func() { a.metrics.delivery(name, result) }()
	refuse := func(status int, text string) {
		// Anybody can have this said, as often as they like.
		a.log.Debug("a request to the webhook is refused", "from", r.RemoteAddr, "status", status, "why", text)
		w.Header().Set("Connection", "close") // what is left of the body is not read
		answer(w, status, text)
	}
	signature := r.Header.Get("X-Hub-Signature-256")
	switch {
	case signature == "":
		refuse(http.StatusUnauthorized, "the signature is missing: X-Hub-Signature-256; give the webhook a secret")
		return
	case !signaturePattern.MatchString(signature):
		refuse(http.StatusUnauthorized, "X-Hub-Signature-256 is no signature: want sha256= and 64 hexadecimal digits in lower case")
		return
	}
	if r.ContentLength > maxBody {
		refuse(http.StatusRequestEntityTooLarge, tooLarge)
		return
	}
	body, held, err := readBody(w, r, bodies)
	defer bodies.Release(held)
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "10")
		refuse(http.StatusServiceUnavailable, "too much is being received at once")
		return
	case errors.As(err, &large):
		refuse(http.StatusRequestEntityTooLarge, tooLarge)
		return
	case err != nil:
		refuse(http.StatusBadRequest, "the body did not come whole")
		return
	}
	if !signed(a.config.WebhookSecret, signature, body) {
		refuse(http.StatusUnauthorized, "the signature is not that of the webhook's secret")
		return
	}

	// From here on it is GitHub that speaks.
	name = r.Header.Get("X-GitHub-Event")
	delivery := r.Header.Get("X-GitHub-Delivery")
	if !eventPattern.MatchString(name) || !deliveryPattern.MatchString(delivery) {
		a.log.Warn("an event is refused: X-GitHub-Event or X-GitHub-Delivery is missing or not valid")
		answer(w, http.StatusBadRequest, "X-GitHub-Event or X-GitHub-Delivery is missing or not valid")
		return
	}
	log := a.log.With("delivery", delivery, "event", name)
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		log.Warn("an event is refused: the content type of the webhook is not application/json")
		answer(w, http.StatusUnsupportedMediaType, "set the content type of the webhook to application/json")
		return
	}
	e, err := parseEvent(name, body, a.config.AppID)
	if err != nil {
		log.Warn("an event is refused: it is not valid", "error", err)
		answer(w, http.StatusBadRequest, "the event is not valid")
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), storeTime)
	defer cancel()
	var first bool
	err = a.db.within(ctx, func(t tx) (err error) {
		if first, err = arrived(ctx, t, delivery, e, a.now()); err != nil || !first {
			return err
		}
		return apply(ctx, t, e, a.now())
	})
	switch {
	case err != nil:
		result = "error"
		log.Error("an event could not be stored", "error", err)
		answer(w, http.StatusServiceUnavailable, "the event could not be stored")
	case !first:
		result = "replayed"
		log.Debug("event that came before", "action", e.action, "repo", e.repoName, "head", e.head)
		answer(w, http.StatusOK, "this delivery was taken before")
	case e.effect == 0:
		result = "ignored"
		log.Debug("event that means nothing here", "action", e.action)
		answer(w, http.StatusOK, "ignored")
	default:
		result = "accepted"
		log.Info("event", "action", e.action, "repo", e.repoName, "head", e.head, "pull", e.pull)
		answer(w, http.StatusAccepted, "accepted")
	}
}

const tooLarge = "the body is larger than what GitHub sends"

var errBusy = errors.New("the memory for bodies is used up")

// readBody reads a body, and takes memory for it as it comes, so that who sends slowly holds little. held is what it took.
func readBody(w http.ResponseWriter, r *http.Request, bodies *semaphore.Weighted) (body []byte, held int64, err error) {
	const step = 16 << 10
	var b bytes.Buffer
	limited := http.MaxBytesReader(w, r.Body, maxBody)
	for {
		if !bodies.TryAcquire(step) {
			return nil, held, errBusy
		}
		held += step
		switch _, err := io.CopyN(&b, limited, step); {
		case errors.Is(err, io.EOF):
			return b.Bytes(), held, nil
		case err != nil:
			return nil, held, err
		}
	}
}

// signed compares in constant time.
func signed(secret []byte, signature string, body []byte) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

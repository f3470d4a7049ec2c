package app

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/specgate/specgate/internal/github"
)

// maxClients bounds how many tokens are kept.
const maxClients = 500

// clients keeps one client for each repository, so that its token is used as long as it is good.
type clients struct {
	baseURL, agent string
	appID          int64
	key            []byte
	transport      http.RoundTripper
	left           *prometheus.GaugeVec
	wait           time.Duration
	log            *slog.Logger

	mu   sync.Mutex
	kept map[clientKey]*github.Client
}

type clientKey struct {
	repo         github.Repo
	installation int64
	comments     bool
}

// get is the client of a repository. With comments its token may write comments, which not every installation allows.
func (c *clients) get(repo github.Repo, installation int64, comments bool) (*github.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := clientKey{repo, installation, comments}
	if client, ok := c.kept[key]; ok {
		return client, nil
	}
	client, err := github.New(github.Options{BaseURL: c.baseURL, UserAgent: c.agent, MaxWait: c.wait, Log: c.log,
		Transport: &counted{next: c.transport, left: c.left, installation: strconv.FormatInt(installation, 10)},
		App:       &github.App{ID: c.appID, InstallationID: installation, PrivateKey: c.key, Repository: repo, Comments: comments}})
	if err != nil {
		return nil, err
	}
	if len(c.kept) >= maxClients {
		clear(c.kept)
	}
	c.kept[key] = client
	return client, nil
}

// forget drops the clients of a repository, with their tokens.
func (c *clients) forget(repo string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.kept {
		if key.repo.String() == repo {
			delete(c.kept, key)
		}
	}
}

// counted notes how many requests GitHub says are left to the installation.
type counted struct {
	next http.RoundTripper
	left *prometheus.GaugeVec
	// installation is the label of left.
	installation string
}

func (t *counted) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		if n, parseErr := strconv.ParseUint(resp.Header.Get("X-RateLimit-Remaining"), 10, 32); parseErr == nil {
			t.left.WithLabelValues(t.installation).Set(float64(n))
		}
	}
	return resp, err
}

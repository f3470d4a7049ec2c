package app_test

import (
	mathrand "math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
)

// newServer is a server that is not started yet.
func newServer(tb testing.TB, w *apptest.World, database string) *apptest.Server {
	tb.Helper()
	name, err := binary()
	if err != nil {
		tb.Fatal(err)
	}
	return w.NewServer(tb, name, "--database", database, "--dir", tb.TempDir())
}

// TestKilled: 1,000 webhooks and their replays while the servers are killed and started again. Each head of each pull request has exactly
// one check run in the end, completed, and that of the last head says what is right.
func TestKilled(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		w := apptest.NewBusyWorld(t, 5, 20, 10, "")
		testKilled(t, w, []*apptest.Server{newServer(t, w, filepath.Join(t.TempDir(), "specgate.db"))})
	})
	t.Run("postgres", func(t *testing.T) {
		address := postgresURL(t)
		w := apptest.NewBusyWorld(t, 5, 20, 10, "")
		testKilled(t, w, []*apptest.Server{newServer(t, w, address), newServer(t, w, address)})
	})
}

func testKilled(t *testing.T, w *apptest.World, servers []*apptest.Server) {
	for _, s := range servers {
		s.Start()
	}
	for _, s := range servers {
		s.Ready()
	}
	idle := servers[0].Memory()

	var acked, tries, slow atomic.Int64
	var longest atomic.Int64
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	// deliver sends until it is taken, as somebody who presses Redeliver does, to any of the servers.
	deliver := func(h apptest.Webhook) {
		for {
			tries.Add(1)
			start := time.Now()
			status, _, err := apptest.Send(client, servers[mathrand.IntN(len(servers))].Address, h, nil)
			took := time.Since(start)
			if apptest.Taken(status, err) {
				acked.Add(1)
				if took > time.Second {
					slow.Add(1)
				}
				for old := longest.Load(); int64(took) > old && !longest.CompareAndSwap(old, int64(took)); old = longest.Load() {
				}
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	started := time.Now()
	var all sync.WaitGroup
	for _, list := range w.Pushes {
		all.Go(func() {
			var replay apptest.Webhook
			for _, p := range list {
				time.Sleep(time.Duration(mathrand.IntN(1000)) * time.Millisecond)
				w.Change(func(s githubtest.State) { s[p.Repo].Pulls[p.Number].Head = p.SHA })
				h := w.Pushed(t, p)
				deliver(h)
				if p.N == 4 {
					replay = h
				}
			}
			deliver(replay)
		})
	}
	var killer sync.WaitGroup
	killer.Go(func() {
		for n := range 5 {
			time.Sleep(1200 * time.Millisecond)
			s := servers[n%len(servers)]
			s.Kill()
			s.Start()
		}
	})
	all.Wait()
	sent := time.Since(started)
	killer.Wait()

	w.WaitDone(t, servers[0].Address, 10*time.Minute)
	took := time.Since(started)
	peak := 0
	for _, s := range servers {
		s.Memory()
		peak = max(peak, s.Peak)
		s.Stop()
	}
	conclusions := w.Verify(t)
	checked := conclusions["success"] + conclusions["action_required"] - len(w.Pushes)
	t.Logf("%d deliveries taken in %v (%d tries, the longest answer %v, %d over 1 s); all done after %v; check runs by conclusion %v, %d of superseded heads were checked; memory: %d MiB idle, %d MiB at most",
		acked.Load(), sent.Round(time.Millisecond), tries.Load(), time.Duration(longest.Load()).Round(time.Millisecond), slow.Load(), took.Round(time.Millisecond),
		conclusions, checked, idle>>10, peak>>10)
	if idle > 60<<10 || peak > 300<<10 {
		t.Errorf("memory: %d KiB idle, %d KiB at most", idle, peak)
	}
}

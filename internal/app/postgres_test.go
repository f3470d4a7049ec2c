package app_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

var (
	clusterOnce sync.Once
	theCluster  *apptest.Cluster
	clusterErr  error
)

// postgresURL is the address of a new, empty database. Without PostgreSQL the test is skipped, or fails if REQUIRE_POSTGRES is 1.
func postgresURL(t testing.TB) string {
	t.Helper()
	clusterOnce.Do(func() {
		if theCluster, clusterErr = apptest.NewCluster(); clusterErr == nil {
			clusterErr = theCluster.Start()
		}
	})
	if clusterErr != nil {
		sandboxtest.Postgres.Lacks(t, clusterErr)
	}
	address, err := theCluster.NewDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestTakenOver: a worker that was taken for gone gives up what it runs, which another does.
func TestTakenOver(t *testing.T) {
	address := postgresURL(t)
	s := newScene(t, address)
	s.start()
	s.held()
	s.pull("opened", one, 1, nil)
	s.begins(one)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "DELETE FROM specgate_workers"); err != nil {
		t.Fatal(err)
	}
	s.begins(one) // it was cancelled, and begins again
	s.checker.set(nil)
	s.eventually("the log says so", func() bool { return strings.Contains(s.log.String(), "this process was taken for gone") })
}

// TestDatabaseClock: when the clock of the database is set no worker is taken for gone.
func TestDatabaseClock(t *testing.T) {
	s := newScene(t, postgresURL(t))
	s.start()
	letGo := s.held()
	s.pull("opened", one, 1, nil)
	s.begins(one)
	second := *s
	second.start()
	db := s.open()
	// said is the oldest and the newest of what the two say.
	said := func() (oldest, newest int64) {
		if err := db.QueryRow("SELECT MIN(seen), MAX(seen) FROM specgate_workers HAVING COUNT(*) = 2").Scan(&oldest, &newest); err != nil {
			return 0, 0
		}
		return oldest, newest
	}
	for range 2 {
		if _, err := db.Exec("UPDATE specgate_workers SET seen = seen - 3600000"); err != nil {
			t.Fatal(err)
		}
		_, was := said()
		s.eventually("both say again that they are there", func() bool { now, _ := said(); return now > was })
	}
	letGo()
	s.want("2222 completed success: " + passTitle)
	if err := second.stop(); err != nil {
		t.Error(err)
	}
	if strings.Contains(s.log.String(), "taken for gone") || len(s.checker.ran()) != 1 {
		t.Errorf("it was checked %d times", len(s.checker.ran()))
	}
	// Who stopped said so.
	var left int
	if err := db.QueryRow("SELECT COUNT(*) FROM specgate_workers").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d workers are there: %v", left, err)
	}
}

// TestConnectionsLost: the database ends all connections while a check runs and events come. Nothing is lost and nothing is doubled.
func TestConnectionsLost(t *testing.T) {
	address := postgresURL(t)
	s := newScene(t, address)
	s.start()
	letGo := s.held()
	s.pull("opened", one, 1, nil)
	s.begins(one)
	conn, err := pgx.Connect(t.Context(), theCluster.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	cut := func() {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", config.Database); err != nil {
			t.Fatal(err)
		}
	}
	cut()
	letGo()
	cut()
	h := s.Pushed(t, apptest.Push{Repo: "acme/numbers", Number: 7, N: 2, SHA: two, Before: one, Time: time.Unix(2e9, 0)})
	s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Head = two })
	s.eventually("the event is taken", func() bool {
		status, _, err := apptest.Send(http.DefaultClient, s.address, h, nil)
		return err == nil && status/100 == 2
	})
	cut()
	s.eventually("the last head is checked", func() bool {
		return s.idle() && slices.Contains(s.runs(), "3333 completed success: "+passTitle) && len(s.runs()) == 2 && !strings.Contains(strings.Join(s.runs(), ""), "in_progress")
	})
}

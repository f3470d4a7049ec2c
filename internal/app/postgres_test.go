package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// cluster is a PostgreSQL of these tests alone: in a directory of its own, reached through a socket there, and ended with them.
type cluster struct {
	dir     string
	command *exec.Cmd
	n       atomic.Int64 // of databases
}

var (
	clusterOnce sync.Once
	theCluster  *cluster
	clusterErr  error
)

// postgresURL is the address of a new, empty database. Without PostgreSQL the test is skipped, or fails if REQUIRE_POSTGRES is 1.
func postgresURL(t testing.TB) string {
	t.Helper()
	clusterOnce.Do(func() { theCluster, clusterErr = startCluster() })
	if clusterErr != nil {
		sandboxtest.Postgres.Lacks(t, clusterErr)
	}
	name := fmt.Sprintf("specgate%d", theCluster.n.Add(1))
	conn, err := pgx.Connect(t.Context(), theCluster.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return theCluster.url(name)
}

func (c *cluster) url(name string) string {
	return fmt.Sprintf("postgres://specgate@/%s?host=%s", name, c.dir)
}

// postgresProgram finds a program of the newest PostgreSQL that is installed.
func postgresProgram(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		slices.SortFunc(found, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

func startCluster() (*cluster, error) {
	initdb, err := postgresProgram("initdb")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	postgres, err := postgresProgram("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	// The path of a socket has 107 bytes at most.
	dir, err := os.MkdirTemp("/tmp", "specgate-pg-")
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: dir}
	attr := &syscall.SysProcAttr{}
	dieWithParent(attr)
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		who, err := user.Lookup("postgres")
		if err != nil {
			who, err = user.Lookup("nobody")
		}
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			return nil, err
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	data := filepath.Join(dir, "data")
	init := exec.Command(initdb, "-D", data, "-U", "specgate", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	init.Dir, init.SysProcAttr = dir, attr
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.command = exec.Command(postgres, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100")
	c.command.Dir, c.command.SysProcAttr, c.command.Stdout, c.command.Stderr = dir, attr, log, log
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	for range 300 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, c.url("postgres")); err == nil {
			err = conn.Close(ctx)
			cancel()
			return c, err
		}
		cancel()
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	return nil, errors.Join(fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, text), c.stop())
}

func (c *cluster) stop() error {
	if c == nil || c.command == nil {
		return nil
	}
	err := c.command.Process.Signal(syscall.SIGINT)
	_ = c.command.Wait()
	return errors.Join(err, os.RemoveAll(c.dir))
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

// TestConnectionsLost: the database ends all connections while a check runs and events come. Nothing is lost and nothing is doubled.
func TestConnectionsLost(t *testing.T) {
	address := postgresURL(t)
	s := newScene(t, address)
	s.start()
	letGo := s.held()
	s.pull("opened", one, 1, nil)
	s.begins(one)
	conn, err := pgx.Connect(t.Context(), theCluster.url("postgres"))
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
	h := s.pushed(t, push{repo: "acme/numbers", number: 7, n: 2, sha: two, before: one, time: time.Unix(2e9, 0)})
	s.Change(func(st githubtest.State) { st["acme/numbers"].Pulls[7].Head = two })
	s.eventually("the event is taken", func() bool {
		status, _, err := send(http.DefaultClient, s.address, h, nil)
		return err == nil && status/100 == 2
	})
	cut()
	s.eventually("the last head is checked", func() bool {
		return s.idle() && slices.Contains(s.runs(), "3333 completed success: "+passTitle) && len(s.runs()) == 2 && !strings.Contains(strings.Join(s.runs(), ""), "in_progress")
	})
}

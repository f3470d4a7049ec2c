package faults_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/specgate/specgate/internal/app/apptest"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// TestServe breaks servers, GitHub, databases and clocks while two pull requests are pushed to three times each. In the end each push has one completed check
// run, which says what it says when nothing is broken, or that it was superseded; the comments are there once; none says that a check passed
// which was not made; and nothing is left to do.
func TestServe(t *testing.T) {
	// Sticky comments are for the pull request that blocks.
	template := apptest.NewBusyWorld(t, 1, 2, 3, "version = 1\n[report]\ncomments = \"sticky\"\n")
	s := newSite(t, template, nil)
	s.onSQLite(filepath.Join(t.TempDir(), "specgate.db"))
	s.pushes(rand.New(rand.NewPCG(1, 2)))
	want := s.ends()

	// One cluster for all, and one to make others of, which are crashed.
	shared, err := apptest.NewCluster()
	missing := err
	var model *apptest.Cluster
	if missing == nil {
		t.Cleanup(func() {
			if err := errors.Join(shared.Close(), model.Close()); err != nil {
				t.Error(err)
			}
		})
		if model, err = shared.Copy(); err == nil {
			err = shared.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	needPostgres := func(t *testing.T) {
		if missing != nil {
			sandboxtest.Postgres.Lacks(t, missing)
		}
	}
	// onEither has one server with SQLite, or two with PostgreSQL.
	onEither := func(t *testing.T, s *site) {
		if s.random.IntN(2) == 0 {
			s.onSQLite(filepath.Join(t.TempDir(), "specgate.db"))
			return
		}
		needPostgres(t)
		address, err := shared.NewDatabase(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.onPostgres(address)
	}

	for _, c := range []struct {
		name string
		// where the servers run, and what breaks while there are pushes.
		where  func(*testing.T, *site)
		breaks func(*site)
	}{
		{"Kill", onEither, func(s *site) {
			for range 1 + s.random.IntN(4) {
				s.kill()
			}
		}},
		{"FailingGitHub", onEither, func(s *site) {
			s.hub.breaks(oneIn(2, rand.New(rand.NewPCG(s.random.Uint64(), 0))))
			s.during(12 * time.Second)
			s.hub.breaks(nil)
		}},
		{"Postgres", func(t *testing.T, s *site) {
			needPostgres(t)
			cluster, err := model.Copy()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := cluster.Close(); err != nil {
					t.Error(err)
				}
			})
			if err := cluster.Start(); err != nil {
				t.Fatal(err)
			}
			address, err := cluster.NewDatabase(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.cluster = cluster
			s.onPostgres(address)
		}, func(s *site) {
			for range 1 + s.random.IntN(2) {
				s.sleep(2 * time.Second)
				s.cluster.Crash()
				// A server gives up what it does when the database does not answer for 12 s.
				s.during([]time.Duration{time.Second, 4 * time.Second, 20 * time.Second}[s.random.IntN(3)])
				if err := s.cluster.Start(); err != nil {
					s.t.Error(err)
				}
			}
		}},
		{"FullDisk", func(t *testing.T, s *site) {
			s.disk = newDisk(t)
			s.onSQLite(filepath.Join(s.disk.dir, "specgate.db"))
		}, func(s *site) {
			for range 1 + s.random.IntN(2) {
				s.sleep(2 * time.Second)
				s.disk.fill(s.t, s.random.IntN(256<<10))
				s.during(6 * time.Second)
				s.disk.empty(s.t)
			}
		}},
		{"Clock", onEither, func(s *site) {
			jump := time.Duration(1 + s.random.Int64N(int64(time.Second)<<s.random.IntN(23))) // up to 48 days
			if s.random.IntN(2) == 0 {
				jump = -jump
			}
			theirs := s.random.IntN(2) == 0
			s.servers[0].Ready() // the tables are there
			s.sleep(2 * time.Second)
			if s.random.IntN(2) == 0 {
				s.hub.breaks(oneIn(2, rand.New(rand.NewPCG(s.random.Uint64(), 0))))
			}
			s.jump(jump, theirs)
			s.during(6 * time.Second)
			s.jump(-jump, theirs)
			s.hub.breaks(nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, 2, func(t *testing.T, random *rand.Rand) {
				t.Parallel()
				s := newSite(t, template, random)
				c.where(t, s)
				var pushes sync.WaitGroup
				theirs := rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
				pushes.Go(func() { s.pushes(theirs) })
				c.breaks(s)
				pushes.Wait()
				if diff := cmp.Diff(want, s.ends()); diff != "" {
					t.Errorf("GitHub shows something else (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// site is a GitHub, and servers that are started again when they end.
type site struct {
	*apptest.World
	t       *testing.T
	random  *rand.Rand
	hub     *hub
	servers []*apptest.Server
	// database is the address that the driver of that name takes.
	driver, database string
	cluster          *apptest.Cluster // if it is this site's alone
	disk             *disk            // if there is one

	stopping atomic.Bool
	running  sync.WaitGroup
}

func newSite(t *testing.T, template *apptest.World, random *rand.Rand) *site {
	t.Helper()
	w := template.Copy(t)
	s := &site{World: w, t: t, random: random, hub: newFront(t, w.Server, apptest.Prefix)}
	return s
}

func (s *site) onSQLite(file string) {
	s.driver, s.database = "sqlite", "file:"+(&url.URL{Path: s.disk.outside(file)}).EscapedPath()+"?_txlock=immediate&_pragma=busy_timeout(60000)"
	s.serve(file)
}

func (s *site) onPostgres(address string) {
	s.driver, s.database = "pgx", address
	s.serve(address)
	s.serve(address)
}

// serve starts one more server, and starts it again whenever it ends, as a service manager does.
func (s *site) serve(database string) {
	dir := s.t.TempDir()
	if s.disk != nil {
		dir = s.disk.dir
	}
	server := s.NewServer(s.t, specgate, "--database", database, "--dir", dir)
	server.Args = append(s.disk.command(), server.Args...)
	server.Env = append(server.Env, "SPECGATE_API_URL="+s.hub.front.URL+apptest.Prefix)
	s.servers = append(s.servers, server)
	s.t.Cleanup(s.stop)
	ended := server.Start()
	s.running.Go(func() {
		for <-ended; !s.stopping.Load(); <-ended {
			time.Sleep(100 * time.Millisecond)
			if ended = server.Start(); s.stopping.Load() {
				server.Signal(os.Kill) // stop may not have seen it
			}
		}
	})
}

// stop tells the servers to stop, and waits until they have, once.
func (s *site) stop() {
	if s.stopping.Swap(true) {
		return
	}
	for _, server := range s.servers {
		server.Signal(syscall.SIGTERM)
	}
	s.running.Wait()
}

// pushes has everybody push. GitHub knows at once, and its events are sent until they are taken, as by somebody who presses Redeliver.
func (s *site) pushes(random *rand.Rand) {
	client := &http.Client{Timeout: 10 * time.Second}
	var all sync.WaitGroup
	for _, list := range s.Pushes {
		mine := rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
		all.Go(func() {
			for _, p := range list {
				time.Sleep(time.Duration(mine.Int64N(int64(1500 * time.Millisecond))))
				s.Change(func(st githubtest.State) { st[p.Repo].Pulls[p.Number].Head = p.SHA })
				h := s.Pushed(s.t, p)
				for {
					status, _, err := apptest.Send(client, s.servers[mine.IntN(len(s.servers))].Address, h, nil)
					if apptest.Taken(status, err) {
						break
					}
					time.Sleep(200 * time.Millisecond)
				}
			}
		})
	}
	all.Wait()
}

// ends waits until nothing is to be done, and gives what GitHub shows of the last heads, without what tells how often something was written.
func (s *site) ends() string {
	s.t.Helper()
	// Only what hangs takes so long.
	s.WaitDone(s.t, s.servers[0].Address, 15*time.Minute)
	s.Verify(s.t)
	var log strings.Builder
	for _, server := range s.servers {
		log.WriteString(server.Log())
	}
	type said struct {
		Checks   []*githubtest.CheckRun
		Comments map[int][]*githubtest.Comment
	}
	shown := said{Comments: map[int][]*githubtest.Comment{}}
	repo := s.State()[s.Repos[0]]
	for _, list := range s.Pushes {
		last := list[len(list)-1]
		for _, run := range repo.CheckRuns {
			if run.Conclusion != "cancelled" && !checkedIn(log.String(), run.SHA) {
				s.t.Errorf("%s has %q, and no check of it ended", run.SHA, run.Conclusion)
			}
			if run.SHA == last.SHA {
				run.ID, run.Batches = 0, nil
				shown.Checks = append(shown.Checks, run)
			}
		}
		for _, c := range repo.Pulls[last.Number].Comments {
			c.ID, c.Edits, c.Created = 0, 0, time.Time{}
			shown.Comments[last.Number] = append(shown.Comments[last.Number], c)
		}
	}
	text, err := json.MarshalIndent(shown, "", "\t")
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// checkedIn tells whether a log says that a check of a commit ended.
func checkedIn(log, sha string) bool {
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"msg":"checked"`) && strings.Contains(line, `"head":"`+sha+`"`) {
			return true
		}
	}
	return false
}

// sleep sleeps a while, so long at most.
func (s *site) sleep(most time.Duration) { time.Sleep(time.Duration(s.random.Int64N(int64(most)))) }

// during passes the time in which something is broken, so long at most. Sometimes a server is killed meanwhile, or tries to start.
func (s *site) during(most time.Duration) {
	s.sleep(most)
	if s.random.IntN(3) == 0 {
		s.servers[s.random.IntN(len(s.servers))].Signal(os.Kill)
		s.sleep(most)
	}
}

// kill kills a server after some time, or when GitHub gets some request of a server, before GitHub has done what it says or after.
func (s *site) kill() {
	server, left, what := s.servers[s.random.IntN(len(s.servers))], s.random.IntN(12), []fault{cut, cutAfter}[s.random.IntN(2)]
	if s.random.IntN(3) == 0 {
		s.sleep(2 * time.Second)
		server.Signal(os.Kill)
		return
	}
	hit := make(chan struct{})
	s.hub.breaks(func(*http.Request) fault {
		if left--; left != 0 {
			return none
		}
		server.Signal(os.Kill)
		close(hit)
		return what
	})
	select {
	case <-hit:
	case <-time.After(5 * time.Second): // there are no such many requests to come
		server.Signal(os.Kill)
	}
	s.hub.breaks(nil)
}

// jump has a clock jump forth; back if by is less than 0. For who has the clock that is no different from this: all that was noted by it, and GitHub's
// clock, are as much earlier. With PostgreSQL the clock of its machine is another than that of the servers, and theirs says which.
func (s *site) jump(by time.Duration, theirs bool) {
	s.t.Helper()
	queue := s.driver == "sqlite" || !theirs
	state := s.driver == "sqlite" || theirs
	if state {
		s.hub.SetClock(s.hub.Clock() - by)
	}
	db, err := sql.Open(s.driver, s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	columns := "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'"
	shifted := "%[2]s + INTERVAL '%[3]d milliseconds'"
	if s.driver == "sqlite" {
		columns = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name LIKE 'river_%' AND c.name LIKE '%_at'"
		shifted = "strftime('%%Y-%%m-%%d %%H:%%M:%%f', %[2]s, '%+[4]f seconds')"
	}
	var statements []string
	if queue {
		rows, err := tx.Query(columns)
		if err != nil {
			s.t.Fatal(err)
		}
		for rows.Next() {
			var table, column string
			if err := rows.Scan(&table, &column); err != nil {
				s.t.Fatal(err)
			}
			statements = append(statements, fmt.Sprintf("UPDATE %[1]s SET %[2]s = "+shifted+" WHERE %[2]s IS NOT NULL", table, column, -by.Milliseconds(), -by.Seconds()))
		}
		if err := rows.Err(); err != nil || len(statements) == 0 {
			s.t.Fatalf("the columns with times are %q: %v", statements, err)
		}
		statements = append(statements, fmt.Sprintf("UPDATE specgate_workers SET seen = seen - %d", by.Milliseconds()))
	}
	if state {
		for _, column := range []string{"specgate_deliveries.received", "specgate_heads.changed", "specgate_heads.failing_since", "specgate_undelivered.next", "specgate_webhook.asked"} {
			table, column, _ := strings.Cut(column, ".")
			statements = append(statements, fmt.Sprintf("UPDATE %s SET %s = %[2]s - %d WHERE %[2]s > 0", table, column, by.Milliseconds()))
		}
	}
	for _, statement := range statements {
		if _, err := tx.Exec(statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := tx.Commit(); err != nil {
		s.t.Fatal(err)
	}
}

// disk is a small one of its own, which processes within see.
type disk struct {
	dir     string
	process *exec.Cmd
}

// newDisk makes one. Without user namespaces the test is skipped.
func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{dir: t.TempDir()}
	d.process = exec.Command("unshare", "-Urm", "sh", "-c", `mount -t tmpfs -o size=24m none "$1" && echo mounted && exec cat`, "sh", d.dir)
	stdin, err := d.process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := d.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.process.Start(); err != nil {
		sandboxtest.Isolation.Lacks(t, err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = d.process.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "mounted\n" {
		sandboxtest.Isolation.Lacks(t, "no user namespaces, in which a small disk could be mounted: ", line, err)
	}
	return d
}

// command is what has a program run where the disk is.
func (d *disk) command() []string {
	if d == nil {
		return nil
	}
	return []string{"nsenter", "--preserve-credentials", "-U", "-m", "-t", fmt.Sprint(d.process.Process.Pid), "--"}
}

// outside is the path of a file for processes that do not see the disk.
func (d *disk) outside(file string) string {
	if d == nil {
		return file
	}
	return fmt.Sprintf("/proc/%d/root%s", d.process.Process.Pid, file)
}

// fill writes until nothing more fits but so many bytes.
func (d *disk) fill(t *testing.T, left int) {
	t.Helper()
	file, err := os.Create(d.outside(filepath.Join(d.dir, "filler")))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	size := int64(0)
	for err == nil {
		var n int
		n, err = file.Write(make([]byte, 4096))
		size += int64(n)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := file.Truncate(max(0, size-int64(left))); err != nil {
		t.Fatal(err)
	}
}

func (d *disk) empty(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.outside(filepath.Join(d.dir, "filler"))); err != nil {
		t.Fatal(err)
	}
}

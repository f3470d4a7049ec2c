package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// database keeps the state and the queue, in SQLite or PostgreSQL. Statements are written for both, with arguments named $1, $2, ...
type database interface {
	// within runs a transaction, again if the database asks for it. do must have no other effect than on the transaction.
	within(ctx context.Context, do func(tx) error) error
	// migrate makes and changes tables, the queue's too, under a lock.
	migrate(ctx context.Context) error
	// recover puts jobs back that a process was running which is no more, and tells how many. It is called once, before start.
	recover(ctx context.Context) (int64, error)
	// beat says that this process is there, and does what recover does if other processes can be. errTakenOver: this one was taken for gone.
	beat(ctx context.Context) (int64, error)
	// orphans puts back the jobs that the database takes for running in this process and that are not among those that are, and those that
	// could be taken and would wait for a time that the clock had already before it was set back.
	orphans(ctx context.Context, running func() map[int64]bool) (int64, error)
	// start takes jobs until stop.
	start(ctx context.Context) error
	// stop takes no further jobs and waits for those that run; when their time is over they are cancelled.
	stop(ctx context.Context) error
	// leave says that this process is no more, so that what it could not end is not waited for. It beats no more.
	leave(ctx context.Context) error
	close()
}

// tx is a transaction.
type tx interface {
	// exec runs a statement and tells how many rows it changed.
	exec(ctx context.Context, query string, args ...any) (int64, error)
	// each calls do for every row, with what reads its columns.
	each(ctx context.Context, query string, args []any, do func(scan func(...any) error) error) error
	// insert adds a job. complete ends the one that runs with the transaction.
	insert(ctx context.Context, args river.JobArgs, o *river.InsertOpts) (*rivertype.JobInsertResult, error)
	complete(ctx context.Context, job *rivertype.JobRow) error
	// now is an expression for the time so many seconds from now, as the queue's columns have it.
	now(seconds int) string
}

var errTakenOver = errors.New("this process was taken for gone, and others do its jobs")

// eachRow calls do for every row of an answer.
func eachRow(rows interface {
	Next() bool
	Scan(...any) error
	Err() error
}, do func(scan func(...any) error) error) error {
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

var errNoRow = errors.New("no such row")

// one reads a row that there must be; errNoRow says that there is none.
func one(ctx context.Context, t tx, query string, args []any, into ...any) error {
	found := false
	err := t.each(ctx, query, args, func(scan func(...any) error) error {
		found = true
		return scan(into...)
	})
	if err == nil && !found {
		return errNoRow
	}
	return err
}

// CheckDatabase refuses an address that Config.Database cannot have, and gives the name of the database for people, without user and password.
func CheckDatabase(address string) (name string, err error) {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		config, err := postgresConfig(address)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("postgres://%s/%s", net.JoinHostPort(config.ConnConfig.Host, strconv.Itoa(int(config.ConnConfig.Port))), config.ConnConfig.Database), nil
	}
	if i := strings.Index(address, "://"); i >= 0 {
		return "", fmt.Errorf("%q is neither the path of a file nor an address that begins with postgres://", address[:i+3]+"...")
	}
	return address, nil
}

// openDatabase opens what address names: a URL of PostgreSQL, or the path of a file of SQLite. It changes nothing in it yet.
func openDatabase(ctx context.Context, address string, q queueOptions) (database, error) {
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return openPostgres(ctx, address, q)
	}
	if _, err := CheckDatabase(address); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return openSQLite(address, q)
}

// Tables, a step for each version. Times are milliseconds since 1970. {{id}} is the type of a number that the database counts up.
var migrations = []string{`
CREATE TABLE specgate_deliveries (
	id TEXT PRIMARY KEY,
	event TEXT NOT NULL,
	action TEXT NOT NULL,
	repo BIGINT NOT NULL,
	received BIGINT NOT NULL
);
CREATE INDEX specgate_deliveries_received ON specgate_deliveries (received);
CREATE TABLE specgate_repos (
	id BIGINT PRIMARY KEY,
	name TEXT NOT NULL,
	installation BIGINT NOT NULL
);
CREATE TABLE specgate_pulls (
	repo BIGINT NOT NULL,
	number BIGINT NOT NULL,
	head TEXT NOT NULL,
	is_open BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (repo, number)
);
CREATE INDEX specgate_pulls_head ON specgate_pulls (repo, head);
CREATE TABLE specgate_heads (
	id {{id}},
	repo BIGINT NOT NULL,
	sha TEXT NOT NULL,
	group_base TEXT NOT NULL,
	want TEXT NOT NULL CHECK (want IN ('check', 'end')),
	reason TEXT NOT NULL,
	asked BIGINT NOT NULL,
	done BIGINT NOT NULL,
	failures BIGINT NOT NULL,
	failing_since BIGINT NOT NULL,
	result TEXT NOT NULL,
	error TEXT NOT NULL,
	label TEXT NOT NULL,
	relabelled BIGINT NOT NULL,
	changed BIGINT NOT NULL,
	UNIQUE (repo, sha)
);
CREATE INDEX specgate_heads_waiting ON specgate_heads (repo, want) WHERE done < asked;
CREATE TABLE specgate_workers (
	id TEXT PRIMARY KEY,
	seen BIGINT NOT NULL
);
`, `
CREATE TABLE specgate_acceptances (
	repo BIGINT NOT NULL,
	pull BIGINT NOT NULL,
	fingerprint TEXT NOT NULL,
	who TEXT NOT NULL,
	reason TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (repo, pull, fingerprint)
);
`, `
CREATE TABLE specgate_blocking (
	head BIGINT NOT NULL,
	pull BIGINT NOT NULL,
	fingerprint TEXT NOT NULL,
	PRIMARY KEY (head, pull, fingerprint)
);
ALTER TABLE specgate_heads ADD COLUMN group_pull BIGINT NOT NULL DEFAULT 0;
`, `
CREATE TABLE specgate_undelivered (
	guid TEXT PRIMARY KEY,
	delivery BIGINT NOT NULL,
	event TEXT NOT NULL,
	action TEXT NOT NULL,
	at BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	next BIGINT NOT NULL
);
CREATE TABLE specgate_webhook (
	asked BIGINT NOT NULL,
	seen BIGINT NOT NULL
);
INSERT INTO specgate_webhook (asked, seen) VALUES (0, 0);
`, `
ALTER TABLE specgate_heads ADD COLUMN pause BIGINT NOT NULL DEFAULT 0;
`}

// migrateTables brings the tables to the newest version, within a transaction that holds the lock.
func migrateTables(ctx context.Context, t tx, id string) error {
	if _, err := t.exec(ctx, "CREATE TABLE IF NOT EXISTS specgate_schema (version BIGINT PRIMARY KEY)"); err != nil {
		return err
	}
	var version int
	if err := one(ctx, t, "SELECT COALESCE(MAX(version), 0) FROM specgate_schema", nil, &version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the database is of a later version of specgate (%d, and this one knows %d); run that one, or a later one", version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		for statement := range strings.SplitSeq(strings.ReplaceAll(migrations[version], "{{id}}", id), ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := t.exec(ctx, statement); err != nil {
				return fmt.Errorf("step %d: %w", version+1, err)
			}
		}
		if _, err := t.exec(ctx, "INSERT INTO specgate_schema (version) VALUES ($1)", version+1); err != nil {
			return err
		}
	}
	return nil
}

// settles is how long a job may be marked as running that is just about to run, or has just ended.
const settles = 5 * time.Second

// putBack puts back the jobs of a query, which gives their numbers and attempts, that are not among those that run.
func putBack(ctx context.Context, d database, query string, args []any, running func() map[int64]bool) (n int64, err error) {
	type attempt struct{ job, number int64 }
	var marked []attempt
	err = d.within(ctx, func(t tx) error {
		marked = nil
		return t.each(ctx, query, args, func(scan func(...any) error) error {
			var a attempt
			err := scan(&a.job, &a.number)
			marked = append(marked, a)
			return err
		})
	})
	if err != nil || len(marked) == 0 {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(settles):
	}
	alive := running()
	err = d.within(ctx, func(t tx) error {
		n = 0
		for _, a := range marked {
			if alive[a.job] {
				continue
			}
			one, err := t.exec(ctx, "UPDATE river_job SET state = 'available', scheduled_at = "+t.now(0)+" WHERE id = $1 AND attempt = $2 AND state = 'running'", a.job, a.number)
			if err != nil {
				return err
			}
			n += one
		}
		return nil
	})
	return n, err
}

// early has jobs taken that wait for a time that a clock had which was set back since: the queue gives none out more than seconds before its time, jobs that
// pause were begun before, and no pause is longer than maxPause.
func early(ctx context.Context, t tx) error {
	_, err := t.exec(ctx, "UPDATE river_job SET state = 'available', scheduled_at = "+t.now(0)+" WHERE state = 'available' AND scheduled_at > "+t.now(60)+
		" OR state IN ('scheduled', 'retryable') AND attempted_at > "+t.now(60)+" OR state = 'scheduled' AND scheduled_at > "+t.now(int(maxPause.Seconds())+60))
	return err
}

func millis(t time.Time) int64 { return t.UnixMilli() }

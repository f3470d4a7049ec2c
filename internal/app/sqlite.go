package app

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// sqliteDatabase is one file, used by one process, through one connection: SQLite has one writer.
type sqliteDatabase struct {
	*queue[*sql.Tx]
	db   *sql.DB
	lock *flock.Flock
	q    queueOptions
}

func openSQLite(name string, q queueOptions) (database, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	// The file holds names of private repositories and who accepted what.
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	// A second process would take the jobs of this one for those of one that was killed.
	lock := flock.New(name+".lock", flock.SetPermissions(0o600))
	switch mine, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("open the database %s: %w", name, err)
	case !mine:
		return nil, fmt.Errorf("open the database %s: another process has it open; several need PostgreSQL", name)
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), lock.Unlock())
	}
	// A commit is on the disk when it is answered: GitHub does not send an event again by itself.
	address := url.URL{Scheme: "file", Path: name, RawQuery: url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}}.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", name, err), lock.Unlock())
	}
	db.SetMaxOpenConns(1)
	s := &sqliteDatabase{db: db, lock: lock, q: q}
	q.pollOnly = true
	s.queue, err = newQueue(riversqlite.New(db), q)
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sqliteDatabase) within(ctx context.Context, do func(tx) error) error {
	transaction, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(&sqliteTx{transaction, s}); err != nil {
		return errors.Join(err, rollback(transaction))
	}
	return transaction.Commit()
}

func rollback(t *sql.Tx) error {
	if err := t.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

func (s *sqliteDatabase) migrate(ctx context.Context) error {
	if err := s.within(ctx, func(t tx) error { return migrateTables(ctx, t, "INTEGER PRIMARY KEY AUTOINCREMENT") }); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	m, err := rivermigrate.New(riversqlite.New(s.db), &rivermigrate.Config{Logger: s.q.log})
	if err != nil {
		return fmt.Errorf("make the tables of the queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("make the tables of the queue: %w", err)
	}
	return nil
}

// recover: this is the only process, and nothing runs in it before start.
func (s *sqliteDatabase) recover(ctx context.Context) (n int64, err error) {
	err = s.within(ctx, func(t tx) error {
		if n, err = t.exec(ctx, "UPDATE river_job SET state = 'available', scheduled_at = "+t.now(0)+" WHERE state = 'running'"); err != nil {
			return err
		}
		// Whoever leads the queue's maintenance is gone as well, which would be noticed after a while only.
		_, err = t.exec(ctx, "DELETE FROM river_leader")
		return err
	})
	return n, err
}

// beat: nobody else is there.
func (s *sqliteDatabase) beat(ctx context.Context) (int64, error) { return 0, s.db.PingContext(ctx) }

func (s *sqliteDatabase) leave(context.Context) error { return nil }

func (s *sqliteDatabase) orphans(ctx context.Context, running func() map[int64]bool) (int64, error) {
	if err := s.within(ctx, func(t tx) error { return early(ctx, t) }); err != nil {
		return 0, err
	}
	t := &sqliteTx{}
	return putBack(ctx, s, "SELECT id, attempt FROM river_job WHERE state = 'running' AND (attempted_at < "+t.now(-60)+" OR attempted_at > "+t.now(60)+")", nil, running)
}

func (s *sqliteDatabase) close() {
	if err := errors.Join(s.db.Close(), s.lock.Unlock()); err != nil {
		s.q.log.Warn("close the database", "error", err)
	}
}

type sqliteTx struct {
	*sql.Tx
	s *sqliteDatabase
}

// numbered has ?1 where PostgreSQL has $1.
func numbered(query string) string { return strings.ReplaceAll(query, "$", "?") }

func (t *sqliteTx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := t.ExecContext(ctx, numbered(query), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (t *sqliteTx) each(ctx context.Context, query string, args []any, do func(func(...any) error) error) error {
	rows, err := t.QueryContext(ctx, numbered(query), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return eachRow(rows, do)
}

func (t *sqliteTx) insert(ctx context.Context, args river.JobArgs, o *river.InsertOpts) (*rivertype.JobInsertResult, error) {
	return t.s.client.InsertTx(ctx, t.Tx, args, o)
}

func (t *sqliteTx) complete(ctx context.Context, job *rivertype.JobRow) error {
	_, err := river.JobCompleteTx[*riversqlite.Driver](ctx, t.Tx, &river.Job[headArgs]{JobRow: job})
	return err
}

func (t *sqliteTx) now(seconds int) string {
	return fmt.Sprintf("datetime('now', 'subsec', '%+d seconds')", seconds)
}

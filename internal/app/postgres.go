package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

type postgresDatabase struct {
	*queue[pgx.Tx]
	pool *pgxpool.Pool
	q    queueOptions
	// heard is what each worker said last, and when this one heard it.
	heard map[string]word
}

// word is a sign of life. at is by the monotonic clock of this process.
type word struct {
	seen int64
	at   time.Time
}

// A worker says every beat that it is there, and is taken for gone after deadAfter. Before that it gives up its own jobs, so that no two
// run the same one.
const (
	beatEvery = 3 * time.Second
	deadAfter = 20 * time.Second
	fenced    = 12 * time.Second
)

func postgresConfig(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		// The error repeats the address, which may hold a password.
		return nil, errors.New("the address of PostgreSQL is not valid; it has the form postgres://USER:PASSWORD@HOST/NAME")
	}
	return config, nil
}

func openPostgres(ctx context.Context, address string, q queueOptions) (database, error) {
	config, err := postgresConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	config.MaxConns = max(config.MaxConns, 10)
	config.ConnConfig.ConnectTimeout = 10 * time.Second
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "specgate"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	p := &postgresDatabase{pool: pool, q: q, heard: map[string]word{}}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if p.queue, err = newQueue(riverpgxv5.New(pool), q); err != nil {
		pool.Close()
		return nil, err
	}
	return p, nil
}

func (p *postgresDatabase) within(ctx context.Context, do func(tx) error) error {
	for n := 0; ; n++ {
		err := pgx.BeginFunc(ctx, p.pool, func(t pgx.Tx) error { return do(&postgresTx{t, p}) })
		var said *pgconn.PgError
		// Serialization failure and deadlock: the other one went first (PostgreSQL's documentation, appendix A).
		if n < 5 && errors.As(err, &said) && (said.Code == "40001" || said.Code == "40P01") {
			continue
		}
		return err
	}
}

// migrationLock is the advisory lock that migrations are made under; any number that is the same in every version of specgate.
const migrationLock = 0x73706563676174

func (p *postgresDatabase) migrate(ctx context.Context) (err error) {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	defer func() {
		_, unlock := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
		err = errors.Join(err, unlock)
	}()
	err = p.within(ctx, func(t tx) error { return migrateTables(ctx, t, "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY") })
	if err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	m, err := rivermigrate.New(riverpgxv5.New(p.pool), &rivermigrate.Config{Logger: p.q.log})
	if err != nil {
		return fmt.Errorf("make the tables of the queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("make the tables of the queue: %w", err)
	}
	return nil
}

// recover says that this worker is there, and puts back the jobs of those that are not: of which nothing new was heard for so long by the clock of this
// process that nobody sets. What they say is the time of the database, which may be set: then nobody is gone.
func (p *postgresDatabase) recover(ctx context.Context) (n int64, err error) {
	const now = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT"
	err = p.within(ctx, func(t tx) error {
		n = 0
		if _, err := t.exec(ctx, "INSERT INTO specgate_workers (id, seen) VALUES ($1, "+now+") ON CONFLICT (id) DO UPDATE SET seen = "+now, p.q.id); err != nil {
			return err
		}
		heard := map[string]word{}
		err := t.each(ctx, "SELECT id, seen FROM specgate_workers WHERE id <> $1", []any{p.q.id}, func(scan func(...any) error) error {
			var id string
			w := word{at: time.Now()}
			err := scan(&id, &w.seen)
			if last, ok := p.heard[id]; ok && last.seen == w.seen {
				w = last
			}
			heard[id] = w
			return err
		})
		if err != nil {
			return err
		}
		p.heard = heard
		for id, w := range heard {
			if time.Since(w.at) < deadAfter {
				continue
			}
			if _, err := t.exec(ctx, "DELETE FROM specgate_workers WHERE id = $1 AND seen = $2", id, w.seen); err != nil {
				return err
			}
		}
		// The last of attempted_by runs the job. attempted_at bounds the time in which a worker may have taken one and not said that it is there.
		n, err = t.exec(ctx, "UPDATE river_job SET state = 'available', scheduled_at = "+t.now(0)+` WHERE state = 'running'
			AND (attempted_at < `+t.now(-5)+" OR attempted_at > "+t.now(5)+`)
			AND NOT EXISTS (SELECT 1 FROM specgate_workers w WHERE w.id = attempted_by[array_upper(attempted_by, 1)])`)
		return err
	})
	return n, err
}

// beat also finds out whether this process was taken for gone, as after a pause of its machine.
func (p *postgresDatabase) beat(ctx context.Context) (n int64, err error) {
	var known int
	err = p.within(ctx, func(t tx) error {
		return one(ctx, t, "SELECT COUNT(*) FROM specgate_workers WHERE id = $1", []any{p.q.id}, &known)
	})
	if err == nil {
		n, err = p.recover(ctx)
	}
	if err == nil && known == 0 {
		err = errTakenOver
	}
	return n, err
}

func (p *postgresDatabase) orphans(ctx context.Context, running func() map[int64]bool) (int64, error) {
	if err := p.within(ctx, func(t tx) error { return early(ctx, t) }); err != nil {
		return 0, err
	}
	t := &postgresTx{}
	return putBack(ctx, p, "SELECT id, attempt FROM river_job WHERE state = 'running' AND (attempted_at < "+t.now(-60)+" OR attempted_at > "+t.now(60)+") AND attempted_by[array_upper(attempted_by, 1)] = $1", []any{p.q.id}, running)
}

func (p *postgresDatabase) leave(ctx context.Context) error {
	_, err := p.pool.Exec(ctx, "DELETE FROM specgate_workers WHERE id = $1", p.q.id)
	return err
}

func (p *postgresDatabase) close() { p.pool.Close() }

type postgresTx struct {
	pgx.Tx
	p *postgresDatabase
}

func (t *postgresTx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := t.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

func (t *postgresTx) each(ctx context.Context, query string, args []any, do func(func(...any) error) error) error {
	rows, err := t.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return eachRow(rows, do)
}

func (t *postgresTx) insert(ctx context.Context, args river.JobArgs, o *river.InsertOpts) (*rivertype.JobInsertResult, error) {
	return t.p.client.InsertTx(ctx, t.Tx, args, o)
}

func (t *postgresTx) complete(ctx context.Context, job *rivertype.JobRow) error {
	_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, t.Tx, &river.Job[headArgs]{JobRow: job})
	return err
}

func (t *postgresTx) now(seconds int) string {
	return fmt.Sprintf("(clock_timestamp() + INTERVAL '%d seconds')", seconds)
}

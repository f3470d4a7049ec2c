package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/specgate/specgate/internal/github"
)

// Config of the server.
type Config struct {
	// Listen is the address to listen on, such as 127.0.0.1:8080.
	Listen string
	// Database is the path of a file of SQLite, or the address of PostgreSQL, postgres://USER:PASSWORD@HOST/NAME.
	Database string
	// AppID and PrivateKey, in PEM, are the GitHub App's; WebhookSecret is what GitHub signs with.
	AppID         int64
	PrivateKey    []byte
	WebhookSecret []byte
	// APIURL of GitHub; empty: that of github.com.
	APIURL string
	// UserAgent names the program to GitHub.
	UserAgent string
	// Jobs is how many checks run at once, Timeout how long one may take, all that it fetches included.
	Jobs    int
	Timeout time.Duration
	// Patience is how long running checks may go on when the server is to stop.
	Patience time.Duration
	// Checker runs the checks.
	Checker Checker
	// Log must not be nil.
	Log *slog.Logger

	// Transport for requests to GitHub; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Wait is the longest that one request to GitHub is tried again before its job is put off; 0: 30 s.
	Wait time.Duration
	// Retry is the shortest time before a failure is tried again; 0: 20 s.
	Retry time.Duration
	// Now is the time; nil: this machine's.
	Now func() time.Time
	// Listening is called with the address when requests are taken; it may be nil.
	Listening func(net.Addr)
}

// App is a running server.
type App struct {
	config  Config
	checker Checker
	db      database
	clients *clients
	metrics *metrics
	running *runningJobs
	retry   time.Duration
	now     func() time.Time
	log     *slog.Logger
	// working: the workers are started and not told to stop.
	working atomic.Bool
}

// Timeouts of a request. A body of 25 MB in 30 s is a slow line.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	// lastWords is how long requests, and jobs that were cancelled, have to come to an end.
	lastWords = 15 * time.Second
)

// Run serves until the context ends, and then stops in order. At once /readyz says so and no further jobs are taken. Jobs that run have
// Config.Patience to come to an end; those that take longer are cancelled, and done by the next process. Events are stored for it meanwhile,
// and the listener is closed last.
func Run(ctx context.Context, c Config) error {
	a := &App{config: c, checker: c.Checker, metrics: newMetrics(), running: newRunningJobs(), retry: c.Retry, now: c.Now, log: c.Log}
	if a.retry == 0 {
		a.retry = 20 * time.Second
	}
	if c.Wait == 0 {
		c.Wait = 30 * time.Second
	}
	if a.now == nil {
		a.now = time.Now
	}
	transport := c.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	a.clients = &clients{baseURL: c.APIURL, agent: c.UserAgent, appID: c.AppID, key: c.PrivateKey, transport: transport, left: a.metrics.left, wait: c.Wait, log: c.Log, kept: map[clientKey]*github.Client{}}

	workers := river.NewWorkers()
	if err := errors.Join(river.AddWorkerSafely(workers, &headWorker{app: a}), river.AddWorkerSafely(workers, &buttonWorker{app: a})); err != nil {
		return fmt.Errorf("make the queue: %w", err)
	}
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	if len(name) > 60 {
		name = name[:60]
	}
	db, err := openDatabase(ctx, c.Database, queueOptions{
		id: fmt.Sprintf("%s-%d-%s", name, os.Getpid(), rand.Text()[:10]), checks: c.Jobs, timeout: maxBases*c.Timeout + 30*time.Minute,
		patience: c.Patience, workers: workers, errors: failures{a}, log: slog.New(warnings{c.Log.Handler()}),
	})
	if err != nil {
		return err
	}
	defer db.close()
	a.db = db
	if err := db.migrate(ctx); err != nil {
		return err
	}
	a.metrics.registry.MustRegister(stateCollector{db})
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.Listen, err)
	}
	return a.serve(ctx, listener)
}

func (a *App) serve(ctx context.Context, listener net.Listener) error {
	n, err := a.db.recover(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("put back the jobs of a process that is no more: %w", err), listener.Close())
	}
	a.recovered(n)
	// The queue is told to stop, not cut off: its context does not end with this one.
	if err := a.db.start(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(fmt.Errorf("start the workers: %w", err), listener.Close())
	}
	a.working.Store(true)

	server := &http.Server{Handler: a.handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var loops sync.WaitGroup
	loops.Go(func() { a.beat(background) })
	loops.Go(func() { a.maintain(background) })
	loops.Go(func() { a.missed(background) })
	loops.Go(func() { a.wake(background) })
	a.log.Info("listening", "address", listener.Addr().String())
	if a.config.Listening != nil {
		a.config.Listening(listener.Addr())
	}

	var failed error
	select {
	case err := <-served:
		failed = fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
		a.log.Info("stopping")
	}
	a.working.Store(false)
	ending, cancelEnding := context.WithTimeout(context.WithoutCancel(ctx), a.config.Patience+lastWords)
	defer cancelEnding()
	if err := a.db.stop(ending); err != nil {
		failed = errors.Join(failed, fmt.Errorf("end the jobs: %w; the next process does them again", err))
	}
	stop()
	loops.Wait()
	// A beat would say again that it is there.
	if err := a.db.leave(ending); err != nil {
		a.log.Warn("say that this process is no more", "error", err)
	}
	// Until here events were taken: they are only stored, and GitHub does not send one again by itself that is refused.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		failed = errors.Join(failed, fmt.Errorf("end the requests: %w", err))
	}
	a.log.Info("stopped")
	return failed
}

func (a *App) recovered(n int64) {
	if n > 0 {
		a.metrics.recovered.Add(float64(n))
		a.log.Warn("put back jobs of a process that is no more", "jobs", n)
	}
}

// beat says that this process is there, and looks for those that are not. When it cannot say so for long, others take over what runs here, and
// it is cancelled here.
func (a *App) beat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, beatEvery)
		n, err := a.db.beat(limited)
		cancel()
		switch {
		case err == nil:
			last = time.Now()
			a.recovered(n)
		case ctx.Err() != nil:
		case errors.Is(err, errTakenOver):
			last = time.Now()
			a.log.Error("what runs is cancelled", "error", err)
			a.running.cancelAll()
		case time.Since(last) > fenced:
			a.log.Error("the database does not answer; what runs is cancelled", "error", err)
			a.running.cancelAll()
		default:
			a.log.Warn("the database does not answer", "error", err)
		}
	}
}

// maintain looks for what was left behind, and forgets what is old.
func (a *App) maintain(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for n := 0; ; n++ {
		err := a.db.within(ctx, func(t tx) error {
			if err := sweep(ctx, t, a.now()); err != nil {
				return err
			}
			if err := share(ctx, t); err != nil {
				return err
			}
			if n%60 == 0 {
				return purge(ctx, t, a.now())
			}
			return nil
		})
		if err == nil {
			var orphans int64
			orphans, err = a.db.orphans(ctx, a.running.ids)
			a.recovered(orphans)
		}
		if err != nil && ctx.Err() == nil {
			a.log.Warn("look for what was left behind", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// failures hears of jobs that ended in an error or a panic, which the queue tries again.
type failures struct{ a *App }

func (f failures) HandleError(_ context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.a.log.Error("a job failed", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "error", err)
	return nil
}

func (f failures) HandlePanic(_ context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.a.metrics.panics.Inc()
	f.a.log.Error("a job panicked", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "panic", fmt.Sprint(value), "stack", trace)
	return nil
}

// warnings is a log of what the queue and its migrations warn of; what goes well is not news.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }

// runningJobs are those of this process.
type runningJobs struct {
	mu  sync.Mutex
	all map[int64]context.CancelFunc
}

func newRunningJobs() *runningJobs { return &runningJobs{all: map[int64]context.CancelFunc{}} }

func (r *runningJobs) begin(ctx context.Context, id int64) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[id] = cancel
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.all, id)
	}
}

func (r *runningJobs) ids() map[int64]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := map[int64]bool{}
	for id := range r.all {
		ids[id] = true
	}
	return ids
}

func (r *runningJobs) cancelAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, cancel := range r.all {
		cancel()
	}
}

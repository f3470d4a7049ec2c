package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/publish"
)

const (
	checkName = "specgate"
	// headAttempts is how often a job of a head may end without having said what is to become of it, such as with its process. Then it is given
	// up by the queue, and the next sweep starts it anew.
	headAttempts = 25
	// maxStarts is how often a check may be begun and not come to an end, as the process ended: then the check is likely the reason.
	maxStarts = 10
	// maxFailures is how often a check is tried that specgate fails at.
	maxFailures = 3
	// maxErrors is how often something else is tried that ends in an error that time will not mend.
	maxErrors = 5
	// maxOutage is how long GitHub may be down before a head is given up, and maxRefused how long it may refuse the App's access.
	maxOutage  = 24 * time.Hour
	maxRefused = 2 * time.Hour
	// minTries is how often is tried before, however long it lasted by the clock: it may have been set, or this machine have slept.
	minTries = 10
	// maxPause is the longest time before something is tried again.
	maxPause = time.Hour
	// maxBases is how many bases a head is checked against, if it is that of several pull requests.
	maxBases = 3
	// labelSeparator stands in no label of GitHub.
	labelSeparator = "\n"
	// watchEvery is how often a check that runs looks for what was asked since.
	watchEvery = 500 * time.Millisecond
)

// errChanged: something else is wanted of the head by now.
var errChanged = errors.New("something else was asked of the head")

// goneError ends a head without a check run.
type goneError struct{ err error }

func (e *goneError) Error() string { return e.err.Error() }

// checkError is a failure of a check that may go away.
type checkError struct{ err error }

func (e *checkError) Error() string { return e.err.Error() }
func (e *checkError) Unwrap() error { return e.err }

// done is what became of a head.
type done struct {
	result string
	// label is that of the policy which matters for the judgement; of several policies all, with labelSeparator between them.
	label string
	// relabelled is the row's number when the labels were read.
	relabelled int64
	err        string
	// blocking is what the check run says that blocks.
	blocking []blocked
}

type headWorker struct {
	river.WorkerDefaults[headArgs]
	app *App
}

// Work brings a head to what is wanted of it.
func (w *headWorker) Work(ctx context.Context, job *river.Job[headArgs]) error {
	ctx, end := w.app.running.begin(ctx, job.ID)
	defer end()
	brought, finished := false, false
	defer func() {
		if brought && !finished {
			w.app.doubt(job.Args.Head)
		}
	}()
	for {
		var h head
		err := w.app.db.within(ctx, func(t tx) (err error) {
			h, err = headByID(ctx, t, job.Args.Head)
			return err
		})
		if errors.Is(err, errNoRow) {
			return nil
		}
		if err != nil {
			return w.stopped(ctx, err)
		}
		if brought && h.isDone() {
			return nil
		}
		log := w.app.log.With("repo", h.name, "head", h.sha, "job", job.ID)
		d := done{result: h.result, relabelled: h.relabelled}
		if !h.isDone() {
			if h.want == wantCheck && job.Queue != queueChecks {
				// It was wanted again after it had been ended; a check does not run where the others only talk.
				err := w.app.db.within(ctx, func(t tx) error {
					_, err := t.exec(ctx, "UPDATE river_job SET queue = $1 WHERE id = $2", queueChecks, job.ID)
					return err
				})
				if err != nil {
					return w.stopped(ctx, err)
				}
				return river.JobSnooze(0)
			}
			started := time.Now()
			brought = true
			d, err = w.app.bring(ctx, h, job.Attempt)
			w.app.metrics.job(h.want, d.result, err, time.Since(started))
			switch {
			case errors.Is(err, errChanged):
				log.Info("something else is wanted of the head by now")
				continue
			case err != nil:
				pause, stop := w.app.failed(ctx, &h, err, pausesOf(job.JobRow))
				if errors.Is(stop, errChanged) {
					continue
				}
				if stop != nil {
					return w.stopped(ctx, stop)
				}
				if pause > 0 {
					log.Warn("try again later", "want", h.want, "after", pause, "error", err)
					return river.JobSnooze(pause)
				}
				log.Error("a head is given up", "want", h.want, "error", err)
				d = w.app.giveUp(ctx, h, err)
			}
		}
		finished, err = w.app.finish(ctx, &h, d, job)
		if err != nil {
			return w.stopped(ctx, err)
		}
		if finished {
			log.Info("head done", "want", h.want, "result", d.result)
			return nil
		}
	}
}

// doubt has a head brought again to what is wanted of it, by the next sweep, if it was done meanwhile, and not by who now calls this: another server took this
// one for gone. What this one wrote to GitHub last may have come after what the other wrote.
func (a *App) doubt(id int64) {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	err := a.db.within(ctx, func(t tx) error {
		_, err := t.exec(ctx, "UPDATE specgate_heads SET asked = asked + 1, error = '', changed = $1 WHERE id = $2 AND done >= asked AND result <> $3", millis(a.now()), id, resultGone)
		return err
	})
	if err != nil {
		a.log.Warn("a head may not be shown as it is, and is not asked for again", "id", id, "error", err)
	}
}

// wake ends pauses that are over. The queue does that by the clock, which may be set during a pause, or have been wrong when it began. This goes by how long
// a job is seen to pause, and by how long that is to be: so no pause is shorter, and it is longer by a restart at most.
func (a *App) wake(ctx context.Context) {
	type pause struct{ job, attempt, snoozes int64 }
	seen := map[pause]time.Time{}
	tick := time.NewTicker(a.retry)
	defer tick.Stop()
	for {
		err := a.db.within(ctx, func(t tx) error {
			still := map[pause]time.Time{}
			var over []pause
			err := t.each(ctx, `SELECT j.id, j.attempt, COALESCE(CAST(j.metadata->>'snoozes' AS BIGINT), 0), j.state, COALESCE(h.pause, 0)
				FROM river_job j LEFT JOIN specgate_heads h ON h.id = CAST(j.args->>'head' AS BIGINT) WHERE j.state IN ('scheduled', 'retryable')`, nil,
				func(scan func(...any) error) error {
					var p pause
					var state string
					var millis int64
					if err := scan(&p.job, &p.attempt, &p.snoozes, &state, &millis); err != nil {
						return err
					}
					since, ok := seen[p]
					if !ok {
						since = time.Now()
					}
					still[p] = since
					long := time.Duration(millis) * time.Millisecond
					if state == "retryable" {
						long = retryAfter(int(p.attempt))
					}
					if time.Since(since) >= long {
						over = append(over, p)
					}
					return nil
				})
			for _, p := range over {
				if err != nil {
					return err
				}
				_, err = t.exec(ctx, "UPDATE river_job SET state = 'available', scheduled_at = "+t.now(0)+
					" WHERE id = $1 AND attempt = $2 AND state IN ('scheduled', 'retryable') AND COALESCE(CAST(metadata->>'snoozes' AS BIGINT), 0) = $3", p.job, p.attempt, p.snoozes)
			}
			if err == nil {
				seen = still
			}
			return err
		})
		if err != nil && ctx.Err() == nil {
			a.log.Debug("pauses are left to the queue", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Timeout of a job: River's for all.
func (w *headWorker) Timeout(*river.Job[headArgs]) time.Duration { return 0 }

// stopped is what a job ends with that an error stopped: if the process is about to end, it is for the next one to do.
func (w *headWorker) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return river.JobSnooze(0)
	}
	return err
}

// finish stores what became of a head, and ends the job in the same transaction. It is false if something was asked since.
func (a *App) finish(ctx context.Context, h *head, d done, job *river.Job[headArgs]) (finished bool, err error) {
	if h.isDone() {
		// There was nothing to do, and nothing is changed.
		err = a.db.within(ctx, func(t tx) error {
			n, err := t.exec(ctx, "UPDATE specgate_heads SET done = done WHERE id = $1 AND done >= asked", h.id)
			if finished = n > 0; err != nil || !finished {
				return err
			}
			return t.complete(ctx, job.JobRow)
		})
		return finished, err
	}
	err = a.db.within(ctx, func(t tx) error {
		if h.want == wantCheck && (d.result == resultNone || d.result == resultCancelled) {
			// An event that came while GitHub was asked found a check that was to come, and left it at that.
			if err := lockRepo(ctx, t, h.repo); err != nil {
				return err
			}
			if needed, err := h.needed(ctx, t); err != nil || needed {
				return err
			}
		}
		n, err := t.exec(ctx, `UPDATE specgate_heads SET done = asked, result = $1, label = $2, error = $3, failures = 0, failing_since = 0, changed = $4
			WHERE id = $5 AND asked = $6 AND relabelled = $7`, d.result, short(d.label), short(d.err), millis(a.now()), h.id, h.asked, d.relabelled)
		if finished = n > 0; err != nil || !finished {
			return err
		}
		if err := putBlocking(ctx, t, h.id, d.blocking); err != nil {
			return err
		}
		return t.complete(ctx, job.JobRow)
	})
	return finished, err
}

func short(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "?")
	if len(s) > 2000 {
		s = strings.ToValidUTF8(s[:2000], "") + "..."
	}
	return s
}

// giveUp ends a head that cannot be brought to what is wanted of it: with a check run that says so, if GitHub takes that.
func (a *App) giveUp(ctx context.Context, h head, err error) done {
	d := done{result: resultLost, err: err.Error(), relabelled: h.relabelled}
	var gone *goneError
	if errors.As(err, &gone) {
		d.result = resultGone
		return d
	}
	b, newErr := a.bringing(h)
	if newErr != nil || h.want != wantCheck {
		return d
	}
	if said, concludeErr := b.conclude(ctx, err.Error()); concludeErr == nil {
		return said
	}
	return d
}

// pausesOf is how often a job has paused.
func pausesOf(job *rivertype.JobRow) int {
	var metadata struct {
		Snoozes int `json:"snoozes"`
	}
	if json.Unmarshal(job.Metadata, &metadata) != nil {
		return 0 // the queue's own; that nothing is known of it is as if there had been none
	}
	return metadata.Snoozes
}

// failed notes a failure of a job that has paused so often, and says when to try again; 0: never.
func (a *App) failed(ctx context.Context, h *head, err error, pauses int) (pause time.Duration, stop error) {
	if ctx.Err() != nil {
		return 0, err
	}
	var (
		gone  *goneError
		limit *github.LimitError
		check *checkError
	)
	switch {
	case errors.As(err, &gone):
		return 0, nil
	case errors.As(err, &limit):
		// GitHub says when to come back, and is right.
		pause = min(max(limit.After, time.Second), maxPause)
	default:
		if h.failingSince == 0 {
			h.failingSince = millis(a.now())
		}
		lasts := a.now().Sub(time.UnixMilli(h.failingSince))
		outage, refused := isOutage(err), errors.Is(err, github.ErrNotFound) || errors.Is(err, github.ErrUnauthorized) || errors.Is(err, github.ErrReadOnly)
		if !outage && !refused || errors.As(err, &check) {
			h.failures++ // how often others are tried depends on how long they last
		}
		if errors.Is(err, github.ErrUnauthorized) {
			// GitHub may have taken back a token before its time, or this machine's clock was set.
			a.clients.forget(h.name)
		}
		switch {
		case pauses >= minTries && (outage && lasts > maxOutage || refused && lasts > maxRefused), !outage && !refused && h.failures >= maxErrors:
			return 0, nil
		}
		// Half as long as it lasts already, so that a short one costs little and a long one few requests.
		pause = min(max(lasts/2, a.retry), a.retry<<min(pauses, 10), 15*time.Minute)
	}
	return pause, a.db.within(ctx, func(t tx) error {
		n, err := t.exec(ctx, "UPDATE specgate_heads SET failures = $1, failing_since = $2, error = $3, pause = $4 WHERE id = $5 AND asked = $6",
			h.failures, h.failingSince, short(err.Error()), pause.Milliseconds(), h.id, h.asked)
		if err == nil && n == 0 {
			return errChanged // which does not wait for this
		}
		return err
	})
}

// isOutage tells whether GitHub could not be reached, or could not answer.
func isOutage(err error) bool {
	var (
		lost *github.LostError
		dial net.Error
	)
	return errors.As(err, &lost) || errors.As(err, &dial)
}

// bring does what is wanted.
func (a *App) bring(ctx context.Context, h head, starts int) (d done, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = a.caught(h.name, h.sha, p)
		}
	}()
	b, err := a.bringing(h)
	if err != nil {
		return done{}, err
	}
	if h.want == wantEnd {
		return b.end(ctx, h.reason)
	}
	return b.check(ctx, starts)
}

func (a *App) bringing(h head) (*bringing, error) {
	repo, err := github.ParseRepo(h.name)
	if err != nil {
		return nil, err
	}
	client, err := a.clients.get(repo, h.installation, false)
	if err != nil {
		return nil, err
	}
	return &bringing{app: a, h: h, repo: repo, client: client, run: github.Check{Name: checkName, SHA: h.sha, ExternalID: "head:" + h.sha}}, nil
}

// bringing is a head on its way to what is wanted.
type bringing struct {
	app    *App
	h      head
	repo   github.Repo
	client *github.Client
	run    github.Check
}

func (b *bringing) end(ctx context.Context, reason string) (done, error) {
	_, err := b.client.CancelCheck(ctx, b.repo, b.run, title(reason), reason+"\n\nNothing was checked, or what was found is not shown, since nobody needs it.")
	if errors.Is(err, github.ErrNoCommit) {
		return done{}, &goneError{err}
	}
	return done{result: resultCancelled, relabelled: b.h.relabelled}, err
}

// title is the first sentence of a reason.
func title(reason string) string {
	first, _, _ := strings.Cut(reason, ".")
	return first
}

// side is a base that the head is checked against, with the pull requests that it has it from.
type side struct {
	base  string
	pulls []github.Pull
	// forGroup: it is the base of a merge group, whatever pull requests have it too.
	forGroup bool
	// counted are the pull requests whose labels, and what was accepted for them, count: if all of them have it.
	counted []github.Pull
	// judged is set when its check is over.
	judged *publish.Judgement
	result Result
}

// labels are those that all pull requests have: what one allows it does not allow another.
func (s *side) labels() []string {
	if len(s.counted) == 0 {
		return nil
	}
	labels := slices.Clone(s.counted[0].Labels)
	for _, p := range s.counted[1:] {
		labels = slices.DeleteFunc(labels, func(l string) bool { return !slices.Contains(p.Labels, l) })
	}
	return labels
}

func (b *bringing) check(ctx context.Context, starts int) (done, error) {
	pulls, ended, err := b.pulls(ctx)
	if errors.Is(err, github.ErrNoCommit) {
		return done{}, &goneError{err}
	}
	if err != nil {
		return done{}, err
	}
	if len(pulls) == 0 && b.h.groupBase == "" {
		if ended == "" && b.h.asked == 1 {
			return done{result: resultNone, relabelled: b.h.relabelled}, nil
		}
		if ended == "" {
			ended = "This commit is not the head of an open pull request."
		}
		return b.end(ctx, ended)
	}
	if _, err := b.client.RestartCheck(ctx, b.repo, b.run); err != nil {
		if errors.Is(err, github.ErrNoCommit) {
			return done{}, &goneError{err}
		}
		return done{}, err
	}
	d, err := b.checkAll(ctx, pulls, starts)
	var failed *checkError
	var permanent *PermanentError
	if !errors.As(err, &permanent) && !errors.As(err, &failed) {
		return d, err
	}
	// Nobody is told of a failure that a push, a deleted branch or a closed pull request brought about.
	pulls, ended, stillErr := b.pulls(ctx)
	switch {
	case stillErr != nil:
		return done{}, stillErr
	case len(pulls) == 0 && b.h.groupBase == "":
		if ended == "" {
			ended = "This commit is not the head of an open pull request any more."
		}
		return b.end(ctx, ended)
	case permanent != nil || b.h.failures+1 >= maxFailures:
		return b.conclude(ctx, err.Error())
	}
	return d, err
}

// checkAll checks the head against every base, and posts the worst result.
func (b *bringing) checkAll(ctx context.Context, pulls []github.Pull, starts int) (done, error) {
	if starts > maxStarts {
		return done{}, &PermanentError{fmt.Errorf("the server ended %d times while it checked this commit, and it is not tried again by itself", starts-1)}
	}
	sides, err := b.sides(ctx, pulls)
	if err != nil {
		return done{}, err
	}
	if len(sides) > maxBases {
		return done{}, &PermanentError{fmt.Errorf("this commit is the head of open pull requests with %d different bases, and it is checked against %d at most; close those that are not needed", len(sides), maxBases)}
	}
	tip, err := b.client.DefaultBranch(ctx, b.repo)
	if err != nil {
		return done{}, err
	}
	for i := range sides {
		if err := b.checkSide(ctx, &sides[i], tip); err != nil {
			return done{}, err
		}
	}
	return b.post(ctx, sides)
}

// sides are the bases to compare with, sorted.
func (b *bringing) sides(ctx context.Context, pulls []github.Pull) ([]side, error) {
	var sides []side
	add := func(target string, p *github.Pull) error {
		base, err := b.client.MergeBase(ctx, b.repo, target, b.h.sha)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(sides, func(s side) bool { return s.base == base })
		if i < 0 {
			i = len(sides)
			sides = append(sides, side{base: base})
		}
		if p != nil {
			sides[i].pulls = append(sides[i].pulls, *p)
		} else {
			sides[i].forGroup = true
		}
		return nil
	}
	// Anybody can open a pull request with the commit of a group as its head.
	if b.h.groupBase != "" {
		if err := add(b.h.groupBase, nil); err != nil {
			return nil, err
		}
	}
	for i := range pulls {
		if err := add(pulls[i].Base, &pulls[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(sides, func(x, y side) int { return strings.Compare(x.base, y.base) })
	return sides, nil
}

func (b *bringing) checkSide(ctx context.Context, s *side, tip string) error {
	onDefault, err := b.client.MergeBase(ctx, b.repo, s.base, tip)
	if err != nil {
		return err
	}
	job := Job{Repo: b.repo, Base: s.base, Head: b.h.sha, Accepted: onDefault == s.base, Token: b.client.ContentsToken}
	if len(s.pulls) > 0 {
		job.Pull = s.pulls[0].Number
	}
	watched, stop := b.watch(ctx)
	defer stop()
	limited, cancel := context.WithTimeout(watched, b.app.config.Timeout)
	defer cancel()
	s.result, err = b.app.runCheck(limited, job)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return err
	case errors.Is(context.Cause(watched), errChanged):
		return errChanged
	case limited.Err() != nil:
		return &PermanentError{fmt.Errorf("the check did not end within %v; make the change smaller, or have the one who runs this server give it more time", b.app.config.Timeout)}
	default:
		var permanent *PermanentError
		if errors.As(err, &permanent) {
			return err
		}
		return &checkError{err}
	}
	if r := s.result.Report; r == nil || r.Head.Rev != b.h.sha || r.Base.Rev != s.base {
		return &checkError{errors.New("the report of the check is about other commits")}
	}
	b.app.log.Info("checked", "repo", b.h.name, "head", b.h.sha, "base", s.base, "pull", job.Pull, "outcome", s.result.Report.Outcome, "took", s.result.Took)
	return nil
}

// runCheck runs a check; a panic in it is an error.
func (a *App) runCheck(ctx context.Context, job Job) (r Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = a.caught(job.Repo.String(), job.Head, p)
		}
	}()
	return a.checker.Check(ctx, job)
}

// caught counts a panic, and makes an error of it.
func (a *App) caught(repo, head string, p any) error {
	a.metrics.panics.Inc()
	a.log.Error("a job panicked", "repo", repo, "head", head, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return fmt.Errorf("a failure of specgate itself: %v", p)
}

// watch gives a context that ends with errChanged when something else is wanted of the head.
func (b *bringing) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	watched, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-tick.C:
			}
			var asked int64
			err := b.app.db.within(watched, func(t tx) error {
				return one(watched, t, "SELECT asked FROM specgate_heads WHERE id = $1", []any{b.h.id}, &asked)
			})
			if errors.Is(err, errNoRow) || err == nil && asked != b.h.asked {
				cancel(errChanged)
			}
		}
	}()
	return watched, func() { cancel(context.Canceled) }
}

// pulls are the open pull requests whose head it is, as GitHub says. If there were some that are not, ended says why they are not.
func (b *bringing) pulls(ctx context.Context) (pulls []github.Pull, ended string, err error) {
	var numbers []int64
	err = b.app.db.within(ctx, func(t tx) error {
		numbers = nil
		return t.each(ctx, "SELECT number FROM specgate_pulls WHERE repo = $1 AND head = $2 AND is_open = 1 ORDER BY number", []any{b.h.repo, b.h.sha}, func(scan func(...any) error) error {
			var n int64
			err := scan(&n)
			numbers = append(numbers, n)
			return err
		})
	})
	if err != nil {
		return nil, "", err
	}
	for _, n := range numbers {
		p, why, err := b.pull(ctx, int(n))
		if err != nil {
			return nil, "", err
		}
		if why == "" {
			pulls = append(pulls, p)
		} else {
			ended = why
		}
	}
	if len(numbers) > 0 {
		return pulls, ended, nil
	}
	// Events about a push to a fork name no pull request.
	pulls, err = b.client.Pulls(ctx, b.repo, b.h.sha)
	return pulls, "", err
}

// pull asks GitHub for a pull request. ended says why the commit is not its head any more.
func (b *bringing) pull(ctx context.Context, number int) (p github.Pull, ended string, err error) {
	var updated int64
	err = b.app.db.within(ctx, func(t tx) error {
		return one(ctx, t, "SELECT updated FROM specgate_pulls WHERE repo = $1 AND number = $2", []any{b.h.repo, number}, &updated)
	})
	if err != nil && !errors.Is(err, errNoRow) {
		return github.Pull{}, "", err
	}
	p, err = b.client.Pull(ctx, b.repo, number)
	switch {
	case err != nil:
		return github.Pull{}, "", err
	case p.Open && p.Head == b.h.sha:
		return p, "", nil
	case p.Open:
		ended = superseded(p.Head)
	default:
		ended = closed(int64(p.Number))
	}
	return p, ended, b.correct(ctx, p, updated)
}

// correct stores what GitHub says of a pull request whose last event did not come, or came out of order; but not if another came since GitHub
// was asked, when its row was last changed by the event of that time.
func (b *bringing) correct(ctx context.Context, p github.Pull, updated int64) error {
	return b.app.db.within(ctx, func(t tx) error {
		if err := lockRepo(ctx, t, b.h.repo); err != nil {
			return err
		}
		isOpen := 0
		if p.Open {
			isOpen = 1
		}
		n, err := t.exec(ctx, "UPDATE specgate_pulls SET head = $1, is_open = $2 WHERE repo = $3 AND number = $4 AND head = $5 AND updated = $6",
			p.Head, isOpen, b.h.repo, p.Number, b.h.sha, updated)
		if err != nil || n == 0 || !p.Open {
			return err
		}
		return want(ctx, t, b.h.repo, p.Head, "", unlessDone, b.app.now())
	})
}

// post judges and posts. Labels are read last: what changes them meanwhile is seen by finish.
func (b *bringing) post(ctx context.Context, sides []side) (done, error) {
	var fresh head
	err := b.app.db.within(ctx, func(t tx) (err error) {
		fresh, err = headByID(ctx, t, b.h.id)
		return err
	})
	if err != nil {
		return done{}, err
	}
	if fresh.asked != b.h.asked {
		return done{}, errChanged
	}
	d := done{relabelled: fresh.relabelled}
	worst, left, ended := -1, false, ""
	var labels []string
	for i := range sides {
		s := &sides[i]
		kept := s.pulls[:0]
		for _, p := range s.pulls {
			p, why, err := b.pull(ctx, p.Number)
			if err != nil {
				return done{}, err
			}
			if why != "" {
				ended = why
				continue
			}
			kept = append(kept, p)
		}
		if s.pulls = kept; len(kept) == 0 && !s.forGroup {
			continue // nobody needs what was found
		}
		left = true
		target := publish.Target{Client: b.client, Repo: b.repo, SHA: b.h.sha}
		pol, err := target.Policy(ctx, s.base)
		var bad policy.Diagnostics
		if errors.As(err, &bad) {
			return done{}, &PermanentError{fmt.Errorf("the policy of the base commit %s is not valid: %w", s.base, err)}
		}
		if err != nil {
			return done{}, err
		}
		s.counted = s.pulls
		if s.forGroup {
			group, err := b.groupPull(ctx)
			switch {
			case err != nil:
				return done{}, err
			case group == nil:
				s.counted = nil
			default:
				s.counted = append(slices.Clone(s.pulls), *group)
			}
		}
		accepted, err := b.accepted(ctx, s.counted)
		if err != nil {
			return done{}, err
		}
		s.judged = publish.Judge(s.result.Report, pol, s.labels(), accepted, policy.DateOf(b.app.now().UTC()))
		labels = append(labels, pol.Scope.AllowExecutableEditsLabel)
		if worst < 0 || s.judged.Blocks() && !sides[worst].judged.Blocks() {
			worst = i
		}
	}
	if !left {
		return b.end(ctx, ended)
	}
	target := publish.Target{Client: b.client, Repo: b.repo, SHA: b.h.sha}
	d.blocking = sides[worst].blocking()
	posting := publish.Posting{Name: b.run.Name, ExternalID: b.run.ExternalID, Actions: buttonsOf(d.blocking)}
	posted, err := target.CheckRun(ctx, sides[worst].judged, posting)
	if err != nil {
		return done{}, err
	}
	d.result, d.label = string(posted.Conclusion), strings.Join(labels, labelSeparator)
	for _, s := range sides {
		for i := range s.pulls {
			if err := b.comment(ctx, s, &s.pulls[i]); err != nil {
				return done{}, err
			}
		}
	}
	return d, nil
}

// groupPull is the pull request that a merge group adds: what it was allowed by a label, and what was accepted for it, holds for the group.
func (b *bringing) groupPull(ctx context.Context) (*github.Pull, error) {
	if b.h.groupPull == 0 {
		return nil, nil
	}
	p, err := b.client.Pull(ctx, b.repo, int(b.h.groupPull))
	if errors.Is(err, github.ErrNotFound) {
		return nil, nil
	}
	return &p, err
}

// comment writes the comments that the policy wants. What the App may not write is only missing: the check run says it all.
func (b *bringing) comment(ctx context.Context, s side, p *github.Pull) error {
	if s.judged == nil || s.judged.Policy.Report.Comments == policy.CommentsOff {
		return nil
	}
	client, err := b.app.clients.get(b.repo, b.h.installation, true)
	if err != nil {
		return err
	}
	target := publish.Target{Client: client, Repo: b.repo, SHA: b.h.sha, Pull: p}
	err = target.Comment(ctx, s.judged, "", &publish.Posted{})
	var stale *github.StaleError
	if errors.As(err, &stale) {
		return nil // its event is on the way, and the next head will have its comment
	}
	var limit *github.LimitError
	// A token that is not accepted is no lack of permission: GitHub or this machine has a wrong clock, or the token was taken back.
	if err == nil || ctx.Err() != nil || isOutage(err) || errors.As(err, &limit) || errors.Is(err, github.ErrUnauthorized) {
		return err
	}
	b.app.log.Warn("the policy wants comments, which could not be written; does the installation have pull requests: write?",
		"repo", b.h.name, "head", b.h.sha, "pull", p.Number, "error", err)
	return nil
}

// conclude completes the check run where specgate failed, as a failure: what was not checked has not passed.
func (b *bringing) conclude(ctx context.Context, words string) (done, error) {
	b.app.log.Error("specgate could not check a head", "repo", b.h.name, "head", b.h.sha, "error", words)
	out := annotate.CheckRun{
		Conclusion: annotate.Failure, Title: "specgate could not check this change",
		Summary: "**This says nothing about the change:** specgate itself could not do its work, and what was not checked does not pass.\n\n" +
			quoted(words) + "\nPress *Re-run* to try again. If it fails again, tell whoever runs this server the commit `" + b.h.sha + "`; the server's log says more.\n",
	}
	_, err := b.client.CompleteCheck(ctx, b.repo, b.run, out, []github.Action{rerunButton})
	switch {
	case errors.Is(err, github.ErrNoCommit):
		return done{}, &goneError{err}
	case err == nil:
		b.app.metrics.gaveUp.Inc()
	}
	return done{result: string(annotate.Failure), err: words, relabelled: b.h.relabelled}, err
}

// quoted is any text as an indented block of code, in which nothing has a meaning to Markdown.
func quoted(text string) string {
	var out strings.Builder
	for line := range strings.Lines(short(text)) {
		line = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return -1
			}
			return r
		}, line)
		out.WriteString("    " + line + "\n")
	}
	return out.String()
}

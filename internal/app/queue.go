package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// The queues. What only talks to GitHub does not wait behind checks.
const (
	queueChecks = "checks"
	queueGitHub = "github"
	// talkers is how many jobs talk to GitHub at once. Its secondary limit is 100 requests at once for all that an App does.
	talkers = 8
)

// never: which jobs are stuck is found by recover, beat and orphans. The queue would go by the clock alone, and run a job a second time when it is set.
const never = 100 * 365 * 24 * time.Hour

// retries is when a job is tried again that ended in an error.
type retries struct{}

// NextRetry is called with the job as it was when it was taken.
func (retries) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(retryAfter(job.Attempt))
}

// retryAfter is the pause after so many attempts.
func retryAfter(attempts int) time.Duration {
	n := min(attempts, 100)
	return min(time.Duration(n*n*n*n)*time.Second, maxPause)
}

// headArgs is the job that brings a head to what is wanted of it. There is at most one at a time for a head.
type headArgs struct {
	Head int64 `json:"head"`
}

// Kind is the queue's name of the job.
func (headArgs) Kind() string { return "head" }

// headStates are those in which a job of a head stands in the way of another: all but the last ones.
func headStates() []rivertype.JobState {
	return []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}
}

// buttonArgs is the job that does what a button of a check run asks for.
type buttonArgs struct {
	Repo       int64  `json:"repo"`
	SHA        string `json:"sha"`
	CheckRun   int64  `json:"check_run"`
	Identifier string `json:"identifier"`
	Sender     string `json:"sender"`
	SenderID   int64  `json:"sender_id"`
	// Asked is that of the head when the button was pressed; 0: the head was not done.
	Asked int64 `json:"asked"`
}

// Kind is the queue's name of the job.
func (buttonArgs) Kind() string { return "button" }

// queueOptions are those of the River client.
type queueOptions struct {
	// id of this process among all that use the database.
	id string
	// checks is how many checks run at once.
	checks int
	// timeout of a job, all that it does.
	timeout time.Duration
	// patience is how long running jobs may go on when the queue stops.
	patience time.Duration
	pollOnly bool
	workers  *river.Workers
	errors   river.ErrorHandler
	log      *slog.Logger
}

// queue is the part of a database that does not depend on which it is.
type queue[T any] struct{ client *river.Client[T] }

func newQueue[T any](driver riverdriver.Driver[T], q queueOptions) (*queue[T], error) {
	client, err := river.NewClient(driver, &river.Config{
		ID: q.id, Logger: q.log, Workers: q.workers, ErrorHandler: q.errors, PollOnly: q.pollOnly, FetchPollInterval: 250 * time.Millisecond,
		Queues:     map[string]river.QueueConfig{queueChecks: {MaxWorkers: q.checks}, queueGitHub: {MaxWorkers: talkers}},
		JobTimeout: q.timeout, RescueStuckJobsAfter: never, SoftStopTimeout: q.patience, RetryPolicy: retries{},
		// The rows of heads say what became of them; the queue's are not needed for long.
		CompletedJobRetentionPeriod: time.Hour, CancelledJobRetentionPeriod: 7 * 24 * time.Hour, DiscardedJobRetentionPeriod: 7 * 24 * time.Hour,
	})
	if err != nil {
		return nil, fmt.Errorf("make the queue: %w", err)
	}
	return &queue[T]{client}, nil
}

func (q *queue[T]) start(ctx context.Context) error { return q.client.Start(ctx) }

func (q *queue[T]) stop(ctx context.Context) error { return q.client.Stop(ctx) }

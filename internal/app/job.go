package app

import (
	"context"
	"time"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/github"
)

// Job is a change to check.
type Job struct {
	Repo github.Repo
	// Pull is the pull request whose head it is; 0: none, as for a merge group.
	Pull int
	// Base is the commit to compare with, the merge base; Head the commit to check. Both are full ids.
	Base, Head string
	// Accepted: Base is part of the default branch.
	Accepted bool
	// Token asks for a token that may read the contents of this one repository. It is good for 50 minutes at least.
	Token func(context.Context) (string, error)
}

// Result is what a check found.
type Result struct {
	// Report is as it was written, not judged yet. It was read as hostile: publish.Read took it.
	Report *checks.Report
	// Took is how long the check ran.
	Took time.Duration
}

// Checker runs a check. It may be called from several goroutines; no two of them have the same repository and head.
type Checker interface {
	// Check ends soon after the context does, with all that it started, and can be called again for the same job. An error is a failure of
	// specgate, not of the change; one that another attempt will not mend is a *PermanentError.
	Check(ctx context.Context, job Job) (Result, error)
}

// PermanentError is a failure of a check that another attempt will not mend, with words for who reads the check run: what failed, and
// what to do.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }
func (e *PermanentError) Unwrap() error { return e.Err }

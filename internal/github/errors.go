package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"
)

// ErrReadOnly: the token is good, and may not do what was asked. A token of a job that a pull request from a fork started can only read
// (docs.github.com, "Automatic token authentication"); the caller then reports in the log and the summary of the job.
var ErrReadOnly = errors.New("the token may not do that")

// ErrUnauthorized: GitHub does not know the token, or it has expired.
var ErrUnauthorized = errors.New("GitHub does not accept the token")

// ErrNotFound: there is no such thing, or the token may not know of it.
var ErrNotFound = errors.New("not found, or not visible with this token")

// ErrNoCommit: the repository does not have the commit, or not any more.
var ErrNoCommit = errors.New("the repository does not have the commit (any more)")

// LostError: GitHub did not answer, or said that it could not, after all attempts. What was asked may have been done all the same; asking
// again later does no harm.
type LostError struct {
	err error
	// final: it was asked again and again already.
	final bool
}

func (e *LostError) Error() string { return e.err.Error() }
func (e *LostError) Unwrap() error { return e.err }

// LimitError: GitHub asks to wait for longer than a call may.
type LimitError struct {
	// After is how long GitHub asks to wait.
	After time.Duration
	err   error
}

func (e *LimitError) Error() string { return fmt.Sprintf("%v; it asks to wait for %v", e.err, e.After) }
func (e *LimitError) Unwrap() error { return e.err }

// StaleError: the head of the pull request is not the revision that the results are about, so they were not posted.
type StaleError struct {
	Pull       int
	Want, Head string
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("the head of pull request %d is %s, and the results are about %s: somebody pushed since; nothing more was posted", e.Pull, e.Head, e.Want)
}

// InputError: what was to be posted is not what GitHub takes. Nothing was posted.
type InputError struct{ err error }

func (e *InputError) Error() string { return e.err.Error() }
func (e *InputError) Unwrap() error { return e.err }

// failure says what was attempted, and puts GitHub's refusals into this package's words.
func failure(what string, err error) error {
	if err == nil {
		return nil
	}
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		return fmt.Errorf("%s: %w", what, signIn(err))
	}
	said := answer.Message
	for _, e := range answer.Errors {
		said += fmt.Sprintf("; %s %s %s %s", e.Resource, e.Field, e.Code, e.Message)
	}
	switch answer.Response.StatusCode {
	case http.StatusUnauthorized:
		return fmt.Errorf("%s: %w: %s", what, ErrUnauthorized, said)
	case http.StatusForbidden:
		return fmt.Errorf("%s: %w: %s", what, ErrReadOnly, said)
	case http.StatusNotFound:
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	case http.StatusUnprocessableEntity:
		if strings.Contains(said, "No commit found for SHA") {
			return fmt.Errorf("%s: %w", what, ErrNoCommit)
		}
	case http.StatusInternalServerError:
		return fmt.Errorf("%s: %w", what, &LostError{err: fmt.Errorf("GitHub answers %s: %s", answer.Response.Status, said)})
	}
	return fmt.Errorf("%s: GitHub answers %s: %s", what, answer.Response.Status, said)
}

// signIn puts GitHub's refusal of a token for an installation into this package's words. 404: the App is not installed there (any more); 403: the
// installation is suspended; 422: it has not been granted what the token is to be for.
func signIn(err error) error {
	var refused *ghinstallation.HTTPError
	if !errors.As(err, &refused) || refused.Response == nil {
		return err
	}
	as := map[int]error{http.StatusUnauthorized: ErrUnauthorized, http.StatusNotFound: ErrNotFound, http.StatusForbidden: ErrReadOnly,
		http.StatusUnprocessableEntity: ErrReadOnly}[refused.Response.StatusCode]
	if as == nil {
		return err
	}
	return fmt.Errorf("sign in as installation %d: %w (GitHub answers %s)", refused.InstallationID, as, refused.Response.Status)
}

// Package action runs specgate in steps of a job of GitHub Actions. action.yml in the root of the repository starts it several times, so that
// the token of the job is in no process that also starts programs of the change: Plan finds out what is to be checked and fetches it, Check
// checks it, without a token, and Publish puts the result onto GitHub and into the summary of the job.
//
// Whatever an event names, titles and branches among it, comes from whoever made the change. Of all that only hashes of commits and numbers are
// used. Text for the log is written where the runner obeys nothing, or as the message of a command.
package action

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/policy"
)

// Options of a step.
type Options struct {
	// Getenv is the environment that the runner gives.
	Getenv func(string) string
	// Stdout is the log of the step.
	Stdout io.Writer
	Log    *slog.Logger
	// Version of specgate.
	Version string
	// Today decides which waivers have run out.
	Today policy.Date
}

// Step is one step of a job.
type Step struct {
	o       Options
	runner  *githubactions.Action
	context *githubactions.GitHubContext
	// temp is the directory that the steps of the action share.
	temp string
	// told: the summary and the outputs have the result already.
	told bool
}

// New makes a step. An environment that is not that of a step is an engine.InputError.
func New(o Options) (*Step, error) {
	for _, name := range []string{"GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_OUTPUT", "GITHUB_REPOSITORY", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP"} {
		if o.Getenv(name) == "" {
			return nil, inputf("run a step of the action: %s is not set; action.yml runs this in a job of GitHub Actions, see docs/action.md", name)
		}
	}
	runner := githubactions.New(githubactions.WithWriter(o.Stdout), githubactions.WithGetenv(o.Getenv))
	c, err := runner.Context()
	if err != nil {
		return nil, inputf("run a step of the action: %w", err)
	}
	return &Step{o: o, runner: runner, context: c, temp: filepath.Join(o.Getenv("RUNNER_TEMP"), "specgate")}, nil
}

// inputf is a mistake in how the action is used.
func inputf(format string, args ...any) error {
	return &engine.InputError{Err: fmt.Errorf(format, args...)}
}

func (s *Step) repositoryDir() string { return filepath.Join(s.temp, "repository") }
func (s *Step) policyFile() string    { return filepath.Join(s.temp, "policy.toml") }
func (s *Step) shardsDir() string     { return filepath.Join(s.temp, "shards") }
func (s *Step) answersDir() string    { return filepath.Join(s.temp, "answers") }
func (s *Step) zipFile() string       { return filepath.Join(s.temp, "verus.zip") }
func (s *Step) reportDir() string     { return filepath.Join(s.temp, "report") }
func (s *Step) reportFile() string    { return filepath.Join(s.reportDir(), "report.json") }

// client is one with the token of the job.
func (s *Step) client() (*github.Client, github.Repo, error) {
	repo, err := github.ParseRepo(s.context.Repository)
	if err != nil {
		return nil, repo, inputf("GITHUB_REPOSITORY: %w", err)
	}
	token := s.runner.GetInput("token")
	if token == "" {
		return nil, repo, inputf("the input token is empty; leave it out, and the token of the job is used")
	}
	client, err := github.New(github.Options{BaseURL: s.context.APIURL, Token: token, UserAgent: "specgate/" + s.o.Version, Log: s.o.Log})
	if err != nil {
		return nil, repo, inputf("GITHUB_API_URL: %w", err)
	}
	return client, repo, nil
}

// lacking says which permission a job needs, where GitHub refused to show something.
func lacking(permission string, err error) error {
	if errors.Is(err, github.ErrReadOnly) || errors.Is(err, github.ErrNotFound) || errors.Is(err, gitrepo.ErrNoAccess) {
		return fmt.Errorf("%w; the job needs `permissions: %s`", err, permission)
	}
	return err
}

const (
	readContents = "contents: read"
	readPulls    = "pull-requests: read"
)

// outputs of a step, by name. A value is one line.
type outputs map[string]string

// write hands values on to later steps. The library panics when a file of the runner cannot be written.
func (s *Step) write(values outputs) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write outputs of the step: %v", p)
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if strings.ContainsAny(values[name], "\r\n") {
			return fmt.Errorf("write the output %s: %q has more than one line", name, values[name])
		}
		s.runner.SetOutput(name, values[name])
	}
	return nil
}

// summarize adds Markdown to the summary of the job.
func (s *Step) summarize(markdown string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write the summary of the job: %v", p)
		}
	}()
	s.runner.AddStepSummary(markdown)
	return nil
}

// say writes text to the log such that the runner obeys nothing in it.
func (s *Step) say(fill func(io.Writer) error) error {
	return annotate.Quiet(s.o.Stdout, rand.Text(), fill)
}

// command is what issues commands that are shown as annotations of the job.
func (s *Step) command() *githubactions.Action {
	return s.runner.WithFieldsMap(map[string]string{"title": "specgate"})
}

// Fail says in the log and in the summary why a step could not do what it is for, and hands the exit code on.
func (s *Step) Fail(cause error, code int) {
	s.command().Errorf("%s", annotate.Message(cause.Error()))
	values := outputs{"exit-code": strconv.Itoa(code)}
	var err error
	if !s.told {
		values["outcome"], values["conclusion"] = checks.OutcomeError.String(), string(annotate.Failure)
		var b strings.Builder
		err = errors.Join(annotate.NoResult(&b, cause.Error()), s.summarize(b.String()))
	}
	if err := errors.Join(err, s.write(values)); err != nil {
		s.o.Log.Error("tell that the step failed", "error", err)
	}
}

package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

const (
	// gitWall is the longest time for one git command. All of them only read, so more means that something hangs.
	gitWall = 2 * time.Minute
	// gitOutput is the most bytes read from one git command that lists things: enough for millions of files.
	gitOutput = 1 << 30
	// gitStderr is the most bytes of messages of one git command.
	gitStderr = 1 << 20
)

// command returns a git command that runs in dir, and that runs no other program whatever the configuration and the
// content of the repository say.
//
// The configuration of the system and of the user is read: safe.directory and init.defaultBranch are nowhere else, and
// who runs specgate can run programs anyway. The configuration of the repository is read too, as git has no way to
// ignore it, so what could start a program is either overridden here, or is not reached by the commands of this package:
// they never compare the working tree with git's own means (clean filters), never show a diff (external diff, textconv),
// never run an alias, and never talk to a remote (Fetch does, in a repository that it made).
func command(dir string, config []string, args ...string) sandbox.Command {
	all := []string{
		"--no-pager",
		"--literal-pathspecs",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
	}
	for _, c := range config {
		all = append(all, "-c", c)
	}
	env := sandbox.Environ(
		// Which configuration of the system and of the user is read, and how far up the search for a repository goes.
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME",
		"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
		"SUDO_UID", // git takes the repositories of the user who called sudo for its own
	)
	return sandbox.Command{
		Name: "git",
		Args: append(all, args...),
		Dir:  dir,
		Env: append(env,
			// A missing object must be reported, not fetched: the URL of a promisor remote can name a program. Git
			// before 2.44 does not know GIT_NO_LAZY_FETCH, and is stopped by GIT_ALLOW_PROTOCOL.
			"GIT_ALLOW_PROTOCOL=none",
			"GIT_NO_LAZY_FETCH=1",
			"GIT_NO_REPLACE_OBJECTS=1",
			"GIT_OPTIONAL_LOCKS=0",
			"GIT_TERMINAL_PROMPT=0",
			"LC_ALL=C",
		),
		Limits: sandbox.Limits{Wall: gitWall, Stdout: gitOutput, Stderr: gitStderr},
		Grace:  time.Second,
	}
}

// A gitError is a git command that ended without success.
type gitError struct {
	command string // the subcommand, as in "git ls-tree"
	err     error
	stderr  string
}

func (e *gitError) Error() string {
	if e.stderr == "" {
		return fmt.Sprintf("git %s: %v", e.command, e.err)
	}
	return fmt.Sprintf("git %s: %v: %s", e.command, e.err, e.stderr)
}

func (e *gitError) Unwrap() error { return e.err }

// exitCode returns the exit status of a git command that ended by itself, and -1 for any other error.
func exitCode(err error) int {
	var exit *sandbox.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode
	}
	return -1
}

// failed reports whether a git command ended by itself without success, or by a signal that was not from here.
func failed(err error) bool {
	var exit *sandbox.ExitError
	return errors.As(err, &exit)
}

// run runs a git command and returns its output.
func run(ctx context.Context, c sandbox.Command, subcommand string) ([]byte, error) {
	res, err := c.Run(ctx)
	return res.Stdout, commandError(subcommand, res, err)
}

func commandError(subcommand string, res sandbox.Result, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sandbox.ErrNotFound):
		return fmt.Errorf("git was not found in PATH; install git %d.%d or newer: %w", minMajor, minMinor, err)
	}
	const most = 4096
	stderr := strings.TrimSpace(string(res.Stderr))
	if len(stderr) > most {
		stderr = stderr[:most] + "..."
	}
	return &gitError{command: subcommand, err: err, stderr: stderr}
}

// git runs a git command in the repository.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return run(ctx, r.command(args...), args[0])
}

func (r *Repo) command(args ...string) sandbox.Command {
	c := command(r.root, r.config, args...)
	if r.indexFile != "" {
		c.Env = append(c.Env, "GIT_INDEX_FILE="+r.indexFile)
	}
	return c
}

// shellQuote returns the argument as a POSIX shell reads it, for commands that a person is told to run.
func shellQuote(s string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+:@%,", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !plain(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

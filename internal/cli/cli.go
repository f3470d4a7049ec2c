// Package cli is the command line of specgate.
//
// Results go to stdout and everything else to stderr. Exit codes: 0 clean, 1 findings at or above the policy's fail-on,
// 2 a usage or policy error, 3 could not complete. When several apply, 3 goes before 2 before 1.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/publish"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/shard"
)

// Exit codes of the command.
const (
	exitClean      = 0
	exitFindings   = 1
	exitUsage      = 2
	exitIncomplete = 3
)

type grammar struct {
	Check    checkCmd    `cmd:"" help:"Check a change: what it trusts, edits, promises and proves, and what its contracts rule out, against its merge base."`
	Merge    mergeCmd    `cmd:"" help:"Make one report of all shards of a check."`
	Trust    trustCmd    `cmd:"" help:"List everything that a tree believes without proof."`
	Score    scoreCmd    `cmd:"" help:"Say what the contracts of functions are worth, for agents and training loops."`
	Spectest spectestCmd `cmd:"" help:"Ask a contract which results it allows."`
	Serve    serveCmd    `cmd:"" help:"Run specgate as a GitHub App: take webhooks, check changes and post the results."`
	Publish  publishCmd  `cmd:"" help:"Put a report that another job wrote onto GitHub."`
	Action   actionCmd   `cmd:"" help:"Run a step of the GitHub Action: what action.yml runs."`
	Explain  explainCmd  `cmd:"" help:"Say what a rule means, why it matters and what to do."`
	Policy   policyCmd   `cmd:"" help:"Write, check and explain the policy file."`
	Setup    setupCmd    `cmd:"" help:"Install what specgate uses."`
	Doctor   doctorCmd   `cmd:"" help:"Say what is found on this machine, and what to do about what is missing."`
	Version  versionCmd  `cmd:"" help:"Print the version and how it was built."`

	Verbose bool `short:"v" help:"Log what is done to stderr."`
}

// run is what every command gets.
type run struct {
	ctx    context.Context
	stdout io.Writer
	stderr io.Writer // progress, and what is being done
	log    *slog.Logger
	// patient is set by a command that ends by itself when it is interrupted, and takes longer than grace.
	patient atomic.Bool
}

// exit is a command's verdict, when it is not an error.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a mistake in what was asked for.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main runs the command that args name, without the program's own name, and returns its exit code. An interrupt ends it, within a
// second. The caller then ends the process: what was going on may not have stopped.
//
// It must be the first thing that main does: the process may be one of specgate's own helpers.
func Main(args []string, stdout, stderr io.Writer) int {
	sandbox.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var g grammar
	helped := false
	parser, err := kong.New(&g,
		kong.Name("specgate"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 120}),
	)
	if err != nil {
		fmt.Fprintf(stderr, "specgate: build the command line: %v\n", err)
		return exitIncomplete
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if helped {
		return exitClean
	}
	if err != nil {
		fmt.Fprintf(stderr, "specgate: %v%s\n", err, instead(args[0]))
		fmt.Fprintf(stderr, "run `%s --help` for the commands, flags and examples\n", commandOf(err))
		return exitUsage
	}
	level := slog.LevelWarn
	if g.Verbose {
		level = slog.LevelDebug
	}
	r := &run{ctx: ctx, stdout: stdout, stderr: stderr, log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))}
	done := make(chan error, 1)
	go func() {
		defer host.Catch(done)
		done <- parsed.Run(r)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		stop() // a second interrupt ends the process at once
		select {
		case err = <-done:
		case <-time.After(grace):
			if err = errors.New("interrupted"); r.patient.Load() {
				err = <-done
			}
		}
	}
	var code exit
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(stderr, "specgate: %v\n", err)
	return exitCode(err)
}

// instead is what to type for a first word that other programs know.
func instead(word string) string {
	switch word {
	case "help":
		return "; it is: specgate --help, or specgate COMMAND --help"
	case "--version":
		return "; it is: specgate version"
	}
	return ""
}

// verdict is the exit code of an outcome; nil if that is 0.
func verdict(outcome checks.Outcome, inconclusiveFails bool) error {
	if code := host.ExitCode(outcome, inconclusiveFails); code != exitClean {
		return exit(code)
	}
	return nil
}

// grace is how long an interrupted command has to clean up. Reading and proving look at the context now and then only.
const grace = time.Second

// commandOf is the command that a parse error is about, as it is typed.
func commandOf(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			return "specgate " + node.Path()
		}
	}
	return "specgate"
}

func exitCode(err error) int {
	var (
		usage       usageError
		input       *engine.InputError
		diagnostics policy.Diagnostics
		unpublished *publish.InputError
		noShard     *shard.InputError
	)
	if errors.As(err, &usage) || errors.As(err, &unpublished) || errors.As(err, &noShard) || errors.As(err, &input) || errors.As(err, &diagnostics) {
		return exitUsage
	}
	return exitIncomplete
}

const description = `specgate gates merges of Verus (verified Rust) code: it says what a change trusts without proof, whether it edits the code that runs, how it changes what is promised, whether the proofs hold, and how much the contracts rule out.

Exit codes: 0 clean, 1 findings that block, 2 a usage or policy error, 3 could not complete.`

// Package host has what everything that runs a check does in the same way, be it the command line, the Action or the App: which programs are
// used, how long is waited, and how a result is written.
package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// slack is how long a run whose time is over may take to notice.
const slack = 5 * time.Second

// InTime runs something and does not wait for it long after its time is over, which is an engine.TimeoutError; 0 is no limit.
func InTime[T any](limit time.Duration, run func() (T, error)) (T, error) {
	if limit == 0 {
		return run()
	}
	var result T
	done := make(chan error, 1)
	go func() {
		defer Catch(done)
		var err error
		result, err = run()
		done <- err
	}()
	select {
	case err := <-done:
		return result, err
	case <-time.After(limit + slack):
		var none T
		return none, &engine.TimeoutError{After: limit}
	}
}

// Catch, deferred, turns a panic into an error: specgate failed, which must not read as a mistake of who called it.
func Catch(done chan<- error) {
	if p := recover(); p != nil {
		done <- fmt.Errorf("internal error of specgate, please report it with the change that brings it about: %v\n\n%s", p, debug.Stack())
	}
}

// Verifier finds the one at a path, or else that of the release which the policy pins; none is run without either.
func Verifier(path string) func(context.Context, string) (*verus.Verifier, error) {
	return func(ctx context.Context, release string) (*verus.Verifier, error) {
		if path == "" && release == "" {
			return nil, nil
		}
		return verus.Find(ctx, verus.Search{Path: path, Release: release, Runner: verus.Sandboxed{}})
	}
}

// Compiler finds rustc: the one that is named, or the one on PATH; nil if nothing of the change is to be run. With an error it still says whether one was named.
func Compiler(named string, off bool) func() (engine.Compiler, error) {
	if off {
		return nil
	}
	return func() (engine.Compiler, error) {
		path, err := sandbox.LookPath(cmp.Or(named, "rustc"))
		if err != nil && named == "" {
			return engine.Compiler{}, errors.New("there is no rustc on PATH; install Rust, or name the compiler with --rustc")
		}
		if err != nil {
			return engine.Compiler{Named: true}, fmt.Errorf("there is no compiler %s: %w", named, err)
		}
		return engine.Compiler{Path: path, Named: named != "", CargoHome: verus.CargoHome()}, nil
	}
}

// Families reads names of families of rules.
func Families(words []string) ([]checks.Family, error) {
	var out []checks.Family
	var known []string
	for _, f := range checks.Families() {
		known = append(known, string(f))
	}
	for _, w := range words {
		w = strings.TrimSpace(w)
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("there is no family %q%s; the families are %s", w, DidYouMean(w, known), strings.Join(known, ", "))
		}
		out = append(out, checks.Family(w))
	}
	return out, nil
}

// DidYouMean is the end of a message about an unknown word: the one of those that there are which is most like it, or nothing.
func DidYouMean(word string, known []string) string {
	if near := policy.Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Rendering is what the renderers have to know of a result.
func Rendering(result *engine.Result) annotate.Options {
	gate := result.Policy.Gate
	return annotate.Options{
		Rules:             engine.Rules(),
		FailOn:            string(gate.FailOn),
		InconclusiveFails: result.TimedOut || gate.Inconclusive == policy.InconclusiveFail,
		PerFunction:       result.Policy.Report.AnnotationsPerFunction,
		Source:            result.Source,
	}
}

// Formats of a report, as Write takes them. docs/output.md describes them.
func Formats() []string { return []string{"text", "json", "sarif", "html", "markdown", "github"} }

// Write writes a report in a format, as text if it is none of the others. Color and width are of text alone.
func Write(w io.Writer, format string, r *checks.Report, o annotate.Options, color bool, width int) error {
	switch format {
	case "json":
		return annotate.JSON(w, r)
	case "sarif":
		return annotate.SARIF(w, r, o)
	case "html":
		return annotate.HTML(w, r, o)
	case "markdown":
		return annotate.Markdown(w, r, o)
	}
	remedies := map[string]string{}
	for _, rule := range o.Rules {
		remedies[rule.ID] = rule.Remedy
	}
	text := annotate.TextOptions{Source: o.Source, Remedy: func(rule string) string { return remedies[rule] }}
	if format == "github" {
		return annotate.Commands(w, r, annotate.CommandOptions{Options: o, Token: rand.Text(), Text: text})
	}
	text.Color, text.Width = color, width
	return annotate.Text(w, r, text)
}

// WriteFile replaces a file by a whole new one, so that nobody reads half a report. A device or a pipe is written to as it is.
func WriteFile(name string, fill func(io.Writer) error) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			err = errors.Join(fill(f), f.Close())
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".specgate-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = fill(f); err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// ExitCode is that of a result: 0 nothing blocks, 1 findings do, 3 what had to be checked could not be.
func ExitCode(outcome checks.Outcome, inconclusiveFails bool) int {
	switch outcome {
	case checks.OutcomePass:
		return 0
	case checks.OutcomeFindings:
		return 1
	case checks.OutcomeInconclusive:
		if !inconclusiveFails {
			return 0
		}
	}
	return 3
}

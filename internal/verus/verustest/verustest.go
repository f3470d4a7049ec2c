// Package verustest answers for the verifier in tests, with what a real one printed.
//
// A Replay never invents an answer: it fails the test for a call that was not recorded, and names it. The programs that tests can
// expect on any machine (cargo) are run, unless there is a recording: of a workspace whose dependencies are not on any machine.
package verustest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
)

// Recording is a call of the verifier and what it printed, as it is kept in a file. Stdout is text, or one summary as JSON; Stderr is
// text, or its lines, those that are JSON as JSON.
type Recording struct {
	Verus string `json:"verus"`
	Z3    string `json:"z3,omitempty"`
	// Args of the verifier, or else Command, which begins with cargo verus.
	Args    []string `json:"args,omitempty"`
	Command []string `json:"command,omitempty"`
	// Key is what Key gives for the call: its arguments and the files that it was made with. Empty where Add gives the files.
	Key    string          `json:"key,omitempty"`
	Exit   int             `json:"exit"`
	Stdout json.RawMessage `json:"stdout"`
	Stderr json.RawMessage `json:"stderr"`
}

// ReadRecording reads a file.
func ReadRecording(name string) (*Recording, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	var r Recording
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read the recording %s: %w", name, err)
	}
	return &r, nil
}

// Streams are the bytes that were printed.
func (r *Recording) Streams() (stdout, stderr []byte, err error) {
	var text string
	if json.Unmarshal(r.Stdout, &text) == nil {
		stdout = []byte(text)
	} else {
		var b bytes.Buffer
		if err := json.Indent(&b, r.Stdout, "", "  "); err != nil {
			return nil, nil, fmt.Errorf("read the stdout of a recording: %w", err)
		}
		stdout = append(b.Bytes(), '\n')
	}
	if json.Unmarshal(r.Stderr, &text) == nil {
		return stdout, []byte(text), nil
	}
	var lines []json.RawMessage
	if err := json.Unmarshal(r.Stderr, &lines); err != nil {
		return nil, nil, fmt.Errorf("read the stderr of a recording: %w", err)
	}
	var b bytes.Buffer
	for _, l := range lines {
		if json.Unmarshal(l, &text) == nil {
			b.WriteString(text)
		} else if err := json.Compact(&b, l); err != nil {
			return nil, nil, fmt.Errorf("read the stderr of a recording: %w", err)
		}
		b.WriteByte('\n')
	}
	return stdout, b.Bytes(), nil
}

// args are those of the program itself.
func (r *Recording) args() []string {
	switch {
	case len(r.Command) > 2 && r.Command[1] == "verus":
		return r.Command[2:]
	case len(r.Command) > 1:
		return r.Command[1:]
	}
	return r.Args
}

// Replay is a verus.Runner that answers by the arguments of a call and the files in its directory.
type Replay struct {
	tb testing.TB

	mu      sync.Mutex
	answers map[string]*series
	calls   []string
	alter   func(call string, res *sandbox.Result) error
}

// NewReplay makes a Replay without recordings.
func NewReplay(tb testing.TB) *Replay {
	return &Replay{tb: tb, answers: map[string]*series{}}
}

// series are the recordings of one call that was made several times, in order: what was built in between is no part of the call. The last one
// answers all further calls.
type series struct {
	recordings []*Recording
	used       int
}

func (s *series) next() *Recording {
	if s == nil {
		return nil
	}
	s.used = min(s.used+1, len(s.recordings))
	return s.recordings[s.used-1]
}

// Alter has every answer changed before it is given: cut, or ended as by a kill. alter gets the program and its arguments, and what was recorded
// in res; its error is that of the run.
func (r *Replay) Alter(alter func(call string, res *sandbox.Result) error) { r.alter = alter }

// Add adds a recording that was made with these files, by path relative to the directory of the call.
func (r *Replay) Add(rec *Recording, files map[string]string) {
	r.tb.Helper()
	k := key(rec.args(), files)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers[k] != nil {
		r.tb.Fatalf("two recordings of one call: %q", rec.args())
	}
	r.answers[k] = &series{recordings: []*Recording{rec}}
}

// Calls are the calls that were answered, in order: program and arguments.
func (r *Replay) Calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// AddKeyed adds recordings that say themselves what they answer: all files *.verus.json of a directory, by name.
func (r *Replay) AddKeyed(dir string) {
	r.tb.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.verus.json"))
	if err != nil {
		r.tb.Fatal(err)
	}
	for _, name := range names {
		rec, err := ReadRecording(name)
		if err != nil {
			r.tb.Fatal(err)
		}
		if rec.Key == "" {
			r.tb.Fatalf("the recording %s has no key", name)
		}
		r.mu.Lock()
		if r.answers[rec.Key] == nil {
			r.answers[rec.Key] = &series{}
		}
		r.answers[rec.Key].recordings = append(r.answers[rec.Key].recordings, rec)
		r.mu.Unlock()
	}
}

// Unused are the arguments of recordings that answered nothing, sorted.
func (r *Replay) Unused() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, s := range r.answers {
		for _, rec := range s.recordings[s.used:] {
			out = append(out, strings.Join(rec.args(), " "))
		}
	}
	slices.Sort(out)
	return out
}

// key tells calls apart by their arguments and all files below the directory of the call.
func key(args []string, files map[string]string) string {
	h := sha256.New()
	write := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	for _, a := range args {
		write(a)
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		write(name)
		write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Run implements verus.Runner.
func (r *Replay) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	files, err := readTree(c.Dir)
	if err != nil {
		return sandbox.Result{ExitCode: -1}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Name == "cargo" {
		rec := r.answers[key(c.Args, files)].next()
		if rec == nil {
			return c.Run(ctx)
		}
		stdout, stderr, err := rec.Streams()
		return sandbox.Result{Stdout: bytes.ReplaceAll(stdout, []byte(`"`+shortDir+`/`), []byte(`"`+c.Dir+`/`)), Stderr: stderr, ExitCode: rec.Exit}, err
	}
	call := filepath.Base(c.Name) + " " + strings.Join(c.Args, " ")
	r.calls = append(r.calls, call)
	k := key(c.Args, files)
	rec := r.answers[k].next()
	if rec == nil {
		var names []string
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		err := fmt.Errorf("no recording of %q with the files %q (key %s)", call, names, k)
		r.tb.Error(err)
		return sandbox.Result{ExitCode: -1}, err
	}
	stdout, stderr, err := rec.Streams()
	if err != nil {
		r.tb.Error(err)
		return sandbox.Result{ExitCode: -1}, err
	}
	res := sandbox.Result{Stdout: stdout, Stderr: stderr, ExitCode: rec.Exit}
	if r.alter != nil {
		if err := r.alter(call, &res); err != nil {
			return res, err
		}
	}
	if res.ExitCode != 0 {
		return res, &sandbox.ExitError{Name: c.Name, ExitCode: res.ExitCode}
	}
	return res, nil
}

func readTree(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the tree that is verified: %w", err)
	}
	return out, nil
}

// shortDir stands for the directory of a call in a recording.
const shortDir = "/ws"

// Recorder is a verus.Runner that runs programs and keeps what they printed.
type Recorder struct {
	// Shorten are pairs of a path of this machine and what is kept in its place. The directory of a call is kept as /ws and cargo's target
	// directory as /target.
	Shorten []string
	// Last is the last call of the verifier; nil before the first.
	Last *Recording
	// All are the calls in order, those of cargo itself included.
	All []*Recording
}

// Run implements verus.Runner.
func (r *Recorder) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	files, err := map[string]string(nil), error(nil)
	if !slices.Contains(c.Args, "--version") {
		if files, err = readTree(c.Dir); err != nil {
			return sandbox.Result{ExitCode: -1}, err
		}
	}
	res, err := c.Run(ctx)
	var exit *sandbox.ExitError
	if files == nil || err != nil && !errors.As(err, &exit) {
		return res, err
	}
	rec := &Recording{Exit: res.ExitCode, Key: key(c.Args, files)}
	switch filepath.Base(c.Name) {
	case "cargo-verus":
		rec.Command = append([]string{"cargo", "verus"}, c.Args...)
	case "cargo":
		rec.Command = append([]string{"cargo"}, c.Args...)
	default:
		rec.Args = c.Args
	}
	pairs := append([]string{c.Dir, shortDir}, r.Shorten...)
	for _, e := range c.Env {
		if target, ok := strings.CutPrefix(e, "CARGO_TARGET_DIR="); ok {
			pairs = append(pairs, target, "/target")
		}
	}
	short := strings.NewReplacer(pairs...)
	for _, s := range []struct {
		to   *json.RawMessage
		text []byte
	}{{&rec.Stdout, res.Stdout}, {&rec.Stderr, res.Stderr}} {
		text, jsonErr := json.Marshal(short.Replace(string(s.text)))
		if jsonErr != nil {
			return res, jsonErr
		}
		*s.to = text
	}
	if c.Name != "cargo" {
		r.Last = rec
	}
	r.All = append(r.All, rec)
	return res, err
}

// Write writes the last call to a file.
func (r *Recorder) Write(name string, v *verus.Verifier) error {
	if r.Last == nil {
		return errors.New("write a recording: nothing was recorded")
	}
	return write(name, r.Last, v)
}

// WriteAll writes all calls to a directory, in place of what is there: one file *.verus.json for each, by number.
func (r *Recorder) WriteAll(dir string, v *verus.Verifier) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.verus.json"))
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	for i, rec := range r.All {
		err = errors.Join(err, write(filepath.Join(dir, fmt.Sprintf("%02d.verus.json", i)), rec, v))
	}
	return err
}

func write(name string, rec *Recording, v *verus.Verifier) error {
	rec.Verus, rec.Z3 = v.Version.Release, v.SolverVersion
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(rec); err != nil {
		return fmt.Errorf("write a recording: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write a recording: %w", err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write a recording: %w", err)
	}
	return nil
}

// Installed gives a Verifier that was not looked for: the one that made the recordings.
func Installed(release string, runner verus.Runner) *verus.Verifier {
	return verus.Known("/verus/verus", "/verus/cargo-verus", "/verus/z3", verus.Version{Release: release}, runner)
}

// Real gives the verifier of this machine. Without one it skips the test, or fails it if REQUIRE_VERUS is 1.
func Real(tb testing.TB, runner verus.Runner) *verus.Verifier {
	tb.Helper()
	v, err := verus.Find(context.Background(), verus.Search{Runner: runner})
	var p *verus.Problem
	switch {
	case err == nil:
		return v
	case errors.As(err, &p) && p.Kind == verus.NoVerifier:
		sandboxtest.Verus.Lacks(tb, err)
	default:
		tb.Fatal(err)
	}
	return nil
}

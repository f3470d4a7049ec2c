// Package sandbox starts other programs and bounds what they may use.
//
// It is the only package of specgate that starts processes. Each program runs in a process group of its own, with an
// environment that names every variable it gets, and with limits on its time and its output. Whatever way a program ends,
// the processes that are left in its group are killed before Wait returns.
//
// A process that moves itself to another session or process group (setsid, setpgid) leaves that bound: it is not killed,
// unless the program is isolated and this machine has namespaces.
//
// A command can ask for isolation, which keeps a hostile program from the files, the network and the processes of this
// machine. What must be done in the process of the program before it starts is done by this same executable, started once
// more: main, and TestMain of tests that isolate, must call Main first.
//
// The package needs a Unix system; isolation needs Linux.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Errors that say why a program was stopped, or could not be started. Test for them with errors.Is. A program that was
// stopped because its context ended gives an error that wraps context.Cause of that context.
var (
	// ErrNotFound means that no program of that name is in PATH.
	ErrNotFound = exec.ErrNotFound
	// ErrWallLimit means that the program ran for longer than Limits.Wall.
	ErrWallLimit = errors.New("wall-clock limit reached")
	// ErrOutputLimit means that the program wrote more than Limits.Stdout or Limits.Stderr.
	ErrOutputLimit = errors.New("output limit reached")
	// ErrOutputHeld means that the program ended, but that a process which left its process group keeps its output open,
	// so that the output cannot be known to be complete.
	ErrOutputHeld = errors.New("a process left behind keeps the output open")
)

// outputDelay is how long after the end of a program its output may stay open: only a process that left the group can
// hold it longer.
const outputDelay = 3 * time.Second

// A Command says what to run, and within which bounds.
type Command struct {
	// Name is the program: a path, or a name that is looked up in PATH of this process. A name that PATH resolves
	// relative to the current directory is refused.
	Name string
	// Args are the arguments, without the name of the program.
	Args []string
	// Dir is the working directory. If empty, it is the one of this process.
	Dir string
	// Env is the whole environment, as NAME=value. The program inherits no other variable. See Environ.
	Env []string
	// Stdin is what the program reads from its standard input. Only for Run; Start gives a stream.
	Stdin []byte
	// Limits bound the program. Those of time and output must be set.
	Limits Limits
	// Isolate keeps the program apart from the rest of the machine. If nil, it may do all that this process may.
	Isolate *Isolation
	// Grace is the time between the interrupt that asks the program to end and the kill, when the context ends or a
	// limit is reached. If zero, it is killed at once.
	Grace time.Duration
}

// Limits bound what one program may use. Wall, Stdout and Stderr must be set: zero or less is an error, not the absence of a
// limit. Of the others zero is the absence of a limit, and less is an error.
type Limits struct {
	// Wall is the longest time from start to end.
	Wall time.Duration
	// Stdout and Stderr are the most bytes that the program may write. A program that writes more is stopped.
	Stdout, Stderr int64
	// CPU is the most processor time of each process of the program, in whole seconds, rounded up.
	CPU time.Duration
	// Memory is the most bytes of memory of each process of the program, not counting files that are read by mapping them.
	// If the program is isolated and this machine has namespaces, it is also the most of all processes together, which is
	// looked at ten times a second.
	Memory int64
	// FileSize is the most bytes of one file that the program writes.
	FileSize int64
	// Processes is the most processes and threads at a time. It holds if the program is isolated and this machine has
	// namespaces. It is looked at ten times a second, and only for ordinary users also when a process is made.
	Processes int
}

func (l Limits) check() error {
	if l.Wall <= 0 || l.Stdout <= 0 || l.Stderr <= 0 {
		return fmt.Errorf("every limit must be set, got {Wall:%v Stdout:%d Stderr:%d}", l.Wall, l.Stdout, l.Stderr)
	}
	if l.CPU < 0 || l.Memory < 0 || l.FileSize < 0 || l.Processes < 0 {
		return errors.New("no limit of processor time, memory, file size or processes may be negative")
	}
	return nil
}

// A Result says how a program ended.
type Result struct {
	// Stdout is what the program wrote, up to the limit. It is empty after Start.
	Stdout []byte
	// Stderr is what the program wrote, up to the limit.
	Stderr []byte
	// ExitCode is the exit status, or -1 if the program was ended by a signal or its end is not known.
	ExitCode int
	// Duration is the time from start to end.
	Duration time.Duration
	// Protections says what an isolated program ran with, and what could not be had: all that was asked for, in a fixed
	// order. It is empty without Command.Isolate.
	Protections []Protection
}

// An ExitError reports a program that ended by itself, within all limits, but without success.
type ExitError struct {
	// Name is the name of the program.
	Name string
	// ExitCode is the exit status, or -1 if a signal ended the program.
	ExitCode int
	// Signal names the signal that ended the program. It is empty if the program exited.
	Signal string
}

func (e *ExitError) Error() string {
	if e.Signal != "" {
		return fmt.Sprintf("%s was ended by signal: %s", e.Name, e.Signal)
	}
	return fmt.Sprintf("%s ended with exit status %d", e.Name, e.ExitCode)
}

// Run runs the program to its end.
//
// The error is nil only if the program ended by itself with exit status 0, within all limits, and its output is complete.
// It is an *ExitError if all of this holds except for the exit status. The result is meaningful in both cases, and
// otherwise holds what is known.
func (c Command) Run(ctx context.Context) (Result, error) {
	p, err := c.start(ctx)
	if err != nil {
		return Result{ExitCode: -1}, err
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		// A program need not read its input, so a failed write says nothing. It cannot block for ever: the read end is
		// closed when the program ends.
		_, _ = p.Stdin.Write(c.Stdin)
		_ = p.Stdin.Close()
	}()
	read := make(chan struct{})
	var stdout bytes.Buffer
	var readErr error
	go func() {
		defer close(read)
		_, readErr = stdout.ReadFrom(p.Stdout)
	}()
	<-p.ended
	timer := time.AfterFunc(outputDelay, func() {
		_ = p.stdout.SetReadDeadline(time.Now())
		_ = p.stdin.SetWriteDeadline(time.Now())
	})
	<-read
	<-fed
	timer.Stop()
	res, err := p.Wait()
	res.Stdout = stdout.Bytes()
	var exit *ExitError
	if readErr != nil && (err == nil || errors.As(err, &exit)) {
		if errors.Is(readErr, os.ErrDeadlineExceeded) {
			readErr = ErrOutputHeld
		}
		err = fmt.Errorf("run %s: %w", c.Name, readErr)
	}
	return res, err
}

// A Process is a running program.
type Process struct {
	// Stdin is the standard input of the program. Close it when all is written.
	Stdin io.WriteCloser
	// Stdout is the standard output of the program. Reading more than Limits.Stdout bytes stops the program and fails
	// with ErrOutputLimit.
	Stdout io.Reader

	name          string
	cmd           *exec.Cmd
	helper        *helper // nil if the program was started without it
	cpu           time.Duration
	stdin, stdout *os.File
	stderr        *cappedBuffer
	started       time.Time
	ended         chan struct{} // closed once duration and waitErr are set

	mu      sync.Mutex
	gone    bool  // the group has been killed and its id may be given to others
	stopped error // why the program was stopped before its end
	stop    chan struct{}

	duration  time.Duration
	waitErr   error
	helperErr error
}

// Start starts the program and returns once it runs, for protocols that read and write in turn. Command.Stdin must be
// nil. The caller must call Wait.
func (c Command) Start(ctx context.Context) (*Process, error) {
	if c.Stdin != nil {
		return nil, fmt.Errorf("start %s: Stdin is only for Run; write to Process.Stdin", c.Name)
	}
	return c.start(ctx)
}

func (c Command) start(ctx context.Context) (_ *Process, err error) {
	if err := c.Limits.check(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	if c.Dir != "" {
		// Otherwise the error would say that the program does not exist.
		if _, err := os.Stat(c.Dir); err != nil {
			return nil, fmt.Errorf("start %s: working directory: %w", c.Name, err)
		}
	}
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append([]string{}, c.Env...) // not nil, which would mean the environment of this process
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = outputDelay

	var files []*os.File
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
		}
	}()
	pipe := func() (r, w *os.File, err error) {
		r, w, err = os.Pipe()
		if err != nil {
			return nil, nil, fmt.Errorf("start %s: %w", c.Name, err)
		}
		files = append(files, r, w)
		return r, w, nil
	}
	childIn, stdin, err := pipe()
	if err != nil {
		return nil, err
	}
	stdout, childOut, err := pipe()
	if err != nil {
		return nil, err
	}
	p := &Process{
		name:    c.Name,
		cpu:     c.Limits.CPU,
		stdin:   stdin,
		stdout:  stdout,
		started: time.Now(),
		ended:   make(chan struct{}),
		stop:    make(chan struct{}),
	}
	p.Stdin = stdin
	p.Stdout = &cappedReader{r: stdout, left: c.Limits.Stdout, over: func() error { return p.overLimit("stdout", c.Limits.Stdout) }}
	p.stderr = &cappedBuffer{left: c.Limits.Stderr, over: func() { _ = p.overLimit("stderr", c.Limits.Stderr) }}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, p.stderr

	if c.helped() {
		cmd, p.helper, err = c.startHelper(ctx, cmd)
	} else {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	p.cmd = cmd
	_ = childIn.Close()
	_ = childOut.Close()
	go p.reap()
	go p.supervise(ctx, c.Limits.Wall, c.Grace)
	return p, nil
}

// reap waits for the end of the program, and ends its group.
func (p *Process) reap() {
	pid := p.cmd.Process.Pid
	// As long as the program is not reaped its process id, and so the id of its group, cannot be given to others:
	// this is the moment at which killing the group can hit no other.
	if waitUnreaped(pid) {
		p.endGroup()
	}
	p.waitErr = p.cmd.Wait()
	p.endGroup()
	p.duration = time.Since(p.started)
	if p.helper != nil {
		p.helperErr = p.helper.finish()
	}
	close(p.ended)
}

func (p *Process) endGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.gone = true
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// signal sends a signal to the group, if it still exists.
func (p *Process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		_ = syscall.Kill(-p.cmd.Process.Pid, sig)
	}
}

// stopFor asks that the program be stopped. The first reason is kept; none is kept once the program has ended.
func (p *Process) stopFor(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.fail(reason)
	}
}

// fail keeps the first reason. p.mu must be held.
func (p *Process) fail(reason error) {
	if p.stopped == nil {
		p.stopped = reason
		close(p.stop)
	}
}

func (p *Process) overLimit(stream string, limit int64) error {
	err := fmt.Errorf("run %s: %w: more than %d bytes of %s", p.name, ErrOutputLimit, limit, stream)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail(err) // even if the program has ended since: its output is not complete
	return err
}

// supervise stops the program when its context ends, or a limit is reached.
func (p *Process) supervise(ctx context.Context, wall, grace time.Duration) {
	limit := time.NewTimer(wall)
	defer limit.Stop()
	select {
	case <-p.ended:
		return
	case <-ctx.Done():
		p.stopFor(fmt.Errorf("run %s: %w", p.name, context.Cause(ctx)))
	case <-limit.C:
		p.stopFor(fmt.Errorf("run %s: %w: %v", p.name, ErrWallLimit, wall))
	case <-p.stop:
	}
	if grace > 0 {
		p.signal(syscall.SIGINT)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.ended:
		case <-timer.C:
		}
	}
	p.signal(syscall.SIGKILL)
	<-p.ended
	// What is still in the pipe can be read without blocking; beyond that, only a process that left the group could
	// write more.
	_ = p.stdout.SetReadDeadline(time.Now().Add(outputDelay))
	_ = p.stdin.SetWriteDeadline(time.Now())
}

// Stop asks that the program be stopped, as when its context ends. Wait then reports an error that wraps
// context.Canceled. It does nothing if the program has ended.
func (p *Process) Stop() {
	p.stopFor(fmt.Errorf("run %s: stopped: %w", p.name, context.Canceled))
}

// Wait closes Stdin and Stdout and waits for the end of the program. Read Stdout to its end first: what has not been
// read is lost, and a program that still writes to it fails. The errors are those of Run. Wait must be called once.
func (p *Process) Wait() (Result, error) {
	_ = p.stdin.Close()
	_ = p.stdout.Close()
	<-p.ended
	res := Result{Stderr: p.stderr.buf.Bytes(), ExitCode: -1, Duration: p.duration}
	var status *syscall.WaitStatus
	if p.cmd.ProcessState != nil {
		if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
			status = &ws
		}
	}
	var outcomeErr error
	if p.helper != nil {
		res.Protections = p.helper.protections
		if p.helper.stays {
			status, outcomeErr = p.helper.outcome()
		}
	}
	if status != nil {
		res.ExitCode = status.ExitStatus()
	}
	p.mu.Lock()
	stopped := p.stopped
	p.mu.Unlock()
	err := p.waitErr
	var exit *exec.ExitError
	switch {
	case stopped != nil:
		err = stopped
	case outcomeErr != nil:
		err = fmt.Errorf("run %s: %w", p.name, outcomeErr)
	case errors.Is(err, exec.ErrWaitDelay):
		err = fmt.Errorf("run %s: %w", p.name, ErrOutputHeld)
	case err != nil && !errors.As(err, &exit):
		err = fmt.Errorf("run %s: %w", p.name, err)
	default:
		err = p.exitError(status)
	}
	if p.helperErr != nil {
		err = errors.Join(err, fmt.Errorf("run %s: remove private directories: %w", p.name, p.helperErr))
	}
	return res, err
}

// exitError returns the error of a program that ended by itself, nil if it succeeded.
func (p *Process) exitError(status *syscall.WaitStatus) error {
	switch {
	case status == nil:
		return fmt.Errorf("run %s: how it ended is not known", p.name)
	case status.Exited() && status.ExitStatus() == 0:
		return nil
	case !status.Signaled():
		return &ExitError{Name: p.name, ExitCode: status.ExitStatus()}
	case p.cpu > 0 && status.Signal() == syscall.SIGXCPU:
		return fmt.Errorf("run %s: %w: %v", p.name, ErrCPULimit, p.cpu)
	}
	return &ExitError{Name: p.name, ExitCode: -1, Signal: status.Signal().String()}
}

// cappedReader reads up to a number of bytes, and then reports what is more.
type cappedReader struct {
	r    io.Reader
	left int64
	over func() error
	err  error
}

func (c *cappedReader) Read(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(b)
	if int64(n) > c.left {
		n = int(c.left)
		c.err = c.over()
		err = c.err
	}
	c.left -= int64(n)
	return n, err
}

// cappedBuffer keeps the first bytes written to it, and takes and drops the rest, so that the writer is not blocked.
type cappedBuffer struct {
	buf  bytes.Buffer
	left int64
	over func()
}

func (c *cappedBuffer) Write(b []byte) (int, error) {
	keep := b
	if int64(len(b)) > c.left {
		keep = b[:c.left]
		c.over()
	}
	c.left -= int64(len(keep))
	c.buf.Write(keep)
	return len(b), nil
}

// places are the variables of Environ that name one file or directory.
var places = [...]string{"CARGO_HOME", "RUSTUP_HOME", "TMPDIR", "CARGO_HTTP_CAINFO", "SSL_CERT_FILE"}

// Environ returns the variables of this process that programs need in order to run at all (HOME, PATH, TMPDIR), and those
// named, as NAME=value, sorted. Variables that are not set are left out. Everything else stays in this process: tokens and
// secrets are in variables whose names no list of forbidden names would know.
//
// Variables that name one file or directory may be relative to the current directory. Programs are started in other ones, so they are made absolute.
func Environ(names ...string) []string {
	all := append([]string{"HOME", "PATH", "TMPDIR"}, names...)
	slices.Sort(all)
	var env []string
	for _, name := range slices.Compact(all) {
		if value, ok := os.LookupEnv(name); ok {
			if slices.Contains(places[:], name) && value != "" {
				if abs, err := filepath.Abs(value); err == nil {
					value = abs
				}
			}
			env = append(env, name+"="+value)
		}
	}
	return env
}

// LookPath returns the absolute path of a program, as Command.Name would find it. The error wraps ErrNotFound if there
// is none.
func LookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("look for the program %s: %w", name, err)
	}
	if strings.HasPrefix(path, "/") {
		return path, nil
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("look for the program %s: %w", name, err)
	}
	return path, nil
}

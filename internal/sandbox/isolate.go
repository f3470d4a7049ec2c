package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Errors of limits and isolation. Test for them with errors.Is.
var (
	// ErrMemoryLimit means that the processes of the program together used more than Limits.Memory. A process that asks
	// for more than that by itself is told that there is none, and usually ends with an *ExitError.
	ErrMemoryLimit = errors.New("memory limit reached")
	// ErrProcessLimit means that there were more than Limits.Processes processes and threads.
	ErrProcessLimit = errors.New("limit of processes reached")
	// ErrCPULimit means that the program used more than Limits.CPU.
	ErrCPULimit = errors.New("limit of processor time reached")
	// ErrIsolation means that Isolation.Require is set and that this machine cannot give all of the isolation. The program
	// was not started.
	ErrIsolation = errors.New("isolation is required and incomplete")
)

// Isolation keeps a program apart from the rest of the machine, as far as the machine has the means; what it does not have
// is left out, and Result.Protections tells. See docs/security.md.
//
// The program sees the files named here and those of the system that programs need in order to run (/usr, /lib and the
// like, /proc, a few devices and files of /etc). It has a home and a directory for temporary files of its own, in HOME and
// TMPDIR, which are empty and are removed when it has ended.
type Isolation struct {
	// ReadOnly are the files and directories that the program may read and execute: absolute paths that exist.
	ReadOnly []string
	// Write are the files and directories that it may also change: absolute paths that exist. The working directory is not
	// one of them unless it is named.
	Write []string
	// Network lets the program use the network.
	Network bool
	// Require makes Run and Start fail with ErrIsolation, before the program starts, if a protection is missing.
	Require bool
}

// A Protection is one way in which a program is bounded.
type Protection struct {
	// Name is one of: process group, time, memory, file size, privileges, filesystem, network, processes, system calls.
	Name string
	// On says that it holds, all of it.
	On bool
	// Detail says what holds, or, if it is not on, why not and what is left.
	Detail string
}

// The names of protections, in the order in which they are told.
const (
	protectGroup       = "process group"
	protectTime        = "time"
	protectMemory      = "memory"
	protectFileSize    = "file size"
	protectPrivileges  = "privileges"
	protectFilesystem  = "filesystem"
	protectNetwork     = "network"
	protectProcesses   = "processes"
	protectSystemCalls = "system calls"
)

// Missing returns the protections that are not on.
func Missing(ps []Protection) []Protection {
	var out []Protection
	for _, p := range ps {
		if !p.On {
			out = append(out, p)
		}
	}
	return out
}

// Statement says in one line, without a final newline, what a program ran with, and what was missing.
func Statement(ps []Protection) string {
	var on []string
	for _, p := range ps {
		if p.On {
			on = append(on, p.Detail)
		}
	}
	if len(on) == 0 {
		on = append(on, "no protection")
	}
	out := "ran with: " + strings.Join(on, ", ")
	if missing := Missing(ps); len(missing) > 0 {
		out += "; missing: " + describe(missing)
	}
	return out
}

func describe(missing []Protection) string {
	var out []string
	for _, p := range missing {
		out = append(out, fmt.Sprintf("%s (%s)", p.Name, p.Detail))
	}
	return strings.Join(out, ", ")
}

// SystemPaths returns the files and directories of the system that every isolated program may read and execute: those of a
// fixed list that this machine has.
func SystemPaths() []string {
	var out []string
	for _, p := range []string{
		"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/sbin", "/usr",
		// The loader, and what is found through links.
		"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		// Names of hosts, certificates, the time zone.
		"/etc/ca-certificates", "/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/localtime", "/etc/nsswitch.conf",
		"/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/protocols", "/etc/resolv.conf", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
		// How many processors there are, and how many may be used.
		"/sys/devices/system/cpu", "/sys/fs/cgroup",
		"/proc",
	} {
		if _, err := os.Stat(p); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// devices may be read and written.
func devices() []string {
	return []string{"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"}
}

// helped says that the program is started by way of the helper, since a part of what is asked for must be done in its
// process, before it starts.
func (c Command) helped() bool {
	l := c.Limits
	return c.Isolate != nil || l.CPU > 0 || l.Memory > 0 || l.FileSize > 0 || l.Processes > 0
}

// check refuses what cannot be meant.
func (i *Isolation) check() error {
	for _, p := range slices.Concat(i.ReadOnly, i.Write) {
		if !filepath.IsAbs(p) {
			return fmt.Errorf("isolation: the path %q is not absolute", p)
		}
		if _, err := os.Stat(p); err != nil {
			return fmt.Errorf("isolation: %w", err)
		}
	}
	return nil
}

// A request is what the helper is told to do.
type request struct {
	Path     string
	Argv     []string
	Env      []string
	Dir      string
	Isolated bool
	ReadOnly []string
	Write    []string
	Network  bool
	Require  bool
	// CPU is in seconds, the others as in Limits. Zero is no limit.
	CPU, Memory, FileSize, Processes uint64
	Wall                             time.Duration
	// Namespaces says that the helper is the first process of its own namespaces; if not, NoNamespaces says why.
	Namespaces   bool
	NoNamespaces string
	// Root says that the processes count as those of the system's root.
	Root bool
}

// A report is what the helper says.
type report struct {
	// Ready says that all is prepared, with Protections.
	Ready       bool
	Protections []Protection
	// Failed says why the program was not started.
	Failed string
	// Exec is the error number if the system refused to execute the program.
	Exec int
	// Incomplete says that it failed because isolation is required.
	Incomplete bool
	// Started says that the program runs, below a helper that stays.
	Started bool
	// Ended says that it ended, and Status how.
	Ended  bool
	Status syscall.WaitStatus
	// Limit is the limit for which the helper ended everything, and LimitText what was found.
	Limit, LimitText string
}

const (
	limitMemory    = "memory"
	limitProcesses = "processes"
)

// helperArgument is the first argument of the helper. The probe of Protections has more of them.
const helperArgument = "specgate-sandbox-helper"

// The files of the helper, besides the three of every program.
const (
	helperRequest = 3
	helperReport  = 4
)

// private makes a home and a directory for temporary files.
func private() (dir string, err error) {
	dir, err = MkdirTemp("", "specgate-sandbox-")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	for _, d := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// MkdirTemp makes a directory as os.MkdirTemp does. Its name is absolute and without links, whatever TMPDIR is: programs are started in other
// directories, print resolved paths, and are bounded by them.
func MkdirTemp(parent, pattern string) (dir string, err error) {
	if dir, err = os.MkdirTemp(parent, pattern); err != nil {
		return "", err
	}
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return real, nil
}

// RemoveAll removes a directory with all that is in it, also if a program took away the right to do so, that to the directory itself
// included, or nested directories deeper than there can be open files. An empty name is none.
//
// That something is left all the same is the program's doing and says nothing about anything else: callers tell of it, and go on.
func RemoveAll(dir string) error {
	if dir == "" || os.RemoveAll(dir) == nil {
		return nil
	}
	if above, err := os.OpenRoot(filepath.Dir(dir)); err == nil {
		if info, err := above.Lstat(filepath.Base(dir)); err == nil && info.IsDir() {
			_ = above.Chmod(filepath.Base(dir), 0o700)
		}
		_ = above.Close()
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	flatten(root)
	return errors.Join(root.Close(), os.RemoveAll(dir))
}

// flatten brings all directories right below the one that they are in, each with all rights. What fails shows when they are removed. A process that is
// left could put links in their places, which do not lead out of root.
func flatten(root *os.Root) {
	name := rand.Text() // no program knows it
	moved := 0
	for left := subdirectories(root, "."); len(left) > 0; {
		dir := left[len(left)-1]
		left = left[:len(left)-1]
		_ = root.Chmod(dir, 0o700)
		for _, sub := range subdirectories(root, dir) {
			from, to := filepath.Join(dir, sub), name+strconv.Itoa(moved)
			moved++
			// To move a directory is to change it too.
			if root.Chmod(from, 0o700) == nil && root.Rename(from, to) == nil {
				left = append(left, to)
			}
		}
	}
}

func subdirectories(root *os.Root, dir string) []string {
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	entries, _ := f.ReadDir(-1)
	_ = f.Close()
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// withEnv returns the environment with variables replaced.
func withEnv(env []string, values ...string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	})
	return append(out, values...)
}

// request returns what the helper has to do for cmd. dir is that of private.
func (c Command) request(cmd *exec.Cmd, dir string) (request, error) {
	seconds := (c.Limits.CPU + time.Second - 1) / time.Second
	r := request{
		Path: cmd.Path, Argv: cmd.Args, Env: cmd.Environ(), Dir: c.Dir,
		CPU: uint64(seconds), Memory: uint64(c.Limits.Memory), FileSize: uint64(c.Limits.FileSize), Processes: uint64(c.Limits.Processes),
		Wall: c.Limits.Wall, Root: os.Geteuid() == 0,
	}
	if c.Isolate == nil {
		return r, nil
	}
	if c.Dir == "" {
		var err error
		if r.Dir, err = os.Getwd(); err != nil {
			return r, fmt.Errorf("working directory: %w", err)
		}
	}
	r.Isolated, r.Network, r.Require = true, c.Isolate.Network, c.Isolate.Require
	r.ReadOnly = slices.Concat(SystemPaths(), c.Isolate.ReadOnly)
	home, tmp := filepath.Join(dir, "home"), filepath.Join(dir, "tmp")
	r.Write = slices.Concat(c.Isolate.Write, []string{home, tmp})
	r.Env = withEnv(r.Env, "HOME="+home, "TMPDIR="+tmp)
	return r, nil
}

// An attempt is one way to start the helper.
type attempt struct {
	attr       *syscall.SysProcAttr
	namespaces bool
}

// A helper is the process that prepares the program's bounds. It becomes the program, or, as the first process of its own
// namespaces, stays as the parent of the program.
type helper struct {
	// dir has the private directories; empty if there are none.
	dir string
	// request stays open as long as the program may run: the helper that stays ends everything when this process is gone.
	request, report *os.File
	reports         *gob.Decoder
	protections     []Protection
	// stays says that the helper is the parent of the program.
	stays bool
	// last is what it said in the end.
	last report
}

// handshake is how long the helper may take to prepare the program.
const handshake = 30 * time.Second

// startHelper starts the program of cmd by way of the helper. It returns the process that was started for it.
func (c Command) startHelper(ctx context.Context, cmd *exec.Cmd) (_ *exec.Cmd, _ *helper, err error) {
	if cmd.Err != nil {
		return nil, nil, cmd.Err
	}
	if isHelper() {
		return nil, nil, errMain
	}
	h := &helper{}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if c.Isolate != nil {
		if err := c.Isolate.check(); err != nil {
			return nil, nil, err
		}
		if h.dir, err = private(); err != nil {
			return nil, nil, fmt.Errorf("make private directories: %w", err)
		}
	}
	req, err := c.request(cmd, h.dir)
	if err != nil {
		return nil, nil, err
	}
	self, err := selfPath()
	if err != nil {
		return nil, nil, fmt.Errorf("find the program that runs now: %w", err)
	}
	for _, a := range attempts(&req) {
		one := &exec.Cmd{Path: self, Args: []string{self, helperArgument}, Env: []string{}, Dir: cmd.Dir, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
			WaitDelay: cmd.WaitDelay, SysProcAttr: a.attr}
		req.Namespaces = a.namespaces
		var refused bool
		if refused, err = h.start(ctx, one, req); err == nil {
			return one, h, nil
		}
		if !refused {
			return nil, nil, err
		}
		req.NoNamespaces = noNamespaces(err)
	}
	return nil, nil, err
}

// noNamespaces says why the system did not start the helper in namespaces.
func noNamespaces(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the system allows no (more) user namespaces"
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return "the system forbids user namespaces"
	case errors.As(err, &errno):
		return "user namespaces: " + errno.Error()
	}
	return err.Error()
}

var errMain = errors.New("the helper did not answer: sandbox.Main must be the first thing that main, or TestMain, calls")

// start starts the helper and waits until the program runs. refused says that the system did not let the helper start.
func (h *helper) start(ctx context.Context, cmd *exec.Cmd, req request) (refused bool, err error) {
	fromHere, toHelper, err := os.Pipe()
	if err != nil {
		return false, err
	}
	fromHelper, toHere, err := os.Pipe()
	if err != nil {
		return false, errors.Join(err, fromHere.Close(), toHelper.Close())
	}
	cmd.ExtraFiles = []*os.File{fromHere, toHere}
	err = cmd.Start()
	_ = fromHere.Close()
	_ = toHere.Close()
	if err != nil {
		return true, errors.Join(err, toHelper.Close(), fromHelper.Close())
	}
	h.request, h.report, h.reports = toHelper, fromHelper, gob.NewDecoder(fromHelper)
	stop := context.AfterFunc(ctx, func() { _ = h.report.SetReadDeadline(time.Now()) })
	err = h.shake(req)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // how it ended says nothing more
		return false, err
	}
	return false, nil
}

func (h *helper) shake(req request) error {
	deadline := time.Now().Add(handshake)
	if err := errors.Join(h.request.SetWriteDeadline(deadline), h.report.SetReadDeadline(deadline)); err != nil {
		return err
	}
	if err := gob.NewEncoder(h.request).Encode(req); err != nil {
		return fmt.Errorf("%w (%v)", errMain, err)
	}
	var first, second report
	if err := h.reports.Decode(&first); err != nil {
		return fmt.Errorf("%w (%v)", errMain, err)
	}
	h.protections = first.Protections
	if !first.Ready {
		return first.failure(req)
	}
	switch err := h.reports.Decode(&second); {
	case errors.Is(err, io.EOF):
		// The helper became the program.
	case err != nil:
		return fmt.Errorf("wait for the program to start: %w", err)
	case !second.Started:
		return second.failure(req)
	default:
		h.stays = true
	}
	return nil
}

func (r report) failure(req request) error {
	switch {
	case r.Exec != 0:
		return &os.PathError{Op: "fork/exec", Path: req.Path, Err: syscall.Errno(r.Exec)}
	case r.Incomplete:
		return fmt.Errorf("%w: %s", ErrIsolation, r.Failed)
	}
	return errors.New(r.Failed)
}

// finish reads what the helper said in the end. The helper must have ended.
func (h *helper) finish() error {
	for h.stays {
		var r report
		// Only the helper had the other end: there is nothing to wait for.
		if h.report.SetReadDeadline(time.Now().Add(outputDelay)) != nil || h.reports.Decode(&r) != nil {
			break
		}
		if r.Limit != "" || h.last.Limit == "" {
			h.last = r
		}
	}
	return h.close()
}

func (h *helper) close() error {
	for _, f := range []*os.File{h.request, h.report} {
		if f != nil {
			_ = f.Close()
		}
	}
	return RemoveAll(h.dir)
}

// outcome says how the program ended, if the helper stayed: its status, or the limit that ended it.
func (h *helper) outcome() (*syscall.WaitStatus, error) {
	switch h.last.Limit {
	case limitMemory:
		return nil, fmt.Errorf("%w: %s", ErrMemoryLimit, h.last.LimitText)
	case limitProcesses:
		return nil, fmt.Errorf("%w: %s", ErrProcessLimit, h.last.LimitText)
	}
	if !h.last.Ended {
		return nil, errors.New("what started the program ended before it")
	}
	return &h.last.Status, nil
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/publish"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// RunnerOptions say how checks are run on this machine.
type RunnerOptions struct {
	// Program is the executable of specgate; empty: the one that runs now.
	Program string
	// Work is the directory in which each check has one of its own while it runs: an absolute path. It is made if it is not there.
	Work string
	// Cache is the directory in which each repository has one for the answers of the verifier: an absolute path. Empty: none are kept.
	Cache string
	// BaseURL is the address of GitHub's API, as in github.Options.
	BaseURL string
	// Verus is the verifier to run; empty: only those that are installed here and that policies pin.
	Verus string
	// Rustc compiles code of the change; empty: the one on PATH.
	Rustc string
	// NoRun: code of the change is not run to measure strength.
	NoRun bool
	// Unconfined lets the policy of a repository decide how its code is isolated. If it is not set code of a change is run isolated in full,
	// or not at all: what it could reach otherwise is the key of the App and the changes of others.
	Unconfined bool
	// Jobs is how many files one check parses at once; 0: the number of processors.
	Jobs int
	// Wall is the longest that one check may take, without fetching; 0: 1 h. What was not checked by then is in its report.
	Wall time.Duration
	// Memory is the most bytes of memory of each process of a check; 0: 8 GiB. Each repository's size is limited as gitrepo.Fetch does it.
	Memory int64
	// FetchSize is the most bytes of a pack; 0: as gitrepo.Fetch says.
	FetchSize int64
	Log       *slog.Logger
}

const (
	defaultCheckWall   = time.Hour
	defaultCheckMemory = 8 << 30
	// leastMemory is what specgate itself needs.
	leastMemory = 256 << 20
	// endWall is how long a check whose time is over may take to write its report.
	endWall = 30 * time.Second
	// maxReport is one more than publish.Read takes, so that it is the one to complain.
	maxReport = 32<<20 + 1
	maxLog    = 16 << 20
)

// Runner is a Checker that runs each check as a process of its own, in a directory of its own. What a check leaves is removed when it ends;
// what a process leaves that is killed is removed by the next one that uses the same directory.
type Runner struct {
	o    RunnerOptions
	dir  string // of this process, in Work
	lock *os.File

	mu    sync.Mutex
	slots map[string]bool // the directories in use
}

// NewRunner takes a part of the directory for itself until Close, and removes what processes that are gone have left in it.
func NewRunner(o RunnerOptions) (_ *Runner, err error) {
	if o.Program == "" {
		if o.Program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find the program that runs now: %w", err)
		}
	}
	for _, dir := range []string{o.Program, o.Work, cmp.Or(o.Cache, o.Work)} {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("run checks: %q is not an absolute path", dir)
		}
	}
	if o.Wall < 0 || o.Jobs < 0 || o.FetchSize < 0 || o.Memory != 0 && o.Memory < leastMemory {
		return nil, fmt.Errorf("run checks: no limit may be negative, and a check needs at least %d MiB of memory", leastMemory>>20)
	}
	o.Wall, o.Memory, o.Jobs = cmp.Or(o.Wall, defaultCheckWall), cmp.Or(o.Memory, defaultCheckMemory), cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	if err := os.MkdirAll(o.Work, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of checks: %w", err)
	}
	r := &Runner{o: o, slots: map[string]bool{}}
	// The first number that no process has is this one's, so that paths are the same after a restart: answers of the verifier are kept for
	// the environment that they were given in. The numbers behind it are tried for what is left there.
	const most = 64
	for n := range most {
		dir := filepath.Join(o.Work, strconv.Itoa(n))
		if _, err := os.Lstat(dir); err != nil && r.lock != nil {
			continue
		}
		lock, err := takeDir(dir)
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		switch {
		case lock == nil: // another process
		case r.lock == nil:
			r.dir, r.lock = dir, lock
		default:
			_ = lock.Close()
		}
	}
	if r.lock == nil {
		return nil, fmt.Errorf("run checks in %s: %d processes use it already; name another directory", o.Work, most)
	}
	return r, nil
}

// takeDir makes a directory that is empty but for its lock, which it holds; nil: another process does.
func takeDir(dir string) (_ *os.File, err error) {
	fail := func(err error) (*os.File, error) {
		return nil, fmt.Errorf("take the directory %s for checks: %w", dir, err)
	}
	const name = ".lock" // no owner of repositories has a dot in the name
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	// The system gives it back when the process ends, however it does.
	switch err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, lock.Close()
	case err != nil:
		return fail(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return fail(err)
	}
	for _, e := range left {
		if e.Name() == name {
			continue
		}
		if err := sandbox.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fail(fmt.Errorf("remove what an earlier check left: %w", err))
		}
	}
	return lock, nil
}

// Close gives the directory back. Call it when no check runs.
func (r *Runner) Close() error {
	if r.lock == nil {
		return nil
	}
	return r.lock.Close()
}

// Check implements Checker.
func (r *Runner) Check(ctx context.Context, job Job) (_ Result, err error) {
	start := time.Now()
	fail := func(err error) (Result, error) {
		return Result{}, fmt.Errorf("check %s of %s: %w", job.Head, job.Repo, err)
	}
	for _, sha := range []string{job.Base, job.Head} {
		if err := github.CheckSHA(sha); err != nil {
			return fail(&PermanentError{err})
		}
	}
	url, err := github.CloneURL(r.o.BaseURL, job.Repo)
	if err != nil {
		return fail(&PermanentError{err})
	}
	dir, release, err := r.slot(job.Repo)
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, release()) }()
	token, err := job.Token(ctx)
	if err != nil {
		return fail(err)
	}
	fetch := gitrepo.FetchOptions{Dir: filepath.Join(dir, "repo"), URL: url, Token: token, Commits: []string{job.Base, job.Head}, Size: r.o.FetchSize}
	if job.Base == job.Head {
		fetch.Commits = fetch.Commits[:1]
	}
	if job.Accepted {
		fetch.Accepted = job.Base
	}
	if err := gitrepo.Fetch(ctx, fetch); err != nil {
		return fail(fetchError(err))
	}
	report, err := r.run(ctx, dir, job)
	if err != nil {
		return fail(err)
	}
	return Result{Report: report, Took: time.Since(start)}, nil
}

// slot makes a directory for a check. A repository gets the same one for all checks that are not at the same time.
func (r *Runner) slot(repo github.Repo) (dir string, release func() error, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := 0; dir == "" || r.slots[dir]; n++ {
		// GitHub takes names that differ in case alone for the same.
		dir = filepath.Join(r.dir, strings.ToLower(repo.String()), strconv.Itoa(n))
	}
	if err := sandbox.RemoveAll(dir); err != nil {
		return "", nil, fmt.Errorf("remove what an earlier check left: %w", err)
	}
	for _, d := range []string{"home", "tmp", "cargo"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return "", nil, fmt.Errorf("make a directory for the check: %w", err)
		}
	}
	if err := linkCargo(filepath.Join(dir, "cargo")); err != nil {
		return "", nil, fmt.Errorf("make a directory for cargo: %w", err)
	}
	r.slots[dir] = true
	return dir, func() error {
		err := sandbox.RemoveAll(dir)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.slots, dir)
		if err != nil {
			return fmt.Errorf("remove what the check left: %w", err)
		}
		return nil
	}, nil
}

// linkCargo gives cargo's directory for one check what it needs of that of this machine: its programs and its settings. Credentials, and what
// is downloaded for other changes, stay apart.
func linkCargo(dir string) error {
	from := verus.CargoHome()
	for _, name := range []string{"bin", "config.toml", "config"} {
		if _, err := os.Stat(filepath.Join(from, name)); from == "" || err != nil {
			continue
		}
		if err := os.Symlink(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// environ is the whole environment of a check. No variable of this process is in it that is not named here, as tokens and keys are.
func (r *Runner) environ(dir string) []string {
	env := []string{
		"HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp"), "CARGO_HOME=" + filepath.Join(dir, "cargo"),
		"PATH=" + os.Getenv("PATH"),
		// The collector works harder before the limit ends the process.
		"GOMEMLIMIT=" + strconv.FormatInt(r.o.Memory/4*3, 10),
	}
	if rustup := verus.RustupHome(); rustup != "" {
		env = append(env, "RUSTUP_HOME="+rustup)
	}
	if data, err := verus.DataDir(runtime.GOOS, os.Getenv); err == nil {
		env = append(env, "XDG_DATA_HOME="+filepath.Dir(data)) // where the verifiers of setup are
	}
	for _, name := range []string{
		"RUSTUP_TOOLCHAIN", "VERUS_USE_RUSTUP", "VERUS_ROOT", "VERUS_Z3_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
		"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "CARGO_HTTP_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// run has the child check what is in the directory, and reads its report.
func (r *Runner) run(ctx context.Context, dir string, job Job) (*checks.Report, error) {
	args := []string{"check", "--repo", filepath.Join(dir, "repo"), "--base", job.Base, "--head", job.Head, "--format", "json",
		"--timeout", r.o.Wall.String(), "--jobs", strconv.Itoa(r.o.Jobs)}
	if !r.o.Unconfined {
		args = append(args, "--confine")
	}
	if r.o.NoRun {
		args = append(args, "--no-run")
	}
	if r.o.Verus != "" {
		args = append(args, "--verus", r.o.Verus)
	}
	if r.o.Rustc != "" {
		args = append(args, "--rustc", r.o.Rustc)
	}
	if r.o.Cache == "" {
		args = append(args, "--no-cache")
	} else {
		args = append(args, "--cache", filepath.Join(r.o.Cache, strings.ToLower(job.Repo.String())))
	}
	res, err := sandbox.Command{
		Name: r.o.Program, Args: args, Dir: filepath.Join(dir, "home"), Env: r.environ(dir), Grace: time.Second,
		Limits: sandbox.Limits{Wall: r.o.Wall + min(endWall, r.o.Wall), Stdout: maxReport, Stderr: maxLog, Memory: r.o.Memory},
	}.Run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	said := r.said(res.Stderr, dir)
	if said != "" && r.o.Log != nil {
		r.o.Log.Info("a check said", "repository", job.Repo.String(), "head", job.Head, "text", said)
	}
	var exit *sandbox.ExitError
	switch {
	case errors.Is(err, sandbox.ErrWallLimit):
		return nil, permanentf("it did not end within %v; make the change smaller, or have the one who runs specgate give it more time", r.o.Wall)
	case errors.Is(err, sandbox.ErrOutputLimit):
		return nil, permanentf("its report has more than %d MiB, or its log more than %d; make the change smaller", maxReport>>20, maxLog>>20)
	case err != nil && !errors.As(err, &exit):
		return nil, err
	case exit != nil && exit.Signal != "":
		return nil, fmt.Errorf("the check was ended by the system (%s), most likely for want of memory; its last words: %s", exit.Signal, cmp.Or(said, "none"))
	case outOfMemory(res.Stderr):
		return nil, permanentf("it needs more than the %d MiB of memory that one process may have; make the change smaller, or have the one who runs specgate give it more", r.o.Memory>>20)
	case exit != nil && exit.ExitCode == 2:
		return nil, permanentf("%s", cmp.Or(said, "the check refused what it was asked, without a word"))
	case len(res.Stdout) == 0:
		return nil, fmt.Errorf("the check ended with exit code %d and without a report; its last words: %s", res.ExitCode, cmp.Or(said, "none"))
	}
	report, err := publish.Read(res.Stdout, engine.RuleInfos())
	if err != nil {
		return nil, permanentf("its report cannot be read, so nothing of it is believed: %w; this is an error of specgate, or an attack on it", err)
	}
	if report.Base.Rev != job.Base || report.Head.Rev != job.Head {
		return nil, permanentf("its report is about %s and %s, so nothing of it is believed; this is an error of specgate, or an attack on it", report.Base.Rev, report.Head.Rev)
	}
	if !agrees(res.ExitCode, report.Outcome) {
		return nil, permanentf("its report says %q and its exit code is %d, so nothing of it is believed; this is an error of specgate, or an attack on it", report.Outcome, res.ExitCode)
	}
	return report, nil
}

func permanentf(format string, args ...any) error {
	return &PermanentError{fmt.Errorf(format, args...)}
}

// agrees tells whether an exit code belongs to an outcome. docs/cli.md has the codes.
func agrees(code int, outcome checks.Outcome) bool {
	switch outcome {
	case checks.OutcomePass:
		return code == 0
	case checks.OutcomeFindings:
		return code == 1
	case checks.OutcomeInconclusive:
		return code == 0 || code == 3
	case checks.OutcomeError:
		return code == 3
	}
	return false
}

// outOfMemory tells the end of a Go program that got no more memory. Its exit code is that of a mistake in the command line.
func outOfMemory(stderr []byte) bool {
	for line := range strings.Lines(string(stderr)) {
		if what, ok := strings.CutPrefix(line, "fatal error: "); ok && (strings.Contains(what, "out of memory") || strings.Contains(what, "cannot allocate memory")) {
			return true
		}
	}
	return false
}

// said is what the child wrote last, without what only this machine knows, and without characters that do something. It may quote the change.
func (r *Runner) said(stderr []byte, dir string) string {
	const most = 2000
	text := strings.ToValidUTF8(string(stderr), "�")
	text = strings.NewReplacer(filepath.Join(dir, "repo"), "the repository", dir, "", "specgate: ", "").Replace(text)
	text = strings.TrimSpace(strings.Map(func(c rune) rune {
		if c != '\n' && !unicode.IsGraphic(c) {
			return -1
		}
		return c
	}, text))
	if len(text) > most {
		text = "... " + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}

// fetchError says which failures of git another attempt will not mend.
func fetchError(err error) error {
	switch {
	case errors.Is(err, gitrepo.ErrNoCommit):
		return &PermanentError{fmt.Errorf("the commit is not there any more: the branch was deleted or overwritten meanwhile: %w", err)}
	case errors.Is(err, gitrepo.ErrTooLarge):
		return &PermanentError{fmt.Errorf("the repository is too large to be checked here; the one who runs specgate can raise the limit: %w", err)}
	}
	return err
}

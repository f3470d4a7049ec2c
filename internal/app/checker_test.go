package app_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/app"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// binary builds the program once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	name := filepath.Join(scratch, "specgate")
	_, err := command("go", "../../cmd/specgate", "build", "-trimpath", "-ldflags", "-s -w", "-o", name, ".")
	return name, err
})

func command(name, dir string, args ...string) (string, error) {
	res, err := sandbox.Command{Name: name, Args: args, Dir: dir,
		Env: append(os.Environ(), "CGO_ENABLED=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
			"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z"),
		Limits: sandbox.Limits{Wall: 10 * time.Minute, Stdout: 64 << 20, Stderr: 16 << 20}}.Run(context.Background())
	if err != nil {
		err = fmt.Errorf("%s %q: %w\n%s", name, args, err, res.Stderr)
	}
	return string(res.Stdout), err
}

func need(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checking is a GitHub with the App and the repository acme/numbers, which has a base and a head.
type checking struct {
	*githubtest.Server
	client         *github.Client
	dir            string // of the repository, with a working tree
	base, head     string
	repo           github.Repo
	work, cacheDir string
}

func newChecking(t *testing.T) *checking {
	t.Helper()
	c := &checking{dir: t.TempDir(), work: filepath.Join(t.TempDir(), "work"), cacheDir: filepath.Join(t.TempDir(), "cache")}
	c.git(t, "init", "-q", "-b", "main")
	for _, side := range []string{"base", "head"} {
		if side == "head" {
			c.git(t, "rm", "-q", "-r", ".")
		}
		need(t, os.CopyFS(c.dir, os.DirFS(filepath.Join("..", "..", "examples", "numbers", side))))
		sha := c.commit(t, side)
		if side == "base" {
			c.base = sha
			c.git(t, "checkout", "-q", "-b", "tidy")
		} else {
			c.head = sha
		}
	}
	var err error
	c.repo, err = github.ParseRepo("acme/numbers")
	need(t, err)
	c.Server = githubtest.New(githubtest.State{"acme/numbers": {Git: filepath.Join(c.dir, ".git")}, "acme/other": {}}, "/api/v3")
	t.Cleanup(c.Close)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	need(t, err)
	c.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: &key.PublicKey, Installation: 6, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "read"}})
	c.client, err = github.New(github.Options{BaseURL: c.URL, UserAgent: "specgate/test", App: &github.App{ID: 5, InstallationID: 6, Repository: c.repo,
		PrivateKey: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})}})
	need(t, err)
	return c
}

func (c *checking) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command("git", c.dir, args...)
	need(t, err)
	return strings.TrimSpace(out)
}

func (c *checking) commit(t *testing.T, message string) string {
	t.Helper()
	c.git(t, "add", "-A")
	c.git(t, "commit", "-q", "-m", message)
	return c.git(t, "rev-parse", "HEAD")
}

func (c *checking) job() app.Job {
	return app.Job{Repo: c.repo, Pull: 7, Base: c.base, Head: c.head, Accepted: true, Token: c.client.ContentsToken}
}

func (c *checking) options(t *testing.T) app.RunnerOptions {
	t.Helper()
	name, err := binary()
	need(t, err)
	return app.RunnerOptions{Program: name, Work: c.work, BaseURL: c.URL, NoRun: true}
}

func newRunner(t *testing.T, o app.RunnerOptions) *app.Runner {
	t.Helper()
	r, err := app.NewRunner(o)
	need(t, err)
	t.Cleanup(func() { need(t, r.Close()) })
	return r
}

// script is a program in the place of specgate.
func (c *checking) script(t *testing.T, text string) app.RunnerOptions {
	t.Helper()
	o := c.options(t)
	o.Program = filepath.Join(t.TempDir(), "specgate")
	need(t, os.WriteFile(o.Program, []byte("#!/bin/sh\n"+text), 0o755))
	return o
}

// leftovers are the files below the directory of checks but for the locks.
func leftovers(t *testing.T, work string) []string {
	t.Helper()
	var left []string
	need(t, filepath.WalkDir(work, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != ".lock" {
			left = append(left, name)
		}
		return err
	}))
	return left
}

// TestRunnerSameReport: without history, from a repository of two commits, the report is the one of a full clone.
func TestRunnerSameReport(t *testing.T) {
	// A verifier that the machine names would be the clone's alone.
	t.Setenv("SPECGATE_VERUS", "") // puts it back after the test
	need(t, os.Unsetenv("SPECGATE_VERUS"))
	for _, run := range []bool{false, true} {
		t.Run(fmt.Sprintf("run %v", run), func(t *testing.T) {
			c := newChecking(t)
			o := c.options(t)
			o.NoRun = !run
			got, err := newRunner(t, o).Check(t.Context(), c.job())
			need(t, err)
			args := []string{"check", "--repo", c.dir, "--base", "main", "--head", "tidy", "--format", "json", "--confine", "--no-cache"}
			if !run {
				args = append(args, "--no-run")
			}
			want, err := command(o.Program, c.dir, args...)
			var exit *sandbox.ExitError
			if !errors.As(err, &exit) || exit.ExitCode != 1 {
				t.Fatalf("in the clone: %v", err)
			}
			var report bytes.Buffer
			need(t, annotate.JSON(&report, got.Report))
			if diff := cmp.Diff(want, report.String()); diff != "" {
				t.Errorf("report of a clone (-) and of the App (+):\n%s", diff)
			}
			if got.Took <= 0 {
				t.Errorf("it took %v", got.Took)
			}
			if left := leftovers(t, c.work); left != nil {
				t.Errorf("left: %q", left)
			}
			if p := c.Problems(); p != nil {
				t.Errorf("problems: %q", p)
			}
		})
	}
}

// TestRunnerEnvironment: what runs for a change knows nothing of this process but what it needs.
func TestRunnerEnvironment(t *testing.T) {
	c := newChecking(t)
	seen := filepath.Join(t.TempDir(), "seen")
	for _, name := range []string{"GITHUB_TOKEN", "SPECGATE_PRIVATE_KEY", "SPECGATE_WEBHOOK_SECRET", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "SPECGATE_VERUS"} {
		t.Setenv(name, "secret-of-the-server")
	}
	t.Setenv("RUSTUP_HOME", "/opt/rustup")
	t.Setenv("XDG_DATA_HOME", "/opt/data")
	t.Setenv("HTTPS_PROXY", "http://proxy.example:3128")
	t.Setenv("no_proxy", "127.0.0.1,localhost")
	for _, name := range []string{"https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "RUSTUP_TOOLCHAIN", "VERUS_USE_RUSTUP", "VERUS_ROOT", "VERUS_Z3_PATH",
		"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CARGO_HTTP_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		t.Setenv(name, "")
		need(t, os.Unsetenv(name))
	}
	o := c.script(t, "{ pwd; env | grep -v '^PWD=\\|^SHLVL=\\|^_=' | sort; printf '%s\\n' \"$@\"; find .. | sort | grep -v /objects/ ; cat ../repo/config ../repo/shallow; } >"+seen+"\nexit 3\n")
	o.Cache, o.Verus, o.Rustc, o.Jobs, o.Wall, o.Memory = c.cacheDir, "/opt/verus", "/opt/rustc", 3, 90*time.Second, 1<<30
	_, err := newRunner(t, o).Check(t.Context(), c.job())
	wantErr := "check " + c.head + " of acme/numbers: the check ended with exit code 3 and without a report; its last words: none"
	if err == nil || err.Error() != wantErr {
		t.Errorf("got %v, want %s", err, wantErr)
	}
	text, err := os.ReadFile(seen)
	need(t, err)
	dir := filepath.Join(c.work, "0", "acme", "numbers", "0")
	got := strings.NewReplacer(dir, "JOB", c.cacheDir, "CACHE", c.base, "BASE", c.head, "HEAD", os.Getenv("PATH"), "PATHS").Replace(string(text))
	shown, _, _ := strings.Cut(got, "..\n")
	want := `JOB/home
CARGO_HOME=JOB/cargo
GOMEMLIMIT=805306368
HOME=JOB/home
HTTPS_PROXY=http://proxy.example:3128
PATH=PATHS
RUSTUP_HOME=/opt/rustup
TMPDIR=JOB/tmp
XDG_DATA_HOME=/opt/data
no_proxy=127.0.0.1,localhost
check
--repo
JOB/repo
--base
BASE
--head
HEAD
--format
json
--timeout
1m30s
--jobs
3
--confine
--no-run
--verus
/opt/verus
--rustc
/opt/rustc
--cache
CACHE/acme/numbers
`
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the child sees (-want +got):\n%s", diff)
	}
	for _, secret := range []string{"secret-of-the-server", "installation-", "x-access-token", c.URL} {
		if strings.Contains(got, secret) {
			t.Errorf("the child can see %q in\n%s", secret, got)
		}
	}
	if left := leftovers(t, c.work); left != nil {
		t.Errorf("left: %q", left)
	}
}

// TestRunnerFails: whatever becomes of a check, it is no result, and says what happened.
func TestRunnerFails(t *testing.T) {
	c := newChecking(t)
	name, err := binary()
	need(t, err)
	const gone = "1234567890123456789012345678901234567890"
	// A report of the same change the other way round.
	other := filepath.Join(t.TempDir(), "other.json")
	text, err := command(name, c.dir, "check", "--repo", c.dir, "--base", "tidy", "--head", "main", "--format", "json", "--no-run", "--no-cache")
	var exit *sandbox.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	need(t, os.WriteFile(other, []byte(text), 0o600))
	report := filepath.Join(t.TempDir(), "report.json")
	text, err = command(name, c.dir, "check", "--repo", c.dir, "--base", "main", "--head", "tidy", "--format", "json", "--no-run", "--no-cache")
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	need(t, os.WriteFile(report, []byte(text), 0o600))
	need(t, os.WriteFile(filepath.Join(c.dir, ".specgate.toml"), []byte("version = 1\n[gate]\nfail-on = \"never\x1b[31m\"\n"), 0o600))
	c.git(t, "checkout", "-q", "-b", "broken", "main")
	broken := c.commit(t, "a broken policy")

	for _, k := range []struct {
		name      string
		script    string
		change    func(*app.RunnerOptions, *app.Job)
		permanent bool
		want      string
	}{
		{"a commit that is gone", "", func(_ *app.RunnerOptions, j *app.Job) { j.Head = gone }, true,
			"check " + gone + " of acme/numbers: the commit is not there any more: the branch was deleted or overwritten meanwhile: fetch commit BASE and " + gone + " of URL/acme/numbers.git: the repository does not have the commit (any more): git fetch: git ended with exit status 128: fatal: remote error: upload-pack: not our ref " + gone},
		{"a revision that is none", "", func(_ *app.RunnerOptions, j *app.Job) { j.Head = "main" }, true,
			`check main of acme/numbers: "main" is not the full hash of a commit`},
		{"too large", "", func(o *app.RunnerOptions, _ *app.Job) { o.FetchSize = 1 << 10 }, true,
			"check HEAD of acme/numbers: the repository is too large to be checked here; the one who runs specgate can raise the limit: fetch commit BASE and HEAD of URL/acme/numbers.git: the commits are too large: the pack has more than 0 MiB: git fetch: git ended with exit status 128: fatal: fetch-pack: invalid index-pack output"},
		{"another repository", "", func(_ *app.RunnerOptions, j *app.Job) { j.Repo, _ = github.ParseRepo("acme/other") }, false,
			"check HEAD of acme/other: fetch commit BASE and HEAD of URL/acme/other.git: there is no such repository, or the token may not read it: git fetch: git ended with exit status 128: remote: Repository not found.\nfatal: repository 'URL/acme/other.git/' not found"},
		{"no token", "", func(_ *app.RunnerOptions, j *app.Job) {
			j.Token = func(context.Context) (string, error) { return "", errors.New("GitHub is down") }
		}, false, "check HEAD of acme/numbers: GitHub is down"},
		{"a policy that is wrong", "", func(_ *app.RunnerOptions, j *app.Job) { j.Base = broken }, true,
			"check HEAD of acme/numbers: the policy of base " + broken[:12] + ":\n.specgate.toml:3:17: control character 0x1b; remove it, or write it as \\u001b in a string\n  3 | fail-on = \"never?[31m\"\n    |                 ^\n" + policy.Recovery},
		{"no program", "", func(o *app.RunnerOptions, _ *app.Job) { o.Program = "/nowhere/specgate" }, false,
			"check HEAD of acme/numbers: start /nowhere/specgate: fork/exec /nowhere/specgate: no such file or directory"},
		{"no report", "exit 0", nil, false, "check HEAD of acme/numbers: the check ended with exit code 0 and without a report; its last words: none"},
		{"an internal error", "echo 'specgate: internal error' >&2; exit 3", nil, false, "check HEAD of acme/numbers: the check ended with exit code 3 and without a report; its last words: internal error"},
		{"no JSON", "echo hello", nil, true,
			"check HEAD of acme/numbers: its report cannot be read, so nothing of it is believed: decode JSON: invalid character 'h' looking for beginning of value; this is an error of specgate, or an attack on it"},
		{"of another change", "cat " + other, nil, true,
			"check HEAD of acme/numbers: its report is about HEAD and BASE, so nothing of it is believed; this is an error of specgate, or an attack on it"},
		{"an exit code that does not fit", "cat " + report, nil, true,
			`check HEAD of acme/numbers: its report says "findings" and its exit code is 0, so nothing of it is believed; this is an error of specgate, or an attack on it`},
		{"killed by the system", "kill -9 $$", nil, false,
			"check HEAD of acme/numbers: the check was ended by the system (killed), most likely for want of memory; its last words: none"},
		{"no memory left", "echo 'fatal error: runtime: out of memory' >&2; exit 2", nil, true,
			"check HEAD of acme/numbers: it needs more than the 8192 MiB of memory that one process may have; make the change smaller, or have the one who runs specgate give it more"},
		{"too much output", "head -c 40000000 /dev/zero", nil, true,
			"check HEAD of acme/numbers: its report has more than 32 MiB, or its log more than 16; make the change smaller"},
		{"no end", "sleep 600 & mkdir $TMPDIR/a; touch $TMPDIR/a/b; chmod 0 $TMPDIR/a; sleep 600", func(o *app.RunnerOptions, _ *app.Job) { o.Wall = time.Second }, true,
			"check HEAD of acme/numbers: it did not end within 1s; make the change smaller, or have the one who runs specgate give it more time"},
	} {
		t.Run(k.name, func(t *testing.T) {
			o, job := c.options(t), c.job()
			if k.script != "" {
				o = c.script(t, k.script+"\n")
			}
			if k.change != nil {
				k.change(&o, &job)
			}
			result, err := newRunner(t, o).Check(t.Context(), job)
			if err == nil {
				t.Fatalf("no error, and the report %v", result.Report)
			}
			got := strings.NewReplacer(strings.TrimSuffix(c.URL, "/api/v3"), "URL", c.base, "BASE", c.head, "HEAD", broken, "BROKEN").Replace(err.Error())
			if got != k.want {
				t.Errorf("got  %s\nwant %s", got, k.want)
			}
			var permanent *app.PermanentError
			if errors.As(err, &permanent) != k.permanent {
				t.Errorf("permanent: %v", !k.permanent)
			}
			if strings.ContainsFunc(err.Error(), func(c rune) bool { return c < ' ' && c != '\n' }) {
				t.Errorf("control characters in %q", err)
			}
			if left := leftovers(t, c.work); left != nil {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// TestRunnerCancelled: a check ends with its context, and leaves nothing.
func TestRunnerCancelled(t *testing.T) {
	c := newChecking(t)
	started := filepath.Join(t.TempDir(), "started")
	r := newRunner(t, c.script(t, "touch "+started+"; sleep 600\n"))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("somebody pushed")
	go func() {
		for {
			if _, err := os.Stat(started); err == nil {
				cancel(why)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, err := r.Check(ctx, c.job()); !errors.Is(err, why) {
		t.Errorf("got %v, want that the context ended", err)
	}
	if left := leftovers(t, c.work); left != nil {
		t.Errorf("left: %q", left)
	}
}

// TestRunnerDirectories: several processes can use one directory, and what one leaves that was killed is removed.
func TestRunnerDirectories(t *testing.T) {
	c := newChecking(t)
	o := c.options(t)
	half := filepath.Join(c.work, "0", "acme", "numbers", "0", "tmp", "closed")
	need(t, os.MkdirAll(half, 0o700))
	need(t, os.WriteFile(filepath.Join(half, "file"), nil, 0o600))
	need(t, os.Chmod(half, 0))
	// Another process is at work in 1.
	busy := filepath.Join(c.work, "1", "acme", "numbers", "0", "repo")
	need(t, os.MkdirAll(busy, 0o700))
	lock, err := os.OpenFile(filepath.Join(c.work, "1", ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	need(t, err)
	defer lock.Close()
	need(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	// One is gone that had 2.
	need(t, os.MkdirAll(filepath.Join(c.work, "2", "acme"), 0o700))

	dirs := func() string {
		t.Helper()
		var names []string
		need(t, filepath.WalkDir(c.work, func(name string, d fs.DirEntry, err error) error {
			if rel, _ := filepath.Rel(c.work, name); rel != "." {
				names = append(names, rel)
			}
			return err
		}))
		return strings.Join(names, " ")
	}
	first := newRunner(t, o)
	if got, want := dirs(), "0 0/.lock 1 1/.lock 1/acme 1/acme/numbers 1/acme/numbers/0 1/acme/numbers/0/repo 2 2/.lock"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	second, err := app.NewRunner(o)
	need(t, err)
	for _, r := range []*app.Runner{first, second} {
		_, err := r.Check(t.Context(), c.job())
		need(t, err)
	}
	need(t, second.Close())
	if _, err := os.Stat(busy); err != nil {
		t.Errorf("the directory of another process: %v", err)
	}
	if left := leftovers(t, filepath.Join(c.work, "0")); left != nil {
		t.Errorf("left: %q", left)
	}
}

// TestRunnerAtOnce: checks at the same time do not meet.
func TestRunnerAtOnce(t *testing.T) {
	c := newChecking(t)
	r := newRunner(t, c.options(t))
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if _, err := r.Check(t.Context(), c.job()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if left := leftovers(t, c.work); left != nil {
		t.Errorf("left: %q", left)
	}
}

// TestRunnerCache: what the verifier said of a base that is in the default branch is there for the next check of the repository, in a directory of
// its own, though the commits are fetched without history. It needs a verifier.
func TestRunnerCache(t *testing.T) {
	verifier := os.Getenv("SPECGATE_VERUS")
	if verifier == "" {
		sandboxtest.Verus.Lacks(t, "SPECGATE_VERUS names no verifier")
	}
	c := newChecking(t)
	c.git(t, "checkout", "-q", "main")
	c.git(t, "rm", "-q", "-r", ".")
	const text = "use vstd::prelude::*;\nverus! {\npub fn f(x: u64) -> (r: u64)\n    requires x < 100,\n    ensures r == x + 1,\n{\n    x + 1\n}\n}\nfn main() {}\n"
	need(t, os.WriteFile(filepath.Join(c.dir, "f.rs"), []byte(text), 0o600))
	need(t, os.WriteFile(filepath.Join(c.dir, ".specgate.toml"), []byte("version = 1\n[verus]\nroots = [\"f.rs\"]\n[gate]\nsandbox = \"off\"\n"), 0o600))
	c.base = c.commit(t, "a file to verify")
	c.git(t, "checkout", "-q", "-b", "change")
	need(t, os.WriteFile(filepath.Join(c.dir, "f.rs"), []byte(strings.Replace(text, "x + 1\n", "1 + x\n", 1)), 0o600))
	c.head = c.commit(t, "a change")
	o := c.options(t)
	o.Cache, o.Verus, o.Unconfined = c.cacheDir, verifier, true
	var got []string
	for _, accepted := range []bool{false, true, true} {
		// As after a restart.
		r, err := app.NewRunner(o)
		need(t, err)
		job := c.job()
		job.Accepted = accepted
		result, err := r.Check(t.Context(), job)
		need(t, err)
		need(t, r.Close())
		if result.Report.Tools.Verus == nil {
			t.Fatalf("no verifier was run: %v", result.Report.Reasons)
		}
		got = append(got, fmt.Sprint(result.Report.Tools.Verus.Cached, " ", result.Report.Counts.Proved))
	}
	// Nothing is kept while nobody accepted the base; then base is, and head never.
	want := []string{"{false false} 1", "{false false} 1", "{true false} 1"}
	if head, err := os.ReadFile(verifier); err == nil && bytes.HasPrefix(head, []byte("#!")) {
		want[2] = want[1] // nobody knows what a script starts, so its answers are not kept
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers that were kept before (-want +got):\n%s", diff)
	}
	entries, err := os.ReadDir(c.cacheDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "acme" {
			t.Errorf("the cache has %s", e)
		}
	}
}

package gitrepo_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

const fetchToken = "ghs_0123456789abcdef"

// A gitServer serves the repository in root/acme/numbers.git to who has the token.
type gitServer struct {
	*httptest.Server
	git http.Handler
	// before sees each request first; it returns true if it answered.
	before func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []string
}

func serveGit(t *testing.T, r *repo) *gitServer {
	t.Helper()
	git, err := sandbox.LookPath("git")
	check(t, err)
	root := realTempDir(t)
	check(t, os.MkdirAll(filepath.Join(root, "acme"), 0o755))
	check(t, os.Symlink(filepath.Join(r.dir, ".git"), filepath.Join(root, "acme", "numbers.git")))
	s := &gitServer{git: &cgi.Handler{Path: git, Args: []string{"http-backend"}, Dir: root, Stderr: io.Discard, Logger: log.New(io.Discard, "", 0),
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + root}}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *gitServer) url() string { return s.URL + "/acme/numbers.git" }

func (s *gitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.String())
	s.mu.Unlock()
	if s.before != nil && s.before(w, r) {
		return
	}
	user, password, ok := r.BasicAuth()
	if !ok || user != "x-access-token" || password != fetchToken {
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Repository not found.", http.StatusUnauthorized)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/acme/numbers.git/") {
		http.Error(w, "Repository not found.", http.StatusNotFound)
		return
	}
	s.git.ServeHTTP(w, r)
}

func newFetch(t *testing.T, s *gitServer, commits ...string) gitrepo.FetchOptions {
	t.Helper()
	return gitrepo.FetchOptions{Dir: filepath.Join(realTempDir(t), "repo"), URL: s.url(), Token: fetchToken, Commits: commits}
}

// history makes three commits on main, one on another branch, and allows what GitHub allows.
func history(t *testing.T) (r *repo, main []string, other string) {
	t.Helper()
	r = newRepo(t)
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	for i := range 3 {
		r.write("src/lib.rs", fmt.Sprintf("fn f() -> u64 { %d }\n", i))
		r.write("README.md", "text\n")
		main = append(main, r.commit(fmt.Sprintf("commit %d", i)))
	}
	r.git("checkout", "-q", "-b", "other", main[1])
	r.write("src/new.rs", "fn g() {}\n")
	other = r.commit("other")
	r.git("checkout", "-q", "main")
	return r, main, other
}

func TestFetch(t *testing.T) {
	ctx := context.Background()
	r, main, other := history(t)
	s := serveGit(t, r)
	o := newFetch(t, s, main[1], other)
	o.Accepted = main[1]
	check(t, gitrepo.Fetch(ctx, o))

	got := openAt(t, o.Dir)
	if !got.Bare() {
		t.Error("the repository is not bare")
	}
	full := r.open()
	for _, id := range o.Commits {
		if diff := cmp.Diff(dump(t, commitTree(t, full, id)), dump(t, commitTree(t, got, id))); diff != "" {
			t.Errorf("tree of %s (-original +fetched):\n%s", id, diff)
		}
	}
	// No history came along, and no other commit.
	if _, err := got.Resolve(ctx, main[0]); err == nil {
		t.Errorf("%s was fetched too", main[0])
	}
	// What the caller knows is kept apart from the rest: base is its own tip of the default branch, head is not in it.
	branch, err := got.DefaultBranch(ctx)
	check(t, err)
	tip, err := got.Resolve(ctx, branch)
	check(t, err)
	if tip.ID != main[1] {
		t.Errorf("the tip of the default branch is %s, want %s", tip.ID, main[1])
	}
	head, err := got.Resolve(ctx, other)
	check(t, err)
	if base, err := got.MergeBase(ctx, tip, head); err == nil {
		t.Errorf("there is a merge base, %v", base)
	}
	secretNowhere(t, o.Dir)
}

// secretNowhere looks for the token in all files.
func secretNowhere(t *testing.T, dir string) {
	t.Helper()
	encoded := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + fetchToken))
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte(fetchToken)) || bytes.Contains(text, []byte(encoded)) {
			t.Errorf("the token is in %s", path)
		}
		return nil
	}))
}

// Again in the same directory: nothing is asked for that is there, and what is not there is added.
func TestFetchAgain(t *testing.T) {
	ctx := context.Background()
	r, main, other := history(t)
	s := serveGit(t, r)
	o := newFetch(t, s, main[1])
	o.Accepted = main[1]
	check(t, gitrepo.Fetch(ctx, o))
	first := len(s.requests)
	check(t, gitrepo.Fetch(ctx, o))
	if len(s.requests) != first {
		t.Errorf("the second call asked for: %q", s.requests[first:])
	}
	o.Commits, o.Accepted = []string{main[1], other, main[2], main[0]}, ""
	check(t, gitrepo.Fetch(ctx, o))
	got, full := openAt(t, o.Dir), r.open()
	for _, id := range o.Commits {
		if diff := cmp.Diff(dump(t, commitTree(t, full, id)), dump(t, commitTree(t, got, id))); diff != "" {
			t.Errorf("tree of %s (-original +fetched):\n%s", id, diff)
		}
	}
	if branch, err := got.DefaultBranch(ctx); err == nil {
		t.Errorf("there is still a default branch, %s", branch)
	}
}

// A call that was killed at any moment leaves what the next one repairs.
func TestFetchAfterKill(t *testing.T) {
	ctx := context.Background()
	r, main, other := history(t)
	s := serveGit(t, r)
	o := newFetch(t, s, main[1])
	check(t, gitrepo.Fetch(ctx, o))
	for _, left := range []string{"config.lock", "shallow.lock", "shallow_a1B2", "HEAD.lock", "packed-refs.lock",
		"refs/specgate/commits/" + other + ".lock", "objects/pack/tmp_pack_a1", "objects/pack/tmp_idx_a1", "objects/pack/pack-1.keep", "objects/tmp_objdir-incoming-1/x"} {
		path := filepath.Join(o.Dir, left)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, []byte("half"), 0o644))
	}
	o.Commits = append(o.Commits, other)
	check(t, gitrepo.Fetch(ctx, o))
	if diff := cmp.Diff(dump(t, commitTree(t, r.open(), other)), dump(t, commitTree(t, openAt(t, o.Dir), other))); diff != "" {
		t.Errorf("tree (-original +fetched):\n%s", diff)
	}
	noTemporaries(t, o.Dir)

	// The context ends in the middle of the answer.
	o = newFetch(t, s, main[2])
	ctx, cancel := context.WithCancel(ctx)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			cancel()
		}
		return false
	}
	if err := gitrepo.Fetch(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context ended", err)
	}
	s.before = nil
	check(t, gitrepo.Fetch(context.Background(), o))
	commitTree(t, openAt(t, o.Dir), main[2])
}

func noTemporaries(t *testing.T, dir string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".lock") || strings.Contains(filepath.Base(path), "tmp_")) {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}

// Each failure says what it is, and no message has the token.
func TestFetchFails(t *testing.T) {
	r, main, _ := history(t)
	s := serveGit(t, r)
	const gone = "1234567890123456789012345678901234567890"
	blob := r.git("rev-parse", "HEAD:README.md")
	redirected := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed: %s %s, Authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	defer redirected.Close()
	answer := func(status int, location string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(status)
			return true
		}
	}
	const noAccess = " of URL: there is no such repository, or the token may not read it: git fetch: git ended with exit status 128: "
	for _, c := range []struct {
		name   string
		change func(o *gitrepo.FetchOptions)
		before func(http.ResponseWriter, *http.Request) bool
		is     error
		want   string
	}{
		{"a commit that is gone", func(o *gitrepo.FetchOptions) { o.Commits = append(o.Commits, gone) }, nil, gitrepo.ErrNoCommit,
			"fetch commit " + main[2] + " and " + gone + " of URL: the repository does not have the commit (any more): git fetch: git ended with exit status 128: fatal: remote error: upload-pack: not our ref " + gone},
		{"no commit", func(o *gitrepo.FetchOptions) { o.Commits = []string{blob} }, nil, gitrepo.ErrNoCommit,
			"fetch commit " + blob + " of URL: the repository does not have the commit (any more): " + blob + " is another kind of object"},
		{"another token", func(o *gitrepo.FetchOptions) { o.Token = "other" }, nil, gitrepo.ErrNoAccess,
			"fetch commit " + main[2] + noAccess + "fatal: could not read Username for 'SERVER': terminal prompts disabled"},
		{"no token", func(o *gitrepo.FetchOptions) { o.Token = "" }, nil, gitrepo.ErrNoAccess,
			"fetch commit " + main[2] + noAccess + "fatal: could not read Username for 'SERVER': terminal prompts disabled"},
		{"another repository", func(o *gitrepo.FetchOptions) { o.URL += "x" }, nil, gitrepo.ErrNoAccess,
			"fetch commit " + main[2] + strings.Replace(noAccess, "URL", "URLx", 1) + "remote: Repository not found.\nfatal: repository 'URLx/' not found"},
		{"forbidden", nil, answer(403, ""), gitrepo.ErrNoAccess,
			"fetch commit " + main[2] + noAccess + "fatal: unable to access 'URL/': The requested URL returned error: 403"},
		{"the server is down", nil, answer(502, ""), nil,
			"fetch commit " + main[2] + " of URL: git fetch: git ended with exit status 128: fatal: unable to access 'URL/': The requested URL returned error: 502"},
		{"a redirect", nil, answer(302, redirected.URL+"/acme/numbers.git/info/refs?service=git-upload-pack"), nil,
			"fetch commit " + main[2] + " of URL: git fetch: git ended with exit status 128: fatal: unable to access 'URL/': The requested URL returned error: 302"},
		{"no limit", func(o *gitrepo.FetchOptions) { o.Size = -1 }, nil, nil, "fetch commit " + main[2] + ": no limit may be negative"},
		{"a relative directory", func(o *gitrepo.FetchOptions) { o.Dir = "repo" }, nil, nil, "fetch commit " + main[2] + ": the directory \"repo\" is not an absolute path"},
		{"a file", func(o *gitrepo.FetchOptions) { o.URL = "file:///tmp/x" }, nil, nil,
			"fetch commit " + main[2] + ": the address must be https://HOST/PATH, without a user, a password and parameters"},
		{"a program", func(o *gitrepo.FetchOptions) { o.URL = "ext::sh -c id" }, nil, nil,
			"fetch commit " + main[2] + ": the address must be https://HOST/PATH, without a user, a password and parameters"},
		{"http elsewhere", func(o *gitrepo.FetchOptions) { o.URL = "http://git.example/a/b.git" }, nil, nil,
			"fetch commit " + main[2] + ": the address must be https://HOST/PATH, without a user, a password and parameters"},
		{"a password in the address", func(o *gitrepo.FetchOptions) { o.URL = "https://x:" + fetchToken + "@git.example/a/b.git" }, nil, nil,
			"fetch commit " + main[2] + ": the address must be https://HOST/PATH, without a user, a password and parameters"},
		{"a token of two lines", func(o *gitrepo.FetchOptions) { o.Token = "a\r\nHost: b" }, nil, nil, "fetch commit " + main[2] + ": the token has characters that no token has"},
		{"a branch", func(o *gitrepo.FetchOptions) { o.Commits = []string{"main"} }, nil, nil, "fetch commit main: \"main\" is not the full id of a commit, or is of another kind than main"},
		{"nothing", func(o *gitrepo.FetchOptions) { o.Commits = nil }, nil, nil, "fetch: no commit is named"},
		{"another accepted commit", func(o *gitrepo.FetchOptions) { o.Accepted = main[0] }, nil, nil,
			"fetch commit " + main[2] + ": the accepted commit \"" + main[0] + "\" is not one of those to fetch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.before = c.before
			o := newFetch(t, s, main[2])
			if c.change != nil {
				c.change(&o)
			}
			err := gitrepo.Fetch(context.Background(), o)
			if err == nil {
				t.Fatal("no error")
			}
			text := strings.ReplaceAll(err.Error(), s.url(), "URL")
			text = strings.ReplaceAll(text, s.URL, "SERVER")
			if text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
			for _, is := range []error{gitrepo.ErrNoCommit, gitrepo.ErrNoAccess, gitrepo.ErrTooLarge} {
				if errors.Is(err, is) != (is == c.is) {
					t.Errorf("%v: is %q: %v", err, is, errors.Is(err, is))
				}
			}
			if strings.Contains(text, fetchToken) {
				t.Errorf("the token is in %q", text)
			}
		})
	}
}

// A repository that is too large is not taken, and leaves nothing.
func TestFetchTooLarge(t *testing.T) {
	r := newRepo(t)
	random := make([]byte, 4<<20)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(random)
	r.write("large", string(random))
	r.write("zeros", strings.Repeat("0", 15<<20)) // small in the pack
	id := r.commit("large")
	s := serveGit(t, r)
	o := newFetch(t, s, id)
	o.Size = 1 << 20
	err := gitrepo.Fetch(context.Background(), o)
	if !errors.Is(err, gitrepo.ErrTooLarge) {
		t.Fatalf("got %v, want that it is too large", err)
	}
	noTemporaries(t, o.Dir)
	o.Size, o.Memory = 0, 14<<20
	if err := gitrepo.Fetch(context.Background(), o); !errors.Is(err, gitrepo.ErrTooLarge) {
		t.Fatalf("got %v, want that it is too large", err)
	}
	noTemporaries(t, o.Dir)
	o.Memory = 0
	check(t, gitrepo.Fetch(context.Background(), o))
}

// Whatever the user, the system and the repository say: git runs no program of theirs and sends the token nowhere else.
func TestFetchHostileConfiguration(t *testing.T) {
	r, main, _ := history(t)
	s := serveGit(t, r)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("git asked another server for %s", r.URL) }))
	defer other.Close()
	home := os.Getenv("HOME")
	ran := filepath.Join(realTempDir(t), "ran")
	check(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[url \""+other.URL+"/\"]\n\tinsteadOf = "+s.URL+"/\n[credential]\n\thelper = \"!touch "+ran+"\"\n[core]\n\tfsmonitor = \"touch "+ran+"\"\n"), 0o644))
	check(t, os.WriteFile(filepath.Join(home, ".netrc"), []byte("machine 127.0.0.1 login a password b\n"), 0o600))
	t.Setenv("GIT_ASKPASS", "touch "+ran)
	t.Setenv("GIT_DIR", r.dir+"/.git")
	t.Setenv("GIT_TRACE_CURL", ran)
	t.Setenv("GIT_CONFIG_PARAMETERS", "'http.proxy'='"+other.URL+"'")
	o := newFetch(t, s, main[0])
	check(t, gitrepo.Fetch(context.Background(), o))
	commitTree(t, openAt(t, o.Dir), main[0])
	o = newFetch(t, s, main[0])
	o.Token = ""
	if err := gitrepo.Fetch(context.Background(), o); !errors.Is(err, gitrepo.ErrNoAccess) {
		t.Errorf("without a token: %v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the configuration was run")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.requests, func(r string) bool { return strings.Contains(r, fetchToken) }) {
		t.Errorf("the token is in an address: %q", s.requests)
	}
}

// An object that breaks git's own rules is not taken: others would read it in another way.
func TestFetchMalformed(t *testing.T) {
	r := newRepo(t)
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	r.write("a", "text\n")
	r.commit("a")
	blob := r.git("rev-parse", "HEAD:a")
	raw, err := sandbox.Command{Name: "git", Args: []string{"hash-object", "-t", "tree", "-w", "--stdin", "--literally"}, Dir: r.dir, Env: sandbox.Environ(),
		Stdin: append([]byte("100644 .git\x00"), must(hex.DecodeString(blob))...), Limits: sandbox.Limits{Wall: time.Minute, Stdout: 1 << 20, Stderr: 1 << 20}}.Run(context.Background())
	check(t, err)
	commit := r.git("commit-tree", "-m", "hostile", strings.TrimSpace(string(raw.Stdout)))
	s := serveGit(t, r)
	err = gitrepo.Fetch(context.Background(), newFetch(t, s, commit))
	if err == nil || !strings.Contains(err.Error(), "hasDotgit") {
		t.Errorf("got %v, want that the tree is refused", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

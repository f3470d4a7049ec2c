package gitrepo

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// The oldest git that takes configuration from its environment (GIT_CONFIG_COUNT), where no other user of the machine can
// read it, as its arguments can be.
const (
	fetchMajor = 2
	fetchMinor = 31
)

// FetchOptions say what Fetch gets, and where to.
type FetchOptions struct {
	// Dir is the directory of the bare repository. It is made if it is not there; if it is, it is an earlier one of Fetch, of
	// which everything is kept that is whole. It is the caller's alone: nothing else reads or writes it meanwhile.
	Dir string
	// URL of the repository: https, or http on this machine. It holds no user, password, query or fragment.
	URL string
	// Token is sent to URL, with the user name x-access-token, as GitHub asks for (docs.github.com, "Authenticating as a
	// GitHub App installation"). Empty: none is.
	Token string
	// Commits are the full ids of the commits to get, at least one.
	Commits []string
	// Accepted is the one of Commits that the caller knows to be part of the default branch, and that stands for it in the
	// new repository (DefaultBranch): without history nobody could tell. Empty: none of them is.
	Accepted string

	// Wall is the longest time; 0: 10 min.
	Wall time.Duration
	// Size is the most bytes of the pack of all objects, compressed; 0: 2 GiB. The repository takes up to three times as
	// much while the pack is indexed.
	Size int64
	// Memory is the most bytes of memory of each process of git; 0: 2 GiB.
	Memory int64
}

// Errors of Fetch that another attempt will not mend. Test for them with errors.Is.
var (
	// ErrNoCommit means that the repository does not have a commit, or not any more: a branch was deleted or overwritten.
	ErrNoCommit = errors.New("the repository does not have the commit (any more)")
	// ErrNoAccess means that there is no such repository, or that the token may not read it.
	ErrNoAccess = errors.New("there is no such repository, or the token may not read it")
	// ErrTooLarge means that the commits are more than FetchOptions.Size or FetchOptions.Memory allows.
	ErrTooLarge = errors.New("the commits are too large")
)

// commitRefs has a reference for each commit that is there with all that it needs.
const commitRefs = "refs/specgate/commits/"

// acceptedRef is one of those that DefaultBranch looks for.
const acceptedRef = "refs/remotes/origin/main"

// Fetch makes a bare repository that has exactly some commits of another: each with its whole tree and without its parents,
// so that no more is to be fetched in order to read them, and that a commit has no merge base with another.
//
// Git is started with a configuration of its own: neither the user's nor the system's is read, so no helper, hook, rewritten
// address or program named there has a part in it. The addresses of proxies and of certificates (HTTPS_PROXY, NO_PROXY,
// GIT_SSL_CAINFO, GIT_SSL_CAPATH, SSL_CERT_FILE, SSL_CERT_DIR) are taken from the environment. No redirect is followed,
// nobody is asked for a password, and every object is checked (fetch.fsckObjects). The token is in the environment of that
// one git and of what it starts; it is in no argument, address, file or message.
//
// It may be killed at any moment, and called again: what is whole is kept, and what is not is removed first. Nothing is ever
// taken out of the repository, so a directory is for one job, which removes it: a mirror that lasts would grow by what every
// stranger pushes.
//
// The limits of memory and size are set by this same executable, started once more: main must call sandbox.Main first.
func Fetch(ctx context.Context, o FetchOptions) error {
	what := "fetch"
	if len(o.Commits) > 0 {
		what += " commit " + strings.Join(o.Commits, " and ")
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	what += " of " + o.URL
	out, err := run(ctx, command("", nil, "version"), "version")
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	major, minor, err := parseVersion(strings.TrimSpace(string(out)))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if major < fetchMajor || major == fetchMajor && minor < fetchMinor {
		return fmt.Errorf("%s: git is version %d.%d; install git %d.%d or newer", what, major, minor, fetchMajor, fetchMinor)
	}
	if err := o.fetch(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (o *FetchOptions) check() error {
	if !filepath.IsAbs(o.Dir) {
		return fmt.Errorf("the directory %q is not an absolute path", o.Dir)
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return errors.New("the address is no URL") // the error would show what might be a password
	}
	host := u.Hostname()
	local := u.Scheme == "http" && (host == "127.0.0.1" || host == "::1" || host == "localhost")
	if u.Scheme != "https" && !local || host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" || u.String() != o.URL {
		return errors.New("the address must be https://HOST/PATH, without a user, a password and parameters")
	}
	if strings.ContainsFunc(o.Token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return errors.New("the token has characters that no token has")
	}
	if len(o.Commits) == 0 {
		return errors.New("no commit is named")
	}
	for _, c := range o.Commits {
		if !isID(c) || len(c) != len(o.Commits[0]) {
			return fmt.Errorf("%q is not the full id of a commit, or is of another kind than %s", c, o.Commits[0])
		}
	}
	if o.Accepted != "" && !slices.Contains(o.Commits, o.Accepted) {
		return fmt.Errorf("the accepted commit %q is not one of those to fetch", o.Accepted)
	}
	if o.Wall < 0 || o.Size < 0 || o.Memory < 0 {
		return errors.New("no limit may be negative")
	}
	return nil
}

func (o *FetchOptions) fetch(ctx context.Context) error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return err
	}
	if err := o.sweep(); err != nil {
		return err
	}
	format := "sha1"
	if len(o.Commits[0]) == 64 {
		format = "sha256"
	}
	// It does no harm where there is a repository already.
	if _, err := run(ctx, o.command("init", "--quiet", "--bare", "--template=", "--initial-branch=none", "--object-format="+format, o.Dir), "init"); err != nil {
		return err
	}
	var missing []string
	for _, id := range o.Commits {
		if !o.has(ctx, id) {
			missing = append(missing, "+"+id+":"+commitRefs+id)
		}
	}
	if len(missing) > 0 {
		if err := o.get(ctx, missing); err != nil {
			return errors.Join(err, o.sweep())
		}
	}
	for _, id := range o.Commits {
		if !o.has(ctx, id) {
			return fmt.Errorf("%w: %s is another kind of object", ErrNoCommit, id)
		}
	}
	update := []string{"update-ref", acceptedRef, o.Accepted}
	if o.Accepted == "" {
		update = []string{"update-ref", "-d", acceptedRef}
	}
	_, err := run(ctx, o.command(update...), "update-ref")
	return err
}

// sweep removes what a git that was killed has left: locks, and files that it had not finished. Git makes the reference to
// a commit after all else, so what has one is whole.
func (o *FetchOptions) sweep() error {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var left []string
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case strings.HasSuffix(name, ".lock"), strings.HasSuffix(name, ".keep"), strings.HasPrefix(name, "shallow_"),
			strings.HasPrefix(path, "objects/") && strings.HasPrefix(name, "tmp_"):
			left = append(left, path)
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remove what an earlier attempt left: %w", err)
	}
	for _, path := range left {
		if err := root.RemoveAll(path); err != nil {
			return fmt.Errorf("remove what an earlier attempt left: %w", err)
		}
	}
	return nil
}

// has reports whether a commit is there, with all that it needs.
func (o *FetchOptions) has(ctx context.Context, id string) bool {
	out, err := run(ctx, o.command("rev-parse", "--verify", "--quiet", commitRefs+id+"^{commit}"), "rev-parse")
	return err == nil && strings.TrimSuffix(string(out), "\n") == id
}

// get fetches what the refspecs name.
func (o *FetchOptions) get(ctx context.Context, refspecs []string) error {
	c := o.command(append([]string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--depth=1", o.URL}, refspecs...)...)
	scheme, _, _ := strings.Cut(o.URL, ":")
	secret := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + o.Token))
	config := [][2]string{
		{"protocol.allow", "never"},
		{"protocol." + scheme + ".allow", "always"},
		{"http.followRedirects", "false"},
		{"http.lowSpeedLimit", "1000"}, // bytes a second
		{"http.lowSpeedTime", "60"},    // seconds
		{"fetch.fsckObjects", "true"},
		{"fetch.unpackLimit", "1"}, // one pack, whose size is limited, and no loose objects
		{"fetch.uriProtocols", ""},
		{"transfer.bundleURI", "false"},
		{"core.bigFileThreshold", "16m"}, // larger ones are checked without being in memory
		{"credential.helper", ""},
		{"core.askPass", ""},
	}
	if o.Token != "" {
		config = append(config, [2]string{"http." + o.URL + ".extraHeader", "Authorization: Basic " + secret})
	}
	for i, kv := range config {
		c.Env = append(c.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	c.Env = append(c.Env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)), "GIT_ALLOW_PROTOCOL="+scheme)
	c.Limits.Wall = cmp.Or(o.Wall, 10*time.Minute)
	c.Limits.FileSize = o.size()
	c.Limits.Memory = cmp.Or(o.Memory, 2<<30)
	res, err := c.Run(ctx)
	if o.Token != "" { // git shows neither; a message of the server could
		text := strings.NewReplacer(o.Token, "TOKEN", secret, "TOKEN").Replace(string(res.Stderr))
		res.Stderr = []byte(text)
	}
	return o.explain(commandError("fetch", res, err))
}

// explain tells the failures that will not end by themselves, by the messages of git.
func (o *FetchOptions) explain(err error) error {
	var git *gitError
	if !errors.As(err, &git) || !failed(err) {
		return err
	}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(git.stderr, p) })
	}
	switch {
	case has("not our ref", "unadvertised object", "couldn't find remote ref"):
		return fmt.Errorf("%w: %w", ErrNoCommit, err)
	case has("Authentication failed", "terminal prompts disabled", "could not read Username", "returned error: 401", "returned error: 403", "returned error: 404",
		"repository '"+o.URL) && !has("returned error: 5"):
		return fmt.Errorf("%w: %w", ErrNoAccess, err)
	case o.full():
		return fmt.Errorf("%w: the pack has more than %d MiB: %w", ErrTooLarge, o.size()>>20, err)
	case has("out of memory", "Out of memory"):
		return fmt.Errorf("%w: git needs more than %d MiB of memory: %w", ErrTooLarge, cmp.Or(o.Memory, 2<<30)>>20, err)
	}
	return err
}

// full reports whether git was ended while it wrote a file that has reached the limit. It says nothing of that itself.
func (o *FetchOptions) full() bool {
	left, err := filepath.Glob(filepath.Join(o.Dir, "objects", "pack", "tmp_*"))
	return err == nil && slices.ContainsFunc(left, func(name string) bool {
		info, err := os.Lstat(name)
		return err == nil && info.Size() >= o.size()
	})
}

func (o *FetchOptions) size() int64 { return cmp.Or(o.Size, 2<<30) }

// command is a git command for the repository of Fetch, with no configuration but what is in the repository, which Fetch
// made itself.
func (o *FetchOptions) command(args ...string) sandbox.Command {
	c := command(o.Dir, []string{"safe.bareRepository=all", "gc.auto=0"}, args...)
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	for _, names := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"} {
		if value, ok := os.LookupEnv(names); ok {
			env = append(env, names+"="+value)
		}
	}
	// The names by which Go's own programs find certificates, so that one setting is enough for both.
	for git, ours := range map[string]string{"GIT_SSL_CAINFO": "SSL_CERT_FILE", "GIT_SSL_CAPATH": "SSL_CERT_DIR"} {
		if value := os.Getenv(ours); value != "" && os.Getenv(git) == "" {
			env = append(env, git+"="+value)
		}
	}
	c.Env = append(env,
		"HOME="+o.Dir, // git would find passwords in .netrc
		"GIT_DIR="+o.Dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
	)
	return c
}

// Package gitrepo reads the trees of a git repository, and what changed between two of them.
//
// It reads through the git program (2.30 or newer), a constant number of processes for each question, and only reads:
// nothing in the repository is written or locked. A repository is taken for hostile. Its configuration, hooks, filters
// and remotes run no program, symbolic links are never followed, submodules are not entered, and nothing is fetched. Fetch
// alone talks to another machine and writes: a new repository with the commits that it is asked for.
//
// File content is raw: as it is stored in the repository, or as it is on disk. No filter, no conversion of line ends
// (core.autocrlf, .gitattributes) and no Git LFS is applied. So a file that git converts on checkout differs between a
// commit and the working tree, even if git status does not show it.
package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The oldest git that has all that this package uses (git rev-parse --end-of-options).
const (
	minMajor = 2
	minMinor = 30
)

// A Repo is a git repository. Its methods may be called from several goroutines.
type Repo struct {
	root      string
	bare      bool
	format    string   // of object ids: sha1 or sha256
	config    []string // configuration for every command, as for git -c
	indexFile string   // overrides the index of the repository, if set
}

// ErrNotRepository means that a directory is not in a git repository.
var ErrNotRepository = errors.New("not a git repository")

// Open finds the repository whose working tree holds the directory dir, or the bare repository at dir.
//
// The error wraps ErrNotRepository if there is none. It says what to do if git is missing or too old, and if git refuses
// the repository because another user owns it.
//
// If GIT_INDEX_FILE names a file in the git directory, that file is the index, as in a pre-commit hook. Other variables
// that would name another repository, as GIT_DIR, are ignored.
func Open(ctx context.Context, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the repository at %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("open the repository at %s: %w", dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open the repository at %s: it is not a directory", dir)
	}

	out, err := run(ctx, command(abs, nil, "version"), "version")
	if err != nil {
		return nil, fmt.Errorf("open the repository at %s: %w", dir, err)
	}
	major, minor, err := parseVersion(strings.TrimSpace(string(out)))
	if err != nil {
		return nil, fmt.Errorf("open the repository at %s: %w", dir, err)
	}
	if err := checkVersion(major, minor); err != nil {
		return nil, fmt.Errorf("open the repository at %s: %w", dir, err)
	}

	// A commit can hold a directory that looks like a bare repository, with a configuration of its own. Such a one must
	// not be found by looking upwards from a directory inside it.
	bareTop := isBareTop(abs)
	config := []string{"safe.bareRepository=explicit"}
	if bareTop {
		config = []string{"safe.bareRepository=all"}
	}
	r := &Repo{root: abs, config: config}
	out, err = r.git(ctx, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--show-object-format", "--absolute-git-dir")
	if err != nil {
		return nil, openError(dir, err)
	}
	fields := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "\n", 4) // the directory comes last: it may hold newlines
	if len(fields) != 4 {
		return nil, fmt.Errorf("open the repository at %s: unexpected output of git rev-parse: %q", dir, out)
	}
	r.bare, r.format = fields[0] == "true", fields[2]
	insideWorkTree, gitDir := fields[1] == "true", fields[3]
	if r.format != "sha1" && r.format != "sha256" {
		return nil, fmt.Errorf("open the repository at %s: unknown object format %q", dir, r.format)
	}
	switch {
	case r.bare && !bareTop, !r.bare && !insideWorkTree:
		return nil, insideGitDirError(dir)
	case r.bare:
		r.root = gitDir
	default:
		out, err = r.git(ctx, "rev-parse", "--show-toplevel")
		if err != nil {
			return nil, openError(dir, err)
		}
		r.root = strings.TrimSuffix(string(out), "\n")
	}
	if file := os.Getenv("GIT_INDEX_FILE"); file != "" {
		file, err := filepath.Abs(file)
		if err != nil {
			return nil, fmt.Errorf("open the repository at %s: GIT_INDEX_FILE: %w", dir, err)
		}
		if rel, err := filepath.Rel(gitDir, file); err == nil && filepath.IsLocal(rel) {
			r.indexFile = file
		}
	}
	return r, nil
}

func checkVersion(major, minor int) error {
	if major < minMajor || major == minMajor && minor < minMinor {
		return fmt.Errorf("git is version %d.%d; install git %d.%d or newer", major, minor, minMajor, minMinor)
	}
	return nil
}

// isBareTop reports whether dir has what git looks for in a git directory, and is not the .git of a working tree.
func isBareTop(dir string) bool {
	if filepath.Base(dir) == ".git" {
		return false
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err != nil
}

func openError(dir string, err error) error {
	var git *gitError
	if !errors.As(err, &git) {
		return fmt.Errorf("open the repository at %s: %w", dir, err)
	}
	switch {
	// "dubious ownership" since git 2.37, "unsafe repository" in the versions before that check it.
	case strings.Contains(git.stderr, "dubious ownership"), strings.Contains(git.stderr, "unsafe repository"):
		owned := dir
		if _, rest, ok := strings.Cut(git.stderr, "--add safe.directory "); ok {
			owned, _, _ = strings.Cut(rest, "\n")
			owned = strings.Trim(owned, "'")
		}
		return fmt.Errorf("open the repository at %s: it is owned by another user, so git does not read it; if you trust its configuration, run: git config --global --add safe.directory %s",
			dir, shellQuote(owned))
	case strings.Contains(git.stderr, "cannot use bare repository"):
		return insideGitDirError(dir)
	case strings.Contains(git.stderr, "not a git repository"):
		return fmt.Errorf("open the repository at %s: %w (nor is any directory above it); run specgate inside a clone, or make one with: git clone", dir, ErrNotRepository)
	}
	return fmt.Errorf("open the repository at %s: %w", dir, err)
}

func insideGitDirError(dir string) error {
	return fmt.Errorf("open the repository at %s: it is inside a git directory; name a directory of the working tree, or the top directory of a bare repository", dir)
}

// Root returns the absolute path of the top directory of the working tree, or of the repository if it is bare.
func (r *Repo) Root() string { return r.root }

// Bare reports whether the repository has no working tree.
func (r *Repo) Bare() bool { return r.bare }

// A Commit is a commit that exists in the repository.
type Commit struct {
	// Name is the revision as it was asked for, such as "main" or "HEAD~2".
	Name string
	// ID is the object id, in hexadecimal.
	ID string
}

func (c Commit) String() string {
	if c.Name == c.ID {
		return c.ID
	}
	return fmt.Sprintf("%s (%.12s)", c.Name, c.ID)
}

// Resolve finds the commit that a revision names, in any syntax of gitrevisions(7) that names one commit. The error of a
// revision that is not known says how to get it.
func (r *Repo) Resolve(ctx context.Context, rev string) (Commit, error) {
	fail := func(format string, args ...any) (Commit, error) {
		return Commit{}, fmt.Errorf("revision %q in %s: %w", rev, r.root, fmt.Errorf(format, args...))
	}
	switch {
	case rev == "":
		return fail("it is empty; name a branch, a tag or a commit")
	case strings.HasPrefix(rev, "-"):
		return fail("a revision cannot begin with a dash")
	case strings.ContainsFunc(rev, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return fail("a revision cannot hold control characters")
	}
	out, err := r.git(ctx, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if err == nil {
		id := strings.TrimSuffix(string(out), "\n")
		if !isID(id) {
			return fail("it does not name one commit") // as "^main"
		}
		return Commit{Name: rev, ID: id}, nil
	}
	if exitCode(err) < 0 {
		return fail("%w", err)
	}
	if rev == "HEAD" || rev == "@" {
		return fail("the current branch has no commit yet; commit first, or name another revision")
	}

	remote := "origin/" + rev
	c := r.command("cat-file", "--batch-check")
	c.Stdin = []byte(rev + "\n" + remote + "\n")
	out, err = run(ctx, c, "cat-file")
	if err != nil {
		return fail("%w", err)
	}
	found, err := parseBatchCheck(out, 2)
	if err != nil {
		return fail("%w", err)
	}
	switch {
	case found[0].problem == "ambiguous":
		return fail("more than one object has this short id; give more digits")
	case found[0].problem == "":
		return fail("it names a %s, not a commit", found[0].typ)
	case found[1].typ == "commit":
		return fail("it is not known here, but %s is; name that, or make the branch with: git branch %s %[1]s", shellQuote(remote), shellQuote(rev))
	}
	if base, head, ok := strings.Cut(rev, ".."); ok {
		return fail("it is a range; name its two ends, %q and %q, as base and head", base, strings.TrimPrefix(head, "."))
	}
	shallow, err := r.isShallow(ctx)
	if err != nil {
		return fail("%w", err)
	}
	if i := strings.IndexAny(rev, "^~"); i > 0 {
		from, err := r.Resolve(ctx, rev[:i])
		switch {
		case err != nil:
			return Commit{}, err // of what it begins with: the rest cannot be known then
		case shallow:
			return fail("it is not in the history that this shallow clone has; %s", deepen)
		}
		return fail("%s is known here, and has no such ancestor", from.Name)
	}
	origin, err := r.hasOrigin(ctx)
	if err != nil {
		return fail("%w", err)
	}
	branch := strings.TrimPrefix(strings.TrimPrefix(rev, "refs/remotes/"), "origin/")
	switch named := branch != rev; {
	case !origin:
		return fail("it is not known here; check the spelling")
	case isID(rev):
		return fail("it is not known here; get it with: git fetch%s origin %s", unshallow(shallow), rev)
	case shellQuote(branch) != branch || strings.ContainsAny(branch, ":@+"):
		return fail("it is not known here; check the spelling")
	case isShortID(rev):
		return fail("it is not known here; check it, or get all branches with: %s", fetchAll(shallow))
	case named:
		return fail("it is not known here; get it with: git fetch%s origin %s:refs/remotes/origin/%[2]s", unshallow(shallow), branch)
	}
	return fail("it is not known here; check the spelling, or, where origin has it, get it with: git fetch%s origin %s:refs/remotes/origin/%[2]s, and name origin/%[2]s", unshallow(shallow), branch)
}

// hasOrigin tells whether there is a remote of that name to fetch from.
func (r *Repo) hasOrigin(ctx context.Context) (bool, error) {
	_, err := r.git(ctx, "config", "--get", "remote.origin.url")
	if err != nil && exitCode(err) != 1 { // 1 is: not set
		return false, err
	}
	return err == nil, nil
}

// unshallow is the flag that a fetch needs to get the history too. Git refuses it where the history is whole.
func unshallow(shallow bool) string {
	if shallow {
		return " --unshallow"
	}
	return ""
}

// fetchAll gets all branches also where the clone was told to follow one, for which a plain git fetch gets no other.
func fetchAll(shallow bool) string {
	return "git fetch" + unshallow(shallow) + " origin '+refs/heads/*:refs/remotes/origin/*'"
}

// DefaultBranch returns the full name of the ref that changes are meant for, such as refs/remotes/origin/main: the first
// that exists of what origin/HEAD points to, origin/main, origin/master, main, master, and the branch that
// init.defaultBranch names.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	const originHead = "refs/remotes/origin/HEAD"
	candidates := []string{"refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}
	out, err := r.git(ctx, "config", "--get", "init.defaultBranch")
	switch {
	case err == nil:
		candidates = append(candidates, "refs/heads/"+strings.TrimSuffix(string(out), "\n"))
	case exitCode(err) != 1: // 1 is: not set
		return "", fmt.Errorf("find the default branch of %s: %w", r.root, err)
	}
	out, err = r.git(ctx, append([]string{"for-each-ref", "--format=%(refname)%00%(symref)", originHead}, candidates...)...)
	if err != nil {
		return "", fmt.Errorf("find the default branch of %s: %w", r.root, err)
	}
	refs, err := parseRefs(out)
	if err != nil {
		return "", fmt.Errorf("find the default branch of %s: %w", r.root, err)
	}
	if target := refs[originHead]; strings.HasPrefix(target, "refs/") {
		return target, nil // git leaves out a symbolic ref whose target does not exist
	}
	for _, name := range candidates {
		if _, ok := refs[name]; ok {
			return name, nil
		}
	}
	fail := func(remedy string) (string, error) {
		return "", fmt.Errorf("find the default branch of %s: none of origin/HEAD, %s exists; %s", r.root, strings.Join(candidates, ", "), remedy)
	}
	origin, err := r.hasOrigin(ctx)
	if err != nil {
		return "", fmt.Errorf("find the default branch of %s: %w", r.root, err)
	}
	if !origin {
		return fail("name the base revision with --base, or the default branch with: git config init.defaultBranch NAME")
	}
	shallow, err := r.isShallow(ctx)
	if err != nil {
		return "", fmt.Errorf("find the default branch of %s: %w", r.root, err)
	}
	const other = "(if its name is another: git remote set-head origin --auto)"
	if shallow {
		return fail("this clone is shallow; get all branches and their history with: " + fetchAll(true) + " " + other + ", or in GitHub Actions set fetch-depth: 0 for actions/checkout")
	}
	return fail("get all branches with: " + fetchAll(false) + " " + other + ", or name the base revision with --base")
}

// MergeBase returns the best common ancestor of two commits, the one that git merge-base gives: where the change began.
//
// In a shallow clone that is the best among the commits that are present. If there is none, the error says how to get
// more of the history.
func (r *Repo) MergeBase(ctx context.Context, a, b Commit) (Commit, error) {
	fail := func(format string, args ...any) (Commit, error) {
		return Commit{}, fmt.Errorf("merge base of %v and %v in %s: %w", a, b, r.root, fmt.Errorf(format, args...))
	}
	if !isID(a.ID) || !isID(b.ID) {
		return fail("both must be resolved commits")
	}
	out, err := r.git(ctx, "merge-base", a.ID, b.ID)
	if err == nil {
		id := strings.TrimSuffix(string(out), "\n")
		if !isID(id) {
			return fail("unexpected output of git merge-base: %q", out)
		}
		return Commit{Name: id, ID: id}, nil
	}
	if exitCode(err) != 1 { // 1 is: there is none
		return fail("%w", err)
	}
	shallow, err := r.isShallow(ctx)
	if err != nil {
		return fail("%w", err)
	}
	if shallow {
		return fail("it is not in the history that this shallow clone has; %s", deepen)
	}
	return fail("they have no common ancestor; name another base revision")
}

// Without counts the commits that are in the history of a and not in that of b.
func (r *Repo) Without(ctx context.Context, a, b Commit) (int, error) {
	if !isID(a.ID) || !isID(b.ID) {
		return 0, fmt.Errorf("count the commits of %v that %v does not have: both must be resolved commits", a, b)
	}
	out, err := r.git(ctx, "rev-list", "--count", a.ID, "^"+b.ID)
	if err != nil {
		return 0, fmt.Errorf("count the commits of %v that %v does not have: %w", a, b, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// deepen is what to do when a shallow clone has too little.
const deepen = "get all of it with: git fetch --unshallow (in GitHub Actions, set fetch-depth: 0 for actions/checkout)"

func (r *Repo) isShallow(ctx context.Context) (bool, error) {
	out, err := r.git(ctx, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(string(out)) == "true", err
}

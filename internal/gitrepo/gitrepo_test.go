package gitrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// A repo is a real repository, made with the git program.
type repo struct {
	t   testing.TB
	dir string
}

// isolate hides the configuration of whoever runs the tests.
func isolate(t testing.TB) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_INDEX_FILE", "")
}

// newRepo makes a repository on the branch main, without commits.
func newRepo(t testing.TB, initArgs ...string) *repo {
	t.Helper()
	isolate(t)
	r := &repo{t: t, dir: realTempDir(t)}
	r.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	return r
}

func realTempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (r *repo) tryGit(args ...string) (string, error) {
	r.t.Helper()
	c := sandbox.Command{
		Name: "git",
		Args: append([]string{"-c", "protocol.file.allow=always", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...),
		Dir:  r.dir,
		Env: append(sandbox.Environ("GIT_CONFIG_NOSYSTEM"),
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
			"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z"),
		Limits: sandbox.Limits{Wall: time.Minute, Stdout: 64 << 20, Stderr: 1 << 20},
	}
	res, err := c.Run(context.Background())
	if err != nil {
		err = fmt.Errorf("git %q: %w: %s", args, err, res.Stderr)
	}
	return strings.TrimSuffix(string(res.Stdout), "\n"), err
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.tryGit(args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *repo) write(path, content string) {
	r.t.Helper()
	path = filepath.Join(r.dir, path)
	check(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(r.t, os.WriteFile(path, []byte(content), 0o644))
}

func (r *repo) symlink(target, path string) {
	r.t.Helper()
	check(r.t, os.Symlink(target, filepath.Join(r.dir, path)))
}

func (r *repo) remove(path string) {
	r.t.Helper()
	check(r.t, os.RemoveAll(filepath.Join(r.dir, path)))
}

// commit commits the whole working tree and returns the id.
func (r *repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) open() *gitrepo.Repo {
	r.t.Helper()
	return openAt(r.t, r.dir)
}

func openAt(t testing.TB, dir string) *gitrepo.Repo {
	t.Helper()
	g, err := gitrepo.Open(context.Background(), dir)
	check(t, err)
	return g
}

func commitTree(t testing.TB, g *gitrepo.Repo, rev string) *gitrepo.Tree {
	t.Helper()
	c, err := g.Resolve(context.Background(), rev)
	check(t, err)
	return g.CommitTree(c)
}

func workTree(t testing.TB, g *gitrepo.Repo) *gitrepo.Tree {
	t.Helper()
	tree, err := g.WorkTree()
	check(t, err)
	return tree
}

func indexTree(t testing.TB, g *gitrepo.Repo) *gitrepo.Tree {
	t.Helper()
	tree, err := g.IndexTree()
	check(t, err)
	return tree
}

// dump lists a tree with all of its contents, one entry a line.
func dump(t testing.TB, tree *gitrepo.Tree) string {
	t.Helper()
	entries, err := tree.Entries(context.Background())
	check(t, err)
	var paths []string
	for _, e := range entries {
		if e.Kind != gitrepo.Submodule {
			paths = append(paths, e.Path)
		}
	}
	contents, err := tree.Read(context.Background(), paths, 1<<20)
	check(t, err)
	var b strings.Builder
	for _, e := range entries {
		if e.Kind == gitrepo.Submodule {
			fmt.Fprintf(&b, "%q %v\n", e.Path, e.Kind)
			continue
		}
		c := contents[e.Path]
		if int64(len(c.Data)) != c.Size || c.TooLarge {
			t.Errorf("%q: %d bytes, size %d, too large: %v", e.Path, len(c.Data), c.Size, c.TooLarge)
		}
		fmt.Fprintf(&b, "%q %v %q\n", e.Path, e.Kind, c.Data)
	}
	return b.String()
}

func dumpChanges(t testing.TB, base, head *gitrepo.Tree) string {
	t.Helper()
	changes, err := gitrepo.Changes(context.Background(), base, head)
	check(t, err)
	var b strings.Builder
	for _, c := range changes {
		switch c.Status {
		case gitrepo.Added:
			fmt.Fprintf(&b, "%v %q %v\n", c.Status, c.Head.Path, c.Head.Kind)
		case gitrepo.Deleted:
			fmt.Fprintf(&b, "%v %q %v\n", c.Status, c.Base.Path, c.Base.Kind)
		case gitrepo.Renamed:
			fmt.Fprintf(&b, "%v %q %q %d%%\n", c.Status, c.Base.Path, c.Head.Path, c.Similarity)
		default:
			fmt.Fprintf(&b, "%v %q %v->%v same content: %v\n", c.Status, c.Head.Path, c.Base.Kind, c.Head.Kind, c.Base.ID == c.Head.ID)
		}
	}
	return b.String()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", want)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func wantEqual(t testing.TB, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "this is line %d\n", i)
	}
	return b.String()
}

func TestOpenFromAnywhere(t *testing.T) {
	r := newRepo(t)
	r.write("sub/dir/a.rs", "fn a() {}\n")
	id := r.commit("one")
	for _, dir := range []string{"", "sub", "sub/dir"} {
		g := openAt(t, filepath.Join(r.dir, dir))
		if g.Root() != r.dir || g.Bare() {
			t.Errorf("%q: root %s, bare %v", dir, g.Root(), g.Bare())
		}
		wantEqual(t, "\"sub/dir/a.rs\" file \"fn a() {}\\n\"\n", dump(t, commitTree(t, g, id)))
		wantEqual(t, "\"sub/dir/a.rs\" file \"fn a() {}\\n\"\n", dump(t, workTree(t, g)))
	}
	_, err := gitrepo.Open(t.Context(), filepath.Join(r.dir, ".git"))
	wantError(t, err, fmt.Sprintf("open the repository at %s/.git: it is inside a git directory; name a directory of the working tree, or the top directory of a bare repository", r.dir))
}

func TestOpenErrors(t *testing.T) {
	isolate(t)
	dir := realTempDir(t)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	_, err := gitrepo.Open(t.Context(), dir)
	wantError(t, err, fmt.Sprintf("open the repository at %s: not a git repository (nor is any directory above it); run specgate inside a clone, or make one with: git clone", dir))
	if !errors.Is(err, gitrepo.ErrNotRepository) {
		t.Errorf("%v is not ErrNotRepository", err)
	}
	_, err = gitrepo.Open(t.Context(), filepath.Join(dir, "none"))
	wantError(t, err, fmt.Sprintf("open the repository at %s/none: stat %[1]s/none: no such file or directory", dir))
	check(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	_, err = gitrepo.Open(t.Context(), filepath.Join(dir, "file"))
	wantError(t, err, fmt.Sprintf("open the repository at %s/file: it is not a directory", dir))

	path := os.Getenv("PATH")
	t.Setenv("PATH", dir)
	_, err = gitrepo.Open(t.Context(), dir)
	wantError(t, err, fmt.Sprintf(`open the repository at %s: git was not found in PATH; install git 2.30 or newer: start git: exec: "git": executable file not found in $PATH`, dir))
	if !errors.Is(err, sandbox.ErrNotFound) {
		t.Errorf("%v is not ErrNotFound", err)
	}
	check(t, os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho git version 2.29.3\n"), 0o755))
	_, err = gitrepo.Open(t.Context(), dir)
	wantError(t, err, fmt.Sprintf("open the repository at %s: git is version 2.29; install git 2.30 or newer", dir))
	t.Setenv("PATH", path)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = gitrepo.Open(ctx, dir)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

func TestOpenOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		sandboxtest.Root.Lacks(t, "only root can give a directory to another user")
	}
	r := newRepo(t)
	t.Setenv("SUDO_UID", "")
	r.commit("one")
	check(t, os.Chown(r.dir, 12345, 12345))
	check(t, os.Chown(filepath.Join(r.dir, ".git"), 12345, 12345))
	_, err := gitrepo.Open(t.Context(), r.dir)
	wantError(t, err, fmt.Sprintf("open the repository at %s: it is owned by another user, so git does not read it; if you trust its configuration, run: git config --global --add safe.directory %[1]s", r.dir))
	r.git("config", "--global", "--add", "safe.directory", r.dir)
	if g := r.open(); g.Root() != r.dir {
		t.Errorf("root %s", g.Root())
	}
}

func TestBare(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "a")
	r.commit("one")
	bare := filepath.Join(realTempDir(t), "bare.git")
	r.git("clone", "-q", "--bare", r.dir, bare)
	g := openAt(t, bare)
	if g.Root() != bare || !g.Bare() {
		t.Errorf("root %s, bare %v", g.Root(), g.Bare())
	}
	wantEqual(t, "\"a.rs\" file \"a\"\n", dump(t, commitTree(t, g, "main")))
	_, err := g.WorkTree()
	wantError(t, err, bare+" is a bare repository, without a working tree; name a revision")
	_, err = g.IndexTree()
	wantError(t, err, bare+" is a bare repository, without an index; name a revision")

	// A directory inside it must not lead to it: the bare repository could be part of a commit.
	_, err = gitrepo.Open(t.Context(), filepath.Join(bare, "refs"))
	wantError(t, err, fmt.Sprintf("open the repository at %s/refs: it is inside a git directory; name a directory of the working tree, or the top directory of a bare repository", bare))

	// A working tree of a bare repository is not bare.
	wt := filepath.Join(realTempDir(t), "wt")
	(&repo{t, bare}).git("worktree", "add", "-q", wt, "main")
	if g := openAt(t, wt); g.Root() != wt || g.Bare() {
		t.Errorf("working tree: root %s, bare %v", g.Root(), g.Bare())
	}
}

func TestLinkedWorktree(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "one")
	r.commit("one")
	wt := filepath.Join(realTempDir(t), "wt")
	r.git("worktree", "add", "-q", "-b", "side", wt)
	w := &repo{t, wt}
	w.write("a.rs", "two")
	w.git("add", "a.rs")
	w.write("b.rs", "new")
	g := openAt(t, wt)
	if g.Root() != wt {
		t.Errorf("root %s", g.Root())
	}
	wantEqual(t, "\"a.rs\" file \"one\"\n", dump(t, commitTree(t, g, "HEAD")))
	wantEqual(t, "\"a.rs\" file \"two\"\n", dump(t, indexTree(t, g)))
	wantEqual(t, "\"a.rs\" file \"two\"\n\"b.rs\" file \"new\"\n", dump(t, workTree(t, g)))
	wantEqual(t, "\"a.rs\" file \"one\"\n", dump(t, workTree(t, r.open())))
}

func TestResolve(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "one")
	one := r.commit("one")
	r.git("tag", "-a", "-m", "a tag", "v1")
	r.write("a.rs", "two")
	two := r.commit("two")
	r.git("tag", "a-blob", "HEAD:a.rs")
	r.git("update-ref", "refs/remotes/origin/feature", one)
	r.git("checkout", "-q", "--detach", one)
	g := r.open()
	for rev, want := range map[string]string{
		"main": two, "HEAD": one, "@": one, "v1": one, "main~1": one, two: two, two[:10]: two, "origin/feature": one, "refs/heads/main": two,
	} {
		c, err := g.Resolve(t.Context(), rev)
		check(t, err)
		if diff := cmp.Diff(gitrepo.Commit{Name: rev, ID: want}, c); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rev, diff)
		}
	}
	if got, want := (gitrepo.Commit{Name: "main", ID: two}).String(), "main ("+two[:12]+")"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	r.git("config", "remote.origin.url", "https://git.example/r")
	in := " in " + r.dir + ": "
	missing := strings.Repeat("12", 20)
	for rev, want := range map[string]string{
		"":                        `revision ""` + in + "it is empty; name a branch, a tag or a commit",
		"--output=/tmp/x":         `revision "--output=/tmp/x"` + in + "a revision cannot begin with a dash",
		"-h":                      `revision "-h"` + in + "a revision cannot begin with a dash",
		"a\nHEAD":                 `revision "a\nHEAD"` + in + "a revision cannot hold control characters",
		"a\x00b":                  `revision "a\x00b"` + in + "a revision cannot hold control characters",
		"no-such":                 `revision "no-such"` + in + "it is not known here; check the spelling, or, where origin has it, get it with: git fetch origin no-such:refs/remotes/origin/no-such, and name origin/no-such",
		"gone~1":                  `revision "gone"` + in + "it is not known here; check the spelling, or, where origin has it, get it with: git fetch origin gone:refs/remotes/origin/gone, and name origin/gone",
		"HEAD~100":                `revision "HEAD~100"` + in + "HEAD is known here, and has no such ancestor",
		"main^2":                  `revision "main^2"` + in + "main is known here, and has no such ancestor",
		"abc123":                  `revision "abc123"` + in + "it is not known here; check it, or get all branches with: git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
		"main..v1":                `revision "main..v1"` + in + `it is a range; name its two ends, "main" and "v1", as base and head`,
		"^main":                   `revision "^main"` + in + "it does not name one commit",
		"origin/gone":             `revision "origin/gone"` + in + "it is not known here; get it with: git fetch origin gone:refs/remotes/origin/gone",
		"refs/remotes/origin/x/y": `revision "refs/remotes/origin/x/y"` + in + "it is not known here; get it with: git fetch origin x/y:refs/remotes/origin/x/y",
		"origin/$(touch x)":       `revision "origin/$(touch x)"` + in + "it is not known here; check the spelling",
		"feature":                 `revision "feature"` + in + "it is not known here, but origin/feature is; name that, or make the branch with: git branch feature origin/feature",
		"a-blob":                  `revision "a-blob"` + in + "it names a blob, not a commit",
		"main:a.rs":               `revision "main:a.rs"` + in + "it names a blob, not a commit",
		missing:                   `revision "` + missing + `"` + in + "it is not known here; get it with: git fetch origin " + missing,
	} {
		_, err := g.Resolve(t.Context(), rev)
		wantError(t, err, want)
	}
	r.git("config", "--unset", "remote.origin.url")
	for _, rev := range []string{"no-such", "origin/gone", "abc123", missing} {
		_, err := g.Resolve(t.Context(), rev)
		wantError(t, err, fmt.Sprintf("revision %q%sit is not known here; check the spelling", rev, in))
	}
}

func TestNoCommits(t *testing.T) {
	r := newRepo(t)
	r.write("new.rs", "new")
	r.write("staged.rs", "staged")
	r.git("add", "staged.rs")
	g := r.open()
	_, err := g.Resolve(t.Context(), "HEAD")
	unborn := `revision "HEAD" in ` + r.dir + ": the current branch has no commit yet; commit first, or name another revision"
	wantError(t, err, unborn)
	_, err = g.DefaultBranch(t.Context())
	wantError(t, err, "find the default branch of "+r.dir+": none of origin/HEAD, refs/remotes/origin/main, refs/remotes/origin/master, refs/heads/main, refs/heads/master exists; name the base revision with --base, or the default branch with: git config init.defaultBranch NAME")
	wantEqual(t, "\"staged.rs\" file \"staged\"\n", dump(t, indexTree(t, g)))
	wantEqual(t, "\"new.rs\" file \"new\"\n\"staged.rs\" file \"staged\"\n", dump(t, workTree(t, g)))

	r.commit("one")
	r.git("checkout", "-q", "--orphan", "other")
	_, err = g.Resolve(t.Context(), "HEAD")
	wantError(t, err, unborn)
	commitTree(t, g, "main")

	empty := newRepo(t)
	wantEqual(t, "", dump(t, workTree(t, empty.open())))
	wantEqual(t, "", dump(t, indexTree(t, empty.open())))
	empty.commit("nothing")
	wantEqual(t, "", dump(t, commitTree(t, empty.open(), "HEAD")))
}

func TestDefaultBranch(t *testing.T) {
	r := newRepo(t)
	id := r.commit("one")
	r.git("branch", "-m", "trunk")
	g := r.open()
	want := func(name string) {
		t.Helper()
		got, err := g.DefaultBranch(t.Context())
		check(t, err)
		if got != name {
			t.Errorf("got %s, want %s", got, name)
		}
		if _, err := g.Resolve(t.Context(), got); err != nil {
			t.Error(err)
		}
	}
	// From the last choice to the first.
	r.git("config", "init.defaultBranch", "--trunk")
	if _, err := g.DefaultBranch(t.Context()); err == nil {
		t.Error("found a default branch")
	}
	r.git("config", "init.defaultBranch", "trunk")
	want("refs/heads/trunk")
	for _, ref := range []string{"refs/heads/master", "refs/heads/main", "refs/remotes/origin/master", "refs/remotes/origin/main"} {
		r.git("update-ref", ref, id)
		want(ref)
	}
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
	want("refs/remotes/origin/main") // origin/HEAD points to nothing
	r.git("update-ref", "refs/remotes/origin/develop", id)
	want("refs/remotes/origin/develop")
}

func TestMergeBase(t *testing.T) {
	r := newRepo(t)
	one := r.commit("one")
	r.git("checkout", "-q", "-b", "side")
	r.commit("two")
	side := r.commit("three")
	r.git("checkout", "-q", "main")
	r.commit("four")
	main := r.commit("five")
	r.git("checkout", "-q", "--orphan", "alone")
	r.commit("six")
	resolve := func(g *gitrepo.Repo, rev string) gitrepo.Commit {
		t.Helper()
		c, err := g.Resolve(t.Context(), rev)
		check(t, err)
		return c
	}
	g := r.open()
	base, err := g.MergeBase(t.Context(), resolve(g, "main"), resolve(g, "side"))
	check(t, err)
	if diff := cmp.Diff(gitrepo.Commit{Name: one, ID: one}, base); diff != "" {
		t.Error(diff)
	}
	_, err = g.MergeBase(t.Context(), resolve(g, "main"), resolve(g, "alone"))
	wantError(t, err, fmt.Sprintf("merge base of main (%.12s) and alone (%.12s) in %s: they have no common ancestor; name another base revision", main, resolve(g, "alone").ID, r.dir))
	_, err = g.MergeBase(t.Context(), gitrepo.Commit{Name: "--all", ID: "--all"}, resolve(g, "main"))
	wantError(t, err, fmt.Sprintf("merge base of --all and main (%.12s) in %s: both must be resolved commits", main, r.dir))

	// A shallow clone, and the command that the message gives.
	clone := &repo{t, filepath.Join(realTempDir(t), "clone")}
	r.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+r.dir, clone.dir)
	g = clone.open()
	_, err = g.MergeBase(t.Context(), resolve(g, "origin/main"), resolve(g, "origin/side"))
	wantError(t, err, fmt.Sprintf("merge base of origin/main (%.12s) and origin/side (%.12s) in %s: it is not in the history that this shallow clone has; get all of it with: git fetch --unshallow (in GitHub Actions, set fetch-depth: 0 for actions/checkout)", main, side, clone.dir))
	_, err = g.Resolve(t.Context(), "origin/main~1")
	wantError(t, err, `revision "origin/main~1" in `+clone.dir+": it is not in the history that this shallow clone has; get all of it with: git fetch --unshallow (in GitHub Actions, set fetch-depth: 0 for actions/checkout)")
	clone.git("fetch", "-q", "--unshallow")
	base, err = g.MergeBase(t.Context(), resolve(g, "origin/main"), resolve(g, "origin/side"))
	check(t, err)
	if base.ID != one {
		t.Errorf("got %v", base)
	}
}

// A clone that follows one branch has no default branch to compare with. What the messages say to run gets it.
func TestOneBranch(t *testing.T) {
	const all = "'+refs/heads/*:refs/remotes/origin/*'"
	for _, x := range []struct{ branch, flag, noDefault, noBase string }{
		{"main", "--depth=1", "this clone is shallow; get all branches and their history with: git fetch --unshallow origin " + all +
			" (if its name is another: git remote set-head origin --auto), or in GitHub Actions set fetch-depth: 0 for actions/checkout", "git fetch --unshallow origin "},
		{"trunk", "--depth=1", "this clone is shallow; get all branches and their history with: git fetch --unshallow origin " + all +
			" (if its name is another: git remote set-head origin --auto), or in GitHub Actions set fetch-depth: 0 for actions/checkout", "git fetch --unshallow origin "},
		{"trunk", "--no-tags", "get all branches with: git fetch origin " + all + " (if its name is another: git remote set-head origin --auto), or name the base revision with --base", "git fetch origin "},
	} {
		t.Run(x.branch+x.flag, func(t *testing.T) {
			r := newRepo(t)
			one := r.commit("one")
			r.git("branch", "-m", x.branch)
			r.git("checkout", "-q", "-b", "agent")
			r.commit("two")
			r.git("checkout", "-q", x.branch)
			r.commit("three")
			clone := &repo{t, filepath.Join(realTempDir(t), "clone")}
			r.git("clone", "-q", x.flag, "--single-branch", "--branch=agent", "file://"+r.dir, clone.dir)
			g := clone.open()
			_, err := g.DefaultBranch(t.Context())
			wantError(t, err, "find the default branch of "+clone.dir+": none of origin/HEAD, refs/remotes/origin/main, refs/remotes/origin/master, refs/heads/main, refs/heads/master exists; "+x.noDefault)
			_, err = g.Resolve(t.Context(), x.branch)
			wantError(t, err, fmt.Sprintf("revision %q in %s: it is not known here; check the spelling, or, where origin has it, get it with: %s%s:refs/remotes/origin/%[4]s, and name origin/%[4]s",
				x.branch, clone.dir, x.noBase, x.branch))

			clone.git(strings.Fields(strings.TrimPrefix(strings.ReplaceAll(x.noBase+all, "'", ""), "git "))...)
			if x.branch == "trunk" {
				clone.git("remote", "set-head", "origin", "--auto")
			}
			branch, err := g.DefaultBranch(t.Context())
			check(t, err)
			target, err := g.Resolve(t.Context(), branch)
			check(t, err)
			head, err := g.Resolve(t.Context(), "HEAD")
			check(t, err)
			base, err := g.MergeBase(t.Context(), target, head)
			check(t, err)
			wantEqual(t, one, base.ID)
			n, err := g.Without(t.Context(), target, head)
			check(t, err)
			if n != 1 {
				t.Errorf("%d commits of %s alone, want 1", n, branch)
			}
		})
	}
}

func TestTrees(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := newRepo(t, "--object-format="+format)
			r.write("same.rs", "same")
			r.write("edited.rs", "base")
			r.write("gone.rs", "gone")
			r.write("mode.sh", "mode")
			r.write("link", "a file")
			r.write("dir/file.rs", "in a directory")
			r.write("hidden.rs", "base")
			r.write("crlf.txt", "a\r\nb\r\n")
			r.write(".gitattributes", "*.txt text eol=lf\n*.rs filter=lfs\n")
			r.write(".gitignore", "*.log\n")
			r.commit("one")
			r.git("config", "core.autocrlf", "true")
			r.git("update-index", "--assume-unchanged", "hidden.rs")
			r.write("edited.rs", "staged")
			r.git("add", "edited.rs")
			r.write("edited.rs", "on disk")
			r.write("hidden.rs", "changed behind the back of git")
			r.remove("gone.rs")
			check(t, os.Chmod(filepath.Join(r.dir, "mode.sh"), 0o755))
			r.remove("link")
			r.symlink("same.rs", "link")
			r.remove("dir")
			r.write("dir", "a file now")
			r.write("noise.log", "ignored")
			r.write("untracked/new.rs", "new")
			check(t, syscall.Mkfifo(filepath.Join(r.dir, "fifo"), 0o644))
			g := r.open()
			base := commitTree(t, g, "HEAD")
			wantEqual(t, `
".gitattributes" file "*.txt text eol=lf\n*.rs filter=lfs\n"
".gitignore" file "*.log\n"
"crlf.txt" file "a\nb\n"
"dir/file.rs" file "in a directory"
"edited.rs" file "base"
"gone.rs" file "gone"
"hidden.rs" file "base"
"link" file "a file"
"mode.sh" file "mode"
"same.rs" file "same"
`, dump(t, base))
			wantEqual(t, `
".gitattributes" file "*.txt text eol=lf\n*.rs filter=lfs\n"
".gitignore" file "*.log\n"
"crlf.txt" file "a\nb\n"
"dir/file.rs" file "in a directory"
"edited.rs" file "staged"
"gone.rs" file "gone"
"hidden.rs" file "base"
"link" file "a file"
"mode.sh" file "mode"
"same.rs" file "same"
`, dump(t, indexTree(t, g)))
			wantEqual(t, `
".gitattributes" file "*.txt text eol=lf\n*.rs filter=lfs\n"
".gitignore" file "*.log\n"
"crlf.txt" file "a\r\nb\r\n"
"dir" file "a file now"
"edited.rs" file "on disk"
"hidden.rs" file "changed behind the back of git"
"link" symlink "same.rs"
"mode.sh" executable "mode"
"same.rs" file "same"
"untracked/new.rs" file "new"
`, dump(t, workTree(t, g)))
			wantEqual(t, `
modified "edited.rs" file->file same content: false
`, dumpChanges(t, base, indexTree(t, g)))
			wantEqual(t, `
modified "crlf.txt" file->file same content: false
added "dir" file
deleted "dir/file.rs" file
modified "edited.rs" file->file same content: false
deleted "gone.rs" file
modified "hidden.rs" file->file same content: false
type changed "link" file->symlink same content: false
modified "mode.sh" file->executable same content: true
added "untracked/new.rs" file
`, dumpChanges(t, base, workTree(t, g)))

			// What git computes is what this package computes.
			r.git("config", "core.autocrlf", "false")
			r.remove("fifo")
			r.remove(".gitattributes")
			r.git("update-index", "--no-assume-unchanged", "hidden.rs")
			tree := workTree(t, g)
			before, err := tree.Entries(t.Context())
			check(t, err)
			r.git("rm", "-q", "--cached", "crlf.txt") // git would not look at it again: the file itself is as it was added
			r.commit("two")
			after, err := commitTree(t, g, "HEAD").Entries(t.Context())
			check(t, err)
			if diff := cmp.Diff(after, before); diff != "" {
				t.Errorf("commit and working tree differ (-commit +disk):\n%s", diff)
			}
		})
	}
}

func TestFileModeOff(t *testing.T) {
	r := newRepo(t)
	r.write("a.sh", "a")
	r.write("b.sh", "b")
	check(t, os.Chmod(filepath.Join(r.dir, "a.sh"), 0o755))
	r.commit("one")
	r.git("config", "core.fileMode", "false")
	check(t, os.Chmod(filepath.Join(r.dir, "a.sh"), 0o644))
	check(t, os.Chmod(filepath.Join(r.dir, "b.sh"), 0o755))
	wantEqual(t, "", dumpChanges(t, commitTree(t, r.open(), "HEAD"), workTree(t, r.open())))
}

func TestSparseCheckout(t *testing.T) {
	r := newRepo(t)
	r.write("in/a.rs", "a")
	r.write("out/b.rs", "b")
	r.commit("one")
	r.git("sparse-checkout", "set", "in")
	if _, err := os.Stat(filepath.Join(r.dir, "out/b.rs")); err == nil {
		t.Fatal("out/b.rs is still checked out")
	}
	g := r.open()
	wantEqual(t, "\"in/a.rs\" file \"a\"\n\"out/b.rs\" file \"b\"\n", dump(t, workTree(t, g)))
	wantEqual(t, "", dumpChanges(t, commitTree(t, g, "HEAD"), workTree(t, g)))
}

func TestMergeConflict(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "one\n")
	r.commit("one")
	r.git("checkout", "-q", "-b", "side")
	r.write("a.rs", "two\n")
	r.commit("two")
	r.git("checkout", "-q", "main")
	r.write("a.rs", "three\n")
	r.commit("three")
	if _, err := r.tryGit("merge", "side"); err == nil {
		t.Fatal("no conflict")
	}
	g := r.open()
	_, err := indexTree(t, g).Entries(t.Context())
	wantError(t, err, "list the index of "+r.dir+`: "a.rs" has a merge conflict; resolve it, and add it to the index with: git add`)
	wantEqual(t, "\"a.rs\" file \"<<<<<<< HEAD\\nthree\\n=======\\ntwo\\n>>>>>>> side\\n\"\n", dump(t, workTree(t, g)))
}

func TestIndexOfHook(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "one")
	r.commit("one")
	hook := "#!/bin/sh\nprintf %s \"$GIT_INDEX_FILE\" > .git/seen\ncp \"$GIT_INDEX_FILE\" .git/kept-index\n"
	check(t, os.WriteFile(filepath.Join(r.dir, ".git/hooks/pre-commit"), []byte(hook), 0o755))
	r.write("a.rs", "two")
	r.git("commit", "-q", "-a", "-m", "two")
	seen, err := os.ReadFile(filepath.Join(r.dir, ".git/seen"))
	check(t, err)
	if len(seen) == 0 {
		t.Fatal("git did not set GIT_INDEX_FILE")
	}
	r.git("reset", "-q", "HEAD~1")
	wantEqual(t, "\"a.rs\" file \"one\"\n", dump(t, indexTree(t, r.open())))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(r.dir, ".git/kept-index"))
	wantEqual(t, "\"a.rs\" file \"two\"\n", dump(t, indexTree(t, r.open())))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	wantEqual(t, "\"a.rs\" file \"one\"\n", dump(t, indexTree(t, r.open())))
}

func TestHostileSymlinks(t *testing.T) {
	secret := filepath.Join(realTempDir(t), "secret")
	check(t, os.MkdirAll(secret, 0o755))
	check(t, os.WriteFile(filepath.Join(secret, "file.rs"), []byte("secret"), 0o644))
	r := newRepo(t)
	r.write("dir/file.rs", "tracked")
	r.write("other/file.rs", "other")
	r.write("inner/deep/file.rs", "deep")
	r.commit("one")
	r.remove("dir")
	r.symlink(secret, "dir") // a directory of tracked files, now outside
	r.remove("inner/deep")
	r.symlink("../other", "inner/deep") // the same, inside
	r.symlink("/etc/passwd", "passwd.rs")
	r.symlink("loop", "loop")
	r.symlink("no/such/target", "dangling")
	want := `
"dangling" symlink "no/such/target"
"dir" symlink "` + secret + `"
"inner/deep" symlink "../other"
"loop" symlink "loop"
"other/file.rs" file "other"
"passwd.rs" symlink "/etc/passwd"
`
	g := r.open()
	wantEqual(t, want, dump(t, workTree(t, g)))
	wantEqual(t, `
added "dangling" symlink
added "dir" symlink
deleted "dir/file.rs" file
added "inner/deep" symlink
deleted "inner/deep/file.rs" file
added "loop" symlink
added "passwd.rs" symlink
`, dumpChanges(t, commitTree(t, g, "HEAD"), workTree(t, g)))
	r.commit("two")
	wantEqual(t, want, dump(t, commitTree(t, g, "HEAD")))
}

func TestChangedBetweenEntriesAndRead(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	check(t, os.WriteFile(secret, []byte("0123456789"), 0o644))
	for name, change := range map[string]func(r *repo){
		"content":          func(r *repo) { r.write("dir/a.rs", "9876543210") },
		"size":             func(r *repo) { r.write("dir/a.rs", "01234") },
		"removed":          func(r *repo) { r.remove("dir/a.rs") },
		"directory":        func(r *repo) { r.remove("dir/a.rs"); r.write("dir/a.rs/x", "") },
		"symlink":          func(r *repo) { r.remove("dir/a.rs"); r.symlink(secret, "dir/a.rs") },
		"symlinked parent": func(r *repo) { r.remove("dir"); r.write("d2/a.rs", "0123456789"); r.symlink("d2", "dir") },
		"fifo": func(r *repo) {
			r.remove("dir/a.rs")
			check(r.t, syscall.Mkfifo(filepath.Join(r.dir, "dir/a.rs"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("dir/a.rs", "0123456789")
			r.commit("one")
			tree := workTree(t, r.open())
			_, err := tree.Entries(t.Context())
			check(t, err)
			change(r)
			_, err = tree.Read(t.Context(), []string{"dir/a.rs"}, 1<<20)
			wantError(t, err, "read files of the working tree of "+r.dir+`: "dir/a.rs": it changed while it was read; run again when nothing writes to the working tree`)
		})
	}
}

func TestOddPaths(t *testing.T) {
	names := []string{
		"new\nline.rs", "quote\".rs", "tab\t.rs", "back\\slash.rs", "not-utf8-\xff\xfe.rs", "\u00e9t\u00e9.rs", " space .rs", "-dash.rs", ":(top)colon.rs", "*glob?[a].rs",
		"? question.rs", "dir\n/x.rs", "missing", "\x1b[31mred.rs",
	}
	r := newRepo(t)
	r.commit("none")
	for _, name := range names {
		r.write(name, "content of "+name)
	}
	g := r.open()
	base := commitTree(t, g, "HEAD")
	untracked := dump(t, workTree(t, g))
	wantEqual(t, `
"\x1b[31mred.rs" file "content of \x1b[31mred.rs"
" space .rs" file "content of  space .rs"
"*glob?[a].rs" file "content of *glob?[a].rs"
"-dash.rs" file "content of -dash.rs"
":(top)colon.rs" file "content of :(top)colon.rs"
"? question.rs" file "content of ? question.rs"
"back\\slash.rs" file "content of back\\slash.rs"
"dir\n/x.rs" file "content of dir\n/x.rs"
"missing" file "content of missing"
"new\nline.rs" file "content of new\nline.rs"
"not-utf8-\xff\xfe.rs" file "content of not-utf8-\xff\xfe.rs"
"quote\".rs" file "content of quote\".rs"
"tab\t.rs" file "content of tab\t.rs"
"été.rs" file "content of été.rs"
`, untracked)
	r.commit("all")
	wantEqual(t, untracked, dump(t, workTree(t, g)))
	wantEqual(t, untracked, dump(t, indexTree(t, g)))
	wantEqual(t, untracked, dump(t, commitTree(t, g, "HEAD")))
	changes, err := gitrepo.Changes(t.Context(), base, commitTree(t, g, "HEAD"))
	check(t, err)
	if len(changes) != len(names) {
		t.Errorf("%d changes for %d files", len(changes), len(names))
	}
}

func TestSubmodule(t *testing.T) {
	sub := newRepo(t)
	sub.write("lib.rs", "lib")
	sub.commit("one")
	r := newRepo(t)
	r.write("a.rs", "a")
	r.commit("one")
	r.git("submodule", "--quiet", "add", sub.dir, "vendor/sub")
	r.git("config", "-f", ".gitmodules", "submodule.vendor/sub.url", "https://example.com/sub") // not a path of this machine
	r.commit("two")
	r.write("vendor/sub/lib.rs", "changed")
	inner := &repo{t, filepath.Join(r.dir, "untracked-repo")}
	check(t, os.Mkdir(inner.dir, 0o755))
	inner.git("init", "-q")
	inner.write("x.rs", "x")
	inner.commit("one")
	g := r.open()
	want := `
".gitmodules" file "[submodule \"vendor/sub\"]\n\tpath = vendor/sub\n\turl = https://example.com/sub\n"
"a.rs" file "a"
"vendor/sub" submodule
`
	wantEqual(t, want, dump(t, commitTree(t, g, "HEAD")))
	wantEqual(t, want, dump(t, workTree(t, g)))
	wantEqual(t, want, dump(t, indexTree(t, g)))
	_, err := commitTree(t, g, "HEAD").Read(t.Context(), []string{"vendor/sub"}, 100)
	id := r.git("rev-parse", "HEAD")
	wantError(t, err, fmt.Sprintf(`read files of commit HEAD (%.12s) of %s: "vendor/sub" is a submodule`, id, r.dir))
	wantEqual(t, "added \".gitmodules\" file\nadded \"vendor/sub\" submodule\n", dumpChanges(t, commitTree(t, g, "HEAD~1"), workTree(t, g)))
}

func TestReadLimits(t *testing.T) {
	r := newRepo(t)
	r.write("small.rs", "12345")
	r.write("large.rs", "123456")
	r.write("copy.rs", "12345")
	r.write("empty.rs", "")
	r.symlink("123456", "link")
	r.commit("one")
	g := r.open()
	want := map[string]gitrepo.Content{
		"small.rs": {Data: []byte("12345"), Size: 5},
		"copy.rs":  {Data: []byte("12345"), Size: 5},
		"large.rs": {Size: 6, TooLarge: true},
		"link":     {Size: 6, TooLarge: true},
		"empty.rs": {Data: []byte{}},
	}
	for _, tree := range []*gitrepo.Tree{commitTree(t, g, "HEAD"), indexTree(t, g), workTree(t, g)} {
		got, err := tree.Read(t.Context(), []string{"small.rs", "large.rs", "copy.rs", "empty.rs", "link", "small.rs"}, 5)
		check(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tree, diff)
		}
		got, err = tree.Read(t.Context(), nil, 5)
		if err != nil || len(got) != 0 {
			t.Errorf("no paths: %v, %v", got, err)
		}
		_, err = tree.Read(t.Context(), []string{"none.rs"}, 5)
		wantError(t, err, fmt.Sprintf(`read files of %v of %s: there is no "none.rs"`, tree, r.dir))
	}
}

// A small object can expand to a size that git must not be made to expand.
func TestReadBomb(t *testing.T) {
	r := newRepo(t)
	check(t, os.WriteFile(filepath.Join(r.dir, "zeros"), bytes.Repeat([]byte{0}, 32<<20), 0o644))
	r.commit("one")
	got, err := commitTree(t, r.open(), "HEAD").Read(t.Context(), []string{"zeros"}, 1<<20)
	check(t, err)
	if diff := cmp.Diff(map[string]gitrepo.Content{"zeros": {Size: 32 << 20, TooLarge: true}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestChanges(t *testing.T) {
	r := newRepo(t)
	r.write("moved.rs", lines(0, 20))
	r.write("moved_and_edited.rs", lines(100, 140))
	r.write("rewritten.rs", lines(200, 220))
	r.write("twin1/mod.rs", "twin\n")
	r.write("twin2/lib.rs", "twin\n")
	r.write("empty.rs", "")
	r.write("swap", "now a symlink")
	r.write("kept.rs", "kept")
	r.commit("one")
	r.git("mv", "moved.rs", "to.rs")
	r.remove("moved_and_edited.rs")
	r.write("new/place.rs", lines(100, 130)+lines(900, 910))
	r.remove("rewritten.rs")
	r.write("unrelated.rs", lines(300, 320))
	r.remove("twin1")
	r.remove("twin2")
	r.write("a/lib.rs", "twin\n")
	r.write("b/mod.rs", "twin\n")
	r.write("c/other.rs", "twin\n")
	r.remove("empty.rs")
	r.write("empty2.rs", "")
	r.remove("swap")
	r.symlink("kept.rs", "swap")
	const want = `
renamed "twin2/lib.rs" "a/lib.rs" 100%
renamed "twin1/mod.rs" "b/mod.rs" 100%
added "c/other.rs" file
deleted "empty.rs" file
added "empty2.rs" file
renamed "moved_and_edited.rs" "new/place.rs" 75%
deleted "rewritten.rs" file
type changed "swap" file->symlink same content: false
renamed "moved.rs" "to.rs" 100%
added "unrelated.rs" file
`
	g := r.open()
	wantEqual(t, want, dumpChanges(t, commitTree(t, g, "HEAD"), workTree(t, g)))
	r.git("add", "-A")
	wantEqual(t, want, dumpChanges(t, commitTree(t, g, "HEAD"), indexTree(t, g)))
	r.commit("two")
	wantEqual(t, want, dumpChanges(t, commitTree(t, g, "HEAD~1"), commitTree(t, g, "HEAD")))
	wantEqual(t, "", dumpChanges(t, commitTree(t, g, "HEAD"), workTree(t, g)))
	// Settings of git that change what git diff shows change nothing here.
	r.git("config", "diff.renames", "false")
	r.git("config", "diff.renameLimit", "1")
	wantEqual(t, want, dumpChanges(t, commitTree(t, g, "HEAD~1"), commitTree(t, g, "HEAD")))
}

// Renames are those of git diff-tree -M, where that has one answer.
func TestRenamesAsGit(t *testing.T) {
	r := newRepo(t)
	for i := range 30 {
		r.write(fmt.Sprintf("old/f%d.rs", i), lines(i*100, i*100+50))
	}
	r.commit("one")
	for i := range 30 {
		r.remove(fmt.Sprintf("old/f%d.rs", i))
		// From all lines kept to none, clear of the limit of one half.
		kept := 50 - i*2
		if kept >= 22 && kept <= 28 {
			kept = 40
		}
		r.write(fmt.Sprintf("new/g%d.rs", i), lines(i*100, i*100+max(kept, 0))+lines(5000+i*100, 5000+i*100+50-max(kept, 0)))
	}
	r.commit("two")
	var want strings.Builder
	fields := strings.Split(r.git("diff-tree", "-r", "-z", "-M", "-l1000", "--no-commit-id", "--name-status", "HEAD~1", "HEAD"), "\x00")
	for len(fields) > 1 {
		if strings.HasPrefix(fields[0], "R") {
			fmt.Fprintf(&want, "%q %q\n", fields[1], fields[2])
			fields = fields[3:]
			continue
		}
		fields = fields[2:]
	}
	g := r.open()
	changes, err := gitrepo.Changes(t.Context(), commitTree(t, g, "HEAD~1"), commitTree(t, g, "HEAD"))
	check(t, err)
	var got strings.Builder
	n := 0
	for _, c := range changes {
		if c.Status == gitrepo.Renamed {
			fmt.Fprintf(&got, "%q %q\n", c.Base.Path, c.Head.Path)
			n++
		}
	}
	if n < 10 || n == 30 {
		t.Errorf("%d renames: the test does not tell renames from others", n)
	}
	wantEqual(t, want.String(), got.String())
}

// More deleted and added files than are compared by content are still paired if their content is the same.
func TestRenameLimit(t *testing.T) {
	r := newRepo(t)
	for i := range 401 {
		r.write(fmt.Sprintf("old/f%d.rs", i), lines(i, i+20))
	}
	r.write("old/same.rs", "the same\n")
	r.commit("one")
	r.remove("old")
	for i := range 401 {
		r.write(fmt.Sprintf("new/f%d.rs", i), lines(i, i+20)+"more\n")
	}
	r.write("new/same.rs", "the same\n")
	r.commit("two")
	g := r.open()
	changes, err := gitrepo.Changes(t.Context(), commitTree(t, g, "HEAD~1"), commitTree(t, g, "HEAD"))
	check(t, err)
	count := map[gitrepo.Status]int{}
	for _, c := range changes {
		count[c.Status]++
	}
	if diff := cmp.Diff(map[gitrepo.Status]int{gitrepo.Added: 401, gitrepo.Deleted: 401, gitrepo.Renamed: 1}, count); diff != "" {
		t.Error(diff)
	}
}

func TestChangesOfTwoFormats(t *testing.T) {
	a, b := newRepo(t), newRepo(t, "--object-format=sha256")
	one, two := a.commit("one"), b.commit("one")
	_, err := gitrepo.Changes(t.Context(), commitTree(t, a.open(), one), commitTree(t, b.open(), two))
	wantError(t, err, fmt.Sprintf("compare commit %s with commit %s: the object formats are sha1 and sha256", one, two))
}

// Nothing that a repository configures may run.
func TestHostileConfiguration(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", lines(0, 20))
	r.write("b.rs", "b")
	r.write(".gitattributes", "* filter=evil diff=evil merge=evil\n")
	r.commit("one")
	r.write("b.rs", "c")
	r.commit("two")
	marker := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	check(t, os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+marker+"'\ncat\n"), 0o755))
	for _, key := range []string{
		"core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
		"core.pager", "pager.ls-files", "pager.rev-parse", "core.editor", "core.sshCommand", "core.gitProxy", "credential.helper", "gpg.program", "core.askPass",
		"core.alternateRefsCommand", "uploadpack.packObjectsHook", "interactive.diffFilter", "merge.evil.driver", "sequence.editor",
	} {
		r.git("config", key, evil)
	}
	for _, name := range []string{"ls-files", "ls-tree", "cat-file", "rev-parse", "merge-base", "for-each-ref"} {
		r.git("config", "alias."+name, "!"+evil)
	}
	hooks := t.TempDir()
	for _, name := range []string{"post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"} {
		check(t, os.Symlink(evil, filepath.Join(hooks, name)))
		check(t, os.Symlink(evil, filepath.Join(r.dir, ".git/hooks", name)))
	}
	r.git("config", "core.hooksPath", hooks)
	r.git("-c", "core.fsmonitor=false", "config", "core.untrackedCache", "true")
	// Make every file look stale, so that git would have to compare content.
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"a.rs", "b.rs"} {
		check(t, os.Chtimes(filepath.Join(r.dir, name), past, past))
	}
	r.remove("a.rs")
	r.write("a2.rs", lines(0, 21))
	check(t, os.RemoveAll(marker))

	// The test is worth something only if git itself would run it.
	if _, err := r.tryGit("status"); err != nil {
		t.Log(err)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Fatal("git status ran nothing: ", err)
	}
	check(t, os.Remove(marker))

	index := filepath.Join(r.dir, ".git/index")
	before, err := os.ReadFile(index)
	check(t, err)
	g := r.open()
	head, err := g.Resolve(t.Context(), "HEAD")
	check(t, err)
	first, err := g.Resolve(t.Context(), "HEAD~1")
	check(t, err)
	if _, err := g.MergeBase(t.Context(), head, first); err != nil {
		t.Error(err)
	}
	if _, err := g.DefaultBranch(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := g.Resolve(t.Context(), "nothing"); err == nil {
		t.Error("resolved nothing")
	}
	dump(t, g.CommitTree(head))
	dump(t, indexTree(t, g))
	dump(t, workTree(t, g))
	wantEqual(t, "modified \"b.rs\" file->file same content: false\n", dumpChanges(t, g.CommitTree(first), indexTree(t, g)))
	wantEqual(t, "renamed \"a.rs\" \"a2.rs\" 95%\nmodified \"b.rs\" file->file same content: false\n", dumpChanges(t, g.CommitTree(first), workTree(t, g)))
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("these ran:\n%s", ran)
	}
	after, err := os.ReadFile(index)
	check(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the index was written")
	}
}

// A replaced object must not stand in for the real one.
func TestReplaceRefs(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "real")
	r.commit("one")
	r.write("b.rs", "fake")
	r.git("replace", r.git("rev-parse", "HEAD:a.rs"), r.git("hash-object", "-w", "b.rs"))
	wantEqual(t, "\"a.rs\" file \"real\"\n", dump(t, commitTree(t, r.open(), "HEAD")))
}

// Objects that a partial clone left out are reported and not fetched: the remote could be a program.
func TestPartialClone(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "one")
	r.write("dir/b.rs", "b")
	r.commit("one")
	r.write("a.rs", "two")
	r.commit("two")
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	remedy := func(dir string) string {
		return "if this is a partial clone (made with --filter), specgate does not fetch what it left out; get it with: git -C " + dir + " fetch --refetch --no-filter origin (git 2.36 or newer)"
	}
	for _, filter := range []string{"blob:none", "tree:0"} {
		t.Run(filter, func(t *testing.T) {
			clone := &repo{t, filepath.Join(realTempDir(t), "clone")}
			r.git("clone", "-q", "--filter="+filter, "file://"+r.dir, clone.dir)
			url := clone.git("config", "remote.origin.url")
			marker := filepath.Join(t.TempDir(), "ran")
			evil := filepath.Join(t.TempDir(), "evil")
			check(t, os.WriteFile(evil, []byte("#!/bin/sh\necho ran > '"+marker+"'\n"), 0o755))
			clone.git("config", "remote.origin.url", "ext::"+evil)
			clone.git("config", "protocol.ext.allow", "always")
			g := clone.open()
			// The last commit is checked out, so its objects are there.
			wantEqual(t, "\"a.rs\" file \"two\"\n\"dir/b.rs\" file \"b\"\n", dump(t, commitTree(t, g, "HEAD")))
			old := commitTree(t, g, "HEAD~1")
			id := clone.git("rev-parse", "HEAD~1")
			var err error
			if filter == "blob:none" {
				blob := r.git("rev-parse", "HEAD~1:a.rs")
				_, err = old.Read(t.Context(), []string{"a.rs"}, 100)
				wantError(t, err, fmt.Sprintf(`read files of commit HEAD~1 (%.12s) of %s: the content of "a.rs", object %s, is not in the repository; %s`, id, clone.dir, blob, remedy(clone.dir)))
			} else {
				_, err = old.Entries(t.Context())
				if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("list commit HEAD~1 (%.12s) of %s: git ls-tree: git ended with exit status 128: ", id, clone.dir)) ||
					!strings.HasSuffix(err.Error(), "; "+remedy(clone.dir)) {
					t.Errorf("got %v", err)
				}
			}
			if _, err := os.Stat(marker); err == nil {
				t.Error("the remote's program ran")
			}
			// The test is worth something only if git itself would run it.
			if _, err := clone.tryGit("cat-file", "-p", "HEAD~1:a.rs"); err == nil {
				t.Error("git found the object")
			}
			if _, err := os.Stat(marker); err != nil {
				t.Error("git ran nothing: ", err)
			}
			// The command that the message gives.
			clone.git("config", "remote.origin.url", url)
			clone.git("fetch", "-q", "--refetch", "--no-filter", "origin")
			wantEqual(t, "\"a.rs\" file \"one\"\n\"dir/b.rs\" file \"b\"\n", dump(t, commitTree(t, g, "HEAD~1")))
		})
	}
}

// Trees that no git command makes, with paths that lead elsewhere.
func TestHostileTree(t *testing.T) {
	r := newRepo(t)
	r.write("a", "a")
	r.commit("one")
	blob := r.git("rev-parse", "HEAD:a")
	tree := func(records ...string) string {
		t.Helper()
		var raw bytes.Buffer
		for i := 0; i < len(records); i += 3 {
			id := make([]byte, 20)
			if _, err := fmt.Sscanf(records[i+2], "%x", &id); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&raw, "%s %s\x00%s", records[i], records[i+1], id)
		}
		file := filepath.Join(t.TempDir(), "tree")
		check(t, os.WriteFile(file, raw.Bytes(), 0o644))
		return r.git("hash-object", "-t", "tree", "-w", "--literally", file)
	}
	commit := func(tree string) string { return r.git("commit-tree", "-m", "m", tree) }
	dir := tree("100644", "x", blob)
	g := r.open()
	for want, id := range map[string]string{
		`it has the path "../x", which git itself would not check out`:   commit(tree("40000", "..", dir)),
		`it has the path ".git/x", which git itself would not check out`: commit(tree("40000", ".git", dir)),
		`it has the path ".GIT/x", which git itself would not check out`: commit(tree("40000", ".GIT", dir)),
		`it has the path ".", which git itself would not check out`:      commit(tree("100644", ".", blob)),
		`it has the path "/etc/x", which git itself would not check out`: commit(tree("100644", "/etc/x", blob)),
		`it has two entries with the path "a"`:                           commit(tree("100644", "a", blob, "100755", "a", blob)),
	} {
		_, err := commitTree(t, g, id).Entries(t.Context())
		wantError(t, err, fmt.Sprintf("list commit %s of %s: %s", id, r.dir, want))
	}
}

func TestCanceled(t *testing.T) {
	r := newRepo(t)
	r.write("a.rs", "a")
	r.commit("one")
	g := r.open()
	trees := []*gitrepo.Tree{commitTree(t, g, "HEAD"), indexTree(t, g), workTree(t, g)}
	cause := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, tree := range trees {
		if _, err := tree.Entries(ctx); !errors.Is(err, cause) {
			t.Errorf("%v: %v", tree, err)
		}
		// The tree is not spoiled.
		wantEqual(t, "\"a.rs\" file \"a\"\n", dump(t, tree))
		if _, err := tree.Read(ctx, []string{"a.rs"}, 10); !errors.Is(err, cause) {
			t.Errorf("%v: read: %v", tree, err)
		}
	}
}

func TestTreeKinds(t *testing.T) {
	r := newRepo(t)
	id := r.commit("one")
	g := r.open()
	for _, tt := range []struct {
		tree   *gitrepo.Tree
		kind   gitrepo.TreeKind
		commit gitrepo.Commit
		name   string
	}{
		{commitTree(t, g, "HEAD"), gitrepo.CommitTree, gitrepo.Commit{Name: "HEAD", ID: id}, "commit HEAD (" + id[:12] + ")"},
		{indexTree(t, g), gitrepo.IndexTree, gitrepo.Commit{}, "the index"},
		{workTree(t, g), gitrepo.WorkTree, gitrepo.Commit{}, "the working tree"},
	} {
		c, ok := tt.tree.Commit()
		if tt.tree.Kind() != tt.kind || c != tt.commit || ok != (tt.kind == gitrepo.CommitTree) || tt.tree.String() != tt.name {
			t.Errorf("got %v, %v, %v, %q", tt.tree.Kind(), c, ok, tt.tree)
		}
	}
}

// A repository of 400 files with 100,000 lines, where 20 files changed.
func BenchmarkWhole(b *testing.B) {
	r := newRepo(b)
	for i := range 400 {
		r.write(fmt.Sprintf("crate%d/src/f%d.rs", i%10, i), lines(i*250, i*250+250))
	}
	r.commit("one")
	for i := range 20 {
		r.write(fmt.Sprintf("crate%d/src/f%d.rs", i%10, i), lines(i*250, i*250+240))
	}
	r.git("mv", "crate5/src/f25.rs", "crate5/src/moved.rs")
	r.commit("two")
	ctx := context.Background()
	g := r.open()
	base, err := g.Resolve(ctx, "HEAD~1")
	check(b, err)
	head, err := g.Resolve(ctx, "HEAD")
	check(b, err)
	for name, trees := range map[string]func() (base, head *gitrepo.Tree){
		"commits":  func() (*gitrepo.Tree, *gitrepo.Tree) { return g.CommitTree(base), g.CommitTree(head) },
		"worktree": func() (*gitrepo.Tree, *gitrepo.Tree) { return g.CommitTree(base), workTree(b, g) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				base, head := trees()
				changes, err := gitrepo.Changes(ctx, base, head)
				check(b, err)
				if len(changes) != 21 {
					b.Fatalf("%d changes", len(changes))
				}
				entries, err := head.Entries(ctx)
				check(b, err)
				paths := make([]string, len(entries))
				for i, e := range entries {
					paths[i] = e.Path
				}
				contents, err := head.Read(ctx, paths, 1<<20)
				check(b, err)
				if len(contents) != 400 {
					b.Fatalf("%d files", len(contents))
				}
			}
		})
	}
}

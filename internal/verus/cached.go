package verus

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/sandbox"
)

// Job is what is verified of a tree: a workspace by its manifest, or, if there are any, single files one by one.
type Job struct {
	Manifest string
	Roots    []string
	Options  Options
}

// Verify runs the verifier on a whole tree. Errors are as of VerifyFile.
func (v *Verifier) Verify(ctx context.Context, w *Work, j Job) (*Run, error) {
	if len(j.Roots) == 0 {
		return v.VerifyWorkspace(ctx, w, j.Manifest, j.Options)
	}
	var runs []*Run
	for _, root := range j.Roots {
		r, err := v.VerifyFile(ctx, w, root, j.Options)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return Merge(runs...), nil
}

// Answers keeps what one verifier printed about whole trees, as it was printed, so that it is read anew each time. The key of an answer
// is a hash of everything that it depends on; what depends on more is not kept. See docs/cache.md.
type Answers struct {
	store    *cache.Store
	also     []*cache.Store // that are looked into, and not written
	verifier *Verifier
	// installed is a hash of the verifier and of the programs that it starts.
	installed [sha256.Size]byte
	// by tells the program that reads what the verifier printed from others.
	by []string
}

// answersFormat grows when other things decide a key, or entries are written in another way.
const answersFormat = "specgate verus answers 2"

// An entry has the paths of the copy and of the target directories replaced by these.
const (
	hiddenRoot   = "/specgate.cached/tree"
	hiddenTarget = "/specgate.cached/target"
	hiddenClean  = "/specgate.cached/clean"
)

// NewAnswers looks at all files of the installation. An error says why its answers cannot be kept. by tells the program that is running, its version
// and what is in it, from others.
func NewAnswers(store *cache.Store, v *Verifier, by ...string) (*Answers, error) {
	installed, err := v.hash()
	if err != nil {
		return nil, fmt.Errorf("keep what the verifier says: %w", err)
	}
	return &Answers{store: store, verifier: v, installed: installed, by: by}, nil
}

// With are the same answers, kept in another store, and looked for in more of them.
func (a *Answers) With(store *cache.Store, also ...*cache.Store) *Answers {
	out := *a
	out.store, out.also = store, also
	return &out
}

// get gives the data of a key from the first store that has any.
func (a *Answers) get(k cache.Key) ([]byte, bool, error) {
	var errs []error
	for _, s := range append([]*cache.Store{a.store}, a.also...) {
		data, ok, err := s.Get(k)
		if ok && err == nil {
			return data, true, nil
		}
		errs = append(errs, err)
	}
	return nil, false, errors.Join(errs...)
}

// Said gives what this same program kept with Note about a tree under some words; false if nothing was. An error is about the store.
func (a *Answers) Said(t *Tree, j Job, words ...string) ([]byte, bool, error) {
	return a.get(a.wordKey(t, j, words))
}

// Note keeps what was said about a tree under some words. That it would be said again is for the caller to know: it is as a rule if the
// answer about the whole tree was kept.
func (a *Answers) Note(ctx context.Context, data []byte, t *Tree, j Job, words ...string) error {
	return a.store.Put(ctx, a.wordKey(t, j, words), data)
}

func (a *Answers) wordKey(t *Tree, j Job, words []string) cache.Key {
	whole := a.Key(t, j)
	h := cache.NewHash()
	h.Add("tree", string(whole[:]))
	h.Add("by", a.by...) // what is noted is no longer what the verifier printed, but what was made of it
	h.Add("words", words...)
	return h.Key()
}

// Find gives what the verifier said of a tree; nil if that is not known. An error is about the store, and as good as nil.
func (a *Answers) Find(ctx context.Context, t *Tree, j Job) (*Run, error) {
	data, ok, err := a.get(a.Key(t, j))
	if err != nil || !ok {
		return nil, err
	}
	var e entry
	if json.Unmarshal(data, &e) != nil || e.Format != answersFormat {
		return nil, nil
	}
	v := *a.verifier
	played := &player{calls: e.Calls}
	v.runner = played
	r, err := v.Verify(ctx, &Work{Root: hiddenRoot, Target: hiddenTarget, clean: hiddenClean, fetched: map[string]bool{}}, j)
	// This specgate may call other programs than the one that wrote the entry.
	if err != nil || played.failed || len(played.calls) > 0 {
		return nil, nil
	}
	return r, nil
}

// Verify runs the verifier, and keeps what it says if keep is set. kept says why that was not done, and is nil if it was, or was not asked
// for. The other error is as of VerifyFile. t is what w holds.
func (a *Answers) Verify(ctx context.Context, w *Work, t *Tree, j Job, keep bool) (r *Run, kept, err error) {
	if !keep {
		r, err = a.verifier.Verify(ctx, w, j)
		return r, nil, err
	}
	key := a.Key(t, j)
	v := *a.verifier
	recorded := &recorder{runner: v.runner, hide: hider(w)}
	v.runner = recorded
	if r, err = v.Verify(ctx, w, j); err != nil {
		return nil, nil, err
	}
	return r, a.keep(ctx, key, recorded, r, w, t, j), nil
}

// NotKept says why an answer is not kept: it may be another one next time.
type NotKept struct{ Why string }

func (e *NotKept) Error() string { return "the verifier's answer is not kept: " + e.Why }

func (a *Answers) keep(ctx context.Context, key cache.Key, recorded *recorder, r *Run, w *Work, t *Tree, j Job) error {
	no := func(why string) error { return &NotKept{why} }
	for _, why := range []string{recorded.problem, final(r), passedOn(j.Options.Args), t.open()} {
		if why != "" {
			return no(why)
		}
	}
	if len(j.Roots) == 0 {
		var meta wireWorkspace
		if err := json.Unmarshal(recorded.calls[0].Stdout, &meta); err != nil {
			return no("cargo's description of the workspace cannot be read")
		}
		unchanged := func(lock string) bool {
			data, err := w.root.ReadFile(filepath.FromSlash(lock))
			return err == nil && sha256.Sum256(data) == t.files[lock].sum
		}
		if why := t.openWorkspace(meta, hiddenRoot, unchanged); why != "" {
			return no(why)
		}
	}
	installed, err := a.verifier.hash()
	if err != nil || installed != a.installed || a.Key(t, j) != key {
		return no("the installation of the verifier, or the settings of cargo, changed meanwhile")
	}
	data, err := json.Marshal(entry{answersFormat, recorded.calls})
	if err != nil {
		return fmt.Errorf("keep the verifier's answer: %w", err)
	}
	return a.store.Put(ctx, key, data)
}

// final says why a run may come out otherwise another time, with the same tree and verifier; empty if it cannot.
func final(r *Run) string {
	if r.Problem != nil {
		return r.Problem.Text
	}
	for _, x := range r.Reasons {
		switch x.Outcome {
		case NothingVerified, NotAllVerified:
		case Failed, ResourceLimit, UnsupportedCode:
			if !x.Diagnosed {
				return x.Text
			}
		default:
			return x.Text
		}
	}
	for _, d := range r.Diagnostics {
		if d.Failing() && (d.Category == Other || d.Category == Internal || d.Category == Setup || d.Category == Compile) {
			return d.Message
		}
	}
	return ""
}

// passedOn says which argument of the policy may name something outside the tree; empty if none does.
func passedOn(args []string) string {
	for _, arg := range args {
		if strings.ContainsAny(arg, `/\@`) || strings.Contains(arg, "..") || strings.Contains(arg, "cvc5") {
			return fmt.Sprintf("the argument %q may name a file or program outside the tree", arg)
		}
	}
	return ""
}

// entry is what is kept: the calls of programs that made up the verification, in order.
type entry struct {
	Format string `json:"format"`
	Calls  []call `json:"calls"`
}

// call is a program that ended by itself within its limits.
type call struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// Isolated is what the program was kept in, as JSON; empty if it was not.
	Isolated string `json:"isolated"`

	Stdout []byte        `json:"stdout"`
	Stderr []byte        `json:"stderr"`
	Exit   int           `json:"exit"`
	Took   time.Duration `json:"took"`
	// Protections that it ran with; nil if it was not isolated.
	Protections []sandbox.Protection `json:"protections"`
}

func (c call) same(d call) bool {
	return c.Name == d.Name && slices.Equal(c.Args, d.Args) && c.Dir == d.Dir && slices.Equal(c.Env, d.Env) && c.Isolated == d.Isolated
}

func callOf(c sandbox.Command, hide func(string) string) call {
	out := call{Name: c.Name, Dir: hide(c.Dir)}
	for _, x := range c.Args {
		out.Args = append(out.Args, hide(x))
	}
	for _, x := range c.Env {
		out.Env = append(out.Env, hide(x))
	}
	if c.Isolate != nil {
		// Of strings and bools, which always can be written.
		b, _ := json.Marshal(c.Isolate)
		out.Isolated = hide(string(b))
	}
	return out
}

// recorder is a Runner that keeps what programs print.
type recorder struct {
	runner Runner
	hide   func(string) (string, bool)
	calls  []call
	// problem says why the calls cannot be kept; empty if they can.
	problem string
}

// Run implements Runner.
func (r *recorder) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	res, err := r.runner.Run(ctx, c)
	ok := true
	hide := func(s string) string {
		out, whole := r.hide(s)
		ok = ok && whole
		return out
	}
	kept := callOf(c, hide)
	kept.Stdout, kept.Stderr = []byte(hide(string(res.Stdout))), []byte(hide(string(res.Stderr)))
	kept.Exit, kept.Took = res.ExitCode, res.Duration
	for _, p := range res.Protections {
		p.Detail = hide(p.Detail)
		kept.Protections = append(kept.Protections, p)
	}
	r.calls = append(r.calls, kept)
	var exit *sandbox.ExitError
	switch {
	case err != nil && (!errors.As(err, &exit) || exit.Signal != ""):
		r.problem = err.Error()
	case !ok:
		r.problem = "it names the directory that it ran in, in a way that cannot be replaced"
	case strings.Contains(string(res.Stdout), `"fresh":true`):
		r.problem = "a part of it was built before"
	}
	return res, err
}

// player is a Runner that gives back what programs printed, if they are called as they were.
type player struct {
	calls  []call
	failed bool
}

var errNotRecorded = errors.New("this call is not in the entry")

// Run implements Runner.
func (p *player) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	if len(p.calls) == 0 || !p.calls[0].same(callOf(c, func(s string) string { return s })) {
		p.failed = true
		return sandbox.Result{ExitCode: -1}, errNotRecorded
	}
	k := p.calls[0]
	p.calls = p.calls[1:]
	res := sandbox.Result{Stdout: k.Stdout, Stderr: k.Stderr, ExitCode: k.Exit, Duration: k.Took, Protections: k.Protections}
	if k.Exit != 0 {
		return res, &sandbox.ExitError{Name: c.Name, ExitCode: k.Exit}
	}
	return res, nil
}

// plainDir is a path that is written in one way only, whether in JSON or in a URL.
var plainDir = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)

// hider replaces the directories of a copy, which have other names each time. It tells whether that leaves nothing of them, and can be
// undone.
func hider(w *Work) func(string) (string, bool) {
	replace := strings.NewReplacer(w.Root, hiddenRoot, w.Target, hiddenTarget, w.clean, hiddenClean)
	plain := plainDir.MatchString(w.Root) && plainDir.MatchString(w.Target)
	traces := []string{filepath.Base(w.dir), filepath.Base(w.Target)}
	if filepath.Dir(w.Target) == w.dir {
		traces = traces[:1]
	}
	hidden := path.Dir(hiddenRoot)
	return func(s string) (string, bool) {
		out := replace.Replace(s)
		return out, plain && !strings.Contains(s, hidden) && !slices.ContainsFunc(traces, func(t string) bool { return strings.Contains(out, t) })
	}
}

// Key is a hash of all that the answer about a tree depends on. The time limit is not a part: an answer that was given within one is the
// same within another.
func (a *Answers) Key(t *Tree, j Job) cache.Key {
	v := a.verifier
	h := cache.NewHash()
	h.Add("format", answersFormat)
	h.Add("platform", runtime.GOOS, runtime.GOARCH)
	h.Add("installation", string(a.installed[:]))
	h.Add("version", v.Version.Release, v.Version.Profile, v.Version.OS, v.Version.Arch, v.Version.Toolchain, v.Version.Commit, v.SolverVersion)
	h.Add("programs", v.Path, v.CargoVerus, v.Solver)
	h.Add("environment", v.environ("", false)...)
	if len(j.Roots) == 0 {
		h.Add("environment of cargo", v.environ(hiddenTarget, !j.Options.Offline)...)
		h.Add("settings of cargo", cargoSettings()...)
		h.Add("manifest", j.Manifest)
		h.Add("packages", j.Options.Packages...)
		h.Add("offline", fmt.Sprint(j.Options.Offline))
	} else {
		h.Add("roots", j.Roots...)
	}
	h.Add("arguments", j.Options.Args...)
	names := make([]string, 0, len(t.files))
	for name := range t.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := t.files[name]
		h.Add("file", name, fmt.Sprint(f.mode), string(f.sum[:]))
	}
	return h.Key()
}

// cargoSettings are the user's own settings of cargo, which it reads wherever it runs.
func cargoSettings() []string {
	home := CargoHome()
	if home == "" {
		return nil
	}
	var out []string
	for _, name := range []string{"config", "config.toml"} {
		data, err := os.ReadFile(filepath.Join(home, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out = append(out, name, "absent")
		case err != nil:
			out = append(out, name, "unreadable", err.Error())
		default:
			out = append(out, name, "text", string(data))
		}
	}
	return out
}

// Bounds of an installation: one that is larger is no installation but a directory that has other things too.
const (
	maxInstalledFiles = 20_000
	maxInstalledBytes = 2 << 30
)

// released is the name of a toolchain that rustup installs from a release, so that the name says what is in it.
var released = regexp.MustCompile(`^([0-9]+\.[0-9]+\.[0-9]+|(nightly|beta)-[0-9]{4}-[0-9]{2}-[0-9]{2})(-[a-z0-9_]+)+$`)

// hash is over the bytes of every file of the installation, of the solver, and of the programs that start the toolchain, which itself is
// known by its name. All of it is read each time, since sizes and times of files say nothing to who means to deceive.
func (v *Verifier) hash() (sum [sha256.Size]byte, err error) {
	fail := func(format string, args ...any) ([sha256.Size]byte, error) { return sum, fmt.Errorf(format, args...) }
	switch {
	case v.script:
		return fail("%s is a script, so it is not known what it starts", v.Path)
	case !v.rustup:
		return fail("the toolchain does not come from rustup (VERUS_USE_RUSTUP), so it is not known what is in it")
	case !released.MatchString(v.Version.Toolchain):
		return fail("the toolchain %q is not the name of a release of Rust", v.Version.Toolchain)
	case v.Solver == "":
		return fail("it is not known which solver is used")
	}
	for _, program := range []string{v.Solver, v.CargoVerus} {
		if program == "" {
			continue
		}
		if script, err := isScript(program); err != nil || script {
			return fail("%s is a script, or cannot be read, so it is not known what it starts", program)
		}
	}
	h := cache.NewHash()
	programs := []string{v.Solver}
	for _, name := range []string{"rustup", "cargo", "rustc"} {
		found, err := sandbox.LookPath(name)
		if errors.Is(err, sandbox.ErrNotFound) {
			h.Add("absent", name)
			continue
		}
		if err != nil {
			return fail("%w", err)
		}
		programs = append(programs, found)
	}
	for _, p := range programs {
		one, _, err := hashFile(p)
		if err != nil {
			return fail("%w", err)
		}
		h.Add("program", p, string(one[:]))
	}
	dir := filepath.Dir(v.Path)
	files, bytes := 0, int64(0)
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		// A link stands for the file that it leads to.
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no plain file", name)
		}
		if files, bytes = files+1, bytes+info.Size(); files > maxInstalledFiles || bytes > maxInstalledBytes {
			return fmt.Errorf("%s has more than %d files or %d MiB; install the verifier in a directory of its own", dir, maxInstalledFiles, maxInstalledBytes>>20)
		}
		one, mode, err := hashFile(name)
		if err != nil {
			return err
		}
		h.Add("file", name, fmt.Sprint(mode.Perm()&0o111 != 0), string(one[:]))
		return nil
	})
	if err != nil {
		return fail("read the installation of the verifier: %w", err)
	}
	return h.Key(), nil
}

func hashFile(name string) (sum [sha256.Size]byte, mode fs.FileMode, err error) {
	f, err := os.Open(name)
	if err != nil {
		return sum, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return sum, 0, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), info.Mode(), err
}

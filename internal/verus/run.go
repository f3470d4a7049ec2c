package verus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// Options of a run.
type Options struct {
	// Args are passed on to the verifier, behind specgate's own.
	Args []string
	// Timeout of the run.
	Timeout time.Duration
	// Packages of the workspace; empty: all. What they depend on is verified with them.
	Packages []string
	// Offline says that cargo must not download what the workspace depends on. Where runs are isolated its Cargo.lock must then be up to date. What is
	// built never has the network.
	Offline bool
	// Own tells whether a path is a file of the tree; nil: see Context.
	Own func(string) bool
}

// Limits of what one run may print, in bytes.
const (
	maxStdout = 200 << 20
	maxStderr = 64 << 20
)

// verifierArgs make the verifier say all that is read, and end with those of the policy. Up to five errors are shown of a function. The
// verifier takes no option twice, so those of the policy go first.
func verifierArgs(extra []string, quiet bool) []string {
	own := [][]string{{"--output-json"}, {"--time"}, {"--multiple-errors", "5"}}
	if quiet {
		own = append(own, []string{"--no-report-long-running"}, []string{"--triggers-mode", "silent"})
	}
	var out []string
	for _, o := range own {
		if !slices.ContainsFunc(extra, func(a string) bool { return a == o[0] || strings.HasPrefix(a, o[0]+"=") }) {
			out = append(out, o...)
		}
	}
	return append(out, extra...)
}

// grace is the time that the verifier has to end when it is stopped.
const grace = 2 * time.Second

// VerifyFile runs the verifier on one crate without cargo: file is its root, relative to the copy.
//
// The error is about the run as such: it could not be started, or ctx ended. Everything else, problems of the installation
// included, is in the Run.
func (v *Verifier) VerifyFile(ctx context.Context, w *Work, file string, o Options) (*Run, error) {
	args := slices.Concat([]string{"--crate-type=lib"}, verifierArgs(o.Args, true), []string{file, "--error-format=json"})
	name := strings.TrimSuffix(path.Base(file), ".rs")
	task := Task{Expected: []Expected{{Target: TargetID{Name: name, Kind: "lib"}, OptedIn: true}}, Args: o.Args}
	if strings.HasPrefix(file, "-") {
		return nil, fmt.Errorf("verify %q: the name of the file looks like an option; rename it", file)
	}
	return v.run(ctx, w, "", sandbox.Command{Name: v.Path, Args: args, Env: v.environ("", false)}, task, o)
}

// VerifyWorkspace runs the verifier by cargo. manifest is the Cargo.toml, relative to the copy.
//
// Errors are as of VerifyFile.
func (v *Verifier) VerifyWorkspace(ctx context.Context, w *Work, manifest string, o Options) (*Run, error) {
	if p := v.cannotCargo(); p != nil {
		return notRun(p), nil
	}
	dir := path.Dir(manifest)
	meta, err := v.metadata(ctx, w, manifest, o)
	var p *Problem
	if errors.As(err, &p) {
		return notRun(p), nil
	}
	if err != nil {
		return nil, err
	}
	// Further runs need nothing more: the manifests of a copy stay as they are.
	if !o.Offline && !w.fetched[dir] {
		if err := v.fetch(ctx, w, dir, o); err != nil {
			return nil, err
		}
		w.fetched[dir] = true
	}
	if err := anew(w, meta); err != nil {
		return nil, err
	}
	command, err := v.workspaceCommand(ctx, w, meta, o)
	if err != nil {
		return nil, err
	}
	// What is built is code of the tree, which has no business on the network.
	args := []string{command, "--offline"}
	if len(o.Packages) == 0 {
		args = append(args, "--workspace")
	}
	for _, pkg := range o.Packages {
		args = append(args, "-p", pkg)
	}
	args = slices.Concat(args, []string{"--message-format=json", "--"}, verifierArgs(o.Args, false))
	c := sandbox.Command{Name: v.CargoVerus, Args: args, Env: v.environ(w.Target, false)}
	return v.run(ctx, w, dir, c, Task{Expected: expected(meta, o.Packages), Args: o.Args}, o)
}

// fingerprint is the name of the directory in which cargo keeps what it built a package from.
var fingerprint = regexp.MustCompile(`^(.+)-[0-9a-f]{16}$`)

// anew has cargo build the packages of the workspace whatever it built before: it takes those of another copy of the tree for these, since
// it knows them by their place in the workspace, and what it does not build is not verified. What they depend on stays.
func anew(w *Work, meta wireMetadata) (err error) {
	root, err := os.OpenRoot(w.Target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look what was built before: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	profiles := below(root, ".")
	profiles = append(profiles, below(root, profiles...)...) // those of another platform
	for _, p := range profiles {
		for _, name := range below(root, filepath.Join(p, ".fingerprint")) {
			m := fingerprint.FindStringSubmatch(filepath.Base(name))
			if m == nil || !slices.ContainsFunc(meta.Packages, func(p wirePackage) bool { return p.Name == m[1] }) {
				continue
			}
			if err := root.RemoveAll(name); err != nil {
				return fmt.Errorf("have all of the workspace built anew: %w", err)
			}
		}
	}
	return nil
}

// below is what is in some directories. Code of the tree may have written them: what is none, such as a pipe, has nothing in it, and is not waited for.
func below(root *os.Root, dirs ...string) []string {
	var out []string
	for _, dir := range dirs {
		f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		names, _ := f.Readdirnames(-1)
		_ = f.Close()
		for _, name := range names {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// workspaceCommand is the command of cargo-verus that verifies all of a workspace. Where that is a build, of releases without `cargo verus focus`,
// its command verify makes no library of a package that is verified for its own sake, so that none could depend on it.
func (v *Verifier) workspaceCommand(ctx context.Context, w *Work, meta wireMetadata, o Options) (string, error) {
	const verify = "verify"
	if len(o.Packages) > 0 || !meta.layered() {
		return verify, nil
	}
	focus, err := v.hasFocus(ctx, w, o)
	if err != nil {
		var p *Problem
		if errors.As(err, &p) {
			return verify, nil // the run itself will tell
		}
		return "", err
	}
	if focus {
		return verify, nil
	}
	return "build", nil
}

// layered tells whether a package of the workspace depends on another one that is verified.
func (m wireMetadata) layered() bool {
	verified := map[string]bool{}
	for _, p := range m.Packages {
		verified[p.Name] = p.optedIn()
	}
	return slices.ContainsFunc(m.Packages, func(p wirePackage) bool {
		return slices.ContainsFunc(p.Dependencies, func(d wireDependency) bool { return d.Path != "" && verified[d.Name] })
	})
}

// fetchTime bounds the download of what a workspace depends on, where the time limit of a run does not.
const fetchTime = 10 * time.Minute

// fetch has cargo download what the workspace depends on. It runs no code of the tree: cargo asks the compiler for its version, so settings that name
// another compiler, trusted ones of base too, must not lead to a program that the change brings along. That it fails is no error: what is missing
// shows when the workspace is built, and without a network there may be nothing to download.
//
// It also leaves a Cargo.lock that is up to date, which the build, that must not write to the sources, cannot; without a network from what was
// downloaded before.
func (v *Verifier) fetch(ctx context.Context, w *Work, dir string, o Options) error {
	limits := sandbox.Limits{Wall: min(o.Timeout, fetchTime), Stdout: maxStdout, Stderr: maxStderr}
	c := sandbox.Command{Name: "cargo", Dir: filepath.Join(w.Root, filepath.FromSlash(dir)), Limits: limits, Grace: grace}
	for _, offline := range []bool{false, true} {
		c.Args, c.Env = []string{"fetch", "--quiet"}, v.ownEnviron(w, !offline)
		if offline {
			c.Args = append(c.Args, "--offline")
		}
		res, err := v.runner.Run(ctx, c)
		ended, err := endOf(res, err, limits)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("fetch what the workspace depends on: %w", err)
		}
		if err == nil && ended.ExitCode == 0 && ended.Stop == 0 {
			return nil
		}
	}
	return nil
}

// ownEnviron is that of cargo where it is not isolated. It uses the compiler of the machine, whatever settings say; an empty variable turns a wrapper off.
// And it reads nothing that code of the tree may have written: in a target directory it keeps what the compiler told it, and believes that.
func (v *Verifier) ownEnviron(w *Work, network bool) []string {
	return append(v.environ(w.clean, network), "RUSTC=rustc", "RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER=", "CARGO_CACHE_RUSTC_INFO=0")
}

// cannotCargo says why a workspace cannot be verified; nil if it can.
func (v *Verifier) cannotCargo() *Problem {
	switch {
	case v.CargoVerus == "":
		return &Problem{Kind: NoCargoVerus, Text: "there is no cargo-verus beside " + v.Path, Remedy: "use an installation from a release of Verus, or list single files under roots in the policy"}
	case v.script:
		// Cargo hands the verifier its settings in variables whose names no shell keeps. All would compile and nothing be verified.
		return &Problem{Kind: BadInstallation, Text: v.Path + " is a script, which loses the settings that cargo passes on", Remedy: "put the executable of Verus itself beside cargo-verus"}
	}
	return nil
}

// notRun is the run that a problem prevented.
func notRun(p *Problem) *Run {
	return &Run{Outcome: NotRun, Problem: p, Reasons: []Reason{{Outcome: NotRun, Text: p.Error()}}, Ended: Ended{ExitCode: -1}}
}

func (v *Verifier) run(ctx context.Context, w *Work, dir string, c sandbox.Command, task Task, o Options) (*Run, error) {
	c.Dir = filepath.Join(w.Root, filepath.FromSlash(dir))
	c.Limits = sandbox.Limits{Wall: o.Timeout, Stdout: maxStdout, Stderr: maxStderr}
	c.Grace = grace
	v.isolate(&c, w)
	res, err := v.runner.Run(ctx, c)
	ended, err := endOf(res, err, c.Limits)
	if err != nil {
		var p *Problem
		if err = v.notStarted(err); errors.As(err, &p) {
			return notRun(p), nil
		}
		return nil, fmt.Errorf("verify: %w", err)
	}
	if dir == "." {
		dir = ""
	}
	r := Assess(res.Stdout, res.Stderr, ended, task, Context{Root: w.Root, Dir: dir, Own: o.Own})
	if r.Version == (Version{}) {
		r.Version = v.Version
	}
	r.Protections = res.Protections
	return r, nil
}

type wireMetadata struct {
	Packages []wirePackage `json:"packages"`
}

type wirePackage struct {
	Name    string `json:"name"`
	Targets []struct {
		Kind   []string `json:"kind"`
		Name   string   `json:"name"`
		Source string   `json:"src_path"`
	} `json:"targets"`
	Dependencies []wireDependency `json:"dependencies"`
	Metadata     json.RawMessage  `json:"metadata"`
}

type wireDependency struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// optedIn reads [package.metadata.verus] verify. Cargo passes on what stands there, whatever its type.
func (p wirePackage) optedIn() bool {
	var m struct {
		Verus struct {
			Verify bool `json:"verify"`
		} `json:"verus"`
	}
	return json.Unmarshal(p.Metadata, &m) == nil && m.Verus.Verify
}

// libraries of the verifier: who depends on them has something to verify. The names without verus_ are those of 2025.
var libraries = []string{"vstd", "verus_builtin", "verus_builtin_macros", "builtin", "builtin_macros"}

// usesVerus tells a package that has something to verify by what it depends on.
func (p wirePackage) usesVerus() bool {
	for _, d := range p.Dependencies {
		if slices.Contains(libraries, d.Name) {
			return true
		}
	}
	return false
}

// expected are targets of packages that opted in, and of those that depend on the verifier's libraries and did not.
func expected(meta wireMetadata, chosen []string) []Expected {
	byName := map[string]wirePackage{}
	for _, p := range meta.Packages {
		byName[p.Name] = p
	}
	in := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		p, ok := byName[name]
		if !ok || in[name] {
			return
		}
		in[name] = true
		for _, d := range p.Dependencies {
			if d.Path != "" {
				add(d.Name)
			}
		}
	}
	for _, name := range chosen {
		add(name)
	}
	var out []Expected
	for _, p := range meta.Packages {
		if len(chosen) > 0 && !in[p.Name] || !p.optedIn() && !p.usesVerus() {
			continue
		}
		for _, t := range p.Targets {
			kind := targetKind(t.Kind)
			if kind == "" {
				continue
			}
			out = append(out, Expected{Target: TargetID{Package: p.Name, Name: t.Name, Kind: kind}, OptedIn: p.optedIn()})
		}
	}
	return out
}

package verus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/sandbox"
)

// Part of a crate that a run is limited to.
type Part struct {
	// Module is crate-relative, empty for the root. Modules inside it are not looked at.
	Module string
	// Functions is the name of a function in the module, or a pattern of names: with '*' at its beginning, its end or both.
	Functions string
}

func (p Part) args() []string {
	where := "--verify-root"
	if p.Module != "" {
		where = "--verify-only-module=" + p.Module
	}
	return []string{where, "--verify-function=" + p.Functions}
}

// partArgs are the arguments of a run on a part: its own, and those of the policy that do not choose a part, limit what is said of a failure or
// ask for something else than a proof. After the first failure of a function nothing more is looked for in it: how it fails is of no interest here.
func partArgs(p Part, policy []string) []string {
	own := append(p.args(), "--multiple-errors=0", "--no-auto-recommends-check")
	for i := 0; i < len(policy); i++ {
		name, _, joined := strings.Cut(policy[i], "=")
		switch name {
		case "--":
			return append(own, policy[i:]...)
		case "--verify-module", "--verify-only-module", "--verify-function", "--multiple-errors":
			if !joined {
				i++
			}
		case "--verify-root", "--no-auto-recommends-check", "--expand-errors", "--no-cheating":
		default:
			own = append(own, policy[i])
		}
	}
	return own
}

// AskFile runs the verifier on a part of one crate, without cargo: file is its root, relative to the copy. The run never counts as a proof of the
// crate.
//
// Errors are as of VerifyFile.
func (v *Verifier) AskFile(ctx context.Context, w *Work, file string, p Part, o Options) (*Run, error) {
	o.Args = partArgs(p, o.Args)
	return v.VerifyFile(ctx, w, file, o)
}

// Target is a target of a workspace, with the file that is its root.
type Target struct {
	TargetID
	// Root is relative to the copy, with '/'.
	Root string
}

// Workspace is what has to be known of a workspace to ask about parts of its targets.
type Workspace struct {
	// Manifest is its Cargo.toml, relative to the copy.
	Manifest string
	// Targets are the libraries, programs and procedural macros of its packages.
	Targets []Target

	focus bool // cargo-verus can limit a run to the packages that are named
}

// Workspace asks cargo for the targets, and cargo-verus for its commands. An error that is about the workspace or the installation is a *Problem.
func (v *Verifier) Workspace(ctx context.Context, w *Work, manifest string, o Options) (*Workspace, error) {
	if p := v.cannotCargo(); p != nil {
		return nil, p
	}
	meta, err := v.metadata(ctx, w, manifest, o)
	if err != nil {
		return nil, err
	}
	out := &Workspace{Manifest: manifest}
	for _, p := range meta.Packages {
		for _, t := range p.Targets {
			kind := targetKind(t.Kind)
			root, err := filepath.Rel(w.Root, t.Source)
			if kind == "" || err != nil {
				continue
			}
			out.Targets = append(out.Targets, Target{TargetID{Package: p.Name, Name: t.Name, Kind: kind}, filepath.ToSlash(root)})
		}
	}
	out.focus, err = v.hasFocus(ctx, w, o)
	return out, err
}

// AskTarget runs the verifier by cargo on a part of one target of a workspace. What the target depends on must have been built in the target
// directory by a run on all of it, or by Prepare: releases without `cargo verus focus` limit all crates that they compile to that part. The run
// never counts as a proof of the target.
//
// Errors are as of VerifyFile.
func (v *Verifier) AskTarget(ctx context.Context, w *Work, ws *Workspace, t TargetID, p Part, o Options) (*Run, error) {
	command := "verify"
	if ws.focus {
		command = "focus"
	}
	o.Args = partArgs(p, o.Args)
	return v.target(ctx, w, command, ws, t, o)
}

// Prepare builds a target of a workspace, and what it depends on, without verifying anything. Errors are as of VerifyFile.
func (v *Verifier) Prepare(ctx context.Context, w *Work, ws *Workspace, t TargetID, o Options) (*Run, error) {
	o.Args = append([]string{"--no-verify"}, o.Args...)
	return v.target(ctx, w, "verify", ws, t, o)
}

func (v *Verifier) target(ctx context.Context, w *Work, command string, ws *Workspace, t TargetID, o Options) (*Run, error) {
	args := []string{command, "--offline"}
	// The verifier's cargo wants what it reads itself before what it passes on.
	args = append(args, "-p", t.Package)
	if t.Kind == "bin" {
		args = append(args, "--bin", t.Name)
	} else {
		args = append(args, "--lib")
	}
	args = slices.Concat(args, []string{"--message-format=json", "--"}, verifierArgs(o.Args, false))
	c := sandbox.Command{Name: v.CargoVerus, Args: args, Env: v.environ(w.Target, false)}
	task := Task{Expected: []Expected{{Target: t, OptedIn: true}}, Args: o.Args}
	return v.run(ctx, w, path.Dir(ws.Manifest), c, task, o)
}

// hasFocus tells whether cargo-verus limits a run to the packages that are named.
func (v *Verifier) hasFocus(ctx context.Context, w *Work, o Options) (bool, error) {
	limits := sandbox.Limits{Wall: cmp.Or(o.Timeout, probeTime), Stdout: 1 << 20, Stderr: 1 << 20}
	res, err := v.runner.Run(ctx, sandbox.Command{Name: v.CargoVerus, Args: []string{"--help"}, Dir: w.Root, Env: v.environ("", false), Limits: limits, Grace: grace})
	if _, err = endOf(res, err, limits); err != nil {
		return false, v.notStarted(err)
	}
	for line := range strings.Lines(string(res.Stdout)) {
		if words := strings.Fields(stripColors(line)); len(words) > 1 && words[0] == "focus" {
			return true, nil
		}
	}
	return false, nil
}

// metadata is what cargo says of a workspace. An error that is about the workspace or the installation is a *Problem.
func (v *Verifier) metadata(ctx context.Context, w *Work, manifest string, o Options) (wireMetadata, error) {
	limits := sandbox.Limits{Wall: o.Timeout, Stdout: maxStdout, Stderr: maxStderr}
	c := sandbox.Command{Name: "cargo", Args: []string{"metadata", "--format-version=1", "--no-deps", "--offline"}, Env: v.ownEnviron(w, false),
		Dir: filepath.Join(w.Root, filepath.FromSlash(path.Dir(manifest))), Limits: limits, Grace: grace}
	var meta wireMetadata
	res, err := v.runner.Run(ctx, c)
	ended, err := endOf(res, err, limits)
	if err != nil {
		if errors.Is(err, sandbox.ErrNotFound) {
			return meta, &Problem{Kind: NoToolchain, Text: "there is no cargo on PATH", Remedy: "install rustup and the toolchain of the verifier", Err: err}
		}
		return meta, fmt.Errorf("read the workspace: %w", err)
	}
	if ended.ExitCode != 0 || json.Unmarshal(res.Stdout, &meta) != nil {
		out := Read(res.Stderr, Context{})
		if p := findProblem(&Run{Ended: ended, Stray: out.Stray}, Output{}, Output{}); p != nil {
			return meta, p
		}
		return meta, &Problem{Kind: NoDependencies, Text: fmt.Sprintf("cargo could not read the workspace (exit status %d)%s", ended.ExitCode, detail(strings.Join(out.Stray, " "))),
			Remedy: "make `cargo metadata` work"}
	}
	return meta, nil
}

// targetKind is the kind of a target that may have something to verify; empty for others.
func targetKind(kinds []string) string {
	kind := ""
	for _, k := range kinds {
		switch k {
		case "lib", "rlib", "dylib", "cdylib", "staticlib":
			kind = "lib"
		case "bin", "proc-macro":
			kind = k
		}
	}
	return kind
}

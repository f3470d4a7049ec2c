package harness

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// tools are the compiler's own executable, its directory and its version.
type tools struct {
	rustc, sysroot, version string
}

// Limits of what the compiler may print, in bytes.
const maxMessages = 64 << 20

// findTools asks the compiler where it is: isolated, rustup's stand-in would not find it. It is the user's own program.
//
// It is asked in a directory of ours, as rustup goes by the files of the directory that it is started in, which can name any compiler.
func findTools(ctx context.Context, rustc, dir string) (*tools, error) {
	version, err := ask(ctx, rustc, dir, "--version")
	if err != nil {
		return nil, err
	}
	root, err := ask(ctx, rustc, dir, "--print=sysroot")
	if err != nil {
		return nil, err
	}
	t := &tools{sysroot: root, version: version, rustc: filepath.Join(root, "bin", "rustc")}
	if _, err := os.Stat(t.rustc); err != nil {
		return nil, fmt.Errorf("find the compiler behind %s: %w", rustc, err)
	}
	return t, nil
}

func ask(ctx context.Context, rustc, dir, arg string) (string, error) {
	c := sandbox.Command{Name: rustc, Args: []string{arg}, Dir: dir, Env: append(sandbox.Environ("RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"), "RUSTUP_AUTO_INSTALL=0"),
		Limits: sandbox.Limits{Wall: time.Minute, Stdout: 1 << 20, Stderr: 1 << 20}}
	res, err := c.Run(ctx)
	if err != nil {
		return "", fmt.Errorf("ask %s for its %s: %w: %s", rustc, strings.TrimLeft(arg, "-"), err, bytes.TrimSpace(res.Stderr))
	}
	return strings.TrimSpace(string(res.Stdout)), nil
}

// maxRounds is how often a crate is compiled, each time without what the compiler refused.
const maxRounds = 10

// compile compiles the crate. It is not ok if nothing can be run; the targets then say why.
func (b *build) compile(ctx context.Context) (ok bool, err error) {
	if b.tools, err = findTools(ctx, b.req.Rustc, b.req.Work); err != nil {
		return false, err
	}
	b.res.Rustc = b.tools.version
	if err := b.openDir(); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, b.root.Close()) }()
	if err := b.copyFiles(); err != nil {
		return false, err
	}
	start := time.Now()
	defer func() { b.res.CompileTook = time.Since(start) }()
	for round := 1; ; round++ {
		if !slices.ContainsFunc(b.targets, func(t *target) bool { return !t.dropped() }) {
			return false, nil
		}
		files := b.write()
		for name, f := range files {
			if err := b.replace(path.Join(srcName, name), f.text); err != nil {
				return false, err
			}
		}
		var messages []byte
		var says string
		if b.res.Way != ByRustc {
			messages, says, err = b.cargo(ctx)
		} else {
			messages, err = b.rustc(ctx)
		}
		b.res.Compilations++
		if err == nil {
			return true, nil
		}
		var exit *sandbox.ExitError
		if !errors.As(err, &exit) || exit.Signal != "" {
			if ctx.Err() != nil || errors.Is(err, sandbox.ErrIsolation) {
				return false, err
			}
			b.dropAll("the crate could not be compiled: %v", err)
			return false, nil
		}
		found, other := b.blame(messages, files)
		if found == 0 && other == "" {
			other = cmp.Or(says, "the compiler does not say why")
		}
		switch {
		case round >= maxRounds:
			b.dropAll("the crate does not compile: %s", other)
			b.broken = true
			return false, nil
		case found == 0 && (!b.salvage || !b.withoutMutants()):
			b.dropAll("the crate does not compile without its ghost code: %s", other)
			b.broken = true
			return false, nil
		case found > 0 && round == maxRounds-2:
			b.dropBlamed()
		}
	}
}

func (b *build) dropAll(format string, args ...any) {
	for _, t := range b.targets {
		t.drop(format, args...)
	}
}

// withoutMutants gives up all mutants; it is false if there are none any more.
func (b *build) withoutMutants() bool {
	any := false
	for _, t := range b.targets {
		for _, m := range t.mutants {
			if m.out.Failure == "" {
				m.out.Failure = "the crate does not compile with mutants, and the compiler does not say which of them it refuses"
				any = any || !t.dropped()
			}
		}
	}
	return any
}

// dropBlamed gives up the mutants of every function of which one was refused.
func (b *build) dropBlamed() {
	for _, t := range b.targets {
		if !slices.ContainsFunc(t.mutants, func(m *mutant) bool { return m.out.Failure != "" }) {
			continue
		}
		for _, m := range t.mutants {
			if m.out.Failure == "" {
				m.out.Failure = "others of the function were refused too often"
			}
		}
	}
}

// copyFiles makes the copy of the tree. Settings of cargo and rustup stay behind: they could name other compilers. Sources of the crate
// are written later, others as they are.
func (b *build) copyFiles() error {
	for name, text := range b.req.Files {
		if slices.Contains(strings.Split(name, "/"), ".cargo") || path.Base(name) == "rust-toolchain" || path.Base(name) == "rust-toolchain.toml" {
			continue
		}
		if err := b.writeOut(path.Join(srcName, name), text); err != nil {
			return err
		}
	}
	if b.res.Way != ByRustc {
		return b.prepareCargo()
	}
	return nil
}

// The directories of an attempt. Code of the change runs while it is compiled, and may write to all but the first: nothing is read from them or
// written to them by this process, but for what takeProgram takes.
const (
	srcName   = "src"
	pkgName   = "package" // of the harness, for cargo
	outName   = "out"
	cargoName = "cargo" // cargo's own
)

func (b *build) srcDir() string    { return filepath.Join(b.dir, srcName) }
func (b *build) pkgDir() string    { return filepath.Join(b.dir, pkgName) }
func (b *build) outDir() string    { return filepath.Join(b.dir, outName) }
func (b *build) cargoHome() string { return filepath.Join(b.dir, cargoName) }
func (b *build) program() string   { return filepath.Join(b.outDir(), "program") }

// openDir makes a directory for this attempt, in which no code has run yet. What an earlier one left could lead elsewhere.
func (b *build) openDir() (err error) {
	for n := 1; ; n++ {
		b.dir = filepath.Join(b.req.Work, strconv.Itoa(n))
		if err = os.Mkdir(b.dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		b.root, err = os.OpenRoot(b.dir)
	}
	if err != nil {
		return fmt.Errorf("make a directory to compile in: %w", err)
	}
	for _, name := range []string{srcName, pkgName, outName, cargoName} {
		if err := b.root.Mkdir(name, 0o755); err != nil {
			return errors.Join(fmt.Errorf("make a directory to compile in: %w", err), b.root.Close())
		}
	}
	return nil
}

// writeOut writes a file that is not there. Neither links nor names that are one on this file system lead to another.
func (b *build) writeOut(name string, text []byte) error {
	file := filepath.FromSlash(name)
	err := b.root.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		var out *os.File
		if out, err = b.root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			_, err = out.Write(text)
			err = errors.Join(err, out.Close())
		}
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	return nil
}

// replace writes a file anew, whatever is there.
func (b *build) replace(name string, text []byte) error {
	if err := b.root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	return b.writeOut(name, text)
}

// rustcArgs are chosen for the time that compiling takes, with checks on.
func (b *build) rustcArgs() []string {
	args := []string{"--crate-name=specgate_harness", "--crate-type=bin", "--edition=" + b.req.Edition, "--error-format=json", "--cap-lints=allow",
		"-Copt-level=0", "-Cdebuginfo=0", "-Cdebug-assertions=on", "-Coverflow-checks=on", "-Cpanic=unwind"}
	features := b.req.Features
	if b.pkg != nil {
		features = b.pkg.features
	}
	for _, f := range features {
		args = append(args, "--cfg", fmt.Sprintf("feature=%q", f))
	}
	return append(args, "-o", b.program(), filepath.FromSlash(b.req.Root))
}

func (b *build) rustc(ctx context.Context) ([]byte, error) {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
	if b.unstable() {
		env = append(env, "RUSTC_BOOTSTRAP=1")
	}
	c := sandbox.Command{Name: b.tools.rustc, Args: b.rustcArgs(), Dir: b.srcDir(), Env: env,
		Limits:  sandbox.Limits{Wall: b.req.Limits.Compile, Stdout: maxMessages, Stderr: maxMessages, Memory: b.req.Limits.CompileMemory, FileSize: 4 << 30, Processes: 256},
		Isolate: &sandbox.Isolation{ReadOnly: []string{b.tools.sysroot, b.srcDir()}, Write: []string{b.outDir()}, Require: b.req.Require}}
	res, err := c.Run(ctx)
	return res.Stderr, err
}

// unstable tells whether the crate asks for features that are not stable. Verus compiles such crates.
func (b *build) unstable() bool {
	for _, m := range b.tree.modules {
		if bytes.Contains(b.tree.erased[m.file].Source.Text, []byte("feature(")) {
			return true
		}
	}
	return false
}

// message is one of the compiler's.
type message struct {
	Level, Message string
	Code           *struct{ Code string }
	Spans          []place
}

type place struct {
	File      string `json:"file_name"`
	Start     int    `json:"byte_start"`
	End       int    `json:"byte_end"`
	Line      int    `json:"line_start"`
	Primary   bool   `json:"is_primary"`
	Expansion *struct{ Span place }
}

// blame drops what the compiler refuses, and tells how much that is, and the first message that is about something else.
func (b *build) blame(messages []byte, files map[string]*writtenFile) (found int, other string) {
	for line := range bytes.Lines(messages) {
		var m message
		if json.Unmarshal(line, &m) != nil || !strings.HasPrefix(m.Level, "error") {
			continue
		}
		text := strings.NewReplacer("crate::"+b.name, "vstd", b.name, "vstd").Replace(m.Message)
		if m.Code != nil && m.Code.Code != "" {
			text += " (" + m.Code.Code + ")"
		}
		blamed := false
		for _, s := range m.Spans {
			if !s.Primary {
				continue
			}
			for depth := 0; depth < 100; depth++ {
				s.File = b.relative(s.File)
				if o, ok := ownerAt(files, s); ok {
					blamed = true
					found += b.refuse(o, text)
					break
				}
				if s.Expansion == nil {
					where := fmt.Sprintf("%s:%d: %s", s.File, s.Line, text)
					if f := files[s.File]; b.salvage && f != nil && b.tree.erased[s.File] != nil {
						if at, ok := f.erasedAt(s.Start); ok && b.cut(s.File, at, where) {
							blamed = true
							found++
							break
						}
					}
					if other == "" {
						other = where
					}
					break
				}
				s = s.Expansion.Span
			}
		}
		if !blamed && other == "" && !strings.HasPrefix(m.Message, "aborting due to") {
			other = text
		}
	}
	return found, other
}

// relative is the path of a file in the tree, as the compiler names it: from the directory of the tree, or the one of the harness's package.
func (b *build) relative(file string) string {
	if b.res.Way != ByRustc && !filepath.IsAbs(file) {
		file = filepath.Join(b.pkgDir(), file)
	}
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(b.srcDir(), file); err == nil {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

func ownerAt(files map[string]*writtenFile, s place) (owner, bool) {
	f := files[s.File]
	if f == nil {
		return owner{}, false
	}
	for _, p := range f.pieces {
		if p.start <= s.Start && s.Start < max(p.end, p.start+1) && p.owner != (owner{}) {
			return p.owner, true
		}
	}
	return owner{}, false
}

// refuse drops what an owner stands for; it is 0 if that was dropped before.
func (b *build) refuse(o owner, why string) int {
	switch {
	case o.mutant != nil:
		if o.mutant.out.Failure != "" {
			return 0
		}
		o.mutant.out.Failure = why
	case o.target != nil:
		if o.target.dropped() {
			return 0
		}
		o.target.drop("the compiler refuses to call it: %s", why)
	case o.typ != nil:
		if o.typ.failure != "" {
			return 0
		}
		o.typ.failure = why
		for _, t := range b.targets {
			if slices.Contains(t.types, o.typ) {
				t.drop("values of the type %s cannot be made: %s", o.typ.path, why)
			}
		}
	}
	return 1
}

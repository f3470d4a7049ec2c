package verus

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/sandbox"
)

// Isolation says how the programs that run code of the tree, such as its build scripts, are kept apart from the machine. See package
// sandbox.
type Isolation struct {
	// Require: nothing is run where a protection is missing.
	Require bool
	// Read are absolute paths of files and directories that may be read besides those of the verifier, its toolchain and what cargo has
	// downloaded.
	Read []string
	// Memory is the most bytes that one run may use; 0: no limit.
	Memory int64
}

// Limits of a run in isolation. Those of time and output are in run.
const (
	maxProcesses = 4096
	maxFileSize  = 16 << 30
)

// Isolate returns the same verifier, run in isolation.
func (v *Verifier) Isolate(i Isolation) *Verifier {
	out := *v
	out.isolation = &i
	return &out
}

// isolate bounds a command that runs code of the tree, if the verifier is to be isolated.
func (v *Verifier) isolate(c *sandbox.Command, w *Work) {
	if v.isolation == nil {
		return
	}
	c.Isolate = &sandbox.Isolation{ReadOnly: v.readable(), Write: []string{w.Root, w.Target}, Require: v.isolation.Require}
	if c.Name == v.CargoVerus {
		// What cargo builds must not edit the sources that are verified after it.
		c.Isolate.ReadOnly, c.Isolate.Write = append(c.Isolate.ReadOnly, w.Root), []string{w.Target}
	}
	c.Limits.Processes, c.Limits.FileSize, c.Limits.Memory = maxProcesses, maxFileSize, v.isolation.Memory
}

// readable are the existing files and directories that the verifier needs, besides those of the system. None of cargo's and rustup's
// directories is taken whole: credentials are there too.
func (v *Verifier) readable() []string {
	var out []string
	add := func(paths ...string) {
		for _, p := range paths {
			if _, err := os.Stat(p); err == nil && filepath.IsAbs(p) {
				out = append(out, p)
			}
		}
	}
	for _, program := range []string{v.Path, v.CargoVerus, v.Solver} {
		if program == "" {
			continue
		}
		if dir := filepath.Dir(program); !private(dir) {
			add(dir)
		} else {
			add(program)
		}
	}
	if cargo := CargoHome(); cargo != "" {
		add(filepath.Join(cargo, "bin"), filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"))
	}
	add(sandbox.GitConfig()...)
	if rustup := RustupHome(); rustup != "" {
		add(filepath.Join(rustup, "toolchains"), filepath.Join(rustup, "settings.toml"))
		// A toolchain may be a link to where it was built.
		links, _ := filepath.Glob(filepath.Join(rustup, "toolchains", "*"))
		for _, l := range links {
			if real, err := filepath.EvalSymlinks(l); err == nil && real != l && !private(real) {
				add(real)
			}
		}
	}
	// A toolchain without rustup: DIR/bin/rustc with DIR/lib/rustlib.
	for _, name := range []string{"cargo", "rustc"} {
		found, err := sandbox.LookPath(name)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(found); err == nil {
			found = real
		}
		sysroot := filepath.Dir(filepath.Dir(found))
		if _, err := os.Stat(filepath.Join(sysroot, "lib", "rustlib")); err == nil && !private(sysroot) {
			add(filepath.Join(sysroot, "bin"), filepath.Join(sysroot, "lib"), filepath.Join(sysroot, "libexec"))
		}
	}
	if !v.rustup {
		for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
			for _, dir := range filepath.SplitList(os.Getenv(name)) {
				if !private(dir) {
					add(dir)
				}
			}
		}
	}
	add(v.isolation.Read...)
	slices.Sort(out)
	return slices.Compact(out)
}

// private tells a directory that holds the user's own files: the home directory, or one that it is in.
func private(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return dir == string(filepath.Separator)
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// homes are the variables that name the directories of cargo and rustup, by absolute paths: a run has another current directory, and an
// isolated one another home.
func (v *Verifier) homes() []string {
	var out []string
	for _, h := range []struct{ variable, dir string }{{"CARGO_HOME", CargoHome()}, {"RUSTUP_HOME", RustupHome()}} {
		_, err := os.Stat(h.dir)
		if os.Getenv(h.variable) != "" || v.isolation != nil && err == nil {
			out = append(out, h.variable+"="+h.dir)
		}
	}
	return out
}

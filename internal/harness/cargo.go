package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
)

// pkg is what is needed to know of the package of the crate.
type pkg struct {
	dir      string // of its manifest
	cargo    *manifest.Cargo
	deps     []manifest.Dependency // of executable code, from the workspace where it has them
	verus    []manifest.Dependency // Verus's own of them
	edition  string
	features []string // that are on
	script   bool     // it has a build script
}

// verusCrates are those that executable code needs nothing of, besides what there are stand-ins for. The names without verus_ are old.
var verusCrates = []string{"vstd", "verus_builtin", "verus_builtin_macros", "verus_state_machines_macros", "builtin", "builtin_macros", "state_machines_macros"}

var (
	inheritsEdition = regexp.MustCompile(`(?m)^\s*edition\s*(\.\s*workspace\s*=\s*true|=\s*\{\s*workspace\s*=\s*true)`)
	edition         = regexp.MustCompile(`(?m)^\s*edition\s*=\s*"(\d{4})"`)
)

// readPackage reads the manifest of the crate's package and, where there is one, that of its workspace.
func readPackage(req Request) (*pkg, error) {
	text, ok := req.Files[req.Manifest]
	if !ok {
		return nil, fmt.Errorf("%w: the manifest %s is not among the files", errRequest, req.Manifest)
	}
	c, err := manifest.ParseCargo(source.NewFile(req.Manifest, text))
	if err != nil {
		return nil, err
	}
	if c.Package == nil {
		return nil, fmt.Errorf("%w: the manifest %s has no package", errRequest, req.Manifest)
	}
	p := &pkg{dir: path.Dir(req.Manifest), cargo: c, edition: c.Package.Edition}
	_, script := req.Files[path.Join(p.dir, "build.rs")]
	p.script = c.Package.Build != "false" && (script || c.Package.Build != "")
	inherited := map[string]manifest.Dependency{}
	for dir := p.dir; ; dir = path.Dir(dir) {
		name := path.Join(dir, "Cargo.toml")
		if text, ok := req.Files[name]; ok {
			if w, err := manifest.ParseCargo(source.NewFile(name, text)); err == nil && w.Workspace != nil {
				for _, d := range w.Dependencies {
					if d.Table == "workspace.dependencies" {
						if d.Path != "" {
							d.Path = path.Join(dir, d.Path)
						}
						inherited[d.Name] = d
					}
				}
				if m := edition.FindSubmatch(text); m != nil && inheritsEdition.Match(req.Files[req.Manifest]) {
					p.edition = string(m[1])
				}
				break
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	if p.edition == "" {
		p.edition = "2015" // as Cargo does
		if inheritsEdition.Match(text) {
			p.edition = "2021"
		}
	}
	for _, d := range c.Dependencies {
		if d.Table != "dependencies" && (!strings.HasPrefix(d.Table, "target.") || !strings.HasSuffix(d.Table, ".dependencies") ||
			strings.HasSuffix(d.Table, "dev-dependencies") || strings.HasSuffix(d.Table, "build-dependencies")) {
			continue
		}
		if d.Workspace {
			from, ok := inherited[d.Name]
			if !ok {
				return nil, fmt.Errorf("%w: the dependency %s of %s is not in the workspace", errRequest, d.Name, req.Manifest)
			}
			from.Table, from.Optional, from.Features = d.Table, d.Optional, append(slices.Clone(from.Features), d.Features...)
			d = from
		} else if d.Path != "" {
			d.Path = path.Join(p.dir, d.Path)
		}
		if isVerus(d.Package) {
			p.verus = append(p.verus, d)
		} else {
			p.deps = append(p.deps, d)
		}
	}
	p.features = p.on(append([]string{"default"}, req.Features...))
	return p, nil
}

func isVerus(name string) bool {
	return slices.Contains(verusCrates, strings.ReplaceAll(name, "-", "_"))
}

// on are features with those that they turn on.
func (p *pkg) on(names []string) []string {
	on := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if on[name] || strings.ContainsAny(name, "/:?") {
			continue
		}
		on[name] = true
		for _, f := range p.cargo.Features {
			if f.Name == name {
				names = append(names, f.Enables...)
			}
		}
	}
	return slices.Sorted(maps.Keys(on))
}

// needs tells whether the crate's code names one of the dependencies.
func (p *pkg) needs(t *tree) bool {
	for _, d := range p.deps {
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.ReplaceAll(d.Name, "-", "_")) + `\b`)
		for _, m := range t.modules {
			if word.Match(t.erased[m.file].Source.Text) {
				return true
			}
		}
	}
	return false
}

// manifestText is a package whose program is the harness, with the dependencies of the crate. It stands in a directory of its own, which cargo may
// write to, beside the tree, which it may not.
func (b *build) manifestText() string {
	var s strings.Builder
	rel := func(p string) string { return strconv.Quote(path.Join("..", srcName, p)) }
	fmt.Fprintf(&s, "[package]\nname = %q\nversion = \"0.0.0\"\nedition = %q\nautobins = false\n\n[workspace]\n\n[[bin]]\nname = \"program\"\npath = %s\n", b.name, b.req.Edition, rel(b.req.Root))
	s.WriteString("\n[profile.dev]\nopt-level = 0\ndebug = false\ndebug-assertions = true\noverflow-checks = true\npanic = \"unwind\"\nincremental = false\n")
	deps := b.pkg.deps
	if b.vstd {
		deps = slices.Concat(deps, b.pkg.verus)
	}
	for _, d := range deps {
		table := d.Table
		if in, ok := strings.CutPrefix(table, "target."); ok {
			table = "target." + strconv.Quote(strings.TrimSuffix(in, ".dependencies")) + ".dependencies"
		}
		fmt.Fprintf(&s, "\n[%s.%q]\n", table, d.Name)
		if d.Package != d.Name {
			fmt.Fprintf(&s, "package = %q\n", d.Package)
		}
		for _, kv := range [][2]string{{"version", d.Version}, {"git", d.Git}, {"branch", d.Branch}, {"tag", d.Tag}, {"rev", d.Rev}, {"registry", d.Registry}} {
			if kv[1] != "" {
				fmt.Fprintf(&s, "%s = %q\n", kv[0], kv[1])
			}
		}
		if d.Path != "" {
			fmt.Fprintf(&s, "path = %s\n", rel(d.Path))
		}
		if d.Optional {
			s.WriteString("optional = true\n")
		}
		if d.NoDefault {
			s.WriteString("default-features = false\n")
		}
		if len(d.Features) > 0 {
			fmt.Fprintf(&s, "features = [%s]\n", quoted(d.Features))
		}
	}
	s.WriteString("\n[features]\n")
	for _, f := range b.pkg.cargo.Features {
		// What they turn on of Verus's crates is not there.
		enables := slices.DeleteFunc(slices.Clone(f.Enables), func(e string) bool {
			name, _, of := strings.Cut(strings.TrimPrefix(e, "dep:"), "/")
			return !b.vstd && (of || strings.HasPrefix(e, "dep:")) && isVerus(strings.TrimSuffix(name, "?"))
		})
		fmt.Fprintf(&s, "%q = [%s]\n", f.Name, quoted(enables))
	}
	return s.String()
}

func quoted(all []string) string {
	var out []string
	for _, s := range all {
		out = append(out, strconv.Quote(s))
	}
	return strings.Join(out, ", ")
}

// prepareCargo writes the package of the harness.
func (b *build) prepareCargo() error {
	if err := b.writeOut(path.Join(pkgName, "Cargo.toml"), []byte(b.manifestText())); err != nil {
		return err
	}
	// The versions that the crate is built with are those of its own lock file.
	for dir := b.pkg.dir; ; dir = path.Dir(dir) {
		if lock, ok := b.req.Files[path.Join(dir, "Cargo.lock")]; ok {
			if err := b.writeOut(path.Join(pkgName, "Cargo.lock"), lock); err != nil {
				return err
			}
			break
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	// What may be read of the user's is settled here: what stands in a directory that code of the change may write to says nothing about that.
	for _, dir := range []string{"registry", "git"} {
		if b.req.CargoHome == "" {
			break
		}
		real, err := filepath.EvalSymlinks(filepath.Join(b.req.CargoHome, dir))
		if err != nil {
			continue
		}
		if err := b.root.Symlink(real, filepath.Join(cargoName, dir)); err != nil {
			return err
		}
		b.downloaded = append(b.downloaded, real)
	}
	return nil
}

// cargo builds with the crate's dependencies, without the network. It gives the compiler's messages, a line each, and what else cargo says.
func (b *build) cargo(ctx context.Context) (messages []byte, other string, err error) {
	read := slices.Concat([]string{b.tools.sysroot, b.srcDir()}, b.downloaded, sandbox.GitConfig())
	bin := filepath.Join(b.tools.sysroot, "bin")
	env := []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "CARGO_HOME=" + b.cargoHome(), "CARGO_TARGET_DIR=" + filepath.Join(b.outDir(), targetName),
		"RUSTC=" + b.tools.rustc, "RUSTFLAGS=--cap-lints=allow", "CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never"}
	if b.unstable() {
		env = append(env, "RUSTC_BOOTSTRAP=1")
	}
	args := []string{"build", "--offline", "--message-format=json", "-j2"}
	if len(b.req.Features) > 0 {
		args = append(args, "--features="+strings.Join(b.req.Features, ","))
	}
	c := sandbox.Command{Name: filepath.Join(bin, "cargo"), Args: args, Dir: b.pkgDir(), Env: env,
		Limits:  sandbox.Limits{Wall: b.req.Limits.Compile, Stdout: maxMessages, Stderr: maxMessages, Memory: b.req.Limits.CompileMemory, FileSize: 4 << 30, Processes: 256},
		Isolate: &sandbox.Isolation{ReadOnly: read, Write: []string{b.outDir(), b.cargoHome(), b.pkgDir()}, Require: b.req.Require}}
	res, err := c.Run(ctx)
	var out bytes.Buffer
	for line := range bytes.Lines(res.Stdout) {
		var m struct {
			Reason  string
			Message json.RawMessage
		}
		if json.Unmarshal(line, &m) == nil && m.Reason == "compiler-message" {
			out.Write(m.Message)
			out.WriteByte('\n')
		}
	}
	if err == nil {
		err = b.takeProgram()
	}
	// It is told by names that are the same in every run.
	says := strings.NewReplacer(b.srcDir()+"/", "", b.dir+"/", "").Replace(string(res.Stderr))
	return out.Bytes(), cargoSays(says), err
}

// takeProgram puts what cargo made where it is run. Where that is, is known: procedural macros write to what cargo prints, and would name any
// file of this machine.
func (b *build) takeProgram() (err error) {
	out, err := b.root.OpenRoot(outName)
	if err != nil {
		return fmt.Errorf("look for the program: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	made := filepath.Join(targetName, "debug", "program")
	info, err := out.Lstat(made)
	switch {
	case err != nil:
		return fmt.Errorf("look for the program: %w", err)
	case !info.Mode().IsRegular():
		return errors.New("look for the program: it is no plain file")
	}
	if err := out.Rename(made, filepath.Base(b.program())); err != nil {
		return fmt.Errorf("take the program: %w", err)
	}
	return nil
}

// targetName is cargo's target directory, in that of what is made.
const targetName = "target"

// cargoSays is the first error of cargo's own, with what it is caused by.
func cargoSays(stderr string) string {
	_, text, ok := strings.Cut("\n"+strings.ToValidUTF8(stderr, ""), "\nerror: ")
	if !ok {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 400)]
}

package manifest

import (
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/source"
)

// Cargo is what a Cargo.toml says.
type Cargo struct {
	Source *source.File
	// Package is nil for a manifest that only makes a workspace.
	Package *Package
	// Workspace is nil if there is no [workspace].
	Workspace *Workspace
	// Targets written in the manifest; those that Cargo finds by itself are added by Crates.
	Targets []Target
	// Dependencies of all tables, by table and name.
	Dependencies []Dependency
	// Patches are the entries of [patch.*] and [replace].
	Patches []Dependency
	// Features by name.
	Features []Feature
	// Profiles are the settings of [profile.*]: keys "release.debug-assertions".
	Profiles []Setting
	// Verus is [package.metadata.verus]; nil if there is none.
	Verus *Verus
	// WorkspaceVerus is [workspace.metadata.verus]; nil if there is none.
	WorkspaceVerus *Verus
}

// Package is the [package] table.
type Package struct {
	Name, Version, Edition string
	// Build is the build script: "" by default (build.rs if it is there), "false" if turned off.
	Build string
	// ProcMacro says that the lib is a procedural macro, which runs in the compiler.
	ProcMacro                                               bool
	AutoLib, AutoBins, AutoExamples, AutoTests, AutoBenches bool
	Span                                                    source.Span
}

// Workspace is the [workspace] table.
type Workspace struct {
	Members, Exclude, DefaultMembers []string
	Span                             source.Span
}

// TargetKind is a kind of crate that a package builds.
type TargetKind uint8

const (
	_ TargetKind = iota
	Lib
	Bin
	Example
	Test
	Bench
	BuildScript
)

func (k TargetKind) String() string {
	switch k {
	case Lib:
		return "lib"
	case Bin:
		return "bin"
	case Example:
		return "example"
	case Test:
		return "test"
	case Bench:
		return "bench"
	case BuildScript:
		return "build"
	}
	return "?"
}

// Target is a crate that a package builds.
type Target struct {
	Kind TargetKind
	// Name as written; empty for a lib that has none (the package's name then).
	Name string
	// Path relative to the manifest's directory; empty if left to Cargo.
	Path             string
	RequiredFeatures []string
	Span             source.Span
}

// Dependency is an entry of a dependency or patch table.
type Dependency struct {
	// Table is "dependencies", "dev-dependencies", "build-dependencies", "workspace.dependencies", "target.cfg(..).dependencies",
	// "patch.crates-io", "replace".
	Table string
	// Name is the key: the name that the sources use. Package is the package's own name if it differs ("package = .."), else Name.
	Name, Package string
	Version       string
	// Path, Git, Branch, Tag, Rev and Registry say where the package comes from.
	Path, Git, Branch, Tag, Rev, Registry string
	Workspace, Optional, NoDefault        bool
	Features                              []string
	Span                                  source.Span
}

// Feature is a feature and what it turns on.
type Feature struct {
	Name    string
	Enables []string
	Span    source.Span
}

// Verus is a table metadata.verus. A nil key is not there: cargo verus takes false for it.
type Verus struct {
	Verify, NoVstd, IsVstd, IsCore, IsBuiltin, IsBuiltinMacros *bool
	// Ignored are keys that cargo verus does not read (it ignores them silently), underscored ones among them.
	Ignored []Setting
	Span    source.Span
}

// Verifies tells whether cargo verus verifies the package.
func (v *Verus) Verifies() bool { return v != nil && v.Verify != nil && *v.Verify }

// ParseCargo reads a Cargo.toml. On values of the wrong type it returns what could be read and the errors, joined.
func ParseCargo(src *source.File) (*Cargo, error) {
	d, err := decode(src)
	if err != nil {
		return nil, err
	}
	root := d.table()
	c := &Cargo{Source: src}
	pkgKey := root.first("package", "project")
	if root.has(pkgKey) {
		t := root.sub(pkgKey)
		auto := func(key string) bool { b := t.boolean(key); return b == nil || *b }
		c.Package = &Package{Name: t.str("name"), Version: t.inheritable("version"), Edition: t.inheritable("edition"),
			AutoLib: auto("autolib"), AutoBins: auto("autobins"), AutoExamples: auto("autoexamples"), AutoTests: auto("autotests"),
			AutoBenches: auto("autobenches"), Span: d.span([]string{pkgKey})}
		switch b := t.m["build"].(type) {
		case bool:
			c.Package.Build = map[bool]string{true: "build.rs", false: "false"}[b]
		case []any: // several build scripts, unstable: the first
			if s := t.strs("build"); len(s) > 0 {
				c.Package.Build = s[0]
			}
		default:
			c.Package.Build = t.str("build")
		}
		c.Verus = verusTable(t)
	}
	if root.has("workspace") {
		t := root.sub("workspace")
		c.Workspace = &Workspace{Members: t.strs("members"), Exclude: t.strs("exclude"), DefaultMembers: t.strs("default-members"),
			Span: d.span([]string{"workspace"})}
		c.WorkspaceVerus = verusTable(t)
		c.dependencies(t, "dependencies", "workspace.")
	}
	if root.has("lib") {
		lib := root.sub("lib")
		c.Targets = append(c.Targets, target(lib, Lib))
		if c.Package != nil {
			c.Package.ProcMacro = isTrue(lib.boolean(lib.first("proc-macro", "proc_macro"))) || slices.Contains(lib.strs(lib.first("crate-type", "crate_type")), "proc-macro")
		}
	}
	for _, k := range []struct {
		key  string
		kind TargetKind
	}{{"bin", Bin}, {"example", Example}, {"test", Test}, {"bench", Bench}} {
		for _, t := range root.tables(k.key) {
			c.Targets = append(c.Targets, target(t, k.kind))
		}
	}
	for _, k := range dependencyTables {
		c.dependencies(root, k, "")
	}
	targets := root.sub("target")
	for _, cfg := range targets.keys() {
		for _, k := range dependencyTables {
			c.dependencies(targets.sub(cfg), k, "target."+cfg+".")
		}
	}
	c.Patches = patches(root)
	features := root.sub("features")
	for _, k := range features.keys() {
		c.Features = append(c.Features, Feature{Name: k, Enables: features.strs(k), Span: d.span(features.at(k))})
	}
	c.Profiles = root.sub("profile").settings()
	return c, d.err()
}

var dependencyTables = [...]string{"dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies", "build_dependencies"}

func verusTable(t table) *Verus {
	if m, ok := t.m["metadata"].(map[string]any); !ok || m["verus"] == nil {
		return nil
	}
	v := t.sub("metadata").sub("verus")
	out := &Verus{Span: v.d.span(v.path)}
	for _, s := range v.settings() {
		switch s.Key {
		case "verify":
			out.Verify = v.boolean(s.Key)
		case "no-vstd":
			out.NoVstd = v.boolean(s.Key)
		case "is-vstd":
			out.IsVstd = v.boolean(s.Key)
		case "is-core":
			out.IsCore = v.boolean(s.Key)
		case "is-builtin":
			out.IsBuiltin = v.boolean(s.Key)
		case "is-builtin-macros":
			out.IsBuiltinMacros = v.boolean(s.Key)
		default:
			out.Ignored = append(out.Ignored, s)
		}
	}
	return out
}

func target(t table, kind TargetKind) Target {
	key := t.first("required-features", "required_features")
	return Target{Kind: kind, Name: t.str("name"), Path: t.str("path"), RequiredFeatures: t.strs(key), Span: t.d.span(t.path)}
}

func (c *Cargo) dependencies(t table, key, prefix string) {
	deps := t.sub(key)
	for _, name := range deps.keys() {
		c.Dependencies = append(c.Dependencies, dependency(deps, name, prefix+strings.ReplaceAll(key, "_", "-")))
	}
}

func dependency(t table, name, in string) Dependency {
	d := Dependency{Table: in, Name: name, Package: name, Span: t.d.span(t.at(name))}
	if v, ok := t.m[name].(string); ok {
		d.Version = v
		return d
	}
	e := t.sub(name)
	if p := e.str("package"); p != "" {
		d.Package = p
	}
	d.Version, d.Path, d.Git, d.Branch, d.Tag, d.Rev = e.str("version"), e.str("path"), e.str("git"), e.str("branch"), e.str("tag"), e.str("rev")
	d.Registry = e.str(e.first("registry", "registry-index"))
	d.Features = e.strs("features")
	d.Workspace, d.Optional = isTrue(e.boolean("workspace")), isTrue(e.boolean("optional"))
	if b := e.boolean(e.first("default-features", "default_features")); b != nil {
		d.NoDefault = !*b
	}
	return d
}

func isTrue(b *bool) bool { return b != nil && *b }

func patches(root table) []Dependency {
	var out []Dependency
	all := root.sub("patch")
	for _, registry := range all.keys() {
		t := all.sub(registry)
		for _, name := range t.keys() {
			out = append(out, dependency(t, name, "patch."+registry))
		}
	}
	replace := root.sub("replace")
	for _, name := range replace.keys() {
		out = append(out, dependency(replace, name, "replace"))
	}
	return out
}

// CrateRoot is a crate of a package: its root file and the name that sources use for it.
type CrateRoot struct {
	Kind TargetKind
	// Name with underscores for hyphens.
	Name string
	// Path relative to the repository's root.
	Path string
	// Built says which of Cargo's commands build it.
	Built Built
}

// Built says when a crate is built. What is built less often is less.
type Built uint8

const (
	// OnRequest is with features that are not on by default.
	OnRequest Built = iota
	// ForTests is with tests, examples or benches.
	ForTests
	// Always is with the package.
	Always
)

// DefaultFeatures are the features that are on when nobody asks, by way of others too.
func (c *Cargo) DefaultFeatures() map[string]bool {
	by := map[string]Feature{}
	for _, f := range c.Features {
		by[f.Name] = f
	}
	on := map[string]bool{}
	for next := by["default"].Enables; len(next) > 0; {
		name := next[0]
		next = next[1:]
		if !on[name] {
			on[name] = true
			next = append(slices.Clone(next), by[name].Enables...)
		}
	}
	return on
}

// Crates are the crates of the manifest's package: the targets written in it and those that Cargo finds by the layout of files.
// Paths lists all files of the tree, sorted. Targets whose file is not in the tree are left out. The lib comes first.
func (c *Cargo) Crates(paths []string) []CrateRoot {
	if c.Package == nil {
		return nil
	}
	dir := path.Dir(c.Source.Path)
	has := func(p string) bool { _, ok := slices.BinarySearch(paths, p); return ok }
	var out []CrateRoot
	seen := map[string]bool{}
	on := c.DefaultFeatures()
	add := func(kind TargetKind, name, rel string, needs ...string) bool {
		p := path.Join(dir, rel)
		key := kind.String() + "\x00" + p
		if strings.HasPrefix(p, "../") || !has(p) {
			return false
		}
		if !seen[key] {
			seen[key] = true
			built := ForTests
			switch {
			case slices.ContainsFunc(needs, func(f string) bool { return !on[f] }):
				built = OnRequest
			case kind == Lib || kind == Bin || kind == BuildScript:
				built = Always
			}
			out = append(out, CrateRoot{Kind: kind, Name: strings.ReplaceAll(name, "-", "_"), Path: p, Built: built})
		}
		return true
	}
	folders := map[TargetKind]string{Bin: "src/bin", Example: "examples", Test: "tests", Bench: "benches"}
	lib := Target{Kind: Lib}
	hasLib := c.Package.AutoLib
	for _, t := range c.Targets {
		if t.Kind == Lib {
			lib, hasLib = t, true
		}
	}
	if hasLib {
		name := lib.Name
		if name == "" {
			name = c.Package.Name
		}
		if lib.Path == "" {
			lib.Path = "src/lib.rs"
		}
		add(Lib, name, lib.Path)
	}
	for _, t := range c.Targets {
		if t.Kind == Lib {
			continue
		}
		if t.Path != "" {
			add(t.Kind, t.Name, t.Path, t.RequiredFeatures...)
			continue
		}
		if t.Kind == Bin && t.Name == c.Package.Name && add(t.Kind, t.Name, "src/main.rs", t.RequiredFeatures...) {
			continue
		}
		if !add(t.Kind, t.Name, folders[t.Kind]+"/"+t.Name+".rs", t.RequiredFeatures...) {
			add(t.Kind, t.Name, folders[t.Kind]+"/"+t.Name+"/main.rs", t.RequiredFeatures...)
		}
	}
	auto := func(kind TargetKind, on bool) {
		if !on {
			return
		}
		if kind == Bin {
			add(Bin, c.Package.Name, "src/main.rs")
		}
		prefix := path.Join(dir, folders[kind]) + "/"
		i, _ := slices.BinarySearch(paths, prefix)
		for ; i < len(paths) && strings.HasPrefix(paths[i], prefix); i++ {
			rest := paths[i][len(prefix):]
			switch name, file, nested := strings.Cut(rest, "/"); {
			case !nested && strings.HasSuffix(rest, ".rs"):
				add(kind, strings.TrimSuffix(rest, ".rs"), folders[kind]+"/"+rest)
			case nested && file == "main.rs":
				add(kind, name, folders[kind]+"/"+rest)
			}
		}
	}
	auto(Bin, c.Package.AutoBins)
	auto(Example, c.Package.AutoExamples)
	auto(Test, c.Package.AutoTests)
	auto(Bench, c.Package.AutoBenches)
	switch c.Package.Build {
	case "false":
	case "":
		add(BuildScript, "build_script_build", "build.rs")
	default:
		add(BuildScript, "build_script_build", c.Package.Build)
	}
	return out
}

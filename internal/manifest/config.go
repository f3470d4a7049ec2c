package manifest

import (
	"strings"

	"github.com/specgate/specgate/internal/source"
)

// Config is what a .cargo/config.toml says that can change what is verified or built.
type Config struct {
	Source *source.File
	// Env are the variables that Cargo sets for rustc and for what it runs.
	Env []EnvVar
	// Build are the settings of [build] by key: rustc, rustc-wrapper, rustc-workspace-wrapper, rustflags, target, ...
	Build []Setting
	// Rustflags are [build] rustflags, word by word.
	Rustflags []string
	// Patches are the entries of [patch.*].
	Patches []Dependency
	// Aliases are [alias]: a name and its words joined by blanks.
	Aliases []Setting
	// Targets are the settings of [target.*], keys "x86_64-unknown-linux-gnu.linker", "cfg(..).rustflags".
	Targets []Setting
	// Paths, Directories and Registries say where packages are that stand in for those of registries and repositories, relative to the directory
	// that has .cargo: the entries of paths, and of [source.*] those of directory and local-registry.
	Paths, Directories, Registries []string
	// Other are the settings of all other tables: source, paths, include, profile, unstable, ...
	Other []Setting
}

// EnvVar is an entry of [env].
type EnvVar struct {
	Name, Value     string
	Force, Relative bool
	Span            source.Span
}

// ToolVariable tells an environment variable that decides which verifier, solver or compiler runs.
func ToolVariable(name string) bool {
	for _, prefix := range []string{"VERUS_", "Z3", "CVC5", "VARGO_", "VSTD_", "RUSTC", "CARGO_BUILD_RUSTC", "RUSTUP_TOOLCHAIN"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// ParseConfig reads a .cargo/config.toml. Errors are as for ParseCargo.
func ParseConfig(src *source.File) (*Config, error) {
	d, err := decode(src)
	if err != nil {
		return nil, err
	}
	root := d.table()
	c := &Config{Source: src}
	env := root.sub("env")
	for _, k := range env.keys() {
		v := EnvVar{Name: k, Span: d.span(env.at(k))}
		if s, ok := env.m[k].(string); ok {
			v.Value = s
		} else {
			t := env.sub(k)
			v.Value, v.Force, v.Relative = t.str("value"), isTrue(t.boolean("force")), isTrue(t.boolean("relative"))
		}
		c.Env = append(c.Env, v)
	}
	build := root.sub("build")
	c.Build, c.Rustflags = build.settings(), build.words("rustflags")
	c.Patches = patches(root)
	alias := root.sub("alias")
	for _, k := range alias.keys() {
		c.Aliases = append(c.Aliases, Setting{Key: k, Value: strings.Join(alias.words(k), " "), Span: d.span(alias.at(k))})
	}
	c.Targets = root.sub("target").settings()
	c.Paths = root.strs("paths")
	sources := root.sub("source")
	for _, k := range sources.keys() {
		of := sources.sub(k)
		if dir := of.str("directory"); dir != "" {
			c.Directories = append(c.Directories, dir)
		}
		if dir := of.str("local-registry"); dir != "" {
			c.Registries = append(c.Registries, dir)
		}
	}
	rest := map[string]any{}
	for k, v := range d.root {
		switch k {
		case "env", "build", "patch", "replace", "alias", "target":
		default:
			rest[k] = v
		}
	}
	c.Other = table{d: d, m: rest}.settings()
	return c, d.err()
}

// Toolchain is what a rust-toolchain or rust-toolchain.toml file says.
type Toolchain struct {
	Source *source.File
	// Channel is the channel or version: "1.95.0", "nightly-2026-01-01". Path is a toolchain's directory instead of it.
	Channel, Path, Profile string
	Components, Targets    []string
	Span                   source.Span
}

// ParseToolchain reads a rust-toolchain.toml or a rust-toolchain file, which may hold the channel's name alone.
func ParseToolchain(src *source.File) (*Toolchain, error) {
	if line := strings.TrimSpace(string(src.Text)); line != "" && len(line) < 200 && !strings.ContainsAny(line, "\n[=") {
		at := strings.Index(string(src.Text), line)
		return &Toolchain{Source: src, Channel: line, Span: source.Span{Start: at, End: at + len(line)}}, nil
	}
	d, err := decode(src)
	if err != nil {
		return nil, err
	}
	t := d.table().sub("toolchain")
	return &Toolchain{Source: src, Channel: t.str("channel"), Path: t.str("path"), Profile: t.str("profile"),
		Components: t.strs("components"), Targets: t.strs("targets"), Span: d.span([]string{"toolchain", "channel"})}, d.err()
}

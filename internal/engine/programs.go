package engine

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/source"
)

// editedPrograms are the files of programs that cargo runs to build head and that base does not have, or not as such programs, or with another
// text. Sorted.
func (r *runner) editedPrograms() []string {
	base := programs(r.base.paths, r.base.Read)
	var out []string
	for _, p := range programs(r.head.paths, r.head.Read) {
		if _, found := slices.BinarySearch(base, p); found && r.base.entries[p].Kind == r.head.entries[p].Kind {
			was, wasErr := r.base.Read(p)
			is, isErr := r.head.Read(p)
			if wasErr == nil && isErr == nil && bytes.Equal(was, is) {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// programs are the files of the packages of a tree that are, or may be a part of, programs that cargo runs while it builds: build scripts, procedural
// macros, and the packages of the tree that these are built from. Sorted. Which files a program is made of is not worked out, so it may be a few more;
// files that it reads are among them only if they are in the package of a procedural macro.
//
// Cargo finds a package by a path, by its name in a registry or repository that a patch, [replace], paths or a source of the tree stands in for, or
// by what the workspace says of the name. Which of them holds is not asked: a package that may be meant is a part of the program.
func programs(paths []string, read func(string) ([]byte, error)) []string {
	packages := map[string]*manifest.Cargo{} // by directory
	named := map[string][]string{}           // the directories of packages by their name
	type inDir struct {
		dir string
		manifest.Dependency
	}
	inherited := map[string][]inDir{}      // what workspaces say of a name
	var brought []inDir                    // packages that stand in for others
	var below, vendored, archives []string // directories of packages that do so too: of some, of all, and of all as archives
	var outside []inDir                    // what comes from a registry or a repository
	for _, p := range paths {
		dir := path.Dir(p)
		config := path.Base(dir) == ".cargo" && (path.Base(p) == "config.toml" || path.Base(p) == "config")
		if path.Base(p) != "Cargo.toml" && !config {
			continue
		}
		text, err := read(p)
		if err != nil {
			continue // not a plain file: it is not copied either
		}
		if config { // what is wrong with it, and with a manifest, is told elsewhere
			dir = path.Dir(dir)
			if c, _ := manifest.ParseConfig(source.NewFile(p, text)); c != nil {
				for _, d := range c.Patches {
					brought = append(brought, inDir{dir, d})
				}
				for _, to := range []struct {
					out *[]string
					in  []string
				}{{&below, c.Paths}, {&vendored, c.Directories}, {&archives, c.Registries}} {
					for _, d := range to.in {
						*to.out = append(*to.out, path.Join(dir, d))
					}
				}
			}
			continue
		}
		c, _ := manifest.ParseCargo(source.NewFile(p, text))
		if c == nil {
			continue
		}
		for _, d := range c.Patches {
			brought = append(brought, inDir{dir, d})
		}
		for _, d := range c.Dependencies {
			if d.Table == "workspace.dependencies" {
				inherited[d.Name] = append(inherited[d.Name], inDir{dir, d})
			}
			if d.Path == "" && !d.Workspace && !strings.HasSuffix(d.Table, "dev-dependencies") {
				outside = append(outside, inDir{dir, d})
			}
		}
		if c.Package != nil {
			packages[dir] = c
			named[c.Package.Name] = append(named[c.Package.Name], dir)
		}
	}
	whole := map[string]bool{} // directories of packages that run as a whole
	var add func(dir string)
	find := func(d inDir) {
		if d.Path != "" {
			add(path.Join(d.dir, d.Path))
			return
		}
		for _, other := range named[d.Package] {
			add(other)
		}
	}
	depend := func(dir string, c *manifest.Cargo, build bool) {
		for _, d := range c.Dependencies {
			table := d.Table[strings.LastIndexByte(d.Table, '.')+1:]
			if (table == "build-dependencies") != build || table == "dev-dependencies" || d.Table == "workspace.dependencies" {
				continue
			}
			if !d.Workspace {
				find(inDir{dir, d})
				continue
			}
			for _, of := range inherited[d.Name] {
				find(of)
			}
			if len(inherited[d.Name]) == 0 { // nothing was read of that workspace
				find(inDir{dir, manifest.Dependency{Package: d.Package}})
			}
		}
	}
	add = func(dir string) {
		c := packages[dir]
		if c == nil || whole[dir] {
			return
		}
		whole[dir] = true
		depend(dir, c, false)
	}
	found := map[string]bool{}
	in := func(p string, dirs []string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") })
	}
	if len(outside) > 0 {
		// What comes from outside may be a procedural macro or have a build script, and what it is built from is not known here.
		for _, d := range brought {
			if d.Path != "" {
				add(path.Join(d.dir, d.Path))
			}
		}
		// Where the tree has all of it, its manifests tell which packages are part of a program.
		unseen := slices.ContainsFunc(outside, func(d inDir) bool {
			return !in(d.dir, vendored) && !slices.ContainsFunc(named[d.Package], func(dir string) bool { return in(dir, vendored) })
		})
		for dir := range packages {
			if in(dir, below) || unseen && in(dir, vendored) {
				add(dir)
			}
		}
		for _, p := range paths {
			if in(p, archives) {
				found[p] = true
			}
		}
	}
	scripts := map[string]string{} // the directory of a build script: that of its package
	for dir, c := range packages {
		if c.Package.ProcMacro {
			add(dir)
		}
		depend(dir, c, true)
		for _, root := range c.Crates(paths) {
			if root.Kind == manifest.BuildScript {
				found[root.Path] = true
				scripts[path.Dir(root.Path)] = dir
			}
		}
	}
	// owner is the directory of the package that a file belongs to; empty if it belongs to none.
	owner := func(p string) string {
		for dir := path.Dir(p); ; dir = path.Dir(dir) {
			if packages[dir] != nil {
				return dir
			}
			if dir == "." {
				return ""
			}
		}
	}
	for _, p := range paths {
		o := owner(p)
		switch {
		case o == "":
		case whole[o] && path.Ext(p) != ".md":
			found[p] = true
		case path.Ext(p) == ".rs" && scripts[path.Dir(p)] == o && path.Base(path.Dir(p)) != "src":
			found[p] = true // a module of a script stands beside it, unless that is where the package has its sources
		}
	}
	out := make([]string, 0, len(found))
	for p := range found {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

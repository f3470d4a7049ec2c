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
func programs(paths []string, read func(string) ([]byte, error)) []string {
	packages := map[string]*manifest.Cargo{} // by directory
	for _, p := range paths {
		if path.Base(p) != "Cargo.toml" {
			continue
		}
		text, err := read(p)
		if err != nil {
			continue // not a plain file: it is not copied either
		}
		if c, _ := manifest.ParseCargo(source.NewFile(p, text)); c != nil && c.Package != nil { // what is wrong with it is told elsewhere
			packages[path.Dir(p)] = c
		}
	}
	whole := map[string]bool{} // directories of packages that run as a whole
	var add func(dir string)
	depend := func(dir string, c *manifest.Cargo, build bool) {
		for _, d := range c.Dependencies {
			table := d.Table[strings.LastIndexByte(d.Table, '.')+1:]
			if (table == "build-dependencies") != build || table == "dev-dependencies" {
				continue
			}
			if d.Path != "" {
				add(path.Join(dir, d.Path))
			}
			if d.Workspace { // the path stands in the manifest of the workspace
				for other, p := range packages {
					if p.Package.Name == d.Package {
						add(other)
					}
				}
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
	scripts := map[string]string{} // the directory of a build script: that of its package
	found := map[string]bool{}
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

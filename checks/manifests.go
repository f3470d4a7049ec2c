package checks

import (
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/source"
)

// ManifestChange is a Cargo.toml on both sides. A package that moved is one change, also where another manifest took the place of its own.
type ManifestChange struct {
	File FileChange
	// Base and Head are what it says; nil where that side has no such file or nobody can read it, which is a problem of the run.
	Base, Head *manifest.Cargo
	// To is the manifest that base's package is in now, where this one has it no more. Base is then without the package.
	To *source.File
}

// Manifests are the manifests that the change touches. A manifest that is new and has the package that one of base has lost is beside that one: git sees no move where the
// old path has another file now, such as that of a workspace.
func (in *Input) Manifests() []ManifestChange {
	var out []ManifestChange
	for _, f := range in.Files {
		if path.Base(f.Path()) != "Cargo.toml" {
			continue
		}
		c := ManifestChange{File: f}
		if f.Base != nil {
			c.Base, _ = manifest.ParseCargo(f.Base)
		}
		if f.Head != nil {
			c.Head, _ = manifest.ParseCargo(f.Head)
		}
		out = append(out, c)
	}
	name := func(c *manifest.Cargo) string {
		if c == nil || c.Package == nil {
			return ""
		}
		return c.Package.Name
	}
	lost, found := map[string][]int{}, map[string][]int{} // by the package's name
	for i, c := range out {
		if n := name(c.Base); n != "" && n != name(c.Head) && (c.File.Head == nil) == (c.Head == nil) {
			lost[n] = append(lost[n], i)
		}
		if n := name(c.Head); n != "" && c.File.Base == nil {
			found[n] = append(found[n], i)
		}
	}
	gone := map[int]bool{}
	for n, from := range lost {
		to := found[n]
		if len(from) != 1 || len(to) != 1 {
			continue // not plain which became which
		}
		was, is := &out[from[0]], &out[to[0]]
		is.File.Base, is.Base = was.File.Base, was.Base
		if was.File.Head == nil {
			gone[from[0]] = true
			continue
		}
		is.Base, was.Base = split(was.Base)
		was.To = is.File.Head
	}
	kept := out[:0]
	for i, c := range out {
		if !gone[i] {
			kept = append(kept, c)
		}
	}
	return kept
}

// split are what a manifest says of its package, and what it says of the workspace that it is the root of.
func split(c *manifest.Cargo) (pkg, workspace *manifest.Cargo) {
	ofWorkspace := func(d manifest.Dependency) bool { return strings.HasPrefix(d.Table, "workspace.") }
	p, w := *c, *c
	p.Workspace, p.WorkspaceVerus, p.Patches, p.Profiles = nil, nil, nil, nil
	p.Dependencies = slices.DeleteFunc(slices.Clone(c.Dependencies), ofWorkspace)
	w.Package, w.Verus, w.Targets, w.Features = nil, nil, nil, nil
	w.Dependencies = slices.DeleteFunc(slices.Clone(c.Dependencies), func(d manifest.Dependency) bool { return !ofWorkspace(d) })
	return &p, &w
}

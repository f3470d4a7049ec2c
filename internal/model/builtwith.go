package model

import (
	"path"
	"slices"
	"strings"
)

// A call of a method on a receiver whose type is not plain counts for every method of the name. Not for one of a crate that the proof's crate is built without, and
// not for one of a file that nothing builds: no value there can be of its type.

// mayMean tells whether a call of a method, on the way of a proof of f, may mean another function by where the two stand.
func (x *index) mayMean(f, method *Function) bool {
	if f.File == method.File {
		return true
	}
	if method.File.Orphan && !f.File.Orphan && !x.mayTake(method.File) {
		return false
	}
	with := x.builtWith(f.Crate)
	// A file that another one names may be a part of that crate, too.
	return with == nil || with[method.Crate] || len(x.quotedBy(method.File)) > 0
}

// mayTake tells a file that another one may take in by a way that is not followed, such as a macro that is given its name.
func (x *index) mayTake(f *File) bool {
	if len(x.quotedBy(f)) > 0 {
		return true
	}
	stem := strings.TrimSuffix(path.Base(f.Path), ".rs")
	if stem == "mod" {
		stem = path.Base(path.Dir(f.Path))
	}
	return slices.ContainsFunc(x.tree.Mentions(stem), func(p string) bool { return p != f.Path })
}

// quotedBy are the files with a string that ends in a file's name.
func (x *index) quotedBy(f *File) []string {
	x.scan()
	return x.quoted[path.Base(f.Path)]
}

// builtWith are the crates of the tree that a crate is built with, itself among them, as far as manifests and names tell; nil: not known.
func (x *index) builtWith(c *Crate) map[*Crate]bool {
	if out, ok := x.with[c]; ok {
		return out
	}
	var out map[*Crate]bool
	if ci := x.roots[c.Root]; ci != nil && ci.Crate == c {
		out = map[*Crate]bool{c: true}
		work := []*crateInfo{ci}
		for i := 0; i < len(work) && out != nil; i++ {
			next, ok := x.uses(work[i])
			if !ok {
				out = nil
				break
			}
			for _, k := range next {
				if !out[k.Crate] {
					out[k.Crate] = true
					work = append(work, k)
				}
			}
		}
	}
	x.with[c] = out
	return out
}

// uses are the libraries of the tree that a crate is given: those that its package's manifest has under any condition, and those that a file of the package
// has the name of, since a script may build it without Cargo. ok is false for a crate of no package.
func (x *index) uses(c *crateInfo) (libs []*crateInfo, ok bool) {
	if c.pkg == nil {
		return nil, false
	}
	if c.pkg.lib != nil {
		libs = append(libs, c.pkg.lib)
	}
	packages := map[string]bool{}
	for _, d := range c.pkg.cargo.Dependencies {
		packages[d.Package] = true
		for _, name := range x.inWorkspaces[d.Name] {
			packages[name] = true
		}
	}
	for _, k := range x.pkgs {
		if k.lib == nil || k == c.pkg {
			continue
		}
		if packages[k.name] || slices.ContainsFunc(x.tree.Mentions(k.lib.Name), func(p string) bool { return x.owner(p) == c.pkg }) {
			libs = append(libs, k.lib)
		}
	}
	return libs, true
}

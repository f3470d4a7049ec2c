package trust

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

func fileRules() []*checks.Rule {
	const manifestOn = "[package]\nname = \"ring\"\nversion = \"0.1.0\"\n\n[package.metadata.verus]\nverify = true\n"
	return []*checks.Rule{
		{
			ID: "trust/verification-off", Family: checks.Trust, Severity: policy.Error, Needs: checks.NeedHead | checks.NeedBase,
			Purpose: "The verifier is turned off, or told to look at less.",
			Why:     "A run that does not verify, or verifies a part, ends green all the same.",
			Fires:   checks.Example{File: "Cargo.toml", Base: manifestOn, Head: strings.Replace(manifestOn, "verify = true", "verify = false", 1), Symbol: "Cargo.toml"},
			Quiet: checks.Example{File: "Cargo.toml", Base: manifestOn,
				Head: "[package]\nname = \"ring\"\nversion = \"0.1.1\"\nmetadata.verus.verify = true # see README\n"},
			Remedy:   "Take the setting back, or show that the rest is verified elsewhere.",
			NoMirror: "Turning verification on needs no attention.",
			Run:      func(p *checks.Pass) { reportChanges(p, off) },
		},
		{
			ID: "trust/solver-config", Family: checks.Trust, Severity: policy.Warning, Needs: checks.NeedHead | checks.NeedBase,
			Purpose:  "Another verifier, solver or toolchain will be used, or specgate is run otherwise.",
			Why:      "The proof is only as good as the programs that check it. A path, a pin or an argument in the change decides which ones run, and on what.",
			Fires:    checks.Example{File: ".cargo/config.toml", Base: "[build]\njobs = 2\n", Head: "[build]\njobs = 2\n\n[env]\nVERUS_Z3_PATH = \"tools/z3\"\n", Symbol: ".cargo/config.toml"},
			Quiet:    checks.Example{File: ".cargo/config.toml", Base: "[build]\njobs = 2\n", Head: "[build]\njobs = 4\n"},
			Remedy:   "Check that the new version is the one that the project means to use, and that it comes from where it should.",
			NoMirror: "Either direction is a change of tools.",
			Run:      func(p *checks.Pass) { reportChanges(p, tools) },
		},
	}
}

// kind of a change of a file.
type kind uint8

const (
	_     kind = iota
	off        // trust/verification-off
	tools      // trust/solver-config
)

// change of a file that bears on what is verified.
type change struct {
	kind    kind
	file    checks.FileChange
	span    source.Span // in head; empty: the file as a whole
	key     string      // canonical: what changed
	message string
}

func reportChanges(p *checks.Pass, k kind) {
	all := p.Memo("trust.files", func() any { return fileChanges(p) }).([]change)
	for _, c := range all {
		if c.kind != k {
			continue
		}
		f := checks.AtFile(c.file)
		if c.file.Head != nil && c.span != (source.Span{}) {
			f = f.At(c.file.Head, c.span)
		}
		f.Change, f.Message = c.key, c.message
		p.Report(f)
	}
}

func fileChanges(p *checks.Pass) []change {
	var out []change
	var found scripts
	for _, f := range p.Files {
		switch name := path.Base(f.Path()); {
		case name == "Cargo.lock":
			out = append(out, lockChanges(f)...)
		case isCargoConfig(f.Path()):
			out = append(out, configChanges(f)...)
		case name == "rust-toolchain" || name == "rust-toolchain.toml":
			out = append(out, toolchainChanges(f)...)
		case isScript(f.Path()):
			found.add(f)
		}
	}
	for _, m := range p.Manifests() {
		out = append(out, cargoChanges(p, m)...)
	}
	for _, f := range buildScripts(p) {
		found.add(f)
	}
	return append(out, found.changes()...)
}

func isCargoConfig(p string) bool {
	return strings.HasSuffix(p, ".cargo/config.toml") || strings.HasSuffix(p, ".cargo/config")
}

// isScript tells a file that may run the verifier.
func isScript(p string) bool {
	name := path.Base(p)
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".mk", ".just", ".nix",
		".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".bzl":
		return true
	case ".yml", ".yaml":
		return strings.Contains(p, ".github/") || strings.Contains(p, ".circleci/") || strings.Contains(p, ".buildkite/") ||
			strings.Contains(name, "gitlab-ci") || strings.Contains(name, "pipelines") || name == "action.yml" || name == "action.yaml" ||
			name == ".travis.yml" || name == "Taskfile.yml" || name == ".pre-commit-config.yaml"
	}
	switch name {
	case "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile", "Makefile.toml", "Jenkinsfile", "Dockerfile", "configure", "BUILD", "WORKSPACE",
		"package.json":
		return true
	}
	return path.Ext(name) == "" && strings.HasPrefix(path.Dir(p), "scripts")
}

// buildScripts are the Rust files of both models that may run the verifier or steer it: build scripts, and programs that name it.
func buildScripts(p *checks.Pass) []checks.FileChange {
	if p.Pairs == nil {
		return nil
	}
	by := map[string]*checks.FileChange{}
	for _, f := range p.Pairs.Base.Files {
		if mayRunVerus(f) {
			by[f.Path] = &checks.FileChange{Base: stringsOf(f.Syntax)}
		}
	}
	for _, f := range p.Pairs.Head.Files {
		if mayRunVerus(f) {
			if by[f.Path] == nil {
				by[f.Path] = &checks.FileChange{}
			}
			by[f.Path].Head = stringsOf(f.Syntax)
		}
	}
	var out []checks.FileChange
	for _, c := range by {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b checks.FileChange) int { return cmp.Compare(a.Path(), b.Path()) })
	return out
}

// mayRunVerus tells a Rust file that names the verifier in a string.
func mayRunVerus(f *model.File) bool {
	if f.Syntax == nil {
		return false
	}
	text := f.Syntax.Source.Text
	for _, word := range []string{`"verus`, "/verus", "VERUS_", "cargo-verus", "--no-verify", "verus_keep_ghost\"", "verus_only\""} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return path.Base(f.Path) == "build.rs"
}

// stringsOf blanks everything but the string literals of a Rust file, so that places stay right.
func stringsOf(f *syntax.File) *source.File {
	text := make([]byte, len(f.Source.Text))
	for i, c := range f.Source.Text {
		text[i] = ' '
		if c == '\n' {
			text[i] = '\n'
		}
	}
	for t := range f.Root().Tokens() {
		if t.Kind() == syntax.String {
			copy(text[t.Span().Start:t.Span().End], f.Source.Text[t.Span().Start:t.Span().End])
		}
	}
	return source.NewFile(f.Source.Path, text)
}

// --- Cargo.toml ---

// verusPackages are the packages whose version is the verifier's.
var verusPackages = []string{"vstd", "verus_builtin", "verus_builtin_macros", "verus_state_machines_macros", "builtin", "builtin_macros", "state_machines_macros"}

func parseCargo(f *source.File) *manifest.Cargo {
	if f == nil {
		return &manifest.Cargo{}
	}
	c, _ := manifest.ParseCargo(f) // what cannot be read is a problem of the run, reported by the pipeline
	if c == nil {
		return &manifest.Cargo{}
	}
	return c
}

func cargoChanges(p *checks.Pass, m checks.ManifestChange) []change {
	f, none := m.File, &manifest.Cargo{}
	base, head := cmp.Or(m.Base, none), cmp.Or(m.Head, none)
	var out []change
	add := func(k kind, span source.Span, key, format string, args ...any) {
		out = append(out, change{k, f, span, key, fmt.Sprintf(format, args...)})
	}
	for _, t := range []struct {
		name       string
		base, head *manifest.Verus
	}{{"package", base.Verus, head.Verus}, {"workspace", base.WorkspaceVerus, head.WorkspaceVerus}} {
		var span source.Span
		if t.head != nil {
			span = t.head.Span
		} else if head.Package != nil {
			span = head.Package.Span
		}
		if t.base.Verifies() && !t.head.Verifies() && f.Head != nil {
			why := "the key verify of [" + t.name + ".metadata.verus] is gone"
			if t.head != nil && t.head.Verify != nil {
				why = "verify is false in [" + t.name + ".metadata.verus]"
			}
			add(off, span, t.name+" verify", "The verifier will not look at this package any more: %s. cargo verus then ends green without verifying it.", why)
		}
		if t.head == nil {
			continue
		}
		flag := func(name string, base, head *bool) {
			if head != nil && *head && (base == nil || !*base) {
				add(off, span, t.name+" "+name, "%s = true makes the verifier treat this package as a part of Verus itself, which is exempt from checks.", name)
			}
		}
		b := t.base
		if b == nil {
			b = &manifest.Verus{}
		}
		flag("no-vstd", b.NoVstd, t.head.NoVstd)
		flag("is-vstd", b.IsVstd, t.head.IsVstd)
		flag("is-core", b.IsCore, t.head.IsCore)
		flag("is-builtin", b.IsBuiltin, t.head.IsBuiltin)
		flag("is-builtin-macros", b.IsBuiltinMacros, t.head.IsBuiltinMacros)
	}
	if f.Head == nil {
		if base.Verus.Verifies() {
			add(off, source.Span{}, "manifest gone", "The manifest is gone, and with it the key that has the verifier look at this package. No manifest of the change takes it over.")
		}
		return out
	}
	if m.To != nil && parseCargo(m.To).Verus.Verifies() && !reached(head, path.Dir(f.Head.Path), path.Dir(m.To.Path)) {
		add(off, source.Span{}, "moved "+m.To.Path, "The package that was here is in %s now, and nothing here leads there: neither the members of a workspace that a run takes when it names no package, nor a dependency. A run from here does not verify it any more.", m.To.Path)
	}
	libName := func(c *manifest.Cargo) string {
		for _, t := range c.Targets {
			if t.Kind == manifest.Lib && t.Name != "" {
				return t.Name
			}
		}
		return ""
	}
	if head.Package != nil && libName(head) == "vstd" && libName(base) != "vstd" {
		add(off, head.Package.Span, "lib vstd", "The library takes the name vstd. The verifier exempts crates of that name from its checks for external_body and assumed contracts.")
	}
	told := map[string]bool{} // roots
	for _, t := range head.Targets {
		// The sources of the old root have not changed, so that nothing else tells.
		if was := rootOf(base, t.Kind, t.Name); f.Base != nil && was != "" && was != t.Path && t.Path != "" && !gone(p, path.Join(path.Dir(f.Head.Path), was)) {
			told[path.Join(path.Dir(f.Head.Path), was)] = true
			add(off, t.Span, "root "+t.Kind.String()+" "+t.Name, "The %s target is now made from %s; before it was %s, which is still there and which this target does not reach any more.", t.Kind, t.Path, was)
		}
	}
	if head.Package != nil && head.Verus.Verifies() { // else that was told
		for _, d := range dropped(p, f) {
			if !told[d.root] {
				add(off, head.Package.Span, "dropped "+d.root+"\x00"+strings.Join(d.files, "\x00"), "The verifier will not look at %s any more, although the code is still there: %s.", strings.Join(d.files, ", "), d.why)
			}
		}
	}
	if h := head.Package; h != nil && h.Name == "vstd" && (base.Package == nil || base.Package.Name != "vstd") {
		add(off, h.Span, "name vstd", "The package takes the name vstd. The verifier exempts crates of that name from its checks for external_body and assumed contracts.")
	}
	// Where vstd comes from, and its version.
	type origin struct{ table, name, pkg, path, place string }
	known := map[origin]bool{}
	pins := map[string]manifest.Dependency{}
	each := func(c *manifest.Cargo, visit func(d manifest.Dependency, patch bool)) {
		for _, d := range c.Dependencies {
			visit(d, false)
		}
		for _, d := range c.Patches {
			visit(d, true)
		}
	}
	originOf := func(d manifest.Dependency) origin { return origin{d.Table, d.Name, d.Package, d.Path, placeOf(d)} }
	each(base, func(d manifest.Dependency, _ bool) {
		known[originOf(d)] = true
		pins[d.Table+" "+d.Name] = d
	})
	each(head, func(d manifest.Dependency, patch bool) {
		plain, _, _ := strings.Cut(d.Name, ":") // [replace] has the version with the name
		mine := slices.Contains(verusPackages, plain) || slices.Contains(verusPackages, d.Package)
		if !mine || known[originOf(d)] && pinOf(pins[d.Table+" "+d.Name]) == pinOf(d) {
			return
		}
		was, had := pins[d.Table+" "+d.Name]
		moved := had && placeOf(was) != placeOf(d)
		other := d.Package != "" && d.Package != d.Name
		switch {
		case !patch && !other && moved && !d.Workspace && placeOf(d) != published &&
			!(was.Workspace && slices.Contains(placesInBase(p, plain, base), placeOf(d))):
			add(off, d.Span, "origin "+d.Table+" "+d.Name+" "+placeOf(d), "%s comes from another place: %s now, %s in base. The verifier trusts a crate of that name.", d.Name, placeOf(d), placeOf(was))
		case !known[originOf(d)] && (patch || other || d.Path != ""):
			what := "comes from " + cmp.Or(d.Path, d.Git, "another source")
			if other {
				what = "is the package " + d.Package
			}
			add(off, d.Span, "origin "+d.Table+" "+d.Name+" "+what, "%s is not the published one: it %s. The verifier trusts a crate of that name.", d.Name, what)
		case !had && !d.Workspace && placeOf(d) != published:
			// It may have been in another table or manifest, and come from elsewhere.
			if places := placesInBase(p, plain, base); len(places) > 0 && !slices.Contains(places, placeOf(d)) {
				add(off, d.Span, "origin "+d.Table+" "+d.Name+" "+placeOf(d), "%s comes from another place: %s now, %s in base. The verifier trusts a crate of that name.", d.Name, placeOf(d), strings.Join(places, " and "))
			}
		case had && (moved || pinOf(was) != pinOf(d)):
			from, to := pinOf(was), pinOf(d)
			if moved {
				from, to = placeOf(was)+", "+from, placeOf(d)+", "+to
			}
			add(tools, d.Span, "pin "+d.Table+" "+d.Name+" "+placeOf(d)+" "+pinOf(d), "The pin of %s changed from %s to %s: another verifier will judge this code.", d.Name, from, to)
		}
	})
	for _, t := range newFeatures(p, base, head) {
		k, what := tools, "Code that the verifier believes may be another with it."
		if t.feature == panics {
			k, what = off, "Code that is verified may panic with it."
		}
		add(k, t.span, "feature "+t.by+" "+t.pkg+"/"+t.feature, "%s turns on the feature %s of %s. %s", t.by, t.feature, t.pkg, what)
	}
	if base.Workspace != nil && head.Workspace == nil {
		add(off, source.Span{}, "workspace gone", "The workspace is gone: a run from here does not verify its members any more.")
	}
	if base.Workspace != nil && head.Workspace != nil {
		if now, was := head.Workspace.DefaultMembers, base.Workspace.DefaultMembers; len(now) > 0 && (len(was) == 0 || slices.ContainsFunc(was, func(m string) bool { return !slices.Contains(now, m) && !coveredBy(m, now) })) &&
			slices.ContainsFunc(base.Workspace.Members, func(m string) bool { return !slices.Contains(now, m) && !coveredBy(m, now) }) {
			add(off, head.Workspace.Span, "default-members "+strings.Join(now, " "), "default-members leaves out members of the workspace: a run that names no package does not verify those any more.")
		}
		deleted := map[string]bool{}
		for _, o := range p.Files {
			if o.Head == nil {
				deleted[o.Base.Path] = true
			} else if o.Base != nil && o.Base.Path != o.Head.Path {
				deleted[o.Base.Path] = true
			}
		}
		dir := path.Dir(f.Head.Path)
		for _, m := range base.Workspace.Members {
			if !slices.Contains(head.Workspace.Members, m) && !deleted[path.Join(dir, m, "Cargo.toml")] && !coveredBy(m, head.Workspace.Members) {
				add(off, head.Workspace.Span, "member "+m, "The member %s is dropped from the workspace: a run over the workspace does not verify it any more.", m)
			}
		}
		for _, m := range head.Workspace.Exclude {
			if !slices.Contains(base.Workspace.Exclude, m) && !slices.Contains(base.Workspace.Members, m) && coveredBy(m, base.Workspace.Members) {
				add(off, head.Workspace.Span, "exclude "+m, "%s is excluded from the workspace: a run over the workspace does not verify it any more.", m)
			}
		}
	}
	return out
}

// turnedOn is a feature of one of Verus's own crates that a manifest turns on.
type turnedOn struct {
	by           string // the dependency or the feature that does
	pkg, feature string
	span         source.Span
}

// featuresOf are the features of Verus's own crates that a manifest turns on.
func featuresOf(c *manifest.Cargo) []turnedOn {
	var out []turnedOn
	add := func(by, pkg, feature string, span source.Span) {
		// Another package may be vstd by a name that only the workspace's manifest explains.
		if slices.Contains(verusPackages, pkg) || feature == panics {
			out = append(out, turnedOn{by, pkg, feature, span})
		}
	}
	pkgs := map[string]string{} // by the name that the manifest uses
	for _, d := range c.Dependencies {
		pkgs[d.Name] = d.Package
		for _, f := range d.Features {
			add("["+d.Table+"] "+d.Name, d.Package, f, d.Span)
		}
		if !d.NoDefault && !d.Workspace {
			add("["+d.Table+"] "+d.Name, d.Package, "default", d.Span)
		}
	}
	for _, f := range c.Features {
		for _, e := range f.Enables {
			if dep, name, ok := strings.Cut(e, "/"); ok {
				dep = strings.TrimSuffix(dep, "?")
				add("[features] "+f.Name, cmp.Or(pkgs[dep], dep), name, f.Span)
			}
		}
	}
	return out
}

// newFeatures are the features of Verus's own crates that head's manifest turns on and base's did not in that place. A dependency that is new there has no features to be
// compared with but those that base's other manifests give it.
func newFeatures(p *checks.Pass, base, head *manifest.Cargo) []turnedOn {
	places, known, all := map[string]bool{}, map[turnedOn]bool{}, map[turnedOn]bool{}
	inherits := map[string]bool{}
	for _, d := range head.Dependencies {
		inherits["["+d.Table+"] "+d.Name] = d.Workspace
	}
	for _, d := range base.Dependencies {
		// What was inherited and is not any more was said in another manifest.
		place := "[" + d.Table + "] " + d.Name
		places[place] = !d.Workspace || inherits[place]
	}
	for _, f := range base.Features {
		places["[features] "+f.Name] = true
	}
	for _, t := range featuresOf(base) {
		known[turnedOn{by: t.by, pkg: t.pkg, feature: t.feature}] = true
	}
	had := map[string]bool{}
	for _, c := range manifestsOfBase(p, base) {
		for _, t := range featuresOf(c) {
			all[turnedOn{pkg: t.pkg, feature: t.feature}] = true
			had[t.pkg] = true
		}
	}
	var out []turnedOn
	for _, t := range featuresOf(head) {
		if known[turnedOn{by: t.by, pkg: t.pkg, feature: t.feature}] {
			continue
		}
		if !places[t.by] && (all[turnedOn{pkg: t.pkg, feature: t.feature}] || !had[t.pkg] && t.feature != panics) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// panics is the feature of vstd that lets verified code panic.
const panics = "allow_panic"

// droppedRoot is a crate of base that a manifest builds less often now.
type droppedRoot struct {
	root  string
	files []string // with verified code, that no other crate makes up for
	why   string
}

// dropped are the crates of base's manifest whose verified code is still in the tree and is not built any more by what built it: nothing in
// the sources tells.
func dropped(p *checks.Pass, f checks.FileChange) []droppedRoot {
	if p.Pairs == nil || f.Base == nil {
		return nil
	}
	var now []*model.Crate
	for _, c := range p.Pairs.Head.Crates {
		if c.OptedIn {
			now = append(now, c)
		}
	}
	var built, all map[string]manifest.Built // by the crates that are verified, and by all
	var out []droppedRoot
	for _, c := range p.Pairs.Base.Crates {
		if c.Manifest != f.Base.Path || !c.OptedIn ||
			slices.ContainsFunc(now, func(h *model.Crate) bool { return h.Root == c.Root && h.Built >= c.Built }) {
			continue
		}
		if built == nil {
			built, all = p.Pairs.Head.VerifiedFiles(now), p.Pairs.Head.VerifiedFiles(p.Pairs.Head.Crates)
		}
		d := droppedRoot{root: c.Root, why: "no target is made from it"}
		for file, was := range p.Pairs.Base.VerifiedFiles([]*model.Crate{c}) {
			at := []string{file}
			if leftFor(p, file) {
				at = movedTo(p, file)
			}
			for _, at := range at {
				is, ok := built[at]
				_, elsewhere := all[at]
				switch {
				case ok && is >= was:
					continue
				case ok && is == manifest.OnRequest:
					d.why = "it is built only with features that are not on by default"
				case ok:
					d.why = "it is built only with tests, examples or benches"
				case elsewhere:
					d.why = "the package that it is in now is not verified"
				}
				d.files = append(d.files, at)
			}
		}
		if slices.Sort(d.files); len(d.files) > 0 {
			d.files = slices.Compact(d.files)
			out = append(out, d)
		}
	}
	return out
}

// leftFor tells whether head has no verified code in a file where base had some.
func leftFor(p *checks.Pass, file string) bool {
	if !p.Pairs.Head.Has(file) {
		return true
	}
	// Another file may have the old one's place.
	return slices.ContainsFunc(p.Pairs.Head.Files, func(f *model.File) bool { return f.Path == file }) &&
		!slices.ContainsFunc(p.Pairs.Functions, func(f *pair.Function) bool { return f.Head != nil && f.Head.File.Path == file && f.Head.Verified })
}

// movedTo are the files that verified functions of a file of base are in now, but those that trust/left-verification tells of.
func movedTo(p *checks.Pass, file string) []string {
	var out []string
	for _, f := range p.Pairs.Functions {
		if b, h := f.Base, f.Head; b != nil && h != nil && b.File.Path == file && b.Verified {
			if change, _ := leftBy(f); change == "" {
				out = append(out, h.File.Path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rootOf is the file of a target's root, relative to the manifest; empty: there is none that the manifest or Cargo's layout names.
func rootOf(c *manifest.Cargo, kind manifest.TargetKind, name string) string {
	for _, t := range c.Targets {
		if t.Kind == kind && (kind == manifest.Lib || t.Name == name) && t.Path != "" {
			return t.Path
		}
	}
	switch {
	case c.Package == nil:
	case kind == manifest.Lib:
		return "src/lib.rs"
	case kind == manifest.Bin && name == c.Package.Name:
		return "src/main.rs"
	case kind == manifest.Bin:
		return "src/bin/" + name + ".rs"
	}
	return ""
}

// gone tells whether the head has no file at a path any more, as far as the models have looked.
func gone(p *checks.Pass, file string) bool {
	if p.Pairs == nil {
		return false
	}
	crates := func(m *model.Model) bool {
		return slices.ContainsFunc(m.Crates, func(c *model.Crate) bool { return c.Root == file })
	}
	files := func(m *model.Model) bool {
		return slices.ContainsFunc(m.Files, func(f *model.File) bool { return f.Path == file })
	}
	return !crates(p.Pairs.Base) || files(p.Pairs.Base) && !files(p.Pairs.Head)
}

// reached tells whether a run in the folder of a manifest that names no package takes the one of another folder.
func reached(c *manifest.Cargo, dir, to string) bool {
	if slices.ContainsFunc(c.Dependencies, func(d manifest.Dependency) bool { return d.Path != "" && path.Join(dir, d.Path) == to }) {
		return true
	}
	listed := func(in []string) bool {
		return slices.ContainsFunc(in, func(m string) bool {
			ok, err := path.Match(path.Join(dir, m), to)
			return err == nil && ok
		})
	}
	w := c.Workspace
	if w == nil || !listed(w.Members) || listed(w.Exclude) {
		return false
	}
	if len(w.DefaultMembers) > 0 {
		return listed(w.DefaultMembers)
	}
	return c.Package == nil // else Cargo takes that one
}

// coveredBy tells whether one of the globs of workspace members matches a path.
func coveredBy(m string, globs []string) bool {
	for _, g := range globs {
		if ok, err := path.Match(g, m); err == nil && ok {
			return true
		}
	}
	return false
}

// published is the place of a dependency that names none.
const published = "crates.io"

// placeOf is where a dependency comes from, for people. Repositories are told apart as Cargo does.
func placeOf(d manifest.Dependency) string {
	switch {
	case d.Workspace:
		return "where the workspace says"
	case d.Git != "":
		u := strings.TrimSuffix(strings.TrimRight(d.Git, "/"), ".git")
		if l := strings.ToLower(u); strings.Contains(l, "github.com/") {
			u = l // whose names have no case
		}
		return "the repository " + u
	case d.Path != "":
		return "the path " + d.Path
	case d.Registry != "" && d.Registry != published:
		return "the registry " + d.Registry
	}
	return published
}

// placesInBase are the places that a package comes from in base's manifests; sorted.
func placesInBase(p *checks.Pass, name string, also *manifest.Cargo) []string {
	var out []string
	for _, c := range manifestsOfBase(p, also) {
		for _, d := range c.Dependencies {
			if (d.Name == name || d.Package == name) && !d.Workspace {
				out = append(out, placeOf(d))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// manifestsOfBase are base's manifests, those of the change and the one given.
func manifestsOfBase(p *checks.Pass, also *manifest.Cargo) []*manifest.Cargo {
	all := []*manifest.Cargo{also}
	for _, f := range p.Files {
		if f.Base != nil && path.Base(f.Base.Path) == "Cargo.toml" {
			all = append(all, parseCargo(f.Base))
		}
	}
	return all
}

// pinOf is which version of a dependency is taken, for people.
func pinOf(d manifest.Dependency) string {
	var out []string
	for _, part := range []struct{ what, is string }{{"", d.Version}, {"rev ", d.Rev}, {"tag ", d.Tag}, {"branch ", d.Branch}} {
		if part.is != "" {
			out = append(out, part.what+part.is)
		}
	}
	if len(out) == 0 {
		return "no version"
	}
	return strings.Join(out, " ")
}

// lockChanges compares where a lock takes the verifier's packages from. One that is new or gone has no other to be compared with.
func lockChanges(f checks.FileChange) []change {
	if f.Base == nil || f.Head == nil {
		return nil
	}
	origins := func(src *source.File) map[string][]string {
		locked, _ := manifest.ParseLock(src) // what cannot be read, cargo does not read either
		out := map[string][]string{}
		for _, l := range locked {
			if slices.Contains(verusPackages, l.Name) {
				from := cmp.Or(l.Source, "a path")
				if l.Version != "" {
					from = l.Version + " from " + from
				}
				out[l.Name] = append(out[l.Name], strings.TrimSpace(from+" "+l.Checksum))
			}
		}
		return out
	}
	base, head := origins(f.Base), origins(f.Head)
	var out []change
	for _, name := range verusPackages {
		for _, now := range head[name] {
			if len(base[name]) > 0 && !slices.Contains(base[name], now) {
				at := max(bytes.Index(f.Head.Text, []byte(`"`+name+`"`)), 0)
				out = append(out, change{tools, f, source.Span{Start: at, End: min(at+len(name)+2, len(f.Head.Text))}, "lock " + name + " " + now,
					fmt.Sprintf("The lock of %s changed from %s to %s: another verifier will judge this code.", name, shorten(strings.Join(base[name], " and ")), shorten(now))})
			}
		}
	}
	return out
}

// --- .cargo/config.toml ---

func configChanges(f checks.FileChange) []change {
	parse := func(src *source.File) *manifest.Config {
		if src == nil {
			return &manifest.Config{}
		}
		c, _ := manifest.ParseConfig(src)
		if c == nil {
			return &manifest.Config{}
		}
		return c
	}
	base, head := parse(f.Base), parse(f.Head)
	var out []change
	add := func(k kind, span source.Span, key, format string, args ...any) {
		out = append(out, change{k, f, span, key, fmt.Sprintf(format, args...)})
	}
	was := map[string]string{}
	for _, e := range base.Env {
		was[e.Name] = fmt.Sprint(e.Value, e.Force, e.Relative)
	}
	now := map[string]bool{}
	for _, e := range head.Env {
		now[e.Name] = true
		if !manifest.ToolVariable(e.Name) {
			continue
		}
		if v := fmt.Sprint(e.Value, e.Force, e.Relative); was[e.Name] != v {
			add(tools, e.Span, "env "+e.Name+" "+v, "The environment variable %s is set to %s: it decides which verifier or solver runs.", e.Name, shorten(e.Value))
		}
		for _, flag := range weakening(strings.Fields(e.Value)) {
			if !slices.Contains(strings.Fields(was[e.Name]), flag) {
				add(off, e.Span, "env "+e.Name+" "+flag, "%s in the environment variable %s makes the verifier check less.", flag, e.Name)
			}
		}
	}
	for _, e := range base.Env {
		if manifest.ToolVariable(e.Name) && !now[e.Name] && f.Head != nil {
			add(tools, source.Span{}, "env "+e.Name, "The environment variable %s is no longer set: another verifier or solver will run.", e.Name)
		}
	}
	settings := func(b, h []manifest.Setting, visit func(s manifest.Setting, was string)) {
		old := map[string]string{}
		for _, s := range b {
			old[s.Key] = s.Value
		}
		for _, s := range h {
			if v, ok := old[s.Key]; !ok || v != s.Value {
				visit(s, v)
			}
		}
	}
	settings(base.Aliases, head.Aliases, func(s manifest.Setting, was string) {
		if s.Key == "verus" {
			add(off, s.Span, "alias verus "+s.Value, "The alias takes the place of the command cargo verus: what it stands for (%s) runs instead of the verifier.", shorten(s.Value))
		}
		for _, flag := range weakening(strings.Fields(s.Value)) {
			if !slices.Contains(weakening(strings.Fields(was)), flag) {
				add(off, s.Span, "alias "+s.Key+" "+flag, "The alias cargo %s passes %s, so the verifier checks less.", s.Key, flag)
			}
		}
	})
	// The verifier takes its own options where the compiler has its flags.
	flags := func(table string, s manifest.Setting, was string) {
		for _, flag := range weakening(flagWords(s.Value)) {
			if !slices.Contains(weakening(flagWords(was)), flag) {
				add(off, s.Span, table+" "+s.Key+" "+flag, "%s.%s passes %s, so the verifier checks less.", table, s.Key, flag)
			}
		}
	}
	settings(base.Build, head.Build, func(s manifest.Setting, was string) {
		switch s.Key {
		case "rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustdoc":
			add(tools, s.Span, "build "+s.Key+" "+s.Value, "build.%s is set to %s: another program takes the compiler's place, the verifier's among it.", s.Key, shorten(s.Value))
		case "rustflags":
			flags("build", s, was)
			if strings.Contains(s.Value, "verus") {
				add(tools, s.Span, "build "+s.Key+" "+s.Value, "build.rustflags sets a cfg of the verifier: %s.", shorten(s.Value))
			}
		}
	})
	settings(base.Targets, head.Targets, func(s manifest.Setting, was string) {
		if strings.HasSuffix(s.Key, "rustflags") {
			flags("target", s, was)
		}
		if strings.HasSuffix(s.Key, "rustflags") && strings.Contains(s.Value, "verus") {
			add(tools, s.Span, "target "+s.Key+" "+s.Value, "target.%s sets a cfg of the verifier: %s.", s.Key, shorten(s.Value))
		}
	})
	settings(base.Other, head.Other, func(s manifest.Setting, _ string) {
		switch key, _, _ := strings.Cut(s.Key, "."); key {
		case "paths", "source", "registries", "registry":
			add(tools, s.Span, "config "+s.Key+" "+s.Value, "%s is set to %s: packages, those of the verifier among them, may come from elsewhere.", s.Key, shorten(s.Value))
		case "include":
			add(tools, s.Span, "config "+s.Key+" "+s.Value, "%s takes in more configuration, which was not looked at: %s.", s.Key, shorten(s.Value))
		}
	})
	known := map[string]bool{}
	for _, d := range base.Patches {
		known[d.Name+"\x00"+d.Path+"\x00"+d.Git] = true
	}
	for _, d := range head.Patches {
		if (slices.Contains(verusPackages, d.Name) || slices.Contains(verusPackages, d.Package)) && !known[d.Name+"\x00"+d.Path+"\x00"+d.Git] {
			add(off, d.Span, "patch "+d.Name, "%s is replaced by %s. The verifier trusts a crate of that name.", d.Name, cmp.Or(d.Path, d.Git, "another source"))
		}
	}
	return out
}

// flagWords are the words of rustflags, which are a text or a list of quoted ones.
func flagWords(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t[],\"", r) })
}

// --- rust-toolchain ---

func toolchainChanges(f checks.FileChange) []change {
	if f.Head == nil {
		return nil // edit/toolchain-changed says so
	}
	head, _ := manifest.ParseToolchain(f.Head)
	var base *manifest.Toolchain
	if f.Base != nil {
		base, _ = manifest.ParseToolchain(f.Base)
	}
	if head == nil || base != nil && base.Channel == head.Channel && base.Path == head.Path {
		return nil
	}
	was := "none"
	if base != nil {
		was = cmp.Or(base.Channel, base.Path, "none")
	}
	now := cmp.Or(head.Channel, head.Path, "none")
	return []change{{tools, f, head.Span, "toolchain " + now,
		fmt.Sprintf("The Rust toolchain changed from %s to %s: the verifier is built for one toolchain, so another one will run or none.", was, now)}}
}

package model

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// index is what the model knows beyond its public lists.
type index struct {
	mu    sync.Mutex
	tree  Tree
	ctx   context.Context
	paths []string
	m     *Model

	pkgs     []*pkg
	crates   []*crateInfo
	roots    map[string]*crateInfo // by root file
	libs     map[string]*crateInfo // lib crates by name
	files    map[string]*File
	mods     map[string]*module // module of a file that was read
	modItems map[string][]*Item // the `mod x;` of a file that was read
	// stubs are the modules that a `mod x;` or include! in a file already read assigns to a file.
	stubs map[string]*module
	// beside are the files whose own `mod x;` are files beside them, as those of a mod.rs are: rustc has it so for what a #[path] or an include! names.
	beside map[string]bool

	functions []*Function // of all files read, in the order of reading
	items     []*Item
	it        map[*Item]*itemInfo
	methods   map[string][]*Function // functions of impls and traits, by name
	macros    map[string][]*Item     // macro_rules by name
	specImpls map[string][]*implInfo // impls of XxxSpecImpl, by the name of the trait
	symbols   map[string]int         // how often a crate has a path
	words     map[string][]string    // file paths that define a function of that name
	scanned   bool
	modules   map[string][]string // file paths with `mod NAME`
	ghosts    map[string]bool     // see declaredHere
	// macroFiles are the file paths with `macro_rules! NAME`.
	macroFiles map[string][]string
	quoted     map[string][]string // file paths with a string that ends in a file name: #[path], include!
	fileNames  map[string][]string // the same for names that do not end in .rs; nil: not scanned
	named      int                 // functions and items before this index have symbols
	namedIt    int
	depth      int
	asked      map[string]bool // method names whose files were read
	modAround  map[*module]*around
	rereads    map[string]int
	cache      map[resolved]target
	far        int // steps of lookups beyond farSteps
	constFns   map[*Item]*Function
	selected   map[string]bool // files that were asked for
	settled    int
	settledIt  int
	queue      []*Function // to be analysed
	later      []func()    // searches that need names to be known

	invariants []*Function // with #[verifier::type_invariant]
	usesTo     int         // functions before this index are known to those that they use

	// Other names for what a word names; see readMentions. The latter two are up to date with the items and functions before namesTo and resultsTo.
	importedAs, standIns, holders map[string][]string
	namesTo, resultsTo            int

	implemented map[*Function]implemented // of methods of traits
	walks       int                       // through the functions that others lead to
	counted     map[string][]*Function    // by name, those of the first countedTo functions that SpecReach counts
	countedBits bits
	countedTo   int
	dispatched  map[*Function]dispatched // by method of a trait
	candidates  map[candidates][]fitting // of method calls
	sorted      map[string]*sorted       // functions of impls and traits, by name
	// traitMethods are the specification functions of traits that a closure met.
	traitMethods []*Function

	rests *rests // nil until asked for

	with map[*Crate]map[*Crate]bool // see builtWith
	// inWorkspaces are the packages that workspaces give a name of a dependency.
	inWorkspaces map[string][]string
}

// pkg is a Cargo package.
type pkg struct {
	dir   string
	cargo *manifest.Cargo
	name  string
	lib   *crateInfo
}

// crateInfo is a crate with its module tree.
type crateInfo struct {
	*Crate
	pkg  *pkg
	root *module
	// macroUse are the crates whose macros it takes, by the names that it has for them: #[macro_use] extern crate.
	macroUse []string
}

// discover reads the manifests and makes the list of crates.
func (x *index) discover() {
	count := map[string]int{}
	for _, p := range x.paths {
		if path.Base(p) != "Cargo.toml" {
			continue
		}
		text, err := x.tree.Read(p)
		if err != nil {
			x.problem(p, source.Span{}, err.Error())
			continue
		}
		c, err := manifest.ParseCargo(source.NewFile(p, text))
		if err != nil {
			x.problem(p, source.Span{}, err.Error())
		}
		if c != nil {
			for _, d := range c.Dependencies {
				if strings.HasPrefix(d.Table, "workspace.") {
					x.inWorkspaces[d.Name] = append(x.inWorkspaces[d.Name], d.Package)
				}
			}
		}
		if c == nil || c.Package == nil {
			continue
		}
		k := &pkg{dir: path.Dir(p), cargo: c, name: c.Package.Name}
		x.pkgs = append(x.pkgs, k)
		for _, r := range c.Crates(x.paths) {
			if c := x.roots[r.Path]; c != nil { // of two targets, or two packages
				c.Built = max(c.Built, r.Built)
				continue
			}
			ci := x.newCrate(r.Name, r.Path, p, k)
			ci.OptedIn, ci.Built = c.Verus.Verifies(), r.Built
			if r.Kind != manifest.Lib {
				// A package may have a lib of the same name, now or later.
				ci.Key = r.Name + "(" + r.Kind.String() + ")"
			}
			count[ci.Key]++
			if r.Kind == manifest.Lib {
				k.lib = ci
				if x.libs[r.Name] == nil {
					x.libs[r.Name] = ci
				}
			}
		}
	}
	for _, c := range x.crates {
		if count[c.Key] > 1 {
			c.Key += "(" + c.Root + ")"
		}
	}
}

func (x *index) newCrate(name, root, manifest string, k *pkg) *crateInfo {
	ci := &crateInfo{Crate: &Crate{Name: name, Root: root, Manifest: manifest, Key: name}, pkg: k}
	ci.root = &module{crate: ci, childDir: path.Dir(root)}
	x.crates = append(x.crates, ci)
	x.roots[root] = ci
	return ci
}

func (x *index) has(p string) bool { _, ok := slices.BinarySearch(x.paths, p); return ok }

// Has tells whether the tree has a file, whether or not it was read.
func (m *Model) Has(p string) bool { return m.x.has(p) }

// VerifiedFiles are the files with verified code that crates are made of, as far as mod declarations lead to them, and how they are built at
// most.
func (m *Model) VerifiedFiles(crates []*Crate) map[string]manifest.Built {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	reached := map[string]manifest.Built{}
	var visit func(p string, b manifest.Built)
	visit = func(p string, b manifest.Built) {
		if was, ok := reached[p]; ok && was >= b {
			return
		}
		reached[p] = b
		x.load(p)
		for _, it := range x.modItems[p] {
			for _, q := range it.Sources {
				visit(q, b)
			}
		}
	}
	for _, c := range crates {
		visit(c.Root, c.Built)
	}
	out := map[string]manifest.Built{}
	for _, f := range x.functions {
		if b, ok := reached[f.File.Path]; ok && f.Verified {
			out[f.File.Path] = b
		}
	}
	return out
}

// owner is the innermost package around a path.
func (x *index) owner(p string) *pkg {
	var best *pkg
	for _, k := range x.pkgs {
		if (k.dir == "." || strings.HasPrefix(p, k.dir+"/")) && (best == nil || len(k.dir) > len(best.dir) || best.dir == ".") {
			best = k
		}
	}
	return best
}

// load reads a file, and first the files that lead to it from its crate's root.
func (x *index) load(p string) {
	if x.mods[p] != nil || x.ctx.Err() != nil || x.depth > 200 {
		return
	}
	x.depth++
	defer func() { x.depth-- }()
	m, orphan := x.place(p)
	if x.mods[p] != nil { // read while its parents were
		return
	}
	x.mods[p] = m
	f := &File{Path: p, Crate: m.crate.Crate, Module: m.path, Orphan: orphan}
	tree, err := x.tree.Parse(p)
	if err != nil {
		x.problem(p, source.Span{}, err.Error())
		return
	}
	f.Syntax = tree
	x.files[p] = f
	if m.file == nil {
		m.file = f
	}
	x.collectFile(f, m)
}

// place finds the module of a file.
func (x *index) place(p string) (m *module, orphan bool) {
	if c := x.roots[p]; c != nil {
		return c.root, false
	}
	if s := x.stubs[p]; s != nil {
		return s, false
	}
	dir, stem := path.Dir(p), strings.TrimSuffix(path.Base(p), ".rs")
	parentDir := dir
	if stem == "mod" {
		stem, parentDir = path.Base(dir), path.Dir(dir)
	}
	// The files that may hold `mod stem;`, by Cargo's layout.
	try := func(candidate string) bool {
		if candidate == p || !x.has(candidate) || x.mods[candidate] != nil && x.files[candidate] == nil {
			return false
		}
		x.load(candidate)
		return x.stubs[p] != nil || x.mods[p] != nil
	}
	found := func() (*module, bool) {
		if m := x.mods[p]; m != nil {
			return m, false
		}
		return x.stubs[p], false
	}
	var candidates []string
	for _, c := range x.crates {
		if path.Dir(c.Root) == parentDir {
			candidates = append(candidates, c.Root)
		}
	}
	candidates = append(candidates, path.Join(parentDir, "mod.rs"), path.Join(parentDir, "lib.rs"), path.Join(parentDir, "main.rs"))
	if parentDir != "." {
		candidates = append(candidates, parentDir+".rs")
	}
	if path.Base(p) == "lib.rs" || path.Base(p) == "main.rs" {
		candidates = nil
	}
	for _, c := range candidates {
		if try(c) {
			return found()
		}
	}
	// A `mod` in another file of the directory, or one with #[path], or include!.
	x.scan()
	for _, c := range x.quoted[path.Base(p)] {
		if x.mods[c] == nil && try(c) {
			return found()
		}
	}
	for _, c := range x.modules[stem] {
		// In the folder, or above it: `mod a { mod stem; }` looks below a folder of its own.
		if up := path.Dir(c); x.mods[c] == nil && (up == parentDir || up == "." || strings.HasPrefix(parentDir, up+"/")) && try(c) {
			return found()
		}
	}
	if k := x.owner(p); k != nil && len(x.crates) > 0 {
		// In a package, but reached by no root.
		c := k.lib
		if c == nil {
			for _, o := range x.crates {
				if o.pkg == k {
					c = o
					break
				}
			}
		}
		if c != nil {
			rel := strings.TrimPrefix(p, path.Dir(c.Root)+"/")
			rel = strings.TrimSuffix(strings.TrimSuffix(rel, ".rs"), "/mod")
			return &module{crate: c, path: strings.ReplaceAll(rel, "/", "::"), parent: c.root, childDir: childDir(p, false)}, true
		}
	}
	c := x.newCrate(strings.ReplaceAll(strings.TrimSuffix(path.Base(p), ".rs"), "-", "_"), p, "", nil)
	if dir != "." && dir != "src" {
		c.Key = strings.TrimSuffix(p, ".rs")
	}
	return c.root, false
}

// childDir is the directory where the `mod x;` of a file look for theirs. beside tells that it is the file's own, whatever its name.
func childDir(p string, beside bool) string {
	if base := path.Base(p); beside || base == "mod.rs" {
		return path.Dir(p)
	}
	return strings.TrimSuffix(p, ".rs")
}

// externCrate finds a crate of the tree by the name that sources of crate c use.
func (x *index) externCrate(c *crateInfo, name string) *crateInfo {
	if c.pkg != nil {
		for _, d := range c.pkg.cargo.Dependencies {
			if strings.ReplaceAll(d.Name, "-", "_") == name {
				for _, k := range x.pkgs {
					if k.name == d.Package && k.lib != nil {
						return k.lib
					}
				}
			}
		}
		if c.pkg.lib != nil && c.pkg.lib.Name == name {
			return c.pkg.lib
		}
	}
	return x.libs[name]
}

// renamed gives the package behind a renamed dependency: `v = { package = "vstd" }`.
func (x *index) renamed(c *crateInfo, name string) string {
	if c.pkg != nil {
		for _, d := range c.pkg.cargo.Dependencies {
			if d.Package != d.Name && strings.ReplaceAll(d.Name, "-", "_") == name {
				return strings.ReplaceAll(d.Package, "-", "_")
			}
		}
	}
	return name
}

func (x *index) problem(file string, s source.Span, text string) {
	x.m.Problems = append(x.m.Problems, Problem{File: file, Span: s, Text: text})
}

// definers are the files, in order, that define a function of a name.
func (x *index) definers(name string) []string {
	x.scan()
	return x.words[name]
}

// scan reads all sources of the tree once and notes which files define a function, declare a module or name a file, and which declare a name of Verus's.
func (x *index) scan() {
	if x.scanned {
		return
	}
	x.scanned = true
	x.words, x.modules, x.quoted, x.ghosts, x.macroFiles = map[string][]string{}, map[string][]string{}, map[string][]string{}, map[string]bool{}, map[string][]string{}
	for _, p := range x.paths {
		if !strings.HasSuffix(p, ".rs") {
			continue
		}
		text, err := x.tree.Read(p)
		if err != nil {
			x.problem(p, source.Span{}, fmt.Sprintf("read %s: %v", p, err))
			continue
		}
		note := func(m map[string][]string) func(string) {
			return func(word string) {
				if l := m[word]; len(l) == 0 || l[len(l)-1] != p {
					m[word] = append(l, p)
				}
			}
		}
		wordsBehind(text, "fn", note(x.words))
		wordsBehind(text, "mod", note(x.modules))
		wordsBehind(text, "macro_rules", note(x.macroFiles))
		x.scanGhostNames(p, text)
		for i := 0; ; {
			j := bytes.Index(text[i:], []byte(`.rs"`))
			if j < 0 {
				break
			}
			i += j + 3
			start := i
			for start > 0 && text[start-1] != '"' && text[start-1] != '/' && text[start-1] != '\\' && text[start-1] != '\n' {
				start--
			}
			note(x.quoted)(string(text[start:i]))
		}
	}
}

// wordsIn are the places where a word begins that is no part of another.
func wordsIn(text []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; ; {
			j := bytes.Index(text[i:], []byte(word))
			if j < 0 {
				return
			}
			at := i + j
			i = at + len(word)
			if (at == 0 || !syntax.WordByte(text[at-1])) && (i == len(text) || !syntax.WordByte(text[i])) && !yield(at) {
				return
			}
		}
	}
}

// wordsBehind calls found with the word behind each occurrence of a keyword.
func wordsBehind(text []byte, keyword string, found func(string)) {
	for at := range wordsIn(text, keyword) {
		i := afterBlank(text, at+len(keyword))
		if keyword == "macro_rules" {
			if i >= len(text) || text[i] != '!' {
				continue
			}
			i = afterBlank(text, i+1)
		}
		if bytes.HasPrefix(text[i:], []byte("r#")) {
			i += 2
		}
		start := i
		for i < len(text) && syntax.WordByte(text[i]) {
			i++
		}
		if i > start {
			found(string(text[start:i]))
		}
	}
}

// word is the text of a name without r#.
func word(n syntax.Node) string { return strings.TrimPrefix(n.Text(), "r#") }

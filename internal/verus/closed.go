package verus

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// Tree is what a copy of a tree holds, known before the copy is made. The zero Tree is empty.
type Tree struct {
	// LeftOut are the files that would not be copied, in the order in which they came.
	LeftOut []LeftOut

	files map[string]treeFile
	// what may read files outside the tree, and Cargo.lock files: kept to be looked at.
	suspects []WorkFile
	locks    map[string][]byte
}

type treeFile struct {
	sum  [sha256.Size]byte
	mode WorkMode
}

// Add notes a file as Work.Add would copy it. The data must not be changed afterwards.
func (t *Tree) Add(f WorkFile) {
	if why := f.leftOut(); why != "" {
		t.LeftOut = append(t.LeftOut, LeftOut{f.Path, why})
		return
	}
	if t.files == nil {
		t.files, t.locks = map[string]treeFile{}, map[string][]byte{}
	}
	t.files[f.Path] = treeFile{sha256.Sum256(f.Data), f.Mode}
	if path.Base(f.Path) == "Cargo.lock" {
		t.locks[f.Path] = f.Data
	}
	// A source without any of these cannot read another file by its path. Some file systems make no difference of .rs and .RS.
	if strings.EqualFold(path.Ext(f.Path), ".rs") && slices.ContainsFunc([]string{"include", "path", "$"}, func(s string) bool { return bytes.Contains(f.Data, []byte(s)) }) {
		t.suspects = append(t.suspects, f)
	}
}

// Has tells whether the tree has a file.
func (t *Tree) Has(p string) bool {
	_, ok := t.files[p]
	return ok
}

// open says why compiling the sources may read files outside the tree; empty if nothing can. Sources are compiled as files that end
// in .rs; what reads others, or files at other places, is include! and its kin, and the attribute path. Macros can make either, but
// not the words: those stand somewhere in the sources.
func (t *Tree) open() string {
	for _, f := range t.suspects {
		if why := t.opens(f); why != "" {
			return why
		}
	}
	return ""
}

// plainPath is a literal in which nothing is written by other means.
var plainPath = regexp.MustCompile(`^"[A-Za-z0-9_][A-Za-z0-9_./ -]*"$|^"\.\.?/[A-Za-z0-9_./ -]*"$`)

func (t *Tree) opens(f WorkFile) string {
	file := syntax.Parse(source.NewFile(f.Path, f.Data))
	toks := slices.Collect(file.Root().Tokens())
	text := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return strings.TrimPrefix(toks[i].Text(), "r#")
	}
	at := func(i int, format string, args ...any) string {
		p := file.Source.Position(toks[i].Span().Start)
		return fmt.Sprintf("%s:%d:%d: ", f.Path, p.Line, p.Column) + fmt.Sprintf(format, args...)
	}
	if len(file.Errors) > 0 {
		p := file.Source.Position(file.Errors[0].Span.Start)
		return fmt.Sprintf("%s:%d:%d: what this reads is not known", f.Path, p.Line, p.Column)
	}
	macros := slices.ContainsFunc(toks, func(t syntax.Token) bool { return t.Kind() == syntax.Dollar })
	// stays tells whether a literal leads to a Rust source of the tree, or to any file of it. In a macro nobody knows where it starts.
	stays := func(i int, rust bool) bool {
		lit := text(i)
		if i >= len(toks) || toks[i].Kind() != syntax.String || !plainPath.MatchString(lit) || macros {
			return false
		}
		to := path.Join(path.Dir(f.Path), strings.Trim(lit, `"`))
		return t.Has(to) && (!rust || strings.HasSuffix(to, ".rs"))
	}
	for i := range toks {
		switch word := text(i); {
		case toks[i].Kind() == syntax.String:
		case word == "include" || word == "include_str" || word == "include_bytes":
			if text(i+1) != "!" || !slices.Contains([]string{"(", "[", "{"}, text(i+2)) || !stays(i+3, word == "include") || !slices.Contains([]string{")", "]", "}", ","}, text(i+4)) {
				return at(i, "%s may read a file outside the tree", word)
			}
		case word == "path" && text(i+1) == "=":
			// In an assignment a name or a call follows; in an attribute a literal, or a macro that makes one.
			k := toks[min(i+2, len(toks)-1)]
			macro := text(i+2) == "$" || k.Kind() == syntax.Ident && text(i+3) == "!"
			if (k.Kind() == syntax.String || macro) && !stays(i+2, true) {
				return at(i, "path may name a file outside the tree")
			}
		case word == "#":
			open := i + 1
			if text(open) == "!" {
				open++
			}
			if text(open) == "[" && t.madeAttribute(text, open+1, len(toks)) {
				return at(i, "a macro makes this attribute, which may name a file outside the tree")
			}
		}
	}
	return ""
}

// madeAttribute tells whether the attribute whose brackets begin before token i can become one with a path that does not stand in the
// sources as a whole: one that a macro puts together.
func (*Tree) madeAttribute(text func(int) string, i, n int) bool {
	first := text(i)
	if first == "$" {
		whole := text(i+2) == "]" || text(i+2) == ":" && text(i+3) == "meta" && text(i+4) == "]"
		return !whole
	}
	if first != "path" && first != "cfg_attr" {
		return false
	}
	for depth := 1; i < n && depth > 0; i++ {
		switch text(i) {
		case "[":
			depth++
		case "]":
			depth--
		case "$":
			return true
		}
	}
	return false
}

type wireMember struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Manifest string `json:"manifest_path"`
	Targets  []struct {
		Kind []string `json:"kind"`
		Path string   `json:"src_path"`
	} `json:"targets"`
}

type wireWorkspace struct {
	Packages []wireMember `json:"packages"`
	Root     string       `json:"workspace_root"`
}

// openWorkspace says why building a workspace may depend on more than the tree and the crates that its lock names by their contents;
// empty if it cannot. unchanged tells whether cargo left the lock as it was.
func (t *Tree) openWorkspace(w wireWorkspace, root string, unchanged func(lock string) bool) string {
	inside := func(p string) (string, bool) { return strings.CutPrefix(path.Clean(p), root+"/") }
	for p := range t.files {
		if isCargoConfig(p) {
			return p + " may name programs and files outside the tree"
		}
	}
	for _, m := range w.Packages {
		if _, ok := inside(m.Manifest); !ok {
			return fmt.Sprintf("the package %s is outside the tree", m.Name)
		}
		for _, target := range m.Targets {
			if slices.Contains(target.Kind, "custom-build") || slices.Contains(target.Kind, "proc-macro") {
				return fmt.Sprintf("the package %s runs code while it is built, which may read anything", m.Name)
			}
			if src, ok := inside(target.Path); !ok || !strings.HasSuffix(src, ".rs") {
				return fmt.Sprintf("the package %s has a source outside the tree, or one that does not end in .rs", m.Name)
			}
		}
	}
	lock := "Cargo.lock"
	if dir, ok := inside(w.Root); ok {
		lock = path.Join(dir, lock)
	} else if w.Root != root {
		return "the workspace begins outside the tree"
	}
	data, ok := t.locks[lock]
	if !ok {
		return "without " + lock + " the answer depends on what registries have"
	}
	locked, err := manifest.ParseLock(source.NewFile(lock, data))
	if err != nil {
		return err.Error()
	}
	for _, p := range locked {
		member := slices.ContainsFunc(w.Packages, func(m wireMember) bool { return m.Name == p.Name && m.Version == p.Version })
		_, commit, _ := strings.Cut(p.Source, "#")
		switch {
		case p.Source == "" && !member:
			return fmt.Sprintf("the dependency %s is found by its path, outside the workspace", p.Name)
		case p.Source == "", p.Checksum != "", strings.HasPrefix(p.Source, "git+") && commit != "":
		default:
			return fmt.Sprintf("%s does not say what is in the dependency %s", lock, p.Name)
		}
	}
	if !unchanged(lock) {
		return lock + " is not up to date, so that the answer depends on what registries have"
	}
	return ""
}

func isCargoConfig(p string) bool {
	dir, name := path.Split(p)
	return strings.EqualFold(path.Base(path.Clean(dir)), ".cargo") && (strings.EqualFold(name, "config") || strings.EqualFold(name, "config.toml"))
}

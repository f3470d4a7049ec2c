package engine

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/gitrepo"
	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
)

// maxPlaces is the most places of one file that are reasons of their own.
const maxPlaces = 5

// problems turns what the change touches and what could not be read or understood into reasons.
func (r *runner) problems() {
	whole := map[string]bool{} // files that are a reason as a whole: their parts need not be listed
	for _, c := range r.changes {
		if why := r.unreadable(c); why != "" {
			r.reason(true, "read", "%s: %s", quotePath(c.Path()), why)
			whole[c.Base.Path], whole[c.Head.Path] = true, true
		}
	}
	delete(whole, "")

	changedBase, changedHead := map[string]bool{}, map[string]bool{}
	for _, c := range r.changes {
		changedBase[c.Base.Path], changedHead[c.Head.Path] = true, true
	}
	base := r.problemsOf(r.base, r.pairs.Base, changedBase)
	head := r.problemsOf(r.head, r.pairs.Head, changedHead)
	report := func(side string, mine, other []problem) {
		listed := map[string]int{}
		seen := map[string]int{}
		for _, p := range other {
			seen[p.same]++
		}
		for _, p := range mine {
			if seen[p.same] > 0 {
				seen[p.same]-- // it is the same on both sides, so the change does not touch it
				continue
			}
			if whole[p.file] || !r.policy.InScope(p.file) {
				continue
			}
			if listed[p.file]++; listed[p.file] <= maxPlaces {
				r.reason(true, "parse", "%s%s", side, p.text)
			}
		}
		for _, file := range slices.Sorted(maps.Keys(listed)) {
			if n := listed[file] - maxPlaces; n > 0 {
				r.reason(true, "parse", "%s%s: %d more places could not be read", side, quotePath(file), n)
			}
		}
	}
	report("", head, base)
	report("base ", base, head)
	if out := r.notJudged(); len(out) > 0 {
		r.reason(false, "scope", "the policy's scope leaves out changed Rust files: %s", some(out))
		if !r.judgesAny() {
			// Nobody means that: a glob is misspelt, or the files have moved.
			r.reason(true, "scope", "the policy's scope has no Rust file in it, of base or of head: compare scope.include and scope.exclude with the paths of the files")
		}
	}

	if r.sides.ahead != "" {
		r.reason(false, "scope", "%s", r.sides.ahead)
	}
	switch {
	case r.sides.baseName == r.sides.headName:
		r.reason(false, "scope", "there is nothing to compare: base and head are the same commit, %.12s%s", r.sides.headName, r.older())
	case len(r.changes) == 0:
		r.reason(false, "scope", "there is nothing to compare: base %.12s and %.12s have the same files%s", r.sides.baseName, r.sides.headName, r.older())
	case !slices.ContainsFunc([]*model.Model{r.pairs.Base, r.pairs.Head}, hasVerus) && !r.blocked:
		r.reason(false, "scope", "the change touches no Verus code")
	}
}

// older says how what was committed before is checked, as on the default branch, where nobody named a base.
func (r *runner) older() string {
	if r.o.Base != "" {
		return ""
	}
	return "; to check what is committed already, name an older base, such as --base " + cmp.Or(r.o.Head, "HEAD") + "~1"
}

// notJudged are the Rust files of the change of which the policy leaves out both sides.
func (r *runner) notJudged() []string {
	var out []string
	for _, c := range r.changes {
		judged, name := false, ""
		for _, e := range []gitrepo.Entry{c.Base, c.Head} {
			if e.Path != "" {
				name = e.Path
				judged = judged || !isRust(e.Path) || r.policy.InScope(e.Path)
			}
		}
		if !judged {
			out = append(out, quotePath(name))
		}
	}
	return out
}

// judgesAny tells whether the policy judges some Rust file of one of the sides.
func (r *runner) judgesAny() bool {
	if r.bounded && r.policy.MatchCost()*(len(r.base.rust)+len(r.head.rust)) > maxMatches {
		return true // it would take long to say
	}
	return slices.ContainsFunc(r.base.rust, r.policy.InScope) || slices.ContainsFunc(r.head.rust, r.policy.InScope)
}

// problem is a place of a changed file that was not understood.
type problem struct {
	file, text string
	// same is equal for places that say the same, wherever they stand.
	same string
}

func (r *runner) problemsOf(t *tree, m *model.Model, changed map[string]bool) []problem {
	var out []problem
	for _, p := range m.Problems {
		if !changed[p.File] {
			continue
		}
		src := t.source(p.File)
		if src == nil || p.Span == (source.Span{}) {
			out = append(out, problem{p.File, quotePath(p.File) + ": " + p.Text, p.File + "\x00" + p.Text})
			continue
		}
		text := quotePath(p.File) + ":" + src.Position(p.Span.Start).String() + ": " + p.Text
		out = append(out, problem{p.File, text, string(bytes.Join(bytes.Fields(src.Text[p.Span.Start:p.Span.End]), []byte(" ")))})
	}
	return out
}

// unreadable says why a changed file could not be looked at, or is empty.
func (r *runner) unreadable(c gitrepo.Change) string {
	for _, side := range []struct {
		name  string
		tree  *tree
		entry gitrepo.Entry
	}{{"", r.head, c.Head}, {"in the base, ", r.base, c.Base}} {
		e := side.entry
		switch {
		case e.Path == "":
			continue
		case e.Kind == gitrepo.Submodule:
			return side.name + "it is a submodule, whose files were not looked at"
		case isRust(e.Path) && !r.policy.InScope(e.Path):
			continue
		case !isRust(e.Path) && !decisive(e.Path):
			continue
		case e.Kind == gitrepo.Symlink:
			return side.name + "it is a symbolic link, which is not followed"
		}
		text, err := side.tree.Read(e.Path)
		if err != nil {
			return side.name + cause(err)
		}
		if i := invalidUTF8(text); i >= 0 {
			return side.name + "line " + lineOf(text, i) + " is not UTF-8, which Rust sources and Cargo files are"
		}
		if why := unparsable(e.Path, text); why != "" {
			return side.name + why
		}
		if line := conflict(text); line != "" && isRust(e.Path) {
			if f, err := side.tree.Parse(e.Path); err != nil || len(f.Errors) > 0 {
				return side.name + "line " + line + " has the marker of a merge conflict; resolve it"
			}
		}
	}
	return ""
}

// unparsable says why a file that Cargo or rustup reads cannot be read, or is empty. Those named Cargo.toml are the model's.
func unparsable(name string, text []byte) string {
	src := source.NewFile(name, text)
	var err error
	switch base := path.Base(name); {
	case path.Base(path.Dir(name)) == ".cargo" && (base == "config" || base == "config.toml"):
		_, err = manifest.ParseConfig(src)
	case base == "rust-toolchain" || base == "rust-toolchain.toml":
		_, err = manifest.ParseToolchain(src)
	}
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), name+":")
}

// cause is an error without the path that the message around it already names.
func cause(err error) string {
	if _, rest, ok := strings.Cut(err.Error(), ": "); ok && strings.HasPrefix(err.Error(), "read ") {
		return rest
	}
	return err.Error()
}

func lineOf(text []byte, at int) string {
	return strconv.Itoa(source.NewFile("", text[:at]).Position(at).Line)
}

// conflict is the number of the first line that marks a merge conflict, if all three of its markers are there.
func conflict(text []byte) string {
	first := -1
	for _, marker := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		at := -1
		if bytes.HasPrefix(text, []byte(marker)) {
			at = 0
		} else if i := bytes.Index(text, []byte("\n"+marker)); i >= 0 {
			at = i + 1
		}
		if at < 0 {
			return ""
		}
		if first < 0 {
			first = at
		}
	}
	return lineOf(text, first)
}

// decisive tells the files without Rust that can switch verification off or weaken it.
func decisive(name string) bool {
	base := path.Base(name)
	switch base {
	case "Cargo.toml", "rust-toolchain", "rust-toolchain.toml", "Makefile", "makefile", "GNUmakefile", "justfile", ".specgate.toml":
		return true
	}
	dir := path.Base(path.Dir(name))
	return dir == ".cargo" && (base == "config" || base == "config.toml") ||
		strings.HasPrefix(name, ".github/") && (path.Ext(base) == ".yml" || path.Ext(base) == ".yaml") ||
		slices.Contains([]string{".sh", ".bash", ".mk", ".just"}, path.Ext(base))
}

func hasVerus(m *model.Model) bool {
	return slices.ContainsFunc(m.Functions, func(f *model.Function) bool { return f.Verified || len(f.Sites) > 0 }) ||
		slices.ContainsFunc(m.Items, func(i *model.Item) bool { return i.Verified || len(i.Sites) > 0 })
}

// quotePath makes a path readable in a sentence: as it is, or quoted when it holds what would not stand in one.
func quotePath(p string) string {
	if strings.ContainsFunc(p, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '"' || c == 0xFFFD }) {
		return strconv.Quote(p)
	}
	return p
}

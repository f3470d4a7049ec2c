package harness

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// module is a module of the crate in its erased text.
type module struct {
	path  string // "" for the root, "a::b"
	file  string
	items syntax.Node // SourceFile or Mod
	// end is where items can be put behind the others.
	end int
}

// tree is the erased crate.
type tree struct {
	req     Request
	prelude string
	erased  map[string]*syntax.File // of its modules
	modules map[string]*module
	// cuts are the parts that are left out, by file and node.
	cuts map[string]map[int]edit
}

// newTree finds the modules of the crate and erases them.
func newTree(req Request, prelude string) (*tree, error) {
	t := &tree{req: req, prelude: prelude, erased: map[string]*syntax.File{}, modules: map[string]*module{}, cuts: map[string]map[int]edit{}}
	root := t.file(req.Root)
	if root == nil {
		return nil, fmt.Errorf("%w: the root file %s is not among the files", errRequest, req.Root)
	}
	t.walk(root.Root(), "", req.Root, path.Dir(req.Root), 0)
	return t, nil
}

// file is a file in its erased form; nil if it is not in the tree.
func (t *tree) file(name string) *syntax.File {
	if f := t.erased[name]; f != nil {
		return f
	}
	text, ok := t.req.Files[name]
	if !ok {
		return nil
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	erased := syntax.Erase(syntax.Parse(source.NewFile(name, text)), syntax.EraseOptions{Prelude: t.prelude})
	t.erased[name] = adapted(syntax.Parse(source.NewFile(name, erased)), t.prelude)
	return t.erased[name]
}

// adapted replaces paths into vstd, whatever its module, by the stand-ins, if there are any, and drops attributes that only Verus's own
// compiler knows.
func adapted(f *syntax.File, prelude string) *syntax.File {
	text := f.Source.Text
	if !bytes.Contains(text, []byte("vstd")) && !bytes.Contains(text, []byte("verusfmt")) {
		return f
	}
	var edits []edit
	f.Root().Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.Use:
			return false
		case syntax.Attr:
			if strings.HasPrefix(n.Get(syntax.FPath).Text(), "verusfmt") {
				edits = append(edits, edit{n.Span().Start, n.Span().End, strings.Repeat("\n", strings.Count(n.Text(), "\n"))})
			}
			return false
		case syntax.Path:
		default:
			return true
		}
		segments := slices.Collect(n.All(syntax.FSegment))
		if prelude == "" || len(segments) < 2 || n.Get(syntax.FQSelf).Valid() || segments[0].FirstToken().Text() != "vstd" {
			return true
		}
		// A path of a type has its name before that of the function: Type::new.
		at := len(segments) - 1
		for at > 1 && !lower(segments[at-1].FirstToken().Text()) {
			at--
		}
		edits = append(edits, edit{n.Span().Start, segments[at].Span().Start, prelude + "::"})
		return true
	})
	if len(edits) == 0 {
		return f
	}
	return syntax.Parse(source.NewFile(f.Source.Path, apply(text, edits)))
}

func lower(s string) bool { return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] == '_') }

// edit replaces the text from start to end.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that do not overlap.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		b.Write(text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(text[at:])
	return b.Bytes()
}

// maxDepth bounds how deep modules are nested, and maxModules how many there are: a file can be a module of its own.
const (
	maxDepth   = 64
	maxModules = 20_000
)

// walk enters a module and those in it. dir is the directory of the files of its modules.
func (t *tree) walk(n syntax.Node, at, file, dir string, depth int) {
	if _, known := t.modules[at]; known || depth > maxDepth || len(t.modules) >= maxModules {
		return
	}
	end := len(n.File().Source.Text)
	if n.Kind() == syntax.Mod {
		end = n.Span().End - 1
	}
	t.modules[at] = &module{path: at, file: file, items: n, end: end}
	for item := range n.All(syntax.FItem) {
		if item.Kind() != syntax.Mod {
			continue
		}
		name := strings.TrimPrefix(item.Get(syntax.FName).Text(), "r#")
		inner := name
		if at != "" {
			inner = at + "::" + name
		}
		given := pathAttr(item)
		if item.HasBody() {
			sub := path.Join(dir, name)
			if given != "" {
				sub = path.Join(dir, given)
			}
			t.walk(item, inner, file, sub, depth+1)
			continue
		}
		candidates := []struct{ file, dir string }{{path.Join(dir, name+".rs"), path.Join(dir, name)}, {path.Join(dir, name, "mod.rs"), path.Join(dir, name)}}
		if given != "" {
			// Relative to the directory of the file, unless the module stands in an inline one.
			base := path.Dir(file)
			if n.Kind() == syntax.Mod {
				base = dir
			}
			p := path.Join(base, given)
			candidates = candidates[:0]
			candidates = append(candidates, struct{ file, dir string }{p, path.Dir(p)})
		}
		for _, c := range candidates {
			if f := t.file(c.file); f != nil {
				t.walk(f.Root(), inner, c.file, c.dir, depth+1)
				break
			}
		}
	}
}

// pathAttr is the file that an attribute names for a module; empty if none does.
func pathAttr(n syntax.Node) string {
	for a := range n.All(syntax.FAttr) {
		if a.Get(syntax.FPath).Text() != "path" {
			continue
		}
		text := a.Text()
		if i := strings.IndexByte(text, '"'); i >= 0 {
			if j := strings.LastIndexByte(text, '"'); j > i {
				if s, err := strconv.Unquote(text[i : j+1]); err == nil {
					return s
				}
			}
		}
	}
	return ""
}

// ticks are calls at the beginning of every function and of every turn of a loop that runs, not of what the compiler evaluates.
func ticks(f *syntax.File, tick string) []edit {
	var edits []edit
	into := func(body syntax.Node) {
		if body.Kind() != syntax.Block {
			return
		}
		at := -1
		for tok := range body.Tokens() {
			if tok.Text() == "{" {
				at = tok.Span().End
				break
			}
		}
		for a := range body.All(syntax.FAttr) {
			if a.Inner() {
				at = max(at, a.Span().End)
			}
		}
		if at >= 0 {
			edits = append(edits, edit{at, at, " " + tick + "(); "})
		}
	}
	f.Root().Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.Attr, syntax.Const, syntax.Static, syntax.ArrayType, syntax.ConstPat, syntax.ConstParam, syntax.GenericArgs, syntax.Variant, syntax.TypeAlias:
			return false
		case syntax.Fn:
			if isConst(n) {
				return false
			}
			into(n.Get(syntax.FBody))
		case syntax.Block:
			return !isConst(n)
		case syntax.While, syntax.Loop, syntax.For:
			into(n.Get(syntax.FBody))
		}
		return n.Field() != syntax.FLen
	})
	return edits
}

func isConst(n syntax.Node) bool {
	for m := range n.All(syntax.FModifier) {
		if m.Text() == "const" {
			return true
		}
	}
	return false
}

// part is a piece of code that the compiler may refuse: of a file, a function's body or an item.
type part struct {
	node syntax.Node
	fn   syntax.Node // the function, if it is one or the body of one
}

// partAt finds the smallest part of a file at an offset that can be done without. The body of a function can be before the function can.
func partAt(f *syntax.File, at int, gone func(syntax.Node) bool) (part, bool) {
	var found part
	f.Root().Walk(func(n syntax.Node) bool {
		s := n.Span()
		if s.Start > at || s.End < at || s.End == at && s.Start < at && n.Kind() != syntax.SourceFile {
			return false
		}
		switch n.Kind() {
		case syntax.Fn:
			if !gone(n) {
				found = part{n, n}
			}
		case syntax.Block:
			if found.node.Valid() && found.node.Kind() == syntax.Fn && n.Field() == syntax.FBody && !isConst(found.fn) && !gone(n) {
				found.node = n
			}
		case syntax.Struct, syntax.Enum, syntax.Union, syntax.Trait, syntax.TraitAlias, syntax.Impl, syntax.Use, syntax.ExternCrate, syntax.ExternBlock,
			syntax.Const, syntax.Static, syntax.TypeAlias, syntax.MacroRules, syntax.MacroDef:
			if !gone(n) && found.node.Kind() != syntax.Block {
				found = part{node: n}
			}
		case syntax.MacroCall:
			if n.Field() == syntax.FItem && !gone(n) && found.node.Kind() != syntax.Block {
				found = part{node: n}
			}
		case syntax.Mod:
			if !n.HasBody() && !gone(n) {
				found = part{node: n}
			}
		case syntax.Attr:
			if !gone(n) && found.node.Kind() != syntax.Block {
				found = part{node: n}
			}
		}
		return true
	})
	return found, found.node.Valid()
}

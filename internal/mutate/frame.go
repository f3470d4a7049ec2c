package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// frame is the text around a function in which its mutants are read: as little of the file as decides what is ghost.
type frame struct {
	f              *model.Function
	around         surroundings
	prefix, suffix string
	exec           string // executable text of the function
}

// surroundings are the items around a function and what the file declares.
type surroundings struct {
	macro, impl syntax.Node // zero if none
	trait       syntax.Node
	nested      bool // inside another function or a constant
}

func findSurroundings(n syntax.Node) surroundings {
	var s surroundings
	at := n.Span()
	n.File().Root().Walk(func(c syntax.Node) bool {
		span := c.Span()
		if c.ID() == n.ID() || span.Start > at.Start || span.End < at.End {
			return false
		}
		switch c.Kind() {
		case syntax.MacroCall:
			if !s.macro.Valid() {
				s.macro = c
			}
		case syntax.Impl:
			s.impl = c
		case syntax.Trait:
			s.trait = c
		case syntax.Fn, syntax.Const, syntax.Static:
			s.nested = true
		}
		return true
	})
	return s
}

// newFrame also says why a function cannot have mutants.
func newFrame(f *model.Function) (*frame, string) {
	switch {
	case f.Mode != model.Exec:
		return nil, "it is ghost code"
	case f.Kind == model.AssumeSpecFunction:
		return nil, "it states the contract of another function"
	case f.Kind == model.NestedFunction:
		return nil, "it is nested in another function"
	case f.Kind == model.MacroFunction:
		return nil, "it is the output of a macro"
	case f.Kind == model.ConstFunction || f.Node.Kind() != syntax.Fn:
		return nil, "it is a constant"
	case f.Span.End-f.Span.Start > maxFunction:
		return nil, fmt.Sprintf("it is longer than %d KiB", maxFunction>>10)
	case !f.HasBody || f.Node.Get(syntax.FBody).Kind() != syntax.Block:
		return nil, "it has no body"
	}
	fr := &frame{f: f, around: findSurroundings(f.Node), exec: syntax.Exec(f.Node)}
	if fr.around.nested {
		return nil, "it is nested in another function"
	}
	for _, e := range f.File.Syntax.Errors {
		if at := f.Node.Span(); e.Span.Start <= at.End && e.Span.End >= at.Start {
			return nil, "a part of it could not be parsed"
		}
	}
	fr.prefix, fr.suffix = smallContext(f.Node, fr.around.macro)
	if text, ok := fr.execOf(Mutant{}); !ok || text != fr.exec {
		text, s := f.File.Syntax.Source.Text, f.Node.Span()
		fr.prefix, fr.suffix = string(text[:s.Start]), string(text[s.End:])
	}
	return fr, ""
}

// smallContext is the imports of the file, and a declaration of each name that the function uses and the file declares: a name such
// as Ghost means something else when the file has its own.
func smallContext(fn, macro syntax.Node) (prefix, suffix string) {
	used := map[string]bool{}
	for t := range fn.Tokens() {
		used[t.Text()] = true
	}
	var b strings.Builder
	fn.File().Root().Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.Use:
			b.WriteString(n.Text() + "\n")
			return false
		case syntax.Struct, syntax.Enum, syntax.Union, syntax.Trait, syntax.TypeAlias, syntax.Fn, syntax.Const, syntax.Static, syntax.Mod,
			syntax.MacroRules, syntax.MacroDef:
			if name := n.Get(syntax.FName).Text(); used[name] {
				if n.Kind() == syntax.MacroRules || n.Kind() == syntax.MacroDef {
					b.WriteString("macro_rules! " + name + " { () => {} }\n")
				} else {
					b.WriteString("struct " + name + ";\n")
				}
			}
		}
		return n.Kind() != syntax.Attr
	})
	if macro.Valid() {
		b.WriteString(macro.Get(syntax.FPath).Text() + "! {\n")
		suffix = "\n}\n"
	}
	return b.String(), suffix
}

// parse reads a text in the place of the function, and finds it.
func (fr *frame) parse(text string) (syntax.Node, bool) {
	file := syntax.Parse(source.NewFile(fr.f.File.Path, []byte(fr.prefix+text+fr.suffix)))
	if len(file.Errors) > len(fr.f.File.Syntax.Errors) {
		return syntax.Node{}, false
	}
	var found syntax.Node
	want := source.Span{Start: len(fr.prefix), End: len(fr.prefix) + len(text)}
	file.Root().Walk(func(n syntax.Node) bool {
		s := n.Span()
		if n.Kind() == syntax.Fn && s == want {
			found = n
		}
		return !found.Valid() && s.Start <= want.Start && s.End >= want.End
	})
	readable := found.Valid()
	found.Walk(func(n syntax.Node) bool {
		readable = readable && n.Kind() != syntax.Unknown
		return readable
	})
	return found, readable
}

// execOf is the executable text of a mutant; false if it is no function any more.
func (fr *frame) execOf(m Mutant) (string, bool) {
	n, ok := fr.parse(string(m.apply(fr.f.File.Syntax.Source.Text, fr.f.Node.Span())))
	if !ok {
		return "", false
	}
	return syntax.Exec(n), true
}

// Emit is a mutant as an item of its own: Rust source with ghost code erased, to be put into the module of its function, under
// another name. A method stands in an impl block; a method of a trait in a trait of its own, named like the function, which is
// in scope in the module. It is called as the function is. Attributes of the function are left out, but for cfg. Calls of the
// function to itself become calls of the mutant to itself: by path, and as a method of self. The zero Mutant gives a copy of the function.
//
// The text has no lint attributes: compile it with --cap-lints=allow, since code such as `x / 0` is refused otherwise. It is an error
// if there are no mutants (Reason), or the text cannot be read again with the edit.
func (r Result) Emit(m Mutant, name string, opts syntax.EraseOptions) ([]byte, error) {
	if r.frame == nil {
		return nil, fmt.Errorf("write a copy of a function: %s", r.Reason)
	}
	f := r.frame.f
	fail := func(what string) ([]byte, error) {
		p := f.File.Syntax.Source.Position(f.NameSpan.Start)
		return nil, fmt.Errorf("write a copy of %s (%s:%s): %s", f.Symbol, f.File.Path, p, what)
	}
	span := f.Node.Span()
	cfgs, attrs := "", span.Start
	for a := range f.Node.All(syntax.FAttr) {
		if a.Inner() {
			continue
		}
		attrs = a.Span().End
		if a.Get(syntax.FPath).Text() == "cfg" {
			cfgs += a.Text() + "\n"
		}
	}
	for t := range f.Node.Tokens() {
		if span.Start = t.Span().Start; span.Start >= attrs {
			break
		}
	}
	// The function starts on a line of its own, because erasing moves everything but line breaks.
	fr := &frame{f: f, around: r.frame.around, prefix: r.frame.prefix + "\n", suffix: "\n" + r.frame.suffix}
	text := string(m.apply(f.File.Syntax.Source.Text, span))
	fn, ok := fr.parse(text)
	if !ok {
		return fail("its text with the edit " + m.ID + " could not be parsed")
	}
	text = rename(fn, text, len(fr.prefix), f, name)
	file := syntax.Parse(source.NewFile(f.File.Path, []byte(fr.prefix+text+fr.suffix)))
	lines := strings.Split(string(syntax.Erase(file, opts)), "\n")
	first := strings.Count(fr.prefix, "\n")
	count := strings.Count(text, "\n") + 1
	if len(lines) < first+count {
		return fail("its erased text was lost")
	}
	erased := strings.Join(lines[first:first+count], "\n")
	out, err := fr.item(erased, cfgs, name)
	if err != nil {
		return fail(err.Error())
	}
	return []byte(out), nil
}

// rename gives a function, which stands in its file from offset on, another name, and its calls of itself with it.
func rename(fn syntax.Node, text string, offset int, f *model.Function, name string) string {
	paths, asMethod := map[string]bool{}, false
	for _, c := range f.Calls {
		if c.Ghost || len(c.Callees) == 0 || slices.ContainsFunc(c.Callees, func(g *model.Function) bool { return g != f && g != f.TraitMethod }) {
			continue
		}
		if c.Method {
			asMethod = asMethod || c.Node.Get(syntax.FReceiver).Text() == "self"
		} else if callee := c.Node.Get(syntax.FCallee); callee.Kind() == syntax.Path {
			paths[syntax.Canon(callee)] = true
		}
	}
	spots := []source.Span{fn.Get(syntax.FName).Span()}
	fn.Get(syntax.FBody).Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.Call:
			if callee := n.Get(syntax.FCallee); callee.Kind() == syntax.Path && paths[syntax.Canon(callee)] {
				var last syntax.Node
				for s := range callee.All(syntax.FSegment) {
					last = s
				}
				spots = append(spots, last.FirstToken().Span())
			}
		case syntax.MethodCall:
			if asMethod && n.Get(syntax.FReceiver).Text() == "self" && n.Get(syntax.FName).Text() == f.Name {
				spots = append(spots, n.Get(syntax.FName).Span())
			}
		}
		return true
	})
	slices.SortFunc(spots, func(a, b source.Span) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for _, s := range spots {
		b.WriteString(text[at:s.Start-offset] + name)
		at = s.End - offset
	}
	return b.String() + text[at:]
}

// item puts an erased function where it can stand in a module.
func (fr *frame) item(fn, cfgs, name string) (string, error) {
	impl, trait := fr.around.impl, fr.around.trait
	switch {
	case impl.Valid() && impl.Get(syntax.FTrait).Valid():
		head, err := declaration(fn)
		if err != nil {
			return "", err
		}
		params, args := generics(impl.Get(syntax.FGenerics), "")
		where := spaced(impl.Get(syntax.FWhere))
		return fmt.Sprintf("%strait %s%s: %s%s { %s }\n%simpl%s %s%s for %s%s {\n%s\n}\n", cfgs, name, params, impl.Get(syntax.FTrait).Text(), where, head,
			cfgs, params, name, args, impl.Get(syntax.FSelfType).Text(), where, fn), nil
	case impl.Valid():
		return fmt.Sprintf("%simpl%s %s%s {\n%s\n}\n", cfgs, impl.Get(syntax.FGenerics).Text(), impl.Get(syntax.FSelfType).Text(), spaced(impl.Get(syntax.FWhere)), fn), nil
	case trait.Valid():
		// A default body: every type that has the trait has it.
		const self = "SpecgateSelf"
		params, args := generics(trait.Get(syntax.FGenerics), "")
		with, _ := generics(trait.Get(syntax.FGenerics), self+": "+trait.Get(syntax.FName).Text()+args)
		where := spaced(trait.Get(syntax.FWhere))
		return fmt.Sprintf("%strait %s%s: %s%s%s {\n%s\n}\n%simpl%s %s%s for %s%s {}\n", cfgs, name, params, trait.Get(syntax.FName).Text(), args, where, fn,
			cfgs, with, name, args, self, where), nil
	}
	return cfgs + fn + "\n", nil
}

func spaced(n syntax.Node) string {
	if !n.Valid() {
		return ""
	}
	return " " + strings.TrimSuffix(strings.TrimSpace(n.Text()), ",")
}

// generics are parameters as they are declared, without defaults and with another one behind them, and as they are used.
func generics(n syntax.Node, more string) (params, args string) {
	var declared, used []string
	for p := range n.All(syntax.FParam) {
		name := p.Get(syntax.FName).Text()
		text := p.Text()
		if d := p.Get(syntax.FDefault); d.Valid() {
			text = strings.TrimRight(text[:d.Span().Start-p.Span().Start], "= \n\t")
		}
		declared, used = append(declared, text), append(used, name)
	}
	if more != "" {
		declared = append(declared, more)
	}
	if len(declared) > 0 {
		params = "<" + strings.Join(declared, ", ") + ">"
	}
	if len(used) > 0 {
		args = "<" + strings.Join(used, ", ") + ">"
	}
	return params, args
}

// declaration is the head of an erased function as a trait declares it: without body and without patterns.
func declaration(fn string) (string, error) {
	file := syntax.Parse(source.NewFile("", []byte(fn)))
	n := file.Root().Get(syntax.FItem)
	body := n.Get(syntax.FBody)
	if n.Kind() != syntax.Fn || !body.Valid() || len(file.Errors) > 0 {
		return "", fmt.Errorf("its erased text could not be parsed")
	}
	var b strings.Builder
	at := n.Span().Start
	for p := range n.Get(syntax.FParams).All(syntax.FParam) {
		s, put := p.Span(), ""
		switch pat := p.Get(syntax.FPat); {
		case pat.Valid():
			s, put = pat.Span(), "_"
		case p.Kind() == syntax.SelfParam && strings.HasPrefix(p.Text(), "mut "):
			s.End, put = s.Start+len("mut "), ""
		default:
			continue
		}
		b.WriteString(fn[at:s.Start] + put)
		at = s.End
	}
	// A comment may stand between the head and the body.
	end := at
	for t := range n.Tokens() {
		if t.Span().Start >= body.Span().Start {
			break
		}
		end = max(end, t.Span().End)
	}
	return b.String() + fn[at:end] + ";", nil
}

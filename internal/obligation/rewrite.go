package obligation

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// binding is what stands for a parameter or result in the text that is written.
type binding struct {
	// before and after the call; equal for what is no mutable reference.
	before, after string
	mut           bool
}

// frame says what the names in a text mean where it is copied to.
type frame struct {
	w *Writer
	// words is the function whose words the text is in, of the model m; at the function beside which it is copied.
	words *model.Function
	m     *model.Model
	at    *model.Function
	vars  map[string]binding
	// types are type parameters, and Self, with what stands for them; absent: as they are.
	types map[string]string
	// projection stands for `Self` in a type such as Self::Item; empty: as it is.
	projection string
	brought    *brought
	// bare says what a bare mutable reference means.
	bare bareMeaning
	// keepOld leaves old(..) and final(..) in place: only the names in them are replaced.
	keepOld bool
	// impls stand for `impl Trait` in argument position, by node ID; only while types of parameters are written.
	impls map[int]string
}

type bareMeaning uint8

const (
	_ bareMeaning = iota
	bareBefore
	bareAfter
)

type edit struct {
	start, end int
	text       string
}

// rewriter collects the edits of one text.
type rewriter struct {
	*frame
	edits []edit
	err   *failure
	bound map[string]bool // names bound inside the text
}

// copy is the text of a node in the words of the place where it goes. Extra edits are applied with it.
func (fr *frame) copy(n syntax.Node, extra ...edit) (string, *failure) {
	span := n.Span()
	for _, e := range n.File().Errors {
		if e.Span.Start <= span.End && span.Start <= e.Span.End {
			return "", fail(NotParsed, "a part of the function is not understood: "+e.Message)
		}
	}
	r := &rewriter{frame: fr, edits: extra, bound: boundIn(n)}
	r.visit(n)
	if r.err != nil {
		return "", r.err
	}
	return applyEdits(n, r.edits), nil
}

func boundIn(n syntax.Node) map[string]bool {
	out := map[string]bool{}
	n.Walk(func(c syntax.Node) bool {
		if c.Kind() == syntax.IdentPat {
			out[c.Get(syntax.FName).Text()] = true
		}
		return true
	})
	return out
}

func applyEdits(n syntax.Node, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	text, span := n.File().Source.Text, n.Span()
	var b strings.Builder
	last := span.Start
	for _, e := range edits {
		if e.start < last || e.end > span.End {
			continue // inside a text that is replaced as a whole
		}
		b.Write(text[last:e.start])
		b.WriteString(e.text)
		last = e.end
	}
	b.Write(text[last:span.End])
	return b.String()
}

func (r *rewriter) fail(reason Reason, detail string) {
	if r.err == nil {
		r.err = fail(reason, detail)
	}
}

func (r *rewriter) replace(n syntax.Node, text string) {
	s := n.Span()
	r.edits = append(r.edits, edit{s.Start, s.End, text})
}

func (r *rewriter) replaceToken(t syntax.Token, text string) {
	r.edits = append(r.edits, edit{t.Span().Start, t.Span().End, text})
}

func (r *rewriter) children(n syntax.Node) {
	for c := range n.Children() {
		r.visit(c)
	}
}

func (r *rewriter) visit(n syntax.Node) {
	if r.err != nil {
		return
	}
	switch n.Kind() {
	case syntax.Unknown:
		r.fail(NotParsed, "a part of the contract is not understood")
	case syntax.Call:
		callee := n.Get(syntax.FCallee)
		if word := callee.Text(); callee.Kind() == syntax.Path && (word == "old" || word == "final") && len(r.vars) > 0 && !r.own(word) {
			r.oldFinal(n, callee, word)
			return
		}
		if word := lastWord(callee); prophecies[word] {
			for e := range n.Get(syntax.FArgs).All(syntax.FExpr) {
				if r.vars[e.Text()].mut {
					r.fail(BareMutable, "`"+word+"` speaks of the mutable reference `"+e.Text()+"` itself")
				}
			}
		}
		r.children(n)
	case syntax.Quant, syntax.Closure, syntax.Arm:
		r.scope(n)
	case syntax.Path:
		r.path(n)
	case syntax.FieldInit:
		if !n.Get(syntax.FExpr).Valid() {
			name := n.Get(syntax.FName)
			if text, ok := r.variable(name.Text()); ok && text != name.Text() {
				r.replace(name, name.Text()+": "+text)
			}
			return
		}
		r.children(n)
	case syntax.IdentPat:
		name := n.Get(syntax.FName).Text()
		if b, ok := r.vars[name]; ok && (b.before != name || b.after != name) {
			r.fail(Rebound, "`"+name+"` means something else inside a clause")
		}
		r.children(n)
	case syntax.MethodCall:
		r.method(n.Get(syntax.FName))
		r.children(n)
	case syntax.View:
		if r.brought.has("view") {
			r.fail(CannotBring, "the definition of `view` changed, and `@` cannot mean base's")
		}
		r.children(n)
	case syntax.MacroCall:
		r.macro(n.Get(syntax.FPath))
		r.visit(n.Get(syntax.FArgs))
	case syntax.TokenTree:
		r.tokens(n)
	case syntax.ImplTrait:
		if text := r.impls[n.ID()]; text != "" {
			r.replace(n, text)
			return
		}
		r.children(n)
	case syntax.Attr:
		r.visit(n.Get(syntax.FArgs))
	default:
		r.children(n)
	}
}

// prophecies are the library's functions about a mutable reference itself.
var prophecies = map[string]bool{"mut_ref_current": true, "mut_ref_future": true, "has_resolved": true, "has_resolved_unsized": true, "after_borrow": true}

func lastWord(path syntax.Node) string {
	word := ""
	if path.Kind() == syntax.Path {
		word, _ = lastSegment(path)
	}
	return word
}

// scope writes a quantifier, closure or arm: a name that it binds is its own, all through it.
func (r *rewriter) scope(n syntax.Node) {
	vars := r.vars
	for _, f := range []syntax.Field{syntax.FParam, syntax.FPat} {
		for p := range n.All(f) {
			for name := range boundIn(p) {
				if b, ok := vars[name]; ok && (b.before != name || b.after != name) {
					vars = maps.Clone(vars)
					delete(vars, name)
				}
			}
		}
	}
	outer := r.frame
	if len(vars) != len(r.vars) {
		inner := *r.frame
		inner.vars = vars
		r.frame = &inner
	}
	r.children(n)
	r.frame = outer
}

// oldAndFinal are the two words as paths.
var oldAndFinal = sync.OnceValue(func() map[string]syntax.Node {
	out := map[string]syntax.Node{}
	f := syntax.Parse(source.NewFile("words", []byte("const OLD: int = old; const FINAL: int = final;")))
	for n := range f.Root().Children() {
		out[n.Get(syntax.FValue).Text()] = n.Get(syntax.FValue)
	}
	return out
})

// own tells that old or final is a function where the text is from, and not Verus's.
func (fr *frame) own(word string) bool {
	d := fr.m.Resolve(fr.words, oldAndFinal()[word], false)
	if len(d.Functions) > 0 || d.Item != nil {
		return true
	}
	crate, _, found := strings.Cut(d.To, "::")
	return found && d.To[0] != '?' && crate != "vstd" && crate != "builtin" && crate != "verus_builtin"
}

// oldFinal writes old(x) and final(x).
func (r *rewriter) oldFinal(n, callee syntax.Node, word string) {
	arg := n.Get(syntax.FArgs).Get(syntax.FExpr)
	for arg.Kind() == syntax.Paren {
		arg = arg.Get(syntax.FExpr)
	}
	if b, ok := r.vars[arg.Text()]; ok && arg.Kind() == syntax.Path {
		text := b.before
		if word == "final" {
			text = b.after
		}
		if r.keepOld {
			text = word + "(" + text + ")"
		}
		r.replace(n, text)
		return
	}
	if r.keepOld {
		r.children(n)
		return
	}
	// old(e) of a longer expression: e with all its names as they were.
	inner := *r.frame
	inner.bare = bareBefore
	if word == "final" {
		inner.bare = bareAfter
	}
	sub := &rewriter{frame: &inner, bound: r.bound}
	sub.visit(n.Get(syntax.FArgs))
	if sub.err != nil {
		r.err = cmp.Or(r.err, sub.err)
		return
	}
	r.replace(callee, "")
	r.edits = append(r.edits, sub.edits...)
}

// variable is what stands for a name; ok is false if it is no parameter or result.
func (r *rewriter) variable(name string) (text string, ok bool) {
	b, ok := r.vars[name]
	if !ok {
		return "", false
	}
	if !b.mut || r.keepOld {
		return b.before, true
	}
	if r.bare == bareAfter {
		return b.after, true
	}
	return b.before, true
}

// isValue tells a path that stands for a value from one that names a type, pattern or trait.
func isValue(n syntax.Node) bool {
	switch n.Field() {
	case syntax.FPat, syntax.FPath, syntax.FType, syntax.FTrait, syntax.FSelfType, syntax.FBound, syntax.FQSelf, syntax.FArg, syntax.FTarget:
		return false
	}
	return true
}

func (r *rewriter) path(n syntax.Node) {
	segs := slices.Collect(n.All(syntax.FSegment))
	for c := range n.Children() { // types inside
		r.children(c)
	}
	if len(segs) == 0 {
		return
	}
	first := segs[0].FirstToken()
	word := first.Text()
	qself := n.Get(syntax.FQSelf).Valid()
	plain := !qself && !n.Global()
	if plain && len(segs) == 1 && isValue(n) {
		if text, ok := r.variable(word); ok {
			if text != word {
				r.replaceToken(first, text)
			}
			return
		}
	}
	last := segs[len(segs)-1]
	if r.brought.path(r, n, last) {
		return
	}
	if plain && word == "Self" && len(segs) > 1 && r.projection != "" && !isValue(n) && n.Field() != syntax.FPat && n.Field() != syntax.FPath {
		r.replaceToken(first, r.projection)
		return
	}
	if text, ok := r.types[word]; ok && plain {
		if text != word {
			if len(segs) > 1 && !isIdent(text) {
				text = "<" + text + ">"
			}
			r.replaceToken(first, text)
		}
		return
	}
	if plain && (word == "Self" || word == "_") || r.generic(word) && plain {
		return
	}
	r.meaning(n, segs)
}

// generic tells a type parameter of the function whose words these are.
func (r *rewriter) generic(word string) bool { return r.w.genericNames(r.words)[word] }

// meaning sees to it that a free path means the same at its new place.
func (r *rewriter) meaning(n syntax.Node, segs []syntax.Node) {
	if r.words == r.at {
		return
	}
	if n.Field() == syntax.FPat && len(segs) == 1 {
		return
	}
	here, there := r.m.Resolve(r.words, n, false), r.w.m.Resolve(r.at, n, false)
	want, sameCrate := r.w.toHead(r.m, r.at, here)
	if want == there.To {
		return
	}
	if len(segs) == 1 && r.bound[segs[0].FirstToken().Text()] {
		r.fail(OtherMeaning, "`"+n.Text()+"` is bound inside a clause and means something else outside")
		return
	}
	if sameCrate && !n.Get(syntax.FQSelf).Valid() {
		plain := true
		for _, s := range segs[:len(segs)-1] {
			plain = plain && !s.Get(syntax.FGenericArgs).Valid()
		}
		if plain {
			path := "crate" + strings.TrimPrefix(want, r.at.Crate.Key)
			start, end := n.Span().Start, segs[len(segs)-1].FirstToken().Span().End
			r.edits = append(r.edits, edit{start, end, path})
			return
		}
	}
	r.fail(OtherMeaning, "`"+n.Text()+"` does not mean the same there")
}

func (r *rewriter) method(name syntax.Node) {
	if to, ok := r.brought.method(name.Text()); ok {
		r.replace(name, to)
	}
}

func (r *rewriter) macro(path syntax.Node) {
	if r.words == r.at {
		return
	}
	here, there := r.m.Resolve(r.words, path, true), r.w.m.Resolve(r.at, path, true)
	if here.Item != nil {
		// Its words are not rewritten, and mean head's definitions where it is called.
		for _, word := range slices.Sorted(maps.Keys(r.m.MacroWords(here.Item))) {
			if r.brought.has(word) {
				r.fail(InMacro, "`"+word+"` is in the macro `"+path.Text()+"` and means a definition that changed")
				return
			}
		}
	}
	want, _ := r.w.toHead(r.m, r.at, here)
	if want != there.To || here.Item != nil && r.w.itemChanged(here.Item) {
		r.fail(OtherMeaning, "the macro `"+path.Text()+"` does not mean the same there")
	}
}

// tokens replaces names in the input of a macro that is not understood. A name that is bound again in there is replaced all through, which changes
// nothing.
func (r *rewriter) tokens(n syntax.Node) {
	toks := slices.Collect(n.Tokens())
	at := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}
		return toks[i].Text()
	}
	for i := 0; i < len(toks) && r.err == nil; i++ {
		word := at(i)
		if prev := at(i - 1); prev == "." || prev == "->" {
			if to, ok := r.brought.method(word); ok && at(i+1) == "(" {
				r.replaceToken(toks[i], to)
			}
			continue
		}
		if (word == "old" || word == "final") && at(i+1) == "(" && at(i+3) == ")" && !r.own(word) {
			if b, ok := r.vars[at(i+2)]; ok && !r.keepOld {
				text := b.before
				if word == "final" {
					text = b.after
				}
				r.edits = append(r.edits, edit{toks[i].Span().Start, toks[i+3].Span().End, text})
				i += 3
				continue
			}
		}
		if word == "@" && r.brought.has("view") || r.brought.has(word) {
			r.fail(InMacro, "`"+word+"` is in the input of a macro and means a definition that changed")
			return
		}
		if text, ok := r.types[word]; ok && text != word && at(i-1) != "::" {
			if at(i+1) == "::" && !isIdent(text) {
				text = "<" + text + ">"
			}
			r.replaceToken(toks[i], text)
			continue
		}
		b, ok := r.vars[word]
		if !ok || at(i-1) == "::" || at(i+1) == "::" || b.before == word && b.after == word {
			continue
		}
		text, _ := r.variable(word)
		if text == word || r.err != nil {
			continue
		}
		if at(i+1) == ":" {
			r.fail(InMacro, "`"+word+"` is in the input of a macro, where it may be the name of a field")
			return
		}
		r.replaceToken(toks[i], text)
	}
}

func isIdent(s string) bool {
	for i, c := range s {
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

package pair

import (
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// renamedLocals are base's names of local variables, parameters of closures and labels that have another one in head. They are found by the order in which
// the names are bound; what makes them right is that a name is taken for renamed only where all of its uses, in base and in head, are seen to be of the
// local, and head's name is nowhere in base nor base's in head: then base with that name is the same function.
func renamedLocals(b, h *model.Function) map[string]string {
	if b.Body == h.Body && b.Exec == h.Exec {
		return nil
	}
	lb, lh := localsOf(b), localsOf(h)
	if len(lb.order) != len(lh.order) {
		return nil
	}
	var out map[string]string
	for i, name := range lb.order {
		to := lh.order[i]
		if name == to || !lb.plain(name) || !lh.plain(to) || lb.words[to] > 0 || lh.words[name] > 0 || (name[0] == '\'') != (to[0] == '\'') {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = to
	}
	return out
}

// locals are the names that a function binds.
type locals struct {
	order []string       // each once, as they are first bound
	words map[string]int // how often a word stands in the function, texts of macros among it
	uses  map[string]int // how often as a local
	free  map[string]bool
}

// plain tells a name that stands for nothing but a local.
func (l *locals) plain(name string) bool { return l.words[name] == l.uses[name] && !l.free[name] }

func localsOf(f *model.Function) *locals {
	l := &locals{words: map[string]int{}, uses: map[string]int{}, free: map[string]bool{}}
	for _, refs := range [][]model.Ref{f.ExecRefs, f.GhostRefs} {
		for _, r := range refs {
			first, _, _ := strings.Cut(r.Written, "::")
			l.free[first] = true
		}
	}
	for name := range variables(f) {
		l.free[name] = true // compared by its place
	}
	l.free[f.Name] = true
	bind := func(name string) {
		if l.uses[name] == 0 {
			l.order = append(l.order, name)
		}
		l.uses[name]++
	}
	for t := range f.Node.Tokens() {
		text := t.Text()
		l.words[text]++
		if t.Kind() == syntax.String && strings.Contains(text, "{") {
			// A format may name a variable.
			for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !syntax.WordByte(byte(r)) }) {
				l.words[w]++
			}
		}
	}
	f.Node.Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.FieldPat:
			// The shorthand names a field too.
			if p := n.Get(syntax.FPat); p.Kind() == syntax.IdentPat && !n.Get(syntax.FName).Valid() {
				l.free[p.Get(syntax.FName).Text()] = true
			}
		case syntax.IdentPat:
			bind(n.Get(syntax.FName).Text())
		case syntax.Path:
			// A type, and what a macro, an attribute, a pattern or a struct is called, is no local.
			if n.Field() != syntax.FType && n.Field() != syntax.FPath && single(n) {
				l.uses[n.FirstToken().Text()]++
			}
		case syntax.Label:
			bind(n.FirstToken().Text())
		case syntax.FieldExpr, syntax.MethodCall:
			l.words[n.Get(syntax.FName).Text()]-- // behind a point, where no local stands
		}
		return true
	})
	return l
}

// single tells a path of one word.
func single(n syntax.Node) bool {
	count := 0
	for range n.Tokens() {
		count++
	}
	return count == 1
}

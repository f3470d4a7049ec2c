package trust

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

const token = "pub tracked struct Token {\n    x: int,\n}\n\npub axiom fn token_unique(tracked a: Token, tracked b: Token)\n    ensures\n        false,\n;"

func tokenRules() []*checks.Rule {
	return []*checks.Rule{
		{
			ID: "trust/token-loosened", Family: checks.Trust, Severity: policy.Warning, Needs: pairNeeds,
			Otherwise: []checks.Weight{{Severity: policy.Error, When: "where a contract that is believed speaks of the type"}},
			Purpose:   "Values of a tracked type can be copied, or made or edited by more code than before.",
			Why:       "What a token stands for holds because there is one of it, and because only some code can make one. What is believed about such a type may be false where that is no longer so.",
			Fires:     checks.Example{Base: wrap(token), Head: wrap("#[derive(Clone, Copy)]\n" + token), Symbol: "Token"},
			Quiet:     checks.Example{Base: wrap(token), Head: wrap("/// A token.\n" + token)},
			Remedy:    "Keep the type as it was, or review every contract that is believed about it.",
			NoMirror:  "A type that fewer can copy or make needs no attention.",
			Run:       tokenLoosened,
		},
	}
}

func tokenLoosened(p *checks.Pass) {
	copied := map[string]bool{}
	for _, i := range p.Pairs.Items {
		if i.Base == nil && i.Head.Kind == model.ImplItem && !i.Head.Negative && lastName(i.Head.Trait) == "Copy" {
			copied[lastName(i.Head.Self)] = true
		}
	}
	for _, i := range p.Pairs.Items {
		if !tracked(i.Base) || !tracked(i.Head) {
			continue
		}
		var why []string
		if !copies(i.Base) && (copies(i.Head) || copied[i.Head.Name]) {
			why = append(why, "it can be copied")
		}
		opaqueBase, opaqueHead := opaque(i.Base), opaque(i.Head)
		if opaqueBase && !opaqueHead {
			why = append(why, "it is not opaque any more, so that code can make one and look into it")
		}
		if f := seenByMore(i.Base.Node, i.Head.Node); f != "" {
			why = append(why, fmt.Sprintf("more code can set `%s`", f))
		}
		if opaqueBase && opaqueHead && fieldTypes(i.Base.Node) != fieldTypes(i.Head.Node) {
			why = append(why, "its fields, which decide whether threads may share or send it, are of other types")
		}
		if len(why) == 0 {
			continue
		}
		out := checks.AtItem(i)
		out.Change = strings.Join(why, "\x00") + "\x00" + i.Head.Text
		out.Message = "This tracked type is a token, and more can be done with one than before: " + strings.Join(why, "; ") + "."
		out.Detail = "Base: " + shorten(i.Base.Text) + "\nHead: " + shorten(i.Head.Text)
		if f := speaks(p.Pairs.Head, i.Head.Name); f != nil {
			out.Severity = policy.Error
			out.Message += fmt.Sprintf(" %s is believed about it, and may not be true now.", f.Symbol)
		}
		p.Report(out)
	}
}

func tracked(it *model.Item) bool {
	return it != nil && (it.Kind == model.StructItem || it.Kind == model.EnumItem) && it.Node.Get(syntax.FMode).Text() == "tracked"
}

func copies(it *model.Item) bool {
	return slices.ContainsFunc(it.Derives, func(d string) bool { return lastName(d) == "Copy" })
}

func opaque(it *model.Item) bool {
	return slices.ContainsFunc(it.Attrs, func(a string) bool { return strings.Contains(a, "external_body") })
}

// seenByMore is a field that code sees which did not see it before, or the type itself if no field is left that anybody does not see; empty: neither.
func seenByMore(base, head syntax.Node) string {
	was, now := fieldsOf(base), fieldsOf(head)
	for _, f := range now {
		i := slices.IndexFunc(was, func(b field) bool { return b.name == f.name })
		if i >= 0 && was[i].seen != f.seen && was[i].seen != "pub" && (f.seen == "pub" || was[i].seen == "") {
			return f.name
		}
	}
	hidden := func(f field) bool { return f.seen != "pub" }
	if slices.ContainsFunc(was, hidden) && !slices.ContainsFunc(now, hidden) {
		return head.Get(syntax.FName).Text()
	}
	return ""
}

// field of a type: seen is its visibility as written.
type field struct{ name, seen, typ string }

func fieldsOf(n syntax.Node) []field {
	var out []field
	for f := range n.Get(syntax.FFields).All(syntax.FFieldDecl) {
		name := f.Get(syntax.FName).Text()
		if name == "" {
			name = fmt.Sprint(len(out))
		}
		out = append(out, field{name, syntax.Canon(f.Get(syntax.FVis)), syntax.Canon(f.Get(syntax.FType))})
	}
	return out
}

// fieldTypes are the types that a type holds, in no order.
func fieldTypes(n syntax.Node) string {
	var out []string
	for _, f := range fieldsOf(n) {
		out = append(out, f.typ)
	}
	slices.Sort(out)
	return pair.InPlace(strings.Join(out, ", "), n)
}

// speaks is a function whose contract is believed and whose signature names a type; nil: there is none.
func speaks(m *model.Model, typ string) *model.Function {
	for _, f := range m.Functions {
		if f.Mode == model.Spec || f.BodyVerified || !f.Verified || len(f.Contract()) == 0 || f.Kind == model.TraitMethod {
			continue
		}
		words := strings.FieldsFunc(f.Signature+" "+f.Self, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if slices.Contains(words, typ) {
			return f
		}
	}
	return nil
}

// lastName is the last name of a path, without arguments.
func lastName(path string) string {
	path, _, _ = strings.Cut(path, "<")
	return strings.TrimSpace(path[strings.LastIndex(path, ":")+1:])
}

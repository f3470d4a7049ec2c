package model

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// readMentions reads and analyses the files that have a word, or another name for what it names: that of an import (`use a::f as g`), of a type
// alias, of a macro that has the word in its definition, or of a group of broadcast lemmas. With values the word is a type, and names for what has values
// of it count too: types that hold one, functions that give one.
func (x *index) readMentions(name string, values bool) {
	names, seen := []string{name}, map[string]bool{name: true}
	for i := 0; i < len(names); i++ {
		for _, p := range x.tree.Mentions(names[i]) {
			x.load(p)
		}
		x.settle()
		x.indexNames()
		others := [][]string{x.importedAs[names[i]], x.standIns[names[i]]}
		if values {
			others = append(others, x.holders[names[i]])
		}
		for _, l := range others {
			for _, other := range l {
				if !seen[other] {
					seen[other] = true
					names = append(names, other)
				}
			}
		}
	}
}

// MacroWords are the words in the definition of a macro and in those of the macros that it calls.
func (m *Model) MacroWords(it *Item) map[string]bool {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	words, seen := map[string]bool{}, map[*Item]bool{}
	var visit func(it *Item)
	visit = func(it *Item) {
		if seen[it] {
			return
		}
		seen[it] = true
		x.analyseMacro(it)
		for t := range it.Node.Tokens() {
			if isWord(t) {
				words[tokenWord(t)] = true
			}
		}
		for _, name := range x.it[it].uses {
			if t := x.resolve(x.it[it].scope, strings.Split(name, "::"), false, nil, macroSpace); t.item != nil && t.item.Kind == MacroItem {
				visit(t.item)
			}
		}
	}
	visit(it)
	return words
}

// indexNames notes the other names in what was read since the last time: standIns are those of aliases, macros and groups by each word of their
// definitions, holders those of types and functions by each word of their fields and results.
func (x *index) indexNames() {
	add := func(to map[string][]string, name string, n syntax.Node) {
		if name == "" {
			return
		}
		for t := range n.Tokens() {
			if !isWord(t) {
				continue
			}
			w := tokenWord(t)
			if l := to[w]; w != name && (len(l) == 0 || l[len(l)-1] != name) {
				to[w] = append(l, name)
			}
		}
	}
	for ; x.namesTo < len(x.items); x.namesTo++ {
		switch it := x.items[x.namesTo]; it.Kind {
		case TypeAliasItem:
			add(x.standIns, it.Name, it.Node.Get(syntax.FType))
		case MacroItem, BroadcastItem:
			add(x.standIns, it.Name, it.Node)
		case ImplItem, TraitItem:
			for name, t := range x.it[it].impl.types {
				add(x.standIns, name, t)
			}
		case StructItem, EnumItem, UnionItem:
			add(x.holders, it.Name, it.Node)
		}
	}
	for ; x.resultsTo < len(x.functions); x.resultsTo++ {
		f := x.functions[x.resultsTo]
		add(x.holders, f.Name, f.Node.Get(syntax.FRet).Get(syntax.FType))
	}
}

// unnamed tells a spec function that contracts use without its name: `e@`, what operators and `has` stand for, the specification of an operator of executable
// code, the invariant of a type.
func (x *index) unnamed(g *Function) bool {
	return g.Name == "view" || slices.Contains(operatorMethods, g.Name) || strings.HasSuffix(g.info.impl.traitName(), "SpecImpl") || slices.Contains(x.invariants, g)
}

// typesMeant are the names of the types whose values mean a function that has no name in contracts.
func (x *index) typesMeant(g *Function) []string {
	var out []string
	for _, it := range x.typesOf(g) {
		out = append(out, it.Name)
	}
	if im := g.info.impl; im != nil && im.traitItem != nil {
		for _, h := range x.implementations(g) {
			if it := x.selfItem(h.info.impl); it != nil {
				out = append(out, it.Name)
			}
		}
	}
	return out
}

// operatorMethods are what verus! writes for operators in specification code: a < b is a.spec_lt(b), and v[i] is v.spec_index(i). A type of the tree may have
// them. Division and remainder had other names in earlier releases. See builtin_macros/src/syntax.rs of Verus.
var operatorMethods = []string{
	"spec_lt", "spec_le", "spec_gt", "spec_ge", "spec_add", "spec_sub", "spec_mul", "spec_euclidean_div", "spec_euclidean_mod", "spec_euclidean_or_real_div",
	"spec_bitand", "spec_bitor", "spec_bitxor", "spec_shl", "spec_shr", "spec_neg", "spec_index", "spec_has",
}

// ForOperator tells the name of a method that specification code calls by an operator, without the name.
func ForOperator(name string) bool { return slices.Contains(operatorMethods, name) }

// operators are the methods that a token of an expression of two operands stands for in specification code.
var operators = map[syntax.TokenKind][]string{
	syntax.Lt: {"spec_lt"}, syntax.Le: {"spec_le"}, syntax.Gt: {"spec_gt"}, syntax.Ge: {"spec_ge"}, syntax.Plus: {"spec_add"}, syntax.Minus: {"spec_sub"},
	syntax.Star: {"spec_mul"}, syntax.Slash: {"spec_euclidean_div", "spec_euclidean_or_real_div"}, syntax.Percent: {"spec_euclidean_mod"},
	syntax.And: {"spec_bitand"}, syntax.Or: {"spec_bitor"}, syntax.Caret: {"spec_bitxor"}, syntax.Shl: {"spec_shl"}, syntax.Shr: {"spec_shr"},
}

// operator notes the functions of the tree that an operator in specification code may mean.
func (a *analyser) operator(n syntax.Node) {
	of := n.Get(syntax.FLhs)
	var names []string
	switch n.Kind() {
	case syntax.Binary:
		names = operators[n.Op()]
	case syntax.Unary:
		if n.Op() != syntax.Minus {
			return
		}
		of, names = n.Get(syntax.FExpr), []string{"spec_neg"}
	case syntax.Index:
		of, names = n.Get(syntax.FExpr), []string{"spec_index"}
	case syntax.Has:
		names = []string{"spec_has"}
	}
	for _, name := range names {
		if a.x.loadMethods(name); len(a.x.methods[name]) > 0 {
			a.method(name, of, n, true)
		}
	}
}

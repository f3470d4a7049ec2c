package obligation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// maxFields bounds how deep the comparison of two results looks into types.
const maxFields = 4

// plain tells types whose values are equal in the logic when they are the same value: numbers, truth values, and enums, structs and
// tuples of them.
func (c *contract) plain(t syntax.Node, depth int) bool {
	if depth > maxFields {
		return false
	}
	switch t.Kind() {
	case syntax.ParenType, syntax.RefType:
		return c.plain(t.Get(syntax.FType), depth)
	case syntax.TupleType:
		for e := range t.All(syntax.FType) {
			if !c.plain(e, depth+1) {
				return false
			}
		}
		return true
	case syntax.Path:
		name, args := lastSegment(t)
		switch name {
		case "Vec", "String", "str", "Seq", "Set", "Map", "Multiset", "ISet", "IMap", "VecDeque", "HashMap", "HashSet", "Ghost", "Tracked":
			return false
		case "Option", "Result", "Box", "Rc", "Arc":
			return !slices.ContainsFunc(args, func(a syntax.Node) bool { return !c.plain(a, depth+1) })
		}
		it := c.item(t)
		if it == nil {
			return true // a number, a type parameter, a type of a library: the logic's equality is all there is
		}
		for _, v := range variants(it) {
			for _, f := range v.fields {
				if !c.plain(f.typ, depth+1) {
					return false
				}
			}
		}
		return true
	case syntax.SliceType, syntax.ArrayType:
		return false
	}
	return true
}

func lastSegment(t syntax.Node) (name string, args []syntax.Node) {
	for s := range t.All(syntax.FSegment) {
		name = s.FirstToken().Text()
		args = nil
		for a := range s.Get(syntax.FGenericArgs).All(syntax.FArg) {
			if a.Kind() != syntax.Lifetime {
				args = append(args, a)
			}
		}
	}
	return name, args
}

// item is the struct or enum, of the same crate, that a type names; nil if it is none.
func (c *contract) item(t syntax.Node) *model.Item {
	d := c.w.m.Resolve(c.f, t, false)
	if d.Item == nil || d.Item.Crate != c.f.Crate || d.Item.Kind != model.StructItem && d.Item.Kind != model.EnumItem {
		return nil
	}
	return d.Item
}

type field struct {
	name string
	typ  syntax.Node
}

type variantOf struct {
	name   string
	fields []field
}

// variants are those of an enum, or one without a name for a struct.
func variants(it *model.Item) []variantOf {
	fieldsOf := func(n syntax.Node) []field {
		var out []field
		i := 0
		for d := range n.Get(syntax.FFields).All(syntax.FFieldDecl) {
			name := d.Get(syntax.FName).Text()
			if name == "" {
				name = strconv.Itoa(i)
			}
			i++
			out = append(out, field{name, d.Get(syntax.FType)})
		}
		return out
	}
	if it.Kind == model.StructItem {
		return []variantOf{{"", fieldsOf(it.Node)}}
	}
	var out []variantOf
	for v := range it.Node.All(syntax.FVariant) {
		out = append(out, variantOf{v.Get(syntax.FName).Text(), fieldsOf(v)})
	}
	return out
}

// same writes that two values of a type are the same, as far as the logic can show it.
func (c *contract) same(a, b string, t syntax.Node, depth int) []string {
	equal := []string{a + " == " + b}
	if depth > maxFields || !t.Valid() {
		return equal
	}
	switch t.Kind() {
	case syntax.ParenType:
		return c.same(a, b, t.Get(syntax.FType), depth)
	case syntax.RefType:
		if c.plain(t, depth) {
			return equal
		}
		return c.same(a, b, t.Get(syntax.FType), depth)
	case syntax.TupleType:
		if c.plain(t, depth) {
			return equal
		}
		var out []string
		i := 0
		for e := range t.All(syntax.FType) {
			out = append(out, c.same(a+"."+strconv.Itoa(i), b+"."+strconv.Itoa(i), e, depth+1)...)
			i++
		}
		return out
	case syntax.SliceType, syntax.ArrayType:
		return c.sameElements(a, b, t.Get(syntax.FType), depth)
	case syntax.Path:
	default:
		return equal
	}
	name, args := lastSegment(t)
	switch name {
	case "Vec", "VecDeque":
		if len(args) > 0 {
			return c.sameElements(a, b, args[0], depth)
		}
	case "String", "str", "HashMap", "HashSet":
		return []string{a + "@ =~= " + b + "@"}
	case "Seq", "Set", "Map", "Multiset", "ISet", "IMap":
		return []string{a + " =~~= " + b}
	case "Ghost", "Tracked":
		if len(args) == 1 {
			return c.same(a+"@", b+"@", args[0], depth+1)
		}
	case "Box", "Rc", "Arc":
		if len(args) == 1 && !c.plain(t, depth) {
			return c.same("(*"+a+")", "(*"+b+")", args[0], depth+1)
		}
	case "Option", "Result":
		if c.plain(t, depth) {
			return equal
		}
		cases := []string{"Some"}
		if name == "Result" {
			cases = []string{"Ok", "Err"}
		}
		out := []string{"(" + a + " is " + cases[0] + ") == (" + b + " is " + cases[0] + ")"}
		for i, v := range cases {
			if i < len(args) {
				inner := c.same(a+"->"+v+"_0", b+"->"+v+"_0", args[i], depth+1)
				out = append(out, a+" is "+v+" ==> "+conjunction(inner))
			}
		}
		return out
	}
	it := c.item(t)
	if it == nil || c.plain(t, depth) {
		return equal
	}
	if it.Kind == model.StructItem {
		var out []string
		for _, f := range variants(it)[0].fields {
			out = append(out, c.same(a+"."+f.name, b+"."+f.name, f.typ, depth+1)...)
		}
		return out
	}
	var out []string
	for _, v := range variants(it) {
		out = append(out, "("+a+" is "+v.name+") == ("+b+" is "+v.name+")")
		for _, f := range v.fields {
			inner := c.same(a+"->"+v.name+"_"+f.name, b+"->"+v.name+"_"+f.name, f.typ, depth+1)
			out = append(out, a+" is "+v.name+" ==> "+conjunction(inner))
		}
	}
	return out
}

func (c *contract) sameElements(a, b string, elem syntax.Node, depth int) []string {
	if c.plain(elem, depth+1) {
		return []string{a + "@ =~= " + b + "@"}
	}
	return []string{a + ".deep_view() =~~= " + b + ".deep_view()"}
}

// conjunction joins propositions.
func conjunction(l []string) string {
	if len(l) == 0 {
		return "true"
	}
	out := make([]string, len(l))
	for i, s := range l {
		out[i] = "(" + s + ")"
	}
	return strings.Join(out, " && ")
}

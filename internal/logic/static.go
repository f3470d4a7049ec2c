package logic

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
)

// value is an expression as a term, and its static type. A term is a mathematical value, from which casts that keep it are gone: `x as int`
// is x. But what `!`, a shift, a method and a generic function give depends on the static type too, so it is a part of their names.
type value struct {
	term *Term
	// typ is a text that is equal for equal types, as far as can be told, and never for two types between which a cast, a suffix or a
	// declaration makes the difference.
	typ string
}

const (
	// hole stands in the text of a static type for what the place of the expression decides.
	hole = "{open}"
	// literalType is that of a number without a suffix.
	literalType = hole
)

// definite is a static type; empty if a part of it is decided by its place.
func definite(typ string) string {
	if strings.Contains(typ, hole) {
		return ""
	}
	return typ
}

// tagMark stands in the name of an application before the static types of the arguments, and between them.
const tagMark = "\x1f"

// Tagged is the name of a function of which there is one for each tuple of static types.
func Tagged(name string, types []string) string {
	return name + tagMark + short(strings.Join(types, tagMark))
}

// Untag takes a name that Tagged made apart. types has one text for each type, or is nil where they were too long to be kept; env is what
// the Env of a Converter has to be for the function's definition. Both are empty for a name without types.
func Untag(name string) (bare, env string, types []string) {
	bare, tag, ok := strings.Cut(name, tagMark)
	if !ok {
		return name, "", nil
	}
	if !strings.HasPrefix(tag, "#") {
		types = strings.Split(tag, tagMark)
	}
	return bare, "{for " + strings.ReplaceAll(tag, tagMark, "; ") + "}", types
}

// short is a text, or its hash where it is long: types of types of types would make names that grow with each.
func short(text string) string {
	if len(text) <= 200 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	out := "#" + hex.EncodeToString(sum[:])
	if strings.Contains(text, hole) {
		out += hole
	}
	return out
}

// declared is the text of a type that is written out.
func (c *Converter) declared(n syntax.Node) string {
	refs := ""
	for {
		switch n.Kind() {
		case syntax.RefType:
			if !n.Mut() {
				refs += "&"
			}
			n = n.Get(syntax.FType)
			continue
		case syntax.ParenType:
			n = n.Get(syntax.FType)
			continue
		}
		break
	}
	t := c.Names.Type(n)
	if t.complete() && !t.mentionsParameter() && !erased(n) {
		return refs + t.String()
	}
	return refs + short(c.sided(n)+c.Env)
}

// erased tells a type that has more to it than its Type says.
func erased(n syntax.Node) bool {
	for t := range n.Tokens() {
		switch t.Text() {
		case "&", "&&", "Box", "Rc", "Arc", "dyn", "impl", "_":
			return true
		}
	}
	return false
}

// typeText is the static type of a value that has no other; an application's is decided by the function.
func (c *Converter) typeText(t *Term) string {
	switch of := t.typeOf(); {
	case of.complete():
		return c.ofType(of)
	case t.Op == Var:
		// old(x) and x have one type.
		word, _, _ := strings.Cut(t.Name, " ")
		return "of " + word
	case t.Op == App:
		return "of " + short(t.Name)
	}
	return "of term " + strconv.Itoa(t.id)
}

// memberText is the static type of a field, whose Type is that of its declaration where it is known.
func (c *Converter) memberText(field *Type, whole, which string) string {
	if field.complete() {
		return c.ofType(field)
	}
	return partText(whole, -1, which)
}

// variantText is the static type of a part of an Option or Result.
func variantText(whole, variant, field string) string {
	i := 0
	if variant == "Err" {
		i = 1
	}
	return partText(whole, i, variant+"."+field)
}

// partText is the static type of a part whose type is the i-th argument of the type of the whole; -1: it is none. A Type of the part does not
// tell it: Some(x as int) is Some(x).
func partText(whole string, i int, which string) string {
	whole = strings.TrimLeft(whole, "&")
	if args := typeArgs(whole); i >= 0 && i < len(args) {
		return args[i]
	}
	return short(which + " of " + whole)
}

// typeArgs are the arguments in the text of a type; nil: there are none, or it is no such text.
func typeArgs(text string) []string {
	open := strings.IndexByte(text, '<')
	if open < 0 || !strings.HasSuffix(text, ">") || strings.ContainsAny(text, " {#") {
		return nil
	}
	var out []string
	depth, start := 0, open+1
	for i := open + 1; i < len(text); i++ {
		switch text[i] {
		case '<':
			depth++
		case '>', ',':
			if depth == 0 {
				out = append(out, text[start:i])
				start = i + 1
			}
			if text[i] == '>' {
				depth--
			}
		}
	}
	return out
}

func (c *Converter) ofType(t *Type) string {
	if t.mentionsParameter() {
		return t.String() + c.Env
	}
	return t.String()
}

// words are the words of a node, each once and in order: they stay the same when its parts change places.
func (c *Converter) words(n syntax.Node) string {
	var out []string
	for t := range n.Tokens() {
		w := t.Text()
		if c.Names.Changed(w) {
			w = c.Names.Side() + " " + w
		}
		out = append(out, w)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// complete tells a type of which every part is known.
func (t *Type) complete() bool {
	if t == nil || t.Name == "?" || t.Name == "closure" {
		return false
	}
	if (t.Name == "Option" && len(t.Args) == 0) || (t.Name == "Result" && len(t.Args) < 2) {
		return false
	}
	for _, a := range t.Args {
		if !a.complete() {
			return false
		}
	}
	return true
}

// parameter tells a type parameter, and Self in a trait.
func (t *Type) parameter() bool { return t.Kind == KOther && strings.HasPrefix(t.Name, "type ") }

func (t *Type) mentionsParameter() bool {
	return t != nil && (t.parameter() || slices.ContainsFunc(t.Args, (*Type).mentionsParameter))
}

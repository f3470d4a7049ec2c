package mutate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// Types are canonical texts without lifetimes of references; empty when the syntax does not show them. anyInt is the type of a literal without a suffix.
const anyInt = "{integer}"

// unit is the type of what is evaluated for its effect.
const unit = "()"

var intBits = map[string]int{"u8": 8, "u16": 16, "u32": 32, "u64": 64, "u128": 128, "usize": 64, "i8": 8, "i16": 16, "i32": 32, "i64": 64,
	"i128": 128, "isize": 64}

func isInt(t string) bool   { return t == anyInt || intBits[t] > 0 }
func isFloat(t string) bool { return t == "f32" || t == "f64" }

// maxOf is the largest value of an integer type, as far as it fits a uint64.
func maxOf(t string) uint64 {
	bits := intBits[t]
	if strings.HasPrefix(t, "i") {
		bits--
	}
	if bits >= 64 || bits < 0 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

func same(a, b string) bool {
	return a != "" && b != "" && (a == b || a == anyInt && isInt(b) || b == anyInt && isInt(a))
}

// deref is a type behind all its references.
func deref(t string) string {
	for strings.HasPrefix(t, "&") {
		t = strings.TrimPrefix(strings.TrimPrefix(t, "&"), "mut ")
	}
	return t
}

// lifetimes of references, which do not make other types here.
var lifetimes = regexp.MustCompile(`& *('\w+ )? *`)

// typeText is the text of a canonical type that types are compared by.
func typeText(canonical string) string { return lifetimes.ReplaceAllString(canonical, "&") }

// typeAt is the type that a node states.
func typeAt(n syntax.Node) string {
	if !n.Valid() {
		return ""
	}
	return typeText(syntax.Canon(n))
}

// typeArgs splits "Name<A, B>" and "(A, B)"; name is empty for a tuple. A path counts by its last segment.
func typeArgs(t string) (name string, args []string) {
	open := strings.IndexAny(t, "<(")
	if open < 0 || !strings.HasSuffix(t, ">") && !strings.HasSuffix(t, ")") {
		return lastWord(t), nil
	}
	if open > 0 && t[open] == '(' || strings.Contains(t, "->") {
		return "", nil // a function type
	}
	depth, from := 0, open+1
	for i := open; i < len(t); i++ {
		switch t[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			if depth--; depth == 0 {
				if i != len(t)-1 {
					return "", nil
				}
				if a := strings.TrimSpace(t[from:i]); a != "" {
					args = append(args, a)
				}
			}
		case ',':
			if depth == 1 {
				args = append(args, strings.TrimSpace(t[from:i]))
				from = i + 1
			}
		}
	}
	return lastWord(t[:open]), args
}

func lastWord(path string) string { return path[strings.LastIndex(path, ":")+1:] }

// element is the type of what a sequence holds.
func element(t string) string {
	t = deref(t)
	if strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
		inner := t[1 : len(t)-1]
		if i := strings.LastIndex(inner, ";"); i >= 0 {
			inner = inner[:i]
		}
		return strings.TrimSpace(inner)
	}
	if name, args := typeArgs(t); len(args) == 1 && (name == "Vec" || name == "VecDeque" || name == "Option" || name == "Box") {
		return args[0]
	}
	return ""
}

// declared is what the file says about types and constants. Names that are declared twice are left out.
type declared struct {
	fields   map[string][]fieldOf // of structs, by name; tuple structs have fields "0", "1"
	generic  map[string]bool
	variants map[string][]string // those of enums that hold nothing
	enums    map[string]bool
	consts   map[string]string // their types
	copies   map[string]bool   // types that derive Copy
}

type fieldOf struct{ name, typ string }

func readDeclared(root syntax.Node) declared {
	d := declared{fields: map[string][]fieldOf{}, generic: map[string]bool{}, variants: map[string][]string{}, enums: map[string]bool{},
		consts: map[string]string{}, copies: map[string]bool{}}
	twice := map[string]bool{}
	seen := map[string]bool{}
	root.Walk(func(n syntax.Node) bool {
		name := n.Get(syntax.FName).Text()
		switch n.Kind() {
		case syntax.Struct, syntax.Enum, syntax.Const, syntax.Static:
			twice[name] = seen[name]
			seen[name] = true
			d.generic[name] = n.Get(syntax.FGenerics).Valid()
			for a := range n.All(syntax.FAttr) {
				if a.Get(syntax.FPath).Text() == "derive" && slices.Contains(strings.FieldsFunc(a.Get(syntax.FArgs).Text(), func(r rune) bool {
					return strings.ContainsRune("(), \n\t", r)
				}), "Copy") {
					d.copies[name] = true
				}
			}
		}
		switch n.Kind() {
		case syntax.Struct:
			if ghost(n) {
				return false
			}
			d.fields[name] = fieldsOf(n.Get(syntax.FFields))
			return false
		case syntax.Enum:
			d.enums[name] = true
			for v := range n.All(syntax.FVariant) {
				if !v.Get(syntax.FFields).Valid() {
					d.variants[name] = append(d.variants[name], v.Get(syntax.FName).Text())
				}
			}
			return false
		case syntax.Const:
			if !ghost(n) {
				d.consts[name] = typeAt(n.Get(syntax.FType))
			}
			return false
		case syntax.Fn, syntax.Attr:
			return false
		}
		return true
	})
	for name, is := range twice {
		if is {
			delete(d.fields, name)
			delete(d.variants, name)
			delete(d.enums, name)
			delete(d.consts, name)
			delete(d.copies, name)
		}
	}
	return d
}

func fieldsOf(list syntax.Node) []fieldOf {
	var out []fieldOf
	for c := range list.Children() {
		if c.Kind() != syntax.FieldDecl {
			continue
		}
		name := c.Get(syntax.FName).Text()
		if name == "" {
			name = strconv.Itoa(len(out))
		}
		out = append(out, fieldOf{name, typeAt(c.Get(syntax.FType))})
	}
	return out
}

// ghost tells an item or statement with a mode that is erased.
func ghost(n syntax.Node) bool {
	switch n.Get(syntax.FMode).FirstToken().Kind() {
	case syntax.KwSpec, syntax.KwProof, syntax.KwAxiom, syntax.KwGhost, syntax.KwTracked:
		return true
	}
	return false
}

// own is a type with Self written out.
func (w *walker) own(t string) string {
	if w.self == "" || !strings.Contains(t, "Self") {
		return t
	}
	if t == "Self" {
		return w.self
	}
	for _, ref := range []string{"&", "&mut "} {
		if t == ref+"Self" {
			return ref + w.self
		}
	}
	return strings.NewReplacer("<Self>", "<"+w.self+">", "<Self,", "<"+w.self+",", " Self>", " "+w.self+">").Replace(t)
}

// copies tells a type whose values can be used twice.
func (w *walker) copies(t string) bool {
	if isInt(t) || isFloat(t) || t == "bool" || t == "char" || t == unit || w.types.copies[t] {
		return true
	}
	if strings.HasPrefix(t, "&") {
		return !strings.HasPrefix(t, "&mut ")
	}
	if name, args := typeArgs(t); (strings.HasPrefix(t, "(") || name == "Option") && len(args) > 0 {
		return !slices.ContainsFunc(args, func(a string) bool { return !w.copies(a) })
	}
	return false
}

// defaults are values of a type, the most usual one first; at most two.
func (w *walker) defaults(t string, depth int) []string {
	if depth > 3 {
		return nil
	}
	first := func(t string) string {
		if d := w.defaults(t, depth+1); len(d) > 0 {
			return d[0]
		}
		return ""
	}
	switch {
	case t == "" || t == "!" || strings.Contains(t, "Ghost<") || strings.Contains(t, "Tracked<"):
		return nil
	case t == unit:
		return []string{"()"}
	case isInt(t):
		return []string{"0", "1"}
	case isFloat(t):
		return []string{"0.0", "1.0"}
	case t == "bool":
		return []string{"false", "true"}
	case t == "char":
		return []string{`'\0'`}
	case t == "String":
		return []string{"String::new()"}
	case strings.HasPrefix(t, "&"):
		inner := deref(t)
		switch {
		case strings.HasPrefix(t, "&mut "):
		case inner == "str":
			return []string{`""`}
		case strings.HasPrefix(inner, "[") && !strings.Contains(inner, ";"):
			return []string{"&[]"}
		}
		return nil
	case strings.HasPrefix(t, "["):
		inner, length, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(t, "["), "]"), ";")
		if inner = strings.TrimSpace(inner); ok && w.copies(inner) {
			if d := first(inner); d != "" {
				return []string{"[" + d + ";" + length + "]"}
			}
		}
		return nil
	}
	name, args := typeArgs(t)
	if strings.HasPrefix(t, "(") {
		var parts []string
		for _, a := range args {
			d := first(a)
			if d == "" {
				return nil
			}
			parts = append(parts, d)
		}
		return []string{"(" + strings.Join(parts, ", ") + ")"}
	}
	wrap := func(open, inner string) []string {
		if d := first(inner); d != "" {
			return []string{open + "(" + d + ")"}
		}
		return nil
	}
	switch {
	case name == "Option" && len(args) == 1:
		return append([]string{"None"}, wrap("Some", args[0])...)
	case name == "Result" && len(args) == 2:
		return append(wrap("Err", args[1]), wrap("Ok", args[0])...)
	case name == "Box" && len(args) == 1:
		return wrap("Box::new", args[0])
	case name == "Vec" && len(args) == 1:
		return []string{"Vec::new()"}
	case (name == "HashMap" || name == "HashSet" || name == "VecDeque" || name == "BTreeMap" || name == "BTreeSet") && len(args) > 0:
		return []string{"Default::default()"}
	}
	if name == "Self" || w.self != "" && t == w.self {
		name, _ = typeArgs(w.self)
	}
	if v := w.types.variants[name]; len(v) > 0 {
		out := []string{name + "::" + v[0]}
		if len(v) > 1 {
			out = append(out, name+"::"+v[1])
		}
		return out
	}
	if fields := w.types.fields[name]; len(fields) > 0 && !w.types.generic[name] {
		var parts []string
		for _, f := range fields {
			d := first(f.typ)
			if d == "" {
				return nil
			}
			parts = append(parts, f.name+": "+d)
		}
		return []string{name + " { " + strings.Join(parts, ", ") + " }"}
	}
	return nil
}

// fieldsOfType are the fields of a type of the file, or of a tuple.
func (w *walker) fieldsOfType(t string) []fieldOf {
	t = deref(w.own(t))
	name, args := typeArgs(t)
	if name == "Box" && len(args) == 1 {
		return w.fieldsOfType(args[0])
	}
	if strings.HasPrefix(t, "(") {
		var out []fieldOf
		for i, a := range args {
			out = append(out, fieldOf{strconv.Itoa(i), a})
		}
		return out
	}
	return w.types.fields[name]
}

// typeOf is the type of an expression, as far as the syntax shows it. Asked where the expression stands, of what it names only
// the locals in scope count.
func (w *walker) typeOf(n syntax.Node) string {
	if t, ok := w.known[n.ID()]; ok {
		return t
	}
	t := w.own(w.findType(n))
	w.known[n.ID()] = t
	return t
}

func (w *walker) findType(n syntax.Node) string {
	expr := func() syntax.Node { return n.Get(syntax.FExpr) }
	switch n.Kind() {
	case syntax.Literal:
		return literalType(n)
	case syntax.Path:
		return w.pathType(n)
	case syntax.Paren, syntax.AttrExpr:
		return w.typeOf(expr())
	case syntax.Ref:
		if t := w.typeOf(expr()); t != "" && t != anyInt && !n.Raw() {
			if n.Mut() {
				return "&mut " + t
			}
			return "&" + t
		}
	case syntax.Unary:
		t := w.typeOf(expr())
		if n.Op() != syntax.Star {
			return t
		}
		if name, args := typeArgs(t); name == "Box" && len(args) == 1 {
			return args[0]
		}
		if strings.HasPrefix(t, "&") {
			return deref(t)
		}
	case syntax.Binary:
		switch n.Op() {
		case syntax.Plus, syntax.Minus, syntax.Star, syntax.Slash, syntax.Percent, syntax.And, syntax.Or, syntax.Caret:
			a := deref(w.typeOf(n.Get(syntax.FLhs)))
			if a == "" || a == anyInt {
				if b := deref(w.typeOf(n.Get(syntax.FRhs))); isInt(b) && (a == anyInt || b != anyInt) {
					return b
				}
			}
			if isInt(a) || isFloat(a) || a == "bool" {
				return a
			}
		case syntax.Shl, syntax.Shr:
			if a := deref(w.typeOf(n.Get(syntax.FLhs))); isInt(a) {
				return a
			}
		default:
			return "bool"
		}
	case syntax.Cast:
		return typeAt(n.Get(syntax.FType))
	case syntax.Tuple:
		var parts []string
		for e := range n.All(syntax.FExpr) {
			t := w.typeOf(e)
			if t == "" {
				return ""
			}
			parts = append(parts, t)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case syntax.FieldExpr:
		name := n.Get(syntax.FName).Text()
		for _, f := range w.fieldsOfType(w.typeOf(expr())) {
			if f.name == name {
				return f.typ
			}
		}
	case syntax.Index:
		if n.Get(syntax.FIndex).Kind() != syntax.Range {
			return element(w.typeOf(expr()))
		}
	case syntax.StructExpr:
		if name := syntax.Canon(n.Get(syntax.FPath)); !w.types.generic[name] {
			if enum, _, is := strings.Cut(name, "::"); is {
				name = enum
			}
			return name
		}
	case syntax.Call:
		return w.callType(n)
	case syntax.MethodCall:
		return w.methodType(n)
	}
	return ""
}

func literalType(n syntax.Node) string {
	switch t := n.FirstToken(); t.Kind() {
	case syntax.Int:
		if _, suffix, ok := intLiteral(t.Text()); ok && suffix != "" {
			return suffix
		}
		return anyInt
	case syntax.Float:
		if strings.HasSuffix(t.Text(), "f32") {
			return "f32"
		}
		return "f64"
	case syntax.KwTrue, syntax.KwFalse:
		return "bool"
	case syntax.Char:
		return "char"
	case syntax.Byte:
		return "u8"
	case syntax.String:
		return "&str"
	}
	return ""
}

// words are the names of a path without generic arguments; nil for a qualified one.
func words(path syntax.Node) []string {
	if path.Kind() != syntax.Path || path.Get(syntax.FQSelf).Valid() {
		return nil
	}
	var out []string
	for s := range path.All(syntax.FSegment) {
		out = append(out, s.FirstToken().Text())
	}
	return out
}

func (w *walker) pathType(n syntax.Node) string {
	switch names := words(n); len(names) {
	case 1:
		if l := w.local(names[0]); l != nil {
			return l.typ
		}
		return w.types.consts[names[0]]
	case 2:
		if intBits[names[0]] > 0 && (names[1] == "MAX" || names[1] == "MIN") {
			return names[0]
		}
		if slices.Contains(w.types.variants[names[0]], names[1]) && !w.types.generic[names[0]] {
			return names[0]
		}
	}
	return ""
}

// callee is the function that a call means, when it is known and has no type parameters.
func (w *walker) callee(n syntax.Node) *model.Function {
	c, ok := w.calls[n.ID()]
	if !ok || c.Ghost || len(c.Callees) != 1 || c.Callees[0].Mode != model.Exec {
		return nil
	}
	f := c.Callees[0]
	if f.Node.Get(syntax.FGenerics).Valid() || strings.Contains(f.Self, "<") || strings.Contains(f.Trait, "<") {
		return nil
	}
	return f
}

// resultType is that of a call of a function of the tree.
func resultType(f *model.Function) string {
	t := typeText(f.ResultType)
	if t == "" {
		return unit
	}
	if f.Self != "" && strings.Contains(t, "Self") {
		if t == "Self" {
			return f.Self
		}
		return ""
	}
	return t
}

func (w *walker) callType(n syntax.Node) string {
	if f := w.callee(n); f != nil {
		return resultType(f)
	}
	names := words(n.Get(syntax.FCallee))
	arg := n.Get(syntax.FArgs).Get(syntax.FExpr)
	switch {
	case len(names) == 1 && names[0] == "Some", len(names) == 2 && names[0] == "Box" && names[1] == "new":
		if t := w.typeOf(arg); t != "" && t != anyInt {
			if names[0] == "Some" {
				return "Option<" + t + ">"
			}
			return "Box<" + t + ">"
		}
	case len(names) == 2 && w.types.enums[names[0]] && !w.types.generic[names[0]] && strings.ToUpper(names[1][:1]) == names[1][:1]:
		return names[0]
	case len(names) == 1 && len(w.types.fields[names[0]]) > 0 && !w.types.generic[names[0]]:
		return names[0]
	}
	return ""
}

func (w *walker) methodType(n syntax.Node) string {
	name := n.Get(syntax.FName).Text()
	recv := func() string { return w.typeOf(n.Get(syntax.FReceiver)) }
	switch name {
	case "len", "count", "capacity":
		if n.Get(syntax.FArgs).Get(syntax.FExpr).Valid() {
			return ""
		}
		if c, ok := w.calls[n.ID()]; ok && len(c.Callees) == 1 && recv() == "" {
			return ""
		}
		return "usize"
	case "is_empty", "is_some", "is_none", "is_ok", "is_err", "contains", "contains_key", "starts_with", "ends_with":
		return "bool"
	case "count_ones", "count_zeros", "leading_zeros", "trailing_zeros":
		return "u32"
	case "clone":
		return deref(recv())
	case "abs_diff", "unsigned_abs":
		if t := recv(); strings.HasPrefix(t, "i") && isInt(t) {
			return "u" + t[1:]
		}
		return recv()
	case "min", "max", "clamp", "abs", "pow":
		if t := recv(); isInt(t) {
			return t
		}
	case "unwrap", "unwrap_or", "unwrap_or_default", "expect":
		if head, args := typeArgs(deref(recv())); (head == "Option" || head == "Result") && len(args) > 0 {
			return args[0]
		}
		return ""
	case "pop":
		if t := element(recv()); t != "" {
			return "Option<" + t + ">"
		}
	}
	for _, prefix := range []string{"wrapping_", "saturating_", "rotate_"} {
		if t := recv(); strings.HasPrefix(name, prefix) && isInt(t) {
			return t
		}
	}
	if t := recv(); strings.HasPrefix(name, "checked_") && isInt(t) && t != anyInt {
		return "Option<" + t + ">"
	}
	if f := w.callee(n); f != nil {
		if t := deref(recv()); t == "" || t != f.Self {
			return "" // found by its name alone
		}
		return resultType(f)
	}
	return ""
}

// intLiteral is the value of an integer literal of executable code, and its suffix.
func intLiteral(text string) (value uint64, suffix string, ok bool) {
	digits, base, suffix := syntax.Integer(text)
	if suffix != "" && intBits[suffix] == 0 {
		return 0, "", false
	}
	value, err := strconv.ParseUint(digits, base, 64)
	return value, suffix, err == nil
}

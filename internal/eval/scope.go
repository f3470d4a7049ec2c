package eval

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// scope is where names are looked up.
type scope struct {
	w    *World
	mod  *module
	self *value.Type
	// params are type parameters in scope.
	params map[string]*value.Type
	// consts are constant parameters in scope: what they stand for is not known.
	consts map[string]bool
	impl   *impl // that holds the function; nil if none does
	nest   int
	// What nodes mean does not change within a scope, so it is kept.
	types    map[place]*value.Type
	meanings map[place]*meaning
	macros   map[place]string
	conds    *string
}

// libraryMacro is World.libraryMacro of the path of a call.
func (sc *scope) libraryMacro(path syntax.Node) string {
	name, ok := sc.macros[placeOf(path)]
	if !ok {
		name = sc.w.libraryMacro(sc.mod, pathWords(path))
		if sc.macros == nil {
			sc.macros = map[place]string{}
		}
		sc.macros[placeOf(path)] = name
	}
	return name
}

// given are the conditions that hold where the scope is, as one text.
func (sc *scope) given() string {
	if sc.conds == nil {
		text := strings.Join(sc.mod.given(), "\n")
		sc.conds = &text
	}
	return *sc.conds
}

// meaning is what a path, or a name in a pattern, means where it is no local name.
type meaning struct {
	words  []string
	ctor   *ctor
	target target
	prefix *value.Type // the type before the last word
}

// meaning of a path or of a name in a pattern.
func (sc *scope) meaning(n syntax.Node) *meaning {
	if got, ok := sc.meanings[placeOf(n)]; ok {
		return got
	}
	mn := &meaning{}
	switch n.Kind() {
	case syntax.IdentPat:
		mn.words = []string{identText(n.Get(syntax.FName))}
	case syntax.Path:
		mn.words = pathWords(n)
		if n.Global() {
			mn.words = append([]string{"::"}, mn.words...)
		}
	default:
		mn.words = []string{identText(n)}
	}
	if len(mn.words) > 0 {
		mn.ctor = sc.ctor(mn.words)
		if mn.words[0] != "Self" {
			mn.target = sc.w.resolve(sc.mod, mn.words)
		}
		if len(mn.words) > 1 {
			mn.prefix = sc.typeNamed(mn.words[:len(mn.words)-1], nil)
		}
	}
	if sc.meanings == nil {
		sc.meanings = map[place]*meaning{}
	}
	sc.meanings[placeOf(n)] = mn
	return mn
}

// scope in which a function's signature, contract and body are read.
func (f *Func) scope() *scope {
	sc := &scope{w: f.w, mod: f.mod, params: map[string]*value.Type{}}
	if f.impl != nil {
		for g := range f.impl.generic {
			sc.params[g] = &value.Type{Kind: value.TParam, Name: g}
		}
		sc.self, sc.impl = f.impl.self, f.impl
	} else if f.trait != nil {
		sc.self = &value.Type{Kind: value.TParam, Name: "Self"}
	}
	for p := range f.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Kind() == syntax.TypeParam {
			name := identText(p.Get(syntax.FName))
			sc.params[name] = &value.Type{Kind: value.TParam, Name: name}
		}
	}
	sc.consts = constParams(f.Node)
	if f.impl != nil {
		for name := range constParams(f.impl.node) {
			sc.consts[name] = true
		}
	}
	return sc
}

// constParams are the names of an item's constant parameters.
func constParams(n syntax.Node) map[string]bool {
	out := map[string]bool{}
	for p := range n.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Kind() == syntax.ConstParam {
			out[identText(p.Get(syntax.FName))] = true
		}
	}
	return out
}

const maxTypeNest = 60

// typ reads a type; nil if it is not understood.
func (sc *scope) typ(n syntax.Node) *value.Type {
	if !n.Valid() {
		return nil
	}
	if t, ok := sc.types[placeOf(n)]; ok {
		return t
	}
	t := sc.readType(n)
	if sc.types == nil {
		sc.types = map[place]*value.Type{}
	}
	sc.types[placeOf(n)] = t
	return t
}

func (sc *scope) readType(n syntax.Node) *value.Type {
	if sc.nest > maxTypeNest {
		return nil
	}
	sc.nest++
	defer func() { sc.nest-- }()
	switch n.Kind() {
	case syntax.ParenType:
		return sc.typ(n.Get(syntax.FType))
	case syntax.RefType:
		t := sc.typ(n.Get(syntax.FType))
		if t != nil && n.Mut() {
			c := *t
			c.Mut = true
			return &c
		}
		return t
	case syntax.TupleType:
		t := &value.Type{Kind: value.TTuple}
		for e := range n.All(syntax.FType) {
			et := sc.typ(e)
			if et == nil {
				return nil
			}
			t.Args = append(t.Args, et)
		}
		return t
	case syntax.SliceType:
		return listOf(value.Slice, sc.typ(n.Get(syntax.FType)))
	case syntax.ArrayType:
		t := listOf(value.Array, sc.typ(n.Get(syntax.FType)))
		if t != nil {
			t.Len = -1
			l := n.Get(syntax.FLen)
			shadowed := false
			l.Walk(func(c syntax.Node) bool {
				shadowed = shadowed || c.Kind() == syntax.Path && sc.consts[c.Text()]
				return true
			})
			if i, ok := sc.w.constLen(sc.mod, l, 0); ok && !shadowed {
				if v, ok := i.Int64(); ok && v >= 0 && v <= 1<<20 {
					t.Len = int(v)
				}
			}
		}
		return t
	case syntax.SpecFnType, syntax.FnPtrType:
		return &value.Type{Kind: value.TFn}
	case syntax.Path:
		if q := n.Get(syntax.FQSelf); q.Valid() {
			words, tr := pathWords(n), q.Get(syntax.FTrait)
			if self := sc.typ(q.Get(syntax.FType)); len(words) == 1 && self != nil {
				var of *def
				if tr.Valid() {
					if of = sc.w.resolve(sc.mod, pathWords(tr)).def; of == nil {
						return nil
					}
				}
				return sc.associated(self, of, words[0])
			}
			return nil
		}
		words := pathWords(n)
		var args []*value.Type
		for seg := range n.All(syntax.FSegment) {
			args = nil
			for a := range seg.Get(syntax.FGenericArgs).All(syntax.FArg) {
				if a.Kind() != syntax.Lifetime {
					args = append(args, sc.typ(a))
				}
			}
		}
		return sc.typeNamed(words, args)
	}
	return nil
}

// constLen reads the length of an array: a number, a constant of the world, or arithmetic on them.
func (w *World) constLen(mod *module, n syntax.Node, depth int) (out value.Int, ok bool) {
	const nested = 8
	if depth > nested {
		return out, false
	}
	switch n.Kind() {
	case syntax.Literal:
		return intLiteral(n.Text())
	case syntax.Paren:
		return w.constLen(mod, n.Get(syntax.FExpr), depth+1)
	case syntax.Path:
		d := w.resolve(mod, pathWords(n)).def
		if d == nil || d.kind != defConst || d.node.Get(syntax.FType).Text() != "usize" {
			return out, false
		}
		body, why := d.fn.body()
		if why != "" {
			return out, false
		}
		return w.constLen(d.mod, body, depth+1)
	case syntax.Binary:
		a, ok := w.constLen(mod, n.Get(syntax.FLhs), depth+1)
		b, ok2 := w.constLen(mod, n.Get(syntax.FRhs), depth+1)
		if !ok || !ok2 || a.BitLen() > 32 || b.BitLen() > 32 {
			return out, false
		}
		switch n.Op() {
		case syntax.Plus:
			return a.Add(b), true
		case syntax.Minus:
			return a.Sub(b), true
		case syntax.Star:
			return a.Mul(b), true
		}
	}
	return out, false
}

func listOf(k value.ListKind, elem *value.Type) *value.Type {
	if elem == nil {
		return nil
	}
	return &value.Type{Kind: value.TList, List: k, Args: []*value.Type{elem}}
}

// typeNamed is the type that a path means.
func (sc *scope) typeNamed(words []string, args []*value.Type) *value.Type {
	if len(words) == 0 {
		return nil
	}
	if len(words) == 1 {
		if words[0] == "Self" {
			return sc.self
		}
		if t := sc.params[words[0]]; t != nil {
			return t
		}
	}
	if slices.Contains(args, nil) {
		return nil
	}
	if len(words) == 2 && words[0] == "Self" && sc.self != nil {
		if t := sc.associated(sc.self, nil, words[1]); t != nil {
			return t
		}
	}
	t := sc.w.resolve(sc.mod, words)
	if d := t.def; d != nil {
		switch d.kind {
		case defStruct, defEnum:
			return &value.Type{Kind: value.TData, Name: d.full, Args: args}
		case defAlias:
			inner := &scope{w: sc.w, mod: d.mod, params: genericsOf(d.node, args), consts: constParams(d.node), nest: sc.nest}
			return inner.typ(d.node.Get(syntax.FType))
		}
		return nil
	}
	var arg *value.Type
	if len(args) > 0 {
		arg = args[0]
	}
	switch t.lib {
	case "bool":
		return &value.Type{Kind: value.TBool}
	case "char":
		return &value.Type{Kind: value.TChar}
	case "real":
		return &value.Type{Kind: value.TReal}
	case "String", "str":
		return &value.Type{Kind: value.TList, List: value.String, Args: []*value.Type{{Kind: value.TChar}}}
	case "Vec":
		return listOf(value.Vec, arg)
	case "Seq":
		return listOf(value.Seq, arg)
	case "Box", "Rc", "Arc":
		return arg
	case "Set", "Multiset":
		if arg == nil {
			return nil
		}
		k := value.TSet
		if t.lib == "Multiset" {
			k = value.TMultiset
		}
		return &value.Type{Kind: k, Args: args}
	case "Map":
		if len(args) != 2 {
			return nil
		}
		return &value.Type{Kind: value.TMap, Args: args}
	case "Option", "Ghost", "Tracked":
		if len(args) != 1 {
			return nil
		}
		return &value.Type{Kind: value.TData, Name: t.lib, Args: args}
	case "Result":
		if len(args) != 2 {
			return nil
		}
		return &value.Type{Kind: value.TData, Name: t.lib, Args: args}
	}
	if it := value.IntTypeOf(t.lib); it != 0 {
		return &value.Type{Kind: value.TInt, Int: it}
	}
	return nil
}

// associated is the associated type of a type, of a trait if one is given; nil where there is none or not only one.
func (sc *scope) associated(self *value.Type, trait *def, name string) *value.Type {
	if self.Kind == value.TParam || sc.nest > maxTypeNest {
		return nil
	}
	alias := func(im *impl) (out syntax.Node, n int) {
		for it := range im.node.Children() {
			if it.Kind() == syntax.TypeAlias && identText(it.Get(syntax.FName)) == name {
				out = it
				n++
			}
		}
		return out, n
	}
	of := func(im *impl, it syntax.Node, inst map[string]*value.Type) *value.Type {
		if len(paramTypes(it)) > 0 || it.Get(syntax.FAttr).Valid() {
			return nil
		}
		inner := &scope{w: sc.w, mod: im.mod, self: im.self, params: map[string]*value.Type{}, consts: constParams(im.node), impl: im, nest: sc.nest + 1}
		for g := range im.generic {
			inner.params[g] = &value.Type{Kind: value.TParam, Name: g}
		}
		return subst(inner.typ(it.Get(syntax.FType)), inst)
	}
	if sc.impl != nil && value.Same(self, sc.self) && (trait == nil || sc.impl.trait == trait) {
		switch it, n := alias(sc.impl); n {
		case 0:
		case 1:
			return of(sc.impl, it, sc.params)
		default:
			return nil
		}
	}
	var found *impl
	var item syntax.Node
	for _, im := range slices.Concat(sc.w.impls[headOf(self)], sc.w.impls["*"]) {
		it, n := alias(im)
		if n == 0 && !im.macro || trait != nil && im.trait != trait {
			continue
		}
		if found != nil || n != 1 || !hold(im.conds, sc.mod.given()) {
			return nil
		}
		found, item = im, it
	}
	if found == nil {
		return nil
	}
	inst := map[string]*value.Type{}
	unify(found.self, self, inst)
	if !value.Same(subst(found.self, inst), self) {
		return nil
	}
	return of(found, item, inst)
}

// genericsOf binds the type parameters of an item.
func genericsOf(n syntax.Node, args []*value.Type) map[string]*value.Type {
	out := map[string]*value.Type{}
	i := 0
	for p := range n.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Kind() != syntax.TypeParam {
			continue
		}
		if i < len(args) {
			out[identText(p.Get(syntax.FName))] = args[i]
		}
		i++
	}
	return out
}

// ctor is what makes a value of a struct or of a variant.
type ctor struct {
	typ, variant string
	node         syntax.Node // Struct or Variant; the zero Node for the library's
	scope        *scope      // for the types of fields; nil for the library's
	unit         bool

	read  bool
	names []string
	types []*value.Type
}

// fields are the declared fields: their names (nil for fields without) and types (nil where not understood).
func (c *ctor) fields() (names []string, types []*value.Type) {
	if c.read {
		return c.names, c.types
	}
	c.names, c.types = c.readFields()
	c.read = true
	return c.names, c.types
}

func (c *ctor) readFields() (names []string, types []*value.Type) {
	list := c.node.Get(syntax.FFields)
	for f := range list.All(syntax.FFieldDecl) {
		if list.Kind() == syntax.FieldList {
			names = append(names, identText(f.Get(syntax.FName)))
		}
		types = append(types, c.scope.typ(f.Get(syntax.FType)))
	}
	return names, types
}

// ctor finds the struct or variant that a path means.
func (sc *scope) ctor(words []string) *ctor {
	if len(words) == 0 {
		return nil
	}
	if words[0] != "Self" {
		t := sc.w.resolve(sc.mod, words)
		switch t.lib {
		case "Option::Some", "Option::None", "Result::Ok", "Result::Err":
			typ, variant, _ := strings.Cut(t.lib, "::")
			return &ctor{typ: typ, variant: variant, unit: variant == "None"}
		case "Ghost", "Tracked":
			return &ctor{typ: t.lib}
		}
		if d := t.def; d != nil {
			switch d.kind {
			case defVariant:
				return variantCtor(sc.w, d.enum, d.node)
			case defStruct:
				return structCtor(sc.w, d)
			case defAlias:
			default:
				return nil
			}
		} else if t.lib != "" {
			return nil
		}
	}
	if t := sc.typeNamed(words, nil); t != nil && t.Kind == value.TData {
		if d := sc.w.types[t.Name]; d != nil && d.kind == defStruct {
			return structCtor(sc.w, d)
		}
		return nil
	}
	if len(words) < 2 {
		return nil
	}
	last := words[len(words)-1]
	t := sc.typeNamed(words[:len(words)-1], nil)
	if t == nil || t.Kind != value.TData {
		return nil
	}
	if d := sc.w.types[t.Name]; d != nil && d.kind == defEnum {
		for v := range d.node.All(syntax.FVariant) {
			if identText(v.Get(syntax.FName)) == last {
				return variantCtor(sc.w, d, v)
			}
		}
	}
	return nil
}

func structCtor(w *World, d *def) *ctor {
	return &ctor{typ: d.full, node: d.node, unit: !d.node.Get(syntax.FFields).Valid(),
		scope: &scope{w: w, mod: d.mod, params: paramTypes(d.node), consts: constParams(d.node)}}
}

func variantCtor(w *World, enum *def, v syntax.Node) *ctor {
	return &ctor{typ: enum.full, variant: identText(v.Get(syntax.FName)), node: v, unit: !v.Get(syntax.FFields).Valid(),
		scope: &scope{w: w, mod: enum.mod, params: paramTypes(enum.node), consts: constParams(enum.node)}}
}

func paramTypes(n syntax.Node) map[string]*value.Type {
	out := map[string]*value.Type{}
	for p := range n.Get(syntax.FGenerics).All(syntax.FParam) {
		if p.Kind() == syntax.TypeParam {
			name := identText(p.Get(syntax.FName))
			out[name] = &value.Type{Kind: value.TParam, Name: name}
		}
	}
	return out
}

// subst replaces type parameters.
func subst(t *value.Type, args map[string]*value.Type) *value.Type {
	if t == nil || len(args) == 0 {
		return t
	}
	if t.Kind == value.TParam {
		if a := args[t.Name]; a != nil {
			return a
		}
		return t
	}
	if len(t.Args) == 0 {
		return t
	}
	c := *t
	c.Args = make([]*value.Type, len(t.Args))
	for i, a := range t.Args {
		c.Args[i] = subst(a, args)
	}
	return &c
}

package eval

import (
	"fmt"
	"strings"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// Questions are the cases of a Suite, put to one function. It is for one goroutine.
type Questions struct {
	suite *Suite
	judge *Judge
	// at has, by name, the places of the parameters.
	at map[string]int
}

// Asked is a case with its answer.
type Asked struct {
	Answer
	// Call is the call as people write it, "max_of([3, 1, 4])", and Outcome what it gives: see Judge.
	Call, Outcome string
}

// For puts the cases of a suite to a function. The error is a *CaseError when the suite is not one for the function, and
// ErrUnsupported when the function cannot be judged.
func (s *Suite) For(f *Func) (*Questions, error) {
	sc := f.scope()
	declared := f.paramTypes(sc)
	q := &Questions{suite: s, at: map[string]int{}}
	var names []string
	for p := range f.Node.Get(syntax.FParams).All(syntax.FParam) {
		q.at[paramName(p)] = len(names)
		names = append(names, paramName(p))
	}
	inst := map[string]*value.Type{}
	type check struct {
		given          Typed
		declared, read *value.Type
	}
	var checks []check
	read := func(given Typed, declared *value.Type) error {
		n, err := parseType(given.Type)
		if err != nil {
			return s.errorf(given.at, "the type %q of %s is %w; write it as in the function's signature", short(given.Type), given.what(), err)
		}
		t := sc.typ(n)
		if t == nil {
			return s.errorf(given.at, "the type %q of %s is not understood; write it as in the function's signature", short(given.Type), given.what())
		}
		unify(declared, t, inst)
		checks = append(checks, check{given, declared, t})
		return nil
	}
	if s.Params != nil {
		if len(s.Params) != len(names) {
			return nil, s.errorf(s.paramsAt, "\"params\" has %d of the parameters, but %s has %d: %s", len(s.Params), short(f.Name), len(names), listed(names))
		}
		for _, p := range s.Params {
			i, ok := q.at[p.Name]
			if !ok {
				return nil, s.errorf(p.at, "%s has no parameter %q; its parameters are %s", short(f.Name), short(p.Name), listed(names))
			}
			if err := read(p, declared[i]); err != nil {
				return nil, err
			}
		}
	}
	if s.Result != nil {
		result := &value.Type{Kind: value.TTuple}
		if r := f.Node.Get(syntax.FRet); r.Valid() {
			result = sc.typ(r.Get(syntax.FType))
		}
		if err := read(*s.Result, result); err != nil {
			return nil, err
		}
	}
	for _, c := range checks {
		if c.declared != nil && !fits(subst(c.declared, inst), c.read) {
			return nil, s.errorf(c.given.at, "%s is of type %s here, but of type %s in %s", c.given.what(), c.read, c.declared, short(f.Name))
		}
	}
	var err error
	if q.judge, err = f.NewJudge(inst); err != nil {
		return nil, err
	}
	return q, nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// fits tells whether a type that a suite gives can be the declared one. Lengths of arrays may be constants that are not known here.
func fits(declared, given *value.Type) bool {
	if declared == nil || given == nil || declared.Kind != given.Kind || declared.Int != given.Int || declared.List != given.List ||
		declared.Name != given.Name || len(declared.Args) != len(given.Args) {
		return false
	}
	for i := range declared.Args {
		if !fits(declared.Args[i], given.Args[i]) {
			return false
		}
	}
	return true
}

// Ask puts the case of an index to the contract. The error is a *CaseError: the case cannot be read.
func (q *Questions) Ask(i int) (Asked, error) {
	k, reason, err := q.Case(i)
	if err != nil {
		return Asked{}, err
	}
	out := Asked{Call: q.judge.Call(k), Outcome: q.judge.Outcome(k)}
	if reason != "" {
		out.Answer = undecided(reason)
	} else {
		out.Answer = q.judge.Ask(k)
	}
	return out, nil
}

// Case reads the case of an index without asking about it. reason says why nothing can be said of it, though it is well formed. The error is a
// *CaseError.
func (q *Questions) Case(i int) (k *Case, reason string, err error) {
	s, c := q.suite, q.judge.c
	span := s.cases[i]
	k = &Case{Args: make([]value.Value, len(c.params)), After: make([]value.Value, len(c.params))}
	val := func(v source.Span, what string, t *value.Type) (value.Value, error) {
		text, err := s.str(v, "a Rust value")
		if err != nil {
			return nil, err
		}
		out, err := q.judge.Value(text, t)
		if err != nil {
			return nil, s.errorf(v.Start, "%s: %w", what, err)
		}
		if q.judge.wide.archUsed {
			reason = "the width of usize"
		}
		return out, nil
	}
	values := func(obj source.Span, what string, into []value.Value) error {
		return s.object(obj, func(name string, at int, v source.Span) error {
			pi, ok := q.at[name]
			if !ok {
				return s.errorf(at, "%s has no parameter %q; its parameters are %s", short(c.fn.Name), short(name), listed(c.names))
			}
			if what == "after" && !c.muts[pi] {
				return s.errorf(at, "%s cannot change %s, which is no mutable reference; leave it out of \"after\"", short(c.fn.Name), name)
			}
			var err error
			into[pi], err = val(v, map[string]string{"args": "argument " + name, "after": name + " after the call"}[what], c.params[pi])
			return err
		})
	}
	argsAt, afterAt := span.Start, span.Start
	err = s.object(span, func(key string, at int, v source.Span) error {
		switch key {
		case "args":
			argsAt = v.Start
			return values(v, key, k.Args)
		case "after":
			afterAt = v.Start
			return values(v, key, k.After)
		case "result":
			var err error
			k.Result, err = val(v, "result", c.result)
			return err
		case "origin", "strong", "weak":
			return s.any(v)
		}
		return s.errorf(at, "unknown key %q; a case has args, result and, for mutable references, after", short(key))
	})
	if err != nil {
		return nil, "", err
	}
	for pi, name := range c.names {
		if k.Args[pi] == nil {
			return nil, "", s.errorf(argsAt, "there is no value of %s in \"args\"; give every parameter one", name)
		}
		if c.muts[pi] && k.After[pi] == nil {
			return nil, "", s.errorf(afterAt, "there is no value of %s in \"after\"; give every mutable reference the value that it has after the call", name)
		}
	}
	if k.Result == nil {
		if !isUnit(c.result) {
			return nil, "", s.errorf(span.Start, "there is no \"result\"; give what the call returned, of type %s", c.result)
		}
		k.Result = value.Unit()
	}
	return k, reason, nil
}

// unify finds what type parameters stand for.
func unify(declared, given *value.Type, inst map[string]*value.Type) {
	switch {
	case declared == nil || given == nil:
	case declared.Kind == value.TParam:
		if given.Kind != value.TParam {
			inst[declared.Name] = given
		}
	case declared.Kind == given.Kind && len(declared.Args) == len(given.Args):
		for i := range declared.Args {
			unify(declared.Args[i], given.Args[i], inst)
		}
	}
}

// parseItem reads text in the place of something inside an item.
func parseItem(text string) (syntax.Node, error) {
	f := syntax.Parse(source.NewFile("value", []byte(text)))
	if len(f.Errors) > 0 {
		return syntax.Node{}, fmt.Errorf("not Rust: %s", f.Errors[0].Message)
	}
	var items []syntax.Node
	for c := range f.Root().Children() {
		items = append(items, c)
	}
	if len(items) != 1 {
		return syntax.Node{}, fmt.Errorf("not one value")
	}
	return items[0], nil
}

func parseType(text string) (syntax.Node, error) {
	n, err := parseItem("const C: " + text + " = 0;")
	return n.Get(syntax.FType), err
}

// Value reads a Rust expression as a value of a type, with the names that are in scope at the function.
func (j *Judge) Value(text string, t *value.Type) (value.Value, error) {
	n, err := parseItem("const C: int = " + text + ";")
	if err != nil {
		return nil, fmt.Errorf("%s is %w; write a value of type %s", short(text), err, t)
	}
	// What the nodes of this text mean is not kept: a suite has many.
	sc := *j.resolved
	sc.types, sc.meanings = nil, nil
	j.wide.begin(questionSteps)
	v := j.wide.eval(n.Get(syntax.FValue), &frame{scope: &sc}, nil)
	if unknown(v) {
		return nil, fmt.Errorf("%s has no value that is known (%s); write a value of type %s", short(text), j.wide.why, t)
	}
	if v, ok := conform(v, t, j.c.fn.w); ok {
		return v, nil
	}
	if t != nil && t.Kind == value.TParam {
		return nil, fmt.Errorf("what %s stands for is not known; give the types of the call in \"params\"", t)
	}
	return nil, fmt.Errorf("%s is not of type %s; write a value of that type", short(text), t)
}

// conform turns what an expression without types gives into a value of a type: [1, 2] into a vector of bytes.
func conform(v value.Value, t *value.Type, w *World) (value.Value, bool) {
	if t == nil {
		return nil, false
	}
	each := func(vs []value.Value, at func(i int) *value.Type) ([]value.Value, bool) {
		out := make([]value.Value, len(vs))
		for i, x := range vs {
			var ok bool
			if out[i], ok = conform(x, at(i), w); !ok {
				return nil, false
			}
		}
		return out, true
	}
	switch v := v.(type) {
	case value.Int:
		if t.Kind == value.TInt && v.In(t.Int, 64) {
			return v.As(t.Int), true
		}
	case value.Bool:
		return v, t.Kind == value.TBool
	case value.Char:
		return v, t.Kind == value.TChar
	case value.Real:
		return v, t.Kind == value.TReal
	case value.Tuple:
		if t.Kind == value.TTuple && len(t.Args) == len(v) {
			out, ok := each(v, func(i int) *value.Type { return t.Args[i] })
			return value.Tuple(out), ok
		}
	case *value.List:
		if t.Kind == value.TList && len(t.Args) == 1 && (t.List == value.String) == (v.Of == value.String) &&
			(t.List != value.Array || t.Len < 0 || t.Len == len(v.Elems)) {
			out, ok := each(v.Elems, func(int) *value.Type { return t.Args[0] })
			return &value.List{Of: t.List, Elems: out}, ok
		}
	case *value.Data:
		if t.Kind != value.TData || t.Name != v.Type {
			return nil, false
		}
		types := fieldTypes(w, t, v.Variant)
		if len(types) != len(v.Fields) {
			return nil, false
		}
		out, ok := each(v.Fields, func(i int) *value.Type { return types[i] })
		return &value.Data{Type: v.Type, Variant: v.Variant, Names: v.Names, Fields: out}, ok
	case *value.Set:
		if t.Kind == value.TSet && len(t.Args) == 1 {
			if out, ok := each(v.Elems(), func(int) *value.Type { return t.Args[0] }); ok {
				return value.NewSet(out)
			}
		}
	case *value.Map:
		if t.Kind == value.TMap && len(t.Args) == 2 {
			keys, ok := each(v.Dom().Elems(), func(int) *value.Type { return t.Args[0] })
			vals, ok2 := each(v.Vals(), func(int) *value.Type { return t.Args[1] })
			out := &value.Map{}
			for i := range keys {
				if ok && ok2 {
					out = out.With(keys[i], vals[i])
				}
			}
			return out, ok && ok2
		}
	case *value.Multiset:
		if t.Kind == value.TMultiset && len(t.Args) == 1 {
			elems, ok := each(v.Dom().Elems(), func(int) *value.Type { return t.Args[0] })
			out := &value.Multiset{}
			for i, x := range v.Dom().Elems() {
				if ok {
					out = out.Change(elems[i], v.Count(x))
				}
			}
			return out, ok
		}
	case *function:
		return v, t.Kind == value.TParam || t.Kind == value.TFn
	}
	return nil, false
}

// fieldTypes are the types of the fields of a struct or variant.
func fieldTypes(w *World, t *value.Type, variant string) []*value.Type {
	switch t.Name {
	case "Option":
		if variant == "Some" {
			return t.Args
		}
		return nil
	case "Ghost", "Tracked":
		return t.Args
	case "Result":
		if len(t.Args) == 2 {
			if variant == "Ok" {
				return t.Args[:1]
			}
			return t.Args[1:]
		}
		return nil
	}
	d := w.types[t.Name]
	if d == nil {
		return nil
	}
	var c *ctor
	switch d.kind {
	case defStruct:
		c = structCtor(w, d)
	case defEnum:
		for v := range d.node.All(syntax.FVariant) {
			if identText(v.Get(syntax.FName)) == variant {
				c = variantCtor(w, d, v)
			}
		}
	}
	if c == nil {
		return nil
	}
	_, types := c.fields()
	args := genericsOf(d.node, t.Args)
	out := make([]*value.Type, len(types))
	for i := range types {
		out[i] = subst(types[i], args)
	}
	return out
}

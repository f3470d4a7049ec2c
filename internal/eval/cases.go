package eval

import (
	"encoding/json"
	"fmt"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// Suite is a file of cases: {"function": SYMBOL, "params": [[NAME, TYPE], ..], "result": [NAME, TYPE], "cases": [{"args": {NAME: VALUE},
// "result": VALUE, "after": {NAME: VALUE}, ..}]}. Types and values are Rust; other keys are for the reader of the file.
type Suite struct {
	Function string      `json:"function"`
	Params   [][2]string `json:"params"`
	Result   [2]string   `json:"result"`
	Cases    []SuiteCase `json:"cases"`
}

// SuiteCase is one case of a Suite.
type SuiteCase struct {
	Args   map[string]string `json:"args"`
	Result string            `json:"result"`
	After  map[string]string `json:"after"`
}

// Answer is what a contract says of a SuiteCase.
type Answer struct {
	Verdict Verdict
	// Why is the reason for Undecided.
	Why string
	// Text is the case as people write it.
	Text string
}

// ReadSuite reads the JSON of a Suite.
func ReadSuite(text []byte) (*Suite, error) {
	var s Suite
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	return &s, nil
}

// Ask puts every case of a suite to the contract of a function. The error says why that cannot be done, or which case cannot be
// read.
func (s *Suite) Ask(f *Func) ([]Answer, error) {
	sc := f.scope()
	declared := f.paramTypes(sc)
	if len(declared) != len(s.Params) {
		return nil, fmt.Errorf("read cases of %s: %d parameters, but the function has %d", s.Function, len(s.Params), len(declared))
	}
	// Types given for type parameters.
	inst := map[string]*value.Type{}
	for i, p := range s.Params {
		n, err := parseType(p[1])
		if err != nil {
			return nil, fmt.Errorf("read the type of parameter %s of %s: %w", p[0], s.Function, err)
		}
		if t := sc.typ(n); t != nil {
			unify(declared[i], t, inst)
		}
	}
	j, err := f.NewJudge(inst)
	if err != nil {
		return nil, err
	}
	out := make([]Answer, 0, len(s.Cases))
	for i, c := range s.Cases {
		k := &Case{After: make([]value.Value, len(s.Params))}
		for pi, p := range s.Params {
			v, err := j.Value(c.Args[p[0]], j.c.params[pi])
			if err != nil {
				return nil, fmt.Errorf("read argument %s of case %d of %s: %w", p[0], i+1, s.Function, err)
			}
			k.Args = append(k.Args, v)
			if text, ok := c.After[p[0]]; ok {
				if k.After[pi], err = j.Value(text, j.c.params[pi]); err != nil {
					return nil, fmt.Errorf("read %s after case %d of %s: %w", p[0], i+1, s.Function, err)
				}
			}
		}
		if k.Result, err = j.Value(c.Result, j.c.result); err != nil {
			return nil, fmt.Errorf("read the result of case %d of %s: %w", i+1, s.Function, err)
		}
		v, why := j.Ask(k)
		out = append(out, Answer{Verdict: v, Why: why, Text: j.Text(k)})
	}
	return out, nil
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
		return nil, fmt.Errorf("read value %s: %w", short(text), err)
	}
	j.wide.begin(questionSteps)
	v := j.wide.eval(n.Get(syntax.FValue), &frame{scope: j.resolved}, nil)
	if v, ok := conform(v, t, j.c.fn.w); ok {
		return v, nil
	}
	return nil, fmt.Errorf("read value %s: not of type %s", short(text), t)
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
		if t.Kind == value.TList && len(t.Args) == 1 && (t.List == value.String) == (v.Of == value.String) {
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
		return v, t.Kind == value.TSet
	case *value.Map:
		return v, t.Kind == value.TMap
	case *value.Multiset:
		return v, t.Kind == value.TMultiset
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

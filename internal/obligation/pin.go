package obligation

import (
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// maxPins bounds how many values one case may pin.
const maxPins = 400

// pinner writes that expressions have values.
type pinner struct {
	c   *contract
	out []goal
	err *failure
}

// pinInputs writes the arguments of a case, before the call.
func (c *contract) pinInputs(k *eval.Case) ([]goal, *failure) {
	if len(k.Args) != len(c.inputs) {
		return nil, fail(CannotPin, "the case has another number of arguments")
	}
	p := &pinner{c: c}
	for i, v := range k.Args {
		q := c.params[i]
		p.pin(expr{c.names[i], q.mut || strings.HasPrefix(q.self, "&")}, q.value(v), q.typ)
	}
	return p.out, p.err
}

// pinOutputs writes the result and the values of mutable references after the call.
func (c *contract) pinOutputs(k *eval.Case) ([]goal, *failure) {
	p := &pinner{c: c}
	after := 0
	for i, q := range c.params {
		if !q.mut {
			continue
		}
		if i >= len(k.After) || k.After[i] == nil {
			return nil, fail(CannotPin, "the case does not say what a mutable reference becomes")
		}
		p.pin(expr{c.outputs[after].name, true}, q.value(k.After[i]), c.outputs[after].node)
		after++
	}
	if after < len(c.outputs) {
		if k.Result == nil {
			return nil, fail(CannotPin, "the case has no result")
		}
		p.pin(expr{c.outputs[after].name, false}, k.Result, c.outputs[after].node)
	}
	return p.out, p.err
}

// value is what a parameter stands for.
func (q param) value(v value.Value) value.Value {
	if d, ok := v.(*value.Data); ok && q.inside && (d.Type == "Ghost" || d.Type == "Tracked") && len(d.Fields) == 1 {
		return d.Fields[0]
	}
	return v
}

func (p *pinner) add(s string) { p.out = append(p.out, goal{text: s}) }

func (p *pinner) fail(detail string) {
	if p.err == nil {
		p.err = fail(CannotPin, detail)
	}
}

// expr is an expression; ref says that it is a reference to the value.
type expr struct {
	text string
	ref  bool
}

// value is the expression without the reference. A method or field finds its way through references by itself.
func (e expr) value() string {
	if e.ref {
		return "*" + e.text
	}
	return e.text
}

func (e expr) then(s string) expr { return expr{e.text + s, false} }

// pin writes that e, of type t (which may not be known), has the value v.
func (p *pinner) pin(e expr, v value.Value, t syntax.Node) {
	if len(p.out) > maxPins {
		p.fail("the values of the case are too many")
	}
	if p.err != nil {
		return
	}
	for t.Kind() == syntax.RefType || t.Kind() == syntax.ParenType {
		if t.Kind() == syntax.RefType {
			if e.ref {
				e.text = "(*" + e.text + ")"
			}
			e.ref = true
		}
		t = t.Get(syntax.FType)
	}
	var args []syntax.Node
	word := ""
	if t.Kind() == syntax.Path {
		word, args = lastSegment(t)
	}
	arg := func(i int) syntax.Node {
		if i < len(args) {
			return args[i]
		}
		return syntax.Node{}
	}
	if word == "Box" || word == "Rc" || word == "Arc" {
		p.pin(expr{"(" + e.value() + ")", true}, v, arg(0))
		return
	}
	if text, ok := p.literal(v); ok {
		p.add(e.value() + " == " + text)
		return
	}
	if p.err != nil {
		return
	}
	switch v := v.(type) {
	case value.Tuple:
		i := 0
		var types []syntax.Node
		for c := range t.All(syntax.FType) {
			types = append(types, c)
		}
		for ; i < len(v); i++ {
			var ct syntax.Node
			if t.Kind() == syntax.TupleType && i < len(types) {
				ct = types[i]
			}
			p.pin(e.then("."+strconv.Itoa(i)), v[i], ct)
		}
	case *value.List:
		p.list(e, v, t, arg(0))
	case *value.Data:
		p.data(e, v, arg)
	case *value.Set, *value.Map, *value.Multiset:
		text, ok := value.Rust(v)
		if !ok {
			p.fail("a value cannot be written down")
			return
		}
		p.add(e.value() + " =~= " + text)
	default:
		p.fail("a value cannot be written down: " + value.Short(v))
	}
}

func (p *pinner) list(e expr, v *value.List, t, elem syntax.Node) {
	view := e.value()
	if v.Of != value.Seq {
		view = e.text + "@"
	} else if e.ref {
		view = "(" + view + ")"
	}
	if t.Kind() == syntax.SliceType || t.Kind() == syntax.ArrayType {
		elem = t.Get(syntax.FType)
	}
	if len(v.Elems) == 0 {
		p.add(view + ".len() == 0")
		return
	}
	var parts []string
	for _, x := range v.Elems {
		text, ok := p.literal(x)
		if !ok {
			break
		}
		parts = append(parts, text)
	}
	if len(parts) == len(v.Elems) {
		p.add(view + " =~= seq![" + strings.Join(parts, ", ") + "]")
		return
	}
	if p.err != nil {
		return
	}
	p.add(view + ".len() == " + strconv.Itoa(len(v.Elems)))
	for i, x := range v.Elems {
		p.pin(expr{view + "[" + strconv.Itoa(i) + "]", false}, x, elem)
	}
}

func (p *pinner) data(e expr, v *value.Data, arg func(int) syntax.Node) {
	if v.Opaque {
		p.fail("not all of the value of type " + v.Type + " is known")
		return
	}
	if v.Type == "Ghost" || v.Type == "Tracked" {
		if len(v.Fields) == 1 {
			p.pin(e.then("@"), v.Fields[0], arg(0))
			return
		}
	}
	field := func(i int) string {
		if v.Names != nil {
			return v.Names[i]
		}
		return strconv.Itoa(i)
	}
	if v.Variant == "" {
		for i, x := range v.Fields {
			p.pin(e.then("."+field(i)), x, syntax.Node{})
		}
		return
	}
	if e.ref {
		e = expr{"(" + e.value() + ")", false}
	}
	p.add(e.text + " is " + v.Variant)
	for i, x := range v.Fields {
		var t syntax.Node
		switch {
		case v.Type == "Option" || v.Type == "Result" && v.Variant == "Ok":
			t = arg(0)
		case v.Type == "Result":
			t = arg(1)
		}
		p.pin(e.then("->"+v.Variant+"_"+field(i)), x, t)
	}
}

// literal is a value that the logic compares by `==`, as an expression; ok is false for others.
func (p *pinner) literal(v value.Value) (text string, ok bool) {
	switch v := v.(type) {
	case value.Bool, value.Char, value.Real:
		return value.Rust(v)
	case value.Int:
		if v.Type == value.USize || v.Type == value.ISize {
			if !v.In(v.Type, 32) {
				p.fail("the value " + v.String() + " of type " + v.Type.String() + " does not fit 32 bits, which the verifier does not rule out")
				return "", false
			}
		}
		return value.Rust(v)
	case value.Tuple:
		var parts []string
		for _, x := range v {
			text, ok := p.literal(x)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		if len(parts) == 1 {
			return "(" + parts[0] + ",)", true
		}
		return "(" + strings.Join(parts, ", ") + ")", true
	case *value.Data:
		if v.Variant == "" || v.Opaque || v.Type == "Ghost" || v.Type == "Tracked" {
			return "", false
		}
		path := v.Variant
		if v.Type != "Option" && v.Type != "Result" {
			typ := v.Type
			if rest, ok := strings.CutPrefix(typ, p.c.f.Crate.Name+"::"); ok {
				typ = "crate::" + rest
			}
			path = typ + "::" + v.Variant
		} else if len(v.Fields) == 0 || v.Type == "Result" {
			return "", false // inference may have nothing to go by
		}
		var parts []string
		for i, x := range v.Fields {
			text, ok := p.literal(x)
			if !ok {
				return "", false
			}
			if v.Names != nil {
				text = v.Names[i] + ": " + text
			}
			parts = append(parts, text)
		}
		switch {
		case len(parts) == 0:
			return path, true
		case v.Names != nil:
			return "(" + path + " { " + strings.Join(parts, ", ") + " })", true // in a clause, a bare brace would begin the body
		}
		return path + "(" + strings.Join(parts, ", ") + ")", true
	}
	return "", false
}

// caseSize is the length of the longest sequence, or the largest small number, in a case.
func caseSize(k *eval.Case) int {
	size := 1
	var look func(v value.Value, depth int)
	look = func(v value.Value, depth int) {
		if depth > 8 {
			return
		}
		switch v := v.(type) {
		case *value.List:
			size = max(size, len(v.Elems))
			for _, x := range v.Elems {
				look(x, depth+1)
			}
		case value.Tuple:
			for _, x := range v {
				look(x, depth+1)
			}
		case *value.Data:
			for _, x := range v.Fields {
				look(x, depth+1)
			}
		case value.Int:
			if n := v.Big(); n.IsInt64() && n.Int64() > 0 && n.Int64() <= 30 {
				size = max(size, int(n.Int64()))
			}
		}
	}
	for _, l := range [][]value.Value{k.Args, k.After, {k.Result}} {
		for _, v := range l {
			look(v, 0)
		}
	}
	return size
}

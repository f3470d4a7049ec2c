package harness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/value"
)

// Arguments go to the program as their types read them: numbers have 16 bytes, sequences and texts their length in front, structs and
// enums the number of the variant. What is ghost takes nothing. Results come back with a tag in front of every value.

// maxNest bounds how deep values are nested.
const maxNest = 200

type encoder struct {
	b   *build
	out []byte
	err error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) u32(n int) { e.out = binary.LittleEndian.AppendUint32(e.out, uint32(n)) }

func (e *encoder) value(v value.Value, nest int) {
	if nest > maxNest {
		e.fail("a value that is nested too deep")
		return
	}
	switch v := v.(type) {
	case value.Bool:
		b := byte(0)
		if v {
			b = 1
		}
		e.out = append(e.out, b)
	case value.Char:
		e.u32(int(v))
	case value.Int:
		e.int(v)
	case value.Tuple:
		for _, x := range v {
			e.value(x, nest+1)
		}
	case *value.List:
		if v.Of == value.String {
			s, ok := v.String()
			if !ok || !utf8.ValidString(s) {
				e.fail("a text that Rust has not")
			}
			e.u32(len(s))
			e.out = append(e.out, s...)
			return
		}
		e.u32(len(v.Elems))
		for _, x := range v.Elems {
			e.value(x, nest+1)
		}
	case *value.Data:
		e.data(v, nest)
	default:
		e.fail("a value that executable code has not")
	}
}

func (e *encoder) int(v value.Int) {
	n := v.Big()
	if n.BitLen() > 128 {
		e.fail("the number %s is too large", v)
		return
	}
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	var b [16]byte
	n.FillBytes(b[:])
	slices.Reverse(b[:])
	e.out = append(e.out, b[:]...)
}

func (e *encoder) data(v *value.Data, nest int) {
	switch v.Type {
	case "Ghost", "Tracked":
		return
	case "Option", "Result":
		n := 0
		if v.Variant == "Some" || v.Variant == "Err" {
			n = 1
		}
		e.u32(n)
		for _, x := range v.Fields {
			e.value(x, nest+1)
		}
		return
	}
	u := e.b.byName[v.Type]
	if u == nil {
		e.fail("a value of the type %s, which the function does not take", v.Type)
		return
	}
	i := slices.IndexFunc(u.variants, func(x variant) bool { return x.name == v.Variant })
	if i < 0 {
		e.fail("the type %s has no variant %s", v.Type, v.Variant)
		return
	}
	e.u32(i)
	for _, name := range u.variants[i].fields {
		at := slices.Index(v.Names, name)
		if v.Names == nil {
			var err error
			if at, err = strconv.Atoi(name); err != nil {
				at = -1
			}
		}
		if at < 0 || at >= len(v.Fields) {
			e.fail("a value of the type %s has no field %s", v.Type, name)
			return
		}
		e.value(v.Fields[at], nest+1)
	}
}

var (
	errGarbled = errors.New("what it wrote is not a value")
	errDeep    = errors.New("it is nested too deep")
)

type decoder struct {
	b    *build
	in   []byte
	left int // how many values there may still be
}

func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > len(d.in) {
		return nil, errGarbled
	}
	out := d.in[:n]
	d.in = d.in[n:]
	return out, nil
}

func (d *decoder) u32() (int, error) {
	b, err := d.take(4)
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

var intCodes = [...]value.IntType{0, value.U8, value.U16, value.U32, value.U64, value.U128, value.USize, value.I8, value.I16, value.I32, value.I64, value.I128, value.ISize}

func (d *decoder) value(nest int) (value.Value, error) {
	if nest > maxNest {
		return nil, errDeep
	}
	if d.left--; d.left < 0 {
		return nil, errGarbled
	}
	tag, err := d.take(1)
	if err != nil {
		return nil, err
	}
	switch tag[0] {
	case 'I':
		b, err := d.take(17)
		if err != nil || int(b[0]) >= len(intCodes) || b[0] == 0 {
			return nil, errGarbled
		}
		t := intCodes[b[0]]
		digits := slices.Clone(b[1:])
		slices.Reverse(digits)
		n := new(big.Int).SetBytes(digits)
		if t.Signed() && n.Bit(127) == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		v := value.Big(n, t)
		if !v.In(t, 64) {
			return nil, errGarbled
		}
		return v, nil
	case 'B':
		b, err := d.take(1)
		if err != nil {
			return nil, err
		}
		return value.Bool(b[0] != 0), nil
	case 'G', 'K':
		name := "Ghost"
		if tag[0] == 'K' {
			name = "Tracked"
		}
		return &value.Data{Type: name, Fields: []value.Value{unknown}}, nil
	case 'L':
		b, err := d.take(1)
		if err != nil || b[0] < byte(value.Vec) || b[0] > byte(value.Array) {
			return nil, errGarbled
		}
		elems, err := d.some(nest)
		if err != nil {
			return nil, err
		}
		return &value.List{Of: value.ListKind(b[0]), Elems: elems}, nil
	case 'C':
		n, err := d.u32()
		if err != nil || !utf8.ValidRune(rune(n)) {
			return nil, errGarbled
		}
		return value.Char(rune(n)), nil
	case 'T':
		elems, err := d.some(nest)
		if err != nil {
			return nil, err
		}
		return value.Tuple(elems), nil
	case 'S':
		n, err := d.u32()
		if err != nil {
			return nil, err
		}
		b, err := d.take(n)
		if err != nil || !utf8.Valid(b) {
			return nil, errGarbled
		}
		return value.Text(string(b)), nil
	case 'D':
		return d.data(nest)
	}
	return nil, errGarbled
}

// unknown is what ghost code computes, which does not run.
var unknown = value.Unspecified{Reason: "ghost code does not run"}

// some values, with their number in front.
func (d *decoder) some(nest int) ([]value.Value, error) {
	n, err := d.u32()
	if err != nil || n > len(d.in) { // each takes a byte at least
		return nil, errGarbled
	}
	out := make([]value.Value, n)
	for i := range out {
		if out[i], err = d.value(nest + 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *decoder) data(nest int) (value.Value, error) {
	typ, err := d.u32()
	if err != nil {
		return nil, err
	}
	n, err := d.u32()
	if err != nil {
		return nil, err
	}
	switch {
	case typ <= 1 && n <= 1:
		out := &value.Data{Type: [2]string{"Option", "Result"}[typ], Variant: [2][2]string{{"None", "Some"}, {"Ok", "Err"}}[typ][n]}
		if typ == 0 && n == 0 {
			return out, nil
		}
		v, err := d.value(nest + 1)
		if err != nil {
			return nil, err
		}
		out.Fields = []value.Value{v}
		return out, nil
	case typ-2 < 0 || typ-2 >= len(d.b.types) || n >= len(d.b.types[typ-2].variants):
		return nil, errGarbled
	}
	u := d.b.types[typ-2]
	v := u.variants[n]
	out := &value.Data{Type: u.path, Variant: v.name, Names: v.shape}
	for range v.count {
		out.Fields = append(out.Fields, unknown)
	}
	for _, name := range v.fields {
		x, err := d.value(nest + 1)
		if err != nil {
			return nil, err
		}
		at := slices.Index(v.shape, name)
		if v.shape == nil {
			at, err = strconv.Atoi(name)
		}
		if err != nil || at < 0 || at >= len(out.Fields) {
			return nil, errGarbled
		}
		out.Fields[at] = x
	}
	return out, nil
}

// observed reads what a function returned, and what its mutable references hold after the call.
func (b *build) observed(t *target, raw []byte) (*spectest.Observed, error) {
	d := &decoder{b: b, in: raw, left: 1 << 20}
	judge := t.Spec.Judge()
	params := judge.Params()
	out := &spectest.Observed{After: make([]value.Value, len(params))}
	conform := func(v value.Value, typ *value.Type) value.Value {
		if c, ok := judge.Conform(v, typ); ok {
			return c
		}
		return v
	}
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	out.Result = conform(v, judge.Result())
	for len(d.in) > 0 {
		tag, err := d.take(1)
		if err != nil || tag[0] != 'A' {
			return nil, errGarbled
		}
		i, err := d.u32()
		if err != nil || i >= len(params) {
			return nil, errGarbled
		}
		v, err := d.value(0)
		if err != nil {
			return nil, err
		}
		if params[i].Mut {
			out.After[i] = conform(v, params[i].Type)
		}
	}
	for i, p := range params {
		if p.Mut && out.After[i] == nil {
			return nil, errGarbled
		}
	}
	return out, nil
}

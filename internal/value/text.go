package value

import (
	"strconv"
	"strings"
)

// Short is the text of a value for people: [3, 1, 4], Some(5), Point { x: 1, y: 2 }. Long collections are cut short.
func Short(v Value) string {
	var p printer
	p.limit = 12
	p.print(v)
	return p.b.String()
}

// Rust is the value as an expression of specification code, with the type of every number: seq![3i32, 1i32]. Vectors, slices and arrays
// are written as they are in executable code. ok is false for a value that cannot be written down.
func Rust(v Value) (text string, ok bool) {
	p := printer{rust: true, ok: true}
	p.print(v)
	return p.b.String(), p.ok
}

type printer struct {
	b     strings.Builder
	rust  bool
	ok    bool
	limit int // how many elements are shown; 0: all
	depth int
}

func (p *printer) print(v Value) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > 50 {
		p.b.WriteString("..")
		p.ok = false
		return
	}
	switch v := v.(type) {
	case Unspecified:
		p.b.WriteString("?")
		p.ok = false
	case Bool:
		p.b.WriteString(strconv.FormatBool(bool(v)))
	case Int:
		s := v.String()
		if !p.rust && len(s) > 60 {
			s = s[:20] + ".." + s[len(s)-20:]
		}
		p.b.WriteString(s)
		if p.rust && v.Type != Any {
			p.b.WriteString(v.Type.String())
		}
	case Char:
		p.b.WriteString(charText(rune(v)))
	case Real:
		p.b.WriteString(v.R.RatString())
		if p.rust {
			if v.R.IsInt() {
				p.b.WriteString("real")
			} else {
				p.ok = false
			}
		}
	case Tuple:
		p.list("(", v, ")")
		if len(v) == 1 {
			s := p.b.String()
			p.b.Reset()
			p.b.WriteString(s[:len(s)-1] + ",)")
		}
	case *Data:
		p.data(v)
	case *List:
		p.elems(v)
	case *Set:
		p.list(p.pick("{", "set!["), v.elems, p.pick("}", "]"))
	case *Map:
		p.b.WriteString(p.pick("{", "map!["))
		for i, k := range v.dom.elems {
			if i > 0 {
				p.b.WriteString(", ")
			}
			if p.cut(i, len(v.vals)) {
				break
			}
			p.print(k)
			p.b.WriteString(p.pick(": ", " => "))
			p.print(v.vals[i])
		}
		p.b.WriteString(p.pick("}", "]"))
	case *Multiset:
		p.multiset(v)
	default:
		p.b.WriteString("..")
		p.ok = false
	}
}

func (p *printer) pick(short, rust string) string {
	if p.rust {
		return rust
	}
	return short
}

// cut writes what stands for the rest when enough elements are shown.
func (p *printer) cut(i, n int) bool {
	if p.limit == 0 || i < p.limit {
		return false
	}
	p.b.WriteString(".. " + strconv.Itoa(n-i) + " more")
	return true
}

func (p *printer) list(open string, vs []Value, end string) {
	p.b.WriteString(open)
	for i, v := range vs {
		if i > 0 {
			p.b.WriteString(", ")
		}
		if p.cut(i, len(vs)) {
			break
		}
		p.print(v)
	}
	p.b.WriteString(end)
}

func (p *printer) data(d *Data) {
	name := d.Type
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	switch {
	case d.Variant == "":
		p.b.WriteString(name)
	case d.Type == "Option" || d.Type == "Result":
		p.b.WriteString(d.Variant)
	default:
		p.b.WriteString(name + "::" + d.Variant)
	}
	switch {
	case len(d.Fields) == 0:
		if d.Names != nil && d.Variant == "" {
			p.b.WriteString(" {}")
		}
	case d.Names == nil:
		p.list("(", d.Fields, ")")
	default:
		p.b.WriteString(" { ")
		for i, f := range d.Fields {
			if i > 0 {
				p.b.WriteString(", ")
			}
			p.b.WriteString(d.Names[i] + ": ")
			p.print(f)
		}
		p.b.WriteString(" }")
	}
}

func (p *printer) elems(l *List) {
	if l.Of == String {
		if s, ok := l.String(); ok {
			if p.limit > 0 && len(l.Elems) > 60 {
				s = string([]rune(s)[:60]) + ".."
			}
			p.b.WriteString(stringText(s))
			return
		}
	}
	open := "["
	if p.rust {
		switch l.Of {
		case Seq:
			open = "seq!["
		case Vec:
			open = "vec!["
		case Slice:
			open = "&["
		}
	}
	p.list(open, l.Elems, "]")
}

// String is the text of a list of characters.
func (l *List) String() (text string, ok bool) {
	var b strings.Builder
	for _, e := range l.Elems {
		c, ok := e.(Char)
		if !ok {
			return "", false
		}
		b.WriteRune(rune(c))
	}
	return b.String(), true
}

func (p *printer) multiset(m *Multiset) {
	if p.rust {
		p.b.WriteString("Multiset::empty()")
		for i, v := range m.dom.elems {
			for range m.counts[i] {
				p.b.WriteString(".insert(")
				p.print(v)
				p.b.WriteString(")")
			}
		}
		return
	}
	var all []Value
	for i, v := range m.dom.elems {
		for range m.counts[i] {
			all = append(all, v)
		}
	}
	p.list("multiset{", all, "}")
}

func charText(r rune) string {
	switch r {
	case '\'':
		return `'\''`
	case '"':
		return `'"'`
	}
	return "'" + escape(r) + "'"
}

func stringText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"':
			b.WriteString(`\"`)
		default:
			b.WriteString(escape(r))
		}
	}
	b.WriteByte('"')
	return b.String()
}

// escape writes a character as Rust does; everything that does not print is escaped.
func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '\\':
		return `\\`
	case 0:
		return `\0`
	}
	if strconv.IsPrint(r) {
		return string(r)
	}
	return `\u{` + strconv.FormatInt(int64(r), 16) + "}"
}

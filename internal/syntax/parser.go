package syntax

import (
	"fmt"
	"sort"
	"strings"

	"github.com/specgate/specgate/internal/source"
)

const (
	// maxDepth bounds how deep expressions, types, patterns and blocks nest: far beyond any code that people or macros write,
	// and low enough that code which recurses over a tree is safe.
	maxDepth = 1000
	// maxChain bounds how many operators in a row, such as a + b + c, nest to the left.
	maxChain = 5000
	// maxErrors bounds how many errors a file keeps.
	maxErrors = 500
)

// Parse reads a file. It is total: any input gives a tree that covers every token, and what could not be read is an Unknown
// node and an entry of File.Errors.
func Parse(src *source.File) *File {
	toks, errs := lex(src.Text)
	p := &parser{
		src:   src.Text,
		toks:  toks,
		nodes: make([]node, 1, len(toks)+len(toks)/4+8),
		limit: int32(len(toks) - 1),
		errs:  errs,
	}
	p.load()
	b := p.start(SourceFile)
	p.attrs(&b, true)
	p.items(&b)
	p.done(b)
	p.nodes[b.id].first, p.nodes[b.id].end = 0, p.limit
	sort.SliceStable(p.errs, func(i, j int) bool { return p.errs[i].Span.Start < p.errs[j].Span.Start })
	if n := len(p.errs); n > maxErrors {
		last := p.errs[maxErrors-1]
		last.Message = fmt.Sprintf("%d more places could not be read", n-maxErrors+1)
		p.errs = append(p.errs[:maxErrors-1:maxErrors-1], last)
	}
	return &File{Source: src, Errors: p.errs, toks: p.toks, nodes: p.nodes}
}

// parser is a recursive-descent parser with precedence climbing.
//
// Errors: at the first token that does not fit, fail records an error and from then on every token reads as EOF, so that all
// that is under way ends at once. The nearest item or statement takes the place as Unknown and goes on behind it (recover).
//
// Delimiters: while the inside of a pair is read, its closing token reads as EOF, so that no error reaches beyond a pair.
type parser struct {
	src   []byte
	toks  []token
	nodes []node
	errs  []Error

	pos      int32     // the current token; never a hole
	limit    int32     // tokens from here on read as EOF
	k        TokenKind // kind of the current token
	bad      bool      // an error is being carried to the nearest item or statement
	errPos   int32     // where it is
	noStruct bool      // `path {` begins a block, not a struct literal: conditions and clauses
	depth    int
}

// builder is a node being made: its children are linked behind tail.
type builder struct{ id, tail int32 }

func (p *parser) start(kind Kind) builder { return p.startAt(kind, p.pos) }

func (p *parser) startAt(kind Kind, first int32) builder {
	p.nodes = append(p.nodes, node{kind: kind, first: first})
	return builder{id: int32(len(p.nodes) - 1)}
}

// wrap starts a node whose first child is an expression already read.
func (p *parser) wrap(kind Kind, field Field, child int32) builder {
	b := p.startAt(kind, p.nodes[child].first)
	p.add(&b, field, child)
	return b
}

func (p *parser) add(b *builder, field Field, child int32) {
	p.nodes[child].field = field
	if b.tail == 0 {
		p.nodes[b.id].child = child
	} else {
		p.nodes[b.tail].next = child
	}
	b.tail = child
}

func (p *parser) done(b builder) int32 {
	p.nodes[b.id].end = p.pos
	return b.id
}

func (p *parser) span(id int32) source.Span {
	return source.Span{Start: int(p.toks[p.nodes[id].first].start), End: int(p.toks[p.nodes[id].end-1].end)}
}

func (p *parser) setOp(b builder, op TokenKind) { p.nodes[b.id].op = uint8(op) }
func (p *parser) setFlag(b builder, flag uint8) { p.nodes[b.id].flags |= flag }
func (p *parser) setKind(b builder, kind Kind)  { p.nodes[b.id].kind = kind }
func (p *parser) kind(id int32) Kind            { return p.nodes[id].kind }
func (p *parser) text(i int32) string           { return string(p.src[p.toks[i].start:p.toks[i].end]) }

func (p *parser) atText(word string) bool { return p.k.isIdent() && p.text(p.pos) == word }

// closedBy tells whether token c closes the delimiter at token open; one that is never closed ends at some other token.
func (p *parser) closedBy(open, c int32) bool {
	return p.toks[c].match == open && p.toks[c].kind.isClose()
}

func (p *parser) load() {
	if p.pos >= p.limit || p.bad {
		p.k = EOF
	} else {
		p.k = p.toks[p.pos].kind
	}
}

func (p *parser) bump() {
	if p.k == EOF {
		return
	}
	p.pos++
	for p.toks[p.pos].kind == hole {
		p.pos++
	}
	p.load()
}

// after returns the index of the token behind i.
func (p *parser) after(i int32) int32 {
	for i++; i < p.limit && p.toks[i].kind == hole; i++ {
	}
	return i
}

// kindAt returns the kind of token i, EOF from the limit on.
func (p *parser) kindAt(i int32) TokenKind {
	if i >= p.limit || p.bad {
		return EOF
	}
	return p.toks[i].kind
}

// nth returns the kind of the n-th token behind the current one.
func (p *parser) nth(n int) TokenKind {
	if p.k == EOF {
		return EOF
	}
	i := p.pos
	for ; n > 0; n-- {
		i = p.after(i)
	}
	return p.kindAt(i)
}

func (p *parser) eat(k TokenKind) bool {
	if p.k != k {
		return false
	}
	p.bump()
	return true
}

func (p *parser) expect(k TokenKind, what string) {
	if !p.eat(k) {
		p.unexpected(what)
	}
}

func (p *parser) unexpected(want string) { p.fail("expected " + want + ", found " + p.found()) }

func (p *parser) found() string {
	if p.pos >= int32(len(p.toks)-1) {
		return "the end of the file"
	}
	t := p.text(p.pos)
	if cut := strings.IndexByte(t, '\n'); cut >= 0 || len(t) > 40 {
		if cut < 0 || cut > 40 {
			cut = 40
		}
		t = strings.ToValidUTF8(t[:cut], "") + "…"
	}
	return fmt.Sprintf("`%s`", t)
}

func (p *parser) fail(message string) {
	if p.bad {
		return
	}
	p.noteAt(message)
	p.bad, p.errPos, p.k = true, p.pos, EOF
}

// noteAt records an error at the current token that does not stop the parser.
func (p *parser) noteAt(message string) {
	t := p.toks[p.pos]
	p.note(source.Span{Start: int(t.start), End: int(t.end)}, message)
}

// note records an error that does not stop the parser.
func (p *parser) note(s source.Span, message string) {
	p.errs = append(p.errs, Error{Span: s, Message: message})
}

// split takes the first character off a token of several: `>>` becomes `>` and `>`.
func (p *parser) split(first TokenKind) {
	t := &p.toks[p.pos]
	rest := token{kind: 0, start: t.start + 1, end: t.end}
	switch t.kind {
	case Shr:
		rest.kind = Gt
	case Ge:
		rest.kind = Eq
	case ShrEq:
		rest.kind = Ge
	case AndAnd:
		rest.kind = And
	case AndAndAnd:
		rest.kind = AndAnd
	case OrOr:
		rest.kind = Or
	case OrOrOr:
		rest.kind = OrOr
	case Shl:
		rest.kind = Lt
	default:
		return
	}
	t.kind, t.end = first, t.start+1
	p.toks[p.pos+1] = rest
	p.k = first
}

// frame is what enter saves.
type frame struct {
	open, limit, close int32
	noStruct           bool
}

// enter passes the opening delimiter at the current token; until leave, the closing one reads as EOF.
func (p *parser) enter() frame {
	fr := frame{open: p.pos, limit: p.limit, close: p.toks[p.pos].match, noStruct: p.noStruct}
	if p.bad || fr.close == 0 {
		fr.close = p.limit
	}
	p.bump()
	p.limit, p.noStruct = min(fr.close, fr.limit), false
	p.load()
	return fr
}

// leave passes the closing delimiter. Anything unread before it is an error.
func (p *parser) leave(fr frame) {
	if p.pos < p.limit {
		p.fail("unexpected " + p.found())
	}
	p.limit, p.noStruct = fr.limit, fr.noStruct
	p.load()
	if p.pos == fr.close && p.closedBy(fr.open, fr.close) {
		p.bump()
	}
}

// list reads elements with commas between them up to the end of the delimiters.
func (p *parser) list(b *builder, field Field, element func(*parser) int32) {
	for p.k != EOF {
		at := p.pos
		p.add(b, field, element(p))
		if !p.eat(Comma) {
			break
		}
		if p.pos == at {
			break
		}
	}
}

// delimited reads a list in delimiters; the current token must be the opening one.
func (p *parser) delimited(b *builder, field Field, element func(*parser) int32) {
	fr := p.enter()
	p.list(b, field, element)
	p.leave(fr)
}

// deeper counts nesting; false means that the bound is reached and an error was recorded.
func (p *parser) deeper() bool {
	if p.depth >= maxDepth {
		p.fail(fmt.Sprintf("nested more than %d levels deep", maxDepth))
		return false
	}
	p.depth++
	return true
}

// leaf makes a node of the current token.
func (p *parser) leaf(kind Kind) int32 {
	b := p.start(kind)
	p.bump()
	return p.done(b)
}

// none makes an empty Unknown node where an error was recorded; it never survives, as recover drops it.
func (p *parser) none() int32 { return p.done(p.start(Unknown)) }

func (p *parser) tokenTree() int32 {
	b := p.start(TokenTree)
	p.skipTree()
	return p.done(b)
}

// skipTree passes a token, or a whole pair of delimiters.
func (p *parser) skipTree() {
	if p.k.isOpen() {
		fr := p.enter()
		p.pos = p.limit
		p.leave(fr)
		return
	}
	p.bump()
}

// recover makes the tokens from start on Unknown, up to the end of the item or statement that could not be read: a `;`, or
// the closing brace of a block that lies behind the error. mark is the number of nodes when it began.
func (p *parser) recover(start int32, mark int) int32 {
	p.nodes = p.nodes[:mark]
	p.bad = false
	b := p.startAt(Unknown, start)
	p.pos = start
	p.load()
	for p.k != EOF {
		k := p.k
		if k.isOpen() && !p.closedBy(p.pos, p.toks[p.pos].match) {
			p.bump() // never closed: what follows is not inside
			continue
		}
		p.skipTree()
		if p.pos > p.errPos && (k == Semi || k == LBrace || k == Conflict) {
			break
		}
	}
	return p.done(b)
}

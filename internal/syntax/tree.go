// Package syntax is the front end for Rust with Verus: a lexer, a total and lossless parser, and the tree.
//
// A File is made of tokens and nodes held in two flat slices, so that parsing allocates little and a tree can be dropped at
// once. Layout and comments are what lies between tokens. A Node is a small value that points into its File.
package syntax

import (
	"iter"
	"sync"

	"github.com/specgate/specgate/internal/source"
)

// File is a parsed source file. It is immutable once parsed and safe for concurrent use.
type File struct {
	Source *source.File
	// Errors are the places that the parser could not read, in order. Each has an Unknown node or is about a file as a whole.
	Errors []Error

	toks  []token
	nodes []node

	verusOnce sync.Once
	verus     []tokenRange // see inVerus
	ghostOnce sync.Once
	ghost     map[string]bool // see ghostNames
}

// Error is a place that could not be read.
type Error struct {
	Span    source.Span
	Message string
}

type node struct {
	kind        Kind
	field       Field
	op          uint8 // TokenKind, or ClauseKind for a Clause
	flags       uint8
	first, end  int32 // tokens [first, end)
	child, next int32 // first child, next sibling; 0: none (node 0 is never used)
}

const (
	flagMut    = 1 << iota // Mut
	flagByRef              // ByRef
	flagNot                // Not, Negative
	flagInner              // Inner
	flagSemi               // Semi
	flagGlobal             // Global, Glob
	flagBody               // HasBody, HasRest, Raw
)

// Node is a place in the tree. The zero Node is no node: Valid is false, it has no children and no text.
type Node struct {
	f  *File
	id int32
}

// Root is the SourceFile node.
func (f *File) Root() Node { return Node{f, 1} }

// Node returns the node of an ID.
func (f *File) Node(id int) Node {
	if id <= 0 || id >= len(f.nodes) {
		return Node{}
	}
	return Node{f, int32(id)}
}

func (n Node) raw() *node { return &n.f.nodes[n.id] }

// Valid tells whether n is a node at all.
func (n Node) Valid() bool { return n.id != 0 }

// ID is unique within the file: a number from 1, stable for one parse.
func (n Node) ID() int { return int(n.id) }

// File that n is in.
func (n Node) File() *File { return n.f }

// Kind of n; 0 for the zero Node.
func (n Node) Kind() Kind {
	if n.id == 0 {
		return 0
	}
	return n.raw().kind
}

// Field is the role of n in its parent.
func (n Node) Field() Field {
	if n.id == 0 {
		return 0
	}
	return n.raw().field
}

// Op is the operator of a Unary, Binary, Assign, Range or Quant.
func (n Node) Op() TokenKind {
	if n.id == 0 {
		return 0
	}
	return TokenKind(n.raw().op)
}

// Which clause a Clause is.
func (n Node) Which() ClauseKind {
	if n.Kind() != Clause {
		return 0
	}
	return ClauseKind(n.raw().op)
}

func (n Node) flag(f uint8) bool { return n.id != 0 && n.raw().flags&f != 0 }

// Mut tells `mut` of a RefType, PtrType, Ref, RefPat, IdentPat, SelfParam or Static.
func (n Node) Mut() bool { return n.flag(flagMut) }

// ByRef tells `ref` of an IdentPat and `&` of a SelfParam.
func (n Node) ByRef() bool { return n.flag(flagByRef) }

// Not tells the negated form of Is and Has.
func (n Node) Not() bool { return n.flag(flagNot) }

// Negative tells `impl !Trait for T`.
func (n Node) Negative() bool { return n.flag(flagNot) }

// Inner tells `#![..]` from `#[..]`.
func (n Node) Inner() bool { return n.flag(flagInner) }

// Semi tells whether an ExprStmt ends in `;`.
func (n Node) Semi() bool { return n.flag(flagSemi) }

// Global tells a Path that starts with `::`.
func (n Node) Global() bool { return n.flag(flagGlobal) }

// Glob tells a UseTree that is or ends in `*`.
func (n Node) Glob() bool { return n.flag(flagGlobal) }

// HasBody tells a Mod in braces from `mod m;`.
func (n Node) HasBody() bool { return n.flag(flagBody) }

// HasRest tells a StructExpr that ends in a bare `..`.
func (n Node) HasRest() bool { return n.flag(flagBody) }

// Raw tells `&raw const e` and `&raw mut e`.
func (n Node) Raw() bool { return n.flag(flagBody) }

// Span of the node's tokens, without layout and comments before and after it. A node without tokens has an empty span.
func (n Node) Span() source.Span {
	if n.id == 0 {
		return source.Span{}
	}
	r := n.raw()
	first, end := n.f.skipHoles(r.first), r.end
	if first >= end {
		at := int(n.f.toks[r.first].start)
		return source.Span{Start: at, End: at}
	}
	return source.Span{Start: int(n.f.toks[first].start), End: int(n.f.toks[n.f.lastReal(end)].end)}
}

// Text of the node as written.
func (n Node) Text() string {
	if n.id == 0 {
		return ""
	}
	s := n.Span()
	return string(n.f.Source.Text[s.Start:s.End])
}

// Children in source order.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.id == 0 {
			return
		}
		for id := n.raw().child; id != 0; id = n.f.nodes[id].next {
			if !yield(Node{n.f, id}) {
				return
			}
		}
	}
}

// Get returns the first child in a field, or the zero Node.
func (n Node) Get(field Field) Node {
	if n.id == 0 {
		return Node{}
	}
	for id := n.raw().child; id != 0; id = n.f.nodes[id].next {
		if n.f.nodes[id].field == field {
			return Node{n.f, id}
		}
	}
	return Node{}
}

// All children in a field, in source order.
func (n Node) All(field Field) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.id == 0 {
			return
		}
		for id := n.raw().child; id != 0; id = n.f.nodes[id].next {
			if n.f.nodes[id].field == field && !yield(Node{n.f, id}) {
				return
			}
		}
	}
}

// Tokens of the node, its children's included, in source order.
func (n Node) Tokens() iter.Seq[Token] {
	return func(yield func(Token) bool) {
		if n.id == 0 {
			return
		}
		r := n.raw()
		for i := r.first; i < r.end; i++ {
			if t := n.f.toks[i]; t.kind != hole {
				if !yield(Token{n.f, t}) {
					return
				}
			}
		}
	}
}

// FirstToken of the node; the zero Token if it has none.
func (n Node) FirstToken() Token {
	for t := range n.Tokens() {
		return t
	}
	return Token{}
}

// Walk visits n and what is below it, parents first. When visit returns false, what is below that node is left out.
// It does not recurse, so no tree can exhaust the stack.
func (n Node) Walk(visit func(Node) bool) {
	if n.id == 0 {
		return
	}
	if !visit(n) {
		return
	}
	stack := []int32{n.raw().child}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		if id == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		stack[len(stack)-1] = n.f.nodes[id].next
		if c := n.f.nodes[id].child; visit(Node{n.f, id}) && c != 0 {
			stack = append(stack, c)
		}
	}
}

// Token is one token of a file.
type Token struct {
	f *File
	t token
}

// Kind of the token; 0 for the zero Token.
func (t Token) Kind() TokenKind { return t.t.kind }

// Span of the token.
func (t Token) Span() source.Span { return source.Span{Start: int(t.t.start), End: int(t.t.end)} }

// Text of the token as written.
func (t Token) Text() string {
	if t.f == nil {
		return ""
	}
	return string(t.f.Source.Text[t.t.start:t.t.end])
}

func (f *File) skipHoles(i int32) int32 {
	for f.toks[i].kind == hole {
		i++
	}
	return i
}

func (f *File) lastReal(end int32) int32 {
	for end--; f.toks[end].kind == hole; end-- {
	}
	return end
}

package syntax

// TokenKind is the kind of a token. Rust's weak keywords and all of Verus's are kinds of their own that also serve as
// identifiers (see isIdent): only the position in the grammar tells which they are.
type TokenKind uint8

const (
	EOF TokenKind = iota

	hole          // the place after a token of several characters that the parser may split, as `>>` in Vec<Vec<T>>
	Invalid       // a byte or an unterminated literal that is no token of Rust
	Conflict      // a line with a merge conflict marker
	Ident         // identifier, raw ones with their r#
	LifetimeToken // 'a
	Int           // integer literal with its suffix
	Float
	Char
	Byte
	String // with or without escapes, raw or not
	ByteString
	CString

	LParen
	RParen
	LBrace
	RBrace
	LBracket
	RBracket

	Semi
	Comma
	Dot
	DotDot
	DotDotDot
	DotDotEq
	Colon
	ColonColon
	Arrow_ // ->
	FatArrow
	At
	Hash
	Question
	Dollar
	Tilde
	Bang
	Underscore

	Eq
	EqEq
	Ne
	EqEqEq   // ===
	NeEq     // !==
	ExtEq    // =~=
	NotExtEq // !~=
	DeepEq   // =~~=
	NotDeep  // !~~=
	Lt
	Le
	Gt
	Ge
	Plus
	Minus
	Star
	Slash
	Percent
	Caret
	And
	Or
	AndAnd
	OrOr
	AndAndAnd
	OrOrOr
	Shl
	Shr
	Implies // ==>
	Explies // <==
	Iff     // <==>
	PlusEq
	MinusEq
	StarEq
	SlashEq
	PercentEq
	CaretEq
	AndEq
	OrEq
	ShlEq
	ShrEq

	// Strict keywords of Rust.
	KwAs
	KwAsync
	KwAwait
	KwBreak
	KwConst
	KwContinue
	KwCrate
	KwDyn
	KwElse
	KwEnum
	KwExtern
	KwFalse
	KwFn
	KwFor
	KwIf
	KwImpl
	KwIn
	KwLet
	KwLoop
	KwMatch
	KwMod
	KwMove
	KwMut
	KwPub
	KwRef
	KwReturn
	KwSelf
	KwSelfType
	KwStatic
	KwStruct
	KwSuper
	KwTrait
	KwTrue
	KwType
	KwUnsafe
	KwUse
	KwWhere
	KwWhile

	// Words that are keywords only in their place; identifiers elsewhere.
	KwAuto
	KwBox
	KwDefault
	KwGen
	KwMacro
	KwMacroRules
	KwRaw
	KwSafe
	KwTry
	KwUnion
	KwYield
	KwBecome
	KwAssert
	KwAssume
	KwAssumeSpecification
	KwAtomically
	KwAxiom
	KwBroadcast
	KwBy
	KwChecked
	KwChoose
	KwClosed
	KwDecreases
	KwDefaultEnsures
	KwEnsures
	KwExec
	KwExists
	KwFinal
	KwFnSpec
	KwForall
	KwGhost
	KwGlobal
	KwGroup
	KwHas
	KwHasnt
	KwImplies
	KwInvariant
	KwInvariantEnsures
	KwInvariantExceptBreak
	KwIs
	KwIsnt
	KwMatches
	KwNoUnwind
	KwOpen
	KwOpensInvariants
	KwProof
	KwProofFn
	KwRecommends
	KwRequires
	KwReturns
	KwSpec
	KwSpecFn
	KwTracked
	KwUninterp
	KwVia
	KwWhen
	KwWith
)

// isIdent tells whether a token can be an identifier: a plain one or a word that is a keyword only in its place.
func (k TokenKind) isIdent() bool { return k == Ident || k >= KwAuto }

// isStrict tells a keyword of Rust that is never an identifier.
func (k TokenKind) isStrict() bool { return k >= KwAs && k <= KwWhile }

func (k TokenKind) isOpen() bool  { return k == LParen || k == LBrace || k == LBracket }
func (k TokenKind) isClose() bool { return k == RParen || k == RBrace || k == RBracket }

func (k TokenKind) isLiteral() bool { return k >= Int && k <= CString || k == KwTrue || k == KwFalse }

type token struct {
	kind       TokenKind
	start, end uint32
	match      int32 // of an open delimiter: index of its close; of a close: its open; 0: none
}

func keyword(s []byte) TokenKind {
	switch string(s) {
	case "_":
		return Underscore
	case "as":
		return KwAs
	case "async":
		return KwAsync
	case "await":
		return KwAwait
	case "break":
		return KwBreak
	case "const":
		return KwConst
	case "continue":
		return KwContinue
	case "crate":
		return KwCrate
	case "dyn":
		return KwDyn
	case "else":
		return KwElse
	case "enum":
		return KwEnum
	case "extern":
		return KwExtern
	case "false":
		return KwFalse
	case "fn":
		return KwFn
	case "for":
		return KwFor
	case "if":
		return KwIf
	case "impl":
		return KwImpl
	case "in":
		return KwIn
	case "let":
		return KwLet
	case "loop":
		return KwLoop
	case "match":
		return KwMatch
	case "mod":
		return KwMod
	case "move":
		return KwMove
	case "mut":
		return KwMut
	case "pub":
		return KwPub
	case "ref":
		return KwRef
	case "return":
		return KwReturn
	case "self":
		return KwSelf
	case "Self":
		return KwSelfType
	case "static":
		return KwStatic
	case "struct":
		return KwStruct
	case "super":
		return KwSuper
	case "trait":
		return KwTrait
	case "true":
		return KwTrue
	case "type":
		return KwType
	case "unsafe":
		return KwUnsafe
	case "use":
		return KwUse
	case "where":
		return KwWhere
	case "while":
		return KwWhile
	case "auto":
		return KwAuto
	case "box":
		return KwBox
	case "default":
		return KwDefault
	case "gen":
		return KwGen
	case "macro":
		return KwMacro
	case "macro_rules":
		return KwMacroRules
	case "raw":
		return KwRaw
	case "safe":
		return KwSafe
	case "try":
		return KwTry
	case "union":
		return KwUnion
	case "yield":
		return KwYield
	case "become":
		return KwBecome
	case "assert":
		return KwAssert
	case "assume":
		return KwAssume
	case "assume_specification":
		return KwAssumeSpecification
	case "atomically":
		return KwAtomically
	case "axiom":
		return KwAxiom
	case "broadcast":
		return KwBroadcast
	case "by":
		return KwBy
	case "checked":
		return KwChecked
	case "choose":
		return KwChoose
	case "closed":
		return KwClosed
	case "decreases":
		return KwDecreases
	case "default_ensures":
		return KwDefaultEnsures
	case "ensures":
		return KwEnsures
	case "exec":
		return KwExec
	case "exists":
		return KwExists
	case "final":
		return KwFinal
	case "FnSpec":
		return KwFnSpec
	case "forall":
		return KwForall
	case "ghost":
		return KwGhost
	case "global":
		return KwGlobal
	case "group":
		return KwGroup
	case "has":
		return KwHas
	case "hasnt":
		return KwHasnt
	case "implies":
		return KwImplies
	case "invariant":
		return KwInvariant
	case "invariant_ensures":
		return KwInvariantEnsures
	case "invariant_except_break":
		return KwInvariantExceptBreak
	case "is":
		return KwIs
	case "isnt":
		return KwIsnt
	case "matches":
		return KwMatches
	case "no_unwind":
		return KwNoUnwind
	case "open":
		return KwOpen
	case "opens_invariants":
		return KwOpensInvariants
	case "proof":
		return KwProof
	case "proof_fn":
		return KwProofFn
	case "recommends":
		return KwRecommends
	case "requires":
		return KwRequires
	case "returns":
		return KwReturns
	case "spec":
		return KwSpec
	case "spec_fn":
		return KwSpecFn
	case "tracked":
		return KwTracked
	case "uninterp":
		return KwUninterp
	case "via":
		return KwVia
	case "when":
		return KwWhen
	case "with":
		return KwWith
	}
	return Ident
}

package syntax

//go:generate go tool stringer -type=Kind,Field,TokenKind -output=names.go

// Kind says what a node is. The comment behind each names its fields (see Field): "*" any number, "?" none or one.
// A node's tokens that belong to no child are its own: keywords, punctuation, and the names of leaf nodes.
type Kind uint8

const (
	_ Kind = iota

	// Unknown covers tokens that the parser could not read; File.Errors says why. The rest of the file is parsed.
	Unknown

	// --- file and items ---

	SourceFile  // Attr* Item*
	Fn          // Attr* Vis? Publish? Modifier* Mode? Name Generics? Params Ret? Where? Clause* Body? (no Body: ends in `;`)
	Struct      // Attr* Vis? Mode? Name Generics? Where? Fields?
	Enum        // Attr* Vis? Mode? Name Generics? Where? Variant*
	Union       // as Struct
	Variant     // Attr* Vis? Name Fields? Value? (discriminant)
	FieldList   // named fields in braces: FieldDecl*
	TupleFields // fields in parentheses: FieldDecl*
	FieldDecl   // Attr* Vis? Mode? Name? Type Value? (no Name inside TupleFields)
	Trait       // Attr* Vis? Modifier* Name Generics? Bounds? Where? Item*
	TraitAlias  // Attr* Vis? Name Generics? Bounds? Where?
	Impl        // Attr* Modifier* Generics? Trait? SelfType Where? Item*   (Negative() tells `impl !Trait for T`)
	Mod         // Attr* Vis? Modifier* Name Item*   (HasBody() tells `mod m {}` from `mod m;`)
	Use         // Attr* Vis? Tree (UseTree)
	UseTree     // Path? Name? (after `as`) Tree* ; Glob() tells `*`; a `{..}` group has Tree children
	ExternCrate // Attr* Vis? Name Alias?
	ExternBlock // Attr* Modifier* Item*     extern "C" { .. }
	Const       // Attr* Vis? Publish? Modifier* Mode? Name Generics? Type? Clause* Value? (Name may be `_`) or Body in braces
	Static      // Attr* Vis? Modifier* Mode? Name Type Clause* Value? or Body
	TypeAlias   // Attr* Vis? Modifier* Name Generics? Bounds? Where* Type?
	MacroRules  // Attr* Path Name Args (TokenTree)     macro_rules! name { .. }
	MacroDef    // Attr* Vis? Name Args?, Body (TokenTree)     macro name(..) { .. }

	AssumeSpecification // Attr* Vis? Generics? Target (Path) Params Ret? Where? Clause*
	BroadcastUse        // Attr* Path*
	BroadcastGroup      // Attr* Vis? Name Path*
	Global              // Attr* Args: `global size_of T == n;` / `global layout T is ..;` Type Expr*
	EmptyItem           // a lone `;` between items

	// --- parts of items ---

	Attr          // #[..] or #![..] (Inner()): Path? Args? (TokenTree, or VerusSpec for verus_spec); unsafe(..) is transparent
	VerusSpec     // the inside of #[verus_spec(..)]: Pat? Type? Clause*
	Vis           // pub, pub(crate), pub(in p), crate: leaf
	Publish       // open, open(crate), open(in p), closed, uninterp: leaf
	Mode          // spec, spec(checked), proof, axiom, exec, ghost, tracked: leaf
	Modifier      // const, async, unsafe, safe, extern "abi", broadcast, default, auto, static, move, gen, for<..>: leaf
	Name          // an identifier being declared or selected, or a tuple index, or `_`: leaf
	Lifetime      // 'a: leaf
	GenericParams // TypeParam, LifetimeParam, ConstParam (field Param)
	TypeParam     // Attr* Name Bounds? Default?
	LifetimeParam // Attr* Name Bounds?
	ConstParam    // Attr* Name Type Default?
	Where         // WherePred (field Pred) *
	WherePred     // Binder? Type Bounds?  (Type may be a Lifetime)
	Bounds        // Bound*: TraitBound, Lifetime, UseBound
	TraitBound    // Binder? Modifier* Path      ?Sized, ~const Tr, for<'a> Fn(&'a T)
	UseBound      // use<'a, T>: precise capturing
	Binder        // for<'a, ..>: Param*
	Params        // Param, SelfParam (field Param) *; Variadic
	Param         // Attr* Mode? Pat? Type       (bare types in fn pointers and trait fns have no Pat)
	SelfParam     // Attr* Mode? Lifetime? Type?  self, &self, &mut self, mut self, self: T, tracked self
	Variadic      // `...` as parameter
	Ret           // Mode? Pat? Type       -> T, -> tracked T, -> (r: T), -> (tracked r: T), -> ((a, b): T)
	Clause        // Expr* When? Via? Pat? Body?: Which() says requires, ensures, invariant, ...; see ClauseKind

	// --- paths and types ---

	Path        // QSelf? Segment*    also an expression, a type, a pattern, an attribute path; Global() tells `::a`
	QSelf       // <T as Trait>: Type Trait?
	Segment     // GenericArgs? | ParenArgs (Params) Ret?: its first token is its name
	GenericArgs // Arg*: types, Lifetime, AssocArg, const expressions
	AssocArg    // Name GenericArgs? Type? Bounds? Value?      Item = T, Item: Bound, N = 3
	RefType     // Lifetime? Type; Mut()
	PtrType     // Type; Mut()
	TupleType   // Type*
	ArrayType   // Type Len
	SliceType   // Type
	FnPtrType   // Binder? Modifier* Params Ret?
	SpecFnType  // spec_fn(..) -> T, FnSpec(..) -> T, proof_fn<..>[..](..) -> T: GenericArgs? Args? Params Ret?
	NeverType   // !
	InferType   // _
	ImplTrait   // Bounds
	DynTrait    // Bounds
	ParenType   // Type

	// --- patterns ---

	IdentPat       // Name Pat? (after @); ByRef(), Mut(); Mode? (tracked x, ghost x)
	WildPat        // _
	RestPat        // ..
	RefPat         // Pat; Mut()
	TuplePat       // Pat*
	TupleStructPat // Path Pat*
	StructPat      // Path FieldPat* (field Pat); RestPat at the end
	FieldPat       // Attr* Name Pat?      x: p, or the shorthand x / ref mut x (Pat is then an IdentPat and Name is absent)
	SlicePat       // Pat*
	OrPat          // Pat*
	RangePat       // Lo? Hi?
	LitPat         // Expr (a literal, maybe negated)
	ParenPat       // Pat
	BoxPat         // box p: Pat
	ConstPat       // const { .. }: Body

	// --- statements ---

	Let       // Attr* Mode? Pat Type? Init? Else? (Block)
	ExprStmt  // Attr* Expr; Semi() tells whether it ends in `;`
	EmptyStmt // a lone `;`

	// --- expressions ---

	Literal     // leaf
	Paren       // Expr
	Tuple       // Expr*
	Array       // Expr*
	ArrayRepeat // Expr Len
	Block       // Attr* Label? Modifier* (unsafe, async, const, move, try) Stmt*; a last ExprStmt without `;` is the value
	ProofBlock  // proof { .. }: Body
	If          // Cond Then Else? (If or Block)
	LetCond     // let p = e inside a condition: Pat Expr
	Match       // Expr Attr* Arm*
	Arm         // Attr* Pat Guard? Body
	While       // Label? Cond Clause* Body
	Loop        // Label? Clause* Body
	For         // Label? Pat Name? (ghost iterator) Expr Clause* Body
	Label       // 'a: : leaf
	Closure     // Attr* Binder? Modifier* Param* Ret? Clause* Body;  Modifier includes static, async, move; Mode? (proof_fn)
	Call        // Callee Args
	Args        // Expr*
	MethodCall  // Receiver Name GenericArgs? Args
	FieldExpr   // Expr Name
	Index       // Expr Index
	Try         // Expr        e?
	Await       // Expr
	Range       // Lo? Hi?; Op() is `..` or `..=`
	Ref         // Expr; Mut(); &raw const / &raw mut have Raw()
	Unary       // Expr; Op() is `!`, `-`, `*`
	Binary      // Lhs Rhs; Op(): every Rust and Verus binary operator; a comparison chain a <= b < c nests to the left
	Assign      // Lhs Rhs; Op() is `=` or `+=`, ...
	Cast        // Expr Type
	Return      // Expr?
	Break       // Label? Expr?
	Continue    // Label?
	Yield       // Expr?
	Become      // Expr
	StructExpr  // Path FieldInit* Base?    ..base; `..` alone has HasRest()
	FieldInit   // Attr* Name Expr?     no Expr: shorthand
	AttrExpr    // Attr* Expr           attributes on an expression, #[trigger] among them

	AtomicallyCall // Expr Label? Params? Ret? Clause* Body     f(x) atomically |upd| -> r ensures .. { .. }

	MacroCall // Attr* Path Args: TokenTree (not understood, searched by token) or MacroBody (parsed)
	MacroBody // the parsed inside of a macro that specgate knows: items, statements or expressions (fields Item, Stmt, Expr, Pat, Name, Clause)
	TokenTree // delimited tokens as they are: TokenTree* for nested delimiters are not built; see Node.Tokens

	// --- Verus expressions ---

	Assert       // Expr Prover? Clause* (requires) Body?   assert(e), assert(e) by(..) requires .. { .. }
	AssertForall // Attr* Param* Expr Implies? Body     assert forall|x: T| e implies e2 by { .. }
	Assume       // Expr      assume(e) written as the keyword form
	Prover       // by(bit_vector), ..: leaf
	Quant        // Attr* (inner: triggers) Param* Ret? Expr; Op() is KwForall, KwExists or KwChoose
	View         // Expr     e@
	Arrow        // Expr Name     e->f, e->0
	Is           // Expr Name|Type; Not() tells !is / isnt
	Has          // Lhs Rhs; Not() tells !has / hasnt
	Matches      // Expr Pat     e matches p ; what follows (`==> e`, `&& e`) is a Binary around it
	BigAnd       // Expr*     &&& a &&& b
	BigOr        // Expr*     ||| a ||| b

	kindCount
)

// Field is the role that a node plays in its parent.
type Field uint8

const (
	_ Field = iota
	FAttr
	FItem
	FVis
	FPublish
	FModifier
	FMode
	FName
	FAlias
	FGenerics
	FParams
	FParam
	FRet
	FWhere
	FPred
	FClause
	FBody
	FFields
	FVariant
	FFieldDecl
	FType
	FValue
	FBounds
	FBound
	FTrait
	FSelfType
	FTree
	FPath
	FTarget
	FArgs
	FArg
	FPat
	FExpr
	FWhen
	FVia
	FDefault
	FBinder
	FQSelf
	FSegment
	FGenericArgs
	FParenArgs
	FLifetime
	FLen
	FLo
	FHi
	FInit
	FElse
	FStmt
	FLabel
	FCond
	FThen
	FArm
	FGuard
	FCallee
	FReceiver
	FIndex
	FLhs
	FRhs
	FFieldInit
	FBase
	FProver
	FImplies
	fieldCount
)

// ClauseKind says which clause of a contract or loop a Clause node is.
type ClauseKind uint8

const (
	_ ClauseKind = iota
	Requires
	Recommends
	Ensures
	DefaultEnsures
	Returns
	Decreases
	OpensInvariants
	NoUnwind
	Invariant
	InvariantExceptBreak
	InvariantEnsures
	With
	Atomically
	ByProver
)

// String is the keyword.
func (k ClauseKind) String() string {
	if int(k) < len(clauseNames) {
		return clauseNames[k]
	}
	return "?"
}

var clauseNames = [...]string{"?", "requires", "recommends", "ensures", "default_ensures", "returns", "decreases", "opens_invariants",
	"no_unwind", "invariant", "invariant_except_break", "invariant_ensures", "with", "atomically", "by"}

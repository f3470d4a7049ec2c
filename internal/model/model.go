// Package model indexes one tree of Rust and Verus sources: crates, modules, functions with their contracts, types and other
// items, what names resolve to, and the places where something is believed without proof.
//
// A Model is built from the files that a change touches. Further files are parsed only when a name, a method, a trait or a spec
// function in a file already read leads there.
package model

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// Tree is what a Model reads. Answers must not change while the Model is in use.
type Tree interface {
	// Paths of all files of the tree, sorted, relative to its root, with '/'.
	Paths() []string
	// Read returns the bytes of a file.
	Read(path string) ([]byte, error)
	// Parse returns the syntax tree of a file; asked twice for one path, it returns the same File.
	Parse(path string) (*syntax.File, error)
	// Mentions returns the paths, sorted, of the .rs files whose text has one of the words as a whole word.
	Mentions(words ...string) []string
}

// Model is the index of one tree. Its values must not be changed by those who read them.
type Model struct {
	// Crates in the order of their root files.
	Crates []*Crate
	// Files that were read, by path.
	Files []*File
	// Functions of the files that were asked for (New, Load), by file and position. Functions of files that were only reached are
	// found through calls, traits and references.
	Functions []*Function
	// Items of the files that were asked for, by file and position: types, traits, impls, constants, macros, modules, crates.
	Items []*Item
	// Problems are files and places that could not be read or understood. What is said of a file with a problem is incomplete.
	Problems []Problem

	x *index
}

// Problem is a place that the model could not read. Span is empty when the whole file is meant.
type Problem struct {
	File string
	Span source.Span
	Text string
}

// Crate is one compilation unit: a target of a Cargo package, or a loose file that no package owns.
type Crate struct {
	// Name as paths use it (underscores). The file's stem for a loose file.
	Name string
	// Root is the path of the crate's root file.
	Root string
	// Manifest is the path of the Cargo.toml, or empty for a loose file.
	Manifest string
	// OptedIn says that the package's manifest has cargo verus verify it.
	OptedIn bool
	// Built says which of Cargo's commands build the crate. Nothing is known of a loose file.
	Built manifest.Built
	// Key tells crates apart, and does not depend on which others there are as long as libs have names of their own: the name for a
	// lib, "name(bin)" and the like for other targets, the path without .rs for a loose file below other folders than src.
	Key string
}

// File is a source file that was read.
type File struct {
	Path   string
	Syntax *syntax.File
	Crate  *Crate
	// Module is the crate-relative path of the file's module ("stack", "a::b"); empty for a crate's root.
	Module string
	// Orphan says that no crate root reaches the file; Module is then made from its path.
	Orphan bool
	// Unknown are the spans that could not be parsed. They were searched by token for trust sites.
	Unknown []source.Span
}

// FunctionKind says where a function stands.
type FunctionKind uint8

const (
	_ FunctionKind = iota
	FreeFunction
	InherentMethod
	TraitMethod        // declared in a trait, with or without a default body
	TraitImplMethod    // in `impl Trait for T`
	NestedFunction     // inside the body of another function
	AssumeSpecFunction // assume_specification[..], or a function with external_fn_specification: a contract of another function
	ConstFunction      // a const or static that has a contract or a mode
	MacroFunction      // in the output of a macro that is not understood: found by token only
)

// Mode of a function.
type Mode uint8

const (
	_ Mode = iota
	Exec
	Spec
	Proof
	Axiom // `axiom fn`: a proof function without a proof
)

func (m Mode) String() string {
	switch m {
	case Exec:
		return "exec"
	case Spec:
		return "spec"
	case Proof:
		return "proof"
	case Axiom:
		return "axiom"
	}
	return "?"
}

// Publish says who may see the body of a spec function.
type Publish uint8

const (
	_             Publish = iota
	PublishNone           // not a spec function, or private with an open body to its module
	Open                  // open, open(crate), open(in ..): see Function.PublishText
	Closed                // closed
	Uninterpreted         // uninterp, or a spec function without a body
)

// Function is a function of the tree, or a constant that has a contract.
type Function struct {
	// Symbol is the crate-relative Rust path with the impl's type and trait: "stack::Stack::push", "<User as Ident>::ident",
	// "outer::inner". A second function of the same path in one crate (a cfg variant) ends in "#2", a third in "#3".
	Symbol string
	// Path is Symbol without the number: functions of one crate with the same Path are variants of each other. For an
	// AssumeSpecFunction, whose Symbol is that of its target, it is "assume_specification[" + target + "]".
	Path string
	// Name is the last part of the path.
	Name string
	// Crate and File that hold the function.
	Crate *Crate
	File  *File
	// Module is the crate-relative module path.
	Module string
	// Node is Fn, AssumeSpecification, Const or Static.
	Node syntax.Node
	Span source.Span
	// NameSpan is where the name stands: the place for a finding about the function as a whole.
	NameSpan source.Span
	Kind     FunctionKind
	Mode     Mode
	Publish  Publish
	// PublishText is the publish state as written: "open(crate)"; empty if none.
	PublishText string
	// Verified tells whether the verifier looks at the function at all: inside verus!{}, or opted in by attribute, and not external.
	Verified bool
	// BodyVerified is Verified, has a body, and the body is not trusted (external_body, axiom).
	BodyVerified bool
	HasBody      bool
	Unsafe       bool // unsafe fn
	Public       bool // pub without restriction, in itself: not whether it can be reached
	// Cfg are the canonical cfg conditions of the function and of the modules and impls around it, in order.
	Cfg []string
	// Self is the canonical self type and Trait the canonical trait of the impl or trait around the function; empty if none.
	Self, Trait string
	// Target is the canonical path whose contract an AssumeSpecFunction states. OwnTarget says that it is defined in this tree.
	Target    string
	OwnTarget bool

	Params []Param
	// Result is the name of the result in the contract ("r"), the pattern if it is not a name, empty if none; ResultType its
	// canonical type, empty if there is none.
	Result, ResultType string
	// ResultPattern is the pattern that Result is the text of; not valid if there is none.
	ResultPattern syntax.Node
	// Generics are the names of the generic parameters of the impl or trait around the function and of its own, in order.
	Generics []string
	// Terms are what the signature asks and gives beside types and clauses. Around is the impl or trait around the function; nil: none.
	Terms  []Term
	Around *Item
	// Signature is the canonical signature without contract: visibility, qualifiers, mode, generics, parameters, result, where.
	Signature string
	// Attrs are the canonical attributes that are no contract (docs left out), outer and inner, in order.
	Attrs []string
	// Exec is the canonical text of the executable projection (syntax.Exec); empty for ghost functions.
	Exec string
	// Body is the canonical text of the whole body, proof code included; empty if there is none. For a spec function it is its
	// definition.
	Body string
	// ExecRefs and GhostRefs are what the names in executable code and in ghost code (contract, proofs, spec bodies) resolve to:
	// free paths only, each once, sorted. Equal text with other Refs means other code.
	ExecRefs, GhostRefs []Ref

	// Own are the clauses written at the function, in order; Inherited those of the trait method that a TraitImplMethod
	// implements (in the impl's words: Self and the trait's parameters stand as written in the trait).
	Own, Inherited []Clause
	// TraitMethod is the method that this one implements, when it is in the tree.
	TraitMethod *Function

	Loops []Loop
	// Sites are the trust sites in or at the function, and those of scopes around it that hold for it (Site.Scope).
	Sites []Site
	// Calls out of the function, in order of position.
	Calls []Call
	// UnsafeBlocks is the number of unsafe blocks in the body.
	UnsafeBlocks int
	// Atomics are canonical texts of operations on atomics and of atomic types named in executable code, sorted, repeated as often
	// as they occur.
	Atomics []string
	// Knobs are the canonical attributes that change only the cost of the proof: rlimit, spinoff_prover, loop_isolation, ...
	Knobs []string
	// Unknown are spans inside the function that could not be parsed: what is said of it is incomplete.
	Unknown []source.Span
	// Outer is the function that holds a NestedFunction.
	Outer *Function

	info *fnInfo
}

// Contract returns all clauses that hold for the function: inherited ones first.
func (f *Function) Contract() []Clause {
	if len(f.Inherited) == 0 {
		return f.Own
	}
	all := make([]Clause, 0, len(f.Inherited)+len(f.Own))
	return append(append(all, f.Inherited...), f.Own...)
}

// DecreasesWhen is the condition under which a function's decreases clause, and so its definition, holds; empty if there is none.
func (f *Function) DecreasesWhen() string {
	for _, c := range f.Own {
		if c.Kind == syntax.Decreases && c.When != "" {
			return c.When
		}
	}
	return ""
}

// TypeInvariant tells a function that is the invariant of a type.
func (f *Function) TypeInvariant() bool {
	return slices.ContainsFunc(f.Attrs, func(a string) bool { return strings.Contains(a, "type_invariant") })
}

// Substitute is what an executable function means in specifications, as its attribute says; empty: what it is.
func (f *Function) Substitute() string {
	for _, s := range f.Sites {
		if s.Kind == SpecSubstitute {
			return s.Text
		}
	}
	return ""
}

// Param is a parameter. Name is empty when the pattern is not a plain name; "self" for a receiver.
type Param struct {
	Name string
	// Type is canonical: "&mut Self" for a `&mut self` receiver.
	Type string
	// Pattern is the canonical pattern.
	Pattern string
	// Ghost tells a parameter that is erased: Ghost(..), Tracked(..), or any of a ghost function.
	Ghost bool
	// MutRef tells a parameter of a `&mut` type.
	MutRef bool
	Node   syntax.Node
}

// Clause is one expression of a contract.
type Clause struct {
	Kind syntax.ClauseKind
	// Text is canonical (syntax.Canon). For opens_invariants it is the set as written, for no_unwind its condition or "".
	Text string
	// Node is the expression, or the Clause node where there is no expression.
	Node syntax.Node
	Span source.Span
	File *File
	// When and Via are the canonical `when` and `via` parts of a decreases, recommends or no_unwind; empty if none.
	When, Via string
}

// Loop is a loop in the body of a function.
type Loop struct {
	Node         syntax.Node
	Span         source.Span
	HasDecreases bool
	// Ghost tells a loop in ghost code.
	Ghost   bool
	Clauses []Clause
}

// SiteKind is what is believed without proof. String gives the word that the rules use.
type SiteKind uint8

const (
	_ SiteKind = iota
	Assume
	Admit
	ExternalBody
	External
	AssumeSpecification // assume_specification, external_fn_specification
	AxiomSite           // axiom fn, proof fn without body or with external_body
	Uninterp
	ExternalType // external_type_specification; external_body on a type
	ExternalTrait
	ExternalDerive
	UnsafeAutoTrait
	NoDecreases // exec_allows_no_decreases_clause
	AssumeTermination
	InlineAir
	UndeclaredExternals
	CfgDivergence
	SpecSubstitute // when_used_as_spec, allow_in_spec
	Fabricated     // Tracked::assume_new() and its like
	Layout         // global size_of, global layout: a size that the verifier believes
	MacroInternal  // verus's internal attributes and macros written by hand
	siteKindCount
)

var siteNames = [siteKindCount]string{"?", "assume", "admit", "external-body", "external", "assume-specification", "axiom",
	"uninterpreted", "external-type", "external-trait", "external-derive", "unsafe-auto-trait", "no-decreases",
	"assume-termination", "inline-air", "undeclared-externals", "cfg-divergence", "spec-substitute", "fabricated", "layout",
	"macro-internal"}

func (k SiteKind) String() string {
	if k < siteKindCount {
		return siteNames[k]
	}
	return siteNames[0]
}

// Site is a trust site.
type Site struct {
	Kind SiteKind
	File *File
	Span source.Span
	// Text is canonical: the assumed expression with its call, or the attribute. It does not depend on layout.
	Text string
	// Of is what is described, of a description of something from outside: its symbol as in Ref.To; empty for other sites.
	Of string
	// Scope is the symbol of the module, impl, trait, crate or macro where the site is written, when that is not the function or
	// item that carries it. Such sites are counted once, at the scope.
	Scope string
	// Macro is the name of the macro whose definition or input holds the site; empty if none.
	Macro string
	// Uncertain says that the site was found by token in code that is not understood.
	Uncertain bool
}

// Ref is a name in a function's code and what it means.
type Ref struct {
	// Written is the path as written, without generic arguments: "compute", "a::compute".
	Written string
	// To is the definition that it resolves to, re-exports followed: "crate_name::a::compute", "core::mem::swap". Names that
	// cannot be resolved keep their own text behind "?".
	To string
	// Macro says that the path is the name of a macro.
	Macro bool
	// Target is the text of the definition's expansion or value, when it is inlined into the function: macro_rules, const, static.
	Target *Item
	// Pattern says that the path stands in a pattern, where a plain name that means nothing would be bound to whatever is there.
	Pattern bool
}

// Call is one call in a function.
type Call struct {
	// To is as in Ref; for a method call "." and its name.
	To string
	// Callees are the functions of this tree that may be meant: one for a path, all methods of that name for a method call
	// whose receiver's type is not plain.
	Callees []*Function
	Ghost   bool
	// Spec says that the call stands where only specification code may stand: in a clause, an assertion or a quantifier.
	Spec   bool
	Method bool
	Node   syntax.Node
	Span   source.Span
}

// ItemKind says what an Item is.
type ItemKind uint8

const (
	_ ItemKind = iota
	StructItem
	EnumItem
	UnionItem
	TraitItem
	ImplItem
	ConstItem
	StaticItem
	TypeAliasItem
	MacroItem     // macro_rules, macro
	MacroCallItem // a macro called as an item whose input is not understood
	ModuleItem
	CrateItem
	GlobalItem // global size_of, global layout
	BroadcastItem
	ExternItem // extern block, extern crate
)

// Of gives, for a constant of a trait's impl, that impl, and the trait if it is in the tree; nil for other items.
func (m *Model) Of(it *Item) (impl, trait *Item) {
	x := m.x
	x.mu.Lock()
	defer x.mu.Unlock()
	info := x.it[it]
	if info == nil || info.owner == nil || !info.owner.trait.Valid() {
		return nil, nil
	}
	return info.owner.item, x.traitOf(info.owner)
}

// Item is a definition that is not a function.
type Item struct {
	// Symbol is the crate-relative path; for an impl "impl T" or "impl Trait for T" behind its module; "crate" for a crate.
	Symbol string
	// Path is Symbol without the number of a variant.
	Path   string
	Name   string
	Crate  *Crate
	File   *File
	Module string
	Kind   ItemKind
	Node   syntax.Node
	Span   source.Span
	// NameSpan is where the name stands, or the first token.
	NameSpan source.Span
	Verified bool
	// Ghost items have no executable code: ghost and tracked types, spec constants, macros that only wrap proof!.
	Ghost  bool
	Public bool
	Cfg    []string
	// Exec is the canonical executable projection; for an impl its header, for a module empty.
	Exec string
	// Text is the canonical whole; for an impl, trait or module its header.
	Text string
	// ExecRefs and GhostRefs as in Function.
	ExecRefs, GhostRefs []Ref

	Attrs   []string
	Derives []string
	Sites   []Site
	// Generics and Terms of an impl or a trait, as in Function.
	Generics []string
	Terms    []Term
	// Self and Trait of an impl, canonical; Negative tells `impl !Trait for T`, Unsafe `unsafe impl` and `unsafe trait`.
	Self, Trait      string
	Negative, Unsafe bool
	// Sources are the files, in the tree, of a module that a `mod x;` declares; empty for an inline module.
	Sources []string
	// Atomics as in Function, for types.
	Atomics []string
	Unknown []source.Span
}

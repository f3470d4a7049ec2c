// Package pair matches the functions and items of a base tree with those of a head tree and says what changed.
package pair

import (
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// Change says how two sides were matched, and whether anything differs.
type Change uint8

const (
	_ Change = iota
	Added
	Removed
	Changed // same symbol, something differs
	Moved   // another module, file, crate, impl; it may also have changed
	Renamed // another name; it may also have changed
	Same
)

func (c Change) String() string {
	switch c {
	case Added:
		return "added"
	case Removed:
		return "removed"
	case Changed:
		return "changed"
	case Moved:
		return "moved"
	case Renamed:
		return "renamed"
	case Same:
		return "same"
	}
	return "?"
}

// What is a set of parts that differ between base and head. Layout, comments, names of parameters and the order of clauses never count.
type What uint16

const (
	Executable What = 1 << iota // executable projection, or what a name in it resolves to
	Contract                    // clauses, own or inherited
	Body                        // proof code of the body, or the definition of a spec function
	Signature                   // signature without contract
	Attributes                  // attributes other than contract
	Mode                        // exec, spec, proof, axiom
	Publish                     // open, closed, uninterp
	Verified                    // whether the verifier looks at it
	GhostRefs                   // a name in ghost code resolves to another definition
	Sites                       // trust sites
	Cfg                         // cfg conditions
)

// Has tells whether all parts of p are in w.
func (w What) Has(p What) bool { return w&p == p }

// Function is a base function and the head function that it became. One of them may be nil, not both.
type Function struct {
	Base, Head *model.Function
	Change     Change
	What       What
	// Contract compares the clauses; with one side missing, all clauses of the other are Added or Removed.
	Contract ContractDiff
	// SitesAdded are the head's trust sites that the base function does not have (by kind, text and count), SitesRemoved the
	// other way. Sites of a scope (Site.Scope) are compared like the function's own.
	SitesAdded, SitesRemoved []model.Site
	// ExecDetail says in words what differs in the executable code when the text is the same: which name now means what.
	ExecDetail []RefChange
	// GhostDetail is the same for ghost code.
	GhostDetail []RefChange
}

// RefChange is a name that means something else now.
type RefChange struct{ Written, Base, Head string }

// ContractDiff compares contracts by conjunct: `a && b` and `&&&` lists are split, order does not matter, parameters are named as in
// the head.
type ContractDiff struct {
	Added, Removed, Same []Conjunct
}

// Conjunct is a part of a clause: what is left when conjunctions at its top are split.
type Conjunct struct {
	Kind syntax.ClauseKind
	// Text is canonical, with the head's names for parameters, result and renamed definitions.
	Text string
	Node syntax.Node
	// Clause that the conjunct is part of, of the side where it stands (the head's for Same).
	Clause *model.Clause
	// Inherited says that the clause stands at the trait's method.
	Inherited bool
}

// Item is a base item and the head item that it became. One of them may be nil, not both.
type Item struct {
	Base, Head               *model.Item
	Change                   Change
	What                     What
	SitesAdded, SitesRemoved []model.Site
	ExecDetail               []RefChange
}

// Pairs is the result: every function and item of both models is in exactly one pair.
type Pairs struct {
	// Base and Head models.
	Base, Head *model.Model
	// Functions in the order of the head; removed ones last, in the order of the base.
	Functions []*Function
	// Items in the same order.
	Items []*Item

	byBase map[*model.Function]*Function
	byHead map[*model.Function]*Function
}

// OfBase returns the pair of a base function, or nil.
func (p *Pairs) OfBase(f *model.Function) *Function { return p.byBase[f] }

// OfHead returns the pair of a head function, or nil.
func (p *Pairs) OfHead(f *model.Function) *Function { return p.byHead[f] }

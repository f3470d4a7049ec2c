package mutate

// Operator is the kind of edit that makes a mutant.
type Operator uint8

const (
	_          Operator = iota
	Arithmetic          // another operator of + - * / %, a sign dropped
	Relational          // another operator of < <= > >= == !=
	Boundary            // < and <=, > and >= for each other
	Logical             // && and || for each other, or one side alone
	Bitwise             // another operator of & | ^, a ! dropped
	Shift               // << and >> for each other
	Negate              // a condition, or a ! dropped
	Condition           // a condition always true or always false
	Constant            // a literal or constant plus one, minus one, zero; true and false for each other
	Swap                // a variable by another of its type; two arguments, operands or elements for each other
	IndexShift          // the index before or behind
	Delete              // a statement left out
	Return              // another result: a default, an argument, empty, None, Err; at a return, at the end, or at once
	Branches            // then and else for each other
	Jump                // break and continue for each other, or left out
	Turn                // a loop goes round once less or once more
	Skip                // a call that changes a collection left out: push, set, insert, swap, ...
	Field               // another field of the same type
	Cast                // through a narrower type
	RangeEnd            // .. and ..= for each other
	Arm                 // the body of another arm
	Twin                // a method or constant by its counterpart: min and max, first and last, ...
	operatorCount
)

var operatorNames = [operatorCount]string{"?", "arithmetic", "relational", "boundary", "logical", "bitwise", "shift", "negate",
	"condition", "constant", "swap", "index", "delete", "return", "branches", "jump", "turn", "skip", "field", "cast", "range-end",
	"arm", "twin"}

// String is the operator's word in IDs and reports.
func (o Operator) String() string {
	if o < operatorCount {
		return operatorNames[o]
	}
	return operatorNames[0]
}

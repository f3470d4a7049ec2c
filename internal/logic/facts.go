package logic

import (
	"math/big"
	"strings"
)

// Names of the functions that the prover knows something about. Arguments of sequences are views: Seq values.
const (
	FnDiv      = "/"             // Euclidean division, unspecified for a divisor of 0
	FnMod      = "%"             // its remainder
	FnLen      = "Seq::len"      // length of a sequence
	FnAt       = "Seq::index"    // element of a sequence
	FnPush     = "Seq::push"     // one element appended
	FnUpdate   = "Seq::update"   // one element replaced
	FnConcat   = "Seq::add"      // two sequences joined
	FnSubrange = "Seq::subrange" // elements from..to
	FnFilter   = "Seq::filter"   // elements that meet a predicate, in order
	FnEmpty    = "Seq::empty"
	FnLiteral  = "seq!"  // the elements listed
	FnView     = "@"     // view of a value
	FnSome     = "Some?" // is Some: an Option is None otherwise
	FnOk       = "Ok?"   // is Ok: a Result is Err otherwise
	FnCast     = "as "   // followed by an integer type: a cast to it of an integer
)

// facts that hold for a ground term whatever its arguments are. Each is a law of Rust's or Verus's arithmetic, or an axiom or
// lemma of vstd::seq and vstd::seq_lib about the function of that name.
func (s *Space) facts(t *Term) []*Term {
	if t.Op == If && !t.IsBool() && !t.mayBeFloat() {
		c := t.Args[0]
		return []*Term{
			s.Implies(c, s.make(Eq, "", nil, boolType, t, t.Args[1])),
			s.Implies(s.Not(c), s.make(Eq, "", nil, boolType, t, t.Args[2])),
		}
	}
	if t.Op == Mul && len(t.Args) == 2 && t.Args[0].Op != Int {
		a, b := t.Args[0], t.Args[1]
		zero, one := s.Int64(0), s.Int64(1)
		return []*Term{
			s.Implies(s.Or(s.Equal(a, zero), s.Equal(b, zero)), s.Equal(t, zero)),
			s.Implies(s.Equal(a, one), s.Equal(t, b)),
			s.Implies(s.Equal(b, one), s.Equal(t, a)),
			s.Implies(s.And(s.LessEq(zero, a), s.LessEq(zero, b)), s.LessEq(zero, t)),
			s.Implies(s.And(s.LessEq(zero, a), s.LessEq(one, b)), s.LessEq(a, t)),
			s.Implies(s.And(s.LessEq(one, a), s.LessEq(zero, b)), s.LessEq(b, t)),
		}
	}
	if t.Op != App {
		return nil
	}
	zero, one := s.Int64(0), s.Int64(1)
	length := func(seq *Term) *Term { return s.App(FnLen, natType, seq) }
	switch t.Name {
	case FnDiv, FnMod:
		a, d := t.Args[0], t.Args[1]
		if d.Op == Int && d.Val.Sign() > 0 {
			q, r := s.App(FnDiv, intType, a, d), s.App(FnMod, intType, a, d)
			return []*Term{
				s.Equal(a, s.Sum(s.Product(d, q), r)),
				s.LessEq(zero, r),
				s.LessEq(r, s.Int(new(big.Int).Sub(d.Val, big.NewInt(1)))),
			}
		}
		if t.Name == FnMod {
			return []*Term{s.Implies(s.Less(zero, d), s.And(s.LessEq(zero, t), s.Less(t, d)))}
		}
		return []*Term{s.Implies(s.And(s.LessEq(zero, a), s.Less(zero, d)), s.And(s.LessEq(zero, t), s.LessEq(t, a)))}
	case FnLen:
		// vstd: the length of a Vec, a slice or an array is a usize.
		if of := t.Args[0]; of.Op == App && of.Name == FnView && of.Args[0].Type != nil && of.Args[0].Type.Kind == KVec {
			return []*Term{s.LessEq(t, s.Limit("usize", true))}
		}
	case FnPush:
		return []*Term{s.Equal(length(t), s.Sum(length(t.Args[0]), one))}
	case FnUpdate:
		// vstd: update is used within bounds; outside them its value is not specified.
		in := s.And(s.LessEq(zero, t.Args[1]), s.Less(t.Args[1], length(t.Args[0])))
		return []*Term{s.Implies(in, s.Equal(length(t), length(t.Args[0])))}
	case FnConcat:
		return []*Term{s.Equal(length(t), s.Sum(length(t.Args[0]), length(t.Args[1])))}
	case FnEmpty:
		return []*Term{s.Equal(length(t), zero)}
	case FnLiteral:
		return []*Term{s.Equal(length(t), s.Int64(int64(len(t.Args))))}
	case FnSubrange:
		from, to := t.Args[1], t.Args[2]
		in := s.And(s.LessEq(zero, from), s.LessEq(from, to), s.LessEq(to, length(t.Args[0])))
		return []*Term{s.Implies(in, s.Equal(length(t), s.Sub(to, from)))}
	case FnFilter:
		// vstd: filter_lemma, and that a filtered sequence is no longer.
		elem := t.Args[0].Type.Elem()
		i := s.Bound(0, intType)
		at := s.App(FnAt, elem, t, i)
		pred := s.shift(t.Args[1], 1)
		holds := s.App("call", boolType, pred, at)
		if pred.Op == Lambda {
			holds = s.instantiate(pred.Args[0], at)
		}
		in := s.And(s.LessEq(zero, i), s.Less(i, length(t)))
		return []*Term{
			s.LessEq(length(t), length(t.Args[0])),
			s.Quant(Forall, intType, s.Implies(in, holds)),
		}
	}
	if to, ok := strings.CutPrefix(t.Name, FnCast); ok && len(t.Args) == 1 && IntegerType(to) != nil {
		// A cast keeps every value that its type has.
		lo, hi := s.bounds(IntegerType(to))
		var in []*Term
		if lo != nil {
			in = append(in, s.LessEq(lo, t.Args[0]))
		}
		if hi != nil {
			in = append(in, s.LessEq(t.Args[0], hi))
		}
		return []*Term{s.Implies(s.And(in...), s.Equal(t, t.Args[0]))}
	}
	return nil
}

// instantiate puts value, which stands under one binder more than the closure it is given to, in the place of the closure's
// variable. body is the body of a closure that has already been shifted.
func (s *Space) instantiate(body, value *Term) *Term {
	var walk func(t *Term, depth int) *Term
	walk = func(t *Term, depth int) *Term {
		if t.free <= depth {
			return t
		}
		if t.Op == Bound {
			n := t.free - 1
			if n == depth {
				return s.shift(value, depth)
			}
			return s.Bound(n-1, t.Type)
		}
		d := depth
		if t.binds() {
			d++
		}
		args := make([]*Term, len(t.Args))
		for i, a := range t.Args {
			args[i] = walk(a, d)
		}
		return s.rebuild(t, args)
	}
	return walk(body, 0)
}

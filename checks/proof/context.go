package proof

import (
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

// Left is a function of which is not asked whether its proof rests on a contradiction.
type Left struct {
	Function *model.Function
	Why      string
}

// Contexts are the functions of head of which the verifier is to be asked whether their proof rests on a contradiction: those that changed and that
// it proves. left are those of them where the answer would say nothing.
func Contexts(in *checks.Input) (ask []*model.Function, left []Left) {
	if in.Proof == nil || in.Proof.Head == nil {
		return nil, nil
	}
	for _, p := range in.Pairs.Functions {
		if p.Head == nil || !provesBody(in.Proof.Head, p.Head) || p.Base != nil && !reproved(in.Pairs, p) {
			continue
		}
		if why := endless(p.Head); why != "" {
			left = append(left, Left{p.Head, why})
		} else {
			ask = append(ask, p.Head)
		}
	}
	return ask, left
}

// reproved tells that something changed on which the proof of a function's body depends: the function itself, or the contract of one that it calls and
// that is believed. Of those that are proved it is asked by themselves.
func reproved(pairs *pair.Pairs, p *pair.Function) bool {
	return p.What&(pair.Executable|pair.Contract|pair.Body|pair.Signature|pair.Mode|pair.Verified|pair.GhostRefs|pair.Sites) != 0 ||
		slices.ContainsFunc(p.Head.Calls, func(c model.Call) bool {
			return slices.ContainsFunc(c.Callees, func(f *model.Function) bool {
				q := pairs.OfHead(f)
				return q != nil && q.What.Has(pair.Contract) && f.Mode != model.Spec && !f.BodyVerified
			})
		})
}

func provesBody(run *checks.ProofRun, f *model.Function) bool {
	v := run.Functions[f]
	return f.BodyVerified && f.Mode != model.Spec && f.Kind != model.ConstFunction && v != nil && v.Outcome == checks.ProofProved
}

// ContextsInBase are the functions of base of which that is to be asked too: where it is so in head.
func ContextsInBase(in *checks.Input) []*model.Function {
	var out []*model.Function
	for _, p := range inconsistent(in) {
		if p.Base != nil && in.Proof.Base != nil && provesBody(in.Proof.Base, p.Base) && endless(p.Base) == "" {
			out = append(out, p.Base)
		}
	}
	return out
}

// inconsistent are the functions that reach no exit in head, as the verifier proved, and did in base, as far as is known.
func inconsistent(in *checks.Input) []*pair.Function {
	if in.Proof == nil {
		return nil
	}
	var out []*pair.Function
	for _, p := range in.Pairs.Functions {
		a := in.Proof.Asked
		// Where no call is possible nothing is reached, and contract/contradictory-requires tells of it.
		q := obligation.InconsistentContext
		if p.Head != nil && (a.Proved(q, p.Head) && !a.Proved(obligation.Contradictory, p.Head) || a.Void(q, p.Head)) && !a.Proved(q, p.Base) && !a.Void(q, p.Base) {
			out = append(out, p)
		}
	}
	return out
}

// endless says why a function may honestly reach no exit, so that a proof of `false` there shows nothing; empty if there is no such reason.
func endless(f *model.Function) string {
	if f.ResultType == "!" || promisesFalse(f) {
		return "it says itself that it does not return"
	}
	if f.Mode == model.Exec {
		for _, l := range f.Loops {
			// The verifier shows that a `for` ends without being told how.
			if !l.Ghost && !l.HasDecreases && l.Node.Kind() != syntax.For {
				return "a loop in it has no decreases clause, so that nothing shows that it ends"
			}
		}
		if stops(f, f.Node.Get(syntax.FBody)) {
			return "as it is written, it always comes to a call that does not return"
		}
	}
	if f.Kind == model.TraitImplMethod && f.Mode == model.Proof {
		// For a type of which a case of the trait's lemma cannot occur, the lemma is proved from that.
		return "it is a lemma that a trait asks for, which may have no case for this type"
	}
	return ""
}

// promisesFalse tells a contract whose promise is the literal `false`.
func promisesFalse(f *model.Function) bool {
	return slices.ContainsFunc(f.Contract(), func(c model.Clause) bool { return c.Kind == syntax.Ensures && c.Text == "false" })
}

// The macros that end the program. Where the verifier is told to allow that, a call of one is as good as an exit.
var ending = map[string]bool{"panic": true, "todo": true, "unimplemented": true, "unreachable": true, "vpanic": true}

// stops tells executable code that, whatever way it takes, comes to a call that does not return before it comes to its end or leaves the function.
// What it does not know may go on.
func stops(f *model.Function, n syntax.Node) bool {
	all := func(field syntax.Field) bool {
		found := false
		for c := range n.All(field) {
			found = found || stops(f, c)
		}
		return found
	}
	switch n.Kind() {
	case syntax.Block:
		for s := range n.All(syntax.FStmt) {
			if stops(f, s) {
				return true
			}
			if leaves(s) {
				return false
			}
		}
		return false
	case syntax.ExprStmt, syntax.Paren, syntax.AttrExpr, syntax.Unary, syntax.Ref, syntax.Cast, syntax.FieldExpr:
		return stops(f, n.Get(syntax.FExpr))
	case syntax.Let:
		return stops(f, n.Get(syntax.FInit))
	case syntax.Binary, syntax.Assign:
		return stops(f, n.Get(syntax.FLhs)) || n.Op() != syntax.AndAnd && n.Op() != syntax.OrOr && stops(f, n.Get(syntax.FRhs))
	case syntax.If:
		return stops(f, n.Get(syntax.FCond)) || n.Get(syntax.FElse).Valid() && stops(f, n.Get(syntax.FThen)) && stops(f, n.Get(syntax.FElse))
	case syntax.Match:
		if stops(f, n.Get(syntax.FExpr)) {
			return true
		}
		for a := range n.All(syntax.FArm) {
			if !stops(f, a.Get(syntax.FBody)) {
				return false
			}
		}
		return true // without arms too: there is no value to match
	case syntax.Args, syntax.Tuple, syntax.Array:
		return all(syntax.FExpr)
	case syntax.Call, syntax.MethodCall:
		if stops(f, n.Get(syntax.FReceiver)) || stops(f, n.Get(syntax.FArgs)) {
			return true
		}
		return slices.ContainsFunc(f.Calls, func(c model.Call) bool { return !c.Ghost && c.Span == n.Span() && neverReturns(c) })
	case syntax.MacroCall:
		path := n.Get(syntax.FPath).Text()
		return ending[path[strings.LastIndexByte(path, ':')+1:]]
	}
	return false
}

// leaves tells that a statement may leave the function, so that what is behind it need not be reached.
func leaves(n syntax.Node) bool {
	found := false
	n.Walk(func(x syntax.Node) bool {
		switch x.Kind() {
		case syntax.Closure, syntax.Fn, syntax.ProofBlock:
			return false
		case syntax.Return, syntax.Try:
			found = true
		}
		return !found
	})
	return found
}

// neverReturns tells a call of a function that says that it does not return.
func neverReturns(c model.Call) bool {
	for _, f := range c.Callees {
		if f.ResultType != "!" && !promisesFalse(f) {
			return false
		}
	}
	if len(c.Callees) > 0 {
		return true
	}
	switch strings.TrimPrefix(strings.TrimPrefix(c.To, "core::"), "std::") {
	case "process::exit", "process::abort", "intrinsics::abort", "hint::unreachable_unchecked", "panic::panic_any":
		return true
	}
	return false
}

func inconsistentContext(p *checks.Pass) {
	for _, pr := range inconsistent(p.Input) {
		f := at(p, pr.Head)
		f.Message = "The verifier proves `false` at every exit of this body: its proof rests on a contradiction, and would go through whatever the function did and promised."
		f.Change = "inconsistent context"
		var detail []string
		if p.Proof.Asked.Void(obligation.InconsistentContext, pr.Head) {
			f.Message = "The verifier proves `false` in this module from nothing but what the module believes: every proof in it would go through, whatever the functions did and promised."
		} else if requires(pr.Head) {
			detail = append(detail, "Its own requires may be a part of the contradiction, although they alone were not shown to exclude every call.")
			if pr.Head.Mode == model.Proof {
				f.Severity = policy.Warning // a lemma for no case at all does no harm by itself
			}
		}
		var sites []string
		for _, s := range pr.Head.Sites {
			sites = append(sites, "`"+line(s.Text)+"`")
		}
		for _, r := range p.Pairs.Head.Trusted(pr.Head) {
			sites = append(sites, "`"+line(r.Site.Text)+"` in "+r.Via[len(r.Via)-1].Symbol)
		}
		if len(sites) > 0 {
			detail = append(detail, "Believed without proof in what it rests on: "+strings.Join(sites[:min(len(sites), 5)], ", ")+".")
		}
		f.Detail = strings.Join(detail, "\n")
		p.Report(f)
	}
}

func requires(f *model.Function) bool {
	return slices.ContainsFunc(f.Contract(), func(c model.Clause) bool { return c.Kind == syntax.Requires && c.Node.Kind() != syntax.Clause })
}

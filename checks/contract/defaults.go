package contract

import (
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/logic"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

// defaults compares what the default body of a trait's method owes on both sides: kept tells that head's contract still says all that base's did, notMore that
// base's said all that head's does. The text, or a proof, shows it.
func (c *comparer) defaults(f *pair.Function) (kept, notMore bool) {
	gone, come := len(texts(f.Contract.Removed, syntax.DefaultEnsures)), len(texts(f.Contract.Added, syntax.DefaultEnsures))
	if gone+come == 0 || typesChanged(f) {
		return true, true
	}
	s := logic.NewSpace()
	s.NoFloats = !c.floats
	b, h := c.formulas(s, c.base, f.Base), c.formulas(s, c.head, f.Head)
	prover, done := c.prover(s, either(h.names, b.names))
	defer done()
	follows := func(from, to *formulas) bool {
		given := slices.Concat(from.requires, from.ensures, from.defaults)
		return prover.Proves(given, s.And(to.defaults...)) && !s.Overflow
	}
	return gone == 0 || follows(h, b), come == 0 || follows(b, h)
}

// hasDefault tells a method of a trait with a body that implementations may leave as it is.
func hasDefault(f *model.Function) bool { return f.Kind == model.TraitMethod && f.HasBody }

func defaultsWeakened(p *checks.Pass) {
	c := of(p.Input)
	for _, f := range contracts(p) {
		if !hasDefault(f.Base) || !hasDefault(f.Head) {
			continue
		}
		kept, _ := c.defaults(f)
		gone := slices.DeleteFunc(texts(f.Contract.Removed, syntax.DefaultEnsures), func(t string) bool {
			return slices.Contains(texts(f.Contract.Added, syntax.Ensures, syntax.Returns), t)
		})
		if kept || len(gone) == 0 {
			continue
		}
		report(p, f, "In the trait: the default body owes less than before: no longer promised is "+quoteAll(gone)+
			". specgate cannot show that it follows from what is left, and callers of every type that leaves the method as it is relied on it.", syntax.DefaultEnsures)
	}
}

// defaultsBelieved reports what a default body that nobody checks owes beyond what it did.
func defaultsBelieved(p *checks.Pass) {
	c := of(p.Input)
	for _, f := range contracts(p) {
		if !hasDefault(f.Head) || f.Head.BodyVerified {
			continue
		}
		if _, notMore := c.defaults(f); notMore {
			continue
		}
		out := finding(f, "The default body promises more than before: "+quoteAll(texts(f.Contract.Added, syntax.DefaultEnsures))+". "+moreBelieved, nil, syntax.DefaultEnsures)
		out.Severity = policy.Error
		p.Report(out)
	}
}

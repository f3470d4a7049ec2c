package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

// contracts are the pairs whose contract a verifier looks at, on both sides.
func contracts(p *checks.Pass) []*pair.Function { return contractsOf(p.Input) }

func contractsOf(in *checks.Input) []*pair.Function {
	var out []*pair.Function
	for _, f := range in.Pairs.Functions {
		if compared(f) {
			out = append(out, f)
		}
	}
	return out
}

func compared(f *pair.Function) bool {
	return f.Base != nil && f.Head != nil && f.Base.Mode != model.Spec && f.Head.Mode != model.Spec && said(f.Base, f.Head)
}

// said tells whether one of the functions has a contract that counts. One that left verification has none: trust/left-verification
// says so.
func said(base, head *model.Function) bool {
	return base.Verified && head.Verified && (len(base.Contract()) > 0 || len(head.Contract()) > 0)
}

// own tells whether the difference stands at the function itself and not only at the trait's method that it implements.
func own(f *pair.Function) bool {
	anyway := otherTrait(f)
	for _, list := range [][]pair.Conjunct{f.Contract.Added, f.Contract.Removed} {
		for _, j := range list {
			if meaningful(j.Kind) && (!j.Inherited || anyway) {
				return true
			}
		}
	}
	return false
}

// otherTrait tells that the function implements another trait's method than before, or none any more, or one now.
func otherTrait(f *pair.Function) bool {
	b, h := f.Base.TraitMethod, f.Head.TraitMethod
	if b == nil || h == nil {
		return b != h
	}
	return b.Symbol != h.Symbol
}

// textSame tells that the clauses are as they were, and what differs is what they mean: spec-definition rules report that.
func textSame(f *pair.Function) bool {
	for _, list := range [][]pair.Conjunct{f.Contract.Added, f.Contract.Removed} {
		for _, j := range list {
			if meaningful(j.Kind) {
				return false
			}
		}
	}
	return true
}

// mine tells that what differs is not the contract of the trait's method alone, which is reported there.
func mine(f *pair.Function) bool { return textSame(f) || own(f) }

// isTrait tells a method of a trait: its contract binds every implementation and every caller through the trait.
func isTrait(f *pair.Function) bool { return f.Head.Kind == model.TraitMethod }

// texts of the conjuncts of some kinds.
func texts(list []pair.Conjunct, kinds ...syntax.ClauseKind) []string {
	var out []string
	for _, j := range list {
		if slices.Contains(kinds, j.Kind) && j.Text != "" {
			out = append(out, j.Text)
		}
	}
	return out
}

func quoteAll(list []string) string {
	var out []string
	for i, t := range list {
		if i == 3 {
			out = append(out, fmt.Sprintf("and %d more", len(list)-3))
			break
		}
		out = append(out, "`"+shorten(t)+"`")
	}
	return strings.Join(out, ", ")
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:117]) + "..."
	}
	return s
}

// ghostBelief tells an axiom and its like: what it takes and gives is believed, also where it has no clauses.
func ghostBelief(f *pair.Function) bool {
	return f.Base.Verified && f.Head.Verified && believed(f.Base) && believed(f.Head) && f.Head.Mode != model.Exec
}

const moreBelieved = "Nobody checks the promise: the verifier believes this contract, so more is believed now."

// believed tells a contract that no body is checked against. A trait's is that of every implementation, unless the trait is one of foreign code.
func believed(f *model.Function) bool {
	if f.Kind == model.TraitMethod {
		return slices.ContainsFunc(f.Sites, func(s model.Site) bool { return s.Kind == model.ExternalTrait })
	}
	return f.Mode != model.Spec && !f.BodyVerified
}

// reportMore reports a contract that says more than base's, which is an error where it is believed.
func reportMore(p *checks.Pass, f *pair.Function, message string, kinds ...syntax.ClauseKind) {
	out := finding(f, message, nil, kinds...)
	if believed(f.Head) {
		out.Message += " " + moreBelieved
		out.Severity = policy.Error
	}
	p.Report(out)
}

// report fills in the place and the difference of some clause kinds, and reports.
func report(p *checks.Pass, f *pair.Function, message string, kinds ...syntax.ClauseKind) {
	p.Report(finding(f, message, nil, kinds...))
}

// add puts lines behind the detail of a finding.
func add(f checks.Finding, lines ...string) checks.Finding {
	if f.Detail != "" {
		lines = append([]string{f.Detail}, lines...)
	}
	f.Detail = strings.Join(lines, "\n")
	return f
}

// byVerifier is the detail of what the verifier had to show.
const byVerifier = "Proved by the verifier."

// finding at the clauses of some kinds that changed.
func finding(f *pair.Function, message string, w *checks.Witness, kinds ...syntax.ClauseKind) checks.Finding {
	out := checks.AtFunction(f)
	added, removed := texts(f.Contract.Added, kinds...), texts(f.Contract.Removed, kinds...)
	for _, j := range f.Contract.Added {
		if slices.Contains(kinds, j.Kind) && j.Clause != nil && !j.Inherited {
			out = out.At(j.Clause.File.Syntax.Source, j.Clause.Span)
			break
		}
	}
	for _, j := range f.Contract.Removed {
		if slices.Contains(kinds, j.Kind) && j.Clause != nil && !j.Inherited {
			out = out.From(j.Clause.File.Syntax.Source, j.Clause.Span)
			break
		}
	}
	out.Change = strings.Join(added, "\n") + "\x00" + strings.Join(removed, "\n")
	out.Message, out.Witness = message, w
	var detail []string
	if len(removed) > 0 {
		detail = append(detail, "Gone: "+strings.Join(removed, "; "))
	}
	if len(added) > 0 {
		detail = append(detail, "New: "+strings.Join(added, "; "))
	}
	out.Detail = strings.Join(detail, "\n")
	return out
}

// because says how sure a verdict is, and shows the case that decided it.
func because(w *checks.Witness, sure, otherwise string) string {
	if w == nil {
		return otherwise
	}
	var text string
	switch {
	case w.Wrong == "":
		text = shorten(w.Input)
	case w.Input == "":
		text = "the outcome " + shorten(w.Wrong)
	default:
		text = "given " + shorten(w.Input) + ", the outcome " + shorten(w.Wrong)
	}
	return fmt.Sprintf(sure, text)
}

func requiresStrengthened(p *checks.Pass) {
	termsOwed(p)
	c := of(p.Input)
	for _, f := range contracts(p) {
		if textSame(f) || !own(f) || isTrait(f) {
			continue
		}
		v := c.verdict(f)
		if v.types || v.requires != Stronger && v.lost == nil {
			continue
		}
		p.Report(add(finding(f, lostCalls(f, v), v.lost, syntax.Requires), c.notShown(f, obligation.RequiresNotStronger)...))
	}
}

func lostCalls(f *pair.Function, v *verdict) string {
	added := texts(f.Contract.Added, syntax.Requires)
	m := "The precondition asks for more"
	if len(added) > 0 {
		m += ": " + quoteAll(added)
	}
	return m + ". " + because(v.lost, "For example, the call with %s was covered by the contract and is not any more.", "Calls that base covered are not covered any more.")
}

func requiresWeakened(p *checks.Pass) {
	termsWaived(p)
	c := of(p.Input)
	for _, f := range contracts(p) {
		if textSame(f) || !own(f) {
			continue
		}
		if v := c.verdict(f); !v.types && v.requires == Weaker && v.lost == nil {
			removed := texts(f.Contract.Removed, syntax.Requires)
			m := "The precondition asks for less, so more calls are covered"
			if len(removed) > 0 {
				m += ": gone is " + quoteAll(removed)
			}
			reportMore(p, f, m+".", syntax.Requires)
		}
	}
}

// promises of a function: what ensures and returns say.
func promises(f *model.Function) int {
	n := 0
	for _, cl := range f.Contract() {
		if (cl.Kind == syntax.Ensures || cl.Kind == syntax.Returns) && cl.Text != "" {
			n++
		}
	}
	return n
}

// movedTo are the promises of base that head has as clauses of another kind.
func movedTo(f *pair.Function, kind syntax.ClauseKind) []string {
	var out []string
	now := texts(f.Contract.Added, kind)
	for _, t := range texts(f.Contract.Removed, syntax.Ensures, syntax.Returns) {
		if slices.Contains(now, t) {
			out = append(out, t)
		}
	}
	return out
}

// allMoved tells that every promise that is gone is a clause of another kind now.
func allMoved(f *pair.Function) bool {
	gone := len(texts(f.Contract.Removed, syntax.Ensures, syntax.Returns))
	return gone > 0 && len(movedTo(f, syntax.Recommends))+len(movedTo(f, syntax.DefaultEnsures)) >= gone
}

// weakened tells that something base promised is not promised any more.
func weakened(v *verdict) bool {
	return !v.types && (v.ensures == Weaker || v.ensures == Unknown && v.accepted != nil)
}

func ensuresWeakened(p *checks.Pass) {
	termsTaken(p)
	c := of(p.Input)
	for _, f := range contracts(p) {
		if textSame(f) || !own(f) || isTrait(f) || promises(f.Head) == 0 || allMoved(f) {
			continue
		}
		v := c.verdict(f)
		if !weakened(v) {
			continue
		}
		p.Report(add(finding(f, lostPromise(f, v), v.accepted, syntax.Ensures, syntax.Returns), c.notShown(f, obligation.EnsuresNotWeaker)...))
	}
}

func lostPromise(f *pair.Function, v *verdict) string {
	removed := texts(f.Contract.Removed, syntax.Ensures, syntax.Returns)
	m := "The function promises less than before"
	if len(removed) > 0 {
		m += ": no longer promised is " + quoteAll(removed)
	}
	return m + ". " + because(v.accepted, "For example, %s is allowed now and was not.", "specgate cannot show that it follows from what is left.")
}

func ensuresStrengthened(p *checks.Pass) {
	termsGiven(p)
	effectsNarrowed(p)
	defaultsBelieved(p)
	c := of(p.Input)
	for _, f := range contracts(p) {
		if textSame(f) || !own(f) {
			continue
		}
		v := c.verdict(f)
		if v.types || v.ensures != Stronger || v.accepted != nil {
			continue
		}
		added := texts(f.Contract.Added, syntax.Ensures, syntax.Returns)
		m := "The function promises more than before"
		if len(added) > 0 {
			m += ": " + quoteAll(added)
		}
		m += "."
		reportMore(p, f, m, syntax.Ensures, syntax.Returns)
	}
}

func incomparable(p *checks.Pass) {
	c := of(p.Input)
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || f.Base.Mode == model.Spec || f.Head.Mode == model.Spec || !said(f.Base, f.Head) && !ghostBelief(f) {
			continue
		}
		v := c.verdict(f)
		switch {
		case v.types:
			out := finding(f, "A type in the signature changed, so base's contract and this one are about different functions. Compare them by hand.", nil,
				syntax.Requires, syntax.Ensures, syntax.Returns)
			if believed(f.Head) {
				out.Message += " Nobody checks this one: the verifier believes it as it stands."
				out.Severity = policy.Error
				out.Change += "\x00" + f.Head.Signature
			}
			if rest := c.beyondGhost(f); rest != nil && weakened(rest) {
				out.Message = "The contract is another one by its ghost parameters, and whatever these are, it promises less than before. " +
					because(rest.accepted, "For example, %s is allowed now and was not.", "specgate cannot show that what is gone follows from what is left.")
				out.Severity, out.Witness = policy.Error, rest.accepted
			}
			p.Report(out)
		case (v.ensures == Incomparable || v.direction == Incomparable) && !textSame(f) && own(f):
			out := finding(f, "Neither contract follows from the other: something is promised or covered that was not, and something is not that was. "+
				because(v.accepted, "For example, %s is allowed now and was not.", "Compare them by hand."), v.accepted, syntax.Ensures, syntax.Returns)
			if v.accepted != nil || believed(f.Head) {
				out.Severity = policy.Error // a promise is lost, whatever came for it
			}
			p.Report(out)
		}
	}
}

func directionUnknown(p *checks.Pass) {
	c := of(p.Input)
	for _, f := range contracts(p) {
		if textSame(f) || !own(f) {
			continue
		}
		v := c.verdict(f)
		if !undecided(v) {
			continue
		}
		message := "specgate cannot tell whether this contract is as strong as base's: callers may be promised less than before, or asked for more."
		if c.asked != nil {
			message = "Neither a proof nor a case shows whether this contract is as strong as base's: callers may be promised less than before, or asked for more."
		}
		out := add(finding(f, message, nil, syntax.Requires, syntax.Ensures, syntax.Returns), c.notShown(f, checks.Directions()...)...)
		if v.exhausted {
			out = add(out, fmt.Sprintf("Not done: other contracts of this change used up what may be done for one change, %d steps of logic and %d searches for cases. A smaller change, or a verifier, decides more.",
				maxSteps, searches))
		}
		if hasCallers(f) {
			out.Undecided, out.Severity = true, policy.Warning
		}
		p.Report(out)
	}
}

// undecided tells that a contract may promise less or demand more than base's, and nothing shows whether it does.
func undecided(v *verdict) bool {
	promises := v.ensures == Unknown && !weakened(v)
	demands := v.requires == Unknown && v.lost == nil
	return !v.types && (promises || demands)
}

// hasCallers tells a contract that running code relies on from the statement of a lemma, which the verifier proves as it stands.
func hasCallers(f *pair.Function) bool { return f.Head.Mode == model.Exec }

func ensuresRemoved(p *checks.Pass) {
	for _, f := range contracts(p) {
		if isTrait(f) || !own(f) || promises(f.Base) == 0 || promises(f.Head) > 0 || allMoved(f) {
			continue
		}
		report(p, f, fmt.Sprintf("All promises are gone: %s. Callers can rely on nothing that this function does, and its proof shows nothing.",
			quoteAll(texts(f.Contract.Removed, syntax.Ensures, syntax.Returns))), syntax.Ensures, syntax.Returns)
	}
}

func traitContractWeakened(p *checks.Pass) {
	traitsAskLess(p)
	defaultsWeakened(p)
	c := of(p.Input)
	for _, f := range contracts(p) {
		if !isTrait(f) || textSame(f) || allMoved(f) {
			continue
		}
		v := c.verdict(f)
		switch {
		case promises(f.Base) > 0 && promises(f.Head) == 0:
			report(p, f, "The trait's method promises nothing any more. Every implementation may do as it likes, and callers through the trait can rely on nothing.",
				syntax.Ensures, syntax.Returns)
		case weakened(v) || v.ensures == Incomparable && !v.types:
			p.Report(add(finding(f, "In the trait: "+lower(lostPromise(f, v))+" This holds for every implementation and every caller through the trait.", v.accepted,
				syntax.Ensures, syntax.Returns), c.notShown(f, obligation.EnsuresNotWeaker)...))
		case !v.types && (v.requires == Stronger || v.lost != nil):
			p.Report(add(finding(f, "In the trait: "+lower(lostCalls(f, v))+" This holds for every caller through the trait.", v.lost, syntax.Requires),
				c.notShown(f, obligation.RequiresNotStronger)...))
		}
	}
}

// lower has a sentence go on behind a colon.
func lower(sentence string) string { return strings.ToLower(sentence[:1]) + sentence[1:] }

func ensuresToDefault(p *checks.Pass) {
	for _, f := range contracts(p) {
		if moved := movedTo(f, syntax.DefaultEnsures); len(moved) > 0 {
			message := fmt.Sprintf("Promised by the default body alone now: %s. Implementations that replace it owe nothing of that, so callers through the trait cannot rely on it.", quoteAll(moved))
			if !f.Head.HasBody {
				message = fmt.Sprintf("Owed by a default body alone now, and there is none here: %s. No implementation owes it, so callers through the trait cannot rely on it.", quoteAll(moved))
			}
			report(p, f, message,
				syntax.Ensures, syntax.Returns, syntax.DefaultEnsures)
		}
	}
}

func ensuresToRecommends(p *checks.Pass) {
	for _, f := range contracts(p) {
		if moved := movedTo(f, syntax.Recommends); len(moved) > 0 {
			report(p, f, fmt.Sprintf("No longer promised but recommended, which promises nothing: %s. Callers cannot rely on it any more.", quoteAll(moved)),
				syntax.Ensures, syntax.Returns, syntax.Recommends)
		}
	}
}

func contradictoryRequires(p *checks.Pass) {
	c := of(p.Input)
	found := func(f *pair.Function, v *verdict) {
		message := "No call can meet this precondition, so the verifier accepts any body and any promise."
		if demands := clauseTexts(f.Head, syntax.Requires); len(demands) > 1 {
			message = fmt.Sprintf("No call can meet all of %s, so the verifier accepts any body and any promise.", quoteAll(demands))
		}
		out := finding(f, message, nil, syntax.Requires)
		if v.asked.contradictory {
			out = add(out, byVerifier)
		}
		p.Report(out)
	}
	for _, f := range contracts(p) {
		if v := c.verdict(f); f.Head.Mode == model.Exec && mine(f) && v.contradictory {
			found(f, v)
		}
	}
	for _, f := range added(p) {
		if v := c.judged(f.Head); v.contradictory {
			found(f, v)
		}
	}
}

// added are the new executable functions with a contract.
func added(p *checks.Pass) []*pair.Function {
	var out []*pair.Function
	for _, f := range p.Pairs.Functions {
		if f.Base == nil && f.Head.Mode == model.Exec && f.Head.Verified && f.Head.Kind != model.TraitMethod && len(f.Head.Contract()) > 0 {
			out = append(out, f)
		}
	}
	return out
}

func trivialEnsures(p *checks.Pass) {
	c := of(p.Input)
	found := func(f *pair.Function, v *verdict) {
		out := finding(f, "Every result meets this contract: it promises nothing, however green its proof is.", nil, syntax.Ensures, syntax.Returns)
		if v.asked.trivial {
			out = add(out, byVerifier)
		}
		p.Report(out)
	}
	for _, f := range contracts(p) {
		if v := c.verdict(f); mine(f) && v.trivial {
			found(f, v)
		}
	}
	for _, f := range added(p) {
		if v := c.judged(f.Head); v.trivial {
			found(f, v)
		}
	}
}

func resultUnconstrained(p *checks.Pass) {
	const message = "No promise speaks of what the function gives back or changes: any result meets this contract."
	c := of(p.Input)
	for _, f := range contracts(p) {
		if mine(f) && c.verdict(f).unconstrained && f.Head.Mode == model.Exec {
			report(p, f, message, syntax.Ensures, syntax.Returns)
		}
	}
	for _, f := range added(p) {
		if c.judged(f.Head).unconstrained {
			report(p, f, message, syntax.Ensures, syntax.Returns)
		}
	}
}

func clauseRedundant(p *checks.Pass) {
	c := of(p.Input)
	for _, f := range contracts(p) {
		if textSame(f) || !own(f) || c.verdict(f).contradictory || c.verdict(f).trivial {
			continue
		}
		shown, restated := c.redundant(f)
		for _, j := range shown {
			out := checks.AtFunction(f)
			if j.Clause != nil {
				out = out.At(j.Clause.File.Syntax.Source, j.Clause.Span)
			}
			out.Change = j.Kind.String() + " " + j.Text
			out.Message = fmt.Sprintf("The new clause `%s` follows from the others: it adds nothing, though it reads like one more promise.", shorten(j.Text))
			p.Report(out)
		}
		// The verifier was asked of each clause by itself. Two that say the same follow from each other, so at most one of them is to go.
		proved := slices.DeleteFunc(slices.Clone(c.asked.Redundant(f.Head)), func(cl *model.Clause) bool {
			return slices.ContainsFunc(restated, func(j pair.Conjunct) bool {
				return j.Clause != nil && j.Clause.File == cl.File && j.Clause.Span == cl.Span
			})
		})
		if len(shown) == 0 && len(proved) > 0 && !c.vacuous(f.Head) && !c.asked.Proved(obligation.Trivial, f.Head) {
			last := proved[len(proved)-1]
			out := checks.AtFunction(f).At(last.File.Syntax.Source, last.Span)
			out.Change = last.Kind.String() + " " + last.Text
			out.Message = fmt.Sprintf("The new clause `%s` follows from the others: it adds nothing, though it reads like one more promise.", shorten(last.Text))
			out.Detail = byVerifier
			var more []string
			for _, cl := range proved[:len(proved)-1] {
				more = append(more, cl.Text)
			}
			if len(more) > 0 {
				out.Detail = "Proved by the verifier, of each by itself, for " + quoteAll(more) + " too: some may follow from each other."
			}
			p.Report(out)
		}
	}
}

func selfComparison(p *checks.Pass) {
	c := of(p.Input)
	for _, f := range p.Pairs.Functions {
		if f.Head == nil || f.Head.Mode == model.Spec || !f.Head.Verified {
			continue
		}
		for _, j := range f.Contract.Added {
			if j.Kind != syntax.Ensures && j.Kind != syntax.Returns || j.Inherited {
				continue
			}
			text := c.comparesWithItself(f.Head, j)
			if text == "" {
				continue
			}
			out := checks.AtFunction(f)
			if j.Clause != nil {
				out = out.At(j.Clause.File.Syntax.Source, j.Clause.Span)
			}
			out.Change = j.Text
			out.Message = fmt.Sprintf("`%s` compares a value with itself: it is true whatever the function does. Was the old value, or another one, meant?", shorten(text))
			p.Report(out)
		}
	}
}

// specDefinition reports once at each contract, whatever number of its definitions changed that way.
func specDefinition(p *checks.Pass, which Relation) {
	by := map[*pair.Function][]effect{}
	var users []*pair.Function
	for _, e := range of(p.Input).effects() {
		if e.relation != which {
			continue
		}
		if by[e.user] == nil {
			users = append(users, e.user)
		}
		by[e.user] = append(by[e.user], e)
	}
	for _, u := range users {
		first := by[u][0]
		out := checks.AtFunction(u)
		var names, change, detail []string
		given := false // one had no definition
		for _, e := range by[u] {
			given = given || e.given
			names = append(names, e.spec.Head.Symbol)
			change = append(change, e.change())
			detail = append(detail, e.detail())
		}
		out.Change = strings.Join(change, "\x00")
		out.Detail = strings.Join(detail, "\n")
		rest, verb := names[0], first.verb()
		if len(names) > 1 {
			rest, verb = quoteAll(names), "are"+strings.TrimPrefix(verb, "is")
		}
		means := "may mean something else"
		refuted := u.Base != nil && of(p.Input).verdict(u).refuted()
		if refuted || first.contract == Weaker || first.contract == Stronger {
			means = "means something else"
		}
		out.Message = fmt.Sprintf("This contract reads as before and %s: %s, on which it rests, %s now.", means, rest, verb)
		switch first.contract {
		case Weaker:
			out.Message += " The contract as a whole is weaker."
		case Stronger:
			out.Message += " The contract as a whole is stronger."
			if believed(u.Head) && !given {
				out.Message += " " + moreBelieved
				out.Severity = policy.Error
			}
		}
		if given && believed(u.Head) {
			out.Message += " It had no definition, and nobody checks that what is believed of it holds of this one."
			out.Severity = policy.Error
		}
		if u.Base != nil && hasCallers(u) {
			v := of(p.Input).verdict(u)
			if weakened(v) || v.ensures == Incomparable {
				out.Severity = policy.Error // a promise is lost, wherever it was written
				out.Witness = v.accepted
				out.Message += " " + because(v.accepted, "A promise is lost with it: for example, %s is allowed now and was not.", "A promise is lost with it.")
			}
			out.Undecided = undecided(v)
			out = add(out, of(p.Input).notShown(u, checks.Directions()...)...)
		}
		out.More = first.contract != Unknown || refuted || out.Severity != 0 || given
		for _, e := range by[u] {
			c := checks.AtFunction(e.spec)
			c.Change, c.Detail = e.change(), e.detail()
			c.Message = "Contracts that rest on this, or may by the names in them, read as before and may mean something else: it " + e.verb() + " now."
			out.Common = append(out.Common, c)
		}
		p.Report(out)
	}
}

// texts are the two definitions.
func (e *effect) texts() (base, head string) {
	b, h := e.spec.Base.Body, e.spec.Head.Body
	if !isSpec(e.spec.Head) {
		b, h = cmp.Or(e.spec.Base.Substitute(), "itself"), cmp.Or(e.spec.Head.Substitute(), "itself")
	}
	return cmp.Or(b, "no definition"), cmp.Or(h, "no definition")
}

func (e *effect) change() string {
	_, h := e.texts()
	return e.spec.Head.Symbol + "\x00" + h
}

func (e *effect) detail() string {
	b, h := e.texts()
	return fmt.Sprintf("%s in base (%s): %s\n%s in head (%s): %s", e.spec.Base.Name, lineOf(e.spec.Base), shorten(b), e.spec.Head.Name, lineOf(e.spec.Head), shorten(h))
}

// verb says what the definition is now.
func (e *effect) verb() string {
	truth := returnsBool(e.spec.Head) && !ofOperator(e.spec.Head)
	switch {
	case truth && e.relation == Weaker:
		return "is true of more"
	case truth && e.relation == Stronger:
		return "is true of less"
	}
	return "is defined differently"
}

// lineOf is the file and line of a definition.
func lineOf(f *model.Function) string {
	return fmt.Sprintf("%s:%d", f.File.Path, f.File.Syntax.Source.Range(f.Span).Start.Line)
}

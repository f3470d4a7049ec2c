// Package strength has the rules about what contracts rule out: which results that a function never gives they allow nevertheless.
package strength

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/syntax"
)

// at starts a finding at what is to blame of head's contract: the first promise that changed, else the first that speaks of what the function
// gives; where there is none, at the name. A promise that base alone has is where it was.
func at(s *checks.StrengthPair) checks.Finding {
	f := checks.AtFunction(s.Pair)
	h := s.Pair.Head
	if h == nil {
		return f
	}
	if s.Pair.Base != nil {
		for _, c := range s.Pair.Contract.Removed {
			if promised(c.Kind) && c.Clause != nil && !c.Inherited {
				f = f.From(c.Clause.File.Syntax.Source, c.Node.Span())
				break
			}
		}
		for _, c := range s.Pair.Contract.Added {
			if promised(c.Kind) && c.Clause != nil {
				return f.At(c.Clause.File.Syntax.Source, c.Node.Span())
			}
		}
	}
	for _, c := range h.Contract() {
		if c.Kind == syntax.Returns || c.Kind == syntax.Ensures && speaksOf(c.Node, h) {
			return f.At(c.File.Syntax.Source, c.Span)
		}
	}
	return f
}

func promised(k syntax.ClauseKind) bool { return k == syntax.Ensures || k == syntax.Returns }

// speaksOf tells whether a promise is about what a function gives: its result or, where it has none, what was there before the call.
func speaksOf(n syntax.Node, f *model.Function) bool {
	word := f.Result
	if word == "" {
		word = "old"
	}
	found := false
	for t := range n.Tokens() {
		found = found || t.Text() == word
	}
	return found
}

// settled tells that nothing about a function's strength is this change's doing: its executable code is base's, and its contract means the same.
func settled(s *checks.StrengthPair) bool {
	return s.Base != nil && s.Unchanged && len(s.Lost) == 0 && (s.Delta == nil || *s.Delta == 0)
}

// noWeaker tells that the contract is known to rule out as much as base's of the same code.
func noWeaker(s *checks.StrengthPair) bool {
	return s.Base != nil && s.Pair.Base != nil && !s.Pair.What.Has(pair.Executable) && s.Comparable && s.Delta != nil && *s.Delta >= 0
}

// promise is the canonical text of what a contract says, for fingerprints.
func promise(f *model.Function) string {
	if f == nil {
		return ""
	}
	var parts []string
	for _, c := range f.Contract() {
		parts = append(parts, c.Kind.String()+" "+c.Text)
	}
	return strings.Join(parts, "\n")
}

// allows says of a wrong result that the contract allows it, as people would: `max_of([3, 1, 4, 1, 5])` is 5; the contract also allows 14.
func allows(e checks.Escape, now string) string {
	return fmt.Sprintf("%s; %s %s", gives(e), now, e.Wrong)
}

// gives says what a call gives.
func gives(e checks.Escape) string {
	if strings.Contains(e.Result, " = ") { // what mutable references hold after the call
		return fmt.Sprintf("`%s` gives %s", e.Call, e.Result)
	}
	return fmt.Sprintf("`%s` is %s", e.Call, e.Result)
}

func witness(e checks.Escape) *checks.Witness {
	return &checks.Witness{Input: e.Input, Result: e.Result, Wrong: e.Wrong}
}

// more lists further escapes, a line each.
func more(es []checks.Escape, word string) string {
	if len(es) < 2 {
		return ""
	}
	var lines []string
	for _, e := range es[1:] {
		lines = append(lines, allows(e, word))
	}
	return strings.Join(lines, "\n")
}

// value is the strength of a suite, and how many of its spectests are decided; 0, 0 if none is.
func value(s *checks.Spectests) (v float64, decided int) {
	all := s.All()
	if decided = all.Rejected + all.Escaped; decided == 0 {
		return 0, 0
	}
	return float64(all.Rejected) / float64(decided), decided
}

// measured are the functions of which head was measured.
func measured(p *checks.Pass, visit func(s *checks.StrengthPair, head *checks.Spectests)) {
	if p.Strength == nil {
		return
	}
	for _, s := range p.Strength.Functions {
		if s.Head != nil && s.Head.Suite != nil && !p.Done() {
			visit(s, s.Head.Suite)
		}
	}
}

func weak(p *checks.Pass) {
	measured(p, func(s *checks.StrengthPair, head *checks.Spectests) {
		if len(head.Escapes) == 0 || head.Unique || settled(s) {
			return
		}
		v, decided := value(head)
		f := at(s)
		f.Change = promise(s.Pair.Head)
		f.Severity = policy.Warning
		e := head.Escapes[0]
		f.Message = fmt.Sprintf("%s. It rules out %d of %d wrong results (%.2f", allows(e, "the contract also allows"), head.All().Rejected, decided, math.Floor(v*100+1e-9)/100)
		switch {
		case decided < p.Strength.MinSuite:
			f.Message += fmt.Sprintf("; with fewer than %d decided, no strength is told).", p.Strength.MinSuite)
		case v < p.Strength.Min:
			if !noWeaker(s) {
				f.Severity = policy.Error
			}
			f.Message += fmt.Sprintf("; the policy wants %.2f).", p.Strength.Min)
		default:
			f.Message += ")."
		}
		if !falls(p, s) { // which shows them
			f.Detail = more(head.Escapes, "also allowed is")
		}
		if idle := idleClauses(head); idle != "" {
			f.Detail = strings.TrimPrefix(f.Detail+"\n"+idle, "\n")
		}
		f.Witness = witness(e)
		p.Report(f)
	})
}

// idleClauses names the clauses that reject nothing.
func idleClauses(s *checks.Spectests) string {
	var lines []string
	for _, c := range s.Clauses {
		if c.Rejects == 0 && (c.Kind == "ensures" || c.Kind == "returns") {
			lines = append(lines, fmt.Sprintf("Rejects none of them: %s %s", c.Kind, short(c.Text)))
		}
	}
	return strings.Join(lines, "\n")
}

const maxText = 160

func short(s string) string {
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return s
}

// enough tells whether as many spectests are decided on both sides as must be for a strength to be told.
func enough(p *checks.Pass, s *checks.StrengthPair) bool {
	_, base := value(s.Base.Suite)
	_, head := value(s.Head.Suite)
	return min(base, head) >= p.Strength.MinSuite
}

// falls tells whether head's contract excludes less than base's, by more than is allowed.
func falls(p *checks.Pass, s *checks.StrengthPair) bool {
	return s.Comparable && s.Delta != nil && len(s.Lost) > 0 && *s.Delta < 0 && -*s.Delta > p.Strength.MaxDrop
}

func dropped(p *checks.Pass) {
	measured(p, func(s *checks.StrengthPair, head *checks.Spectests) {
		if !falls(p, s) {
			return
		}
		f := at(s)
		f.Change = promise(s.Pair.Base) + "\n" + promise(s.Pair.Head)
		e := s.Lost[0]
		f.Message = fmt.Sprintf("The contract rules out less than base's did: of the same wrong results %s. %s.", share(s), allows(e, "allowed now, and not in base, is"))
		if !enough(p, s) {
			f.Severity = policy.Notice
			f.Message += fmt.Sprintf(" With fewer than %d decided, no strength is told.", p.Strength.MinSuite)
		}
		f.Detail = more(s.Lost, "allowed now, and not in base, is")
		f.Witness = witness(e)
		p.Report(f)
	})
}

// share compares two suites in numbers.
func share(s *checks.StrengthPair) string {
	base, head := s.Base.Suite.All(), s.Head.Suite.All()
	b, h := base.Rejected+base.Escaped, head.Rejected+head.Escaped
	if b == h {
		return fmt.Sprintf("it rejects %d of %d, and base's %d", head.Rejected, h, base.Rejected)
	}
	return fmt.Sprintf("it rejects %d of %d, and base's %d of %d", head.Rejected, h, base.Rejected, b)
}

// maxShown is the most mutants that one finding shows.
const maxShown = 3

func survives(p *checks.Pass) {
	measured(p, func(s *checks.StrengthPair, head *checks.Spectests) {
		if len(head.Survivors) == 0 || settled(s) {
			return
		}
		f := at(s)
		var ids, shown []string
		for _, m := range head.Survivors {
			ids = append(ids, m.ID)
		}
		slices.Sort(ids)
		f.Change = promise(s.Pair.Head) + "\n" + strings.Join(ids, "\n")
		first := head.Survivors[0]
		for i, m := range head.Survivors {
			if i == maxShown {
				shown = append(shown, fmt.Sprintf("and %d more", len(head.Survivors)-maxShown))
				break
			}
			shown = append(shown, fmt.Sprintf("Line %d:\n%s\n%s, and %s with the edit", m.Line, strings.TrimRight(m.Diff, "\n"), gives(m.Witness), m.Witness.Wrong))
		}
		verb := "survive"
		if len(head.Survivors) == 1 {
			verb = "survives"
		}
		f.Message = fmt.Sprintf("%d of %d edits of the body that change what it does %s the contract: with line %d edited, `%s` is %s instead of %s, and all that the edited function gives is allowed.",
			len(head.Survivors), head.Fates.Differing, verb, first.Line, first.Witness.Call, first.Witness.Wrong, first.Witness.Result)
		f.Detail = strings.Join(shown, "\n")
		f.Witness = witness(first.Witness)
		p.Report(f)
	})
}

func unmeasured(p *checks.Pass) {
	if p.Strength == nil {
		return
	}
	for _, s := range p.Strength.Functions {
		why, side := "", s.Head
		switch {
		case side == nil:
			continue
		case side.Unmeasured != "":
			why = side.Unmeasured
		case side.Suite != nil && !side.Suite.Unique:
			v, decided := value(side.Suite)
			all := side.Suite.All()
			total := decided + all.Undecided
			low := float64(all.Rejected) / float64(max(total, 1))
			switch {
			case decided < p.Strength.MinSuite:
				why = fmt.Sprintf("%d of %d spectests are decided, and %d must be", decided, total, p.Strength.MinSuite)
			case v >= p.Strength.Min && low < p.Strength.Min:
				// Else a contract could be hidden behind what nobody can decide.
				why = fmt.Sprintf("%d of %d spectests are undecided, so that its strength may be anything from %.2f on, and the policy wants %.2f", all.Undecided, total,
					math.Floor(low*100+1e-9)/100, p.Strength.Min)
			}
		}
		if why == "" {
			continue
		}
		f := at(s)
		f.Change = why
		f.Message = fmt.Sprintf("How much the contract rules out is not known, and it may be little: %s.", strings.TrimSuffix(why, "."))
		p.Report(f)
	}
}

// broken reports functions that do not keep their contract, and of which nothing says that they were proved to. Of one that is proved the engine
// tells that somebody is wrong, and of one whose contract is believed the rule trust/contract-refuted tells.
func broken(p *checks.Pass) {
	if p.Strength == nil {
		return
	}
	for _, s := range p.Strength.Functions {
		if s.Head == nil || s.Head.Refuted == nil || believed(p, s.Head.Function) || proved(p, s.Head.Function) {
			continue
		}
		r := s.Head.Refuted
		f := at(s)
		f.Change = promise(s.Pair.Head)
		if settled(s) && s.Base.Refuted != nil {
			f.Severity = policy.Warning
		}
		f.Message = gives(r.Escape) + ", which the function's own contract rejects"
		if r.File != nil {
			f = f.At(r.File, r.Span)
			f.Message += ": `" + short(strings.Join(strings.Fields(r.Clause), " ")) + "`"
		}
		f.Message += ". The code is wrong, or the contract is."
		f.Witness = &checks.Witness{Input: r.Input, Result: r.Result}
		p.Report(f)
	}
}

// proved tells whether the verifier proved a function of head.
func proved(p *checks.Pass, f *model.Function) bool {
	if p.Proof == nil || p.Proof.Head == nil {
		return false
	}
	v := p.Proof.Head.Functions[f]
	return v != nil && v.Outcome == checks.ProofProved
}

func void(p *checks.Pass) {
	if p.Strength == nil {
		return
	}
	for _, s := range p.Strength.Functions {
		if s.Head == nil || s.Head.Void == "" {
			continue
		}
		f := at(s)
		f.Change = "void"
		f.Message = fmt.Sprintf("What was found out about the strength of the contract does not count: %s.", s.Head.Void)
		p.Report(f)
	}
}

// believed tells whether the contract of a function, or something that its proof rests on, is believed without proof.
func believed(p *checks.Pass, f *model.Function) bool {
	if f.Kind == model.AssumeSpecFunction || f.HasBody && !f.BodyVerified && f.Verified {
		return true
	}
	for _, site := range f.Sites {
		switch site.Kind {
		case model.Assume, model.Admit, model.ExternalBody, model.AssumeSpecification:
			return true
		}
	}
	for _, m := range []*model.Model{p.Pairs.Head, p.Pairs.Base} {
		if m != nil && slices.Contains(m.Functions, f) {
			return len(m.Trusted(f)) > 0
		}
	}
	return false
}

func refuted(p *checks.Pass) {
	if p.Strength == nil {
		return
	}
	for _, s := range p.Strength.Functions {
		if s.Head == nil || s.Head.Refuted == nil || !believed(p, s.Head.Function) {
			continue
		}
		r := s.Head.Refuted
		f := at(s)
		f.Change = promise(s.Pair.Head)
		f.Message = fmt.Sprintf("The contract is believed without proof, and it is false: %s", gives(r.Escape))
		if r.File != nil {
			f = f.At(r.File, r.Span)
			f.Message += fmt.Sprintf(", which `%s` excludes", short(strings.Join(strings.Fields(r.Clause), " ")))
		}
		f.Message += ". From a false promise everything can be proved."
		f.Witness = &checks.Witness{Input: r.Input, Result: r.Result}
		p.Report(f)
	}
}

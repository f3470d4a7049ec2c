package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// --- visibility of definitions ---

func visibility(p *checks.Pass, opened bool) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || f.Head.Mode != model.Spec || f.Base.Mode != model.Spec {
			continue
		}
		b, h := openness(f.Base), openness(f.Head)
		if b == 0 || h == 0 || b == h || (h > b) != opened {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = f.Base.PublishText + " -> " + f.Head.PublishText
		if opened {
			out.Message = fmt.Sprintf("The definition is visible to more code now (%s, before %s): proofs may rest on it, so it becomes part of the interface.", f.Head.PublishText, f.Base.PublishText)
		} else {
			out.Message = fmt.Sprintf("The definition is visible to less code now (%s, before %s): readers and proofs elsewhere no longer see what contracts that use it mean.", f.Head.PublishText, f.Base.PublishText)
		}
		p.Report(out)
	}
}

// openness ranks who sees a definition; 0: it is not said.
func openness(f *model.Function) int {
	switch {
	case f.Publish == model.Closed:
		return 1
	case f.Publish == model.Open && f.PublishText != "open":
		return 2
	case f.Publish == model.Open:
		return 3
	}
	return 0
}

func madeUninterpreted(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || f.Base.Mode != model.Spec || f.Head.Mode != model.Spec || !defined(f.Base) || defined(f.Head) || f.Head.Kind == model.TraitMethod {
			continue
		}
		out := checks.AtFunction(f)
		out.Change = "uninterpreted"
		out.Message = "The definition is gone: contracts that use this function read as before and say nothing any more, except what axioms say of it."
		out.Detail = "Base: " + shorten(f.Base.Body)
		p.Report(out)
	}
}

// defined tells a spec function that has a meaning.
func defined(f *model.Function) bool {
	if f.Publish == model.Uninterpreted || !f.HasBody {
		return false
	}
	return !slices.ContainsFunc(f.Sites, func(s model.Site) bool {
		return s.Scope == "" && (s.Kind == model.ExternalBody || s.Kind == model.Uninterp)
	})
}

// --- the rest of the contract ---

func clauses(f *model.Function, k syntax.ClauseKind) []model.Clause {
	var out []model.Clause
	for _, c := range f.Contract() {
		if c.Kind == k {
			out = append(out, c)
		}
	}
	return out
}

func decreasesRemoved(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || len(clauses(f.Base, syntax.Decreases)) == 0 || len(clauses(f.Head, syntax.Decreases)) > 0 || !recursive(f.Head) {
			continue
		}
		report(p, f, fmt.Sprintf("The measure %s is gone and the function still calls itself: nothing shows any more that it ends, and one that never ends meets any contract.",
			quoteAll(clauseTexts(f.Base, syntax.Decreases))), syntax.Decreases)
	}
}

// clauseTexts are the texts of a function's clauses of a kind, as they are compared.
func clauseTexts(f *model.Function, k syntax.ClauseKind) []string {
	var out []string
	for _, c := range clauses(f, k) {
		out = append(out, c.Text)
	}
	return out
}

// recursive tells a function that calls itself, directly or through one other.
func recursive(f *model.Function) bool {
	for _, c := range f.Calls {
		for _, g := range c.Callees {
			if g == f {
				return true
			}
			for _, d := range g.Calls {
				if slices.Contains(d.Callees, f) {
					return true
				}
			}
		}
	}
	return false
}

func opensInvariantsWidened(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || f.Head.Mode == model.Spec || !f.Base.Verified || !f.Head.Verified {
			continue
		}
		b, h := opens(f.Base), opens(f.Head)
		if within(h, b) {
			continue
		}
		report(p, f, fmt.Sprintf("The function may open more invariants than before: %s, before %s. Callers that hold one of them open are no longer safe from it.", h.text, b.text), syntax.OpensInvariants)
	}
}

// mask is what opens_invariants allows.
type mask struct {
	any   bool
	names []string
	text  string
}

func opens(f *model.Function) mask {
	cs := clauses(f, syntax.OpensInvariants)
	if len(cs) == 0 {
		if f.Mode == model.Exec {
			return mask{any: true, text: "any"} // the default of executable functions
		}
		return mask{text: "none"}
	}
	t := strings.TrimSpace(cs[len(cs)-1].Text)
	t = strings.TrimSpace(strings.TrimPrefix(t, "opens_invariants"))
	switch {
	case t == "any":
		return mask{any: true, text: "any"}
	case t == "none" || t == "":
		return mask{text: "none"}
	}
	inner := t
	if strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") {
		inner = t[1 : len(t)-1]
	}
	m := mask{text: t}
	depth, from := 0, 0
	for i := 0; i <= len(inner); i++ {
		if i == len(inner) || inner[i] == ',' && depth == 0 {
			if w := strings.TrimSpace(inner[from:i]); w != "" {
				m.names = append(m.names, w)
			}
			from = i + 1
			continue
		}
		switch inner[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	if len(m.names) == 0 {
		m.text = "none"
	}
	return m
}

func within(h, b mask) bool {
	if b.any {
		return true
	}
	if h.any {
		return false
	}
	for _, n := range h.names {
		if !slices.Contains(b.names, n) {
			return false
		}
	}
	return true
}

func noUnwindRemoved(p *checks.Pass) {
	for _, f := range p.Pairs.Functions {
		if f.Base == nil || f.Head == nil || !f.Base.Verified || !f.Head.Verified {
			continue
		}
		b, h := clauses(f.Base, syntax.NoUnwind), clauses(f.Head, syntax.NoUnwind)
		if len(b) == 0 {
			continue
		}
		switch {
		case len(h) == 0:
			report(p, f, "The promise not to unwind is gone: a caller must expect a panic in the middle of its work.", syntax.NoUnwind)
		case condition(b[0]) == "" && condition(h[0]) != "":
			report(p, f, fmt.Sprintf("The promise not to unwind holds only when `%s` now.", shorten(condition(h[0]))), syntax.NoUnwind)
		}
	}
}

func condition(c model.Clause) string {
	if c.When != "" {
		return c.When
	}
	return strings.TrimSpace(strings.TrimPrefix(c.Text, "no_unwind"))
}

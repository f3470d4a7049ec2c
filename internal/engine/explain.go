package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
)

// Explained is what a policy says of a symbol in a file.
type Explained struct {
	File string
	// Rules are all rules, in the order of reports.
	Rules []RuleDecision
}

// RuleDecision is what a policy says about one rule in one place.
type RuleDecision struct {
	Rule string
	policy.Decision
	// Refused says which waiver matches and does not apply in this crate, and why; empty: there is none, or another one applies.
	Refused string
}

// Explain says what a policy makes of a symbol in the tree at a directory: in one file, or, if that is empty, in each that has a function or
// an item of the symbol, in their order. like asks for other symbols whose last name is the same.
func Explain(ctx context.Context, dir string, p *policy.Policy, symbol, file string, today policy.Date) (out []Explained, like string, err error) {
	from, _, done, err := openTree(ctx, dir)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	t, err := newTree(ctx, from, newStore())
	if err != nil {
		return nil, "", err
	}
	paths := t.mayDefine(symbol)
	if t.failed != nil {
		return nil, "", t.failed
	}
	m, err := model.New(ctx, t, paths)
	if err != nil {
		return nil, "", fmt.Errorf("look for %s: %w", symbol, err)
	}
	in := map[string]*model.Crate{}
	for _, i := range m.Items {
		if i.Symbol == symbol || checks.ItemSymbol(i) == symbol {
			in[i.File.Path] = i.Crate
		}
	}
	for _, f := range m.Function(symbol) {
		in[f.File.Path] = f.Crate
	}
	files := []string{file}
	if file == "" {
		files = slices.Sorted(maps.Keys(in))
	}
	var waivers []*policy.Waiver
	for i := range p.Waivers {
		if w := &p.Waivers[i]; w.File == "" && !w.Expired(today) && policy.MatchSymbol(w.Symbol, symbol) {
			waivers = append(waivers, w)
		}
	}
	with, err := t.cratesWith(waivers, 1, false)
	if err != nil {
		return nil, "", err
	}
	apply := crates{}
	for id, keys := range with {
		apply[id] = waiverCrates{base: keys}
	}
	for _, name := range files {
		e := Explained{File: name}
		for _, rule := range RuleInfos() {
			d := RuleDecision{Rule: rule.ID}
			d.Decision = p.Decide(rule, name, symbol, today, func(w *policy.Waiver) bool {
				why := apply.refuses(w, &checks.Finding{Crate: in[name]})
				if why != "" && d.Refused == "" {
					d.Refused = fmt.Sprintf("waiver %s does not apply: %s", w.ID, why)
				}
				return why == ""
			})
			if d.Waived != nil {
				d.Refused = ""
			}
			e.Rules = append(e.Rules, d)
		}
		out = append(out, e)
	}
	return out, didYouMean(sameName(m, symbol)), nil
}

// sameName are the symbols, sorted, of functions and items that have the last name of a symbol. What is given with the crate's name or without its module is among it.
func sameName(m *model.Model, symbol string) []string {
	last := symbol[strings.LastIndex(symbol, ":")+1:]
	out := map[string]bool{}
	for _, f := range m.Functions {
		if f.Name == last {
			out[f.Symbol] = true
		}
	}
	for _, i := range m.Items {
		if i.Name == last {
			out[i.Symbol] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// didYouMean asks for the first of some symbols; empty: there are none.
func didYouMean(like []string) string {
	if len(like) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(like[:min(len(like), 5)], " or ") + "?"
}

// hint says what else a waiver may be meant for, where head has nothing of its symbol; empty: nothing.
func (r *runner) hint(w *policy.Waiver) (string, error) {
	if r.bounded || strings.ContainsAny(w.Symbol, "*[") {
		return "", nil
	}
	m, err := r.head.model(r.ctx, r.head.mayDefine(w.Symbol), r.o.Jobs)
	if err == nil {
		err = r.head.failed
	}
	if err != nil {
		return "", fmt.Errorf("look for what waiver %s is about: %w", w.ID, err)
	}
	like := sameName(m, w.Symbol)
	if slices.Contains(like, w.Symbol) {
		return "", nil
	}
	return didYouMean(like), nil
}

package engine

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// atStart is the place of what is about a file as a whole.
var atStart = source.Range{Start: source.Position{Line: 1, Column: 1}, End: source.Position{Line: 1, Column: 1}}

// crates tells in which crates waivers that name no files apply, by their ids.
type crates map[string]waiverCrates

// waiverCrates are the crates, by their keys, in which base has what a waiver is about, or, where base has none of it, those of head.
type waiverCrates struct {
	base, head []string
}

// refuses says why a waiver, which matches a finding, does not apply to it; empty: it does. Who accepted it knew base: it is not for what
// head adds under the same symbol in another crate, and a symbol without a star is that of one function.
func (c crates) refuses(w *policy.Waiver, finding *checks.Finding) string {
	for _, symbol := range finding.Also {
		if !policy.MatchSymbol(w.Symbol, symbol) {
			return fmt.Sprintf("this is also about %s", symbol)
		}
	}
	crate := finding.Crate
	of, ok := c[w.ID]
	if !ok || crate == nil {
		return ""
	}
	in := of.base
	if len(in) == 0 {
		in = of.head
	}
	names := "the crate " + strings.Join(in, "")
	if len(in) > 1 {
		names = "the crates " + strings.Join(in, " and ")
	}
	switch one := len(of.base) == 0 || !strings.Contains(w.Symbol, "*"); {
	case one && len(in) > 1:
		return "it names no file, and its symbol is in " + names
	case len(in) == 0 || slices.Contains(in, crate.Key):
		return ""
	}
	return fmt.Sprintf("it names no file, and base has its symbol in %s, not in %s", names, crate.Key)
}

// waiverCrates looks for what the waivers that name no files are about, as far as they may apply to one of the findings.
func (r *runner) waiverCrates(findings []checks.Finding) (crates, error) {
	matches := func(w *policy.Waiver) bool {
		return w.File == "" && !w.Expired(r.o.Today) &&
			slices.ContainsFunc(findings, func(f checks.Finding) bool { return f.Crate != nil && w.Matches(f.Rule, f.File, f.Symbol) })
	}
	var asked []*policy.Waiver
	for i := range r.policy.Waivers {
		if w := &r.policy.Waivers[i]; matches(w) {
			asked = append(asked, w)
		}
	}
	base, err := r.base.cratesWith(asked, r.o.Jobs, r.bounded)
	if err != nil {
		return nil, err
	}
	out := crates{}
	var absent []*policy.Waiver
	for _, w := range asked {
		out[w.ID] = waiverCrates{base: base[w.ID]}
		if len(base[w.ID]) == 0 {
			absent = append(absent, w)
		}
	}
	head, err := r.head.cratesWith(absent, r.o.Jobs, r.bounded)
	if err != nil {
		return nil, err
	}
	for _, w := range absent {
		out[w.ID] = waiverCrates{head: head[w.ID]}
	}
	return out, nil
}

// cratesWith are the keys, sorted, of the crates that have a function or an item with a symbol that a waiver is about, by the waiver's id.
// bounded: it is an error if that would take more than maxMatches.
func (t *tree) cratesWith(waivers []*policy.Waiver, jobs int, bounded bool) (map[string][]string, error) {
	if len(waivers) == 0 {
		return nil, nil
	}
	files := map[string]bool{}
	for _, w := range waivers {
		if len(files) == len(t.rust) {
			break
		}
		for _, file := range t.mayDefine(w.Symbol) {
			files[file] = true
		}
	}
	m, err := t.model(t.ctx, slices.Sorted(maps.Keys(files)), jobs)
	if err == nil {
		err = t.failed
	}
	if err != nil {
		return nil, fmt.Errorf("look for what the waivers are about: %w", err)
	}
	type symbol struct{ name, crate string }
	symbols := map[symbol]bool{}
	for _, f := range m.Functions {
		symbols[symbol{f.Symbol, f.Crate.Key}] = true
	}
	for _, i := range m.Items {
		symbols[symbol{i.Symbol, i.Crate.Key}] = true
		symbols[symbol{checks.ItemSymbol(i), i.Crate.Key}] = true
	}
	if bounded && len(waivers)*len(symbols) > maxMatches {
		return nil, fmt.Errorf("%d waivers name no files, and to look for their crates among %d symbols would take long", len(waivers), len(symbols))
	}
	out := map[string][]string{}
	for _, w := range waivers {
		in := map[string]bool{}
		for s := range symbols {
			if !in[s.crate] && policy.MatchSymbol(w.Symbol, s.name) {
				in[s.crate] = true
			}
		}
		out[w.ID] = slices.Sorted(maps.Keys(in))
	}
	return out, nil
}

// waiverFindings are about waivers that do nothing.
func (r *runner) waiverFindings(tracker *policy.Tracker) ([]checks.Finding, error) {
	if len(r.policy.Waivers) == 0 {
		return nil, nil
	}
	lasting, err := r.sawTrust(tracker)
	if err != nil {
		return nil, err
	}
	byRule := map[string][]checks.Finding{}
	for _, p := range tracker.Problems(lasting, r.o.Today) {
		rule, where := waiverUnmatched, p.Waiver.Where
		if p.Expired {
			rule, where = waiverExpired, p.Waiver.ExpiresWhere
		}
		f := checks.Finding{Symbol: policy.FileName, File: policy.FileName, Span: atStart, Message: p.Message, Change: p.Waiver.ID}
		if !p.Expired {
			like, err := r.hint(p.Waiver)
			if err != nil {
				return nil, err
			}
			if like != "" {
				f.Detail = "Symbols are without the crate's name: " + like
			}
		}
		if r.o.Policy == "" && r.base.entries[policy.FileName].ID == r.head.entries[policy.FileName].ID {
			f.Span = where
		}
		switch file, ok := r.policyInRepo(); {
		case r.ofHead:
			f.Span = where
		case r.o.Policy == "":
			f.Base = &checks.Place{File: policy.FileName, Span: where}
		case ok:
			f.File, f.Span = file, where
		default:
			f.Detail = strings.TrimSpace(fmt.Sprintf("The policy is %s, and the waiver stands in its line %d.\n%s", r.o.Policy, where.Start.Line, f.Detail))
		}
		byRule[rule] = append(byRule[rule], f)
	}
	var out []checks.Finding
	for _, rule := range waiverRules() {
		found := byRule[rule.ID]
		rule.Run = func(p *checks.Pass) {
			for _, f := range found {
				p.Report(f)
			}
		}
		reported, err := checks.Run(r.ctx, []*checks.Rule{rule}, &checks.Input{})
		if err != nil {
			return nil, err
		}
		for _, f := range reported {
			d := r.policy.Decide(policy.RuleInfo{ID: rule.ID, Severity: rule.Severity}, f.File, f.Symbol, r.o.Today, nil)
			if d.Severity == policy.Off {
				continue
			}
			f.Severity = d.Severity
			out = append(out, f)
		}
	}
	return out, nil
}

// policyInRepo is the path, in the repository, of the policy file that the command line names; false: it lies elsewhere, or none is named.
func (r *runner) policyInRepo() (string, bool) {
	if r.o.Policy == "" || r.sides.repo.Bare() {
		return "", false
	}
	file, err := filepath.Abs(r.o.Policy)
	if err != nil {
		return "", false
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(r.sides.repo.Root())
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// sawTrust tells the tracker about all trust that the waivers may be about, old or new, and returns the rules whose findings
// are about something that lasts. A waiver of another rule is about one change, so it is no news that it matches nothing in
// the next one.
func (r *runner) sawTrust(tracker *policy.Tracker) ([]string, error) {
	known := map[string]bool{}
	for _, info := range RuleInfos() {
		known[info.ID] = true
	}
	var lasting []string
	for k := model.Assume; ; k++ {
		word := k.String()
		if word == model.SiteKind(0).String() {
			break
		}
		if rule := string(checks.Trust) + "/" + word; known[rule] {
			lasting = append(lasting, rule)
		}
	}
	saw := func(m *model.Model) {
		eachSite(m, func(symbol string, s model.Site) {
			tracker.Saw(string(checks.Trust)+"/"+s.Kind.String(), s.File.Path, symbol)
		})
	}
	saw(r.pairs.Base)
	saw(r.pairs.Head)

	// What is still unmatched may be in files that the change does not touch.
	files := map[string]bool{}
	for _, p := range tracker.Problems(lasting, r.o.Today) {
		if p.Expired || len(files) == len(r.head.rust) {
			continue
		}
		for _, file := range r.head.mayDefine(p.Waiver.Symbol) {
			files[file] = true
		}
	}
	if len(files) > 0 {
		m, err := model.New(r.ctx, r.head, slices.Sorted(maps.Keys(files)))
		if err != nil {
			return nil, fmt.Errorf("look for what the waivers are about: %w", err)
		}
		saw(m)
	}
	return lasting, nil
}

// mayDefine are the files that may hold what a pattern of symbols is about: those with its last name in their text or in their path.
// The names before are modules and types, which the file of a function need not write. "crate" is the symbol of a crate as a whole.
func (t *tree) mayDefine(pattern string) []string {
	name := pattern[strings.LastIndex(pattern, ":")+1:]
	if name == "" || name == "crate" || strings.ContainsFunc(name, func(c rune) bool { return !identRune(c) }) {
		return slices.Clone(t.rust)
	}
	files := t.Mentions(name)
	for _, f := range t.rust {
		if slices.Contains(strings.Split(strings.TrimSuffix(f, ".rs"), "/"), name) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func identRune(c rune) bool { return c >= 0x80 || identByte(byte(c)) }

// eachSite visits every trust site of a model with the symbol of what carries it.
func eachSite(m *model.Model, visit func(symbol string, s model.Site)) {
	each := func(symbol string, sites []model.Site) {
		for _, s := range sites {
			if s.Scope != "" {
				visit(s.Scope, s)
			} else {
				visit(symbol, s)
			}
		}
	}
	for _, f := range m.Functions {
		each(f.Symbol, f.Sites)
	}
	for _, i := range m.Items {
		each(i.Symbol, i.Sites)
	}
}

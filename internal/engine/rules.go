package engine

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// The rules about the policy itself. They report what deciding found out, so they run behind the others and belong to no
// family that a command line can leave out.
const (
	waiverFamily    checks.Family = "policy"
	waiverExpired   string        = "policy/waiver-expired"
	waiverUnmatched string        = "policy/waiver-unmatched"
)

func waiverRules() []*checks.Rule {
	const none = "it is about the policy file, not about a change of code"
	return []*checks.Rule{{
		ID: waiverExpired, Family: waiverFamily, Severity: policy.Warning,
		Purpose:  "A waiver of the policy has run out, so it no longer applies.",
		Why:      "What it accepted is judged again, and a reader of the policy may think that it is not.",
		Remedy:   "Remove the waiver, or review what it accepts and set a new date.",
		NoMirror: none,
		Run:      func(*checks.Pass) {},
	}, {
		ID: waiverUnmatched, Family: waiverFamily, Severity: policy.Warning,
		Purpose:  "A waiver of the policy is about trust that is nowhere in the repository.",
		Why:      "It would silently accept such trust when somebody adds it later.",
		Remedy:   "Remove the waiver, or correct its rule or symbol.",
		NoMirror: none,
		Run:      func(*checks.Pass) {},
	}}
}

// Rules are all rules, in the order of reports.
func Rules() []*checks.Rule { return append(registry.Rules(), waiverRules()...) }

// RuleInfos is what the policy needs to know of Rules.
func RuleInfos() []policy.RuleInfo {
	var out []policy.RuleInfo
	for _, r := range Rules() {
		out = append(out, policy.RuleInfo{ID: r.ID, Severity: r.Severity})
	}
	return out
}

// atStart is the place of what is about a file as a whole.
var atStart = source.Range{Start: source.Position{Line: 1, Column: 1}, End: source.Position{Line: 1, Column: 1}}

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
			f.Detail = fmt.Sprintf("The policy is %s, and the waiver stands in its line %d.", r.o.Policy, where.Start.Line)
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
			d := r.policy.Decide(policy.RuleInfo{ID: rule.ID, Severity: rule.Severity}, f.File, f.Symbol, r.o.Today)
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
		eachSite(m, func(symbol string, s model.Site) { tracker.Saw(string(checks.Trust)+"/"+s.Kind.String(), symbol) })
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
// The names before are modules and types, which the file of a function need not write.
func (t *tree) mayDefine(pattern string) []string {
	name := pattern[strings.LastIndex(pattern, ":")+1:]
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return !identRune(c) }) {
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

package policy

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/specgate/specgate/internal/source"
)

// Origin is what decided something: a key of the policy file, a label of the
// pull request, or, as the zero value, specgate's default.
type Origin struct {
	// Path of the policy file and place of the key in it; zero for a label.
	Path  string
	Where source.Range
	// Key is the key as TOML writes it, such as rules."trust/assume".
	Key string
}

// String is "default", or the key with its place.
func (o Origin) String() string {
	switch {
	case o.Key == "":
		return "default"
	case o.Path == "":
		return o.Key
	}
	return fmt.Sprintf("%s:%d %s", o.Path, o.Where.Start.Line, o.Key)
}

// Decision is what a policy says about one finding.
type Decision struct {
	// Severity is that of the rule, waived or not.
	Severity Severity
	// By says what decided Severity.
	By Origin
	// Waived is the waiver that applies; nil if none does.
	Waived *Waiver
	// Expired is a waiver that would apply had it not run out; nil if there is
	// none, or if Waived is set.
	Expired *Waiver
}

// Decide says how severe a finding of a rule is in a file and a symbol, and
// whether it is waived today.
//
// rule.Severity is the severity that the finding has by default. The first of
// these that speaks of the rule decides: the overrides of paths that match the
// file, the last in the policy file first; [rules]; scope.executable-edits, for
// the rules that it governs; the default. Within one table a rule's id goes
// before its family.
//
// applies, unless nil, is asked about a waiver that matches and has not run out; false: it does not apply all the same.
func (p *Policy) Decide(rule RuleInfo, file, symbol string, today Date, applies func(*Waiver) bool) Decision {
	d := Decision{Severity: rule.Severity}
	d.Severity, d.By = p.severity(rule, file)
	for i := range p.Waivers {
		w := &p.Waivers[i]
		switch {
		case !w.Matches(rule.ID, file, symbol):
		case w.Expired(today):
			if d.Expired == nil {
				d.Expired = w
			}
		case d.Waived == nil && (applies == nil || applies(w)):
			d.Waived = w
		}
	}
	if d.Waived != nil {
		d.Expired = nil
	}
	return d
}

func (p *Policy) severity(rule RuleInfo, file string) (Severity, Origin) {
	for _, o := range slices.Backward(p.Paths) {
		if s := setting(o.Rules, rule.ID); s != nil && matchGlob(o.Glob, file) {
			return s.Severity, Origin{Path: p.path, Where: s.Where, Key: keyName([]string{"paths", o.Glob, "rules", s.Rule})}
		}
	}
	return p.general(rule)
}

// general is what decides where no table of paths does.
func (p *Policy) general(rule RuleInfo) (Severity, Origin) {
	if s := setting(p.Rules, rule.ID); s != nil {
		return s.Severity, Origin{Path: p.path, Where: s.Where, Key: keyName([]string{"rules", s.Rule})}
	}
	switch rule.ID {
	case "edit/exec-changed", "edit/exec-added", "edit/exec-removed", "edit/signature-changed", "edit/type-changed":
		return p.Scope.ExecutableEdits.Severity(), p.edits
	}
	return rule.Severity, Origin{}
}

// setting is the one that speaks of the rule; nil if none does.
func setting(settings []RuleSetting, id string) *RuleSetting {
	var family *RuleSetting
	for i := range settings {
		switch s := &settings[i]; s.Rule {
		case id:
			return s
		case familyOf(id) + "/*":
			family = s
		}
	}
	return family
}

// matchGlob is false for a bad glob, which Parse does not let through.
func matchGlob(glob, file string) bool {
	ok, err := doublestar.Match(glob, file)
	return ok && err == nil
}

// InScope says whether a file, relative to the repository's root, is judged: it
// matches a glob of Include, or there are none, and matches none of Exclude.
func (p *Policy) InScope(file string) bool {
	matches := func(glob string) bool { return matchGlob(glob, file) }
	if slices.ContainsFunc(p.Scope.Exclude, matches) {
		return false
	}
	return len(p.Scope.Include) == 0 || slices.ContainsFunc(p.Scope.Include, matches)
}

// CaseFile says whether a file, relative to the repository's root, has cases for the suites.
func (p *Policy) CaseFile(file string) bool {
	return slices.ContainsFunc(p.Strength.Cases, func(glob string) bool { return matchGlob(glob, file) })
}

// Idle are the globs of the policy that match none of files, each with the setting that has it, in the order of the policy file's sections.
func (p *Policy) Idle(files []string) []string {
	var out []string
	look := func(setting string, globs ...string) {
		for _, glob := range globs {
			if !slices.ContainsFunc(files, func(file string) bool { return matchGlob(glob, file) }) {
				out = append(out, fmt.Sprintf("%s: %q", setting, glob))
			}
		}
	}
	look("scope.include", p.Scope.Include...)
	look("scope.exclude", p.Scope.Exclude...)
	look("strength.cases", p.Strength.Cases...)
	for _, o := range p.Paths {
		look("paths", o.Glob)
	}
	for _, w := range p.Waivers {
		if w.File != "" {
			look("waivers."+w.ID+".file", w.File)
		}
	}
	return out
}

// Matches says whether the waiver is about this rule, file and symbol, run out or not.
func (w *Waiver) Matches(rule, file, symbol string) bool {
	return w.covers(rule) && (w.File == "" || matchGlob(w.File, file)) && MatchSymbol(w.Symbol, symbol)
}

func (w *Waiver) covers(rule string) bool {
	return w.Rule == rule || w.Rule == familyOf(rule)+"/*"
}

// Expired says whether the waiver has run out: it applies up to its last day, included.
func (w *Waiver) Expired(today Date) bool { return w.Expires.Compare(today) < 0 }

// Tracker notes which waivers of a policy match something. It may be used from
// several goroutines.
type Tracker struct {
	policy  *Policy
	mu      sync.Mutex
	matched map[string]bool
}

// Track starts with no waiver matched.
func (p *Policy) Track() *Tracker {
	return &Tracker{policy: p, matched: map[string]bool{}}
}

// Saw notes that there is something a waiver may be about: a finding, or what
// would be one if it were new, such as a trust site that the base has too.
func (t *Tracker) Saw(rule, file, symbol string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.policy.Waivers {
		if w := &t.policy.Waivers[i]; w.Matches(rule, file, symbol) {
			t.matched[w.ID] = true
		}
	}
}

// WaiverProblem is a waiver that does nothing.
type WaiverProblem struct {
	Waiver  *Waiver
	Expired bool
	// Message says so, and why it matters.
	Message string
}

// Problems are the waivers that have run out, and those that matched nothing
// although a rule that they are about ran, in the order of the file. ran are
// the ids of the rules that ran.
func (t *Tracker) Problems(ran []string, today Date) []WaiverProblem {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []WaiverProblem
	for i := range t.policy.Waivers {
		w := &t.policy.Waivers[i]
		switch {
		case w.Expired(today):
			out = append(out, WaiverProblem{w, true, fmt.Sprintf(
				"Waiver `%s` ran out on %s and no longer applies: what it accepted is judged again.", w.ID, w.Expires)})
		case !t.matched[w.ID] && slices.ContainsFunc(ran, w.covers):
			where := strings.TrimSpace(clean(w.Symbol))
			if w.File != "" {
				where += " in a file " + clean(w.File)
			}
			out = append(out, WaiverProblem{w, false, fmt.Sprintf(
				"Waiver `%s` matches nothing: there is no %s in %s. It would silently accept that when somebody adds it.", w.ID, w.Rule, where)})
		}
	}
	return out
}

package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/tomltext"
)

// Direction says what a setting that differs between two policies does to what they let pass.
type Direction string

const (
	// Looser lets something pass, or does not judge something, that the other did not or did, whatever else it does.
	Looser Direction = "looser"
	// Stricter lets less pass, or judges more, and is in nothing looser.
	Stricter Direction = "stricter"
	// Otherwise is everything of which that cannot be said in general.
	Otherwise Direction = "otherwise"
)

// Directions are all of them.
func Directions() []Direction { return []Direction{Looser, Stricter, Otherwise} }

// Difference is one setting that two policies do not share.
type Difference struct {
	// Key is the setting's key as TOML writes it, such as gate.fail-on or waivers.bench. The key "paths" is about the order of its tables.
	Key string
	// Before and After are its values as TOML writes them, the default where the file has none; empty: there is neither.
	Before, After string
	Direction     Direction
}

// BeforeText and AfterText are the values, or nil where there is none.
func (d *Difference) BeforeText() *string { return optional(d.Before) }

func (d *Difference) AfterText() *string { return optional(d.After) }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Compare gives what differs between two policies, by what applies and not by how it is written, in the order of docs/policy.md, and within
// a table first in the order of after. Direction is about each setting by itself.
func Compare(before, after *Policy, rules []RuleInfo) []Difference {
	var out []Difference
	for _, s := range scalars {
		if b, a := s.text(before), s.text(after); b != a {
			d := Otherwise
			if s.direction != nil {
				d = s.direction(before, after)
			}
			out = append(out, Difference{s.key, b, a, d})
		}
	}
	out = append(out, compareRules(nil, before, after, before.Rules, after.Rules, rules)...)
	out = append(out, comparePaths(before, after, rules)...)
	return append(out, compareWaivers(before, after)...)
}

// scalar is a setting that every policy has.
type scalar struct {
	key       string
	text      func(*Policy) string
	direction func(before, after *Policy) Direction // nil: it is Otherwise
}

// looseness compares by a number that is the greater, the more passes.
func looseness[T cmp.Ordered](of func(*Policy) T) func(before, after *Policy) Direction {
	return func(before, after *Policy) Direction {
		switch cmp.Compare(of(before), of(after)) {
		case -1:
			return Looser
		case 1:
			return Stricter
		}
		return Otherwise
	}
}

// rankOf is where a word stands among all of its kind.
func rankOf[T comparable](words []T, of func(*Policy) T) func(*Policy) int {
	return func(p *Policy) int { return slices.Index(words, of(p)) }
}

var scalars = []scalar{
	{"verus.release", func(p *Policy) string { return optionalText(p.Verus.Release) }, nil},
	{"verus.sha256.x86-linux", hashText("x86-linux"), nil},
	{"verus.sha256.arm64-macos", hashText("arm64-macos"), nil},
	{"verus.sha256.x86-macos", hashText("x86-macos"), nil},
	{"verus.sha256.x86-win", hashText("x86-win"), nil},
	{"verus.manifest", func(p *Policy) string { return optionalText(p.Verus.Manifest) }, nil},
	{"verus.roots", func(p *Policy) string { return listText(p.Verus.Roots) }, nil},
	{"verus.args", func(p *Policy) string { return listText(p.Verus.Args) }, nil},
	{"verus.timeout", func(p *Policy) string { return quoteText(p.Verus.Timeout.String()) }, nil},
	{"verus.seeds", func(p *Policy) string { return strconv.Itoa(p.Verus.Seeds) }, nil},
	{"verus.read", func(p *Policy) string { return listText(p.Verus.Read) }, nil},

	{"gate.fail-on", func(p *Policy) string { return quoteText(string(p.Gate.FailOn)) },
		looseness(rankOf([]FailOn{FailOnNotice, FailOnWarning, FailOnError, FailOnNever}, func(p *Policy) FailOn { return p.Gate.FailOn }))},
	{"gate.inconclusive", func(p *Policy) string { return quoteText(string(p.Gate.Inconclusive)) },
		looseness(rankOf([]Inconclusive{InconclusiveFail, InconclusiveWarn, InconclusiveIgnore}, func(p *Policy) Inconclusive { return p.Gate.Inconclusive }))},
	{"gate.min-suite", func(p *Policy) string { return strconv.Itoa(p.Gate.MinSuite) }, nil},
	{"gate.sandbox", func(p *Policy) string { return quoteText(string(p.Gate.Sandbox)) },
		looseness(rankOf([]Sandbox{SandboxRequire, SandboxPrefer, SandboxOff}, func(p *Policy) Sandbox { return p.Gate.Sandbox }))},

	{"report.comments", func(p *Policy) string { return quoteText(string(p.Report.Comments)) }, nil},
	{"report.annotations-per-function", func(p *Policy) string { return strconv.Itoa(p.Report.AnnotationsPerFunction) }, nil},

	{"scope.include", func(p *Policy) string { return listText(p.Scope.Include) }, func(before, after *Policy) Direction {
		// No glob means every file.
		switch b, a := before.Scope.Include, after.Scope.Include; {
		case len(b) == 0:
			return Looser
		case len(a) == 0:
			return Stricter
		default:
			return growth(a, b, Looser, Stricter) // what only before includes is judged no more
		}
	}},
	{"scope.exclude", func(p *Policy) string { return listText(p.Scope.Exclude) }, func(before, after *Policy) Direction {
		return growth(before.Scope.Exclude, after.Scope.Exclude, Looser, Stricter)
	}},
	{"scope.executable-edits", func(p *Policy) string { return quoteText(string(p.Scope.ExecutableEdits)) },
		looseness(rankOf([]ExecutableEdits{ExecutableEditsDeny, ExecutableEditsWarn, ExecutableEditsAllow}, func(p *Policy) ExecutableEdits { return p.Scope.ExecutableEdits }))},
	{"scope.allow-executable-edits-label", func(p *Policy) string { return quoteText(p.Scope.AllowExecutableEditsLabel) }, func(before, after *Policy) Direction {
		switch {
		case before.Scope.AllowExecutableEditsLabel == "":
			return Looser
		case after.Scope.AllowExecutableEditsLabel == "":
			return Stricter
		}
		return Otherwise
	}},

	{"strength.min", func(p *Policy) string { return numberText(p.Strength.Min) }, looseness(func(p *Policy) float64 { return -p.Strength.Min })},
	{"strength.max-drop", func(p *Policy) string { return numberText(p.Strength.MaxDrop) }, looseness(func(p *Policy) float64 { return p.Strength.MaxDrop })},
	{"strength.inputs", func(p *Policy) string { return strconv.Itoa(p.Strength.Inputs) }, looseness(func(p *Policy) int { return -p.Strength.Inputs })},
	{"strength.mutants", func(p *Policy) string { return strconv.Itoa(p.Strength.Mutants) }, looseness(func(p *Policy) int { return -p.Strength.Mutants })},
	{"strength.seed", func(p *Policy) string { return strconv.FormatUint(p.Strength.Seed, 10) }, nil},
	{"strength.cases", func(p *Policy) string { return listText(p.Strength.Cases) }, nil},
	{"strength.count-domain", func(p *Policy) string { return strconv.FormatBool(p.Strength.CountDomain) },
		looseness(rankOf([]bool{true, false}, func(p *Policy) bool { return p.Strength.CountDomain }))},

	{"cache.write-head", func(p *Policy) string { return strconv.FormatBool(p.Cache.WriteHead) }, nil},
	{"cache.max-mib", func(p *Policy) string { return strconv.Itoa(p.Cache.MaxMiB) }, nil},
}

// growth is grown if b has something that a has not, shrunk if only a has something that b has not, and Otherwise if they differ in their order.
func growth(a, b []string, grown, shrunk Direction) Direction {
	lacks := func(x, y []string) bool {
		return slices.ContainsFunc(y, func(s string) bool { return !slices.Contains(x, s) })
	}
	switch {
	case lacks(a, b):
		return grown
	case lacks(b, a):
		return shrunk
	}
	return Otherwise
}

// compareRules compares two tables of severities. path is that of the table of paths; nil: it is [rules].
func compareRules(path []string, before, after *Policy, b, a []RuleSetting, rules []RuleInfo) []Difference {
	var out []Difference
	seen := map[string]bool{}
	for _, s := range slices.Concat(a, b) {
		if seen[s.Rule] {
			continue
		}
		seen[s.Rule] = true
		was, is := severityText(b, s.Rule), severityText(a, s.Rule)
		if was == is {
			continue
		}
		d := Difference{Key: tomlKey(append(slices.Clone(path), "rules", s.Rule)...), Before: was, After: is, Direction: Otherwise}
		lower, higher := false, false
		for _, r := range rules {
			if !decides(b, s.Rule, r.ID) && !decides(a, s.Rule, r.ID) {
				continue
			}
			switch x, y := inTable(before, b, r), inTable(after, a, r); {
			case y < x:
				lower = true
			case y > x:
				higher = true
			}
		}
		switch {
		case lower:
			d.Direction = Looser
		case higher:
			d.Direction = Stricter
		}
		out = append(out, d)
	}
	return out
}

// decides tells whether it is the setting of this name that a table has for a rule.
func decides(table []RuleSetting, name, rule string) bool {
	s := setting(table, rule)
	return s != nil && s.Rule == name
}

// inTable is the severity of a rule where no table but this one and [rules] applies.
func inTable(p *Policy, table []RuleSetting, r RuleInfo) Severity {
	if s := setting(table, r.ID); s != nil {
		return s.Severity
	}
	s, _ := p.general(r)
	return s
}

func severityText(table []RuleSetting, rule string) string {
	for _, s := range table {
		if s.Rule == rule {
			return quoteText(s.Severity.String())
		}
	}
	return ""
}

func comparePaths(before, after *Policy, rules []RuleInfo) []Difference {
	tables := func(p *Policy) map[string][]RuleSetting {
		out := map[string][]RuleSetting{}
		for _, o := range p.Paths {
			out[o.Glob] = o.Rules
		}
		return out
	}
	b, a := tables(before), tables(after)
	var out []Difference
	seen := map[string]bool{}
	for _, o := range slices.Concat(after.Paths, before.Paths) {
		if !seen[o.Glob] {
			seen[o.Glob] = true
			out = append(out, compareRules([]string{"paths", o.Glob}, before, after, b[o.Glob], a[o.Glob], rules)...)
		}
	}
	// The last of several tables decides, so their order means something.
	shared := func(p *Policy, other map[string][]RuleSetting) []string {
		var globs []string
		for _, o := range p.Paths {
			if _, ok := other[o.Glob]; ok {
				globs = append(globs, o.Glob)
			}
		}
		return globs
	}
	if x, y := shared(before, a), shared(after, b); !slices.Equal(x, y) {
		out = append(out, Difference{"paths", listText(x), listText(y), Otherwise})
	}
	return out
}

func compareWaivers(before, after *Policy) []Difference {
	byID := func(p *Policy) map[string]*Waiver {
		out := map[string]*Waiver{}
		for i := range p.Waivers {
			out[p.Waivers[i].ID] = &p.Waivers[i]
		}
		return out
	}
	b, a := byID(before), byID(after)
	var out []Difference
	seen := map[string]bool{}
	for _, w := range slices.Concat(after.Waivers, before.Waivers) {
		if seen[w.ID] {
			continue
		}
		seen[w.ID] = true
		x, y := b[w.ID], a[w.ID]
		d := Difference{Key: tomlKey("waivers", w.ID), Before: waiverText(x), After: waiverText(y), Direction: Otherwise}
		if d.Before == d.After {
			continue
		}
		switch {
		case y == nil:
			d.Direction = Stricter
		case x == nil, x.Rule != y.Rule, x.Symbol != y.Symbol, x.File != y.File, x.Expires.Compare(y.Expires) < 0:
			d.Direction = Looser
		case x.Expires.Compare(y.Expires) > 0:
			d.Direction = Stricter
		}
		out = append(out, d)
	}
	return out
}

func waiverText(w *Waiver) string {
	if w == nil {
		return ""
	}
	file := ""
	if w.File != "" {
		file = ", file = " + quoteText(w.File)
	}
	return fmt.Sprintf("{ rule = %s, symbol = %s%s, reason = %s, owner = %s, expires = %s }",
		quoteText(w.Rule), quoteText(w.Symbol), file, quoteText(w.Reason), quoteText(w.Owner), w.Expires)
}

// tomlKey writes a path as a TOML key, whole.
func tomlKey(path ...string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = part
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r >= 0x80 || !tomltext.IsBare(byte(r)) }) {
			parts[i] = quoteText(part)
		}
	}
	return strings.Join(parts, ".")
}

// quoteText writes a basic string of TOML.
func quoteText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func optionalText(s string) string {
	if s == "" {
		return ""
	}
	return quoteText(s)
}

func hashText(platform string) func(*Policy) string {
	return func(p *Policy) string { return optionalText(p.Verus.SHA256[platform]) }
}

func listText(list []string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = quoteText(s)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// numberText writes a float of TOML, which has a point or an exponent.
func numberText(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// MatchCost is how much work it is at most to say what the policy makes of one finding: how many texts its globs stand for, and its waivers.
// A proposed policy may be anything.
func (p *Policy) MatchCost() int {
	cost := 1
	for _, o := range p.Paths {
		cost += alternatives(o.Glob)
	}
	for i := range p.Waivers {
		cost += alternatives(p.Waivers[i].File)
	}
	for _, g := range slices.Concat(p.Scope.Include, p.Scope.Exclude, p.Strength.Cases) {
		cost += alternatives(g)
	}
	return cost
}

// alternatives is at least the number of ways to choose one alternative in each group of braces.
func alternatives(glob string) int {
	n := 1
	for range strings.Count(glob, "{") {
		n *= strings.Count(glob, ",") + 1
	}
	return n
}

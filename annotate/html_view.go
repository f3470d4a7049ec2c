package annotate

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// The values that the template of the page reads. All text in them has been through visible; escaping for HTML is the template's part.
type htmlPage struct {
	Title    string
	Policy   string // the Content-Security-Policy
	Style    template.CSS
	Script   template.JS
	Outcome  htmlState
	Meaning  string
	Base     string
	Head     string
	Tiles    []htmlTile
	Proposed *htmlProposed
	Reasons  []htmlReason
	Unnamed  int // reasons that are not shown
	Command  string
	Rows     []template.HTML
	RowsLeft int
	Sections []htmlSection
	Quiet    []htmlSection // functions without a finding
	Shown    int
	Left     []string // what is not shown of the findings, by severity
	Tools    []htmlFact
	Guards   []htmlGuard
	Isolated string
}

// htmlState is a word with a sign, so that nothing is told by colour alone.
type htmlState struct {
	Class, Sign, Word string
}

type htmlTile struct {
	Name, Value, Note string
	Class             string
	Bar               *htmlBar
}

type htmlReason struct{ Stage, Text string }

type htmlFact struct{ Name, Value string }

type htmlGuard struct {
	Name   string
	State  htmlState
	Detail string
}

// htmlBar is a strength as a picture, in hundredths of its width, and the same in words.
type htmlBar struct {
	Label           string
	Value, Low, Gap string
	Base            string // where base's strength is; empty: nowhere
}

type htmlRow struct {
	Anchor, Symbol, Place       string
	Worst                       htmlState
	Findings                    string
	Change, Edit                string
	ProofBase, ProofHead        htmlState
	Added, Removed              int
	Direction                   htmlState
	By                          string
	Strength, Counted, Interval string
	Bar                         *htmlBar
	Delta                       string
	Score, ScoreDelta           string
}

type htmlSection struct {
	ID, Symbol, Place string
	Change, Edit      string
	Row               *htmlRow
	Findings          []template.HTML
	Facts             template.HTML
	Left              int // findings that are not shown
	NoFacts           bool
}

type htmlRun struct {
	Code bool
	Text string
}

type htmlFinding struct {
	ID, Rule, Severity, Symbol string
	State                      htmlState
	Open, Blocks               bool
	Message                    []htmlRun
	Cut                        int
	Place                      string
	Head, Base                 *htmlExcerpt
	Same                       string // where base says the same
	Detail                     []htmlDetail
	DetailCut                  int
	Witness                    *checks.Witness
	Function                   string
	Remedy                     []htmlRun
	Waived                     string
	Fingerprint                string
}

// htmlDetail is one line of a finding's detail. Class is "add" or "del" for a line of a diff.
type htmlDetail struct {
	Class string
	Runs  []htmlRun
}

type htmlFacts struct {
	Clauses            []htmlClause
	Undecided          []checks.OpenQuestion
	Unique             bool
	Added, Removed     []htmlSite
	Errors             []htmlSite
	Seeds              string
	Suites             []htmlSuite
	Uses               []htmlUse
	UsesOf             int
	Cut                int
	ProofBase          htmlState
	ProofHead          htmlState
	Symbol             string
	StrengthComparable bool
}

type htmlClause struct{ Sign, Class, Change, Kind, Text string }

type htmlSite struct{ Kind, Text, Place string }

type htmlSuite struct {
	Side, Value, Interval, Label string
	S                            *checks.SuiteResult
}

type htmlUse struct {
	Kind, Text, Place string
	Rejects, Only     int
}

// visible makes text of a repository safe to show: what is invisible, reorders or is no text at all is written out.
func visible(s string) string {
	s = escapeTerminal(s)
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unseen are the characters that fonts draw as nothing and that are no format characters: Unicode's Default_Ignorable_Code_Point, less
// what escapeTerminal has dealt with.
func unseen(r rune) bool {
	switch {
	case r < 0x34f:
		return false
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2800:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// cutText cuts a text to so many bytes, at a character; left is how many bytes are gone.
func cutText(s string, most int) (text string, left int) {
	if len(s) <= most {
		return s, 0
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], len(s) - n
}

const htmlLabel = 300 // bytes

// label is text that has its place in a line: a symbol, a file, a word.
func label(s string) string {
	text, left := cutText(s, htmlLabel)
	if left > 0 {
		return visible(text) + "…"
	}
	return visible(text)
}

// htmlProse finds what stands between backticks. A backtick without another is text.
func htmlProse(s string) []htmlRun {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		last := len(parts) - 1
		parts[last-1] += "`" + parts[last]
		parts = parts[:last]
	}
	var out []htmlRun
	for i, part := range parts {
		if part != "" {
			out = append(out, htmlRun{Code: i%2 == 1, Text: visible(part)})
		}
	}
	return out
}

// word is a label of few characters, as those are that specgate itself writes.
func word(s string) string {
	const most = 40
	return label(cut(s, most))
}

func revisionLabel(rev string) string {
	if short := shortRevision(precut(rev, htmlLabel)); short != rev {
		return label(short)
	}
	return label(rev)
}

func htmlPlace(file string, p source.Position) string { return label(file) + ":" + p.String() }

func outcomeState(o checks.Outcome) (state htmlState, meaning string) {
	switch o {
	case checks.OutcomePass:
		return htmlState{"ok", "✓", "pass"}, "Everything was checked and nothing blocks the change."
	case checks.OutcomeFindings:
		return htmlState{"error", "✗", "findings"}, "At least one finding blocks the change."
	case checks.OutcomeInconclusive:
		return htmlState{"warning", "?", "inconclusive"}, "Something that had to be checked could not be. This is not a pass."
	}
	return htmlState{"error", "!", o.String()}, "specgate itself failed. This is not a pass."
}

func severityState(word string) htmlState {
	switch word {
	case "error":
		return htmlState{"error", "✗", word}
	case "warning":
		return htmlState{"warning", "▲", word}
	}
	return htmlState{"notice", "i", word}
}

func proofState(name string) htmlState {
	switch name {
	case "proved":
		return htmlState{"ok", "✓", name}
	case "failed", "timed-out", "internal-error":
		return htmlState{"error", "✗", strings.ReplaceAll(name, "-", " ")}
	case "unsupported":
		return htmlState{"warning", "?", name}
	case "skipped":
		return htmlState{"quiet", "", "nothing to prove"}
	case "not-run":
		return htmlState{"quiet", "", "not run"}
	}
	return htmlState{"quiet", "", word(name)}
}

func directionState(name string) htmlState {
	switch name {
	case "equal":
		return htmlState{"quiet", "=", name}
	case "stronger":
		return htmlState{"ok", "↑", name}
	case "weaker":
		return htmlState{"error", "↓", name}
	case "incomparable":
		return htmlState{"warning", "≠", name}
	case "unknown":
		return htmlState{"warning", "?", name}
	case "none":
		return htmlState{"quiet", "", "not compared"}
	}
	return htmlState{"quiet", "", word(name)}
}

func hundredths(v float64) string { return fmt.Sprintf("%.2f", 100*clamp(v, 0, 1)) }

func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return share01(*v)
}

func signed(v *float64) string {
	if v == nil {
		return "–"
	}
	return strings.Replace(difference01(*v), "-", "−", 1)
}

// strengthBar is nil when head's strength was not measured.
func strengthBar(s checks.FunctionStrength) *htmlBar {
	h := s.Head
	if h == nil || h.Value == nil {
		return nil
	}
	b := &htmlBar{
		Label: fmt.Sprintf("Strength %s of 1, %s: %d of %d decided wrong results are rejected", optional(h.Value), word(h.Label), h.Rejected, h.Rejected+h.Escaped),
		Value: hundredths(*h.Value), Low: hundredths(h.Low), Gap: hundredths(clamp(h.High, 0, 1) - clamp(h.Low, 0, 1)),
	}
	if h.Undecided > 0 {
		b.Label += fmt.Sprintf("; between %s and %s, as %d are undecided", share01(h.Low), share01(h.High), h.Undecided)
	}
	if s.Base != nil && s.Base.Value != nil {
		b.Label += fmt.Sprintf("; base %s", optional(s.Base.Value))
		if s.Comparable {
			b.Base = hundredths(*s.Base.Value)
		} else {
			b.Label += ", of other wrong results"
		}
	}
	return b
}

func (p *pageMaker) page() (*htmlPage, error) {
	r := p.r
	page := &htmlPage{
		Policy: contentPolicy(p.style, p.script), Style: template.CSS(p.style), Script: template.JS(p.script), // #nosec G203: files of specgate itself
		Base: revisionLabel(r.Base.Rev), Head: revisionLabel(r.Head.Rev), Command: p.command(),
	}
	page.Outcome, page.Meaning = outcomeState(r.Outcome)
	if r.Outcome == checks.OutcomeFindings && p.blocking > 0 {
		page.Meaning = fmt.Sprintf("%s of %d without a waiver block the change.", plural(p.blocking, "finding"), len(p.open))
		if p.blocking == 1 {
			page.Meaning = fmt.Sprintf("1 finding of %d without a waiver blocks the change.", len(p.open))
		}
	}
	page.Tiles = p.tiles()
	page.Proposed = simulationPart(r.Simulation)
	page.Title = "specgate: " + page.Outcome.Word + ", " + findingCounts(r.Findings)
	bytes := 0
	for i, reason := range r.Reasons {
		text, left := cutText(reason.Text, 2000)
		shown := htmlReason{word(reason.Stage), visible(text)}
		if left > 0 {
			shown.Text += fmt.Sprintf("… (%d more bytes)", left)
		}
		bytes += 6 * (len(shown.Text) + len(shown.Stage))
		if i == htmlReasons || bytes > htmlReasonBytes {
			page.Unnamed = len(r.Reasons) - i
			break
		}
		page.Reasons = append(page.Reasons, shown)
	}
	p.provenance(page, r)
	if err := p.functions(page, r); err != nil {
		return nil, err
	}
	return page, nil
}

func (p *pageMaker) provenance(page *htmlPage, r *checks.Report) {
	fact := func(name, value string) { page.Tools = append(page.Tools, htmlFact{name, value}) }
	fact("specgate", label(r.Specgate.Version))
	if v := r.Tools.Verus; v != nil {
		text := label(v.Version)
		if v.Toolchain != "" {
			text += ", Rust " + label(v.Toolchain)
		}
		if v.Solver != "" {
			text += ", solver " + label(v.Solver)
		}
		switch c := v.Cached; {
		case c.Base && c.Head:
			text += "; what it said of base and head is from the cache"
		case c.Base:
			text += "; what it said of base is from the cache"
		case c.Head:
			text += "; what it said of head is from the cache"
		}
		fact("Verus", text)
	} else {
		fact("Verus", "not run: nothing was proved")
	}
	if t := r.Tools.Rustc; t != nil {
		fact("rustc", label(t.Version))
	} else {
		fact("rustc", "not run: no strength was measured")
	}
	policy := label(r.Policy.Source)
	if r.Policy.SHA256 != "" {
		policy += ", SHA-256 " + label(r.Policy.SHA256)
	}
	fact("policy", policy)
	fact("base", label(r.Base.Rev))
	fact("head", label(r.Head.Rev))
	fact("seed", fmt.Sprint(r.Seed))
	if s := r.Tools.Sandbox; s != nil {
		text, _ := cutText(s.Statement, 2000)
		page.Isolated = "What runs code of the change " + visible(text) + "."
		for i, g := range s.Protections {
			if i == 50 {
				break
			}
			state := htmlState{"ok", "✓", "on"}
			if !g.On {
				state = htmlState{"warning", "✗", "off"}
			}
			page.Guards = append(page.Guards, htmlGuard{label(g.Name), state, label(g.Detail)})
		}
	} else {
		page.Isolated = "No program that runs code of the change was isolated, or none was run."
	}
}

func (p *pageMaker) tiles() []htmlTile {
	r := p.r
	worst := "ok"
	open := 0
	for _, f := range r.Findings {
		if f.Waived != nil {
			continue
		}
		open++
		switch f.Severity.String() {
		case "error":
			worst = "error"
		case "warning":
			if worst == "ok" {
				worst = "warning"
			}
		}
	}
	out := []htmlTile{{Name: "Findings", Value: fmt.Sprint(open), Note: findingCounts(r.Findings), Class: worst}}

	c := r.Counts
	proof := htmlTile{Name: "Proof", Value: fmt.Sprintf("%d of %d proved", c.Proved, c.Selected-c.Skipped), Class: "ok"}
	var notes []string
	for _, n := range []struct {
		count int
		word  string
	}{{c.Failed, "failed"}, {c.TimedOut, "timed out"}, {c.InternalError, "internal error"}, {c.Unsupported, "unsupported"}, {c.Skipped, "skipped"}} {
		if n.count > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", n.count, n.word))
		}
	}
	switch {
	case c.Failed+c.TimedOut+c.InternalError > 0:
		proof.Class = "error"
	case c.Unsupported > 0 || c.Proved == 0:
		proof.Class = "warning"
	}
	proof.Note = strings.Join(append([]string{plural(c.Selected, "function")}, notes...), ", ")
	if r.Tools.Verus == nil {
		proof.Value, proof.Note = "not run", "no verifier took part: nothing was proved"
	}
	out = append(out, proof)

	added, removed := 0, 0
	for _, f := range r.Functions {
		added += len(f.Trust.Added)
		removed += len(f.Trust.Removed)
	}
	trust := htmlTile{Name: "Trust", Value: fmt.Sprintf("+%d −%d", added, removed), Note: fmt.Sprintf("%s newly believed without proof, %d no longer", plural(added, "place"), removed), Class: "ok"}
	if added > 0 {
		trust.Class = "warning"
	}
	out = append(out, trust)

	out = append(out, strengthTile(r))

	score := htmlTile{Name: "Score", Value: optional(r.Score.Head), Class: "quiet"}
	switch {
	case r.Score.Head == nil:
		score.Value, score.Note = "not measured", "there is nothing to take a mean of"
	case r.Score.Base == nil:
		score.Note = "mean of the functions' scores; base has none"
	default:
		score.Note = "base " + optional(r.Score.Base) + ", difference " + signed(r.Score.Delta)
		if !r.Score.Comparable {
			score.Note += ", not all of the same suites"
		}
	}
	return append(out, score)
}

// strengthTile shows the weakest contract, since a mean hides it.
func strengthTile(r *checks.Report) htmlTile {
	var weakest *checks.Function
	measured := 0
	for i := range r.Functions {
		h := r.Functions[i].Strength.Head
		if h == nil || h.Value == nil {
			continue
		}
		measured++
		if weakest == nil || *h.Value < *weakest.Strength.Head.Value {
			weakest = &r.Functions[i]
		}
	}
	if weakest == nil {
		return htmlTile{Name: "Strength", Value: "not measured", Note: "no contract was asked about wrong results", Class: "quiet"}
	}
	s := weakest.Strength
	tile := htmlTile{Name: "Strength", Value: optional(s.Head.Value), Class: "quiet", Bar: strengthBar(s),
		Note: fmt.Sprintf("the weakest of %s: %s", plural(measured, "measured contract"), label(weakest.Symbol))}
	if s.Delta != nil {
		tile.Value += " (" + signed(s.Delta) + ")"
	}
	return tile
}

// htmlGroup is a function of the report, or something else that findings are about.
type htmlGroup struct {
	function *checks.Function
	symbol   string
	place    string
	findings []*checks.Finding
	shown    []template.HTML
	order    int
}

func (p *pageMaker) functions(page *htmlPage, r *checks.Report) error {
	type key struct{ symbol, file string }
	byKey := map[key]*htmlGroup{}
	var groups []*htmlGroup
	for i := range r.Functions {
		f := &r.Functions[i]
		g := &htmlGroup{function: f, symbol: label(f.Symbol), place: htmlPlace(f.File, f.Span.Start), order: len(groups)}
		groups = append(groups, g)
		if k := (key{f.Symbol, f.File}); byKey[k] == nil {
			byKey[k] = g
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		k := key{f.Symbol, f.File}
		g := byKey[k]
		if g == nil {
			g = &htmlGroup{symbol: label(f.Symbol), place: label(f.File), order: len(groups)}
			byKey[k] = g
			groups = append(groups, g)
		}
		g.findings = append(g.findings, f)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.findings, byImportance)
	}
	slices.SortStableFunc(groups, func(a, b *htmlGroup) int {
		if len(a.findings) == 0 || len(b.findings) == 0 {
			return cmp.Or(len(b.findings)-len(a.findings), a.order-b.order)
		}
		return cmp.Or(byImportance(a.findings[0], b.findings[0]), a.order-b.order)
	})
	if err := p.choose(page, groups); err != nil {
		return err
	}
	tableBytes, factBytes := 0, 0
	for i, g := range groups {
		section := htmlSection{ID: fmt.Sprintf("s%d", i+1), Symbol: g.symbol, Place: g.place, Findings: g.shown, Left: len(g.findings) - len(g.shown)}
		if g.function != nil {
			section.Row = tableRow(g)
			section.Change, section.Edit = word(g.function.Change), word(g.function.Executable)
			section.NoFacts = true
			if len(page.Sections)+len(page.Quiet) < htmlFunctions && factBytes < htmlFactBytes {
				facts, err := p.part("facts", functionFacts(g.function))
				if err != nil {
					return err
				}
				if factBytes += len(facts); factBytes <= htmlFactBytes {
					section.Facts, section.NoFacts = facts, false
				}
			}
		}
		listed := len(page.Sections)+len(page.Quiet) < htmlFunctions && tableBytes < htmlTableBytes
		if listed {
			tableBytes += 2 * (len(section.Symbol) + len(section.Place)) // of the section
			if section.Row != nil {
				section.Row.Anchor = section.ID
				text, err := p.part("row", section.Row)
				if err != nil {
					return err
				}
				tableBytes += 2 * len(text) // the section says much of it again
				page.Rows = append(page.Rows, text)
			}
		} else if section.Row != nil {
			page.RowsLeft++
		}
		switch {
		case len(g.shown) > 0 || len(g.findings) > 0 && listed:
			page.Sections = append(page.Sections, section)
		case listed:
			page.Quiet = append(page.Quiet, section)
		}
	}
	return nil
}

// choose renders findings, most important first, until there are enough of them on the page.
func (p *pageMaker) choose(page *htmlPage, groups []*htmlGroup) error {
	type entry struct {
		group *htmlGroup
		f     *checks.Finding
	}
	var all []entry
	for _, g := range groups {
		for _, f := range g.findings {
			all = append(all, entry{g, f})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return byImportance(a.f, b.f) })
	bytes := 0
	for i, e := range all {
		text, err := template.HTML(""), error(nil)
		if i < htmlFindings {
			text, err = p.part("finding", p.finding(e.f, fmt.Sprintf("f%d", i+1)))
		}
		if err != nil {
			return err
		}
		if bytes += len(text); i == htmlFindings || bytes > htmlFindingBytes {
			left := make([]checks.Finding, 0, len(all)-i)
			for _, e := range all[i:] {
				left = append(left, *e.f)
			}
			page.Left = []string{plural(len(left), "more finding"), findingCounts(left)}
			break
		}
		e.group.shown = append(e.group.shown, text)
		page.Shown++
	}
	return nil
}

func tableRow(g *htmlGroup) *htmlRow {
	f := g.function
	row := &htmlRow{
		Symbol: g.symbol, Place: g.place,
		Worst: htmlState{"quiet", "", "none"}, Findings: "none",
		Change: word(f.Change), Edit: word(f.Executable),
		ProofBase: proofState(f.Proof.Base), ProofHead: proofState(f.Proof.Head),
		Added: len(f.Trust.Added), Removed: len(f.Trust.Removed),
		Direction: directionState(f.Contract.Direction),
		Bar:       strengthBar(f.Strength), Delta: signed(f.Strength.Delta),
		Score: optional(f.Score.Head), ScoreDelta: signed(f.Score.Delta),
	}
	if row.Change == row.Edit {
		row.Change = ""
	}
	if by := f.Contract.By; by != "" && by != "none" && f.Contract.Direction != "none" {
		row.By = word(by)
	}
	if h := f.Strength.Head; h != nil {
		row.Strength = optional(h.Value)
		row.Counted = fmt.Sprintf("%d of %d rejected, %s", h.Rejected, h.Rejected+h.Escaped, word(h.Label))
		if h.Undecided > 0 {
			row.Interval = fmt.Sprintf("%s to %s: %d undecided", share01(h.Low), share01(h.High), h.Undecided)
		}
	}
	if len(g.findings) > 0 {
		counts := map[string]int{}
		for _, x := range g.findings {
			word := x.Severity.String()
			if x.Waived != nil {
				word = "waived"
			}
			counts[word]++
		}
		var parts []string
		for _, word := range []string{"error", "warning", "notice"} {
			if counts[word] > 0 {
				parts = append(parts, plural(counts[word], word))
			}
		}
		if counts["waived"] > 0 {
			parts = append(parts, fmt.Sprintf("%d waived", counts["waived"]))
		}
		row.Findings = strings.Join(parts, ", ")
		row.Worst = severityState(g.findings[0].Severity.String())
		if g.findings[0].Waived != nil {
			row.Worst = htmlState{"quiet", "", "waived"}
		}
	}
	return row
}

// The most of the facts of one function that are shown.
const (
	htmlClauses     = 60
	htmlClauseBytes = 1000
)

func clip(s string) string {
	text, left := cutText(s, htmlClauseBytes)
	if left > 0 {
		return visible(text) + "…"
	}
	return visible(text)
}

func functionFacts(f *checks.Function) *htmlFacts {
	facts := &htmlFacts{Symbol: label(f.Symbol), Unique: f.Contract.Unique != nil && *f.Contract.Unique, StrengthComparable: f.Strength.Comparable,
		ProofBase: proofState(f.Proof.Base), ProofHead: proofState(f.Proof.Head)}
	few := func(n int) int {
		if n > htmlClauses {
			facts.Cut += n - htmlClauses
			return htmlClauses
		}
		return n
	}
	for _, c := range f.Contract.Clauses[:few(len(f.Contract.Clauses))] {
		clause := htmlClause{Sign: " ", Change: word(c.Change), Kind: word(c.Kind), Text: clip(c.Text)}
		switch c.Change {
		case "added":
			clause.Sign, clause.Class = "+", "add"
		case "removed":
			clause.Sign, clause.Class = "−", "del"
		}
		facts.Clauses = append(facts.Clauses, clause)
	}
	for _, q := range f.Contract.Undecided[:few(len(f.Contract.Undecided))] {
		facts.Undecided = append(facts.Undecided, checks.OpenQuestion{Question: label(q.Question), Why: clip(q.Why)})
	}
	sites := func(in []checks.TrustSite) (out []htmlSite) {
		for _, s := range in[:few(len(in))] {
			out = append(out, htmlSite{word(s.Kind), clip(s.Text), htmlPlace(s.File, s.Span.Start)})
		}
		return out
	}
	facts.Added, facts.Removed = sites(f.Trust.Added), sites(f.Trust.Removed)
	for _, e := range f.Proof.Errors[:few(len(f.Proof.Errors))] {
		facts.Errors = append(facts.Errors, htmlSite{word(e.Category), clip(e.Message), htmlPlace(e.File, e.Span.Start)})
	}
	if s := f.Proof.Seeds; s != nil {
		facts.Seeds = fmt.Sprintf("%d of %s with another seed of the solver found a proof", s.Proved, plural(s.Tried, "run"))
	}
	for _, side := range []struct {
		name string
		s    *checks.SuiteResult
	}{{"base", f.Strength.Base}, {"head", f.Strength.Head}} {
		if side.s == nil {
			continue
		}
		facts.Suites = append(facts.Suites, htmlSuite{side.name, optional(side.s.Value), share01(side.s.Low) + " to " + share01(side.s.High), word(side.s.Label), side.s})
	}
	if h := f.Strength.Head; h != nil {
		facts.UsesOf = h.Rejected
		for _, c := range h.Clauses[:few(len(h.Clauses))] {
			facts.Uses = append(facts.Uses, htmlUse{word(c.Kind), clip(strings.Join(strings.Fields(c.Text), " ")), htmlPlace(c.File, c.Span.Start), c.Rejects, c.Only})
		}
	}
	return facts
}

// Any says whether there is something to tell.
func (f *htmlFacts) Any() bool {
	return len(f.Clauses)+len(f.Undecided)+len(f.Added)+len(f.Removed)+len(f.Errors)+len(f.Suites) > 0 || f.Seeds != "" || f.Unique
}

// The most of one finding that is shown.
const (
	htmlMessage     = 8 << 10
	htmlDetailBytes = 16 << 10
	htmlDetailLines = 200
)

func (p *pageMaker) finding(f *checks.Finding, id string) *htmlFinding {
	out := &htmlFinding{
		ID: id, Rule: label(f.Rule), Severity: f.Severity.String(), Symbol: label(f.Symbol),
		State: severityState(f.Severity.String()), Open: !brief(f), Blocks: p.blocks(f),
		Place: htmlPlace(f.File, f.Span.Start), Fingerprint: label(f.Fingerprint),
	}
	text, left := cutText(f.Message, htmlMessage)
	out.Message, out.Cut = htmlProse(text), left
	out.Head, out.Base, out.Same = p.excerpts(f)
	text, out.DetailCut = cutText(strings.TrimRight(f.Detail, "\n"), htmlDetailBytes)
	lines := strings.Split(text, "\n")
	if len(lines) > htmlDetailLines {
		out.DetailCut += len(strings.Join(lines[htmlDetailLines:], "\n"))
		lines = lines[:htmlDetailLines]
	}
	for _, line := range lines {
		switch {
		case text == "":
		case strings.HasPrefix(line, "-"):
			out.Detail = append(out.Detail, htmlDetail{"del", []htmlRun{{Text: visible(line)}}})
		case strings.HasPrefix(line, "+"):
			out.Detail = append(out.Detail, htmlDetail{"add", []htmlRun{{Text: visible(line)}}})
		default:
			out.Detail = append(out.Detail, htmlDetail{"", htmlProse(line)})
		}
	}
	if w := f.Witness; w != nil {
		out.Witness = &checks.Witness{Input: clip(w.Input), Result: clip(w.Result), Wrong: clip(w.Wrong)}
		if w.Input == "" {
			out.Witness.Input = "(the function has no parameters)"
		}
	}
	text, _ = cutText(p.remedy(f), htmlMessage)
	out.Remedy = htmlProse(text)
	if f.Waived != nil {
		out.Waived = label(f.Waived.ID)
	}
	return out
}

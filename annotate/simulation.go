package annotate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
)

// proposed is a simulation in words. The texts are not escaped: that is for each sink.
type proposed struct {
	s *checks.Simulation
	// verdict says what merging the policy would do, and nothing else of it; class is that of the HTML page.
	verdict, class string
	// before and after are the two outcomes; after is empty if it is not known.
	before, after string
	// findings are those that pass, then those that block, then the others; unshown are the settings of which not all is known.
	findings []*checks.FindingChange
	unshown  []string
}

// byBase is said of every proposed policy.
const byBase = "This change is judged by base's policy all the same."

func newProposed(s *checks.Simulation) *proposed {
	p := &proposed{s: s, before: judgement(s.Before)}
	if s.After != nil {
		p.after = judgement(*s.After)
	}
	p.verdict, p.class = p.judge()
	for i := range s.Findings {
		p.findings = append(p.findings, &s.Findings[i])
	}
	slices.SortStableFunc(p.findings, func(a, b *checks.FindingChange) int { return effectRank(a) - effectRank(b) })
	for _, c := range s.Settings {
		if !c.Shown {
			p.unshown = append(p.unshown, c.Key)
		}
	}
	return p
}

func judgement(j checks.Judgement) string {
	verdict := "does not pass"
	if j.Passes {
		verdict = "passes"
	}
	return fmt.Sprintf("%s, %d blocking: %s", j.Outcome, j.Blocking, verdict)
}

// judge is the whole of a simulation in a few sentences.
func (p *proposed) judge() (verdict, class string) {
	s := p.s
	switch {
	case len(s.Errors) == 1:
		return "The proposed policy has an error. Merging it would stop every later check until it is corrected.", "error"
	case len(s.Errors) > 1:
		return fmt.Sprintf("The proposed policy has %d errors. Merging it would stop every later check until they are corrected.", len(s.Errors)), "error"
	case s.After == nil:
		return "What the proposed policy would make of this change is not known: " + s.NotSimulated + ".", "warning"
	}
	var parts []string
	class = "ok"
	opens := s.After.Passes && !s.Before.Passes
	if s.Passes > 0 || opens {
		class = "error"
		text := "Merging this policy would let "
		switch {
		case s.Passes == 0:
			text += "this change pass, which does not pass now."
		case opens:
			text += fmt.Sprintf("this change pass: %s block now and would not.", plural(s.Passes, "finding"))
		default:
			text += fmt.Sprintf("%s of this change pass that block now.", plural(s.Passes, "finding"))
		}
		if s.Passes == 1 {
			text = strings.NewReplacer("finding block now", "finding blocks now", "that block now", "that blocks now").Replace(text)
		}
		parts = append(parts, text)
	}
	subject := "Merging this policy"
	if len(parts) > 0 {
		subject = "It"
	}
	switch {
	case s.Stops == 1:
		parts = append(parts, subject+" would have 1 finding of this change block that does not block now.")
	case s.Stops > 0:
		parts = append(parts, fmt.Sprintf("%s would have %d findings of this change block that do not block now.", subject, s.Stops))
	case s.Before.Passes && !s.After.Passes:
		parts = append(parts, subject+" would keep this change from passing, which passes now.")
	}
	if len(parts) == 0 && len(s.Findings)+len(s.Reasons) == 0 {
		parts = append(parts, "The proposed policy makes the same of this change as base's.")
	} else if len(parts) == 0 {
		parts = append(parts, "The proposed policy lets the same pass of this change as base's.")
	}
	if n := countLooser(s); n > 0 {
		text := plural(n, "setting") + " of it are looser than base's."
		if n == 1 {
			text = "1 setting of it is looser than base's."
		}
		parts = append(parts, text)
		if class == "ok" {
			class = "warning"
		}
	}
	return strings.Join(parts, " "), class
}

func countLooser(s *checks.Simulation) int {
	n := 0
	for _, c := range s.Settings {
		if c.Direction == "looser" {
			n++
		}
	}
	return n
}

// short is the part of a title; empty if there is nothing to warn of.
func (p *proposed) short() string {
	s := p.s
	switch {
	case len(s.Errors) > 0:
		return "new policy is invalid"
	case s.After == nil:
		return "new policy not simulated"
	case s.Passes > 0:
		return fmt.Sprintf("new policy would let %d pass", s.Passes)
	case s.After.Passes && !s.Before.Passes:
		return "new policy would let it pass"
	case countLooser(s) > 0:
		return "new policy is looser"
	}
	return ""
}

// notAnew says which settings' effects are not in the simulation.
func (p *proposed) notAnew(each func(string) string) string {
	const most = 20
	var keys []string
	for i, k := range p.unshown {
		if i == most {
			keys = append(keys, fmt.Sprintf("and %d more", len(p.unshown)-i))
			break
		}
		keys = append(keys, each(k))
	}
	return "Not in this: what " + strings.Join(keys, ", ") + " would have run otherwise."
}

// runAnew says how that is found out.
const runAnew = "specgate policy simulate"

func effectRank(f *checks.FindingChange) int {
	switch {
	case f.Passes():
		return 0
	case f.Stops():
		return 1
	}
	return 2
}

func effect(f *checks.FindingChange) string {
	return [...]string{"would pass", "would block", "changes"}[effectRank(f)]
}

func stateWords(s *checks.FindingState) string {
	if s == nil {
		return "not reported"
	}
	text := s.Severity.String()
	if s.Waived != nil {
		text += ", waived by " + s.Waived.ID
	}
	if s.Blocks {
		text += ", blocks"
	}
	return text
}

func value(s *string) string {
	if s == nil {
		return "not set"
	}
	return *s
}

// The most of a simulation that is shown where the room is limited.
const (
	maxValue          = 300 // bytes of a setting's value
	maxSettings       = 50
	maxSimulated      = 50
	maxProposedErrors = 20
)

// simulation writes what the proposed policy would make of the change. Everything is shown of one that was asked for.
func (t *text) simulation(s *checks.Simulation, everything bool) {
	p := newProposed(s)
	styles := map[string]style{"ok": green, "warning": yellow, "error": red}
	t.printf("%s %s\n", t.paint(bold, "proposed policy:"), t.paint(styles[p.class], escapeTerminal(p.verdict)))
	t.printf("  %s\n", byBase)
	few := func(n, most int) int {
		if everything {
			return n
		}
		return min(n, most)
	}
	more := func(n, shown int, word string) {
		if n > shown {
			t.printf("  … and %s more\n", plural(n-shown, word))
		}
	}
	n := few(len(s.Errors), maxProposedErrors)
	for _, e := range s.Errors[:n] {
		t.printf("  %s: %s\n", place(e.File, e.Span.Start), escapeTerminal(e.Message))
	}
	more(len(s.Errors), n, "error")
	if s.After != nil {
		t.printf("  now:  %s\n  then: %s\n", p.before, p.after)
	}
	n = few(len(s.Settings), maxSettings)
	for _, c := range s.Settings[:n] {
		t.printf("  %-9s %s: %s -> %s\n", directionWord(c), escapeLine(c.Key, maxValue), escapeLine(value(c.Before), maxValue), escapeLine(value(c.After), maxValue))
	}
	more(len(s.Settings), n, "setting")
	n = few(len(p.findings), maxSimulated)
	for _, f := range p.findings[:n] {
		t.printf("  %-11s %s %s %s: %s -> %s\n", effect(f), escapeTerminal(f.Rule), place(f.File, f.Span.Start), escapeTerminal(f.Symbol),
			escapeTerminal(stateWords(f.Before)), escapeTerminal(stateWords(f.After)))
	}
	more(len(p.findings), n, "finding")
	n = few(len(s.Reasons), maxSimulated)
	for _, c := range s.Reasons[:n] {
		t.printf("  %s (%s): %s\n", reasonWords(c.Change), escapeTerminal(c.Stage), escapeTerminal(c.Text))
	}
	more(len(s.Reasons), n, "reason")
	if len(p.unshown) > 0 {
		t.printf("  %s Run: %s\n", p.notAnew(func(k string) string { return escapeLine(k, maxValue) }), runAnew)
	}
}

func reasonWords(change string) string {
	if change == "added" {
		return "not checked, told then only"
	}
	return "not checked, told now only"
}

// Simulation writes for a person at a terminal what `policy simulate` found out.
func Simulation(w io.Writer, r *checks.SimulationReport, o TextOptions) error {
	t := &text{o: o, width: narrow()}
	if r.Simulation == nil {
		t.printf("The policy is the same in both: there is nothing to simulate. Name another with --policy.\n")
	} else {
		t.printf("base: %s, judged by the policy %s\nhead: %s, proposed is the policy %s\n", revision(r.Base.Rev), escapeTerminal(r.Policy.Source), revision(r.Head.Rev),
			escapeTerminal(r.Simulation.Policy.Source))
		t.simulation(r.Simulation, true)
	}
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("write simulation: %w", err)
	}
	return nil
}

// simulation as Markdown, of at most about 24 KiB.
func (v *view) simulation(p *page) {
	s := v.r.Simulation
	if s == nil {
		return
	}
	q := newProposed(s)
	p.add("### The proposed policy\n\n**" + prose(q.verdict, 3000) + "** " + byBase + "\n\n")
	if len(s.Errors) > 0 {
		p.list(len(s.Errors), 4000, func(i int) string {
			e := s.Errors[i]
			return "- " + code(fmt.Sprintf("%s:%s", e.File, e.Span.Start), 600) + ": " + prose(e.Message, 1000) + "\n"
		}, func(n int) string { return fmt.Sprintf("- … and %d more\n", n) })
		p.add("\n")
	}
	if s.After != nil {
		fmt.Fprintf(&p.b, "- Now: %s\n- With the proposed policy: %s\n\n", q.before, q.after)
	}
	if len(s.Settings) > 0 {
		p.add("| setting | base | proposed | |\n|---|---|---|---|\n")
		p.list(len(s.Settings), 6000, func(i int) string {
			c := s.Settings[i]
			return fmt.Sprintf("| %s | %s | %s | %s |\n", code(c.Key, maxValue), settingCell(c.Before), settingCell(c.After), directionCell(c))
		}, func(n int) string { return fmt.Sprintf("| … and %d more | | | |\n", n) })
		p.add("\n")
	}
	if len(q.findings) > 0 {
		p.add("| finding | in | now | then | |\n|---|---|---|---|---|\n")
		p.list(len(q.findings), 8000, func(i int) string {
			f := q.findings[i]
			word := effect(f)
			if f.Passes() {
				word = "**" + word + "**"
			}
			return fmt.Sprintf("| %s | %s<br>%s | %s | %s | %s |\n", markdown(f.Rule, 200), code(f.Symbol, 400), code(fmt.Sprintf("%s:%s", f.File, f.Span.Start), 400),
				markdown(stateWords(f.Before), 300), markdown(stateWords(f.After), 300), word)
		}, func(n int) string { return fmt.Sprintf("| … and %d more | | | | |\n", n) })
		p.add("\n")
	}
	if len(s.Reasons) > 0 {
		p.list(len(s.Reasons), 3000, func(i int) string {
			c := s.Reasons[i]
			return "- " + reasonWords(c.Change) + ": " + markdown(c.Stage, 100) + ": " + prose(c.Text, 1000) + "\n"
		}, func(n int) string { return fmt.Sprintf("- … and %d more\n", n) })
		p.add("\n")
	}
	if len(q.unshown) > 0 {
		p.add(q.notAnew(func(k string) string { return code(k, maxValue) }) + " Run: `" + runAnew + "`\n\n")
	}
}

func settingCell(s *string) string {
	if s == nil {
		return "not set"
	}
	return code(*s, maxValue)
}

// directionWord is a word of specgate's own, whatever a report says.
func directionWord(c checks.SettingChange) string {
	if c.Direction == "looser" || c.Direction == "stricter" {
		return string(c.Direction)
	}
	return "otherwise"
}

func directionCell(c checks.SettingChange) string {
	switch word := directionWord(c); word {
	case "looser":
		return "**looser**"
	case "otherwise":
		return ""
	default:
		return word
	}
}

// htmlProposed is the simulation on the page.
type htmlProposed struct {
	Class, Verdict, ByBase string
	Errors                 []htmlReason
	Before, After          string
	Settings               []htmlSetting
	Findings               []htmlChange
	Reasons                []htmlReason
	Unshown                []string
	Command                string
	Left                   []string // what is not shown
}

type htmlSetting struct {
	Key, Before, After string
	Direction          htmlState
}

type htmlChange struct {
	Rule, Symbol, Place string
	Before, After       string
	Effect              htmlState
}

// The most of a simulation that the page shows.
const htmlChanges = 200

func simulationPart(s *checks.Simulation) *htmlProposed {
	if s == nil {
		return nil
	}
	p := newProposed(s)
	out := &htmlProposed{Class: p.class, Verdict: visible(cut(p.verdict, 4000)), ByBase: byBase, Before: p.before, After: p.after, Command: runAnew}
	few := func(n int, word string) int {
		if n > htmlChanges {
			out.Left = append(out.Left, plural(n-htmlChanges, word))
			return htmlChanges
		}
		return n
	}
	for _, e := range s.Errors[:few(len(s.Errors), "error")] {
		out.Errors = append(out.Errors, htmlReason{htmlPlace(e.File, e.Span.Start), clip(e.Message)})
	}
	for _, c := range s.Settings[:few(len(s.Settings), "setting")] {
		state := htmlState{"quiet", "", "otherwise"}
		switch directionWord(c) {
		case "looser":
			state = htmlState{"error", "▼", "looser"}
		case "stricter":
			state = htmlState{"ok", "▲", "stricter"}
		}
		out.Settings = append(out.Settings, htmlSetting{label(c.Key), clip(value(c.Before)), clip(value(c.After)), state})
	}
	for _, f := range p.findings[:few(len(p.findings), "finding")] {
		state := [...]htmlState{{"error", "▼", effect(f)}, {"warning", "▲", effect(f)}, {"quiet", "", effect(f)}}[effectRank(f)]
		out.Findings = append(out.Findings, htmlChange{label(f.Rule), label(f.Symbol), htmlPlace(f.File, f.Span.Start), clip(stateWords(f.Before)), clip(stateWords(f.After)), state})
	}
	for _, c := range s.Reasons[:few(len(s.Reasons), "reason")] {
		out.Reasons = append(out.Reasons, htmlReason{reasonWords(c.Change) + ", " + word(c.Stage), clip(c.Text)})
	}
	for _, k := range p.unshown[:few(len(p.unshown), "setting that would have something else run")] {
		out.Unshown = append(out.Unshown, label(k))
	}
	return out
}

package annotate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
)

// maxJobSummary is less than the 1 MiB that a step may write, which others of the same step may have begun to fill.
const maxJobSummary = 1000 * 1000

// Summary writes the report for the summary of a job, as Markdown of at most 1,000,000 bytes. Rows and findings that do not fit are
// counted.
func Summary(w io.Writer, r *checks.Report, o Options) error {
	v := newView(r, o)
	return v.document(w, &page{limit: maxJobSummary}, "summary", "", v.chart)
}

// NoResult writes, for the summary of a job, that a run has no result and why.
func NoResult(w io.Writer, cause string) error {
	const most = 16 << 10
	if _, err := io.WriteString(w, "## specgate: could not check\n\nNothing is known about the change.\n\n"+fenced(cause, most)); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

// document writes the report as Markdown: a marker in front, and something of its own behind the overview.
func (v *view) document(w io.Writer, p *page, name, marker string, more func(*page)) error {
	p.add(marker + "## specgate: " + markdown(v.title(), maxTitle*4) + "\n\n")
	v.overview(p)
	v.simulation(p)
	more(p)
	v.reasons(p)
	local := v.local()
	// Half of the room is for functions, so that neither part can push the other out.
	v.functions(p, (p.limit-p.b.Len()-len(local))/2)
	v.findings(p, p.limit-p.b.Len()-len(local))
	p.add(local)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// page is Markdown of a limited size.
type page struct {
	b     strings.Builder
	limit int
}

func (p *page) add(s string) { p.b.WriteString(s) }

// list adds items, whole ones only, as long as they and the line that says how many are left out fit into so many bytes. Unless all
// fit, the line comes last.
func (p *page) list(n, room int, item func(int) string, left func(int) string) {
	reserve := len(left(n))
	start := p.b.Len()
	for i := range n {
		s := item(i)
		need := len(s)
		if i < n-1 {
			need += reserve
		}
		if p.b.Len()-start+need > room {
			if p.b.Len()-start+reserve <= room {
				p.add(left(n - i))
			}
			return
		}
		p.add(s)
	}
}

// summary of a check run: what a reviewer sees first.
func (v *view) summary(limit int) string {
	p := &page{limit: limit}
	v.overview(p)
	v.simulation(p)
	v.reasons(p)
	local := v.local()
	v.functions(p, limit-p.b.Len()-len(local))
	p.add(local)
	return p.b.String()
}

// text of a check run: the findings.
func (v *view) text(limit, noAnnotation int) string {
	p := &page{limit: limit}
	if noAnnotation > 0 {
		p.add(plural(noAnnotation, "finding") + " of those below " + isOrAre(noAnnotation) +
			" not marked in the files, where a function and a check run have so many marks and no more.\n\n")
	}
	v.findings(p, limit-p.b.Len())
	return p.b.String()
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// overview says in a few lines what was compared and what came of it, and what each number counts.
func (v *view) overview(p *page) {
	r := v.r
	counts := map[string]int{}
	for _, f := range v.open {
		counts[f.Severity.String()]++
	}
	fmt.Fprintf(&p.b, "**Outcome: %s.** %s, %s, %s, %d waived; %d blocking.\n\n", r.Outcome, plural(counts["error"], "error"),
		plural(counts["warning"], "warning"), plural(counts["notice"], "notice"), len(v.waived), v.blocking)
	fmt.Fprintf(&p.b, "- Compared: base %s, head %s\n", code(shortRevision(r.Base.Rev), 600), code(shortRevision(r.Head.Rev), 600))
	fmt.Fprintf(&p.b, "- Policy: %s\n", code(r.Policy.Source, 600))
	c := r.Counts
	fmt.Fprintf(&p.b, "- Proof: %s = %d proved + %d failed + %d timed out + %d internal error + %d unsupported + %d skipped\n",
		plural(c.Selected, "function"), c.Proved, c.Failed, c.TimedOut, c.InternalError, c.Unsupported, c.Skipped)
	if s := v.strength(); s.functions > 0 {
		fmt.Fprintf(&p.b, "- Strength: lowest %s, mean %s over %s; seed %d\n", s.lowest, share01(s.mean), plural(s.functions, "measured function"), r.Seed)
	} else {
		p.add("- Strength: not measured\n")
	}
	if s := r.Score; s.Head != nil {
		fmt.Fprintf(&p.b, "- Score: %s", share01(*s.Head))
		switch {
		case s.Delta != nil && s.Comparable:
			fmt.Fprintf(&p.b, " (%s)", difference01(*s.Delta))
		case s.Delta != nil:
			fmt.Fprintf(&p.b, " (%s, not comparable: the suites differ)", difference01(*s.Delta))
		}
		p.add("\n")
	}
	if t := r.Tools.Verus; t != nil {
		fmt.Fprintf(&p.b, "- Verifier: Verus %s\n", code(t.Version, 600))
	}
	p.add("\n")
}

func shortRevision(rev string) string {
	if rev == "" {
		return "unknown"
	}
	return revision(rev)
}

// reasons say what was not checked.
func (v *view) reasons(p *page) {
	if len(v.r.Reasons) == 0 {
		return
	}
	p.add("### Not checked\n\n")
	const most = 8000
	p.list(len(v.r.Reasons), most, func(i int) string {
		reason := v.r.Reasons[i]
		return "- " + markdown(reason.Stage, 100) + ": " + prose(reason.Text, 1000) + "\n"
	}, func(n int) string { return fmt.Sprintf("- … and %d more\n", n) })
	p.add("\n")
}

// functions is a table with a row for each function, those with the worst findings first.
func (v *view) functions(p *page, room int) {
	if len(v.r.Functions) == 0 {
		return
	}
	worst := map[string]int{}
	for _, f := range v.open {
		worst[f.Symbol] = max(worst[f.Symbol], rank(f.Severity.String()))
	}
	order := make([]*checks.Function, len(v.r.Functions))
	for i := range v.r.Functions {
		order[i] = &v.r.Functions[i]
	}
	slices.SortStableFunc(order, func(a, b *checks.Function) int { return cmp.Compare(worst[b.Symbol], worst[a.Symbol]) })
	const head = "### Functions\n\n| function | proof | trust | edit | contract | strength | delta |\n|---|---|---|---|---|---|---|\n"
	if room < len(head)+1000 {
		return
	}
	p.add(head)
	p.list(len(order), room-len(head)-1, func(i int) string { return functionRow(order[i]) }, func(n int) string {
		return fmt.Sprintf("| … and %d more | | | | | | |\n", n)
	})
	p.add("\n")
}

func functionRow(f *checks.Function) string {
	const word = 80
	proof := f.Proof.Head
	if f.Proof.Base != "" && f.Proof.Base != f.Proof.Head {
		proof = f.Proof.Base + " → " + f.Proof.Head
	}
	contract := f.Contract.Direction
	if f.Contract.By != "" && f.Contract.By != "none" {
		contract += " (" + f.Contract.By + ")"
	}
	strength, delta := "–", "–"
	if s := f.Strength.Head; s != nil && s.Value != nil {
		strength = fmt.Sprintf("%s %s %s, %d of %d rejected", bar(*s.Value), share01(*s.Value), markdown(s.Label, word), s.Rejected, s.Rejected+s.Escaped)
		if s.Undecided > 0 {
			strength += fmt.Sprintf(", %d undecided", s.Undecided)
		}
		switch {
		case f.Strength.Delta != nil:
			delta = difference01(*f.Strength.Delta)
		case f.Strength.Base != nil:
			delta = "not comparable"
		}
	}
	edit := f.Executable
	if f.Change != "" && f.Change != f.Executable {
		edit = f.Change + ", code " + f.Executable
	}
	return fmt.Sprintf("| %s<br>%s | %s | %s | %s | %s | %s | %s |\n", code(f.Symbol, 400), code(fmt.Sprintf("%s:%d", f.File, f.Span.Start.Line), 400),
		markdown(proof, word), trustCell(f.Trust), markdown(edit, word), markdown(contract, word), strength, delta)
}

// trustCell says which kinds of sites came and went: "+assume 2, -axiom".
func trustCell(t checks.TrustDelta) string {
	var parts []string
	for _, side := range []struct {
		sign  string
		sites []checks.TrustSite
	}{{"+", t.Added}, {"-", t.Removed}} {
		var kinds []string
		counts := map[string]int{}
		for _, s := range side.sites {
			if counts[s.Kind] == 0 {
				kinds = append(kinds, s.Kind)
			}
			counts[s.Kind]++
		}
		slices.Sort(kinds)
		for i, k := range kinds {
			if i == 3 {
				parts = append(parts, fmt.Sprintf("%s%d other kinds", side.sign, len(kinds)-i))
				break
			}
			part := side.sign + markdown(k, 80)
			if counts[k] > 1 {
				part += fmt.Sprintf(" %d", counts[k])
			}
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, ", ")
}

// chart draws the strength of both sides, the weakest functions first.
func (v *view) chart(p *page) {
	var measured []*checks.Function
	for i := range v.r.Functions {
		if s := v.r.Functions[i].Strength.Head; s != nil && s.Value != nil {
			measured = append(measured, &v.r.Functions[i])
		}
	}
	if len(measured) == 0 {
		return
	}
	slices.SortStableFunc(measured, func(a, b *checks.Function) int {
		return cmp.Compare(*a.Strength.Head.Value, *b.Strength.Head.Value)
	})
	const most, widest = 20, 40
	shown := measured[:min(len(measured), most)]
	width := narrow()
	names := make([]string, len(shown))
	column := 0
	for i, f := range shown {
		names[i] = width.Truncate(escapeLine(f.Symbol, 400), widest, ellipsis)
		column = max(column, width.StringWidth(names[i]))
	}
	var b strings.Builder
	for i, f := range shown {
		pad := strings.Repeat(" ", column-width.StringWidth(names[i]))
		if base := f.Strength.Base; base != nil && base.Value != nil {
			fmt.Fprintf(&b, "%s%s  base %s %s\n", names[i], pad, bar(*base.Value), share01(*base.Value))
			names[i], pad = "", strings.Repeat(" ", column)
		}
		fmt.Fprintf(&b, "%s%s  head %s %s\n", names[i], pad, bar(*f.Strength.Head.Value), share01(*f.Strength.Head.Value))
	}
	if n := len(measured) - len(shown); n > 0 {
		fmt.Fprintf(&b, "… and %d more\n", n)
	}
	p.add("### Strength\n\n" + fenced(b.String(), 20000) + "\n")
}

// findings in full, the most important first, then those with a waiver, a line each.
func (v *view) findings(p *page, room int) {
	start := p.b.Len()
	left := func() int { return room - (p.b.Len() - start) }
	if len(v.r.Findings) == 0 {
		if note := "No findings.\n\n"; len(note) <= room {
			p.add(note)
		}
		return
	}
	waived := ""
	if len(v.waived) > 0 {
		waived = "### Waived\n\n"
	}
	// What is waived gets a tenth of the room at least, if it needs that.
	if len(v.open) > 0 {
		const head = "### Findings\n\n"
		p.add(head)
		room := left()
		if waived != "" {
			room -= room / 10
		}
		p.list(len(v.open), room, func(i int) string { return v.finding(v.open[i]) }, func(n int) string {
			return fmt.Sprintf("**%s left out here for want of room.** `specgate check` shows them all.\n\n", plural(n, "finding")+" "+isOrAre(n))
		})
	}
	if waived != "" && left() > len(waived)+1 {
		p.add(waived)
		p.list(len(v.waived), left()-1, func(i int) string {
			f := v.waived[i]
			return fmt.Sprintf("- %s in %s: waived by %s\n", markdown(f.Rule, 100), code(f.Symbol, 400), code(f.Waived.ID, 500))
		}, func(n int) string { return fmt.Sprintf("- … and %d more\n", n) })
		p.add("\n")
	}
}

// finding as Markdown, at most about 16 KiB.
func (v *view) finding(f *checks.Finding) string {
	const most = 3000
	var b strings.Builder
	blocks := ""
	if v.blocks(f) {
		blocks = ", blocks"
	}
	fmt.Fprintf(&b, "#### %s%s: %s in %s\n\n%s\n\n", f.Severity, blocks, markdown(f.Rule, 200), code(f.Symbol, 400),
		code(fmt.Sprintf("%s:%s", f.File, f.Span.Start), 600))
	b.WriteString(prose(f.Message, most) + "\n\n")
	if example := witness(f); example != "" {
		b.WriteString("For example: " + code(example, most) + "\n\n")
	}
	if remedy := v.remedy(f); remedy != "" {
		b.WriteString("**What to do:** " + prose(remedy, most) + "\n\n")
	}
	if f.Detail != "" {
		b.WriteString("<details><summary>Details</summary>\n\n" + fenced(f.Detail, most) + "\n</details>\n\n")
	}
	return b.String()
}

// local says how to run the same on one's own machine.
func (v *view) local() string { return "Run this locally: `" + v.command() + "`\n" }

// command makes the same comparison in a clone of the repository. It has no word that a shell reads in a way of its own.
func (v *view) command() string {
	command := "specgate check"
	if validRevision(v.r.Base.Rev) {
		command += " --base " + v.r.Base.Rev
	}
	switch head := v.r.Head.Rev; {
	case head == "index":
		command += " --staged"
	case validRevision(head):
		command += " --head " + head
	}
	if v.r.Seed != 0 {
		command += fmt.Sprintf(" --seed %d", v.r.Seed)
	}
	return command
}

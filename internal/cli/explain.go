package cli

import (
	"fmt"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
)

type explainCmd struct {
	Rule string `arg:"" optional:"" help:"The rule, such as trust/assume. Without it, all rules are listed."`
}

// Help is shown below the flags.
func (explainCmd) Help() string {
	return `Examples:

    specgate explain                 # every rule in a line
    specgate explain trust/assume`
}

func (c *explainCmd) Run(r *run) error {
	rules := engine.Rules()
	if c.Rule == "" {
		longest := 0
		for _, rule := range rules {
			longest = max(longest, len(rule.ID))
		}
		for _, rule := range rules {
			if _, err := fmt.Fprintf(r.stdout, "%-*s  %-7s  %s\n", longest, rule.ID, rule.Severity, rule.Purpose); err != nil {
				return err
			}
		}
		return nil
	}
	var ids []string
	for _, rule := range rules {
		if rule.ID == c.Rule {
			_, err := fmt.Fprint(r.stdout, explanation(rule))
			return err
		}
		ids = append(ids, rule.ID)
	}
	// Without its family, or a family alone.
	var like []string
	for _, id := range ids {
		family, name, _ := strings.Cut(id, "/")
		if name == c.Rule || family == c.Rule {
			like = append(like, id)
		}
	}
	if len(like) > 1 {
		return usagef("%q is not a rule but a family, of %s", c.Rule, strings.Join(like, ", "))
	}
	hint := host.DidYouMean(c.Rule, ids)
	if len(like) == 1 {
		hint = fmt.Sprintf("; did you mean %q?", like[0])
	}
	if hint != "" {
		return usagef("there is no rule %q%s or list them all with: specgate explain", c.Rule, hint)
	}
	return usagef("there is no rule %q; list them all with: specgate explain", c.Rule)
}

func explanation(rule *checks.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n%s\n\n", rule.ID, rule.Severity, rule.Purpose)
	if rule.Why != "" {
		fmt.Fprintf(&b, "Why it matters: %s\n\n", rule.Why)
	}
	if rule.Otherwise != nil {
		fmt.Fprintf(&b, "What a finding weighs: %s.\n\n", rule.Weights())
	}
	if rule.Remedy != "" {
		fmt.Fprintf(&b, "What to do: %s\n\n", rule.Remedy)
	}
	example := func(title string, e checks.Example) {
		if e.Base == "" && e.Head == "" {
			return
		}
		fmt.Fprintf(&b, "%s\n\n", title)
		part := func(side, text string) {
			fmt.Fprintf(&b, "  %s\n", side)
			for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
				fmt.Fprintf(&b, "%s\n", strings.TrimRight("    "+line, " "))
			}
			b.WriteByte('\n')
		}
		if e.Base != "" {
			part("base:", e.Base)
		}
		if e.Head != "" {
			part("head:", e.Head)
		}
	}
	example("An example that is reported:", rule.Fires)
	example("An example that is not:", rule.Quiet)
	if rule.Mirror != "" {
		fmt.Fprintf(&b, "The opposite change: %s\n\n", rule.Mirror)
	}
	fmt.Fprintf(&b, "Its severity is set in the policy file, under [rules]: \"%s\" = \"error\" (or warning, notice, off)\n", rule.ID)
	return b.String()
}

package cli

import (
	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/engine"
)

type spectestCmd struct {
	File     string `arg:"" help:"A Rust file of the crate that has the function."`
	Function string `placeholder:"SYMBOL" help:"The function, such as stack::Stack::push. Default: the one that the cases name."`
	Cases    string `placeholder:"FILE" required:"" help:"The cases: JSON, see docs/spectest.md."`
	Format   string `placeholder:"FORMAT" enum:"text,json" default:"text" help:"What to write to stdout: text or json (a line for each case)."`
}

// Help is shown below the flags.
func (spectestCmd) Help() string {
	return `Says of each case, some arguments and a result, whether the contract rejects it or lets it escape. A wrong result that escapes shows that the contract is weaker than it looks. Nothing is run and nothing is proved.

Examples:

    specgate spectest src/largest.rs --function largest::max_of --cases max_of.json
    specgate spectest src/largest.rs --cases max_of.json --format json | jq 'select(.verdict == "escaped")'

Exit codes: 0 every case was decided, 2 a usage error or something that cannot be read, 3 some cases are undecided.`
}

func (c *spectestCmd) Run(r *run) error {
	counts, err := engine.Spectest(r.ctx, engine.SpectestOptions{File: c.File, Function: c.Function, Cases: c.Cases, Log: r.log},
		func(l annotate.SpectestLine) error {
			if c.Format == "json" {
				return annotate.SpectestJSON(r.stdout, l)
			}
			return annotate.Spectest(r.stdout, l, textOptions(r.stdout))
		})
	total := counts.Rejected + counts.Escaped + counts.Undecided
	if c.Format == "text" && (err == nil || total > 0) {
		if err := annotate.SpectestSummary(r.stdout, counts); err != nil {
			return err
		}
	}
	if counts.Undecided > counts.Unreadable {
		if err != nil {
			r.log.Error(err.Error())
		}
		return exit(exitIncomplete)
	}
	if err == nil && counts.Unreadable > 0 {
		err = usagef("%s: %d of %d cases could not be read; their lines say why", c.Cases, counts.Unreadable, total)
	}
	return err
}

package cli

import (
	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/engine"
)

type trustCmd struct {
	Path   string `arg:"" optional:"" default:"." help:"A directory, or a Rust file. Default: the current directory."`
	Format string `placeholder:"FORMAT" enum:"text,json" default:"text" help:"What to write to stdout: text or json."`
	Jobs   int    `placeholder:"N" default:"0" help:"Files to parse at once. Default: the number of processors."`
}

// Help is shown below the flags.
func (trustCmd) Help() string {
	return `Lists every place below a path where something is believed without proof: assume, admit, external_body, axioms and the like. In a git repository that is its working tree without what is ignored, elsewhere the plain directory.

Examples:

    specgate trust
    specgate trust src/ring.rs
    specgate trust --format json | jq '.sites | group_by(.kind) | map({(.[0].kind): length}) | add'

Exit codes: 0 the list is whole; 2 a usage error; 3 not everything could be read or understood, and the list says what.`
}

func (c *trustCmd) Run(r *run) error {
	if c.Jobs < 0 {
		return usagef("--jobs %d: it must not be negative", c.Jobs)
	}
	ledger, err := engine.Trust(r.ctx, c.Path, jobs(c.Jobs), version())
	if err != nil {
		return err
	}
	if n := len(ledger.Unparsed); n > 0 {
		r.log.Warn("the ledger may be incomplete: not everything was understood", "places", n)
	}
	if c.Format == "json" {
		err = ledger.WriteJSON(r.stdout)
	} else {
		err = annotate.Ledger(r.stdout, ledger, textOptions(r.stdout))
	}
	if err == nil && len(ledger.Unparsed) > 0 {
		return exit(exitIncomplete)
	}
	return err
}

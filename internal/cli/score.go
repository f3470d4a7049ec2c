package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/policy"
)

type scoreCmd struct {
	Paths       []string `arg:"" name:"path" help:"Rust files, and directories of them."`
	Function    string   `placeholder:"GLOB" help:"Only functions whose symbol matches, such as 'stack::**'. Default: all that have a contract."`
	Baseline    string   `placeholder:"FILE" help:"The original of the one file that is named: what was changed in it, but for proofs and stronger contracts, is a bypass."`
	Verus       string   `placeholder:"PATH" env:"SPECGATE_VERUS" help:"Verify each crate with this executable of Verus, or the one in this directory. Without it no function is proved."`
	Rustc       string   `placeholder:"PATH" env:"SPECGATE_RUSTC" help:"Compile the functions with this rustc. Named so, they are run also where they cannot be isolated. Default: the one on PATH."`
	NoRun       bool     `env:"SPECGATE_NO_RUN" help:"Run nothing: the strength of contracts is not measured."`
	Inputs      int      `placeholder:"N" default:"32" help:"Inputs of a function's suite. Default: 32."`
	Mutants     int      `placeholder:"N" default:"60" help:"The most mutants of a function. Default: 60."`
	MinSuite    int      `placeholder:"N" default:"8" help:"How many spectests must be decided for a strength to count. Default: 8."`
	CountDomain bool     `help:"Count inputs that the precondition excludes as wrong results that are allowed, where the function returns for them all the same."`
	Seed        uint64   `placeholder:"N" default:"0" help:"Seed of what is drawn at random."`
	Jobs        int      `placeholder:"N" default:"0" help:"Files to look at at once. Default: the number of processors."`
}

// Help is shown below the flags.
func (scoreCmd) Help() string {
	return `Says what the contracts of functions are worth as they stand, from 0 to 1, and where the rest was lost: a line of JSON for each function, as it is done. Functions are compiled and run, isolated. The fields are explained in docs/score.md.

Examples:

    specgate score src/largest.rs --function largest::max_of
    specgate score --verus verus out/*.rs | jq -c '{symbol, reward, lost}'
    specgate score --verus verus --baseline original.rs attempt.rs

Exit codes: 0 every file was looked at, whatever the rewards, 2 a usage error, 3 could not complete.`
}

func (c *scoreCmd) Run(r *run) error {
	for _, n := range []struct {
		flag         string
		value, least int
	}{{"--jobs", c.Jobs, 0}, {"--inputs", c.Inputs, 1}, {"--mutants", c.Mutants, 0}, {"--min-suite", c.MinSuite, 1}} {
		if n.value < n.least {
			return usagef("%s %d: the least is %d", n.flag, n.value, n.least)
		}
	}
	if err := checkPrograms(c.Verus, c.Rustc, c.NoRun); err != nil {
		return err
	}
	p := filesDone{w: r.stderr, terminal: isTerminal(r.stderr), next: time.Now().Add(betweenLines)}
	lines := 0
	err := engine.Score(r.ctx, engine.ScoreOptions{Paths: c.Paths, Function: c.Function, Baseline: c.Baseline, Verifier: host.Verifier(c.Verus), Compiler: host.Compiler(c.Rustc, c.NoRun),
		Strength: policy.Strength{Inputs: c.Inputs, Mutants: c.Mutants, Seed: c.Seed, CountDomain: c.CountDomain}, MinSuite: c.MinSuite, Jobs: jobs(c.Jobs), Log: r.log, Progress: p.show},
		func(l annotate.ScoreLine) error {
			lines++
			return annotate.ScoreJSON(r.stdout, l)
		})
	p.end()
	if err == nil && lines == 0 {
		what := "has a contract"
		if c.Function != "" {
			what = fmt.Sprintf("has a symbol that matches %q", c.Function)
		}
		fmt.Fprintf(r.stderr, "specgate: nothing was scored: no function with executable code %s\n", what)
	}
	return err
}

// betweenLines is the time between two lines of progress where they are kept.
const betweenLines = 10 * time.Second

// filesDone tells how much is done: in one line that is written anew on a terminal, and in a line now and then elsewhere.
type filesDone struct {
	w        io.Writer
	terminal bool
	shown    bool
	next     time.Time
}

func (p *filesDone) show(done, all int) {
	switch {
	case all < 2:
	case p.terminal:
		fmt.Fprintf(p.w, "\r%d of %d files", done, all)
		p.shown = true
	case done < all && time.Now().After(p.next):
		fmt.Fprintf(p.w, "%d of %d files\n", done, all)
		p.next = time.Now().Add(betweenLines)
	}
}

func (p *filesDone) end() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

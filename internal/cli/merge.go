package cli

import (
	"errors"

	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/shard"
)

type mergeCmd struct {
	Shards []string `arg:"" name:"shard" help:"Files that check --shard wrote: all of them, in any order."`
	scopeFlags
	Seed   *uint64  `placeholder:"N" help:"Seed of what is drawn at random. Default: strength.seed of the policy."`
	Policy string   `placeholder:"FILE" help:"Policy to judge by. Default: .specgate.toml of the base revision."`
	Format string   `placeholder:"FORMAT" enum:"text,json,sarif,html,markdown,github" default:"text" help:"What to write to stdout: text, json, sarif, html, markdown (a comment on a pull request) or github (workflow commands)."`
	Output []string `placeholder:"FORMAT=FILE" sep:"none" help:"Write the report to a file too; may be repeated."`
	Jobs   int      `placeholder:"N" default:"0" help:"Files to parse at once. Default: the number of processors."`
}

// Help is shown below the flags.
func (mergeCmd) Help() string {
	return `Makes one report of all shards of a check: the one that a check in one run would have made. It needs the repository, and the flags that say what was checked must be those of the shards; neither a verifier nor a compiler is run. That every shard is there is checked, and that they are of the same change, policy, tools and version. What they say is believed, like a report.

Examples:

    specgate check --shard 1/3 --output json=shard-1.json
    specgate check --shard 2/3 --output json=shard-2.json
    specgate check --shard 3/3 --output json=shard-3.json
    specgate merge shard-1.json shard-2.json shard-3.json --output json=report.json

Exit codes: 0 clean, 1 findings at or above the policy's fail-on, 2 a usage or policy error, or a file that is no shard, 3 could not complete: also when a shard is missing, or when shards do not belong together.`
}

func (c *mergeCmd) Run(r *run) error {
	outputs, err := parseOutputs(c.Output)
	if err != nil {
		return err
	}
	flags := changeFlags{scopeFlags: c.scopeFlags, Seed: c.Seed, Jobs: c.Jobs, NoCache: true}
	o, err := flags.options(r.log)
	if err != nil {
		return err
	}
	o.Policy = c.Policy
	files := make([]*shard.File, len(c.Shards))
	for i, name := range c.Shards {
		if files[i], err = shard.Open(name); err != nil {
			return err
		}
	}
	result, err := engine.MergeShards(r.ctx, o, files)
	if err != nil {
		return err
	}
	return writeResult(r, result, c.Format, outputs)
}

// runShard does one part of a check, and writes it down.
func (c *checkCmd) runShard(r *run, o engine.Options, outputs []output) error {
	n, err := shard.ParseNumber(c.Shard)
	if err != nil {
		return usageError{errors.New("--shard " + err.Error())}
	}
	if c.Format != "json" && c.Format != "text" {
		return usagef("--format %s: a shard is no report; `specgate merge` makes one of all shards, in any format", c.Format)
	}
	if c.Format == "text" && len(outputs) == 0 {
		return usagef("--shard %v: name a file to write for `specgate merge`, with --output json=FILE, or write it to stdout with --format json", n)
	}
	for _, x := range outputs {
		if x.format != "json" {
			return usagef("--output %s=%s: a shard is no report, and is written as json only; `specgate merge` makes a report of all shards, in any format", x.format, x.file)
		}
	}
	file, err := host.InTime(c.Timeout, func() (*shard.File, error) { return engine.CheckShard(r.ctx, o, n) })
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = file.Write(r.stdout)
	} else {
		err = file.WriteText(r.stdout)
	}
	if err != nil {
		return err
	}
	for _, x := range outputs {
		if err := host.WriteFile(x.file, file.Write); err != nil {
			return err
		}
	}
	if file.Unfinished != "" {
		return exit(exitIncomplete)
	}
	return nil
}

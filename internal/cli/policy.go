package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/policy"
)

type policyCmd struct {
	Init     policyInitCmd     `cmd:"" help:"Write a policy file that holds every default."`
	Check    policyCheckCmd    `cmd:"" help:"Check a policy file."`
	Explain  policyExplainCmd  `cmd:"" help:"Say which line of the policy decides what for a symbol."`
	Simulate policySimulateCmd `cmd:"" help:"Say what another policy would make of a change: what would pass, and what would block."`
}

type policyInitCmd struct {
	Repo string `placeholder:"DIR" default:"." help:"Directory of the repository. Default: the current one."`
}

// Help is shown below the flags.
func (policyInitCmd) Help() string {
	return `Writes .specgate.toml into the root of the repository; never overwrites one.

Examples:

    specgate policy init
    specgate policy init --repo ../ring`
}

func (c *policyInitCmd) Run(r *run) error {
	if _, err := os.Stat(c.Repo); errors.Is(err, fs.ErrNotExist) {
		return usagef("write the policy: there is no directory %s", c.Repo)
	}
	name, err := policyFile(r.ctx, c.Repo)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usagef("%s is already there; look at it with: specgate policy check", name)
	case err != nil:
		return fmt.Errorf("write the policy: %w", err)
	}
	if _, err := f.Write(policy.Init()); err != nil {
		return errors.Join(fmt.Errorf("write the policy: %w", err), f.Close())
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write the policy: %w", err)
	}
	if _, err := fmt.Fprintf(r.stdout, "wrote %s\n", name); err != nil {
		return err
	}
	if in, err := engine.InRepository(r.ctx, c.Repo); err != nil || in {
		return err
	}
	_, err = fmt.Fprintf(r.stderr, "specgate: %s is in no git repository, and check reads the policy of one, in its root\n", name)
	return err
}

// policyFile is the policy of the repository that a directory is in: check reads the one in the root only. It is relative to the current
// directory where that is shorter.
func policyFile(ctx context.Context, dir string) (string, error) {
	root, err := engine.Root(ctx, dir)
	if err != nil {
		return "", err
	}
	name := filepath.Join(root, policy.FileName)
	wd, err := os.Getwd()
	if err != nil {
		return name, nil
	}
	if wd, err = filepath.EvalSymlinks(wd); err != nil { // the root is a real path
		return name, nil
	}
	if rel, err := filepath.Rel(wd, name); err == nil && len(rel) < len(name) && filepath.IsAbs(name) {
		return rel, nil
	}
	return name, nil
}

type policyCheckCmd struct {
	File string `arg:"" optional:"" help:"The policy file. Default: .specgate.toml in the root of the repository."`
}

// Help is shown below the flags.
func (policyCheckCmd) Help() string {
	return `Unknown keys, wrong types, bad globs, unknown rules and waivers that have run out are errors. In a repository, it warns of globs that match no file of the working tree, and of a scope without any Rust file.

Examples:

    specgate policy check
    specgate policy check ci/strict.toml

Exit codes: 0 the policy is good; 2 a usage error, or mistakes in the policy.`
}

func (c *policyCheckCmd) Run(r *run) error {
	file, err := c.File, error(nil)
	if file == "" {
		if file, err = policyFile(r.ctx, "."); err != nil {
			return err
		}
	}
	p, err := readPolicy(file)
	if err != nil {
		return err
	}
	if err := policy.Check(p, today()); err != nil {
		return err
	}
	idle, judges, err := engine.Idle(r.ctx, filepath.Dir(file), p)
	if err != nil {
		return err
	}
	for _, setting := range idle {
		if _, err := fmt.Fprintf(r.stderr, "specgate: warning: %s: %s matches no file of the repository\n", file, setting); err != nil {
			return err
		}
	}
	if !judges {
		if _, err := fmt.Fprintf(r.stderr, "specgate: warning: %s: no Rust file of the repository is in the scope, so that a check of one does not pass\n", file); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(r.stdout, "%s is a good policy\n", file)
	return err
}

func readPolicy(file string) (*policy.Policy, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if filepath.Base(file) == policy.FileName {
			return nil, usagef("there is no policy %s; write one with: specgate policy init", file)
		}
		return nil, usagef("there is no policy %s; check the path", file)
	}
	if err != nil {
		return nil, usagef("read the policy: %w", err)
	}
	return policy.Parse(file, text, engine.RuleInfos())
}

type policyExplainCmd struct {
	Symbol string `arg:"" help:"The symbol, such as stack::Stack::push."`
	File   string `arg:"" optional:"" help:"The file that it is in, relative to the root of the repository. Default: where the working tree has it."`
	Policy string `placeholder:"FILE" help:"The policy file. Default: .specgate.toml in the root of the repository; without one, the defaults are explained."`
}

// Help is shown below the flags.
func (policyExplainCmd) Help() string {
	return `Gives each rule the severity that its findings have in this place, and what decides that: a line of the policy, or the default. Where the default does, some findings of a rule may weigh more or less; the line then says which.

Examples:

    specgate policy explain stack::Stack::push
    specgate policy explain stack::Stack::push src/stack.rs
    specgate policy explain ffi::map_pages src/ffi.rs --policy ci/strict.toml

Exit codes: 0 explained; 2 a usage error, mistakes in the policy, or no such symbol or file.`
}

func (c *policyExplainCmd) Run(r *run) error {
	p, _, err := localPolicy(r, c.Policy)
	if err != nil {
		return err
	}
	file := ""
	if c.File != "" {
		if err := inTree(r.ctx, c.File); err != nil {
			return err
		}
		file = filepath.ToSlash(filepath.Clean(c.File))
	}
	places, like, err := engine.Explain(r.ctx, ".", p, c.Symbol, file, today())
	switch {
	case err != nil:
		return err
	case len(places) == 0 && like != "":
		return usagef("there is no function or item %s in the working tree; %s", c.Symbol, like)
	case len(places) == 0:
		return usagef("there is no function or item %s in the working tree; symbols look like stack::Stack::push, and a file may be named behind it", c.Symbol)
	}
	for _, place := range places {
		if err := explainPolicy(r.stdout, p, c.Symbol, place); err != nil {
			return err
		}
	}
	return nil
}

// inTree tells whether the working tree has a file, by its path relative to the root.
func inTree(ctx context.Context, file string) error {
	root, err := engine.Root(ctx, ".")
	if err != nil {
		return err
	}
	if !filepath.IsLocal(file) {
		return usagef("there is no file %s in the repository; give its path relative to the root, %s", file, root)
	}
	info, err := os.Stat(filepath.Join(root, file))
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular():
		return usagef("there is no file %s in the working tree; give its path relative to the root, %s", file, root)
	case err != nil:
		return fmt.Errorf("look for %s: %w", file, err)
	}
	return nil
}

func explainPolicy(w io.Writer, p *policy.Policy, symbol string, place engine.Explained) error {
	scope := "in the scope of the policy"
	if !p.InScope(place.File) {
		scope = "OUT of the scope of the policy, so nothing is reported there"
	}
	if _, err := fmt.Fprintf(w, "%s in %s, which is %s\n", symbol, place.File, scope); err != nil {
		return err
	}
	otherwise := map[string][]checks.Weight{}
	for _, rule := range engine.Rules() {
		otherwise[rule.ID] = rule.Otherwise
	}
	longest := 0
	for _, e := range place.Rules {
		longest = max(longest, len(e.Rule))
	}
	for _, e := range place.Rules {
		line := fmt.Sprintf("%-*s  %-7s  %s", longest, e.Rule, e.Severity, e.By)
		if e.By == (policy.Origin{}) { // what the policy says goes for all findings of a rule
			for _, weight := range otherwise[e.Rule] {
				line += fmt.Sprintf("; %s", weight)
			}
		}
		if e.Waived != nil {
			line += fmt.Sprintf("; waived by %s until %s", e.Waived.ID, e.Waived.Expires)
		}
		if e.Expired != nil {
			line += fmt.Sprintf("; waiver %s ran out on %s", e.Expired.ID, e.Expired.Expires)
		}
		if e.Refused != "" {
			line += "; " + e.Refused
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

type policySimulateCmd struct {
	changeFlags
	Policy string `placeholder:"FILE" help:"The proposed policy. Default: .specgate.toml of the head."`
	Format string `placeholder:"FORMAT" enum:"text,json" default:"text" help:"What to write to stdout: text or json."`
}

// Help is shown below the flags.
func (policySimulateCmd) Help() string {
	return `Judges a change twice: by the policy of the base revision, as check does, and by the proposed one. It says which settings differ, which findings would pass, block, be waived or no longer be, and how it would end. Where the proposed policy would have something else run, such as the verifier with other arguments or more inputs, it is run.

A pull request that changes the policy has the same in its report, without what has to be run for it.

Examples:

    specgate policy simulate                            # the policy of the working tree against the one that judges it
    specgate policy simulate --base main --head feature
    specgate policy simulate --policy strict.toml --format json

Exit codes: 0 simulated, whatever came of it; 2 a usage error, or a policy that is not valid; 3 could not complete.`
}

func (c *policySimulateCmd) Run(r *run) error {
	o, err := c.options(r.log)
	if err != nil {
		return err
	}
	result, err := host.InTime(c.Timeout, func() (*checks.SimulationReport, error) { return engine.Simulate(r.ctx, o, c.Policy) })
	if err != nil {
		return err
	}
	if c.Format == "json" {
		err = result.WriteJSON(r.stdout)
	} else {
		err = annotate.Simulation(r.stdout, result, textOptions(r.stdout))
	}
	switch s := result.Simulation; {
	case err != nil || s == nil:
		return err
	case len(s.Errors) > 0:
		return exit(exitUsage)
	case s.After == nil:
		return exit(exitIncomplete)
	}
	return nil
}

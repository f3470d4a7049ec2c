package cli

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/host"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// scopeFlags say which change is looked at, and what of it.
type scopeFlags struct {
	Base     string   `placeholder:"REV" help:"Revision to compare with. Default: the merge base with the default branch."`
	Head     string   `placeholder:"REV" help:"Revision to check. Default: the working tree." xor:"head"`
	Staged   bool     `help:"Check what is staged, as in a pre-commit hook." xor:"head"`
	Repo     string   `placeholder:"DIR" default:"." help:"Directory of the repository."`
	Only     []string `placeholder:"FAMILY,..." sep:"none" help:"Families of rules to run, separated by commas: trust, edit, contract, proof, strength."`
	Function string   `placeholder:"GLOB" help:"Report only functions whose symbol matches, such as 'stack::**'."`
}

// changeFlags say which change is looked at, and how.
type changeFlags struct {
	scopeFlags
	Verus     string        `placeholder:"PATH" env:"SPECGATE_VERUS" help:"Verify both sides with this executable of Verus, or the one in this directory. It builds the change, build scripts included."`
	Rustc     string        `placeholder:"PATH" env:"SPECGATE_RUSTC" help:"Compile code of the change with this rustc to measure the strength of contracts. Named so, it is run also where it cannot be isolated. Default: the one on PATH."`
	NoRun     bool          `env:"SPECGATE_NO_RUN" help:"Run no code of the change: the strength of contracts is not measured."`
	Confine   bool          `env:"SPECGATE_CONFINE" help:"Run code of the change only where it can be isolated in full, and let it read no files that the policy names, whatever the policy says. For machines of others than the repository's owners."`
	Seed      *uint64       `placeholder:"N" help:"Seed of what is drawn at random. Default: strength.seed of the policy."`
	Cache     string        `placeholder:"DIR" env:"SPECGATE_CACHE" help:"Directory that the verifier's answers and what was measured are kept in. Default: specgate/verus in the user's directory for caches."`
	HeadCache string        `placeholder:"DIR" env:"SPECGATE_HEAD_CACHE" help:"Directory of this pull request alone, in which the same is kept of its head. No other may read or write it."`
	NoCache   bool          `help:"Do not use or keep earlier answers of the verifier, and nothing that was measured."`
	Timeout   time.Duration `placeholder:"DURATION" help:"End the run after so long, such as 90s or 10m. Default: no limit."`
	Jobs      int           `placeholder:"N" default:"0" help:"Files to parse at once; base and head may be verified at the same time if it is more than one. Default: the number of processors."`
}

// options are what the flags say, without a policy.
func (c *changeFlags) options(log *slog.Logger) (engine.Options, error) {
	var families []string
	for _, list := range c.Only { // not split by the reader of flags, for which an empty list is none
		families = append(families, strings.Split(list, ",")...)
	}
	only, err := host.Families(families)
	if err != nil {
		return engine.Options{}, usagef("--only: %w", err)
	}
	if c.Jobs < 0 {
		return engine.Options{}, usagef("--jobs %d: it must not be negative", c.Jobs)
	}
	if c.Timeout < 0 {
		return engine.Options{}, usagef("--timeout %v: it must not be negative", c.Timeout)
	}
	if err := checkPrograms(c.Verus, c.Rustc, c.NoRun); err != nil {
		return engine.Options{}, err
	}
	headCache := c.HeadCache
	if c.NoCache {
		headCache = ""
	}
	return engine.Options{
		Repo:      c.Repo,
		Base:      c.Base,
		Head:      c.Head,
		Staged:    c.Staged,
		Only:      only,
		Function:  c.Function,
		Verifier:  host.Verifier(c.Verus),
		Compiler:  host.Compiler(c.Rustc, c.NoRun),
		Confine:   c.Confine,
		Seed:      c.Seed,
		Cache:     c.cache(log),
		HeadCache: headCache,
		Jobs:      jobs(c.Jobs),
		Timeout:   c.Timeout,
		Today:     today(),
		Version:   version(),
		Log:       log,
	}, nil
}

// checkPrograms looks whether the programs are there that somebody named: without them the run would do less than was asked for, or nothing
// would be said where there is nothing to run them on.
func checkPrograms(verifier, compiler string, noRun bool) error {
	if verifier != "" {
		if _, err := verus.Check(verifier, namedBy("--verus", "SPECGATE_VERUS", verifier)); err != nil {
			return usageError{err}
		}
	}
	if compiler != "" && !noRun {
		if _, err := sandbox.LookPath(compiler); err != nil {
			return usagef("%s: there is no compiler: %w", namedBy("--rustc", "SPECGATE_RUSTC", compiler), err)
		}
	}
	return nil
}

// namedBy is the flag, or the variable where that is what gave it its value.
func namedBy(flag, variable, value string) string {
	if os.Getenv(variable) == value {
		return variable
	}
	return flag
}

type checkCmd struct {
	changeFlags
	Policy string   `placeholder:"FILE" help:"Policy to judge by. Default: .specgate.toml of the base revision."`
	Format string   `placeholder:"FORMAT" enum:"text,json,sarif,html,markdown,github" default:"text" help:"What to write to stdout: text, json, sarif, html, markdown (a comment on a pull request) or github (workflow commands)."`
	Output []string `placeholder:"FORMAT=FILE" sep:"none" help:"Write the report to a file too; may be repeated."`
	Shard  string   `placeholder:"K/N" help:"Do the K-th of N parts of the work, and write a file for merge instead of a report."`
}

// Help is shown below the flags.
func (checkCmd) Help() string {
	return `Examples:

    specgate check                               # the working tree against where its branch began
    specgate check --head feature                # that branch against where it began
    specgate check --base v1 --head v2           # two revisions; what v1 alone has reads as undone
    specgate check --staged                      # what is about to be committed
    specgate check --format json > report.json
    specgate check --output json=report.json     # the file, and text on the terminal
    specgate check --output html=report.html --output sarif=report.sarif
    specgate check --only trust,contract --function 'stack::**'
    specgate check --shard 2/3 --output json=shard-2.json      # the second of three machines; see merge

Exit codes: 0 clean, 1 findings at or above the policy's fail-on, 2 a usage or policy error, 3 could not complete. With --shard: 0 its part is done, whatever was found, 3 it is not.`
}

type output struct{ format, file string }

func (c *checkCmd) Run(r *run) error {
	outputs, err := parseOutputs(c.Output)
	if err != nil {
		return err
	}
	o, err := c.options(r.log)
	if err != nil {
		return err
	}
	o.Policy = c.Policy
	if c.Shard != "" {
		return c.runShard(r, o, outputs)
	}
	result, err := host.InTime(c.Timeout, func() (*engine.Result, error) { return engine.Check(r.ctx, o) })
	if err != nil {
		return err
	}
	return writeResult(r, result, c.Format, outputs)
}

// writeResult writes a report in all formats that are wanted; the error is its exit code too.
func writeResult(r *run, result *engine.Result, format string, outputs []output) error {
	if err := write(r.stdout, format, result); err != nil {
		return err
	}
	var errs []error
	for _, o := range outputs {
		errs = append(errs, host.WriteFile(o.file, func(w io.Writer) error { return write(w, o.format, result) }))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	inconclusive := result.Policy.Gate.Inconclusive
	if result.Report.Outcome == checks.OutcomeInconclusive && inconclusive == policy.InconclusiveWarn && !result.TimedOut {
		r.log.Warn("the result is inconclusive, which the policy only warns about", "reasons", len(result.Report.Reasons))
	}
	return verdict(result.Report.Outcome, result.TimedOut || inconclusive == policy.InconclusiveFail)
}

// cache is the directory to keep answers in; empty: none.
func (c *changeFlags) cache(log *slog.Logger) string {
	if c.NoCache {
		return ""
	}
	if c.Cache != "" {
		return c.Cache
	}
	dir, err := cache.DefaultDir()
	if err != nil {
		log.Warn("the cache is not used", "error", err)
	}
	return dir
}

func jobs(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

func parseOutputs(flags []string) ([]output, error) {
	var out []output
	for _, f := range flags {
		format, file, ok := strings.Cut(f, "=")
		switch {
		case !ok || file == "":
			return nil, usagef("--output %q: want FORMAT=FILE, such as json=report.json", f)
		case !slices.Contains(host.Formats(), format):
			return nil, usagef("--output %q: there is no format %q%s; the formats are %s", f, format, host.DidYouMean(format, host.Formats()), strings.Join(host.Formats(), ", "))
		}
		if _, another, ok := strings.Cut(file, ","); ok {
			if format, _, ok := strings.Cut(another, "="); ok && slices.Contains(host.Formats(), format) {
				return nil, usagef("--output %q: this names one file; for several, repeat the flag: --output FORMAT=FILE --output FORMAT=FILE", f)
			}
		}
		if _, err := os.Stat(filepath.Dir(file)); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("--output %q: there is no directory %s", f, filepath.Dir(file))
		}
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return nil, usagef("--output %q: %s is a directory; name a file", f, file)
		}
		out = append(out, output{format, file})
	}
	return out, nil
}

func write(w io.Writer, format string, result *engine.Result) error {
	o := textOptions(w)
	return host.Write(w, format, result.Report, host.Rendering(result), o.Color, o.Width)
}

// textOptions say how text is written to w: on a terminal in colour and in its width.
func textOptions(w io.Writer) annotate.TextOptions {
	if !isTerminal(w) {
		return annotate.TextOptions{}
	}
	return annotate.TextOptions{Color: color(), Width: width(w)}
}

// isTerminal tells whether w is one that a person looks at.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color follows no-color.org; in CI a terminal is a log that is read elsewhere.
func color() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb"
}

func width(w io.Writer) int {
	// The gutter takes a few columns.
	const gutter, least = 10, 40
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			return max(columns-gutter, least)
		}
	}
	return 0
}

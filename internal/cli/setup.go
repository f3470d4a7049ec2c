package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/setup"
	"github.com/specgate/specgate/internal/verus"
)

type setupCmd struct {
	Verus setupVerusCmd `cmd:"" help:"Install the release of Verus that the policy pins, and its Rust toolchain."`
}

type setupVerusCmd struct {
	Release     string `placeholder:"RELEASE" help:"Release to install, such as 0.2026.09.27.3cf1832. Default: verus.release of the policy."`
	From        string `placeholder:"FILE|URL" help:"The zip of the release. Default: the one of GitHub's release."`
	Zip         string `placeholder:"FILE" help:"Keep the downloaded zip in this file, and use it instead of a download when it has the hash that is wanted."`
	Dir         string `placeholder:"DIR" help:"Directory to install into. Default: specgate in the directory for an application's data."`
	NoToolchain bool   `help:"Leave out the Rust toolchain that the release needs."`
	Policy      string `placeholder:"FILE" help:"The policy file. Default: .specgate.toml in the root of the repository."`
}

// Help is shown below the flags.
func (setupVerusCmd) Help() string {
	return `Installs a release of Verus whose zip has the hash that the policy, or specgate itself, has for it; without a hash it installs nothing, and shows the one that the zip has. An interrupted download goes on where it stopped. What is installed already is checked, and nothing is downloaded.

The path of the installed executable goes to stdout, everything else to stderr.

Examples:

    specgate setup verus
    specgate setup verus --release 0.2026.09.27.3cf1832
    specgate setup verus --from verus-0.2026.09.27.3cf1832-x86-linux.zip --no-toolchain
    specgate check --verus "$(specgate setup verus)"

Exit codes: 0 installed, 2 a usage or policy error, or no hash is known, 3 could not install.`
}

func (c *setupVerusCmd) Run(r *run) error {
	platform, err := verus.Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	if c.Release != "" {
		if err := setup.CheckRelease(c.Release); err != nil {
			return usagef("--release: %w", err)
		}
	}
	p, _, err := localPolicy(r, c.Policy)
	if err != nil {
		return err
	}
	release, hash := c.Release, ""
	if release == "" {
		release = p.Verus.Release
	}
	if release == "" {
		return usagef("no release of Verus is pinned; name one with --release, or set release under [verus] in the policy %s", policy.FileName)
	}
	if release == p.Verus.Release { // the hashes of the policy are of that one
		hash = p.Verus.SHA256[platform]
	}
	data, err := dataDir(c.Dir)
	if err != nil {
		return usageError{err}
	}
	bar := newProgress(r.stderr, "downloaded")
	installed, err := setup.Verus(r.ctx, setup.Request{Release: release, Platform: platform, SHA256: hash, From: c.From, Zip: c.Zip, Data: data,
		NoToolchain: c.NoToolchain, Say: bar.say, Progress: bar.show})
	bar.end()
	var unknown *setup.UnknownHashError
	if errors.As(err, &unknown) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.stdout, installed.Path)
	return err
}

// localPolicy reads the policy that was named, or else the one in the root of the repository around the current directory. Without
// a repository, or a policy in it, it gives the defaults, and no name.
func localPolicy(r *run, named string) (*policy.Policy, string, error) {
	name := named
	if name == "" {
		var err error
		if name, err = policyFile(r.ctx, "."); err != nil {
			return policy.Default(), "", r.ctx.Err()
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return policy.Default(), "", nil
		}
	}
	p, err := readPolicy(name)
	return p, name, err
}

func dataDir(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	return verus.DataDir(runtime.GOOS, os.Getenv)
}

// progress shows how far a download is: on a terminal in one line that is written again and again, elsewhere in a line now and then.
type progress struct {
	w        io.Writer
	verb     string
	rewrites bool
	// width is the length of the line that is being rewritten.
	width int
	last  time.Time
	// tenth is the last tenth that a line was written for.
	tenth int64
}

func newProgress(w io.Writer, verb string) *progress {
	return &progress{w: w, verb: verb, tenth: -1, rewrites: isTerminal(w) && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb"}
}

// The least time between two pictures of one line, and between two lines when the end is not known.
const (
	rewriteEvery = 100 * time.Millisecond
	lineEvery    = 10 * time.Second
)

func (p *progress) show(done, total int64) {
	text := fmt.Sprintf("%s %s", p.verb, setup.Bytes(uint64(done)))
	if total > 0 {
		text = fmt.Sprintf("%s %s of %s", p.verb, setup.Bytes(uint64(done)), setup.Bytes(uint64(total)))
	}
	now := time.Now()
	switch {
	case p.rewrites:
		if now.Sub(p.last) < rewriteEvery && done != total {
			return
		}
		fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", max(0, p.width-len(text))))
		p.width = len(text)
	case total > 0:
		tenth := done * 10 / total
		if tenth == p.tenth {
			return
		}
		p.tenth = tenth
		fmt.Fprintln(p.w, text)
	default:
		if now.Sub(p.last) < lineEvery {
			return
		}
		fmt.Fprintln(p.w, text)
	}
	p.last = now
}

// end ends the line that is being rewritten, so that something else can be written.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprintln(p.w)
		p.width = 0
	}
}

func (p *progress) say(line string) {
	p.end()
	fmt.Fprintln(p.w, line)
}

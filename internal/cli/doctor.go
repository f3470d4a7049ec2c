package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/setup"
)

type doctorCmd struct {
	Format string `placeholder:"FORMAT" enum:"text,json" default:"text" help:"What to write to stdout: text or json."`
	Verus  string `placeholder:"PATH" help:"Look at this executable of Verus, or the one in this directory. Default: it is looked for."`
	Dir    string `placeholder:"DIR" help:"Directory that setup installs into. Default: specgate in the directory for an application's data."`
	Policy string `placeholder:"FILE" help:"The policy file. Default: .specgate.toml in the root of the repository."`
}

// Help is shown below the flags.
func (doctorCmd) Help() string {
	return `Says what is found on this machine of all that specgate uses, what is missing, what that turns off, and how to mend it. It runs nothing of the repository, and changes nothing.

Examples:

    specgate doctor
    specgate doctor --format json | jq '.items[] | select(.state != "ok")'
    specgate doctor --verus ~/verus-x86-linux

Exit codes: 0 check works, and proofs too if the policy pins a release of Verus, 1 check works and such proofs do not, 2 a usage error, 3 check does not work.`
}

// diagnosis is what doctor writes as JSON.
type diagnosis struct {
	Schema   int `json:"schema"`
	Specgate struct {
		Version string `json:"version"`
	} `json:"specgate"`
	// Check says that check works, Proof that the verifier does.
	Check bool `json:"check"`
	Proof bool `json:"proof"`
	// Pinned is the release that the policy pins; empty: none.
	Pinned string       `json:"pinned"`
	Items  []setup.Item `json:"items"`
}

func (c *doctorCmd) Run(r *run) error {
	data, err := dataDir(c.Dir)
	if err != nil {
		return usageError{err}
	}
	rules, pinned := c.rules(r)
	items, err := setup.Examine(r.ctx, setup.Machine{Verus: c.Verus, Release: pinned, Data: data, Temp: os.TempDir()})
	if err != nil {
		return err
	}
	d := diagnosis{Schema: 1, Check: true, Proof: true, Pinned: pinned}
	d.Specgate.Version = version()
	d.Items = append(append([]setup.Item{
		{Name: "specgate", State: setup.OK, Found: fmt.Sprintf("%s, built with %s for %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH), Stops: setup.StopsNothing},
		repository(r), rules,
	}, items...), kept())
	for _, it := range d.Items {
		d.Check = d.Check && it.Stops != setup.StopsCheck
		d.Proof = d.Proof && it.Stops == setup.StopsNothing
	}
	if c.Format == "json" {
		enc := json.NewEncoder(r.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(d)
	} else {
		err = d.write(r.stdout)
	}
	switch {
	case err != nil:
		return err
	case !d.Check:
		return exit(exitIncomplete)
	case pinned != "" && !d.Proof:
		return exit(exitFindings)
	}
	return nil
}

// repository looks whether there is one to check.
func repository(r *run) setup.Item {
	it := setup.Item{Name: "repository", State: setup.OK, Found: "this directory is in a git repository", Stops: setup.StopsNothing}
	switch in, err := engine.InRepository(r.ctx, "."); {
	case err != nil:
		// That git is missing or too old is said of git.
		it.State, it.Found, it.Stops, it.TurnsOff, it.Remedy = setup.Unknown, err.Error(), setup.StopsCheck, "everything: both sides of a change are read with git", "make git work here"
	case !in:
		it.State, it.Found, it.Stops = setup.Missing, "this directory is in no git repository", setup.StopsCheck
		it.TurnsOff, it.Remedy = "checks here: a check compares revisions of a repository", "run specgate in a clone"
	}
	return it
}

// rules looks at the policy, and gives the release that it pins.
func (c *doctorCmd) rules(r *run) (setup.Item, string) {
	p, name, err := localPolicy(r, c.Policy)
	switch {
	case err != nil:
		// The first line has the place and what is wrong; policy check shows them all.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return setup.Item{Name: "policy", State: setup.Broken, Found: first, Stops: setup.StopsCheck, TurnsOff: "a change that is based on this policy cannot be judged",
			Remedy: strings.TrimSpace("specgate policy check " + c.Policy)}, ""
	case name == "":
		return setup.Item{Name: "policy", State: setup.OK, Found: "there is no " + policy.FileName + " here, so the defaults hold; they pin no release of Verus", Stops: setup.StopsNothing}, ""
	case p.Verus.Release == "":
		return setup.Item{Name: "policy", State: setup.OK, Found: name + ", which pins no release of Verus", Stops: setup.StopsNothing}, ""
	}
	return setup.Item{Name: "policy", State: setup.OK, Found: name + ", which pins Verus " + p.Verus.Release, Stops: setup.StopsNothing}, p.Verus.Release
}

// kept looks at the answers of the verifier that are kept for the next time.
func kept() setup.Item {
	it := setup.Item{Name: "cache", State: setup.OK, Stops: setup.StopsNothing}
	dir, err := cache.DefaultDir()
	if err != nil {
		it.State, it.Found, it.TurnsOff, it.Remedy = setup.Limited, err.Error(), "nothing is kept for the next time", "set XDG_CACHE_HOME or HOME"
		return it
	}
	size, files := uint64(0), 0
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read does not count
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += uint64(info.Size())
			files++
		}
		return nil
	})
	it.Found = fmt.Sprintf("%s in %d files in %s", setup.Bytes(size), files, dir)
	if files == 0 {
		it.Found = "nothing yet in " + dir
	}
	return it
}

func (d *diagnosis) write(w io.Writer) error {
	name := 0
	for _, it := range d.Items {
		name = max(name, len(it.Name))
	}
	var b strings.Builder
	for _, it := range d.Items {
		fmt.Fprintf(&b, "%-7s  %-*s  %s\n", it.State, name, it.Name, it.Found)
		for _, more := range []struct{ label, text string }{{"off", it.TurnsOff}, {"to do", it.Remedy}} {
			if more.text != "" {
				fmt.Fprintf(&b, "%-7s  %-*s  %s: %s\n", "", name, "", more.label, more.text)
			}
		}
	}
	b.WriteString("\n" + d.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *diagnosis) summary() string {
	switch {
	case !d.Check:
		return "specgate check does not work here"
	case d.Proof:
		return "specgate check works here, and so do proofs"
	case d.Pinned != "":
		return "specgate check works here, but proofs do not, and the policy pins Verus " + d.Pinned
	}
	return "specgate check works here, without proofs"
}

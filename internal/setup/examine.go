package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// State says how something is that specgate uses.
type State string

const (
	// OK is there and good.
	OK State = "ok"
	// Limited is there, and less than it could be.
	Limited State = "limited"
	// Missing is not there.
	Missing State = "missing"
	// Broken is there and does not work, or is another than the one that is wanted.
	Broken State = "broken"
	// Unknown could not be looked at.
	Unknown State = "unknown"
)

// Stop says what does not work without something.
type Stop string

const (
	StopsNothing Stop = "nothing"
	// StopsProof is what only the verifier is for.
	StopsProof Stop = "proof"
	// StopsCheck is everything.
	StopsCheck Stop = "check"
)

// Item is one thing that specgate uses, as it is on this machine.
type Item struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Found says what was found, or that nothing was.
	Found string `json:"found"`
	// Stops is what does not work because of the state; TurnsOff says so in words, and is empty when the state is OK.
	Stops    Stop   `json:"stops"`
	TurnsOff string `json:"turnsOff"`
	// Remedy is a command, or else what to do; empty when there is nothing to do.
	Remedy string `json:"remedy"`
}

// Machine says what to look at.
type Machine struct {
	// Verus is the verifier that was named; empty: it is looked for.
	Verus string
	// Release is the one that the policy pins; empty: none.
	Release string
	// Data is the directory that releases are installed in.
	Data string
	// Temp is the directory for temporary files.
	Temp string
	// Getenv reads variables; nil: os.Getenv.
	Getenv func(string) string
	// Runner starts programs; nil: verus.Sandboxed.
	Runner Runner
	// Protections are those that the sandbox gives here; nil: sandbox.Protections.
	Protections func(context.Context) ([]sandbox.Protection, error)
}

// What a machine should have free. The target directory of a small workspace, with the verifier's own libraries, has about 400 MB.
const (
	enoughTemp   = 2 << 30
	enoughMemory = 2 << 30
)

// The oldest git that package gitrepo works with, and the oldest that it fetches with, as the App and the Action do.
const (
	gitMajor, gitMinor = 2, 30
	gitFetchMinor      = 31
)

// Examine looks at a machine. It starts programs that are installed, to ask for their versions, in the root directory, so that no
// file of a repository has a say in what they do. It changes nothing.
func Examine(ctx context.Context, m Machine) ([]Item, error) {
	if m.Runner == nil {
		m.Runner = verus.Sandboxed{}
	}
	if m.Getenv == nil {
		m.Getenv = os.Getenv
	}
	if m.Protections == nil {
		m.Protections = sandbox.Protections
	}
	items := []Item{
		m.program(ctx, "git", StopsCheck, "everything: both sides of a change are read with git", "install git: https://git-scm.com/downloads"),
		m.program(ctx, "rustup", StopsProof, "the verifier cannot start its Rust toolchain, and none can be installed", "install rustup: https://rustup.rs"),
		m.program(ctx, "rustc", StopsNothing, "code cannot be compiled and run", "rustup toolchain install stable"),
		m.program(ctx, "cargo", StopsProof, "workspaces cannot be verified", "rustup toolchain install stable"),
	}
	items = append(items, m.verifier(ctx)...)
	items = append(items, m.isolation(ctx), m.temp(), memory(), m.installed())
	return items, context.Cause(ctx)
}

// ask starts a program for its version, and gives the first line of what it says.
func (m Machine) ask(ctx context.Context, path string) (string, error) {
	res, err := m.Runner.Run(ctx, sandbox.Command{Name: path, Args: []string{"--version"}, Dir: "/", Env: sandbox.Environ("RUSTUP_HOME", "CARGO_HOME"),
		Limits: sandbox.Limits{Wall: time.Minute, Stdout: 1 << 16, Stderr: 1 << 16}})
	if err != nil {
		if last := lastLine(res.Stderr); last != "" {
			return "", fmt.Errorf("%w: %s", err, last)
		}
		return "", err
	}
	first, _, _ := bytes.Cut(res.Stdout, []byte("\n"))
	return visible(string(first)), nil
}

func (m Machine) program(ctx context.Context, name string, stops Stop, off, remedy string) Item {
	path, err := sandbox.LookPath(name)
	if err != nil {
		return Item{Name: name, State: Missing, Found: "it is not on PATH", Stops: stops, TurnsOff: off, Remedy: remedy}
	}
	version, err := m.ask(ctx, path)
	if err != nil {
		return Item{Name: name, State: Broken, Found: visible(path) + " does not tell its version: " + err.Error(), Stops: stops, TurnsOff: off, Remedy: remedy}
	}
	version = strings.TrimPrefix(strings.TrimPrefix(version, name+" "), "version ")
	if name == "git" {
		var major, minor int
		if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || major < gitMajor || major == gitMajor && minor < gitMinor {
			return Item{Name: name, State: Broken, Found: fmt.Sprintf("%s at %s; %d.%d or newer is needed", version, visible(path), gitMajor, gitMinor), Stops: stops, TurnsOff: off, Remedy: remedy}
		}
		if major == gitMajor && minor < gitFetchMinor {
			return Item{Name: name, State: Limited, Found: fmt.Sprintf("%s at %s", version, visible(path)), Stops: StopsNothing,
				TurnsOff: fmt.Sprintf("nothing is fetched: the App and the Action need git %d.%d or newer", gitMajor, gitFetchMinor), Remedy: remedy}
		}
	}
	return Item{Name: name, State: OK, Found: version + " at " + visible(path), Stops: StopsNothing}
}

// setupCommand is what installs the release that is wanted.
func (m Machine) setupCommand() string {
	if m.Release == "" {
		return "specgate setup verus --release RELEASE"
	}
	return "specgate setup verus"
}

// verifier looks at Verus and what belongs to it.
func (m Machine) verifier(ctx context.Context) []Item {
	const off = "nothing is proved"
	v, err := verus.Find(ctx, verus.Search{Path: m.Verus, Release: m.Release, Data: m.Data, Getenv: m.Getenv, Runner: m.Runner})
	if err != nil {
		it := Item{Name: "verus", State: Broken, Found: err.Error(), Stops: StopsProof, TurnsOff: off, Remedy: m.setupCommand()}
		var p *verus.Problem
		if errors.As(err, &p) {
			it.Found = p.Text
			switch p.Kind {
			case verus.NoVerifier:
				it.State = Missing
				if m.Verus != "" { // an installed one would not be looked at
					it.Remedy = p.Remedy
				}
			case verus.NoToolchain, verus.WrongSolver:
				it.Remedy = p.Remedy
			}
			if m.Verus == "" && m.Getenv("SPECGATE_VERUS") != "" && it.Remedy == m.setupCommand() {
				it.Remedy += ", and unset SPECGATE_VERUS" // or it would be found again
			}
		}
		return []Item{it}
	}
	it := Item{Name: "verus", State: OK, Stops: StopsNothing, Found: fmt.Sprintf("%s at %s, found by %s", v.Version.Release, visible(v.Path), v.FoundBy)}
	if m.Release != "" {
		it.Found += "; the policy pins it"
	}
	if v.FoundBy == "setup verus" {
		if _, err := Intact(filepath.Dir(v.Path)); err != nil {
			it = Item{Name: "verus", State: Broken, Found: visible(err.Error()), Stops: StopsProof, TurnsOff: off, Remedy: m.setupCommand()}
		}
	}
	return []Item{it, m.toolchain(ctx, v), solver(v), cargoVerus(v)}
}

func (m Machine) toolchain(ctx context.Context, v *verus.Verifier) Item {
	it := Item{Name: "toolchain", State: OK, Found: v.Version.Toolchain + ", which rustup has", Stops: StopsNothing}
	switch {
	case v.Version.Toolchain == "":
		return Item{Name: "toolchain", State: Unknown, Found: "the verifier does not say which Rust toolchain it needs", Stops: StopsNothing}
	case m.Getenv("VERUS_USE_RUSTUP") == "0":
		it.Found = v.Version.Toolchain + "; VERUS_USE_RUSTUP is 0, so the verifier does not ask rustup for it"
		return it
	}
	const off = "the verifier may not run"
	there, err := hasToolchain(ctx, m.Runner, v.Version.Toolchain)
	switch {
	case err != nil:
		return Item{Name: "toolchain", State: Limited, Found: v.Version.Toolchain + " is needed, and rustup does not answer: " + err.Error(), Stops: StopsNothing, TurnsOff: off, Remedy: "install rustup: https://rustup.rs"}
	case !there: // Verus would not have told its version, but what is named may be a script that brings its own
		return Item{Name: "toolchain", State: Limited, Found: v.Version.Toolchain + " is needed, and rustup does not have it, or not whole", Stops: StopsNothing, TurnsOff: off,
			Remedy: "rustup toolchain install " + v.Version.Toolchain}
	}
	return it
}

func solver(v *verus.Verifier) Item {
	const off = "the verifier refuses to ask the solver, so nothing is proved"
	const remedy = "use the Z3 that the release of Verus brings: unset VERUS_Z3_PATH"
	want := verus.SolverOf(v.Version.Release)
	it := Item{Name: "z3", State: OK, Found: fmt.Sprintf("%s at %s", cmp.Or(v.SolverVersion, "a version that it does not tell"), visible(v.Solver)), Stops: StopsNothing}
	switch {
	case v.Solver == "":
		return Item{Name: "z3", State: Unknown, Found: "it is neither beside the verifier nor on PATH, so what the verifier uses is not known", Stops: StopsNothing}
	case want == "":
		it.Found += "; which version this release wants is not known here"
	case v.SolverVersion != want:
		it.State, it.Stops, it.TurnsOff, it.Remedy = Broken, StopsProof, off, remedy
		it.Found += "; this release wants " + want
	default:
		it.Found += ", as this release wants"
	}
	return it
}

func cargoVerus(v *verus.Verifier) Item {
	if v.CargoVerus == "" {
		return Item{Name: "cargo-verus", State: Missing, Found: "it is not beside the verifier", Stops: StopsProof,
			TurnsOff: "workspaces cannot be verified; single files can, with verus.roots in the policy", Remedy: "use a release of Verus that has it"}
	}
	return Item{Name: "cargo-verus", State: OK, Found: visible(v.CargoVerus), Stops: StopsNothing}
}

func (m Machine) isolation(ctx context.Context) Item {
	const off = "code of a change could do more than it should when it is built or run"
	const remedy = "run specgate where the missing protections are; docs/security.md says what each one needs"
	got, err := m.Protections(ctx)
	if err != nil {
		return Item{Name: "sandbox", State: Broken, Found: visible(err.Error()), Stops: StopsNothing, TurnsOff: off, Remedy: remedy}
	}
	var on, missing []string
	for _, p := range got {
		if p.On {
			on = append(on, p.Name)
		} else {
			missing = append(missing, visible(p.Name+" ("+p.Detail+")"))
		}
	}
	it := Item{Name: "sandbox", State: OK, Found: cmp.Or(strings.Join(on, ", "), "no protection"), Stops: StopsNothing}
	if len(missing) > 0 {
		it.State, it.TurnsOff, it.Remedy = Limited, off, remedy
		it.Found += "; missing: " + strings.Join(missing, ", ")
	}
	return it
}

// temp looks at the directory for temporary files: whether something can be written there, and how much.
func (m Machine) temp() Item {
	it := Item{Name: "temp", Stops: StopsCheck, TurnsOff: "everything that needs a copy of the change", Remedy: "set TMPDIR to a directory that can be written to"}
	f, err := os.CreateTemp(m.Temp, "specgate-doctor-*")
	if err == nil {
		_, err = f.WriteString("x")
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	var disk syscall.Statfs_t
	if err == nil {
		err = syscall.Statfs(m.Temp, &disk)
	}
	if err != nil {
		it.State, it.Found = Broken, visible(err.Error())
		return it
	}
	free := uint64(disk.Bavail) * uint64(disk.Bsize)
	it.State, it.Found, it.Stops = OK, fmt.Sprintf("%s, %s free", visible(m.Temp), Bytes(free)), StopsNothing
	if free < enoughTemp {
		it.State, it.TurnsOff, it.Remedy = Limited, "building a change may fill the disk", "free space there, or set TMPDIR to a directory with 2 GB"
		return it
	}
	it.TurnsOff, it.Remedy = "", ""
	return it
}

// memory looks at what the system has, and what the control group of this process may use, which is less in containers.
func memory() Item {
	total, ok := meminfo()
	if !ok {
		return Item{Name: "memory", State: Unknown, Found: "this system does not tell it in /proc/meminfo", Stops: StopsNothing}
	}
	it := Item{Name: "memory", State: OK, Found: Bytes(total), Stops: StopsNothing}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && limit < total {
			total, it.Found = limit, fmt.Sprintf("%s, of which a control group allows %s", it.Found, Bytes(limit))
		}
	}
	if total < enoughMemory {
		it.State, it.TurnsOff, it.Remedy = Limited, "the verifier may run out of memory", "give the machine 2 GB or more"
	}
	return it
}

func meminfo() (uint64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "MemTotal:" && words[2] == "kB" {
			kb, err := strconv.ParseUint(words[1], 10, 54)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// installed lists the releases that package setup has installed.
func (m Machine) installed() Item {
	it := Item{Name: "installed", State: OK, Stops: StopsNothing}
	entries, err := os.ReadDir(m.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		it.State, it.Found = Unknown, visible(err.Error())
		return it
	}
	suffix := ""
	if platform, err := verus.Platform(runtime.GOOS, runtime.GOARCH); err == nil {
		suffix = "-" + platform
	}
	var releases []string
	for _, e := range entries {
		release, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), suffix), "verus-")
		if ok && e.IsDir() && releaseName.MatchString(release) {
			releases = append(releases, release)
		}
	}
	it.Found = fmt.Sprintf("%s in %s", cmp.Or(strings.Join(releases, ", "), "no release of Verus"), visible(m.Data))
	return it
}

// Bytes writes a number of bytes in a unit that suits it: 12 B, 3.4 MB. Units are powers of a thousand.
func Bytes(n uint64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		if value /= 1000; value < 999.95 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

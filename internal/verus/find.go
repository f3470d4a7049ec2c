package verus

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// Runner starts programs. Sandboxed is the real one.
type Runner interface {
	Run(context.Context, sandbox.Command) (sandbox.Result, error)
}

// Sandboxed runs programs through package sandbox.
type Sandboxed struct{}

// Run implements Runner.
func (Sandboxed) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	return c.Run(ctx)
}

// Search says where to look for the verifier.
type Search struct {
	// Path is the executable or its directory, when the caller names it; then nothing else is looked at.
	Path string
	// Getenv reads the variables SPECGATE_VERUS, VERUS_ROOT, VERUS_Z3_PATH and VERUS_USE_RUSTUP, and those of DataDir; nil: os.Getenv.
	Getenv func(string) string
	// Release is the version that it must have; empty: any.
	Release string
	// Data is the directory that releases are installed in by package setup; empty: DataDir. It is looked at when Release is set.
	Data   string
	Runner Runner
}

// Verifier is an installation of Verus that was found and answers.
type Verifier struct {
	// Path is the absolute path of the executable, with links resolved.
	Path string
	// FoundBy says where the path comes from: "the path given", "SPECGATE_VERUS", "setup verus", "PATH", "VERUS_ROOT".
	FoundBy string
	// CargoVerus is the path of cargo-verus beside it; empty if there is none.
	CargoVerus string
	// Solver is the path of Z3 that every run gets; SolverVersion what it says of itself. Both may be empty.
	Solver, SolverVersion string
	Version               Version

	runner Runner
	// rustup says that the verifier starts its toolchain by rustup, as it does unless it is told not to.
	rustup bool
	script bool
	// isolation of programs that run code of the tree; nil: none.
	isolation *Isolation
}

// How a verifier that somebody named was found.
const (
	byPath     = "the path given"
	byVariable = "SPECGATE_VERUS"
)

// Named tells a verifier that somebody named from one that was found.
func (v *Verifier) Named() bool { return v.FoundBy == byPath || v.FoundBy == byVariable }

// SolverVersion and the like are asked within this time.
const probeTime = 2 * time.Minute

// Find looks for the verifier and asks for its version: at the path given, else in SPECGATE_VERUS, where the release that is asked
// for is installed, on PATH, in VERUS_ROOT.
// An error that is about the installation is a *Problem.
func Find(ctx context.Context, s Search) (*Verifier, error) {
	getenv := s.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	path, by := "", ""
	switch {
	case s.Path != "":
		path, by = s.Path, byPath
	case getenv("SPECGATE_VERUS") != "":
		path, by = getenv("SPECGATE_VERUS"), byVariable
	case s.installed(getenv) != "":
		path, by = s.installed(getenv), "setup verus"
	default:
		found, err := sandbox.LookPath("verus")
		switch {
		case err == nil:
			path, by = found, "PATH"
		case getenv("VERUS_ROOT") != "":
			path, by = getenv("VERUS_ROOT"), "VERUS_ROOT"
		case errors.Is(err, sandbox.ErrNotFound):
			return nil, &Problem{Kind: NoVerifier, Text: "there is no verifier: verus is not on PATH, and neither SPECGATE_VERUS nor VERUS_ROOT is set",
				Remedy: "install one with: specgate setup verus, or set SPECGATE_VERUS to its executable", Err: err}
		default:
			return nil, &Problem{Kind: NoVerifier, Text: err.Error(), Remedy: "set SPECGATE_VERUS to the executable of Verus", Err: err}
		}
	}
	v := &Verifier{FoundBy: by, runner: s.Runner, rustup: getenv("VERUS_USE_RUSTUP") != "0"}
	if err := v.locate(path); err != nil {
		return nil, err
	}
	// An absolute path in any case: the verifier would look for another one where it runs, in the tree.
	solver := getenv("VERUS_Z3_PATH")
	if solver == "" {
		solver = beside(v.Path, "z3")
	}
	z3, err := sandbox.LookPath(cmp.Or(solver, "z3"))
	switch {
	case err == nil:
		v.Solver = z3
	case solver != "":
		return nil, &Problem{Kind: WrongSolver, Text: "there is no solver: " + err.Error(), Remedy: "use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH", Err: err}
	}
	if err := v.probe(ctx); err != nil {
		return nil, err
	}
	if want := strings.TrimPrefix(s.Release, "release/"); want != "" && want != v.Version.Release {
		return nil, &Problem{Kind: WrongVersion, Text: fmt.Sprintf("%s is Verus %s, and the policy asks for %s", v.Path, cmp.Or(v.Version.Release, "of an unknown version"), want),
			Remedy: "install that release with: specgate setup verus --release " + want + ", or change release under [verus] in the policy"}
	}
	return v, nil
}

// Check looks whether there is a verifier at a path, of the executable or its directory, and gives the absolute path. It is not started. by is what
// names the path.
func Check(path, by string) (string, error) {
	if err := (&Verifier{FoundBy: by}).locate(path); err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// installed is the executable of the release that is asked for, where package setup puts it; empty if it is not there.
func (s Search) installed(getenv func(string) string) string {
	platform, err := Platform(runtime.GOOS, runtime.GOARCH)
	if err != nil || s.Release == "" {
		return ""
	}
	data := s.Data
	if data == "" {
		if data, err = DataDir(runtime.GOOS, getenv); err != nil {
			return ""
		}
	}
	path := filepath.Join(InstallDir(data, strings.TrimPrefix(s.Release, "release/"), platform), "verus")
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return ""
	}
	return path
}

// locate resolves the path of the executable and looks what is beside it.
func (v *Verifier) locate(path string) error {
	missing := func(err error) error {
		return &Problem{Kind: NoVerifier, Text: fmt.Sprintf("there is no verifier at %s, which %s names: %v", path, v.FoundBy, err),
			Remedy: "name the executable of Verus, or its directory", Err: err}
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, "verus")
		info, err = os.Stat(path)
	}
	if err != nil {
		return missing(err)
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return missing(errors.New("it is not an executable file"))
	}
	if path, err = filepath.Abs(path); err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return missing(err)
	}
	v.Path = path
	v.CargoVerus = beside(path, "cargo-verus")
	if v.script, err = isScript(path); err != nil {
		return missing(err)
	}
	return nil
}

func isScript(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	head := make([]byte, 2)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(head[:n]) == "#!", errors.Join(err, f.Close())
}

// beside is the path of another executable in the directory of one; empty if it is not there.
func beside(path, name string) string {
	other := filepath.Join(filepath.Dir(path), name)
	if info, err := os.Stat(other); err != nil || info.IsDir() {
		return ""
	}
	return other
}

// probe asks the verifier and the solver for their versions.
func (v *Verifier) probe(ctx context.Context) error {
	limits := sandbox.Limits{Wall: probeTime, Stdout: 1 << 20, Stderr: 1 << 20}
	res, err := v.runner.Run(ctx, sandbox.Command{Name: v.Path, Args: []string{"--version", "--output-json"}, Dir: filepath.Dir(v.Path), Env: v.environ("", false), Limits: limits})
	ended, err := endOf(res, err, limits)
	if err != nil {
		return v.notStarted(err)
	}
	if ended.ExitCode != 0 || ended.Stop != 0 {
		out := Read(append(append(res.Stdout, '\n'), res.Stderr...), Context{})
		if p := findProblem(&Run{Ended: ended, Stray: out.Stray}, Output{}, Output{}); p != nil {
			return p
		}
		text := fmt.Sprintf("%s does not tell its version: it ended with exit status %d%s", v.Path, ended.ExitCode, detail(ended.Detail))
		if len(out.Stray) > 0 {
			text += detail(stripColors(out.Stray[0]))
		}
		return &Problem{Kind: BadInstallation, Text: text, Remedy: "install Verus anew from a release"}
	}
	v.Version = parseVersion(res.Stdout)
	if v.Version.Release == "" { // releases have it in files too
		inFile, err := ReadVersion(filepath.Dir(v.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &Problem{Kind: BadInstallation, Text: err.Error(), Remedy: "install Verus anew from a release", Err: err}
		}
		v.Version = inFile
	}
	if v.Version.Release == "" {
		return &Problem{Kind: BadInstallation, Text: v.Path + " does not tell its version", Remedy: "install Verus anew from a release"}
	}
	if v.Solver == "" {
		return nil
	}
	res, err = v.runner.Run(ctx, sandbox.Command{Name: v.Solver, Args: []string{"--version"}, Dir: filepath.Dir(v.Path), Env: v.environ("", false), Limits: limits})
	if ended, err = endOf(res, err, limits); err != nil || ended.ExitCode != 0 {
		if ctx.Err() != nil {
			return err
		}
		return &Problem{Kind: WrongSolver, Text: "the solver " + v.Solver + " does not tell its version", Remedy: "use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH", Err: err}
	}
	if v.SolverVersion = solverVersion(res.Stdout); v.SolverVersion == "" {
		return &Problem{Kind: WrongSolver, Text: "the solver " + v.Solver + " does not tell its version", Remedy: "use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH"}
	}
	return nil
}

// ReadVersion is the version of the release that is unpacked in a directory, by its version.json, or else its version.txt, in
// which older releases have no more than the name of the release. The error wraps fs.ErrNotExist if there is neither.
func ReadVersion(dir string) (Version, error) {
	for _, name := range []string{"version.json", "version.txt"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Version{}, fmt.Errorf("read the verifier's version: %w", err)
		}
		if v := parseVersion(data); v.Release != "" {
			return v, nil
		}
		return Version{}, fmt.Errorf("read the verifier's version: %s names no release", filepath.Join(dir, name))
	}
	return Version{}, fmt.Errorf("read the verifier's version: there is neither version.json nor version.txt in %s: %w", dir, fs.ErrNotExist)
}

// parseVersion reads what --version prints, with and without --output-json, version.json and version.txt.
func parseVersion(text []byte) Version {
	var w struct {
		Verus wireVersion `json:"verus"`
	}
	if i := bytes.IndexByte(text, '{'); i >= 0 && json.NewDecoder(bytes.NewReader(text[i:])).Decode(&w) == nil && w.Verus.Version != "" {
		return w.Verus.version()
	}
	var v Version
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case ok && key == "Version":
			v.Release = value
		case ok && key == "Profile":
			v.Profile = value
		case ok && key == "Toolchain":
			v.Toolchain = value
		case ok && key == "Platform":
			v.OS, v.Arch, _ = strings.Cut(value, "_")
		case !ok && strings.HasPrefix(key, "0.20") && !strings.Contains(key, " "): // version.txt
			v.Release = key
		}
	}
	return v
}

// solverVersion reads "Z3 version 4.12.5 - 64 bit".
func solverVersion(text []byte) string {
	words := strings.Fields(string(text))
	if i := slices.Index(words, "version"); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

func (v *Verifier) notStarted(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, sandbox.ErrIsolation) {
		return &Problem{Kind: NoIsolation, Text: err.Error(), Remedy: "see `specgate doctor` for what is missing, or set sandbox = \"prefer\" under [gate] in the policy", Err: err}
	}
	return &Problem{Kind: BadInstallation, Text: "the verifier cannot be started: " + err.Error(), Remedy: "install Verus anew from a release for this platform", Err: err}
}

// environ is the whole environment of a run. What could change the verdict is set here or left out: nothing of it is inherited.
func (v *Verifier) environ(target string, network bool) []string {
	var names []string
	if !v.rustup {
		names = append(names, "VERUS_USE_RUSTUP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
	}
	if network {
		names = append(names, "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "CARGO_HTTP_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR")
	}
	env := append(sandbox.Environ(names...), v.homes()...)
	kept := env[:0]
	for _, e := range env {
		name, dirs, _ := strings.Cut(e, "=")
		if slices.Contains(searchPaths[:], name) {
			if dirs = absolute(dirs); dirs == "" {
				continue // an empty one means the directory that a program runs in
			}
			e = name + "=" + dirs
		}
		kept = append(kept, e)
	}
	env = kept
	if v.Solver != "" {
		env = append(env, "VERUS_Z3_PATH="+v.Solver)
	}
	if v.rustup && v.Version.Toolchain != "" {
		env = append(env, "RUSTUP_TOOLCHAIN="+v.Version.Toolchain) // goes before any rust-toolchain file
	}
	if target != "" {
		// Cargo passes on what the verifier prints line by line, so two at a time would mix their summaries.
		env = append(env, "CARGO_BUILD_JOBS=1", "CARGO_TARGET_DIR="+target, "CARGO_TERM_COLOR=never")
	}
	return env
}

// searchPaths are the variables with lists of directories in which programs, libraries and certificates are looked for.
var searchPaths = [...]string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_DIR"}

// absolute leaves relative directories out of a search path: programs run in the tree, where a change could put others.
func absolute(dirs string) string {
	list := slices.DeleteFunc(filepath.SplitList(dirs), func(d string) bool { return !filepath.IsAbs(d) })
	return strings.Join(list, string(filepath.ListSeparator))
}

// endOf translates the end of a process. The error is that of the start, or of the caller's context.
func endOf(res sandbox.Result, err error, limits sandbox.Limits) (Ended, error) {
	e := Ended{ExitCode: res.ExitCode, Duration: res.Duration}
	var exit *sandbox.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		if exit.Signal != "" {
			e.Stop, e.Detail = StoppedBySignal, exit.Signal
		}
	case errors.Is(err, sandbox.ErrWallLimit):
		e.Stop, e.ExitCode, e.Detail = StoppedByTime, -1, limits.Wall.String()
	case errors.Is(err, sandbox.ErrOutputLimit):
		e.Stop, e.ExitCode, e.Detail = StoppedByOutput, -1, fmt.Sprintf("%d bytes to stdout and %d to stderr are allowed", limits.Stdout, limits.Stderr)
	case errors.Is(err, sandbox.ErrOutputHeld):
		e.Stop, e.Detail = OutputHeld, "a process that it left behind holds it open"
	case errors.Is(err, sandbox.ErrMemoryLimit), errors.Is(err, sandbox.ErrProcessLimit), errors.Is(err, sandbox.ErrCPULimit):
		e.Stop, e.ExitCode, e.Detail = StoppedByLimit, -1, err.Error()
	default:
		return e, err
	}
	return e, nil
}

// Known is an installation whose version is known already, such as one that was looked for before. Nothing is asked or checked.
func Known(path, cargoVerus, solver string, version Version, runner Runner) *Verifier {
	return &Verifier{Path: path, FoundBy: byPath, CargoVerus: cargoVerus, Solver: solver, Version: version, runner: runner, rustup: true}
}

package verus

import (
	"fmt"
	"strings"
)

// ProblemKind says what is wrong with an installation, a call or the output.
type ProblemKind uint8

const (
	_ ProblemKind = iota
	NoVerifier
	WrongVersion
	NoToolchain
	WrongSolver
	BadOptions
	BadInstallation
	NoCargoVerus
	NoDependencies // cargo could not get or resolve what the workspace depends on
	CutOutput
	Crashed     // the verifier panicked
	NoIsolation // isolation is required, and this machine cannot give it
	BuildScript // a build script failed, of the tree or of what it depends on
	NoSpace     // the disk is full
	problemCount
)

var problemNames = [problemCount]string{"?", "no-verifier", "wrong-version", "no-toolchain", "wrong-solver", "bad-options", "bad-installation",
	"no-cargo-verus", "no-dependencies", "cut-output", "crashed", "no-isolation", "build-script", "no-space"}

func (k ProblemKind) String() string {
	if k < problemCount {
		return problemNames[k]
	}
	return fmt.Sprintf("ProblemKind(%d)", uint8(k))
}

// Problem is something about the installation, the call or the output that keeps the verifier from answering. It is an error.
type Problem struct {
	Kind ProblemKind
	// Text says what is wrong, Remedy what to do about it.
	Text, Remedy string
	// Err is the cause, if there is one.
	Err error
}

func (p *Problem) Error() string {
	if p.Remedy == "" {
		return p.Text
	}
	return p.Text + "; " + p.Remedy
}

func (p *Problem) Unwrap() error { return p.Err }

func (p *Problem) outcome() Outcome {
	switch p.Kind {
	case CutOutput, Crashed:
		return InternalError
	}
	return NotRun
}

// The exit codes of the verifier that are not about the code.
const (
	exitOptions      = 255
	exitInstallation = 128
)

// findProblem looks for what keeps the verifier from answering in the lines that are no JSON, in the diagnostics and in the exit
// code. These lines are looked for only where a summary is missing or reports an error, as programs can print them too.
func findProblem(r *Run, out, errs Output) *Problem {
	summaries := len(out.Units)
	text := func(parts ...string) string {
		for _, line := range r.Stray {
			plain := stripColors(line)
			all := true
			for _, p := range parts {
				all = all && strings.Contains(plain, p)
			}
			if all {
				return strings.TrimSpace(plain)
			}
		}
		return ""
	}
	for _, d := range r.Diagnostics {
		// What is said of a place in the sources is about them: they can have the compiler say what they like.
		if d.Failing() && d.Category == Setup && !d.Place.Valid() {
			return setupProblem(d.Message)
		}
	}
	if r.Ended.ExitCode != 0 || summaries == 0 {
		for _, parts := range [][]string{{"expected z3 version ", ", found "}, {"The verifier expects z3 version"}, {"could not execute z3 process"}} {
			if line := text(parts...); line != "" {
				return setupProblem(line)
			}
		}
		if text(noSpace) != "" {
			return setupProblem(noSpace)
		}
		if line := text("failed to run custom build command for"); line != "" && r.Ended.ExitCode != 0 {
			return &Problem{Kind: BuildScript, Text: "a build script failed: " + line + detail(panicOf(r.Stray)),
				Remedy: "make it work without a network, and so that it writes to OUT_DIR alone"}
		}
		for _, parts := range [][]string{{"thread '", "panicked at"}, {"unexpected output from solver:"}} {
			if line := text(parts...); line != "" {
				return &Problem{Kind: Crashed, Text: "the verifier crashed: " + line, Remedy: "report it to the authors of Verus, or try another release"}
			}
		}
	}
	if summaries == 0 && r.Ended.ExitCode != 0 {
		for _, parts := range [][]string{{"verus: required rust toolchain", "not found"}, {"toolchain '", "is not installed"}, {"verus: rustup not found"}} {
			if line := text(parts...); line != "" {
				return &Problem{Kind: NoToolchain, Text: line, Remedy: toolchainRemedy(line)}
			}
		}
		if line := text("no such command: `verus`"); line != "" {
			return &Problem{Kind: NoCargoVerus, Text: line, Remedy: "install a release of Verus that has cargo-verus beside verus"}
		}
		for _, parts := range [][]string{{"no matching package"}, {"failed to select a version"}, {"failed to load source for dependency"},
			{"failed to download"}, {"failed to get `"}, {"attempting to make an HTTP request, but --offline"}, {"failed to load manifest"},
			{"failed to parse manifest"}, {"failed to read `"}, {"error inheriting "}} {
			if line := text(parts...); line != "" {
				return &Problem{Kind: NoDependencies, Text: "cargo could not read the workspace or get what it depends on: " + line,
					Remedy: "make `cargo fetch` work where specgate runs"}
			}
		}
		first := text("rror: ") // Error: or error:
		if first == "" && len(r.Stray) > 0 {
			first = strings.TrimSpace(stripColors(r.Stray[0]))
		}
		switch r.Ended.ExitCode {
		case exitOptions:
			return &Problem{Kind: BadOptions, Text: "the verifier did not accept its options" + detail(first), Remedy: "correct args under [verus] in the policy"}
		case exitInstallation:
			return &Problem{Kind: BadInstallation, Text: "the installation of the verifier is not complete" + detail(first), Remedy: "install it anew from a release"}
		}
	}
	if out.Cut || errs.Cut {
		line := "a line of JSON on stderr"
		if out.Cut {
			line = "a line of JSON or a summary on stdout"
		}
		return &Problem{Kind: CutOutput, Text: "what the verifier printed is not complete: " + line + " is cut or not JSON", Remedy: "run it again"}
	}
	return nil
}

// panicOf is where a program panicked and what it said, which stands in two lines; empty if none did.
func panicOf(stray []string) string {
	for i, line := range stray {
		_, at, ok := strings.Cut(stripColors(line), "panicked at")
		if !ok || !strings.Contains(line, "thread '") {
			continue
		}
		if i+1 < len(stray) {
			at += " " + strings.TrimSpace(stripColors(stray[i+1]))
		}
		return "panicked at" + at
	}
	return ""
}

// noSpace is how the system says that a disk is full.
const noSpace = "No space left on device"

func setupProblem(message string) *Problem {
	if strings.Contains(message, noSpace) {
		return &Problem{Kind: NoSpace, Text: "there is no room for what is built: " + noSpace, Remedy: "make room, or choose another directory for temporary files (TMPDIR)"}
	}
	if strings.Contains(message, "z3 version") || strings.Contains(message, "z3 process") {
		return &Problem{Kind: WrongSolver, Text: message, Remedy: "use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH"}
	}
	return &Problem{Kind: BadInstallation, Text: message, Remedy: "build all of the workspace with one release of Verus, from an empty target directory"}
}

func toolchainRemedy(line string) string {
	for _, cut := range []struct{ before, after string }{{"required rust toolchain ", " not found"}, {"toolchain '", "' is not installed"}} {
		if _, rest, ok := strings.Cut(line, cut.before); ok {
			if name, _, ok := strings.Cut(rest, cut.after); ok {
				return "run: rustup toolchain install " + name
			}
		}
	}
	return "install rustup and the toolchain that the release of Verus names in version.json"
}

// stripColors removes the escape sequences of terminals.
func stripColors(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '[' {
			i += 2
			for i < len(s) && (s[i] < 0x40 || s[i] > 0x7e) {
				i++
			}
		}
	}
	return b.String()
}

package verus

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The summary of a release of 2026, shortened: rlimit and mode have other keys than in 2025, and functions of other crates appear in
// func-details.
const summary2026 = `{
  "func-details": {
    "vstd::seq::Seq::len": {
      "obligation_proof_notes": [],
      "failed_proof_notes": []
    }
  },
  "verification-results": {
    "encountered-error": false,
    "encountered-vir-error": false,
    "success": true,
    "verified": 3,
    "errors": 0,
    "is-verifying-entire-crate": true
  },
  "times-ms": {
    "smt": {
      "rlimit-run": 7,
      "smt-run-module-times": [
        {
          "module": "m",
          "time": 1,
          "time-micros": 1200,
          "rlimit": 9000,
          "function-breakdown": [
            {
              "function": "demo::m::T::f",
              "mode:": "exec",
              "time": 1,
              "time-micros": 1200,
              "rlimit": 8000,
              "success": true
            },
            {
              "function": "demo::m::lemma { } [ \"",
              "mode:": "proof",
              "time": 0,
              "time-micros": 10,
              "rlimit": null,
              "success": true
            }
          ]
        }
      ]
    }
  },
  "verus": {
    "profile": "release",
    "version": "0.2026.08.15.7d4628a",
    "platform": {
      "os": "linux",
      "arch": "x86_64"
    },
    "toolchain": "1.97.1-x86_64-unknown-linux-gnu",
    "commit": "7d4628a"
  }
}
`

func TestDialect2026(t *testing.T) {
	out := Read([]byte(summary2026), Context{})
	want := []Unit{{
		Counted: true, Verified: 3, Success: true,
		Functions: []FunctionResult{
			{Name: "demo::m::T::f", Module: "m", Success: true, Millis: 1, RLimit: 8000, Mode: "exec", Selected: true},
			{Name: "demo::m::lemma { } [ \"", Module: "m", Success: true, Mode: "proof", Selected: true},
		},
		Version: Version{Release: "0.2026.08.15.7d4628a", Profile: "release", OS: "linux", Arch: "x86_64", Toolchain: "1.97.1-x86_64-unknown-linux-gnu", Commit: "7d4628a"},
	}}
	if diff := cmp.Diff(want, out.Units, cmp.AllowUnexported(Unit{})); diff != "" {
		t.Error(diff)
	}
	if len(out.Stray) > 0 || out.Cut {
		t.Errorf("stray %q, cut %t", out.Stray, out.Cut)
	}
}

const (
	good     = `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true,"verified":2,"errors":0,"is-verifying-entire-crate":true}}` + "\n"
	bad      = `{"verification-results":{"encountered-error":true,"encountered-vir-error":false,"success":false,"verified":1,"errors":1,"is-verifying-entire-crate":true}}` + "\n"
	vir      = `{"verification-results":{"encountered-error":true,"encountered-vir-error":true,"success":false}}` + "\n"
	noResult = `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"verified":2,"errors":0,"is-verifying-entire-crate":true}}` + "\n"
	partial  = `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true,"verified":2,"errors":0,"is-verifying-entire-crate":false}}` + "\n"
	nothing  = `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true,"verified":0,"errors":0,"is-verifying-entire-crate":true}}` + "\n"
	uncount  = `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true}}` + "\n"
	unsaid   = `{"verification-results":{}}` + "\n"
	lineBad  = `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true,"verified":2,"errors":0,"is-verifying-entire-crate":true},"times-ms":{"smt":{"smt-run-module-times":[{"module":"","function-breakdown":[{"function":"demo::f","success":false,"time":0}]}]}}}` + "\n"

	postcondition = `{"$message_type":"diagnostic","message":"postcondition not satisfied","code":null,"level":"error","spans":[{"file_name":"src/lib.rs","byte_start":3,"byte_end":9,"line_start":2,"line_end":2,"is_primary":true,"label":"failed this postcondition","text":[]}],"children":[]}` + "\n"
	warning       = `{"$message_type":"diagnostic","message":"unused variable: ` + "`m`" + `","code":null,"level":"warning","spans":[],"children":[]}` + "\n"
	aborting      = `{"$message_type":"diagnostic","message":"aborting due to 1 previous error","code":null,"level":"error","spans":[],"children":[]}` + "\n"
	solver        = `{"$message_type":"diagnostic","message":"expected z3 version 4.12.5, found 4.8.12","code":null,"level":"error","spans":[],"children":[]}` + "\n"
	ice           = `{"$message_type":"diagnostic","message":"something broke","code":null,"level":"error: internal compiler error","spans":[],"children":[]}` + "\n"
)

func TestOutcome(t *testing.T) {
	file := Task{Expected: []Expected{{Target: TargetID{Name: "demo", Kind: "lib"}, OptedIn: true}}}
	with := func(args ...string) Task { return Task{Expected: file.Expected, Args: args} }
	half := summary2026[:len(summary2026)/2]
	for _, c := range []struct {
		name           string
		stdout, stderr string
		ended          Ended
		task           Task
		want           Outcome
		// reasons are the texts, one a line; problem is its kind.
		reasons string
		problem ProblemKind
	}{
		{"good", good, "", Ended{}, file, Proved, "", 0},
		{"good with a warning and stray lines", good, warning + "\nnote: x\n\n", Ended{}, file, Proved, "", 0},
		{"2026", summary2026, "", Ended{}, file, Proved, "", 0},
		{"carriage returns", strings.ReplaceAll(summary2026, "\n", "\r\n"), "", Ended{}, file, Proved, "", 0},
		{"no line end behind it", strings.TrimSpace(summary2026), "", Ended{}, file, Proved, "", 0},
		{"text in front", "debug: 1 != 2\n" + summary2026, "", Ended{}, file, Proved, "", 0},
		{"failing diagnostic, exit 0", good, postcondition, Ended{}, file, Failed, "a proof failed at src/lib.rs:2: postcondition not satisfied", 0},
		{"failing diagnostic, no summary", "", postcondition + aborting, Ended{ExitCode: 1}, file, Failed, "a proof failed at src/lib.rs:2: postcondition not satisfied", 0},
		{"an error of an unknown kind, of the solver", bad, strings.NewReplacer("postcondition not satisfied", "who knows", "failed this postcondition", "here").Replace(postcondition), Ended{ExitCode: 1}, file, Failed,
			"a proof failed at src/lib.rs:2: who knows", 0},
		{"an error of an unknown kind, of rustc", strings.Replace(strings.Replace(bad, `"verified":1`, `"verified":0`, 1), `"errors":1`, `"errors":0`, 1), strings.NewReplacer("postcondition not satisfied", "who knows", "failed this postcondition", "here").Replace(postcondition), Ended{ExitCode: 1}, file, CompileError,
			"the code was not accepted at src/lib.rs:2: who knows", 0},
		{"build script", "", "   Compiling x v0.1.0\nerror: failed to run custom build command for `x v0.1.0`\n  thread 'main' (12) panicked at build.rs:1:13:\n  no luck\n", Ended{ExitCode: 101}, file, NotRun,
			"the verifier printed no summary for demo\na build script failed: error: failed to run custom build command for `x v0.1.0`: panicked at build.rs:1:13: no luck; make it work without a network, and so that it writes to OUT_DIR alone", BuildScript},
		{"errors counted, none printed", bad, "", Ended{ExitCode: 1}, file, Failed, "the verifier reports errors in demo and did not print them", 0},
		{"errors counted, only the last word printed", bad, aborting, Ended{ExitCode: 1}, file, Failed, "the verifier reports errors in demo and did not print them", 0},
		{"a message that imitates the last word", good, strings.Replace(postcondition, "postcondition not satisfied", "aborting due to 1 previous error", 1), Ended{}, file, Failed,
			"a proof failed at src/lib.rs:2: aborting due to 1 previous error", 0},
		{"function failed, exit 0", lineBad, "", Ended{}, file, Failed, "the verifier says that demo::f failed and printed no error", 0},
		{"front end errors, none printed", vir, "", Ended{ExitCode: 1}, file, CompileError, "the verifier's front end found errors in demo and did not print them", 0},
		{"internal compiler error", vir, ice, Ended{ExitCode: 1}, file, InternalError, "the verifier failed: something broke", 0},
		{"no success key", noResult, "", Ended{}, file, NotAllVerified, "the verifier says that it looked at a part of demo only", 0},
		{"not the entire crate", partial, "", Ended{}, file, NotAllVerified, "the verifier says that it looked at a part of demo only", 0},
		// --verify-only-module alone does not show in the summary.
		{"only a module", good, "", Ended{}, with("--verify-only-module", "m"), NotAllVerified, "the verifier was told to leave parts of demo out: --verify-only-module", 0},
		{"only a function", good, "", Ended{}, with("--verify-function=f", "--verify-root"), NotAllVerified, "the verifier was told to leave parts of demo out: --verify-function, --verify-root", 0},
		{"no proofs at all", nothing, "", Ended{}, with("--no-verify"), NothingVerified, "the verifier found nothing to prove in demo\nthe verifier was told to leave parts of demo out: --no-verify", 0},
		{"nothing to prove", nothing, "", Ended{}, file, NothingVerified, "the verifier found nothing to prove in demo", 0},
		{"nothing counted", uncount, "", Ended{}, file, NothingVerified, "the verifier found nothing to prove in demo", 0},
		{"nothing said", unsaid, "", Ended{}, file, CompileError, "the verifier's front end found errors in demo and did not print them", 0},
		{"no summary, exit 0", "", "", Ended{}, file, NotRun, "the verifier printed no summary for demo", 0},
		{"only text, exit 0", "verification results:: 2 verified, 0 errors\n", "", Ended{}, file, NotRun, "the verifier printed no summary for demo", 0},
		{"the summary is on stderr", "", good, Ended{}, file, NotRun, "the verifier printed no summary for demo", 0},
		{"two summaries", good + good, "", Ended{}, file, InternalError, "there are 2 summaries of the verifier for demo: something else wrote to its output", 0},
		{"a good and a bad summary", good + bad, postcondition, Ended{ExitCode: 1}, file, InternalError,
			"there are 2 summaries of the verifier for demo: something else wrote to its output\na proof failed at src/lib.rs:2: postcondition not satisfied", 0},
		{"good, exit 1", good, "", Ended{ExitCode: 1}, file, InternalError, "the verifier ended with exit status 1, and nothing says why", 0},
		{"cut", half, "", Ended{}, file, InternalError,
			"what the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON; run it again\nthe verifier printed no summary for demo", CutOutput},
		{"cut, then whole", half + "\n" + good, "", Ended{}, file, InternalError,
			"what the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON; run it again", CutOutput},
		{"cut diagnostic", good, postcondition[:60], Ended{}, file, InternalError,
			"what the verifier printed is not complete: a line of JSON on stderr is cut or not JSON; run it again", CutOutput},
		{"killed half way", half, "", Ended{ExitCode: -1, Stop: StoppedBySignal, Detail: "killed"}, file, InternalError,
			"what the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON; run it again\nthe verifier was ended from outside: killed\nthe verifier printed no summary for demo", CutOutput},
		{"killed before it said anything", "", "", Ended{ExitCode: -1, Stop: StoppedBySignal, Detail: "killed"}, file, InternalError,
			"the verifier was ended from outside: killed\nthe verifier printed no summary for demo", 0},
		{"time limit", "", "", Ended{ExitCode: -1, Stop: StoppedByTime, Detail: "20m0s"}, file, TimedOut,
			"the verifier was stopped at the time limit: 20m0s\nthe verifier printed no summary for demo", 0},
		{"time limit behind the summary", good, "", Ended{ExitCode: -1, Stop: StoppedByTime}, file, TimedOut, "the verifier was stopped at the time limit", 0},
		{"output limit", good, "", Ended{ExitCode: -1, Stop: StoppedByOutput}, file, InternalError, "the verifier was stopped because it wrote too much", 0},
		{"output held", good, "", Ended{ExitCode: -1, Stop: OutputHeld}, file, InternalError, "the verifier's output may not be complete", 0},
		{"panic", "", "thread 'rustc' (12) panicked at air/src/x.rs:1:2:\nboom\n", Ended{ExitCode: 101}, file, InternalError,
			"the verifier crashed: thread 'rustc' (12) panicked at air/src/x.rs:1:2:; report it to the authors of Verus, or try another release\nthe verifier printed no summary for demo", Crashed},
		{"panic, with a summary", bad, "thread 'rustc' panicked at air/src/x.rs:1:2:\nboom\n", Ended{ExitCode: 1}, file, InternalError,
			"the verifier crashed: thread 'rustc' panicked at air/src/x.rs:1:2:; report it to the authors of Verus, or try another release\nthe verifier reports errors in demo and did not print them", Crashed},
		{"options", "", "Error: Unrecognized option: 'foo'.\n", Ended{ExitCode: 255}, file, NotRun,
			"the verifier printed no summary for demo\nthe verifier did not accept its options: Error: Unrecognized option: 'foo'.; correct args under [verus] in the policy", BadOptions},
		{"installation", "", "error: Verus installation is incomplete; missing components:\n  /opt/verus/vstd.vir\n", Ended{ExitCode: 128}, file, NotRun,
			"the verifier printed no summary for demo\nthe installation of the verifier is not complete: error: Verus installation is incomplete; missing components:; install it anew from a release", BadInstallation},
		{"toolchain", "", "\x1b[31mverus: required rust toolchain 1.97.1-x86_64-unknown-linux-gnu not found\x1b[0m\nrun the following command\n", Ended{ExitCode: 1}, file, NotRun,
			"the verifier printed no summary for demo\nverus: required rust toolchain 1.97.1-x86_64-unknown-linux-gnu not found; run: rustup toolchain install 1.97.1-x86_64-unknown-linux-gnu", NoToolchain},
		{"toolchain, by rustup", "", "error: toolchain '1.85.1-x86_64-unknown-linux-gnu' is not installed\nhelp: run\n", Ended{ExitCode: 1}, file, NotRun,
			"the verifier printed no summary for demo\nerror: toolchain '1.85.1-x86_64-unknown-linux-gnu' is not installed; run: rustup toolchain install 1.85.1-x86_64-unknown-linux-gnu", NoToolchain},
		{"no rustup", "", "verus: rustup not found, or not executable\n", Ended{ExitCode: 128}, file, NotRun,
			"the verifier printed no summary for demo\nverus: rustup not found, or not executable; install rustup and the toolchain that the release of Verus names in version.json", NoToolchain},
		{"solver", bad, solver, Ended{ExitCode: 1}, file, InternalError,
			"the verifier failed: expected z3 version 4.12.5, found 4.8.12\nexpected z3 version 4.12.5, found 4.8.12; use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH", WrongSolver},
		{"solver, by compile_error! in the sources", bad, strings.Replace(postcondition, "postcondition not satisfied", "expected z3 version 4.12.5, found 4.8.12", -1), Ended{ExitCode: 1}, file, Failed,
			"a proof failed at src/lib.rs:2: expected z3 version 4.12.5, found 4.8.12", 0},
		{"solver, stray", "", "expected z3 version 4.12.5, found 4.8.12\n", Ended{ExitCode: 101}, file, NotRun,
			"the verifier printed no summary for demo\nexpected z3 version 4.12.5, found 4.8.12; use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH", WrongSolver},
		{"no solver", "", "\x1b[31merror: could not execute z3 process (No such file or directory (os error 2))\x1b[0m\nhelp: z3 needs to be in the PATH\n", Ended{ExitCode: 128}, file, NotRun,
			"the verifier printed no summary for demo\nerror: could not execute z3 process (No such file or directory (os error 2)); use the Z3 that the release of Verus brings, and unset VERUS_Z3_PATH", WrongSolver},
		{"full disk", bad, strings.Replace(solver, "expected z3 version 4.12.5, found 4.8.12", "failed to write to `/tmp/target/lib.rmeta`: No space left on device (os error 28)", -1), Ended{ExitCode: 1}, file, InternalError,
			"the verifier failed: failed to write to `/tmp/target/lib.rmeta`: No space left on device (os error 28)\nthere is no room for what is built: No space left on device; make room, or choose another directory for temporary files (TMPDIR)", NoSpace},
		{"full disk, cargo", "", "error: failed to write `/tmp/target/x`\n\nCaused by:\n  No space left on device (os error 28)\n", Ended{ExitCode: 101}, file, NotRun,
			"the verifier printed no summary for demo\nthere is no room for what is built: No space left on device; make room, or choose another directory for temporary files (TMPDIR)", NoSpace},
		{"no cargo verus", "", "error: no such command: `verus`\n", Ended{ExitCode: 101}, file, NotRun,
			"the verifier printed no summary for demo\nerror: no such command: `verus`; install a release of Verus that has cargo-verus beside verus", NoCargoVerus},
		{"no dependencies", "", "error: failed to get `vstd` as a dependency of package `demo`\n", Ended{ExitCode: 101}, file, NotRun,
			"the verifier printed no summary for demo\ncargo could not read the workspace or get what it depends on: error: failed to get `vstd` as a dependency of package `demo`; make `cargo fetch` work where specgate runs", NoDependencies},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Assess([]byte(c.stdout), []byte(c.stderr), c.ended, c.task, Context{})
			var reasons []string
			for _, x := range r.Reasons {
				reasons = append(reasons, x.Text)
			}
			if diff := cmp.Diff(c.reasons, strings.Join(reasons, "\n")); r.Outcome != c.want || diff != "" {
				t.Errorf("outcome %s, want %s; reasons (-want +got):\n%s", r.Outcome, c.want, diff)
			}
			var problem ProblemKind
			if r.Problem != nil {
				problem = r.Problem.Kind
			}
			if problem != c.problem {
				t.Errorf("problem %s, want %s", problem, c.problem)
			}
		})
	}
}

// cargoLine makes lines of cargo about a target of /ws.
func artifact(pkg, kind, name string, fresh string) string {
	return `{"reason":"compiler-artifact","package_id":"path+file:///ws/` + pkg + `#0.1.0","target":{"kind":["` + kind + `"],"name":"` + name + `"},"fresh":` + fresh + "}\n"
}

func message(pkg, kind, name, diagnostic string) string {
	return `{"reason":"compiler-message","package_id":"path+file:///ws/` + pkg + `#0.1.0","target":{"kind":["` + kind + `"],"name":"` + name + `"},"message":` + strings.TrimSpace(diagnostic) + "}\n"
}

// summaryOf is a good summary with functions.
func summaryOf(names ...string) string {
	var fs []string
	for _, n := range names {
		fs = append(fs, `{"function":"`+n+`","success":true,"time":1,"rlimit":10}`)
	}
	return strings.TrimSuffix(good, "}\n") + `,"times-ms":{"smt":{"smt-run-module-times":[{"module":"","function-breakdown":[` + strings.Join(fs, ",") + "]}]}}}\n"
}

func TestAssign(t *testing.T) {
	lib := Expected{Target: TargetID{Package: "my-app", Name: "my_app", Kind: "lib"}, OptedIn: true}
	bin := Expected{Target: TargetID{Package: "my-app", Name: "my-app", Kind: "bin"}, OptedIn: true}
	other := Expected{Target: TargetID{Package: "other", Name: "other", Kind: "lib"}, OptedIn: true}
	both := []Expected{lib, bin}
	libArtifact, binArtifact := artifact("my-app", "lib", "my_app", "false"), artifact("my-app", "bin", "my-app", "false")
	split := strings.Index(summary2026, "  \"times-ms\"")
	for _, c := range []struct {
		name     string
		stdout   string
		expected []Expected
		want     []string // target: outcome
		run      Outcome
	}{
		{"library and program of one name", summaryOf("my_app::f") + libArtifact + summaryOf("my_app::main") + binArtifact, both,
			[]string{"my_app: proved", "my-app (bin of my-app): proved"}, Proved},
		{"the program is missing", summaryOf("my_app::f") + libArtifact, both,
			[]string{"my_app: proved", "my-app (bin of my-app): not-run"}, NotAllVerified},
		{"one of them is fresh", artifact("my-app", "lib", "my_app", "true") + summaryOf("my_app::main") + binArtifact, both,
			[]string{"my_app: not-all-verified", "my-app (bin of my-app): proved"}, NotAllVerified},
		{"a function of another crate's type", summaryOf("alloc::vec::Vec::f", "other::g") + artifact("other", "lib", "other", "false"), []Expected{other},
			[]string{"other: proved"}, Proved},
		{"without functions", good + artifact("other", "lib", "other", "false"), []Expected{other}, []string{"other: proved"}, Proved},
		{"a dependency is verified too", summaryOf("vstd::f") + artifact("vstd", "lib", "vstd", "false") + summaryOf("other::g") + artifact("other", "lib", "other", "false"), []Expected{other},
			[]string{"other: proved", "vstd: proved"}, Proved},
		{"a dependency fails", message("vstd", "lib", "vstd", postcondition) + bad, []Expected{other}, []string{"other: not-run", "vstd: failed"}, Failed},
		{"a message of cargo inside a summary", summary2026[:split] + artifact("serde", "lib", "serde", "true") + summary2026[split:] + artifact("demo", "lib", "demo", "false"),
			[]Expected{{Target: TargetID{Package: "demo", Name: "demo", Kind: "lib"}, OptedIn: true}}, []string{"demo: proved"}, Proved},
		{"another crate does not compile", summaryOf("other::g") + artifact("other", "lib", "other", "false") + message("plain", "lib", "plain", strings.Replace(postcondition, `"code":null`, `"code":{"code":"E0308"}`, 1)), []Expected{other},
			[]string{"other: proved"}, CompileError},
		{"a summary of nobody", good, []Expected{other, lib}, []string{"other: not-run", "my_app: not-run"}, InternalError},
		{"twice, and built twice", summaryOf("other::g") + artifact("other", "lib", "other", "false") + summaryOf("other::g") + artifact("other", "lib", "other", "false"), []Expected{other}, []string{"other: proved"}, Proved},
		{"twice, and built once", summaryOf("other::g") + summaryOf("other::g") + artifact("other", "lib", "other", "false"), []Expected{other}, []string{"other: internal-error"}, InternalError},
		{"not opted in and not built", "", []Expected{{Target: other.Target}}, []string{"other: not-all-verified"}, NotAllVerified},
		{"the build failed, and nobody says why", summaryOf("other::g") + artifact("other", "lib", "other", "false") + `{"reason":"build-finished","success":false}` + "\n", []Expected{other}, []string{"other: proved"}, InternalError},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Assess([]byte(c.stdout), nil, Ended{}, Task{Expected: c.expected}, Context{Root: "/ws"})
			var got []string
			for _, target := range r.Targets {
				got = append(got, target.Target.String()+": "+target.Outcome.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" || r.Outcome != c.run {
				t.Errorf("outcome %s, want %s (-want +got):\n%s\n%+v", r.Outcome, c.run, diff, r.Reasons)
			}
		})
	}
}

func TestPackageName(t *testing.T) {
	for id, want := range map[string]string{
		"path+file:///ws/queue#0.1.0":                                               "queue",
		"path+file:///deps/dependencies/syn#syn_verus@2.0.96":                       "syn_verus",
		"registry+https://github.com/rust-lang/crates.io-index#quote@1.0.38":        "quote",
		"quote 1.0.38 (registry+https://github.com/rust-lang/crates.io-index)":      "quote",
		"git+https://github.com/verus-lang/verus?rev=283b036#vstd@0.0.0-2025-06-23": "vstd",
	} {
		if got := packageName(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	c := Context{Root: "/tmp/w", Dir: "crates"}
	type answer struct {
		file    string
		foreign bool
	}
	for name, want := range map[string]answer{
		"a/src/lib.rs":                    {"crates/a/src/lib.rs", false},
		"./a/src/lib.rs":                  {"crates/a/src/lib.rs", false},
		"../common/x.rs":                  {"common/x.rs", false},
		"../../etc/passwd":                {"../../etc/passwd", true},
		"/tmp/w/src/lib.rs":               {"src/lib.rs", false},
		"/tmp/w/../x.rs":                  {"/tmp/w/../x.rs", true},
		"/tmp/ws/lib.rs":                  {"/tmp/ws/lib.rs", true},
		"/root/.cargo/registry/vstd/x.rs": {"/root/.cargo/registry/vstd/x.rs", true},
		"vstd/std_specs/vec.rs":           {"vstd/std_specs/vec.rs", true},
		"<anon>":                          {"<anon>", true},
		"":                                {"", true},
	} {
		file, foreign := c.file(name)
		if got := (answer{file, foreign}); got != want {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
	own := Context{Own: func(p string) bool { return p == "vstd/vec.rs" }}
	if _, foreign := own.file("vstd/vec.rs"); foreign {
		t.Error("a file of the tree is foreign because of its name")
	}
	if _, foreign := own.file("other.rs"); !foreign {
		t.Error("a file that the tree does not have is its own")
	}
}

// TestForeignSpans checks that the library's own spans are never the place.
func TestForeignSpans(t *testing.T) {
	span := func(file, label, primary, more string) string {
		return `{"file_name":"` + file + `","byte_start":3,"byte_end":9,"line_start":2,"line_end":2,"is_primary":` + primary + `,"label":"` + label + `","text":[{"text":"xx r < 9,","highlight_start":4,"highlight_end":9}]` + more + `}`
	}
	diag := func(message string, spans ...string) Diagnostic {
		out := Read([]byte(`{"$message_type":"diagnostic","message":"`+message+`","code":null,"level":"error","spans":[`+strings.Join(spans, ",")+`],"children":[]}`), Context{})
		if len(out.Diagnostics) != 1 {
			t.Fatal("no diagnostic")
		}
		return out.Diagnostics[0]
	}
	for _, c := range []struct {
		name                string
		d                   Diagnostic
		category            Category
		place, site, clause string
	}{
		{"the clause is the library's, and primary", diag("precondition not satisfied", span("vstd/vec.rs", "failed precondition", "true", ""), span("src/a.rs", "", "false", "")), Precondition, "src/a.rs", "src/a.rs", "r < 9"},
		{"trait of the library", diag("postcondition not satisfied", span("/x/vstd/a.rs", "failed this postcondition", "true", ""), span("src/a.rs", "at the end of the function body", "false", "")), Postcondition, "src/a.rs", "src/a.rs", "r < 9"},
		{"only the library", diag("assertion failed", span("vstd/a.rs", "assertion failed", "true", "")), Assertion, "", "", ""},
		{"the library's macro, called in the tree", diag("assertion failed", span("vstd/calc.rs", "assertion failed", "true", `,"expansion":{"span":`+span("src/b.rs", "", "false", "")+`}`)), Assertion, "src/b.rs", "src/b.rs", "r < 9"},
		// custom_err replaces the message, not the labels.
		{"text of the program's own", diag("index must be in range", span("src/a.rs", "failed precondition", "false", ""), span("src/b.rs", "", "true", "")), Precondition, "src/b.rs", "src/b.rs", "r < 9"},
		{"text that imitates another", diag("Resource limit (rlimit) exceeded", span("src/a.rs", "failed this postcondition", "true", ""), span("src/b.rs", "at this exit", "false", "")), Postcondition, "src/a.rs", "src/b.rs", "r < 9"},
	} {
		if c.d.Category != c.category || c.d.Place.File != c.place || c.d.Site.File != c.site || c.d.Clause != c.clause {
			t.Errorf("%s: %s at %q, site %q, clause %q", c.name, c.d.Category, c.d.Place.File, c.d.Site.File, c.d.Clause)
		}
	}
}

// TestMessages classifies messages that no recording has. They are those of the verifier's sources.
func TestMessages(t *testing.T) {
	for message, want := range map[string]Category{
		"unable to prove post-condition of closure":                            Postcondition,
		"requires not satisfied":                                               Precondition,
		"precondition not met: index in bounds for this access":                Precondition,
		"Call to non-static function fails to satisfy `callee.requires(args)`": Precondition,
		"assertion failure":                                                    Assertion,
		"assert_by_compute timed out":                                          Assertion,
		"unable to prove inherent safety condition: the value may exist":       Assertion,
		"loop invariant not satisfied":                                         Invariant,
		"invariant not satisfied before loop":                                  Invariant,
		"decreases not satisfied at continue":                                  Termination,
		"unable to show termination via `decreases_by` lemma":                  Termination,
		"recursive function must have a decreases clause":                      Termination,
		"possible bit shift underflow/overflow":                                Arithmetic,
		"call may cause possible invariant collision":                          Atomic,
		"callee may open invariants that caller cannot":                        Atomic,
		"cannot show this call will not unwind":                                Atomic,
		"bitvector assertion not satisfied (with arch-size set to 32 bits)":    BitVector,
		"while loop: Resource limit (rlimit) exceeded":                         RLimit,
		"recommendation not met: value may be out of range of the target type": Recommends,
		"triggers cannot contain let/forall":                                   Trigger,
		"expression has mode spec, expected mode exec":                         ModeError,
		"cannot call function `demo::f` with mode proof":                       ModeError,
		"cannot use `assume_specification` in exec mode":                       ModeError,
		"in pub open spec function, cannot refer to private function":          Visibility,
		"cannot use function `demo::f` which is ignored because it is either declared outside the verus! macro or it is marked as `external`.": Visibility,
		"The verifier does not yet support the following Rust feature: dyn":                                                                    Unsupported,
		"Verus does not yet support this":                        Unsupported,
		"verus internal error: unreachable":                      Internal,
		"assume/admit not allowed with --no-cheating":            Cheating,
		"failed to deserialize imported library file `vstd.vir`": Setup,
		"lifetime may not live long enough":                      Lifetime,
		"unexpected token":                                       Compile,
		"something that nobody has heard of":                     Other,
	} {
		if got := classify(&Diagnostic{Level: "error", Message: message}); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}

// FuzzAssess reads anything, and checks that a run is proved only when everything says so.
func FuzzAssess(f *testing.F) {
	for _, pattern := range []string{"testdata/diagnostics/p*.verus.json", "testdata/workspace/*.json"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal("no recordings", err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, data, 0)
		}
	}
	for _, s := range []string{good, bad, vir, noResult, summary2026, lineBad, good + artifact("demo", "lib", "demo", "false"), message("demo", "lib", "demo", postcondition)} {
		f.Add([]byte(s), []byte(postcondition+aborting), 0)
		f.Add([]byte(s), []byte(warning), 1)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, exit int) {
		for _, target := range []TargetID{{Name: "demo", Kind: "lib"}, {Package: "demo", Name: "demo", Kind: "lib"}} {
			task := Task{Expected: []Expected{{Target: target, OptedIn: true}}}
			r := Assess(stdout, stderr, Ended{ExitCode: exit}, task, Context{Root: "/ws"})
			if (r.Outcome == Proved) != (len(r.Reasons) == 0) {
				t.Fatalf("%s with the reasons %+v", r.Outcome, r.Reasons)
			}
			Join(r, []Function{{Symbol: "f", Crate: "demo", Name: "f", File: "src/lib.rs", Proof: true}})
			if r.Outcome != Proved {
				continue
			}
			if exit != 0 || len(r.Unassigned) > 0 || len(r.Targets) == 0 || !bytes.Contains(stdout, []byte("success")) {
				t.Fatalf("proved with exit code %d", exit)
			}
			for _, target := range r.Targets {
				if len(target.Units) == 0 {
					t.Fatalf("proved without a summary of %s", target.Target)
				}
				for _, u := range target.Units {
					if !u.Success || u.Partial || u.Verified < 1 || u.Errors > 0 || u.EncounteredError || u.EncounteredVIR {
						t.Fatalf("proved with %+v", u)
					}
				}
			}
			for _, d := range r.Diagnostics {
				if d.Failing() {
					t.Fatalf("proved with %+v", d)
				}
			}
		}
	})
}

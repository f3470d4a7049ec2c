package verus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/specgate/specgate/internal/verus"
)

// TestDiagnostics reads the recording of each kind of failure.
func TestDiagnostics(t *testing.T) {
	names, err := filepath.Glob("testdata/diagnostics/*.rs")
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, name := range names {
		stem := strings.TrimSuffix(name, ".rs")
		t.Run(filepath.Base(stem), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{filepath.Base(name): string(src)}
			rec, stdout, stderr := streams(t, stem+".verus.json")
			r := Assess(stdout, stderr, Ended{ExitCode: rec.Exit}, single(name), Context{})
			golden(t, stem+".golden", show(r, files, functions(t, files)))
		})
	}
}

// TestChanges reads what the verifier says of both sides of the sample changes.
func TestChanges(t *testing.T) {
	names, err := filepath.Glob("testdata/changes/*/*.verus.json")
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, name := range names {
		change, side := filepath.Base(filepath.Dir(name)), strings.TrimSuffix(filepath.Base(name), ".verus.json")
		t.Run(change+"/"+side, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("../../testdata/corpus", change, side+".rs"))
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{side + ".rs": string(src)}
			rec, stdout, stderr := streams(t, name)
			r := Assess(stdout, stderr, Ended{ExitCode: rec.Exit}, single(side), Context{})
			golden(t, strings.TrimSuffix(name, ".verus.json")+".golden", show(r, files, functions(t, files)))
		})
	}
}

var (
	queue = Expected{Target: TargetID{Package: "queue", Name: "queue", Kind: "lib"}, OptedIn: true}
	app   = Expected{Target: TargetID{Package: "app", Name: "app", Kind: "bin"}, OptedIn: true}
)

// TestWorkspace reads the recordings of a Cargo workspace. Only the source of the good state is kept, so functions are joined where
// it was verified.
func TestWorkspace(t *testing.T) {
	for _, c := range []struct {
		name     string
		expected []Expected
	}{
		{"ok-json", []Expected{queue, app}},
		{"fresh-json", []Expected{queue, app}},
		{"dependency-fails-json", []Expected{queue, app}},
		{"dependency-fails-keep-going-json", []Expected{queue, app}},
		{"root-fails-json", []Expected{queue, app}},
		{"type-error-json", []Expected{queue, app}},
		{"one-package-json", []Expected{queue}},
		{"no-verus-package-json", nil},
		{"root-opted-out-json", []Expected{queue, {Target: app.Target}}},
		{"partial-function-json", []Expected{queue}},
		{"two-roots-json", []Expected{queue, app}},
		{"ok-text", []Expected{queue, app}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, stdout, stderr := streams(t, "testdata/workspace/"+c.name+".json")
			files := readFiles(t, "testdata/workspace/src")
			var args []string
			for i, a := range rec.Command {
				if a == "--" {
					args = rec.Command[i+1:]
				}
			}
			task := Task{Expected: c.expected, Args: args}
			r := Assess(stdout, stderr, Ended{ExitCode: rec.Exit}, task, Context{Root: "/ws"})
			golden(t, "testdata/workspace/"+c.name+".golden", show(r, files, functions(t, files)))
			task.Args = nil
			if blind := Assess(stdout, stderr, Ended{ExitCode: rec.Exit}, task, Context{Root: "/ws"}); (blind.Outcome == Proved) != (r.Outcome == Proved) {
				t.Errorf("the outcome depends on the arguments being known: %s", blind.Outcome)
			}
		})
	}
}

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

// TestCuts cuts recordings behind each line of stdout, and in the middle of it, and drops each line. A run that failed is never
// read as proved, whatever the exit code says; one that was proved is not before its last summary is whole.
func TestCuts(t *testing.T) {
	patterns := map[string]Task{
		"testdata/diagnostics/[a-p]*.verus.json": {}, "testdata/changes/[bos]*/*.verus.json": {},
		"testdata/workspace/[or][ko]*-json.json": {Expected: []Expected{queue, app}},
	}
	tried := 0
	for pattern, task := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			_, stdout, stderr := streams(t, name)
			task := task
			if len(task.Expected) == 0 {
				task = single(strings.TrimSuffix(name, ".verus.json"))
			}
			read := func(stdout []byte) bool {
				tried++
				return Assess(stdout, stderr, Ended{}, task, Context{Root: "/ws"}).Outcome == Proved
			}
			proved := read(stdout)
			end := strings.LastIndex(string(stdout), "\n}\n") + 2 // of the last summary
			at := 0
			for line := range strings.Lines(string(stdout)) {
				for _, n := range []int{at + len(line)/2, at + len(line)} {
					if read(stdout[:n]) && (!proved || n < end) {
						t.Errorf("%s: cut at %d of %d it is proved", name, n, len(stdout))
					}
				}
				without := append(append([]byte{}, stdout[:at]...), stdout[at+len(line):]...)
				if read(without) && !proved {
					t.Errorf("%s: without %q it is proved", name, line)
				}
				at += len(line)
			}
		}
	}
	if tried < 4000 {
		t.Errorf("only %d texts were read", tried)
	}
}

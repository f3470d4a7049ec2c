package action

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/specgate/specgate/internal/shard"
)

// step is one that is started by an event, with inputs; file names a file of its directory.
func step(t *testing.T, event string, inputs map[string]string) (s *Step, file func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	file = func(name string) string { return filepath.Join(dir, name) }
	env := map[string]string{"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": file("event.json"), "GITHUB_OUTPUT": file("output"), "GITHUB_REPOSITORY": "acme/numbers",
		"GITHUB_STEP_SUMMARY": file("summary.md"), "RUNNER_TEMP": dir}
	for name, text := range inputs {
		env["INPUT_"+strings.ToUpper(name)] = text
	}
	if err := os.WriteFile(file("event.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Getenv: func(name string) string { return env[name] }, Stdout: io.Discard, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s, file
}

// TestIdle: of the inputs that say how a change is checked, those are refused that the job has no use for.
func TestIdle(t *testing.T) {
	told := map[string]string{"cache": cacheAll, "comments": "sticky", "merge": "true", "only": "edit", "rustc": "rustc", "shard": "1/2", "timeout": "5m", "verus": "none"}
	for _, c := range []struct {
		event, input, job string
		idle              []string
	}{
		{"push", "", "", nil},
		{"push", "shard", "check a part of the change", []string{"comments"}},
		{"push", "merge", "join what others checked", []string{"cache", "rustc", "shard", "timeout", "verus"}},
		{"workflow_run", "", "publish what another run checked", []string{"cache", "merge", "only", "rustc", "shard", "timeout", "verus"}},
	} {
		var refused []string
		for name, text := range told {
			if c.event == "push" && (name == "merge" || c.input == "" && name == "shard") {
				continue // it makes another job of it
			}
			inputs := map[string]string{"artifact": "specgate", "cache": cacheTrue, "merge": "false", "verus": verusAuto}
			if c.input != "" {
				inputs[c.input] = told[c.input]
			}
			inputs[name] = text
			s, _ := step(t, c.event, inputs)
			switch err := s.Plan(t.Context()).Error(); err {
			case "the input token is empty; leave it out, and the token of the job is used": // what comes next
			case fmt.Sprintf("the input %s does nothing in this job, which is to %s; leave it out", name, c.job):
				refused = append(refused, name)
			default:
				t.Errorf("%s, %s: %s", c.job, name, err)
			}
		}
		slices.Sort(refused)
		if diff := cmp.Diff(c.idle, refused); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.job, diff)
		}
	}
}

// TestShardStates: a part that is done is no failure, whatever was found in it, and one that ran out of time is one.
func TestShardStates(t *testing.T) {
	n := shard.Number{K: 2, Of: 3}
	for _, c := range []struct{ unfinished, code, state string }{
		{"", "0", "is done"},
		{"the time limit of 1s ran out before its part was done", "3", "is not done: the time limit of 1s ran out before its part was done"},
	} {
		s, file := step(t, "push", nil)
		if err := os.MkdirAll(s.reportDir(), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := s.writtenShard(n, &shard.File{Shard: n, Unfinished: c.unfinished}); err != nil {
			t.Fatal(err)
		}
		summary, err := os.ReadFile(file("summary.md"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("specgate: shard 2/3 "+c.state+". The job that joins the shards has the result.\n", strings.TrimRight(string(summary), "\n")+"\n"); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
		output, err := os.ReadFile(file("output"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(output), "exit-code<<") || !strings.Contains(string(output), "\n"+c.code+"\n") {
			t.Errorf("%q: outputs are %s; want the exit code %s", c.unfinished, output, c.code)
		}
		if _, err := os.Stat(filepath.Join(s.reportDir(), "shard-2.json")); err != nil {
			t.Error(err)
		}
	}
}

// TestTables: docs/action.md has exactly the inputs and outputs of action.yml, and the inputs' defaults.
func TestTables(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var is struct {
		Inputs  map[string]struct{ Default string }
		Outputs map[string]any
	}
	if err := yaml.Unmarshal(text, &is); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/action.md")
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{}
	for name, x := range is.Inputs {
		inputs[name] = x.Default
	}
	told := map[string]string{}
	for _, row := range rows(t, string(page), "## Inputs") {
		// Words stand for what is no text of its own.
		value, known := map[string]string{"all": "", "none": "", "the policy's `report.comments`": "", "the one on `PATH`": "", "the job's": "${{ github.token }}", "see above": ""}[row[1]]
		if !known {
			value = strings.Trim(row[1], "`")
		}
		for name := range strings.SplitSeq(row[0], ", ") {
			told[strings.Trim(name, "`")] = value
		}
	}
	if diff := cmp.Diff(inputs, told); diff != "" {
		t.Errorf("inputs and their defaults (-action.yml +docs/action.md):\n%s", diff)
	}
	outputs, toldOutputs := map[string]bool{}, map[string]bool{}
	for name := range is.Outputs {
		outputs[name] = true
	}
	for _, row := range rows(t, string(page), "## Outputs") {
		for name := range strings.SplitSeq(row[0], ", ") {
			toldOutputs[strings.Trim(name, "`")] = true
		}
	}
	if diff := cmp.Diff(outputs, toldOutputs); diff != "" {
		t.Errorf("outputs (-action.yml +docs/action.md):\n%s", diff)
	}
}

// rows are the cells of the first table under a heading, without its head.
func rows(t *testing.T, page, heading string) [][]string {
	t.Helper()
	_, after, ok := strings.Cut(page, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("docs/action.md has no %q", heading)
	}
	section, _, _ := strings.Cut(after, "\n## ")
	var out [][]string
	for line := range strings.SplitSeq(section, "\n") {
		if strings.HasPrefix(line, "|--") {
			continue
		}
		if !strings.HasPrefix(line, "|") {
			if len(out) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	if len(out) < 2 {
		t.Fatalf("docs/action.md has no table under %q", heading)
	}
	return out[1:]
}

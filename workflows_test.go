package specgate_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// workflows are this repository's own, and those that are shown to users.
func workflows(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, glob := range []string{".github/workflows/*.yml", "examples/workflows/*.yml"} {
		found, err := filepath.Glob(filepath.FromSlash(glob))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Errorf("there are no workflows in %s", glob)
		}
		all = append(all, found...)
	}
	return all
}

// TestWorkflowsLint: actionlint has nothing to say, and neither has shellcheck, where there is one, of their scripts.
func TestWorkflowsLint(t *testing.T) {
	project, err := actionlint.NewProject(".")
	if err != nil {
		t.Fatal(err)
	}
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil && sandboxtest.Shellcheck.Made() {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: shellcheck})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range workflows(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The project is what `uses: ./` is looked up in.
		errs, err := linter.Lint(file, text, project)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range errs {
			t.Error(e)
		}
	}
}

// TestShellScripts: shellcheck has nothing to say of the scripts.
func TestShellScripts(t *testing.T) {
	shellcheck := sandboxtest.Shellcheck.Program(t, "shellcheck")
	args := []string{"-x", ".ci/run"}
	for _, glob := range []string{"action/*.sh", "release/*.sh", "examples/*.sh", ".github/*.sh"} {
		found, err := filepath.Glob(filepath.FromSlash(glob))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Errorf("there are no scripts in %s", glob)
		}
		args = append(args, found...)
	}
	if out, err := exec.CommandContext(t.Context(), shellcheck, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWorkflowsAreSafe has the rules that actionlint does not: they are the ones by which workflows are taken over.
func TestWorkflowsAreSafe(t *testing.T) {
	for _, file := range append(workflows(t), "action.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, mistake := range mistakes(t, file, string(text)) {
			t.Error(mistake)
		}
	}
}

func TestMistakes(t *testing.T) {
	const sha = "0123456789012345678901234567890123456789"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"safe", "on: push\npermissions: {}\njobs:\n  a:\n    steps:\n    - run: echo\n    - uses: ./\n    - uses: specgate/specgate@v0\n    - uses: a/b/c@" + sha + " # v1.2.3\n" +
			"    - uses: actions/checkout@" + sha + " # v7.0.1\n      with:\n        persist-credentials: false\n", nil},
		{"no permissions", "on: push\n", []string{"w:1:1: the workflow does not say which permissions its jobs have, so they have the repository's"}},
		{"an expression", "permissions: {}\njobs:\n  a:\n    steps:\n    - run: echo ${{ github.event.pull_request.title }}\n",
			[]string{"w:5:12: an expression in a script is text of the script, whoever wrote it; pass it by env"}},
		{"an event", "on: [push, pull_request_target]\npermissions: {}\n", []string{"w:1:12: pull_request_target gives what a stranger wrote the rights of this repository"}},
		{"an event with settings", "on:\n  pull_request_target:\n    types: [opened]\npermissions: {}\n",
			[]string{"w:2:3: pull_request_target gives what a stranger wrote the rights of this repository"}},
		{"a tag", "permissions: {}\nsteps:\n- uses: a/b@v1\n", []string{"w:3:9: a/b@v1 is not pinned to a full commit"}},
		{"a short commit", "permissions: {}\nsteps:\n- uses: a/b@0123456 # v1.2.3\n", []string{"w:3:9: a/b@0123456 is not pinned to a full commit"}},
		{"no version", "permissions: {}\nsteps:\n- uses: a/b@" + sha + "\n", []string{"w:3:9: a/b@" + sha + " does not say in a comment which version that is"}},
		{"a token", "permissions: {}\nsteps:\n- uses: actions/checkout@" + sha + " # v7.0.1\n",
			[]string{"w:3:9: checkout leaves the token in .git/config; set persist-credentials: false"}},
	} {
		if diff := cmp.Diff(c.want, mistakes(t, "w", c.text)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

var (
	pinned  = regexp.MustCompile(`^[A-Za-z0-9_./-]+@[0-9a-f]{40}$`)
	version = regexp.MustCompile(`^# v[0-9]+\.[0-9]+\.[0-9]+$`)
)

// mistakes of a workflow, or of an action, with their places.
func mistakes(t *testing.T, file, text string) []string {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var out []string
	at := func(n *yaml.Node, what string) {
		out = append(out, fmt.Sprintf("%s:%d:%d: %s", file, n.Line, n.Column, what))
	}
	if file != "action.yml" && field(root.Content[0], "permissions") == nil {
		at(root.Content[0], "the workflow does not say which permissions its jobs have, so they have the repository's")
	}
	visit(&root, func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Value == "pull_request_target" {
			at(n, "pull_request_target gives what a stranger wrote the rights of this repository")
		}
		if run := field(n, "run"); run != nil && run.Kind == yaml.ScalarNode && strings.Contains(run.Value, "${{") {
			at(run, "an expression in a script is text of the script, whoever wrote it; pass it by env")
		}
		uses := field(n, "uses")
		if uses == nil || uses.Kind != yaml.ScalarNode {
			return
		}
		name, _, _ := strings.Cut(uses.Value, "@")
		switch {
		case strings.HasPrefix(uses.Value, "./"):
		case name == "specgate/specgate":
			// Each release of it has another commit; docs/releasing.md says how users pin it.
		case !pinned.MatchString(uses.Value):
			at(uses, uses.Value+" is not pinned to a full commit")
		case !version.MatchString(uses.LineComment):
			at(uses, uses.Value+" does not say in a comment which version that is")
		}
		if name == "actions/checkout" {
			with := field(n, "with")
			if with == nil || field(with, "persist-credentials") == nil || field(with, "persist-credentials").Value != "false" {
				at(uses, "checkout leaves the token in .git/config; set persist-credentials: false")
			}
		}
	})
	return out
}

// field is the value of a key of a mapping, or nil.
func field(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func visit(n *yaml.Node, f func(*yaml.Node)) {
	f(n)
	for _, c := range n.Content {
		visit(c, f)
	}
}

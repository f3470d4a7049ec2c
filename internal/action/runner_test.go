package action_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/specgate/specgate"
	"github.com/specgate/specgate/internal/github/githubtest"
)

// workflow, job, step and metadata are what is read of YAML files.
type workflow struct {
	Name        string               `yaml:"name"`
	On          yaml.Node            `yaml:"on"`
	Permissions map[string]string    `yaml:"permissions"`
	Jobs        map[string]*jobRules `yaml:"jobs"`
}

type jobRules struct {
	Needs       string            `yaml:"needs"`
	If          string            `yaml:"if"`
	Permissions map[string]string `yaml:"permissions"`
	RunsOn      string            `yaml:"runs-on"`
	Strategy    struct {
		Matrix map[string][]string `yaml:"matrix"`
	} `yaml:"strategy"`
	Steps []stepRules `yaml:"steps"`
}

type stepRules struct {
	ID    string            `yaml:"id"`
	Name  string            `yaml:"name"`
	If    string            `yaml:"if"`
	Uses  string            `yaml:"uses"`
	With  map[string]string `yaml:"with"`
	Shell string            `yaml:"shell"`
	Env   map[string]string `yaml:"env"`
	Run   string            `yaml:"run"`
}

type metadata struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string      `yaml:"using"`
		Steps []stepRules `yaml:"steps"`
	} `yaml:"runs"`
}

// self is the action as workflows name it: by the tag that is moved to each release of its major version.
func self() string {
	major, _, _ := strings.Cut(specgate.Version(), ".")
	return "specgate/specgate@v" + major
}

// others are the actions of others that are used, at the commits of their released tags, with the inputs that they have.
var others = map[string][]string{
	"actions/cache/restore@27d5ce7f107fe9357f9df03efb73ab90386fccae":     {"path", "key", "restore-keys", "enableCrossOsArchive", "fail-on-cache-miss", "lookup-only"},
	"actions/cache/save@27d5ce7f107fe9357f9df03efb73ab90386fccae":        {"path", "key", "upload-chunk-size", "enableCrossOsArchive"},
	"actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f":   {"name", "path", "if-no-files-found", "retention-days", "compression-level", "overwrite", "include-hidden-files", "archive"},
	"actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c": {"name", "artifact-ids", "path", "pattern", "merge-multiple", "github-token", "repository", "run-id", "skip-decompress", "digest-mismatch"},
}

// world is a GitHub with a repository, and what its Actions keep between jobs.
type world struct {
	t   *testing.T
	hub *githubtest.Server
	// actionDir has the action, as the runner has fetched it; path is the PATH of jobs.
	actionDir, path, mirror string
	// caches by key: a directory with what was saved, and artifacts by run and name.
	caches    map[string]string
	artifacts map[string]map[string]string
	runs      int
	jobs      int
	golden    strings.Builder
	// secrets must be in no log and no file that is kept.
	secrets []string
	// names that stand for what differs from run to run.
	names []string
}

// run is one run of a workflow.
type run struct {
	id      string
	event   string
	payload map[string]any
	// anyEvent starts a workflow that does not have the event.
	anyEvent bool
	// ref and sha are those of GITHUB_REF and GITHUB_SHA.
	ref, sha string
	// fork: a pull request of another repository started it, so the token can only read.
	fork bool
	// permissions, if not nil, are those of the jobs instead of what the workflow says.
	permissions map[string]string
	// hosted: the machine is one of GitHub's, which is thrown away.
	hosted bool
	// env is added to that of every step.
	env map[string]string
	// inputs are added to those of the action, as if the workflow had them.
	inputs map[string]string
	// before is called before each step of the action, by its name, with the home of the job.
	before func(step, home string)
}

// jobRun is one job that is run.
type jobRun struct {
	*world
	run      *run
	rules    *workflow
	token    string
	grants   map[string]string
	contexts contexts
	env      map[string]string
	path     []string
	temp     string
	work     string
	home     string
	counter  int
}

// start runs a workflow file of examples/workflows, and gives the conclusions of its jobs.
func (w *world) start(file string, r *run) map[string]string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "workflows", file))
	w.check(err)
	var rules workflow
	w.check(yaml.Unmarshal(text, &rules))
	w.runs++
	if r.id == "" {
		r.id = strconv.Itoa(1000 + w.runs)
	}
	w.printf("== %s, on %s\n", file, r.event)
	if !r.anyEvent && !triggers(&rules.On, r.event, r.target()) {
		w.t.Fatalf("%s is not started by %s", file, r.event)
	}
	conclusions := map[string]string{}
	// Jobs in the order of what they need.
	waiting := slices.Sorted(maps.Keys(rules.Jobs))
	for len(waiting) > 0 {
		i := slices.IndexFunc(waiting, func(id string) bool {
			need := rules.Jobs[id].Needs
			return need == "" || conclusions[need] != ""
		})
		id := waiting[i]
		waiting = slices.Delete(waiting, i, i+1)
		conclusions[id] = w.job(&rules, id, r, conclusions)
	}
	return conclusions
}

// target is the branch that a pull request is to be merged into; empty: the run is of none.
func (r *run) target() string {
	pull, _ := r.payload["pull_request"].(map[string]any)
	base, _ := pull["base"].(map[string]any)
	name, _ := base["ref"].(string)
	return name
}

// triggers tells whether a workflow is started by an event, and, if that is about a pull request, by one to merge into a branch.
func triggers(on *yaml.Node, event, target string) bool {
	if on.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(on.Content); i += 2 {
		if on.Content[i].Value != event {
			continue
		}
		var filter struct {
			Branches []string `yaml:"branches"`
		}
		_ = on.Content[i+1].Decode(&filter) // an event without settings has no filter
		return target == "" || filter.Branches == nil || slices.Contains(filter.Branches, target)
	}
	return false
}

// job runs a job, once for each value of its matrix.
func (w *world) job(rules *workflow, id string, r *run, needs map[string]string) string {
	rule := rules.Jobs[id]
	s := status{}
	c := w.github(r)
	if rule.Needs != "" {
		s.failed = needs[rule.Needs] != "success"
		c["needs"] = map[string]any{rule.Needs: map[string]any{"result": needs[rule.Needs]}}
	}
	if ok, err := holds(rule.If, c, s); err != nil {
		w.t.Fatal(err)
	} else if !ok {
		w.printf("job %s: skipped\n", id)
		return "skipped"
	}
	combinations := []map[string]any{{}}
	for name, values := range rule.Strategy.Matrix {
		if len(rule.Strategy.Matrix) != 1 {
			w.t.Fatal("this runner knows one dimension of a matrix")
		}
		combinations = nil
		for _, v := range values {
			combinations = append(combinations, map[string]any{name: v})
		}
	}
	conclusion := "success"
	for _, m := range combinations {
		c := w.github(r)
		c["matrix"] = m
		if w.jobOnce(rules, id, rule, r, c) != "success" {
			conclusion = "failure"
		}
	}
	return conclusion
}

// github is the context of a run.
func (w *world) github(r *run) contexts {
	return contexts{
		"github": map[string]any{"event": r.payload, "event_name": r.event, "ref": r.ref, "sha": r.sha, "run_id": r.id, "repository": "acme/numbers"},
		"matrix": map[string]any{}, "needs": map[string]any{}, "steps": map[string]any{}, "inputs": map[string]any{},
	}
}

func (w *world) jobOnce(rules *workflow, id string, rule *jobRules, r *run, c contexts) string {
	w.jobs++
	base := w.t.TempDir()
	j := &jobRun{world: w, run: r, rules: rules, contexts: c, temp: filepath.Join(base, "_temp"), work: filepath.Join(base, "numbers"), home: filepath.Join(base, "home")}
	w.names = append(w.names, base, "JOB")
	for _, dir := range []string{j.temp, j.work, j.home} {
		w.check(os.MkdirAll(dir, 0o755))
	}
	j.grants = rule.Permissions
	if j.grants == nil {
		j.grants = rules.Permissions
	}
	if r.permissions != nil {
		j.grants = r.permissions
	}
	j.token = fmt.Sprintf("ghs_%026d", w.jobs)
	w.secrets = append(w.secrets, j.token)
	permissions := map[string]string{}
	for name, level := range j.grants {
		if r.fork && level == "write" {
			level = "read"
		}
		permissions[strings.ReplaceAll(name, "-", "_")] = level
	}
	w.hub.AddToken(j.token, githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: permissions})
	c["github"].(map[string]any)["token"] = j.token
	environment := "self-hosted"
	if r.hosted {
		environment = "github-hosted"
	}
	c["runner"] = map[string]any{"os": "Linux", "arch": "X64", "temp": j.temp, "environment": environment}
	event, err := json.Marshal(r.payload)
	w.check(err)
	eventFile := filepath.Join(base, "event.json")
	w.check(os.WriteFile(eventFile, event, 0o644))
	j.env = map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": r.event, "GITHUB_EVENT_PATH": eventFile, "GITHUB_REPOSITORY": "acme/numbers",
		"GITHUB_SHA": r.sha, "GITHUB_REF": r.ref, "GITHUB_RUN_ID": r.id, "GITHUB_RUN_ATTEMPT": "1", "GITHUB_RUN_NUMBER": "1",
		"GITHUB_SERVER_URL": strings.TrimSuffix(w.hub.CloneURL("x/y"), "/x/y.git"), "GITHUB_API_URL": w.hub.URL, "GITHUB_WORKSPACE": j.work, "GITHUB_JOB": id,
		"RUNNER_TEMP": j.temp, "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_ENVIRONMENT": environment, "HOME": j.home, "LANG": "C.UTF-8",
		"SPECGATE_DOWNLOAD_BASE": w.mirror,
		"GIT_CONFIG_NOSYSTEM":    "1", "TMPDIR": j.temp,
	}
	maps.Copy(j.env, r.env)
	j.path = filepath.SplitList(w.path)

	title := "job " + id
	for name, value := range c["matrix"].(map[string]any) {
		title += fmt.Sprintf(", %s %v", name, value)
	}
	w.printf("-- %s\n", title)
	s := status{}
	outs := map[string]any{}
	for _, step := range rule.Steps {
		j.step(step, c, &s, outs, nil)
	}
	conclusion := "success"
	if s.failed {
		conclusion = "failure"
	}
	w.printf("-- %s: %s\n", title, conclusion)
	// Titles and branches of events try to make this file.
	for _, dir := range []string{j.work, j.home, j.temp, "."} {
		if _, err := os.Lstat(filepath.Join(dir, "pwned")); err == nil {
			w.t.Errorf("a text of the event was run as a command in %s", dir)
		}
	}
	return conclusion
}

// step runs one step. The steps of an action have the inputs of the step that uses it.
func (j *jobRun) step(step stepRules, c contexts, s *status, outs map[string]any, inputs map[string]any) {
	ok, err := holds(step.If, c, *s)
	if err != nil {
		j.t.Fatal(err)
	}
	name := cmp.Or(step.Name, step.Uses)
	if !ok {
		j.printf("# %s: skipped\n", name)
		return
	}
	if inputs != nil && j.run.before != nil {
		j.run.before(name, j.home)
	}
	values, err := expandAll(step.With, c, *s)
	j.check(err)
	var outputs map[string]any
	switch {
	case step.Uses == self():
		outputs, ok = j.composite(values)
	case step.Uses != "":
		j.printf("# %s\n", name)
		outputs, ok = j.other(step.Uses, values)
	default:
		j.printf("# %s\n", name)
		env, err := expandAll(step.Env, c, *s)
		j.check(err)
		if placeholder.MatchString(step.Run) {
			j.t.Fatalf("the script of %q has an expression in it: %s", name, step.Run)
		}
		outputs, ok = j.script(step.Run, env)
	}
	if !ok {
		s.failed = true
	}
	if step.ID != "" {
		outs[step.ID] = map[string]any{"outputs": outputs}
	}
}

func expandAll(in map[string]string, c contexts, s status) (map[string]string, error) {
	out := map[string]string{}
	for k, v := range in {
		text, err := expand(v, c, s)
		if err != nil {
			return nil, err
		}
		out[k] = text
	}
	return out, nil
}

// composite runs action.yml.
func (j *jobRun) composite(with map[string]string) (map[string]any, bool) {
	text, err := os.ReadFile(filepath.Join(j.actionDir, "action.yml"))
	j.check(err)
	var m metadata
	j.check(yaml.Unmarshal(text, &m))
	if m.Runs.Using != "composite" {
		j.t.Fatalf("action.yml runs %q", m.Runs.Using)
	}
	maps.Copy(with, j.run.inputs)
	inputs := map[string]any{}
	for name, in := range m.Inputs {
		value, given := with[name]
		if !given {
			value, err = expand(in.Default, j.contexts, status{})
			j.check(err)
		}
		inputs[name] = value
	}
	for name := range with {
		if _, known := m.Inputs[name]; !known {
			j.t.Errorf("the action has no input %s", name)
		}
	}
	outs := map[string]any{}
	c := contexts{"github": j.contexts["github"], "runner": j.contexts["runner"], "inputs": inputs, "steps": outs}
	s := status{}
	for _, step := range m.Runs.Steps {
		j.step(step, c, &s, outs, inputs)
	}
	result := map[string]any{}
	j.printf("outputs of the action:\n")
	for _, name := range slices.Sorted(maps.Keys(m.Outputs)) {
		value, err := expand(m.Outputs[name].Value, c, s)
		j.check(err)
		result[name] = value
		j.printf("  %s=%s\n", name, value)
	}
	return result, !s.failed
}

// script runs a script as the runner does for `shell: bash`.
func (j *jobRun) script(text string, env map[string]string) (map[string]any, bool) {
	j.counter++
	file := func(kind string) string {
		name := filepath.Join(filepath.Dir(j.temp), fmt.Sprintf("%s_%d", kind, j.counter))
		j.check(os.WriteFile(name, nil, 0o644))
		return name
	}
	script := file("script") + ".sh"
	j.check(os.WriteFile(script, []byte(text), 0o644))
	all := maps.Clone(j.env)
	maps.Copy(all, env)
	if strings.Contains(text, " action check") {
		for name, value := range all {
			if strings.Contains(value, j.token) {
				j.t.Errorf("%s gives the token to the step that runs code of the change", name)
			}
		}
	}
	all["PATH"] = strings.Join(j.path, string(os.PathListSeparator))
	all["GITHUB_ACTION_PATH"] = j.actionDir
	files := map[string]string{}
	for _, kind := range []string{"GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"} {
		files[kind] = file(kind)
		all[kind] = files[kind]
	}
	cmd := exec.CommandContext(j.t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script)
	cmd.Dir = j.work
	for name, value := range all {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		j.t.Fatalf("run a step: %v", err)
	}
	j.log(log.String())
	outputs := map[string]any{}
	for name, value := range j.pairs(files["GITHUB_OUTPUT"]) {
		outputs[name] = value
	}
	maps.Copy(j.env, j.pairs(files["GITHUB_ENV"]))
	added, err := os.ReadFile(files["GITHUB_PATH"])
	j.check(err)
	for line := range strings.Lines(string(added)) {
		j.path = slices.Insert(j.path, 0, strings.TrimSpace(line))
	}
	summary, err := os.ReadFile(files["GITHUB_STEP_SUMMARY"])
	j.check(err)
	if len(summary) > 1<<20 {
		j.t.Errorf("the summary of a step has %d bytes, and GitHub shows none of more than 1 MiB", len(summary))
	}
	if len(summary) > 0 {
		j.printf("summary:\n%s", indent(string(summary)))
	}
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		j.printf("  output %s=%s\n", name, outputs[name])
	}
	if exit != nil {
		j.printf("  exit code %d\n", exit.ExitCode())
	}
	return outputs, exit == nil
}

// pairs reads a file of names and values, as NAME=VALUE or NAME<<END with lines up to END.
func (j *jobRun) pairs(file string) map[string]string {
	text, err := os.ReadFile(file)
	j.check(err)
	out := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines) && string(text) != ""; i++ {
		if name, end, ok := strings.Cut(lines[i], "<<"); ok && !strings.Contains(name, "=") {
			var value []string
			for i++; i < len(lines) && lines[i] != end; i++ {
				value = append(value, lines[i])
			}
			if i == len(lines) {
				j.t.Fatalf("%s does not end with %q", name, end)
			}
			out[name] = strings.Join(value, "\n")
			continue
		}
		name, value, ok := strings.Cut(lines[i], "=")
		if !ok {
			j.t.Fatalf("%q is no name and value", lines[i])
		}
		out[name] = value
	}
	return out
}

var (
	commandLine = regexp.MustCompile(`^::([a-zA-Z-]+)(?: ([^:]*))?::(.*)$`)
	decodeData  = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	decodeValue = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
)

// log writes what the runner shows of the output of a step, and obeys the commands in it. Source: ActionCommand.cs of actions/runner.
func (j *jobRun) log(text string) {
	stopped := ""
	counts := map[string]int{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		line := scanner.Text()
		trimmed := strings.TrimSpace(line)
		if stopped != "" {
			if trimmed == "::"+stopped+"::" {
				stopped = ""
				continue
			}
			j.printf("  | %s\n", line)
			continue
		}
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "::") {
			if strings.Contains(line, "##[") {
				j.t.Errorf("the runner takes this line for a command: %q", line)
			}
			j.printf("  %s\n", line)
			continue
		}
		m := commandLine.FindStringSubmatch(trimmed)
		if m == nil {
			j.t.Errorf("the runner takes this line for a command: %q", line)
			continue
		}
		switch m[1] {
		case "stop-commands":
			stopped = m[3]
		case "error", "warning", "notice":
			counts[m[1]]++
			properties := ""
			if m[2] != "" {
				for _, p := range strings.Split(m[2], ",") {
					name, value, _ := strings.Cut(p, "=")
					properties += fmt.Sprintf(" %s=%q", name, decodeValue.Replace(value))
				}
			}
			j.printf("  annotation: %s%s\n%s", m[1], properties, indent(decodeData.Replace(m[3])))
		default:
			j.t.Errorf("the command %q was obeyed: %q", m[1], line)
		}
	}
	j.check(scanner.Err())
	if stopped != "" {
		j.t.Error("commands were not allowed again")
	}
	for kind, n := range counts {
		if n > 10 {
			j.t.Errorf("%d annotations of the kind %s in one step; GitHub shows 10", n, kind)
		}
	}
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// other stands for an action of others.
func (j *jobRun) other(uses string, with map[string]string) (map[string]any, bool) {
	known, ok := others[uses]
	if !ok {
		j.t.Fatalf("%s is not pinned to a commit of a release", uses)
	}
	for name := range with {
		if !slices.Contains(known, name) {
			j.t.Errorf("%s has no input %s", uses, name)
		}
	}
	action, _, _ := strings.Cut(uses, "@")
	switch action {
	case "actions/cache/restore":
		return j.restore(with)
	case "actions/cache/save":
		if _, err := os.Stat(with["path"]); err != nil {
			j.printf("  nothing to save at %s\n", with["path"])
			return nil, true // a warning
		}
		if _, there := j.caches[with["key"]]; !there {
			j.caches[with["key"]] = j.copy(with["path"])
		}
		j.printf("  saved %s as %s\n", with["path"], with["key"])
		return nil, true
	case "actions/upload-artifact":
		name, path := with["name"], with["path"]
		if regexp.MustCompile(`["<>:|*?\r\n\\/]`).MatchString(name) || name == "" {
			j.t.Errorf("%q is no name of an artifact", name)
		}
		entries, err := os.ReadDir(path)
		if err != nil || len(entries) == 0 {
			j.printf("  no files at %s\n", path)
			return nil, with["if-no-files-found"] != "error"
		}
		if j.artifacts[j.run.id] == nil {
			j.artifacts[j.run.id] = map[string]string{}
		}
		if _, there := j.artifacts[j.run.id][name]; there && with["overwrite"] != "true" {
			j.printf("  there is an artifact %s already\n", name)
			return nil, false
		}
		j.artifacts[j.run.id][name] = j.copy(path)
		j.printf("  uploaded %s:", name)
		for _, e := range entries {
			j.printf(" %s", e.Name())
		}
		j.printf("\n")
		return nil, true
	case "actions/download-artifact":
		return j.download(with)
	}
	j.t.Fatalf("%s is not known here", uses)
	return nil, false
}

func (j *jobRun) restore(with map[string]string) (map[string]any, bool) {
	key := ""
	if _, there := j.caches[with["key"]]; there {
		key = with["key"]
	} else {
		for prefix := range strings.Lines(with["restore-keys"]) {
			for _, k := range slices.Sorted(maps.Keys(j.caches)) {
				if strings.HasPrefix(k, strings.TrimSpace(prefix)) {
					key = k
				}
			}
		}
	}
	if key == "" {
		j.printf("  there is no %s\n", with["key"])
		return map[string]any{"cache-hit": ""}, true
	}
	j.check(os.MkdirAll(filepath.Dir(with["path"]), 0o755))
	j.check(copyTree(with["path"], j.caches[key]))
	j.printf("  restored %s from %s\n", with["path"], key)
	return map[string]any{"cache-hit": strconv.FormatBool(key == with["key"])}, true
}

func (j *jobRun) download(with map[string]string) (map[string]any, bool) {
	from := cmp.Or(with["run-id"], j.run.id)
	if from != j.run.id {
		if with["github-token"] != j.token {
			j.t.Error("artifacts of another run are fetched without the token")
		}
		if j.grants["actions"] == "" {
			j.printf("  the token may not read artifacts\n")
			return nil, false
		}
	}
	found := 0
	for _, name := range slices.Sorted(maps.Keys(j.artifacts[from])) {
		target := with["path"]
		switch match, err := filepath.Match(with["pattern"], name); {
		case err != nil:
			j.t.Fatal(err)
		case with["name"] == name:
		case with["name"] == "" && match && with["merge-multiple"] == "true":
		default:
			continue
		}
		found++
		j.check(os.MkdirAll(target, 0o755))
		j.check(copyTree(target, j.artifacts[from][name]))
		j.printf("  downloaded %s\n", name)
	}
	if found == 0 && with["name"] != "" {
		j.printf("  there is no artifact %s\n", with["name"])
		return nil, false
	}
	return nil, true
}

// copy keeps a file or a directory.
func (w *world) copy(path string) string {
	dir := filepath.Join(w.t.TempDir(), "kept")
	w.check(copyTree(dir, path))
	return dir
}

// copyTree copies a directory, links and modes included.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(target, info.Mode().Perm())
		case d.Type() == fs.ModeSymlink:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, info.Mode().Perm())
	})
}

func (w *world) printf(format string, args ...any) { fmt.Fprintf(&w.golden, format, args...) }

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

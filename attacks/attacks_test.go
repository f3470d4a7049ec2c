// Package attacks_test runs the built specgate on hostile changes, and on honest ones that look like them.
package attacks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/sandbox"
)

var update = flag.Bool("update", false, "write what specgate says now into the fixtures")

// binary is the specgate that all tests run.
var binary string

func TestMain(m *testing.M) {
	sandbox.Main()
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "specgate-attacks-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		binary = filepath.Join(dir, "specgate")
		if out, err := exec.Command("go", "build", "-o", binary, "../cmd/specgate").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build specgate: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// hang is when a run is taken to hang. It is no measure of speed: what ends, ends far earlier.
const hang = 2 * time.Minute

// environment of every program that a test starts: no configuration of this machine, no tokens, and commits that are the same in every run.
func environment(more ...string) []string {
	const who, when = "someone", "2026-01-01T00:00:00Z"
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(), "NO_COLOR=1",
		"RUSTUP_HOME=" + os.Getenv("RUSTUP_HOME"), "CARGO_HOME=" + os.Getenv("CARGO_HOME"), "RUSTUP_TOOLCHAIN=" + os.Getenv("RUSTUP_TOOLCHAIN"),
		"GIT_AUTHOR_NAME=" + who, "GIT_AUTHOR_EMAIL=" + who + "@example.com", "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=" + who, "GIT_COMMITTER_EMAIL=" + who + "@example.com", "GIT_COMMITTER_DATE=" + when,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}, more...)
}

// ended is what became of a program.
type ended struct {
	code           int
	stdout, stderr string
}

// runIn runs a program in a directory to its end.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, environment(env...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.WaitDelay = 10 * time.Second
	err := c.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		t.Fatalf("%s %v hangs; it said %s", filepath.Base(name), args, tail(stderr.String()))
	}
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %s %v: %v", name, args, err)
	}
	return ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func tail(s string) string { return s[max(0, len(s)-2000):] }

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	r := runIn(t, dir, nil, "git", args...)
	if r.code != 0 {
		t.Fatalf("git %v: exit status %d: %s", args, r.code, r.stderr)
	}
	return strings.TrimSpace(r.stdout)
}

// tree is the files of a commit by their paths.
type tree map[string]string

// write makes the work tree be exactly the files.
func (f tree) write(t *testing.T, dir string) {
	t.Helper()
	old, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range old {
		if e.Name() == ".git" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range f {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// repository has two commits, base and head, on its branch main; links are symbolic links of head, by their paths.
func repository(t *testing.T, base, head tree, links map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	base.write(t, dir)
	git(t, dir, "add", "-A", "-f")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "base")
	head.write(t, dir)
	for name, target := range links {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, file); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "add", "-A", "-f")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "head")
	return dir
}

// result is a run of specgate with the report that it wrote; nil: none.
type result struct {
	ended
	report *checks.Report
}

// check runs specgate check between the last two commits of a repository. Unless more says so, no code of the change is run.
func check(t *testing.T, dir string, more ...string) result {
	t.Helper()
	args := append([]string{"check", "--repo", dir, "--base", "HEAD~1", "--head", "HEAD", "--format", "json", "--no-cache"}, more...)
	r := result{ended: runIn(t, dir, []string{"SPECGATE_NO_RUN=1"}, binary, args...)}
	if r.code == 0 || r.code == 1 || r.code == 3 && r.stdout != "" {
		r.report = readReport(t, r.stdout)
	}
	return r
}

func readReport(t *testing.T, text string) *checks.Report {
	t.Helper()
	var out checks.Report
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("read the report: %v: %s", err, tail(text))
	}
	return &out
}

// show is the whole outcome in lines: exit code, outcome, findings, reasons.
func (r result) show() string {
	var b strings.Builder
	if r.report == nil {
		return fmt.Sprintf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	fmt.Fprintf(&b, "exit %d, %s\n", r.code, r.report.Outcome)
	for _, f := range r.report.Findings {
		waived := ""
		if f.Waived != nil {
			waived = " (waived: " + f.Waived.ID + ")"
		}
		fmt.Fprintf(&b, "%s %s%s %q at %q:%s: %q\n", f.Severity, f.Rule, waived, f.Symbol, f.File, f.Span.Start, f.Message)
	}
	for _, reason := range r.report.Reasons {
		fmt.Fprintf(&b, "not checked: %s: %q\n", reason.Stage, reason.Text)
	}
	return b.String()
}

// usual are the stages whose reasons say no more than that a run without a verifier and without running code has none.
var usual = []string{"proof", "strength"}

// broken says how an outcome breaks an expectation, which is a line of words; empty: it holds.
//
//	must exit N
//	must report RULE|RULE.. [SYMBOL]          a finding of one of the rules, above notice
//	must mention RULE|RULE.. [SYMBOL]         the same, a notice will do
//	must not report RULE
//	must give a reason STAGE TEXT             something that was not checked, with a text in its reason
//	must say TEXT                             a text on stdout or stderr, for a run that ends without a report
//	must be silent                            no finding of any severity, nothing unusual that was not checked, exit 0
func (r result) broken(line string) string {
	words := strings.Fields(line)
	rest := func(n int) string { return strings.Join(words[min(n, len(words)):], " ") }
	find := func(rules, symbol string, least string) string {
		for _, rule := range strings.Split(rules, "|") {
			for _, f := range r.report.Findings {
				if f.Rule == rule && (symbol == "" || f.Symbol == symbol || strings.HasSuffix(f.Symbol, "::"+symbol)) && f.Waived == nil &&
					(least == "notice" || f.Severity.String() != "notice") {
					return ""
				}
			}
		}
		return "no such finding"
	}
	switch {
	case strings.HasPrefix(line, "must exit ") && len(words) == 3:
		if want := words[2]; want != strconv.Itoa(r.code) {
			return fmt.Sprintf("exit code %d", r.code)
		}
		return ""
	case strings.HasPrefix(line, "must say ") && len(words) > 2:
		if !strings.Contains(r.stdout+r.stderr, rest(2)) {
			return "it does not"
		}
		return ""
	case r.report == nil:
		return "there is no report"
	case strings.HasPrefix(line, "must report ") && len(words) > 2:
		return find(words[2], rest(3), "warning")
	case strings.HasPrefix(line, "must mention ") && len(words) > 2:
		return find(words[2], rest(3), "notice")
	case strings.HasPrefix(line, "must not report ") && len(words) == 4:
		if find(words[3], "", "notice") == "" {
			return "it does"
		}
		return ""
	case strings.HasPrefix(line, "must give a reason ") && len(words) > 5:
		for _, reason := range r.report.Reasons {
			if reason.Stage == words[4] && strings.Contains(reason.Text, rest(5)) {
				return ""
			}
		}
		return "no such reason"
	case line == "must be silent":
		if r.code != 0 || r.report.Outcome != checks.OutcomePass || len(r.report.Findings) > 0 {
			return "it is not"
		}
		for _, reason := range r.report.Reasons {
			if !slices.Contains(usual, reason.Stage) {
				return "not checked: " + reason.Text
			}
		}
		return ""
	}
	return "not understood"
}

// expect checks every expectation, and that they say something of the attack: what it is caught by, not only how the run ends.
func (r result) expect(t *testing.T, honest bool, lines []string) {
	t.Helper()
	caught := false
	for _, line := range lines {
		if why := r.broken(line); why != "" {
			t.Errorf("%s: %s\n%s", line, why, r.show())
		}
		caught = caught || strings.HasPrefix(line, "must report ") || strings.HasPrefix(line, "must give a reason ") || strings.HasPrefix(line, "must say ") ||
			strings.HasPrefix(line, "must mention ")
	}
	if honest != slices.Contains(lines, "must be silent") || !honest && !caught {
		t.Errorf("the expectations %q do not say what gives the attack away, or that an honest change is quiet", lines)
	}
}

// fixture is a change in a txtar archive. The comment says what it is, then what must come of it; then perhaps `remove PATH`, `link PATH TARGET` and
// `args ARG...`. Files below head replace those of base, and want is the whole outcome.
type fixture struct {
	archive    *txtar.Archive
	base, head tree
	links      map[string]string
	expect     []string
	args       []string
	about      string
	want       int // index of the file, or -1
}

func readFixture(t *testing.T, name string) *fixture {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{archive: a, base: tree{}, head: tree{}, links: map[string]string{}, want: -1}
	for _, file := range a.Files {
		if p, ok := strings.CutPrefix(file.Name, "base/"); ok {
			f.base[p], f.head[p] = string(file.Data), string(file.Data)
		}
	}
	for i, file := range a.Files {
		p, ok := strings.CutPrefix(file.Name, "head/")
		switch {
		case ok:
			f.head[p] = string(file.Data)
		case file.Name == "want":
			f.want = i
		case !strings.HasPrefix(file.Name, "base/"):
			t.Fatalf("%s: a file is below base or head, or it is want: not %s", name, file.Name)
		}
	}
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "must":
			f.expect = append(f.expect, line)
		case words[0] == "remove" && len(words) == 2:
			delete(f.head, words[1])
		case words[0] == "link" && len(words) == 3:
			delete(f.head, words[1])
			f.links[words[1]] = words[2]
		case words[0] == "args":
			f.args = words[1:]
		default:
			f.about += line + " "
		}
	}
	if !strings.HasSuffix(f.about, ". ") {
		t.Fatalf("%s: it does not say what it is", name)
	}
	return f
}

// fixtures runs a test for each file of a pattern, and says how many are attacks and how many are honest, which must be quiet.
func fixtures(t *testing.T, pattern string, test func(t *testing.T, name string, quiet bool)) (attacks, honest int) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		id := strings.TrimSuffix(filepath.Base(name), ".txtar")
		quiet := strings.HasPrefix(id, "honest-")
		if quiet {
			honest++
		} else {
			attacks++
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			test(t, name, quiet)
		})
	}
	return attacks, honest
}

// TestChanges runs specgate check on every change of testdata/changes.
func TestChanges(t *testing.T) {
	attacks, honest := fixtures(t, "testdata/changes/*.txtar", func(t *testing.T, name string, quiet bool) {
		f := readFixture(t, name)
		r := check(t, repository(t, f.base, f.head, f.links), f.args...)
		r.expect(t, quiet, f.expect)
		got := r.show()
		if *update {
			if f.want < 0 {
				f.want = len(f.archive.Files)
				f.archive.Files = append(f.archive.Files, txtar.File{Name: "want"})
			}
			f.archive.Files[f.want].Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(f.archive), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want := ""
		if f.want >= 0 {
			want = string(f.archive.Files[f.want].Data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got), written anew by -update:\n%s", diff)
		}
	})
	if attacks < 150 || honest < 24 {
		t.Errorf("there are %d attacks and %d honest changes: fewer than there were", attacks, honest)
	}
}

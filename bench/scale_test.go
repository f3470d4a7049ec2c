package bench

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

var (
	scaleInto    = flag.String("scale", "", "write the tables of BenchmarkScale into this document, between its two marks")
	scaleLines   = flag.Int("scale-lines", 1_000_000, "lines of the large repository of BenchmarkScale")
	scaleChanged = flag.Int("scale-changed", 300, "functions that its pull request changes")
)

// BenchmarkScale checks pull requests against synthetic repositories by the command itself, with rustc and without a verifier, and prints tables:
// of a large pull request to a large repository, and of its second run after one more function was changed, and of what the cost grows with.
// All numbers are of one run of this benchmark. It takes a quarter of an hour or more; without -scale only the first table is made, of a small
// repository, and logged.
func BenchmarkScale(b *testing.B) {
	s := newScale(b)
	for b.Loop() {
		s.out.Reset()
		if *scaleInto == "" {
			s.twice("A pull request to a small repository, and its second run", s.repository(20_000, 10))
			continue
		}
		s.tables()
	}
	if *scaleInto == "" {
		b.Log("\n" + s.out.String())
		return
	}
	if err := s.write(*scaleInto); err != nil {
		b.Fatal(err)
	}
}

// scale is a run of BenchmarkScale.
type scale struct {
	b       *testing.B
	program string
	kept    string // the directory for all
	samples []sample
	out     bytes.Buffer
}

func newScale(b *testing.B) *scale {
	sandboxtest.Oracle.Program(b, "rustc")
	s := &scale{b: b, program: filepath.Join(b.TempDir(), "specgate"), kept: filepath.Join(b.TempDir(), "main"), samples: samples(b)}
	if out, err := exec.Command("go", "build", "-trimpath", "-o", s.program, "../cmd/specgate").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return s
}

// repository is one with a base, a head that changes some functions, a third of them in their contract and the others in their code, and a
// second head that changes one of them again.
type repository struct {
	repo
	lines, files, crates, changed int
}

func (s *scale) repository(lines, changed int) repository {
	s.b.Helper()
	return s.ofCrates(modules, lines, changed)
}

// ofCrates is a repository whose crates have so many modules.
func (s *scale) ofCrates(modules, lines, changed int) repository {
	s.b.Helper()
	r := repository{repo: newRepo(s.b), changed: changed}
	files, places := synthetic(s.samples, lines, modules, func(int) edition { return untouched })
	for name, text := range files {
		switch {
		case strings.HasSuffix(name, ".rs"):
			r.files++
			r.lines += strings.Count(text, "\n")
		case strings.HasSuffix(name, "/Cargo.toml"):
			r.crates++
		}
	}
	r.commit(s.b, files)
	chosen := map[int]int{}
	for i, p := range spread(places, changed) {
		chosen[p] = i
	}
	for _, again := range []bool{false, true} {
		head, _ := synthetic(s.samples, lines, modules, func(place int) edition {
			i, ok := chosen[place]
			switch {
			case !ok:
				return untouched
			case i == 0 && again:
				return codeChanged2
			case i%3 == 2:
				return weakened
			}
			return codeChanged
		})
		r.commit(s.b, head)
	}
	// What was accepted is base.
	r.git(s.b, "checkout", "-q", "-b", "change")
	r.git(s.b, "branch", "-f", "main", "HEAD~2")
	return r
}

// cost is what a check took.
type cost struct {
	wall, cpu time.Duration
	peak      float64 // MB, of the largest process
	units     map[string]float64
	stages    []string
	stage     map[string]time.Duration
	report    string
}

// check runs the command. The head is the last commit but so many.
func (s *scale) check(r repository, back int, args ...string) cost {
	s.b.Helper()
	head := fmt.Sprintf("HEAD~%d", back)
	cmd := exec.Command(s.program, append([]string{"check", "-v", "--repo", string(r.repo), "--base", "HEAD~2", "--head", head, "--format", "json", "--cache", s.kept}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	var report, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, &log
	start := time.Now()
	err := cmd.Run()
	c := cost{wall: time.Since(start), units: map[string]float64{}, stage: map[string]time.Duration{}, report: report.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || report.Len() == 0 {
		s.b.Fatalf("%v\n%s", err, log.String())
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = float64(u.Maxrss) / 1000
	}
	lines := bufio.NewScanner(&log)
	for lines.Scan() {
		stages := strings.Contains(lines.Text(), "msg=stages ")
		if !stages && !strings.Contains(lines.Text(), "msg=work ") {
			continue
		}
		for _, word := range strings.Fields(lines.Text()) {
			key, value, _ := strings.Cut(word, "=")
			if d, err := time.ParseDuration(value); err == nil && stages {
				c.stages = append(c.stages, key)
				c.stage[key] = d
			} else if n, err := strconv.ParseFloat(value, 64); err == nil {
				c.units[key] = n
			}
		}
	}
	if len(c.stages) == 0 || len(c.units) == 0 {
		s.b.Fatalf("the log says nothing of the work:\n%s", log.String())
	}
	return c
}

// units of the log, and what they count.
var units = [][2]string{
	{"files-read", "files read"}, {"files-parsed", "files parsed"}, {"functions-compared", "functions compared"}, {"functions-measured", "functions measured"},
	{"compilations", "compilations"}, {"programs", "programs started"}, {"calls", "calls of functions and mutants"}, {"spectests", "wrong results put to contracts"},
}

func (s *scale) line(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func share(part, whole float64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}

// tables makes all tables of the document.
func (s *scale) tables() {
	memory := "an unknown amount of"
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kb int
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kb); err == nil {
			memory = fmt.Sprintf("%d GB of", (kb+500_000)/1_000_000)
		}
	}
	s.line("Machine: %d cores, %s memory. Processor time is that of specgate, git, the compilers and what they made.\n", runtime.NumCPU(), memory)

	s.twice("A large pull request to a large repository, and its second run", s.repository(*scaleLines, *scaleChanged))
	s.line("")
	s.twice("A pull request within one large crate, and its second run", s.ofCrates(*scaleLines, *scaleLines/50, *scaleChanged/3))

	s.line("\n### By changed functions\n")
	s.line("Repositories of %d lines.\n", *scaleLines/10)
	s.header("changed functions")
	for _, n := range []int{1, 10, 100} {
		s.row(strconv.Itoa(n), s.check(s.repository(*scaleLines/10, n), 1))
	}

	s.line("\n### By the size of the repository\n\nPull requests that change 10 functions.\n")
	s.header("lines")
	for _, n := range []int{*scaleLines / 100, *scaleLines / 10, *scaleLines} {
		r := s.repository(n, 10)
		s.row(strconv.Itoa(r.lines), s.check(r, 1))
	}

	s.line("\n### By spectests\n\nPull requests that change 10 functions of %d lines, with other bounds in `[strength]` of the policy.\n", *scaleLines/100)
	s.header("inputs, mutants")
	r := s.repository(*scaleLines/100, 10)
	for _, n := range [][2]int{{8, 0}, {8, 60}, {32, 0}, {32, 60}} {
		file := filepath.Join(s.b.TempDir(), "policy.toml")
		text := fmt.Sprintf("version = 1\n[strength]\ninputs = %d\nmutants = %d\n", n[0], n[1])
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			s.b.Fatal(err)
		}
		s.row(fmt.Sprintf("%d, %d", n[0], n[1]), s.check(r, 1, "--policy", file))
	}

	// What is kept must not change what is said.
	for _, r := range []repository{s.repository(*scaleLines/20, 10), s.ofCrates(*scaleLines, *scaleLines/100, 10)} {
		kept := filepath.Join(s.b.TempDir(), "kept")
		s.check(r, 1, "--head-cache", kept)
		with, without := s.check(r, 0, "--head-cache", kept), s.check(r, 0, "--no-cache")
		if with.report != without.report || with.units["functions-kept"] == 0 {
			s.b.Errorf("the report of a second run is another one than without what was kept, or nothing was kept (%.0f functions)", with.units["functions-kept"])
		}
	}
}

// twice makes the table of a pull request and of its second run.
func (s *scale) twice(title string, r repository) {
	mine := filepath.Join(s.b.TempDir(), "head")
	first := s.check(r, 1, "--head-cache", mine)
	second := s.check(r, 0, "--head-cache", mine)
	s.line("### %s\n", title)
	crates := "1 crate"
	if r.crates != 1 {
		crates = fmt.Sprintf("%d crates", r.crates)
	}
	s.line("%d lines in %d Rust files of %s; %d functions are changed, two thirds in their code and one in their contract. The second run is after one of them was changed again.\n", r.lines, r.files, crates, r.changed)
	s.line("| | first run | second run | second of first |\n|---|---:|---:|---:|")
	for _, u := range units {
		s.line("| %s | %.0f | %.0f | %s |", u[1], first.units[u[0]], second.units[u[0]], share(second.units[u[0]], first.units[u[0]]))
	}
	all := func(c cost) (n float64) {
		for _, u := range units {
			n += c.units[u[0]]
		}
		return n
	}
	s.line("| all of these together, most of which are calls | %.0f | %.0f | %s |", all(first), all(second), share(all(second), all(first)))
	s.line("| functions whose strength was kept | %.0f | %.0f | |", first.units["functions-kept"], second.units["functions-kept"])
	for _, name := range first.stages {
		s.line("| time of the stage `%s` | %s | %s | %s |", name, seconds(first.stage[name]), seconds(second.stage[name]), share(second.stage[name].Seconds(), first.stage[name].Seconds()))
	}
	s.line("| **time in all** | %s | %s | **%s** |", seconds(first.wall), seconds(second.wall), share(second.wall.Seconds(), first.wall.Seconds()))
	s.line("| **processor time in all** | %s | %s | **%s** |", seconds(first.cpu), seconds(second.cpu), share(second.cpu.Seconds(), first.cpu.Seconds()))
	s.line("| most memory of one process | %.0f MB | %.0f MB | |", first.peak, second.peak)
	if second.units["functions-kept"] == 0 {
		s.b.Error("nothing was kept for the second run")
	}
}

func (s *scale) header(what string) {
	s.line("| %s | time | processor time | most memory of one process | files parsed | functions measured | compilations | calls | wrong results put to contracts |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|", what)
}

func (s *scale) row(what string, c cost) {
	s.line("| %s | %s | %s | %.0f MB | %.0f | %.0f | %.0f | %.0f | %.0f |", what, seconds(c.wall), seconds(c.cpu), c.peak, c.units["files-parsed"], c.units["functions-measured"],
		c.units["compilations"], c.units["calls"], c.units["spectests"])
}

// The tables stand between these two lines of the document.
const beginTables, endTables = "<!-- tables: begin, written by make scale -->\n", "<!-- tables: end -->\n"

func (s *scale) write(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), beginTables)
	_, after, ended := strings.Cut(rest, endTables)
	if !ok || !ended {
		return fmt.Errorf("%s has no two lines between which tables are written", name)
	}
	return os.WriteFile(name, []byte(before+beginTables+"\n"+s.out.String()+"\n"+endTables+after), 0o644)
}

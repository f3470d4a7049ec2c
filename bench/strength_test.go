package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

const functions = "../internal/eval/testdata/functions"

// BenchmarkSpectest asks a contract about a suite by the evaluator, and by a test program that is compiled by rustc and run, which is how it
// is done elsewhere: the contract, written by hand as executable code, and a table of cases. A program has the whole suite, or as few spectests as the
// example of SpecRL's paper; its time is divided by their number.
func BenchmarkSpectest(b *testing.B) {
	rustc := sandboxtest.Oracle.Program(b, "rustc")
	text, err := os.ReadFile(functions + "/paper_max/strong.rs")
	if err != nil {
		b.Fatal(err)
	}
	f := syntax.Parse(source.NewFile("lib.rs", text))
	w := eval.NewWorld([]eval.Source{{File: f, Crate: "lib"}})
	target, err := spectest.NewTarget(w.Find("lib", "max_of")[0], nil, "max_of")
	if err != nil {
		b.Fatal(err)
	}
	set, err := target.Inputs(b.Context(), spectest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	observed := make([]*spectest.Observed, len(set.Inputs))
	for i, in := range set.Inputs {
		var most value.Int
		for k, v := range in.Args[0].(*value.List).Elems {
			if n := v.(value.Int); k == 0 || n.Cmp(most) > 0 {
				most = n
			}
		}
		observed[i] = &spectest.Observed{Result: most, After: make([]value.Value, 1)}
	}
	suite, err := spectest.Assemble(target, set.Inputs, observed, nil, spectest.Budget{})
	if err != nil {
		b.Fatal(err)
	}
	const few = 4 // spectests of the suite in the example of SpecRL's paper
	var ours, all, small time.Duration
	judge := target.Judge()
	for b.Loop() {
		const rounds = 20
		start := time.Now()
		for range rounds {
			for i := range suite.Tests {
				if a := judge.Ask(suite.Case(i)); a.Verdict != eval.Rejected {
					b.Fatal(a)
				}
			}
		}
		ours += time.Since(start) / rounds
		all += byProgram(b, rustc, suite, len(suite.Tests))
		small += byProgram(b, rustc, suite, few)
	}
	n := float64(b.N)
	perTest := float64(ours.Nanoseconds()) / n / float64(len(suite.Tests))
	allPerTest, smallPerTest := float64(all.Nanoseconds())/n/float64(len(suite.Tests)), float64(small.Nanoseconds())/n/few
	b.ReportMetric(perTest, "ns/spectest")
	b.ReportMetric(allPerTest/perTest, fmt.Sprintf("times-faster-than-%d-in-a-program", len(suite.Tests)))
	b.ReportMetric(smallPerTest/perTest, fmt.Sprintf("times-faster-than-%d-in-a-program", few))
}

// byProgram is the time for compiling and running a test program with the first n spectests of a suite.
func byProgram(b *testing.B, rustc string, suite *spectest.Suite, n int) time.Duration {
	b.Helper()
	dir := b.TempDir()
	var cases strings.Builder
	for i := range n {
		k := suite.Case(i)
		fmt.Fprintf(&cases, "        (&%s, %s),\n", value.Short(k.Args[0]), value.Short(k.Result))
	}
	program := "fn requires(v: &[i32]) -> bool { v.len() > 0 }\n" +
		"fn ensures(v: &[i32], m: i32) -> bool { (0..v.len()).all(|i| v[i] <= m) && (0..v.len()).any(|i| v[i] == m) }\n" +
		"fn main() {\n    let cases: &[(&[i32], i32)] = &[\n" + cases.String() + "    ];\n" +
		"    let rejected = cases.iter().filter(|(v, m)| requires(v) && !ensures(v, *m)).count();\n    println!(\"{}\", rejected);\n}\n"
	if strings.Contains(program, "…") {
		b.Fatal("a value is cut short")
	}
	if err := os.WriteFile(filepath.Join(dir, "main.rs"), []byte(program), 0o644); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	compile := exec.Command(rustc, "--edition", "2021", "-o", filepath.Join(dir, "main"), filepath.Join(dir, "main.rs"))
	if out, err := compile.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "main")).Output()
	took := time.Since(start)
	if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(n) {
		b.Fatalf("%s of %d rejected, %v", out, n, err)
	}
	return took
}

// BenchmarkScore scores 100 small files in one process: the samples, each with its strong and its weak contract.
func BenchmarkScore(b *testing.B) {
	rustc := sandboxtest.Oracle.Program(b, "rustc")
	dirs, err := filepath.Glob(functions + "/*")
	if err != nil || len(dirs) == 0 {
		b.Fatal("no samples", err)
	}
	const wanted = 100
	dir := b.TempDir()
	for i := range wanted {
		side := []string{"strong", "weak"}[i/len(dirs)%2]
		text, err := os.ReadFile(filepath.Join(dirs[i%len(dirs)], side+".rs"))
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.rs", i)), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	lines := 0
	before := children(b)
	for b.Loop() {
		err := engine.Score(context.Background(), engine.ScoreOptions{Paths: []string{dir}, Jobs: 2, MinSuite: 8, Log: slog.New(slog.DiscardHandler),
			Strength: policy.Strength{Inputs: 32, Mutants: 60},
			Compiler: func() (engine.Compiler, error) { return engine.Compiler{Path: rustc}, nil }},
			func(l annotate.ScoreLine) error {
				if l.Stages.Extract != "passed" {
					return errors.New(l.File + ": " + l.Lost[0].Text)
				}
				lines++
				return nil
			})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(lines)/float64(b.N), "functions")
	b.ReportMetric((children(b)-before).Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(peak(b), "peak-MB")
}

// children is the processor time of this process and of those that it waited for: compilers, and what was compiled.
func children(b *testing.B) time.Duration {
	b.Helper()
	total := processorTime(b)
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return total + time.Duration(u.Utime.Nano()+u.Stime.Nano())
}

// peak is the most memory that this process had, in MB; 0 where that is not known.
func peak(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kb); err == nil {
			return kb / 1000
		}
	}
	return 0
}

func TestMain(m *testing.M) {
	sandbox.Main() // what is run isolated is started by this executable
	os.Exit(m.Run())
}

// Package bench measures specgate's pace. See README.md.
package bench

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/syntax/syntaxtest"
)

// folder is what is read: SPECGATE_CORPUS, or else the fixtures.
func folder() string {
	if dir := os.Getenv("SPECGATE_CORPUS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "testdata")
}

func rustFiles(b *testing.B, dir string) []string {
	b.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".rs") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if len(files) == 0 {
		b.Fatalf("no Rust files in %s", dir)
	}
	return files
}

// load reads the files into memory and returns them with their size in bytes.
func load(b *testing.B, paths []string) (files []*source.File, size int64) {
	b.Helper()
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, source.NewFile(path, text))
		size += int64(len(text))
	}
	return files, size
}

func parseAll(files []*source.File) (tokens int) {
	for _, f := range files {
		if t := syntax.Parse(f); t.Root().Valid() {
			tokens++
		}
	}
	return tokens
}

// BenchmarkParse reads every Rust file of the folder.
func BenchmarkParse(b *testing.B) {
	files, size := load(b, rustFiles(b, folder()))
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if parseAll(files) != len(files) {
			b.Fatal("a file was not parsed")
		}
	}
}

// BenchmarkParseAgainstVerusSyn reads the files that verus_syn accepts with both parsers, in turn, each in one thread, and
// reports both paces and how many times faster ours is.
func BenchmarkParseAgainstVerusSyn(b *testing.B) {
	oracle := syntaxtest.Oracle(b)
	paths := rustFiles(b, folder())
	first := pace(b, oracle, paths)
	paths = slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(first.Skipped, p) })
	files, size := load(b, paths)
	if size != first.Bytes {
		b.Fatalf("verus_syn read %d bytes, the same files have %d here", first.Bytes, size)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ours, theirs := time.Duration(0), 0.0
	rounds := 0
	for b.Loop() {
		theirs += pace(b, oracle, paths).Seconds
		start := processorTime(b)
		parseAll(files)
		ours += processorTime(b) - start
		rounds++
	}
	mb := float64(size) / 1e6 * float64(rounds)
	b.ReportMetric(mb/ours.Seconds(), "ours-MB/s")
	b.ReportMetric(mb/theirs, "verus_syn-MB/s")
	b.ReportMetric(theirs/ours.Seconds(), "times-faster")
	b.ReportMetric(float64(len(files)), "files")
}

// processorTime is the time that this process was on a processor.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timed is what the oracle prints in its bench mode.
type timed struct {
	Bytes   int64    `json:"bytes"`
	Seconds float64  `json:"seconds"`
	Skipped []string `json:"skipped"`
}

func pace(b *testing.B, oracle string, paths []string) timed {
	b.Helper()
	cmd := exec.Command(oracle, "bench", "1")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n") + "\n")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("running the oracle: %v", err)
	}
	var t timed
	if err := json.Unmarshal(out, &t); err != nil {
		b.Fatalf("reading the oracle's figures: %v\n%s", err, out)
	}
	return t
}

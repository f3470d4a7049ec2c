package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/cli"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// documents are those whose console blocks are executed, relative to the root of the repository.
var documents = []string{"README.md", "docs/cli.md", "docs/report.md", "docs/output.md", "docs/policy.md", "docs/spectest.md", "docs/strength.md", "docs/score.md", "docs/github-app.md"}

// measuring are the documents whose commands run code, for which they need rustc. In the others nothing is run.
var measuring = []string{"docs/strength.md", "docs/score.md"}

// consoleBlock is a block of a document that shows commands, each behind a dollar sign, with what they print.
var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// TestDocuments runs what the documents show, in the repository of examples/numbers, on its branch tidy. A line of three dots
// stands for any lines. What goes to stderr stands behind what goes to stdout.
func TestDocuments(t *testing.T) {
	// The documents are written without a verifier, also where the machine names one.
	t.Setenv("SPECGATE_VERUS", "") // puts it back after the test
	os.Unsetenv("SPECGATE_VERUS")
	for _, name := range documents {
		t.Run(name, func(t *testing.T) {
			if slices.Contains(measuring, name) {
				needRustc(t)
			} else {
				t.Setenv("SPECGATE_NO_RUN", "1")
			}
			file, err := filepath.Abs(filepath.Join("..", "..", name))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks := 0
			dir := exampleRepo(t)
			t.Chdir(dir)
			updated := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
				blocks++
				body := strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```")
				got := replay(t, dir, body)
				if !matches(body, got) {
					if !*update {
						t.Errorf("%s shows (-) what is not printed (+):\n%s", name, cmp.Diff(body, got))
					}
					return "```console\n" + elide(body, got) + "```"
				}
				return block
			})
			if blocks == 0 {
				t.Errorf("%s has no console block", name)
			}
			if *update {
				if err := os.WriteFile(file, []byte(updated), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// needRustc is for tests that measure functions.
func needRustc(t *testing.T) {
	t.Helper()
	sandboxtest.Oracle.Program(t, "rustc")
	sandboxtest.Isolated(t)
}

// cannotMeasure says why code cannot be compiled, and run isolated; nil if it can.
func cannotMeasure(ctx context.Context) error {
	if _, err := exec.LookPath("rustc"); err != nil {
		return err
	}
	ps, err := sandbox.Protections(ctx)
	if err == nil && len(sandbox.Missing(ps)) > 0 {
		err = errors.New(sandbox.Statement(ps))
	}
	return err
}

// replay runs the commands of a block and gives the block as it should be.
func replay(t *testing.T, dir, body string) string {
	t.Helper()
	var b strings.Builder
	last := 0
	for line := range strings.Lines(body) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		b.WriteString(line)
		args := words(strings.TrimSpace(command))
		switch args[0] {
		case "specgate":
			var stdout, stderr bytes.Buffer
			last = cli.Main(args[1:], &stdout, &stderr)
			b.WriteString(asRelease(strings.ReplaceAll(stdout.String()+stderr.String(), dir, "/home/you/numbers")))
		case "echo":
			fmt.Fprintln(&b, last)
		default:
			t.Fatalf("a document runs %q, which this test cannot", args[0])
		}
	}
	return b.String()
}

// words splits a command at spaces, outside of single quotes.
func words(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// matches compares line by line; a wanted line of three dots stands for any number of lines.
func matches(want, got string) bool {
	parts := strings.Split("\n"+want, "\n...\n")
	got = "\n" + got
	for i, part := range parts {
		if i > 0 {
			part = "\n" + part
		}
		at := strings.Index(got, part)
		switch {
		case len(parts) == 1:
			return got == part
		case i == 0:
			if !strings.HasPrefix(got, part) {
				return false
			}
			at = 0
		case i == len(parts)-1:
			return strings.HasSuffix(got, part)
		}
		if at < 0 {
			return false
		}
		// The line end of the part may be the one that begins the next.
		got = got[at+len(part)-min(1, len(part)):]
	}
	return true
}

// elide leaves out of got what want left out: between a line of three dots and the line behind it. It gives got as it is when
// that line is gone.
func elide(want, got string) string {
	lines := strings.SplitAfter(got, "\n")
	var out strings.Builder
	at := 0
	for i, part := range strings.Split("\n"+want, "\n...\n") {
		part := strings.SplitAfter(strings.TrimPrefix(part, "\n"), "\n")
		if i > 0 {
			next := slices.Index(lines[at:], strings.TrimSuffix(part[0], "\n")+"\n")
			if part[0] == "" {
				next = len(lines) - at
			}
			if next < 0 {
				return got
			}
			out.WriteString("...\n")
			at += next
		}
		end := slices.Index(lines[at:], strings.TrimSuffix(part[len(part)-1], "\n")+"\n")
		switch {
		case strings.HasSuffix("\n"+want, strings.Join(part, "")) && part[len(part)-1] == "":
			end = len(lines) - at
		case end < 0:
			end = min(len(part), len(lines)-at)
		default:
			end++
		}
		for _, line := range lines[at : at+end] {
			out.WriteString(line)
		}
		at += end
	}
	return out.String()
}

func TestElide(t *testing.T) {
	for _, c := range []struct{ want, got, elided string }{
		{"a\nb\n", "a\nc\n", "a\nc\n"},
		{"a\n...\nd\ne\n", "a\nb\nc\nd\nf\n", "a\n...\nd\nf\n"},
		{"a\n...\nc\nd\n...\nf\n", "a\nb\nc\nx\nd\ne\nf\ng\n", "a\n...\nc\nx\nd\n...\nf\ng\n"},
		{"a\n...\n", "b\nc\n", "b\n...\n"},
		{"a\n...\nz\n", "a\nb\n", "a\nb\n"},
	} {
		if got := elide(c.want, c.got); got != c.elided {
			t.Errorf("elide(%q, %q) = %q, want %q", c.want, c.got, got, c.elided)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		want, got string
		match     bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nc\n", false},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a\n...\nd\n", "a\nd\n", true},
		{"a\n...\nd\n", "a\nb\nc\n", false},
		{"a\n...\nc\n...\ne\n", "a\nb\nc\nd\ne\n", true},
		{"a\n...\nc\n...\ne\n", "a\nb\nd\ne\n", false},
		{"a\n...\n", "a\nb\n", true},
	} {
		if got := matches(c.want, c.got); got != c.match {
			t.Errorf("matches(%q, %q) = %v", c.want, c.got, got)
		}
	}
}

// exampleRepo makes the repository of the documents and returns its directory, named numbers.
func exampleRepo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "numbers")
	// A policy beside it, which docs/policy.md simulates.
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "strict.toml"), []byte("version = 1\n[gate]\nfail-on = \"warning\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for key, value := range gitEnvironment() {
		t.Setenv(key, value)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, side := range []string{"base", "head"} {
		for _, name := range []string{"src", "Cargo.toml"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "numbers", side))); err != nil {
			t.Fatal(err)
		}
		if side == "base" {
			git("init", "-q", "-b", "main")
		} else {
			git("checkout", "-q", "-b", "tidy")
		}
		git("add", "-A")
		git("commit", "-q", "-m", side)
	}
	return dir
}

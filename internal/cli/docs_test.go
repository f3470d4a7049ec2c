package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/cli"
)

// documents are those whose console blocks are executed, relative to the root of the repository.
var documents = []string{"README.md", "docs/cli.md", "docs/report.md"}

// consoleBlock is a block of a document that shows commands, each behind a dollar sign, with what they print.
var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// TestDocuments runs what the documents show, in the repository of examples/numbers, on its branch tidy. A line of three dots
// stands for any lines. What goes to stderr stands behind what goes to stdout.
func TestDocuments(t *testing.T) {
	for _, name := range documents {
		t.Run(name, func(t *testing.T) {
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
					return "```console\n" + got + "```"
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
			b.WriteString(strings.ReplaceAll(stdout.String()+stderr.String(), dir, "/home/you/numbers"))
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

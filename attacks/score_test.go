package attacks_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// scored is what specgate score says of a function, as a training loop reads it.
type scored struct {
	Symbol, File  string
	Line          int
	Reward        *float64
	NotApplicable string
	Class         string
	Stages        struct{ Extract, Compile, Verify string }
	Lost          []struct{ Stage, Code, Text string }
	Bypass        []string
	Strength      *struct {
		Rejected, Escaped, Undecided int
		Value, Low                   *float64
	}
}

// worth is the share of the last stage that the function would earn if all was proved: nothing where something was bypassed, was not understood, or says nothing, and else
// its strength.
func (s scored) worth() float64 {
	vacuous := slices.ContainsFunc(s.Lost, func(l struct{ Stage, Code, Text string }) bool {
		return l.Code == "vacuous" || l.Code == "suite-too-small"
	})
	if len(s.Bypass) > 0 || s.Stages.Extract != "passed" || vacuous || s.Strength == nil || s.Strength.Value == nil {
		return 0
	}
	return *s.Strength.Low
}

func (s scored) show() string {
	var b strings.Builder
	reward := "null"
	if s.Reward != nil {
		reward = strconv.FormatFloat(*s.Reward, 'f', 2, 64)
	}
	fmt.Fprintf(&b, "%q at %q:%d: reward %s%s, worth %.2f, extract %s, compile %s, verify %s\n", s.Symbol, s.File, s.Line, reward, strings.TrimRight(" "+s.Class, " "), s.worth(),
		s.Stages.Extract, s.Stages.Compile, s.Stages.Verify)
	for _, x := range s.Bypass {
		fmt.Fprintf(&b, "\tbypass: %q\n", x)
	}
	for _, l := range s.Lost {
		if l.Code != "verify-not-run" && l.Code != "gated" && l.Code != "bypass" {
			fmt.Fprintf(&b, "\tlost: %s: %q\n", l.Code, l.Text)
		}
	}
	return b.String()
}

// TestScores runs specgate score on every attempt of testdata/scores: attempt.rs, with a baseline if there is one, and other files. The comment says what it is and what
// must come of it. No attempt is proved, as there is no verifier, so that it is said what it would be worth.
//
//	must earn nothing SYMBOL            something is bypassed, or nothing can be said of it
//	must be worth at most N SYMBOL      the share of the last stage
//	must be worth N SYMBOL              exactly, and nothing is bypassed: an honest attempt
//	must keep SYMBOL                    nothing is bypassed, and all is understood: an honest attempt, whose code is not run
//	must say TEXT                       on stdout or stderr
//
// `args ARG...` are further arguments, `link PATH TARGET` is a symbolic link, `score PATH` is named instead of attempt.rs. Code is run only where `run` says so.
func TestScores(t *testing.T) {
	attacks, honest := fixtures(t, "testdata/scores/*.txtar", scoreFixture)
	if attacks < 40 || honest < 12 {
		t.Errorf("there are %d attacks and %d honest attempts: fewer than there were", attacks, honest)
	}
}

func scoreFixture(t *testing.T, name string, honest bool) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	files, want, wantAt := tree{}, "", -1
	args, run, path := []string{"score"}, false, "attempt.rs"
	for i, f := range a.Files {
		switch f.Name {
		case "want":
			want, wantAt = string(f.Data), i
		case "baseline.rs":
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, "--baseline", "../baseline.rs")
		default:
			files[f.Name] = string(f.Data)
		}
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	files.write(t, work)
	about := ""
	var expect []string
	for line := range strings.Lines(string(a.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "must":
			expect = append(expect, strings.TrimSpace(line))
		case words[0] == "args":
			args = append(args, words[1:]...)
		case words[0] == "run" && len(words) == 1:
			run = true
		case words[0] == "score" && len(words) == 2:
			path = words[1]
		case words[0] == "link" && len(words) == 3:
			if err := os.Symlink(words[2], filepath.Join(work, words[1])); err != nil {
				t.Fatal(err)
			}
		default:
			about += strings.TrimSpace(line) + " "
		}
	}
	if !strings.HasSuffix(about, ". ") || len(expect) == 0 {
		t.Fatal("it does not say what it is, or what must come of it")
	}
	env := []string{"SPECGATE_NO_RUN=1"}
	if run {
		needRun(t)
		env = nil
	}
	r := runIn(t, work, env, binary, append(args, path)...)
	got := fmt.Sprintf("exit %d\n%s", r.code, r.stderr)
	of := map[string][]scored{}
	lines := bufio.NewScanner(strings.NewReader(r.stdout))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var s scored
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("a line that is no JSON: %v: %s", err, lines.Text())
		}
		of[s.Symbol] = append(of[s.Symbol], s)
		got += s.show()
	}
	for _, line := range expect {
		if why := brokenScore(of, r, line, honest); why != "" {
			t.Errorf("%s: %s\n%s", line, why, got)
		}
	}
	if *update {
		if wantAt < 0 {
			a.Files = append(a.Files, txtar.File{Name: "want"})
			wantAt = len(a.Files) - 1
		}
		a.Files[wantAt].Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got), written anew by -update:\n%s", diff)
	}
}

// brokenScore says how lines break an expectation; empty: it holds.
func brokenScore(of map[string][]scored, r ended, line string, honest bool) string {
	if text, ok := strings.CutPrefix(line, "must say "); ok {
		if !strings.Contains(r.stdout+r.stderr, text) {
			return "it does not"
		}
		return ""
	}
	words := strings.Fields(line)
	lines := of[words[len(words)-1]]
	if len(lines) != 1 {
		return fmt.Sprintf("it has %d lines", len(lines))
	}
	s := lines[0]
	number := func(word string) float64 {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			n = -1
		}
		return n
	}
	switch {
	case strings.HasPrefix(line, "must earn nothing ") && !honest:
		if s.Reward == nil || *s.Reward != 0 {
			return "it earns something"
		}
	case strings.HasPrefix(line, "must be worth at most ") && len(words) == 7 && !honest:
		if s.worth() > number(words[5]) {
			return fmt.Sprintf("it is worth %v", s.worth())
		}
	case strings.HasPrefix(line, "must be worth ") && len(words) == 5 && honest:
		if s.worth() != number(words[3]) || len(s.Bypass) > 0 {
			return fmt.Sprintf("it is worth %v", s.worth())
		}
	case strings.HasPrefix(line, "must keep ") && honest:
		if len(s.Bypass) > 0 || s.Stages.Extract != "passed" {
			return "it does not"
		}
	default:
		return "not understood"
	}
	return ""
}

// TestScoreFiles names what is no source to specgate score, or has a name that is made to be read as something else. It ends, and writes one line of JSON for each function.
func TestScoreFiles(t *testing.T) {
	const honest = "use vstd::prelude::*;\nverus! {\npub fn f(x: u32) -> (r: u32)\n    ensures r == x\n{\n    x\n}\n}\n"
	dir := t.TempDir()
	for name, text := range map[string]string{"honest.rs": honest, "out/a\n{\"reward\":1}.rs": honest, "out/\x1b]0;hacked\x07.rs": honest, "out/not-utf8.rs": "\xff\xfe", "out/empty.rs": "", "empty/a.txt": "",
		"piped/piped.rs": honest} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"zero.rs": "/dev/zero", "nowhere.rs": "nothing.rs", "self.rs": "self.rs", "out/out": "..", "out/linked.rs": "/etc/passwd", "linked.rs": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"pipe.rs", "piped/Cargo.toml", "out/pipe.rs"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		code int
		say  string // on stderr
		// symbols of the lines
		want []string
	}{
		{[]string{"honest.rs"}, 0, "", []string{"f"}},
		{[]string{"out"}, 0, "", []string{"", "f", "f"}},
		{[]string{"piped/piped.rs"}, 0, "", []string{"f"}},
		{[]string{"pipe.rs"}, 2, "pipe.rs is no plain file", nil},
		{[]string{"zero.rs"}, 2, "zero.rs is no plain file", nil},
		{[]string{"linked.rs"}, 0, "", []string{""}},
		{[]string{"nowhere.rs"}, 2, "there is no file or directory nowhere.rs", nil},
		{[]string{"self.rs"}, 2, "self.rs", nil},
		{[]string{"empty"}, 2, "there is no Rust file in empty", nil},
		{[]string{"--baseline", "pipe.rs", "honest.rs"}, 2, "pipe.rs is no plain file", nil},
		{[]string{"--baseline", "/dev/zero", "honest.rs"}, 2, "/dev/zero is no plain file", nil},
		{[]string{"--baseline", "out/not-utf8.rs", "honest.rs"}, 2, "is not UTF-8", nil},
		{[]string{"--baseline", "out", "honest.rs"}, 2, "out is no plain file", nil},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			r := runIn(t, dir, []string{"SPECGATE_NO_RUN=1"}, binary, append([]string{"score"}, tt.args...)...)
			var got []string
			for line := range strings.Lines(r.stdout) {
				var s scored
				if err := json.Unmarshal([]byte(line), &s); err != nil {
					t.Fatalf("a line that is no JSON: %v: %q", err, line)
				}
				got = append(got, s.Symbol)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" || r.code != tt.code || !strings.Contains(r.stderr, tt.say) || strings.Contains(r.stdout+r.stderr, "\x1b") {
				t.Errorf("exit code %d, want %d; lines (-want +got):\n%s\n%q", r.code, tt.code, diff, r.stderr)
			}
		})
	}
}

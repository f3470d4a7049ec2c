package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
)

// repo is a git repository in a temporary directory.
type repo struct {
	tb  testing.TB
	dir string
}

func newRepo(tb testing.TB) *repo {
	tb.Helper()
	const who = "someone"
	for key, value := range map[string]string{
		"GIT_AUTHOR_NAME": who, "GIT_AUTHOR_EMAIL": who + "@example.com", "GIT_COMMITTER_NAME": who, "GIT_COMMITTER_EMAIL": who + "@example.com",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
	} {
		tb.Setenv(key, value)
	}
	r := &repo{tb, tb.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) {
	r.tb.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.tb.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *repo) write(name, text string) {
	r.tb.Helper()
	full := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		r.tb.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
		r.tb.Fatal(err)
	}
}

func (r *repo) commit(message string) {
	r.tb.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
}

func (r *repo) options() engine.Options {
	// Without memory base is verified before head, so that recordings are in order.
	return engine.Options{Repo: r.dir, Base: "HEAD~1", Head: "HEAD", Jobs: 2, Memory: func() int64 { return 0 }, Today: policy.Date{Year: 2026, Month: time.January, Day: 1},
		Version: "test", Log: slog.New(slog.DiscardHandler)}
}

func check(t *testing.T, o engine.Options) *engine.Result {
	t.Helper()
	result, err := engine.Check(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

const honest = `use vstd::prelude::*;
verus! {
pub fn same(x: u64) -> (r: u64)
    ensures r == x,
{
    x
}
}
`

var assumed = strings.Replace(honest, "    x\n", "    proof { assume(x < 10); }\n    x\n", 1)

// File names are the choice of whoever wrote the commit: every report stays whole and every terminal safe.
func TestHostileNames(t *testing.T) {
	r := newRepo(t)
	names := []string{"src/new\nline.rs", "src/esc\x1b[31m.rs", "src/rtl\u202egnp.rs", "src/space bar.rs", "src/\"quoted\".rs", "src/-flag.rs"}
	if runtime.GOOS == "linux" { // others take UTF-8 only
		names = append(names, "src/latin\xe9.rs")
	}
	for _, n := range names {
		r.write(n, honest)
	}
	r.commit("base")
	for _, n := range names {
		r.write(n, assumed)
	}
	r.write("src/broken\n::error::x.rs", "fn (")
	r.commit("head")
	result := check(t, r.options())
	var files []string
	for _, f := range result.Report.Findings {
		if f.Rule == "trust/assume" {
			files = append(files, f.File)
		}
	}
	slices.Sort(names)
	slices.Sort(files)
	if diff := cmp.Diff(names, files); diff != "" {
		t.Errorf("files with a new assume (-want +got):\n%s", diff)
	}
	if result.Report.Outcome != checks.OutcomeInconclusive {
		t.Errorf("outcome %v, want inconclusive because of the broken file", result.Report.Outcome)
	}
	if !slices.ContainsFunc(result.Report.Reasons, func(r checks.Reason) bool {
		return strings.HasPrefix(r.Text, `"src/broken\n::error::x.rs":1:`)
	}) {
		t.Errorf("no reason names the broken file: %q", result.Report.Reasons)
	}
	var out bytes.Buffer
	if err := annotate.JSON(&out, result.Report); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Error("the report is no JSON")
	}
	out.Reset()
	if err := annotate.Text(&out, result.Report, annotate.TextOptions{Source: result.Source}); err != nil {
		t.Fatal(err)
	}
	if i := bytes.IndexFunc(out.Bytes(), func(c rune) bool { return c == 0x1b || c == 0x202e || c == 0xfffd }); i >= 0 {
		t.Errorf("the text has a character that it must not have, at byte %d", i)
	}
}

// Two runs give the same bytes, however many files are parsed at once.
func TestDeterministic(t *testing.T) {
	r := newRepo(t)
	generate(r, 40, 4, false)
	r.commit("base")
	generate(r, 40, 4, true)
	r.commit("head")
	var first []byte
	for _, jobs := range []int{1, 8, 3, 8} {
		o := r.options()
		o.Jobs = jobs
		var out bytes.Buffer
		if err := annotate.JSON(&out, check(t, o).Report); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		}
		if diff := cmp.Diff(string(first), out.String()); diff != "" {
			t.Fatalf("%d jobs (-first +this):\n%s", jobs, diff)
		}
	}
}

// What is the same on both sides is no reason, wherever the change moved it; what the change touches is one.
func TestOnlyTheChangeCounts(t *testing.T) {
	const broken = "fn broken( {\n}\n"
	for _, c := range []struct {
		name, base, head string
		outcome          checks.Outcome
	}{
		{"same place not understood", honest + broken, honest + "// more\n" + broken, checks.OutcomePass},
		{"moved within the file", broken + honest, honest + broken, checks.OutcomePass},
		{"new", honest, honest + broken, checks.OutcomeInconclusive},
		{"edited", honest + broken, honest + "fn broken(x {\n}\n", checks.OutcomeInconclusive},
		{"mended", honest + broken, honest + "fn broken() {\n}\n", checks.OutcomeInconclusive},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			r.write("src/lib.rs", c.base)
			r.commit("base")
			r.write("src/lib.rs", c.head)
			r.commit("head")
			o := r.options()
			o.Only = []checks.Family{checks.Trust}
			report := check(t, o).Report
			if report.Outcome != c.outcome {
				t.Errorf("outcome %v, want %v; reasons %q", report.Outcome, c.outcome, report.Reasons)
			}
		})
	}
}

// Scope hides Rust sources only, and only when both places of a finding are out of it.
func TestScope(t *testing.T) {
	r := newRepo(t)
	r.write(".specgate.toml", "version = 1\n[scope]\ninclude = [\"src/**\"]\n")
	r.write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[package.metadata.verus]\nverify = true\n")
	r.write("src/lib.rs", honest)
	r.write("extra/lib.rs", honest)
	r.commit("base")
	r.write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[package.metadata.verus]\nverify = false\n")
	r.write("src/lib.rs", assumed)
	r.write("extra/lib.rs", assumed)
	r.commit("head")
	var got []string
	for _, f := range check(t, r.options()).Report.Findings {
		if f.Severity == policy.Error {
			got = append(got, f.Rule+" "+f.File)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"trust/assume src/lib.rs", "trust/verification-off Cargo.toml"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run that was cancelled reports nothing.
func TestCancelled(t *testing.T) {
	r := newRepo(t)
	r.write("src/lib.rs", honest)
	r.commit("base")
	r.commit("head")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine.Check(ctx, r.options()); err == nil {
		t.Error("a cancelled run gave no error")
	}
}

// generate writes a crate of so many files of so many functions; with edited, every tenth file has three
// changed functions: one in its contract, one with a new assume, one in the code that runs.
func generate(r *repo, files, functions int, edited bool) {
	r.tb.Helper()
	var lib strings.Builder
	for i := range files {
		fmt.Fprintf(&lib, "pub mod m%d;\n", i)
		var b strings.Builder
		b.WriteString("use vstd::prelude::*;\n\nverus! {\n")
		for j := range functions {
			bound, hint, body := "v.len()", "", "m = v[k];"
			if edited && i%10 == 3 {
				switch j {
				case 0:
					bound = "v.len() - 1"
				case 1:
					hint = "assume(m > 0);"
				case 2:
					body = "m = v[k]; m = m;"
				}
			}
			fmt.Fprintf(&b, `
pub open spec fn upto%[1]d(s: Seq<u64>, m: u64) -> bool {
    forall|i: int| 0 <= i < s.len() ==> s[i] <= m
}

/// The largest element, number %[1]d.
pub fn largest%[1]d(v: &Vec<u64>) -> (m: u64)
    requires
        v.len() > 0,
    ensures
        upto%[1]d(v@, m),
        exists|i: int| 0 <= i < %[2]s && v[i] == m,
{
    let mut m = v[0];
    let mut k: usize = 1;
    while k < v.len()
        invariant
            1 <= k <= v.len(),
            forall|i: int| 0 <= i < k ==> v[i] <= m,
            exists|i: int| 0 <= i < k && v[i] == m,
        decreases v.len() - k,
    {
        if v[k] > m {
            %[4]s
        }
        proof { %[3]s }
        k = k + 1;
    }
    m
}
`, j, bound, hint, body)
		}
		b.WriteString("\n} // verus!\n")
		r.write(fmt.Sprintf("src/m%d.rs", i), b.String())
	}
	r.write("src/lib.rs", lib.String())
	r.write("Cargo.toml", "[package]\nname = \"generated\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[package.metadata.verus]\nverify = true\n")
}

// BenchmarkCheck is a pull request of 20 changed files in a repository of 100,000 lines of Verus. The goal is 0.6 s on one
// core for all static stages, git included.
func BenchmarkCheck(b *testing.B) {
	r := newRepo(b)
	generate(r, 200, 15, false)
	r.commit("base")
	generate(r, 200, 15, true)
	r.commit("head")
	for _, jobs := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o := r.options()
				o.Jobs = jobs
				result, err := engine.Check(context.Background(), o)
				if err != nil {
					b.Fatal(err)
				}
				if n := len(result.Report.Functions); n != 60 {
					b.Fatalf("%d changed functions", n)
				}
			}
		})
	}
}

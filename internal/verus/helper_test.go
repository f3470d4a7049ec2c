package verus_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
	. "github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

var update = flag.Bool("update", false, "write golden files")

// streams are the bytes of a recording.
func streams(t *testing.T, name string) (rec *verustest.Recording, stdout, stderr []byte) {
	t.Helper()
	rec, err := verustest.ReadRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, err = rec.Streams(); err != nil {
		t.Fatal(err)
	}
	return rec, stdout, stderr
}

// functions are those of a tree, as a caller would give them to Join.
func functions(t *testing.T, files map[string]string) []Function {
	t.Helper()
	tree := modeltest.New(files)
	var rust []string
	for _, p := range tree.Paths() {
		if strings.HasSuffix(p, ".rs") {
			rust = append(rust, p)
		}
	}
	m, err := model.New(context.Background(), tree, rust)
	if err != nil {
		t.Fatal(err)
	}
	var out []Function
	for _, f := range m.Functions {
		self := f.Self
		if f.Kind == model.TraitMethod {
			self = f.Trait
		}
		out = append(out, Function{Symbol: f.Symbol, Crate: f.Crate.Name, Module: f.Module, Self: self, Name: f.Name, File: f.File.Path, Span: f.Span,
			Proof: f.BodyVerified && f.Mode != model.Spec})
	}
	return out
}

// readFiles reads a directory into memory.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func single(file string) Task {
	name := strings.TrimSuffix(filepath.Base(file), ".rs")
	return Task{Expected: []Expected{{Target: TargetID{Name: name, Kind: "lib"}, OptedIn: true}}}
}

// show prints a run and what it says of functions.
func show(r *Run, files map[string]string, functions []Function) string {
	var b strings.Builder
	j := Join(r, functions)
	fmt.Fprintf(&b, "outcome: %s\n", r.Outcome)
	for _, x := range r.Reasons {
		fmt.Fprintf(&b, "reason: %s: %s: %s\n", x.Outcome, x.Target, x.Text)
	}
	for _, t := range r.Targets {
		fmt.Fprintf(&b, "target: %+v: %s fresh=%t expected=%t", t.Target, t.Outcome, t.Fresh, t.Expected)
		for _, u := range t.Units {
			fmt.Fprintf(&b, "; %d verified, %d errors, success=%t partial=%t error=%t vir=%t counted=%t", u.Verified, u.Errors, u.Success, u.Partial, u.EncounteredError, u.EncounteredVIR, u.Counted)
		}
		b.WriteByte('\n')
		for _, u := range t.Units {
			for _, f := range u.Functions {
				fmt.Fprintf(&b, "  line: %s in %q success=%t rlimit=%d selected=%t\n", f.Name, f.Module, f.Success, f.RLimit, f.Selected)
			}
		}
	}
	text := func(s Span) string {
		if !s.Valid() {
			return "nowhere"
		}
		src := files[s.File]
		if s.Bytes.End > len(src) {
			return fmt.Sprintf("%s:%d outside the file", s.File, s.Line)
		}
		line, _, _ := strings.Cut(src[s.Bytes.Start:s.Bytes.End], "\n")
		return fmt.Sprintf("%s:%d %q", s.File, s.Line, line)
	}
	for _, d := range r.Diagnostics {
		word := string(d.Level)
		if d.Failing() {
			word = "failing"
		}
		fmt.Fprintf(&b, "%s: %s in %q: %s\n", word, d.Category, d.Function, d.Message)
		if len(d.Labels) > 0 {
			fmt.Fprintf(&b, "  place %s; site %s; clause %q\n", text(d.Place), text(d.Site), d.Clause)
		}
	}
	for _, v := range j.Verdicts {
		cost := int64(-1)
		if v.Result != nil {
			cost = v.Result.RLimit
		}
		fmt.Fprintf(&b, "function: %s: %s rlimit=%d %s\n", v.Function.Symbol, v.Outcome, cost, v.Reason)
	}
	for _, d := range j.Loose {
		fmt.Fprintf(&b, "loose: %s\n", d.Message)
	}
	for _, f := range j.Unmatched {
		fmt.Fprintf(&b, "unmatched: %s\n", f.Name)
	}
	for _, s := range r.Stray {
		fmt.Fprintf(&b, "stray: %q\n", s)
	}
	if r.Problem != nil {
		fmt.Fprintf(&b, "problem: %s: %v\n", r.Problem.Kind, r.Problem)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	goldentest.Compare(t, name, got, *update)
}

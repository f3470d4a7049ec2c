package registry_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/checks/registry/registrytest"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

var update = flag.Bool("update", false, "write golden files and docs/rules.md")

// annotations has what is posted about the example of each rule.
const annotations = "testdata/annotations"

// tree is a tree of files in memory.
type tree = modeltest.Tree[string]

func newTree(files map[string]string) *tree { return modeltest.New(files) }

// input builds what the rules see of a change between two trees: all files that differ.
func input(t *testing.T, base, head map[string]string) *checks.Input {
	t.Helper()
	var paths []string
	for p := range base {
		paths = append(paths, p)
	}
	for p := range head {
		if _, ok := base[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	in := &checks.Input{}
	var rustBase, rustHead []string
	for _, p := range paths {
		b, inBase := base[p]
		h, inHead := head[p]
		if inBase && inHead && b == h {
			continue
		}
		if strings.HasSuffix(p, ".rs") || strings.HasSuffix(p, ".inc") {
			if inBase {
				rustBase = append(rustBase, p)
			}
			if inHead {
				rustHead = append(rustHead, p)
			}
			continue
		}
		var c checks.FileChange
		if inBase {
			c.Base = source.NewFile(p, []byte(b))
		}
		if inHead {
			c.Head = source.NewFile(p, []byte(h))
		}
		in.Files = append(in.Files, c)
	}
	bm, err := model.New(context.Background(), newTree(base), rustBase)
	if err != nil {
		t.Fatal(err)
	}
	hm, err := model.New(context.Background(), newTree(head), rustHead)
	if err != nil {
		t.Fatal(err)
	}
	in.Pairs = pair.New(bm, hm)
	return in
}

func findings(t *testing.T, in *checks.Input) []checks.Finding {
	t.Helper()
	fs, err := checks.Run(context.Background(), registry.Rules(), in)
	if err != nil {
		t.Fatal(err)
	}
	registrytest.Severities(t, registry.Rules(), fs)
	return fs
}

// readChange reads a folder with base.rs and head.rs, or with base and head folders.
func readChange(t *testing.T, dir string) (base, head map[string]string) {
	t.Helper()
	read := func(side string) map[string]string {
		out := map[string]string{}
		if text, err := os.ReadFile(filepath.Join(dir, side+".rs")); err == nil {
			out["src/lib.rs"] = string(text)
			return out
		}
		root := filepath.Join(dir, side)
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			out[filepath.ToSlash(rel)] = string(text)
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return out
	}
	return read("base"), read("head")
}

// show prints a finding as one line.
func show(f checks.Finding) string {
	return fmt.Sprintf("%s:%s: %s %s %s: %s", f.File, f.Span.Start, f.Severity, f.Rule, f.Symbol, f.Message)
}

func showAll(fs []checks.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintln(&b, "    "+show(f))
	}
	return b.String()
}

// symbolIs tells whether a symbol is the one that a want line names, perhaps by its last parts.
func symbolIs(symbol, want string) bool {
	return symbol == want || strings.HasSuffix(symbol, "::"+want)
}

// TestChanges checks the want.txt of every sample change.
func TestChanges(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/*/*/want.txt")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no sample changes: %v", err)
	}
	for _, want := range dirs {
		dir := filepath.Dir(want)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			base, head := readChange(t, dir)
			in := input(t, base, head)
			got := findings(t, in)
			text, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range checkWant(in, got, string(text)) {
				t.Errorf("%s\n%s", problem, showAll(got))
			}
		})
	}
}

// known tells whether a rule or family is one that runs without a verifier.
func known(id string) bool {
	family, name, _ := strings.Cut(id, "/")
	switch checks.Family(family) {
	case checks.Trust, checks.Edit, checks.Contract:
		return name == "" || find(id) != nil
	}
	return false
}

func checkWant(in *checks.Input, got []checks.Finding, text string) []string {
	var problems []string
	sc := bufio.NewScanner(strings.NewReader(text))
	for sc.Scan() {
		words := strings.Fields(sc.Text())
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		switch words[0] {
		case "+":
			rule, symbol := words[1], strings.Join(words[2:], " ")
			if family, _, _ := strings.Cut(rule, "/"); family == "proof" || family == "strength" {
				continue // needs the verifier or a suite
			}
			if !known(rule) {
				problems = append(problems, "no such rule: "+rule)
				continue
			}
			if !slices.ContainsFunc(got, func(f checks.Finding) bool { return f.Rule == rule && symbolIs(f.Symbol, symbol) }) {
				problems = append(problems, "not found: "+sc.Text())
			}
		case "-":
			for _, f := range got {
				// The first says that there is no such finding, the second that a family has none above notice.
				if f.Rule == words[1] || strings.HasPrefix(f.Rule, words[1]+"/") && f.Severity > policy.Notice {
					problems = append(problems, "found against "+sc.Text()+": "+show(f))
				}
			}
		case "=":
			symbol, direction := strings.Join(words[2:len(words)-1], " "), words[len(words)-1]
			found := false
			for _, p := range in.Pairs.Functions {
				if p.Head != nil && p.Base != nil && symbolIs(p.Head.Symbol, symbol) {
					found = true
					if d, by := contract.Direction(in, p); d != direction {
						problems = append(problems, fmt.Sprintf("%s: direction is %s by %s", sc.Text(), d, by))
					}
				}
			}
			if !found {
				problems = append(problems, "no such function: "+sc.Text())
			}
		default:
			problems = append(problems, "line not understood: "+sc.Text())
		}
	}
	return problems
}

// TestExamples runs the two examples of every rule that needs neither a verifier nor a suite.
func TestExamples(t *testing.T) {
	for _, r := range registry.Rules() {
		if r.Needs&checks.NeedVerifier != 0 {
			continue // package proof runs them on answers of the verifier
		}
		if r.Needs&checks.NeedSuite != 0 {
			continue // package measure compiles and runs them
		}
		t.Run(r.ID, func(t *testing.T) {
			for _, e := range []struct {
				name string
				checks.Example
				fires bool
			}{{"fires", r.Fires, true}, {"quiet", r.Quiet, false}} {
				path := e.File
				if path == "" {
					path = "src/lib.rs"
				}
				in := input(t, map[string]string{path: e.Base}, map[string]string{path: e.Head})
				var at []string
				for _, f := range findings(t, in) {
					if f.Rule == r.ID {
						at = append(at, f.Symbol)
					}
				}
				want := []string{e.Symbol}
				if !e.fires {
					want = nil
				}
				if diff := cmp.Diff(want, at); diff != "" {
					t.Errorf("%s: findings of the rule (-want +got):\n%s\nall findings:\n%s", e.name, diff, showAll(findings(t, in)))
				}
				if e.fires {
					registrytest.Annotation(t, annotations, *update, registry.Rules(), r.ID, findings(t, in))
				}
				for _, p := range append(in.Pairs.Base.Problems, in.Pairs.Head.Problems...) {
					t.Errorf("%s: %s: %s", e.name, p.File, p.Text)
				}
			}
		})
	}
}

// TestMirrors checks that each rule has a mirror or says why it has none.
func TestMirrors(t *testing.T) {
	for _, r := range registry.Rules() {
		switch {
		case (r.Mirror == "") == (r.NoMirror == ""):
			t.Errorf("%s: want either a mirror or a reason why there is none", r.ID)
		case r.Mirror != "" && find(r.Mirror) == nil:
			t.Errorf("%s: its mirror %s is no rule", r.ID, r.Mirror)
		}
	}
}

// TestRuleData checks that the data of each rule is complete and that IDs are unique.
func TestRuleData(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range registry.Rules() {
		if seen[r.ID] {
			t.Errorf("%s: twice", r.ID)
		}
		seen[r.ID] = true
		if !strings.HasPrefix(r.ID, string(r.Family)+"/") {
			t.Errorf("%s: not of the family %s", r.ID, r.Family)
		}
		for name, text := range map[string]string{"purpose": r.Purpose, "why": r.Why, "remedy": r.Remedy} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is no sentence: %q", r.ID, name, text)
			}
		}
		if r.Severity < policy.Notice || r.Severity > policy.Error || r.Run == nil || r.Needs == 0 {
			t.Errorf("%s: incomplete", r.ID)
		}
		if r.Fires.Symbol == "" || r.Quiet.Symbol != "" {
			t.Errorf("%s: the example that fires names a symbol, the quiet one does not", r.ID)
		}
	}
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	goldentest.Compare(t, path, string(got), *update)
}

// find returns the rule of an ID, or nil.
func find(id string) *checks.Rule {
	for _, r := range registry.Rules() {
		if r.ID == id {
			return r
		}
	}
	return nil
}

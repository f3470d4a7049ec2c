package prove_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/proof"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/model/modeltest"
	"github.com/specgate/specgate/internal/pair"
	. "github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

var update = flag.Bool("update", false, "write golden files")

const recordings = "../verus/testdata/"

// tree is a tree of files in memory.
type tree struct{ *modeltest.Tree[string] }

func newTree(files map[string]string) *tree { return &tree{modeltest.New(files)} }

func (t *tree) source(path string) *source.File {
	text, ok := t.Files[path]
	if !ok {
		return nil
	}
	return source.NewFile(path, []byte(text))
}

func (t *tree) work() iter.Seq2[verus.WorkFile, error] {
	return func(yield func(verus.WorkFile, error) bool) {
		for _, p := range t.Paths() {
			if !yield(verus.WorkFile{Path: p, Data: []byte(t.Files[p]), Mode: verus.WorkPlain}, nil) {
				return
			}
		}
	}
}

func readTree(t *testing.T, dir string) *tree {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return newTree(files)
}

func readFile(t *testing.T, name string) *tree {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return newTree(map[string]string{filepath.Base(name): string(data)})
}

// verify copies a tree, runs the verifier on it and removes the copy. It also tells which files were not copied.
func verify(ctx context.Context, q Request) (_ *verus.Run, left []verus.LeftOut, err error) {
	c, err := Open(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	r, err := c.Verify(ctx)
	return r, c.LeftOut(), err
}

func index(t testing.TB, tr *tree) *model.Model {
	t.Helper()
	m, err := model.New(context.Background(), tr, tr.Rust())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func replay(t *testing.T, name string, tr *tree) *verus.Verifier {
	t.Helper()
	rec, err := verustest.ReadRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	r := verustest.NewReplay(t)
	r.Add(rec, tr.Files)
	return verustest.Installed(rec.Verus, r)
}

var options = verus.Options{Timeout: time.Minute, Offline: true}

// side verifies a single file.
func side(t *testing.T, source, recording string) (*tree, *model.Model, *verus.Run, *checks.ProofRun) {
	t.Helper()
	tr := readFile(t, source)
	roots := []string{filepath.Base(source)}
	r, left, err := verify(context.Background(), Request{Verifier: replay(t, recording, tr), Files: tr.work(), Roots: roots, Options: options, Temp: t.TempDir()})
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	m := index(t, tr)
	return tr, m, r, Side{Model: m, Source: tr.source, Roots: roots}.Read(r)
}

func findings(t *testing.T, base, head *model.Model, in *checks.ProofInput) []byte {
	t.Helper()
	found, err := checks.Run(context.Background(), proof.Rules(), &checks.Input{Pairs: pair.New(base, head), Proof: in})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(found); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	goldentest.Compare(t, filepath.Join("testdata", name+".json"), string(got), *update)
}

// TestChanges judges sample changes by what the verifier says of both sides.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ name, change, from, to string }{
		{"broken", "broken-proof", "base", "head"},
		{"mended", "broken-proof", "head", "base"},
		{"outside", "outside-verus", "base", "head"},
		{"same", "format-only", "base", "head"},
		{"stack", "stack-struct", "base", "head"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := func(side, ext string) string { return recordings + "changes/" + c.change + "/" + side + ext }
			src := func(side string) string { return "../../testdata/corpus/" + c.change + "/" + side + ".rs" }
			_, base, baseRun, baseProof := side(t, src(c.from), path(c.from, ".verus.json"))
			_, head, headRun, headProof := side(t, src(c.to), path(c.to, ".verus.json"))
			golden(t, c.name, findings(t, base, head, &checks.ProofInput{Base: baseProof, Head: headProof, Comparable: verus.Comparable(baseRun, headRun)}))
		})
	}
}

// TestDiagnostics judges each kind of failure as a change that adds the file.
func TestDiagnostics(t *testing.T) {
	names, err := filepath.Glob(recordings + "diagnostics/*.rs")
	if err != nil || len(names) < 20 {
		t.Fatal(names, err)
	}
	empty := index(t, newTree(nil))
	for _, name := range names {
		stem := strings.TrimSuffix(name, ".rs")
		t.Run(filepath.Base(stem), func(t *testing.T) {
			_, head, r, headProof := side(t, name, stem+".verus.json")
			if r.Outcome == verus.Proved {
				t.Fatal("it is proved")
			}
			golden(t, "diagnostics/"+filepath.Base(stem), findings(t, empty, head, &checks.ProofInput{Head: headProof}))
			if files := FailingFiles(r); !cmp.Equal(files, []string{filepath.Base(name)}) {
				t.Errorf("failing files: %q", files)
			}
		})
	}
}

// TestWorkspace judges the recorded states of a workspace. Its sources are those of the good state, so places are not compared.
func TestWorkspace(t *testing.T) {
	tr := readTree(t, recordings+"workspace/src")
	queue := verus.Expected{Target: verus.TargetID{Package: "queue", Name: "queue", Kind: "lib"}, OptedIn: true}
	app := verus.Expected{Target: verus.TargetID{Package: "app", Name: "app", Kind: "bin"}, OptedIn: true}
	optedOut := app
	optedOut.OptedIn = false
	for name, expected := range map[string][]verus.Expected{
		"ok-json": {queue, app}, "fresh-json": {queue, app}, "dependency-fails-json": {queue, app}, "type-error-json": {queue, app},
		"root-opted-out-json": {queue, optedOut}, "no-verus-package-json": nil, "ok-text": {queue, app},
	} {
		t.Run(name, func(t *testing.T) {
			rec, err := verustest.ReadRecording(recordings + "workspace/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr, err := rec.Streams()
			if err != nil {
				t.Fatal(err)
			}
			r := verus.Assess(stdout, stderr, verus.Ended{ExitCode: rec.Exit}, verus.Task{Expected: expected}, verus.Context{Root: "/ws"})
			m := index(t, tr)
			run := Side{Model: m, Source: tr.source, Manifest: "Cargo.toml"}.Read(r)
			golden(t, "workspace/"+name, findings(t, m, m, &checks.ProofInput{Head: run}))
		})
	}
}

// TestNothingAsked checks that the rules are silent without a run, and not when base alone is missing.
func TestNothingAsked(t *testing.T) {
	name := recordings + "diagnostics/postcondition"
	_, m, _, run := side(t, name+".rs", name+".verus.json")
	for _, in := range []*checks.ProofInput{nil, {}, {Base: run}} {
		if got := findings(t, m, m, in); string(got) != "null\n" {
			t.Errorf("%+v: %s", in, got)
		}
	}
	if got := findings(t, m, m, &checks.ProofInput{Head: run}); !bytes.Contains(got, []byte("proof/failed")) {
		t.Errorf("without base: %s", got)
	}
}

// TestRootOfPackage verifies the root of a package as a single file: the verifier then names the crate after the file.
func TestRootOfPackage(t *testing.T) {
	tr := newTree(map[string]string{
		"Cargo.toml":   "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n",
		"src/lib.rs":   "use vstd::prelude::*;\n\nmod a;\n\nverus! {\n\nfn f() {\n    fn g() {\n    }\n}\n\n} // verus!\n",
		"src/a.rs":     "use vstd::prelude::*;\n\nverus! {\n\npub struct S;\n\nimpl S {\n    fn h() {\n    }\n}\n\n} // verus!\n",
		"other/lib.rs": "use vstd::prelude::*;\n\nverus! {\n\nfn f() {\n}\n\n} // verus!\n",
	})
	var lines []string
	for _, name := range []string{"lib::f", "lib::f::g", "lib::a::S::h"} {
		lines = append(lines, `{"function":"`+name+`","success":true,"time":1,"rlimit":5}`)
	}
	stdout := `{"verification-results":{"encountered-error":false,"encountered-vir-error":false,"success":true,"verified":3,"errors":0,"is-verifying-entire-crate":true},` +
		`"times-ms":{"smt":{"smt-run-module-times":[{"module":"","function-breakdown":[` + strings.Join(lines, ",") + `]}]}}}` + "\n"
	r := verus.Assess([]byte(stdout), nil, verus.Ended{}, verus.Task{Expected: []verus.Expected{{Target: verus.TargetID{Name: "lib", Kind: "lib"}, OptedIn: true}}}, verus.Context{})
	m := index(t, tr)
	run := Side{Model: m, Source: tr.source, Manifest: "Cargo.toml", Roots: []string{"src/lib.rs"}}.Read(r)
	got := map[string]string{}
	for f, v := range run.Functions {
		got[f.File.Path+" "+f.Symbol] = v.Outcome.String()
	}
	if diff := cmp.Diff(map[string]string{"src/lib.rs f": "proved", "src/lib.rs f::g": "proved", "src/a.rs a::S::h": "proved", "other/lib.rs other::lib::f": "not-run"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerify(t *testing.T) {
	name := recordings + "diagnostics/assertion"
	good := readFile(t, name+".rs")
	q := func(files iter.Seq2[verus.WorkFile, error]) Request {
		return Request{Verifier: replay(t, name+".verus.json", good), Files: files, Roots: []string{"assertion.rs"}, Options: options, Temp: t.TempDir()}
	}
	noted := func(yield func(verus.WorkFile, error) bool) {
		for f, err := range good.work() {
			_ = yield(f, err) && yield(verus.WorkFile{Path: ".cargo/config.toml", Mode: verus.WorkPlain}, nil)
		}
	}
	r, left, err := verify(context.Background(), q(noted))
	if err != nil || r.Outcome != verus.Failed || len(left) != 1 || left[0].Path != ".cargo/config.toml" {
		t.Errorf("%v, %v, %v", r, left, err)
	}
	broken := errors.New("broken")
	if _, _, err := verify(context.Background(), q(func(yield func(verus.WorkFile, error) bool) { yield(verus.WorkFile{}, broken) })); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := verify(ctx, q(good.work())); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	two := q(good.work())
	two.Verifier = verus.Known(filepath.Join(t.TempDir(), "missing"), "", "", verus.Version{}, verus.Sandboxed{})
	two.Roots = []string{"assertion.rs", "assertion.rs"}
	if r, _, err := verify(context.Background(), two); err != nil || r.Outcome != verus.NotRun || r.Problem == nil || r.Problem.Kind != verus.BadInstallation {
		t.Errorf("no program: %+v, %v", r, err)
	}
	if left, err := filepath.Glob(filepath.Join(two.Temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}

// TestRealExamples asks the verifier of this machine about the examples of the rules that are about code.
func TestRealExamples(t *testing.T) {
	v := verustest.Real(t, verus.Sandboxed{})
	o := options
	o.Timeout = 5 * time.Minute
	for _, r := range proof.Rules() {
		if r.Needs&checks.NeedVerifier == 0 || r.Fires.File != "" || r.ID == "proof/internal-error" || r.ID == "proof/inconsistent-context" {
			continue // the last is about questions, which are asked elsewhere
		}
		t.Run(r.ID, func(t *testing.T) {
			for i, e := range []checks.Example{r.Fires, r.Quiet} {
				var models [2]*model.Model
				var runs [2]*verus.Run
				in := &checks.ProofInput{}
				for k, text := range []string{e.Base, e.Head} {
					tr := newTree(map[string]string{"src/lib.rs": text})
					run, _, err := verify(context.Background(), Request{Verifier: v, Files: tr.work(), Roots: []string{"src/lib.rs"}, Options: o, Temp: t.TempDir()})
					if err != nil {
						t.Fatal(err)
					}
					models[k], runs[k] = index(t, tr), run
					read := Side{Model: models[k], Source: tr.source, Roots: []string{"src/lib.rs"}}.Read(run)
					if k == 0 {
						in.Base = read
					} else {
						in.Head = read
					}
				}
				in.Comparable = verus.Comparable(runs[0], runs[1])
				if r.ID == "proof/cost-grew" && !in.Comparable {
					t.Skipf("Verus %s does not count costs right", v.Version.Release)
				}
				found, err := checks.Run(context.Background(), []*checks.Rule{r}, &checks.Input{Pairs: pair.New(models[0], models[1]), Proof: in})
				if err != nil {
					t.Fatal(err)
				}
				var at []string
				for _, f := range found {
					at = append(at, f.Symbol)
				}
				if fires := len(at) > 0; fires != (i == 0) || fires && !slices.Contains(at, e.Symbol) {
					t.Errorf("example %d: %q; base %s %+v, head %s %+v", i, at, runs[0].Outcome, runs[0].Reasons, runs[1].Outcome, runs[1].Reasons)
				}
			}
		})
	}
}

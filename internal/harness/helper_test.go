package harness_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// rustc is the path of the compiler. A test without it is skipped, unless there must be one.
func rustc(t testing.TB) string {
	t.Helper()
	path := sandboxtest.Oracle.Program(t, "rustc")
	return path
}

// files is a model.Tree.
type files struct {
	texts  map[string][]byte
	parsed map[string]*syntax.File
}

func (f *files) Paths() []string { return slices.Sorted(maps.Keys(f.texts)) }

func (f *files) Read(path string) ([]byte, error) {
	text, ok := f.texts[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, os.ErrNotExist)
	}
	return text, nil
}

func (f *files) Parse(path string) (*syntax.File, error) {
	text, err := f.Read(path)
	if err != nil {
		return nil, err
	}
	if f.parsed[path] == nil {
		f.parsed[path] = syntax.Parse(source.NewFile(path, text))
	}
	return f.parsed[path], nil
}

func (f *files) Mentions(...string) []string { return f.Paths() }

// crate is a crate with the parts of specgate that lead to the harness.
type crate struct {
	t     testing.TB
	name  string
	texts map[string][]byte
	model *model.Model
	world *eval.World
}

// newCrate reads the files of a crate, whose root is src/lib.rs.
func newCrate(t testing.TB, texts map[string]string) *crate {
	t.Helper()
	c := brokenCrate(t, texts)
	for _, f := range c.model.Files {
		for _, e := range f.Syntax.Errors {
			t.Fatalf("%s: %s", f.Path, e.Message)
		}
	}
	return c
}

// brokenCrate is one with files that need not be readable.
func brokenCrate(t testing.TB, texts map[string]string) *crate {
	t.Helper()
	tree := &files{texts: map[string][]byte{}, parsed: map[string]*syntax.File{}}
	for name, text := range texts {
		tree.texts[name] = []byte(text)
	}
	m, err := model.New(t.Context(), tree, tree.Paths())
	if err != nil {
		t.Fatal(err)
	}
	var sources []eval.Source
	for _, f := range m.Files {
		sources = append(sources, eval.Source{File: f.Syntax, Crate: f.Crate.Name, Module: f.Module})
	}
	return &crate{t: t, name: m.Crates[0].Name, texts: tree.texts, model: m, world: eval.NewWorld(sources)}
}

// target is a function of the crate without inputs.
func (c *crate) target(symbol string) (harness.Target, error) {
	c.t.Helper()
	found := c.world.Find(c.name, symbol)
	if len(found) != 1 {
		c.t.Fatalf("%d functions are called %s", len(found), symbol)
	}
	i := slices.IndexFunc(c.model.Functions, func(f *model.Function) bool { return c.world.Func(f.Node) == found[0] })
	if i < 0 {
		c.t.Fatalf("%s is not known to the model", symbol)
	}
	f := c.model.Functions[i]
	spec, err := spectest.NewTarget(found[0], nil, symbol)
	return harness.Target{Function: f, Spec: spec}, err
}

// with is a function of the crate with inputs, each of them the arguments as Rust has them: "[1, 2]; 3".
func (c *crate) with(symbol string, inputs ...string) harness.Target {
	c.t.Helper()
	tg, err := c.target(symbol)
	if err != nil {
		c.t.Fatal(err)
	}
	judge := tg.Spec.Judge()
	for _, in := range inputs {
		var args []value.Value
		texts := strings.Split(in, "; ")
		if in == "" {
			texts = nil
		}
		if len(texts) != len(judge.Params()) {
			c.t.Fatalf("%s has %d parameters, not those of %q", symbol, len(judge.Params()), in)
		}
		for i, p := range judge.Params() {
			v, err := judge.Value(texts[i], p.Type)
			if err != nil {
				c.t.Fatalf("%s: %v", symbol, err)
			}
			args = append(args, v)
		}
		tg.Inputs = append(tg.Inputs, spectest.Input{Args: args, Origin: spectest.Small})
	}
	return tg
}

func (c *crate) request(targets ...harness.Target) harness.Request {
	return harness.Request{Files: c.texts, Root: "src/lib.rs", Crate: c.name, Targets: targets, Rustc: rustc(c.t), Work: c.t.TempDir()}
}

func run(t testing.TB, req harness.Request) *harness.Result {
	t.Helper()
	res, err := harness.Run(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Targets) != len(req.Targets) {
		t.Fatalf("%d results for %d targets", len(res.Targets), len(req.Targets))
	}
	return res
}

// show is an outcome in one line.
func show(tg harness.Target, o harness.Outcome) string {
	out := o.Kind.String()
	if o.Got != nil {
		out = value.Short(o.Got.Result)
		for i, v := range o.Got.After {
			if v != nil {
				out += ", " + tg.Function.Params[i].Name + " = " + value.Short(v)
			}
		}
	}
	if o.Detail != "" {
		out += ": " + o.Detail
	}
	return out
}

// words are those of the compiler's messages, which are others in every version; their codes are not.
var words = regexp.MustCompile(`: [^:]*(?:::[^:]*)*\((E\d{4})\)$`)

// shows are all outcomes of a target, a line for each, or why there are none.
func shows(tg harness.Target, m harness.Measured) string {
	if m.Unmeasured != "" {
		return "unmeasured: " + words.ReplaceAllString(m.Unmeasured, ": $1") + "\n"
	}
	var b strings.Builder
	for _, o := range m.Observed {
		b.WriteString(show(tg, o) + "\n")
	}
	return b.String()
}

func mutants(tg harness.Target, max int) harness.Target {
	tg.Mutants = mutate.Mutants(tg.Function, mutate.Options{Max: max})
	return tg
}

// cargoHome is where cargo has vstd, which other tests build too; it is downloaded if it is not there.
func cargoHome(t testing.TB) string {
	t.Helper()
	cargo, err := exec.LookPath("cargo")
	if err == nil {
		cmd := exec.Command(cargo, "fetch", "--locked", "--quiet")
		cmd.Dir = t.TempDir()
		err = os.CopyFS(cmd.Dir, os.DirFS("../../testdata/erase"))
		for _, p := range []string{"with", "without"} {
			if err == nil {
				err = os.MkdirAll(cmd.Dir+"/"+p+"/src", 0o755)
			}
			if err == nil {
				err = os.WriteFile(cmd.Dir+"/"+p+"/src/lib.rs", nil, 0o644)
			}
		}
		if err == nil {
			var out []byte
			if out, err = cmd.CombinedOutput(); err != nil {
				err = fmt.Errorf("cargo fetch: %w: %s", err, out)
			}
		}
	}
	if err != nil {
		sandboxtest.Oracle.Lacks(t, err)
	}
	if home := os.Getenv("CARGO_HOME"); home != "" {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return home + "/.cargo"
}

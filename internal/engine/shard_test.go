package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/shard"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// divided checks a change in n parts, each of which is written down and read again, and puts them together.
func divided(t testing.TB, n int, options func(shard.Number) engine.Options) (*engine.Result, []*shard.File) {
	t.Helper()
	var files []*shard.File
	for k := n; k > 0; k-- {
		number := shard.Number{K: k, Of: n}
		f, err := engine.CheckShard(context.Background(), options(number), number)
		if err != nil {
			t.Fatalf("shard %v: %v", number, err)
		}
		files = append(files, again(t, f))
	}
	result, err := engine.MergeShards(context.Background(), options(shard.Number{}), files)
	if err != nil {
		t.Fatalf("%d shards: %v", n, err)
	}
	return result, files
}

// again is a part as another machine reads it.
func again(t testing.TB, f *shard.File) *shard.File {
	t.Helper()
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	out, err := shard.Read(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rendered is a report in the formats that show all of it, sources included.
func rendered(t testing.TB, r *engine.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := annotate.JSON(&out, r.Report); err != nil {
		t.Fatal(err)
	}
	if err := annotate.Text(&out, r.Report, annotate.TextOptions{Source: r.Source}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, r.TimedOut, r.Policy.Source)
	return out.String()
}

// addsUp compares the report of a change that is checked in one with that of several divisions.
func addsUp(t *testing.T, options func(shard.Number) engine.Options, counts ...int) *engine.Result {
	t.Helper()
	whole := check(t, options(shard.Number{}))
	want := rendered(t, whole)
	for _, n := range counts {
		result, _ := divided(t, n, options)
		if diff := cmp.Diff(want, rendered(t, result)); diff != "" {
			t.Errorf("%d shards (-whole +put together):\n%s", n, diff)
		}
	}
	return whole
}

// TestShardsRecorded divides changes with recorded answers of the verifier.
func TestShardsRecorded(t *testing.T) {
	var dirs []string
	for _, pattern := range []string{"testdata/questions/*", "testdata/proof/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range found {
			if info, err := os.Stat(filepath.Join(dir, "base.rs")); err == nil && info.Mode().IsRegular() {
				dirs = append(dirs, dir)
			}
		}
	}
	if len(dirs) < 20 {
		t.Fatalf("changes: %q", dirs)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			base, head := texts(t, dir)
			r := newRepo(t)
			for _, text := range []string{base, head} {
				r.write("src/lib.rs", text)
				r.commit("change")
			}
			addsUp(t, func(n shard.Number) engine.Options {
				replay := verustest.NewReplay(t)
				replay.AddKeyed(dir)
				v := verustest.Installed(release, replay)
				o := r.options()
				o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
				return o
			}, 1, 2, 3, 7)
		})
	}
}

// several makes a repository of sample changes: each is a module of one crate, or, with roots, a file that is verified by itself.
func several(t *testing.T, roots bool, files map[string]string, names ...string) *repo {
	t.Helper()
	r := newRepo(t)
	for name, text := range files {
		r.write(name, text)
	}
	var lib, list []string
	for _, name := range names {
		module := strings.ReplaceAll(name, "-", "_")
		lib, list = append(lib, "pub mod "+module+";\n"), append(list, `"src/`+module+`.rs"`)
	}
	if roots {
		r.write(policy.FileName, "version = 1\n[verus]\nroots = ["+strings.Join(list, ", ")+"]\n")
	} else {
		r.write("src/lib.rs", strings.Join(lib, ""))
	}
	for _, side := range []string{"base", "head"} {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join("../../testdata/corpus", name, side+".rs"))
			if err != nil {
				t.Fatal(err)
			}
			r.write("src/"+strings.ReplaceAll(name, "-", "_")+".rs", string(text))
		}
		r.commit(side)
	}
	return r
}

// TestShardsMeasured divides a change of several functions whose strength is measured, with cases of the repository that cannot all be read.
func TestShardsMeasured(t *testing.T) {
	r := several(t, false, map[string]string{
		policy.FileName:      "version = 1\n[strength]\ninputs = 12\nmutants = 4\ncases = [\"spectests/*.json\"]\n",
		"spectests/max.json": `{"function": "max_weak::max_of", "cases": [{"args": {"v": "[1, 2]"}, "result": "7"}, {"args": {"v": "[1, 2"}, "result": "7"}]}`,
		"spectests/div.json": `{"function": "tuple_divmod::divmod", "cases": [{"args": {"a": "1"}, "result": "(1, 1)"}]}`,
	}, "binary-search", "max-weak", "outside-verus", "stack-struct", "trivial-ensures", "tuple-divmod")
	rustc := compiler(t)
	whole := addsUp(t, func(shard.Number) engine.Options {
		o := r.options()
		o.Compiler = rustc
		return o
	}, 1, 2, 3, 7)
	measured := 0
	for _, f := range whole.Report.Functions {
		if f.Strength.Head != nil {
			measured++
		}
	}
	text := fmt.Sprint(whole.Report.Reasons)
	if measured < 4 || whole.Report.Score.Head == nil || !strings.Contains(text, "max_weak::max_of: not all cases of base were used") {
		t.Errorf("%d functions measured, %+v, %s", measured, whole.Report.Score, text)
	}
	o := r.options()
	o.Compiler = func() (engine.Compiler, error) { return engine.Compiler{}, errors.New("there is no rustc on PATH") }
	addsUp(t, func(shard.Number) engine.Options { return o }, 3)
	o.Compiler = nil
	addsUp(t, func(shard.Number) engine.Options { return o }, 3)
	o.Only, o.Function = []checks.Family{checks.Trust, checks.Strength}, "stack_struct::**"
	addsUp(t, func(shard.Number) engine.Options { return o }, 2)
}

// TestShardsVerified divides changes with a real verifier: modules of one crate, and files that are verified one by one.
func TestShardsVerified(t *testing.T) {
	v := verustest.Real(t, verus.Sandboxed{})
	rustc := compiler(t)
	for _, roots := range []bool{false, true} {
		t.Run(fmt.Sprint("roots=", roots), func(t *testing.T) {
			r := several(t, roots, nil, "axiom-added", "max-weak", "precondition-strengthened", "trivial-ensures", "broken-proof")
			whole := addsUp(t, func(shard.Number) engine.Options {
				o := r.options()
				o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
				o.Compiler = rustc
				return o
			}, 1, 3, 7)
			byProof := 0
			for _, f := range whole.Report.Functions {
				if f.Contract.By == "proof" || f.Contract.Unique != nil {
					byProof++
				}
			}
			if whole.Report.Counts.Proved == 0 || whole.Report.Counts.Failed == 0 {
				t.Errorf("%+v", whole.Report.Counts)
			}
			t.Logf("%+v, %d by proof", whole.Report.Counts, byProof)
		})
	}
}

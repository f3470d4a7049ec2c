package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// recorded is a change of one file with a directory of recorded answers.
type recorded struct{ name, dir, base, head string }

func recordings(t *testing.T) []recorded {
	t.Helper()
	var out []recorded
	dirs, err := filepath.Glob("testdata/questions/*")
	if err != nil || len(dirs) < 20 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		base, head := texts(t, dir)
		out = append(out, recorded{filepath.Base(dir), dir, base, head})
	}
	for _, change := range proofChanges {
		out = append(out, recorded{change, filepath.Join("testdata/proof", change), proofText(t, change, "base"), proofText(t, change, "head")})
	}
	return out
}

// options make a repository of the change, and give what to check it with. Recordings of one call answer in order, so each run has its own.
func (c recorded) options(t *testing.T) func(shard.Number) engine.Options {
	t.Helper()
	r := newRepo(t)
	for _, text := range []string{c.base, c.head} {
		r.write("src/lib.rs", text)
		r.commit("change")
	}
	return func(shard.Number) engine.Options {
		replay := verustest.NewReplay(t)
		replay.AddKeyed(c.dir)
		v := verustest.Installed(release, replay)
		o := r.options()
		o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
		return o
	}
}

// TestShardsRecorded divides changes with recorded answers of the verifier.
func TestShardsRecorded(t *testing.T) {
	for i, c := range recordings(t) {
		t.Run(c.name, func(t *testing.T) {
			counts := []int{3}
			if i%9 == 0 || c.name == "unstable" {
				counts = []int{1, 2, 7}
			}
			addsUp(t, c.options(t), counts...)
		})
	}
}

// several makes a repository of sample changes: each is a module of one crate, or, with roots, a file that is verified by itself.
func several(t *testing.T, roots bool, files map[string]string, names ...string) *repo {
	t.Helper()
	r := newRepo(t)
	var lib, list []string
	module := func(name string) {
		lib, list = append(lib, "pub mod "+name+";\n"), append(list, `"src/`+name+`.rs"`)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r.write(name, files[name])
		if name, ok := strings.CutSuffix(strings.TrimPrefix(name, "src/"), ".rs"); ok {
			module(name)
		}
	}
	for _, name := range names {
		module(strings.ReplaceAll(name, "-", "_"))
	}
	if roots {
		r.write(policy.FileName, "version = 1\n[strength]\ninputs = 12\nmutants = 4\n[verus]\nroots = ["+strings.Join(list, ", ")+"]\n")
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

// TestShardsMeasured divides a change of several functions whose strength is measured, with cases of the repository that cannot all be read, and with a
// new policy, which is simulated. Then it has others do what was done, in any way: the parts add up to the same.
func TestShardsMeasured(t *testing.T) {
	const pol = "version = 1\n[strength]\ninputs = 12\nmutants = 4\ncases = [\"spectests/*.json\"]\n"
	r := several(t, false, map[string]string{
		policy.FileName:      pol,
		"spectests/max.json": `{"function": "max_weak::max_of", "cases": [{"args": {"v": "[1, 2]"}, "result": "7"}, {"args": {"v": "[1, 2"}, "result": "7"}]}`,
		"spectests/div.json": `{"function": "tuple_divmod::divmod", "cases": [{"args": {"a": "1"}, "result": "(1, 1)"}]}`,
	}, "binary-search", "max-weak", "outside-verus", "stack-struct", "trivial-ensures", "tuple-divmod")
	r.write(policy.FileName, pol+"[rules]\n\"strength/*\" = \"notice\"\n")
	r.commit("policy")
	rustc := compiler(t)
	o := r.options()
	o.Base, o.Compiler = "HEAD~2", rustc
	options := func(shard.Number) engine.Options { return o }
	whole := addsUp(t, options, 1, 3)
	measured := 0
	for _, f := range whole.Report.Functions {
		if f.Strength.Head != nil {
			measured++
		}
	}
	text := fmt.Sprint(whole.Report.Reasons)
	if measured < 4 || whole.Report.Score.Head == nil || !strings.Contains(text, "max_weak::max_of: not all cases of base were used") || whole.Report.Simulation == nil {
		t.Errorf("%d functions measured, %+v, %v, %s", measured, whole.Report.Score, whole.Report.Simulation, text)
	}

	result, files := divided(t, 7, options)
	want := rendered(t, whole)
	if diff := cmp.Diff(want, rendered(t, result)); diff != "" {
		t.Errorf("7 shards (-whole +put together):\n%s", diff)
	}
	did := 0
	for _, f := range files {
		if len(f.Strength.Functions) > 0 {
			did++
		}
	}
	if did < 3 {
		t.Errorf("%d of 7 shards measured something", did)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var parts []*shard.File
		var pairs []shard.Pair
		var reasons []string
		for _, f := range files {
			f = again(t, f)
			pairs, reasons = append(pairs, f.Strength.Functions...), append(reasons, f.Strength.Reasons...)
			f.Strength.Functions, f.Strength.Reasons = []shard.Pair{}, []string{}
			parts = append(parts, f)
		}
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, p := range pairs {
			f := parts[random.IntN(len(parts))]
			f.Strength.Functions = append(f.Strength.Functions, p)
		}
		for _, text := range reasons {
			f := parts[random.IntN(len(parts))]
			f.Strength.Reasons = append(f.Strength.Reasons, text)
		}
		for i := range parts {
			parts[i] = again(t, parts[i])
		}
		result, err := engine.MergeShards(t.Context(), o, parts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rendered(t, result)); diff != "" {
			t.Errorf("done by others (-whole +put together):\n%s", diff)
		}
	}

	// What makes a suite void, and what makes nothing be measured, is in a part and must be in the whole.
	f := again(t, files[slices.IndexFunc(files, func(f *shard.File) bool { return len(f.Strength.Functions) > 0 })])
	f.Strength.Functions[0].Alone.Head = &shard.Suite{Void: "a canary was answered wrongly", Ran: true}
	f.Strength.Functions[0].Alone.Comparable, f.Strength.Functions[0].Alone.Delta, f.Strength.Functions[0].Alone.Lost = false, nil, nil
	result, err := engine.MergeShards(t.Context(), o, append(slices.DeleteFunc(slices.Clone(files), func(x *shard.File) bool { return x.Shard == f.Shard }), again(t, f)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(result.Report.Findings, func(x checks.Finding) bool {
		return x.Rule == "strength/void" && x.Symbol == f.Strength.Functions[0].Function.Symbol
	}) {
		t.Error("nothing tells that a suite is void")
	}
	o.Compiler = func() (engine.Compiler, error) { return engine.Compiler{}, errors.New("there is no rustc on PATH") }
	addsUp(t, options, 3)
	some := append([]*shard.File{}, files...)
	for i, f := range some {
		if len(f.Strength.Functions) > 0 {
			if some[i], err = engine.CheckShard(t.Context(), o, f.Shard); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	_, err = engine.MergeShards(t.Context(), o, some)
	if err == nil || err.Error() != "some shards measured the strength of contracts, or could not for another reason, and others not: there is no rustc on PATH" {
		t.Errorf("a shard without a compiler: %v", err)
	}
	o.Compiler = nil
	addsUp(t, options, 3)
	o.Only, o.Function = []checks.Family{checks.Trust, checks.Strength}, "stack_struct::**"
	addsUp(t, options, 2)
}

// TestShardGivesUpMutants: that a shard did not run all mutants of a function is told, and leaves the outcome as it is.
func TestShardGivesUpMutants(t *testing.T) {
	r := newRepo(t)
	source := func(body string) string {
		return "use vstd::prelude::*;\nverus! {\npub fn f(x: u64) -> (r: u64)\n    ensures r == x / 2,\n{\n" + body + "}\n}\n"
	}
	r.write("src/lib.rs", source("    x / 2\n"))
	r.write(policy.FileName, "version = 1\n[strength]\ninputs = 2\nmutants = 2\n")
	r.commit("base")
	r.write("src/lib.rs", source("    let y = x;\n    y / 2\n"))
	r.commit("head")
	o := r.options()
	o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
	whole, files := divided(t, 1, func(shard.Number) engine.Options { return o })
	files[0].Strength.Functions[0].GivenUp = 3
	result, err := engine.MergeShards(t.Context(), o, []*shard.File{again(t, files[0])})
	if err != nil {
		t.Fatal(err)
	}
	want := append(whole.Report.Reasons, checks.Reason{Stage: "strength", Text: "f: 3 of its mutants were not run, since calls of others did not end"})
	if diff := cmp.Diff(want, result.Report.Reasons); diff != "" || result.Report.Outcome != whole.Report.Outcome || result.Report.Outcome == checks.OutcomeInconclusive {
		t.Errorf("%v, then %v; reasons (-want +got):\n%s", whole.Report.Outcome, result.Report.Outcome, diff)
	}
}

// doubled has a contract of which the evaluator does not see what it excludes, and the verifier does.
const doubled = `use vstd::prelude::*;

verus! {

pub open spec fn is_double(h: int, r: int) -> bool {
    r == h + h
}

pub fn double(x: u8) -> (r: u16)
    ensures
        exists|h: int| #[trigger] is_double(h, r as int),
{
    let r = x as u16 + x as u16;
    assert(is_double(x as int, r as int));
    r
}

} // verus!
`

// TestShardsVerified divides changes with a real verifier: modules of one crate, and files that are verified one by one.
func TestShardsVerified(t *testing.T) {
	v := verustest.Real(t, verus.Sandboxed{})
	rustc := compiler(t)
	for _, roots := range []bool{false, true} {
		t.Run(fmt.Sprint("roots=", roots), func(t *testing.T) {
			r := several(t, roots, map[string]string{"src/double.rs": strings.Replace(doubled, "x as u16 + x as u16", "2 * (x as u16)", 1)}, "max-weak", "trivial-ensures", "broken-proof")
			r.write("src/double.rs", doubled)
			r.commit("double")
			options := func(shard.Number) engine.Options {
				o := r.options()
				o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
				o.Base, o.Compiler = "HEAD~2", rustc
				return o
			}
			whole := addsUp(t, options)
			result, files := divided(t, 3, options)
			if diff := cmp.Diff(rendered(t, whole), rendered(t, result)); diff != "" {
				t.Errorf("(-whole +put together):\n%s", diff)
			}
			byProof, asked := 0, 0
			for _, f := range whole.Report.Functions {
				if f.Contract.By == "proof" || f.Contract.Unique != nil {
					byProof++
				}
			}
			for _, f := range files {
				for _, p := range f.Strength.Functions {
					if p.Asked != nil {
						asked++
					}
				}
			}
			if c := whole.Report.Counts; c.Proved == 0 || c.Failed == 0 || byProof == 0 || asked == 0 {
				t.Errorf("%+v, %d by proof, %d decided by the verifier", c, byProof, asked)
			}
		})
	}
}

// TestShardsWorkspace divides a change of a workspace, which is verified as one, by a verifier that cannot; and one with a verifier that is not found.
func TestShardsWorkspace(t *testing.T) {
	r := several(t, false, map[string]string{"Cargo.toml": "[package]\nname = \"several\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"}, "max-weak", "assume-added", "trivial-ensures")
	noCargo := verus.Known("/verus/verus", "", "/verus/z3", verus.Version{Release: release}, verustest.NewReplay(t))
	missing := &verus.Problem{Kind: verus.NoVerifier, Text: "there is no verifier", Remedy: "install it"}
	for _, c := range []struct {
		v    *verus.Verifier
		err  error
		only []checks.Family
		want string
	}{
		{noCargo, nil, nil, "There is no cargo-verus beside /verus/verus"},
		{nil, missing, []checks.Family{checks.Proof, checks.Trust}, "nothing was proved: there is no verifier; install it"},
	} {
		whole := addsUp(t, func(shard.Number) engine.Options {
			o := r.options()
			o.Only = c.only
			o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return c.v, c.err }
			return o
		}, 1, 3, 7)
		if text := rendered(t, whole); !strings.Contains(text, c.want) {
			t.Errorf("there is no %q in\n%s", c.want, text)
		}
	}
}

// TestMergeRefuses has parts that do not make a whole, or do not belong together: an error each, and never a report.
func TestMergeRefuses(t *testing.T) {
	r := several(t, false, nil, "max-weak", "assume-added", "exec-edit")
	o := r.options()
	parts := func(o engine.Options, n int) []*shard.File {
		var out []*shard.File
		for k := 1; k <= n; k++ {
			f, err := engine.CheckShard(context.Background(), o, shard.Number{K: k, Of: n})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, again(t, f))
		}
		return out
	}
	three := parts(o, 3)
	with := func(change func(*engine.Options)) []*shard.File {
		other := o
		change(&other)
		return parts(other, 3)
	}
	edited := func(edit func(*shard.File)) []*shard.File {
		f := again(t, three[1])
		edit(f)
		return []*shard.File{three[0], again(t, f), three[2]}
	}
	mixed := func(other []*shard.File) []*shard.File { return []*shard.File{three[0], other[1], three[2]} }
	seed := uint64(5)
	hash := strings.Repeat("0f", 32)
	for _, c := range []struct {
		name  string
		files []*shard.File
		want  string
	}{
		{"none", nil, "there are no shards"},
		{"one missing", three[:2], "of 3 shards these are missing: 3; without them nothing is known of the whole"},
		{"two missing", three[1:2], "of 3 shards these are missing: 1, 3; without them nothing is known of the whole"},
		{"one twice", []*shard.File{three[0], three[1], three[1]}, "shard 2 of 3 is there twice"},
		{"one too many", append(slices.Clone(three), three[0]), "shard 1 of 3 is there twice"},
		{"of two divisions", append(parts(o, 2)[:1], three[1:]...), "shard 1 of 2 and shard 2 of 3 are not of one division"},
		{"another head", mixed(with(func(o *engine.Options) { o.Head = "HEAD~1" })), "the head of shard 1 is \"HEAD\", and of shard 2 \"BASE\""},
		{"another base", mixed(with(func(o *engine.Options) { o.Base = "HEAD" })), "the base of shard 1 is \"BASE\", and of shard 2 \"HEAD\""},
		{"another seed", mixed(with(func(o *engine.Options) { o.Seed = &seed })), `--seed of shard 1 is "0", and of shard 2 "5"`},
		{"another version", mixed(with(func(o *engine.Options) { o.Version = "0.9" })), `the version of specgate of shard 1 is "test", and of shard 2 "0.9"`},
		{"other families", mixed(with(func(o *engine.Options) { o.Only = []checks.Family{checks.Trust} })), `--only of shard 1 is "", and of shard 2 "trust"`},
		{"other functions", mixed(with(func(o *engine.Options) { o.Function = "max_weak::**" })), `--function of shard 1 is "", and of shard 2 "max_weak::**"`},
		{"another policy", edited(func(f *shard.File) { f.Policy.SHA256 = hash }), `the policy of shard 1 is "default ", and of shard 2 "default ` + hash + `"`},
		{"another analysis", edited(func(f *shard.File) { f.Analysis = hash }), "shard 2 of 3 looked at another change than this run: the sources are not the same; check the same commits"},
		{"not to run", mixed(with(func(o *engine.Options) {
			o.Compiler = func() (engine.Compiler, error) { return engine.Compiler{}, errors.New("none") }
		})),
			"shard 1 and shard 2 were not to run code of the change in the same way (--no-run, --confine)"},
		{"confined", mixed(with(func(o *engine.Options) { o.Confine = true })), "shard 1 and shard 2 were not to run code of the change in the same way (--no-run, --confine)"},
		{"a verifier that others have not", edited(func(f *shard.File) {
			f.Verifier = shard.Verifier{Found: true, Ran: true, Tool: &checks.VerusTool{Version: "1", Toolchain: "2", Solver: "3"}, Reasons: []shard.Reason{}}
		}), "shard 2 had another verifier than shard 1: Verus 1 with Rust 2 and solver 3, and none"},
		{"all of another head", with(func(o *engine.Options) { o.Head = "HEAD~1" }), "the head of this run is \"HEAD\", and of the shards \"BASE\"; what was checked must be said as it was said to the shards"},
		{"all of other families", with(func(o *engine.Options) { o.Only = []checks.Family{checks.Trust} }), `--only of this run is "", and of the shards "trust"; what was checked must be said as it was said to the shards`},
	} {
		result, err := engine.MergeShards(context.Background(), o, c.files)
		var merge *engine.MergeError
		text := ""
		if errors.As(err, &merge) {
			text = strings.NewReplacer(three[0].Head.Rev, "HEAD", three[0].Base.Rev, "BASE").Replace(err.Error())
		}
		if result != nil || text != c.want {
			t.Errorf("%s: %v (%T), want %s", c.name, err, err, c.want)
		}
	}
	if _, err := engine.MergeShards(context.Background(), o, three); err != nil {
		t.Errorf("a whole: %v", err)
	}
}

// TestMergeLacks takes away from parts what they should have: what follows is an error, and nothing is measured or proved for want of an answer.
func TestMergeLacks(t *testing.T) {
	all := recordings(t)
	options := all[slices.IndexFunc(all, func(c recorded) bool { return c.name == "weaker-method" })].options(t)
	_, files := divided(t, 2, options)
	slices.SortFunc(files, func(a, b *shard.File) int { return a.Shard.K - b.Shard.K })
	for _, c := range []struct {
		name string
		edit func(f *shard.File)
		want string
	}{
		{"the proof", func(f *shard.File) {
			if (f.Shard).Owns(shard.ProofOf, "src/lib.rs") {
				f.Proofs = []shard.Proof{}
			}
		}, " has no proof of src/lib.rs, which is its own"},
		{"another proof", func(f *shard.File) {
			if !(f.Shard).Owns(shard.ProofOf, "src/lib.rs") {
				f.Proofs = slices.Clone(f.Proofs)
				for i := range f.Proofs {
					f.Proofs[i].Head.Run.Said.Outcome, f.Proofs[i].Head.Run.Said.Reasons = verus.TimedOut, []verus.Reason{{Outcome: verus.TimedOut, Text: "it was stopped"}}
				}
			}
		}, "do not agree on the proof of src/lib.rs in head: the verifier says proved, and timed-out; run them again, with a longer verus.timeout if one ran out of time"},
		{"the answers", func(f *shard.File) { f.Answers = []shard.Answer{} }, "no shard has the answer to the question "},
		{"one answer", func(f *shard.File) {
			for i, a := range f.Answers {
				if len(a.Parts) > 1 {
					f.Answers[i].Parts = a.Parts[:len(a.Parts)-1]
					return
				}
			}
		}, "no shard has the answer to the question "},
		{"the text of a question", func(f *shard.File) {
			for i, a := range f.Answers {
				for k := range a.Parts {
					f.Answers[i].Parts[k].Key = strings.Repeat("0f", 32)
				}
			}
		}, "no shard has the answer to the question "},
	} {
		var changed []*shard.File
		for _, f := range files {
			f = again(t, f)
			c.edit(f)
			changed = append(changed, again(t, f))
		}
		_, err := engine.MergeShards(context.Background(), options(shard.Number{}), changed)
		var merge *engine.MergeError
		if !errors.As(err, &merge) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestShardUnfinished has a part whose time runs out: the whole is then inconclusive, and says which part is why.
func TestShardUnfinished(t *testing.T) {
	r := several(t, false, nil, "max-weak", "assume-added")
	o := r.options()
	_, files := divided(t, 2, func(shard.Number) engine.Options { return o })
	late := o
	late.Timeout = time.Nanosecond
	if _, err := engine.CheckShard(context.Background(), late, shard.Number{K: 1, Of: 2}); !errors.As(err, new(*engine.TimeoutError)) {
		t.Errorf("no time at all: %v", err)
	}
	// What the time runs out in depends on the machine, so that it is noted here as it is there.
	f := again(t, files[0])
	f.Unfinished = "the time limit of 1s ran out before its part was done"
	result, err := engine.MergeShards(context.Background(), o, []*shard.File{again(t, f), files[1]})
	if err != nil {
		t.Fatal(err)
	}
	want := []checks.Reason{{Stage: "time", Text: "shard 2 of 2: the time limit of 1s ran out before its part was done; nothing is known about trust, edit, contract, proof, strength"}}
	if diff := cmp.Diff(want, result.Report.Reasons); diff != "" || !result.TimedOut || result.Report.Outcome != checks.OutcomeInconclusive || len(result.Report.Findings) > 0 {
		t.Errorf("%v, %v, %d findings; reasons (-want +got):\n%s", result.TimedOut, result.Report.Outcome, len(result.Report.Findings), diff)
	}
}

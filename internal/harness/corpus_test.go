package harness_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/value"
)

// sample is a function with cases that were observed when it ran elsewhere; see internal/eval's tests.
type sample struct {
	Function string
	Params   [][2]string
	Cases    []struct {
		Args, After    map[string]string
		Result, Origin string
	}
	module string
}

// samples are the functions, and a crate that has each of them in a module.
func samples(t testing.TB) ([]sample, *crate) {
	t.Helper()
	paths, err := filepath.Glob("../eval/testdata/functions/*/truth.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no functions found", err)
	}
	var out []sample
	texts := map[string]string{}
	root := ""
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var s sample
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(p, err)
		}
		dir := filepath.Dir(p)
		s.module = filepath.Base(dir)
		code, err := os.ReadFile(filepath.Join(dir, "strong.rs"))
		if err != nil {
			t.Fatal(err)
		}
		texts["src/"+s.module+".rs"] = string(code)
		root += "mod " + s.module + ";\n"
		out = append(out, s)
	}
	texts["src/lib.rs"] = root
	return out, newCrate(t, texts)
}

// What was observed elsewhere is observed here, results and what mutable references hold after the call.
func TestObserved(t *testing.T) {
	all, c := samples(t)
	var targets []harness.Target
	var want []string
	unsupported := map[string]string{}
	var misfits []string
	for _, s := range all {
		tg, err := c.target(s.module + "::" + s.Function)
		if err != nil {
			unsupported[s.Function] = err.Error()
			continue
		}
		judge := tg.Spec.Judge()
		fits := true
		read := func(text string, i int) value.Value {
			typ := judge.Result()
			if i >= 0 {
				typ = judge.Params()[i].Type
			}
			v, err := judge.Value(text, typ)
			if err != nil {
				fits = false
			}
			return v
		}
		var lines strings.Builder
		for _, k := range s.Cases {
			if k.Origin != "observed" {
				continue
			}
			fits = true
			in := spectest.Input{Origin: spectest.Small}
			got := spectest.Observed{Result: read(k.Result, -1), After: make([]value.Value, len(judge.Params()))}
			for i, p := range judge.Params() {
				in.Args = append(in.Args, read(k.Args[p.Name], i))
				if p.Mut {
					got.After[i] = read(k.After[p.Name], i)
				}
			}
			if !fits { // a type parameter stands for another type here
				misfits = append(misfits, s.Function)
				continue
			}
			tg.Inputs = append(tg.Inputs, in)
			lines.WriteString(show(tg, harness.Outcome{Kind: harness.Returned, Got: &got}) + "\n")
		}
		targets = append(targets, mutants(tg, 20))
		want = append(want, lines.String())
	}
	if len(all) < 48 || len(unsupported) > 1 {
		t.Errorf("%d functions, unsupported: %v", len(all), unsupported)
	}
	if slices.ContainsFunc(misfits, func(f string) bool { return f != "replace_at" }) || len(misfits) > 4 {
		t.Errorf("cases that do not fit their types: %v", misfits)
	}
	res := run(t, c.request(targets...))
	kinds := map[string]int{}
	cases, total, failed, differ := 0, 0, map[string]int{}, 0
	for i, tg := range targets {
		m := res.Targets[i]
		if d := cmp.Diff(want[i], shows(tg, m)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tg.Function.Symbol, d)
		}
		cases += len(m.Observed)
		for _, mu := range m.Mutants {
			total++
			for _, o := range mu.Outcomes {
				kinds[o.Kind.String()]++
			}
			if mu.Failure != "" {
				failed[mu.Failure]++
			} else if len(mu.Outcomes) != len(tg.Inputs) {
				t.Errorf("%s: %s has %d outcomes", tg.Function.Symbol, mu.ID, len(mu.Outcomes))
			}
			if len(mu.Differs) > 0 {
				differ++
			}
			cases += len(mu.Outcomes)
		}
	}
	t.Logf("%d functions, %d mutants (%d differ), %d cases, %d compilations in %v, %d processes in %v", len(targets), total, differ, cases,
		res.Compilations, res.CompileTook, res.Processes, res.RunTook)
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t.Log(fmt.Sprint(kinds[k], " ", k))
	}
	for _, f := range slices.Sorted(maps.Keys(failed)) {
		t.Log(fmt.Sprint(failed[f], " ", f))
	}
}

// input reads arguments; not ok if they do not fit the types.
func input(tg harness.Target, args map[string]string) (in spectest.Input, ok bool) {
	in.Origin = spectest.Small
	judge := tg.Spec.Judge()
	for _, p := range judge.Params() {
		v, err := judge.Value(args[p.Name], p.Type)
		if err != nil {
			return in, false
		}
		in.Args = append(in.Args, v)
	}
	return in, true
}

package harness_test

import (
	"testing"
	"time"

	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/mutate"
)

// BenchmarkTogether runs the sample functions with all their mutants, once compiled together and once, for a few of them, each in a
// program of its own. The ratio is that of the times for a mutant.
func BenchmarkTogether(b *testing.B) {
	all, c := samples(b)
	var targets []harness.Target
	count := 0
	for _, s := range all {
		tg, err := c.target(s.module + "::" + s.Function)
		if err != nil {
			continue
		}
		tg = mutants(tg, 0)
		count += len(tg.Mutants.Mutants)
		targets = append(targets, tg)
	}
	const alone = 8
	for b.Loop() {
		res := run(b, c.request(targets...))
		together := res.CompileTook / time.Duration(count)
		var took time.Duration
		for i := range alone {
			// A crate with this function only, as whoever runs each by itself would have.
			tg := targets[i*len(targets)/alone]
			name := tg.Function.File.Path
			small := newCrate(b, map[string]string{"src/lib.rs": string(c.texts[name])})
			one, err := small.target(symbolIn(tg))
			if err != nil {
				b.Fatal(err)
			}
			one.Mutants = mutate.Mutants(one.Function, mutate.Options{})
			one.Mutants.Mutants = one.Mutants.Mutants[:1]
			took += run(b, small.request(one)).CompileTook
		}
		b.ReportMetric(float64(together.Microseconds()), "µs/mutant-together")
		b.ReportMetric(float64((took / alone).Microseconds()), "µs/mutant-alone")
		b.ReportMetric(float64(took/alone)/float64(together), "ratio")
		b.ReportMetric(float64(count), "mutants")
	}
}

// symbolIn is the symbol of a function in its module.
func symbolIn(tg harness.Target) string {
	s := tg.Function.Symbol
	mod := tg.Function.File.Module + "::"
	out := ""
	for len(s) > 0 {
		if len(s) >= len(mod) && s[:len(mod)] == mod {
			s = s[len(mod):]
			continue
		}
		out += s[:1]
		s = s[1:]
	}
	return out
}

// BenchmarkCases is what a case costs, the start of the program included.
func BenchmarkCases(b *testing.B) {
	all, c := samples(b)
	var targets []harness.Target
	cases := 0
	for _, s := range all {
		tg, err := c.target(s.module + "::" + s.Function)
		if err != nil {
			continue
		}
		tg.Mutants = mutate.Mutants(tg.Function, mutate.Options{Max: 20})
		for _, k := range s.Cases[:min(4, len(s.Cases))] {
			in, ok := input(tg, k.Args)
			if !ok {
				continue
			}
			for range 8 {
				tg.Inputs = append(tg.Inputs, in)
			}
		}
		targets = append(targets, tg)
		cases += len(tg.Inputs) * (2 + len(tg.Mutants.Mutants))
	}
	for b.Loop() {
		res := run(b, c.request(targets...))
		b.ReportMetric(float64(res.RunTook.Microseconds())/float64(cases), "µs/case")
		b.ReportMetric(float64(cases), "cases")
	}
}

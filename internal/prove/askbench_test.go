package prove_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/obligation"
	. "github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// BenchmarkAsk puts questions about single cases of one function to the verifier that SPECGATE_VERUS names: each is asked both ways, so that half of
// them cannot be proved. It reports the time for each question beyond that of a run with two, and the share of all time in which
// the verifier did not run.
func BenchmarkAsk(b *testing.B) {
	const text = `use vstd::prelude::*;

verus! {

fn max_of(v: &Vec<i32>) -> (m: i32)
    requires
        v.len() > 0,
    ensures
        forall|i: int| 0 <= i < v.len() ==> v[i] <= m,
        exists|i: int| 0 <= i < v.len() && v[i] == m,
{
    let mut m = v[0];
    let mut i: usize = 1;
    while i < v.len()
        invariant
            1 <= i <= v.len(),
            forall|j: int| 0 <= j < i ==> v[j] <= m,
            exists|j: int| 0 <= j < i && v[j] == m,
        decreases v.len() - i,
    {
        if v[i] > m {
            m = v[i];
        }
        i = i + 1;
    }
    m
}

} // verus!
`
	v := verustest.Real(b, verus.Sandboxed{})
	tr := lib(text)
	m := index(b, tr)
	f := m.Function("max_of")[0]
	j := judge(b, m, f)
	ask := func(b *testing.B, n int) *Answers {
		// The same cases each time.
		r := rand.New(rand.NewPCG(1, 2))
		var cases []eval.Case
		for range n / 2 {
			var elements []string
			for range 5 {
				elements = append(elements, fmt.Sprint(r.IntN(100)))
			}
			cases = append(cases, caseOf(b, j, map[string]string{"v": "[" + strings.Join(elements, ", ") + "]"}, nil, fmt.Sprint(r.IntN(120))))
		}
		w := obligation.NewWriter(m, nil)
		w.Cases(f, cases)
		o := options
		o.Timeout = 10 * time.Minute
		got := ask(b, open(b, v, tr, o), tr, w.Plan())
		if len(got.Problems) > 0 || got.Asked != n {
			b.Fatalf("%d asked of %d: %q", got.Asked, n, got.Problems)
		}
		return got
	}
	start := ask(b, 2).Took
	for _, n := range []int{50, 200, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took, verifying time.Duration
			runs := 0
			for range b.N {
				got := ask(b, n)
				took, verifying, runs = took+got.Took, verifying+got.Verifying, runs+got.Runs
			}
			each := (took/time.Duration(b.N) - start) / time.Duration(n-2)
			b.ReportMetric(float64(each.Microseconds())/1000, "ms/question")
			b.ReportMetric(100*float64(took-verifying)/float64(took), "%own")
			b.ReportMetric(float64(runs)/float64(b.N), "runs")
			b.ReportMetric(took.Seconds()/float64(b.N), "s/ask")
			b.ReportMetric(0, "ns/op")
		})
	}
}

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

// BenchmarkAsk puts questions about single cases of one function to the verifier that SPECGATE_VERUS names. It reports the time for each question beyond that of a run with two, and the share of all time in which
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
	// ask puts n questions: each case both ways, so that half cannot be proved, or only in the way that can be.
	ask := func(b *testing.B, n int, both bool) *Answers {
		r := rand.New(rand.NewPCG(1, 2)) // the same cases each time
		w := obligation.NewWriter(m, nil)
		for asked := 0; asked < n; {
			var elements []string
			most := 0
			for range 5 {
				e := r.IntN(100)
				elements, most = append(elements, fmt.Sprint(e)), max(most, e)
			}
			result, wanted := most, []obligation.Question{obligation.SpectestEscaped}
			if r.IntN(2) == 0 {
				result, wanted = most-1, []obligation.Question{obligation.SpectestRejected}
			}
			if asked++; both {
				wanted = nil
				asked++
			}
			w.Cases(f, []eval.Case{caseOf(b, j, map[string]string{"v": "[" + strings.Join(elements, ", ") + "]"}, nil, fmt.Sprint(result))}, wanted...)
		}
		o := options
		o.Timeout = 10 * time.Minute
		got := ask(b, open(b, v, tr, o), tr, w.Plan())
		if len(got.Problems) > 0 || got.Asked != n {
			b.Fatalf("%d asked of %d: %q", got.Asked, n, got.Problems)
		}
		return got
	}
	start := ask(b, 2, true).Took
	for _, both := range []bool{true, false} {
		for _, n := range []int{50, 200, 400} {
			name := "proved"
			if both {
				name = "half-proved"
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var took, verifying time.Duration
				runs, proved := 0, 0
				for range b.N {
					got := ask(b, n, both)
					took, verifying, runs = took+got.Took, verifying+got.Verifying, runs+got.Runs
					proved = 0
					for _, a := range got.Answers {
						if a.Verdict == obligation.Proved {
							proved++
						}
					}
				}
				each := (took/time.Duration(b.N) - start) / time.Duration(n-2)
				b.ReportMetric(float64(each.Microseconds())/1000, "ms/question")
				b.ReportMetric(100*float64(took-verifying)/float64(took), "%own")
				b.ReportMetric(float64(runs)/float64(b.N), "runs")
				b.ReportMetric(float64(proved), "proved")
				b.ReportMetric(took.Seconds()/float64(b.N), "s/ask")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/verus"
)

// TestTimeout ends a run while it looks for a verifier that never answers. What the rules would have found is not in the report, and
// the sources can still be read.
func TestTimeout(t *testing.T) {
	r := newRepo(t)
	r.write("src/lib.rs", "verus! { fn f() { } }\n")
	r.commit("base")
	r.write("src/lib.rs", "verus! { fn f() { assume(false); } }\n")
	r.commit("head")
	o := r.options()
	o.Timeout = 2 * time.Second
	o.Verifier = func(ctx context.Context, _ string) (*verus.Verifier, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	result := check(t, o)
	if !result.TimedOut {
		t.Error("the result does not say that its time ran out")
	}
	if result.Source(annotate.Head, "src/lib.rs") == nil {
		t.Error("the sources cannot be read")
	}
	result.Report.Base.Rev, result.Report.Head.Rev = "base", "head"
	var text, json bytes.Buffer
	if err := annotate.Text(&text, result.Report, annotate.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := annotate.JSON(&json, result.Report); err != nil {
		t.Fatal(err)
	}
	want := `not checked (time): the time limit of 2s ran out before the change was checked; nothing is known about trust, edit, contract, proof, strength
Nothing was proved: no verifier was run.
0 errors, 0 warnings, 0 notices in 0 changed functions between base and head
outcome: inconclusive
`
	if d := cmp.Diff(want, text.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	for _, part := range []string{`"outcome": "inconclusive"`, `"findings": []`, `"functions": []`} {
		if !bytes.Contains(json.Bytes(), []byte(part)) {
			t.Errorf("no %s in\n%s", part, json.String())
		}
	}
}

// TestTimeoutAtOnce ends a run before it knows what to compare: there is nothing to report about.
func TestTimeoutAtOnce(t *testing.T) {
	r := newRepo(t)
	r.commit("base")
	r.commit("head")
	o := r.options()
	o.Timeout = 1
	result, err := engine.Check(context.Background(), o)
	var late *engine.TimeoutError
	if result != nil || !errors.As(err, &late) {
		t.Fatalf("result %v, error %v", result, err)
	}
}

package measure_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
)

// TestPanics: a mistake of specgate keeps the function, or the crate, that it is about from being measured, and nothing else.
func TestPanics(t *testing.T) {
	const text = "use vstd::prelude::*;\nverus! {\npub fn f(x: u8) -> (r: u8)\n    ensures r == x,\n{\n    x\n}\n}\n"
	_, ss := subjects(t, text, text)
	honest := func() *measure.Subject { s := *ss[0]; s.Base, s.Same = nil, false; return &s }
	fine := func(_ context.Context, jobs []measure.Job) ([]measure.Ran, error) {
		return []measure.Ran{{Unmeasured: "it was not tried"}}, nil
	}
	said := func(r *measure.Result) string {
		m := r.Strength().Head
		first, _, _ := strings.Cut(r.Panicked(), "\n")
		return m.Unmeasured + "|" + r.Unsettled() + "|" + first
	}
	const nothing = "runtime error: invalid memory address or nil pointer dereference"

	results, err := measure.Measure(t.Context(), measure.Request{Subjects: []*measure.Subject{{Symbol: "none", Head: &measure.Side{}}, honest()}, Head: fine,
		Options: measure.Options{Inputs: 4, Jobs: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"internal error of specgate: " + nothing + "|specgate failed|" + nothing, "it was not tried|it was not tried|"},
		[]string{said(results[0]), said(results[1])}); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}

	c := &measure.Compiled{Crate: func(*model.Crate) (measure.Crate, error) { panic("no crate") }}
	results, err = measure.Measure(t.Context(), measure.Request{Subjects: []*measure.Subject{honest()}, Head: c.Run, Options: measure.Options{Inputs: 4}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("internal error of specgate: no crate|nothing of its crate was run|", said(results[0])); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if first, stack, _ := strings.Cut(c.Panicked, "\n"); first != "no crate" || !strings.Contains(stack, "panic_test.go") {
		t.Errorf("where it was is not told: %q", c.Panicked)
	}
}

// TestOverTime: a function whose time is over is not measured and says so, and the time is one for making inputs and for asking.
func TestOverTime(t *testing.T) {
	const text = "use vstd::prelude::*;\nverus! {\npub fn f(x: u8) -> (r: u8)\n    ensures r == x,\n{\n    x\n}\n}\n"
	_, ss := subjects(t, text, text)
	said := func(each time.Duration, run measure.Runner) string {
		s := *ss[0]
		s.Base, s.Same = nil, false
		results, err := measure.Measure(t.Context(), measure.Request{Subjects: []*measure.Subject{&s}, Head: run, Options: measure.Options{Inputs: 4, PerFunction: each}})
		if err != nil {
			t.Fatal(err)
		}
		return results[0].Strength().Head.Unmeasured + "|" + results[0].Unsettled()
	}
	want := "its time was over: looking at its contract took more than 1ns"
	if got := said(time.Nanosecond, nil); got != want+"|"+want {
		t.Errorf("got %q", got)
	}
}

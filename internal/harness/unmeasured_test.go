package harness_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/harness"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/value"
)

// What cannot be run says why, and all else in the crate is run.
func TestUnmeasured(t *testing.T) {
	c := newCrate(t, map[string]string{"src/lib.rs": `
use vstd::prelude::*;

verus! {

spec fn ghost(x: u8) -> bool { true }

pub fn good(x: u8) -> u8 { x }

pub async fn later(x: u8) -> u8 { x }

pub fn opaque(x: u8) -> impl Sized { x }

pub fn long(x: (u8, u8, u8, u8, u8, u8, u8, u8, u8)) -> u8 { x.0 }

pub struct Fn { f: fn() -> u8 }

pub struct Local { p: *const u8 }

pub fn pointer(x: u8) -> Local { Local { p: core::ptr::null() } }

pub fn constant<const N: usize>(x: [u8; N]) -> usize { N }

pub struct Bounded<T: Copy + core::ops::Add<Output = T>> { x: T }

pub fn bounded(b: Bounded<u8>) -> u8 { b.x }

}

#[repr(packed)]
pub struct Packed { x: u8, y: u32 }

pub fn packed(p: Packed) -> u8 { p.x }

pub mod other;
`, "src/other.rs": "pub fn fine(x: u8) -> u8 { x + 1 }\n"})
	type want struct {
		tg   harness.Target
		want string
	}
	only := func(symbol string) harness.Target {
		tg, err := c.target(symbol)
		if err != nil {
			t.Logf("%s: %v", symbol, err)
			tg.Spec = nil
		}
		return tg
	}
	wrong := c.with("good", "1")
	wrong.Inputs = append(wrong.Inputs, spectest.Input{})
	odd := c.with("good", "1")
	odd.Inputs[0].Args = []value.Value{value.Unspecified{}}
	list := []want{
		{only("ghost"), "unmeasured: it is ghost code\n"},
		{c.with("good", "3"), "3\n"},
		{c.with("later", "3"), "unmeasured: it is asynchronous\n"},
		{only("opaque"), "unmeasured: the types of its parameters are not known\n"},
		{c.with("long", "(1, 2, 3, 4, 5, 6, 7, 8, 9)"), "unmeasured: parameter x: a tuple of more than 8 parts\n"},
		{only("pointer"), "unmeasured: result: unsupported: the type of the field p of Local is not understood\n"},
		{only("constant"), "unmeasured: the types of its parameters are not known\n"},
		{c.with("bounded", "Bounded { x: 3 }"), "3\n"},
		{c.with("packed", "Packed { x: 3, y: 4 }"), "unmeasured: values of the type lib::Packed cannot be made: E0793\n"},
		{wrong, "unmeasured: input 2 has 0 arguments, the function 1 parameters\n"},
		{odd, "unmeasured: input 1: a value that executable code has not\n"},
		{c.with("other::fine", "3"), "4\n"},
	}
	var targets []harness.Target
	for _, l := range list {
		targets = append(targets, l.tg)
	}
	res := run(t, c.request(targets...))
	for i, l := range list {
		if d := cmp.Diff(l.want, shows(l.tg, res.Targets[i])); d != "" {
			t.Errorf("%s (-want +got):\n%s", l.tg.Function.Symbol, d)
		}
	}
}

// A crate that rustc refuses as a whole says so for each function, with the place. Attributes of the crate are not in the way.
func TestDoesNotCompile(t *testing.T) {
	for _, k := range []struct{ name, text, want string }{
		{"a mark out of place", "pub fn f(x: u8) -> u8 { x }\nmod m { fn g() { ) } }\n", "unmeasured: the crate does not compile without its ghost code: src/lib.rs:2: "},
		{"own start of the program", "#[no_mangle] pub extern \"C\" fn main() {}\npub fn f(x: u8) -> u8 { x }\n", "unmeasured: the crate does not compile without its ghost code: "},
		{"without std", "#![no_std]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"features", "#![feature(never_type)]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"many attributes", "#![forbid(unsafe_code)]\n#![deny(warnings, missing_docs, clippy::all)]\n//! A crate.\n#![crate_type = \"lib\"]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"attributes of Verus's tools", "use vstd::prelude::*;\nverus! {\n#[verusfmt::skip]\npub fn f(x: u8) -> u8 { x / 2 }\n#[verusfmt::skip]\npub fn g(x: u8) -> u8 { x }\n}\n", "2\n"},
		{"an attribute that is not known", "#[nothing::of]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"nothing behind the last line", "pub fn f(x: u8) -> u8 { x / 2 }\n// the end", "2\n"},
	} {
		t.Run(k.name, func(t *testing.T) {
			c := brokenCrate(t, map[string]string{"src/lib.rs": k.text})
			tg := mutants(c.with("f", "5"), 3)
			res := run(t, c.request(tg))
			got := shows(tg, res.Targets[0])
			if strings.HasSuffix(k.want, ": ") && strings.HasPrefix(got, k.want) {
				return // the words are the compiler's
			}
			if d := cmp.Diff(k.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// What the request itself gets wrong, and what happens outside, is an error.
func TestErrors(t *testing.T) {
	c := newCrate(t, map[string]string{"src/lib.rs": "pub fn f(x: u8) -> u8 { x }\n"})
	tg := c.with("f", "5")
	for _, k := range []struct {
		name string
		edit func(*harness.Request)
		want string
	}{
		{"root", func(r *harness.Request) { r.Root = "main.rs" }, "run functions of main.rs: bad request: the root file main.rs is not among the files"},
		{"work", func(r *harness.Request) { r.Work = "work" }, `run functions of src/lib.rs: bad request: the working directory "work" is not absolute`},
		{"path", func(r *harness.Request) {
			r.Files = map[string][]byte{"src/lib.rs": r.Files["src/lib.rs"], "../x": nil}
		}, `run functions of src/lib.rs: bad request: "../x" cannot be the name of a file`},
	} {
		req := c.request(tg)
		k.edit(&req)
		if _, err := harness.Run(t.Context(), req); err == nil || err.Error() != k.want {
			t.Errorf("%s: got %v, want %s", k.name, err, k.want)
		}
	}
	req := c.request(tg)
	req.Rustc = "/nowhere/rustc"
	if _, err := harness.Run(t.Context(), req); err == nil || !strings.Contains(err.Error(), "ask /nowhere/rustc for its version") {
		t.Errorf("no compiler: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := harness.Run(ctx, c.request(tg)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}
}

// A function whose time is up gives no outcome, and says so.
func TestOutOfTime(t *testing.T) {
	c := newCrate(t, map[string]string{"src/lib.rs": "pub fn f(x: u8) -> u8 { if x > 0 { std::thread::sleep(std::time::Duration::from_secs(3600)); } x }\n"})
	tg := c.with("f", "0", "1", "0", "2", "0", "3", "0")
	odd := c.with("f", "1", "2", "3", "0", "4", "5", "6")
	req := c.request(tg)
	req.Limits = harness.Limits{Case: 300 * time.Millisecond}
	if d := cmp.Diff("0\ntimed out\n0\ntimed out\n0\ntimed out\n0\n", shows(tg, run(t, req).Targets[0])); d != "" {
		t.Errorf("too many time out (-want +got):\n%s", d)
	}
	req = c.request(odd)
	req.Limits = harness.Limits{Case: 300 * time.Millisecond}
	if d := cmp.Diff(strings.Repeat("timed out\n", 2)+strings.Repeat("was not run: earlier cases ended the process too often\n", 3)+strings.Repeat("timed out\n", 2), shows(odd, run(t, req).Targets[0])); d != "" {
		t.Errorf("all time out (-want +got):\n%s", d)
	}
	req = c.request(tg)
	req.Limits = harness.Limits{Case: time.Minute, Run: 3 * time.Second}
	if d := cmp.Diff(strings.Repeat("was not run: the time for all cases was used up\n", 6), strings.SplitAfterN(shows(tg, run(t, req).Targets[0]), "\n", 2)[1]); d != "" {
		t.Errorf("the time for all is up (-want +got):\n%s", d)
	}
}

// Of a function whose mutants do not end only some are waited for, and of one that does not end itself no mutant is run. What is beside them is run as it would be alone.
func TestEndlessMutants(t *testing.T) {
	lines := strings.Repeat("    s = s + x * 0;\n", 12)
	c := newCrate(t, map[string]string{"src/lib.rs": "pub fn f(x: u64) -> u64 {\n    let mut s = 0u64;\n" + lines + "    std::thread::sleep(std::time::Duration::from_secs(s * 3600));\n    s\n}\n" +
		"pub fn never(x: u64) -> u64 {\n    let y = x + 1;\n    std::thread::sleep(std::time::Duration::from_secs(3600 + y));\n    y\n}\n" +
		"pub fn beside(x: u64) -> u64 {\n    let mut n = x / 2;\n    while n > 1 {\n        n = n - 1;\n    }\n    n\n}\n"})
	args := []string{"1", "2", "3", "4"}
	targets := []harness.Target{mutants(c.with("f", args...), 0), mutants(c.with("never", args...), 0), mutants(c.with("beside", args...), 0)}
	req := c.request(targets...)
	req.Limits = harness.Limits{Case: 300 * time.Millisecond}
	res := run(t, req)
	late, given := 0, 0
	for _, mu := range res.Targets[0].Mutants {
		for _, o := range mu.Outcomes {
			if o.Kind == harness.TimedOut {
				late++
			}
			if o.Detail == harness.GivenUp {
				given++
			}
		}
	}
	if late != 8 || given == 0 || given%len(args) != 0 {
		t.Errorf("%d calls of mutants timed out, and %d were not run", late, given)
	}
	if d := cmp.Diff("timed out\ntimed out\ntimed out\ntimed out\n", shows(targets[1], res.Targets[1])); d != "" {
		t.Errorf("the function that does not end (-want +got):\n%s", d)
	}
	for _, mu := range res.Targets[1].Mutants {
		if d := cmp.Diff(strings.Repeat("was not run: the function did not end\n", 4), shows(targets[1], harness.Measured{Observed: mu.Outcomes})); d != "" {
			t.Errorf("%s (-want +got):\n%s", mu.ID, d)
		}
	}
	all := func(m harness.Measured) string {
		text := shows(targets[2], m)
		for _, mu := range m.Mutants {
			text += mu.ID + " " + mu.Failure + "\n" + shows(targets[2], harness.Measured{Observed: mu.Outcomes})
		}
		return text
	}
	if d := cmp.Diff(all(run(t, c.request(targets[2])).Targets[0]), all(res.Targets[2])); d != "" {
		t.Errorf("what is beside them (-alone +here):\n%s", d)
	}
}

// The same request gives the same outcomes, whatever names and secrets the seed makes.
func TestSeed(t *testing.T) {
	c := newCrate(t, map[string]string{"src/lib.rs": "pub fn f(x: u8) -> u8 { let mut n = 0u8; let mut i = 0u8; while i < x { n = n + i; i = i + 1; } n }\n"})
	tg := mutants(c.with("f", "0", "1", "5", "200"), 0)
	var first string
	for seed := range uint64(2) {
		req := c.request(tg)
		req.Seed = seed
		m := run(t, req).Targets[0]
		got := shows(tg, m)
		for _, mu := range m.Mutants {
			got += mu.ID + " " + mu.Failure + "\n" + shows(tg, harness.Measured{Observed: mu.Outcomes})
		}
		if first == "" {
			first = got
		}
		if d := cmp.Diff(first, got); d != "" {
			t.Errorf("(-first +second):\n%s", d)
		}
	}
}

// Code that does not compile is left out, functions or bodies of functions, and all that does not need it is run. A case that comes to
// such code gives nothing.
func TestLeftOut(t *testing.T) {
	c := newCrate(t, map[string]string{"src/lib.rs": `
use serde::Serialize;
use vstd::prelude::*;
use vstd::cell::PCell;

mod inner;

#[derive(Clone, Copy)]
pub struct Plain { x: u8 }

impl Serialize for Plain { fn serialize(&self) -> u8 { 1 } }

impl PartialEq for Plain { fn eq(&self, o: &Plain) -> bool { serde::equal(self, o) } }

verus! {
pub struct Cell { c: PCell<u8> }

pub fn uses_cell(c: &Cell) -> u8 { 1 }

pub fn wrong(x: u8) -> u8 { serde::wrong(x) }

pub const fn wrong_constant(x: u8) -> u8 { serde::wrong(x) }

pub fn sometimes(x: u8) -> u8 { if x > 1 { wrong(x) } else { x } }

pub fn never(x: u8) -> u8 { x / 2 }

pub fn needs(x: u8) -> u8 { wrong_constant(x) }

pub fn compares(p: Plain, q: Plain, also: bool) -> bool { if also { p == q } else { false } }
}
`, "src/inner.rs": "pub fn fine(x: u8) -> u8 { x + 1 }\nmacro_rules! odd { ($x:expr) => { nothing($x) } }\npub fn bad(x: u8) -> u8 {\n    odd!(x)\n}\n"})
	list := []struct {
		tg   harness.Target
		want string
	}{
		{c.with("wrong", "1"), "unmeasured: it does not compile without its ghost code: src/lib.rs:20: E0433\n"},
		{c.with("wrong_constant", "1"), "unmeasured: it does not compile without its ghost code: src/lib.rs:22: E0433\n"},
		{mutants(c.with("sometimes", "1", "2"), 5), "1\nwas not run: it reaches code that does not compile\n"},
		{mutants(c.with("never", "4"), 5), "2\n"},
		{mutants(c.with("needs", "4"), 5), "unmeasured: it does not compile without its ghost code: src/lib.rs:28: E0425\n"},
		{c.with("compares", "Plain { x: 1 }; Plain { x: 1 }; true", "Plain { x: 1 }; Plain { x: 1 }; false"), "was not run: it reaches code that does not compile\nfalse\n"},
		{c.with("inner::fine", "4"), "5\n"},
		{c.with("inner::bad", "4"), "unmeasured: it does not compile without its ghost code: src/inner.rs:4: E0425\n"},
	}
	var targets []harness.Target
	for _, l := range list {
		targets = append(targets, l.tg)
	}
	res := run(t, c.request(targets...))
	for i, l := range list {
		if d := cmp.Diff(l.want, shows(l.tg, res.Targets[i])); d != "" {
			t.Errorf("%s (-want +got):\n%s", l.tg.Function.Symbol, d)
		}
	}
	var places []string
	for _, l := range res.LeftOut {
		places = append(places, strings.Join(strings.SplitN(l, ":", 3)[:2], ":"))
	}
	want := []string{"src/lib.rs:2", "src/lib.rs:16", "src/lib.rs:13", "src/lib.rs:20", "src/lib.rs:22", "src/inner.rs:4", "src/lib.rs:11", "src/lib.rs:18", "src/lib.rs:28"}
	slices.Sort(want)
	slices.Sort(places)
	if d := cmp.Diff(want, places); d != "" {
		t.Errorf("what is left out (-want +got):\n%s", d)
	}
}

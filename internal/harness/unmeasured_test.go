package harness_test

import (
	"context"
	"errors"
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
		{c.with("packed", "Packed { x: 3, y: 4 }"), "unmeasured: values of the type lib::Packed cannot be made: reference to field of packed struct is unaligned (E0793)\n"},
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

// A crate that rustc refuses as a whole says so for each function, with the place.
func TestDoesNotCompile(t *testing.T) {
	for _, k := range []struct{ name, text, want string }{
		{"missing crate", "use serde::Serialize;\npub fn f(x: u8) -> u8 { x }\n", "unmeasured: the crate does not compile without its ghost code: src/lib.rs:1: unresolved import `serde` (E0432)\n"},
		{"wrong type", "pub fn f(x: u8) -> u8 { x }\npub fn g() -> u8 { true }\n", "unmeasured: the crate does not compile without its ghost code: src/lib.rs:2: mismatched types (E0308)\n"},
		{"part of vstd without a stand-in", "use vstd::prelude::*;\nuse vstd::cell::PCell;\nverus! {\npub struct S { c: PCell<u8> }\npub fn f(x: u8) -> u8 { x }\n}\n",
			"unmeasured: the crate does not compile without its ghost code: src/lib.rs:4: cannot find type `PCell` in this scope (E0425)\n"},
		{"own start of the program", "#[no_mangle] pub extern \"C\" fn main() {}\npub fn f(x: u8) -> u8 { x }\n", ""},
		{"without std", "#![no_std]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"features", "#![feature(never_type)]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"many attributes", "#![forbid(unsafe_code)]\n#![deny(warnings, missing_docs, clippy::all)]\n//! A crate.\n#![crate_type = \"lib\"]\npub fn f(x: u8) -> u8 { x / 2 }\n", "2\n"},
		{"nothing behind the last line", "pub fn f(x: u8) -> u8 { x / 2 }\n// the end", "2\n"},
	} {
		t.Run(k.name, func(t *testing.T) {
			c := newCrate(t, map[string]string{"src/lib.rs": k.text})
			tg := mutants(c.with("f", "5"), 3)
			res := run(t, c.request(tg))
			got := shows(tg, res.Targets[0])
			if k.want == "" && strings.HasPrefix(got, "unmeasured: the crate does not compile without its ghost code: ") {
				return
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
	req.Limits = harness.Limits{Case: 100 * time.Millisecond}
	if d := cmp.Diff("0\ntimed out\n0\ntimed out\n0\ntimed out\n0\n", shows(tg, run(t, req).Targets[0])); d != "" {
		t.Errorf("too many time out (-want +got):\n%s", d)
	}
	req = c.request(odd)
	req.Limits = harness.Limits{Case: 100 * time.Millisecond}
	if d := cmp.Diff(strings.Repeat("timed out\n", 2)+strings.Repeat("was not run: earlier cases ended the process too often\n", 3)+strings.Repeat("timed out\n", 2), shows(odd, run(t, req).Targets[0])); d != "" {
		t.Errorf("all time out (-want +got):\n%s", d)
	}
	req = c.request(tg)
	req.Limits = harness.Limits{Case: time.Minute, Run: 3 * time.Second}
	if d := cmp.Diff(strings.Repeat("was not run: the time for all cases was used up\n", 6), strings.SplitAfterN(shows(tg, run(t, req).Targets[0]), "\n", 2)[1]); d != "" {
		t.Errorf("the time for all is up (-want +got):\n%s", d)
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

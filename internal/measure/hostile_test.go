package measure_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHostile measures functions that do what they can to be in the way: each has its reason, and the one beside them is measured all the same.
func TestHostile(t *testing.T) {
	const text = `use vstd::prelude::*;
verus! {
#[verifier::exec_allows_no_decreases_clause]
pub fn endless(x: u32) -> (r: u32)
    ensures r == x,
{
    loop {
    }
}
#[verifier::external_body]
pub fn leaves(x: u32) -> (r: u32)
    ensures r == x,
{
    std::process::exit(0)
}
#[verifier::external_body]
pub fn panics(x: u32) -> (r: u32)
    ensures r == x,
{
    panic!("no")
}
#[verifier::external_body]
pub fn aborts(x: u32) -> (r: u32)
    ensures r == x,
{
    std::process::abort()
}
#[verifier::external_body]
pub fn prints(x: u32) -> (r: u32)
    ensures r == x,
{
    for _ in 0..10000 {
        println!("{{\"outcome\": 7}}");
    }
    x
}
#[verifier::external_body]
pub fn huge(x: u32) -> (r: Vec<u8>)
    ensures r.len() > 0,
{
    vec![7; 10_000_000]
}
pub fn unbounded(x: u32) -> (r: u32)
    ensures forall|f: spec_fn(int) -> int| f(r as int) == f(x as int),
{
    x
}
pub open spec fn down(n: nat) -> nat
    decreases n,
{
    if n == 0 { 0 } else { down((n - 1) as nat) + down((n - 1) as nat) }
}
pub fn deep(x: u32) -> (r: u32)
    requires x < 100,
    ensures down(40 + x as nat) == 0 ==> r == x,
{
    x
}
pub fn honest(x: u32) -> (r: u32)
    ensures r == x,
{
    x
}
}
`
	_, ss := subjects(t, text, text)
	got := map[string]string{}
	for _, s := range ss {
		s.Base = nil
	}
	o := options
	o.Mutants = 4
	for _, r := range run(t, text, text, o, ss) {
		m := r.Strength().Head
		line := m.Unmeasured
		if m.Suite != nil {
			all := m.Suite.All()
			switch {
			case all.Escaped > 0:
				line = "escapes"
			case all.Undecided == all.Rejected+all.Undecided:
				line = "undecided"
			case all.Undecided > 0:
				line = "partly undecided"
			default:
				line = "rejects all"
			}
		} else if m.Refuted != nil {
			line = "refuted"
		}
		got[r.Subject().Symbol], _, _ = strings.Cut(line, " (")
	}
	want := map[string]string{
		"endless": "it returned for none of 32 inputs: it did not end in its time", "leaves": "it returned for none of 32 inputs: it ended the process",
		"panics": "it returned for none of 32 inputs: it panicked", "aborts": "it returned for none of 32 inputs: it ended the process",
		"prints": "rejects all", "huge": "it returned for none of 32 inputs: it was not run to its end", "unbounded": "undecided", "deep": "rejects all", "honest": "rejects all",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

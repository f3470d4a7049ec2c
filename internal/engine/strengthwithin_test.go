package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// within is one crate. Each function that is measured comes to another one in its own way; alone and beside come to none.
const within = `use vstd::prelude::*;

pub mod other;

verus! {

pub struct Held { pub xs: Vec<u8> }

pub trait Steps {
    fn step(&self) -> (r: u8);
}

impl Steps for Held {
    fn step(&self) -> (r: u8) { in_an_impl(1) }
}

impl Held {
    pub fn first(&self) -> (r: u8)
        ensures r >= 1,
    { 1 }
}

pub fn helper(x: u8) -> (r: u8) ensures r <= 9 { x % 10 }
pub fn in_an_impl(x: u8) -> (r: u8) ensures r == x { x }
pub fn in_a_closure(x: u8) -> (r: u8) ensures r <= 9 { x % 10 }
pub open spec fn small(x: int) -> bool { x < 100 }
pub open spec fn nobody(x: int) -> bool { x < 100 }

pub fn alone(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    x / 2
}

pub fn direct(x: u8) -> (r: u8)
    ensures
        r <= 10,
{
    helper(x) + 1
}

pub fn closure(x: u8) -> (r: u8)
    ensures
        r <= 20,
{
    let f = |y: u8| in_a_closure(y);
    f(x) + 3
}

pub fn method(h: &Held) -> (r: u8)
    ensures
        r >= 1,
{
    h.first()
}

pub fn contract(x: u8) -> (r: u8)
    ensures
        small(r as int) || r == x,
{
    if x < 50 {
        x + 1
    } else {
        x
    }
}

pub fn imported(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    other::half(x)
}

} // verus!
`

const withinOther = `use vstd::prelude::*;

verus! {

pub fn half(x: u8) -> (r: u8) ensures r <= x { quarter(x) }

fn quarter(x: u8) -> (r: u8) ensures r <= x { x / 4 }

pub fn beside(x: u8) -> (r: u8)
    ensures
        r >= x,
{
    x
}

} // verus!
`

// TestStrengthWithin: a pull request within one crate is pushed again and again. The report of each push is that of a run without anything kept, byte for byte, and
// only the functions that come to what was changed are measured.
func TestStrengthWithin(t *testing.T) {
	r := newRepo(t)
	write := func(name string, lib, other string) {
		r.write("src/lib.rs", lib)
		r.write("src/other.rs", other)
		r.commit(name)
	}
	r.write("Cargo.toml", "[package]\nname = \"within\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
	r.write(".specgate.toml", "version = 1\n[strength]\ninputs = 8\nmutants = 12\n")
	write("base", within, withinOther)
	replaced := func(text, old, now string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %q", old)
		}
		return strings.Replace(text, old, now, 1)
	}
	lib, other := within, replaced(withinOther, "{\n    x\n", "{\n    let unused: u8 = 0;\n    x\n")
	for _, at := range []string{"    x / 2\n", "    helper(x) + 1", "    let f = ", "    h.first()", "    if x < 50", "    other::half(x)"} {
		lib = replaced(lib, at, "    let unused: u8 = 0;\n"+at)
	}
	write("head", lib, other)
	r.git("checkout", "-q", "-b", "change")
	r.git("branch", "-f", "main", "HEAD~1")
	o, log := keeping(t, r.options())
	mine := o.HeadCache
	if _, measured, kept := strengthReport(t, o, log); measured != 7 || kept != 0 {
		t.Fatalf("cold: %d measured, %d kept\n%s", measured, kept, log)
	}
	push := 1
	for _, c := range []struct {
		name string
		edit func()
		// measured are how many functions, and of how many the strength is kept.
		measured, kept int
	}{
		{"a function that is not measured, and lines that move", func() {
			lib = replaced(lib, "verus! {\n", "verus! {\n\n// More.\nfn more(x: u8) -> (r: u8) { x % 2 }\n\n")
		}, 1, 6}, // one tells whether the crate compiles
		{"what one calls", func() {
			lib = replaced(lib, "fn helper(x: u8) -> (r: u8) ensures r <= 9 { x % 10 }", "fn helper(x: u8) -> (r: u8) ensures r <= 9 { x % 9 }")
		},
			2, 6}, // and it itself is measured
		{"what others come to", func() {
			lib = replaced(lib, "in_a_closure(x: u8) -> (r: u8) ensures r <= 9 { x % 10 }", "in_a_closure(x: u8) -> (r: u8) ensures r <= 9 { x % 5 }")
			lib = replaced(lib, "fn small(x: int) -> bool { x < 100 }", "fn small(x: int) -> bool { x < 40 }")
			other = replaced(other, "{ x / 4 }", "{ x / 8 }")
		}, 5, 5},
		{"what an impl calls", func() { lib = replaced(lib, "in_an_impl(1)", "in_an_impl(2)") }, 10, 0},
		{"a function that does not compile", func() { other = replaced(other, "pub fn beside", "fn broken() -> u8 { nowhere() }\n\npub fn beside") },
			11, 0}, // one tells that, and then all are measured together
		{"and does again", func() { other = replaced(other, "nowhere()", "4") }, 1, 9},
	} {
		c.edit()
		write(c.name, lib, other)
		push++
		o.Base = fmt.Sprintf("HEAD~%d", push)
		o.HeadCache = mine
		second, measured, kept := strengthReport(t, o, log)
		if measured != c.measured || kept != c.kept {
			t.Errorf("%s: %d measured, %d kept; want %d, %d\n%s", c.name, measured, kept, c.measured, c.kept, log)
		}
		o.HeadCache = filepath.Join(t.TempDir(), "fresh")
		fresh, _, _ := strengthReport(t, o, log)
		if diff := cmp.Diff(fresh, second); diff != "" {
			t.Errorf("%s (-fresh +kept):\n%s", c.name, diff)
		}
	}
}

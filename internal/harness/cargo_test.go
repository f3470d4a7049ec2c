package harness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/harness"
)

var workspace = map[string]string{
	"Cargo.toml": `[workspace]
members = ["app", "helper"]
resolver = "2"

[workspace.package]
edition = "2024"

[workspace.dependencies]
helper = { path = "helper", features = ["double"] }
vstd = "=0.0.0-2026-01-01-0000"
`,
	"helper/Cargo.toml": "[package]\nname = \"helper-crate\"\nversion = \"1.0.0\"\nedition.workspace = true\n\n[lib]\nname = \"helper\"\n\n[features]\ndouble = []\nmore = []\n",
	"helper/src/lib.rs": "#[cfg(feature = \"double\")]\npub fn twice(x: u8) -> u8 { x * 2 }\n#[cfg(feature = \"more\")]\npub fn thrice(x: u8) -> u8 { x * 3 }\n",
	"app/Cargo.toml": `[package]
name = "app"
version = "0.1.0"
edition.workspace = true

[dependencies]
vstd = { workspace = true }
helper = { package = "helper-crate", path = "../helper", features = ["double"] }

[features]
default = ["fast"]
fast = ["helper/more"]
odd = []
`,
	"app/src/lib.rs": `use vstd::prelude::*;
verus! {
pub mod deep;
pub fn f(x: u8) -> (r: u8) requires x < 100, ensures r == 2 * x { if x > 3 { helper::twice(x) } else { x + x } }
#[cfg(feature = "fast")] pub fn g(x: u8) -> u8 { helper::thrice(x) }
#[cfg(feature = "odd")] pub fn h(x: u8) -> u8 { x }
}
`,
	"app/src/deep.rs":    "pub fn k(x: u8) -> u8 { let gen_ = x; gen_ / 2 }\n",
	".cargo/config.toml": "[build]\nrustc-wrapper = \"/nowhere\"\n",
	"rust-toolchain":     "nightly-1999-01-01\n",
}

func appCrate(t testing.TB, edit func(map[string]string)) (*crate, func(...harness.Target) harness.Request) {
	texts := map[string]string{}
	for name, text := range workspace {
		texts[name] = text
	}
	edit(texts)
	c := newCrate(t, texts)
	c.name = "app"
	return c, func(tgs ...harness.Target) harness.Request {
		req := c.request(tgs...)
		req.Root, req.Manifest, req.Crate = "app/src/lib.rs", "app/Cargo.toml", "app"
		return req
	}
}

// A crate that uses another is built by cargo, from the copy, with its features, and what the repository sets up for cargo left out.
func TestCargo(t *testing.T) {
	c, request := appCrate(t, func(map[string]string) {})
	tgs := []harness.Target{mutants(c.with("f", "1", "5", "200"), 8), mutants(c.with("g", "4"), 3), c.with("h", "4"), c.with("deep::k", "9")}
	res := run(t, request(tgs...))
	want := []string{"2\n10\npanicked: attempt to multiply with overflow\n", "12\n", "unmeasured: the compiler refuses to call it: E0425\n", "4\n"}
	for i, tg := range tgs {
		if d := cmp.Diff(want[i], shows(tg, res.Targets[i])); d != "" {
			t.Errorf("%s (-want +got):\n%s", tg.Function.Symbol, d)
		}
		for _, mu := range res.Targets[i].Mutants {
			if mu.Failure != "" {
				t.Errorf("%s: %s: %s", tg.Function.Symbol, mu.ID, mu.Failure)
			}
		}
	}
	if res.Way != harness.ByCargo {
		t.Errorf("way %s", res.Way)
	}
	t.Logf("%d compilations in %v, %d processes in %v", res.Compilations, res.CompileTook, res.Processes, res.RunTook)
}

// Without a use of other crates cargo is not needed. The features are those of the package all the same.
func TestCargoNotNeeded(t *testing.T) {
	c, request := appCrate(t, func(texts map[string]string) {
		texts["app/src/lib.rs"] = "pub mod deep;\n#[cfg(feature = \"fast\")] pub fn f(x: u8) -> u8 { x }\n#[cfg(feature = \"odd\")] pub fn h(x: u8) -> u8 { x }\n"
	})
	tgs := []harness.Target{c.with("f", "1"), c.with("h", "4")}
	req := request(tgs...)
	req.Features = []string{"odd"}
	res := run(t, req)
	if got := shows(tgs[0], res.Targets[0]) + shows(tgs[1], res.Targets[1]) + string(res.Way); got != "1\n4\nrustc" {
		t.Errorf("got %s", got)
	}
}

// What cargo cannot build says so.
func TestCargoFails(t *testing.T) {
	for _, k := range []struct {
		name, manifest, code string
		want                 string
	}{
		{"no such crate", "nothing-of-this-name = \"1\"", "pub fn f(x: u8) -> u8 { nothing_of_this_name::f(x) }", "unmeasured: the crate does not compile without its ghost code: no matching package named `nothing-of-this-name` found "},
		{"wrong code", "helper = { package = \"helper-crate\", path = \"../helper\" }", "pub fn f(x: u8) -> u8 { helper::none(x) }",
			"unmeasured: it does not compile without its ghost code: app/src/lib.rs:1: E0425\n"},
		{"build script", "helper = { package = \"helper-crate\", path = \"../helper\" }\n\n[package.metadata]\n", "pub fn f(x: u8) -> u8 { helper::none(x) }\n// build",
			"unmeasured: its package has a build script, which is not run\n"},
	} {
		t.Run(k.name, func(t *testing.T) {
			c, request := appCrate(t, func(texts map[string]string) {
				texts["app/Cargo.toml"] = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n" + k.manifest + "\n"
				texts["app/src/lib.rs"] = k.code + "\n"
				if strings.Contains(k.code, "// build") {
					texts["app/build.rs"] = "fn main() {}\n"
				}
			})
			tg := c.with("f", "1")
			if got := shows(tg, run(t, request(tg)).Targets[0]); !strings.HasPrefix(got, k.want) {
				t.Errorf("got %s\nwant %s", got, k.want)
			}
		})
	}
}

// A crate that uses parts of vstd for which there are no stand-ins is built with vstd itself.
func TestVstd(t *testing.T) {
	c, request := appCrate(t, func(texts map[string]string) {
		delete(texts, "Cargo.toml")
		delete(texts, "helper/Cargo.toml")
		texts["app/Cargo.toml"] = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nvstd = \"=0.0.0-2026-11-01-0251\"\n"
		texts["app/Cargo.lock"] = readFile(t, "../../testdata/erase/Cargo.lock")
		texts["app/src/lib.rs"] = `use vstd::prelude::*;
use vstd::cell::pcell::PCell;
verus! {
pub struct Counter { n: u8, seen: Ghost<int> }
impl Counter {
    pub fn bump(&mut self) -> u8 { self.n = self.n + 1; self.seen = Ghost(self.seen@ + 1); self.n }
}
pub fn f(x: u8, v: &mut Vec<u8>) -> u8
    requires old(v).len() > 0,
{
    let (c, Tracked(p)) = PCell::new(x);
    v.set(0, 9);
    c.into_inner(Tracked(p))
}
}
`
	})
	tgs := []harness.Target{mutants(c.with("f", "5; [1, 2]"), 5), mutants(c.with("Counter::bump", "Counter { n: 3, seen: Ghost(1) }"), 5)}
	req := request(tgs...)
	req.CargoHome = cargoHome(t)
	res := run(t, req)
	for i, want := range []string{"5, v = [9, 2]\n", "4, self = Counter { n: 4, seen: Ghost(?) }\n"} {
		if d := cmp.Diff(want, shows(tgs[i], res.Targets[i])); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if res.Way != harness.ByVstd {
		t.Errorf("way %s", res.Way)
	}
	t.Logf("%d compilations in %v, %d processes in %v", res.Compilations, res.CompileTook, res.Processes, res.RunTook)
}

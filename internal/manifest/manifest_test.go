package manifest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/specgate/specgate/internal/source"
)

func file(name, text string) *source.File { return source.NewFile(name, []byte(text)) }

func ptr[T any](v T) *T { return &v }

func TestCargo(t *testing.T) {
	const text = `
[package]
name = "my-crate"
version.workspace = true
edition = "2021"
autobins = false

[package.metadata.verus]
verify = true
is_core = true
no-vstd = false

[lib]
path = "source/all.rs"

[[bin]]
name = "tool"

[[bin]]
name = "other"
path = "bins/other.rs"
required-features = ["x"]

[features]
default = ["x"]
x = []

[dependencies]
vstd = { package = "vstd-fork", version = "=0.0.0-2026", default-features = false }
plain = "1"

[target.'cfg(unix)'.dev-dependencies.nix]
git = "https://example.org/nix"
rev = "abc"

[patch.crates-io]
vstd = { path = "../vstd" }

[profile.release]
debug-assertions = true
[profile.release.package."*"]
opt-level = 3

[workspace]
members = ["a", "crates/*"]
exclude = ["crates/old"]
`
	got, err := ParseCargo(file("sub/Cargo.toml", text))
	if err != nil {
		t.Fatal(err)
	}
	want := &Cargo{
		Package:   &Package{Name: "my-crate", Edition: "2021", AutoLib: true, AutoExamples: true, AutoTests: true, AutoBenches: true},
		Workspace: &Workspace{Members: []string{"a", "crates/*"}, Exclude: []string{"crates/old"}},
		Targets: []Target{{Kind: Lib, Path: "source/all.rs"}, {Kind: Bin, Name: "tool"},
			{Kind: Bin, Name: "other", Path: "bins/other.rs", RequiredFeatures: []string{"x"}}},
		Dependencies: []Dependency{
			{Table: "dependencies", Name: "plain", Package: "plain", Version: "1"},
			{Table: "dependencies", Name: "vstd", Package: "vstd-fork", Version: "=0.0.0-2026", NoDefault: true},
			{Table: "target.cfg(unix).dev-dependencies", Name: "nix", Package: "nix", Git: "https://example.org/nix", Rev: "abc"}},
		Patches:  []Dependency{{Table: "patch.crates-io", Name: "vstd", Package: "vstd", Path: "../vstd"}},
		Features: []Feature{{Name: "default", Enables: []string{"x"}}, {Name: "x"}},
		Profiles: []Setting{{Key: "release.debug-assertions", Value: "true"}, {Key: "release.package.*.opt-level", Value: "3"}},
		Verus:    &Verus{Verify: ptr(true), NoVstd: ptr(false), Ignored: []Setting{{Key: "is_core", Value: "true"}}},
	}
	ignore := cmp.Options{cmpopts.IgnoreFields(Cargo{}, "Source"), cmpopts.IgnoreTypes(source.Span{})}
	if d := cmp.Diff(want, got, ignore); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if !got.Verus.Verifies() || (*Verus)(nil).Verifies() {
		t.Error("Verifies")
	}
	paths := []string{"sub/Cargo.toml", "sub/bins/other.rs", "sub/build.rs", "sub/examples/deep/main.rs", "sub/examples/one.rs",
		"sub/source/all.rs", "sub/src/bin/tool.rs", "sub/src/main.rs", "sub/tests/it.rs"}
	crates := []CrateRoot{{Lib, "my_crate", "sub/source/all.rs", Always}, {Bin, "tool", "sub/src/bin/tool.rs", Always},
		{Bin, "other", "sub/bins/other.rs", Always}, {Example, "deep", "sub/examples/deep/main.rs", ForTests},
		{Example, "one", "sub/examples/one.rs", ForTests}, {Test, "it", "sub/tests/it.rs", ForTests},
		{BuildScript, "build_script_build", "sub/build.rs", Always}}
	if d := cmp.Diff(crates, got.Crates(paths)); d != "" {
		t.Errorf("crates: -want +got:\n%s", d)
	}
	got.Features = nil
	if built := got.Crates(paths)[2].Built; built != OnRequest {
		t.Errorf("a target whose feature nothing turns on is built %d", built)
	}
}

// TestSpans checks that settings know their line.
func TestSpans(t *testing.T) {
	src := file("Cargo.toml", "[package]\nname = \"x\"\n[package.metadata.verus]\n  verify = true # yes\n")
	c, err := ParseCargo(src)
	if err != nil {
		t.Fatal(err)
	}
	if got := src.Position(c.Verus.Span.Start).String(); got != "3:1" {
		t.Errorf("metadata.verus at %s", got)
	}
	config := file(".cargo/config.toml", "[build]\n\nrustc-wrapper = \"w\"\n")
	k, err := ParseConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if got := config.Position(k.Build[0].Span.Start).String(); got != "3:1" {
		t.Errorf("rustc-wrapper at %s", got)
	}
}

func TestConfig(t *testing.T) {
	got, err := ParseConfig(file(".cargo/config.toml", `
paths = ["over/here"]
[env]
VERUS_Z3_PATH = { value = "z3", force = true, relative = true }
PLAIN = "x"
[build]
rustc = "r"
rustflags = "-C opt-level=3  --cfg x"
[alias]
v = ["verus", "verify"]
w = "verus --no-verify"
[patch."https://example.org"]
vstd = { git = "https://example.org/vstd", branch = "b" }
[target.x86_64-unknown-linux-gnu]
runner = ["a", "b"]
[source.crates-io]
replace-with = "mine"
[source.mine]
directory = "vendor"
[source.other]
local-registry = "archives"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Env:       []EnvVar{{Name: "PLAIN", Value: "x"}, {Name: "VERUS_Z3_PATH", Value: "z3", Force: true, Relative: true}},
		Build:     []Setting{{Key: "rustc", Value: "r"}, {Key: "rustflags", Value: "-C opt-level=3  --cfg x"}},
		Rustflags: []string{"-C", "opt-level=3", "--cfg", "x"},
		Patches:   []Dependency{{Table: "patch.https://example.org", Name: "vstd", Package: "vstd", Git: "https://example.org/vstd", Branch: "b"}},
		Aliases:   []Setting{{Key: "v", Value: "verus verify"}, {Key: "w", Value: "verus --no-verify"}},
		Targets:   []Setting{{Key: "x86_64-unknown-linux-gnu.runner", Value: `["a", "b"]`}},
		Paths:     []string{"over/here"}, Directories: []string{"vendor"}, Registries: []string{"archives"},
		Other: []Setting{{Key: "paths", Value: `["over/here"]`}, {Key: "source.crates-io.replace-with", Value: "mine"},
			{Key: "source.mine.directory", Value: "vendor"}, {Key: "source.other.local-registry", Value: "archives"}},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Config{}, "Source"), cmpopts.IgnoreTypes(source.Span{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestToolchain(t *testing.T) {
	for text, want := range map[string]*Toolchain{
		"nightly-2026-01-01\n": {Channel: "nightly-2026-01-01"},
		"[toolchain]\nchannel = \"1.95.0\"\ncomponents = [\"rustfmt\"]\ntargets = [\"wasm32\"]\nprofile = \"minimal\"\n": {Channel: "1.95.0",
			Components: []string{"rustfmt"}, Targets: []string{"wasm32"}, Profile: "minimal"},
		"[toolchain]\npath = \"/opt/rust\"\n": {Path: "/opt/rust"},
	} {
		got, err := ParseToolchain(file("rust-toolchain", text))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Toolchain{}, "Source"), cmpopts.IgnoreTypes(source.Span{})); d != "" {
			t.Errorf("%q: -want +got:\n%s", text, d)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[package\n", "Cargo.toml:2:9: read TOML: expected '.' or ']' to end table name, but got '\\n' instead"},
		{"a = 1\na = 2\n", "Cargo.toml:2:7: read TOML: Key 'a' has already been defined."},
		{"[package]\nname = 3\nautobins = \"no\"\n", "Cargo.toml:2:1: read package.name: it must be a string\nCargo.toml:3:1: read package.autobins: it must be true or false"},
		{"[workspace]\nmembers = [1]\n", "Cargo.toml:2:1: read workspace.members: it must be a list of strings"},
		{"dependencies = 3\n", "Cargo.toml:1:1: read dependencies: it must be a table"},
		{"bin = 3\n", "Cargo.toml:1:1: read bin: it must be a list of tables"},
		{"a = 1 # b\nc = [\n", "Cargo.toml:2:6: read TOML: unexpected EOF; expected value"},
		{strings.Repeat("#", maxSize+1), "Cargo.toml:1:1: read TOML: the file has 4194305 bytes, more than the 4194304 that are read"},
	} {
		_, err := ParseCargo(file("Cargo.toml", c.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%.40q: error %q, want %q", c.text, got, c.want)
		}
	}
}

// TestDeep reads files that would take all of the stack, or seconds and gigabytes: each is an error, and soon one.
func TestDeep(t *testing.T) {
	const deep = ": read TOML: nested more than 16 deep"
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	for name, c := range map[string]struct{ text, want string }{
		"arrays":                            {"x = " + many("[", 2_000_000), "1:21" + deep},
		"arrays that end":                   {"x = " + many("[", 2_000_000) + many("]", 2_000_000), "1:21" + deep},
		"inline tables":                     {"x = " + many("{a=", 100_000), "1:51" + deep},
		"both":                              {"x = " + many("[{a=", 100_000), "1:37" + deep},
		"a header":                          {"[a" + many(".a", 100_000) + "]", "1:34" + deep},
		"a header of many tables":           {"[[a" + many(".a", 100_000) + "]]", "1:35" + deep},
		"a dotted key":                      {"a" + many(".a", 100_000) + " = 1", "1:33" + deep},
		"a dotted key of quoted ones":       {"a" + many(". 'a'.\"a\"", 40_000) + " = 1", "1:71" + deep},
		"a dotted key that does not end":    {"a" + many(".a", 100_000), "1:1: read TOML: this is no table or key"},
		"a dotted key in an inline table":   {"x = {a" + many(".a", 100_000) + " = 1}", "1:36" + deep},
		"a dotted key in an array":          {"x = [1, {a" + many(".a", 100_000) + " = 1}]", "1:40" + deep},
		"a dotted key below a header":       {"[a" + many(".a", 8) + "]\nb" + many(".b", 100_000) + " = 1", "2:15" + deep},
		"behind a byte order mark":          {"\uFEFFx = " + many("[", 200_000), "1:24" + deep},
		"behind one of another encoding":    {"\xff\xfex = " + many("[", 200_000), "1:1: read TOML: this is no table or key"},
		"behind what no library reads":      {"a = 1\nx = @, y = " + many("[", 200_000), "2:1: read TOML: this is no table or key"},
		"behind strings with many brackets": {"a = \"[[\\\"[[\"\nb = \"\"\"[[\n[[\"\"\"\nc = '''\n[[[''''' # [[[\nx = " + many("[", 200_000), "6:21" + deep},
	} {
		t.Run(name, func(t *testing.T) {
			for _, read := range []func(*source.File) error{
				func(f *source.File) error { _, err := ParseCargo(f); return err },
				func(f *source.File) error { _, err := ParseConfig(f); return err },
				func(f *source.File) error { _, err := ParseToolchain(f); return err },
				func(f *source.File) error { _, err := ParseLock(f); return err },
			} {
				start := time.Now()
				if err := read(file("Cargo.toml", c.text)); err == nil || err.Error() != "Cargo.toml:"+c.want {
					t.Errorf("error %.200v, want %q", err, "Cargo.toml:"+c.want)
				}
				if took := time.Since(start); took > time.Minute {
					t.Errorf("it took %v", took)
				}
			}
		})
	}
	// What is not deep is read, whatever strings and comments have.
	text := "[" + many("a.", 14) + "a]\nb = '" + many("[", 1000) + "' # " + many("{", 1000) + "\n[c]\nd = " + many("[", 15) + many("]", 15) + "\n"
	if _, err := ParseCargo(file("Cargo.toml", text)); err != nil {
		t.Error(err)
	}
}

// TestWide reads large files that are within the bounds: none takes more than some seconds, and most far less.
func TestWide(t *testing.T) {
	for name, line := range map[string]func(i int) string{
		"tables":          func(i int) string { return fmt.Sprintf("[t%d%s]\n", i, strings.Repeat(".a", 15)) },
		"tables of one":   func(i int) string { return fmt.Sprintf("[%st%d]\n", strings.Repeat("a.", 15), i) },
		"lists of tables": func(i int) string { return "[[" + strings.Repeat("a.", 15) + "a]]\n" },
		"dotted keys":     func(i int) string { return fmt.Sprintf("%st%d = 1\n", strings.Repeat("a.", 15), i) },
		"arrays": func(i int) string {
			return fmt.Sprintf("t%d = %s%s\n", i, strings.Repeat("[", 15), strings.Repeat("]", 15))
		},
		"inline tables": func(i int) string {
			return fmt.Sprintf("t%d = %s1%s\n", i, strings.Repeat("{a=", 15), strings.Repeat("}", 15))
		},
		"arrays of tables": func(i int) string {
			return fmt.Sprintf("t%d = %s1%s\n", i, strings.Repeat("[{a=", 7), strings.Repeat("}]", 7))
		},
		"open arrays":  func(i int) string { return "a = [1,\n" },
		"open strings": func(i int) string { return "a = '''b'\n" },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := 0; b.Len() < maxSize/16; i++ {
				b.WriteString(line(i))
			}
			start := time.Now()
			_, err := ParseCargo(file("Cargo.toml", b.String()))
			took := time.Since(start)
			t.Logf("%v, %.100v", took, err)
			if took > 2*time.Minute {
				t.Error("that is too long")
			}
		})
	}
}

// FuzzManifest reads any text as each kind of file: it never panics, and says either something or why not.
func FuzzManifest(f *testing.F) {
	f.Add("[package]\nname = \"x\"\n[lib]\npath = \"a.rs\"\n[[bin]]\nname = \"b\"\n")
	f.Add("[env]\nA = { value = \"b\", force = true }\n[patch.x]\ny = 1\n")
	f.Add("[toolchain]\nchannel = \"1\"")
	f.Add("a.\"b\".c = [[{}], 1]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCargo(file("Cargo.toml", text))
		if c == nil && err == nil {
			t.Error("no manifest and no error")
		}
		if c != nil {
			c.Crates([]string{"Cargo.toml", "src/lib.rs", "src/main.rs"})
		}
		if k, err := ParseConfig(file(".cargo/config.toml", text)); k == nil && err == nil {
			t.Error("no configuration and no error")
		}
		if k, err := ParseToolchain(file("rust-toolchain", text)); k == nil && err == nil {
			t.Error("no toolchain and no error")
		}
	})
}

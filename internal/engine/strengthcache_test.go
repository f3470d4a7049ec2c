package engine_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/cache"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// keeping are options of a check that keeps what it measures; the log tells what it did. Where code cannot be isolated nothing is kept, and the
// test is skipped, or fails where it must not be.
func keeping(t *testing.T, o engine.Options) (engine.Options, *bytes.Buffer) {
	t.Helper()
	sandboxtest.Isolated(t)
	log := &bytes.Buffer{}
	o.Only, o.Compiler = []checks.Family{checks.Strength}, compiler(t)
	o.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.HeadCache = filepath.Join(t.TempDir(), "head")
	return o, log
}

// strengthReport is the report of a check as JSON, without its commits, and how many functions were measured and kept.
func strengthReport(t *testing.T, o engine.Options, log *bytes.Buffer) (report string, measured, kept int) {
	t.Helper()
	log.Reset()
	r := check(t, o).Report
	copied := *r
	copied.Base.Rev, copied.Head.Rev, copied.Policy.Source = "base", "head", ""
	var b bytes.Buffer
	if err := annotate.JSON(&b, &copied); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(log.String()) {
		if _, rest, ok := strings.Cut(line, "functions-measured="); ok {
			if _, err := fmt.Sscanf(rest, "%d functions-kept=%d", &measured, &kept); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
	}
	return b.String(), measured, kept
}

// threeCrates are a library, a crate that rests on it, and one that does not.
func threeCrates() map[string]string {
	crate := func(name, dependencies string) string {
		return fmt.Sprintf("[package]\nname = %q\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[package.metadata.verus]\nverify = true\n\n[dependencies]\n%s", name, dependencies)
	}
	in := func(text string) string { return "use vstd::prelude::*;\n\nverus! {\n\n" + text + "\n} // verus!\n" }
	return map[string]string{
		"Cargo.toml":        "[workspace]\nresolver = \"2\"\nmembers = [\"lib\", \"user\", \"alone\"]\n",
		"lib/Cargo.toml":    crate("lib", ""),
		"lib/src/lib.rs":    "pub mod limits;\npub mod grow;\n",
		"lib/src/grow.rs":   in("pub fn grow(x: u8) -> (r: u8)\n    ensures\n        r >= x,\n        crate::limits::small(r as int) || r == x,\n{\n    if x < 50 {\n        x + 1\n    } else {\n        x\n    }\n}\n"),
		"lib/src/limits.rs": in("pub struct Limits { pub low: u8 }\n\npub const HIGH: u8 = 100;\n\npub open spec fn small(x: int) -> bool {\n    x < 100\n}\n\npub fn half(x: u8) -> (r: u8)\n    ensures\n        r <= x,\n{\n    x / 2\n}\n"),
		"user/Cargo.toml":   crate("user", "lib = { path = \"../lib\" }\n"),
		"user/src/lib.rs":   in("use lib::limits::small;\n\npub fn pick(x: u8, y: u8) -> (r: u8)\n    ensures\n        r <= x || r <= y,\n        small(x as int) ==> r <= 200,\n{\n    if x <= y {\n        x\n    } else {\n        y\n    }\n}\n"),
		"alone/Cargo.toml":  crate("alone", ""),
		"alone/src/lib.rs":  in("pub fn least(a: u8, b: u8) -> (r: u8)\n    ensures\n        r <= a,\n        r <= b,\n{\n    if a <= b {\n        a\n    } else {\n        b\n    }\n}\n"),
	}
}

// changed are the three crates with a statement more in each function that is measured.
func changed(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		for _, at := range []string{"    if x < 50 {", "    if x <= y {", "    if a <= b {"} {
			text = strings.ReplaceAll(text, at, "    let unused: u8 = 0;\n"+at)
		}
		out[name] = text
	}
	return out
}

// threeRepo has the crates in its first commit, and the change in its second.
func threeRepo(t *testing.T, edit func(base, head map[string]string)) *repo {
	t.Helper()
	base := threeCrates()
	head := changed(base)
	if edit != nil {
		edit(base, head)
	}
	r := newRepo(t)
	for i, files := range []map[string]string{base, head} {
		for name, text := range files {
			r.write(name, text)
		}
		r.commit([]string{"base", "head"}[i])
	}
	// What was accepted is base.
	r.git("checkout", "-q", "-b", "change")
	r.git("branch", "-f", "main", "HEAD~1")
	return r
}

// TestStrengthKeys: what a function's strength depends on is in its key, on either side, and what it does not depend on is not.
func TestStrengthKeys(t *testing.T) {
	replace := func(name, old, new string) func(files map[string]string) {
		return func(files map[string]string) {
			if !strings.Contains(files[name], old) {
				t.Errorf("%s has no %q", name, old)
			}
			files[name] = strings.Replace(files[name], old, new, 1)
		}
	}
	o, _ := keeping(t, engine.Options{})
	keys := func(r *repo, with func(*engine.Options)) map[string]string {
		t.Helper()
		p := r.options()
		p.Only, p.Compiler, p.HeadCache = o.Only, o.Compiler, o.HeadCache
		if with != nil {
			with(&p)
		}
		out, err := engine.StrengthKeys(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := keys(threeRepo(t, nil), nil)
	if len(first) != 3 || slices.Contains([]string{first["grow::grow"], first["pick"], first["least"]}, "") {
		t.Fatalf("keys %v", first)
	}
	all := []string{"grow::grow", "least", "pick"}
	for _, c := range []struct {
		name string
		edit func(files map[string]string)
		with func(*engine.Options)
		// other are the functions whose keys are others then.
		other []string
	}{
		{name: "nothing"},
		{name: "a spec function that contracts rest on", edit: replace("lib/src/limits.rs", "x < 100", "x < 99"), other: []string{"grow::grow", "pick"}},
		{name: "a type", edit: replace("lib/src/limits.rs", "low: u8", "low: u16"), other: []string{"grow::grow", "pick"}},
		{name: "a constant", edit: replace("lib/src/limits.rs", "= 100;", "= 101;"), other: []string{"grow::grow", "pick"}},
		{name: "an attribute", edit: replace("lib/src/limits.rs", "pub open spec fn", "#[verifier::opaque]\npub open spec fn"), other: []string{"grow::grow", "pick"}},
		{name: "a comment", edit: replace("lib/src/limits.rs", "pub const", "// High.\npub const"), other: []string{"grow::grow", "pick"}},
		{name: "a function of the same crate", edit: replace("lib/src/limits.rs", "x / 2", "x / 3"), other: []string{"grow::grow", "pick"}},
		{name: "a file more", edit: func(files map[string]string) { files["lib/src/more.rs"] = "" }, other: []string{"grow::grow", "pick"}},
		{name: "the edition", edit: replace("alone/Cargo.toml", "2021", "2018"), other: []string{"least"}},
		{name: "a feature", edit: replace("user/Cargo.toml", "[dependencies]", "[features]\ndefault = [\"fast\"]\nfast = []\n\n[dependencies]"), other: []string{"pick"}},
		{name: "the dependency", edit: replace("user/Cargo.toml", "lib = { path = \"../lib\" }", ""), other: []string{"pick"}},
		{name: "the workspace", edit: replace("Cargo.toml", "resolver = \"2\"", "resolver = \"1\""), other: all},
		{name: "the lock file", edit: func(files map[string]string) { files["Cargo.lock"] = "version = 3\n" }, other: all},
		{name: "a text of a package", edit: func(files map[string]string) { files["lib/README.md"] = "x" }, other: []string{"grow::grow", "pick"}},
		{name: "a text elsewhere", edit: func(files map[string]string) { files["README.md"] = "y" }},
		{name: "the body", edit: replace("alone/src/lib.rs", "a <= b {", "a < b {"), other: []string{"least"}},
		{name: "the contract", edit: replace("alone/src/lib.rs", "        r <= b,\n", ""), other: []string{"least"}},
		{name: "the seed", with: func(o *engine.Options) { seed := uint64(7); o.Seed = &seed }, other: all},
		{name: "the version", with: func(o *engine.Options) { o.Version = "other" }, other: all},
		{name: "inputs", edit: func(files map[string]string) { files[".specgate.toml"] = "version = 1\n[strength]\ninputs = 9\n" }, other: all},
		{name: "mutants", edit: func(files map[string]string) { files[".specgate.toml"] = "version = 1\n[strength]\nmutants = 9\n" }, other: all},
		{name: "the domain", edit: func(files map[string]string) {
			files[".specgate.toml"] = "version = 1\n[strength]\ncount-domain = true\n"
		}, other: all},
		{name: "what is wanted of strength", edit: func(files map[string]string) { files[".specgate.toml"] = "version = 1\n[strength]\nmin = 0.1\n" }},
		{name: "isolation", edit: func(files map[string]string) {
			files[".specgate.toml"] = "version = 1\n[gate]\nsandbox = \"require\"\n"
		}, other: all},
	} {
		t.Run(c.name, func(t *testing.T) {
			// An edit of one side alone may change what is measured, so it is made to both, and then to each.
			sides := map[string]func(base, head map[string]string){"both": func(base, head map[string]string) { c.edit(base); c.edit(head) }}
			if c.edit == nil {
				sides = map[string]func(base, head map[string]string){"both": nil}
			}
			for name, edit := range sides {
				got := keys(threeRepo(t, edit), c.with)
				var other []string
				for _, symbol := range all {
					if got[symbol] == "" {
						t.Errorf("%s: nothing is kept of %s", name, symbol)
					}
					if got[symbol] != first[symbol] {
						other = append(other, symbol)
					}
				}
				if diff := cmp.Diff(c.other, other); diff != "" {
					t.Errorf("%s: functions with another key (-want +got):\n%s", name, diff)
				}
			}
		})
	}
	t.Run("one side", func(t *testing.T) {
		for name, edit := range map[string]func(base, head map[string]string){
			"base": func(base, _ map[string]string) { replace("lib/src/limits.rs", "x < 100", "x < 99")(base) },
			"head": func(_, head map[string]string) { replace("lib/src/limits.rs", "x < 100", "x < 99")(head) },
		} {
			got := keys(threeRepo(t, edit), nil)
			if got["grow::grow"] == first["grow::grow"] || got["pick"] == first["pick"] || got["least"] != first["least"] {
				t.Errorf("%s: %v, before %v", name, got, first)
			}
		}
	})
	t.Run("nothing is kept", func(t *testing.T) {
		for name, edit := range map[string]func(files map[string]string){
			"include": replace("alone/src/lib.rs", "verus! {", "include!(\"../../more.rs\");\nverus! {"),
			"renamed": replace("alone/src/lib.rs", "verus! {", "use std::include_str as text;\nverus! {"),
			"path":    replace("alone/src/lib.rs", "verus! {", "#[path = \"../../more.rs\"] mod more;\nverus! {"),
			"comment": replace("alone/src/lib.rs", "verus! {", "#[path /* */ = \"../../more.rs\"] mod more;\nverus! {"),
			"macro":   replace("alone/src/lib.rs", "verus! {", "macro_rules! m { ($k:ident) => { #[$k = \"../../more.rs\"] mod more; } }\nm!(path);\nverus! {"),
			"cfg":     replace("alone/src/lib.rs", "verus! {", "#[cfg_attr(all(), path= \"../../more.rs\")] mod more;\nverus! {"),
			"cases": func(files map[string]string) {
				files[".specgate.toml"] = "version = 1\n[strength]\ncases = [\"cases/*.json\"]\n"
				files["cases/least.json"] = `{"function": "least", "cases": []}`
			},
		} {
			got := keys(threeRepo(t, func(base, head map[string]string) {
				for _, files := range []map[string]string{base, head} {
					files["more.rs"] = "\n"
					edit(files)
				}
			}), nil)
			if key, ok := got["least"]; key != "" || !ok || got["pick"] == "" {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// TestStrengthKept: a report made of what is kept is the same, byte for byte; after a change only what it touches is measured; and what is wrong
// in the directory does no harm.
func TestStrengthKept(t *testing.T) {
	r := threeRepo(t, func(base, head map[string]string) {
		for _, files := range []map[string]string{base, head} {
			delete(files, "user/Cargo.toml")
			delete(files, "user/src/lib.rs")
			files["Cargo.toml"] = strings.Replace(files["Cargo.toml"], "\"user\", ", "", 1)
			// Two that are measured together.
			files["lib/src/lib.rs"] += "pub mod least;\n"
			files["lib/src/least.rs"] = files["alone/src/lib.rs"]
		}
	})
	o, log := keeping(t, r.options())
	first, measured, kept := strengthReport(t, o, log)
	if measured != 3 || kept != 0 {
		t.Fatalf("cold: %d measured, %d kept", measured, kept)
	}
	again := func(name, want string, wantMeasured, wantKept int) {
		t.Helper()
		got, measured, kept := strengthReport(t, o, log)
		if measured != wantMeasured || kept != wantKept {
			t.Errorf("%s: %d measured, %d kept; want %d, %d\n%s", name, measured, kept, wantMeasured, wantKept, log)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	again("warm", first, 0, 3)

	entries, err := filepath.Glob(filepath.Join(o.HeadCache, "*.entry"))
	// Three functions under two keys each, and both sides of two crates, which compile.
	if err != nil || len(entries) != 3*2+2*2 {
		t.Fatal(entries, err)
	}
	slices.Sort(entries)
	for i := range entries {
		damage := []func(text []byte) []byte{
			func(text []byte) []byte { return text[:len(text)/2] },
			func(text []byte) []byte { text[len(text)/2] ^= 1; return text },
			func([]byte) []byte { return nil },
		}[i%3]
		text, err := os.ReadFile(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(entries[i], damage(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again("damaged", first, 3, 0)

	// An entry whose sum is right, and which is none.
	store, err := cache.Open(o.HeadCache, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		text := []string{`{"Format":"specgate strength entry 2","Strength":{}}`, `[`, `{"Format":"specgate strength entry 1"}`}[i%3]
		name := strings.TrimSuffix(filepath.Base(entries[i]), ".entry")
		raw, err := hex.DecodeString(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Put(t.Context(), cache.Key(raw), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again("no entries", first, 3, 0)

	// Another push: one function is changed again, and another directory is another pull request.
	text := strings.Replace(changed(threeCrates())["alone/src/lib.rs"], "unused: u8 = 0", "unused: u8 = 1", 1)
	r.write("alone/src/lib.rs", text)
	r.commit("again")
	o.Base = "HEAD~2"
	mine := o.HeadCache
	o.HeadCache = ""
	want, measured, kept := strengthReport(t, o, log)
	if measured != 3 || kept != 0 {
		t.Fatalf("without: %d measured, %d kept", measured, kept)
	}
	o.HeadCache = mine
	again("another push", want, 1, 2)
	o.HeadCache = filepath.Join(t.TempDir(), "other")
	o.Cache = filepath.Join(t.TempDir(), "main")
	again("another pull request", want, 3, 0)
	if entries, err := filepath.Glob(filepath.Join(o.Cache, "*.entry")); err != nil || len(entries) != 0 {
		t.Errorf("what nobody accepted is kept for all: %v, %v", entries, err)
	}
}

// TestQuestionsKept: a head whose verification is kept has its questions answered from what is kept too, in the pull request's own directory alone.
func TestQuestionsKept(t *testing.T) {
	for _, name := range []string{"contradictory", "contradictory-before", "equal-bits", "weaker-method"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata/questions", name)
			r := newRepo(t)
			base, head := texts(t, dir)
			for _, text := range []string{base, head} {
				r.write("src/lib.rs", text)
				r.commit("change")
			}
			r.git("checkout", "-q", "-b", "change")
			r.git("branch", "-f", "main", "HEAD~1")
			replay := verustest.NewReplay(t)
			replay.AddKeyed(dir)
			run := &counted{Runner: replay}
			o, _ := keeping(t, r.options())
			o = withVerifier(o, installed(t, run))
			o.Only, o.Compiler = []checks.Family{checks.Proof, checks.Contract}, nil
			o.Cache = filepath.Join(t.TempDir(), "main")
			first := reportOf(t, check(t, o).Report)
			if run.n < 2 {
				t.Fatalf("the verifier was run %d times", run.n)
			}
			run.n = 0
			if got := reportOf(t, check(t, o).Report); got != first || run.n != 0 {
				t.Errorf("the second time the verifier was run %d times (-first +second):\n%s", run.n, cmp.Diff(first, got))
			}
			o.HeadCache = ""
			if got := reportOf(t, check(t, o).Report); got != first || run.n == 0 {
				t.Errorf("without its own directory the verifier was run %d times (-first +then):\n%s", run.n, cmp.Diff(first, got))
			}
		})
	}
}

// counted counts the calls of programs.
type counted struct {
	verus.Runner
	n int
}

func (c *counted) Run(ctx context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	c.n++
	return c.Runner.Run(ctx, cmd)
}

// TestStrengthKeptCorpus checks the sample changes, each a module of one crate, without anything kept, then keeping, then from what is kept.
func TestStrengthKeptCorpus(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/corpus/*/base.rs")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no sample changes: ", err)
	}
	r := newRepo(t)
	r.write("Cargo.toml", "[package]\nname = \"corpus\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
	lib := ""
	for _, side := range []string{"base", "head"} {
		for _, base := range dirs {
			dir := filepath.Dir(base)
			text, err := os.ReadFile(filepath.Join(dir, side+".rs"))
			if err != nil {
				t.Fatal(err)
			}
			module := strings.ReplaceAll(filepath.Base(dir), "-", "_")
			r.write("src/"+module+".rs", string(text))
			if side == "base" {
				lib += "pub mod " + module + ";\n"
			}
		}
		r.write("src/lib.rs", lib)
		r.commit(side)
	}
	r.git("checkout", "-q", "-b", "change")
	r.git("branch", "-f", "main", "HEAD~1")
	o, log := keeping(t, r.options())
	mine := o.HeadCache
	o.HeadCache = ""
	want, measured, _ := strengthReport(t, o, log)
	o.HeadCache = mine
	for _, c := range []struct {
		name string
		kept bool
	}{{"cold", false}, {"warm", true}} {
		got, again, kept := strengthReport(t, o, log)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-without +with):\n%s", c.name, diff)
		}
		if !c.kept && (again != measured || kept != 0) || c.kept && (again+kept != measured || kept < measured/2) {
			t.Errorf("%s: %d measured, %d kept, and without %d measured\n%s", c.name, again, kept, measured, log)
		}
	}
}

package syntax

import (
	gocontext "context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/specgate/specgate/internal/source"
)

// parseText parses text as a file.
func parseText(text string) *File { return Parse(source.NewFile("test.rs", []byte(text))) }

// checkErasure checks what must hold for any text: nothing panics, erasing erases all, and what the projection and the erasure
// say about executable code agrees.
func checkErasure(f *File) string {
	root := f.Root()
	for _, opts := range []EraseOptions{{}, {Prelude: "crate::erased"}} {
		erased := Erase(f, opts)
		g := Parse(source.NewFile("erased.rs", erased))
		if len(f.Errors) > 0 {
			continue // what could not be read is copied as it is
		}
		if len(g.Errors) > 0 {
			return "erased text has errors: " + g.Errors[0].Message + "\n" + string(erased)
		}
		if again := Erase(g, opts); string(again) != string(erased) {
			return "erasing again changes the text:\n" + cmp.Diff(string(erased), string(again))
		}
		if a, b := strings.Count(string(f.Source.Text), "\n"), strings.Count(string(erased), "\n"); a != b {
			return "the number of lines changed"
		}
		if a, b := execText(root, true), execText(g.Root(), true); a != b && opts.Prelude == "" {
			return "executable code before and after erasing:\n" + cmp.Diff(lines(a), lines(b))
		}
	}
	if len(f.Errors) == 0 {
		if c := Canon(root); c != Canon(root) {
			return "Canon is not a function of its input"
		}
	}
	Exec(root)
	return ""
}

// lines breaks canonical text up for a readable diff.
func lines(s string) []string {
	return strings.Split(strings.NewReplacer("; ", ";\n", "{ ", "{\n", "} ", "}\n").Replace(s), "\n")
}

func TestErasureProperties(t *testing.T) {
	dirs := []string{"../../testdata", "testdata"}
	if dir := os.Getenv("SPECGATE_CORPUS"); dir != "" {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		files := rustFiles(t, dir)
		if len(files) == 0 {
			t.Fatalf("no Rust files in %s", dir)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if msg := checkErasure(Parse(source.NewFile(path, text))); msg != "" {
				t.Errorf("%s: %s", path, msg)
			}
		}
	}
}

// sample is a file that is compiled twice: through Verus's macros and erased.
type sample struct {
	name string // of its Rust modules
	file *File
	// driver is appended to both texts: `pub fn run(out: &mut Vec<String>)`, unless the text has it.
	driver string
}

// samples are the files of testdata/erase/samples and of testdata/corpus.
func samples(t *testing.T) []sample {
	t.Helper()
	drivers := map[string]string{} // by the function that they call
	for _, path := range rustFiles(t, filepath.Join(eraseDir, "drivers")) {
		drivers[strings.TrimSuffix(filepath.Base(path), ".rs")] = readFile(t, path)
	}
	var all []sample
	for _, path := range append(rustFiles(t, filepath.Join(eraseDir, "samples")), rustFiles(t, "../../testdata/corpus")...) {
		text := readFile(t, path)
		s := sample{name: strings.TrimSuffix(filepath.Base(path), ".rs"), file: Parse(source.NewFile(path, []byte(text)))}
		if dir := filepath.Base(filepath.Dir(path)); dir != "samples" {
			s.name = strings.ReplaceAll(dir, "-", "_") + "_" + s.name
		}
		if !strings.Contains(text, "pub fn run(") {
			s.driver = "\npub fn run(_: &mut Vec<String>) {}\n"
			for name, d := range drivers {
				// Without a decreases clause it may never return.
				if strings.Contains(text, "pub fn "+name+"(") && !strings.Contains(text, "exec_allows_no_decreases_clause") {
					s.driver = "\n" + d
				}
			}
		}
		all = append(all, s)
	}
	if len(all) < 60 {
		t.Fatalf("only %d samples", len(all))
	}
	return all
}

const eraseDir = "../../testdata/erase"

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// needsVstd tells samples whose executable code calls vstd.
var needsVstd = map[string]bool{"atomics": true, "invariants": true, "mutable_refs": true, "reverse_in_place_base": true, "reverse_in_place_head": true}

// TestErasedTextRuns compiles every sample with the published macros and erased, with and without vstd, and compares what the
// programs print.
func TestErasedTextRuns(t *testing.T) {
	if _, err := exec.LookPath("cargo"); err != nil {
		if os.Getenv("REQUIRE_ORACLE") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"Cargo.toml", "Cargo.lock", "with/Cargo.toml", "without/Cargo.toml"} {
		writeFile(t, filepath.Join(dir, name), readFile(t, filepath.Join(eraseDir, name)))
	}
	with, without := newProgram(filepath.Join(dir, "with/src")), newProgram(filepath.Join(dir, "without/src"))
	without.text.WriteString("mod erased;\n")
	writeFile(t, filepath.Join(dir, "without/src/erased.rs"), ErasedPrelude)
	all := samples(t)
	for _, s := range all {
		with.add(t, "original_"+s.name, string(s.file.Source.Text)+s.driver)
		with.add(t, "erased_"+s.name, string(Erase(s.file, EraseOptions{}))+s.driver)
		if !needsVstd[s.name] {
			without.add(t, "erased_"+s.name, string(Erase(s.file, EraseOptions{Prelude: "crate::erased"}))+s.driver)
		}
	}
	with.write(t)
	without.write(t)
	target := os.Getenv("SPECGATE_ORACLE_TARGET")
	if target == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		target = filepath.Join(cache, "specgate-tests")
	}
	target = filepath.Join(target, "erase")
	cargo := exec.Command("cargo", "build", "--locked", "--quiet", "--jobs", "2")
	cargo.Dir = dir
	cargo.Env = append(os.Environ(), "CARGO_TARGET_DIR="+target, "RUSTFLAGS=-Awarnings")
	if out, err := cargo.CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, out)
	}
	original, erased := map[string]string{}, map[string]string{}
	printed := runProgram(t, filepath.Join(target, "debug/with"))
	for name, out := range printed {
		if rest, ok := strings.CutPrefix(name, "original_"); ok {
			original[rest] = out
		} else {
			erased[strings.TrimPrefix(name, "erased_")] = out
		}
	}
	if len(original) != len(all) {
		t.Errorf("%d samples ran, want %d", len(original), len(all))
	}
	if diff := cmp.Diff(original, erased); diff != "" {
		t.Errorf("what the samples print, through Verus's macros (-) and erased (+):\n%s", diff)
	}
	for name, out := range runProgram(t, filepath.Join(target, "debug/without")) {
		name = strings.TrimPrefix(name, "erased_")
		if diff := cmp.Diff(original[name], out); diff != "" {
			t.Errorf("what %s prints, through Verus's macros (-) and erased without vstd (+):\n%s", name, diff)
		}
	}
}

// program is a Rust program made of modules that it runs one after the other.
type program struct {
	dir        string
	text, main strings.Builder
}

func newProgram(dir string) *program { return &program{dir: dir} }

func (p *program) add(t *testing.T, module, text string) {
	writeFile(t, filepath.Join(p.dir, module+".rs"), text)
	fmt.Fprintf(&p.text, "mod %s;\n", module)
	fmt.Fprintf(&p.main, "    let mut out = Vec::new();\n    %s::run(&mut out);\n    println!(\"== %[1]s\\n{}\", out.join(\"\\n\"));\n", module)
}

func (p *program) write(t *testing.T) {
	writeFile(t, filepath.Join(p.dir, "main.rs"), p.text.String()+
		"pub struct Plain;\npub fn helper(x: u32) -> u32 { x }\n\nfn main() {\n"+p.main.String()+"}\n")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runProgram returns what each module printed.
func runProgram(t *testing.T, path string) map[string]string {
	t.Helper()
	ctx, cancel := gocontext.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	printed := map[string]string{}
	for _, part := range strings.Split(string(out), "== ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		printed[name] = text
	}
	return printed
}

package mutate_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/mutate"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// vecSet stands for what vstd adds to Vec, which the samples use.
const vecSet = `
pub trait VecSet<T> { fn set(&mut self, i: usize, x: T); fn set_and_swap(&mut self, i: usize, x: &mut T); }
impl<T> VecSet<T> for Vec<T> {
    fn set(&mut self, i: usize, x: T) { self[i] = x; }
    fn set_and_swap(&mut self, i: usize, x: &mut T) { core::mem::swap(&mut self[i], x); }
}
pub trait SliceSet<T> { fn set(&mut self, i: usize, x: T); }
impl<T, const N: usize> SliceSet<T> for [T; N] { fn set(&mut self, i: usize, x: T) { self[i] = x; } }
`

// moreVstd are samples whose executable code needs more of vstd than this.
var moreVstd = map[string]bool{"atomics.rs": true, "invariants.rs": true}

// emitted is a mutant in the text that is compiled, on the lines from first to last.
type emitted struct {
	f           *model.Function
	m           mutate.Mutant
	text        string
	first, last int
	failure     string
}

// compile compiles a sample with all its mutants in one program, drops those that rustc complains about, and does so again until it
// does not. It is not ok if the sample itself does not compile.
func compile(t testing.TB, path string) (all []*emitted, ok bool) {
	t.Helper()
	text := readFile(t, path)
	opts := syntax.EraseOptions{Prelude: "crate::erased"}
	at := map[*emitted]int{} // where in the original text
	for _, f := range functions(t, text) {
		r := mutate.Mutants(f, mutate.Options{Max: -1})
		end := len(text)
		f.File.Syntax.Root().Walk(func(n syntax.Node) bool {
			if s := n.Span(); n.Kind() == syntax.Mod && n.HasBody() && s.Start < f.Span.Start && s.End > f.Span.End {
				end = s.End - 1
			}
			return true
		})
		for _, m := range append([]mutate.Mutant{{}}, r.Mutants...) {
			if r.Reason != "" {
				break
			}
			name := fmt.Sprintf("%s__m%d", f.Name, len(all))
			out, err := r.Emit(m, name, opts)
			if err != nil {
				t.Fatal(err)
			}
			e := &emitted{f: f, m: m, text: "\n" + string(out)}
			all = append(all, e)
			at[e] = end
		}
	}
	erased := func(rest []*emitted) []byte {
		// Line breaks survive erasing, so the lines of the mutants are known beforehand.
		in := slices.Clone(rest)
		slices.SortStableFunc(in, func(a, b *emitted) int { return at[a] - at[b] })
		var b strings.Builder
		done, line := 0, 1
		for _, e := range in {
			b.WriteString(text[done:at[e]])
			line += strings.Count(text[done:at[e]], "\n")
			done = at[e]
			e.first = line + 1
			b.WriteString(e.text)
			line += strings.Count(e.text, "\n")
			e.last = line
		}
		b.WriteString(text[done:])
		return syntax.Erase(syntax.Parse(source.NewFile(path, []byte(b.String()))), opts)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("main.rs", []byte("pub mod erased;\npub mod sample;\npub struct Plain;\npub fn helper(x: u32) -> u32 { x }\n"))
	write("erased.rs", []byte(syntax.ErasedPrelude+vecSet))
	run := func(rest []*emitted) (string, bool) {
		write("sample.rs", erased(rest))
		cmd := exec.Command("rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "--error-format=json", "--cap-lints=allow", "main.rs")
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return stderr.String(), err == nil
	}
	rest := all
	for {
		messages, ok := run(rest)
		if ok {
			return all, true
		}
		before := len(rest)
		for _, line := range strings.Split(messages, "\n") {
			blame(t, line, rest)
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(e *emitted) bool { return e.failure != "" })
		if len(rest) == before {
			t.Logf("%s does not compile:\n%s", path, messages)
			return nil, false
		}
	}
}

// message is one of rustc's.
type message struct {
	Level, Message string
	Code           struct{ Code string }
	Spans          []place
}

type place struct {
	FileName  string `json:"file_name"`
	LineStart int    `json:"line_start"`
	IsPrimary bool   `json:"is_primary"`
	Expansion *struct{ Span place }
}

// blame notes at the mutants what one of rustc's messages says about them.
func blame(t testing.TB, line string, rest []*emitted) {
	if line == "" {
		return
	}
	var d message
	if err := json.Unmarshal([]byte(line), &d); err != nil {
		t.Fatalf("reading rustc's messages: %v\n%s", err, line)
	}
	for _, s := range d.Spans {
		if d.Level != "error" || !s.IsPrimary {
			continue
		}
		for s.FileName != "sample.rs" && s.Expansion != nil {
			s = s.Expansion.Span // where the macro is called
		}
		for _, e := range rest {
			if s.FileName == "sample.rs" && e.first <= s.LineStart && s.LineStart <= e.last && e.failure == "" {
				e.failure = cmp.Or(d.Code.Code, d.Message) // the words of a message are another matter in each version
			}
		}
	}
}

// TestMutantsCompile compiles all mutants of the samples. Which do not, and why, is a golden file.
func TestMutantsCompile(t *testing.T) {
	sandboxtest.Oracle.Program(t, "rustc")
	var failures strings.Builder
	total, failed := map[mutate.Operator]int{}, map[mutate.Operator]int{}
	all, bad := 0, 0
	for _, path := range samples(t) {
		if moreVstd[filepath.Base(path)] {
			continue
		}
		mutants, ok := compile(t, path)
		if !ok {
			t.Errorf("%s does not compile", path)
		}
		for _, e := range mutants {
			if e.m.Operator == 0 {
				if e.failure != "" {
					t.Errorf("%s: a copy of %s does not compile: %s\n%s", path, e.f.Symbol, e.failure, e.text)
				}
				continue
			}
			all++
			total[e.m.Operator]++
			if e.failure != "" {
				bad++
				failed[e.m.Operator]++
				fmt.Fprintf(&failures, "%s:%d %s %s: %s\n%s\n", filepath.ToSlash(path), e.m.Line, e.f.Symbol, e.m.ID, e.failure, e.m.Diff(e.f))
			}
		}
	}
	fmt.Fprintf(&failures, "%d of %d mutants do not compile.\n", bad, all)
	for _, op := range mutate.Operators() {
		fmt.Fprintf(&failures, "%-10s %4d of %4d\n", op, failed[op], total[op])
	}
	golden(t, "testdata/not-compiled.golden", failures.String())
	if bad*100 > all*15 {
		t.Errorf("%d of %d mutants do not compile", bad, all)
	}
}

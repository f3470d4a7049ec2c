package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sample is one of the functions of internal/eval/testdata/functions, without what stands around it in its file: twice with the same executable
// code, once with a contract that says all and once with one that says less.
type sample struct {
	strong, weak string
	// names are those of its items, which get the number of the place behind them.
	names []*regexp.Regexp
	// at is where the body of the function that is measured begins in strong.
	at int
}

var (
	around  = regexp.MustCompile(`(?s)^.*?\nverus! \{\n\n(.*)\n\} // verus!\n$`)
	itemOf  = regexp.MustCompile(`(?m)^pub (?:open |closed )?(?:spec |proof )?(?:fn|struct|enum|trait|const) (\w+)|^(?:proof fn|spec fn|struct|fn) (\w+)`)
	bodyOf  = regexp.MustCompile(`(?m)^(?: {4})?\{\n|\) -> \(\w+: \w+\) \{\n`)
	runsOf  = regexp.MustCompile(`(?m)^(?: {4})?(?:pub )?fn \w+`)
	modules = 40 // of a crate, where there are several
	inEach  = 5  // samples of a module
)

// samples are those that can stand beside each other in one module, in the order of their names.
func samples(b testing.TB) []sample {
	b.Helper()
	dirs, err := filepath.Glob(functions + "/*")
	if err != nil || len(dirs) == 0 {
		b.Fatal("no samples", err)
	}
	slices.Sort(dirs)
	var out []sample
	for _, dir := range dirs {
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				b.Fatal(err)
			}
			m := around.FindSubmatch(text)
			if m == nil {
				b.Fatalf("%s/%s is not written like the others", dir, name)
			}
			return string(m[1])
		}
		s := sample{strong: read("strong.rs"), weak: read("weak.rs")}
		seen := map[string]bool{}
		for _, m := range itemOf.FindAllStringSubmatch(s.strong+s.weak, -1) {
			if name := m[1] + m[2]; !seen[name] {
				seen[name] = true
				s.names = append(s.names, regexp.MustCompile(`\b`+name+`\b`))
			}
		}
		// The function that is measured is the last that runs.
		all := runsOf.FindAllStringIndex(s.strong, -1)
		if len(all) == 0 || len(s.names) == 0 {
			b.Fatalf("%s has no function", dir)
		}
		last := all[len(all)-1]
		body := bodyOf.FindStringIndex(s.strong[last[0]:])
		if body == nil {
			b.Fatalf("%s: no body", dir)
		}
		s.at = last[0] + body[1]
		out = append(out, s)
	}
	return out
}

// edition says what a pull request did to a function.
type edition int

const (
	untouched    edition = iota
	codeChanged          // a statement more
	codeChanged2         // another statement
	weakened             // a contract that says less
)

// at is a sample at its place, in one of its editions.
func (s sample) text(place int, e edition) string {
	text := s.strong
	switch e {
	case codeChanged, codeChanged2:
		text = s.strong[:s.at] + fmt.Sprintf("        let step: u8 = %d;\n        assert(step > 0);\n", e) + s.strong[s.at:]
	case weakened:
		text = s.weak
	}
	for _, name := range s.names {
		text = name.ReplaceAllString(text, fmt.Sprintf("${0}_%d", place))
	}
	return text
}

// synthetic is a workspace of at least so many lines: crates of so many modules with 5 of the samples each, with their types, specifications and
// proofs. edit says what happened to the sample at a place.
func synthetic(all []sample, lines, modules int, edit func(place int) edition) (files map[string]string, places int) {
	files = map[string]string{}
	n, place := 0, 0
	var members []string
	for crate := 0; n < lines; crate++ {
		dir := fmt.Sprintf("crates/part%03d", crate)
		members = append(members, fmt.Sprintf("    %q,\n", dir))
		files[dir+"/Cargo.toml"] = fmt.Sprintf("[package]\nname = \"part%03d\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[package.metadata.verus]\nverify = true\n\n[dependencies]\nvstd = { workspace = true }\n", crate)
		lib := "//! A part of the workspace.\n\nuse vstd::prelude::*;\n\n"
		for module := 0; module < modules && n < lines; module++ {
			lib += fmt.Sprintf("pub mod m%02d;\n", module)
			var text bytes.Buffer
			text.WriteString("use vstd::prelude::*;\n\nverus! {\n\n")
			for range inEach {
				text.WriteString(all[place%len(all)].text(place, edit(place)))
				text.WriteString("\n")
				place++
			}
			text.WriteString("} // verus!\n")
			n += strings.Count(text.String(), "\n")
			files[fmt.Sprintf("%s/src/m%02d.rs", dir, module)] = text.String()
		}
		files[dir+"/src/lib.rs"] = lib
	}
	files["Cargo.toml"] = "[workspace]\nresolver = \"2\"\nmembers = [\n" + strings.Join(members, "") + "]\n\n[workspace.dependencies]\nvstd = \"=0.0.0-2025-06-21-1012\"\n"
	return files, place
}

// spread are so many of the places, evenly, and no two of them at the same sample one after another.
func spread(places, count int) []int {
	var out []int
	for i := range count {
		out = append(out, i*places/count)
	}
	return out
}

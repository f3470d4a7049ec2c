package obligation_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/syntax/syntaxtest"
)

// TestOracle has every shadow of every sample change read by verus_syn, the parser of Verus's own macros. A shadow may be refused
// only where the file itself is.
func TestOracle(t *testing.T) {
	oracle := syntaxtest.Oracle(t)
	out := t.TempDir()
	var files []string
	put := func(text []byte) string {
		path := filepath.Join(out, fmt.Sprintf("s%05d.rs", len(files)))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
		return path
	}
	type check struct{ file, shadow, dir string }
	var checks []check
	for _, glob := range []string{"../../testdata/corpus/*/want.txt", "../../testdata/changes/*/want.txt"} {
		dirs, err := filepath.Glob(glob)
		if err != nil || len(dirs) == 0 {
			t.Fatal("no sample changes: ", err)
		}
		for _, want := range dirs {
			dir := filepath.Dir(want)
			base, head := side(t, dir, "base"), side(t, dir, "head")
			plan := all(pairsOf(t, base, head))
			plan.Second(nil)
			for _, s := range plan.Shadows {
				checks = append(checks, check{put(head[s.File]), put(s.Text), dir})
			}
		}
	}
	cmd := exec.Command(oracle)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("running the oracle: %v\n%s", err, stderr.Bytes())
	}
	type refusal struct {
		Line, Column int
		Message      string
	}
	verdicts := map[string]*refusal{}
	read := 0
	dec := json.NewDecoder(bufio.NewReader(bytes.NewReader(stdout)))
	for dec.More() {
		var d struct {
			Path   string
			OK     bool
			Error  refusal
			Macros []struct {
				OK    bool
				Error refusal
			}
		}
		if err := dec.Decode(&d); err != nil {
			t.Fatal(err)
		}
		read++
		if !d.OK {
			verdicts[d.Path] = &d.Error
		}
		for _, m := range d.Macros {
			if !m.OK {
				verdicts[d.Path] = &m.Error
			}
		}
	}
	if read != len(files) {
		t.Fatalf("the oracle read %d files of %d", read, len(files))
	}
	for _, c := range checks {
		if r := verdicts[c.shadow]; r != nil && verdicts[c.file] == nil {
			text, _ := os.ReadFile(c.shadow)
			lines := strings.Split(string(text), "\n")
			t.Errorf("%s: %d:%d: %s: %s", c.dir, r.Line, r.Column, r.Message, lines[min(max(r.Line-1, 0), len(lines)-1)])
		}
	}
	t.Logf("%d shadows", len(checks))
}

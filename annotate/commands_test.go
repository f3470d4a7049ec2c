package annotate_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// runnerCommand reads a line as the runner does (ActionCommand.TryParseV2): a name, properties, and what stands behind the second colons.
// The name is empty if it is no command.
func runnerCommand(line string) (name string, properties map[string]string, data string) {
	line, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\r\n\v\f\u0085\u00a0"), "::")
	if !ok {
		return "", nil, ""
	}
	head, data, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "::")
	if !ok {
		return "", nil, ""
	}
	name, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for _, p := range strings.Split(strings.TrimSpace(list), ",") {
		if key, value, ok := strings.Cut(p, "="); ok {
			properties[key] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
		}
	}
	return name, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
}

// checkCommands reads the output as the runner does: no line is a command but those that were meant.
func checkCommands(t testing.TB, r *checks.Report, o annotate.Options) {
	t.Helper()
	var b bytes.Buffer
	if err := annotate.Commands(&b, r, annotate.CommandOptions{Options: o, Token: token}); err != nil {
		t.Fatal(err)
	}
	symbols := map[string]bool{}
	paths := map[string]bool{}
	for _, f := range r.Findings {
		symbols[f.Symbol] = true
		paths[f.File] = true
	}
	counts := map[string]int{}
	stopped := ""
	for line := range strings.Lines(b.String()) {
		name, properties, data := runnerCommand(line)
		if stopped != "" {
			if name == stopped {
				stopped = ""
			}
			continue
		}
		if i := strings.Index(line, "##["); i >= 0 {
			t.Errorf("a command of the old kind: %.200q", line)
		}
		counts[name]++
		switch name {
		case "stop-commands":
			stopped = data
		case "error", "warning", "notice":
			plain(t, "message", data, 4000, true)
			if !paths[properties["file"]] && (name != "notice" || properties["title"] != "specgate") {
				t.Errorf("file %q is none of the findings'", properties["file"])
			}
			for key := range properties {
				if !slices.Contains([]string{"file", "line", "endLine", "col", "endColumn", "title"}, key) {
					t.Errorf("property %q", key)
				}
			}
		default:
			t.Errorf("command %q: %.200q", name, line)
		}
	}
	if stopped != "" {
		t.Error("commands are not obeyed again at the end")
	}
	if counts["error"] > 10 || counts["warning"] > 10 || counts["notice"] > 10 || counts["stop-commands"] != 1 {
		t.Errorf("commands: %v", counts)
	}
}

// TestCommandsLeftOut says how many of each kind are not shown.
func TestCommandsLeftOut(t *testing.T) {
	r := &checks.Report{Outcome: checks.OutcomeFindings}
	add := func(n int, severity policy.Severity) {
		for range n {
			line := len(r.Findings) + 1
			r.Findings = append(r.Findings, checks.Finding{Rule: "trust/assume", Severity: severity, Symbol: fmt.Sprint(line), File: "a.rs",
				Span: source.Range{Start: source.Position{Line: line, Column: 1}, End: source.Position{Line: line, Column: 2}}, Message: "It."})
		}
	}
	last := func() (int, string) {
		var b bytes.Buffer
		if err := annotate.Commands(&b, r, annotate.CommandOptions{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		return len(lines), lines[len(lines)-1]
	}
	add(10, policy.Error)
	add(10, policy.Warning)
	add(10, policy.Notice)
	if n, line := last(); n != 30 || line != "::notice file=a.rs,line=30,endLine=30,col=1,endColumn=1,title=trust/assume in 30::It." {
		t.Errorf("%d lines, the last %s", n, line)
	}
	add(2, policy.Error)
	if n, line := last(); n != 30 || line != "::notice title=specgate::3 findings are not shown as annotations. The report has them all." {
		t.Errorf("%d lines, the last %s", n, line)
	}
	add(1, policy.Notice)
	if n, line := last(); n != 30 || line != "::notice title=specgate::4 findings are not shown as annotations. The report has them all." {
		t.Errorf("%d lines, the last %s", n, line)
	}
}

func TestCommandsWithText(t *testing.T) {
	r := &checks.Report{Outcome: checks.OutcomeFindings, Findings: []checks.Finding{{Rule: "trust/assume", Severity: policy.Error, Symbol: "f", File: "a.rs",
		Message: "Believed.", Detail: "::add-mask::x\n##[error]y"}}}
	var b bytes.Buffer
	if err := annotate.Commands(&b, r, annotate.CommandOptions{Token: token}); err != nil {
		t.Fatal(err)
	}
	want := "::stop-commands::" + token + "\n" +
		"error[trust/assume] f: Believed.\n" +
		"  --> a.rs:0:0\n" +
		"    ::add-mask::x\n" +
		"    ##[error]y\n\n" +
		"Nothing was proved: no verifier was run.\n" +
		"1 error, 0 warnings, 0 notices in 0 changed functions between  and \n" +
		"outcome: findings\n" +
		"::" + token + "::\n" +
		"::error file=a.rs,line=1,endLine=1,title=trust/assume in f::Believed.\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestQuiet(t *testing.T) {
	for _, c := range []struct{ token, text, want string }{
		{token, "a", "::stop-commands::" + token + "\na\n::" + token + "::\n"},
		{token, "", "::stop-commands::" + token + "\n::" + token + "::\n"},
		{"short", "a", "write to the log: the token that ends a part without commands has 5 bytes; want at least 16 letters and digits"},
		{"0123456789abcdef::", "a", "write to the log: the token that ends a part without commands has 18 bytes; want at least 16 letters and digits"},
		{token, "x ::" + token + "::", "write to the log: the text has the token that should end it; take another"},
	} {
		var b bytes.Buffer
		err := annotate.Quiet(&b, c.token, func(w io.Writer) error { _, err := io.WriteString(w, c.text); return err })
		got := b.String()
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.token, c.text, got, c.want)
		}
	}
}

package edit

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/manifest"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

func policyChanged(p *checks.Pass) {
	for _, c := range p.Files {
		if path.Base(c.Path()) != ".specgate.toml" {
			continue
		}
		base, head := meaning(c.Base), meaning(c.Head)
		invalid := c.Path() == policy.FileName && len(p.PolicyErrors) > 0
		if base == head && (c.Base == nil) == (c.Head == nil) && !invalid {
			continue
		}
		f := checks.AtFile(c)
		f.Change = head
		f.Detail = lines(base, head)
		switch {
		case invalid:
			first := p.PolicyErrors[0]
			f.Severity, f.Span = policy.Error, first.Span
			f.Message = "The policy of this change is not valid. Once it is merged no later change can be judged, that which corrects it among them: " + first.Message
			if more := len(p.PolicyErrors) - 1; more > 0 {
				f.Message += fmt.Sprintf(", and %d more; specgate policy check shows all", more)
			}
		case c.Path() != policy.FileName:
			f.Message = "A policy file changed that is not in the root of the repository: it judges only what names it with --policy."
		case c.Base == nil:
			f.Message = "A policy file is added. It is for later changes; this one is judged without it. Unless --policy named what judges, the summary says what it would make of this change."
		case c.Head == nil:
			f.Message = "The policy file is deleted. Later changes are judged by the defaults; this one is not. Unless --policy named what judges, the summary says what they would make of this change."
		default:
			f.Message = "The policy is changed. The new one is for later changes; this one is judged without it. Unless --policy named what judges, the summary says what it would make of this change."
		}
		p.Report(f)
	}
}

// lines are those that only one of two texts has.
func lines(base, head string) string {
	b, h := strings.Split(base, "\n"), strings.Split(head, "\n")
	var out []string
	for _, l := range b {
		if l != "" && !slices.Contains(h, l) {
			out = append(out, "- "+l)
		}
	}
	for _, l := range h {
		if l != "" && !slices.Contains(b, l) {
			out = append(out, "+ "+l)
		}
	}
	return strings.Join(out, "\n")
}

// meaning is the text of a TOML file without comments, blank lines and layout outside strings.
func meaning(f *source.File) string {
	if f == nil {
		return ""
	}
	var out strings.Builder
	var quote string
	text := string(f.Text)
	for i := 0; i < len(text); {
		rest := text[i:]
		if quote != "" {
			switch {
			case strings.HasPrefix(rest, quote):
				out.WriteString(quote)
				i += len(quote)
				quote = ""
			case rest[0] == '\\' && quote[0] == '"' && len(rest) > 1:
				out.WriteString(rest[:2])
				i += 2
			default:
				out.WriteByte(rest[0])
				i++
			}
			continue
		}
		switch c := rest[0]; {
		case strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''"):
			quote = rest[:3]
			out.WriteString(quote)
			i += 3
			continue
		case c == '"' || c == '\'':
			quote = rest[:1]
			out.WriteByte(c)
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case c == '\n':
			if s := out.String(); s != "" && s[len(s)-1] != '\n' {
				out.WriteByte('\n')
			}
		case c == ' ' || c == '\t' || c == '\r':
		default:
			out.WriteByte(c)
		}
		i++
	}
	return strings.TrimRight(out.String(), "\n")
}

func toolchainChanged(p *checks.Pass) {
	for _, c := range p.Files {
		if name := path.Base(c.Path()); name != "rust-toolchain" && name != "rust-toolchain.toml" {
			continue
		}
		base, head := toolchain(c.Base), toolchain(c.Head)
		if base == head && (c.Base == nil) == (c.Head == nil) {
			continue
		}
		f := checks.AtFile(c)
		f.Change = head
		switch {
		case c.Base == nil:
			f.Message = "A toolchain is pinned: " + head + ". The code is built, and the verifier run, with it."
		case c.Head == nil:
			f.Message = "The pin of the toolchain is gone: whatever is installed builds the code and runs the verifier."
		default:
			f.Message = "The toolchain changed from " + base + " to " + head + ". The code is built, and the verifier run, with the new one."
		}
		p.Report(f)
	}
}

func buildChanged(p *checks.Pass) {
	for _, m := range p.Manifests() {
		if m.Base == nil || m.Head == nil { // a manifest that comes or goes brings or takes its crate
			continue
		}
		head := *m.Head
		if m.To != nil { // and so does a package that is new in its place
			head.Package, head.Features = nil, nil
		}
		reportSettings(p, m.File, buildSettings(m.Base), buildSettings(&head))
	}
	for _, c := range p.Files {
		if name := path.Base(c.Path()); (name == "config.toml" || name == "config") && path.Base(path.Dir(c.Path())) == ".cargo" {
			base, okBase := configuration(c.Base)
			head, okHead := configuration(c.Head)
			if okBase && okHead {
				reportSettings(p, c, configSettings(base), configSettings(head))
			}
		}
	}
}

// reportSettings reports those that differ.
func reportSettings(p *checks.Pass, c checks.FileChange, was, is map[string]manifest.Setting) {
	for _, key := range slices.Compact(sorted(slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(is)))) {
		b, h := was[key], is[key]
		if b.Value == h.Value {
			continue
		}
		f := checks.AtFile(c)
		if c.Head != nil && h.Span.End > 0 {
			f = f.At(c.Head, h.Span)
		}
		if c.Base != nil && b.Span.End > 0 {
			f = f.From(c.Base, b.Span)
		}
		f.Change = key + "\x00" + h.Value
		f.Message = fmt.Sprintf("%s: %s in base, %s now. Other code may run than before, although no source changed.", key, cmp.Or(b.Value, "not set"), cmp.Or(h.Value, "not set"))
		p.Report(f)
	}
}

// configuration reads one of Cargo's configuration files; one that is not there sets nothing.
func configuration(f *source.File) (*manifest.Config, bool) {
	if f == nil {
		return &manifest.Config{}, true
	}
	c, _ := manifest.ParseConfig(f) // as for manifests
	return c, c != nil
}

// configSettings are what Cargo's configuration says of how code is built, by a name for people. What chooses the verifier is not among
// it: trust/solver-config reports that.
func configSettings(c *manifest.Config) map[string]manifest.Setting {
	out := map[string]manifest.Setting{}
	put := func(key string, s manifest.Setting) {
		if strings.HasSuffix(s.Key, "rustflags") {
			// A text and a list of its words say the same.
			s.Value = strings.Join(strings.FieldsFunc(s.Value, func(r rune) bool { return strings.ContainsRune(" \t\n[],\"", r) }), " ")
		}
		out[key] = s
	}
	for _, s := range c.Build {
		if s.Key == "rustflags" || s.Key == "target" {
			put("[build] "+s.Key, s)
		}
	}
	for _, s := range c.Targets {
		// Behind a target and the name of a library stand what its build script would say, cfgs among it. A runner is what tests are run by.
		put("[target] "+s.Key, s)
	}
	for _, e := range c.Env {
		if !manifest.ToolVariable(e.Name) && !slices.Contains([]string{"RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_LOG", "RUST_TEST_THREADS"}, e.Name) {
			// Sources read it with env!, build scripts as they run.
			put("[env] "+e.Name, manifest.Setting{Key: e.Name, Value: fmt.Sprintf("%q", e.Value), Span: e.Span})
		}
	}
	for _, s := range c.Other {
		for _, table := range []string{"profile.", "host.", "unstable.build-std"} {
			if strings.HasPrefix(s.Key, table) {
				put(s.Key, s)
			}
		}
	}
	return out
}

// buildSettings are what a manifest says of how its code is built, by a name for people. A setting without a place is not in it.
func buildSettings(c *manifest.Cargo) map[string]manifest.Setting {
	out := map[string]manifest.Setting{}
	if c.Package != nil && c.Package.Edition != "" {
		out["The edition"] = manifest.Setting{Value: c.Package.Edition, Span: c.Package.Span}
	}
	for _, s := range c.Profiles {
		out["[profile] "+s.Key] = s
	}
	if on := sorted(slices.Collect(maps.Keys(c.DefaultFeatures()))); len(on) > 0 {
		i := slices.IndexFunc(c.Features, func(f manifest.Feature) bool { return f.Name == "default" })
		out["The features that are on by default"] = manifest.Setting{Value: strings.Join(on, ", "), Span: c.Features[i].Span}
	}
	return out
}

// toolchain is what a toolchain file says, lists sorted.
func toolchain(f *source.File) string {
	if f == nil {
		return ""
	}
	t, _ := manifest.ParseToolchain(f)
	if t == nil {
		return "something that cannot be read"
	}
	parts := []string{t.Channel}
	if t.Path != "" {
		parts = append(parts, "path "+t.Path)
	}
	if t.Profile != "" {
		parts = append(parts, "profile "+t.Profile)
	}
	if len(t.Components) > 0 {
		parts = append(parts, "components "+strings.Join(sorted(t.Components), ", "))
	}
	if len(t.Targets) > 0 {
		parts = append(parts, "targets "+strings.Join(sorted(t.Targets), ", "))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

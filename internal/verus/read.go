package verus

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/specgate/specgate/internal/source"
)

// Context says how to read the paths of a run.
type Context struct {
	// Root is the absolute path of the tree that was verified; empty: absolute paths are foreign.
	Root string
	// Dir is the directory, relative to Root, that relative paths start from: Cargo's workspace root. Empty is Root itself.
	Dir string
	// Own tells whether a path, relative to Root, is a file of the tree. Nil: every relative path outside vstd is.
	Own func(file string) bool
}

func (c Context) span(w wireSpan) Span {
	s := Span{Bytes: source.Span{Start: max(w.Start, 0), End: max(w.End, w.Start, 0)}, Line: w.Line, EndLine: w.EndLine}
	s.File, s.Foreign = c.file(w.File)
	return s
}

// file resolves the name of a file; foreign ones keep their name.
func (c Context) file(name string) (rel string, foreign bool) {
	root := strings.TrimSuffix(c.Root, "/")
	switch {
	case name == "" || strings.HasPrefix(name, "<"):
		return name, true
	case path.IsAbs(name):
		cut, ok := strings.CutPrefix(path.Clean(name), root+"/")
		if !ok || root == "" {
			return name, true
		}
		rel = cut
	default:
		rel = path.Join(c.Dir, name)
	}
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return name, true
	}
	if c.Own != nil {
		if !c.Own(rel) {
			return name, true
		}
		return rel, false
	}
	if strings.HasPrefix(name, "vstd/") || strings.HasPrefix(name, "builtin/") || strings.HasPrefix(name, "verus_builtin/") {
		return name, true
	}
	return rel, false
}

// Output is what was read of one stream.
type Output struct {
	Units       []Unit
	Diagnostics []Diagnostic
	// Built are the targets that cargo says it compiled or found fresh, in order.
	Built []BuiltTarget
	// Finished is cargo's last word: true for success; nil if it did not come to it.
	Finished *bool
	// Stray are the other lines, without blank ones.
	Stray []string
	// Cut says that a summary or a line of JSON is not complete, or not JSON after all.
	Cut bool

	events []event
}

// BuiltTarget is a target that cargo is done with.
type BuiltTarget struct {
	Target TargetID
	// Fresh says that cargo did not run the compiler: nothing was verified.
	Fresh bool
}

// event is a line of cargo that has to do with a target, to tell whose summary stands beside it.
type event struct {
	target   TargetID
	artifact bool
	fresh    bool
	err      bool
}

type wireSpan struct {
	File      string        `json:"file_name"`
	Start     int           `json:"byte_start"`
	End       int           `json:"byte_end"`
	Line      int           `json:"line_start"`
	EndLine   int           `json:"line_end"`
	Primary   bool          `json:"is_primary"`
	Label     string        `json:"label"`
	Text      []wireText    `json:"text"`
	Expansion wireExpansion `json:"expansion"`
}

type wireText struct {
	Text  string `json:"text"`
	Start int    `json:"highlight_start"`
	End   int    `json:"highlight_end"`
}

type wireExpansion struct {
	Span json.RawMessage `json:"span"`
}

type wireDiagnostic struct {
	Type    string `json:"$message_type"`
	Message string `json:"message"`
	Code    *struct {
		Code string `json:"code"`
	} `json:"code"`
	Level    string           `json:"level"`
	Spans    []wireSpan       `json:"spans"`
	Children []wireDiagnostic `json:"children"`
}

type wireCargo struct {
	Reason  string         `json:"reason"`
	Package string         `json:"package_id"`
	Message wireDiagnostic `json:"message"`
	Target  struct {
		Kind []string `json:"kind"`
		Name string   `json:"name"`
	} `json:"target"`
	Fresh   bool  `json:"fresh"`
	Success *bool `json:"success"`
}

type wireUnit struct {
	Results *struct {
		EncounteredError *bool  `json:"encountered-error"`
		EncounteredVIR   *bool  `json:"encountered-vir-error"`
		Success          *bool  `json:"success"`
		Verified         *int64 `json:"verified"`
		Errors           *int64 `json:"errors"`
		Entire           *bool  `json:"is-verifying-entire-crate"`
	} `json:"verification-results"`
	Times struct {
		SMT struct {
			Modules []struct {
				Module    string         `json:"module"`
				Functions []wireFunction `json:"function-breakdown"`
			} `json:"smt-run-module-times"`
		} `json:"smt"`
	} `json:"times-ms"`
	Verus wireVersion `json:"verus"`
}

type wireFunction struct {
	Function    string `json:"function"`
	Success     *bool  `json:"success"`
	Time        int64  `json:"time"`
	RLimit      *int64 `json:"rlimit"`
	RLimitCount *int64 `json:"rlimit-count"` // before 2026-01
	Mode        string `json:"mode:"`        // so spelled
}

type wireVersion struct {
	Profile  string `json:"profile"`
	Version  string `json:"version"`
	Platform struct {
		OS   string `json:"os"`
		Arch string `json:"arch"`
	} `json:"platform"`
	Toolchain string `json:"toolchain"`
	Commit    string `json:"commit"`
}

func (w wireVersion) version() Version {
	return Version{Release: w.Version, Profile: w.Profile, OS: w.Platform.OS, Arch: w.Platform.Arch, Toolchain: w.Toolchain, Commit: w.Commit}
}

// Read reads one stream of a run: the stdout or the stderr of the verifier or of cargo. Summaries, diagnostics and cargo's lines
// are understood wherever they come.
//
// A summary is a JSON object over several lines, or on one; lines of cargo may stand between its lines. A line that begins with
// '{' ends an incomplete summary before it.
func Read(data []byte, c Context) Output {
	var out Output
	var object []byte // the lines of the summary so far
	depth := nesting{}
	giveUp := func() {
		if object != nil {
			out.Cut = true
			out.stray(firstLine(object))
			object, depth = nil, nesting{}
		}
	}
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		if bytes.HasPrefix(line, []byte("{")) {
			if out.line(line, c) {
				continue
			}
			giveUp()
			object = []byte{}
		}
		if object == nil {
			out.stray(string(line))
			continue
		}
		object = append(append(object, line...), '\n')
		switch depth.read(line); {
		case depth.level < 0 || depth.inString:
			giveUp() // no line of a pretty-printed object ends in a string
		case depth.level == 0:
			if !out.unit(object) {
				out.Cut = true
				out.stray(firstLine(object))
			}
			object, depth = nil, nesting{}
		}
	}
	giveUp()
	return out
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return string(line)
}

// The most stray lines that are kept, and of each so many bytes: they are for people, and for a few words in them.
const (
	maxStray     = 200
	maxStrayLine = 2000
)

func (o *Output) stray(line string) {
	if strings.TrimSpace(line) == "" || len(o.Stray) == maxStray {
		return
	}
	if len(line) > maxStrayLine {
		line = line[:maxStrayLine]
	}
	o.Stray = append(o.Stray, strings.ToValidUTF8(line, "\uFFFD"))
}

// nesting counts the brackets of JSON, outside strings.
type nesting struct {
	level    int
	inString bool
}

func (n *nesting) read(line []byte) {
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case n.inString && b == '\\':
			i++
		case b == '"':
			n.inString = !n.inString
		case n.inString:
		case b == '{' || b == '[':
			n.level++
		case b == '}' || b == ']':
			n.level--
		}
	}
}

var (
	cargoLine      = []byte(`{"reason":`)
	diagnosticLine = []byte(`{"$message_type":`)
)

// line reads a line of cargo or of rustc. It reports false for what may be the beginning of a summary.
func (o *Output) line(line []byte, c Context) bool {
	switch {
	case bytes.HasPrefix(line, cargoLine):
		var w wireCargo
		if err := json.Unmarshal(line, &w); err != nil {
			o.Cut = true
			o.stray(string(line))
			return true
		}
		o.cargo(w, c)
		return true
	case bytes.HasPrefix(line, diagnosticLine):
		var w wireDiagnostic
		if err := json.Unmarshal(line, &w); err != nil {
			o.Cut = true
			o.stray(string(line))
			return true
		}
		if w.Type == "diagnostic" {
			o.Diagnostics = append(o.Diagnostics, c.diagnostic(w))
		}
		return true
	}
	return false
}

func (o *Output) cargo(w wireCargo, c Context) {
	target := TargetID{Package: packageName(w.Package), Name: w.Target.Name}
	if len(w.Target.Kind) > 0 {
		target.Kind = w.Target.Kind[0]
	}
	switch target.Kind {
	case "rlib", "dylib", "cdylib", "staticlib":
		target.Kind = "lib"
	}
	switch w.Reason {
	case "compiler-message":
		d := c.diagnostic(w.Message)
		d.Crate = target
		o.Diagnostics = append(o.Diagnostics, d)
		o.events = append(o.events, event{target: target, err: d.Failing()})
	case "compiler-artifact":
		o.Built = append(o.Built, BuiltTarget{target, w.Fresh})
		o.events = append(o.events, event{target: target, artifact: true, fresh: w.Fresh})
	case "build-finished":
		o.Finished = w.Success
	}
}

// packageName reads cargo's package id: "registry+..#name@version", "path+file:///dir/name#version", and the older
// "name version (source)".
func packageName(id string) string {
	if i := strings.LastIndexByte(id, '#'); i >= 0 {
		if name, _, ok := strings.Cut(id[i+1:], "@"); ok {
			return name
		}
		return path.Base(strings.TrimSuffix(id[:i], "/"))
	}
	name, _, _ := strings.Cut(id, " ")
	return name
}

func crateName(s string) string { return strings.ReplaceAll(s, "-", "_") }

// unit reads a summary, and reports false if it is none.
func (o *Output) unit(text []byte) bool {
	var w wireUnit
	if err := json.Unmarshal(text, &w); err != nil || w.Results == nil {
		return false
	}
	r := w.Results
	u := Unit{Version: w.Verus.version(), at: len(o.events)}
	u.EncounteredVIR = r.EncounteredVIR == nil || *r.EncounteredVIR
	u.EncounteredError = r.EncounteredError == nil || *r.EncounteredError
	u.Success = r.Success != nil && *r.Success
	if r.Verified != nil && r.Errors != nil {
		u.Counted, u.Verified, u.Errors = true, *r.Verified, *r.Errors
	}
	u.Partial = r.Success == nil || r.Entire != nil && !*r.Entire
	for _, m := range w.Times.SMT.Modules {
		for _, f := range m.Functions {
			res := FunctionResult{Name: f.Function, Module: m.Module, Success: f.Success != nil && *f.Success, Millis: f.Time, Mode: f.Mode}
			switch {
			case f.RLimit != nil:
				res.RLimit = *f.RLimit
			case f.RLimitCount != nil:
				res.RLimit = *f.RLimitCount
			}
			// A partial run lists functions that it did not look at as successful, without time and cost.
			res.Selected = !u.Partial || !res.Success || res.Millis > 0 || res.RLimit > 0
			u.Functions = append(u.Functions, res)
		}
	}
	o.Units = append(o.Units, u)
	return true
}

func (c Context) diagnostic(w wireDiagnostic) Diagnostic {
	d := Diagnostic{Level: Level(w.Level), Message: w.Message}
	if w.Code != nil {
		d.Code = w.Code.Code
	}
	for _, s := range w.Spans {
		d.Labels = append(d.Labels, c.label(s))
	}
	var notes func(ws []wireDiagnostic, depth int)
	notes = func(ws []wireDiagnostic, depth int) {
		for _, child := range ws {
			d.Children = append(d.Children, Note{Level(child.Level), child.Message})
			if depth < 8 {
				notes(child.Children, depth+1)
			}
		}
	}
	notes(w.Children, 0)
	d.Category = classify(&d)
	d.place()
	return d
}

// label reads a span. A place inside a foreign macro stands for the place where the macro is called.
func (c Context) label(w wireSpan) Label {
	l := Label{Text: w.Label, Primary: w.Primary, Span: c.span(w)}
	for depth := 0; l.Span.Foreign && len(w.Expansion.Span) > 0 && depth < 32; depth++ {
		var outer wireSpan
		if err := json.Unmarshal(w.Expansion.Span, &outer); err != nil || outer.File == "" {
			break
		}
		w = outer
		l.Span = c.span(w)
	}
	l.code, l.after = shown(w.Text)
	return l
}

// shown gives the text of a span as rustc shows it, and what follows on its last line. Columns count characters.
func shown(lines []wireText) (code, after string) {
	var b strings.Builder
	for i, t := range lines {
		text := []rune(t.Text)
		start, end := min(max(t.Start-1, 0), len(text)), min(max(t.End-1, 0), len(text))
		if start > end {
			continue
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(text[start:end]))
		after = string(text[end:])
	}
	return b.String(), after
}

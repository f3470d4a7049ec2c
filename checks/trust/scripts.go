package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// flags of the verifier that make it check less. Those with a value take the next word along.
var flags = map[string]string{
	"--no-verify":                 "nothing is verified",
	"--no-lifetime":               "ownership in proofs is not checked",
	"--no-erasure-check":          "the erased code is not checked",
	"--no-external-by-default":    "another part of the code is verified than by default",
	"--verify-root":               "only the crate's root is verified",
	"--verify-module":             "only one module is verified",
	"--verify-only-module":        "only one module is verified",
	"--verify-function":           "only one function is verified",
	"--import":                    "a ready-made .vir file is believed",
	"--is-vstd":                   "the crate is treated as vstd, which is exempt from checks",
	"--is-core":                   "the crate is treated as core, which is exempt from checks",
	"--is-stdlib-outside-of-core": "the crate is treated as the standard library, which is exempt from checks",
	"--no-vstd":                   "vstd is left out",
	"--smt-option":                "the solver runs with other options",
	"--crate-name=vstd":           "the crate is treated as vstd, which is exempt from checks",
	"-V no-solver-version-check":  "any version of the solver is accepted",
	"-V allow-inline-air":         "text for the solver is accepted in sources",
	"-V ignore-unexpected-smt":    "unexpected answers of the solver are ignored",
	"-V cvc5":                     "another solver is used",
	"continue-on-error":           "a failure of the step is ignored",
	"if: false":                   "a step or a job is never run",
	"|| true":                     "a failure of the command is ignored",
	"rustc-cfg":                   "a cfg of the verifier is set for the compiler",
	"VERUS_Z3_PATH":               "another solver is used",
	"VERUS_CVC5_PATH":             "another solver is used",
	"VERUS_ROOT":                  "another verifier is used",
}

// weakening picks the words of a command that make the verifier check less, in a canonical spelling.
func weakening(words []string) []string {
	var out []string
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case name == "-V" && i+1 < len(words):
			if f := "-V " + words[i+1]; flags[f] != "" {
				out = append(out, f)
			}
		case strings.HasPrefix(name, "-V") && flags["-V "+name[2:]] != "":
			out = append(out, "-V "+name[2:])
		case name == "--crate-name":
			if value == "vstd" || value == "" && i+1 < len(words) && words[i+1] == "vstd" {
				out = append(out, "--crate-name=vstd")
			}
		case strings.HasPrefix(name, "--") && flags[name] != "":
			out = append(out, name)
		}
	}
	return out
}

// use is one place in a script where the verifier is run or steered.
type use struct {
	key  string // canonical flag, or "verify" for a run of the verifier
	span source.Span
}

// scripts compares all changed scripts together: a command that moves from one file to another is no change.
type scripts struct {
	files      []checks.FileChange
	base, head []map[string][]use // by key, one a file
}

func (s *scripts) add(f checks.FileChange) {
	s.files = append(s.files, f)
	s.base = append(s.base, usesOf(f.Base))
	s.head = append(s.head, usesOf(f.Head))
}

func (s *scripts) changes() []change {
	balance := map[string]int{}
	for i := range s.files {
		for k, u := range s.base[i] {
			balance[k] -= len(u)
		}
		for k, u := range s.head[i] {
			balance[k] += len(u)
		}
	}
	var out []change
	for i, f := range s.files {
		var keys []string
		for k := range s.head[i] {
			keys = append(keys, k)
		}
		for k := range s.base[i] {
			if _, ok := s.head[i][k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			n := len(s.head[i][k]) - len(s.base[i][k])
			switch {
			case k == run || k == gate:
				if n < 0 && balance[k] < 0 {
					balance[k] -= n
					what, key := "the verifier", "verifier not run"
					if k == gate {
						what, key = "specgate", "specgate not run"
					}
					out = append(out, change{off, f, source.Span{}, key,
						"A command or step that ran " + what + " is gone from this file, and no other changed file took it over."})
				}
			case strings.HasPrefix(k, gateText):
				// A run that is new judges nothing otherwise than before.
				if n > 0 && balance[k] > 0 && balance[gate] <= 0 {
					balance[k]--
					out = append(out, change{tools, f, s.head[i][k][0].span, k,
						fmt.Sprintf("specgate is run otherwise than in base: %s. What decides about this change is part of it.", shorten(k[len(gateText):]))})
				}
			case n > 0 && balance[k] > 0:
				n = min(n, balance[k])
				balance[k] -= n
				uses := s.head[i][k]
				for _, u := range uses[len(uses)-n:] {
					kind := off
					if strings.HasPrefix(k, "VERUS_") {
						kind = tools
					}
					out = append(out, change{kind, f, u.span, k, fmt.Sprintf("New: %s. With it %s.", k, flags[k])})
				}
			}
		}
	}
	return out
}

// run is the key of a command that runs the verifier.
const run = "verify"

// gate is the key of a command or step that runs specgate; behind gateText stands how.
const gate, gateText = "gate", "gate: "

// runsGate tells a command of specgate that judges changes.
func runsGate(words []string) bool {
	p := program(words)
	i := slices.Index(words, p)
	return (p == "specgate" || strings.HasSuffix(p, "/specgate") || strings.EqualFold(strings.Trim(p, "${}"), "specgate")) && i+1 < len(words) &&
		slices.Contains([]string{"check", "merge", "publish", "action", "serve"}, words[i+1])
}

// gateStep tells a line of a workflow that runs specgate's action, by the name of its repository.
func gateStep(line string) bool {
	action, ok := strings.CutPrefix(strings.TrimLeft(line, " \t-"), "uses:")
	if !ok {
		return false
	}
	at, _, _ := strings.Cut(strings.Trim(action, " \"'"), "@")
	return slices.Contains(strings.Split(strings.ToLower(at), "/"), "specgate")
}

// maxStep is how many lines of a step are looked at on either side of the one that runs specgate.
const maxStep = 200

// stepAround is the text of the step of a workflow that has a line: from the dash before it to the next line that is indented no further. Names and
// comments are left out.
func stepAround(lines []string, at int) string {
	indent := func(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }
	from := at
	for from > 0 && at-from < maxStep && !strings.HasPrefix(strings.TrimLeft(lines[from], " "), "-") {
		from--
	}
	var out []string
	for i := from; i < min(len(lines), from+maxStep); i++ {
		l := strings.TrimRight(uncomment(lines[i]), " \t\r")
		if strings.TrimSpace(l) == "" {
			continue
		}
		if i > from && indent(l) <= indent(lines[from]) {
			break
		}
		if !skipped(l) {
			out = append(out, strings.TrimLeft(l, " -"))
		}
	}
	return strings.Join(out, " ")
}

// usesOf reads the commands of a script or workflow: comments and names of steps are left out, continued lines are joined.
func usesOf(f *source.File) map[string][]use {
	out := map[string][]use{}
	if f == nil {
		return out
	}
	text := string(f.Text)
	lines := strings.Split(text, "\n")
	runsVerifier := false
	var tolerant []use
	next := 0 // the line behind those read
	for start := 0; start < len(text); {
		end, number := start, next
		var line strings.Builder
		for {
			stop := strings.IndexByte(text[end:], '\n')
			if stop < 0 {
				stop = len(text) - end
			}
			part := strings.TrimRight(uncomment(text[end:end+stop]), " \t\r")
			end = min(end+stop+1, len(text))
			next++
			if cut, ok := strings.CutSuffix(part, "\\"); ok && end < len(text) {
				line.WriteString(cut)
				line.WriteByte(' ')
				continue
			}
			line.WriteString(part)
			break
		}
		span := source.Span{Start: start, End: max(start, end-1)}
		lead := text[start:span.End]
		span.Start += len(lead) - len(strings.TrimLeft(lead, " \t"))
		start = end
		l := line.String()
		if gateStep(l) {
			runsVerifier = true
			out[gate] = append(out[gate], use{gate, span})
			k := gateText + stepAround(lines, number)
			out[k] = append(out[k], use{k, span})
		}
		if skipped(l) {
			continue
		}
		if strings.Contains(strings.ReplaceAll(l, " ", ""), "continue-on-error:true") {
			tolerant = append(tolerant, use{"continue-on-error", span})
			continue
		}
		if c := strings.NewReplacer(" ", "", "\"", "", "'", "", "${{", "", "}}", "").Replace(strings.TrimLeft(l, " -")); c == "if:false" || c == "if:0" {
			tolerant = append(tolerant, use{"if: false", span})
			continue
		}
		for _, cmd := range commands(l) {
			words := wordsOf(cmd.text)
			prog := program(words)
			if prog == "git" || prog == "gh" || prog == "npm" || prog == "echo" || prog == "printf" {
				continue
			}
			isGate := runsGate(words)
			if isGate {
				runsVerifier = true
				out[gate] = append(out[gate], use{gate, span})
				k := gateText + strings.TrimLeft(strings.Join(strings.Fields(cmd.text), " "), "- ")
				out[k] = append(out[k], use{k, span})
			}
			if runsVerus(words) {
				runsVerifier = true
				out[run] = append(out[run], use{run, span})
			}
			if isGate || runsVerus(words) {
				if cmd.orTrue {
					out["|| true"] = append(out["|| true"], use{"|| true", span})
				}
			}
			for _, flag := range weakening(words) {
				out[flag] = append(out[flag], use{flag, span})
			}
			for _, w := range words {
				// A build script sets it by printing cargo:rustc-env=NAME=value.
				w = strings.TrimPrefix(strings.TrimPrefix(w, "cargo:rustc-env="), "cargo::rustc-env=")
				name, _, isSet := strings.Cut(w, "=")
				name = strings.TrimSuffix(name, ":")
				if cfg, ok := strings.CutPrefix(w, "cargo:rustc-cfg="); ok || strings.HasPrefix(w, "cargo::rustc-cfg=") {
					if cfg = strings.TrimPrefix(cfg, "cargo::rustc-cfg="); strings.HasPrefix(cfg, "verus_") {
						out["rustc-cfg"] = append(out["rustc-cfg"], use{"rustc-cfg", span})
					}
				}
				if (isSet || strings.HasSuffix(w, ":")) && strings.HasPrefix(name, "VERUS_") && flags[name] != "" {
					out[name] = append(out[name], use{name, span})
				}
			}
		}
	}
	if runsVerifier {
		for _, u := range tolerant {
			out[u.key] = append(out[u.key], u)
		}
	}
	return out
}

// uncomment cuts a line at a # that stands at its start or after a blank, outside quotes.
func uncomment(line string) string {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

// skipped tells a line of YAML that is words for people: the name or description of something.
func skipped(line string) bool {
	l := strings.TrimLeft(line, " \t-")
	for _, key := range []string{"name:", "description:", "title:"} {
		if strings.HasPrefix(l, key) {
			return true
		}
	}
	return false
}

type command struct {
	text   string
	orTrue bool
}

// commands splits a line at && || ; and |.
func commands(line string) []command {
	var out []command
	for _, part := range strings.FieldsFunc(strings.NewReplacer("&&", "\x00", "||", "\x00|", ";", "\x00", " | ", "\x00").Replace(line), func(r rune) bool { return r == 0 }) {
		if rest, ok := strings.CutPrefix(part, "|"); ok {
			w := strings.Trim(rest, " \t\"'")
			if (w == "true" || w == ":" || strings.HasPrefix(w, "echo") || w == "exit 0") && len(out) > 0 {
				out[len(out)-1].orTrue = true
			}
			part = rest
		}
		out = append(out, command{text: part})
	}
	return out
}

// wordsOf splits a command into words without quotes, brackets and commas.
func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,()[]{}@", r) })
}

// program is the first word that is no key of YAML and no assignment.
func program(words []string) string {
	for _, w := range words {
		if strings.HasSuffix(w, ":") || w == "-" || w == "|" || w == ">" || strings.Contains(w, "=") || w == "sudo" || w == "env" || w == "time" {
			continue
		}
		return w
	}
	return ""
}

// runsVerus tells a command that runs the verifier: verus, cargo verus, or a variable of that name.
func runsVerus(words []string) bool {
	for i, w := range words {
		if w == "verus" && i > 0 && (words[i-1] == "cargo" || strings.HasPrefix(words[i-1], "+")) {
			return i+1 < len(words) && (words[i+1] == "verify" || words[i+1] == "build" || words[i+1] == "check")
		}
	}
	p := program(words)
	return p == "verus" || strings.HasSuffix(p, "/verus") || p == "$VERUS" || p == "${VERUS}" || p == "$" && slices.Contains(words, "VERUS")
}

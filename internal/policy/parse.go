package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/bmatcuk/doublestar/v4"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/tomltext"
)

// RuleInfo is what this package needs to know of a rule.
type RuleInfo struct {
	// ID is family/name, such as trust/assume.
	ID string
	// Severity where no policy says otherwise.
	Severity Severity
}

const (
	// maxFile is the most bytes of a policy file.
	maxFile = 256 << 10
	// maxDepth is the most parts of a key's path, and the most arrays and inline
	// tables within one another. A policy needs 4 and 1.
	maxDepth = 16
	// maxSyntax is the most errors of TOML syntax that are looked for.
	maxSyntax = 16
	// These bound the time that matching a glob takes: every choice of one
	// alternative in each group of braces is tried.
	maxGlob         = 256
	maxBraces       = 3
	maxAlternatives = 16
	// maxFound is the most errors that are kept.
	maxFound  = 100
	byteOrder = "\uFEFF"
)

// Parse reads a policy file. path is only named in messages and in Source;
// rules are all rules that there are. Every error of the file is reported: the
// error is then of type Diagnostics, in the order of the file.
func Parse(path string, text []byte, rules []RuleInfo) (*Policy, error) {
	sum := sha256.Sum256(text)
	p := &parser{path: path, file: source.NewFile(path, text)}
	for _, r := range rules {
		p.rules = append(p.rules, r.ID)
		if family := familyOf(r.ID) + "/*"; !slices.Contains(p.families, family) {
			p.families = append(p.families, family)
		}
	}
	pol := p.parse(string(text))
	if len(p.found) > 0 {
		slices.SortStableFunc(p.found, func(a, b Diagnostic) int {
			return compareRange(a.Range, b.Range)
		})
		return nil, p.found
	}
	pol.Source = path
	pol.SHA256 = hex.EncodeToString(sum[:])
	pol.path, pol.file = path, p.file
	return pol, nil
}

func compareRange(a, b source.Range) int {
	if a.Start.Line != b.Start.Line {
		return a.Start.Line - b.Start.Line
	}
	return a.Start.Column - b.Start.Column
}

type parser struct {
	path string
	file *source.File
	// skip is the length of a byte order mark, which the TOML text is without.
	skip            int
	rules, families []string
	places          *tomltext.Places
	// partial: a part of the file could not be read, so what seems to be
	// missing may be there.
	partial bool
	found   Diagnostics
}

// report adds a diagnostic at a span of the TOML text.
func (p *parser) report(at source.Span, format string, args ...any) {
	if len(p.found) == maxFound {
		return
	}
	r := p.rangeOf(at)
	p.found = append(p.found, newDiagnostic(p.path, p.file, r, fmt.Sprintf(format, args...)))
}

func (p *parser) rangeOf(at source.Span) source.Range {
	text := p.file.Text
	start := max(0, min(at.Start+p.skip, len(text)))
	// The end of the text is shown at the end of its last line.
	for start > 0 && start == len(text) && text[start-1] == '\n' {
		start--
	}
	if start > 0 && start < len(text) && text[start] == '\n' && text[start-1] == '\r' {
		start--
	}
	end := max(start, min(at.End+p.skip, len(text)))
	return p.file.Range(source.Span{Start: start, End: end})
}

func (p *parser) parse(text string) *Policy {
	if len(text) > maxFile {
		p.report(source.Span{}, "the policy file has %d bytes; the most is %d", len(text), maxFile)
		return nil
	}
	if p.badBytes(text) {
		return nil
	}
	if strings.HasPrefix(text, byteOrder) {
		p.skip = len(byteOrder)
		text = text[p.skip:]
	}
	doc, ok := p.decode(text)
	if !ok {
		return nil
	}
	return p.policy(doc)
}

// badBytes reports the bytes that no TOML has. The library refuses them too,
// but places some of them wrongly.
func (p *parser) badBytes(text string) bool {
	bad := 0
	for i := 0; i < len(text) && bad < maxSyntax; {
		r, size := utf8.DecodeRuneInString(text[i:])
		at := source.Span{Start: i, End: i + size}
		switch {
		case r == utf8.RuneError && size == 1:
			p.report(at, "byte 0x%02x is not UTF-8; save the file as UTF-8", text[i])
			bad++
		case r == '\r' && !strings.HasPrefix(text[i:], "\r\n"):
			p.report(at, "a carriage return without a line feed; end lines with a line feed, or with both")
			bad++
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			p.report(at, "control character 0x%02x; remove it, or write it as \\u%04x in a string", r, r)
			bad++
		}
		i += size
	}
	return bad > 0
}

// decode reads the TOML. The library stops at the first error, so each
// statement that it cannot read is blanked out and the text is read again.
func (p *parser) decode(text string) (map[string]any, bool) {
	for n := 0; n < maxSyntax; n++ {
		p.places = locate(text)
		if deep := p.places.Deep; deep != nil {
			p.report(*deep, "nested more than %d deep", maxDepth)
			return nil, false
		}
		doc, _, err := decodeTOML(text)
		if err == nil {
			return doc, true
		}
		p.partial = true
		var pe toml.ParseError
		if !errors.As(err, &pe) {
			p.report(source.Span{}, "cannot read the file as TOML: %v", err)
			return nil, false
		}
		start := max(0, min(pe.Position.Start, len(text)))
		bad := p.statementAt(start)
		if bad < 0 {
			p.report(source.Span{Start: start, End: start + pe.Position.Len}, "%s", syntaxMessage(pe.Message))
			return nil, false
		}
		p.reportSyntax(text, bad, source.Span{Start: start, End: start + pe.Position.Len}, pe.Message)
		next := blank(text, p.extent(bad, len(text)))
		if next == text {
			return nil, false
		}
		text = next
	}
	return nil, false
}

func locate(text string) *tomltext.Places {
	return tomltext.Scan(text, tomltext.Options{Depth: maxDepth, Bad: maxSyntax, Keys: true})
}

// decodeTOML reads text and lists its keys. The library panics on what it
// takes for its own mistakes; text is not to be able to stop the program.
func decodeTOML(text string) (doc map[string]any, keys []toml.Key, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the TOML reader failed: %v", r)
		}
	}()
	md, err := toml.Decode(text, &doc)
	return doc, md.Keys(), err
}

// statementAt is the index of the statement that made the library stop at
// offset: the first that the scanner could not read either, which may have
// swallowed what follows it, or else the last one that starts before; -1 if none.
func (p *parser) statementAt(offset int) int {
	last := -1
	for i, st := range p.places.Statements {
		if st.Span.Start > offset {
			break
		}
		last = i
		if !st.OK {
			break
		}
	}
	return last
}

// extent is what to leave out because of a bad statement: of a table all that
// is in it, or its keys would be taken for keys of the table before.
func (p *parser) extent(i, end int) source.Span {
	st := p.places.Statements[i]
	if !st.Header {
		return st.Span
	}
	for _, later := range p.places.Statements[i+1:] {
		if later.Header {
			end = later.Span.Start
			break
		}
	}
	return source.Span{Start: st.Span.Start, End: end}
}

func blank(text string, at source.Span) string {
	b := []byte(text)
	for i := at.Start; i < at.End; i++ {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
	return string(b)
}

func (p *parser) reportSyntax(text string, bad int, at source.Span, message string) {
	st := p.places.Statements[bad]
	if st.Path != nil && strings.Contains(message, "already") {
		for _, earlier := range p.places.Statements[:bad] {
			if slices.Equal(earlier.Path, st.Path) {
				p.report(st.Span, "`%s` is given twice; the first is on line %d",
					keyName(st.Path), p.rangeOf(earlier.Span).Start.Line)
				return
			}
		}
	}
	help := ""
	line := p.rangeOf(st.Span).Start.Line
	switch value := text[st.Value.Start:st.Value.End]; {
	case st.Path == nil && at.Start < len(text) && strings.IndexByte("/*:<>", text[at.Start]) >= 0:
		help = "; a key with `" + text[at.Start:at.Start+1] + "` needs quotes"
	case line != p.rangeOf(at).Start.Line && st.Path != nil:
		help = fmt.Sprintf("; this is in `%s`, which starts on line %d", keyName(st.Path), line)
	case strings.HasPrefix(message, "expected ") && plainWord.MatchString(value):
		help = "; text needs quotes: " + keyName(st.Path[len(st.Path)-1:]) + " = " + strconv.Quote(value)
	}
	p.report(at, "%s%s", syntaxMessage(message), help)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@/*][A-Za-z0-9_@/*.:-]*$`)

// syntaxMessage is the library's message as this package writes messages.
func syntaxMessage(m string) string {
	m = strings.TrimSuffix(m, ".")
	m = strings.ReplaceAll(m, `'\n'`, "the end of the line")
	if len(m) > 1 && m[0] >= 'A' && m[0] <= 'Z' && m[1] >= 'a' && m[1] <= 'z' {
		m = strings.ToLower(m[:1]) + m[1:]
	}
	return m
}

// table reads the keys of one table. All methods of a nil table do nothing, as
// for a table without keys.
type table struct {
	p     *parser
	path  []string
	m     map[string]any
	known []string
}

func (t *table) keyPath(key string) []string { return append(slices.Clone(t.path), key) }

func (t *table) name(key string) string { return keyName(t.keyPath(key)) }

func (t *table) keySpan(key string) source.Span {
	if pl := t.p.places.At(t.keyPath(key)...); pl != nil {
		return pl.Key
	}
	return source.Span{}
}

// valueSpan is the place of a value, of its key if it is written as a table,
// or of an element of an array if i is not negative.
func (t *table) valueSpan(key string, i int) source.Span {
	pl := t.p.places.At(t.keyPath(key)...)
	switch {
	case pl == nil:
		return source.Span{}
	case i >= 0 && i < len(pl.Elems):
		return pl.Elems[i]
	case pl.Value.End > pl.Value.Start:
		return pl.Value
	}
	return pl.Key
}

func (t *table) get(key string) (any, bool) {
	if t == nil {
		return nil, false
	}
	t.known = append(t.known, key)
	v, ok := t.m[key]
	return v, ok
}

func (t *table) wrongType(key, want string, v any) {
	t.p.report(t.valueSpan(key, -1), "`%s` wants %s, not %s", t.name(key), want, describe(v))
}

// table is a table in t; nil if it is not there.
func (t *table) table(key string) *table {
	v, ok := t.get(key)
	if !ok {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.wrongType(key, "a table", v)
		return nil
	}
	return &table{p: t.p, path: t.keyPath(key), m: m}
}

// keys are the keys of t in the order of the file.
func (t *table) keys() []string {
	if t == nil {
		return nil
	}
	var keys []string
	for k := range t.m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return t.keySpan(a).Start - t.keySpan(b).Start
	})
	return keys
}

// text reads a string. check, if any, says what is wrong with it, or nothing.
// The result says whether the key is there, with the right type.
func (t *table) text(key string, dst *string, check func(string) string) bool {
	return t.textOf(key, "a string", dst, check)
}

// textOf is text for strings that a message calls something else.
func (t *table) textOf(key, want string, dst *string, check func(string) string) bool {
	v, ok := t.get(key)
	if !ok {
		return false
	}
	s, ok := v.(string)
	if !ok {
		t.wrongType(key, want, v)
		return false
	}
	if check != nil {
		if problem := check(s); problem != "" {
			t.p.report(t.valueSpan(key, -1), "`%s` %s", t.name(key), problem)
		}
	}
	*dst = s
	return true
}

func (t *table) texts(key string, dst *[]string, check func(string) string) {
	v, ok := t.get(key)
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok {
		t.wrongType(key, "an array of strings", v)
		return
	}
	var out []string
	for i, e := range list {
		s, ok := e.(string)
		if !ok {
			t.p.report(t.valueSpan(key, i), "`%s` wants strings, not %s", t.name(key), describe(e))
			continue
		}
		if check != nil {
			if problem := check(s); problem != "" {
				t.p.report(t.valueSpan(key, i), "`%s` %s", t.name(key), problem)
			}
		}
		out = append(out, s)
	}
	*dst = out
}

func (t *table) integer(key string, dst *int64, low, high int64) {
	v, ok := t.get(key)
	if !ok {
		return
	}
	want := fmt.Sprintf("an integer from %d to %d", low, high)
	if high == math.MaxInt64 {
		want = fmt.Sprintf("an integer of at least %d", low)
	}
	n, ok := v.(int64)
	if !ok || n < low || n > high {
		t.wrongType(key, want, v)
		return
	}
	*dst = n
}

func (t *table) boolean(key string, dst *bool) {
	v, ok := t.get(key)
	if !ok {
		return
	}
	b, ok := v.(bool)
	if !ok {
		t.wrongType(key, "true or false", v)
		return
	}
	*dst = b
}

func (t *table) count(key string, dst *int, low, high int64) {
	n := int64(*dst)
	t.integer(key, &n, low, high)
	*dst = int(n)
}

// fraction reads a number from 0 to 1.
func (t *table) fraction(key string, dst *float64) {
	v, ok := t.get(key)
	if !ok {
		return
	}
	f, ok := v.(float64)
	if n, isInt := v.(int64); isInt {
		f, ok = float64(n), true
	}
	// Written so that nan is out of range; -0 is made 0.
	if !ok || !(f >= 0 && f <= 1) {
		t.wrongType(key, "a number from 0 to 1", v)
		return
	}
	*dst = math.Abs(f)
}

func (t *table) duration(key string, dst *time.Duration, low, high time.Duration) {
	const want = `a duration such as "20m" or "1h30m"`
	s := ""
	if !t.textOf(key, want, &s, nil) {
		return
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		t.wrongType(key, want, s)
	case d < low || d > high:
		t.wrongType(key, fmt.Sprintf("a duration from %q to %q", low, strings.TrimSuffix(high.String(), "0m0s")), s)
	default:
		*dst = d
	}
}

func (t *table) date(key string, dst *Date) bool {
	v, ok := t.get(key)
	if !ok {
		return false
	}
	// The library tells a date without a time by the name of its zone.
	d, ok := v.(time.Time)
	if !ok || d.Location().String() != "date-local" {
		want := "a date such as 2027-06-30"
		if _, isText := v.(string); isText {
			want += ", without quotes"
		}
		t.wrongType(key, want, v)
		return true
	}
	*dst = DateOf(d)
	return true
}

func word[T ~string](t *table, key string, dst *T, words ...T) bool {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	s := ""
	if !t.textOf(key, oneOf(names), &s, nil) {
		return false
	}
	if !slices.Contains(names, s) {
		t.p.report(t.valueSpan(key, -1), "`%s` wants %s, not %s%s", t.name(key), oneOf(names), describe(s), t.p.didYouMean(s, names, `"`))
		return false
	}
	*dst = T(s)
	return true
}

func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

func (p *parser) didYouMean(word string, candidates []string, quote string) string {
	if near := Nearest(word, candidates); near != "" {
		return "; did you mean " + quote + near + quote + "?"
	}
	return ""
}

// finish reports the keys that nobody asked for.
func (t *table) finish() {
	if t == nil {
		return
	}
	for _, key := range t.keys() {
		if slices.Contains(t.known, key) {
			continue
		}
		what := "key"
		if _, ok := t.m[key].(map[string]any); ok {
			what = "table"
		}
		help := ""
		if home := sectionOf(key); home != "" {
			help = fmt.Sprintf("; it belongs in [%s]", home)
		} else {
			help = t.p.didYouMean(key, t.known, "`")
		}
		t.p.report(t.keySpan(key), "unknown %s `%s`%s", what, keyName(t.keyPath(key)), help)
	}
}

// sectionOf is the table that has this key, for those who put it elsewhere.
func sectionOf(key string) string {
	switch key {
	case "release", "sha256", "manifest", "roots", "args", "timeout", "seeds", "read":
		return "verus"
	case "fail-on", "inconclusive", "min-suite", "sandbox":
		return "gate"
	case "comments", "annotations-per-function":
		return "report"
	case "include", "exclude", "executable-edits", "allow-executable-edits-label":
		return "scope"
	case "min", "max-drop", "inputs", "mutants", "seed", "cases", "count-domain":
		return "strength"
	case "write-head", "max-mib":
		return "cache"
	}
	return ""
}

func (p *parser) policy(doc map[string]any) *Policy {
	root := &table{p: p, m: doc}
	version := int64(Version)
	if v, ok := root.get("version"); !ok {
		if !p.partial {
			p.report(source.Span{}, "no `version`; write `version = %d` as the first line", Version)
		}
	} else if n, ok := v.(int64); !ok {
		root.wrongType("version", fmt.Sprintf("the integer %d", Version), v)
	} else if version = n; version != Version {
		// What another version says is not to be judged by the words of this one.
		p.report(root.valueSpan("version", -1), "version %d is not supported; this specgate reads version %d", n, Version)
		return nil
	}

	pol := Default()
	p.verus(root.table("verus"), &pol.Verus)

	gate := root.table("gate")
	word(gate, "fail-on", &pol.Gate.FailOn, FailOnError, FailOnWarning, FailOnNotice, FailOnNever)
	word(gate, "inconclusive", &pol.Gate.Inconclusive, InconclusiveFail, InconclusiveWarn, InconclusiveIgnore)
	gate.count("min-suite", &pol.Gate.MinSuite, 1, 10000)
	word(gate, "sandbox", &pol.Gate.Sandbox, SandboxPrefer, SandboxRequire, SandboxOff)
	gate.finish()

	report := root.table("report")
	word(report, "comments", &pol.Report.Comments, CommentsOff, CommentsSticky, CommentsReview)
	report.count("annotations-per-function", &pol.Report.AnnotationsPerFunction, 1, 50)
	report.finish()

	scope := root.table("scope")
	scope.texts("include", &pol.Scope.Include, globProblem)
	scope.texts("exclude", &pol.Scope.Exclude, globProblem)
	if word(scope, "executable-edits", &pol.Scope.ExecutableEdits, ExecutableEditsAllow, ExecutableEditsWarn, ExecutableEditsDeny) {
		pol.edits = Origin{Path: p.path, Where: p.rangeOf(scope.keySpan("executable-edits")), Key: scope.name("executable-edits")}
	}
	scope.text("allow-executable-edits-label", &pol.Scope.AllowExecutableEditsLabel, nil)
	scope.finish()

	strength := root.table("strength")
	strength.fraction("min", &pol.Strength.Min)
	strength.fraction("max-drop", &pol.Strength.MaxDrop)
	strength.count("inputs", &pol.Strength.Inputs, 1, 10000)
	strength.count("mutants", &pol.Strength.Mutants, 0, 10000)
	seed := int64(pol.Strength.Seed)
	strength.integer("seed", &seed, 0, math.MaxInt64)
	pol.Strength.Seed = uint64(seed)
	strength.texts("cases", &pol.Strength.Cases, globProblem)
	strength.boolean("count-domain", &pol.Strength.CountDomain)
	strength.finish()

	cache := root.table("cache")
	cache.boolean("write-head", &pol.Cache.WriteHead)
	cache.count("max-mib", &pol.Cache.MaxMiB, 1, 1<<20)
	cache.finish()

	pol.Rules = p.ruleSettings(root.table("rules"))
	p.overrides(root.table("paths"), pol)
	p.waivers(root.table("waivers"), pol)
	root.finish()
	return pol
}

func (p *parser) verus(t *table, v *Verus) {
	t.text("release", &v.Release, releaseProblem)
	if hashes := t.table("sha256"); hashes != nil {
		v.SHA256 = p.hashes(hashes)
		if _, given := t.m["release"]; !given && !p.partial {
			p.report(t.keySpan("sha256"), "`verus.sha256` has the hashes of the release that `verus.release` names; set that too")
		}
	}
	manifest := t.text("manifest", &v.Manifest, func(s string) string {
		if problem := pathProblem(s); problem != "" {
			return problem
		}
		if path.Base(s) != "Cargo.toml" {
			return fmt.Sprintf("wants the path of a Cargo.toml, not %s", describe(s))
		}
		return ""
	})
	t.texts("roots", &v.Roots, func(s string) string {
		if problem := pathProblem(s); problem != "" {
			return problem
		}
		if path.Ext(s) != ".rs" {
			return fmt.Sprintf("wants paths of .rs files, not %s", describe(s))
		}
		return ""
	})
	if t != nil && len(v.Roots) > 0 {
		if manifest {
			p.report(t.keySpan("roots"), "`verus.roots` and `verus.manifest` exclude each other; roots are verified without Cargo")
		}
		v.Manifest = ""
	}
	t.texts("args", &v.Args, argProblem)
	t.duration("timeout", &v.Timeout, time.Second, 24*time.Hour)
	t.count("seeds", &v.Seeds, 0, 10)
	t.texts("read", &v.Read, func(s string) string {
		if !path.IsAbs(s) || path.Clean(s) != s || s == "/" || hasControl(s) {
			return fmt.Sprintf("wants absolute paths of files and directories, not %s", describe(s))
		}
		return ""
	})
	t.finish()
}

// platforms are those that Verus publishes a zip for, by the names in the names of these zips.
var platforms = []string{"x86-linux", "arm64-macos", "x86-macos", "x86-win"}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// hashes reads a table of platforms and hashes.
func (p *parser) hashes(t *table) map[string]string {
	var out map[string]string
	for _, platform := range platforms {
		hash := ""
		t.text(platform, &hash, func(s string) string {
			if !sha256Hex.MatchString(s) {
				return fmt.Sprintf("wants a SHA-256 as 64 lower-case hexadecimal digits, not %s", describe(s))
			}
			return ""
		})
		if hash != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[platform] = hash
		}
	}
	t.finish()
	return out
}

var releaseName = regexp.MustCompile(`^[0-9]+\.[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9a-f]{7,40}$`)

func releaseProblem(s string) string {
	if !releaseName.MatchString(s) {
		return fmt.Sprintf("wants a release of Verus such as \"0.2026.08.15.7d4628a\", not %s", describe(s))
	}
	return ""
}

func pathProblem(s string) string {
	if !fs.ValidPath(s) || s == "." || strings.ContainsRune(s, '\\') || hasControl(s) {
		return fmt.Sprintf("wants a path inside the repository, relative to its root and with `/`, not %s", describe(s))
	}
	return ""
}

// argProblem refuses what would make the verifier prove less than the report says.
func argProblem(s string) string {
	name, _, _ := strings.Cut(s, "=")
	switch name {
	case "--no-verify", "--no-lifetime", "--no-erasure-check", "--verify-root", "--verify-module", "--verify-only-module", "--verify-function":
		return fmt.Sprintf("may not have %s: it turns off a part of the verification", strconv.Quote(name))
	}
	if s == "" || hasControl(s) {
		return fmt.Sprintf("wants arguments of the verifier, not %s", describe(s))
	}
	return ""
}

func globProblem(g string) string {
	why := ""
	switch {
	case g == "":
		return "wants globs, not an empty string"
	case len(g) > maxGlob:
		why = fmt.Sprintf("it is longer than %d bytes", maxGlob)
	case strings.Count(g, "{") > maxBraces:
		why = fmt.Sprintf("it has more than %d groups in braces", maxBraces)
	case strings.Contains(g, "{") && strings.Count(g, ",") > maxAlternatives:
		why = fmt.Sprintf("it has more than %d commas", maxAlternatives)
	case hasControl(g):
		why = "it has a control character"
	case !doublestar.ValidatePattern(g):
		why = "a bracket or brace is not closed, or the like"
	case strings.HasPrefix(g, "/"):
		why = "globs are relative to the repository's root: no `/` at the start"
	case strings.HasSuffix(g, "/"):
		why = "no file has `/` at its end; for all files of a folder write `folder/**`"
	case slices.ContainsFunc(strings.Split(g, "/"), func(s string) bool { return s == "" || s == "." || s == ".." }):
		why = "no path has an empty, `.` or `..` part"
	default:
		return ""
	}
	return fmt.Sprintf("has the bad glob %s: %s", quoteShort(g), why)
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

func familyOf(rule string) string {
	family, _, _ := strings.Cut(rule, "/")
	return family
}

// ruleProblem says what is wrong with a rule's id or family wildcard.
func (p *parser) ruleProblem(rule string) string {
	names, what := p.rules, "rule"
	if strings.HasSuffix(rule, "*") {
		names, what = p.families, "family of rules"
	}
	if slices.Contains(names, rule) {
		return ""
	}
	help := p.didYouMean(rule, names, "`")
	if help == "" {
		// The family may be missing or wrong.
		for _, name := range p.rules {
			if what == "rule" && path.Base(name) == path.Base(rule) {
				help = "; did you mean `" + name + "`?"
			}
		}
	}
	if help == "" {
		help = "; docs/rules.md lists them"
	}
	return fmt.Sprintf("unknown %s `%s`%s", what, short(rule), help)
}

func (p *parser) ruleSettings(t *table) []RuleSetting {
	var out []RuleSetting
	for _, rule := range t.keys() {
		if problem := p.ruleProblem(rule); problem != "" {
			p.report(t.keySpan(rule), "%s", problem)
		}
		s := ""
		word(t, rule, &s, Off.String(), Notice.String(), Warning.String(), Error.String())
		var severity Severity
		if severity.UnmarshalText([]byte(s)) == nil {
			out = append(out, RuleSetting{Rule: rule, Severity: severity, Where: p.rangeOf(t.keySpan(rule))})
		}
	}
	return out
}

func (p *parser) overrides(t *table, pol *Policy) {
	for _, glob := range t.keys() {
		at := t.keySpan(glob)
		if problem := globProblem(glob); problem != "" {
			p.report(at, "`paths` %s", problem)
		}
		o := t.table(glob)
		if o == nil {
			continue
		}
		rules := o.table("rules")
		if _, given := o.m["rules"]; !given && !p.partial {
			p.report(at, "`%s` has no `rules`", keyName(o.path))
		}
		o.finish()
		pol.Paths = append(pol.Paths, PathOverride{Glob: glob, Rules: p.ruleSettings(rules), Where: p.rangeOf(at)})
	}
}

var waiverID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

func (p *parser) waivers(t *table, pol *Policy) {
	for _, id := range t.keys() {
		at := t.keySpan(id)
		if !waiverID.MatchString(id) {
			p.report(at, "waiver id %s: want a letter or digit, then at most 63 letters, digits, `-`, `_` or `.`", quoteShort(id))
		}
		w := t.table(id)
		if w == nil {
			continue
		}
		waiver := Waiver{ID: id, Where: p.rangeOf(at)}
		w.text("rule", &waiver.Rule, func(s string) string {
			if problem := p.ruleProblem(s); problem != "" {
				return "names the " + problem
			}
			return ""
		})
		w.text("symbol", &waiver.Symbol, symbolProblem)
		w.text("reason", &waiver.Reason, notBlank)
		w.text("owner", &waiver.Owner, notBlank)
		if w.date("expires", &waiver.Expires) {
			waiver.ExpiresWhere = p.rangeOf(w.valueSpan("expires", -1))
		}
		for _, key := range w.known {
			if _, given := w.m[key]; !given && !p.partial {
				p.report(at, "waiver `%s` has no `%s`", short(id), key)
			}
		}
		w.text("file", &waiver.File, globProblem)
		w.finish()
		pol.Waivers = append(pol.Waivers, waiver)
	}
}

func notBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return "must not be empty"
	}
	return ""
}

// keyName writes a path as a TOML key.
func keyName(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		bare := part != "" && strings.IndexFunc(part, func(r rune) bool { return r >= utf8.RuneSelf || !tomltext.IsBare(byte(r)) }) < 0
		parts[i] = short(part)
		if !bare {
			parts[i] = `"` + parts[i] + `"`
		}
	}
	return strings.Join(parts, ".")
}

// short is s as a message quotes it, without what a reader needs not see.
func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func quoteShort(s string) string { return strconv.Quote(short(s)) }

// describe names a value of TOML for a message.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + quoteShort(v)
	case int64:
		return fmt.Sprintf("the integer %d", v)
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return "the number " + s
	case bool:
		return fmt.Sprintf("the boolean %t", v)
	case time.Time:
		switch v.Location().String() {
		case "date-local":
			return "the date " + DateOf(v).String()
		case "time-local":
			return "a time"
		}
		return "a date with a time"
	case []map[string]any:
		return "an array of tables"
	case []any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return fmt.Sprintf("a %T", v)
}

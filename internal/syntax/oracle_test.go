package syntax_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/syntax/syntaxtest"
)

// The oracle is verus_syn, the parser that Verus's own macros use: see testdata/oracle/README.md for its dump, whose form
// dump below gives to our tree. They are compared on every Rust file of the fixtures and, when SPECGATE_CORPUS names a
// folder, on every one in there.
//
// Where the two may differ is written down here, each with its reason; all else is an error:
//
//   - Outside verus! and its like rustc reads the file, not verus_syn, and Verus's words are plain identifiers there. A file
//     that verus_syn refuses as a whole is compared no further.
//   - The inside of an atomically or with clause is tokens to us: its extent is compared, as what follows it must be in place.
//   - What verus_syn keeps as raw tokens ("verbatim") stands for one item of ours with all that is in it.
func TestOracle(t *testing.T) {
	oracle := syntaxtest.Oracle(t)
	files := syntax.RustFiles(t, filepath.Join("..", "..", "testdata"))
	if dir := os.Getenv("SPECGATE_CORPUS"); dir != "" {
		files = append(files, syntax.RustFiles(t, dir)...)
	}
	r := newReport()
	for _, d := range runOracle(t, oracle, files) {
		r.compare(t, d)
	}
	t.Logf("%d files, %d functions, %d clauses, %d macro bodies compared; %d files refused by verus_syn alone", r.files, r.fns, r.clauses, r.macros, r.refused)
	show := 3
	if n, err := strconv.Atoi(os.Getenv("SPECGATE_ORACLE_SHOW")); err == nil {
		show = n
	}
	for _, group := range r.groups() {
		t.Errorf("%s: %d places, e.g.\n%s", group.cause, len(group.places), strings.Join(group.places[:min(show, len(group.places))], "\n"))
	}
}

// TestOracleMutations compares the parsers on code that is nearly right: each item of the verus! bodies in the fixtures (and
// of SPECGATE_CORPUS, where each is changed once) with one token left out, doubled, swapped with another or replaced.
//
// What verus_syn accepts must be accepted, with the same tree. Differences that are explained:
//
//   - A name that is one of Verus's words where a clause or bound may end ends it for us: verus_syn takes `requires` in a
//     clause list for a variable.
//   - A quantifier with a contract, as closures have one: verus_syn reads it as a closure, Verus refuses it later.
//   - An assert or assume that is an operand: verus_syn reads it, and rustc something else in what it makes of it.
//   - `:::` is read as `::` `:`, as rustc does; the tokens that verus_syn sees have it the other way round as well.
//
// The other way we are more tolerant in places that no verifier run survives; how often is bounded.
func TestOracleMutations(t *testing.T) {
	oracle := syntaxtest.Oracle(t)
	dir, times := filepath.Join("..", "..", "testdata"), 4
	if c := os.Getenv("SPECGATE_CORPUS"); c != "" {
		dir, times = c, 1
	}
	var paths []string
	out := t.TempDir()
	for _, text := range mutants(t, dir, times) {
		path := filepath.Join(out, fmt.Sprintf("m%06d.rs", len(paths)))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	r := newReport()
	for _, d := range runOracle(t, oracle, paths) {
		r.compare(t, d)
	}
	tolerated := len(r.places[tolerant])
	delete(r.places, tolerant)
	t.Logf("%d mutants, of which %d functions were compared; %d accepted by us alone", len(paths), r.fns, tolerated)
	if tolerated > len(paths)/100 {
		t.Errorf("%d of %d mutants are accepted by us alone", tolerated, len(paths))
	}
	for _, group := range r.groups() {
		shown := 0
		for _, place := range group.places {
			path, _, _ := strings.Cut(place, ":")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !explainedError.MatchString(place) && !explainedText.Match(text) {
				if shown++; shown <= 3 {
					t.Errorf("%s: %s\n%s", group.cause, place, text)
				}
			}
		}
	}
}

// What TestOracleMutations allows, by our message and by the text.
var (
	explainedError = regexp.MustCompile("out of order or given twice|`assert` and `assume` have no value|found `(requires|recommends|ensures|default_ensures|returns|decreases|invariant|no_unwind|opens_invariants|when|via)`")
	explainedText  = regexp.MustCompile(`:::|(forall|exists|choose)\s*\|[^|]*\|\s*(->|requires|ensures)`)
)

// mutants are small changed programs, the same ones in every run.
func mutants(t *testing.T, dir string, times int) []string {
	t.Helper()
	tokens := strings.Fields("requires ensures decreases when via invariant returns by matches is isnt has implies forall exists choose assert assume proof spec " +
		"tracked ghost open && || ==> <== <==> &&& ||| === =~= !== as @ -> => ! & * - | || { } ( ) [ ] , ; : :: .. ..= # < > << >> = == " +
		"if match let else while for in loop return break fn mut ref self Self x f 0 1int \"s\" 'a")
	seen := map[string]bool{}
	var all []string
	for _, path := range syntax.RustFiles(t, dir) {
		if strings.Contains(filepath.ToSlash(path), "/reject/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		syntax.Parse(source.NewFile(path, text)).Root().Walk(func(n syntax.Node) bool {
			if n.Kind() != syntax.MacroCall || compact(n.Get(syntax.FPath)) != "verus" {
				return true
			}
			for item := range n.Get(syntax.FArgs).All(syntax.FItem) {
				if s := item.Text(); len(s) < 1500 && !seen[s] && !parsedMacro(item) {
					seen[s] = true
					for i := range times {
						all = append(all, "verus! {\n"+mutate(s, uint64(i), tokens)+"\n}\n")
					}
				}
			}
			return false
		})
	}
	return all
}

// parsedMacro tells whether an item is or holds a macro whose inside we read and the oracle does not.
func parsedMacro(item syntax.Node) bool {
	found := item.Kind() == syntax.MacroCall
	item.Walk(func(n syntax.Node) bool {
		found = found || n.Kind() == syntax.MacroBody
		return !found
	})
	return found
}

func mutate(s string, seed uint64, tokens []string) string {
	h := fnv.New64a()
	h.Write([]byte(s))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	var spans []source.Span
	for t := range syntax.Parse(source.NewFile("item", []byte(s))).Root().Tokens() {
		spans = append(spans, t.Span())
	}
	i, j := r.IntN(len(spans)), r.IntN(len(spans))
	a, b := spans[min(i, j)], spans[max(i, j)]
	other := tokens[r.IntN(len(tokens))]
	switch r.IntN(5) {
	case 0:
		return s[:a.Start] + s[a.End:]
	case 1:
		return s[:a.End] + " " + s[a.Start:]
	case 2:
		return s[:a.Start] + " " + other + " " + s[a.End:]
	case 3:
		return s[:a.Start] + " " + other + " " + s[a.Start:]
	}
	if a == b {
		return s
	}
	return s[:a.Start] + s[b.Start:b.End] + s[a.End:b.Start] + s[a.Start:a.End] + s[b.End:]
}

func runOracle(t *testing.T, oracle string, files []string) []*dumped {
	t.Helper()
	cmd := exec.Command(oracle)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []*dumped
	dec := json.NewDecoder(bufio.NewReaderSize(out, 1<<20))
	for dec.More() {
		d := &dumped{}
		if err := dec.Decode(d); err != nil {
			t.Fatalf("reading the oracle's dump: %v", err)
		}
		all = append(all, d)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("running the oracle: %v\n%s", err, stderr.Bytes())
	}
	if len(all) != len(files) {
		t.Fatalf("the oracle dumped %d files of %d", len(all), len(files))
	}
	return all
}

// dumped is one line of the oracle's dump.
type dumped struct {
	Path   string        `json:"path"`
	OK     bool          `json:"ok"`
	Error  dumpedError   `json:"error"`
	Macros []dumpedMacro `json:"macros"`
	Items  []string      `json:"items"`
	Fns    []dumpedFn    `json:"fns"`
}

type dumpedError struct {
	At      int    `json:"at"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type dumpedMacro struct {
	Name  string      `json:"name"`
	At    int         `json:"at"`
	OK    bool        `json:"ok"`
	Error dumpedError `json:"error"`
}

type dumpedFn struct {
	At        int              `json:"at"`
	Start     int              `json:"start"`
	Const     bool             `json:"const"`
	Assumed   bool             `json:"assume_specification"`
	Path      string           `json:"path"`
	Mode      string           `json:"mode"`
	Publish   string           `json:"publish"`
	Modifiers []string         `json:"modifiers"`
	Params    []string         `json:"params"`
	Ret       string           `json:"ret"`
	Generics  string           `json:"generics"`
	Clauses   []dumpedClause   `json:"clauses"`
	Body      []int            `json:"body"`
	Shape     string           `json:"shape"`
	Inner     []dumpedInClause `json:"inner"`
}

type dumpedClause struct {
	Kind  string       `json:"kind"`
	Text  string       `json:"text"`
	At    int          `json:"at"`
	Exprs []dumpedExpr `json:"exprs"`
}

type dumpedInClause struct {
	Kind  string       `json:"kind"`
	Text  string       `json:"text"`
	At    spans        `json:"at"`
	Exprs []dumpedExpr `json:"exprs"`
}

// spans reads [[start,end],..], and a lone number, the place of an error, as no spans.
type spans [][2]int

func (s *spans) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		return nil
	}
	return json.Unmarshal(b, (*[][2]int)(s))
}

type dumpedExpr struct {
	Span  [2]int
	Shape string
}

func (e *dumpedExpr) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&e.Span[0], &e.Span[1], &e.Shape})
}

// --- our dump ---

type dumper struct {
	scope  []string
	items  []string
	fns    []dumpedFn
	macros []dumpedMacro
	inner  []dumpedInClause
}

func word(c byte) bool {
	return c == '_' || c == '"' || c == '\'' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// compact is the text of nodes without layout: a space only where two words would run together.
func compact(nodes ...syntax.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		for t := range n.Tokens() {
			addCompact(&b, t.Text())
		}
	}
	return b.String()
}

func addCompact(b *strings.Builder, text string) {
	if s := b.String(); s != "" && text != "" && word(s[len(s)-1]) && word(text[0]) {
		b.WriteByte(' ')
	}
	b.WriteString(text)
}

// without is compact of a node's tokens less those of some children.
func without(n syntax.Node, skip ...syntax.Node) string {
	var b strings.Builder
	for t := range n.Tokens() {
		in := func(s syntax.Node) bool {
			return s.Valid() && t.Span().Start >= s.Span().Start && t.Span().End <= s.Span().End
		}
		if !slices.ContainsFunc(skip, in) {
			addCompact(&b, t.Text())
		}
	}
	return b.String()
}

func (d *dumper) qualified(name string) string {
	return strings.Join(append(slices.Clone(d.scope), name), "::")
}

func (d *dumper) item(kind, name string) { d.items = append(d.items, kind+" "+d.qualified(name)) }

func (d *dumper) within(name string, f func()) {
	d.scope = append(d.scope, name)
	f()
	d.scope = d.scope[:len(d.scope)-1]
}

func words(w ...string) string {
	return strings.Join(slices.DeleteFunc(w, func(s string) bool { return s == "" }), " ")
}

func (d *dumper) itemsOf(n syntax.Node) {
	for c := range n.All(syntax.FItem) {
		d.itemNode(c)
	}
}

func (d *dumper) itemNode(n syntax.Node) {
	name := compact(n.Get(syntax.FName))
	mode := compact(n.Get(syntax.FMode))
	switch n.Kind() {
	case syntax.Const, syntax.Static:
		kind := "const"
		if n.Kind() == syntax.Static {
			kind = "static"
		}
		d.item(words(compact(n.Get(syntax.FPublish)), mode, kind), name)
		if n.Get(syntax.FValue).Valid() || n.Get(syntax.FBody).Valid() {
			d.constant(n, name)
		}
	case syntax.Enum:
		d.item(words(mode, "enum"), name+generics(n))
		for v := range n.All(syntax.FVariant) {
			d.item("variant", name+"::"+compact(v.Get(syntax.FName)))
			d.fields(name+"::"+compact(v.Get(syntax.FName)), v)
		}
	case syntax.Struct:
		d.item(words(mode, "struct"), name+generics(n))
		d.fields(name, n)
	case syntax.Union:
		d.item("union", name)
	case syntax.ExternCrate:
		d.item("extern-crate", name)
	case syntax.Fn:
		d.fn(n, name)
	case syntax.ExternBlock:
		d.item("extern", "")
		d.itemsOf(n)
	case syntax.Impl:
		head := "impl "
		if tr := n.Get(syntax.FTrait); tr.Valid() {
			if n.Negative() {
				head += "!"
			}
			head += compact(tr) + " for "
		}
		head += compact(n.Get(syntax.FSelfType))
		d.items = append(d.items, d.qualified(head)+generics(n))
		d.within("{"+head+"}", func() { d.itemsOf(n) })
	case syntax.MacroRules:
		d.item(compact(n.Get(syntax.FPath))+"!", name)
	case syntax.Mod:
		d.item("mod", name)
		d.within(name, func() { d.itemsOf(n) })
	case syntax.Trait:
		d.item("trait", name+generics(n))
		d.within(name, func() { d.itemsOf(n) })
	case syntax.TraitAlias:
		d.item("trait-alias", name)
	case syntax.TypeAlias:
		d.item("type", name)
	case syntax.Use:
		d.items = append(d.items, "use "+compact(n.Get(syntax.FTree)))
	case syntax.Global:
		d.item("global", strings.TrimSuffix(strings.TrimPrefix(without(n, n.Get(syntax.FAttr)), "global "), ";"))
	case syntax.BroadcastUse:
		d.items = append(d.items, words("broadcast-use", paths(n)))
	case syntax.BroadcastGroup:
		d.item("broadcast-group", name+" "+paths(n))
	case syntax.AssumeSpecification:
		target := compact(n.Get(syntax.FTarget))
		d.items = append(d.items, "assume_specification "+target)
		d.contract(n, dumpedFn{Assumed: true, At: openBracket(n), Path: target})
	case syntax.MacroCall:
		d.macro(n)
	case syntax.EmptyItem:
		d.item("empty", "")
	default:
		d.item("verbatim", "")
	}
}

func (d *dumper) fields(of string, n syntax.Node) {
	i := 0
	for f := range n.Get(syntax.FFields).All(syntax.FFieldDecl) {
		name := fmt.Sprint(i)
		if fn := f.Get(syntax.FName); fn.Valid() {
			name = compact(fn)
		}
		d.item(words(compact(f.Get(syntax.FMode)), "field"), of+"::"+name+":"+compact(f.Get(syntax.FType)))
		i++
	}
}

// noBounds drops the colon of a parameter that has no bounds behind it, as the oracle's printer does.
var noBounds = strings.NewReplacer(":,", ",", ":>", ">")

// generics are the parameters and the where clause, those that are empty left out.
func generics(n syntax.Node) string {
	s := ""
	if g := n.Get(syntax.FGenerics); g.Valid() && compact(g) != "<>" {
		s = noBounds.Replace(compact(g))
	}
	if w := n.Get(syntax.FWhere); w.Valid() && compact(w) != "where" {
		s += " " + compact(w)
	}
	return s
}

// openBracket is the place of the first `[` before the target of an assumed specification.
func openBracket(n syntax.Node) int {
	at := 0
	for t := range n.Tokens() {
		if t.Kind() == syntax.LBracket && t.Span().End <= n.Get(syntax.FTarget).Span().Start {
			at = t.Span().Start
		}
	}
	return at
}

func paths(n syntax.Node) string {
	var all []string
	for p := range n.All(syntax.FPath) {
		if p.Kind() == syntax.AttrExpr {
			p = p.Get(syntax.FExpr)
		}
		all = append(all, compact(p))
	}
	return strings.Join(all, " ")
}

func knownMacro(n syntax.Node) bool {
	p := compact(n.Get(syntax.FPath))
	switch p[strings.LastIndexByte(p, ':')+1:] {
	case "verus", "verus_keep_ghost", "verus_erase_ghost", "verus_impl", "verus_trait_impl":
		return true
	}
	return false
}

func (d *dumper) macro(n syntax.Node) {
	path := compact(n.Get(syntax.FPath))
	if name := n.Get(syntax.FName); name.Valid() {
		d.item(path+"!", compact(name))
		return
	}
	d.items = append(d.items, path+"!")
	if knownMacro(n) {
		d.macros = append(d.macros, dumpedMacro{Name: path, At: n.Get(syntax.FPath).Span().Start, OK: true})
		d.itemsOf(n.Get(syntax.FArgs))
	}
}

func (d *dumper) fn(n syntax.Node, name string) {
	d.item("fn", name)
	f := dumpedFn{At: n.Get(syntax.FName).Span().Start, Path: d.qualified(name), Mode: compact(n.Get(syntax.FMode)), Publish: compact(n.Get(syntax.FPublish))}
	for m := range n.All(syntax.FModifier) {
		w := m.FirstToken().Text()
		if w != "default" && w != "safe" {
			f.Modifiers = append(f.Modifiers, w)
		}
	}
	after := 0
	for a := range n.All(syntax.FAttr) {
		if !a.Inner() {
			after = a.Span().End
		}
	}
	for t := range n.Tokens() {
		if t.Span().Start >= after {
			f.Start = t.Span().Start
			break
		}
	}
	d.contract(n, f)
}

// contract fills in what functions and assumed specifications share, and adds the result.
func (d *dumper) contract(n syntax.Node, f dumpedFn) {
	for p := range n.Get(syntax.FParams).Children() {
		f.Params = append(f.Params, param(p))
	}
	f.Ret = ret(n.Get(syntax.FRet))
	f.Generics = generics(n)
	outer := d.inner
	d.inner = nil
	for a := range n.All(syntax.FAttr) {
		f.Clauses = append(f.Clauses, d.specAttr(a)...)
	}
	for c := range n.All(syntax.FClause) {
		f.Clauses = append(f.Clauses, d.clause(c, "")...)
	}
	if b := n.Get(syntax.FBody); b.Valid() {
		f.Body = []int{b.Span().Start, b.Span().End}
		name := f.Path[strings.LastIndex(f.Path, "::")+1:]
		if i := strings.LastIndex(f.Path, "::"); i < 0 {
			name = f.Path
		}
		var s strings.Builder
		d.within(strings.TrimPrefix(name, ":"), func() { d.block(&s, b) })
		f.Shape = s.String()
	}
	f.Inner = d.inner
	d.inner = outer
	d.fns = append(d.fns, f)
}

func (d *dumper) constant(n syntax.Node, name string) {
	f := dumpedFn{Const: true, At: n.Get(syntax.FName).Span().Start, Path: d.qualified(name)}
	outer := d.inner
	d.inner = nil
	for a := range n.All(syntax.FAttr) {
		f.Clauses = append(f.Clauses, d.specAttr(a)...)
	}
	for c := range n.All(syntax.FClause) {
		f.Clauses = append(f.Clauses, d.clause(c, "")...)
	}
	var s strings.Builder
	d.within(name, func() {
		if v := n.Get(syntax.FValue); v.Valid() {
			d.expr(&s, v)
		}
		if b := n.Get(syntax.FBody); b.Valid() {
			d.block(&s, b)
		}
	})
	f.Shape = s.String()
	f.Inner = d.inner
	d.inner = outer
	d.fns = append(d.fns, f)
}

func (d *dumper) specAttr(a syntax.Node) []dumpedClause {
	spec := a.Get(syntax.FArgs)
	if spec.Kind() != syntax.VerusSpec {
		return nil
	}
	var out []dumpedClause
	if p := spec.Get(syntax.FPat); p.Valid() {
		text := compact(p)
		if ty := spec.Get(syntax.FType); ty.Valid() {
			text += ":" + compact(ty)
		}
		out = append(out, dumpedClause{Kind: "attr.ret", Text: text})
	}
	for c := range spec.All(syntax.FClause) {
		out = append(out, d.clause(c, "attr.")...)
	}
	return out
}

func param(p syntax.Node) string {
	if p.Kind() == syntax.Variadic {
		return "..."
	}
	s := ""
	m := p.Get(syntax.FMode)
	if m.Valid() {
		s = compact(m) + " "
	}
	if p.Kind() == syntax.SelfParam {
		skip := []syntax.Node{m}
		for a := range p.All(syntax.FAttr) {
			skip = append(skip, a)
		}
		return s + without(p, skip...)
	}
	pat := "_"
	if n := p.Get(syntax.FPat); n.Valid() {
		pat = compact(n)
	}
	return s + pat + ":" + compact(p.Get(syntax.FType))
}

func ret(r syntax.Node) string {
	if !r.Valid() {
		return ""
	}
	s := ""
	if m := r.Get(syntax.FMode); m.Valid() {
		s = compact(m) + " "
	}
	if p := r.Get(syntax.FPat); p.Valid() {
		s += compact(p) + ":"
	}
	return s + compact(r.Get(syntax.FType))
}

func (d *dumper) clause(c syntax.Node, prefix string) []dumpedClause {
	kind := prefix + c.Which().String()
	var out []dumpedClause
	add := func(kind string, exprs ...syntax.Node) {
		dc := dumpedClause{Kind: kind}
		for _, e := range exprs {
			var s strings.Builder
			d.expr(&s, e)
			dc.Exprs = append(dc.Exprs, dumpedExpr{Span: extent(e), Shape: s.String()})
		}
		out = append(out, dc)
	}
	exprs := slices.Collect(c.All(syntax.FExpr))
	switch c.Which() {
	case syntax.ByProver:
		return []dumpedClause{{Kind: kind, Text: strings.TrimSuffix(strings.TrimPrefix(compact(c), "by("), ")")}}
	case syntax.With, syntax.Atomically:
		return []dumpedClause{{Kind: kind}}
	case syntax.OpensInvariants:
		if len(exprs) != 1 {
			add(kind, exprs...)
			break
		}
		switch e := exprs[0]; {
		case e.Kind() == syntax.Path && (compact(e) == "any" || compact(e) == "none"):
			return []dumpedClause{{Kind: kind, Text: compact(e)}}
		case e.Kind() == syntax.Binary && compact(e.Get(syntax.FLhs)) == "any" && e.Get(syntax.FRhs).Kind() == syntax.Array:
			add(kind+" any/[]", slices.Collect(e.Get(syntax.FRhs).All(syntax.FExpr))...)
		case e.Kind() == syntax.Array:
			add(kind+"[]", slices.Collect(e.All(syntax.FExpr))...)
		default:
			add(kind, e)
		}
	case syntax.NoUnwind:
		if w := c.Get(syntax.FWhen); w.Valid() {
			exprs = append(exprs, w)
		}
		add(kind, exprs...)
	default:
		add(kind, exprs...)
		if w := c.Get(syntax.FWhen); w.Valid() {
			add(prefix+"when", w)
		}
		if v := c.Get(syntax.FVia); v.Valid() {
			add(prefix+"via", v)
		}
	}
	return out
}

// extent of a clause's expression, less the inner attributes before it.
func extent(e syntax.Node) [2]int {
	s := e.Span()
	if e.Kind() == syntax.AttrExpr {
		for a := range e.All(syntax.FAttr) {
			if a.Inner() {
				s.Start = e.Get(syntax.FExpr).Span().Start
				for o := range e.All(syntax.FAttr) {
					if !o.Inner() {
						s.Start = o.Span().Start
						break
					}
				}
			}
			break
		}
	}
	return [2]int{s.Start, s.End}
}

func (d *dumper) innerClauses(b *strings.Builder, owner string, n syntax.Node) {
	for c := range n.All(syntax.FClause) {
		if owner == "closure" && c.Which() == syntax.OpensInvariants {
			b.WriteString(" (opens_invariants)")
			continue
		}
		fmt.Fprintf(b, " (%s", c.Which())
		at := spans{}
		for e := range c.All(syntax.FExpr) {
			at = append(at, extent(e))
			b.WriteByte(' ')
			d.expr(b, e)
		}
		b.WriteByte(')')
		d.inner = append(d.inner, dumpedInClause{Kind: owner + "." + c.Which().String(), At: at})
	}
}

// --- statements and expressions ---

func (d *dumper) block(b *strings.Builder, n syntax.Node) {
	b.WriteString("(block")
	for s := range n.All(syntax.FStmt) {
		b.WriteByte(' ')
		d.stmt(b, s)
	}
	b.WriteByte(')')
}

func (d *dumper) stmt(b *strings.Builder, n syntax.Node) {
	switch n.Kind() {
	case syntax.Let:
		shut := d.attrs(b, n)
		b.WriteString("(let")
		if m := n.Get(syntax.FMode); m.Valid() {
			b.WriteString(" " + compact(m))
		}
		d.pat(b, n.Get(syntax.FPat), n.Get(syntax.FType))
		if e := n.Get(syntax.FInit); e.Valid() {
			b.WriteString(" = ")
			d.expr(b, e)
		}
		if e := n.Get(syntax.FElse); e.Valid() {
			b.WriteString(" else ")
			d.expr(b, e)
		}
		b.WriteString(")" + shut)
	case syntax.ExprStmt:
		if n.Semi() {
			b.WriteString("(semi ")
		}
		d.pushed(b, n.Get(syntax.FExpr), slices.Collect(n.All(syntax.FAttr)))
		if n.Semi() {
			b.WriteByte(')')
		}
	case syntax.EmptyStmt:
		b.WriteString("(empty)")
	default:
		i := len(d.items)
		d.itemNode(n)
		first := ""
		if i < len(d.items) {
			first, _, _ = strings.Cut(d.items[i], " ")
		}
		fmt.Fprintf(b, "(item %s)", first)
	}
}

// pushed moves the attributes of a statement to its leftmost operand, as verus_syn does.
func (d *dumper) pushed(b *strings.Builder, e syntax.Node, attrs []syntax.Node) {
	switch e.Kind() {
	case syntax.Assign, syntax.Binary:
		d.open(b, e)
		d.pushed(b, e.Get(syntax.FLhs), attrs)
		b.WriteByte(' ')
		d.expr(b, e.Get(syntax.FRhs))
		b.WriteByte(')')
	case syntax.Cast:
		b.WriteString("(cast ")
		d.pushed(b, e.Get(syntax.FExpr), attrs)
		fmt.Fprintf(b, " (type %s))", compact(e.Get(syntax.FType)))
	default:
		shut := d.attrList(b, attrs)
		d.expr(b, e)
		b.WriteString(shut)
	}
}

func (d *dumper) attrs(b *strings.Builder, n syntax.Node) string {
	return d.attrList(b, slices.Collect(n.All(syntax.FAttr)))
}

func (d *dumper) attrList(b *strings.Builder, attrs []syntax.Node) string {
	shut := ""
	for _, a := range attrs {
		if text := attrText(a); !a.Inner() && text != "" {
			if spec := a.Get(syntax.FArgs); spec.Kind() == syntax.VerusSpec {
				text = "verus_spec"
				if it := spec.Get(syntax.FPat); it.Valid() && spec.Get(syntax.FClause).Which() != syntax.With {
					d.inner = append(d.inner, dumpedInClause{Kind: "attr.loop.iter", Text: compact(it)})
				}
				for c := range spec.All(syntax.FClause) {
					for _, dc := range d.clause(c, "attr.loop.") {
						if dc.Kind != "attr.loop.with" {
							d.inner = append(d.inner, dumpedInClause{Kind: dc.Kind, Exprs: dc.Exprs})
						}
					}
				}
			}
			fmt.Fprintf(b, "(attr %s ", text)
			shut += ")"
		}
	}
	return shut
}

// attrText is what is between the brackets; "" for documentation.
func attrText(a syntax.Node) string {
	text := compact(a)
	open := strings.IndexByte(text, '[')
	if open < 0 || a.FirstToken().Kind() != syntax.Hash {
		return ""
	}
	text = text[open+1 : len(text)-1]
	if text == "doc" || strings.HasPrefix(text, "doc=") || strings.HasPrefix(text, "doc(") {
		return ""
	}
	return text
}

func (d *dumper) pat(b *strings.Builder, p, ty syntax.Node) {
	fmt.Fprintf(b, " (pat %s)", compact(p))
	if ty.Valid() {
		fmt.Fprintf(b, " (type %s)", compact(ty))
	}
}

func (d *dumper) list(b *strings.Builder, exprs ...syntax.Node) {
	for _, e := range exprs {
		b.WriteByte(' ')
		d.expr(b, e)
	}
}

func (d *dumper) node(b *strings.Builder, name string, exprs ...syntax.Node) {
	b.WriteString("(" + name)
	for _, e := range exprs {
		if e.Valid() {
			d.list(b, e)
		}
	}
	b.WriteByte(')')
}

func (d *dumper) open(b *strings.Builder, e syntax.Node) {
	op := opText(e)
	if e.Kind() == syntax.Assign {
		b.WriteString("(assign " + op + " ")
	} else {
		b.WriteString("(binary " + op + " ")
	}
}

// opText is the operator as written: the tokens between the operands.
func opText(e syntax.Node) string {
	l, r := e.Get(syntax.FLhs), e.Get(syntax.FRhs)
	var b strings.Builder
	for t := range e.Tokens() {
		if t.Span().Start >= l.Span().End && t.Span().End <= r.Span().Start {
			b.WriteString(t.Text())
		}
	}
	return b.String()
}

func (d *dumper) expr(b *strings.Builder, n syntax.Node) {
	get := n.Get
	switch n.Kind() {
	case syntax.AttrExpr:
		shut := d.attrs(b, n)
		d.expr(b, get(syntax.FExpr))
		b.WriteString(shut)
	case syntax.Paren:
		d.expr(b, get(syntax.FExpr))
	case syntax.Path:
		if text := compact(n); text == "_" {
			b.WriteString("(infer)")
		} else {
			fmt.Fprintf(b, "(path %s)", text)
		}
	case syntax.Literal:
		fmt.Fprintf(b, "(lit %s)", compact(n))
	case syntax.Array:
		d.node(b, "array", slices.Collect(n.All(syntax.FExpr))...)
	case syntax.Tuple:
		d.node(b, "tuple", slices.Collect(n.All(syntax.FExpr))...)
	case syntax.ArrayRepeat:
		d.node(b, "repeat", get(syntax.FExpr), get(syntax.FLen))
	case syntax.Block:
		d.blockExpr(b, n)
	case syntax.ProofBlock:
		d.node(b, "unary proof", get(syntax.FBody))
	case syntax.If:
		d.node(b, "if", get(syntax.FCond), get(syntax.FThen), get(syntax.FElse))
	case syntax.LetCond:
		b.WriteString("(let-cond")
		d.pat(b, get(syntax.FPat), syntax.Node{})
		d.list(b, get(syntax.FExpr))
		b.WriteByte(')')
	case syntax.Match:
		b.WriteString("(match")
		d.list(b, get(syntax.FExpr))
		for arm := range n.All(syntax.FArm) {
			b.WriteByte(' ')
			shut := d.attrs(b, arm)
			b.WriteString("(arm")
			d.pat(b, arm.Get(syntax.FPat), syntax.Node{})
			if g := arm.Get(syntax.FGuard); g.Valid() {
				b.WriteString(" if ")
				d.expr(b, g)
			}
			d.list(b, arm.Get(syntax.FBody))
			b.WriteString(")" + shut)
		}
		b.WriteByte(')')
	case syntax.While, syntax.Loop:
		kind := "while"
		if n.Kind() == syntax.Loop {
			kind = "loop"
		}
		b.WriteString("(" + kind + label(get(syntax.FLabel)))
		if c := get(syntax.FCond); c.Valid() {
			d.list(b, c)
		}
		d.innerClauses(b, "loop", n)
		b.WriteByte(' ')
		d.block(b, get(syntax.FBody))
		b.WriteByte(')')
	case syntax.For:
		b.WriteString("(for" + label(get(syntax.FLabel)))
		d.pat(b, get(syntax.FPat), syntax.Node{})
		if it := get(syntax.FName); it.Valid() {
			fmt.Fprintf(b, " (iter %s)", compact(it))
		}
		d.list(b, get(syntax.FExpr))
		d.innerClauses(b, "loop", n)
		b.WriteByte(' ')
		d.block(b, get(syntax.FBody))
		b.WriteByte(')')
	case syntax.Closure:
		d.closure(b, n, "closure", get(syntax.FBody))
	case syntax.Quant:
		d.closure(b, n, n.FirstToken().Text(), get(syntax.FExpr))
	case syntax.AtomicallyCall:
		// The oracle has the block as the last child of the call.
		var call strings.Builder
		d.expr(&call, get(syntax.FExpr))
		b.WriteString(strings.TrimSuffix(call.String(), ")") + " (atomically ")
		d.block(b, get(syntax.FBody))
		b.WriteString("))")
	case syntax.Call:
		b.WriteString("(call")
		d.list(b, get(syntax.FCallee))
		d.list(b, slices.Collect(get(syntax.FArgs).All(syntax.FExpr))...)
		b.WriteByte(')')
	case syntax.MethodCall:
		b.WriteString("(method-call")
		d.list(b, get(syntax.FReceiver))
		b.WriteString(" " + compact(get(syntax.FName)))
		if g := get(syntax.FGenericArgs); g.Valid() {
			b.WriteString("::" + strings.TrimPrefix(compact(g), "::"))
		}
		d.list(b, slices.Collect(get(syntax.FArgs).All(syntax.FExpr))...)
		b.WriteByte(')')
	case syntax.FieldExpr:
		b.WriteString("(field")
		d.list(b, get(syntax.FExpr))
		fmt.Fprintf(b, " %s)", compact(get(syntax.FName)))
	case syntax.Index:
		d.node(b, "index", get(syntax.FExpr), get(syntax.FIndex))
	case syntax.Try:
		d.node(b, "try", get(syntax.FExpr))
	case syntax.Await:
		d.node(b, "await", get(syntax.FExpr))
	case syntax.Range:
		op := ".."
		if n.Op() == syntax.DotDotEq {
			op = "..="
		}
		b.WriteString("(range " + op)
		for _, e := range []syntax.Node{get(syntax.FLo), get(syntax.FHi)} {
			if e.Valid() {
				d.list(b, e)
			} else {
				b.WriteString(" -")
			}
		}
		b.WriteByte(')')
	case syntax.Ref:
		switch {
		case n.Raw() && n.Mut():
			d.node(b, "raw-addr mut", get(syntax.FExpr))
		case n.Raw():
			d.node(b, "raw-addr const", get(syntax.FExpr))
		case n.Mut():
			d.node(b, "reference mut", get(syntax.FExpr))
		default:
			d.node(b, "reference", get(syntax.FExpr))
		}
	case syntax.Unary:
		d.node(b, "unary "+n.FirstToken().Text(), get(syntax.FExpr))
	case syntax.Binary, syntax.Assign:
		d.open(b, n)
		d.expr(b, get(syntax.FLhs))
		b.WriteByte(' ')
		d.expr(b, get(syntax.FRhs))
		b.WriteByte(')')
	case syntax.Cast:
		b.WriteString("(cast ")
		d.expr(b, get(syntax.FExpr))
		fmt.Fprintf(b, " (type %s))", compact(get(syntax.FType)))
	case syntax.Return:
		d.node(b, "return", get(syntax.FExpr))
	case syntax.Yield:
		d.node(b, "yield", get(syntax.FExpr))
	case syntax.Break, syntax.Continue:
		kind := "break"
		if n.Kind() == syntax.Continue {
			kind = "continue"
		}
		d.node(b, kind+label(get(syntax.FLabel)), get(syntax.FExpr))
	case syntax.StructExpr:
		b.WriteString("(struct " + compact(get(syntax.FPath)))
		for f := range n.All(syntax.FFieldInit) {
			b.WriteByte(' ')
			shut := d.attrs(b, f)
			b.WriteString("(field " + compact(f.Get(syntax.FName)))
			if e := f.Get(syntax.FExpr); e.Valid() {
				d.list(b, e)
			} else {
				b.WriteString(" -")
			}
			b.WriteString(")" + shut)
		}
		base := get(syntax.FBase)
		if base.Valid() || n.HasRest() {
			b.WriteString(" ..")
		}
		if base.Valid() {
			d.list(b, base)
		}
		b.WriteByte(')')
	case syntax.MacroCall:
		shut := d.attrs(b, n)
		fmt.Fprintf(b, "(macro %s)", compact(get(syntax.FPath)))
		if knownMacro(n) {
			d.macro(n)
		}
		b.WriteString(shut)
	case syntax.Assert:
		prover, body := get(syntax.FProver), get(syntax.FBody)
		if !prover.Valid() && !body.Valid() {
			d.node(b, "call (path assert)", get(syntax.FExpr))
			break
		}
		b.WriteString("(assert")
		d.list(b, get(syntax.FExpr))
		if prover.Valid() {
			fmt.Fprintf(b, " (by %s)", strings.Trim(strings.TrimPrefix(compact(prover), "by"), "()"))
		}
		d.innerClauses(b, "assert", n)
		if body.Valid() {
			b.WriteByte(' ')
			d.block(b, body)
		}
		b.WriteByte(')')
	case syntax.AssertForall:
		b.WriteString("(assert-forall")
		for p := range n.All(syntax.FParam) {
			d.pat(b, p.Get(syntax.FPat), p.Get(syntax.FType))
		}
		d.list(b, get(syntax.FExpr))
		if i := get(syntax.FImplies); i.Valid() {
			b.WriteString(" implies")
			d.list(b, i)
		}
		b.WriteByte(' ')
		d.block(b, get(syntax.FBody))
		b.WriteByte(')')
	case syntax.Assume:
		d.node(b, "call (path assume)", get(syntax.FExpr))
	case syntax.View:
		d.node(b, "view", get(syntax.FExpr))
	case syntax.Arrow:
		b.WriteString("(get-field")
		d.list(b, get(syntax.FExpr))
		fmt.Fprintf(b, " %s)", compact(get(syntax.FName)))
	case syntax.Is:
		kind := "is"
		if n.Not() {
			kind = "isnt"
		}
		b.WriteString("(" + kind)
		d.list(b, get(syntax.FExpr))
		fmt.Fprintf(b, " %s)", compact(get(syntax.FName), get(syntax.FType)))
	case syntax.Has:
		kind := "has"
		if n.Not() {
			kind = "hasnt"
		}
		d.node(b, kind, get(syntax.FLhs), get(syntax.FRhs))
	case syntax.Matches:
		b.WriteString("(matches")
		d.list(b, get(syntax.FExpr))
		d.pat(b, get(syntax.FPat), syntax.Node{})
		b.WriteByte(')')
	case syntax.BigAnd:
		d.node(b, "big-and", bigAnd(n)...)
	case syntax.BigOr:
		d.node(b, "big-or", slices.Collect(n.All(syntax.FExpr))...)
	default:
		fmt.Fprintf(b, "(verbatim %s)", compact(n))
	}
}

// bigAnd lists the items of a &&& list, also those that stand behind a `matches` for scope.
func bigAnd(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	for e := range n.All(syntax.FExpr) {
		if e.Kind() == syntax.Binary && e.Op() == syntax.AndAndAnd {
			out = append(append(out, e.Get(syntax.FLhs)), bigAnd(e.Get(syntax.FRhs))...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

func label(l syntax.Node) string {
	if !l.Valid() {
		return ""
	}
	return " " + strings.TrimSuffix(compact(l), ":")
}

func (d *dumper) blockExpr(b *strings.Builder, n syntax.Node) {
	shut := ""
	if l := n.Get(syntax.FLabel); l.Valid() {
		b.WriteString("(labeled" + label(l) + " ")
		shut += ")"
	}
	kind := ""
	for m := range n.All(syntax.FModifier) {
		kind = words(kind, compact(m))
	}
	if kind == "try" {
		kind = "try-block"
	}
	if kind != "" {
		b.WriteString("(" + kind + " ")
		shut += ")"
	}
	d.block(b, n)
	b.WriteString(shut)
}

func (d *dumper) closure(b *strings.Builder, n syntax.Node, kind string, body syntax.Node) {
	b.WriteString("(" + kind)
	for m := range n.All(syntax.FModifier) {
		b.WriteString(" " + compact(m))
	}
	if m := n.Get(syntax.FMode); m.Valid() {
		b.WriteString(" " + m.FirstToken().Text())
	}
	b.WriteString(" (params")
	for p := range n.All(syntax.FParam) {
		if m := p.Get(syntax.FMode); m.Valid() {
			b.WriteString(" " + compact(m))
		}
		d.pat(b, p.Get(syntax.FPat), p.Get(syntax.FType))
	}
	b.WriteByte(')')
	if r := ret(n.Get(syntax.FRet)); r != "" {
		fmt.Fprintf(b, " (ret %s)", r)
	}
	d.innerClauses(b, "closure", n)
	for a := range n.All(syntax.FAttr) {
		if a.Inner() {
			fmt.Fprintf(b, " (inner %s)", attrText(a))
		}
	}
	d.list(b, body)
	b.WriteByte(')')
}

// --- comparing ---

const tolerant = "accepted where verus_syn refuses"

type report struct {
	files, fns, clauses, macros, refused int
	places                               map[string][]string
}

type group struct {
	cause  string
	places []string
}

func newReport() *report { return &report{places: map[string][]string{}} }

func (r *report) groups() []group {
	var all []group
	for cause, places := range r.places {
		all = append(all, group{cause, places})
	}
	sort.Slice(all, func(i, j int) bool {
		return len(all[i].places) > len(all[j].places) || len(all[i].places) == len(all[j].places) && all[i].cause < all[j].cause
	})
	return all
}

func (r *report) compare(t *testing.T, want *dumped) {
	t.Helper()
	text, err := os.ReadFile(want.Path)
	if err != nil {
		t.Fatal(err)
	}
	r.files++
	src := source.NewFile(want.Path, text)
	f := syntax.Parse(src)
	add := func(cause string, at int, format string, args ...any) {
		p := src.Position(at)
		r.places[cause] = append(r.places[cause], fmt.Sprintf("%s:%d:%d: ", want.Path, p.Line, p.Column)+fmt.Sprintf(format, args...))
	}
	if !want.OK {
		if len(f.Errors) == 0 {
			r.refused++
		}
		return
	}
	var bad []dumpedMacro
	for _, m := range want.Macros {
		r.macros++
		if !m.OK {
			bad = append(bad, m)
		}
	}
	for _, fn := range want.Fns {
		for _, c := range fn.Clauses {
			if c.Kind == "attr.error" {
				bad = append(bad, dumpedMacro{Error: dumpedError{At: c.At, Message: c.Text}})
			}
		}
		for _, c := range fn.Inner {
			if c.Kind == "attr.error" {
				bad = append(bad, dumpedMacro{Error: dumpedError{At: fn.At, Message: c.Text}})
			}
		}
	}
	if len(bad) > 0 {
		if len(f.Errors) == 0 {
			add(tolerant, bad[0].Error.At, "%s", bad[0].Error.Message)
		}
		return
	}
	if len(f.Errors) > 0 {
		e := f.Errors[0]
		add("refused where verus_syn accepts", e.Span.Start, "%s: %s", e.Message, src.Line(src.Position(e.Span.Start).Line))
		return
	}

	d := &dumper{}
	d.itemsOf(f.Root())
	r.compareItems(want, d.items, add)

	ours := map[int]dumpedFn{}
	for _, fn := range d.fns {
		ours[fn.At] = fn
	}
	for _, w := range want.Fns {
		r.fns++
		g, ok := ours[w.At]
		if !ok {
			add("function missing", w.At, "%s", w.Path)
			continue
		}
		delete(ours, w.At)
		r.compareFn(w, g, add)
	}
	if !hasVerbatim(want) {
		for at, g := range ours {
			add("function too many", at, "%s", g.Path)
		}
	}
	for i, m := range want.Macros {
		if i >= len(d.macros) || d.macros[i].At != m.At {
			add("macro body not read", m.At, "%s", m.Name)
			break
		}
	}
}

func (r *report) compareItems(want *dumped, ours []string, add func(string, int, string, ...any)) {
	if hasVerbatim(want) {
		return
	}
	ours = slices.DeleteFunc(slices.Clone(ours), func(s string) bool { return strings.HasPrefix(s, "empty ") })
	for i := 0; i < len(want.Items) || i < len(ours); i++ {
		w, g := at(want.Items, i), at(ours, i)
		if w != g {
			add("item differs", 0, "item %d\nwant %s\n got %s", i, w, g)
			return
		}
	}
}

func hasVerbatim(d *dumped) bool {
	return slices.ContainsFunc(d.Items, func(s string) bool { return strings.HasPrefix(s, "verbatim ") })
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

func (r *report) compareFn(w, g dumpedFn, add func(string, int, string, ...any)) {
	differ := func(what, ws, gs string) {
		if ws != gs {
			add(what+" differs", w.At, "%s\n want %s\n  got %s", w.Path, ws, gs)
		}
	}
	differ("path", w.Path, g.Path)
	differ("mode", w.Mode, g.Mode)
	differ("publish", w.Publish, g.Publish)
	differ("modifiers", strings.Join(w.Modifiers, " "), strings.Join(g.Modifiers, " "))
	differ("parameters", strings.Join(w.Params, ", "), strings.Join(g.Params, ", "))
	differ("return", w.Ret, g.Ret)
	differ("generics", w.Generics, g.Generics)
	if !w.Const && !w.Assumed {
		differ("start", fmt.Sprint(w.Start), fmt.Sprint(g.Start))
	}
	differ("body span", fmt.Sprint(w.Body), fmt.Sprint(g.Body))
	w.Clauses = slices.DeleteFunc(w.Clauses, func(c dumpedClause) bool { return strings.Contains(c.Kind, "atomically.") })
	for i := 0; i < len(w.Clauses) || i < len(g.Clauses); i++ {
		if i >= len(w.Clauses) || i >= len(g.Clauses) || w.Clauses[i].Kind != g.Clauses[i].Kind {
			differ("clause list", kinds(w.Clauses), kinds(g.Clauses))
			break
		}
		wc, gc := w.Clauses[i], g.Clauses[i]
		if wc.Kind != "with" && wc.Kind != "attr.with" && wc.Kind != "atomically" {
			differ("clause text", wc.Text, gc.Text)
		}
		if len(wc.Exprs) != len(gc.Exprs) {
			differ("clause count", fmt.Sprint(wc.Exprs), fmt.Sprint(gc.Exprs))
			break
		}
		for j := range wc.Exprs {
			r.clauses++
			we, ge := wc.Exprs[j], gc.Exprs[j]
			if we.Span != ge.Span {
				add("clause span differs", we.Span[0], "%s: want %v, got %v", wc.Kind, we.Span, ge.Span)
			}
			if we.Shape != ge.Shape {
				ws, gs := around(we.Shape, ge.Shape)
				add("clause shape differs", we.Span[0], "%s\n want %s\n  got %s", wc.Kind, ws, gs)
			}
		}
	}
	if w.Shape != g.Shape {
		ws, gs := around(w.Shape, g.Shape)
		add("body shape differs", w.At, "%s\n want %s\n  got %s", w.Path, ws, gs)
		return
	}
	for i := 0; i < len(w.Inner) || i < len(g.Inner); i++ {
		if i >= len(w.Inner) || i >= len(g.Inner) {
			add("inner clause list differs", w.At, "want %d, got %d", len(w.Inner), len(g.Inner))
			break
		}
		wi, gi := w.Inner[i], g.Inner[i]
		r.clauses += max(len(wi.At), len(wi.Exprs))
		if ws, gs := fmt.Sprint(wi.Kind, wi.Text, wi.At, wi.Exprs), fmt.Sprint(gi.Kind, gi.Text, gi.At, gi.Exprs); ws != gs {
			differ("inner clause", ws, gs)
			break
		}
	}
}

func kinds(clauses []dumpedClause) string {
	var all []string
	for _, c := range clauses {
		all = append(all, c.Kind)
		if strings.HasSuffix(c.Kind, "error") {
			all = append(all, c.Text)
		}
	}
	return strings.Join(all, " ")
}

// around cuts two shapes to the neighbourhood of their first difference.
func around(w, g string) (string, string) {
	i := 0
	for i < len(w) && i < len(g) && w[i] == g[i] {
		i++
	}
	cut := func(s string) string {
		from, to := max(0, i-80), min(len(s), i+120)
		return "…" + strings.ToValidUTF8(s[min(from, len(s)):to], "") + "…"
	}
	return cut(w), cut(g)
}

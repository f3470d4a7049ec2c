package harness

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

//go:embed runtime.rs
var runtimeText string

// Stand-ins for what executable code uses of vstd, beside syntax.ErasedPrelude.
//
//go:embed vstd.rs
var vstdText string

// build is a crate being compiled.
type build struct {
	req     Request
	res     *Result
	name    string // of the module of the harness; no file has it
	tree    *tree
	targets []*target
	types   []*userType // by number, from 2 on
	byName  map[string]*userType
	tools   *tools
	pkg     *pkg // nil without a manifest
	vstd    bool // the crate is built with vstd itself
	broken  bool // the crate as a whole does not compile
	salvage bool // parts of it that do not are left out

	dir        string   // of this attempt
	root       *os.Root // the same
	downloaded []string // the directories in which cargo has what it downloaded, links resolved
}

// target is a Target with what is written for it.
type target struct {
	*Target
	number int
	out    *Measured
	module *module
	node   syntax.Node // in the erased file
	params []*value.Type
	// original and copy are what stands before the arguments of a call of the function, and of a mutant, with "%s" for the name.
	original, copy string
	types          []*userType
	mutants        []*mutant
	encoded        [][]byte // the inputs
	ended          int      // how many cases ended all of the program
}

func (t *target) dropped() bool { return t.out.Unmeasured != "" }

func (t *target) drop(format string, args ...any) {
	if t.out.Unmeasured == "" {
		t.out.Unmeasured = fmt.Sprintf(format, args...)
	}
}

type mutant struct {
	out  *Mutant
	name string
	text string // erased and instrumented
}

// userType is a struct or enum of the crate.
type userType struct {
	number   int
	path     string // as in value.Data
	module   *module
	item     syntax.Node
	variants []variant
	failure  string
	text     string
}

// variant is a struct as such or a variant of an enum, in its erased form.
type variant struct {
	name   string
	fields []string // names, or places as text
	shape  []string // the names of all fields that its values have; nil if they have none
	count  int      // of those
}

func newBuild(req Request, vstd, salvage bool, res *Result) (*build, error) {
	b := &build{req: req, res: res, vstd: vstd, salvage: salvage, byName: map[string]*userType{}}
	if req.Manifest != "" {
		var err error
		if b.pkg, err = readPackage(req); err != nil {
			return nil, err
		}
		if req.Edition == "" {
			b.req.Edition = b.pkg.edition
		}
	}
	if b.req.Edition == "" {
		b.req.Edition = "2021"
	}
	if !filepath.IsAbs(req.Work) {
		return nil, fmt.Errorf("%w: the working directory %q is not absolute", errRequest, req.Work)
	}
	for name := range req.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.HasPrefix(name, "-") {
			return nil, fmt.Errorf("%w: %q cannot be the name of a file", errRequest, name)
		}
	}
	b.name = unusedName(req)
	var err error
	if b.tree, err = newTree(req, b.prelude()); err != nil {
		return nil, err
	}
	switch {
	case vstd:
		res.Way = ByVstd
	case b.pkg != nil && b.pkg.needs(b.tree):
		res.Way = ByCargo
	}
	for i := range req.Targets {
		t := &target{Target: &req.Targets[i], number: i, out: &res.Targets[i]}
		b.targets = append(b.targets, t)
		if res.Way != ByRustc && b.pkg.script {
			t.drop("its package has a build script, which is not run")
			continue
		}
		b.prepare(t)
	}
	return b, nil
}

// unusedName is a name that no file of the crate has in it.
func unusedName(req Request) string {
	h := fnv.New64a()
	for _, f := range slices.Sorted(maps.Keys(req.Files)) {
		_, _ = h.Write(req.Files[f]) // never fails
	}
	for n := h.Sum64() ^ req.Seed; ; n++ {
		name := "specgate_" + strconv.FormatUint(n, 36)
		used := false
		for _, text := range req.Files {
			used = used || bytes.Contains(text, []byte(name))
		}
		if !used {
			return name
		}
	}
}

// prepare finds out how a target is called, and writes its mutants.
func (b *build) prepare(t *target) {
	f := t.Function
	switch {
	case f.Mode != model.Exec:
		t.drop("it is ghost code")
		return
	case !f.HasBody:
		t.drop("it has no body")
		return
	case f.Kind == model.NestedFunction:
		t.drop("it is nested in another function")
		return
	case f.Kind == model.AssumeSpecFunction:
		t.drop("it states the contract of another function")
		return
	case f.Kind == model.MacroFunction:
		t.drop("it is the output of a macro")
		return
	case f.Kind == model.ConstFunction || f.Node.Kind() != syntax.Fn:
		t.drop("it is a constant")
		return
	case t.Spec == nil:
		t.drop("the types of its parameters are not known")
		return
	}
	for m := range f.Node.All(syntax.FModifier) {
		if m.Text() == "async" {
			t.drop("it is asynchronous")
			return
		}
	}
	judge := t.Spec.Judge()
	for _, p := range judge.Params() {
		t.params = append(t.params, p.Type)
	}
	if len(t.params) != len(f.Params) {
		t.drop("its parameters are not understood")
		return
	}
	if !b.place(t) {
		return
	}
	if !b.reach(t) {
		return
	}
	for i, in := range t.Inputs {
		var e encoder
		e.b = b
		if len(in.Args) != len(t.params) {
			t.drop("input %d has %d arguments, the function %d parameters", i+1, len(in.Args), len(t.params))
			return
		}
		for _, v := range in.Args {
			e.value(v, 0)
		}
		if e.err != nil {
			t.drop("input %d: %v", i+1, e.err)
			return
		}
		t.encoded = append(t.encoded, e.out)
	}
	t.out.Mutants = make([]Mutant, len(t.Mutants.Mutants))
	for i, m := range t.Mutants.Mutants {
		out := &t.out.Mutants[i]
		out.ID = m.ID
		name := fmt.Sprintf("%s_t%d_m%d", b.name, t.number, i+1)
		text, err := t.Mutants.Emit(m, name, syntax.EraseOptions{Prelude: b.prelude()})
		mu := &mutant{out: out, name: name}
		if err != nil {
			out.Failure = err.Error()
		} else {
			short := adapted(syntax.Parse(source.NewFile(f.File.Path, text)), b.prelude())
			mu.text = string(apply(short.Source.Text, ticks(short, b.tick())))
		}
		t.mutants = append(t.mutants, mu)
	}
}

// prelude is the module that has what erased text needs of vstd; empty if that is vstd itself.
func (b *build) prelude() string {
	if b.vstd {
		return ""
	}
	return "crate::" + b.name
}

func (b *build) tick() string { return "crate::" + b.name + "::tick" }

// place finds the module of a target and how the function is called there.
func (b *build) place(t *target) bool {
	f := t.Function
	mod := f.File.Module
	var impl, trait syntax.Node
	at := f.Node.Span()
	f.File.Syntax.Root().Walk(func(n syntax.Node) bool {
		s := n.Span()
		if n.ID() == f.Node.ID() || s.Start > at.Start || s.End < at.End {
			return false
		}
		switch n.Kind() {
		case syntax.Mod:
			name := strings.TrimPrefix(n.Get(syntax.FName).Text(), "r#")
			if mod != "" {
				name = "::" + name
			}
			mod += name
		case syntax.Impl:
			impl = n
		case syntax.Trait:
			trait = n
		}
		return true
	})
	t.module = b.tree.modules[mod]
	if t.module == nil || t.module.file != f.File.Path {
		t.drop("no `mod` leads from %s to its file %s", b.req.Root, f.File.Path)
		return false
	}
	// Line breaks survive erasing.
	erased, line := b.tree.erased[t.module.file], f.File.Syntax.Source.Position(f.NameSpan.Start).Line
	erased.Root().Walk(func(n syntax.Node) bool {
		if name := n.Get(syntax.FName); n.Kind() == syntax.Fn && name.Text() == f.Node.Get(syntax.FName).Text() && erased.Source.Position(name.Span().Start).Line == line {
			t.node = n
		}
		return !t.node.Valid()
	})
	if !t.node.Valid() {
		t.drop("it was lost when ghost code was erased")
		return false
	}
	inst := t.Spec.Judge().Instance()
	var generics []string
	any := false
	for p := range f.Node.Get(syntax.FGenerics).All(syntax.FParam) {
		switch p.Kind() {
		case syntax.TypeParam:
			name := p.Get(syntax.FName).Text()
			text := "_"
			if typ := inst[name]; typ != nil {
				any = true
				text = b.rustType(typ)
			}
			generics = append(generics, text)
		case syntax.ConstParam:
			generics = append(generics, "_")
		}
	}
	turbofish := ""
	if any {
		turbofish = "::<" + strings.Join(generics, ", ") + ">"
	}
	switch {
	case impl.Valid():
		self := b.instantiate(impl.Get(syntax.FSelfType), inst)
		t.copy = "<" + self + ">::%s" + turbofish
		t.original = t.copy
		if of := impl.Get(syntax.FTrait); of.Valid() {
			t.original = "<" + self + " as " + b.instantiate(of, inst) + ">::%s" + turbofish
		}
	case trait.Valid():
		self := inst["Self"]
		if self == nil {
			t.drop("no type is known that has the trait %s", trait.Get(syntax.FName).Text())
			return false
		}
		t.copy = "<" + b.rustType(self) + ">::%s" + turbofish
		t.original = "<" + b.rustType(self) + " as " + trait.Get(syntax.FName).Text() + ">::%s" + turbofish
	default:
		t.original, t.copy = "%s"+turbofish, "%s"+turbofish
	}
	return true
}

// instantiate writes a type of an impl with its type parameters replaced and every lifetime the longest.
func (b *build) instantiate(n syntax.Node, inst map[string]*value.Type) string {
	before := ""
	return retoken(n, func(tok syntax.Token) (string, bool) {
		text := tok.Text()
		prev := before
		before = text
		if tok.Kind() == syntax.LifetimeToken {
			return "'static", true
		}
		if typ := inst[text]; typ != nil && prev != "::" && prev != "." {
			return b.rustType(typ), true
		}
		return "", false
	})
}

// retoken is the text of a node with some of its tokens replaced.
func retoken(n syntax.Node, replace func(syntax.Token) (string, bool)) string {
	if !n.Valid() {
		return ""
	}
	var edits []edit
	for tok := range n.Tokens() {
		if text, ok := replace(tok); ok {
			edits = append(edits, edit{tok.Span().Start, tok.Span().End, text})
		}
	}
	s := n.Span()
	text := apply(n.File().Source.Text[:s.End], edits)
	return string(text[s.Start:])
}

// rustType writes a type so that it means the same in every module.
func (b *build) rustType(t *value.Type) string {
	args := func(ts []*value.Type) string {
		var out []string
		for _, a := range ts {
			out = append(out, b.rustType(a))
		}
		return strings.Join(out, ", ")
	}
	rt := "crate::" + b.name + "::"
	switch t.Kind {
	case value.TBool:
		return "bool"
	case value.TChar:
		return "char"
	case value.TInt:
		if t.Int == value.IntT || t.Int == value.NatT {
			return rt + t.Int.String()
		}
		return t.Int.String()
	case value.TTuple:
		if len(t.Args) == 1 {
			return "(" + b.rustType(t.Args[0]) + ",)"
		}
		return "(" + args(t.Args) + ")"
	case value.TList:
		switch t.List {
		case value.Vec:
			return rt + "sgstd::vec::Vec<" + args(t.Args) + ">"
		case value.Slice:
			return "[" + args(t.Args) + "]"
		case value.Array:
			return "[" + args(t.Args) + "; " + strconv.Itoa(t.Len) + "]"
		case value.String:
			return rt + "sgstd::string::String"
		}
	case value.TData:
		generics := ""
		if len(t.Args) > 0 {
			generics = "<" + args(t.Args) + ">"
		}
		switch t.Name {
		case "Option", "Result":
			return "::core::" + strings.ToLower(t.Name) + "::" + t.Name + generics
		case "Ghost", "Tracked":
			return rt + t.Name + generics
		}
		if in, ok := strings.CutPrefix(t.Name, b.req.Crate+"::"); ok {
			return "crate::" + in + generics
		}
	}
	return "_"
}

// reach finds the types of the crate that a target's values are made of; it drops the target if there is one of which none can be made
// or written.
func (b *build) reach(t *target) bool {
	judge := t.Spec.Judge()
	seen := map[string]bool{}
	var visit func(typ *value.Type, depth int) string
	visit = func(typ *value.Type, depth int) string {
		if typ == nil {
			return "a type that is not understood"
		}
		if depth > 64 {
			return "a type that is nested too deep"
		}
		switch typ.Kind {
		case value.TBool, value.TChar:
			return ""
		case value.TInt:
			if !typ.Int.Fixed() {
				return "the type " + typ.String() + " has no values in executable code"
			}
			return ""
		case value.TTuple:
			if len(typ.Args) > 8 {
				return "a tuple of more than 8 parts"
			}
		case value.TList:
			if typ.List == value.Seq {
				return "the type " + typ.String() + " has no values in executable code"
			}
		case value.TData:
			switch typ.Name {
			case "Ghost", "Tracked":
				return ""
			case "Option", "Result":
			default:
				key := typ.Name + "\x00" + b.rustType(typ)
				if seen[key] {
					return ""
				}
				seen[key] = true
				if len(seen) > 300 {
					return "it reaches too many types"
				}
				u, why := b.userType(typ.Name)
				if why != "" {
					return why
				}
				shapes, err := judge.Shapes(typ)
				if err != nil {
					return err.Error()
				}
				for _, s := range shapes {
					i := slices.IndexFunc(u.variants, func(v variant) bool { return v.name == s.Variant })
					if i < 0 {
						return "the variant " + s.Variant + " of " + typ.String() + " is not understood"
					}
					u.variants[i].shape, u.variants[i].count = s.Names, len(s.Types)
					for j, ft := range s.Types {
						name := strconv.Itoa(j)
						if s.Names != nil {
							name = s.Names[j]
						}
						if !slices.Contains(u.variants[i].fields, name) {
							continue // ghost
						}
						if why := visit(ft, depth+1); why != "" {
							return why
						}
					}
				}
				if !slices.Contains(t.types, u) {
					t.types = append(t.types, u)
				}
			}
		default:
			return "values of the type " + typ.String() + " cannot be made"
		}
		for _, a := range typ.Args {
			if why := visit(a, depth+1); why != "" {
				return why
			}
		}
		return ""
	}
	for i, typ := range t.params {
		if why := visit(typ, 0); why != "" {
			t.drop("parameter %s: %s", t.Function.Params[i].Name, why)
			return false
		}
	}
	if why := visit(judge.Result(), 0); why != "" {
		t.drop("result: %s", why)
		return false
	}
	return true
}

// userType finds a type of the crate by its path and writes how its values are made and written.
func (b *build) userType(name string) (*userType, string) {
	if u := b.byName[name]; u != nil {
		return u, ""
	}
	in, ok := strings.CutPrefix(name, b.req.Crate+"::")
	if !ok {
		return nil, "the type " + name + " is of another crate"
	}
	mod, last := "", in
	if i := strings.LastIndex(in, "::"); i >= 0 {
		mod, last = in[:i], in[i+2:]
	}
	m := b.tree.modules[mod]
	if m == nil {
		return nil, "the type " + in + " is not in a module of the crate"
	}
	for item := range m.items.All(syntax.FItem) {
		if k := item.Kind(); k != syntax.Struct && k != syntax.Enum || strings.TrimPrefix(item.Get(syntax.FName).Text(), "r#") != last {
			continue
		}
		u := &userType{number: len(b.types) + 2, path: name, module: m, item: item}
		if item.Kind() == syntax.Struct {
			u.variants = []variant{{fields: fieldNames(item.Get(syntax.FFields))}}
		} else {
			for v := range item.All(syntax.FVariant) {
				u.variants = append(u.variants, variant{name: strings.TrimPrefix(v.Get(syntax.FName).Text(), "r#"), fields: fieldNames(v.Get(syntax.FFields))})
			}
		}
		u.text = b.implV(u)
		b.types = append(b.types, u)
		b.byName[name] = u
		return u, ""
	}
	return nil, "the type " + in + " is not written out in the sources"
}

func fieldNames(n syntax.Node) []string {
	var out []string
	for f := range n.All(syntax.FFieldDecl) {
		if name := f.Get(syntax.FName); name.Valid() && n.Kind() == syntax.FieldList {
			out = append(out, strings.TrimPrefix(name.Text(), "r#"))
		} else {
			out = append(out, strconv.Itoa(len(out)))
		}
	}
	return out
}

// rawName is a name as Rust code has it: it may be a word of the language.
func rawName(s string) string {
	switch s {
	case "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move",
		"mut", "pub", "ref", "return", "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while", "async", "await", "dyn",
		"abstract", "become", "box", "do", "final", "macro", "override", "priv", "typeof", "unsized", "virtual", "yield", "try", "gen":
		return "r#" + s
	}
	return s
}

// implV is how values of a type are made and written. The braces with places for names fit all forms of structs and variants.
func (b *build) implV(u *userType) string {
	rt := "crate::" + b.name + "::"
	var declared, used []string
	static := func(tok syntax.Token) (string, bool) { return "'static", tok.Kind() == syntax.LifetimeToken }
	for p := range u.item.Get(syntax.FGenerics).All(syntax.FParam) {
		name := p.Get(syntax.FName).Text()
		switch p.Kind() {
		case syntax.LifetimeParam:
			used = append(used, "'static")
		case syntax.ConstParam:
			declared, used = append(declared, "const "+name+": "+p.Get(syntax.FType).Text()), append(used, name)
		case syntax.TypeParam:
			bounds := rt + "V + 'static"
			if text := retoken(p.Get(syntax.FBounds), static); text != "" {
				bounds += " + " + strings.TrimPrefix(text, ":")
			}
			declared, used = append(declared, name+": "+bounds), append(used, name)
		}
	}
	angle := func(s []string) string {
		if len(s) == 0 {
			return ""
		}
		return "<" + strings.Join(s, ", ") + ">"
	}
	var put, get strings.Builder
	for i, v := range u.variants {
		path := "Self"
		if v.name != "" {
			path += "::" + rawName(v.name)
		}
		fmt.Fprintf(&put, "%s {", path)
		fmt.Fprintf(&get, "%d => %s {", i, path)
		for j, f := range v.fields {
			fmt.Fprintf(&put, " %s: %s_f%d,", rawName(f), b.name, j)
			fmt.Fprintf(&get, " %s: %sV::get(%s_in),", rawName(f), rt, b.name)
		}
		fmt.Fprintf(&put, " } => { %s_out.data(%d, %d);", b.name, u.number, i)
		for j := range v.fields {
			fmt.Fprintf(&put, " %sV::put(%s_f%d, %s_out);", rt, b.name, j, b.name)
		}
		put.WriteString(" }\n")
		get.WriteString(" },\n")
	}
	body := "match self {\n" + put.String() + "}"
	if len(u.variants) == 0 {
		body = "match *self {}"
	}
	cfgs := ""
	for a := range u.item.All(syntax.FAttr) {
		if !a.Inner() && a.Get(syntax.FPath).Text() == "cfg" {
			cfgs += a.Text() + "\n"
		}
	}
	where := retoken(u.item.Get(syntax.FWhere), static)
	return fmt.Sprintf(`%simpl%s %sV for %s%s %s {
fn put(&self, %s_out: &mut %sOut) { %s }
fn get(%s_in: &mut %sIn) -> Self { match %s_in.u32() {
%s_ => ::core::panic!("no such variant"),
} }
}
`, cfgs, angle(declared), rt, u.item.Get(syntax.FName).Text(), angle(used), where, b.name, rt, body, b.name, rt, b.name, get.String())
}

// owner says what a part of the text was written for: one of the fields is set, arm with target.
type owner struct {
	typ    *userType
	target *target
	mutant *mutant
}

// piece is a part of a file.
type piece struct {
	start, end int
	owner
}

// writtenFile is a file with what is put into its modules.
type writtenFile struct {
	text   []byte
	pieces []piece
	// kept are the places in text, and in the erased file, from which on they are the same for some length.
	kept []kept
}

type kept struct{ at, from, length int }

// write gives the text of all Rust files.
func (b *build) write() map[string]*writtenFile {
	inserts := map[string]map[int][]textPiece{} // by file and place
	into := func(m *module, p textPiece) {
		if inserts[m.file] == nil {
			inserts[m.file] = map[int][]textPiece{}
		}
		inserts[m.file][m.end] = append(inserts[m.file][m.end], p)
	}
	for _, u := range b.types {
		if u.failure == "" && slices.ContainsFunc(b.targets, func(t *target) bool { return !t.dropped() && slices.Contains(t.types, u) }) {
			into(u.module, textPiece{u.text, owner{typ: u}})
		}
	}
	for _, t := range b.targets {
		if t.dropped() {
			continue
		}
		for _, m := range t.mutants {
			if m.out.Failure == "" {
				into(t.module, textPiece{m.text, owner{target: t, mutant: m}})
			}
		}
		for _, p := range b.driver(t) {
			into(t.module, p)
		}
	}
	into(b.tree.modules[""], textPiece{"#[path = " + strconv.Quote(b.name+".rs") + "] mod " + b.name + ";", owner{}})
	out := map[string]*writtenFile{}
	for name, f := range b.tree.erased {
		out[name] = b.writeModules(name, f, inserts[name])
	}
	out[path.Join(path.Dir(b.req.Root), b.name+".rs")] = &writtenFile{text: []byte(b.runtime())}
	return out
}

func (b *build) writeModules(name string, f *syntax.File, inserts map[int][]textPiece) *writtenFile {
	w := &writtenFile{}
	edits := ticks(f, b.tick())
	edits = slices.AppendSeq(edits, maps.Values(b.tree.cuts[name]))
	for at := range inserts {
		edits = append(edits, edit{at, at, ""})
	}
	if name == b.req.Root {
		w.text = append(w.text, "#![no_main] "...)
		if bytes.HasPrefix(f.Source.Text, []byte("#!")) && !bytes.HasPrefix(f.Source.Text, []byte("#![")) {
			w.text = append(w.text, "//"...) // a line for the shell
		}
	}
	slices.SortStableFunc(edits, func(x, y edit) int { return cmp.Or(x.start-y.start, y.end-x.end) })
	done := 0
	keep := func(to int) {
		if to > done {
			w.kept = append(w.kept, kept{len(w.text), done, to - done})
			w.text = append(w.text, f.Source.Text[done:to]...)
			done = to
		}
	}
	for _, e := range edits {
		if e.start < done {
			continue
		}
		keep(e.start)
		w.text = append(w.text, e.text...)
		done = e.end
		if e.start != e.end || e.text != "" {
			continue
		}
		for _, p := range inserts[e.start] {
			w.text = append(w.text, '\n')
			start := len(w.text)
			w.text = append(w.text, p.text...)
			w.pieces = append(w.pieces, piece{start, len(w.text), p.owner})
		}
		w.text = append(w.text, '\n')
	}
	keep(len(f.Source.Text))
	return w
}

// erasedAt is the place in the erased file of one in the text.
func (w *writtenFile) erasedAt(at int) (int, bool) {
	for _, k := range w.kept {
		if k.at <= at && at < k.at+k.length {
			return k.from + at - k.at, true
		}
	}
	// What stands for a part that is left out is where the text before it ends.
	for i := len(w.kept) - 1; i >= 0; i-- {
		if k := w.kept[i]; k.at+k.length <= at {
			return k.from + k.length, true
		}
	}
	return 0, false
}

// cut leaves out the part of the crate's own code that the compiler refuses: a function's body, if that is enough, else the function or
// item. Who reaches a body that is not there gives no outcome. It is false if there is nothing to leave out.
func (b *build) cut(name string, at int, why string) bool {
	f := b.tree.erased[name]
	cuts := b.tree.cuts[name]
	p, ok := partAt(f, at, func(n syntax.Node) bool { _, gone := cuts[n.ID()]; return gone })
	if !ok {
		return false
	}
	if cuts == nil {
		cuts = map[int]edit{}
		b.tree.cuts[name] = cuts
	}
	b.res.LeftOut = append(b.res.LeftOut, why)
	s := p.node.Span()
	text := string(slices.DeleteFunc(slices.Clone(f.Source.Text[s.Start:s.End]), func(c byte) bool { return c != '\n' }))
	if p.node.Kind() == syntax.Block {
		text = "{ crate::" + b.name + "::missing() " + text + "}"
	}
	cuts[p.node.ID()] = edit{s.Start, s.End, text}
	for _, t := range b.targets {
		if t.module != nil && t.module.file == name && t.node.Valid() && t.node.Span().Start >= s.Start && t.node.Span().End <= s.End ||
			p.fn.Valid() && t.node.ID() == p.fn.ID() && t.node.File() == f {
			t.drop("it does not compile without its ghost code: %s", why)
		}
	}
	return true
}

type textPiece struct {
	text string
	owner
}

// unsafeAttr is an attribute that is unsafe since 2024.
func (b *build) unsafeAttr(s string) string {
	if b.req.Edition >= "2024" {
		return "#[unsafe(" + s + ")]"
	}
	return "#[" + s + "]"
}

// driver is the function that calls a target or one of its mutants. Types are inferred from the calls. All names of its own are ones
// that the crate has not: a constant of the module would be meant by a variable of its name.
func (b *build) driver(t *target) []textPiece {
	rt := "crate::" + b.name + "::"
	in, out, which, steps, got := b.name+"_in", b.name+"_out", b.name+"_which", b.name+"_steps", b.name+"_got"
	name := fmt.Sprintf("%s_t%d", b.name, t.number)
	var head strings.Builder
	fmt.Fprintf(&head, "%s\npub fn %s(%s: u32, %s: &mut %sIn, %s: &mut %sOut, %s: u64) {\n", b.unsafeAttr(`export_name = "`+name+`"`), name, which, in, rt, out, rt, steps)
	var args []string
	for i := range t.params {
		arg := fmt.Sprintf("%s_a%d", b.name, i)
		fmt.Fprintf(&head, "let %s = %s.arg(%d);\n", arg, in, i)
		args = append(args, arg)
	}
	list := "(" + strings.Join(args, ", ") + ")"
	fmt.Fprintf(&head, "%sbegin(%s);\nlet %s = unsafe { match %s {\n0 => %s%s,\n", rt, steps, got, which, fmt.Sprintf(t.original, t.Function.Node.Get(syntax.FName).Text()), list)
	pieces := []textPiece{{head.String(), owner{target: t}}}
	for i, m := range t.mutants {
		if m.out.Failure == "" {
			pieces = append(pieces, textPiece{fmt.Sprintf("%d => %s%s,", i+1, fmt.Sprintf(t.copy, m.name), list), owner{target: t, mutant: m}})
		}
	}
	return append(pieces, textPiece{fmt.Sprintf("_ => loop {},\n} };\n%send();\n%s.result(&%s, %s);\n::core::mem::forget(%s);\n}\n", rt, out, got, in, got), owner{target: t}})
}

// runtime is the module of the harness.
func (b *build) runtime() string {
	var s strings.Builder
	unsafe := ""
	if b.req.Edition >= "2024" {
		unsafe = "unsafe "
	}
	s.WriteString(strings.ReplaceAll(runtimeText, "\nextern \"C\" {", "\n"+unsafe+"extern \"C\" {"))
	prelude := strings.TrimPrefix(syntax.ErasedPrelude, "#![allow(dead_code, non_camel_case_types)]\nuse core::marker::PhantomData;\n")
	if b.vstd {
		s.WriteString("pub use ::vstd::prelude::{int, nat, Ghost, Tracked};\n")
	} else {
		s.WriteString(prelude + vstdText)
	}
	fmt.Fprintf(&s, "%sextern \"Rust\" {\n", unsafe)
	for _, t := range b.targets {
		if !t.dropped() {
			fmt.Fprintf(&s, "#[link_name = \"%s_t%d\"]\nfn t%d(v: u32, i: &mut In, o: &mut Out, steps: u64);\n", b.name, t.number, t.number)
		}
	}
	s.WriteString("}\nfn call(target: u32, variant: u32, i: &mut In, o: &mut Out, steps: u64) {\nunsafe { match target {\n")
	for _, t := range b.targets {
		if !t.dropped() {
			fmt.Fprintf(&s, "%d => t%d(variant, i, o, steps),\n", t.number, t.number)
		}
	}
	fmt.Fprintf(&s, "_ => {}\n} }\n}\n%s\npub extern \"C\" fn program(_: i32, _: *const *const u8) -> i32 { serve() }\n", b.unsafeAttr(`export_name = "main"`))
	return s.String()
}

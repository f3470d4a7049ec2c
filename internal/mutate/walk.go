package mutate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// walker goes through the executable code of a function and notes edits.
type walker struct {
	f     *model.Function
	src   []byte
	self  string // canonical self type; empty if none
	types declared
	calls map[int]model.Call // by the ID of their node

	locals []local
	known  map[int]string // types of expressions, by ID
	// Types of locals whose values are literals without a suffix, by the ID of their pattern: from how they are used.
	hints map[int]string

	// What the closure or function around has: its result type, and whether it is the function itself.
	result    string
	inClosure int
	// Locals that are declared without a value: what assigns them must stay.
	late map[string]bool
	// Operands of binary operators, by ID.
	operands map[int]bool
	// A condition whose negation is made otherwise, by ID.
	negated int

	edits  []Mutant // without ID
	have   map[string]bool
	ghosts []source.Span // that are not looked into
	opaque int
}

type local struct {
	name, typ string
	pat       int // ID of its pattern
	mut       bool
	ready     bool // has a value
	param     bool
}

// walk goes through a function: twice if only the first time tells the types of some locals.
func walk(f *model.Function) *walker {
	w := newWalker(f, readDeclared(f.File.Syntax.Root()), map[int]string{})
	w.function()
	if len(w.hints) > 0 {
		w = newWalker(f, w.types, w.hints)
		w.function()
	}
	return w
}

func newWalker(f *model.Function, types declared, hints map[int]string) *walker {
	w := &walker{f: f, src: f.File.Syntax.Source.Text, self: f.Self, types: types, calls: map[int]model.Call{},
		known: map[int]string{}, hints: hints, late: map[string]bool{}, operands: map[int]bool{}, have: map[string]bool{}}
	if f.Kind == model.TraitMethod {
		w.self = ""
	}
	for _, c := range f.Calls {
		if c.Node.File() == f.File.Syntax {
			w.calls[c.Node.ID()] = c
		}
	}
	return w
}

func (w *walker) local(name string) *local {
	for i := len(w.locals) - 1; i >= 0; i-- {
		if w.locals[i].name == name {
			return &w.locals[i]
		}
	}
	return nil
}

// scope runs what declares locals that are gone afterwards.
func (w *walker) scope(run func()) {
	n := len(w.locals)
	run()
	w.locals = w.locals[:n]
}

// replace notes an edit.
func (w *walker) replace(op Operator, s source.Span, text string) {
	if len(text) > maxEdit || text != "" && s.End-s.Start > maxEdit {
		return
	}
	old := w.src[s.Start:s.End]
	key := fmt.Sprint(s.Start, " ", s.End, " ", text)
	if string(old) == text || w.have[key] {
		return
	}
	w.have[key] = true
	same := 0
	for same < len(old) && same < len(text) && old[same] == text[same] {
		same++
	}
	w.edits = append(w.edits, Mutant{Operator: op, Span: s, Replacement: text, Line: w.f.File.Syntax.Source.Position(s.Start + same).Line})
}

// identified gives the edits their IDs.
func (w *walker) identified() []Mutant {
	body := w.f.Node.Get(syntax.FBody)
	var starts []int // of executable tokens
	slices.SortFunc(w.ghosts, func(a, b source.Span) int { return a.Start - b.Start })
	ghosts := w.ghosts
	for t := range body.Tokens() {
		at := t.Span().Start
		for len(ghosts) > 0 && ghosts[0].End <= at {
			ghosts = ghosts[1:]
		}
		// What separates elements and statements comes and goes with ghost ones.
		counts := t.Kind() != syntax.Comma && t.Kind() != syntax.Semi
		if counts && (len(ghosts) == 0 || at < ghosts[0].Start) {
			starts = append(starts, at)
		}
	}
	count := map[string]int{}
	out := slices.Clone(w.edits)
	for i := range out {
		at, _ := slices.BinarySearch(starts, out[i].Span.Start)
		id := fmt.Sprintf("%s:%d", out[i].Operator, at)
		if count[id]++; count[id] > 1 {
			id += fmt.Sprintf(".%d", count[id])
		}
		out[i].ID = id
	}
	return out
}

// ghostly notes a node that is not looked into because it is erased.
func (w *walker) ghostly(n syntax.Node) {
	if s := n.Span(); s.Start < s.End {
		w.ghosts = append(w.ghosts, s)
	}
}

func (w *walker) clauses(n syntax.Node) {
	for c := range n.All(syntax.FClause) {
		w.ghostly(c)
	}
}

func (w *walker) function() {
	for _, p := range w.f.Params {
		if p.Ghost {
			continue
		}
		t := w.own(typeText(p.Type))
		if p.Name == "self" {
			w.locals = append(w.locals, local{name: "self", typ: t, ready: true, param: true, mut: strings.HasPrefix(p.Node.Text(), "mut ")})
			continue
		}
		before := len(w.locals)
		w.bind(p.Node.Get(syntax.FPat), t)
		for i := before; i < len(w.locals); i++ {
			w.locals[i].param = true
		}
	}
	w.result = w.own(typeText(w.f.ResultType))
	if w.result == "" {
		w.result = unit
	}
	body := w.f.Node.Get(syntax.FBody)
	w.f.Node.Get(syntax.FBody).Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Let && !ghost(n) && !n.Get(syntax.FInit).Valid() {
			for name := range boundBy(n.Get(syntax.FPat)) {
				w.late[name] = true
			}
		}
		return true
	})
	for s := range body.All(syntax.FStmt) {
		if executable(s) {
			w.early(body)
			break
		}
	}
	w.scope(func() { w.block(body, w.result, true) })
}

// early returns a value before the body begins.
func (w *walker) early(body syntax.Node) {
	at := body.FirstToken().Span().End
	for a := range body.All(syntax.FAttr) {
		at = a.Span().End
	}
	here := source.Span{Start: at, End: at}
	if w.result == unit {
		w.replace(Return, here, " return;")
		return
	}
	for _, v := range w.results() {
		w.replace(Return, here, " return "+v+";")
	}
}

// results are values that the function could return: defaults of its type and arguments of its type.
func (w *walker) results() []string {
	out := w.defaults(w.result, 0)
	if w.inClosure > 0 {
		return out
	}
	for _, l := range w.locals {
		if l.param && l.typ == w.result && w.local(l.name).param {
			out = append(out, l.name)
		}
	}
	return out
}

// boundBy are the names that a pattern binds.
func boundBy(pat syntax.Node) map[string]bool {
	out := map[string]bool{}
	pat.Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.IdentPat && !constantPat(n) {
			out[n.Get(syntax.FName).Text()] = true
		}
		return true
	})
	return out
}

// constantPat tells a pattern that is the name of a variant or constant by Rust's conventions, such as None.
func constantPat(n syntax.Node) bool {
	name := n.Get(syntax.FName).Text()
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && !n.Mut() && !n.ByRef() && !n.Get(syntax.FPat).Valid()
}

// bind brings the names of a pattern into scope.
func (w *walker) bind(pat syntax.Node, t string) {
	switch pat.Kind() {
	case syntax.IdentPat:
		if ghost(pat) || constantPat(pat) {
			return
		}
		if pat.ByRef() {
			t = ""
		}
		if hint := w.hints[pat.ID()]; hint != "" && t == anyInt {
			t = hint
		}
		w.locals = append(w.locals, local{name: pat.Get(syntax.FName).Text(), typ: t, pat: pat.ID(), mut: pat.Mut(), ready: true})
		w.bind(pat.Get(syntax.FPat), "")
		return
	case syntax.ParenPat:
		w.bind(pat.Get(syntax.FPat), t)
		return
	case syntax.TuplePat:
		_, types := typeArgs(t)
		elems := slices.Collect(pat.All(syntax.FPat))
		if !strings.HasPrefix(t, "(") || len(types) != len(elems) {
			types = make([]string, len(elems))
		}
		for i, e := range elems {
			w.bind(e, types[i])
		}
		return
	case syntax.TupleStructPat:
		names := words(pat.Get(syntax.FPath))
		elems := slices.Collect(pat.All(syntax.FPat))
		if head, args := typeArgs(t); len(names) == 1 && len(elems) == 1 && len(args) > 0 {
			switch {
			case names[0] == "Some" && head == "Option", names[0] == "Ok" && head == "Result":
				w.bind(elems[0], args[0])
				return
			case names[0] == "Err" && head == "Result" && len(args) == 2:
				w.bind(elems[0], args[1])
				return
			}
		}
		if len(names) == 1 && (names[0] == "Ghost" || names[0] == "Tracked") {
			return
		}
	}
	for c := range pat.Children() {
		if c.Field() == syntax.FPat {
			w.bind(c, "")
		}
	}
}

// block visits a block whose value has a type; tail tells that its value is the function's result.
func (w *walker) block(n syntax.Node, want string, tail bool) {
	if n.Kind() != syntax.Block {
		w.value(n, want, tail)
		return
	}
	async := false
	for m := range n.All(syntax.FModifier) {
		switch m.FirstToken().Kind() {
		case syntax.KwConst:
			return // evaluated by the compiler
		case syntax.KwAsync, syntax.KwTry:
			async = true
		}
	}
	if async {
		result := w.result
		w.inClosure++
		w.result = ""
		defer func() { w.inClosure--; w.result = result }()
		want, tail = "", false
	}
	for c := range n.Children() {
		if c.Field() == syntax.FAttr {
			w.ghostly(c)
		}
	}
	var stmts []syntax.Node
	for s := range n.All(syntax.FStmt) {
		if s.Kind() != syntax.EmptyStmt && !executable(s) {
			w.ghostly(s) // or an item, which is not this function's code either
			continue
		}
		stmts = append(stmts, s)
	}
	w.scope(func() {
		for i, s := range stmts {
			last := i == len(stmts)-1
			switch s.Kind() {
			case syntax.Let:
				w.let(s)
			case syntax.ExprStmt:
				w.statement(s, last, want, tail)
			}
		}
	})
}

// executable tells a statement that is not ghost code by its form, and no item.
func executable(s syntax.Node) bool {
	return s.Kind() == syntax.Let && !ghost(s) || s.Kind() == syntax.ExprStmt && !erased(s.Get(syntax.FExpr))
}

// erased tells a statement that is ghost code by its form. What else is, the comparison of executable texts tells.
func erased(e syntax.Node) bool {
	for e.Kind() == syntax.AttrExpr || e.Kind() == syntax.Paren {
		e = e.Get(syntax.FExpr)
	}
	switch e.Kind() {
	case syntax.ProofBlock, syntax.Assert, syntax.AssertForall, syntax.Assume:
		return true
	case syntax.MacroCall:
		return ghostMacro(e)
	case syntax.Call:
		switch e.Get(syntax.FCallee).Text() {
		case "reveal", "reveal_with_fuel", "hide":
			return true
		}
	}
	return false
}

func ghostMacro(n syntax.Node) bool {
	switch lastWord(n.Get(syntax.FPath).Text()) {
	case "proof", "proof_decl", "proof_with", "calc", "assert_by_contradiction", "assert_seqs_equal", "assert_sets_equal", "assert_maps_equal",
		"open_atomic_invariant_in_proof", "open_local_invariant_in_proof":
		return true
	}
	return false
}

func (w *walker) let(s syntax.Node) {
	init := s.Get(syntax.FInit)
	t := ""
	if typ := s.Get(syntax.FType); typ.Valid() {
		t = w.own(typeAt(typ))
	}
	if init.Valid() {
		w.value(init, t, false)
		if t == "" {
			t = w.typeOf(init)
		}
		if block := s.Get(syntax.FElse); block.Valid() {
			w.block(block, "", false)
		}
	}
	before := len(w.locals)
	w.bind(s.Get(syntax.FPat), t)
	if !init.Valid() {
		for i := before; i < len(w.locals); i++ {
			w.locals[i].ready = false
		}
	}
}

// statement visits an expression statement of a block whose value has the type want.
func (w *walker) statement(s syntax.Node, last bool, want string, tail bool) {
	e := s.Get(syntax.FExpr)
	if last && !s.Semi() {
		if want == unit {
			w.omit(s, e)
		}
		w.value(e, want, tail)
		return
	}
	// The last statement of a block that has a value never ends; without it the block has no value.
	if !last || want == unit {
		w.omit(s, e)
	}
	inner := ""
	switch e.Kind() {
	case syntax.If, syntax.Match, syntax.Block, syntax.While, syntax.For, syntax.Loop:
		inner = unit
		if last && want != unit {
			inner = ""
		}
	}
	w.value(e, inner, tail && last && want == unit)
}

// mutators are methods that change a collection.
var mutators = map[string]bool{"push": true, "set": true, "insert": true, "swap": true, "push_back": true, "push_front": true, "push_str": true,
	"append": true, "extend": true, "extend_from_slice": true, "remove": true, "swap_remove": true, "pop": true, "pop_back": true,
	"pop_front": true, "clear": true, "truncate": true, "resize": true, "reverse": true, "sort": true, "sort_unstable": true,
	"retain": true, "dedup": true, "fill": true, "rotate_left": true, "rotate_right": true, "replace": true, "take": true,
	"set_and_swap": true, "drain": true}

// omit leaves a statement out.
func (w *walker) omit(s, e syntax.Node) {
	assigns := false
	e.Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Assign && w.late[n.Get(syntax.FLhs).Text()] {
			assigns = true
		}
		return !assigns
	})
	if assigns {
		return
	}
	op := Delete
	switch e.Kind() {
	case syntax.Break, syntax.Continue:
		op = Jump
	case syntax.MethodCall:
		if mutators[e.Get(syntax.FName).Text()] {
			op = Skip
		}
	case syntax.Call:
		if names := words(e.Get(syntax.FCallee)); len(names) > 1 && (names[len(names)-2] == "mem" && mutators[names[len(names)-1]]) {
			op = Skip
		}
	case syntax.Path, syntax.Literal:
		return // does nothing
	}
	w.replace(op, s.Span(), "")
}

// hint notes that a local has an integer type, if its value does not tell.
func (w *walker) hint(n syntax.Node, t string) {
	names := words(n)
	if len(names) != 1 || intBits[t] == 0 {
		return
	}
	if l := w.local(names[0]); l != nil && l.typ == anyInt && w.hints[l.pat] == "" {
		w.hints[l.pat] = t
	}
}

// value visits an expression where a value of a type is wanted; empty if the type is not known. tail tells that the value is the
// function's result.
func (w *walker) value(n syntax.Node, want string, tail bool) {
	if tail {
		switch n.Kind() {
		case syntax.If, syntax.Match, syntax.Block, syntax.While, syntax.For, syntax.Loop, syntax.Return, syntax.MacroCall, syntax.Break, syntax.Continue:
		default:
			w.returned(n)
		}
	}
	switch n.Kind() {
	case syntax.If:
		w.ifExpr(n, want, tail)
	case syntax.Match:
		w.match(n, want, tail)
	case syntax.Block:
		w.block(n, want, tail)
	case syntax.Paren, syntax.AttrExpr:
		w.value(n.Get(syntax.FExpr), want, false)
	default:
		w.expr(n, want)
	}
}

// returned gives other results in place of an expression whose value is returned.
func (w *walker) returned(n syntax.Node) {
	if w.result == unit || w.result == "" {
		return
	}
	for _, v := range w.results() {
		w.replace(Return, n.Span(), v)
	}
}

// expr visits an expression other than those that value knows.
func (w *walker) expr(n syntax.Node, want string) {
	inner := func(f syntax.Field, want string) { w.value(n.Get(f), want, false) }
	switch n.Kind() {
	case syntax.Literal:
		w.literal(n, want, false)
	case syntax.Path:
		w.path(n, want)
	case syntax.If, syntax.Match, syntax.Block, syntax.Paren, syntax.AttrExpr:
		w.value(n, want, false)
	case syntax.Unary:
		w.unary(n, want)
	case syntax.Binary:
		w.binary(n, want)
	case syntax.Assign:
		w.assign(n)
	case syntax.Cast:
		w.cast(n)
		inner(syntax.FExpr, "")
	case syntax.Ref:
		if n.Raw() {
			return
		}
		if n.Mut() {
			w.place(n.Get(syntax.FExpr))
		} else {
			t := ""
			if strings.HasPrefix(want, "&") {
				t = deref(want)
			}
			inner(syntax.FExpr, t)
		}
	case syntax.Tuple:
		w.elements(n, want)
	case syntax.Array:
		t := element(want)
		elems := slices.Collect(n.All(syntax.FExpr))
		for _, e := range elems {
			w.value(e, t, false)
		}
		w.exchange(elems, nil)
	case syntax.ArrayRepeat:
		inner(syntax.FExpr, element(want))
	case syntax.While:
		w.while(n)
	case syntax.Loop:
		w.clauses(n)
		w.scope(func() { w.block(n.Get(syntax.FBody), unit, false) })
	case syntax.For:
		w.forLoop(n)
	case syntax.Closure:
		w.closure(n)
	case syntax.Call:
		w.call(n)
	case syntax.MethodCall:
		w.method(n)
	case syntax.FieldExpr:
		w.field(n)
		inner(syntax.FExpr, "")
	case syntax.Index:
		w.index(n)
	case syntax.Try, syntax.Await, syntax.Yield, syntax.Become:
		inner(syntax.FExpr, "")
	case syntax.Range:
		w.rangeEnd(n)
		t := w.typeOf(n.Get(syntax.FLo))
		if t == "" || t == anyInt {
			t = w.typeOf(n.Get(syntax.FHi))
		}
		if name, args := typeArgs(want); t == "" && name == "Range" && len(args) == 1 {
			t = args[0]
		}
		inner(syntax.FLo, t)
		inner(syntax.FHi, t)
	case syntax.Return:
		if e := n.Get(syntax.FExpr); e.Valid() {
			w.returned(e)
			w.value(e, w.result, false)
		}
	case syntax.Break, syntax.Continue:
		w.jump(n)
		if e := n.Get(syntax.FExpr); e.Valid() {
			w.value(e, "", false)
		}
	case syntax.StructExpr:
		w.structExpr(n)
	case syntax.LetCond:
		inner(syntax.FExpr, "")
	case syntax.MacroCall:
		w.macro(n)
	case syntax.AtomicallyCall:
		w.value(n.Get(syntax.FExpr), "", false)
		for c := range n.Children() {
			if c.Field() != syntax.FExpr {
				w.ghostly(c)
			}
		}
	case 0:
	default:
		// Assertions, quantifiers and the like: ghost, or not executable.
		w.ghostly(n)
	}
}

func (w *walker) macro(n syntax.Node) {
	if ghostMacro(n) {
		w.ghostly(n)
		return
	}
	args := n.Get(syntax.FArgs)
	if args.Kind() == syntax.MacroBody && lastWord(n.Get(syntax.FPath).Text()) == "vec" {
		elems := slices.Collect(args.All(syntax.FExpr))
		repeat := bytes.ContainsRune([]byte(args.Text()), ';')
		for i, e := range elems {
			if !repeat || i == 0 {
				w.value(e, "", false)
			} else {
				w.value(e, "usize", false)
			}
		}
		if !repeat {
			w.exchange(elems, nil)
		}
		return
	}
	w.opaque++
}

func (w *walker) closure(n syntax.Node) {
	w.clauses(n)
	for m := range n.All(syntax.FModifier) {
		if m.FirstToken().Kind() == syntax.KwAsync {
			w.opaque++
			w.ghostly(n)
			return
		}
	}
	if ghost(n) || strings.HasPrefix(n.Text(), "proof_fn") {
		w.ghostly(n)
		return
	}
	result := w.result
	w.inClosure++
	w.result = ""
	if t := n.Get(syntax.FRet).Get(syntax.FType); t.Valid() {
		w.result = w.own(typeAt(t))
	}
	w.scope(func() {
		for p := range n.All(syntax.FParam) {
			t := ""
			if typ := p.Get(syntax.FType); typ.Valid() {
				t = w.own(typeAt(typ))
			}
			w.bind(p.Get(syntax.FPat), t)
		}
		w.block(n.Get(syntax.FBody), w.result, w.result != "")
	})
	w.inClosure--
	w.result = result
}

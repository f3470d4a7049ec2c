package obligation

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// Writer collects questions about functions of one tree. It is not safe for concurrent use.
type Writer struct {
	m      *model.Model
	pairs  *pair.Pairs
	prefix string

	plan     *Plan
	count    int
	requests []request
	ready    map[contractKey]*prepared

	generics   map[*model.Function][]syntax.Node
	genericSet map[*model.Function]map[string]bool
	baseNames  map[any]string
	baseTaken  map[string]bool
	types      map[string]bool
	specs      map[string]bool
	// changedNames are those of constants, macros and free spec functions of base that changed.
	changedNames map[string]bool
	// newMethods are the names of spec methods that only head has.
	newMethods map[string]bool
}

type contractKey struct{ f, base *model.Function }

type prepared struct {
	c   *contract
	err *failure
}

// request is a proof function to be written.
type request struct {
	o *Obligation
	c *contract
	p proof
}

// NewWriter makes a Writer for the functions of m. pairs may be nil when nothing is compared; else m is its head.
func NewWriter(m *model.Model, pairs *pair.Pairs) *Writer {
	w := &Writer{m: m, pairs: pairs, plan: &Plan{}, ready: map[contractKey]*prepared{},
		baseNames: map[any]string{}, baseTaken: map[string]bool{}, generics: map[*model.Function][]syntax.Node{}, genericSet: map[*model.Function]map[string]bool{}}
	w.plan.w = w
	w.prefix = w.choosePrefix()
	return w
}

// choosePrefix makes a beginning of names that no file of the trees has: it depends on their text.
func (w *Writer) choosePrefix() string {
	models := []*model.Model{w.m}
	if w.pairs != nil {
		models = append(models, w.pairs.Base)
	}
	var texts []string
	seen := map[*model.File]bool{}
	sum := sha256.New()
	for _, m := range models {
		for _, f := range m.Functions {
			if !seen[f.File] {
				seen[f.File] = true
				text := string(f.File.Syntax.Source.Text)
				texts = append(texts, text)
				sum.Write([]byte(f.File.Path + "\x00" + text + "\x00"))
			}
		}
	}
	for n := 0; ; n++ {
		h := sha256.Sum256(append(sum.Sum(nil), byte(n), byte(n>>8)))
		p := "sg" + hex.EncodeToString(h[:4]) + "_"
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, p) }) {
			return p
		}
	}
}

func (w *Writer) contract(f, base *model.Function) (*contract, *failure) {
	k := contractKey{f, base}
	if p := w.ready[k]; p != nil {
		return p.c, p.err
	}
	c, err := w.contractOf(f, base)
	w.ready[k] = &prepared{c, err}
	return c, err
}

// foreign tells a method of a trait that is not in the tree. Clauses that hold for it are not known: what is proved from the others holds all
// the same, but not that they say nothing, nor what they say of one case.
func foreign(f *model.Function) *failure {
	if f.Kind == model.TraitImplMethod && f.TraitMethod == nil {
		return fail(ForeignTrait, "the contract of the trait `"+f.Trait+"` is not in the tree")
	}
	return nil
}

func (w *Writer) skip(o Obligation, err *failure) {
	w.plan.Skipped = append(w.plan.Skipped, Skipped{Question: o.Question, Function: o.Function, Pair: o.Pair, Case: o.Case, Reason: err.reason, Detail: err.detail})
}

// ask adds a question with its proof function.
func (w *Writer) ask(o Obligation, c *contract, p proof) {
	q := &o
	q.c, q.first = c, p
	w.plan.Obligations = append(w.plan.Obligations, q)
	if len(p.ensures) == 0 {
		q.Given = true
		return
	}
	w.requests = append(w.requests, request{q, c, p})
}

// Compare asks whether head's contract is as strong as base's, and the other way: four questions.
func (w *Writer) Compare(p *pair.Function) {
	questions := []Question{RequiresNotStronger, EnsuresNotWeaker, RequiresNotWeaker, EnsuresNotStronger}
	c, err := w.contract(p.Head, p.Base)
	for _, q := range questions {
		o := Obligation{Question: q, Function: p.Head, Pair: p}
		if err != nil {
			w.skip(o, err)
			continue
		}
		if (q == EnsuresNotWeaker || q == EnsuresNotStronger) && len(c.outputs) == 0 && len(c.own.ensures)+len(c.base.ensures) > 0 {
			w.skip(o, noResult())
			continue
		}
		switch q {
		case RequiresNotStronger:
			w.ask(o, c, proof{params: c.inputs, requires: c.base.requires, ensures: c.own.requires})
		case RequiresNotWeaker:
			w.ask(o, c, proof{params: c.inputs, requires: c.own.requires, ensures: c.base.requires})
		case EnsuresNotWeaker:
			w.ask(o, c, proof{params: c.all(), requires: slices.Concat(c.base.requires, c.own.ensures), ensures: c.base.ensures})
		case EnsuresNotStronger:
			w.ask(o, c, proof{params: c.all(), requires: slices.Concat(c.own.requires, c.base.ensures), ensures: c.own.ensures})
		}
	}
}

// Contract asks about a contract by itself: whether it is contradictory, impossible, trivial or unique, and which clauses are redundant; or only
// what is wanted of these.
func (w *Writer) Contract(f *model.Function, wanted ...Question) {
	want := func(q Question) bool { return len(wanted) == 0 || slices.Contains(wanted, q) }
	o := func(q Question) Obligation { return Obligation{Question: q, Function: f} }
	skip := func(err *failure, questions ...Question) {
		for _, q := range questions {
			if want(q) {
				w.skip(o(q), err)
			}
		}
	}
	c, err := w.contract(f, nil)
	if err == nil && len(c.own.requires)+len(c.own.ensures) == 0 {
		err = fail(NoContract, "there are no clauses")
	}
	if err != nil {
		skip(err, Contradictory, Impossible, Trivial, ClauseRedundant, Unique)
		return
	}
	falsehood := []goal{{text: "false"}}
	if len(c.own.requires) > 0 && want(Contradictory) {
		w.ask(o(Contradictory), c, proof{params: c.inputs, requires: c.own.requires, ensures: falsehood})
	}
	if len(c.own.ensures) > 0 && len(c.outputs) == 0 {
		skip(noResult(), Impossible, Trivial, Unique)
	}
	if len(c.own.ensures) > 0 && len(c.outputs) > 0 {
		if want(Impossible) {
			w.ask(o(Impossible), c, proof{params: c.all(), requires: slices.Concat(c.own.requires, c.own.ensures), ensures: falsehood})
		}
		if err := foreign(f); err != nil {
			skip(err, Trivial)
		} else if want(Trivial) {
			w.ask(o(Trivial), c, proof{params: c.all(), requires: c.own.requires, ensures: c.own.ensures})
		}
		if want(Unique) {
			w.unique(c)
		}
	}
	if want(ClauseRedundant) {
		w.redundant(c, nil)
	}
}

// unique asks whether two results that the contract allows for one input are the same.
func (w *Writer) unique(c *contract) {
	params := c.all()
	var same []goal
	for _, out := range c.outputs {
		params = append(params, decl{out.second, out.typ})
		t := out.node
		if !t.Valid() {
			t = c.place.impl.Get(syntax.FSelfType)
		}
		for _, s := range c.same(out.name, out.second, t, 0) {
			same = append(same, goal{text: s})
		}
	}
	w.ask(Obligation{Question: Unique, Function: c.f}, c, proof{params: params, requires: slices.Concat(c.own.requires, c.own.ensures, c.own.second), ensures: same})
}

// Redundant asks for some clauses of f's contract, by their spans, whether each follows from the others.
func (w *Writer) Redundant(f *model.Function, clauses []*model.Clause) {
	c, err := w.contract(f, nil)
	if err != nil {
		w.skip(Obligation{Question: ClauseRedundant, Function: f}, err)
		return
	}
	w.redundant(c, func(cl *model.Clause) bool {
		return slices.ContainsFunc(clauses, func(x *model.Clause) bool { return cl.File == x.File && cl.Span == x.Span })
	})
}

// maxClauses bounds the questions about redundant clauses: their text grows with the square of it.
const maxClauses = 60

// redundant asks for each clause that is wanted whether it follows from the others; nil: for all.
func (w *Writer) redundant(c *contract, wanted func(*model.Clause) bool) {
	o := Obligation{Question: ClauseRedundant, Function: c.f}
	if n := len(c.own.requires) + len(c.own.ensures); n > maxClauses {
		w.skip(o, fail(TooMany, "the contract has "+strconv.Itoa(n)+" clauses, and each would be compared with all the others"))
		return
	}
	for i, g := range c.own.requires {
		if len(c.own.requires) > 1 && (wanted == nil || wanted(g.clause)) {
			q := o
			q.Clause = g.clause
			w.ask(q, c, proof{params: c.inputs, requires: slices.Delete(slices.Clone(c.own.requires), i, i+1), ensures: []goal{g}})
		}
	}
	for i, g := range c.own.ensures {
		if len(c.own.ensures) > 1 && len(c.outputs) > 0 && (wanted == nil || wanted(g.clause)) {
			q := o
			q.Clause = g.clause
			w.ask(q, c, proof{params: c.all(), requires: slices.Concat(c.own.requires, slices.Delete(slices.Clone(c.own.ensures), i, i+1)), ensures: []goal{g}})
		}
	}
}

// noResult is why questions about promises are not asked where nothing is returned and nothing changes: what is promised is then a
// statement about the arguments, and if it is true it follows from anything, whatever is promised.
func noResult() *failure {
	return fail(NoResult, "nothing is returned and nothing changes: a promise that is true follows by itself")
}

// Cases asks for each case whether the contract of f rejects it, and whether it accepts it; with wanted only one of these. A question that is not
// proved takes the verifier longer than one that is, so who expects one answer asks for that first.
func (w *Writer) Cases(f *model.Function, cases []eval.Case, wanted ...Question) {
	c, err := w.contract(f, nil)
	if err == nil {
		err = foreign(f)
	}
	if err == nil {
		err = w.unpinnable(f)
	}
	for i := range cases {
		var pins []goal
		e := err
		if e == nil {
			pins, e = c.pinInputs(&cases[i])
		}
		if e == nil {
			var outs []goal
			outs, e = c.pinOutputs(&cases[i])
			pins = append(pins, outs...)
		}
		first := len(w.plan.Obligations)
		for _, q := range []Question{SpectestRejected, SpectestEscaped} {
			if len(wanted) > 0 && !slices.Contains(wanted, q) {
				continue
			}
			o := Obligation{Question: q, Function: f, Case: i}
			if e != nil {
				w.skip(o, e)
				continue
			}
			text := conjunction(texts(c.own.ensures))
			if len(c.own.requires) > 0 {
				text = "(" + conjunction(texts(c.own.requires)) + ") ==> (" + text + ")"
			}
			if q == SpectestRejected {
				text = "!(" + text + ")"
			}
			w.ask(o, c, proof{params: c.all(), requires: pins, ensures: []goal{{text: text}}, size: caseSize(&cases[i])})
		}
		if l := w.plan.Obligations[first:]; len(l) == 2 {
			l[0].opposite, l[1].opposite = l[1], l[0]
		}
	}
}

// Lost asks for each input whether base's contract allows it and head's does not. Results in the cases are not looked at.
func (w *Writer) Lost(p *pair.Function, inputs []eval.Case) {
	c, err := w.contract(p.Head, p.Base)
	if err == nil {
		err = w.unpinnable(p.Head)
	}
	for i := range inputs {
		o := Obligation{Question: InputLost, Function: p.Head, Pair: p, Case: i}
		var pins []goal
		e := err
		if e == nil {
			pins, e = c.pinInputs(&inputs[i])
		}
		if e != nil {
			w.skip(o, e)
			continue
		}
		goals := append(slices.Clone(c.base.requires), goal{text: "!(" + conjunction(texts(c.own.requires)) + ")"})
		w.ask(o, c, proof{params: c.inputs, requires: pins, ensures: goals, size: caseSize(&inputs[i])})
	}
}

// unpinnable tells functions of whose single cases nothing can be said here: with a type parameter no value can be written, and a type's invariant
// is a part of the contract that has no clause.
func (w *Writer) unpinnable(f *model.Function) *failure {
	for _, g := range w.genericsOf(f) {
		if g.Kind() == syntax.TypeParam {
			return fail(CannotPin, "the function has the type parameter "+genericName(g))
		}
	}
	for _, g := range w.m.SpecReach(f) {
		if g.TypeInvariant() {
			return fail(CannotPin, "the type invariant `"+g.Symbol+"` is a part of the contract that has no clause")
		}
	}
	return nil
}

func texts(l []goal) []string {
	out := make([]string, len(l))
	for i, g := range l {
		out[i] = g.text
	}
	return out
}

// all are the parameters before and after the call, and the result.
func (c *contract) all() []decl {
	out := slices.Clone(c.inputs)
	for _, o := range c.outputs {
		out = append(out, o.decl)
	}
	return out
}

// proof is what a proof function says.
type proof struct {
	params            []decl
	requires, ensures []goal
	prover            string
	body              []string
	size              int // of the values pinned; 0 if there are none
	// whole replaces all of the above: the text of the function, with the name as %NAME%.
	whole string
}

// text of the proof function.
func (c *contract) text(name string, p proof) string {
	if p.whole != "" {
		return strings.ReplaceAll(p.whole, "%NAME%", name)
	}
	var b strings.Builder
	b.WriteString(c.place.cfg)
	b.WriteString("proof fn " + name)
	if len(c.generics) > 0 {
		b.WriteString("<" + strings.Join(c.generics, ", ") + ">")
	}
	b.WriteString("(")
	for i, d := range p.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.name + ": " + d.typ)
	}
	b.WriteString(")")
	if len(c.where) > 0 {
		b.WriteString("\n    where " + strings.Join(c.where, ", "))
		if p.prover == "" {
			b.WriteString(",") // `by` behind a comma would be a type
		}
	}
	b.WriteString(p.prover)
	list := func(word string, goals []goal) {
		if len(goals) == 0 {
			return
		}
		b.WriteString("\n    " + word)
		for _, g := range goals {
			b.WriteString("\n        " + g.text + ",")
		}
	}
	list("requires", p.requires)
	list("ensures", p.ensures)
	if len(p.body) == 0 {
		b.WriteString("\n{\n}")
		return b.String()
	}
	b.WriteString("\n{")
	for _, s := range p.body {
		b.WriteString("\n    " + s)
	}
	b.WriteString("\n}")
	return b.String()
}

func indent(s, by string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = by + l
		}
	}
	return strings.Join(lines, "\n")
}

// Plan is what was asked for so far, written.
func (w *Writer) Plan() *Plan {
	w.plan.Shadows = w.shadows(w.requests)
	w.requests = nil
	return w.plan
}

// shadows groups proof functions by module.
func (w *Writer) shadows(requests []request) []*Shadow {
	var out []*Shadow
	by := map[[3]string]*Shadow{}
	type group struct {
		at       int
		c        *contract
		requests []request
		whole    bool
	}
	groups := map[*Shadow][]*group{}
	for _, r := range requests {
		k := r.c.place.key()
		s := by[k]
		if s == nil {
			s = &Shadow{Crate: r.c.place.file.Crate, File: r.c.place.file.Path, Module: r.c.place.module, file: r.c.place.file}
			by[k] = s
			out = append(out, s)
		}
		l := groups[s]
		if whole := r.p.whole != ""; len(l) == 0 || l[len(l)-1].c != r.c || l[len(l)-1].whole != whole {
			groups[s] = append(l, &group{at: r.c.place.at, c: r.c, whole: whole})
		}
		g := groups[s][len(groups[s])-1]
		g.requests = append(g.requests, r)
	}
	slices.SortFunc(out, func(a, b *Shadow) int {
		return strings.Compare(a.Crate.Key+"\x00"+a.File+"\x00"+a.Module, b.Crate.Key+"\x00"+b.File+"\x00"+b.Module)
	})
	for _, s := range out {
		for _, g := range groups[s] {
			g.requests = slices.DeleteFunc(g.requests, func(r request) bool {
				if r.c.parses(r.p) {
					return false
				}
				w.drop(r.o)
				return true
			})
		}
		groups[s] = slices.DeleteFunc(groups[s], func(g *group) bool { return len(g.requests) == 0 })
	}
	out = slices.DeleteFunc(out, func(s *Shadow) bool { return len(groups[s]) == 0 })
	for _, s := range out {
		written := map[any]bool{}
		for gi, g := range groups[s] {
			c, p := g.c, g.c.place
			wrap := p.wrap && !g.whole
			open, end, by := "\n", "", ""
			if wrap {
				open += "\nvstd::prelude::verus! {\n"
				end = "\n} // verus!\n"
			}
			if gi == 0 {
				s.Canary = w.name()
				canary := "proof fn " + s.Canary + "()\n    ensures\n        false,\n{\n}"
				if p.wrap {
					canary = "vstd::prelude::verus! {\n" + canary + "\n} // verus!"
				}
				s.pieces = append(s.pieces, piece{at: p.at, text: "\n\n" + canary + "\n", name: s.Canary})
			}
			var defs []string
			if c.brought != nil {
				for _, d := range c.brought.texts {
					if !written[d.of] {
						written[d.of] = true
						defs = append(defs, d.text)
					}
				}
			}
			if p.header != "" {
				by = "    "
			}
			s.pieces = append(s.pieces, piece{at: p.at, text: open})
			for _, d := range defs {
				s.pieces = append(s.pieces, piece{at: p.at, text: "\n" + d + "\n", brought: true})
			}
			if p.header != "" {
				s.pieces = append(s.pieces, piece{at: p.at, text: "\n" + p.header + " {\n"})
			}
			for _, r := range g.requests {
				name := w.name()
				r.o.Names = append(r.o.Names, name)
				s.pieces = append(s.pieces, piece{at: p.at, text: "\n" + indent(c.text(name, r.p), by) + "\n", name: name, of: r.o})
			}
			if p.header != "" {
				end = "\n}\n" + end
			}
			if end != "" {
				s.pieces = append(s.pieces, piece{at: p.at, text: end})
			}
		}
		s.print()
	}
	return out
}

// parses tells whether a proof function, and what comes along with it, has no syntax errors.
func (c *contract) parses(p proof) bool {
	text := c.text("f", p)
	if c.place.header != "" {
		text = c.place.header + " {\n" + text + "\n}"
	}
	if c.brought != nil {
		for _, d := range c.brought.texts {
			text = d.text + "\n" + text
		}
	}
	if !(c.place.wrap && p.whole != "") {
		text = "verus! {\n" + text + "\n}"
	}
	return len(syntax.Parse(source.NewFile("proof", []byte(text))).Errors) == 0
}

// drop takes back a question that cannot be put, unless it was put already in another way.
func (w *Writer) drop(o *Obligation) {
	if len(o.Names) > 0 {
		return
	}
	w.plan.Obligations = slices.DeleteFunc(w.plan.Obligations, func(x *Obligation) bool { return x == o })
	w.skip(*o, fail(Malformed, "names of the function are words of the verifier, and the question would not parse"))
}

func (w *Writer) name() string {
	w.count++
	return w.prefix + strconv.Itoa(w.count)
}

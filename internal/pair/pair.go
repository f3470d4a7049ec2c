// Package pair matches the functions and items of a base tree with those of a head tree and says what changed.
package pair

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// Change says how two sides were matched, and whether anything differs.
type Change uint8

const (
	_ Change = iota
	Added
	Removed
	Changed // same symbol, something differs
	Moved   // another module, file, crate, impl; it may also have changed
	Renamed // another name; it may also have changed
	Same
)

func (c Change) String() string {
	switch c {
	case Added:
		return "added"
	case Removed:
		return "removed"
	case Changed:
		return "changed"
	case Moved:
		return "moved"
	case Renamed:
		return "renamed"
	case Same:
		return "same"
	}
	return "?"
}

// What is a set of parts that differ between base and head. Layout, comments, names of
// parameters and locals and the order of clauses never count.
type What uint16

const (
	Executable What = 1 << iota // executable projection, or what a name in it resolves to
	Contract                    // clauses, own or inherited, and terms
	Body                        // anything in the body: executable code, proof code, the definition of a spec function
	Signature                   // signature without contract
	Attributes                  // attributes other than contract
	Mode                        // exec, spec, proof, axiom
	Publish                     // open, closed, uninterp
	Verified                    // whether the verifier looks at it
	GhostRefs                   // a name in ghost code resolves to another definition
	Sites                       // trust sites
	Cfg                         // cfg conditions
)

// Has tells whether all parts of p are in w.
func (w What) Has(p What) bool { return w&p == p }

// Function is a base function and the head function that it became. One of them may be nil, not both.
type Function struct {
	Base, Head *model.Function
	Change     Change
	What       What
	// Contract compares the clauses; with one side missing, all clauses of the other are Added or Removed.
	Contract ContractDiff
	// TermsAdded are what head's signature asks or gives beside types and clauses and base's does not, TermsRemoved the other way; with one side missing
	// there are none.
	TermsAdded, TermsRemoved []model.Term
	// SitesAdded are the head's trust sites that the base function does not have (by kind, text and count), SitesRemoved the
	// other way. Sites of a scope (Site.Scope) are compared like the function's own.
	SitesAdded, SitesRemoved []model.Site
	// ExecDetail says in words what differs in the executable code when the text is the same: which name now means what.
	ExecDetail []RefChange
	// GhostDetail is the same for ghost code.
	GhostDetail []RefChange
}

// RefChange is a name that means something else now.
type RefChange struct{ Written, Base, Head string }

// Bound is what a name means in a RefChange that the code itself binds.
const Bound = "a name that the code binds"

// Rebound tells a function with a pattern in ghost code that has the same text on both sides and matches other values.
func (f *Function) Rebound() bool {
	return slices.ContainsFunc(f.GhostDetail, func(r RefChange) bool { return r.Base == Bound || r.Head == Bound })
}

// ContractDiff compares contracts by conjunct: `a && b` and `&&&` lists are split, order does not matter, parameters are named as in
// the head.
type ContractDiff struct {
	Added, Removed, Same []Conjunct
}

// Conjunct is a part of a clause: what is left when conjunctions at its top are split.
type Conjunct struct {
	Kind syntax.ClauseKind
	// Text is canonical, with the head's names for parameters, result and renamed definitions.
	Text string
	Node syntax.Node
	// Clause that the conjunct is part of, of the side where it stands (the head's for Same).
	Clause *model.Clause
	// Inherited says that the clause stands at the trait's method.
	Inherited bool
}

// Item is a base item and the head item that it became. One of them may be nil, not both.
type Item struct {
	Base, Head               *model.Item
	Change                   Change
	What                     What
	SitesAdded, SitesRemoved []model.Site
	ExecDetail, GhostDetail  []RefChange
	// TermsAdded and TermsRemoved are what an impl or a trait asks of its types.
	TermsAdded, TermsRemoved []model.Term
}

// Pairs is the result: every function and item of both models is in exactly one pair.
type Pairs struct {
	// Base and Head models.
	Base, Head *model.Model
	// Functions in the order of the head; removed ones last, in the order of the base.
	Functions []*Function
	// Items in the same order.
	Items []*Item

	byBase map[*model.Function]*Function
	byHead map[*model.Function]*Function

	itemOfBase map[*model.Item]*Item
	itemOfHead map[*model.Item]*Item
	// symbols are the definitions that have another symbol now, with their crate: base to head.
	symbols map[string]string
	methods map[string]string // likewise, names of methods
	busy    map[*Item]int     // items being compared (1) and compared (2)
	// types are those made of something else, by head's symbol, and made what macros make of another input, by its name.
	types map[string]*otherType
	made  map[string]*Item
	// associated are the associated types that are others now.
	associated []otherAssociated
}

// OfBase returns the pair of a base function, or nil.
func (p *Pairs) OfBase(f *model.Function) *Function { return p.byBase[f] }

// OfHead returns the pair of a head function, or nil.
func (p *Pairs) OfHead(f *model.Function) *Function { return p.byHead[f] }

// OfBaseItem returns the pair of a base item, or nil.
func (p *Pairs) OfBaseItem(it *model.Item) *Item { return p.itemOfBase[it] }

// OfHeadItem returns the pair of a head item, or nil.
func (p *Pairs) OfHeadItem(it *model.Item) *Item { return p.itemOfHead[it] }

// MayCall are the functions that base has too and whose executable code may call a new one. Where that code is as it was, the new one takes the place of another: a
// method of a type itself goes before that of a trait.
func (p *Pairs) MayCall(added *model.Function) []*Function {
	var out []*Function
	for _, f := range p.Functions {
		if f.Base == nil || f.Head == nil || f.Head.Mode != model.Exec {
			continue
		}
		if slices.ContainsFunc(f.Head.Calls, func(c model.Call) bool {
			return !c.Ghost && !c.Spec && slices.Contains(c.Callees, added)
		}) {
			out = append(out, f)
		}
	}
	return out
}

// New pairs the functions and items of two models: by symbol, then those that moved, then those that were renamed. Each of the two
// sides is used at most once.
func New(base, head *model.Model) *Pairs {
	p := &Pairs{Base: base, Head: head, byBase: map[*model.Function]*Function{}, byHead: map[*model.Function]*Function{},
		itemOfBase: map[*model.Item]*Item{}, itemOfHead: map[*model.Item]*Item{}, symbols: map[string]string{}, methods: map[string]string{},
		busy: map[*Item]int{}}
	p.pairItems()
	// A module that left, came, moved to other files or has other attributes changes what its files are, although they may not have.
	for range maxModuleDepth {
		if !p.readModules() {
			break
		}
		p.Items, p.itemOfBase, p.itemOfHead, p.symbols = nil, map[*model.Item]*Item{}, map[*model.Item]*Item{}, map[string]string{}
		p.pairItems()
	}
	p.pairFunctions()
	for _, it := range p.Items {
		p.compareItem(it)
	}
	p.findTypes()
	for _, f := range p.Functions {
		p.compare(f)
	}
	return p
}

// maxModuleDepth bounds how many levels of modules are read because the one above them changed.
const maxModuleDepth = 30

// readModules has both models read the files of modules that differ, and tells whether there were new ones.
func (p *Pairs) readModules() bool {
	var base, head []string
	for _, pr := range p.Items {
		b, h := pr.Base, pr.Head
		if b != nil && b.Kind != model.ModuleItem || h != nil && h.Kind != model.ModuleItem {
			continue
		}
		if b != nil && h != nil && b.Path == h.Path && slices.Equal(b.Sources, h.Sources) && sameSet(b.Attrs, h.Attrs) && slices.Equal(b.Cfg, h.Cfg) &&
			b.Verified == h.Verified {
			continue
		}
		for _, it := range []*model.Item{b, h} {
			if it != nil {
				base, head = append(base, it.Sources...), append(head, it.Sources...)
			}
		}
	}
	inBase, inHead := p.Base.Extend(base), p.Head.Extend(head)
	if words := append(p.retargeted(), p.inPlace()...); len(words) > 0 {
		inBase = p.Base.ExtendMentioning(words) || inBase
		inHead = p.Head.ExtendMentioning(words) || inHead
	}
	return inBase || inHead
}

// inPlace are the names of macros, constants, types by another name and types of ghost code that say something else now: what names them may
// stand in files that have not changed.
func (p *Pairs) inPlace() []string {
	var out []string
	for _, pr := range p.Items {
		b, h := pr.Base, pr.Head
		if p.Override(pr) {
			out = append(out, cmp.Or(h, b).Name)
		}
		if b == nil && h.Kind == model.ImplItem && lastWord(h.Trait) == "Copy" {
			self, _, _ := strings.Cut(h.Self, "<")
			out = append(out, lastWord(strings.TrimSpace(self))) // the type may stand in another file
		}
		if b == nil || h == nil {
			// A macro that comes or goes may take the place of another of its name.
			if it := cmp.Or(b, h); it.Kind == model.MacroItem {
				out = append(out, it.Name)
			}
			continue
		}
		if h.Kind == model.ModuleItem && b.Kind == model.ModuleItem {
			out = append(out, p.rescoped(b, h)...)
		}
		if b.Text == h.Text && b.Exec == h.Exec {
			continue
		}
		switch h.Kind {
		case model.MacroItem, model.ConstItem, model.StaticItem, model.TypeAliasItem:
			out = append(out, h.Name)
		case model.ImplItem:
			for name, n := range associatedTypes(h.Node) {
				if was, ok := associatedTypes(b.Node)[name]; ok && syntax.Canon(was) != syntax.Canon(n) {
					out = append(out, name)
				}
			}
		case model.StructItem, model.EnumItem, model.UnionItem:
			if b.Exec == h.Exec { // else code that has to be changed with it
				out = append(out, h.Name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rescoped are the names of macros that mean another one where a module is declared, and so in its files.
func (p *Pairs) rescoped(b, h *model.Item) []string {
	base, head := p.Base.TextualMacros(b), p.Head.TextualMacros(h)
	var out []string
	for name, was := range base {
		if p.toHead(was) != head[name] {
			out = append(out, name)
		}
	}
	for name := range head {
		if base[name] == "" {
			out = append(out, name)
		}
	}
	return out
}

// retargeted are the names, as others write them, that an import of a changed file gives another meaning.
func (p *Pairs) retargeted() []string {
	var out []string
	add := func(name string) { out = append(out, name[strings.LastIndex(name, ":")+1:]) }
	base, head := p.Base.Imports(), p.Head.Imports()
	for name, was := range base {
		now, ok := head[name]
		if !ok || now == was {
			continue
		}
		symbols := strings.Split(was, "\x00")
		for i, s := range symbols {
			symbols[i] = p.toHead(s)
		}
		if strings.Join(symbols, "\x00") != now {
			add(name)
		}
	}
	// A name that a module newly takes from a prelude, a crate or a pattern, or takes no more.
	had, has := p.Base.TakenAway(), p.Head.TakenAway()
	for name := range had {
		if !has[name] {
			add(name)
		}
	}
	for name := range has {
		if !had[name] {
			add(name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p *Pairs) pairItems() {
	toHead := match(itemEntries(p.Base.Items), itemEntries(p.Head.Items))
	toBase := inverse(toHead, len(p.Head.Items))
	for h, it := range p.Head.Items {
		pr := &Item{Head: it}
		if b := toBase[h]; b >= 0 {
			pr.Base = p.Base.Items[b]
			p.itemOfBase[pr.Base] = pr
			p.moved(pr.Base.Crate.Key+"::"+pr.Base.Path, it.Crate.Key+"::"+it.Path)
		}
		p.itemOfHead[it] = pr
		p.Items = append(p.Items, pr)
	}
	for b, it := range p.Base.Items {
		if toHead[b] < 0 {
			pr := &Item{Base: it}
			p.itemOfBase[it] = pr
			p.Items = append(p.Items, pr)
		}
	}
}

// inverse gives for each of n head entries the base entry that became it, or -1.
func inverse(toHead []int, n int) []int {
	toBase := make([]int, n)
	for i := range toBase {
		toBase[i] = -1
	}
	for b, h := range toHead {
		if h >= 0 {
			toBase[h] = b
		}
	}
	return toBase
}

func (p *Pairs) pairFunctions() {
	toHead := match(functionEntries(p.Base.Functions), functionEntries(p.Head.Functions))
	toBase := inverse(toHead, len(p.Head.Functions))
	for h, f := range p.Head.Functions {
		pr := &Function{Head: f}
		if b := toBase[h]; b >= 0 {
			pr.Base = p.Base.Functions[b]
			p.byBase[pr.Base] = pr
			p.moved(pr.Base.Crate.Key+"::"+pr.Base.Path, f.Crate.Key+"::"+f.Path)
			if pr.Base.Name != f.Name && (f.Self != "" || f.Trait != "") {
				p.methods[pr.Base.Name] = f.Name
			}
		}
		p.byHead[f] = pr
		p.Functions = append(p.Functions, pr)
	}
	for b, f := range p.Base.Functions {
		if toHead[b] < 0 {
			pr := &Function{Base: f}
			p.byBase[f] = pr
			p.Functions = append(p.Functions, pr)
		}
	}
}

func (p *Pairs) moved(base, head string) {
	if base != head {
		if _, ok := p.symbols[base]; !ok {
			p.symbols[base] = head
		}
	}
}

// toHead is the head's symbol of a base definition.
func (p *Pairs) toHead(symbol string) string {
	if s := p.symbols[symbol]; s != "" {
		return s
	}
	// A variant, an associated item: its type may have moved.
	if i := strings.LastIndex(symbol, "::"); i > 0 && symbol[0] != '?' {
		if s := p.symbols[symbol[:i]]; s != "" {
			return s + symbol[i:]
		}
	}
	return symbol
}

// names prepares the comparison of one side's texts.
func (p *Pairs) names(vars map[string]string, self string, base bool, lists ...[]model.Ref) *names {
	n := &names{vars: vars, self: self, paths: map[string]string{}}
	if base {
		n.methods = p.methods
	}
	for _, l := range lists {
		for _, r := range l {
			to := r.To
			if to == "?"+r.Written || strings.HasPrefix(r.Written, ".") {
				continue
			}
			if base {
				to = p.toHead(to)
			}
			to = "⟦" + to + "⟧"
			switch old := n.paths[r.Written]; {
			case old == "":
				n.paths[r.Written] = to
			case !strings.Contains(old, to):
				n.paths[r.Written] = old + to
			}
		}
	}
	return n
}

// refChanges are the names that both sides write and that mean different definitions, and those whose definition is used in place
// (constants, macros) and has changed. sameText says that both call the same macros by name.
func (p *Pairs) refChanges(base, head []model.Ref, sameText bool) []RefChange {
	if len(base) == 0 && len(head) == 0 {
		return nil
	}
	key := func(r model.Ref) string {
		if r.Macro {
			return r.Written + "!"
		}
		return r.Written
	}
	group := func(l []model.Ref, b bool) map[string][]string {
		out := map[string][]string{}
		for _, r := range l {
			to := r.To
			if b {
				to = p.toHead(to)
			}
			if k := key(r); !slices.Contains(out[k], to) {
				out[k] = append(out[k], to)
			}
		}
		return out
	}
	bs, hs := group(base, true), group(head, false)
	var out []RefChange
	for k, b := range bs {
		h, both := hs[k]
		method := strings.HasPrefix(k, ".")
		if !both && !method {
			continue
		}
		slices.Sort(b)
		slices.Sort(h)
		changed := !slices.Equal(b, h)
		if method {
			changed = slices.ContainsFunc(b, func(s string) bool { return !slices.Contains(h, s) })
		}
		if changed {
			out = append(out, RefChange{Written: k, Base: strings.Join(b, ", "), Head: strings.Join(h, ", ")})
		}
	}
	seen := map[string]bool{}
	for _, r := range head {
		if r.Target == nil || seen[key(r)] {
			continue
		}
		if pr := p.itemOfHead[r.Target]; pr != nil && pr.Base != nil {
			p.compareItem(pr)
			if pr.What&(Executable|GhostRefs) != 0 && hs[key(r)] != nil && bs[key(r)] != nil {
				seen[key(r)] = true
				out = append(out, RefChange{Written: key(r), Base: r.To + " as it was", Head: r.To + " as it is now"})
			}
		}
	}
	if sameText {
		// Both call a macro, and one of them one of another crate.
		for k, h := range hs {
			if bs[k] == nil && strings.HasSuffix(k, "!") {
				out = append(out, RefChange{Written: k, Base: "a macro of another crate", Head: strings.Join(h, ", ")})
			}
		}
		for k, b := range bs {
			if hs[k] == nil && strings.HasSuffix(k, "!") {
				out = append(out, RefChange{Written: k, Base: strings.Join(b, ", "), Head: "a macro of another crate"})
			}
		}
	}
	slices.SortFunc(out, func(a, b RefChange) int {
		return cmp.Or(strings.Compare(a.Written, b.Written), strings.Compare(a.Base, b.Base), strings.Compare(a.Head, b.Head))
	})
	return slices.Compact(out)
}

// side is code with what its names mean.
type side struct {
	node        syntax.Node
	exec, ghost []model.Ref
}

// binds tells a name that is there and means no definition: it is one of the code's own.
func (s side) binds(name string) bool {
	of := func(r model.Ref) bool { return r.Written == name }
	if slices.ContainsFunc(s.exec, of) || slices.ContainsFunc(s.ghost, of) {
		return false
	}
	for t := range s.node.Tokens() {
		if strings.TrimPrefix(t.Text(), "r#") == name {
			return true
		}
	}
	return false
}

// rebound are the names in patterns that one side binds to whatever is there, and the other compares with a constant of that name.
func (p *Pairs) rebound(base, head side) (exec, ghost []RefChange) {
	changes := func(b, h []model.Ref) []RefChange {
		var out []RefChange
		for _, r := range h {
			if r.Pattern && p.mayBind(r) && base.binds(r.Written) {
				out = append(out, RefChange{Written: r.Written, Base: Bound, Head: r.To})
			}
		}
		for _, r := range b {
			if r.Pattern && p.mayBind(r) && head.binds(r.Written) {
				out = append(out, RefChange{Written: r.Written, Base: r.To, Head: Bound})
			}
		}
		return out
	}
	return changes(base.exec, head.exec), changes(base.ghost, head.ghost)
}

// Override tells a constant that an impl of both sides gives on one side only, where the trait gives it another value on the other.
func (p *Pairs) Override(i *Item) bool {
	return p.override(p.Head, i.Head, p.itemOfHead, func(i *Item) *model.Item { return i.Base }) ||
		p.override(p.Base, i.Base, p.itemOfBase, func(i *Item) *model.Item { return i.Head })
}

// override asks that of an item of one side, whose pairs are known, with the other one of a pair.
func (p *Pairs) override(m *model.Model, it *model.Item, pairs map[*model.Item]*Item, other func(*Item) *model.Item) bool {
	if it == nil || it.Kind != model.ConstItem {
		return false
	}
	impl, trait := m.Of(it)
	if impl == nil || pairs[impl] == nil || other(pairs[impl]) == nil || constOf(other(pairs[impl]), it).Valid() {
		return false
	}
	if trait == nil {
		return true // the trait is not in the tree, and the impl does without on the other side
	}
	if pr := pairs[trait]; pr != nil {
		if trait = other(pr); trait == nil {
			return false
		}
	}
	v := constOf(trait, it).Get(syntax.FValue)
	return v.Valid() && syntax.Canon(v) != syntax.Canon(it.Node.Get(syntax.FValue))
}

// constOf is the constant in an impl or trait that has the name of another.
func constOf(in, it *model.Item) syntax.Node {
	for c := range in.Node.All(syntax.FItem) {
		if c.Kind() == syntax.Const && c.Get(syntax.FName).Text() == it.Node.Get(syntax.FName).Text() {
			return c
		}
	}
	return syntax.Node{}
}

// mayBind tells a name that a pattern binds where nothing else gives it. Of libraries not everything is known: what is written like their constants may be one on
// both sides.
func (p *Pairs) mayBind(r model.Ref) bool {
	if r.To[0] == '?' || strings.ContainsAny(r.Written, ":<") {
		return false
	}
	crate, _, _ := strings.Cut(r.To, "::")
	of := func(c *model.Crate) bool { return c.Key == crate }
	return r.Written[0] >= 'a' && r.Written[0] <= 'z' || slices.ContainsFunc(p.Base.Crates, of) || slices.ContainsFunc(p.Head.Crates, of)
}

func (p *Pairs) compareItem(pr *Item) {
	if p.busy[pr] != 0 {
		return
	}
	p.busy[pr] = 1
	defer func() { p.busy[pr] = 2 }()
	b, h := pr.Base, pr.Head
	switch {
	case b == nil:
		pr.Change, pr.SitesAdded = Added, h.Sites
		return
	case h == nil:
		pr.Change, pr.SitesRemoved = Removed, b.Sites
		return
	}
	nb := p.names(itemVars(b), "", true, b.ExecRefs, b.GhostRefs)
	nh := p.names(itemVars(h), "", false, h.ExecRefs, h.GhostRefs)
	pr.ExecDetail, pr.GhostDetail = p.refChanges(b.ExecRefs, h.ExecRefs, b.Exec == h.Exec), p.refChanges(b.GhostRefs, h.GhostRefs, false)
	exec, ghost := p.rebound(side{b.Node, b.ExecRefs, b.GhostRefs}, side{h.Node, h.ExecRefs, h.GhostRefs})
	pr.ExecDetail, pr.GhostDetail = append(pr.ExecDetail, exec...), append(pr.GhostDetail, ghost...)
	nb.types = renamedGenerics(b.Generics, h.Generics, b.Node)
	text := func(n *names) func(model.Term) string { return func(t model.Term) string { return n.write(t.Text) } }
	pr.TermsAdded, pr.TermsRemoved = termDiff(b.Terms, h.Terms, text(nb), text(nh))
	if (b.Exec != h.Exec || b.Name != h.Name) && nb.write(b.Exec) != nh.write(h.Exec) || len(pr.ExecDetail) > 0 {
		pr.What |= Executable
	}
	if len(pr.GhostDetail) > 0 {
		pr.What |= GhostRefs
	}
	if (b.Text != h.Text || b.Name != h.Name) && nb.write(b.Text) != nh.write(h.Text) {
		pr.What |= Body
	}
	if !sameSet(b.Attrs, h.Attrs) || !sameSet(b.Derives, h.Derives) {
		pr.What |= Attributes
	}
	if !slices.Equal(b.Cfg, h.Cfg) {
		pr.What |= Cfg
	}
	if b.Verified != h.Verified && b.Kind != model.MacroItem && b.Kind != model.ModuleItem && b.Kind != model.CrateItem {
		pr.What |= Verified
	}
	if b.Ghost != h.Ghost || b.Kind != h.Kind || b.Unsafe != h.Unsafe || b.Negative != h.Negative {
		pr.What |= Mode
	}
	pr.SitesAdded, pr.SitesRemoved = p.siteDiff(b.Sites, h.Sites, nb, nh)
	if len(pr.SitesAdded)+len(pr.SitesRemoved) > 0 {
		pr.What |= Sites
	}
	pr.Change = change(b.Crate.Key, b.Path, b.Name, b.File.Path, h.Crate.Key, h.Path, h.Name, h.File.Path, pr.What)
}

func itemVars(it *model.Item) map[string]string {
	if it.Name == "" {
		return nil
	}
	return map[string]string{it.Name: "$self"}
}

func change(bc, bp, bn, bf, hc, hp, hn, hf string, what What) Change {
	switch {
	case bn != hn:
		return Renamed
	case bc != hc || bp != hp || bf != hf:
		return Moved
	case what != 0:
		return Changed
	}
	return Same
}

func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// siteDiff compares sites by kind, text and what they are of, as often as they occur.
func (p *Pairs) siteDiff(base, head []model.Site, nb, nh *names) (added, removed []model.Site) {
	if len(base) == 0 && len(head) == 0 {
		return nil, nil
	}
	key := func(s model.Site, n *names) string { return s.Kind.String() + " " + n.write(s.Text) }
	of := map[string][]int{} // of base, those that no site of head is yet
	for i, s := range base {
		of[key(s, nb)] = append(of[key(s, nb)], i)
	}
	for _, s := range head {
		k := key(s, nh)
		if i := slices.IndexFunc(of[k], func(i int) bool { return p.SameSubject(base[i], s) }); i >= 0 {
			of[k] = slices.Delete(of[k], i, i+1)
		} else {
			added = append(added, s)
		}
	}
	for i, s := range base {
		if slices.Contains(of[key(s, nb)], i) {
			removed = append(removed, s)
		}
	}
	return added, removed
}

// SameSubject tells whether a site of base and one of head describe the same thing. One that could not be resolved is the same as what has its last name.
func (p *Pairs) SameSubject(base, head model.Site) bool {
	b, h := p.toHead(base.Of), head.Of
	last := func(s string) string { return strings.TrimPrefix(s[strings.LastIndex(s, "::")+1:], "?") }
	return b == h || (strings.HasPrefix(b, "?") || strings.HasPrefix(h, "?")) && strings.TrimPrefix(last(b), ":") == strings.TrimPrefix(last(h), ":")
}

func (p *Pairs) compare(pr *Function) {
	b, h := pr.Base, pr.Head
	switch {
	case b == nil:
		pr.Change, pr.SitesAdded = Added, h.Sites
		pr.Contract.Added = conjuncts(h)
		return
	case h == nil:
		pr.Change, pr.SitesRemoved = Removed, b.Sites
		pr.Contract.Removed = conjuncts(b)
		return
	}
	if p.untouched(b, h) {
		pr.Change = change(b.Crate.Key, b.Path, b.Name, b.File.Path, h.Crate.Key, h.Path, h.Name, h.File.Path, 0)
		pr.Contract.Same = conjuncts(h)
		return
	}
	nb := p.names(withSelf(variables(b), b.Name), b.Name, true, b.ExecRefs, b.GhostRefs)
	nh := p.names(withSelf(variables(h), h.Name), h.Name, false, h.ExecRefs, h.GhostRefs)
	p.nameSelf(nb, b, true)
	p.nameSelf(nh, h, false)
	nb.ghost, nh.ghost = ghostMacros(b), ghostMacros(h)
	nb.types = renamedGenerics(b.Generics, h.Generics, generic(b)...)
	for name, to := range renamedLocals(b, h) {
		if nb.types == nil {
			nb.types = map[string]string{}
		}
		nb.types[name] = to
	}
	// Equal text means the same only where the parameters of a name are in the same place.
	inPlace := maps.Equal(nb.vars, nh.vars) && len(nb.types) == 0
	same := func(x, y string) bool { return x == y && inPlace || nb.write(x) == nh.write(y) }
	pr.ExecDetail = p.refChanges(b.ExecRefs, h.ExecRefs, b.Exec == h.Exec)
	pr.GhostDetail = p.refChanges(b.GhostRefs, h.GhostRefs, false)
	exec, ghost := p.rebound(side{b.Node, b.ExecRefs, b.GhostRefs}, side{h.Node, h.ExecRefs, h.GhostRefs})
	pr.ExecDetail, pr.GhostDetail = append(pr.ExecDetail, exec...), append(pr.GhostDetail, ghost...)
	pr.TermsAdded, pr.TermsRemoved = p.terms(b, h, nb, nh)
	signature := sameSignature(b, h, pr, same) && p.sameArguments(b, h, nb, nh)
	// A bound written in another place, or a unit result written out, is the same function: then the bodies decide.
	if !same(b.Exec, h.Exec) && !(signature && same(bodyOf(b.Exec), bodyOf(h.Exec))) || len(pr.ExecDetail) > 0 {
		pr.What |= Executable
	}
	nb.ghost, nh.ghost = nil, nil
	if !same(b.Body, h.Body) || b.HasBody != h.HasBody {
		pr.What |= Body
	}
	if len(pr.GhostDetail) > 0 {
		pr.What |= GhostRefs
	}
	if !signature {
		pr.What |= Signature
	}
	if !sameSet(b.Attrs, h.Attrs) || !sameSet(b.Knobs, h.Knobs) {
		pr.What |= Attributes
	}
	if b.Mode != h.Mode {
		pr.What |= Mode
	}
	if b.PublishText != h.PublishText {
		pr.What |= Publish
	}
	if b.Verified != h.Verified {
		pr.What |= Verified
	}
	if !slices.Equal(b.Cfg, h.Cfg) {
		pr.What |= Cfg
	}
	pr.Contract = p.contract(b, h, nb, nh)
	if len(pr.Contract.Added)+len(pr.Contract.Removed)+len(pr.TermsAdded)+len(pr.TermsRemoved) > 0 {
		pr.What |= Contract
	}
	pr.SitesAdded, pr.SitesRemoved = p.siteDiff(b.Sites, h.Sites, nb, nh)
	pr.SitesAdded = append(pr.SitesAdded, conditions(b, h)...)
	if len(pr.SitesAdded)+len(pr.SitesRemoved) > 0 {
		pr.What |= Sites
	}
	pr.Change = change(b.Crate.Key, b.Path, b.Name, b.File.Path, h.Crate.Key, h.Path, h.Name, h.File.Path, pr.What)
}

// untouched tells functions whose every text is equal and whose names mean the same: most of them.
func (p *Pairs) untouched(b, h *model.Function) bool {
	if b.Name != h.Name || b.Signature != h.Signature || b.Exec != h.Exec || b.Body != h.Body || b.Mode != h.Mode || b.HasBody != h.HasBody ||
		b.PublishText != h.PublishText || b.Verified != h.Verified || !slices.Equal(b.Attrs, h.Attrs) || !slices.Equal(b.Cfg, h.Cfg) ||
		!slices.Equal(b.Knobs, h.Knobs) || b.Result != h.Result {
		return false
	}
	sameClause := func(x, y model.Clause) bool {
		return x.Kind == y.Kind && x.Text == y.Text && x.When == y.When && x.Via == y.Via
	}
	sameSite := func(x, y model.Site) bool { return x.Kind == y.Kind && x.Text == y.Text }
	sameParam := func(x, y model.Param) bool { return x.Pattern == y.Pattern }
	if !slices.Equal(b.Generics, h.Generics) || !slices.Equal(b.Terms, h.Terms) || b.Self != h.Self {
		return false
	}
	sameRef := func(x, y model.Ref) bool {
		if x.Written != y.Written || x.Macro != y.Macro || p.toHead(x.To) != y.To {
			return false
		}
		if y.Target == nil {
			return true
		}
		pr := p.itemOfHead[y.Target]
		if pr == nil {
			return true
		}
		p.compareItem(pr)
		return pr.What == 0
	}
	return slices.EqualFunc(b.Own, h.Own, sameClause) && slices.EqualFunc(b.Inherited, h.Inherited, sameClause) &&
		slices.EqualFunc(b.Sites, h.Sites, sameSite) && slices.EqualFunc(b.Params, h.Params, sameParam) &&
		slices.EqualFunc(b.ExecRefs, h.ExecRefs, sameRef) && slices.EqualFunc(b.GhostRefs, h.GhostRefs, sameRef) && slices.EqualFunc(aroundRefs(b), aroundRefs(h), sameRef)
}

// conditions are the cfg conditions under which a verified function stands now and did not before: where they do not hold the verifier no
// longer sees it. Those on the verifier's own names are sites of the head already.
func conditions(b, h *model.Function) []model.Site {
	if !b.Verified || !h.Verified {
		return nil
	}
	var out []model.Site
	for _, c := range h.Cfg {
		text := "cfg(" + c + ")"
		if slices.Contains(b.Cfg, c) || strings.Contains(c, "verus_") ||
			slices.ContainsFunc(h.Sites, func(s model.Site) bool { return s.Kind == model.CfgDivergence && s.Text == text }) {
			continue
		}
		out = append(out, model.Site{Kind: model.CfgDivergence, File: h.File, Span: h.NameSpan, Text: text})
	}
	return out
}

// ghostMacros are the names of the macros of the tree that a function calls and that only hold proofs.
func ghostMacros(f *model.Function) map[string]bool {
	var out map[string]bool
	for _, r := range f.GhostRefs {
		if r.Macro && r.Target != nil && r.Target.Ghost {
			if out == nil {
				out = map[string]bool{}
			}
			out[r.Written] = true
		}
	}
	return out
}

// bodyOf is the body in the canonical text of an executable function, or the whole text if there is none.
func bodyOf(exec string) string {
	depth := 0
	for i := 0; i < len(exec); i++ {
		switch exec[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{':
			if depth == 0 {
				return exec[i:]
			}
		}
	}
	return exec
}

// nameSelf lets Self mean the type, so that a function may become a method of it.
func (p *Pairs) nameSelf(n *names, f *model.Function, base bool) {
	if f.Self == "" || !isName(strings.ReplaceAll(f.Self, "::", "_")) {
		return
	}
	to := f.Crate.Key + "::" + f.Self
	if base {
		to = p.toHead(to)
	}
	n.paths["Self"] = "⟦" + to + "⟧"
}

// withSelf lets a function's calls of itself follow its name.
func withSelf(vars map[string]string, name string) map[string]string {
	if name != "" && vars[name] == "" {
		vars[name] = "$self"
	}
	return vars
}

// contract compares clauses by conjunct, whatever their order.
func (p *Pairs) contract(b, h *model.Function, nb, nh *names) ContractDiff {
	if len(b.Own)+len(b.Inherited)+len(h.Own)+len(h.Inherited) == 0 {
		return ContractDiff{}
	}
	// Names of the base as the head writes them, for what is shown.
	show := map[string]string{}
	for i, par := range b.Params {
		if i < len(h.Params) && par.Name != "" && h.Params[i].Name != "" && par.Name != h.Params[i].Name {
			show[par.Name] = h.Params[i].Name
		}
	}
	if isName(b.Result) && isName(h.Result) && b.Result != h.Result {
		show[b.Result] = h.Result
	}
	for _, l := range [][]model.Ref{b.GhostRefs, b.ExecRefs} {
		for _, r := range l {
			if to := p.toHead(r.To); to != r.To && !strings.Contains(r.Written, "::") {
				show[r.Written] = to[strings.LastIndex(to, "::")+2:]
			}
		}
	}
	ib, ih := *nb, *nh
	ib.vars, ih.vars = withSelf(inheritedVariables(b), b.Name), withSelf(inheritedVariables(h), h.Name)
	key := func(c Conjunct, own, inherited *names) string {
		n, text := own, c.Text
		if c.Inherited {
			n = inherited
		}
		if c.Kind == syntax.OpensInvariants && text == "none" {
			text = "[]"
		}
		return c.Kind.String() + " " + n.write(text) + " " + n.write(c.Clause.When) + " " + n.write(c.Clause.Via)
	}
	bs, hs := conjuncts(b), conjuncts(h)
	count := map[string]int{}
	keys := make([]string, len(bs))
	for i, c := range bs {
		keys[i] = key(c, nb, &ib)
		count[keys[i]]++
	}
	var d ContractDiff
	matched := map[string]int{}
	for _, c := range hs {
		k := key(c, nh, &ih)
		// A clause repeated says nothing more: once is enough.
		if count[k] > 0 {
			matched[k]++
			d.Same = append(d.Same, c)
		} else {
			d.Added = append(d.Added, c)
		}
	}
	for i, c := range bs {
		if matched[keys[i]] == 0 {
			c.Text = rename(c.Text, show)
			d.Removed = append(d.Removed, c)
		}
	}
	return d
}

func conjuncts(f *model.Function) []Conjunct {
	var out []Conjunct
	add := func(clauses []model.Clause, inherited bool) {
		for i := range clauses {
			c := &clauses[i]
			one := Conjunct{Kind: c.Kind, Text: c.Text, Node: c.Node, Clause: c, Inherited: inherited}
			switch c.Kind {
			case syntax.Requires, syntax.Recommends, syntax.Ensures, syntax.DefaultEnsures:
				if c.Node.Kind() != syntax.Clause {
					for _, n := range syntax.Conjuncts(c.Node) {
						part := one
						if part.Node = n; n != c.Node {
							part.Text = syntax.Canon(n)
						}
						out = append(out, part)
					}
					continue
				}
			}
			out = append(out, one)
		}
	}
	add(f.Inherited, true)
	add(f.Own, false)
	return out
}

package pair

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/syntax"
)

// entry is what matching needs to know of a function or item.
type entry struct {
	crate, class, path, name string
	parent                   string // crate and path without the name
	variant                  string // what tells variants of one path apart
	// shape is what two versions share when only the name changed; print is the whole content without the name; text is for
	// similarity. They are made when first needed.
	make        func(*entry)
	made        bool
	shape, text string
	print       string
}

func (e *entry) content() *entry {
	if !e.made {
		e.made = true
		e.make(e)
	}
	return e
}

func functionEntries(fs []*model.Function) []entry {
	out := make([]entry, len(fs))
	for i, f := range fs {
		e := &out[i]
		e.crate, e.path, e.name = f.Crate.Key, f.Path, f.Name
		e.class = "fn"
		e.parent = e.crate + "\x00" + parent(f.Path, f.Name)
		e.variant = f.Trait + "\x00" + strings.Join(f.Cfg, "\x00")
		e.make = func(e *entry) {
			n := &names{vars: withSelf(variables(f), f.Name), self: f.Name}
			// What moves to another module often has to become visible to the old one.
			e.shape = n.write(WithoutVisibility(f.Signature))
			var b strings.Builder
			for _, c := range f.Own {
				b.WriteString(c.Kind.String())
				b.WriteByte(' ')
				b.WriteString(n.write(c.Text))
				b.WriteByte('\n')
			}
			b.WriteString(n.write(f.Body))
			e.text = b.String()
			e.print = e.shape + "\n" + e.text
		}
	}
	return out
}

func itemEntries(its []*model.Item) []entry {
	out := make([]entry, len(its))
	for i, it := range its {
		e := &out[i]
		e.crate, e.path, e.name = it.Crate.Key, it.Path, it.Name
		e.class = it.Kind.String()
		e.parent = e.crate + "\x00" + parent(it.Path, it.Name)
		e.variant = strings.Join(it.Cfg, "\x00")
		if it.Kind == model.CrateItem {
			e.name = ""
		}
		e.make = func(e *entry) {
			n := &names{vars: itemVars(it)}
			e.text = n.write(it.Text)
			e.shape = e.class
			e.print = e.text
			if it.Kind == model.ModuleItem || it.Kind == model.CrateItem {
				e.print = "" // says nothing of what is inside
			}
		}
	}
	return out
}

// WithoutVisibility is a canonical signature without the visibility that it begins with, which changes nothing for those who could call it before.
func WithoutVisibility(signature string) string {
	rest, ok := strings.CutPrefix(signature, "pub")
	if !ok || rest != "" && syntax.WordByte(rest[0]) {
		return signature
	}
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "(") {
		if i := strings.IndexByte(rest, ')'); i > 0 {
			rest = strings.TrimSpace(rest[i+1:])
		}
	}
	return rest
}

func parent(path, name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, name), "::")
}

// maxBucket bounds how many candidates of one kind are compared with each other.
const maxBucket = 64

// match gives for each base entry the head entry that it became, or -1.
func match(base, head []entry) []int {
	m := matcher{base: base, head: head, of: make([]int, len(base)), taken: make([]bool, len(head))}
	for i := range m.of {
		m.of[i] = -1
	}
	// By symbol. Variants of one symbol: those that are alike first.
	key := func(e *entry) string { return e.crate + "\x00" + e.class + "\x00" + e.path }
	m.buckets(key, func(bs, hs []int) {
		if len(bs) == 1 && len(hs) == 1 {
			m.take(bs[0], hs[0])
			return
		}
		m.equal(bs, hs, func(e *entry) string { return e.variant + "\x00" + e.content().print })
		m.equal(bs, hs, func(e *entry) string { return e.variant })
		m.equal(bs, hs, func(e *entry) string { return e.content().print })
		m.equal(bs, hs, func(*entry) string { return "" })
	})
	// Moved: the same name and content elsewhere; first in the same type, so that new of one is not new of another.
	m.buckets(func(e *entry) string {
		return e.class + "\x00" + e.name + "\x00" + lastOf(e.parent) + "\x00" + e.content().print
	}, m.inOrder)
	m.buckets(func(e *entry) string { return e.class + "\x00" + e.name + "\x00" + e.content().print }, m.inOrder)
	// Renamed: the same content under another name in the same place, then elsewhere if there is one only.
	m.buckets(func(e *entry) string { return e.class + "\x00" + e.parent + "\x00" + e.content().print }, m.inOrder)
	// A name says more than a content: what a function of that name elsewhere could have become is looked at first.
	renamed := func(free func(b, h int) bool) {
		m.buckets(func(e *entry) string { return e.class + "\x00" + e.content().print }, func(bs, hs []int) {
			if len(bs) == 1 && len(hs) == 1 && len(m.base[bs[0]].print) > 40 && free(bs[0], hs[0]) {
				m.take(bs[0], hs[0])
			}
		})
	}
	ofBase, ofHead := m.names()
	renamed(func(b, h int) bool {
		return !ofHead[m.base[b].class+"\x00"+m.base[b].name] && !ofBase[m.head[h].class+"\x00"+m.head[h].name]
	})
	// Moved and changed: the same name, alike. Renamed and changed: the same place and signature, very much alike.
	m.buckets(func(e *entry) string { return e.class + "\x00" + e.name }, func(bs, hs []int) { m.alike(bs, hs, 0.5) })
	renamed(func(int, int) bool { return true })
	m.buckets(func(e *entry) string { return e.class + "\x00" + e.parent + "\x00" + e.content().shape }, func(bs, hs []int) { m.alike(bs, hs, 0.8) })
	return m.of
}

func lastOf(parent string) string {
	if i := strings.LastIndexAny(parent, ":\x00"); i >= 0 {
		return parent[i+1:]
	}
	return parent
}

type matcher struct {
	base, head []entry
	of         []int
	taken      []bool
}

// names are the names, with their classes, of what is left on both sides.
func (m *matcher) names() (base, head map[string]bool) {
	base, head = map[string]bool{}, map[string]bool{}
	for b := range m.base {
		if m.of[b] < 0 {
			base[m.base[b].class+"\x00"+m.base[b].name] = true
		}
	}
	for h := range m.head {
		if !m.taken[h] {
			head[m.head[h].class+"\x00"+m.head[h].name] = true
		}
	}
	return base, head
}

func (m *matcher) take(b, h int) { m.of[b], m.taken[h] = h, true }

// buckets groups what is left on both sides by key and hands over the groups that have both, in the order of the base.
func (m *matcher) buckets(key func(*entry) string, each func(bs, hs []int)) {
	rest := false
	for h := range m.head {
		rest = rest || !m.taken[h]
	}
	if !rest {
		return
	}
	type bucket struct{ bs, hs []int }
	byKey := map[string]*bucket{}
	var order []*bucket
	for b := range m.base {
		if m.of[b] >= 0 {
			continue
		}
		k := key(&m.base[b])
		g := byKey[k]
		if g == nil {
			g = &bucket{}
			byKey[k] = g
			order = append(order, g)
		}
		g.bs = append(g.bs, b)
	}
	if len(order) == 0 {
		return
	}
	for h := range m.head {
		if m.taken[h] {
			continue
		}
		if g := byKey[key(&m.head[h])]; g != nil {
			g.hs = append(g.hs, h)
		}
	}
	for _, g := range order {
		if len(g.hs) > 0 {
			each(g.bs, g.hs)
		}
	}
}

// equal takes pairs of equal key among the given ones, in order.
func (m *matcher) equal(bs, hs []int, key func(*entry) string) {
	byKey := map[string][]int{}
	for _, h := range hs {
		if !m.taken[h] {
			k := key(&m.head[h])
			byKey[k] = append(byKey[k], h)
		}
	}
	for _, b := range bs {
		if m.of[b] >= 0 {
			continue
		}
		k := key(&m.base[b])
		if l := byKey[k]; len(l) > 0 {
			m.take(b, l[0])
			byKey[k] = l[1:]
		}
	}
}

func (m *matcher) inOrder(bs, hs []int) {
	if m.base[bs[0]].print == "" {
		return
	}
	for i := range min(len(bs), len(hs)) {
		m.take(bs[i], hs[i])
	}
}

// alike takes the most similar pairs first, down to a least similarity.
func (m *matcher) alike(bs, hs []int, least float64) {
	if len(bs) > maxBucket || len(hs) > maxBucket {
		return
	}
	type pr struct {
		b, h int
		s    float64
	}
	var all []pr
	for _, b := range bs {
		for _, h := range hs {
			x, y := m.base[b].content(), m.head[h].content()
			if x.print == "" || y.print == "" {
				continue
			}
			if s := similarity(x.text, y.text); s >= least {
				all = append(all, pr{b, h, s})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y pr) int { return cmp.Or(cmp.Compare(y.s, x.s), x.b-y.b, x.h-y.h) })
	for _, c := range all {
		if m.of[c.b] < 0 && !m.taken[c.h] {
			m.take(c.b, c.h)
		}
	}
}

package logic

import (
	"testing"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// plainNames knows the definitions of one test file.
type plainNames struct {
	s    *Space
	defs map[string]syntax.Node
}

func (p plainNames) other(_ syntax.Node, words []string, args []*Type) (t *Type, library bool) {
	last := words[len(words)-1]
	if last == "T" || last == "Light" || last == "Slot" {
		return &Type{Kind: KOther, Name: last}, false
	}
	return nil, last != "Own"
}

// Variant knows one enum whose variants have the library's names.
func (p plainNames) IsSeqMacro(syntax.Node) bool { return true }

func (p plainNames) Variant(words []string, _ bool) (name string, library bool) {
	name = words[len(words)-1]
	return name, words[0] != "Slot" && (name == "Some" || name == "None" || name == "Ok" || name == "Err")
}

func (p plainNames) Type(n syntax.Node) *Type { return ReadType(n, p.other) }

func (p plainNames) Path(path syntax.Node, args int) Ref {
	r := Ref{Name: "fn " + path.Text(), Typed: true}
	if d, ok := p.defs[path.Text()]; ok {
		r.Typed = d.Get(syntax.FGenerics).Valid()
		r.Type = p.Type(d.Get(syntax.FRet).Get(syntax.FType))
	}
	return r
}

func (p plainNames) Method(name string, recv *Type, args int) Ref {
	return Ref{Name: "method " + name, Typed: true}
}

func (p plainNames) Field(of *Type, variant, field string) *Type { return nil }
func (p plainNames) Changed(string) bool                         { return false }
func (p plainNames) Side() string                                { return "head" }

// question reads `fn f(..) -> (r: T) requires premises, ensures goals` and asks whether the goals follow.
func question(t *testing.T, text string) (proved bool, left int) {
	t.Helper()
	f := syntax.Parse(source.NewFile("t.rs", []byte("verus! {\n"+text+"\n}\n")))
	for _, e := range f.Errors {
		t.Fatalf("%s: %v", text, e)
	}
	s := NewSpace()
	names := plainNames{s, map[string]syntax.Node{}}
	c := &Converter{S: s, Names: names, Old: map[string]*Term{}, Final: map[string]*Term{}}
	var premises, goals []*Term
	f.Root().Walk(func(n syntax.Node) bool {
		if n.Kind() == syntax.Fn {
			names.defs[n.Get(syntax.FName).Text()] = n
		}
		return true
	})
	f.Root().Walk(func(n syntax.Node) bool {
		if n.Kind() != syntax.Fn {
			return true
		}
		if n.Get(syntax.FName).Text() != "f" {
			return false
		}
		for p := range n.Get(syntax.FParams).All(syntax.FParam) {
			typ := names.Type(p.Get(syntax.FType))
			id := p.Get(syntax.FPat).Text()
			c.BindAs(id, s.Var(id, typ), p.Get(syntax.FType), "")
			if p.Get(syntax.FType).Mut() {
				c.Old[id] = s.Var("old "+id, typ)
			}
		}
		if r := n.Get(syntax.FRet); r.Valid() {
			c.Bind(r.Get(syntax.FPat).Text(), s.Var("result", names.Type(r.Get(syntax.FType))))
		}
		for cl := range n.All(syntax.FClause) {
			for e := range cl.All(syntax.FExpr) {
				if cl.Which() == syntax.Requires {
					premises = append(premises, c.Formula(e))
				} else {
					goals = append(goals, c.Formula(e))
				}
			}
		}
		return false
	})
	p := &Prover{S: s, Define: func(app *Term) *Term {
		bare, env, types := Untag(app.Name)
		d, ok := names.defs[trimFn(bare)]
		if !ok || !d.Get(syntax.FBody).Valid() {
			return nil
		}
		c := &Converter{S: s, Names: names, Env: env}
		i := 0
		for p := range d.Get(syntax.FParams).All(syntax.FParam) {
			given := ""
			if i < len(types) {
				given = types[i]
			}
			c.BindAs(p.Get(syntax.FPat).Text(), app.Args[i], p.Get(syntax.FType), given)
			i++
		}
		return c.Term(d.Get(syntax.FBody))
	}}
	ok := p.Proves(premises, s.And(goals...))
	return ok, p.left
}

func trimFn(name string) string {
	if len(name) > 3 {
		return name[3:]
	}
	return ""
}

// Each row is a claim about specification code: true for what must be shown, false for what must not be, because it does not
// follow.
var questions = []struct {
	text string
	want bool
}{
	// propositions
	{"fn f(a: bool, b: bool) requires a && b, ensures b && a, {}", true},
	{"fn f(a: bool, b: bool) requires a || b, ensures a, {}", false},
	{"fn f(a: bool, b: bool) requires a <==> b, ensures a ==> b, {}", true},
	{"fn f(a: bool, b: bool) requires a ==> b, ensures a <==> b, {}", false},
	{"fn f(a: bool, b: bool) requires a == b, ensures b ==> a, {}", true},
	{"fn f(a: bool) ensures a || !a, {}", true},
	{"fn f(a: bool, b: bool, c: bool) requires a ==> b, b ==> c, ensures !c ==> !a, {}", true},
	{"fn f(a: bool, b: bool) ensures (a ==> b) <== b, {}", true},
	{"fn f(a: bool, b: bool, c: bool) requires if a { b } else { c }, ensures b || c, {}", true},
	{"fn f(a: bool, b: bool, c: bool) requires if a { b } else { c }, ensures b, {}", false},
	{"fn f(a: bool, b: bool) requires ({ &&& a &&& b }), ensures b, {}", true},
	{"fn f(a: bool, b: bool) requires ({ ||| a ||| b }), ensures b, {}", false},
	// integers
	{"fn f(q: u32) ensures q <= u32::MAX, {}", true},
	{"fn f(q: u32) ensures q < u32::MAX, {}", false},
	{"fn f(q: int) ensures q >= 0, {}", false},
	{"fn f(q: nat) ensures q >= 0, {}", true},
	{"fn f(q: usize) ensures q <= usize::MAX, {}", true},
	{"fn f(q: usize) ensures q <= u64::MAX, {}", true},
	{"fn f(q: usize) ensures q <= u32::MAX, {}", false},
	{"fn f(q: isize) ensures q >= isize::MIN, {}", true},
	{"fn f(total: u32, parts: u32) requires parts > 0, total < parts, total > 2 * parts, ensures false, {}", true},
	{"fn f(total: u32, parts: u32) requires parts > 0, total < parts, ensures false, {}", false},
	{"fn f(x: int) requires 2 * x == 5, ensures false, {}", true},
	{"fn f(x: int) requires 0 < x < 2, ensures x == 1, {}", true},
	{"fn f(x: int, y: int) requires x < y, ensures x + 1 <= y, y > x, !(y <= x), x != y, {}", true},
	{"fn f(x: int, y: int) requires x <= y, y <= x, ensures x == y, {}", true},
	{"fn f(a: int, b: int, c: int) requires a <= b < c, ensures a < c, {}", true},
	{"fn f(a: int, b: int, c: int) requires a <= b, ensures a < c, {}", false},
	{"fn f(a: u8, b: u8) ensures a + b <= 510, {}", true},
	{"fn f(a: u8, b: u8) ensures a + b <= 255, {}", false},
	{"fn f(a: u8, b: u8) ensures a - b >= 0, {}", false},
	{"fn f(a: int) ensures a / 2 * 2 <= a, a % 2 < 2, a % 2 >= 0, {}", true},
	{"fn f(a: int, b: int) ensures a % b < b, {}", false},
	{"fn f(a: int, b: int) requires b > 0, ensures a % b < b, {}", true},
	{"fn f(a: int, b: int) ensures a * b == b * a, {}", true},
	{"fn f(a: int, b: int) requires a >= 0, b >= 0, ensures a * b >= a, {}", false},
	{"fn f(a: int) requires a == 3, ensures a * 4 == 12, {}", true},
	// casts
	{"fn f(a: u8) ensures (a as int) == a, (a as u64) == a, {}", true},
	{"fn f(a: u64) ensures (a as u8) == a, {}", false},
	{"fn f(a: u64) requires a < 256, ensures (a as u8) == a, {}", true},
	{"fn f(a: int) ensures (a as nat) == a, {}", false},
	{"fn f(a: int) requires a >= 0, ensures (a as nat) == a, {}", true},
	{"fn f(a: int) ensures (a as nat) >= 0, {}", true},
	// equality
	{"fn f(r: T) ensures r == r, {}", true},
	{"fn f(r: f64) ensures r == r, {}", false},
	{"fn f(r: Own) ensures r == r, {}", false},
	{"fn f(a: T, b: T, c: T) requires a == b, b == c, ensures g(a) == g(c), {} spec fn g(a: T) -> int;", true},
	{"fn f(a: T, b: T) requires g(a) == g(b), ensures a == b, {} spec fn g(a: T) -> int;", false},
	{"fn f(a: int, b: int) requires a + 1 == b, ensures g(a) == g(b - 1), {} spec fn g(a: int) -> int;", true},
	{"fn f(r: (u32, u32)) requires r == (1u32, 2u32), ensures r.1 == 2, {}", true},
	// definitions
	{"fn f(n: u64, r: u64) requires r == fib(n as nat), ensures n < 2 ==> r == n, r <= fib(n as nat), {} " + fib, true},
	{"fn f(n: u64, r: u64) requires n < 2 ==> r == n, r <= fib(n as nat), ensures r == fib(n as nat), {} " + fib, false},
	{"fn f(n: nat) ensures fib(n) >= n, {} " + fib, false},
	{"fn f(a: int) requires small(a), ensures a < 11, {} spec fn small(x: int) -> bool { 0 <= x < 10 }", true},
	{"fn f(a: int) requires !small(a), ensures a < 0 || a >= 10, {} spec fn small(x: int) -> bool { 0 <= x < 10 }", true},
	{"fn f(a: int) requires small(a), ensures a > 0, {} spec fn small(x: int) -> bool { 0 <= x < 10 }", false},
	// quantifiers
	{"fn f(v: &Vec<u8>, b: bool) requires b == exists|i: int| 0 <= i < v.len() && v[i] == 3, ensures b ==> exists|k: int| 0 <= k < v.len() && v[k] == 3, {}", true},
	{"fn f(v: &Vec<u8>, b: bool) requires b ==> exists|i: int| 0 <= i < v.len() && v[i] == 3, ensures b == exists|k: int| 0 <= k < v.len() && v[k] == 3, {}", false},
	{"fn f(v: Seq<int>) requires forall|i: int| 0 <= i < v.len() ==> v[i] > 1, ensures forall|j: int| 0 <= j < v.len() ==> v[j] > 0, {}", true},
	{"fn f(v: Seq<int>) requires forall|i: int| 0 <= i < v.len() ==> v[i] > 1, ensures forall|j: int| 0 <= j < v.len() - 1 ==> v[j] > 1, {}", true},
	{"fn f(v: Seq<int>) requires forall|i: int| 0 <= i < v.len() - 1 ==> v[i] > 1, ensures forall|j: int| 0 <= j < v.len() ==> v[j] > 1, {}", false},
	{"fn f(v: Seq<int>) requires forall|i: int, j: int| 0 <= i < j < v.len() ==> v[i] <= v[j], ensures forall|i: int| 0 <= i < v.len() - 1 ==> v[i] <= v[i + 1], {}", true},
	{"fn f(v: Seq<int>) requires forall|i: int, j: int| 0 <= i < j < v.len() ==> v[i] <= v[j], ensures forall|j: int| forall|i: int| 0 <= i < j < v.len() ==> v[i] <= v[j], {}", true},
	{"fn f(p: T) requires forall|i: nat| g(i), ensures g(-1), {} spec fn g(a: int) -> bool;", false},
	{"fn f(p: T) requires forall|i: nat| g(i), ensures g(7), {} spec fn g(a: int) -> bool;", true},
	{"fn f(p: T) requires exists|i: int| g(i), ensures forall|i: int| g(i), {} spec fn g(a: int) -> bool;", false},
	{"fn f(p: T) requires exists|i: int| forall|j: int| h(i, j), ensures forall|j: int| exists|i: int| h(i, j), {} spec fn h(a: int, b: int) -> bool;", true},
	{"fn f(p: T) requires forall|j: int| exists|i: int| h(i, j), ensures exists|i: int| forall|j: int| h(i, j), {} spec fn h(a: int, b: int) -> bool;", false},
	// matches
	{"fn f(r: Option<usize>, n: usize) requires match r { Some(i) => i < n, None => n == 0 }, ensures match r { Some(i) => i < n, None => true }, {}", true},
	{"fn f(r: Option<usize>, n: usize) requires match r { Some(i) => i < n, None => true }, ensures match r { Some(i) => i < n, None => n == 0 }, {}", false},
	{"fn f(r: Option<u32>) requires r matches Some(x) ==> x > 3, ensures r is Some ==> r->0 > 2, {}", true},
	{"fn f(r: Option<u32>) requires r == Some(3u32), ensures r.is_some(), r matches Some(x) && x == 3, {}", true},
	{"fn f(r: Option<u32>) requires r.is_some(), ensures r is None, {}", false},
	{"fn f(r: Light) requires r matches Light::Green { left } && left, ensures r is Green, {}", true},
	{"fn f(x: u8, r: Option<u32>) requires r matches Some(x) && x == 3, ensures x == 3, {}", false},
	// an enum of the tree whose variants have the names of the library's
	{"fn f(r: Slot) ensures r is Some || r is None, {}", false},
	{"fn f(r: Option<u8>) ensures r is Some || r is None, {}", true},
	{"fn f(r: &Box<Option<u8>>) ensures r is Some || r is None, {}", true},
	{"fn f(r: Slot) ensures r is Ok || r is Err, {}", false},
	{"fn f(r: Result<u8, u8>) ensures r is Ok || r is Err, !(r is Ok && r is Err), {}", true},
	{"fn f(r: Slot) requires !(r is None), ensures r is Some, {}", false},
	{"fn f(r: Slot) requires r is None, ensures r is None, {}", true},
	{"fn f(r: Slot) requires !(r is None), ensures match r { Slot::Some(_) => true, Slot::None => true, _ => false }, {}", false},
	{"fn f(r: Slot) ensures match r { Slot::Some(_) => true, Slot::None => true, Slot::Deleted => false }, {}", false},
	{"fn f(r: Option<u8>) ensures match r { Some(_) => true, None => true, _ => false }, {}", true},
	{"fn f(r: Slot) requires r matches Slot::Some(x) && x == 3, ensures r is Some, r->Some_0 == 3, {}", true},
	{"fn f(r: Slot) requires !(r matches Slot::None), ensures r matches Slot::Some(_), {}", false},
	{"fn f(r: Slot) requires r != Slot::None, ensures r is Some, {}", false},
	{"fn f(r: Slot) requires r == Slot::None, ensures !(r is Some), {}", false},
	{"fn f(r: Slot) requires !r.is_none(), ensures r.is_some(), {}", false},
	{"fn f(r: Slot) requires !r.is_None(), ensures r.is_Some(), {}", false},
	{"fn f(r: Option<u8>) requires !r.is_None(), ensures r.is_Some(), r.is_some(), {}", true},
	{"fn f(r: (Slot, u8)) ensures r.0 is Some || r.0 is None, {}", false},
	{"fn f(r: Option<Slot>) requires r matches Some(x), ensures r->0 is Some || r->0 is None, {}", false},
	{"fn f(r: Option<Slot>) requires !(r matches Some(Slot::Some(_))), ensures r is None || r matches Some(Slot::None), {}", false},
	{"fn f(r: Option<Option<u8>>) requires !(r matches Some(Some(_))), ensures r is None || r matches Some(None), {}", true},
	{"fn f(r: Slot, b: bool) requires b == if let Slot::Some(_) = r { true } else { false }, !b, ensures r is None, {}", false},
	{"fn f(r: Own) requires r == None, ensures !(r matches Some(_)), {}", true},
	{"fn f(r: Own) ensures r is Some || r is None, {}", false},
	// what depends on the static type, which is no part of the value
	{"fn f(r: u64, x: u32) requires r <= (!x) as u64, ensures r <= !(x as u64), {}", false},
	{"fn f(r: u64, x: u32) requires r <= !(x as u64), ensures r <= (!x) as u64, {}", false},
	{"fn f(r: u64, x: u32) requires r <= !(x as u64), ensures r <= u32::MAX, {}", false},
	{"fn f(r: u32, x: u32) requires r == !x, ensures r == !(x as u32), {}", true},
	{"fn f(r: u64, x: u32, y: u64) requires x == y, r == !x, ensures r == !y, {}", false},
	{"fn f(r: u64, x: u64, y: u64) requires x == y, r == !x, ensures r == !y, {}", true},
	{"fn f(r: u64) requires r == !0, ensures r as u128 == !0, {}", false},
	{"fn f(r: u64) requires r == !0u64, ensures r == !0u128, {}", false},
	{"fn f(r: u64) requires r == !0, ensures !0 == r, r == !0u64, {}", true},
	{"fn f(r: u128, x: u32) requires r as int <= ((x as u64) << 40u64) as int, ensures r as int <= ((x as u128) << 40u128) as int, {}", false},
	{"fn f(r: u64, x: u32) requires r == (x << 3) as u64, ensures r == (x as u64) << 3, {}", false},
	{"fn f(r: u64, x: u32) requires r == (x << 3) as u64, ensures r == (x << 3u64) as u64, {}", true},
	{"fn f(r: u64, x: u32) requires r as int == x >> 3, ensures r as int == (x as u64) >> 3, {}", true},
	{"fn f(r: u64, x: u32) requires r as int == x >> 40, ensures r as int == (x as u64) >> 40, {}", false},
	{"fn f(r: u64, x: u32, y: u32) requires r as int == x & y, ensures r as int == (x as u64) & (y as u64), {}", true},
	{"fn f(r: u64, x: u32) requires r as int == x & 7, ensures r as int == (x as u64) & 7u64, {}", true},
	{"fn f(r: u64, x: u32) requires r as int == ({ let y: u32 = x; !y }), ensures r as int == ({ let y = x as u64; !y }), {}", false},
	{"fn f(r: u64, x: u32) requires r as int == ({ let y: u32 = x; !y }), ensures r as int == !x, {}", true},
	{"fn f(r: u8, x: u8) requires r as int <= x.w(), ensures r as int <= (x as int).w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= x.w(), ensures r as int <= x.w(), r <= (x as u8).w(), {}", true},
	{"fn f(r: u8, x: u8, y: int) requires x == y, r as int <= x.w(), ensures r as int <= y.w(), {}", false},
	{"fn f(r: u8, x: u8, t: T) requires t.w(x), ensures t.w(x as int), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= Some(x).w(), ensures r as int <= Some(x as int).w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= Some(x)->0.w(), ensures r as int <= Some(x as int)->0.w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= Some(x)->0.w(), ensures r as int <= x.w(), {}", true},
	{"fn f(r: u8, x: u8) requires r as int <= (x, 1u8).w(), ensures r as int <= (x as int, 1u8).w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= (x, 1u8).0.w(), ensures r as int <= (x as int, 1u8).0.w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= seq![x][0].w(), ensures r as int <= seq![x as int][0].w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= (x + 0).w(), ensures r as int <= x.w(), {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= (x + 0).w(), ensures r as int <= (x as int).w(), {}", true},
	{"fn f(r: u8, x: u8) requires r as int <= 1u8.w(), ensures r as int <= 1u16.w(), {}", false},
	{"fn f(r: u8, x: u8, b: bool) requires r as int <= (if b { x } else { 0 }).w(), ensures r as int <= (if b { x as int } else { 0 }).w(), {}", false},
	{"fn f(r: u8, o: Option<u8>) requires r as int <= match o { Some(x) => x.w(), None => 0 }, ensures r as int <= match o { Some(x) => (x as int).w(), None => 0 }, {}", false},
	{"fn f(r: u8, o: &Option<u8>) requires r == match o { Some(x) => x.w(), None => 0 }, ensures o is Some ==> r == o->0.w(), {}", true},
	{"fn f(r: u8, x: u8) requires r as int <= ({ let g = |v| v.w(); g(x) }), ensures r as int <= ({ let g = |v| v.w(); g(x as int) }), {}", false},
	{"fn f(x: u8) requires x@ == x@, ensures x@ == (x as int)@, {}", false},
	{"fn f(m: T, x: u8) requires m[x] == m, ensures m[x as int] == m, {}", false},
	{"fn f(r: u8, x: u8) requires r as int <= g(x), ensures r as int <= g(x as int), {} spec fn g<V: W>(t: V) -> int { t.w() }", false},
	{"fn f(r: u8, x: u8) requires r as int <= g(x), ensures r as int <= g(x as u8), {} spec fn g<V: W>(t: V) -> int { t.w() }", true},
	{"fn f(r: u8, x: u8) requires r as int <= g(x), ensures r as int <= g(x as int), {} spec fn g<V: W>(t: V) -> int { V::w() }", false},
	{"fn f(r: u8, x: u8) requires r as int <= g(x), ensures r as int <= g(x as int), {} spec fn g(t: int) -> int { t + 1 }", true},
	{"fn f(r: u8, x: u8) requires g(x as int), ensures (x as int).w(), {} spec fn g(t: int) -> bool { t.w() }", true},
	{"fn f(r: u8, x: u8) requires g(x as int), ensures x.w(), {} spec fn g(t: int) -> bool { t.w() }", false},
	{"fn f(r: u8, x: u8) requires r as int <= (choose|i: u8| i == x).w(), ensures r as int <= (choose|i: int| i == x).w(), {}", false},
	{"fn f(r: u8, x: u8) requires r == ({ let y = x; choose|i| i == y && i.w() }), ensures r == ({ let y = x as int; choose|i| i == y && i.w() }), {}", false},
	{"fn f(x: u8) requires forall|i: u8| i.w(), ensures forall|i: int| i.w(), {}", false},
	{"fn f(x: u8) requires forall|i: u8| g(i as int), ensures forall|i: int| g(i), {} spec fn g(i: int) -> bool;", false},
	{"fn f(x: u8) requires forall|i: int| g(i), ensures forall|i: u8| g(i as int), {} spec fn g(i: int) -> bool;", true},
	{"fn f(x: u8) requires forall|a: [u8; 3]| g(a), ensures forall|a: [u8; 4]| g(a), {} spec fn g<const N: usize>(a: [u8; N]) -> bool;", false},
	{"fn f(a: [u8; 4]) requires forall|a: [u8; 3]| a.len() == 3, ensures a.len() == 3, {}", false},
	{"fn f(x: u8) requires forall|a: Own<u8>| a.w(), ensures forall|a: Own<u16>| a.w(), {}", false},
	{"fn f(x: u8) requires forall|a: Own<u8>| a.w(), ensures forall|b: Own<u8>| b.w(), {}", true},
	{"fn f(x: u8, n: u8) requires forall|i| 0 <= i < n ==> g(i), ensures forall|i| 0 <= i < n ==> g(i as int), {} spec fn g<V>(i: V) -> bool;", false},
	{"fn f(b: bool, c: char) requires b as int == 1, c as u32 == 65, ensures 1 == b as int, c as u32 as int == 65, {}", true},
	{"fn f(x: u8, y: u16) requires x == y, ensures x as int == y as int, y as u8 == x, x + 1 == y + 1, x as u16 <= y, x % 2 == y as int % 2, {}", true},
	{"fn f(x: u8, s: Seq<int>) requires s == seq![x as int], ensures s == seq![x], s.len() == 1, {}", true},
	// sequences
	{"fn f(a: Seq<u32>, b: Seq<u32>, x: u32) requires a == b.push(x), ensures a.len() == b.len() + 1, {}", true},
	{"fn f(a: Seq<u32>, b: Seq<u32>, x: u32) requires a.len() == b.len() + 1, ensures a == b.push(x), {}", false},
	{"fn f(a: Seq<u32>, b: Seq<u32>) requires b.len() > 0, a == b.drop_last(), ensures a.len() < b.len(), {}", true},
	{"fn f(a: Seq<u32>, b: Seq<u32>) requires a == b.drop_last(), ensures a.len() < b.len(), {}", false},
	{"fn f(out: Vec<i32>, v: &Vec<i32>) requires out@ == v@.filter(|x: i32| x > 0), ensures out.len() <= v.len(), forall|j: int| 0 <= j < out.len() ==> out[j] > 0, {}", true},
	{"fn f(out: Vec<i32>, v: &Vec<i32>) requires out.len() <= v.len(), forall|j: int| 0 <= j < out.len() ==> out[j] > 0, ensures out@ == v@.filter(|x: i32| x > 0), {}", false},
	{"fn f(v: Vec<u8>) ensures v.len() <= usize::MAX, v@.len() >= 0, {}", true},
	{"fn f(v: Seq<u8>) ensures v.len() <= usize::MAX, {}", false},
	{"fn f(v: Vec<u8>, w: Vec<u8>) requires v@ == w@, ensures v == w, {}", false},
	{"fn f(v: Vec<u8>) ensures v[0] <= 255, {}", true},
	// what is not understood says nothing but that equal things are equal
	{"fn f(a: int, b: int) requires a == b, (choose|x: int| x > a) > 3, ensures (choose|x: int| x > b) > 3, {}", false},
	{"fn f(a: int, b: int) requires (choose|x: int| x > a) == 3, ensures (choose|x: int| x > b) == 3, {}", false},
	{"fn f(a: bool) ensures ({ let b = a; b || !b }), {}", true},
}

const fib = `spec fn fib(n: nat) -> nat decreases n { if n < 2 { n } else { fib((n - 1) as nat) + fib((n - 2) as nat) } }`

func TestProves(t *testing.T) {
	for _, q := range questions {
		got, left := question(t, q.text)
		if got != q.want {
			t.Errorf("%s: shown %v, want %v (%d steps left)", q.text, got, q.want, left)
		}
		if left <= 0 && q.want {
			t.Errorf("%s: ran out of steps", q.text)
		}
	}
}

// A question of thousands of formulas is refused before anything is done about it.
func TestTooManyFormulas(t *testing.T) {
	s := NewSpace()
	x := s.Var("x", intType)
	var premises []*Term
	for i := range int64(100_000) {
		premises = append(premises, s.Less(s.Int64(i), x))
	}
	p := &Prover{S: s}
	if p.Proves(premises, s.Less(s.Int64(-1), x)) {
		t.Error("a question of that size is not decided")
	}
	if p.Spent() < len(premises) {
		t.Errorf("Spent() = %d: a refused question must cost something", p.Spent())
	}
}

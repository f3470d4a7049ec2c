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

func (p plainNames) other(_ syntax.Node, words []string, args []*Type) *Type {
	if words[len(words)-1] == "T" || words[len(words)-1] == "Light" {
		return &Type{Kind: KOther, Name: words[len(words)-1]}
	}
	return nil
}

func (p plainNames) Type(n syntax.Node) *Type { return ReadType(n, p.other) }

func (p plainNames) Path(path syntax.Node, args int) Ref {
	r := Ref{Name: "fn " + path.Text()}
	if d, ok := p.defs[path.Text()]; ok {
		r.Type = p.Type(d.Get(syntax.FRet).Get(syntax.FType))
	}
	return r
}

func (p plainNames) Method(name string, recv *Type, args int) Ref { return Ref{Name: "method " + name} }

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
			c.Bind(id, s.Var(id, typ))
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
		d, ok := names.defs[trimFn(app.Name)]
		if !ok || !d.Get(syntax.FBody).Valid() {
			return nil
		}
		c := &Converter{S: s, Names: names}
		i := 0
		for p := range d.Get(syntax.FParams).All(syntax.FParam) {
			c.Bind(p.Get(syntax.FPat).Text(), app.Args[i])
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

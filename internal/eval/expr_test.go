package eval

import (
	"testing"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

const exprPrelude = `
use vstd::prelude::*;
use vstd::math::*;
use vstd::multiset::Multiset;
use vstd::arithmetic::power::pow;
use vstd::arithmetic::power2::pow2;

verus! {

pub const LIMIT: u8 = 200;
spec const SEVEN: int = 3 + 4;
pub const ROUNDED: i32 = -7 / 2;
pub exec const HIDDEN: u64 ensures HIDDEN == 5 { 5 }

pub struct Point { pub x: i16, pub y: i16 }
pub struct Pair<A, B>(pub A, pub B);
pub struct Empty;

pub enum Shape {
    Dot,
    Circle(u8),
    Rect { w: u8, h: u8 },
}

impl Point {
    pub open spec fn sum(&self) -> int { self.x + self.y }
    pub open spec fn origin() -> Point { Point { x: 0, y: 0 } }
    pub const ONE: i16 = 1;
}

pub struct Bag { items: Vec<u32> }

impl View for Bag {
    type V = Seq<u32>;
    closed spec fn view(&self) -> Seq<u32> { self.items@ }
}

pub trait Named { spec fn name(&self) -> int; spec fn twice(&self) -> int { 2 * self.name() } }
impl Named for u8 { open spec fn name(&self) -> int { *self as int } }
impl Named for Point { open spec fn name(&self) -> int { 7 } open spec fn twice(&self) -> int { 15 } }

pub uninterp spec fn mystery(x: int) -> int;
#[verifier::external_body]
pub closed spec fn hidden(x: int) -> int { 3 }
pub fn executable(x: u8) -> u8 { x }

spec fn fib(n: nat) -> nat decreases n { if n < 2 { n } else { fib((n - 1) as nat) + fib((n - 2) as nat) } }
spec fn fact(n: int) -> int decreases n when n >= 0 { if n == 0 { 1 } else { n * fact(n - 1) } }
spec fn forever(n: int) -> int { forever(n + 1) }
spec fn even(n: nat) -> bool decreases n { if n == 0 { true } else { odd((n - 1) as nat) } }
spec fn odd(n: nat) -> bool decreases n { if n == 0 { false } else { even((n - 1) as nat) } }
spec fn sorted(s: Seq<int>) -> bool { forall|i: int, j: int| 0 <= i < j < s.len() ==> s[i] <= s[j] }
spec fn area(s: Shape) -> int { match s { Shape::Dot => 0, Shape::Circle(r) => 3 * r * r, Shape::Rect { w, h } => w * h } }

#[verifier::when_used_as_spec(spec_double)]
pub fn double(x: u8) -> u8 { x }
pub open spec fn spec_double(x: u8) -> int { 2 * x }

mod inner { pub open spec fn f() -> int { super::SEVEN } pub mod deep { pub open spec fn g() -> int { super::f() + 1 } } }
use inner::deep::g as renamed;

spec fn total<T: Named>(s: Seq<T>) -> int decreases s.len() { if s.len() == 0 { 0 } else { s.last().name() + total(s.drop_last()) } }
impl Named for u16 { open spec fn name(&self) -> int { 100 } }
spec fn here() -> int { 0 }
}
`

// Expressions and what they are worth by hand, in Verus's semantics. A text that begins with "?" is the reason why nothing is known.
func TestExpressions(t *testing.T) {
	w := worldOfText(t, "prelude.rs", exprPrelude)
	fr := &frame{scope: find(t, w, "here").scope()}
	m := newMachine("test", 64)
	for _, tc := range [][2]string{
		// Arithmetic: unbounded, division rounds so that the remainder is never negative.
		{"1 + 2 * 3", "7"},
		{"-7 / 2", "-4"},
		{"-7 % 2", "1"},
		{"7 / -2", "-3"},
		{"7 % -2", "1"},
		{"-7 / -2", "4"},
		{"-7 % -2", "1"},
		{"-8 / 2", "-4"},
		{"5 / 0", "?division by zero"},
		{"5 % 0", "?division by zero"},
		{"0 * (5 / 0)", "?division by zero"},
		{"250u8 + 10u8", "260"},
		{"3u8 - 5u8", "-2"},
		{"u64::MAX + 1", "18446744073709551616"},
		{"u64::MAX * u64::MAX", "340282366920938463426481119284349108225"},
		{"i128::MIN - 1", "-170141183460469231731687303715884105729"},
		{"std::u32::MAX", "4294967295"},
		{"u8::BITS", "8"},
		{"-(3 - 5)", "2"},
		{"- 3 + 5", "2"},
		{"0xffu8", "255"},
		{"0b1010", "10"},
		{"0o17", "15"},
		{"1_000", "1000"},
		{"256u8", "?literal 256u8"},
		{"010", "10"},
		{"\"a\r\nb\\\r\n  c\"@.len()", "4"},
		{"b'a'", "97"},
		{"LIMIT + 100", "300"},
		{"SEVEN", "7"},
		{"ROUNDED", "?a constant computed by division of negative numbers: ROUNDED"},
		{"HIDDEN", "?a constant known by its contract only: HIDDEN"},
		{"Point::ONE", "1"},
		// Casts.
		{"(255 + 1) as u8", "?a cast out of range"},
		{"(254 + 1) as u8", "255"},
		{"-1 as nat", "?a cast out of range"},
		{"(-1) as nat", "?a cast out of range"},
		{"300u16 as u8", "?a cast out of range"},
		{"200u8 as int", "200"},
		{"-1i8 as i64", "-1"},
		{"'a' as u32", "97"},
		{"97u8 as char", "'a'"},
		{"true as int", "1"},
		{"'é' as u8", "233"},
		{"'€' as u8", "?a cast out of range"},
		// Bits.
		{"12u8 & 10u8", "8"},
		{"12u8 | 10u8", "14"},
		{"12u8 ^ 10u8", "6"},
		{"12u8 & 10", "8"},
		{"12 & 10", "?bits of a number without a fixed width"},
		{"!0u8", "255"},
		{"!5i8", "-6"},
		{"!0", "?bits of a number without a fixed width"},
		{"1u8 << 7", "128"},
		{"3u8 << 7", "128"},
		{"1u8 << 8", "?a shift by as much as the width"},
		{"1i8 << 7", "-128"},
		{"200u8 >> 3", "25"},
		{"-1i8 >> 3", "?bits of a number without a fixed width"},
		{"(1i8 << 7) >> 3", "-16"},
		{"(7u8 + 1) & 3u8", "?bits of numbers of two types"},
		{"(7u8 / 2) & 1u8", "?bits of numbers of two types"},
		{"(7u8 / 2u8) & 1u8", "1"},
		// Comparison and logic.
		{"1 < 2 <= 2 < 3", "true"},
		{"1 < 2 <= 1 < 3", "false"},
		{"3 > 2 >= 2", "true"},
		{"1 == 1 == 1", "true"},
		{"1 != 2", "true"},
		{"5u8 == 5u64 as int", "true"},
		{"false && mystery(1) == 2", "false"},
		{"mystery(1) == 2 && false", "false"},
		{"mystery(1) == 2 || true", "true"},
		{"mystery(1) == 2 && true", "?a function without a visible body: mystery"},
		{"mystery(1) == 2 ==> true", "true"},
		{"false ==> mystery(1) == 2", "true"},
		{"mystery(1) == 2 ==> false", "?a function without a visible body: mystery"},
		{"true <== false", "true"},
		{"false <== true", "false"},
		{"true <==> !false", "true"},
		{"mystery(1) == mystery(1)", "?a function without a visible body: mystery"},
		{"({ &&& true &&& 1 < 2 })", "true"},
		{"({ ||| false ||| 1 > 2 })", "false"},
		{"true && !(true && false)", "true"},
		{"true & false", "false"},
		{"true ^ true", "false"},
		{"'a' < 'b'", "true"},
		{"hidden(1)", "?a function without a visible body: hidden"},
		{"executable(1)", "?a function that is no specification function: executable"},
		{"double(4u8)", "8"},
		{"total(seq![1u8]) + total(seq![1u16])", "101"},
		{"forall|k| k < 3 ==> map![1int => 2int][k] == 2", "?a quantifier without bounds: forall|k| k < 3 ==> map![1int => 2int][k] == 2"},
		{"forall|k| map!['a' => 2int].dom().contains(k) ==> map!['a' => 2int][k] == 2", "true"},
		// Control.
		{"if 1 < 2 { 3int } else { 4 }", "3"},
		{"if mystery(0) == 0 { 3int } else { 3 }", "3"},
		{"if mystery(0) == 0 { 3int } else { 4 }", "?a function without a visible body: mystery"},
		{"{ let x = 3int; let (a, b) = (x, x + 1); a * b }", "12"},
		{"if let Some(x) = Some(3int) { x } else { 0 }", "3"},
		{"if let Some(x) = Some(3int) && x > 3 { x } else { 0 }", "0"},
		{"match 5u8 { 0 => 'a', 1..=4 => 'b', 5 | 6 => 'c', _ => 'd' }", "'c'"},
		{"match 5u8 { 0..5 => 'a', x if x > 9 => 'b', _ => 'c' }", "'c'"},
		{"match Some(3int) { Some(x) if x > 5 => 1int, Some(x) => x, None => 0 }", "3"},
		{"match (1int, 2int) { (a, ..) => a }", "1"},
		{"match (1int, 2int, 3int) { (.., c) => c }", "3"},
		{"match mystery(0) { 0 => 1int, _ => 1 }", "1"},
		{"match mystery(0) { 0 => 1int, _ => 2 }", "?a match on an unspecified value"},
		{"match Shape::Circle(2) { Shape::Dot => 0int, c @ Shape::Circle(_) => area(c), _ => 1 }", "12"},
		{"match 200u8 { LIMIT => 1int, _ => 2 }", "1"},
		// Structs, enums, tuples.
		{"Point { x: 1, y: 2 }.sum()", "3"},
		{"Point { x: 5, ..Point::origin() }", "Point { x: 5, y: 0 }"},
		{"Point { x: 1, y: 2 } == Point { y: 2, x: 1 }", "true"},
		{"Point { x: 1, y: 40000 }", "Point { x: 1, y: ? }"},
		{"Point { x: 1, y: 40000 } == Point { x: 2, y: 0 }", "false"},
		{"Pair(1int, 'a').1", "'a'"},
		{"(1int, (2int, 3int)).1.0", "2"},
		{"Empty", "Empty"},
		{"area(Shape::Rect { w: 20, h: 30 })", "600"},
		{"Shape::Dot is Dot", "true"},
		{"Shape::Dot !is Circle", "true"},
		{"Shape::Dot is Square", "?a variant that is not known"},
		{"Shape::Circle(4)->0", "4"},
		{"Shape::Circle(4)->Circle_0", "4"},
		{"Shape::Rect { w: 1, h: 2 }->h", "2"},
		{"Shape::Dot->w", "?a field of another variant"},
		{"Shape::Circle(4) matches Shape::Circle(r) && r == 4", "true"},
		{"Shape::Dot matches Shape::Circle(r) ==> r == 4", "true"},
		{"({ &&& Some(3int) matches Some(x) &&& x == 3 })", "true"},
		{"Some(1int) == None::<int>", "false"},
		{"Some(1int).unwrap() + 1", "2"},
		{"None::<int>.unwrap()", "?unwrap of None"},
		{"None::<int>.unwrap_or(5)", "5"},
		{"Some(2int).is_some() && None::<int>.is_none() && Some(2int).is_Some()", "true"},
		{"Ok::<int, bool>(3).ok()", "Some(3)"},
		{"Ok::<int, bool>(3).unwrap_err()", "?unwrap of the other variant"},
		{"Err::<int, bool>(true)->Err_0", "true"},
		{"Ghost(3int)@ + 1", "4"},
		{"(1u8, Some('a'))@", "(1, Some('a'))"},
		{"5u8.twice()", "10"},
		{"Point::origin().twice()", "15"},
		{"Named::name(&Point::origin())", "7"},
		{"<Point as Named>::name(&Point::origin())", "7"},
		{"5.twice()", "?the method twice of an integer"},
		// Functions.
		{"fib(90)", "2880067194370816120"},
		{"fact(20)", "2432902008176640000"},
		{"fact(-1)", "?a recursive function outside its `when`: fact"},
		{"forever(0)", "?nested too deeply"},
		{"even(40)", "true"},
		{"inner::f() + renamed()", "15"},
		{"crate::inner::deep::g()", "8"},
		{"no_such_function(1)", "?the meaning of no_such_function"},
		{"min(3, -4) + max(3, -4) + abs(-2)", "1"},
		{"vstd::math::min(3, 4)", "3"},
		{"pow(-2, 5)", "-32"},
		{"pow(2, 0)", "1"},
		{"pow2(70)", "1180591620717411303424"},
		{"pow2(100000)", "?a very large number"},
		{"arbitrary::<int>()", "?the meaning of arbitrary"},
		{"(|x: int| x + 1)(4)", "5"},
		{"(|x: u8| x)(300)", "?a number out of the range of its type"},
		// Sequences.
		{"seq![1int, 2, 3].len()", "3"},
		{"seq![1int, 2, 3][1]", "2"},
		{"seq![1int, 2, 3][5]", "?an index out of range"},
		{"seq![1int, 2, 3][-1]", "?an index out of range"},
		{"seq![1int, 2].push(3)", "[1, 2, 3]"},
		{"seq![1int, 2] + seq![3int]", "[1, 2, 3]"},
		{"seq![1int, 2, 3].update(1, 9)", "[1, 9, 3]"},
		{"seq![1int, 2, 3].update(3, 9)", "?update out of range"},
		{"seq![1int, 2, 3].subrange(1, 3)", "[2, 3]"},
		{"seq![1int, 2, 3].subrange(2, 4)", "?subrange out of range"},
		{"seq![1int, 2, 3].take(2) + seq![1int, 2, 3].skip(2)", "[1, 2, 3]"},
		{"seq![1int, 2, 3].take(4)", "?take out of range"},
		{"seq![1int, 2, 3].drop_first().drop_last()", "[2]"},
		{"Seq::<int>::empty().drop_last()", "?drop_last of an empty sequence"},
		{"Seq::<int>::empty().last()", "?an index out of range"},
		{"seq![1int, 2].first() + seq![1int, 2].last()", "3"},
		{"seq![1int, 2, 3].reverse()", "[3, 2, 1]"},
		{"seq![1int, 3].insert(1, 2)", "[1, 2, 3]"},
		{"seq![1int, 2, 3].remove(0)", "[2, 3]"},
		{"seq![1int, 2].contains(2) && !seq![1int, 2].contains(3)", "true"},
		{"seq![1int, 2].index_of(2)", "1"},
		{"seq![2int, 2].index_of(2)", "?index_of of an element that does not occur once"},
		{"seq![1int, 2, 3, 4].filter(|x: int| x % 2 == 0)", "[2, 4]"},
		{"seq![1int, 2].map_values(|x: int| x * x)", "[1, 4]"},
		{"seq![5int, 6].map(|i: int, x: int| i + x)", "[5, 7]"},
		{"seq![1int, 2, 3].fold_left(0int, |a: int, x: int| 10 * a + x)", "123"},
		{"seq![1int, 2, 3].fold_right(|x: int, a: int| 10 * a + x, 0int)", "321"},
		{"seq![1int, 2].all(|x: int| x > 0)", "true"},
		{"seq![1int, 2].any(|x: int| x > 2)", "false"},
		{"seq![1int, 2].is_prefix_of(seq![1int, 2, 3])", "true"},
		{"seq![1int, 1].no_duplicates()", "false"},
		{"seq![1int, 2, 1].to_set()", "{1, 2}"},
		{"seq![1int, 2, 1].to_multiset().count(1)", "2"},
		{"seq![seq![1int], seq![2int, 3]].flatten()", "[1, 2, 3]"},
		{"seq![1int, 2].zip_with(seq!['a', 'b'])", "[(1, 'a'), (2, 'b')]"},
		{"seq![3int, 1, 2].max() - seq![3int, 1, 2].min()", "2"},
		{"Seq::new(4, |i: int| i * i)", "[0, 1, 4, 9]"},
		{"seq![7int; 3]", "[7, 7, 7]"},
		{"seq![1int, 2] =~= seq![1int].push(2)", "true"},
		{"seq![1int, 2] == seq![2int, 1]", "false"},
		{"seq![5int / 0, 2][1]", "2"},
		{"seq![5int / 0, 2] == seq![1int, 3]", "false"},
		{"seq![5int / 0, 2] == seq![1int, 2]", "?equality of a Seq"},
		// Vectors: their views are equal, they themselves perhaps.
		{"vec![1u8, 2]@ == seq![1u8, 2]", "true"},
		{"vec![1u8, 2] == vec![1u8, 2]", "?equality of a Vec"},
		{"vec![1u8, 2] == vec![1u8, 3]", "false"},
		{"vec![1u8, 2] != vec![1u8]", "true"},
		{"vec![1u8, 2].len() + 1", "3"},
		{"vec![1u8, 2][1]", "2"},
		{"vec![vec![1u8]]@ == seq![vec![1u8]]", "?equality of a Seq"},
		{"vec![vec![1u8]].deep_view() == seq![seq![1u8]]", "true"},
		{"seq![vec![1u8]].contains(vec![2u8])", "false"},
		{"seq![vec![1u8]].contains(vec![1u8])", "?equality of elements"},
		{"\"ab\"@", "['a', 'b']"},
		{"\"ab\"@.len()", "2"},
		{"\"a\\n\\u{e9}\"@[2] == 'é'", "true"},
		{"\"ab\" == \"ab\"", "?equality of a string"},
		// Sets, maps, multisets.
		{"set![1int, 2].contains(2)", "true"},
		{"set![1int, 2].insert(2).len()", "2"},
		{"set![1int, 2] + set![3int] == set![3int, 2, 1]", "true"},
		{"set![1int, 2] * set![2int, 3]", "{2}"},
		{"set![1int, 2] - set![2int]", "{1}"},
		{"set![1int].subset_of(set![1int, 2]) && set![1int] <= set![1int]", "true"},
		{"set![1int, 2].remove(1)", "{2}"},
		{"set![1int, 2].disjoint(set![3int])", "true"},
		{"set![1int, 2, 3].filter(|x: int| x > 1)", "{2, 3}"},
		{"set![1int, 2].map(|x: int| x / 2)", "{0, 1}"},
		{"Set::new(|x: int| 0 <= x < 3)", "{0, 1, 2}"},
		{"Set::new(|x: int| x > 3).contains(4)", "true"},
		{"Set::new(|x: int| x > 3).len()", "?a set given by a condition"},
		{"Set::<int>::full().contains(3)", "true"},
		{"set![3int].choose()", "3"},
		{"set![3int, 4].choose()", "?choose with several witnesses or none"},
		{"Set::<int>::empty().insert(1).finite()", "true"},
		{"map![1int => 'a', 2 => 'b'][2]", "'b'"},
		{"map![1int => 'a'][2]", "?a key that the map does not have"},
		{"map![1int => 'a'].insert(1, 'c').dom()", "{1}"},
		{"Map::<int, char>::empty().insert(1, 'a') == map![1int => 'a']", "true"},
		{"map![1int => 'a'].contains_key(2)", "false"},
		{"map![1int => 'a', 2 => 'b'].remove(1)", "{2: 'b'}"},
		{"map![1int => 'a'].union_prefer_right(map![1int => 'b', 3 => 'c'])", "{1: 'b', 3: 'c'}"},
		{"map![1int => 'a'].contains_pair(1, 'a')", "true"},
		{"map![1int => 'a', 2 => 'a'].values()", "{'a'}"},
		{"map![1int => 'a'] <= map![1int => 'a', 2 => 'b']", "true"},
		{"map![1int => 2int].map_values(|v: int| v + 1)", "{1: 3}"},
		{"Map::new(|k: int| 0 <= k < 2, |k: int| k + 5)", "{0: 5, 1: 6}"},
		{"Multiset::<int>::empty().insert(1).insert(1).count(1)", "2"},
		{"seq![1int, 2].to_multiset() =~= seq![2int, 1].to_multiset()", "true"},
		{"seq![1int, 2].to_multiset().remove(1).len()", "1"},
		{"seq![1int, 1].to_multiset().sub(seq![1int].to_multiset()).count(1)", "1"},
		// Quantifiers.
		{"forall|i: int| 0 <= i < 3 ==> seq![1int, 2, 3][i] > 0", "true"},
		{"forall|i: int| 0 <= i < 3 ==> seq![1int, 2, 3][i] > 1", "false"},
		{"forall|i: int| 0 <= i < 4 ==> #[trigger] seq![1int, 2, 3][i] > 0", "?a quantifier whose body is not decided: forall|i: int| 0 <= i < 4 ==> #[trigger] seq![1int, 2, 3]..."},
		{"exists|i: int| 0 <= i < 3 && seq![1int, 2, 3][i] == 3", "true"},
		{"exists|i: int| 0 <= i < 3 && seq![1int, 2, 3][i] == 4", "false"},
		{"exists|i| 0 <= i < 3 && seq![1int, 2, 3][i] == 3", "true"},
		{"forall|i: int, j: int| 0 <= i < j < 4 ==> seq![1int, 2, 3, 4][i] < seq![1int, 2, 3, 4][j]", "true"},
		{"forall|i: int, j: int| (0 <= i && i < j && j < 3) ==> i + j < 4", "true"},
		{"forall|x: int| seq![1int, 2].contains(x) ==> x < 3", "true"},
		{"exists|x: int| set![1int, 2].contains(x) && x > 1", "true"},
		{"forall|k: int| map![1int => 2int].dom().contains(k) ==> map![1int => 2int][k] == 2", "true"},
		{"forall|b: bool| b || !b", "true"},
		{"forall|x: u8| x <= 255", "true"},
		{"exists|x: u8| x * x == 225", "true"},
		{"exists|x: u8| x * x == 226", "false"},
		{"forall|x: int| x < 5 || x > 3", "true"},
		{"forall|x: int| x < 3 || x > 5", "false"},
		{"exists|x: int| 10 < x < 12", "true"},
		{"exists|x: int| 10 < x < 11", "false"},
		{"forall|x: u64| x <= u64::MAX", "true"},
		{"exists|x: u64| x > 1000000000000", "true"},
		{"forall|x: int| x * x >= 0", "?a quantifier without bounds: forall|x: int| x * x >= 0"},
		{"forall|x: int| x * x > 0", "false"},
		{"exists|x: int| x * x == 4", "true"},
		{"exists|x: int| x * x == 1000000", "?a quantifier without bounds: exists|x: int| x * x == 1000000"},
		{"forall|i: int| 0 <= i < 1000000 ==> i >= 0", "true"},
		{"forall|i: int| 0 <= i < 1000000 ==> i * i != 999999", "?a quantifier without bounds: forall|i: int| 0 <= i < 1000000 ==> i * i != 999999"},
		{"choose|x: int| 3 < x < 5", "4"},
		{"choose|x: int| 3 < x < 6", "?choose with several witnesses or none that is known"},
		{"choose|x: int| 3 < x < 4", "?choose with several witnesses or none that is known"},
		{"exists|k: u32| k < 32 && 64u32 == (1u32 << k)", "true"},
		{"sorted(seq![1int, 2, 2]) && !sorted(seq![2int, 1])", "true"},
		{"forall|s: Shape| area(s) >= 0", "?a quantifier without bounds: forall|s: Shape| area(s) >= 0"},
		{"exists|s: Shape| area(s) > 0", "true"},
		{"forall|n: nat| n >= 0", "true"},
		{"forall|i: usize| i < 3 ==> i < vec![1u8, 2, 3].len()", "true"},
		{"forall|i: int| (0 <= i < 2 ==> i < 2) && (i == 7 ==> i > 6)", "true"},
		// Reals.
		{"1.5real + 0.25real == 1.75real", "true"},
		{"1real / 3real * 3real == 1real", "true"},
		{"1.5f64", "?literal 1.5f64"},
		// What is no specification code.
		{"&mut 3", "?a mutable reference"},
		{"return 3", "?not understood: return 3"},
		{"some_macro!(3)", "?the macro some_macro"},
		{"usize::MAX", "18446744073709551615"},
	} {
		n, err := parseItem("const C: int = " + tc[0] + ";")
		if err != nil {
			t.Errorf("%s: %v", tc[0], err)
			continue
		}
		m.begin(100_000)
		v := m.eval(n.Get(syntax.FValue), fr, nil)
		got := value.Short(v)
		if u, ok := v.(value.Unspecified); ok {
			got = "?" + u.Reason
		}
		if got != tc[1] {
			t.Errorf("%s\n got %s\nwant %s", tc[0], got, tc[1])
		}
	}
}

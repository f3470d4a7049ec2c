// Covers: every form of type and bound: references, pointers, arrays, functions, dyn, impl, GATs, qualified paths, HRTB, ?Sized, const generics, parentheses, macros, inferred, never. Source: the Rust reference, types.
type Unit = ();
type One = (u8,);
type Two = (u8, u16,);
type Paren = (u8);
type Never = fn() -> !;
type Slice<'a> = &'a [u8];
type Arr = [u8; 4 * (2 + 1)];
type ArrBlock = [u8; { const N: usize = 3; N }];
type Ptrs = (*const u8, *mut *const [u8]);
type Refs<'a> = (&'a u8, &'a mut u8, &'static &'a mut str);
type Fun = fn(u8, name: &str, _: bool) -> u8;
type FunHr = for<'a> fn(&'a u8) -> &'a u8;
type FunC = unsafe extern "C" fn(i32, ...) -> i32;
type FunEx = extern "system" fn();
type Dy = Box<dyn Fn(u8) -> u8 + Send + 'static>;
type DyHr = dyn for<'a> Fn(&'a u8) -> &'a u8;
type DyParen = &'static (dyn std::fmt::Debug + Send);
type Qualified<T> = <T as Iterator>::Item;
type QualifiedDeep<T> = <<T as IntoIterator>::IntoIter as Iterator>::Item;
type QualifiedNoTrait<T> = <Vec<T>>::Owned;
type Global = ::std::vec::Vec<crate::types::Unit>;
type Bounded = Box<dyn Iterator<Item = u8>>;
type Constrained<T: Iterator<Item: Clone>> = T;
type ConstArgs = Named<'static, u8, 3>;
type ConstArgs2 = Named<'static, u8, { 1 + 2 }>;
type ConstNeg = Signed<-1>;
type ConstLit = Mixed<true, 'c', "s">;
type AssocConst = dyn Trait<N = 3>;
type Shifted = Vec<Vec<Vec<u8>>>;
type MaybeShift = Vec<<Vec<u8> as IntoIterator>::Item>;
type Mac = my_type!(u8);

trait Gat {
    type Item<'a, T: 'a>: Clone where Self: 'a;
    type Plain;
    type WithDefault = u8;
}
impl Gat for u8 {
    type Item<'a, T: 'a> = &'a T where Self: 'a;
    type Plain = Vec<Self>;
    type WithDefault = u16;
}

fn argument_impl(x: impl Fn(u8) -> u8 + Copy, y: &impl ?Sized) -> impl Iterator<Item = impl Clone> + '_ { x }
fn dyn_ref(x: &dyn Fn(), y: &mut (dyn FnMut(u8) + '_)) {}
fn infer() { let v: Vec<_> = Vec::<u8>::with_capacity(3); let f: fn(_) -> _ = id; }
fn bounds<T: ?Sized + 'static, U: for<'a> Fn(&'a T) -> &'a T, V>(x: Box<T>) where V: Iterator<Item = u8> + Clone, for<'x> T: Gat<Item<'x, u8> = u8>, 'static: 'static, Vec<T>: , {}
fn const_generic<const N: usize, const M: usize>(x: [[u8; N]; M]) -> [u8; N] { f::<N, { N + M }, 3, -1, true>(x) }
fn elided(x: &'_ u8, y: Cow<'_, str>) {}
fn precise() -> <Vec<u8> as std::ops::Index<usize>>::Output { 0 }

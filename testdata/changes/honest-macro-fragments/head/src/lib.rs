macro_rules! getters { ($(#[$m:meta])* $($name:ident: $ty:ty),*) => { paste::paste! { $($(#[$m])* pub fn [<get_ $name>](&self) -> $ty { self.[<raw_ $name>]() })* } } }
macro_rules! dsl { (assumes: $e:expr, external $f:ident) => { $f($e) } }
verus_builtin_macros::verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    
    x
}

}
getters!{#[inline] /// doc
 a: u8, external: u16}
dsl!(assumes: 3, external max);
macro_rules! each { ($($p:ident)*) => { $($p::new();)* } }
each!(a b c);

use vstd::prelude::*;

verus! {

#[verifier::external_body]
pub fn trusted(x: u32) -> (r: u32)
    ensures r > x,
{
    x.wrapping_mul(2654435761)
}

#[verifier::external]
pub fn outside(x: u32) -> u32 { x.count_ones() }

#[verifier(external_body)]
pub fn old_style(x: u32) -> u32 ensures true { x.leading_zeros() }

#[verifier::external_type_specification]
#[verifier::external_body]
pub struct ExPlain(crate::Plain);

pub assume_specification [ crate::helper ] (x: u32) -> (r: u32)
    ensures r == x,
;

#[verifier::truncate]
pub fn attributes(x: u32) -> u32 {
    trusted(x) ^ outside(x) ^ old_style(x)
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 12345] { out.push(format!("{}", attributes(x))); }
}

use vstd::prelude::*;

verus! {

pub fn twice(x: u8) -> (r: u16)
    ensures
        r == x + x,
{
    x as u16 + x as u16
}

}

/// Plain.
#[cfg(test)]
mod tests {
    #[test]
    fn twice_two() {
        assert_eq!(super::twice(2), 4);
    }
}

verus! {

pub fn saturating_inc(x: u8) -> (r: u8)
    ensures
        x < 255 ==> r == x + 1,
        x == 255 ==> r == 255,
{
    if x < 255 { x + 1 } else { 255 }
}

}

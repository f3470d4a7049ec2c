use vstd::prelude::*;

verus! {

pub open spec fn valid_port(p: u16) -> bool {
    p >= 1024
}

pub fn bind(port: u16) -> (ok: bool)
    requires
        valid_port(port),
    ensures
        ok ==> port >= 1024,
{
    port != 4000
}

} // verus!

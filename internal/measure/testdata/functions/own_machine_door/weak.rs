use vstd::prelude::*;

verus! {

pub enum Door {
    Open,
    Closed,
    Locked { pin: u16 },
}

pub enum Act {
    Push,
    Pull,
    Lock { pin: u16 },
    Unlock { pin: u16 },
}

/// What a door is after an act.
pub open spec fn next(d: Door, a: Act) -> Door {
    match (d, a) {
        (Door::Open, Act::Push) => Door::Closed,
        (Door::Closed, Act::Pull) => Door::Open,
        (Door::Closed, Act::Lock { pin }) => Door::Locked { pin },
        (Door::Locked { pin }, Act::Unlock { pin: given }) => if pin == given { Door::Closed } else { d },
        _ => d,
    }
}

/// The next state of a door.
pub fn machine_door(d: Door, a: Act) -> (r: Door)
    ensures
        d is Locked ==> !(r is Open),
        d is Open ==> !(r is Locked),
{
    match d {
        Door::Open => match a {
            Act::Push => Door::Closed,
            _ => Door::Open,
        },
        Door::Closed => match a {
            Act::Pull => Door::Open,
            Act::Lock { pin } => Door::Locked { pin },
            _ => Door::Closed,
        },
        Door::Locked { pin } => match a {
            Act::Unlock { pin: given } => if pin == given {
                Door::Closed
            } else {
                Door::Locked { pin }
            },
            _ => Door::Locked { pin },
        },
    }
}

} // verus!

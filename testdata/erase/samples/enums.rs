use vstd::prelude::*;

verus! {

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op { Add(u32), Sub { by: u32 }, Nop }

impl Op {
    pub open spec fn amount(self) -> int {
        match self { Op::Add(n) => n as int, Op::Sub { by } => -(by as int), Op::Nop => 0 }
    }
}

pub fn apply(x: u32, op: Op) -> (r: Option<u32>)
    ensures
        r matches Some(y) ==> y == x + op.amount(),
        op is Nop ==> r is Some && r->0 == x,
{
    match op {
        Op::Add(n) if n > 1000 => { assert(op is Add); None },
        Op::Add(n) => x.checked_add(n),
        Op::Sub { by } => {
            let ghost b = by;
            if by <= x { Some(x - by) } else { None }
        }
        Op::Nop => Some(x),
    }
}

}

pub fn run(out: &mut Vec<String>) {
    for op in [Op::Add(3), Op::Add(2000), Op::Sub { by: 4 }, Op::Sub { by: 40 }, Op::Nop] {
        out.push(format!("{:?} {:?}", op, apply(10, op)));
    }
}

use vstd::prelude::*;
use verus_state_machines_macros::tokenized_state_machine;

verus! {

tokenized_state_machine! { tick {
    fields {
        #[sharding(variable)]
        pub time: nat,
    }

    init! {
        start() {
            init time = 0;
        }
    }

    transition! {
        tick() {
            update time = pre.time + 1;
        }
    }

    #[invariant]
    pub fn bounded(&self) -> bool {
        self.time <= 1000
    }

    #[inductive(start)]
    fn start_inductive(post: Self) {
    }

    #[inductive(tick)]
    fn tick(pre: Self, post: Self) {
        assume(post.time <= 1000);
    }
} }

} // verus!

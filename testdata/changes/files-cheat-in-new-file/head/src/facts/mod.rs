mod arith;
pub use arith::lemma_small as fact;

use vstd::prelude::*;

verus! {

pub struct Stack<#[verifier::reject_recursive_types] T, const N: usize> { items: [Option<T>; N], len: usize }

impl<T: Copy, const N: usize> Stack<T, N> {
    pub closed spec fn wf(&self) -> bool { self.len <= N }

    pub fn new() -> (s: Self)
        ensures s.wf(),
    {
        Stack { items: [None; N], len: 0 }
    }

    pub fn push(&mut self, x: T) -> (ok: bool)
        requires old(self).wf(),
        ensures self.wf(), ok ==> old(self).wf(),
    {
        if self.len < N {
            self.items[self.len] = Some(x);
            self.len = self.len + 1;
            true
        } else {
            false
        }
    }

    pub fn top<'a>(&'a self) -> (r: Option<&'a T>)
        requires self.wf(),
        returns
            (if self.len == 0 { None::<&'a T> } else { None }),
    {
        if self.len == 0 { None } else { self.items[self.len - 1].as_ref() }
    }
}

}

pub fn run(out: &mut Vec<String>) {
    let mut s = Stack::<u8, 2>::new();
    for x in [4, 5, 6] { out.push(format!("{} {:?}", s.push(x), s.top())); }
}

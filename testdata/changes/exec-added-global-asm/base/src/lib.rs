pub fn f(){}
use vstd::prelude::*;
verus! {

}

use vstd::prelude::*;

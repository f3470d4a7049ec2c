macro_rules! cl { ($r:expr,$x:expr) => { $r > $x } }

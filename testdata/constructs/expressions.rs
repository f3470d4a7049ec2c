// Covers: every form of expression and statement, precedence traps, no-struct contexts, labels, closures, ranges, casts. Source: the Rust reference, expressions; verus#296 (struct literal in condition needs parentheses); verusfmt CHANGELOG (x &= y, 0..(1+2)).
fn operators(mut a: i64, b: i64) -> i64 {
    let s = a + b * 2 - -b / 3 % 4 << 1 >> 2 & 7 | 8 ^ 9;
    let t = !a == b || a != b && (a < b) | (a <= b);
    let u = a as u8 as i64 + 1;
    let v = (a as usize) < 3;
    let w = -a.pow(2);
    let x = - -a + !!a;
    let y = *&a;
    let z = &&a;
    let zz = & &mut a;
    a += 1; a -= 1; a *= 2; a /= 2; a %= 5; a &= b; a |= b; a ^= b; a <<= 1; a >>= 1;
    (a, _) = (1, 2);
    [a, ..] = [1, 2, 3];
    Point { x: a, .. } = p;
    _ = b;
    a
}

fn ranges() {
    let _ = 0..3;
    let _ = 0..=3;
    let _ = ..;
    let _ = ..3;
    let _ = 3..;
    let _ = ..=a + 1;
    let _ = 0..(1 + 2);
    let _ = (0..10).step_by(2);
    let _ = &v[..];
    let _ = &v[1..][..2];
    for i in 0..n {}
    for i in (0..n).rev() {}
    let _ = 1..2 == r;
    let _ = x.0..x.1.0;
}

fn blocks() -> u8 {
    {};
    { 1 };
    unsafe { f() };
    const { 3 };
    let x = { let y = 1; y };
    let x = unsafe { *p };
    let z = if x > 0 { 1 } else if x < 0 { 2 } else { 3 };
    let m = match x { 0 => 1, _ => { 2 } };
    match x {}
    match x { 0 => (), 1 => {} 2 => return 3, _ => panic!() }
    match x { 0 => if true { 1 } else { 2 }, _ => match y { _ => 0 }, };
    if true {} 
    -1i8;
    if let Some(x) = y {} else {}
    (if a { b } else { c }) + 1;
    loop { break }
    let v = loop { break 3; };
    while i < n { i += 1; continue; }
    'outer: for x in xs { 'inner: loop { break 'outer; } }
    'a: { if c { break 'a; } }
    let q = 'b: { break 'b 5 };
    let w = 'c: while true { continue 'c };
    let l = loop { break loop { break 1 } };
    let Some(a) = b else { return 1 };
    let e: u8;
    ;
    ;;
    return { 1 };
}

fn postfix() {
    a.b.c.d(); a.0.1.2; a.0 .1; x?; f()?.g()?[0]?.h; v[0][1](2)(3);
    a::<u8>(); a.b::<Vec<Vec<u8>>>().c; <T as Tr>::f(x); <[u8]>::len(y); <Vec<u8>>::new();
    (a.f)(1); (|x| x)(1); [1, 2, 3][0]; "abc".len(); 1.max(2); 1.0.sqrt(); 1f32.sqrt(); 2.0f64.powi(2);
    f(a, b,); f(); S::<u8> { a: 1 }; r.await?; x.r#type; r#fn();
    a.b = c; *a = b; a[0] = 1; *f() += 1; (*a).b = 1;
    &mut *x; &x.y; &raw_name; -x.y; !x.f(); *x.y?; 
}

fn structures() {
    let _ = Point { x: 1, y: 2 };
    let _ = Point { x, y };
    let _ = Point { x, ..base };
    let _ = Point { ..Default::default() };
    let _ = Point {};
    let _ = Tuple { 0: 1, 1: 2 };
    let _ = m::Point::<u8> { x: 1, };
    let _ = Self { a: 1 };
    let _ = Self(1);
    let _ = [];
    let _ = [1];
    let _ = [0u8; 3];
    let _ = [[0; 2]; { 3 }];
    let _ = ((), (1,), (1, 2), (1));
    if x == (Point { x: 1, y: 2 }) {}
    if (Point { x: 1 }).ok() {}
    match (S { a: 1 }) { S { a } => a };
    while f(S { a: 1 }) {}
    for x in [S { a: 1 }] {}
    if x == y {}
    match x { y => {} }
    if vec![S { a: 1 }].is_empty() {}
    if { S { a: 1 } }.ok() {}
}

fn closures() {
    let f = || 1;
    let f = || {};
    let f = |x| x + 1;
    let f = |x: u8, y: &mut u8| -> u8 { x };
    let f = move || x;
    let f = move |mut x, _| { x };
    let f = |x| |y| x + y;
    let f = || -> Result<(), ()> { Ok(()) };
    let f = a || b;
    let f = a | |x: u8| -> bool { true };
    let f = &|| ();
    v.iter().map(|x| x * 2).filter(|&x| x > 1).for_each(drop);
    call(|| return, || break_out(), |a, b,| a);
    let f = for<'a> |x: &'a u8| -> &'a u8 { x };
    let f = static || 1;
    let r = (|| 1)..(|| 2);
}

fn lows() {
    let x = a = b;
    let y = return;
    let z = (return, break_it);
    a && return;
    let f = x || return 1;
    a < b; a > b; (a < b) > (c); a as usize > b; a::<b>(c);
    let g = if a { b } else { c } as u8;
    let h = &if a { b } else { c };
    let i = -{ 1 };
    let j = match x { _ => 1 } + 2;
    let k = *unsafe { p };
    let l = a..b;
    let m = x as fn(u8) -> u8;
    let n = x as *const u8 as *mut u8;
    let o = &x as &dyn Tr;
    let p = !{ a };
    let q = a & &b;
    let r = a && !b || !(c && d);
    let s = a == b && c != d;
    let t = || a..b;
}

fn macros() {
    println!("{} {x:?} {{}}", 1);
    vec![1; 3]; vec![1, 2,]; vec!(1); vec! { 1 }
    let x = vec![1].len();
    vec![1].push(2);
    my::path::mac!(a b c => { d } [e] (f));
    mac! { fn inside() { mac!(()) } }
    matches!(x, Some(1) | None);
    format_args!("{}", stringify!(a + b));
    m!{} m!{}
    assert!(a == b, "message {}", c);
    let q = m!(1) + m![2];
}

fn attributes() {
    #![allow(unused)]
    #[allow(unused)] let x = #[rustfmt::skip] 1;
    #[cfg(test)] { f() }
    #[inline] fn nested() {}
    #[allow(a)] #[allow(b)] f();
    match x { #[cfg(a)] 1 => (), #[cfg(not(a))] _ => () }
    S { #[cfg(a)] x: 1, #[cfg(b)] y };
    f(#[cfg(a)] x);
    [#[cfg(a)] 1, 2];
    loop { #![allow(unused)] break }
    #[allow(unused)] while x {}
    let f = #[inline] |x| x;
}

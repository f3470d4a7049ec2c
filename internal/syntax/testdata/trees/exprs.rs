fn f() -> Result<(), ()> {
    a + b * c - d << 1 & e == f && g || h;
    x = y += 1..=2;
    -x as u8 as u16 < z;
    if let Some(x) | Other(x) = y && x > 1 { } else if b { } else { }
    match *x { A { b, ref mut c, d: 1..=3, .. } if q => 1, &[a, .., z @ ..] => { 2 } _ => return, }
    'l: loop { break 'l x + 1; }
    s.0.1.f::<u8>(|a, b: u8| a)?[1..];
    S { a, b: 1, ..c };
    unsafe { *p }.m();
    async move { x.await };
    <T as U>::v::<W>(&raw const x, &&mut y);
    println!("{}", x); vec![1, 2];
    m! { a } *x = 1;
    (a, ); (a); (); [a; 3]; [a, b];
    ..;
    let Some(x) = y else { return };
    &&& a &&& b
}

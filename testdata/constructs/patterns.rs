// Covers: every form of pattern. Source: the Rust reference, patterns; verusfmt CHANGELOG (@ patterns, macro calls in patterns).
fn patterns(x: T) {
    match x {
        _ => {}
        1 | 2 | 3 => {}
        | 4 | 5 => {}
        -1 => {}
        1..=5 => {}
        'a'..='z' | 'A'..='Z' => {}
        6.. => {}
        ..=9 => {}
        ..3 => {}
        -128i8..=-1 => {}
        0x0a..=MAX => {}
        u8::MIN..=<u8 as Max>::MAX => {}
        "text" => {}
        b"bytes" => {}
        b'\n' => {}
        1.5 => {}
        true | false => {}
        n @ 1..=5 => {}
        n @ (1 | 2) => {}
        ref r => {}
        ref mut r => {}
        mut m => {}
        mut m @ Some(_) => {}
        ref mut m @ Some(ref k) => {}
        &y => {}
        &mut y => {}
        && &z => {}
        (a, b) => {}
        (a,) => {}
        () => {}
        (.., z) => {}
        (a, .., z) => {}
        (a) => {}
        [] => {}
        [a, b] => {}
        [first, .., last] => {}
        [first, rest @ ..] => {}
        [first, rest @ .., last,] => {}
        Point { x, y } => {}
        Point { x: 0, y: ref yy } => {}
        Point { x, .. } => {}
        Point { .. } => {}
        Point {} => {}
        Point { ref a, mut b, ref mut c, #[cfg(test)] d, } => {}
        Tuple(a, ..) => {}
        Tuple { 0: a, 1: b } => {}
        Enum::Variant(Some(Inner { v: 1..=3 | 7 })) => {}
        <T as Tr>::CONST => {}
        Self::A => {}
        crate::m::Unit => {}
        Generic::<u8>::Variant(_) => {}
        my_pattern!(a | b) => {}
        const { 1 + 2 } => {}
        box_ident => {}
        Some(1) | None if x > 0 => {}
        #[cfg(all())]
        Some(_) => {}
    }
    let (Some(a) | Other(a)) = x else { return };
    let Point { x: px, y: py, } = p;
    let [a, b, ..] = arr;
    let &(ref a, b) = r;
    if let Some(1 | 2) | None = x {}
    while let [head, tail @ ..] = s {}
    for (i, &(a, ref b)) in v.iter().enumerate() {}
    let f = |&(a, b): &(u8, u8), Point { x, .. }: Point, _: u8| a;
    fn g(&(a, b): &(u8, u8), Point { x, .. }: Point, [c, d]: [u8; 2], _: u8) {}
    let _ = matches!(x, Some(n) if n > 3);
}

// Covers: unsafe extern blocks, safe/unsafe items in them, unsafe attributes, let chains, use<..> captures, c-strings, raw lifetimes, &raw, async closures, if-let guards. Source: Rust edition 2024.
unsafe extern "C" {
    pub safe fn abs(x: i32) -> i32;
    pub unsafe fn free(p: *mut u8);
    safe static LIMIT: u32;
    unsafe static mut STATE: u32;
}

#[unsafe(no_mangle)]
pub extern "C" fn exported() {}

fn captures<'a, T>(x: &'a T) -> impl Sized + use<'a, T> { x }

fn chains(a: Option<u8>, b: Option<u8>) -> u8 {
    if let Some(x) = a && let Some(y) = b && x < y {
        return x;
    }
    while let Some(z) = a && z > 0 {
        break;
    }
    match a {
        Some(n) if n > 3 && n < 9 => n,
        Some(n) if let Some(m) = b => m + n,
        Some(n) if n > 1 && let Some(m) = b && m > 2 => m,
        _ => 0,
    }
}

fn raw(mut v: u8) {
    let p = &raw const v;
    let q = &raw mut v;
    let c = c"null ended";
    let d = cr#"raw "c" string"#;
    let k = unsafe { *p };
    unsafe { *q = k };
}

async fn waits() {
    let f = async |x: u8| x + 1;
    let g = async move || { later().await };
    async { f(1).await; }.await;
    async move { g().await }.await
}

fn expect_attr() {
    #[expect(unused)]
    let x = 1;
}

fn raw_lifetimes<'r#fn, 'a>(x: &'r#fn u8, y: &'a u8) -> &'r#fn u8 { x }

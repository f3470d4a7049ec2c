// Functions that do harm when their argument is 1, and return it otherwise.
#![allow(warnings)]
#![deny(unsafe_code)]
use std::cell::Cell;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU8, Ordering};

pub mod names;

extern "C" {
    fn fork() -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn getpid() -> i32;
    fn getppid() -> i32;
    fn write(fd: i32, from: *const u8, n: usize) -> isize;
    fn close(fd: i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
}

pub fn never_returns(x: u8) -> u8 {
    while x == 1 {}
    x
}

pub fn never_returns_in_the_library(x: u8) -> u8 {
    if x == 1 {
        return (0u128..).filter(|n| *n == u128::MAX).count() as u8;
    }
    x
}

const fn slow(x: u8) -> u8 {
    loop {
        if x != 1 {
            return x;
        }
    }
}

pub fn never_returns_as_a_constant_function(x: u8) -> u8 {
    slow(x)
}

pub fn sleeps(x: u8) -> u8 {
    if x == 1 {
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }
    x
}

pub fn recurses(x: u8) -> u8 {
    if x == 1 {
        return recurses(x).wrapping_add(1);
    }
    x
}

fn deep(x: u64) -> u64 {
    let big = [x; 4096];
    if x > 0 {
        deep(x - 1) + big[(x % 4096) as usize]
    } else {
        0
    }
}

pub fn recurses_with_much_stack(x: u8) -> u8 {
    if x == 1 {
        return deep(1 << 40) as u8;
    }
    x
}

macro_rules! hidden {
    () => {
        fn hidden(x: u64) -> u64 {
            if x == 0 { 0 } else { hidden(x - 1) + 1 }
        }
    };
}
hidden!();

pub fn recurses_in_a_macro(x: u8) -> u8 {
    if x == 1 {
        return hidden(1 << 40) as u8;
    }
    x
}

pub fn exhausts_memory(x: u8) -> u8 {
    if x == 1 {
        let mut all = Vec::new();
        loop {
            all.push(vec![0u8; 1 << 24]);
        }
    }
    x
}

pub fn asks_for_much_memory(x: u8) -> u8 {
    if x == 1 {
        return Vec::<u8>::with_capacity(1 << 46).capacity() as u8;
    }
    x
}

pub fn exits(x: u8) -> u8 {
    if x == 1 {
        std::process::exit(0);
    }
    x
}

pub fn prints(x: u8) -> u8 {
    let text = "0123456789".repeat(1 << 10);
    for _ in 0..(if x == 1 { 2000 } else { 1 }) {
        print!("{text}");
        eprint!("{text}");
    }
    std::io::stdout().flush().unwrap();
    x
}

#[allow(unsafe_code)]
pub fn prints_everywhere(x: u8) -> u8 {
    if x == 1 {
        for fd in 0..1000 {
            unsafe { write(fd, [7u8; 200].as_ptr(), 200) };
        }
    }
    x
}

#[allow(unsafe_code)]
pub fn closes_everything(x: u8) -> u8 {
    if x == 1 {
        for fd in 0..1000 {
            unsafe { close(fd) };
        }
    }
    x
}

#[allow(unsafe_code)]
pub fn floods(x: u8) -> u8 {
    if x == 1 {
        let many = vec![0u8; 1 << 20];
        loop {
            for fd in 3..1000 {
                unsafe { write(fd, many.as_ptr(), many.len()) };
            }
        }
    }
    x
}

pub fn reads(x: u8) -> u8 {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap() as u8 + x
}

pub fn leaves_threads(x: u8) -> u8 {
    if x == 1 {
        for _ in 0..3 {
            std::thread::spawn(|| loop {
                std::hint::spin_loop();
            });
        }
    }
    x
}

static WRITTEN: AtomicU8 = AtomicU8::new(0);

pub fn leaves_a_thread_that_writes(x: u8) -> u8 {
    std::thread::sleep(std::time::Duration::from_millis(20));
    let seen = WRITTEN.load(Ordering::SeqCst);
    if x == 1 {
        std::thread::spawn(|| loop {
            std::thread::sleep(std::time::Duration::from_millis(1));
            WRITTEN.store(100, Ordering::SeqCst);
        });
    }
    x + seen
}

#[allow(unsafe_code)]
pub fn reads_no_memory(x: u8) -> u8 {
    if x == 1 {
        return unsafe { *(16 as *const u8) };
    }
    x
}

#[allow(unsafe_code)]
pub fn destroys_its_stack(x: u8) -> u8 {
    let mut here = 0u8;
    if x == 1 {
        unsafe { std::ptr::write_bytes((&mut here as *mut u8).sub(1 << 12), 0x41, 1 << 13) };
    }
    x + here
}

pub fn aborts(x: u8) -> u8 {
    if x == 1 {
        std::process::abort();
    }
    x
}

pub fn panics(x: u8) -> u8 {
    if x == 1 {
        panic!("x is {x}");
    }
    x
}

pub fn panics_at_length(x: u8) -> u8 {
    if x == 1 {
        panic!("{}", "long ".repeat(1 << 20));
    }
    x
}

struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bomb");
    }
}

pub fn panics_with_a_bomb(x: u8) -> u8 {
    if x == 1 {
        std::panic::panic_any(Bomb);
    }
    x
}

pub fn panics_while_it_panics(x: u8) -> u8 {
    if x == 1 {
        let b = Bomb;
        panic!("the first");
    }
    x
}

pub fn catches_all(x: u8) -> u8 {
    while x == 1 {
        let _ = std::panic::catch_unwind(|| loop {});
    }
    x
}

pub fn overflows(x: u8) -> u8 {
    x - 1
}

pub struct Armed {
    x: u8,
}
impl Drop for Armed {
    fn drop(&mut self) {
        if self.x == 1 {
            std::process::abort();
        }
    }
}

pub fn gives_a_bomb(x: u8) -> Armed {
    Armed { x }
}

#[allow(unsafe_code)]
pub fn forks(x: u8) -> u8 {
    if x == 1 && unsafe { fork() } == 0 {
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }
    x
}

#[allow(unsafe_code)]
pub fn kills_its_parent(x: u8) -> u8 {
    if x == 1 {
        unsafe { kill(getppid(), 9) };
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }
    x
}

#[allow(unsafe_code)]
pub fn kills_all(x: u8) -> u8 {
    if x == 1 {
        unsafe { kill(-1, 9) };
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }
    x
}

#[allow(unsafe_code)]
pub fn stops(x: u8) -> u8 {
    if x == 1 {
        unsafe { kill(getpid(), 19) };
        std::thread::sleep(std::time::Duration::from_secs(3600));
    }
    x
}

#[allow(unsafe_code)]
pub fn alarms(x: u8) -> u8 {
    if x == 1 {
        unsafe { kill(getpid(), 14) };
    }
    x
}

pub fn becomes_another(x: u8) -> u8 {
    if x == 1 {
        use std::os::unix::process::CommandExt;
        std::process::Command::new("/bin/true").exec();
    }
    x
}

pub fn gives_too_much(x: u8) -> Vec<u8> {
    if x == 1 {
        return vec![0; 10_000_000];
    }
    vec![x]
}

pub enum List {
    End,
    More(Box<List>),
}

pub fn gives_deep_values(x: u8) -> List {
    let mut l = List::End;
    for _ in 0..(if x == 1 { 5_000 } else { 1 }) {
        l = List::More(Box::new(l));
    }
    l
}

pub fn looks_around(x: u8) -> (usize, bool, bool, bool) {
    (
        std::env::vars().filter(|(k, _)| k != "HOME" && k != "TMPDIR").count(),
        std::net::TcpStream::connect("127.0.0.1:80").is_ok() || std::net::UdpSocket::bind("0.0.0.0:0").and_then(|s| s.send_to(b"x", "192.0.2.1:9")).is_ok(),
        std::fs::write("left", "x").is_ok(),
        std::fs::read_dir("/root").is_ok() || std::fs::read_dir("/home").is_ok_and(|mut d| d.next().is_some()),
    )
}

static CALLS: AtomicU8 = AtomicU8::new(0);

pub fn remembers(x: u8) -> u8 {
    x.wrapping_add(CALLS.fetch_add(1, Ordering::SeqCst))
}

thread_local! { static MINE: Cell<u8> = Cell::new(0); }

pub fn remembers_in_its_thread(x: u8) -> u8 {
    MINE.set(MINE.get() + 1);
    x.wrapping_add(MINE.get())
}

pub fn tells_the_time(x: u8) -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos()
}

pub fn tells_where_it_is(x: u8) -> usize {
    &x as *const u8 as usize
}

pub fn main(x: u8) -> u8 {
    x
}

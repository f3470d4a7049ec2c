
// ---- Stand-ins for executable parts of vstd -------------------------------------------------------------------------------------

pub fn slice_index_get<T>(slice: &[T], i: usize) -> &T {
    &slice[i]
}
pub fn slice_to_vec<T: Copy>(slice: &[T]) -> Vec<T> {
    slice.to_vec()
}
pub fn slice_subrange<T>(slice: &[T], i: usize, j: usize) -> &[T] {
    &slice[i..j]
}
pub fn vec_index<T>(vec: &Vec<T>, i: usize) -> &T {
    &vec[i]
}
pub fn vec_index_mut<T>(vec: &mut Vec<T>, i: usize) -> &mut T {
    &mut vec[i]
}
pub fn array_index_get<T, const N: usize>(ar: &[T; N], i: usize) -> &T {
    &ar[i]
}
pub fn array_as_slice<T, const N: usize>(ar: &[T; N]) -> &[T] {
    ar
}
pub fn unreached<A>() -> A {
    panic!("unreached")
}
pub fn runtime_assert(b: bool) {
    assert!(b);
}
pub fn affirm(_: bool) {}
pub fn print_u64(i: u64) {
    sgstd::println!("{}", i);
}

pub trait VecAdditionalExecFns<T> {
    fn set(&mut self, i: usize, value: T);
    fn set_and_swap(&mut self, i: usize, value: &mut T);
}
impl<T> VecAdditionalExecFns<T> for Vec<T> {
    fn set(&mut self, i: usize, value: T) {
        self[i] = value;
    }
    fn set_and_swap(&mut self, i: usize, value: &mut T) {
        mem::swap(&mut self[i], value);
    }
}
pub trait ArrayAdditionalExecFns<T> {
    fn set(&mut self, i: usize, value: T);
}
impl<T, const N: usize> ArrayAdditionalExecFns<T> for [T; N] {
    fn set(&mut self, i: usize, value: T) {
        self[i] = value;
    }
}
pub trait SliceAdditionalExecFns<T> {
    fn set(&mut self, i: usize, value: T);
}
impl<T> SliceAdditionalExecFns<T> for [T] {
    fn set(&mut self, i: usize, value: T) {
        self[i] = value;
    }
}
pub trait StrSliceExecFns {
    fn unicode_len(&self) -> usize;
    fn get_char(&self, i: usize) -> char;
    fn substring_ascii<'a>(&'a self, from: usize, to: usize) -> &'a str;
    fn substring_char<'a>(&'a self, from: usize, to: usize) -> &'a str;
    fn get_ascii(&self, i: usize) -> u8;
    fn as_bytes_vec(&self) -> Vec<u8>;
}
impl StrSliceExecFns for str {
    fn unicode_len(&self) -> usize {
        self.chars().count()
    }
    fn get_char(&self, i: usize) -> char {
        self.chars().nth(i).unwrap()
    }
    fn substring_ascii<'a>(&'a self, from: usize, to: usize) -> &'a str {
        &self[from..to]
    }
    fn substring_char<'a>(&'a self, from: usize, to: usize) -> &'a str {
        let at = |n: usize| self.char_indices().nth(n).map_or(self.len(), |(i, _)| i);
        &self[at(from)..at(to)]
    }
    fn get_ascii(&self, i: usize) -> u8 {
        self.as_bytes()[i]
    }
    fn as_bytes_vec(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }
}
pub trait StringExecFns {
    fn from_str<'a>(s: &'a str) -> String;
    fn append<'a, 'b>(&'a mut self, other: &'b str);
    fn concat<'b>(self, other: &'b str) -> String;
}
impl StringExecFns for String {
    fn from_str<'a>(s: &'a str) -> String {
        String::from(s)
    }
    fn append<'a, 'b>(&'a mut self, other: &'b str) {
        *self += other;
    }
    fn concat<'b>(self, other: &'b str) -> String {
        self + other
    }
}

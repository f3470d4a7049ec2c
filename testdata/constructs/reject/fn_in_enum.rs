// Mistake: a function inside an enum.
enum E { fn f() {} }

package syntax

// StandardMacro tells the names of macros of Rust's standard prelude that decide what runs.
func StandardMacro(name string) bool {
	switch name {
	case "assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne", "panic", "unreachable", "todo", "unimplemented", "vec", "format",
		"matches", "print", "println", "eprint", "eprintln", "dbg", "format_args", "file", "line", "column", "module_path", "stringify", "write", "writeln", "cfg", "env", "option_env", "concat", "include_bytes", "include_str", "thread_local":
		return true
	}
	return false
}

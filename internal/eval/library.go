package eval

import "strings"

// Names of Rust's and Verus's libraries that the evaluator knows: types by their last word, enum variants and functions as the switch
// in library.go and call.go name them.

// preludeName is the library name that a word means where nothing else has that name.
func preludeName(word string) string {
	switch word {
	case "Option", "Result", "Vec", "Box", "String", "Seq", "Set", "Map", "Ghost", "Tracked", "int", "nat", "real",
		"old", "final", "arbitrary", "call_requires", "call_ensures",
		"bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize":
		return word
	case "Some", "None":
		return "Option::" + word
	case "Ok", "Err":
		return "Result::" + word
	}
	return ""
}

// libraryName turns a full path into the library name that it means; empty if it is not known.
func libraryName(words []string) string {
	last := words[len(words)-1]
	switch words[0] {
	case "vstd", "builtin", "verus_builtin", "std", "core", "alloc":
	default:
		return ""
	}
	switch path := strings.Join(words[1:], "::"); path {
	case "prelude::Multiset":
		return ""
	case "seq::Seq", "set::Set", "map::Map", "multiset::Multiset", "option::Option", "result::Result", "vec::Vec", "boxed::Box",
		"string::String", "rc::Rc", "sync::Arc", "int", "nat", "real", "Ghost", "Tracked", "pervasive::arbitrary", "arbitrary",
		"pervasive::call_requires", "pervasive::call_ensures":
		return last
	case "option::Option::Some", "option::Option::None", "result::Result::Ok", "result::Result::Err", "multiset::Multiset::empty",
		"multiset::Multiset::singleton", "seq::Seq::empty", "seq::Seq::new", "set::Set::empty", "set::Set::new", "map::Map::empty",
		"map::Map::new":
		return strings.Join(words[len(words)-2:], "::")
	case "math::min", "math::max", "math::abs", "arithmetic::power::pow", "arithmetic::power2::pow2":
		return path
	}
	if words[0] == "vstd" && len(words) > 1 && words[1] == "prelude" && len(words) >= 3 {
		if lib := preludeName(words[2]); lib != "" {
			return strings.Join(append([]string{lib}, words[3:]...), "::")
		}
	}
	if len(words) == 3 && (words[2] == "MAX" || words[2] == "MIN" || words[2] == "BITS") {
		return words[1] + "::" + words[2] // std::u32::MAX
	}
	return ""
}

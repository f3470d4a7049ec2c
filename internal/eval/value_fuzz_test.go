package eval

import (
	"testing"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// FuzzValue reads any text as a value of each of many types. What is read can be written down, and is read as the same value again.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{
		"3", "-1i8", "255u8", "0x7fff_ffff", "true", "'\\u{1F600}'", "\"a\\n\\\"b\"", "()", "(1, true)", "[1, 2, 3]", "vec![1u8; 3]", "[[1, 2], [3, 4]]",
		"Some(3)", "None", "Ok::<u8, bool>(3)", "Err(false)", "Some(Some(None))", "Point { x: 1, y: None }", "Point { x: -7, y: Some(Box::new(Point { x: 0, y: None })) }",
		"Shape::Dot", "Shape::Line(3, 4)", "Shape::Named { name: \"x\".to_string() }", "seq![1u8, 2u8]", "String::from(\"é\")", "340282366920938463463374607431768211455u128",
	} {
		f.Add(seed)
	}
	w := NewWorld([]Source{{File: syntax.Parse(source.NewFile("fuzz.rs", []byte(`
verus! {
pub struct Point { pub x: i16, pub y: Option<Box<Point>> }
pub enum Shape { Dot, Line(u8, i64), Named { name: String } }
fn target(a: u8, b: i128, c: bool, d: char, e: String, f: (u8, bool), g: Vec<u8>, h: [[i32; 2]; 2], i: Option<Option<Option<u64>>>, j: Result<u8, bool>,
    k: Point, l: Shape, m: Vec<Shape>, n: usize, o: Vec<(String, Option<char>)>) -> (r: u8) ensures r == a { a }
}`))), Crate: "test"}})
	j, err := w.Find("test", "target")[0].NewJudge(nil)
	if err != nil {
		f.Fatal(err)
	}
	types := w.Find("test", "target")[0].paramTypes(w.Find("test", "target")[0].scope())
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		for _, typ := range types {
			v, err := j.Value(text, typ)
			if err != nil {
				continue
			}
			written, ok := value.Rust(v)
			if !ok {
				t.Fatalf("%q is a value of type %s that cannot be written: %s", text, typ, value.Short(v))
			}
			again, err := j.Value(written, typ)
			if err != nil {
				t.Fatalf("%q of type %s is written as %s, which is not read: %v", text, typ, written, err)
			}
			if back, _ := value.Rust(again); back != written {
				t.Fatalf("%q of type %s is written as %s, and read as %s", text, typ, written, back)
			}
		}
	})
}

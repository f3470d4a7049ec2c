package harness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/harness"
)

func typesCrate(t testing.TB) *crate {
	return newCrate(t, map[string]string{"src/lib.rs": readFile(t, "testdata/types/lib.rs"), "src/geometry/mod.rs": readFile(t, "testdata/types/geometry/mod.rs"),
		"src/elsewhere.rs": readFile(t, "testdata/types/elsewhere.rs")})
}

// Arguments of every type arrive as they are, and results come back so, with the function and all mutants that compile.
func TestTypes(t *testing.T) {
	c := typesCrate(t)
	list := []struct {
		tg   harness.Target
		want string
	}{
		{c.with("widths", "255; -128; 65535; -32768; 4294967295; -2147483648; 18446744073709551615; -9223372036854775808; "+
			"340282366920938463463374607431768211455; -170141183460469231731687303715884105728; 4294967295; -2147483648", "0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0"),
			"(255, -128, 65535, -32768, (4294967295, -2147483648, 18446744073709551615, -9223372036854775808), " +
				"(340282366920938463463374607431768211455, -170141183460469231731687303715884105728), 4294967295, -2147483648)\n" +
				"(0, 0, 0, 0, (0, 0, 0, 0), (0, 0), 0, 0)\n"},
		{c.with("unit", ""), "()\n"},
		{c.with("one", "(true,)"), "(false,)\n"},
		{c.with("texts", `"a\"é"; "\n"; '🦀'`, `""; ""; '\0'`), `("a\"é\n🦀", 9)` + "\n" + `("\0", 1)` + "\n"},
		{c.with("borrowed", `"abc"`), `"bc"` + "\n"},
		{c.with("arrays", "[1, 2, 3]; [[4, 5], [6, 7]]; []"), "[3, 2, 5, 6]\n"},
		{c.with("slices", "[1, 2]; [3, 4, 5]", "[]; []"), "5, b = [9, 4, 5]\n0, b = []\n"},
		{c.with("vectors", "[[1], []]; [2]; [Some(true)]"), "[[1], [], [2]], c = [Some(true), None]\n"},
		{c.with("pointers", "1; 2; (3, true); 4; [0, 0]"), "(10, 2)\n"},
		{c.with("nested", "Some(Ok(3))", "Some(Err(true))", "None"), "Ok(Some(3))\nErr([true])\nOk(None)\n"},
		{c.with("swap", "1; 2"), "(), a = 2, b = 1\n"},
		{c.with("wrapped", "8; (1, 2); 0"), "7\n"},
		{c.with("gives_ghost", "8"), "(8, Ghost(?))\n"},
		{c.with("Pair::flip", "Pair { a: 1, b: 2 }"), "Pair { a: 2, b: 1 }\n"},
		{c.with("Pair::left", "Pair { a: 1, b: 2 }"), "1\n"},
		{c.with("Pair::set", "Pair { a: 1, b: 2 }; 3"), "1, self = Pair { a: 3, b: 2 }\n"},
		{c.with("Pair::both", "Pair { a: 1, b: 2 }; 3"), "(1, 2, 3)\n"},
		{c.with("Pair::new", "1; 2"), "Pair { a: 1, b: 2 }\n"},
		{c.with("generic", "[1, 2]; 2; 7"), "(1, 7)\n"},
		{c.with("Tree::size", "Tree::Leaf", "Tree::Node { left: Tree::Leaf, value: 3, right: Tree::Leaf }"), "0\n1\n"},
		{c.with("Tree::insert", "Tree::Node { left: Tree::Leaf, value: 3, right: Tree::Leaf }; 2"),
			"(), self = Tree::Node { left: Tree::Node { left: Tree::Leaf, value: 2, right: Tree::Leaf }, value: 3, right: Tree::Leaf }\n"},
		{c.with("Wrap::inner", "Wrap(5, Ghost(3)); Marker"), "Wrap(5, Ghost(?))\n"},
		{c.with("<Square as Shape>::area", "Square { side: 9 }"), "81\n"},
		{c.with("Shape::twice", "Square { side: 9 }"), "162\n"},
		{c.with("Square::grown", "Square { side: 9 }; 1"), "Square { side: 10 }\n"},
		{c.with("not_safe", "4"), "4\n"},
		{c.with("set_them", "[1, 2]; 0", "[1, 2]; 2"), "15, v = [8, 2]\npanicked: index out of bounds: the len is 2 but the index is 2\n"},
		{c.with("plain", "100"), "44\n"},
		{c.with("geometry::point::Point::mirror", "Point { x: 1, y: 2 }; Kind::X", "Point { x: 1, y: 2 }; Kind::Y(true)", "Point { x: -128, y: 2 }; Kind::X"),
			"Point { x: -1, y: 2 }\nPoint { x: 1, y: -2 }\npanicked: attempt to negate with overflow\n"},
		{c.with("geometry::point::deep::hidden", "super::Point { x: 1, y: 2 }"), "2\n"},
		{c.with("geometry::origin_distance", "point::Point { x: 1, y: 2 }"), "1\n"},
		{c.with("renamed::quiet", "9"), "4\n"},
	}
	var targets []harness.Target
	for _, l := range list {
		targets = append(targets, mutants(l.tg, 10))
	}
	res := run(t, c.request(targets...))
	var failures []string
	for i, l := range list {
		m := res.Targets[i]
		if d := cmp.Diff(l.want, shows(l.tg, m)); d != "" {
			t.Errorf("%s (-want +got):\n%s", l.tg.Function.Symbol, d)
		}
		for _, mu := range m.Mutants {
			if mu.Failure != "" {
				failures = append(failures, l.tg.Function.Symbol+" "+mu.ID+": "+mu.Failure[strings.LastIndexByte(mu.Failure, '(')+1:])
			}
		}
	}
	want := []string{"one return:1: E0308)", "one return:1.3: E0308)", "vectors return:22.2: E0382)", "geometry::origin_distance field:3: E0616)"}
	if d := cmp.Diff(want, failures); d != "" {
		t.Errorf("mutants that do not compile (-want +got):\n%s", d)
	}
	t.Logf("%d compilations in %v, %d processes in %v", res.Compilations, res.CompileTook, res.Processes, res.RunTook)
}

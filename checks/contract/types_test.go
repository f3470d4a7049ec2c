package contract_test

import (
	"testing"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/internal/pair"
)

// TestDirectionOfTypes: a contract that reads as before is not equal where a type in it, or in what it rests on, holds something else.
func TestDirectionOfTypes(t *testing.T) {
	const rest = `pub open spec fn all(b: bool) -> bool { forall|k: Key| b }

pub fn plain(x: u64) -> (r: u64) ensures r == x { x }

pub fn named(x: u64) -> (r: u64) ensures forall|k: Key| r == x { x }

pub fn behind(x: u64) -> (r: u64) ensures all(r == x) { x }`
	key := func(field string) string { return "pub ghost struct Key { pub n: " + field + " }\n\n" + rest }
	for name, c := range map[string]struct {
		head string
		want map[string]string
	}{
		"same":        {key("int"), map[string]string{"plain": "equal", "named": "equal", "behind": "equal"}},
		"other field": {key("!"), map[string]string{"plain": "equal", "named": "unknown", "behind": "unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := &checks.Input{Pairs: pair.New(index(t, key("int")), index(t, c.head))}
			for _, p := range in.Pairs.Functions {
				if want, ok := c.want[p.Head.Symbol]; ok {
					if got, by := contract.Direction(in, p); got != want {
						t.Errorf("%s is %s by %s, want %s", p.Head.Symbol, got, by, want)
					}
					delete(c.want, p.Head.Symbol)
				}
			}
			if name != "same" && len(c.want) > 0 {
				t.Errorf("not compared: %v", c.want)
			}
		})
	}
}

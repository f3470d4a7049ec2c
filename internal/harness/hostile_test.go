package harness_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/harness"
)

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each function does harm for the argument 1. What comes of it is told, and the cases before and behind are as they would be without.
func TestHostile(t *testing.T) {
	c := newCrate(t, map[string]string{"src/lib.rs": readFile(t, "testdata/hostile/lib.rs"), "src/names.rs": readFile(t, "testdata/hostile/names.rs")})
	list := []struct{ function, want string }{
		{"never_returns", "ran out of steps"},
		{"never_returns_in_the_library", "timed out"},
		{"never_returns_as_a_constant_function", "timed out"},
		{"sleeps", "timed out"},
		{"recurses", "ran out of steps"},
		{"recurses_with_much_stack", "ran out of stack"},
		{"recurses_in_a_macro", "crashed: segmentation fault"},
		{"exhausts_memory", "crashed: aborted"},
		{"asks_for_much_memory", "crashed: aborted"},
		{"exits", "ended the process: status 0"},
		{"prints", "1"},
		{"prints_everywhere", "wrote to the stream of outcomes"},
		{"closes_everything", "ended the process: status 0"},
		{"floods", "wrote to the stream of outcomes"},
		{"reads", "1"},
		{"leaves_threads", "1"},
		{"leaves_a_thread_that_writes", "1"},
		{"reads_no_memory", "crashed: segmentation fault"},
		{"aborts", "crashed: aborted"},
		{"panics", "panicked: x is 1"},
		{"panics_at_length", "panicked: " + strings.Repeat("long ", 80)},
		{"panics_with_a_bomb", "panicked: a payload that is no text"},
		{"panics_while_it_panics", "crashed: aborted"},
		{"catches_all", "ran out of steps"},
		{"forks", "1"},
		{"kills_its_parent", ""},
		{"kills_all", ""},
		{"stops", "timed out"},
		{"alarms", "crashed: alarm clock"},
		{"becomes_another", "ended the process: status 0"},
		{"main", "1"},
	}
	var targets []harness.Target
	for _, l := range list {
		targets = append(targets, c.with(l.function, "0", "1", "2"))
	}
	others := []struct {
		tg   harness.Target
		want string
	}{
		{c.with("overflows", "0", "1", "2"), "panicked: attempt to subtract with overflow\n0\n1\n"},
		{c.with("gives_a_bomb", "0", "1", "2"), "Armed { x: 0 }\nArmed { x: 1 }\nArmed { x: 2 }\n"},
		{c.with("gives_too_much", "0", "1", "2"), "[0]\ngave a result that is too large\n[2]\n"},
		{c.with("gives_deep_values", "0", "1", "2"), "List::More(List::End)\ngave a result that is too large: it is nested too deep\nList::More(List::End)\n"},
		{c.with("looks_around", "0"), "(0, false, false, false)\n"},
		{c.with("remembers", "0", "1"), "unmeasured: it does not give the same for the same arguments: it returned the first time, it returned the second\n"},
		{c.with("remembers_in_its_thread", "0", "1"), "unmeasured: it does not give the same for the same arguments: it returned the first time, it returned the second\n"},
		{c.with("tells_the_time", "0"), "unmeasured: it does not give the same for the same arguments: it returned the first time, it returned the second\n"},
		{c.with("tells_where_it_is", "0"), "unmeasured: it does not give the same for the same arguments: it returned the first time, it returned the second\n"},
		{c.with("names::a0", "Vec { Out: 3 }; Option::V; 4", "Vec { Out: 3 }; Option::In(5); 4"), "Option::In(3)\nOption::match { fn: 5, i: 4, o: 5, f0: true }\n"},
		{c.with("names::loop", "4", "255"), "5\npanicked: attempt to add with overflow\n"},
		{c.with("names::inner::Hidden::private", "Hidden { x: 1 }; 7"), "1, self = Hidden { x: 7 }\n"},
	}
	for _, o := range others {
		targets = append(targets, o.tg)
	}
	req := c.request(targets...)
	req.Limits = harness.Limits{Case: time.Second, RunMemory: 300 << 20, Steps: 100_000}
	res := run(t, req)
	for i, l := range list {
		got := shows(targets[i], res.Targets[i])
		if l.want == "" {
			// Whether it reaches the process that watches it depends on the machine's protections.
			lines := strings.Split(got, "\n")
			if len(lines) == 4 && (strings.HasPrefix(lines[1], "crashed: it ended the harness") || lines[1] == "timed out") {
				l.want = lines[1]
			}
		}
		if d := cmp.Diff("0\n"+l.want+"\n2\n", got); d != "" {
			t.Errorf("%s (-want +got):\n%s", l.function, d)
		}
	}
	for i, o := range others {
		if d := cmp.Diff(o.want, shows(o.tg, res.Targets[len(list)+i])); d != "" {
			t.Errorf("%s (-want +got):\n%s", o.tg.Function.Symbol, d)
		}
	}
	if len(res.Protections) == 0 {
		t.Error("it is not said what the program ran with")
	}
	t.Logf("%d compilations in %v, %d processes in %v", res.Compilations, res.CompileTook, res.Processes, res.RunTook)
}

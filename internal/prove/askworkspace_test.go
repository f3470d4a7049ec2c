package prove_test

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	. "github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
)

// workspace is a workspace of two packages, of which app uses queue, and a change of the contracts of both.
func workspace(t *testing.T) (head *tree, plan *obligation.Plan) {
	t.Helper()
	var sides [2]*tree
	for i := range sides {
		sides[i] = readTree(t, recordings+"workspace/src")
		lock, err := os.ReadFile(asked + "workspace/Cargo.lock")
		if err != nil {
			t.Fatal(err)
		}
		sides[i].Files["Cargo.lock"] = string(lock)
	}
	for file, edit := range map[string][2]string{
		"queue/src/lib.rs":    {"        m == a || m == b,\n", ""},
		"queue/src/limits.rs": {"        x <= cap ==> r == x,\n", "        x < cap ==> r == x,\n"},
		"app/src/main.rs":     {"        m >= c,\n", "        m >= c,\n        m >= a && m >= b && m >= c,\n"},
	} {
		text := sides[1].Files[file]
		if !strings.Contains(text, edit[0]) {
			t.Fatalf("%s lacks %q", file, edit[0])
		}
		sides[1].Files[file] = strings.Replace(text, edit[0], edit[1], 1)
	}
	return sides[1], questions(pair.New(index(t, sides[0]), index(t, sides[1])))
}

func openWorkspace(t *testing.T, v *verus.Verifier, tr *tree, timeout time.Duration) *Copy {
	t.Helper()
	o := options
	o.Timeout = timeout
	// A release of 2025 builds no library of a package that is verified for its own sake, which programs of other packages need.
	o.Packages = []string{"app"}
	q := Request{Verifier: v, Files: tr.work(), Manifest: "Cargo.toml", Options: o, Temp: t.TempDir()}
	if *record {
		q.Target = os.Getenv("SPECGATE_RECORD_TARGET") // what the workspace depends on takes minutes to build
	}
	c, err := Open(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestAskWorkspace asks about three modules of two packages, behind a run on all of them, and then once more: what app uses of queue has to be built
// again before that, since the last questions were about it.
func TestAskWorkspace(t *testing.T) {
	v, replay := asker(t, "workspace")
	head, plan := workspace(t)
	c := openWorkspace(t, v, head, 20*time.Minute)
	run, err := c.Verify(context.Background())
	if err != nil || run.Outcome != verus.Proved {
		t.Fatalf("%+v, %v", run, err)
	}
	got, err := c.Ask(context.Background(), Side{Source: head.source, Manifest: "Cargo.toml"}, plan)
	if err != nil {
		t.Fatal(err)
	}
	text := show(got)
	_, again := workspace(t)
	got, err = c.Ask(context.Background(), Side{Source: head.source, Manifest: "Cargo.toml"}, again)
	if err != nil {
		t.Fatal(err)
	}
	text += "==== again\n" + show(got)
	goldenText(t, asked+"workspace/answers.txt", text)
	if replay != nil {
		goldenText(t, asked+"workspace/calls.txt", strings.Join(replay.Calls(), "\n")+"\n")
	}
}

// TestAskFresh has cargo take a crate as built already although its text is another one, as on a file system that keeps times too coarsely: the
// file then gets a later time, and the question is put again. What cargo says of it is written by hand.
func TestAskFresh(t *testing.T) {
	if *record {
		t.Skip("it only reads recordings, which TestAskWorkspace makes")
	}
	v, replay := replayed(t, "workspace")
	head, plan := workspace(t)
	c := openWorkspace(t, v, head, time.Minute)
	taken := 0
	replay.Alter(func(call string, res *sandbox.Result) error {
		if strings.Contains(call, "--lib") && taken == 0 {
			taken++
			res.ExitCode, res.Stderr = 0, nil
			res.Stdout = []byte(`{"reason":"compiler-artifact","package_id":"path+file:///ws/queue#0.1.0","target":{"kind":["lib"],"name":"queue"},"fresh":true}` + "\n" +
				`{"reason":"build-finished","success":true}` + "\n")
		}
		return nil
	})
	got, err := c.Ask(context.Background(), Side{Source: head.source, Manifest: "Cargo.toml"}, plan)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(asked + "workspace/answers.txt")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(want), "==== again\n")
	runs := regexp.MustCompile(`(?m)^(\d+) runs`)
	n, err := strconv.Atoi(runs.FindStringSubmatch(first)[1])
	if err != nil || got.Runs != n+1 || taken != 1 {
		t.Errorf("%d runs, %d before, %v", got.Runs, n, err)
	}
	if diff := cmp.Diff(runs.ReplaceAllString(first, "N runs"), runs.ReplaceAllString(show(got), "N runs")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

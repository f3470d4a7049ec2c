package prove_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	. "github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

var record = flag.Bool("record", false, "ask the verifier that SPECGATE_VERUS names, and keep what it prints in testdata/ask")

const (
	asked = "testdata/ask/"
	// release of the verifier that made the recordings.
	release = "0.2025.06.23.283b036"
)

// asker gives the verifier that answers from a directory of recordings or, with -record, the one of this machine, whose answers are kept there.
func asker(t *testing.T, name string) (v *verus.Verifier, replay *verustest.Replay) {
	t.Helper()
	dir := asked + name
	if *record {
		r := &verustest.Recorder{}
		if home := os.Getenv("SPECGATE_RECORD_SHORTEN"); home != "" {
			r.Shorten = strings.Split(home, ",")
		}
		v := verustest.Real(t, r)
		if v.Version.Release != release {
			t.Fatalf("the verifier is %s, and the recordings are of %s", v.Version.Release, release)
		}
		t.Cleanup(func() {
			if err := r.WriteAll(dir, v); err != nil {
				t.Error(err)
			}
		})
		return v, nil
	}
	replay = verustest.NewReplay(t)
	replay.AddKeyed(dir)
	t.Cleanup(func() {
		if l := replay.Unused(); len(l) > 0 && !t.Failed() {
			t.Errorf("recordings that nothing asked for: %q", l)
		}
	})
	return verustest.Installed(release, replay), replay
}

// open copies a tree that is one file, src/lib.rs.
func open(t testing.TB, v *verus.Verifier, tr *tree, o verus.Options) *Copy {
	t.Helper()
	c, err := Open(context.Background(), Request{Verifier: v, Files: tr.work(), Roots: []string{"src/lib.rs"}, Options: o, Temp: t.TempDir()})
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

func lib(text string) *tree { return newTree(map[string]string{"src/lib.rs": text}) }

// sample reads both sides of a sample change.
func sample(t *testing.T, name string) (base, head *tree) {
	t.Helper()
	var out [2]*tree
	for i, side := range []string{"base", "head"} {
		text, err := os.ReadFile("../../testdata/corpus/" + name + "/" + side + ".rs")
		if err != nil {
			t.Fatal(err)
		}
		out[i] = lib(string(text))
	}
	return out[0], out[1]
}

// questions asks everything about every function that has a contract: both sides compared, head alone, and the context of its proof.
func questions(p *pair.Pairs) *obligation.Plan {
	w := obligation.NewWriter(p.Head, p)
	for _, f := range p.Functions {
		if f.Head == nil || f.Head.Mode == model.Spec {
			continue
		}
		if f.Base != nil && len(f.Base.Contract())+len(f.Head.Contract()) > 0 {
			w.Compare(f)
		}
		if len(f.Head.Contract()) > 0 {
			w.Contract(f.Head)
			w.Context(f.Head)
		}
	}
	return w.Plan()
}

func ask(t testing.TB, c *Copy, tr *tree, plan *obligation.Plan) *Answers {
	t.Helper()
	got, err := c.Ask(context.Background(), Side{Source: tr.source, Roots: []string{"src/lib.rs"}}, plan)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// show writes answers, problems and counts.
func show(a *Answers) string {
	var b strings.Builder
	for _, x := range a.Answers {
		fmt.Fprintf(&b, "%s: %s", x.Function.Symbol, x.Question)
		if x.Clause != nil {
			fmt.Fprintf(&b, " (%s %s)", x.Clause.Kind, x.Clause.Text)
		}
		if x.Question >= obligation.SpectestRejected {
			fmt.Fprintf(&b, " %d", x.Case)
		}
		fmt.Fprintf(&b, " = %s", x.Verdict)
		if x.Given {
			b.WriteString(", given")
		}
		if x.Verdict == obligation.Proved && len(x.Names) > 1 && x.Name != x.Names[0] {
			b.WriteString(" with help")
		}
		b.WriteString("\n")
	}
	for _, s := range a.Plan.Skipped {
		fmt.Fprintf(&b, "%s: %s: not written: %s\n", s.Function.Symbol, s.Question, s.Detail)
	}
	for _, p := range a.Problems {
		fmt.Fprintf(&b, "problem: %s\n", p)
	}
	fmt.Fprintf(&b, "%d runs, %d asked\n", a.Runs, a.Asked)
	return b.String()
}

func goldenText(t *testing.T, name, got string) {
	t.Helper()
	goldentest.Compare(t, name, got, *update)
}

func samples(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("../../testdata/corpus/*/want.txt")
	if err != nil || len(dirs) < 20 {
		t.Fatal(dirs, err)
	}
	var out []string
	for _, d := range dirs {
		out = append(out, filepath.Base(filepath.Dir(d)))
	}
	return out
}

// TestAskCorpus asks everything about every sample change.
func TestAskCorpus(t *testing.T) {
	for _, name := range samples(t) {
		t.Run(name, func(t *testing.T) {
			v, _ := asker(t, name)
			base, head := sample(t, name)
			plan := questions(pair.New(index(t, base), index(t, head)))
			o := options
			o.Timeout = 10 * time.Minute
			goldenText(t, asked+name+"/answers.txt", show(ask(t, open(t, v, head, o), head, plan)))
		})
	}
}

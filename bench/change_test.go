package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
)

// BenchmarkDefinitions checks a change of spec definitions under many contracts that it leaves alone: 1,000 definitions, each of which
// rests on two others, and contracts that rest on some. The time must grow with the contracts, not with their product with what they
// rest on, and hardly with the number of definitions that changed.
func BenchmarkDefinitions(b *testing.B) {
	const definitions = 1000
	for _, contracts := range []int{750, 1500, 3000} {
		for _, changed := range []int{1, 100} {
			b.Run(fmt.Sprintf("contracts=%d/changed=%d", contracts, changed), func(b *testing.B) {
				r := newRepo(b)
				r.commit(b, definitionsOf(definitions, 0), contractsOf(contracts, definitions))
				r.commit(b, definitionsOf(definitions, changed))
				b.ReportAllocs()
				findings, before := 0, processorTime(b)
				for b.Loop() {
					result, err := engine.Check(context.Background(), engine.Options{Repo: string(r), Base: "HEAD~1", Head: "HEAD", Jobs: 1,
						Today: policy.Date{Year: 2026, Month: time.January, Day: 1}, Version: "bench", Log: slog.New(slog.DiscardHandler)})
					if err != nil {
						b.Fatal(err)
					}
					if findings = len(result.Report.Findings); findings == 0 {
						b.Fatalf("%d findings", findings)
					}
				}
				b.ReportMetric((processorTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
				b.ReportMetric(float64(findings), "findings")
			})
		}
	}
}

// definitionsOf are definitions that form a graph of depth 10; the changed ones are spread over the last of its layers, on which all
// others rest.
func definitionsOf(n, changed int) map[string]string {
	const layer = 10 // of 1/10 of the definitions each
	var b strings.Builder
	b.WriteString("use vstd::prelude::*;\n\nverus! {\n")
	size := n / layer
	for i := range n {
		body := fmt.Sprintf("x < %d", 1000+i)
		switch {
		case i+size < n:
			next := (i/size + 1) * size
			body = fmt.Sprintf("x < %d && d%d(x) && d%d(x)", 5000+i, next+i%size, next+(i+1)%size)
		case i-(n-size) < changed:
			body = fmt.Sprintf("x < %d", 2000+i)
		}
		fmt.Fprintf(&b, "\npub open spec fn d%d(x: u64) -> bool {\n    %s\n}\n", i, body)
	}
	b.WriteString("\n} // verus!\n")
	return map[string]string{"src/defs.rs": b.String(), "src/lib.rs": "pub mod defs;\npub mod user;\n",
		"Cargo.toml": "[package]\nname = \"generated\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[package.metadata.verus]\nverify = true\n"}
}

// contractsOf are functions whose contract rests on three definitions.
func contractsOf(n, definitions int) map[string]string {
	var b strings.Builder
	b.WriteString("use vstd::prelude::*;\nuse crate::defs::*;\n\nverus! {\n")
	for i := range n {
		fmt.Fprintf(&b, "\npub fn f%d(x: u64) -> (r: u64)\n    requires\n        d%d(x),\n    ensures\n        d%d(r) ==> d%d(x),\n{\n    x\n}\n",
			i, i*7%definitions, i*3%definitions, i%definitions)
	}
	b.WriteString("\n} // verus!\n")
	return map[string]string{"src/user.rs": b.String()}
}

// repo is the directory of a git repository.
type repo string

func newRepo(b *testing.B) repo {
	r := repo(b.TempDir())
	r.git(b, "init", "-q", "-b", "main")
	return r
}

func (r repo) git(b testing.TB, args ...string) {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-C", string(r), "-c", "user.name=someone", "-c", "user.email=someone@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r repo) commit(b testing.TB, contents ...map[string]string) {
	b.Helper()
	for _, files := range contents {
		for name, text := range files {
			full := filepath.Join(string(r), name)
			if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	r.git(b, "add", "-A")
	r.git(b, "commit", "-q", "-m", "change")
}

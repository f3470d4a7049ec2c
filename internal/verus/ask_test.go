package verus_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox"
	. "github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// calls is a Runner that notes the calls, and knows the help of cargo-verus.
type calls struct {
	help string
	made []string
}

func (c *calls) Run(_ context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	c.made = append(c.made, filepath.Base(cmd.Name)+" "+strings.Join(cmd.Args, " "))
	if len(cmd.Args) == 1 && cmd.Args[0] == "--help" {
		return sandbox.Result{Stdout: []byte(c.help)}, nil
	}
	if cmd.Name == "cargo" {
		return sandbox.Result{Stdout: []byte(strings.ReplaceAll(metadata, "ROOT", cmd.Dir))}, nil
	}
	return sandbox.Result{}, nil
}

// metadata is what cargo prints of a workspace, shortened.
const metadata = `{"packages":[{"name":"queue","targets":[{"kind":["rlib"],"name":"queue","src_path":"ROOT/queue/src/lib.rs"},{"kind":["test"],"name":"t","src_path":"ROOT/queue/tests/t.rs"}]},` +
	`{"name":"app","targets":[{"kind":["bin"],"name":"app-tool","src_path":"ROOT/app/src/main.rs"}]}]}`

// The help texts are those of a release of 2025-06 as it was printed, and of one of 2026-08 as its sources have it, shortened.
const (
	oldHelp = "Usage:\n    cargo verus <COMMAND> [OPTIONS] [--] [<ARGS>...]\n\nCommands:\n    new       Create a new Verus project\n    verify    Verify the current crate with 'cargo build'\n" +
		"    build     Verify and build the current crate with 'cargo build'\n    check     Runs the 'cargo check' subcommand\n"
	newHelp = "Usage: cargo verus <COMMAND>\n\nCommands:\n  new        Create a new Verus project\n  verify     Verify the current crate with 'cargo build'\n" +
		"  \x1b[1mfocus\x1b[0m      Verify only crate contents, without dependencies\n"
)

// TestAskCalls checks how the verifier is called for a part of a crate.
func TestAskCalls(t *testing.T) {
	lib := TargetID{Package: "queue", Name: "queue", Kind: "lib"}
	bin := TargetID{Package: "app", Name: "app-tool", Kind: "bin"}
	workspace := func(ctx context.Context, v *Verifier, w *Work, o Options) *Workspace {
		ws, err := v.Workspace(ctx, w, "Cargo.toml", o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Target{{lib, "queue/src/lib.rs"}, {bin, "app/src/main.rs"}}, ws.Targets); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		return ws
	}
	const own = "--output-json --time "
	const quiet = "--no-report-long-running --triggers-mode silent "
	for _, test := range []struct {
		name, help string
		ask        func(context.Context, *Verifier, *Work, Options) (*Run, error)
		args       []string
		want       []string
	}{
		{"root of a file", "", func(ctx context.Context, v *Verifier, w *Work, o Options) (*Run, error) {
			return v.AskFile(ctx, w, "src/lib.rs", Part{Functions: "*sg_*"}, o)
		}, []string{"--rlimit", "20"},
			[]string{"verus --crate-type=lib " + own + quiet + "--verify-root --verify-function=*sg_* --multiple-errors=0 --no-auto-recommends-check --rlimit 20 src/lib.rs --error-format=json"}},
		{"arguments that are left out", "", func(ctx context.Context, v *Verifier, w *Work, o Options) (*Run, error) {
			return v.AskFile(ctx, w, "src/lib.rs", Part{Module: "a::b", Functions: "*sg_*"}, o)
		}, []string{"--verify-root", "--verify-module", "m", "--verify-module=m", "--verify-only-module", "m", "--verify-function", "f", "--no-cheating", "--multiple-errors", "3",
			"--expand-errors", "--no-auto-recommends-check", "-V", "spinoff-all", "--", "--verify-root"},
			[]string{"verus --crate-type=lib " + own + quiet + "--verify-only-module=a::b --verify-function=*sg_* --multiple-errors=0 --no-auto-recommends-check -V spinoff-all -- --verify-root src/lib.rs --error-format=json"}},
		{"library, 2025", oldHelp, func(ctx context.Context, v *Verifier, w *Work, o Options) (*Run, error) {
			return v.AskTarget(ctx, w, workspace(ctx, v, w, o), lib, Part{Module: "limits", Functions: "*sg_*"}, o)
		}, nil, []string{"cargo metadata --format-version=1 --no-deps --offline", "cargo-verus --help",
			"cargo-verus verify --offline -p queue --lib --message-format=json -- " + own + "--verify-only-module=limits --verify-function=*sg_* --multiple-errors=0 --no-auto-recommends-check"}},
		{"program, 2026", newHelp, func(ctx context.Context, v *Verifier, w *Work, o Options) (*Run, error) {
			return v.AskTarget(ctx, w, workspace(ctx, v, w, o), bin, Part{Functions: "*sg_*"}, o)
		}, nil, []string{"cargo metadata --format-version=1 --no-deps --offline", "cargo-verus --help",
			"cargo-verus focus --offline -p app --bin app-tool --message-format=json -- " + own + "--verify-root --verify-function=*sg_* --multiple-errors=0 --no-auto-recommends-check"}},
		{"dependencies", oldHelp, func(ctx context.Context, v *Verifier, w *Work, o Options) (*Run, error) {
			return v.Prepare(ctx, w, workspace(ctx, v, w, o), bin, o)
		}, []string{"--rlimit=2"}, []string{"cargo metadata --format-version=1 --no-deps --offline", "cargo-verus --help", "cargo-verus verify --offline -p app --bin app-tool --message-format=json -- " + own + "--multiple-errors 5 --no-verify --rlimit=2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &calls{help: test.help}
			o := options
			o.Args = test.args
			run, err := test.ask(context.Background(), verustest.Installed(recordedBy, r), work(t, map[string]string{"src/lib.rs": ""}), o)
			if err != nil || run.Outcome == Proved {
				t.Errorf("%+v, %v", run, err)
			}
			if diff := cmp.Diff(test.want, r.made); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	w := work(t, map[string]string{"src/lib.rs": "one"})
	name := filepath.Join(w.Root, "src", "lib.rs")
	read := func(want string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	old, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	restore, err := w.Replace("src/lib.rs", []byte("two"))
	if err != nil {
		t.Fatal(err)
	}
	read("two")
	if err := w.Touch("src/lib.rs"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || time.Until(info.ModTime()) < 2*time.Second {
		t.Errorf("%v, %v", info, err)
	}
	if err := restore(); err != nil {
		t.Fatal(err)
	}
	read("one")
	if info, err := os.Stat(name); err != nil || info.Mode() != old.Mode() || info.ModTime().Before(old.ModTime()) {
		t.Errorf("%v, %v", info, err)
	}
	for file, want := range map[string]error{"src/none.rs": fs.ErrNotExist, "../tree/src/lib.rs": nil} {
		if _, err := w.Replace(file, nil); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(w.Root, "src", "*")); err != nil || len(left) != 1 {
		t.Errorf("%q, %v", left, err)
	}
}

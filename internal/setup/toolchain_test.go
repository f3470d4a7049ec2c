package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/verus"
)

// TestToolchain has scripts in the place of rustup: no test installs a toolchain. They write down how they are called.
func TestToolchain(t *testing.T) {
	const note = `echo "$@ in $PWD" >> "$HOME/calls"` + "\n"
	const list = "toolchain list in /"
	const run = "run " + rust + " rustc --version in /"
	const install = "toolchain install " + rust + " --profile minimal --no-self-update in /"
	for _, c := range []struct {
		name   string
		rustup string // the script; empty: there is none
		calls  []string
		want   string // the error
	}{
		{"there already", note + `[ "$2" != list ] || echo "` + rust + ` (default)"`, []string{list, run}, ""},
		{"there, but not whole", note + `case "$1 $2" in "toolchain list") echo "` + rust + `";; run*) exit 1;; esac`, []string{list, run, install}, ""},
		{"a name that is only a part", note + `[ "$2" = install ] || echo "` + rust + `-dev"`, []string{list, install}, ""},
		{"installed", note + `echo stable`, []string{list, install}, ""},
		{"fails", note + `[ "$2" = list ] || { echo 'info: syncing' >&2; echo 'error: could not download file' >&2; exit 1; }`, []string{list, install},
			"install the Rust toolchain " + rust + ": rustup ended with exit status 1: error: could not download file; try it by hand with: rustup toolchain install " + rust + ", or leave the toolchain out with --no-toolchain"},
		{"broken", "exit 7", nil,
			"install the Rust toolchain " + rust + ": rustup ended with exit status 7; try it by hand with: rustup toolchain install " + rust + ", or leave the toolchain out with --no-toolchain"},
		{"missing", "", nil,
			"install the Rust toolchain " + rust + `: there is no rustup on PATH; install it from https://rustup.rs and run this again, or leave the toolchain out with --no-toolchain: start rustup: exec: "rustup": executable file not found in $PATH`},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripts := map[string]string{}
			if c.rustup != "" {
				scripts["rustup"] = c.rustup
			}
			home := tools(t, scripts)
			t.Setenv("HOME", home)
			r := request(t)
			r.NoToolchain = false
			got, err := Verus(t.Context(), r)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(c.want, message); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if err == nil && got.Toolchain != rust {
				t.Errorf("toolchain %q", got.Toolchain)
			}
			text, _ := os.ReadFile(filepath.Join(home, "calls")) // there are none if it is not there
			var calls []string
			for line := range strings.Lines(string(text)) {
				calls = append(calls, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(c.calls, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			// The verifier itself is there in any case.
			if _, err := Intact(verus.InstallDir(r.Data, release, platform)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNoToolchainNamed has an old release, which has no more than its own name in a file.
func TestNoToolchainNamed(t *testing.T) {
	var entries []entry
	for _, e := range good() {
		if e.name == top+"/version.json" {
			e.name, e.text = top+"/version.txt", release+"\n"
		}
		entries = append(entries, e)
	}
	archive := zipOf(t, entries)
	r := request(t)
	r.NoToolchain, r.Runner = false, notCalled{t}
	r.SHA256, r.From = sumOf(archive), write(t, r.From, archive, 0o644)
	var said []string
	r.Say = func(line string) { said = append(said, line) }
	got, err := Verus(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if want := "the release does not say which Rust toolchain it needs; " + got.Path + " --version does, and rustup installs it"; said[len(said)-1] != want {
		t.Errorf("said %q, want %q", said, want)
	}
}

// TestToolchainInterrupted ends rustup with the command.
func TestToolchainInterrupted(t *testing.T) {
	r := request(t)
	r.NoToolchain = false
	ctx, cancel := context.WithCancelCause(t.Context())
	r.Runner = runner(func(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
		cancel(errors.New("interrupted"))
		return sandbox.Result{}, context.Cause(ctx)
	})
	_, err := Verus(ctx, r)
	if want := "install the Rust toolchain " + rust + ": interrupted"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

type runner func(context.Context, sandbox.Command) (sandbox.Result, error)

func (r runner) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) { return r(ctx, c) }

// TestRealRustup asks the rustup of this machine for a toolchain that it has.
func TestRealRustup(t *testing.T) {
	out, err := rustup(t.Context(), verus.Sandboxed{}, rustupTime, "toolchain", "list")
	words := strings.Fields(out)
	if err != nil || len(words) == 0 || words[0] == "no" { // no installed toolchains
		sandboxtest.Rustup.Lacks(t, fmt.Sprintf("no rustup with a toolchain: %v, %s", err, out))
	}
	for name, want := range map[string]bool{words[0]: true, words[0] + "-other": false} {
		if got, err := hasToolchain(t.Context(), verus.Sandboxed{}, name); err != nil || got != want {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

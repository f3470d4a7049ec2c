package verus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox"
	. "github.com/specgate/specgate/internal/verus"
)

// noted is a Runner that notes how programs would be bounded, and starts none.
type noted struct {
	calls []sandbox.Command
	err   error
}

func (n *noted) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	n.calls = append(n.calls, c)
	res := sandbox.Result{Protections: []sandbox.Protection{{Name: "network", On: true, Detail: "no network"}}}
	if slices.Contains(c.Args, "metadata") {
		res.Stdout = []byte(`{"packages":[]}`)
		return res, nil
	}
	return res, n.err
}

// TestIsolate: all that builds code of the tree is isolated, sees the tree, its target directory and the tools, and has no network.
func TestIsolate(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{"cargo/bin", "cargo/registry", "rustup/toolchains", "tools/verus", "libraries", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"cargo/credentials.toml", "rustup/settings.toml", "tools/verus/verus", "tools/verus/cargo-verus", "z3"} {
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("CARGO_HOME", filepath.Join(home, "cargo"))
	t.Setenv("RUSTUP_HOME", filepath.Join(home, "rustup"))
	t.Setenv("PATH", "")
	t.Setenv("GITHUB_TOKEN", "secret")
	w, err := NewWork(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	at := func(names ...string) []string {
		var out []string
		for _, n := range names {
			out = append(out, filepath.Join(home, n))
		}
		return out
	}
	want := &sandbox.Isolation{
		// The solver stands in the home itself, which must not be seen whole.
		ReadOnly: at("cargo/bin", "cargo/registry", "libraries", "rustup/settings.toml", "rustup/toolchains", "tools/verus", "z3"),
		Write:    []string{w.Root, w.Target},
		Require:  true,
	}
	want.ReadOnly = append(want.ReadOnly, sandbox.GitConfig()...)
	slices.Sort(want.ReadOnly)
	n := &noted{}
	v := Known(filepath.Join(home, "tools/verus/verus"), filepath.Join(home, "tools/verus/cargo-verus"), filepath.Join(home, "z3"), Version{}, n).
		Isolate(Isolation{Require: true, Read: at("libraries", "missing"), Memory: 1 << 33})
	o := Options{Timeout: time.Minute}
	r, err := v.VerifyFile(t.Context(), w, "lib.rs", o)
	if err != nil {
		t.Fatal(err)
	}
	if got := sandbox.Statement(r.Protections); !strings.Contains(got, "no network") {
		t.Errorf("the run does not say how it was isolated: %s", got)
	}
	if _, err := v.VerifyWorkspace(t.Context(), w, "Cargo.toml", o); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range n.calls {
		kind := "not isolated"
		if c.Isolate != nil {
			kind = "isolated"
			want := *want
			if filepath.Base(c.Name) == "cargo-verus" {
				want.ReadOnly, want.Write = append(slices.Clone(want.ReadOnly), w.Root), []string{w.Target}
			}
			if diff := cmp.Diff(&want, c.Isolate); diff != "" {
				t.Errorf("%s %v (-want +got):\n%s", c.Name, c.Args, diff)
			}
			if c.Limits.Memory != 1<<33 || c.Limits.Processes == 0 || c.Limits.FileSize == 0 {
				t.Errorf("%s: limits %+v", c.Name, c.Limits)
			}
		}
		if slices.ContainsFunc(c.Env, func(e string) bool { return strings.Contains(e, "secret") }) {
			t.Errorf("%s sees a token: %q", c.Name, c.Env)
		}
		got = append(got, fmt.Sprintf("%s %s: %s", filepath.Base(c.Name), c.Args[0], kind))
	}
	// cargo metadata and cargo fetch run no code of the tree.
	if diff := cmp.Diff([]string{"verus --crate-type=lib: isolated", "cargo metadata: not isolated", "cargo fetch: not isolated", "cargo-verus verify: isolated"}, got); diff != "" {
		t.Error(diff)
	}
	if args := n.calls[3].Args; !slices.Contains(args, "--offline") {
		t.Errorf("the build may use the network: %q", args)
	}

	// They read nothing that was built, and nothing is downloaded for further runs of the copy.
	if _, err := v.VerifyWorkspace(t.Context(), w, "Cargo.toml", o); err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, c := range n.calls[1:] {
		var env []string
		for _, e := range c.Env {
			if strings.HasPrefix(e, "CARGO_TARGET_DIR=") || strings.HasPrefix(e, "CARGO_CACHE_") {
				env = append(env, strings.ReplaceAll(e, filepath.Dir(w.Root), "WORK"))
			}
		}
		got = append(got, fmt.Sprint(filepath.Base(c.Name), " ", c.Args[0], ": ", env))
	}
	const own = ": [CARGO_TARGET_DIR=WORK/clean CARGO_CACHE_RUSTC_INFO=0]"
	if diff := cmp.Diff([]string{"cargo metadata" + own, "cargo fetch" + own, "cargo-verus verify: [CARGO_TARGET_DIR=WORK/target]",
		"cargo metadata" + own, "cargo-verus verify: [CARGO_TARGET_DIR=WORK/target]"}, got); diff != "" {
		t.Error(diff)
	}

	// What the isolation ends is no answer.
	for _, c := range []struct {
		err  error
		want string
	}{
		{sandbox.ErrMemoryLimit, "internal-error: the verifier was stopped because it used too much: run: memory limit reached"},
		{sandbox.ErrProcessLimit, "internal-error: the verifier was stopped because it used too much: run: limit of processes reached"},
		{sandbox.ErrCPULimit, "internal-error: the verifier was stopped because it used too much: run: limit of processor time reached"},
		{sandbox.ErrIsolation, "not-run: run: isolation is required and incomplete; see `specgate doctor` for what is missing, or set sandbox = \"prefer\" under [gate] in the policy"},
		{errors.New("what started the program ended before it"), "not-run: the verifier cannot be started: run: what started the program ended before it; install Verus anew from a release for this platform"},
	} {
		n.err = fmt.Errorf("run: %w", c.err)
		r, err := v.VerifyFile(t.Context(), w, "lib.rs", o)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%v: %s", r.Outcome, r.Reasons[0].Text); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

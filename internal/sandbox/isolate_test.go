package sandbox_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox"
)

// isolated is a command that runs a shell script in isolation, in a directory of its own that it may write.
func isolated(t testing.TB, script string, args ...string) sandbox.Command {
	t.Helper()
	c := sh(script)
	c.Args = append(c.Args, args...)
	c.Dir = t.TempDir()
	c.Isolate = &sandbox.Isolation{Write: []string{c.Dir}}
	return c
}

// protections are those that this machine gives, by name. What it does not give is told by a reason, never silently.
func protections(t *testing.T) map[string]sandbox.Protection {
	t.Helper()
	ps, err := sandbox.Protections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]sandbox.Protection{}
	for _, p := range ps {
		if p.Detail == "" {
			t.Errorf("%s says nothing", p.Name)
		}
		byName[p.Name] = p
	}
	return byName
}

// On every system the list is the same, so that a report has one form, and nothing that was set up is broken.
func TestProtections(t *testing.T) {
	ps, err := sandbox.Protections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range ps {
		names = append(names, p.Name)
		if strings.Contains(p.Detail, "and still") {
			t.Errorf("%s: %s", p.Name, p.Detail)
		}
	}
	want := []string{"process group", "time", "memory", "file size", "privileges", "filesystem", "network", "processes", "system calls"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if runtime.GOOS == "linux" {
		for _, p := range ps {
			if !p.On && p.Name != "filesystem" && p.Name != "processes" {
				t.Errorf("%s is missing on Linux: %s", p.Name, p.Detail)
			}
		}
	}
	t.Log(sandbox.Statement(ps))
}

func TestStatement(t *testing.T) {
	on := sandbox.Protection{Name: "network", On: true, Detail: "no network"}
	for _, tt := range []struct {
		ps   []sandbox.Protection
		want string
	}{
		{nil, "ran with: no protection"},
		{[]sandbox.Protection{on, {Name: "time", On: true, Detail: "at most 5s"}}, "ran with: no network, at most 5s"},
		{[]sandbox.Protection{on, {Name: "memory", Detail: "not here"}, {Name: "processes", Detail: "nor here"}},
			"ran with: no network; missing: memory (not here), processes (nor here)"},
	} {
		if got := sandbox.Statement(tt.ps); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestCPULimit(t *testing.T) {
	c := isolated(t, "while :; do :; done")
	c.Limits.CPU = 500 * time.Millisecond
	_, err := c.Run(t.Context())
	if message(err) != "run /bin/sh: limit of processor time reached: 500ms" || !errors.Is(err, sandbox.ErrCPULimit) {
		t.Errorf("got %v", err)
	}
	// It does not need isolation.
	c.Isolate = nil
	if _, err = c.Run(t.Context()); !errors.Is(err, sandbox.ErrCPULimit) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkStart(b *testing.B) {
	for _, isolate := range []*sandbox.Isolation{nil, {}} {
		name := "plain"
		if isolate != nil {
			name = "isolated"
		}
		b.Run(name, func(b *testing.B) {
			c := sh("")
			c.Name, c.Args, c.Isolate = "/bin/true", nil, isolate
			for b.Loop() {
				if _, err := c.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package sandbox_test

import (
	"testing"

	"github.com/specgate/specgate/internal/sandbox"
)

func TestProtections(t *testing.T) {
	ps, err := sandbox.Protections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(sandbox.Statement(ps))
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

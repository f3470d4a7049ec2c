package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// build makes the binary as `make build` does.
func build(tb testing.TB) string {
	tb.Helper()
	binary := filepath.Join(tb.TempDir(), "specgate")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// The binary is one file that runs anywhere: no loader, no libraries, and not large.
func TestBinary(t *testing.T) {
	binary := build(t)
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	const most = 40 << 20
	if info.Size() > most {
		t.Errorf("the binary has %d bytes; the most is %d", info.Size(), most)
	}
	if runtime.GOOS != "linux" {
		return
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a %v segment: it is not static", p.Type)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	binary := build(b)
	for b.Loop() {
		if out, err := exec.Command(binary, "version").CombinedOutput(); err != nil {
			b.Fatalf("specgate version: %v\n%s", err, out)
		}
	}
}

package prove_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/cache"
	. "github.com/specgate/specgate/internal/prove"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// TestCached: a tree whose answer is known is not copied before something else is to be run on it.
func TestCached(t *testing.T) {
	ctx := context.Background()
	rec, err := verustest.ReadRecording(recordings + "diagnostics/arithmetic.verus.json")
	if err != nil {
		t.Fatal(err)
	}
	tr := readFile(t, recordings+"diagnostics/arithmetic.rs")
	tr.Files["link"] = ""
	dir := t.TempDir()
	for _, name := range []string{"verus", "cargo-verus", "z3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\x7fELF"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files := func(yield func(verus.WorkFile, error) bool) {
		for f, err := range tr.work() {
			if f.Path == "link" {
				f = verus.WorkFile{Path: "link", Mode: verus.WorkOther}
			}
			if !yield(f, err) {
				return
			}
		}
	}
	replay := verustest.NewReplay(t)
	replay.Add(rec, map[string]string{"arithmetic.rs": tr.Files["arithmetic.rs"]})
	v := verus.Known(filepath.Join(dir, "verus"), filepath.Join(dir, "cargo-verus"), filepath.Join(dir, "z3"),
		verus.Version{Release: rec.Verus, Toolchain: "1.85.0-x86_64-unknown-linux-gnu"}, replay)
	store, err := cache.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	answers, err := verus.NewAnswers(store, v)
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	request := Request{Verifier: v, Files: files, Roots: []string{"arithmetic.rs"}, Options: options, Temp: missing, Cache: answers, Keep: true}
	open := func() *Copy {
		c, err := Open(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}

	c := open()
	if _, err := c.Verify(ctx); !errors.Is(err, fs.ErrNotExist) || c.Cached() {
		t.Errorf("nothing is known, and there is no room for a copy: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}

	request.Temp = t.TempDir()
	c = open()
	want, err := c.Verify(ctx)
	if err != nil || c.Cached() || len(c.CacheNotes()) > 0 {
		t.Fatal(err, c.Cached(), c.CacheNotes())
	}
	left := c.LeftOut()
	if err := c.Close(); err != nil {
		t.Error(err)
	}

	request.Temp = missing
	c = open()
	got, err := c.Verify(ctx)
	if err != nil || !c.Cached() || len(c.CacheNotes()) > 0 {
		t.Fatal(err, c.Cached(), c.CacheNotes())
	}
	m := index(t, tr)
	side := Side{Model: m, Source: tr.source, Roots: request.Roots}
	if diff := cmp.Diff(side.Read(want).Problems, side.Read(got).Problems); diff != "" || len(got.Diagnostics) != len(want.Diagnostics) || got.Outcome != want.Outcome {
		t.Errorf("outcome %v, %d diagnostics; was %v, %d\n%s", got.Outcome, len(got.Diagnostics), want.Outcome, len(want.Diagnostics), diff)
	}
	if diff := cmp.Diff(left, c.LeftOut()); diff != "" || len(left) != 1 {
		t.Errorf("left out (-copied +known):\n%s", diff)
	}
	// More runs need the copy.
	if _, err := c.Again(ctx, side, got, Unstable(nil, side.Read(got), m.Functions), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another run without a copy: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

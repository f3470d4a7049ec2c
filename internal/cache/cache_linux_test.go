package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/specgate/specgate/internal/cache"
)

// TestFullDisk does the same on a file system that is full, where one can be made.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
		t.Logf("no file system can be made here (%v); TestNoRoom has the same failure by another limit", err)
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := cache.Open(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for i := range 10 {
		name := fmt.Sprint("entry", i)
		err := s.Put(context.Background(), key(name), data(name))
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
		if err == nil {
			kept++
		}
	}
	if kept == 0 || kept == 10 {
		t.Errorf("%d were written", kept)
	}
	for i := range kept {
		name := fmt.Sprint("entry", i)
		if got := get(t, s, name); got != "hit "+string(data(name)) {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	if slices.Contains(names(t, dir), "temp") {
		t.Error("what could not be written is left")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// readOnly lets nobody write to a directory, or tells that it cannot.
func readOnly(t *testing.T, dir string) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		forbid(t, dir)
		return true
	}
	// Root may write to any directory, but not in a file system that is mounted so.
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Logf("no file system can be made here: %v", err)
		return false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	return true
}

package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotWritable has a directory that the user may not write to. Root may, so that a thread becomes another user's for files.
func TestNotWritable(t *testing.T) {
	r := request(t)
	open, err := os.MkdirTemp("", "specgate-test-") // not t.TempDir, which is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(open) })
	r.Data = filepath.Join(open, "data")
	if err := errors.Join(os.Chmod(open, 0o755), os.Mkdir(r.Data, 0o555)); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		if os.Geteuid() == 0 {
			const nobody = 65534
			runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
			if err := syscall.Setfsuid(nobody); err != nil {
				failed <- err
				return
			}
		}
		_, err := Verus(t.Context(), r)
		failed <- err
	}()
	if err = <-failed; !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff("install Verus into DATA: mkdir DATA/downloads: permission denied; make it writable, or name another directory with --dir", plain(err, r)); diff != "" {
		t.Error(diff)
	}
}

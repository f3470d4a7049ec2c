package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock waits until no other process holds the lock file, and holds it. The system gives it up when the process ends, however it
// does. waiting is called once if there is something to wait for.
func lock(ctx context.Context, path string, waiting func()) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for another installation of the same release: %w", context.Cause(ctx)), f.Close())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// errReadOnly is the error of a file system that is mounted read-only.
var errReadOnly = syscall.EROFS

package sandbox

import (
	"errors"

	"golang.org/x/sys/unix"
)

// waitUnreaped waits until the child process has ended, and leaves it unreaped. It reports whether it did.
func waitUnreaped(pid int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

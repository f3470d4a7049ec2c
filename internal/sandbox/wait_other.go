//go:build unix && !linux

package sandbox

// waitUnreaped reports false: this system has no portable way to wait for a process without reaping it, so the rest of
// its group is killed just after.
func waitUnreaped(int) bool { return false }

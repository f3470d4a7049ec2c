//go:build !linux

package cache_test

import (
	"os"
	"testing"
)

// readOnly lets nobody write to a directory, or tells that it cannot: root may write to any.
func readOnly(t *testing.T, dir string) bool {
	t.Helper()
	forbid(t, dir)
	return os.Geteuid() != 0
}

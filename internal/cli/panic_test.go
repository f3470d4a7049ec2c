package cli

import (
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/host"
)

// TestPanic: what specgate itself does wrong is exit code 3, and says where.
func TestPanic(t *testing.T) {
	done := make(chan error, 1)
	func() {
		defer host.Catch(done)
		var none []int
		_ = none[len(done)]
	}()
	err := <-done
	if code := exitCode(err); code != exitIncomplete {
		t.Errorf("exit code %d", code)
	}
	const want = "internal error of specgate, please report it with the change that brings it about: runtime error: index out of range [0] with length 0\n\n"
	if !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("got %v", err)
	}
}

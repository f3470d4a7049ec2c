package verus_test

import (
	"os"
	"testing"

	"github.com/specgate/specgate/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

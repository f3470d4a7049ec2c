package app_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/specgate/specgate/internal/sandbox"
)

// scratch is a directory for all tests together.
var scratch string

func TestMain(m *testing.M) {
	sandbox.Main()
	var err error
	if scratch, err = os.MkdirTemp("", "specgate-app-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := theCluster.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

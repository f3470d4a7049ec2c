// Command specgate gates merges of Verus code.
package main

import (
	"os"

	"github.com/specgate/specgate/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}

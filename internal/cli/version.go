package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/specgate/specgate/internal/policy"
)

type versionCmd struct{}

// Help is shown below the flags.
func (versionCmd) Help() string {
	return `Examples:

    specgate version`
}

func (versionCmd) Run(r *run) error {
	_, err := fmt.Fprintf(r.stdout, "specgate %s\nbuilt with %s for %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is the module's, with the commit where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}

func today() policy.Date { return policy.DateOf(time.Now()) }

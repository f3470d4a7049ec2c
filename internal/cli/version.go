package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/specgate/specgate"
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

// version is that of the sources, and behind it in parentheses the module's, where the build knows it and it says more: go install of a commit gives
// its hash, and go build in a checkout says whether files were changed.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return specgate.Version()
	}
	return versionOf(specgate.Version(), info.Main.Version)
}

func versionOf(sources, module string) string {
	switch module {
	case "", "(devel)", "v" + sources:
		return sources
	}
	return sources + " (" + module + ")"
}

func today() policy.Date { return policy.DateOf(time.Now()) }

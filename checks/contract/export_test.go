package contract

import "github.com/specgate/specgate/checks"

// Leave says how many steps may be done for a change.
func Leave(in *checks.Input, steps int) { of(in).left = steps }

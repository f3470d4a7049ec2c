// Package registry lists all rules. It is apart from checks, which the families import.
package registry

import (
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/contract"
	"github.com/specgate/specgate/checks/edit"
	"github.com/specgate/specgate/checks/proof"
	"github.com/specgate/specgate/checks/strength"
	"github.com/specgate/specgate/checks/trust"
)

// Rules of all families, by family in the order of checks.Families, and within one in the order of the documentation.
func Rules() []*checks.Rule {
	return slices.Concat(trust.Rules(), []*checks.Rule{strength.Refuted()}, edit.Rules(), contract.Rules(), proof.Rules(), strength.Rules())
}

// Package annotate renders a report. It decides nothing: everything it prints is in the report or in the sources that the
// report points into.
package annotate

import (
	"io"

	"github.com/specgate/specgate/checks"
)

// JSON writes the report as docs/report.md describes it. Equal reports give equal bytes.
func JSON(w io.Writer, r *checks.Report) error { return r.WriteJSON(w) }

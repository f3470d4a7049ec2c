package annotate

import (
	"fmt"
	"io"
)

// NoResult writes, for the summary of a job, that a run has no result and why.
func NoResult(w io.Writer, cause string) error {
	const most = 16 << 10
	if _, err := io.WriteString(w, "## specgate: could not check\n\nNothing is known about the change.\n\n"+fenced(cause, most)); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

// Message is text for a workflow command, of at most 4,000 bytes, before its line ends are escaped: what could hide or reorder it is written out.
func Message(text string) string { return unbracket(escapePlain(text, maxCommandMessage)) }

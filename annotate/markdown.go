package annotate

import (
	"fmt"
	"io"

	"github.com/specgate/specgate/checks"
)

// CommentMarker is the first line of what Markdown writes. Nobody sees it; it tells a comment of specgate from others of the same author.
// A comment that has it elsewhere is none: sources and messages may hold it too.
const CommentMarker = "<!-- specgate report -->"

// maxComment is the longest body of a comment that GitHub takes, in characters. Source: its REST API refuses a longer one by this number.
const maxComment = 65536

// Markdown writes the report for a comment on a pull request: at most 65,536 bytes, and so no more characters. Rows and findings that do
// not fit are counted.
func Markdown(w io.Writer, r *checks.Report, o Options) error {
	v := newView(r, o)
	p := &page{limit: maxComment}
	p.add(CommentMarker + "\n## specgate: " + markdown(v.title(), maxTitle*4) + "\n\n")
	v.overview(p)
	v.reasons(p)
	local := v.local()
	v.functions(p, (p.limit-p.b.Len()-len(local))/2)
	v.findings(p, p.limit-p.b.Len()-len(local))
	p.add(local)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write comment: %w", err)
	}
	return nil
}

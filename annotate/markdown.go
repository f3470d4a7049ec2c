package annotate

import (
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
	return v.document(w, &page{limit: maxComment}, "comment", CommentMarker+"\n", func(*page) {})
}

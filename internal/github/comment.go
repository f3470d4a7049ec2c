package github

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/specgate/specgate/annotate"
)

// maxBody is the most characters of a comment. GitHub's answer to more is "body is too long (maximum is 65536 characters)".
const maxBody = 65536

// Sticky makes one comment of the pull request, the client's own, say body, whose first line is annotate.CommentMarker: it is written once and
// edited from then on. With onlyEdit there is no first one: for results that have nothing to say but what an older comment should say now.
// Nothing is written when the head is no longer sha.
func (c *Client) Sticky(ctx context.Context, r Repo, number int, sha, body string, onlyEdit bool) error {
	what := fmt.Sprintf("comment on pull request %d of %s", number, r)
	if err := valid(r, sha); err != nil {
		return &InputError{fmt.Errorf("%s: %w", what, err)}
	}
	if !hasMarker(body, annotate.CommentMarker) {
		return &InputError{fmt.Errorf("%s: the text does not begin with the marker by which it is found again", what)}
	}
	if len(body) > maxBody {
		return &InputError{fmt.Errorf("%s: the text has %d bytes; at most %d are taken", what, len(body), maxBody)}
	}
	login, err := c.Login(ctx)
	if err != nil {
		return err
	}
	return c.converge(ctx, func(ctx context.Context) error {
		all, err := list(func(page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
			return c.api.Issues.ListComments(ctx, r.owner, r.name, number, &github.IssueListCommentsOptions{ListOptions: page})
		})
		if err != nil {
			return failure(what, err)
		}
		var own *github.IssueComment
		for _, comment := range all {
			// Anyone can write the marker; only the client's own comments count.
			if comment.GetUser().GetLogin() == login && hasMarker(comment.GetBody(), annotate.CommentMarker) {
				own = comment
				break
			}
		}
		switch {
		case own == nil && onlyEdit, own != nil && sameBody(own.GetBody(), body):
			return nil
		}
		if err := c.fresh(ctx, r, number, sha); err != nil {
			return err
		}
		if own == nil {
			_, _, err = c.api.Issues.CreateComment(ctx, r.owner, r.name, number, &github.IssueComment{Body: github.String(body)})
		} else {
			_, _, err = c.api.Issues.EditComment(ctx, r.owner, r.name, own.GetID(), &github.IssueComment{Body: github.String(body)})
		}
		return failure(what, err)
	})
}

// hasMarker tells whether the first line of a comment is the marker.
func hasMarker(body, marker string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	return strings.TrimSpace(first) == marker
}

// sameBody compares comments as they are shown: line ends of one kind, no white space at the end.
func sameBody(a, b string) bool {
	clean := func(s string) string { return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n") }
	return clean(a) == clean(b)
}

// Reviewed tells what became of review comments.
type Reviewed struct {
	// Posted, Edited and Same are those that were new, that said something else, and that stood as they are.
	Posted, Edited, Same int
	// Mended are older ones that no longer apply, and that say so now.
	Mended int
	// Outside are at lines that the diff does not show, where GitHub takes no comment, or beyond MaxNewComments.
	Outside []annotate.ReviewComment
}

// MaxNewComments is how many review comments one call writes at most. docs.github.com, "Rate limits for the REST API": not more than 80
// requests a minute may create content, and each comment notifies people.
const MaxNewComments = 30

var (
	fingerprintPattern = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)
	reviewMarker       = regexp.MustCompile(`^<!-- specgate:review ([0-9A-Za-z]{1,64}) -->$`)
)

func markReview(fingerprint string) string { return "<!-- specgate:review " + fingerprint + " -->" }

// Review makes the client's own review comments of a pull request be these: each is written once and edited from then on, and one that no
// longer applies is edited to say so. The head is compared with sha before each of them, and nothing more is written when it is another.
func (c *Client) Review(ctx context.Context, r Repo, number int, sha string, review annotate.Review) (Reviewed, error) {
	comments := review.Comments
	what := fmt.Sprintf("review pull request %d of %s", number, r)
	if err := valid(r, sha); err != nil {
		return Reviewed{}, &InputError{fmt.Errorf("%s: %w", what, err)}
	}
	wanted := map[string]bool{}
	for _, k := range comments {
		switch {
		case !fingerprintPattern.MatchString(k.Fingerprint) || wanted[k.Fingerprint]:
			return Reviewed{}, &InputError{fmt.Errorf("%s: fingerprint %q is none, or there twice", what, k.Fingerprint)}
		case k.Path == "" || k.Line < 1:
			return Reviewed{}, &InputError{fmt.Errorf("%s: %q, line %d is not a place", what, k.Path, k.Line)}
		case k.Body == "" || len(markReview(k.Fingerprint))+1+len(k.Body) > maxBody:
			return Reviewed{}, &InputError{fmt.Errorf("%s: a comment needs 1 to %d bytes", what, maxBody)}
		}
		wanted[k.Fingerprint] = true
	}
	login, err := c.Login(ctx)
	if err != nil {
		return Reviewed{}, err
	}
	var total Reviewed
	err = c.converge(ctx, func(ctx context.Context) error {
		total.Same, total.Outside = 0, nil
		own, err := c.ownReview(ctx, r, number, login)
		if err != nil {
			return failure(what, err)
		}
		var lines map[string]map[int]bool
		write := func(send func() error) error {
			if err := c.fresh(ctx, r, number, sha); err != nil {
				return err
			}
			return failure(what, send())
		}
		edit := func(old *github.PullRequestComment, body string) error {
			return write(func() error {
				_, _, err := c.api.PullRequests.EditComment(ctx, r.owner, r.name, old.GetID(), &github.PullRequestComment{Body: github.String(body)})
				return err
			})
		}
		for _, k := range comments {
			body := markReview(k.Fingerprint) + "\n" + k.Body
			if old := own[k.Fingerprint]; old != nil {
				if sameBody(old.GetBody(), body) {
					total.Same++
					continue
				}
				if err := edit(old, body); err != nil {
					return err
				}
				total.Edited++
				continue
			}
			if lines == nil {
				if lines, err = c.diffLines(ctx, r, number); err != nil {
					return failure(what, err)
				}
			}
			if !lines[k.Path][k.Line] || total.Posted >= MaxNewComments {
				total.Outside = append(total.Outside, k)
				continue
			}
			if err := write(func() error {
				_, _, err := c.api.PullRequests.CreateComment(ctx, r.owner, r.name, number, &github.PullRequestComment{
					Body: github.String(body), Path: github.String(k.Path), Line: github.Int(k.Line), Side: github.String("RIGHT"), CommitID: github.String(sha)})
				return err
			}); err != nil {
				return err
			}
			total.Posted++
		}
		for _, fingerprint := range slices.Sorted(maps.Keys(own)) {
			old, text := own[fingerprint], review.Settled[fingerprint]
			if !review.Known[fingerprint] {
				text = review.Absent
			}
			body := markReview(fingerprint) + "\n" + text
			// Of a function that is settled already the comment stays as it is, whatever revision it names.
			if wanted[fingerprint] || text == "" || settled(old.GetBody(), text) {
				continue
			}
			if err := edit(old, body); err != nil {
				return err
			}
			total.Mended++
		}
		return nil
	})
	return total, err
}

// settled tells whether a comment says already, of another revision perhaps, what the text says.
func settled(old, text string) bool {
	_, old, _ = strings.Cut(strings.ReplaceAll(old, "\r\n", "\n"), "\n")
	word, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(old, word+" ") || sameBody(old, text)
}

// ownReview are the client's own review comments by fingerprint; of several the oldest.
func (c *Client) ownReview(ctx context.Context, r Repo, number int, login string) (map[string]*github.PullRequestComment, error) {
	all, err := list(func(page github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
		return c.api.PullRequests.ListComments(ctx, r.owner, r.name, number, &github.PullRequestListCommentsOptions{ListOptions: page})
	})
	if err != nil {
		return nil, err
	}
	own := map[string]*github.PullRequestComment{}
	for _, comment := range all {
		first, _, _ := strings.Cut(strings.ReplaceAll(comment.GetBody(), "\r\n", "\n"), "\n")
		m := reviewMarker.FindStringSubmatch(first)
		if m == nil || comment.GetUser().GetLogin() != login {
			continue
		}
		if old := own[m[1]]; old == nil || comment.GetID() < old.GetID() {
			own[m[1]] = comment
		}
	}
	return own, nil
}

// diffLines are the lines of the head that the diff of a pull request shows. docs.github.com, "REST API endpoints for pull requests": it lists
// 3,000 files at most, and large ones without a patch; a line that is not known to be shown gets no comment.
func (c *Client) diffLines(ctx context.Context, r Repo, number int) (map[string]map[int]bool, error) {
	files, err := list(func(page github.ListOptions) ([]*github.CommitFile, *github.Response, error) {
		return c.api.PullRequests.ListFiles(ctx, r.owner, r.name, number, &page)
	})
	if err != nil {
		return nil, err
	}
	out := map[string]map[int]bool{}
	for _, f := range files {
		out[f.GetFilename()] = patchLines(f.GetPatch())
	}
	return out, nil
}

var hunk = regexp.MustCompile(`^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@`)

// patchLines are the lines of the new side of a unified diff: added ones and those around them.
func patchLines(patch string) map[int]bool {
	lines := map[int]bool{}
	at := 0
	for line := range strings.SplitSeq(patch, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			m := hunk.FindStringSubmatch(line)
			if m == nil {
				return lines
			}
			at, _ = strconv.Atoi(m[1]) // at most nine digits
		case at > 0 && (strings.HasPrefix(line, "+") || strings.HasPrefix(line, " ")):
			lines[at] = true
			at++
		}
	}
	return lines
}

package githubtest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// inRepo answers what is asked of a repository: the method with the first word behind its name, and what follows.
func (c *call) inRepo(what string, rest []string) (any, *refusal) {
	number := 0
	if len(rest) > 0 {
		number, _ = strconv.Atoi(rest[0]) // 0 when it is no number
	}
	last := strings.Join(rest[min(1, len(rest)):], "/")
	switch {
	case what == "POST check-runs" && len(rest) == 0:
		return c.createRun()
	case what == "PATCH check-runs" && len(rest) == 1:
		return c.updateRun(int64(number))
	case what == "GET check-runs" && len(rest) == 1:
		if no := c.may("checks", "read"); no != nil {
			return nil, no
		}
		run := c.run(int64(number))
		if run == nil {
			return nil, notFound
		}
		return c.wireRun(run), nil
	case what == "GET collaborators" && len(rest) == 2 && last == "permission":
		return c.permission(rest[0])
	case what == "GET check-runs" && last == "annotations":
		if no := c.may("checks", "read"); no != nil {
			return nil, no
		}
		run := c.run(int64(number))
		if run == nil {
			return nil, notFound
		}
		return page(c, run.Annotations), nil
	case what == "GET commits" && last == "check-runs":
		return c.listRuns(rest[0])
	case what == "GET commits" && last == "pulls":
		return c.pullsOf(rest[0])
	case what == "GET commits" && last == "" && len(rest) == 1:
		if no := c.may("contents", "read"); no != nil {
			return nil, no
		}
		if !strings.Contains(c.r.Header.Get("Accept"), "sha") || rest[0] != "HEAD" {
			return c.unknown()
		}
		return c.repo.Default, nil
	case what == "GET compare" && len(rest) == 1:
		return c.compare(rest[0])
	case what == "GET contents" && len(rest) > 0:
		return c.contents(strings.Join(rest, "/"))
	case what == "GET pulls" && len(rest) == 1:
		pull, no := c.pull(number, "read")
		if no != nil {
			return nil, no
		}
		return c.wirePull(number, pull), nil
	case what == "GET pulls" && last == "files":
		return c.files(number)
	case what == "GET issues" && last == "comments":
		pull, no := c.pull(number, "read")
		if no != nil {
			return nil, no
		}
		var all []any
		for _, k := range pull.Comments {
			all = append(all, c.wireComment(k))
		}
		return page(c, all), nil
	case what == "POST issues" && last == "comments":
		return c.createComment(number)
	case what == "PATCH issues" && len(rest) == 2 && rest[0] == "comments":
		return c.editComment(rest[1])
	case what == "GET pulls" && last == "comments":
		pull, no := c.pull(number, "read")
		if no != nil {
			return nil, no
		}
		var all []any
		for _, k := range pull.Review {
			all = append(all, k.wire())
		}
		return page(c, all), nil
	case what == "POST pulls" && last == "comments":
		return c.createReview(number)
	case what == "PATCH pulls" && len(rest) == 2 && rest[0] == "comments":
		return c.editReview(rest[1])
	}
	return c.unknown()
}

// runInput is the body of a request about a check run; what was not sent is nil.
type runInput struct {
	Name        *string  `json:"name"`
	HeadSHA     *string  `json:"head_sha"`
	DetailsURL  *string  `json:"details_url"`
	ExternalID  *string  `json:"external_id"`
	Status      *string  `json:"status"`
	Conclusion  *string  `json:"conclusion"`
	StartedAt   *string  `json:"started_at"`
	CompletedAt *string  `json:"completed_at"`
	Actions     []Action `json:"actions"`
	Output      *struct {
		Title       *string           `json:"title"`
		Summary     *string           `json:"summary"`
		Text        *string           `json:"text"`
		Annotations []annotationInput `json:"annotations"`
	} `json:"output"`
}

type annotationInput struct {
	Path            *string `json:"path"`
	StartLine       *int    `json:"start_line"`
	EndLine         *int    `json:"end_line"`
	StartColumn     *int    `json:"start_column"`
	EndColumn       *int    `json:"end_column"`
	AnnotationLevel *string `json:"annotation_level"`
	Message         *string `json:"message"`
	Title           *string `json:"title"`
	RawDetails      *string `json:"raw_details"`
}

// check refuses what GitHub refuses.
func (in *runInput) check() *refusal {
	if in.Status != nil && !slices.Contains([]string{"queued", "in_progress", "completed"}, *in.Status) {
		return invalid("%q is not a status", *in.Status)
	}
	if in.Conclusion != nil && !slices.Contains([]string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}, *in.Conclusion) {
		return invalid("%q is not a conclusion", *in.Conclusion)
	}
	if in.Status != nil && *in.Status == "completed" && in.Conclusion == nil {
		return invalid("a completed check run needs a conclusion")
	}
	if len(in.Actions) > 3 {
		return invalid("No more than 3 items are allowed; %d were supplied.", len(in.Actions))
	}
	for _, a := range in.Actions {
		if runes(a.Label) > 20 || runes(a.Description) > 40 || runes(a.Identifier) > 20 || a.Label == "" || a.Identifier == "" {
			return invalid("action %q is missing a field or too long", a.Label)
		}
	}
	o := in.Output
	if o == nil {
		return nil
	}
	if o.Title == nil || o.Summary == nil {
		return invalid("\"title\", \"summary\" weren't supplied.")
	}
	if *o.Title == "" || runes(*o.Title) > 255 || runes(*o.Summary) > 65535 || o.Text != nil && runes(*o.Text) > 65535 {
		return invalid("a field of the output is empty or too long")
	}
	if len(o.Annotations) > 50 {
		return invalid("No more than 50 items are allowed; %d were supplied.", len(o.Annotations))
	}
	for i, a := range o.Annotations {
		switch {
		case a.Path == nil || a.StartLine == nil || a.EndLine == nil || a.AnnotationLevel == nil || a.Message == nil:
			return invalid("annotation %d is missing a field", i)
		case *a.Path == "" || strings.HasPrefix(*a.Path, "/") || *a.Message == "":
			return invalid("annotation %d has a bad path or no message", i)
		case *a.StartLine < 1 || *a.EndLine < *a.StartLine:
			return invalid("annotation %d has bad lines", i)
		case (a.StartColumn != nil || a.EndColumn != nil) && *a.StartLine != *a.EndLine:
			return invalid("annotation %d has columns on several lines", i)
		case a.StartColumn != nil && *a.StartColumn < 1 || a.EndColumn != nil && *a.EndColumn < 1:
			return invalid("annotation %d has bad columns", i)
		case !slices.Contains([]string{"notice", "warning", "failure"}, *a.AnnotationLevel):
			return invalid("%q is not an annotation level", *a.AnnotationLevel)
		case len(*a.Message) > 64<<10 || len(value(a.RawDetails)) > 64<<10 || runes(value(a.Title)) > 255:
			return invalid("annotation %d has a field that is too long", i)
		}
	}
	return nil
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func (c *call) mayWriteChecks() *refusal {
	// Write permission for checks is only available to Apps.
	if c.token.AppID == 0 {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	return c.may("checks", "write")
}

func (c *call) createRun() (any, *refusal) {
	if no := c.mayWriteChecks(); no != nil {
		return nil, no
	}
	var in runInput
	if no := c.decode(&in); no != nil {
		return nil, no
	}
	if in.Name == nil || *in.Name == "" || in.HeadSHA == nil {
		return nil, invalid("\"name\", \"head_sha\" weren't supplied.")
	}
	if no := in.check(); no != nil {
		return nil, no
	}
	if _, ok := c.repo.Commits[*in.HeadSHA]; !ok {
		return nil, invalid("No commit found for SHA: %s", *in.HeadSHA)
	}
	c.ids++
	run := &CheckRun{ID: c.ids, AppID: c.token.AppID, Name: *in.Name, SHA: *in.HeadSHA, Status: "queued"}
	run.take(&in)
	c.started[run.ID] = time.Now().UTC().Format(time.RFC3339)
	if in.StartedAt != nil {
		c.started[run.ID] = *in.StartedAt
	}
	c.repo.CheckRuns = append(c.repo.CheckRuns, run)
	c.status = http.StatusCreated
	return c.wireRun(run), nil
}

func (c *call) updateRun(id int64) (any, *refusal) {
	if no := c.mayWriteChecks(); no != nil {
		return nil, no
	}
	run := c.run(id)
	if run == nil {
		return nil, notFound
	}
	if run.AppID != c.token.AppID {
		return nil, refuse(http.StatusForbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", c.token.AppID)
	}
	var in runInput
	if no := c.decode(&in); no != nil {
		return nil, no
	}
	if in.HeadSHA != nil {
		return nil, invalid("head_sha cannot be changed")
	}
	if no := in.check(); no != nil {
		return nil, no
	}
	run.take(&in)
	return c.wireRun(run), nil
}

// take changes what was sent. Annotations are added to those that are there.
func (r *CheckRun) take(in *runInput) {
	for _, f := range []struct {
		to   *string
		from *string
	}{{&r.Name, in.Name}, {&r.ExternalID, in.ExternalID}, {&r.DetailsURL, in.DetailsURL}, {&r.Status, in.Status}, {&r.Conclusion, in.Conclusion}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if r.Conclusion != "" && in.Conclusion != nil {
		r.Status = "completed"
	}
	if r.Status != "completed" {
		r.Conclusion = ""
	}
	if in.Actions != nil {
		r.Actions = in.Actions
	}
	if o := in.Output; o != nil {
		r.Title, r.Summary, r.Text = *o.Title, *o.Summary, value(o.Text)
		for _, a := range o.Annotations {
			r.Annotations = append(r.Annotations, Annotation{Path: *a.Path, StartLine: *a.StartLine, EndLine: *a.EndLine, StartColumn: value(a.StartColumn),
				EndColumn: value(a.EndColumn), AnnotationLevel: *a.AnnotationLevel, Message: *a.Message, Title: value(a.Title), RawDetails: value(a.RawDetails)})
		}
		if len(o.Annotations) > 0 {
			r.Batches = append(r.Batches, len(o.Annotations))
		}
	}
}

func (c *call) run(id int64) *CheckRun {
	for _, r := range c.repo.CheckRuns {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (c *call) listRuns(sha string) (any, *refusal) {
	if no := c.may("checks", "read"); no != nil {
		return nil, no
	}
	if _, ok := c.repo.Commits[sha]; !ok {
		return nil, invalid("No commit found for SHA: %s", sha)
	}
	q := c.r.URL.Query()
	var all []*CheckRun
	for _, r := range slices.Backward(c.repo.CheckRuns) {
		if r.SHA != sha || q.Has("check_name") && q.Get("check_name") != r.Name || q.Has("app_id") && q.Get("app_id") != fmt.Sprint(r.AppID) {
			continue
		}
		// Without filter=all only the latest of a name is listed.
		if q.Get("filter") != "all" && slices.ContainsFunc(all, func(o *CheckRun) bool { return o.Name == r.Name }) {
			continue
		}
		all = append(all, r)
	}
	runs := []any{}
	for _, r := range page(c, all) {
		runs = append(runs, c.wireRun(r))
	}
	return map[string]any{"total_count": len(all), "check_runs": runs}, nil
}

func (c *call) wireRun(r *CheckRun) any {
	var conclusion any
	if r.Conclusion != "" {
		conclusion = r.Conclusion
	}
	return map[string]any{"id": r.ID, "name": r.Name, "head_sha": r.SHA, "external_id": r.ExternalID, "status": r.Status, "conclusion": conclusion, "started_at": c.startedAt(r.ID),
		"html_url": fmt.Sprintf("https://github.example/%s/runs/%d", c.name, r.ID),
		"output":   map[string]any{"title": r.Title, "summary": r.Summary, "text": r.Text, "annotations_count": len(r.Annotations)},
		"app":      map[string]any{"id": r.AppID}}
}

// startedAt is when a check run was begun; one that was there from the beginning, an hour before this server.
func (c *call) startedAt(id int64) string {
	if at, ok := c.started[id]; ok {
		return at
	}
	return c.born.Add(-time.Hour).UTC().Format(time.RFC3339)
}

func (c *call) pull(number int, level string) (*Pull, *refusal) {
	if no := c.may("pull_requests", level); no != nil {
		return nil, no
	}
	pull := c.repo.Pulls[number]
	if pull == nil {
		return nil, notFound
	}
	return pull, nil
}

func (c *call) wirePull(number int, p *Pull) any {
	state := "open"
	if p.Closed {
		state = "closed"
	}
	labels := []any{}
	for _, l := range p.Labels {
		labels = append(labels, map[string]any{"name": l})
	}
	return map[string]any{"number": number, "state": state, "labels": labels, "head": map[string]any{"sha": p.Head},
		"base": map[string]any{"sha": p.Base, "ref": cmp.Or(p.Into, "main"), "repo": map[string]any{"default_branch": "main"}}}
}

func (c *call) pullsOf(sha string) (any, *refusal) {
	if no := c.may("pull_requests", "read"); no != nil {
		return nil, no
	}
	if _, ok := c.repo.Commits[sha]; !ok {
		return nil, invalid("No commit found for SHA: %s", sha)
	}
	var all []any
	for _, number := range slices.Sorted(maps.Keys(c.repo.Pulls)) {
		if p := c.repo.Pulls[number]; slices.Contains(c.ancestors(p.Head), sha) {
			all = append(all, c.wirePull(number, p))
		}
	}
	return page(c, all), nil
}

// ancestors of a commit, itself included, nearest first.
func (c *call) ancestors(sha string) []string {
	out := []string{sha}
	for i := 0; i < len(out); i++ {
		for _, p := range c.repo.Commits[out[i]].Parents {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func (c *call) compare(text string) (any, *refusal) {
	if no := c.may("contents", "read"); no != nil {
		return nil, no
	}
	base, head, ok := strings.Cut(text, "...")
	if _, known := c.repo.Commits[base]; !ok || !known {
		return nil, notFound
	}
	if _, known := c.repo.Commits[head]; !known {
		return nil, notFound
	}
	behind := c.ancestors(head)
	for _, sha := range c.ancestors(base) {
		if slices.Contains(behind, sha) {
			return map[string]any{"merge_base_commit": map[string]any{"sha": sha}}, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "No common ancestor between %s and %s.", base, head)
}

func (c *call) contents(name string) (any, *refusal) {
	if no := c.may("contents", "read"); no != nil {
		return nil, no
	}
	commit, ok := c.repo.Commits[c.r.URL.Query().Get("ref")]
	if !ok {
		return nil, refuse(http.StatusNotFound, "No commit found for the ref %s", c.r.URL.Query().Get("ref"))
	}
	text, ok := commit.Files[name]
	if !ok {
		return nil, notFound
	}
	return map[string]any{"type": "file", "encoding": "base64", "size": len(text), "path": name, "content": base64.StdEncoding.EncodeToString([]byte(text))}, nil
}

func (c *call) files(number int) (any, *refusal) {
	pull, no := c.pull(number, "read")
	if no != nil {
		return nil, no
	}
	var all []any
	for _, name := range slices.Sorted(maps.Keys(pull.Patches)) {
		file := map[string]any{"filename": name, "status": "modified"}
		if patch := pull.Patches[name]; patch != "" { // a large file has none
			file["patch"] = patch
		}
		all = append(all, file)
	}
	return page(c, all[:min(len(all), 3000)]), nil
}

func (c *call) commentBody() (string, *refusal) {
	var in struct {
		Body *string `json:"body"`
	}
	if no := c.decode(&in); no != nil {
		return "", no
	}
	return checkBody(in.Body)
}

func checkBody(body *string) (string, *refusal) {
	if body == nil || strings.TrimSpace(*body) == "" {
		return "", invalid("body can't be blank")
	}
	if runes(*body) > 65536 {
		return "", invalid("body is too long (maximum is 65536 characters)")
	}
	return *body, nil
}

func (c *call) createComment(number int) (any, *refusal) {
	pull, no := c.pull(number, "write")
	if no != nil {
		return nil, no
	}
	body, no := c.commentBody()
	if no != nil {
		return nil, no
	}
	c.ids++
	k := &Comment{ID: c.ids, Login: c.token.Login, Body: body}
	pull.Comments = append(pull.Comments, k)
	c.status = http.StatusCreated
	return c.wireComment(k), nil
}

func (c *call) editComment(id string) (any, *refusal) {
	if no := c.may("pull_requests", "write"); no != nil {
		return nil, no
	}
	for _, pull := range c.repo.Pulls {
		for _, k := range pull.Comments {
			if fmt.Sprint(k.ID) != id {
				continue
			}
			if no := c.edit(k.Login, &k.Body, &k.Edits); no != nil {
				return nil, no
			}
			return c.wireComment(k), nil
		}
	}
	return nil, notFound
}

// edit gives what was written by this token's own login another text.
func (c *call) edit(login string, text *string, edits *int) *refusal {
	if login != c.token.Login {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	body, no := c.commentBody()
	if no != nil {
		return no
	}
	*text = body
	*edits++
	return nil
}

func (c *call) wireComment(k *Comment) any {
	var app any
	if k.App != 0 {
		app = map[string]any{"id": k.App}
	}
	created := k.Created.UTC().Format(time.RFC3339)
	return map[string]any{"id": k.ID, "body": k.Body, "user": c.wireUser(k.Login), "created_at": created, "updated_at": created, "performed_via_github_app": app}
}

func (c *call) wireUser(login string) any {
	user, kind := c.repo.Users[login], "User"
	if user.Bot || strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return map[string]any{"login": login, "id": user.ID, "type": kind}
}

// permission is that of a user; who is not known has the one that everybody has.
func (c *call) permission(login string) (any, *refusal) {
	if no := c.may("metadata", "read"); no != nil {
		return nil, no
	}
	user, ok := c.repo.Users[login]
	if !ok {
		return nil, notFound
	}
	return map[string]any{"permission": user.Permission, "user": c.wireUser(login)}, nil
}

func (c *call) createReview(number int) (any, *refusal) {
	pull, no := c.pull(number, "write")
	if no != nil {
		return nil, no
	}
	var in struct {
		Body     *string `json:"body"`
		CommitID *string `json:"commit_id"`
		Path     *string `json:"path"`
		Line     *int    `json:"line"`
		Side     *string `json:"side"`
	}
	if no := c.decode(&in); no != nil {
		return nil, no
	}
	body, no := checkBody(in.Body)
	if no != nil {
		return nil, no
	}
	if in.CommitID == nil || in.Path == nil || in.Line == nil || value(in.Side) != "RIGHT" {
		return nil, invalid("\"commit_id\", \"path\", \"line\", \"side\" weren't supplied.")
	}
	if *in.CommitID != pull.Head {
		return nil, invalid("commit_id is not the head of the pull request")
	}
	if !shown(pull.Patches[*in.Path], *in.Line) {
		return nil, invalid("pull_request_review_thread.line must be part of the diff")
	}
	c.ids++
	k := &ReviewComment{ID: c.ids, Login: c.token.Login, Path: *in.Path, Line: *in.Line, Commit: *in.CommitID, Body: body}
	pull.Review = append(pull.Review, k)
	c.status = http.StatusCreated
	return k.wire(), nil
}

var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// shown tells whether a patch shows a line of the new side.
func shown(patch string, line int) bool {
	for text := range strings.SplitSeq(patch, "\n") {
		m := hunkHead.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		if line >= first && line < first+count {
			return true
		}
	}
	return false
}

func (c *call) editReview(id string) (any, *refusal) {
	if no := c.may("pull_requests", "write"); no != nil {
		return nil, no
	}
	for _, pull := range c.repo.Pulls {
		for _, k := range pull.Review {
			if fmt.Sprint(k.ID) != id {
				continue
			}
			if no := c.edit(k.Login, &k.Body, &k.Edits); no != nil {
				return nil, no
			}
			return k.wire(), nil
		}
	}
	return nil, notFound
}

func (k *ReviewComment) wire() any {
	return map[string]any{"id": k.ID, "body": k.Body, "user": map[string]any{"login": k.Login}, "path": k.Path, "line": k.Line, "commit_id": k.Commit}
}

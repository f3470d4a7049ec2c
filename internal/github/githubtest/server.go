// Package githubtest is a GitHub for tests: an HTTP server that keeps repositories in memory and refuses what GitHub refuses. It knows the
// requests that specgate makes and no others; what it is asked beyond that is a problem that the test sees. The commits of a repository can be
// those of a real one, which git can then fetch from the same server.
//
// Limits and answers are those of docs.github.com, "REST API endpoints for" check runs, issue comments, pull request review comments, pull
// requests, commits and repository contents, "Authenticating to the REST API" and "Generating a JSON Web Token (JWT) for a GitHub App".
package githubtest

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// State is all that the server knows, by the repository's OWNER/NAME.
type State map[string]*Repo

// Repo is a repository.
type Repo struct {
	// Commits by hash.
	Commits map[string]Commit
	// Default is the hash at the tip of the default branch.
	Default string
	// Git is the git directory of the real repository whose commits these are (ReadGit); empty: it cannot be cloned.
	Git   string
	Pulls map[int]*Pull
	// CheckRuns in the order in which they were made.
	CheckRuns []*CheckRun
	// Users that have something to do with the repository, by login.
	Users map[string]User
}

// User is a person or an App.
type User struct {
	ID int64
	// Permission is admin, write, read or none.
	Permission string
	// Bot: it is an App's.
	Bot bool
}

// Commit is a commit with the files that can be asked for.
type Commit struct {
	Parents []string
	Files   map[string]string
}

// Pull is a pull request.
type Pull struct {
	Head, Base string
	// Into is the branch that it is to be merged into; empty: the default branch, main.
	Into   string
	Closed bool
	Labels []string
	// Patches are the changed files with their unified diffs.
	Patches  map[string]string
	Comments []*Comment
	Review   []*ReviewComment
}

// Comment is one below a pull request.
type Comment struct {
	ID    int64
	Login string
	Body  string
	Edits int
	// Created is when it was written, and App the one that wrote it in the name of the person; 0: none did.
	Created time.Time
	App     int64
}

// ReviewComment is one at a line of the diff.
type ReviewComment struct {
	ID     int64
	Login  string
	Path   string
	Line   int
	Commit string
	Body   string
	Edits  int
}

// CheckRun is a check run. It is in the form in which GitHub answers.
type CheckRun struct {
	ID         int64
	AppID      int64
	Name       string
	SHA        string
	ExternalID string
	DetailsURL string
	Status     string
	Conclusion string
	Title      string
	Summary    string
	Text       string
	// Annotations, the batches that they came in, and the buttons.
	Annotations []Annotation
	Batches     []int
	Actions     []Action
}

// Annotation is one of a check run, as in JSON.
type Annotation struct {
	Path            string `json:"path"`
	StartLine       int    `json:"start_line"`
	EndLine         int    `json:"end_line"`
	StartColumn     int    `json:"start_column,omitempty"`
	EndColumn       int    `json:"end_column,omitempty"`
	AnnotationLevel string `json:"annotation_level"`
	Message         string `json:"message"`
	Title           string `json:"title,omitempty"`
	RawDetails      string `json:"raw_details,omitempty"`
}

// Action is a button of a check run, as in JSON.
type Action struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

// Token says who a token is and what it may do.
type Token struct {
	Login string
	// AppID of the App behind it; 0 for a person, who can write no check runs.
	AppID int64
	// Permissions are "read" or "write", by name: checks, contents, pull_requests.
	Permissions map[string]string
	// Repos that it is good for; nil: all.
	Repos []string
	// Expires is when it ends to be good; zero: never.
	Expires time.Time
}

func (t Token) expired(now time.Time) bool { return !t.Expires.IsZero() && now.After(t.Expires) }

// good tells whether the token may know of a repository.
func (t Token) good(name string) bool { return t.Repos == nil || slices.Contains(t.Repos, name) }

// App is a GitHub App that is installed.
type App struct {
	ID           int64
	Slug         string
	Key          *rsa.PublicKey
	Installation int64
	Permissions  map[string]string
}

// Delivery is an attempt to deliver an event to the webhook of the App. What the server is asked to send again it only notes: the test sends it.
type Delivery struct {
	ID            int64
	GUID          string
	Event, Action string
	At            time.Time
	// Status is that of the answer; 0: there was none.
	Status     int
	Redelivery bool
}

// Fault makes the server fail.
type Fault struct {
	// Method and Path choose the requests: an empty method is any, Path is a part of the path.
	Method, Path string
	// Skip so many requests that match, then fail the next Times; 0 means once.
	Skip, Times int
	Kind        Kind
	// Status, Header and Body are of an Answer; with Kind Pass, Header is added to the real one.
	Status int
	Header map[string]string
	Body   string
	// Acted: what was asked for is done before the failure.
	Acted bool
	// Delay of a Slow answer.
	Delay time.Duration
	// Do is called before the failure or, with Kind Pass, before the request is served: something else happens on GitHub.
	Do func(State)
}

// Kind of a fault. The zero value is invalid.
type Kind uint8

const (
	Answer  Kind = iota + 1 // with Status, Header and Body
	Cut                     // the connection, without an answer
	CutBody                 // the connection, in the middle of the answer
	Slow                    // the answer comes after Delay, its head at once
	Pass                    // nothing fails
)

// Request is one that was made, and the status of its answer; 0 if there was none.
type Request struct {
	Method, Path string
	Status       int
}

// Server is the GitHub. Close it in the end.
type Server struct {
	// URL of the API.
	URL string

	http     *httptest.Server
	prefix   string
	mu       sync.Mutex
	state    State
	tokens   map[string]Token
	issued   []Token
	apps     []App
	faults   []*Fault
	requests []Request
	problems []string
	ids      int64
	// deliveries of webhooks, in the order of time, and those that were asked for again.
	deliveries  []Delivery
	redelivered []int64
	// ahead is how far the clock is ahead of this machine's.
	ahead time.Duration
	// started has the times of check runs; born is when this server was started.
	started map[int64]string
	born    time.Time
}

// New starts a server with a state, which it changes. prefix is the path of the API, such as /api/v3 on an Enterprise Server, or empty.
func New(state State, prefix string) *Server {
	s := &Server{state: state, tokens: map[string]Token{}, prefix: prefix, ids: 100, started: map[int64]string{}, born: time.Now()}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + prefix
	return s
}

// Close ends the server.
func (s *Server) Close() { s.http.Close() }

// AddToken makes a token known.
func (s *Server) AddToken(text string, t Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[text] = t
}

// AddApp makes an App known.
func (s *Server) AddApp(a App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apps = append(s.apps, a)
}

// AddDelivery adds the newest delivery.
func (s *Server) AddDelivery(d Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliveries = append(s.deliveries, d)
}

// Redelivered are the numbers of the deliveries that were asked for again, in this order.
func (s *Server) Redelivered() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.redelivered)
}

// Fail adds a fault. Of several that match the first one counts.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Times = max(f.Times, 1)
	s.faults = append(s.faults, &f)
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// State is a copy of all that there is.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.Marshal(s.state)
	if err != nil {
		panic(err) // plain data
	}
	var out State
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// Change changes the state, as other people do.
func (s *Server) Change(do func(State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.state)
}

// SetClock sets the clock by which tokens end: so far ahead of that of this machine.
func (s *Server) SetClock(ahead time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead = ahead
}

// Clock is what SetClock set.
func (s *Server) Clock() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ahead
}

func (s *Server) now() time.Time { return time.Now().Add(s.ahead) }

// Issued are the tokens that Apps were given, in this order.
func (s *Server) Issued() []Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.issued)
}

// Requests that were made so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Writes are the requests that were made so far to change something.
func (s *Server) Writes() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool {
		return r.Method == http.MethodGet || strings.HasSuffix(r.Path, "/access_tokens") || strings.HasSuffix(r.Path, "/git-upload-pack")
	})
}

// Problems are requests that GitHub does not take from anyone: malformed ones, and those that this server does not know.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// refusal is an answer that says no.
type refusal struct {
	status  int
	message string
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// invalid is a refusal of what was sent.
func invalid(format string, args ...any) *refusal {
	return refuse(http.StatusUnprocessableEntity, "Invalid request. "+format, args...)
}

var notFound = &refusal{http.StatusNotFound, "Not Found"}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	fault := s.fault(r)
	if fault != nil && fault.Do != nil {
		fault.Do(s.state)
	}
	answer := reply{status: http.StatusOK, header: http.Header{}}
	if fault == nil || fault.Acted || fault.Kind == Slow || fault.Kind == CutBody || fault.Kind == Pass {
		if gitPath.MatchString(r.URL.Path) {
			repo, no := s.gitRepo(r)
			if no != nil {
				answer = *no
			} else {
				dir := repo.Git
				s.mu.Unlock()
				answer, err = serveGit(r, dir, body)
				s.mu.Lock()
				if err != nil {
					s.problems = append(s.problems, fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
					answer = reply{status: http.StatusInternalServerError, header: http.Header{}}
				}
			}
		} else {
			answer = s.answer(r, body)
		}
	}
	logged := Request{Method: r.Method, Path: strings.TrimPrefix(r.URL.Path, s.prefix), Status: answer.status}
	if fault != nil {
		switch fault.Kind {
		case Answer:
			answer = reply{status: fault.Status, header: http.Header{}, body: []byte(fault.Body)}
			for k, v := range fault.Header {
				answer.header.Set(k, v)
			}
			logged.Status = fault.Status
		case Pass:
			for k, v := range fault.Header {
				answer.header.Set(k, v)
			}
		case Cut, CutBody:
			logged.Status = 0
		}
	}
	s.requests = append(s.requests, logged)
	s.mu.Unlock()

	kind := Pass
	if fault != nil {
		kind = fault.Kind
	}
	if kind == Cut {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.header)
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.body)))
	w.WriteHeader(answer.status)
	switch kind {
	case Slow:
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(fault.Delay):
		case <-r.Context().Done():
			return
		}
	case CutBody:
		_, _ = w.Write(answer.body[:len(answer.body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(answer.body)
}

// fault is the one that this request meets, if any.
func (s *Server) fault(r *http.Request) *Fault {
	for _, f := range s.faults {
		if f.Times == 0 || f.Method != "" && f.Method != r.Method || !strings.Contains(r.URL.Path, f.Path) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		f.Times--
		return f
	}
	return nil
}

type reply struct {
	status int
	header http.Header
	body   []byte
}

// call is one request that is being answered.
type call struct {
	*Server
	r      *http.Request
	body   []byte
	token  Token
	app    *App // signed in as the App itself
	repo   *Repo
	name   string
	status int
	header http.Header
}

func (s *Server) answer(r *http.Request, body []byte) reply {
	c := &call{Server: s, r: r, body: body, status: http.StatusOK, header: http.Header{}}
	value, no := c.route()
	if no != nil {
		text, _ := json.Marshal(map[string]any{"message": no.message, "documentation_url": "https://docs.github.com/rest"})
		if no.status == http.StatusUnprocessableEntity || no.status == http.StatusUnsupportedMediaType {
			s.problems = append(s.problems, fmt.Sprintf("%s %s: %s", r.Method, r.URL.Path, no.message))
		}
		return reply{no.status, http.Header{}, text}
	}
	if raw, ok := value.(string); ok {
		return reply{c.status, c.header, []byte(raw)}
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return reply{c.status, c.header, text}
}

// route finds who asks for what.
func (c *call) route() (any, *refusal) {
	if c.r.UserAgent() == "" {
		return nil, refuse(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
	}
	rest, ok := strings.CutPrefix(c.r.URL.Path, c.prefix)
	if !ok {
		return c.unknown()
	}
	if no := c.authenticate(); no != nil {
		return nil, no
	}
	if len(c.body) > 0 {
		if kind := c.r.Header.Get("Content-Type"); kind != "application/json" {
			return nil, refuse(http.StatusUnsupportedMediaType, "content type %q", kind)
		}
	}
	parts := strings.Split(strings.TrimPrefix(rest, "/"), "/")
	if c.app != nil {
		return c.asApp(parts)
	}
	if c.r.Method == http.MethodGet && rest == "/user" {
		if c.token.AppID != 0 {
			return nil, refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
		return map[string]any{"login": c.token.Login}, nil
	}
	if len(parts) < 4 || parts[0] != "repos" {
		return c.unknown()
	}
	c.name = parts[1] + "/" + parts[2]
	c.repo = c.state[c.name]
	if c.repo == nil || !c.token.good(c.name) {
		return nil, notFound
	}
	return c.inRepo(c.r.Method+" "+parts[3], parts[4:])
}

func (c *call) unknown() (any, *refusal) {
	c.problems = append(c.problems, fmt.Sprintf("%s %s: no such route", c.r.Method, c.r.URL.Path))
	return nil, notFound
}

func (c *call) authenticate() *refusal {
	scheme, text, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if scheme != "Bearer" && scheme != "token" {
		return refuse(http.StatusUnauthorized, "Requires authentication")
	}
	if token, ok := c.tokens[text]; ok && !token.expired(c.now()) {
		c.token = token
		return nil
	}
	for i := range c.apps {
		if c.apps[i].signed(text, c.now()) {
			c.app = &c.apps[i]
			return nil
		}
	}
	return refuse(http.StatusUnauthorized, "Bad credentials")
}

// signed checks a JSON Web Token: RS256, the App as issuer, at most ten minutes in the future.
func (a *App) signed(text string, at time.Time) bool {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || a.Key == nil {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(a.Key, crypto.SHA256, sum[:], signature) != nil {
		return false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return false
	}
	var claims struct {
		Issuer  string `json:"iss"`
		Issued  int64  `json:"iat"`
		Expires int64  `json:"exp"`
	}
	now := at.Unix()
	return json.Unmarshal(payload, &claims) == nil && claims.Issuer == strconv.FormatInt(a.ID, 10) && claims.Issued <= now && claims.Expires > now && claims.Expires <= now+600
}

func (c *call) asApp(parts []string) (any, *refusal) {
	switch {
	case c.r.Method == http.MethodGet && slices.Equal(parts, []string{"app"}):
		return map[string]any{"id": c.app.ID, "slug": c.app.Slug}, nil
	case c.r.Method == http.MethodGet && slices.Equal(parts, []string{"app", "hook", "deliveries"}):
		return c.listDeliveries()
	case c.r.Method == http.MethodPost && len(parts) == 5 && slices.Equal(parts[:3], []string{"app", "hook", "deliveries"}) && parts[4] == "attempts":
		return c.redeliver(parts[3])
	case c.r.Method == http.MethodPost && len(parts) == 4 && parts[0] == "app" && parts[1] == "installations" && parts[3] == "access_tokens":
		if parts[2] != strconv.FormatInt(c.app.Installation, 10) {
			return nil, notFound
		}
		var o struct {
			Repositories []string          `json:"repositories"`
			Permissions  map[string]string `json:"permissions"`
		}
		if no := c.decode(&o); no != nil {
			return nil, no
		}
		for name, level := range o.Permissions {
			if has := c.app.Permissions[name]; has != level && has != "write" {
				return nil, invalid("The permissions requested are not granted to this installation.")
			}
		}
		for _, short := range o.Repositories {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(c.state)), func(name string) bool { return strings.HasSuffix(name, "/"+short) }) {
				return nil, invalid("There is at least one repository that does not exist or is not accessible to the parent installation.")
			}
		}
		c.ids++
		text := fmt.Sprintf("installation-%d", c.ids)
		token := Token{Login: c.app.Slug + "[bot]", AppID: c.app.ID, Permissions: o.Permissions}
		for name := range c.state {
			if _, short, _ := strings.Cut(name, "/"); slices.Contains(o.Repositories, short) {
				token.Repos = append(token.Repos, name)
			}
		}
		c.issued = append(c.issued, token)
		token.Expires = c.now().Add(time.Hour)
		c.tokens[text] = token
		c.status = http.StatusCreated
		return map[string]any{"token": text, "expires_at": token.Expires.UTC().Format(time.RFC3339), "permissions": o.Permissions}, nil
	}
	return c.unknown()
}

// decode reads a body, and no key that is not known.
func (c *call) decode(into any) *refusal {
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return invalid("Problems parsing JSON: %v", err)
	}
	if d.More() {
		return invalid("Problems parsing JSON: more than one value")
	}
	return nil
}

// may refuses what the token has no permission for.
func (c *call) may(permission, level string) *refusal {
	// Whatever else a token may, it may read metadata.
	if has := c.token.Permissions[permission]; has == "write" || has == level || permission == "metadata" && level == "read" {
		return nil
	}
	return refuse(http.StatusForbidden, "Resource not accessible by integration")
}

// page is the part of a list that was asked for; it writes the links to the others.
func page[T any](c *call, all []T) []T {
	q := c.r.URL.Query()
	size, number := 30, 1
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil {
		size = min(max(n, 1), 100)
	}
	if n, err := strconv.Atoi(q.Get("page")); err == nil {
		number = max(n, 1)
	}
	start := min((number-1)*size, len(all))
	end := min(start+size, len(all))
	if end < len(all) {
		q.Set("page", strconv.Itoa(number+1))
		next := *c.r.URL
		next.RawQuery = q.Encode()
		c.header.Set("Link", fmt.Sprintf("<%s%s>; rel=\"next\"", c.http.URL, next.RequestURI()))
	}
	return append([]T{}, all[start:end]...)
}

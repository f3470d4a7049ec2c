package githubtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

// CloneURL is where git finds a repository, by its OWNER/NAME: on the same host as the API, as on an Enterprise Server.
func (s *Server) CloneURL(name string) string { return s.http.URL + "/" + name + ".git" }

var gitPath = regexp.MustCompile(`^/([^/]+/[^/]+)\.git(/info/refs|/git-upload-pack|/git-receive-pack)$`)

// gitRepo finds who asks git for what. The answer is made by git itself, which needs no lock of this server. docs.github.com, "Authenticating
// as a GitHub App installation": the token is the password of x-access-token.
func (s *Server) gitRepo(r *http.Request) (*Repo, *reply) {
	no := func(status int, text string) (*Repo, *reply) {
		answer := &reply{status: status, header: http.Header{"Content-Type": {"text/plain"}}, body: []byte(text)}
		if status == http.StatusUnauthorized {
			answer.header.Set("WWW-Authenticate", `Basic realm="GitHub"`)
		}
		return nil, answer
	}
	parts := gitPath.FindStringSubmatch(r.URL.Path)
	user, password, ok := r.BasicAuth()
	token, known := s.tokens[password]
	switch repo := s.state[parts[1]]; {
	case !ok || user != "x-access-token" || !known || token.expired(s.now()):
		return no(http.StatusUnauthorized, "Invalid username or token.")
	case repo == nil || repo.Git == "" || !token.good(parts[1]):
		return no(http.StatusNotFound, "Repository not found.")
	case token.Permissions["contents"] == "":
		return no(http.StatusForbidden, "Write access to repository not granted.")
	case parts[2] == "/git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack":
		return no(http.StatusForbidden, "Permission to "+parts[1]+".git denied.")
	default:
		return repo, nil
	}
}

// serveGit has git answer. Any commit can be asked for, as GitHub allows.
func serveGit(r *http.Request, dir string, body []byte) (reply, error) {
	git, err := sandbox.LookPath("git")
	if err != nil {
		return reply{}, err
	}
	again := r.Clone(r.Context())
	again.URL.Path = gitPath.ReplaceAllString(r.URL.Path, "$2")
	again.Header.Del("Authorization")
	again.Body, again.ContentLength, again.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	handler := &cgi.Handler{Path: git, Args: []string{"-c", "uploadpack.allowAnySHA1InWant=true", "-c", "safe.directory=*", "http-backend"}, Dir: dir,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + dir},
		// git complains there of clients that leave early, which is what faults make them do.
		Logger: log.New(io.Discard, "", 0), Stderr: io.Discard}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, again)
	return reply{status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}, nil
}

// ReadGit reads all commits of a real repository, with the texts of all their files, for Repo.Commits. dir is its git directory. It is for
// small repositories.
func ReadGit(dir string) (map[string]Commit, error) {
	git := func(stdin string, args ...string) (string, error) {
		res, err := sandbox.Command{Name: "git", Args: append([]string{"-c", "safe.directory=*", "--git-dir=" + dir}, args...), Env: sandbox.Environ(), Stdin: []byte(stdin),
			Limits: sandbox.Limits{Wall: time.Minute, Stdout: 256 << 20, Stderr: 1 << 20}}.Run(context.Background())
		if err != nil {
			return "", fmt.Errorf("read the commits of %s: git %s: %w: %s", dir, args[0], err, res.Stderr)
		}
		return string(res.Stdout), nil
	}
	history, err := git("", "rev-list", "--all", "--parents")
	if err != nil {
		return nil, err
	}
	commits := map[string]Commit{}
	blobs := map[string]string{}
	for line := range strings.Lines(history) {
		ids := strings.Fields(line)
		tree, err := git("", "ls-tree", "-r", "-z", ids[0])
		if err != nil {
			return nil, err
		}
		c := Commit{Parents: ids[1:], Files: map[string]string{}}
		for entry := range strings.SplitSeq(strings.TrimSuffix(tree, "\x00"), "\x00") {
			// "100644 blob ID\tPATH"
			kind, name, _ := strings.Cut(entry, "\t")
			if fields := strings.Fields(kind); len(fields) == 3 && fields[1] == "blob" && fields[0] != "120000" {
				c.Files[name] = fields[2]
				blobs[fields[2]] = ""
			}
		}
		commits[ids[0]] = c
	}
	var ask strings.Builder
	for id := range blobs {
		ask.WriteString(id + "\n")
	}
	contents, err := git(ask.String(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for r := bufio.NewReader(strings.NewReader(contents)); ; {
		head, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		fields := strings.Fields(head) // "ID blob SIZE"
		if err != nil || len(fields) != 3 {
			return nil, fmt.Errorf("read the commits of %s: git cat-file prints %q", dir, head)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("read the commits of %s: git cat-file prints %q", dir, head)
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, fmt.Errorf("read the commits of %s: %w", dir, err)
		}
		blobs[fields[0]] = string(text[:size])
	}
	for _, c := range commits {
		for name, id := range c.Files {
			c.Files[name] = blobs[id]
		}
	}
	return commits, nil
}

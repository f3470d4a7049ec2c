package github_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
)

func TestCloneURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                  "https://github.com/acme/numbers.git",
		"https://api.github.com":            "https://github.com/acme/numbers.git",
		"https://api.octo.ghe.com/":         "https://octo.ghe.com/acme/numbers.git",
		"https://github.example.com/api/v3": "https://github.example.com/acme/numbers.git",
		"http://127.0.0.1:8080/api/v3/":     "http://127.0.0.1:8080/acme/numbers.git",
		"http://github.example.com/api/v3":  "read the address of GitHub's API \"http://github.example.com/api/v3\": want https://HOST, and a path if it needs one, such as https://HOST/api/v3",
		"https://a:b@github.example.com":    "read the address of GitHub's API \"https://a:b@github.example.com\": want https://HOST, and a path if it needs one, such as https://HOST/api/v3",
	} {
		got, err := github.CloneURL(base, numbers)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", base, got, want)
		}
	}
	if got, err := github.CloneURL("", github.Repo{}); err == nil {
		t.Errorf("no repository: %s", got)
	}
}

// TestContentsToken: what git gets can read one repository and do nothing else.
func TestContentsToken(t *testing.T) {
	key, pemKey := newKey(t)
	s := &scene{Server: githubtest.New(repository(), "/api/v3"), clock: &clock{now: time.Now()}}
	defer s.Close()
	s.Change(func(all githubtest.State) { all["acme/secret"] = &githubtest.Repo{} })
	s.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: key, Installation: 6, Permissions: map[string]string{"checks": "write", "contents": "read", "pull_requests": "write"}})
	app := s.another(t, func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: 5, InstallationID: 6, PrivateKey: pemKey, Repository: numbers, Comments: true}
	})
	token, err := app.ContentsToken(t.Context())
	wantError(t, err, "")
	if !strings.HasPrefix(token, "installation-") {
		t.Errorf("the token is %q", token)
	}
	want := []githubtest.Token{{Login: "specgate-app[bot]", AppID: 5, Repos: []string{"acme/numbers"}, Permissions: map[string]string{"contents": "read"}}}
	if diff := cmp.Diff(want, s.Issued()); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	gone := s.another(t, func(o *github.Options) {
		o.Token, o.App = "", &github.App{ID: 5, InstallationID: 7, PrivateKey: pemKey, Repository: numbers}
	})
	_, err = gone.ContentsToken(t.Context())
	wantError(t, err, "ask for a token to read acme/numbers: not found, or not visible with this token")
	job := s.another(t, func(o *github.Options) { o.Token = "job" })
	if token, err = job.ContentsToken(t.Context()); token != "job" || err != nil {
		t.Errorf("with a token of its own: %q, %v", token, err)
	}
}

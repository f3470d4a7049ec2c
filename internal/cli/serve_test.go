package cli_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/cli"
	"github.com/specgate/specgate/internal/github/githubtest"
)

// TestServeRefuses: a server that cannot work does not start, and says why.
func TestServeRefuses(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	keyFile, secretFile, empty := write("app.pem", text), write("secret", []byte("0123456789abcdef\n")), write("empty", nil)
	short := write("short", []byte("0123456789abcde\n"))
	server := githubtest.New(githubtest.State{}, "")
	defer server.Close()
	server.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: &key.PublicKey, Installation: 6})
	whole := []string{"--app-id", "5", "--private-key", keyFile, "--webhook-secret-file", secretFile, "--dir", filepath.Join(dir, "data"), "--api-url", server.URL, "--listen", "127.0.0.1:0"}
	for _, name := range []string{"SPECGATE_APP_ID", "SPECGATE_PRIVATE_KEY", "SPECGATE_PRIVATE_KEY_FILE", "SPECGATE_WEBHOOK_SECRET", "SPECGATE_WEBHOOK_SECRET_FILE", "SPECGATE_DATABASE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	for _, c := range []struct {
		args []string
		env  map[string]string
		code int
		want string
	}{
		{nil, nil, 2, "--app-id is missing, and SPECGATE_APP_ID is not set; it stands on the page of the App's settings"},
		{whole[:2], nil, 2, "--private-key is missing or empty, and SPECGATE_PRIVATE_KEY is not set"},
		{whole[:4], nil, 2, "--webhook-secret-file is missing or empty, and SPECGATE_WEBHOOK_SECRET is not set"},
		{append(whole[:4:4], "--webhook-secret-file", empty), nil, 2, "--webhook-secret-file is missing or empty, and SPECGATE_WEBHOOK_SECRET is not set"},
		{append(whole[:4:4], "--webhook-secret-file", short), nil, 2, "the secret of the webhook has 15 characters, and needs at least 16; make one with `openssl rand -hex 32`"},
		{append(whole[:4:4], "--webhook-secret-file", "none"), nil, 2, "--webhook-secret-file: open none: no such file or directory"},
		{whole, map[string]string{"SPECGATE_WEBHOOK_SECRET": "0123456789abcdef"}, 2, "both --webhook-secret-file and SPECGATE_WEBHOOK_SECRET are set; want one of them"},
		{append(whole[:len(whole):len(whole)], "--jobs", "0"), nil, 2, "--jobs 0: it must be from 1 to 1000"},
		{append(whole[:len(whole):len(whole)], "--timeout", "0s"), nil, 2, "--timeout 0s: it must be more than 0"},
		{append(whole[:len(whole):len(whole)], "--app-id", "0"), nil, 2, "--app-id 0: it must be at least 1; it stands on the page of the App's settings"},
		{append(whole[:len(whole):len(whole)], "--api-url", "github.com"), nil, 2, "--api-url: read the address of GitHub's API \"github.com\": want https://HOST, and a path if it needs one, such as https://HOST/api/v3"},
		{append(whole[:len(whole):len(whole)], "--verus", "/nope"), nil, 2, "there is no verifier at /nope, which --verus names: stat /nope: no such file or directory; name the executable of Verus, or its directory"},
		{append(whole[:len(whole):len(whole)], "--rustc", "/nope"), nil, 2, "--rustc: look for the program /nope: exec: \"/nope\": stat /nope: no such file or directory"},
		{append(whole[:len(whole):len(whole)], "--listen", ":99999"), nil, 2, `--listen ":99999": want HOST:PORT, such as 127.0.0.1:8080, or :8080 for all addresses`},
		{append(whole[:len(whole):len(whole)], "--database", dir), nil, 3, "open the database: open " + dir + ": is a directory"},
		{append(whole[:len(whole):len(whole)], "--patience=-1s"), nil, 2, "--patience -1s: it must not be negative"},
		{append(whole[:len(whole):len(whole)], "--listen", "8080"), nil, 2, `--listen "8080": want HOST:PORT, such as 127.0.0.1:8080, or :8080 for all addresses`},
		{append(whole[:len(whole):len(whole)], "--app-id", "4"), nil, 2, "--app-id and --private-key: ask for the name of the App: GitHub does not accept the token: Bad credentials"},
		{append(whole[:len(whole):len(whole)], "--private-key", secretFile), nil, 2, "--app-id and --private-key: read the key of App 5: could not parse private key: invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key"},
		{append(whole[:len(whole):len(whole)], "--database", "mysql://root:hidden@db/x"), nil, 2, `--database: "mysql://..." is neither the path of a file nor an address that begins with postgres://`},
		{append(whole[:len(whole):len(whole)], "--database", "postgres://a:hidden@[/x"), nil, 2, "--database: the address of PostgreSQL is not valid; it has the form postgres://USER:PASSWORD@HOST/NAME"},
	} {
		for k, v := range c.env {
			t.Setenv(k, v)
		}
		var stdout, stderr bytes.Buffer
		code := cli.Main(append([]string{"serve"}, c.args...), &stdout, &stderr)
		for k := range c.env {
			os.Unsetenv(k)
		}
		if c.code == 2 && !strings.Contains(c.want, "GitHub does not accept") && !strings.Contains(c.want, "read the key") && strings.Contains(stderr.String(), `"msg"`) {
			t.Errorf("%q: something was begun: %s", c.args, stderr.String())
		}
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		if got := strings.TrimPrefix(lines[len(lines)-1], "specgate: "); code != c.code || got != c.want {
			t.Errorf("%q: exit code %d, want %d:\n%s", c.args, code, c.code, cmp.Diff(c.want, got))
		}
		for _, hidden := range []string{"hidden", "0123456789abcde", "BEGIN RSA"} {
			if strings.Contains(stderr.String(), hidden) {
				t.Errorf("%q: a secret is in %q", c.args, stderr.String())
			}
		}
	}
}

// TestServeLog: the log says what is started, without a password, and durations in words.
func TestServeLog(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("SPECGATE_PRIVATE_KEY", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	t.Setenv("SPECGATE_WEBHOOK_SECRET", "0123456789abcdef")
	server := githubtest.New(githubtest.State{}, "")
	defer server.Close()
	server.AddApp(githubtest.App{ID: 5, Slug: "specgate-app", Key: &key.PublicKey, Installation: 6})
	server.Fail(githubtest.Fault{Kind: githubtest.Answer, Status: http.StatusBadGateway})
	var stdout, stderr bytes.Buffer
	// Nobody listens on port 1.
	if code := cli.Main([]string{"serve", "--app-id", "5", "--dir", dir, "--api-url", server.URL, "--jobs", "3", "--database", "postgres://me:hidden@127.0.0.1:1/gate?password=hidden&connect_timeout=1"}, &stdout, &stderr); code != 3 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if strings.Contains(stderr.String(), "hidden") {
		t.Errorf("a password is in %q", stderr.String())
	}
	got := map[string]map[string]any{}
	for line := range strings.Lines(stderr.String()) {
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil {
			got[entry["msg"].(string)] = entry
			delete(entry, "time")
		}
	}
	want := map[string]any{"level": "INFO", "msg": "starting", "version": got["starting"]["version"], "app": 5.0, "dir": dir, "database": "postgres://127.0.0.1:1/gate", "jobs": 3.0}
	if diff := cmp.Diff(want, got["starting"]); diff != "" || want["version"] == nil {
		t.Errorf("the first line (-want +got):\n%s", diff)
	}
	if after := got["ask GitHub again"]["after"]; after != "1s" {
		t.Errorf("after is %v", after)
	}
}

// TestServeDocument: docs/github-app.md has every flag of serve, and a manifest with what the App needs and no more.
func TestServeDocument(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "..", "docs", "github-app.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	var help, stderr bytes.Buffer
	if code := cli.Main([]string{"serve", "--help"}, &help, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	flags := regexp.MustCompile(`(?m)^\s+(?:-\w, )?(--[a-z-]+)`).FindAllStringSubmatch(help.String(), -1)
	if len(flags) < 15 {
		t.Fatalf("the help has %d flags", len(flags))
	}
	for _, f := range flags {
		if f[1] != "--help" && f[1] != "--verbose" && !strings.Contains(text, "`"+f[1]) {
			t.Errorf("docs/github-app.md does not have %s", f[1])
		}
	}
	for _, variable := range regexp.MustCompile(`\$(SPECGATE_[A-Z_]+)`).FindAllStringSubmatch(help.String(), -1) {
		if !strings.Contains(text, "`"+variable[1]+"`") {
			t.Errorf("docs/github-app.md does not have %s", variable[1])
		}
	}

	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(text)
	if block == nil {
		t.Fatal("docs/github-app.md has no manifest")
	}
	var manifest map[string]any
	if err := json.Unmarshal([]byte(block[1]), &manifest); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "specgate", "url": "https://github.com/specgate/specgate", "public": false,
		"hook_attributes":     map[string]any{"url": "https://specgate.example.org/webhook", "active": true},
		"default_permissions": map[string]any{"checks": "write", "contents": "read", "merge_queues": "read", "metadata": "read", "pull_requests": "read"},
		"default_events":      []any{"check_run", "check_suite", "merge_group", "pull_request"},
	}
	if diff := cmp.Diff(want, manifest); diff != "" {
		t.Errorf("the manifest (-want +got):\n%s", diff)
	}
}

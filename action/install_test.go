// Package action_test runs the script that installs specgate for the action, against a server on this machine.
package action_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
)

// released stands for the binary of a release. The script runs it once, to show its version.
const released = "#!/bin/sh\necho the released one: \"$@\"\n"

// fromSource stands for the sources of the command.
const fromSource = `package main

import (
	"fmt"
	"os"
)

func main() { fmt.Println("the one from sources:", os.Args[1:]) }
`

const version = "1.2.3"

func asset() string { return "specgate_" + version + "_" + runtime.GOOS + "_" + runtime.GOARCH }

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// An install is one run of the script, of an action whose checkout has these files.
type install struct {
	checksums, version string
	env                []string
	// base replaces the server's address.
	base string
	// path replaces PATH.
	path string
}

// result is all that a run leaves behind. Addresses and folders have names in it.
type result struct {
	Code           int
	Stdout, Stderr string
	// Path and Output are what GITHUB_PATH and GITHUB_OUTPUT got.
	Path, Output string
	// Left has the names of files in RUNNER_TEMP.
	Left []string
	// Installed is what the program says that it is.
	Installed string
}

// run calls the script in a folder that has programs with the names of those that the script calls, and settings for them. None may be used.
func (i install) run(t *testing.T, handler http.HandlerFunc) result {
	t.Helper()
	sandboxtest.Curl.Program(t, "curl")
	dir := t.TempDir()
	script, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	build, err := os.ReadFile(filepath.Join("..", "release", "build.sh"))
	if err != nil {
		t.Fatal(err)
	}
	const trap = "#!/bin/sh\necho run from the caller's folder >>trapped\nexit 1\n"
	for name, text := range map[string]string{
		"action/action/install.sh":        string(script),
		"action/release/build.sh":         string(build),
		"action/release/checksums.txt":    "# a comment\n" + i.checksums,
		"action/VERSION":                  i.version + "\n",
		"action/go.mod":                   "module github.com/specgate/specgate\n\ngo 1.25.0\n\ntoolchain go1.26.0\n",
		"action/cmd/specgate/main.go":     fromSource,
		"caller/curl":                     trap,
		"caller/go":                       trap,
		"caller/uname":                    trap,
		"caller/awk":                      trap,
		"caller/specgate":                 trap,
		"caller/go.mod":                   "module hostile\n\ngo 1.999\n",
		"caller/go.work":                  "go 1.999\n",
		"caller/release/checksums.txt":    strings.Repeat("0", 64) + "  " + asset() + "\n",
		"caller/.curlrc":                  "url = file:///etc/passwd\nproxy = 127.0.0.1:1\n",
		"temp/.keep":                      "",
		"caller/VERSION":                  "0.0.0\n",
		"caller/cmd/specgate/main.go":     "package hostile\n",
		"caller/vendor/modules.txt":       "# hostile\n",
		"caller/.config/go/env":           "GOFLAGS=-toolexec=./trap\n",
		"caller/Library/Application.keep": "",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	base := i.base
	if base == "" {
		base = server.URL
	}
	path := i.path
	if path == "" {
		path = os.Getenv("PATH")
	}
	temp := filepath.Join(dir, "temp")
	if err := os.Remove(filepath.Join(temp, ".keep")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "action", "action", "install.sh"))
	cmd.Dir = filepath.Join(dir, "caller")
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append([]string{
		"PATH=" + path, "HOME=" + cmd.Dir, "CURL_HOME=" + cmd.Dir, "RUNNER_TEMP=" + temp, "LC_ALL=C", "CDPATH=/:..",
		"GITHUB_PATH=" + filepath.Join(dir, "path"), "GITHUB_OUTPUT=" + filepath.Join(dir, "output"),
		"SPECGATE_DOWNLOAD_BASE=" + base, "SPECGATE_DOWNLOAD_PATIENCE=1",
		"GOCACHE=" + strings.TrimSpace(string(cache)), "GOFLAGS=-mod=vendor", "GOOS=plan9", "GOARCH=arm",
	}, i.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	r := result{}
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		r.Code = exit.ExitCode()
	}
	if text, err := os.ReadFile(filepath.Join(cmd.Dir, "trapped")); err == nil {
		t.Errorf("something of the caller's folder was run:\n%s", text)
	}
	random := regexp.MustCompile(regexp.QuoteMeta(temp) + `/specgate\.[A-Za-z0-9]{8}`)
	name := func(text string) string {
		text = random.ReplaceAllString(text, "FRESH")
		// Releases of curl have other words for the same numbers.
		text = regexp.MustCompile(`(?m)^curl: (\([0-9]+\)).*$`).ReplaceAllString(text, "curl: $1")
		// Those before 8.4 know that a file is too large only when nobody reads on.
		text = strings.ReplaceAll(text, "curl: (23)\n", "curl: (63)\n")
		return strings.ReplaceAll(strings.ReplaceAll(text, server.URL, "SERVER"), asset(), "ASSET")
	}
	if installed := strings.TrimSpace(stdout.String()); installed != "" {
		out, err := exec.CommandContext(t.Context(), installed, "again").CombinedOutput()
		r.Installed = string(out)
		if err != nil {
			t.Errorf("run what was installed: %v", err)
		}
	}
	r.Stdout, r.Stderr = name(stdout.String()), name(stderr.String())
	r.Path, r.Output = name(read(t, filepath.Join(dir, "path"))), name(read(t, filepath.Join(dir, "output")))
	left, err := filepath.Glob(filepath.Join(temp, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		r.Left = append(r.Left, name(file))
	}
	return r
}

// read gives the text of a file, or nothing when it is not there.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// good is a run that installed the released binary, with what was said before that.
func good(said string) result {
	return result{
		Stdout: "FRESH/specgate\n",
		Stderr: said + "the released one: version\nspecgate: downloaded from SERVER/v1.2.3/ASSET, with the SHA-256 " + sum(released) + " that the action's commit names\n",
		Path:   "FRESH\n", Output: "specgate=FRESH/specgate\n", Left: []string{"FRESH/specgate"}, Installed: "the released one: again\n",
	}
}

// built is a run that built the program, with what was said before that.
func built(said string) result {
	return result{
		Stdout: "FRESH/specgate\n",
		Stderr: said + "specgate: building it from the sources, with go1.26.0 or newer\nthe one from sources: [version]\nspecgate: built from the sources of the action's commit\n",
		Path:   "FRESH\n", Output: "specgate=FRESH/specgate\n", Left: []string{"FRESH/specgate"}, Installed: "the one from sources: [again]\n",
	}
}

// failed is a run that installed nothing.
func failed(said string) result { return result{Code: 1, Stderr: said} }

const again = "specgate: try %d of 4 did not succeed; the next one is in %d s\n"

func serve(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v"+version+"/"+asset() {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, text)
	}
}

// first answers the first requests in turn, and the rest with the released binary.
func first(answers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		if k := int(n.Add(1)) - 1; k < len(answers) {
			answers[k](w, r)
			return
		}
		serve(released)(w, r)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// cut ends the connection within the body.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", strconv.Itoa(len(released)))
	_, _ = io.WriteString(w, released[:10])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// stall sends a part of the body, and no more until the client has gone.
func stall(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", strconv.Itoa(len(released)))
	_, _ = io.WriteString(w, released[:10])
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestInstall(t *testing.T) {
	line := sum(released) + "  " + asset() + "\n"
	others := sum("another") + "  specgate_1.2.3_plan9_amd64\n" + sum("older") + "  specgate_1.2.2_" + runtime.GOOS + "_" + runtime.GOARCH + "\n"
	never := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		t.Errorf("%s was asked for", r.URL)
	}
	wrong := func(got string) result {
		return failed("::error title=specgate was not installed::SERVER/v1.2.3/ASSET has the SHA-256 " + sum(got) + ", but must have " + sum(released) +
			"; it was removed and nothing was installed\n")
	}
	const none = "specgate: there is no released binary of this commit for "
	here := none + runtime.GOOS + "/" + runtime.GOARCH + ": version "
	for _, c := range []struct {
		name    string
		install install
		handler http.HandlerFunc
		want    result
	}{
		{"a release", install{checksums: line}, serve(released), good("")},
		{"the line among others", install{checksums: others + line}, serve(released), good("")},
		{"moved to another address", install{checksums: line}, first(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, released) }), good("")},
		{"the wrong binary", install{checksums: line}, serve("#!/bin/sh\necho hostile\n"), wrong("#!/bin/sh\necho hostile\n")},
		{"a part of it, as if whole", install{checksums: line}, serve(released[:20]), wrong(released[:20])},
		{"nothing", install{checksums: line}, serve(""), wrong("")},
		{"cut, then whole", install{checksums: line}, first(cut), good(
			"curl: (18)\n" + fmt.Sprintf(again, 1, 1))},
		{"stalled, then whole", install{checksums: line}, first(stall), good(
			"curl: (28)\n" + fmt.Sprintf(again, 1, 1))},
		{"busy, then whole", install{checksums: line}, first(status(503), status(429)), good(
			"curl: (22)\n" + fmt.Sprintf(again, 1, 1) + "curl: (22)\n" + fmt.Sprintf(again, 2, 2))},
		{"not published", install{checksums: line}, status(404), built(
			"curl: (22)\nspecgate: SERVER/v1.2.3/ASSET could not be downloaded\n")},
		{"always broken", install{checksums: line}, status(500), built(
			"curl: (22)\n" + fmt.Sprintf(again, 1, 1) + "curl: (22)\n" + fmt.Sprintf(again, 2, 2) +
				"curl: (22)\n" + fmt.Sprintf(again, 3, 4) + "curl: (22)\n" +
				"specgate: SERVER/v1.2.3/ASSET could not be downloaded\n")},
		{"said to be too large", install{checksums: line}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "209715201")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, built("curl: (63)\nspecgate: the file has more than 209715200 bytes\nspecgate: SERVER/v1.2.3/ASSET could not be downloaded\n")},
		{"without an end", install{checksums: line}, func(w http.ResponseWriter, _ *http.Request) {
			for block := make([]byte, 1<<20); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, built("curl: (63)\nspecgate: the file has more than 209715200 bytes\nspecgate: SERVER/v1.2.3/ASSET could not be downloaded\n")},
		{"to a file", install{checksums: line}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, built("curl: (1)\nspecgate: SERVER/v1.2.3/ASSET could not be downloaded\n")},
		{"no release", install{version: "1.2.3-dev", checksums: others}, never, built(here + "1.2.3-dev\n")},
		{"a release for other platforms", install{checksums: others}, never, built(here + "1.2.3\n")},
		{"two sums", install{checksums: line + line}, never, failed("::error title=specgate was not installed::release/checksums.txt of the action does not have one SHA-256 for ASSET\n")},
		{"no sum", install{checksums: "latest  " + asset() + "\n"}, never, failed(
			"::error title=specgate was not installed::release/checksums.txt of the action does not have one SHA-256 for ASSET\n")},
		{"no version", install{version: "../../x", checksums: line}, never, failed("::error title=specgate was not installed::VERSION of the action is not a version\n")},
		{"two lines of version", install{version: "1.2.3\n1.2.4", checksums: line}, never, failed("::error title=specgate was not installed::VERSION of the action is not a version\n")},
		{"another protocol", install{base: "file:///tmp"}, never, failed("::error title=specgate was not installed::SPECGATE_DOWNLOAD_BASE must begin with https:// or http://\n")},
		{"no patience", install{env: []string{"SPECGATE_DOWNLOAD_PATIENCE=0; false"}}, never, failed(
			"::error title=specgate was not installed::SPECGATE_DOWNLOAD_PATIENCE must be a number of seconds, 1 to 9999\n")},
		{"an unknown platform", install{checksums: line, path: pathWithout(t, []string{"uname"}, map[string]string{"uname": "case $1 in -s) echo Haiku;; -m) echo BePC;; esac"})}, never,
			built(none + "Haiku/BePC: version 1.2.3\n")},
		{"no binary, no Go", install{version: "1.2.3-dev", path: pathWithout(t, []string{"go"}, nil)}, never, failed(here +
			"1.2.3-dev\n::error title=specgate was not installed::there is no released binary to be had, and no go to build one from the sources with: run actions/setup-go first\n")},
		{"no curl", install{checksums: line, path: pathWithout(t, []string{"curl"}, nil)}, never, built("specgate: there is no curl to download ASSET with\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.install.version == "" {
				c.install.version = version
			}
			if diff := cmp.Diff(c.want, c.install.run(t, c.handler)); diff != "" {
				t.Errorf("what was expected (-) is not what happened (+):\n%s", diff)
			}
		})
	}
}

// pathWithout makes a folder with links to what the script calls and Go needs, without some, and with scripts of these texts.
func pathWithout(t *testing.T, without []string, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
next:
	for _, name := range []string{"bash", "sh", "awk", "cat", "chmod", "curl", "cut", "dirname", "env", "go", "head", "mktemp", "mv", "rm", "sha256sum", "shasum", "sleep", "uname", "wc"} {
		for _, w := range without {
			if name == w {
				continue next
			}
		}
		found, err := exec.LookPath(name)
		if err != nil {
			continue // sha256sum or shasum is enough
		}
		if err := os.Symlink(found, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

package setup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/specgate/specgate/internal/sandbox"
)

const (
	release  = "0.2026.08.15.7d4628a"
	platform = "x86-linux"
	top      = "verus-x86-linux"
	rust     = "1.97.1-x86_64-unknown-linux-gnu"
)

// notAVerifier stands in the place of verus in the zips of these tests. It verifies nothing: it only tells its version.
const notAVerifier = "#!/bin/sh\necho 'Verus'\necho '  Version: " + release + "'\n"

const versionJSON = `{"verus":{"profile":"release","version":"` + release + `","platform":{"os":"linux","arch":"x86_64"},"toolchain":"` + rust + `","commit":"7d4628a"}}`

// entry is a file of a zip; a name that ends in / is a folder.
type entry struct {
	name, text string
	mode       fs.FileMode
	change     func(*zip.FileHeader)
}

// good are the entries of a release, as small as can be. The permissions are left out, as some zips have none.
func good() []entry {
	return []entry{
		{name: top + "/"},
		{name: top + "/verus", text: notAVerifier},
		{name: top + "/z3", text: "#!/bin/sh\necho 'Z3 version 4.16.0 - 64 bit'\n"},
		{name: top + "/version.json", text: versionJSON},
		{name: top + "/macos_allow_gatekeeper.sh", text: "#!/bin/sh\n", mode: 0o755},
		{name: top + "/vstd/vstd.rs", text: strings.Repeat("// vstd\n", 20_000)},
	}
}

func zipOf(tb testing.TB, entries []entry) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Store}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		if e.change != nil {
			e.change(h)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func write(tb testing.TB, name string, data []byte, mode fs.FileMode) string {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		tb.Fatal(err)
	}
	return name
}

// server serves one file, and keeps what it was asked for.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string // the Range of each request; "" for none
	serve  http.HandlerFunc
}

func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{serve: handler}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		handler := s.serve
		s.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.ranges...)
}

func (s *server) use(handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serve = handler
}

// content serves bytes as a good server does: with ranges, and a validator.
func content(data []byte, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "verus.zip", time.Time{}, bytes.NewReader(data))
	}
}

// cut serves the first n bytes and then ends the connection.
func cut(data []byte, n int, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data[:n])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// tools makes PATH a directory that has these scripts and nothing else, and gives it.
func tools(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		write(t, filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755)
	}
	t.Setenv("PATH", dir)
	return dir
}

// request is one for the good release, from a file, that leaves the toolchain out.
func request(t *testing.T) Request {
	t.Helper()
	archive := zipOf(t, good())
	return Request{Release: release, Platform: platform, SHA256: sumOf(archive), Data: filepath.Join(t.TempDir(), "data"),
		From: write(t, filepath.Join(t.TempDir(), "verus.zip"), archive, 0o644), NoToolchain: true, pause: time.Millisecond}
}

// tree lists the files below a directory with their permissions, without locks.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir || strings.HasSuffix(path, ".lock") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out = append(out, info.Mode().String()+" "+rel)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

// notCalled is a Runner for what must start nothing.
type notCalled struct{ t *testing.T }

func (n notCalled) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	n.t.Errorf("started: %s %v", c.Name, c.Args)
	return sandbox.Result{}, errors.New("nothing may be started")
}

// childVariable makes the test binary install something and end, so that it can be killed and limited.
const childVariable = "SETUP_TEST_CHILD"

func TestMain(m *testing.M) {
	sandbox.Main()
	if from := os.Getenv(childVariable); from != "" {
		os.Exit(child(from))
	}
	os.Exit(m.Run())
}

func child(from string) int {
	if limit, err := strconv.ParseUint(os.Getenv("SETUP_TEST_FILE_SIZE"), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // then a write that is too much fails
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			println(err.Error())
			return 2
		}
	}
	got, err := Verus(context.Background(), Request{Release: release, Platform: platform, SHA256: os.Getenv("SETUP_TEST_SHA256"),
		From: from, Data: os.Getenv("SETUP_TEST_DATA"), NoToolchain: true, pause: time.Millisecond})
	if err != nil {
		println(err.Error())
		return 1
	}
	if got.Fresh {
		println("fresh")
	}
	return 0
}

// start starts a child that does what the request says.
func start(t *testing.T, r Request, more ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	var out bytes.Buffer
	cmd.Stderr = &out
	cmd.Env = append(os.Environ(), append(more, childVariable+"="+r.From, "SETUP_TEST_SHA256="+r.SHA256, "SETUP_TEST_DATA="+r.Data)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

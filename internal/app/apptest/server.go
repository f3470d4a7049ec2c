package apptest

import (
	"bytes"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is `specgate serve` as a process.
type Server struct {
	Address string
	// Args are the program and its arguments.
	Args []string
	// Env is the environment.
	Env []string
	// Peak is the most memory that it was seen to have, in KiB.
	Peak int

	tb  testing.TB
	log *os.File

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{}
}

// NewServer is a server with more arguments, that is not started yet, and is killed when the test ends. What its log has last is shown when the test
// fails.
func (w *World) NewServer(tb testing.TB, program string, more ...string) *Server {
	tb.Helper()
	log, err := os.Create(filepath.Join(tb.TempDir(), "log"))
	if err != nil {
		tb.Fatal(err)
	}
	address := freeAddress(tb)
	s := &Server{Address: address, tb: tb, log: log,
		Args: append([]string{program, "serve", "--listen", address, "--no-run", "--jobs", "2"}, more...),
		Env: append(os.Environ(), "SPECGATE_APP_ID="+strconv.Itoa(AppID), "SPECGATE_PRIVATE_KEY="+string(w.Key),
			"SPECGATE_WEBHOOK_SECRET="+WebhookSecret, "SPECGATE_API_URL="+w.URL)}
	tb.Cleanup(func() {
		s.Kill()
		log.Close()
		text := s.Log()
		if tb.Failed() {
			lines := strings.Split(text, "\n")
			tb.Logf("the last lines of the log of %s:\n%s", address, strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
		if strings.Contains(text, WebhookSecret) || strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "installation-1") {
			tb.Error("a secret is in the log")
		}
	})
	return s
}

// Log is what the server has said so far, each time that it was started.
func (s *Server) Log() string {
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		s.tb.Error(err)
	}
	return string(text)
}

// freeAddress is one to listen on, also again after a while: no system gives ports of this range to connections.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+mathrand.IntN(10000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	tb.Fatal("no port is free")
	return ""
}

// Start starts the process. The channel is closed when it has ended.
func (s *Server) Start() (ended <-chan struct{}) {
	s.tb.Helper()
	process, done := exec.Command(s.Args[0], s.Args[1:]...), make(chan struct{})
	process.Env, process.Stdout, process.Stderr = s.Env, s.log, s.log
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := process.Start(); err != nil {
		s.tb.Error(err)
		close(done)
		return done
	}
	s.process, s.ended = process, done
	go func() {
		_ = process.Wait()
		close(done)
	}()
	return done
}

// Ready waits until it is.
func (s *Server) Ready() {
	s.tb.Helper()
	for range 600 {
		resp, err := http.Get("http://" + s.Address + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.tb.Fatal("the server is not ready after 30 s")
}

// Signal sends a signal to the process, if there is one.
func (s *Server) Signal(signal os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		_ = s.process.Process.Signal(signal) // one that has ended takes none
	}
}

// Kill ends it with SIGKILL, if it runs.
func (s *Server) Kill() {
	if s.process != nil {
		s.Memory()
		s.Signal(os.Kill)
		<-s.ended
	}
}

// Stop tells it to stop, and waits until it has.
func (s *Server) Stop() {
	s.tb.Helper()
	s.Signal(syscall.SIGTERM)
	<-s.ended
	if !s.process.ProcessState.Success() {
		s.tb.Errorf("a server that is told to stop: %v", s.process.ProcessState)
	}
}

// Memory is what it has now, in KiB.
func (s *Server) Memory() int {
	s.Peak = max(s.Peak, s.status("VmHWM:"))
	return s.status("VmRSS:")
}

// status is a number of /proc/PID/status, in KiB; 0 where there is none.
func (s *Server) status(key string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte(key))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(fields[0]))
	return n
}

// Metrics are those of the server at an address; empty if it does not answer.
func Metrics(tb testing.TB, address string) string {
	tb.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(text)
}

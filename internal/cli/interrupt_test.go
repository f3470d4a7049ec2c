package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An interrupt ends a run that is in the middle of something long, with the code for what could not complete.
func TestInterrupt(t *testing.T) {
	dir := exampleRepo(t)
	// Long enough that no machine is done with it before it is interrupted.
	if err := os.WriteFile(filepath.Join(dir, "src", "long.rs"), []byte(strings.Repeat("pub fn f(x: u64) -> u64 { x }\n", 1<<18)), 0o666); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), runAsSpecgate+"=1")
	cmd.Dir = dir
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr := bufio.NewScanner(pipe)
	if !stderr.Scan() || !strings.Contains(stderr.Text(), "msg=compare") {
		t.Fatalf("it does not say that it has begun: %q", stderr.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	last := ""
	for stderr.Scan() {
		last = stderr.Text()
	}
	_ = cmd.Wait() // the exit code says more
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d, want 3; last on stderr: %s", code, last)
	}
	if !strings.HasPrefix(last, "specgate: ") {
		t.Errorf("last on stderr: %s", last)
	}
}

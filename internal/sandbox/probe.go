package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// A target is what the probe tries to reach.
type target struct {
	// File exists and is not named. TCP is the address of a listener, Socket the path of one.
	File, TCP, Socket string
	Memory, FileSize  int64
}

// Protections says which protections this machine gives to an isolated program. It starts one, which tries to do what each
// of them forbids. An error means that no isolated program can be started at all.
func Protections(ctx context.Context) (_ []Protection, err error) {
	fail := func(err error) ([]Protection, error) {
		return nil, fmt.Errorf("try the isolation of this machine: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	dir, err := MkdirTemp("", "specgate-probe-")
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t := target{File: filepath.Join(dir, "file"), Socket: filepath.Join(dir, "socket"), Memory: 1 << 30, FileSize: 1 << 20}
	if err := os.WriteFile(t.File, []byte("not for others"), 0o600); err != nil {
		return fail(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fail(err)
	}
	defer tcp.Close()
	t.TCP = tcp.Addr().String()
	socket, err := net.Listen("unix", t.Socket)
	if err != nil {
		return fail(err)
	}
	defer socket.Close()
	text, err := json.Marshal(t)
	if err != nil {
		return fail(err)
	}
	res, err := Command{
		Name: self, Args: []string{helperArgument, "probe", string(text)}, Isolate: &Isolation{ReadOnly: []string{self}},
		Limits: Limits{Wall: time.Minute, CPU: 30 * time.Second, Stdout: 1 << 16, Stderr: 1 << 16, Memory: t.Memory, FileSize: t.FileSize, Processes: 256},
	}.Run(ctx)
	if err != nil {
		return fail(err)
	}
	var broken map[string]string
	if err := json.Unmarshal(res.Stdout, &broken); err != nil {
		return fail(err)
	}
	for i, p := range res.Protections {
		if what := broken[p.Name]; p.On && what != "" {
			res.Protections[i] = Protection{Name: p.Name, Detail: "it was set up, and still " + what}
		}
	}
	return res.Protections, nil
}

// probe tries to do what is forbidden, and writes what it could do, by the name of the protection.
func probe(args []string) (exit int) {
	var t target
	if len(args) != 2 || json.Unmarshal([]byte(args[1]), &t) != nil {
		return 2
	}
	broken := map[string]string{}
	could := func(name, what string, err error) {
		if err == nil && broken[name] == "" {
			broken[name] = what
		}
	}
	_, err := os.ReadFile(t.File)
	could(protectFilesystem, "a file outside could be read", err)
	could(protectFilesystem, "a file outside could be written", os.WriteFile(t.File, nil, 0o600))
	could(protectFilesystem, "the mode of a file outside could be changed", os.Chmod(t.File, 0o666))
	dial := func(network, address string) error {
		c, err := net.DialTimeout(network, address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	could(protectNetwork, "a listener of this machine could be reached", dial("tcp", t.TCP))
	could(protectNetwork, "a socket in the filesystem could be reached", dial("unix", t.Socket))
	signal.Ignore(syscall.SIGXFSZ)
	own := filepath.Join(os.TempDir(), "file")
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		broken[protectFilesystem] = "its own directory could not be written: " + err.Error()
	}
	could(protectFileSize, "a larger file could be written", os.Truncate(own, t.FileSize+1))
	probeSystem(t, could)
	text, err := json.Marshal(broken)
	if err != nil {
		return 2
	}
	if _, err := os.Stdout.Write(text); err != nil {
		return 2
	}
	return 0
}

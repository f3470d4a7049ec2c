package sandbox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	if len(os.Args) > 2 && os.Args[1] == "hostile" {
		if err := hostile(os.Args[2], os.Args[3:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("done")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hostile does what an isolated program must not be able to do.
func hostile(what string, args []string) error {
	number := func(i int) int {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			panic(err)
		}
		return n
	}
	switch what {
	case "read":
		text, err := os.ReadFile(args[0])
		if err == nil {
			fmt.Printf("%s\n", text)
		}
		return err
	case "list":
		_, err := os.ReadDir(args[0])
		return err
	case "write":
		return os.WriteFile(args[0], []byte("changed"), 0o600)
	case "truncate":
		return os.Truncate(args[0], 0)
	case "remove":
		return os.Remove(args[0])
	case "chmod":
		return os.Chmod(args[0], 0o666)
	case "dial":
		c, err := net.DialTimeout(args[0], args[1], 2*time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err
	case "listen":
		l, err := net.Listen(args[0], args[1])
		if err == nil {
			_ = l.Close()
		}
		return err
	case "kill":
		return syscall.Kill(number(0), syscall.Signal(number(1)))
	case "ptrace":
		return syscall.PtraceAttach(number(0))
	case "namespace":
		return syscall.Unshare(syscall.CLONE_NEWUSER)
	case "file-size":
		signal.Ignore(syscall.SIGXFSZ)
		return os.WriteFile(args[0], make([]byte, number(1)), 0o600)
	case "memory":
		// Touched page by page, so that it is really there.
		n := number(0)
		m, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return err
		}
		for i := 0; i < n; i += 4096 {
			m[i] = 1
		}
		time.Sleep(time.Duration(number(1)) * time.Millisecond)
		return nil
	case "setlimit":
		return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20})
	case "socketpair":
		_, err := syscall.Socketpair(syscall.AF_UNIX, number(0), 0)
		return err
	}
	return fmt.Errorf("%q is unknown", what)
}

// attack is a command that does one thing of function hostile in isolation.
func attack(t testing.TB, what string, args ...string) sandbox.Command {
	t.Helper()
	c := isolated(t, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.Name, c.Args = self, append([]string{"hostile", what}, args...)
	c.Isolate.ReadOnly = []string{self}
	return c
}

// What a run says of itself, word by word, where the machine has everything.
func TestResultSaysWhatItRanWith(t *testing.T) {
	given := protections(t)
	c := isolated(t, "true")
	c.Limits.Memory, c.Limits.Processes, c.Limits.FileSize, c.Limits.CPU = 8<<30, 100, 3<<20, 1500*time.Millisecond
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []sandbox.Protection{
		{Name: "process group", On: true, Detail: "own process group"},
		{Name: "time", On: true, Detail: "at most 30s (2s of processor time for each process)"},
		{Name: "memory", On: true, Detail: "memory 8 GiB"},
		{Name: "file size", On: true, Detail: "files of at most 3 MiB"},
		{Name: "privileges", On: true, Detail: "no privileges"},
		{Name: "filesystem", On: true, Detail: "filesystem limited to what was named"},
		{Name: "network", On: true, Detail: "no network"},
		{Name: "processes", On: true, Detail: "own processes (at most 100)"},
		{Name: "system calls", On: true, Detail: "system calls filtered"},
	}
	for i, p := range want {
		if g := given[p.Name]; !g.On {
			want[i] = g // told as missing by the probe, and then by the run in the same words
		}
	}
	if !given["processes"].On {
		want[2].Detail = res.Protections[2].Detail // for each process alone
	}
	if diff := cmp.Diff(want, res.Protections); diff != "" {
		t.Error(diff)
	}
	c = isolated(t, "true")
	c.Isolate.Network = true
	if res, err = c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Protections {
		if slices.Contains([]string{"network", "memory", "file size"}, p.Name) {
			t.Errorf("%s was not asked for: %+v", p.Name, p)
		}
	}
}

// Each attack must fail where the protection is on, and its failure is no accident: without isolation the same succeeds.
func TestAttacks(t *testing.T) {
	given := protections(t)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	home := filepath.Join(outside, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	write(t, filepath.Join(home, "credentials"), "a token", 0o600)
	reset := func() {
		_ = os.Remove(secret)
		write(t, secret, "not for others", 0o640)
	}
	listen := func(network, address string) string {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l.Addr().String()
	}
	tcp := listen("tcp", "127.0.0.1:0")
	socket := listen("unix", filepath.Join(outside, "socket"))
	abstract := listen("unix", "@specgate-test-"+strconv.Itoa(os.Getpid()))
	victim := exec.Command("sleep", "600")
	victim.Env = []string{"TOKEN=of-another-process"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = victim.Process.Kill(), victim.Wait() })
	other := strconv.Itoa(victim.Process.Pid)

	type test struct {
		name, protection string
		attack           []string
	}
	tests := []test{
		{name: "read a file outside", protection: "filesystem", attack: []string{"read", secret}},
		{name: "read a file of the real home", protection: "filesystem", attack: []string{"read", filepath.Join(home, "credentials")}},
		{name: "list a directory outside", protection: "filesystem", attack: []string{"list", outside}},
		{name: "write a file outside", protection: "filesystem", attack: []string{"write", secret}},
		{name: "make a file outside", protection: "filesystem", attack: []string{"write", filepath.Join(outside, "new")}},
		{name: "empty a file outside", protection: "filesystem", attack: []string{"truncate", secret}},
		{name: "remove a file outside", protection: "filesystem", attack: []string{"remove", secret}},
		{name: "change the mode of a file outside", protection: "filesystem", attack: []string{"chmod", secret}},
		{name: "connect to a listener", protection: "network", attack: []string{"dial", "tcp", tcp}},
		{name: "send to a port", protection: "network", attack: []string{"dial", "udp", "127.0.0.1:53"}},
		{name: "listen", protection: "network", attack: []string{"listen", "tcp", "127.0.0.1:0"}},
		{name: "connect to a socket in the filesystem", protection: "network", attack: []string{"dial", "unix", socket}},
		{name: "connect to a socket of an abstract name", protection: "network", attack: []string{"dial", "unix", abstract}},
		{name: "a pair of sockets for datagrams", protection: "system calls", attack: []string{"socketpair", strconv.Itoa(syscall.SOCK_DGRAM)}},
		{name: "read the environment of another process", protection: "filesystem", attack: []string{"read", "/proc/" + other + "/environ"}},
		{name: "read the memory map of another process", protection: "filesystem", attack: []string{"read", "/proc/" + other + "/maps"}},
		{name: "read the command line of another process", protection: "processes", attack: []string{"read", "/proc/" + other + "/cmdline"}},
		{name: "signal another process", protection: "processes", attack: []string{"kill", other, "0"}},
		{name: "trace another process", protection: "system calls", attack: []string{"ptrace", other}},
		{name: "a namespace of its own", protection: "system calls", attack: []string{"namespace"}},
		{name: "raise a limit", protection: "privileges", attack: []string{"setlimit"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reset()
			c := attack(t, tt.attack[0], tt.attack[1:]...)
			res, err := c.Run(t.Context())
			succeeded := err == nil
			var exit *sandbox.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if p := given[tt.protection]; succeeded && p.On {
				t.Errorf("it could: %s", res.Stdout)
			}
			t.Logf("in isolation: %s", res.Stdout)
			text, err := os.ReadFile(secret)
			if given["filesystem"].On && (err != nil || string(text) != "not for others") {
				t.Errorf("the file outside is %q, %v", text, err)
			}
			if info, err := os.Stat(secret); given["filesystem"].On && (err != nil || info.Mode().Perm() != 0o640) {
				t.Errorf("the mode of the file outside changed")
			}

			reset()
			_ = os.Remove(filepath.Join(outside, "new"))
			c = attack(t, tt.attack[0], tt.attack[1:]...)
			c.Isolate = nil
			switch tt.attack[0] {
			case "ptrace", "namespace":
				return // the machine, or where the tests run, may forbid it to all
			}
			if res, err := c.Run(t.Context()); err != nil {
				t.Errorf("without isolation, where it must succeed: %v: %s", err, res.Stdout)
			}
		})
	}
}

func TestAllowedInIsolation(t *testing.T) {
	c := isolated(t, `set -e
		echo one > file; mkdir -p a b; echo two > a/file; ln a/file b/link; mv a/file b/moved; cat file b/link b/moved; rm -r a b
		echo "$HOME" > "$HOME/x"; cat "$HOME/x"; echo "$TMPDIR" > "$TMPDIR/x"; cat "$TMPDIR/x"
		head -c 4 /dev/urandom | wc -c; echo gone > /dev/null; cat "$0"; ls /usr > /dev/null
		sh -c 'exit 3' || echo "status $?"; sleep 0.01 & wait; echo end >&2`)
	extra := filepath.Join(t.TempDir(), "extra")
	write(t, extra, "may be read\n", 0o600)
	c.Args = append(c.Args, extra)
	c.Isolate.ReadOnly = []string{extra}
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatalf("%v: %s%s", err, res.Stdout, res.Stderr)
	}
	lines := strings.Split(string(res.Stdout), "\n")
	home, tmp := lines[3], lines[4]
	want := "one\ntwo\ntwo\n" + home + "\n" + tmp + "\n4\nmay be read\nstatus 3\n"
	if diff := cmp.Diff(want, string(res.Stdout)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("end\n", string(res.Stderr)); diff != "" {
		t.Error(diff)
	}
	for _, dir := range []string{home, tmp} {
		if !filepath.IsAbs(dir) {
			t.Errorf("%q is not absolute", dir)
		}
		if _, err := os.Lstat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", filepath.Dir(dir), err)
		}
	}
}

// The private directories go even if the program did what it could to keep them.
func TestPrivateDirectoriesGo(t *testing.T) {
	c := isolated(t, `mkdir -p "$HOME/a/b"; echo x > "$HOME/a/b/file"; ln -s / "$HOME/a/root"; chmod 0 "$HOME/a/b" "$HOME/a"; echo "$HOME"`)
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(strings.TrimSpace(string(res.Stdout))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", res.Stdout, err)
	}
}

// Paths may be within one another, single files, and links.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	c := isolated(t, `cd "$0"; echo a > outer/inner/x && echo b > outer/y && echo c > file && cat outer/read/z link/z; echo no > outer/read/z; echo no > link/z; echo no > other`, dir)
	for _, d := range []string{"outer/inner", "outer/read", "linked"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "file"), "", 0o600)
	write(t, filepath.Join(dir, "outer/read/z"), "one\n", 0o600)
	write(t, filepath.Join(dir, "linked/z"), "two\n", 0o600)
	if err := os.Symlink("linked", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	c.Isolate.Write = []string{filepath.Join(dir, "outer/inner"), filepath.Join(dir, "outer"), filepath.Join(dir, "outer/inner"), filepath.Join(dir, "file")}
	c.Isolate.ReadOnly = []string{filepath.Join(dir, "link"), filepath.Join(dir, "outer/read")}
	c.Dir = ""
	res, err := c.Run(t.Context())
	if message(err) != "/bin/sh ended with exit status 2" && message(err) != "/bin/sh ended with exit status 1" || string(res.Stdout) != "one\ntwo\n" {
		t.Errorf("%v: %s%s", err, res.Stdout, res.Stderr)
	}
	// What is named as writable is so, also where a part of it is named as readable.
	got := map[string]string{}
	for _, f := range []string{"outer/inner/x", "outer/y", "file", "outer/read/z", "linked/z", "other"} {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			text = []byte("-")
		}
		got[f] = strings.TrimSpace(string(text))
	}
	want := map[string]string{"outer/inner/x": "a", "outer/y": "b", "file": "c", "outer/read/z": "no", "linked/z": "two", "other": "-"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The working directory of this process is that of the program, and can be written if it is named.
func TestOwnDirectory(t *testing.T) {
	c := isolated(t, "echo x > made; pwd")
	t.Chdir(c.Dir)
	want := realPath(t, c.Dir)
	c.Dir = ""
	if res, err := c.Run(t.Context()); err != nil || string(res.Stdout) != want+"\n" {
		t.Errorf("%v: %s%s", err, res.Stdout, res.Stderr)
	}
}

// A context that ends while the program is prepared is the reason that is told.
func TestContextEndsPreparation(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond*300)
	defer cancel()
	if _, err := isolated(t, "sleep 60").Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// What the environment says to loaders and runtimes is for the program alone, not for what prepares it.
func TestEnvironmentInIsolation(t *testing.T) {
	c := isolated(t, "")
	c.Name, c.Args = "/usr/bin/env", nil
	c.Env = []string{"GODEBUG=panicnil=x", "GOGC=off", "GOMEMLIMIT=nonsense", "HOME=/real", "LD_LIBRARY_PATH=/no", "SPECGATE=1", "TMPDIR=/real"}
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatalf("%v: %s", err, res.Stderr)
	}
	got := strings.Split(strings.TrimSpace(string(res.Stdout)), "\n")
	for i, e := range got {
		name, value, _ := strings.Cut(e, "=")
		if (name == "HOME" || name == "TMPDIR") && value != "/real" {
			got[i] = name + "=(private)"
		}
	}
	want := []string{"GODEBUG=panicnil=x", "GOGC=off", "GOMEMLIMIT=nonsense", "LD_LIBRARY_PATH=/no", "SPECGATE=1", "HOME=(private)", "TMPDIR=(private)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(res.Stderr) != 0 {
		t.Errorf("something was said: %s", res.Stderr)
	}
}

// A daemon that left the session and the process group, and has another parent, ends with the program.
func TestDaemonEnds(t *testing.T) {
	if _, err := sandbox.LookPath("setsid"); err != nil {
		t.Fatalf("setsid of util-linux is needed: %v", err)
	}
	on := protections(t)["processes"].On
	c := isolated(t, `setsid sh -c 'setsid sleep 597.25 >/dev/null 2>&1 </dev/null & echo started > started' >/dev/null 2>&1 &
		while ! test -e started; do sleep 0.02; done; sleep 0.1; echo out`)
	res, err := c.Run(t.Context())
	if err != nil || string(res.Stdout) != "out\n" {
		t.Errorf("got %q, %v", res.Stdout, err)
	}
	left := withArgument(t, "597.25")
	if on && len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// withArgument returns the processes that have an argument.
func withArgument(t *testing.T, arg string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended
		if slices.Contains(strings.Split(string(text), "\x00"), arg) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			out = append(out, pid)
		}
	}
	return out
}

func TestForkBomb(t *testing.T) {
	if !protections(t)["processes"].On {
		t.Log("the number of processes is not limited on this machine, as it says; nothing is tried")
		return
	}
	c := isolated(t, `f() { sleep 598.25 & f & f & wait; }; f; echo survived`)
	c.Limits.Processes, c.Limits.Wall = 40, 5*time.Second
	most, done := 0, make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				most = max(most, len(withArgument(t, "598.25")))
			}
		}
	})
	res, err := c.Run(t.Context())
	close(done)
	watch.Wait()
	var exit *sandbox.ExitError
	// The shell gives up when it cannot fork, or the helper ends all when it finds too many, whichever is first. Where neither happens those that
	// there are only sleep until the time is over.
	if !errors.Is(err, sandbox.ErrProcessLimit) && !errors.Is(err, sandbox.ErrWallLimit) && !errors.As(err, &exit) {
		t.Errorf("got %v: %s", err, res.Stdout)
	}
	if most > 400 { // of root's processes there may be more than the limit for a moment
		t.Errorf("there were %d processes", most)
	}
	if left := withArgument(t, "598.25"); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

func TestTooManyProcesses(t *testing.T) {
	if !protections(t)["processes"].On {
		return // see TestForkBomb
	}
	c := isolated(t, `for i in 1 2 3 4 5 6 7 8; do sleep 599.25 & done; wait`)
	c.Limits.Processes = 5
	_, err := c.Run(t.Context())
	if message(err) != "run /bin/sh: limit of processes reached: more than 5 processes and threads" || !errors.Is(err, sandbox.ErrProcessLimit) {
		t.Errorf("got %v", err)
	}
}

func TestMemoryLimitOfOneProcess(t *testing.T) {
	for _, on := range []bool{false, true} {
		c := attack(t, "memory", strconv.Itoa(600<<20), "0")
		if on {
			c.Limits.Memory = 512 << 20
		}
		res, err := c.Run(t.Context())
		switch {
		case !on && err != nil:
			t.Errorf("without a limit: %v: %s", err, res.Stdout)
		case on && protections(t)["memory"].On && (message(err) != c.Name+" ended with exit status 1" || string(res.Stdout) != "cannot allocate memory\n"):
			t.Errorf("got %v: %s", err, res.Stdout)
		}
	}
}

func TestMemoryLimitOfAll(t *testing.T) {
	if !protections(t)["processes"].On {
		return // the limit is for each process, as the protection says
	}
	c := isolated(t, `for i in 1 2 3 4; do (x=$(head -c 200000000 /dev/zero | tr '\0' x); sleep 20; echo "$x" >/dev/null) & done; wait`)
	c.Limits.Memory = 600 << 20
	_, err := c.Run(t.Context())
	if message(err) != "run /bin/sh: memory limit reached: more than 600 MiB in all processes together" || !errors.Is(err, sandbox.ErrMemoryLimit) {
		t.Errorf("got %v", err)
	}
}

func TestFileSizeLimit(t *testing.T) {
	c := attack(t, "file-size", "file", "20000")
	c.Limits.FileSize = 10000
	res, err := c.Run(t.Context())
	if message(err) != c.Name+" ended with exit status 1" || string(res.Stdout) != "write file: file too large\n" {
		t.Errorf("got %v: %s", err, res.Stdout)
	}
	if info, err := os.Stat(filepath.Join(c.Dir, "file")); err != nil || info.Size() != 10000 {
		t.Errorf("the file is %+v, %v", info, err)
	}
}

func TestNoCoreDump(t *testing.T) {
	res, err := isolated(t, `ulimit -c; kill -SEGV $$`).Run(t.Context())
	if string(res.Stdout) != "0\n" || message(err) != "/bin/sh was ended by signal: segmentation fault" {
		t.Errorf("got %v: %s", err, res.Stdout)
	}
}

// The first process of the namespace belongs to specgate, and can be neither ended nor read.
func TestHelperIsSafe(t *testing.T) {
	if !protections(t)["processes"].On {
		return // there is none
	}
	for _, sig := range []string{"KILL", "STOP", "SEGV", "TERM", "INT", "ABRT", "QUIT", "HUP"} {
		res, err := isolated(t, "kill -"+sig+" 1; sleep 0.1; echo here; exit 4").Run(t.Context())
		if message(err) != "/bin/sh ended with exit status 4" || string(res.Stdout) != "here\n" {
			t.Errorf("%s: got %v: %s", sig, err, res.Stdout)
		}
	}
	for _, file := range []string{"environ", "mem", "maps", "fd/4", "root/etc"} {
		if res, err := attack(t, "read", "/proc/1/"+file).Run(t.Context()); err == nil || !strings.Contains(string(res.Stdout), "permission denied") {
			t.Errorf("%s: got %v: %s", file, err, res.Stdout)
		}
	}
}

// A file that whoever started specgate left open is not handed on.
func TestNoOpenFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, "not for others", 0o600)
	fd, err := syscall.Open(secret, syscall.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	c := isolated(t, fmt.Sprintf("exec 2>&1; ls /dev/fd/%d >/dev/null && cat <&%[1]d", fd))
	if res, err := c.Run(t.Context()); err == nil {
		t.Errorf("it read %q", res.Stdout)
	}
	c.Isolate = nil
	if res, err := c.Run(t.Context()); err != nil || string(res.Stdout) != "not for others" {
		t.Errorf("without isolation: %v: %s", err, res.Stdout)
	}
}

// Calls of 32 bits have other numbers, which a filter could miss. The program asks for a socket in this way, and ends with
// the number of the error.
func TestOtherArchitecture(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		return // no other kind of calls
	}
	code := []byte{
		0xb8, 0x67, 0x01, 0x00, 0x00, // mov eax, 359 (socket)
		0xbb, 0x01, 0x00, 0x00, 0x00, // mov ebx, AF_UNIX
		0xb9, 0x01, 0x00, 0x00, 0x00, // mov ecx, SOCK_STREAM
		0x31, 0xd2, // xor edx, edx
		0xcd, 0x80, // int 0x80
		0xf7, 0xd8, // neg eax
		0x89, 0xc7, // mov edi, eax
		0xb8, 0x3c, 0x00, 0x00, 0x00, // mov eax, exit
		0x0f, 0x05, // syscall
	}
	const base, headers = 0x400000, 64 + 56
	var b bytes.Buffer
	b.WriteString("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9))
	for _, v := range []any{
		uint16(2), uint16(62), uint32(1), uint64(base + headers), uint64(64), uint64(0), uint32(0), uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0),
		uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), uint64(headers + len(code)), uint64(headers + len(code)), uint64(4096),
	} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	b.Write(code)
	c := isolated(t, "")
	c.Name, c.Args = filepath.Join(c.Dir, "socket"), nil
	write(t, c.Name, b.String(), 0o700)
	_, err := c.Run(t.Context())
	var exit *sandbox.ExitError
	if !errors.As(err, &exit) || exit.ExitCode != int(syscall.ENOSYS) && exit.Signal == "" {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestNetworkWhenAsked(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := attack(t, "dial", "tcp", l.Addr().String())
	c.Isolate.Network = true
	if res, err := c.Run(t.Context()); err != nil {
		t.Errorf("%v: %s", err, res.Stdout)
	}
	// The sockets of services of this machine are not the network.
	path := filepath.Join(t.TempDir(), "socket")
	s, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c = attack(t, "dial", "unix", path)
	c.Isolate.Network = true
	res, err := c.Run(t.Context())
	if protections(t)["system calls"].On && err == nil {
		t.Errorf("it could connect: %s", res.Stdout)
	}
}

func TestIsolationErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct {
		isolation sandbox.Isolation
		want      string
	}{
		{sandbox.Isolation{Write: []string{"relative"}}, `start /bin/sh: isolation: the path "relative" is not absolute`},
		{sandbox.Isolation{ReadOnly: []string{missing}}, "start /bin/sh: isolation: stat " + missing + ": no such file or directory"},
	} {
		c := sh("true")
		c.Isolate = &tt.isolation
		if _, err := c.Run(t.Context()); message(err) != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	// A program that is not among what it may execute.
	c := isolated(t, "")
	c.Name, c.Args = filepath.Join(t.TempDir(), "program"), nil
	write(t, c.Name, "#!/bin/sh\n", 0o755)
	if _, err := c.Run(t.Context()); protections(t)["filesystem"].On && !errors.Is(err, syscall.EACCES) {
		t.Errorf("got %v", err)
	}
}

// With Require a program does not start where something is missing, and starts where nothing is.
func TestRequire(t *testing.T) {
	ps, err := sandbox.Protections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := isolated(t, "echo ran > ran")
	c.Isolate.Require = true
	_, err = c.Run(t.Context())
	_, statErr := os.Stat(filepath.Join(c.Dir, "ran"))
	if missing := sandbox.Missing(ps); len(missing) == 0 {
		if err != nil || statErr != nil {
			t.Errorf("got %v, %v", err, statErr)
		}
	} else if !errors.Is(err, sandbox.ErrIsolation) || statErr == nil || !strings.Contains(message(err), missing[0].Name+" ("+missing[0].Detail+")") {
		t.Errorf("got %v, %v; missing: %v", err, statErr, missing)
	}
}

// Where user namespaces are forbidden, landlock and the filter still hold, and what is missing is told: the same tests run
// in a user namespace that allows none in it. So they do for an ordinary user when they are run by root.
func TestOtherMachines(t *testing.T) {
	const inner = "SPECGATE_TEST_INNER"
	if os.Getenv(inner) != "" {
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "specgate-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "sandbox.test")
	write(t, binary, string(text), 0o755)
	if err := errors.Join(os.Chmod(dir, 0o777), os.Chmod(binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	const skip = "-test.skip=^TestCPULimit$|^TestOutputHeld$|^TestRun$/^(plain|limited)$"
	run := func(t *testing.T, name string, args []string, attr *syscall.SysProcAttr) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = []string{inner + "=1", "HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = attr
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return string(out)
	}
	t.Run("no user namespaces", func(t *testing.T) {
		if !protections(t)["processes"].On {
			return // that is this machine, and has been tested
		}
		out := run(t, "/bin/sh", []string{"-c", `echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"`, binary, "-test.v", skip}, &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		})
		const want = "missing: filesystem (files outside can be neither read nor written, but their mode, owner and times can be changed: no namespaces: " +
			"the system allows no (more) user namespaces), processes (no namespaces: the system allows no (more) user namespaces; processes that leave the process group are not ended)"
		if !strings.Contains(out, want) {
			t.Errorf("it is not said what is missing:\n%s", out)
		}
	})
	t.Run("no fresh /proc", func(t *testing.T) {
		if !protections(t)["processes"].On {
			return
		}
		// As in a container that hides a part of /proc: the kernel then lets nobody mount it whole.
		out := run(t, "/bin/sh", []string{"-c", `mount -t tmpfs tmpfs /proc/fs && exec "$0" "$@"`, binary, "-test.v", skip}, &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		})
		const want = "missing: processes (the processes are its own, but /proc shows all: mount /proc: operation not permitted)"
		if !strings.Contains(out, want) {
			t.Errorf("it is not said what is missing:\n%s", out)
		}
	})
	t.Run("ordinary user", func(t *testing.T) {
		if os.Geteuid() != 0 {
			return // that is who runs this, and has been tested
		}
		const nobody = 65534
		run(t, binary, []string{"-test.v", skip}, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}})
	})
}

// When specgate is gone, however it went, so is what it started.
func TestEndsWithSpecgate(t *testing.T) {
	if !protections(t)["processes"].On {
		return // told as missing
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestSleeps$")
	// It is killed, and so does not remove its private directories.
	cmd.Env = append(os.Environ(), "SPECGATE_TEST_SLEEP=600.25", "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); len(withArgument(t, "600.25")) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the program does not start")
		}
	}
	_, _ = cmd.Process.Kill(), cmd.Wait()
	for deadline := time.Now().Add(20 * time.Second); len(withArgument(t, "600.25")) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the program outlives specgate")
		}
	}
}

func TestSleeps(t *testing.T) {
	if d := os.Getenv("SPECGATE_TEST_SLEEP"); d != "" {
		_, err := isolated(t, "exec sleep "+d).Run(t.Context())
		fmt.Println(err)
	}
}

package sandbox

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Main takes over if this process was started as the helper of a Command, and then does not return. Otherwise it does
// nothing. A program that runs commands with isolation or limits calls it before anything else:
//
//	func TestMain(m *testing.M) {
//		sandbox.Main()
//		os.Exit(m.Run())
//	}
func Main() {
	if !isHelper() {
		return
	}
	if len(os.Args) > 2 {
		os.Exit(probe(os.Args[2:]))
	}
	// What is prepared is a matter of one thread, which then becomes or starts the program. It is never unlocked.
	runtime.LockOSThread()
	closeOnExec()
	h := &helping{out: gob.NewEncoder(os.NewFile(helperReport, "report"))}
	h.in = os.NewFile(helperRequest, "request")
	if err := gob.NewDecoder(h.in).Decode(&h.req); err != nil {
		h.say(report{Failed: fmt.Sprintf("read what to do: %v", err)})
		os.Exit(1)
	}
	if err := h.run(); err != nil {
		r := report{Failed: err.Error()}
		var refused *execError
		if errors.As(err, &refused) {
			r.Exec = int(refused.errno)
		}
		r.Incomplete = errors.Is(err, ErrIsolation)
		if r.Incomplete {
			r.Failed = strings.TrimPrefix(r.Failed, ErrIsolation.Error()+": ")
		}
		h.say(r)
		os.Exit(1)
	}
	os.Exit(0)
}

// closeOnExec keeps every file but the standard ones from the program: those of the helper, and those that this process got
// from whoever started specgate.
func closeOnExec() {
	const first, most = 3, 4096
	dir, err := os.ReadDir("/dev/fd")
	if err != nil {
		for fd := first; fd < most; fd++ {
			syscall.CloseOnExec(fd)
		}
		return
	}
	for _, entry := range dir {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			syscall.CloseOnExec(fd)
		}
	}
}

func isHelper() bool { return len(os.Args) > 1 && os.Args[1] == helperArgument }

// helping is the helper at work.
type helping struct {
	req request
	// in is open as long as the process that asked is there.
	in  *os.File
	mu  sync.Mutex
	out *gob.Encoder
	// missing says by name why a protection is not had.
	missing map[string]string
	// details says by name what holds.
	details map[string]string
}

// say reports to the process that started the helper. If that is gone, nobody is left to tell.
func (h *helping) say(r report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.out.Encode(r)
}

// end reports and ends the helper, with nothing said after.
func (h *helping) end(r report) {
	h.mu.Lock() // for ever
	_ = h.out.Encode(r)
	os.Exit(0)
}

func (h *helping) lacks(name, format string, args ...any) {
	if h.missing[name] == "" {
		h.missing[name] = fmt.Sprintf(format, args...)
	}
}

// execError is the system's refusal to execute the program.
type execError struct{ errno syscall.Errno }

func (e *execError) Error() string { return e.errno.Error() }

// run prepares and starts the program. It returns only if that fails.
func (h *helping) run() error {
	h.missing, h.details = map[string]string{}, map[string]string{}
	start, err := h.prepare()
	if err != nil {
		return err
	}
	ps := h.protections()
	if missing := Missing(ps); h.req.Require && len(missing) > 0 {
		return fmt.Errorf("%w: missing: %s", ErrIsolation, describe(missing))
	}
	h.say(report{Ready: true, Protections: ps})
	return start()
}

// limits sets the limits of this process, which the program inherits.
func (h *helping) limits() {
	set := func(name string, resource int, value, hard uint64) {
		if value == 0 {
			return
		}
		if err := setLimit(resource, value, hard); err != nil {
			h.lacks(name, "set the limit: %v", err)
		}
	}
	// At the first the system sends a signal that tells why, at the second it kills.
	set(protectTime, syscall.RLIMIT_CPU, h.req.CPU, h.req.CPU+1)
	set(protectMemory, limitOfMemory, h.req.Memory, h.req.Memory)
	set(protectFileSize, syscall.RLIMIT_FSIZE, h.req.FileSize, h.req.FileSize)
	if !memoryLimited && h.req.Memory > 0 {
		h.lacks(protectMemory, "this system does not limit the memory of a process")
	}
	if err := setLimit(syscall.RLIMIT_CORE, 0, 0); err != nil {
		h.lacks(protectPrivileges, "forbid core dumps: %v", err)
	}
}

// setLimit lowers a limit. One that is lower already stays.
func setLimit(resource int, soft, hard uint64) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	hard = min(hard, now.Max)
	return syscall.Setrlimit(resource, &syscall.Rlimit{Cur: min(soft, hard), Max: hard})
}

// protections says what was asked for and came of it.
func (h *helping) protections() []Protection {
	if !h.req.Isolated {
		return nil
	}
	var out []Protection
	add := func(asked bool, name, detail string) {
		if !asked {
			return
		}
		if why, missing := h.missing[name]; missing {
			out = append(out, Protection{Name: name, Detail: why})
			return
		}
		if d := h.details[name]; d != "" {
			detail = d
		}
		out = append(out, Protection{Name: name, On: true, Detail: detail})
	}
	r := h.req
	add(true, protectGroup, "own process group")
	limit := fmt.Sprintf("at most %v", r.Wall)
	if r.CPU > 0 {
		limit += fmt.Sprintf(" (%v of processor time for each process)", time.Duration(r.CPU)*time.Second)
	}
	add(true, protectTime, limit)
	add(r.Memory > 0, protectMemory, "memory "+inUnits(r.Memory))
	add(r.FileSize > 0, protectFileSize, "files of at most "+inUnits(r.FileSize))
	add(true, protectPrivileges, "no privileges")
	add(true, protectFilesystem, "filesystem limited to what was named")
	add(!r.Network, protectNetwork, "no network")
	own := "own processes"
	if r.Processes > 0 {
		own += fmt.Sprintf(" (at most %d)", r.Processes)
	}
	add(true, protectProcesses, own)
	add(true, protectSystemCalls, "system calls filtered")
	return out
}

// inUnits writes a number of bytes in the largest binary unit that divides it.
func inUnits(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n >= 1024 && n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return fmt.Sprintf("%d %s", n, units[i])
}

// become executes the program in this process.
func (h *helping) become() error {
	err := syscall.Exec(h.req.Path, h.req.Argv, h.req.Env)
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &execError{errno}
	}
	return err
}

// selfPath returns the executable of this process.
func selfPath() (string, error) {
	if runtime.GOOS == "linux" {
		const self = "/proc/self/exe"
		if _, err := os.Stat(self); err == nil {
			return self, nil
		}
	}
	return os.Executable()
}

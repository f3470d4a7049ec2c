package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// RLIMIT_DATA counts what a process could write to: not the libraries that it maps, as RLIMIT_AS does, nor what it only
// reserves.
const (
	limitOfMemory = syscall.RLIMIT_DATA
	memoryLimited = true
)

// innerID is the user and group that the system's root is within namespaces, so that programs have no reason to take
// themselves for root. Others stay who they are.
const innerID = 1000

// attempts are the ways to start the helper, best first.
func attempts(r *request) []attempt {
	plain := attempt{attr: &syscall.SysProcAttr{Setsid: true}}
	if !r.Isolated {
		return []attempt{plain}
	}
	id := func(host int) []syscall.SysProcIDMap {
		inner := host
		if host == 0 {
			inner = innerID
		}
		return []syscall.SysProcIDMap{{ContainerID: inner, HostID: host, Size: 1}}
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if !r.Network {
		flags |= unix.CLONE_NEWNET
	}
	return []attempt{{namespaces: true, attr: &syscall.SysProcAttr{
		Setsid:      true,
		Cloneflags:  flags,
		UidMappings: id(os.Geteuid()),
		GidMappings: id(os.Getegid()),
		// For the preparation, within its namespaces only: to mount, and to give up all privileges.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
	}}, plain}
}

// prepare bounds this thread, and returns what starts the program from it. That returns only on failure.
func (h *helping) prepare() (start func() error, err error) {
	r := h.req
	if !r.Isolated {
		h.limits()
		return h.become, nil
	}
	freshProc := false
	noMounts := "no namespaces: " + r.NoNamespaces
	if r.Namespaces {
		noMounts = ""
		// The program must not read or change this process, which is the first of its namespace and tells how it ended.
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			return nil, fmt.Errorf("protect the helper: %w", err)
		}
		if err := h.mounts(); err != nil {
			noMounts = err.Error()
		}
		const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
		if err := unix.Mount("proc", "/proc", "proc", flags, ""); err != nil {
			h.lacks(protectProcesses, "the processes are its own, but /proc shows all: mount /proc: %v", err)
		} else {
			freshProc = true
		}
		// The working directory is still the one below what was mounted.
		if r.Dir != "" {
			if err := os.Chdir(r.Dir); err != nil {
				return nil, fmt.Errorf("working directory: %w", err)
			}
		}
	} else {
		h.lacks(protectProcesses, "no namespaces: %s; processes that leave the process group are not ended", r.NoNamespaces)
	}
	if r.Processes > 0 {
		h.limitProcesses(freshProc)
	}
	if r.Memory > 0 && !freshProc {
		h.details[protectMemory] = "memory " + inUnits(r.Memory) + " for each process"
	}
	h.limits()
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("prepare isolation: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("give up new privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		h.lacks(protectPrivileges, "drop capabilities: %v", err)
	}
	if err := h.landlock(noMounts == ""); err != nil {
		return nil, err
	}
	if noMounts != "" {
		h.lacks(protectFilesystem, "files outside can be neither read nor written, but their mode, owner and times can be changed: %s", noMounts)
	}
	// Last, as it forbids what the steps before need.
	if err := filterSystemCalls(r.Network); err != nil {
		h.lacks(protectSystemCalls, "%v", err)
		if !r.Namespaces {
			h.lacks(protectNetwork, "no namespaces: %s; no filter of system calls: %v", r.NoNamespaces, err)
		} else {
			h.lacks(protectNetwork, "sockets that are files can be connected to: %v", err)
		}
	}
	if !r.Namespaces {
		return h.become, nil
	}
	return func() error { return h.parent(null, freshProc) }, nil
}

// mounts makes everything read-only but what may be written. What landlock does not know of (the mode, owner and times of a
// file) can then not be changed either.
func (h *helping) mounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	for _, p := range h.req.Write {
		if err := unix.Mount(p, p, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %s on itself: %w", p, err)
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("make mounts read-only: %w", err)
	}
	for _, p := range h.req.Write {
		writable := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, p, unix.AT_RECURSIVE, &writable); err != nil {
			return fmt.Errorf("make %s writable: %w", p, err)
		}
	}
	return nil
}

// limitProcesses bounds the number of processes and threads, as far as this kernel can without being asked to look.
func (h *helping) limitProcesses(freshProc bool) {
	r := h.req
	if !r.Namespaces {
		return // the limit would count all processes of the user
	}
	// Of all processes of the user in these namespaces, this helper and its threads included. Root has no such limit.
	const own = 32
	if err := setLimit(unix.RLIMIT_NPROC, r.Processes+own, r.Processes+own); err != nil {
		h.lacks(protectProcesses, "limit the number of processes: %v", err)
	}
	if !freshProc {
		if r.Root {
			h.lacks(protectProcesses, "the number of processes of root is not limited")
		}
		return
	}
	// Since Linux 6.14 a namespace has its own highest number; before that the call is refused, and the helper looks.
	const least = 301
	_ = os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.FormatUint(max(r.Processes+own, least), 10)), 0)
}

// dropCapabilities takes all privileges from this thread and what it executes, also from root.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	for c := range uintptr(64) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // that is one more than there are
		}
		if errors.Is(err, unix.EPERM) && os.Geteuid() != 0 {
			break // only root gets privileges from this set, with no new ones to be had
		}
		if err != nil {
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// landlock limits what files this thread can reach. readOnly says that they cannot be changed anyway. An error is about what was asked for; that the kernel cannot is not one.
func (h *helping) landlock(readOnly bool) error {
	abi, err := landlocksys.LandlockGetABIVersion()
	if err != nil || abi < 1 {
		h.lacks(protectFilesystem, "this kernel has no landlock: %v; files can be read", err)
		return nil
	}
	config := landlock.V11
	if h.req.Network {
		config.HandledAccessNet = 0
	}
	var rules []landlock.Rule
	for _, p := range h.req.ReadOnly {
		dir, err := isDir(p)
		if err != nil {
			return err
		}
		if dir {
			rules = append(rules, landlock.RODirs(p))
		} else {
			rules = append(rules, landlock.ROFiles(p))
		}
	}
	for _, p := range h.req.Write {
		dir, err := isDir(p)
		if err != nil {
			return err
		}
		switch {
		case !dir:
			rules = append(rules, landlock.RWFiles(p))
		case abi >= 2:
			rules = append(rules, landlock.RWDirs(p).WithRefer())
		default:
			rules = append(rules, landlock.RWDirs(p)) // to move files between directories is then always refused
		}
	}
	rules = append(rules, landlock.RWFiles(devices()...).IgnoreIfMissing())
	fd, flags, err := config.BestEffort().NewRulesetFD(rules...)
	if err != nil {
		return fmt.Errorf("limit the filesystem: %w", err)
	}
	if fd < 0 {
		h.lacks(protectFilesystem, "landlock has nothing to enforce; files can be read")
		return nil
	}
	defer unix.Close(fd)
	if err := landlocksys.LandlockRestrictSelf(fd, flags); err != nil {
		h.lacks(protectFilesystem, "landlock: %v; files can be read", err)
		return nil
	}
	const truncates, signals = 3, 6
	if abi < truncates && !readOnly {
		h.lacks(protectFilesystem, "landlock of this kernel (ABI %d) does not keep files from being emptied; all else holds", abi)
	}
	if abi < signals && !h.req.Namespaces {
		h.missing[protectProcesses] += "; other processes of the user can be signalled"
	}
	return nil
}

func isDir(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("isolation: %w", err)
	}
	return info.IsDir(), nil
}

// parent starts the program, and stays to be what its namespace must have: a first process, which takes in those whose
// parents have ended. When it ends, the kernel ends all that are left.
func (h *helping) parent(null *os.File, freshProc bool) error {
	// Signals to the group reach the program by themselves. They must not end this process, and are not ignored, which the
	// program would inherit.
	signal.Notify(make(chan os.Signal, 1))
	if h.req.Processes > 0 {
		warmThreads()
	}
	pid, err := syscall.ForkExec(h.req.Path, h.req.Argv, &syscall.ProcAttr{Env: h.req.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			return &execError{errno}
		}
		return err
	}
	// What the program closes is closed.
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return fmt.Errorf("close file %d: %w", fd, err)
		}
	}
	h.say(report{Started: true})
	go func() {
		// Ends when the process that asked for this is gone, however it went.
		_, _ = io.Copy(io.Discard, h.in)
		os.Exit(1)
	}()
	if freshProc && (h.req.Memory > 0 || h.req.Processes > 0) {
		go h.watch()
	}
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			h.end(report{})
		case ended == pid && (status.Exited() || status.Signaled()):
			h.end(report{Ended: true, Status: status})
		}
	}
}

// warmThreads has the runtime make threads, since it ends the process if it cannot make one later, when the program has used
// up what the limit of processes leaves.
func warmThreads() {
	const enough = 8
	var ready sync.WaitGroup
	release := make(chan struct{})
	for range enough {
		ready.Add(1)
		go func() {
			runtime.LockOSThread()
			ready.Done()
			<-release
			runtime.UnlockOSThread()
		}()
	}
	ready.Wait()
	close(release)
}

// watch ends everything when the processes together use too much.
func (h *helping) watch() {
	for range time.Tick(100 * time.Millisecond) {
		memory, processes := usage("/proc")
		if limit := h.req.Memory; limit > 0 && memory > limit {
			h.end(report{Limit: limitMemory, LimitText: fmt.Sprintf("more than %s in all processes together", inUnits(limit))})
		}
		if limit := h.req.Processes; limit > 0 && processes > limit {
			h.end(report{Limit: limitProcesses, LimitText: fmt.Sprintf("more than %d processes and threads", limit)})
		}
	}
}

// usage sums what the processes of this namespace use but for the first: bytes of memory that no file holds, and threads.
// What processes share is counted for each. A process that ends meanwhile is not counted.
func usage(proc string) (memory, threads uint64) {
	dir, err := os.Open(proc)
	if err != nil {
		return 0, 0
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0, 0
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err != nil || pid == 1 {
			continue
		}
		status, err := os.ReadFile(filepath.Join(proc, name, "status"))
		if err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(status), "\n") {
			key, value, _ := strings.Cut(line, ":")
			number, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(value, " kB")), 10, 64)
			switch key {
			case "RssAnon", "RssShmem", "VmSwap":
				memory += number << 10
			case "Threads":
				threads += number
			}
		}
	}
	return memory, threads
}

// filterSystemCalls installs a filter on this thread and what it executes.
func filterSystemCalls(network bool) error {
	filter, err := systemCallFilter(network)
	if err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}

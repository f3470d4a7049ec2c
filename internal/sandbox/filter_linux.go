package sandbox

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// refusedCalls are calls that no compiler, linker or solver makes, and that reach far into the kernel or into other
// processes.
var refusedCalls = []uint32{
	// Other processes.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// Calls within these would not be seen by the filter.
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	// Namespaces and mounts.
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT,
	unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_MOUNT_SETATTR,
	// Keys of the user.
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// The kernel itself.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}

// systemCallFilter is a program of classic BPF for seccomp(2). The fields are those of struct seccomp_data: the number of
// the call, the architecture, the instruction pointer, six arguments of 64 bits each.
func systemCallFilter(network bool) ([]unix.SockFilter, error) {
	const (
		number, architecture, argument0, argument1 = 0, 4, 16, 24

		allow      = unix.SECCOMP_RET_ALLOW
		unknown    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		notAllowed = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		noAccess   = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	var native uint32
	switch runtime.GOARCH {
	case "amd64":
		native = unix.AUDIT_ARCH_X86_64
	case "arm64":
		native = unix.AUDIT_ARCH_AARCH64
	default:
		return nil, fmt.Errorf("no filter of system calls for %s", runtime.GOARCH)
	}
	var p []unix.SockFilter
	load := func(offset uint32) {
		p = append(p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
	}
	and := func(mask uint32) {
		p = append(p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask})
	}
	// jump compares; if it holds, the next ones are done, else skip of them are passed over.
	jump := func(compare uint16, value uint32, skip int) {
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, K: value, Jf: uint8(skip)})
	}
	give := func(result uint32) {
		p = append(p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: result})
	}

	// The numbers of calls mean something else for programs of another architecture, such as those of 32 bits.
	load(architecture)
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: native, Jt: 1})
	give(unknown)
	load(number)
	if runtime.GOARCH == "amd64" {
		const x32 = 0x40000000 // the same architecture with other numbers
		jump(unix.BPF_JGE, x32, 1)
		give(unknown)
	}
	for _, call := range refusedCalls {
		jump(unix.BPF_JEQ, call, 1)
		give(notAllowed)
	}
	// Its flags are in memory, where no filter can look. Who is told that there is no such call uses clone.
	jump(unix.BPF_JEQ, unix.SYS_CLONE3, 1)
	give(unknown)
	const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	jump(unix.BPF_JEQ, unix.SYS_CLONE, 4)
	load(argument0)
	jump(unix.BPF_JSET, newNamespaces, 1)
	give(notAllowed)
	give(allow)
	// A socket in the filesystem can belong to a service that does as it is told. Landlock knows of it only since ABI 9.
	if network {
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 6)
		load(argument0)
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			jump(unix.BPF_JEQ, family, 1)
			give(allow)
		}
		give(noAccess)
	} else {
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1)
		give(noAccess)
	}
	// A pair is connected already, and stays so unless it is one for datagrams.
	const kind = 0xf
	jump(unix.BPF_JEQ, unix.SYS_SOCKETPAIR, 6)
	load(argument1)
	and(kind)
	jump(unix.BPF_JEQ, unix.SOCK_DGRAM, 1)
	give(noAccess)
	jump(unix.BPF_JEQ, unix.SOCK_RAW, 1) // of unix(7), this is the same
	give(noAccess)
	give(allow)
	return p, nil
}

package sandbox

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func probeSystem(t target, could func(name, what string, err error)) {
	held := errors.New("it held")
	unless := func(ok bool) error {
		if ok {
			return held
		}
		return nil
	}
	if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || set != 1 {
		could(protectPrivileges, "new privileges can be had", nil)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		could(protectPrivileges, "there are privileges", unless(strings.Contains(string(status), "CapEff:\t0000000000000000\n")))
	}
	memory, err := unix.Mmap(-1, 0, int(t.Memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	could(protectMemory, "more memory could be had", err)
	if err == nil {
		_ = unix.Munmap(memory)
	}
	could(protectProcesses, "processes outside can be seen", unless(os.Getppid() == 1))
	could(protectSystemCalls, "a call could be made", unix.Unshare(0))
}

//go:build unix && !linux

package sandbox

import (
	"runtime"
	"syscall"
)

// No limit of memory is kept by all of these systems.
const (
	limitOfMemory = syscall.RLIMIT_DATA
	memoryLimited = false
)

func attempts(*request) []attempt {
	return []attempt{{attr: &syscall.SysProcAttr{Setpgid: true}}}
}

// prepare sets the limits, which is all that this system has for a program without privileges.
func (h *helping) prepare() (start func() error, err error) {
	h.limits()
	for _, name := range []string{protectPrivileges, protectFilesystem, protectNetwork, protectProcesses, protectSystemCalls} {
		h.lacks(name, "not on %s", runtime.GOOS)
	}
	return h.become, nil
}

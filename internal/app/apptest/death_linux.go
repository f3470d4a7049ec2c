package apptest

import "syscall"

// dieWithParent has a process end when the tests do, however they end.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGINT }

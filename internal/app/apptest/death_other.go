//go:build !linux

package apptest

import "syscall"

// dieWithParent: only Linux can.
func dieWithParent(*syscall.SysProcAttr) {}

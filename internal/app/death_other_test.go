//go:build !linux

package app_test

import "syscall"

// dieWithParent: only Linux can.
func dieWithParent(*syscall.SysProcAttr) {}

package engine

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// besideEachOther is the memory that must be free for base and head to be verified at the same time: what two runs of the verifier with
// their solvers need for large crates.
const besideEachOther = 6 << 30

// freeMemory is how many bytes this process and those that it starts can still have; 0 if that is not known. root is the root of the
// file system. It reads what Linux tells: MemAvailable, and the limits of the cgroups, version 2 or 1, that the process is in.
func freeMemory(root fs.FS) int64 {
	free := int64(-1)
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemAvailable:" && f[2] == "kB" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				free = n << 10
			}
		}
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil || free < 0 {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		kinds, group, ok := strings.Cut(rest, ":")
		dir, limit, used := "sys/fs/cgroup", "memory.max", "memory.current"
		switch {
		case !ok || kinds != "" && kinds != "memory":
			continue
		case kinds == "memory":
			dir, limit, used = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		}
		// A limit holds for all groups below. In a container the path may be that of the host, and then only the top is there.
		for at := path.Join(dir, group); at == dir || strings.HasPrefix(at, dir+"/"); at = path.Dir(at) {
			if most, ok := number(root, path.Join(at, limit)); ok {
				if now, ok := number(root, path.Join(at, used)); ok {
					free = min(free, max(most-now, 0))
				}
			}
		}
	}
	return free
}

// number reads a file of a cgroup. It tells whether there is a limit.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil && n < math.MaxInt64>>1
}

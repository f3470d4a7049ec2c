package engine

import (
	"os"
	"runtime"
	"testing"
	"testing/fstest"
)

func TestFreeMemory(t *testing.T) {
	const meminfo = "MemTotal:       24684000 kB\nMemFree:         6650000 kB\nMemAvailable:   10485760 kB\nBuffers: 1 kB\n"
	const gib = 1 << 30
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no limits", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n"}, 10 * gib},
		{"version 2", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "8589934592\n", "sys/fs/cgroup/a/b/memory.current": "1073741824\n"}, 7 * gib},
		{"a limit above", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "5\n",
			"sys/fs/cgroup/a/memory.max": "4294967296\n", "sys/fs/cgroup/a/memory.current": "1073741824\n"}, 3 * gib},
		{"a container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/docker/0123\n",
			"sys/fs/cgroup/memory.max": "2147483648\n", "sys/fs/cgroup/memory.current": "1073741824\n"}, gib},
		{"more than the limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "2147483648\n"}, 0},
		{"version 1", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "12:cpu,cpuacct:/x\n4:memory:/x\n1:name=systemd:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "6442450944\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "1073741824\n"}, 5 * gib},
		{"version 1 without a limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "1073741824\n"}, 10 * gib},
		{"no group", map[string]string{"proc/meminfo": meminfo}, 0},
		{"another system", nil, 0},
		{"an old system", map[string]string{"proc/meminfo": "MemFree: 6650000 kB\n", "proc/self/cgroup": "0::/\n"}, 0},
		{"nonsense", map[string]string{"proc/meminfo": "MemAvailable: x kB\n", "proc/self/cgroup": "0::/../..\n"}, 0},
		{"a way out", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../..\nx\n"}, 10 * gib},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := freeMemory(root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if runtime.GOOS == "linux" && freeMemory(os.DirFS("/")) <= 0 {
		t.Error("no memory is free on this machine")
	}
}
